/* Explicit Runge-Kutta methods, given by their tableaus, that stay on the constraints.
 *
 * A step: stages - combine - project - rate at the new point - error - accept or retreat. The rate at the
 * projected point is the first stage of the next step, and its factorization also serves the velocity
 * projection, so that projecting costs a few solves and no factorization of its own. All factors are those of
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/four.h"
#include "integrate/integrator.h"
#include "integrate/step_control.h"
#include "integrate/tableau.h"

typedef struct rk {
    ki_integrator base;
    const ki_tableau *tableau;
    ki_combination a[KI_STAGES_MAX], error, error_low, dense_rates[KI_DENSE_MAX]; /* its rows */
    ki_combination from_last; /* from the last stage to the new point */
    ki_stages found;          /* how the stages of the last attempt were found */
    ki_step_control control;
    double h;       /* step to try next            */
    double h_taken; /* length of the last step     */
    double *y_old;
    double *k[KI_STAGES_MAX]; /* rates of the last step; k[stages] is the rate at t   */
    double *y_try, *estimate, *estimate_low;
    double *scale;                   /* of errors: 1 / what is allowed, 0 behind the components that count */
    long long *counted;              /* all bits of those that count, none behind                          */
    double *dense[4 + KI_DENSE_MAX]; /* r_1 .. of tableau.h                           */
    bool dense_ready;
    bool approaching; /* a step across a singular pose was rejected: come nearer first */
} rk;

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* y + h sum_j weight_j k_j into y_try, without the work: no rate depends on it. */
static void place_stage(rk *self, int s, double h, const double *y) {
    ki_combine(&self->a[s], self->base.n - 1, h, y, self->y_try);
}

/* h sum_j weight_j k_j without the work */
static void weighted_rates(const rk *self, const ki_combination *c, double h, double *e) {
    ki_combine(c, self->base.n - 1, h, NULL, e);
    e[self->base.n - 1] = 0;
}

/* The largest one of four; NaN if there is one. */
KI_INLINE double most_of(const ki_four *most) {
    double a = (*most)[0] > (*most)[1] ? (*most)[0] : (*most)[1];
    double b = (*most)[2] > (*most)[3] ? (*most)[2] : (*most)[3];
    double sum = ki_four_sum(most); /* a NaN slips through comparisons */
    return isnan(sum) ? sum : a > b ? a : b;
}

/* Largest |e_i| scale_i; NaN if there is one. */
KI_TWICE static double largest(const rk *self, const double *e) {
    ki_four most = {0};
    for (int i = 0; i < self->base.n - 1; i += KI_FOUR) {
        ki_four scaled = *ki_const_four_at(e, i) * *ki_const_four_at(self->scale, i);
        ki_four_most(&most, &scaled);
    }
    return most_of(&most);
}

/* scale_i = 1 / what is allowed for a component that goes from y to y_try, 0 for the work and what is behind
 * it; then the largest |e_i| scale_i of both estimates, e and e_low. */
KI_TWICE static void measure_estimates(rk *self, ki_allowance allowed, double *e, double *e_low) {
    ki_four most = {0}, most_low = {0};
    for (int i = 0; i < self->base.n - 1; i += KI_FOUR) {
        ki_four size = {0};
        ki_four_most(&size, ki_const_four_at(self->base.y, i));
        ki_four_most(&size, ki_const_four_at(self->y_try, i));
        ki_four scale =
            1 / (allowed.absolute * *ki_const_four_at(allowed.scale, i) + allowed.relative * size);
        scale = (ki_four)((ki_four_bits)scale & *(const ki_four_bits *)(self->counted + i));
        *ki_four_at(self->scale, i) = scale;
        ki_four scaled = *ki_const_four_at(self->estimate, i) * scale;
        ki_four scaled_low = *ki_const_four_at(self->estimate_low, i) * scale;
        ki_four_most(&most, &scaled);
        ki_four_most(&most_low, &scaled_low);
    }
    *e = most_of(&most);
    *e_low = most_of(&most_low);
}

