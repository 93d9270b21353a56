/* ldl.h - sparse A = L d L^T for positive definite A without exchanges: the pattern of L is found once, the
 * numbers as often as wanted.
 *
 * L is built row by row (up-looking): row k solves L[0:k,0:k] d l = A[k,0:k], column after column of its
 * pattern. This is the factor of A alone, for what the factor of the whole matrix (panels.h) cannot tell: in
 * which directions A vanishes, and lengths in its metric.
 */
#ifndef KI_LDL_H
#define KI_LDL_H

#include "linalg/saddle_internal.h"
#include "linalg/symbolic.h"

typedef struct ki_ldl {
    int size;

    /* A, permuted: strictly lower rows, each entry with the place of its value; the diagonal apart */
    int *A_start, *A_column, *A_source; /* [size + 1], [entries] */
    int *diagonal;                      /* [size] place of A_kk */

    /* L, strictly lower, by columns; entries of a column with increasing rows */
    int *start, *row; /* [size + 1], [entries] */
    double *value;    /* [entries] */

    /* the same entries by rows: row k has the columns column[row_start[k] ..], its value stands at place[...]
     */
    int *row_start, *column, *place; /* [size + 1], [entries], [entries] */

    double *d_inverse; /* [size] 1 / pivots */
    double *work;      /* [size] zero between calls */
} ki_ldl;

/* The pattern of L from that of A in the order of elimination; `diagonal` [size] is copied. False when out of
 * memory. */
bool ki_ldl_analyse(ki_ldl *F, const ki_lower *A, const int *diagonal, ki_arena *arena);

/* Numbers from `values`. A pivot that is not positive, or not larger than least [by place; NULL: zero],
 * counts as infinite and is marked in failed [size]. True if there is none. */
bool ki_ldl_factor(ki_ldl *F, const double *values, const double *least, bool *failed);

/* Then, for each of them, the direction in which A vanishes: L^-T e_k. Its non-zero entries are z [size],
 * their places `at` [size], their number is returned. */
int ki_ldl_direction(ki_ldl *F, int k, int *at, double *z);

/* b <- d^(-1/2) L^-1 b and b <- L^-T d^(-1/2) b, permuted. */
void ki_ldl_half(const ki_ldl *F, double *b);
void ki_ldl_half_back(const ki_ldl *F, double *b);

#endif
