/* momenta.h - momenta in a step of the conserving rule (conserving.h).
 *
 * The system can be turned and shifted as a whole (keel_system.rigid). With g_i a combination of such
 * displacements that its joints to the ground allow and p_i = g_i . M v the momentum along it, the motion has
 * p_i' = g_i . F with F the forces and the constraint forces. The midpoint rule, g_i . r = 0, misses that by
 * terms of h^2,
 *
 *     delta_i = (p_i(q1, v1) - p_i(q0, v0))/h - p_i'(q_m, v_m, a),
 *
 * p' along v_m with the acceleration a. A force M sum_j mu_j g_j makes up for it,
 *
 *     sum_j (g_i . M g_j) mu_j = delta_i      so that      (p_i(q1, v1) - p_i(q0, v0))/h = g_i . F
 *
 * exactly. Momenta that neither a force nor a constraint opposes are *kept*: delta_i = ... - g_i . J^T L
 * there, because in the middle joints are open by terms of h^2, and forces in an open joint make a couple
 * that is none. So they are constant, whatever the coordinates. What the energy lacks must not spoil that
 * again: the force that supplies it acts along M u instead of M dq,
 *
 *     u = dq - sum_j gamma_j g_j,     g_i . M u = 0,      i, j over the momenta that are kept.
 *
 * Whether a force opposes a displacement is asked in the pose of the start and in others, at rest; whether a
 * constraint does, at the start and at the end of every step, where joints are closed. A step by whose end
 * one does is to be solved again.
 */
#ifndef KI_MOMENTA_H
#define KI_MOMENTA_H

#include "formulate/dynamics.h"

enum { KI_RIGID = 6 }; /* most rigid displacements */

typedef struct ki_momenta {
    ki_dynamics *dynamics;
    int n;                           /* of the system */
    int count, kept;                 /* g, the kept ones first                                            */
    double part[KI_RIGID][KI_RIGID]; /* [count][n] of the displacements in g                           */
    double *xi;                      /* [n x n_v] */
    double *g, *Mg;                  /* [count x n_v] in the middle */
    double start[KI_RIGID], end[KI_RIGID], rate[KI_RIGID]; /* [count] p */
    double gram[KI_RIGID * KI_RIGID];                      /* [count x count] Cholesky factor of g . M g */
    int usable;                                            /* of the first so many the factor is regular */
} ki_momenta;

/* Which displacements there are, for runs from (t, y) to t_end. Takes memory from `arena`; a failed
 * allocation shows there. */
void ki_momenta_init(ki_momenta *p, ki_arena *arena, ki_dynamics *d, double t, double t_end, const double *y);

/* Whether no constraint opposes a kept displacement at (t, y), where d->at holds J. If one does, fewer are
 * kept. */
bool ki_momenta_confirm(ki_momenta *p, double t, const double *y);

/* p at the start of a step, and at its end. */
void ki_momenta_start(ki_momenta *p, double t, const double *y);
void ki_momenta_end(ki_momenta *p, double t, const double *y);

/* g and delta in the middle, where d->at holds M and J; adds the force to r. */
void ki_momenta_balance(ki_momenta *p, double t, double h, const double *y, const double *a, const double *L,
                        double *r);

/* x <- x minus its part along the kept momenta. */
void ki_momenta_spare(const ki_momenta *p, double *x);

#endif
