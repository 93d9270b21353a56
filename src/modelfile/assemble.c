/* assemble.c - a consistent start for a model. */
#include "keel/modelfile.h"

keel_status keel_model_assemble(keel_model *model, keel_diagnostics *diagnostics,
                                keel_assembly_report *report) {
    const keel_system *system = model->assembly ? model->assembly : model->system;
    return keel_assemble(system, NULL, model->start, diagnostics, report);
}
