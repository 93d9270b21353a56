/* shorten.h - the inside of ki_shorten, for the files shorten*.c.
 *
 * A class holds all ways that are known to compute one function, up to its sign. Functions are told apart by
 * their normal forms (shorten_forms.h): what is equal as a polynomial of numbers, symbols, sines and cosines
 * is in one class, what is not, or cannot be shown to be, is in two. Of all other operations nothing is
 * assumed but that equal arguments give equal results.
 *
 * shorten_atoms.c, shorten_forms.c: normal forms. shorten_classes.c: classes and their ways.
 * shorten_values.c: what the ways round off. shorten_search.c: further ways, by a symbol that drops out, a
 * common factor, a sum or product of two others. shorten_choose.c: the way to compute each class, so that all
 * take few operations. shorten.c: from nodes to classes and back.
 */
#ifndef KI_SHORTEN_H
#define KI_SHORTEN_H

#include "expr/graph.h"
#include "expr/shorten_forms.h"

enum { KI_POINTS = 8 };

/* Values at a few points of very different sizes, and how far off the operations with doubles may be. They
 * choose between ways to compute one function; they never tell which functions are equal. */
typedef struct ki_sample {
    double value[KI_POINTS], rounding[KI_POINTS];
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
    ki_form form;               /* of its first way */
    ki_residue residue;         /* of the form */
    uint32_t ratio;             /* of its residues, the same for all multiples; 0: there is none */
    ki_sample sample;           /* of the way with the smallest errors */
    double rounding[KI_POINTS]; /* of the best one among the given formulas */
    int first, last;            /* its ways */
} ki_class;

typedef struct ki_classes {
    ki_forms forms;
    ki_class *at;
    int count, capacity;
    ki_way *way;
    int way_count, way_capacity;
    ki_index by_form;    /* classes by their forms, */
    ki_index by_residue; /* by the first residue, up to its sign, */
    ki_index by_ratio;
    ki_index by_way; /* ways by what they are */
    uint8_t *near;   /* by residues: bits for some class with such a one, with such a ratio */
    bool searching;  /* what is added now are further ways, not the given ones */
    bool failed;     /* out of memory */
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

bool ki_classes_is_number(const ki_classes *all, ki_ref x, double *value);

/* If x + y or x y is a class already, that has one more way; the same if x y is a multiple of a class. */
void ki_classes_notice(ki_classes *all, ki_op op, ki_ref x, ki_ref y);
void ki_classes_notice_multiple(ki_classes *all, ki_ref x, ki_ref y);

/* Samples. */
ki_sample ki_sample_of_number(double value);
ki_sample ki_sample_of_symbol(int id);
ki_sample ki_sample_of(ki_op op, const ki_ref ref[3], const ki_sample arg[3]);
ki_sample ki_sample_negative(const ki_sample *a);

/* The class of node i of a cone from those of its arguments. */
ki_ref ki_class_of_node(ki_classes *all, const ki_graph *graph, const ki_cone *cone, const ki_ref *ref,
                        int i);

/* Further ways for the nodes of a cone, whose classes are given: the same without one or several of the
 * symbols first .. first + count - 1. */
bool ki_search_without(ki_classes *all, const ki_graph *graph, const ki_cone *cone, const ki_ref *given,
                       int first, int count);

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
