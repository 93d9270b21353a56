/* bridge - one long step across a singular pose, or away from one: Gauss collocation on the constraints.
 *
 * The motion along a branch is smooth where branches meet, but accelerations lose their digits next to such a
 * pose. So it is described by its rates at eight places of a long step, none of which is near the pose,
 *
 *     Y_i = P(y_0 + H sum_j a_ij k_j),   k_i = f(t_0 + c_i H, Y_i),   y_1 = P(y_0 + H sum_j b_j k_j)
 *
 * with the nodes c and weights b of Gauss, a_ij the integral of the Lagrange polynomial l_j from 0 to c_i,
 * and P the projection onto the constraints: the rates are those of points on the branch, however near to the
 * pose (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 1993, section II.7: order 16).
 * They are found by iteration. First guesses come one after the other, each from the polynomial through those
 * before it, so that the step stays on the branch that it comes from.
 *
 * A bridge away from a pose has its nodes in the part of the step that is not next to it; from rest, where
 * the way grows as the square of the time, they begin later, and the rate in the pose, which is known then,
 * is a node more.
 *
 * The error inside the step is that of the first coefficients that are missing in the rates as a sum of
 * Legendre polynomials; it is judged by the fall of the last ones that are there. Of a bridge away from a
 * pose it is what those make of the states at the nodes far from it: next to it round-off turns rates out of
 * the branch, and what comes of that is taken away again by the projection farther on.
 *
 * It takes one step, of the length that it was aimed with, or fails; then it can be aimed again. Where the
 * run ends before, the nodes stay where they are, and the step ends inside: a run may end in the pose itself.
 */
#include <math.h>
#include <string.h>

#include "integrate/integrator.h"
#include "linalg/dense.h"
#include "stabilize/projection.h"

enum { NODES = 8, MOST_NODES = NODES + 1, FAR_NODES = 4, LAST = 4, MOST_ITERATIONS = 40 };

/* Nodes and weights of Gauss on [0, 1]. */
static const double NODE[NODES] = {0.019855071751231884, 0.10166676129318663, 0.2372337950418355,
                                   0.4082826787521751,   0.5917173212478249,  0.7627662049581645,
                                   0.8983332387068134,   0.9801449282487681};
static const double WEIGHT[NODES] = {0.05061426814518813, 0.11119051722668724, 0.15685332293894364,
                                     0.1813418916891810,  0.1813418916891810,  0.15685332293894364,
                                     0.11119051722668724, 0.05061426814518813};

/* Rates that change by less than this part of what errors may be are found; those that do not change less and
 * less, if it is by no more than this part of themselves: round-off, next to the pose. */
static const double FOUND = 1e-3, ROUND_OFF = 1e-6;

/* Errors below this do not matter: accelerations next to a pose carry more. */
static const double LEAST_ERROR = 3e-13;

typedef struct bridge {
    ki_integrator base;
    double H;
    bool leaves;      /* a pose where it begins */
    bool stretched;   /* its rates are guessed already */
    double left;      /* change of the rates in the last iteration */
    int known, nodes; /* rates of the first `known` nodes are not to be found; of all so many nodes */
    double c[MOST_NODES], b[MOST_NODES], a[MOST_NODES][MOST_NODES];
    double spectrum[LAST][MOST_NODES];     /* the last Legendre coefficients, from the rates at the nodes */
    double cut[2][MOST_NODES][MOST_NODES]; /* a without the last two of them, and without the last four */
    double missing; /* what coefficients behind the last ones do to the states, over what those do */
    double *y_old, *Y, *rate, *begin;       /* [n]; begin: the rate at t_0 */
    double *k[MOST_NODES], *at[MOST_NODES]; /* [n] rates and states */
    double *lambda[MOST_NODES];             /* [m] */
} bridge;

/* The Lagrange polynomial of node j among `count` nodes. */
static double lagrange(const double *node, int count, int j, double x) {
    double value = 1;
    for (int l = 0; l < count; l++)
        value *= l == j ? 1 : (x - node[l]) / (node[j] - node[l]);
    return value;
}

/* weight_j = integral of it from 0 to x. */
static void integrate_basis(const double *node, int count, double x, double *weight) {
    for (int j = 0; j < count; j++) {
        weight[j] = 0;
        for (int g = 0; g < NODES; g++) /* exact: the degree is below 16 */
            weight[j] += x * WEIGHT[g] * lagrange(node, count, j, x * NODE[g]);
    }
}

