/* What is asked of a mechanism, of a system that is none: nothing, as for numbers that no joint, body or row
 * has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/keel.h"
#include "keel/modelfile.h"

static keel_model *read_model(const char *name) {
    char path[400];
    keel_status status;
    snprintf(path, sizeof path, KEEL_SOURCE_DIR "/models/%s.yaml", name);
    keel_model *model = keel_model_read(path, NULL, 0, NULL, &status);
    assert_non_null(model);
    return model;
}

/* All that takes the number of a joint, a body, a row or something to draw. */
static void nothing_is_there(const keel_system *system, void *work, const keel_point *at, int number) {
    int body[2] = {-7, -7}, holonomic = -7, nonholonomic = -7, first = -7;
    double rows[1] = {-7};
    const keel_shape *shapes = NULL;
    keel_load load;
    keel_marker marker;
    keel_tie tie;
    keel_mesh mesh;
    assert_string_equal(keel_mechanism_joint_name(system, number), "");
    assert_string_equal(keel_mechanism_joint_type(system, number), "");
    assert_int_equal(keel_mechanism_joint_is_tree(system, number), 0);
    keel_mechanism_joint_bodies(system, number, body);
    assert_int_equal(body[0], -7);
    assert_int_equal(keel_mechanism_joint_where(system, number).line, 0);
    assert_string_equal(keel_mechanism_body_name(system, number), "");
    assert_int_equal(keel_mechanism_body_where(system, number).line, 0);
    assert_int_equal(keel_mechanism_joint_conditions(system, number), 0);
    assert_int_equal(keel_mechanism_joint_row(system, number, &holonomic, &nonholonomic, &first), 0);
    assert_int_equal(holonomic, -7);
    keel_mechanism_joint_covectors(system, work, at, number, rows);
    assert_true(rows[0] == -7);
    assert_true(keel_mechanism_joint_friction(system, number) == 0);
    assert_null(keel_mechanism_row_source(system, number).name);
    assert_int_equal(keel_mechanism_load(system, work, at, number, &load), 0);
    assert_int_equal(keel_mechanism_shapes(system, number, &shapes), 0);
    assert_int_equal(keel_mechanism_marker(system, number, &marker), 0);
    assert_int_equal(keel_mechanism_joint_tie(system, number, &tie), 0);
    assert_int_equal(keel_mechanism_joint_mesh(system, number, &mesh), 0);
    assert_int_equal(keel_mechanism_body_jacobian(system, work, at, number, rows), KEEL_ERROR_INPUT);
}

static void *work_of(const keel_system *system) {
    void *work = NULL;
    if (system->work_new)
        assert_int_equal(system->work_new(system, &work), KEEL_OK);
    return work;
}

static keel_point start_of(const keel_model *model) {
    return (keel_point){.t = model->start->t, .q = model->start->q, .v = model->start->v};
}

static void equations_are_no_mechanism(void **state) {
    (void)state;
    keel_model *model = read_model("andrews"), *bodies = read_model("four_bar");
    const keel_system *system = model->system;
    void *work = work_of(system);
    keel_point at = start_of(model);
    keel_pose poses[1];
    keel_reaction reactions[1];
    keel_tie tie;
    double gravity[3] = {-7, -7, -7};
    nothing_is_there(system, work, &at, 0);
    assert_int_equal(keel_mechanism_look(system, NULL), 0);
    assert_null(keel_mechanism_formulas(system));
    assert_null(keel_mechanism_long_run(system));
    assert_int_equal(keel_mechanism_force_count(system), 0);
    assert_int_equal(keel_mechanism_pose_rows(system), 0);
    assert_int_equal(keel_mechanism_spring_tie(system, 0, &tie), 0);
    assert_int_equal(keel_mechanism_poses(system, work, &at, poses), KEEL_ERROR_INPUT);
    assert_int_equal(keel_mechanism_reactions(system, work, &at, NULL, reactions), KEEL_ERROR_INPUT);
    assert_int_equal(keel_mechanism_transfer(system, model->start, bodies->system, bodies->start),
                     KEEL_ERROR_INPUT);
    assert_int_equal(keel_mechanism_transfer(bodies->system, bodies->start, system, model->start),
                     KEEL_ERROR_INPUT);
    keel_mechanism_gravity(system, gravity);
    assert_true(gravity[0] == -7);
    if (work)
        system->work_free(work);
    keel_model_free(model);
    keel_model_free(bodies);
}

static void numbers_out_of_range(void **state) {
    (void)state;
    static const int NUMBERS[] = {-1, 1000, 1 << 30, -(1 << 30)};
    keel_model *model = read_model("four_bar");
    void *work = work_of(model->system);
    keel_point at = start_of(model);
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        nothing_is_there(model->system, work, &at, NUMBERS[i]);
    assert_string_not_equal(keel_mechanism_joint_name(model->system, 0), "");
    assert_string_not_equal(keel_mechanism_body_name(model->system, 1), "");
    model->system->work_free(work);
    keel_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_no_mechanism),
        cmocka_unit_test(numbers_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
