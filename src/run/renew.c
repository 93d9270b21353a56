/* renew.c - runs that begin anew on their way, and from what they have written. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "run/base.h"

/* ---- what has been told */

static void visit_message(ki_stream *s, keel_diagnostic *m) {
    KI_VISIT_AS_INT(s, m->severity, KEEL_NOTE, KEEL_ERROR);
    ki_visit_text(s, &m->where.file);
    ki_visit_int(s, &m->where.line, 0, INT_MAX);
    ki_visit_int(s, &m->where.column, 0, INT_MAX);
    ki_visit_text(s, &m->text);
}

static void write_messages(ki_stream *s, const ki_past *past) {
    int first = past->message_count, all = keel_diagnostics_count(past->diagnostics);
    int count = all > first ? all - first : 0;
    ki_visit_int(s, &count, 0, KEEL_DIAGNOSTICS_MAX);
    for (int i = 0; i < count; i++) {
        keel_diagnostic m = keel_diagnostics_get(past->diagnostics, first + i);
        visit_message(s, &m);
    }
}

static void tell_messages(ki_stream *s, keel_diagnostics *to) {
    int count = 0;
    ki_visit_int(s, &count, 0, KEEL_DIAGNOSTICS_MAX);
    for (int i = 0; i < count && !s->failed; i++) {
        keel_diagnostic m = {0};
        visit_message(s, &m);
        if (!s->failed && m.text)
            keel_diagnostics_add(to, m.severity, m.where, "%s", m.text);
    }
}

/* ---- beginning anew */

static keel_simulation *build(const ki_past *past, ki_stream *s, keel_status *status) {
    keel_simulation *sim = ki_build_from_base(s, past, status);
    if (sim)
        sim->diagnostics = past->diagnostics;
    return sim;
}

/* From now on the past of the run begins here. */
static void take_base(ki_past *past, ki_stream *written) {
    free(past->base);
    past->base = written->bytes;
    past->base_size = written->size;
    *written = (ki_stream){0};
    past->steps = 0;
    past->asked_count = 0;
    past->elsewhere = false;
    past->next = (long)past->settings.base_steps;
}

keel_status ki_begin_anew(keel_simulation *sim) {
    ki_past *past = sim->past;
    keel_simulation *now = ki_present(sim);
    if (!past || !past->next || past->steps < past->next || past->lost || !ki_is_quiet(now))
        return KEEL_OK;
    keel_status status = KEEL_OK;
    ki_stream written = ki_stream_to_write();
    ki_write_base(&written, now, past);
    write_messages(&written, past);
    ki_stream read = ki_stream_to_read(written.bytes, written.size);
    keel_simulation *next = written.failed ? NULL : build(past, &read, &status);
    past->next = past->steps + (long)past->settings.base_steps; /* where this is no place to begin */
    if (next) {
        ki_clear_run(sim);
        sim->goes_on = next;
        take_base(past, &written);
    }
    bool lacks_memory = written.failed || status == KEEL_ERROR_MEMORY;
    ki_stream_clear(&written);
    return lacks_memory ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_simulation *ki_go_on_from_base(ki_past *past, keel_status *status) {
    ki_stream s = ki_stream_to_read(past->base, past->base_size);
    keel_simulation *sim = build(past, &s, status);
    if (!sim)
        return NULL;
    tell_messages(&s, past->diagnostics);
    if (ki_stream_is_done(&s))
        return sim;
    *status = KEEL_ERROR_INPUT;
    keel_simulation_free(sim);
    return NULL;
}
