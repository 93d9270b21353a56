/* emit_saddle.c - the dense kernel (src/linalg/saddle_dense.c) as straight-line C for one pair of patterns.
 *
 *     A = L d L^T     Y = L^-1 J^T     S = Y^T d^-1 Y + D = P p P^T
 *     y = S^-1 (Y^T d^-1 L^-1 r - s)   x = L^-T d^-1 (L^-1 r - Y y)
 *
 * Names in the text: a<p>, j<p> are values of A and J, l<i>_<j>, y<k>_<i>, s<i>_<j> entries of L, Y and S
 * (then of P), d<i> and p<i> the inverse pivots. An entry that no value reaches is never written down; all
 * others see the operations of the dense kernel in the same order, sums of more than KI_SHORT products
 * included.
 *
 * A residual is small if |r - A x - J^T y|_i <= tolerance (|r| + |A||x| + |J^T||y|)_i for all i, and the same
 * of the second block: more than refine.c asks for, and without scales. Where that fails the norms of
 * refine.c decide. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"
#include "native/emit.h"

typedef struct emitter {
    keel_pattern A, J;
    int n, m;
    ki_text *text;
    long operations;
    bool *L, *Y, *S;        /* [n x n], [n x m], [m x m] whether an entry exists */
    int *L_first, *S_first; /* [n], [m] first column of the dense kernel's rows   */
    int *low, *high;        /* [n] and of the rows of Y                           */
} emitter;

static bool *at(bool *entries, int row, int columns, int column) {
    return &entries[(size_t)row * (size_t)columns + (size_t)column];
}

/* ---- which entries exist */

static void eliminate_entries(bool *L, int size) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                if (*at(L, j, size, k) && *at(L, i, size, k))
                    *at(L, i, size, j) = true;
}

static void find_entries(emitter *e) {
    int n = e->n, m = e->m;
    for (int i = 0; i < n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++)
            *at(e->L, i, n, e->A.index[p]) = true;
    for (int i = 0; i < m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
            *at(e->Y, e->J.index[p], m, i) = true;
    eliminate_entries(e->L, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int c = 0; *at(e->L, i, n, k) && c < m; c++)
                *at(e->Y, i, m, c) |= *at(e->Y, k, m, c);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; *at(e->Y, k, m, i) && j <= i; j++)
                *at(e->S, i, m, j) |= *at(e->Y, k, m, j);
    for (int i = 0; i < m; i++)
        *at(e->S, i, m, i) = true;
    eliminate_entries(e->S, m);
}

/* The ranges of saddle_dense.c, which decide how long its sums are. */
static void find_ranges(emitter *e) {
    for (int k = 0; k < e->n; k++) {
        e->L_first[k] = e->A.index[e->A.start[k]];
        e->low[k] = e->m;
    }
    for (int i = 0; i < e->m; i++) {
        e->S_first[i] = i;
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++) {
            int k = e->J.index[p];
            e->low[k] = i < e->low[k] ? i : e->low[k];
            e->high[k] = i + 1;
        }
    }
    for (int k = 0; k < e->n; k++) {
        for (int j = e->L_first[k]; j < k; j++) {
            e->low[k] = e->low[j] < e->low[k] ? e->low[j] : e->low[k];
            e->high[k] = e->high[j] > e->high[k] ? e->high[j] : e->high[k];
        }
        e->low[k] = e->low[k] < e->high[k] ? e->low[k] : e->high[k];
        for (int i = e->low[k]; i < e->high[k]; i++)
            e->S_first[i] = e->low[k] < e->S_first[i] ? e->low[k] : e->S_first[i];
    }
}

/* ---- sums of products, in the order of ki_dot */

/* A product as text. */
typedef struct product {
    int place; /* in the dense sum */
    char text[48];
} product;

/* Which of the four running sums of ki_dot_long(count), or of the rest (4), takes the product at `place`.
 * Short sums have only the first. */
static int sum_of(int place, int count) {
    if (count <= KI_SHORT)
        return 0;
    return place < count / 4 * 4 ? place % 4 : 4;
}

static bool write_partial(ki_text *text, const product *list, int products, int sum, int count) {
    bool any = false;
    for (int i = 0; i < products; i++)
        if (sum_of(list[i].place, count) == sum) {
            ki_text_add(text, any ? " + %s" : "%s", list[i].text);
            any = true;
        }
    return any;
}

