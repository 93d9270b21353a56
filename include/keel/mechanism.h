/* mechanism.h - systems described as bodies, joints and forces.
 *
 * Everything is given in the drawn pose: places are world positions, directions world vectors, as in a
 * drawing. A mechanism is filled part by part, then compiled into a keel_system:
 *
 *     keel_mechanism *m = keel_mechanism_new();
 *     keel_body rod = keel_body_default("rod");
 *     rod.mass = 1, rod.centre[0] = 0.5, rod.inertia[2] = 1.0 / 12;
 *     int b = keel_mechanism_add_body(m, &rod, diagnostics);
 *     keel_joint pin = keel_joint_default("pin", "revolute", KEEL_GROUND, b);
 *     keel_mechanism_add_joint(m, &pin, diagnostics);                     at the origin, about z
 *     keel_mechanism_compile(m, diagnostics, &compiled);
 *
 * Names must be different among bodies, joints, forces and motions together. Text is copied. Vectors have
 * three components; in a planar mechanism the third of places and directions is ignored, and the third of
 * rotations (torque, inertia zz) is the one that counts.
 *
 * Quantities are named in formulas as docs/mechanisms.md lists them: "crank.angle", "P3.x",
 * "A.reaction.force"; a prime is a time derivative.
 */
#ifndef KEEL_MECHANISM_H
#define KEEL_MECHANISM_H

#include "keel/diagnostics.h"
#include "keel/system.h"

typedef struct keel_mechanism keel_mechanism;

enum { KEEL_GROUND = 0 }; /* number of the body that does not move; named "ground" */

typedef enum keel_coordinates {
    KEEL_COORDINATES_AUTO,     /* what is cheapest to factor                                  */
    KEEL_COORDINATES_RELATIVE, /* as many joints as possible are coordinates                  */
    KEEL_COORDINATES_ABSOLUTE  /* every body has its own pose, every joint is a constraint    */
} keel_coordinates;

/* A formula as it stands in a file, with the values of names that only it knows (variables of repeat
 * blocks). text = NULL: none. */
typedef struct keel_formula {
    const char *text;
    keel_location where;
    int local_count;
    const char *const *local_name;
    const double *local_value;
} keel_formula;

typedef struct keel_body {
    const char *name;
    keel_location where;
    double mass;       /* [kg] 0: massless */
    double centre[3];  /* centre of mass */
    double inertia[6]; /* xx yy zz xy yz zx about the centre, axes of the world; planar: zz only */
} keel_body;

/* Which of the fields count is told by the type of the joint (docs/joints.md). */
typedef struct keel_joint {
    const char *name;
    keel_location where;
    const char *type; /* "revolute", ... */
    int body[2];
    double at[2][3];   /* its place as a point of either body: equal unless drawn open */
    double axis[2][3]; /* its axis as a direction of either body; a zero vector: the type's default, z (planar
                          mechanisms: x) */
    double across[2][3]; /* a second direction; a zero vector: any that is perpendicular to the axis */
    int joint[2];        /* gear, rack: the joints that are coupled; their bodies are not asked for */
    double ratio;        /* gear: speed of the second per speed of the first [1]; rack: metres per radian */
    double length;       /* distance; 0: as drawn */
    double pitch;        /* screw: metres per turn */
    double radius;       /* of a disc, wheel or sphere */
    double reading[3];   /* what its coordinates read in the drawn pose */
    struct {
        double viscous; /* force (torque) per speed of each coordinate             */
        double coulomb; /* coefficient; 0: none. The joint is never a tree joint then */
        double radius;  /* lever arm of the friction torque of turning joints [m]  */
        double slip;    /* speed of the surfaces below which friction is reduced: tanh(speed/slip) */
    } friction;
} keel_joint;

