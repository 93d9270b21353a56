/* record_columns.c - the columns of a system's results, and a row of it as numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/record.h"
#include "run/columns.h"

const char *const ki_group_dataset[KI_GROUPS] = {
    [KI_TIME] = "t",
    [KI_COORDINATE] = "q",
    [KI_VELOCITY] = "v",
    [KI_STATE] = "z",
    [KI_AUXILIARY] = "s",
    [KI_MULTIPLIER] = "lambda",
    [KI_PROJECTION] = "partition",
    [KI_OUTPUT] = "outputs",
    [KI_ENERGY] = "energy",
    [KI_AUDIT] = "audit",
    [KI_NEWTON] = "newton",
    [KI_VIOLATION] = "violation",
    [KI_ACCELERATION] = "v_rate",
};

ki_optional ki_optional_of(const keel_row *row) {
    return (ki_optional){row->projections != NULL, row->audit != NULL, row->newton != NULL, true, row->shared,
                         row->output_shared};
}

/* Columns while they are made. */
typedef struct maker {
    const keel_system *system;
    ki_arena *arena;
    ki_columns *columns;
    ki_group group;
} maker;

static void add(maker *m, const char *before, const char *name, const char *after, bool shared) {
    size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = ki_arena_alloc(m->arena, size, 1);
    if (text)
        snprintf(text, size, "%s%s%s", before, name, after);
    m->columns->column[m->columns->count++] = (ki_column){text, m->group, shared};
}

static void begin(maker *m, ki_group group) {
    m->group = group;
    m->columns->at[group] = m->columns->count;
}

static void add_named(maker *m, ki_group group, keel_name_of of, int count, const char *before,
                      const int *shared) {
    char buffer[32];
    begin(m, group);
    for (int i = 0; i < count; i++)
        add(m, before, keel_system_name(m->system, of, i, buffer), "", shared && shared[i]);
}

static void add_velocities(maker *m, ki_group group, bool there, const char *before, const char *after) {
    char buffer[32];
    begin(m, group);
    for (int i = 0; there && i < m->system->n_v; i++)
        add(m, before, ki_velocity_name(m->system, i, buffer), after, false);
}

static void add_fixed(maker *m, ki_group group, bool there, const char *const *names) {
    begin(m, group);
    for (int i = 0; there && names[i]; i++)
        add(m, "", names[i], "", false);
}

keel_status ki_columns_make(const keel_system *sys, const ki_optional *has, ki_arena *arena,
                            ki_columns *columns) {
    static const char *const ENERGY[] = {"energy", "energy_drift", NULL};
    static const char *const AUDIT[] = {"energy_integrator", "energy_projection", "energy_projection_1",
                                        "energy_projection_2", NULL};
    static const char *const NEWTON[] = {"newton_iterations", "newton_correction_q",
                                         "newton_correction_lambda", "condition", NULL};
    static const char *const VIOLATION[] = {"position_violation", "velocity_violation", NULL};
    int most = 13 + sys->n_q + 3 * sys->n_v + sys->n_z + sys->n_s + keel_system_m(sys) + sys->n_outputs;
    bool rate = ki_velocity_is_rate(sys);
    *columns = (ki_columns){.column = KI_NEW(arena, ki_column, most)};
    if (!columns->column)
        return KEEL_ERROR_MEMORY;
    maker m = {sys, arena, columns, KI_TIME};
    add_fixed(&m, KI_TIME, true, (const char *const[]){"t", NULL});
    add_named(&m, KI_COORDINATE, KEEL_NAME_Q, sys->n_q, "", NULL);
    add_velocities(&m, KI_VELOCITY, true, "", rate ? "'" : "");
    add_named(&m, KI_STATE, KEEL_NAME_Z, sys->n_z, "", NULL);
    add_named(&m, KI_AUXILIARY, KEEL_NAME_S, sys->n_s, "", NULL);
    add_named(&m, KI_MULTIPLIER, KEEL_NAME_CONSTRAINT, keel_system_m(sys), "lambda.", has->shared);
    add_velocities(&m, KI_PROJECTION, has->projections, "d.", "");
    add_named(&m, KI_OUTPUT, KEEL_NAME_OUTPUT, sys->n_outputs, "", has->output_shared);
    add_fixed(&m, KI_ENERGY, sys->has_energy, ENERGY);
    add_fixed(&m, KI_AUDIT, has->audit, AUDIT);
    add_fixed(&m, KI_NEWTON, has->newton, NEWTON);
    add_fixed(&m, KI_VIOLATION, true, VIOLATION);
    add_velocities(&m, KI_ACCELERATION, has->accelerations, "", rate ? "''" : "'");
    begin(&m, KI_GROUPS);
    return arena->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static void fill(const ki_columns *columns, ki_group group, const double *from, double *values) {
    for (int i = columns->at[group]; i < columns->at[group + 1]; i++)
        values[i] = from ? from[i - columns->at[group]] : NAN;
}

void ki_columns_fill(const ki_columns *columns, const keel_row *row, double *values) {
    const keel_audit *a = row->audit;
    const keel_newton_facts *n = row->newton;
    const double energy[] = {row->energy, row->energy_drift};
    const double violation[] = {row->position_violation, row->velocity_violation};
    double audit[4] = {0}, newton[4] = {0};
    if (a)
        memcpy(audit, (double[]){a->integrator, a->projection, a->projection_1, a->projection_2},
               sizeof audit);
    if (n)
        memcpy(newton, (double[]){n->iterations, n->correction_q, n->correction_lambda, n->condition},
               sizeof newton);
    fill(columns, KI_TIME, &row->t, values);
    fill(columns, KI_COORDINATE, row->q, values);
    fill(columns, KI_VELOCITY, row->v, values);
    fill(columns, KI_STATE, row->z, values);
    fill(columns, KI_AUXILIARY, row->s, values);
    fill(columns, KI_MULTIPLIER, row->lambda, values);
    fill(columns, KI_PROJECTION, row->projections, values);
    fill(columns, KI_OUTPUT, row->outputs, values);
    fill(columns, KI_ENERGY, energy, values);
    fill(columns, KI_AUDIT, a ? audit : NULL, values);
    fill(columns, KI_NEWTON, n ? newton : NULL, values);
    fill(columns, KI_VIOLATION, violation, values);
    fill(columns, KI_ACCELERATION, row->v_rate, values);
}
