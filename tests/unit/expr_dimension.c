/* Dimensions of formulas: derived where that is sure, and not guessed. */
#include "expr/dimension.h"
#include "expr_helper.h"

/* x and y are lengths, z an angle, u[1] a force, u[2] a torque, u[3] a mass; u[9] is not known. */
static ki_dimension symbol(void *user, int id) {
    (void)user;
    ki_dimension d = {.known = id != U + 9};
    if (id == X || id == Y || id == DX || id == DY || id == U + 1)
        d.power[KI_METRE] = 1;
    if (id == Z || id == DZ)
        d.power[KI_RADIAN] = 1;
    if (id == DX || id == DY || id == DZ)
        d.power[KI_SECOND] = -1;
    if (id == T)
        d.power[KI_SECOND] = 1;
    if (id == U + 2)
        d.power[KI_METRE] = 2;
    if (id == U + 1 || id == U + 2) {
        d.power[KI_KILOGRAM] = 1;
        d.power[KI_SECOND] = -2;
    }
    if (id == U + 3)
        d.power[KI_KILOGRAM] = 1;
    return d;
}

static void units_of_formulas(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"x", "m"},
        {"-x'", "m/s"},
        {"z'", "rad/s"},
        {"x + 0.3", "m"}, /* 0.3 can be nothing but metres */
        {"x - u[9]", "m"},
        {"(x + y)/2", "m"},
        {"hypot(x, y)", "m"},
        {"sqrt(x^2 + y^2)", "m"},
        {"sqrt(x'^2)/t", "m/s^2"},
        {"max(x, y) - abs(x)", "m"},
        {"if(x < y, x', y')", "m/s"},
        {"atan2(y, x)", "rad"},
        {"asin(x/y)", "rad"},
        {"x/y", "1"},
        {"sin(z)", "1"},
        {"exp(-t/3)", "1"},
        {"sin(z)*x", "m"},
        {"z'*x", "m/s"}, /* radians count for nothing in a velocity */
        {"x' - z'*y", "m/s"},
        {"z'^2*x", "m/s^2"},
        {"u[1]", "N"},
        {"u[1]*x", "N m"},
        {"u[2]*z'", "W"},
        {"u[1]/x", "N/m"},
        {"u[1]*t", "N s"},
        {"u[1]/x^2", "N/m^2"},
        {"u[3]*x'^2/2", "N m"},
        {"u[3]*x^2", "kg m^2"},
        {"u[3]/x^3", "kg/m^3"},
        {"1/t", "1/s"},
        {"x*t", "m s"},
        {"x^0.5", "m^0.5"},
        /* what could be a conversion, is not known or does not fit */
        {"1000*x", ""},
        {"180/pi*z", ""},
        {"z/(2*pi)", ""},
        {"u[9]*x", ""},
        {"x*u[9] + y*u[9]", ""},
        {"x + t", ""},
        {"x^t", ""},
        {"3", ""},
        {"u[9]", ""},
    };
    for (int i = 0; i < COUNT(CASES); i++) {
        char text[KI_DIMENSION_TEXT];
        world w = world_new();
        ki_scope scope = {&w, look_up};
        ki_node node =
            ki_parse(w.graph, CASES[i][0], strlen(CASES[i][0]), (keel_location){0}, &scope, w.diagnostics);
        assert_true(node != KI_NONE);
        ki_dimension d = ki_dimension_of(w.graph, node, symbol, NULL);
        if (strcmp(ki_dimension_text(&d, text), CASES[i][1]) != 0)
            fail_msg("%s has the unit '%s', not '%s'", CASES[i][0], ki_dimension_text(&d, text), CASES[i][1]);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_of_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
