/* Every type of joint, cut: its rows against differences along rigid motions, its counts and its frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mechanism_motion.h"

enum { TRIALS = 5 };
static const int SPACES[2] = {KI_PLANAR, KI_SPATIAL};

static const ki_joint_role *role_in(const ki_joint_type *type, int d) {
    return d == KI_PLANAR ? type->planar : type->spatial;
}

/* A row at five times around t = 0, and its acceleration at t = 0. */
typedef struct samples {
    double value[5], rate[5], acceleration;
} samples;

typedef void row_function(const ki_joint *joint, int d, const ki_state *s0, const ki_state *s1, int i,
                          ki_row *row);

static void constraint_row(const ki_joint *joint, int d, const ki_state *s0, const ki_state *s1, int i,
                           ki_row *row) {
    ki_row rows[KI_JOINT_ROWS];
    ki_role(joint, d)->rows(joint, s0, s1, KI_AT_VELOCITY, rows);
    *row = rows[i];
}

static void coordinate_row(const ki_joint *joint, int d, const ki_state *s0, const ki_state *s1, int i,
                           ki_row *row) {
    ki_role(joint, d)->measure(joint, s0, s1, NULL, i, KI_AT_VELOCITY, row);
}

static samples sample(const ki_joint *joint, int d, const motion m[2], row_function *f, int i) {
    samples out;
    for (int k = 0; k < 5; k++) {
        ki_state s0 = state_at(&m[0], d, (k - 2) * MOTION_STEP),
                 s1 = state_at(&m[1], d, (k - 2) * MOTION_STEP);
        ki_row row;
        f(joint, d, &s0, &s1, i, &row);
        out.value[k] = row.value;
        out.rate[k] = row_with(&row, d, s0.twist, s1.twist);
        if (k == 2)
            out.acceleration = row_with(&row, d, s0.twist_rate, s1.twist_rate) + row.gamma;
    }
    return out;
}

static void check_sample(samples *s, bool holonomic, bool turns) {
    for (int k = 0; turns && k < 5; k++)
        s->value[k] = s->value[2] + wrapped(s->value[k] - s->value[2]);
    if (holonomic)
        assert_near(richardson(s->value), s->rate[2], 1e-9 * (1 + fabs(s->rate[2])));
    assert_near(richardson(s->rate), s->acceleration, 1e-8 * (1 + fabs(s->acceleration)));
}

/* Off the constraints too: frames and motions are any. */
static void rows_match_differences(void **state) {
    (void)state;
    motion_seed = 11;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2 * TRIALS; k++) {
            int d = SPACES[k % 2];
            const ki_joint_role *role = role_in(*type, d);
            if (!role)
                continue;
            ki_joint joint = any_joint(*type, d);
            motion m[2] = {any_motion(), any_motion()};
            for (int i = 0; role->rows && i < role->n_h + role->n_n; i++) {
                samples s = sample(&joint, d, m, constraint_row, i);
                check_sample(&s, i < role->n_h, false);
            }
            for (int i = 0; i < role->coordinates; i++) {
                samples s = sample(&joint, d, m, coordinate_row, i);
                check_sample(&s, true, role->turns[i]);
            }
        }
}

/* Rows along the axes of the world, and rows that know only turns: the patterns of J rely on them. */
static void rows_are_what_they_say(void **state) {
    (void)state;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2; k++) {
            int d = SPACES[k], slides = d == KI_PLANAR ? 2 : 3, first = d - slides;
            const ki_joint_role *role = role_in(*type, d);
            if (!role || !role->rows)
                continue;
            ki_joint joint = any_joint(*type, d);
            motion m[2] = {any_motion(), any_motion()};
            ki_state s0 = state_at(&m[0], d, 0), s1 = state_at(&m[1], d, 0);
            ki_row rows[KI_JOINT_ROWS];
            role->rows(&joint, &s0, &s1, KI_AT_VELOCITY, rows);
            assert_true(role->world_rows == 0 || role->world_rows == slides);
            for (int i = 0; i < role->world_rows; i++)
                for (int j = 0; j < slides; j++) {
                    assert_true(rows[i].w[1][first + j] == (i == j));
                    assert_true(rows[i].w[0][first + j] == -(i == j));
                }
            for (int i = role->n_h - role->turning_rows; i < role->n_h; i++)
                for (int j = 0; j < slides; j++)
                    assert_true(rows[i].w[0][first + j] == 0 && rows[i].w[1][first + j] == 0);
        }
}

