/* The null-space method for large sparse matrices: the basis R of the null space of J is an operator, never a
 * matrix.
 *
 * Rows T and columns C with a regular J_TC (row_choice.h, row_basis.h), the other columns I:
 *
 *     R w = (x_I = w, x_C = -J_TC^-1 J_TI w)          J R = 0
 *
 *     x_p:  x_C = J_TC^-1 s_T, x_I = 0                what the constraints dictate
 *     R^T A R w = R^T (r - A x_p)                     what is left along R
 *     x = x_p + R w
 *     J^T y = r - A x                                 what is left of the first block
 *
 * R^T A R is full for a chain, and its inverse has as many numbers as there are pairs of freedoms. But R w
 * and y also solve
 *
 *     [ A   J^T ] [R w]   [r - A x_p]
 *     [ J    0  ] [ y ] = [s - J x_p]          s - J x_p = 0 but for round-off
 *
 * whose sparse factors are at hand. w are the components of R w in I; R itself is applied only in that. (To
 * make the other components of R w anew from w, or y from J_TC^T y_T = (r - A x)_C, would carry the condition
 * of the block into the first block: from 500 bodies on every solution had to be refined.)
 *
 * The choice is kept until the pivots of J_TC have become ten times weaker, or fail. */
#include <math.h>
#include <string.h>

#include "linalg/row_choice.h"
#include "linalg/saddle_internal.h"

static const double WEAKER = 0.1;

void ki_null_operator_analyse(keel_saddle *K) {
    ki_null_operator *N = KI_NEW(&K->arena, ki_null_operator, 1);
    if (!N)
        return;
    N->scaled = KI_NEW(&K->arena, double, keel_pattern_count(K->J));
    N->least = KI_NEW(&K->arena, double, K->m);
    N->all = KI_NEW(&K->arena, bool, K->m);
    N->row = KI_NEW(&K->arena, int, K->m);
    N->column = KI_NEW(&K->arena, int, K->m);
    double **of_n[] = {&N->r, &N->w};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = KI_NEW(&K->arena, double, K->n);
    K->null_operator = N;
    N->choice = ki_row_choice_new(K->m, K->n);
    if (!ki_row_basis_init(&N->basis, K->J) || !N->choice)
        K->arena.failed = true;
}

void ki_null_operator_clear(keel_saddle *K) {
    if (!K->null_operator)
        return;
    ki_row_choice_free(K->null_operator->choice);
    ki_row_basis_clear(&K->null_operator->basis);
}

/* T and C by elimination of the rows of unit length. */
static keel_status choose(keel_saddle *K) {
    ki_null_operator *N = K->null_operator;
    ki_saddle_scale(K);
    for (int i = 0; i < K->m; i++) {
        N->all[i] = true;
        N->least[i] = K->settings.dependent;
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++)
            N->scaled[p] = K->J_values[p] * K->y_scale[i];
    }
    keel_status status = ki_row_choice_load(N->choice, K->J, N->scaled, NULL);
    if (!status)
        status = ki_row_choice_take(N->choice, N->all, N->least, K->m < K->n ? K->m : K->n);
    int rank = status ? 0 : ki_row_choice_count(N->choice);
    for (int k = 0; k < rank; k++) {
        N->row[k] = ki_row_choice_row(N->choice, k);
        N->column[k] = ki_row_choice_column(N->choice, k);
    }
    return status ? status : ki_row_basis_choose(&N->basis, rank, N->row, N->column);
}

keel_status ki_null_operator_factor(keel_saddle *K) {
    ki_null_operator *N = K->null_operator;
    N->ready = N->basis.rank && ki_row_basis_factor(&N->basis, K->J_values) &&
               ki_row_basis_quality(&N->basis) >= WEAKER * N->quality;
    if (N->ready)
        return KEEL_OK;
    keel_status status = choose(K);
    N->ready = !status && ki_row_basis_factor(&N->basis, K->J_values);
    N->quality = N->ready ? ki_row_basis_quality(&N->basis) : 0;
    return status; /* without a regular block the sparse factors alone have to do */
}

/* g <- r - A x */
static void subtract_A(const keel_saddle *K, const double *r, const double *x, double *g) {
    memcpy(g, r, (size_t)K->n * sizeof *g);
    for (int i = 0; i < K->n; i++)
        for (int p = K->A.start[i]; p < K->A.start[i + 1]; p++) {
            int j = K->A.index[p];
            g[i] -= K->A_values[p] * x[j];
            if (j != i)
                g[j] -= K->A_values[p] * x[i];
        }
}

/* s <- s - J x: round-off in the rows T, and what the other rows contradict them by */
static void subtract_J(const keel_saddle *K, const double *x, double *s) {
    for (int i = 0; i < K->m; i++)
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++)
            s[i] -= K->J_values[p] * x[K->J.index[p]];
}

void ki_null_operator_apply(keel_saddle *K, double *x, double *y) {
    ki_null_operator *N = K->null_operator;
    memcpy(N->r, x, (size_t)K->n * sizeof *x);
    ki_row_basis_solve(&N->basis, y, x);
    subtract_A(K, N->r, x, N->w);
    subtract_J(K, x, y);
    ki_saddle_sparse_apply(K, N->w, y);
    for (int i = 0; i < K->n; i++)
        x[i] += N->w[i];
}
