/* Two orders are tried, and the one with less work is taken.
 *
 * Constraints last. Eliminating a connected part of A (a body, or bodies coupled by mass) couples all
 * constraints that touch it: the pattern of S = J A^-1 J^T is the union of these cliques. Both A and S are
 * ordered by approximate minimum degree (Amestoy, Davis, Duff 1996). For block-diagonal A the fill is that of
 * the best interleaved order, since eliminating a body early or late adds the same clique. But where mass
 * couples many bodies S is full.
 *
 * Constraints early. The unknowns are ordered by approximate minimum degree in the graph of A + J^T J, and
 * every constraint follows the last of its unknowns at once: what it couples are neighbours of these.
 *
 * Of equal ones the first is taken: near poses where many rows depend on each other it was measured to be the
 * more accurate one (40 four-bar windows in absolute coordinates over 20 s, twelve tolerances around 1e-10:
 * median error of 25 tolerances against 66). A postorder of the elimination tree, which changes nothing but
 * the neighbourhood, finishes it.
 */
#include "linalg/ordering.h"

#include <amd.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/symbolic.h"

typedef struct ordering {
    keel_pattern A, J;
    int *part;                    /* [n] connected part of A that an unknown belongs to                */
    int *mark;                    /* [max(n, m)]                                                       */
    int *touched, *touched_start; /* [entries of J], [m + 1]: parts that a constraint touches          */
    int *member, *member_start;   /* [entries of J], [n + 1]: constraints that touch a part, increasing */
    int *S_start, *S_index;       /* [m + 1], [entries]: pattern of S, strictly lower rows             */
    int *result;                  /* [max(n, m)]                                                       */
} ordering;

static int root_of(int *part, int i) {
    while (part[i] != i)
        i = part[i] = part[part[i]];
    return i;
}

static void find_parts(keel_pattern A, int *part) {
    for (int i = 0; i < A.rows; i++)
        part[i] = i;
    for (int i = 0; i < A.rows; i++)
        for (int p = A.start[i]; p < A.start[i + 1]; p++)
            part[root_of(part, i)] = root_of(part, A.index[p]);
    for (int i = 0; i < A.rows; i++)
        part[i] = root_of(part, i);
}

static void unmark(ordering *O, int count) {
    for (int i = 0; i < count; i++)
        O->mark[i] = -1;
}

/* Which parts each constraint touches, and the other way round. */
static void find_touched(ordering *O) {
    int n = O->A.rows, m = O->J.rows, count = 0;
    unmark(O, n);
    memset(O->member_start, 0, (size_t)(n + 1) * sizeof(int));
    for (int i = 0; i < m; i++) {
        O->touched_start[i] = count;
        for (int p = O->J.start[i]; p < O->J.start[i + 1]; p++) {
            int part = O->part[O->J.index[p]];
            if (O->mark[part] == i)
                continue;
            O->mark[part] = i;
            O->touched[count++] = part;
            O->member_start[part + 1]++;
        }
    }
    O->touched_start[m] = count;
    for (int part = 0; part < n; part++) {
        O->member_start[part + 1] += O->member_start[part];
        O->mark[part] = O->member_start[part];
    }
    for (int i = 0; i < m; i++)
        for (int p = O->touched_start[i]; p < O->touched_start[i + 1]; p++)
            O->member[O->mark[O->touched[p]]++] = i;
}

/* S with more entries than this, counted part by part, is not worth a try. */
static double most_of_S(const ordering *O) {
    return 1e5 + 64.0 * (O->A.rows + O->J.rows);
}

static bool is_S_small(const ordering *O) {
    double count = 0;
    for (int part = 0; part < O->A.rows; part++) {
        double members = O->member_start[part + 1] - O->member_start[part];
        count += 0.5 * members * members;
    }
    return count <= most_of_S(O);
}

/* Counts the entries of S, or writes them when S_index is there. */
static int walk_S(ordering *O) {
    int m = O->J.rows, count = 0;
    unmark(O, m);
    for (int i = 0; i < m; i++) {
        O->S_start[i] = count;
        for (int p = O->touched_start[i]; p < O->touched_start[i + 1]; p++) {
            const int *member = O->member + O->member_start[O->touched[p]];
            for (int k = 0; member[k] < i; k++) {
                if (O->mark[member[k]] == i)
                    continue;
                O->mark[member[k]] = i;
                if (O->S_index)
                    O->S_index[count] = member[k];
                count++;
            }
        }
    }
    O->S_start[m] = count;
    return count;
}

static bool find_S(ordering *O) {
    O->S_index = malloc(((size_t)walk_S(O) + 1) * sizeof(int));
    return O->S_index && walk_S(O) >= 0;
}

/* Minimum degree order of a symmetric pattern, its lower or upper triangle given, perhaps with entries twice;
 * numbers shifted by `first`. */
static bool minimum_degree(int size, const int *start, const int *index, int first, int *result, int *order) {
    if (size == 0)
        return true;
    int status = amd_order(size, start, index, result, NULL, NULL);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED)
        return false;
    for (int k = 0; k < size; k++)
        order[k] = first + result[k];
    return true;
}

static bool order_last(ordering *O, int *order) {
    keel_pattern A = O->A;
    return find_S(O) && minimum_degree(A.rows, A.start, A.index, 0, O->result, order) &&
           minimum_degree(O->J.rows, O->S_start, O->S_index, A.rows, O->result, order + A.rows);
}

/* Rows of J longer than this are left out of J^T J: what they couple comes late in any case. */
static int longest_row(const ordering *O) {
    return 16 + (int)(10 * sqrt(O->A.rows));
}

