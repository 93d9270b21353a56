/* saddle_internal.h - the parts of the saddle-point kernel.
 *
 *     [ A   J^T ] [x]   [r]
 *     [ J   -D  ] [y] = [s]
 *
 * Elimination of x leaves the Schur complement S of the constraint rows:
 *
 *     A = L_A d L_A^T      Y = d^(-1/2) L_A^-1 J^T      S = Y^T Y + D
 *     S y = J A^-1 r - s   x = A^-1 (r - J^T y)
 *
 * c_i = S_ii^(-1/2) scales row i to unit length in the A^-1 metric. The pivot of row i in S = L_S p L_S^T,
 * times c_i^2, is the squared sine of the angle between row i and the rows before it. Where it is below
 * `threshold` the row is dependent as far as the factorization can see, and its pivot p_i is raised by
 * delta S_ii. What is factored then is
 *
 *     S' = S + delta E diag(S) E^T      E: the columns of the unit matrix that belong to such rows
 *
 * S'^-1 S has the eigenvalue 1 except on the span of S'^-1 E, where it has lambda / (lambda + delta) with
 * lambda those of C S C. A null vector of S lies in that span (lambda = 0). So if the rows E are dependent
 * and the right-hand side agrees with them, one solve with S' is the answer whatever delta is, and a large
 * delta keeps round-off out of the null space of J^T: it is of the size eps / delta there.
 *
 * The sparse path eliminates rows of J between unknowns where that keeps the factor sparse: pivots and S_ii
 * are then in the metric of the unknowns before them (panels.h), S' is the same.
 *
 * The test on the pivot only steers the factorization. What counts is the residual of the system as given: it
 * is evaluated after every solve and the solve repeated on it (refine.c). If that stalls, rows are nearly
 * dependent or contradict each other, and a slower way that can tell these apart takes over: null_space.c on
 * the dense path, deflation.c on the sparse one. Both split the residual of the second block into the part
 * that some x can remove and the part that none can.
 *
 * If A is singular, L_A does not exist: the dense path goes through null_space.c from the start, the sparse
 * one replaces A (augment.h).
 */
#ifndef KI_SADDLE_INTERNAL_H
#define KI_SADDLE_INTERNAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "keel/saddle.h"
#include "linalg/row_basis.h"
#include "linalg/saddle_code.h"

typedef struct ki_saddle_dense ki_saddle_dense;
typedef struct ki_saddle_sparse ki_saddle_sparse;
typedef struct ki_null_space ki_null_space;
typedef struct ki_deflation ki_deflation;
typedef struct ki_augment ki_augment;

/* The null space of J as an operator (null_operator.c). */
typedef struct ki_null_operator {
    ki_row_basis basis;           /* T and C                                       */
    struct ki_row_choice *choice; /* how they are found                            */
    double quality;               /* of the block when it was chosen               */
    bool ready;                   /* the block of the last factorization serves    */
    bool *all;                    /* [m] true                                      */
    double *least, *scaled;       /* [m], [entries of J]                           */
    int *row, *column;            /* [m]                                           */
    double *r, *w;                /* [n] scratch                                   */
} ki_null_operator;

/* How pivots of S are judged, and which rows failed. */
typedef struct ki_pivots {
    double threshold; /* a scaled pivot below it is zero for the factorization */
    double delta;     /* what such a pivot is raised by */
    int *row;         /* [count] rows of J whose pivot was raised, in the order of elimination */
    int count;
    int near;      /* rows that passed, but closely: dependent rows may hide among them */
    bool overflow; /* some S_ii is not finite */
    bool known;    /* the last factorization has pivots */
} ki_pivots;

/* The slow way after the last factorization: not made yet, made, or of no use. */
typedef enum ki_rescue_state { KI_RESCUE_UNKNOWN, KI_RESCUE_READY, KI_RESCUE_NONE } ki_rescue_state;

/* Factors that serve stages only (saddle_stage.c). */
typedef struct ki_stage_factors {
    bool prepared;
    ki_saddle_sparse *sparse; /* in the order of ki_order_for_stages; NULL: not worth it */
    ki_pivots pivots;
    double *S_size;      /* [m] */
    bool looks;          /* the usual factors: code of the sparse path looks at residuals in stages, too */
    const double *A, *J; /* the values factored */
    double *rest, *size; /* [n + m] of a residual, and its terms */
    bool ready;          /* they are those of the matrix that was factored last */
    int pause;           /* factorizations that are not tried, for the pose is not good for them */
} ki_stage_factors;

