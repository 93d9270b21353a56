/* explicit_rk.h - explicit Runge-Kutta integration of y' = f(t, y) that stays on the constraints.
 *
 * A step: stages - combine - project - rate at the new point - error - accept or retreat. The rate at the
 * projected point is the first stage of the next step, and its factorization also serves the velocity
 * projection, so that projecting costs a few solves and no factorization of its own.
 */
#ifndef KI_EXPLICIT_RK_H
#define KI_EXPLICIT_RK_H

#include "integrate/step_control.h"
#include "integrate/tableau.h"
#include "stabilize/stabilizer.h"

/* What is integrated: a workspace with its formulation, and what keeps its solution on the constraints. */
typedef struct ki_flow {
    ki_dynamics *dynamics;
    keel_stabilize stabilize;
} ki_flow;

typedef struct ki_rk_settings {
    double tolerance, absolute_tolerance;
    double step;     /* fixed step, or first step of an adaptive method (0: chosen) */
    double max_step; /* 0: no limit */
    double most_steps;
} ki_rk_settings;

typedef struct ki_rk {
    const ki_tableau *tableau;
    ki_flow flow;      /* for the steps                                                        */
    ki_flow flow_rows; /* for dense output: rows must not disturb the steps, so it has its own dynamics */
    ki_rk_settings settings;
    ki_step_control control;

    int n;                 /* length of y; the last component (work) is not error-controlled */
    double t, h;           /* time reached, step to try next                         */
    double *y;             /* state at t                                             */
    double t_old, h_taken; /* the last step was [t_old, t_old + h_taken]             */
    double *y_old;
    double *k[KI_STAGES_MAX]; /* rates of the last step; k[stages] is the rate at t   */
    double *y_try, *estimate, *estimate_low;
    double *dense[4 + KI_DENSE_MAX]; /* r_1 .. of tableau.h                           */
    bool dense_ready;
    double singular_at; /* where the step after is expected to meet a singular pose; infinity: nowhere */
    bool approaching;   /* a step across it was rejected: come nearer first                           */
    bool singular_near; /* too near to come nearer: the next step across is taken as it is */
    long steps, rejected;
    double moved_position, moved_velocity; /* sums of squares of the corrections of accepted steps, M-norm */
    ki_arena arena;
} ki_rk;

/* `flow_rows` must have the same formulation with a dynamics of its own. Copies y (length n_y), evaluates the
 * rate and chooses the first step. ki_rk_clear must be called after failures too. */
keel_status ki_rk_init(ki_rk *rk, const ki_tableau *tableau, const ki_flow *flow, const ki_flow *flow_rows,
                       const ki_rk_settings *settings, double t, const double *y, double t_end);
void ki_rk_clear(ki_rk *rk);

/* One accepted step, not beyond t_end. KEEL_ERROR_STEP_SIZE when it became too small (dynamics->trouble tells
 * why, if failures of the model caused it), KEEL_ERROR_LIMIT when there were too many. The state stays at the
 * last good step. */
keel_status ki_rk_step(ki_rk *rk, double t_end);

/* y at a time within the last step. */
keel_status ki_rk_interpolate(ki_rk *rk, double t, double *y);

#endif
