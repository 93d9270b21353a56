/* load.c - runs that are saved, and go on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/refuse.h"
#include "keel/simulation.h"
#include "run/checkpoint.h"
#include "run/past.h"
#include "run/simulation.h"
#include "run/switching.h"

static void visit_arrival(ki_stream *s, ki_arrival *arrival) {
    ki_visit_double(s, &arrival->t);
    ki_visit_bytes(s, &arrival->mark, sizeof arrival->mark);
}

static keel_status keep_past(keel_checkpoint *checkpoint, const keel_simulation *sim) {
    ki_stream s = ki_stream_to_write();
    ki_arrival arrival = ki_arrival_of(ki_present((keel_simulation *)sim));
    visit_arrival(&s, &arrival);
    ki_visit_past(&s, sim->past);
    return ki_checkpoint_keep(checkpoint, KI_KEPT_PAST, &s);
}

keel_checkpoint *keel_simulation_save(const keel_simulation *sim, keel_status *status) {
    if (!sim || !status || !sim->past || sim->past->failed || sim->past->elsewhere)
        return ki_refuse(status);
    keel_checkpoint *checkpoint = sim->past->lost ? NULL : ki_checkpoint_new();
    *status = checkpoint ? ki_keep_identity(checkpoint, sim->past->system, &sim->past->settings)
                         : KEEL_ERROR_MEMORY;
    if (!*status)
        *status = keep_past(checkpoint, sim);
    if (!*status)
        *status = ki_keep_state(checkpoint, ki_present((keel_simulation *)sim));
    if (!*status)
        return checkpoint;
    keel_checkpoint_free(checkpoint);
    return NULL;
}

static keel_status refuse(keel_diagnostics *diagnostics, const char *why) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s", why);
    return KEEL_ERROR_INPUT;
}

static void ask_again(keel_simulation *sim, const ki_asked *asked) {
    keel_row ignored;
    if (asked->input == KI_ASKED_ROW)
        keel_simulation_row(sim, asked->value, &ignored);
    else if (asked->input == KI_ASKED_HALT)
        ki_halt_at(sim, asked->value);
    else
        keel_simulation_set_input(sim, asked->input, asked->value);
}

/* The same rows and steps as in the past that was saved. Nothing happens any more in a step from the end of
 * the run, but it may have been asked for. */
static keel_status repeat(keel_simulation *sim, const ki_past *past, const keel_observer *observer) {
    enum { MOST_IDLE = 100 };
    double until = past->settings.until;
    int next = 0, idle = 0;
    for (long step = 0;; step++) {
        for (; next < past->asked_count && past->asked[next].steps == step; next++)
            ask_again(sim, &past->asked[next]);
        if (step == past->steps)
            return KEEL_OK;
        if (observer && observer->stop && *observer->stop)
            return KEEL_INTERRUPTED;
        if (!(keel_simulation_time(sim) < until) && idle++ == MOST_IDLE)
            return KEEL_ERROR_INPUT;
        keel_status status = keel_simulation_step(sim);
        if (status)
            return status;
        if (observer && observer->step)
            observer->step(observer->user, keel_simulation_time(sim), until);
    }
}

/* Times outside of the run are none that anybody asked for. */
static bool is_sound(const ki_past *past) {
    for (int i = 0; i < past->asked_count; i++) {
        const ki_asked *asked = &past->asked[i];
        bool is_time = asked->input < 0;
        if (is_time ? !(asked->value >= past->start->t && asked->value <= past->settings.until)
                    : !isfinite(asked->value))
            return false;
    }
    return isfinite(past->start->t);
}

static bool has_arrived(const keel_simulation *sim, const ki_arrival *there) {
    ki_arrival here = ki_arrival_of(ki_present((keel_simulation *)sim));
    return here.t == there->t && here.mark == there->mark;
}

/* From the start, or from where the run began anew. */
static keel_simulation *begin(const ki_past *past, keel_diagnostics *diagnostics, keel_status *status) {
    if (!past->base)
        return keel_simulation_new(past->system, past->start, past->velocities_given, &past->settings,
                                   diagnostics, status);
    ki_past *own = ki_past_new(past->system, &past->settings, past->start, past->velocities_given);
    void *base = own ? malloc(past->base_size) : NULL;
    keel_simulation *sim = NULL;
    *status = KEEL_ERROR_MEMORY;
    if (base) {
        own->base = memcpy(base, past->base, past->base_size);
        own->base_size = past->base_size;
        own->diagnostics = diagnostics;
        own->message_count = keel_diagnostics_count(diagnostics);
        sim = ki_go_on_from_base(own, status);
    }
    if (sim)
        sim->past = own;
    else
        ki_past_free(own);
    if (*status && *status != KEEL_ERROR_MEMORY)
        *status = refuse(diagnostics, "the run of the checkpoint cannot be built up again: it is of another "
                                      "model or program, or the file has been changed");
    return sim;
}

static keel_simulation *load_past(const ki_past *past, const ki_arrival *arrival,
                                  const keel_observer *observer, keel_diagnostics *diagnostics,
                                  keel_status *status) {
    keel_simulation *sim = begin(past, diagnostics, status);
    if (!sim)
        return NULL;
    *status = repeat(sim, past, observer);
    bool arrived = !*status && has_arrived(sim, arrival);
    if (arrived)
        return sim;
    if (*status != KEEL_INTERRUPTED && *status != KEEL_ERROR_MEMORY)
        *status = refuse(diagnostics,
                         "the run does not come to the state of its checkpoint: numbers of the model, the "
                         "program or the machine are others now; the state can start another run");
    keel_simulation_free(sim);
    return NULL;
}

keel_simulation *ki_load(const keel_system *system, const keel_settings *settings,
                         const keel_checkpoint *checkpoint, const keel_observer *observer,
                         keel_diagnostics *diagnostics, keel_status *status) {
    char message[160];
    keel_simulation *sim = NULL;
    *status = keel_system_validate(system, message, sizeof message);
    if (*status) {
        refuse(diagnostics, message);
        return NULL;
    }
    *status = ki_compare_identity(checkpoint, system, settings, diagnostics);
    if (*status)
        return NULL;
    keel_state *nowhere = keel_state_new(system);
    ki_past *past = nowhere ? ki_past_new(system, settings, nowhere, 0) : NULL;
    ki_stream s = ki_checkpoint_part(checkpoint, KI_KEPT_PAST);
    ki_arrival arrival = {0};
    if (past) {
        visit_arrival(&s, &arrival);
        ki_visit_past(&s, past);
    }
    if (!past || past->lost)
        *status = KEEL_ERROR_MEMORY;
    else if (!ki_stream_is_done(&s) || !is_sound(past))
        *status = refuse(diagnostics, "the steps of the checkpoint cannot be read: it is of another model");
    else
        sim = load_past(past, &arrival, observer, diagnostics, status);
    keel_state_free(nowhere);
    ki_past_free(past);
    return sim;
}

keel_simulation *keel_simulation_load(const keel_system *system, const keel_settings *settings,
                                      const keel_checkpoint *checkpoint, keel_diagnostics *diagnostics,
                                      keel_status *status) {
    if (!system || !settings || !checkpoint || !status)
        return ki_refuse(status);
    return ki_load(system, settings, checkpoint, NULL, diagnostics, status);
}
