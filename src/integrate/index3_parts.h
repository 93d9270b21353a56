/* index3_parts.h - the inside of a ki_index3, shared by index3.c, index3_differences.c and
 * index3_condition.c.
 *
 * Unknowns and equations stand in the order displacements [0, n_v), multipliers [n_v, n_v + m), states. With
 * the left scale L of the motion and the scale D of the multipliers, mu = D dlambda, the matrix is
 *
 *     [ L/s (M + c_v R_v + c_q R_q)    L/D (J^T - Q_lambda)    L R_z       ] [ dq ]     [ L r_D ]
 *     [ J + c_r rate_q                 -delta                  0           ] [ mu ] = - [ r_C   ]
 *     [ c_z/s (c_v R_v + c_q R_q)      -c_z/D f_lambda         I + c_z R_z ] [ dz ]     [ r_z   ]
 *
 * (rate_q in rows at velocity level only; the last row has the rows -f_q, -f_v, -f_z of the tangent;
 * f_lambda by differences, where f depends on multipliers).
 */
#ifndef KI_INDEX3_PARTS_H
#define KI_INDEX3_PARTS_H

#include "integrate/chart.h"
#include "integrate/index3.h"

struct ki_index3 {
    ki_dynamics *dynamics;
    bool velocity_level; /* all rows; otherwise the nonholonomic ones */
    keel_scaling scaling;
    bool reference_mass;
    bool exact;      /* R from the tangent of the system; otherwise by differences         */
    bool exact_rate; /* rate_q of the system; otherwise, if it is needed, by differences   */
    bool needs_rate; /* some row is at velocity level                                       */
    int size;        /* n_v + m + n_z                                                       */

    keel_pattern
        R; /* (n_v + m + n_z) x (2 n_v + n_z) like the tangent, or the full one but for its rows of m */
    keel_pattern rate_q; /* m x n_v                                                         */
    bool couples;        /* f depends on multipliers */
    keel_pattern pattern;
    int *M_lower, *M_upper, *J_lower, *J_upper, *Q_lambda_slot, *R_slot, *rate_slot, *diagonal,
        *f_lambda_slot;

    double *M, *J, *Q_lambda, *R_values, *rate_values; /* where last linearised            */
    double *f_lambda;                                  /* [n_z x m] if couples */
    double *C;       /* rows of the constraints: J, or those of another point               */
    double softness; /* 1 / penalty                                                         */
    double mass;     /* |M| / |J| there, or 1                                               */
    double *delta;   /* [m] for mu = s dlambda / mass                                        */
    bool regular;    /* the factors have delta                                               */

    double s, c_v, c_q, c_r, c_z;
    double left, lambda_scale; /* L and D                                                   */
    ki_lu *lu;
    double *values, *rhs; /* [entries], [size] */

    bool turned;           /* T is not taken for the identity                                */
    ki_chart chart;        /* where it was taken, with `move` as v                           */
    double part;           /* of `move` where forces act                                      */
    double *turn, *answer; /* [n_v], [size]                                                   */

    double *y, *move, *residual, *base; /* [n_y], [n_v], [size], [size]: scratch of differences */
    double *matrix, *inverse, *square;  /* [size x size], once a condition number was asked for */
    double *column;                     /* [size] */
    int *pivot;                         /* [size] */
    ki_arena arena;
};

/* Fills R_values, rate_values and f_lambda by differences at (t, y); M and J in d->at are lost, those of
 * `self` are not. */
keel_status ki_index3_differences(ki_index3 *self, double t, const double *y);

/* True if row i of the constraints is at velocity level. */
bool ki_index3_at_velocity_level(const ki_index3 *self, int row);

/* rhs [size] <- the solution with the matrix and T, in the unknowns (dq, mu, dz). */
void ki_index3_solve_turned(ki_index3 *self);

/* L and D for self->scaling: see the table of index3.h. */
void ki_index3_set_scales(ki_index3 *self);

/* values = the matrix above. */
void ki_index3_assemble(ki_index3 *self);

/* The patterns of what differences fill. */
void ki_index3_full_patterns(ki_index3 *self);

#endif
