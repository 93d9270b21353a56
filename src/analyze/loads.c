/* loads.c - notes about springs that an assembly has loaded though nobody asked for it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/assembly.h"

enum { MOST_NOTES = 5 };

/* Less than this, in radians and of the extent, is the precision of a drawing. */
static const double LEAST = 1e-6;

static int more_first(const void *a, const void *b) {
    const keel_load *x = a, *y = b;
    double p = isnan(x->energy) ? INFINITY : fabs(x->energy),
           q = isnan(y->energy) ? INFINITY : fabs(y->energy);
    return p != q ? (p < q ? 1 : -1) : 0;
}

/* "spring 'leaf' is bent by 0.5 rad, its energy is 344 more than drawn": lengths and energies are in the
 * units of the model, which nobody knows. */
static void note(const keel_load *load, keel_diagnostics *diagnostics) {
    static const char *const KIND[] = {[KEEL_FORCE_SPRING] = "spring",
                                       [KEEL_FORCE_TORSION] = "torsion spring",
                                       [KEEL_FORCE_BUSHING] = "bushing"};
    char moved[120], energy[80] = "";
    if (load->kind == KEEL_FORCE_BUSHING)
        snprintf(moved, sizeof moved, "displaced by %.3g and turned by %.3g rad", load->stretch, load->turn);
    else if (load->turn != 0)
        snprintf(moved, sizeof moved, "bent by %.3g rad", fabs(load->turn));
    else
        snprintf(moved, sizeof moved, "%s by %.3g", load->stretch > 0 ? "stretched" : "compressed",
                 fabs(load->stretch));
    if (!isnan(load->energy))
        snprintf(energy, sizeof energy, ", its energy is %.3g %s than drawn", fabs(load->energy),
                 load->energy < 0 ? "less" : "more");
    keel_diagnostics_add(diagnostics, KEEL_NOTE, load->where, "assembled: %s '%s' is %s%s", KIND[load->kind],
                         load->name, moved, energy);
}

keel_status ki_note_loads(const keel_system *system, const keel_state *s, keel_diagnostics *diagnostics) {
    keel_point at = {s->t, s->q, s->v, s->z, s->s, s->lambda, NULL};
    keel_load one, *list = NULL;
    void *work = NULL;
    int count = 0, forces = keel_mechanism_force_count(system);
    if (!diagnostics || forces == 0)
        return KEEL_OK;
    keel_status status = system->work_new(system, &work);
    if (status < 0)
        return status;
    list = calloc((size_t)forces, sizeof *list);
    for (int i = 0; list && i < forces && keel_mechanism_load(system, work, &at, i, &one); i++)
        if (one.elastic && !one.named &&
            (fabs(one.turn) > LEAST || fabs(one.stretch) > LEAST * system->extent))
            list[count++] = one;
    if (count > 1)
        qsort(list, (size_t)count, sizeof *list, more_first);
    for (int i = 0; i < count && i < MOST_NOTES; i++)
        note(&list[i], diagnostics);
    if (count > MOST_NOTES)
        keel_diagnostics_add(diagnostics, KEEL_NOTE, (keel_location){0},
                             "assembled: %d more springs are loaded, by less", count - MOST_NOTES);
    status = list ? KEEL_OK : KEEL_ERROR_MEMORY;
    free(list);
    system->work_free(work);
    return status;
}
