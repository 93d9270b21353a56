/* families_spatial.c - linkages of the space whose mobility comes from special proportions: counting joints
 * gives too few freedoms. */
#include <math.h>
#include <stddef.h>

#include "drawing.h"
#include "families.h"

/* Axes of Bennett's linkage: opposite links have equal lengths a, b and twists alpha, beta,
 *
 *     sin(alpha) / a = sin(beta) / b,      tan(theta_1 / 2) tan(theta_2 / 2) = sin((beta + alpha) / 2) /
 * sin((beta - alpha) / 2),
 *
 * theta_3 = -theta_1, theta_4 = -theta_2 (Bennett 1903; Hunt, Kinematic Geometry of Mechanisms, 1978). In the
 * frame of axis 1 before theta_1 each step is R_z(theta) T_x(length) R_x(twist). */
static void bennett_axes(double a, double alpha, double beta, double theta_1, line axes[4]) {
    double b = a * sin(beta) / sin(alpha);
    double theta_2 = 2 * atan(sin((beta + alpha) / 2) / sin((beta - alpha) / 2) / tan(theta_1 / 2));
    double theta[4] = {theta_1, theta_2, -theta_1, -theta_2};
    mat R = identity();
    vec p = ZERO;
    for (int i = 0; i < 4; i++) {
        axes[i] = (line){p, turned(R, EZ)};
        R = product(R, rotation(EZ, theta[i]));
        p = along(p, i % 2 ? b : a, turned(R, EX));
        R = product(R, rotation(EX, i % 2 ? beta : alpha));
    }
}

/* Turns the axes of a linkage about its axis 0, which is z, until axis 1 is met along x. */
static void align(line axes[4]) {
    vec p = axes[1].at;
    mat back = rotation(EZ, -atan2(p.y, p.x));
    for (int i = 0; i < 4; i++)
        axes[i] = (line){turned(back, axes[i].at), turned(back, axes[i].direction)};
}

int draw_ring(drawing *d, rng *r, const line *axes, int count) {
    int first = d->joints, before = GROUND;
    for (int i = 0; i < count; i++) {
        int next = i + 1 < count ? draw_body(d, "link_%d", i + 1) : GROUND;
        draw_joint(d, "revolute", before, next, along(axes[i].at, uniform(r, -0.3, 0.3), axes[i].direction),
                   axes[i].direction);
        before = next;
    }
    return first;
}

/* Screws of a ring's joints as columns, and the order in which elimination takes them. */
typedef struct screws {
    double A[6][6];
    int count, column[6];
} screws;

/* Brings the largest entry that is left to row and column n. */
static void pivot(screws *s, int n) {
    int row = n, best = n;
    for (int i = n; i < 6; i++)
        for (int j = n; j < s->count; j++)
            if (fabs(s->A[i][s->column[j]]) > fabs(s->A[row][s->column[best]]))
                row = i, best = j;
    int column = s->column[n];
    s->column[n] = s->column[best], s->column[best] = column;
    for (int j = 0; j < s->count; j++) {
        double entry = s->A[n][j];
        s->A[n][j] = s->A[row][j], s->A[row][j] = entry;
    }
}

static void eliminate(screws *s, int n) {
    pivot(s, n);
    const int *c = s->column;
    for (int i = n + 1; i < 6; i++) {
        double factor = s->A[i][c[n]] / s->A[n][c[n]];
        for (int j = n; j < s->count; j++)
            s->A[i][c[j]] -= factor * s->A[n][c[j]];
    }
}

static screws eliminated(const line *axes, int count) {
    screws s = {.count = count};
    for (int i = 0; i < count; i++) {
        vec d = axes[i].direction, m = cross(axes[i].at, d);
        double screw[6] = {d.x, d.y, d.z, m.x, m.y, m.z};
        for (int k = 0; k < 6; k++)
            s.A[k][i] = screw[k];
        s.column[i] = i;
    }
    for (int n = 0; n < count - 1; n++)
        eliminate(&s, n);
    return s;
}

/* How far a ring with one freedom is from having two: 0 is a singular pose. */
static double distance_to_singular(const line *axes, int count) {
    screws s = eliminated(axes, count);
    return fabs(s.A[count - 2][s.column[count - 2]]);
}

/* Which joint of a ring with one freedom turns fastest: it has no dead point nearby. The rates w satisfy
 *
 *     sum over i of w_i (d_i, p_i x d_i) = 0,
 *
 * and after elimination with full pivoting the rate of the last column is free. A ring of less than six
 * joints that moves has fewer independent rows: those that are left are zero. */
static int fastest_joint(const line *axes, int count) {
    screws s = eliminated(axes, count);
    double w[6] = {0};
    int fastest = 0;
    w[s.column[count - 1]] = 1;
    for (int n = count - 2; n >= 0; n--) {
        double sum = 0;
        for (int j = n + 1; j < count; j++)
            sum += s.A[n][s.column[j]] * w[s.column[j]];
        w[s.column[n]] = -sum / s.A[n][s.column[n]];
    }
    for (int i = 1; i < count; i++)
        fastest = fabs(w[i]) > fabs(w[fastest]) ? i : fastest;
    return fastest;
}

