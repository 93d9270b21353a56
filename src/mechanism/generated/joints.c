/* Made by tools/generate_laws.c from src/laws/: do not edit. */
/* clang-format off */
#include <string.h>

#include "mechanism/joints/law_numbers.h"
#include "mechanism/generated/revolute.inc"
#include "mechanism/generated/prismatic.inc"
#include "mechanism/generated/cylindrical.inc"
#include "mechanism/generated/universal.inc"
#include "mechanism/generated/spherical.inc"
#include "mechanism/generated/planar.inc"
#include "mechanism/generated/screw.inc"
#include "mechanism/generated/fixed.inc"
#include "mechanism/generated/free.inc"
#include "mechanism/generated/distance.inc"
#include "mechanism/generated/point_on_line.inc"
#include "mechanism/generated/point_on_plane.inc"
#include "mechanism/generated/wheel.inc"
#include "mechanism/generated/skate.inc"
#include "mechanism/generated/sphere.inc"

static void revolute_planar_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    revolute_planar_columns(joint, q, S);
    if (v)
        memset(bias, 0, 3 * sizeof *bias);
}

static void revolute_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        revolute_planar_rows_moving(joint, s0, s1, rows);
    else
        revolute_planar_rows(joint, s0, s1, rows);
}

static void revolute_planar_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        revolute_planar_measure_0(joint, s0, s1, row);
        break;
    default:
        revolute_planar_measure_0_moving(joint, s0, s1, row);
        break;
    }
    if (k == 0)
        row->value = q ? q[0] : row->value;
}

static const ki_joint_role revolute_planar = {
    .conditions = 2,
    .n_q = 1,
    .n_v = 1,
    .n_h = 2,
    .world_rows = 2,
    .pressing = 2,
    .coordinates = 1,
    .q_name = {"angle"},
    .v_name = {"angle'"},
    .row_name = {"x", "y"},
    .coordinate_name = {"angle"},
    .turns = {1, 0, 0},
    .place = revolute_planar_place,
    .columns = revolute_planar_columns_at,
    .fit = revolute_planar_fit,
    .is_pin = true,
    .rows = revolute_planar_rows_at,
    .measure = revolute_planar_measure_at,
};

static void revolute_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    revolute_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void revolute_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        revolute_spatial_rows_moving(joint, s0, s1, rows);
    else
        revolute_spatial_rows(joint, s0, s1, rows);
}

static void revolute_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        revolute_spatial_measure_0(joint, s0, s1, row);
        break;
    default:
        revolute_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    }
    if (k == 0)
        row->value = q ? q[0] : ki_half_open(row->value);
}

static const ki_joint_role revolute_spatial = {
    .conditions = 5,
    .n_q = 1,
    .n_v = 1,
    .n_h = 5,
    .world_rows = 3,
    .turning_rows = 2,
    .pressing = 3,
    .coordinates = 1,
    .q_name = {"angle"},
    .v_name = {"angle'"},
    .row_name = {"x", "y", "z", "tilt_x", "tilt_y"},
    .coordinate_name = {"angle"},
    .turns = {1, 0, 0},
    .place = revolute_spatial_place,
    .columns = revolute_spatial_columns_at,
    .fit = revolute_spatial_fit,
    .is_pin = true,
    .rows = revolute_spatial_rows_at,
    .measure = revolute_spatial_measure_at,
};

const ki_joint_type ki_joint_revolute = {
    .word = "revolute",
    .summary = "a pin: the bodies turn about a common axis",
    .planar = &revolute_planar,
    .spatial = &revolute_spatial,
};

static void prismatic_planar_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    prismatic_planar_columns(joint, q, S);
    if (v)
        memset(bias, 0, 3 * sizeof *bias);
}

static void prismatic_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        prismatic_planar_rows_moving(joint, s0, s1, rows);
    else
        prismatic_planar_rows(joint, s0, s1, rows);
}

static void prismatic_planar_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        prismatic_planar_measure_0(joint, s0, s1, row);
        break;
    default:
        prismatic_planar_measure_0_moving(joint, s0, s1, row);
        break;
    }
}

