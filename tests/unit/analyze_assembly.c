/* Assembly on small systems whose closed poses can be written down, written in C. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/assemble.h"

/* An arm of two links of length 1 in a plane, joint angles a and b, its tip tied to (X, Y) by the joint
 * "tip", and as often as `copies` says:
 *
 *     cos a + cos(a+b) - X = 0,   sin a + sin(a+b) - Y = 0.
 *
 * The mass matrix is diagonal; `mass` of b may be 0. The rows move at the rate `speed` in x. */
typedef struct arm {
    double X, Y, mass, speed;
    int copies;
    double contradiction; /* added to the rate of the last row */
} arm;

static keel_status arm_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                keel_terms *terms) {
    const arm *m = system->model;
    double a = at->q[0], c = at->q[0] + at->q[1];
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1, terms->M[1] = m->mass;
    for (int i = 0; i < 2 * m->copies; i++) {
        bool is_y = i % 2;
        double J_b = is_y ? cos(c) : -sin(c), J_a = J_b + (is_y ? cos(a) : -sin(a));
        if (what & KEEL_POSITION)
            terms->Phi[i] = is_y ? sin(a) + sin(c) - m->Y : cos(a) + cos(c) - m->X;
        if (what & KEEL_JACOBIAN)
            terms->J[2 * i] = J_a, terms->J[2 * i + 1] = J_b;
        if (what & KEEL_VELOCITY)
            terms->rate[i] = J_a * at->v[0] + J_b * at->v[1] - (is_y ? 0 : m->speed) -
                             (i == 2 * m->copies - 1 ? m->contradiction : 0);
    }
    return KEEL_OK;
}

static const int M_START[] = {0, 1, 2}, M_INDEX[] = {0, 1};
static const int J_START[] = {0, 2, 4, 6, 8}, J_INDEX[] = {0, 1, 0, 1, 0, 1, 0, 1};
static const char *const ROWS[] = {"tip.x", "tip.y", "copy.x", "copy.y"};
static const char *const JOINTS[] = {"tip", "tip", "copy", "copy"};

static keel_system arm_system(const arm *model) {
    keel_system s = keel_system_default();
    s.n_q = s.n_v = 2;
    s.n_h = 2 * model->copies;
    s.M = (keel_pattern){2, 2, M_START, M_INDEX};
    s.J = (keel_pattern){s.n_h, 2, J_START, J_INDEX};
    s.model = model;
    s.evaluate = arm_evaluate;
    s.names.constraint = ROWS;
    s.names.joint = JOINTS;
    return s;
}

typedef struct outcome {
    keel_status status;
    double q[2], v[2];
    keel_assembly_report report;
    char message[4][200];
    int messages;
} outcome;

static outcome assemble(const arm *model, const double q[2], const keel_assembly_settings *settings) {
    keel_system system = arm_system(model);
    keel_state *state = keel_state_new(&system);
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    outcome o = {0};
    assert_non_null(state);
    assert_non_null(diagnostics);
    memcpy(state->q, q, 2 * sizeof *q);
    o.status = keel_assemble(&system, settings, state, diagnostics, &o.report);
    memcpy(o.q, state->q, sizeof o.q);
    memcpy(o.v, state->v, sizeof o.v);
    o.messages = keel_diagnostics_count(diagnostics);
    for (int i = 0; i < o.messages && i < 4; i++)
        snprintf(o.message[i], sizeof o.message[i], "%s", keel_diagnostics_get(diagnostics, i).text);
    keel_diagnostics_free(diagnostics);
    keel_state_free(state);
    return o;
}

static void assert_at(const arm *model, const double q[2]) {
    assert_true(fabs(cos(q[0]) + cos(q[0] + q[1]) - model->X) < 1e-14);
    assert_true(fabs(sin(q[0]) + sin(q[0] + q[1]) - model->Y) < 1e-14);
}

