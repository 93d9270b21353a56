#include "formulate/dynamics.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A violation of J v' = s above this, relative to the size of J v', is no longer round-off: the constraints
 * contradict each other. Redundant constraints agree only as well as the state satisfies them, and stages do
 * not satisfy them exactly. */
static const double LARGEST_RESIDUAL = 1e-8, LARGEST_RESIDUAL_REDUNDANT = 1e-2;

/* Rows of redundant constraints that differ by less are one row. */
static const double DEPENDENT_WHEN_REDUNDANT = 1e-3;

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
    d->at.tangent = KI_NEW(&d->arena, double, keel_pattern_count(sys->tangent));
    d->at.rate_q = KI_NEW(&d->arena, double, keel_pattern_count(sys->rate_q));
    d->at.invariant = KI_NEW(&d->arena, double, sys->n_i);
    d->at.invariant_y = KI_NEW(&d->arena, double, keel_pattern_count(sys->invariant_y));
}

static void allocate_scratch(ki_dynamics *d) {
    const keel_system *sys = d->system;
    d->scales = ki_scales_new(&d->arena, sys);
    d->s = KI_NEW(&d->arena, double, sys->n_s);
    d->lambda = KI_NEW(&d->arena, double, d->m);
    d->factored_q = KI_NEW(&d->arena, double, sys->n_q);
    d->known_qv = KI_NEW(&d->arena, double, sys->n_q + sys->n_v);
    d->x = KI_NEW(&d->arena, double, sys->n_v);
    d->y = KI_NEW(&d->arena, double, d->m);
    d->b_v = KI_NEW(&d->arena, double, sys->n_v);
    d->b_m = KI_NEW(&d->arena, double, d->m);
    d->target = KI_NEW(&d->arena, double, d->m);
    d->D = KI_NEW(&d->arena, double, d->m);
    d->y_stage = KI_NEW(&d->arena, double, d->n_y);
    d->size = KI_NEW(&d->arena, double, d->m);
    d->J_here = KI_NEW(&d->arena, double, keel_pattern_count(sys->J));
    d->length = KI_NEW(&d->arena, double, sys->n_v);
    d->largest_position = KI_NEW(&d->arena, double, d->m);
    d->largest_velocity = KI_NEW(&d->arena, double, d->m);
    d->invariant_start = KI_NEW(&d->arena, double, sys->n_i);
    d->largest_invariant = KI_NEW(&d->arena, double, sys->n_i);
    d->invariant_size = KI_NEW(&d->arena, double, sys->n_i);
    d->invariant_error = KI_NEW(&d->arena, double, sys->n_i);
    d->invariant_t = KI_NEW(&d->arena, double, sys->n_i);
    d->r_s_dense = KI_NEW(&d->arena, double, (size_t)sys->n_s *(size_t)sys->n_s);
    d->r_s_pivot = KI_NEW(&d->arena, int, sys->n_s);
    if (sys->Q_lambda.rows)
        ki_force_lambda_init(&d->force, sys, &d->arena);
}

static bool uses_penalty(const ki_law *law) {
    return law->formulation == KEEL_PENALTY || law->formulation == KEEL_AUGMENTED;
}

static bool uses_partition(const ki_law *law) {
    return law->formulation == KEEL_INDEPENDENT || law->formulation == KEEL_PARTITIONED || law->gradient;
}

/* The lower triangle of a full matrix, or of a diagonal one. */
static keel_pattern triangle(ki_arena *arena, int n, bool full) {
    int *start = KI_NEW(arena, int, n + 1),
        *index = KI_NEW(arena, int, full ? (size_t)n *((size_t)n + 1) / 2 : (size_t)n);
    int count = 0;
    for (int i = 0; start && index && i < n; i++) {
        for (int j = full ? 0 : i; j <= i; j++)
            index[count++] = j;
        start[i + 1] = count;
    }
    return (keel_pattern){n, n, start, index};
}

/* The kernel of projections in another metric than M, or with a penalty. */
static void make_projection_kernel(ki_dynamics *d) {
    const keel_system *sys = d->system;
    const ki_law *law = d->law;
    bool full = law->metric == KEEL_METRIC_MATRIX;
    keel_pattern A = law->metric == KEEL_METRIC_MASS ? sys->M : triangle(&d->arena, sys->n_v, full),
                 G = sys->J;
    G.rows = sys->n_h;
    if (law->metric != KEEL_METRIC_MASS)
        d->metric =
            KI_NEW(&d->arena, double, full ? (size_t)sys->n_v *((size_t)sys->n_v + 1) / 2 : (size_t)sys->n_v);
    if (law->projection_penalty > 0)
        d->P_D = KI_NEW(&d->arena, double, d->m);
    if (d->arena.failed)
        return;
    for (int i = 0, k = 0; d->metric && i < sys->n_v; i++)
        for (int j = full ? 0 : i; j <= i; j++)
            d->metric[k++] = full ? law->metric_matrix.values[i * sys->n_v + j] : 1;
    for (int i = 0; d->P_D && i < d->m; i++)
        d->P_D[i] = 1 / law->projection_penalty;
    d->P = keel_saddle_new(A, sys->J, NULL);
    d->P_G = sys->n_h && sys->n_n ? keel_saddle_new(A, G, NULL) : d->P;
}

