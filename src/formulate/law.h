/* law.h - what a method adds to a system: gains, penalty masses, the non-ideal part, the choice of a
 * partition.
 *
 * The acceleration level of the constraints is asked to be
 *
 *     J v' = s,    s = xi - K_D rate - K_P Phi      generalized Baumgarte: Phi'' + K_D Phi' + K_P Phi = 0
 *                  s = xi                           without it
 *
 * K_D acts on all rows (for nonholonomic ones: Psi' + K_D Psi = 0), K_P on the holonomic rows; both are
 * symmetric positive definite (Mukharlyamov and Deressa, eq. 16-21). Automatic gains make every constraint
 * critically damped, as fast as the motion is (gains.c).
 */
#ifndef KI_LAW_H
#define KI_LAW_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/settings.h"
#include "keel/system.h"

/* A symmetric matrix that acts on rows. */
typedef struct ki_gain {
    int rows;
    bool given; /* false: automatic */
    bool full;  /* values [rows x rows]; otherwise the diagonal [rows] */
    double *values;
} ki_gain;

typedef struct ki_law {
    keel_formulation formulation;
    bool baumgarte;
    bool gradient;         /* the stabiliser needs partitions */
    ki_gain K_D;           /* all rows of J    */
    ki_gain K_P;           /* holonomic rows   */
    ki_gain penalty;       /* masses of the modified Lagrange equations, all rows */
    double penalty_factor; /* of automatic masses over the heaviest mass of the system */
    ki_gain non_ideal;     /* u of the generalized inverse, a vector              */
    keel_choice choice;

    /* projection */
    double projection_tolerance; /* violation that is left, relative to the size of the constraint */
    keel_levels levels;
    keel_metric metric;
    bool natural_metric;       /* an implicit integrator may take that of its step instead of M */
    ki_gain metric_matrix;     /* a row per velocity */
    double projection_penalty; /* alpha; 0: exact    */
    bool joint;                /* positions and velocities at once: asked for, or for the invariants */
    bool keep_invariants;      /* projection and gradient keep them */
} ki_law;

/* Works the settings out for a system: names become rows, matrices are checked to be symmetric and positive
 * definite. Problems are reported with the name of the option, the constraint, the eigenvalue. */
keel_status ki_law_init(ki_law *law, ki_arena *arena, const keel_system *system,
                        const keel_settings *settings, keel_diagnostics *diagnostics);

/* Which levels projection corrects. */
static inline bool ki_projects_position(const ki_law *law) {
    return law->levels != KEEL_LEVELS_VELOCITY && law->levels != KEEL_LEVELS_VELOCITY_ACCELERATION;
}
static inline bool ki_projects_velocity(const ki_law *law) {
    return law->levels != KEEL_LEVELS_POSITION;
}
static inline bool ki_projects_acceleration(const ki_law *law) {
    return law->levels == KEEL_LEVELS_VELOCITY_ACCELERATION || law->levels == KEEL_LEVELS_ALL;
}

/* One gain with rows called as in `of`. */
keel_status ki_gain_init(ki_gain *K, ki_arena *arena, const keel_gain *gain, const char *option, int rows,
                         const keel_system *system, keel_name_of of, keel_diagnostics *diagnostics);

/* out += factor K x */
void ki_gain_apply(const ki_gain *K, double factor, const double *x, double *out);

#endif
