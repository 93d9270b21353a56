/* mobility.h - the parts of keel_mobility_find. */
#ifndef KI_MOBILITY_H
#define KI_MOBILITY_H

#include "base/arena.h"
#include "formulate/independence.h"
#include "keel/mechanism.h"
#include "keel/mobility.h"

/* Entries of a null vector, or of a twist, that are smaller relative to the largest are none: at round-off,
 * and where the geometry is known to six digits. */
#define KI_MOBILITY_ZERO       1e-7
#define KI_MOBILITY_ZERO_DRAWN 1e-4

/* A look under way. */
typedef struct ki_look {
    const keel_system *system;
    keel_point at;
    void *work; /* of the system */
    ki_arena arena;
    int m, n;
    int rows;           /* of cut joints: all but those of motions                      */
    int *joint_of;      /* [m] the joints they belong to; -1: a motion                  */
    ki_independence of; /* these rows; taken in a general pose near by               */
    keel_point general; /* that pose                                                 */
    int basis_count;
    double *basis; /* [basis_count x n] displacements that joints allow, in natural sizes */
} ki_look;

/* Entries of twists and displacements below this part of the largest are none. */
double ki_mobility_zero(const keel_system *system);

/* Whether a row compares angles or directions, not lengths. */
bool ki_is_angle(const keel_system *system, int row);

/* shared and repetitions, from the null space of J^T. (self_stress.c) */
keel_status ki_find_repetitions(ki_look *look, keel_mobility *mobility);

/* shared: joints that are loaded where motions repeat each other or what joints impose. All rows were looked
 * at last. (self_stress.c) */
keel_status ki_share_with_motions(ki_look *look, keel_mobility *mobility);

/* Which bodies the displacements of the basis move, in a general pose; which velocities, where the basis is
 * of. (locked.c) */
keel_status ki_find_locked(ki_look *look, keel_mobility *mobility);
void ki_find_locked_velocities(ki_look *look, keel_mobility *mobility);

/* lockers: which joints it takes to lock a body. (lockers.c) */
keel_status ki_find_lockers(ki_look *look, const keel_mechanism_facts *facts, keel_mobility *mobility);

/* `basis`, of the rows taken last. */
keel_status ki_find_basis(ki_look *look);

/* Marks the bodies that no joint mentions, and those that fixed joints tie to the ground. */
keel_status ki_find_tied(ki_look *look, keel_mobility *mobility);

#endif
