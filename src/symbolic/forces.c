/* forces.c - force elements: springs and dampers, forces and torques, viscous friction, with laws of t and of
 * measures that are written. Bushings and dry friction are not. */
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

/* A force f along a line. */
static void pull(ki_writer *w, const int body[2], const ki_line *line, ki_node f) {
    if (line->velocity >= 0)
        w->Q[line->velocity] = plus(w->g, w->Q[line->velocity], f);
    for (int side = 0; side < 2 && line->velocity < 0; side++) {
        vec arm = vec_minus(w->g, line->P[side], w->body[body[side]].r);
        push(w, body[side], arm, vec_times(w->g, f, line->e[side]));
        twist(w, body[side], vec_times(w->g, f, line->T[side]));
    }
}

/* power += f x' */
static void count_power(ki_writer *w, ki_node f, ki_node rate) {
    w->power = plus(w->g, w->power, times(w->g, f, rate));
}

/* ---- laws ---------------------------------------------------------------------------------------------- */

/* What the inputs of a law are: t, then x and its rate where there are, then measures. */
typedef struct law {
    ki_writer *w;
    const ki_formula *formula;
    ki_node extra[2];
    int extra_count;
} law;

static ki_node measured(ki_writer *w, const ki_measure *measure) {
    ki_line line;
    if (measure->kind == KI_MEASURE_ROTATION)
        return w->body[measure->object].R.x[measure->component];
    if (measure->kind == KI_MEASURE_SPIN && measure->primes == 0)
        return w->body[measure->body[1]].omega.x[w->mech->d == KI_PLANAR ? 2 : measure->component];
    if (measure->primes > 1 || !ki_line_of(w, measure, &line))
        return KI_NONE;
    return measure->primes ? line.rate : line.value;
}

static ki_node input_of(void *user, int id) {
    const law *x = user;
    if (id == 0)
        return ki_symbol(x->w->g, x->w->t);
    if (id <= x->extra_count)
        return x->extra[id - 1];
    return measured(x->w, &x->formula->input[id - 1 - x->extra_count]);
}

/* The values of a law; false: it asks for what is not written. */
static bool write_law(law *x, ki_node *values) {
    for (int i = 0; i < x->formula->outputs; i++) {
        values[i] = ki_copy_node(x->w->mech->laws, x->formula->node[i], input_of, x, x->w->g);
        if (values[i] == KI_NONE)
            return false;
    }
    return true;
}

/* ---- elements ------------------------------------------------------------------------------------------ */

/* A spring or torsion spring: -p along its line, p = k (x - x_0) + c x' with a potential, of which c x' alone
 * has power; or a law of x, x' and the rest, all of it power. */
static bool write_resistance(ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    ki_line line;
    ki_node f;
    if (!ki_line_of(w, &force->measure, &line))
        return false;
    if (force->law.tape) {
        law x = {w, &force->law, {line.value, line.rate}, 2};
        if (!write_law(&x, &f))
            return false;
        f = minus(g, number(g, 0), f);
        count_power(w, f, line.rate);
    } else {
        ki_node off = minus(g, line.value, number(g, force->free)), k = number(g, force->stiffness);
        ki_node damped = times(g, number(g, -force->damping), line.rate);
        ki_node stored = times(g, times(g, number(g, 0.5), k), times(g, off, off));
        w->potential = plus(g, w->potential, stored);
        count_power(w, damped, line.rate);
        f = minus(g, damped, times(g, k, off));
    }
    pull(w, force->measure.body, &line, f);
    return true;
}

/* The components of a force or torque in world axes; in the plane only those of the plane. */
static bool write_vector(ki_writer *w, const ki_force *force, vec *out) {
    law x = {.w = w, .formula = &force->law};
    ki_node zero = number(w->g, 0);
    bool plane = w->mech->d == KI_PLANAR, turns = force->kind == KEEL_FORCE_TWIST;
    if (!write_law(&x, out->x))
        return false;
    if (plane && turns)
        out->x[0] = out->x[1] = zero;
    else if (plane)
        out->x[2] = zero;
    if (force->in_body_axes)
        *out = mat_vec(w->g, &w->body[force->body[1]].R, *out);
    return true;
}

static bool write_push(ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    vec F;
    if (!write_vector(w, force, &F))
        return false;
    ki_law_body body = ki_law_body_of(w, force->body[1]);
    ki_law_point spot = ki_law_point_of(g, &body, vec_of(g, force->r[1]));
    const ki_moving *other = &w->body[force->body[0]];
    vec arm = vec_minus(g, spot.x.x, other->r);
    push(w, force->body[1], spot.arm, F);
    push(w, force->body[0], arm, vec_negative(g, F));
    vec beside = vec_plus(g, other->v, cross(g, other->omega, arm));
    count_power(w, number(g, 1), dot(g, F, vec_minus(g, spot.x.rate, beside)));
    return true;
}

static bool write_twist_on_joint(ki_writer *w, const ki_force *force) {
    law x = {.w = w, .formula = &force->law};
    ki_line line;
    ki_node T;
    if (!ki_line_of(w, &force->measure, &line) || !write_law(&x, &T))
        return false;
    pull(w, force->measure.body, &line, T);
    count_power(w, T, line.rate);
    return true;
}

static bool write_twist(ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    vec T;
    if (force->on_joint)
        return write_twist_on_joint(w, force);
    if (!write_vector(w, force, &T))
        return false;
    twist(w, force->body[1], T);
    twist(w, force->body[0], vec_negative(g, T));
    vec spin = vec_minus(g, w->body[force->body[1]].omega, w->body[force->body[0]].omega);
    count_power(w, number(g, 1), dot(g, T, spin));
    return true;
}

static bool write_force(ki_writer *w, const ki_force *force) {
    switch (force->kind) {
    case KEEL_FORCE_SPRING:
    case KEEL_FORCE_TORSION:
        return write_resistance(w, force);
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
    if (joint->coulomb != 0 || role->coordinates > role->n_v)
        return false;
    for (int k = 0; k < role->coordinates; k++) {
        ki_line line;
        if (!ki_line_of_joint(w, j, k, &line))
            return false;
        ki_node f = times(w->g, number(w->g, -joint->viscous), line.rate);
        pull(w, joint->body, &line, f);
        count_power(w, f, line.rate);
    }
    return true;
}

bool ki_symbolic_forces(ki_writer *w) {
    bool written = true;
    for (int b = 0; b < w->mech->body_count; b++)
        w->force[b] = w->torque[b] = vec_zero(w->g);
    for (int i = 0; i < w->mech->system.n_v; i++)
        w->Q[i] = number(w->g, 0);
    w->potential = number(w->g, 0);
    w->power = number(w->g, 0);
    for (int i = 0; i < w->mech->force_count && written; i++)
        written = write_force(w, &w->mech->force[i]);
    for (int i = 0; i < w->mech->layout->rubbing_count && written; i++)
        written = write_friction(w, w->mech->layout->rubbing[i]);
    return written;
}
