/* Propositions and equations of the paper of garcia.c on random systems of several sizes, with full matrices
 * M and A, alpha from 1e-2 to 1e2, and in every second system constraints that depend on each other:
 *
 *     (A + alpha J^T J) v = A v*                               eq. 4, a velocity projection
 *     P = 1 + alpha A^-1 J^T J,   D = 1/2 (1 + P)^T M (1 - P)  eq. 15, 16, Delta E_p = v^T D v
 *     B = M A^-1 J^T J                                         eq. 20
 *
 * Projections are those that a run makes (ki_settle), energies those of its audit; what they are compared
 * with is computed here from M, A and J. */
#include <math.h>
#include <string.h>

#include "formulate/taking.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "papers/experiment.h"
#include "papers/garcia_theory.h"
#include "papers/random_system.h"
#include "stabilize/energy.h"
#include "stabilize/stabilizer.h"

static const int SIZES[] = {2, 3, 5, 8, 13, 21};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

/* One system with its matrices. */
typedef struct specimen {
    ki_arena arena;
    ki_random_system *s;
    int n, m;
    double alpha, *A, *L; /* [n x n], Cholesky factor of A */
    double *x, *work;     /* [n x n] scratch               */
    unsigned *seed;
} specimen;

static bool specimen_draw(specimen *p, int number, unsigned *seed) {
    int n = SIZES[number % SIZE_COUNT], most = n > 8 ? n / 2 : n - 1;
    int rank = 1 + number / SIZE_COUNT % most, extra = number % 2 ? 1 + rank / 3 : 0;
    ki_arena_init(&p->arena);
    p->n = n, p->m = rank + extra, p->seed = seed;
    p->s = ki_random_system_new(
        &p->arena,
        &(ki_random_kind){.n = n, .m = rank + extra, .rank = rank, .curvature = 1, .torsion = 1, .force = 1},
        seed);
    p->A = KI_NEW(&p->arena, double, n *n);
    p->L = KI_NEW(&p->arena, double, n *n);
    p->x = KI_NEW(&p->arena, double, n *n);
    p->work = KI_NEW(&p->arena, double, n *n);
    if (p->arena.failed)
        return false;
    p->alpha = pow(10, 2 * ki_random(seed));
    ki_random_definite(n, p->A, seed);
    return true;
}

/* The metric has been set: its factor. */
static void take_metric(specimen *p, const double *A) {
    memmove(p->A, A, (size_t)(p->n * p->n) * sizeof *A);
    memcpy(p->L, p->A, (size_t)(p->n * p->n) * sizeof *A);
    ki_dense_cholesky(p->n, p->L);
}

static keel_settings projection(const specimen *p) {
    keel_settings s = keel_settings_default();
    s.method = ki_method("rk4/index1/projection");
    s.metric = KEEL_METRIC_MATRIX;
    s.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = p->n, .values = p->A};
    s.levels = KEEL_LEVELS_VELOCITY;
    s.projection_penalty = p->alpha;
    return s;
}

/* out = J^T J x at q = 0, where J is the linear part of the constraints */
static void times_JJ(const specimen *p, const double *x, double *out) {
    memset(out, 0, (size_t)p->n * sizeof *out);
    for (int i = 0; i < p->m; i++)
        ki_axpy(p->n, ki_dot(p->n, p->s->linear + i * p->n, x), p->s->linear + i * p->n, out);
}

static double violation(const specimen *p, const double *v) {
    double sum = 0;
    for (int i = 0; i < p->m; i++)
        sum += pow(ki_dot(p->n, p->s->linear + i * p->n, v), 2);
    return sqrt(sum);
}

/* Projects v in place, as a run does. What it does to the energy goes to *change. */
static keel_status project(const specimen *p, double *v, ki_energy_change *change) {
    ki_bench b;
    keel_settings settings = projection(p);
    keel_status status = ki_bench_open(&b, &p->s->system, &settings);
    if (!status)
        status = ki_audit_on(&b.d);
    if (!status) {
        memcpy(b.y + p->n, v, (size_t)p->n * sizeof *v);
        status = ki_settle(&b.d, KEEL_PROJECTION, 0, b.y);
        memcpy(v, b.y + p->n, (size_t)p->n * sizeof *v);
        *change = b.d.settled;
    }
    ki_bench_close(&b);
    return status;
}

