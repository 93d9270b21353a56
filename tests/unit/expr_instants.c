/* When formulas of t change over: every change is found, however short what lies between, and nothing else.
 */
#include "expr/switches.h"
#include "expr_helper.h"

enum { MOST = 64 };

typedef struct found_functions {
    int count;
    ki_node g[MOST];
} found_functions;

static void note(void *user, ki_op op, ki_node g) {
    found_functions *f = user;
    (void)op;
    assert_true(f->count < MOST);
    f->g[f->count++] = g;
}

/* The changes of a formula in [from, until]. */
static int changes_of(const char *text, double from, double until, ki_instant *found, int most) {
    world w = world_new();
    found_functions f = {0};
    ki_node node = parse(&w, text);
    assert_true(ki_switches_of(w.graph, &node, 1, note, &f));
    ki_instants *instants = ki_instants_new(w.graph, f.g, f.count, T);
    assert_non_null(instants);
    world_free(&w);
    double *work = calloc(ki_instants_work_size(instants) + 1, sizeof *work);
    int count = 0;
    while (count < most && ki_instants_next(instants, from, until, work, &found[count]))
        from = found[count++].after;
    free(work);
    ki_instants_free(instants);
    return count;
}

static void expect(const char *text, double from, double until, int count, const double *times) {
    ki_instant found[MOST];
    int n = changes_of(text, from, until, found, MOST);
    if (n != count)
        fail_msg("%s: %d changes, not %d", text, n, count);
    for (int i = 0; i < n; i++) {
        double near = 1e-12 * fmax(1, fabs(times[i]));
        if (!(fabs(found[i].at - times[i]) <= near))
            fail_msg("%s: %.17g in place of %.17g", text, found[i].at, times[i]);
        assert_true(found[i].before <= found[i].at && found[i].at <= found[i].after);
        assert_true(found[i].before < found[i].after);
        assert_true(found[i].before >= times[i] - 10 * near && found[i].after <= times[i] + 10 * near);
    }
}

static void comparisons_are_exact(void **state) {
    (void)state;
    ki_instant one;
    expect("if(t > 1, 2, 0)", 0, 10, 1, (double[]){1});
    expect("if(t >= 1, 2, 0)", 0, 10, 1, (double[]){1});
    expect("if(1 < 2*t, 2, 0)", 0, 10, 1, (double[]){0.5});
    expect("if(t > 3.3 and t < 3.301, 100, 0)", 0, 10, 2, (double[]){3.3, 3.301});
    expect("if(t > 7.123456 and t < 7.123457, 100, 0)", 0, 1e5, 2, (double[]){7.123456, 7.123457});
    expect("if(t > 20, 1, 0)", 0, 10, 0, NULL);
    assert_int_equal(changes_of("if(t > 1, 2, 0)", 0, 10, &one, 1), 1);
    assert_true(one.at == 1 && one.before < 1 && one.after > 1 && one.after < 1 + 1e-15);
    /* at the start itself: what follows is on the other side */
    assert_int_equal(changes_of("if(t > 0, 2, 0)", 0, 10, &one, 1), 1);
    assert_true(one.at == 0 && one.after > 0);
}

static void other_branches_are_found(void **state) {
    (void)state;
    expect("abs(t - 2)", 0, 10, 1, (double[]){2});
    expect("sign(4 - t^2)", 0, 10, 1, (double[]){2});
    expect("max(0, t - 4) + min(t, 5)", 0, 10, 2, (double[]){4, 5});
    expect("sign(exp(t) - 5)", 0, 10, 1, (double[]){log(5)});
    expect("if(abs(t - 5) < 1, 1, 0)", 0, 10, 3, (double[]){4, 5, 6});
}

static void periods_are_found(void **state) {
    (void)state;
    ki_instant found[MOST];
    double pi = acos(-1), times[10];
    for (int i = 0; i < 9; i++)
        times[i] = (i + 1) * pi / 3;
    expect("sign(sin(3*t))", 0.1, 9.9, 9, times);
    /* a peak of 0.28 ms in each turn of 6.28 ms, looked at from t = 1000 on */
    int n = changes_of("if(sin(1000*t) > 0.99, 1, 0)", 1000, 1000.05, found, MOST);
    assert_true(n == 15 || n == 16);
    for (int i = 0; i < n; i++)
        assert_true(fabs(sin(1000 * found[i].at) - 0.99) < 1e-9);
    /* a sawtooth */
    n = changes_of("atan2(sin(t), cos(t))", 0.1, 20, found, MOST);
    assert_int_equal(n, 6); /* at pi, 3 pi, 5 pi it jumps, at 2 pi, 4 pi, 6 pi nothing happens */
}

static void nothing_else_is_found(void **state) {
    (void)state;
    expect("if(t^2 - 2*t + 1.000001 > 0, 1, 0)", 0, 10, 0, NULL); /* 1e-6 above zero at its lowest */
    expect("if(t^2 - 2*t + 0.999999 > 0, 1, 0)", 0, 10, 2, (double[]){1 - 1e-3, 1 + 1e-3});
    expect("if(sin(t)^2 < 0, 1, 0)", 0.1, 10, 0, NULL); /* only touches */
    expect("if(2 > 1, t, 0)", 0, 10, 0, NULL);
    expect("sqrt(t) + exp(-t)*cos(t)", 0, 10, 0, NULL);
}

/* Ends of intervals enclose what the operations give in between. */
static void formulas_of_many_kinds(void **state) {
    (void)state;
    ki_instant found[MOST];
    static const char *const FORMULAS[] = {
        "sign(tan(t/8) - 0.5)",         "sign(log(1 + t) - 1)",           "sign(tanh(t - 3))",
        "sign(hypot(t, 1) - 4)",        "sign(1/(1 + t^2) - 0.1)",        "sign(cosh(t - 5) - 2)",
        "sign(if(t < 3, 1, -1) + 0.5)", "sign(t^3 - 5*t^2 + 6*t - 1)",    "sign(acos(cos(t)) - 1)",
        "sign(2^(-t) - 0.3)",           "sign(atan(t) + asin(t/20) - 1)", "sign(sqrt(t) - 2)"};
    for (int i = 0; i < COUNT(FORMULAS); i++) {
        world w = world_new();
        ki_node node = parse(&w, FORMULAS[i]);
        int n = changes_of(FORMULAS[i], 0.01, 9.99, found, MOST), seen = 0;
        double inputs[INPUTS] = {0}, last = 0;
        /* as many as a fine grid sees, each of them found */
        for (int k = 0; k <= 4000; k++) {
            inputs[T] = 0.01 + k * 9.98 / 4000;
            double s = ki_evaluate(w.graph, node, inputs);
            if (k > 0 && s * last < 0) {
                bool any = false;
                for (int j = 0; j < n; j++)
                    any = any || fabs(found[j].at - inputs[T]) < 0.003;
                if (!any)
                    fail_msg("%s: a change near %g is missing", FORMULAS[i], inputs[T]);
                seen++;
            }
            last = s;
        }
        assert_true(seen > 0);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_are_exact), cmocka_unit_test(other_branches_are_found),
        cmocka_unit_test(periods_are_found), cmocka_unit_test(nothing_else_is_found),
        cmocka_unit_test(formulas_of_many_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
