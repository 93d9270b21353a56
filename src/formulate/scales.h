/* scales.h - how large the components of a state are: what errors are measured by (docs/scales.md).
 *
 * A displacement has the size s_j, and all motion a rate w, one over its time scale. Then
 *
 *     coordinate i   sum_j |N_ij| s_j     (s_i where q' = v)
 *     velocity j     w s_j
 *     state k        |z_k| or |f_k| / w, the largest so far
 *
 * With p_j the share of displacement j in the inertia, M_jj s_j^2 / sum_k M_kk s_k^2,
 *
 *     w^2 = max(sum_j p_j (v_j / s_j)^2, sum_j |Q_j| s_j / sum_k M_kk s_k^2)
 *
 * so far: from the velocities, and at the start also from the forces. s is what the system states
 * (keel_system.q_size). If it states nothing s and w come from its numbers at the start, and coordinates and
 * velocities count with their largest values so far as well. None of it depends on units, nor on where and
 * how a mechanism stands.
 */
#ifndef KI_SCALES_H
#define KI_SCALES_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/system.h"

struct ki_dynamics;

typedef struct ki_scales {
    double *y;     /* [n_y, padded] of the components of y; 1 for the work */
    double *move;  /* [n_v] s */
    double *share; /* [n_v] p */
    bool *grows;   /* [n_v] unless known: with the largest value so far; angles do not */
    double rate;   /* w */
    bool known; /* s is stated; otherwise coordinates and velocities have their largest values so far, too */
} ki_scales;

/* Those that the system states, all others 1: NULL when out of memory. */
ki_scales *ki_scales_new(ki_arena *arena, const keel_system *system);

/* The scales of a run of the given duration that begins at (t, y), for d. What cannot be evaluated there does
 * not count. Matrices and forces of d are overwritten. */
void ki_find_scales(struct ki_dynamics *d, double t, const double *y, double duration);

/* The largest |x_i| / scale_i; NaN if there is one. */
double ki_most_of(int n, const double *x, const double *scale);

/* At another state of the motion: the largest values so far. */
void ki_raise_scales(ki_scales *scales, const keel_system *system, const double *y);

/* What is known of an earlier part of the motion, for the same components. */
void ki_copy_scales(ki_scales *to, const ki_scales *from, const keel_system *system);

#endif