static void make_kernels(ki_dynamics *d) {
    const keel_system *sys = d->system;
    keel_saddle_settings kernel = keel_saddle_settings_default();
    if (d->law->formulation == KEEL_NULLSPACE)
        kernel.path = KEEL_SADDLE_NULL_SPACE;
    d->K = d->K_G = keel_saddle_new(sys->M, sys->J, &kernel);
    if (sys->n_h && sys->n_n) {
        keel_pattern G = sys->J; /* the holonomic rows come first */
        G.rows = sys->n_h;
        d->K_G = keel_saddle_new(sys->M, G, &kernel);
    }
    if (d->law->metric != KEEL_METRIC_MASS || d->law->projection_penalty > 0)
        make_projection_kernel(d);
    else
        d->P = d->K, d->P_G = d->K_G;
    if (d->law->joint)
        ki_joint_init(&d->joint, &d->arena, sys, d->law);
    if (uses_penalty(d->law))
        d->K_D = keel_saddle_new(sys->M, sys->J, NULL);
}

/* Where all rows are holonomic one serves both levels (partitioned.c). */
static bool make_partitions(ki_dynamics *d) {
    const keel_system *sys = d->system;
    keel_pattern G = sys->J;
    G.rows = sys->n_h;
    bool made = ki_partition_init_for(&d->by_velocity, &d->arena, sys->M, sys->J);
    if (sys->n_n)
        made = ki_partition_init_for(&d->by_position, &d->arena, sys->M, G) && made;
    else
        d->by_position = d->by_velocity;
    return made;
}

keel_status ki_dynamics_init(ki_dynamics *d, const keel_system *system, const ki_law *law) {
    *d = (ki_dynamics){
        .system = system, .law = law, .m = keel_system_m(system), .t_first = -INFINITY, .t_last = INFINITY};
    d->n_y = system->n_q + system->n_v + system->n_z + 1;
    d->kept = KI_KEPT | (system->n_z || system->Q_lambda.rows ? 0u : (unsigned)KI_KEPT_OF_RATE);
    ki_arena_init(&d->arena);
    allocate_terms(d);
    allocate_scratch(d);
    make_kernels(d);
    if (uses_penalty(law) && law->penalty.full) {
        size_t n = (size_t)system->n_v, rows = (size_t)d->m;
        d->dense = KI_NEW(&d->arena, double, n *n);
        d->J_rows = KI_NEW(&d->arena, double, rows *n);
        d->AJ = KI_NEW(&d->arena, double, rows *n);
    }
    if (uses_partition(law) && !make_partitions(d))
        return KEEL_ERROR_MEMORY;
    if (d->arena.failed || !d->K || !d->K_G || !d->P || !d->P_G || (uses_penalty(law) && !d->K_D) ||
        (law->joint && !d->joint.K))
        return KEEL_ERROR_MEMORY;
    if (ki_may_solve_once(d) && ki_saddle_prepare_stages(d->K, system->kernel != NULL) < 0)
        return KEEL_ERROR_MEMORY;
    return system->work_new ? system->work_new(system, &d->work) : KEEL_OK;
}

void ki_dynamics_clear(ki_dynamics *d) {
    if (d->system && d->system->work_free && d->work)
        d->system->work_free(d->work);
    if (d->P_G != d->P && d->P_G != d->K_G)
        keel_saddle_free(d->P_G);
    if (d->P != d->K)
        keel_saddle_free(d->P);
    if (d->K_G != d->K)
        keel_saddle_free(d->K_G);
    keel_saddle_free(d->K);
    keel_saddle_free(d->K_D);
    keel_saddle_free(d->joint.K);
    ki_partition_clear(&d->by_velocity);
    if (d->system && d->system->n_n)
        ki_partition_clear(&d->by_position);
    ki_force_lambda_clear(&d->force);
    ki_arena_free(&d->arena);
    *d = (ki_dynamics){0};
}