/* Whether projection takes a part of error estimates. */
static bool leaves_less(const rk *self) {
    return self->base.settings.projected_error && self->base.flow.stabilize == KEEL_PROJECTION &&
           self->base.flow.dynamics->m > 0;
}

/* The error of the work, relative to what is allowed; 0 where it is not controlled. */
static double error_of_work(const rk *self, double h) {
    const ki_tableau *T = self->tableau;
    int last = self->base.n - 1, count = T->stages + T->error_uses_new_rate;
    double e = 0, low = 0;
    if (!(self->base.work_allowed > 0))
        return 0;
    for (int s = 0; s < count; s++) {
        e += h * T->error[s] * self->k[s][last];
        low += T->has_error_low ? h * T->error_low[s] * self->k[s][last] : 0;
    }
    double ratio = e != 0 ? 0.1 * low / e : 0;
    return fabs(e) / sqrt(1 + ratio * ratio) / self->base.work_allowed;
}

/* A time is known to its round-off only, and so is a rate that changes within the step: two units in the last
 * place of t make 2 eps |t| |k'| of it, and h times that of the step, with |k'| h at most what the stages
 * differ by. Shorter steps do not help; an estimate e below that is no error. Worth a look where h is not
 * much longer than the round-off of t; where it comes down to that, it does so before a pole. */
static double error_beyond_time(const rk *self, double h, const double *e, double error) {
    static const double SHORT = 1e-6, SHORTEST = 1e-12;
    double t = fabs(self->base.t), most = 0;
    if (!(error > 1) || !(error < INFINITY) || !(h < SHORT * t && h > SHORTEST * t))
        return error;
    for (int i = 0; i < self->base.n - 1; i++) {
        double low = self->k[0][i], high = low;
        for (int s = 1; s < self->tableau->stages; s++) {
            low = fmin(low, self->k[s][i]);
            high = fmax(high, self->k[s][i]);
        }
        double noise = 2 * DBL_EPSILON * t * (high - low);
        most = fmax(most, fabs(e[i]) * self->scale[i] / (1 + noise * self->scale[i]));
    }
    return fmin(error, most);
}

/* Largest error over all components, relative to what is allowed; formulas in tableau.h. The
 * ratio of two estimates tells how smooth the motion is, with or without what projection removes: only the
 * better one is projected. */
static keel_status error_of_attempt(rk *self, double h, double *error) {
    double part = 1, e, low;
    keel_status status = KEEL_OK;
    weighted_rates(self, &self->error, h, self->estimate);
    if (self->tableau->has_error_low)
        weighted_rates(self, &self->error_low, h, self->estimate_low);
    measure_estimates(self, ki_allowed(&self->base), &e, &low);
    if (self->tableau->has_error_low) {
        double ratio = e > 0 ? 0.1 * low / e : 0;
        part = 1 / sqrt(1 + ratio * ratio);
    }
    if (leaves_less(self)) {
        status = ki_settle_estimate(&self->base, self->estimate);
        e = largest(self, self->estimate);
    }
    e = error_beyond_time(self, h, self->estimate, e);
    double work = error_of_work(self, h);
    *error = e * part < work ? work : e * part; /* NaN stays */
    return status;
}

/* k_1 .. The last stage leaves its factors: projection begins with them. */
static keel_status stages_of_attempt(rk *self, double h) {
    const ki_tableau *T = self->tableau;
    ki_dynamics *d = self->base.flow.dynamics;
    int fully = d->m > 0 ? T->stages - 1 : T->stages; /* from here on */
    self->found = ki_begin_stages(d, self->y_try);
    ki_stage_run run = {.t = self->base.t,
                        .h = h,
                        .c = T->c,
                        .row = self->a,
                        .y = self->base.y,
                        .Y = self->y_try,
                        .k = self->k,
                        .now = 1,
                        .end = fully};
    keel_status status = KEEL_OK;
    ki_stages_by_code(d, &self->found, &run);
    for (int s = run.now; s < T->stages && !status; s++) {
        double t = self->base.t + T->c[s] * h;
        place_stage(self, s, h, self->base.y);
        if (s == fully)
            status = ki_rate(d, t, self->y_try, self->k[s]);
        else
            status = ki_stage_rate(d, &self->found, t, self->k[s]);
    }
    return status;
}

