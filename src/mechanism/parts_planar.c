/* Rows in the plane. With J(a) = (-a_y, a_x), a x e = a_x e_y - a_y e_x, and a = R r the arm of a point:
 *
 *     p  = r_b + a            p'  = v_b + omega_b J(a)      p'' = v_b' + omega_b' J(a) - omega_b^2 a
 *     u                       u'  = omega_b J(u)            u'' = omega_b' J(u) - omega_b^2 u
 *
 * In a product e . J(a) = a x e, so a velocity of p along e has the covector (a x e, e).
 */
#include <string.h>

#include "mechanism/joint.h"

static double dot(const double a[2], const double b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}

static double cross(const double a[2], const double b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}

static void rotate(const ki_state *s, const double x[2], double y[2]) {
    y[0] = s->R[0] * x[0] + s->R[1] * x[1];
    y[1] = s->R[3] * x[0] + s->R[4] * x[1];
}

void ki_planar_point_at(const ki_state *s, const double r[2], double arm[2], double at[2], double velocity[2],
                        double curve[2]) {
    double omega = s->twist[0];
    rotate(s, r, arm);
    for (int i = 0; i < 2; i++) {
        at[i] = s->r[i] + arm[i];
        if (curve)
            curve[i] = -omega * omega * arm[i];
    }
    if (velocity) {
        velocity[0] = s->twist[1] - omega * arm[1];
        velocity[1] = s->twist[2] + omega * arm[0];
    }
}

/* Two points, one of either body, and their difference D = p_1 - p_0. */
typedef struct pair {
    double arm[2][2];
    double D[2], D_rate[2];
    double curve[2]; /* D'' without twist' */
} pair;

static void pair_points(const ki_state *s0, const double r0[2], const ki_state *s1, const double r1[2],
                        ki_level level, pair *p) {
    double at[2][2], velocity[2][2], curve[2][2];
    bool moving = level == KI_AT_VELOCITY;
    ki_planar_point_at(s0, r0, p->arm[0], at[0], moving ? velocity[0] : NULL, moving ? curve[0] : NULL);
    ki_planar_point_at(s1, r1, p->arm[1], at[1], moving ? velocity[1] : NULL, moving ? curve[1] : NULL);
    for (int i = 0; i < 2; i++) {
        p->D[i] = at[1][i] - at[0][i];
        if (moving) {
            p->D_rate[i] = velocity[1][i] - velocity[0][i];
            p->curve[i] = curve[1][i] - curve[0][i];
        }
    }
}

/* D . e with e at rest: covectors (arm_1 x e, e), -(arm_0 x e, e). */
static void pair_row(const pair *p, const double e[2], ki_level level, ki_row *row) {
    row->value = dot(p->D, e);
    row->w[1][0] = cross(p->arm[1], e);
    row->w[0][0] = -cross(p->arm[0], e);
    for (int i = 0; i < 2; i++) {
        row->w[1][1 + i] = e[i];
        row->w[0][1 + i] = -e[i];
    }
    row->gamma = level == KI_AT_VELOCITY ? dot(p->curve, e) : 0;
}

static void set_covector(double turn, double x, double y, double w[3]) {
    w[0] = turn;
    w[1] = x;
    w[2] = y;
}

/* D . e with e = x, then y: arm x e = -arm_y, then arm_x */
void ki_planar_rows_coincide(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                             ki_row rows[2]) {
    double a[2], b[2]; /* arms */
    double square_0 = s0->twist[0] * s0->twist[0], square_1 = s1->twist[0] * s1->twist[0];
    rotate(s0, joint->frame[0].r, a);
    rotate(s1, joint->frame[1].r, b);
    set_covector(-b[1], 1, 0, rows[0].w[1]);
    set_covector(a[1], -1, 0, rows[0].w[0]);
    set_covector(b[0], 0, 1, rows[1].w[1]);
    set_covector(-a[0], 0, -1, rows[1].w[0]);
    for (int i = 0; i < 2; i++) {
        rows[i].value = (s1->r[i] + b[i]) - (s0->r[i] + a[i]);
        rows[i].gamma = level == KI_AT_VELOCITY ? square_0 * a[i] - square_1 * b[i] : 0;
    }
}

/* D . a with a fixed on body 0: beside the terms of D . e at rest,
 *     D . a'  = omega_0 (a x D)
 *     D . a'' = omega_0' (a x D) - omega_0^2 D . a,    and 2 D' . a' = 2 omega_0 (a x D') */
void ki_planar_row_along(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int k, ki_level level,
                         ki_row *row) {
    pair p;
    double a[2], omega = s0->twist[0];
    const double *F = joint->frame[0].R, local[2] = {F[k], F[3 + k]};
    pair_points(s0, joint->frame[0].r, s1, joint->frame[1].r, level, &p);
    rotate(s0, local, a);
    pair_row(&p, a, level, row);
    row->w[0][0] += cross(a, p.D);
    if (level == KI_AT_VELOCITY)
        row->gamma += 2 * omega * cross(a, p.D_rate) - omega * omega * dot(p.D, a);
}

double ki_planar_frame_turn(const ki_joint *joint) {
    const double *F0 = joint->frame[0].R, *F1 = joint->frame[1].R;
    const double x0[2] = {F0[0], F0[3]}, x1[2] = {F1[0], F1[3]};
    double sine = cross(x0, x1), cosine = dot(x0, x1);
    return sine == 0 && cosine > 0 ? 0 : atan2(sine, cosine);
}

void ki_planar_row_angle(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                         ki_level level, ki_row *row) {
    (void)level;
    memset(row, 0, sizeof *row);
    row->value = q ? q[0] : s1->angle - s0->angle + ki_planar_frame_turn(joint);
    row->w[0][0] = -1;
    row->w[1][0] = 1;
}

/* With n = D / |D|:  |D|' = n . D',  |D|'' = n . D'' + (n x D')^2 / |D|.
 * Points in the same place have no direction; x is taken, which keeps the row finite. */
void ki_planar_row_distance(const ki_state *s0, const double r0[2], const ki_state *s1, const double r1[2],
                            double length, ki_level level, ki_row *row) {
    pair p;
    pair_points(s0, r0, s1, r1, level, &p);
    double distance = sqrt(dot(p.D, p.D)), n[2] = {1, 0};
    if (distance > 0)
        n[0] = p.D[0] / distance, n[1] = p.D[1] / distance;
    pair_row(&p, n, level, row);
    row->value = distance - length;
    if (level == KI_AT_VELOCITY && distance > 0) {
        double across = cross(n, p.D_rate);
        row->gamma += across * across / distance;
    }
}
