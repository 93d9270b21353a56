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
 * The error inside the step is that of the first coefficients that are missing in the rates as a sum of
 * Legendre polynomials; it is judged by the fall of the last ones that are there.
 *
 * It takes one step, of the length that it was aimed with, or fails; then it can be aimed again. Where the
 * run ends before, the nodes stay where they are, and the step ends inside: a run may end in the pose itself.
 */
#include <math.h>
#include <string.h>

#include "integrate/integrator.h"
#include "linalg/dense.h"
#include "stabilize/projection.h"

enum { NODES = 8, FAR_NODES = 4, MOST_ITERATIONS = 40 };

/* Nodes and weights of Gauss on [0, 1]. */
static const double NODE[NODES] = {0.019855071751231884, 0.10166676129318663, 0.2372337950418355,
                                   0.4082826787521751,   0.5917173212478249,  0.7627662049581645,
                                   0.8983332387068134,   0.9801449282487681};
static const double WEIGHT[NODES] = {0.05061426814518813, 0.11119051722668724, 0.15685332293894364,
                                     0.1813418916891810,  0.1813418916891810,  0.15685332293894364,
                                     0.11119051722668724, 0.05061426814518813};

/* Rates that change by less than this part of what errors may be are found; those that do not change less and
 * less, if it is by no more than this part of themselves: round-off, next to the pose. */
static const double FOUND = 1e-3, ROUND_OFF = 1e-7;

/* Errors below this do not matter: accelerations next to a pose carry more. */
static const double LEAST_ERROR = 3e-13;

typedef struct bridge {
    ki_integrator base;
    double H;
    double left; /* change of the rates in the last iteration */
    double a[NODES][NODES];
    double *y_old, *Y, *rate, *begin; /* [n]; begin: the rate at t_0 */
    double *k[NODES];
    double *lambda[NODES]; /* [m] */
} bridge;

