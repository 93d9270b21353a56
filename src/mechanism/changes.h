/* changes.h - how far a mechanism is from its drawing: the scalars that an assembly keeps small.
 *
 * Two bodies belong to one part of the mechanism if a joint ties them that has coordinates; rolling joints,
 * distances, gears and free joints do not. A part without the ground floats. Its frame is its heaviest body,
 * or several if they have one mass. The changes are, in the order in which they are avoided,
 *
 *     springs        coordinates of joints on which springs act
 *     part turns     rotations of the frames of floating parts
 *     joint turns    angles of the other joints, tree and cut alike
 *     joint slides   their displacements
 *     part moves     places of the frames of floating parts
 *
 * from the drawn pose. Together they see every motion of the bodies. Within one group they are of one unit;
 * those of springs are weighed by the stiffness k_j of the coordinate, so that their sum of squares is the
 * energy 1/2 sum k_j c_j^2 up to a factor.
 */
#ifndef KI_MECHANISM_CHANGES_H
#define KI_MECHANISM_CHANGES_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/mechanism.h"

typedef enum ki_change_group {
    KI_CHANGE_SPRING,
    KI_CHANGE_PART_TURN,
    KI_CHANGE_JOINT_TURN,
    KI_CHANGE_JOINT_SLIDE,
    KI_CHANGE_PART_MOVE,
    KI_CHANGE_GROUPS
} ki_change_group;

/* Of each change two numbers: of the pose, and of velocities, for a damper holds velocities only. */
typedef struct ki_changes {
    int count;
    ki_change_group (*group)[2]; /* [count] */
    double (
        *weight)[2]; /* makes it a number of order one: 1 / extent of lengths; of springs sqrt(k) besides */
    struct ki_change *list; /* what is measured */
} ki_changes;

/* All changes of a mechanism, in `arena`; KEEL_ERROR_MEMORY. */
keel_status ki_changes_build(const keel_system *system, ki_arena *arena, ki_changes *changes);

/* Values from the drawn pose, and their derivatives with respect to v, rows [count x n_v]; not weighed. For
 * `velocities` rotation vectors have angular velocities in the place of their derivatives. `work` is a
 * scratch area of the system. */
void ki_changes_at(const keel_system *system, void *work, const double *q, const ki_changes *changes,
                   bool velocities, double *value, double *rows);

#endif
