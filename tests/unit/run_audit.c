/* The book-keeping of the energy: what the integrator and what the projection did to it, step by step, on the
 * two particles of Garcia Orden (2010). */
#include <stdbool.h>
#include <stdio.h>

#include "energy_systems.h"

/* A run step by step; the state of the step before is kept. */
typedef struct trip {
    keel_system system;
    keel_diagnostics *diagnostics;
    keel_simulation *simulation;
    keel_row row;
    double t, q[2], v[2], energy, lambda; /* of the row before */
} trip;

static keel_settings with(keel_integrator integrator, keel_stabilize stabilize, double step) {
    keel_settings s = keel_settings_default();
    s.method = (keel_method){.integrator = integrator,
                             .formulation = integrator < KEEL_NEWMARK ? KEEL_INDEX1 : KEEL_INDEX3,
                             .stabilize = stabilize};
    s.until = 2;
    s.step = step;
    s.levels = KEEL_LEVELS_VELOCITY;
    return s;
}

/* Penalty projection in the metric W. */
static keel_settings with_W(keel_integrator integrator, double step, double alpha) {
    keel_settings s = with(integrator, KEEL_PROJECTION, step);
    s.metric = KEEL_METRIC_MATRIX;
    s.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = W_MATRIX};
    s.projection_penalty = alpha;
    return s;
}

static void trip_begin_with(trip *t, keel_system system, const keel_settings *settings) {
    keel_status status;
    *t = (trip){.system = system, .diagnostics = keel_diagnostics_new()};
    keel_state *start = keel_state_new(&t->system);
    start->q[1] = start->v[0] = 1;
    t->simulation = keel_simulation_new(&t->system, start, 1, settings, t->diagnostics, &status);
    if (!t->simulation)
        fail_msg("%s", keel_diagnostics_count(t->diagnostics) ? keel_diagnostics_get(t->diagnostics, 0).text
                                                              : keel_status_text(status));
    keel_state_free(start);
    assert_int_equal(keel_simulation_row(t->simulation, 0, &t->row), KEEL_OK);
}

static void trip_begin(trip *t, const keel_settings *settings) {
    trip_begin_with(t, particles_system(), settings);
}

static void trip_step(trip *t) {
    memcpy(t->q, t->row.q, sizeof t->q);
    memcpy(t->v, t->row.v, sizeof t->v);
    t->t = t->row.t, t->energy = t->row.energy, t->lambda = t->row.lambda[0];
    assert_int_equal(keel_simulation_step(t->simulation), KEEL_OK);
    assert_int_equal(keel_simulation_row(t->simulation, keel_simulation_time(t->simulation), &t->row),
                     KEEL_OK);
}

static void trip_end(trip *t, keel_result *result) {
    assert_int_equal(keel_simulation_result(t->simulation, result), KEEL_OK);
    keel_simulation_free(t->simulation);
    keel_diagnostics_free(t->diagnostics);
}

/* Eq. 21 for the state reached: with d = alpha A^-1 J^T J v, A = diag(a1, a2),
 * Delta E_p1 = -v^T M d, Delta E_p2 = -1/2 d^T M d. */
static void expect_eq_21(const trip *t, const double *A, double alpha) {
    const double *q = t->row.q, *v = t->row.v;
    double rate = 2 * (q[0] * v[0] + q[1] * v[1]);
    double d[] = {alpha * 2 * q[0] * rate / A[0], alpha * 2 * q[1] * rate / A[3]};
    double part_1 = -(v[0] * d[0] + MU * v[1] * d[1]), part_2 = -(d[0] * d[0] + MU * d[1] * d[1]) / 2;
    const keel_audit *audit = t->row.audit;
    assert_non_null(audit);
    assert_true(fabs(audit->projection_1 - part_1) < 1e-14);
    assert_true(fabs(audit->projection_2 - part_2) < 1e-14);
    assert_true(fabs(audit->projection - part_1 - part_2) < 1e-14);
    assert_true(fabs(audit->integrator + audit->projection - (t->row.energy - t->energy)) < 1e-14);
}

static void add(keel_audit *sum, const keel_audit *step) {
    sum->integrator += step->integrator;
    sum->projection += step->projection;
    sum->projection_1 += step->projection_1;
    sum->projection_2 += step->projection_2;
}

/* What the rows of all steps add up to; gains and losses beyond doubt. */
typedef struct books {
    keel_audit sum;
    long gains, losses;
} books;

