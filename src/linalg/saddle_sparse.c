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

/* Runs of places that no value goes to; above the diagonal of a square nothing is ever read. */
static bool find_blanks(ki_saddle_sparse *sparse) {
    const ki_panels *F = &sparse->panels;
    int values = sparse->A_count + sparse->J_count + sparse->m;
    bool *taken = calloc((size_t)F->value_count + 1, sizeof *taken);
    for (int p = 0; taken && p < values; p++)
        taken[sparse->slot[p]] = true;
    for (int s = 0; taken && s < F->count; s++)
        for (int i = 0; i < F->panel[s].width; i++)
            for (int j = i + 1; j < F->panel[s].width; j++)
                taken[F->panel[s].value + i * F->panel[s].width + j] = true;
    for (int pass = 0; taken && pass < 2; pass++) {
        sparse->blanks = 0;
        for (int i = 0; i < F->value_count; i++) {
            if (taken[i])
                continue;
            int first = i;
            while (i < F->value_count && !taken[i])
                i++;
            if (sparse->blank)
                sparse->blank[sparse->blanks] = (ki_blank){first, i};
            sparse->blanks++;
        }
        if (pass == 0)
            sparse->blank = KI_NEW(&sparse->arena, ki_blank, sparse->blanks);
    }
    bool made = taken && sparse->blank;
    free(taken);
    return made;
}

static bool analyse(ki_saddle_sparse *sparse, keel_pattern A, keel_pattern J, bool for_stages) {
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
    if (arena->failed || !(for_stages ? ki_order_for_stages : ki_order)(A, J, sparse->order))
        return false;
    for (int k = 0; k < size; k++)
        sparse->place[sparse->order[k]] = k;
    order_A(sparse);
    find_diagonal(sparse, A);
    ki_lower lower;
    bool made = ki_lower_make(&lower, A, J, sparse->place) &&
                ki_panels_analyse(&sparse->panels, &lower, n, sparse->order, sparse->diagonal, arena) &&
                find_slots(sparse, &lower) && find_blanks(sparse);
    ki_lower_clear(&lower);
    return made && (for_stages || analyse_A(sparse, A));
}

ki_saddle_sparse *ki_saddle_sparse_analyse(keel_pattern A, keel_pattern J, bool for_stages) {
    ki_saddle_sparse *sparse = calloc(1, sizeof *sparse);
    if (!sparse)
        return NULL;
    ki_arena_init(&sparse->arena);
    if (analyse(sparse, A, J, for_stages))
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

/* The values into the panels, D with its sign; zero where none of them goes. */
static void take_values(ki_saddle_sparse *sparse, const double *A, const double *J, const double *D) {
    double *value = sparse->panels.value;
    const int *slot = sparse->slot;
    for (int k = 0; k < sparse->blanks; k++)
        for (int i = sparse->blank[k].first; i < sparse->blank[k].end; i++)
            value[i] = 0;
    KI_UNROLL for (int p = 0; p < sparse->A_count; p++) value[slot[p]] = A[p];
    slot += sparse->A_count;
    KI_UNROLL for (int p = 0; p < sparse->J_count; p++) value[slot[p]] = J[p];
    slot += sparse->J_count;
    for (int i = 0; i < sparse->m; i++)
        value[slot[i]] = D ? -D[i] : 0;
}

int ki_saddle_sparse_numbers(keel_saddle *K, const double *values) {
    K->pivots.count = K->pivots.near = 0;
    K->pivots.overflow = false;
    int A_count = K->sparse->A_count;
    take_values(K->sparse, values, values + A_count, values + A_count + K->sparse->J_count);
    return ki_panels_factor(&K->sparse->panels, values, &K->pivots, K->S_size);
}

int ki_sparse_factor(ki_saddle_sparse *sparse, const double *A, const double *J, ki_pivots *pivots,
                     double *S_size) {
    take_values(sparse, A, J, NULL);
    return ki_panels_factor(&sparse->panels, A, pivots, S_size);
}

keel_status ki_saddle_sparse_factor(keel_saddle *K) {
    K->D_factored = K->D;
    if (ki_saddle_sparse_is_plain(K) && ki_saddle_sparse_numbers(K, K->values) < 0)
        return KEEL_OK;
    return ki_saddle_is_finite(K) ? ki_augment_factor(K) : KEEL_ERROR_NOT_FINITE;
}

void ki_sparse_solve(const ki_saddle_sparse *sparse, const double *r, const double *s, double *x, double *y) {
    const int n = sparse->n, m = sparse->m, *x_place = sparse->place, *y_place = sparse->place + n;
    double *b = sparse->b;
    KI_UNROLL for (int i = 0; i < n; i++) b[x_place[i]] = r[i];
    for (int i = 0; i < m; i++)
        b[y_place[i]] = s[i];
    ki_panels_solve(&sparse->panels, b);
    KI_UNROLL for (int i = 0; i < n; i++) x[i] = b[x_place[i]];
    for (int i = 0; i < m; i++)
        y[i] = b[y_place[i]];
}

void ki_saddle_sparse_solve(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    ki_sparse_solve(K->sparse, r, s, x, y);
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