static bool has_partial(const product *list, int products, int sum, int count) {
    for (int i = 0; i < products; i++)
        if (sum_of(list[i].place, count) == sum)
            return true;
    return false;
}

/* ((s0 + s2) + (s1 + s3)) + rest, without the sums that have no product */
static void write_dot(ki_text *text, const product *list, int products, int count) {
    static const int ORDER[2][2] = {{0, 2}, {1, 3}};
    if (count <= KI_SHORT) {
        write_partial(text, list, products, 0, count);
        return;
    }
    bool any = false;
    for (int half = 0; half < 2; half++) {
        bool first = has_partial(list, products, ORDER[half][0], count),
             second = has_partial(list, products, ORDER[half][1], count);
        if (!first && !second)
            continue;
        ki_text_add(text, any ? " + ((" : "((");
        if (first)
            write_partial(text, list, products, ORDER[half][0], count);
        ki_text_add(text, first && second ? ") + (" : "");
        if (second)
            write_partial(text, list, products, ORDER[half][1], count);
        ki_text_add(text, "))");
        any = true;
    }
    if (!has_partial(list, products, 4, count))
        return;
    ki_text_add(text, any ? " + " : "");
    write_partial(text, list, products, 4, count);
}

/* ---- factor */

/* Row i of L d L^T in place, named `name`, inverse pivots `inverse`. */
static void write_row(emitter *e, bool *L, int size, const int *first, const char *name, const char *inverse,
                      int i, product *list) {
    for (int j = first[i]; j < i; j++) {
        int begin = first[j] > first[i] ? first[j] : first[i], products = 0;
        for (int k = begin; k < j; k++)
            if (*at(L, j, size, k) && *at(L, i, size, k)) {
                list[products].place = k - begin;
                snprintf(list[products++].text, sizeof list->text, "%s%d_%d * v%d", name, j, k, k);
            }
        if (!*at(L, i, size, j))
            continue;
        ki_text_add(e->text, "        const double v%d = ", j);
        ki_text_add(e->text, products ? "%s%d_%d - (" : "%s%d_%d", name, i, j);
        write_dot(e->text, list, products, j - begin);
        ki_text_add(e->text, products ? ");\n" : ";\n");
        e->operations += 2 * products;
    }
    for (int j = first[i]; j < i; j++)
        if (*at(L, i, size, j)) {
            ki_text_add(e->text, "        %s%d_%d = v%d * %s%d;\n", name, i, j, j, inverse, j);
            ki_text_add(e->text, "        sum += %s%d_%d * v%d;\n", name, i, j, j);
            e->operations += 3;
        }
}

static void declare(emitter *e, bool *entries, int rows, int columns, const char *name, bool triangle) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (triangle ? i : columns); j++)
            if (*at(entries, i, columns, j))
                ki_text_add(e->text, "    double %s%d_%d = 0;\n", name, i, j);
}

/* The values, and the squares of the rows of J: what is not finite must not pass. */
static void write_values(emitter *e) {
    for (int i = 0; i < e->n; i++) {
        int p = e->A.start[i];
        for (; p < e->A.start[i + 1] - 1; p++)
            ki_text_add(e->text, "    l%d_%d = A[%d];\n", i, e->A.index[p], p);
        ki_text_add(e->text, "    const double a%d = A[%d];\n", i, p);
    }
    for (int i = 0; i < e->m; i++) {
        int begin = e->J.start[i], end = e->J.start[i + 1];
        for (int p = begin; p < end; p++)
            ki_text_add(e->text, "    y%d_%d = J[%d];\n", e->J.index[p], i, p);
        ki_text_add(e->text, "    if (!(");
        for (int p = begin; p < end; p++)
            ki_text_add(e->text, "y%d_%d * y%d_%d + ", e->J.index[p], i, e->J.index[p], i);
        ki_text_add(e->text, "0 <= LARGEST))\n        return 0;\n");
        e->operations += 2 * (end - begin);
    }
}

