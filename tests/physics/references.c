/* The shipped models against reference solutions they never saw.
 *
 * Origins. Andrews, car axis, slider crank: quadruple-precision runs (two orders and tolerances agreeing to
 * 20 digits or more; the values published with the IVP test set are less accurate than they are printed).
 * Snakeboard: converged reference S1 for psi_rest = 0. Pendulum: the period is exactly 2 s. Knife edge
 * (Bloch), circular track (Arevalo): closed forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models.h"

static void pendulum_returns_after_50_periods(void **state) {
    (void)state;
    model_run r = run_model("pendulum", "dop853", 1e-10, 100, 0);
    assert_int_equal(r.status, KEEL_OK);
    double error = fmax(fabs(r.result.final->q[0] - 1), fabs(r.result.final->q[1]));
    print_message("pendulum: error %.2e after 100 s, %ld steps\n", error, r.result.count.steps);
    assert_true(error <= 1e-8);
    end_run(&r);
}

static void andrews(void **state) {
    (void)state;
    static const double q[] = {15.810771195153707097,   -15.756371058411839470, 0.040822240119645804858,
                               -0.53473011634207959377, 0.52440996587995406937, 0.53473011634207959377,
                               1.0480807410419378731};
    static const double v[] = {1139.9203022591060642, -1424.3792951775400732, 11.032911910618593745,
                               19.293374105032040832, 0.57356991482950245382, -19.293374105032040832,
                               0.32317914924913087499};
    static const double lambda[] = {199.17534810453862819, -29.755309974971763324, 23.066543611622151129,
                                    31.452725275771137075, 22.642494786394378578,  11.617392352611255907};
    model_run r = run_model("andrews", "dop853", 1e-10, 0.03, 0);
    assert_int_equal(r.status, KEEL_OK);
    double dq = digits(r.result.final->q, q, 7, 1), dv = digits(r.result.final->v, v, 7, 1);
    double dl = digits(r.result.final->lambda, lambda, 6, 1);
    print_message("andrews: digits q %.2f v %.2f lambda %.2f, %ld steps, %ld evaluations\n", dq, dv, dl,
                  r.result.count.steps, r.result.count.evaluations);
    assert_true(dq >= 9);
    assert_true(dv >= 7.5 && dl >= 7.5);
    end_run(&r);
}

static void car_axis(void **state) {
    (void)state;
    static const double q[] = {.049345578427524092131527, .49698946023000810676293, 1.0417425248854261151948,
                               .37391102726536581935790};
    static const double v[] = {-.077058368403592084283941, .0074468665920684164914018,
                               .017556815753541736629741, .77034104377960106312064};
    model_run r = run_model("car_axis", "dop853", 1e-10, 3, 0);
    assert_int_equal(r.status, KEEL_OK);
    double dq = digits(r.result.final->q, q, 4, 1), dv = digits(r.result.final->v, v, 4, 1);
    print_message("car_axis: digits q %.2f v %.2f, %ld steps\n", dq, dv, r.result.count.steps);
    assert_true(dq >= 9);
    assert_true(dv >= 6.5);
    end_run(&r);
}

static void snakeboard(void **state) {
    (void)state;
    static const double q[] = {-0.160313726931, 0.482896490885,  15.24245053999,
                               -0.588449041854, -0.110192483295, 0.937005067901};
    static const double v[] = {-4.958556622724, -0.462947333756, 15.53368075763,
                               -3.303626831600, 0.123131672308,  0.123131672308};
    static const double lambda[] = {-202.214779015, -345.671490115};
    model_run r = run_model("snakeboard", "dop853", 1e-12, 2, 0);
    assert_int_equal(r.status, KEEL_OK);
    double dq = digits(r.result.final->q, q, 6, 1), dv = digits(r.result.final->v, v, 6, 1);
    double dl =
        fmax(fabs(fabs(r.result.final->lambda[0] / lambda[0]) - 1),
             fabs(fabs(r.result.final->lambda[1] / lambda[1]) - 1)); /* the source's sign may differ */
    print_message("snakeboard: digits q %.2f v %.2f lambda %.2f\n", dq, dv, -log10(dl));
    assert_true(dq >= 10);
    assert_true(dv >= 10);
    assert_true(dl < 1e-9);
    end_run(&r);
}

static void slider_crank(void **state) {
    (void)state;
    static const double q[] = {1.2756758486502394107, 1.0235785589798395036, -.49881304918249874929};
    static const double v[] = {-.23991499719600068393, .13377828321577762997, .039731495991321741836};
    static const double lambda[] = {1.1137561582630465857, -.76250727510644779880};
    model_run r = run_model("slider_crank", "dop853", 1e-10, 10, 0);
    assert_int_equal(r.status, KEEL_OK);
    double dq = digits(r.result.final->q, q, 3, 1), dv = digits(r.result.final->v, v, 3, 1);
    double dl = digits(r.result.final->lambda, lambda, 2, 1);
    print_message("slider_crank: digits q %.2f v %.2f lambda %.2f\n", dq, dv, dl);
    assert_true(dq >= 9 && dv >= 8 && dl >= 8);
    end_run(&r);
}

/* x = g sin(alpha)/(2 Omega^2) sin^2(Omega t), y = g sin(alpha)/(2 Omega^2) (Omega t - sin(2 Omega t)/2), phi
 * = Omega t. At t = 6 (Omega t = 2 pi) x would be 0: t = 5.2 is looked at as well. */
