/* What models have to look at: points and lines of equations, shapes, places and steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "keel/equations.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"
#include "keel/run.h"

static keel_model *parse(const char *text, keel_diagnostics *list) {
    keel_status status;
    return keel_model_parse("test.yaml", text, strlen(text), NULL, 0, list, &status);
}

static const char CHAIN[] = "keel: 1\n"
                            "description: two points\n"
                            "parameters: {N: 2, L: 1/N}\n"
                            "equations:\n"
                            "  repeat: {for: {i: 1..N}, coordinates: {\"a[i]\": i}, kinetic: a[i]'^2/2}\n"
                            "outputs: {sum: a[1] + a[2]}\n"
                            "draw:\n"
                            "  points: {O: [0, L]}\n"
                            "  lines: [[O, P[1], P[2]]]\n"
                            "  repeat:\n"
                            "    for: {i: 1..N}\n"
                            "    points: {\"P[i]\": [\"2*a[i]\", \"a[i]'\", t]}\n";

static void points_and_lines(void **state) {
    (void)state;
    keel_diagnostics *list = keel_diagnostics_new();
    keel_model *model = parse(CHAIN, list);
    if (!model)
        fail_msg("%s", keel_diagnostics_get(list, 0).text);
    keel_drawing drawing = keel_equations_drawing(model->system);
    assert_int_equal(drawing.point_count, 3);
    assert_string_equal(drawing.name[2], "P[2]");
    assert_int_equal(drawing.line_count, 2);
    assert_int_equal(drawing.line[1][0], 1);
    assert_int_equal(drawing.line[1][1], 2);
    assert_false(drawing.planar);
    assert_int_equal(model->system->n_outputs, 1); /* the drawing is no part of the results */

    void *work;
    double q[] = {3, 4}, v[] = {5, 6}, at[3][3];
    assert_int_equal(model->system->work_new(model->system, &work), KEEL_OK);
    keel_equations_draw(model->system, work, &(keel_point){.t = 7, .q = q, .v = v}, at);
    const double expected[3][3] = {{0, 0.5, 0}, {6, 5, 7}, {8, 6, 7}};
    assert_memory_equal(at, expected, sizeof at);
    model->system->work_free(work);

    assert_string_equal(model->text, CHAIN);
    assert_string_equal(model->file, "test.yaml");
    assert_string_equal(model->description, "two points");
    assert_int_equal(model->parameter_count, 2);
    assert_string_equal(model->parameter_name[1], "L");
    assert_true(model->parameter_value[1] == 0.5);
    keel_model_free(model);
    keel_diagnostics_free(list);
}

static void problems_are_told(void **state) {
    (void)state;
#define HEAD "keel: 1\nequations: {coordinates: {x: 1}, kinetic: x'^2/2}\n"
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {HEAD "draw: {points: {P: [x]}}\n", "point 'P' must be a list [x, y] or [x, y, z]"},
        {HEAD "draw: {points: {P: [x, y]}}\n", "'y'"},
        {HEAD "draw: {points: {P: [x, x'']}}\n", "acceleration"},
        {HEAD "draw: {points: {P: [x, 0]}, lines: [[P, Q]]}\n", "there is no point 'Q' to draw a line to"},
        {HEAD "draw: {points: {P: [x, 0]}, lines: [[P]]}\n", "a line must be a list of points"},
        {HEAD "draw: {points: {P: [x, 0]}, lines: P}\n", "'lines' must be a list"},
        {HEAD "draw: {pionts: {P: [x, 0]}}\n", "did you mean 'points'?"},
        {"keel: 1\nbodies: {a: {mass: 1, centre: [0, 0, 0], inertia: [1, 1, 1]}}\ndraw: {}\n",
         "'draw' belongs to a model of equations"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        keel_diagnostics *list = keel_diagnostics_new();
        assert_null(parse(CASES[i].text, list));
        if (keel_diagnostics_count(list) == 0 ||
            !strstr(keel_diagnostics_get(list, 0).text, CASES[i].message))
            fail_msg("case %zu says '%s'", i, keel_diagnostics_get(list, 0).text);
        keel_diagnostics_free(list);
    }
}

static const char MECHANISM[] =
    "keel: 1\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  ground: {points: {anchor: [0, 0, 5]}}\n"
    "  arm:\n"
    "    points: {tip: [2, 0, 0]}\n"
    "    parts:\n"
    "      - {shape: rod, from: [0, 0, 0], to: [2, 0, 0], mass: 1}\n"
    "      - {mass: 1, at: [2, 0, 0]}\n"
    "  disc: {shape: cylinder, centre: [2, 0, 1], radius: 0.5, thickness: 0.2, mass: 1}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: y}\n"
    "  hub: {type: revolute, bodies: [arm, disc], at: [2, 0, 1], axis: z}\n"
    "forces:\n"
    "  spring: {type: spring, between: [tip, ground.anchor], stiffness: 1}\n";

