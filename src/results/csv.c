#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/refuse.h"
#include "keel/results.h"
#include "results/growing.h"
#include "run/columns.h"

/* Rows are handed to the operating system whole, so that a file cut off by a crash still ends with a complete
 * line: flushed at a row's end once FLUSH_AT bytes are waiting, which leaves room for one more row, or when
 * the next second of the clock has begun, between rows too (ki_csv_wait). */
enum { BUFFER_SIZE = 1 << 18, FLUSH_AT = BUFFER_SIZE / 2 };

struct keel_csv {
    FILE *file;
    const keel_system *system;
    bool has_projections, has_audit, has_newton;
    size_t waiting; /* bytes written since the last flush */
    time_t flushed; /* when that was */
    int error;      /* errno of the first failure, 0 if none */
    char buffer[BUFFER_SIZE];
};

static keel_status failed(keel_csv *csv) {
    if (!csv->error)
        csv->error = errno ? errno : EIO;
    errno = csv->error;
    return KEEL_ERROR_IO;
}

static keel_status flush(keel_csv *csv) {
    csv->waiting = 0;
    csv->flushed = time(NULL);
    return fflush(csv->file) || ferror(csv->file) ? failed(csv) : KEEL_OK;
}

/* A name that holds a comma, a quote or a line break is quoted, quotes inside are doubled (RFC 4180). */
static void write_name(FILE *file, const char *before, const char *name, const char *after) {
    bool quote = strpbrk(name, ",\"\r\n") != NULL;
    fputs(quote ? ",\"" : ",", file);
    fputs(before, file);
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            fputc('"', file);
        fputc(*c, file);
    }
    fputs(after, file);
    if (quote)
        fputc('"', file);
}

static void write_names(keel_csv *csv, keel_name_of of, int count) {
    char buffer[32];
    for (int i = 0; i < count; i++)
        write_name(csv->file, "", keel_system_name(csv->system, of, i, buffer), "");
}

static void write_velocities(keel_csv *csv, const char *before, const char *after) {
    char buffer[32];
    for (int i = 0; i < csv->system->n_v; i++)
        write_name(csv->file, before, ki_velocity_name(csv->system, i, buffer), after);
}

static void write_multipliers(keel_csv *csv, const int *shared) {
    char buffer[32];
    for (int i = 0; i < keel_system_m(csv->system); i++)
        write_name(csv->file, "lambda.", keel_system_name(csv->system, KEEL_NAME_CONSTRAINT, i, buffer),
                   shared && shared[i] ? "(shared)" : "");
}

static void write_outputs(keel_csv *csv, const int *shared) {
    char buffer[32];
    for (int i = 0; i < csv->system->n_outputs; i++)
        write_name(csv->file, "", keel_system_name(csv->system, KEEL_NAME_OUTPUT, i, buffer),
                   shared && shared[i] ? "(shared)" : "");
}

static void write_header(keel_csv *csv, const keel_row *first) {
    const keel_system *system = csv->system;
    fputc('t', csv->file);
    write_names(csv, KEEL_NAME_Q, system->n_q);
    write_velocities(csv, "", ki_velocity_is_rate(system) ? "'" : "");
    write_names(csv, KEEL_NAME_Z, system->n_z);
    write_names(csv, KEEL_NAME_S, system->n_s);
    write_multipliers(csv, first ? first->shared : NULL);
    if (csv->has_projections)
        write_velocities(csv, "d.", "");
    write_outputs(csv, first ? first->output_shared : NULL);
    if (system->has_energy)
        fputs(",energy,energy_drift", csv->file);
    if (csv->has_audit)
        fputs(",energy_integrator,energy_projection,energy_projection_1,energy_projection_2", csv->file);
    if (csv->has_newton)
        fputs(",newton_iterations,newton_correction_q,newton_correction_lambda,condition", csv->file);
    fputs(",position_violation,velocity_violation\n", csv->file);
}

static keel_csv *open_csv(const char *path, const char *mode, const keel_system *system,
                          const keel_row *first, keel_status *status) {
    keel_csv *csv = calloc(1, sizeof *csv);
    if (!csv) {
        *status = KEEL_ERROR_MEMORY;
        return NULL;
    }
    csv->system = system;
    csv->has_projections = first && first->projections;
    csv->has_audit = first && first->audit;
    csv->has_newton = first && first->newton;
    csv->file = strcmp(path, "-") == 0 ? stdout : fopen(path, mode);
    if (!csv->file) {
        int error = errno;
        free(csv);
        errno = error;
        *status = KEEL_ERROR_IO;
        return NULL;
    }
    if (csv->file != stdout)
        setvbuf(csv->file, csv->buffer, _IOFBF, sizeof csv->buffer);
    return csv;
}

