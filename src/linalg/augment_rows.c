/* Which rows of J hold the directions without mass.
 *
 * A z_j = 0 for the direction of the j-th failed pivot. B = J Z, its rows in units of their length, is
 * factored by columns with row exchanges,
 *
 *     P B = L U
 *
 * and the pivot rows are those that tell the directions apart best. A column that the columns before it leave
 * nothing of is a direction that no row holds, or that rows hold together with another one only.
 */
#include <math.h>

#include "linalg/augment.h"

/* What is left of a column below this is round-off. */
static const double NOTHING = 1e-10;

/* Rows as good as each other: the first one is taken, and neighbours choose alike. */
static const double AS_GOOD = 1 + 1e-8;

typedef struct chooser {
    keel_saddle *K;
    ki_arena arena;
    ki_columns J;
    double *work;                /* [m] the column at hand                         */
    bool *marked;                /* [m] rows of it                                 */
    int *touched, touched_count; /* [m]                                            */
    int rank;
    int *pivot_row, *length; /* [n] of the columns of L so far                 */
    int **row;               /* [n]                                            */
    double **value;          /* [n] with a pivot of one, which is not stored   */
} chooser;

static bool prepare(chooser *C) {
    int n = C->K->n, m = C->K->m;
    C->J = ki_columns_of(C->K, NULL, &C->arena);
    C->work = KI_NEW(&C->arena, double, m);
    C->marked = KI_NEW(&C->arena, bool, m);
    C->touched = KI_NEW(&C->arena, int, m);
    C->pivot_row = KI_NEW(&C->arena, int, n);
    C->length = KI_NEW(&C->arena, int, n);
    C->row = KI_NEW(&C->arena, int *, n);
    C->value = KI_NEW(&C->arena, double *, n);
    return !C->arena.failed;
}

static void add(chooser *C, int row, double value) {
    if (!C->marked[row]) {
        C->marked[row] = true;
        C->touched[C->touched_count++] = row;
    }
    C->work[row] += value;
}

/* Column J z, z the direction of the pivot at `place`; its largest entry. */
static double start_column(chooser *C, int place) {
    keel_saddle *K = C->K;
    ki_augment *G = K->augment;
    int count = ki_ldl_direction(&K->sparse->ldl, place, G->z_at, G->z);
    C->touched_count = 0;
    for (int e = 0; e < count; e++) {
        int i = K->sparse->order[G->z_at[e]];
        G->light[i] = true;
        for (int c = C->J.start[i]; c < C->J.start[i + 1]; c++)
            add(C, C->J.row[c], K->J_values[C->J.entry[c]] * K->y_scale[C->J.row[c]] * G->z[e]);
    }
    double most = 0;
    for (int t = 0; t < C->touched_count; t++)
        most = fmax(most, fabs(C->work[C->touched[t]]));
    return most;
}

/* Takes the columns before out of it: column <- L \ column. */
static void reduce_column(chooser *C) {
    for (int l = 0; l < C->rank; l++) {
        double u = C->work[C->pivot_row[l]];
        if (u == 0)
            continue;
        C->work[C->pivot_row[l]] = 0;
        for (int p = 0; p < C->length[l]; p++)
            add(C, C->row[l][p], -u * C->value[l][p]);
    }
}

/* The row with the largest entry that is not wanted yet; -1 if all is zero. */
static int best_row(const chooser *C) {
    int best = -1;
    double most = 0;
    for (int t = 0; t < C->touched_count; t++) {
        int k = C->touched[t];
        double size = fabs(C->work[k]);
        if (C->K->augment->wanted[k] || size == 0)
            continue;
        if (size > most * AS_GOOD || (size * AS_GOOD >= most && k < best)) {
            best = k;
            most = fmax(most, size);
        }
    }
    return best;
}

/* Column of L from what is left, with its pivot in row `pivot`. */
static void keep_column(chooser *C, int pivot) {
    int count = 0, l = C->rank;
    C->row[l] = KI_NEW(&C->arena, int, C->touched_count);
    C->value[l] = KI_NEW(&C->arena, double, C->touched_count);
    if (C->arena.failed)
        return;
    for (int t = 0; t < C->touched_count; t++) {
        int k = C->touched[t];
        if (k == pivot || C->work[k] == 0)
            continue;
        C->row[l][count] = k;
        C->value[l][count++] = C->work[k] / C->work[pivot];
    }
    C->length[l] = count;
    C->pivot_row[l] = pivot;
    C->rank++;
}

static void clear_column(chooser *C) {
    for (int t = 0; t < C->touched_count; t++) {
        C->work[C->touched[t]] = 0;
        C->marked[C->touched[t]] = false;
    }
}

static void choose_for(chooser *C, int place) {
    double before = start_column(C, place);
    reduce_column(C);
    int best = best_row(C);
    if (best >= 0 && fabs(C->work[best]) > NOTHING * before) {
        keep_column(C, best);
        C->K->augment->wanted[best] = true;
    }
    clear_column(C);
}

int ki_augment_choose_rows(keel_saddle *K) {
    chooser C = {.K = K};
    ki_arena_init(&C.arena);
    bool made = prepare(&C);
    for (int i = 0; i < K->n && made; i++) {
        int place = K->sparse->place[i];
        if (!K->augment->failed[place])
            continue;
        choose_for(&C, place);
        made = !C.arena.failed;
    }
    int rank = made ? C.rank : -1;
    ki_arena_free(&C.arena);
    return rank;
}
