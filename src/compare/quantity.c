/* quantity.c - which numbers of a row are compared, and what they are called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "compare/internal.h"
#include "run/columns.h"

static int count_of(const keel_system *system, ki_source source) {
    switch (source) {
    case KI_FROM_Q:
        return system->n_q;
    case KI_FROM_V:
        return system->n_v;
    case KI_FROM_Z:
        return system->n_z;
    case KI_FROM_S:
        return system->n_s;
    case KI_FROM_LAMBDA:
        return keel_system_m(system);
    case KI_FROM_OUTPUTS:
        return system->n_outputs;
    default:
        return system->has_energy ? 1 : 0;
    }
}

char *ki_quantity_name(const keel_system *system, ki_quantity x) {
    static const keel_name_of KIND[] = {[KI_FROM_Q] = KEEL_NAME_Q,
                                        [KI_FROM_Z] = KEEL_NAME_Z,
                                        [KI_FROM_S] = KEEL_NAME_S,
                                        [KI_FROM_LAMBDA] = KEEL_NAME_CONSTRAINT,
                                        [KI_FROM_OUTPUTS] = KEEL_NAME_OUTPUT};
    char buffer[32];
    const char *name = "energy", *before = "", *after = "";
    if (x.source == KI_FROM_V) {
        name = ki_velocity_name(system, x.i, buffer);
        after = ki_velocity_is_rate(system) ? "'" : "";
    } else if (x.source != KI_FROM_ENERGY) {
        name = keel_system_name(system, KIND[x.source], x.i, buffer);
        before = x.source == KI_FROM_LAMBDA ? "lambda." : "";
    }
    size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", before, name, after);
    return text;
}

double ki_quantity_value(ki_quantity x, const keel_row *row) {
    const double *const arrays[] = {
        [KI_FROM_Q] = row->q, [KI_FROM_V] = row->v,           [KI_FROM_Z] = row->z,
        [KI_FROM_S] = row->s, [KI_FROM_LAMBDA] = row->lambda, [KI_FROM_OUTPUTS] = row->outputs};
    return x.source == KI_FROM_ENERGY ? row->energy : arrays[x.source][x.i];
}

/* Everything that has a name, for a search. */
typedef struct catalogue {
    ki_quantity *list;
    char **names;
    int count;
} catalogue;

static void catalogue_clear(catalogue *all) {
    for (int i = 0; all->names && i < all->count; i++)
        free(all->names[i]);
    free(all->names);
    free(all->list);
}

static keel_status catalogue_make(const keel_system *system, catalogue *all) {
    size_t size = 1;
    for (int source = 0; source < KI_SOURCES; source++)
        size += (size_t)count_of(system, (ki_source)source);
    *all = (catalogue){.list = calloc(size, sizeof *all->list), .names = calloc(size, sizeof *all->names)};
    if (!all->list || !all->names)
        return KEEL_ERROR_MEMORY;
    for (int source = 0; source < KI_SOURCES; source++)
        for (int i = 0; i < count_of(system, (ki_source)source); i++) {
            ki_quantity x = {(ki_source)source, i};
            all->list[all->count] = x;
            all->names[all->count] = ki_quantity_name(system, x);
            if (!all->names[all->count])
                return KEEL_ERROR_MEMORY;
            all->count++;
        }
    return KEEL_OK;
}

/* Outputs and coordinates may have the same name as something else: what comes last in a row, the output, is
 * meant. */
static int find(const catalogue *all, const char *name) {
    int i = all->count - 1;
    while (i >= 0 && strcmp(all->names[i], name) != 0)
        i--;
    return i;
}

static keel_status take_named(const keel_system *system, const keel_comparison_plan *plan,
                              keel_diagnostics *diagnostics, ki_quantities *quantities) {
    catalogue all;
    keel_status status = catalogue_make(system, &all);
    for (int k = 0; status != KEEL_ERROR_MEMORY && k < plan->quantity_count; k++) {
        const char *name = plan->quantities[k];
        int i = find(&all, name);
        if (i >= 0) {
            quantities->list[quantities->count++] = all.list[i];
            continue;
        }
        const char *closest = ki_closest_name(name, (const char *const *)all.names, all.count);
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the rows have no column '%.60s'%s%s%s", name, closest ? ": did you mean '" : "",
                             closest ? closest : "", closest ? "'?" : "");
        status = KEEL_ERROR_INPUT;
    }
    catalogue_clear(&all);
    return status;
}

keel_status ki_quantities_choose(const keel_system *system, const keel_comparison_plan *plan,
                                 keel_diagnostics *diagnostics, ki_quantities *quantities) {
    ki_source source = system->n_outputs > 0 ? KI_FROM_OUTPUTS : KI_FROM_Q;
    int usual = count_of(system, source);
    *quantities = (ki_quantities){.chosen = plan->quantity_count > 0};
    size_t size = (size_t)(quantities->chosen ? plan->quantity_count : usual + system->n_q) + 1;
    quantities->list = calloc(size, sizeof *quantities->list);
    if (!quantities->list)
        return KEEL_ERROR_MEMORY;
    if (quantities->chosen)
        return take_named(system, plan, diagnostics, quantities);
    for (int i = 0; i < usual; i++)
        quantities->list[quantities->count++] = (ki_quantity){source, i};
    return KEEL_OK;
}

int ki_quantities_drop_shared(const keel_system *system, ki_quantities *quantities,
                              const int *output_shared) {
    int before = quantities->count, kept = 0;
    if (quantities->chosen || !output_shared)
        return 0;
    for (int i = 0; i < before; i++) {
        ki_quantity x = quantities->list[i];
        if (x.source != KI_FROM_OUTPUTS || !output_shared[x.i])
            quantities->list[kept++] = x;
    }
    quantities->count = kept;
    for (int i = 0; kept == 0 && i < system->n_q; i++)
        quantities->list[quantities->count++] = (ki_quantity){KI_FROM_Q, i};
    return before - kept;
}
