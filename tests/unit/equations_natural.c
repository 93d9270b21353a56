/* Kinematics of natural systems (src/equations/natural.h): u' = w / M, displacements likewise. */
#include "equations/natural.h"
#include "equations_helper.h"

static const double NEAR = 1e-15;

/* A model of one coordinate with the given mass, as ki_model. */
static keel_system *model_with(const char *mass, keel_state **start) {
    const line LINES[] = {{KEEL_EQ_COORDINATE, "x", "1", 0}, {KEEL_EQ_KINETIC, NULL, mass, 0}};
    keel_equations *e = keel_equations_new();
    keel_diagnostics *d = keel_diagnostics_new();
    keel_system *system = NULL;
    add_lines(e, LINES, COUNT(LINES));
    keel_status status = keel_equations_compile(e, d, &system, start);
    show(d);
    assert_int_equal(status, KEEL_OK);
    keel_diagnostics_free(d);
    keel_equations_free(e);
    return system;
}

static void moves_by_the_mass(void **state) {
    (void)state;
    keel_state *start;
    keel_system *system = model_with("(2 + sin(x))*x'^2/2", &start);
    assert_true(ki_make_natural(keel_equations_inside(system)));
    for (int k = -5; k <= 5; k++) {
        double u = 0.7 * k, w = 1.5, M = 2 + sin(u), rate, back, moved = u;
        system->kinematics(system, &u, &w, &rate);
        assert_near(rate, w / M, NEAR);
        system->pull(system, &u, &rate, &back);
        assert_near(back, w, 2 * NEAR);
        system->advance(system, &moved, &w);
        assert_near(moved, u + w / M, 4 * NEAR);
        moved = u;
        system->advance(system, &moved, &(double){0});
        assert_true(moved == u);
    }
    keel_state_free(start);
    keel_equations_system_free(system);
}

/* 3000 sines, none of which follows from another. */
static void too_long(void **state) {
    (void)state;
    keel_state *start;
    keel_system *system = model_with("(9000 + sum(i, 1, 3000, sin(i*x + 1/i)))*x'^2/2", &start);
    assert_false(ki_make_natural(keel_equations_inside(system)));
    assert_null(system->kinematics);
    assert_null(system->advance);
    keel_state_free(start);
    keel_equations_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_by_the_mass), cmocka_unit_test(too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
