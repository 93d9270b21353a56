/* emit_factor.c - A = L d L^T, Y = L^-1 J^T, S = Y^T d^-1 Y + D = P p P^T as statements. */
#include <stdio.h>

#include "native/emit_saddle.h"

/* Row i of L d L^T in place, named `name`, inverse pivots `inverse`: `pivot`, which is the diagonal entry,
 * loses the sum of v^2 / d. */
static void write_row(ki_saddle_text *e, bool *L, int size, const int *first, char name, char inverse, int i,
                      const bool *given) {
    for (int j = first[i]; j < i; j++) {
        int begin = first[j] > first[i] ? first[j] : first[i], products = 0;
        for (int k = begin; k < j; k++)
            if (*ki_entry(L, j, size, k) && *ki_entry(L, i, size, k)) {
                e->list[products].place = k - begin;
                snprintf(e->list[products++].text, sizeof e->list->text, "%c%d_%d * v%d", name, j, k, k);
            }
        if (!*ki_entry(L, i, size, j))
            continue;
        ki_text_add(e->text, "        const double v%d = ", j);
        if (given[(size_t)i * (size_t)size + (size_t)j])
            ki_text_add(e->text, "%c%d_%d", name, i, j);
        ki_text_add(e->text, products ? " - (" : "");
        ki_write_dot(e->text, e->list, products, j - begin);
        ki_text_add(e->text, products ? ");\n" : ";\n");
        e->operations += 2 * products;
    }
    for (int j = first[i]; j < i; j++)
        if (*ki_entry(L, i, size, j)) {
            ki_text_add(e->text, "        %c%d_%d = v%d * %c%d;\n", name, i, j, j, inverse, j);
            ki_text_add(e->text, "        pivot -= v%d * v%d * %c%d;\n", j, j, inverse, j);
            e->operations += 4;
        }
}

static void declare(ki_saddle_text *e, bool *entries, int rows, int columns, char name, bool triangle) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (triangle ? i : columns); j++)
            if (*ki_entry(entries, i, columns, j))
                ki_text_add(e->text, "    double %c%d_%d;\n", name, i, j);
}

/* The values. What is not finite shows in the pivots. */
static void write_values(ki_saddle_text *e) {
    char name[32];
    for (int i = 0; i < e->n; i++) {
        int p = e->A.start[i];
        for (; p < e->A.start[i + 1] - 1; p++)
            ki_text_add(e->text, "    l%d_%d = %s;\n", i, e->A.index[p], ki_name_of_value(e, 'A', p, name));
        ki_text_add(e->text, "    const double a%d = %s;\n", i, ki_name_of_value(e, 'A', p, name));
    }
    for (int i = 0; i < e->m; i++) {
        for (int p = e->J.start[i]; p < e->J.start[i + 1]; p++)
            ki_text_add(e->text, "    y%d_%d = %s;\n", e->J.index[p], i, ki_name_of_value(e, 'J', p, name));
    }
}

static void write_A_row(ki_saddle_text *e, int i) {
    ki_text_add(e->text, "    double d%d;\n    {\n        double pivot = a%d;\n", i, i);
    write_row(e, e->L, e->n, e->L_first, 'l', 'd', i, e->A_given);
    ki_text_add(
        e->text,
        "        if (!(pivot > NOISE * a%d))\n            return 0;\n        d%d = 1 / pivot;\n    }\n", i,
        i);
    if (e->stage)
        ki_text_add(e->text, "    good &= a%d * d%d < CONDITION;\n", i, i);
    for (int k = 0; k < i; k++)
        for (int c = 0; *ki_entry(e->L, i, e->n, k) && c < e->m; c++)
            if (*ki_entry(e->Y, k, e->m, c)) {
                bool *given = ki_entry(e->Y_given, i, e->m, c);
                ki_text_add(e->text, *given ? "    y%d_%d -= " : "    y%d_%d = -", i, c);
                ki_text_add(e->text, "(l%d_%d * y%d_%d);\n", i, k, k, c);
                *given = true;
                e->operations += 2;
            }
}

/* S = sum over k of y_k d_k y_k^T, + D */
static void write_S(ki_saddle_text *e) {
    for (int k = 0; k < e->n; k++)
        for (int i = 0; i < e->m; i++) {
            if (!*ki_entry(e->Y, k, e->m, i))
                continue;
            ki_text_add(e->text, "    const double c%d_%d = y%d_%d * d%d;\n", k, i, k, i, k);
            for (int j = 0; j <= i; j++)
                if (*ki_entry(e->Y, k, e->m, j)) {
                    bool *given = ki_entry(e->S_given, i, e->m, j);
                    ki_text_add(e->text, "    s%d_%d %s c%d_%d * y%d_%d;\n", i, j, *given ? "+=" : "=", k, i,
                                k, j);
                    *given = true;
                    e->operations += 2;
                }
        }
    for (int i = 0; i < e->m; i++)
        if (!e->through || !*ki_entry(e->S_given, i, e->m, i)) /* D is zero in a rate */
            ki_text_add(e->text,
                        *ki_entry(e->S_given, i, e->m, i) ? "    s%d_%d += k->D[%d];\n"
                                                          : "    s%d_%d = k->D[%d];\n",
                        i, i, i);
}

static void write_S_row(ki_saddle_text *e, int i) {
    ki_text_add(e->text, "    double p%d;\n    int raised_%d;\n    {\n        double pivot = s%d_%d;\n", i, i,
                i, i);
    write_row(e, e->S, e->m, e->S_first, 's', 'p', i, e->S_given);
    ki_text_add(e->text,
                "        const int enough = pivot > k->threshold * s%d_%d;\n"
                "        good &= enough | (k->delta > 0);\n"
                "        raised_%d = !enough;\n"
                "        p%d = 1 / (enough ? pivot : raise(pivot, k->delta * s%d_%d));\n    }\n",
                i, i, i, i, i, i);
    if (e->stage)
        ki_text_add(e->text, "    good &= s%d_%d * p%d < CONDITION;\n", i, i, i);
}

static void store(ki_saddle_text *e, bool *entries, int rows, int columns, char name, const char *to,
                  bool triangle) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (triangle ? i : columns); j++)
            if (*ki_entry(entries, i, columns, j))
                ki_text_add(e->text, "    k->%s[%d] = %c%d_%d;\n", to, i * columns + j, name, i, j);
}

static void store_A(ki_saddle_text *e) {
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

static void store_S(ki_saddle_text *e) {
    store(e, e->S, e->m, e->m, 's', "L_S", true);
    for (int i = 0; i < e->m; i++)
        ki_text_add(
            e->text,
            "    k->S_size[%d] = s%d_%d;\n    k->p_inverse[%d] = p%d;\n    k->raised[%d] = raised_%d;\n", i,
            i, i, i, i, i, i);
}

/* Leaves good = 0 if a pivot of S needs a judgement, or if the matrix is not good enough for a stage. */
void ki_write_factor(ki_saddle_text *e) {
    ki_find_given(e);
    ki_text_add(e->text, "    int good = 1;\n");
    declare(e, e->L, e->n, e->n, 'l', true);
    declare(e, e->Y, e->n, e->m, 'y', false);
    declare(e, e->S, e->m, e->m, 's', true);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double s%d_%d;\n", i, i);
    write_values(e);
    for (int i = 0; i < e->n; i++)
        write_A_row(e, i);
    if (!e->stage)
        store_A(e);
    write_S(e);
    for (int i = 0; i < e->m; i++)
        write_S_row(e, i);
    if (!e->stage)
        store_S(e);
}
