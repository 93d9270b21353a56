/* reduction.h - a mechanism whose loops are all parallelograms, in the coordinates of what leads them.
 *
 * Bodies that follow a leader (parallelogram.h) add their masses to it, drawn at its pivot A_l and turned by
 * the same R:
 *
 *     a crank      a copy of it, moved by A_l - A            a coupler      a point of its mass at A_l + w
 *
 * Their velocities are those of the bodies that they stand for, their heights differ by a constant, which the
 * potential energy keeps. What is left must be a tree of joints without conditions: the system in u, and its
 * coordinates the u.
 *
 * A coordinate q of the full tree is then one of the u itself, or the angle of a pin between two bodies that
 * do not turn or turn with a leader, whose own angle is that of its pivot:
 *
 *     q_i = slope_i u_s(i) + offset_i,      v_i = slope_i u'_s(i),      slope_i = 1, -1 or 0.
 */
#ifndef KI_MECHANISM_REDUCTION_H
#define KI_MECHANISM_REDUCTION_H

#include "mechanism/description.h"
#include "mechanism/model.h"
#include "mechanism/parallelogram.h"

/* Coordinates of the full system, from first to end - 1, that follow the same u. */
typedef struct ki_span {
    int first, end, source;
} ki_span;

typedef struct ki_reduction {
    keel_reduction reduction; /* what the system shows */
    int spans;
    ki_span *span;          /* [spans] */
    double *slope, *offset; /* [n_q] of the full system */
    int *told_by;           /* [n_u] a coordinate of the full system that tells u */
    int *pose_source;       /* [n_poses] value = (slope u + offset) / pi */
    double *pose_slope, *pose_offset;
} ki_reduction;

/* The functions of keel_reduction, in reduction_map.c. */
void ki_reduction_expand(const keel_reduction *reduction, void *work, double t, const double *u,
                         const double *u_rate, double *q, double *v);
int ki_reduction_shrink(const keel_reduction *reduction, void *work, double t, const double *q,
                        const double *v, double *u, double *u_rate);
void ki_reduction_poses(const keel_reduction *reduction, const double *u, double *value);

/* Sets mech->system.reduction and mech->reduced if the mechanism has one; KEEL_ERROR_MEMORY. */
keel_status ki_reduction_build(const keel_mechanism *m, ki_mech *mech);

/* What is left of a description, with the numbers of its bodies and joints there, -1 for those taken away,
 * and what the potential energy of the full mechanism has besides. In reduced_description.c. */
typedef struct ki_rest {
    keel_mechanism *description;
    int *body, *joint; /* [body_count], [joint_count] of the full one */
    double potential;
} ki_rest;
keel_status ki_rest_build(const keel_mechanism *m, const ki_parallelograms *p, ki_arena *arena,
                          ki_rest *rest);

#endif
