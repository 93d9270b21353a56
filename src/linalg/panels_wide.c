/* What stands below the square of a panel with many rows, four rows at a time. Each number sees the
 * operations of panels.c in their order, so that it does not matter which of the two a panel is taken by.
 */
#include "base/four.h"
#include "linalg/panels.h"

/* By columns, so that neighbouring rows are neighbours: column c of w and of l begins at c * stride. */
typedef struct turned {
    double *w, *l;
    int stride;
} turned;

/* Three places more than rows, so that four can be read from any row on. */
static int stride_of(int rows) {
    return ki_padded(rows + KI_FOUR - 1);
}

long ki_panels_wide_work(int width, int rows) {
    return 2L * width * stride_of(rows);
}

/* w = row L^-T of the square, l = w d^-1 for all rows */
KI_TWICE
static void eliminate_rows(const turned *x, const double *square, const double *d_inverse, int width,
                           int rows) {
    for (int a = 0; a < rows; a += KI_FOUR)
        for (int j = 0; j < width; j++) {
            const double *factor = square + j * width;
            ki_four rest = *ki_four_at(x->w, j * x->stride + a);
            for (int c = 0; c < j; c++)
                rest -= *ki_four_at(x->w, c * x->stride + a) * factor[c];
            *ki_four_at(x->w, j * x->stride + a) = rest;
            *ki_four_at(x->l, j * x->stride + a) = rest * d_inverse[j];
        }
}

/* K_ab -= l_a w_b for the rows a >= b of one b; `to` are the places of the rows. */
KI_INLINE void subtract_column(const turned *x, int b, double *value, const int *to, int width, int rows) {
    const int stride = x->stride;
    const double *w = x->w + b, *l = x->l;
    int a = b;
    for (; a + 2 * KI_FOUR <= rows; a += 2 * KI_FOUR) {
        ki_four one = *ki_const_four_at(l, a) * w[0], two = *ki_const_four_at(l, a + KI_FOUR) * w[0];
        for (int c = 1; c < width; c++) {
            one += *ki_const_four_at(l, c * stride + a) * w[c * stride];
            two += *ki_const_four_at(l, c * stride + a + KI_FOUR) * w[c * stride];
        }
        for (int i = 0; i < KI_FOUR; i++)
            value[to[a + i]] -= one[i];
        for (int i = 0; i < KI_FOUR; i++)
            value[to[a + KI_FOUR + i]] -= two[i];
    }
    for (; a < rows; a += KI_FOUR) {
        ki_four one = *ki_const_four_at(l, a) * w[0];
        for (int c = 1; c < width; c++)
            one += *ki_const_four_at(l, c * stride + a) * w[c * stride];
        for (int i = 0; i < KI_FOUR && a + i < rows; i++)
            value[to[a + i]] -= one[i];
    }
}

KI_TWICE
static void subtract_products(ki_panels *F, const turned *x, const int *base, const int *shift, int width,
                              int rows) {
    for (int b = 0; b < rows; b++)
        subtract_column(x, b, F->value + base[b], F->offset + shift[b], width, rows);
}

static void turn(const turned *x, const double *below, int width, int rows) {
    for (int c = 0; c < width; c++) {
        double *column = x->w + c * x->stride;
        for (int a = 0; a < rows; a++)
            column[a] = below[a * width + c];
        for (int a = rows; a < x->stride; a++)
            column[a] = x->l[c * x->stride + a] = 0;
    }
}

void ki_panels_factor_below(ki_panels *F, const ki_panel *panel, double *value, const double *d_inverse) {
    int width = panel->width, rows = panel->rows, first = panel->below;
    double *below = value + width * width;
    turned x = {.w = F->work, .stride = stride_of(rows)};
    x.l = x.w + width * x.stride;
    turn(&x, below, width, rows);
    eliminate_rows(&x, value, d_inverse, width, rows);
    for (int a = 0; a < rows; a++)
        for (int c = 0; c < width; c++)
            below[a * width + c] = x.l[c * x.stride + a];
    subtract_products(F, &x, F->base + first, F->shift + first, width, rows);
    for (int b = 0; b < rows && panel->of_J; b++) {
        double sum = x.l[b] * x.w[b];
        for (int c = 1; c < width; c++)
            sum += x.l[c * x.stride + b] * x.w[c * x.stride + b];
        F->taken[F->row[first + b]] -= sum;
    }
}
