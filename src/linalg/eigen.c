/* Reflections make A tridiagonal (Golub and Van Loan, Matrix Computations, 4th edition, section 8.3.1),
 * Sturm's sequence counts the eigenvalues below a number (section 8.4.1), and bisection finds the first and
 * the last: no iteration that could fail to converge. */
#include "linalg/eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "linalg/dense.h"

/* A <- H A H for the reflection H = I - beta v v^T of the rows and columns from `first`:
 * A - v w^T - w v^T with w = p - (beta p.v / 2) v, p = beta A v. Both triangles of A are kept. */
static void reflect(int n, double *A, int first, const double *v, double beta, double *w) {
    int left = n - first;
    double *block = A + (size_t)first * (size_t)n + first;
    for (int i = 0; i < left; i++)
        w[i] = beta * ki_dot(left, block + (size_t)i * (size_t)n, v);
    ki_axpy(left, -beta / 2 * ki_dot(left, w, v), v, w);
    for (int i = 0; i < left; i++) {
        ki_axpy(left, -v[i], w, block + (size_t)i * (size_t)n);
        ki_axpy(left, -w[i], v, block + (size_t)i * (size_t)n);
    }
}

/* Diagonal d [n] and off-diagonal e [n - 1] of the tridiagonal matrix with the eigenvalues of A, which is
 * overwritten. */
static void make_tridiagonal(int n, double *A, double *d, double *e, double *v, double *w) {
    for (int k = 0; k < n; k++) {
        int left = n - k - 1;
        const double *row = A + (size_t)k * (size_t)n;
        d[k] = row[k];
        if (left == 0)
            break;
        for (int i = 0; i < left; i++)
            v[i] = row[k + 1 + i];
        double beta = ki_reflection_make(left, v, &e[k]);
        if (beta != 0)
            reflect(n, A, k + 1, v, beta, w);
    }
}

/* How many eigenvalues are below x: the negative pivots of T - x I. */
static int count_below(int n, const double *d, const double *e, double x) {
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < n; i++) {
        pivot = d[i] - x - (i ? e[i - 1] * e[i - 1] / pivot : 0);
        if (fabs(pivot) < DBL_MIN / DBL_EPSILON)
            pivot = -DBL_MIN / DBL_EPSILON;
        count += pivot < 0;
    }
    return count;
}

/* Eigenvalue number k of increasing ones, between `low` and `high`, to round-off of the largest. */
static double bisect(int n, const double *d, const double *e, int k, double low, double high) {
    double least = DBL_EPSILON / 2 * fmax(fabs(low), fabs(high));
    while (high - low > least) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (count_below(n, d, e, middle) > k)
            high = middle;
        else
            low = middle;
    }
    return low + (high - low) / 2;
}

/* Both triangles of A / 2^exponent, with entries up to 1, so that squares stay in range. False: not finite.
 */
static bool copy_scaled(int n, const double *A, double *copy, int *exponent) {
    double most = 0;
    bool finite = true;
    for (int i = 0; i < n; i++) {
        const double *row = A + (size_t)i * (size_t)n;
        most = fmax(most, ki_max_norm(i + 1, row));
        for (int j = 0; j <= i; j++)
            finite = finite && isfinite(row[j]);
    }
    frexp(most, exponent);
    for (int i = 0; i < n && finite; i++)
        for (int j = 0; j <= i; j++) {
            size_t below = (size_t)i * (size_t)n + (size_t)j, above = (size_t)j * (size_t)n + (size_t)i;
            copy[below] = copy[above] = ldexp(A[below], -*exponent);
        }
    return finite;
}

keel_status ki_eigenvalue_range(int n, const double *A, double *smallest, double *largest) {
    size_t size = (size_t)n;
    double *copy = malloc((size * size + 4 * size) * sizeof *copy);
    if (!copy)
        return KEEL_ERROR_MEMORY;
    double *d = copy + size * size, *e = d + size, *v = e + size, *w = v + size, low = 0, high = 0;
    int exponent;
    bool finite = copy_scaled(n, A, copy, &exponent);
    if (finite) {
        make_tridiagonal(n, copy, d, e, v, w);
        for (int i = 0; i < n; i++) { /* Gershgorin's circles */
            double around = (i ? fabs(e[i - 1]) : 0) + (i < n - 1 ? fabs(e[i]) : 0);
            low = fmin(low, d[i] - around);
            high = fmax(high, d[i] + around);
        }
        *smallest = ldexp(bisect(n, d, e, 0, low, high), exponent);
        *largest = ldexp(bisect(n, d, e, n - 1, low, high), exponent);
    }
    free(copy);
    return finite ? KEEL_OK : KEEL_ERROR_NOT_FINITE;
}

keel_status ki_smallest_eigenvalue(int n, const double *A, double *smallest) {
    double largest;
    return ki_eigenvalue_range(n, A, smallest, &largest);
}
