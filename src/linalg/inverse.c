#include "linalg/inverse.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/four.h"

/* |A| |A^-1| (Frobenius) up to which an inverse serves: solutions are then good to ten digits, which is more
 * than Newton's method with derivatives of a nearby point can use. */
static const double WELL_CONDITIONED = 1e6;

KI_INLINE void exchange(int stride, double *a, double *b) {
    for (int j = 0; j < stride; j += KI_FOUR) {
        ki_four keep = *ki_four_at(a, j);
        *ki_four_at(a, j) = *ki_four_at(b, j);
        *ki_four_at(b, j) = keep;
    }
}

/* The sum of the squares of all entries; not finite if one of them is not. */
KI_INLINE double squares(int n, int stride, const double *A) {
    double sum = 0;
    for (int j = 0; j < stride; j += KI_FOUR) {
        ki_four part = {0, 0, 0, 0};
        for (int i = 0; i < n; i++) {
            ki_four x = *ki_const_four_at(A + (size_t)i * (size_t)stride, j);
            part += x * x;
        }
        sum += ki_four_sum(&part);
    }
    return sum;
}

/* Row exchanges become exchanges of the inverse's columns, in the opposite order: place [n] tells where each
 * of them is. Takes the rows that were exchanged with the first, second, ... */
KI_INLINE void find_places(int n, int *place) {
    int pivot[KI_INVERTED_MOST];
    for (int k = 0; k < n; k++) {
        pivot[k] = place[k];
        place[k] = k;
    }
    for (int k = n - 1; k >= 0; k--) {
        int keep = place[k];
        place[k] = place[pivot[k]];
        place[pivot[k]] = keep;
    }
}

