/* The equations of the midpoint and the conserving rule, their solution, and the integrator around them, on
 * systems written in C without derivatives. */
#include <stdlib.h>

#include "integrate/conserving.h"
#include "integrate_ida_systems.h"

static const keel_settings OPTIONS = {.projection_tolerance = 5e-15,
                                      .newton_tolerance = 1e-10,
                                      .augmented_penalty = 1e3,
                                      .newton_report = KEEL_NO};

/* Two coordinates, nothing quadratic, everything depends on time:
 *
 *     M = [2 + c x^2  1/2; 1/2  1],   V = x^4/4 + x sin(y) + t y,   Phi = x^3 + y - t^2,
 *     Q = -V_q - 0.3 v - (c x x'^2, 0)
 */
typedef struct curved_model {
    double c; /* 0: the mass is constant */
} curved_model;

static keel_status curved_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                   keel_terms *terms) {
    const curved_model *model = system->model;
    double t = at->t, x = at->q[0], y = at->q[1], vx = at->v[0], vy = at->v[1], c = model->c;
    (void)work;
    if (what & KEEL_MASS) {
        terms->M[0] = 2 + c * x * x;
        terms->M[1] = 0.5;
        terms->M[2] = 1;
    }
    if (what & KEEL_FORCE) {
        terms->Q[0] = -x * x * x - sin(y) - 0.3 * vx - c * x * vx * vx;
        terms->Q[1] = -x * cos(y) - t - 0.3 * vy;
    }
    if (what & KEEL_POSITION)
        terms->Phi[0] = x * x * x + y - t * t;
    if (what & KEEL_JACOBIAN)
        terms->J[0] = 3 * x * x, terms->J[1] = 1;
    if (what & KEEL_VELOCITY)
        terms->rate[0] = 3 * x * x * vx + vy - 2 * t;
    if (what & KEEL_XI)
        terms->xi[0] = -6 * x * vx * vx + 2;
    if (what & KEEL_ENERGY)
        terms->energy = (1 + c * x * x / 2) * vx * vx + 0.5 * vx * vy + 0.5 * vy * vy + x * x * x * x / 4 +
                        x * sin(y) + t * y;
    if (what & KEEL_POWER)
        terms->power = -0.3 * (vx * vx + vy * vy) + y;
    return KEEL_OK;
}

static keel_system curved_system(const curved_model *model) {
    static const int M_start[] = {0, 1, 3}, M_index[] = {0, 0, 1}, J_start[] = {0, 2}, J_index[] = {0, 1};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_h = 1;
    system.M = (keel_pattern){2, 2, M_start, M_index};
    system.J = (keel_pattern){1, 2, J_start, J_index};
    system.has_energy = system.has_drivers = 1;
    system.model = model;
    system.evaluate = curved_evaluate;
    return system;
}

static const curved_model CURVED = {0}, BENT = {0.7};

/* A workspace, and a step on it. */
typedef struct stage {
    keel_system system;
    ki_arena arena;
    ki_law law;
    ki_dynamics d, rows;
    ki_midstep step;
} stage;

static void open_stage(stage *s, const keel_system *system) {
    s->system = *system;
    ki_arena_init(&s->arena);
    keel_settings method = OPTIONS;
    method.method = (keel_method){KEEL_CONSERVING, KEEL_INDEX3, KEEL_STABILIZE_NONE, 0};
    assert_int_equal(ki_law_init(&s->law, &s->arena, &s->system, &method, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&s->d, &s->system, &s->law), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&s->rows, &s->system, &s->law), KEEL_OK);
}

static void close_stage(stage *s) {
    ki_dynamics_clear(&s->d);
    ki_dynamics_clear(&s->rows);
    ki_arena_free(&s->arena);
}

/* A step of length h from (t, y) with the unknowns x, evaluated. */
static void evaluate(stage *s, bool conserving, double t, const double *y, double h, const double *x) {
    ki_midstep_init(&s->step, &s->arena, &s->d, conserving);
    assert_int_equal(ki_evaluate_terms(&s->d, KEEL_MASS, t, y), KEEL_OK);
    assert_int_equal(ki_midstep_begin(&s->step, t, y, h), KEEL_OK);
    memcpy(s->step.x, x, (size_t)ki_midstep_unknowns(&s->d) * sizeof *x);
    assert_int_equal(ki_midstep_evaluate(&s->step), KEEL_OK);
}

