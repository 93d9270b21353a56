/* view.c - points, joints and springs of a compiled mechanism, for those who draw it. */
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"

int keel_mechanism_marker(const keel_system *system, int point, keel_marker *marker) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || !marker || point < 0 || point >= mech->point_count)
        return 0;
    const ki_point *p = &mech->point[point];
    marker->name = p->name;
    marker->body = mech->body[p->body].described;
    ki_copy3(p->r, marker->at);
    return 1;
}

/* In the plane x of the frame is the line of a joint that slides; all others turn about z. */
static int axis_of(const ki_mech *mech, const ki_joint *joint) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    bool slides = mech->d == KI_PLANAR && role->coordinates > 0 && !role->turns[0];
    bool across = strcmp(joint->type->word, "universal") == 0;
    return slides || across ? 0 : 2;
}

int keel_mechanism_joint_tie(const keel_system *system, int joint, keel_tie *tie) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || !tie || joint < 0 || joint >= mech->described_joints || mech->joint[joint].type->couples)
        return 0;
    const ki_joint *j = &mech->joint[joint];
    tie->name = j->name;
    for (int k = 0; k < 2; k++) {
        tie->body[k] = mech->body[j->body[k]].described;
        ki_copy3(j->frame[k].r, tie->at[k]);
    }
    ki_axis(j->frame[0].R, axis_of(mech, j), tie->axis);
    ki_axis(j->frame[1].R, strcmp(j->type->word, "skate") == 0 ? 0 : 2, tie->axle);
    tie->radius = j->type->needs_radius ? j->radius : 0;
    return 1;
}

int keel_mechanism_joint_mesh(const keel_system *system, int joint, keel_mesh *mesh) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || !mesh || joint < 0 || joint >= mech->described_joints || !mech->joint[joint].type->couples)
        return 0;
    const ki_joint *j = &mech->joint[joint];
    *mesh = (keel_mesh){{j->other[0], j->other[1]}, j->ratio};
    return 1;
}

int keel_mechanism_spring_tie(const keel_system *system, int spring, keel_tie *tie) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || !tie)
        return 0;
    for (int i = 0; i < mech->force_count; i++) {
        const ki_force *force = &mech->force[i];
        if (force->kind != KEEL_FORCE_SPRING || spring-- > 0)
            continue;
        *tie = (keel_tie){.name = force->name};
        for (int k = 0; k < 2; k++) {
            tie->body[k] = mech->body[force->body[k]].described;
            ki_copy3(force->r[k], tie->at[k]);
        }
        return 1;
    }
    return 0;
}

void keel_mechanism_gravity(const keel_system *system, double gravity[3]) {
    const ki_mech *mech = ki_mech_if(system);
    if (mech && gravity)
        ki_copy3(mech->gravity, gravity);
}
