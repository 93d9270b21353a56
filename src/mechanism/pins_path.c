/* Which pins stand one after the other, and their constants. */
#include "mechanism/pins_path.h"

#include <assert.h>

#include "base/four.h"

/* ---- finding it ---------------------------------------------------------------------------------------- */

static int sides_of(const ki_pins *pins, int body) {
    return pins->body[body + 1].side - pins->body[body].side;
}

static bool is_end(const ki_pins *pins, int body) {
    return body == 0 || sides_of(pins, body) == 1;
}

/* The side of a pin that is at an end of a path, or -1; so if a body has more than two. */
static int find_end(const ki_pins *pins) {
    for (int b = 1; b < pins->body_count; b++)
        if (sides_of(pins, b) > 2)
            return -1;
    for (int side = 0; side < 2 * pins->count; side++)
        if (is_end(pins, pins->pin[side / 2].body[side % 2]))
            return side;
    return -1;
}

/* The number of the pin that is e-th from end to end: even ones upwards, then odd ones downwards. */
static int number_of(int count, int e) {
    int lead = count % 2, N = count + lead;
    e += lead;
    return (e < N / 2 ? 2 * e : 2 * (N - e) - 1) - lead;
}

bool ki_pins_find_path(const ki_pins *pins, int *place, int *bodies) {
    int side = find_end(pins), count = 0;
    bool more = side >= 0;
    if (more)
        bodies[0] = pins->pin[side / 2].body[side % 2];
    while (more) {
        int other = side ^ 1, b = pins->pin[side / 2].body[other % 2];
        place[side / 2] = number_of(pins->count, count++);
        bodies[count] = b;
        more = !is_end(pins, b);
        if (more) {
            const int *sides = pins->side + pins->body[b].side;
            side = sides[0] == other ? sides[1] : sides[0];
        }
    }
    return count > 0 && count == pins->count;
}

/* ---- places -------------------------------------------------------------------------------------------- */

static int body_in(const ki_pins *pins, const int *bodies, int j) {
    int lead = pins->count % 2, N = pins->count + lead, e = (j % 2 ? N - j / 2 : j / 2) - lead;
    return e < 0 ? 0 : bodies[e];
}

void ki_pins_turn_path(ki_pins *pins, const int *bodies) {
    for (int k = 0; k < pins->count; k++) {
        const ki_pin pin = pins->pin[k];
        if (pin.body[0] == body_in(pins, bodies, k + pins->count % 2))
            continue;
        for (int side = 0; side < 2; side++) {
            pins->pin[k].body[side] = pin.body[1 - side];
            pins->pin[k].sign = -pin.sign;
            for (int i = 0; i < 2; i++)
                pins->pin[k].r[side][i] = -pin.r[1 - side][i];
        }
    }
}

/* r of a side of pin k of the path, `sign` times; zero for one that is made up. */
static void set_arm(const ki_pins *pins, int k, int side, double sign, double (*r)[4], int lane) {
    k -= pins->path->lead;
    for (int i = 0; i < 2; i++)
        r[i][lane] = k < 0 ? 0 : sign * pins->pin[k].r[side][i];
}

static void place_pins(const ki_pins *pins, int j) {
    int N = pins->path->N, lead = pins->path->lead, lane = j % KI_FOUR;
    ki_path_part *part = &pins->path->part[j / KI_FOUR];
    if (j < N)
        set_arm(pins, j, 0, 1, part->outer, lane);
    else
        set_arm(pins, 2 * N - 1 - j, 1, -1, part->outer, lane);
    if (j < 2)
        return;
    set_arm(pins, j - 2, 1, 1, part->inner, lane);
    if (j - 2 < lead) {
        part->m_D[lane] = 1;
        part->m_B[lane] = 0;
        return;
    }
    const ki_pin *pin = &pins->pin[j - 2 - lead];
    part->m_D[lane] = pins->body[pin->body[0]].i_m + pins->body[pin->body[1]].i_m;
}

static void place_body(const ki_pins *pins, int b, int j, const double *g) {
    const ki_pinned *body = &pins->body[b];
    const double *c = body->centre;
    ki_path_part *part = &pins->path->part[j / KI_FOUR];
    int lane = j % KI_FOUR;
    part->i_I[lane] = body->i_I;
    part->m_B[lane] = -body->i_m;
    part->weight[0][lane] = body->i_I * body->mass * (c[0] * g[1] - c[1] * g[0]);
    part->weight[1][lane] = -body->i_I * body->mass * (c[0] * g[0] + c[1] * g[1]);
    for (int i = 0; i < 2; i++)
        pins->path->fall[j][i] = body->i_m * (body->mass * g[i]);
    if (b > 0)
        pins->path->turn[b - 1].place = j;
}

/* The places of all bodies are there. */
static void list_turns(const ki_pins *pins) {
    ki_path_turn *turn = pins->path->turn;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        int place = turn[b - 1].place;
        assert(body->sign == body->sense && body->q == (body->v < 0 ? ~body->v + 2 : body->v));
        turn[b - 1] = (ki_path_turn){
            .place = place,
            .parent = body->parent > 0 ? turn[body->parent - 1].place : pins->path->ground,
            .q = body->q,
            .sense = body->sense,
            .turn = body->turn,
        };
        if (body->v < 0)
            pins->path->own[pins->path->own_count++] =
                (ki_path_own){place, ~body->v, body->i_m, {body->centre[0], body->centre[1]}};
    }
}

void ki_pins_build_path(ki_pins *pins, const int *bodies, const double *gravity, ki_arena *arena) {
    ki_pins_path *path = pins->path = KI_NEW(arena, ki_pins_path, 1);
    if (!path)
        return;
    int count = pins->body_count, alone = 0;
    for (int b = 1; b < count; b++)
        alone += sides_of(pins, b) == 0;
    path->lead = pins->count % 2;
    path->N = pins->count + path->lead;
    path->places = path->N + (alone ? 4 + alone : 2);
    path->ground = ki_padded(path->places);
    path->parts = path->ground / KI_FOUR;
    path->part = KI_NEW(arena, ki_path_part, path->parts);
    path->turn = KI_NEW(arena, ki_path_turn, count - 1);
    path->own = KI_NEW(arena, ki_path_own, count - 1);
    path->fall = ki_arena_alloc(arena, (size_t)path->places, sizeof *path->fall);
    if (arena->failed)
        return;
    for (int j = path->N + 1; j >= 0; j--) { /* of the two places of the body in the middle N counts */
        place_body(pins, body_in(pins, bodies, j), j, gravity);
        place_pins(pins, j);
    }
    for (int b = 1, j = path->N + 4; b < count; b++)
        if (sides_of(pins, b) == 0)
            place_body(pins, b, j++, gravity);
    list_turns(pins);
}
