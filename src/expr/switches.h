/* switches.h - where formulas change over from one branch to another, and when those of t alone do.
 *
 * Each operation with branches has a function g whose sign tells the branch:
 *
 *     a < b, a <= b    g = a - b     jumps            sign(a)   g = a    jumps
 *     min, max         g = a - b     has a kink       abs(a)    g = a    has a kink
 *     atan2(y, x)      g = y         jumps, where x < 0
 *     tanh(a)          g = a         is steep: constant but for |a| of order one
 *
 * a == b, and conditions that are any number but not 0, are true at single points only: they do not count.
 */
#ifndef KI_SWITCHES_H
#define KI_SWITCHES_H

#include "expr/expr.h"

/* Calls visit for each operation with branches below the nodes, arguments before what uses them; those whose
 * g is a number do not count. False when out of memory. */
bool ki_switches_of(ki_graph *graph, const ki_node *nodes, int count,
                    void (*visit)(void *user, ki_op op, ki_node g), void *user);

/* The function that tells sides of the state: g, and for tanh that without what is between the sides,
 *
 *     a - min(max(a, -3), 3)
 *
 * Steps that see how tanh goes over never change its sign, those that jump over it do. */
ki_node ki_switch_side(ki_graph *graph, ki_op op, ki_node g);

/* What an operation with branches is called: "sign", "a comparison", ... */
const char *ki_switch_word(ki_op op);

/* When functions of t change sign. Immutable, shared by threads. */
typedef struct ki_instants ki_instants;

/* t is symbol `t` and the only one in the functions; NULL when out of memory. Does not need the graph
 * afterwards. */
ki_instants *ki_instants_new(ki_graph *graph, const ki_node *g, int count, int t);
void ki_instants_free(ki_instants *instants);
size_t ki_instants_work_size(const ki_instants *instants); /* doubles */

/* A change of sign: it happens at `at`; the last time that is surely before it, and the first surely after.
 */
typedef struct ki_instant {
    double before, at, after;
} ki_instant;

/* The first change in [from, until]; false: there is none. What is between is enclosed by interval
 * arithmetic, so that no change is too short to be seen. A function that only touches zero does not change.
 */
bool ki_instants_next(const ki_instants *instants, double from, double until, double *work,
                      ki_instant *found);

#endif
