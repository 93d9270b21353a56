#include "mechanism/reduction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/compile.h"
#include "mechanism/skeleton.h"

static const double PI = 3.14159265358979323846;

/* Coordinates that may be left: relative ones of many bodies cost more than constraints do. */
enum { MOST_LEFT = 32 };

/* The full mechanism and what is left of it. */
typedef struct maker {
    const keel_mechanism *m;
    ki_parallelograms found;
    ki_rest rest;
    ki_mech *full, *left;
    ki_arena scratch;
    ki_reduction *map; /* in the arena of `full` */
    int *source;       /* [n_q of `full`] the u that each coordinate follows, -1: it is constant */
} maker;

/* ---- coordinates ------------------------------------------------------------------------------------------
 */

/* slope u_source + offset */
typedef struct line {
    int source;
    double slope, offset;
} line;

/* The angle of a leader, by its pivot; false if that does not hang it. */
static bool angle_of_leader(const maker *k, int leader, line *angle) {
    const ki_body *body = &k->left->body[k->left->body_of[k->rest.body[leader]]];
    if (body->kind != KI_HINGE_PIN || body->parent != 0)
        return false;
    double sense = k->left->q_sense[body->q];
    *angle = (line){body->q, sense, body->drawn_turn - sense * k->left->q_reading[body->q]};
    return true;
}

/* The angle of a body that does not turn, or turns with a leader. */
static bool angle_of(const maker *k, int described, line *angle) {
    *angle = (line){0};
    if (described == KEEL_GROUND || k->found.body[described].how == KI_TRANSLATES)
        return true;
    return k->found.body[described].how == KI_TURNS &&
           angle_of_leader(k, k->found.body[described].leader, angle);
}

/* The coordinates of a hinge that is left as it is: its first u, or -1. */
static int same_hinge(const maker *k, const ki_body *body) {
    int joint = k->full->joint[body->joint].described;
    if (joint >= 0) {
        int left = k->rest.joint[joint];
        return left >= 0 && k->left->joint[left].tree ? k->left->joint[left].q : -1;
    }
    int left = k->rest.body[body->described];
    if (left < 0 || k->found.body[body->described].how != KI_ALONE)
        return -1;
    const ki_body *same = &k->left->body[k->left->body_of[left]];
    return same->kind == KI_HINGE_OWN ? same->q : -1;
}

static void set_line(const maker *k, int i, line l) {
    k->source[i] = l.slope != 0 ? l.source : -1;
    k->map->slope[i] = l.slope;
    k->map->offset[i] = l.offset;
}

/* Coordinates of a hinge of the full tree as lines; false if they are none. */
static bool draw_lines(const maker *k, const ki_body *body) {
    const ki_mech *full = k->full;
    int first = same_hinge(k, body), q = body->q;
    line inner, outer;
    if (first >= 0) {
        for (int i = 0; i < body->n_v; i++)
            set_line(k, q + i, (line){first + i, 1, 0});
        return true;
    }
    if (body->kind != KI_HINGE_PIN || !angle_of(k, body->described, &outer) ||
        !angle_of(k, full->body[body->parent].described, &inner))
        return false;
    line angle = outer.slope != 0 ? outer : inner;
    double slope = outer.slope - inner.slope, offset = outer.offset - inner.offset - body->drawn_turn;
    if (outer.slope != 0 && inner.slope != 0 && outer.source != inner.source)
        return false;
    set_line(k, q,
             (line){angle.source, full->q_sense[q] * slope, full->q_sense[q] * offset + full->q_reading[q]});
    return true;
}

/* Which q tells each u: one that is u itself, if there is one. */
static bool find_tellers(const maker *k) {
    ki_reduction *map = k->map;
    int n = k->left->system.n_q;
    for (int j = 0; j < n; j++)
        map->told_by[j] = -1;
    for (int i = 0; i < k->full->system.n_q; i++) {
        if (k->source[i] < 0)
            continue;
        int *teller = &map->told_by[k->source[i]];
        if (*teller < 0 || (map->slope[i] == 1 && map->offset[i] == 0))
            *teller = i;
    }
    for (int j = 0; j < n; j++)
        if (map->told_by[j] < 0)
            return false;
    return true;
}

static bool map_coordinates(const maker *k) {
    for (int b = 1; b < k->full->body_count; b++)
        if (!draw_lines(k, &k->full->body[b]))
            return false;
    return find_tellers(k);
}

/* Constant coordinates go with the ones before them. */
static void list_spans(const maker *k) {
    ki_reduction *map = k->map;
    for (int i = 0; i < k->full->system.n_q; i++) {
        ki_span *last = map->spans ? &map->span[map->spans - 1] : NULL;
        if (last && (k->source[i] < 0 || k->source[i] == last->source))
            last->end = i + 1;
        else
            map->span[map->spans++] = (ki_span){i, i + 1, k->source[i] < 0 ? 0 : k->source[i]};
    }
}

/* ---- poses ----------------------------------------------------------------------------------------------
 */

/* row[b]: a row of a cut joint of coupler b, or of the pivot of crank b if that is cut; -1: none. */
static void find_rows(const maker *k, int *row) {
    const ki_mech *full = k->full;
    for (int b = 0; b < full->body_count; b++)
        row[b] = -1;
    for (int j = 0; j < full->described_joints; j++) {
        const ki_joint *joint = &full->joint[j];
        for (int side = 0; side < 2 && !joint->tree; side++) {
            int b = full->body[joint->body[side]].described;
            if (k->found.body[b].how == KI_TRANSLATES || joint->body[1 - side] == 0)
                row[b] = joint->row_h;
        }
    }
}

