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
#include <string.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"
#include "native/emit.h"

/* A product as text. */
typedef struct product {
    int place; /* in the dense sum */
    char text[48];
} product;

typedef struct emitter {
    keel_pattern A, J;
    int n, m;
    ki_text *text;
    long operations;
    bool through;                      /* one function for all: values and factors stay in registers */
    bool *L, *Y, *S;                   /* [n x n], [n x m], [m x m] whether an entry exists ... */
    bool *A_given, *Y_given, *S_given; /* ... and whether it has a value already            */
    product *list;                     /* [n + m] scratch                                  */
    int *L_first, *S_first;            /* [n], [m] first column of the dense kernel's rows   */
    int *low, *high;                   /* [n] and of the rows of Y                           */
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

/* Values of A and J are there from the start, others come with the elimination. */
static void find_given(emitter *e) {
    size_t n = (size_t)e->n, m = (size_t)e->m;
    memset(e->A_given, 0, n * n + n * m + m * m);
    for (int i = 0; i < e->n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++)
            *at(e->A_given, i, e->n, e->A.index[p]) = true;
    for (int i = 0; i < e->m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
            *at(e->Y_given, e->J.index[p], e->m, i) = true;
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

/* ---- names: in registers where the code goes through, in memory where factor and solve are apart */

static const char *name_of_value(const emitter *e, char matrix, int p, char buffer[32]) {
    const char *format = e->through ? (matrix == 'A' ? "M_%d" : "J_%d") : (matrix == 'A' ? "A[%d]" : "J[%d]");
    snprintf(buffer, 32, format, p);
    return buffer;
}

/* An entry of a factor ('l', 'y' or 's') with `columns` columns, as the solve reads it. */
static const char *name_of_entry(const emitter *e, char factor, int i, int j, int columns, char buffer[32]) {
    if (e->through)
        snprintf(buffer, 32, "%c%d_%d", factor, i, j);
    else
        snprintf(buffer, 32, "%c[%d]", factor == 'l' ? 'L' : factor == 'y' ? 'Y' : 'S', i * columns + j);
    return buffer;
}

static const char *name_of_inverse(const emitter *e, char pivot, int i, char buffer[32]) {
    snprintf(buffer, 32, e->through ? "%c%d" : "%c[%d]", pivot, i);
    return buffer;
}

/* ---- factor */

/* Row i of L d L^T in place, named `name`, inverse pivots `inverse`: leaves sum = sum of l v. */
static void write_row(emitter *e, bool *L, int size, const int *first, char name, char inverse, int i,
                      const bool *given) {
    bool any = false;
    ki_text_add(e->text, "        double sum;\n");
    for (int j = first[i]; j < i; j++) {
        int begin = first[j] > first[i] ? first[j] : first[i], products = 0;
        for (int k = begin; k < j; k++)
            if (*at(L, j, size, k) && *at(L, i, size, k)) {
                e->list[products].place = k - begin;
                snprintf(e->list[products++].text, sizeof e->list->text, "%c%d_%d * v%d", name, j, k, k);
            }
        if (!*at(L, i, size, j))
            continue;
        ki_text_add(e->text, "        const double v%d = ", j);
        if (given[(size_t)i * (size_t)size + (size_t)j])
            ki_text_add(e->text, "%c%d_%d", name, i, j);
        ki_text_add(e->text, products ? " - (" : "");
        write_dot(e->text, e->list, products, j - begin);
        ki_text_add(e->text, products ? ");\n" : ";\n");
        e->operations += 2 * products;
    }
    for (int j = first[i]; j < i; j++)
        if (*at(L, i, size, j)) {
            ki_text_add(e->text, "        %c%d_%d = v%d * %c%d;\n", name, i, j, j, inverse, j);
            ki_text_add(e->text, "        sum %s %c%d_%d * v%d;\n", any ? "+=" : "=", name, i, j, j);
            any = true;
            e->operations += 3;
        }
    if (!any)
        ki_text_add(e->text, "        sum = 0;\n");
}

static void declare(emitter *e, bool *entries, int rows, int columns, char name, bool triangle) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (triangle ? i : columns); j++)
            if (*at(entries, i, columns, j))
                ki_text_add(e->text, "    double %c%d_%d;\n", name, i, j);
}

/* The values. What is not finite shows in the pivots. */
static void write_values(emitter *e) {
    char name[32];
    for (int i = 0; i < e->n; i++) {
        int p = e->A.start[i];
        for (; p < e->A.start[i + 1] - 1; p++)
            ki_text_add(e->text, "    l%d_%d = %s;\n", i, e->A.index[p], name_of_value(e, 'A', p, name));
        ki_text_add(e->text, "    const double a%d = %s;\n", i, name_of_value(e, 'A', p, name));
    }
    for (int i = 0; i < e->m; i++) {
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
            ki_text_add(e->text, "    y%d_%d = %s;\n", e->J.index[p], i, name_of_value(e, 'J', p, name));
    }
}

static void write_A_row(emitter *e, int i) {
    ki_text_add(e->text, "    double d%d;\n    {\n", i);
    write_row(e, e->L, e->n, e->L_first, 'l', 'd', i, e->A_given);
    ki_text_add(
        e->text,
        "        const double pivot = a%d - sum;\n"
        "        if (!(pivot > NOISE * a%d))\n            return 0;\n        d%d = 1 / pivot;\n    }\n",
        i, i, i);
    for (int k = 0; k < i; k++)
        for (int c = 0; *at(e->L, i, e->n, k) && c < e->m; c++)
            if (*at(e->Y, k, e->m, c)) {
                bool *given = at(e->Y_given, i, e->m, c);
                ki_text_add(e->text, *given ? "    y%d_%d -= " : "    y%d_%d = -", i, c);
                ki_text_add(e->text, "(l%d_%d * y%d_%d);\n", i, k, k, c);
                *given = true;
                e->operations += 2;
            }
}

/* S = sum over k of y_k d_k y_k^T, + D */
static void write_S(emitter *e) {
    for (int k = 0; k < e->n; k++)
        for (int i = 0; i < e->m; i++) {
            if (!*at(e->Y, k, e->m, i))
                continue;
            ki_text_add(e->text, "    const double c%d_%d = y%d_%d * d%d;\n", k, i, k, i, k);
            for (int j = 0; j <= i; j++)
                if (*at(e->Y, k, e->m, j)) {
                    bool *given = at(e->S_given, i, e->m, j);
                    ki_text_add(e->text, "    s%d_%d %s c%d_%d * y%d_%d;\n", i, j, *given ? "+=" : "=", k, i,
                                k, j);
                    *given = true;
                    e->operations += 2;
                }
        }
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text,
                    *at(e->S_given, i, e->m, i) ? "    s%d_%d += k->D[%d];\n" : "    s%d_%d = k->D[%d];\n", i,
                    i, i);
}

