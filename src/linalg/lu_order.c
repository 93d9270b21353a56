/* The order of elimination of a Newton matrix with constraints: that of a saddle-point system (ordering.h)
 * whose A has an entry wherever the matrix or its transpose has one. Its rows come after the unknowns that
 * they touch, where their pivots are as large as those of a Schur complement. */
#include <stdlib.h>

#include "linalg/lu_internal.h"
#include "linalg/ordering.h"

typedef struct matrix {
    keel_pattern all;
    int first, count; /* of the constraints */
} matrix;

static bool is_constraint(const matrix *A, int i) {
    return i >= A->first && i < A->first + A->count;
}

/* The number of an unknown, or of a constraint, among its kind. */
static int among(const matrix *A, int i) {
    if (is_constraint(A, i))
        return i - A->first;
    return i < A->first ? i : i - A->count;
}

/* One entry of row i, counted in next[], or written when index is there; both of a pair of unknowns go to the
 * row of the later one, those between constraint and unknown to the row of the constraint. */
static void take(const matrix *A, int i, int j, bool of_constraints, int *next, int *index) {
    bool from = is_constraint(A, i), to = is_constraint(A, j);
    if ((from && to) || (from || to) != of_constraints)
        return;
    int row = of_constraints ? (from ? i : j) : (i > j ? i : j), column = row == i ? j : i;
    int *place = &next[among(A, row)];
    if (index)
        index[*place] = among(A, column);
    ++*place;
}

static void walk(const matrix *A, bool of_constraints, int *next, int *index) {
    for (int i = 0; i < A->all.rows; i++)
        for (int p = A->all.start[i]; p < A->all.start[i + 1]; p++)
            take(A, i, A->all.index[p], of_constraints, next, index);
}

/* Sorted rows without what comes twice; an entry that the matrix and its transpose have is taken twice. */
static int compare(const void *a, const void *b) {
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void tidy(int rows, int *start, int *index) {
    int kept = 0;
    for (int i = 0, begin = 0; i < rows; i++) {
        int end = start[i + 1], from = kept;
        qsort(index + begin, (size_t)(end - begin), sizeof *index, compare);
        for (int p = begin; p < end; p++)
            if (kept == from || index[kept - 1] != index[p])
                index[kept++] = index[p];
        begin = end;
        start[i + 1] = kept;
    }
}

static keel_pattern part_of(ki_arena *arena, const matrix *A, bool of_constraints) {
    int unknowns = A->all.rows - A->count, rows = of_constraints ? A->count : unknowns;
    int *start = KI_NEW(arena, int, rows + 1), *next = KI_NEW(arena, int, rows + 1),
        *index = KI_NEW(arena, int, keel_pattern_count(A->all));
    if (start && next && index) {
        walk(A, of_constraints, next, NULL);
        for (int i = 0; i < rows; i++) {
            start[i + 1] = start[i] + next[i];
            next[i] = start[i];
        }
        walk(A, of_constraints, next, index);
        tidy(rows, start, index);
    }
    return (keel_pattern){rows, unknowns, start, index};
}

bool ki_lu_order(keel_pattern pattern, int first, int count, int *order) {
    matrix M = {.all = pattern, .first = first, .count = count};
    int unknowns = pattern.rows - count;
    ki_arena arena;
    ki_arena_init(&arena);
    keel_pattern A = part_of(&arena, &M, false), J = part_of(&arena, &M, true);
    bool made = !arena.failed && ki_order(A, J, order);
    for (int k = 0; made && k < pattern.rows; k++) {
        int i = order[k];
        order[k] = i >= unknowns ? i - unknowns + first : i < first ? i : i + count;
    }
    ki_arena_free(&arena);
    return made;
}
