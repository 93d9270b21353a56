/* judge.h - the verdict on a run: docs/verdict.md. */
#ifndef KI_JUDGE_H
#define KI_JUDGE_H

#include "run/simulation.h"

/* What one step may be off by in the work, 0: anything. Where constraints and motions leave no freedom, the
 * state is what they make of it, and the work is all that a step integrates: its error alone can tell how
 * long a step may be. Elsewhere it follows the state. */
double ki_allowed_work(keel_simulation *sim);

/* v^T M v / 2 where the run stands. */
double ki_energy_of_motion(keel_simulation *sim);

/* After every step: how large the motion and its energies are. */
void ki_size_motion(keel_simulation *sim, double energy);

/* Of a run that did not start. */
void ki_judge_refused(keel_result *result);

/* Of the run as far as it got, from what the result has already. */
void ki_judge_run(const keel_simulation *sim, keel_result *result);

#endif
