/* Which mechanisms are pins only: their bodies and pins. */
#include "mechanism/pins.h"

#include <math.h>

#include "linalg/ordering.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/pins_order.h"
#include "mechanism/pins_path.h"

static bool is_pinned(const ki_mech *mech) {
    const keel_system *sys = &mech->system;
    bool pinned = mech->d == KI_PLANAR && mech->motion_count == 0 && mech->start_count == 0 &&
                  sys->n_n == 0 && sys->Q_lambda.rows == 0;
    for (int b = 1; b < mech->body_count && pinned; b++)
        pinned = mech->body[b].kind != KI_HINGE_ANY && mech->body[b].mass > 0;
    for (int j = 0; j < mech->described_joints && pinned; j++)
        pinned = ki_role(&mech->joint[j], KI_PLANAR)->is_pin;
    return pinned;
}

/* hub [body_count]: the first joint between a body and the ground, or -1. The number of joints that are no
 * hubs. */
static int find_hubs(const ki_mech *mech, int *hub) {
    int count = 0;
    for (int b = 0; b < mech->body_count; b++)
        hub[b] = -1;
    for (int j = 0; j < mech->described_joints; j++) {
        const int *body = mech->joint[j].body;
        int held = body[0] == 0 ? body[1] : body[1] == 0 ? body[0] : 0;
        if (held > 0 && hub[held] < 0)
            hub[held] = j;
        else
            count++;
    }
    return count;
}

static ki_pinned pinned_body(const ki_mech *mech, int b, int hub) {
    const ki_body *body = &mech->body[b];
    bool own = body->kind == KI_HINGE_OWN;
    int angle = body->q + (own ? 2 : 0);
    ki_pinned p = {.parent = own ? 0 : body->parent,
                   .q = angle,
                   .v = own ? ~body->v : body->v,
                   .sense = mech->q_sense[angle],
                   .turn = (own ? 0 : body->drawn_turn) - mech->q_sense[angle] * mech->q_reading[angle],
                   .sign = own ? 1 : body->sign,
                   .mass = body->mass,
                   .i_m = 1 / body->mass,
                   .i_I = 1 / body->inertia[2]};
    if (hub >= 0) {
        const double *r = mech->joint[hub].frame[mech->joint[hub].body[1] == b].r;
        p.centre[0] = -r[0], p.centre[1] = -r[1];
        p.i_m = 0;
        p.i_I = 1 / (body->inertia[2] + body->mass * (r[0] * r[0] + r[1] * r[1]));
    }
    return p;
}

/* False if one of them has no inertia about its base point. */
static bool fill_bodies(const ki_mech *mech, const int *hub, ki_pins *pins) {
    bool sound = true;
    for (int b = 1; b < mech->body_count; b++) {
        pins->body[b] = pinned_body(mech, b, hub[b]);
        sound &= isfinite(pins->body[b].i_I);
    }
    return sound;
}

/* The pins in the order of the joints, or in the order of elimination: joint j is pin place[..]. */
static void list_pins(const ki_mech *mech, const int *hub, const int *place, ki_pins *pins) {
    int count = 0;
    for (int j = 0; j < mech->described_joints; j++) {
        const ki_joint *joint = &mech->joint[j];
        if (hub[joint->body[0]] == j || hub[joint->body[1]] == j)
            continue;
        ki_pin *pin = &pins->pin[place ? place[count] : count];
        pin->row = joint->tree ? -1 : joint->row_h;
        pin->sign = 1;
        pin->size = 0;
        for (int k = 0; k < 2; k++) {
            const double *r = joint->frame[k].r;
            const ki_pinned *body = &pins->body[joint->body[k]];
            pin->body[k] = joint->body[k];
            for (int i = 0; i < 2; i++) {
                pin->r[k][i] = joint->body[k] == 0 ? 0 : (k ? 1 : -1) * (r[i] + body->centre[i]);
                pin->size += body->i_m + body->i_I * pin->r[k][i] * pin->r[k][i];
            }
        }
        count++;
    }
}

/* The sides of each body. */
static void list_sides(ki_pins *pins) {
    ki_pinned *body = pins->body;
    for (int b = 0; b <= pins->body_count; b++)
        body[b].side = 0;
    for (int side = 0; side < 2 * pins->count; side++)
        body[pins->pin[side / 2].body[side % 2] + 1].side++;
    for (int b = 0; b < pins->body_count; b++)
        body[b + 1].side += body[b].side;
    for (int side = 2 * pins->count - 1; side >= 0; side--)
        pins->side[--body[pins->pin[side / 2].body[side % 2] + 1].side] = side;
    for (int b = 0; b < pins->body_count; b++) /* each stands at its beginning, one place too late */
        body[b].side = body[b + 1].side;
    body[pins->body_count].side = 2 * pins->count;
}

/* pairs of sides of bodies other than the ground */
static int count_pairs(const ki_pins *pins) {
    int pairs = 0;
    for (int b = 1; b < pins->body_count; b++) {
        int sides = pins->body[b + 1].side - pins->body[b].side;
        pairs += sides * (sides - 1) / 2;
    }
    return pairs;
}

/* The pins one after the other, or in the order of fewest neighbours, and what the elimination of either
 * needs. False if S is not sparse. */
