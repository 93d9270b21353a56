/* What "auto" costs on stiff mechanisms, against the best of the methods that it may take: in counted work,
 * a linearisation as 15 evaluations. The models are those of tests/stiff/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static double work_of(const char *model, const char *method, double tolerance) {
    char path[128];
    snprintf(path, sizeof path, "../tests/stiff/%s", model);
    trial t = trial_of(path, method);
    t.settings.tolerance = tolerance;
    t.settings.max_steps = 20000;
    trial_run(&t, NULL);
    bool is_auto = strcmp(method, "auto") == 0;
    if (is_auto)
        trial_expect_ok(&t);
    double work = (double)t.result.count.evaluations + 15.0 * (double)t.result.count.jacobians;
    work = t.status ? INFINITY : work;
    trial_end(&t);
    return work;
}

static void auto_is_near_the_best(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853", "radau5", "radau9", "bdf"};
    static const struct {
        const char *model;
        double tolerance, most;
    } CASES[] = {
        {"arm", 1e-3, 1.5},
        {"arm", 1e-9, 1.5},
        {"bushing", 1e-6, 1.5},
        {"blocks", 1e-4, 1.6},
        {"blocks", 1e-6, 1.6},
        {"blocks", 1e-8, 1.5},
        {"car", 1e-3, 1.5},
        {"car", 1e-6, 1.5},
        {"car", 1e-9, 1.5},
        {"contact", 1e-3, 1.5},
        {"contact", 1e-6, 1.5},
        {"contact", 1e-9, 1.5},
        {"coulomb", 1e-6, 1.5},
        {"coulomb", 1e-9, 1.5},
        {"damped_chain", 1e-6, 1.5},
        {"damped_chain", 1e-9, 1.5},
        {"fluid", 1e-6, 1.5},
        {"stop", 1e-3, 1.5},
        {"stop", 1e-6, 1.5},
        {"stop", 1e-9, 1.5},
        {"belt", 1e-9, 1.5},
        {"brake", 1e-6, 1.5},
        {"brake", 1e-9, 1.5},
        /* 200 to 600 evaluations in all: what it takes to find out is a part of that */
        {"three_wheeler", 1e-3, 2},
        {"three_wheeler", 1e-6, 2},
        {"three_wheeler", 1e-9, 2},
        /* slips that last shorter than errors show: which method fares well is luck, and trials cost */
        {"belt", 1e-6, 1.6},
        {"belt_two", 1e-6, 2.5},
        {"belt_two", 1e-9, 1.5},
    };
    for (int i = 0; i < COUNT(CASES); i++) {
        double best = INFINITY, chosen = work_of(CASES[i].model, "auto", CASES[i].tolerance);
        for (int k = 0; k < COUNT(METHODS); k++)
            best = fmin(best, work_of(CASES[i].model, METHODS[k], CASES[i].tolerance));
        print_message("%s at %.0e: auto %.0f, best %.0f: %.2f\n", CASES[i].model, CASES[i].tolerance, chosen,
                      best, chosen / best);
        if (!(chosen <= CASES[i].most * best))
            fail_msg("%s at %.0e", CASES[i].model, CASES[i].tolerance);
    }
}

/* Contact springs limit the steps of the wheel set, but the motion needs short ones anyway. */
static void trials_that_fail_are_cheap(void **state) {
    (void)state;
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
        trial chosen = trial_of("wheelset", "auto"), explicit = trial_of("wheelset", "dop853");
        chosen.settings.tolerance = explicit.settings.tolerance = tolerance;
        trial_run(&chosen, NULL);
        trial_expect_ok(&chosen);
        trial_run(&explicit, NULL);
        trial_expect_ok(&explicit);
        double work = (double)chosen.result.count.evaluations + 15.0 * (double)chosen.result.count.jacobians;
        print_message("wheelset at %.0e: auto %.0f, dop853 %ld\n", tolerance, work,
                      explicit.result.count.evaluations);
        assert_true(work < 1.1 * (double)explicit.result.count.evaluations);
        trial_end(&chosen);
        trial_end(&explicit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto_is_near_the_best),
                                       cmocka_unit_test(trials_that_fail_are_cheap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
