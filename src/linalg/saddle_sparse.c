/* The sparse path: K = [A J^T; J -D] as one matrix, ordered once (ordering.h), its values copied into the
 * factorization through slot maps, L d L^T with a fixed pattern (ldl.h). */
#include <stdlib.h>
#include <string.h>

#include "linalg/augment.h"
#include "linalg/ordering.h"
#include "linalg/saddle_sparse.h"

/* Calls for each strictly lower entry of the permuted matrix; counts per row, or fills when `fill` is set. */
static void place_entry(ki_ldl *F, int a, int b, int source, int *next, bool fill) {
    int row = a > b ? a : b, column = a > b ? b : a;
    if (fill) {
        F->K_column[next[row]] = column;
        F->K_source[next[row]] = source;
    }
    next[row]++;
}

static void place_entries(ki_saddle_sparse *sparse, keel_pattern A, keel_pattern J, int *next, bool fill) {
    ki_ldl *F = &sparse->ldl;
    const int *place = sparse->place;
    for (int i = 0; i < A.rows; i++)
        for (int p = A.start[i]; p < A.start[i + 1]; p++) {
            if (A.index[p] == i)
                F->diagonal[place[i]] = p;
            else
                place_entry(F, place[i], place[A.index[p]], p, next, fill);
        }
    int J_source = keel_pattern_count(A), D_source = J_source + keel_pattern_count(J);
    for (int i = 0; i < J.rows; i++) {
        for (int p = J.start[i]; p < J.start[i + 1]; p++)
            place_entry(F, place[A.rows + i], place[J.index[p]], J_source + p, next, fill);
        F->diagonal[place[A.rows + i]] = D_source + i;
    }
}

/* The rows of the permuted matrix, each entry with the place of its value in [A | J | D]. */
static void build_matrix(ki_saddle_sparse *sparse, keel_pattern A, keel_pattern J, int *next) {
    ki_ldl *F = &sparse->ldl;
    memset(next, 0, (size_t)F->size * sizeof(int));
    for (int k = 0; k < F->size; k++)
        F->diagonal[k] = -1;
    place_entries(sparse, A, J, next, false);
    F->K_start[0] = 0;
    for (int k = 0; k < F->size; k++) {
        F->K_start[k + 1] = F->K_start[k] + next[k];
        next[k] = F->K_start[k];
    }
    place_entries(sparse, A, J, next, true);
}

static bool analyse(ki_saddle_sparse *sparse, keel_pattern A, keel_pattern J) {
    ki_arena *arena = &sparse->arena;
    ki_ldl *F = &sparse->ldl;
    int n = sparse->n = A.rows, m = sparse->m = J.rows, size = n + m;
    F->size = size;
    F->lead = n;
    sparse->order = KI_NEW(arena, int, size);
    sparse->place = KI_NEW(arena, int, size);
    sparse->row_of = KI_NEW(arena, int, m);
    sparse->b = KI_NEW(arena, double, size);
    F->K_start = KI_NEW(arena, int, size + 1);
    F->K_column = KI_NEW(arena, int, keel_pattern_count(A) + keel_pattern_count(J));
    F->K_source = KI_NEW(arena, int, keel_pattern_count(A) + keel_pattern_count(J));
    F->diagonal = KI_NEW(arena, int, size);
    if (arena->failed || !ki_order(A, J, sparse->order))
        return false;
    for (int k = 0; k < size; k++)
        sparse->place[sparse->order[k]] = k;
    for (int k = 0; k < m; k++)
        sparse->row_of[k] = sparse->order[n + k] - n;
    int *next = calloc((size_t)size + 1, sizeof(int));
    if (!next)
        return false;
    build_matrix(sparse, A, J, next);
    free(next);
    return ki_ldl_analyse(F, arena);
}

ki_saddle_sparse *ki_saddle_sparse_analyse(keel_pattern A, keel_pattern J) {
    ki_saddle_sparse *sparse = calloc(1, sizeof *sparse);
    if (!sparse)
        return NULL;
    ki_arena_init(&sparse->arena);
    if (analyse(sparse, A, J))
        return sparse;
    ki_saddle_sparse_free(sparse);
    return NULL;
}

void ki_saddle_sparse_free(ki_saddle_sparse *sparse) {
    if (!sparse)
        return;
    ki_arena_free(&sparse->arena);
    free(sparse);
}

double ki_saddle_sparse_work(const ki_saddle_sparse *sparse) {
    return sparse->ldl.multiplications;
}

long ki_saddle_sparse_entries(const ki_saddle_sparse *sparse) {
    return (long)sparse->ldl.start[sparse->ldl.size] + sparse->ldl.size;
}

int ki_saddle_sparse_numbers(keel_saddle *K, const double *values) {
    return ki_ldl_factor(&K->sparse->ldl, values, &K->pivots, K->sparse->row_of, K->S_size);
}

keel_status ki_saddle_sparse_factor(keel_saddle *K) {
    K->D_factored = K->D;
    bool augmented = K->augment && K->augment->active;
    if (!augmented && ki_saddle_sparse_numbers(K, K->values) < 0)
        return KEEL_OK;
    return ki_augment_factor(K);
}

void ki_saddle_sparse_solve(keel_saddle *K, double *x, double *y) {
    const ki_saddle_sparse *sparse = K->sparse;
    const int *x_place = sparse->place, *y_place = sparse->place + K->n;
    double *b = sparse->b;
    for (int i = 0; i < K->n; i++)
        b[x_place[i]] = x[i];
    for (int i = 0; i < K->m; i++)
        b[y_place[i]] = y[i];
    ki_ldl_solve(&sparse->ldl, b);
    for (int i = 0; i < K->n; i++)
        x[i] = b[x_place[i]];
    for (int i = 0; i < K->m; i++)
        y[i] = b[y_place[i]];
}

void ki_saddle_sparse_apply(keel_saddle *K, double *x, double *y) {
    if (K->augment)
        ki_augment_right_side(K, y, x);
    ki_saddle_sparse_solve(K, x, y);
    if (K->augment)
        ki_augment_multipliers(K, y);
}

void ki_saddle_sparse_half(const keel_saddle *K, const double *b, double *t) {
    for (int i = 0; i < K->n; i++)
        t[K->sparse->place[i]] = b[i];
    ki_ldl_half(&K->sparse->ldl, t);
}

void ki_saddle_sparse_half_back(const keel_saddle *K, const double *t, double *x) {
    double *b = K->sparse->b;
    memcpy(b, t, (size_t)K->n * sizeof(double));
    ki_ldl_half_back(&K->sparse->ldl, b);
    for (int i = 0; i < K->n; i++)
        x[i] = b[K->sparse->place[i]];
}

void ki_saddle_sparse_pivots(const keel_saddle *K, double *pivot) {
    for (int k = 0; k < K->m; k++)
        pivot[K->sparse->row_of[k]] = -1 / K->sparse->ldl.d_inverse[K->n + k];
}
