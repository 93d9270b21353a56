/* identity.c - what a checkpoint is of: system and settings as lines "what: value", and the state by names.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "run/checkpoint.h"
#include "run/columns.h"
#include "run/simulation.h"

static void add_text(ki_stream *s, const char *text) {
    ki_visit_bytes(s, (void *)text, strlen(text));
}

static void add_line(ki_stream *s, const char *what, const char *format, ...) KEEL_PRINTF(3, 4);
static void add_line(ki_stream *s, const char *what, const char *format, ...) {
    char value[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    add_text(s, what);
    add_text(s, ": ");
    add_text(s, value);
    add_text(s, "\n");
}

static void add_names(ki_stream *s, const char *what, const keel_system *system, keel_name_of of, int count) {
    char buffer[32];
    add_text(s, what);
    for (int i = 0; i < count; i++) {
        add_text(s, i ? ", " : ": ");
        add_text(s, keel_system_name(system, of, i, buffer));
    }
    add_text(s, count ? "\n" : ": none\n");
}

/* Values that were given, as one number that tells them apart. */
static uint64_t mark_of_gain(const keel_gain *gain) {
    uint64_t mark = KI_MARK;
    size_t count = gain->kind == KEEL_GAIN_NAMED || gain->kind == KEEL_GAIN_MATRIX ? (size_t)gain->count : 0;
    size_t values = gain->kind == KEEL_GAIN_MATRIX ? count * count : count;
    if (values)
        mark = ki_mark_add(mark, gain->values, values * sizeof *gain->values);
    for (size_t i = 0; gain->kind == KEEL_GAIN_NAMED && i < count; i++)
        mark = ki_mark_add(mark, gain->names[i], strlen(gain->names[i]));
    return mark;
}

static void add_option(ki_stream *s, const keel_option *option, const keel_settings *settings) {
    const void *field = (const char *)settings + option->offset;
    char what[80];
    snprintf(what, sizeof what, "option %s", option->name);
    if (option->type == KEEL_OPTION_NUMBER) {
        add_line(s, what, "%.17g", *(const double *)field);
    } else if (option->type == KEEL_OPTION_WORD) {
        add_line(s, what, "%s", option->words[*(const int *)field]);
    } else {
        const keel_gain *gain = field;
        if (gain->kind == KEEL_GAIN_AUTOMATIC)
            add_line(s, what, "automatic");
        else if (gain->kind == KEEL_GAIN_SCALAR)
            add_line(s, what, "%.17g", gain->scalar);
        else
            add_line(s, what, "values with the mark %llx", (unsigned long long)mark_of_gain(gain));
    }
}

static ki_stream write_identity(const keel_system *system, const keel_settings *settings) {
    ki_stream s = ki_stream_to_write();
    char method[64];
    int count;
    const keel_option *options = keel_options(&count);
    add_line(&s, "version of Keel", "%s", keel_version());
    add_line(&s, "bytes of a number", "%zu, %zu, %zu", sizeof(int), sizeof(long), sizeof(void *));
    add_names(&s, "coordinates", system, KEEL_NAME_Q, system->n_q);
    add_names(&s, "velocities", system, KEEL_NAME_V, system->n_v);
    add_names(&s, "states", system, KEEL_NAME_Z, system->n_z);
    add_names(&s, "auxiliaries", system, KEEL_NAME_S, system->n_s);
    add_names(&s, "constraints", system, KEEL_NAME_CONSTRAINT, keel_system_m(system));
    add_names(&s, "outputs", system, KEEL_NAME_OUTPUT, system->n_outputs);
    add_line(&s, "method", "%s%s", keel_method_text(settings->method, method),
             settings->method.automatic ? " (automatic)" : "");
    for (int i = 0; i < count; i++)
        add_option(&s, &options[i], settings);
    return s;
}

keel_status ki_keep_identity(keel_checkpoint *checkpoint, const keel_system *system,
                             const keel_settings *settings) {
    ki_stream s = write_identity(system, settings);
    return ki_checkpoint_keep(checkpoint, KI_KEPT_IDENTITY, &s);
}

