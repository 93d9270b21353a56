/* HEM5 (Brasey and Hairer): half-explicit Runge-Kutta method of order 5 for constrained mechanical systems,
 * from the library siconos_externals.
 *
 *   hem5              keeps J v + tau = 0, lets Phi drift
 *   hem5+projection   projects q and v after every step (its option IWK(13) = 1), to 1 % of the tolerance
 *
 * Full matrices with its own LU (mode 0) in small problems, LAPACK's (mode 2) from 60 unknowns. Its sparse
 * mode needs MA28 with blocks of M and is not used, so that chains of 100 rods are the largest problem
 * offered. It cannot do without constraints (no governor), and its first step is 1e-4 s at least.
 */
#include "cases.h"
#include "equations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a problem function is asked for: IFCN of the documentation of HEM5, as bits of what it fills. */
enum { ASK_F = 1, ASK_M = 2, ASK_QDOT = 4, ASK_GQ = 8, ASK_GT = 16, ASK_G = 32, ASK_GII = 64 };

static const int ASKED[] = {[0] = 0,
                            [1] = ASK_F | ASK_M | ASK_QDOT,
                            [2] = ASK_QDOT,
                            [3] = ASK_GT,
                            [4] = ASK_G,
                            [5] = ASK_F | ASK_GII,
                            [6] = ASK_GQ | ASK_GT,
                            [7] = ASK_F | ASK_GII | ASK_M,
                            [8] = ASK_F | ASK_M,
                            [9] = ASK_M,
                            [10] = ASK_GT | ASK_GQ | ASK_M | ASK_QDOT,
                            [11] = ASK_GT | ASK_GQ | ASK_M};

typedef void hem5_problem(int *IFCN, int *NQ, int *NV, int *NU, int *NL, int *LDG, int *LDF, int *LDA,
                          int *NBLK, int *NMRC, int *NPGP, int *NPFL, int *INDGR, int *INDGC, int *INDFLR,
                          int *INDFLC, double *T, double *Q, double *V, double *U, double *XL, double *G,
                          double *GQ, double *F, double *GQQ, double *GT, double *FL, double *QDOT,
                          double *UDOT, double *AM);
typedef void hem5_output(void);

extern void hem5_(int *NQ, int *NV, int *NU, int *NL, hem5_problem *FPROB, double *T, double *Q, double *V,
                  double *U, double *A, double *RLAM, double *TEND, double *H, double *RTOL, double *ATOL,
                  int *ITOL, hem5_output *SOLOUT, int *IOUT, double *WK, int *LWK, int *IWK, int *LIWK,
                  int *IDID);

/* LAPACK's LU would use all cores, and only one is measured. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

/* Fortran passes no user data. */
static struct {
    const keel_system *system;
    double *M, *J, *zero;
    double time; /* of the last stage: HEM5 projects with the time at which the step began */
    long evaluations;
} current;

/* Full column-major matrices from those of the patterns. */
static void spread_mass(int lda, double *AM) {
    const keel_pattern *p = &current.system->M;
    for (int j = 0; j < p->rows; j++)
        memset(AM + (size_t)j * (size_t)lda, 0, sizeof(double) * (size_t)p->rows);
    for (int i = 0; i < p->rows; i++)
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            AM[i + p->index[k] * lda] = AM[p->index[k] + i * lda] = current.M[k];
}

static void spread_jacobian(int ldg, double *GQ) {
    const keel_pattern *p = &current.system->J;
    memset(GQ, 0, sizeof(double) * (size_t)ldg * (size_t)p->cols);
    for (int i = 0; i < p->rows; i++)
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            GQ[i + p->index[k] * ldg] = current.J[k];
}

static void problem_function(int *IFCN, int *NQ, int *NV, int *NU, int *NL, int *LDG, int *LDF, int *LDA,
                             int *NBLK, int *NMRC, int *NPGP, int *NPFL, int *INDGR, int *INDGC, int *INDFLR,
                             int *INDFLC, double *T, double *Q, double *V, double *U, double *XL, double *G,
                             double *GQ, double *F, double *GQQ, double *GT, double *FL, double *QDOT,
                             double *UDOT, double *AM) {
    const keel_system *system = current.system;
    int asked = ASKED[*IFCN];
    if (*IFCN == 6)
        current.time = *T;
    int projecting = *IFCN == 4 || *IFCN == 9 || *IFCN == 11;
    keel_point at = {.t = projecting ? current.time : *T, .q = Q, .v = V};
    keel_terms terms = {.M = current.M, .J = current.J, .Q = F, .xi = GQQ, .Phi = G};
    (void)NQ, (void)NU, (void)NL, (void)LDF, (void)NBLK, (void)NMRC, (void)NPGP, (void)NPFL, (void)INDGR;
    (void)INDGC, (void)INDFLR, (void)INDFLC, (void)U, (void)XL, (void)FL, (void)UDOT;
    unsigned what = (asked & ASK_F ? KEEL_FORCE : 0) | (asked & ASK_M ? KEEL_MASS : 0) |
                    (asked & ASK_GQ ? KEEL_JACOBIAN : 0) | (asked & ASK_G ? KEEL_POSITION : 0) |
                    (asked & ASK_GII ? KEEL_XI : 0);
    if (asked & ASK_F)
        current.evaluations++;
    if (what)
        system->evaluate(system, NULL, what, &at, &terms);
    if (asked & ASK_M)
        spread_mass(*LDA, AM);
    if (asked & ASK_GQ)
        spread_jacobian(*LDG, GQ);
    if (asked & ASK_QDOT)
        memcpy(QDOT, V, sizeof(double) * (size_t)*NV);
    if (asked & ASK_GT) { /* J v + tau with v = 0 */
        memset(GT, 0, sizeof(double) * (size_t)system->n_h);
        at.v = current.zero, terms.rate = GT;
        if (system->has_drivers)
            system->evaluate(system, NULL, KEEL_VELOCITY, &at, &terms);
    }
}

