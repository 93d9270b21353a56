/* emit_panels.c - the sparse kernel (src/linalg/panels.c) as straight-line C for one pair of patterns.
 *
 *     K = P [A J^T; J -D] P^T = L d L^T      panel after panel, right-looking
 *
 * panels.h has the mathematics. Places in the panels that no value reaches are never written down; all others
 * see the operations of panels.c in the same order. Names in the text: v<slot> is an entry of K from which
 * products were subtracted, l<slot> one of L and h<slot> = l d; p<k>, d<k> are pivots and their inverses in
 * the order of elimination, taken<k> and size<k> what panels.h calls so; u<i>, w<i> the solution on its way.
 *
 * What stands in a row and a column of J is minus what panels.c has there: v, h, p and d, but not l. Products
 * then begin such an entry without being turned around, and rounding is the same for both signs. */
#include <stdio.h>
#include <stdlib.h>

#include "linalg/saddle_sparse.h"
#include "native/emit_saddle.h"

/* What is known of a place in the panels: nothing reaches it; a value of A, J or D stands there; products
 * were subtracted from it; it is an entry of L. */
enum { NOTHING, GIVEN, SUMMED, DONE };

typedef struct writer {
    ki_saddle_text *e;
    const ki_saddle_sparse *sparse;
    const ki_panels *F;
    int *source;   /* [values] which of the values of A, J and D stands there */
    int *panel_of; /* [size]                                                  */
    char *state;   /* [values]                                                */
    bool *taken;   /* [size] taken<k> exists                                  */
    bool *begun;   /* [size] the solution has a value                         */
} writer;

static ki_text *text_of(const writer *p) {
    return p->e->text;
}

/* Place of entry (row, column) of a panel; rows count from the top of its square. */
static int slot_of(const ki_panel *s, int row, int column) {
    return s->value + row * s->width + column;
}

/* ---- sums */

/* A name of a value of A, J or D by its number among them. */
static const char *name_of_given(const writer *p, int number, char buffer[32]) {
    int A_count = p->sparse->A_count, J_count = p->sparse->J_count;
    if (number < A_count)
        return ki_name_of_value(p->e, 'A', number, buffer);
    if (number < A_count + J_count)
        return ki_name_of_value(p->e, 'J', number - A_count, buffer);
    snprintf(buffer, 32, "k->D[%d]", number - A_count - J_count);
    return buffer;
}

/* K at a place where something is, before the elimination of its panel. */
static void write_entry(const writer *p, int slot) {
    char name[32];
    if (p->state[slot] == GIVEN)
        ki_text_add(text_of(p), "%s", name_of_given(p, p->source[slot], name));
    else
        ki_text_add(text_of(p), "v%d", slot);
}

/* Products of rows a and b of a panel: sum over the first `count` columns of l_a h_b; false if there are none
 * (nothing is written then). */
static bool write_dot(const writer *p, const ki_panel *s, int a, int b, int count, const char *before,
                      const char *after) {
    bool any = false;
    for (int c = 0; c < count; c++) {
        int l = slot_of(s, a, c), h = slot_of(s, b, c);
        if (p->state[l] != DONE || p->state[h] != DONE)
            continue;
        ki_text_add(text_of(p), "%s", any ? " + " : before);
        ki_text_add(text_of(p), "l%d * h%d", l, h);
        p->e->operations += 2;
        any = true;
    }
    if (any)
        ki_text_add(text_of(p), "%s", after);
    return any;
}

/* ---- factor */

/* Whether row `row` of a panel, counted from the top of its square, has the other sign. */
static bool is_minus(const writer *p, const ki_panel *s, int row) {
    int k = row < s->width ? s->first + row : p->F->row[s->below + row - s->width];
    return s->of_J && p->F->order[k] >= p->F->n;
}