/* A line of a text that ends with one. */
typedef struct line {
    const char *what, *value;
    int what_length, value_length;
} line;

static line next_line(const char **text, const char *end) {
    line l = {.what = *text, .value = *text};
    const char *newline = memchr(*text, '\n', (size_t)(end - *text));
    const char *stop = newline ? newline : end, *colon = memchr(*text, ':', (size_t)(stop - *text));
    l.what_length = (int)((colon ? colon : stop) - l.what);
    l.value = colon && stop - colon >= 2 ? colon + 2 : stop;
    l.value_length = (int)(stop - l.value);
    *text = newline ? newline + 1 : end;
    return l;
}

static bool is_same(const char *a, int a_length, const char *b, int b_length) {
    return a_length == b_length && memcmp(a, b, (size_t)a_length) == 0;
}

/* The lines of two runs, each in a text of its own, up to INT_MAX characters. */
static keel_status compare(const char *there, size_t there_size, const char *here, size_t here_size,
                           keel_diagnostics *diagnostics) {
    enum { SHOWN = 60 };
    const char *there_end = there + there_size, *here_end = here + here_size;
    bool same = true;
    while (there < there_end && here < here_end) {
        line a = next_line(&there, there_end), b = next_line(&here, here_end);
        if (!is_same(a.what, a.what_length, b.what, b.what_length))
            break;
        if (is_same(a.value, a.value_length, b.value, b.value_length))
            continue;
        same = false;
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the checkpoint is of another run, %.*s: %.*s%s in the checkpoint, %.*s%s here",
                             b.what_length, b.what, a.value_length < SHOWN ? a.value_length : SHOWN, a.value,
                             a.value_length > SHOWN ? " ..." : "",
                             b.value_length < SHOWN ? b.value_length : SHOWN, b.value,
                             b.value_length > SHOWN ? " ..." : "");
    }
    if (same && (there < there_end || here < here_end)) {
        same = false;
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the checkpoint does not tell the same as this program: it is of another one");
    }
    return same ? KEEL_OK : KEEL_ERROR_INPUT;
}

keel_status ki_compare_identity(const keel_checkpoint *checkpoint, const keel_system *system,
                                const keel_settings *settings, keel_diagnostics *diagnostics) {
    size_t size;
    const char *there = keel_checkpoint_get(checkpoint, KI_KEPT_IDENTITY, &size);
    ki_stream here = write_identity(system, settings);
    keel_status status = here.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
    if (!status && (!there || size > INT_MAX / 2)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the checkpoint does not tell what it is of");
        status = KEEL_ERROR_INPUT;
    }
    if (!status)
        status = compare(there, size, (const char *)here.bytes, here.size, diagnostics);
    ki_stream_clear(&here);
    return status;
}

/* ---- the state, by names */

enum { VECTORS = 4 };
static const char *const WORDS[VECTORS] = {"coordinate", "velocity", "state", "auxiliary unknown"};

/* The vectors that a state is made of. */
typedef struct vectors {
    int count[VECTORS];
    double *values[VECTORS];
} vectors;

static vectors vectors_of(const keel_system *system, keel_state *state) {
    return (vectors){{system->n_q, system->n_v, system->n_z, system->n_s},
                     {state->q, state->v, state->z, state->s}};
}

/* The state at the end of the last step. */
static void fill_state(const keel_simulation *sim, keel_state *state) {
    const keel_system *sys = sim->system;
    const ki_integrator *in = sim->integrator;
    state->t = in->t;
    memcpy(state->s, sim->dynamics.s, (size_t)sys->n_s * sizeof(double));
    memcpy(state->q, in->y, (size_t)sys->n_q * sizeof(double));
    memcpy(state->v, in->y + sys->n_q, (size_t)sys->n_v * sizeof(double));
    memcpy(state->z, in->y + sys->n_q + sys->n_v, (size_t)sys->n_z * sizeof(double));
}

