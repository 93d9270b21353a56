/* The sparse path: K = [A J^T; J -D] as one matrix, ordered once (ordering.h), its values copied into the
 * panels of the factorization (panels.h) through slot maps. */
#include <stdlib.h>
#include <string.h>

#include "base/hints.h"
#include "linalg/augment.h"
#include "linalg/ordering.h"
#include "linalg/saddle_sparse.h"

/* The unknowns of `order` alone, in the same order. */
static void order_A(ki_saddle_sparse *sparse) {
    int count = 0;
    for (int k = 0; k < sparse->n + sparse->m; k++)
        if (sparse->order[k] < sparse->n) {
            sparse->A_order[count] = sparse->order[k];
            sparse->A_place[sparse->order[k]] = count++;
        }
}

static void find_diagonal(ki_saddle_sparse *sparse, keel_pattern A) {
    for (int i = 0; i < A.rows; i++)
        for (int p = A.start[i]; p < A.start[i + 1]; p++)
            if (A.index[p] == i)
                sparse->diagonal[sparse->place[i]] = p;
    for (int i = 0; i < sparse->m; i++)
        sparse->diagonal[sparse->place[sparse->n + i]] = sparse->A_count + sparse->J_count + i;
}

static bool analyse_A(ki_saddle_sparse *sparse, keel_pattern A) {
    ki_lower lower;
    int *diagonal = malloc(((size_t)sparse->n + 1) * sizeof(int));
    bool made = ki_lower_make(&lower, A, (keel_pattern){0}, sparse->A_place) && diagonal;
    for (int i = 0; i < sparse->n && made; i++)
        diagonal[sparse->A_place[i]] = sparse->diagonal[sparse->place[i]];
    made = made && ki_ldl_analyse(&sparse->A, &lower, diagonal, &sparse->arena);
    free(diagonal);
    ki_lower_clear(&lower);
    return made;
}

static bool find_slots(ki_saddle_sparse *sparse, const ki_lower *lower) {
    int *panel_of = malloc(((size_t)lower->size + 1) * sizeof(int));
    const ki_panels *F = &sparse->panels;
    if (!panel_of)
        return false;
    ki_panels_of_columns(F, panel_of);
    for (int k = 0; k < lower->size; k++) {
        for (int p = lower->start[k]; p < lower->start[k + 1]; p++)
            sparse->slot[lower->source[p]] = ki_panels_slot(F, panel_of, k, lower->column[p]);
        sparse->slot[sparse->diagonal[k]] = ki_panels_slot(F, panel_of, k, k);
    }
    free(panel_of);
    return true;
}

static bool analyse(ki_saddle_sparse *sparse, keel_pattern A, keel_pattern J) {
    ki_arena *arena = &sparse->arena;
    int n = sparse->n = A.rows, m = sparse->m = J.rows, size = n + m;
    sparse->A_count = keel_pattern_count(A);
    sparse->J_count = keel_pattern_count(J);
    sparse->A_order = KI_NEW(arena, int, n);
    sparse->A_place = KI_NEW(arena, int, n);
    sparse->A_failed = KI_NEW(arena, bool, n);
    sparse->order = KI_NEW(arena, int, size);
    sparse->diagonal = KI_NEW(arena, int, size);
    sparse->place = KI_NEW(arena, int, size);
    sparse->b = KI_NEW(arena, double, size);
    sparse->slot = KI_NEW(arena, int, (size_t)sparse->A_count + (size_t)sparse->J_count + (size_t)m);
    if (arena->failed || !ki_order(A, J, sparse->order))
        return false;
    for (int k = 0; k < size; k++)
        sparse->place[sparse->order[k]] = k;
    order_A(sparse);
    find_diagonal(sparse, A);
    ki_lower lower;
    bool made = ki_lower_make(&lower, A, J, sparse->place) &&
                ki_panels_analyse(&sparse->panels, &lower, n, sparse->order, sparse->diagonal, arena) &&
                find_slots(sparse, &lower);
    ki_lower_clear(&lower);
    return made && analyse_A(sparse, A);
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
    return sparse->panels.multiplications;
}

