#include "results/verdict_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "run/columns.h"

keel_status ki_energy_scale_init(ki_energy_scale *scale, const keel_system *system) {
    keel_pattern P = system->M;
    *scale = (ki_energy_scale){.system = system};
    if (!system->has_energy || P.rows == 0)
        return KEEL_OK;
    scale->M = calloc((size_t)P.start[P.rows] + 1, sizeof *scale->M);
    if (!scale->M)
        return KEEL_ERROR_MEMORY;
    return system->work_new ? system->work_new(system, &scale->work) : KEEL_OK;
}

/* v^T M v / 2 with the lower triangle of M */
void ki_energy_scale_show(ki_energy_scale *scale, const keel_point *at) {
    const keel_system *sys = scale->system;
    keel_terms terms = {.M = scale->M};
    double T = 0;
    if (!scale->M || sys->evaluate(sys, scale->work, KEEL_MASS, at, &terms) < 0)
        return;
    for (int i = 0; i < sys->M.rows; i++)
        for (int k = sys->M.start[i]; k < sys->M.start[i + 1]; k++) {
            int j = sys->M.index[k];
            T += (i == j ? 0.5 : 1) * scale->M[k] * at->v[i] * at->v[j];
        }
    if (T > scale->kinetic)
        scale->kinetic = T;
}

void ki_energy_scale_clear(ki_energy_scale *scale) {
    if (scale->work && scale->system->work_free)
        scale->system->work_free(scale->work);
    free(scale->M);
    *scale = (ki_energy_scale){0};
}

/* A million times too large is no drift any more: the run went astray. */
ki_hold ki_hold_of(double relative) {
    static const double ASTRAY = 1e6;
    return relative <= 1 ? KI_HELD : relative <= ASTRAY ? KI_OFF : KI_BEYOND;
}

void ki_write_finished(ki_json *json, int finished) {
    if (finished < 0)
        ki_json_text(json, "finished", NULL);
    else
        ki_json_bool(json, "finished", finished);
}

void ki_judge(ki_json *json, bool ok, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ki_json_open(json, NULL);
    ki_json_bool(json, "ok", ok);
    ki_json_text(json, "text", text);
    ki_json_close(json);
}

void ki_fact(ki_json *json, const char *label, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ki_json_open_list(json, NULL);
    ki_json_text(json, NULL, label);
    ki_json_text(json, NULL, text);
    ki_json_close_list(json);
}

/* " m" for what is measured in metres; empty if there is no unit, or none is known. */
static const char *behind_number(const char *unit, char text[KEEL_UNIT + 1]) {
    bool shown = unit[0] && strcmp(unit, "1") != 0;
    snprintf(text, KEEL_UNIT + 1, "%s%s", shown ? " " : "", shown ? unit : "");
    return text;
}

static const char *unit_text(const keel_system *system, keel_unit_of of, int i, char text[KEEL_UNIT + 1]) {
    char buffer[KEEL_UNIT];
    return behind_number(keel_system_unit(system, of, i, buffer), text);
}

static const char *time_text(const keel_system *system, char text[KEEL_UNIT + 1]) {
    return unit_text(system, KEEL_UNIT_TIME, 0, text);
}

/* A level of the constraints: what it is called, and the kind of its unit. */
typedef struct level {
    const char *what, *held, *fact, *key;
    keel_unit_of unit;
} level;
static const level POSITION = {"constraints", "held", "position violation", "position", KEEL_UNIT_CONSTRAINT};
static const level VELOCITY = {"velocities", "consistent", "velocity violation", "velocity", KEEL_UNIT_RATE};

/* Relative to the size of a constraint. */
static const double ROUND_OFF = 1e-11;

/* The largest violation has the unit of its constraint. */
static const char *worst_unit(const keel_system *system, const level *of, const keel_violation *violation,
                              char text[KEEL_UNIT + 1]) {
    text[0] = 0;
    return violation->worst < 0 ? text : unit_text(system, of->unit, violation->worst, text);
}

/* "rod of joint crank" */
static const char *worst_text(const keel_system *system, const keel_violation *violation, char *text,
                              size_t size) {
    char buffer[32];
    const char *name = ki_worst_name(system, violation, buffer);
    const char *joint = name && system->names.joint ? system->names.joint[violation->worst] : NULL;
    snprintf(text, size, "%s%s%s", name ? name : "none", joint ? " of joint " : "", joint ? joint : "");
    return text;
}

