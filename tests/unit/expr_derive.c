/* First and second derivatives of every operation: against central differences of eighth order, and closed
 * forms. */
#include "expr_helper.h"

/* Smooth where x, y, z are in 0.2 .. 0.9, with room for the differences. */
static const char *const SMOOTH[] = {
    "x",
    "-x*y",
    "x + y - z*x",
    "3*x - 2*(x - 4*y)/5",
    "x*y*z*x",
    "x/y",
    "(x + y)/(z - 3*x*y + 5)",
    "1/(x*x + y)",
    "x^2",
    "x^3*y^2",
    "(x + y)^5",
    "(x*y - z - 2)^-2",
    "x^0.5 + y^1.5",
    "x^-2.5",
    "x^0.3",
    "x^y",
    "2^(x*y)",
    "(x + 1)^(y + z)",
    "x^20",
    "sin(x)",
    "cos(x*y + z)",
    "tan(x - y)",
    "sin(x)*cos(x)/tan(y)",
    "asin(x*y)",
    "acos(x - y)",
    "atan(x/y)",
    "atan2(x, y)",
    "atan2(x*y, x - 3*z - 2)",
    "sinh(x*y)",
    "cosh(x - y)",
    "tanh(x + y*z)",
    "sqrt(x*x + y*y)",
    "sqrt(1 + sin(x)*y)",
    "exp(x*y)",
    "exp(-x^2/2)/sqrt(2*pi)",
    "log(x + y*z)",
    "log(sin(x))",
    "abs(x - 2)*y",
    "sign(x - 2)*x^2",
    "hypot(x, y)",
    "hypot(x - y, z)^2 + hypot(x, 3)",
    "min(x, y + 3)*x",
    "max(x*y, 3*z^2 + 2, x)",
    "if(x < 5, x^2*y, x/y)",
    "if(x > 5, sqrt(-x), exp(x*z))",
    "if(x > 5 or y < 4 and not z, sin(x*y), 0)",
    "(x < y + 2)*x + (x == y + 2) + (not x)*y",
    "x'^2*y/2 + x*y'*sin(x)",
    "sum(i, 1, 4, x^i/i*cos(i*y))",
    "(x + y*z)/(1 + sqrt(x)/(1 + exp(y)/(1 + z^2)))",
};

static const double POINTS[][INPUTS] = {
    {[X] = 0.31, [Y] = 0.62, [Z] = 0.83, [DX] = 0.4, [DY] = -0.7, [T] = 0.2},
    {[X] = 0.72, [Y] = 0.27, [Z] = 0.45, [DX] = -0.5, [DY] = 0.3, [T] = 0.5},
    {[X] = 0.55, [Y] = 0.56, [Z] = 0.24, [DX] = 0.1, [DY] = 0.9, [T] = 0.1},
};

/* f'(x) = sum of c_k (f(x + k h) - f(x - k h)) / h + O(h^8) */
static double difference(world *w, ki_node f, const double *at, int id) {
    static const double C[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280}, H = 0.004;
    double sum = 0, inputs[INPUTS];
    memcpy(inputs, at, sizeof inputs);
    for (int k = 1; k <= 4; k++) {
        inputs[id] = at[id] + k * H;
        double above = ki_evaluate(w->graph, f, inputs);
        inputs[id] = at[id] - k * H;
        sum += C[k - 1] * (above - ki_evaluate(w->graph, f, inputs));
    }
    return sum / H;
}

/* df/dsymbol by gradient and by total, for one formula, symbol and point */
static void check_first(world *w, ki_node f, int id, const double *at, const char *text) {
    double expected = difference(w, f, at, id);
    assert_close(ki_evaluate(w->graph, partial(w, f, id), at), expected, 1e-10, text);
    assert_close(ki_evaluate(w->graph, total_along(w, f, id), at), expected, 1e-10, text);
}

