/* Runs in fewer coordinates: a pendulum x, y on a rod, whose reduction is its angle th, x = sin th, y = cos
 * th, th'' = g sin th. A pose is made up for every half turn: th/pi passes a whole number where the rod is
 * upright.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants these before it */
#include <cmocka.h>

#include "../systems.h"

static const double PI = 3.14159265358979323846;

static keel_status angle_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                  keel_terms *terms) {
    double th = at->q[0], rate = at->v[0];
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = PENDULUM_G * sin(th);
    if (what & KEEL_ENERGY)
        terms->energy = rate * rate / 2 + PENDULUM_G * cos(th);
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

static keel_system angle_system(void) {
    static const int M_start[] = {0, 1}, M_index[] = {0}, J_start[] = {0};
    static const char *const names[] = {"th"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 1;
    system.M = (keel_pattern){1, 1, M_start, M_index};
    system.J = (keel_pattern){0, 1, J_start, NULL};
    system.has_energy = 1;
    system.evaluate = angle_evaluate;
    system.names.q = system.names.v = names;
    return system;
}

/* The branch of this reduction is the right half at the start, so that there is another one. */
static int angle_shrink(const keel_reduction *r, void *work, double t, const double *q, const double *v,
                        double *u, double *u_rate) {
    (void)r, (void)work, (void)t;
    u[0] = atan2(q[0], q[1]);
    u_rate[0] = v[0] * q[1] - v[1] * q[0];
    return u[0] > 0 && fabs(q[0] * q[0] + q[1] * q[1] - 1) < 1e-9;
}

static void angle_expand(const keel_reduction *r, void *work, double t, const double *u, const double *u_rate,
                         double *q, double *v) {
    (void)r, (void)work, (void)t;
    q[0] = sin(u[0]), q[1] = cos(u[0]);
    v[0] = u_rate[0] * q[1], v[1] = -u_rate[0] * q[0];
}

static void angle_poses(const keel_reduction *r, const double *u, double *value) {
    (void)r;
    value[0] = u[0] / PI;
}

/* Both systems; the full one with or without its reduction. */
typedef struct pair {
    pendulum_model model;
    keel_system full, angle;
    keel_reduction reduction;
    keel_diagnostics *diagnostics;
    keel_state *start;
    keel_settings settings;
} pair;

static void pair_begin(pair *p, double th, double rate) {
    static const int rows[] = {0};
    memset(p, 0, sizeof *p);
    p->model.copies = 1;
    p->full = pendulum_system(&p->model);
    p->angle = angle_system();
    p->reduction = (keel_reduction){.system = &p->angle,
                                    .reason = "the rod is an angle",
                                    .shrink = angle_shrink,
                                    .expand = angle_expand,
                                    .n_poses = 1,
                                    .pose_row = rows,
                                    .poses = angle_poses};
    p->full.reduction = &p->reduction;
    p->diagnostics = keel_diagnostics_new();
    p->start = keel_state_new(&p->full);
    angle_expand(NULL, NULL, 0, &th, &rate, p->start->q, p->start->v);
    p->settings = keel_settings_default();
    p->settings.method = keel_method_auto();
    p->settings.tolerance = 1e-10;
    p->settings.until = 2;
}

static void pair_end(pair *p) {
    keel_state_free(p->start);
    keel_diagnostics_free(p->diagnostics);
}

static keel_status run(pair *p, const keel_observer *observer, keel_result *result) {
    return keel_run(&p->full, p->start, 1, &p->settings, observer, p->diagnostics, result);
}

static void expect_message(const pair *p, const char *words) {
    assert_int_equal(keel_diagnostics_count(p->diagnostics), 1);
    const char *text = keel_diagnostics_get(p->diagnostics, 0).text;
    if (!strstr(text, words))
        fail_msg("'%s' is not in '%s'", words, text);
}

/* After its period of 2 s (systems.h) the pendulum is where it began. */
static void same_motion_and_multipliers(void **state) {
    pair p;
    keel_result reduced, full;
    (void)state;
    pair_begin(&p, PI / 2, 0);
    assert_int_equal(run(&p, NULL, &reduced), KEEL_OK);
    p.settings.closed_forms = KEEL_CLOSED_FORMS_NO;
    assert_int_equal(run(&p, NULL, &full), KEEL_OK);
    assert_string_equal(reduced.closed_forms, "the rod is an angle");
    assert_null(full.closed_forms);
    assert_int_equal(reduced.method.stabilize, KEEL_STABILIZE_NONE);
    assert_int_equal(full.method.stabilize, KEEL_PROJECTION);
    assert_true(fabs(reduced.final->q[0] - 1) < 1e-9 && fabs(reduced.final->q[1]) < 1e-8);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(reduced.final->v[i] - full.final->v[i]) < 1e-7);
        assert_true(fabs(reduced.v_rate[i] - full.v_rate[i]) < 1e-7);
    }
    assert_true(fabs(reduced.final->lambda[0] - full.final->lambda[0]) < 1e-7);
    assert_true(reduced.position.max < 1e-15 && reduced.velocity.max < 1e-14);
    assert_int_equal(reduced.position.worst, 0);
    assert_int_equal(reduced.rank, 1);
    assert_true(fabs(reduced.energy_drift) < 1e-9);
    keel_result_clear(&reduced);
    keel_result_clear(&full);
    pair_end(&p);
}

