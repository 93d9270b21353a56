/* Frames of joints from the directions of a drawing; planar joints against their spatial twins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanism_motion.h"

static void assert_vector(const double a[3], const double b[3], double tolerance) {
    for (int i = 0; i < 3; i++)
        assert_near(a[i], b[i], tolerance);
}

static void assert_column(const double R[9], int k, const double direction[3]) {
    double a[3], length = sqrt(ki_dot3(direction, direction));
    ki_axis(R, k, a);
    for (int i = 0; i < 3; i++)
        assert_near(a[i], direction[i] / length, 1e-15);
}

/* The same directions on both bodies: the drawn pose is where the coordinates are zero. */
static void same_directions_same_frames(void **state) {
    (void)state;
    const double axis[2][3] = {{0.3, -2, 0.7}, {0.3, -2, 0.7}}, across[2][3] = {{1, 1, 0}, {1, 1, 0}};
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++) {
        ki_frame frame[2];
        bool wheel = (*type)->spatial == ki_joint_type_of("wheel")->spatial;
        if ((*type)->spatial && !wheel) {
            assert_true(ki_joint_frames(*type, KI_SPATIAL, axis, across, frame));
            assert_memory_equal(frame[0].R, frame[1].R, sizeof frame[0].R);
            assert_column(frame[0].R, *type == ki_joint_type_of("universal") ? 0 : 2, axis[0]);
        }
        if ((*type)->planar) {
            const double flat[3] = {axis[0][0], axis[0][1], 0}, up[3] = {0, 0, 1};
            assert_true(ki_joint_frames(*type, KI_PLANAR, axis, across, frame));
            assert_memory_equal(frame[0].R, frame[1].R, sizeof frame[0].R);
            assert_column(frame[0].R, 0, flat);
            assert_column(frame[0].R, 2, up);
        }
    }
}

static void defaults_stand_for_zero_vectors(void **state) {
    (void)state;
    const double none[2][3] = {{0}}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ki_frame frame[2];
    assert_true(ki_joint_frames(ki_joint_type_of("revolute"), KI_SPATIAL, none, none, frame));
    for (int i = 0; i < 9; i++)
        assert_true(frame[0].R[i] == identity[i]);
    assert_true(ki_joint_frames(ki_joint_type_of("skate"), KI_PLANAR, none, none, frame));
    for (int i = 0; i < 9; i++)
        assert_true(frame[1].R[i] == identity[i]);
}

static void universal_frames_hold_both_arms(void **state) {
    (void)state;
    const double axis[2][3] = {{0, 0, 2}, {0, 0, 2}}, across[2][3] = {{0, 3, 0}, {0, 3, 0}};
    ki_frame frame[2];
    assert_true(ki_joint_frames(ki_joint_type_of("universal"), KI_SPATIAL, axis, across, frame));
    assert_column(frame[0].R, 0, axis[0]);
    assert_column(frame[1].R, 1, across[0]);
}

static void wheel_frames_hold_axle_and_normal(void **state) {
    (void)state;
    const double axle[2][3] = {{0, 1, 0}, {0, 1, 0}}, normal[2][3] = {{0, 0, 1}, {0, 0, 1}},
                 none[2][3] = {{0}};
    const double forward[3] = {1, 0, 0};
    const ki_joint_type *wheel = ki_joint_type_of("wheel");
    ki_frame frame[2];
    assert_true(ki_joint_frames(wheel, KI_SPATIAL, axle, normal, frame));
    assert_column(frame[0].R, 2, normal[0]);
    assert_column(frame[0].R, 0, forward);
    assert_column(frame[1].R, 2, axle[0]);
    assert_true(ki_joint_frames(wheel, KI_SPATIAL, axle, none, frame));
    assert_column(frame[0].R, 2, normal[0]);
    assert_false(ki_joint_frames(wheel, KI_SPATIAL, normal, none, frame));
}

/* A planar wheel drawn on either side of its line: the rows are zero as drawn, and a turn to the left of a
 * disc above moves it to the left; below, to the right. */
