/* expr_helper.h - formulas of a few known names, for the tests of the layer. */
#ifndef EXPR_HELPER_H
#define EXPR_HELPER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expr/expr.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Symbols: x y z are 0 1 2, their velocities x' y' z' are 3 4 5, t is 6, u[1] .. u[9] are 11 .. 19.
 * Parameters: two = 2, N = 4, small = 1e-3, lambda.rod = 7, m[1,2] = 12, u[2].tip = 13. */
enum { X, Y, Z, DX, DY, DZ, T, U = 10, INPUTS = 20 };

typedef struct world {
    ki_graph *graph;
    keel_diagnostics *diagnostics;
    ki_node gradient[INPUTS]; /* KI_NONE: zero */
} world;

static inline world world_new(void) {
    world w = {.graph = ki_graph_new(), .diagnostics = keel_diagnostics_new()};
    assert_non_null(w.graph);
    assert_non_null(w.diagnostics);
    return w;
}

static inline void world_free(world *w) {
    ki_graph_free(w->graph);
    keel_diagnostics_free(w->diagnostics);
}

static inline ki_node look_up(void *user, const char *name, int primes, keel_location where,
                              keel_diagnostics *diagnostics) {
    static const struct {
        const char *name;
        double value;
    } PARAMETERS[] = {{"two", 2},        {"N", 4},       {"small", 1e-3},
                      {"lambda.rod", 7}, {"m[1,2]", 12}, {"u[2].tip", 13}};
    world *w = user;
    static const char *const COORDINATES[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, COORDINATES[i]) && primes < 2)
            return ki_symbol(w->graph, i + 3 * primes);
    if (!strcmp(name, "t") && !primes)
        return ki_symbol(w->graph, T);
    if (!strncmp(name, "u[", 2) && name[2] >= '1' && name[2] <= '9' && !strcmp(name + 3, "]") && !primes)
        return ki_symbol(w->graph, U + name[2] - '0');
    for (int i = 0; i < COUNT(PARAMETERS); i++)
        if (!strcmp(name, PARAMETERS[i].name) && !primes)
            return ki_number(w->graph, PARAMETERS[i].value);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "unknown name '%s' with %d primes", name, primes);
    return KI_NONE;
}

static inline ki_node parse_bytes(world *w, const char *text, size_t length) {
    ki_scope scope = {w, look_up};
    return ki_parse(w->graph, text, length, (keel_location){"f", 1, 1}, &scope, w->diagnostics);
}

static inline ki_node parse(world *w, const char *text) {
    ki_node node = parse_bytes(w, text, strlen(text));
    if (node == KI_NONE) {
        keel_diagnostic first = keel_diagnostics_get(w->diagnostics, 0);
        print_error("%s: column %d: %s\n", text, first.where.column, first.text);
    }
    assert_int_not_equal(node, KI_NONE);
    return node;
}

static inline void keep_partial(void *user, int id, ki_node derivative) {
    world *w = user;
    assert_true(id >= 0 && id < INPUTS);
    assert_int_equal(w->gradient[id], KI_NONE); /* once per symbol */
    w->gradient[id] = derivative;
}

static inline void gradient_of(world *w, ki_node f) {
    for (int i = 0; i < INPUTS; i++)
        w->gradient[i] = KI_NONE;
    assert_true(ki_gradient(w->graph, f, keep_partial, w));
}

/* The derivative with respect to a symbol, by ki_gradient. */
static inline ki_node partial(world *w, ki_node f, int id) {
    gradient_of(w, f);
    return w->gradient[id] == KI_NONE ? ki_number(w->graph, 0) : w->gradient[id];
}

/* The same by ki_total. */
typedef struct direction {
    world *w;
    int id;
} direction;

static inline ki_node unit_rate(void *user, int id) {
    direction *d = user;
    return ki_number(d->w->graph, id == d->id);
}

static inline ki_node total_along(world *w, ki_node f, int id) {
    direction d = {w, id};
    return ki_total(w->graph, f, unit_rate, &d);
}

/* Value by a tape of one output. */
static inline double tape_value(world *w, ki_node f, const double *inputs) {
    ki_tape *tape = ki_tape_new(w->graph, &f, 1, INPUTS);
    assert_non_null(tape);
    double *work = malloc(ki_tape_work_size(tape) * sizeof *work), value;
    ki_tape_prepare(tape, work);
    ki_tape_run(tape, inputs, work, &value);
    free(work);
    ki_tape_free(tape);
    return value;
}

static inline void assert_close_at(double a, double b, double tolerance, const char *what, int line) {
    bool same =
        a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
    if (!same)
        print_error("line %d: %s: %.17g is not %.17g\n", line, what, a, b);
    assert_true(same);
}
#define assert_close(a, b, tolerance, what) assert_close_at(a, b, tolerance, what, __LINE__)

#endif