/* y' where a step ends: with the factors of a projection there, if there was one. */
static keel_status rate_at_end(rk *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    double *k = self->k[self->tableau->stages];
    if (d->m > 0)
        return ki_rate(d, t, self->y_try, k);
    if (!self->found.by_code.stages)
        self->found = ki_begin_stages(d, self->y_try);
    return ki_stage_rate(d, &self->found, t, k);
}

/* Tries a step: fills k, y_try and the error, and the rate k[stages] of y_try unless the error forbids the
 * step. A forced step is taken whatever its error. */
static keel_status attempt(rk *self, double h, bool forced, double *error) {
    const ki_tableau *T = self->tableau;
    ki_dynamics *d = self->base.flow.dynamics;
    keel_status status = stages_of_attempt(self, h);
    if (status)
        return status;
    ki_combine(&self->a[T->stages], self->base.n, h, self->base.y, self->y_try);
    double t_new = self->base.t + h;
    ki_normalize(d, self->y_try);
    d->rate_follows = true;
    status = ki_settle(d, self->base.flow.stabilize, t_new, self->y_try);
    d->rate_follows = false;
    /* not before, with the factors of the last stage: near singular poses those tell something else */
    if (!status && T->adaptive && !T->error_uses_new_rate) {
        status = error_of_attempt(self, h, error);
        if (status || (!(*error <= 1) && !forced)) /* no need for the new rate */
            return status;
    }
    if (!status)
        status = rate_at_end(self, t_new);
    if (!status && T->error_uses_new_rate)
        status = error_of_attempt(self, h, error);
    return status;
}

/* The part of the negative real axis (and somewhat more of the rest) in which the method is stable reaches as
 * far as h |lambda| = stiff_limit. Between the last stage and the new point, which belong to the same time,
 *
 *     d_k = k_new - k_last,   d_y = y_new - Y_last:        h |lambda| ~ h |d_k| / |d_y|
 *
 * is the largest eigenvalue that the step has met (Hairer and Wanner, section IV.2): accuracy alone would
 * keep it below. A strong damper, lambda < 0, turns d_k against d_y in positions and velocities alike. A fast
 * spring without damping, d_k = (d_v, -omega^2 d_q), never does: the products d_k d_y of its positions and
 * velocities have opposite signs.
 *
 * At tight tolerances accuracy keeps steps somewhat below the limit, and where a damper is at work an
 * implicit method pays already: a quarter of the limit is enough there. With a fast spring it pays only if
 * the spring is nearly at rest: if from one end of the step to the other the rates change by far less than
 * |lambda| times the change of the state. A damper in a motion that is far slower still pays at a thirtieth
 * of the limit: on a governor of absolute coordinates at 1e-9 h |lambda| is a twelfth of it, and dop853 does
 * sixty times the work of radau9. The direction of a damped oscillation says nothing where nothing moves by
 * as much as errors may be: what limits steps there is no motion.
 */
typedef struct eigenvalue {
    bool is_damped; /* lambda < 0 */
    bool is_idle;   /* the motion itself is far slower */
    bool is_slow;   /* ... by a further factor of ten */
    bool is_still;  /* the step has moved nothing by an allowed error */
} eigenvalue;

/* d_k into estimate_low, d_y into estimate; h |lambda| of the components that are largest against their
 * allowed error. */
static double largest_product(rk *self, double h) {
    const ki_tableau *T = self->tableau;
    const double *k_new = self->k[T->stages], *k_last = self->k[T->stages - 1];
    double *restrict d_k = self->estimate_low;
    weighted_rates(self, &self->from_last, h, self->estimate);
    for (int i = 0; i < self->base.n - 1; i++)
        d_k[i] = k_new[i] - k_last[i];
    d_k[self->base.n - 1] = 0;
    double distance = largest(self, self->estimate);
    return distance > 0 ? h * largest(self, d_k) / distance : 0;
}

