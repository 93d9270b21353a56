/* sizes.h - how large constraints and their violations are. */
#ifndef KI_SIZES_H
#define KI_SIZES_H

#include "formulate/dynamics.h"

/* The violation at (t, y): largest |Phi_i| and |rate_i|, their rows, and the largest relative to the
 * constraint's size. J must have been evaluated at (t, y). The same for the changes of the invariants since
 * ki_set_invariants; without it they are 0 and the row is -1. */
typedef struct ki_violation {
    double position, velocity, position_scaled, velocity_scaled;
    int position_row, velocity_row;
    double invariant, invariant_scaled;
    int invariant_row;
} ki_violation;

keel_status ki_measure_violation(ki_dynamics *d, double t, const double *y, ki_violation *violation);

/* The same at a point that nobody has asked for before, nor will: nothing is looked up or kept. */
keel_status ki_measure_violation_anew(ki_dynamics *d, double t, const double *y, ki_violation *violation);

/* size[i]: how large the terms of constraint i are, so that size * round-off is as small as its violation can
 * get. position:  sum_j |J_ij| |q_j|                velocity:  sum_j |J_ij| |v_j| with components not below
 * their scale (scales.h), or a hundredth of it; positions also not below a tenth of keel_system.Phi_size. */
void ki_position_sizes(const ki_dynamics *d, const double *q, double *size);
void ki_velocity_sizes(const ki_dynamics *d, const double *v, double *size);

/* The same for the invariants in d->at: sum_j |I_y_ij| |y_j|, or |I_0| if that is larger. */
void ki_invariant_sizes(const ki_dynamics *d, const double *y, double *size);

/* The largest |violation_i| / size_i, and its row. A NaN counts as largest. */
double ki_worst_relative(const double *violation, const double *size, int rows, int *worst);

#endif