static void draw_bennett(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    double alpha = uniform(r, 0.4, 0.9), beta = uniform(r, 1.2, 1.9);
    line axes[4];
    bennett_axes(uniform(r, 0.4, 0.7), alpha, beta, either(r) * uniform(r, 0.9, 2.2), axes);
    crank c = {.joint = draw_ring(d, r, axes, 4), .room = 0.8, .arm = 0.5};
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Once round, at constant speed, or without forces at the speed that the start gives: longer than a turn
 * takes at that. */
static void draw_turn(drawing *d, rng *r, drive_mode mode, int joint) {
    double speed = either(r) * uniform(r, 2, 6);
    d->mobility = 1;
    d->until = (mode == DRIVEN ? 2 : 3) * PI / fabs(speed);
    if (mode == DRIVEN)
        d->motion[d->motions++] = (drawn_drive){joint, speed};
    else
        d->rate[d->rates++] = (drawn_drive){joint, speed};
}

/* All joints of Bennett's linkage turn fully. */
static void draw_bennett_turns(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[4];
    bennett_axes(uniform(r, 0.4, 0.7), uniform(r, 0.4, 0.9), uniform(r, 1.2, 1.9),
                 either(r) * uniform(r, 0.9, 2.2), axes);
    int first = draw_ring(d, r, axes, 4);
    draw_masses(d, r);
    draw_turn(d, r, mode, first);
}

/* One chain of Sarrus' linkage: three pins along u between base and plate, in the plane of e and z. It is
 * bent: no dead point is near. */
static int draw_sarrus_chain(drawing *d, rng *r, int plate, vec e, double height, int number) {
    vec u = cross(EZ, e), foot, knee, top;
    double bars, distance;
    do {
        foot = scale(uniform(r, 0.5, 0.8), e), top = along(scale(uniform(r, 0.4, 0.7), e), height, EZ);
        knee = along(along(foot, uniform(r, 0.3, 0.6), e), height * uniform(r, 0.4, 0.6), EZ);
        bars = norm(sub(foot, knee)) + norm(sub(knee, top)), distance = norm(sub(foot, top));
    } while (distance > 0.68 * bars);
    foot = along(foot, uniform(r, -0.3, 0.3), u), knee = along(knee, uniform(r, -0.3, 0.3), u);
    top = along(top, uniform(r, -0.3, 0.3), u);
    int lower = draw_body(d, "lower_%d", number), upper = draw_body(d, "upper_%d", number);
    int first = draw_joint(d, "revolute", GROUND, lower, foot, u);
    draw_joint(d, "revolute", lower, upper, knee, u);
    draw_joint(d, "revolute", upper, plate, top, u);
    return first;
}

/* Sarrus' linkage: the plate moves along z. kind: number of chains. */
static void draw_sarrus(drawing *d, rng *r, drive_mode mode, int kind) {
    double height = uniform(r, 0.7, 1);
    int plate = draw_body(d, "plate");
    crank c = {.room = 0.15, .arm = 0.5};
    for (int i = 0; i < kind; i++) {
        double azimuth = kind == 2 ? i * PI / 2 : i * 2 * PI / kind;
        vec e = {cos(azimuth), sin(azimuth), 0};
        int foot = draw_sarrus_chain(d, r, plate, e, height, i + 1);
        c.joint = i ? c.joint : foot;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Goldberg's linkage: two of Bennett's that have the axes of one link in common. That link is left out, and
 * two links that meet in its first axis are one body; five axes are left (Goldberg 1943). */
static void goldberg_axes(rng *r, line axes[5]) {
    double alpha = uniform(r, 0.5, 0.8), length = uniform(r, 0.4, 0.6);
    line first[4], second[4];
    bennett_axes(length, alpha, uniform(r, 1.2, 1.5), uniform(r, 0.9, 1.6), first);
    bennett_axes(length, alpha, uniform(r, 1.7, 2), -uniform(r, 0.9, 1.6), second);
    // both begin with the common link: at the axis 0 along x_0, which theta_1 has turned
    align(first), align(second);
    axes[0] = first[3], axes[1] = first[2], axes[2] = first[1], axes[3] = second[2], axes[4] = second[3];
}

static void draw_goldberg(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[5];
    goldberg_axes(r, axes);
    crank c = {.joint = draw_ring(d, r, axes, 5) + fastest_joint(axes, 5), .room = 0.3, .arm = 0.5};
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* The joint opposite to the common axis turns as that does, and both of Bennett's linkages go fully round. */
static void draw_goldberg_turns(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[5];
    goldberg_axes(r, axes);
    int first = draw_ring(d, r, axes, 5);
    draw_masses(d, r);
    draw_turn(d, r, mode, first + 1);
}

/* Bricard's linkage with three planes of symmetry: axes in planes through z, every other one alike. The shape
 * of a link is two numbers (distance and angle of its axes), a pair of lines in two such planes four, of
 * which one is a shift along z: one freedom. */
static void draw_bricard(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[6];
    double radius[2] = {uniform(r, 0.5, 0.7), uniform(r, 0.5, 0.7)}, height[2] = {0, uniform(r, -0.3, 0.3)};
    double slope[2] = {uniform(r, 0.3, 1.2), -uniform(r, 0.3, 1.2)};
    for (int i = 0; i < 6; i++) {
        int k = i % 2;
        vec out = {cos(i * PI / 3), sin(i * PI / 3), 0};
        axes[i] = (line){along(scale(radius[k], out), height[k], EZ),
                         add(scale(cos(slope[k]), out), scale(sin(slope[k]), EZ))};
    }
    crank c = {.joint = draw_ring(d, r, axes, 6) + fastest_joint(axes, 6), .room = 0.3, .arm = 0.5};
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* A ring of equal links without offsets, their twists alpha and -alpha in turn, that goes round through
 * itself: its angles theta and phi in turn satisfy (Chen, You and Tarnai 2005, eq. 12)
 *
 *     c^2 + s^2 (cos theta + cos phi) + (1 + c^2) cos theta cos phi - 2 c sin theta sin phi = 0
 *
 * with c = cos alpha, s = sin alpha. */
static void ring_axes(rng *r, line axes[6]) {
    double alpha = uniform(r, 1.4, 1.74), theta = uniform(r, -1.5, 1.5), c = cos(alpha), s = sin(alpha);
    double p = s * s + (1 + c * c) * cos(theta), q = -2 * c * sin(theta), k = -c * c - s * s * cos(theta);
    double phi = atan2(q, p) + either(r) * acos(k / hypot(p, q)), a = uniform(r, 0.4, 0.6);
    mat R = identity();
    vec at = ZERO;
    for (int i = 0; i < 6; i++) {
        axes[i] = (line){at, turned(R, EZ)};
        R = product(R, rotation(EZ, i % 2 ? phi : theta));
        at = along(at, a, turned(R, EX));
        R = product(R, rotation(EX, i % 2 ? -alpha : alpha));
    }
}

static void draw_bricard_turns(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[6];
    ring_axes(r, axes);
    int first = draw_ring(d, r, axes, 6);
    draw_masses(d, r);
    draw_turn(d, r, mode, first + fastest_joint(axes, 6));
}

/* Bricard's line-symmetric linkage: three axes and their images under a half turn about z. */
static void line_symmetric_axes(rng *r, line axes[6]) {
    for (int i = 0; i < 3; i++) {
        vec out = {cos(i * PI / 3), sin(i * PI / 3), 0}, at = add(scale(0.6, out), random_in_ball(r, 0.15));
        vec direction = unit(add(EZ, random_in_ball(r, 0.8)));
        axes[i] = (line){at, direction};
        axes[i + 3] = (line){{-at.x, -at.y, at.z}, {-direction.x, -direction.y, direction.z}};
    }
}

/* Bricard's plane-symmetric linkage: two axes in the plane of x and z, two beside it and their images. */
static void plane_symmetric_axes(rng *r, line axes[6]) {
    for (int i = 0; i < 4; i++) {
        vec out = {cos(i * PI / 3), sin(i * PI / 3), 0}, at = add(scale(0.6, out), random_in_ball(r, 0.15));
        vec direction = unit(add(EZ, random_in_ball(r, 0.8)));
        if (i % 3 == 0)
            at.y = direction.y = 0;
        axes[i] = (line){at, direction};
        if (i % 3)
            axes[6 - i] = (line){{at.x, -at.y, at.z}, {direction.x, -direction.y, direction.z}};
    }
    axes[0].direction = unit(axes[0].direction), axes[3].direction = unit(axes[3].direction);
}

static void draw_bricard_plane(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[6];
    do
        plane_symmetric_axes(r, axes);
    while (distance_to_singular(axes, 6) < 0.1);
    crank c = {.joint = draw_ring(d, r, axes, 6) + fastest_joint(axes, 6), .room = 0.2, .arm = 0.5};
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

static void draw_bricard_line(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    line axes[6];
    do
        line_symmetric_axes(r, axes);
    while (distance_to_singular(axes, 6) < 0.1);
    crank c = {.joint = draw_ring(d, r, axes, 6) + fastest_joint(axes, 6), .room = 0.2, .arm = 0.5};
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

const family SPATIAL_FAMILIES[] = {
    {"bennett", draw_bennett, 0, ALL_MODES, 1},
    {"goldberg", draw_goldberg, 0, ALL_MODES, 1},
    {"sarrus", draw_sarrus, 2, ALL_MODES, 1},
    {"sarrus_3", draw_sarrus, 3, ALL_MODES, 1},
    {"bricard", draw_bricard, 0, ALL_MODES, 1},
    {"bricard_line", draw_bricard_line, 0, ALL_MODES, 1},
    {"bricard_plane", draw_bricard_plane, 0, ALL_MODES, 1},
    {"bennett_turns", draw_bennett_turns, 0, 1u << DRIVEN | 1u << FREE, 1},
    {"goldberg_turns", draw_goldberg_turns, 0, 1u << DRIVEN | 1u << FREE, 1},
    {"bricard_ring_turns", draw_bricard_turns, 0, 1u << FREE, 1},
    {0},
};
