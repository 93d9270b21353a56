#include "linalg/augment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

/* A pivot of a light coordinate below this part of what all rows around could give it is held badly by the
 * rows that were chosen, perhaps for another configuration. */
static const double HELD_BADLY = 1e-6;

void ki_augment_free(ki_augment *augment) {
    if (!augment)
        return;
    ki_arena_free(&augment->widened.arena);
    ki_arena_free(&augment->arena);
    free(augment);
}

static bool create(keel_saddle *K) {
    ki_augment *G = calloc(1, sizeof *G);
    if (!G)
        return false;
    ki_arena_init(&G->arena);
    ki_arena_init(&G->widened.arena);
    bool **bool_of_n[] = {&G->light, &G->settled}, **bool_of_m[] = {&G->wanted, &G->chosen};
    double **of_n[] = {&G->around, &G->least, &G->z}, **of_m[] = {&G->w, &G->f};
    for (int i = 0; i < 3; i++)
        *of_n[i] = KI_NEW(&G->arena, double, K->n);
    for (int i = 0; i < 2; i++) {
        *bool_of_n[i] = KI_NEW(&G->arena, bool, K->n);
        *bool_of_m[i] = KI_NEW(&G->arena, bool, K->m);
        *of_m[i] = KI_NEW(&G->arena, double, K->m);
    }
    G->near = KI_NEW(&G->arena, int, K->m);
    G->z_at = KI_NEW(&G->arena, int, K->n);
    if (G->arena.failed) {
        ki_augment_free(G);
        return false;
    }
    K->augment = G;
    return true;
}

static void find_near(keel_saddle *K) {
    ki_augment *G = K->augment;
    G->near_count = 0;
    for (int k = 0; k < K->m; k++)
        for (int p = K->J.start[k]; p < K->J.start[k + 1]; p++)
            if (G->light[K->J.index[p]]) {
                G->near[G->near_count++] = k;
                break;
            }
}

/* The analysis for the rows wanted, in place of the one at hand, which stays if memory runs out. */
static bool analyse_again(keel_saddle *K) {
    ki_augment *G = K->augment;
    ki_widened widened = {0};
    ki_arena_init(&widened.arena);
    bool made = ki_augment_widen(K, G->wanted, &widened);
    ki_saddle_sparse *sparse = made ? ki_saddle_sparse_analyse(widened.A, K->J, false) : NULL;
    if (!sparse) {
        ki_arena_free(&widened.arena);
        memcpy(G->wanted, G->chosen, (size_t)K->m * sizeof(bool));
        return false;
    }
    ki_arena_free(&G->widened.arena);
    ki_saddle_sparse_free(K->sparse);
    memcpy(G->chosen, G->wanted, (size_t)K->m * sizeof(bool));
    G->widened = widened;
    G->active = true;
    K->sparse = sparse;
    find_near(K);
    return true;
}

/* 1 / sum_i J_ki^2 / A_ii over the coordinates with mass, at most A_ii / |J_k|^2: an entry of round-off does
 * not make the mass that is seen through it infinite. 0 if there is none. */
static double mass_seen(const keel_saddle *K, int k) {
    double sum = 0, most = 0;
    for (int p = K->J.start[k]; p < K->J.start[k + 1]; p++) {
        int i = K->J.index[p];
        double A_ii = K->A_values[K->A.start[i + 1] - 1];
        if (A_ii > 0 && K->J_values[p] != 0) {
            sum += K->J_values[p] * K->J_values[p] / A_ii;
            most = fmax(most, A_ii);
        }
    }
    most *= K->y_scale[k] * K->y_scale[k];
    return sum * most > 1 ? 1 / sum : most;
}

/* a_i >= w_k |J_k|^2 for the coordinates of row k */
static void tell_around(keel_saddle *K, int k) {
    ki_augment *G = K->augment;
    double size = G->w[k] / (K->y_scale[k] * K->y_scale[k]);
    for (int p = K->J.start[k]; p < K->J.start[k + 1]; p++) {
        double *a = &G->around[K->J.index[p]];
        *a = fmax(*a, size);
    }
}

