/* Equations, remarks and the proposition of the paper of mukharlyamov.c on random systems with full matrices
 * M, at states off the constraints, half of the systems with constraints that depend on each other:
 *
 *     lambda = A^+ (J M^-1 Q - xi) + (1 - A^+ A) u,  A = J M^-1 J^T          eq. 6
 *     Theta'' + K_D Theta' + K_P Theta = 0                                    eq. 16
 *     V = 1/2 |Theta' + eps Theta|^2 + 1/2 Theta^T (K_P + eps K_D - eps^2) Theta   eq. 18
 *     V' = -eps Theta^T K_P Theta - Theta'^T (K_D - eps) Theta'               eq. 19
 *     (M + J^T A J) q'' = Q - J^T A (K_D Theta' + K_P Theta - xi)             eq. 30, A: penalty masses
 *     lambda = A (Theta'' + K_D Theta' + K_P Theta)                           eq. 31
 *
 * Accelerations and multipliers are those of Keel's formulations; what they are compared with is computed
 * here. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "papers/experiment.h"
#include "papers/mukharlyamov.h"
#include "papers/random_system.h"

enum { SYSTEMS = 120, N_MOST = 24, M_MOST = N_MOST };

/* Worst cases, relative to the terms that they are differences of. */
typedef struct theory {
    double motion, level, shortest; /* eq. 6, u = 0: M a + J^T lambda - Q, J a - xi, part of lambda outside of
                                       the range of A */
    double same;                    /* remark 2: a and lambda by the generalized inverse and by the kernel */
    int shifted, moved;          /* eq. 13: systems with (1 - A^+ A) u not 0; those whose motion it changes */
    double eq_16, eq_19;         /* full K_D and K_P */
    double critical;             /* remark 3: eq. 16 with 2 k_i and k_i^2 */
    int falling;                 /* states in which V falls */
    double eq_30, eq_31, scalar; /* full masses, and the penalty method's one mass (remark 4) */
    int independent, redundant;
} theory;

/* A system at a random state off its constraints, with what it tells there. */
typedef struct specimen {
    ki_arena arena;
    ki_random_system *s;
    int n, m;
    double y[2 * N_MOST + 1];
    double J[M_MOST * N_MOST], Q[N_MOST], xi[M_MOST], Theta[M_MOST], rate[M_MOST];
    double a[N_MOST], lambda[M_MOST]; /* as last found */
    double K_D[M_MOST * M_MOST], K_P[M_MOST * M_MOST], mass[M_MOST * M_MOST];
} specimen;

static bool draw(specimen *p, int number, unsigned *seed) {
    int n = 3 + number % 20, rank = 1 + number / 2 % (n / 2), extra = number % 2 ? 1 + rank / 3 : 0;
    ki_arena_init(&p->arena);
    p->n = n, p->m = rank + extra;
    p->s = ki_random_system_new(
        &p->arena,
        &(ki_random_kind){.n = n, .m = p->m, .rank = rank, .curvature = 0.3, .torsion = 0.3, .force = 1},
        seed);
    ki_random_vector(2 * n, p->y, seed);
    ki_random_definite(p->m, p->K_D, seed);
    ki_random_definite(p->m, p->K_P, seed);
    ki_random_definite(p->m, p->mass, seed);
    return p->s;
}

/* v', the multipliers, and the terms they belong to. */
static keel_status solve(specimen *p, const keel_settings *settings) {
    ki_bench b;
    double k[2 * N_MOST + 1 + KI_FOUR];
    keel_status status = ki_bench_open(&b, &p->s->system, settings);
    if (!status) {
        if (b.d.D)
            ki_fix_penalty(&b.d);
        memcpy(b.y, p->y, (size_t)(2 * p->n) * sizeof *b.y);
        status = ki_rate(&b.d, 0, b.y, k);
    }
    if (!status) {
        memcpy(p->a, b.d.x, (size_t)p->n * sizeof *p->a);
        memcpy(p->lambda, b.d.lambda, (size_t)p->m * sizeof *p->lambda);
        const keel_point at = {.q = p->y, .v = p->y + p->n};
        keel_terms terms = {.J = p->J, .Q = p->Q, .xi = p->xi, .Phi = p->Theta, .rate = p->rate};
        status = p->s->system.evaluate(&p->s->system, NULL,
                                       KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_POSITION | KEEL_VELOCITY,
                                       &at, &terms);
    }
    ki_bench_close(&b);
    return status;
}

static keel_gain matrix(int rows, const double *values) {
    return (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = rows, .values = values};
}

