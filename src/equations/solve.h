/* solve.h - constraints that can be solved once and for all, each for one coordinate.
 *
 * A constraint g(q, t) = 0 tells the coordinate x if
 *
 *     (a)  g = c x + f                    x = -f / c                          c a number, f free of x
 *     (b)  g = A sin(c x + b) + C         c x + b = j pi + (-1)^j asin w      A, b, C free of x, w = -C / A
 *          g = A cos(c x + b) + C         c x + b = j pi + acos((-1)^j w)
 *
 * where j, the branch, is that of the start. What is found is put into all other constraints, and so on until
 * none is left: then all coordinates are functions of those that no constraint was solved for, and of t.
 *
 * (a) comes before (b), wherever it is. Of several coordinates of a constraint it is solved for the one with
 * the largest |c|, or the largest |A| at the start: the longest bar turns least. (b) is left alone where w is
 * near 1 at the start. With room = 1 - w^2 (and A^2 by that of the start, if A may vanish) the map exists
 * where room > 0 for all; the cosine of an arc sine is +- sqrt(1 - w^2).
 */
#ifndef KI_EQUATIONS_SOLVE_H
#define KI_EQUATIONS_SOLVE_H

#include "equations/builder.h"

/* A constraint as the last one that was solved for coordinate x. */
typedef struct ki_solution {
    int x;
    bool is_arc; /* (b) */
    ki_angle angle;
} ki_solution;

typedef struct ki_solutions {
    int count;
    ki_solution *at; /* [count] each without the x of those before it */
    bool *solved;    /* [n] */
    int rooms;
    ki_node *room; /* [rooms] of u and t */
} ki_solutions;

/* So much room there must be where a run begins. */
#define KI_ROOM_AT_START 0.04

/* False if some constraint cannot be solved, or when out of memory. */
bool ki_solve_constraints(ki_builder *b, ki_solutions *s);

/* A formula of q and t as one of u and t. */
ki_node ki_put_solutions(ki_builder *b, const ki_solutions *s, ki_node f);

#endif
