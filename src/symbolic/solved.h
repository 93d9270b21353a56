/* solved.h - loops of a mechanism solved in closed form: all its coordinates as functions of one parameter u.
 *
 * Two kinds of loops are known, rods.h and ring.h. reduce.c makes a system of either. */
#ifndef KI_SYMBOLIC_SOLVED_H
#define KI_SYMBOLIC_SOLVED_H

#include "equations/builder.h"
#include "symbolic/letters.h"
#include "symbolic/writer.h"

/* Where u is read from a state: it is a coordinate of the mechanism, or with two angles
 * a_k = angle_k + factor_k q_k the direction of (tan a_0/2, tan a_1/2). */
typedef struct ki_parameter {
    bool polar;
    int q[2];
    double factor[2], angle[2];
} ki_parameter;

typedef struct ki_solved {
    const ki_mech *mech;
    ki_builder *b;
    ki_letters l;     /* the first 2 n_v are kept for q and v */
    ki_node *q, *q_u; /* [n_v] the coordinates and their derivatives, with letters */
    ki_turn *turn;    /* [n_v] of the angles among them, as ki_writer.turn wants them */
    ki_node m, V;     /* kinetic energy m u'^2 / 2, potential of the weights */
    ki_parameter u;
    const char *reason; /* for keel_reduction; in the arena of b->model */
} ki_solved;

/* Each fills all of it but mech, b and l. False: the mechanism is something else, or memory is out, which
 * the builder knows. */
bool ki_solve_rods(ki_solved *solved, int crank); /* with this body as crank */
bool ki_solve_ring(ki_solved *solved);

#endif
