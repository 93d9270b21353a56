/* trouble.h - failures in words: time, constraint, joint. */
#ifndef KI_TROUBLE_H
#define KI_TROUBLE_H

#include "formulate/dynamics.h"
#include "keel/diagnostics.h"
#include "keel/run.h"
#include "run/collapse.h"

/* Adds an error for `status` (negative) that a call on `d` returned at time t. */
void ki_report_failure(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics);

/* The same for a step of a run, at the last good state: looks whether a motion has reached a dead point. */
void ki_report_step_failure(keel_simulation *sim, keel_status status);

/* Adds an error for steps that have become too short to get on. */
void ki_report_collapse(keel_simulation *sim, const ki_collapse *collapse);

/* "constraint 'rod' (joint 'A')" for row i of J. */
const char *ki_constraint_text(const keel_system *system, int i, char *buffer, int size);

/* "'hinge_2.x' of joint hinge_2 repeats what joint hinge_1 imposes", of a row among all constraints, at (t,
 * y). */
const char *ki_words_of_repetition(keel_simulation *sim, double t, const double *y, int row, char *text,
                                   int size);

#endif