static void expect_sums(const keel_result *result, const books *kept) {
    assert_true(fabs(result->audit.integrator - kept->sum.integrator) < 1e-13);
    assert_true(fabs(result->audit.projection - kept->sum.projection) < 1e-13);
    assert_true(fabs(result->audit.projection_1 - kept->sum.projection_1) < 1e-13);
    assert_true(fabs(result->audit.projection_2 - kept->sum.projection_2) < 1e-13);
    assert_true(fabs(result->audit.integrator + result->audit.projection - result->energy_drift) < 1e-13);
    assert_true(result->gains >= kept->gains && result->losses >= kept->losses);
    assert_true(result->gains + result->losses <= result->count.steps);
}

/* To the end: every step is booked by eq. 21. */
static void follow(trip *t, const keel_settings *s, const double *A, books *kept, keel_result *result) {
    *kept = (books){0};
    trip_begin(t, s);
    assert_true(t->row.audit->projection == 0 && t->row.audit->integrator == 0);
    while (keel_simulation_time(t->simulation) < s->until) {
        trip_step(t);
        expect_eq_21(t, A, s->projection_penalty);
        add(&kept->sum, t->row.audit);
        kept->gains += t->row.audit->projection > 1e-14;
        kept->losses += t->row.audit->projection < -1e-14;
    }
    trip_end(t, result);
    expect_sums(result, kept);
}

/* Whatever the integrator: the projection that counts is that of the accepted attempt, once. */
static void every_integrator_books_its_steps(void **state) {
    (void)state;
    static const keel_integrator ALL[] = {KEEL_RK4,
                                          KEEL_DOPRI5,
                                          KEEL_DOP853,
                                          KEEL_ADAMS,
                                          KEEL_RADAU5,
                                          KEEL_RADAU9,
                                          KEEL_BDF,
                                          KEEL_BDF_FIXED,
                                          KEEL_NEWMARK,
                                          KEEL_HHT,
                                          KEEL_GENERALIZED_ALPHA,
                                          KEEL_TRAPEZOIDAL,
                                          KEEL_MIDPOINT,
                                          KEEL_CONSERVING};
    long rejected = 0, gains = 0, losses = 0;
    for (unsigned i = 0; i < sizeof ALL / sizeof *ALL; i++) {
        keel_settings s = with_W(ALL[i], 0.02, 1);
        trip t;
        books kept;
        keel_result result;
        s.first_step = 1;                   /* so that attempts are rejected */
        s.order = ALL[i] == KEEL_BDF_FIXED; /* without values of another method at the start */
        s.tolerance = 1e-3;
        follow(&t, &s, W_MATRIX, &kept, &result);
        print_message("%s: integrator %.2e, projection %.2e, %ld gains, %ld losses, %ld rejected\n",
                      keel_integrator_word(ALL[i]).name, result.audit.integrator, result.audit.projection,
                      result.gains, result.losses, result.count.rejected);
        assert_true(kept.gains + kept.losses > 5);
        gains += kept.gains;
        losses += kept.losses;
        rejected += result.count.rejected;
        keel_result_clear(&result);
    }
    assert_true(gains > 100 && losses > 100); /* both kinds have been booked */
    assert_true(rejected > 4);
}

/* y' of the index-1 form, y = (q, v): lambda = |v|^2 / (2 (q1^2 + q2^2/mu)), a = -M^-1 J^T lambda */
static void rate(const double *y, double *k) {
    double lambda = (y[2] * y[2] + y[3] * y[3]) / (2 * (y[0] * y[0] + y[1] * y[1] / MU));
    k[0] = y[2], k[1] = y[3];
    k[2] = -2 * y[0] * lambda, k[3] = -2 * y[1] * lambda / MU;
}

/* The energy after a step of the classic Runge-Kutta method from (q, v). */
static double energy_after_rk4(const double *q, const double *v, double h) {
    static const double C[] = {0, 0.5, 0.5, 1}, B[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double y[] = {q[0], q[1], v[0], v[1]}, end[4], stage[4], k[4] = {0};
    memcpy(end, y, sizeof end);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            stage[j] = y[j] + C[i] * h * k[j];
        rate(stage, k);
        for (int j = 0; j < 4; j++)
            end[j] += h * B[i] * k[j];
    }
    return particles_energy(end + 2);
}

