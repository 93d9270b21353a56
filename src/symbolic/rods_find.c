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
    return rod->L2 > 0;
}

static bool each_body_once(const ki_rods *x, bool *seen) {
    int count = 2 + 2 * x->rod_count;
    seen[0] = seen[x->crank] = true;
    for (int i = 0; i < x->rod_count; i++) {
        const ki_rod *rod = &x->rod[i];
        if (seen[rod->slider] || seen[rod->body])
            return false;
        seen[rod->slider] = seen[rod->body] = true;
    }
    return count == x->mech->body_count;
}

bool ki_rods_find(ki_rods *x, int crank) {
    const ki_mech *mech = x->mech;
    const ki_joint_type *kind = mech->d == KI_PLANAR ? &ki_joint_revolute : &ki_joint_spherical;
    x->crank = crank;
    x->rod_count = 0;
    x->rod = KI_SCRATCH(x->b, ki_rod, mech->body_count);
    bool *seen = KI_SCRATCH(x->b, bool, mech->body_count);
    if (!x->rod || !seen || !on_ground(&mech->body[crank], &ki_joint_revolute))
        return false;
    for (int j = 0; j < mech->joint_count; j++) {
        const ki_joint *joint = &mech->joint[j];
        ki_rod *rod = &x->rod[x->rod_count];
        if (joint->tree)
            continue;
        if (joint->type != kind || 2 * (x->rod_count + 1) > mech->body_count ||
            !(match(x, joint, 0, rod) || match(x, joint, 1, rod)))
            return false;
        rod->cut = j;
        x->rod_count++;
    }
    return x->rod_count > 0 && each_body_once(x, seen);
}
