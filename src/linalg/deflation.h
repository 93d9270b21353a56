/* deflation.h - what deflation.c and implicit_null.c share. */
#ifndef KI_DEFLATION_H
#define KI_DEFLATION_H

#include "linalg/saddle_internal.h"

struct ki_deflation {
    int n, m, most;
    int count;      /* vectors of the weak subspace                  */
    int null_count; /* the first of them are null vectors            */
    bool implicit;  /* too many weak rows for a basis                */
    double *V, *T;  /* [most x m], [most x (n + m)], see deflation.c */
    double *sigma;  /* [most]                                        */
    double *c;      /* [m] S_ii^(-1/2), 1 for a zero row              */
    double *x, *t;  /* [n] scratch                                */
    double *y;      /* [m] scratch                                */
    double *rest, *image, *u, *u_scaled, *gradient, *direction; /* [m] scratch of implicit_null.c */
};

/* x = -J^T y */
void ki_minus_J_transposed(const keel_saddle *K, const double *y, double *x);

/* y <- y - S'^-1 S y: keeps null vectors of J^T, and removes from them what is none */
void ki_deflation_polish(keel_saddle *K, double *y);

/* Takes the null-space part out of y, or, with the lengths of the rows given, what no x can satisfy out of s.
 */
void ki_implicit_null_remove(keel_saddle *K, const double *scale, double *vector);

#endif
