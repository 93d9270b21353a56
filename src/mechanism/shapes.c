/* shapes.c - what bodies look like: kept for those who draw a mechanism, without influence on its motion. */
#include <string.h>

#include "mechanism/description_parts.h"
#include "mechanism/mech_system.h"
#include "mechanism/shapes.h"

static bool is_finite(const keel_shape *shape) {
    return ki_finite_numbers(shape->from, 3) && ki_finite_numbers(shape->to, 3) &&
           ki_finite_numbers(shape->at, 3) && ki_finite_numbers(shape->axes, 9) &&
           ki_finite_numbers(shape->size, 3) && ki_finite_numbers(&shape->radius, 1);
}

keel_status keel_mechanism_add_shape(keel_mechanism *m, int body, const keel_shape *shape) {
    if (!m || !shape)
        return KEEL_ERROR_INPUT;
    if (body < 0 || body >= m->body_count || !is_finite(shape))
        return KEEL_ERROR_INPUT;
    ki_shape_spec *array = ki_make_room(m->shape, m->shape_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->shape = array;
    array[m->shape_count++] = (ki_shape_spec){body, *shape};
    return KEEL_OK;
}

/* Counted, then sorted by body: shape_start[b] is where those of body b begin. */
keel_status ki_shapes_compile(const keel_mechanism *m, ki_mech *mech) {
    int *start = mech->shape_start = KI_NEW(&mech->arena, int, m->body_count + 1);
    int *next = KI_NEW(&mech->arena, int, m->body_count);
    mech->shape = KI_NEW(&mech->arena, keel_shape, m->shape_count);
    if (mech->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < m->shape_count; i++)
        start[m->shape[i].body + 1]++;
    for (int b = 0; b < m->body_count; b++)
        start[b + 1] += start[b];
    memcpy(next, start, (size_t)m->body_count * sizeof *next);
    for (int i = 0; i < m->shape_count; i++)
        mech->shape[next[m->shape[i].body]++] = m->shape[i].shape;
    return KEEL_OK;
}

int keel_mechanism_shapes(const keel_system *system, int body, const keel_shape **shapes) {
    if (!ki_mech_body(system, body) || !shapes)
        return 0;
    const ki_mech *mech = ki_mech_of(system);
    *shapes = mech->shape + mech->shape_start[body];
    return mech->shape_start[body + 1] - mech->shape_start[body];
}
