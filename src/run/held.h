/* held.h - the constraints that a run holds, and those that repeat them.
 *
 * Where constraints depend on each other, a run holds as many as are independent and lets the others follow
 * (docs/redundancy.md). They do, as well as the drawing is exact: how far they are open is measured after
 * every step. Which ones are held is a matter of the pose, and is looked at again when those that are come
 * near to depending on each other while all of them together do not.
 *
 * Multipliers of repeated constraints are not unique. The shortest ones are told (sharing.h), and forces that
 * depend on multipliers see those. Large systems without such forces are not split into groups that share:
 * with columns C of J that are independent
 *
 *     [ I      J_C ] [ rest ]   [ lambda_0 ]
 *     [ J_C^T   0  ] [  w   ] = [    0     ],      lambda = lambda_0 - rest.
 */
#ifndef KI_HELD_H
#define KI_HELD_H

#include "formulate/independence.h"
#include "integrate/integrator.h"
#include "keel/run.h"
#include "system/selection.h"

typedef struct ki_held {
    bool known;          /* J was small enough to be looked at: the ranks in `look` are those of the start */
    bool singular_start; /* fewer rows are independent at the start than near by */
    ki_selection *selection; /* NULL: all rows are held */
    ki_independence look;
    ki_independence full; /* the same with full matrices, at a singular start of a large system */
    void *work;           /* a scratch area of the whole system */
    double gap;           /* of the watch, when rows were last compared */
    double gap_of_row;    /* of the rows held, where multipliers were last expanded */
    double *lambda;       /* [m] */
    double *shares;       /* of ki_sharing_find */
    size_t shares_size;
    keel_saddle *columns;         /* of large systems: [I J_C; J_C^T 0], */
    int *slot;                    /* [entries of J] where they stand in J_C^T, or -1 */
    double *transposed;           /* J_C^T */
    double *ones, *rest;          /* [m], [m + n_v] */
    double *y, t;                 /* [n_y] the state before the last step, and when */
    double *Phi;                  /* [n_h] */
    double *open_now, *open_rate; /* [n_h] minus what the offset of a bridge asks for */
    double limit; /* of the last look: largest |Phi_i| / what may stay open, of rows that are not held */
    int open_row; /* ... and the row, as open as this */
    double open;
    keel_violation repeated; /* of those, at position level, at the states that were accepted */
} ki_held;

/* Looks at the constraints at a state and chooses which ones to hold: sim->active. */
keel_status ki_choose_held(keel_simulation *sim, double t, const double *y);
void ki_held_clear(ki_held *held);

/* Memory for that. */
keel_status ki_prepare_held(keel_simulation *sim);

/* Holds the rows marked in held.look.taken, of which held.look knows the ranks. KEEL_ERROR_INPUT if these
 * cannot be held at (t, y). */
keel_status ki_hold_again(keel_simulation *sim, double t, const double *y, const double *s);

/* Rank, shared multipliers and states of self-stress of the run, from what was found. */
keel_status ki_tell_held_rank(keel_simulation *sim);

/* How rows that were not taken last share with those that were; NULL: too many at once. */
keel_status ki_find_sharing(ki_independence *look, ki_sharing **sharing);

/* Memory for multipliers of all constraints. */
keel_status ki_prepare_shares(ki_held *held, ki_sharing *sharing);

/* The multipliers of all constraints, sim->held.lambda, from those of the constraints held at (t, y). */
keel_status ki_expand_multipliers(keel_simulation *sim, const keel_point *at);

/* Once more evaluates a row of output, with the best rows at sim->row_y, where those held are a bad choice.
 * `evaluate` works in sim->rows. */
keel_status ki_row_by_better_rows(keel_simulation *sim, double t,
                                  keel_status (*evaluate)(keel_simulation *sim, double t));

/* How far the other rows are open at (t, y). */
keel_status ki_measure_repeated(keel_simulation *sim, double t, const double *y);

/* Before a step, and after it (with what it returned): goes back if it has left the constraints that are not
 * held, and changes those that are where others are better. */
void ki_before_step(keel_simulation *sim);
keel_status ki_after_step(keel_simulation *sim, keel_status status);

/* Steps that fail where constraints that are not held are about to open fail because of them: the status,
 * with that as the trouble. */
keel_status ki_blame_repeated(keel_simulation *sim, keel_status status);

/* After the watch had its look. */
keel_status ki_renew_held(keel_simulation *sim);

/* Holds the rows that are the best ones at y_there from (t, y) on, if they span far more than those that are
 * held: *changed. */
keel_status ki_hold_best(keel_simulation *sim, double t, const double *y, const double *y_there,
                         bool *changed);

/* How far all constraints together are from becoming more dependent than they are, in natural sizes: 0 in a
 * singular pose. */
double ki_gap_of_all(keel_simulation *sim, double t, const double *y);

/* The same in a state of the motion: how long rows get is learned there and nowhere else. For the watch. */
double ki_gap_on_the_way(void *simulation, double t, const double *y);

/* The same of those that are held. */
double ki_gap_of_held(keel_simulation *sim, double t, const double *y);

/* How far joints that are held have to be open at (t, y) not to contradict each other, as they depend on each
 * other there, with no more than `least` left of them: beta [n_h of all], filled for the rows of the steps.
 * Returns the largest in natural sizes. */
double ki_offset_of_held(keel_simulation *sim, double t, const double *y, double least, double *beta);

/* Puts the state y next to a singular pose onto the constraints held, as far as they tell where it belongs:
 * onto those of which more than `least` is left after others. How far those that repeat them are open follows
 * from them. */
bool ki_settle_next_to_pose(keel_simulation *sim, double t, double least, double *y);

/* The same for a start in a singular pose. False, and nothing moved: constraints are open by more than the
 * drawing is not exact. */
bool ki_start_next_to_pose(keel_simulation *sim, double t, double *y);

/* How many of all constraints are independent, with more than `least` left of each. */
int ki_rank_of_all(keel_simulation *sim, double t, const double *y, double least);

/* A scratch area of the system with all constraints, that of the rows. */
void *ki_work_of_all(const keel_simulation *sim);

/* The number of a row of the system of the steps among all. */
int ki_row_of_all(const keel_simulation *sim, int row);

#endif
