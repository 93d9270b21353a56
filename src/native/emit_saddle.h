/* emit_saddle.h - the parts of emit_saddle.c, that is of the dense path
 *
 *     A = L d L^T     Y = L^-1 J^T     S = Y^T d^-1 Y + D = P p P^T
 *     y = S^-1 (Y^T d^-1 L^-1 r - s)   x = L^-T d^-1 (L^-1 r - Y y)
 *
 * and of the sparse one (emit_panels.c). Names in the text: l<i>_<j>, y<k>_<i>, s<i>_<j> are entries of L, Y
 * and S (then of P), a<i> the diagonal of A, d<i> and p<i> the inverse pivots; r<i>, t<i> the right-hand
 * side, u<i>, w<i> the solution on its way.
 */
#ifndef KI_NATIVE_EMIT_SADDLE_H
#define KI_NATIVE_EMIT_SADDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "linalg/saddle_internal.h"
#include "native/emit.h"

/* A product as text. */
typedef struct ki_product_text {
    int place; /* in the dense sum */
    char text[48];
} ki_product_text;

typedef struct ki_saddle_text {
    keel_pattern A, J;
    int n, m;
    ki_text *text;
    long operations;
    bool sparse;                       /* which path                                                 */
    bool through;                      /* one function for all: values and factors stay in registers */
    bool stage;                        /* the same, and nothing but x is asked for                   */
    bool *L, *Y, *S;                   /* [n x n], [n x m], [m x m] whether an entry exists ... */
    bool *A_given, *Y_given, *S_given; /* ... and whether it has a value already            */
    ki_product_text *list;             /* [n + m] scratch                                  */
    int *L_first, *S_first;            /* [n], [m] first column of the dense kernel's rows   */
    int *low, *high;                   /* [n] and of the rows of Y                           */
} ki_saddle_text;

static inline bool *ki_entry(bool *entries, int row, int columns, int column) {
    return &entries[(size_t)row * (size_t)columns + (size_t)column];
}

/* emit_entries.c: which entries exist, which have a value before the elimination, and the ranges of
 * saddle_dense.c, which decide how long its sums are. */
void ki_find_entries(ki_saddle_text *e);
void ki_find_given(ki_saddle_text *e);
void ki_find_ranges(ki_saddle_text *e);

/* emit_names.c: a sum of `count` places of which `products` are there, in the order of ki_dot; names of
 * values and of entries of the factors as the solve reads them. */
void ki_write_dot(ki_text *text, const ki_product_text *list, int products, int count);
const char *ki_name_of_value(const ki_saddle_text *e, char matrix, int p, char buffer[32]);
const char *ki_name_of_entry(const ki_saddle_text *e, char factor, int i, int j, int columns,
                             char buffer[32]);
const char *ki_name_of_inverse(const ki_saddle_text *e, char pivot, int i, char buffer[32]);

/* emit_factor.c: leaves good = 0 if a pivot of S needs a judgement. */
void ki_write_factor(ki_saddle_text *e);

/* emit_residual.c: returns 0 from the function if the residual of u, w is not small; the functions that it
 * calls for that. */
void ki_write_residual(ki_saddle_text *e);
void ki_write_norms(ki_saddle_text *e);

/* The same for the rows of J whose pivots were raised, and for no others. */
void ki_write_raised_rows(ki_saddle_text *e);

/* emit_products.c: products with A and J. */
void ki_write_products(ki_saddle_text *e);

/* emit_panels.c: the functions of the sparse path. False when out of memory. */
bool ki_write_panels(ki_saddle_text *e, const ki_saddle_sparse *sparse);

/* emit_look.c: the look at a residual on the sparse path, which goes to a label if it is not small at first
 * sight; what stands at that label, the end of the function; and a function that this calls. */
void ki_write_look(ki_saddle_text *e);
void ki_write_end(ki_saddle_text *e);
void ki_write_closer_look(ki_saddle_text *e);

#endif