static double largest_of(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fmax(fabs(a[i]), b ? fabs(b[i]) : 0));
    return most;
}

/* |J a - s| over |J| |a| + |s|, largest row */
static double level_error(const specimen *p, const double *s) {
    double most = 0;
    for (int i = 0; i < p->m; i++) {
        const double *J = p->J + i * p->n;
        double size = sqrt(ki_dot(p->n, J, J) * ki_dot(p->n, p->a, p->a)) + fabs(s[i]);
        most = fmax(most, fabs(ki_dot(p->n, J, p->a) - s[i]) / size);
    }
    return most;
}

/* |M a + J^T lambda - Q| over the largest term */
static double motion_error(const specimen *p) {
    double most = 0, size = largest_of(p->n, p->Q, NULL), left[N_MOST], Ma[N_MOST];
    ki_matrix_times(p->n, p->s->M, p->a, Ma);
    memcpy(left, Ma, sizeof left);
    for (int i = 0; i < p->m; i++) {
        ki_axpy(p->n, p->lambda[i], p->J + i * p->n, left);
        size = fmax(size, fabs(p->lambda[i]) * largest_of(p->n, p->J + i * p->n, NULL));
    }
    size = fmax(size, largest_of(p->n, Ma, NULL));
    for (int i = 0; i < p->n; i++)
        most = fmax(most, fabs(left[i] - p->Q[i]));
    return most / size;
}

/* The part of x [m] outside of the range of J, as long as 1 is. The range of A is that of J. */
static double outside(const specimen *p, const double *x) {
    double columns[N_MOST * M_MOST], part[M_MOST];
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++)
            columns[j * p->m + i] = p->J[i * p->n + j];
    int rank = ki_orthonormalize(p->n, p->m, columns, p->m, 1e-9);
    memcpy(part, x, (size_t)p->m * sizeof *part);
    return rank < p->m ? ki_orthogonalize(rank, p->m, columns, p->m, part) : 0;
}

static keel_settings with_method(const char *method) {
    keel_settings s = keel_settings_default();
    s.method = ki_method(method);
    return s;
}

/* Equation 6 with and without u, equation 13, remark 2. */
static keel_status try_inverse(specimen *p, theory *t, unsigned *seed) {
    double a[N_MOST], lambda[M_MOST], u[M_MOST];
    keel_settings inverse = with_method("dopri5/generalized_inverse/none");
    keel_settings plain = with_method("dopri5/index1/none");
    bool redundant = p->m > p->s->kind.rank;
    keel_status status = solve(p, &inverse);
    if (status)
        return status;
    t->motion = fmax(t->motion, motion_error(p));
    t->level = fmax(t->level, level_error(p, p->xi));
    t->shortest = fmax(t->shortest, outside(p, p->lambda));
    memcpy(a, p->a, sizeof a);
    memcpy(lambda, p->lambda, sizeof lambda);
    if (!redundant) {
        status = solve(p, &plain);
        t->same = fmax(t->same, ki_largest_difference(a, p->a, p->n) / largest_of(p->n, a, NULL));
        t->same =
            fmax(t->same, ki_largest_difference(lambda, p->lambda, p->m) / largest_of(p->m, lambda, NULL));
        t->independent++;
        return status;
    }
    ki_random_vector(p->m, u, seed);
    for (int i = 0; i < p->m; i++)
        u[i] *= 10;
    inverse.non_ideal = (keel_gain){
        .kind = KEEL_GAIN_NAMED, .count = p->m, .names = p->s->system.names.constraint, .values = u};
    status = solve(p, &inverse);
    t->redundant++;
    t->shifted += outside(p, u) > 1e-3 && ki_largest_difference(lambda, p->lambda, p->m) > 1e-3;
    t->moved += ki_largest_difference(a, p->a, p->n) > 1e-9 * largest_of(p->n, a, NULL);
    return status;
}

/* s = xi - K_D Theta' - K_P Theta */
static void stabilised_level(const specimen *p, const double *K_D, const double *K_P, double *s) {
    for (int i = 0; i < p->m; i++)
        s[i] = p->xi[i] - ki_dot(p->m, K_D + i * p->m, p->rate) - ki_dot(p->m, K_P + i * p->m, p->Theta);
}