static const ki_joint_role prismatic_planar = {
    .conditions = 2,
    .n_q = 1,
    .n_v = 1,
    .n_h = 2,
    .turning_rows = 1,
    .pressing = 1,
    .coordinates = 1,
    .q_name = {"displacement"},
    .v_name = {"displacement'"},
    .row_name = {"across", "turn"},
    .coordinate_name = {"displacement"},
    .turns = {0, 0, 0},
    .place = prismatic_planar_place,
    .columns = prismatic_planar_columns_at,
    .fit = prismatic_planar_fit,
    .rows = prismatic_planar_rows_at,
    .measure = prismatic_planar_measure_at,
};

static void prismatic_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    prismatic_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void prismatic_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        prismatic_spatial_rows_moving(joint, s0, s1, rows);
    else
        prismatic_spatial_rows(joint, s0, s1, rows);
}

static void prismatic_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        prismatic_spatial_measure_0(joint, s0, s1, row);
        break;
    default:
        prismatic_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    }
}

static const ki_joint_role prismatic_spatial = {
    .conditions = 5,
    .n_q = 1,
    .n_v = 1,
    .n_h = 5,
    .turning_rows = 3,
    .pressing = 2,
    .coordinates = 1,
    .q_name = {"displacement"},
    .v_name = {"displacement'"},
    .row_name = {"across_x", "across_y", "tilt_x", "tilt_y", "turn"},
    .coordinate_name = {"displacement"},
    .turns = {0, 0, 0},
    .place = prismatic_spatial_place,
    .columns = prismatic_spatial_columns_at,
    .fit = prismatic_spatial_fit,
    .rows = prismatic_spatial_rows_at,
    .measure = prismatic_spatial_measure_at,
};

const ki_joint_type ki_joint_prismatic = {
    .word = "prismatic",
    .summary = "a slider: one body slides along an axis of the other",
    .planar = &prismatic_planar,
    .spatial = &prismatic_spatial,
    .needs_axis = true,
};

static void cylindrical_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    cylindrical_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void cylindrical_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        cylindrical_spatial_rows_moving(joint, s0, s1, rows);
    else
        cylindrical_spatial_rows(joint, s0, s1, rows);
}

static void cylindrical_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        cylindrical_spatial_measure_0(joint, s0, s1, row);
        break;
    case 1:
        cylindrical_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        cylindrical_spatial_measure_1(joint, s0, s1, row);
        break;
    default:
        cylindrical_spatial_measure_1_moving(joint, s0, s1, row);
        break;
    }
    if (k == 0)
        row->value = q ? q[0] : ki_half_open(row->value);
}

static const ki_joint_role cylindrical_spatial = {
    .conditions = 4,
    .n_q = 2,
    .n_v = 2,
    .n_h = 4,
    .turning_rows = 2,
    .pressing = 2,
    .coordinates = 2,
    .q_name = {"angle", "displacement"},
    .v_name = {"angle'", "displacement'"},
    .row_name = {"across_x", "across_y", "tilt_x", "tilt_y"},
    .coordinate_name = {"angle", "displacement"},
    .turns = {1, 0, 0},
    .place = cylindrical_spatial_place,
    .columns = cylindrical_spatial_columns_at,
    .fit = cylindrical_spatial_fit,
    .rows = cylindrical_spatial_rows_at,
    .measure = cylindrical_spatial_measure_at,
};

const ki_joint_type ki_joint_cylindrical = {
    .word = "cylindrical",
    .summary = "a bolt in a bore: turns about an axis and slides along it",
    .spatial = &cylindrical_spatial,
    .needs_axis = true,
};

static void universal_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    universal_spatial_columns(joint, q, S);
    if (v)
        universal_spatial_bias(joint, q, v, bias);
}

static void universal_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        universal_spatial_rows_moving(joint, s0, s1, rows);
    else
        universal_spatial_rows(joint, s0, s1, rows);
}

static void universal_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        universal_spatial_measure_0(joint, s0, s1, row);
        break;
    case 1:
        universal_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        universal_spatial_measure_1(joint, s0, s1, row);
        break;
    default:
        universal_spatial_measure_1_moving(joint, s0, s1, row);
        break;
    }
    if (k == 0)
        row->value = q ? q[0] : ki_half_open(row->value);
    if (k == 1)
        row->value = q ? q[1] : ki_half_open(row->value);
}

