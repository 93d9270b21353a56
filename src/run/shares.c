/* shares.c - multipliers of all constraints from those held: held.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/held.h"
#include "run/simulation.h"

/* Rows with less than this part of a self-stress, in natural sizes, take no part in it. */
static const double LEAST_PART = 1e-10;

/* Of large systems: more rows than that are not projected as a full matrix. */
enum { MOST_IN_GROUP = 400 };

static int first_of(int *group, int i) {
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

static void unite(int *group, int i, int j) {
    int a = first_of(group, i), b = first_of(group, j);
    group[a > b ? a : b] = a < b ? a : b;
}

/* Rows that take part in the same self-stress share: of those that were not taken last. `parts` [m]: whether
 * a row does. */
static keel_status join(ki_independence *look, double *y, int *group, int *parts) {
    for (int d = 0; d < look->m; d++) {
        if (look->taken[d])
            continue;
        keel_status status = ki_self_stress_of(look, d, y);
        if (status)
            return status;
        for (int i = 0; i < look->m; i++) {
            if (!(fabs(y[i]) > LEAST_PART * look->scale[i]))
                continue;
            unite(group, i, d);
            parts[i] = parts[d] = 1;
        }
    }
    return KEEL_OK;
}

static bool same_joint(const keel_system *sys, int i, int j) {
    const char *const *joint = sys->names.joint;
    return joint && joint[i] && joint[j] && !strcmp(joint[i], joint[j]);
}

/* Which rows of a joint take part is a matter of the pose: drawn along the axes of the world some do not, and
 * do as soon as the mechanism has turned. So all of them share, or none. */
static void join_joints(const keel_system *sys, int m, int *group, const int *parts) {
    for (int first = 0, end; first < m; first = end) {
        int part = -1;
        for (end = first; end < m && (end == first || same_joint(sys, first, end)); end++)
            part = parts[end] ? end : part;
        for (int i = first; i < end && part >= 0; i++)
            unite(group, i, part);
    }
}

/* Numbers groups of more than one row, -1 for single ones; returns the size of the largest. `count` [m] is
 * scratch. */
static int number_groups(int m, int *group, int *count) {
    int groups = 0, largest = 0;
    memset(count, 0, (size_t)m * sizeof *count);
    for (int i = 0; i < m; i++)
        largest = ++count[first_of(group, i)] > largest ? count[first_of(group, i)] : largest;
    for (int i = 0; i < m; i++)
        group[i] = first_of(group, i);
    for (int i = 0; i < m; i++) /* count: the number of a group, below zero */
        if (group[i] == i)
            count[i] = count[i] > 1 ? -2 - groups++ : -1;
    for (int i = 0; i < m; i++)
        group[i] = count[group[i]] < -1 ? -2 - count[group[i]] : -1;
    return largest;
}

keel_status ki_find_sharing(ki_independence *look, ki_sharing **sharing) {
    int m = look->m;
    int *group = calloc((size_t)m + 1, sizeof *group), *count = calloc((size_t)m + 1, sizeof *count);
    double *y = calloc((size_t)m + 1, sizeof *y);
    keel_status status = group && count && y ? KEEL_OK : KEEL_ERROR_MEMORY;
    *sharing = NULL;
    for (int i = 0; !status && i < m; i++)
        group[i] = i;
    if (!status)
        status = join(look, y, group, count);
    if (!status)
        join_joints(look->system, m, group, count);
    if (!status && (number_groups(m, group, count) <= MOST_IN_GROUP || !look->large)) {
        *sharing = ki_sharing_new(look->system, look->taken, group);
        status = *sharing ? KEEL_OK : KEEL_ERROR_MEMORY;
    }
    free(group);
    free(count);
    free(y);
    return status;
}

/* ---- large systems without groups ---------------------------------------------------------------------- */

/* J_C^T by rows, into start [columns + 2] and index; h->slot tells where an entry of J goes. column_of[j]:
 * the number of column j in C, or -1. */
static keel_pattern transpose(ki_held *h, const int *column_of, int columns, int *start, int *index) {
    keel_pattern J = h->look.system->J;
    for (int k = 0; k < keel_pattern_count(J); k++)
        if (column_of[J.index[k]] >= 0)
            start[column_of[J.index[k]] + 2]++;
    for (int c = 0; c < columns; c++)
        start[c + 2] += start[c + 1];
    for (int i = 0; i < J.rows; i++)
        for (int k = J.start[i]; k < J.start[i + 1]; k++) {
            int c = column_of[J.index[k]];
            h->slot[k] = c < 0 ? -1 : start[c + 1]++;
            if (c >= 0)
                index[h->slot[k]] = i;
        }
    return (keel_pattern){columns, J.rows, start, index};
}

/* From the columns that were taken last. */
static keel_status prepare_columns(ki_held *h) {
    const ki_row_choice *choice = h->look.large;
    int m = h->look.m, n = h->look.n, entries = keel_pattern_count(h->look.system->J);
    int columns = ki_row_choice_count(choice);
    int *start = calloc((size_t)n + 3, sizeof *start), *index = calloc((size_t)entries + 1, sizeof *index);
    int *unit = calloc((size_t)m + 1, sizeof *unit), *column_of = calloc((size_t)n + 1, sizeof *column_of);
    keel_saddle_free(h->columns);
    h->columns = NULL;
    if (!h->slot) {
        h->slot = KI_NEW(&h->look.arena, int, entries);
        h->transposed = KI_NEW(&h->look.arena, double, entries);
        h->ones = KI_NEW(&h->look.arena, double, m);
        h->rest = KI_NEW(&h->look.arena, double, m + n);
    }
    if (start && index && unit && column_of && !h->look.arena.failed) {
        for (int j = 0; j < n; j++)
            column_of[j] = -1;
        for (int k = 0; k < columns; k++)
            column_of[ki_row_choice_column(choice, k)] = k;
        for (int i = 0; i <= m; i++)
            unit[i] = i;
        h->columns = keel_saddle_new((keel_pattern){m, m, unit, unit},
                                     transpose(h, column_of, columns, start, index), NULL);
    }
    free(start);
    free(index);
    free(unit);
    free(column_of);
    return h->columns ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static keel_status project(ki_held *h, const double *J) {
    int m = h->look.m;
    for (int k = 0; k < keel_pattern_count(h->look.system->J); k++)
        if (h->slot[k] >= 0)
            h->transposed[h->slot[k]] = J[k];
    for (int i = 0; i < m; i++)
        h->ones[i] = 1;
    keel_status status = keel_saddle_factor(h->columns, h->ones, h->transposed, NULL);
    if (!status)
        status = keel_saddle_solve(h->columns, h->lambda, NULL, h->rest, h->rest + m, NULL);
    if (status < 0) /* lambda as it is */
        return status == KEEL_ERROR_MEMORY ? status : KEEL_OK;
    for (int i = 0; i < m; i++)
        h->lambda[i] -= h->rest[i];
    return KEEL_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

keel_status ki_prepare_shares(ki_held *h, ki_sharing *sharing) {
    if (!sharing)
        return prepare_columns(h);
    if (h->shares_size < ki_sharing_size(sharing)) {
        h->shares_size = ki_sharing_size(sharing);
        h->shares = KI_NEW(&h->look.arena, double, h->shares_size);
    }
    return h->look.arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_expand_multipliers(keel_simulation *sim, const keel_point *at) {
    ki_held *h = &sim->held;
    const ki_selection *s = h->selection;
    const keel_system *sys = sim->system;
    memset(h->lambda, 0, (size_t)h->look.m * sizeof *h->lambda);
    for (int i = 0; i < h->look.rank; i++)
        h->lambda[s->row[i]] = at->lambda[i];
    keel_status status = KEEL_OK;
    h->gap_of_row = INFINITY;
    if (!h->look.large)
        h->gap_of_row = ki_take_rows(&h->look, at, s->held, &status);
    else if (sys->evaluate(sys, h->work, KEEL_JACOBIAN, at, &h->look.terms) < 0)
        status = KEEL_ERROR_CALLBACK;
    if (status)
        return status;
    if (!s->sharing)
        return project(h, h->look.terms.J);
    ki_sharing_find(s->sharing, h->look.terms.J, h->shares);
    ki_share(s->sharing, h->shares, h->lambda);
    return KEEL_OK;
}