static double energy_at(stage *s, double t, const double *y) {
    assert_int_equal(ki_evaluate_terms(&s->d, KEEL_ENERGY, t, y), KEEL_OK);
    return s->d.at.energy;
}

static double difference_of(const double *x, const double *y, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static double uniform(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

/* Whatever dq and L: dq . r_D = change of the energy + what is owed - work + L Phi(q1). */
static void balance_is_an_identity(void **state) {
    (void)state;
    keel_system system[2] = {curved_system(&CURVED), curved_system(&BENT)};
    srand(1);
    for (int k = 0; k < 2; k++) {
        stage s;
        open_stage(&s, &system[k]);
        double most = 0, most_of_midpoint = 0;
        for (int i = 0; i < 200; i++) {
            double y[5] = {uniform(), uniform(), uniform(), uniform(), 0}, t = uniform(),
                   h = 0.5 + 0.4 * uniform();
            double x[3] = {uniform(), uniform(), uniform()};
            for (int conserving = 0; conserving < 2; conserving++) {
                evaluate(&s, conserving, t, y, h, x);
                const ki_midstep *step = &s.step;
                double gained = energy_at(&s, t + h, step->y_end) - energy_at(&s, t, y);
                double left = x[0] * step->r_D[0] + x[1] * step->r_D[1];
                double error = fabs(left - (gained - step->work + x[2] * step->r_C[0]));
                if (conserving)
                    most = fmax(most, error);
                else
                    most_of_midpoint = fmax(most_of_midpoint, error);
            }
        }
        close_stage(&s);
        print_message("balance: %.1e, midpoint rule %.1e\n", most, most_of_midpoint);
        assert_true(most < 1e-12);
        assert_true(most_of_midpoint > 1e-2);
    }
}

/* Where everything is quadratic the two rules are the same: the circle under gravity. */
static void quadratic_needs_no_correction(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    stage s;
    open_stage(&s, &system);
    const double y[5] = {0.6, -0.8, 0.4, 0.3, 0}, x[3] = {0.05, 0.02, 3};
    evaluate(&s, false, 0, y, 0.1, x);
    double plain[2] = {s.step.r_D[0], s.step.r_D[1]};
    evaluate(&s, true, 0, y, 0.1, x);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(s.step.r_D[i] - plain[i]) < 1e-13);
    close_stage(&s);
}

/* Displacements of the size of round-off: the brackets are noise, and must not be blown up. */
static void rest_is_left_alone(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    stage s;
    open_stage(&s, &system);
    const double y[5] = {0.6, -0.8, 0, 0, 0};
    for (double size = 1e-18; size < 1e-9; size *= 3) {
        const double x[3] = {4 * size, 3 * size, 1e6};
        evaluate(&s, false, 0, y, 0.1, x);
        double plain[2] = {s.step.r_D[0], s.step.r_D[1]};
        evaluate(&s, true, 0, y, 0.1, x);
        for (int i = 0; i < 2; i++)
            assert_true(fabs(s.step.r_D[i] - plain[i]) < 1e-7 * 1e6);
    }
    close_stage(&s);
}

/* r at the solution, after steps so long that the path turns by a right angle. */
static void solver_arrives(void **state) {
    (void)state;
    keel_system system = curved_system(&CURVED);
    for (int solution = 0; solution < 2; solution++)
        for (int full = 0; full < 2; full++) {
            stage s;
            keel_settings options = OPTIONS;
            options.solution = solution ? KEEL_SOLUTION_AUGMENTED : KEEL_SOLUTION_NEWTON;
            options.newton = full ? KEEL_NEWTON_FULL : KEEL_NEWTON_MODIFIED;
            options.augmented_penalty = 1;
            open_stage(&s, &system);
            const double y[5] = {1, -1, 1, -3, 0}, x[3] = {5, -5, 20};
            evaluate(&s, true, 0, y, 0.7, x); /* a bad guess */
            ki_midsolver *solver = ki_midsolver_new(&s.step, &options);
            keel_newton_facts facts;
            assert_non_null(solver);
            assert_int_equal(ki_midsolver_solve(solver, &facts), KEEL_OK);
            assert_true(facts.iterations > 0 && facts.correction_q < 1e-13);
            double end[2] = {s.step.y_end[0], s.step.y_end[1]};
            assert_int_equal(ki_midstep_evaluate(&s.step), KEEL_OK);
            assert_true(fabs(s.step.r_D[0]) < 1e-13 && fabs(s.step.r_D[1]) < 1e-13);
            assert_true(fabs(s.step.r_C[0]) < 1e-14);
            assert_true(end[0] == s.step.y_end[0] && end[1] == s.step.y_end[1]);
            ki_midsolver_free(solver);
            close_stage(&s);
        }
}

/* The integrator on a stage. */
static ki_integrator *integrator_on(stage *s, keel_integrator kind, double step, double tolerance,
                                    const double *y, double t_end, keel_status *status) {
    keel_stabilize stabilize = kind == KEEL_DOP853 ? KEEL_PROJECTION : KEEL_STABILIZE_NONE;
    ki_problem problem = {.kind = kind,
                          .flow = {&s->d, stabilize},
                          .flow_rows = {&s->rows, stabilize},
                          .settings = with_tolerance(tolerance),
                          .options = &OPTIONS,
                          .t_end = t_end,
                          .y = y};
    problem.settings.step = step;
    problem.settings.fixed = step > 0;
    return ki_integrator_new(&problem, status);
}

static void what_has_no_energy_is_refused(void **state) {
    (void)state;
    keel_system system = curved_system(&CURVED);
    system.has_energy = 0;
    stage s;
    keel_status status;
    const double y[5] = {1, -1, 1, -3, 0};
    open_stage(&s, &system);
    assert_null(integrator_on(&s, KEEL_CONSERVING, 0.1, 0, y, 1, &status));
    assert_int_equal(status, KEEL_ERROR_INPUT);
    assert_int_equal(s.d.trouble.kind, KI_TROUBLE_UNSUITED);
    assert_non_null(strstr(s.d.trouble.why, "energy"));
    close_stage(&s);
}

/* Energy - work is constant, steps fixed or chosen; the ends of dense output are the ends of steps. */
static void work_and_rows(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool fixed = i & 1;
        keel_system system = curved_system(i & 2 ? &BENT : &CURVED);
        stage s;
        keel_status status;
        const double start[5] = {1, -1, 1, -3, 0};
        double before[5], row[5];
        open_stage(&s, &system);
        ki_integrator *in = integrator_on(&s, KEEL_CONSERVING, fixed ? 0.03 : 0, 1e-4, start, 2, &status);
        assert_non_null(in);
        double E_0 = energy_at(&s, 0, start);
        while (in->t < 2) {
            double t_before = in->t;
            memcpy(before, in->y, sizeof before);
            assert_int_equal(in->method->step(in, 2), KEEL_OK);
            assert_true(fabs(energy_at(&s, in->t, in->y) - in->y[4] - E_0) < 1e-12);
            assert_int_equal(in->method->interpolate(in, t_before, row), KEEL_OK);
            assert_true(difference_of(row, before, 5) < 1e-14);
            assert_int_equal(in->method->interpolate(in, in->t, row), KEEL_OK);
            assert_memory_equal(row, in->y, sizeof row);
        }
        assert_true(in->t == 2);
        assert_true(fixed ? in->steps == 67 && in->rejected == 0 : in->steps > 20);
        assert_true(in->has_newton && in->newton.iterations > 0 && in->jacobians > 0);
        ki_integrator_free(in);
        close_stage(&s);
    }
}