static const ki_joint_role universal_spatial = {
    .conditions = 4,
    .n_q = 2,
    .n_v = 2,
    .n_h = 4,
    .world_rows = 3,
    .turning_rows = 1,
    .pressing = 3,
    .coordinates = 2,
    .q_name = {"angle1", "angle2"},
    .v_name = {"angle1'", "angle2'"},
    .row_name = {"x", "y", "z", "twist"},
    .coordinate_name = {"angle1", "angle2"},
    .turns = {1, 1, 0},
    .place = universal_spatial_place,
    .columns = universal_spatial_columns_at,
    .fit = universal_spatial_fit,
    .bends = true,
    .rows = universal_spatial_rows_at,
    .measure = universal_spatial_measure_at,
};

const ki_joint_type ki_joint_universal = {
    .word = "universal",
    .summary = "a cross: turns about an axis of either body",
    .spatial = &universal_spatial,
    .needs_axis = true,
    .one_way = true,
};

static void spherical_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    spherical_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void spherical_spatial_fit_at(const ki_joint *joint, const ki_relative *relative, double *q) {
    spherical_spatial_fit(joint, relative, q);
    ki_matrix_quaternion(relative->R, q + 0);
}

static void spherical_spatial_kinematics(const double *q, const double *v, double *q_rate) {
    for (int i = 0; i < 0; i++)
        q_rate[i] = v[i];
    ki_quaternion_rate(q + 0, v + 0, q_rate + 0);
}

static void spherical_spatial_advance(double *q, const double *dv) {
    for (int i = 0; i < 0; i++)
        q[i] += dv[i];
    ki_quaternion_advance(q + 0, dv + 0);
}

static void spherical_spatial_pull(const double *q, const double *dq, double *dv) {
    for (int i = 0; i < 0; i++)
        dv[i] = dq[i];
    ki_quaternion_pull(q + 0, dq + 0, dv + 0);
}

static void spherical_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        spherical_spatial_rows_moving(joint, s0, s1, rows);
    else
        spherical_spatial_rows(joint, s0, s1, rows);
}

static const ki_joint_role spherical_spatial = {
    .conditions = 3,
    .n_q = 4,
    .n_v = 3,
    .n_h = 3,
    .world_rows = 3,
    .pressing = 3,
    .q_name = {"e0", "e1", "e2", "e3"},
    .v_name = {"omega1", "omega2", "omega3"},
    .row_name = {"x", "y", "z"},
    .turns = {0, 0, 0},
    .place = spherical_spatial_place,
    .columns = spherical_spatial_columns_at,
    .fit = spherical_spatial_fit_at,
    .kinematics = spherical_spatial_kinematics,
    .advance = spherical_spatial_advance,
    .pull = spherical_spatial_pull,
    .rows = spherical_spatial_rows_at,
};

const ki_joint_type ki_joint_spherical = {
    .word = "spherical",
    .summary = "a ball in a socket: turns freely about a point",
    .spatial = &spherical_spatial,
};

static void planar_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    planar_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void planar_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        planar_spatial_rows_moving(joint, s0, s1, rows);
    else
        planar_spatial_rows(joint, s0, s1, rows);
}

static void planar_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        planar_spatial_measure_0(joint, s0, s1, row);
        break;
    case 1:
        planar_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        planar_spatial_measure_1(joint, s0, s1, row);
        break;
    case 3:
        planar_spatial_measure_1_moving(joint, s0, s1, row);
        break;
    case 4:
        planar_spatial_measure_2(joint, s0, s1, row);
        break;
    default:
        planar_spatial_measure_2_moving(joint, s0, s1, row);
        break;
    }
    if (k == 2)
        row->value = q ? q[2] : ki_half_open(row->value);
}

static const ki_joint_role planar_spatial = {
    .conditions = 3,
    .n_q = 3,
    .n_v = 3,
    .n_h = 3,
    .turning_rows = 2,
    .pressing = 1,
    .coordinates = 3,
    .q_name = {"x", "y", "angle"},
    .v_name = {"x'", "y'", "angle'"},
    .row_name = {"height", "tilt_x", "tilt_y"},
    .coordinate_name = {"x", "y", "angle"},
    .turns = {0, 0, 1},
    .place = planar_spatial_place,
    .columns = planar_spatial_columns_at,
    .fit = planar_spatial_fit,
    .rows = planar_spatial_rows_at,
    .measure = planar_spatial_measure_at,
};