typedef enum keel_force_kind {
    KEEL_FORCE_SPRING, /* between two points: stiffness, damping, free length, or a formula of length, rate */
    KEEL_FORCE_TORSION, /* on a coordinate of a joint: the same with angle, rate                  */
    KEEL_FORCE_PUSH,    /* force on a point: three formulas                                       */
    KEEL_FORCE_TWIST,   /* torque on a body: three formulas; or one formula on a joint's coordinate */
    KEEL_FORCE_BUSHING  /* between two bodies at a place: 6 x 6 stiffness and damping             */
} keel_force_kind;

typedef struct keel_force {
    const char *name;
    keel_location where;
    keel_force_kind kind;
    int body[2];       /* the force acts on body[1], its reaction on body[0] (default: ground) */
    double at[2][3];   /* the points */
    const char *joint; /* TORSION, TWIST on a joint: "hinge" or "hinge.angle"; NULL: none */
    double stiffness, damping;
    double free;      /* length or angle without force; NAN: as drawn */
    keel_formula law; /* SPRING, TORSION: pull (torque that resists) as a formula of length (angle), rate, t
                         and any quantity, instead of stiffness and damping */
    keel_formula component[3]; /* PUSH, TWIST: of t and any quantity; on a joint only the first counts */
    int in_body_axes;          /* PUSH, TWIST: axes that move with body[1], else those of the world */
    double K[36], C[36];       /* BUSHING: along and about x y z of body[0] as drawn, row-major */
} keel_force;

typedef struct keel_motion {
    const char *name;
    keel_location where;
    const char *quantity; /* what is driven: "crank.angle", "P.x" */
    keel_formula law;     /* its value as a formula of t; NULL: constant speed */
    double speed;
} keel_motion;

KEEL_API keel_body keel_body_default(const char *name);
KEEL_API keel_joint keel_joint_default(const char *name, const char *type, int body_0, int body_1);
KEEL_API keel_force keel_force_default(const char *name, keel_force_kind kind);

KEEL_API keel_mechanism *keel_mechanism_new(void); /* NULL when out of memory */
KEEL_API void keel_mechanism_free(keel_mechanism *mechanism);

KEEL_API void keel_mechanism_set_planar(keel_mechanism *mechanism, int planar);
KEEL_API void keel_mechanism_set_gravity(keel_mechanism *mechanism, const double gravity[3]);
KEEL_API void keel_mechanism_set_coordinates(keel_mechanism *mechanism, keel_coordinates coordinates);

/* How well the drawn geometry is known: places relative to the extent of the mechanism, directions in
 * radians. Conditions of joints that agree within it repeat each other (docs/sizes.md). */
#define KEEL_PRECISION      1e-6 /* if nothing is said: drawings with six digits */
#define KEEL_PRECISION_MOST 1e-3 /* beyond it mechanisms could not be told from one another */
KEEL_API void keel_mechanism_set_precision(keel_mechanism *mechanism, double length, double angle);

/* Each adds one part. The number of the part, counted from 0 among its kind (bodies from 1: KEEL_GROUND is
 * 0), or a negative keel_status: KEEL_ERROR_INPUT after a message (a name taken, a type not known, a number
 * that is not finite, ...), KEEL_ERROR_MEMORY. */
KEEL_API int keel_mechanism_add_body(keel_mechanism *mechanism, const keel_body *body,
                                     keel_diagnostics *diagnostics);
KEEL_API int keel_mechanism_add_point(keel_mechanism *mechanism, const char *name, int body,
                                      const double at[3], keel_location where, keel_diagnostics *diagnostics);
KEEL_API int keel_mechanism_add_joint(keel_mechanism *mechanism, const keel_joint *joint,
                                      keel_diagnostics *diagnostics);
KEEL_API int keel_mechanism_add_force(keel_mechanism *mechanism, const keel_force *force,
                                      keel_diagnostics *diagnostics);
KEEL_API int keel_mechanism_add_motion(keel_mechanism *mechanism, const keel_motion *motion,
                                       keel_diagnostics *diagnostics);

