/* Backward differentiation, orders 1 to 5, variable order and step, with coordinate projection (Eich 1993).
 *
 *     y_n - sum_i alpha_i y_{n-i} = gamma f(t_n, y_n)        then y_n is projected onto the constraints
 *
 * CVODE chooses steps and orders and keeps the history; here are the rate, the Newton matrix and the
 * projection. The projected values are what the next steps build on, and the error estimate loses the part
 * that projection removes (section 4.1 of the paper). Projection uses the factors of the last rate as long as
 * they contract the violation (section 4.2), so that it rarely factors anything itself.
 */
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "integrate/newton.h"
#include "integrate/sundials/bridge.h"

typedef struct bdf {
    ki_integrator base;
    ki_newton newton;
    ki_bridge bridge;
    void *cvode;
    double *moved;       /* [n] a state while it is projected */
    keel_status failure; /* of the last callback that failed  */
    long rejected;       /* counted by CVODE since the last restart */
} bdf;

static int answer(bdf *self, keel_status status) {
    if (status)
        self->failure = status;
    return ki_bridge_code(status);
}

static int rate(realtype t, N_Vector y, N_Vector y_rate, void *user) {
    bdf *self = user;
    return answer(self,
                  ki_rate(self->base.flow.dynamics, t, N_VGetArrayPointer(y), N_VGetArrayPointer(y_rate)));
}

/* 1 / allowed error; next to nothing for the work where it is only book-keeping. */
static int weights(N_Vector y, N_Vector weight, void *user) {
    const bdf *self = user;
    const double *at = N_VGetArrayPointer(y);
    double *w = N_VGetArrayPointer(weight);
    for (int i = 0; i < self->base.n - 1; i++)
        w[i] = 1 / ki_allowed_error(&self->base, at, at, i);
    w[self->base.n - 1] = self->base.work_allowed > 0 ? 1 / self->base.work_allowed : 1e-100;
    return 0;
}

/* The Newton matrix I - gamma f_y: linearised anew unless CVODE finds the old derivatives good enough. */
static int newton_matrix(realtype t, N_Vector y, N_Vector fy, SUNMatrix A, booleantype old_is_good,
                         booleantype *is_new, realtype gamma, void *user, N_Vector tmp1, N_Vector tmp2,
                         N_Vector tmp3) {
    bdf *self = user;
    (void)A, (void)tmp1, (void)tmp2, (void)tmp3;
    *is_new = !old_is_good;
    if (!old_is_good) {
        self->base.jacobians++;
        keel_status status =
            ki_newton_linearize(&self->newton, t, N_VGetArrayPointer(y), N_VGetArrayPointer(fy));
        if (status)
            return answer(self, status);
    }
    keel_status status = ki_newton_factor(&self->newton, gamma);
    if (!status)
        ki_newton_offer_metric(&self->newton);
    return answer(self, status);
}

static void newton_solve(void *user, double *b) {
    bdf *self = user;
    ki_newton_solve(&self->newton, b);
}

/* correction = projected y - y; the error estimate loses its normal part. */
static int project(realtype t, N_Vector y, N_Vector correction, realtype tolerance, N_Vector error,
                   void *user) {
    bdf *self = user;
    ki_integrator *base = &self->base;
    const double *from = N_VGetArrayPointer(y);
    double *change = N_VGetArrayPointer(correction);
    (void)tolerance;
    memcpy(self->moved, from, (size_t)base->n * sizeof(double));
    ki_normalize(base->flow.dynamics, self->moved);
    keel_status status = ki_settle(base->flow.dynamics, base->flow.stabilize, t, self->moved);
    if (!status && error)
        status = ki_settle_estimate(base, N_VGetArrayPointer(error));
    for (int i = 0; i < base->n; i++)
        change[i] = self->moved[i] - from[i];
    return answer(self, status);
}

/* What CVODE's way of failing means to us. */
static keel_status status_of(const bdf *self, int code) {
    switch (code) {
    case CV_MEM_FAIL:
        return KEEL_ERROR_MEMORY;
    case CV_RHSFUNC_FAIL:
    case CV_LSETUP_FAIL:
    case CV_PROJFUNC_FAIL:
        return self->failure && !ki_worth_retrying(self->failure) ? self->failure : KEEL_ERROR_STEP_SIZE;
    default:
        return KEEL_ERROR_STEP_SIZE;
    }
}

static long rejected_so_far(const bdf *self) {
    long errors = 0, failures = 0;
    CVodeGetNumErrTestFails(self->cvode, &errors);
    CVodeGetNumStepSolveFails(self->cvode, &failures);
    return errors + failures;
}

/* Begins anew at the state reached: order one, small step. Helps over jumps of the forces. */
static int restart(bdf *self) {
    memcpy(N_VGetArrayPointer(self->bridge.state), self->base.y, (size_t)self->base.n * sizeof(double));
    self->rejected = 0;
    CVodeSetInitStep(self->cvode, 0);
    return CVodeReInit(self->cvode, self->base.t, self->bridge.state);
}

