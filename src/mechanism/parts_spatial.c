/* Rows in space. Points and directions that move with body b (world axes, a = R r the arm of the point):
 *
 *     p = r_b + a    p' = v_b + omega_b x a    p'' = v_b' + omega_b' x a + omega_b x (omega_b x a)
 *     u              u' = omega_b x u          u'' = omega_b' x u + omega_b x (omega_b x u)
 *
 * In a product e . (omega x a) = omega . (a x e), so a velocity of p along e has the covector (a x e, e).
 */
#include <string.h>

#include "mechanism/joint.h"

static const double PI = 3.14159265358979323846;

/* c = a x (a x b) */
static void double_cross(const double a[3], const double b[3], double c[3]) {
    double inner[3];
    ki_cross(a, b, inner);
    ki_cross(a, inner, c);
}

void ki_point_at(const ki_state *s, const double r[3], double arm[3], double at[3], double velocity[3],
                 double curve[3]) {
    ki_rotate(s->R, r, arm);
    for (int i = 0; i < 3; i++)
        at[i] = s->r[i] + arm[i];
    if (velocity) {
        ki_copy3(s->twist + 3, velocity);
        ki_add_cross(s->twist, arm, velocity);
    }
    if (curve)
        double_cross(s->twist, arm, curve);
}

void ki_frame_axis(const ki_frame *frame, const ki_state *s, int k, double a[3], double a_rate[3]) {
    double local[3];
    ki_axis(frame->R, k, local);
    ki_rotate(s->R, local, a);
    if (a_rate)
        ki_cross(s->twist, a, a_rate);
}

void ki_row_add(double s, const ki_row *x, ki_row *row) {
    row->value += s * x->value;
    for (int i = 0; i < 6; i++) {
        row->w[0][i] += s * x->w[0][i];
        row->w[1][i] += s * x->w[1][i];
    }
    row->gamma += s * x->gamma;
}

/* Two points, one of either body, and their difference D = p_1 - p_0. */
typedef struct pair {
    double arm[2][3];
    double D[3], D_rate[3];
    double curve[3]; /* D'' without twist' */
} pair;

static void pair_points(const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                        ki_level level, pair *p) {
    double at[2][3], velocity[2][3], curve[2][3];
    bool moving = level == KI_AT_VELOCITY;
    ki_point_at(s0, r0, p->arm[0], at[0], moving ? velocity[0] : NULL, moving ? curve[0] : NULL);
    ki_point_at(s1, r1, p->arm[1], at[1], moving ? velocity[1] : NULL, moving ? curve[1] : NULL);
    ki_minus(at[1], at[0], p->D);
    if (moving) {
        ki_minus(velocity[1], velocity[0], p->D_rate);
        ki_minus(curve[1], curve[0], p->curve);
    }
}

/* D . e with e at rest: covectors (arm_1 x e, e), -(arm_0 x e, e). */
static void pair_row(const pair *p, const double e[3], ki_level level, ki_row *row) {
    row->value = ki_dot3(p->D, e);
    ki_cross(p->arm[1], e, row->w[1]);
    ki_cross(e, p->arm[0], row->w[0]);
    for (int i = 0; i < 3; i++) {
        row->w[1][3 + i] = e[i];
        row->w[0][3 + i] = -e[i];
    }
    row->gamma = level == KI_AT_VELOCITY ? ki_dot3(p->curve, e) : 0;
}

/* D . e with e = x, y, z: the covectors arm x e are the columns of -[arm], those of e x arm of [arm] */
void ki_rows_coincide(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                      ki_row rows[3]) {
    pair p;
    pair_points(s0, joint->frame[0].r, s1, joint->frame[1].r, level, &p);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        memset(rows[i].w, 0, sizeof rows[i].w);
        rows[i].value = p.D[i];
        rows[i].w[1][j] = p.arm[1][k];
        rows[i].w[1][k] = -p.arm[1][j];
        rows[i].w[0][j] = -p.arm[0][k];
        rows[i].w[0][k] = p.arm[0][j];
        rows[i].w[1][3 + i] = 1;
        rows[i].w[0][3 + i] = -1;
        rows[i].gamma = level == KI_AT_VELOCITY ? p.curve[i] : 0;
    }
}

/* D . a with a fixed on body 0: beside the terms of D . e at rest,
 *     D . a'  = omega_0 . (a x D)
 *     D . a'' = omega_0' . (a x D) + D . (omega_0 x (omega_0 x a)),    and 2 D' . a' */
