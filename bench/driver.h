/* driver.h - what every program of the benchmark has in common: a solver that can be asked for runs.
 *
 *     PROGRAM list                                one line for every problem and method that it offers:
 *                                                 PROBLEM METHOD PARAMETER VALUE VALUE ...
 *     PROGRAM run PROBLEM METHOD VALUE REPEATS    one run, repeated to find its least time; prints one line:
 *         status=ok cpu=S steps=N evaluations=N factorizations=N position=X velocity=X energy=X q=a,b v=a,b
 *         status=failed why=the rest of the line
 *
 * q and v are the observed positions and velocities at the end, in the order that bench/problems.c gives;
 * all numbers are in SI units. What is timed is the way from the start state to the end time, by a solver
 * that was built before, without output on the way: bench_start_clock .. bench_stop_clock, CPU time of this
 * thread. A quantity that a solver cannot tell is NAN, a count -1; it is printed as "nan" or "-1".
 */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_OBSERVED_MAX = 64, BENCH_LADDER_MAX = 24, BENCH_TEXT_MAX = 240 };

typedef struct bench_case {
    const char *problem;             /* a name of bench/problems.c, such as "fourbar-40" */
    const char *method;              /* such as "hem5+projection"; without blanks        */
    const char *parameter;           /* what the values are: "tol" or "h"                */
    double ladder[BENCH_LADDER_MAX]; /* values, loosest first; ended by 0      */
} bench_case;

typedef struct bench_result {
    int n_q, n_v;
    double q[BENCH_OBSERVED_MAX], v[BENCH_OBSERVED_MAX];
    double position; /* largest violation of a position condition at the end, metres or radians         */
    double velocity; /* the same of a velocity condition                                                */
    double energy;   /* |E - E_0 - work| at the end / max(|E_0|, 1 J)                                   */
    long steps, evaluations, factorizations;
    char why[BENCH_TEXT_MAX]; /* what went wrong, for runs that fail */
} bench_result;

typedef struct bench_solver {
    const bench_case *cases;
    int count;
    /* Builds the problem, integrates it between bench_start_clock and bench_stop_clock, fills `result`.
     * 0: done; other: failed, result->why says how. */
    int (*run)(const char *problem, const char *method, double value, bench_result *result);
} bench_solver;

void bench_start_clock(void);
void bench_stop_clock(void);

/* main() of a driver. */
int bench_main(int argc, char **argv, const bench_solver *solver);

/* The number at the end of a name: 40 for "fourbar-40"; 0 if `name` is not `stem`-NUMBER. */
int bench_size(const char *name, const char *stem);

#ifdef __cplusplus
}
#endif

#endif