static void first_and_second_derivatives(void **state) {
    (void)state;
    static const int SYMBOLS[] = {X, Y, Z, DX, DY};
    for (int i = 0; i < COUNT(SMOOTH); i++) {
        world w = world_new();
        ki_node f = parse(&w, SMOOTH[i]);
        for (int p = 0; p < COUNT(POINTS); p++)
            for (int a = 0; a < COUNT(SYMBOLS); a++) {
                check_first(&w, f, SYMBOLS[a], POINTS[p], SMOOTH[i]);
                ki_node first = partial(&w, f, SYMBOLS[a]);
                for (int b = 0; b < COUNT(SYMBOLS); b++)
                    check_first(&w, first, SYMBOLS[b], POINTS[p], SMOOTH[i]);
            }
        world_free(&w);
    }
}

/* Closed forms, exact up to rounding; also where differences do not work. */
static void closed_forms(void **state) {
    (void)state;
    static const struct {
        const char *f, *df_dx;
        double x;
    } TABLE[] = {
        {"x^2", "2*x", 0},
        {"x^2", "2*x", -3},
        {"x^3", "3*x^2", 0},
        {"x^1.5", "1.5*sqrt(x)", 0},
        {"x^17", "17*x^16", -1.1},
        {"(x - 1)^4", "4*(x - 1)^3", 1},
        {"1/x", "-1/x^2", -0.1},
        {"sqrt(x)", "0.5/sqrt(x)", 1e-300},
        {"x*abs(x)", "2*abs(x)", -0.4},
        {"sin(x)", "cos(x)", 1e5},
        {"tan(x)", "1/cos(x)^2", 1.5},
        {"atan(x)", "1/(1 + x^2)", 1e8},
        {"tanh(x)", "1/cosh(x)^2", 0.1},
        {"asin(x)", "1/sqrt(1 - x^2)", -0.99},
        {"acos(x)", "-1/sqrt(1 - x^2)", 0.99},
        {"log(x)", "1/x", 1e-10},
        {"2^x", "2^x*log(2)", -20},
        {"x^x", "x^x*(log(x) + 1)", 0.01},
        {"atan2(x, 2)", "2/(4 + x^2)", -7},
        {"atan2(2, x)", "-2/(4 + x^2)", 0},
        {"hypot(x, 3)", "x/hypot(x, 3)", -4},
        {"x^y", "y*x^(y - 1)", 0}, /* y = 2.62 */
        {"exp(exp(x))", "exp(x + exp(x))", 0.3},
        {"cosh(x) - sinh(x)", "-exp(-x)", 0.5},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        double at[INPUTS] = {[X] = TABLE[i].x, [Y] = 2.62};
        ki_node f = parse(&w, TABLE[i].f);
        double expected = ki_evaluate(w.graph, parse(&w, TABLE[i].df_dx), at);
        double tolerance = 1e-14 * fmax(1, fabs(expected));
        assert_close(ki_evaluate(w.graph, partial(&w, f, X), at), expected, tolerance, TABLE[i].f);
        assert_close(ki_evaluate(w.graph, total_along(&w, f, X), at), expected, tolerance, TABLE[i].f);
        world_free(&w);
    }
    /* d/dy x^y = x^y log x is 0, not NaN, at x = 0 */
    world w = world_new();
    double zero[INPUTS] = {[Y] = 2.62};
    assert_true(ki_evaluate(w.graph, partial(&w, parse(&w, "x^y"), Y), zero) == 0);
    assert_true(ki_is_zero(w.graph, partial(&w, parse(&w, "0^y"), Y)));
    world_free(&w);
}

static double slope(world *w, const char *text, double x, int by_total) {
    double at[INPUTS] = {[X] = x, [Y] = -2, [Z] = 4};
    ki_node f = parse(w, text);
    ki_node df = by_total ? total_along(w, f, X) : partial(w, f, X);
    double value = ki_evaluate(w->graph, df, at);
    assert_close(tape_value(w, df, at), value, 0, text);
    return value;
}

