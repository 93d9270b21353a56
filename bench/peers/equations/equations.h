/* equations.h - problems of the benchmark as equations that were written by hand, for solvers that know
 * nothing of mechanisms. What a careful programmer would do: few coordinates, every sine once, patterns
 * instead of zeros.
 *
 *     M(q) v' + J^T lambda = Q(t,q,v),   Phi(t,q) = 0,   J v + tau = 0,   J v' = xi,   q' = v
 *
 * A problem is a keel_system, used as a plain table of sizes, patterns and one function: no code of Keel runs
 * when it is evaluated. One file per problem. The large ones also give derivatives (`tangent`, `rate_q`), the
 * others leave them to the difference quotients of the solvers.
 */
#ifndef BENCH_EQUATIONS_H
#define BENCH_EQUATIONS_H

#include "driver.h"
#include "keel/system.h"

typedef struct equations equations;
struct equations {
    keel_system system; /* q' = v, holonomic, neither states nor auxiliary unknowns          */
    int size;           /* N of a family, 0 otherwise                                        */
    double end;         /* integrate from 0 to here                                          */
    double *q, *v;      /* consistent start, [n]                                             */
    double rate; /* how much larger velocities are than positions: their absolute tolerance is rate * tol */
    double unit; /* what errors of energy are compared with; 0: energy is not kept    */
    int watched; /* how many positions are observed, and as many velocities           */
    void (*observe)(const equations *problem, const double *q, const double *v, double *q_seen,
                    double *v_seen);
    int *pattern; /* what the patterns of a family point to                            */
};

/* What the solvers ask for at each point. */
enum { EQUATIONS_MOTION = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI };

/* 0, or -1 if there is no such problem. */
int equations_make(equations *problem, const char *name);
void equations_clear(equations *problem);

/* Start and sizes for a problem's file to begin with: q and v are zero. */
void equations_init(equations *problem, int n, int m, double end);

/* [n] for q, then [n] for v: `tolerance` and rate * tolerance. */
void equations_tolerances(const equations *problem, double tolerance, double *absolute);

/* Observes q and v at the end, with violations and energy, into a result. */
void equations_report(const equations *problem, const double *q, const double *v, bench_result *result);

/* Observers: the first `watched` coordinates themselves. */
void equations_observe_first(const equations *problem, const double *q, const double *v, double *q_seen,
                             double *v_seen);

void andrews_make(equations *problem);
void a03_make(equations *problem);
void bricard_make(equations *problem);
void pendulum_make(equations *problem, int end);
void caraxis_make(equations *problem);
void flexcrank_make(equations *problem);
void governor_make(equations *problem);
void slidercrank_make(equations *problem);
void fourbar_make(equations *problem, int N);
void chain_make(equations *problem, int N);

#endif
