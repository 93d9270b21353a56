/* Distance: a rod without mass between a point of either body; always cut.
 *
 *     row     |p_1 - p_0| - length = 0
 */
#include "mechanism/joints/joints.h"

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *rows) {
    ki_planar_row_distance(s0, joint->frame[0].r, s1, joint->frame[1].r, joint->length, level, rows);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row_distance(s0, joint->frame[0].r, s1, joint->frame[1].r, joint->length, level, out);
}

static const ki_joint_role PLANAR = {
    .conditions = 1, .n_v = -1, .n_h = 1, .row_name = {"length"}, .rows = rows_planar};

static const ki_joint_role SPATIAL = {
    .conditions = 1, .n_v = -1, .n_h = 1, .row_name = {"length"}, .rows = rows};

const ki_joint_type ki_joint_distance = {.word = "distance",
                                         .summary = "a rod without mass: two points keep their distance",
                                         .planar = &PLANAR,
                                         .spatial = &SPATIAL,
                                         .needs_length = true};