static bool put_in_order(const ki_mech *mech, const int *hub, ki_pins *pins, ki_arena *arena,
                         ki_arena *scratch) {
    int n = pins->count;
    int *order = KI_NEW(scratch, int, n), *place = KI_NEW(scratch, int, n),
        *bodies = KI_NEW(scratch, int, n + 1);
    if (scratch->failed)
        return false;
    bool path = ki_pins_find_path(pins, place, bodies);
    if (!path && !ki_pins_order(pins, scratch, order))
        return false;
    for (int k = 0; k < n && !path; k++)
        place[order[k]] = k;
    list_pins(mech, hub, place, pins);
    if (path)
        ki_pins_turn_path(pins, bodies);
    list_sides(pins);
    if (path) {
        ki_pins_build_path(pins, bodies, mech->gravity, arena);
        return true;
    }
    pins->pair = KI_NEW(arena, ki_side_pair, count_pairs(pins));
    if (!arena->failed)
        ki_pins_columns(pins, arena, scratch);
    return true;
}

/* NULL when out of memory, if a body cannot be taken by itself, or if S is not sparse. */
static ki_pins *build(ki_mech *mech, ki_arena *scratch) {
    ki_arena *arena = &mech->arena;
    ki_pins *pins = KI_NEW(arena, ki_pins, 1);
    int *hub = KI_NEW(scratch, int, mech->body_count);
    if (!pins || !hub)
        return NULL;
    int n = pins->count = find_hubs(mech, hub);
    pins->body_count = mech->body_count;
    pins->body = KI_NEW(arena, ki_pinned, mech->body_count + 1);
    pins->pin = KI_NEW(arena, ki_pin, n);
    pins->side = KI_NEW(arena, int, 2 * n);
    if (arena->failed || !fill_bodies(mech, hub, pins))
        return NULL;
    list_pins(mech, hub, NULL, pins);
    list_sides(pins);
    if (!put_in_order(mech, hub, pins, arena, scratch))
        return NULL;
    return arena->failed || scratch->failed ? NULL : pins;
}

/* Lists the pins that are cut. Whether all rows are theirs: a hub that is cut cannot open. */
static bool answer_for_rows(ki_mech *mech) {
    ki_pins *pins = mech->pins;
    pins->cut = KI_NEW(&mech->arena, int, pins->count);
    for (int p = 0; pins->cut && p < pins->count; p++)
        if (pins->pin[p].row >= 0)
            pins->cut[pins->cut_count++] = p;
    return pins->cut_count > 0 && 2 * pins->cut_count == keel_system_m(&mech->system);
}

/* Whether M and J cost less, by the measure of choice.c: many pins on one body, as the legs on a crank, all
 * have blocks with each other, while the elimination of coordinates and rows takes that body last. */
static keel_status compare_with_kernel(const ki_mech *mech, const ki_pins *pins, bool *cheaper) {
    static const double PER_ENTRY = 12, PER_UNKNOWN = 12;
    keel_pattern M = mech->system.M, J = mech->system.J;
    double kernel, blocks = 0;
    *cheaper = false;
    if (pins->path)
        return KEEL_OK;
    if (!ki_stage_work(M, J, &kernel))
        return KEEL_ERROR_MEMORY;
    for (int k = 0; k < pins->count; k++) {
        double below = pins->start[k + 1] - pins->start[k];
        blocks += 4 * below * (below + 3);
    }
    kernel += PER_ENTRY * (keel_pattern_count(M) + keel_pattern_count(J)) + PER_UNKNOWN * (M.rows + J.rows);
    *cheaper = kernel < blocks + PER_ENTRY * (pins->pair_count + pins->count);
    return KEEL_OK;
}

keel_status ki_pins_build(ki_mech *mech) {
    ki_arena scratch;
    if (!is_pinned(mech))
        return KEEL_OK;
    ki_arena_init(&scratch);
    mech->pins = build(mech, &scratch);
    bool cheaper;
    keel_status status = mech->pins ? compare_with_kernel(mech, mech->pins, &cheaper) : KEEL_OK;
    if (mech->pins && (status || cheaper))
        mech->pins = NULL;
    if (mech->pins)
        mech->system.accelerate = ki_pins_accelerate;
    if (mech->pins && answer_for_rows(mech)) {
        mech->system.own.factor = ki_pins_factor;
        mech->system.own.constrain = ki_pins_constrain;
        mech->system.own.gap = ki_pins_gap;
    }
    bool failed = scratch.failed || mech->arena.failed;
    ki_arena_free(&scratch);
    return failed ? KEEL_ERROR_MEMORY : status;
}

void ki_pins_prepare(const ki_pins *pins, ki_arena *arena, ki_pins_work *work) {
    size_t bodies = (size_t)pins->body_count, count = (size_t)pins->count;
    work->response = KI_NEW(arena, double, bodies);
    work->load = ki_arena_alloc(arena, count, sizeof *work->load);
    work->rest = KI_NEW(arena, double, 3 * bodies);
    work->nothing = KI_NEW(arena, double, 3 * bodies);
    if (pins->path) {
        ki_pins_prepare_path(pins, arena, work);
        return;
    }
    work->body = KI_NEW(arena, ki_pinned_state, bodies);
    work->pin = KI_NEW(arena, ki_pin_state, count);
    work->r = ki_arena_alloc(arena, 2 * count, sizeof *work->r);
    work->block = ki_arena_alloc(arena, (size_t)pins->start[count], sizeof *work->block);
}
