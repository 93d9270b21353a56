/* lockers.c - which joints it takes to lock a body.
 *
 * The conditions of all joints, those of the tree included, are covectors c on the twists of all bodies. A
 * body is locked by a set of joints if every component of its twist is a combination of their covectors. From
 * the set of all joints one after the other is left out that is not needed, those of other bodies first; what
 * remains is as small as it can be.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/mobility.h"
#include "linalg/dense.h"

/* Larger mechanisms are not looked at: all joints of the body are named then. */
static const double MOST_ENTRIES = 2e4;

typedef struct covectors {
    int d, columns, rows;
    int *first;   /* [joints + 1] their rows */
    double *c;    /* [rows x columns] unit length */
    double *span; /* the same size: an orthonormal basis of what some of them span */
} covectors;

static keel_status list_covectors(ki_look *look, int joints, covectors *all) {
    for (int j = 0; j < joints; j++)
        all->first[j + 1] = all->first[j] + keel_mechanism_joint_conditions(look->system, j);
    all->rows = all->first[joints];
    if ((double)all->rows * all->columns > MOST_ENTRIES)
        return KEEL_OK;
    size_t entries = (size_t)all->rows * (size_t)all->columns;
    all->c = KI_NEW(&look->arena, double, entries);
    all->span = KI_NEW(&look->arena, double, entries);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int j = 0; j < joints; j++)
        keel_mechanism_joint_covectors(look->system, look->work, &look->general, j,
                                       all->c + (size_t)all->first[j] * (size_t)all->columns);
    for (int i = 0; i < all->rows; i++) {
        double *c = all->c + (size_t)i * (size_t)all->columns, length = sqrt(ki_dot(all->columns, c, c));
        for (int k = 0; length > 0 && k < all->columns; k++)
            c[k] /= length;
    }
    return KEEL_OK;
}

/* Whether the joints that are marked lock the body. */
static bool lock(const covectors *all, const int *marked, int joints, int body, double zero) {
    int n = all->columns, count = 0;
    for (int j = 0; j < joints; j++)
        for (int i = all->first[j]; marked[j] && i < all->first[j + 1]; i++, count++)
            memcpy(all->span + (size_t)count * (size_t)n, all->c + (size_t)i * (size_t)n,
                   (size_t)n * sizeof *all->c);
    count = ki_orthonormalize(count, n, all->span, n, zero);
    for (int k = 0; k < all->d; k++) {
        double square = 0; /* of the part of the unit covector in the span */
        for (int i = 0; i < count; i++) {
            double component = all->span[i * n + all->d * body + k];
            square += component * component;
        }
        if (square < 1 - zero)
            return false;
    }
    return true;
}

static void leave_out(const ki_look *look, const covectors *all, int joints, int body, int *marked) {
    for (int j = 0; j < joints; j++)
        marked[j] = 1;
    for (int own = 0; own < 2; own++)
        for (int j = joints - 1; j >= 0; j--) {
            int ends[2];
            keel_mechanism_joint_bodies(look->system, j, ends);
            if ((ends[0] == body || ends[1] == body) != own)
                continue;
            marked[j] = 0;
            marked[j] = !lock(all, marked, joints, body, ki_mobility_zero(look->system));
        }
}

keel_status ki_find_lockers(ki_look *look, const keel_mechanism_facts *facts, keel_mobility *mobility) {
    int joints = mobility->joints, told = 0, locked = 0;
    covectors all = {.d = facts->planar ? 3 : 6};
    for (int b = 1; b <= mobility->bodies; b++)
        locked += mobility->body[b] == KEEL_BODY_LOCKED;
    if (!locked)
        return KEEL_OK;
    all.columns = all.d * (mobility->bodies + 1);
    all.first = KI_NEW(&look->arena, int, joints + 1);
    keel_status status = look->arena.failed ? KEEL_ERROR_MEMORY : list_covectors(look, joints, &all);
    if (status || !all.c)
        return status;
    mobility->lockers = calloc((size_t)KEEL_LOCKED_TOLD * (size_t)joints + 1, sizeof(int));
    if (!mobility->lockers)
        return KEEL_ERROR_MEMORY;
    for (int b = 1; b <= mobility->bodies && told < KEEL_LOCKED_TOLD; b++)
        if (mobility->body[b] == KEEL_BODY_LOCKED)
            leave_out(look, &all, joints, b, mobility->lockers + (size_t)told++ * (size_t)joints);
    return KEEL_OK;
}
