#include "integrate/newton.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/slots.h"

/* Part of the size of J M^-1 J^T that delta is. */
static const double REGULARIZATION = 1e-10;

/* Differences displace a component by no less than this part of its scale. */
static const double SMALL_PART = 1e-3;

/* Where the parts of the matrix go; the blocks are [0, n_v) accelerations, [n_v, n_v + m) multipliers, then
 * states. Part p has its entries in order from first[p] on. */
typedef struct layout {
    int M_lower, M_upper, J_lower, J_upper, Q_lambda, tangent, diagonal;
} layout;

/* Column of the tangent (q, v, z) -> unknown of the linear system. */
static int unknown_of(const keel_system *sys, int m, int column) {
    if (column < sys->n_v)
        return column;
    return column < 2 * sys->n_v ? column - sys->n_v : column - sys->n_v + m;
}

static void add_matrix(ki_slots *slots, keel_pattern P, int row_offset, bool transposed, int *first) {
    *first = slots->count;
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            int row = transposed ? P.index[k] : row_offset + i;
            int column = transposed ? row_offset + i : P.index[k];
            ki_slots_add(slots, row, column);
        }
}

/* Adds all parts to the slots and remembers where each begins. */
static layout lay_out(ki_slots *slots, const keel_system *sys, int m, int size) {
    layout l;
    int n_v = sys->n_v;
    add_matrix(slots, sys->M, 0, false, &l.M_lower);
    add_matrix(slots, sys->M, 0, true, &l.M_upper);
    add_matrix(slots, sys->J, n_v, false, &l.J_lower);
    add_matrix(slots, sys->J, n_v, true, &l.J_upper);
    l.Q_lambda = slots->count;
    for (int i = 0; i < sys->Q_lambda.rows; i++)
        for (int k = sys->Q_lambda.start[i]; k < sys->Q_lambda.start[i + 1]; k++)
            ki_slots_add(slots, i, n_v + sys->Q_lambda.index[k]);
    l.tangent = slots->count;
    for (int i = 0; i < sys->tangent.rows; i++)
        for (int k = sys->tangent.start[i]; k < sys->tangent.start[i + 1]; k++)
            ki_slots_add(slots, i, unknown_of(sys, m, sys->tangent.index[k]));
    l.diagonal = slots->count;
    for (int i = 0; i < size; i++)
        ki_slots_add(slots, i, i);
    return l;
}

/* Slot of each entry of the tangent -> its place in the block of all parts. Derivatives by q come with
 * gamma^2, by v with gamma; rows of states with one gamma more. */
static void place_tangent(ki_newton *n) {
    const keel_system *sys = n->dynamics->system;
    int count = keel_pattern_count(n->pattern);
    for (int i = 0; i < sys->tangent.rows; i++) {
        int of_row = i < sys->n_v + n->dynamics->m ? 0 : 1;
        for (int k = sys->tangent.start[i]; k < sys->tangent.start[i + 1]; k++) {
            int column = sys->tangent.index[k];
            int power = of_row + (column < sys->n_v ? 2 : column < 2 * sys->n_v ? 1 : 0);
            n->tangent_place[k] += power * count;
        }
    }
}

static void init_exact(ki_newton *n) {
    const keel_system *sys = n->dynamics->system;
    int m = n->dynamics->m, M = keel_pattern_count(sys->M), J = keel_pattern_count(sys->J);
    int Q_lambda = keel_pattern_count(sys->Q_lambda), T = keel_pattern_count(sys->tangent);
    n->size = sys->n_v + m + sys->n_z;
    ki_slots slots;
    ki_slots_init(&slots, &n->arena, 2 * M + 2 * J + Q_lambda + T + n->size);
    layout l = lay_out(&slots, sys, m, n->size);
    ki_slots_finish(&slots, n->size);
    n->tangent = KI_NEW(&n->arena, double, T);
    n->M = KI_NEW(&n->arena, double, M);
    n->J = KI_NEW(&n->arena, double, J);
    n->Q_lambda = KI_NEW(&n->arena, double, Q_lambda);
    n->delta = KI_NEW(&n->arena, double, m);
    n->way = KI_NEW(&n->arena, double, 2 * sys->n_v + sys->n_z);
    n->powers = sys->n_z ? KI_POWERS : 3;
    n->turned = KI_NEW(&n->arena, double, sys->n_q);
    ki_chart_init(&n->chart, &n->arena, sys);
    if (n->arena.failed)
        return;
    n->pattern = slots.pattern;
    n->M_lower = slots.slot + l.M_lower;
    n->M_upper = slots.slot + l.M_upper;
    n->J_lower = slots.slot + l.J_lower;
    n->J_upper = slots.slot + l.J_upper;
    n->Q_lambda_slot = slots.slot + l.Q_lambda;
    n->tangent_place = slots.slot + l.tangent;
    place_tangent(n);
    n->diagonal = slots.slot + l.diagonal;
}