static void planar_wheels_roll_on_the_side_they_are_drawn(void **state) {
    (void)state;
    const ki_joint_type *wheel = ki_joint_type_of("wheel");
    for (int side = -1; side <= 1; side += 2) {
        const double axis[2][3] = {{1, 0, 0}, {1, 0, 0}}, none[2][3] = {{0}};
        const double at[2][3] = {{-1, 0, 0}, {2, 0.5 * side, 0}};
        ki_joint joint = {.type = wheel, .radius = 0.5, .frame = {{.r = {-1, 0, 0}}, {.r = {0}}}};
        ki_state ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, disc = ground;
        ki_row rows[KI_JOINT_ROWS];
        assert_true(ki_joint_frames(wheel, KI_PLANAR, axis, none, joint.frame));
        ki_joint_settle(&joint, KI_PLANAR, at);
        disc.r[0] = 2, disc.r[1] = 0.5 * side;
        wheel->planar->rows(&joint, &ground, &disc, KI_AT_POSITION, rows);
        assert_near(rows[0].value, 0, 1e-15);
        assert_near(rows[1].value, 0, 1e-15);
        disc.angle = 0.3;
        turn_about(2, disc.angle, disc.R);
        disc.r[0] -= 0.5 * 0.3 * side;
        wheel->planar->rows(&joint, &ground, &disc, KI_AT_POSITION, rows);
        assert_near(rows[0].value, 0, 1e-15);
        assert_near(rows[1].value, 0, 1e-15);
    }
}

static void spatial_wheels_look_to_their_side(void **state) {
    (void)state;
    const double down[3] = {0, 0, -1}, at[2][3] = {{0, 0, 0}, {0, 0, -1}};
    const double axle[2][3] = {{0, 1, 0}, {0, 1, 0}}, none[2][3] = {{0}};
    ki_joint joint = {.type = ki_joint_type_of("wheel"), .radius = 1};
    assert_true(ki_joint_frames(joint.type, KI_SPATIAL, axle, none, joint.frame));
    ki_joint_settle(&joint, KI_SPATIAL, at);
    assert_column(joint.frame[0].R, 2, down);
    assert_column(joint.frame[1].R, 2, axle[1]);
}

/* A motion in the plane as a state in space. */
static ki_state lifted(const ki_state *s) {
    ki_state up = {.twist = {0, 0, s->twist[0], s->twist[1], s->twist[2], 0}};
    memcpy(up.R, s->R, sizeof up.R);
    ki_copy3(s->r, up.r);
    return up;
}

/* The parts of a spatial row that a motion in the plane can feel, times `sign`, are the planar row. */
static void assert_twin(const ki_row *planar, const ki_row *spatial, double sign) {
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 3; i++)
            assert_near(planar->w[b][i], sign * spatial->w[b][2 + i], 1e-14);
    assert_near(planar->gamma, sign * spatial->gamma, 1e-13);
}

typedef struct twins {
    ki_joint planar, spatial;
    ki_state p[2], s[2];
    ki_row planar_rows[KI_JOINT_ROWS], spatial_rows[KI_JOINT_ROWS];
} twins;

/* Both joints with the same origins in the plane and any motion in it; direction[b] on the bodies. */
static twins any_twins(const char *word, const double flat[2][3], const double axis[2][3],
                       const double across[2][3]) {
    twins t = {.planar = any_joint(ki_joint_type_of(word), KI_PLANAR)};
    t.spatial = t.planar;
    ki_joint_frames(t.planar.type, KI_PLANAR, flat, across, t.planar.frame);
    ki_joint_frames(t.spatial.type, KI_SPATIAL, axis, across, t.spatial.frame);
    for (int b = 0; b < 2; b++) {
        motion m = any_motion();
        t.p[b] = state_at(&m, KI_PLANAR, 0);
        t.s[b] = lifted(&t.p[b]);
    }
    t.planar.turn = ki_planar_frame_turn(&t.planar);
    if (t.planar.type->planar->rows) {
        t.planar.type->planar->rows(&t.planar, &t.p[0], &t.p[1], KI_AT_VELOCITY, t.planar_rows);
        t.spatial.type->spatial->rows(&t.spatial, &t.s[0], &t.s[1], KI_AT_VELOCITY, t.spatial_rows);
    }
    return t;
}

static const double UP[2][3] = {{0, 0, 1}, {0, 0, 1}}, NONE[2][3] = {{0}};
static const double FLAT[2][3] = {{0.8, 0.6, 0}, {0, 1, 0}}, LEFT[2][3] = {{-0.6, 0.8, 0}, {-1, 0, 0}};

static void assert_coordinate(const twins *t, int planar, int spatial) {
    ki_row p, s;
    const ki_joint_role *in_plane = t->planar.type->planar, *in_space = t->spatial.type->spatial;
    in_plane->measure(&t->planar, &t->p[0], &t->p[1], NULL, planar, KI_AT_VELOCITY, &p);
    in_space->measure(&t->spatial, &t->s[0], &t->s[1], NULL, spatial, KI_AT_VELOCITY, &s);
    assert_near(wrapped(p.value - s.value), 0, 1e-14);
    assert_twin(&p, &s, 1);
}

