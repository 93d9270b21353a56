/* The entries of K^-1 where the panels have some (Takahashi, Fagan and Chin 1973), from the last panel to the
 * first. With the columns C of a panel and its rows R below, K = L d L^T, Z = K^-1 and P = L_RC L_CC^-1:
 *
 *     Z_RC = -Z_RR P
 *     Z_CC = L_CC^-T d^-1 L_CC^-1 - P^T Z_RC
 *
 * All entries of Z_RR stand in later panels: where the products of this one went. That is about the work of
 * three factorizations. */
#include <string.h>

#include "linalg/saddle_inverse.h"
#include "linalg/saddle_sparse.h"

/* x <- x L^-1 for a row x, L the unit lower triangle of the square */
static void divide_row(const double *square, int width, double *x) {
    for (int j = width - 1; j >= 0; j--)
        for (int i = j + 1; i < width; i++)
            x[j] -= x[i] * square[i * width + j];
}

/* to += factor from */
static void add_row(int width, double factor, const double *from, double *to) {
    for (int c = 0; c < width; c++)
        to[c] += factor * from[c];
}

/* Z_RC = -Z_RR P; P stands in F->work. `offset` belongs to the panel. */
static void fill_below(const ki_panels *F, const ki_panel *panel, const int *offset, double *Z) {
    int width = panel->width, rows = panel->rows;
    double *below = Z + panel->value + width * width;
    memset(below, 0, (size_t)rows * (size_t)width * sizeof *below);
    for (int b = 0; b < rows; b++) {
        bool few = rows <= KI_FEW_ROWS;
        const int *to = few ? offset - b : F->offset + F->shift[panel->below + b];
        const double *from = few ? Z : Z + F->base[panel->below + b];
        for (int a = b; a < rows; a++) {
            double z = from[to[a]];
            add_row(width, -z, F->work + b * width, below + a * width);
            if (a > b)
                add_row(width, -z, F->work + a * width, below + b * width);
        }
        offset += rows - b;
    }
}

/* Z_CC, the lower triangle of a square by rows; rows of L_CC^-1 are made in its place first. */
static void fill_square(const ki_panels *F, const ki_panel *panel, double *Z) {
    int width = panel->width, rows = panel->rows;
    const double *square = F->value + panel->value, *below = Z + panel->value + width * width;
    double *inverse = F->work + rows * width, *to = Z + panel->value;
    memset(inverse, 0, (size_t)width * (size_t)width * sizeof *inverse);
    memset(to, 0, (size_t)width * (size_t)width * sizeof *to);
    for (int i = 0; i < width; i++) {
        inverse[i * width + i] = 1;
        divide_row(square, width, inverse + i * width);
    }
    for (int i = 0; i < width; i++)
        for (int a = 0; a <= i; a++)
            add_row(a + 1, inverse[i * width + a] * F->d_inverse[panel->first + i], inverse + i * width,
                    to + a * width);
    for (int r = 0; r < rows; r++)
        for (int a = 0; a < width; a++)
            add_row(a + 1, -F->work[r * width + a], below + r * width, to + a * width);
}

void ki_panels_inverse(const ki_panels *F, double *Z) {
    const int *offset = F->offset;
    for (int s = 0; s < F->count; s++)
        offset += F->panel[s].offsets;
    for (int s = F->count - 1; s >= 0; s--) {
        const ki_panel *panel = &F->panel[s];
        int width = panel->width;
        const double *square = F->value + panel->value;
        offset -= panel->offsets;
        if (panel->rows)
            memcpy(F->work, square + width * width, (size_t)panel->rows * (size_t)width * sizeof *F->work);
        for (int r = 0; r < panel->rows; r++)
            divide_row(square, width, F->work + r * width);
        fill_below(F, panel, offset, Z);
        fill_square(F, panel, Z);
    }
}

long ki_saddle_inverse_room(const keel_saddle *K) {
    return K->sparse ? K->sparse->panels.value_count : -1;
}

bool ki_saddle_inverse_diagonal(const keel_saddle *K, double *scratch, double *diagonal) {
    if (!K->sparse || !K->factored || !ki_saddle_sparse_is_plain(K))
        return false;
    const ki_panels *F = &K->sparse->panels;
    ki_panels_inverse(F, scratch);
    for (int s = 0; s < F->count; s++)
        for (int c = 0; c < F->panel[s].width; c++) {
            int i = F->order[F->panel[s].first + c];
            if (i < F->n)
                diagonal[i] = scratch[F->panel[s].value + c * F->panel[s].width + c];
        }
    return true;
}
