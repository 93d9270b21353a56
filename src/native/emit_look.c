/* emit_look.c - the look at a residual on the sparse path, row after row, so that little is held at a time.
 *
 * The first look takes |r_i| + |A_ii x_i| for the size of row i of the first block, which is less than it
 * has, and all terms in the second: there whole rows of constraints may be near zero but for one term. One
 * row that is not small sends all of it to a loop with the norms of refine.c. */
#include "native/emit_saddle.h"

static void write_test(ki_saddle_text *e) {
    ki_text_add(e->text, "    if (!(fabs(rest) - tolerance * size <= 0))\n        goto look;\n    }\n");
}

static void write_x_row(ki_saddle_text *e, int i) {
    int diagonal = e->A.start[i + 1] - 1;
    ki_text_add(e->text, "    {\n    const double right = r[%d], own = k->A[%d] * u%d;\n", i, diagonal, i);
    ki_text_add(e->text, "    const double size = fabs(right) + fabs(own), rest = right - own");
    for (int p = e->A.start[i]; p < diagonal; p++)
        ki_text_add(e->text, " - k->A[%d] * u%d", p, e->A.index[p]);
    for (int j = i + 1; j < e->n; j++)
        for (int p = e->A.start[j]; p < e->A.start[j + 1]; p++)
            if (e->A.index[p] == i)
                ki_text_add(e->text, " - k->A[%d] * u%d", p, j);
    for (int j = 0; j < e->m; j++)
        for (int p = e->J.start[j]; p < e->J.start[j + 1]; p++)
            if (e->J.index[p] == i)
                ki_text_add(e->text, " - k->J[%d] * w%d", p, j);
    ki_text_add(e->text, ";\n");
    write_test(e);
}

static void write_y_row(ki_saddle_text *e, int i) {
    ki_text_add(e->text, "    {\n    const double damped = k->D[%d] * w%d;\n", i, i);
    ki_text_add(e->text, "    double rest = s[%d] + damped, size = fabs(s[%d]) + fabs(damped);\n", i, i);
    for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
        ki_text_add(e->text,
                    "    { const double here = k->J[%d] * u%d; rest -= here, size += fabs(here); }\n", p,
                    e->J.index[p]);
    write_test(e);
}

void ki_write_look(ki_saddle_text *e) {
    /* who takes any residual need not know it */
    ki_text_add(e->text, "    const double tolerance = k->tolerance;\n    if (tolerance < 1) {\n");
    for (int i = 0; i < e->n; i++)
        write_x_row(e, i);
    for (int i = 0; i < e->m; i++)
        write_y_row(e, i);
    e->operations += 4 * (keel_pattern_count(e->A) + keel_pattern_count(e->J));
    ki_text_add(e->text, "    }\n");
}

static void write_list(ki_saddle_text *e, char name, int count) {
    for (int i = 0; i < count; i++)
        ki_text_add(e->text, "%c%d, ", name, i);
}

void ki_write_end(ki_saddle_text *e) {
    ki_text_add(e->text, "    return 1;\nlook:;\n    const double all_x[] = {");
    write_list(e, 'u', e->n);
    ki_text_add(e->text, "}, all_y[] = {");
    write_list(e, 'w', e->m);
    ki_text_add(e->text, "0};\n    return closer_look(k, r, s, all_x, all_y, x, y);\n}\n\n");
}

/* The residual and the sizes of its terms, then their norms. The end of the function that asks: nothing in it
 * has to be kept for afterwards. */
static const char CLOSER_LOOK[] =
    "#ifdef __GNUC__\n"
    "__attribute__((noinline, cold))\n"
    "#endif\n"
    "static int closer_look(const struct places *k, const double *r, const double *s, const double *u,\n"
    "                       const double *w, double *x, double *y) {\n"
    "    double rest_x[N], size_x[N], rest_y[M + 1], size_y[M + 1];\n"
    "    for (int i = 0; i < N; i++) {\n"
    "        rest_x[i] = r[i];\n"
    "        size_x[i] = fabs(r[i]);\n"
    "        for (int p = A_START[i]; p < A_START[i + 1]; p++) {\n"
    "            const int j = A_INDEX[p];\n"
    "            rest_x[i] -= k->A[p] * u[j];\n"
    "            size_x[i] += fabs(k->A[p] * u[j]);\n"
    "            if (j < i) {\n"
    "                rest_x[j] -= k->A[p] * u[i];\n"
    "                size_x[j] += fabs(k->A[p] * u[i]);\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    for (int i = 0; i < M; i++) {\n"
    "        rest_y[i] = s[i] + k->D[i] * w[i];\n"
    "        size_y[i] = fabs(s[i]) + fabs(k->D[i] * w[i]);\n"
    "        for (int p = J_START[i]; p < J_START[i + 1]; p++) {\n"
    "            const int j = J_INDEX[p];\n"
    "            rest_y[i] -= k->J[p] * u[j];\n"
    "            size_y[i] += fabs(k->J[p] * u[j]);\n"
    "            rest_x[j] -= k->J[p] * w[i];\n"
    "            size_x[j] += fabs(k->J[p] * w[i]);\n"
    "        }\n"
    "    }\n"
    "    if (!small_x(k, rest_x, size_x) || !small_y(k, rest_y, size_y))\n"
    "        return 0;\n"
    "    memcpy(x, u, N * sizeof(double));\n"
    "    memcpy(y, w, M * sizeof(double));\n"
    "    return 1;\n"
    "}\n\n";

void ki_write_closer_look(ki_saddle_text *e) {
    ki_text_add(e->text, "enum { N = %d, M = %d };\n%s", e->n, e->m, CLOSER_LOOK);
}
