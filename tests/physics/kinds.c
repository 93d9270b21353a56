/* Every kind of term the system interface knows, each in a small model with a closed-form solution:
 * multiplier-dependent forces, first-order states, auxiliary unknowns (in forces and in constraints), driven
 * constraints, holonomic and nonholonomic rows together, constraints that are not linear in the velocities,
 * configuration-dependent mass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models.h"

typedef struct answer {
    double q[4], v[4], z[2], lambda[4], position, velocity, drift;
} answer;

static answer solve(const char *text, const char *method) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_result result;
    answer a = {0};
    keel_model *model = keel_model_parse("test", text, strlen(text), NULL, 0, messages, &status);
    if (model) {
        keel_settings settings = model->settings;
        assert_int_equal(keel_method_parse(method, (keel_location){0}, messages, &settings.method), KEEL_OK);
        const keel_system *sys = model->system;
        status = keel_run(sys, model->start, model->velocities_given, &settings, NULL, messages, &result);
        if (status == KEEL_OK) {
            memcpy(a.q, result.final->q, (size_t)sys->n_q * sizeof(double));
            memcpy(a.v, result.final->v, (size_t)sys->n_v * sizeof(double));
            memcpy(a.z, result.final->z, (size_t)sys->n_z * sizeof(double));
            memcpy(a.lambda, result.final->lambda, (size_t)keel_system_m(sys) * sizeof(double));
            a.position = result.position.max_scaled;
            a.velocity = result.velocity.max_scaled;
            a.drift = result.energy_drift_max;
        }
        keel_result_clear(&result);
    }
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        if (keel_diagnostics_get(messages, i).severity == KEEL_ERROR)
            print_message("%s\n", keel_diagnostics_get(messages, i).text);
    assert_int_equal(status, KEEL_OK);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return a;
}

static void assert_near(double value, double exact, double tolerance) {
    if (!(fabs(value - exact) <= tolerance))
        fail_msg("%.15g should be %.15g", value, exact);
}

static const char *const METHODS[] = {"dop853", "dopri5", "dop853/index1/none"};
#define FOR_METHODS for (unsigned method = 0; method < sizeof METHODS / sizeof *METHODS; method++)

/* A block slides on a floor with Coulomb friction mu |N|: v = v0 - mu g t. The floor's multiplier is the
 * normal force; with M y'' + lambda = -m g it is -m g. */
static void friction_from_a_multiplier(void **state) {
    (void)state;
    FOR_METHODS {
        answer a = solve("keel: 1\n"
                         "parameters: {m: 2, g: 9.81, mu: 0.3}\n"
                         "equations:\n"
                         "  coordinates: {x: 0, y: 0}\n"
                         "  velocities: {x: 8}\n"
                         "  kinetic: m*(x'^2 + y'^2)/2\n"
                         "  potential: m*g*y\n"
                         "  forces: {x: -mu*abs(lambda.floor)}\n"
                         "  holonomic: {floor: y}\n"
                         "simulate: {until: 2, tolerance: 1e-10}\n",
                         METHODS[method]);
        assert_near(a.v[0], 8 - 0.3 * 9.81 * 2, 1e-10);
        assert_near(a.q[0], 16 - 0.3 * 9.81 * 2, 1e-10);
        assert_near(a.lambda[0], -2 * 9.81, 1e-9);
        assert_near(a.drift, 0, 1e-8);
    }
}

/* Friction that is implicit in its own multiplier: a bead on a circle of radius 1 in the plane, pressed only
 * by its own motion, N = v^2, braked by mu |N|: v = v0 / (1 + mu v0 t). The multiplier of x^2 + y^2 = 1 is
 * N/2. */