/* Equations 18 and 19 with Theta'' of Keel's acceleration; eps is half of what K_D allows. */
static keel_status compare_lyapunov(const specimen *p, theory *t) {
    double least, most, V_rate = 0, V_19 = 0, size = 0;
    keel_status status = ki_eigenvalue_range(p->m, p->K_D, &least, &most);
    double eps = least / 2;
    for (int i = 0; i < p->m; i++) {
        double second = ki_dot(p->n, p->J + i * p->n, p->a) - p->xi[i];
        double stiff = ki_dot(p->m, p->K_P + i * p->m, p->Theta),
               damp = ki_dot(p->m, p->K_D + i * p->m, p->rate);
        double mixed = ki_dot(p->m, p->K_D + i * p->m, p->Theta);
        V_rate += (p->rate[i] + eps * p->Theta[i]) * (second + eps * p->rate[i]) +
                  p->rate[i] * (stiff + eps * mixed - eps * eps * p->Theta[i]);
        V_19 -= eps * p->Theta[i] * stiff + p->rate[i] * (damp - eps * p->rate[i]);
        size += fabs(p->rate[i] * second) + fabs(p->rate[i] * stiff) + fabs(eps * p->Theta[i] * second);
    }
    t->eq_19 = fmax(t->eq_19, fabs(V_rate - V_19) / size);
    t->falling += V_rate < 0;
    return status;
}

/* Generalized Baumgarte with full matrices, and with those of remark 3. */
static keel_status try_baumgarte(specimen *p, theory *t, unsigned *seed) {
    double s[M_MOST], D[M_MOST * M_MOST] = {0}, P[M_MOST * M_MOST] = {0};
    keel_settings settings = with_method("dopri5/index1/baumgarte");
    if (p->m > p->s->kind.rank) /* feedback of dependent constraints has to agree, too */
        return KEEL_OK;
    settings.K_D = matrix(p->m, p->K_D);
    settings.K_P = matrix(p->m, p->K_P);
    keel_status status = solve(p, &settings);
    if (status)
        return status;
    stabilised_level(p, p->K_D, p->K_P, s);
    t->eq_16 = fmax(t->eq_16, level_error(p, s));
    status = compare_lyapunov(p, t);
    for (int i = 0; i < p->m; i++) {
        double k = 3 + 2 * ki_random(seed);
        D[i * p->m + i] = 2 * k, P[i * p->m + i] = k * k;
    }
    settings.K_D = matrix(p->m, D);
    settings.K_P = matrix(p->m, P);
    if (!status)
        status = solve(p, &settings);
    stabilised_level(p, D, P, s);
    t->critical = fmax(t->critical, level_error(p, s));
    return status;
}

/* |M a + J^T A e - Q| with e = Theta'' + K_D Theta' + K_P Theta over the largest term, and how far lambda is
 * from A e. */
static void compare_modified(const specimen *p, const double *A, double *eq_30, double *eq_31) {
    double e[M_MOST], Ae[M_MOST], given[M_MOST], s[M_MOST];
    specimen with = *p;
    stabilised_level(p, p->K_D, p->K_P, s);
    for (int i = 0; i < p->m; i++)
        e[i] = ki_dot(p->n, p->J + i * p->n, p->a) - s[i];
    ki_matrix_times(p->m, A, e, Ae);
    memcpy(given, p->lambda, sizeof given);
    memcpy(with.lambda, Ae, sizeof Ae);
    *eq_30 = fmax(*eq_30, motion_error(&with));
    *eq_31 = fmax(*eq_31, ki_largest_difference(Ae, given, p->m) / largest_of(p->m, Ae, given));
}

static keel_status try_penalty(specimen *p, theory *t) {
    double one[M_MOST * M_MOST] = {0}, unused = 0;
    keel_settings settings = with_method("dopri5/penalty/baumgarte");
    settings.K_D = matrix(p->m, p->K_D);
    settings.K_P = matrix(p->m, p->K_P);
    settings.penalty = matrix(p->m, p->mass);
    keel_status status = solve(p, &settings);
    if (status)
        return status;
    compare_modified(p, p->mass, &t->eq_30, &t->eq_31);
    settings.penalty = (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = 7};
    for (int i = 0; i < p->m; i++)
        one[i * p->m + i] = 7;
    status = solve(p, &settings);
    compare_modified(p, one, &t->scalar, &unused);
    return status;
}

static keel_status try_all(theory *t) {
    unsigned seed = 2014;
    keel_status status = KEEL_OK;
    *t = (theory){0};
    for (int i = 0; i < SYSTEMS && !status; i++) {
        specimen p = {0};
        status = draw(&p, i, &seed) ? KEEL_OK : KEEL_ERROR_MEMORY;
        if (!status)
            status = try_inverse(&p, t, &seed);
        if (!status)
            status = try_baumgarte(&p, t, &seed);
        if (!status)
            status = try_penalty(&p, t);
        ki_arena_free(&p.arena);
    }
    return status;
}