static keel_status step(ki_integrator *base, double t_end) {
    enum { MOST_RESTARTS = 3 };
    bdf *self = (bdf *)base;
    ki_dynamics *d = base->flow.dynamics;
    double t = base->t;
    int code = CVodeSetStopTime(self->cvode, t_end);
    if (!self->failure) /* otherwise the trouble of the step before may be what makes this one small */
        d->trouble.kind = KI_TROUBLE_NONE;
    self->failure = KEEL_OK;
    ki_follow_motion(d, base->y, NULL);
    d->step = fmax(d->step, base->longest_step);
    if ((double)(base->steps + base->rejected) >= base->settings.most_steps)
        return KEEL_ERROR_LIMIT;
    for (int restarts = 0;; restarts++) {
        if (code >= 0)
            code = CVode(self->cvode, t_end, self->bridge.state, &t, CV_ONE_STEP);
        long rejected = rejected_so_far(self);
        base->rejected += rejected - self->rejected;
        self->rejected = rejected;
        if (code >= 0)
            break;
        if (restarts == MOST_RESTARTS || !ki_worth_retrying(status_of(self, code)))
            return status_of(self, code);
        code = restart(self);
    }
    if (t - base->t <= 4 * DBL_EPSILON * fabs(t) &&
        t < t_end) /* CVODE would go on without getting anywhere */
        return KEEL_ERROR_STEP_SIZE;
    memcpy(base->y, N_VGetArrayPointer(self->bridge.state), (size_t)base->n * sizeof(double));
    CVodeGetLastOrder(self->cvode, &base->order);
    ki_accept_step(base, t, t_end);
    return ki_solve_auxiliaries(d, base->t,
                                base->y); /* those of the state reached, not of the last iterate */
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    bdf *self = (bdf *)base;
    if (t == base->t || base->t == base->t_old) {
        memcpy(y, base->y, (size_t)base->n * sizeof(double));
        return KEEL_OK;
    }
    N_VSetArrayPointer(y, self->bridge.view);
    return CVodeGetDky(self->cvode, t, 0, self->bridge.view) < 0 ? KEEL_ERROR_INPUT : KEEL_OK;
}

static keel_status slope(ki_integrator *base, double t, double *rate) {
    bdf *self = (bdf *)base;
    N_VSetArrayPointer(rate, self->bridge.view);
    return CVodeGetDky(self->cvode, t, 1, self->bridge.view) < 0 ? KEEL_ERROR_INPUT : KEEL_OK;
}

static void clear(ki_integrator *base) {
    bdf *self = (bdf *)base;
    if (self->cvode)
        CVodeFree(&self->cvode);
    ki_bridge_clear(&self->bridge);
    ki_newton_clear(&self->newton);
}

static bool has_projection(const ki_integrator *base) {
    keel_stabilize kind = base->flow.stabilize;
    return kind == KEEL_PROJECTION || kind == KEEL_GRADIENT || base->flow.dynamics->system->advance;
}

/* Hands everything to CVODE; false if it refuses. */
static bool set_up_cvode(bdf *self) {
    enum { MOST_FAILURES = 20 }; /* in one step */
    ki_integrator *base = &self->base;
    const ki_integrator_settings *set = &base->settings;
    void *cvode = self->cvode;
    int code = CVodeSetErrHandlerFn(cvode, ki_bridge_silence, NULL);
    code |= CVodeInit(cvode, rate, base->t, self->bridge.state);
    code |= CVodeWFtolerances(cvode, weights);
    code |= CVodeSetUserData(cvode, self);
    code |= CVodeSetLinearSolver(cvode, self->bridge.solver, self->bridge.matrix);
    code |= CVodeSetLinSysFn(cvode, newton_matrix);
    code |= CVodeSetMaxNumSteps(cvode, -1);
    code |= CVodeSetMaxErrTestFails(cvode, MOST_FAILURES);
    code |= CVodeSetMaxConvFails(cvode, MOST_FAILURES);
    if (self->newton.exact) { /* cheap enough to be of the present step: see docs/bdf.md */
        code |= CVodeSetLSetupFrequency(cvode, 1);
        code |= CVodeSetJacEvalFrequency(cvode, 1);
    }
    if (set->step > 0)
        code |= CVodeSetInitStep(cvode, set->step);
    if (set->max_step > 0)
        code |= CVodeSetMaxStep(cvode, set->max_step);
    if (set->order > 0)
        code |= CVodeSetMaxOrd(cvode, set->order < 5 ? set->order : 5);
    if (has_projection(base)) {
        code |= CVodeSetProjFn(cvode, project);
        code |= CVodeSetProjErrEst(cvode, set->projected_error && base->flow.stabilize == KEEL_PROJECTION);
        code |= CVodeSetMaxNumProjFails(cvode, MOST_FAILURES);
    }
    return code == CV_SUCCESS;
}

static keel_status start(ki_integrator *base, const ki_problem *problem) {
    (void)problem;
    bdf *self = (bdf *)base;
    ki_dynamics *d = base->flow.dynamics;
    keel_status status = ki_newton_init(&self->newton, d);
    base->estimates_work = true;
    if (!status)
        status = ki_bridge_init(&self->bridge, base->n, self, newton_solve);
    self->moved = KI_NEW(&base->arena, double, base->n);
    if (status || !self->moved)
        return KEEL_ERROR_MEMORY;
    d->step = base->settings.step;
    status = ki_rate(d, base->t, base->y, self->moved); /* says at once what is wrong with the start */
    if (status)
        return status;
    ki_follow_motion(d, base->y, self->moved);
    memcpy(N_VGetArrayPointer(self->bridge.state), base->y, (size_t)base->n * sizeof(double));
    ki_foreign_begin("SUNDIALS");
    self->cvode = CVodeCreate(CV_BDF, self->bridge.context);
    bool good = self->cvode && set_up_cvode(self);
    ki_foreign_end();
    return good ? KEEL_OK : KEEL_ERROR_MEMORY;
}

const ki_method KI_BDF = {.size = sizeof(bdf),
                          .start = start,
                          .step = step,
                          .interpolate = interpolate,
                          .slope = slope,
                          .clear = clear};
