/* subject.c - one mechanism, run as drawn and as its twin, and how its variants compare with that. */
#include "subject.h"

#include <float.h>
#include <math.h>

char running[256];

static const unsigned MOTION = COMPARE_MOTION | COMPARE_MOBILITY;

/* Reactions come from accelerations, which an integrator does not control: their error is larger. */
#define LOAD_FACTOR 100

static void run_twin(subject *on) {
    static drawing twin;
    const variant *v = find_variant("twin");
    on->has_twin = can_vary(&on->base, v);
    on->twin.ran = false;
    if (!on->has_twin)
        return;
    twin = on->base;
    vary(&twin, v, on->seed);
    record_run(&twin, &on->twin);
}

void draw_subject(subject *on, const family *f, drive_mode mode, uint64_t seed) {
    on->family = f;
    on->mode = mode;
    on->seed = seed;
    snprintf(running, sizeof running, "%s.%s %llu base", f->name, MODE_NAME[mode], (unsigned long long)seed);
    draw(f, mode, seed, &on->base);
    record_run(&on->base, &on->run);
    run_twin(on);
}

/* How far the places of a variant are rounded, as parts of its extent: to digits, or far from the origin to
 * those of the machine. */
static double rounding(const drawing *d, const variant *v) {
    double machine = DBL_EPSILON * norm(d->placed.shift) / d->extent;
    return v->digits ? fmax(machine, pow(10, -v->digits)) : machine;
}

limits usual_limits(const drawing *d, const variant *v) {
    double limit = fmax(100 * d->tolerance, 1e4 * rounding(d, v));
    return (limits){limit, LOAD_FACTOR * limit};
}

/* The twin of a flat mechanism is planar. */
static unsigned like_twin(const subject *on) {
    return MOTION | COMPARE_LOADS | (on->base.flat ? COMPARE_IN_PLANE : 0);
}

bool base_fails(const subject *on, char *text, size_t size) {
    limits most = usual_limits(&on->base, &(variant){0});
    if (!on->run.ran) {
        snprintf(text, size, "%s", on->run.message);
        return true;
    }
    if (on->run.freedoms != on->base.mobility) {
        snprintf(text, size, "mobility %d, not %d", on->run.freedoms, on->base.mobility);
        return true;
    }
    if (on->has_twin && !on->twin.ran) {
        snprintf(text, size, "its twin fails: %s", on->twin.message);
        return true;
    }
    if (on->has_twin &&
        records_differ(&on->base, &on->twin, &on->run, like_twin(on), most.motion, most.load, text, size))
        return true;
    if (on->run.singular_events != on->base.singular) {
        snprintf(text, size, "%d singular poses told, not %d", on->run.singular_events, on->base.singular);
        return true;
    }
    return false;
}

bool variant_fails(const subject *on, const variant *v, const drawing *d, limits most, bool with_twin,
                   char *text, size_t size) {
    static record found;
    bool by_twin = on->has_twin && (with_twin || !on->run.ran);
    const record *expected = by_twin ? &on->twin : &on->run;
    if (!expected->ran) {
        snprintf(text, size, "nothing to compare with, the %s fails: %s",
                 expected == &on->run ? "base" : "twin", expected->message);
        return true;
    }
    record_run(d, &found);
    if (!found.ran) {
        snprintf(text, size, "%s", found.message);
        return true;
    }
    if (v->twin && expected == &on->run)
        return records_differ(&on->base, &found, expected, like_twin(on), most.motion, most.load, text, size);
    unsigned what =
        expected == &on->twin && !v->twin ? like_twin(on) : MOTION | COMPARE_VERDICTS | COMPARE_LOADS;
    return records_differ(&on->base, expected, &found, what, most.motion, most.load, text, size);
}
