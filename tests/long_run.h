/* long_run.h - what long runs of a system use (keel_system.for_run): formulas, shortened.
 * After cmocka.h. */
#ifndef TEST_LONG_RUN_H
#define TEST_LONG_RUN_H

#include <math.h>

#include "keel/system.h"

static inline const keel_system *long_run(const keel_system *system) {
    const keel_system *made = system->for_run ? system->for_run(system, HUGE_VAL) : system;
    assert_non_null(made);
    return made;
}

#endif
