/* Backward differentiation on the implicit equations, orders 1 to 5, variable order and step (SUNDIALS
 * IDA).
 *
 *     F(t_n, Y_n, Y'_n) = 0   with   Y'_n = c Y_n + (earlier values)          F: ida_equations.h
 *
 * Nothing here uses the saddle-point solve of the other integrators but the start, where the accelerations
 * and multipliers that belong to the state come from it: an opinion of its own on the same system.
 *
 * Multipliers are left out of the tests of convergence and error: they are as accurate as the velocities
 * divided by the step, and a Newton iteration that waits for them never ends at tight tolerances. Nothing
 * is lost, for the equations are linear in them but for forces that depend on them. Those in the output
 * come from the state.
 */
#include <ida/ida.h>
#include <math.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "base/foreign.h"
#include "integrate/sundials/bridge.h"
#include "integrate/sundials/ida_equations.h"

typedef struct ida {
    ki_integrator base;
    ki_ida_equations equations;
    ki_bridge bridge;
    N_Vector rate; /* Y' */
    void *memory;  /* IDA's */
    SUNNonlinearSolver newton;
    double first_correction; /* of a Newton iteration, its norm */
    double *inside;          /* [size] Y inside a step */
    double *filtered;        /* [size] an error estimate */
    keel_status failure;     /* of the last callback that failed */
    long rejected;           /* counted by IDA since the last restart */
} ida;

static int answer(ida *self, keel_status status) {
    if (status)
        self->failure = status;
    return ki_bridge_code(status);
}

static int residual(realtype t, N_Vector Y, N_Vector Y_rate, N_Vector F, void *user) {
    ida *self = user;
    return answer(self, ki_ida_residual(&self->equations, t, N_VGetArrayPointer(Y),
                                        N_VGetArrayPointer(Y_rate), N_VGetArrayPointer(F)));
}

/* Weights of the n components from `first` on: 1 / allowed error. Not even Newton's iteration is better
 * than the round-off of the largest of them, in their scales. */
static void set_weights(const ida *self, const double *Y, int first, int n, double *w) {
    static const double ROUND_OFF = 3e-14;
    const double *scale = self->base.flow.dynamics->scales->y;
    double most = ki_most_of(n, Y + first, scale + first);
    for (int i = first; i < first + n; i++)
        w[i] = 1 / fmax(ki_allowed_error(&self->base, Y, Y, i), ROUND_OFF * most * scale[i]);
}

/* Next to nothing for work and multipliers. */
static int weights(N_Vector Y, N_Vector weight, void *user) {
    const ida *self = user;
    const keel_system *sys = self->base.flow.dynamics->system;
    const double *at = N_VGetArrayPointer(Y);
    double *w = N_VGetArrayPointer(weight);
    for (int i = 0; i < self->equations.size; i++)
        w[i] = 1e-100;
    set_weights(self, at, 0, sys->n_q, w);
    set_weights(self, at, sys->n_q, sys->n_v, w);
    for (int i = sys->n_q + sys->n_v; i < self->base.n - 1; i++)
        set_weights(self, at, i, 1, w);
    return 0;
}

/* Whose step is under way in this thread: SUNDIALS tells a norm only the vectors. */
static _Thread_local ida *stepping;

/* The larger of two; a NaN wins. */
static double larger(double a, double b) {
    return b <= a ? a : b;
}

/* The norm of IDA's error tests. Velocities have no freedom along the gradients of the constraints; when
 * the step changes the estimate jumps there, more so the lighter the bodies, and can hold the steps short
 * and of order one. Of what the filter takes out a hundredth still counts. */
static realtype error_norm(N_Vector x, N_Vector weight) {
    static const double REST = 0.01;
    ida *self = stepping;
    const double *e = N_VGetArrayPointer(x), *w = N_VGetArrayPointer(weight);
    double most = 0;
    memcpy(self->filtered, e, (size_t)self->equations.size * sizeof(double));
    ki_ida_filter(&self->equations, self->filtered);
    for (int i = 0; i < self->base.n - 1; i++)
        most = larger(most, fabs(w[i] * (self->filtered[i] + REST * (e[i] - self->filtered[i]))));
    return most;
}

static int newton_matrix(realtype t, realtype c, N_Vector Y, N_Vector Y_rate, N_Vector F, SUNMatrix A,
                         void *user, N_Vector tmp1, N_Vector tmp2, N_Vector tmp3) {
    ida *self = user;
    (void)A, (void)tmp1, (void)tmp2, (void)tmp3;
    self->base.jacobians++;
    return answer(self, ki_ida_factor(&self->equations, t, c, N_VGetArrayPointer(Y),
                                      N_VGetArrayPointer(Y_rate), N_VGetArrayPointer(F)));
}

static void newton_solve(void *user, double *b) {
    ida *self = user;
    ki_ida_solve(&self->equations, b);
}

