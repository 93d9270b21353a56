/* CVODE (SUNDIALS): multistep methods on accelerations from the index-1 form.
 *
 *   adams             Adams, fixed-point iteration; CVODE projects with BDF only, so the constraints drift
 *   bdf               BDF, without projection: the constraints drift
 *   bdf+projection    BDF with CVodeSetProjFn, error estimate projected too
 *
 * BDF uses Newton's method with a dense difference quotient of the accelerations (CVODE's own). That matrix
 * is full whatever the mechanism: from 100 positions on, BDF uses the fixed-point iteration instead.
 */
#include "cases.h"
#include "motion.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { DENSE_MOST = 100 };

static int rhs(realtype t, N_Vector y, N_Vector y_rate, void *data) {
    motion *z = data;
    int n = z->problem->system.n_v;
    const double *q = N_VGetArrayPointer(y);
    double *q_rate = N_VGetArrayPointer(y_rate);
    memcpy(q_rate, q + n, sizeof(double) * (size_t)n);
    return motion_accelerate(z, t, q, q + n, q_rate + n);
}

/* CVODE wants the correction, not the projected state. */
static int project(realtype t, N_Vector y, N_Vector correction, realtype tolerance, N_Vector error,
                   void *data) {
    motion *z = data;
    int n = z->problem->system.n_v;
    double *x = N_VGetArrayPointer(correction);
    (void)tolerance;
    N_VScale(1, y, correction);
    if (motion_project(z, t, x, x + n, 1e-11))
        return 1;
    N_VLinearSum(1, correction, -1, y, correction);
    if (error) {
        double *e = N_VGetArrayPointer(error);
        motion_project_error(z, e, e + n);
    }
    return 0;
}

static void quiet(int code, const char *module, const char *function, char *text, void *data) {
    bench_result *result = data;
    (void)module, (void)function;
    if (code < 0 && !result->why[0])
        snprintf(result->why, sizeof result->why, "%.200s", text);
}

/* What one run owns. */
typedef struct solver {
    SUNContext context;
    void *cvode;
    N_Vector y, absolute;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver iteration;
    motion *motion;
} solver;

static void build(solver *s, const equations *problem, const char *method, double tolerance,
                  bench_result *result) {
    int n = problem->system.n_v, bdf = strncmp(method, "bdf", 3) == 0;
    SUNContext_Create(NULL, &s->context);
    s->motion = motion_new(problem);
    s->y = N_VNew_Serial(2 * n, s->context);
    s->absolute = N_VNew_Serial(2 * n, s->context);
    double *q = N_VGetArrayPointer(s->y);
    memcpy(q, problem->q, sizeof(double) * (size_t)n);
    memcpy(q + n, problem->v, sizeof(double) * (size_t)n);
    equations_tolerances(problem, tolerance, N_VGetArrayPointer(s->absolute));
    s->cvode = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, s->context);
    CVodeInit(s->cvode, rhs, 0, s->y);
    CVodeSetErrHandlerFn(s->cvode, quiet, result);
    CVodeSetUserData(s->cvode, s->motion);
    CVodeSVtolerances(s->cvode, tolerance, s->absolute);
    CVodeSetMaxNumSteps(s->cvode, 1000000);
    CVodeSetStopTime(s->cvode, problem->end);
    if (bdf && n < DENSE_MOST) {
        s->matrix = SUNDenseMatrix(2 * n, 2 * n, s->context);
        s->linear = SUNLinSol_Dense(s->y, s->matrix, s->context);
        CVodeSetLinearSolver(s->cvode, s->linear, s->matrix);
    } else {
        s->iteration = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
        CVodeSetNonlinearSolver(s->cvode, s->iteration);
    }
    if (strcmp(method, "bdf+projection") == 0)
        CVodeSetProjFn(s->cvode, project);
}

static void clear(solver *s) {
    CVodeFree(&s->cvode);
    N_VDestroy(s->y);
    N_VDestroy(s->absolute);
    if (s->linear)
        SUNLinSolFree(s->linear), SUNMatDestroy(s->matrix);
    if (s->iteration)
        SUNNonlinSolFree(s->iteration);
    motion_free(s->motion);
    SUNContext_Free(&s->context);
}

static int run(const char *name, const char *method, double tolerance, bench_result *result) {
    equations problem;
    solver s = {0};
    realtype t;
    if (equations_make(&problem, name) != 0)
        return snprintf(result->why, sizeof result->why, "there is no problem '%s'", name);
    build(&s, &problem, method, tolerance, result);
    bench_start_clock();
    int flag = CVode(s.cvode, problem.end, s.y, &t, CV_NORMAL);
    bench_stop_clock();
    CVodeGetNumSteps(s.cvode, &result->steps);
    result->evaluations = s.motion->evaluations;
    result->factorizations = s.motion->factorizations;
    const double *q = N_VGetArrayPointer(s.y);
    equations_report(&problem, q, q + problem.system.n_v, result);
    clear(&s);
    equations_clear(&problem);
    return flag < 0;
}

int main(int argc, char **argv) {
    static const char *const methods[] = {"adams", "bdf", "bdf+projection"};
    static const char *const problems[] = {
        "andrews",     "a03",         "pendulum-10", "pendulum-100", "caraxis",   "bricard",
        "slidercrank", "flexcrank",   "governor",    "fourbar-1",    "fourbar-2", "fourbar-10",
        "fourbar-40",  "fourbar-100", "fourbar-400", "chain-10",     "chain-100", "chain-1000"};
    static cases offered;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
            if (k != 2 || strcmp(problems[i], "governor") != 0)
                cases_add(&offered, problems[i], methods[k], 2, 12);
    return bench_main(argc, argv, &(bench_solver){offered.list, offered.count, run});
}