/* Legendre polynomial of degree m at x in [-1, 1]. */
static double legendre(int m, double x) {
    double p = 1, before = 0;
    for (int l = 0; l < m; l++) {
        double next = ((2 * l + 1) * x * p - l * before) / (l + 1);
        before = p;
        p = next;
    }
    return p;
}

/* Without the coefficients from number `first` of the last ones on: k_l loses sum_m P_m(c_l) coefficient_m.
 */
static void cut_weights(bridge *self, int which, int first) {
    for (int i = 0; i < self->nodes; i++) {
        memcpy(self->cut[which][i], self->a[i], sizeof self->a[i]);
        for (int m = first; m < LAST; m++) {
            double part = 0;
            for (int l = 0; l < self->nodes; l++)
                part += self->a[i][l] * legendre(self->nodes - LAST + m, 2 * self->c[l] - 1);
            for (int j = 0; j < self->nodes; j++)
                self->cut[which][i][j] -= part * self->spectrum[m][j];
        }
    }
}

static bool is_far(const bridge *self, int i) {
    static const double FAR = 0.35;
    return self->c[i] > FAR;
}

/* Integral of P_m(2 s - 1) from 0 to x. */
static double integral_of_legendre(int m, double x) {
    return (legendre(m + 1, 2 * x - 1) - legendre(m - 1, 2 * x - 1)) / (2 * (2 * m + 1));
}

/* Nodes that keep away from a pose do not see what the rates do next to it: a polynomial of higher degree is
 * off there by many times its size, and the states far away by the integral of that.
 */
static void measure_missing(bridge *self) {
    double last = 0, next = 0;
    for (int i = self->known; i < self->nodes; i++)
        for (int m = self->nodes - 2; is_far(self, i) && m < self->nodes + 2; m++) {
            double whole = integral_of_legendre(m, self->c[i]), seen = 0;
            for (int j = 0; j < self->nodes; j++)
                seen += self->a[i][j] * legendre(m, 2 * self->c[j] - 1);
            if (m < self->nodes)
                last = fmax(last, fabs(whole));
            else
                next = fmax(next, fabs(whole - seen));
        }
    self->missing = next / last;
}

/* The nodes of Gauss in [nearest, 1], and 0 if the rate is known there. */
static void place_nodes(bridge *self, double nearest, bool known) {
    self->known = known ? 1 : 0;
    self->nodes = NODES + self->known;
    self->c[0] = 0;
    for (int i = self->known; i < self->nodes; i++)
        self->c[i] = nearest + (1 - nearest) * NODE[i - self->known];
    for (int i = 0; i < self->nodes; i++)
        integrate_basis(self->c, self->nodes, self->c[i], self->a[i]);
    integrate_basis(self->c, self->nodes, 1, self->b);
    for (int l = 0; l < LAST; l++)
        for (int j = 0; j < self->nodes; j++) {
            int m = self->nodes - LAST + l;
            self->spectrum[l][j] = 0;
            for (int g = 0; g < 2 * NODES; g++) {
                int half = g / NODES;
                double x = (NODE[g % NODES] + half) / 2;
                self->spectrum[l][j] += (m + 0.5) * WEIGHT[g % NODES] * legendre(m, 2 * x - 1) *
                                        lagrange(self->c, self->nodes, j, x);
            }
        }
    cut_weights(self, 0, 2);
    cut_weights(self, 1, 0);
    measure_missing(self);
}

/* Y = y_0 + H sum_j weight_j k_j on the constraints, and f there. */
static keel_status evaluate(bridge *self, double part, int count, const double *weight, double *const *k,
                            double *rate) {
    ki_dynamics *d = self->base.flow.dynamics;
    double t = self->base.t + part * self->H;
    memcpy(self->Y, self->base.y, (size_t)self->base.n * sizeof(double));
    for (int j = 0; j < count; j++)
        for (int i = 0; i < self->base.n; i++)
            self->Y[i] += self->H * weight[j] * k[j][i];
    ki_normalize(d, self->Y);
    d->factored = false;
    keel_status status = ki_project_position(d, t, self->Y);
    if (!status)
        status = ki_project_velocity(d, t, self->Y);
    if (!status && rate)
        status = ki_rate(d, t, self->Y, rate);
    return status;
}

/* The rate at a part of the step away from a pose, if accelerations stay as they are there. */
static void foresee(const bridge *self, double part, double *k) {
    const ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    double *v = self->Y;
    memcpy(k, self->begin, (size_t)self->base.n * sizeof *k);
    memcpy(v, self->base.y + sys->n_q, (size_t)sys->n_v * sizeof *v);
    ki_axpy(sys->n_v, part * self->H, self->begin + sys->n_q, v);
    if (sys->kinematics)
        sys->kinematics(sys, self->base.y, v, k);
    else
        memcpy(k, v, (size_t)sys->n_v * sizeof *k);
}

