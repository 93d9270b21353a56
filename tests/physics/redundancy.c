/* Constraints that say the same thing several times: the motion is that of the model without them, the
 * multipliers of the family are the shortest with the same force, and the superfluous ones are known by name.
 *
 * The models without redundancy are written out here; the two must agree far below the error of either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "keel/rank.h"
#include "trials.h"

#define PENDULUM                                                                                             \
    "keel: 1\nparameters: {g: 13.750371636040745654980191559621}\nequations:\n"                              \
    "  coordinates: {x: 1, y: 0}\n  velocities: {x: 0, y: 0}\n"                                              \
    "  kinetic: (x'^2 + y'^2)/2\n  potential: g*y\n  holonomic:\n    rod: x^2 + y^2 - 1\n"

#define PENDULUM_IN_TWO_UNITS PENDULUM "    rod_in_mm: 1000*(x^2 + y^2 - 1)\n"

#define TWO_BARS                                                                                             \
    "keel: 1\nparameters: {l: 1, m: 3, I: 0.8, c: 0.3, g: 9.81, a0: 60*deg}\nequations:\n"                   \
    "  coordinates: {x: 1 + l*sin(a0), y: -l*cos(a0), phi: 0}\n  velocities: {x: 0, y: 0, phi: 0}\n"         \
    "  definitions: {xc: x + c*cos(phi), yc: y + c*sin(phi)}\n"                                              \
    "  kinetic: m*(xc'^2 + yc'^2)/2 + I*phi'^2/2\n  potential: m*g*yc\n  holonomic:\n"                       \
    "    left: (x - cos(phi))^2 + (y - sin(phi))^2 - l^2\n"                                                  \
    "    right: (x + cos(phi) - 2)^2 + (y + sin(phi))^2 - l^2\n"

#define DOUBLE_PENDULUM                                                                                      \
    "keel: 1\nparameters: {g: 9.81, a: 1.2, b: -0.4}\nequations:\n"                                          \
    "  coordinates: {x1: sin(a), y1: -cos(a), x2: sin(a) + sin(b), y2: -cos(a) - cos(b)}\n"                  \
    "  velocities: {x1: 0, y1: 0, x2: 0, y2: 0}\n"                                                           \
    "  kinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n  potential: g*(y1 + y2)\n  holonomic:\n"                 \
    "    upper: x1^2 + y1^2 - 1\n    lower: (x2 - x1)^2 + (y2 - y1)^2 - 1\n"

/* A rod whose ends slide on two perpendicular rails; its middle runs on a circle, with or without a crank to
 * hold it there. Off the constraints the three rows are independent. */
#define TRAMMEL                                                                                              \
    "keel: 1\nparameters: {g: 9.81, I: 0.4, p0: 0.7}\nequations:\n"                                          \
    "  coordinates: {x: -cos(p0), y: sin(p0), phi: p0}\n  velocities: {x: 0, y: 0, phi: 0}\n"                \
    "  kinetic: (x'^2 + y'^2)/2 + I*phi'^2/2\n  potential: g*y\n  holonomic:\n"                              \
    "    A: y - sin(phi)\n    B: x + cos(phi)\n"

#define TRAMMEL_WITH_CRANK TRAMMEL "    crank: x^2 + y^2 - 1\n"

static keel_gain scalar(double value) {
    return (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = value};
}

/* Every valid method of an integrator, in the order of the tables. */
static int valid_methods(keel_integrator integrator, keel_method list[KEEL_FORMULATIONS * KEEL_STABILIZERS]) {
    int count = 0;
    for (int f = 0; f < KEEL_FORMULATIONS; f++)
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            keel_method method = {
                .integrator = integrator, .formulation = (keel_formulation)f, .stabilize = (keel_stabilize)s};
            if (keel_method_is_valid(method))
                list[count++] = method;
        }
    return count;
}

static trial prepare(const char *model, keel_method method, double until) {
    char text[64];
    trial t = trial_of(model, keel_method_text(method, text));
    t.settings.tolerance = 1e-12;
    t.settings.step = 0.01;
    t.settings.newton_tolerance = 1e-13;
    t.settings.until = until;
    t.settings.alpha = 5; /* automatic gains follow the steps, which may differ in the last digit */
    return t;
}

/* Runs both and returns the largest difference of positions and velocities. */
static double disagreement(trial *a, trial *b) {
    trial_run(a, NULL);
    trial_expect_ok(a);
    trial_run(b, NULL);
    trial_expect_ok(b);
    int n = a->model->system->n_v;
    return fmax(difference(a->result.final->q, b->result.final->q, n),
                difference(a->result.final->v, b->result.final->v, n));
}