static void shapes_and_places(void **state) {
    (void)state;
    keel_diagnostics *list = keel_diagnostics_new();
    keel_model *model = parse(MECHANISM, list);
    if (!model)
        fail_msg("%s", keel_diagnostics_get(list, 0).text);

    const keel_shape *shapes;
    assert_int_equal(keel_mechanism_shapes(model->system, KEEL_GROUND, &shapes), 0);
    assert_int_equal(keel_mechanism_shapes(model->system, 1, &shapes), 2);
    bool rod_first = shapes[0].kind == KEEL_SHAPE_ROD;
    assert_true(shapes[!rod_first].to[0] == 2 && shapes[rod_first].kind == KEEL_SHAPE_MASS);
    assert_int_equal(keel_mechanism_shapes(model->system, 2, &shapes), 1);
    assert_int_equal(shapes[0].kind, KEEL_SHAPE_CYLINDER);
    assert_true(fabs(shapes[0].from[2] - 0.9) < 1e-15 && fabs(shapes[0].to[2] - 1.1) < 1e-15);

    keel_marker tip;
    keel_tie tie;
    double gravity[3];
    int i = 0;
    while (keel_mechanism_marker(model->system, i, &tip) && strcmp(tip.name, "tip") != 0)
        i++;
    assert_string_equal(tip.name, "tip");
    assert_int_equal(tip.body, 1);
    assert_true(tip.at[0] == 0.5); /* the centre of mass of rod and point is at 1.5 */
    assert_true(keel_mechanism_joint_tie(model->system, 0, &tie));
    assert_true(tie.body[0] == 0 && tie.body[1] == 1 && tie.at[1][0] == -1.5 && tie.axis[1] == 1);
    assert_true(keel_mechanism_spring_tie(model->system, 0, &tie));
    assert_true(tie.at[0][0] == 0.5 || tie.at[1][0] == 0.5);
    assert_false(keel_mechanism_spring_tie(model->system, 1, &tie));
    assert_false(keel_mechanism_joint_tie(model->system, 2, &tie));
    keel_mechanism_gravity(model->system, gravity);
    assert_true(gravity[2] == -9.81);
    keel_model_free(model);
    keel_diagnostics_free(list);
}

typedef struct steps {
    long count;
    double total, last;
    int lowest, highest;
} steps;

static keel_status on_accepted(void *user, const keel_step *step) {
    steps *s = user;
    assert_true(step->size > 0 && fabs(step->t - s->last - step->size) <= 1e-12);
    s->count++;
    s->total += step->size;
    s->last = step->t;
    s->lowest = step->order < s->lowest ? step->order : s->lowest;
    s->highest = step->order > s->highest ? step->order : s->highest;
    return KEEL_OK;
}

/* Every accepted step is told once; listening changes nothing. */
static void steps_of_a_run(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int lowest, highest; /* of the orders */
    } METHODS[] = {{"rk4", 4, 4}, {"dop853", 8, 8}, {"adams", 1, 4}, {"bdf", 1, 3}, {"newmark", 0, 0}};
    keel_diagnostics *list = keel_diagnostics_new();
    keel_model *model =
        parse("keel: 1\n"
              "equations: {coordinates: {x: 1, y: 0}, kinetic: (x'^2 + y'^2)/2, potential: y,\n"
              "  holonomic: {rod: x^2 + y^2 - 1}}\n"
              "simulate: {until: 5}\n",
              list);
    assert_non_null(model);
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        steps s = {.lowest = 100};
        keel_observer observer = {.user = &s, .accepted = on_accepted};
        keel_result told, alone;
        model->settings.step = strcmp(METHODS[i].method, "rk4") == 0 ? 0.01 : 0;
        assert_int_equal(
            keel_method_parse(METHODS[i].method, (keel_location){0}, list, &model->settings.method), KEEL_OK);
        assert_int_equal(keel_run(model->system, model->start, 0, &model->settings, &observer, list, &told),
                         KEEL_OK);
        assert_int_equal(keel_run(model->system, model->start, 0, &model->settings, NULL, list, &alone),
                         KEEL_OK);
        assert_int_equal(s.count, told.count.steps);
        assert_true(fabs(s.total - 5) < 1e-10);
        assert_int_equal(s.lowest, METHODS[i].lowest);
        assert_true(s.highest >= METHODS[i].highest);
        assert_memory_equal(told.final->q, alone.final->q, 2 * sizeof(double));
        keel_result_clear(&told);
        keel_result_clear(&alone);
    }
    keel_model_free(model);
    keel_diagnostics_free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_lines),
        cmocka_unit_test(problems_are_told),
        cmocka_unit_test(shapes_and_places),
        cmocka_unit_test(steps_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
