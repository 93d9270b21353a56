/* ARKODE (SUNDIALS), explicit Runge-Kutta: accelerations from the index-1 form, projection after every step.
 *
 *   erk5+projection   Dormand and Prince, order 5
 *   erk8+projection   Fehlberg, order 8 with error estimate of order 7
 *
 * ARKODE knows no constraints; what is done here is what its users do: a function of their own after every
 * accepted step, to round-off. Its
 * error estimate sees the state before projection.
 */
#include "cases.h"
#include "motion.h"

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>

static int rhs(realtype t, N_Vector y, N_Vector y_rate, void *data) {
    motion *z = data;
    int n = z->problem->system.n_v;
    const double *q = N_VGetArrayPointer(y);
    double *q_rate = N_VGetArrayPointer(y_rate);
    memcpy(q_rate, q + n, sizeof(double) * (size_t)n);
    return motion_accelerate(z, t, q, q + n, q_rate + n);
}

static int project(realtype t, N_Vector y, void *data) {
    motion *z = data;
    double *q = N_VGetArrayPointer(y);
    motion_project(z, t, q, q + z->problem->system.n_v,
                   1e-11); /* where it fails, near singular poses: the next step */
    return 0;
}

static void quiet(int code, const char *module, const char *function, char *text, void *data) {
    bench_result *result = data;
    (void)module, (void)function;
    if (code < 0 && !result->why[0])
        snprintf(result->why, sizeof result->why, "%.200s", text);
}

static void *build(motion *z, N_Vector y, N_Vector absolute, SUNContext context, const char *method,
                   double tolerance, bench_result *result) {
    ARKODE_ERKTableID table =
        strncmp(method, "erk5", 4) == 0 ? ARKODE_DORMAND_PRINCE_7_4_5 : ARKODE_FEHLBERG_13_7_8;
    void *ark = ERKStepCreate(rhs, 0, y, context);
    ERKStepSetErrHandlerFn(ark, quiet, result);
    ERKStepSetUserData(ark, z);
    ERKStepSetTableNum(ark, table);
    ERKStepSVtolerances(ark, tolerance, absolute);
    ERKStepSetMaxNumSteps(ark, 1000000);
    ERKStepSetStopTime(ark, z->problem->end);
    ERKStepSetInterpolantDegree(ark, 1);
    ERKStepSetPostprocessStepFn(ark, project);
    return ark;
}

static int integrate(const equations *problem, const char *method, double tolerance, bench_result *result) {
    int n = problem->system.n_v;
    SUNContext context;
    SUNContext_Create(NULL, &context);
    motion *z = motion_new(problem);
    N_Vector y = N_VNew_Serial(2 * n, context);
    N_Vector absolute = N_VNew_Serial(2 * n, context);
    double *q = N_VGetArrayPointer(y);
    equations_tolerances(problem, tolerance, N_VGetArrayPointer(absolute));
    memcpy(q, problem->q, sizeof(double) * (size_t)n);
    memcpy(q + n, problem->v, sizeof(double) * (size_t)n);
    void *ark = build(z, y, absolute, context, method, tolerance, result);
    realtype t;
    bench_start_clock();
    int flag = ERKStepEvolve(ark, problem->end, y, &t, ARK_NORMAL);
    bench_stop_clock();
    ERKStepGetNumSteps(ark, &result->steps);
    result->evaluations = z->evaluations;
    result->factorizations = z->factorizations;
    equations_report(problem, q, q + n, result);
    ERKStepFree(&ark);
    N_VDestroy(y);
    N_VDestroy(absolute);
    motion_free(z);
    SUNContext_Free(&context);
    return flag < 0;
}

static int run(const char *name, const char *method, double tolerance, bench_result *result) {
    equations problem;
    if (equations_make(&problem, name) != 0)
        return snprintf(result->why, sizeof result->why, "there is no problem '%s'", name);
    int failed = integrate(&problem, method, tolerance, result);
    equations_clear(&problem);
    return failed;
}

int main(int argc, char **argv) {
    static const char *const methods[] = {"erk5+projection", "erk8+projection"};
    static const char *const problems[] = {"andrews",    "a03",         "pendulum-10", "pendulum-100",
                                           "caraxis",    "bricard",     "slidercrank", "flexcrank",
                                           "governor",   "fourbar-1",   "fourbar-2",   "fourbar-10",
                                           "fourbar-40", "fourbar-100", "fourbar-400", "fourbar-1000",
                                           "chain-10",   "chain-100",   "chain-1000",  "chain-10000"};
    static cases offered;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
            cases_add(&offered, problems[i], methods[k], 2, strcmp(problems[i], "chain-10000") == 0 ? 6 : 12);
    return bench_main(argc, argv, &(bench_solver){offered.list, offered.count, run});
}