/* First guesses, each by the polynomial through the rate at t_0 and those found so far, `most` at the most.
 */
static keel_status guess(bridge *self, int most) {
    double node[NODES + 1] = {0}, weight[NODES + 1];
    double *known[NODES + 1] = {self->begin};
    keel_status status = KEEL_OK;
    for (int i = 0; i < NODES && !status; i++) {
        int count = i < most ? i + 1 : most;
        double c = self->c[self->known + i], *k = self->k[self->known + i];
        node[i + 1] = c;
        known[i + 1] = k;
        if (i == 0 && self->leaves) { /* from rest the rate in the pose alone leads nowhere */
            foresee(self, c, k);
            count = 2;
        }
        integrate_basis(node, count, c, weight);
        status = evaluate(self, c, count, weight, known, k);
        memcpy(self->at[self->known + i], self->Y, (size_t)self->base.n * sizeof(double));
    }
    return status;
}

/* The rates of the last bridge from the same start as those of one of another length. */
static void stretch(bridge *self, double ratio) {
    for (int i = self->known; i < self->nodes; i++) {
        memset(self->at[i], 0, (size_t)self->base.n * sizeof(double));
        for (int j = 0; j < self->nodes; j++)
            ki_axpy(self->base.n, lagrange(self->c, self->nodes, j, self->c[i] * ratio), self->k[j],
                    self->at[i]);
    }
    for (int i = self->known; i < self->nodes; i++)
        memcpy(self->k[i], self->at[i], (size_t)self->base.n * sizeof(double));
}

static keel_status sweep(bridge *self) {
    keel_status status = KEEL_OK;
    for (int i = self->known; i < self->nodes && !status; i++) {
        status = evaluate(self, self->c[i], self->nodes, self->a[i], self->k, self->k[i]);
        memcpy(self->at[i], self->Y, (size_t)self->base.n * sizeof(double));
    }
    return status;
}

/* How much rates, or states, have changed: relative to what errors may be, and to the whole way. */
typedef struct change {
    double error, part;
} change;

static void take_change(const bridge *self, const double *now, const double *before, double factor,
                        const double *way, change *c) {
    const ki_integrator *base = &self->base;
    const double *scale = base->flow.dynamics->scales->y;
    double most = 0, size = 0;
    for (int j = 0; j < base->n - 1; j++) {
        double off = fabs(factor * (now[j] - before[j]));
        double allowed = fmax(ki_allowed_error(base, base->y, self->Y, j), LEAST_ERROR * scale[j]);
        c->error = fmax(c->error, off / allowed);
        most = fmax(most, off);
        size = fmax(size, fabs(way ? now[j] - way[j] : factor * now[j]));
    }
    c->part = fmax(c->part, size > 0 ? most / size : 0);
}

/* Repeats Y -> k until nothing changes. */
static keel_status iterate(bridge *self) {
    double best = INFINITY, previous = INFINITY;
    for (int round = 0, idle = 0, growing = 0; round < MOST_ITERATIONS; round++) {
        change now = {0};
        for (int i = self->known; i < self->nodes; i++) {
            keel_status status = evaluate(self, self->c[i], self->nodes, self->a[i], self->k, self->rate);
            if (status)
                return status;
            if (!self->leaves)
                take_change(self, self->rate, self->k[i], self->H, NULL, &now);
            else if (is_far(self, i))
                take_change(self, self->Y, self->at[i], 1, self->base.y, &now);
            memcpy(self->at[i], self->Y, (size_t)self->base.n * sizeof(double));
            memcpy(self->lambda[i], self->base.flow.dynamics->lambda,
                   (size_t)self->base.flow.dynamics->m * sizeof(double));
            memcpy(self->k[i], self->rate, (size_t)self->base.n * sizeof(double));
        }
        if (!(now.error < INFINITY))
            break;
        self->left = now.error < INFINITY ? now.error : INFINITY;
        idle = now.error > 0.7 * best ? idle + 1 : 0;
        growing = now.error > 0.7 * previous ? growing + 1 : 0;
        best = fmin(best, now.error);
        previous = now.error;
        if (now.error <= FOUND || (idle > 3 && now.part <= ROUND_OFF))
            return KEEL_OK;
        if (growing > 10)
            break;
    }
    return KEEL_ERROR_CONVERGENCE;
}

