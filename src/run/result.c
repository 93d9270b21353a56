/* result.c - what a run reports, as of now. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/events.h"
#include "run/judge.h"
#include "run/past.h"

/* A copy of n doubles that the result owns. */
static double *owned(const double *x, int n, keel_status *status) {
    double *copy = calloc((size_t)n + 1, sizeof *copy);
    if (!copy)
        *status = KEEL_ERROR_MEMORY;
    else
        memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

static double root_mean(double sum, long count) {
    return count ? sqrt(sum / (double)count) : 0;
}

keel_status ki_copy_notes(const keel_diagnostics *diagnostics, keel_result *result) {
    int count = diagnostics ? keel_diagnostics_count(diagnostics) : 0;
    result->notes = calloc((size_t)count + 1, sizeof *result->notes);
    if (!result->notes)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        keel_diagnostic message = keel_diagnostics_get(diagnostics, i);
        if (message.severity == KEEL_ERROR)
            continue;
        char **note = &result->notes[result->note_count];
        *note = malloc(strlen(message.text) + 1);
        if (!*note)
            return KEEL_ERROR_MEMORY;
        strcpy(*note, message.text);
        result->note_count++;
    }
    return KEEL_OK;
}

/* Copies of the lists that the result owns. */
static keel_status copy_lists(const keel_simulation *sim, keel_result *result) {
    size_t events = (size_t)sim->event_count, m = (size_t)keel_system_m(sim->system);
    size_t invariants = (size_t)sim->system->n_i;
    result->events = calloc(events + 1, sizeof *result->events);
    result->shared = sim->shared ? calloc(m + 1, sizeof *result->shared) : NULL;
    size_t outputs = (size_t)sim->system->n_outputs;
    result->output_shared = sim->output_shared ? calloc(outputs + 1, sizeof *result->output_shared) : NULL;
    result->invariants = calloc(invariants + 1, sizeof *result->invariants);
    if (!result->events || !result->invariants || (sim->shared && !result->shared) ||
        (sim->output_shared && !result->output_shared))
        return KEEL_ERROR_MEMORY;
    if (sim->output_shared)
        memcpy(result->output_shared, sim->output_shared, outputs * sizeof *result->output_shared);
    memcpy(result->invariants, sim->invariants, invariants * sizeof *result->invariants);
    for (int i = 0; i < sim->event_count; i++)
        ki_write_event(sim, i, &result->events[i]);
    if (sim->shared)
        memcpy(result->shared, sim->shared, m * sizeof *result->shared);
    return ki_copy_notes(sim->diagnostics, result);
}

static keel_status copy_final(keel_simulation *sim, keel_result *result) {
    const keel_system *sys = sim->system;
    keel_row row;
    keel_status status = keel_simulation_row(sim, sim->integrator->t, &row);
    if (status)
        return status;
    result->energy_final = row.energy;
    result->final = keel_state_new(sys);
    result->v_rate = owned(row.v_rate, sys->n_v, &status);
    result->outputs = owned(row.outputs, sys->n_outputs, &status);
    if (!result->final || status)
        return KEEL_ERROR_MEMORY;
    keel_state view = {row.t,           (double *)row.q, (double *)row.v,
                       (double *)row.z, (double *)row.s, (double *)row.lambda};
    keel_state_copy(sys, result->final, &view);
    return KEEL_OK;
}

keel_status keel_simulation_result(keel_simulation *sim, keel_result *result) {
    if (!sim || !result) {
        if (result)
            *result = (keel_result){0};
        return KEEL_ERROR_INPUT;
    }
    if (sim->goes_on) { /* a row is a part of the result */
        ki_past_add_row(sim->past, keel_simulation_time(sim));
        sim = sim->goes_on;
    }
    const ki_integrator *in = sim->integrator;
    *result =
        (keel_result){.method = sim->settings.method,
                      .method_reason = sim->method_reason,
                      .system = sim->system,
                      .position = ki_worse_violation(&sim->position, &sim->position_in_pose),
                      .velocity = ki_worse_violation(&sim->velocity, &sim->velocity_in_pose),
                      .repeated = sim->held.repeated,
                      .repeated_count = sim->held.selection ? sim->held.look.m - sim->held.look.rank : 0,
                      .has_energy = sim->system->has_energy,
                      .energy_initial = sim->energy_initial,
                      .energy_final = sim->energy_final,
                      .energy_drift = sim->energy_drift,
                      .energy_drift_max = sim->energy_drift_max,
                      .energy_size = sim->audit.size,
                      .audit = sim->audit.sum,
                      .gains = sim->audit.gains,
                      .losses = sim->audit.losses,
                      .start_position_moved = sim->start_position_moved,
                      .start_velocity_moved = sim->start_velocity_moved,
                      .correction_position = root_mean(in->moved_position, in->steps),
                      .correction_velocity = root_mean(in->moved_velocity, in->steps),
                      .event_count = sim->event_count,
                      .events_dropped = sim->events_dropped,
                      .gap_smallest = sim->watch.active ? sim->watch.smallest : -1,
                      .gap_time = sim->watch.smallest_time,
                      .rank = sim->rank,
                      .rank_gap = sim->rank_gap};
    result->count = (keel_counts){.steps = in->steps,
                                  .rejected = in->rejected,
                                  .evaluations = sim->dynamics.evaluations,
                                  .jacobians = in->jacobians,
                                  .factorizations = sim->dynamics.factorizations,
                                  .projections = sim->dynamics.projections,
                                  .projection_factorizations = sim->dynamics.projection_factorizations,
                                  .switches = sim->switching.met};
    keel_status status = copy_lists(sim, result);
    if (!status)
        status = copy_final(sim, result);
    ki_judge_run(sim, result); /* last: the row at the end has been seen too */
    return status;
}

void keel_result_clear(keel_result *result) {
    if (!result)
        return;
    keel_state_free(result->final);
    free(result->v_rate);
    free(result->outputs);
    free(result->events);
    free(result->shared);
    free(result->output_shared);
    free(result->invariants);
    for (int i = 0; i < result->note_count; i++)
        free(result->notes[i]);
    free(result->notes);
    *result = (keel_result){0};
}
