#include "formulate/dynamics.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A residual of the linear system above this is no longer round-off or the noise of dependent rows: the
 * constraints contradict each other. */
static const double LARGEST_RESIDUAL = 1e-8;

static void allocate_terms(ki_dynamics *d) {
    const keel_system *sys = d->system;
    d->at.M = KI_NEW(&d->arena, double, keel_pattern_count(sys->M));
    d->at.J = KI_NEW(&d->arena, double, keel_pattern_count(sys->J));
    d->at.Q = KI_NEW(&d->arena, double, sys->n_v);
    d->at.xi = KI_NEW(&d->arena, double, d->m);
    d->at.Phi = KI_NEW(&d->arena, double, sys->n_h);
    d->at.rate = KI_NEW(&d->arena, double, d->m);
    d->at.f = KI_NEW(&d->arena, double, sys->n_z);
    d->at.r = KI_NEW(&d->arena, double, sys->n_s);
    d->at.r_s = KI_NEW(&d->arena, double, keel_pattern_count(sys->r_s));
    d->at.Q_lambda = KI_NEW(&d->arena, double, keel_pattern_count(sys->Q_lambda));
}

/* The multipliers that some force depends on: non-empty columns of Q_lambda. */
static void find_active_multipliers(ki_dynamics *d) {
    keel_pattern P = d->system->Q_lambda;
    d->active = KI_NEW(&d->arena, int, d->m);
    if (!d->active)
        return;
    for (int column = 0; column < d->m; column++)
        for (int k = 0; k < keel_pattern_count(P); k++)
            if (P.index[k] == column) {
                d->active[d->active_count++] = column;
                break;
            }
    d->active_matrix = KI_NEW(&d->arena, double, (size_t)d->active_count *(size_t)d->active_count);
    d->active_step = KI_NEW(&d->arena, double, d->active_count);
    d->active_pivot = KI_NEW(&d->arena, int, d->active_count);
}

static void allocate_scratch(ki_dynamics *d) {
    const keel_system *sys = d->system;
    d->s = KI_NEW(&d->arena, double, sys->n_s);
    d->lambda = KI_NEW(&d->arena, double, d->m);
    d->factored_q = KI_NEW(&d->arena, double, sys->n_q);
    d->x = KI_NEW(&d->arena, double, sys->n_v);
    d->y = KI_NEW(&d->arena, double, d->m);
    d->b_v = KI_NEW(&d->arena, double, sys->n_v);
    d->b_m = KI_NEW(&d->arena, double, d->m);
    d->size = KI_NEW(&d->arena, double, d->m);
    d->largest_position = KI_NEW(&d->arena, double, d->m);
    d->largest_velocity = KI_NEW(&d->arena, double, d->m);
    d->r_s_dense = KI_NEW(&d->arena, double, (size_t)sys->n_s *(size_t)sys->n_s);
    d->r_s_pivot = KI_NEW(&d->arena, int, sys->n_s);
    if (sys->Q_lambda.rows)
        find_active_multipliers(d);
}

keel_status ki_dynamics_init(ki_dynamics *d, const keel_system *system) {
    *d = (ki_dynamics){.system = system, .m = keel_system_m(system)};
    d->n_y = system->n_q + system->n_v + system->n_z + 1;
    ki_arena_init(&d->arena);
    allocate_terms(d);
    allocate_scratch(d);
    d->K = keel_saddle_new(system->M, system->J, NULL);
    d->K_G = d->K;
    if (system->n_h && system->n_n) {
        keel_pattern G = system->J; /* the holonomic rows come first */
        G.rows = system->n_h;
        d->K_G = keel_saddle_new(system->M, G, NULL);
    }
    if (d->arena.failed || !d->K || !d->K_G)
        return KEEL_ERROR_MEMORY;
    return system->work_new ? system->work_new(system, &d->work) : KEEL_OK;
}

void ki_dynamics_clear(ki_dynamics *d) {
    if (d->system && d->system->work_free && d->work)
        d->system->work_free(d->work);
    if (d->K_G != d->K)
        keel_saddle_free(d->K_G);
    keel_saddle_free(d->K);
    ki_arena_free(&d->arena);
    *d = (ki_dynamics){0};
}

keel_point ki_point(const ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    return (keel_point){
        .t = t, .q = y, .v = y + sys->n_q, .z = y + sys->n_q + sys->n_v, .s = d->s, .lambda = d->lambda};
}

void ki_normalize(ki_dynamics *d, double *y) {
    if (!d->system->advance)
        return;
    memset(d->x, 0, (size_t)d->system->n_v * sizeof(double));
    d->system->advance(d->system, ki_q(y), d->x);
}

