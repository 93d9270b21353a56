#include "start.h"

#include <math.h>
#include <string.h>

#include "checkpoint.h"
#include "results/regular.h"

static bool is_checkpoint(const char *path) {
    char magic[8] = "";
    FILE *file = ki_open_regular(path);
    bool same = file && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                memcmp(magic, "KEELCKPT", sizeof magic) == 0;
    if (file)
        fclose(file);
    return same;
}

static keel_status from_checkpoint(keel_model *model, const char *path, double at,
                                   keel_diagnostics *diagnostics) {
    cli_kept kept;
    keel_checkpoint *saved = cli_checkpoint_read(path, &kept, NULL, diagnostics);
    if (!saved)
        return KEEL_ERROR_INPUT;
    int shown = keel_diagnostics_count(diagnostics);
    keel_status status = keel_checkpoint_state(saved, model->system, model->start, diagnostics);
    keel_checkpoint_free(saved);
    cli_show(diagnostics, shown);
    if (status || isnan(at) || at == model->start->t)
        return status;
    cli_error("run", "--at: the checkpoint %s has one state, at t = %.17g", path, model->start->t);
    return KEEL_ERROR_INPUT;
}

static keel_status from_record(keel_model *model, const char *path, double at,
                               keel_diagnostics *diagnostics) {
    keel_status status = KEEL_OK;
    int shown = keel_diagnostics_count(diagnostics);
    keel_record *record = keel_record_read(path, diagnostics, &status);
    if (record)
        status = keel_record_state(record, model->system, at, model->start, diagnostics);
    keel_record_free(record);
    if (status < 0 && cli_show(diagnostics, shown) == shown)
        cli_error("run", "%s: %s", path, keel_status_text(status));
    return status;
}

int cli_start_from(keel_model *model, const char *path, double at, keel_diagnostics *diagnostics) {
    keel_status status = is_checkpoint(path) ? from_checkpoint(model, path, at, diagnostics)
                                             : from_record(model, path, at, diagnostics);
    if (status < 0)
        return status == KEEL_ERROR_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
    /* with other parameters the velocities of the file are a guess */
    model->velocities_given = 0;
    int shown = keel_diagnostics_count(diagnostics);
    status = keel_settings_validate(&model->settings, model->start->t, diagnostics);
    cli_show(diagnostics, shown);
    return cli_exit_code(status);
}
