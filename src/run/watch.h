/* watch.h - looks out for singular poses.
 *
 * The gap is the smallest singular-value-like number of J: rows scaled to unit length, orthogonalised in the
 * order of their remaining length (a pivoted QR factorization), the length that is left for row number
 * `rank`, rank being that at the start. It falls to zero where the constraints become dependent (or more
 * dependent than they always are).
 *
 * After every step the gap tells two things: whether a singular pose lies inside the step (a search on the
 * dense output finds its time), and whether one lies ahead (linear extrapolation), so that the next step can
 * straddle it. The work is O(m^2 n); systems larger than KI_WATCH_LIMIT are not watched.
 */
#ifndef KI_WATCH_H
#define KI_WATCH_H

#include "integrate/integrator.h"

#define KI_WATCH_LIMIT 2e5 /* m^2 n */

typedef struct ki_watch {
    bool active;
    int rank;           /* of J at the start                         */
    double largest;     /* largest gap so far                        */
    double gap, before; /* at the last two steps                     */
    double t, t_before; /* their times                               */
    double steepest;    /* largest change per time between two steps of late */
    double smallest;    /* smallest gap met, and when                */
    double smallest_time;
    double logged;      /* time of the last singular pose reported   */
    double *row_length; /* [m] largest length of each row so far     */
    double *rows;       /* [m x n] scratch */
    double *y;          /* [n_y] scratch */
} ki_watch;

/* Memory from the arena. J must have been evaluated in d->at. */
void ki_watch_init(ki_watch *watch, ki_arena *arena, const ki_dynamics *d, double t);

/* After an accepted step of the integrator. Returns true, with the time and the gap there, if a singular pose
 * lies inside the step. `rows` is the workspace for the search. Sets in->singular_at for the next step. */
bool ki_watch_step(ki_watch *watch, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap);

/* The rank of J at (t, y), rows of unit length, independent parts shorter than `least` counted as zero. */
int ki_watch_rank(ki_watch *watch, const ki_dynamics *d, double least);

#endif
