/* joint.h - what a type of joint supplies, in either role; one file of joints/ each.
 *
 * A joint ties the frame 0 on body 0 to the frame 1 on body 1.
 *
 * In the tree its coordinates q and velocities v place frame 1 in frame 0 and give its relative twist, in the
 * axes of frame 0: (Omega, V) = S(q) v, V being the velocity of the origin of frame 1. Its time derivative is
 * S v' + b with the bias b = S'(q, v) v.
 *
 * Cut, it supplies rows: n_h holonomic, then n_n nonholonomic ones (docs/joints.md derives them).
 *
 * In both roles its coordinates can be measured as rows: angle, displacement.
 */
#ifndef KI_MECHANISM_JOINT_H
#define KI_MECHANISM_JOINT_H

#include "mechanism/model.h"

enum { KI_JOINT_ROWS = 6, KI_JOINT_COORDINATES = 3, KI_JOINT_VELOCITIES = 6 };

/* A joint type in one kind of space. Functions that are not needed are NULL. */
typedef struct ki_joint_role {
    int conditions; /* freedoms it takes away: n_h + n_n (Gruebler) */

    /* tree role; n_v = -1: it has none, and is always cut */
    int n_q, n_v;
    const char *q_name[7], *v_name[6]; /* after "joint." or, for free joints, "body." */
    void (*place)(const ki_joint *joint, const double *q, ki_relative *relative);
    /* S column after column, d numbers each; bias [d]. With v NULL the bias is not asked for. */
    void (*columns)(const ki_joint *joint, const double *q, const double *v, double *S, double *bias);
    bool bends;  /* its bias is not always zero; in the plane all S are constant */
    bool is_pin; /* q = (angle about z) and nothing else: the recursion has formulas of its own */
    /* q nearest to a relative pose */
    void (*fit)(const ki_joint *joint, const ki_relative *relative, double *q);
    /* q' = N(q) v, q <- q (+) dv, dv = N^+ dq; NULL: q' = v */
    void (*kinematics)(const double *q, const double *v, double *q_rate);
    void (*advance)(double *q, const double *dv);
    void (*pull)(const double *q, const double *dq, double *dv);

    /* cut role */
    int n_h, n_n;
    int world_rows;   /* so many of its first rows are the coordinates x, y, z of p_1 - p_0 in the world */
    int turning_rows; /* so many of its last holonomic rows know only how the bodies are turned */
    const char *row_name[KI_JOINT_ROWS]; /* "x", "tilt": the constraint is called "joint.x" */
    /* fills rows [n_h + n_n] from the states of the two bodies */
    void (*rows)(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *rows);

    /* coordinates: names as users know them ("angle", "displacement"), and their rows; turning ones are
     * marked. `q` is that of the tree role (minus it where the tree has the joint reversed), or NULL: angles
     * are then reduced to (-pi, pi]. The reading is not added here. */
    int coordinates;
    const char *coordinate_name[KI_JOINT_COORDINATES];
    bool turns[KI_JOINT_COORDINATES];
    void (*measure)(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row);

    /* the size of what its rows hold, from the multipliers of its n_h + n_n rows, that presses its surfaces
     * together: normal(lambda) >= 0 and its derivative; smooth. NULL: no Coulomb friction possible. */
    double (*normal_force)(const ki_joint *joint, const double *lambda, double *derivative);
} ki_joint_role;

struct ki_joint_type {
    const char *word;
    const char *summary;                   /* a line for documents */
    const ki_joint_role *planar, *spatial; /* NULL: does not exist there */
    bool needs_axis;                       /* a zero axis is an error, not a default */
    bool needs_length, needs_pitch, needs_radius, needs_ratio;
    bool one_way; /* its two sides differ: in the tree only with body[1] hanging from body[0] */
    bool couples; /* gear, rack: ties coordinates of two joints; rows come from ki_coupling_row */
};

/* All types, in the order of the documents; NULL-terminated. */
extern const ki_joint_type *const ki_joint_types[];

/* The type called `word`, or NULL. */
const ki_joint_type *ki_joint_type_of(const char *word);

static inline const ki_joint_role *ki_role(const ki_joint *joint, int d) {
    return d == KI_PLANAR ? joint->type->planar : joint->type->spatial;
}

/* Velocities in the tree are minus the joint's own where it hangs reversed; those of quaternions are not,
 * which nobody reads. */
static inline double ki_tree_sign(const ki_joint *joint, const ki_joint_role *role) {
    return joint->reversed && !role->kinematics ? -1 : 1;
}

/* Coordinates of a tree joint that are readings: all, or those before the quaternion. */
static inline int ki_readings(const ki_joint *joint, const ki_joint_role *role) {
    int count = joint->made_up ? 0 : role->kinematics ? role->coordinates : role->n_q;
    return count < KI_JOINT_COORDINATES ? count : KI_JOINT_COORDINATES;
}

/* A coordinate as users read it, from one as the joint of the tree counts it; back: ki_mech.q_sense. */
static inline double ki_read(const ki_joint *joint, int k, double local) {
    return (joint->reversed ? -local : local) + joint->reading[k];
}

