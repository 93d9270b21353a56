/* self_stress.c - joints that say the same, from states of self-stress.
 *
 * For every dependent row d there is one y with J^T y = 0, y_d = 1 and y = 0 in the other dependent rows: how
 * row d follows from the independent ones. The forces in the joints that y makes, tree joints included, tell
 * which joints take part, and y . Phi how far what they say differs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/mobility.h"

/* Rows of which the others leave less, in natural sizes, differ by round-off only. */
static const double LEAST_LEFT = 1e-10;

typedef struct scratch {
    double *Phi, *y, *sum; /* [m] */
    keel_reaction *reactions;
    int *carries; /* [joints] */
} scratch;

/* Torques by the extent of the mechanism, so that no unit decides. */
static double size_of(const keel_reaction *reaction, double extent) {
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fmax(fabs(reaction->force[k]), fabs(reaction->torque[k]) / extent));
    return most;
}

/* carries[j] = 1 for the joints that the self-stress y loads; entries that are set stay. */
static keel_status mark_loaded(ki_look *look, const double *y, int joints, keel_reaction *reactions,
                               int *carries) {
    keel_point at = look->general;
    double most = 0, extent = look->system->extent > 0 ? look->system->extent : 1;
    at.lambda = y;
    keel_status status = keel_mechanism_reactions(look->system, look->work, &at, NULL, reactions);
    if (status < 0)
        return status;
    for (int j = 0; j < joints; j++)
        most = fmax(most, size_of(&reactions[j], extent));
    for (int j = 0; j < joints; j++)
        carries[j] |= size_of(&reactions[j], extent) > ki_mobility_zero(look->system) * most;
    return KEEL_OK;
}

/* The others are the joints marked in `carries`. */
static keel_status add_repetition(keel_mobility *mobility, int joint, int conditions, const int *carries) {
    keel_repetition *r = &mobility->repetitions[mobility->repetition_count];
    r->others = calloc((size_t)mobility->joints + 1, sizeof *r->others);
    if (!r->others)
        return KEEL_ERROR_MEMORY;
    mobility->repetition_count++;
    r->joint = joint;
    r->conditions = conditions;
    for (int j = 0; j < mobility->joints; j++) {
        if (carries[j])
            mobility->shared[j] = 1;
        if (carries[j] && j != joint)
            r->others[r->other_count++] = j;
    }
    return KEEL_OK;
}

/* How far row d is from what the others say, in its own unit: in this pose, or where a displacement of
 * natural size leads; the larger one is kept. */
static keel_status measure_difference(ki_look *look, const double *y, int d, double *Phi,
                                      keel_repetition *r) {
    const keel_system *sys = look->system;
    keel_terms terms = {.Phi = Phi};
    double difference = 0;
    if (d >= sys->n_h)
        return KEEL_OK;
    if (sys->evaluate(sys, look->work, KEEL_POSITION, &look->at, &terms) < 0)
        return KEEL_ERROR_CALLBACK;
    for (int i = 0; i < sys->n_h; i++)
        difference += y[i] / y[d] * Phi[i];
    bool angle = ki_is_angle(sys, d);
    double *kept = angle ? &r->angle : &r->length;
    double size = angle ? 1 : fmax(sys->extent, sys->Phi_size[d]);
    if (fabs(difference) > 1e-12 * size)
        *kept = fmax(*kept, fabs(difference));
    if (look->of.left[d] > LEAST_LEFT)
        *kept = fmax(*kept, look->of.left[d] * sys->row_size[d]);
    return KEEL_OK;
}

/* The dependent rows of one joint, their number in *conditions: which joints they load, and how far what they
 * say differs. Looking at all joints costs as much as solving for many self-stresses, so that in large
 * systems one combination of those of the joint serves for all. */
static keel_status look_at_joint(ki_look *look, int joint, int joints, scratch *use, int *conditions,
                                 keel_repetition *found) {
    int m = look->m;
    keel_status status = KEEL_OK;
    memset(use->carries, 0, (size_t)joints * sizeof *use->carries);
    memset(use->sum, 0, (size_t)m * sizeof *use->sum);
    *conditions = 0;
    for (int d = 0; !status && d < m; d++) {
        if (look->of.taken[d] || look->of.ignored[d] || look->joint_of[d] != joint)
            continue;
        ++*conditions;
        status = ki_self_stress_of(&look->of, d, use->y);
        if (!status && !look->of.large)
            status = mark_loaded(look, use->y, joints, use->reactions, use->carries);
        for (int i = 0; i < m; i++)
            use->sum[i] += use->y[i] / *conditions;
        if (!status)
            status = measure_difference(look, use->y, d, use->Phi, found);
    }
    if (!status && look->of.large && *conditions)
        status = mark_loaded(look, use->sum, joints, use->reactions, use->carries);
    return status;
}

static keel_status allocate(ki_look *look, int joints, scratch *use) {
    *use = (scratch){.Phi = KI_NEW(&look->arena, double, look->m),
                     .y = KI_NEW(&look->arena, double, look->m),
                     .sum = KI_NEW(&look->arena, double, look->m),
                     .reactions = KI_NEW(&look->arena, keel_reaction, joints),
                     .carries = KI_NEW(&look->arena, int, joints)};
    return look->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_find_repetitions(ki_look *look, keel_mobility *mobility) {
    scratch use;
    keel_status status = allocate(look, mobility->joints, &use);
    if (look->rows == look->of.rank)
        return status;
    for (int joint = 0; !status && joint < mobility->joints; joint++) {
        int conditions;
        keel_repetition found = {0};
        status = look_at_joint(look, joint, mobility->joints, &use, &conditions, &found);
        if (!status && conditions)
            status = add_repetition(mobility, joint, conditions, use.carries);
        if (!status && conditions) {
            mobility->repetitions[mobility->repetition_count - 1].length = found.length;
            mobility->repetitions[mobility->repetition_count - 1].angle = found.angle;
        }
    }
    return status;
}

keel_status ki_share_with_motions(ki_look *look, keel_mobility *mobility) {
    scratch use;
    keel_status status = allocate(look, mobility->joints, &use);
    for (int d = 0; !status && d < look->m; d++) {
        if (look->of.taken[d] || look->joint_of[d] >= 0)
            continue;
        status = ki_self_stress_of(&look->of, d, use.y);
        if (!status)
            status = mark_loaded(look, use.y, mobility->joints, use.reactions, mobility->shared);
    }
    return status;
}
