/* shorten.h - the inside of ki_shorten, for the files shorten*.c.
 *
 * A class holds all ways that are known to compute one function, up to its sign. Functions are told apart by
 * their values at a few random points: what is equal as a polynomial of numbers, symbols, sines and cosines
 * is in one class, what is not is in two, with probability one. Of all other operations nothing is assumed
 * but that equal arguments give equal results: their values at the points are random numbers of their own, so
 * that nothing is concluded from points on one side of a kink, from a function that is flat at the points, or
 * from a quotient that is 0 / 0 elsewhere.
 *
 * shorten_values.c: values and what is known of their errors. shorten_classes.c: classes and their ways,
 * found by value. shorten_search.c: further ways, by a symbol that drops out, a common factor, a sum or
 * product of two others. shorten_choose.c: the way to compute each class, so that all take few operations.
 * shorten.c: from nodes to classes and back.
 */
#ifndef KI_SHORTEN_H
#define KI_SHORTEN_H

#include <stdint.h>

#include "expr/graph.h"
#include "expr/twofold.h"

enum { KI_POINTS = 7 };

/* Values at the points, and for each: how far it may be off; how far it would be off if numbers were meant
 * with one more or less in their last digit; how far off the same operations with doubles are. */
typedef struct ki_sample {
    ki_twofold value[KI_POINTS];
    double error[KI_POINTS], noise[KI_POINTS], rounding[KI_POINTS];
} ki_sample;

/* A function or its negative: 2 * class, plus 1 for the negative. */
typedef int ki_ref;

/* One way to compute a class. Differences, negatives and whole powers are written as sums and products. */
typedef struct ki_way {
    ki_op op;
    ki_ref arg[3]; /* KI_NONE where there is none; KI_SYMBOL: arg[0] is its id */
    double number; /* of KI_NUMBER */
    int of, next;  /* its class; the next way of that; KI_NONE: the last */
    ki_sample sample;
} ki_way;

typedef struct ki_class {
    ki_sample sample;           /* of the way with the smallest errors */
    double rounding[KI_POINTS]; /* of the best one among the given formulas */
    int first, last;            /* its ways */
} ki_class;

/* Places by a key; KI_NONE: free. A power of two of them, at most half taken. */
typedef struct ki_index {
    int *slot;
    int size, taken;
} ki_index;

typedef struct ki_classes {
    ki_class *at;
    int count, capacity;
    ki_way *way;
    int way_count, way_capacity;
    ki_index by_value; /* classes by the size of their first value, */
    ki_index by_ratio; /* by that of the second over the first */
    ki_index by_way;   /* ways by what they are */
    uint8_t *near;     /* by cells: bits for some class with such a value, with such a ratio */
    bool searching;    /* what is added now are further ways, not the given ones */
    bool failed;       /* out of memory */
} ki_classes;

void ki_classes_free(ki_classes *all);

static inline int ki_class_of(ki_ref x) {
    return x >> 1;
}

/* The class of op of the arguments, made if there is none; a way that is new is added to it. KI_NONE when out
 * of memory. */
ki_ref ki_classes_apply(ki_classes *all, ki_op op, ki_ref a, ki_ref b, ki_ref c);
ki_ref ki_classes_number(ki_classes *all, double value);
ki_ref ki_classes_symbol(ki_classes *all, int id);

/* If x + y or x y is a class already, that has one more way; the same if x y is a multiple of a class. */
void ki_classes_notice(ki_classes *all, ki_op op, ki_ref x, ki_ref y);
void ki_classes_notice_multiple(ki_classes *all, ki_ref x, ki_ref y);

/* Values. */
ki_sample ki_sample_of_number(double value);
ki_sample ki_sample_of_symbol(int id);
ki_sample ki_sample_of(ki_op op, const ki_ref ref[3], const ki_sample arg[3]);
ki_sample ki_sample_negative(const ki_sample *a);

/* Whether two functions are the same; -1: but for the sign, 0: they are not. */
int ki_samples_agree(const ki_sample *a, const ki_sample *b);
bool ki_sample_is_zero(const ki_sample *a);
bool ki_sample_is_number(const ki_sample *a, double *number);

/* Every bit of the result depends on every bit of h. */
uint64_t ki_shorten_mix(uint64_t h);

/* The class of node i of a cone from those of its arguments. */
ki_ref ki_class_of_node(ki_classes *all, const ki_graph *graph, const ki_cone *cone, const ki_ref *ref,
                        int i);

/* Further ways for the nodes of a cone: the same without one or several of the symbols first .. first + count
 * - 1. */
bool ki_search_without(ki_classes *all, const ki_graph *graph, const ki_cone *cone, int first, int count);

/* a x + a y = a (x + y) */
void ki_search_factors(ki_classes *all);

/* Sums and products of two of the classes in use. */
bool ki_search_pairs(ki_classes *all, const bool *used, int classes);

/* Which way computes each class. */
typedef struct ki_chooser {
    const ki_classes *all;
    int *choice;      /* [count] a way of each class, of which none needs itself */
    bool *used;       /* [count] whether it is needed */
    int known;        /* classes when it was last prepared */
    double *cost;     /* [way_count] of the operation of each way */
    double *tree;     /* [count] cost of the smallest tree of operations, */
    int *tree_choice; /* and its way */
    int *trial;       /* [count] a choice that is being improved */
    int *users;       /* [count] how many ways in use, or roots, need a class */
    int *mark, marks, *stack;
} ki_chooser;

/* To be called when classes or ways were added. False when out of memory. */
bool ki_chooser_prepare(ki_chooser *s, const ki_classes *all);
void ki_chooser_free(ki_chooser *s);

/* Chooses ways so that few operations compute the roots, from what was chosen before. */
void ki_chooser_choose(ki_chooser *s, const ki_ref *roots, int count);

#endif