/* What largest_product has found. */
static eigenvalue largest_eigenvalue(const rk *self) {
    static const double DAMPER = -0.9; /* cosine of the angle between d_k and d_y */
    static const double IDLE = 0.2, SLOW = 0.05;
    int n_q = self->base.flow.dynamics->system->n_q;
    const double *k_new = self->k[self->tableau->stages];
    double all = 0, of_q = 0, rates_2 = 0, distance_2 = 0, turned = 0, moved = 0;
    for (int i = 0; i < self->base.n - 1; i++) {
        double scale = self->scale[i], d_k = self->estimate_low[i] * scale, d_y = self->estimate[i] * scale;
        double turn = fabs(k_new[i] - self->k[0][i]) * scale;
        double move = fabs(self->base.y[i] - self->y_old[i]) * scale;
        turned = turn > turned ? turn : turned;
        moved = move > moved ? move : moved;
        all += d_k * d_y;
        of_q += i < n_q ? d_k * d_y : 0;
        rates_2 += d_k * d_k;
        distance_2 += d_y * d_y;
    }
    double rates = largest(self, self->estimate_low), distance = largest(self, self->estimate);
    double product = sqrt(rates_2) * sqrt(distance_2);
    return (eigenvalue){.is_damped = all < DAMPER * product && of_q <= 0,
                        .is_idle = turned * distance < IDLE * moved * rates,
                        .is_slow = turned * distance < SLOW * moved * rates,
                        .is_still = moved < 1};
}

/* Many steps of a kind, not interrupted by 4 others, are no chance. */
static bool are_many(ki_steps_of_a_kind *kind, bool one_more, int many) {
    enum { OTHERS = 4 };
    kind->others = one_more ? 0 : kind->others + 1;
    if (one_more)
        kind->count++;
    else if (kind->others >= OTHERS)
        kind->count = 0;
    return kind->count >= many;
}

/* Far from the limit a few steps say little: a trial costs as much as some twenty. */
static void look_for_stiffness(rk *self, double h) {
    static const double NEAR = 0.25, FAR = 0.03;
    enum { MANY = 10, MANY_FAR = 20 };
    ki_integrator *base = &self->base;
    double limit = self->tableau->stiff_limit;
    if (!(limit > 0))
        return;
    if (base->singular_at < INFINITY) { /* what changes so fast there are the constraints */
        base->damped = base->slow = base->fast = (ki_steps_of_a_kind){0};
        return;
    }
    eigenvalue lambda = {0};
    double part = largest_product(self, h) / limit;
    if (part > FAR)
        lambda = largest_eigenvalue(self);
    bool near = part > NEAR;
    bool damped = are_many(&base->damped, near && (lambda.is_damped || lambda.is_still), MANY);
    bool slow = are_many(&base->slow, lambda.is_damped && lambda.is_slow, MANY_FAR);
    bool fast = are_many(&base->fast, near && lambda.is_idle, MANY);
    base->stiff = damped || slow ? KI_STIFF_DAMPER : fast ? KI_STIFF_SPRING : KI_NOT_STIFF;
}

/* The sum of both estimates of a method with fixed steps: whichever is larger counts. */
static keel_status look_at_fixed_step(rk *self, double h) {
    weighted_rates(self, &self->error, h, self->estimate);
    weighted_rates(self, &self->error_low, h, self->estimate_low);
    for (int i = 0; i < self->base.n - 1; i++)
        self->estimate[i] = fabs(self->estimate[i]) + fabs(self->estimate_low[i]);
    return ki_rough_step_look(&self->base.rough, self->base.flow.dynamics, self->base.t_old, h, self->y_old,
                              self->base.y, self->estimate);
}

