/* Natural sizes: displacements that are not small, rows, and the positions that rows subtract
 * (docs/sizes.md). */
#include "mechanism/joint.h"
#include "mechanism/quantity.h"
#include "mechanism/tangent.h"

/* The first pass adds the places up, the second finds the one that is farthest from their middle. */
static void add_place(const double at[3], int pass, int *count, double sum[3], double *most) {
    double off[3];
    if (pass == 0) {
        for (int i = 0; i < 3; i++)
            sum[i] += at[i];
        ++*count;
        return;
    }
    ki_minus(at, sum, off);
    *most = fmax(*most, sqrt(ki_dot3(off, off)));
}

/* The extent of the mechanism: the largest distance of a centre of mass or a place of a joint from the middle
 * of all of them, as drawn. Neither rotation nor translation of the drawing changes it. */
static double extent(const ki_mech *mech) {
    double sum[3] = {0}, most = 0, place[3];
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 1; b < mech->body_count; b++)
            add_place(mech->body[b].drawn, pass, &count, sum, &most);
        for (int j = 0; j < mech->described_joints; j++)
            for (int k = 0; k < 2 && !mech->joint[j].type->couples; k++) {
                const ki_joint *joint = &mech->joint[j];
                for (int i = 0; i < 3; i++)
                    place[i] = mech->body[joint->body[k]].drawn[i] + joint->frame[k].r[i];
                add_place(place, pass, &count, sum, &most);
            }
        for (int i = 0; pass == 0 && count && i < 3; i++)
            sum[i] /= count;
    }
    return most > 0 ? most : 1;
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

static bool is_rotation(const ki_measure *measure) {
    return measure->kind == KI_MEASURE_ANGLE || measure->kind == KI_MEASURE_SPIN ||
           measure->kind == KI_MEASURE_TURN;
}

/* Is the quantity found from positions in the world? Turns are not, nor are coordinates of the tree. */
static bool is_located(const ki_mech *mech, const ki_measure *measure) {
    if (measure->kind == KI_MEASURE_JOINT)
        return !ki_is_turn(mech, measure) && !mech->joint[measure->object].tree;
    return !is_rotation(measure);
}

/* Is the quantity a length, or its rate? */
static bool is_length(const ki_mech *mech, const ki_measure *measure) {
    if (measure->kind == KI_MEASURE_JOINT)
        return !ki_is_turn(mech, measure);
    return !is_rotation(measure);
}

/* Whether a test of quantities holds for what a part of a row is made of. */
static bool part_is(const ki_mech *mech, int p, bool (*test)(const ki_mech *, const ki_measure *)) {
    const ki_layout *l = mech->layout;
    int owner = l->part[p].owner;
    if (p >= l->start_part)
        return test(mech, &mech->start[owner].measure);
    if (p >= l->motion_part)
        return test(mech, &mech->motion[owner].measure);
    const ki_joint *joint = &mech->joint[owner];
    const ki_joint_role *role = ki_role(joint, mech->d);
    int k = p - l->joint_part[owner];
    if (joint->type->couples)
        return test(mech, &(ki_measure){.kind = KI_MEASURE_JOINT, .object = joint->other[k]});
    return k < role->n_h - role->turning_rows || k >= role->n_h;
}

static bool part_is_located(const ki_mech *mech, int p) {
    return part_is(mech, p, is_located);
}

static bool part_is_length(const ki_mech *mech, int p) {
    return part_is(mech, p, is_length);
}

/* Largest coordinate of the two bodies of a part, as drawn. */
static double reach(const ki_mech *mech, const ki_part *part) {
    double most = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(mech->body[part->body[k]].drawn[i]));
    return most;
}

/* Largest distance of a joint's place from the centre of mass of each body, and twice that: [body_count]. */
static void body_extents(const ki_mech *mech, double *size) {
    for (int j = 0; j < mech->described_joints; j++)
        for (int k = 0; k < 2 && !mech->joint[j].type->couples; k++) {
            const ki_joint *joint = &mech->joint[j];
            const double *r = joint->frame[k].r;
            if (joint->body[k])
                size[joint->body[k]] = fmax(size[joint->body[k]], 2 * sqrt(ki_dot3(r, r)));
        }
}

/* The extent of the loop that a part closes: the largest body on the way between its two bodies. */
static double loop_extent(const ki_mech *mech, const ki_part *part, const double *body_size) {
    double size = 0;
    for (int k = 0; k < 2; k++)
        for (int b = part->body[k]; b != part->top && b > 0; b = mech->body[b].parent)
            size = fmax(size, body_size[b]);
    return size;
}

/* What gravity does when everything falls by the size of the mechanism. */
static double energy_of_weight(const ki_mech *mech, double size) {
    const double *g = mech->gravity;
    double mass = 0;
    for (int b = 1; b < mech->body_count; b++)
        mass += mech->body[b].mass;
    return mass * size * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

keel_status ki_sizes_build(ki_mech *mech) {
    const ki_layout *l = mech->layout;
    int m = l->n_h + l->n_n;
    double *q_size = KI_NEW(&mech->arena, double, mech->system.n_v), size = extent(mech);
    int *q_turns = KI_NEW(&mech->arena, int, mech->system.n_v);
    double *coordinate_size = KI_NEW(&mech->arena, double, mech->system.n_q);
    double *Phi_size = KI_NEW(&mech->arena, double, l->n_h); /* zeros */
    double *row_size = KI_NEW(&mech->arena, double, m);
    int *row_turns = KI_NEW(&mech->arena, int, m);
    double *body_size = KI_NEW(&mech->arena, double, mech->body_count);
    if (!q_size || !coordinate_size || !q_turns || !Phi_size || !row_size || !row_turns || !body_size)
        return KEEL_ERROR_MEMORY;
    body_extents(mech, body_size);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint_role *role = ki_role(&mech->body[b].hinge, mech->d);
        for (int j = 0; j < mech->body[b].n_v; j++) {
            q_turns[mech->body[b].v + j] = turns(mech, &mech->body[b].hinge, j);
            q_size[mech->body[b].v + j] = q_turns[mech->body[b].v + j] ? 1 : size;
        }
        for (int i = 0; i < role->n_q; i++) /* a quaternion stands last */
            coordinate_size[mech->body[b].q + i] =
                role->kinematics && i >= role->n_q - 4 ? 1 : q_size[mech->body[b].v + i];
    }
    for (int p = 0; p < l->part_count; p++) {
        const ki_part *part = &l->part[p];
        bool length = part_is_length(mech, p);
        double loop = length ? loop_extent(mech, part, body_size) : 0;
        double of_length = loop > 0 ? fmin(loop, size) : size;
        row_size[part->row] = fmax(row_size[part->row], length ? of_length : 1);
        row_turns[part->row] = !length;
        if (part->row < l->n_h && part_is_located(mech, p))
            Phi_size[part->row] = fmax(Phi_size[part->row], reach(mech, part));
    }
    mech->system.q_size = q_size;
    mech->system.q_turns = q_turns;
    mech->system.coordinate_size = coordinate_size;
    mech->system.Phi_size = Phi_size;
    mech->system.row_size = row_size;
    mech->system.row_turns = row_turns;
    mech->system.extent = size;
    mech->system.energy_size = energy_of_weight(mech, size);
    return KEEL_OK;
}
