/* assemble.c - a consistent start for a model. */
#include "keel/modelfile.h"

keel_status keel_model_assemble(keel_model *model, keel_diagnostics *diagnostics,
                                keel_assembly_report *report) {
    if (!model)
        return KEEL_ERROR_INPUT;
    if (!model->is_mechanism)
        return keel_assemble(model->system, NULL, model->start, diagnostics, report);
    keel_compiled mechanism = {model->system, model->assembly, model->start, model->drawn};
    return keel_assemble_mechanism(&mechanism, model->start->t, NULL, diagnostics, report);
}