keel_status ki_keep_state(keel_checkpoint *checkpoint, const keel_simulation *sim) {
    static const keel_name_of NAMES[VECTORS] = {KEEL_NAME_Q, KEEL_NAME_V, KEEL_NAME_Z, KEEL_NAME_S};
    const keel_system *sys = sim->system;
    char buffer[32];
    keel_state *state = keel_state_new(sys);
    if (!state)
        return KEEL_ERROR_MEMORY;
    fill_state(sim, state);
    vectors x = vectors_of(sys, state);
    ki_stream s = ki_stream_to_write();
    ki_visit_double(&s, &state->t);
    for (int k = 0; k < VECTORS; k++) {
        ki_visit_int(&s, &x.count[k], 0, INT_MAX);
        ki_visit_doubles(&s, x.values[k], x.count[k]);
        for (int i = 0; i < x.count[k]; i++) {
            const char *name = keel_system_name(sys, NAMES[k], i, buffer);
            ki_visit_bytes(&s, (void *)name, strlen(name) + 1);
        }
    }
    keel_state_free(state);
    return ki_checkpoint_keep(checkpoint, KI_KEPT_STATE, &s);
}

/* A vector of the checkpoint: its values (which need not be aligned) and its names. */
typedef struct kept {
    int count;
    const unsigned char *values;
    const char **names;
} kept;

static void read_vector(ki_stream *s, kept *x) {
    ki_visit_int(s, &x->count, 0, INT_MAX);
    if (s->failed || (size_t)x->count > (s->size - s->at) / (sizeof(double) + 1))
        s->failed = true;
    if (s->failed)
        return;
    x->values = s->bytes + s->at;
    s->at += (size_t)x->count * sizeof(double);
    x->names = calloc((size_t)x->count + 1, sizeof *x->names);
    s->failed = !x->names;
    for (int i = 0; i < x->count && !s->failed; i++) {
        const unsigned char *end = memchr(s->bytes + s->at, 0, s->size - s->at);
        s->failed = !end;
        x->names[i] = (const char *)s->bytes + s->at;
        s->at = end ? (size_t)(end - s->bytes) + 1 : s->at;
    }
}

/* The values of a vector of `system` from those kept. False, with a message, where one is missing. */
static bool take_vector(const kept *x, const keel_system *system, keel_name_of of, int k, int count,
                        double *values, keel_diagnostics *diagnostics) {
    char buffer[32];
    for (int i = 0; i < count; i++) {
        const char *name = keel_system_name(system, of, i, buffer);
        int at = i < x->count && strcmp(x->names[i], name) == 0 ? i : 0;
        while (at < x->count && strcmp(x->names[at], name) != 0)
            at++;
        if (at < x->count) {
            memcpy(&values[i], x->values + (size_t)at * sizeof(double), sizeof(double));
            continue;
        }
        if (k == VECTORS - 1) /* a guess that is not there */
            continue;
        const char *closest = ki_closest_name(name, x->names, x->count);
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the model's %s '%s' is not in the checkpoint%s%s%s", WORDS[k], name,
                             closest ? ", which has '" : "", closest ? closest : "", closest ? "'" : "");
        return false;
    }
    return true;
}

keel_status keel_checkpoint_state(const keel_checkpoint *checkpoint, const keel_system *system,
                                  keel_state *state, keel_diagnostics *diagnostics) {
    static const keel_name_of NAMES[VECTORS] = {KEEL_NAME_Q, KEEL_NAME_V, KEEL_NAME_Z, KEEL_NAME_S};
    if (!checkpoint || !system || !state)
        return KEEL_ERROR_INPUT;
    ki_stream s = ki_checkpoint_part(checkpoint, KI_KEPT_STATE);
    kept x[VECTORS] = {{0}};
    double t;
    ki_visit_double(&s, &t);
    for (int k = 0; k < VECTORS; k++)
        read_vector(&s, &x[k]);
    bool good = ki_stream_is_done(&s);
    if (!good)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "the checkpoint has no state");
    vectors to = vectors_of(system, state);
    for (int k = 0; k < VECTORS && good; k++)
        good = take_vector(&x[k], system, NAMES[k], k, to.count[k], to.values[k], diagnostics);
    if (good)
        state->t = t;
    for (int k = 0; k < VECTORS; k++)
        free(x[k].names);
    return good ? KEEL_OK : KEEL_ERROR_INPUT;
}
