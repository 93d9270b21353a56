/* ring.h - a ring of six pins that moves though counting forbids it: Bricard's linkage with threefold
 * symmetry.
 *
 * The axes of neighbouring pins have a common normal of length a, the same between all of them; the feet of
 * the two normals at a pin are one point; and the twists from axis to axis are alpha, -alpha, alpha, ... Let
 * theta_i be the angle of pin i, from the normal before it to the one behind it. Then the ring is closed by
 *
 *     theta_1 = theta_3 = theta_5 = phi,   theta_2 = theta_4 = theta_6 = psi,
 *     x = tan phi/2,  y = tan psi/2,       c = cos alpha,  K = 4 c^2 - 1:
 *     3 - x^2 - y^2 + K x^2 y^2 - 8 c x y = 0
 *
 * (Chen, You and Tarnai, Threefold-symmetric Bricard linkages for deployable structures, 2005, in half
 * angles). With 4 |c| < 1 this is one closed curve round the origin, on which the ring has one freedom
 * everywhere, so that the direction u of (x, y) is a parameter for all of it:
 *
 *     (x, y) = r (cos u, sin u),    r^2 = 6 / (B + D),
 *     k = cos u sin u,  B = 1 + 8 c k,  D = sqrt(B^2 - 12 K k^2).
 */
#ifndef KI_SYMBOLIC_RING_H
#define KI_SYMBOLIC_RING_H

#include "symbolic/solved.h"

enum { KI_RING = 6 };

/* The pins in their order round the ring, from the ground on; body k lies between pins k - 1 and k, body 0 is
 * the ground. Places and directions are those of the drawn pose, in which all bodies have the axes of the
 * world. */
typedef struct ki_ring {
    int joint[KI_RING], body[KI_RING];
    double axis[KI_RING][3], foot[KI_RING][3];
    double drawn[KI_RING]; /* theta */
    double cosine;         /* c */
} ki_ring;

/* Finds the ring. False: the mechanism is something else. */
bool ki_ring_find(const ki_mech *mech, ki_ring *ring);

/* An angle by its cosine and sine and its derivative by u. */
typedef struct ki_ring_angle {
    ki_node half; /* tangent of half of it */
    ki_node c, s, rate;
} ki_ring_angle;

/* phi and psi as letters. */
void ki_ring_angles(ki_solved *solved, double cosine, ki_ring_angle angle[2]);

/* m and V of solved.h. */
void ki_ring_energy(ki_solved *solved, const ki_ring *ring, const ki_ring_angle angle[2]);

/* theta_i - its value as drawn */
ki_turn ki_ring_turn(ki_graph *g, const ki_ring *ring, int i, const ki_ring_angle angle[2]);

#endif
