/* inverse.h - explicit inverses of small matrices, real and complex.
 *
 * In a solve with triangular factors every unknown waits for the one before, and every sum has another
 * length; a product with the inverse has neither. From three solves on the inverse of a small matrix takes
 * less time, and its errors are as small as long as the matrix is far from singular:
 *
 *     |x - A^-1 b| <= c u |A^-1| |A| |x|        u: round-off (Higham 2002, section 14.1)
 *
 * Gauss and Jordan's elimination with exchange of rows does it in place, in rows of one length that is a
 * multiple of four. What is stored is the transpose, so that a product adds up columns.
 */
#ifndef KI_INVERSE_H
#define KI_INVERSE_H

#include <stdbool.h>

#include "base/four.h"

/* Larger matrices are left to factors: an inverse takes three times their operations. */
enum { KI_INVERTED_MOST = 16 };

/* A [n x stride] <- A^-1, zeros in the padding, stride = ki_padded(n); column i of the inverse is column
 * place[i] of A. False, with A used up, if it is singular, not finite, or so near to singular that factors
 * should be used. */
bool ki_invert(int n, double *A, int *place);

/* The same for re + i im. */
bool ki_invert_complex(int n, double *re, double *im, int *place);

/* x [stride] = A^T b, whose component i is x[place[i]] */
void ki_inverse_apply(int n, const double *A, const double *b, double *x);
void ki_inverse_apply_complex(int n, const double *re, const double *im, const double *b_re,
                              const double *b_im, double *x_re, double *x_im);

#endif