/* The pattern of A + J^T J: row i has the i-th row of A and, for each row of J, a clique of its columns, of
 * which every pair stands in the row of the later one. Counts per row in `next`, or writes when index is
 * there. */
static void walk_neighbours(const ordering *O, int *next, int *index) {
    for (int i = 0; i < O->A.rows; i++)
        for (int p = O->A.start[i]; p < O->A.start[i + 1]; p++, next[i]++)
            if (index)
                index[next[i]] = O->A.index[p];
    for (int k = 0; k < O->J.rows; k++) {
        int begin = O->J.start[k], end = O->J.start[k + 1];
        if (end - begin > longest_row(O))
            continue;
        for (int p = begin; p < end; p++)
            for (int q = begin; q < p; q++) {
                int *place = &next[O->J.index[p]];
                if (index)
                    index[*place] = O->J.index[q];
                ++*place;
            }
    }
}

/* Each row of J right after the last of its unknowns; place [n], first [n + 1] and following [m] are scratch:
 * the rows that follow the k-th unknown are first[k] and so on. */
static void insert_constraints(const ordering *O, const int *unknowns, int *place, int *first, int *following,
                               int *order) {
    int n = O->A.rows, count = 0;
    for (int k = 0; k < n; k++) {
        place[unknowns[k]] = k;
        first[k] = -1;
    }
    first[n] = -1;
    for (int i = O->J.rows - 1; i >= 0; i--) {
        int after = n; /* an empty row: at the end */
        for (int p = O->J.start[i]; p < O->J.start[i + 1]; p++) {
            int k = place[O->J.index[p]];
            after = after == n || k > after ? k : after;
        }
        following[i] = first[after];
        first[after] = i;
    }
    for (int k = 0; k <= n; k++) {
        if (k < n)
            order[count++] = unknowns[k];
        for (int i = first[k]; i >= 0; i = following[i])
            order[count++] = n + i;
    }
}

static bool order_early(ordering *O, int *order) {
    size_t n = (size_t)O->A.rows, m = (size_t)O->J.rows;
    int *start = calloc(3 * (n + 1) + m, sizeof(int)), *next = start ? start + n + 1 : NULL, *index = NULL;
    bool made = start;
    if (made) {
        walk_neighbours(O, next, NULL);
        for (size_t i = 0; i < n && made; i++) {
            made = start[i] <= INT_MAX - next[i];
            start[i + 1] = made ? start[i] + next[i] : 0;
            next[i] = start[i];
        }
    }
    if (made)
        index = malloc(((size_t)start[n] + 1) * sizeof(int));
    if (index)
        walk_neighbours(O, next, index);
    made = index && minimum_degree((int)n, start, index, 0, O->result, O->mark);
    if (made)
        insert_constraints(O, O->mark, next, start + 2 * (n + 1), start + 3 * (n + 1), order);
    free(index);
    free(start);
    return made;
}

bool ki_order_finish(keel_pattern A, keel_pattern J, int *order, double *work) {
    size_t size = (size_t)A.rows + (size_t)J.rows;
    ki_lower lower = {0};
    int *scratch = malloc((6 * size + 1) * sizeof(int));
    int *parent = scratch, *count = parent ? parent + size : NULL, *mark = count ? count + size : NULL;
    for (size_t k = 0; k < size && scratch; k++)
        mark[order[k]] = (int)k;
    bool made = scratch && ki_lower_make(&lower, A, J, mark);
    if (made) {
        made = ki_tree(&lower, parent, count, mark) >= 0;
        if (work)
            *work = ki_factor_work((int)size, count);
        ki_postorder((int)size, parent, count, order, mark);
    }
    ki_lower_clear(&lower);
    free(scratch);
    return made;
}

static bool allocate(ordering *O) {
    size_t n = (size_t)O->A.rows, m = (size_t)O->J.rows, entries = (size_t)keel_pattern_count(O->J);
    size_t most = n > m ? n : m;
    O->part = malloc((n + 1) * sizeof(int));
    O->mark = malloc((most + 1) * sizeof(int));
    O->touched = malloc((entries + 1) * sizeof(int));
    O->touched_start = malloc((m + 1) * sizeof(int));
    O->member = malloc((entries + 1) * sizeof(int));
    O->member_start = malloc((n + 1) * sizeof(int));
    O->S_start = malloc((m + 1) * sizeof(int));
    O->result = malloc((most + 1) * sizeof(int));
    return O->part && O->mark && O->touched && O->touched_start && O->member && O->member_start &&
           O->S_start && O->result;
}

static void release(ordering *O) {
    int *all[] = {O->part,         O->mark,    O->touched, O->touched_start, O->member,
                  O->member_start, O->S_start, O->S_index, O->result};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

bool ki_order(keel_pattern A, keel_pattern J, int *order) {
    ordering O = {.A = A, .J = J};
    size_t size = (size_t)A.rows + (size_t)J.rows;
    int *early = malloc((size + 1) * sizeof(int));
    double work_last = INFINITY, work_early = INFINITY;
    bool made = early && allocate(&O);
    if (made) {
        find_parts(A, O.part);
        find_touched(&O);
        made = order_early(&O, early) && ki_order_finish(A, J, early, &work_early);
        if (made && is_S_small(&O))
            made = order_last(&O, order) && ki_order_finish(A, J, order, &work_last);
    }
    if (made && work_early < work_last)
        memcpy(order, early, size * sizeof(int));
    release(&O);
    free(early);
    return made;
}
