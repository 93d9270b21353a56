/* dependence.h - dependent constraints, in words. */
#ifndef KI_DEPENDENCE_H
#define KI_DEPENDENCE_H

#include "keel/system.h"

/* "the motion 'm1' repeats what 'm0' and joint C impose", from a state of self-stress y [m] of row `row`,
 * into `text`, which is returned. */
const char *ki_repetition_words(const keel_system *system, const double *y, int row, char *text, int size);

#endif