/* One of the last coefficients of rate i as a sum of Legendre polynomials. */
static double coefficient(const bridge *self, int l, int i) {
    double sum = 0;
    for (int j = 0; j < self->nodes; j++)
        sum += self->spectrum[l][j] * self->k[j][i];
    return fabs(sum);
}

/* What the next pair would be, by the fall of those that are known, pair by pair since motions that turn back
 * have every second one only. */
static double next_of(double before, double last) {
    return last > 0 ? last * fmin(1, last / before) : 0;
}

/* The integral of a Legendre polynomial is smaller by 2 m + 1. A step of several turns is too long for eight
 * nodes; the last pair may be small there all the same, by chance: the one before it is then a part of the
 * rate itself, and no fall is known. */
static double error_of(const bridge *self, int i) {
    static const double UNRESOLVED = 0.1;
    double before = fmax(coefficient(self, 0, i), coefficient(self, 1, i));
    double last = fmax(coefficient(self, 2, i), coefficient(self, 3, i)), largest = 0;
    for (int j = 0; j < self->nodes; j++)
        largest = fmax(largest, fabs(self->k[j][i]));
    double next = before > UNRESOLVED * largest ? last : next_of(before, last);
    return self->H * next / (2 * NODES + 1);
}

/* Far from the pose where the step begins. */
static double error_of_states(bridge *self) {
    change without[2] = {{0}};
    for (int i = self->known; i < self->nodes; i++)
        for (int w = 0; w < 2 && is_far(self, i); w++) {
            if (evaluate(self, self->c[i], self->nodes, self->cut[w][i], self->k, NULL))
                return INFINITY;
            take_change(self, self->Y, self->at[i], 1, self->base.y, &without[w]);
        }
    return self->missing * next_of(without[1].error, without[0].error);
}

static double measure_error(bridge *self) {
    int work = self->base.n - 1;
    double most = self->base.work_allowed > 0 ? error_of(self, work) / self->base.work_allowed : 0;
    if (self->leaves)
        return fmax(most, error_of_states(self));
    for (int i = 0; i < work; i++) {
        double allowed = fmax(ki_allowed_error(&self->base, self->base.y, self->Y, i),
                              LEAST_ERROR * self->base.flow.dynamics->scales->y[i]);
        most = fmax(most, error_of(self, i) / allowed);
    }
    return most;
}

/* Whether the pose that the step leaves, or crosses about in its middle, is next to a part of it. */
static bool is_next_to_pose(const bridge *self, double part) {
    static const double ABOUT_MIDDLE = 0.15;
    return self->leaves ? part < self->c[self->known] : fabs(part - 0.5) < ABOUT_MIDDLE;
}

/* The state at a part of the step, on the constraints unless they move it: where the run ends next to a pose
 * they would. */
static keel_status end_inside(bridge *self, double part) {
    static const double MOVED = 100; /* times what errors may be */
    double weight[MOST_NODES];
    integrate_basis(self->c, self->nodes, part, weight);
    memcpy(self->rate, self->base.y, (size_t)self->base.n * sizeof(double));
    for (int j = 0; j < self->nodes; j++)
        ki_axpy(self->base.n, self->H * weight[j], self->k[j], self->rate);
    ki_normalize(self->base.flow.dynamics, self->rate);
    keel_status status = evaluate(self, part, self->nodes, weight, self->k, NULL);
    if (!is_next_to_pose(self, part))
        return status;
    bool moved = status != KEEL_OK;
    for (int i = 0; i < self->base.n - 1 && !moved; i++)
        moved = fabs(self->Y[i] - self->rate[i]) >
                MOVED * ki_allowed_error(&self->base, self->base.y, self->rate, i);
    if (moved)
        memcpy(self->Y, self->rate, (size_t)self->base.n * sizeof(double));
    return status == KEEL_ERROR_CONVERGENCE || status == KEEL_ERROR_SINGULAR ? KEEL_OK : status;
}

