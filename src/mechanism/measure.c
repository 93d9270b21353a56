/* measure.c - values of the quantities that a mechanism can be asked for, and the rows of those that are
 * functions of the poses of two bodies.
 */
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"

static void joint_row(const ki_mech *mech, const ki_measure *m, const ki_state *s0, const ki_state *s1,
                      const double *q, ki_level level, ki_row *row) {
    const ki_joint *joint = &mech->joint[m->object];
    ki_role(joint, mech->d)->measure(joint, s0, s1, q, m->component, level, row);
    row->value += joint->reading[m->component];
}

void ki_turn_row(const ki_state *s0, const ki_state *s1, const double target[9], int k, ki_row *row) {
    double P[9], off[9], d[3], L[9];
    memset(row, 0, sizeof *row);
    ki_transposed_multiply(s0->R, s1->R, P);
    if (target)
        ki_multiply_transposed(P, target, off);
    ki_rotation_vector(target ? off : P, d);
    ki_rotation_vector_rate(d, L);
    row->value = d[k];
    ki_rotate(s0->R, L + 3 * k, row->w[1]);
    for (int i = 0; i < 3; i++)
        row->w[0][i] = -row->w[1][i];
}

/* The row with the bodies in the states s0 and s1; q as in ki_joint_role.measure. */
static void row_at(const ki_mech *mech, const ki_measure *m, const ki_state *s0, const ki_state *s1,
                   const double *q, ki_level level, ki_row *row) {
    static const double NOWHERE[3] = {0, 0, 0};
    const ki_force *spring;
    memset(row, 0, sizeof *row);
    switch (m->kind) {
    case KI_MEASURE_JOINT:
        joint_row(mech, m, s0, s1, q, level, row);
        break;
    case KI_MEASURE_POINT:
        ki_row_apart(mech->d, s0, NOWHERE, s1, mech->point[m->object].r, m->component, level, row);
        break;
    case KI_MEASURE_CENTRE:
        ki_row_apart(mech->d, s0, NOWHERE, s1, NOWHERE, m->component, level, row);
        break;
    case KI_MEASURE_ANGLE:
        row->value = s1->angle;
        row->w[1][0] = 1;
        break;
    case KI_MEASURE_SPIN:
        row->w[1][mech->d == KI_PLANAR ? 0 : m->component] = 1;
        break;
    case KI_MEASURE_TURN:
        ki_turn_row(s0, s1, NULL, m->component, row);
        break;
    default:
        spring = &mech->force[m->object];
        ki_row_length(mech->d, s0, spring->r[0], s1, spring->r[1], level, row);
        break;
    }
}

/* The coordinates of a joint of the tree in the order of its description, or NULL. */
static const double *own_coordinates(const ki_mech *mech, const ki_mech_work *w, const ki_measure *m,
                                     double q[7]) {
    if (m->kind != KI_MEASURE_JOINT || !mech->joint[m->object].tree)
        return NULL;
    const ki_joint *joint = &mech->joint[m->object];
    const ki_joint_role *role = ki_role(joint, mech->d);
    if (role->kinematics) /* not numbers that can be read one by one */
        return NULL;
    for (int i = 0; i < role->n_q; i++)
        q[i] = joint->reversed ? -w->local_q[joint->q + i] : w->local_q[joint->q + i];
    return q;
}

void ki_measure_row(const ki_mech *mech, ki_mech_work *w, const ki_measure *measure, ki_level level,
                    ki_row *row) {
    double q[7];
    const ki_state *s0 = &w->state[measure->body[0]], *s1 = &w->state[measure->body[1]];
    row_at(mech, measure, s0, s1, own_coordinates(mech, w, measure, q), level, row);
}

double ki_measure_drawn(const ki_mech *mech, const ki_measure *measure) {
    ki_state s[2] = {{.angle = 0}, {.angle = 0}};
    ki_row row;
    for (int k = 0; k < 2; k++) {
        s[k].R[0] = s[k].R[4] = s[k].R[8] = 1;
        ki_copy3(mech->body[measure->body[k]].drawn, s[k].r);
    }
    row_at(mech, measure, &s[0], &s[1], NULL, KI_AT_POSITION, &row);
    return row.value;
}

double ki_measure_value(const ki_mech *mech, ki_mech_work *w, const ki_measure *measure) {
    ki_row row;
    if (measure->kind == KI_MEASURE_ROTATION)
        return w->state[measure->object].R[measure->component];
    if (measure->kind == KI_MEASURE_STATE)
        return w->z[measure->object];
    ki_measure_row(mech, w, measure, measure->primes > 1 ? KI_AT_VELOCITY : KI_AT_POSITION, &row);
    if (measure->primes == 0)
        return row.value;
    if (measure->primes == 1)
        return ki_row_rate(mech, w, measure->body, &row);
    return ki_row_acceleration(mech, w, measure->body, &row) + row.gamma;
}
