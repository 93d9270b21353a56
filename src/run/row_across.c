#include "run/row_across.h"

#include <math.h>
#include <string.h>

#include "run/simulation.h"

/* States are taken where the gap is this part of its largest value, or, in a short step, above the second
 * one; and farther out at these multiples of that distance. */
static const double FAR = 0.05, NEAREST = 3e-3, OUT[KI_ACROSS_NODES / 2] = {1, 1.5, 2};

/* States on one side that are much nearer than those on the other would have to tell what those far away do,
 * and their round-off would grow by it. */
static const double LOPSIDED = 1.5;

keel_status ki_across_init(keel_simulation *sim) {
    ki_across *a = &sim->across;
    const keel_system *sys = sim->system;
    int n_y = sys->n_q + sys->n_v + sys->n_z + 1;
    if (!sim->held.known || sim->held.look.large || sys->n_s)
        return KEEL_OK;
    for (int i = 0; i < KI_ACROSS_NODES; i++) {
        a->y[i] = KI_NEW(&sim->arena, double, n_y);
        a->rate[i] = KI_NEW(&sim->arena, double, n_y);
        a->lambda[i] = KI_NEW(&sim->arena, double, keel_system_m(sys));
    }
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* The state of the step at time t, as it comes; false: it cannot be told. */
static bool look_at(keel_simulation *sim, double t, double *y) {
    ki_integrator *in = sim->integrator;
    if (in->method->interpolate(in, t, y))
        return false;
    ki_normalize(&sim->rows, y);
    return true;
}

/* How far from t the first state is taken towards `end`; 0: all of the step is too near to the pose. */
static double way_out(keel_simulation *sim, double t, double end, double *y) {
    double most = fabs(end - t) / OUT[KI_ACROSS_NODES / 2 - 1], side = end > t ? 1 : -1, gap = 0;
    for (double way = most / (1 << 10); way < most; way *= 1.4)
        if (look_at(sim, t + side * way, y) &&
            ki_gap_of_all(sim, t + side * way, y) > FAR * sim->watch.largest)
            return way;
    if (look_at(sim, t + side * most, y))
        gap = ki_gap_of_all(sim, t + side * most, y);
    return gap > NEAREST * sim->watch.largest ? most : 0;
}

/* Onto the constraints, with its rate and multipliers: to the last digit, since d^-2 of what is missing would
 * be seen. */
static bool take_node(keel_simulation *sim, int i) {
    static const double ALL = 1e-4; /* less is left of rows that repeat others only */
    ki_across *a = &sim->across;
    ki_dynamics *d = &sim->rows;
    if (!look_at(sim, a->t[i], a->y[i]))
        return false;
    d->factored = false;
    if (ki_settle(d, sim->integrator->flow_rows.stabilize, a->t[i], a->y[i]) ||
        !ki_settle_next_to_pose(sim, a->t[i], ALL, a->y[i]))
        return false;
    ki_normalize(d, a->y[i]);
    d->factored = false;
    if (ki_rate(d, a->t[i], a->y[i], a->rate[i]))
        return false;
    memcpy(a->lambda[i], d->lambda, (size_t)d->m * sizeof(double));
    return true;
}

/* The Lagrange polynomial of node j. */
static double lagrange(const double *node, int j, double t) {
    double value = 1;
    for (int l = 0; l < KI_ACROSS_NODES; l++)
        value *= l == j ? 1 : (t - node[l]) / (node[j] - node[l]);
    return value;
}

/* What the state and the rate of a node give to the state at t, and to its rate:
 *
 *     (1 - 2 (t - t_j) l_j'(t_j)) l_j^2,     (t - t_j) l_j^2,     and the derivatives by t.
 */
typedef struct hermite {
    double by_state, by_rate, rate_by_state, rate_by_rate;
} hermite;

static hermite hermite_of(const double *node, int j, double t) {
    double l = lagrange(node, j, t), off = t - node[j], at_node = 0, here = 0;
    for (int k = 0; k < KI_ACROSS_NODES; k++) {
        at_node += k == j ? 0 : 1 / (node[j] - node[k]);
        here += k == j ? 0 : 1 / (t - node[k]);
    }
    double square = l * l, slope = 2 * square * here, line = 1 - 2 * off * at_node;
    return (hermite){line * square, off * square, line * slope - 2 * at_node * square, square + off * slope};
}

bool ki_state_across(keel_simulation *sim, double t) {
    ki_across *a = &sim->across;
    const ki_integrator *in = sim->integrator;
    int half = KI_ACROSS_NODES / 2, n = sim->rows.n_y;
    if (!a->y[0])
        return false;
    double before = way_out(sim, t, in->t_old, a->y[0]), after = way_out(sim, t, in->t, a->y[0]);
    if (!(before > 0 && after > 0))
        return false;
    before = fmin(before, LOPSIDED * after), after = fmin(after, LOPSIDED * before);
    for (int i = 0; i < half; i++) {
        a->t[half - 1 - i] = t - OUT[i] * before;
        a->t[half + i] = t + OUT[i] * after;
    }
    for (int i = 0; i < KI_ACROSS_NODES; i++)
        if (!take_node(sim, i) || !(ki_gap_of_all(sim, a->t[i], a->y[i]) > NEAREST * sim->watch.largest))
            return false;
    memset(sim->row_y, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < KI_ACROSS_NODES; i++) {
        hermite h = hermite_of(a->t, i, t);
        for (int k = 0; k < n; k++)
            sim->row_y[k] += h.by_state * a->y[i][k] + h.by_rate * a->rate[i][k];
    }
    ki_normalize(&sim->rows, sim->row_y);
    return true;
}

void ki_rates_across(keel_simulation *sim, double t, double *v_rate, double *lambda) {
    const ki_across *a = &sim->across;
    const keel_system *sys = sim->rows.system;
    memset(v_rate, 0, (size_t)sys->n_v * sizeof *v_rate);
    memset(lambda, 0, (size_t)sim->rows.m * sizeof *lambda);
    for (int i = 0; i < KI_ACROSS_NODES; i++) {
        double part = lagrange(a->t, i, t);
        hermite h = hermite_of(a->t, i, t);
        const double *v = a->y[i] + sys->n_q, *v_rate_there = a->rate[i] + sys->n_q;
        for (int k = 0; k < sys->n_v; k++)
            v_rate[k] += h.rate_by_state * v[k] + h.rate_by_rate * v_rate_there[k];
        for (int k = 0; k < sim->rows.m; k++)
            lambda[k] += part * a->lambda[i][k];
    }
}

keel_status ki_multipliers_of_rates(keel_simulation *sim, double t) {
    static const double IN_POSE = 1e-7; /* what is left of rows there is round-off */
    ki_dynamics *d = &sim->rows;
    const double *a = ki_v(d, sim->row_k);
    if (!sim->held.known || sim->held.look.large || d->system->Q_lambda.rows ||
        !(ki_gap_of_held(sim, t, sim->row_y) > IN_POSE * sim->watch.largest))
        return KEEL_OK;
    keel_status status = ki_factor_with(d, KEEL_FORCE, t, sim->row_y);
    if (status)
        return status;
    ki_mass_times(d, a, d->b_v);
    for (int j = 0; j < d->system->n_v; j++)
        d->b_v[j] = d->at.Q[j] - d->b_v[j];
    memset(d->b_m, 0, (size_t)d->m * sizeof *d->b_m);
    status = keel_saddle_solve(d->K, d->b_v, d->b_m, d->x, d->y, NULL);
    if (status < 0)
        return KEEL_OK; /* as interpolated */
    memcpy(d->lambda, d->y, (size_t)d->m * sizeof *d->lambda);
    return KEEL_OK;
}