/* Values and covectors do not ask for twists. */
static void positions_need_no_twists(void **state) {
    (void)state;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2; k++) {
            int d = SPACES[k];
            const ki_joint_role *role = role_in(*type, d);
            if (!role || !role->rows)
                continue;
            ki_joint joint = any_joint(*type, d);
            motion m[2] = {any_motion(), any_motion()};
            ki_state s0 = state_at(&m[0], d, 0), s1 = state_at(&m[1], d, 0);
            ki_row moving[KI_JOINT_ROWS], still[KI_JOINT_ROWS];
            role->rows(&joint, &s0, &s1, KI_AT_VELOCITY, moving);
            for (int i = 0; i < 6; i++)
                s0.twist[i] = s1.twist[i] = NAN;
            role->rows(&joint, &s0, &s1, KI_AT_POSITION, still);
            for (int i = 0; i < role->n_h + role->n_n; i++) {
                assert_true(still[i].value == moving[i].value);
                for (int j = 0; j < d; j++)
                    assert_true(still[i].w[0][j] == moving[i].w[0][j] &&
                                still[i].w[1][j] == moving[i].w[1][j]);
            }
        }
}

static void counts_agree(void **state) {
    (void)state;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2; k++) {
            const ki_joint_role *role = role_in(*type, SPACES[k]);
            if (!role)
                continue;
            assert_int_equal(role->conditions, role->n_h + role->n_n);
            assert_true(role->conditions <= KI_JOINT_ROWS);
            if (role->n_v >= 0)
                assert_int_equal(role->conditions + role->n_v, SPACES[k]);
            for (int i = 0; i < role->conditions; i++)
                assert_non_null(role->row_name[i]);
            for (int i = 0; i < role->n_q; i++)
                assert_non_null(role->q_name[i]);
            for (int i = 0; i < role->n_v; i++)
                assert_non_null(role->v_name[i]);
            for (int i = 0; i < role->coordinates; i++)
                assert_non_null(role->coordinate_name[i]);
            assert_true((role->kinematics != NULL) == (role->n_v >= 0 && role->n_q != role->n_v));
        }
}

static void words_name_the_types(void **state) {
    (void)state;
    int count = 0;
    for (; ki_joint_types[count]; count++) {
        assert_string_equal(keel_joint_types()[count], ki_joint_types[count]->word);
        assert_ptr_equal(ki_joint_type_of(ki_joint_types[count]->word), ki_joint_types[count]);
    }
    assert_null(keel_joint_types()[count]);
    assert_null(ki_joint_type_of("hinge"));
}

/* docs/joints.md has a section for each; `disc` is told with `wheel`. */
static void documents_list_the_types(void **state) {
    (void)state;
    static char text[65536];
    FILE *file = fopen(KEEL_SOURCE_DIR "/docs/joints.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++) {
        char heading[40];
        bool same = strcmp((*type)->word, "disc") == 0;
        snprintf(heading, sizeof heading, "\n## %s\n", same ? "wheel" : (*type)->word);
        assert_non_null(strstr(text, heading));
        for (int k = 0; k < 2; k++) {
            const ki_joint_role *role = role_in(*type, SPACES[k]);
            for (int i = 0; role && i < role->conditions; i++) {
                snprintf(heading, sizeof heading, "`%s`", role->row_name[i]);
                assert_non_null(strstr(text, heading));
            }
        }
    }
}

static void normal_forces_have_their_derivative(void **state) {
    (void)state;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2; k++) {
            const ki_joint_role *role = role_in(*type, SPACES[k]);
            if (!role || !role->pressing)
                continue;
            double lambda[KI_JOINT_ROWS] = {0}, slope[KI_JOINT_ROWS], none[KI_JOINT_ROWS];
            assert_near(ki_normal_force(role, lambda, slope), 0, 1e-15);
            for (int i = 0; i < role->conditions; i++)
                lambda[i] = 3 * any();
            assert_true(ki_normal_force(role, lambda, slope) > 0);
            for (int i = 0; i < role->conditions; i++) {
                double x = lambda[i], up, down;
                lambda[i] = x + 1e-5, up = ki_normal_force(role, lambda, none);
                lambda[i] = x - 1e-5, down = ki_normal_force(role, lambda, none);
                lambda[i] = x;
                assert_near((up - down) / 2e-5, slope[i], 1e-8);
            }
        }
}

/* World position of a point of frame 1 (in its own axes). */
static void point_of_frame(const ki_frame *frame, const ki_state *s, const double local[3], double at[3]) {
    double in_body[3];
    ki_rotate(frame->R, local, in_body);
    for (int i = 0; i < 3; i++)
        in_body[i] += frame->r[i];
    place_of(s, in_body, at);
}

/* Height of the rim's point at `turn` above the plane of frame 0. */
static double rim_height(const ki_joint *joint, const ki_state *s0, const ki_state *s1, double turn,
                         double at[3]) {
    double local[3] = {joint->radius * cos(turn), joint->radius * sin(turn), 0}, from[3], D[3], n[3];
    const double origin[3] = {0};
    point_of_frame(&joint->frame[1], s1, local, at);
    point_of_frame(&joint->frame[0], s0, origin, from);
    direction_of(&joint->frame[0], s0, 2, n);
    ki_minus(at, from, D);
    return ki_dot3(D, n);
}

