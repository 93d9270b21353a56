/* options.c - what steers a model: options of all its runs or of one, and simulations made with them. */
#include <stdlib.h>
#include <string.h>

#include "session/options.h"

static keel_status set(keel_settings *settings, const keel_assignment *option, keel_diagnostics *log) {
    if (!option->name || !option->value)
        return KEEL_ERROR_INPUT;
    return keel_settings_set_text(settings, option->name, option->value,
                                  (keel_location){.file = option->name}, log);
}

keel_status ki_settings_with(const keel_model *model, const keel_assignment *options, int option_count,
                             keel_diagnostics *log, keel_settings *settings) {
    keel_status status = KEEL_OK;
    if (!model || (!options && option_count > 0))
        return KEEL_ERROR_INPUT;
    *settings = model->settings;
    for (int i = 0; i < option_count; i++) {
        keel_settings changed = *settings;
        keel_status this = set(&changed, &options[i], log);
        if (this)
            status = this;
        else
            *settings = changed;
    }
    return status;
}

keel_status keel_model_set_option(keel_model *model, const char *name, const char *value,
                                  keel_diagnostics *log) {
    if (!model)
        return KEEL_ERROR_INPUT;
    keel_settings changed;
    keel_status status = ki_settings_with(model, &(keel_assignment){name, value}, 1, log, &changed);
    if (!status)
        model->settings = changed;
    return status;
}

keel_simulation *keel_simulation_open(const keel_model *model, const keel_settings *settings,
                                      keel_diagnostics *log) {
    keel_status status;
    return model ? keel_simulation_new(model->system, model->start, model->velocities_given,
                                       settings ? settings : &model->settings, log, &status)
                 : NULL;
}

keel_simulation *keel_simulation_open_with(const keel_model *model, const keel_assignment *options,
                                           int option_count, keel_diagnostics *log) {
    keel_settings settings;
    keel_status status = ki_settings_with(model, options, option_count, log, &settings);
    return status ? NULL : keel_simulation_open(model, &settings, log);
}

keel_row *keel_row_new(void) {
    return calloc(1, sizeof(keel_row));
}

void keel_row_free(keel_row *row) {
    free(row);
}

void keel_system_sizes(const keel_system *system, int sizes[KEEL_SIZES]) {
    if (!sizes)
        return;
    memset(sizes, 0, KEEL_SIZES * sizeof *sizes);
    if (!system)
        return;
    sizes[KEEL_SIZE_Q] = system->n_q;
    sizes[KEEL_SIZE_V] = system->n_v;
    sizes[KEEL_SIZE_Z] = system->n_z;
    sizes[KEEL_SIZE_S] = system->n_s;
    sizes[KEEL_SIZE_LAMBDA] = keel_system_m(system);
    sizes[KEEL_SIZE_OUTPUTS] = system->n_outputs;
}

keel_status keel_row_state(const keel_row *row, const keel_system *system, keel_state *state) {
    if (!row || !system || !state)
        return KEEL_ERROR_INPUT;
    keel_state view = {row->t,           (double *)row->q, (double *)row->v,
                       (double *)row->z, (double *)row->s, (double *)row->lambda};
    keel_state_copy(system, state, &view);
    return KEEL_OK;
}