struct keel_saddle {
    ki_arena arena;
    int n, m;
    keel_pattern A, J;
    keel_saddle_settings settings;
    keel_saddle_path path;

    double *values;                  /* of the last factorization: those of A, then of J, then D  */
    double *A_values, *J_values, *D; /* parts of it; D is zero when none was given                */
    double *x_scale;          /* [n] A_ii^(-1/2), 1 where A_ii <= 0                                         */
    double *y_scale;          /* [m] 1 / Euclidean length of row i of J, 1 for a zero row                  */
    double *S_size;           /* [m] S_ii                                                                  */
    const double *D_factored; /* sparse: D of the matrix that was factored, see augment.h         */
    ki_pivots pivots;
    int bad_pivot;
    bool factored; /* the last keel_saddle_factor succeeded   */
    ki_rescue_state rescue;
    bool rescued;     /* solves go through null_space or deflation */
    bool scaled;      /* x_scale and y_scale are those of the values */
    double may_leave; /* ki_saddle_leave_rest; 0: nothing */

    const keel_saddle_code *code; /* for the path taken; NULL: none       */
    ki_saddle_places places;      /* for it                               */
    int code_pause;               /* factorizations that are not tried with it, for it gave back */
    bool stage_pause;             /* stages gave back the last time       */
    bool D_is_zero;               /* nothing to clear                     */
    int *raised;                  /* [m] 1: it raised the pivot of this row */
    bool code_ready;              /* it can solve; entries without a value are zero */

    ki_saddle_dense *dense;          /* one of these two is NULL */
    ki_saddle_sparse *sparse;        /*                          */
    ki_null_space *null_space;       /* goes with `dense`        */
    ki_deflation *deflation;         /* goes with `sparse`       */
    ki_null_operator *null_operator; /* the same, for KEEL_SADDLE_NULL_SPACE; otherwise NULL */
    ki_augment *augment;             /* the same; NULL until A is singular for the first time */
    ki_stage_factors stage;

    double *x, *y;           /* the solution on its way           */
    double *r, *s;           /* the right-hand side               */
    const double *zero;      /* [n or m] a side that is not given */
    double *x_rest, *y_rest; /* residual of the two blocks        */
    double *x_size, *y_size; /* sizes of the terms in it          */
    double *x_best, *y_best; /* best solution so far              */
};

/* Factorizations, or stages, without machine code after it gave back: where constraints are dependent they
 * mostly are so for long, and what it did was in vain. */
enum { KI_CODE_PAUSE = 16 };

/* Scaled pivots of S below PIVOT_NOISE may be nothing but round-off of S (measured: up to 1e-15 for unit rows
 * that depend on each other with coefficients of order one). With coefficients of size w round-off reaches
 * 1e-16 w^2: up to PIVOT_NEAR a pivot is not proof of independence. */
#define KI_PIVOT_NOISE 1e-13
#define KI_PIVOT_NEAR  1e-8

/* A pivot of A this small relative to its diagonal entry is round-off. */
#define KI_PIVOT_NOISE_A 1e-14

/* The pivot to use for row `row` of J whose pivot in S came out as `pivot`, with `size` = S_ii. */
static inline double ki_pivots_judge(ki_pivots *pivots, int row, double pivot, double size) {
    if (pivot > KI_PIVOT_NEAR * size && pivot > pivots->threshold * size)
        return pivot;
    pivots->overflow |= !(size < HUGE_VAL);
    if (pivot > pivots->threshold * size) {
        pivots->near++;
        return pivot;
    }
    pivots->row[pivots->count++] = row;
    double raised = (pivot > 0 ? pivot : 0) + pivots->delta * size;
    return raised > 0 ? raised : 1;
}

/* Relative residual of the unregularised system at K->x, K->y; see ki_residual. */
typedef struct ki_measure {
    double first, second;           /* scaled max-norm residual of each block      */
    double first_size, second_size; /* scaled max-norm of the sum of |terms|       */
    int worst_row;
    bool finite;
} ki_measure;

/* saddle.c */
keel_status ki_factor(keel_saddle *K, double threshold);
void ki_apply(keel_saddle *K, double *x, double *y); /* x, y <- K'^-1 (x, y), K' what was factored   */
bool ki_saddle_is_finite(keel_saddle *K);            /* A_values, and the squares of the rows of J */
bool ki_rescue(keel_saddle *K);                      /* to the slower way; false if there is none    */
bool ki_saddle_raises(const keel_saddle *K);         /* failed pivots are raised, and that is all    */
void ki_saddle_set_rules(keel_saddle *K);            /* of places                                    */

