/* fuzz_model.c - libFuzzer target: any bytes may be read as a model, and either are one or get a message. */
#include <stdint.h>
#include <stdlib.h>

#include "keel/modelfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    keel_status status;
    keel_model *model =
        keel_model_parse("fuzz.yaml", (const char *)data, size, NULL, 0, diagnostics, &status);
    int complete = model && model->name && model->system && model->start;
    int explained = status == KEEL_ERROR_INPUT && keel_diagnostics_errors(diagnostics) > 0;
    if (model ? status != KEEL_OK || !complete : status != KEEL_ERROR_MEMORY && !explained)
        abort();
    keel_model_free(model);
    keel_diagnostics_free(diagnostics);
    return 0;
}
