/* RADAU5 (Hairer and Wanner): implicit Runge-Kutta method of order 5 for differential-algebraic equations,
 * from the library siconos_externals. With accelerations a as unknowns
 *
 *     q' = v,   v' = a,   0 = M a + J^T lambda - Q,   0 = Phi | J v + tau | J a - xi
 *
 *   index3, index2, index1   by the last line, with its variables marked as RADAU5 asks
 *   ode                      q' = v, v' = Q / M: problems without constraints
 *
 * The first two lines are given by its special structure (M1, M2), so that it factors matrices of n + m
 * unknowns only. Jacobians are its difference quotients; matrices are full, so only small problems are
 * offered. It has no projection: index 2 lets Phi drift, index 1 also J v + tau.
 */
#include "cases.h"
#include "motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void radau_rate(int *N, double *X, double *Y, double *F, double *RPAR, int *IPAR);
typedef void radau_mass(int *N, double *AM, int *LMAS, double *RPAR, int *IPAR);
typedef void radau_unused(void);

extern void radau5_(int *N, radau_rate *FCN, double *X, double *Y, double *XEND, double *H, double *RTOL,
                    double *ATOL, int *ITOL, radau_unused *JAC, int *IJAC, int *MLJAC, int *MUJAC,
                    radau_mass *MAS, int *IMAS, int *MLMAS, int *MUMAS, radau_unused *SOLOUT, int *IOUT,
                    double *WORK, int *LWORK, int *IWORK, int *LIWORK, double *RPAR, int *IPAR, int *IDID);

/* Fortran passes no user data of ours. */
static struct {
    const keel_system *system;
    int index; /* 0: ordinary differential equation */
    double *M, *J, *Q, *xi;
} current;

static void rate(int *N, double *X, double *Y, double *F, double *RPAR, int *IPAR) {
    const keel_system *system = current.system;
    int n = system->n_v, m = system->n_h;
    const double *v = Y + n, *a = v + n, *lambda = a + n;
    double *moving = F + 2 * n, *closing = moving + n;
    keel_terms terms = {
        .M = current.M, .J = current.J, .Q = current.Q, .xi = closing, .Phi = closing, .rate = closing};
    unsigned last = current.index == 3 ? KEEL_POSITION : current.index == 2 ? KEEL_VELOCITY : KEEL_XI;
    (void)N, (void)RPAR, (void)IPAR;
    system->evaluate(system, NULL, KEEL_MASS | KEEL_FORCE | (m ? KEEL_JACOBIAN | last : 0),
                     &(keel_point){.t = *X, .q = Y, .v = v}, &terms);
    memcpy(F, v, sizeof(double) * (size_t)n);
    if (current.index == 0) { /* the mass matrix of such problems is diagonal */
        for (int i = 0; i < n; i++)
            F[n + i] = current.Q[i] / current.M[i];
        return;
    }
    memcpy(F + n, a, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) {
        moving[i] = -current.Q[i];
        for (int k = system->M.start[i]; k < system->M.start[i + 1]; k++) {
            int j = system->M.index[k];
            moving[i] += current.M[k] * a[j];
            if (j != i)
                moving[j] += current.M[k] * a[i];
        }
    }
    for (int i = 0; i < m; i++) {
        double along = 0;
        for (int k = system->J.start[i]; k < system->J.start[i + 1]; k++) {
            moving[system->J.index[k]] += current.J[k] * lambda[i];
            along += current.J[k] * a[system->J.index[k]];
        }
        if (current.index == 1)
            closing[i] = along - closing[i];
    }
}

/* The mass matrix of the equations that are not given by M1: zero, as a matrix with one diagonal. */
static void no_mass(int *N, double *AM, int *LMAS, double *RPAR, int *IPAR) {
    (void)RPAR, (void)IPAR;
    for (int i = 0; i < *N * *LMAS; i++)
        AM[i] = 0;
}

static void unused(void) {}

static void *room(int count, size_t size) {
    void *p = calloc((size_t)(count > 0 ? count : 1), size);
    if (!p)
        abort();
    return p;
}