/* w_k |J_k|^2 = max a_i for a row that sees no mass, but rows that have a weight; false if it does not. */
static bool ask_around(keel_saddle *K, int k) {
    ki_augment *G = K->augment;
    double size = 0;
    for (int p = K->J.start[k]; p < K->J.start[k + 1]; p++)
        size = fmax(size, G->around[K->J.index[p]]);
    G->w[k] = size * K->y_scale[k] * K->y_scale[k];
    if (size > 0)
        tell_around(K, k);
    return size > 0;
}

/* Forth and back: neighbours mostly have neighbouring numbers. */
static void spread_weights(keel_saddle *K) {
    enum { SWEEPS = 8 };
    ki_augment *G = K->augment;
    bool found = true;
    for (int sweep = 0; sweep < SWEEPS && found; sweep++) {
        found = false;
        for (int t = 0; t < G->near_count; t++) {
            int k = G->near[sweep % 2 ? G->near_count - 1 - t : t];
            if (G->w[k] == 0)
                found |= ask_around(K, k);
        }
    }
}

/* The mean of the masses. */
static double typical_mass(const keel_saddle *K) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < K->n; i++) {
        double A_ii = K->A_values[K->A.start[i + 1] - 1];
        sum += A_ii > 0 ? A_ii : 0;
        count += A_ii > 0;
    }
    return count > 0 ? sum / count : 1;
}

static void find_weights(keel_saddle *K) {
    ki_augment *G = K->augment;
    memset(G->around, 0, (size_t)K->n * sizeof(double));
    for (int t = 0; t < G->near_count; t++) {
        G->w[G->near[t]] = mass_seen(K, G->near[t]);
        tell_around(K, G->near[t]);
    }
    spread_weights(K);
    double typical = typical_mass(K);
    for (int t = 0; t < G->near_count; t++) {
        int k = G->near[t];
        if (G->w[k] == 0)
            G->w[k] = typical * K->y_scale[k] * K->y_scale[k];
        if (G->w[k] * K->D[k] > 0.5)
            G->w[k] = 0.5 / K->D[k];
        G->f[k] = 1 - G->w[k] * K->D[k];
    }
}

/* HELD_BADLY of sum_k w_k J_ki^2 over all rows, for light coordinates that are not settled */
static void find_least(keel_saddle *K) {
    ki_augment *G = K->augment;
    const int *place = K->sparse->A_place;
    memset(G->least, 0, (size_t)K->n * sizeof(double));
    for (int t = 0; t < G->near_count; t++) {
        int k = G->near[t];
        for (int p = K->J.start[k]; p < K->J.start[k + 1]; p++) {
            int i = K->J.index[p];
            if (G->light[i] && !G->settled[i])
                G->least[place[i]] += HELD_BADLY * G->w[k] * K->J_values[p] * K->J_values[p];
        }
    }
}

/* A + J^T W J, J and D F^-1 */
static void fill_values(keel_saddle *K) {
    ki_augment *G = K->augment;
    const ki_widened *V = &G->widened;
    int A_count = keel_pattern_count(V->A), J_count = keel_pattern_count(K->J);
    double *D = V->values + A_count + J_count;
    memset(V->values, 0, (size_t)A_count * sizeof(double));
    for (int p = 0; p < keel_pattern_count(K->A); p++)
        V->values[V->A_slot[p]] = K->A_values[p];
    for (int t = 0; t < V->term_count; t++) {
        ki_augment_term term = V->term[t];
        V->values[term.slot] += G->w[term.row] * K->J_values[term.first] * K->J_values[term.second];
    }
    memcpy(V->values + A_count, K->J_values, (size_t)J_count * sizeof(double));
    memcpy(D, K->D, (size_t)K->m * sizeof(double));
    for (int t = 0; t < G->near_count; t++)
        if (G->chosen[G->near[t]])
            D[G->near[t]] /= G->f[G->near[t]];
    K->D_factored = D;
}