static keel_status accept(rk *self, double h, double t_end) {
    copy(self->y_old, self->base.y, self->base.n);
    copy(self->base.y, self->y_try, self->base.n);
    self->h_taken = h;
    self->dense_ready = false;
    self->base.order = self->tableau->order;
    ki_accept_step(&self->base, self->base.t + h, t_end);
    look_for_stiffness(self, h);
    return self->tableau->adaptive ? KEEL_OK : look_at_fixed_step(self, h);
}

/* A pose so near that it lies well between the first two stages of a step: only the rate at t is near it, and
 * that one is known. Such a step is like any other. */
static bool is_leap(const rk *self, double ahead, double h) {
    return ahead < 0.3 * self->tableau->c[1] * h;
}

/* Towards a singular pose at a distance of `ahead` accelerations lose their accuracy: a step that ends just
 * before it is a trap, one that straddles it with no stage nearby is not. If such a step fails, come nearer
 * by half and try again: what a step across leaves undetermined shrinks with its length. */
static double step_across(const rk *self, double h) {
    double ahead = self->base.singular_at - self->base.t;
    if (!self->tableau->adaptive || !(ahead > 0) || ahead > 1.5 * h || is_leap(self, ahead, h))
        return h;
    return self->approaching ? 0.5 * ahead : 2.2 * ahead;
}

/* The step to try: not beyond t_end, and no sliver left over for the step after. A step that is made longer
 * to reach across a pose, and does not because the end comes first, is not worth it. */
static double limited_step(const rk *self, double t_end) {
    double h = step_across(self, self->h), rest = t_end - self->base.t;
    if (self->tableau->adaptive) {
        double limited = ki_limited_step(&self->base, h, t_end);
        bool in_vain = h > self->h && !(self->base.singular_at < self->base.t + limited);
        return in_vain ? ki_limited_step(&self->base, self->h, t_end) : limited;
    }
    if (self->base.settings.max_step > 0)
        h = fmin(h, self->base.settings.max_step);
    return rest < h * (1 + 1e-9) ? rest : h;
}

/* The first stage: the last rate of the step before, unless automatic gains (gains.c) have changed, as they
 * follow the longest step and the motion. They do not follow shorter steps: a gain that grows as the step
 * shrinks would drive the step down further. */
static keel_status begin_step(rk *self) {
    ki_dynamics *d = self->base.flow.dynamics;
    d->trouble.kind = KI_TROUBLE_NONE;
    if (self->base.steps == 0)
        return KEEL_OK;
    copy(self->k[0], self->k[self->tableau->stages], self->base.n);
    bool changed = ki_follow_motion(d, self->base.y, self->k[0]);
    if (self->h_taken > d->step) {
        d->step = self->h_taken;
        changed = ki_has_automatic_gains(d);
    }
    return changed ? ki_rate(d, self->base.t, self->base.y, self->k[0]) : KEEL_OK;
}

/* A step that ends next to a singular pose by chance may be the last good one: another end is looked for, a
 * few times. Steps that come nearer on purpose may end nearer, unless constraints are redundant: those that
 * nearly depend on each other are then taken for dependent (ki_expect_redundancy), and nearer is too near. */
static bool must_move_end(const rk *self, bool forced, int moved) {
    return self->tableau->adaptive && !forced && ki_should_move_end(&self->base, moved);
}

/* Across a pose where branches meet, the error falls as attempts come nearer. */
static void note_crossing(ki_integrator *base, bool accepted, double error) {
    base->across_failed = accepted ? 0 : base->across_failed + 1;
    base->across_worse =
        !accepted && base->across_failed > 1 && error > 0.5 * base->across_error ? base->across_worse + 1 : 0;
    base->across_error = error;
}