/* weight_j = integral from 0 to x of the Lagrange polynomial of node j among `count` nodes. */
static void integrate_basis(const double *node, int count, double x, double *weight) {
    for (int j = 0; j < count; j++) {
        weight[j] = 0;
        for (int g = 0; g < NODES; g++) { /* exact: the degree is below 16 */
            double at = x * NODE[g], value = 1;
            for (int l = 0; l < count; l++)
                value *= l == j ? 1 : (at - node[l]) / (node[j] - node[l]);
            weight[j] += x * WEIGHT[g] * value;
        }
    }
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

/* First guesses, each by the polynomial through the rate at t_0 and those found so far, `most` at the most.
 */
static keel_status guess(bridge *self, int most) {
    double node[NODES + 1] = {0}, weight[NODES + 1];
    double *known[NODES + 1] = {self->begin};
    keel_status status = KEEL_OK;
    for (int i = 0; i < NODES && !status; i++) {
        int count = i < most ? i + 1 : most;
        integrate_basis(node, count, NODE[i], weight);
        status = evaluate(self, NODE[i], count, weight, known, self->k[i]);
        node[i + 1] = NODE[i];
        known[i + 1] = self->k[i];
    }
    return status;
}

/* How much rates have changed: largest |H (rate - k_i)| relative to what errors may be, and to all of them.
 */
typedef struct change {
    double error, part;
} change;

static void take_change(const bridge *self, int i, change *c) {
    double most = 0, size = 0;
    for (int j = 0; j < self->base.n - 1; j++) {
        double off = fabs(self->H * (self->rate[j] - self->k[i][j]));
        c->error = fmax(c->error, off / ki_allowed_error(&self->base, self->base.y, self->Y, j));
        most = fmax(most, off);
        size = fmax(size, fabs(self->H * self->rate[j]));
    }
    c->part = fmax(c->part, size > 0 ? most / size : 0);
}

/* Repeats Y -> k until nothing changes. */
static keel_status iterate(bridge *self) {
    double previous = INFINITY;
    for (int round = 0, idle = 0; round < MOST_ITERATIONS; round++) {
        change now = {0};
        for (int i = 0; i < NODES; i++) {
            keel_status status = evaluate(self, NODE[i], NODES, self->a[i], self->k, self->rate);
            if (status)
                return status;
            take_change(self, i, &now);
            memcpy(self->lambda[i], self->base.flow.dynamics->lambda,
                   (size_t)self->base.flow.dynamics->m * sizeof(double));
            memcpy(self->k[i], self->rate, (size_t)self->base.n * sizeof(double));
        }
        if (!(now.error < INFINITY))
            break;
        self->left = now.error < INFINITY ? now.error : INFINITY;
        idle = now.error > 0.7 * previous ? idle + 1 : 0;
        if (now.error <= FOUND || (idle > 3 && now.part <= ROUND_OFF))
            return KEEL_OK;
        if (idle > 10)
            break;
        previous = now.error;
    }
    return KEEL_ERROR_CONVERGENCE;
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

/* Coefficient m of rate i as a sum of Legendre polynomials. */
static double coefficient(const bridge *self, int m, int i) {
    double sum = 0;
    for (int j = 0; j < NODES; j++)
        sum += (2 * m + 1) * WEIGHT[j] * legendre(m, 2 * NODE[j] - 1) * self->k[j][i];
    return fabs(sum);
}

/* What the next pair of coefficients would be, by the fall of those that are known, pair by pair since
 * motions that turn back have every second one only. The integral of a Legendre polynomial is smaller by 2 m
 * + 1. */
static double error_of(const bridge *self, int i) {
    double before = fmax(coefficient(self, NODES - 4, i), coefficient(self, NODES - 3, i));
    double last = fmax(coefficient(self, NODES - 2, i), coefficient(self, NODES - 1, i));
    double next = last > 0 ? last * fmin(1, last / before) : 0;
    return self->H * next / (2 * NODES + 1);
}

static double measure_error(const bridge *self) {
    int work = self->base.n - 1;
    double most = self->base.work_allowed > 0 ? error_of(self, work) / self->base.work_allowed : 0;
    for (int i = 0; i < work; i++) {
        double allowed = fmax(ki_allowed_error(&self->base, self->base.y, self->Y, i),
                              LEAST_ERROR * self->base.flow.dynamics->scales->y[i]);
        most = fmax(most, error_of(self, i) / allowed);
    }
    return most;
}

/* The state at a part of the step, on the constraints unless they move it: where the run ends next to a pose
 * they would. */
static keel_status end_inside(bridge *self, double part) {
    static const double MOVED = 100; /* times what errors may be */
    double weight[NODES];
    integrate_basis(NODE, NODES, part, weight);
    memcpy(self->rate, self->base.y, (size_t)self->base.n * sizeof(double));
    for (int j = 0; j < NODES; j++)
        ki_axpy(self->base.n, self->H * weight[j], self->k[j], self->rate);
    ki_normalize(self->base.flow.dynamics, self->rate);
    keel_status status = evaluate(self, part, NODES, weight, self->k, NULL);
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
    keel_status status = guess(self, NODES);
    if (status == KEEL_ERROR_CONVERGENCE) /* led astray by the rates next to the pose: from those far away */
        status = guess(self, FAR_NODES);
    if (status)
        return status;
    status = iterate(self);
    base->bridge_found = !status;
    double part = fmin(1, (t_end - base->t) / self->H);
    if (!status || status == KEEL_ERROR_CONVERGENCE)
        status = part < 1 ? end_inside(self, part) : evaluate(self, 1, NODES, WEIGHT, self->k, NULL);
    if (status)
        return status;
    base->bridge_error = fmax(measure_error(self), base->bridge_found ? 0 : self->left);
    memcpy(self->y_old, base->y, (size_t)base->n * sizeof(double));
    memcpy(base->y, self->Y, (size_t)base->n * sizeof(double));
    base->order = 2 * NODES;
    ki_accept_step(base, base->t + part * self->H, t_end);
    return KEEL_OK;
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    bridge *self = (bridge *)base;
    double weight[NODES], x = (t - base->t_old) / self->H;
    memcpy(y, t == base->t ? base->y : self->y_old, (size_t)base->n * sizeof(double));
    if (t == base->t)
        return KEEL_OK;
    integrate_basis(NODE, NODES, x, weight);
    for (int j = 0; j < NODES; j++)
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
    for (int j = 0; j < NODES; j++) {
        double value = 1;
        for (int l = 0; l < NODES; l++)
            value *= l == j ? 1 : (x - NODE[l]) / (NODE[j] - NODE[l]);
        for (int i = 0; i < d->system->n_v; i++)
            v_rate[i] += value * self->k[j][d->system->n_q + i];
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
    for (int i = 0; i < NODES; i++) {
        self->k[i] = KI_NEW(arena, double, base->n);
        self->lambda[i] = KI_NEW(arena, double, base->flow.dynamics->m);
        integrate_basis(NODE, NODES, NODE[i], self->a[i]);
    }
    base->own_values = own_values;
    return arena->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_bridge_aim(ki_integrator *base, double t, const double *y, double H, const double *rate) {
    bridge *self = (bridge *)base;
    size_t bytes = (size_t)base->n * sizeof(double);
    self->H = base->bridge_span = H;
    base->t = base->t_old = t;
    base->steps = base->rejected = 0;
    base->bridge_error = 0;
    base->moved_position = base->moved_velocity = 0;
    memcpy(base->y, y, bytes);
    if (!rate)
        return ki_rate(base->flow.dynamics, t, base->y, self->begin);
    memcpy(self->begin, rate, bytes);
    return KEEL_OK;
}

const ki_method KI_BRIDGE = {
    .size = sizeof(bridge), .start = start, .step = step, .interpolate = interpolate};