static void friction_on_a_circle(void **state) {
    (void)state;
    FOR_METHODS {
        answer a = solve("keel: 1\n"
                         "parameters: {mu: 0.2}\n"
                         "equations:\n"
                         "  coordinates: {x: 1, y: 0}\n"
                         "  velocities: {y: 3}\n"
                         "  kinetic: (x'^2 + y'^2)/2\n"
                         "  forces: {x: mu*2*abs(lambda.circle)*y, y: -mu*2*abs(lambda.circle)*x}\n"
                         "  holonomic: {circle: x^2 + y^2 - 1}\n"
                         "simulate: {until: 2, tolerance: 1e-10}\n",
                         METHODS[method]);
        double speed = 3 / (1 + 0.2 * 3 * 2), angle = log(1 + 0.2 * 3 * 2) / 0.2;
        assert_near(hypot(a.v[0], a.v[1]), speed, 1e-7);
        assert_near(a.q[0], cos(angle), 1e-7);
        assert_near(a.q[1], sin(angle), 1e-7);
        assert_near(a.lambda[0], speed * speed / 2, 1e-7);
    }
}

/* A force behind a first-order lag: z' = -k z, x'' = z. */
static void first_order_state(void **state) {
    (void)state;
    FOR_METHODS {
        answer a = solve("keel: 1\n"
                         "parameters: {k: 1.5}\n"
                         "equations:\n"
                         "  coordinates: {x: 0}\n"
                         "  mass: {x: 1}\n"
                         "  forces: {x: z}\n"
                         "  states: {z: {start: 2, rate: -k*z}}\n"
                         "simulate: {until: 2, tolerance: 1e-11}\n",
                         METHODS[method]);
        double decay = exp(-3.0);
        assert_near(a.z[0], 2 * decay, 1e-9);
        assert_near(a.v[0], 2 / 1.5 * (1 - decay), 1e-9);
        assert_near(a.q[0], 2 / 1.5 * (2 - (1 - decay) / 1.5), 1e-9);
        assert_near(a.drift, 0, 1e-8);
    }
}

/* The root of s^3 + s = 2 + 8 x is a force. Against the same model with the root written out (Cardano). */
static void auxiliary_in_a_force(void **state) {
    (void)state;
    static const char HEAD[] = "keel: 1\nequations:\n  coordinates: {x: 1}\n  kinetic: x'^2/2\n";
    char implicit[512], closed[512];
    snprintf(implicit, sizeof implicit,
             "%s  forces: {x: -s}\n  auxiliary: {s: 2}\n  auxiliary_equations: {root: s^3 + s - 2 - 8*x}\n"
             "simulate: {until: 3, tolerance: 1e-11}\n",
             HEAD);
    snprintf(closed, sizeof closed,
             "%s  definitions:\n    h: 1 + 4*x\n    w: sqrt(h^2 + 1/27)\n"
             "  forces: {x: -(sign(h + w)*abs(h + w)^(1/3) + sign(h - w)*abs(h - w)^(1/3))}\n"
             "simulate: {until: 3, tolerance: 1e-11}\n",
             HEAD);
    FOR_METHODS {
        answer a = solve(implicit, METHODS[method]), b = solve(closed, METHODS[method]);
        assert_near(a.q[0], b.q[0], 1e-8);
        assert_near(a.v[0], b.v[0], 1e-8);
    }
}

/* A bead on the parabola y = x^2, the curve given through its parameter s as an auxiliary unknown: the total
 * derivatives through s must give the same motion as the explicit constraint. */
static void auxiliary_in_a_constraint(void **state) {
    (void)state;
    static const char MODEL[] =
        "keel: 1\nparameters: {g: 9.81}\nequations:\n"
        "  coordinates: {x: 1, y: 1}\n  kinetic: (x'^2 + y'^2)/2\n  potential: g*y\n%s"
        "simulate: {until: 3, tolerance: 1e-11}\n";
    char through_s[600], direct[600];
    snprintf(through_s, sizeof through_s, MODEL,
             "  holonomic: {wire: y - s^2}\n  auxiliary: {s: 0.8}\n  auxiliary_equations: {parameter: "
             "sinh(s) - sinh(x)}\n");
    snprintf(direct, sizeof direct, MODEL, "  holonomic: {wire: y - x^2}\n");
    FOR_METHODS {
        answer a = solve(through_s, METHODS[method]), b = solve(direct, METHODS[method]);
        for (int i = 0; i < 2; i++) {
            assert_near(a.q[i], b.q[i], 1e-8);
            assert_near(a.v[i], b.v[i], 1e-8);
        }
        assert_near(a.lambda[0], b.lambda[0], 1e-7);
        assert_near(a.drift, 0, 1e-8);
    }
}

