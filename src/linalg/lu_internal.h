/* lu_internal.h - what the real and the complex factorization of lu.h share. */
#ifndef KI_LU_INTERNAL_H
#define KI_LU_INTERNAL_H

#include <klu.h>
#include <stdbool.h>

#include "base/arena.h"
#include "linalg/lu.h"

/* A pivot this much smaller than the largest is round-off. */
#define KI_PIVOT_NOISE 1e-14

struct ki_lu {
    ki_arena arena;
    int n, count;
    int *start, *index;                  /* [n + 1], [count] the pattern         */
    double *values;                      /* [count] of R A C                     */
    double *row, *column;                /* [n] diagonals of R and C             */
    int *row_exponent, *column_exponent; /* [n] scratch            */
    bool scaled;                         /* R and C are from some earlier matrix */
    bool factored;

    double *dense; /* [n x n] the factors; NULL: sparse            */
    int *pivot;    /* [n] of the factors; `place` of the inverse   */

    double *inverse;  /* [n x stride] (R A C)^-T of inverse.h; NULL: too large */
    double *scale;    /* [count] of each entry in R A C                        */
    int *spot;        /* [count] its place in the inverse                      */
    double *scaled_b; /* [n] R b                                               */
    double *x;        /* [stride]                                              */
    int pause;        /* factorizations to come without a try to invert        */
    bool inverted;    /* the inverse is in use, not the factors                */

    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; /* NULL until the first factorization    */
    double *probe, *rest; /* [n] scratch of is_accurate            */
};

/* order [rows]: constraints first .. first + count - 1 after the unknowns that they touch. False when out of
 * memory. */
bool ki_lu_order(keel_pattern pattern, int first, int count, int *order);

#endif
