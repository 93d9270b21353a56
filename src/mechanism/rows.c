/* Constraint rows: evaluated part by part, and projected onto the velocities of the tree. */
#include <string.h>

#include "base/hints.h"
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
        if (start->target) {
            ki_turn_row(&w->state[0], &w->state[start->measure.body[1]], start->target,
                        start->measure.component, row);
            continue;
        }
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

double ki_row_acceleration(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row) {
    return (body[0] ? apply(mech->d, row->w[0], w->state[body[0]].twist_rate) : 0) +
           (body[1] ? apply(mech->d, row->w[1], w->state[body[1]].twist_rate) : 0);
}

/* ---- J ----------------------------------------------------------------------------------------------- */

/* An entry is w . T with T the twist of the row's body b that a unit of velocity j makes: the column S_j of
 * its body c, moved from r_c to r_b. Rows along the axes of the world are the velocity of the joint's place P
 * on b, with a minus on body 0; P - r_b is found in their covectors. Columns of bodies with coordinates of
 * their own are unit vectors where they slide, and stay what they are when moved. The walk is that of
 * layout.h. */

/* The entries of the columns that slide, of a body with coordinates of its own. Returns the next slot. */
static const int *sliding_columns(const ki_group *g, int d, const ki_row *rows, int side, const int *slot,
                                  double *J) {
    int slides = d == KI_PLANAR ? 2 : 3;
    for (int j = 0; j < slides; j++)
        for (int k = 0; k < g->count; k++)
            if (!ki_zero_entry(g, d, k, j))
                J[*slot++] += rows[k].w[side][d - slides + j];
    return slot;
}

/* Two rows along the axes of the world and no other, as of a pin. */
KI_INLINE void pin_planar(const ki_mech *mech, const ki_mech_work *w, const ki_group *g, double *J) {
    const int *slot = mech->layout->J_slot + g->slot, *above = mech->layout->above;
    const ki_row *rows = w->rows + g->part;
    for (int side = 1; side >= 0; side--) {
        const double r[2] = {w->state[g->body[side]].r[0], w->state[g->body[side]].r[1]};
        double sign = side ? 1 : -1;
        double arm_x = sign * rows[1].w[side][0], arm_y = -sign * rows[0].w[side][0];
        int j = g->column[side];
        for (; j >= 0 && j != g->end; j = above[j], slot += 2) {
            const double *S = w->S[j], x = r[0] - S[3] + arm_x, y = r[1] - S[4] + arm_y;
            J[slot[0]] = sign * (S[1] - S[0] * y);
            J[slot[1]] = sign * (S[2] + S[0] * x);
        }
        if (j != g->end) { /* coordinates of its own: x', y', angle' */
            const double *S = w->S[~j];
            J[slot[0]] = J[slot[1]] = sign;
            J[slot[2]] = -sign * (r[1] - S[4] + arm_y);
            J[slot[3]] = sign * (r[0] - S[3] + arm_x);
            slot += 4;
        }
    }
}

static void group_planar(const ki_mech *mech, const ki_mech_work *w, const ki_group *g, double *J) {
    const int *slot = mech->layout->J_slot + g->slot;
    const ki_row *rows = w->rows + g->part;
    for (int side = 1; side >= 0; side--) {
        const double *r = w->state[g->body[side]].r;
        for (int c = g->body[side]; c != g->top; c = mech->body[c].parent) {
            const ki_body *body = &mech->body[c];
            bool own = body->kind == KI_HINGE_OWN;
            double x = r[0] - w->state[c].r[0], y = r[1] - w->state[c].r[1];
            if (own)
                slot = sliding_columns(g, KI_PLANAR, rows, side, slot, J);
            for (int j = own ? 2 : 0; j < body->n_v; j++) {
                const double *S = w->S[body->v + j];
                double T[3] = {S[0], S[1] - S[0] * y, S[2] + S[0] * x};
                for (int k = 0; k < g->count; k++)
                    J[*slot++] += ki_dot3(rows[k].w[side], T);
            }
        }
    }
}

KI_TWICE static void jacobian_planar(const ki_mech *mech, const ki_mech_work *w, double *J) {
    const ki_layout *l = mech->layout;
    for (int g = 0; g < l->group_count; g++)
        if (ki_is_pin(&l->group[g]))
            pin_planar(mech, w, &l->group[g], J);
        else
            group_planar(mech, w, &l->group[g], J);
}

/* All rows of a group in one column: those along the axes of the world from x = P - r_c, those that know only
 * turns from their torques, the others from T, with r_b - r_c = y. */
static const int *column_spatial(const ki_group *g, const ki_row *rows, int side, const double S[6],
                                 const double x[3], const double y[3], const int *slot, double *J) {
    double velocity[3], T[6], sign = side ? 1 : -1;
    int k = 0, general = g->count - g->turning;
    if (g->world) {
        ki_copy3(S + 3, velocity);
        ki_add_cross(S, x, velocity);
        for (; k < 3; k++)
            J[*slot++] += sign * velocity[k];
    }
    if (k < general) {
        memcpy(T, S, sizeof T);
        ki_add_cross(S, y, T + 3);
    }
    for (; k < general; k++)
        J[*slot++] += ki_dot6(rows[k].w[side], T);
    for (; k < g->count; k++)
        J[*slot++] += ki_dot3(rows[k].w[side], S);
    return slot;
}

static void group_spatial(const ki_mech *mech, const ki_mech_work *w, const ki_group *g, double *J) {
    const int *slot = mech->layout->J_slot + g->slot;
    const ki_row *rows = w->rows + g->part;
    for (int side = 1; side >= 0; side--) {
        const double *r = w->state[g->body[side]].r;
        double sign = side ? 1 : -1, arm[3] = {0};
        if (g->world) {
            arm[0] = sign * rows[1].w[side][2];
            arm[1] = sign * rows[2].w[side][0];
            arm[2] = sign * rows[0].w[side][1];
        }
        for (int c = g->body[side]; c != g->top; c = mech->body[c].parent) {
            const ki_body *body = &mech->body[c];
            bool own = body->kind == KI_HINGE_OWN;
            double x[3], y[3];
            ki_minus(r, w->state[c].r, y);
            for (int i = 0; i < 3; i++)
                x[i] = y[i] + arm[i];
            if (own)
                slot = sliding_columns(g, KI_SPATIAL, rows, side, slot, J);
            for (int j = own ? 3 : 0; j < body->n_v; j++)
                slot = column_spatial(g, rows, side, w->S[body->v + j], x, y, slot, J);
        }
    }
}

void ki_jacobian(const ki_mech *mech, ki_mech_work *w, double *J) {
    const ki_layout *l = mech->layout;
    memset(J, 0, (size_t)keel_pattern_count(mech->system.J) * sizeof *J); /* some rows have two parts */
    if (mech->d == KI_PLANAR)
        jacobian_planar(mech, w, J);
    else
        for (int g = 0; g < l->group_count; g++)
            group_spatial(mech, w, &l->group[g], J);
}
