/* Adams method of variable order and step that stays on the constraints: two evaluations a step.
 *
 *     predict    p       = y_n + h sum_{j<k} g_j Phi*_j            order k (adams_history.h)
 *     evaluate   f_p     = f(t_{n+1}, p)
 *     correct    y*      = p + h g_k Phi_k(n+1)                    order k + 1
 *     judge      e       = h (g_k - g_{k-1}) Phi_k(n+1)            error of order k
 *     project    y_{n+1} = nearest point to y* on the constraints
 *     evaluate   f_{n+1} = f(t_{n+1}, y_{n+1})                     the rate that enters the history
 *
 * The history holds rates only, no states. So a state may be replaced by its projection at any order, with
 * nothing in the history to correct: y* is off the constraints by its local error, O(h^{k+2}), which is
 * also how far the projection moves it, normal to them; and the rates that are kept are those of points on
 * the constraints. What the next step sees is an Adams method that began at y_{n+1}, a point as near to
 * the solution as y* was.
 *
 * Order and step: of the orders k - 1, k, k + 1 the one that promises the longest step.
 */
#include <math.h>
#include <string.h>

#include "integrate/adams_history.h"
#include "integrate/integrator.h"

/* Steps aim at this part of the allowed error, and change only when it is worth it: then rejections are
 * rare. Measured at tolerances from 1e-3 to 1e-12, for a given accuracy, against steps that are only kept
 * or doubled: a tenth fewer evaluations on Andrews' mechanism and a Kepler orbit, a twentieth more on the
 * pendulum. */
static const double AIM = 0.1;
static const double LEAST_GROWTH = 1.1, LEAST_CUT = 0.8, MOST_CUT = 0.5;

/* Polynomials of low order bear to be extrapolated further; and in the beginning the error is far below
 * what is allowed. */
enum { LOW_ORDER = 4 };
static const double MOST_GROWTH = 1.5, MOST_GROWTH_LOW = 2;

/* Without an error to go by (a model function failed), retreat at once. */
static const double FAILURE_CUT = 0.25;

/* Projection removes what an error has across the constraints, and little of that counts (ki_project_error).
 * But rates are evaluated out there, and projection is linear: farther away than a part of the size of y
 * mechanisms are torn, whatever the tolerance is. This is the tolerance at which a step may go that far, a
 * tenth of it by ki_error_norm. With 0.1 Bricard's was torn at two of ten tolerances from 1 to 1e-3, now at
 * none. */
static const double FARTHEST = 0.03;

/* Of a step, where a singular pose is too near to its end. */
static const double NEXT_TO_END = 0.65;

/* After so many failures in a row the past is no guide any more: begin anew. There the rate has jumped,
 * most likely, and the error is proportional to the step. */
enum { FAILURES_BEFORE_RESTART = 3 };
static const double RESTART_CUT = 0.1;

typedef struct adams {
    ki_integrator base;
    ki_adams_history history;
    int order;         /* k of the step to try next                                      */
    int order_taken;   /* of the last step                                               */
    int failures;      /* of the present step                                            */
    bool starting;     /* order and step are still being raised from 1 and the first step */
    double h;          /* step to try next                                               */
    double raw, error; /* of the last attempt at order k: its estimate as it is, and what projection leaves */
    double *y_old, *y_try, *rate, *estimate, *normal;
    double *mismatch; /* what the dense output lacks at t_old                          */
    bool dense_ready;
} adams;

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* The error of order j from Phi_j(n+1) into self->estimate; its norm, relative to what is allowed between y
 * and y_try. */
static double estimate_of(adams *self, int j, const double *Phi_j) {
    const ki_adams_history *H = &self->history;
    double weight = H->h * (H->g[j] - H->g[j - 1]);
    for (int i = 0; i < self->base.n; i++)
        self->estimate[i] = weight * Phi_j[i];
    return ki_error_norm(&self->base, self->estimate, self->base.y, self->y_try);
}

/* How far the estimate in self->normal is from that in self->estimate, which has lost what projection
 * removes, in parts of the farthest that projection is trusted with. */
static double distance_to_constraints(adams *self) {
    for (int i = 0; i < self->base.n; i++)
        self->normal[i] -= self->estimate[i];
    return ki_error_norm(&self->base, self->normal, self->base.y, self->y_try) *
           self->base.settings.tolerance / FARTHEST;
}

