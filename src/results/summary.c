#include <math.h>

#include "keel/results.h"
#include "keel/verify.h"
#include "results/code.h"
#include "results/json.h"
#include "run/columns.h"

static void write_values(ki_json *json, const char *key, const keel_system *system, keel_name_of of,
                         int count, const double *values) {
    char buffer[32];
    ki_json_open(json, key);
    for (int i = 0; i < count; i++)
        ki_json_number(json, keel_system_name(system, of, i, buffer), values[i]);
    ki_json_close(json);
}

static void write_velocities(ki_json *json, const char *key, const keel_system *system,
                             const double *values) {
    char buffer[32];
    ki_json_open(json, key);
    for (int i = 0; i < system->n_v; i++)
        ki_json_number(json, ki_velocity_name(system, i, buffer), values[i]);
    ki_json_close(json);
}

/* Checks that had something to check. */
static void write_run_verdict(ki_json *json, const keel_run_verdict *verdict) {
    keel_check failed = keel_run_verdict_failed(verdict);
    ki_json_open(json, "verdict");
    ki_json_bool(json, "ok", verdict->ok);
    ki_json_text(json, "failed", failed == KEEL_CHECKS ? NULL : keel_check_word(failed));
    ki_json_open_list(json, "checks");
    for (int i = 0; i < KEEL_CHECKS; i++) {
        const keel_judgement *judgement = &verdict->check[i];
        if (!judgement->made)
            continue;
        ki_json_open(json, NULL);
        ki_json_text(json, "check", keel_check_word((keel_check)i));
        ki_json_bool(json, "ok", judgement->ok);
        ki_json_number(json, "value", judgement->value);
        ki_json_number(json, "limit", judgement->limit);
        ki_json_text(json, "promise", judgement->promise);
        ki_json_text(json, "text", judgement->text);
        ki_json_close(json);
    }
    ki_json_close_list(json);
    ki_json_close(json);
}

static void write_method(ki_json *json, const keel_result *result) {
    keel_method method = result->method;
    ki_json_open(json, "method");
    ki_json_text(json, "integrator", keel_integrator_word(method.integrator).name);
    ki_json_text(json, "formulation", keel_formulation_word(method.formulation).name);
    ki_json_text(json, "stabilize", keel_stabilize_word(method.stabilize).name);
    ki_json_text(json, "reason", result->method_reason);
    ki_json_close(json);
}

/* null when the run ended before there was a state. */
static void write_final(ki_json *json, const keel_system *system, const keel_result *result) {
    const keel_state *final = result->final;
    if (!final) {
        ki_json_text(json, "final", NULL);
        return;
    }
    ki_json_open(json, "final");
    ki_json_number(json, "t", final->t);
    write_values(json, "q", system, KEEL_NAME_Q, system->n_q, final->q);
    write_velocities(json, "v", system, final->v);
    if (result->v_rate)
        write_velocities(json, "v_rate", system, result->v_rate);
    else
        ki_json_text(json, "v_rate", NULL);
    write_values(json, "z", system, KEEL_NAME_Z, system->n_z, final->z);
    write_values(json, "s", system, KEEL_NAME_S, system->n_s, final->s);
    write_values(json, "lambda", system, KEEL_NAME_CONSTRAINT, keel_system_m(system), final->lambda);
    write_values(json, "outputs", system, KEEL_NAME_OUTPUT, result->outputs ? system->n_outputs : 0,
                 result->outputs);
    ki_json_close(json);
}

/* null when nobody asked for it. */
static void write_verification(ki_json *json, const keel_system *system, const keel_verification *found) {
    char method[64], buffer[64];
    if (!found) {
        ki_json_text(json, "verify", NULL);
        return;
    }
    ki_json_open(json, "verify");
    ki_json_bool(json, "verified", found->verified && !found->parted);
    ki_json_text(json, "reason", found->reason[0] ? found->reason : NULL);
    ki_json_number(json, "t", found->t);
    ki_json_number(json, "tolerance", found->tolerance);
    ki_json_open_list(json, "methods");
    for (int i = 0; i < 2; i++)
        ki_json_text(json, NULL,
                     found->method[i].automatic ? "auto" : keel_method_text(found->method[i], method));
    ki_json_close_list(json);
    ki_json_number(json, "largest_q", found->verified ? found->largest_q : NAN);
    ki_json_number(json, "largest_v", found->verified ? found->largest_v : NAN);
    ki_json_open(json, "parted");
    ki_json_number(json, "t", found->parted ? found->parted_time : NAN);
    ki_json_text(json, "coordinate",
                 found->parted ? keel_verification_parted_in(system, found, buffer) : NULL);
    ki_json_number(json, "growth_time", found->parted ? found->growth_time : NAN);
    ki_json_close(json);
    ki_json_open(json, "errors");
    if (found->verified) {
        write_values(json, "q", system, KEEL_NAME_Q, system->n_q, found->final.q);
        write_velocities(json, "v", system, found->final.v);
        write_values(json, "z", system, KEEL_NAME_Z, system->n_z, found->final.z);
        write_values(json, "lambda", system, KEEL_NAME_CONSTRAINT, keel_system_m(system),
                     found->final.lambda);
        write_values(json, "outputs", system, KEEL_NAME_OUTPUT, system->n_outputs, found->final.outputs);
    }
    ki_json_close(json);
    ki_json_close(json);
}