static void write_A_row(emitter *e, int i, product *list) {
    ki_text_add(e->text, "    double d%d;\n    {\n        double sum = 0;\n", i);
    write_row(e, e->L, e->n, e->L_first, "l", "d", i, list);
    ki_text_add(
        e->text,
        "        const double pivot = a%d - sum;\n"
        "        if (!(pivot > NOISE * a%d))\n            return 0;\n        d%d = 1 / pivot;\n    }\n",
        i, i, i);
    for (int k = 0; k < i; k++)
        for (int c = 0; *at(e->L, i, e->n, k) && c < e->m; c++)
            if (*at(e->Y, k, e->m, c)) {
                ki_text_add(e->text, "    y%d_%d -= l%d_%d * y%d_%d;\n", i, c, i, k, k, c);
                e->operations += 2;
            }
}

/* S = D + sum over k of y_k d_k y_k^T */
static void write_S(emitter *e) {
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double s%d_%d = at->D[%d];\n", i, i, i);
    for (int k = 0; k < e->n; k++)
        for (int i = 0; i < e->m; i++) {
            if (!*at(e->Y, k, e->m, i))
                continue;
            ki_text_add(e->text, "    const double c%d_%d = y%d_%d * d%d;\n", k, i, k, i, k);
            for (int j = 0; j <= i; j++)
                if (*at(e->Y, k, e->m, j)) {
                    ki_text_add(e->text, "    s%d_%d += c%d_%d * y%d_%d;\n", i, j, k, i, k, j);
                    e->operations += 2;
                }
        }
}

static void write_S_row(emitter *e, int i, product *list) {
    ki_text_add(e->text, "    double p%d;\n    {\n        double sum = 0;\n", i);
    write_row(e, e->S, e->m, e->S_first, "s", "p", i, list);
    ki_text_add(e->text,
                "        const double pivot = s%d_%d - sum;\n"
                "        good &= pivot > at->near * s%d_%d && pivot > at->threshold * s%d_%d;\n"
                "        p%d = 1 / pivot;\n    }\n",
                i, i, i, i, i, i, i);
}

static void store(emitter *e, bool *entries, int rows, int columns, const char *name, const char *to,
                  bool triangle) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (triangle ? i : columns); j++)
            if (*at(entries, i, columns, j))
                ki_text_add(e->text, "    at->%s[%d] = %s%d_%d;\n", to, i * columns + j, name, i, j);
}

static void store_values(emitter *e) {
    ki_text_add(e->text,
                "    for (int i = 0; i < %d; i++)\n        at->A[i] = A[i];\n"
                "    for (int i = 0; i < %d; i++)\n        at->J[i] = J[i];\n",
                keel_pattern_count(e->A), keel_pattern_count(e->J));
}

static void write_factor(emitter *e, product *list) {
    ki_text_add(e->text, "int keel_factor(const struct places *at, const double *A, const double *J) {\n"
                         "    int good = 1;\n");
    declare(e, e->L, e->n, e->n, "l", true);
    declare(e, e->Y, e->n, e->m, "y", false);
    declare(e, e->S, e->m, e->m, "s", true);
    write_values(e);
    for (int i = 0; i < e->n; i++)
        write_A_row(e, i, list);
    store_values(e);
    store(e, e->L, e->n, e->n, "l", "L_A", true);
    store(e, e->Y, e->n, e->m, "y", "Y", false);
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    at->d_inverse[%d] = d%d;\n", i, i);
    write_S(e);
    for (int i = 0; i < e->m; i++)
        write_S_row(e, i, list);
    store(e, e->S, e->m, e->m, "s", "L_S", true);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    at->S_size[%d] = s%d_%d;\n    at->p_inverse[%d] = p%d;\n", i, i, i, i, i);
    ki_text_add(e->text, "    return good ? 1 : 2;\n}\n\n");
}

/* ---- solve */

/* b <- L^-1 b */
static void write_lower(emitter *e, bool *L, int size, const int *first, const char *name, const char *b,
                        product *list) {
    for (int i = 0; i < size; i++) {
        int products = 0;
        for (int k = first[i]; k < i; k++)
            if (*at(L, i, size, k)) {
                list[products].place = k - first[i];
                snprintf(list[products++].text, sizeof list->text, "%s[%d] * %s%d", name, i * size + k, b, k);
            }
        if (!products)
            continue;
        ki_text_add(e->text, "    %s%d -= ", b, i);
        write_dot(e->text, list, products, i - first[i]);
        ki_text_add(e->text, ";\n");
        e->operations += 2 * products;
    }
}

