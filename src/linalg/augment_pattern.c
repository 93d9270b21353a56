/* The pattern of A + J^T W J: a wanted row of J couples all unknowns that it touches. */
#include <limits.h>

#include "linalg/augment.h"

ki_columns ki_columns_of(const keel_saddle *K, const bool *wanted, ki_arena *arena) {
    keel_pattern J = K->J;
    int count = keel_pattern_count(J);
    ki_columns C = {KI_NEW(arena, int, K->n + 2), KI_NEW(arena, int, count), KI_NEW(arena, int, count)};
    if (arena->failed)
        return C;
    /* counts stand two places up: filling moves start[i + 1] from the beginning of column i to its end */
    for (int k = 0; k < J.rows; k++)
        for (int p = J.start[k]; p < J.start[k + 1] && (!wanted || wanted[k]); p++)
            C.start[J.index[p] + 2]++;
    for (int i = 0; i < K->n; i++)
        C.start[i + 2] += C.start[i + 1];
    for (int k = 0; k < J.rows; k++)
        for (int p = J.start[k]; p < J.start[k + 1] && (!wanted || wanted[k]); p++) {
            int place = C.start[J.index[p] + 1]++;
            C.entry[place] = p;
            C.row[place] = k;
        }
    return C;
}

typedef struct widener {
    const keel_saddle *K;
    ki_columns C;
    int *slot, *owner;  /* [n] place of column j in the row that owns it now */
    int entries, terms; /* so far                                            */
    int *index;         /* columns of the entries; NULL: counts only         */
    ki_widened *out;
} widener;

/* The slot of column j in row i. */
static int take_slot(widener *W, int i, int j) {
    if (W->owner[j] != i) {
        W->owner[j] = i;
        W->slot[j] = W->entries++;
        if (W->index)
            W->index[W->slot[j]] = j;
    }
    return W->slot[j];
}

/* Row i: the entries of A, then those of the wanted rows that touch unknown i. */
static void widen_row(widener *W, int i) {
    keel_pattern A = W->K->A, J = W->K->J;
    for (int p = A.start[i]; p < A.start[i + 1]; p++) {
        int slot = take_slot(W, i, A.index[p]);
        if (W->index)
            W->out->A_slot[p] = slot;
    }
    for (int c = W->C.start[i]; c < W->C.start[i + 1]; c++) {
        int first = W->C.entry[c], k = W->C.row[c];
        for (int second = J.start[k]; second <= first; second++) {
            int slot = take_slot(W, i, J.index[second]);
            if (W->index)
                W->out->term[W->terms] = (ki_augment_term){slot, k, first, second};
            W->terms++;
        }
    }
}

/* Counts, or writes when index is there. False if there are more than an int can count. */
static bool walk(widener *W, int *start) {
    W->entries = W->terms = 0;
    for (int i = 0; i < W->K->n; i++)
        W->owner[i] = -1;
    for (int i = 0; i < W->K->n; i++) {
        start[i] = W->entries;
        widen_row(W, i);
        if (W->entries > INT_MAX / 2 || W->terms > INT_MAX / 2)
            return false;
    }
    start[W->K->n] = W->entries;
    return true;
}

bool ki_augment_widen(const keel_saddle *K, const bool *wanted, ki_widened *widened) {
    ki_arena *arena = &widened->arena;
    widener W = {.K = K, .C = ki_columns_of(K, wanted, arena), .out = widened};
    W.slot = KI_NEW(arena, int, K->n);
    W.owner = KI_NEW(arena, int, K->n);
    int *start = KI_NEW(arena, int, K->n + 1);
    widened->A_slot = KI_NEW(arena, int, keel_pattern_count(K->A));
    if (arena->failed || !walk(&W, start))
        return false;
    W.index = KI_NEW(arena, int, W.entries);
    widened->term = KI_NEW(arena, ki_augment_term, W.terms);
    widened->values = KI_NEW(arena, double, W.entries + keel_pattern_count(K->J) + K->m);
    if (arena->failed)
        return false;
    walk(&W, start);
    widened->term_count = W.terms;
    widened->A = (keel_pattern){K->n, K->n, start, W.index};
    return true;
}
