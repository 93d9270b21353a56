/* IDA (SUNDIALS): BDF of order up to 5 for implicit differential-algebraic equations.
 *
 *   index1   q' = v,  M v' + J^T lambda = Q,  J v' = xi; Phi and J v + tau drift
 *   ggl      q' = v - J^T mu,  M v' + J^T lambda = Q,  Phi = 0,  J v + tau = 0   (Gear, Gupta and Leimkuhler)
 *
 * lambda and mu are left out of the error test. In small problems the matrix is IDA's dense difference
 * quotient; the large ones have the exact matrix (mu = 0) and KLU, with ggl only. IDA has no projection: ggl
 * keeps the constraints within the tolerance of its Newton iteration.
 */
#include "cases.h"
#include "ida_matrix.h"
#include "motion.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>

enum { SPARSE_LEAST = 40 }; /* unknowns */

/* Multipliers count in IDA's test of its Newton iteration; with the tolerance of positions it fails in small
 * steps. Of 1, 1e2 and 1e4 this one failed least on nine problems; on andrews 1e6 was no better. */
static const double ALGEBRAIC = 1e4;

/* What one run owns. Unknowns: q v lambda, and mu with ggl. */
typedef struct solver {
    const equations *problem;
    int ggl, size;
    SUNContext context;
    void *ida;
    N_Vector y, y_rate, absolute, kind;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    ida_matrix *exact;
    double *M, *J, *Q;
    long evaluations;
} solver;

/* row = rate - v (+ J^T mu),  M v' + J^T lambda - Q. */
static void residual_motion(const solver *s, const double *y, const double *y_rate, double *r) {
    const keel_pattern *M = &s->problem->system.M, *J = &s->problem->system.J;
    int n = M->rows;
    const double *v = y + n, *lambda = v + n, *mu = lambda + J->rows, *a = y_rate + n;
    for (int i = 0; i < n; i++) {
        r[i] = y_rate[i] - v[i];
        r[n + i] = -s->Q[i];
    }
    for (int i = 0; i < n; i++)
        for (int k = M->start[i]; k < M->start[i + 1]; k++) {
            int j = M->index[k];
            r[n + i] += s->M[k] * a[j];
            if (j != i)
                r[n + j] += s->M[k] * a[i];
        }
    for (int i = 0; i < J->rows; i++)
        for (int k = J->start[i]; k < J->start[i + 1]; k++) {
            r[n + J->index[k]] += s->J[k] * lambda[i];
            if (s->ggl)
                r[J->index[k]] += s->J[k] * mu[i];
        }
}

static int residual(realtype t, N_Vector y_, N_Vector y_rate_, N_Vector residual_, void *data) {
    solver *s = data;
    const keel_system *system = &s->problem->system;
    int n = system->n_v, m = system->n_h;
    const double *y = N_VGetArrayPointer(y_), *y_rate = N_VGetArrayPointer(y_rate_);
    double *r = N_VGetArrayPointer(residual_), *closing = r + 2 * n;
    keel_terms terms = {.M = s->M, .J = s->J, .Q = s->Q, .xi = closing, .Phi = closing, .rate = closing + m};
    unsigned last = m == 0 ? 0 : KEEL_JACOBIAN | (s->ggl ? KEEL_POSITION | KEEL_VELOCITY : KEEL_XI);
    s->evaluations++;
    system->evaluate(system, NULL, KEEL_MASS | KEEL_FORCE | last, &(keel_point){.t = t, .q = y, .v = y + n},
                     &terms);
    residual_motion(s, y, y_rate, r);
    for (int i = 0; i < m && !s->ggl; i++) {
        double along = 0;
        for (int k = system->J.start[i]; k < system->J.start[i + 1]; k++)
            along += s->J[k] * y_rate[n + system->J.index[k]];
        closing[i] = along - closing[i];
    }
    return 0;
}

static int exact_jacobian(realtype t, realtype cj, N_Vector y, N_Vector y_rate, N_Vector r, SUNMatrix matrix,
                          void *data, N_Vector w1, N_Vector w2, N_Vector w3) {
    solver *s = data;
    (void)r, (void)w1, (void)w2, (void)w3;
    ida_matrix_fill(s->exact, t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(y_rate), matrix);
    return 0;
}

static void quiet(int code, const char *module, const char *function, char *text, void *data) {
    bench_result *result = data;
    (void)module, (void)function;
    if (code < 0 && !result->why[0])
        snprintf(result->why, sizeof result->why, "%.200s", text);
}

static double *room(int count) {
    double *p = calloc((size_t)(count > 0 ? count : 1), sizeof *p);
    if (!p)
        abort();
    return p;
}