static void knife_edge(void **state) {
    (void)state;
    static const double times[] = {5.2, 6};
    for (int i = 0; i < 2; i++) {
        const double pi = 3.14159265358979323846, Omega = pi / 3, t = times[i];
        double c = 9.81 * sqrt(0.5) / (2 * Omega * Omega), sine = i ? 0 : sin(Omega * t);
        double q[] = {c * sine * sine, c * (Omega * t - (i ? 0 : sin(2 * Omega * t) / 2)), Omega * t};
        model_run r = run_model("knife_edge", "dop853", 1e-10, t, 0);
        assert_int_equal(r.status, KEEL_OK);
        double dq = digits(r.result.final->q, q, 3, c);
        print_message("knife_edge: digits q %.2f at t = %g\n", dq, t);
        assert_true(dq >= 9);
        end_run(&r);
    }
}

static void circular_track(void **state) {
    (void)state;
    const double t = 5;
    const double q[] = {sin(t * t), cos(t * t)}, v[] = {2 * t * cos(t * t), -2 * t * sin(t * t)};
    model_run r = run_model("circular_track", "dop853", 1e-10, t, 0);
    assert_int_equal(r.status, KEEL_OK);
    double dq = digits(r.result.final->q, q, 2, 1), dv = digits(r.result.final->v, v, 2, 1);
    print_message("circular_track: digits q %.2f v %.2f\n", dq, dv);
    assert_true(dq >= 9 && dv >= 9);
    end_run(&r);
}

/* After every accepted step and at every row the constraints hold to 1e-12 of their size, at both levels. */
static void constraints_hold_in_all_models(void **state) {
    (void)state;
    static const char *const MODELS[] = {"andrews",
                                         "car_axis",
                                         "chain",
                                         "circular_track",
                                         "constant_speed",
                                         "four_bars",
                                         "knife_edge",
                                         "parallelogram",
                                         "pendulum",
                                         "pendulum_paper",
                                         "pendulum_redundant",
                                         "ring",
                                         "slider_crank",
                                         "snakeboard",
                                         "two_particles",
                                         "scaled_duplicate",
                                         "two_link"};
    static const char *const METHODS[] = {"dop853", "dopri5"};
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        for (unsigned j = 0; j < 2; j++) {
            model_run r = run_model(MODELS[i], METHODS[j], 1e-6, 0, 0);
            assert_int_equal(r.status, KEEL_OK);
            print_message("%s, %s: position %.1e velocity %.1e of the constraint's size\n", MODELS[i],
                          METHODS[j], r.result.position.max_scaled, r.result.velocity.max_scaled);
            /* the ring swings through q = 0, where the size |J| |q| vanishes but not the terms of Phi, sines
             * and cosines of up to 1: there two units of the last place are as close as it gets */
            assert_true(r.result.position.max_scaled <= 1e-12 || r.result.position.max <= 4.5e-16);
            assert_true(r.result.velocity.max_scaled <= 1e-12);
            end_run(&r);
        }
}

/* The rods of a chain are short: their squared length, 1e-6, is what a violation has to be small against. */
static void long_chain(void **state) {
    (void)state;
    keel_assignment set = {"N", "300"};
    model_run r = {.messages = keel_diagnostics_new()};
    r.model = keel_model_read(KEEL_SOURCE_DIR "/models/chain.yaml", &set, 1, r.messages, &r.status);
    assert_non_null(r.model);
    keel_settings settings = r.model->settings;
    settings.until = 0.1;
    settings.tolerance = 1e-4;
    r.status = keel_run(r.model->system, r.model->start, 0, &settings, NULL, r.messages, &r.result);
    assert_int_equal(r.status, KEEL_OK);
    assert_true(r.result.position.max <= 1e-12 / (300 * 300));
    assert_true(r.result.energy_drift_max <= 1e-6);
    end_run(&r);
}

/* Energy minus the work of forces and drivers is constant, to the accuracy of the run. `size` is the energy
 * that moves through the model: its largest kinetic energy, or the work done on it. */
static void energy_is_accounted_for(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double size;
    } MODELS[] = {{"pendulum", 13.75}, {"two_particles", 0.5}, {"snakeboard", 82},     {"andrews", 1.5},
                  {"car_axis", 6e-4},  {"knife_edge", 43},     {"circular_track", 50}, {"slider_crank", 0.2}};
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        model_run r = run_model(MODELS[i].name, "dop853", 1e-10, 0, 0);
        assert_int_equal(r.status, KEEL_OK);
        print_message("%s: energy %.6g -> %.6g, drift %.1e\n", MODELS[i].name, r.result.energy_initial,
                      r.result.energy_final, r.result.energy_drift_max);
        assert_true(r.result.has_energy);
        assert_true(r.result.energy_drift_max <= 1e-8 * MODELS[i].size);
        end_run(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_returns_after_50_periods),
        cmocka_unit_test(andrews),
        cmocka_unit_test(car_axis),
        cmocka_unit_test(snakeboard),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(knife_edge),
        cmocka_unit_test(circular_track),
        cmocka_unit_test(constraints_hold_in_all_models),
        cmocka_unit_test(long_chain),
        cmocka_unit_test(energy_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
