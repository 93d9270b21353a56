/* Constraint rows: evaluated part by part, and projected onto the velocities of the tree. */
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/reaction.h"
#include "mechanism/recursion.h"

static void scale_row(double s, int d, ki_row *row) {
    row->value *= s;
    row->gamma *= s;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < d; i++)
            row->w[k][i] *= s;
}

/* ratio c_0 - c_1 = as drawn, from the coordinates of the joints it couples */
static void coupling_rows(const ki_mech *mech, ki_mech_work *w, const ki_joint *joint, ki_level level,
                          ki_row *rows) {
    for (int k = 0; k < 2; k++) {
        const ki_joint *other = &mech->joint[joint->other[k]];
        ki_measure c = {KI_MEASURE_JOINT, joint->other[k], 0, 0, {other->body[0], other->body[1]}};
        ki_measure_row(mech, w, &c, level, &rows[k]);
        scale_row(k == 0 ? joint->ratio : -1, mech->d, &rows[k]);
    }
    rows[0].value -= joint->length; /* as drawn: compile.c */
}

static void joint_rows(const ki_mech *mech, ki_mech_work *w, ki_level level) {
    const ki_layout *l = mech->layout;
    for (int i = 0; i < l->cut_count; i++) {
        const ki_joint *joint = &mech->joint[l->cut[i]];
        ki_row *rows = w->rows + l->joint_part[l->cut[i]];
        if (joint->type->couples)
            coupling_rows(mech, w, joint, level, rows);
        else
            ki_role(joint, mech->d)
                ->rows(joint, &w->state[joint->body[0]], &w->state[joint->body[1]], level, rows);
    }
}

/* The angle of a cut joint in space is known up to turns: the difference nearest to zero. */
static double off_target(const ki_mech *mech, const ki_measure *measure, double value, double target) {
    double off = value - target;
    bool counts_turns =
        mech->d == KI_PLANAR || !ki_is_turn(mech, measure) || mech->joint[measure->object].tree;
    return counts_turns ? off : remainder(off, 2 * 3.14159265358979323846);
}

static void motion_rows(const ki_mech *mech, ki_mech_work *w, double t, ki_level level) {
    for (int i = 0; i < mech->motion_count; i++) {
        const ki_part *part = &mech->layout->part[mech->layout->motion_part + i];
        ki_row *row = &w->rows[mech->layout->motion_part + i];
        double law[3];
        ki_measure_row(mech, w, &mech->motion[i].measure, level, row);
        ki_motion_law(mech, w, i, t, law);
        row->value = off_target(mech, &mech->motion[i].measure, row->value, law[0]);
        w->tau[part->row] = law[1];
        w->tau_rate[part->row] = law[2];
    }
}

static void start_rows(const ki_mech *mech, ki_mech_work *w, ki_level level) {
    for (int i = 0; i < mech->start_count; i++) {
        const ki_start_row *start = &mech->start[i];
        const ki_part *part = &mech->layout->part[mech->layout->start_part + i];
        ki_row *row = &w->rows[mech->layout->start_part + i];
        ki_measure_row(mech, w, &start->measure, level, row);
        if (part->row < mech->layout->n_h)
            row->value = off_target(mech, &start->measure, row->value, start->value);
        else
            w->tau[part->row] = start->value;
    }
}

void ki_constraint_rows(const ki_mech *mech, ki_mech_work *w, double t, ki_level level) {
    joint_rows(mech, w, level);
    motion_rows(mech, w, t, level);
    start_rows(mech, w, level);
}

/* w . x of a twist or its rate */
static double apply(int d, const double *w, const double *x) {
    return d == KI_PLANAR ? ki_dot3(w, x) : ki_dot6(w, x);
}

double ki_row_rate(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row) {
    return (body[0] ? apply(mech->d, row->w[0], w->state[body[0]].twist) : 0) +
           (body[1] ? apply(mech->d, row->w[1], w->state[body[1]].twist) : 0);
}

double ki_row_bias(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row) {
    return (body[0] ? apply(mech->d, row->w[0], w->state[body[0]].bias) : 0) +
           (body[1] ? apply(mech->d, row->w[1], w->state[body[1]].bias) : 0);
}

double ki_row_acceleration(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row) {
    return (body[0] ? apply(mech->d, row->w[0], w->state[body[0]].twist_rate) : 0) +
           (body[1] ? apply(mech->d, row->w[1], w->state[body[1]].twist_rate) : 0);
}

/* ---- J ----------------------------------------------------------------------------------------------- */

/* The entries of a covector f on the twist of body b, from body to body up to `top`: f . S of the columns of
 * each, then f is moved to the parent, where a torque x x force joins. Columns of bodies with coordinates of
 * their own are unit vectors where they slide. Returns the next slot. */

static const int *walk_planar(const ki_mech *mech, const ki_mech_work *w, int b, int top, const double *row,
                              const int *slot, double *J) {
    double f[3] = {row[0], row[1], row[2]};
    while (b != top) {
        const ki_body *body = &mech->body[b];
        if (body->kind == KI_HINGE_OWN) {
            J[slot[0]] += f[1];
            J[slot[1]] += f[2];
            J[slot[2]] += f[0];
            return slot + 3;
        }
        for (int j = body->v; j < body->v + body->n_v; j++)
            J[*slot++] += ki_dot3(f, w->S[j]);
        const double *r = w->state[b].r, *p = w->state[body->parent].r;
        f[0] += (r[0] - p[0]) * f[2] - (r[1] - p[1]) * f[1];
        b = body->parent;
    }
    return slot;
}

static const int *walk_spatial(const ki_mech *mech, const ki_mech_work *w, int b, int top, const double *row,
                               const int *slot, double *J) {
    double f[6], x[3];
    memcpy(f, row, sizeof f);
    while (b != top) {
        const ki_body *body = &mech->body[b];
        if (body->kind == KI_HINGE_OWN) {
            for (int i = 0; i < 3; i++) {
                J[slot[i]] += f[3 + i];
                J[slot[3 + i]] += ki_dot3(f, w->S[body->v + 3 + i]);
            }
            return slot + 6;
        }
        for (int j = body->v; j < body->v + body->n_v; j++)
            J[*slot++] += ki_dot6(f, w->S[j]);
        ki_minus(w->state[b].r, w->state[body->parent].r, x);
        ki_add_cross(x, f + 3, f);
        b = body->parent;
    }
    return slot;
}

void ki_jacobian(const ki_mech *mech, ki_mech_work *w, double *J) {
    const ki_layout *l = mech->layout;
    memset(J, 0, (size_t)keel_pattern_count(mech->system.J) * sizeof *J);
    for (int p = 0; p < l->part_count; p++) {
        const ki_part *part = &l->part[p];
        const ki_row *row = &w->rows[p];
        const int *slot = l->J_slot + part->slot;
        if (mech->d == KI_PLANAR) {
            slot = walk_planar(mech, w, part->body[1], part->top, row->w[1], slot, J);
            walk_planar(mech, w, part->body[0], part->top, row->w[0], slot, J);
        } else {
            slot = walk_spatial(mech, w, part->body[1], part->top, row->w[1], slot, J);
            walk_spatial(mech, w, part->body[0], part->top, row->w[0], slot, J);
        }
    }
}
