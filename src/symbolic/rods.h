/* rods.h - loops of rods, solved in closed form for the angle of a crank.
 *
 * A crank turns about a pin on the ground by an angle u. A rod leads from it to a slider, a body that slides
 * on the ground or turns about a pin on it (a rocker):
 *
 *     in the plane   pins at both ends of the rod, one of them cut; or the slider has no body, and an end of
 *                    the rod is on a line of the ground
 *     in space       a cut ball on the crank, a universal joint on the slider
 *     in both        a rod without a body: a distance
 *
 * With P(u) the end of the rod on the crank, o(x) that on the slider and L the length between them,
 *
 *     |P - o|^2 = L^2                    gives x, and
 *     w = P - o = turned r               the angles of the rod, r being w as the rod has it.
 *
 * Each is a quadratic equation: a root of a function of u that must stay away from zero for all u, so that no
 * two branches meet. The pose as drawn tells the sign. A crank may have several such loops. */
#ifndef KI_SYMBOLIC_RODS_H
#define KI_SYMBOLIC_RODS_H

#include "equations/builder.h"
#include "symbolic/letters.h"
#include "symbolic/swing.h"
#include "symbolic/writer.h"

/* An angle by its cosine and sine and its derivative by u. The angle itself is turns * (that of the crank) +
 * middle + rest, the rest being less than half a turn: continuous for all u. */
typedef struct ki_turned {
    ki_node c, s, rate;
    double drawn; /* in the pose as drawn */
    int turns;
    double middle;
} ki_turned;

typedef struct ki_rod {
    int cut, slider, body; /* a joint; slider or body 0: there is none */
    bool slides;           /* the slider does not turn */
    bool on_crank;         /* plane: the rod hangs from the crank */
    double on[2][3];       /* its ends: on the crank, on the slider, in their components */
    double r[3],
        d[3];        /* from its end on the slider: to the end on the crank, to the centre; its components */
    double L2;       /* r . r */
    double start[3]; /* slider: o with x = 0 */
    ki_swing across; /* slider: P - o without the part along its way e, ... */
    double e[3];
    ki_node twice_E;    /* |across|^2 */
    ki_node sine2;      /* space: 1 - cos^2 of the second angle */
    ki_node sigma;      /* ... and that part */
    ki_node x, x_rate;  /* of the slider, as its hinge counts; of a rocker only the rate */
    ki_turned rocker;   /* its angle */
    ki_turned angle[2]; /* plane: of the body in the world; space: of the universal joint, see rods_space.c */
    double tilt;        /* space: of the second angle from that of the joint */
} ki_rod;

typedef struct ki_rods {
    const ki_mech *mech;
    ki_builder *b;
    ki_graph *g;
    ki_letters l;
    int crank;                   /* body */
    ki_node angle, cosine, sine; /* its angle, as the hinge counts */
    int rod_count;
    ki_rod *rod;
    int gap_count; /* functions of u that must stay above zero, their largest values about 1 */
    ki_node *gap;
    double down[3]; /* gravity; in the plane without its third component */
    ki_node m, V;   /* kinetic energy m u'^2 / 2, potential of the weights */
} ki_rods;

/* Finds the loops with this body as crank. False: there is something else. */
bool ki_rods_find(ki_rods *x, int crank);

/* Makes the closed forms, m and V. */
void ki_rods_write(ki_rods *x);

/* Whether all gaps stay open for all u; finds turns and middle of the angles on the way. */
bool ki_rods_turn_fully(ki_rods *x);

/* q [n_v] and dq/du [n_v] of the mechanism, with letters. */
void ki_rods_coordinates(ki_rods *x, ki_node *q, ki_node *q_u);

/* ... and cosine and sine of the angles among them, as ki_writer.turn wants them. */
void ki_rods_turns(ki_rods *x, ki_turn *turn);

/* The parts of ki_rods_write. */
ki_node ki_wave_node(ki_rods *x, ki_wave wave);
vec ki_swing_nodes(ki_rods *x, const ki_swing *swing);
vec ki_vec_by_u(ki_rods *x, vec a);
void ki_rods_add_gap(ki_rods *x, ki_node gap);
void ki_rod_in_space(ki_rods *x, ki_rod *rod, const ki_swing *P);
void ki_rod_in_plane(ki_rods *x, ki_rod *rod, const ki_swing *P);

/* The root of `square` with a sign, and one over it; what its derivative is, is told later. */
typedef struct ki_root {
    ki_node S, inverse;
} ki_root;
ki_root ki_root_of(ki_rods *x, ki_node square, bool positive);
void ki_root_rate(ki_rods *x, const ki_root *root, ki_node rate);

/* Its end on the slider, o, and a . o */
vec ki_rod_end(ki_rods *x, const ki_rod *rod);
ki_node ki_rod_end_along(ki_rods *x, const ki_rod *rod, const double a[3]);

#endif
