/* fuzz_model.c - libFuzzer target: any bytes may be read as a model, and either are one or get a message.
 * What is a model starts, or tells why it does not, and takes some steps. */
#include <stdlib.h>

#include "keel/modelfile.h"
#include "keel/run.h"
#include "target.h"

enum { MOST_STEPS = 3, MOST_UNKNOWNS = 60 };

static void use(keel_model *model) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_result result = {0};
    keel_status status = keel_model_assemble(model, messages, NULL);
    model->settings.max_steps = MOST_STEPS;
    model->settings.output = 0;
    if (status >= 0)
        status = keel_settings_validate(&model->settings, model->start->t, messages);
    if (status >= 0)
        status = keel_run(model->system, model->start, model->velocities_given, &model->settings, NULL,
                          messages, &result);
    if (status < 0 && status != KEEL_ERROR_MEMORY && !keel_diagnostics_errors(messages))
        abort();
    keel_result_clear(&result);
    keel_diagnostics_free(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_parse("fuzz.yaml", (const char *)data, size, NULL, 0, messages, &status);
    fuzz_explained(model, status, messages);
    if (model && !(model->name && model->system && model->start))
        abort();
    if (model && model->system->n_v + keel_system_m(model->system) <= MOST_UNKNOWNS)
        use(model);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}
