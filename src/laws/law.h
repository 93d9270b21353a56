/* law.h - what the law of a joint or of a force is written with: nodes of an expression graph.
 *
 * A builder is given nodes for its inputs - poses and twists of two bodies, coordinates and velocities, the
 * constants of the element - and makes nodes for its outputs. Two users call the same builders: the program
 * tools/generate_laws.c, which makes plain C from them (src/mechanism/generated/), and src/symbolic, which
 * writes a small mechanism as one program.
 *
 * The plane has no formulas of its own unless its law differs: inputs that are always zero there are zeros,
 * which fold away as nodes are made. A body has the pose R, r and the twist omega, v (world axes, v of its
 * reference point); alpha, a are the rates of the twist that are known, zero in generated code.
 */
#ifndef KI_LAWS_LAW_H
#define KI_LAWS_LAW_H

#include "laws/algebra.h"

/* Its value along a motion, and the first and second derivatives by time. */
typedef struct ki_jet {
    ki_node x, rate, curve;
} ki_jet;

typedef struct ki_jets { /* the same of a vector */
    vec x, rate, curve;
} ki_jets;

typedef struct ki_law_body {
    mat R;
    vec r, omega, v, alpha, a;
    ki_node angle; /* plane: of R, not reduced to a turn */
} ki_law_body;

/* Most coordinates, velocities, rows and measured coordinates of a joint. */
enum { KI_LAW_Q = 7, KI_LAW_V = 6, KI_LAW_ROWS = 6, KI_LAW_COORDINATES = 3 };

/* Frame 1 in frame 0, in the axes of that. */
typedef struct ki_law_pose {
    mat R;         /* space */
    ki_node angle; /* plane */
    vec r;
} ki_law_pose;

/* What a builder is given. */
typedef struct ki_law {
    ki_graph *g;
    bool plane;
    /* constants: the frames on both bodies (axes as columns, origins; body components), dimensions */
    mat F[2];
    vec at[2];
    ki_node length, pitch, radius;
    ki_node drawn;       /* plane: angle of frame 1 from frame 0 when both bodies have the angle zero */
    ki_law_body body[2]; /* of a cut joint, of a force */
    /* of a joint of the tree: coordinates and velocities as the joint counts them, and the sines and cosines
     * of those that are angles */
    ki_node q[KI_LAW_Q], v[KI_LAW_V];
    ki_turn turn[KI_LAW_Q];
    ki_law_pose pose; /* to which coordinates are fitted */
} ki_law;

/* A joint of the tree: where it places frame 1, and its relative twist (Omega, V) = S v with V the velocity
 * of the origin of frame 1. The bias is that of Omega, S' v; no joint has one of V. */
typedef struct ki_law_hinge {
    ki_law_pose pose;
    vec Omega[KI_LAW_V], V[KI_LAW_V];
    vec bias;
} ki_law_hinge;

/* A scalar between two bodies. Its rate is the sum over both bodies of e . (v + omega x arm) + T . omega: a
 * force f along it is f e at P = r + arm and a torque f T, on either body. `curve` is the derivative of the
 * rate with alpha and a for the rates of the twists. */
typedef struct ki_law_row {
    ki_node value, rate, curve; /* no value where it is nonholonomic: 0 */
    vec arm[2], P[2], e[2], T[2];
} ki_law_row;

/* ---- jets (jets.c) --------------------------------------------------------------------------------------
 */

ki_jet ki_jet_plus(ki_graph *g, ki_jet a, ki_jet b);
ki_jet ki_jet_minus(ki_graph *g, ki_jet a, ki_jet b);
ki_jet ki_jet_times(ki_graph *g, ki_jet a, ki_jet b);
ki_jet ki_jet_inverse(ki_graph *g, ki_jet a);
ki_jet ki_jet_root(ki_graph *g, ki_jet a, double least); /* not below `least` */
ki_jet ki_jet_atan2(ki_graph *g, ki_jet sine, ki_jet cosine);
ki_jet ki_jets_dot(ki_graph *g, ki_jets a, ki_jets b);
ki_jets ki_jets_minus(ki_graph *g, ki_jets a, ki_jets b);
ki_jets ki_jets_cross(ki_graph *g, ki_jets a, ki_jets b);
ki_jets ki_jets_times(ki_graph *g, ki_jet s, ki_jets a);
ki_jets ki_jets_scaled(ki_graph *g, ki_node s, ki_jets a); /* s is a constant */

/* ---- points and directions of bodies (rows.c) -----------------------------------------------------------
 */

/* A point at `local` (body components) and its arm from the reference point; x.x is its place. */
typedef struct ki_law_point {
    vec arm;
    ki_jets x;
} ki_law_point;

ki_law_point ki_law_point_of(ki_graph *g, const ki_law_body *body, vec local);
ki_law_point ki_law_origin(const ki_law *law, int side); /* of frame `side` */
ki_jets ki_law_axis(const ki_law *law, int side, int k); /* axis k of frame `side`, in the world */
vec ki_law_unit(ki_graph *g, int k);                     /* e_k */
mat ki_law_turn_about(ki_graph *g, int k, ki_turn turn); /* rotation about axis k */
mat ki_law_quaternion(ki_graph *g, const ki_node e[4]);  /* rotation matrix */
vec ki_law_rotation_vector(ki_graph *g, const mat *R);   /* theta with R = exp[theta], |theta| <= pi */
mat ki_law_rotation_vector_rate(ki_graph *g, vec theta); /* theta' = L omega where R' = [omega] R */
ki_node ki_law_turn_of(ki_graph *g, const mat *R);       /* angle of R about z */
ki_node ki_law_wrapped(ki_graph *g, ki_node angle);      /* without its whole turns */

/* ---- rows (rows.c) --------------------------------------------------------------------------------------
 */

/* Component k of p_1 - p_0 in the world, p the points; of the origins of the frames: all, returns how many.
 */
ki_law_row ki_law_apart(ki_graph *g, const ki_law_point *p_0, const ki_law_point *p_1, int k);
int ki_law_coincide(const ki_law *law, ki_law_row *out);

/* (p_1 - p_0) . a, a = axis k of frame 0. */
ki_law_row ki_law_along(const ki_law *law, int k);

/* a . b, a = axis j of frame 0, b = axis k of frame 1; y_0 . z_1, x_0 . z_1; and y_0 . x_1: how many. */
ki_law_row ki_law_dot(const ki_law *law, int j, int k);
int ki_law_parallel(const ki_law *law, ki_law_row *out);
int ki_law_aligned(const ki_law *law, ki_law_row *out);

/* Angle about the common axis z of the frames, from x of frame 0 to x of frame 1. Where the axes z differ it
 * is the turn that remains when z_1 is swung back onto z_0 by the shortest way. */
ki_law_row ki_law_angle(const ki_law *law);

/* The angle whose sine and cosine are proportional to two rows that only know turns. */
ki_law_row ki_law_atan2(ki_graph *g, const ki_law_row *sine, const ki_law_row *cosine);

/* |p_1 - p_0| */
ki_law_row ki_law_length(ki_graph *g, const ki_law_point *p_0, const ki_law_point *p_1);

/* A point that touches both bodies and belongs to neither: the point p of body 1 moved by `off`. The velocity
 * of body 1's matter there relative to body 0's, along e. */
ki_law_row ki_law_contact(const ki_law *law, const ki_law_point *p, const ki_jets *off, const ki_jets *e);

/* row + s x, where x only knows turns and s is a constant */
ki_law_row ki_law_add_turn(ki_graph *g, ki_law_row row, ki_node s, const ki_law_row *x);

#endif