const ki_joint_type ki_joint_planar = {
    .word = "planar",
    .summary = "a flat face on a flat face: slides in a plane and turns in it",
    .spatial = &planar_spatial,
    .one_way = true,
};

static void screw_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    screw_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void screw_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        screw_spatial_rows_moving(joint, s0, s1, rows);
    else
        screw_spatial_rows(joint, s0, s1, rows);
}

static void screw_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        screw_spatial_measure_0(joint, s0, s1, row);
        break;
    case 1:
        screw_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        screw_spatial_measure_1(joint, s0, s1, row);
        break;
    default:
        screw_spatial_measure_1_moving(joint, s0, s1, row);
        break;
    }
    if (k == 0)
        row->value = q ? q[0] : ki_half_open(row->value);
}

static const ki_joint_role screw_spatial = {
    .conditions = 5,
    .n_q = 1,
    .n_v = 1,
    .n_h = 5,
    .turning_rows = 2,
    .pressing = 3,
    .coordinates = 2,
    .q_name = {"angle"},
    .v_name = {"angle'"},
    .row_name = {"across_x", "across_y", "thread", "tilt_x", "tilt_y"},
    .coordinate_name = {"angle", "displacement"},
    .turns = {1, 0, 0},
    .place = screw_spatial_place,
    .columns = screw_spatial_columns_at,
    .fit = screw_spatial_fit,
    .rows = screw_spatial_rows_at,
    .measure = screw_spatial_measure_at,
};

const ki_joint_type ki_joint_screw = {
    .word = "screw",
    .summary = "a nut on a thread: turning moves it along the axis",
    .spatial = &screw_spatial,
    .needs_axis = true,
    .needs_pitch = true,
};

static void fixed_planar_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    fixed_planar_columns(joint, q, S);
    if (v)
        memset(bias, 0, 3 * sizeof *bias);
}

static void fixed_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        fixed_planar_rows_moving(joint, s0, s1, rows);
    else
        fixed_planar_rows(joint, s0, s1, rows);
}

static const ki_joint_role fixed_planar = {
    .conditions = 3,
    .n_h = 3,
    .world_rows = 2,
    .turning_rows = 1,
    .row_name = {"x", "y", "turn"},
    .turns = {0, 0, 0},
    .place = fixed_planar_place,
    .columns = fixed_planar_columns_at,
    .fit = fixed_planar_fit,
    .rows = fixed_planar_rows_at,
};

static void fixed_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    fixed_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void fixed_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        fixed_spatial_rows_moving(joint, s0, s1, rows);
    else
        fixed_spatial_rows(joint, s0, s1, rows);
}

static const ki_joint_role fixed_spatial = {
    .conditions = 6,
    .n_h = 6,
    .world_rows = 3,
    .turning_rows = 3,
    .row_name = {"x", "y", "z", "tilt_x", "tilt_y", "turn"},
    .turns = {0, 0, 0},
    .place = fixed_spatial_place,
    .columns = fixed_spatial_columns_at,
    .fit = fixed_spatial_fit,
    .rows = fixed_spatial_rows_at,
};

const ki_joint_type ki_joint_fixed = {
    .word = "fixed",
    .summary = "a weld: the bodies move as one",
    .planar = &fixed_planar,
    .spatial = &fixed_spatial,
};

static void free_planar_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    free_planar_columns(joint, q, S);
    if (v)
        memset(bias, 0, 3 * sizeof *bias);
}

static void free_planar_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        free_planar_measure_0(joint, s0, s1, row);
        break;
    case 1:
        free_planar_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        free_planar_measure_1(joint, s0, s1, row);
        break;
    case 3:
        free_planar_measure_1_moving(joint, s0, s1, row);
        break;
    case 4:
        free_planar_measure_2(joint, s0, s1, row);
        break;
    default:
        free_planar_measure_2_moving(joint, s0, s1, row);
        break;
    }
    if (k == 2)
        row->value = q ? q[2] : row->value;
}

