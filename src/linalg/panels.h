/* panels.h - the factor of the whole matrix in panels: K = P [A J^T; J -D] P^T = L d L^T without exchanges.
 *
 * Neighbouring columns that fill in alike are one panel, a small full matrix, by rows: first the square with
 * the pivots (its upper triangle is not used), then the rows below. A panel has unknowns of A only, with
 * positive pivots, or rows of J only, with negative ones. A row of J comes after all unknowns that it touches
 * (ordering.h), so that its sign is known beforehand: with E the unknowns and C the rows of J before it,
 *
 *     -pivot = D_i + min over c of |J_i - c J_C|^2    in the metric A_EE^-1, in which J_i is zero outside of
 * E
 *
 * the square of the part of row i that is independent of the rows before. It comes out as the difference of
 * what the unknowns before it add, and what the rows of J before it take away:
 *
 *     -pivot = size_i - sum over rows j of l_ij^2 |d_j|       size_i = D_i + sum over unknowns j of l_ij^2
 * d_j
 *
 * so that a pivot below round-off times size_i is nothing but round-off. If no row of J comes before an
 * unknown that touches its bodies or is coupled to them by mass, size_i is S_ii = D_i + J_i A^-1 J_i^T.
 *
 * Right-looking: when a panel is done, its products l d l^T are subtracted from the panels of its rows, at
 * places that are known beforehand.
 */
#ifndef KI_PANELS_H
#define KI_PANELS_H

#include "linalg/saddle_internal.h"
#include "linalg/symbolic.h"

/* Up to so many rows below a panel the place of each product is kept, beyond it is put together. */
enum { KI_FEW_ROWS = 8 };

/* Panels with code of their own: up to KI_LOW rows below up to KI_THIN columns, and any number of rows
 * (counted as KI_LOW + 1) below up to KI_WIDE. KI_SHAPE is 0 for the others. */
enum { KI_THIN = 3, KI_LOW = 7, KI_WIDE = 6 };
#define KI_SHAPE(width, rows)                                                                                \
    ((width) > KI_WIDE                                                                                       \
         ? 0                                                                                                 \
         : (width) * (KI_LOW + 2) + ((width) > KI_THIN || (rows) > KI_LOW ? KI_LOW + 1 : (rows)))

typedef struct ki_panel {
    int first, width; /* columns                               */
    int rows;         /* rows below the square                 */
    int value;        /* its numbers, (width + rows) x width, begin here */
    int below;        /* its rows begin here in row, base and shift      */
    int offsets;      /* how many places it has in offset      */
    int shape;        /* KI_SHAPE                              */
    bool of_J;        /* rows of J: negative pivots            */
} ki_panel;

typedef struct ki_panels {
    int size, n, count;
    const int *order;    /* [size] what is eliminated k-th: an unknown of A, or n + a row of J */
    const int *diagonal; /* [size] place of A_kk among the values, for unknowns                */
    ki_panel *panel;     /* [count]                                                            */
    int *row;            /* rows below, increasing                                             */

    /* The product of rows a >= b of a panel goes to value[base[b] + offset[shift[b] + a]]; if the rows are
     * few, `offset` has just these places, b by b. */
    int *base, *shift, *offset;

    double *value; /* [value_count] panel after panel */
    int value_count;
    double *d_inverse;      /* [size] 1 / pivots                                        */
    double *taken;          /* [size] sum over rows j of l_ij^2 |d_j|; zero between calls */
    double *work;           /* one panel                                                */
    long entries;           /* of L, its diagonal included                              */
    double multiplications; /* of a factorization                                       */

    /* of the factorization under way */
    const double *source;
    ki_pivots *pivots;
    double *S_size;
    int failed; /* unknown whose pivot failed, -1 */
} ki_panels;

/* Panels for K in the order of elimination, of which `order` and `diagonal` are kept. False when out of
 * memory. */
bool ki_panels_analyse(ki_panels *F, const ki_lower *K, int n, const int *order, const int *diagonal,
                       ki_arena *arena);

/* Where entry (row, column), row >= column, stands in `value`. */
int ki_panels_slot(const ki_panels *F, const int *panel_of, int row, int column);

/* The panel of every column, [size]. */
/* panels_wide.c: the rows below the square of a panel with more than KI_FEW_ROWS, and what they take from
 * others; numbers of scratch that this needs. */
void ki_panels_factor_below(ki_panels *F, const ki_panel *panel, double *value, const double *d_inverse);
long ki_panels_wide_work(int width, int rows);

void ki_panels_of_columns(const ki_panels *F, int *panel_of);

/* Numbers: `value` has those of K, which come from `source`. `pivots` judges the rows of J, S_size [by row of
 * J] receives size_i. Returns -1, or the first unknown of A whose pivot is not positive. */
int ki_panels_factor(ki_panels *F, const double *source, ki_pivots *pivots, double *S_size);

/* b <- K^-1 b, in the order of elimination. */
void ki_panels_solve(const ki_panels *F, double *b);

/* The entries of K^-1 at the places of the numbers, Z [value_count]: those of squares in their lower
 * triangles (panels_inverse.c). Others are not there. */
void ki_panels_inverse(const ki_panels *F, double *Z);

#endif
