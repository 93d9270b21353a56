#include "mechanism/skeleton.h"

#include <stdlib.h>
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/quantity.h"

/* The reference point: the centre of mass; of a massless body whose centre is not given, where its first
 * joint is. first_joint[b] = 2 j + side, or -1. */
static void reference_point(const keel_mechanism *m, const int *first_joint, int b, double r[3]) {
    const double *centre = m->body[b].centre;
    bool given = m->body[b].mass > 0 || centre[0] != 0 || centre[1] != 0 || centre[2] != 0;
    int first = first_joint[b];
    memcpy(r, given || first < 0 ? centre : m->joint[first / 2].at[first % 2], 3 * sizeof *r);
}

/* The mechanism lives on when its description is gone. */
static const char *kept(ki_mech *mech, const char *text) {
    return text ? ki_arena_text(&mech->arena, text, strlen(text)) : NULL;
}

keel_location ki_keep_place(ki_mech *mech, keel_location where) {
    if (where.file && (!mech->file || strcmp(mech->file, where.file) != 0))
        mech->file = kept(mech, where.file);
    where.file = where.file ? mech->file : NULL;
    return where;
}

static void fill_body(const keel_mechanism *m, const int *first_joint, int described, ki_mech *mech,
                      ki_body *body) {
    const keel_body *from = &m->body[described];
    body->name = kept(mech, from->name);
    body->where = ki_keep_place(mech, from->where);
    body->described = described;
    body->mass = from->mass;
    memcpy(body->inertia, from->inertia, sizeof body->inertia);
    reference_point(m, first_joint, described, body->drawn);
    if (m->planar)
        body->drawn[2] = 0;
}

/* Bodies in the order of the tree. */
static void fill_bodies(const keel_mechanism *m, const ki_tree *tree, const int *first_joint, ki_mech *mech) {
    for (int i = 0; i < m->body_count; i++)
        mech->body_of[tree->order[i]] = i;
    for (int i = 0; i < m->body_count; i++) {
        int described = tree->order[i];
        ki_body *body = &mech->body[i];
        fill_body(m, first_joint, described, mech, body);
        body->parent = i == 0 ? -1 : mech->body_of[tree->parent[described]];
        body->depth = tree->level[described];
        body->joint = tree->joint[described]; /* made-up ones are numbered later */
    }
    memset(mech->body[0].drawn, 0, sizeof mech->body[0].drawn);
}

static void fill_joint(const keel_mechanism *m, int j, ki_mech *mech) {
    const keel_joint *from = &m->joint[j];
    ki_joint *joint = &mech->joint[j];
    *joint = (ki_joint){.type = ki_joint_type_of(from->type),
                        .name = kept(mech, from->name),
                        .where = ki_keep_place(mech, from->where),
                        .length = from->length,
                        .pitch = from->pitch,
                        .radius = from->radius,
                        .ratio = from->ratio,
                        .other = {from->joint[0], from->joint[1]},
                        .described = j,
                        .viscous = from->friction.viscous,
                        .coulomb = from->friction.coulomb,
                        .friction_radius = from->friction.radius,
                        .slip = from->friction.slip};
    memcpy(joint->reading, from->reading, sizeof joint->reading);
    if (joint->type->couples)
        return;
    ki_joint_frames(joint->type, mech->d, from->axis, from->across, joint->frame);
    for (int k = 0; k < 2; k++) {
        joint->body[k] = mech->body_of[from->body[k]];
        ki_minus(from->at[k], mech->body[joint->body[k]].drawn, joint->frame[k].r);
        if (m->planar)
            joint->frame[k].r[2] = 0;
    }
    if (joint->length == 0) { /* as drawn */
        double gap[3];
        ki_minus(from->at[1], from->at[0], gap);
        joint->length = hypot(hypot(gap[0], gap[1]), m->planar ? 0 : gap[2]);
    }
    ki_joint_settle(joint, mech->d, from->at);
}

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A free joint from the ground's origin to the reference point of body b. Its axes on the body are the
 * principal ones, so that the mass matrix is diagonal, and exactly singular for a slender rod, however it is
 * drawn. */
static ki_joint made_up_joint(const ki_mech *mech, int b) {
    ki_joint joint = {.type = ki_joint_type_of("free"),
                      .name = mech->body[b].name,
                      .where = mech->body[b].where,
                      .body = {0, b},
                      .made_up = true,
                      .described = -1};
    for (int k = 0; k < 2; k++)
        memcpy(joint.frame[k].R, IDENTITY, sizeof IDENTITY);
    if (mech->d == KI_SPATIAL)
        ki_principal_axes(mech->body[b].inertia, joint.frame[1].R, mech->body[b].moment);
    return joint;
}