/* cos(b/2) = |(X, Y)|/2: for (1, 1) b = 90 degrees, a = 0. */
static void closes_a_rough_drawing(void **state) {
    (void)state;
    arm model = {.X = 1, .Y = 1, .mass = 2, .copies = 1};
    outcome o = assemble(&model, (double[]){0.4, 0.9}, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_int_equal(o.messages, 0);
    assert_at(&model, o.q);
    assert_true(fabs(o.q[0]) < 1e-14 && fabs(o.q[1] - acos(0.0)) < 1e-14); /* the near one of two */
    assert_true(fabs(o.report.moved - (acos(0.0) - 0.9)) < 1e-14);
    assert_true(o.report.before > 0.1 && o.report.after < 1e-14);
    assert_int_equal(o.report.worst, -1);
    assert_in_range(o.report.iterations, 2, 10);
}

/* Bit for bit. */
static void leaves_a_closed_drawing_alone(void **state) {
    (void)state;
    const double q[] = {2e-14, 1.5707963267948966};
    arm model = {.X = 1, .Y = 1, .mass = 1, .copies = 1};
    outcome o = assemble(&model, q, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_memory_equal(o.q, q, sizeof q);
    assert_int_equal(o.report.iterations, 0);
    assert_true(o.report.moved == 0 && o.report.velocity_moved == 0);
}

/* Drawn straight along x, J has no part that shortens the arm: it must be disturbed. */
static void bends_a_straight_arm(void **state) {
    (void)state;
    arm model = {.X = 1.5, .mass = 1, .copies = 1};
    outcome o = assemble(&model, (double[]){0, 0}, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_at(&model, o.q);
    assert_true(fabs(fabs(o.q[1]) - 2 * acos(0.75)) < 1e-13); /* and not some turns further */
}

/* The tip cannot get further than 2: 0.5 is left, in the direction of x. */
static void names_what_stays_open(void **state) {
    (void)state;
    arm model = {.X = 2.5, .mass = 1, .copies = 1};
    outcome o = assemble(&model, (double[]){0.3, -0.9}, NULL);
    assert_int_equal(o.status, KEEL_ERROR_START);
    assert_int_equal(o.messages, 1);
    assert_non_null(strstr(o.message[0], "joint 'tip' stays open by 0.5 (tip.x)"));
    assert_int_equal(o.report.worst, 0);
    assert_true(fabs(o.report.after - 0.5) < 1e-4);
    assert_true(fabs(o.q[0]) < 0.02 && fabs(o.q[1]) < 0.02); /* the best pose: straight */
}

static void closes_redundant_joints(void **state) {
    (void)state;
    arm model = {.X = 1, .Y = 1, .mass = 1, .copies = 2};
    outcome o = assemble(&model, (double[]){-0.5, 0.4}, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_at(&model, o.q);
}

static void needs_no_mass(void **state) {
    (void)state;
    for (int metric = KEEL_ASSEMBLE_MASS; metric <= KEEL_ASSEMBLE_IDENTITY; metric++) {
        arm model = {.X = 1, .Y = 1, .copies = 1};
        keel_assembly_settings settings = keel_assembly_settings_default();
        settings.metric = (keel_assembly_metric)metric;
        outcome o = assemble(&model, (double[]){0.4, 0.9}, &settings);
        assert_int_equal(o.status, KEEL_OK);
        assert_at(&model, o.q);
    }
}

/* At a = 0, b = 90 degrees J = (-1 -1; 1 0): v = (0, -speed). */
static void finds_velocities(void **state) {
    (void)state;
    arm model = {.X = 1, .Y = 1, .mass = 1, .copies = 2, .speed = 3};
    outcome o = assemble(&model, (double[]){0.2, 1.2}, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_true(fabs(o.v[0]) < 1e-13 && fabs(o.v[1] + 3) < 1e-13);
    assert_true(o.report.velocity_before > 2 && o.report.velocity_after < 1e-13);
}

/* The copy asks for another velocity than the original: the difference 0.2 is divided. */
static void names_contradicting_velocities(void **state) {
    (void)state;
    arm model = {.X = 1, .Y = 1, .mass = 1, .copies = 2, .contradiction = 0.2};
    outcome o = assemble(&model, (double[]){0.2, 1.2}, NULL);
    assert_int_equal(o.status, KEEL_ERROR_START);
    assert_int_equal(o.messages, 2);
    assert_non_null(strstr(o.message[0], "velocities contradict each other at joint 'tip': 0.1"));
    assert_non_null(strstr(o.message[1], "joint 'copy': 0.1 is left (copy.y)"));
    assert_at(&model, o.q); /* positions are closed */
    assert_int_equal(o.report.worst, -1);
}

static void a_model_that_fails_is_an_error(void **state) {
    (void)state;
    arm model = {.X = NAN, .Y = 1, .mass = 1, .copies = 1};
    const double q[] = {0.2, 1.2};
    outcome o = assemble(&model, q, NULL);
    assert_int_equal(o.status, KEEL_ERROR_NOT_FINITE);
    assert_int_equal(o.messages, 1);
    assert_memory_equal(o.q, q, sizeof q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closes_a_rough_drawing),
        cmocka_unit_test(leaves_a_closed_drawing_alone),
        cmocka_unit_test(bends_a_straight_arm),
        cmocka_unit_test(names_what_stays_open),
        cmocka_unit_test(closes_redundant_joints),
        cmocka_unit_test(needs_no_mass),
        cmocka_unit_test(finds_velocities),
        cmocka_unit_test(names_contradicting_velocities),
        cmocka_unit_test(a_model_that_fails_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