static void write_S_row(emitter *e, int i) {
    ki_text_add(e->text, "    double p%d;\n    {\n", i);
    write_row(e, e->S, e->m, e->S_first, 's', 'p', i, e->S_given);
    ki_text_add(e->text,
                "        const double pivot = s%d_%d - sum;\n"
                "        good &= pivot > k->threshold * s%d_%d;\n"
                "        p%d = 1 / pivot;\n    }\n",
                i, i, i, i, i);
}

static void store(emitter *e, bool *entries, int rows, int columns, char name, const char *to,
                  bool triangle) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (triangle ? i : columns); j++)
            if (*at(entries, i, columns, j))
                ki_text_add(e->text, "    k->%s[%d] = %c%d_%d;\n", to, i * columns + j, name, i, j);
}

static void store_A(emitter *e) {
    ki_text_add(e->text, "    memcpy(k->A, %s, %d * sizeof(double));\n", e->through ? "to->M" : "A",
                keel_pattern_count(e->A));
    if (e->m)
        ki_text_add(e->text, "    memcpy(k->J, %s, %d * sizeof(double));\n", e->through ? "to->J" : "J",
                    keel_pattern_count(e->J));
    store(e, e->L, e->n, e->n, 'l', "L_A", true);
    store(e, e->Y, e->n, e->m, 'y', "Y", false);
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    k->d_inverse[%d] = d%d;\n", i, i);
}

