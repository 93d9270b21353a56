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

/* Of the bodies whose mark is `from`, those that no displacement of the basis moves are marked LOCKED, the
 * others MOVES. */
static keel_status mark_still(ki_look *look, const keel_point *at, keel_body_mobility from, double *B,
                              keel_mobility *mobility) {
    for (int b = 1; b <= mobility->bodies; b++) {
        if (mobility->body[b] != from)
            continue;
        keel_status status = keel_mechanism_body_jacobian(look->system, look->work, at, b, B);
        if (status < 0)
            return status;
        mobility->body[b] = stands_still(look, B) ? KEEL_BODY_LOCKED : KEEL_BODY_MOVES;
    }
    return KEEL_OK;
}

static bool any_locked(const keel_mobility *mobility) {
    for (int b = 1; b <= mobility->bodies; b++)
        if (mobility->body[b] == KEEL_BODY_LOCKED)
            return true;
    return false;
}

/* What stands still in one pose may move in others: a slider at its dead centre. Locked is what stands still
 * in all that were looked at. */
keel_status ki_find_locked(ki_look *look, keel_mobility *mobility) {
    enum { LOOKS = 3 };
    double *B = KI_NEW(&look->arena, double, (size_t)look->n * 6);
    double *q = KI_NEW(&look->arena, double, look->system->n_q);
    keel_point aside = look->general;
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    keel_status status = mark_still(look, &look->general, KEEL_BODY_MOVES, B, mobility);
    aside.q = q;
    for (int k = 0; !status && k < LOOKS && mobility->freedoms > 0 && any_locked(mobility); k++) {
        int rank;
        if (!ki_pose_near(&look->of, &look->general, q))
            continue;
        status = ki_count_independent(&look->of, &aside, &rank);
        look->basis_count = status ? 0 : ki_freedoms(&look->of, look->basis);
        if (!status)
            status = mark_still(look, &aside, KEEL_BODY_LOCKED, B, mobility);
    }
    return status;
}