static void init_differences(ki_newton *n) {
    int size = n->size = n->dynamics->n_y - 1;
    int *start = KI_NEW(&n->arena, int, size + 1),
        *index = KI_NEW(&n->arena, int, (size_t)size *(size_t)size);
    n->powers = 2;
    n->y = KI_NEW(&n->arena, double, size + 1);
    n->rate = KI_NEW(&n->arena, double, size + 1);
    if (n->arena.failed)
        return;
    for (int i = 0; i < size; i++) {
        start[i + 1] = start[i] + size;
        for (int j = 0; j < size; j++)
            index[start[i] + j] = j;
    }
    n->pattern = (keel_pattern){size, size, start, index};
}

keel_status ki_newton_init(ki_newton *n, ki_dynamics *d) {
    d->relaxed++;
    *n = (ki_newton){.dynamics = d,
                     .exact = d->system->tangent.rows > 0 && ki_has_chart(d->system) &&
                              !d->system->f_needs_lambda};
    ki_arena_init(&n->arena);
    if (n->exact)
        init_exact(n);
    else
        init_differences(n);
    if (n->arena.failed)
        return KEEL_ERROR_MEMORY;
    n->values = KI_NEW(&n->arena, double, keel_pattern_count(n->pattern));
    size_t count = (size_t)keel_pattern_count(n->pattern);
    n->part[0] = KI_NEW(&n->arena, double, (size_t)n->powers *count);
    for (int k = 1; k < n->powers && n->part[0]; k++)
        n->part[k] = n->part[0] + (size_t)k * count;
    n->rhs = KI_NEW(&n->arena, double, n->size);
    n->lu = n->exact ? ki_lu_new_saddle(n->pattern, n->dynamics->system->n_v, n->dynamics->m)
                     : ki_lu_new(n->pattern);
    return n->arena.failed || !n->lu ? KEEL_ERROR_MEMORY : KEEL_OK;
}

void ki_newton_clear(ki_newton *n) {
    if (n->dynamics) { /* the next integrator may be at work already */
        n->dynamics->relaxed--;
        if (n->dynamics->step_metric.user == n)
            n->dynamics->step_metric = (ki_step_metric){0};
    }
    for (int p = 0; p < n->pairs; p++)
        ki_lu_complex_free(n->lu_complex[p]);
    ki_lu_free(n->lu);
    ki_arena_free(&n->arena);
    *n = (ki_newton){0};
}

static void keep(double *to, const double *from, int count) {
    if (count)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* delta_i from row i of J M^-1 J^T, M taken for its diagonal. A row that moves nothing gets one. */
static void set_delta(ki_newton *n) {
    const keel_system *sys = n->dynamics->system;
    for (int i = 0; i < n->dynamics->m; i++) {
        double size = 0, row = 0;
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++) {
            int j = sys->J.index[k];
            double mass = n->M[sys->M.start[j + 1] - 1];
            row = fmax(row, fabs(n->J[k]));
            if (mass > 0)
                size += n->J[k] * n->J[k] / mass;
        }
        n->delta[i] = row > 0 ? REGULARIZATION * size : 1;
    }
}

/* K_D and K_P of row i as far as they are diagonal; zero without Baumgarte's method. */
static void baumgarte_gains(const ki_newton *n, int i, double *K_D, double *K_P) {
    *K_D = *K_P = 0;
    if (n->dynamics->law->baumgarte)
        ki_diagonal_gains(n->dynamics, i, K_D, K_P);
}