/* The correction just made is below the tolerance, or the next one will be. IDA itself trusts a rate of
 * convergence that it saw some steps ago; the constraints then are held only as well as the matrix is new.
 */
static int has_converged(SUNNonlinearSolver newton, N_Vector sum, N_Vector correction, realtype tolerance,
                         N_Vector weight, void *user) {
    static const double SLOWEST = 0.9;
    ida *self = user;
    const double *x = N_VGetArrayPointer(correction), *w = N_VGetArrayPointer(weight);
    double size = 0;
    int iteration = 0;
    (void)sum;
    for (int i = 0; i < self->base.n - 1; i++)
        size = larger(size, fabs(x[i] * w[i]));
    SUNNonlinSolGetCurIter(newton, &iteration);
    if (size <= tolerance)
        return SUN_NLS_SUCCESS;
    if (iteration == 0) {
        self->first_correction = size;
        return SUN_NLS_CONTINUE;
    }
    double rate = pow(size / self->first_correction, 1.0 / iteration);
    if (!(rate <= SLOWEST))
        return SUN_NLS_CONV_RECVR;
    return rate / (1 - rate) * size <= tolerance ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

/* IDA empties the matrix before it is made; ours is elsewhere. */
static int empty_matrix(SUNMatrix A) {
    (void)A;
    return 0;
}

/* What IDA's way of failing means to us. */
static keel_status status_of(const ida *self, int code) {
    switch (code) {
    case IDA_MEM_FAIL:
        return KEEL_ERROR_MEMORY;
    case IDA_RES_FAIL:
    case IDA_LSETUP_FAIL:
        return self->failure && !ki_worth_retrying(self->failure) ? self->failure : KEEL_ERROR_STEP_SIZE;
    default:
        return KEEL_ERROR_STEP_SIZE;
    }
}

static long rejected_so_far(const ida *self) {
    long errors = 0, failures = 0;
    IDAGetNumErrTestFails(self->memory, &errors);
    IDAGetNumStepSolveFails(self->memory, &failures);
    return errors + failures;
}

/* Y and Y' of the state reached: v' and lambda from the saddle-point solve, mu = 0. */
static keel_status load_state(ida *self) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    const ki_ida_equations *e = &self->equations;
    double *Y = N_VGetArrayPointer(self->bridge.state), *Y_rate = N_VGetArrayPointer(self->rate);
    memset(Y, 0, (size_t)e->size * sizeof(double));
    memset(Y_rate, 0, (size_t)e->size * sizeof(double));
    memcpy(Y, base->y, (size_t)base->n * sizeof(double));
    keel_status status = ki_rate(d, base->t, Y, Y_rate);
    for (int i = 0; i < d->m; i++)
        Y[e->lambda + i] = e->dropped[i] ? 0 : d->lambda[i];
    return status;
}

/* Begins anew at the state reached: order one, small step. Helps over jumps of the forces. */
static keel_status restart(ida *self) {
    keel_status status = load_state(self);
    if (status)
        return status;
    self->rejected = 0;
    IDASetInitStep(self->memory, 0);
    return IDAReInit(self->memory, self->base.t, self->bridge.state, self->rate) < 0 ? KEEL_ERROR_STEP_SIZE
                                                                                     : KEEL_OK;
}

static int solve(ida *self, double t_end, double *t) {
    ida *outer = stepping; /* a model may run another one */
    stepping = self;
    int code = IDASetStopTime(self->memory, t_end);
    if (code >= 0)
        code = IDASolve(self->memory, t_end, t, self->bridge.state, self->rate, IDA_ONE_STEP);
    stepping = outer;
    return code;
}

/* One step of IDA's, begun anew a few times where it fails. */
static keel_status advance(ida *self, double t_end, double *t) {
    enum { MOST_RESTARTS = 3 };
    ki_integrator *base = &self->base;
    for (int restarts = 0;; restarts++) {
        int code = solve(self, t_end, t);
        long rejected = rejected_so_far(self);
        base->rejected += rejected - self->rejected;
        self->rejected = rejected;
        if (code >= 0)
            return *t > base->t ? KEEL_OK : KEEL_ERROR_STEP_SIZE;
        keel_status status = status_of(self, code);
        if (restarts == MOST_RESTARTS || !ki_worth_retrying(status) || restart(self))
            return status;
    }
}

