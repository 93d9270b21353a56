/* The part of a benchmark program that does not depend on its solver; the protocol is in driver.h. */
#include "driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Counting of instructions, for those who run this under callgrind with --instr-atstart=no. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define COUNT_ON()  CALLGRIND_START_INSTRUMENTATION
#define COUNT_OFF() CALLGRIND_STOP_INSTRUMENTATION
#else
#define COUNT_ON()  (void)0
#define COUNT_OFF() (void)0
#endif

enum { LEAST_REPEATS = 3 };
static const double MOST_SECONDS = 0.15;

static double started, spent;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_start_clock(void) {
    COUNT_ON();
    started = cpu_seconds();
}

void bench_stop_clock(void) {
    spent = cpu_seconds() - started;
    COUNT_OFF();
}

int bench_size(const char *name, const char *stem) {
    size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0 || name[length] != '-')
        return 0;
    return atoi(name + length + 1);
}

static int list(const bench_solver *solver) {
    for (int i = 0; i < solver->count; i++) {
        const bench_case *offered = &solver->cases[i];
        printf("%s %s %s", offered->problem, offered->method, offered->parameter);
        for (int k = 0; k < BENCH_LADDER_MAX && offered->ladder[k] > 0; k++)
            printf(" %g", offered->ladder[k]);
        printf("\n");
    }
    return 0;
}

static void print_vector(const char *name, const double *x, int n) {
    printf(" %s=", name);
    for (int i = 0; i < n; i++)
        printf("%s%.17g", i ? "," : "", x[i]);
}

static int fail(const char *why) {
    printf("status=failed why=%s\n", why);
    return 1;
}

static int run(const bench_solver *solver, char **argv) {
    double value = strtod(argv[2], NULL), least = HUGE_VAL, begin = cpu_seconds();
    int repeats = atoi(argv[3]);
    bench_result result;
    /* building counts too: a short run of a large model is repeated a few times only */
    for (int i = 0; i == 0 || (i < repeats && (i < LEAST_REPEATS || cpu_seconds() - begin < MOST_SECONDS));
         i++) {
        memset(&result, 0, sizeof result);
        result.position = result.velocity = result.energy = NAN;
        result.steps = result.evaluations = result.factorizations = -1;
        if (solver->run(argv[0], argv[1], value, &result) != 0)
            return fail(result.why[0] ? result.why : "the solver gave no reason");
        least = spent < least ? spent : least;
    }
    for (int i = 0; i < result.n_q; i++)
        if (!isfinite(result.q[i]))
            return fail("the result is not finite");
    printf("status=ok cpu=%.9g steps=%ld evaluations=%ld factorizations=%ld position=%.6g velocity=%.6g "
           "energy=%.6g",
           least, result.steps, result.evaluations, result.factorizations, result.position, result.velocity,
           result.energy);
    print_vector("q", result.q, result.n_q);
    print_vector("v", result.v, result.n_v);
    printf("\n");
    return 0;
}

int bench_main(int argc, char **argv, const bench_solver *solver) {
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list(solver);
    if (argc == 6 && strcmp(argv[1], "run") == 0)
        return run(solver, argv + 2);
    fprintf(stderr, "usage: %s list | run PROBLEM METHOD VALUE REPEATS\n", argv[0]);
    return 2;
}
