#include "integrate/sundials/ida_equations.h"

#include <math.h>
#include <string.h>

#include "keel/rank.h"

static void copy(double *to, const double *from, int count) {
    if (count)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* Whether equation i, of a multiplier, has been replaced by "the multiplier is zero". */
static bool is_dropped(const ki_ida_equations *e, int i) {
    return i >= e->lambda && e->dropped[i < e->mu ? i - e->lambda : i - e->mu];
}

/* Drops rows of J that depend on others at (t, y). */
static keel_status drop_dependent(ki_ida_equations *e, double t, const double *y) {
    ki_dynamics *d = e->dynamics;
    keel_rank rank;
    if (!d->redundant)
        return KEEL_OK;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    d->factored = false;
    if (!status)
        status = ki_evaluate_terms(d, KEEL_JACOBIAN, t, y);
    if (!status)
        status = keel_rank_compute(d->system->J, d->at.J, 0, &rank);
    if (status)
        return status;
    for (int k = 0; k < rank.dependent_count; k++)
        e->dropped[rank.dependent[k]] = true;
    keel_rank_clear(&rank);
    return KEEL_OK;
}

/* out += factor * (rows 0 .. rows-1 of J)^T x */
static void add_transposed(const ki_dynamics *d, int rows, double factor, const double *x, double *out) {
    keel_pattern P = d->system->J;
    for (int i = 0; i < rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            out[P.index[k]] += factor * d->at.J[k] * x[i];
}

/* All terms of the equations at (t, Y), checked. */
static keel_status evaluate(ki_ida_equations *e, double t, const double *Y) {
    ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_STATES;
    what |= e->ggl ? KEEL_POSITION | KEEL_VELOCITY : KEEL_XI;
    if (sys->has_energy)
        what |= KEEL_POWER | (sys->has_drivers ? KEEL_VELOCITY : 0u);
    d->factored = false;
    copy(d->lambda, Y + e->lambda, d->m);
    keel_status status = ki_solve_auxiliaries(d, t, Y);
    if (!status)
        status = ki_evaluate_terms(d, what, t, Y);
    if (!status)
        status = ki_check_finite(d, t);
    if (!status)
        status = ki_check_states(d, t);
    return status;
}

/* out -= S^2 G^T mu with the scales S of the displacements: without them lengths and angles would be mixed */
static void subtract_extra(const ki_dynamics *d, const double *mu, double *out) {
    const double *size = d->scales->move;
    keel_pattern P = d->system->J;
    for (int i = 0; i < d->system->n_h; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            out[P.index[k]] -= size[P.index[k]] * size[P.index[k]] * d->at.J[k] * mu[i];
}

/* N (v - S^2 G^T mu) */
static void configuration_rate(ki_ida_equations *e, const double *Y, double *q_rate) {
    const ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    copy(e->v_free, Y + sys->n_q, sys->n_v);
    if (e->ggl)
        subtract_extra(d, Y + e->mu, e->v_free);
    if (sys->kinematics)
        sys->kinematics(sys, Y, e->v_free, q_rate);
    else
        copy(q_rate, e->v_free, sys->n_v);
}

/* J v' - xi */
static void acceleration_residual(const ki_dynamics *d, const double *v_rate, double *F) {
    keel_pattern P = d->system->J;
    for (int i = 0; i < d->m; i++) {
        F[i] = -d->at.xi[i];
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            F[i] += d->at.J[k] * v_rate[P.index[k]];
    }
}

keel_status ki_ida_residual(ki_ida_equations *e, double t, const double *Y, const double *Y_rate, double *F) {
    ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    const int v = sys->n_q, z = v + sys->n_v, W = d->n_y - 1;
    int bad = 0;
    keel_status status = evaluate(e, t, Y);
    if (status)
        return status;
    d->evaluations++;
    configuration_rate(e, Y, F);
    for (int i = 0; i < sys->n_q; i++)
        F[i] = Y_rate[i] - F[i];
    ki_mass_times(d, Y_rate + v, F + v);
    add_transposed(d, d->m, 1, Y + e->lambda, F + v);
    for (int i = 0; i < sys->n_v; i++)
        F[v + i] -= d->at.Q[i];
    for (int i = 0; i < sys->n_z; i++)
        F[z + i] = Y_rate[z + i] - d->at.f[i];
    F[W] = Y_rate[W] - ki_work_rate(d, Y + v);
    if (e->ggl) {
        copy(F + e->lambda, d->at.rate, d->m);
        copy(F + e->mu, d->at.Phi, sys->n_h);
    } else {
        acceleration_residual(d, Y_rate + v, F + e->lambda);
    }
    for (int i = e->lambda; i < e->size; i++)
        if (is_dropped(e, i))
            F[i] = Y[i];
    return ki_all_finite(F, e->size, &bad)
               ? KEEL_OK
               : ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_MATRIX, t, -1, 0);
}

/* One entry of the matrix: its place at the first assembly, its value at the others. */
static void put(ki_ida_equations *e, int row, int column, double value) {
    if (is_dropped(e, row + e->shift) && row != column)
        value = 0;
    if (e->values)
        e->values[e->slots.slot[e->placed++]] += value;
    else
        ki_slots_add(&e->slots, row, column);
}

static void put_matrix(ki_ida_equations *e, keel_pattern P, const double *x, double factor, int row,
                       int column) {
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            put(e, row + i, column + P.index[k], factor * x[k]);
}

static void put_transposed(ki_ida_equations *e, keel_pattern P, const double *x, int row, int column) {
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            put(e, row + P.index[k], column + i, x[k]);
}

/* Where lambda and mu stand in the matrix. */
static int lambda_of(const ki_ida_equations *e) {
    return e->lambda - e->shift;
}
static int mu_of(const ki_ida_equations *e) {
    return e->mu - e->shift;
}

/* The rows of the tangent for motion, states and, in index1, constraints. Its columns are those of the
 * matrix. */
static void put_tangent(ki_ida_equations *e) {
    const ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    keel_pattern T = sys->tangent;
    for (int i = 0; i < T.rows; i++) {
        bool motion = i < sys->n_v, constraint = !motion && i < sys->n_v + d->m;
        if (constraint && e->ggl)
            continue;
        int row = motion ? sys->n_v + i : constraint ? lambda_of(e) + i - sys->n_v : sys->n_v + i - d->m;
        for (int k = T.start[i]; k < T.start[i + 1]; k++)
            put(e, row, T.index[k], e->gamma * d->at.tangent[k]);
    }
}

/* d(rate)/dq. A system that does not give it gives xi_v in its tangent: since xi = -(G v)_q v - 2 G_t v -
 * Phi_tt, half of -xi_v is it, for holonomic rows. For the others that is near enough. */
static void put_rate_q(ki_ida_equations *e) {
    const ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    keel_pattern T = sys->tangent;
    if (sys->rate_q.rows) {
        put_matrix(e, sys->rate_q, d->at.rate_q, 1, lambda_of(e), 0);
        return;
    }
    for (int i = 0; i < d->m; i++)
        for (int k = T.start[sys->n_v + i]; k < T.start[sys->n_v + i + 1]; k++)
            if (T.index[k] >= sys->n_v && T.index[k] < 2 * sys->n_v)
                put(e, lambda_of(e) + i, T.index[k] - sys->n_v, d->at.tangent[k] / 2);
}

/* The matrix at the top of the header. */
static void assemble(ki_ida_equations *e) {
    const ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    const int v = sys->n_v, z = v + sys->n_v, lambda = lambda_of(e), mu = mu_of(e);
    keel_pattern G = sys->J;
    G.rows = sys->n_h;
    for (int i = 0; i < sys->n_v; i++) {
        put(e, i, i, 1);
        put(e, i, v + i, -e->gamma);
    }
    for (int i = z; i < lambda; i++)
        put(e, i, i, 1);
    for (int i = 0; i < sys->n_v; i++)
        for (int k = sys->M.start[i]; k < sys->M.start[i + 1]; k++) {
            put(e, v + i, v + sys->M.index[k], d->at.M[k]);
            if (sys->M.index[k] != i)
                put(e, v + sys->M.index[k], v + i, d->at.M[k]);
        }
    put_tangent(e);
    put_transposed(e, sys->J, d->at.J, v, lambda);
    put_matrix(e, sys->Q_lambda, d->at.Q_lambda, -1, v, lambda);
    put_matrix(e, sys->J, d->at.J, 1, lambda, v);
    for (int i = e->lambda; i < e->size; i++)
        if (is_dropped(e, i))
            put(e, i - e->shift, i - e->shift, 1);
    if (!e->ggl)
        return;
    put_rate_q(e);
    for (int i = 0; i < sys->n_h; i++)
        for (int k = G.start[i]; k < G.start[i + 1]; k++) {
            double size = d->scales->move[G.index[k]];
            put(e, G.index[k], mu + i, d->at.J[k] * size * size);
        }
    put_matrix(e, G, d->at.J, 1, mu, 0);
}

/* Collects the entries of the matrix. */
static void prepare_exact(ki_ida_equations *e) {
    const keel_system *sys = e->dynamics->system;
    int most = 2 * e->size + 2 * keel_pattern_count(sys->M) + 4 * keel_pattern_count(sys->J) +
               2 * keel_pattern_count(sys->tangent) + keel_pattern_count(sys->rate_q) +
               keel_pattern_count(sys->Q_lambda);
    e->shift = sys->n_q - sys->n_v;
    e->rhs = KI_NEW(&e->arena, double, e->size - e->shift);
    e->beta = KI_NEW(&e->arena, double, sys->n_v);
    e->turned = KI_NEW(&e->arena, double, sys->n_q);
    ki_chart_init(&e->chart, &e->arena, sys);
    ki_slots_init(&e->slots, &e->arena, most);
    if (e->arena.failed)
        return;
    assemble(e);
    ki_slots_finish(&e->slots, e->size - e->shift);
    e->pattern = e->slots.pattern;
}

static void prepare_differences(ki_ida_equations *e) {
    size_t n = (size_t)e->size;
    int *start = KI_NEW(&e->arena, int, n + 1), *index = KI_NEW(&e->arena, int, n *n);
    e->Y = KI_NEW(&e->arena, double, n);
    e->Y_rate = KI_NEW(&e->arena, double, n);
    e->F = KI_NEW(&e->arena, double, n);
    if (e->arena.failed)
        return;
    for (int i = 0; i < e->size; i++) {
        start[i + 1] = start[i] + e->size;
        for (int j = 0; j < e->size; j++)
            index[start[i] + j] = j;
    }
    e->pattern = (keel_pattern){e->size, e->size, start, index};
}

keel_status ki_ida_equations_init(ki_ida_equations *e, ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    *e = (ki_ida_equations){.dynamics = d, .ggl = d->law->formulation == KEEL_GGL};
    e->exact = sys->tangent.rows > 0 && ki_has_chart(sys);
    e->lambda = d->n_y;
    e->mu = d->n_y + d->m;
    e->size = e->mu + (e->ggl ? sys->n_h : 0);
    ki_arena_init(&e->arena);
    e->v_free = KI_NEW(&e->arena, double, sys->n_v);
    e->dropped = KI_NEW(&e->arena, bool, d->m);
    keel_status status = e->arena.failed ? KEEL_ERROR_MEMORY : drop_dependent(e, t, y);
    if (status)
        return status;
    if (e->exact)
        prepare_exact(e);
    else
        prepare_differences(e);
    if (e->arena.failed)
        return KEEL_ERROR_MEMORY;
    e->values = KI_NEW(&e->arena, double, keel_pattern_count(e->pattern));
    e->lu = e->exact ? ki_lu_new_saddle(e->pattern, e->lambda - e->shift, e->size - e->lambda)
                     : ki_lu_new(e->pattern);
    return e->values && e->lu ? KEEL_OK : KEEL_ERROR_MEMORY;
}

void ki_ida_equations_clear(ki_ida_equations *e) {
    ki_lu_free(e->lu);
    ki_arena_free(&e->arena);
    *e = (ki_ida_equations){0};
}

static keel_status linearize_exactly(ki_ida_equations *e, double t, const double *Y, const double *Y_rate) {
    ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_TANGENT;
    if (sys->Q_lambda.rows)
        what |= KEEL_FORCE_LAMBDA;
    if (e->ggl && sys->rate_q.rows)
        what |= KEEL_VELOCITY_Q;
    d->factored = false;
    copy(d->lambda, Y + e->lambda, d->m);
    copy(d->x, Y_rate + sys->n_q, sys->n_v);
    keel_status status = ki_solve_auxiliaries(d, t, Y);
    if (!status)
        status = ki_evaluate_terms(d, what, t, Y);
    if (status)
        return status;
    ki_chart_take(&e->chart, Y, Y + sys->n_q);
    memset(e->values, 0, (size_t)keel_pattern_count(e->pattern) * sizeof(double));
    e->placed = 0;
    assemble(e);
    return KEEL_OK;
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* What component j of Y is measured with: itself, or a part of the largest of its kind. F is linear in mu
 * and nearly so in lambda; theirs are of the size of what they are added to, velocities and forces. */
static double scale_of(const ki_ida_equations *e, const double *Y, int j) {
    const ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    static const double SMALL_PART = 1e-3;
    double scale = 0;
    if (j < e->lambda)
        return fmax(fabs(Y[j]), SMALL_PART * d->scales->y[j]);
    else if (j < e->mu)
        scale = fmax(largest(d->at.Q, sys->n_v), largest(Y + e->lambda, d->m));
    else
        scale = largest(Y + sys->n_q, sys->n_v);
    return scale > 0 ? scale : 1;
}

/* Factor of equation i, and of its unknown, in the scaled matrix. */
static double row_factor(const ki_ida_equations *e, int i) {
    return e->ggl && i >= e->lambda && !is_dropped(e, i) ? 1 : e->gamma;
}
static double column_factor(const ki_ida_equations *e, int j) {
    return j >= e->lambda ? 1 / e->gamma : 1;
}

/* Column j: (F(Y + h e_j, Y' + c h e_j) - F) / h with h at the square root of round-off. */
static keel_status linearize_by_differences(ki_ida_equations *e, double t, const double *Y,
                                            const double *Y_rate, const double *F) {
    const int W = e->dynamics->n_y - 1, n = e->size;
    copy(e->Y, Y, n);
    copy(e->Y_rate, Y_rate, n);
    for (int j = 0; j < n; j++) {
        volatile double moved = Y[j] + 1.5e-8 * scale_of(e, Y, j);
        double h = moved - Y[j];
        e->Y[j] = moved;
        e->Y_rate[j] = Y_rate[j] + h / e->gamma;
        keel_status status = ki_ida_residual(e, t, e->Y, e->Y_rate, e->F);
        if (status)
            return status;
        for (int i = 0; i < n; i++)
            e->values[i * n + j] = (e->F[i] - F[i]) / h * row_factor(e, i) * column_factor(e, j);
        e->Y[j] = Y[j];
        e->Y_rate[j] = Y_rate[j];
    }
    for (int j = 0; j < n; j++) /* nothing waits for the work */
        e->values[W * n + j] = j == W;
    return KEEL_OK;
}

keel_status ki_ida_factor(ki_ida_equations *e, double t, double c, const double *Y, const double *Y_rate,
                          const double *F) {
    e->gamma = 1 / c;
    keel_status status =
        e->exact ? linearize_exactly(e, t, Y, Y_rate) : linearize_by_differences(e, t, Y, Y_rate, F);
    if (!status)
        status = ki_lu_factor(e->lu, e->values);
    if (status)
        e->gamma = 0;
    return status;
}

/* The scaled equations with the scaled right-hand side b. With beta = N^+ b_q the first rows of the matrix
 * give the displacement d, and x_q = b_q + N (d - beta), turned as in chart.h. */
static void solve_scaled(ki_ida_equations *e, double *b) {
    const keel_system *sys = e->dynamics->system;
    if (!e->exact || !sys->kinematics) {
        ki_lu_solve(e->lu, b);
        return;
    }
    copy(e->turned, b, sys->n_q);
    ki_chart_turn(&e->chart, e->gamma, e->turned);
    ki_chart_pull(&e->chart, e->turned, e->beta);
    copy(e->rhs, e->beta, sys->n_v);
    copy(e->rhs + sys->n_v, b + sys->n_q, e->size - sys->n_q);
    ki_lu_solve(e->lu, e->rhs);
    for (int i = 0; i < sys->n_v; i++)
        e->rhs[i] -= e->beta[i];
    ki_chart_add(&e->chart, 1, e->rhs, b);
    ki_chart_turn(&e->chart, e->gamma, b);
    copy(b + sys->n_q, e->rhs + sys->n_v, e->size - sys->n_q);
}

void ki_ida_solve(ki_ida_equations *e, double *b) {
    for (int i = 0; i < e->size; i++)
        b[i] *= row_factor(e, i);
    solve_scaled(e, b);
    for (int i = e->lambda; i < e->size; i++)
        b[i] *= column_factor(e, i);
}

void ki_ida_filter(ki_ida_equations *e, double *x) {
    const ki_dynamics *d = e->dynamics;
    const keel_system *sys = d->system;
    if (!e->ggl || e->gamma == 0)
        return;
    ki_mass_times(d, x + sys->n_q, e->v_free);
    copy(x + sys->n_q, e->v_free, sys->n_v);
    memset(x + e->lambda, 0, (size_t)(e->size - e->lambda) * sizeof(double));
    solve_scaled(e, x);
}
