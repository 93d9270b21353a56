/* forces.c - force elements: springs and dampers, forces and torques, viscous friction, with laws of t and of
 * measures that are written, bushings. Dry friction is not. */
#include "laws/force.h"
#include "mechanism/forces/force.h"
#include "symbolic/writer.h"

/* What an element does to bodies. */
static void add_load(ki_writer *w, const int body[2], const ki_law_load *load) {
    ki_graph *g = w->g;
    for (int side = 0; side < 2; side++) {
        vec *force = &w->force[body[side]], *torque = &w->torque[body[side]];
        *force = vec_plus(g, *force, load->force[side]);
        *torque = vec_plus(g, *torque, cross(g, load->arm[side], load->force[side]));
        *torque = vec_plus(g, *torque, load->torque[side]);
    }
    w->potential = plus(g, w->potential, load->potential);
    w->power = plus(g, w->power, load->power);
}

/* A force f along a line. */
static void pull(ki_writer *w, const int body[2], const ki_line *line, ki_node f) {
    if (line->velocity >= 0)
        w->Q[line->velocity] = plus(w->g, w->Q[line->velocity], f);
    ki_law_load load = {.power = number(w->g, 0), .potential = number(w->g, 0)};
    for (int side = 0; side < 2; side++) {
        load.arm[side] = vec_minus(w->g, line->P[side], w->body[body[side]].r);
        load.force[side] = vec_times(w->g, f, line->e[side]);
        load.torque[side] = vec_times(w->g, f, line->T[side]);
    }
    if (line->velocity < 0)
        add_load(w, body, &load);
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

static ki_force_inputs inputs_of(const ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    ki_force_inputs in = {.g = g,
                          .plane = w->mech->d == KI_PLANAR,
                          .f = vec_zero(g),
                          .stiffness = number(g, force->stiffness),
                          .damping = number(g, force->damping),
                          .free = number(g, force->free)};
    for (int side = 0; side < 2; side++) {
        in.body[side] = ki_law_body_of(w, force->body[side]);
        in.r[side] = vec_of(g, force->r[side]);
    }
    for (int i = 0; i < 36 && force->K; i++) {
        in.K[i] = number(g, force->K[i]);
        in.C[i] = number(g, force->C[i]);
    }
    return in;
}

/* A spring or torsion spring; a formula instead is all power. */
static bool write_resistance(ki_writer *w, const ki_force *force) {
    ki_graph *g = w->g;
    ki_line line;
    ki_law_load load;
    if (!ki_line_of(w, &force->measure, &line))
        return false;
    ki_force_inputs in = inputs_of(w, force);
    in.f = (vec){{line.value, line.rate, number(g, 0)}};
    ki_force_law_load(&ki_law_resistance, &in, &load);
    if (force->law.tape) {
        law x = {w, &force->law, {line.value, line.rate}, 2};
        ki_node p;
        if (!write_law(&x, &p))
            return false;
        load.along = minus(g, number(g, 0), p);
        load.potential = number(g, 0);
        load.power = times(g, load.along, line.rate);
    }
    w->potential = plus(g, w->potential, load.potential);
    w->power = plus(g, w->power, load.power);
    pull(w, force->measure.body, &line, load.along);
    return true;
}

static bool write_on_bodies(ki_writer *w, const ki_force *force, const ki_force_law *of) {
    ki_force_inputs in = inputs_of(w, force);
    law x = {.w = w, .formula = &force->law};
    ki_law_load load;
    if (force->law.tape && !write_law(&x, in.f.x))
        return false;
    ki_force_law_load(of, &in, &load);
    add_load(w, force->body, &load);
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

static bool write_force(ki_writer *w, const ki_force *force) {
    bool own = force->in_body_axes;
    switch (force->kind) {
    case KEEL_FORCE_SPRING:
    case KEEL_FORCE_TORSION:
        return write_resistance(w, force);
    case KEEL_FORCE_PUSH:
        return write_on_bodies(w, force, own ? &ki_law_push_in_body : &ki_law_push);
    case KEEL_FORCE_TWIST:
        if (force->on_joint)
            return write_twist_on_joint(w, force);
        return write_on_bodies(w, force, own ? &ki_law_twist_in_body : &ki_law_twist);
    default:
        return write_on_bodies(w, force, &ki_law_bushing);
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