/* v* = P v: the velocity whose projection is v. */
static void unproject(specimen *p, const double *v, double *before) {
    times_JJ(p, v, before);
    ki_dense_cholesky_solve(p->n, p->L, before);
    for (int i = 0; i < p->n; i++)
        before[i] = v[i] + p->alpha * before[i];
}

/* B x */
static void times_B(specimen *p, const double *x, double *out) {
    times_JJ(p, x, p->work);
    ki_dense_cholesky_solve(p->n, p->L, p->work);
    ki_matrix_times(p->n, p->s->M, p->work, out);
}

/* Equation 4, remark 1, proposition 1 and the parts of eq. 21 for a random velocity. */
static keel_status try_projection(specimen *p, ki_garcia_projections *t) {
    int n = p->n;
    double *before = p->x, *v = p->x + n, *left = KI_NEW(&p->arena, double, 4 * n * n + 4 * n);
    ki_energy_change e;
    if (!left)
        return KEEL_ERROR_MEMORY;
    double *Bv = left + n, *MBv = Bv + n, *sum = MBv + n, *L = sum + n * n;
    ki_random_vector(n, before, p->seed);
    memcpy(v, before, (size_t)n * sizeof *v);
    keel_status status = project(p, v, &e);
    if (status)
        return status;
    /* (A + alpha J^T J) v - A v* */
    double *JJv = Bv, size;
    times_JJ(p, v, JJv);
    for (int i = 0; i < n; i++)
        left[i] = ki_dot(n, p->A + i * n, v) + p->alpha * JJv[i];
    size = ki_length(n, left);
    for (int i = 0; i < n; i++)
        left[i] -= ki_dot(n, p->A + i * n, before);
    t->equation_4 = fmax(t->equation_4, ki_length(n, left) / size);
    /* the energy in two parts */
    times_B(p, v, Bv);
    memcpy(L, p->s->M, (size_t)(n * n) * sizeof *L);
    memcpy(MBv, Bv, (size_t)n * sizeof *MBv);
    ki_dense_cholesky(n, L);
    ki_dense_cholesky_solve(n, L, MBv);
    double part_1 = -p->alpha * ki_dot(n, v, Bv), part_2 = -p->alpha * p->alpha * ki_dot(n, Bv, MBv) / 2;
    t->equation_21 = fmax(t->equation_21, fmax(fabs(e.part_1 - part_1), fabs(e.part_2 - part_2)) / e.size);
    /* A + alpha J^T J against A */
    double least, least_A, most;
    for (int i = 0; i < n; i++) {
        memset(left, 0, (size_t)n * sizeof *left);
        left[i] = 1;
        times_JJ(p, left, sum + i * n);
        for (int j = 0; j < n; j++)
            sum[i * n + j] = p->A[i * n + j] + p->alpha * sum[i * n + j];
    }
    if (ki_eigenvalue_range(n, sum, &least, &most) || ki_eigenvalue_range(n, p->A, &least_A, &most))
        return KEEL_ERROR_MEMORY;
    t->definite = fmin(t->definite, least / least_A);
    /* |J v| >= |J v*| / (1 + alpha mu), mu the largest eigenvalue of J A^-1 J^T, at most its trace */
    double trace = 0;
    for (int i = 0; i < p->m; i++) {
        memcpy(left, p->s->linear + i * n, (size_t)n * sizeof *left);
        ki_dense_cholesky_solve(n, p->L, left);
        trace += ki_dot(n, p->s->linear + i * n, left);
    }
    t->incompatible = fmin(t->incompatible, violation(p, v) * (1 + p->alpha * trace) / violation(p, before));
    return KEEL_OK;
}

