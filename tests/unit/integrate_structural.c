/* Newmark's family driven directly: rotations, their order and levels, chosen steps, values between steps,
 * rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "integrate/integrator.h"
#include "systems.h"
#include "unit/integrate_top.h"

typedef struct bench {
    ki_arena arena;
    ki_law law;
    ki_dynamics d, rows;
    keel_settings options;
    ki_integrator *integrator;
} bench;

static const keel_settings OPTIONS = {.newmark_beta = 0.25,
                                      .newmark_gamma = 0.5,
                                      .hht_alpha = -0.1,
                                      .rho_infinity = 0.8,
                                      .newton_tolerance = 1e-12,
                                      .newton_report = KEEL_NO,
                                      .projection_tolerance = 5e-15};

/* step > 0: fixed; otherwise chosen for the tolerance. */
static void open_bench(bench *b, const keel_system *system, keel_integrator kind,
                       keel_formulation formulation, keel_stabilize stabilize, double step, double tolerance,
                       const double *y, double t_end) {
    keel_status status;
    b->options = OPTIONS;
    b->options.method = (keel_method){kind, formulation, stabilize, 0};
    ki_arena_init(&b->arena);
    assert_int_equal(ki_law_init(&b->law, &b->arena, system, &b->options, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->d, system, &b->law), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->rows, system, &b->law), KEEL_OK);
    ki_problem problem = {.kind = kind,
                          .flow = {&b->d, stabilize},
                          .flow_rows = {&b->rows, stabilize},
                          .settings = {.tolerance = tolerance,
                                       .absolute_tolerance = tolerance,
                                       .step = step,
                                       .fixed = step > 0,
                                       .most_steps = 1e6,
                                       .projected_error = true},
                          .options = &b->options,
                          .t_end = t_end,
                          .y = y};
    b->integrator = ki_integrator_new(&problem, &status);
    assert_int_equal(status, KEEL_OK);
}

static void close_bench(bench *b) {
    ki_integrator_free(b->integrator);
    ki_dynamics_clear(&b->d);
    ki_dynamics_clear(&b->rows);
    ki_arena_free(&b->arena);
}

static void run_to(bench *b, double t_end) {
    while (b->integrator->t < t_end)
        assert_int_equal(b->integrator->method->step(b->integrator, t_end), KEEL_OK);
}

enum { N = 14 };
static const double SPIN[] = {3, -2, 20}, UNTIL = 0.3;

typedef struct solution {
    double y[N], lambda[3];
} solution;

/* dop853 at 1e-13 with projection. */
static solution exact_top(void) {
    keel_system system = top_system();
    solution s;
    bench b;
    top_start(s.y, SPIN);
    open_bench(&b, &system, KEEL_DOP853, KEEL_INDEX1, KEEL_PROJECTION, 0, 1e-13, s.y, UNTIL);
    run_to(&b, UNTIL);
    memcpy(s.y, b.integrator->y, sizeof s.y);
    double rate[N];
    assert_int_equal(ki_rate(&b.d, UNTIL, s.y, rate), KEEL_OK);
    memcpy(s.lambda, b.d.lambda, sizeof s.lambda);
    close_bench(&b);
    return s;
}