/* The error of the attempt at order k, from Phi_k(n+1) in self->estimate. */
static keel_status judge(adams *self, int k, double t_new, double *error) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_status status = KEEL_OK;
    self->raw = estimate_of(self, k, self->estimate);
    copy(self->normal, self->estimate, self->base.n);
    /* formulations that factor another matrix leave none for the projection of the error */
    if (self->base.flow.stabilize == KEEL_PROJECTION && !d->factored)
        status = ki_factor_at(d, t_new, self->y_try);
    if (!status)
        status = ki_settle_estimate(&self->base, self->estimate);
    self->error = ki_error_norm(&self->base, self->estimate, self->base.y, self->y_try);
    double distance = distance_to_constraints(self); /* a limit, not what steps aim at */
    self->error = fmax(self->error, distance > 1 ? distance : AIM * distance);
    *error = self->error;
    return status;
}

/* Tries a step: fills y_try and the error, and the rate at y_try unless the error forbids the step. */
static keel_status attempt(adams *self, double t_new, double *error) {
    ki_adams_history *H = &self->history;
    ki_dynamics *d = self->base.flow.dynamics;
    int k = self->order;
    ki_adams_history_aim(H, t_new);
    ki_adams_history_predict(H, k, self->base.y, self->y_try);
    keel_status status = ki_rate(d, t_new, self->y_try, self->rate);
    if (status)
        return status;
    ki_adams_history_difference(H, k, self->rate, self->estimate);
    for (int i = 0; i < self->base.n; i++)
        self->y_try[i] += H->h * H->g[k] * self->estimate[i];
    status = judge(self, k, t_new, error);
    if (status || !(*error <= 1))
        return status;
    ki_normalize(d, self->y_try);
    status = ki_settle(d, self->base.flow.stabilize, t_new, self->y_try);
    return status ? status : ki_rate(d, t_new, self->y_try, self->rate);
}

/* By how much the step may change when its error at order k is known: the error grows like h^{k+1}. */
static double growth(double error, int k) {
    return pow(AIM / error, 1.0 / (k + 1));
}

/* The error that the last step would have had at order j; infinity if that cannot be told. Projection is
 * taken to leave as much of it as it left at order k: that saves two solves for each order asked about. */
static double error_at_order(adams *self, int j) {
    const ki_adams_history *H = &self->history;
    if (j < 1 || j >= H->known || !(self->raw > 0))
        return INFINITY;
    return self->error / self->raw * estimate_of(self, j, H->Phi[j]);
}

/* In the beginning order and step are small: both rise with every step, until a lower order is as good. */
static bool keep_rising(adams *self, double error, int highest) {
    int k = self->order;
    if (k >= highest || growth(error, k) < 1)
        return false;
    return k == 1 || growth(error_at_order(self, k - 1), k - 1) <= growth(error, k);
}

/* The order of the next step. *error becomes the error at that order. Lower only if the order below that
 * agrees: a single difference may be small by chance. */
static void choose_order(adams *self, double *error, int highest) {
    int k = self->order;
    double present = growth(*error, k), below = error_at_order(self, k - 1);
    if (growth(below, k - 1) > present && (k == 2 || error_at_order(self, k - 2) <= *error)) {
        self->order = k - 1;
        *error = below;
        return;
    }
    double above = k < highest ? error_at_order(self, k + 1) : INFINITY;
    if (growth(above, k + 1) > present) {
        self->order = k + 1;
        *error = above;
    }
}

/* Order and step of the next step, after one of length h with the given error. */
static void choose_next(adams *self, double h, double error) {
    int fixed = self->base.settings.order;
    int highest = fixed > 0 && fixed < KI_ADAMS_ORDER_MAX ? fixed : KI_ADAMS_ORDER_MAX;
    self->starting = self->starting && keep_rising(self, error, highest);
    if (self->starting) {
        self->order++;
        self->h = MOST_GROWTH_LOW * h;
        return;
    }
    if (fixed > 0)
        self->order += self->order < highest;
    else
        choose_order(self, &error, highest);
    double most = self->failures ? 1 : self->order <= LOW_ORDER ? MOST_GROWTH_LOW : MOST_GROWTH;
    double factor = fmin(growth(error, self->order), most);
    if (factor < 1)
        factor = fmax(MOST_CUT, fmin(factor, LEAST_CUT));
    else if (factor < LEAST_GROWTH)
        factor = 1;
    self->h = h * factor;
}

static void accept(adams *self, double t_new, double t_end, double error) {
    self->order_taken = self->base.order = self->order;
    ki_adams_history_push(&self->history, t_new, self->rate);
    choose_next(self, self->history.h, error);
    copy(self->y_old, self->base.y, self->base.n);
    copy(self->base.y, self->y_try, self->base.n);
    self->dense_ready = false;
    self->failures = 0;
    ki_accept_step(&self->base, t_new, t_end);
}

static void retreat(adams *self, double h, bool error_known, double error) {
    double cut = FAILURE_CUT;
    self->base.rejected++;
    self->failures++;
    self->starting = false;
    if (error_known)
        cut = fmax(MOST_CUT, fmin(growth(error, self->order), LEAST_CUT));
    if (self->failures >= FAILURES_BEFORE_RESTART) {
        if (error_known)
            cut = fmax(RESTART_CUT, fmin(AIM / error, MOST_CUT));
        ki_adams_history_forget(&self->history);
        self->order = 1;
    }
    self->h = cut * h;
}