static keel_status step(ki_integrator *base, double t_end) {
    ida *self = (ida *)base;
    ki_dynamics *d = base->flow.dynamics;
    const double *Y = N_VGetArrayPointer(self->bridge.state);
    double t = base->t;
    d->trouble.kind = KI_TROUBLE_NONE;
    self->failure = KEEL_OK;
    if ((double)(base->steps + base->rejected) >= base->settings.most_steps)
        return KEEL_ERROR_LIMIT;
    keel_status status = advance(self, t_end, &t);
    if (status)
        return status;
    memcpy(base->y, Y, (size_t)base->n * sizeof(double));
    ki_normalize(d, base->y);
    for (int i = 0; i < d->m; i++)
        d->lambda[i] = Y[self->equations.lambda + i];
    d->factored = false;
    d->moved_position = d->moved_velocity = 0;
    IDAGetLastOrder(self->memory, &base->order);
    ki_accept_step(base, t, t_end);
    /* those of the state reached, not of the last iterate */
    return ki_solve_auxiliaries(d, base->t, base->y);
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    ida *self = (ida *)base;
    const double *from = base->y;
    if (t != base->t && base->t != base->t_old) {
        N_VSetArrayPointer(self->inside, self->bridge.view);
        if (IDAGetDky(self->memory, t, 0, self->bridge.view) < 0)
            return KEEL_ERROR_INPUT;
        from = self->inside;
    }
    memcpy(y, from, (size_t)base->n * sizeof(double));
    return KEEL_OK;
}

static void clear(ki_integrator *base) {
    ida *self = (ida *)base;
    if (self->memory)
        IDAFree(&self->memory);
    if (self->newton)
        SUNNonlinSolFree(self->newton);
    if (self->rate)
        N_VDestroy(self->rate);
    ki_bridge_clear(&self->bridge);
    ki_ida_equations_clear(&self->equations);
}

/* The part of the allowed error that Newton's iteration may leave. The constraints of ggl are held to what
 * it leaves: ten times closer than with IDA's own 0.33, for a tenth more evaluations. Round-off limits it
 * from below. */
static double newton_part(double tolerance) {
    static const double PART = 0.03, LARGEST = 0.33, ROUND_OFF = 1e-12;
    return fmin(fmax(PART, ROUND_OFF / tolerance), LARGEST);
}

/* Hands everything to IDA; false if it refuses. */
static bool set_up_ida(ida *self) {
    enum { MOST_FAILURES = 20 }; /* in one step */
    const ki_integrator_settings *set = &self->base.settings;
    void *memory = self->memory;
    int code = IDASetErrHandlerFn(memory, ki_bridge_silence, NULL);
    code |= IDAInit(memory, residual, self->base.t, self->bridge.state, self->rate);
    code |= IDAWFtolerances(memory, weights);
    code |= IDASetUserData(memory, self);
    code |= IDASetNonlinearSolver(memory, self->newton);
    code |= SUNNonlinSolSetConvTestFn(self->newton, has_converged, self);
    code |= IDASetLinearSolver(memory, self->bridge.solver, self->bridge.matrix);
    code |= IDASetJacFn(memory, newton_matrix);
    code |= IDASetMaxNumSteps(memory, -1);
    code |= IDASetMaxErrTestFails(memory, MOST_FAILURES);
    code |= IDASetMaxConvFails(memory, MOST_FAILURES);
    code |= IDASetNonlinConvCoef(memory, newton_part(set->tolerance));
    if (set->step > 0)
        code |= IDASetInitStep(memory, set->step);
    if (set->max_step > 0)
        code |= IDASetMaxStep(memory, set->max_step);
    if (set->order > 0)
        code |= IDASetMaxOrd(memory, set->order < 5 ? set->order : 5);
    return code == IDA_SUCCESS;
}

static keel_status start(ki_integrator *base, const ki_problem *problem) {
    ida *self = (ida *)base;
    (void)problem;
    keel_status status = ki_ida_equations_init(&self->equations, base->flow.dynamics, base->t, base->y);
    int size = self->equations.size;
    if (!status)
        status = ki_bridge_init(&self->bridge, size, self, newton_solve);
    if (status)
        return status;
    self->bridge.matrix->ops->zero = empty_matrix;
    self->bridge.state->ops->nvwrmsnorm = error_norm; /* copies of this vector inherit it */
    ki_foreign_begin("SUNDIALS");
    self->rate = N_VClone(self->bridge.state);
    ki_foreign_end();
    self->inside = KI_NEW(&base->arena, double, size);
    self->filtered = KI_NEW(&base->arena, double, size);
    if (!self->rate || !self->inside || !self->filtered)
        return KEEL_ERROR_MEMORY;
    status = load_state(self); /* says at once what is wrong with the start */
    if (status)
        return status;
    ki_foreign_begin("SUNDIALS");
    self->memory = IDACreate(self->bridge.context);
    self->newton = SUNNonlinSol_Newton(self->bridge.state, self->bridge.context);
    bool good = self->memory && self->newton && set_up_ida(self);
    ki_foreign_end();
    return good ? KEEL_OK : KEEL_ERROR_MEMORY;
}

const ki_method KI_IDA = {
    .size = sizeof(ida), .start = start, .step = step, .interpolate = interpolate, .clear = clear};
