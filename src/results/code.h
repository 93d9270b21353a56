/* code.h - what evaluated the equations of a run. */
#ifndef KI_RESULTS_CODE_H
#define KI_RESULTS_CODE_H

#include "keel/equations.h"
#include "keel/mechanism.h"

/* "native" or "tape" where there are formulas, those of a mechanism too; NULL elsewhere. */
static inline const char *ki_code_of(const keel_system *system) {
    const keel_system *formulas = keel_mechanism_formulas(system);
    return keel_equations_code(formulas ? formulas : system);
}

#endif
