/* emit_products.c - products with matrices of the patterns of A and J, as straight lines: what surrounds the
 * solves of a step, in the order of ki_mass_times and of row_sums (src/formulate/). */
#include "native/emit_saddle.h"

/* out = A x, A the lower triangle of a symmetric matrix, the diagonal last in each row. */
static void write_times(ki_saddle_text *e) {
    const int *start = e->A.start, *index = e->A.index;
    ki_text_add(e->text, "void keel_times(const double *A, const double *x, double *out) {\n");
    for (int i = 0; i < e->n; i++) {
        int last = start[i + 1] - 1;
        ki_text_add(e->text, "    double o%d = ", i);
        for (int k = start[i]; k < last; k++)
            ki_text_add(e->text, "A[%d] * x[%d] + ", k, index[k]);
        ki_text_add(e->text, "A[%d] * x[%d];\n", last, i);
        for (int k = start[i]; k < last; k++)
            ki_text_add(e->text, "    o%d += A[%d] * x[%d];\n", index[k], k, i);
    }
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    out[%d] = o%d;\n", i, i);
    ki_text_add(e->text, "}\n\n");
}

/* out = |J| x */
static void write_row_sums(ki_saddle_text *e) {
    const int *start = e->J.start, *index = e->J.index;
    ki_text_add(e->text, "void keel_row_sums(const double *J, const double *x, double *restrict out) {\n"
                         "    (void)J, (void)x, (void)out;\n");
    for (int i = 0; i < e->m; i++) {
        ki_text_add(e->text, "    out[%d] = 0.", i);
        for (int k = start[i]; k < start[i + 1]; k++)
            ki_text_add(e->text, " + fabs(J[%d]) * x[%d]", k, index[k]);
        ki_text_add(e->text, ";\n");
    }
    ki_text_add(e->text, "}\n\n");
}

void ki_write_products(ki_saddle_text *e) {
    write_times(e);
    write_row_sums(e);
}
