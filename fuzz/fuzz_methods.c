/* fuzz_methods.c - libFuzzer target: small mechanisms out of the bytes, moved by two methods. Both come to
 * the same state, or one of them tells why not: an error, a broken verdict, a singular pose on its way, a
 * note. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/modelfile.h"
#include "keel/run.h"
#include "target.h"

/* Error of a run of a quarter of a second at a tolerance of 1e-8: growth along the motion and forces of stiff
 * springs take some powers of ten. */
#define TOLERANCE     "1e-8"
#define MOST_ERROR    1e-3
#define NEAR_SINGULAR 1e-2

static const char *const METHODS[] = {"dop853/index1/projection",      "dopri5/nullspace/projection",
                                      "radau5/index1/projection",      "radau9/index1/projection",
                                      "adams/index1/projection",       "bdf/index1/projection",
                                      "dopri5/independent/projection", "dop853/partitioned/gradient",
                                      "dopri5/augmented/projection",   "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS, TEXT = 8192 };

/* ---- models */

typedef struct drawing {
    char text[TEXT];
    size_t length;
    fuzz_bytes from;
} drawing;

static void put(drawing *d, const char *format, ...) KEEL_PRINTF(2, 3);

static void put(drawing *d, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(d->text + d->length, TEXT - d->length, format, arguments);
    va_end(arguments);
    if (added < 0 || d->length + (size_t)added >= TEXT)
        abort();
    d->length += (size_t)added;
}

/* Places of a coarse grid, so that some of them lie in a line or are the same. */
static double place(drawing *d) {
    return 0.25 * (fuzz_next(&d->from, 13) - 6);
}

static double mass(drawing *d) {
    static const double MASSES[] = {1, 2, 0.5, 10, 0.1, 3};
    return MASSES[fuzz_next(&d->from, 6)];
}

/* Points in a plane, rods between them or to the ground, springs. */
static void draw_points(drawing *d) {
    enum { MOST = 4 };
    double x[MOST], y[MOST], m[MOST];
    int count = 1 + fuzz_next(&d->from, MOST), rods = fuzz_next(&d->from, 4),
        springs = fuzz_next(&d->from, 3);
    put(d, "keel: 1\nequations:\n  coordinates: {");
    for (int i = 0; i < count; i++) {
        x[i] = place(d), y[i] = place(d), m[i] = mass(d);
        put(d, "%sx%d: %g, y%d: %g", i ? ", " : "", i, x[i], i, y[i]);
    }
    put(d, "}\n  kinetic: 0");
    for (int i = 0; i < count; i++)
        put(d, " + %g*(x%d'^2 + y%d'^2)/2", m[i], i, i);
    put(d, "\n  potential: 0");
    for (int i = 0; i < count; i++)
        put(d, " + %g*9.81*y%d", m[i], i);
    for (int k = 0; k < springs; k++) {
        int i = fuzz_next(&d->from, count), j = fuzz_next(&d->from, count);
        put(d, " + %g*((x%d - x%d)^2 + (y%d - y%d + 0.5)^2)", 10 * mass(d), i, j, i, j);
    }
    for (int k = 0; k < rods; k++) {
        int i = fuzz_next(&d->from, count), j = fuzz_next(&d->from, count + 1);
        double ax = j < count ? 0 : place(d), ay = j < count ? 0 : place(d);
        double dx = x[i] - (j < count ? x[j] : ax), dy = y[i] - (j < count ? y[j] : ay);
        put(d, "%s    rod%d: ", k ? "" : "\n  holonomic:\n", k);
        if (j < count)
            put(d, "(x%d - x%d)^2 + (y%d - y%d)^2 - %.17g\n", i, j, i, j, dx * dx + dy * dy);
        else
            put(d, "(x%d - (%g))^2 + (y%d - (%g))^2 - %.17g\n", i, ax, i, ay, dx * dx + dy * dy);
    }
    put(d, "\n");
}

/* Bodies and joints, in the plane or in space; loops close as drawn. */
static void draw_bodies(drawing *d, bool planar) {
    static const char *const PLANAR[] = {"revolute", "revolute", "revolute", "prismatic"};
    static const char *const SPATIAL[] = {"revolute",    "spherical", "universal",
                                          "cylindrical", "prismatic", "revolute"};
    enum { MOST = 4 };
    int count = 1 + fuzz_next(&d->from, MOST), more = fuzz_next(&d->from, 3);
    put(d, "keel: 1\n%sgravity: %s\nbodies:\n", planar ? "planar: true\n" : "",
        planar ? "9.81" : "[0, -9.81, 0]");
    for (int i = 0; i < count; i++) {
        double m = mass(d), x = place(d), y = place(d);
        if (planar)
            put(d, "  b%d: {mass: %g, centre: [%g, %g], inertia: %g}\n", i, m, x, y, m * 0.1);
        else
            put(d, "  b%d: {mass: %g, centre: [%g, %g, %g], inertia: [%g, %g, %g]}\n", i, m, x, y, place(d),
                m * 0.1, m * 0.12, m * 0.15);
    }
    put(d, "joints:\n");
    for (int k = 0; k < count + more; k++) {
        int b = k < count ? k : fuzz_next(&d->from, count), a = k < count ? fuzz_next(&d->from, k + 1) : -1;
        if (k >= count)
            a = fuzz_next(&d->from, count + 1);
        if (a == (k < count ? k : count) || a == b)
            put(d, "  j%d: {bodies: [ground, b%d], ", k, b);
        else
            put(d, "  j%d: {bodies: [b%d, b%d], ", k, a, b);
        const char *type = planar ? PLANAR[fuzz_next(&d->from, 4)] : SPATIAL[fuzz_next(&d->from, 6)];
        double x = place(d), y = place(d), u = place(d), v = place(d);
        if (planar)
            put(d, "type: %s, at: [%g, %g]", type, x, y);
        else
            put(d, "type: %s, at: [%g, %g, %g]", type, x, y, place(d));
        if (planar && !strcmp(type, "prismatic"))
            put(d, ", axis: [%g, %g]", u == 0 && v == 0 ? 1 : u, v);
        if (!planar && strcmp(type, "spherical") != 0)
            put(d, ", axis: [%g, %g, 1]", u, v);
        if (!strcmp(type, "universal"))
            put(d, ", across: [1, 0, %g]", -u);
        put(d, "}\n");
    }
}

static void draw(drawing *d) {
    int kind = fuzz_next(&d->from, 3);
    if (kind == 0)
        draw_points(d);
    else
        draw_bodies(d, kind == 1);
    put(d, "simulate: {until: 0.25, tolerance: " TOLERANCE ", max_steps: 3000}\n");
}

/* ---- runs */

typedef struct outcome {
    bool moved, warned;
    keel_result result;
} outcome;

/* Warnings and notes other than about its own start are explanations, too. */
static bool is_explained(const outcome *o) {
    bool explained = !o->moved || o->warned || !o->result.verdict.ok || o->result.status;
    for (int i = 0; i < o->result.event_count; i++)
        explained = explained || o->result.events[i].kind == KEEL_EVENT_SINGULAR;
    double gap = o->result.gap_smallest;
    return explained || (gap >= 0 && gap < NEAR_SINGULAR);
}

static void move(const keel_model *model, const char *method, outcome *o) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_settings settings = model->settings;
    memset(o, 0, sizeof *o);
    keel_status status = keel_method_parse(method, (keel_location){0}, messages, &settings.method);
    if (status >= 0)
        status = keel_run(model->system, model->start, model->velocities_given, &settings, NULL, messages,
                          &o->result);
    o->moved = status >= 0;
    o->warned = keel_diagnostics_count(messages) > 0;
    if (status < 0 && !keel_diagnostics_errors(messages))
        abort(); /* without a word */
    for (int i = 0; o->moved && i < model->system->n_q; i++)
        if (!isfinite(o->result.final->q[i]))
            abort();
    keel_diagnostics_free(messages);
}

