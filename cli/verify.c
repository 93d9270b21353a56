/* verify.c - how sure a run is: a verifier beside it, and the errors of its rows as a file of their own. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "run/columns.h"

keel_status cli_verify_start(cli_verify *v, const keel_model *model, const volatile int *stop) {
    keel_status status = KEEL_OK;
    if (!v->asked)
        return KEEL_OK;
    v->system = model->system;
    v->verifier =
        keel_verifier_new(model->system, model->start, model->velocities_given, &model->settings, &status);
    if (v->verifier)
        keel_verifier_stop_at(v->verifier, stop);
    return status;
}

/* "±name", quoted where a CSV needs it */
static void write_name(FILE *file, const char *name, const char *after) {
    bool quote = strpbrk(name, ",\"\r\n") != NULL;
    fputs(quote ? ",\"±" : ",±", file);
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            fputc('"', file);
        fputc(*c, file);
    }
    fprintf(file, "%s%s", after, quote ? "\"" : "");
}

static void write_header(const cli_verify *v) {
    const keel_system *sys = v->system;
    FILE *file = v->output.file;
    char buffer[32];
    fputc('t', file);
    for (int i = 0; i < sys->n_q; i++)
        write_name(file, keel_system_name(sys, KEEL_NAME_Q, i, buffer), "");
    for (int i = 0; i < sys->n_v; i++)
        write_name(file, ki_velocity_name(sys, i, buffer), ki_velocity_is_rate(sys) ? "'" : "");
    for (int i = 0; i < sys->n_z; i++)
        write_name(file, keel_system_name(sys, KEEL_NAME_Z, i, buffer), "");
    for (int i = 0; i < keel_system_m(sys); i++) {
        char name[64];
        snprintf(name, sizeof name, "lambda.%s", keel_system_name(sys, KEEL_NAME_CONSTRAINT, i, buffer));
        write_name(file, name, "");
    }
    for (int i = 0; i < sys->n_outputs; i++)
        write_name(file, keel_system_name(sys, KEEL_NAME_OUTPUT, i, buffer), "");
    fputc('\n', file);
}

/* What has no estimate is an empty field. */
static void write_errors(FILE *file, const double *errors, int count) {
    for (int i = 0; i < count; i++)
        if (isfinite(errors[i]))
            fprintf(file, ",%.3g", errors[i]);
        else
            fputc(',', file);
}

static keel_status write_row(cli_verify *v, double t, const keel_errors *e) {
    const keel_system *sys = v->system;
    if (!v->output.file) {
        if (!cli_output_open(&v->output, v->path))
            return KEEL_ERROR_IO;
        write_header(v);
    }
    fprintf(v->output.file, "%.17g", t);
    write_errors(v->output.file, e->q, sys->n_q);
    write_errors(v->output.file, e->v, sys->n_v);
    write_errors(v->output.file, e->z, sys->n_z);
    write_errors(v->output.file, e->lambda, keel_system_m(sys));
    write_errors(v->output.file, e->outputs, sys->n_outputs);
    fputc('\n', v->output.file);
    return ferror(v->output.file) ? KEEL_ERROR_IO : KEEL_OK;
}

keel_status cli_verify_row(cli_verify *v, const keel_row *row) {
    keel_errors errors;
    if (!v->verifier)
        return KEEL_OK;
    keel_status status = keel_verifier_row(v->verifier, row, &errors);
    return status || !v->path ? status : write_row(v, row->t, &errors);
}

bool cli_verify_end(cli_verify *v, keel_result *result) {
    if (!v->verifier)
        return true;
    v->found = keel_verifier_result(v->verifier);
    result->verification = &v->found;
    return !v->output.file || cli_output_commit(&v->output);
}

int cli_verify_tell(const cli_verify *v, const char *command) {
    char buffer[64];
    if (!v->verifier)
        return CLI_OK;
    if (v->found.parted)
        cli_error(command, "not verified from t = %.6g on: the motions part there, first in '%s'",
                  v->found.parted_time, keel_verification_parted_in(v->system, &v->found, buffer));
    else if (!v->found.verified)
        cli_error(command, "not verified: %s", v->found.reason);
    return v->found.parted || !v->found.verified ? CLI_BROKEN : CLI_OK;
}

void cli_verify_clear(cli_verify *v) {
    cli_output_discard(&v->output);
    keel_verifier_free(v->verifier);
    *v = (cli_verify){0};
}