static keel_status step(ki_integrator *base, double t_end) {
    rk *self = (rk *)base;
    int moved = 0;
    const ki_tableau *T = self->tableau;
    keel_status begun = begin_step(self);
    if (begun)
        return begun;
    for (;;) {
        double h = limited_step(self, t_end), h_next = self->h, error = 0;
        keel_status status = ki_may_attempt(base, h, t_end);
        if (status)
            return status;
        bool across = T->adaptive && base->singular_at > base->t && base->singular_at < base->t + h;
        /* nearer to the pose the state itself would become uncertain: such a step across is as good as it
         * gets */
        bool leap = across && is_leap(self, base->singular_at - base->t, h);
        bool forced = across && !leap && base->singular_near;
        status = attempt(self, h, forced, &error);
        if (status && !(T->adaptive && ki_worth_retrying(status)))
            return status;
        bool accepted = !status && (!T->adaptive || ki_step_control_judge(&self->control, error, h, &h_next));
        accepted = accepted || (!status && forced);
        if (status)
            h_next = ki_step_control_failed(&self->control, h);
        else if (!accepted)
            h_next = ki_step_before_switch(base, h, self->y_try, h_next);
        if (accepted && must_move_end(self, forced, moved)) {
            self->h = KI_MOVED_END * h;
            moved++;
            base->rejected++;
            continue;
        }
        self->h = across && !leap ? fmax(h_next, self->h) : h_next;
        self->approaching = across && !leap && !accepted;
        if (across)
            note_crossing(base, accepted, error);
        if (accepted)
            return accept(self, h, t_end);
        base->rejected++;
    }
}

static void list_weights(rk *self) {
    const ki_tableau *T = self->tableau;
    int last = T->stages - 1, all = T->stages + 1 + T->extra, count = T->stages + T->error_uses_new_rate;
    double weights[KI_STAGES_MAX];
    for (int s = 1; s < all; s++)
        self->a[s] = ki_combination_of(s, T->a[s], self->k);
    self->error = ki_combination_of(count, T->error, self->k);
    self->error_low = ki_combination_of(count, T->error_low, self->k);
    for (int j = 0; j < T->stages; j++)
        weights[j] = T->a[T->stages][j] - (j < last ? T->a[last][j] : 0);
    self->from_last = ki_combination_of(T->stages, weights, self->k);
    for (int r = 0; r < T->dense_rows; r++)
        self->dense_rates[r] = ki_combination_of(all, T->dense[r], self->k);
}

static double *new_vector(rk *self) {
    return KI_NEW(&self->base.arena, double, self->base.n + KI_SPARE);
}

static void allocate(rk *self) {
    const ki_tableau *T = self->tableau;
    double **vectors[] = {&self->y_old, &self->y_try, &self->estimate, &self->estimate_low, &self->scale};
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = new_vector(self);
    self->counted = KI_NEW(&self->base.arena, long long, self->base.n + KI_SPARE);
    for (int i = 0; self->counted && i < self->base.n - 1; i++)
        self->counted[i] = -1;
    for (int s = 0; s <= T->stages + T->extra; s++)
        self->k[s] = new_vector(self);
    for (int r = 0; r < 4 + T->dense_rows; r++)
        self->dense[r] = new_vector(self);
}

/* r_1 .. r_8 of tableau.h; the extra stages are evaluated here, on demand. */
static keel_status prepare_dense(rk *self) {
    const ki_tableau *T = self->tableau;
    double h = self->h_taken;
    ki_dynamics *d = self->base.flow_rows.dynamics;
    ki_stages stages = ki_begin_stages(d, self->y_try);
    for (int s = T->stages + 1; s <= T->stages + T->extra; s++) {
        place_stage(self, s, h, self->y_old);
        double t = self->base.t_old + T->c[s] * h;
        keel_status status = ki_stage_rate(d, &stages, t, self->k[s]);
        if (status)
            return status;
    }
    for (int i = 0; i < self->base.n; i++) {
        double change = self->base.y[i] - self->y_old[i], slope = h * self->k[0][i] - change;
        self->dense[0][i] = self->y_old[i];
        self->dense[1][i] = change;
        self->dense[2][i] = slope;
        self->dense[3][i] = change - h * self->k[T->stages][i] - slope;
    }
    for (int r = 0; r < T->dense_rows; r++)
        ki_combine(&self->dense_rates[r], self->base.n, h, NULL, self->dense[4 + r]);
    self->dense_ready = true;
    return KEEL_OK;
}