keel_point ki_point(const ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    return (keel_point){.t = ki_time_asked(d, t),
                        .q = y,
                        .v = y + sys->n_q,
                        .z = y + sys->n_q + sys->n_v,
                        .s = d->s,
                        .lambda = d->lambda,
                        .a = d->x};
}

void ki_stay_between(ki_dynamics *d, double t_first, double t_last) {
    if (d->t_first == t_first && d->t_last == t_last)
        return;
    d->t_first = t_first;
    d->t_last = t_last;
    d->known = 0;
    d->factored = false;
    d->factored_P = d->factored_P_G = NULL;
}

void ki_move(const ki_dynamics *d, double *y, const double *dv) {
    if (d->system->advance) {
        d->system->advance(d->system, ki_q(y), dv);
        return;
    }
    for (int i = 0; i < d->system->n_v; i++)
        y[i] += dv[i];
}

void ki_normalize(ki_dynamics *d, double *y) {
    if (!d->system->advance)
        return;
    memset(d->x, 0, (size_t)d->system->n_v * sizeof(double));
    d->system->advance(d->system, ki_q(y), d->x);
}

keel_status ki_trouble_at(ki_dynamics *d, keel_status status, ki_trouble_kind kind, double t, int index,
                          double amount) {
    d->trouble = (ki_trouble){.kind = kind, .t = t, .index = index, .amount = amount};
    return status;
}

bool ki_all_finite(const double *x, int n, int *index) {
    /* 0 * x is 0 for finite x, NaN otherwise: one pass without branches, in sums that do not wait for each
     * other */
    double a = 0, b = 0, c = 0;
    int i = 0;
    for (; i < n - 2; i += 3) {
        a += 0 * x[i];
        b += 0 * x[i + 1];
        c += 0 * x[i + 2];
    }
    for (; i < n; i++)
        a += 0 * x[i];
    if (a + b + c == 0)
        return true;
    for (*index = 0; *index < n - 1 && isfinite(x[*index]); ++*index)
        ;
    return false;
}

keel_status ki_evaluate_terms(ki_dynamics *d, unsigned what, double t, const double *y) {
    keel_point at = ki_point(d, t, y);
    d->known &= ~what;
    keel_status status = d->system->evaluate(d->system, d->work, what, &at, &d->at);
    if (d->offset.span > 0)
        ki_apply_offset(&d->offset, d->system->n_h, t, what, &d->at);
    return status < 0 ? ki_trouble_at(d, KEEL_ERROR_CALLBACK, KI_TROUBLE_CALLBACK, t, -1, (double)status)
                      : KEEL_OK;
}