/* What a body looks like; it has no influence on its motion. Places and axes of the drawn pose. */
typedef enum keel_shape_kind {
    KEEL_SHAPE_ROD,      /* from, to, radius (0: slender)      */
    KEEL_SHAPE_CYLINDER, /* from, to, radius                   */
    KEEL_SHAPE_BOX,      /* at, axes, size                     */
    KEEL_SHAPE_PLATE,    /* at, axes, size (the third may be 0) */
    KEEL_SHAPE_SPHERE,   /* at, radius                         */
    KEEL_SHAPE_MASS      /* at: a point mass                   */
} keel_shape_kind;

typedef struct keel_shape {
    keel_shape_kind kind;
    double from[3], to[3]; /* ends of the axis            */
    double at[3];          /* centre                      */
    double axes[9];        /* of a box or plate: columns of a rotation matrix, row-major */
    double size[3];        /* edges along them            */
    double radius;
} keel_shape;

/* Adds a shape to a body. KEEL_ERROR_INPUT for a body that is not there or numbers that are not finite. */
KEEL_API keel_status keel_mechanism_add_shape(keel_mechanism *mechanism, int body, const keel_shape *shape);

/* A parameter that formulas may use, a quantity's value at the start ("crank.angle", "crank.angle'",
 * "frame.spin.x"), an output. */
KEEL_API keel_status keel_mechanism_add_parameter(keel_mechanism *mechanism, const char *name, double value);
KEEL_API keel_status keel_mechanism_add_start(keel_mechanism *mechanism, const char *quantity,
                                              keel_location where, double value);
KEEL_API keel_status keel_mechanism_add_output(keel_mechanism *mechanism, const char *name,
                                               keel_location where, keel_formula formula);

/* A first-order state z with z' = rate, a formula of t and of what forces may use; rate->text NULL: an input,
 * which keeps its value until keel_simulation_set_input gives it another. Formulas of forces, of rates and of
 * outputs use it by its name, which may have dots ("wind.x"). */
KEEL_API keel_status keel_mechanism_add_state(keel_mechanism *mechanism, const char *name,
                                              keel_location where, double start, const keel_formula *rate,
                                              keel_diagnostics *diagnostics);

/* A formula with a name, which stands for it in other formulas. */
KEEL_API keel_status keel_mechanism_add_definition(keel_mechanism *mechanism, const char *name,
                                                   keel_location where, const keel_formula *formula,
                                                   keel_diagnostics *diagnostics);

/* Number of the part of that name, or -1. */
KEEL_API int keel_mechanism_find_body(const keel_mechanism *mechanism, const char *name);
KEEL_API int keel_mechanism_find_joint(const keel_mechanism *mechanism, const char *name);

/* The types of joints, for messages and documents; NULL-terminated. */
KEEL_API const char *const *keel_joint_types(void);

/* A compiled mechanism. `assembly` is the mechanism in relative coordinates (those of `system` where
 * branches are very long) with the start values as
 * constraints besides, and `drawn` its state: the drawn pose as far as these coordinates can show it, joints
 * with start values moved to them and carrying along what hangs from them, other joints as drawn and at rest.
 * Loops may be open. `start` is the same in the coordinates of `system`; keel_assemble_mechanism closes both,
 * whatever these coordinates are. */
typedef struct keel_compiled {
    keel_system *system, *assembly;
    keel_state *start, *drawn; /* of system, of assembly */
} keel_compiled;

/* Writes the poses and velocities of a state of `from` in the coordinates of `to`, two systems of one
 * mechanism. As far as its tree joints can: joints that are open in `state` end at the nearest of what they
 * allow. KEEL_ERROR_MEMORY. */
KEEL_API keel_status keel_mechanism_transfer(const keel_system *from, const keel_state *state,
                                             const keel_system *to, keel_state *result);

/* Compiles. The result does not need `mechanism` afterwards; it is left empty after a failure. */
KEEL_API keel_status keel_mechanism_compile(const keel_mechanism *mechanism, keel_diagnostics *diagnostics,
                                            keel_compiled *compiled);
