/* Two bodies on analytic rigid motions, and differences along them. */
#ifndef MECHANISM_MOTION_H
#define MECHANISM_MOTION_H

#include <string.h>

#include "mechanism/joint.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* A number in (-1, 1) that depends on nothing but the calls before it. */
static unsigned long motion_seed = 1;
static inline double any(void) {
    motion_seed = (motion_seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
    return (double)motion_seed / 1073741824.0 - 1;
}

/* R = rotation by `angle` about axis k. */
static inline void turn_about(int k, double angle, double R[9]) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    memset(R, 0, 9 * sizeof *R);
    R[4 * k] = 1;
    R[4 * i] = R[4 * j] = cos(angle);
    R[3 * j + i] = sin(angle);
    R[3 * i + j] = -sin(angle);
}

/* Place of a point at r (body components) in the world, and where axis k of a frame points. */
static inline void place_of(const ki_state *s, const double r[3], double at[3]) {
    ki_rotate(s->R, r, at);
    ki_add_scaled(1, s->r, at);
}
static inline void direction_of(const ki_frame *frame, const ki_state *s, int k, double a[3]) {
    double local[3];
    ki_axis(frame->R, k, local);
    ki_rotate(s->R, local, a);
}

/* c0 + c1 t + c2 t^2 + c3 sin(2 t) */
typedef struct curve {
    double c[4];
} curve;

static inline curve any_curve(void) {
    return (curve){{any(), any(), any(), any()}};
}
static inline double curve_at(const curve *f, double t) {
    return f->c[0] + f->c[1] * t + f->c[2] * t * t + f->c[3] * sin(2 * t);
}
static inline double curve_rate(const curve *f, double t) {
    return f->c[1] + 2 * f->c[2] * t + 2 * f->c[3] * cos(2 * t);
}
static inline double curve_rate2(const curve *f, double t) {
    return 2 * f->c[2] - 4 * f->c[3] * sin(2 * t);
}

/* R = R_z(a_0) R_y(a_1) R_x(a_2), r = (r_0, r_1, r_2); in the plane a_0, r_0, r_1 alone. */
typedef struct motion {
    curve a[3], r[3];
} motion;

static inline motion any_motion(void) {
    motion m;
    for (int i = 0; i < 3; i++) {
        m.a[i] = any_curve();
        m.r[i] = any_curve();
    }
    return m;
}

/* omega  = a_0' z + a_1' y + a_2' x,  y = R_z e_y,  x = R_z R_y e_x carried by the turns before them
 * omega' = a_0'' z + a_1'' y + a_2'' x + a_1' (a_0' z) x y + a_2' (a_0' z + a_1' y) x x */
static inline void spatial_turn(const motion *m, double t, ki_state *s) {
    double A[9], B[9], C[9], AB[9], y[3], x[3], part[3];
    double rate[3], rate2[3];
    for (int i = 0; i < 3; i++) {
        rate[i] = curve_rate(&m->a[i], t);
        rate2[i] = curve_rate2(&m->a[i], t);
    }
    turn_about(2, curve_at(&m->a[0], t), A);
    turn_about(1, curve_at(&m->a[1], t), B);
    turn_about(0, curve_at(&m->a[2], t), C);
    ki_multiply(A, B, AB);
    ki_multiply(AB, C, s->R);
    ki_axis(A, 1, y);
    ki_axis(AB, 0, x);
    double first[3] = {0, 0, rate[0]};
    double *omega = s->twist, *alpha = s->twist_rate;
    ki_copy3(first, omega);
    ki_cross(first, y, part);
    for (int i = 0; i < 3; i++)
        alpha[i] = (i == 2) * rate2[0] + rate2[1] * y[i] + rate2[2] * x[i] + rate[1] * part[i];
    ki_add_scaled(rate[1], y, omega);
    ki_cross(omega, x, part);
    ki_add_scaled(rate[2], part, alpha);
    ki_add_scaled(rate[2], x, omega);
}

static inline ki_state state_at(const motion *m, int d, double t) {
    ki_state s = {.angle = 0};
    int first = d == KI_PLANAR ? 1 : 3, n = d == KI_PLANAR ? 2 : 3;
    if (d == KI_PLANAR) {
        s.angle = curve_at(&m->a[0], t);
        turn_about(2, s.angle, s.R);
        s.twist[0] = curve_rate(&m->a[0], t);
        s.twist_rate[0] = curve_rate2(&m->a[0], t);
    } else {
        spatial_turn(m, t, &s);
    }
    for (int i = 0; i < n; i++) {
        s.r[i] = curve_at(&m->r[i], t);
        s.twist[first + i] = curve_rate(&m->r[i], t);
        s.twist_rate[first + i] = curve_rate2(&m->r[i], t);
    }
    return s;
}

static inline double row_with(const ki_row *row, int d, const double *x0, const double *x1) {
    double sum = 0;
    for (int i = 0; i < d; i++)
        sum += row->w[0][i] * x0[i] + row->w[1][i] * x1[i];
    return sum;
}

/* f'(0) by Richardson extrapolation of central differences: error of order h^4, below 1e-8 here */
#define MOTION_STEP 2.5e-4
static inline double richardson(const double f[5]) {
    return (8 * (f[3] - f[1]) - (f[4] - f[0])) / (12 * MOTION_STEP);
}

static inline double wrapped(double angle) {
    return remainder(angle, 2 * 3.14159265358979323846);
}

/* A joint of a type with frames, dimensions and origins at random. In the plane the frames stay in it. */
static inline ki_joint any_joint(const ki_joint_type *type, int d) {
    ki_joint joint = {.type = type, .length = 0.7, .pitch = 0.9, .radius = 0.6, .ratio = 1.5};
    for (int b = 0; b < 2; b++) {
        double axis[3] = {any(), any(), any()}, across[3] = {any(), any(), any()};
        if (d == KI_PLANAR)
            turn_about(2, 3 * any(), joint.frame[b].R);
        else
            ki_frame_from_axes(axis, across, joint.frame[b].R);
        for (int i = 0; i < (d == KI_PLANAR ? 2 : 3); i++)
            joint.frame[b].r[i] = any();
    }
    joint.turn = d == KI_PLANAR ? ki_planar_frame_turn(&joint) : 0;
    return joint;
}

#endif
