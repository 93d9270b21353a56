#include "band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 16 };

/* S[slot] += J[a] J[b] / M[column], for every pair of rows that meet in a column. */
typedef struct product {
    int slot, a, b, column;
} product;

struct band {
    int n, m,
        width; /* S has entries with |i - j| <= width; row i keeps j = i - width .. i, its diagonal last */
    keel_pattern J;
    double *inverse; /* 1 / M, [n] */
    double *kept;    /* J, [entries] */
    double *S;       /* m x (width + 1); after factoring R, diagonals as reciprocals */
    product *products;
    int count;
};

static void *room(int count, size_t size) {
    void *p = calloc((size_t)(count > 0 ? count : 1), size);
    if (!p)
        abort();
    return p;
}

/* Lists all pairs of entries a, b in one column, b in the same row or an earlier one; counts them only, if
 * `products` is not there yet. */
static int pairs(band *z) {
    int count = 0;
    for (int i = 0; i < z->m; i++)
        for (int a = z->J.start[i]; a < z->J.start[i + 1]; a++)
            for (int j = i > z->width ? i - z->width : 0; j <= i; j++)
                for (int b = z->J.start[j]; b < z->J.start[j + 1]; b++)
                    if (z->J.index[a] == z->J.index[b]) {
                        if (z->products)
                            z->products[count] =
                                (product){i * (z->width + 1) + j - i + z->width, a, b, z->J.index[a]};
                        count++;
                    }
    return count;
}

/* The largest distance of two rows that meet in a column. */
static int width_of(const keel_pattern *J) {
    int *first = room(J->cols, sizeof *first), width = 0;
    for (int j = 0; j < J->cols; j++)
        first[j] = -1;
    for (int i = 0; i < J->rows; i++)
        for (int k = J->start[i]; k < J->start[i + 1]; k++) {
            int *f = &first[J->index[k]];
            if (*f < 0)
                *f = i;
            width = i - *f > width ? i - *f : width;
        }
    free(first);
    return width;
}

band *band_new(const keel_system *system) {
    if (keel_pattern_count(system->M) != system->n_v || width_of(&system->J) > WIDE)
        return NULL;
    band *z = room(1, sizeof *z);
    z->n = system->n_v, z->m = system->n_h, z->J = system->J, z->width = width_of(&system->J);
    z->inverse = room(z->n, sizeof(double));
    z->kept = room(keel_pattern_count(z->J), sizeof(double));
    z->S = room(z->m * (z->width + 1), sizeof(double));
    z->count = pairs(z);
    z->products = room(z->count, sizeof *z->products);
    pairs(z);
    return z;
}

void band_free(band *z) {
    if (!z)
        return;
    free(z->inverse), free(z->kept), free(z->S), free(z->products);
    free(z);
}

/* S = R R^T by rows. */
static int cholesky(band *z) {
    int w = z->width;
    for (int i = 0; i < z->m; i++) {
        double *row = z->S + i * (w + 1) + w - i; /* row[j] is S_ij */
        double diagonal = row[i];
        for (int j = i > w ? i - w : 0; j < i; j++) {
            const double *other = z->S + j * (w + 1) + w - j;
            double sum = row[j];
            for (int k = i > w ? i - w : 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = sum * other[j];
            diagonal -= row[j] * row[j];
        }
        if (!(diagonal > 0))
            return 1;
        row[i] = 1 / sqrt(diagonal);
    }
    return 0;
}

int band_factor(band *z, const double *M, const double *J) {
    for (int i = 0; i < z->n; i++)
        z->inverse[i] = 1 / M[i];
    memcpy(z->kept, J, sizeof(double) * (size_t)keel_pattern_count(z->J));
    memset(z->S, 0, sizeof(double) * (size_t)(z->m * (z->width + 1)));
    for (int k = 0; k < z->count; k++) {
        const product *p = &z->products[k];
        z->S[p->slot] += J[p->a] * J[p->b] * z->inverse[p->column];
    }
    return cholesky(z);
}

/* lambda = S \ lambda. */
static void solve_band(const band *z, double *lambda) {
    int w = z->width;
    for (int i = 0; i < z->m; i++) {
        const double *row = z->S + i * (w + 1) + w - i;
        double sum = lambda[i];
        for (int k = i > w ? i - w : 0; k < i; k++)
            sum -= row[k] * lambda[k];
        lambda[i] = sum * row[i];
    }
    for (int i = z->m - 1; i >= 0; i--) {
        const double *row = z->S + i * (w + 1) + w - i;
        lambda[i] *= row[i];
        for (int k = i > w ? i - w : 0; k < i; k++)
            lambda[k] -= row[k] * lambda[i];
    }
}

/* S lambda = J M^-1 x - lambda, x = M^-1 (x - J^T lambda). */
void band_solve(band *z, double *x, double *lambda) {
    const keel_pattern *J = &z->J;
    for (int i = 0; i < z->m; i++) {
        double sum = -lambda[i];
        for (int k = J->start[i]; k < J->start[i + 1]; k++)
            sum += z->kept[k] * z->inverse[J->index[k]] * x[J->index[k]];
        lambda[i] = sum;
    }
    solve_band(z, lambda);
    for (int i = 0; i < z->m; i++)
        for (int k = J->start[i]; k < J->start[i + 1]; k++)
            x[J->index[k]] -= z->kept[k] * lambda[i];
    for (int i = 0; i < z->n; i++)
        x[i] *= z->inverse[i];
}
