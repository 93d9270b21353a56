/* stiff_row.h - rows of implicit methods between steps, where the model is stiff.
 *
 * Dense output P misses the motion by e, about as much as a step. Forces of stiff parts, and multipliers with
 * them, miss it by f_y e, which may be any number of times more: only the end of a step of a stiffly accurate
 * method is where these parts answer to forces. So where P is not good enough a Radau method goes from the
 * beginning of the step to the row: a step more, shorter than the one that was taken. The defect tells,
 *
 *     d = f(t, P) - P',        e' = f_y e + d + O(e^2)
 *
 * if g d, g a part of the step, is more than rows may miss. Where nothing is stiff it rarely is.
 */
#ifndef KI_STIFF_ROW_H
#define KI_STIFF_ROW_H

#include <stdbool.h>

#include "integrate/integrator.h"

struct keel_simulation;

typedef struct ki_stiff_rows {
    ki_integrator *follower;    /* with the workspace of rows; NULL: the method needs none */
    ki_step_metric metric;      /* that it projects in */
    bool off;                   /* the workspace of rows is another one for a while                 */
    double of_step;             /* where the step began to a row of which it has gone; NaN: none    */
    double *slope, *rate;       /* [n_y] P' and f                                                   */
    double *begin, begin_t;     /* [n_y] where the last step began, ...                             */
    double *earlier, earlier_t; /* ... and the one before                                        */
} ki_stiff_rows;

/* The row y at t, inside of the last step and on the constraints as far as its method keeps them: as the
 * motion meets it. d is the workspace of rows in the coordinates of the steps. */
keel_status ki_follow_to_row(struct keel_simulation *sim, ki_dynamics *d, double t, double *y);

/* With an integrator that has just been made. KEEL_OK or KEEL_ERROR_MEMORY. */
keel_status ki_prepare_follower(struct keel_simulation *sim, const ki_integrator *in);

/* Before a step. */
void ki_remember_beginning(struct keel_simulation *sim);

/* With the workspaces. */
keel_status ki_stiff_rows_init(struct keel_simulation *sim);
void ki_stiff_rows_clear(ki_stiff_rows *rows);

#endif