/* A consistent start: accelerations and multipliers by the index-1 equations, mu = 0. */
static void start(solver *s, double tolerance) {
    const equations *problem = s->problem;
    int n = problem->system.n_v, m = problem->system.n_h;
    double *y = N_VGetArrayPointer(s->y), *y_rate = N_VGetArrayPointer(s->y_rate);
    motion *z = motion_new(problem);
    N_VConst(0, s->y), N_VConst(0, s->y_rate);
    memcpy(y, problem->q, sizeof(double) * (size_t)n);
    memcpy(y + n, problem->v, sizeof(double) * (size_t)n);
    memcpy(y_rate, problem->v, sizeof(double) * (size_t)n);
    motion_accelerate(z, 0, y, y + n, y_rate + n);
    memcpy(y + 2 * n, z->lambda, sizeof(double) * (size_t)m);
    motion_free(z);
    N_VConst(ALGEBRAIC * tolerance, s->absolute), N_VConst(0, s->kind);
    equations_tolerances(problem, tolerance, N_VGetArrayPointer(s->absolute));
    for (int i = 0; i < 2 * n; i++)
        N_VGetArrayPointer(s->kind)[i] = 1;
}

static void build_linear(solver *s) {
    if (s->ggl && s->problem->system.tangent.rows > 0 && s->size >= SPARSE_LEAST) {
        s->exact = ida_matrix_new(&s->problem->system);
        s->matrix = SUNSparseMatrix(s->size, s->size, ida_matrix_count(s->exact), CSC_MAT, s->context);
        ida_matrix_pattern(s->exact, s->matrix);
        s->linear = SUNLinSol_KLU(s->y, s->matrix, s->context);
    } else {
        s->matrix = SUNDenseMatrix(s->size, s->size, s->context);
        s->linear = SUNLinSol_Dense(s->y, s->matrix, s->context);
    }
    IDASetLinearSolver(s->ida, s->linear, s->matrix);
    if (s->exact)
        IDASetJacFn(s->ida, exact_jacobian);
}

static void build(solver *s, const equations *problem, const char *method, double tolerance,
                  bench_result *result) {
    int n = problem->system.n_v, m = problem->system.n_h;
    *s = (solver){.problem = problem, .ggl = strcmp(method, "ggl") == 0};
    s->size = 2 * n + (s->ggl ? 2 * m : m);
    s->M = room(problem->system.M.start[n]), s->J = room(keel_pattern_count(problem->system.J)),
    s->Q = room(n);
    SUNContext_Create(NULL, &s->context);
    s->y = N_VNew_Serial(s->size, s->context);
    s->y_rate = N_VClone(s->y), s->absolute = N_VClone(s->y), s->kind = N_VClone(s->y);
    start(s, tolerance);
    s->ida = IDACreate(s->context);
    IDAInit(s->ida, residual, 0, s->y, s->y_rate);
    IDASetErrHandlerFn(s->ida, quiet, result);
    IDASetUserData(s->ida, s);
    IDASVtolerances(s->ida, tolerance, s->absolute);
    IDASetId(s->ida, s->kind);
    IDASetSuppressAlg(s->ida, SUNTRUE);
    IDASetMaxNumSteps(s->ida, 1000000);
    IDASetStopTime(s->ida, problem->end);
    IDASetInitStep(s->ida,
                   sqrt(tolerance) /
                       problem->rate); /* the own choice, far smaller, makes the index-2 matrix singular */
    build_linear(s);
}

static void clear(solver *s) {
    N_Vector vectors[] = {s->y, s->y_rate, s->absolute, s->kind};
    IDAFree(&s->ida);
    SUNLinSolFree(s->linear);
    SUNMatDestroy(s->matrix);
    ida_matrix_free(s->exact);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        N_VDestroy(vectors[i]);
    free(s->M), free(s->J), free(s->Q);
    SUNContext_Free(&s->context);
}

static int run(const char *name, const char *method, double tolerance, bench_result *result) {
    equations problem;
    solver s;
    realtype t;
    if (equations_make(&problem, name) != 0)
        return snprintf(result->why, sizeof result->why, "there is no problem '%s'", name);
    build(&s, &problem, method, tolerance, result);
    bench_start_clock();
    int flag = IDASolve(s.ida, problem.end, &t, s.y, s.y_rate, IDA_NORMAL);
    bench_stop_clock();
    IDAGetNumSteps(s.ida, &result->steps);
    IDAGetNumLinSolvSetups(s.ida, &result->factorizations);
    result->evaluations = s.evaluations;
    const double *q = N_VGetArrayPointer(s.y);
    equations_report(&problem, q, q + problem.system.n_v, result);
    clear(&s);
    equations_clear(&problem);
    return flag < 0;
}

int main(int argc, char **argv) {
    static const char *const small[] = {"andrews",   "a03",       "pendulum-10", "pendulum-100",
                                        "caraxis",   "bricard",   "slidercrank", "flexcrank",
                                        "fourbar-1", "fourbar-2", "fourbar-10"};
    static const char *const large[] = {"fourbar-40", "fourbar-100", "fourbar-400",
                                        "chain-10",   "chain-100",   "chain-1000"};
    static cases offered;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        cases_add(&offered, small[i], "index1", 2, 11);
        cases_add(&offered, small[i], "ggl", 2, 11);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        cases_add(&offered, large[i], "ggl", 2, 9);
    cases_add(&offered, "governor", "index1", 2, 11);
    return bench_main(argc, argv, &(bench_solver){offered.list, offered.count, run});
}
