/* ldl.h - sparse K = L d L^T without exchanges: the pattern of L is found once, the numbers as often as
 * wanted.
 *
 * The first `lead` columns belong to A and must have positive pivots, the others to S, with negative ones:
 *
 *     K = P [ A  J^T ] P^T = L d L^T
 *           [ J  -D  ]
 *
 * L is built row by row (up-looking): row k solves L[0:k,0:k] d l = K[k,0:k], column after column of its
 * pattern.
 */
#ifndef KI_LDL_H
#define KI_LDL_H

#include "linalg/saddle_internal.h"

typedef struct ki_ldl {
    int size, lead;

    /* K, permuted: strictly lower rows, each entry with the place of its value; the diagonal apart */
    int *K_start, *K_column, *K_source; /* [size + 1], [entries] */
    int *diagonal;                      /* [size] place of K_kk, -1: zero */

    /* L, strictly lower, by columns; entries of a column with increasing rows, those below lead_end in A */
    int *start, *row, *lead_end; /* [size + 1], [entries], [size] */
    double *value;               /* [entries] */

    /* the same entries by rows: row k has the columns column[row_start[k] ..], its value stands at place[...]
     */
    int *row_start, *column, *place; /* [size + 1], [entries], [entries] */
    int *row_middle;                 /* [size] where the columns of S begin in it */

    double *d_inverse; /* [size] 1 / pivots */
    double *least;     /* [lead] pivots of A must be larger; NULL: zero */
    double *work;      /* [size] zero between calls */
    double multiplications;
} ki_ldl;

/* The pattern of L from that of K (size, lead, K_start and K_column are given); allocates the rest. False
 * when out of memory. */
bool ki_ldl_analyse(ki_ldl *F, ki_arena *arena);

/* Numbers from `values` (what K_source and diagonal point into). `pivots` judges the pivots of S, whose row
 * numbers are row_of[k - lead], and S_size [by row number] receives S_ii. Returns -1, or the first k < lead
 * whose pivot is not positive, or not larger than `least`. */
int ki_ldl_factor(ki_ldl *F, const double *values, ki_pivots *pivots, const int *row_of, double *S_size);

/* All such k at once, failed [lead]: A alone is factored with infinite pivots in their place. */
void ki_ldl_find_failed(ki_ldl *F, const double *values, bool *failed);

/* Then, for each of them, the direction in which A vanishes: L_A^-T e_k. Its non-zero entries are z [lead],
 * their places `at` [lead], their number is returned. */
int ki_ldl_direction(ki_ldl *F, int k, int *at, double *z);

/* b <- K^-1 b, permuted. */
void ki_ldl_solve(const ki_ldl *F, double *b);

/* The part of A alone: b <- d^(-1/2) L_A^-1 b and b <- L_A^-T d^(-1/2) b, permuted, [lead]. */
void ki_ldl_half(const ki_ldl *F, double *b);
void ki_ldl_half_back(const ki_ldl *F, double *b);

#endif
