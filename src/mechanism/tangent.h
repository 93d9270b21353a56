/* tangent.h - derivatives of the equations of motion by differences, many columns at a time.
 *
 * The residual R(q, v) = (M a + J^T lambda - Q, J a - xi), with a and lambda held, costs one recursion:
 * O(bodies), no matrix. Two columns that no row shares can be displaced together; the columns are coloured so
 * that a displacement moves all columns of a colour (Curtis, Powell and Reid 1974). The differences are
 * central: quadratic terms, which gyroscopic forces are in v, are exact.
 */
#ifndef KI_MECHANISM_TANGENT_H
#define KI_MECHANISM_TANGENT_H

#include "mechanism/work.h"

typedef struct ki_colouring {
    int colours;
    int *first;     /* [colours + 1] into `column` */
    int *column;    /* [n_v] velocities by colour */
    int *row_count; /* [n_v + m] entries of the q half of a row of the tangent; the v half has as many */
    int *entry_first, *entry_row, *entry_slot; /* entries of column j of the q part: entry_first[j] .. */
    int *rate_first, *rate_row, *rate_slot;    /* the same for rate_q */
    double *step;                              /* [n_v] displacement of q */
} ki_colouring;

/* system.q_size: 1 for angles, the size of the mechanism for displacements; system.Phi_size: how far the
 * bodies of a row are drawn from the origin (mech_sizes.c). */
keel_status ki_sizes_build(ki_mech *mech);

/* Patterns of tangent and rate_q in mech->system, and the colouring. Forces are in place. */
keel_status ki_colouring_build(ki_mech *mech);

/* Fills terms->tangent and terms->rate_q as asked. */
void ki_mech_tangent(const ki_mech *mech, ki_mech_work *w, unsigned what, const keel_point *at,
                     keel_terms *terms);

/* rate[m] of all constraint rows: J v - tau (mech_system.c). */
void ki_row_rates(const ki_mech *mech, const ki_mech_work *w, double *rate);

#endif