static void store_S(emitter *e) {
    store(e, e->S, e->m, e->m, 's', "L_S", true);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    k->S_size[%d] = s%d_%d;\n    k->p_inverse[%d] = p%d;\n", i, i, i, i, i);
}

/* Leaves good = 0 if a pivot of S needs a judgement. */
static void write_factor_body(emitter *e) {
    find_given(e);
    ki_text_add(e->text, "    int good = 1;\n");
    declare(e, e->L, e->n, e->n, 'l', true);
    declare(e, e->Y, e->n, e->m, 'y', false);
    declare(e, e->S, e->m, e->m, 's', true);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double s%d_%d;\n", i, i);
    write_values(e);
    for (int i = 0; i < e->n; i++)
        write_A_row(e, i);
    store_A(e);
    write_S(e);
    for (int i = 0; i < e->m; i++)
        write_S_row(e, i);
    store_S(e);
}

static void write_factor(emitter *e) {
    e->through = false;
    ki_text_add(e->text, "int keel_factor(const struct places *k, const double *A, const double *J) {\n");
    write_factor_body(e);
    ki_text_add(e->text, "    return good ? 1 : 2;\n}\n\n");
}

/* ---- solve */

/* b <- L^-1 b */
static void write_lower(emitter *e, bool *L, int size, const int *first, char name, char b) {
    char entry[32];
    for (int i = 0; i < size; i++) {
        int products = 0;
        for (int k = first[i]; k < i; k++)
            if (*at(L, i, size, k)) {
                e->list[products].place = k - first[i];
                snprintf(e->list[products++].text, sizeof e->list->text, "%s * %c%d",
                         name_of_entry(e, name, i, k, size, entry), b, k);
            }
        if (!products)
            continue;
        ki_text_add(e->text, "    %c%d -= ", b, i);
        write_dot(e->text, e->list, products, i - first[i]);
        ki_text_add(e->text, ";\n");
        e->operations += 2 * products;
    }
}

/* b <- L^-T b */
static void write_lower_transposed(emitter *e, bool *L, int size, char name, char b) {
    char entry[32];
    for (int i = size - 1; i > 0; i--)
        for (int k = 0; k < i; k++)
            if (*at(L, i, size, k)) {
                ki_text_add(e->text, "    %c%d -= %s * %c%d;\n", b, k,
                            name_of_entry(e, name, i, k, size, entry), b, i);
                e->operations += 2;
            }
}

/* u = d \ u, w += Y^T u */
static void write_middle(emitter *e) {
    char entry[32];
    for (int k = 0; k < e->n; k++) {
        ki_text_add(e->text, "    u%d *= %s;\n", k, name_of_inverse(e, 'd', k, entry));
        for (int i = 0; i < e->m; i++)
            if (*at(e->Y, k, e->m, i))
                ki_text_add(e->text, "    w%d += u%d * %s;\n", i, k,
                            name_of_entry(e, 'y', k, i, e->m, entry));
    }
}

/* u -= d \ Y w */
static void write_Y_times(emitter *e) {
    char entry[32];
    for (int k = 0; k < e->n; k++) {
        int products = 0;
        for (int i = e->low[k]; i < e->high[k]; i++)
            if (*at(e->Y, k, e->m, i)) {
                e->list[products].place = i - e->low[k];
                snprintf(e->list[products++].text, sizeof e->list->text, "%s * w%d",
                         name_of_entry(e, 'y', k, i, e->m, entry), i);
            }
        if (!products)
            continue;
        ki_text_add(e->text, "    u%d -= %s * (", k, name_of_inverse(e, 'd', k, entry));
        write_dot(e->text, e->list, products, e->high[k] - e->low[k]);
        ki_text_add(e->text, ");\n");
        e->operations += 2 * products;
    }
}

