/* flat_poses.c - the poses in which parallelograms are flat and nothing holds them.
 *
 * A flat loop lets its cranks turn at different speeds, which its coupler, now free to turn, takes up. Where
 * other couplers are not flat in the same pose they hold their cranks to one speed, and a flat coupler with
 * two such cranks does not turn and holds the others of its cranks as well. What is left then is where the
 * branches meet. (Locomotives have their coupling rods a quarter of a turn apart for this.)
 */
#include <math.h>
#include <stdlib.h>

#include "mechanism/parallelogram.h"

static const double PI = 3.14159265358979323846;

/* Turns by which poses differ, and by which a coupler must be off a flat pose to hold its cranks well. */
static const double SAME_POSE = 1e-9, HOLDS = 3e-7;

static int compare(const void *a, const void *b) {
    const ki_flat_pose *x = a, *y = b;
    if (x->leader != y->leader)
        return x->leader < y->leader ? -1 : 1;
    return x->turns < y->turns ? -1 : x->turns > y->turns;
}

/* lean / pi without whole turns */
static double turns_of(const ki_follower *coupler) {
    double turns = coupler->lean / PI - floor(coupler->lean / PI);
    return turns > 1 - SAME_POSE ? 0 : turns;
}

/* The different ones of all couplers, in order. */
static int list(int bodies, const ki_parallelograms *p, ki_flat_pose *pose) {
    int count = 0, different = 0;
    for (int c = 1; c < bodies; c++)
        if (p->body[c].how == KI_TRANSLATES && !isnan(p->body[c].lean))
            pose[count++] = (ki_flat_pose){p->body[c].leader, turns_of(&p->body[c]), c};
    qsort(pose, (size_t)count, sizeof *pose, compare);
    for (int i = 0; i < count; i++)
        if (i == 0 || pose[i].leader != pose[different - 1].leader ||
            pose[i].turns - pose[different - 1].turns > SAME_POSE)
            pose[different++] = pose[i];
    return different;
}

/* The cranks of a pose while they are joined. */
typedef struct holding {
    const ki_parallelograms *p;
    int *root;  /* [bodies] union-find: cranks of one speed, and couplers that do not turn */
    int *seen;  /* [bodies] the last coupler that met a root, */
    int *by;    /* [bodies] and its crank there               */
    bool *flat; /* [bodies] couplers that are flat in the pose */
} holding;

static int root_of(holding *h, int b) {
    while (h->root[b] != b)
        b = h->root[b] = h->root[h->root[b]];
    return b;
}

static void join(holding *h, int c) {
    for (int i = h->p->start[c]; i < h->p->start[c + 1]; i++)
        h->root[root_of(h, h->p->crank[i])] = root_of(h, c);
}

/* Have two cranks of a flat coupler, with different pivots, one speed? */
static bool is_held(holding *h, int c) {
    for (int i = h->p->start[c]; i < h->p->start[c + 1]; i++) {
        int b = h->p->crank[i], root = root_of(h, b);
        const double *A = h->p->body[b].arm, *B = h->p->body[h->by[root]].arm;
        if (h->seen[root] == c && (A[0] != B[0] || A[1] != B[1]))
            return true;
        h->seen[root] = c;
        h->by[root] = b;
    }
    return false;
}

/* Do branches meet in this pose? */
static bool branches_meet(holding *h, int bodies, const ki_flat_pose *pose) {
    bool joined = true, loose = false;
    for (int b = 0; b < bodies; b++)
        h->root[b] = b, h->seen[b] = 0, h->flat[b] = false;
    for (int c = 1; c < bodies; c++) {
        const ki_follower *f = &h->p->body[c];
        if (f->how != KI_TRANSLATES || f->leader != pose->leader)
            continue;
        double off = isnan(f->lean) ? 0.5 : fabs(turns_of(f) - pose->turns);
        h->flat[c] = fmin(off, 1 - off) < HOLDS;
        if (!h->flat[c])
            join(h, c);
    }
    while (joined) {
        joined = loose = false;
        for (int c = 1; c < bodies; c++) {
            if (!h->flat[c])
                continue;
            if (is_held(h, c)) {
                join(h, c);
                h->flat[c] = false;
                joined = true;
            } else {
                loose = true;
            }
        }
    }
    return loose;
}

/* Each coupler of a leader adds as many cranks as it has pins, but for one: none holds another's cranks. */
static void find_trees(int bodies, const ki_parallelograms *p, int *surplus) {
    for (int b = 1; b < bodies; b++) {
        const ki_follower *f = &p->body[b];
        if (f->how == KI_TURNS)
            surplus[f->leader] -= f->leader != b;
        else if (f->how == KI_TRANSLATES)
            surplus[f->leader] += p->start[b + 1] - p->start[b] - 1;
    }
}

keel_status ki_find_flat_poses(int bodies, const ki_parallelograms *p, ki_arena *arena, ki_flat_pose **pose,
                               int *count) {
    holding h = {p, KI_NEW(arena, int, bodies), KI_NEW(arena, int, bodies), KI_NEW(arena, int, bodies),
                 KI_NEW(arena, bool, bodies)};
    int *surplus = KI_NEW(arena, int, bodies);
    *pose = KI_NEW(arena, ki_flat_pose, bodies);
    *count = 0;
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    find_trees(bodies, p, surplus);
    int different = list(bodies, p, *pose);
    for (int i = 0; i < different; i++)
        if (surplus[(*pose)[i].leader] == 0 || branches_meet(&h, bodies, &(*pose)[i]))
            (*pose)[(*count)++] = (*pose)[i];
    return KEEL_OK;
}
