/* motion.c - quantities that are driven, and values at the start. */
#include <math.h>
#include <string.h>

#include "mechanism/reaction.h"
#include "mechanism/skeleton.h"

/* The same quantity, whatever derivative of it. */
static bool same_quantity(const ki_measure *a, const ki_measure *b) {
    return a->kind == b->kind && a->object == b->object && a->component == b->component;
}

/* The name without the primes at its end, in the arena; NULL when out of memory. */
static char *without_primes(ki_arena *arena, const char *name, int *primes) {
    size_t length = strlen(name);
    for (*primes = 0; length > 0 && name[length - 1] == '\''; length--)
        ++*primes;
    return ki_arena_text(arena, name, length);
}

/* Reads a name that may have primes. */
static keel_status read_quantity(const ki_names *names, ki_mech *mech, const char *name, ki_use use,
                                 keel_location where, keel_diagnostics *diagnostics, ki_measure *measure) {
    int primes;
    char *plain = without_primes(&mech->arena, name, &primes);
    if (!plain)
        return KEEL_ERROR_MEMORY;
    return ki_quantity(names, plain, primes, use, where, diagnostics, measure) ? KEEL_OK : KEEL_ERROR_INPUT;
}

/* ---- motions ---------------------------------------------------------------------------------------- */

/* Where a motion of constant speed starts: at the start value of its quantity, else as drawn. */
static keel_status start_of(const ki_names *names, ki_mech *mech, const ki_measure *driven, double *value) {
    const keel_mechanism *d = names->description;
    *value = ki_measure_drawn(mech, driven);
    for (int i = 0; i < d->start_count; i++) {
        ki_measure measure;
        keel_status status =
            read_quantity(names, mech, d->start[i].name, KI_FOR_START, d->start[i].where, NULL, &measure);
        if (status == KEEL_ERROR_MEMORY)
            return status;
        if (status == KEEL_OK && measure.primes == 0 && same_quantity(&measure, driven))
            *value = d->start[i].value;
    }
    return KEEL_OK;
}

static keel_status compile_motion(const ki_names *names, ki_mech *mech, const keel_motion *from,
                                  keel_diagnostics *diagnostics, ki_motion *motion) {
    double start = 0;
    motion->name = ki_arena_text(&mech->arena, from->name, strlen(from->name));
    motion->where = ki_keep_place(mech, from->where);
    keel_status status = motion->name ? read_quantity(names, mech, from->quantity, KI_FOR_MOTION, from->where,
                                                      diagnostics, &motion->measure)
                                      : KEEL_ERROR_MEMORY;
    if (status < 0)
        return status;
    for (const ki_motion *other = mech->motion; other < motion; other++)
        if (same_quantity(&other->measure, &motion->measure)) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, from->where,
                                 "'%s' drives '%s', which '%s' drives already", from->name, from->quantity,
                                 other->name);
            return KEEL_ERROR_INPUT;
        }
    if (!from->law.text)
        status = start_of(names, mech, &motion->measure, &start);
    if (status < 0)
        return status;
    return ki_law_compile(names, mech, &from->law, start, from->speed, diagnostics, motion);
}

keel_status ki_motions_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics) {
    const keel_mechanism *description = names->description;
    keel_status status = KEEL_OK;
    mech->motion = KI_NEW(&mech->arena, ki_motion, description->motion_count);
    if (mech->arena.failed) /* here, or before: the springs that a motion may measure are then missing */
        return KEEL_ERROR_MEMORY;
    mech->motion_count = description->motion_count;
    for (int i = 0; i < mech->motion_count; i++) {
        mech->motion[i].measure.object = -1; /* none: what failed is not compared with */
        keel_status one = compile_motion(names, mech, &description->motion[i], diagnostics, &mech->motion[i]);
        if (one == KEEL_ERROR_MEMORY)
            return one;
        status = one < 0 ? one : status;
    }
    return status;
}

void ki_motion_law(const ki_mech *mech, ki_mech_work *w, int i, double t, double law[3]) {
    const ki_motion *motion = &mech->motion[i];
    ki_tape_run(motion->tape, &t, w->tape + motion->work, law);
}

/* ---- start values ----------------------------------------------------------------------------------- */

/* The law of a motion at t = 0. */
static keel_status law_at_start(const ki_motion *motion, double law[3]) {
    ki_arena scratch;
    double t = 0;
    ki_arena_init(&scratch);
    double *work = KI_NEW(&scratch, double, ki_tape_work_size(motion->tape));
    if (work) {
        ki_tape_prepare(motion->tape, work);
        ki_tape_run(motion->tape, &t, work, law);
    }
    ki_arena_free(&scratch);
    return work ? KEEL_OK : KEEL_ERROR_MEMORY;
}

