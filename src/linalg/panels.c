/* The numbers. Most panels are small: in functions that are compiled for their width and their number of rows
 * all loops become straight lines. Their operands are copied to local variables, which no store can change.
 */
#include "linalg/panels.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Calls function(..., width, rows), with constants for panels of up to KI_THIN columns and KI_LOW rows.
 */
#define WITH_ROWS(function, w, ...)                                                                          \
    case KI_SHAPE(w, 0):                                                                                     \
        function(__VA_ARGS__, w, 0);                                                                         \
        break;                                                                                               \
    case KI_SHAPE(w, 1):                                                                                     \
        function(__VA_ARGS__, w, 1);                                                                         \
        break;                                                                                               \
    case KI_SHAPE(w, 2):                                                                                     \
        function(__VA_ARGS__, w, 2);                                                                         \
        break;                                                                                               \
    case KI_SHAPE(w, 3):                                                                                     \
        function(__VA_ARGS__, w, 3);                                                                         \
        break;                                                                                               \
    case KI_SHAPE(w, 4):                                                                                     \
        function(__VA_ARGS__, w, 4);                                                                         \
        break;
#define BY_SHAPE(function, panel, ...)                                                                       \
    switch ((panel)->shape) {                                                                                \
        WITH_ROWS(function, 1, __VA_ARGS__)                                                                  \
        WITH_ROWS(function, 2, __VA_ARGS__)                                                                  \
        WITH_ROWS(function, 3, __VA_ARGS__)                                                                  \
    default:                                                                                                 \
        function(__VA_ARGS__, (panel)->width, (panel)->rows);                                                \
    }

/* Numbers that a small panel has in local variables: a square, or the rows below. */
enum { SMALL = KI_THIN * KI_LOW };

ALWAYS_INLINE bool is_small(int width, int rows) {
    return width <= KI_THIN && rows <= KI_LOW;
}

ALWAYS_INLINE double dot(int count, const double *a, const double *b) {
    double sum = a[0] * b[0];
    for (int c = 1; c < count; c++)
        sum += a[c] * b[c];
    return sum;
}

/* w = row L^-T of the square */
ALWAYS_INLINE void eliminate_row(const double *row, int count, const double *square, int width, double *w) {
    for (int j = 0; j < count; j++) {
        double rest = row[j];
        for (int c = 0; c < j; c++)
            rest -= w[c] * square[j * width + c];
        w[j] = rest;
    }
}

/* row = w d^-1 */
ALWAYS_INLINE void scale_row(double *row, int count, const double *d_inverse, const double *w) {
    for (int j = 0; j < count; j++)
        row[j] = w[j] * d_inverse[j];
}

/* 1 / the pivot at place k, of which row i of the square left `pivot`; not for an unknown that failed. */
ALWAYS_INLINE double invert_pivot(ki_panels *F, bool of_J, int k, double pivot) {
    double size = F->positive[k];
    if (of_J)
        return -1 / ki_pivots_judge(F->pivots, F->order[k] - F->n, -pivot, size);
    if (!(size > 0 && pivot > KI_PIVOT_NOISE_A * size) && F->failed < 0)
        F->failed = F->order[k];
    return 1 / pivot;
}

/* The square: L below its diagonal. */
ALWAYS_INLINE void factor_square(ki_panels *F, const ki_panel *panel, double *square, double *d_inverse,
                                 double *w, int width) {
    for (int i = 0; i < width; i++) {
        double *row = square + i * width, pivot = row[i];
        eliminate_row(row, i, square, width, w);
        scale_row(row, i, d_inverse, w);
        if (i > 0)
            pivot -= dot(i, row, w);
        d_inverse[i] = invert_pivot(F, panel->of_J, panel->first + i, pivot);
    }
}

/* K_ab -= l_a w_b for the rows a >= b below; w = l d */
ALWAYS_INLINE void subtract_products(ki_panels *F, const ki_panel *panel, const double *l, const double *w,
                                     int width, int rows) {
    const int *target = F->offset + panel->target;
    double *value = F->value;
    for (int b = 0; b < rows; b++) {
        bool few = rows <= KI_FEW_ROWS;
        const int *offset = few ? target - b : F->offset + F->shift[panel->below + b];
        double *to = few ? value : value + F->base[panel->below + b];
        for (int a = b; a < rows; a++)
            to[offset[a]] -= dot(width, l + a * width, w + b * width);
        target += rows - b;
    }
}