/* Propositions 1 and 2, remark 4 for a compatible velocity. */
static keel_status try_compatible(specimen *p, ki_garcia_projections *t) {
    int n = p->n;
    double *v = p->x, *after = p->x + n, *Dx = KI_NEW(&p->arena, double, 4 * n);
    ki_energy_change e;
    if (!Dx)
        return KEEL_ERROR_MEMORY;
    ki_random_vector(n, v, p->seed);
    keel_status status = ki_make_compatible(p->s, v);
    memcpy(after, v, (size_t)n * sizeof *v);
    if (!status)
        status = project(p, after, &e);
    if (status)
        return status;
    t->compatible = fmax(t->compatible, ki_length_between(v, after, n) / ki_length(n, v));
    t->no_energy = fmax(t->no_energy, fabs(e.all) / e.size);
    /* 2 D^s x = M x - P^T M P x = M x - M x - alpha J^T J A^-1 M x for compatible x; 2 D x = 0 */
    double *Mx = Dx + n, *back = Mx + n;
    ki_matrix_times(n, p->s->M, v, Mx);
    memcpy(back, Mx, (size_t)n * sizeof *back);
    ki_dense_cholesky_solve(n, p->L, back);
    times_JJ(p, back, Dx);
    t->kernel =
        fmax(t->kernel, p->alpha * ki_length(n, Dx) / (ki_length(n, Mx) + p->alpha * ki_length(n, Dx)));
    return KEEL_OK;
}

/* Remark 4, first half: both quadratic forms of a random x, D^s from its closed form (eq. 19). */
static keel_status try_forms(specimen *p, ki_garcia_projections *t) {
    int n = p->n;
    double *x = KI_NEW(&p->arena, double, 4 * n);
    if (!x)
        return KEEL_ERROR_MEMORY;
    double *Px = x + n, *sum = Px + n, *difference = sum + n;
    ki_random_vector(n, x, p->seed);
    unproject(p, x, Px);
    double form = 0, symmetric = 0, size = 0;
    for (int i = 0; i < n; i++) {
        sum[i] = x[i] + Px[i];
        difference[i] = x[i] - Px[i];
    }
    for (int i = 0; i < n; i++) {
        double M_x = ki_dot(n, p->s->M + i * n, x), M_Px = ki_dot(n, p->s->M + i * n, Px);
        form += sum[i] * ki_dot(n, p->s->M + i * n, difference) / 2;
        symmetric += (x[i] * M_x - Px[i] * M_Px) / 2;
        size += (x[i] * M_x + Px[i] * M_Px) / 2;
    }
    t->forms = fmax(t->forms, fabs(form - symmetric) / size);
    return KEEL_OK;
}

/* Proposition 3: rank B = rank J; whether (M A^-1)^s is definite. */
static keel_status try_ranks(specimen *p, ki_garcia_projections *t) {
    int n = p->n;
    double *B = KI_NEW(&p->arena, double, 3 * n * n), *MA = B + n * n, *J = MA + n * n, least, most;
    if (!B)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        double *unit = p->x;
        memset(unit, 0, (size_t)n * sizeof *unit);
        unit[i] = 1;
        times_B(p, unit, B + i * n);
        ki_dense_cholesky_solve(n, p->L, unit);
        for (int j = 0; j < n; j++)
            MA[j * n + i] = ki_dot(n, p->s->M + j * n, unit);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            MA[i * n + j] = (MA[i * n + j] + MA[j * n + i]) / 2;
    if (ki_eigenvalue_range(n, MA, &least, &most))
        return KEEL_ERROR_MEMORY;
    t->indefinite += least < 0;
    memcpy(J, p->s->linear, (size_t)(p->m < n ? p->m : n) * (size_t)n * sizeof *J);
    t->ranks += ki_orthonormalize(n, n, B, n, 1e-9) == ki_orthonormalize(p->m < n ? p->m : n, n, J, n, 1e-9);
    return KEEL_OK;
}