static keel_status check_row(void *user, const keel_row *row) {
    double r_2 = row->q[0] * row->q[0] + row->q[1] * row->q[1];
    double speed_2 = row->v[0] * row->v[0] + row->v[1] * row->v[1];
    /* the rod pulls with g cos + v^2: J^T lambda = 2 (x, y) lambda */
    double pull = speed_2 - PENDULUM_G * row->q[1];
    ++*(int *)user;
    assert_true(fabs(r_2 - 1) < 1e-15);
    assert_true(fabs(row->q[0] * row->v[0] + row->q[1] * row->v[1]) < 1e-14);
    assert_true(fabs(2 * row->lambda[0] - pull) < 1e-12);
    assert_true(fabs(row->energy - speed_2 / 2 - PENDULUM_G * row->q[1]) < 1e-13);
    return KEEL_OK;
}

static void rows_between_steps(void **state) {
    pair p;
    int rows = 0;
    keel_result result;
    (void)state;
    pair_begin(&p, PI / 2, 0);
    p.settings.output = 0.01;
    assert_int_equal(run(&p, &(keel_observer){.user = &rows, .row = check_row}, &result), KEEL_OK);
    assert_int_equal(rows, 201);
    keel_result_clear(&result);
    pair_end(&p);
}

/* The rod turns fully, forward: it is upright and hanging in turn; at energy E the speed in the upright
 * position is what is left. One turn has two poses. */
static void poses_are_told(void **state) {
    pair p;
    keel_result result;
    (void)state;
    pair_begin(&p, 0.1, 2);
    p.settings.until = 20;
    assert_int_equal(run(&p, NULL, &result), KEEL_OK);
    double turns = 0, before = 0;
    for (int i = 0; i < result.event_count; i++) {
        assert_int_equal(result.events[i].kind, KEEL_EVENT_SINGULAR);
        assert_string_equal(result.events[i].text,
                            "singular pose: constraint 'rod' becomes dependent; another "
                            "branch begins here, the motion stays on its own");
        assert_true(result.events[i].t > before);
        before = result.events[i].t;
        turns += 0.5;
    }
    assert_true(turns > 10);
    /* the same run ends half a turn after its last pose at the most */
    keel_result again;
    p.settings.until = result.events[4].t;
    assert_int_equal(run(&p, NULL, &again), KEEL_OK);
    assert_true(fabs(again.final->q[0]) < 1e-8);
    keel_result_clear(&again);
    keel_result_clear(&result);
    pair_end(&p);
}

static void poses_may_stop(void **state) {
    pair p;
    keel_result result;
    (void)state;
    pair_begin(&p, 0.1, 2);
    p.settings.singular = KEEL_SINGULAR_STOP;
    assert_int_equal(run(&p, NULL, &result), KEEL_ERROR_SINGULAR);
    expect_message(&p, "constraint 'rod' becomes dependent; the option singular = stop");
    assert_int_equal(result.event_count, 1);
    keel_result_clear(&result);
    pair_end(&p);
}

