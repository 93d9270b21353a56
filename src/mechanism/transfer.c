/* transfer.c - the same poses and velocities in the coordinates of another tree of the same mechanism.
 *
 * Every tree joint is fitted to the poses of its two bodies. Its velocities are those whose relative twist is
 * that of the bodies, in the axes of the joint on the parent:
 *
 *     S v = (Omega, V),    Omega = omega_b - omega_p,    V: velocity of the joint's place on b, seen from p.
 */
#include <math.h>
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/reaction.h"

static const double TURN = 2 * 3.14159265358979323846;

/* A hinge between the states of its parent and its body: the parent's frame and the relative pose. */
typedef struct hinged {
    double R0[9], o0[3], o1[3]; /* axes and origin of frame 0, origin of frame 1, in the world */
    ki_relative relative;
} hinged;

static hinged look_at_hinge(const ki_body *body, const ki_state *p, const ki_state *s) {
    const ki_frame *F0 = &body->hinge.frame[0], *F1 = &body->hinge.frame[1];
    hinged h = {.relative.angle = s->angle - p->angle - body->drawn_turn};
    double R1[9], gap[3];
    ki_multiply(p->R, F0->R, h.R0);
    ki_multiply(s->R, F1->R, R1);
    ki_rotate(p->R, F0->r, h.o0);
    ki_rotate(s->R, F1->r, h.o1);
    for (int i = 0; i < 3; i++) {
        h.o0[i] += p->r[i];
        h.o1[i] += s->r[i];
    }
    ki_minus(h.o1, h.o0, gap);
    ki_transposed_multiply(h.R0, R1, h.relative.R);
    ki_rotate_back(h.R0, gap, h.relative.r);
    return h;
}

/* Angular velocity and velocity of the reference point with three components each, also in the plane. */
static void whole_twist(int d, const ki_state *s, double omega[3], double v[3]) {
    memset(omega, 0, 3 * sizeof *omega);
    memset(v, 0, 3 * sizeof *v);
    if (d == KI_PLANAR) {
        omega[2] = s->twist[0];
        v[0] = s->twist[1], v[1] = s->twist[2];
    } else {
        ki_copy3(s->twist, omega);
        ki_copy3(s->twist + 3, v);
    }
}

/* (Omega, V) in the axes of frame 0, [d] */
static void relative_twist(int d, const hinged *h, const ki_state *p, const ki_state *s, double *twist) {
    double omega_p[3], v_p[3], omega_b[3], v_b[3], arm[3], Omega[3], V[3];
    whole_twist(d, p, omega_p, v_p);
    whole_twist(d, s, omega_b, v_b);
    ki_minus(h->o1, s->r, arm);
    ki_add_cross(omega_b, arm, v_b);
    ki_minus(h->o1, p->r, arm);
    ki_add_cross(omega_p, arm, v_p);
    ki_minus(v_b, v_p, arm);
    ki_rotate_back(h->R0, arm, V);
    ki_minus(omega_b, omega_p, arm);
    ki_rotate_back(h->R0, arm, Omega);
    if (d == KI_PLANAR) {
        twist[0] = Omega[2], twist[1] = V[0], twist[2] = V[1];
    } else {
        ki_copy3(Omega, twist);
        ki_copy3(V, twist + 3);
    }
}

static double dot(int d, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

/* v with S v nearest to the twist: Gram-Schmidt on the columns, then back substitution. */
static void fit_velocities(int d, int n, double *S, double *twist, double *v) {
    double R[KI_JOINT_VELOCITIES][KI_JOINT_VELOCITIES] = {{0}};
    for (int j = 0; j < n; j++) {
        double *column = S + d * j;
        for (int k = 0; k < j; k++) {
            R[k][j] = dot(d, S + d * k, column);
            for (int i = 0; i < d; i++)
                column[i] -= R[k][j] * S[d * k + i];
        }
        R[j][j] = sqrt(dot(d, column, column));
        for (int i = 0; i < d; i++)
            column[i] = R[j][j] > 0 ? column[i] / R[j][j] : 0;
        v[j] = dot(d, column, twist);
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int k = j + 1; k < n; k++)
            v[j] -= R[j][k] * v[k];
        v[j] = R[j][j] > 0 ? v[j] / R[j][j] : 0;
    }
}

