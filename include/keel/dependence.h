/* dependence.h - which constraints of a system depend on others, as a run sees it.
 *
 * The rank that counts is the usual one, that of poses near the one that is looked at; a singular pose has a
 * lower one (docs/sizes.md). Every y with J^T y = 0 is a state of self-stress: multipliers of constraints
 * that take part in one are not unique.
 *
 * Dense matrices: meant for a look at the start, not for systems with thousands of constraints.
 */
#ifndef KEEL_DEPENDENCE_H
#define KEEL_DEPENDENCE_H

#include "keel/system.h"

typedef struct keel_dependence {
    int m;
    int rank;        /* how many constraints are independent, usually                                 */
    int rank_here;   /* in this pose; fewer: it is singular                                           */
    int branch_loss; /* by how much the rank of the joints alone is lower here; the rest of rank - rank_here
                        is lost by motions, which drive a dead point here. Without motions: all of it */
    double least;    /* what the others leave of a constraint that counts, the smallest, in natural sizes */
    double most;     /* ... of one that does not, the largest; 0: nothing                             */
    int dependent_count;
    int *dependent; /* [dependent_count] rows, increasing: of two that say the same it is the later one */
    int *shared;    /* [m] 1: its multiplier is not unique                                             */
    double *stress; /* [dependent_count x m] for each dependent row d the y with y_d = 1 / (size of the row)
                       and zeros for the other dependent rows; NULL: more than 4 million numbers */
} keel_dependence;

/* Looks at the constraints at a point that should satisfy them. KEEL_ERROR_MEMORY, KEEL_ERROR_CALLBACK,
 * KEEL_ERROR_NOT_FINITE. `dependence` is to be cleared after a success. */
KEEL_API keel_status keel_dependence_find(const keel_system *system, const keel_point *at,
                                          keel_dependence *dependence);
KEEL_API void keel_dependence_clear(keel_dependence *dependence);

/* "the motion 'm1' repeats what 'm0' and joint C impose": dependent row number k, in words, of which it is
 * told which others impose it. */
KEEL_API const char *keel_dependence_sentence(const keel_system *system, const keel_dependence *dependence,
                                              int k, char *text, int size);

#endif
