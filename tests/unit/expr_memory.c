/* Out of memory at every possible moment: a failure is reported, nothing is lost and nothing crashes. */
#include "expr/graph.h"
#include "expr_helper.h"

/* Stands in front of the layer's own: fails from the given call on, or only at it. */
static long calls, failing_call;
static bool only_once;

void *ki_expr_resize(void *block, size_t count, size_t size) {
    calls++;
    if (failing_call && (only_once ? calls == failing_call : calls >= failing_call))
        return NULL;
    return realloc(block, count > 0 && size > 0 ? count * size : 1);
}

static const char TEXT[] = "sum(i, 1, 9, sin(u[i]*x)*u[i]^2/(1 + y^2)) + if(x > y, x*z, hypot(x, y)^3)"
                           " + min(x, 30 deg) + atan2(sqrt(x), abs(y)) + 2^x + x^y - max(tan(x), tanh(z))";

static const char LINE[] = "3*x + sin(y)";

typedef struct outcome {
    ki_node f;
    bool gradient;
    ki_node total, substituted, rest;
    bool split; /* a formula into its linear part and the rest */
    double value;
    ki_tape *tape;
    bool failed;
} outcome;

static ki_node symbol_rate(void *user, int id) {
    world *w = user;
    return ki_symbol(w->graph, (id + 1) % INPUTS);
}

static void keep_last(void *user, int id, ki_node derivative) {
    (void)id;
    *(ki_node *)user = derivative;
}

static void ignore_symbol(void *user, int id) {
    (void)user;
    (void)id;
}

/* Everything the layer can do, on one graph. */
static outcome use_everything(world *w) {
    outcome o = {.tape = NULL, .rest = KI_NONE};
    double inputs[INPUTS], slope;
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = 0.3 + 0.01 * i;
    ki_node last = KI_NONE;
    o.f = parse_bytes(w, TEXT, strlen(TEXT));
    o.gradient = ki_gradient(w->graph, o.f, keep_last, &last);
    o.total = ki_total(w->graph, o.f, symbol_rate, w);
    o.substituted = ki_substitute(w->graph, o.f, symbol_rate, w);
    o.split = ki_split_linear(w->graph, parse_bytes(w, LINE, strlen(LINE)), X, &slope, &o.rest);
    o.value = ki_evaluate(w->graph, o.f, inputs);
    ki_symbols_of(w->graph, o.f, ignore_symbol, NULL);
    ki_node outputs[] = {o.f, last, o.total, o.substituted};
    ki_shortener *shortener = ki_shortener_new(w->graph, outputs, COUNT(outputs), 0, INPUTS);
    bool shortened = shortener && ki_shorten(shortener, outputs, COUNT(outputs));
    ki_shortener_free(shortener);
    o.tape = shortened ? ki_tape_new(w->graph, outputs, COUNT(outputs), INPUTS) : NULL;
    o.failed = ki_graph_failed(w->graph);
    return o;
}

static bool try_once(void) {
    world w = {.graph = ki_graph_new(), .diagnostics = keel_diagnostics_new()};
    if (!w.graph) {
        keel_diagnostics_free(w.diagnostics);
        return false;
    }
    outcome o = use_everything(&w);
    bool complete = o.f != KI_NONE && o.gradient && o.total != KI_NONE && o.substituted != KI_NONE &&
                    o.tape && o.split && o.rest != KI_NONE;
    assert_int_equal(complete, !o.failed);
    if (o.f == KI_NONE)
        assert_string_equal(keel_diagnostics_get(w.diagnostics, 0).text, "out of memory");
    ki_tape_free(o.tape);
    world_free(&w);
    return complete;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    failing_call = 0;
    calls = 0;
    assert_true(try_once());
    long needed = calls;
    assert_true(needed > 50);
    for (int mode = 0; mode < 2; mode++) {
        only_once = mode;
        for (long k = 1; k <= needed; k++) {
            failing_call = k;
            calls = 0;
            assert_false(try_once());
        }
    }
    failing_call = 0;
    assert_true(try_once());
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    int capacity = 8;
    int *items = malloc(8 * sizeof *items), *before = items;
    assert_false(ki_expr_reserve(&items, &capacity, -5 + INT32_MAX, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, 8);
    assert_true(ki_expr_reserve(&items, &capacity, 9, sizeof *items));
    assert_int_equal(capacity, 16);
    free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
