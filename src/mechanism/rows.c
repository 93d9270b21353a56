/* Constraint rows: evaluated part by part, and projected onto the velocities of the tree. */
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/reaction.h"
#include "mechanism/work.h"

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
    for (int j = 0; j < mech->joint_count; j++) {
        const ki_joint *joint = &mech->joint[j];
        const ki_joint_role *role = ki_role(joint, mech->d);
        ki_row *rows = w->rows + mech->layout->joint_part[j];
        if (joint->type->couples)
            coupling_rows(mech, w, joint, level, rows);
        else if (!joint->tree && role->rows)
            role->rows(joint, &w->state[joint->body[0]], &w->state[joint->body[1]], level, rows);
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

static double apply(int d, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
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

/* Adds the entries of a covector on the twist of body b, moved from body to body up to `top`. */
static const int *walk_covector(const ki_mech *mech, const ki_mech_work *w, int b, int top, const double *row,
                                const int *slot, double *J) {
    int d = mech->d;
    double f[6];
    memcpy(f, row, (size_t)d * sizeof *f);
    for (; b != top; b = mech->body[b].parent) {
        const ki_body *body = &mech->body[b];
        for (int j = body->v; j < body->v + body->n_v; j++)
            J[*slot++] += apply(d, f, w->S[j]);
        if (body->parent == top)
            continue;
        const double *r = w->state[b].r, *p = w->state[body->parent].r;
        if (d == KI_PLANAR) {
            f[0] += (r[0] - p[0]) * f[2] - (r[1] - p[1]) * f[1];
        } else {
            double x[3];
            ki_minus(r, p, x);
            ki_add_cross(x, f + 3, f);
        }
    }
    return slot;
}

void ki_jacobian(const ki_mech *mech, ki_mech_work *w, double *J) {
    const ki_layout *l = mech->layout;
    memset(J, 0, (size_t)keel_pattern_count(mech->system.J) * sizeof *J);
    for (int p = 0; p < l->part_count; p++) {
        const ki_part *part = &l->part[p];
        const int *slot = l->J_slot + part->slot;
        slot = walk_covector(mech, w, part->body[1], part->top, w->rows[p].w[1], slot, J);
        walk_covector(mech, w, part->body[0], part->top, w->rows[p].w[0], slot, J);
    }
}