void ki_row_along(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int k, ki_level level,
                  ki_row *row) {
    pair p;
    double a[3], a_rate[3], a_curve[3];
    bool moving = level == KI_AT_VELOCITY;
    pair_points(s0, joint->frame[0].r, s1, joint->frame[1].r, level, &p);
    ki_frame_axis(&joint->frame[0], s0, k, a, moving ? a_rate : NULL);
    pair_row(&p, a, level, row);
    ki_add_cross(a, p.D, row->w[0]);
    if (moving) {
        ki_cross(s0->twist, a_rate, a_curve);
        row->gamma += 2 * ki_dot3(p.D_rate, a_rate) + ki_dot3(p.D, a_curve);
    }
}

/* A direction fixed on a body, its rate omega x a and omega x (omega x a). */
typedef struct direction {
    double a[3], rate[3], curve[3];
} direction;

static direction look_along(const ki_frame *frame, const ki_state *s, int k, ki_level level) {
    direction x;
    ki_frame_axis(frame, s, k, x.a, level == KI_AT_VELOCITY ? x.rate : NULL);
    if (level == KI_AT_VELOCITY)
        ki_cross(s->twist, x.rate, x.curve);
    return x;
}

/* (a . b)'  = omega_0 . (a x b) + omega_1 . (b x a)
 * gamma     = (omega_0 x (omega_0 x a)) . b + 2 a' . b' + a . (omega_1 x (omega_1 x b)) */
static void dot_row(const direction *x, const direction *y, ki_level level, ki_row *row) {
    memset(row, 0, sizeof *row);
    row->value = ki_dot3(x->a, y->a);
    ki_cross(x->a, y->a, row->w[0]);
    for (int i = 0; i < 3; i++)
        row->w[1][i] = -row->w[0][i];
    if (level == KI_AT_VELOCITY)
        row->gamma = ki_dot3(x->curve, y->a) + 2 * ki_dot3(x->rate, y->rate) + ki_dot3(x->a, y->curve);
}

void ki_row_dot(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int j, int k, ki_level level,
                ki_row *row) {
    direction a = look_along(&joint->frame[0], s0, j, level), b = look_along(&joint->frame[1], s1, k, level);
    dot_row(&a, &b, level, row);
}

void ki_rows_parallel(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                      ki_row rows[2]) {
    direction x = look_along(&joint->frame[0], s0, 0, level), y = look_along(&joint->frame[0], s0, 1, level);
    direction z = look_along(&joint->frame[1], s1, 2, level);
    dot_row(&y, &z, level, &rows[0]);
    dot_row(&x, &z, level, &rows[1]);
}

void ki_rows_aligned(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                     ki_row rows[3]) {
    ki_rows_parallel(joint, s0, s1, level, rows);
    ki_row_dot(joint, s0, s1, 1, 0, level, &rows[2]);
}

/* tan phi = (y_0 . x_1 - x_0 . y_1) / (x_0 . x_1 + y_0 . y_1) */
static double turn_about_z(const ki_joint *joint, const ki_state *s0, const ki_state *s1) {
    double x0[3], y0[3], x1[3], y1[3];
    ki_frame_axis(&joint->frame[0], s0, 0, x0, NULL);
    ki_frame_axis(&joint->frame[0], s0, 1, y0, NULL);
    ki_frame_axis(&joint->frame[1], s1, 0, x1, NULL);
    ki_frame_axis(&joint->frame[1], s1, 1, y1, NULL);
    double angle = atan2(ki_dot3(y0, x1) - ki_dot3(x0, y1), ki_dot3(x0, x1) + ki_dot3(y0, y1));
    return angle <= -PI ? PI : angle;
}

/* Write the rotation as R_z(alpha) R_y(beta) R_z(delta): phi = alpha + delta, Omega = omega_1 - omega_0 =
 * alpha' z_0 + beta' n + delta' z_1 with n across both z, hence with u = z_0 + z_1, c = 1 + z_0 . z_1
 *
 *     phi' = u . Omega / c
 *     phi'' = u . Omega' / c + (u' . Omega - phi' c') / c,     c' = (z_1 x z_0) . Omega
 *
 * c = 0 only where z_1 = -z_0; the bound keeps that pose finite. */
