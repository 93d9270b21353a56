/* The numbers. Most panels are small: in functions that are compiled for their width and their number of rows
 * all loops become straight lines. Their operands are copied to local variables, which no store can change.
 */
#include "linalg/panels.h"
#include "base/hints.h"

#include <string.h>

/* Calls function(..., width, rows), with constants where KI_SHAPE says so. */
#define WITH(function, w, r, ...)                                                                            \
    case KI_SHAPE(w, r):                                                                                     \
        function(__VA_ARGS__, w, r);                                                                         \
        break;
#define WITH_WIDTH(function, panel, w, ...)                                                                  \
    case KI_SHAPE(w, KI_LOW + 1):                                                                            \
        function(__VA_ARGS__, w, (panel)->rows);                                                             \
        break;
#define WITH_ROWS(function, panel, w, ...)                                                                   \
    WITH(function, w, 0, __VA_ARGS__)                                                                        \
    WITH(function, w, 1, __VA_ARGS__)                                                                        \
    WITH(function, w, 2, __VA_ARGS__)                                                                        \
    WITH(function, w, 3, __VA_ARGS__)                                                                        \
    WITH(function, w, 4, __VA_ARGS__)                                                                        \
    WITH(function, w, 5, __VA_ARGS__)                                                                        \
    WITH(function, w, 6, __VA_ARGS__)                                                                        \
    WITH(function, w, 7, __VA_ARGS__)                                                                        \
    WITH_WIDTH(function, panel, w, __VA_ARGS__)
#define BY_SHAPE(function, panel, ...)                                                                       \
    switch ((panel)->shape) {                                                                                \
        WITH_ROWS(function, panel, 1, __VA_ARGS__)                                                           \
        WITH_ROWS(function, panel, 2, __VA_ARGS__)                                                           \
        WITH_ROWS(function, panel, 3, __VA_ARGS__)                                                           \
        WITH_WIDTH(function, panel, 4, __VA_ARGS__)                                                          \
        WITH_WIDTH(function, panel, 5, __VA_ARGS__)                                                          \
        WITH_WIDTH(function, panel, 6, __VA_ARGS__)                                                          \
    default:                                                                                                 \
        function(__VA_ARGS__, (panel)->width, (panel)->rows);                                                \
    }

/* Numbers that a small panel has in local variables: a square, or the rows below. */
enum { SMALL = KI_THIN * KI_LOW };

KI_INLINE bool is_small(int width, int rows) {
    return width <= KI_THIN && rows <= KI_LOW;
}

KI_INLINE double dot(int count, const double *a, const double *b) {
    double sum = a[0] * b[0];
    for (int c = 1; c < count; c++)
        sum += a[c] * b[c];
    return sum;
}

/* w = row L^-T of the square */
KI_INLINE void eliminate_row(const double *row, int count, const double *square, int width, double *w) {
    KI_UNROLL for (int j = 0; j < count; j++) {
        double rest = row[j];
        for (int c = 0; c < j; c++)
            rest -= w[c] * square[j * width + c];
        w[j] = rest;
    }
}

/* row = w d^-1 */
KI_INLINE void scale_row(double *row, int count, const double *d_inverse, const double *w) {
    for (int j = 0; j < count; j++)
        row[j] = w[j] * d_inverse[j];
}

/* Where a pass over the panels is. They stand one behind the other in all arrays, so that a pass only moves
 * on. */
typedef struct cursor {
    const ki_panel *panel;
    int k;                     /* place of its first column */
    double *value, *d_inverse; /* its numbers               */
    const int *row, *offset;   /* its rows below, and where their products go */
} cursor;

static cursor at_begin(const ki_panels *F) {
    return (cursor){F->panel, 0, F->value, F->d_inverse, F->row, F->offset};
}

/* 1 / the pivot of unknown k */
KI_INLINE double invert_A(ki_panels *F, int k, double pivot) {
    double A_kk = F->source[F->diagonal[k]];
    if (!(A_kk > 0 && pivot > KI_PIVOT_NOISE_A * A_kk) && F->failed < 0)
        F->failed = F->order[k];
    return 1 / pivot;
}

/* 1 / the pivot of the row of J at place k; `before` it was without the rows of J in the same panel */
KI_INLINE double invert_J(ki_panels *F, int k, double before, double pivot) {
    int number = F->order[k] - F->n;
    double size = F->taken[k] - before;
    F->taken[k] = 0;
    F->S_size[number] = size;
    return -1 / ki_pivots_judge(F->pivots, number, -pivot, size);
}

/* The square: L below its diagonal. */
KI_INLINE void factor_square(ki_panels *F, int k, bool of_J, double *square, double *d_inverse, double *w,
                             int width) {
    KI_UNROLL for (int i = 0; i < width; i++) {
        double *row = square + i * width, before = row[i], pivot = before;
        eliminate_row(row, i, square, width, w);
        scale_row(row, i, d_inverse, w);
        if (i > 0)
            pivot -= dot(i, row, w);
        d_inverse[i] = of_J ? invert_J(F, k + i, before, pivot) : invert_A(F, k + i, pivot);
    }
}

