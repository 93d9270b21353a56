/* joint.h - what a type of joint supplies, in either role. Its law is a file of src/laws/joints/; facts and
 * functions are generated from it (generated/).
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

    /* so many of its first rows hold what presses its surfaces together (ki_normal_force); 0: no Coulomb
     * friction possible */
    int pressing;
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

/* Planar angle of frame 1 from frame 0 when both bodies have the angle zero. */
double ki_planar_frame_turn(const ki_joint *joint);

/* Component k of the place of a point of a body, from a point of body 0, and the distance of two points; r0,
 * r1 in body components. */
void ki_row_apart(int d, const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                  int k, ki_level level, ki_row *row);
void ki_row_length(int d, const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                   ki_level level, ki_row *row);

/* dv = N^+ de for a quaternion. */
void ki_quaternion_pull(const double e[4], const double de[4], double dv[3]);

/* How hard a joint is pressed, from the multipliers of its rows, and its derivative by them:
 * sqrt(F^2 + F_0^2) - F_0 with F the length of those that press; F_0 is tiny. */
double ki_normal_force(const ki_joint_role *role, const double *lambda, double *derivative);

#endif