/* At a kink: d|x| = sign(x), min and max follow their first argument, if its chosen branch. */
static void kinks(void **state) {
    (void)state;
    static const struct {
        const char *f;
        double x, slope;
    } TABLE[] = {
        {"abs(x)", 0, 0},
        {"abs(x)", -1, -1},
        {"sign(x)*3", 2, 0},
        {"min(2*x, 3*x)", 0, 2},
        {"min(2*x, 3*x)", -1, 3},
        {"max(2*x, 3*x)", 0, 2},
        {"max(2*x, 3*x)", 1, 3},
        {"if(x < 0, 5*x, 7*x)", 0, 7},
        {"if(x <= 0, 5*x, 7*x)", 0, 5},
        {"(x > 1)*x", 3, 1},
        /* what is not chosen may be infinite or NaN */
        {"if(x > 0, sqrt(x), 0)", -1, 0},
        {"if(x > 0, sqrt(x), x)", -1, 1},
        {"if(x == 0, 1, sin(x)/x)", 0, 0},
        {"3*if(x == 0, 1, sin(x)/x)^2 + x", 0, 1},
        {"if(x > 0, log(x), if(x > -2, 1/(x + 1), 5*x))", -1, -INFINITY},
        {"if(x > 0, log(x), if(x > -1, 1/(x + 1), 5*x))", -1, 5},
        {"if(x > 0, if(y > 0, log(y*x), sqrt(x*z)), log(x))", 4, 0.5},
        {"if(x > 0, sqrt(x), 0) + if(z < 0, sqrt(x), 2*x)", -1, 2},
        {"max(0, x)*if(x > 0, 1/x, 1)", 0, 0},
        {"if(y > 0, sqrt(y*x), x) + if(x > 9, sqrt(y*x), x)", 3, 2},
    };
    for (int i = 0; i < COUNT(TABLE); i++)
        for (int by_total = 0; by_total < 2; by_total++) {
            world w = world_new();
            assert_close(slope(&w, TABLE[i].f, TABLE[i].x, by_total), TABLE[i].slope, 1e-15, TABLE[i].f);
            world_free(&w);
        }
}

/* x' for x, 1 for t, 0 for velocities */
static ki_node motion_rate(void *user, int id) {
    world *w = user;
    if (id == T)
        return ki_number(w->graph, 1);
    return id <= Z ? ki_symbol(w->graph, id + 3) : ki_number(w->graph, 0);
}

static void total_time_derivative(void **state) {
    (void)state;
    world w = world_new();
    ki_node f = parse(&w, "x^2*sin(t) + y*x'");
    ki_node df = ki_total(w.graph, f, motion_rate, &w);
    ki_node ddf = ki_total(w.graph, df, motion_rate, &w);
    double at[INPUTS] = {[X] = 1.2, [Y] = -0.3, [DX] = 0.7, [DY] = 2.1, [T] = 0.4};
    ki_node expected = parse(&w, "2*x*x'*sin(t) + x^2*cos(t) + y'*x'");
    ki_node expected2 = parse(&w, "2*x'^2*sin(t) + 4*x*x'*cos(t) - x^2*sin(t)");
    assert_close(ki_evaluate(w.graph, df, at), ki_evaluate(w.graph, expected, at), 1e-15, "first");
    assert_close(ki_evaluate(w.graph, ddf, at), ki_evaluate(w.graph, expected2, at), 1e-15, "second");
    world_free(&w);
}

/* The kinetic energy of a double pendulum: a mass matrix must not know velocities. */
static void note_symbol(void *user, int id) {
    ((int *)user)[id] = 1;
}

