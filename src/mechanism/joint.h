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
    /* q nearest to a relative pose */
    void (*fit)(const ki_joint *joint, const ki_relative *relative, double *q);
    /* q' = N(q) v, q <- q (+) dv, dv = N^+ dq; NULL: q' = v */
    void (*kinematics)(const double *q, const double *v, double *q_rate);
    void (*advance)(double *q, const double *dv);
    void (*pull)(const double *q, const double *dq, double *dv);

    /* cut role */
    int n_h, n_n;
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

/* ---- building blocks of rows (parts_spatial.c, parts_planar.c) -------------------------------------------
 */

/* World position and velocity of a point at `r` (body components), and its acceleration without twist':
 * omega x (omega x R r). velocity and curve may be NULL. `arm` = R r. Spatial. */
void ki_point_at(const ki_state *s, const double r[3], double arm[3], double at[3], double velocity[3],
                 double curve[3]);

/* The same in the plane. */
void ki_planar_point_at(const ki_state *s, const double r[2], double arm[2], double at[2], double velocity[2],
                        double curve[2]);

/* (p_1 - p_0) . e with a fixed world direction e; p_k the origins of the joint's frames. */
void ki_row_coincide(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double e[3],
                     ki_level level, ki_row *row);
void ki_planar_row_coincide(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double e[2],
                            ki_level level, ki_row *row);

/* (p_1 - p_0) . a with a = axis k of frame 0. Planar: k = 0 (x), 1 (y). */
void ki_row_along(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int k, ki_level level,
                  ki_row *row);
void ki_planar_row_along(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int k, ki_level level,
                         ki_row *row);

/* a . b with a = axis j of frame 0 and b = axis k of frame 1. */
void ki_row_dot(const ki_joint *joint, const ki_state *s0, const ki_state *s1, int j, int k, ki_level level,
                ki_row *row);

/* Angle about axis z of frame 0, from its x axis to that of frame 1; q as in `measure` (value q[0] when not
 * NULL). The axes z of both frames must coincide for the rate to be exact. Planar: angle_1 - angle_0 always.
 */
void ki_row_angle(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                  ki_level level, ki_row *row);
void ki_planar_row_angle(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                         ki_level level, ki_row *row);

/* |p_1 - p_0| - length, for points at r0, r1 (body components). */
void ki_row_distance(const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                     double length, ki_level level, ki_row *row);
void ki_planar_row_distance(const ki_state *s0, const double r0[2], const ki_state *s1, const double r1[2],
                            double length, ki_level level, ki_row *row);

#endif
