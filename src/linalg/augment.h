/* augment.h - the sparse path for A that is singular where J makes up for it.
 *
 * With weights w_k > 0 for some rows k of J, W = diag(w) with zeros elsewhere, and F = I - W D,
 *
 *     [ A + J^T W J   J^T     ] [x  ]   [r + J^T W s]
 *     [ J             -D F^-1 ] [F y] = [s          ]
 *
 * has the same x and y as the system as given: J^T W times its second block was added to its first. If A is
 * positive semidefinite, and positive definite on the null space of J, then A + J^T W J is positive definite
 * as soon as these rows together see every z with A z = 0 (J_k z != 0); z are the unit vectors of coordinates
 * without mass, or combinations of coordinates that have no mass although each of them has.
 *
 * As few rows as possible are taken (augment_rows.c): a coordinate between two bodies is tied to one of them,
 * so that unknowns do not grow together and the factor stays sparse. A weight is the mass that the row sees,
 * and what is added is of the size of the masses around:
 *
 *     1 / w_k = sum_i J_ki^2 / A_ii     over the coordinates of the row that have mass
 *     w_k |J_k|^2 = w_l |J_l|^2         if there are none: as in a row l that shares a coordinate with it
 *
 * but at most max A_ii / |J_k|^2, where J_ki is next to nothing, and at most 1 / (2 D_k), which keeps F above
 * 1/2.
 */
#ifndef KI_AUGMENT_H
#define KI_AUGMENT_H

#include "linalg/saddle_sparse.h"

/* values[slot] += w_row J[first] J[second] */
typedef struct ki_augment_term {
    int slot, row, first, second;
} ki_augment_term;

/* A + J^T W J in one pattern; made anew when rows are added. */
typedef struct ki_widened {
    ki_arena arena;
    keel_pattern A;        /* lower triangle, the columns of a row in any order */
    int *A_slot;           /* [entries of A as given] where they go             */
    ki_augment_term *term; /* [term_count]                                      */
    int term_count;
    double *values; /* A + J^T W J, J, D F^-1                            */
} ki_widened;

struct ki_augment {
    ki_arena arena;
    bool *light;   /* [n] coordinates that take part in some z                                */
    bool *settled; /* [n] coordinates that are held as well as rows can                       */
    bool *wanted;  /* [m] rows of J to be added to A                                          */
    bool *chosen;  /* [m] rows of J that `widened` has                                        */
    int *near;     /* [near_count] rows of J that touch a light coordinate                    */
    int near_count;
    double *w;      /* [m] weights of these rows, chosen or not                                */
    double *f;      /* [m] 1 - w D of the chosen rows                                          */
    double *around; /* [n] largest w_k |J_k|^2 of the rows that touch a coordinate            */
    double *least;  /* [n] by place in A alone: a pivot that is not larger wants more rows     */
    double *z;      /* [n] a direction: its non-zero entries ...                               */
    int *z_at;      /* [n] ... and their places                                                */
    bool active;    /* rows were chosen, and K->sparse is made for `widened`                   */
    ki_widened widened;
};

/* Finds rows that hold what has no mass, and factors with them. KEEL_ERROR_SINGULAR, with K->bad_pivot, if
 * there are none; KEEL_ERROR_MEMORY. Allocates only when pivots fail that did not before. */
keel_status ki_augment_factor(keel_saddle *K);
void ki_augment_free(ki_augment *augment);

/* Before and after a solve: x <- x + J^T W s, y <- F^-1 y. Nothing while no rows are chosen. */
void ki_augment_right_side(const keel_saddle *K, const double *s, double *x);
void ki_augment_multipliers(const keel_saddle *K, double *y);

/* augment_rows.c: wants the rows of J that hold the directions z of the failed pivots best, and marks the
 * coordinates of these z as light. The number of new rows, 0 if nothing holds any of them; -1 when out of
 * memory. */
int ki_augment_choose_rows(keel_saddle *K);

/* augment_pattern.c: the pattern of A + J^T W J with the rows `wanted`. False when out of memory. */
bool ki_augment_widen(const keel_saddle *K, const bool *wanted, ki_widened *widened);

/* Rows of J by columns: column i has the entries entry[start[i] .. start[i+1]-1] of J, in the rows row[...].
 * All rows, or those that are `wanted`. */
typedef struct ki_columns {
    int *start, *entry, *row;
} ki_columns;

ki_columns ki_columns_of(const keel_saddle *K, const bool *wanted, ki_arena *arena);

#endif
