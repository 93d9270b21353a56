/* One-sided Jacobi: rotations of pairs of rows make all rows of A orthogonal (Hestenes 1958; Demmel and
 * Veselic, SIAM J. Matrix Anal. Appl. 13, 1992). With the product L of all rotations L A = S R. */
#include "linalg/singular_values.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/dense.h"

static void exchange(int n, double *x, double *y) {
    for (int k = 0; k < n; k++) {
        double old = x[k];
        x[k] = y[k];
        y[k] = old;
    }
}

/* x <- c x - s y, y <- s x + c y */
static void rotate(int n, double c, double s, double *x, double *y) {
    for (int k = 0; k < n; k++) {
        double old = x[k];
        x[k] = c * old - s * y[k];
        y[k] = s * old + c * y[k];
    }
}

typedef struct pair {
    double aa, ab, bb; /* products of two rows */
} pair;

/* Makes rows a and b orthogonal. False: they are, to round-off of the longest row of all. */
static bool turn_pair(int m, int n, pair p, double most, double *a, double *b, double *left_a,
                      double *left_b) {
    if (fabs(p.ab) <= DBL_EPSILON * sqrt(fmax(p.aa, p.bb)) * most)
        return false;
    double zeta = (p.bb - p.aa) / (2 * p.ab); /* of the tangent t: t^2 + 2 zeta t - 1 = 0, the smaller root */
    double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / hypot(1, t), s = c * t;
    rotate(n, c, s, a, b);
    rotate(m, c, s, left_a, left_b);
    return true;
}

/* All pairs once. */
static bool sweep(int m, int n, double *A, double *left, double most) {
    bool changed = false;
    for (int i = 0; i < m; i++)
        for (int j = i + 1; j < m; j++) {
            double *a = A + (size_t)i * (size_t)n, *b = A + (size_t)j * (size_t)n;
            pair p = {ki_dot(n, a, a), ki_dot(n, a, b), ki_dot(n, b, b)};
            changed =
                turn_pair(m, n, p, most, a, b, left + (size_t)i * (size_t)m, left + (size_t)j * (size_t)m) ||
                changed;
        }
    return changed;
}

/* By decreasing length; what is left of dependent rows comes last. */
static void sort(int m, int n, double *A, double *singular, double *left) {
    for (int i = 0; i < m; i++)
        singular[i] = sqrt(ki_dot(n, A + (size_t)i * (size_t)n, A + (size_t)i * (size_t)n));
    for (int i = 0; i < m; i++) {
        int most = i;
        for (int j = i + 1; j < m; j++)
            most = singular[j] > singular[most] ? j : most;
        if (most == i)
            continue;
        exchange(1, singular + i, singular + most);
        exchange(n, A + (size_t)i * (size_t)n, A + (size_t)most * (size_t)n);
        exchange(m, left + (size_t)i * (size_t)m, left + (size_t)most * (size_t)m);
    }
}

keel_status ki_singular_values(int m, int n, double *A, double *singular, double *left) {
    enum { MOST_SWEEPS = 60 }; /* six to ten are usual */
    memset(left, 0, (size_t)m * (size_t)m * sizeof *left);
    for (int i = 0; i < m; i++)
        left[(size_t)i * (size_t)m + (size_t)i] = 1;
    bool changed = true;
    for (int again = 0; changed && again < MOST_SWEEPS; again++) {
        sort(m, n, A, singular, left);
        changed = m > 0 && sweep(m, n, A, left, singular[0]);
    }
    sort(m, n, A, singular, left);
    return changed ? KEEL_ERROR_CONVERGENCE : KEEL_OK;
}
