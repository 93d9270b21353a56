/* pins.h - accelerations of planar mechanisms whose joints are all pins, without M and J.
 *
 * Every body is taken by itself, whatever the tree: its base point is its centre of mass, or the pin that
 * holds it to the ground, about which it can only turn (its hub). With the force F and the torque T on it
 * about the base point
 *
 *     a = i_m F          i_m = 1/m   (0 with a hub)
 *     alpha = i_I T      i_I = 1/I   about the base point
 *
 * The force f of a pin acts on the second of its bodies, -f on the first. With s = 1 on the second, -1 on the
 * first, r = s times the arm from the base point to the pin, and J(r) = (-r_y, r_x), s times the acceleration
 * of the pin on a body is s a + alpha J(r) - omega^2 r. Over the two bodies these add up to zero:
 *
 *     S f = -c,      S_pq = sum over common bodies of s_p s_q i_m E + i_I J(r_p) J(r_q)^T
 *                    c_p  = sum over the two bodies of s a + alpha J(r) - omega^2 r, without the f
 *
 * S has blocks of 2 x 2 where two pins share a body, and is positive definite if no pin is superfluous: about
 * a hundred and fifty operations for a body, where the general way writes M, J, Q and xi and factors a matrix
 * of all coordinates and rows. Poses in which S is singular, or nearly, are given back.
 */
#ifndef KI_MECHANISM_PINS_H
#define KI_MECHANISM_PINS_H

#include "mechanism/work.h"

/* A pivot of S below this part of its diagonal entry is too near to a singular pose: accelerations would lose
 * more than three digits to round-off. */
static const double KI_PINS_NEAR = 1e-6;

/* A body, as the pins see it. */
typedef struct ki_pinned {
    int parent, q, v;   /* of the tree; v < 0: ~v is the first of its own x', y', angle' */
    double sense, turn; /* its angle is that of its parent (0 for its own) + sense q + turn */
    double sign;        /* its angular velocity that of its parent + sign v, likewise */
    double mass;
    double i_m, i_I;
    double centre[2]; /* of mass, from the base point, body axes; zero without a hub */
    int side;         /* its first side; the next body's is the end */
} ki_pinned;

/* A pin, but for hubs. Side 2 p + k is where pin p is on its body k. */
typedef struct ki_pin {
    int body[2];
    double r[2][2]; /* r in body axes */
    int row;        /* of J, its first; -1 in the tree */
    double sign;    /* 1: rows are the second body minus the first, or -1 */
    double size;    /* S_xx + S_yy of its diagonal block, the same in every pose */
} ki_pin;

/* Two sides of a body, whose pins are row and column of a block; the first of those of a block sets it,
 * others add to it. */
typedef struct ki_side_pair {
    int row, column, body, block;
    bool first;
} ki_side_pair;

/* The pins in the order of elimination. Column k of the factor has the blocks start[k] .. start[k+1] in the
 * rows row[..], increasing. Eliminating it changes, for each of them, a, the diagonal block row[a], and for
 * each b < a of them the block target[..], which are listed one after the other. */
typedef struct ki_pins {
    int count, body_count; /* bodies with the ground, number 0 */
    ki_pinned *body;       /* [body_count + 1] */
    ki_pin *pin;           /* [count] */
    int *side;             /* [2 count] the sides of each body, one body after the other */
    int pair_count;
    ki_side_pair *pair; /* those of the same block stand together */
    int empty_count;
    int *empty; /* blocks without a pair: they fill in */
    int *start, *row, *target;
    int cut_count, *cut;       /* pins that have rows */
    struct ki_pins_path *path; /* pins_path.h, instead of pairs and columns; NULL: S is no path */
} ki_pins;

/* Fills mech->pins, if all joints are pins and nothing else asks for rows. Layout and forces are in place.
 * KEEL_OK or KEEL_ERROR_MEMORY. */
keel_status ki_pins_build(ki_mech *mech);

/* The scratch that ki_pins_accelerate needs, from `arena`, whose `failed` tells. */
void ki_pins_prepare(const ki_pins *pins, ki_arena *arena, ki_pins_work *work);

/* keel_system.accelerate. If it is not given back, the work then has the factors of S and r for the
 * functions below. */
int ki_pins_accelerate(const keel_system *system, void *work, const keel_point *at, double *v_rate,
                       double *power);

/* r of side 2 p + k, world axes, s = 1 if k and else -1 included. */
void ki_pins_arm(const ki_pins *pins, const ki_pins_work *w, int side, double r[2]);

/* f [count] <- S^-1 f */
void ki_pins_solve(const ki_pins *pins, ki_pins_work *w, double (*f)[2]);

/* v' that the forces f [count] of the pins make alone: without weight, other forces and velocities. */
void ki_pins_respond(const ki_pins *pins, ki_pins_work *w, const double (*f)[2], double *v_rate);
/* keel_system.own. */
int ki_pins_factor(const keel_system *system, void *work, const double *q);
void ki_pins_constrain(const keel_system *system, void *work, const double *s, double *x, double *lambda);
double ki_pins_gap(const keel_system *system, void *work);

#endif
