/* random_system.h - random constrained systems of any size, on which a proposition is tried that a paper
 * shows for one example or states for all systems.
 *
 *     M v' + J(q)^T lambda = -f - k q,        Phi_i(q) = g_i.q + 1/2 sum_j c_ij q_j^2 + 1/6 sum_j d_ij q_j^3
 *
 * M is constant and full, symmetric positive definite with a condition number of up to some hundred; q = 0
 * satisfies the constraints. Rows beyond `rank` are combinations of the first ones, as functions. The same
 * seed gives the same system everywhere.
 */
#ifndef PAPERS_RANDOM_SYSTEM_H
#define PAPERS_RANDOM_SYSTEM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/four.h"
#include "formulate/dynamics.h"
#include "keel/settings.h"

typedef struct ki_random_kind {
    int n, m, rank;            /* coordinates, constraints, independent ones                         */
    int nonholonomic;          /* so many constraints, the last ones, bind velocities only: Phi_i' = 0 */
    double curvature, torsion; /* size of c and d, 0: none                                           */
    double force;              /* size of f and k                                                    */
} ki_random_kind;

typedef struct ki_random_system {
    keel_system system;
    ki_random_kind kind;
    double *M;                      /* [n x n]            */
    double *linear, *square, *cube; /* [m x n] g, c, d    */
    double *f;                      /* [n]                */
    double k;
} ki_random_system;

/* Numbers in [-1, 1]. */
double ki_random(unsigned *seed);
void ki_random_vector(int n, double *x, unsigned *seed);

/* A [n x n] symmetric positive definite. */
void ki_random_definite(int n, double *A, unsigned *seed);

/* NULL when there is no memory. */
ki_random_system *ki_random_system_new(ki_arena *arena, const ki_random_kind *kind, unsigned *seed);

/* v [n] loses what violates the constraints at q = 0. */
keel_status ki_make_compatible(const ki_random_system *s, double *v);

/* out = A x, A [n x n] */
void ki_matrix_times(int n, const double *A, const double *x, double *out);

/* A system with a workspace of one method, to ask for projections and accelerations at states of one's own.
 */
typedef struct ki_bench {
    ki_arena arena;
    ki_law law;
    ki_dynamics d;
    double *y; /* [n_y] a state */
} ki_bench;

keel_status ki_bench_open(ki_bench *bench, const keel_system *system, const keel_settings *settings);
void ki_bench_close(ki_bench *bench);

#endif
