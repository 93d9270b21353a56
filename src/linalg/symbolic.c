#include "linalg/symbolic.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Takes a strictly lower entry of the permuted matrix; counts per row, or fills when there are columns. */
static void take_entry(ki_lower *lower, int a, int b, int source, int *next) {
    int row = a > b ? a : b, column = a > b ? b : a;
    if (lower->column) {
        lower->column[next[row]] = column;
        lower->source[next[row]] = source;
    }
    next[row]++;
}

static void take_entries(ki_lower *lower, keel_pattern A, keel_pattern J, const int *place, int *next) {
    for (int i = 0; i < A.rows; i++)
        for (int p = A.start[i]; p < A.start[i + 1]; p++)
            if (A.index[p] != i)
                take_entry(lower, place[i], place[A.index[p]], p, next);
    int first = keel_pattern_count(A);
    for (int i = 0; i < J.rows; i++)
        for (int p = J.start[i]; p < J.start[i + 1]; p++)
            take_entry(lower, place[A.rows + i], place[J.index[p]], first + p, next);
}

bool ki_lower_make(ki_lower *lower, keel_pattern A, keel_pattern J, const int *place) {
    int size = A.rows + J.rows;
    size_t entries = (size_t)keel_pattern_count(A) + (size_t)keel_pattern_count(J);
    *lower = (ki_lower){.size = size, .start = calloc((size_t)size + 1, sizeof(int))};
    int *next = calloc((size_t)size + 1, sizeof(int));
    if (lower->start && next) {
        take_entries(lower, A, J, place, next);
        for (int k = 0; k < size; k++) {
            lower->start[k + 1] = lower->start[k] + next[k];
            next[k] = lower->start[k];
        }
        lower->column = malloc((entries + 1) * sizeof(int));
        lower->source = malloc((entries + 1) * sizeof(int));
    }
    bool made = lower->column && lower->source;
    if (made)
        take_entries(lower, A, J, place, next);
    free(next);
    return made;
}

void ki_lower_clear(ki_lower *lower) {
    free(lower->start);
    free(lower->column);
    free(lower->source);
}

/* Row k of L has the columns on the paths of the tree from the columns of K[k,:] up to k. Counts them in
 * next[], or, when `row` is given, writes k at next[] of each. */
static void walk_row(const ki_lower *lower, int k, int *parent, int *mark, int *next, int *row) {
    mark[k] = k;
    for (int p = lower->start[k]; p < lower->start[k + 1]; p++)
        for (int j = lower->column[p]; mark[j] != k; j = parent[j]) {
            if (parent[j] < 0)
                parent[j] = k;
            mark[j] = k;
            if (row)
                row[next[j]] = k;
            next[j]++;
        }
}

long ki_tree(const ki_lower *lower, int *parent, int *count, int *mark) {
    long total = 0;
    for (int j = 0; j < lower->size; j++) {
        parent[j] = mark[j] = -1;
        count[j] = 0;
    }
    for (int k = 0; k < lower->size; k++)
        walk_row(lower, k, parent, mark, count, NULL);
    for (int j = 0; j < lower->size; j++)
        total += count[j];
    return total > INT_MAX ? -1 : total;
}

double ki_factor_work(int size, const int *count) {
    double work = 0;
    for (int j = 0; j < size; j++)
        work += 0.5 * count[j] * (count[j] + 3.0);
    return work;
}

void ki_fill_columns(const ki_lower *lower, int *parent, int *mark, int *next, int *row) {
    for (int j = 0; j < lower->size; j++)
        mark[j] = -1;
    for (int k = 0; k < lower->size; k++)
        walk_row(lower, k, parent, mark, next, row);
}

/* Children of each node as a list from child[node] through sibling[], the one with most entries last. */
static void list_children(int size, const int *parent, const int *count, int *child, int *sibling) {
    for (int j = 0; j < size; j++)
        child[j] = sibling[j] = -1;
    for (int j = size - 1; j >= 0; j--) {
        if (parent[j] < 0)
            continue;
        int *head = &child[parent[j]];
        sibling[j] = *head;
        *head = j;
    }
    for (int node = 0; node < size; node++) {
        int *largest = &child[node], *last = &child[node];
        if (child[node] < 0)
            continue;
        for (int *link = &child[node]; *link >= 0; link = &sibling[*link]) {
            if (count[*link] > count[*largest])
                largest = link;
            last = &sibling[*link];
        }
        int moved = *largest;
        if (last == &sibling[moved])
            continue;
        *largest = sibling[moved];
        *last = moved;
        sibling[moved] = -1;
    }
}

void ki_postorder(int size, const int *parent, const int *count, int *order, int *scratch) {
    int *child = scratch, *sibling = scratch + size, *stack = scratch + 2 * size,
        *before = scratch + 3 * size, written = 0;
    list_children(size, parent, count, child, sibling);
    memcpy(before, order, (size_t)size * sizeof(int));
    for (int root = 0; root < size; root++) {
        int depth = 0;
        if (parent[root] < 0)
            stack[depth++] = root;
        while (depth > 0) {
            int node = stack[depth - 1], next = child[node];
            if (next >= 0) {
                child[node] = sibling[next];
                stack[depth++] = next;
            } else {
                order[written++] = before[node];
                depth--;
            }
        }
    }
}
