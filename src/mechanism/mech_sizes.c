/* Displacements that are not small: 1 radian, or the size of the mechanism. Positions that rows subtract. */
#include "mechanism/joint.h"
#include "mechanism/quantity.h"
#include "mechanism/tangent.h"

/* The longest of the lengths between joints and centres; of bodies with coordinates of their own, to the
 * origin. */
static double mechanism_size(const ki_mech *mech) {
    double size = 0;
    for (int b = 1; b < mech->body_count; b++)
        for (int i = 0; i < 3; i++) {
            size = fmax(size, fabs(mech->body[b].hinge.frame[1].r[i]));
            size = fmax(size, fabs(mech->body[b].drawn[i] - mech->body[mech->body[b].parent].drawn[i]));
        }
    return size > 0 ? size : 1;
}

/* Does velocity j of the hinge turn the body? */
static bool turns(const ki_mech *mech, const ki_joint *hinge, int j) {
    double columns[KI_JOINT_VELOCITIES * KI_SPATIAL], q[7] = {0};
    const ki_joint_role *role = ki_role(hinge, mech->d);
    if (role->kinematics)
        q[role->n_q - 4] = 1; /* a quaternion stands last */
    role->columns(hinge, q, NULL, columns, NULL);
    for (int i = 0; i < (mech->d == KI_PLANAR ? 1 : 3); i++)
        if (columns[mech->d * j + i] != 0)
            return true;
    return false;
}

/* Is the quantity found from positions in the world? Turns are not, nor are coordinates of the tree. */
static bool is_located(const ki_mech *mech, const ki_measure *measure) {
    if (measure->kind == KI_MEASURE_JOINT)
        return !ki_is_turn(mech, measure) && !mech->joint[measure->object].tree;
    return measure->kind != KI_MEASURE_ANGLE && measure->kind != KI_MEASURE_SPIN;
}

/* The same for a part of a row. */
static bool part_is_located(const ki_mech *mech, int p) {
    const ki_layout *l = mech->layout;
    int owner = l->part[p].owner;
    if (p >= l->start_part)
        return is_located(mech, &mech->start[owner].measure);
    if (p >= l->motion_part)
        return is_located(mech, &mech->motion[owner].measure);
    const ki_joint *joint = &mech->joint[owner];
    const ki_joint_role *role = ki_role(joint, mech->d);
    int k = p - l->joint_part[owner];
    if (joint->type->couples)
        return is_located(mech, &(ki_measure){.kind = KI_MEASURE_JOINT, .object = joint->other[k]});
    return k < role->n_h - role->turning_rows;
}

/* Largest coordinate of the two bodies of a part, as drawn. */
static double reach(const ki_mech *mech, const ki_part *part) {
    double most = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(mech->body[part->body[k]].drawn[i]));
    return most;
}

keel_status ki_sizes_build(ki_mech *mech) {
    const ki_layout *l = mech->layout;
    double *q_size = KI_NEW(&mech->arena, double, mech->system.n_v), size = mechanism_size(mech);
    double *Phi_size = KI_NEW(&mech->arena, double, l->n_h); /* zeros */
    if (!q_size || !Phi_size)
        return KEEL_ERROR_MEMORY;
    for (int b = 1; b < mech->body_count; b++)
        for (int j = 0; j < mech->body[b].n_v; j++)
            q_size[mech->body[b].v + j] = turns(mech, &mech->body[b].hinge, j) ? 1 : size;
    for (int p = 0; p < l->part_count; p++)
        if (l->part[p].row < l->n_h && part_is_located(mech, p))
            Phi_size[l->part[p].row] = fmax(Phi_size[l->part[p].row], reach(mech, &l->part[p]));
    mech->system.q_size = q_size;
    mech->system.Phi_size = Phi_size;
    return KEEL_OK;
}
