/* trouble.h - failures in words: time, constraint, joint. */
#ifndef KI_TROUBLE_H
#define KI_TROUBLE_H

#include "formulate/dynamics.h"
#include "keel/diagnostics.h"
#include "run/collapse.h"

/* Adds an error for `status` (negative) that a call on `d` returned at time t. */
void ki_report_failure(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics);

/* Adds an error for steps that have become too short to get on, at time t. */
void ki_report_collapse(const ki_dynamics *d, double t, const ki_collapse *collapse,
                        keel_diagnostics *diagnostics);

/* "constraint 'rod' (joint 'A')" for row i of J. */
const char *ki_constraint_text(const keel_system *system, int i, char *buffer, int size);

#endif
