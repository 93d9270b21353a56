/* reaction.h - forces in joints, and outputs. */
#ifndef KI_MECHANISM_REACTION_H
#define KI_MECHANISM_REACTION_H

#include "mechanism/quantity.h"

/* Components of KI_MEASURE_REACTION: 0 magnitude of the force, 1..3 force in world axes, 4..6 in the joint's,
 * 7 magnitude of the torque, 8..10, 11..13 likewise. */

/* keel_system.outputs of a mechanism. */
keel_status ki_mech_outputs(const keel_system *system, void *work, const keel_point *at, const double *v_rate,
                            double *values);

/* Outputs of the description -> mech->outputs and the names of the system. */
keel_status ki_outputs_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics);

/* Motions and start values of the description -> mech. */
keel_status ki_motions_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics);
keel_status ki_starts_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics);

/* Layout of ki_mech_work.inputs (formula_work.c): where the inputs of the outputs begin, and whether the
 * reactions stand behind them. */
int ki_output_inputs(const ki_mech *mech);
bool ki_outputs_need_reactions(const ki_mech *mech);

/* f, f', f'' of motion i at time t. */
void ki_motion_law(const ki_mech *mech, ki_mech_work *w, int i, double t, double law[3]);

#endif