void ki_row_angle(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                  ki_level level, ki_row *row) {
    double z0[3], z1[3], z0_rate[3], z1_rate[3];
    bool moving = level == KI_AT_VELOCITY;
    memset(row, 0, sizeof *row);
    ki_frame_axis(&joint->frame[0], s0, 2, z0, moving ? z0_rate : NULL);
    ki_frame_axis(&joint->frame[1], s1, 2, z1, moving ? z1_rate : NULL);
    double c = fmax(1 + ki_dot3(z0, z1), 1e-9);
    row->value = q ? q[0] : turn_about_z(joint, s0, s1);
    for (int i = 0; i < 3; i++) {
        row->w[1][i] = (z0[i] + z1[i]) / c;
        row->w[0][i] = -row->w[1][i];
    }
    if (moving) {
        double Omega[3], across[3];
        ki_minus(s1->twist, s0->twist, Omega);
        ki_cross(z1, z0, across);
        double rate = ki_dot3(row->w[1], Omega), c_rate = ki_dot3(across, Omega);
        row->gamma = (ki_dot3(z0_rate, Omega) + ki_dot3(z1_rate, Omega) - rate * c_rate) / c;
    }
}

static double row_rate(const ki_row *row, const ki_state *s0, const ki_state *s1) {
    double rate = 0;
    for (int i = 0; i < 6; i++)
        rate += row->w[0][i] * s0->twist[i] + row->w[1][i] * s1->twist[i];
    return rate;
}

/* With s, c the rows and n = s^2 + c^2:
 *     phi'  = (c s' - s c') / n
 *     phi'' = (c s'' - s c'') / n - 2 phi' (c c' + s s') / n */
void ki_row_atan2(const ki_row *sine, const ki_row *cosine, const ki_state *s0, const ki_state *s1,
                  ki_level level, ki_row *row) {
    double s = sine->value, c = cosine->value, n = fmax(s * s + c * c, 1e-18);
    ki_row phi = {.value = atan2(s, c)};
    if (phi.value <= -PI)
        phi.value = PI;
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 6; i++)
            phi.w[b][i] = (c * sine->w[b][i] - s * cosine->w[b][i]) / n;
    if (level == KI_AT_VELOCITY) {
        double s_rate = row_rate(sine, s0, s1), c_rate = row_rate(cosine, s0, s1);
        double rate = (c * s_rate - s * c_rate) / n;
        phi.gamma = (c * sine->gamma - s * cosine->gamma - 2 * rate * (c * c_rate + s * s_rate)) / n;
    }
    *row = phi;
}

/* With n = D / |D|:  |D|' = n . D',  |D|'' = n . D'' + (D' . D' - (n . D')^2) / |D|.
 * Points in the same place have no direction; x is taken, which keeps the row finite. */
void ki_row_distance(const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                     double length, ki_level level, ki_row *row) {
    pair p;
    pair_points(s0, r0, s1, r1, level, &p);
    double distance = sqrt(ki_dot3(p.D, p.D)), n[3] = {1, 0, 0};
    if (distance > 0)
        for (int i = 0; i < 3; i++)
            n[i] = p.D[i] / distance;
    pair_row(&p, n, level, row);
    row->value = distance - length;
    if (level == KI_AT_VELOCITY && distance > 0) {
        double across[3];
        ki_cross(n, p.D_rate, across);
        row->gamma += ki_dot3(across, across) / distance;
    }
}

/* psi' = w . twist' + e' . g + e . (omega_1 x (x' - v_1) - omega_0 x (x' - v_0)),  g = relative velocity */
void ki_row_contact(const ki_contact *contact, const ki_state *s0, const ki_state *s1, const double e[3],
                    const double e_rate[3], ki_level level, ki_row *row) {
    double arm[2][3];
    ki_minus(contact->x, s0->r, arm[0]);
    ki_minus(contact->x, s1->r, arm[1]);
    row->value = 0;
    ki_cross(arm[1], e, row->w[1]);
    ki_cross(e, arm[0], row->w[0]);
    for (int i = 0; i < 3; i++) {
        row->w[1][3 + i] = e[i];
        row->w[0][3 + i] = -e[i];
    }
    row->gamma = 0;
    if (level == KI_AT_VELOCITY) {
        double relative[3], drift[2][3], turned[2][3];
        ki_minus(s1->twist + 3, s0->twist + 3, relative);
        ki_add_cross(s1->twist, arm[1], relative);
        ki_add_cross(arm[0], s0->twist, relative);
        ki_minus(contact->x_rate, s0->twist + 3, drift[0]);
        ki_minus(contact->x_rate, s1->twist + 3, drift[1]);
        ki_cross(s0->twist, drift[0], turned[0]);
        ki_cross(s1->twist, drift[1], turned[1]);
        row->gamma = ki_dot3(e_rate, relative) + ki_dot3(e, turned[1]) - ki_dot3(e, turned[0]);
    }
}
