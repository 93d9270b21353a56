/* singular_values.h - singular values of small dense matrices. */
#ifndef KI_SINGULAR_VALUES_H
#define KI_SINGULAR_VALUES_H

#include "keel/status.h"

/* A = L^T S R: singular values S of the rows of A [m x n], decreasing, [m] (zeros from n on), and the left
 * singular vectors, the rows of L [m x m]. A becomes S R. */
keel_status ki_singular_values(int m, int n, double *A, double *singular, double *left);

#endif
