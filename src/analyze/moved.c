/* moved.c - the bodies that an assembly has moved away from the drawing. */
#include <math.h>
#include <stdlib.h>

#include "keel/assemble.h"

/* Changes below this are round-off of a state of size 1. */
static const double ROUND_OFF = 1e-12;

/* Angle of a rotation matrix. */
static double angle_of(const double R[9]) {
    double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];
    return atan2(sqrt(x * x + y * y + z * z), R[0] + R[4] + R[8] - 1);
}

static double amount(const keel_moved_body *moved) {
    return moved->distance + moved->angle;
}

static int larger_first(const void *a, const void *b) {
    const keel_moved_body *x = a, *y = b;
    if (amount(x) != amount(y))
        return amount(x) < amount(y) ? 1 : -1;
    return x->body - y->body;
}

/* Distances of all bodies from where they were drawn. Returns the size of the state: the largest coordinate
 * of a centre. */
static double compare_poses(const keel_pose *poses, int bodies, keel_moved_body *moved) {
    double size = 0;
    for (int b = 1; b <= bodies; b++) {
        const keel_pose *pose = &poses[b];
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = pose->r[k] - pose->drawn[k];
            size = fmax(size, fabs(pose->r[k]));
        }
        moved[b - 1] = (keel_moved_body){
            .body = b, .distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), .angle = angle_of(pose->R)};
    }
    return size;
}

keel_status keel_find_moved_bodies(const keel_system *system, const keel_state *s, keel_moved_body *moved,
                                   int *count) {
    keel_mechanism_facts facts;
    void *work = NULL;
    if (!system || !s || !moved || !count || !keel_mechanism_look(system, &facts))
        return KEEL_ERROR_INPUT;
    keel_point at = {s->t, s->q, s->v, s->z, s->s, s->lambda, NULL};
    keel_pose *poses = calloc((size_t)facts.bodies + 1, sizeof *poses);
    keel_status status = poses ? KEEL_OK : KEEL_ERROR_MEMORY;
    *count = 0;
    if (!status && system->work_new)
        status = system->work_new(system, &work);
    if (status >= 0)
        status = keel_mechanism_poses(system, work, &at, poses);
    if (status >= 0) {
        double size = compare_poses(poses, facts.bodies, moved);
        qsort(moved, (size_t)facts.bodies, sizeof *moved, larger_first);
        while (*count < facts.bodies && amount(&moved[*count]) > ROUND_OFF * fmax(size, 1))
            ++*count;
    }
    if (system->work_free && work)
        system->work_free(work);
    free(poses);
    return status < 0 ? status : KEEL_OK;
}
