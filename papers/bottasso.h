/* bottasso.h - the steps and runs of the experiment in bottasso.c, for its claims, tables and figures. */
#ifndef PAPERS_BOTTASSO_H
#define PAPERS_BOTTASSO_H

#include "papers/experiment.h"

enum { KI_BOTTASSO_STEPS = 8, KI_BOTTASSO_STATES = 192, KI_BOTTASSO_SCHEMES = 4, KI_BOTTASSO_SCALINGS = 5 };
enum { KI_BOTTASSO_BDF = 3 }; /* the scheme that is none of Newmark's family, in its first step of order 1 */
enum { KI_BOTTASSO_FIT_FROM = 2, KI_BOTTASSO_1E7 = 4 }; /* slopes are fitted over h = 1e-5 ... 1e-10 */
enum { KI_BOTTASSO_ORDERS_MAX = 24 };

extern const double KI_BOTTASSO_H[KI_BOTTASSO_STEPS];
extern const char *const KI_BOTTASSO_SCHEME[KI_BOTTASSO_SCHEMES];

typedef struct ki_bottasso_scaling {
    const char *label;
    int scaling, reference_mass;
} ki_bottasso_scaling;
extern const ki_bottasso_scaling KI_BOTTASSO_SCALING[KI_BOTTASSO_SCALINGS];

typedef enum ki_bottasso_quantity {
    KI_BOTTASSO_CONDITION,
    KI_BOTTASSO_LAMBDA, /* last correction of the multipliers   */
    KI_BOTTASSO_Q,      /* last correction of the displacements */
    KI_BOTTASSO_QUANTITIES
} ki_bottasso_quantity;
extern const char *const KI_BOTTASSO_NAMES[KI_BOTTASSO_QUANTITIES];

/* What the steps from one state gave. */
typedef struct ki_bottasso_state {
    ki_trial to_state;
    double value[KI_BOTTASSO_QUANTITIES][KI_BOTTASSO_SCHEMES][KI_BOTTASSO_SCALINGS][KI_BOTTASSO_STEPS];
} ki_bottasso_state;

/* One step of newmark with newton_tolerance 1e-8: corrections (-1: it fails) for none, right and both, and
 * the error of the multipliers with both. */
typedef struct ki_bottasso_tolerance {
    ki_trial to_state;
    int corrections[KI_BOTTASSO_STEPS][3];
    double error[KI_BOTTASSO_STEPS];
    char message[256]; /* of the first step that fails */
} ki_bottasso_tolerance;

typedef struct ki_bottasso_order {
    keel_method method;
    double h;
    ki_trial run[2], middle[2]; /* with h and h/2; exact, half a step before the end */
    ki_trial *end;              /* exact */
    bool in_the_middle;         /* whether the multipliers belong there */
} ki_bottasso_order;

typedef struct bottasso {
    ki_bottasso_state state[KI_BOTTASSO_STATES];
    ki_bottasso_tolerance tolerance;
    ki_trial end;
    ki_bottasso_order order[KI_BOTTASSO_ORDERS_MAX];
    int order_count;
} bottasso;

/* Jobs of bottasso_steps.c; their data are a ki_bottasso_state and a ki_bottasso_tolerance. */
keel_status ki_bottasso_take_steps(void *state, char *message, int size);
keel_status ki_bottasso_try_tolerance(void *tolerance, char *message, int size);

/* Geometric mean over the states (condition number: of the first one); NaN if there is none. */
double ki_bottasso_value(const bottasso *b, ki_bottasso_quantity what, int scheme, int scaling, int step);

/* Exponent of h, least squares over the known points from KI_BOTTASSO_FIT_FROM on, to two digits. */
double ki_bottasso_slope(const bottasso *b, ki_bottasso_quantity what, int scheme, int scaling);

/* Errors of q, v and lambda at t = 0.01. */
void ki_bottasso_errors(const ki_bottasso_order *order, int half, double error[3]);

void ki_bottasso_theory(ki_draft *draft); /* of equations 16 to 23, on random systems */
void ki_bottasso_claims(ki_draft *draft, const bottasso *b);

#endif