static const ki_joint_role free_planar = {
    .n_q = 3,
    .n_v = 3,
    .coordinates = 3,
    .q_name = {"x", "y", "angle"},
    .v_name = {"x'", "y'", "angle'"},
    .coordinate_name = {"x", "y", "angle"},
    .turns = {0, 0, 1},
    .place = free_planar_place,
    .columns = free_planar_columns_at,
    .fit = free_planar_fit,
    .measure = free_planar_measure_at,
};

static void free_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    free_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void free_spatial_fit_at(const ki_joint *joint, const ki_relative *relative, double *q) {
    free_spatial_fit(joint, relative, q);
    ki_matrix_quaternion(relative->R, q + 3);
}

static void free_spatial_kinematics(const double *q, const double *v, double *q_rate) {
    for (int i = 0; i < 3; i++)
        q_rate[i] = v[i];
    ki_quaternion_rate(q + 3, v + 3, q_rate + 3);
}

static void free_spatial_advance(double *q, const double *dv) {
    for (int i = 0; i < 3; i++)
        q[i] += dv[i];
    ki_quaternion_advance(q + 3, dv + 3);
}

static void free_spatial_pull(const double *q, const double *dq, double *dv) {
    for (int i = 0; i < 3; i++)
        dv[i] = dq[i];
    ki_quaternion_pull(q + 3, dq + 3, dv + 3);
}

static void free_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        free_spatial_measure_0(joint, s0, s1, row);
        break;
    case 1:
        free_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        free_spatial_measure_1(joint, s0, s1, row);
        break;
    case 3:
        free_spatial_measure_1_moving(joint, s0, s1, row);
        break;
    case 4:
        free_spatial_measure_2(joint, s0, s1, row);
        break;
    default:
        free_spatial_measure_2_moving(joint, s0, s1, row);
        break;
    }
}

static const ki_joint_role free_spatial = {
    .n_q = 7,
    .n_v = 6,
    .coordinates = 3,
    .q_name = {"x", "y", "z", "e0", "e1", "e2", "e3"},
    .v_name = {"x'", "y'", "z'", "omega1", "omega2", "omega3"},
    .coordinate_name = {"x", "y", "z"},
    .turns = {0, 0, 0},
    .place = free_spatial_place,
    .columns = free_spatial_columns_at,
    .fit = free_spatial_fit_at,
    .kinematics = free_spatial_kinematics,
    .advance = free_spatial_advance,
    .pull = free_spatial_pull,
    .measure = free_spatial_measure_at,
};

const ki_joint_type ki_joint_free = {
    .word = "free",
    .summary = "ties nothing, but measures where one body is from another",
    .planar = &free_planar,
    .spatial = &free_spatial,
    .one_way = true,
};

static void distance_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        distance_planar_rows_moving(joint, s0, s1, rows);
    else
        distance_planar_rows(joint, s0, s1, rows);
}

static const ki_joint_role distance_planar = {
    .conditions = 1,
    .n_v = -1,
    .n_h = 1,
    .row_name = {"length"},
    .turns = {0, 0, 0},
    .rows = distance_planar_rows_at,
};

static void distance_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        distance_spatial_rows_moving(joint, s0, s1, rows);
    else
        distance_spatial_rows(joint, s0, s1, rows);
}

static const ki_joint_role distance_spatial = {
    .conditions = 1,
    .n_v = -1,
    .n_h = 1,
    .row_name = {"length"},
    .turns = {0, 0, 0},
    .rows = distance_spatial_rows_at,
};

const ki_joint_type ki_joint_distance = {
    .word = "distance",
    .summary = "a rod without mass: two points keep their distance",
    .planar = &distance_planar,
    .spatial = &distance_spatial,
    .needs_length = true,
};

static const ki_joint_role gear_planar = {
    .conditions = 1,
    .n_v = -1,
    .n_h = 1,
    .row_name = {"mesh"},
    .turns = {0, 0, 0},
};

static const ki_joint_role gear_spatial = {
    .conditions = 1,
    .n_v = -1,
    .n_h = 1,
    .row_name = {"mesh"},
    .turns = {0, 0, 0},
};

