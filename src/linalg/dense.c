#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* A pivot this much smaller than what it was made from is round-off. */
static const double PIVOT_NOISE = 1e-14;

/* Two doubles at any address: vectors of the compiler, so that the order of summation does not depend on it.
 */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

double ki_dot_long(int n, const double *a, const double *b) {
    pair first = {0, 0}, second = {0, 0};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        first += *(const pair *)(a + i) * *(const pair *)(b + i);
        second += *(const pair *)(a + i + 2) * *(const pair *)(b + i + 2);
    }
    first += second;
    double sum = first[0] + first[1];
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void ki_axpy_long(int n, double a, const double *x, double *y) {
    pair both = {a, a};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        *(pair *)(y + i) += both * *(const pair *)(x + i);
        *(pair *)(y + i + 2) += both * *(const pair *)(x + i + 2);
    }
    for (; i < n; i++)
        y[i] += a * x[i];
}

int ki_dense_cholesky(int n, double *A) {
    for (int i = 0; i < n; i++) {
        double *row = A + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) {
            const double *above = A + (size_t)j * (size_t)n;
            row[j] = (row[j] - ki_dot(j, row, above)) / above[j];
        }
        double pivot = row[i] - ki_dot(i, row, row);
        if (!(pivot > PIVOT_NOISE * row[i]) || !isfinite(pivot))
            return i;
        row[i] = sqrt(pivot);
    }
    return -1;
}

void ki_dense_cholesky_solve(int n, const double *L, double *b) {
    for (int i = 0; i < n; i++) {
        const double *row = L + (size_t)i * (size_t)n;
        b[i] = (b[i] - ki_dot(i, row, b)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + (size_t)i * (size_t)n;
        b[i] /= row[i];
        ki_axpy(i, -b[i], row, b);
    }
}

static void swap_rows(int n, double *a, double *b) {
    for (int i = 0; i < n; i++) {
        double keep = a[i];
        a[i] = b[i];
        b[i] = keep;
    }
}

/* Column by column, so that each pivot can be compared with the column it came from: a test that does not
 * depend on the units of the unknowns. */
int ki_dense_lu_factor(int n, double *A, int *pivot) {
    for (int k = 0; k < n; k++) {
        double before = 0;
        for (int i = 0; i < n; i++) {
            double size = fabs(A[(size_t)i * (size_t)n + (size_t)k]);
            if (!isfinite(size))
                return k;
            before = size > before ? size : before;
        }
        /* column k <- L \ column k */
        int best = k;
        for (int i = 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)n;
            for (int j = 0; j < i && j < k; j++)
                row[k] -= row[j] * A[(size_t)j * (size_t)n + (size_t)k];
            if (i > k && fabs(row[k]) > fabs(A[(size_t)best * (size_t)n + (size_t)k]))
                best = i;
        }
        pivot[k] = best;
        double *top = A + (size_t)k * (size_t)n;
        if (best != k)
            swap_rows(n, top, A + (size_t)best * (size_t)n);
        if (!(fabs(top[k]) > PIVOT_NOISE * before) || !isfinite(top[k]))
            return k;
        for (int i = k + 1; i < n; i++)
            A[(size_t)i * (size_t)n + (size_t)k] /= top[k];
    }
    return -1;
}

void ki_dense_lu_solve(int n, const double *A, const int *pivot, double *b) {
    /* b = L \ P b; the rows of L were exchanged together with those of A */
    for (int k = 0; k < n; k++) {
        double keep = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = keep;
    }
    for (int i = 1; i < n; i++)
        b[i] -= ki_dot(i, A + (size_t)i * (size_t)n, b);
    for (int i = n - 1; i >= 0; i--) {
        const double *row = A + (size_t)i * (size_t)n;
        b[i] = (b[i] - ki_dot(n - i - 1, row + i + 1, b + i + 1)) / row[i];
    }
}