/* b <- L^-T b */
static void write_lower_transposed(emitter *e, bool *L, int size, const char *name, const char *b) {
    for (int i = size - 1; i > 0; i--)
        for (int k = 0; k < i; k++)
            if (*at(L, i, size, k)) {
                ki_text_add(e->text, "    %s%d -= %s[%d] * %s%d;\n", b, k, name, i * size + k, b, i);
                e->operations += 2;
            }
}

static void write_Y_times(emitter *e, product *list) {
    for (int k = 0; k < e->n; k++) {
        int products = 0;
        for (int i = e->low[k]; i < e->high[k]; i++)
            if (*at(e->Y, k, e->m, i)) {
                list[products].place = i - e->low[k];
                snprintf(list[products++].text, sizeof list->text, "Y[%d] * y%d", k * e->m + i, i);
            }
        if (!products)
            continue;
        ki_text_add(e->text, "    x%d -= d[%d] * (", k, k);
        write_dot(e->text, list, products, e->high[k] - e->low[k]);
        ki_text_add(e->text, ");\n");
        e->operations += 2 * products;
    }
}

/* `size` gets the magnitudes of what `rest` loses. */
static void write_term(emitter *e, char block, int row, const char *value, char by, int column) {
    ki_text_add(e->text, "    {\n        const double term = %s * %c%d;\n", value, by, column);
    ki_text_add(e->text, "        rest_%c%d -= term;\n        size_%c%d += fabs(term);\n    }\n", block, row,
                block, row);
    e->operations += 3;
}

static void write_list(emitter *e, const char *name, int count) {
    for (int i = 0; i < count; i++)
        ki_text_add(e->text, "%s%d, ", name, i);
}

static void write_residual(emitter *e) {
    char value[32];
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    double rest_x%d = r[%d], size_x%d = fabs(r[%d]);\n", i, i, i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text,
                    "    double rest_y%d = s[%d] + at->D[%d] * y%d, size_y%d = fabs(s[%d]) + fabs(at->D[%d] "
                    "* y%d);\n",
                    i, i, i, i, i, i, i, i);
    for (int i = 0; i < e->n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++) {
            snprintf(value, sizeof value, "at->A[%d]", p);
            write_term(e, 'x', i, value, 'x', e->A.index[p]);
            if (e->A.index[p] < i)
                write_term(e, 'x', e->A.index[p], value, 'x', i);
        }
    for (int i = 0; i < e->m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++) {
            snprintf(value, sizeof value, "at->J[%d]", p);
            write_term(e, 'y', i, value, 'x', e->J.index[p]);
            write_term(e, 'x', e->J.index[p], value, 'y', i);
        }
    ki_text_add(e->text, "    int small = 1;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    small &= fabs(rest_x%d) <= at->tolerance * size_x%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    small &= fabs(rest_y%d) <= at->tolerance * size_y%d;\n", i, i);
    ki_text_add(e->text, "    if (!small) {\n        const double rest_x[] = {");
    write_list(e, "rest_x", e->n);
    ki_text_add(e->text, "}, size_x[] = {");
    write_list(e, "size_x", e->n);
    ki_text_add(e->text, "};\n        const double rest_y[] = {");
    write_list(e, "rest_y", e->m);
    ki_text_add(e->text, "0}, size_y[] = {");
    write_list(e, "size_y", e->m);
    ki_text_add(e->text, "0};\n        if (!small_x(at, rest_x, size_x) || !small_y(at, rest_y, size_y))\n"
                         "            return 0;\n    }\n");
}

/* Scaled max-norms of the two blocks as in refine.c: |rest| w <= tolerance |size| w. A NaN shows in the sum.
 */
static void write_norm(emitter *e, char block, int count, const char *square) {
    ki_text_add(e->text,
                "static int small_%c(const struct places *at, const double *rest, const double *size) {\n"
                "    double most = 0, largest = 0, sum = 0;\n"
                "    for (int i = 0; i < %d; i++) {\n%s"
                "        const double w = square > 0 ? 1 / sqrt(square) : 1, r = fabs(rest[i]) * w;\n"
                "        most = r > most ? r : most;\n"
                "        largest = size[i] * w > largest ? size[i] * w : largest;\n"
                "        sum += r;\n"
                "    }\n"
                "    return most <= at->tolerance * largest && sum <= LARGEST;\n"
                "}\n\n",
                block, count, square);
}

