/* From a description to the frames of a joint, and what the drawn pose decides (joint.h says which). */
#include <string.h>

#include "mechanism/joints/joints.h"

static bool is_zero(const double a[3]) {
    return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

static bool is_wheel(const ki_joint_type *type) {
    return type->spatial == ki_joint_wheel.spatial;
}

static void planar_frame(const double axis[3], double R[9]) {
    double length = hypot(axis[0], axis[1]);
    double c = length > 0 ? axis[0] / length : 1, s = length > 0 ? axis[1] / length : 0;
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(R, turned, sizeof turned);
}

static void spatial_frame(const double axis[3], const double across[3], double R[9]) {
    static const double UP[3] = {0, 0, 1};
    ki_frame_from_axes(is_zero(axis) ? UP : axis, across, R);
}

/* (x, y, z) of R become (z, x, y): axis and across are then x and y. */
static void shift_axes(double R[9]) {
    for (int i = 0; i < 9; i += 3) {
        double x = R[i], y = R[i + 1], z = R[i + 2];
        R[i] = z, R[i + 1] = x, R[i + 2] = y;
    }
}

/* Frame 0 of a wheel: z the normal, x = axle x normal; false if the two are parallel. */
static bool plane_frame(const double axle[3], const double normal[3], double R[9]) {
    static const double UP[3] = {0, 0, 1};
    double travel[3];
    const double *n = is_zero(normal) ? UP : normal;
    ki_cross(axle, n, travel);
    ki_frame_from_axes(n, travel, R);
    return ki_dot3(travel, travel) > 1e-12 * ki_dot3(axle, axle) * ki_dot3(n, n);
}

bool ki_joint_frames(const ki_joint_type *type, int d, const double axis[2][3], const double across[2][3],
                     ki_frame frame[2]) {
    for (int b = 0; b < 2; b++) {
        if (d == KI_PLANAR)
            planar_frame(axis[b], frame[b].R);
        else
            spatial_frame(axis[b], across[b], frame[b].R);
        if (type == &ki_joint_universal)
            shift_axes(frame[b].R);
    }
    if (!is_wheel(type) || d == KI_PLANAR)
        return true;
    double axle[3];
    ki_axis(frame[1].R, 2, axle);
    return plane_frame(axle, across[0], frame[0].R);
}

double ki_planar_frame_turn(const ki_joint *joint) {
    const double *F0 = joint->frame[0].R, *F1 = joint->frame[1].R;
    return atan2(F0[0] * F1[3] - F0[3] * F1[0], F0[0] * F1[0] + F0[3] * F1[3]);
}

/* Half a turn of a frame about its axis k. */
static void turn_over(double R[9], int k) {
    for (int i = 0; i < 9; i++)
        if (i % 3 != k)
            R[i] = -R[i];
}

/* A planar wheel: above its line, over the origin of frame 0. */
static void settle_on_line(ki_joint *joint, const double D[3]) {
    double *F = joint->frame[0].R;
    if (F[1] * D[0] + F[4] * D[1] < 0)
        turn_over(F, 2);
    double along = F[0] * D[0] + F[3] * D[1];
    joint->frame[0].r[0] += along * F[0];
    joint->frame[0].r[1] += along * F[3];
    memcpy(joint->frame[1].R, F, sizeof joint->frame[1].R);
}

void ki_joint_settle(ki_joint *joint, int d, const double at[2][3]) {
    double D[3], n[3];
    bool rolls = is_wheel(joint->type) || joint->type == &ki_joint_sphere;
    ki_minus(at[1], at[0], D);
    if (d == KI_PLANAR && rolls)
        settle_on_line(joint, D);
    if (d == KI_PLANAR)
        joint->turn = ki_planar_frame_turn(joint);
    if (d == KI_PLANAR || !rolls)
        return;
    ki_axis(joint->frame[0].R, 2, n);
    if (ki_dot3(n, D) < 0)
        turn_over(joint->frame[0].R, 0);
}