/* Block 'u' or 'w' of the residual loses value * by<column>; or `size` gets its magnitude. */
static void write_term(emitter *e, bool size, char block, int row, const char *value, char by, int column) {
    if (size)
        ki_text_add(e->text, "    size_%c%d += fabs(%s * %c%d);\n", block, row, value, by, column);
    else
        ki_text_add(e->text, "    rest_%c%d -= %s * %c%d;\n", block, row, value, by, column);
    e->operations += 2;
}

static void write_terms(emitter *e, bool size) {
    char value[48] = "k->", *name = value + (e->through ? 0 : 3);
    for (int i = 0; i < e->n; i++)
        for (int p = e->A.start[i]; p < e->A.start[i + 1]; p++) {
            name_of_value(e, 'A', p, name);
            write_term(e, size, 'u', i, value, 'u', e->A.index[p]);
            if (e->A.index[p] < i)
                write_term(e, size, 'u', e->A.index[p], value, 'u', i);
        }
    for (int i = 0; i < e->m; i++)
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++) {
            name_of_value(e, 'J', p, name);
            write_term(e, size, 'w', i, value, 'u', e->J.index[p]);
            write_term(e, size, 'u', e->J.index[p], value, 'w', i);
        }
}

/* For a first look: sizes from the right-hand side and one term, which is less than the size. */
static void write_least_sizes(emitter *e) {
    char value[48] = "k->", *name = value + (e->through ? 0 : 3);
    for (int i = 0; i < e->n; i++) {
        name_of_value(e, 'A', e->A.start[i + 1] - 1, name);
        ki_text_add(e->text, "    double size_u%d = fabs(r%d) + fabs(%s * u%d);\n", i, i, value, i);
    }
    for (int i = 0; i < e->m; i++) {
        ki_text_add(e->text, "    double size_w%d = fabs(t%d)", i, i);
        if (e->J.start[i + 1] > e->J.start[i]) {
            name_of_value(e, 'J', e->J.start[i], name);
            ki_text_add(e->text, " + fabs(%s * u%d)", value, e->J.index[e->J.start[i]]);
        }
        ki_text_add(e->text, ";\n");
    }
}

/* Compared as a difference: what is infinite becomes a NaN and fails. */
static void write_small(emitter *e) {
    ki_text_add(e->text, "    small = 1;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    small &= fabs(rest_u%d) - k->tolerance * size_u%d <= 0;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    small &= fabs(rest_w%d) - k->tolerance * size_w%d <= 0;\n", i, i);
}

static void write_list(emitter *e, const char *name, int count) {
    for (int i = 0; i < count; i++)
        ki_text_add(e->text, "%s%d, ", name, i);
}