const ki_joint_type ki_joint_gear = {
    .word = "gear",
    .summary = "two joints turn (or slide) at a constant ratio",
    .planar = &gear_planar,
    .spatial = &gear_spatial,
    .needs_ratio = true,
    .couples = true,
};

const ki_joint_type ki_joint_rack = {
    .word = "rack",
    .summary = "a joint slides a given way per radian of another",
    .planar = &gear_planar,
    .spatial = &gear_spatial,
    .needs_ratio = true,
    .couples = true,
};

static void point_on_line_planar_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    point_on_line_planar_columns(joint, q, S);
    if (v)
        memset(bias, 0, 3 * sizeof *bias);
}

static void point_on_line_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        point_on_line_planar_rows_moving(joint, s0, s1, rows);
    else
        point_on_line_planar_rows(joint, s0, s1, rows);
}

static void point_on_line_planar_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        point_on_line_planar_measure_0(joint, s0, s1, row);
        break;
    case 1:
        point_on_line_planar_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        point_on_line_planar_measure_1(joint, s0, s1, row);
        break;
    default:
        point_on_line_planar_measure_1_moving(joint, s0, s1, row);
        break;
    }
    if (k == 1)
        row->value = q ? q[1] : row->value;
}

static const ki_joint_role point_on_line_planar = {
    .conditions = 1,
    .n_q = 2,
    .n_v = 2,
    .n_h = 1,
    .pressing = 1,
    .coordinates = 2,
    .q_name = {"displacement", "angle"},
    .v_name = {"displacement'", "angle'"},
    .row_name = {"across"},
    .coordinate_name = {"displacement", "angle"},
    .turns = {0, 1, 0},
    .place = point_on_line_planar_place,
    .columns = point_on_line_planar_columns_at,
    .fit = point_on_line_planar_fit,
    .rows = point_on_line_planar_rows_at,
    .measure = point_on_line_planar_measure_at,
};

static void point_on_line_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    point_on_line_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void point_on_line_spatial_fit_at(const ki_joint *joint, const ki_relative *relative, double *q) {
    point_on_line_spatial_fit(joint, relative, q);
    ki_matrix_quaternion(relative->R, q + 1);
}

static void point_on_line_spatial_kinematics(const double *q, const double *v, double *q_rate) {
    for (int i = 0; i < 1; i++)
        q_rate[i] = v[i];
    ki_quaternion_rate(q + 1, v + 1, q_rate + 1);
}

static void point_on_line_spatial_advance(double *q, const double *dv) {
    for (int i = 0; i < 1; i++)
        q[i] += dv[i];
    ki_quaternion_advance(q + 1, dv + 1);
}

static void point_on_line_spatial_pull(const double *q, const double *dq, double *dv) {
    for (int i = 0; i < 1; i++)
        dv[i] = dq[i];
    ki_quaternion_pull(q + 1, dq + 1, dv + 1);
}

static void point_on_line_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        point_on_line_spatial_rows_moving(joint, s0, s1, rows);
    else
        point_on_line_spatial_rows(joint, s0, s1, rows);
}

static void point_on_line_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        point_on_line_spatial_measure_0(joint, s0, s1, row);
        break;
    default:
        point_on_line_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    }
}

static const ki_joint_role point_on_line_spatial = {
    .conditions = 2,
    .n_q = 5,
    .n_v = 4,
    .n_h = 2,
    .pressing = 2,
    .coordinates = 1,
    .q_name = {"displacement", "e0", "e1", "e2", "e3"},
    .v_name = {"displacement'", "omega1", "omega2", "omega3"},
    .row_name = {"across_x", "across_y"},
    .coordinate_name = {"displacement"},
    .turns = {0, 0, 0},
    .place = point_on_line_spatial_place,
    .columns = point_on_line_spatial_columns_at,
    .fit = point_on_line_spatial_fit_at,
    .kinematics = point_on_line_spatial_kinematics,
    .advance = point_on_line_spatial_advance,
    .pull = point_on_line_spatial_pull,
    .rows = point_on_line_spatial_rows_at,
    .measure = point_on_line_spatial_measure_at,
};