/* Whether projections that end at v add energy: sign of Delta E_p of P v. */
static keel_status energy_of(specimen *p, const double *v, double *energy) {
    double *before = KI_NEW(&p->arena, double, p->n);
    ki_energy_change e = {0};
    if (!before)
        return KEEL_ERROR_MEMORY;
    unproject(p, v, before);
    keel_status status = project(p, before, &e);
    *energy = e.all / (e.size > 0 ? e.size : 1);
    return status;
}

/* The eigenvector of B^s with its smallest eigenvalue, by inverse iteration. */
static keel_status worst_velocity(specimen *p, const ki_metric *metric, double *v) {
    int n = p->n;
    double *shifted = KI_NEW(&p->arena, double, n *n);
    int *pivot = KI_NEW(&p->arena, int, n);
    if (!shifted || !pivot)
        return KEEL_ERROR_MEMORY;
    memcpy(shifted, metric->B, (size_t)(n * n) * sizeof *shifted);
    for (int i = 0; i < n; i++)
        shifted[i * n + i] -= metric->smallest - 1e-6 * fabs(metric->smallest);
    ki_random_vector(n, v, p->seed);
    if (ki_dense_lu_factor(n, shifted, pivot) >= 0)
        return KEEL_ERROR_SINGULAR;
    for (int i = 0; i < 8; i++) {
        ki_dense_lu_solve(n, shifted, pivot, v);
        double size = ki_length(n, v);
        for (int k = 0; k < n; k++)
            v[k] /= size;
    }
    return KEEL_OK;
}

static keel_status classify(specimen *p, ki_metric *metric, ki_metric_case *which) {
    ki_metric_init(metric, &p->arena, p->n, p->m);
    if (p->arena.failed)
        return KEEL_ERROR_MEMORY;
    memcpy(metric->M, p->s->M, (size_t)(p->n * p->n) * sizeof *metric->M);
    memcpy(metric->A, p->A, (size_t)(p->n * p->n) * sizeof *metric->A);
    memcpy(metric->J, p->s->linear, (size_t)(p->m * p->n) * sizeof *metric->J);
    return ki_metric_classify(metric, which);
}

/* Proposition 5. Case II: some projection adds energy, with a small alpha that of the eigenvector of the
 * negative eigenvalue: Delta E_p1 = -alpha v^T B^s v > 0 is larger than the square of alpha. */
static keel_status try_case(specimen *p, ki_garcia_projections *t) {
    ki_metric metric;
    ki_metric_case which;
    double energy, *v = KI_NEW(&p->arena, double, p->n), alpha = p->alpha;
    keel_status status = v ? classify(p, &metric, &which) : KEEL_ERROR_MEMORY;
    if (status)
        return status;
    if (which == KI_CASE_II) {
        p->alpha = 1e-3 * -metric.smallest / (metric.largest * metric.largest);
        t->cases_2++;
        status = worst_velocity(p, &metric, v);
        if (!status)
            status = energy_of(p, v, &energy);
        t->gains_2 += !status && energy > 0;
        p->alpha = alpha;
        return status;
    }
    t->cases_4++;
    return KEEL_OK;
}

/* Proposition 4: A^-1 = M^-1 + s M^-1 J^T J M^-1 makes B = J^T (1 + s J M^-1 J^T) J semidefinite. Then
 * projections to incompatible velocities take energy. By Woodbury A = M - J^T (1/s + J M^-1 J^T)^-1 J; it is
 * found as the inverse of A^-1. */
