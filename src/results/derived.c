#include "results/derived.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/mechanism.h"
#include "keel/mobility.h"
#include "run/columns.h"

/* Up to this number of entries of J it is found out which reactions are shared (docs/redundancy.md). */
#define MOST_RANK_ENTRIES 1e5

keel_point ki_record_point(const keel_record *record, long row, const double **v_rate) {
    const int *at = record->columns.at;
    const double *values = ki_series_row(&record->rows, row);
    *v_rate = at[KI_GROUPS] > at[KI_ACCELERATION] ? values + at[KI_ACCELERATION] : NULL;
    return (keel_point){.t = values[0],
                        .q = values + at[KI_COORDINATE],
                        .v = values + at[KI_VELOCITY],
                        .z = values + at[KI_STATE],
                        .s = values + at[KI_AUXILIARY],
                        .lambda = values + at[KI_MULTIPLIER]};
}

static bool has_accelerations(const keel_record *record) {
    return record->columns.at[KI_GROUPS] > record->columns.at[KI_ACCELERATION];
}

/* Joints whose reactions can be told; 0 if there are none. */
static int reaction_joints(const keel_record *record) {
    keel_mechanism_facts facts;
    if (!has_accelerations(record) || !keel_mechanism_look(record->system, &facts))
        return 0;
    return facts.joints;
}

int ki_derived_count(const keel_record *record) {
    const keel_system *sys = record->system;
    return record->fits ? sys->n_h + keel_system_m(sys) + 2 * reaction_joints(record) : 0;
}

static char *join(ki_arena *arena, const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = ki_arena_alloc(arena, size, 1);
    if (text)
        snprintf(text, size, "%s%s", a, b);
    return text;
}

/* Phi of holonomic rows under their name, rates under the name with a prime; Psi under its name. */
static void name_violations(const keel_system *sys, ki_derived *out) {
    char buffer[32], text[KEEL_UNIT];
    int m = keel_system_m(sys);
    for (int i = 0; i < sys->n_h + m; i++) {
        bool rate = i >= sys->n_h;
        int row = rate ? i - sys->n_h : i;
        const char *name = keel_system_name(sys, KEEL_NAME_CONSTRAINT, row, buffer);
        out->column[i].name = join(&out->arena, name, rate && row < sys->n_h ? "'" : "");
        out->column[i].group = "violation";
        const char *unit = keel_system_unit(sys, rate ? KEEL_UNIT_RATE : KEEL_UNIT_CONSTRAINT, row, text);
        out->column[i].unit = join(&out->arena, unit, "");
    }
}

/* 1 for every joint whose reaction is shared with others; left alone where that is not known. */
static keel_status find_shared(const keel_record *record, int joints, ki_derived_column *columns) {
    const double *v_rate;
    keel_point first = ki_record_point(record, 0, &v_rate);
    const keel_system *sys = record->system;
    keel_state *state = keel_state_new(sys);
    keel_mobility mobility;
    if (!state)
        return KEEL_ERROR_MEMORY;
    state->t = first.t;
    memcpy(state->q, first.q, (size_t)sys->n_q * sizeof(double));
    memcpy(state->v, first.v, (size_t)sys->n_v * sizeof(double));
    keel_status status = keel_mobility_find(sys, state, MOST_RANK_ENTRIES, &mobility);
    if (status >= 0) {
        for (int j = 0; mobility.known && j < joints; j++)
            columns[2 * j].shared = columns[2 * j + 1].shared = mobility.shared[j];
        keel_mobility_clear(&mobility);
    }
    keel_state_free(state);
    return status == KEEL_ERROR_MEMORY ? status : KEEL_OK; /* a report does without, otherwise */
}