/* A bead on a rod that is turned at a constant rate w: r = r0 cosh(w t). The driver does work; velocities are
 * not given and must be found from the driver. */
static void driven_constraint(void **state) {
    (void)state;
    FOR_METHODS {
        answer a = solve("keel: 1\n"
                         "parameters: {w: 1.5}\n"
                         "equations:\n"
                         "  coordinates: {x: 1, y: 0}\n"
                         "  kinetic: (x'^2 + y'^2)/2\n"
                         "  holonomic: {rod: x*sin(w*t) - y*cos(w*t)}\n"
                         "simulate: {until: 1, tolerance: 1e-11}\n",
                         METHODS[method]);
        double r = cosh(1.5);
        assert_near(a.q[0], r * cos(1.5), 1e-8);
        assert_near(a.q[1], r * sin(1.5), 1e-8);
        assert_near(a.drift, 0, 1e-8);
    }
}

/* A coin that rolls upright without slipping, spin rate p, steering rate w: its contact runs on a circle of
 * radius R p / w. Its height is a coordinate with a holonomic constraint, so that both kinds of rows are
 * present. */
static void rolling_coin(void **state) {
    (void)state;
    FOR_METHODS {
        answer a =
            solve("keel: 1\n"
                  "parameters: {m: 1, R: 0.1, g: 9.81}\n"
                  "equations:\n"
                  "  coordinates: {x: 0, y: 0, z: R, a: 0, b: 0}\n"
                  "  velocities: {x: 0.5, a: 5, b: 2}\n"
                  "  kinetic: m*(x'^2 + y'^2 + z'^2)/2 + m*R^2/4*a'^2 + m*R^2/8*b'^2\n"
                  "  potential: m*g*z\n"
                  "  holonomic: {height: z - R}\n"
                  "  nonholonomic: {along: x'*cos(b) + y'*sin(b) - R*a', across: x'*sin(b) - y'*cos(b)}\n"
                  "simulate: {until: 1.2, tolerance: 1e-11}\n",
                  METHODS[method]);
        assert_near(a.q[0], 0.25 * sin(2.4), 1e-9);
        assert_near(a.q[1], 0.25 * (1 - cos(2.4)), 1e-9);
        assert_near(a.q[2], 0.1, 1e-12);
        assert_near(a.drift, 0, 1e-9);
    }
}

/* A point held at constant speed c under gravity, x'^2 + y'^2 = c^2, the force of the constraint along the
 * velocity: the direction th of the motion obeys th' = -(g/c) cos(th), tan(th/2 + pi/4) = tan(th0/2 + pi/4)
 * exp(-g t/c). */
static void constraint_nonlinear_in_v(void **state) {
    (void)state;
    static const char *const BOTH[] = {"dop853", "dopri5"};
    for (int i = 0; i < 2; i++) {
        answer a = solve("keel: 1\n"
                         "parameters: {c: 3, g: 9.81}\n"
                         "equations:\n"
                         "  coordinates: {x: 0, y: 0}\n"
                         "  velocities: {x: 3}\n"
                         "  kinetic: (x'^2 + y'^2)/2\n"
                         "  potential: g*y\n"
                         "  nonholonomic: {speed: x'^2 + y'^2 - c^2}\n"
                         "simulate: {until: 0.5, tolerance: 1e-11}\n",
                         BOTH[i]);
        const double pi = 3.14159265358979323846;
        double direction = 2 * atan(exp(-9.81 * 0.5 / 3)) - pi / 2;
        assert_near(a.v[0], 3 * cos(direction), 1e-9);
        assert_near(a.v[1], 3 * sin(direction), 1e-9);
        assert_true(a.velocity <= 1e-12);
        assert_near(a.drift, 0, 1e-8);
    }
}