const ki_joint_type ki_joint_point_on_line = {
    .word = "point-on-line",
    .summary = "a pin in a slot: a point of one body on a line of another",
    .planar = &point_on_line_planar,
    .spatial = &point_on_line_spatial,
    .needs_axis = true,
    .one_way = true,
};

static void point_on_plane_spatial_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    point_on_plane_spatial_columns(joint, q, S);
    if (v)
        memset(bias, 0, 6 * sizeof *bias);
}

static void point_on_plane_spatial_fit_at(const ki_joint *joint, const ki_relative *relative, double *q) {
    point_on_plane_spatial_fit(joint, relative, q);
    ki_matrix_quaternion(relative->R, q + 2);
}

static void point_on_plane_spatial_kinematics(const double *q, const double *v, double *q_rate) {
    for (int i = 0; i < 2; i++)
        q_rate[i] = v[i];
    ki_quaternion_rate(q + 2, v + 2, q_rate + 2);
}

static void point_on_plane_spatial_advance(double *q, const double *dv) {
    for (int i = 0; i < 2; i++)
        q[i] += dv[i];
    ki_quaternion_advance(q + 2, dv + 2);
}

static void point_on_plane_spatial_pull(const double *q, const double *dq, double *dv) {
    for (int i = 0; i < 2; i++)
        dv[i] = dq[i];
    ki_quaternion_pull(q + 2, dq + 2, dv + 2);
}

static void point_on_plane_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        point_on_plane_spatial_rows_moving(joint, s0, s1, rows);
    else
        point_on_plane_spatial_rows(joint, s0, s1, rows);
}

static void point_on_plane_spatial_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        point_on_plane_spatial_measure_0(joint, s0, s1, row);
        break;
    case 1:
        point_on_plane_spatial_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        point_on_plane_spatial_measure_1(joint, s0, s1, row);
        break;
    default:
        point_on_plane_spatial_measure_1_moving(joint, s0, s1, row);
        break;
    }
}

static const ki_joint_role point_on_plane_spatial = {
    .conditions = 1,
    .n_q = 6,
    .n_v = 5,
    .n_h = 1,
    .pressing = 1,
    .coordinates = 2,
    .q_name = {"x", "y", "e0", "e1", "e2", "e3"},
    .v_name = {"x'", "y'", "omega1", "omega2", "omega3"},
    .row_name = {"height"},
    .coordinate_name = {"x", "y"},
    .turns = {0, 0, 0},
    .place = point_on_plane_spatial_place,
    .columns = point_on_plane_spatial_columns_at,
    .fit = point_on_plane_spatial_fit_at,
    .kinematics = point_on_plane_spatial_kinematics,
    .advance = point_on_plane_spatial_advance,
    .pull = point_on_plane_spatial_pull,
    .rows = point_on_plane_spatial_rows_at,
    .measure = point_on_plane_spatial_measure_at,
};

const ki_joint_type ki_joint_point_on_plane = {
    .word = "point-on-plane",
    .summary = "a point of one body on a plane of another",
    .spatial = &point_on_plane_spatial,
    .one_way = true,
};

static void wheel_planar_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    wheel_planar_columns(joint, q, S);
    if (v)
        memset(bias, 0, 3 * sizeof *bias);
}

static void wheel_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        wheel_planar_rows_moving(joint, s0, s1, rows);
    else
        wheel_planar_rows(joint, s0, s1, rows);
}

static void wheel_planar_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,
        const double *q, int k, ki_level level, ki_row *row) {
    (void)q;
    switch (2 * k + (level == KI_AT_VELOCITY)) {
    case 0:
        wheel_planar_measure_0(joint, s0, s1, row);
        break;
    case 1:
        wheel_planar_measure_0_moving(joint, s0, s1, row);
        break;
    case 2:
        wheel_planar_measure_1(joint, s0, s1, row);
        break;
    default:
        wheel_planar_measure_1_moving(joint, s0, s1, row);
        break;
    }
    if (k == 0)
        row->value = q ? q[0] : row->value;
}

