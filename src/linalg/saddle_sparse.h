/* saddle_sparse.h - what the files of the sparse path share. */
#ifndef KI_SADDLE_SPARSE_H
#define KI_SADDLE_SPARSE_H

#include "linalg/ldl.h"
#include "linalg/panels.h"

/* Places [first, end) of the panels. */
typedef struct ki_blank {
    int first, end;
} ki_blank;

struct ki_saddle_sparse {
    ki_arena arena;
    int n, m, A_count, J_count;
    int *order; /* [n + m] what is eliminated k-th: an unknown of A, or n + a row of J */
    int *place; /* [n + m] the inverse                                                */
    ki_panels panels;
    int *slot;     /* [A_count + J_count + m] where the values of A, J and D go in the panels */
    int *diagonal; /* [n + m] by place: where A_ii or D_i stands among the values             */
    int blanks;
    ki_blank *blank; /* [blanks] where no value goes but fill-in may */
    double *b;       /* [n + m] scratch                                                         */

    /* A alone, in the same order */
    ki_ldl A;
    int *A_order, *A_place; /* [n] */
    bool *A_failed;         /* [n] by A_place: pivots of the last factorization of A alone */
};

/* Numbers from `values`: A, J and D in the patterns of the analysis. Returns -1, or the first unknown whose
 * pivot is not positive. */
int ki_saddle_sparse_numbers(keel_saddle *K, const double *values);

/* Factors A and J without D, by the rules of `pivots`; as above. */
int ki_sparse_factor(ki_saddle_sparse *sparse, const double *A, const double *J, ki_pivots *pivots,
                     double *S_size);

/* x, y <- what was factored^-1 (r, s), which may be the same. */
void ki_sparse_solve(const ki_saddle_sparse *sparse, const double *r, const double *s, double *x, double *y);

#endif