/* Delta E_i is what the step does to the energy before anything is projected. */
static void the_integrator_gets_its_own_share(void **state) {
    (void)state;
    keel_settings s = with_W(KEEL_RK4, 0.1, 20);
    trip t;
    keel_result result;
    trip_begin(&t, &s);
    for (int i = 0; i < 20; i++) {
        trip_step(&t);
        double change = energy_after_rk4(t.q, t.v, t.row.t - t.t) - t.energy;
        assert_true(fabs(t.row.audit->integrator - change) < 1e-14);
    }
    trip_end(&t, &result);
    assert_true(fabs(result.audit.integrator) > 1e-5 && fabs(result.audit.projection) > 1e-5);
    keel_result_clear(&result);
}

/* J of the quartic constraint */
static double quartic(const double *q, int i) {
    return i ? 2 * q[1] : 4 * q[0] * q[0] * q[0];
}

/* Without forces and with M constant, Q_T = J^T lambda:
 *
 *     eq. 12, trapezoidal rule    Delta E_i = -(q_1 - q_0)^T (Q_T0 + Q_T1)/2
 *     eq. 13, midpoint rule       Delta E_i = -(q_1 - q_0)^T Q_T at the midpoint
 *
 * The multipliers of the rules follow from their first equation, M_1 (v* - v_0) = -h Q_T1 with v* = 2 (q_1 -
 * q_0)/h - v_0, which both have; the second one must have the same. Velocities may be projected: the rule of
 * the step is that of v*. The constraint is not quadratic, or the midpoint rule would keep the energy. */
static void energy_of_trapezoidal_and_midpoint_rule(void **state) {
    (void)state;
    for (int rule = 0; rule < 4; rule++) {
        bool midpoint = rule % 2;
        keel_settings s = with_W(midpoint ? KEEL_MIDPOINT : KEEL_TRAPEZOIDAL, 0.05, rule < 2 ? 0.5 : 0);
        double most = 0;
        trip t;
        keel_result result;
        s.newton_tolerance = 1e-13;
        trip_begin_with(&t, quartic_particles_system(), &s);
        double lambda = t.row.lambda[0];
        while (keel_simulation_time(t.simulation) < s.until) {
            double change = 0;
            trip_step(&t);
            double middle[] = {(t.q[0] + t.row.q[0]) / 2, (t.q[1] + t.row.q[1]) / 2}, h = t.row.t - t.t;
            double Q_1 = -2 * ((t.row.q[0] - t.q[0]) / h - t.v[0]) / h, before = lambda; /* M_1 = 1 */
            lambda = midpoint ? Q_1 / quartic(middle, 0)
                              : (2 * Q_1 - quartic(t.q, 0) * before) / quartic(t.row.q, 0);
            for (int i = 0; i < 2; i++) {
                double mean = (quartic(t.q, i) * before + quartic(t.row.q, i) * lambda) / 2;
                change -= (t.row.q[i] - t.q[i]) * (midpoint ? quartic(middle, i) * lambda : mean);
            }
            assert_true(fabs(t.row.audit->integrator - change) < 1e-10);
            most = fmax(most, fabs(change));
        }
        trip_end(&t, &result);
        print_message("%s: a step changes the energy by up to %.1e\n", midpoint ? "midpoint" : "trapezoidal",
                      most);
        assert_true(most > 1e-6);
        keel_result_clear(&result);
    }
}

/* The conserving step with projections, dt 0.1: converged values of the paper's experiment (Phi to 1e-14; the
 * paper prints 0.53, 0.67 and 0.74). All the energy that comes and goes is the projection's. */
static void experiment_of_the_paper(void **state) {
    (void)state;
    static const double MASS[] = {1, 0, 0, MU};
    static const struct {
        const double *A;
        double alpha, until, energy;
        long gains, losses;
    } RUNS[] = {{W_MATRIX, 1, 10, 0.529715999822, 88, 12},
                {W_MATRIX, 20, 10, 0.669107974738, 96, 4},
                {MASS, 1, 10, 0.463384149107, 0, 100},
                {MASS, 1, 50, 0.7390693461 / 2, 0, 500}};
    for (unsigned i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        keel_settings s = with_W(KEEL_CONSERVING, 0.1, RUNS[i].alpha);
        trip t;
        books kept;
        keel_result result;
        s.metric_matrix.values = RUNS[i].A;
        s.until = RUNS[i].until;
        s.newton_tolerance = 1e-12;
        follow(&t, &s, RUNS[i].A, &kept, &result);
        print_message("E(%g) = %.12f, integrator %.1e, projection %.6f (%.6f, %.6f), %ld gains, %ld losses\n",
                      s.until, result.energy_final, result.audit.integrator, result.audit.projection,
                      result.audit.projection_1, result.audit.projection_2, result.gains, result.losses);
        assert_true(fabs(result.energy_final - RUNS[i].energy) < (RUNS[i].until > 10 ? 1e-10 : 1e-11));
        assert_true(fabs(result.audit.integrator) < 1e-12);
        assert_int_equal(result.gains, RUNS[i].gains);
        assert_int_equal(result.losses, RUNS[i].losses);
        assert_int_equal(result.event_count, RUNS[i].A == W_MATRIX);
        keel_result_clear(&result);
    }
}

