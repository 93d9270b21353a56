/* saddle_sparse.h - what the files of the sparse path share. */
#ifndef KI_SADDLE_SPARSE_H
#define KI_SADDLE_SPARSE_H

#include "linalg/ldl.h"

struct ki_saddle_sparse {
    ki_arena arena;
    ki_ldl ldl;
    int n, m;
    int *order;  /* [n + m] what is eliminated k-th: an unknown of A, or n + a row of J */
    int *place;  /* [n + m] the inverse */
    int *row_of; /* [m] row of J that is eliminated (n + k)-th */
    double *b;   /* [n + m] scratch */
};

/* Numbers from `values`: A, J and D in the patterns of the analysis. Returns -1, or the place of a pivot of A
 * that is not positive. */
int ki_saddle_sparse_numbers(keel_saddle *K, const double *values);

#endif
