/* fuzz_expr.c - libFuzzer target: any bytes may be read as a formula, and either are one or get one message
 * with a place inside of the text. What can be read is differentiated, compiled and evaluated. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 8, LONGEST = 4096 };

typedef struct world {
    ki_graph *graph;
    ki_node outputs[INPUTS + 3];
    int count;
} world;

/* x y z t q[1] are symbols with velocities, N is 3, everything else is unknown. */
static ki_node look_up(void *user, const char *name, int primes, keel_location where,
                       keel_diagnostics *list) {
    static const char *const NAMES[] = {"x", "y", "z", "q[1]"};
    world *w = user;
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, NAMES[i]) && primes < 2)
            return ki_symbol(w->graph, i + 4 * primes);
    if (!strcmp(name, "N"))
        return ki_number(w->graph, 3);
    keel_diagnostics_add(list, KEEL_ERROR, where, "unknown name '%s'", name);
    return KI_NONE;
}

static void keep_partial(void *user, int id, ki_node derivative) {
    world *w = user;
    if (id < 0 || id >= INPUTS || derivative == KI_NONE)
        abort();
    w->outputs[w->count++] = derivative;
}

static ki_node rate(void *user, int id) {
    world *w = user;
    return id < 4 ? ki_symbol(w->graph, id + 4) : ki_number(w->graph, 0);
}

static void evaluate(world *w) {
    static const double AT[][INPUTS] = {{0}, {0.5, -1.5, 2, 1e3, 1, -2, 0.25, 7}};
    ki_tape *tape = ki_tape_new(w->graph, w->outputs, w->count, INPUTS);
    if (!tape)
        abort();
    double *work = malloc(ki_tape_work_size(tape) * sizeof *work), values[INPUTS + 3];
    ki_tape_prepare(tape, work);
    for (int i = 0; work && i < 2; i++) {
        ki_tape_run(tape, AT[i], work, values);
        ki_evaluate(w->graph, w->outputs[0], AT[i]);
    }
    free(work);
    ki_tape_free(tape);
}

static void use(world *w, ki_node f) {
    w->outputs[w->count++] = f;
    if (!ki_gradient(w->graph, f, keep_partial, w))
        abort();
    ki_node df = ki_total(w->graph, f, rate, w), ddf = ki_total(w->graph, df, rate, w);
    if (df == KI_NONE || ddf == KI_NONE)
        abort();
    w->outputs[w->count++] = df;
    w->outputs[w->count++] = ddf;
    evaluate(w);
}

/* A sum of a million terms is allowed, but too slow to be tried thousands of times. */
static bool may_be_slow(const char *text, size_t size) {
    int digits = 0;
    bool sum = false, large = false;
    for (size_t i = 0; i < size; i++) {
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
        large = large || digits > 3 || text[i] == '^' || text[i] == 'e' || text[i] == 'E';
        sum = sum || (size - i >= 3 && !memcmp(text + i, "sum", 3));
    }
    return size > LONGEST || (sum && large);
}

static void check_message(const keel_diagnostics *list, const char *text, size_t size) {
    int lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    if (keel_diagnostics_count(list) != 1)
        abort();
    keel_location where = keel_diagnostics_get(list, 0).where;
    if (where.line < 1 || where.line > lines || where.column < 1 || where.column > (int)size + 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    if (may_be_slow(text, size))
        return 0;
    world w = {.graph = ki_graph_new()};
    keel_diagnostics *list = keel_diagnostics_new();
    ki_scope scope = {&w, look_up};
    ki_node f = ki_parse(w.graph, text, size, (keel_location){"f", 1, 1}, &scope, list);
    if (f == KI_NONE)
        check_message(list, text, size);
    else if (keel_diagnostics_count(list))
        abort();
    else
        use(&w, f);
    ki_graph_free(w.graph);
    keel_diagnostics_free(list);
    return 0;
}
