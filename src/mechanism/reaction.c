/* reaction.c - forces in joints.
 *
 * The constraint forces are -J^T lambda: row i of a cut joint puts the wrench -lambda_i w_i on its bodies. In
 * the tree the reaction is what keeps the subtree of the joint's child moving as it does: with the wrenches
 * of applied forces, of inertia (with a minus) and of all rows, summed over the subtree,
 *
 *     reaction on the child = -(sum over its subtree).
 *
 * A wrench (T, F) about a reference point r is (T - (p - r) x F, F) about p.
 */
#include "mechanism/reaction.h"

#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"

/* Torque about the reference point and force, three components each. */
typedef struct wrench {
    double torque[3], force[3];
} wrench;

static wrench widen(int d, const double *from, double sign) {
    wrench to = {{0}, {0}};
    if (d == KI_PLANAR) {
        to.torque[2] = sign * from[0];
        ki_add_scaled(sign, (const double[3]){from[1], from[2], 0}, to.force);
    } else {
        ki_add_scaled(sign, from, to.torque);
        ki_add_scaled(sign, from + 3, to.force);
    }
    return to;
}

/* The wrenches of all rows, of applied forces and of inertia, gathered along the tree. */
static void gather_all(const ki_mech *mech, ki_mech_work *w, const keel_point *at, const double *v_rate) {
    const ki_layout *l = mech->layout;
    if (v_rate) {
        ki_accelerate(mech, w, v_rate);
        ki_body_wrenches(mech, w, true);
        ki_apply_forces(mech, w, at->t, at->lambda);
    } else {
        memset(w->wrench, 0, (size_t)mech->body_count * sizeof *w->wrench);
    }
    for (int p = 0; p < l->part_count; p++)
        ki_add_row_force(mech, w, l->part[p].body, &w->rows[p], -at->lambda[l->part[p].row]);
    ki_gather(mech, w, NULL);
}

/* On the side of a cut joint that is not the ground: body 1 if it can be. */
static wrench cut_wrench(const ki_mech *mech, const ki_mech_work *w, int j, const double *lambda, int side) {
    const ki_joint *joint = &mech->joint[j];
    const ki_joint_role *role = ki_role(joint, mech->d);
    int first = mech->layout->joint_part[j];
    double sum[6] = {0};
    for (int i = first; i < first + role->n_h + role->n_n; i++)
        for (int k = 0; k < mech->d; k++)
            sum[k] += lambda[mech->layout->part[i].row] * w->rows[i].w[side][k];
    return widen(mech->d, sum, -1);
}

static void reaction_of(const ki_mech *mech, const ki_mech_work *w, int j, const double *lambda,
                        keel_reaction *out) {
    const ki_joint *joint = &mech->joint[j];
    int side = joint->tree ? !joint->reversed : joint->body[1] != 0;
    int body = joint->body[side];
    const ki_state *s0 = &w->state[joint->body[0]], *s1 = &w->state[joint->body[1]], *s = &w->state[body];
    wrench on = joint->tree ? widen(mech->d, w->wrench[body], -1) : cut_wrench(mech, w, j, lambda, side);
    double sign = side == 1 ? 1 : -1, place[3], arm[3], A[9];
    ki_rotate(s1->R, joint->frame[1].r, place);
    ki_add_scaled(1, s1->r, place);
    ki_minus(s->r, place, arm);
    ki_add_cross(arm, on.force, on.torque);
    ki_add_scaled(sign, on.force, out->force);
    ki_add_scaled(sign, on.torque, out->torque);
    ki_multiply(s0->R, joint->frame[0].R, A);
    ki_rotate_back(A, out->force, out->local_force);
    ki_rotate_back(A, out->torque, out->local_torque);
}

keel_status keel_mechanism_reactions(const keel_system *system, void *work, const keel_point *at,
                                     const double *v_rate, keel_reaction *reactions) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || !work || !at || !reactions)
        return KEEL_ERROR_INPUT;
    ki_mech_work *w = work;
    memset(reactions, 0, (size_t)mech->described_joints * sizeof *reactions);
    ki_place(mech, w, at->q);
    ki_move_bodies(mech, w, at->v);
    ki_constraint_rows(mech, w, at->t, KI_AT_POSITION);
    gather_all(mech, w, at, v_rate);
    for (int j = 0; j < mech->described_joints; j++)
        if (mech->joint[j].type->couples)
            reactions[j].local_torque[2] = -at->lambda[mech->layout->part[mech->layout->joint_part[j]].row];
        else
            reaction_of(mech, w, j, at->lambda, &reactions[j]);
    return KEEL_OK;
}
