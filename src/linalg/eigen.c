#include "linalg/eigen.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

keel_status ki_eigenvalue_range(int n, const double *A, double *smallest, double *largest) {
    size_t size = (size_t)n;
    double *copy = malloc((size * size + size) * sizeof *copy);
    if (!copy)
        return KEEL_ERROR_MEMORY;
    double *values = copy + size * size; /* increasing */
    memcpy(copy, A, size * size * sizeof *copy);
    lapack_int failed = LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, copy, n, values);
    *smallest = values[0];
    *largest = values[n - 1];
    free(copy);
    return failed ? KEEL_ERROR_CONVERGENCE : KEEL_OK;
}

keel_status ki_smallest_eigenvalue(int n, const double *A, double *smallest) {
    double largest;
    return ki_eigenvalue_range(n, A, smallest, &largest);
}