/* A step that ends next to a singular pose is a trap (docs/singular.md). If the pose lies so near to the end
 * of this one, steps are taken of such a length that it lies in the middle of the next. */
static double step_aside(const adams *self, double h) {
    double ahead = self->base.singular_at - self->base.t;
    return ahead > NEXT_TO_END * h && ahead < (2 - NEXT_TO_END) * h ? ahead / 1.5 : h;
}

static void move_end(adams *self, double h, int *moved) {
    self->h = KI_MOVED_END * h;
    self->base.rejected++;
    ++*moved;
}

static keel_status step(ki_integrator *base, double t_end) {
    adams *self = (adams *)base;
    ki_dynamics *d = base->flow.dynamics;
    int moved = 0;
    d->trouble.kind = KI_TROUBLE_NONE;
    /* automatic gains follow the longest step (law.h); rates of the past keep the gains they were found
     * with, which changes them by no more than the violation that is fed back */
    ki_follow_motion(d, base->y, self->rate);
    d->step = fmax(d->step, base->longest_step);
    for (;;) {
        double h = ki_limited_step(base, step_aside(self, self->h), t_end), error = 0;
        double t_new = h < t_end - base->t ? base->t + h : t_end;
        keel_status status = ki_may_attempt(base, h, t_end);
        if (status)
            return status;
        status = attempt(self, t_new, &error);
        if (status && !ki_worth_retrying(status))
            return status;
        bool good = !status && error <= 1;
        if (good && !ki_should_move_end(base, moved)) {
            accept(self, t_new, t_end, error);
            return KEEL_OK;
        }
        if (good)
            move_end(self, h, &moved);
        else
            retreat(self, h, !status && isfinite(error), error);
    }
}

/* The polynomial P of degree k + 1 with P(t_{n+1}) = y_{n+1} whose slope goes through f_{n+1}, ...,
 * f_{n+1-k} misses y_n by about the local error and by what projection has moved. With theta from 0 to 1
 * over the step,
 *
 *     y(t) = P(t) + (1 - theta)^2 (1 + 2 theta) (y_n - P(t_n))
 *
 * goes through both ends with the slopes f_n and f_{n+1}: dense output has no jumps and no corners. */
static keel_status interpolate(ki_integrator *base, double t, double *y) {
    adams *self = (adams *)base;
    int n = base->n, rates = self->order_taken + 1;
    if (t == base->t) {
        copy(y, base->y, n);
        return KEEL_OK;
    }
    if (!self->dense_ready) {
        ki_adams_history_integrate(&self->history, rates, base->t_old, self->mismatch);
        for (int i = 0; i < n; i++)
            self->mismatch[i] = self->y_old[i] - (base->y[i] + self->mismatch[i]);
        self->dense_ready = true;
    }
    double theta = (t - base->t_old) / (base->t - base->t_old);
    double share = (1 - theta) * (1 - theta) * (1 + 2 * theta);
    ki_adams_history_integrate(&self->history, rates, t, y);
    for (int i = 0; i < n; i++)
        y[i] += base->y[i] + share * self->mismatch[i];
    return KEEL_OK;
}

static keel_status allocate(adams *self) {
    double **vectors[] = {&self->y_old,    &self->y_try,  &self->rate,
                          &self->estimate, &self->normal, &self->mismatch};
    ki_arena *arena = &self->base.arena;
    ki_adams_history_init(&self->history, arena, self->base.n);
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = KI_NEW(arena, double, self->base.n);
    return arena->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* The first rate and the first step. */
static keel_status start(ki_integrator *base, const ki_problem *problem) {
    adams *self = (adams *)base;
    ki_dynamics *d = base->flow.dynamics;
    keel_status status = allocate(self);
    base->estimates_work = true;
    if (!status)
        status = ki_rate(d, base->t, base->y, self->rate);
    if (status)
        return status;
    self->h = base->settings.step;
    if (!(self->h > 0)) /* the error at order 1 is of order 2 in h */
        self->h = ki_choose_first_step(base, self->rate, 2, problem->t_end, self->y_try, self->estimate);
    d->step = self->h;
    ki_follow_motion(d, base->y, self->rate);
    if (ki_has_automatic_gains(d))
        status = ki_rate(d, base->t, base->y, self->rate);
    self->order = 1;
    self->starting = true;
    ki_adams_history_begin(&self->history, base->t, self->rate);
    return status;
}

const ki_method KI_ADAMS = {.size = sizeof(adams), .start = start, .step = step, .interpolate = interpolate};