static const ki_joint_role wheel_planar = {
    .conditions = 2,
    .n_q = 1,
    .n_v = 1,
    .n_h = 2,
    .coordinates = 2,
    .q_name = {"angle"},
    .v_name = {"angle'"},
    .row_name = {"height", "roll"},
    .coordinate_name = {"angle", "displacement"},
    .turns = {1, 0, 0},
    .place = wheel_planar_place,
    .columns = wheel_planar_columns_at,
    .fit = wheel_planar_fit,
    .rows = wheel_planar_rows_at,
    .measure = wheel_planar_measure_at,
};

static void wheel_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        wheel_spatial_rows_moving(joint, s0, s1, rows);
    else
        wheel_spatial_rows(joint, s0, s1, rows);
}

static const ki_joint_role wheel_spatial = {
    .conditions = 3,
    .n_v = -1,
    .n_h = 1,
    .n_n = 2,
    .row_name = {"height", "along", "across"},
    .turns = {0, 0, 0},
    .rows = wheel_spatial_rows_at,
};

const ki_joint_type ki_joint_wheel = {
    .word = "wheel",
    .summary = "a thin disc that rolls on a plane without slip",
    .planar = &wheel_planar,
    .spatial = &wheel_spatial,
    .needs_axis = true,
    .needs_radius = true,
    .one_way = true,
};

const ki_joint_type ki_joint_disc = {
    .word = "disc",
    .summary = "another word for wheel",
    .planar = &wheel_planar,
    .spatial = &wheel_spatial,
    .needs_axis = true,
    .needs_radius = true,
    .one_way = true,
};

static void skate_planar_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        skate_planar_rows_moving(joint, s0, s1, rows);
    else
        skate_planar_rows(joint, s0, s1, rows);
}

static const ki_joint_role skate_planar = {
    .conditions = 1,
    .n_v = -1,
    .n_n = 1,
    .row_name = {"across"},
    .turns = {0, 0, 0},
    .rows = skate_planar_rows_at,
};

static void skate_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        skate_spatial_rows_moving(joint, s0, s1, rows);
    else
        skate_spatial_rows(joint, s0, s1, rows);
}

static const ki_joint_role skate_spatial = {
    .conditions = 2,
    .n_v = -1,
    .n_h = 1,
    .n_n = 1,
    .row_name = {"height", "across"},
    .turns = {0, 0, 0},
    .rows = skate_spatial_rows_at,
};

const ki_joint_type ki_joint_skate = {
    .word = "skate",
    .summary = "a knife edge: slides along its edge, not across it",
    .planar = &skate_planar,
    .spatial = &skate_spatial,
    .one_way = true,
};

static void sphere_spatial_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows) {
    if (level == KI_AT_VELOCITY)
        sphere_spatial_rows_moving(joint, s0, s1, rows);
    else
        sphere_spatial_rows(joint, s0, s1, rows);
}

static const ki_joint_role sphere_spatial = {
    .conditions = 3,
    .n_v = -1,
    .n_h = 1,
    .n_n = 2,
    .row_name = {"height", "along_x", "along_y"},
    .turns = {0, 0, 0},
    .rows = sphere_spatial_rows_at,
};

const ki_joint_type ki_joint_sphere = {
    .word = "sphere",
    .summary = "a ball that rolls on a plane without slip",
    .spatial = &sphere_spatial,
    .needs_radius = true,
    .one_way = true,
};

const ki_joint_type *const ki_joint_types[] = {
    &ki_joint_revolute,
    &ki_joint_prismatic,
    &ki_joint_cylindrical,
    &ki_joint_universal,
    &ki_joint_spherical,
    &ki_joint_planar,
    &ki_joint_screw,
    &ki_joint_fixed,
    &ki_joint_free,
    &ki_joint_distance,
    &ki_joint_gear,
    &ki_joint_rack,
    &ki_joint_point_on_line,
    &ki_joint_point_on_plane,
    &ki_joint_wheel,
    &ki_joint_disc,
    &ki_joint_skate,
    &ki_joint_sphere,
    NULL};

/* They are no constants to a compiler where they stand in the types. */
const char *const ki_joint_words[] = {
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "screw",
    "fixed",
    "free",
    "distance",
    "gear",
    "rack",
    "point-on-line",
    "point-on-plane",
    "wheel",
    "disc",
    "skate",
    "sphere",
    NULL};
