/* law.h - what a formulation adds to a system: gains, penalty masses, partitions.
 *
 * The acceleration level of the constraints is asked to be
 *
 *     J v' = s,    s = xi - K_D rate - K_P Phi      generalized Baumgarte: Phi'' + K_D Phi' + K_P Phi = 0
 *                  s = xi                           without it
 *
 * K_D acts on all rows (for nonholonomic ones: Psi' + K_D Psi = 0), K_P on the holonomic rows; both symmetric positive
 * definite (Mukharlyamov and Deressa, eq. 16-21). Automatic gains are those of a critically damped constraint whose violation
 * fades over a few steps: K_D = 2 a, K_P = a^2, K_D = a for nonholonomic rows, with a = AUTOMATIC_RATE / h.
 */
#ifndef KI_LAW_H
#define KI_LAW_H

#include <stdbool.h>

#include "formulate/partition.h"
#include "keel/method.h"

/* A symmetric matrix that acts on constraint rows. */
typedef struct ki_gain {
    int rows;
    bool full;      /* values [rows x rows]; otherwise the diagonal [rows] */
    double *values;
} ki_gain;

typedef struct ki_law {
    keel_formulation formulation;
    bool baumgarte;
    bool automatic_gains;
    ki_gain K_D, K_P;
    bool automatic_penalty;
    ki_gain penalty;   /* masses A of the modified Lagrange equations; [m] rows    */
    double *non_ideal; /* [m] u of the generalized inverse; NULL: zero             */
    ki_partition_choice choice;
    double step;       /* length of the step being tried, for automatic gains      */
} ki_law;

/* out += factor K x */
void ki_gain_apply(const ki_gain *K, double factor, const double *x, double *out);

#endif