/* The accelerations of rows satisfy their level, J a = xi, whether those of the steps are projected or not;
 * that they are changes the motion. */
static void structural_steps_with_projected_accelerations(void **state) {
    (void)state;
    static const int LEVELS[] = {KEEL_LEVELS_VELOCITY, KEEL_LEVELS_VELOCITY_ACCELERATION, KEEL_LEVELS_ALL};
    double x = 0;
    for (int i = 0; i < 3; i++) {
        keel_settings s = with(KEEL_GENERALIZED_ALPHA, KEEL_PROJECTION, 0.02);
        double most = 0;
        trip t;
        keel_result result;
        s.levels = LEVELS[i];
        s.metric = KEEL_METRIC_MASS;
        trip_begin(&t, &s);
        while (keel_simulation_time(t.simulation) < s.until) {
            trip_step(&t);
            const double *q = t.row.q, *v = t.row.v, *a = t.row.v_rate;
            double residual = 2 * (q[0] * a[0] + q[1] * a[1] + v[0] * v[0] + v[1] * v[1]);
            most = fmax(most, fabs(residual));
        }
        trip_end(&t, &result);
        print_message("levels %d: largest |J a - xi| %.1e\n", LEVELS[i], most);
        assert_true(most < 1e-12);
        assert_true(i != 1 || fabs(t.q[0] - x) > 1e-12);
        x = t.q[0];
        assert_int_equal(result.gains, 0);
        keel_result_clear(&result);
    }
}

/* In the mass metric (and in the natural one, which is the same here) projection never adds energy, exact or
 * not. */
static void the_mass_metric_only_takes(void **state) {
    (void)state;
    static const double ALPHAS[] = {0, 1, 20}, MASS[] = {1, 0, 0, MU};
    for (int i = 0; i < 6; i++) {
        keel_settings s = with(KEEL_RK4, KEEL_PROJECTION, 0.1);
        trip t;
        books kept;
        keel_result result;
        s.until = 10;
        s.metric = i % 2 ? KEEL_METRIC_MASS : KEEL_METRIC_NATURAL;
        s.projection_penalty = ALPHAS[i / 2];
        if (s.projection_penalty > 0) {
            follow(&t, &s, MASS, &kept, &result);
            assert_int_equal(kept.gains, 0);
        } else {
            trip_begin(&t, &s);
            while (keel_simulation_time(t.simulation) < s.until)
                trip_step(&t);
            trip_end(&t, &result);
        }
        assert_int_equal(result.gains, 0);
        assert_true(result.losses > 50 && result.audit.projection < 0);
        assert_int_equal(result.event_count, 0);
        keel_result_clear(&result);
    }
}

static void nothing_to_book(void **state) {
    (void)state;
    static const keel_stabilize KINDS[] = {KEEL_STABILIZE_NONE, KEEL_BAUMGARTE};
    for (int i = 0; i < 2; i++) {
        keel_settings s = with(KEEL_RK4, KINDS[i], 0.1);
        trip t;
        keel_result result;
        trip_begin(&t, &s);
        trip_step(&t);
        assert_null(t.row.audit);
        trip_end(&t, &result);
        assert_true(result.energy_drift != 0 && result.audit.integrator == result.energy_drift);
        assert_true(result.audit.projection == 0 && result.gains == 0 && result.losses == 0);
        keel_result_clear(&result);
    }
}

