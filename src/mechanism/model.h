/* model.h - a compiled mechanism: a spanning tree of bodies, joints in and out of it, forces, measures.
 *
 * Frames. Every body has a reference point, its centre of mass, and axes that are those of the world in the
 * drawn pose. Its pose is R (body to world) and r (position of the reference point); its twist is the angular
 * velocity omega and the velocity of the reference point, both in world axes. A twist has d components:
 *
 *     spatial  d = 6   (omega_x, omega_y, omega_z, v_x, v_y, v_z)
 *     planar   d = 3   (omega, v_x, v_y)
 *
 * A wrench has the matching ones, torque about the reference point first, so that power = wrench . twist.
 *
 * The tree. Bodies are numbered so that parents come before children; number 0 is the ground. The tree joint
 * of a body supplies its coordinates q and velocities v; a body that hangs from the ground by a made-up free
 * joint has coordinates of its own (absolute coordinates are: all of them). Joints that are cut supply rows.
 *
 * Rows. Whatever is a scalar function of the poses of two bodies - a condition of a cut joint, a coordinate
 * of a joint, a component of a point, the length of a spring - is a ki_row: its value, the covectors w on the
 * twists of the two bodies, and gamma, so that along a motion
 *
 *     value'  = w_0 . twist_0 + w_1 . twist_1
 *     value'' = w_0 . twist_0' + w_1 . twist_1' + gamma.
 *
 * A force f along the row is the wrench f w_b on body b. This is all that constraints, motions, springs,
 * friction, start values and outputs need: the same rows serve all of them, in the tree or out of it.
 */
#ifndef KI_MECHANISM_MODEL_H
#define KI_MECHANISM_MODEL_H

#include <stdbool.h>

#include <stdatomic.h>

#include "base/arena.h"
#include "base/rotation.h"
#include "expr/expr.h"
#include "expr/switches.h"
#include "keel/mechanism.h"

enum { KI_PLANAR = 3, KI_SPATIAL = 6 }; /* d */

typedef struct ki_row {
    double value;   /* not of nonholonomic rows */
    double w[2][6]; /* [d] each; that of the ground is not used */
    double gamma;
} ki_row;

/* How much of a row is asked for. */
typedef enum ki_level {
    KI_AT_POSITION, /* value and w; twists may be unknown */
    KI_AT_VELOCITY  /* gamma too: twists are known        */
} ki_level;

/* Where a body is and how it moves: filled by the recursion. */
typedef struct ki_state {
    double R[9], r[3];    /* planar: the entries of the plane change, the others are those of the identity */
    double angle;         /* planar: of R, not reduced to a turn */
    double twist[6];      /* [d] */
    double bias[6];       /* [d] twist' when v' = 0 */
    double twist_rate[6]; /* [d] twist' with the accelerations of the last ki_accelerate */
} ki_state;

typedef struct ki_frame {
    double R[9]; /* axes in body components (columns) */
    double r[3]; /* origin from the reference point, body components */
} ki_frame;

typedef struct ki_joint_type ki_joint_type;

typedef struct ki_joint {
    const ki_joint_type *type;
    const char *name;
    keel_location where;
    int body[2];       /* in the numbers of the tree; always in the order of the description */
    ki_frame frame[2]; /* the joint's frame on either body: z is its axis; planar: x is its direction */
    double length;     /* distance; gear, rack: ratio c_0 - c_1 as drawn */
    double pitch, radius, ratio;
    double turn; /* planar: frame 1 from frame 0 when both bodies have the angle zero */
    double reading[3];
    int other[2];     /* gear, rack: the joints coupled */
    bool tree;        /* one of its bodies hangs from the other */
    bool reversed;    /* tree: body[0] hangs from body[1]; q and v are then minus what users read */
    bool made_up;     /* a free joint that is in no description */
    int described;    /* number in the description, -1 if made up */
    int q, v;         /* tree: its first coordinate, its first velocity */
    int row_h, row_n; /* cut: its first holonomic row, its first nonholonomic row (counted from n_h on) */
    double viscous, coulomb, friction_radius, slip;
} ki_joint;

