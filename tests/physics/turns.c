/* Angles of joints count their turns, cut or in the tree: outputs in absolute coordinates are those in
 * relative ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

enum { ROWS = 200, ANGLES = 4 };

/* A wheel that turns, an arm on it that turns back, and a shaft on a cross. */
static void write_model(char *text, size_t size, const char *coordinates, double output) {
    snprintf(text, size,
             "keel: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "coordinates: %s\n"
             "bodies:\n"
             "  wheel: {shape: cylinder, from: [0, 0, 0], to: [0, 0, 0.1], radius: 0.2, mass: 3}\n"
             "  arm: {shape: cylinder, from: [0.2, 0, 0], to: [0.6, 0, 0], mass: 1, radius: 0.01}\n"
             "  shaft: {shape: cylinder, from: [0, 0, 0.1], to: [0.05, 0, 0.5], mass: 0.5, radius: 0.02}\n"
             "joints:\n"
             "  axle: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: z, reading: 0.5}\n"
             "  hinge: {type: revolute, bodies: [wheel, arm], at: [0.2, 0, 0], axis: [0, 0.2, 1]}\n"
             "  cross: {type: universal, bodies: [wheel, shaft], at: [0, 0, 0.1], axis: x, across: y}\n"
             "start: {axle.angle': 12, hinge.angle': -30}\n"
             "outputs: {a: axle.angle, b: hinge.angle, c: cross.angle1, degrees: 2*axle.angle/deg}\n"
             "simulate: {until: 2.5, tolerance: 1e-9, output: %g}\n",
             coordinates, output);
}

typedef struct rows {
    int count;
    double value[ROWS][ANGLES];
} rows;

static keel_status keep(void *user, const keel_row *row) {
    rows *all = user;
    if (all->count < ROWS)
        memcpy(all->value[all->count++], row->outputs, sizeof all->value[0]);
    return KEEL_OK;
}

static rows run(const char *coordinates, const char *method, double output) {
    char text[2000];
    rows all = {0};
    keel_observer observer = {.user = &all, .row = keep};
    write_model(text, sizeof text, coordinates, output);
    trial t = trial_of(text, method);
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    trial_end(&t);
    return all;
}

static void absolute_angles_count_turns(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853", "bdf", "radau9"};
    rows relative = run("relative", "dop853", 0.05);
    assert_true(fabs(relative.value[relative.count - 1][1]) > 50); /* eight turns */
    for (int i = 0; i < 3; i++) {
        rows absolute = run("absolute", METHODS[i], 0.05);
        assert_int_equal(absolute.count, relative.count);
        for (int k = 0; k < relative.count; k++)
            for (int j = 0; j < ANGLES; j++)
                if (!(fabs(absolute.value[k][j] - relative.value[k][j]) < 1e-2))
                    fail_msg("%s, row %d, output %d: %g in place of %g", METHODS[i], k, j,
                             absolute.value[k][j], relative.value[k][j]);
    }
}

/* Two rows in eight turns: turns are counted by steps, not by rows. */
static void rows_may_be_far_apart(void **state) {
    (void)state;
    rows relative = run("relative", "dop853", 2.5), absolute = run("absolute", "dop853", 2.5);
    assert_int_equal(relative.count, 2);
    for (int j = 0; j < ANGLES; j++)
        assert_true(fabs(absolute.value[1][j] - relative.value[1][j]) < 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(absolute_angles_count_turns),
                                       cmocka_unit_test(rows_may_be_far_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
