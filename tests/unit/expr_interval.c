/* Interval arithmetic: what an operation gives at any point of its arguments lies in what it gives on their
 * intervals. */
#include "expr/graph.h"
#include "expr/interval.h"
#include "expr_helper.h"

static uint64_t random_state = 88172645463325252u;

static double uniform(double from, double to) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return from + (to - from) * ((double)(random_state >> 11) / 9007199254740992.0);
}

static int below(int count) {
    return (int)uniform(0, count);
}

/* Ends that operations change over at, whole numbers, and anything of any size. */
static double some_end(void) {
    static const double SPECIAL[] = {
        0, 1, -1, 2, -2, 0.5, -0.5, 3.14159265358979323846, 1.57079632679489661923};
    switch (below(4)) {
    case 0:
        return SPECIAL[below(COUNT(SPECIAL))];
    case 1:
        return floor(uniform(-5, 6));
    case 2:
        return uniform(-4, 4);
    default:
        return uniform(-1, 1) * pow(10, uniform(-12, 12));
    }
}

static ki_interval some_interval(void) {
    double a = some_end(), b = below(4) == 0 ? a : below(3) == 0 ? a + uniform(0, 1e-6) : some_end();
    return (ki_interval){fmin(a, b), fmax(a, b), false};
}

/* An end, or anything between. */
static double some_point(ki_interval a) {
    int which = below(5);
    double between = a.low + uniform(0, 1) * (a.high - a.low);
    return which == 0 ? a.low : which == 1 ? a.high : fmin(fmax(between, a.low), a.high);
}

static bool contains(ki_interval a, double x) {
    return isnan(x) ? isinf(a.low) && isinf(a.high) : a.low <= x && x <= a.high;
}

static void values_are_enclosed(void **state) {
    (void)state;
    enum { TURNS = 1500, POINTS = 12 };
    for (int op = KI_NEG; op <= KI_IF; op++)
        for (int turn = 0; turn < TURNS; turn++) {
            ki_interval a = some_interval(), b = some_interval(), c = some_interval();
            ki_interval all = ki_interval_of((ki_op)op, a, b, c);
            assert_true(all.low <= all.high);
            double first = NAN;
            for (int k = 0; k < POINTS; k++) {
                double x = some_point(a), y = some_point(b), z = some_point(c);
                double value = ki_op_value((ki_op)op, x, y, z);
                if (!contains(all, value))
                    fail_msg("operation %d at %.17g, %.17g, %.17g: %.17g is not in [%.17g, %.17g]", op, x, y,
                             z, value, all.low, all.high);
                bool is_condition = op == KI_SIGN || op == KI_NOT || (op >= KI_LT && op <= KI_OR);
                if (is_condition && k > 0 && value != first)
                    assert_true(all.jumps);
                first = value;
            }
        }
}

/* Enclosures are of use: narrow for narrow arguments, wherever the function is smooth. */
static void narrow_arguments_have_narrow_values(void **state) {
    (void)state;
    for (int op = KI_NEG; op <= KI_HYPOT; op++)
        for (int turn = 0; turn < 300; turn++) {
            double x = uniform(0.2, 0.8), y = uniform(0.2, 0.8), wide = 1e-6;
            ki_interval a = {x, x + wide, false}, b = {y, y + wide, false};
            ki_interval all = ki_interval_of((ki_op)op, a, b, a);
            assert_false(op != KI_SIGN && op != KI_NOT && all.jumps);
            assert_true(all.high - all.low < 100 * wide);
        }
}

/* An argument that jumps makes a result that may jump, but for a condition that it does not change. */
static void jumps_are_passed_on(void **state) {
    (void)state;
    ki_interval jumps = {1, 2, true}, smooth = {5, 6, false}, zero = {0, 0, false}, one = {1, 1, false};
    ki_interval open = {-1, 1, false};
    assert_true(ki_interval_of(KI_SIN, jumps, zero, zero).jumps);
    assert_true(ki_interval_of(KI_ADD, smooth, jumps, zero).jumps);
    assert_false(ki_interval_of(KI_LT, jumps, smooth, zero).jumps);
    assert_false(ki_interval_of(KI_SIGN, jumps, zero, zero).jumps);
    assert_true(ki_interval_of(KI_EQ, jumps, (ki_interval){1.5, 1.5, false}, zero).jumps);
    assert_false(ki_interval_of(KI_NOT, jumps, zero, zero).jumps); /* of what is never zero */
    /* a choice jumps with the condition, or with what may be chosen */
    assert_false(ki_interval_of(KI_IF, one, smooth, jumps).jumps);
    assert_true(ki_interval_of(KI_IF, one, jumps, smooth).jumps);
    assert_false(ki_interval_of(KI_IF, zero, jumps, smooth).jumps);
    assert_true(ki_interval_of(KI_IF, zero, smooth, jumps).jumps);
    assert_true(ki_interval_of(KI_IF, open, smooth, smooth).jumps);
}

/* Infinite ends, and what is not defined in a part of an interval. */
static void nothing_is_left_out(void **state) {
    (void)state;
    ki_interval all = {-INFINITY, INFINITY, false}, zero = {0, 0, false}, some = {-1, 2, false};
    static const ki_op PARTLY[] = {KI_SQRT, KI_LOG, KI_ASIN, KI_ACOS};
    for (int i = 0; i < COUNT(PARTLY); i++) {
        ki_interval r = ki_interval_of(PARTLY[i], (ki_interval){-2, 2, false}, zero, zero);
        assert_true(isinf(r.low) && isinf(r.high));
    }
    static const ki_op POLES[] = {KI_DIV, KI_POW};
    for (int i = 0; i < COUNT(POLES); i++) {
        ki_interval r = i == 0 ? ki_interval_of(KI_DIV, (ki_interval){1, 1, false}, some, zero)
                               : ki_interval_of(KI_POW, some, (ki_interval){-1, -1, false}, zero);
        assert_true(isinf(r.low) && isinf(r.high));
    }
    for (int op = KI_NEG; op <= KI_IF; op++) {
        ki_interval r = ki_interval_of((ki_op)op, all, all, all);
        for (int k = 0; k < 50; k++)
            assert_true(contains(r, ki_op_value((ki_op)op, some_end(), some_end(), some_end())));
    }
    assert_true(ki_interval_of(KI_COSH, all, zero, zero).high == INFINITY);
    ki_interval power = ki_interval_of(KI_POW, some, zero, zero); /* x^0 is 1, for x = 0, too */
    assert_true(power.low <= 1 && power.high >= 1 && power.high - power.low < 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_enclosed),
        cmocka_unit_test(narrow_arguments_have_narrow_values),
        cmocka_unit_test(jumps_are_passed_on),
        cmocka_unit_test(nothing_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