/* The parts of the matrix at the top of newton.h that come from M, J and Q_lambda. */
static void collect_constant(ki_newton *n) {
    const keel_system *sys = n->dynamics->system;
    double *A = n->part[0];
    for (int i = 0; i < sys->n_v; i++)
        for (int k = sys->M.start[i]; k < sys->M.start[i + 1]; k++) {
            A[n->M_lower[k]] += n->M[k];
            if (sys->M.index[k] != i)
                A[n->M_upper[k]] += n->M[k];
        }
    for (int i = 0; i < n->dynamics->m; i++) {
        double K_D, K_P;
        baumgarte_gains(n, i, &K_D, &K_P);
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++) {
            A[n->J_lower[k]] += n->J[k];
            A[n->J_upper[k]] += n->J[k];
            n->part[1][n->J_lower[k]] += n->J[k] * K_D;
            n->part[2][n->J_lower[k]] += n->J[k] * K_P;
        }
        A[n->diagonal[sys->n_v + i]] -= n->delta[i];
    }
    for (int k = 0; k < keel_pattern_count(sys->Q_lambda); k++)
        A[n->Q_lambda_slot[k]] -= n->Q_lambda[k];
    for (int i = sys->n_v + n->dynamics->m; i < n->size; i++)
        A[n->diagonal[i]] += 1;
}

static void collect_parts(ki_newton *n) {
    int count = keel_pattern_count(n->pattern), entries = keel_pattern_count(n->dynamics->system->tangent);
    double *parts = n->part[0];
    memset(parts, 0, (size_t)n->powers * (size_t)count * sizeof(double));
    collect_constant(n);
    for (int k = 0; k < entries; k++)
        parts[n->tangent_place[k]] += n->tangent[k];
}

keel_status ki_newton_differentiate(ki_newton *n, double t, const double *y, const double *rate) {
    ki_dynamics *d = n->dynamics;
    const keel_system *sys = d->system;
    unsigned what = KEEL_TANGENT | (sys->Q_lambda.rows ? KEEL_FORCE_LAMBDA : 0u);
    if (!ki_is_factored(d, t, y)) {
        d->factored = false;
        what |= KEEL_MASS | KEEL_JACOBIAN;
    }
    keep(d->x, rate + sys->n_q, sys->n_v);
    keel_status status = ki_evaluate_terms(d, what, t, y);
    if (status)
        return status;
    keep(n->tangent, d->at.tangent, keel_pattern_count(sys->tangent));
    keep(n->M, d->at.M, keel_pattern_count(sys->M));
    keep(n->J, d->at.J, keel_pattern_count(sys->J));
    keep(n->Q_lambda, d->at.Q_lambda, keel_pattern_count(sys->Q_lambda));
    set_delta(n);
    return KEEL_OK;
}

static keel_status linearize_exactly(ki_newton *n, double t, const double *y, const double *rate) {
    keel_status status = ki_newton_differentiate(n, t, y, rate);
    if (status)
        return status;
    ki_chart_take(&n->chart, y, y + n->dynamics->system->n_q);
    collect_parts(n);
    return KEEL_OK;
}

/* Column j: (f(y + h e_j) - f(y)) / h with h at the square root of round-off. */
static keel_status linearize_by_differences(ki_newton *n, double t, const double *y, const double *rate) {
    ki_dynamics *d = n->dynamics;
    for (int j = 0; j < n->size; j++) {
        keep(n->y, y, n->size + 1);
        double h = 1.5e-8 * fmax(fabs(y[j]), SMALL_PART * d->scales->y[j]);
        n->y[j] += h;
        h = n->y[j] - y[j];
        keel_status status = ki_rate(d, t, n->y, n->rate);
        if (status)
            return status;
        for (int i = 0; i < n->size; i++) { /* 1 - gamma f_y */
            n->part[0][i * n->size + j] = i == j;
            n->part[1][i * n->size + j] = (rate[i] - n->rate[i]) / h;
        }
    }
    return KEEL_OK;
}

keel_status ki_newton_linearize(ki_newton *n, double t, const double *y, const double *rate) {
    return n->exact ? linearize_exactly(n, t, y, rate) : linearize_by_differences(n, t, y, rate);
}

keel_status ki_newton_factor(ki_newton *n, double gamma) {
    int count = keel_pattern_count(n->pattern);
    double power = gamma, *restrict values = n->values;
    n->gamma = gamma;
    const double *restrict one = n->part[0], *restrict first = n->part[1];
    for (int p = 0; p < count; p++)
        values[p] = one[p] + gamma * first[p];
    for (int k = 2; k < n->powers; k++) {
        const double *restrict part = n->part[k];
        power *= gamma;
        for (int p = 0; p < count; p++)
            values[p] += power * part[p];
    }
    return ki_lu_factor(n->lu, values);
}

