#include "linalg/column_choice.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A pivot is no smaller than this part of the largest entry that is left of its column. */
static const double THRESHOLD = 0.1;

/* Entries that cancel down to this are zero: those of the rows are of order one. */
static const double NOTHING = 1e-14;

struct ki_column_choice {
    keel_pattern J;
    int *start, *row, *entry; /* [n + 1], [entries], [entries] by columns */
    double *scale;            /* [m] 1 / length of the rows               */
    int *pivot_of;            /* [m] number of the pivot in a row, -1     */
    int *p, *q;               /* [m] rows and columns of the pivots       */
    int *depth;               /* [m] longest way of pivots to a row       */
    int *L_start, *L_row;     /* [m + 1], [room] of the columns of L, without their diagonal of one */
    double *L_value;
    int count, room;
    double *x;    /* [m] the column at work, zero in between */
    int *touched; /* [m] its rows: pivots first, in the order of elimination, from the end; others from the
                     start */
    int *stack, *next; /* [m] of the search */
    int *seen, search; /* [m] the last search that met a row */
};

ki_column_choice *ki_column_choice_new(keel_pattern J) {
    ki_column_choice *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    size_t m = (size_t)J.rows + 1, n = (size_t)J.cols + 1, count = (size_t)keel_pattern_count(J) + 1;
    c->J = J;
    c->start = calloc(n + 1, sizeof(int));
    c->row = calloc(count, sizeof(int));
    c->entry = calloc(count, sizeof(int));
    c->scale = calloc(m, sizeof(double));
    c->x = calloc(m, sizeof(double));
    int **of_m[] = {&c->pivot_of, &c->p,    &c->q,    &c->depth,  &c->touched,
                    &c->stack,    &c->next, &c->seen, &c->L_start};
    bool made = c->start && c->row && c->entry && c->scale && c->x;
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; k++)
        made = (*of_m[k] = calloc(m + 1, sizeof(int))) && made;
    if (!made) {
        ki_column_choice_free(c);
        return NULL;
    }
    for (int p = 0; p < keel_pattern_count(J); p++)
        c->start[J.index[p] + 2]++;
    for (int j = 0; j < J.cols; j++)
        c->start[j + 1] += c->start[j];
    for (int i = 0; i < J.rows; i++)
        for (int p = J.start[i]; p < J.start[i + 1]; p++) {
            int at = c->start[J.index[p] + 1]++;
            c->row[at] = i;
            c->entry[at] = p;
        }
    return c;
}

void ki_column_choice_free(ki_column_choice *c) {
    if (!c)
        return;
    void *all[] = {c->start,   c->row,   c->entry, c->scale, c->x,       c->pivot_of, c->p,       c->q,
                   c->touched, c->stack, c->next,  c->seen,  c->L_start, c->L_row,    c->L_value, c->depth};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(c);
}

static bool make_room(ki_column_choice *c, int more) {
    if (c->count + more <= c->room)
        return true;
    int room = 2 * c->room + more + 256;
    int *row = realloc(c->L_row, (size_t)room * sizeof *row);
    c->L_row = row ? row : c->L_row;
    double *value = realloc(c->L_value, (size_t)room * sizeof *value);
    c->L_value = value ? value : c->L_value;
    c->room = row && value ? room : c->room;
    return row && value;
}

/* Where a search from `row` leads: rows with a pivot go to touched[--*top], after all that follows from them;
 * others to touched[(*rest)++]. Depth first, without recursion. */
static void search(ki_column_choice *c, int row, int *top, int *rest) {
    int depth = 0;
    c->stack[0] = row;
    c->seen[row] = c->search;
    if (c->pivot_of[row] < 0) {
        c->touched[(*rest)++] = row;
        return;
    }
    c->next[0] = c->L_start[c->pivot_of[row]];
    while (depth >= 0) {
        int pivot = c->pivot_of[c->stack[depth]], end = c->L_start[pivot + 1], found = -1;
        while (c->next[depth] < end && found < 0) {
            int i = c->L_row[c->next[depth]++];
            if (c->seen[i] == c->search)
                continue;
            c->seen[i] = c->search;
            if (c->pivot_of[i] < 0)
                c->touched[(*rest)++] = i;
            else
                found = i;
        }
        if (found < 0) {
            c->touched[--*top] = c->stack[depth--];
        } else {
            c->stack[++depth] = found;
            c->next[depth] = c->L_start[c->pivot_of[found]];
        }
    }
}