/* h = row L^-T of the square, for the first `count` columns; l = h d^-1, which is kept */
static void write_row(writer *p, const ki_panel *s, int row, int count) {
    for (int j = 0; j < count; j++) {
        int slot = slot_of(s, row, j);
        bool any = p->state[slot] != NOTHING;
        for (int c = 0; c < j; c++)
            any |= p->state[slot_of(s, row, c)] == DONE && p->state[slot_of(s, j, c)] == DONE;
        if (!any)
            continue;
        ki_text_add(text_of(p), "    const double h%d = ", slot);
        if (p->state[slot] != NOTHING)
            write_entry(p, slot);
        for (int c = 0; c < j; c++)
            if (p->state[slot_of(s, row, c)] == DONE && p->state[slot_of(s, j, c)] == DONE) {
                ki_text_add(text_of(p), " - h%d * l%d", slot_of(s, row, c), slot_of(s, j, c));
                p->e->operations += 2;
            }
        ki_text_add(text_of(p), ", l%d = h%d * %s%d;\n    L[%d] = l%d;\n", slot, slot,
                    s->of_J && !is_minus(p, s, row) ? "-d" : "d", s->first + j, slot, slot);
        p->state[slot] = DONE;
        p->e->operations++;
    }
}

/* The pivot of unknown k, as in panels.c: not positive, and all is given back */
static void write_pivot_of_A(writer *p, int k) {
    char name[32];
    name_of_given(p, p->F->diagonal[k], name);
    ki_text_add(text_of(p), "    if (!(%s > 0 && p%d > NOISE * %s))\n        return 0;\n", name, k, name);
}

/* The pivot of a row of J: what needs a judgement is given back. The diagonal before it is `slot`. */
static void write_pivot_of_J(writer *p, int k, int slot) {
    ki_text_add(text_of(p), "    const double size%d = ", k);
    if (p->state[slot] != NOTHING)
        write_entry(p, slot);
    if (p->taken[k])
        ki_text_add(text_of(p), " + taken%d", k);
    else if (p->state[slot] == NOTHING)
        ki_text_add(text_of(p), "0");
    ki_text_add(text_of(p), ";\n    if (!(p%d > threshold * size%d))\n        return 0;\n", k, k);
    ki_text_add(text_of(p), "    size[%d] = size%d;\n", p->F->order[k] - p->F->n, k);
}

static void write_square(writer *p, const ki_panel *s) {
    for (int i = 0; i < s->width; i++) {
        int k = s->first + i, slot = slot_of(s, i, i);
        write_row(p, s, i, i);
        ki_text_add(text_of(p), "    const double p%d = ", k);
        if (p->state[slot] != NOTHING)
            write_entry(p, slot);
        if (!write_dot(p, s, i, i, i, " - (", ")") && p->state[slot] == NOTHING)
            ki_text_add(text_of(p), "0");
        ki_text_add(text_of(p), ";\n");
        if (s->of_J)
            write_pivot_of_J(p, k, slot);
        else
            write_pivot_of_A(p, k);
        ki_text_add(text_of(p), "    const double d%d = 1 / p%d;\n    d[%d] = %s%d;\n", k, k, k,
                    s->of_J ? "-d" : "d", k);
    }
}

/* K_ab -= l_a h_b for two rows below */
static void write_product(writer *p, const ki_panel *s, int a, int b) {
    const int *row = p->F->row + s->below, *order = p->F->order;
    int slot = ki_panels_slot(p->F, p->panel_of, row[a], row[b]);
    signed char state = p->state[slot];
    bool to_minus = order[row[a]] >= p->F->n && order[row[b]] >= p->F->n;
    const char *sign = is_minus(p, s, s->width + b) == to_minus ? "-" : "+";
    char start[96], name[32];
    if (state == SUMMED)
        snprintf(start, sizeof start, "    v%d %s= (", slot, sign);
    else
        snprintf(start, sizeof start, "    double v%d = %s %s (", slot,
                 state == GIVEN ? name_of_given(p, p->source[slot], name) : "", sign);
    if (write_dot(p, s, s->width + a, s->width + b, s->width, start, ");\n"))
        p->state[slot] = SUMMED;
}