static void write_norms_of(emitter *e) {
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
static void write_residual(emitter *e) {
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

/* Scaled max-norms of the two blocks as in refine.c: |rest| w <= tolerance |size| w. A NaN shows in the sum.
 */
static void write_norm(emitter *e, char block, int count, const char *square) {
    ki_text_add(e->text,
                "static int small_%c(const struct places *k, const double *rest, const double *size) {\n"
                "    double most = 0, largest = 0, sum = 0;\n"
                "    for (int i = 0; i < %d; i++) {\n%s"
                "        const double w = square > 0 ? 1 / sqrt(square) : 1, r = fabs(rest[i]) * w;\n"
                "        most = r > most ? r : most;\n"
                "        largest = size[i] * w > largest ? size[i] * w : largest;\n"
                "        sum += size[i] * w;\n"
                "    }\n"
                "    return most <= k->tolerance * largest && sum <= LARGEST;\n"
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
    write_norm(e, 'x', e->n, "        const double square = k->A[A_START[i + 1] - 1];\n");
    write_norm(e, 'y', e->m,
               "        double square = 0;\n"
               "        for (int p = J_START[i]; p < J_START[i + 1]; p++)\n"
               "            square += k->J[p] * k->J[p];\n");
}

/* From r<i>, t<i> to x and y. */
static void write_solve_body(emitter *e) {
    char name[32];
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    double u%d = r%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double w%d = -t%d;\n", i, i);
    write_lower(e, e->L, e->n, e->L_first, 'l', 'u');
    write_middle(e);
    write_lower(e, e->S, e->m, e->S_first, 's', 'w');
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    w%d *= %s;\n", i, name_of_inverse(e, 'p', i, name));
    write_lower_transposed(e, e->S, e->m, 's', 'w');
    write_Y_times(e);
    write_lower_transposed(e, e->L, e->n, 'l', 'u');
    if (!e->through) /* who takes any residual need not know it */
        ki_text_add(e->text, "    if (k->tolerance < 1) {\n");
    write_residual(e);
    if (!e->through)
        ki_text_add(e->text, "    }\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    x[%d] = u%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    y[%d] = w%d;\n", i, i);
    ki_text_add(e->text, "    return 1;\n}\n\n");
}

static void write_solve(emitter *e) {
    e->through = false;
    ki_text_add(
        e->text,
        "int keel_solve(const struct places *k, const double *r, const double *s, double *x, double *y) {\n"
        "    const double *const L = k->L_A, *const d = k->d_inverse, *const Y = k->Y;\n"
        "    const double *const S = k->L_S, *const p = k->p_inverse;\n"
        "    (void)L, (void)Y, (void)S, (void)p, (void)s, (void)y;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    const double r%d = r[%d];\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    const double t%d = s[%d];\n", i, i);
    write_solve_body(e);
}

/* Factor and solve behind the statements that made M_<p>, J_<p>, Q_<i> and xi_<i>. */
static void write_through(emitter *e) {
    e->through = true;
    write_factor_body(e);
    ki_text_add(e->text, "    if (!good)\n        return 0;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    const double r%d = Q_%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    const double t%d = xi_%d;\n", i, i);
    write_solve_body(e);
}

/* The struct of saddle_code.h. */
static const char PLACES[] = "struct places {\n"
                             "    double *A, *J;\n"
                             "    const double *D;\n"
                             "    double *L_A, *d_inverse, *Y, *L_S, *p_inverse, *S_size;\n"
                             "    double threshold, tolerance;\n"
                             "};\n\n";

static void write_constants(emitter *e) {
    ki_text_add(e->text,
                "void *memcpy(void *, const void *, __SIZE_TYPE__);\n%sstatic const double NOISE = ", PLACES);
    ki_text_number(e->text, KI_PIVOT_NOISE_A);
    ki_text_add(e->text, ", LARGEST = ");
    ki_text_number(e->text, DBL_MAX);
    ki_text_add(e->text, ";\n\n");
}

/* Analyses the patterns and lets `write` go on; false when out of memory. */
static bool with_entries(emitter *e, void (*write)(emitter *e)) {
    size_t n = (size_t)e->n, m = (size_t)e->m, entries = n * n + n * m + m * m;
    e->L = calloc(2 * entries + 1, sizeof *e->L);
    e->L_first = calloc(3 * n + m + 1, sizeof *e->L_first);
    e->list = calloc(n + m + 1, sizeof *e->list);
    bool ok = e->L && e->L_first && e->list;
    if (ok) {
        e->Y = e->L + n * n;
        e->S = e->Y + n * m;
        e->A_given = e->L + entries;
        e->Y_given = e->A_given + n * n;
        e->S_given = e->Y_given + n * m;
        e->low = e->L_first + n;
        e->high = e->low + n;
        e->S_first = e->high + n;
        find_entries(e);
        find_ranges(e);
        write(e);
    }
    free(e->L);
    free(e->L_first);
    free(e->list);
    return ok && !e->text->failed;
}

static void write_both(emitter *e) {
    write_constants(e);
    write_norms(e);
    write_factor(e);
    write_solve(e);
}

bool ki_emit_saddle(keel_pattern A, keel_pattern J, long most, ki_text *text) {
    emitter e = {.A = A, .J = J, .n = A.rows, .m = J.rows, .text = text};
    return with_entries(&e, write_both) && e.operations <= most;
}

bool ki_emit_through(keel_pattern A, keel_pattern J, ki_text *text) {
    emitter e = {.A = A, .J = J, .n = A.rows, .m = J.rows, .text = text};
    return with_entries(&e, write_through);
}