long ki_saddle_sparse_entries(const ki_saddle_sparse *sparse) {
    return sparse->panels.entries;
}

/* The values into the panels, D with its sign. */
static void take_values(ki_saddle_sparse *sparse, const double *values) {
    ki_panels *F = &sparse->panels;
    const int count = sparse->A_count + sparse->J_count, *slot = sparse->slot;
    memset(F->value, 0, (size_t)F->value_count * sizeof(double));
    KI_UNROLL for (int p = 0; p < count; p++) F->value[slot[p]] = values[p];
    for (int p = count; p < count + sparse->m; p++)
        F->value[slot[p]] = -values[p];
}

int ki_saddle_sparse_numbers(keel_saddle *K, const double *values) {
    K->pivots.count = K->pivots.near = 0;
    K->pivots.overflow = false;
    take_values(K->sparse, values);
    return ki_panels_factor(&K->sparse->panels, values, &K->pivots, K->S_size);
}

keel_status ki_saddle_sparse_factor(keel_saddle *K) {
    K->D_factored = K->D;
    if (ki_saddle_sparse_is_plain(K) && ki_saddle_sparse_numbers(K, K->values) < 0)
        return KEEL_OK;
    return ki_saddle_is_finite(K) ? ki_augment_factor(K) : KEEL_ERROR_NOT_FINITE;
}

void ki_saddle_sparse_solve(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    const ki_saddle_sparse *sparse = K->sparse;
    const int *x_place = sparse->place, *y_place = sparse->place + K->n;
    double *b = sparse->b;
    KI_UNROLL for (int i = 0; i < K->n; i++) b[x_place[i]] = r[i];
    for (int i = 0; i < K->m; i++)
        b[y_place[i]] = s[i];
    ki_panels_solve(&sparse->panels, b);
    KI_UNROLL for (int i = 0; i < K->n; i++) x[i] = b[x_place[i]];
    for (int i = 0; i < K->m; i++)
        y[i] = b[y_place[i]];
}

void ki_saddle_sparse_apply(keel_saddle *K, double *x, double *y) {
    if (K->augment)
        ki_augment_right_side(K, y, x);
    ki_saddle_sparse_solve(K, x, y, x, y);
    if (K->augment)
        ki_augment_multipliers(K, y);
}

void ki_saddle_sparse_half(const keel_saddle *K, const double *b, double *t) {
    for (int i = 0; i < K->n; i++)
        t[K->sparse->A_place[i]] = b[i];
    ki_ldl_half(&K->sparse->A, t);
}

void ki_saddle_sparse_half_back(const keel_saddle *K, const double *t, double *x) {
    double *b = K->sparse->b;
    memcpy(b, t, (size_t)K->n * sizeof(double));
    ki_ldl_half_back(&K->sparse->A, b);
    for (int i = 0; i < K->n; i++)
        x[i] = b[K->sparse->A_place[i]];
}

void ki_saddle_sparse_pivots(const keel_saddle *K, double *pivot) {
    const ki_saddle_sparse *sparse = K->sparse;
    for (int i = 0; i < K->m; i++)
        pivot[i] = -1 / sparse->panels.d_inverse[sparse->place[K->n + i]];
}

bool ki_saddle_sparse_is_plain(const keel_saddle *K) {
    return !(K->augment && K->augment->active);
}

void ki_saddle_sparse_places(keel_saddle *K, ki_saddle_places *places) {
    places->panels = K->sparse->panels.value;
    places->d_inverse = K->sparse->panels.d_inverse;
}

void ki_saddle_sparse_clear(keel_saddle *K) {
    const ki_panels *F = &K->sparse->panels;
    memset(F->value, 0, (size_t)F->value_count * sizeof(double));
}