/* The frames of a joint on its two bodies from its directions in the drawn pose; their origins are left
 * alone. Zero vectors stand for the defaults. With the same directions on both bodies the two frames are the
 * same, so that the drawn pose is where the coordinates are zero. Axes of the frames:
 *
 *     in space    z along `axis`, x along `across` (what of it is perpendicular to the axis)
 *     universal   x along `axis`, y along `across`
 *     wheel       frame 0: z along across[0], the normal of the plane (default: z of the world), x the
 *                 direction of travel; frame 1: z along axis[1], the axle
 *     in a plane  x along `axis`, z out of the plane
 *
 * False: the axle of a wheel is along the normal. */
bool ki_joint_frames(const ki_joint_type *type, int d, const double axis[2][3], const double across[2][3],
                     ki_frame frame[2]);

/* What the drawn pose decides of the frames, once their origins are in place; `at` as drawn. Frame 0 of a
 * rolling joint looks from the plane to the side that the centre is on; the origin of a planar one is moved
 * along its line to the foot of the centre, so that the coordinates are zero as drawn. */
void ki_joint_settle(ki_joint *joint, int d, const double at[2][3]);

/* ---- building blocks of rows (parts_spatial.c, parts_planar.c) -------------------------------------------
 */

/* World position and velocity of a point at `r` (body components), and its acceleration without twist':
 * omega x (omega x R r). velocity and curve may be NULL. `arm` = R r. Spatial. */
void ki_point_at(const ki_state *s, const double r[3], double arm[3], double at[3], double velocity[3],
                 double curve[3]);

/* The same in the plane. */
void ki_planar_point_at(const ki_state *s, const double r[2], double arm[2], double at[2], double velocity[2],
                        double curve[2]);

/* The coordinates x, y, z of p_1 - p_0 in the world, p_k the origins of the joint's frames; in the plane x,
 * y.
 */
void ki_rows_coincide(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                      ki_row rows[3]);
void ki_planar_rows_coincide(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                             ki_row rows[2]);

/* (p_1 - p_0) . a with a = axis k of frame 0. Planar: k = 0 (x), 1 (y). */
void ki_row_along(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int k, ki_level level,
                  ki_row *row);
void ki_planar_row_along(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int k, ki_level level,
                         ki_row *row);

/* a . b with a = axis j of frame 0 and b = axis k of frame 1. */
void ki_row_dot(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int j, int k, ki_level level,
                ki_row *row);

/* The axes z of both frames parallel: y_0 . z_1, x_0 . z_1; and x parallel too: y_0 . x_1. */
void ki_rows_parallel(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                      ki_row rows[2]);
void ki_rows_aligned(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                     ki_row rows[3]);

/* Angle about the common axis z of the frames, from x of frame 0 to x of frame 1; q as in `measure` (value
 * q[0] when not NULL). Where the axes z differ it is the turn that remains when z_1 is swung back onto z_0 by
 * the shortest way; the rate is exact there too. Planar: angle_1 - angle_0 always. */
void ki_row_angle(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                  ki_level level, ki_row *row);
void ki_planar_row_angle(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                         ki_level level, ki_row *row);

/* The angle whose sine and cosine are proportional to two rows of the same bodies; row may be one of them. */
void ki_row_atan2(const ki_row *sine, const ki_row *cosine, const ki_state *s0, const ki_state *s1,
                  ki_level level, ki_row *row);

/* Planar angle of frame 1 from frame 0 when both bodies have the angle zero. */
double ki_planar_frame_turn(const ki_joint *joint);

/* |p_1 - p_0| - length, for points at r0, r1 (body components). */
void ki_row_distance(const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                     double length, ki_level level, ki_row *row);
void ki_planar_row_distance(const ki_state *s0, const double r0[2], const ki_state *s1, const double r1[2],
                            double length, ki_level level, ki_row *row);

/* A point x that touches both bodies but belongs to neither, and its velocity (in space). The velocity of
 * body 1's matter there relative to body 0's, along a direction e with rate e':
 *
 *     psi = e . (v_1 + omega_1 x (x - r_1) - v_0 - omega_0 x (x - r_0)).
 *
 * Rates are not used at KI_AT_POSITION. The value of the row is set to zero. */
typedef struct ki_contact {
    double x[3], x_rate[3];
} ki_contact;
void ki_row_contact(const ki_contact *contact, const ki_state *s0, const ki_state *s1, const double e[3],
                    const double e_rate[3], ki_level level, ki_row *row);

/* World direction of axis k of the joint's frame on a body, and its rate (NULL: not asked for). */
void ki_frame_axis(const ki_frame *frame, const ki_state *s, int k, double a[3], double a_rate[3]);

/* row <- row + s x, in space */
void ki_row_add(double s, const ki_row *x, ki_row *row);

/* ---- building blocks of the tree role (parts_tree.c) ---------------------------------------------------
 */

/* R = rotation by `angle` about axis k. */
void ki_turn_about(int k, double angle, double R[9]);

/* Angle of R about z, as ki_row_angle has it. */
double ki_turn_of(const double R[9]);

/* n_v columns of zeros, and a zero bias if v is not NULL. */
void ki_no_columns(int d, int n_v, const double *v, double *S, double *bias);

/* Columns (R e_k, 0) of an angular velocity in the axes of frame 1. */
void ki_ball_columns(const double e[4], double *S);

/* dv = N^+ de for a quaternion. */
void ki_quaternion_pull(const double e[4], const double de[4], double dv[3]);

/* sqrt(F^2 + F_0^2) - F_0 with F the length of the first n of `rows` multipliers; F_0 is tiny. */
double ki_force_size(const double *lambda, int n, int rows, double *derivative);

#endif