/* The relative pose of the joint's frame on body 1, seen from its frame on body 0. */
typedef struct ki_relative {
    double R[9], r[3]; /* spatial */
    double angle;      /* planar, with r[0], r[1] */
} ki_relative;

/* Hinges with formulas of their own in the recursion; the others ask their joint. */
typedef enum ki_hinge_kind {
    KI_HINGE_ANY,
    KI_HINGE_PIN, /* revolute */
    KI_HINGE_OWN  /* a made-up free joint: coordinates of its own */
} ki_hinge_kind;

/* The constants of a hinge. In the plane its columns S, which are constant on the parent there. Of a pin in
 * space: R_b = R_p (turn_0 + cos q turn_1 + sin q turn_2), and its axis on the parent with the sign of v. */
typedef struct ki_hinge_constants {
    double columns[3][3];
    double turn[3][9], axis[3];
} ki_hinge_constants;

/* What the passes over the tree read stands first and together. */
typedef struct ki_body {
    int parent; /* -1: the ground itself */
    int q;      /* its first coordinate */
    int v, n_v; /* its velocities */
    ki_hinge_kind kind;
    double sign; /* 1, or -1: its velocities are minus those of the hinge */
    bool alone;  /* hangs from the ground by a free joint and carries no child: its mass matrix is constant */
    double drawn_turn; /* planar: angle between the hinge's frames on parent and body, as constants of both */
    double place[2][3];      /* of the hinge on parent and body: hinge.frame[].r */
    double mass, inertia[6]; /* xx yy zz xy yz zx about the reference point, body axes; planar: [2] */
    double moment[3];        /* spatial: principal moments, about the axes of a made-up free joint */
    const ki_hinge_constants *constants;
    double drawn[3]; /* reference point in the drawn pose */
    int depth;       /* ancestors up to the ground */
    int joint;       /* its tree joint */
    ki_joint hinge;  /* that joint with body[0] = parent, body[1] = this one (swapped where reversed) */
    const char *name;
    keel_location where;
    int described; /* number in the description */
} ki_body;

/* A scalar that can be asked of a mechanism by name. Kinematic ones are rows. */
typedef enum ki_measure_kind {
    KI_MEASURE_JOINT,  /* coordinate `component` of joint `object`                               */
    KI_MEASURE_POINT,  /* world coordinate x y z of point `object`                               */
    KI_MEASURE_CENTRE, /* of the reference point of body `object`                                */
    KI_MEASURE_ANGLE,  /* planar: angle of body `object` from its drawn pose                     */
    KI_MEASURE_SPIN,   /* velocity only: angular velocity of body `object`, world axes           */
    KI_MEASURE_TURN,   /* spatial: of the rotation vector of body[1] from the drawn pose, seen from body[0] */
    KI_MEASURE_LENGTH, /* distance between the two points of spring `object`                     */
    /* not rows: */
    KI_MEASURE_ROTATION, /* entry `component` of the rotation matrix of body `object`              */
    KI_MEASURE_REACTION, /* of joint `object`: see quantity.h for the components                   */
    KI_MEASURE_FORCE,    /* what spring or torsion `object` exerts                                 */
    KI_MEASURE_DRIVE,    /* what motion `object` exerts                                            */
    KI_MEASURE_STATE     /* first-order state `object`                                             */
} ki_measure_kind;

typedef struct ki_measure {
    ki_measure_kind kind;
    int object, component;
    int primes;  /* time derivatives */
    int body[2]; /* of a row: ground for those with one body */
} ki_measure;

/* A point of a body. */
typedef struct ki_point {
    const char *name;
    keel_location where;
    int body;
    double r[3]; /* from the reference point, body components */
} ki_point;

