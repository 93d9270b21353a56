/* metric_large.h - the criterion of energy.h for the metric `identity` in systems too large for full
 * matrices.
 *
 *     2 B^s v = M J^T (J v) + J^T (J (M v))
 *
 * takes as many operations as M and J have entries. A projection can add energy if M J^T leads out of the
 * range of J^T: so it does for one vector u = M J^T c, c any combination of the rows, unless c happens to be
 * an exception; the part x of u that J does not see comes from one saddle-point solve. In the plane of x and
 * B^s x the quotient v^T B^s v / v^T v then has a negative value, which is told: it bounds the smallest
 * eigenvalue from above.
 *
 * For a penalty B^s may be indefinite although the range is kept. Then directions of the smallest eigenvalue
 * are sought by some steps of power iteration: what they find is a proof, that they find nothing is none. */
#ifndef KI_METRIC_LARGE_H
#define KI_METRIC_LARGE_H

#include "formulate/dynamics.h"

typedef struct ki_metric_large {
    double *c;                 /* [m] */
    double *u, *x, *Bx, *part; /* [n_v] */
} ki_metric_large;

/* Memory from the arena; failure shows there. */
void ki_metric_large_init(ki_metric_large *metric, ki_arena *arena, const keel_system *system);

/* With the M and J that d->at holds. *quotient < 0: case II, and the proof of it; 0: nothing was found. d->P
 * loses its factors. */
keel_status ki_metric_large_look(ki_metric_large *metric, ki_dynamics *d, double *quotient);

#endif
