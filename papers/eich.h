/* eich.h - the runs of the experiments in eich.c, for their claims, tables and figures. */
#ifndef PAPERS_EICH_H
#define PAPERS_EICH_H

#include "papers/experiment.h"

enum { KI_EICH_TOLERANCES = 7, KI_EICH_PRINTED = 5 };
enum {
    KI_EICH_WITHOUT,
    KI_EICH_WITH,
    KI_EICH_PLAIN_ERROR,
    KI_EICH_VARIANTS
}; /* the last: error test not projected */
enum { KI_EICH_NONLINEAR, KI_EICH_LINEAR, KI_EICH_SYSTEMS };
enum { KI_EICH_WHEEL_TOLERANCES = 5, KI_EICH_WHEEL_METHODS = 6 };
enum { KI_EICH_ORDERS = 3 }; /* of the remarks */
enum { KI_EICH_T, KI_EICH_POSITION, KI_EICH_VELOCITY, KI_EICH_COLUMNS };

/* Two lines of table 3.1: TOL; RES, dx, dy, dx', dy', dlambda without and with projection; RES with; dy' of
 * both. */
typedef struct ki_eich_line {
    double tolerance;
    const char *without, *with, *RES;
    double dv[2];
} ki_eich_line;

extern const ki_eich_line KI_EICH_TABLE[KI_EICH_TOLERANCES]; /* the paper has KI_EICH_PRINTED of them */
extern const char *const KI_EICH_METHODS[KI_EICH_WHEEL_METHODS];
extern const double KI_EICH_WHEEL_TOLERANCE[KI_EICH_WHEEL_TOLERANCES];
extern const int KI_EICH_STEPS[KI_EICH_SYSTEMS][6];

typedef struct eich {
    ki_trial pendulum[KI_EICH_TOLERANCES][KI_EICH_VARIANTS];
    ki_trial exact[KI_EICH_SYSTEMS], order[KI_EICH_SYSTEMS][6][2]; /* of k - 1, with n and 2n steps */
    ki_trial invariant[2][KI_EICH_ORDERS], early[KI_EICH_ORDERS][2];
    ki_trial wheels[KI_EICH_WHEEL_TOLERANCES][KI_EICH_WHEEL_METHODS];
} eich;

/* Error of (q, v) of the pendulum at the ends of its last ten periods, root mean square: a single one may be
 * small by chance. `pick` and the number of rows go with it. */
enum { KI_EICH_PERIOD_COLUMNS = 5, KI_EICH_PERIODS = 51 };
void ki_eich_pick_period(const keel_row *row, double *x);
double ki_eich_late_error(const ki_trial *trial);

/* Error of (q, v) at the end, and the order, of the k-step method. */
double ki_eich_error(const eich *e, int system, int k, int half);
double ki_eich_order(const eich *e, int system, int k);

void ki_eich_theory_prepare(ki_draft *draft, ki_batch *batch, eich *e, const keel_model *driven,
                            const keel_model *resting, const keel_model *pendulum);
void ki_eich_theory(ki_draft *draft, const eich *e);
void ki_eich_claims(ki_draft *draft, const eich *e);
void ki_eich_figures(ki_draft *draft, const eich *e);

#endif
