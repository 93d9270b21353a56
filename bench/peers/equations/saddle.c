/* [M J^T; J 0] by hand. Small: M = L L^T in the profile of M, W = L^-1 J^T, S = W^T W = R R^T. Large: band.h
 * where the problem has such a structure, KLU otherwise. */
#include "band.h"
#include "motion.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 45
}; /* unknowns n + m from which KLU is used; four-bar windows: N = 40 is large, 10 is small */

struct saddle {
    int n, m;
    keel_pattern M, J;
    double *x; /* [n + m] */
    /* small */
    int *first, *first_J; /* column at which row i of L, row k of W begins */
    double *L, *W, *S;    /* n x n, m x n, m x m; diagonals hold reciprocals */
    band *band;           /* large, if it can be had */
    /* large: compressed columns; entry k of M stands at M_at[k] and, mirrored, at M_mirror[k], J likewise */
    int *column, *row, *M_at, *M_mirror, *J_at, *J_mirror;
    double *value;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static void *room(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p)
        abort();
    return p;
}

/* ---- small ---- */

static void small_init(struct saddle *s) {
    size_t n = (size_t)s->n, m = (size_t)s->m;
    s->first = room(n, sizeof(int));
    s->first_J = room(m, sizeof(int));
    s->L = room(n * n, sizeof(double));
    s->W = room(n * m, sizeof(double));
    s->S = room(m * m, sizeof(double));
    for (int i = 0; i < s->n; i++)
        s->first[i] = s->M.index[s->M.start[i]];
    for (int k = 0; k < s->m; k++)
        s->first_J[k] = s->J.index[s->J.start[k]];
}

/* A = L L^T in place, row i beginning at first[i] (NULL: at 0); the diagonal becomes 1 / L_ii. */
static int cholesky(int n, const int *first, double *A) {
    for (int i = 0; i < n; i++) {
        double *row = A + i * n, diagonal = row[i];
        int begin = first ? first[i] : 0;
        for (int j = begin; j < i; j++) {
            const double *other = A + j * n;
            double sum = row[j];
            for (int k = first && first[j] > begin ? first[j] : begin; k < j; k++)
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

/* x = L \ x; x is zero before `begin`. */
static void forward(int n, const int *first, const double *L, int begin, double *x) {
    for (int i = begin; i < n; i++) {
        const double *row = L + i * n;
        double sum = x[i];
        for (int k = first && first[i] > begin ? first[i] : begin; k < i; k++)
            sum -= row[k] * x[k];
        x[i] = sum * row[i];
    }
}

/* x = L^T \ x. */
static void backward(int n, const int *first, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + i * n;
        x[i] *= row[i];
        for (int k = first ? first[i] : 0; k < i; k++)
            x[k] -= row[k] * x[i];
    }
}

static int small_factor(struct saddle *s, const double *M, const double *J) {
    int n = s->n, m = s->m;
    for (int i = 0; i < n; i++) {
        memset(s->L + i * n + s->first[i], 0, sizeof(double) * (size_t)(i - s->first[i] + 1));
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++)
            s->L[i * n + s->M.index[k]] = M[k];
    }
    if (cholesky(n, s->first, s->L))
        return 1;
    for (int i = 0; i < m; i++) {
        double *w = s->W + i * n;
        memset(w, 0, sizeof(double) * (size_t)n);
        for (int k = s->J.start[i]; k < s->J.start[i + 1]; k++)
            w[s->J.index[k]] = J[k];
        forward(n, s->first, s->L, s->first_J[i], w);
        for (int j = 0; j <= i; j++) {
            const double *other = s->W + j * n;
            double sum = 0;
            for (int k = s->first_J[i] > s->first_J[j] ? s->first_J[i] : s->first_J[j]; k < n; k++)
                sum += w[k] * other[k];
            s->S[i * m + j] = sum;
        }
    }
    return cholesky(m, NULL, s->S);
}

/* z = L \ x, S lambda = W^T z - lambda, x = L^T \ (z - W lambda). */
static void small_solve(struct saddle *s, double *x, double *lambda) {
    int n = s->n, m = s->m;
    forward(n, s->first, s->L, 0, x);
    for (int i = 0; i < m; i++) {
        double sum = -lambda[i];
        for (int k = s->first_J[i]; k < n; k++)
            sum += s->W[i * n + k] * x[k];
        lambda[i] = sum;
    }
    forward(m, NULL, s->S, 0, lambda);
    backward(m, NULL, s->S, lambda);
    for (int i = 0; i < m; i++)
        for (int k = s->first_J[i]; k < n; k++)
            x[k] -= s->W[i * n + k] * lambda[i];
    backward(n, s->first, s->L, x);
}

/* ---- large ---- */

/* Calls put(saddle, row, column, where) for every entry of the matrix, those of M and J with their numbers.
 */
static void each_entry(struct saddle *s, void (*put)(struct saddle *, int, int, int *)) {
    for (int i = 0; i < s->n; i++)
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++) {
            put(s, i, s->M.index[k], &s->M_at[k]);
            s->M_mirror[k] = s->M_at[k];
            if (s->M.index[k] != i)
                put(s, s->M.index[k], i, &s->M_mirror[k]);
        }
    for (int i = 0; i < s->m; i++)
        for (int k = s->J.start[i]; k < s->J.start[i + 1]; k++) {
            put(s, s->n + i, s->J.index[k], &s->J_at[k]);
            put(s, s->J.index[k], s->n + i, &s->J_mirror[k]);
        }
}