static void second_derivatives_are_compact(void **state) {
    (void)state;
    world w = world_new();
    ki_node T2 = parse(&w, "(cos(x)*x' + cos(y)*y')^2 + (sin(x)*x' + sin(y)*y')^2 + hypot(x', y')^2");
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int seen[INPUTS] = {0};
            ki_symbols_of(w.graph, partial(&w, partial(&w, T2, DX + i), DX + j), note_symbol, seen);
            assert_int_equal(seen[DX] + seen[DY] + seen[DZ], 0);
        }
    double value;
    ki_node M = partial(&w, partial(&w, parse(&w, "3*x'^2/2 + x'*y'"), DX), DX);
    assert_true(ki_is_number(w.graph, M, &value) && value == 3);
    world_free(&w);
}

/* visit may itself differentiate: the Hessian in one go */
typedef struct hessian {
    world *w;
    int row, rows, entries;
    double sum;
} hessian;

static const double HERE[INPUTS] = {[X] = 2, [Y] = 3, [Z] = 5};

static void add_entry(void *user, int id, ki_node derivative) {
    hessian *h = user;
    h->entries++;
    h->sum += ki_evaluate(h->w->graph, derivative, HERE) * (10 * h->row + id);
}

static void add_row(void *user, int id, ki_node derivative) {
    hessian *h = user;
    h->row = id;
    h->rows++;
    ki_gradient(h->w->graph, derivative, add_entry, h);
}

static void derivatives_within_derivatives(void **state) {
    (void)state;
    world w = world_new();
    hessian h = {.w = &w};
    assert_true(ki_gradient(w.graph, parse(&w, "x^2*y + z"), add_row, &h));
    assert_int_equal(h.rows, 3);
    assert_int_equal(h.entries, 3); /* xx = 2y, xy = yx = 2x; z has none */
    assert_close(h.sum, 6 * 0 + 4 * 1 + 4 * 10, 0, "Hessian of x^2 y");
    world_free(&w);
}

static ki_node swap_x_y(void *user, int id) {
    world *w = user;
    if (id == X)
        return ki_binary(w->graph, KI_ADD, ki_symbol(w->graph, Y), ki_number(w->graph, 1));
    return ki_symbol(w->graph, id == Y ? X : id);
}

static void substitution(void **state) {
    (void)state;
    world w = world_new();
    ki_node f = parse(&w, "x^2 + if(x > y, sin(x*y), -z)");
    ki_node g = parse(&w, "(y + 1)^2 + if(y + 1 > x, sin((y + 1)*x), -z)");
    assert_int_equal(ki_substitute(w.graph, f, swap_x_y, &w), g);
    world_free(&w);
}

typedef struct ids {
    int id[INPUTS], count;
} ids;

static void note_id(void *user, int id) {
    ids *list = user;
    list->id[list->count++] = id;
}

static void note_gradient_id(void *user, int id, ki_node derivative) {
    (void)derivative;
    note_id(user, id);
}

static void symbols_come_in_order(void **state) {
    (void)state;
    world w = world_new();
    ki_node f = parse(&w, "u[7]*y + if(z > 1, x', sign(u[3])) + x*0 + u[2]");
    static const int ALL[] = {Y, Z, DX, U + 2, U + 3, U + 7}, WITH_DERIVATIVE[] = {Y, DX, U + 2, U + 7};
    ids all = {.count = 0}, derivatives = {.count = 0};
    ki_symbols_of(w.graph, f, note_id, &all);
    assert_true(ki_gradient(w.graph, f, note_gradient_id, &derivatives));
    assert_int_equal(all.count, COUNT(ALL));
    assert_memory_equal(all.id, ALL, sizeof ALL);
    assert_int_equal(derivatives.count, COUNT(WITH_DERIVATIVE));
    assert_memory_equal(derivatives.id, WITH_DERIVATIVE, sizeof WITH_DERIVATIVE);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_and_second_derivatives),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(kinks),
        cmocka_unit_test(total_time_derivative),
        cmocka_unit_test(second_derivatives_are_compact),
        cmocka_unit_test(derivatives_within_derivatives),
        cmocka_unit_test(substitution),
        cmocka_unit_test(symbols_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