/* Messages that begin with their time need no other. */
static void judge_end(ki_json *json, const keel_system *system, const keel_result *result,
                      const char *message) {
    char unit[KEEL_UNIT + 1];
    time_text(system, unit);
    if (result->status == KEEL_OK && result->final)
        ki_judge(json, true, "reached t = %.10g%s", result->final->t, unit);
    else if (result->final && message && strncmp(message, "t = ", 4) == 0)
        ki_judge(json, false, "stopped at %s", message);
    else if (result->final)
        ki_judge(json, false, "stopped at t = %.10g%s: %s", result->final->t, unit,
                 message ? message : keel_status_text(result->status));
    else
        ki_judge(json, false, "%s", message ? message : keel_status_text(result->status));
}

static void judge_level(ki_json *json, const keel_system *system, const keel_violation *violation,
                        const keel_judgement *judgement, const level *of) {
    char worst[300], unit[KEEL_UNIT + 1];
    worst_text(system, violation, worst, sizeof worst);
    worst_unit(system, of, violation, unit);
    if (judgement->made && !judgement->ok && ki_hold_of(violation->max_scaled) == KI_HELD) {
        ki_judge(json, false, "%s", judgement->text);
        return;
    }
    switch (ki_hold_of(violation->max_scaled)) {
    case KI_HELD:
        if (violation->max == 0)
            ki_judge(json, true, "%s exactly %s", of->what, of->held);
        else
            ki_judge(json, true, "%s %s to %.2g%s (worst: %s)", of->what, of->held, violation->max, unit,
                     worst);
        break;
    case KI_OFF:
        ki_judge(json, false, "%s not %s: off by %.2g%s (worst: %s)", of->what, of->held, violation->max,
                 unit, worst);
        break;
    case KI_BEYOND:
        ki_judge(json, false, "%s not %s: the numbers grew beyond use (worst: %s at t = %.6g%s)", of->what,
                 of->held, worst, violation->time, time_text(system, unit));
    }
}

/* Constraints that follow others are off by as much as the drawing is; a run ends where it is more. */
static void judge_repeated(ki_json *json, const keel_system *system, const keel_result *result) {
    char worst[300], unit[KEEL_UNIT + 1];
    const keel_violation *repeated = &result->repeated;
    if (repeated->worst < 0 || repeated->max_scaled <= ROUND_OFF)
        return;
    ki_judge(json, true, "%d constraint%s that repeat%s others follow%s to %.2g%s (worst: %s)",
             result->repeated_count, result->repeated_count == 1 ? "" : "s",
             result->repeated_count == 1 ? "s" : "", result->repeated_count == 1 ? "s" : "", repeated->max,
             worst_unit(system, &POSITION, repeated, unit),
             worst_text(system, repeated, worst, sizeof worst));
}

static void judge_constraints(ki_json *json, const keel_system *system, const keel_result *result) {
    if (keel_system_m(system) == 0) {
        ki_judge(json, true, "no constraints");
        return;
    }
    if (system->n_h)
        judge_level(json, system, &result->position, &result->verdict.check[KEEL_CHECK_POSITIONS], &POSITION);
    judge_repeated(json, system, result);
    judge_level(json, system, &result->velocity, &result->verdict.check[KEEL_CHECK_VELOCITIES], &VELOCITY);
}

static void judge_energy(ki_json *json, const keel_system *system, const keel_result *result,
                         const ki_energy_scale *scale) {
    char unit[KEEL_UNIT + 1];
    unit_text(system, KEEL_UNIT_ENERGY, 0, unit);
    const keel_judgement *judgement = &result->verdict.check[KEEL_CHECK_ENERGY];
    double drift = fmax(result->energy_drift_max, scale->row_drift);
    double relative = result->energy_size > 0 ? drift / result->energy_size : 0;
    if (ki_hold_of(relative) == KI_BEYOND)
        ki_judge(json, false, "energy not accounted for: the numbers grew beyond use");
    else if (judgement->made && !judgement->ok)
        ki_judge(json, false, "%s", judgement->text);
    else
        ki_judge(
            json, true,
            "energy accounted for to %.2g%s at the steps, %.2g%s at the rows (%.1g of the energies in it)",
            result->energy_drift_max, unit, scale->row_drift, unit, relative);
}

/* What needs no word unless it failed. */
static void judge_rest(ki_json *json, const keel_run_verdict *verdict) {
    static const keel_check REST[] = {KEEL_CHECK_STEPS, KEEL_CHECK_OUTPUTS};
    for (unsigned i = 0; i < sizeof REST / sizeof *REST; i++)
        if (verdict->check[REST[i]].made && !verdict->check[REST[i]].ok)
            ki_judge(json, false, "%s", verdict->check[REST[i]].text);
}