double ki_reflection_make(int n, double *x, double *alpha) {
    double largest = ki_max_norm(n, x);
    *alpha = n > 0 ? x[0] : 0;
    if (n < 2 || largest == 0)
        return 0;
    /* v = x - alpha e_0 with alpha = -sign(x_0) |x|: no cancellation */
    double length = 0;
    for (int i = 0; i < n; i++)
        length += (x[i] / largest) * (x[i] / largest);
    length = largest * sqrt(length);
    *alpha = x[0] > 0 ? -length : length;
    double lead = x[0] - *alpha;
    for (int i = 1; i < n; i++)
        x[i] /= lead;
    x[0] = 1;
    return -lead / *alpha;
}

void ki_reflection_apply(int n, const double *v, double beta, double *x) {
    if (beta != 0)
        ki_axpy(n, -beta * ki_dot(n, v, x), v, x);
}

static double length_of(int length, const double *vector) {
    return sqrt(ki_dot(length, vector, vector));
}

static void divide(int length, double *vector, double by) {
    for (int i = 0; i < length; i++)
        vector[i] /= by;
}

double ki_orthogonalize(int count, int length, const double *q, int stride, double *vector) {
    double largest = ki_max_norm(length, vector);
    if (!(largest > 0))
        return 0;
    divide(length, vector, largest);
    double before = length_of(length, vector);
    /* twice is enough (Kahan, Parlett) */
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < count; j++) {
            const double *q_j = q + (size_t)j * (size_t)stride;
            ki_axpy(length, -ki_dot(length, q_j, vector), q_j, vector);
        }
    double after = length_of(length, vector);
    if (after > 0)
        divide(length, vector, after);
    return after / before;
}

int ki_orthonormalize(int count, int length, double *v, int stride, double least) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double *to = v + (size_t)kept * (size_t)stride;
        if (kept < i)
            memcpy(to, v + (size_t)i * (size_t)stride, (size_t)length * sizeof(double));
        if (ki_orthogonalize(kept, length, v, stride, to) > least)
            kept++;
    }
    return kept;
}

int ki_most_free(int count, int length, double *v, int n) {
    count = ki_orthonormalize(count, length, v, length, 1e-10);
    int best = 0;
    double most = 0;
    for (int i = 0; i < n; i++) {
        /* |P e_i|^2, P the projection onto the span */
        double share = 0;
        for (int j = 0; j < count; j++) {
            double v_ji = v[(size_t)j * (size_t)length + (size_t)i];
            share += v_ji * v_ji;
        }
        if (share > (1 + 1e-8) * most) {
            most = share;
            best = i;
        }
    }
    return best;
}

/* Rows become an orthonormal basis, the longest rest first; b follows: what the basis says of x is c_k = e_k
 * . x. A row that adds nothing only tells how far its b is off. */
double ki_least_squares(int m, int n, double *A, double *b, double least, double *x) {
    double most = 0, off = 0;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < m; i++)
        most = fmax(most, sqrt(ki_dot(n, A + (size_t)i * (size_t)n, A + (size_t)i * (size_t)n)));
    for (int done = 0; done < m; done++) {
        int best = done;
        double length = 0;
        for (int i = done; i < m; i++) {
            double rest = sqrt(ki_dot(n, A + (size_t)i * (size_t)n, A + (size_t)i * (size_t)n));
            if (rest > length)
                length = rest, best = i;
        }
        double *row = A + (size_t)done * (size_t)n, *other = A + (size_t)best * (size_t)n, swap = b[done];
        b[done] = b[best], b[best] = swap;
        for (int j = 0; best != done && j < n; j++)
            swap = row[j], row[j] = other[j], other[j] = swap;
        if (!(length > least * most)) {
            for (int i = done; i < m; i++)
                off += b[i] * b[i];
            break;
        }
        for (int j = 0; j < n; j++)
            row[j] /= length;
        b[done] /= length;
        for (int i = done + 1; i < m; i++) {
            double along = ki_dot(n, A + (size_t)i * (size_t)n, row);
            ki_axpy(n, -along, row, A + (size_t)i * (size_t)n);
            b[i] -= along * b[done];
        }
        ki_axpy(n, b[done], row, x);
    }
    return sqrt(off);
}