/* rhs = -(R_q, R_v, R_z) way */
static void multiply_tangent(const ki_newton *n, const double *restrict way, double *restrict rhs) {
    keel_pattern T = n->dynamics->system->tangent;
    for (int i = 0; i < T.rows; i++) {
        double sum = 0;
        for (int k = T.start[i]; k < T.start[i + 1]; k++)
            sum -= n->tangent[k] * way[T.index[k]];
        rhs[i] = sum;
    }
}

/* way = (beta + gamma b_v, b_v, 0), rhs = -(R_q, R_v, R_z) way; for states b_z - gamma (the same with the
 * rows -f_q, -f_v) */
static void exact_right_hand_side(ki_newton *n, const double *b) {
    const keel_system *sys = n->dynamics->system;
    const double *b_v = b + sys->n_q, *b_z = b_v + sys->n_v, *way = n->way;
    int states = sys->n_v + n->dynamics->m;
    ki_axpy(sys->n_v, n->gamma, b_v, n->way);
    keep(n->way + sys->n_v, b_v, sys->n_v);
    multiply_tangent(n, way, n->rhs);
    for (int i = states; i < n->size; i++)
        n->rhs[i] = b_z[i - states] + n->gamma * n->rhs[i];
    ki_newton_add_gains(n, way, n->rhs);
}

void ki_newton_add_gains(const ki_newton *n, const double *way, double *rhs) {
    const keel_system *sys = n->dynamics->system;
    for (int i = 0; n->dynamics->law->baumgarte && i < n->dynamics->m; i++) {
        double K_D, K_P;
        baumgarte_gains(n, i, &K_D, &K_P);
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++) {
            int j = sys->J.index[k];
            rhs[sys->n_v + i] -= n->J[k] * (K_P * way[j] + K_D * way[sys->n_v + j]);
        }
    }
}

/* Where q' = v and no gains are added, in as few words as possible: of a small system this is a good part of
 * the work. */
static void solve_plainly(ki_newton *n, double *restrict b) {
    const keel_system *sys = n->dynamics->system;
    int n_v = sys->n_v, states = n_v + n->dynamics->m;
    double gamma = n->gamma, *restrict b_v = b + n_v, *restrict way = n->way, *restrict rhs = n->rhs;
    for (int i = 0; i < n_v; i++) {
        way[i] = b[i] + gamma * b_v[i];
        way[n_v + i] = b_v[i];
    }
    multiply_tangent(n, way, rhs);
    for (int i = states; i < n->size; i++)
        rhs[i] = b_v[n_v + i - states] + gamma * rhs[i];
    ki_lu_solve(n->lu, rhs);
    for (int i = 0; i < n_v; i++) {
        b_v[i] += gamma * rhs[i];
        b[i] += gamma * b_v[i];
    }
    for (int i = states; i < n->size; i++)
        b_v[n_v + i - states] = rhs[i];
}

static void solve_exactly(ki_newton *n, double *b) {
    const keel_system *sys = n->dynamics->system;
    double *b_q = b, *b_v = b + sys->n_q, *b_z = b_v + sys->n_v;
    keep(n->turned, b_q, sys->n_q);
    ki_chart_turn(&n->chart, n->gamma, n->turned);
    ki_chart_pull(&n->chart, n->turned, n->way);
    exact_right_hand_side(n, b);
    ki_lu_solve(n->lu, n->rhs);
    for (int i = 0; i < sys->n_v; i++)
        b_v[i] += n->gamma * n->rhs[i];
    ki_chart_add(&n->chart, n->gamma, b_v, b_q);
    ki_chart_turn(&n->chart, n->gamma, b_q);
    keep(b_z, n->rhs + sys->n_v + n->dynamics->m, sys->n_z);
}

void ki_newton_solve(ki_newton *n, double *b) {
    if (n->exact && ki_newton_is_plain(n))
        solve_plainly(n, b);
    else if (n->exact)
        solve_exactly(n, b);
    else
        ki_lu_solve(n->lu, b);
}

void ki_newton_project(void *newton, const double *s, double *x) {
    ki_newton *n = newton;
    const keel_system *sys = n->dynamics->system;
    memset(n->rhs, 0, (size_t)n->size * sizeof(double));
    keep(n->rhs + sys->n_v, s, n->dynamics->m);
    ki_lu_solve(n->lu, n->rhs);
    keep(x, n->rhs, sys->n_v);
}

void ki_newton_offer_metric(ki_newton *n) {
    if (n->exact && n->dynamics->m && n->dynamics->law->natural_metric)
        n->dynamics->step_metric = (ki_step_metric){ki_newton_project, n};
}
