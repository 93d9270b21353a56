/* lu.h - factors of a square unsymmetric matrix: Newton matrices of implicit integrators.
 *
 *     P A = L U      rows of A given by a pattern that is analysed once
 *
 * Small matrices take a dense path, larger ones KLU with its static ordering; after the first factorization
 * neither allocates (KLU may, when other pivots become necessary).
 */
#ifndef KI_LU_H
#define KI_LU_H

#include <stdbool.h>

#include "keel/pattern.h"
#include "keel/status.h"

typedef struct ki_lu ki_lu;

/* For matrices of this pattern (square; copied). NULL when out of memory. */
ki_lu *ki_lu_new(keel_pattern pattern);

/* The same for a matrix whose rows and columns first .. first + count - 1 are constraints and multipliers:
 * their diagonal is next to zero until the unknowns that they touch are eliminated. An order that does not
 * know of it meets such pivots early, exchanges rows, and fills in: with the square of the size in a chain of
 * bodies. */
ki_lu *ki_lu_new_saddle(keel_pattern pattern, int first, int count);
void ki_lu_free(ki_lu *lu);

/* The same for KLU whatever the size, and for rows and columns in any order. */
ki_lu *ki_lu_new_sparse(keel_pattern pattern);

/* Factors the matrix with these values, one per entry of the pattern. KEEL_ERROR_SINGULAR if a pivot is zero
 * or an entry is not finite; KEEL_ERROR_MEMORY. */
keel_status ki_lu_factor(ki_lu *lu, const double *values);

/* Numbers that the present factors have; n^2 on the dense path. */
long ki_lu_entries(const ki_lu *lu);

/* b <- A^-1 b with the factors at hand. */
void ki_lu_solve(ki_lu *lu, double *b);

/* b <- A^-T b, of factors that are sparse: false if there are none, and b stays. */
bool ki_lu_solve_transposed(ki_lu *lu, double *b);

/* The smallest pivot over the largest, of ki_lu_new_sparse: from one factorization to the next it tells
 * whether old pivots become bad ones. */
double ki_lu_pivot_ratio(const ki_lu *lu);

/* The same for a complex matrix of the same pattern, whose entries have about the sizes of those of a real
 * one: Newton matrices with a complex step. Pattern, ordering and scaling are those of `real`, which must
 * live longer and be factored first. Real and imaginary parts are separate arrays. */
typedef struct ki_lu_complex ki_lu_complex;

ki_lu_complex *ki_lu_complex_new(const ki_lu *real);
void ki_lu_complex_free(ki_lu_complex *lu);
keel_status ki_lu_complex_factor(ki_lu_complex *lu, const double *re, const double *im);
void ki_lu_complex_solve(ki_lu_complex *lu, double *re, double *im);

#endif