static const char *reason(int idid) {
    static const char *const reasons[] = {"input is not consistent", "more steps are needed",
                                          "step size becomes too small", "matrix is repeatedly singular"};
    return idid <= -1 && idid >= -4 ? reasons[-idid - 1] : "interrupted";
}

/* Accelerations and multipliers at the start. */
static void start_accelerations(const equations *problem, double *a) {
    motion *z = motion_new(problem);
    motion_accelerate(z, 0, problem->q, problem->v, a);
    memcpy(a + problem->system.n_v, z->lambda, sizeof(double) * (size_t)problem->system.n_h);
    motion_free(z);
}

static void set_indices(int *iwork, int n, int m) {
    iwork[8] = current.index ? 2 * n : n; /* M1: so many equations are y_i' = y_(i + M2) */
    iwork[9] = n;                         /* M2 */
    if (current.index == 3)
        iwork[4] = n, iwork[5] = n, iwork[6] = n + m;
    else if (current.index == 2)
        iwork[4] = 2 * n, iwork[5] = n + m;
}

static int integrate(const equations *problem, double tolerance, bench_result *result) {
    int n = problem->system.n_v, m = problem->system.n_h, size = current.index ? 3 * n + m : 2 * n;
    int itol = 1, no = 0, zero = 0, full = current.index ? n + m : n, yes = current.index != 0, idid = 0,
        ipar = 0;
    int lwork = 20 + size * (4 * size + 20), liwork = 20 + 3 * size;
    double *y = room(3 * size, sizeof *y), *rtol = y + size, *atol = rtol + size,
           *work = room(lwork, sizeof *work);
    int *iwork = room(liwork, sizeof *iwork);
    double t = 0, end = problem->end, h = 1e-6, rpar = 0;
    memcpy(y, problem->q, sizeof(double) * (size_t)n);
    memcpy(y + n, problem->v, sizeof(double) * (size_t)n);
    for (int i = 0; i < size; i++) /* a and lambda are not what is wanted: their errors count little */
        rtol[i] = tolerance, atol[i] = i < 2 * n ? tolerance : tolerance * problem->rate * problem->rate;
    equations_tolerances(problem, tolerance, atol);
    if (current.index)
        start_accelerations(problem, y + 2 * n);
    iwork[1] = 1000000;
    set_indices(iwork, n, m);
    bench_start_clock();
    radau5_(&size, rate, &t, y, &end, &h, rtol, atol, &itol, unused, &no, &full, &full, no_mass, &yes, &zero,
            &zero, unused, &no, work, &lwork, iwork, &liwork, &rpar, &ipar, &idid);
    bench_stop_clock();
    result->steps = iwork[16];
    result->evaluations = iwork[13];
    result->factorizations = iwork[18];
    equations_report(problem, y, y + n, result);
    if (idid < 0)
        snprintf(result->why, sizeof result->why, "at t = %g: %s", t, reason(idid));
    free(y), free(work), free(iwork);
    return idid < 0;
}

static int run(const char *name, const char *method, double tolerance, bench_result *result) {
    equations problem;
    if (equations_make(&problem, name) != 0)
        return snprintf(result->why, sizeof result->why, "there is no problem '%s'", name);
    const keel_system *system = current.system = &problem.system;
    current.index = strncmp(method, "index", 5) == 0 ? method[5] - '0' : 0;
    current.M = room(system->M.start[system->n_v], sizeof(double));
    current.J = room(keel_pattern_count(system->J), sizeof(double));
    current.Q = room(system->n_v, sizeof(double));
    int failed = integrate(&problem, tolerance, result);
    free(current.M), free(current.J), free(current.Q);
    equations_clear(&problem);
    return failed;
}

int main(int argc, char **argv) {
    static const char *const methods[] = {"index1", "index2", "index3"};
    static const char *const problems[] = {"andrews",   "a03",       "pendulum-10", "pendulum-100",
                                           "caraxis",   "bricard",   "slidercrank", "flexcrank",
                                           "fourbar-1", "fourbar-2", "fourbar-10"};
    static cases offered;
    cases_add(&offered, "governor", "ode", 2, 12);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
            cases_add(&offered, problems[i], methods[k], 2, 11);
    cases_separate_output();
    return bench_main(argc, argv, &(bench_solver){offered.list, offered.count, run});
}
