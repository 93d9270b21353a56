/* moved.c - what an assembly moved: bodies of a mechanism, coordinates of other models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "keel/mechanism.h"
#include "run/columns.h"

enum { LISTED = 10 }; /* largest changes that are told */

/* Changes below this are round-off of a state of size 1. */
static const double ROUND_OFF = 1e-12;

typedef struct change {
    int number; /* of the coordinate or velocity */
    double from, to;
    double amount; /* what is sorted by */
} change;

static int larger_first(const void *a, const void *b) {
    const change *x = a, *y = b;
    if (x->amount != y->amount)
        return x->amount < y->amount ? 1 : -1;
    return x->number - y->number;
}

static void write_title(FILE *file, const char *title, int count, int moved) {
    if (moved > LISTED)
        fprintf(file, "  %-20s %d of %d, the largest changes:\n", title, moved, count);
    else if (moved)
        fprintf(file, "  %-20s %d of %d\n", title, moved, count);
    else
        fprintf(file, "  %-20s nothing\n", title);
}

/* Sorts the changes, and counts those that are more than round-off. */
static int sort_changes(change *changes, int count, double size) {
    int moved = 0;
    qsort(changes, (size_t)count, sizeof *changes, larger_first);
    while (moved < count && changes[moved].amount > ROUND_OFF * fmax(size, 1))
        moved++;
    return moved;
}

static double degrees(double angle) {
    return angle * 45 / atan(1);
}

static keel_status write_bodies(FILE *file, const keel_model *model, int bodies) {
    int count;
    keel_moved_body *moved = calloc((size_t)bodies + 1, sizeof *moved);
    keel_status status =
        moved ? keel_find_moved_bodies(model->system, model->start, moved, &count) : KEEL_ERROR_MEMORY;
    if (!status)
        write_title(file, "bodies moved", bodies, count);
    for (int i = 0; !status && i < count && i < LISTED; i++)
        fprintf(file, "    %-18s centre by %.4g, turned by %.4g degrees\n",
                keel_mechanism_body_name(model->system, moved[i].body), moved[i].distance,
                degrees(moved[i].angle));
    free(moved);
    return status;
}

/* Components of q or v, before and after. */
static void write_components(FILE *file, const keel_system *system, bool velocities, const double *before,
                             const double *after, change *changes) {
    int count = velocities ? system->n_v : system->n_q;
    double size = 0;
    char buffer[32];
    for (int i = 0; i < count; i++) {
        changes[i] =
            (change){.number = i, .from = before[i], .to = after[i], .amount = fabs(after[i] - before[i])};
        size = fmax(size, fabs(after[i]));
    }
    int moved = sort_changes(changes, count, size);
    write_title(file, velocities ? "velocities changed" : "coordinates moved", count, moved);
    for (int i = 0; i < moved && i < LISTED; i++) {
        const change *c = &changes[i];
        const char *name = velocities ? ki_velocity_name(system, c->number, buffer)
                                      : keel_system_name(system, KEEL_NAME_Q, c->number, buffer);
        fprintf(file, "    %s%s by %.4g, from %.6g to %.6g\n", name,
                velocities && ki_velocity_is_rate(system) ? "'" : "", c->to - c->from, c->from, c->to);
    }
}

void cli_write_assembly(FILE *file, const keel_model *model, const keel_state *before, keel_status status,
                        const keel_assembly_report *report) {
    const keel_system *system = model->system;
    keel_mechanism_facts facts;
    int most = system->n_q > system->n_v ? system->n_q : system->n_v;
    bool mechanism = keel_mechanism_look(system, &facts);
    change *changes = calloc((size_t)most + 1, sizeof *changes);
    fprintf(file, "%s\n", model->name);
    fprintf(file, "  %-20s %s\n", "start",
            status >= 0          ? (report->iterations ? "assembled" : "consistent as given")
            : report->worst >= 0 ? "stays open: the best pose found is shown"
                                 : "closed, but its velocities contradict each other");
    fprintf(file, "  %-20s %d\n", "iterations", report->iterations);
    fprintf(file, "  %-20s %.3g before, %.3g after\n", "position violation", report->before, report->after);
    fprintf(file, "  %-20s %.3g before, %.3g after\n", "velocity violation", report->velocity_before,
            report->velocity_after);
    if (changes && !(mechanism && write_bodies(file, model, facts.bodies) == KEEL_OK))
        write_components(file, system, false, before->q, model->start->q, changes);
    if (changes)
        write_components(file, system, true, before->v, model->start->v, changes);
    free(changes);
}
