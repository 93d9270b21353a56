/* forces.c - force elements: springs and dampers, constant forces and torques, viscous friction. What follows
 * formulas of its own, bushings and dry friction are not written. */
#include "mechanism/forces/force.h"
#include "symbolic/writer.h"

/* A force F at an arm from the reference point. */
static void push(ki_writer *w, int body, vec arm, vec F) {
    w->force[body] = vec_plus(w->g, w->force[body], F);
    w->torque[body] = vec_plus(w->g, w->torque[body], cross(w->g, arm, F));
}

static void twist(ki_writer *w, int body, vec T) {
    w->torque[body] = vec_plus(w->g, w->torque[body], T);
}

/* power += f x' */
static void count_power(ki_writer *w, ki_node f, ki_node rate) {
    w->power = plus(w->g, w->power, times(w->g, f, rate));
}

/* -(k (x - x_0) + c x'), with potential and power; c x' alone has power */
static ki_node resist(ki_writer *w, const ki_force *force, ki_node x, ki_node rate) {
    ki_graph *g = w->g;
    ki_node off = minus(g, x, number(g, force->free)), k = number(g, force->stiffness);
    ki_node damped = times(g, number(g, -force->damping), rate);
    w->potential = plus(g, w->potential, times(g, times(g, number(g, 0.5), k), times(g, off, off)));
    count_power(w, damped, rate);
    return minus(g, damped, times(g, k, off));
}

static bool write_spring(ki_writer *w, const ki_force *force) {
    if (force->law.tape)
        return false;
    ki_line line = ki_line_length(w, force->body, force->r[0], force->r[1]);
    ki_node f = resist(w, force, line.value, line.rate);
    for (int side = 0; side < 2; side++) {
        vec arm = vec_minus(w->g, line.P[side], w->body[force->body[side]].r);
        push(w, force->body[side], arm, vec_times(w->g, f, line.e[side]));
    }
    return true;
}

/* The number of the velocity that is the rate of a coordinate; -1 if there is none. */
static int velocity_of(const ki_writer *w, const ki_measure *measure) {
    const ki_joint *joint = &w->mech->joint[measure->object];
    const ki_joint_role *role = ki_role(joint, w->mech->d);
    bool same = joint->tree && !role->kinematics && role->coordinates == role->n_v;
    return same ? joint->v + measure->component : -1;
}

static bool write_torsion(ki_writer *w, const ki_force *force) {
    int i = velocity_of(w, &force->measure);
    if (force->law.tape || i < 0)
        return false;
    const ki_joint *joint = &w->mech->joint[force->measure.object];
    ki_node x = ki_symbol(w->g, w->q + joint->q + force->measure.component);
    ki_node f = resist(w, force, x, ki_symbol(w->g, w->v + i));
    w->Q[i] = plus(w->g, w->Q[i], f);
    return true;
}

/* A constant vector of the law, in world axes. */
static vec constant_of(const ki_writer *w, const ki_force *force) {
    const double *x = force->law.constant;
    bool plane = w->mech->d == KI_PLANAR, turns = force->kind == KEEL_FORCE_TWIST;
    const double local[3] = {plane && turns ? 0 : x[0], plane && turns ? 0 : x[1],
                             plane && !turns ? 0 : x[2]};
    vec F = vec_of(w->g, local);
    return force->in_body_axes ? mat_vec(w->g, &w->body[force->body[1]].R, F) : F;
}

static bool write_push(ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    if (!force->law.constant)
        return false;
    vec F = constant_of(w, force);
    ki_spot spot = ki_spot_of(w, force->body[1], force->r[1]);
    const ki_moving *other = &w->body[force->body[0]];
    vec arm = vec_minus(g, spot.at, other->r);
    push(w, force->body[1], spot.arm, F);
    push(w, force->body[0], arm, vec_negative(g, F));
    vec beside = vec_plus(g, other->v, cross(g, other->omega, arm));
    count_power(w, number(g, 1), dot(g, F, vec_minus(g, spot.v, beside)));
    return true;
}

static bool write_twist(ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    if (!force->law.constant)
        return false;
    if (force->on_joint) {
        int i = velocity_of(w, &force->measure);
        if (i < 0)
            return false;
        w->Q[i] = plus(g, w->Q[i], number(g, force->law.constant[0]));
        count_power(w, number(g, force->law.constant[0]), ki_symbol(g, w->v + i));
        return true;
    }
    vec T = constant_of(w, force);
    twist(w, force->body[1], T);
    twist(w, force->body[0], vec_negative(g, T));
    vec spin = vec_minus(g, w->body[force->body[1]].omega, w->body[force->body[0]].omega);
    count_power(w, number(g, 1), dot(g, T, spin));
    return true;
}

static bool write_force(ki_writer *w, const ki_force *force) {
    switch (force->kind) {
    case KEEL_FORCE_SPRING:
        return write_spring(w, force);
    case KEEL_FORCE_TORSION:
        return write_torsion(w, force);
    case KEEL_FORCE_PUSH:
        return write_push(w, force);
    case KEEL_FORCE_TWIST:
        return write_twist(w, force);
    default:
        return false;
    }
}

/* -k c' along every coordinate */
static bool write_friction(ki_writer *w, int j) {
    const ki_joint *joint = &w->mech->joint[j];
    const ki_joint_role *role = ki_role(joint, w->mech->d);
    if (joint->coulomb != 0)
        return false;
    for (int k = 0; k < role->coordinates; k++) {
        int i = velocity_of(w, &(ki_measure){KI_MEASURE_JOINT, j, k, 0, {0, 0}});
        if (i < 0)
            return false;
        ki_node rate = ki_symbol(w->g, w->v + i), f = times(w->g, number(w->g, -joint->viscous), rate);
        w->Q[i] = plus(w->g, w->Q[i], f);
        count_power(w, f, rate);
    }
    return true;
}

bool ki_symbolic_forces(ki_writer *w) {
    bool written = true;
    for (int b = 0; b < w->mech->body_count; b++)
        w->force[b] = w->torque[b] = vec_zero(w->g);
    for (int i = 0; i < w->mech->system.n_v; i++)
        w->Q[i] = number(w->g, 0);
    w->potential = w->power = number(w->g, 0);
    for (int i = 0; i < w->mech->force_count && written; i++)
        written = write_force(w, &w->mech->force[i]);
    for (int i = 0; i < w->mech->layout->rubbing_count && written; i++)
        written = write_friction(w, w->mech->layout->rubbing[i]);
    return written;
}
