/* What the conserving rule cannot take, found at the start: see docs/conserving.md for the reasons. */
#include <math.h>
#include <string.h>

#include "integrate/conserving.h"

/* Displacements at which M is compared with the one at the start: not small, so that an M that happens to be
 * stationary there is found as well; in parts of the scales, or of larger coordinates. */
static const double DISPLACEMENTS[] = {0.1, -0.37};

/* Entries differ when they do so by more than round-off of the largest. */
static const double ROUND_OFF = 1e-12;

static keel_status unsuited(ki_dynamics *d, double t, const char *why) {
    ki_trouble_at(d, KEEL_ERROR_INPUT, KI_TROUBLE_UNSUITED, t, -1, 0);
    d->trouble.why = why;
    return KEEL_ERROR_INPUT;
}

/* M at (t, y) against the one at the start. A point where the model has no value tells nothing. */
static keel_status compare(ki_dynamics *d, double t, const double *y, const double *M) {
    keel_pattern P = d->system->M;
    double most = 0;
    keel_status status = ki_evaluate_terms(d, KEEL_MASS, t, y);
    if (status)
        return KEEL_OK;
    for (int k = 0; k < keel_pattern_count(P); k++)
        most = fmax(most, fabs(M[k]));
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            if (fabs(d->at.M[k] - M[k]) > ROUND_OFF * most) {
                ki_trouble_at(d, KEEL_ERROR_INPUT, KI_TROUBLE_MASS_CHANGES, t, i, d->at.M[k] - M[k]);
                d->trouble.other = P.index[k];
                return KEEL_ERROR_INPUT;
            }
    return KEEL_OK;
}

/* Every coordinate for itself, and the time. */
static keel_status check_mass(ki_dynamics *d, ki_arena *arena, double t, double t_end, const double *y) {
    const keel_system *sys = d->system;
    int count = keel_pattern_count(sys->M);
    double *M = KI_NEW(arena, double, count), *moved = KI_NEW(arena, double, d->n_y);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    d->factored = false;
    keel_status status = ki_evaluate_terms(d, KEEL_MASS, t, y);
    memcpy(M, d->at.M, (size_t)count * sizeof *M);
    memcpy(moved, y, (size_t)d->n_y * sizeof *moved);
    double stretch = fmax(1, ki_most_of(sys->n_q, y, d->scales->y));
    for (unsigned k = 0; k < sizeof DISPLACEMENTS / sizeof *DISPLACEMENTS; k++)
        for (int i = 0; i < sys->n_q && !status; i++) {
            moved[i] = y[i] + DISPLACEMENTS[k] * stretch * d->scales->y[i];
            status = compare(d, t, moved, M);
            moved[i] = y[i];
        }
    if (!status)
        status = compare(d, 0.63 * t + 0.37 * t_end, y, M);
    memcpy(d->at.M, M, (size_t)count * sizeof *M);
    return status;
}

keel_status ki_check_conserving(ki_dynamics *d, double t, double t_end, const double *y) {
    const keel_system *sys = d->system;
    if (!sys->has_energy)
        return unsuited(
            d, t, "integrator conserving needs a system that knows its energy (KEEL_ENERGY): take midpoint");
    if (sys->kinematics)
        return unsuited(d, t,
                        "integrator conserving needs q' = v, not rotations by quaternions: take midpoint");
    if (sys->n_n)
        return unsuited(d, t, "integrator conserving takes no nonholonomic constraints: take midpoint");
    ki_arena arena;
    ki_arena_init(&arena);
    keel_status status = check_mass(d, &arena, t, t_end, y);
    ki_arena_free(&arena);
    return status;
}
