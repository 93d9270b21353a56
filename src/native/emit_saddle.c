/* emit_saddle.c - the kernel as straight-line C for one pair of patterns: that of the dense path
 * (src/linalg/saddle_dense.c). The sparse one is in emit_panels.c.
 *
 * emit_saddle.h has the mathematics and the names. An entry that no value reaches is never written down; all
 * others see the operations of the dense kernel in the same order, sums of more than KI_SHORT products
 * included. */
#include "native/emit_saddle.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "linalg/dense.h"

/* b <- L^-1 b */
static void write_lower(ki_saddle_text *e, bool *L, int size, const int *first, char name, char b) {
    char entry[32];
    for (int i = 0; i < size; i++) {
        int products = 0;
        for (int k = first[i]; k < i; k++)
            if (*ki_entry(L, i, size, k)) {
                e->list[products].place = k - first[i];
                snprintf(e->list[products++].text, sizeof e->list->text, "%s * %c%d",
                         ki_name_of_entry(e, name, i, k, size, entry), b, k);
            }
        if (!products)
            continue;
        ki_text_add(e->text, "    %c%d -= ", b, i);
        ki_write_dot(e->text, e->list, products, i - first[i]);
        ki_text_add(e->text, ";\n");
        e->operations += 2 * products;
    }
}

/* b <- L^-T b */
static void write_lower_transposed(ki_saddle_text *e, bool *L, int size, char name, char b) {
    char entry[32];
    for (int i = size - 1; i > 0; i--)
        for (int k = 0; k < i; k++)
            if (*ki_entry(L, i, size, k)) {
                ki_text_add(e->text, "    %c%d -= %s * %c%d;\n", b, k,
                            ki_name_of_entry(e, name, i, k, size, entry), b, i);
                e->operations += 2;
            }
}

/* u = d \ u, w += Y^T u */
static void write_middle(ki_saddle_text *e) {
    char entry[32];
    for (int k = 0; k < e->n; k++) {
        ki_text_add(e->text, "    u%d *= %s;\n", k, ki_name_of_inverse(e, 'd', k, entry));
        for (int i = 0; i < e->m; i++)
            if (*ki_entry(e->Y, k, e->m, i))
                ki_text_add(e->text, "    w%d += u%d * %s;\n", i, k,
                            ki_name_of_entry(e, 'y', k, i, e->m, entry));
    }
}

/* u -= d \ Y w, short sums backwards as in saddle_dense.c */
static void write_Y_times(ki_saddle_text *e) {
    char entry[32];
    for (int k = 0; k < e->n; k++) {
        int products = 0, low = e->low[k], high = e->high[k];
        bool backwards = high - low <= KI_SHORT;
        for (int j = low; j < high; j++) {
            int i = backwards ? high - 1 - (j - low) : j;
            if (*ki_entry(e->Y, k, e->m, i)) {
                e->list[products].place = i - e->low[k];
                snprintf(e->list[products++].text, sizeof e->list->text, "%s * w%d",
                         ki_name_of_entry(e, 'y', k, i, e->m, entry), i);
            }
        }
        if (!products)
            continue;
        ki_text_add(e->text, "    u%d -= %s * (", k, ki_name_of_inverse(e, 'd', k, entry));
        ki_write_dot(e->text, e->list, products, e->high[k] - e->low[k]);
        ki_text_add(e->text, ");\n");
        e->operations += 2 * products;
    }
}

/* From r<i>, t<i> to u<i>, w<i>. */
static void write_apply(ki_saddle_text *e) {
    char name[32];
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    double u%d = r%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    double w%d = -t%d;\n", i, i);
    write_lower(e, e->L, e->n, e->L_first, 'l', 'u');
    write_middle(e);
    write_lower(e, e->S, e->m, e->S_first, 's', 'w');
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    w%d *= %s;\n", i, ki_name_of_inverse(e, 'p', i, name));
    write_lower_transposed(e, e->S, e->m, 's', 'w');
    write_Y_times(e);
    write_lower_transposed(e, e->L, e->n, 'l', 'u');
}