/* Runs to t = 1 and returns the number of events of the metric. */
static int metric_events(const keel_settings *s, keel_event *event, int *warnings, char *text, size_t size) {
    trip t;
    keel_result result;
    int count = 0;
    trip_begin(&t, s);
    while (keel_simulation_time(t.simulation) < 1)
        trip_step(&t);
    *warnings = keel_diagnostics_count(t.diagnostics);
    text[0] = 0;
    if (*warnings) {
        assert_int_equal(keel_diagnostics_get(t.diagnostics, 0).severity, KEEL_WARNING);
        strncpy(text, keel_diagnostics_get(t.diagnostics, 0).text, size - 1);
        text[size - 1] = 0;
    }
    trip_end(&t, &result);
    for (int i = 0; i < result.event_count; i++)
        if (result.events[i].kind == KEEL_EVENT_METRIC)
            event[count++] = result.events[i];
    keel_result_clear(&result);
    return count;
}

/* Said once, as an event and as a warning, with the time and the eigenvalue; A = c M is as good as M. */
static void a_metric_that_can_add_is_named(void **state) {
    (void)state;
    static const double TEN_MASSES[] = {10, 0, 0, 10 * MU};
    keel_event events[KEEL_EVENTS_MAX];
    int warnings;
    char text[300];
    keel_settings s = with_W(KEEL_RK4, 0.1, 1);
    assert_int_equal(metric_events(&s, events, &warnings, text, sizeof text), 1);
    assert_int_equal(warnings, 1);
    /* at q1 = 0.09998, from trace and determinant: tests/unit/stabilize_energy.c */
    double x = 0.09998 * 0.09998, trace = 0.4 - 2 * x / 15;
    double smallest = trace / 2 - sqrt(trace * trace / 4 + x * (1 - x) / 225), printed = 0;
    assert_true(events[0].t == 0.1);
    assert_non_null(strstr(text, "t = 0.1: projection in the metric 'matrix' can add energy here"));
    assert_non_null(strstr(text, "case II): the mass metric cannot"));
    assert_non_null(strstr(text, events[0].text));
    assert_int_equal(sscanf(strstr(text, "J^T J is "), "J^T J is %lf", &printed), 1);
    assert_true(fabs(printed - smallest) < 0.01 * fabs(smallest));

    s.metric = KEEL_METRIC_IDENTITY;
    assert_int_equal(metric_events(&s, events, &warnings, text, sizeof text), 1);
    assert_non_null(strstr(text, "'identity'"));
    s.levels = KEEL_LEVELS_POSITION; /* velocities are left alone */
    assert_int_equal(metric_events(&s, events, &warnings, text, sizeof text), 0);
    s = with_W(KEEL_RK4, 0.1, 1);
    s.metric_matrix.values = TEN_MASSES;
    assert_int_equal(metric_events(&s, events, &warnings, text, sizeof text), 0);
    assert_int_equal(warnings, 0);
}

/* Accelerations are projected only for integrators that go on from them. */
static void levels_that_need_accelerations(void **state) {
    (void)state;
    static const int LEVELS[] = {KEEL_LEVELS_VELOCITY_ACCELERATION, KEEL_LEVELS_ALL};
    for (int i = 0; i < 2; i++) {
        keel_settings s = with(KEEL_DOP853, KEEL_PROJECTION, 0);
        keel_diagnostics *diagnostics = keel_diagnostics_new();
        s.levels = LEVELS[i];
        assert_int_equal(keel_settings_validate(&s, 0, diagnostics), KEEL_ERROR_INPUT);
        assert_string_equal(
            keel_diagnostics_get(diagnostics, 0).text,
            i ? "levels 'all' needs an integrator that carries accelerations: newmark, hht, "
                "generalized-alpha, trapezoidal"
              : "levels 'velocity_acceleration' needs an integrator that carries accelerations: "
                "newmark, hht, generalized-alpha, trapezoidal");
        s.method.stabilize = KEEL_BAUMGARTE; /* does not project: the option is of no interest */
        assert_int_equal(keel_settings_validate(&s, 0, diagnostics), KEEL_OK);
        keel_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_books_its_steps),
        cmocka_unit_test(the_integrator_gets_its_own_share),
        cmocka_unit_test(energy_of_trapezoidal_and_midpoint_rule),
        cmocka_unit_test(experiment_of_the_paper),
        cmocka_unit_test(structural_steps_with_projected_accelerations),
        cmocka_unit_test(the_mass_metric_only_takes),
        cmocka_unit_test(nothing_to_book),
        cmocka_unit_test(a_metric_that_can_add_is_named),
        cmocka_unit_test(levels_that_need_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