/* The lowest point of the rim, searched for: halving steps downhill from the best of sixteen. */
static double lowest(const ki_joint *joint, const ki_state *s0, const ki_state *s1, double at[3]) {
    double best = 0, height = INFINITY, side[3];
    for (double turn = 0; turn < 6.28; turn += 0.4) {
        double h = rim_height(joint, s0, s1, turn, side);
        if (h < height)
            height = h, best = turn;
    }
    for (double step = 0.4; step > 1e-12; step /= 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            double h = rim_height(joint, s0, s1, best + sign * step, side);
            if (h < height)
                height = h, best += sign * step;
        }
    return rim_height(joint, s0, s1, best, at);
}

/* Velocity at `at` of what belongs to the body that moves as m, by differences of its places. */
static void matter_velocity(const motion *m, const double at[3], double velocity[3]) {
    double x[3][5], body[3], D[3];
    ki_state now = state_at(m, KI_SPATIAL, 0);
    ki_minus(at, now.r, D);
    ki_rotate_back(now.R, D, body);
    for (int k = 0; k < 5; k++) {
        ki_state s = state_at(m, KI_SPATIAL, (k - 2) * MOTION_STEP);
        double place[3];
        place_of(&s, body, place);
        for (int i = 0; i < 3; i++)
            x[i][k] = place[i];
    }
    for (int i = 0; i < 3; i++)
        velocity[i] = richardson(x[i]);
}

/* The rim's lowest point, found by search, does not slip: two components in the plane make the whole. */
static void wheel_touches_and_does_not_slip(void **state) {
    (void)state;
    motion_seed = 5;
    const ki_joint_type *type = ki_joint_type_of("wheel");
    for (int trial = 0; trial < TRIALS; trial++) {
        ki_joint joint = any_joint(type, KI_SPATIAL);
        motion m[2] = {any_motion(), any_motion()};
        ki_state s0 = state_at(&m[0], KI_SPATIAL, 0), s1 = state_at(&m[1], KI_SPATIAL, 0);
        ki_row rows[KI_JOINT_ROWS];
        double at[3], v0[3], v1[3], slip[3], n[3];
        type->spatial->rows(&joint, &s0, &s1, KI_AT_VELOCITY, rows);
        assert_near(rows[0].value, lowest(&joint, &s0, &s1, at), 1e-12);
        matter_velocity(&m[0], at, v0);
        matter_velocity(&m[1], at, v1);
        ki_minus(v1, v0, slip);
        direction_of(&joint.frame[0], &s0, 2, n);
        double up = ki_dot3(n, slip), size = ki_dot3(slip, slip) - up * up;
        double along = row_with(&rows[1], 6, s0.twist, s1.twist),
               across = row_with(&rows[2], 6, s0.twist, s1.twist);
        assert_near(along * along + across * across, size, 1e-6 * (1 + size));
        assert_near(row_with(&rows[0], 6, s0.twist, s1.twist), up, 1e-6 * (1 + fabs(up)));
    }
}

/* A ball on a turntable: centre at height rho, table turning at W about z, the ball's matter at the contact
 * must move with the table: c' + omega x (-rho z) = W z x c. */
static void sphere_follows_a_turntable(void **state) {
    (void)state;
    const ki_joint_type *type = ki_joint_type_of("sphere");
    ki_joint joint = {.type = type, .radius = 0.25};
    const double axes[2][3] = {{0, 0, 1}, {0, 0, 1}}, none[2][3] = {{0}};
    assert_true(ki_joint_frames(type, KI_SPATIAL, axes, none, joint.frame));
    const double W = 3, c[2] = {0.4, -0.2}, omega[3] = {1.5, -0.7, 9};
    double turned[9];
    turn_about(2, 0.3, turned);
    ki_state table = {.twist = {0, 0, W}};
    ki_state ball = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .r = {c[0], c[1], 0.25}};
    memcpy(table.R, turned, sizeof turned);
    ki_copy3(omega, ball.twist);
    ball.twist[3] = -W * c[1] + 0.25 * omega[1];
    ball.twist[4] = W * c[0] - 0.25 * omega[0];
    ki_row rows[KI_JOINT_ROWS];
    type->spatial->rows(&joint, &table, &ball, KI_AT_VELOCITY, rows);
    assert_near(rows[0].value, 0, 1e-15);
    for (int i = 0; i < 3; i++)
        assert_near(row_with(&rows[i], 6, table.twist, ball.twist), 0, 1e-14);
    ball.twist[3] += 0.1;
    double slip =
        hypot(row_with(&rows[1], 6, table.twist, ball.twist), row_with(&rows[2], 6, table.twist, ball.twist));
    assert_near(slip, 0.1, 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_match_differences),
        cmocka_unit_test(rows_are_what_they_say),
        cmocka_unit_test(positions_need_no_twists),
        cmocka_unit_test(counts_agree),
        cmocka_unit_test(words_name_the_types),
        cmocka_unit_test(documents_list_the_types),
        cmocka_unit_test(normal_forces_have_their_derivative),
        cmocka_unit_test(wheel_touches_and_does_not_slip),
        cmocka_unit_test(sphere_follows_a_turntable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
