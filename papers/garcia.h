/* garcia.h - the runs of the experiment in garcia.c, for its claims, tables and figures. */
#ifndef PAPERS_GARCIA_H
#define PAPERS_GARCIA_H

#include "papers/experiment.h"

typedef enum ki_garcia_quantity {
    KI_GARCIA_T,
    KI_GARCIA_Q1,
    KI_GARCIA_Q2,
    KI_GARCIA_V1,
    KI_GARCIA_V2,
    KI_GARCIA_LAMBDA,
    KI_GARCIA_ENERGY,
    KI_GARCIA_PHI,
    KI_GARCIA_RATE,      /* Phi'        */
    KI_GARCIA_PROJECTED, /* Delta E_p   */
    KI_GARCIA_BALANCE,   /* Delta E_p - Delta E_p1 - Delta E_p2 */
    KI_GARCIA_QUANTITIES
} ki_garcia_quantity;

enum { KI_GARCIA_FINE, KI_GARCIA_PLAIN, KI_GARCIA_MASS, KI_GARCIA_W_1, KI_GARCIA_W_20, KI_GARCIA_RUNS };
enum { KI_GARCIA_ORDERS = 3 };

/* What a run is: step, end, metric (-1: no projection) and penalty. */
typedef struct ki_garcia_kind {
    const char *label;
    double step, until;
    int metric;
    double alpha;
} ki_garcia_kind;

extern const ki_garcia_kind KI_GARCIA_KINDS[KI_GARCIA_RUNS];

/* Runs for the order of q, v, L at t = 10. */
typedef struct ki_garcia_order {
    int kind;
    const char *expected;
    ki_trial run[2], end, middle[2]; /* steps of 0.002 and half of it; exact, at 10 and half a step before */
} ki_garcia_order;

typedef struct garcia {
    ki_trial run[KI_GARCIA_RUNS];
    ki_trial augmented[KI_GARCIA_RUNS]; /* the same to 10 s, solved as in the paper */
    ki_garcia_order order[KI_GARCIA_ORDERS];
} garcia;

/* Number of the row at time t, and the value there. */
int ki_garcia_at(int run, double t);
double ki_garcia_value(const garcia *g, int run, ki_garcia_quantity what, double t);

/* Largest |x - from| up to time t. */
double ki_garcia_largest(const garcia *g, int run, ki_garcia_quantity what, double from, double t);

/* Steps up to time t in which projection added energy (sign 1) or took some (-1). */
int ki_garcia_signs(const garcia *g, int run, double t, int sign);

/* Smallest eigenvalue of B^s at q in the metric M or W. */
double ki_garcia_eigenvalue(double q1, double q2, int metric);

/* kappa of figure 13b at q: as corrected, and as printed (which is for alpha = 1). */
double ki_garcia_kappa(double q1, double q2, double alpha);
double ki_garcia_kappa_printed(double q1, double q2);

/* Delta E_p (eq. 16) of the projection that ends at the velocity x, in the metric W. */
double ki_garcia_projection_energy(double q1, double q2, double alpha, const double x[2]);

void ki_garcia_claims(ki_draft *draft, const garcia *g);
void ki_garcia_theory(ki_draft *draft); /* on random systems */
void ki_garcia_figures(ki_draft *draft, const garcia *g);

#endif
