/* emit_residual.c - the look at a residual.
 *
 * It is small if |r - A x - J^T y|_i <= tolerance (|r| + |A||x| + |J^T||y|)_i for all i, and the same of the
 * second block: more than refine.c asks for, and without scales. Where that fails the norms of refine.c
 * decide. */
#include "native/emit_saddle.h"

/* Block 'u' or 'w' of the residual loses value * by<column>; or `size` gets its magnitude. */
static void write_term(ki_saddle_text *e, bool size, char block, int row, const char *value, char by,
                       int column) {
    if (size)
        ki_text_add(e->text, "    size_%c%d += fabs(%s * %c%d);\n", block, row, value, by, column);
    else
        ki_text_add(e->text, "    rest_%c%d -= %s * %c%d;\n", block, row, value, by, column);
    e->operations += 2;
}

static void write_terms(ki_saddle_text *e, bool size) {
    char value[48] = "k->", *name = value + (e->through ? 0 : 3);
    for (int i = 0; i < e->n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++) {
            ki_name_of_value(e, 'A', p, name);
            write_term(e, size, 'u', i, value, 'u', e->A.index[p]);
            if (e->A.index[p] < i)
                write_term(e, size, 'u', e->A.index[p], value, 'u', i);
        }
    for (int i = 0; i < e->m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++) {
            ki_name_of_value(e, 'J', p, name);
            write_term(e, size, 'w', i, value, 'u', e->J.index[p]);
            write_term(e, size, 'u', e->J.index[p], value, 'w', i);
        }
}

/* For a first look: sizes from the right-hand side and one term, which is less than the size. */
static void write_least_sizes(ki_saddle_text *e) {
    char value[48] = "k->", *name = value + (e->through ? 0 : 3);
    for (int i = 0; i < e->n; i++) {
        ki_name_of_value(e, 'A', e->A.start[i + 1] - 1, name);
        ki_text_add(e->text, "    double size_u%d = fabs(r%d) + fabs(%s * u%d);\n", i, i, value, i);
    }
    for (int i = 0; i < e->m; i++) {
        ki_text_add(e->text, "    double size_w%d = fabs(t%d)", i, i);
        if (e->J.start[i + 1] > e->J.start[i]) {
            ki_name_of_value(e, 'J', e->J.start[i], name);
            ki_text_add(e->text, " + fabs(%s * u%d)", value, e->J.index[e->J.start[i]]);
        }
        ki_text_add(e->text, ";\n");
    }
}

/* Compared as a difference: what is infinite becomes a NaN and fails. */
static void write_small(ki_saddle_text *e) {
    ki_text_add(e->text, "    small = 1;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    small &= fabs(rest_u%d) - k->tolerance * size_u%d <= 0;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(
            e->text,
            "    small &= fabs(rest_w%d) - (k->raised[%d] ? k->left : k->tolerance) * size_w%d <= 0;\n", i, i,
            i);
}

static void write_list(ki_saddle_text *e, const char *name, int count) {
    for (int i = 0; i < count; i++)
        ki_text_add(e->text, "%s%d, ", name, i);
}

static void write_norms_of(ki_saddle_text *e) {
    ki_text_add(e->text, "    if (!small) {\n    const double rest_u[] = {");
    write_list(e, "rest_u", e->n);
    ki_text_add(e->text, "}, size_u[] = {");
    write_list(e, "size_u", e->n);
    ki_text_add(e->text, "};\n    const double rest_w[] = {");
    write_list(e, "rest_w", e->m);
    ki_text_add(e->text, "0}, size_w[] = {");
    write_list(e, "size_w", e->m);
    ki_text_add(e->text, "0};\n    if (!small_x(k, rest_u, size_u) || !small_y(k, rest_w, size_w))\n"
                         "        return 0;\n    }\n");
}

/* Three looks, each with more work: part of the sizes, the sizes, the norms of refine.c. */
void ki_write_residual(ki_saddle_text *e) {
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    double rest_u%d = r%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double rest_w%d = t%d + k->D[%d] * w%d;\n", i, i, i, i);
    write_terms(e, false);
    ki_text_add(e->text, "    int small;\n");
    write_least_sizes(e);
    write_small(e);
    ki_text_add(e->text, "    if (!small) {\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    size_u%d = fabs(r%d);\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    size_w%d = fabs(t%d) + fabs(k->D[%d] * w%d);\n", i, i, i, i);
    write_terms(e, true);
    write_small(e);
    write_norms_of(e);
    ki_text_add(e->text, "    }\n");
}

/* The order of the sums is that of saddle_stage.c. */
void ki_write_raised_rows(ki_saddle_text *e) {
    char value[32];
    for (int i = 0; i < e->m; i++) {
        ki_text_add(e->text, "    if (raised_%d) {\n        double rest = t%d, size = fabs(t%d);\n", i, i, i);
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++) {
            ki_name_of_value(e, 'J', p, value);
            ki_text_add(e->text, "        rest -= %s * u%d;\n        size += fabs(%s * u%d);\n", value,
                        e->J.index[p], value, e->J.index[p]);
        }
        ki_text_add(e->text,
                    "        if (!(fabs(rest) - k->left * size <= 0))\n            return 0;\n    }\n");
    }
}

/* Scaled max-norms of the two blocks as in refine.c: |rest| w <= tolerance |size| w. A NaN shows in the sum.
 */
static void write_norm(ki_saddle_text *e, char block, int count, const char *square, const char *except) {
    ki_text_add(e->text,
                "static int small_%c(const struct places *k, const double *rest, const double *size) {\n"
                "    double most = 0, largest = 0, sum = 0;\n"
                "    for (int i = 0; i < %d; i++) {\n%s%s"
                "        const double w = square > 0 ? 1 / sqrt(square) : 1, r = fabs(rest[i]) * w;\n"
                "        most = r > most ? r : most;\n"
                "        largest = size[i] * w > largest ? size[i] * w : largest;\n"
                "        sum += size[i] * w;\n"
                "    }\n"
                "    return most <= k->tolerance * largest && sum <= LARGEST;\n"
                "}\n\n",
                block, count, except, square);
}

static void write_numbers(ki_saddle_text *e, char matrix, const char *name, const int *number, int count) {
    ki_text_add(e->text, "static const int %c_%s[] = {", matrix, name);
    for (int i = 0; i < count; i++)
        ki_text_add(e->text, "%d,", number[i]);
    ki_text_add(e->text, "0};\n");
}

static void write_pattern(ki_saddle_text *e, char matrix, keel_pattern P) {
    write_numbers(e, matrix, "START", P.start, P.rows ? P.rows + 1 : 0);
    if (e->sparse)
        write_numbers(e, matrix, "INDEX", P.index, keel_pattern_count(P));
}

void ki_write_norms(ki_saddle_text *e) {
    write_pattern(e, 'A', e->A);
    write_pattern(e, 'J', e->J);
    write_norm(e, 'x', e->n, "        const double square = k->A[A_START[i + 1] - 1];\n", "");
    write_norm(e, 'y', e->m,
               "        double square = 0;\n"
               "        for (int p = J_START[i]; p < J_START[i + 1]; p++)\n"
               "            square += k->J[p] * k->J[p];\n",
               "        if (k->raised[i] && fabs(rest[i]) <= k->left * size[i])\n"
               "            continue;\n");
    if (e->sparse)
        ki_write_closer_look(e);
}