static void write_products(writer *p, const ki_panel *s) {
    for (int b = 0; b < s->rows; b++)
        for (int a = b; a < s->rows; a++)
            write_product(p, s, a, b);
}

/* What a panel of rows of J takes away from the rows of J below; h has the other sign. */
static void write_taken(writer *p, const ki_panel *s) {
    const int *row = p->F->row + s->below;
    char start[64];
    for (int b = 0; b < s->rows; b++) {
        if (p->F->order[row[b]] < p->F->n)
            continue;
        snprintf(start, sizeof start, p->taken[row[b]] ? "    taken%d += (" : "    double taken%d = (",
                 row[b]);
        p->taken[row[b]] |= write_dot(p, s, s->width + b, s->width + b, s->width, start, ");\n");
    }
}

static void write_panel(writer *p, const ki_panel *s) {
    write_square(p, s);
    for (int a = 0; a < s->rows; a++)
        write_row(p, s, s->width + a, s->width);
    write_products(p, s);
    if (s->of_J)
        write_taken(p, s);
}

/* ---- solve */

/* The unknown that is eliminated k-th. */
static const char *name_of_unknown(const writer *p, int k, char buffer[32]) {
    int number = p->F->order[k];
    if (number < p->F->n)
        snprintf(buffer, 32, "u%d", number);
    else
        snprintf(buffer, 32, "w%d", number - p->F->n);
    return buffer;
}

/* Writes `before`, then L at `slot` times unknown k; false and nothing if no value reaches that place. */
static bool write_times(const writer *p, const char *before, int slot, int k) {
    char name[32];
    if (p->state[slot] != DONE)
        return false;
    ki_text_add(text_of(p), "%sL[%d] * %s", before, slot, name_of_unknown(p, k, name));
    p->e->operations += 2;
    return true;
}

/* Writes the beginning of a statement that changes unknown k: with the right-hand side if it is the first. */
static void write_change(writer *p, int k) {
    char name[32];
    int number = p->F->order[k], n = p->F->n;
    name_of_unknown(p, k, name);
    if (p->begun[k])
        ki_text_add(text_of(p), "    %s = %s", name, name);
    else if (number < n)
        ki_text_add(text_of(p), "    double %s = r[%d]", name, number);
    else
        ki_text_add(text_of(p), "    double %s = s[%d]", name, number - n);
    p->begun[k] = true;
}

static bool reaches(const writer *p, const ki_panel *s, int row, int count) {
    for (int c = 0; c < count; c++)
        if (p->state[slot_of(s, row, c)] == DONE)
            return true;
    return false;
}

/* b <- L^-1 b for the columns of a panel */
static void write_forward(writer *p, const ki_panel *s) {
    for (int i = 0; i < s->width; i++) {
        if (p->begun[s->first + i] && !reaches(p, s, i, i))
            continue;
        write_change(p, s->first + i);
        for (int c = 0; c < i; c++)
            write_times(p, " - ", slot_of(s, i, c), s->first + c);
        ki_text_add(text_of(p), ";\n");
    }
    for (int a = 0; a < s->rows; a++) {
        bool any = false;
        if (!reaches(p, s, s->width + a, s->width))
            continue;
        write_change(p, p->F->row[s->below + a]);
        for (int c = 0; c < s->width; c++)
            any |= write_times(p, any ? " + " : " - (", slot_of(s, s->width + a, c), s->first + c);
        ki_text_add(text_of(p), ");\n");
    }
}

/* b <- L^-T d^-1 b for the columns of a panel: each loses its rows below, then those of the square from the
 * last one up */
