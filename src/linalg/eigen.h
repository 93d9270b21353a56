/* eigen.h - eigenvalues of small symmetric matrices. */
#ifndef KI_EIGEN_H
#define KI_EIGEN_H

#include "keel/status.h"

/* Smallest eigenvalue of the symmetric A [n x n], n > 0; only its lower triangle is read. Allocates its own
 * workspace. */
keel_status ki_smallest_eigenvalue(int n, const double *A, double *smallest);

/* The same, with the largest. */
keel_status ki_eigenvalue_range(int n, const double *A, double *smallest, double *largest);

#endif