static double largest(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Errors of q, v, lambda. */
static void top_errors(keel_integrator kind, keel_formulation formulation, double h, const solution *exact,
                       double errors[3]) {
    keel_system system = top_system();
    double y[N], rate[N];
    bench b;
    top_start(y, SPIN);
    open_bench(&b, &system, kind, formulation, KEEL_STABILIZE_NONE, h, 1e-6, y, UNTIL);
    run_to(&b, UNTIL);
    assert_int_equal(ki_rate(&b.d, UNTIL, b.integrator->y, rate), KEEL_OK);
    errors[0] = largest(b.integrator->y, exact->y, 7);
    errors[1] = largest(b.integrator->y + 7, exact->y + 7, 6);
    errors[2] = largest(b.d.lambda, exact->lambda, 3);
    assert_int_equal(ki_evaluate_terms(&b.d, KEEL_POSITION | KEEL_VELOCITY, UNTIL, b.integrator->y), KEEL_OK);
    for (int i = 0; i < 3; i++) {
        if (formulation != KEEL_INDEX2)
            assert_true(fabs(b.d.at.Phi[i]) < 1e-13);
        if (formulation != KEEL_INDEX3)
            assert_true(fabs(b.d.at.rate[i]) < 1e-10);
    }
    const double *e = b.integrator->y + 3;
    assert_true(fabs(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1) < 1e-15);
    close_bench(&b);
}

/* Order two on the group, in q, v and lambda. */
static void order_with_rotations(void **state) {
    (void)state;
    static const struct {
        const char *name;
        keel_integrator kind;
        keel_formulation formulation;
    } CASES[] = {{"newmark/index3", KEEL_NEWMARK, KEEL_INDEX3},
                 {"trapezoidal/index3", KEEL_TRAPEZOIDAL, KEEL_INDEX3},
                 {"hht/index3", KEEL_HHT, KEEL_INDEX3},
                 {"generalized-alpha/index3", KEEL_GENERALIZED_ALPHA, KEEL_INDEX3},
                 {"generalized-alpha/index2", KEEL_GENERALIZED_ALPHA, KEEL_INDEX2},
                 {"generalized-alpha/ggl", KEEL_GENERALIZED_ALPHA, KEEL_GGL}};
    solution exact = exact_top();
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double coarse[3], fine[3];
        top_errors(CASES[i].kind, CASES[i].formulation, 1e-3, &exact, coarse);
        top_errors(CASES[i].kind, CASES[i].formulation, 5e-4, &exact, fine);
        double order[3];
        for (int k = 0; k < 3; k++)
            order[k] = log2(coarse[k] / fine[k]);
        print_message("%s: orders %.2f %.2f %.2f (errors %.1e %.1e %.1e)\n", CASES[i].name, order[0],
                      order[1], order[2], fine[0], fine[1], fine[2]);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(order[k] - 2) < 0.1);
    }
}

/* bdf-fixed on the index-3 equations with rotations: its order, and the levels. */
static void bdf_with_rotations(void **state) {
    (void)state;
    solution exact = exact_top();
    keel_system system = top_system();
    for (int k = 1; k <= 4; k++) {
        double errors[2];
        for (int i = 0; i < 2; i++) {
            double y[N];
            keel_status status;
            bench b;
            top_start(y, SPIN);
            open_bench(&b, &system, KEEL_DOP853, KEEL_INDEX3, KEEL_STABILIZE_NONE, 0, 1e-6, y, UNTIL);
            ki_problem problem = {.kind = KEEL_BDF_FIXED,
                                  .flow = b.integrator->flow,
                                  .flow_rows = b.integrator->flow_rows,
                                  .settings = {.tolerance = 1e-6,
                                               .absolute_tolerance = 1e-6,
                                               .step = 1e-3 / (1 + i),
                                               .fixed = true,
                                               .most_steps = 1e6,
                                               .order = k},
                                  .options = &b.options,
                                  .t_end = UNTIL,
                                  .y = y};
            ki_integrator_free(b.integrator);
            b.integrator = ki_integrator_new(&problem, &status);
            assert_int_equal(status, KEEL_OK);
            run_to(&b, UNTIL);
            errors[i] = largest(b.integrator->y, exact.y, 13);
            close_bench(&b);
        }
        print_message("bdf-fixed/index3 of order %d: %.2f\n", k, log2(errors[0] / errors[1]));
        assert_true(fabs(log2(errors[0] / errors[1]) - k) < 0.3);
    }
}

/* Chosen steps with rotations: the error follows the tolerance. */
static void chosen_steps_with_rotations(void **state) {
    (void)state;
    static const keel_integrator KINDS[] = {KEEL_NEWMARK, KEEL_HHT, KEEL_GENERALIZED_ALPHA};
    solution exact = exact_top();
    keel_system system = top_system();
    for (int i = 0; i < 3; i++)
        for (double tolerance = 1e-4; tolerance > 1e-7; tolerance *= 0.1) {
            double y[N];
            bench b;
            top_start(y, SPIN);
            open_bench(&b, &system, KINDS[i], KEEL_INDEX3, KEEL_STABILIZE_NONE, 0, tolerance, y, UNTIL);
            run_to(&b, UNTIL);
            double error = largest(b.integrator->y, exact.y, 7);
            print_message("%.0e: %.1e, %ld steps, %ld rejected\n", tolerance, error, b.integrator->steps,
                          b.integrator->rejected);
            assert_true(error < 100 * tolerance);
            assert_true(b.integrator->rejected < 5 + b.integrator->steps / 10);
            close_bench(&b);
        }
}

