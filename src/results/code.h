/* code.h - what evaluated the equations of a run. */
#ifndef KI_RESULTS_CODE_H
#define KI_RESULTS_CODE_H

#include "keel/equations.h"
#include "keel/mechanism.h"
#include "keel/run.h"

/* "native" or "tape" where the steps had formulas, those of a mechanism too; NULL elsewhere. */
static inline const char *ki_code_of(const keel_result *result) {
    const keel_system *system = result->system;
    const keel_system *formulas = keel_mechanism_formulas(system);
    return system ? keel_equations_code(formulas ? formulas : system) : NULL;
}

#endif