/* x = L^-1 a_j in the rows without a pivot, touched[0 .. result - 1]; the others are zero again. *length of
 * a_j. */
static int eliminate(ki_column_choice *c, const double *values, int j, double *length) {
    int top = c->J.rows, rest = 0;
    double square = 0;
    c->search++;
    for (int k = c->start[j]; k < c->start[j + 1]; k++)
        if (c->seen[c->row[k]] != c->search)
            search(c, c->row[k], &top, &rest);
    for (int k = c->start[j]; k < c->start[j + 1]; k++) {
        double value = values[c->entry[k]] * c->scale[c->row[k]];
        c->x[c->row[k]] = value;
        square += value * value;
    }
    for (int k = top; k < c->J.rows; k++) {
        int i = c->touched[k], pivot = c->pivot_of[i];
        double x = c->x[i];
        c->x[i] = 0;
        for (int l = c->L_start[pivot]; x != 0 && l < c->L_start[pivot + 1]; l++)
            c->x[c->L_row[l]] -= c->L_value[l] * x;
    }
    *length = sqrt(square);
    return rest;
}

/* The row of the pivot among the `rest` touched ones, -1 if no more than `least` is left of the column. Of
 * those that are large enough the one that ends the shortest ways: a column that ties two chains of pivots
 * together goes on from the longer one, so that no way becomes longer than the logarithm of their number (as
 * trees of sets are joined by rank). */
static int choose_pivot(const ki_column_choice *c, int rest, double least) {
    double most = 0;
    int best = -1;
    for (int l = 0; l < rest; l++)
        most = fmax(most, fabs(c->x[c->touched[l]]));
    for (int l = 0; l < rest && most > least; l++) {
        int i = c->touched[l];
        if (!(fabs(c->x[i]) >= THRESHOLD * most))
            continue;
        bool better = best < 0 || c->depth[i] < c->depth[best];
        if (better || (c->depth[i] == c->depth[best] && fabs(c->x[i]) > fabs(c->x[best])))
            best = i;
    }
    return best;
}

/* Takes what is left as the next column of L; false when out of memory. */
static bool take(ki_column_choice *c, int k, int j, int pivot_row, int rest) {
    if (!make_room(c, rest))
        return false;
    c->p[k] = pivot_row;
    c->q[k] = j;
    c->pivot_of[pivot_row] = k;
    for (int l = 0; l < rest; l++) {
        int i = c->touched[l];
        if (i == pivot_row || !(fabs(c->x[i]) > NOTHING))
            continue;
        if (c->depth[i] <= c->depth[pivot_row])
            c->depth[i] = c->depth[pivot_row] + 1;
        c->L_row[c->count] = i;
        c->L_value[c->count++] = c->x[i] / c->x[pivot_row];
    }
    c->L_start[k + 1] = c->count;
    return true;
}

static void begin(ki_column_choice *c, const double *values) {
    for (int i = 0; i < c->J.rows; i++) {
        double square = 0;
        for (int p = c->J.start[i]; p < c->J.start[i + 1]; p++)
            square += values[p] * values[p];
        c->scale[i] = square > 0 ? 1 / sqrt(square) : 1;
        c->pivot_of[i] = -1;
        c->depth[i] = 0;
    }
    c->count = 0;
}

keel_status ki_column_choice_take(ki_column_choice *c, const double *values, const int *order, double least,
                                  int *rank, const int **row, const int **column) {
    int k = 0, most = c->J.rows < c->J.cols ? c->J.rows : c->J.cols;
    bool room = true;
    begin(c, values);
    for (int next = 0; next < c->J.cols && k < most && room; next++) {
        double length;
        int j = order[next], rest = eliminate(c, values, j, &length),
            pivot = choose_pivot(c, rest, least * length);
        if (pivot >= 0)
            room = take(c, k++, j, pivot, rest);
        for (int l = 0; l < rest; l++)
            c->x[c->touched[l]] = 0;
    }
    *rank = k;
    *row = c->p;
    *column = c->q;
    return room ? KEEL_OK : KEEL_ERROR_MEMORY;
}