static const char WHY[] = "120 random systems of 3 to 22 coordinates at states off the constraints, full M, "
                          "half of them with dependent constraints";

static void claim(ki_draft *d, const char *id, const char *what, const char *claim, bool agrees,
                  const char *measured) {
    ki_claim(
        d,
        &(keel_claim){
            .id = id, .what = what, .claim = claim, .why = WHY, .verdict = ki_verdict(agrees), .robust = 1},
        "%s", measured);
}

static void claim_inverse(ki_draft *d, const theory *t) {
    claim(d, "004 eq. 6",
          "generalized inverse: residuals of motion and constraints; lambda outside of the range of A",
          "accelerations and least multipliers for constraints of any rank",
          t->motion < 1e-11 && t->level < 1e-11 && t->shortest < 1e-9,
          ki_draft_text(d, "%.0e, %.0e; %.0e", t->motion, t->level, t->shortest));
    static const char FORCE_IS_ZERO[] =
        "J^T (1 - A^+ A) = 0, so that u does no work and moves nothing; it only "
        "shares the load of dependent constraints in another way";
    ki_claim(
        d,
        &(keel_claim){.id = "004 proposition 1",
                      .what = "systems with (1 - A^+ A) u not 0; those of them that move otherwise with u",
                      .claim = "ideal if and only if (1 - A^+ A) u = 0",
                      .why = FORCE_IS_ZERO,
                      .verdict = ki_verdict(t->moved == t->shifted)},
        "%d; %d", t->shifted, t->moved);
    ki_claim(d,
             &(keel_claim){.id = "004 remark 1",
                           .what = "systems whose constraints do no work though (1 - A^+ A) u is not 0",
                           .claim = "none: ideal constraints have (1 - A^+ A) u = 0",
                           .why = FORCE_IS_ZERO,
                           .verdict = ki_verdict(t->shifted - t->moved == 0)},
             "%d", t->shifted - t->moved);
    claim(d, "004 remark 2", "independent constraints: generalized inverse against the inverse, a and lambda",
          "the same", t->same < 1e-10 && t->independent > 0, ki_draft_text(d, "%.0e", t->same));
}

static void claim_stability(ki_draft *d, const theory *t) {
    claim(d, "004 eq. 16", "full matrices K_D, K_P: residual of Theta'' + K_D Theta' + K_P Theta = 0",
          "violations obey it", t->eq_16 < 1e-11, ki_draft_text(d, "%.0e", t->eq_16));
    claim(d, "004 eq. 19", "V' of eq. 18 along Keel's accelerations against eq. 19; states in which V falls",
          "equal, negative: asymptotically stable", t->eq_19 < 1e-10 && t->falling == t->independent,
          ki_draft_text(d, "%.0e; %d of %d", t->eq_19, t->falling, t->independent));
    claim(d, "004 remark 3", "K_D = diag(2 k_i), K_P = diag(k_i^2): residual of eq. 16",
          "a practical choice: every constraint critically damped", t->critical < 1e-11,
          ki_draft_text(d, "%.0e", t->critical));
}

static void claim_modified(ki_draft *d, const theory *t) {
    claim(d, "004 eq. 30", "full matrices A, K_D, K_P: residual of the modified equations",
          "they hold for dependent constraints, too", t->eq_30 < 1e-11 && t->redundant > 0,
          ki_draft_text(d, "%.0e", t->eq_30));
    claim(d, "004 eq. 31", "multipliers against A (Theta'' + K_D Theta' + K_P Theta)",
          "their approximate value", t->eq_31 < 1e-8, ki_draft_text(d, "%.0e", t->eq_31));
    ki_claim(d,
             &(keel_claim){.id = "004 remark 4.1",
                           .what = "choice of A, K_D and K_P",
                           .claim = "remains a problem",
                           .why =
                               "a statement about practice; Keel chooses them by the motion and the masses "
                               "where nothing is given",
                           .verdict = KEEL_NOT_COMPARABLE},
             "docs/penalty.md");
    claim(d, "004 remark 4.2", "one mass for all constraints: residual of the same equations",
          "the penalty method is a special case", t->scalar < 1e-11, ki_draft_text(d, "%.0e", t->scalar));
}

void ki_mukharlyamov_theory(ki_draft *d) {
    theory t;
    keel_status status = try_all(&t);
    if (status) {
        claim(d, "004 random systems", "all trials", "they come to their end", false,
              keel_status_text(status));
        return;
    }
    claim_inverse(d, &t);
    claim_stability(d, &t);
    claim_modified(d, &t);
}