/* A driven quantity starts where its motion does; a start value may only repeat that. */
static keel_status check_driven(const ki_mech *mech, const ki_value_spec *spec, const ki_measure *measure,
                                keel_diagnostics *diagnostics, bool *driven) {
    static const double TOLERANCE = 1e-9; /* of numbers written with ten digits */
    *driven = false;
    for (int i = 0; i < mech->motion_count; i++) {
        const ki_motion *motion = &mech->motion[i];
        double law[3];
        if (!same_quantity(&motion->measure, measure))
            continue;
        *driven = true;
        if (!motion->tape) /* its law was not understood */
            continue;
        if (law_at_start(motion, law) < 0)
            return KEEL_ERROR_MEMORY;
        double given = law[measure->primes];
        if (fabs(spec->value - given) > TOLERANCE * (1 + fabs(given))) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, spec->where,
                                 "the start value %g of '%s' contradicts the motion '%s', which starts at %g",
                                 spec->value, spec->name, motion->name, given);
            return KEEL_ERROR_INPUT;
        }
    }
    return KEEL_OK;
}

static const char *keep_name(ki_mech *mech, const char *name) {
    return ki_arena_text(&mech->arena, name, strlen(name));
}

static keel_status two_values(const ki_value_spec *spec, keel_diagnostics *diagnostics) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, spec->where, "'%s' has two start values", spec->name);
    return KEEL_ERROR_INPUT;
}

/* A component of a turn: the first one that is given makes rows of all three, the others being zero. */
static keel_status start_turn(ki_mech *mech, const ki_value_spec *spec, const ki_measure *measure,
                              keel_diagnostics *diagnostics) {
    int first = 0;
    while (first < mech->start_count && (mech->start[first].measure.kind != KI_MEASURE_TURN ||
                                         mech->start[first].measure.object != measure->object))
        first++;
    if (first == mech->start_count)
        for (int k = 0; k < 3; k++) {
            char *name = ki_arena_text(&mech->arena, spec->name, strlen(spec->name));
            if (!name)
                return KEEL_ERROR_MEMORY;
            name[strlen(name) - 1] = (char)('x' + k);
            ki_start_row *row = &mech->start[mech->start_count++];
            *row = (ki_start_row){name, ki_keep_place(mech, spec->where), *measure, 0, false, NULL};
            row->measure.component = k;
        }
    ki_start_row *row = &mech->start[first + measure->component];
    if (row->given)
        return two_values(spec, diagnostics);
    row->given = true;
    row->where = ki_keep_place(mech, spec->where);
    row->value = spec->value;
    return mech->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static keel_status compile_start(const ki_names *names, ki_mech *mech, const ki_value_spec *spec,
                                 keel_diagnostics *diagnostics, bool velocities) {
    ki_measure measure;
    bool driven;
    keel_status status = read_quantity(names, mech, spec->name, KI_FOR_START, spec->where,
                                       velocities ? NULL : diagnostics, &measure);
    if (status < 0 || (measure.primes > 0) != velocities)
        return status;
    status = check_driven(mech, spec, &measure, diagnostics, &driven);
    if (status < 0 || driven)
        return status;
    if (measure.kind == KI_MEASURE_TURN)
        return start_turn(mech, spec, &measure, diagnostics);
    for (int i = 0; i < mech->start_count; i++)
        if (same_quantity(&mech->start[i].measure, &measure) &&
            mech->start[i].measure.primes == measure.primes)
            return two_values(spec, diagnostics);
    mech->start[mech->start_count++] = (ki_start_row){.name = keep_name(mech, spec->name),
                                                      .where = ki_keep_place(mech, spec->where),
                                                      .measure = measure,
                                                      .value = spec->value,
                                                      .given = true};
    return mech->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* The rotations of the turns: their three rows stand one after the other. */
static keel_status set_targets(ki_mech *mech) {
    for (int i = 0; i < mech->start_count; i++) {
        ki_start_row *row = &mech->start[i];
        if (row->measure.kind != KI_MEASURE_TURN)
            continue;
        double vector[3] = {row[0].value, row[1].value, row[2].value};
        double *R = KI_NEW(&mech->arena, double, 9);
        if (!R)
            return KEEL_ERROR_MEMORY;
        ki_rotation_of_vector(vector, R);
        row[0].target = row[1].target = row[2].target = R;
        i += 2;
    }
    return KEEL_OK;
}

/* Positions first, then velocities, each in their order. */
keel_status ki_starts_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics) {
    const keel_mechanism *description = names->description;
    keel_status status = KEEL_OK;
    mech->start_count = 0;
    mech->start = KI_NEW(&mech->arena, ki_start_row, 3 * description->start_count); /* turns have three */
    if (mech->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int velocities = 0; velocities < 2; velocities++)
        for (int i = 0; i < description->start_count; i++) {
            keel_status one =
                compile_start(names, mech, &description->start[i], diagnostics, velocities != 0);
            if (one == KEEL_ERROR_MEMORY)
                return one;
            status = one < 0 ? one : status;
        }
    keel_status targets = set_targets(mech);
    return status ? status : targets;
}