/* size_b += l_b w_b for the rows below a panel of unknowns */
ALWAYS_INLINE void add_squares(ki_panels *F, const ki_panel *panel, const double *l, const double *w,
                               int width, int rows) {
    const int *number = F->row + panel->below;
    for (int b = 0; b < rows; b++)
        F->positive[number[b]] += dot(width, l + b * width, w + b * width);
}

ALWAYS_INLINE void factor_panel(ki_panels *F, const ki_panel *panel, int width, int rows) {
    bool small = is_small(width, rows);
    double w_small[SMALL], l_small[SMALL], square_small[KI_THIN * KI_THIN], d_small[KI_THIN];
    double *value = F->value + panel->value, *below = value + width * width;
    double *square = small ? square_small : value, *d_inverse = small ? d_small : F->d_inverse + panel->first;
    double *w = small ? w_small : F->work, *l = small ? l_small : below;
    if (small)
        memcpy(square, value, (size_t)(width * width) * sizeof(double));
    factor_square(F, panel, square, d_inverse, w, width);
    for (int a = 0; a < rows; a++) {
        eliminate_row(below + a * width, width, square, width, w + a * width);
        scale_row(l + a * width, width, d_inverse, w + a * width);
    }
    if (small) {
        memcpy(value, square, (size_t)(width * width) * sizeof(double));
        memcpy(below, l, (size_t)(width * rows) * sizeof(double));
        memcpy(F->d_inverse + panel->first, d_inverse, (size_t)width * sizeof(double));
    }
    subtract_products(F, panel, l, w, width, rows);
    if (!panel->of_J)
        add_squares(F, panel, l, w, width, rows);
}

int ki_panels_factor(ki_panels *F, ki_pivots *pivots) {
    F->pivots = pivots;
    F->failed = -1;
    for (const ki_panel *panel = F->panel; panel < F->panel + F->count; panel++) {
        BY_SHAPE(factor_panel, panel, F, panel)
        if (F->failed >= 0)
            break;
    }
    return F->failed;
}

/* b <- L^-1 b for the columns of a panel */
ALWAYS_INLINE void forward(const ki_panels *F, const ki_panel *panel, double *b, int width, int rows) {
    const double *square = F->value + panel->value, *below = square + width * width;
    const int *number = F->row + panel->below;
    double x_small[KI_THIN], *x_all = b + panel->first, *x = is_small(width, rows) ? x_small : x_all;
    for (int i = 0; i < width; i++) {
        double sum = x_all[i];
        for (int c = 0; c < i; c++)
            sum -= square[i * width + c] * x[c];
        x[i] = sum;
    }
    for (int i = 1; i < width; i++)
        x_all[i] = x[i];
    for (int a = 0; a < rows; a++)
        b[number[a]] -= dot(width, below + a * width, x);
}

/* b <- L^-T d^-1 b for the columns of a panel */
ALWAYS_INLINE void backward(const ki_panels *F, const ki_panel *panel, double *b, int width, int rows) {
    const double *square = F->value + panel->value, *below = square + width * width;
    const double *d_inverse = F->d_inverse + panel->first;
    const int *number = F->row + panel->below;
    double x_small[KI_THIN], *x_all = b + panel->first, *x = is_small(width, rows) ? x_small : x_all;
    for (int c = 0; c < width; c++)
        x[c] = x_all[c] * d_inverse[c];
    for (int a = 0; a < rows; a++) {
        double known = b[number[a]];
        for (int c = 0; c < width; c++)
            x[c] -= below[a * width + c] * known;
    }
    for (int i = width - 1; i > 0; i--)
        for (int c = 0; c < i; c++)
            x[c] -= square[i * width + c] * x[i];
    for (int c = 0; c < width; c++)
        x_all[c] = x[c];
}

void ki_panels_solve(const ki_panels *F, double *b) {
    const ki_panel *end = F->panel + F->count;
    for (const ki_panel *panel = F->panel; panel < end; panel++)
        BY_SHAPE(forward, panel, F, panel, b)
    for (const ki_panel *panel = end; panel-- > F->panel;)
        BY_SHAPE(backward, panel, F, panel, b)
}
