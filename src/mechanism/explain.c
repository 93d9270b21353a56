/* explain.c - from rows and numbers back to the parts of a mechanism: for messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/reaction.h"

/* Steps that shrink towards a pole of a law end a relative 1e-13 or so before it. A logarithm has the
 * acceleration 1e26 there, a root 1e19; no machine has. */
static const double UNBOUNDED = 1e15;

/* The first motion whose law, speed or acceleration is not finite or grows without bound, or -1. */
static int unsound_motion(const ki_mech *mech, ki_mech_work *w, double t) {
    for (int i = 0; i < mech->motion_count; i++) {
        double law[3];
        ki_motion_law(mech, w, i, t, law);
        if (!isfinite(law[0]) || !isfinite(law[1]) || !(fabs(law[2]) <= UNBOUNDED * fmax(1, fabs(law[0]))))
            return i;
    }
    return -1;
}

/* Where a body is not known forces cannot be blamed. */
static bool bodies_are_sound(const ki_mech *mech, const ki_mech_work *w) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_state *s = &w->state[b];
        for (int i = 0; i < 3; i++)
            if (!isfinite(s->r[i]) || !isfinite(s->twist[i]) || !isfinite(s->R[4 * i]))
                return false;
    }
    return true;
}

int ki_mech_explain(const keel_system *system, void *work, double t, char *text, int size,
                    keel_location *where) {
    const ki_mech *mech = ki_mech_of(system);
    const ki_mech_work *w = work;
    if (mech->formulas && mech->laws) { /* which do not say what became of bodies */
        ki_place(mech, work, w->asked);
        ki_move_bodies(mech, work, w->asked + system->n_q);
    }
    int motion = unsound_motion(mech, work, t);
    int force = motion < 0 && bodies_are_sound(mech, w) ? ki_unsound_force(mech, work, t) : -1;
    if (motion >= 0) {
        snprintf(text, (size_t)size, "motion '%s'", mech->motion[motion].name);
        *where = mech->motion[motion].where;
    } else if (force >= 0) {
        snprintf(text, (size_t)size, "force '%s'", mech->force[force].name);
        *where = mech->force[force].where;
    }
    return motion >= 0 || force >= 0;
}

double ki_mech_law(const keel_system *system, void *work, double t, int row) {
    const ki_mech *mech = ki_mech_of(system);
    const ki_layout *l = mech->layout;
    int p = l->row_part[row];
    double law[3] = {NAN};
    if (p >= l->motion_part && p < l->start_part)
        ki_motion_law(mech, work, l->part[p].owner, t, law);
    return law[0];
}

keel_row_source keel_mechanism_row_source(const keel_system *system, int row) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || row < 0 || row >= keel_system_m(system))
        return (keel_row_source){0};
    const ki_layout *l = mech->layout;
    int p = l->row_part[row], i = l->part[p].owner;
    if (p >= l->start_part)
        return (keel_row_source){KEEL_ROW_START, i, mech->start[i].name, mech->start[i].where};
    if (p >= l->motion_part)
        return (keel_row_source){KEEL_ROW_MOTION, i, mech->motion[i].name, mech->motion[i].where};
    const ki_joint *joint = &mech->joint[i];
    return (keel_row_source){KEEL_ROW_JOINT, joint->described, joint->name, joint->where};
}

/* Adds scale times the covectors of a row between two bodies (tree numbers). */
static void add_covectors(const ki_mech *mech, const int body[2], const ki_row *row, double scale,
                          double *out) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; body[k] > 0 && i < mech->d; i++)
            out[mech->d * mech->body[body[k]].described + i] += scale * row->w[k][i];
}

void keel_mechanism_joint_covectors(const keel_system *system, void *work, const keel_point *at, int joint,
                                    double *rows) {
    const ki_joint *j = ki_mech_joint(system, joint);
    if (!j || !work || !at || !rows)
        return;
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = work;
    ki_row row[KI_JOINT_ROWS];
    int count = keel_mechanism_joint_conditions(system, joint), columns = mech->d * mech->body_count;
    memset(rows, 0, (size_t)count * (size_t)columns * sizeof *rows);
    ki_place(mech, w, at->q);
    if (j->type->couples) {
        for (int k = 0; k < 2; k++) {
            const int *body = mech->joint[j->other[k]].body;
            ki_measure c = {KI_MEASURE_JOINT, j->other[k], 0, 0, {body[0], body[1]}};
            ki_measure_row(mech, w, &c, KI_AT_POSITION, row);
            add_covectors(mech, body, row, k == 0 ? j->ratio : -1, rows);
        }
    } else if (ki_role(j, mech->d)->rows) {
        ki_role(j, mech->d)->rows(j, &w->state[j->body[0]], &w->state[j->body[1]], KI_AT_POSITION, row);
        for (int i = 0; i < count; i++)
            add_covectors(mech, j->body, &row[i], 1, rows + i * columns);
    }
}