/* A formula: tape with inputs t, then extra ones (a spring's length and rate), then measures. */
typedef struct ki_formula {
    ki_tape *tape; /* NULL: no formula */
    int input_count;
    const ki_measure *input; /* measures, the last of its inputs */
    int outputs;
    size_t work;         /* where its part of ki_mech_work.tape begins */
    const ki_node *node; /* [outputs] of a force: the same in ki_mech.laws; symbols are the inputs */
} ki_formula;

typedef struct ki_force ki_force; /* forces/force.h */

typedef struct ki_motion {
    const char *name;
    keel_location where;
    ki_measure measure;
    ki_tape *tape;   /* f(t), f'(t), f''(t) */
    ki_node node[3]; /* the same in ki_mech.laws; symbol 0 is t */
    size_t work;     /* where its part of ki_mech_work.tape begins */
} ki_motion;

/* A value at the start, as a row of the assembly: holonomic, or nonholonomic for velocities. */
typedef struct ki_start_row {
    const char *name;
    keel_location where;
    ki_measure measure;
    double value;
    bool given;           /* else zero, because another component of the same turn is given */
    const double *target; /* [9] of a turn: the rotation that its three components make; else NULL */
} ki_start_row;

/* A joint with Coulomb friction, and the velocities that its bodies go by. */
typedef struct ki_dry_joint {
    int number;         /* of the joint */
    int rows;           /* it has in J  */
    int first, columns; /* in ki_dry_friction.column */
    int slot;           /* its entries of dQ/dlambda: [columns x rows] in ki_dry_friction.slot */
} ki_dry_joint;

typedef struct ki_dry_friction {
    int count, columns;
    ki_dry_joint *joint; /* [count] */
    int *column;         /* [columns] */
    int *slot;           /* in the pattern of dQ/dlambda */
} ki_dry_friction;

/* The same mechanism by formulas (src/symbolic/), made when a run first earns it. */
typedef struct ki_long_run ki_long_run;
struct ki_long_run {
    _Atomic(const keel_system *) system; /* NULL: not yet */
    void (*free)(ki_long_run *of);
};

typedef struct ki_mech {
    keel_system system; /* what the caller holds; its `model` points back here */
    ki_arena arena;
    const char *file; /* the last file that a location named */
    int d;
    /* [n_q] coordinates as the joints of the tree count them: sense (q - reading) */
    double *q_sense, *q_reading;
    double gravity[3];
    int body_count; /* with the ground */
    ki_body *body;
    int *body_of; /* [body_count] described number -> tree number */
    int joint_count;
    ki_joint *joint; /* described ones first, in their order */
    int described_joints;
    int point_count;
    ki_point *point; /* [point_count], then the places of the described joints */
    int force_count;
    ki_force *force;
    int motion_count;
    ki_motion *motion;
    int start_count; /* of the assembly only */
    ki_start_row *start;
    int output_count;
    ki_formula outputs;
    int state_count; /* first-order states, of which the assembly knows the start values only */
    double *state_start;
    ki_formula rates;        /* of those that are no inputs, in their order; */
    int *rate_of;            /* [rates.outputs] whose they are */
    ki_formula rate_sides;   /* their switching functions */
    int wound_count, *wound; /* inputs of them that are angles up to whole turns */
    keel_shape *shape;       /* of all bodies, one body after the other */
    int *shape_start;        /* [body_count + 1] by described number */
    size_t tape_size;        /* doubles of work of all tapes so far */
    keel_mechanism_facts facts;
    ki_dry_friction dry;
    struct ki_layout *layout;       /* layout.h: which rows there are, and where entries go */
    struct ki_colouring *colouring; /* tangent.h */
    ki_graph *laws;                 /* of forces and motions; NULL: there are none */
    ki_instants *instants;          /* when laws of t change over; NULL: never */
    size_t instants_work;           /* where its part of ki_mech_work.tape begins */
    const keel_system *formulas;    /* the same equations as formulas, which answer for it; NULL: none */
    ki_long_run *long_run;          /* what long runs use instead; NULL: nothing else. Owned */
} ki_mech;

#endif