static void write_violation(ki_json *json, const char *key, const keel_system *system,
                            const keel_violation *violation) {
    char buffer[32];
    ki_json_open(json, key);
    ki_json_number(json, "max", violation->max);
    ki_json_number(json, "final", violation->final);
    ki_json_text(json, "worst", ki_worst_name(system, violation, buffer));
    ki_json_number(json, "time", violation->time);
    ki_json_number(json, "max_scaled", violation->max_scaled);
    ki_json_close(json);
}

static void write_energy(ki_json *json, const keel_result *result) {
    if (!result->has_energy) {
        ki_json_text(json, "energy", NULL);
        return;
    }
    ki_json_open(json, "energy");
    ki_json_number(json, "initial", result->energy_initial);
    ki_json_number(json, "final", result->energy_final);
    ki_json_number(json, "drift", result->energy_drift);
    ki_json_number(json, "drift_max", result->energy_drift_max);
    ki_json_close(json);
}

static void write_audit(ki_json *json, const keel_result *result) {
    const keel_audit *audit = &result->audit;
    if (!result->has_energy) {
        ki_json_text(json, "audit", NULL);
        return;
    }
    ki_json_open(json, "audit");
    ki_json_number(json, "integrator", audit->integrator);
    ki_json_number(json, "projection", audit->projection);
    ki_json_number(json, "projection_1", audit->projection_1);
    ki_json_number(json, "projection_2", audit->projection_2);
    ki_json_integer(json, "gains", result->gains);
    ki_json_integer(json, "losses", result->losses);
    ki_json_close(json);
}

static void write_invariants(ki_json *json, const keel_system *system, const keel_result *result) {
    char buffer[32];
    ki_json_open_list(json, "invariants");
    for (int i = 0; result->invariants && i < system->n_i; i++) {
        const keel_invariant *invariant = &result->invariants[i];
        ki_json_open(json, NULL);
        ki_json_text(json, "name", keel_system_name(system, KEEL_NAME_INVARIANT, i, buffer));
        ki_json_number(json, "initial", invariant->initial);
        ki_json_number(json, "final", invariant->final);
        ki_json_number(json, "drift", invariant->drift);
        ki_json_number(json, "drift_max", invariant->drift_max);
        ki_json_close(json);
    }
    ki_json_close_list(json);
}

/* A rank below 0 is not known. */
static void write_rank(ki_json *json, const keel_system *system, const keel_result *result) {
    ki_json_open(json, "rank");
    if (result->rank >= 0)
        ki_json_integer(json, "rank", result->rank);
    else
        ki_json_text(json, "rank", NULL);
    ki_json_integer(json, "constraints", keel_system_m(system));
    ki_json_number(json, "gap", result->rank_gap);
    ki_json_close(json);
}

/* null when all constraints are held. */
static void write_repeated(ki_json *json, const keel_system *system, const keel_result *result) {
    if (result->repeated_count == 0) {
        ki_json_text(json, "repeated", NULL);
        return;
    }
    char buffer[32];
    const keel_violation *repeated = &result->repeated;
    ki_json_open(json, "repeated");
    ki_json_integer(json, "count", result->repeated_count);
    ki_json_number(json, "max", repeated->max);
    ki_json_number(json, "final", repeated->final);
    ki_json_text(json, "worst", ki_worst_name(system, repeated, buffer));
    ki_json_number(json, "time", repeated->time);
    ki_json_number(json, "max_scaled", repeated->max_scaled);
    ki_json_close(json);
}

static void write_notes(ki_json *json, const keel_result *result) {
    ki_json_open_list(json, "notes");
    for (int i = 0; i < result->note_count; i++)
        ki_json_text(json, NULL, result->notes[i]);
    ki_json_close_list(json);
}

