/* quantity.c - names of what rows hold: the same as those of the columns of results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/names.h"
#include "keel/simulation.h"
#include "run/columns.h"

enum { NAME = 256 }; /* bytes of a name with what is put before and after it */

/* How many quantities of a kind a system has. */
static int count_of(const keel_system *sys, keel_quantity_kind kind) {
    switch (kind) {
    case KEEL_QUANTITY_NONE:
        return 0;
    case KEEL_QUANTITY_COORDINATE:
        return sys->n_q;
    case KEEL_QUANTITY_VELOCITY:
    case KEEL_QUANTITY_ACCELERATION:
        return sys->n_v;
    case KEEL_QUANTITY_STATE:
        return sys->n_z;
    case KEEL_QUANTITY_AUXILIARY:
        return sys->n_s;
    case KEEL_QUANTITY_MULTIPLIER:
        return keel_system_m(sys);
    case KEEL_QUANTITY_OUTPUT:
        return sys->n_outputs;
    case KEEL_QUANTITY_ENERGY:
    case KEEL_QUANTITY_ENERGY_DRIFT:
        return sys->has_energy ? 1 : 0;
    default:
        return 1;
    }
}

static const char *name_of(const keel_system *sys, keel_quantity q, char text[NAME]) {
    char made_up[32];
    const char *rate = ki_velocity_is_rate(sys) ? "'" : "";
    switch (q.kind) {
    case KEEL_QUANTITY_COORDINATE:
        snprintf(text, NAME, "%s", keel_system_name(sys, KEEL_NAME_Q, q.index, made_up));
        break;
    case KEEL_QUANTITY_VELOCITY:
        snprintf(text, NAME, "%s%s", ki_velocity_name(sys, q.index, made_up), rate);
        break;
    case KEEL_QUANTITY_ACCELERATION:
        snprintf(text, NAME, "%s%s'", ki_velocity_name(sys, q.index, made_up), rate);
        break;
    case KEEL_QUANTITY_STATE:
        snprintf(text, NAME, "%s", keel_system_name(sys, KEEL_NAME_Z, q.index, made_up));
        break;
    case KEEL_QUANTITY_AUXILIARY:
        snprintf(text, NAME, "%s", keel_system_name(sys, KEEL_NAME_S, q.index, made_up));
        break;
    case KEEL_QUANTITY_MULTIPLIER:
        snprintf(text, NAME, "lambda.%s", keel_system_name(sys, KEEL_NAME_CONSTRAINT, q.index, made_up));
        break;
    case KEEL_QUANTITY_OUTPUT:
        snprintf(text, NAME, "%s", keel_system_name(sys, KEEL_NAME_OUTPUT, q.index, made_up));
        break;
    default: {
        static const char *const FIXED[] = {[KEEL_QUANTITY_TIME] = "t",
                                            [KEEL_QUANTITY_ENERGY] = "energy",
                                            [KEEL_QUANTITY_ENERGY_DRIFT] = "energy_drift",
                                            [KEEL_QUANTITY_POSITION_VIOLATION] = "position_violation",
                                            [KEEL_QUANTITY_VELOCITY_VIOLATION] = "velocity_violation"};
        snprintf(text, NAME, "%s", FIXED[q.kind]);
    }
    }
    return text;
}

/* Outputs first: they hide coordinates. */
static const keel_quantity_kind ORDER[] = {KEEL_QUANTITY_OUTPUT,
                                           KEEL_QUANTITY_TIME,
                                           KEEL_QUANTITY_COORDINATE,
                                           KEEL_QUANTITY_VELOCITY,
                                           KEEL_QUANTITY_ACCELERATION,
                                           KEEL_QUANTITY_STATE,
                                           KEEL_QUANTITY_AUXILIARY,
                                           KEEL_QUANTITY_MULTIPLIER,
                                           KEEL_QUANTITY_ENERGY,
                                           KEEL_QUANTITY_ENERGY_DRIFT,
                                           KEEL_QUANTITY_POSITION_VIOLATION,
                                           KEEL_QUANTITY_VELOCITY_VIOLATION};
