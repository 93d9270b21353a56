/* Eliminating a connected part of A (a body, or bodies coupled by mass) couples all constraints that touch
 * it: the pattern of S = J A^-1 J^T is the union of these cliques. Both A and S are ordered by approximate
 * minimum degree (Amestoy, Davis, Duff 1996). For block-diagonal A the fill is that of the best interleaved
 * order, since eliminating a body early or late adds the same clique. */
#include "linalg/ordering.h"

#include <amd.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/* Counts the entries of S, or writes them when S_index is there. -1 if there are more than an int can count.
 */
static int walk_S(ordering *O) {
    int m = O->J.rows;
    long count = 0;
    unmark(O, m);
    for (int i = 0; i < m; i++) {
        O->S_start[i] = (int)count;
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
        if (count > INT_MAX)
            return -1;
    }
    O->S_start[m] = (int)count;
    return (int)count;
}

static bool find_S(ordering *O) {
    int count = walk_S(O);
    if (count < 0)
        return false;
    O->S_index = malloc(((size_t)count + 1) * sizeof(int));
    return O->S_index && walk_S(O) >= 0;
}

/* Minimum degree order of a symmetric pattern, its lower or upper triangle given; numbers shifted by `first`.
 */
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
    bool made = allocate(&O);
    if (made) {
        find_parts(A, O.part);
        find_touched(&O);
        made = find_S(&O) && minimum_degree(A.rows, A.start, A.index, 0, O.result, order) &&
               minimum_degree(J.rows, O.S_start, O.S_index, A.rows, O.result, order + A.rows);
    }
    release(&O);
    return made;
}
