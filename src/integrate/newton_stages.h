/* newton_stages.h - Newton's method for all stages of an implicit Runge-Kutta step at once, each with
 * derivatives of its own.
 *
 * The stages Z_i = h sum_j a_ij F(t_j, y + Z_j) are corrected by dZ with
 *
 *     dZ_i - h sum_j a_ij f_y,j dZ_j = b_i,       b_i = h sum_j a_ij F_j - Z_i
 *
 * As in newton.h f_y is never formed: the unknowns x = (da, dlambda, dw) are the changes of accelerations,
 * multipliers and rates of states at every stage. With q' = v
 *
 *     dv = b_v + h A da,    dq = b_q + h A dv,    dz = b_z + h A dw
 *
 *         [ M     J^T - Q_lambda    0 ]
 *     P = [ J     -delta            0 ],       P_i x_i + R_q,i dq_i + R_v,i dv_i + R_z,i dz_i = 0  at stage i
 *         [ 0     0                 I ]
 *
 * or, with S = (R_v, 0, R_z) and T = (R_q, 0, 0) in the columns of the unknowns,
 *
 *     P_i x_i + sum_j (h A_ij S_i + h^2 (A^2)_ij T_i) x_j = -T_i (b_q + h A b_v)_i - S_i (b_v, 0, b_z)_i
 *
 * a system of s (n_v + m + n_z) unknowns. One f_y for all stages (radau.h) needs matrices of a part s of that
 * size; but where f_y changes within a step its corrections shrink slowly, and more slowly the longer the
 * step. Those of this one shrink with the error of the predicted stages.
 *
 * One stage with A = gamma / h is the real system (I - gamma f_y) x = b of newton.h, which filters estimates
 * of the error.
 *
 * P, S and T are taken at the middle and at the last stage only. At the others they are those of the parabola
 * through these two and the last stage of the step before.
 */
#ifndef KI_NEWTON_STAGES_H
#define KI_NEWTON_STAGES_H

#include "integrate/newton.h"
#include "linalg/sweep.h"

enum { KI_COUPLED_STAGES = 5 }; /* at most */

typedef enum ki_node { KI_NODE_START, KI_NODE_MIDDLE, KI_NODE_END, KI_NODES } ki_node;

typedef struct ki_coupled {
    const ki_newton *newton;
    int stages, middle;
    const double *c; /* [stages] */
    int size, width; /* unknowns of a stage, and their place in a column */
    double unit_A[KI_COUPLED_STAGES][KI_COUPLED_STAGES],
        unit_A_square[KI_COUPLED_STAGES][KI_COUPLED_STAGES]; /* A, A^2 */
    double A[KI_COUPLED_STAGES][KI_COUPLED_STAGES],
        A_square[KI_COUPLED_STAGES][KI_COUPLED_STAGES]; /* h A, h^2 A^2 */
    double *node[KI_NODES];                             /* [3][size][width] columns of P, S, T */
    double *stage[KI_COUPLED_STAGES];                   /* the same at the stages, some of them nodes */
    bool knows_start;
    int *tangent_place, *M_lower, *M_upper, *J_lower, *J_upper, *Q_lambda_place; /* of entries in a node */
    ki_sweep inverse, filter;       /* of all stages, of the real system */
    double *x[KI_COUPLED_STAGES];   /* [size] one after another              */
    double *way;                    /* [2 width] what multiplies S and T     */
    double *sum[KI_COUPLED_STAGES]; /* [width] h A times something           */
    ki_arena arena;
} ki_coupled;

/* Whether this is for a system: small, with derivatives, q' = v. */
bool ki_coupled_suits(const ki_newton *newton, int stages);

/* For stages at c [stages], which must outlive this. KEEL_OK or KEEL_ERROR_MEMORY; ki_coupled_clear must be
 * called in either case. */
keel_status ki_coupled_init(ki_coupled *coupled, const ki_newton *newton, int stages, int middle,
                            const double *c, const double (*A)[KI_COUPLED_STAGES]);
void ki_coupled_clear(ki_coupled *coupled);

/* The derivatives at the middle or the end are those that `newton` has taken last. */
void ki_coupled_take(ki_coupled *coupled, ki_node where);

/* Factors for a step of h with the derivatives at hand. KEEL_ERROR_SINGULAR: try another step. */
keel_status ki_coupled_factor(ki_coupled *coupled, double h);

/* b_i <- dZ_i,  [n_y] each with room for four more; b_W stays. */
void ki_coupled_solve(ki_coupled *coupled, double *const *b);

/* b <- (I - gamma f_y)^-1 b with the derivatives at the middle,  [n_y] with room for four more; b_W stays.
 * KEEL_ERROR_SINGULAR: try another gamma. */
keel_status ki_coupled_filter(ki_coupled *coupled, double gamma, double *b);

/* Before the first step of a row of them: nothing is known from the step before. */
void ki_coupled_begin(ki_coupled *coupled);

/* A step was taken: the derivatives at its end are those at the start of the next one. */
void ki_coupled_advance(ki_coupled *coupled);

#endif