/* lambda_i = total weight_i / sum weight_i^2: the shortest with sum weight_i lambda_i = total */
static void assert_least_norm(const double *lambda, const double *weight, int n, double total) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += weight[i] * weight[i];
    for (int i = 0; i < n; i++)
        if (!(fabs(lambda[i] * sum / weight[i] / total - 1) < 1e-8))
            fail_msg("multiplier %d is %.12g, it should be %.12g", i, lambda[i], total * weight[i] / sum);
}

/* One rod against `model`, which repeats it with rows of J times weight[i]. A penalty mass in each row acts
 * as sum weight_i^2 times that mass in one. */
static void repeated_rod(const char *model, const double *weight, int copies) {
    keel_method methods[KEEL_FORMULATIONS * KEEL_STABILIZERS];
    double squares = 0, worst = 0;
    for (int i = 0; i < copies; i++)
        squares += weight[i] * weight[i];
    for (int integrator = 0; integrator < KEEL_INTEGRATORS; integrator++) {
        int count = valid_methods((keel_integrator)integrator, methods);
        for (int k = 0; k < count; k++) {
            trial many = prepare(model, methods[k], 1.7), one = prepare(PENDULUM, methods[k], 1.7);
            if (methods[k].formulation == KEEL_PENALTY) {
                many.settings.penalty = scalar(1e4 / squares);
                one.settings.penalty = scalar(1e4);
            }
            double apart = disagreement(&many, &one);
            worst = fmax(worst, apart);
            /* implicit steps are solved to newton_tolerance */
            if (!(apart < (integrator >= KEEL_NEWMARK ? 1e-9 : 1e-10))) {
                char text[64];
                fail_msg("%s: apart by %.2e", keel_method_text(methods[k], text), apart);
            }
            assert_int_equal(many.result.rank, 1);
            for (int i = 0; i < copies; i++)
                assert_int_equal(many.result.shared[i], 1);
            assert_least_norm(many.result.final->lambda, weight, copies, one.result.final->lambda[0]);
            trial_end(&many);
            trial_end(&one);
        }
    }
    print_message("%d rods: apart by at most %.1e\n", copies, worst);
}

static void rod_written_three_times(void **state) {
    (void)state;
    static const double SAME[] = {1, 1, 1};
    repeated_rod("pendulum_redundant", SAME, 3);
}

static void rod_in_two_units(void **state) {
    (void)state;
    static const double UNITS[] = {1, 1000};
    repeated_rod(PENDULUM_IN_TWO_UNITS "simulate: {until: 1}\n", UNITS, 2);
}

static void lower_rod_in_two_units(void **state) {
    (void)state;
    static const double UNITS[] = {1, 1000};
    static const char *const THREE[] = {"upper", "lower", "lower_in_mm"}, *const TWO[] = {"lower", "upper"};
    static const double SHARED[] = {1e4, 4e3, 6e-3}, WHOLE[] = {1e4, 1e4}; /* 4e3 + 1000^2 6e-3 = 1e4 */
    keel_method methods[KEEL_FORMULATIONS * KEEL_STABILIZERS];
    int count = valid_methods(KEEL_DOP853, methods);
    double worst = 0;
    for (int k = 0; k < count; k++) {
        bool penalty = methods[k].formulation == KEEL_PENALTY;
        trial many = prepare("scaled_duplicate", methods[k], 1.5);
        trial one = prepare(DOUBLE_PENDULUM "simulate: {until: 1}\n", methods[k], 1.5);
        if (penalty) {
            many.settings.penalty = (keel_gain){KEEL_GAIN_NAMED, 0, 3, THREE, SHARED};
            one.settings.penalty = (keel_gain){KEEL_GAIN_NAMED, 0, 2, TWO, WHOLE};
        }
        double apart = disagreement(&many, &one);
        const double *lambda = many.result.final->lambda, *single = one.result.final->lambda;
        worst = fmax(worst, apart);
        assert_true(apart < 1e-10);
        assert_int_equal(many.result.rank, 2);
        assert_true(!many.result.shared[0] && many.result.shared[1] && many.result.shared[2]);
        assert_true(fabs(lambda[0] - single[0]) < 1e-9);
        assert_true(fabs(lambda[1] + 1000 * lambda[2] - single[1]) < 1e-8);
        if (!penalty)
            assert_least_norm(lambda + 1, UNITS, 2, single[1]);
        trial_end(&many);
        trial_end(&one);
    }
    print_message("double pendulum: apart by at most %.1e\n", worst);
}