static void write_backward(const writer *p, const ki_panel *s) {
    char name[32];
    for (int c = s->width - 1; c >= 0; c--) {
        name_of_unknown(p, s->first + c, name);
        ki_text_add(text_of(p), "    %s = %s * d[%d]", name, name, s->first + c);
        for (int a = 0; a < s->rows; a++)
            write_times(p, " - ", slot_of(s, s->width + a, c), p->F->row[s->below + a]);
        for (int i = s->width - 1; i > c; i--)
            write_times(p, " - ", slot_of(s, i, c), s->first + i);
        ki_text_add(text_of(p), ";\n");
    }
}

/* ---- all of it */

static void find_given(writer *p) {
    int values = p->sparse->A_count + p->sparse->J_count + p->e->m;
    for (int i = 0; i < values; i++) {
        p->state[p->sparse->slot[i]] = GIVEN;
        p->source[p->sparse->slot[i]] = i;
    }
}

static void write_factor(writer *p) {
    find_given(p);
    ki_text_add(text_of(p), "int keel_factor(const struct places *k, const double *A, const double *J) {\n"
                            "    double *restrict const L = k->panels, *restrict const d = k->d_inverse;\n"
                            "    double *restrict const size = k->S_size;\n"
                            "    const double threshold = k->threshold;\n");
    for (int s = 0; s < p->F->count; s++)
        write_panel(p, &p->F->panel[s]);
    ki_text_add(text_of(p),
                "    memcpy(k->A, A, %d * sizeof(double));\n"
                "    memcpy(k->J, J, %d * sizeof(double));\n"
                "    return 1;\n}\n\n",
                p->sparse->A_count, p->sparse->J_count);
}

/* Both substitutions and the look at the residual read what they need from memory again: a value that cannot
 * stay in its register for so long need not be written to the stack as well. */
static const char FORGET[] = "#ifdef __GNUC__\n"
                             "#define FORGET __asm__ volatile(\"\" ::: \"memory\")\n"
                             "#else\n"
                             "#define FORGET (void)0\n"
                             "#endif\n\n";

static void write_solve(writer *p) {
    ki_text_add(
        text_of(p),
        "%sint keel_solve(const struct places *k, const double *r, const double *s, double *x, double *y) {\n"
        "    const double *const L = k->panels, *const d = k->d_inverse;\n",
        FORGET);
    for (int s = 0; s < p->F->count; s++)
        write_forward(p, &p->F->panel[s]);
    ki_text_add(text_of(p), "    FORGET;\n");
    for (int s = p->F->count - 1; s >= 0; s--)
        write_backward(p, &p->F->panel[s]);
    ki_text_add(text_of(p), "    FORGET;\n");
    ki_write_look(p->e);
    for (int i = 0; i < p->e->n; i++)
        ki_text_add(text_of(p), "    x[%d] = u%d;\n", i, i);
    for (int i = 0; i < p->e->m; i++)
        ki_text_add(text_of(p), "    y[%d] = w%d;\n", i, i);
    ki_write_end(p->e);
}

bool ki_write_panels(ki_saddle_text *e, const ki_saddle_sparse *sparse) {
    size_t values = (size_t)sparse->panels.value_count + 1, size = (size_t)sparse->panels.size + 1;
    writer p = {.e = e, .sparse = sparse, .F = &sparse->panels};
    p.source = calloc(values, sizeof *p.source);
    p.state = calloc(values, sizeof *p.state);
    p.panel_of = calloc(size, sizeof *p.panel_of);
    p.taken = calloc(size, sizeof *p.taken);
    p.begun = calloc(size, sizeof *p.begun);
    bool ok = p.source && p.state && p.panel_of && p.taken && p.begun;
    if (ok) {
        ki_panels_of_columns(p.F, p.panel_of);
        write_factor(&p);
        write_solve(&p);
    }
    free(p.source);
    free(p.state);
    free(p.panel_of);
    free(p.taken);
    free(p.begun);
    return ok && !e->text->failed;
}