/* Hangs body b by its joint and numbers its coordinates. */
static void hang(ki_mech *mech, int b) {
    ki_body *body = &mech->body[b];
    if (body->joint < 0) {
        body->joint = mech->joint_count++;
        mech->joint[body->joint] = made_up_joint(mech, b);
    }
    ki_joint *joint = &mech->joint[body->joint];
    const ki_joint_role *role = ki_role(joint, mech->d);
    joint->tree = true;
    joint->reversed = joint->body[0] == b;
    joint->q = mech->system.n_q;
    joint->v = mech->system.n_v;
    mech->system.n_q += role->n_q;
    mech->system.n_v += role->n_v;
    body->hinge = *joint;
    if (joint->reversed) {
        body->hinge.body[0] = joint->body[1], body->hinge.body[1] = joint->body[0];
        body->hinge.frame[0] = joint->frame[1], body->hinge.frame[1] = joint->frame[0];
        body->hinge.turn = -joint->turn;
    }
    if (mech->d == KI_PLANAR) /* as rows measure it: both roles count the same turns */
        body->drawn_turn = joint->reversed ? joint->turn : -joint->turn;
    body->v = joint->v;
    body->n_v = role->n_v;
    body->alone = joint->made_up;
    if (body->parent > 0)
        mech->body[body->parent].alone = false;
}

static void fill_points(const keel_mechanism *m, ki_mech *mech) {
    for (int i = 0; i < m->point_count; i++) {
        ki_point *point = &mech->point[i];
        *point = (ki_point){.name = kept(mech, m->point[i].name),
                            .where = ki_keep_place(mech, m->point[i].where),
                            .body = mech->body_of[m->point[i].body]};
        ki_minus(m->point[i].at, mech->body[point->body].drawn, point->r);
        if (m->planar)
            point->r[2] = 0;
    }
    for (int j = 0; j < m->joint_count; j++) {
        const ki_joint *joint = &mech->joint[j];
        int side = joint->body[1] ? 1 : 0;
        ki_point *place = &mech->point[m->point_count + j];
        *place = (ki_point){.name = joint->name, .where = joint->where, .body = joint->body[side]};
        ki_copy3(joint->frame[side].r, place->r);
    }
}

void ki_mech_free(ki_mech *mech) {
    if (!mech)
        return;
    ki_formulas_free(mech);
    if (mech->long_run)
        mech->long_run->free(mech->long_run);
    ki_arena_free(&mech->arena);
    free(mech);
}

ki_mech *ki_skeleton_new(const keel_mechanism *m, const ki_tree *tree) {
    ki_mech *mech = calloc(1, sizeof *mech);
    if (!mech)
        return NULL;
    ki_arena_init(&mech->arena);
    mech->system = keel_system_default();
    mech->d = m->planar ? KI_PLANAR : KI_SPATIAL;
    memcpy(mech->gravity, m->gravity, sizeof mech->gravity);
    mech->system.precision.length = m->precision_length;
    mech->system.precision.angle = m->precision_angle;
    mech->body_count = m->body_count;
    mech->body = KI_NEW(&mech->arena, ki_body, m->body_count);
    mech->body_of = KI_NEW(&mech->arena, int, m->body_count);
    mech->joint_count = mech->described_joints = m->joint_count;
    mech->joint = KI_NEW(&mech->arena, ki_joint, m->joint_count + m->body_count);
    mech->point_count = m->point_count;
    mech->point = KI_NEW(&mech->arena, ki_point, m->point_count + m->joint_count);
    int *first_joint = KI_NEW(&mech->arena, int, m->body_count);
    if (mech->arena.failed) {
        ki_mech_free(mech);
        return NULL;
    }
    for (int b = 0; b < m->body_count; b++)
        first_joint[b] = -1;
    for (int j = m->joint_count - 1; j >= 0; j--)
        for (int k = 0; k < 2 && !ki_joint_type_of(m->joint[j].type)->couples; k++)
            first_joint[m->joint[j].body[k]] = 2 * j + k;
    fill_bodies(m, tree, first_joint, mech);
    for (int j = 0; j < m->joint_count; j++)
        fill_joint(m, j, mech);
    for (int b = 1; b < mech->body_count; b++)
        hang(mech, b);
    ki_hinges_prepare(mech);
    fill_points(m, mech);
    if (mech->arena.failed) {
        ki_mech_free(mech);
        return NULL;
    }
    return mech;
}

/* Pose of the hinge's frame on the child, seen from the parent's, as drawn. */
static ki_relative drawn_relative(const ki_mech *mech, const ki_body *body) {
    const ki_frame *F0 = &body->hinge.frame[0], *F1 = &body->hinge.frame[1];
    ki_relative relative = {.angle = -body->drawn_turn};
    double gap[3];
    for (int i = 0; i < 3; i++)
        gap[i] = body->drawn[i] + F1->r[i] - mech->body[body->parent].drawn[i] - F0->r[i];
    ki_transposed_multiply(F0->R, F1->R, relative.R);
    ki_rotate_back(F0->R, gap, relative.r);
    return relative;
}

void ki_drawn_coordinates(const ki_mech *mech, double *q) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_joint *hinge = &body->hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        ki_relative relative = drawn_relative(mech, body);
        if (role->n_q == 0)
            continue;
        role->fit(hinge, &relative, q + hinge->q);
        for (int k = 0; k < ki_readings(hinge, role); k++)
            q[hinge->q + k] = ki_read(hinge, k, q[hinge->q + k]);
    }
}
