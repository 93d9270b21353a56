/* ring_find.c - whether six pins make a ring with threefold symmetry (ring.h). */
#include <math.h>

#include "mechanism/joints/joints.h"
#include "symbolic/ring.h"
#include "symbolic/swing.h"

/* Lengths and angles count as equal up to this part of themselves, as those of parallelograms. */
static const double SAME = 1e-12;

/* 4 |c| stays below 1 by so much: the curve of x and y comes nowhere near infinity. */
static const double ROOM = 0.1;

/* The other joint of a body with two of them. -1: it has more or less. */
static int other_joint(const ki_mech *mech, int body, int joint) {
    int found = -1, count = 0;
    for (int j = 0; j < mech->joint_count; j++)
        if (mech->joint[j].body[0] == body || mech->joint[j].body[1] == body) {
            count++;
            found = j == joint ? found : j;
        }
    return count == 2 ? found : -1;
}

static int first_joint(const ki_mech *mech) {
    for (int j = 0; j < mech->joint_count; j++)
        if (mech->joint[j].body[0] == 0 || mech->joint[j].body[1] == 0)
            return j;
    return -1;
}

/* Round the ring, from the ground to the ground. */
static bool walk(const ki_mech *mech, ki_ring *ring) {
    int joint = first_joint(mech), body = 0;
    for (int i = 0; i < KI_RING; i++) {
        if (joint < 0 || mech->joint[joint].type != &ki_joint_revolute)
            return false;
        const ki_joint *pin = &mech->joint[joint];
        ring->joint[i] = joint;
        ring->body[i] = body;
        body = pin->body[0] == body ? pin->body[1] : pin->body[0];
        if ((body == 0) != (i == KI_RING - 1))
            return false;
        joint = other_joint(mech, body, joint);
    }
    return joint == ring->joint[0];
}

/* A place of each axis and its direction, as drawn. */
static void take_axes(const ki_mech *mech, ki_ring *ring) {
    for (int i = 0; i < KI_RING; i++) {
        const ki_joint *pin = &mech->joint[ring->joint[i]];
        ki_axis(pin->frame[0].R, 2, ring->axis[i]);
        ki_clean(ring->axis[i], 3, 1);
        ki_copy3(mech->body[pin->body[0]].drawn, ring->foot[i]);
        ki_add_scaled(1, pin->frame[0].r, ring->foot[i]);
    }
}

/* How far along their axes the feet of the common normal are from p_0 and p_1. False: they are parallel. */
static bool feet(const ki_ring *ring, int i, int k, double along[2]) {
    const double *a = ring->axis[i], *b = ring->axis[k];
    double between[3], mixed = ki_dot3(a, b), det = 1 - mixed * mixed;
    ki_minus(ring->foot[k], ring->foot[i], between);
    double on_a = ki_dot3(a, between), on_b = ki_dot3(b, between);
    along[0] = (on_a - mixed * on_b) / det;
    along[1] = (mixed * on_a - on_b) / det;
    return det > 0.5;
}

/* Moves the places to the feet of the normals. False: a pin has two. `size` is that of the coordinates. */
static bool move_to_feet(ki_ring *ring, double size) {
    double before[KI_RING], behind[KI_RING];
    for (int i = 0; i < KI_RING; i++) {
        int next = (i + 1) % KI_RING;
        double along[2];
        if (!feet(ring, i, next, along))
            return false;
        behind[i] = along[0];
        before[next] = along[1];
    }
    for (int i = 0; i < KI_RING; i++) {
        if (!(fabs(before[i] - behind[i]) <= SAME * size))
            return false;
        ki_add_scaled(ki_without_noise(behind[i], size), ring->axis[i], ring->foot[i]);
    }
    return true;
}

/* From direction a to b about z, which is perpendicular to both */
static double angle_about(const double z[3], const double a[3], const double b[3]) {
    double across[3];
    ki_cross(a, b, across);
    return atan2(ki_dot3(z, across), ki_dot3(a, b));
}

/* Normals of one length, twists of one size and alternating signs: axes are turned round for this. */
static bool measure(ki_ring *ring, double normal[KI_RING][3], double size) {
    double a = 0, alpha = 0;
    for (int i = 0; i < KI_RING; i++) {
        int next = (i + 1) % KI_RING;
        ki_minus(ring->foot[next], ring->foot[i], normal[i]);
        double length = sqrt(ki_dot3(normal[i], normal[i]));
        a = i ? a : length;
        if (!(a > SAME * size && fabs(length - a) <= SAME * size))
            return false;
        for (int k = 0; k < 3; k++)
            normal[i][k] = ki_without_noise(normal[i][k], size) / length;
        double twist = angle_about(normal[i], ring->axis[i], ring->axis[next]);
        if (next && (twist > 0) != (i % 2 == 0)) {
            for (int k = 0; k < 3; k++)
                ring->axis[next][k] = 0 - ring->axis[next][k];
            twist = angle_about(normal[i], ring->axis[i], ring->axis[next]);
        }
        alpha = i ? alpha : twist;
        if (!(fabs(twist - (i % 2 ? -alpha : alpha)) <= SAME))
            return false;
    }
    ring->cosine = ki_without_noise(cos(alpha), 1);
    return 4 * fabs(ring->cosine) < 1 - ROOM;
}

/* theta as drawn: on the curve of ring.h */
static bool is_drawn_closed(ki_ring *ring, double normal[KI_RING][3]) {
    static const double NEAR = 1e-9;
    for (int i = 0; i < KI_RING; i++) {
        ring->drawn[i] = angle_about(ring->axis[i], normal[(i + KI_RING - 1) % KI_RING], normal[i]);
        if (!(fabs(ring->drawn[i] - ring->drawn[i % 2]) <= NEAR))
            return false;
    }
    double x = tan(ring->drawn[0] / 2), y = tan(ring->drawn[1] / 2), c = ring->cosine, xy = x * y;
    return fabs(3 - x * x - y * y + (4 * c * c - 1) * xy * xy - 8 * c * xy) <= NEAR * (3 + x * x + y * y);
}

bool ki_ring_find(const ki_mech *mech, ki_ring *ring) {
    double normal[KI_RING][3], size = 0;
    if (mech->d != KI_SPATIAL || mech->body_count != KI_RING || mech->joint_count != KI_RING ||
        !walk(mech, ring))
        return false;
    take_axes(mech, ring);
    for (int i = 0; i < KI_RING; i++)
        size = fmax(size, sqrt(ki_dot3(ring->foot[i], ring->foot[i])));
    return move_to_feet(ring, size) && measure(ring, normal, size) && is_drawn_closed(ring, normal);
}
