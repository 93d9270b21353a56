/* A mechanism as a keel_system: which recursions a question needs, and in which order. */
#include "mechanism/mech_system.h"

#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/reaction.h"
#include "mechanism/states.h"
#include "mechanism/tangent.h"

/* Q = applied forces - what the bodies need to keep their bias accelerations */
static void generalized_forces(const ki_mech *mech, ki_mech_work *w, const keel_point *at, double *Q) {
    if (mech->dry.count > 0) {
        ki_dry_forces(mech, w, at->t, at->lambda, Q);
        return;
    }
    ki_body_wrenches(mech, w, false);
    ki_apply_forces(mech, w, at->t, at->lambda);
    if (Q)
        ki_gather(mech, w, Q);
}

/* Phi: sums over parts */
static void positions(const ki_mech *mech, const ki_mech_work *w, double *Phi) {
    const ki_layout *l = mech->layout;
    memset(Phi, 0, (size_t)l->n_h * sizeof *Phi);
    for (int p = 0; p < l->part_count; p++)
        if (l->part[p].row < l->n_h)
            Phi[l->part[p].row] += w->rows[p].value;
}

void ki_row_rates(const ki_mech *mech, const ki_mech_work *w, double *rate) {
    const ki_layout *l = mech->layout;
    for (int i = 0; i < l->n_h + l->n_n; i++)
        rate[i] = -w->tau[i];
    for (int p = 0; p < l->part_count; p++)
        rate[l->part[p].row] += ki_row_rate(mech, w, l->part[p].body, &w->rows[p]);
}

static void right_hand_sides(const ki_mech *mech, const ki_mech_work *w, double *xi) {
    const ki_layout *l = mech->layout;
    memcpy(xi, w->tau_rate, (size_t)(l->n_h + l->n_n) * sizeof *xi);
    for (int p = 0; p < l->part_count; p++)
        xi[l->part[p].row] -= ki_row_bias(mech, w, l->part[p].body, &w->rows[p]) + w->rows[p].gamma;
}

/* What formulas do not answer: both derivatives are written, or none. */
static unsigned unwritten(const keel_system *formulas) {
    return formulas->tangent.rows ? 0u : (unsigned)(KEEL_TANGENT | KEEL_VELOCITY_Q);
}

static void remember(const ki_mech *mech, ki_mech_work *w, const keel_point *at) {
    memcpy(w->asked, at->q, (size_t)mech->system.n_q * sizeof(double));
    if (at->v)
        memcpy(w->asked + mech->system.n_q, at->v, (size_t)mech->system.n_v * sizeof(double));
}

keel_status ki_mech_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                             keel_terms *terms) {
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = work;
    if (w->formulas && !(what & unwritten(w->formulas))) {
        if (mech->laws)
            remember(mech, w, at);
        return w->formulas->evaluate(w->formulas, w->formulas_work, what, at, terms);
    }
    const unsigned moving = KEEL_FORCE | KEEL_XI | KEEL_VELOCITY | KEEL_ENERGY | KEEL_POWER |
                            KEEL_FORCE_LAMBDA | KEEL_STATES | KEEL_TANGENT | KEEL_VELOCITY_Q;
    const unsigned rows = KEEL_JACOBIAN | KEEL_XI | KEEL_POSITION | KEEL_VELOCITY;
    ki_load_states(mech, w, at);
    ki_place(mech, w, at->q);
    if (what & moving)
        ki_move_bodies(mech, w, at->v);
    if (what & rows)
        ki_constraint_rows(mech, w, at->t, what & moving ? KI_AT_VELOCITY : KI_AT_POSITION);
    if (what & KEEL_MASS)
        ki_mass_matrix(mech, w, terms->M);
    if (what & KEEL_JACOBIAN)
        ki_jacobian(mech, w, terms->J);
    if (what & KEEL_POSITION)
        positions(mech, w, terms->Phi);
    if (what & KEEL_VELOCITY)
        ki_row_rates(mech, w, terms->rate);
    if (what & KEEL_XI)
        right_hand_sides(mech, w, terms->xi);
    if (what & (KEEL_FORCE | KEEL_POWER | KEEL_ENERGY))
        generalized_forces(mech, w, at, what & KEEL_FORCE ? terms->Q : NULL);
    if ((what & KEEL_FORCE_LAMBDA) && mech->dry.count > 0)
        ki_friction_lambda(mech, w, at->t, at->lambda, terms->Q_lambda);
    if (what & KEEL_ENERGY) {
        w->potential += ki_gravity_potential(mech, w);
        terms->energy = ki_kinetic(mech, w) + w->potential;
    }
    if (what & KEEL_POWER)
        terms->power = w->power;
    if (what & KEEL_STATES)
        ki_state_rates(mech, w, at->t, terms->f);
    if (what & (KEEL_TANGENT | KEEL_VELOCITY_Q))
        ki_mech_tangent(mech, w, what, at, terms);
    return KEEL_OK;
}

void ki_mech_kinematics(const keel_system *system, const double *q, const double *v, double *q_rate) {
    const ki_mech *mech = ki_mech_of(system);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint *hinge = &mech->body[b].hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        if (role->kinematics)
            role->kinematics(q + hinge->q, v + hinge->v, q_rate + hinge->q);
        else
            memcpy(q_rate + hinge->q, v + hinge->v, (size_t)role->n_v * sizeof *v);
    }
}

void ki_mech_advance(const keel_system *system, double *q, const double *dv) {
    const ki_mech *mech = ki_mech_of(system);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint *hinge = &mech->body[b].hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        if (role->advance)
            role->advance(q + hinge->q, dv + hinge->v);
        else
            for (int k = 0; k < role->n_v; k++)
                q[hinge->q + k] += dv[hinge->v + k];
    }
}

void ki_mech_pull(const keel_system *system, const double *q, const double *dq, double *dv) {
    const ki_mech *mech = ki_mech_of(system);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint *hinge = &mech->body[b].hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        if (role->pull)
            role->pull(q + hinge->q, dq + hinge->q, dv + hinge->v);
        else
            memcpy(dv + hinge->v, dq + hinge->q, (size_t)role->n_v * sizeof *dv);
    }
}

static const keel_saddle_code *kernel(const keel_system *system, void *work) {
    const keel_system *formulas = ki_mech_of(system)->formulas;
    return formulas->kernel(formulas, ((ki_mech_work *)work)->formulas_work);
}

void ki_mech_use_formulas(ki_mech *mech, const keel_system *formulas) {
    mech->formulas = formulas;
    mech->system.kernel = kernel;
    if (formulas->tangent.rows) {
        mech->system.tangent = formulas->tangent;
        mech->system.rate_q = formulas->rate_q;
    }
}

void ki_mech_connect(ki_mech *mech) {
    keel_system *s = &mech->system;
    bool quaternions = false;
    for (int b = 1; b < mech->body_count; b++)
        quaternions |= ki_role(&mech->body[b].hinge, mech->d)->kinematics != NULL;
    s->model = mech;
    s->work_new = ki_mech_work_new;
    s->work_free = ki_mech_work_free;
    s->evaluate = ki_mech_evaluate;
    s->outputs = s->n_outputs ? ki_mech_outputs : NULL;
    s->explain = ki_mech_explain;
    s->law = ki_mech_law;
    s->n_rigid = mech->d;
    s->rigid = ki_mech_rigid;
    s->has_energy = 1;
    s->has_drivers = mech->motion_count > 0 || mech->start_count > 0;
    if (quaternions) {
        s->kinematics = ki_mech_kinematics;
        s->advance = ki_mech_advance;
        s->pull = ki_mech_pull;
    }
}