/* The third bar: the same motion, and that of a simple pendulum of the length of the bars, as its own model.
 */
static void third_bar(void **state) {
    (void)state;
    keel_method methods[KEEL_FORMULATIONS * KEEL_STABILIZERS];
    int count = valid_methods(KEEL_DOP853, methods);
    trial simple =
        trial_of("keel: 1\nequations:\n  coordinates: {a: 60*deg}\n  velocities: {a: 0}\n"
                 "  kinetic: a'^2/2\n  potential: -9.81*cos(a)\nsimulate: {until: 2, tolerance: 1e-12}\n",
                 "dop853");
    trial_run(&simple, NULL);
    trial_expect_ok(&simple);
    double a = simple.result.final->q[0], w = simple.result.final->v[0], worst = 0;
    const double q[] = {1 + sin(a), -cos(a), 0}, v[] = {w * cos(a), w * sin(a), 0};
    for (int k = 0; k < count; k++) {
        if (methods[k].formulation == KEEL_PENALTY)
            continue;
        trial three = prepare("parallelogram", methods[k], 2);
        trial two = prepare(TWO_BARS "simulate: {until: 1}\n", methods[k], 2);
        double apart = disagreement(&three, &two);
        worst = fmax(worst, apart);
        assert_true(apart < 1e-10);
        assert_true(difference(three.result.final->q, q, 3) < 1e-10);
        assert_true(difference(three.result.final->v, v, 3) < 1e-10);
        assert_int_equal(three.result.rank, 2);
        /* null space of J^T: (1, 1, -2); the force along it does not matter and is zero in the shortest */
        const double *lambda = three.result.final->lambda;
        assert_true(fabs(lambda[0] + lambda[1] - 2 * lambda[2]) < 1e-8);
        trial_end(&three);
        trial_end(&two);
    }
    print_message("parallelogram: apart by at most %.1e\n", worst);
    trial_end(&simple);
}

/* The modified equations approach the motion as the masses grow, superfluous bar or not. */
static void third_bar_with_penalty(void **state) {
    (void)state;
    double error[2];
    trial exact = trial_of("parallelogram", "dop853/index1/projection");
    exact.settings.until = 2;
    exact.settings.tolerance = 1e-12;
    for (int i = 0; i < 2; i++) {
        trial t = trial_of("parallelogram", "dop853/penalty/baumgarte");
        t.settings.until = 2;
        t.settings.tolerance = 1e-11;
        t.settings.alpha = 5;
        t.settings.penalty = scalar(i ? 1e6 : 1e5);
        error[i] = disagreement(&t, &exact);
        trial_end(&t);
    }
    print_message("parallelogram, penalty: error %.2e, %.2e\n", error[0], error[1]);
    assert_true(fabs(error[0] / error[1] - 10) < 0.1);
    trial_end(&exact);
}

/* Redundancy that holds on the constraints only must not drive the step down to where the stages are exactly
 * on them. */
static void crank_of_the_trammel(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853/index1/projection",      "dopri5/index1/projection",
                                          "dop853/nullspace/projection",   "dop853/index1/gradient",
                                          "dop853/independent/projection", "dop853/independent/gradient",
                                          "dop853/partitioned/none",       "dop853/generalized_inverse/none",
                                          "dop853/augmented/projection",   "dop853/independent/none"};
    for (unsigned i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        for (double tolerance = 1e-4; tolerance > 0.5e-12; tolerance *= 1e-4) {
            trial with = trial_of(TRAMMEL_WITH_CRANK "simulate: {until: 5}\n", METHODS[i]);
            trial without = trial_of(TRAMMEL "simulate: {until: 5}\n", METHODS[i]);
            with.settings.tolerance = without.settings.tolerance = tolerance;
            double apart = disagreement(&with, &without);
            long steps = with.result.count.steps, plain = without.result.count.steps;
            print_message("%s, %g: apart by %.1e, %ld steps (%ld without the crank)\n", METHODS[i], tolerance,
                          apart, steps, plain);
            assert_true(apart < 100 * tolerance);
            assert_true(steps < 5 * plain);
            trial_end(&with);
            trial_end(&without);
        }
}

