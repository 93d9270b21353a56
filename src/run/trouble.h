/* trouble.h - failures in words: time, constraint, joint. */
#ifndef KI_TROUBLE_H
#define KI_TROUBLE_H

#include "formulate/dynamics.h"
#include "keel/diagnostics.h"

/* Adds an error for `status` (negative) that a call on `d` returned at time t. */
void ki_report_failure(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics);

/* "constraint 'rod' (joint 'A')" for row i of J. */
const char *ki_constraint_text(const keel_system *system, int i, char *buffer, int size);

#endif
