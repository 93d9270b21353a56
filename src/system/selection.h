/* selection.h - a system with some of the constraints of another.
 *
 * The motion of a mechanism with repeated constraints is that of its independent ones. A selection presents
 * them, and no others, as a system of its own: the same coordinates, velocities and forces, fewer rows. What
 * the rows left out say is found at `whole`.
 */
#ifndef KI_SELECTION_H
#define KI_SELECTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/system.h"
#include "system/sharing.h"

typedef struct ki_selection {
    keel_system system; /* with the rows below; it has no outputs and no machine code */
    const keel_system *whole;
    ki_sharing *sharing; /* how the rows share, or NULL */
    bool shares;         /* and forces or states depend on it */
    int *row;            /* [m of system] their numbers among the rows of `whole`, increasing */
    bool *held;          /* [m of whole] whether a row is among them */
    int *place;          /* [m of whole] its number among them */
    ki_arena arena;
} ki_selection;

/* Whether forces or states depend on multipliers: they see those of all constraints, the shortest. */
bool ki_needs_sharing(const keel_system *whole);

/* A selection of `count` rows, in increasing order, with how they share (NULL: nothing depends on it), which
 * it then owns. NULL when out of memory. */
ki_selection *ki_selection_new(const keel_system *whole, const int *row, int count, ki_sharing *sharing);
void ki_selection_free(ki_selection *selection);

/* The scratch area of `whole` inside of one of the selection's system. */
void *ki_selection_whole_work(void *work);

#endif