/* At the ends of a step the values are those of the step, inside they are of order two like the method, and
 * so are the accelerations and multipliers there. */
static void values_between_steps(void **state) {
    (void)state;
    double errors[2], own[2];
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    const double start[5] = {1, 0, 0, 0, 0};
    for (int i = 0; i < 2; i++) {
        double h = 0.02 / (1 + i), y[5], end[5], exact[5];
        bench b, fine;
        open_bench(&b, &system, KEEL_GENERALIZED_ALPHA, KEEL_INDEX3, KEEL_STABILIZE_NONE, h, 1e-6, start,
                   0.8);
        while (b.integrator->t < 0.4 - 1e-9)
            assert_int_equal(b.integrator->method->step(b.integrator, 0.8), KEEL_OK);
        double t = b.integrator->t, middle = t - 0.37 * h;
        assert_int_equal(b.integrator->method->interpolate(b.integrator, t, end), KEEL_OK);
        assert_memory_equal(end, b.integrator->y, sizeof end);
        assert_int_equal(b.integrator->method->interpolate(b.integrator, middle, y), KEEL_OK);
        open_bench(&fine, &system, KEEL_DOP853, KEEL_INDEX1, KEEL_PROJECTION, 0, 1e-12, start, middle);
        run_to(&fine, middle);
        memcpy(exact, fine.integrator->y, sizeof exact);
        errors[i] = largest(y, exact, 4);
        double rate[5], rate_exact[5];
        assert_int_equal(ki_rate(&fine.d, middle, exact, rate_exact), KEEL_OK);
        assert_int_equal(ki_rate(&b.d, middle, y, rate), KEEL_OK);
        own[i] = fmax(fabs(b.d.lambda[0] - fine.d.lambda[0]), fabs(rate[2] - rate_exact[2]));
        close_bench(&b);
        close_bench(&fine);
    }
    print_message("between steps: orders %.2f, of v' and lambda %.2f\n", log2(errors[0] / errors[1]),
                  log2(own[0] / own[1]));
    assert_true(fabs(log2(errors[0] / errors[1]) - 2) < 0.3);
    assert_true(fabs(log2(own[0] / own[1]) - 2) < 0.3);
}

/* An undamped rule without projection: multipliers oscillate, grow and end the run; it says what helps. With
 * velocities projected, or at another level, it goes on. */
static void undamped_rules_need_help(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    const double start[5] = {1, 0, 0, 0, 0};
    static const struct {
        keel_formulation formulation;
        keel_stabilize stabilize;
    } HELP[] = {
        {KEEL_INDEX3, KEEL_PROJECTION}, {KEEL_INDEX2, KEEL_STABILIZE_NONE}, {KEEL_GGL, KEEL_STABILIZE_NONE}};
    bench b;
    keel_status status = KEEL_OK;
    open_bench(&b, &system, KEEL_NEWMARK, KEEL_INDEX3, KEEL_STABILIZE_NONE, 2e-3, 1e-6, start, 20);
    while (!status && b.integrator->t < 20)
        status = b.integrator->method->step(b.integrator, 20);
    assert_int_equal(status, KEEL_ERROR_CONVERGENCE);
    assert_int_equal(b.d.trouble.kind, KI_TROUBLE_PATH);
    assert_int_equal(b.d.trouble.other, 1);
    close_bench(&b);
    for (int i = 0; i < 3; i++) {
        open_bench(&b, &system, KEEL_NEWMARK, HELP[i].formulation, HELP[i].stabilize, 2e-3, 1e-6, start, 20);
        run_to(&b, 20);
        assert_true(fabs(b.integrator->y[0] - 1) < 1e-3);
        close_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_with_rotations),        cmocka_unit_test(bdf_with_rotations),
        cmocka_unit_test(chosen_steps_with_rotations), cmocka_unit_test(values_between_steps),
        cmocka_unit_test(undamped_rules_need_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