/* null when the poses were not watched. */
static void write_gap(ki_json *json, const keel_result *result) {
    if (!ki_gap_is_known(result)) {
        ki_json_text(json, "gap", NULL);
        return;
    }
    ki_json_open(json, "gap");
    ki_json_number(json, "smallest", result->gap_smallest);
    ki_json_number(json, "time", result->gap_time);
    ki_json_close(json);
}

/* Outputs that depend on how shared multipliers are shared, by name. */
static void write_shared_outputs(ki_json *json, const keel_system *system, const keel_result *result) {
    char buffer[32];
    ki_json_open_list(json, "shared_outputs");
    for (int i = 0; result->output_shared && i < system->n_outputs; i++)
        if (result->output_shared[i])
            ki_json_text(json, NULL, keel_system_name(system, KEEL_NAME_OUTPUT, i, buffer));
    ki_json_close_list(json);
}

/* Constraints whose multiplier is shared, by name; null when that is not known. */
static void write_shared(ki_json *json, const keel_system *system, const keel_result *result) {
    char buffer[32];
    if (!result->shared && keel_system_m(system)) {
        ki_json_text(json, "shared", NULL);
        return;
    }
    ki_json_open_list(json, "shared");
    for (int i = 0; i < keel_system_m(system); i++)
        if (result->shared[i])
            ki_json_text(json, NULL, keel_system_name(system, KEEL_NAME_CONSTRAINT, i, buffer));
    ki_json_close_list(json);
}

static void write_events(ki_json *json, const keel_result *result) {
    ki_json_open_list(json, "events");
    for (int i = 0; i < result->event_count; i++) {
        const keel_event *event = &result->events[i];
        ki_json_open(json, NULL);
        ki_json_number(json, "t", event->t);
        ki_json_text(json, "kind", ki_event_word(event->kind));
        ki_json_text(json, "text", event->text);
        ki_json_close(json);
    }
    ki_json_close_list(json);
    ki_json_integer(json, "events_dropped", result->events_dropped);
}

static void write_counts(ki_json *json, const keel_counts *count) {
    ki_json_open(json, "count");
    ki_json_integer(json, "steps", count->steps);
    ki_json_integer(json, "rejected", count->rejected);
    ki_json_integer(json, "evaluations", count->evaluations);
    ki_json_integer(json, "jacobians", count->jacobians);
    ki_json_integer(json, "factorizations", count->factorizations);
    ki_json_number(json, "factorizations_per_step", ki_factorizations_per_step(count));
    ki_json_integer(json, "projections", count->projections);
    ki_json_integer(json, "projection_factorizations", count->projection_factorizations);
    ki_json_integer(json, "rows", count->rows);
    ki_json_integer(json, "switches", count->switches);
    ki_json_close(json);
}

keel_status keel_summary_write(FILE *file, const char *model_name, const keel_system *system,
                               const keel_result *result, const char *message) {
    if (!file || !system || !result)
        return KEEL_ERROR_INPUT;
    ki_json json = {.file = file};
    ki_json_open(&json, NULL);
    ki_json_text(&json, "keel", keel_version());
    ki_json_text(&json, "model", model_name);
    ki_json_text(&json, "status", keel_status_word(result->status));
    ki_json_text(&json, "message", message);
    write_run_verdict(&json, &result->verdict);
    write_method(&json, result);
    ki_json_text(&json, "code", ki_code_of(result));
    write_final(&json, system, result);
    write_verification(&json, system, result->verification);

    ki_json_open(&json, "violation");
    write_violation(&json, "position", system, &result->position);
    write_violation(&json, "velocity", system, &result->velocity);
    ki_json_close(&json);

    write_energy(&json, result);
    write_audit(&json, result);
    write_invariants(&json, system, result);

    ki_json_open(&json, "start");
    ki_json_number(&json, "position_moved", result->start_position_moved);
    ki_json_number(&json, "velocity_moved", result->start_velocity_moved);
    ki_json_close(&json);

    ki_json_open(&json, "correction");
    ki_json_number(&json, "position", result->correction_position);
    ki_json_number(&json, "velocity", result->correction_velocity);
    ki_json_close(&json);

    write_rank(&json, system, result);
    write_repeated(&json, system, result);
    write_shared(&json, system, result);
    write_shared_outputs(&json, system, result);
    write_gap(&json, result);
    write_events(&json, result);
    write_notes(&json, result);
    write_counts(&json, &result->count);
    ki_json_number(&json, "cpu_seconds", result->cpu_seconds);
    ki_json_close(&json);
    return fflush(file) || ferror(file) ? KEEL_ERROR_IO : KEEL_OK;
}