/* The same, and on to x and y. */
static void write_solve_body(ki_saddle_text *e) {
    write_apply(e);
    if (!e->through) /* who takes any residual need not know it */
        ki_text_add(e->text, "    if (k->tolerance < 1) {\n");
    ki_write_residual(e);
    if (!e->through)
        ki_text_add(e->text, "    }\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    x[%d] = u%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    y[%d] = w%d;\n", i, i);
    ki_text_add(e->text, "    return 1;\n}\n\n");
}

static void write_factor(ki_saddle_text *e) {
    e->through = false;
    ki_text_add(e->text, "int keel_factor(const struct places *k, const double *A, const double *J) {\n");
    ki_write_factor(e);
    ki_text_add(e->text, "    return good ? 1 : 2;\n}\n\n");
}

static void write_solve(ki_saddle_text *e) {
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

/* Factors behind the statements that made M_<p>, J_<p>, Q_<i> and xi_<i>, which become r<i> and t<i>. */
static void write_through_factor(ki_saddle_text *e) {
    e->through = true;
    ki_write_factor(e);
    ki_text_add(e->text, "    if (!good)\n        return 0;\n");
    for (int i = 0; i < e->n; i++)
        ki_text_add(e->text, "    const double r%d = Q_%d;\n", i, i);
    for (int i = 0; i < e->m; i++)
        ki_text_add(e->text, "    const double t%d = xi_%d;\n", i, i);
}

static void write_through(ki_saddle_text *e) {
    write_through_factor(e);
    write_solve_body(e);
}

static void write_stage(ki_saddle_text *e) {
    e->stage = true;
    write_through_factor(e);
    write_apply(e);
    ki_write_raised_rows(e);
}

/* The struct of saddle_code.h. */
static const char PLACES[] = "struct places {\n"
                             "    double *A, *J;\n"
                             "    const double *D;\n"
                             "    double *panels, *L_A, *d_inverse, *Y, *L_S, *p_inverse, *S_size;\n"
                             "    double threshold, tolerance, delta, left;\n"
                             "    int *raised;\n"
                             "};\n\n";

/* ki_pivots_judge of saddle_internal.h, for a threshold that leaves no pivot in between. */
static const char RAISE[] = "static inline double raise(double pivot, double by) {\n"
                            "    const double raised = (pivot > 0 ? pivot : 0) + by;\n"
                            "    return raised > 0 ? raised : 1;\n"
                            "}\n\n";

static void write_constants(ki_saddle_text *e) {
    ki_text_add(e->text,
                "void *memcpy(void *, const void *, __SIZE_TYPE__);\n%sstatic const double NOISE = ", PLACES);
    ki_text_number(e->text, KI_PIVOT_NOISE_A);
    ki_text_add(e->text, ", LARGEST = ");
    ki_text_number(e->text, DBL_MAX);
    ki_text_add(e->text, ", CONDITION = ");
    ki_text_number(e->text, KI_STAGE_CONDITION);
    ki_text_add(e->text, ";\n\n%s", RAISE);
}

/* Analyses the patterns and lets `write` go on; false when out of memory. */
static bool with_entries(ki_saddle_text *e, void (*write)(ki_saddle_text *e)) {
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
        ki_find_entries(e);
        ki_find_ranges(e);
        write(e);
    }
    free(e->L);
    free(e->L_first);
    free(e->list);
    return ok && !e->text->failed;
}

static void write_both(ki_saddle_text *e) {
    write_factor(e);
    write_solve(e);
}

static ki_saddle_text text_for(const keel_saddle *K, ki_text *text) {
    return (ki_saddle_text){.A = K->A, .J = K->J, .n = K->n, .m = K->m, .sparse = K->sparse, .text = text};
}

bool ki_emit_saddle(const keel_saddle *K, long most, ki_text *text) {
    ki_saddle_text e = text_for(K, text);
    write_constants(&e);
    ki_write_norms(&e);
    ki_write_products(&e);
    return (K->sparse ? ki_write_panels(&e, K->sparse) : with_entries(&e, write_both)) &&
           e.operations <= most;
}

bool ki_emit_through(const keel_saddle *K, ki_text *text) {
    ki_saddle_text e = text_for(K, text);
    return with_entries(&e, write_through);
}

bool ki_emit_stage(const keel_saddle *K, ki_text *text) {
    ki_saddle_text e = text_for(K, text);
    return with_entries(&e, write_stage);
}