/* keel_rank_compute names the superfluous rows: of two equal ones the later. */
static void superfluous_rows_have_names(void **state) {
    (void)state;
    static const struct {
        const char *model;
        int rank, count;
        const char *names[2];
    } CASES[] = {{"pendulum_redundant", 1, 2, {"rod_again", "rod_once_more"}},
                 {"parallelogram", 2, 1, {"middle", NULL}},
                 {"scaled_duplicate", 2, 1, {"lower_in_mm", NULL}}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial t = trial_of(CASES[i].model, "auto");
        const keel_system *sys = t.model->system;
        const keel_state *s = t.model->start;
        double J[16];
        void *work = NULL;
        keel_point at = {s->t, s->q, s->v, s->z, s->s, s->lambda, NULL};
        keel_terms terms = {.J = J};
        keel_rank rank;
        assert_true(keel_pattern_count(sys->J) <= 16);
        assert_true(!sys->work_new || sys->work_new(sys, &work) == KEEL_OK);
        assert_int_equal(sys->evaluate(sys, work, KEEL_JACOBIAN, &at, &terms), KEEL_OK);
        assert_int_equal(keel_rank_compute(sys->J, J, 0, &rank), KEEL_OK);
        assert_int_equal(rank.rank, CASES[i].rank);
        assert_int_equal(rank.dependent_count, CASES[i].count);
        for (int k = 0; k < rank.dependent_count; k++) {
            char buffer[32];
            assert_string_equal(keel_system_name(sys, KEEL_NAME_CONSTRAINT, rank.dependent[k], buffer),
                                CASES[i].names[k]);
        }
        keel_rank_clear(&rank);
        if (sys->work_free)
            sys->work_free(work);
        trial_end(&t);
    }
}

/* lambda = least norm + (I - A^+ A) u (Mukharlyamov and Deressa, eq. 13): the part of u in the null space of
 * J^T is added to the multipliers, the motion stays the same. */
static void non_ideal_multipliers(void **state) {
    (void)state;
    static const char *const THREE[] = {"rod", "rod_again", "rod_once_more"}, *const TWO[] = {"rod",
                                                                                              "rod_in_mm"};
    static const double U[] = {6, 0, 0}, U_UNITS[] = {1, 0};
    /* rows equal: u minus its mean; rows (1, 1000): along (1000, -1) */
    static const double ADDED[] = {4, -2, -2}, ADDED_UNITS[] = {1e6 / (1e6 + 1), -1e3 / (1e6 + 1)};
    struct {
        const char *model;
        keel_gain u;
        const double *added;
    } cases[] = {
        {"pendulum_redundant", {KEEL_GAIN_NAMED, 0, 3, THREE, U}, ADDED},
        {PENDULUM_IN_TWO_UNITS "simulate: {until: 1}\n", {KEEL_GAIN_NAMED, 0, 2, TWO, U_UNITS}, ADDED_UNITS}};
    for (int i = 0; i < 2; i++) {
        trial with = trial_of(cases[i].model, "dop853/generalized_inverse/projection");
        trial without = trial_of(cases[i].model, "dop853/generalized_inverse/projection");
        with.settings.until = without.settings.until = 1.7;
        with.settings.tolerance = without.settings.tolerance = 1e-10;
        with.settings.non_ideal = cases[i].u;
        assert_true(disagreement(&with, &without) < 1e-12);
        for (int k = 0; k < cases[i].u.count; k++) {
            double added = with.result.final->lambda[k] - without.result.final->lambda[k];
            print_message("non-ideal part of %s: %.12g\n", cases[i].u.names[k], added);
            assert_true(fabs(added - cases[i].added[k]) < 1e-9);
        }
        trial_end(&with);
        trial_end(&without);
    }
    /* without redundancy there is nothing that u could add to */
    trial plain =
        trial_of(PENDULUM "simulate: {until: 1.7, tolerance: 1e-10}\n", "dop853/generalized_inverse");
    trial_run(&plain, NULL);
    double lambda = plain.result.final->lambda[0];
    plain.settings.non_ideal = scalar(5);
    trial_run(&plain, NULL);
    trial_expect_ok(&plain);
    assert_true(plain.result.final->lambda[0] == lambda);
    trial_end(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_written_three_times),     cmocka_unit_test(rod_in_two_units),
        cmocka_unit_test(lower_rod_in_two_units),      cmocka_unit_test(third_bar),
        cmocka_unit_test(third_bar_with_penalty),      cmocka_unit_test(crank_of_the_trammel),
        cmocka_unit_test(superfluous_rows_have_names), cmocka_unit_test(non_ideal_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