enum { KINDS = sizeof ORDER / sizeof *ORDER };

/* The nearest of all names; "" if none is near, or there is no memory for them. */
static const char *nearest(const keel_system *sys, const char *name, ki_arena *arena) {
    int all = 0, known = 0;
    char text[NAME];
    for (int k = 0; k < KINDS; k++)
        all += count_of(sys, ORDER[k]);
    const char **names = KI_NEW(arena, const char *, all);
    for (int k = 0; names && k < KINDS; k++)
        for (int i = 0; i < count_of(sys, ORDER[k]); i++) {
            name_of(sys, (keel_quantity){ORDER[k], i}, text);
            names[known++] = ki_arena_text(arena, text, strlen(text));
        }
    const char *found = names && !arena->failed ? ki_closest_name(name, names, known) : NULL;
    return found ? found : "";
}

static void report_unknown(const keel_system *sys, const char *name, keel_diagnostics *diagnostics) {
    ki_arena arena;
    ki_arena_init(&arena);
    const char *near = nearest(sys, name, &arena);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                         "there is no quantity '%s' in a row%s%s%s", name,
                         *near ? "; did you mean '"
                               : ": outputs, coordinates and their rates, states, "
                                 "and lambda.NAME of constraints can be asked for",
                         near, *near ? "'?" : "");
    ki_arena_free(&arena);
}

keel_quantity keel_find_quantity(const keel_system *system, const char *name, keel_diagnostics *diagnostics) {
    char text[NAME];
    if (!system || !name)
        return (keel_quantity){KEEL_QUANTITY_NONE, 0};
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < count_of(system, ORDER[k]); i++)
            if (strcmp(name_of(system, (keel_quantity){ORDER[k], i}, text), name) == 0)
                return (keel_quantity){ORDER[k], i};
    if (diagnostics)
        report_unknown(system, name, diagnostics);
    return (keel_quantity){KEEL_QUANTITY_NONE, 0};
}

int keel_find_input(const keel_system *system, const char *name, keel_diagnostics *diagnostics) {
    enum { LOOKED_AT = 64 };
    const char *names[LOOKED_AT] = {0};
    int known = 0;
    if (!system || !name)
        return -1;
    for (int i = 0; i < system->n_inputs; i++) {
        const char *input = system->names.z ? system->names.z[system->input[i]] : "";
        if (strcmp(input, name) == 0)
            return i;
        if (known < LOOKED_AT)
            names[known++] = input;
    }
    const char *near = ki_closest_name(name, names, known);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "the model has no input '%s'%s%s%s",
                         name,
                         near    ? "; did you mean '"
                         : known ? ""
                                 : ": it has none (a section 'inputs' lists them)",
                         near ? near : "", near ? "'?" : "");
    return -1;
}

static double component(const double *vector, int i) {
    return vector ? vector[i] : NAN;
}

double keel_row_value(const keel_row *row, keel_quantity q) {
    if (!row)
        return NAN;
    switch (q.kind) {
    case KEEL_QUANTITY_TIME:
        return row->t;
    case KEEL_QUANTITY_COORDINATE:
        return component(row->q, q.index);
    case KEEL_QUANTITY_VELOCITY:
        return component(row->v, q.index);
    case KEEL_QUANTITY_ACCELERATION:
        return component(row->v_rate, q.index);
    case KEEL_QUANTITY_STATE:
        return component(row->z, q.index);
    case KEEL_QUANTITY_AUXILIARY:
        return component(row->s, q.index);
    case KEEL_QUANTITY_MULTIPLIER:
        return component(row->lambda, q.index);
    case KEEL_QUANTITY_OUTPUT:
        return component(row->outputs, q.index);
    case KEEL_QUANTITY_ENERGY:
        return row->energy;
    case KEEL_QUANTITY_ENERGY_DRIFT:
        return row->energy_drift;
    case KEEL_QUANTITY_POSITION_VIOLATION:
        return row->position_violation;
    case KEEL_QUANTITY_VELOCITY_VIOLATION:
        return row->velocity_violation;
    default:
        return NAN;
    }
}
