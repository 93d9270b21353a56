/* Displacements that are not small: 1 radian, or the size of the mechanism. */
#include "mechanism/joint.h"
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

keel_status ki_sizes_build(ki_mech *mech) {
    double *q_size = KI_NEW(&mech->arena, double, mech->system.n_v), size = mechanism_size(mech);
    if (!q_size)
        return KEEL_ERROR_MEMORY;
    for (int b = 1; b < mech->body_count; b++)
        for (int j = 0; j < mech->body[b].n_v; j++)
            q_size[mech->body[b].v + j] = turns(mech, &mech->body[b].hinge, j) ? 1 : size;
    mech->system.q_size = q_size;
    return KEEL_OK;
}