static keel_status try_semidefinite(specimen *p, ki_garcia_projections *t) {
    int n = p->n;
    double *inverse = KI_NEW(&p->arena, double, 3 * n * n), *L = inverse + n * n, *A = L + n * n, energy;
    if (!inverse)
        return KEEL_ERROR_MEMORY;
    memcpy(L, p->s->M, (size_t)(n * n) * sizeof *L);
    ki_dense_cholesky(n, L);
    for (int i = 0; i < n; i++) {
        double *x = inverse + i * n, *y = p->x;
        memset(x, 0, (size_t)n * sizeof *x);
        x[i] = 1;
        ki_dense_cholesky_solve(n, L, x);
        times_JJ(p, x, y);
        ki_dense_cholesky_solve(n, L, y);
        ki_axpy(n, 0.3, y, x);
    }
    ki_dense_cholesky(n, inverse);
    for (int i = 0; i < n; i++) {
        memset(A + i * n, 0, (size_t)n * sizeof *A);
        A[i * n + i] = 1;
        ki_dense_cholesky_solve(n, inverse, A + i * n);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
    take_metric(p, A);
    ki_random_vector(n, p->x, p->seed);
    keel_status status = energy_of(p, p->x, &energy);
    t->tries++;
    t->losses += !status && energy < 0;
    return status;
}

/* Proposition 6, and remark 2: the same system without forces. */
static keel_status try_mass(specimen *p, ki_garcia_projections *t) {
    double with = NAN, without = NAN, k = p->s->k;
    take_metric(p, p->s->M);
    ki_random_vector(p->n, p->x, p->seed);
    keel_status status = energy_of(p, p->x, &with);
    p->s->k = 0;
    if (!status)
        status = energy_of(p, p->x, &without);
    p->s->k = k;
    t->mass_tries++;
    t->mass_gains += !status && with > 0;
    t->forces = fmax(t->forces, fabs(with - without));
    return status;
}

/* Equation 7: (A + alpha J^T J) a = A a* + alpha J^T xi. */
static keel_status try_acceleration(specimen *p, ki_garcia_projections *t) {
    int n = p->n;
    ki_bench b;
    keel_settings settings = projection(p);
    double *a = KI_NEW(&p->arena, double, 4 * n), *given = a + n, *left = given + n, *right = left + n;
    if (!a)
        return KEEL_ERROR_MEMORY;
    settings.levels = KEEL_LEVELS_VELOCITY_ACCELERATION;
    keel_status status = ki_bench_open(&b, &p->s->system, &settings);
    if (!status) {
        double *v = b.y + n;
        ki_random_vector(n, v, p->seed);
        status = ki_make_compatible(p->s, v);
        ki_random_vector(n, a, p->seed);
        memcpy(given, a, (size_t)n * sizeof *a);
        if (!status)
            status = ki_project_acceleration(&b.d, 0, b.y, a);
        times_JJ(p, a, left);
        for (int i = 0; i < n; i++) {
            left[i] = p->alpha * left[i] + ki_dot(n, p->A + i * n, a);
            right[i] = ki_dot(n, p->A + i * n, given);
        }
        for (int k = 0; k < p->m; k++) {
            double xi = 0;
            for (int j = 0; j < n; j++)
                xi -= p->s->square[k * n + j] * v[j] * v[j];
            ki_axpy(n, p->alpha * xi, p->s->linear + k * n, right);
        }
        t->equation_7 = fmax(t->equation_7, ki_length_between(left, right, n) / ki_length(n, left));
    }
    ki_bench_close(&b);
    return status;
}

keel_status ki_garcia_try_projections(ki_garcia_projections *t) {
    static keel_status (*const TRIALS[])(specimen *, ki_garcia_projections *) = {
        try_projection, try_compatible,   try_forms,        try_ranks,
        try_case,       try_acceleration, try_semidefinite, try_mass};
    unsigned seed = 2010;
    *t = (ki_garcia_projections){.definite = INFINITY, .incompatible = INFINITY};
    keel_status status = KEEL_OK;
    for (int i = 0; i < KI_GARCIA_SYSTEMS && !status; i++) {
        specimen p = {0};
        status = specimen_draw(&p, i, &seed) ? KEEL_OK : KEEL_ERROR_MEMORY;
        if (!status)
            take_metric(&p, p.A);
        for (unsigned k = 0; k < sizeof TRIALS / sizeof *TRIALS && !status; k++)
            status = TRIALS[k](&p, t);
        ki_arena_free(&p.arena);
    }
    return status;
}