/* Coordinates and velocities of the hinge of body b of `to`, from the states of its body and parent. */
static void take_over(const ki_mech *to, int b, const ki_state *p, const ki_state *s, keel_state *state) {
    const ki_body *body = &to->body[b];
    const ki_joint *hinge = &body->hinge;
    const ki_joint_role *role = ki_role(hinge, to->d);
    double columns[KI_JOINT_VELOCITIES * KI_SPATIAL], twist[6], local[KI_JOINT_VELOCITIES], bias[6];
    if (role->n_v == 0)
        return;
    hinged h = look_at_hinge(body, p, s);
    double *q = state->q + hinge->q;
    role->fit(hinge, &h.relative, q);
    memset(local, 0, sizeof local);
    role->columns(hinge, q, local, columns, bias);
    relative_twist(to->d, &h, p, s, twist);
    fit_velocities(to->d, role->n_v, columns, twist, local);
    for (int k = 0; k < role->n_v; k++)
        state->v[hinge->v + k] = ki_tree_sign(hinge, role) * local[k];
    for (int k = 0; k < ki_readings(hinge, role); k++)
        q[k] = ki_read(hinge, k, q[k]);
}

/* In space a pose does not tell full turns: those nearest to `value`. */
static void set_turns(const ki_mech *to, const ki_measure *measure, double value, keel_state *state) {
    if (to->d == KI_PLANAR || measure->kind != KI_MEASURE_JOINT || measure->primes > 0)
        return;
    const ki_joint *joint = &to->joint[measure->object];
    const ki_joint_role *role = ki_role(joint, to->d);
    if (!joint->tree || role->kinematics || !role->turns[measure->component])
        return;
    double *q = &state->q[joint->q + measure->component];
    if (measure->component < role->n_v)
        *q += TURN * round((value - *q) / TURN);
}

/* Turns that start values, motions and joints in both trees tell. */
static void count_turns(const ki_mech *from, ki_mech_work *w, const keel_state *state, const ki_mech *to,
                        keel_state *result) {
    for (int j = 0; j < from->described_joints; j++)
        if (from->joint[j].tree && from->d == KI_SPATIAL && !ki_role(&from->joint[j], from->d)->kinematics)
            for (int k = 0; k < ki_role(&from->joint[j], from->d)->n_v && k < KI_JOINT_COORDINATES; k++) {
                ki_measure c = {KI_MEASURE_JOINT, j, k, 0, {0, 0}};
                set_turns(to, &c, state->q[from->joint[j].q + k], result);
            }
    for (int i = 0; i < from->start_count; i++)
        set_turns(to, &from->start[i].measure, from->start[i].value, result);
    for (int i = 0; i < from->motion_count; i++) {
        double law[3];
        ki_motion_law(from, w, i, state->t, law);
        set_turns(to, &from->motion[i].measure, law[0], result);
    }
}

/* Do the two have the same coordinates? */
static bool same_tree(const ki_mech *a, const ki_mech *b) {
    for (int i = 1; i < a->body_count; i++)
        if (a->body[i].described != b->body[i].described || a->body[i].joint != b->body[i].joint ||
            a->body[i].parent != b->body[i].parent)
            return false;
    return true;
}

keel_status keel_mechanism_transfer(const keel_system *from, const keel_state *state, const keel_system *to,
                                    keel_state *result) {
    const ki_mech *source = ki_mech_if(from), *target = ki_mech_if(to);
    if (!source || !state || !target || !result)
        return KEEL_ERROR_INPUT;
    void *work;
    result->t = state->t;
    if (same_tree(source, target)) {
        memcpy(result->q, state->q, (size_t)to->n_q * sizeof *result->q);
        memcpy(result->v, state->v, (size_t)to->n_v * sizeof *result->v);
        return KEEL_OK;
    }
    keel_status status = ki_mech_work_new(from, &work);
    if (status)
        return status;
    ki_mech_work *w = work;
    ki_place(source, w, state->q);
    ki_move_bodies(source, w, state->v);
    for (int b = 1; b < target->body_count; b++) {
        const ki_body *body = &target->body[b];
        int parent = source->body_of[target->body[body->parent].described];
        take_over(target, b, &w->state[parent], &w->state[source->body_of[body->described]], result);
    }
    count_turns(source, w, state, target, result);
    ki_mech_work_free(work);
    return KEEL_OK;
}