/* y = r_1 + theta (r_2 + (1 - theta) (r_3 + theta (r_4 + ..))), rows of r up to `last`, in whole fours: eight
 * components at a time, so that they do not wait for each other. */
KI_TWICE static void polynomial(int n, double *const *r, int last, double theta, double *y) {
    double factor[2] = {theta, 1 - theta};
    int i = 0;
    for (; i + KI_FOUR < n; i += 2 * KI_FOUR) {
        ki_four a = *ki_const_four_at(r[last], i), b = *ki_const_four_at(r[last], i + KI_FOUR);
        for (int k = last - 1; k >= 0; k--) {
            a = *ki_const_four_at(r[k], i) + factor[k % 2] * a;
            b = *ki_const_four_at(r[k], i + KI_FOUR) + factor[k % 2] * b;
        }
        *ki_four_at(y, i) = a;
        *ki_four_at(y, i + KI_FOUR) = b;
    }
    for (; i < n; i += KI_FOUR) {
        ki_four a = *ki_const_four_at(r[last], i);
        for (int k = last - 1; k >= 0; k--)
            a = *ki_const_four_at(r[k], i) + factor[k % 2] * a;
        *ki_four_at(y, i) = a;
    }
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    rk *self = (rk *)base;
    if (t == base->t || self->h_taken == 0) {
        copy(y, base->y, base->n);
        return KEEL_OK;
    }
    keel_status status = self->dense_ready ? KEEL_OK : prepare_dense(self);
    if (status)
        return status;
    double *inside = self->estimate; /* not in use between steps, and with room for whole fours */
    polynomial(base->n, self->dense, 3 + self->tableau->dense_rows, (t - base->t_old) / self->h_taken,
               inside);
    copy(y, inside, base->n);
    return KEEL_OK;
}

/* The first rate and the first step. */
static keel_status start(ki_integrator *base, const ki_problem *problem) {
    static const ki_tableau *const TABLEAUS[KEEL_INTEGRATORS] = {
        [KEEL_RK4] = &KI_RK4, [KEEL_DOPRI5] = &KI_DOPRI5, [KEEL_DOP853] = &KI_DOP853};
    const ki_tableau *T = TABLEAUS[problem->kind];
    rk *self = (rk *)base;
    ki_dynamics *d = base->flow.dynamics;
    self->tableau = T;
    base->estimates_work = true;
    self->control = ki_step_control_smooth(T->order, T->least_factor, T->most_factor);
    allocate(self);
    if (base->arena.failed)
        return KEEL_ERROR_MEMORY;
    if (!T->adaptive && ki_rough_step_init(&base->rough, &base->arena, d, base->y))
        return KEEL_ERROR_MEMORY;
    list_weights(self);
    copy(self->y_old, base->y, base->n);
    keel_status status = ki_rate(d, base->t, base->y, self->k[0]);
    if (status)
        return status;
    self->h = base->settings.step;
    if (!(self->h > 0))
        self->h = ki_choose_first_step(base, self->k[0], T->order, problem->t_end, self->y_try, self->k[1]);
    static const double WELL_INSIDE = 0.1; /* of the region of stability */
    d->step = self->h;
    d->gain_limit = WELL_INSIDE * ki_real_limit(T);
    ki_follow_motion(d, base->y, self->k[0]);
    if (ki_has_automatic_gains(d))
        status = ki_rate(d, base->t, base->y, self->k[0]);
    /* the rate at the start is also the rate at the end of a step of length zero, for rows before the first
     * step */
    copy(self->k[T->stages], self->k[0], base->n);
    return status;
}

const ki_method KI_EXPLICIT_RK = {
    .size = sizeof(rk), .start = start, .step = step, .interpolate = interpolate};