static double error_of(keel_integrator kind, double tolerance) {
    static const double start[] = {1, 0, 0, 0, 0};
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    stage s;
    keel_status status;
    open_stage(&s, &system);
    ki_integrator *in = integrator_on(&s, kind, 0, tolerance, start, 2, &status);
    assert_non_null(in);
    step_to(in, 2);
    double error = fabs(in->y[3]);
    ki_integrator_free(in);
    close_stage(&s);
    return error;
}

/* The start is reached again, at rest, after a period of 2 s. */
static void tolerance_steers(void **state) {
    (void)state;
    static const keel_integrator KINDS[] = {KEEL_MIDPOINT, KEEL_CONSERVING};
    for (int k = 0; k < 2; k++)
        for (double tolerance = 1e-3; tolerance > 1e-7; tolerance *= 0.1) {
            double error = error_of(KINDS[k], tolerance);
            print_message("%d at %.0e: %.1e\n", k, tolerance, error);
            assert_true(error < 300 * tolerance);
        }
}

/* A body that turns, q a unit quaternion: order two, and Phi = 0, against dop853 with projection at 1e-12. */
static void turning_body(void **state) {
    (void)state;
    keel_system system = top_system();
    double end[5][TOP_N_Y];
    for (int i = 0; i < 5; i++) {
        stage s;
        keel_status status;
        open_stage(&s, &system);
        keel_integrator kind = i == 0 ? KEEL_DOP853 : i < 3 ? KEEL_MIDPOINT : KEEL_CONSERVING;
        ki_integrator *in =
            integrator_on(&s, kind, i ? 0.01 / (1 << (1 - i % 2)) : 0, 1e-12, TOP_START, 2, &status);
        assert_non_null(in);
        double E_0 = energy_at(&s, 0, TOP_START);
        step_to(in, 2);
        memcpy(end[i], in->y, sizeof end[i]);
        assert_true(fabs(2 * (in->y[1] * in->y[3] - in->y[0] * in->y[2])) < 1e-14);
        if (kind == KEEL_CONSERVING)
            assert_true(fabs(energy_at(&s, 2, in->y) - in->y[TOP_N_Y - 1] - E_0) < 1e-13);
        ki_integrator_free(in);
        close_stage(&s);
    }
    for (int i = 1; i < 5; i += 2) {
        double error[2] = {difference_of(end[i], end[0], TOP_N_Y - 1),
                           difference_of(end[i + 1], end[0], TOP_N_Y - 1)};
        print_message("turning body: error %.1e, order %.2f\n", error[0], log2(error[0] / error[1]));
        assert_true(error[0] < 1e-2 && fabs(log2(error[0] / error[1]) - 2) < 0.1);
    }
}

