/* results_fixture.h - a system and a result made of known numbers, with awkward names. */
#ifndef TEST_RESULTS_FIXTURE_H
#define TEST_RESULTS_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/results.h"

/* Two coordinates, one state, one auxiliary, two constraints, one output. */
static inline keel_system fixture_system(void) {
    static const char *const q[] = {"x", "y[1,2]"}, *const z[] = {"motor"}, *const s[] = {"contact"};
    static const char *const constraint[] = {"rod", "say \"hi\""}, *const output[] = {"angle"};
    static const char *const invariant[] = {"momentum"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_z = system.n_s = 1;
    system.n_h = system.n_n = 1;
    system.n_outputs = 1;
    system.has_energy = 1;
    system.names.q = q;
    system.names.z = z;
    system.names.s = s;
    system.names.constraint = constraint;
    system.names.output = output;
    system.n_i = 1;
    system.names.invariant = invariant;
    static const char *const unit[] = {"m", NULL}, *const row[] = {"m", "rad/s"}, *const degrees[] = {"deg"};
    system.units.q = unit;
    system.units.constraint = row;
    system.units.output = degrees;
    system.units.energy = "J";
    return system;
}

static inline keel_row fixture_row(double t) {
    static const double q[] = {0.1, -1}, v[] = {2, 1e-300}, z[] = {3}, s[] = {4}, lambda[] = {5, 1.0 / 3};
    static const double v_rate[] = {6, 7}, outputs[] = {8};
    return (keel_row){.t = t,
                      .q = q,
                      .v = v,
                      .z = z,
                      .s = s,
                      .lambda = lambda,
                      .v_rate = v_rate,
                      .outputs = outputs,
                      .position_violation = 1e-16,
                      .velocity_violation = 2e-16,
                      .energy = -9.5,
                      .energy_drift = 1e-12};
}

/* A finished run; keel_result_clear frees it. */
static inline keel_result fixture_result(const keel_system *system) {
    keel_row row = fixture_row(10);
    keel_result result = {
        .status = KEEL_OK, .has_energy = 1, .rank = 2, .rank_gap = INFINITY, .cpu_seconds = 0.25};
    result.method = (keel_method){KEEL_RK4, KEEL_INDEX1, KEEL_PROJECTION, 0};
    result.final = keel_state_new(system);
    result.final->t = row.t;
    memcpy(result.final->q, row.q, 2 * sizeof(double));
    memcpy(result.final->v, row.v, 2 * sizeof(double));
    memcpy(result.final->z, row.z, sizeof(double));
    memcpy(result.final->s, row.s, sizeof(double));
    memcpy(result.final->lambda, row.lambda, 2 * sizeof(double));
    result.v_rate = malloc(2 * sizeof(double));
    memcpy(result.v_rate, row.v_rate, 2 * sizeof(double));
    result.outputs = malloc(sizeof(double));
    *result.outputs = *row.outputs;
    result.position =
        (keel_violation){.max = 3e-16, .final = 1e-16, .max_scaled = 2e-16, .time = 4.5, .worst = 0};
    result.velocity =
        (keel_violation){.max = 5e-16, .final = 2e-16, .max_scaled = 4e-16, .time = 5.5, .worst = 1};
    result.energy_initial = -9.5;
    result.energy_final = -9.25;
    result.energy_drift = 1e-12;
    result.energy_size = 10;
    result.energy_drift_max = 2e-12;
    result.audit = (keel_audit){0.5, -0.375, 0.125, -0.25};
    result.gains = 4;
    result.losses = 6;
    result.correction_position = 1e-9;
    result.correction_velocity = 2e-9;
    result.gap_smallest = 0.125;
    result.gap_time = 6.5;
    result.shared = calloc(2, sizeof(int));
    result.shared[1] = 1;
    result.events = calloc(2, sizeof(keel_event));
    result.events[0] = (keel_event){2.5, KEEL_EVENT_SINGULAR, "singular pose: rank 2 before, 1 at, 2 after"};
    result.events[1] = (keel_event){3.5, KEEL_EVENT_PARTITION, "independent velocities: x'"};
    result.event_count = 2;
    result.events_dropped = 7;
    result.invariants = calloc(1, sizeof(keel_invariant));
    result.invariants[0] = (keel_invariant){2.5, 2.75, 0.25, 0.5};
    result.count = (keel_counts){.steps = 11,
                                 .rejected = 12,
                                 .evaluations = 13,
                                 .jacobians = 17,
                                 .factorizations = 22,
                                 .projections = 15,
                                 .projection_factorizations = 18,
                                 .rows = 16};
    return result;
}

/* What was written to a temporary file, as a string to be freed. */
static inline char *fixture_text(FILE *file) {
    long length = ftell(file);
    char *text = calloc(1, (size_t)length + 1);
    rewind(file);
    if (fread(text, 1, (size_t)length, file) != (size_t)length)
        abort();
    fclose(file);
    return text;
}

#endif
