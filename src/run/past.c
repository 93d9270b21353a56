#include "run/past.h"

#include <limits.h>
#include <stdlib.h>

#include "run/simulation.h"

/* What there is room for from the start: rows do not allocate as long as there are no more. */
enum { ROOM = 1024 };

ki_past *ki_past_new(const keel_system *system, const keel_settings *settings, const keel_state *start,
                     int velocities_given) {
    ki_past *past = calloc(1, sizeof *past);
    keel_state *copy = past ? keel_state_new(system) : NULL;
    ki_asked *asked = copy ? malloc(ROOM * sizeof *asked) : NULL;
    if (!asked) {
        keel_state_free(copy);
        free(past);
        return NULL;
    }
    keel_state_copy(system, copy, start);
    past->asked = asked;
    past->room = ROOM;
    past->next = (long)settings->base_steps;
    past->system = system;
    past->settings = *settings;
    past->start = copy;
    past->velocities_given = velocities_given;
    return past;
}

void ki_past_free(ki_past *past) {
    if (!past)
        return;
    ki_past_free(past->first);
    keel_state_free(past->start);
    free(past->asked);
    free(past->base);
    free(past);
}

void ki_past_add_step(ki_past *past, keel_status status) {
    if (!past)
        return;
    past->steps++;
    past->failed = past->failed || status < 0;
}

static bool make_room(ki_past *past, int count) {
    if (count <= past->room)
        return true;
    int room = count > INT_MAX / 2 ? INT_MAX : 2 * count;
    ki_asked *asked = realloc(past->asked, (size_t)room * sizeof *asked);
    past->lost = past->lost || !asked || count == INT_MAX;
    if (!asked)
        return false;
    past->asked = asked;
    past->room = room;
    return !past->lost;
}

void ki_past_add_asked(ki_past *past, int input, double value) {
    if (past && !past->lost && make_room(past, past->asked_count + 1))
        past->asked[past->asked_count++] = (ki_asked){value, past->steps, input};
}

void ki_past_add_row(ki_past *past, double t) {
    ki_past_add_asked(past, KI_ASKED_ROW, t);
}

static void visit_start(ki_stream *s, const keel_system *system, keel_state *start) {
    ki_visit_double(s, &start->t);
    ki_visit_doubles(s, start->q, system->n_q);
    ki_visit_doubles(s, start->v, system->n_v);
    ki_visit_doubles(s, start->z, system->n_z);
    ki_visit_doubles(s, start->s, system->n_s);
    ki_visit_doubles(s, start->lambda, keel_system_m(system));
}

/* Bytes of their own. */
static void visit_base(ki_stream *s, ki_past *past) {
    uint64_t size = past->base_size;
    ki_visit_bytes(s, &size, sizeof size);
    if (s->loading) {
        s->failed = s->failed || size > s->size - s->at;
        past->base_size = s->failed ? 0 : (size_t)size;
        past->base = past->base_size ? malloc(past->base_size) : NULL;
        past->lost = past->lost || (past->base_size && !past->base);
    }
    if (past->base)
        ki_visit_bytes(s, past->base, past->base_size);
}

void ki_visit_past(ki_stream *s, ki_past *past) {
    int count = past->asked_count;
    visit_start(s, past->system, past->start);
    ki_visit_int(s, &past->velocities_given, 0, 1);
    visit_base(s, past);
    ki_visit_long(s, &past->steps, 0, LONG_MAX);
    ki_visit_int(s, &count, 0, INT_MAX - 1);
    if (s->loading && (size_t)count > (s->size - s->at) / (2 * sizeof(double)))
        s->failed = true;
    if (s->failed || (s->loading && !make_room(past, count)))
        return;
    long steps = 0;
    for (past->asked_count = 0; past->asked_count < count && !s->failed; past->asked_count++) {
        ki_asked *asked = &past->asked[past->asked_count];
        ki_visit_double(s, &asked->value);
        ki_visit_long(s, &asked->steps, steps, past->steps);
        ki_visit_int(s, &asked->input, KI_ASKED_HALT, past->system->n_inputs - 1);
        steps = asked->steps;
    }
}

ki_arrival ki_arrival_of(const keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    long counts[] = {in->steps, in->rejected, sim->dynamics.evaluations};
    uint64_t mark = ki_mark_add(KI_MARK, in->y, (size_t)in->n * sizeof *in->y);
    return (ki_arrival){in->t, ki_mark_add(mark, counts, sizeof counts)};
}