/* Phi = x^2 + y^2 + t - 1 ends at t = 1: no step leads beyond, and the last good state stays. */
static keel_status shrinking_evaluate(const keel_system *system, void *work, unsigned what,
                                      const keel_point *at, keel_terms *terms) {
    keel_status status = pendulum_evaluate(system, work, what, at, terms);
    if (what & KEEL_POSITION)
        terms->Phi[0] += at->t;
    if (what & KEEL_VELOCITY)
        terms->rate[0] += 1;
    return status;
}

static void no_solution_is_told(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    system.evaluate = shrinking_evaluate;
    system.has_drivers = 1;
    for (int fixed = 0; fixed < 2; fixed++) {
        stage s;
        keel_status status;
        const double start[5] = {1, 0, -0.5, 0, 0};
        open_stage(&s, &system);
        ki_integrator *in = integrator_on(&s, KEEL_CONSERVING, fixed ? 0.03 : 0, 1e-3, start, 2, &status);
        assert_non_null(in);
        while (!(status = in->method->step(in, 2)))
            assert_true(in->t < 1 && fabs(in->y[0] * in->y[0] + in->y[1] * in->y[1] + in->t - 1) < 1e-12);
        assert_true(status == (fixed ? KEEL_ERROR_CONVERGENCE : KEEL_ERROR_STEP_SIZE));
        assert_true(in->t < 1);
        ki_integrator_free(in);
        close_stage(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balance_is_an_identity),
        cmocka_unit_test(quadratic_needs_no_correction),
        cmocka_unit_test(rest_is_left_alone),
        cmocka_unit_test(solver_arrives),
        cmocka_unit_test(what_has_no_energy_is_refused),
        cmocka_unit_test(work_and_rows),
        cmocka_unit_test(tolerance_steers),
        cmocka_unit_test(turning_body),
        cmocka_unit_test(no_solution_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