static keel_status step(ki_integrator *base, double t_end) {
    bridge *self = (bridge *)base;
    if (base->steps)
        return KEEL_ERROR_STEP_SIZE; /* one and no more */
    if (base->t + self->H > base->flow.dynamics->t_last)
        self->H = base->bridge_span = t_end - base->t;
    keel_status status = self->stretched ? sweep(self) : guess(self, NODES);
    if (status == KEEL_ERROR_CONVERGENCE) /* led astray by the rates next to the pose: from those far away */
        status = guess(self, FAR_NODES);
    if (status)
        return status;
    status = iterate(self);
    base->bridge_found = !status;
    double part = fmin(1, (t_end - base->t) / self->H);
    if (!status || status == KEEL_ERROR_CONVERGENCE)
        status = part < 1 ? end_inside(self, part) : evaluate(self, 1, self->nodes, self->b, self->k, NULL);
    if (status)
        return status;
    memcpy(self->rate, self->Y, (size_t)base->n * sizeof(double));
    base->bridge_error = fmax(measure_error(self), base->bridge_found ? 0 : self->left);
    memcpy(self->y_old, base->y, (size_t)base->n * sizeof(double));
    memcpy(base->y, self->rate, (size_t)base->n * sizeof(double));
    base->order = 2 * NODES;
    ki_accept_step(base, base->t + part * self->H, t_end);
    return KEEL_OK;
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    bridge *self = (bridge *)base;
    double weight[MOST_NODES], x = (t - base->t_old) / self->H;
    memcpy(y, t == base->t ? base->y : self->y_old, (size_t)base->n * sizeof(double));
    if (t == base->t)
        return KEEL_OK;
    integrate_basis(self->c, self->nodes, x, weight);
    for (int j = 0; j < self->nodes; j++)
        for (int i = 0; i < base->n; i++)
            y[i] += self->H * weight[j] * self->k[j][i];
    return KEEL_OK;
}

/* Accelerations and multipliers by the polynomials through those at the nodes: next to the pose they are
 * better than what could be evaluated there. */
static void own_values(ki_integrator *base, double t, double *v_rate, double *lambda) {
    const bridge *self = (const bridge *)base;
    const ki_dynamics *d = base->flow.dynamics;
    double x = (t - base->t_old) / self->H;
    memset(v_rate, 0, (size_t)d->system->n_v * sizeof *v_rate);
    memset(lambda, 0, (size_t)d->m * sizeof *lambda);
    for (int j = 0; j < self->nodes; j++) {
        double value = lagrange(self->c, self->nodes, j, x);
        for (int i = 0; i < d->system->n_v; i++)
            v_rate[i] += value * self->k[j][d->system->n_q + i];
    }
    for (int j = self->known; j < self->nodes; j++) {
        double value = lagrange(self->c + self->known, NODES, j - self->known, x);
        for (int i = 0; i < d->m; i++)
            lambda[i] += value * self->lambda[j][i];
    }
}

static keel_status start(ki_integrator *base, const ki_problem *problem) {
    bridge *self = (bridge *)base;
    ki_arena *arena = &base->arena;
    (void)problem;
    self->y_old = KI_NEW(arena, double, base->n), self->Y = KI_NEW(arena, double, base->n);
    self->rate = KI_NEW(arena, double, base->n), self->begin = KI_NEW(arena, double, base->n);
    for (int i = 0; i < MOST_NODES; i++) {
        self->k[i] = KI_NEW(arena, double, base->n), self->at[i] = KI_NEW(arena, double, base->n);
        self->lambda[i] = KI_NEW(arena, double, base->flow.dynamics->m);
    }
    base->own_values = own_values;
    return arena->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* Nodes are so far away from the pose where the step begins, as parts of its length. */
static const double AWAY = 0.06, AWAY_FROM_REST = 0.15;

static void aim(bridge *self, double t, const double *y, double H, bool leaves) {
    ki_integrator *base = &self->base;
    self->leaves = leaves;
    self->H = base->bridge_span = H;
    base->t = base->t_old = t;
    base->steps = base->rejected = 0;
    base->bridge_error = INFINITY; /* unless it gets to its end */
    base->moved_position = base->moved_velocity = 0;
    memcpy(base->y, y, (size_t)base->n * sizeof(double));
}

keel_status ki_bridge_aim(ki_integrator *base, double t, const double *y, double H) {
    bridge *self = (bridge *)base;
    self->stretched = false;
    place_nodes(self, 0, false);
    aim(self, t, y, H, false);
    return ki_rate(base->flow.dynamics, t, base->y, self->begin);
}

void ki_bridge_aim_away(ki_integrator *base, double t, const double *y, double H, const double *rate,
                        bool resting, bool again) {
    bridge *self = (bridge *)base;
    size_t bytes = (size_t)base->n * sizeof(double);
    self->stretched = again && self->leaves;
    if (self->stretched)
        stretch(self, H / self->H);
    else
        place_nodes(self, resting ? AWAY_FROM_REST : AWAY, resting);
    aim(self, t, y, H, true);
    memcpy(self->begin, rate, bytes);
    if (resting)
        memcpy(self->k[0], rate, bytes);
}

const ki_method KI_BRIDGE = {
    .size = sizeof(bridge), .start = start, .step = step, .interpolate = interpolate};
