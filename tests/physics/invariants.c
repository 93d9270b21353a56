/* Invariants in runs: every method that puts states back keeps them, with and without constraints;
 * keep_invariants = no does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "trials.h"

/* Two masses on a rod that turn and fly: linear and angular momentum besides the energy. */
#define DUMBBELL                                                                                             \
    "keel: 1\nequations:\n  coordinates: {x1: 0, y1: 0, x2: 1, y2: 0}\n"                                     \
    "  velocities: {x1: 0.3, y1: -1, x2: 0.3, y2: 2}\n"                                                      \
    "  kinetic: (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)\n"                                                       \
    "  holonomic: {rod: (x2 - x1)^2 + (y2 - y1)^2 - 1}\n"                                                    \
    "  invariants: {p: x1' + 2*x2', l: x1*y1' - y1*x1' + 2*(x2*y2' - y2*x2')}\n"                             \
    "simulate: {until: 20, tolerance: 1e-5}\n"

static double largest_drift(const trial *t) {
    double most = 0;
    for (int i = 0; i < t->model->system->n_i; i++)
        most = fmax(most, t->result.invariants[i].drift_max);
    return most;
}

static void what_puts_back_keeps(void **state) {
    (void)state;
    static const char *const MODELS[] = {"kepler", "pendulum_period", DUMBBELL};
    static const char *const METHODS[] = {"dopri5/index1/gradient",      "dopri5/nullspace/gradient",
                                          "dopri5/independent/gradient", "dop853/augmented/gradient",
                                          "radau5/index1/gradient",      "dopri5/index1/projection"};
    for (int i = 0; i < 18; i++) {
        double drift[2], open = 0;
        for (int kept = 0; kept < 2; kept++) {
            trial t = trial_of(MODELS[i / 6], METHODS[i % 6]);
            t.settings.until = 10;
            t.settings.tolerance = 1e-5;
            t.settings.keep_invariants = kept ? KEEL_YES : KEEL_NO;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            drift[kept] = largest_drift(&t);
            open = fmax(open, t.result.position.max);
            trial_end(&t);
        }
        if (!(drift[1] < 1e-11 && drift[0] > 1e-9 && open < 1e-13))
            fail_msg("%.20s, %s: invariants drift by %g, without by %g; constraints open by %g",
                     MODELS[i / 6], METHODS[i % 6], drift[1], drift[0], open);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_puts_back_keeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