/* The tree has not all joints of a loop: one of the coupler or a pivot of its cranks is cut. */
static int row_of_loop(const maker *k, const int *row, int coupler) {
    int found = row[coupler];
    for (int i = k->found.start[coupler]; found < 0 && i < k->found.start[coupler + 1]; i++)
        found = row[k->found.crank[i]];
    return found;
}

static keel_status set_poses(maker *k) {
    ki_arena *arena = &k->full->arena;
    ki_reduction *map = k->map;
    int *row = KI_NEW(&k->scratch, int, k->m->body_count), count;
    ki_flat_pose *pose;
    keel_status status = ki_find_flat_poses(k->m->body_count, &k->found, &k->scratch, &pose, &count);
    if (status || !row)
        return KEEL_ERROR_MEMORY;
    find_rows(k, row);
    int *rows = KI_NEW(arena, int, count);
    map->pose_source = KI_NEW(arena, int, count);
    map->pose_slope = KI_NEW(arena, double, count);
    map->pose_offset = KI_NEW(arena, double, count);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        line angle = {0};
        angle_of_leader(k, pose[i].leader, &angle);
        rows[i] = row_of_loop(k, row, pose[i].coupler);
        map->pose_source[i] = angle.source;
        map->pose_slope[i] = angle.slope;
        map->pose_offset[i] = angle.offset + PI * pose[i].turns;
    }
    map->reduction.n_poses = count;
    map->reduction.pose_row = rows;
    map->reduction.poses = count ? ki_reduction_poses : NULL;
    return KEEL_OK;
}

/* ---- words ----------------------------------------------------------------------------------------------
 */

/* "2 parallelograms turn with 'bar[0]'", "... with 'a' and 'b'", "... with 'a', 'b' and 3 others" */
static const char *words(const maker *k) {
    enum { SIZE = 400 };
    const char *name[2] = {"", ""};
    char text[SIZE];
    int leaders = 0;
    for (int b = 1; b < k->m->body_count; b++)
        if (k->found.body[b].how == KI_TURNS && k->found.body[b].leader == b && leaders++ < 2)
            name[leaders - 1] = k->m->body[b].name;
    int length = snprintf(text, sizeof text, "%d parallelogram%s with '%.120s'", k->found.loops,
                          k->found.loops == 1 ? " turns" : "s turn", name[0]);
    if (leaders == 2)
        length += snprintf(text + length, sizeof text - (size_t)length, " and '%.120s'", name[1]);
    else if (leaders > 2)
        length += snprintf(text + length, sizeof text - (size_t)length, ", '%.120s' and %d other%s", name[1],
                           leaders - 2, leaders == 3 ? "" : "s");
    return ki_arena_text(&k->full->arena, text, (size_t)length);
}

/* ---- all of it ------------------------------------------------------------------------------------------
 */

static bool is_unconstrained(const keel_system *s) {
    return keel_system_m(s) == 0 && s->n_z == 0 && s->n_s == 0 && !s->kinematics && !s->has_drivers &&
           s->n_q > 0 && s->n_q == s->n_v && s->n_q <= MOST_LEFT;
}

static int bodies_left(const maker *k) {
    int count = 0;
    for (int b = 1; b < k->m->body_count; b++)
        count += !ki_is_taken(&k->found, b);
    return count;
}

static keel_status begin_map(maker *k) {
    ki_arena *arena = &k->full->arena;
    int n = k->full->system.n_q;
    k->map = KI_NEW(arena, ki_reduction, 1);
    if (!k->map)
        return KEEL_ERROR_MEMORY;
    k->source = KI_NEW(&k->scratch, int, n);
    *k->map = (ki_reduction){.span = KI_NEW(arena, ki_span, n),
                             .slope = KI_NEW(arena, double, n),
                             .offset = KI_NEW(arena, double, n),
                             .told_by = KI_NEW(arena, int, k->left->system.n_q)};
    return arena->failed || k->scratch.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static keel_status finish(maker *k) {
    keel_status status = set_poses(k);
    list_spans(k);
    const char *reason = words(k);
    if (status || !reason)
        return KEEL_ERROR_MEMORY;
    keel_reduction *r = &k->map->reduction;
    r->system = &k->left->system;
    r->model = k->map;
    r->reason = reason;
    r->shrink = ki_reduction_shrink;
    r->expand = ki_reduction_expand;
    k->left->potential = k->rest.potential;
    k->full->reduced = k->left;
    k->full->system.reduction = r;
    return KEEL_OK;
}

/* Sets full->reduced if all goes well. */
static keel_status reduce(maker *k) {
    keel_status status = ki_find_parallelograms(k->m, &k->scratch, &k->found);
    if (status || !k->found.loops || bodies_left(k) > MOST_LEFT)
        return status;
    status = ki_rest_build(k->m, &k->found, &k->scratch, &k->rest);
    if (!status)
        status = ki_compile_alone(k->rest.description, &k->left);
    if (status || !is_unconstrained(&k->left->system))
        return status;
    status = begin_map(k);
    return status || !map_coordinates(k) ? status : finish(k);
}

keel_status ki_reduction_build(const keel_mechanism *m, ki_mech *mech) {
    maker k = {.m = m, .full = mech};
    ki_arena_init(&k.scratch);
    keel_status status = reduce(&k);
    if (!mech->reduced)
        ki_mech_free(k.left);
    keel_mechanism_free(k.rest.description);
    ki_arena_free(&k.scratch);
    return status;
}
