/* joints.h - the types of joints, made from their laws (src/laws/joints/) by tools/generate_laws.c. */
#ifndef KI_MECHANISM_JOINTS_H
#define KI_MECHANISM_JOINTS_H

#include "mechanism/joint.h"

extern const ki_joint_type ki_joint_revolute, ki_joint_prismatic, ki_joint_cylindrical, ki_joint_universal,
    ki_joint_spherical, ki_joint_planar, ki_joint_screw, ki_joint_fixed, ki_joint_free, ki_joint_distance,
    ki_joint_point_on_line, ki_joint_point_on_plane, ki_joint_gear, ki_joint_rack, ki_joint_wheel,
    ki_joint_disc, ki_joint_skate, ki_joint_sphere;

extern const char *const ki_joint_words[]; /* the same in words */

#endif