static void no_output(void) {}

static void *room(int count, size_t size) {
    void *p = calloc((size_t)count, size);
    if (!p)
        abort();
    return p;
}

static const char *reason(int idid) {
    switch (idid) {
    case -1:
        return "input is not consistent";
    case -2:
        return "more steps are needed";
    case -3:
        return "step size becomes too small";
    case -4:
        return "matrix is singular";
    default:
        return "initial projection does not converge";
    }
}

/* Work space: more than HEM5 asks for with full matrices (it counts them itself and would say so). */
static int integrate(const equations *problem, int projected, double tolerance, bench_result *result) {
    int n = problem->system.n_v, m = problem->system.n_h, nu = 0, itol = 1, iout = 0, idid = 0, size = n + m;
    int lwk = 200 + 60 * size + 8 * size * size + 10 * m * n, liwk = 200 + 40 * size;
    double *wk = room(lwk, sizeof *wk), *q = room(6 * size + 1, sizeof *q), *v = q + n, *a = v + n,
           *lambda = a + n;
    double t = 0, end = problem->end, h = 1e-4, u = 0;
    double *rtol = room(4 * n, sizeof *rtol), *atol = rtol + 2 * n;
    int *iwk = room(liwk, sizeof *iwk);
    iwk[10] = 1000000;
    iwk[12] = projected;
    iwk[13] = size < 60 ? 0 : 2;
    wk[1] = 0.8; /* safety factor and Gustafsson's exponent: fewer rejected steps than with 0.9 and 0 */
    wk[6] = 0.04;
    for (int i = 0; i < 2 * n; i++)
        rtol[i] = tolerance;
    equations_tolerances(problem, tolerance, atol);
    memcpy(q, problem->q, sizeof(double) * (size_t)n);
    memcpy(v, problem->v, sizeof(double) * (size_t)n);
    current.system = &problem->system;
    current.M = room(problem->system.M.start[n], sizeof(double));
    current.J = room(problem->system.J.start[m], sizeof(double));
    current.zero = room(n, sizeof(double));
    current.evaluations = 0;
    bench_start_clock();
    hem5_(&n, &n, &nu, &m, problem_function, &t, q, v, &u, a, lambda, &end, &h, rtol, atol, &itol, no_output,
          &iout, wk, &lwk, iwk, &liwk, &idid);
    bench_stop_clock();
    result->steps = iwk[31];
    result->evaluations = current.evaluations;
    result->factorizations = iwk[36];
    equations_report(problem, q, v, result);
    if (idid < 0)
        snprintf(result->why, sizeof result->why, "at t = %g: %s", t, reason(idid));
    void *owned[] = {wk, q, rtol, iwk, current.M, current.J, current.zero};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    return idid < 0;
}

static int run(const char *name, const char *method, double tolerance, bench_result *result) {
    equations problem;
    if (equations_make(&problem, name) != 0)
        return snprintf(result->why, sizeof result->why, "there is no problem '%s'", name);
    int failed = integrate(&problem, strcmp(method, "hem5+projection") == 0, tolerance, result);
    equations_clear(&problem);
    return failed;
}

int main(int argc, char **argv) {
    static const char *const methods[] = {"hem5", "hem5+projection"};
    static const char *const problems[] = {
        "andrews",   "a03",       "pendulum-10", "pendulum-100", "caraxis",    "bricard",  "slidercrank",
        "flexcrank", "fourbar-1", "fourbar-2",   "fourbar-10",   "fourbar-40", "chain-10", "chain-100"};
    static cases offered;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
            cases_add(&offered, problems[i], methods[k], 2, strcmp(problems[i], "chain-100") == 0 ? 4 : 12);
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    cases_separate_output();
    return bench_main(argc, argv, &(bench_solver){offered.list, offered.count, run});
}
