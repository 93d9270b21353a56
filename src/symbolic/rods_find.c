/* rods_find.c - which bodies are crank, rods and sliders. */
#include "mechanism/joints/joints.h"
#include "symbolic/rods.h"

static bool on_ground(const ki_body *body, const ki_joint_type *type) {
    return body->parent == 0 && body->hinge.type == type && body->n_v == 1;
}

static bool is_slider(const ki_body *body) {
    return on_ground(body, &ki_joint_prismatic) || on_ground(body, &ki_joint_revolute);
}

/* The rod and the body at its far end, as one side and the other of a cut joint. */
static bool match(const ki_rods *x, const ki_joint *cut, int side, ki_rod *rod) {
    const ki_mech *mech = x->mech;
    bool plane = mech->d == KI_PLANAR;
    int body = cut->body[side], far = cut->body[1 - side];
    const ki_body *b = &mech->body[body];
    if (!body || !far || b->parent <= 0 ||
        b->hinge.type != (plane ? &ki_joint_revolute : &ki_joint_universal))
        return false;
    rod->on_crank = b->parent == x->crank;
    rod->slider = rod->on_crank ? far : b->parent;
    rod->body = body;
    if ((!rod->on_crank && far != x->crank) || (rod->on_crank && !plane) || rod->slider == x->crank ||
        !is_slider(&mech->body[rod->slider]))
        return false;
    rod->slides = mech->body[rod->slider].hinge.type == &ki_joint_prismatic;
    /* its hinge is on one of its ends, the cut joint on the other */
    const double *hinge = b->place[1], *end = cut->frame[side].r;
    const double *a = rod->on_crank ? end : hinge, *c = rod->on_crank ? hinge : end;
    ki_copy3(rod->on_crank ? b->place[0] : cut->frame[1 - side].r, rod->on[0]);
    ki_copy3(rod->on_crank ? cut->frame[1 - side].r : b->place[0], rod->on[1]);
    ki_minus(c, a, rod->r);
    ki_minus((const double[3]){0, 0, 0}, a, rod->d);
    rod->L2 = ki_dot3(rod->r, rod->r);
    return true;
}

/* Plane: a point of a rod that hangs from the crank stays on a line of the ground. */
static bool match_line(const ki_rods *x, const ki_joint *cut, ki_rod *rod) {
    const ki_body *b = &x->mech->body[cut->body[1]];
    if (x->mech->d != KI_PLANAR || cut->body[0] || b->parent != x->crank ||
        b->hinge.type != &ki_joint_revolute)
        return false;
    rod->body = cut->body[1];
    rod->slider = 0;
    rod->slides = rod->on_crank = true;
    ki_copy3(b->place[0], rod->on[0]);
    ki_copy3(cut->frame[0].r, rod->on[1]);
    ki_minus(b->place[1], cut->frame[1].r, rod->r);
    ki_minus((const double[3]){0, 0, 0}, cut->frame[1].r, rod->d);
    rod->L2 = ki_dot3(rod->r, rod->r);
    return true;
}

/* A rod without a body, between crank and slider. */
static bool match_distance(const ki_rods *x, const ki_joint *cut, ki_rod *rod) {
    int side = cut->body[1] == x->crank;
    rod->slider = cut->body[1 - side];
    rod->body = 0;
    if (cut->body[side] != x->crank || !rod->slider || !is_slider(&x->mech->body[rod->slider]))
        return false;
    rod->slides = x->mech->body[rod->slider].hinge.type == &ki_joint_prismatic;
    ki_copy3(cut->frame[side].r, rod->on[0]);
    ki_copy3(cut->frame[1 - side].r, rod->on[1]);
    rod->L2 = cut->length * cut->length;
    return true;
}

static bool match_any(const ki_rods *x, const ki_joint *cut, ki_rod *rod) {
    bool plane = x->mech->d == KI_PLANAR;
    if (cut->type == &ki_joint_distance)
        return match_distance(x, cut, rod);
    if (cut->type == &ki_joint_point_on_line)
        return match_line(x, cut, rod);
    return cut->type == (plane ? &ki_joint_revolute : &ki_joint_spherical) &&
           (match(x, cut, 0, rod) || match(x, cut, 1, rod));
}

/* Each body but the ground has one part to play. */
static bool take_part(bool *seen, int body, int *count) {
    if (body && seen[body])
        return false;
    *count += body > 0;
    seen[body] = true;
    return true;
}

static bool each_body_once(const ki_rods *x, bool *seen) {
    int count = 1;
    take_part(seen, x->crank, &count);
    for (int i = 0; i < x->rod_count; i++)
        if (!take_part(seen, x->rod[i].slider, &count) || !take_part(seen, x->rod[i].body, &count))
            return false;
    return count == x->mech->body_count;
}

bool ki_rods_find(ki_rods *x, int crank) {
    const ki_mech *mech = x->mech;
    x->crank = crank;
    x->rod_count = 0;
    x->rod = KI_SCRATCH(x->b, ki_rod, mech->body_count);
    bool *seen = KI_SCRATCH(x->b, bool, mech->body_count);
    if (!x->rod || !seen || !on_ground(&mech->body[crank], &ki_joint_revolute))
        return false;
    for (int j = 0; j < mech->joint_count; j++) {
        ki_rod *rod = &x->rod[x->rod_count];
        if (mech->joint[j].tree)
            continue;
        if (x->rod_count + 2 > mech->body_count || !match_any(x, &mech->joint[j], rod) || !(rod->L2 > 0))
            return false;
        rod->cut = j;
        x->rod_count++;
    }
    return x->rod_count > 0 && each_body_once(x, seen);
}
