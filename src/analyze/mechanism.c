/* mechanism.c - assembly of a mechanism: in relative coordinates (docs/assemble.md), so that the pose it
 * finds is the same whatever the coordinates of the run. */
#include "keel/assemble.h"

#include "analyze/assembly.h"

keel_status keel_assemble_mechanism(const keel_compiled *compiled, double t,
                                    const keel_assembly_settings *settings, keel_diagnostics *diagnostics,
                                    keel_assembly_report *report) {
    if (!compiled)
        return KEEL_ERROR_INPUT;
    keel_assembly_report own;
    keel_assembly_settings nearest = keel_assembly_settings_default();
    nearest.metric = KEEL_ASSEMBLE_DRAWING;
    keel_state *state = keel_state_new(compiled->assembly);
    if (!state)
        return KEEL_ERROR_MEMORY;
    keel_state_copy(compiled->assembly, state, compiled->drawn);
    state->t = t;
    report = report ? report : &own;
    *report = (keel_assembly_report){0};
    keel_status status =
        keel_assemble(compiled->assembly, settings ? settings : &nearest, state, diagnostics, report);
    compiled->start->t = t;
    keel_status written =
        keel_mechanism_transfer(compiled->assembly, state, compiled->system, compiled->start);
    status = status ? status : written;
    if (!status)
        status = ki_note_loads(compiled->assembly, state, diagnostics);
    keel_state_free(state);
    return status;
}