/* K_ab -= l_a w_b for the rows a >= b below; w = l d */
KI_INLINE void subtract_products(ki_panels *F, const int *offset, const double *l, const double *w, int width,
                                 int rows) {
    KI_UNROLL for (int b = 0; b < rows; b++) {
        for (int a = b; a < rows; a++)
            F->value[offset[a - b]] -= dot(width, l + a * width, w + b * width);
        offset += rows - b;
    }
}

/* What a panel of rows of J takes away from the rows below. */
KI_INLINE void add_taken(ki_panels *F, const int *row, const double *l, const double *w, int width,
                         int rows) {
    for (int b = 0; b < rows; b++)
        F->taken[row[b]] -= dot(width, l + b * width, w + b * width);
}

/* The rows below, up to KI_FEW_ROWS. */
KI_INLINE void factor_below(ki_panels *F, cursor *at, const double *square, const double *d_inverse,
                            int width, int rows) {
    bool small = is_small(width, rows);
    double w_small[SMALL], l_small[SMALL], *below = at->value + width * width;
    double *w = small ? w_small : F->work, *l = small ? l_small : below;
    KI_UNROLL for (int a = 0; a < rows; a++) {
        eliminate_row(below + a * width, width, square, width, w + a * width);
        scale_row(l + a * width, width, d_inverse, w + a * width);
    }
    for (int i = 0; i < width * rows && small; i++)
        below[i] = l[i];
    subtract_products(F, at->offset, l, w, width, rows);
    if (at->panel->of_J)
        add_taken(F, at->row, l, w, width, rows);
}

KI_INLINE void factor_panel(ki_panels *F, cursor *at, int width, int rows) {
    bool small = is_small(width, rows);
    double square_small[KI_THIN * KI_THIN], d_small[KI_THIN], w_small[KI_THIN];
    double *value = at->value;
    double *square = small ? square_small : value, *d_inverse = small ? d_small : at->d_inverse;
    for (int i = 0; i < width * width && small; i++)
        square[i] = value[i];
    factor_square(F, at->k, at->panel->of_J, square, d_inverse, small ? w_small : F->work, width);
    for (int i = 0; i < width && small; i++) {
        at->d_inverse[i] = d_inverse[i];
        for (int c = 0; c < i; c++)
            value[i * width + c] = square[i * width + c];
    }
    if (rows > KI_FEW_ROWS)
        ki_panels_factor_below(F, at->panel, value, d_inverse);
    else
        factor_below(F, at, square, d_inverse, width, rows);
    at->k += width;
    at->d_inverse += width;
    at->value += (width + rows) * width;
    at->row += rows;
    at->offset += at->panel->offsets;
}

int ki_panels_factor(ki_panels *F, const double *source, ki_pivots *pivots, double *S_size) {
    const ki_panel *end = F->panel + F->count;
    F->source = source;
    F->pivots = pivots;
    F->S_size = S_size;
    F->failed = -1;
    for (cursor at = at_begin(F); at.panel < end && F->failed < 0; at.panel++)
        BY_SHAPE(factor_panel, at.panel, F, &at)
    if (F->failed >= 0)
        memset(F->taken, 0, (size_t)F->size * sizeof(double));
    return F->failed;
}

/* b <- L^-1 b for the columns of a panel; b moves on to the next */
KI_INLINE void forward(cursor *at, double *b, int width, int rows) {
    const double *square = at->value, *below = square + width * width;
    double x_small[KI_THIN], *x_all = b + at->k, *x = is_small(width, rows) ? x_small : x_all;
    for (int i = 0; i < width; i++) {
        double sum = x_all[i];
        for (int c = 0; c < i; c++)
            sum -= square[i * width + c] * x[c];
        x[i] = sum;
        if (i > 0)
            x_all[i] = sum;
    }
    for (int a = 0; a < rows; a++)
        b[at->row[a]] -= dot(width, below + a * width, x);
    at->k += width;
    at->value += (width + rows) * width;
    at->row += rows;
}

/* b <- L^-T d^-1 b for the columns of a panel */
KI_INLINE void backward(cursor *at, const double *d_inverse, double *b, int width, int rows) {
    at->k -= width;
    at->value -= (width + rows) * width;
    at->row -= rows;
    const double *square = at->value, *below = square + width * width;
    double x_small[KI_THIN], *x_all = b + at->k, *x = is_small(width, rows) ? x_small : x_all;
    for (int c = 0; c < width; c++)
        x[c] = x_all[c] * d_inverse[at->k + c];
    for (int a = 0; a < rows; a++) {
        double known = b[at->row[a]];
        for (int c = 0; c < width; c++)
            x[c] -= below[a * width + c] * known;
    }
    for (int i = width - 1; i > 0; i--)
        for (int c = 0; c < i; c++)
            x[c] -= square[i * width + c] * x[i];
    for (int c = 0; c < width && x != x_all; c++)
        x_all[c] = x[c];
}

void ki_panels_solve(const ki_panels *F, double *b) {
    const ki_panel *begin = F->panel, *end = begin + F->count;
    const double *d_inverse = F->d_inverse;
    cursor at = at_begin(F);
    for (; at.panel < end; at.panel++)
        BY_SHAPE(forward, at.panel, &at, b)
    while (at.panel-- > begin)
        BY_SHAPE(backward, at.panel, &at, d_inverse, b)
}
