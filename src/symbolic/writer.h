/* writer.h - a mechanism being written as formulas.
 *
 * The same equations as in src/mechanism/ (frames, tree and rows are explained in model.h), with nodes of an
 * expression graph in the place of numbers: bodies in their order from the ground outwards,
 *
 *     omega_b = omega_p + Omega                    Omega, V: what the hinge adds; c, d: from r_p to its place
 *     v_b = v_p + omega_p x c + V + omega_b x d    H on the parent, from H to r_b
 *
 * and their derivatives with v' = 0, alpha and a. A column (Omega, V, H) is the motion that a unit of one
 * velocity makes: points P of all bodies that hang from the hinge move with V + Omega x (P - H).
 *
 * One set of formulas serves the plane and space: what is always zero in the plane folds away.
 */
#ifndef KI_SYMBOLIC_WRITER_H
#define KI_SYMBOLIC_WRITER_H

#include "laws/law.h"
#include "mechanism/joint.h"
#include "mechanism/layout.h"

/* A body. Its rotary inertia is written in its own axes, in which much is constant: a pin's own axis is, and
 * nothing has to be turned forth and back. */
typedef struct ki_moving {
    mat R;
    vec r, omega, v, alpha, a;
    ki_node angle;            /* plane: of R */
    vec omega_own, alpha_own; /* omega and alpha in body axes */
    int turns;                /* velocities of its hinge, of its parent's, ... to the ground: */
    const int *velocity;      /* [turns] their numbers, */
    const vec *turn;          /* [turns] and the Omega of their columns in body axes */
} ki_moving;

typedef struct ki_column {
    vec Omega, V, H;
} ki_column;

typedef struct ki_writer {
    const ki_mech *mech;
    ki_graph *g;
    ki_arena *arena;
    int t, q, v;         /* symbols of time, of the first coordinate, of the first velocity */
    ki_moving *body;     /* [body_count] */
    ki_column *column;   /* [n_v] */
    vec *force, *torque; /* [body_count] on each body, about its reference point */
    ki_node *Q;          /* [n_v] forces along velocities, beside those on bodies */
    ki_node kinetic, potential, power;
    ki_node *M, *J;              /* entries of the patterns */
    ki_node *Phi, *rate, *curve; /* [m] of the rows; curve: second derivative with v' = 0 */
} ki_writer;

/* A body as laws see it. */
ki_law_body ki_law_body_of(const ki_writer *w, int body);

/* A scalar between two bodies: forces f along it are f e at P and a torque f T, on either body. Where it is a
 * coordinate itself, all that counts is its velocity: forces act along that. */
typedef struct ki_line {
    ki_node value, rate, curve;
    int velocity;  /* -1: not a coordinate */
    ki_node scale; /* of a coordinate: the scalar is so many times that */
    vec P[2], e[2], T[2];
} ki_line;

/* A measure that is a row. False: not written. */
bool ki_line_of(const ki_writer *w, const ki_measure *measure, ki_line *line);

/* The conditions of a cut joint in their order; how many, 0: not written. */
int ki_lines_of_rows(const ki_writer *w, const ki_joint *joint, ki_line lines[KI_JOINT_ROWS]);

/* Part k of the condition of a joint that couples coordinates of two others. */
bool ki_line_of_coupling(const ki_writer *w, const ki_joint *joint, int k, ki_line *line);

/* Coordinate k of a joint, its reading included. */
bool ki_line_of_joint(const ki_writer *w, int joint, int k, ki_line *line);

/* The parts. Each returns false when the mechanism has something that is not written here. */
bool ki_symbolic_bodies(ki_writer *w);
bool ki_symbolic_rows(ki_writer *w);
bool ki_symbolic_forces(ki_writer *w);
void ki_symbolic_inertia(ki_writer *w); /* M, and Q of all that acts on bodies; the energies */

#endif
