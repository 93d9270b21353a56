/* explain.c - from rows and numbers back to the parts of a mechanism: for messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/reaction.h"

/* The first motion whose law, speed or acceleration is not finite, or -1. */
static int unsound_motion(const ki_mech *mech, ki_mech_work *w, double t) {
    for (int i = 0; i < mech->motion_count; i++) {
        double law[3];
        ki_motion_law(mech, w, i, t, law);
        if (!isfinite(law[0]) || !isfinite(law[1]) || !isfinite(law[2]))
            return i;
    }
    return -1;
}

int ki_mech_explain(const keel_system *system, void *work, double t, char *text, int size,
                    keel_location *where) {
    const ki_mech *mech = ki_mech_of(system);
    int motion = unsound_motion(mech, work, t);
    int force = motion < 0 ? ki_unsound_force(mech, work, t) : -1;
    if (motion >= 0) {
        snprintf(text, (size_t)size, "motion '%s'", mech->motion[motion].name);
        *where = mech->motion[motion].where;
    } else if (force >= 0) {
        snprintf(text, (size_t)size, "force '%s'", mech->force[force].name);
        *where = mech->force[force].where;
    }
    return motion >= 0 || force >= 0;
}

/* Whether row i of J is one of a cut joint. */
static bool has_row(const ki_mech *mech, const ki_joint *joint, int i) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    int n_h = joint->type->couples ? 1 : role->n_h, n_n = joint->type->couples ? 0 : role->n_n;
    return !joint->tree &&
           ((i >= joint->row_h && i < joint->row_h + n_h) || (i >= joint->row_n && i < joint->row_n + n_n));
}

keel_row_source keel_mechanism_row_source(const keel_system *system, int row) {
    const ki_mech *mech = ki_mech_of(system);
    const ki_layout *l = mech->layout;
    if (row >= l->motion_row && row < l->motion_row + mech->motion_count) {
        const ki_motion *motion = &mech->motion[row - l->motion_row];
        return (keel_row_source){KEEL_ROW_MOTION, row - l->motion_row, motion->name, motion->where};
    }
    for (int i = 0; i < mech->start_count; i++)
        if (l->part[l->start_part + i].row == row)
            return (keel_row_source){KEEL_ROW_START, i, mech->start[i].name, mech->start[i].where};
    int j = 0;
    while (j + 1 < mech->joint_count && !has_row(mech, &mech->joint[j], row))
        j++;
    return (keel_row_source){KEEL_ROW_JOINT, mech->joint[j].described, mech->joint[j].name,
                             mech->joint[j].where};
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
    const ki_mech *mech = ki_mech_of(system);
    const ki_joint *j = &mech->joint[joint];
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
