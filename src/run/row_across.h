/* row_across.h - rows so near to a singular pose that nothing can be solved for there.
 *
 * At a distance d from the pose, the gap as a part of its largest value, constraints tell positions to eps/d,
 * velocities to eps/d^2, and accelerations and multipliers to eps/d^3. The motion along its branch is smooth
 * all the same. So a row in the pose is the polynomial through six states of the step on both sides of it,
 * each far enough away to be put onto the constraints: Hermite's of degree 11 through states and their rates.
 */
#ifndef KI_ROW_ACROSS_H
#define KI_ROW_ACROSS_H

#include "base/arena.h"
#include "keel/status.h"

struct keel_simulation;

enum { KI_ACROSS_NODES = 6 };

/* States of the last step around a pose. */
typedef struct ki_across {
    double t[KI_ACROSS_NODES];
    double *y[KI_ACROSS_NODES], *rate[KI_ACROSS_NODES]; /* [n_y]             */
    double *lambda[KI_ACROSS_NODES];                    /* [m]; NULL: not in use */
} ki_across;

/* Memory from the arena of the run. KEEL_OK or KEEL_ERROR_MEMORY. */
keel_status ki_across_init(struct keel_simulation *sim);

/* The row at time t inside of the last step, next to a pose, into sim->row_y: true if states on both sides
 * were found. */
bool ki_state_across(struct keel_simulation *sim, double t);

/* Accelerations and multipliers of the row that was found last. */
void ki_rates_across(struct keel_simulation *sim, double t, double *v_rate, double *lambda);

/* Multipliers of the row that fit its accelerations, J^T lambda = Q - M a: those of constraints that keep
 * branches apart grow as 1/d, so that no polynomial tells them. In the pose itself they stay as they are. */
keel_status ki_multipliers_of_rates(struct keel_simulation *sim, double t);

#endif