static void write_starts(emitter *e, const char *name, keel_pattern P) {
    ki_text_add(e->text, "static const int %s[] = {", name);
    for (int i = 0; i <= P.rows; i++)
        ki_text_add(e->text, "%d,", P.rows ? P.start[i] : 0);
    ki_text_add(e->text, "};\n");
}

static void write_norms(emitter *e) {
    write_starts(e, "A_START", e->A);
    write_starts(e, "J_START", e->J);
    write_norm(e, 'x', e->n, "        const double square = at->A[A_START[i + 1] - 1];\n");
    write_norm(e, 'y', e->m,
               "        double square = 0;\n"
               "        for (int p = J_START[i]; p < J_START[i + 1]; p++)\n"
               "            square += at->J[p] * at->J[p];\n");
}

static void write_solve(emitter *e, product *list) {
    ki_text_add(
        e->text,
        "int keel_solve(const struct places *at, const double *r, const double *s, double *x, double *y) {\n"
        "    const double *const L = at->L_A, *const d = at->d_inverse, *const Y = at->Y;\n"
        "    const double *const P = at->L_S, *const p = at->p_inverse;\n"
        "    (void)L, (void)Y, (void)P, (void)p, (void)s, (void)y;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    double x%d = r[%d];\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double y%d = -s[%d];\n", i, i);
    write_lower(e, e->L, e->n, e->L_first, "L", "x", list);
    for (int k = 0; k < e->n; k++) {
        ki_text_add(e->text, "    x%d *= d[%d];\n", k, k);
        for (int i = 0; i < e->m; i++)
            if (*at(e->Y, k, e->m, i))
                ki_text_add(e->text, "    y%d += x%d * Y[%d];\n", i, k, k * e->m + i);
    }
    write_lower(e, e->S, e->m, e->S_first, "P", "y", list);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    y%d *= p[%d];\n", i, i);
    write_lower_transposed(e, e->S, e->m, "P", "y");
    write_Y_times(e, list);
    write_lower_transposed(e, e->L, e->n, "L", "x");
    write_residual(e);
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    x[%d] = x%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    y[%d] = y%d;\n", i, i);
    ki_text_add(e->text, "    return 1;\n}\n\n");
}

/* The struct of saddle_code.h. */
static const char PLACES[] = "struct places {\n"
                             "    double *A, *J;\n"
                             "    const double *D;\n"
                             "    double *L_A, *d_inverse, *Y, *L_S, *p_inverse, *S_size;\n"
                             "    double near, threshold, tolerance;\n"
                             "};\n\n";

bool ki_emit_saddle(keel_pattern A, keel_pattern J, long most, ki_text *text) {
    size_t n = (size_t)A.rows, m = (size_t)J.rows;
    emitter e = {.A = A, .J = J, .n = A.rows, .m = J.rows, .text = text};
    e.L = calloc(n * n + n * m + m * m + 1, sizeof *e.L);
    e.L_first = calloc(3 * n + m + 1, sizeof *e.L_first);
    product *list = calloc(n + m + 1, sizeof *list);
    bool ok = e.L && e.L_first && list;
    if (ok) {
        e.Y = e.L + n * n;
        e.S = e.Y + n * m;
        e.low = e.L_first + n;
        e.high = e.low + n;
        e.S_first = e.high + n;
        find_entries(&e);
        find_ranges(&e);
        ki_text_add(text, "%s", PLACES);
        ki_text_add(text, "static const double NOISE = ");
        ki_text_number(text, KI_PIVOT_NOISE_A);
        ki_text_add(text, ", LARGEST = ");
        ki_text_number(text, DBL_MAX);
        ki_text_add(text, ";\n\n");
        write_norms(&e);
        write_factor(&e, list);
        write_solve(&e, list);
    }
    free(e.L);
    free(e.L_first);
    free(list);
    return ok && !text->failed && e.operations <= most;
}
