/* locked.c - bodies and velocities that the joints allow no motion. */
#include <math.h>
#include <string.h>

#include "analyze/mobility.h"
#include "linalg/dense.h"

/* The first of the bodies that fixed joints hold together with body b. */
static int first_of(int *held, int b) {
    while (held[b] != b)
        b = held[b] = held[held[b]];
    return b;
}

keel_status ki_find_tied(ki_look *look, keel_mobility *mobility) {
    int *mentioned = KI_NEW(&look->arena, int, mobility->bodies + 1);
    int *held = KI_NEW(&look->arena, int, mobility->bodies + 1);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int b = 0; b <= mobility->bodies; b++)
        held[b] = b;
    for (int j = 0; j < mobility->joints; j++) {
        int body[2];
        keel_mechanism_joint_bodies(look->system, j, body);
        mentioned[body[0]] = mentioned[body[1]] = 1;
        if (strcmp(keel_mechanism_joint_type(look->system, j), "fixed") != 0)
            continue;
        int a = first_of(held, body[0]), b = first_of(held, body[1]);
        held[a > b ? a : b] = a < b ? a : b;
    }
    mobility->body[KEEL_GROUND] = KEEL_BODY_FIXED;
    for (int b = 1; b <= mobility->bodies; b++)
        if (!mentioned[b])
            mobility->body[b] = KEEL_BODY_FREE;
        else if (first_of(held, b) == KEEL_GROUND)
            mobility->body[b] = KEEL_BODY_FIXED;
    return KEEL_OK;
}

/* True if the twist B x is zero for all displacements x of the basis, compared with the rows of B: angular
 * velocities first, then velocities. Columns of B are scaled to displacements of natural size. */
static bool stands_still(const ki_look *look, double *B) {
    int n = look->n;
    for (int i = 0; i < 6; i++) {
        double *row = B + i * n;
        for (int j = 0; j < n; j++)
            row[j] *= look->system->q_size[j];
        double length = sqrt(ki_dot(n, row, row));
        for (int k = 0; k < look->basis_count; k++)
            if (fabs(ki_dot(n, row, look->basis + (size_t)k * (size_t)n)) >
                ki_mobility_zero(look->system) * length)
                return false;
    }
    return true;
}

void ki_find_locked_velocities(ki_look *look, keel_mobility *mobility) {
    for (int j = 0; j < look->n; j++) {
        double most = 0;
        for (int k = 0; k < look->basis_count; k++)
            most = fmax(most, fabs(look->basis[(size_t)k * (size_t)look->n + (size_t)j]));
        mobility->locked[j] = most <= ki_mobility_zero(look->system);
    }
}

/* Marks the bodies that the basis of a pose does not move; of those marked before, as `from`, and no others.
 * *count: how many. */
static keel_status mark_locked(ki_look *look, const keel_point *at, keel_body_mobility from,
                               keel_mobility *mobility, int *count) {
    double *B = KI_NEW(&look->arena, double, (size_t)look->n * 6);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    *count = 0;
    for (int b = 1; b <= mobility->bodies; b++) {
        if (mobility->body[b] != from)
            continue;
        keel_status status = keel_mechanism_body_jacobian(look->system, look->work, at, b, B);
        if (status < 0)
            return status;
        bool still = stands_still(look, B);
        mobility->body[b] = still ? KEEL_BODY_LOCKED : KEEL_BODY_MOVES;
        *count += still;
    }
    return KEEL_OK;
}

keel_status ki_find_locked(ki_look *look, keel_mobility *mobility) {
    enum { MOST = 4 };
    int locked;
    double *q = KI_NEW(&look->arena, double, look->system->n_q);
    keel_status status = look->arena.failed
                             ? KEEL_ERROR_MEMORY
                             : mark_locked(look, &look->general, KEEL_BODY_MOVES, mobility, &locked);
    /* a body that stands still in one pose, at a dead centre, moves in others, and where branches meet it may
     * do so on some of them only */
    int samples = look->of.sample_count;
    for (int k = 0; !status && locked && look->basis_count && k < samples + MOST; k++) {
        keel_point near = look->general;
        int rank;
        near.q = k < samples ? look->of.sample + (size_t)k * (size_t)look->system->n_q : q;
        if (k >= samples && !ki_go_near(&look->of, &look->general, q, &status))
            continue;
        if (!(status = ki_count_independent(&look->of, &near, &rank)))
            status = ki_find_basis(look);
        if (!status)
            status = mark_locked(look, &near, KEEL_BODY_LOCKED, mobility, &locked);
    }
    return status;
}