KEEL_API void keel_compiled_clear(keel_compiled *compiled);
KEEL_API void keel_mechanism_system_free(keel_system *system);

/* Lets runs that are long enough have the equations of a small mechanism as formulas, which then answer for
 * it (keel_system.for_run): the same numbers up to round-off, exact derivatives, and machine code where
 * keel_native_attach finds a compiler. To be called before the system is used. Mechanisms that have what is
 * not written (quaternions, nonholonomic conditions, dry friction, many bodies) stay as they are.
 * KEEL_ERROR_MEMORY. */
KEEL_API keel_status keel_mechanism_write(keel_system *system);

/* ---- looking at a compiled mechanism; only the first two may be asked of other systems ------------------
 */

/* The formulas that answer for a mechanism, a system made from equations; NULL if there are none. */
KEEL_API const keel_system *keel_mechanism_formulas(const keel_system *system);

/* What keel_system.for_run has made of a mechanism by now; NULL if nothing. */
KEEL_API const keel_system *keel_mechanism_long_run(const keel_system *system);

typedef struct keel_mechanism_facts {
    int planar;
    int bodies; /* without the ground */
    int joints; /* as described, without the free joints that were made up */
    int tree_joints, cut_joints;
    keel_coordinates asked;
    int choices;            /* what `auto` compared */
    const char *choice[16]; /* "relative", "absolute", "cut every 8" */
    double choice_cost[16]; /* predicted multiplications of a factorization; NAN: too large to look at */
    int chosen;             /* index of the choice taken */
    int gruebler;           /* freedoms of the bodies minus conditions of the joints and motions, as if all
                               were independent */
} keel_mechanism_facts;

/* 1, or 0 if the system is not a mechanism. */
KEEL_API int keel_mechanism_look(const keel_system *system, keel_mechanism_facts *facts);

/* Names and places in the file of joint i (0 .. facts.joints - 1) and body i (1 .. facts.bodies). */
KEEL_API const char *keel_mechanism_joint_name(const keel_system *system, int joint);
KEEL_API const char *keel_mechanism_joint_type(const keel_system *system, int joint);
KEEL_API int keel_mechanism_joint_is_tree(const keel_system *system, int joint);
KEEL_API void keel_mechanism_joint_bodies(const keel_system *system, int joint, int body[2]);
KEEL_API keel_location keel_mechanism_joint_where(const keel_system *system, int joint);
KEEL_API const char *keel_mechanism_body_name(const keel_system *system, int body);
KEEL_API keel_location keel_mechanism_body_where(const keel_system *system, int body);

/* Conditions of a joint, and the first of its rows in J if it is cut (else -1). */
KEEL_API int keel_mechanism_joint_conditions(const keel_system *system, int joint);
KEEL_API int keel_mechanism_joint_row(const keel_system *system, int joint, int *holonomic, int *nonholonomic,
                                      int *first_nonholonomic);

/* The conditions of a joint, cut or not, as covectors on the twists of the bodies: rows [conditions x d
 * (bodies + 1)], row-major, the ground first, with d = 3 in the plane (omega, v_x, v_y), 6 in space. `work`
 * is a scratch area of the system. */
KEEL_API void keel_mechanism_joint_covectors(const keel_system *system, void *work, const keel_point *at,
                                             int joint, double *rows);

/* Coefficient of Coulomb friction in a joint. */
KEEL_API double keel_mechanism_joint_friction(const keel_system *system, int joint);

/* What a row of J comes from. */
typedef enum keel_row_kind { KEEL_ROW_JOINT, KEEL_ROW_MOTION, KEEL_ROW_START } keel_row_kind;
typedef struct keel_row_source {
    keel_row_kind kind;
    int number;       /* among its kind                                              */
    const char *name; /* of the joint, of the motion, of the quantity with its prime */
    keel_location where;
} keel_row_source;
KEEL_API keel_row_source keel_mechanism_row_source(const keel_system *system, int row);

/* Start values of positions: so many are the last holonomic rows of an assembly. They are asked of the pose,
 * not of its velocities. */