static void judge_singular(ki_json *json, const keel_result *result) {
    int count = 0;
    if (result->status != KEEL_OK)
        return;
    for (int i = 0; i < result->event_count; i++)
        count += result->events[i].kind == KEEL_EVENT_SINGULAR;
    if (count)
        ki_judge(json, true, "passed %d singular pose%s", count, count > 1 ? "s" : "");
}

/* The worst of a level, which may lie between two rows, under the name of its column. */
static void write_worst(ki_json *json, const keel_system *system, const keel_violation *violation,
                        const level *of) {
    char buffer[32], column[300], unit[KEEL_UNIT];
    const char *name = ki_worst_name(system, violation, buffer);
    bool rate = of->unit == KEEL_UNIT_RATE && violation->worst < system->n_h;
    if (!name)
        return;
    snprintf(column, sizeof column, "%s%s", name, rate ? "'" : "");
    ki_json_open(json, NULL);
    ki_json_text(json, "level", of->key);
    ki_json_text(json, "column", column);
    ki_json_number(json, "t", violation->time);
    ki_json_number(json, "value", violation->max);
    ki_json_text(json, "unit", keel_system_unit(system, of->unit, violation->worst, unit));
    ki_json_close(json);
}

static void write_all_worst(ki_json *json, const keel_system *system, const keel_result *result) {
    ki_json_open_list(json, "worst");
    if (result->final && system->n_h)
        write_worst(json, system, &result->position, &POSITION);
    if (result->final && keel_system_m(system))
        write_worst(json, system, &result->velocity, &VELOCITY);
    ki_json_close_list(json);
}

static void write_judgements(ki_json *json, const keel_system *system, const keel_result *result,
                             const char *message, const ki_energy_scale *scale) {
    ki_json_open_list(json, "verdict");
    judge_end(json, system, result, message);
    if (result->final) {
        judge_constraints(json, system, result);
        if (result->has_energy)
            judge_energy(json, system, result, scale);
        judge_rest(json, &result->verdict);
        judge_singular(json, result);
    }
    ki_json_close_list(json);
}

/* ---- facts ----------------------------------------------------------------------------------------------
 */

static void write_method(ki_json *json, const keel_result *result) {
    keel_method m = result->method;
    ki_fact(json, "method", "%s / %s / %s", keel_integrator_word(m.integrator).name,
            keel_formulation_word(m.formulation).name, keel_stabilize_word(m.stabilize).name);
    if (result->method_reason)
        ki_fact(json, "chosen because", "%s", result->method_reason);
}

static void write_counts(ki_json *json, const keel_result *result) {
    const keel_counts *c = &result->count;
    ki_fact(json, "steps", "%ld accepted, %ld rejected", c->steps, c->rejected);
    ki_fact(json, "evaluations", "%ld", c->evaluations);
    if (c->jacobians)
        ki_fact(json, "Jacobians", "%ld", c->jacobians);
    ki_fact(json, "factorizations", "%ld (%.2f a step)", c->factorizations, ki_factorizations_per_step(c));
    if (c->projections)
        ki_fact(json, "projections", "%ld", c->projections);
    ki_fact(json, "CPU time", "%.3g s", result->cpu_seconds);
}

static void write_size(ki_json *json, const keel_system *system, const keel_result *result) {
    ki_fact(json, "coordinates", "%d, velocities %d", system->n_q, system->n_v);
    ki_fact(json, "constraints", "%d holonomic, %d nonholonomic", system->n_h, system->n_n);
    if (result->rank >= 0)
        ki_fact(json, "rank", "%d of %d", result->rank, keel_system_m(system));
    char unit[KEEL_UNIT + 1];
    if (ki_gap_is_known(result))
        ki_fact(json, "smallest gap", "%.3g at t = %.6g%s (0: singular pose)", result->gap_smallest,
                result->gap_time, time_text(system, unit));
}

static void write_level(ki_json *json, const keel_system *system, const keel_violation *violation,
                        const level *of) {
    char worst[300], unit[KEEL_UNIT + 1], time[KEEL_UNIT + 1], buffer[KEEL_UNIT], all[KEEL_UNIT + 1];
    worst_unit(system, of, violation, unit);
    behind_number(ki_violation_unit(system, of->unit, buffer), all); /* at the end another may be the worst */
    if (violation->max == 0)
        ki_fact(json, of->fact, "none");
    else
        ki_fact(json, of->fact, "%.3g%s (%s, t = %.6g%s); %.3g%s at the end", violation->max, unit,
                worst_text(system, violation, worst, sizeof worst), violation->time, time_text(system, time),
                violation->final, all);
}

