/* Which rows of J hold the directions without mass.
 *
 * A z = 0 for the direction z of a failed pivot. Of the rows of J, in units of their length, the one with the
 * largest |J_k z| that is not taken yet is taken. Rows that are taken for different directions may turn out
 * to hold the same: then a pivot fails again, and another row is taken for what is left.
 */
#include <math.h>

#include "linalg/augment.h"

/* Of rows as good as each other the first one is taken, so that neighbours choose alike. */
static const double BETTER = 1 + 1e-8;

/* What is left of |J_k z| below this part of its terms is round-off. */
static const double ROUND_OFF = 1e-10;

typedef struct chooser {
    keel_saddle *K;
    ki_columns J;
    double *product, *size;      /* [m] J_k z and the sizes of its terms, zero between directions */
    int *touched, touched_count; /* [m] rows that are not zero now                                */
} chooser;

/* product = J z and size = |J| |z| for the direction of the pivot at `place`, whose coordinates become light
 */
static void multiply(chooser *C, int place) {
    keel_saddle *K = C->K;
    ki_augment *G = K->augment;
    int count = ki_ldl_direction(&K->sparse->A, place, G->z_at, G->z);
    C->touched_count = 0;
    for (int e = 0; e < count; e++) {
        int i = K->sparse->A_order[G->z_at[e]];
        G->light[i] = true;
        for (int c = C->J.start[i]; c < C->J.start[i + 1]; c++) {
            int k = C->J.row[c];
            double term = K->J_values[C->J.entry[c]] * K->y_scale[k] * G->z[e];
            if (C->size[k] == 0 && term != 0)
                C->touched[C->touched_count++] = k;
            C->product[k] += term;
            C->size[k] += fabs(term);
        }
    }
}

/* The row to take, -1 if there is none; clears the products. */
static int best_row(chooser *C) {
    int best = -1;
    double most = 0;
    for (int t = 0; t < C->touched_count; t++) {
        int k = C->touched[t];
        double product = fabs(C->product[k]);
        if (!C->K->augment->wanted[k] && product > ROUND_OFF * C->size[k] && product > BETTER * most) {
            best = k;
            most = product;
        }
        C->product[k] = C->size[k] = 0;
    }
    return best;
}

int ki_augment_choose_rows(keel_saddle *K) {
    ki_arena arena;
    ki_arena_init(&arena);
    chooser C = {.K = K, .J = ki_columns_of(K, NULL, &arena)};
    C.product = KI_NEW(&arena, double, K->m);
    C.size = KI_NEW(&arena, double, K->m);
    C.touched = KI_NEW(&arena, int, K->m);
    int rows = arena.failed ? -1 : 0;
    for (int i = 0; i < K->n && rows >= 0; i++) {
        int place = K->sparse->A_place[i];
        if (!K->sparse->A_failed[place])
            continue;
        multiply(&C, place);
        int best = best_row(&C);
        if (best < 0)
            continue;
        K->augment->wanted[best] = true;
        rows++;
    }
    ki_arena_free(&arena);
    return rows;
}