static void other_branch_runs_in_full(void **state) {
    pair p;
    keel_result result;
    (void)state;
    pair_begin(&p, -PI / 2, 0);
    assert_int_equal(run(&p, NULL, &result), KEEL_OK);
    assert_null(result.closed_forms);
    keel_result_clear(&result);
    p.settings.closed_forms = KEEL_CLOSED_FORMS_YES;
    assert_int_equal(run(&p, NULL, &result), KEEL_ERROR_INPUT);
    expect_message(&p, "the start is on another branch");
    keel_result_clear(&result);
    pair_end(&p);
}

/* Asked for, it goes with any integrator that takes index1; not asked for, a named method means what it says.
 */
static void other_methods(void **state) {
    static const keel_integrator integrators[] = {KEEL_RK4,    KEEL_DOPRI5, KEEL_ADAMS,     KEEL_RADAU5,
                                                  KEEL_RADAU9, KEEL_BDF,    KEEL_BDF_FIXED, KEEL_IDA};
    (void)state;
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        pair p;
        keel_result result;
        pair_begin(&p, PI / 2, 0);
        p.settings.method = (keel_method){integrators[i], KEEL_INDEX1, KEEL_STABILIZE_NONE, 0};
        p.settings.tolerance = 1e-8;
        p.settings.step = keel_integrator_takes_step(integrators[i]) ? 1e-3 : 0;
        p.settings.order = integrators[i] == KEEL_BDF_FIXED ? 5 : 0;
        p.settings.closed_forms = KEEL_CLOSED_FORMS_YES;
        assert_int_equal(run(&p, NULL, &result), KEEL_OK);
        assert_non_null(result.closed_forms);
        assert_true(fabs(result.final->q[0] - 1) < 1e-5 && fabs(result.final->q[1]) < 1e-5);
        assert_true(result.position.max < 1e-15);
        keel_result_clear(&result);
        p.settings.closed_forms = KEEL_CLOSED_FORMS_AUTO;
        assert_int_equal(run(&p, NULL, &result), KEEL_OK);
        assert_null(result.closed_forms);
        keel_result_clear(&result);
        pair_end(&p);
    }
}

static void expect_refusal(pair *p, const char *words) {
    keel_result result;
    p->settings.closed_forms = KEEL_CLOSED_FORMS_YES;
    assert_int_equal(run(p, NULL, &result), KEEL_ERROR_INPUT);
    expect_message(p, words);
    keel_result_clear(&result);
    pair_end(p);
}

static void refusals_say_why(void **state) {
    pair p;
    (void)state;
    pair_begin(&p, PI / 2, 0);
    p.full.reduction = NULL;
    expect_refusal(&p, "no closed form of the constraints of this system");
    pair_begin(&p, PI / 2, 0);
    p.settings.method = (keel_method){KEEL_DOP853, KEEL_NULLSPACE, KEEL_PROJECTION, 0};
    expect_refusal(&p, "it goes with the formulation index1");
    pair_begin(&p, PI / 2, 0);
    p.settings.method = (keel_method){KEEL_DOP853, KEEL_INDEX1, KEEL_BAUMGARTE, 0};
    expect_refusal(&p, "it goes with projection and none");
}

/* Options of projection ask for a projection. */
static void options_of_projection(void **state) {
    pair p;
    keel_result result;
    (void)state;
    pair_begin(&p, PI / 2, 0);
    p.settings.levels = KEEL_LEVELS_VELOCITY;
    assert_int_equal(run(&p, NULL, &result), KEEL_OK);
    assert_null(result.closed_forms);
    keel_result_clear(&result);
    pair_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_motion_and_multipliers),
        cmocka_unit_test(rows_between_steps),
        cmocka_unit_test(poses_are_told),
        cmocka_unit_test(poses_may_stop),
        cmocka_unit_test(other_branch_runs_in_full),
        cmocka_unit_test(other_methods),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(options_of_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
