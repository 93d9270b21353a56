/* saddle.h - the one linear-algebra kernel: saddle-point systems with constraint rows of any rank.
 *
 *     [ A   J^T ] [x]   [r]        A  symmetric, n x n, positive definite (on the null space of J at least)
 *     [ J   -D  ] [y] = [s]        J  m x n, of any rank;  D >= 0 diagonal (NULL: zero)
 *
 * Analyse once (keel_saddle_new), factor often, solve for any number of right-hand sides; only the analysis
 * allocates. Small systems take a dense path, large ones a sparse LDL^T with a static fill-reducing ordering.
 *
 * A may be singular, as a mass matrix with massless points is, where J makes up for it. The sparse path then
 * adds w_k J_k^T J_k to A for the few rows k that hold what has no mass, and w_k J_k^T s_k to r, which does
 * not change the solution; the first factorization that meets such an A analyses again, and allocates. An
 * indefinite A is for the dense path.
 *
 * When rows of J depend on each other the matrix has no inverse. The rows that depend on earlier ones are
 * then factored with an extra -delta in the lower right block (rows scaled to unit length in the A^-1
 * metric), and every solve is refined until the residual of the system *without* delta is at round-off. x is
 * unique; y is one of many, see keel_saddle_least_norm.
 */
#ifndef KEEL_SADDLE_H
#define KEEL_SADDLE_H

#include "keel/pattern.h"
#include "keel/status.h"

typedef enum keel_saddle_path {
    KEEL_SADDLE_AUTO, /* by size */
    KEEL_SADDLE_DENSE,
    KEEL_SADDLE_SPARSE,
    KEEL_SADDLE_NULL_SPACE /* dense, x split into the row space and the null space of J: slower, exact for any
                              rank */
} keel_saddle_path;

/* Redundant joints of a mechanism have dependent rows where the constraints hold; off by eps the rows differ
 * by eps, and contradict each other by as much, and solving them exactly moves x by something of the size of
 * x. A caller that evaluates off the constraints sets `dependent` above the violation it allows; it then gets
 * the least-squares answer, and KEEL_INACCURATE with a residual of the size of the violation. */
typedef struct keel_saddle_settings {
    keel_saddle_path path;
    double tolerance; /* relative residual that ends refinement                [1e-14]  */
    double delta;     /* regularisation of rows that look dependent, scaled    [1]      */
    double dependent; /* rows of unit length closer to each other count as one [1e-10]  */
    int refinements;  /* most refinements per solve                            [30]     */
} keel_saddle_settings;

KEEL_API keel_saddle_settings keel_saddle_settings_default(void);

/* What a solve did. */
typedef struct keel_saddle_info {
    double residual; /* max-norm residual of the unregularised system, relative to the size of its terms,
                        worst block  */
    int refinements; /* corrections after the first solve                       */
    int worst_row;   /* row of J with the largest scaled residual, -1 if m = 0  */
} keel_saddle_info;

typedef struct keel_saddle keel_saddle;

/* Machine code for the kernel of one system (keel/native.h). */
typedef struct keel_saddle_code keel_saddle_code;

/* Analyses the patterns of A (lower triangle, full diagonal) and J. NULL when out of memory. The patterns are
 * copied. */
KEEL_API keel_saddle *keel_saddle_new(keel_pattern A, keel_pattern J, const keel_saddle_settings *settings);
KEEL_API void keel_saddle_free(keel_saddle *K);

/* Factors with the values of A, J and D ([m], or NULL for zero). The values are copied.
 * KEEL_ERROR_SINGULAR when A is not positive definite where it must be: keel_saddle_bad_pivot tells the row
 * of A, the unknown that neither A nor J holds. KEEL_ERROR_NOT_FINITE when a value is NaN or infinite.
 * KEEL_ERROR_MEMORY only when A is singular in places where it was not before. */
KEEL_API keel_status keel_saddle_factor(keel_saddle *K, const double *A, const double *J, const double *D);

/* Solves for x [n], y [m]; r [n] and s [m] may be NULL (zero) and may alias x and y. `info` may be NULL.
 * KEEL_OK, or KEEL_INACCURATE (residual above tolerance after all refinements), or KEEL_INCONSISTENT
 * (dependent rows whose right-hand sides contradict each other by more than settings.dependent: x is the
 * least-squares answer in rows of unit length, y is bounded, and info->worst_row names a culprit).
 * KEEL_ERROR_NOT_FINITE when r or s is not finite, or the answer would not be; KEEL_ERROR_SINGULAR without a
 * factorization. x and y are then left as they were. */
KEEL_API keel_status keel_saddle_solve(keel_saddle *K, const double *r, const double *s, double *x, double *y,
                                       keel_saddle_info *info);

/* Replaces y by the shortest (Euclidean) vector with the same J^T y. Does nothing when the last factorization
 * met no dependent rows. */
KEEL_API keel_status keel_saddle_least_norm(keel_saddle *K, double *y);

/* Changes settings.dependent for the factorizations to come: rows whose independent part is shorter than
 * `least` are treated as dependent, however well they could be told apart. */
KEEL_API void keel_saddle_set_dependent(keel_saddle *K, double least);

/* Facts about the analysis and the last factorization. */
KEEL_API keel_saddle_path keel_saddle_path_taken(const keel_saddle *K);
KEEL_API int keel_saddle_regularized(const keel_saddle *K); /* 1 if delta was needed                     */
KEEL_API int keel_saddle_bad_pivot(const keel_saddle *K);   /* row of A after KEEL_ERROR_SINGULAR, else -1 */
KEEL_API long keel_saddle_factor_entries(const keel_saddle *K); /* entries of the factor */
KEEL_API double keel_saddle_factor_work(const keel_saddle *K);  /* multiplications of a factorization */

#endif