/* Bit by bit; not memcmp, as vectors are short. */
static inline bool same(int n, const double *a, const double *b) {
    typedef long long bits __attribute__((may_alias));
    const bits *x = (const bits *)a, *y = (const bits *)b;
    int i = 0;
    for (; i + 4 <= n; i += 4)
        if (((x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1])) | ((x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3])))
            return false;
    for (; i < n; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

/* Which of the terms in d->known belong to (t, y). Positions and matrices do not ask for velocities. With
 * auxiliaries none do: those are solved for anew, and differ in the last digits. */
static unsigned known_at(const ki_dynamics *d, double t, const double *y) {
    int n_q = d->system->n_q, n_v = d->system->n_v;
    if (!d->known || t != d->known_t || d->system->n_s || !same(n_q, y, d->known_qv))
        return 0;
    bool moved = !same(n_v, y + n_q, d->known_qv + n_q);
    unsigned of_q = KEEL_POSITION | KEEL_MASS | (d->system->J_needs_v ? 0u : KEEL_JACOBIAN);
    return moved ? d->known & of_q : d->known;
}

bool ki_knows(const ki_dynamics *d, unsigned what, double t, const double *y) {
    return (what & ~known_at(d, t, y)) == 0;
}

keel_status ki_evaluate_once(ki_dynamics *d, unsigned what, double t, const double *y) {
    unsigned known = known_at(d, t, y), missing = what & ~known;
    if (!missing)
        return KEEL_OK;
    d->known = 0;
    keel_status status = ki_evaluate_terms(d, missing, t, y);
    if (status)
        return status;
    d->known = known | (missing & d->kept);
    d->known_t = t;
    memcpy(d->known_qv, y, (size_t)(d->system->n_q + d->system->n_v) * sizeof *y);
    return KEEL_OK;
}

bool ki_is_factored(const ki_dynamics *d, double t, const double *y) {
    return d->factored && t == d->factored_t && !d->system->J_needs_v &&
           same(d->system->n_q, y, d->factored_q);
}

void ki_note_factors(ki_dynamics *d, double t, const double *y) {
    d->factorizations++;
    d->factored = true;
    d->factored_t = t;
    memcpy(d->factored_q, y, (size_t)d->system->n_q * sizeof(double));
}

keel_status ki_factor_terms(ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    d->factored = false;
    if (sys->kernel)
        ki_saddle_use(d->K, sys->kernel(sys, d->work));
    keel_status status = keel_saddle_factor(d->K, d->at.M, d->at.J, NULL);
    if (status == KEEL_ERROR_SINGULAR)
        return ki_trouble_at(d, status, KI_TROUBLE_MASS, t, keel_saddle_bad_pivot(d->K), 0);
    if (status < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_MATRIX, t, -1, 0);
    ki_note_factors(d, t, y);
    return KEEL_OK;
}

keel_status ki_factor_with(ki_dynamics *d, unsigned also, double t, const double *y) {
    if (ki_is_factored(d, t, y))
        return also ? ki_evaluate_once(d, also, t, y) : KEEL_OK;
    d->factored = false; /* the values of M and J change now */
    keel_status status = ki_evaluate_once(d, KEEL_MASS | KEEL_JACOBIAN | also, t, y);
    return status ? status : ki_factor_terms(d, t, y);
}

keel_status ki_factor_at(ki_dynamics *d, double t, const double *y) {
    return ki_factor_with(d, 0, t, y);
}

/* Largest |r_j / M_jj|: x is a difference of terms of this size, and carries their round-off. */
static double free_acceleration(const ki_dynamics *d, const double *r) {
    keel_pattern P = d->system->M;
    double most = 0;
    for (int j = 0; r && j < P.rows; j++) {
        double mass = d->at.M[P.start[j + 1] - 1];
        most = mass > 0 ? fmax(most, fabs(r[j]) / mass) : most;
    }
    return most;
}

/* Largest |J x - s|_i relative to |J_i| |x| + |s|, and its row; round-off of x does not count. */
static double acceleration_residual(const ki_dynamics *d, const double *r, const double *s, const double *x,
                                    int *worst) {
    static const double ROUND_OFF = 1e-14;
    keel_pattern P = d->system->J;
    double length = 0, target = 0, most = 0, noise = ROUND_OFF * free_acceleration(d, r);
    for (int j = 0; j < d->system->n_v; j++)
        length = fmax(length, fabs(x[j]));
    for (int i = 0; i < d->m; i++)
        target = fmax(target, fabs(s[i]));
    for (int i = 0; i < d->m; i++) {
        double sum = -s[i], row = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            sum += d->at.J[k] * x[P.index[k]];
            row += fabs(d->at.J[k]);
        }
        double size = row * length + target;
        if (fabs(sum) > row * noise && fabs(sum) > most * size) {
            most = fabs(sum) / size;
            *worst = i;
        }
    }
    return most;
}

keel_status ki_solve_motion(ki_dynamics *d, double t, const double *r, const double *s, double *x,
                            double *y) {
    int worst = 0;
    keel_status status =
        d->in_stage ? ki_saddle_solve_stage(d->K, r, s, x, y) : keel_saddle_solve(d->K, r, s, x, y, NULL);
    if (status < 0)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, -1, INFINITY);
    if (status == KEEL_OK)
        return KEEL_OK;
    double residual = acceleration_residual(d, r, s, x, &worst);
    if (residual > (d->redundant ? LARGEST_RESIDUAL_REDUNDANT : LARGEST_RESIDUAL))
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, worst, residual);
    return KEEL_OK;
}

void ki_expect_redundancy(ki_dynamics *d) {
    keel_saddle *kernels[] = {d->K, d->K_G, d->P, d->P_G, d->K_D};
    d->redundant = true;
    d->factored = false;
    d->factored_P = d->factored_P_G = NULL;
    d->by_position.least = d->by_velocity.least = DEPENDENT_WHEN_REDUNDANT;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i])
            keel_saddle_set_dependent(kernels[i], DEPENDENT_WHEN_REDUNDANT);
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i] && kernels[i] != d->K_D) /* springs in place of constraints share their load */
            ki_saddle_leave_rest(kernels[i], LARGEST_RESIDUAL_REDUNDANT);
}

/* out = M e over the pattern of M */
static void times(keel_pattern P, const double *M, const double *e, double *out) {
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

void ki_mass_times(const ki_dynamics *d, const double *e, double *out) {
    if (!ki_saddle_times(d->K, d->at.M, e, out))
        times(d->system->M, d->at.M, e, out);
}

/* Newton: r_s ds = -r. */
keel_status ki_newton_auxiliaries(ki_dynamics *d, double t, const double *y) {
    enum { MOST_ITERATIONS = 50 };
    const keel_system *sys = d->system;
    int n = sys->n_s, worst = 0;
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
