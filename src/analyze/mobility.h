/* mobility.h - the parts of keel_mobility_find. */
#ifndef KI_MOBILITY_H
#define KI_MOBILITY_H

#include "base/arena.h"
#include "keel/mechanism.h"
#include "keel/mobility.h"
#include "keel/rank.h"

/* Entries of a null vector, or of a twist, that are smaller relative to the largest are none. */
#define KI_MOBILITY_ZERO 1e-7

/* A look under way. */
typedef struct ki_look {
    const keel_system *system;
    keel_point at;
    void *work; /* of the system */
    ki_arena arena;
    int rows;       /* of cut joints                             */
    int *row_of;    /* [rows] their places in J                  */
    int *joint_of;  /* [rows] the joints they belong to          */
    keel_pattern J; /* rows x n_v, only those                    */
    double *values; /* of J, rows of unit length                 */
    double *length; /* [rows] what they were divided by          */
    keel_rank rank; /* of J                                      */
    double *basis;  /* [freedoms x n_v] orthonormal, J x = 0     */
    int basis_count;
} ki_look;

/* shared and repetitions, from the null space of J^T. (self_stress.c) */
keel_status ki_find_repetitions(ki_look *look, keel_mobility *mobility);

/* Which bodies and velocities the displacements of the basis move. (locked.c) */
keel_status ki_find_locked(ki_look *look, keel_mobility *mobility);

/* lockers: which joints it takes to lock a body. (lockers.c) */
keel_status ki_find_lockers(ki_look *look, const keel_mechanism_facts *facts, keel_mobility *mobility);

/* Marks the bodies that no joint mentions, and those that fixed joints tie to the ground. */
keel_status ki_find_tied(ki_look *look, keel_mobility *mobility);

#endif