static void write_quality(ki_json *json, const keel_system *system, const keel_result *result,
                          const ki_energy_scale *scale) {
    char unit[KEEL_UNIT + 1];
    unit_text(system, KEEL_UNIT_ENERGY, 0, unit);
    if (system->n_h)
        write_level(json, system, &result->position, &POSITION);
    if (keel_system_m(system))
        write_level(json, system, &result->velocity, &VELOCITY);
    if (result->has_energy) {
        ki_fact(json, "energy", "%.10g%s at the start, %.10g%s at the end", result->energy_initial, unit,
                result->energy_final, unit);
        ki_fact(json, "energy drift", "%.3g%s at the end; at most %.3g%s at the steps, %.3g%s at the rows",
                result->energy_drift, unit, result->energy_drift_max, unit, scale->row_drift, unit);
    }
    if (result->correction_position != 0 || result->correction_velocity != 0)
        ki_fact(json, "correction in a step", "position %.3g, velocity %.3g (mass norm)",
                result->correction_position, result->correction_velocity);
    for (int i = 0; result->invariants && i < system->n_i; i++) {
        char buffer[32], label[80];
        snprintf(label, sizeof label, "invariant %s",
                 keel_system_name(system, KEEL_NAME_INVARIANT, i, buffer));
        ki_fact(json, label, "%.10g, drift %.3g at most", result->invariants[i].initial,
                result->invariants[i].drift_max);
    }
}

static void write_facts(ki_json *json, const keel_system *system, const keel_result *result,
                        const ki_energy_scale *scale) {
    ki_json_open_list(json, "facts");
    write_method(json, result);
    char unit[KEEL_UNIT + 1];
    if (result->final)
        ki_fact(json, "end time", "%.10g%s", result->final->t, time_text(system, unit));
    write_size(json, system, result);
    if (result->final)
        write_quality(json, system, result, scale);
    write_counts(json, result);
}

static void write_events(ki_json *json, const keel_result *result) {
    ki_json_open_list(json, "events");
    for (int i = 0; i < result->event_count; i++) {
        ki_json_open(json, NULL);
        ki_json_number(json, "t", result->events[i].t);
        ki_json_text(json, "kind", ki_event_word(result->events[i].kind));
        ki_json_text(json, "text", result->events[i].text);
        ki_json_close(json);
    }
    ki_json_close_list(json);
}

/* What the run has to tell besides: everything that was noted or warned of. */
static void write_notes(ki_json *json, const keel_result *result) {
    ki_json_open_list(json, "notes");
    for (int i = 0; i < result->note_count; i++)
        ki_json_text(json, NULL, result->notes[i]);
    ki_json_close_list(json);
}

/* The first promise that a run which reached its end has broken; null if there is none. */
static void write_broken(ki_json *json, const keel_result *result) {
    keel_check failed = keel_run_verdict_failed(&result->verdict);
    char text[400];
    bool reached = result->status == KEEL_OK && result->final;
    if (reached && failed < KEEL_CHECKS)
        snprintf(text, sizeof text, "verdict '%s': %s", keel_check_word(failed),
                 result->verdict.check[failed].text);
    ki_json_text(json, "broken", reached && failed < KEEL_CHECKS ? text : NULL);
}

void ki_write_verdict(ki_json *json, const keel_system *system, const keel_result *result,
                      const char *message, const ki_energy_scale *scale) {
    ki_write_finished(json, result->status == KEEL_OK && result->final);
    write_broken(json, result);
    write_all_worst(json, system, result);
    write_judgements(json, system, result, message, scale);
    write_notes(json, result);
    write_events(json, result);
    write_facts(json, system, result, scale);
}

void ki_write_rows(ki_json *json, long rows, long shown) {
    if (shown < rows)
        ki_fact(json, "rows", "%ld, of which %ld are shown", rows, shown);
    else
        ki_fact(json, "rows", "%ld", rows);
}

/* The facts stand last: the bracket that ends their list is left out. */
bool ki_write_stored_verdict(ki_json *json, const char *text) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    if (length < 2 || text[length - 1] != ']')
        return false;
    ki_json_raw(json, NULL, "");
    fwrite(text, 1, length - 1, json->file);
    json->depth++;
    return true;
}

char *ki_verdict_text(const keel_system *system, const keel_result *result, const char *message,
                      const ki_energy_scale *scale) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return NULL;
    ki_json json = {.file = file, .depth = 1, .first = true};
    ki_write_verdict(&json, system, result, message, scale);
    ki_json_close_list(&json);
    if (fclose(file)) {
        free(text);
        return NULL;
    }
    return text;
}