keel_status ki_trouble_at(ki_dynamics *d, keel_status status, ki_trouble_kind kind, double t, int index,
                          double amount) {
    d->trouble = (ki_trouble){kind, t, index, amount};
    return status;
}

bool ki_all_finite(const double *x, int n, int *index) {
    double sum = 0; /* 0 * x is 0 for finite x, NaN otherwise: one pass without branches */
    for (int i = 0; i < n; i++)
        sum += 0 * x[i];
    if (sum == 0)
        return true;
    for (*index = 0; *index < n - 1 && isfinite(x[*index]); ++*index)
        ;
    return false;
}

keel_status ki_evaluate_terms(ki_dynamics *d, unsigned what, double t, const double *y) {
    keel_point at = ki_point(d, t, y);
    keel_status status = d->system->evaluate(d->system, d->work, what, &at, &d->at);
    return status < 0 ? ki_trouble_at(d, KEEL_ERROR_CALLBACK, KI_TROUBLE_CALLBACK, t, -1, (double)status)
                      : KEEL_OK;
}

bool ki_is_factored(const ki_dynamics *d, double t, const double *y) {
    return d->factored && t == d->factored_t && !d->system->J_needs_v &&
           memcmp(y, d->factored_q, (size_t)d->system->n_q * sizeof(double)) == 0;
}

keel_status ki_factor_terms(ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    d->factored = false;
    keel_status status = keel_saddle_factor(d->K, d->at.M, d->at.J, NULL);
    if (status == KEEL_ERROR_SINGULAR)
        return ki_trouble_at(d, status, KI_TROUBLE_MASS, t, keel_saddle_bad_pivot(d->K), 0);
    if (status < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_MATRIX, t, -1, 0);
    d->factorizations++;
    d->factored = true;
    d->factored_t = t;
    memcpy(d->factored_q, y, (size_t)sys->n_q * sizeof(double));
    return KEEL_OK;
}

keel_status ki_factor_at(ki_dynamics *d, double t, const double *y) {
    if (ki_is_factored(d, t, y))
        return KEEL_OK;
    d->factored = false; /* the values of M and J change now */
    keel_status status = ki_evaluate_terms(d, KEEL_MASS | KEEL_JACOBIAN, t, y);
    return status ? status : ki_factor_terms(d, t, y);
}

keel_status ki_solve_motion(ki_dynamics *d, double t, const double *r, const double *s, double *x,
                            double *y) {
    keel_saddle_info info;
    keel_status status = keel_saddle_solve(d->K, r, s, x, y, &info);
    if (status < 0 || info.residual > LARGEST_RESIDUAL)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, info.worst_row, info.residual);
    return KEEL_OK;
}

void ki_mass_times(const ki_dynamics *d, const double *e, double *out) {
    keel_pattern P = d->system->M;
    const double *M = d->at.M;
    for (int i = 0; i < P.rows; i++) {
        double sum = 0;
        int last = P.start[i + 1] - 1; /* the diagonal */
        for (int k = P.start[i]; k < last; k++) {
            int j = P.index[k];
            sum += M[k] * e[j];
            out[j] += M[k] * e[i];
        }
        out[i] = sum + M[last] * e[i];
    }
}

/* Newton: r_s ds = -r. */
keel_status ki_solve_auxiliaries(ki_dynamics *d, double t, const double *y) {
    enum { MOST_ITERATIONS = 50 };
    const keel_system *sys = d->system;
    int n = sys->n_s, worst = 0;
    if (n == 0)
        return KEEL_OK;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = ki_evaluate_terms(d, KEEL_AUXILIARY, t, y);
        if (status)
            return status;
        memset(d->r_s_dense, 0, (size_t)n * (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++)
            for (int k = sys->r_s.start[i]; k < sys->r_s.start[i + 1]; k++)
                d->r_s_dense[i * n + sys->r_s.index[k]] = d->at.r_s[k];
        int column = ki_dense_lu_factor(n, d->r_s_dense, d->r_s_pivot);
        if (!ki_all_finite(d->at.r, n, &worst) || column >= 0)
            return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_AUXILIARY, t,
                                 column >= 0 ? column : worst, INFINITY);
        ki_dense_lu_solve(n, d->r_s_dense, d->r_s_pivot, d->at.r);
        double step = 0, length = 0;
        for (int i = 0; i < n; i++) {
            d->s[i] -= d->at.r[i];
            if (fabs(d->at.r[i]) > step) {
                step = fabs(d->at.r[i]);
                worst = i;
            }
            length = fmax(length, fabs(d->s[i]));
        }
        /* quadratic convergence: a correction of 1e-9 leaves an error at round-off */
        if (step <= 1e-9 * length || step == 0)
            return KEEL_OK;
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_AUXILIARY, t, worst, fabs(d->at.r[worst]));
}