keel_csv *keel_csv_open(const char *path, const keel_system *system, const keel_row *first,
                        keel_status *status) {
    if (!path || !system || !status)
        return ki_refuse(status);
    keel_csv *csv = open_csv(path, "w", system, first, status);
    if (!csv)
        return NULL;

    // the header goes out at once: a full disk is found before the run, not after it
    write_header(csv, first);
    *status = flush(csv);
    if (*status != KEEL_OK) {
        keel_csv_close(csv);
        return NULL;
    }
    return csv;
}

keel_csv *ki_csv_continue(const char *path, const keel_system *system, const keel_row *next,
                          keel_status *status) {
    keel_csv *csv = open_csv(path, "a", system, next, status);
    if (csv)
        *status = flush(csv);
    return csv;
}

keel_status ki_csv_settle(keel_csv *csv, long *size) {
    keel_status status = flush(csv);
    if (!status && fsync(fileno(csv->file)))
        status = failed(csv);
    *size = ftell(csv->file);
    return status || *size < 0 ? failed(csv) : KEEL_OK;
}

keel_status ki_csv_wait(keel_csv *csv) {
    return csv->waiting && time(NULL) > csv->flushed ? flush(csv) : KEEL_OK;
}

/* What is no finite number is an empty field. */
static void write_number(keel_csv *csv, const char *before, double value) {
    int length =
        isfinite(value) ? fprintf(csv->file, "%s%.17g", before, value) : fprintf(csv->file, "%s", before);
    csv->waiting += length > 0 ? (size_t)length : 0;
}

/* Values that a row does not have are left empty: every row has the columns of the header. */
static void write_numbers(keel_csv *csv, const double *values, int count) {
    for (int i = 0; i < count; i++)
        write_number(csv, ",", values ? values[i] : NAN);
}

static void write_audit(keel_csv *csv, const keel_audit *audit) {
    static const keel_audit UNKNOWN = {NAN, NAN, NAN, NAN};
    const keel_audit *shown = audit ? audit : &UNKNOWN;
    write_number(csv, ",", shown->integrator);
    write_number(csv, ",", shown->projection);
    write_number(csv, ",", shown->projection_1);
    write_number(csv, ",", shown->projection_2);
}

static void write_newton(keel_csv *csv, const keel_newton_facts *newton) {
    double values[4] = {0};
    if (newton)
        memcpy(values,
               (double[]){newton->iterations, newton->correction_q, newton->correction_lambda,
                          newton->condition},
               sizeof values);
    write_numbers(csv, newton ? values : NULL, 4);
}

keel_status keel_csv_row(keel_csv *csv, const keel_row *row) {
    if (!csv || !row)
        return KEEL_ERROR_INPUT;
    const keel_system *system = csv->system;
    write_number(csv, "", row->t);
    write_numbers(csv, row->q, system->n_q);
    write_numbers(csv, row->v, system->n_v);
    write_numbers(csv, row->z, system->n_z);
    write_numbers(csv, row->s, system->n_s);
    write_numbers(csv, row->lambda, keel_system_m(system));
    if (csv->has_projections)
        write_numbers(csv, row->projections, system->n_v);
    write_numbers(csv, row->outputs, system->n_outputs);
    if (system->has_energy) {
        write_number(csv, ",", row->energy);
        write_number(csv, ",", row->energy_drift);
    }
    if (csv->has_audit)
        write_audit(csv, row->audit);
    if (csv->has_newton)
        write_newton(csv, row->newton);
    write_number(csv, ",", row->position_violation);
    write_number(csv, ",", row->velocity_violation);
    fputc('\n', csv->file);
    if (ferror(csv->file))
        return failed(csv);
    return csv->waiting > FLUSH_AT || time(NULL) > csv->flushed ? flush(csv) : KEEL_OK;
}

keel_status keel_csv_close(keel_csv *csv) {
    if (!csv)
        return KEEL_OK;
    flush(csv);
    if (csv->file != stdout && fclose(csv->file))
        failed(csv);
    int error = csv->error;
    free(csv);
    errno = error;
    return error ? KEEL_ERROR_IO : KEEL_OK;
}