/* The directions of the first failed pivots, in rows of `to` [most x n]; their number. */
static int collect_directions(keel_saddle *K, int most, double *to) {
    ki_augment *G = K->augment;
    const int *place = K->sparse->A_place, *order = K->sparse->A_order;
    int count = 0;
    for (int i = 0; i < K->n && count < most; i++) {
        if (!K->sparse->A_failed[place[i]])
            continue;
        int entries = ki_ldl_direction(&K->sparse->A, place[i], G->z_at, G->z);
        for (int c = 0; c < entries; c++)
            to[order[G->z_at[c]]] = G->z[c];
        to += K->n;
        count++;
    }
    return count;
}

/* The unknown that is most free in the directions of the failed pivots (some of them will do), or, without
 * memory for that, the first of them. */
static int culprit(keel_saddle *K) {
    enum { MOST = 64 };
    int first = 0;
    while (!K->sparse->A_failed[K->sparse->A_place[first]])
        first++;
    double *directions = calloc((size_t)K->n * MOST, sizeof(double));
    if (!directions)
        return first;
    int count = collect_directions(K, MOST, directions);
    int unknown = ki_most_free(count, K->n, directions, K->n);
    free(directions);
    return unknown;
}

/* Failed coordinates are content with what they have from now on; false if they were. */
static bool settle(keel_saddle *K) {
    ki_augment *G = K->augment;
    bool any = false;
    for (int i = 0; i < K->n; i++)
        if (K->sparse->A_failed[K->sparse->A_place[i]] && !G->settled[i])
            any = G->settled[i] = true;
    return any;
}

/* One attempt; true if all pivots of A are positive enough: those of A alone, to which rows of J that are
 * eliminated early can only add. */
static bool attempt(keel_saddle *K) {
    ki_augment *G = K->augment;
    ki_saddle_sparse *sparse = K->sparse;
    const double *values = K->values;
    if (G->active) {
        find_weights(K);
        find_least(K);
        fill_values(K);
        values = G->widened.values;
    }
    if (!ki_ldl_factor(&sparse->A, values, G->active ? G->least : NULL, sparse->A_failed))
        return false;
    int failed = ki_saddle_sparse_numbers(K, values);
    if (failed >= 0) /* by round-off: both are close to zero */
        sparse->A_failed[sparse->A_place[failed]] = true;
    return failed < 0;
}

keel_status ki_augment_factor(keel_saddle *K) {
    if (!K->augment && !create(K))
        return KEEL_ERROR_MEMORY;
    ki_saddle_scale(K);
    while (!attempt(K)) {
        int rows = ki_augment_choose_rows(K);
        if (rows < 0 || (rows > 0 && !analyse_again(K)))
            return KEEL_ERROR_MEMORY;
        if (rows == 0 && !settle(K)) {
            K->bad_pivot = culprit(K);
            return KEEL_ERROR_SINGULAR;
        }
    }
    return KEEL_OK;
}

void ki_augment_right_side(const keel_saddle *K, const double *s, double *x) {
    const ki_augment *G = K->augment;
    for (int t = 0; t < G->near_count; t++) {
        int k = G->near[t];
        for (int p = K->J.start[k]; p < K->J.start[k + 1] && G->chosen[k]; p++)
            x[K->J.index[p]] += K->J_values[p] * G->w[k] * s[k];
    }
}

void ki_augment_multipliers(const keel_saddle *K, double *y) {
    const ki_augment *G = K->augment;
    for (int t = 0; t < G->near_count; t++)
        if (G->chosen[G->near[t]])
            y[G->near[t]] /= G->f[G->near[t]];
}