static keel_status name_reactions(const keel_record *record, int joints, ki_derived *out) {
    ki_derived_column *columns = out->column + record->system->n_h + keel_system_m(record->system);
    for (int j = 0; j < joints; j++) {
        const char *name = keel_mechanism_joint_name(record->system, j);
        columns[2 * j].name = join(&out->arena, name, ".force");
        columns[2 * j + 1].name = join(&out->arena, name, ".torque");
        columns[2 * j].group = columns[2 * j + 1].group = "reaction";
        columns[2 * j].unit = "N";
        columns[2 * j + 1].unit = "N m";
    }
    return joints ? find_shared(record, joints, columns) : KEEL_OK;
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Scratch of one evaluation. */
typedef struct evaluation {
    double *Phi, *rate;
    keel_reaction *reactions;
} evaluation;

static keel_status derive_row(const keel_record *record, void *work, long row, long k, evaluation *e,
                              int joints, ki_derived *out) {
    const keel_system *sys = record->system;
    const double *v_rate;
    int m = keel_system_m(sys);
    keel_point at = ki_record_point(record, row, &v_rate);
    keel_terms terms = {.Phi = e->Phi, .rate = e->rate};
    unsigned what = (sys->n_h ? KEEL_POSITION : 0u) | (m ? KEEL_VELOCITY : 0u);
    keel_status status = what ? sys->evaluate(sys, work, what, &at, &terms) : KEEL_OK;
    if (status < 0)
        return status;
    for (int i = 0; i < sys->n_h; i++)
        out->column[i].data[k] = e->Phi[i];
    for (int i = 0; i < m; i++)
        out->column[sys->n_h + i].data[k] = e->rate[i];
    if (joints)
        status = keel_mechanism_reactions(sys, work, &at, v_rate, e->reactions);
    ki_derived_column *column = out->column + sys->n_h + m;
    for (int j = 0; j < joints && status >= 0; j++) {
        column[2 * j].data[k] = length(e->reactions[j].force);
        column[2 * j + 1].data[k] = length(e->reactions[j].torque);
    }
    return status;
}

static double largest(const ki_derived_column *column, long rows) {
    double most = 0;
    for (long k = 0; k < rows; k++)
        most = fmax(most, column->data[k]);
    return most;
}

/* Torques of joints that turn freely are round-off, forces of gears nothing at all: not shown. A joint that
 * shares with others may have nothing of what they have, which is worth telling. */
static void silence(ki_derived *out, int first, long rows) {
    double most = 0;
    bool shared[2] = {false, false}; /* forces, torques: some that are shared are not zero */
    for (int i = first; i < out->count; i++)
        most = fmax(most, largest(&out->column[i], rows));
    for (int i = first; i < out->count; i++) {
        ki_derived_column *c = &out->column[i];
        c->zero = largest(c, rows) <= 1e-9 * most;
        shared[(i - first) % 2] |= c->shared && !c->zero;
    }
    for (int i = first; i < out->count; i++) {
        ki_derived_column *c = &out->column[i];
        c->silent = c->zero && !(c->shared && shared[(i - first) % 2]);
    }
}

keel_status ki_derive(const keel_record *record, void *work, const long *pick, long rows, ki_derived *out) {
    int joints = reaction_joints(record), m = keel_system_m(record->system);
    *out = (ki_derived){.count = ki_derived_count(record)};
    ki_arena_init(&out->arena);
    out->column = KI_NEW(&out->arena, ki_derived_column, out->count);
    for (int i = 0; i < out->count && out->column; i++)
        out->column[i].data = KI_NEW(&out->arena, double, rows);
    evaluation e = {.Phi = KI_NEW(&out->arena, double, record->system->n_h),
                    .rate = KI_NEW(&out->arena, double, m),
                    .reactions = KI_NEW(&out->arena, keel_reaction, joints)};
    if (out->arena.failed)
        return KEEL_ERROR_MEMORY;
    name_violations(record->system, out);
    keel_status status = name_reactions(record, joints, out);
    for (long k = 0; k < rows && status >= 0; k++)
        status = derive_row(record, work, pick[k], k, &e, joints, out);
    silence(out, record->system->n_h + m, rows);
    return out->arena.failed ? KEEL_ERROR_MEMORY : status < 0 ? status : KEEL_OK;
}

void ki_derived_clear(ki_derived *derived) {
    ki_arena_free(&derived->arena);
    *derived = (ki_derived){0};
}