static void pins_and_slots_agree(void **state) {
    (void)state;
    motion_seed = 41;
    twins pin = any_twins("revolute", NONE, UP, NONE);
    for (int i = 0; i < 2; i++) {
        assert_near(pin.planar_rows[i].value, pin.spatial_rows[i].value, 1e-15);
        assert_twin(&pin.planar_rows[i], &pin.spatial_rows[i], 1);
    }
    assert_coordinate(&pin, 0, 0);

    /* z along the direction, x to its left: the spatial axis x is the planar y */
    twins slider = any_twins("prismatic", FLAT, FLAT, LEFT);
    assert_near(slider.planar_rows[0].value, slider.spatial_rows[0].value, 1e-15);
    assert_twin(&slider.planar_rows[0], &slider.spatial_rows[0], 1);
    assert_near(sin(slider.planar_rows[1].value), slider.spatial_rows[3].value, 1e-15);
    assert_coordinate(&slider, 0, 0);

    twins slot = any_twins("point-on-line", FLAT, FLAT, LEFT);
    assert_near(slot.planar_rows[0].value, slot.spatial_rows[0].value, 1e-15);
    assert_twin(&slot.planar_rows[0], &slot.spatial_rows[0], 1);
    assert_coordinate(&slot, 0, 0);

    twins rod = any_twins("distance", NONE, UP, NONE);
    assert_near(rod.planar_rows[0].value, rod.spatial_rows[0].value, 1e-15);
    assert_twin(&rod.planar_rows[0], &rod.spatial_rows[0], 1);

    twins weld = any_twins("fixed", NONE, UP, NONE);
    assert_twin(&weld.planar_rows[0], &weld.spatial_rows[0], 1);
    assert_twin(&weld.planar_rows[1], &weld.spatial_rows[1], 1);
    assert_near(sin(weld.planar_rows[2].value), weld.spatial_rows[5].value, 1e-15);

    twins body = any_twins("free", NONE, UP, NONE);
    assert_coordinate(&body, 0, 0);
    assert_coordinate(&body, 1, 1);
}

static void skates_and_wheels_agree(void **state) {
    (void)state;
    motion_seed = 43;
    twins skate = any_twins("skate", FLAT, UP, FLAT);
    assert_twin(&skate.planar_rows[0], &skate.spatial_rows[1], 1);

    /* axle out of the plane, normal to the left of the line: the direction of travel is then minus the line
     */
    twins wheel = any_twins("wheel", FLAT, UP, LEFT);
    const double back[3] = {-FLAT[0][0], -FLAT[0][1], 0};
    double travel[3];
    ki_axis(wheel.spatial.frame[0].R, 0, travel);
    assert_vector(travel, back, 1e-15);
    assert_near(wheel.planar_rows[0].value, wheel.spatial_rows[0].value, 1e-14);
    assert_twin(&wheel.planar_rows[0], &wheel.spatial_rows[0], 1);
    /* off the line, at the height y, the matter of body 0 under the rim is at y - radius: the planar row has
     * its line, and they are the same at the height radius */
    wheel.planar.frame[0].r[0] += wheel.planar_rows[0].value * LEFT[0][0];
    wheel.planar.frame[0].r[1] += wheel.planar_rows[0].value * LEFT[0][1];
    memcpy(wheel.spatial.frame[0].r, wheel.planar.frame[0].r, sizeof wheel.planar.frame[0].r);
    wheel.planar.type->planar->rows(&wheel.planar, &wheel.p[0], &wheel.p[1], KI_AT_VELOCITY,
                                    wheel.planar_rows);
    wheel.spatial.type->spatial->rows(&wheel.spatial, &wheel.s[0], &wheel.s[1], KI_AT_VELOCITY,
                                      wheel.spatial_rows);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 3; i++)
            assert_near(wheel.planar_rows[1].w[b][i], -wheel.spatial_rows[1].w[b][2 + i], 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_directions_same_frames),
        cmocka_unit_test(defaults_stand_for_zero_vectors),
        cmocka_unit_test(universal_frames_hold_both_arms),
        cmocka_unit_test(wheel_frames_hold_axle_and_normal),
        cmocka_unit_test(planar_wheels_roll_on_the_side_they_are_drawn),
        cmocka_unit_test(spatial_wheels_look_to_their_side),
        cmocka_unit_test(pins_and_slots_agree),
        cmocka_unit_test(skates_and_wheels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
