/* emit_entries.c - which entries of the factors exist. */
#include <string.h>

#include "native/emit_saddle.h"

static void eliminate_entries(bool *L, int size) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                if (*ki_entry(L, j, size, k) && *ki_entry(L, i, size, k))
                    *ki_entry(L, i, size, j) = true;
}

void ki_find_entries(ki_saddle_text *e) {
    int n = e->n, m = e->m;
    for (int i = 0; i < n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++)
            *ki_entry(e->L, i, n, e->A.index[p]) = true;
    for (int i = 0; i < m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
            *ki_entry(e->Y, e->J.index[p], m, i) = true;
    eliminate_entries(e->L, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int c = 0; *ki_entry(e->L, i, n, k) && c < m; c++)
                *ki_entry(e->Y, i, m, c) |= *ki_entry(e->Y, k, m, c);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; *ki_entry(e->Y, k, m, i) && j <= i; j++)
                *ki_entry(e->S, i, m, j) |= *ki_entry(e->Y, k, m, j);
    for (int i = 0; i < m; i++)
        *ki_entry(e->S, i, m, i) = true;
    eliminate_entries(e->S, m);
}

/* Values of A and J are there from the start, others come with the elimination. */
void ki_find_given(ki_saddle_text *e) {
    size_t n = (size_t)e->n, m = (size_t)e->m;
    memset(e->A_given, 0, n * n + n * m + m * m);
    for (int i = 0; i < e->n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++)
            *ki_entry(e->A_given, i, e->n, e->A.index[p]) = true;
    for (int i = 0; i < e->m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
            *ki_entry(e->Y_given, e->J.index[p], e->m, i) = true;
}

/* The ranges of saddle_dense.c, which decide how long its sums are. */
void ki_find_ranges(ki_saddle_text *e) {
    for (int k = 0; k < e->n; k++) {
        e->L_first[k] = e->A.index[e->A.start[k]];
        e->low[k] = e->m;
    }
    for (int i = 0; i < e->m; i++) {
        e->S_first[i] = i;
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++) {
            int k = e->J.index[p];
            e->low[k] = i < e->low[k] ? i : e->low[k];
            e->high[k] = i + 1;
        }
    }
    for (int k = 0; k < e->n; k++) {
        for (int j = e->L_first[k]; j < k; j++) {
            e->low[k] = e->low[j] < e->low[k] ? e->low[j] : e->low[k];
            e->high[k] = e->high[j] > e->high[k] ? e->high[j] : e->high[k];
        }
        e->low[k] = e->low[k] < e->high[k] ? e->low[k] : e->high[k];
        for (int i = e->low[k]; i < e->high[k]; i++)
            e->S_first[i] = e->low[k] < e->S_first[i] ? e->low[k] : e->S_first[i];
    }
}