/* The row at or below k with the largest entry in column k. */
KI_INLINE int pivot_row(int n, int stride, const double *A, int k) {
    int best = k;
    double most = -1;
    for (int i = k; i < n; i++) {
        double size = fabs(A[(size_t)i * (size_t)stride + (size_t)k]);
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    return best;
}

/* A row in registers, if its length is known. */
typedef struct row {
    ki_four of[KI_INVERTED_MOST / KI_FOUR];
} row;

/* Unknown k goes to the right-hand side: with row k divided by its pivot, top, and the inverse of that
 *
 *     row i <- row i - A_ik top,    A_ik <- -A_ik inverse
 *
 * A single number is never read back as a part of four: the processor would wait for it to reach the memory.
 */
KI_INLINE void take_from(double *A_i, int k, int stride, const row *top, double inverse) {
    double factor = A_i[k];
    for (int j = 0; j < stride; j += KI_FOUR)
        *ki_four_at(A_i, j) -= factor * top->of[j / KI_FOUR];
    A_i[k] = -factor * inverse;
}

KI_INLINE void eliminate(int n, int stride, double *A, int k) {
    double *A_k = A + (size_t)k * (size_t)stride, inverse = 1 / A_k[k];
    row top;
    for (int j = 0; j < stride; j += KI_FOUR)
        *ki_four_at(A_k, j) = top.of[j / KI_FOUR] = *ki_four_at(A_k, j) * inverse;
    for (int i = 0; i < k; i++)
        take_from(A + (size_t)i * (size_t)stride, k, stride, &top, inverse);
    for (int i = k + 1; i < n; i++)
        take_from(A + (size_t)i * (size_t)stride, k, stride, &top, inverse);
    A_k[k] = inverse;
}

/* Returns |A| |A^-1|. */
KI_INLINE double invert_rows(int n, int stride, double *A, int *place) {
    double before = squares(n, stride, A);
    for (int k = 0; k < n; k++) {
        int p = place[k] = pivot_row(n, stride, A, k);
        if (p != k)
            exchange(stride, A + (size_t)k * (size_t)stride, A + (size_t)p * (size_t)stride);
        eliminate(n, stride, A, k);
    }
    find_places(n, place);
    return sqrt(before) * sqrt(squares(n, stride, A));
}

KI_TWICE static double invert(int n, double *A, int *place) {
    switch (ki_padded(n)) {
    case 4:
        return invert_rows(n, 4, A, place);
    case 8:
        return invert_rows(n, 8, A, place);
    case 12:
        return invert_rows(n, 12, A, place);
    default:
        return invert_rows(n, 16, A, place);
    }
}

bool ki_invert(int n, double *A, int *place) {
    assert(n <= KI_INVERTED_MOST);
    return invert(n, A, place) <= WELL_CONDITIONED; /* false for NaN */
}

KI_INLINE int pivot_row_complex(int n, int stride, const double *re, const double *im, int k) {
    int best = k;
    double most = -1;
    for (int i = k; i < n; i++) {
        size_t p = (size_t)i * (size_t)stride + (size_t)k;
        double size = fabs(re[p]) + fabs(im[p]);
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    return best;
}

/* The same for the row u + iv, the top row x + iy and the inverse a + ib. */
KI_INLINE void take_from_complex(double *u, double *v, int k, int stride, const row *x, const row *y,
                                 double a, double b) {
    double c = u[k], d = v[k];
    for (int j = 0; j < stride; j += KI_FOUR) {
        *ki_four_at(u, j) -= c * x->of[j / KI_FOUR] - d * y->of[j / KI_FOUR];
        *ki_four_at(v, j) -= c * y->of[j / KI_FOUR] + d * x->of[j / KI_FOUR];
    }
    u[k] = d * b - c * a;
    v[k] = -c * b - d * a;
}

KI_INLINE void eliminate_complex(int n, int stride, double *re, double *im, int k) {
    double *u = re + (size_t)k * (size_t)stride, *v = im + (size_t)k * (size_t)stride;
    double square = u[k] * u[k] + v[k] * v[k], a = u[k] / square, b = -v[k] / square;
    row x, y;
    for (int j = 0; j < stride; j += KI_FOUR) {
        ki_four r = *ki_four_at(u, j), s = *ki_four_at(v, j);
        *ki_four_at(u, j) = x.of[j / KI_FOUR] = a * r - b * s;
        *ki_four_at(v, j) = y.of[j / KI_FOUR] = a * s + b * r;
    }
    for (int i = 0; i < k; i++)
        take_from_complex(re + (size_t)i * (size_t)stride, im + (size_t)i * (size_t)stride, k, stride, &x, &y,
                          a, b);
    for (int i = k + 1; i < n; i++)
        take_from_complex(re + (size_t)i * (size_t)stride, im + (size_t)i * (size_t)stride, k, stride, &x, &y,
                          a, b);
    u[k] = a;
    v[k] = b;
}

KI_INLINE double invert_rows_complex(int n, int stride, double *re, double *im, int *place) {
    double before = squares(n, stride, re) + squares(n, stride, im);
    for (int k = 0; k < n; k++) {
        int p = place[k] = pivot_row_complex(n, stride, re, im, k);
        if (p != k) {
            exchange(stride, re + (size_t)k * (size_t)stride, re + (size_t)p * (size_t)stride);
            exchange(stride, im + (size_t)k * (size_t)stride, im + (size_t)p * (size_t)stride);
        }
        eliminate_complex(n, stride, re, im, k);
    }
    find_places(n, place);
    return sqrt(before) * sqrt(squares(n, stride, re) + squares(n, stride, im));
}

KI_TWICE static double invert_complex(int n, double *re, double *im, int *place) {
    switch (ki_padded(n)) {
    case 4:
        return invert_rows_complex(n, 4, re, im, place);
    case 8:
        return invert_rows_complex(n, 8, re, im, place);
    case 12:
        return invert_rows_complex(n, 12, re, im, place);
    default:
        return invert_rows_complex(n, 16, re, im, place);
    }
}

bool ki_invert_complex(int n, double *re, double *im, int *place) {
    assert(n <= KI_INVERTED_MOST);
    return invert_complex(n, re, im, place) <= WELL_CONDITIONED;
}

KI_TWICE static void apply(int n, int stride, const double *A, const double *b, double *x) {
    for (int i = 0; i < stride; i += KI_FOUR) {
        ki_four sum = {0, 0, 0, 0};
        for (int j = 0; j < n; j++)
            sum += b[j] * *ki_const_four_at(A + (size_t)j * (size_t)stride, i);
        *ki_four_at(x, i) = sum;
    }
}

void ki_inverse_apply(int n, const double *A, const double *b, double *x) {
    apply(n, ki_padded(n), A, b, x);
}

KI_TWICE static void apply_complex(int n, int stride, const double *re, const double *im, const double *b_re,
                                   const double *b_im, double *x_re, double *x_im) {
    for (int i = 0; i < stride; i += KI_FOUR) {
        ki_four sum_re = {0, 0, 0, 0}, sum_im = {0, 0, 0, 0};
        for (int j = 0; j < n; j++) {
            const ki_four *u = ki_const_four_at(re + (size_t)j * (size_t)stride, i);
            const ki_four *v = ki_const_four_at(im + (size_t)j * (size_t)stride, i);
            sum_re += b_re[j] * *u - b_im[j] * *v;
            sum_im += b_re[j] * *v + b_im[j] * *u;
        }
        *ki_four_at(x_re, i) = sum_re;
        *ki_four_at(x_im, i) = sum_im;
    }
}

void ki_inverse_apply_complex(int n, const double *re, const double *im, const double *b_re,
                              const double *b_im, double *x_re, double *x_im) {
    apply_complex(n, ki_padded(n), re, im, b_re, b_im, x_re, x_im);
}
