/* dense.h - small dense matrices, row-major, in place, without allocation. */
#ifndef KI_DENSE_H
#define KI_DENSE_H

/* A = L L^T. Reads and overwrites the lower triangle of A [n x n]. Returns -1, or the first row whose pivot
 * is not positive beyond round-off (rows before it are factored). */
int ki_dense_cholesky(int n, double *A);

/* b <- A^-1 b with the factor above. */
void ki_dense_cholesky_solve(int n, const double *L, double *b);

/* P A = L U with row exchanges; pivot [n]. Returns -1, or the first column without a pivot beyond round-off.
 */
int ki_dense_lu_factor(int n, double *A, int *pivot);

/* b <- A^-1 b with the factor above. */
void ki_dense_lu_solve(int n, const double *A, const int *pivot, double *b);

/* A reflection H = I - beta v v^T with H x = alpha e_0. Overwrites x [n] by v, returns beta (0 if x needs no
 * reflection). */
double ki_reflection_make(int n, double *x, double *alpha);

/* x <- H x. */
void ki_reflection_apply(int n, const double *v, double beta, double *x);

/* Takes out of `vector` what the orthonormal q_0 .. q_{count-1} [each `length` long, `stride` apart] span,
 * and normalizes it. Returns the part of its length that was left; 0 for a zero vector, which stays zero. */
double ki_orthogonalize(int count, int length, const double *q, int stride, double *vector);

/* Makes the vectors v_0 .. v_{count-1} orthonormal in place. A vector that keeps no more than `least` of its
 * length after the earlier ones are taken out is dropped, the rest move up. Returns how many are left. */
int ki_orthonormalize(int count, int length, double *v, int stride, double least);

/* The coordinate below `n` that the span of v_0 .. v_{count-1} contains most of, the first one of equals: the
 * same for every basis. The vectors become orthonormal. */
int ki_most_free(int count, int length, double *v, int n);

/* The shortest x [n] with the least |A x - b|, A [m x n], b [m]; rows of A of which those before leave no
 * more than `least` of the longest row count as combinations of them. A is overwritten, b keeps what is left
 * of it; returns the length of that. */
double ki_least_squares(int m, int n, double *A, double *b, double least, double *x);

double ki_dot_long(int n, const double *a, const double *b);
void ki_axpy_long(int n, double a, const double *x, double *y);

/* Loops this short are fastest one by one. */
enum { KI_SHORT = 12 };

static inline double ki_dot(int n, const double *a, const double *b) {
    if (n > KI_SHORT)
        return ki_dot_long(n, a, b);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y <- y + a x */
static inline void ki_axpy(int n, double a, const double *x, double *y) {
    if (n > KI_SHORT) {
        ki_axpy_long(n, a, x, y);
        return;
    }
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* Largest magnitude. */
static inline double ki_max_norm(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double size = x[i] < 0 ? -x[i] : x[i];
        most = size > most ? size : most;
    }
    return most;
}

#endif