KEEL_API int keel_mechanism_pose_rows(const keel_system *system);

/* Force and torque (about the joint's place on its second body) that a joint exerts on its second body. */
typedef struct keel_reaction {
    double force[3], torque[3];             /* world axes */
    double local_force[3], local_torque[3]; /* axes of the joint on its first body: z is the joint's axis */
} keel_reaction;

/* Reactions of all joints, [facts.joints], with accelerations v_rate and multipliers at->lambda. `work` is a
 * scratch area of the system (work_new). With v_rate NULL: those of the multipliers alone, bodies without
 * mass and forces: which joints carry a state of self-stress. */
KEEL_API keel_status keel_mechanism_reactions(const keel_system *system, void *work, const keel_point *at,
                                              const double *v_rate, keel_reaction *reactions);

/* How far a spring, torsion spring or bushing is from where it was drawn. */
typedef struct keel_load {
    const char *name;
    keel_location where;
    keel_force_kind kind;
    int elastic;          /* it has a stiffness or a law                                   */
    int named;            /* a start value or a motion asks for its coordinate, or length  */
    double stretch, turn; /* change of its length, or displacement; of its angle           */
    double energy;        /* change of its energy; NAN: it follows a law                   */
} keel_load;
KEEL_API int keel_mechanism_force_count(const keel_system *system);

/* Of force element `force`, 0 .. count - 1; zeros for kinds that are no springs. False when there is none. */
KEEL_API int keel_mechanism_load(const keel_system *system, void *work, const keel_point *at, int force,
                                 keel_load *load);

/* Poses of all bodies, the ground first: rotation from the drawn pose (row-major) and position of the
 * reference point (centre of mass), and where that was drawn. Arrays of facts.bodies + 1. */
typedef struct keel_pose {
    double R[9], r[3], drawn[3];
} keel_pose;
KEEL_API keel_status keel_mechanism_poses(const keel_system *system, void *work, const keel_point *at,
                                          keel_pose *poses);

/* ---- how it looks ---------------------------------------------------------------------------------------
 */

/* The shapes of a body, in the order they were added; returns their number. */
KEEL_API int keel_mechanism_shapes(const keel_system *system, int body, const keel_shape **shapes);

/* A point of a body, as it is from the reference point in body axes (those of the world in the drawn pose).
 * False (0) when there is none of that number. */
typedef struct keel_marker {
    const char *name;
    int body;
    double at[3];
} keel_marker;
KEEL_API int keel_mechanism_marker(const keel_system *system, int point, keel_marker *marker);

/* What ties two bodies: a joint, or a spring. Places as above, one on either body; the axis is that of a
 * joint in axes of body[0]: its line for joints that slide in a plane, else what it turns about. False when
 * there is none of that number, or it has no place (gear, rack). */
typedef struct keel_tie {
    const char *name;
    int body[2];
    double at[2][3], axis[3];
    double radius;  /* of what rolls on body[0], else 0         */
    double axle[3]; /* what it turns about, of a skate its edge, in axes of body[1] */
} keel_tie;
KEEL_API int keel_mechanism_joint_tie(const keel_system *system, int joint, keel_tie *tie);
KEEL_API int keel_mechanism_spring_tie(const keel_system *system, int spring, keel_tie *tie);

/* What a gear or rack couples: the coordinate of joint[1] changes by `ratio` times that of joint[0]. False
 * for other joints. */
typedef struct keel_mesh {
    int joint[2];
    double ratio;
} keel_mesh;
KEEL_API int keel_mechanism_joint_mesh(const keel_system *system, int joint, keel_mesh *mesh);

KEEL_API void keel_mechanism_gravity(const keel_system *system, double gravity[3]);

/* d(twist of a body)/dv, 6 x n_v row-major (angular velocity, velocity of the reference point; world axes).
 */
KEEL_API keel_status keel_mechanism_body_jacobian(const keel_system *system, void *work, const keel_point *at,
                                                  int body, double *J);

#endif
