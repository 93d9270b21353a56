#include "results/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "run/columns.h"

/* What is still called good: violation relative to the constraint's size, drift relative to the energy. */
static const double GOOD_VIOLATION = 1e-6, GOOD_DRIFT = 1e-3;

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

/* 1: true, 0: false, -1: not known */
static void write_finished(ki_json *json, int finished) {
    if (finished < 0)
        ki_json_text(json, "finished", NULL);
    else
        ki_json_bool(json, "finished", finished);
}

static void judge(ki_json *json, bool ok, const char *format, ...) KEEL_PRINTF(3, 4);
static void judge(ki_json *json, bool ok, const char *format, ...) {
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

static void fact(ki_json *json, const char *label, const char *format, ...) KEEL_PRINTF(3, 4);
static void fact(ki_json *json, const char *label, const char *format, ...) {
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
static void judge_end(ki_json *json, const keel_result *result, const char *message) {
    if (result->status == KEEL_OK && result->final)
        judge(json, true, "reached t = %.10g", result->final->t);
    else if (result->final && message && strncmp(message, "t = ", 4) == 0)
        judge(json, false, "stopped at %s", message);
    else if (result->final)
        judge(json, false, "stopped at t = %.10g: %s", result->final->t,
              message ? message : keel_status_text(result->status));
    else
        judge(json, false, "%s", message ? message : keel_status_text(result->status));
}

static void judge_level(ki_json *json, const keel_system *system, const keel_violation *violation,
                        const char *what, const char *held) {
    char worst[300];
    worst_text(system, violation, worst, sizeof worst);
    bool good = violation->max_scaled <= GOOD_VIOLATION;
    switch (ki_hold_of(violation->max_scaled)) {
    case KI_HELD:
        judge(json, good, "%s %s to %.2g (worst: %s)", what, held, violation->max, worst);
        break;
    case KI_OFF:
        judge(json, false, "%s not %s: off by %.2g (worst: %s)", what, held, violation->max, worst);
        break;
    case KI_BEYOND:
        judge(json, false, "%s not %s: the numbers grew beyond use (worst: %s at t = %.6g)", what, held,
              worst, violation->time);
    }
}

static void judge_constraints(ki_json *json, const keel_system *system, const keel_result *result) {
    if (keel_system_m(system) == 0) {
        judge(json, true, "no constraints");
        return;
    }
    if (system->n_h)
        judge_level(json, system, &result->position, "constraints", "held");
    judge_level(json, system, &result->velocity, "velocities", "consistent");
}

static void judge_energy(ki_json *json, const keel_result *result, const ki_energy_scale *scale) {
    double size = fmax(scale->kinetic, fmax(fabs(result->energy_initial), fabs(result->energy_final)));
    double drift = fmax(result->energy_drift_max, scale->row_drift), relative = size > 0 ? drift / size : 0;
    if (ki_hold_of(relative) == KI_BEYOND)
        judge(json, false, "energy not accounted for: the numbers grew beyond use");
    else
        judge(json, relative <= GOOD_DRIFT,
              "energy accounted for to %.2g at the steps, %.2g at the rows (%.1g of the energies in it)",
              result->energy_drift_max, scale->row_drift, relative);
}

static void judge_singular(ki_json *json, const keel_result *result) {
    int count = 0;
    if (result->status != KEEL_OK)
        return;
    for (int i = 0; i < result->event_count; i++)
        count += result->events[i].kind == KEEL_EVENT_SINGULAR;
    if (count)
        judge(json, true, "passed %d singular pose%s", count, count > 1 ? "s" : "");
}

/* The worst of a level, which may lie between two rows, under the name of its column. */
static void write_worst(ki_json *json, const keel_system *system, const keel_violation *violation,
                        const char *level, keel_unit_of unit_of) {
    char buffer[32], column[300], unit[KEEL_UNIT];
    const char *name = ki_worst_name(system, violation, buffer);
    bool rate = unit_of == KEEL_UNIT_RATE && violation->worst < system->n_h;
    if (!name)
        return;
    snprintf(column, sizeof column, "%s%s", name, rate ? "'" : "");
    ki_json_open(json, NULL);
    ki_json_text(json, "level", level);
    ki_json_text(json, "column", column);
    ki_json_number(json, "t", violation->time);
    ki_json_number(json, "value", violation->max);
    ki_json_text(json, "unit", keel_system_unit(system, unit_of, violation->worst, unit));
    ki_json_close(json);
}

static void write_all_worst(ki_json *json, const keel_system *system, const keel_result *result) {
    ki_json_open_list(json, "worst");
    if (result->final && system->n_h)
        write_worst(json, system, &result->position, "position", KEEL_UNIT_CONSTRAINT);
    if (result->final && keel_system_m(system))
        write_worst(json, system, &result->velocity, "velocity", KEEL_UNIT_RATE);
    ki_json_close_list(json);
}

static void write_judgements(ki_json *json, const keel_system *system, const keel_result *result,
                             const char *message, const ki_energy_scale *scale) {
    ki_json_open_list(json, "verdict");
    judge_end(json, result, message);
    if (result->final) {
        judge_constraints(json, system, result);
        if (result->has_energy)
            judge_energy(json, result, scale);
        judge_singular(json, result);
    }
    ki_json_close_list(json);
}

/* ---- facts ----------------------------------------------------------------------------------------------
 */

static void write_method(ki_json *json, const keel_result *result) {
    keel_method m = result->method;
    fact(json, "method", "%s / %s / %s", keel_integrator_word(m.integrator).name,
         keel_formulation_word(m.formulation).name, keel_stabilize_word(m.stabilize).name);
    if (result->method_reason)
        fact(json, "chosen because", "%s", result->method_reason);
}

static void write_counts(ki_json *json, const keel_result *result) {
    const keel_counts *c = &result->count;
    fact(json, "steps", "%ld accepted, %ld rejected", c->steps, c->rejected);
    fact(json, "evaluations", "%ld", c->evaluations);
    if (c->jacobians)
        fact(json, "Jacobians", "%ld", c->jacobians);
    fact(json, "factorizations", "%ld (%.2f a step)", c->factorizations, ki_factorizations_per_step(c));
    if (c->projections)
        fact(json, "projections", "%ld", c->projections);
    fact(json, "CPU time", "%.3g s", result->cpu_seconds);
}

static void write_size(ki_json *json, const keel_system *system, const keel_result *result) {
    fact(json, "coordinates", "%d, velocities %d", system->n_q, system->n_v);
    fact(json, "constraints", "%d holonomic, %d nonholonomic", system->n_h, system->n_n);
    if (result->rank >= 0)
        fact(json, "rank", "%d of %d", result->rank, keel_system_m(system));
    if (ki_gap_is_known(result))
        fact(json, "smallest gap", "%.3g at t = %.6g (0: singular pose)", result->gap_smallest,
             result->gap_time);
}

static void write_level(ki_json *json, const char *label, const keel_system *system,
                        const keel_violation *violation) {
    char worst[300];
    fact(json, label, "%.3g (%s, t = %.6g); %.3g at the end", violation->max,
         worst_text(system, violation, worst, sizeof worst), violation->time, violation->final);
}

static void write_quality(ki_json *json, const keel_system *system, const keel_result *result,
                          const ki_energy_scale *scale) {
    if (system->n_h)
        write_level(json, "position violation", system, &result->position);
    if (keel_system_m(system))
        write_level(json, "velocity violation", system, &result->velocity);
    if (result->has_energy) {
        fact(json, "energy", "%.10g at the start, %.10g at the end", result->energy_initial,
             result->energy_final);
        fact(json, "energy drift", "%.3g at the end; at most %.3g at the steps, %.3g at the rows",
             result->energy_drift, result->energy_drift_max, scale->row_drift);
    }
    if (result->correction_position != 0 || result->correction_velocity != 0)
        fact(json, "correction in a step", "position %.3g, velocity %.3g (mass norm)",
             result->correction_position, result->correction_velocity);
    for (int i = 0; result->invariants && i < system->n_i; i++) {
        char buffer[32], label[80];
        snprintf(label, sizeof label, "invariant %s",
                 keel_system_name(system, KEEL_NAME_INVARIANT, i, buffer));
        fact(json, label, "%.10g, drift %.3g at most", result->invariants[i].initial,
             result->invariants[i].drift_max);
    }
}

static void write_facts(ki_json *json, const keel_system *system, const keel_result *result,
                        const ki_energy_scale *scale) {
    ki_json_open_list(json, "facts");
    write_method(json, result);
    if (result->final)
        fact(json, "end time", "%.10g", result->final->t);
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

void ki_write_verdict(ki_json *json, const keel_system *system, const keel_result *result,
                      const char *message, const ki_energy_scale *scale) {
    write_finished(json, result->status == KEEL_OK && result->final);
    write_all_worst(json, system, result);
    write_judgements(json, system, result, message, scale);
    write_events(json, result);
    write_facts(json, system, result, scale);
}

/* ---- of a file alone ------------------------------------------------------------------------------------
 */

double ki_record_largest(const keel_record *record, const char *name) {
    int column = 0;
    while (column < record->columns.count && strcmp(record->columns.column[column].name, name) != 0)
        column++;
    if (column == record->columns.count)
        return NAN;
    double most = 0;
    for (long i = 0; i < record->rows.rows; i++)
        most = fmax(most, fabs(ki_series_row(&record->rows, i)[column]));
    return most;
}

static double last_time(const keel_record *record) {
    return record->rows.rows ? ki_series_row(&record->rows, record->rows.rows - 1)[0] : NAN;
}

/* Only a model can tell when the run should have finished. */
int ki_judge_last_row(const keel_record *record, const double *until, char *text, size_t size) {
    double end = last_time(record);
    if (record->cut_off) {
        snprintf(text, size, "the run was cut off: its last row is at t = %.10g", end);
        return 0;
    }
    if (!until) {
        snprintf(text, size, "rows up to t = %.10g; a CSV file does not tell whether the run finished", end);
        return -1;
    }
    if (end >= *until - 1e-9 * fmax(1, fabs(*until))) {
        snprintf(text, size, "rows up to t = %.10g, where the model ends", end);
        return 1;
    }
    snprintf(text, size,
             "rows up to t = %.10g only, the model ends at t = %.10g: the run failed, or was asked for less",
             end, *until);
    return -1;
}

/* What cannot be checked is neither good nor bad, unless rows are missing. */
static void write_last_row(ki_json *json, int finished, bool missing, const char *text) {
    ki_json_open(json, NULL);
    ki_json_bool(json, "ok", finished != 0 && !missing);
    if (finished < 0 && !missing)
        ki_json_bool(json, "known", false);
    ki_json_text(json, "text", text);
    ki_json_close(json);
}

static void judge_level_of_rows(ki_json *json, double violation, const char *what, const char *held) {
    if (ki_hold_of(violation) == KI_BEYOND)
        judge(json, false, "%s not %s: the numbers grew beyond use", what, held);
    else
        judge(json, violation <= GOOD_VIOLATION, "%s %s to %.2g in the rows", what, held, violation);
}

int keel_record_finished(const keel_record *record, const keel_origin *origin, char *text, int size) {
    if (!record->report)
        return ki_judge_last_row(record, origin ? origin->until : NULL, text, (size_t)size);
    if (!strstr(record->report, "\"finished\": ")) {
        snprintf(text, (size_t)size, "rows up to t = %.10g; the page tells how the run ended",
                 last_time(record));
        return -1;
    }
    bool finished = strstr(record->report, "\"finished\": true") != NULL;
    snprintf(text, (size_t)size, "the run %s at t = %.10g", finished ? "finished" : "ended early",
             last_time(record));
    return finished;
}

/* Without the model the total energy has to do as a measure; it may be zero. */
static void judge_energy_of_rows(ki_json *json, const keel_record *record, double drift, double kinetic) {
    double size = fmax(kinetic, ki_record_largest(record, "energy"));
    if (ki_hold_of(size > 0 ? drift / size : 0) == KI_BEYOND)
        judge(json, false, "energy not accounted for: the numbers grew beyond use");
    else
        judge(json, drift <= fmax(GOOD_DRIFT * size, GOOD_VIOLATION),
              "energy accounted for to %.2g in the rows", drift);
}

void ki_write_verdict_of_rows(ki_json *json, const keel_record *record, const double *until, double kinetic) {
    char text[300];
    int finished = ki_judge_last_row(record, until, text, sizeof text);
    double position = ki_record_largest(record, "position_violation");
    double velocity = ki_record_largest(record, "velocity_violation");
    double drift = ki_record_largest(record, "energy_drift");
    write_finished(json, finished);
    ki_json_open_list(json, "worst");
    ki_json_close_list(json);
    ki_json_open_list(json, "verdict");
    write_last_row(json, finished, until && finished < 0, text);
    judge_level_of_rows(json, position, "constraints", "held");
    judge_level_of_rows(json, velocity, "velocities", "consistent");
    if (!isnan(drift))
        judge_energy_of_rows(json, record, drift, kinetic);
    ki_json_close_list(json);
    ki_json_open_list(json, "events");
    ki_json_close_list(json);
    ki_json_open_list(json, "facts");
    fact(json, "file", "%s", record->path ? record->path : "-");
    fact(json, "end time", "%.10g", last_time(record));
    if (!isnan(drift))
        fact(json, "energy drift", "%.3g at most", drift);
}

void ki_write_rows(ki_json *json, long rows, long shown) {
    if (shown < rows)
        fact(json, "rows", "%ld, of which %ld are shown", rows, shown);
    else
        fact(json, "rows", "%ld", rows);
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