static void count_entry(struct saddle *s, int i, int j, int *where) {
    (void)i, (void)where;
    s->column[j + 1]++;
}

/* Places an entry at the end of what column j has so far; column[j] moves on. */
static void place_entry(struct saddle *s, int i, int j, int *where) {
    *where = s->column[j]++;
    s->row[*where] = i;
}

static void large_init(struct saddle *s) {
    int size = s->n + s->m;
    size_t in_M = (size_t)s->M.start[s->n], in_J = (size_t)s->J.start[s->m];
    s->column = room((size_t)size + 2, sizeof(int));
    s->row = room(2 * (in_M + in_J), sizeof(int));
    s->value = room(2 * (in_M + in_J), sizeof(double));
    s->M_at = room(in_M, sizeof(int)), s->M_mirror = room(in_M, sizeof(int));
    s->J_at = room(in_J, sizeof(int)), s->J_mirror = room(in_J, sizeof(int));
    each_entry(s, count_entry);
    for (int j = 0; j < size; j++)
        s->column[j + 1] += s->column[j];
    each_entry(s, place_entry);
    for (int j = size; j > 0; j--) /* every start has moved to its end */
        s->column[j] = s->column[j - 1];
    s->column[0] = 0;
    klu_defaults(&s->common);
    s->common.scale = 0; /* the rows are of one size: saves an eighth of the time */
    s->symbolic = klu_analyze(size, s->column, s->row, &s->common);
}

static int large_factor(struct saddle *s, const double *M, const double *J) {
    for (int k = 0; k < s->M.start[s->n]; k++)
        s->value[s->M_at[k]] = s->value[s->M_mirror[k]] = M[k];
    for (int k = 0; k < s->J.start[s->m]; k++)
        s->value[s->J_at[k]] = s->value[s->J_mirror[k]] = J[k];
    if (s->numeric && klu_refactor(s->column, s->row, s->value, s->symbolic, s->numeric, &s->common) &&
        klu_rcond(s->symbolic, s->numeric, &s->common) && s->common.rcond > 1e-14)
        return 0;
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(s->column, s->row, s->value, s->symbolic, &s->common);
    return s->numeric == NULL;
}

static void large_solve(struct saddle *s, double *x, double *lambda) {
    memcpy(s->x, x, sizeof(double) * (size_t)s->n);
    memcpy(s->x + s->n, lambda, sizeof(double) * (size_t)s->m);
    klu_solve(s->symbolic, s->numeric, s->n + s->m, 1, s->x, &s->common);
    memcpy(x, s->x, sizeof(double) * (size_t)s->n);
    memcpy(lambda, s->x + s->n, sizeof(double) * (size_t)s->m);
}

/* ---- both ---- */

struct saddle *saddle_new(const keel_system *system) {
    struct saddle *s = room(1, sizeof *s);
    s->n = system->n_v, s->m = system->n_h, s->M = system->M, s->J = system->J;
    s->x = room((size_t)(s->n + s->m), sizeof(double));
    if (s->n + s->m < SMALL)
        small_init(s);
    else if (!(s->band = band_new(system)))
        large_init(s);
    return s;
}

int saddle_factor(struct saddle *s, const double *M, const double *J) {
    if (s->L)
        return small_factor(s, M, J);
    return s->band ? band_factor(s->band, M, J) : large_factor(s, M, J);
}

void saddle_solve(struct saddle *s, double *x, double *lambda) {
    if (s->L)
        small_solve(s, x, lambda);
    else if (s->band)
        band_solve(s->band, x, lambda);
    else
        large_solve(s, x, lambda);
}

void saddle_free(struct saddle *s) {
    if (!s)
        return;
    if (s->symbolic) {
        klu_free_numeric(&s->numeric, &s->common);
        klu_free_symbolic(&s->symbolic, &s->common);
    }
    band_free(s->band);
    void *owned[] = {s->x,   s->first, s->first_J,  s->L,    s->W,        s->S,    s->column,
                     s->row, s->M_at,  s->M_mirror, s->J_at, s->J_mirror, s->value};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(s);
}
