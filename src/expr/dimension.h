/* dimension.h - the physical dimension of a formula, from those of its symbols.
 *
 * Sums have the dimension of any of their terms that has one; two that differ give none. A product with a
 * factor of unknown dimension is unknown, and so is one with a number, which may be a conversion (1000*x,
 * 180/pi*angle); but halves, doubles and the like of x are as x. Nothing is guessed.
 */
#ifndef KI_DIMENSION_H
#define KI_DIMENSION_H

#include "expr/expr.h"

enum { KI_KILOGRAM, KI_METRE, KI_SECOND, KI_RADIAN, KI_BASES };

typedef struct ki_dimension {
    bool known;
    double power[KI_BASES]; /* radians are kept to be told apart, and counted as pure numbers in sums */
} ki_dimension;

/* The dimension of a node; `of(user, id)` is that of symbol id. Unknown when out of memory, too. */
ki_dimension ki_dimension_of(ki_graph *graph, ki_node f, ki_dimension (*of)(void *user, int id), void *user);

/* Its SI unit: "m/s^2", "N m", "W", "rad/s", "kg/m^3", "1"; "" if it is not known. */
enum { KI_DIMENSION_TEXT = 64 };
const char *ki_dimension_text(const ki_dimension *dimension, char text[KI_DIMENSION_TEXT]);

#endif