/* The pivots of S as they came out, before any was raised, and S_ii, both [m] by rows of J. False if the last
 * factorization has none. */
bool ki_saddle_pivots(const keel_saddle *K, double *pivot, double *size);

/* x_scale and y_scale of the values, if they are not known yet; all of refine.c and of the slower ways needs
 * them but the first look of ki_refine. */
void ki_saddle_scale(keel_saddle *K);

/* Solves go through the operator of the null space. */
static inline bool ki_saddle_by_operator(const keel_saddle *K) {
    return K->null_operator && K->null_operator->ready && !K->rescued;
}

/* refine.c */
ki_measure ki_residual(keel_saddle *K);
double ki_measure_relative(ki_measure measure);
void ki_start(keel_saddle *K); /* K->x, K->y from K->r, K->s, without refinement */
keel_status ki_refine(keel_saddle *K, keel_saddle_info *info); /* info: NULL if nobody asks */

/* saddle_dense.c: memory comes from K->arena; failure shows in arena.failed */
void ki_saddle_dense_analyse(keel_saddle *K);      /* pattern only */
void ki_saddle_dense_allocate(keel_saddle *K);     /* numbers      */
double ki_saddle_dense_work(const keel_saddle *K); /* multiplications of a factorization */
keel_status ki_saddle_dense_factor(keel_saddle *K);
void ki_saddle_dense_factor_S(keel_saddle *K); /* the second part of it, once L_A and Y are known */
void ki_saddle_dense_apply(keel_saddle *K, double *x, double *y);
void ki_saddle_dense_pivots(const keel_saddle *K, double *pivot); /* [m] as they were used */
bool ki_saddle_dense_is_good(const keel_saddle *K);               /* KI_STAGE_CONDITION     */
void ki_saddle_dense_places(keel_saddle *K, ki_saddle_places *places);
void ki_saddle_dense_clear(keel_saddle *K); /* all factors: zero */

/* saddle_sparse.c; the analysis returns NULL when out of memory */
ki_saddle_sparse *ki_saddle_sparse_analyse(keel_pattern A, keel_pattern J, bool for_stages);
void ki_saddle_sparse_free(ki_saddle_sparse *sparse);
double ki_saddle_sparse_work(const ki_saddle_sparse *sparse);
long ki_saddle_sparse_entries(const ki_saddle_sparse *sparse);
keel_status ki_saddle_sparse_factor(keel_saddle *K);
void ki_saddle_sparse_apply(keel_saddle *K, double *x, double *y);

/* x, y from r, s with the matrix that was factored as it is: where A is singular that of augment.h. The right
 * side and the solution may be the same. */
void ki_saddle_sparse_solve(keel_saddle *K, const double *r, const double *s, double *x, double *y);

/* t = d^(-1/2) L_A^-1 b and x = L_A^-T d^(-1/2) t */
void ki_saddle_sparse_half(const keel_saddle *K, const double *b, double *t);
void ki_saddle_sparse_half_back(const keel_saddle *K, const double *t, double *x);
void ki_saddle_sparse_pivots(const keel_saddle *K, double *pivot);
void ki_saddle_sparse_places(keel_saddle *K, ki_saddle_places *places);
void ki_saddle_sparse_clear(keel_saddle *K); /* all panels: zero */
bool ki_saddle_sparse_is_plain(
    const keel_saddle *K); /* the matrix is factored as given, not that of augment.h */

/* null_space.c (dense) */
void ki_null_space_analyse(keel_saddle *K);
keel_status ki_null_space_factor(keel_saddle *K);
int ki_null_space_dependent(const keel_saddle *K); /* rows more than the rank */
void ki_null_space_apply(keel_saddle *K, double *x, double *y);
void ki_null_space_remove(keel_saddle *K, double *y_rest); /* takes out what no x can satisfy */
void ki_null_space_least_norm(keel_saddle *K, double *y);

/* null_operator.c (sparse); KEEL_ERROR_MEMORY is the only failure */
void ki_null_operator_analyse(keel_saddle *K);
void ki_null_operator_clear(keel_saddle *K);
keel_status ki_null_operator_factor(keel_saddle *K);
void ki_null_operator_apply(keel_saddle *K, double *x, double *y);

/* deflation.c (sparse) */
void ki_deflation_analyse(keel_saddle *K);
bool ki_deflation_factor(keel_saddle *K); /* false: nothing looks dependent */
void ki_deflation_correct(keel_saddle *K);
void ki_deflation_remove(keel_saddle *K, double *y_rest);
void ki_deflation_least_norm(keel_saddle *K, double *y);

#endif
