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

static void add(maker *m, const char *before, const char *name, const char *after, bool shared,
                const char *unit) {
    size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = ki_arena_alloc(m->arena, size, 1);
    if (text)
        snprintf(text, size, "%s%s%s", before, name, after);
    unit = unit[0] ? ki_arena_text(m->arena, unit, strlen(unit)) : "";
    m->columns->column[m->columns->count++] = (ki_column){text, m->group, shared, unit};
}

static void begin(maker *m, ki_group group) {
    m->group = group;
    m->columns->at[group] = m->columns->count;
}

/* A vector of the system: whose names, whose units. */
typedef struct vector {
    ki_group group;
    keel_name_of name;
    keel_unit_of unit;
    int count;
    const char *before;
    const int *shared;
} vector;

static void add_vector(maker *m, const vector *v) {
    char buffer[32], unit[KEEL_UNIT];
    begin(m, v->group);
    for (int i = 0; i < v->count; i++)
        add(m, v->before, keel_system_name(m->system, v->name, i, buffer), "", v->shared && v->shared[i],
            keel_system_unit(m->system, v->unit, i, unit));
}

static void add_velocities(maker *m, ki_group group, keel_unit_of of, const char *after) {
    char buffer[32], unit[KEEL_UNIT];
    begin(m, group);
    for (int i = 0; i < m->system->n_v; i++)
        add(m, "", ki_velocity_name(m->system, i, buffer), after, false,
            keel_system_unit(m->system, of, i, unit));
}

/* Shares between 0 and 1. */
static void add_projections(maker *m, bool there) {
    char buffer[32];
    begin(m, KI_PROJECTION);
    for (int i = 0; there && i < m->system->n_v; i++)
        add(m, "d.", ki_velocity_name(m->system, i, buffer), "", false, "1");
}

/* Columns that are called the same in all systems. */
static void add_fixed(maker *m, ki_group group, bool there, const char *const *names, const char *unit) {
    begin(m, group);
    for (int i = 0; there && names[i]; i++)
        add(m, "", names[i], "", false, unit);
}

/* Corrections mix coordinates, or multipliers. */
static void add_newton(maker *m, bool there) {
    static const char *const NEWTON[][2] = {{"newton_iterations", "1"},
                                            {"newton_correction_q", ""},
                                            {"newton_correction_lambda", ""},
                                            {"condition", "1"}};
    begin(m, KI_NEWTON);
    for (int i = 0; there && i < 4; i++)
        add(m, "", NEWTON[i][0], "", false, NEWTON[i][1]);
}

const char *ki_violation_unit(const keel_system *system, keel_unit_of level, char buffer[KEEL_UNIT]) {
    int rows = level == KEEL_UNIT_CONSTRAINT ? system->n_h : keel_system_m(system);
    char other[KEEL_UNIT];
    const char *common = rows ? keel_system_unit(system, level, 0, buffer) : "";
    for (int i = 1; i < rows; i++)
        if (strcmp(keel_system_unit(system, level, i, other), common) != 0)
            return "";
    return common;
}

static void add_violations(maker *m) {
    char buffer[KEEL_UNIT];
    begin(m, KI_VIOLATION);
    add(m, "", "position_violation", "", false, ki_violation_unit(m->system, KEEL_UNIT_CONSTRAINT, buffer));
    add(m, "", "velocity_violation", "", false, ki_violation_unit(m->system, KEEL_UNIT_RATE, buffer));
}

keel_status ki_columns_make(const keel_system *sys, const ki_optional *has, ki_arena *arena,
                            ki_columns *columns) {
    static const char *const ENERGY[] = {"energy", "energy_drift", NULL};
    static const char *const AUDIT[] = {"energy_integrator", "energy_projection", "energy_projection_1",
                                        "energy_projection_2", NULL};
    char buffer[KEEL_UNIT];
    int most = 13 + sys->n_q + 3 * sys->n_v + sys->n_z + sys->n_s + keel_system_m(sys) + sys->n_outputs;
    bool rate = ki_velocity_is_rate(sys);
    *columns = (ki_columns){.column = KI_NEW(arena, ki_column, most)};
    if (!columns->column)
        return KEEL_ERROR_MEMORY;
    maker m = {sys, arena, columns, KI_TIME};
    const char *energy = keel_system_unit(sys, KEEL_UNIT_ENERGY, 0, buffer);
    add_fixed(&m, KI_TIME, true, (const char *const[]){"t", NULL},
              keel_system_unit(sys, KEEL_UNIT_TIME, 0, buffer));
    add_vector(&m, &(vector){KI_COORDINATE, KEEL_NAME_Q, KEEL_UNIT_Q, sys->n_q, "", NULL});
    add_velocities(&m, KI_VELOCITY, KEEL_UNIT_V, rate ? "'" : "");
    add_vector(&m, &(vector){KI_STATE, KEEL_NAME_Z, KEEL_UNIT_Z, sys->n_z, "", NULL});
    add_vector(&m, &(vector){KI_AUXILIARY, KEEL_NAME_S, KEEL_UNIT_S, sys->n_s, "", NULL});
    add_vector(&m, &(vector){KI_MULTIPLIER, KEEL_NAME_CONSTRAINT, KEEL_UNIT_MULTIPLIER, keel_system_m(sys),
                             "lambda.", has->shared});
    add_projections(&m, has->projections);
    add_vector(
        &m, &(vector){KI_OUTPUT, KEEL_NAME_OUTPUT, KEEL_UNIT_OUTPUT, sys->n_outputs, "", has->output_shared});
    add_fixed(&m, KI_ENERGY, sys->has_energy, ENERGY, energy);
    add_fixed(&m, KI_AUDIT, has->audit, AUDIT, energy);
    add_newton(&m, has->newton);
    add_violations(&m);
    begin(&m, KI_ACCELERATION);
    if (has->accelerations)
        add_velocities(&m, KI_ACCELERATION, KEEL_UNIT_V_RATE, rate ? "''" : "'");
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