/* Largest difference relative to the size of the motion; quaternions and velocities are compared as they are.
 */
static double difference(const keel_system *system, const outcome *a, const outcome *b) {
    double worst = 0, size = 1;
    for (int i = 0; i < system->n_v; i++)
        size = fmax(size, fabs(a->result.final->v[i]));
    for (int i = 0; i < system->n_v; i++)
        worst = fmax(worst, fabs(a->result.final->v[i] - b->result.final->v[i]) / size);
    for (int i = 0; i < system->n_q; i++)
        worst = fmax(worst, fabs(a->result.final->q[i] - b->result.final->q[i]));
    return worst;
}

static void compare(const drawing *d, const keel_model *model, const char *first, const char *second) {
    outcome a, b;
    move(model, first, &a);
    move(model, second, &b);
    if (!is_explained(&a) && !is_explained(&b) && difference(model->system, &a, &b) > MOST_ERROR) {
        fprintf(stderr, "%s and %s differ by %g without a word:\n%s", first, second,
                difference(model->system, &a, &b), d->text);
        abort();
    }
    keel_result_clear(&a.result);
    keel_result_clear(&b.result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    drawing d = {.from = {data, size}};
    const char *first = METHODS[fuzz_next(&d.from, METHOD_COUNT)],
               *second = METHODS[fuzz_next(&d.from, METHOD_COUNT)];
    draw(&d);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_parse("fuzz.yaml", d.text, d.length, NULL, 0, messages, &status);
    fuzz_explained(model, status, messages);
    if (model)
        status = keel_model_assemble(model, messages, NULL);
    if (status < 0 && !keel_diagnostics_errors(messages))
        abort();
    if (status >= 0)
        compare(&d, model, first, second);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}
