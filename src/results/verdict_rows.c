/* verdict_rows.c - how a run went, as far as the columns of a file tell. */
#include <math.h>
#include <string.h>

#include "results/verdict_parts.h"

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
static int judge_last_row(const keel_record *record, const double *until, char *text, size_t size) {
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
        ki_judge(json, false, "%s not %s: the numbers grew beyond use", what, held);
    else
        ki_judge(json, violation <= KI_GOOD_VIOLATION, "%s %s to %.2g in the rows", what, held, violation);
}

int keel_record_finished(const keel_record *record, const keel_origin *origin, char *text, int size) {
    if (!record || !text)
        return -1;
    if (!record->report)
        return judge_last_row(record, origin ? origin->until : NULL, text, (size_t)size);
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

int keel_record_broken(const keel_record *record, char *text, int size) {
    static const char KEY[] = "\"broken\": \"";
    const char *from = record && record->report ? strstr(record->report, KEY) : NULL;
    int length = 0;
    if (!from || !text || size < 1)
        return 0;
    for (from += sizeof KEY - 1; *from && *from != '"' && length < size - 1; from++) {
        from += *from == '\\' && from[1]; /* a quotation mark or a backslash */
        text[length++] = *from;
    }
    text[length] = 0;
    return 1;
}

/* Without the model the total energy has to do as a measure; it may be zero. */
static void judge_energy_of_rows(ki_json *json, const keel_record *record, double drift, double kinetic) {
    double size = fmax(kinetic, ki_record_largest(record, "energy"));
    if (ki_hold_of(size > 0 ? drift / size : 0) == KI_BEYOND)
        ki_judge(json, false, "energy not accounted for: the numbers grew beyond use");
    else
        ki_judge(json, drift <= fmax(KI_GOOD_DRIFT * size, KI_GOOD_VIOLATION),
                 "energy accounted for to %.2g in the rows", drift);
}

void ki_write_verdict_of_rows(ki_json *json, const keel_record *record, const double *until, double kinetic) {
    char text[300];
    int finished = judge_last_row(record, until, text, sizeof text);
    double position = ki_record_largest(record, "position_violation");
    double velocity = ki_record_largest(record, "velocity_violation");
    double drift = ki_record_largest(record, "energy_drift");
    ki_write_finished(json, finished);
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
    ki_fact(json, "file", "%s", record->path ? record->path : "-");
    ki_fact(json, "end time", "%.10g", last_time(record));
    if (!isnan(drift))
        ki_fact(json, "energy drift", "%.3g at most", drift);
}