/* Double pendulum, in angles without constraints and in Cartesian coordinates with two: one motion. */
static void two_formulations_agree(void **state) {
    (void)state;
    answer angles = solve("keel: 1\n"
                          "parameters: {g: 9.81}\n"
                          "equations:\n"
                          "  coordinates: {a: 1.2, b: -0.4}\n"
                          "  kinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\n"
                          "  potential: -g*(2*cos(a) + cos(b))\n"
                          "simulate: {until: 3, tolerance: 1e-12}\n",
                          "dop853");
    answer points = solve(
        "keel: 1\n"
        "parameters: {g: 9.81}\n"
        "equations:\n"
        "  coordinates: {x1: sin(1.2), y1: -cos(1.2), x2: sin(1.2) - sin(0.4), y2: -cos(1.2) - cos(0.4)}\n"
        "  kinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
        "  potential: g*(y1 + y2)\n"
        "  holonomic: {upper: x1^2 + y1^2 - 1, lower: (x2 - x1)^2 + (y2 - y1)^2 - 1}\n"
        "simulate: {until: 3, tolerance: 1e-12}\n",
        "dop853");
    assert_near(points.q[0], sin(angles.q[0]), 1e-9);
    assert_near(points.q[1], -cos(angles.q[0]), 1e-9);
    assert_near(points.q[2], sin(angles.q[0]) + sin(angles.q[1]), 1e-9);
    assert_near(points.q[3], -cos(angles.q[0]) - cos(angles.q[1]), 1e-9);
}

/* models/ring.yaml: three constraints of which two are independent, but only where they are satisfied. Every
 * formulation must give the motion of the one degree of freedom, at any tolerance. */
static void redundant_only_where_satisfied(void **state) {
    (void)state;
    answer exact = solve("keel: 1\n"
                         "parameters: {c: 0.4, m: 2, I: 0.7, g: 9.81}\n"
                         "equations:\n"
                         "  coordinates: {phi: 0.3}\n"
                         "  velocities: {phi: 1}\n"
                         "  kinetic: (m*c^2 + I)*phi'^2/2\n"
                         "  potential: m*g*c*sin(phi)\n"
                         "simulate: {until: 5, tolerance: 1e-13}\n",
                         "dop853");
    for (int f = 0; f < KEEL_FORMULATIONS; f++)
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            char method[64];
            keel_method valid = {KEEL_DOP853, (keel_formulation)f, (keel_stabilize)s, 0};
            if (f == KEEL_PENALTY || !keel_method_is_valid(valid))
                continue;
            snprintf(method, sizeof method, "dop853/%s/%s", keel_formulation_word((keel_formulation)f).name,
                     keel_stabilize_word((keel_stabilize)s).name);
            for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-3) {
                model_run r = run_model("ring", method, tolerance, 5, 0);
                assert_int_equal(r.status, KEEL_OK);
                assert_int_equal(r.result.rank, 2);
                assert_near(r.result.final->q[2], exact.q[0], 3 * tolerance);
                end_run(&r);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_from_a_multiplier),
        cmocka_unit_test(friction_on_a_circle),
        cmocka_unit_test(first_order_state),
        cmocka_unit_test(auxiliary_in_a_force),
        cmocka_unit_test(auxiliary_in_a_constraint),
        cmocka_unit_test(driven_constraint),
        cmocka_unit_test(rolling_coin),
        cmocka_unit_test(constraint_nonlinear_in_v),
        cmocka_unit_test(two_formulations_agree),
        cmocka_unit_test(redundant_only_where_satisfied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
