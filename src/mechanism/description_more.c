/* description_more.c - forces, motions, parameters, start values and outputs of a description. */
#include <math.h>
#include <string.h>

#include "mechanism/description_parts.h"

keel_formula ki_copy_formula(keel_mechanism *m, const keel_formula *formula) {
    int count = formula->text ? formula->local_count : 0;
    keel_formula copy = {.text = ki_copy_text(m, formula->text),
                         .where = ki_copy_place(m, formula->where),
                         .local_count = count};
    if (count == 0)
        return copy;
    const char **names = KI_NEW(&m->arena, const char *, count);
    double *values = KI_NEW(&m->arena, double, count);
    for (int i = 0; names && values && i < count; i++) {
        names[i] = ki_copy_text(m, formula->local_name[i]);
        values[i] = formula->local_value[i];
    }
    copy.local_name = names;
    copy.local_value = values;
    return copy;
}

static bool has_component(const keel_force *force) {
    return force->component[0].text || force->component[1].text || force->component[2].text;
}

static bool check_kind(const keel_mechanism *m, const keel_force *force, keel_diagnostics *list) {
    const char *name = force->name;
    switch (force->kind) {
    case KEEL_FORCE_SPRING:
    case KEEL_FORCE_BUSHING:
        return ki_check_bodies(m, "force", name, force->body, force->where, list);
    case KEEL_FORCE_TORSION:
        return KI_CHECK(force->joint, list, force, "force", "a torsion spring needs its joint", name);
    case KEEL_FORCE_PUSH:
        return KI_CHECK(has_component(force), list, force, "force", "it has no component", name) &&
               ki_check_bodies(m, "force", name, force->body, force->where, list);
    case KEEL_FORCE_TWIST:
        return KI_CHECK(has_component(force), list, force, "force", "it has no component", name) &&
               (force->joint || ki_check_bodies(m, "force", name, force->body, force->where, list));
    }
    return KI_CHECK(false, list, force, "force", "its kind, %d, is not known", name, (int)force->kind);
}

static bool has_negative_diagonal(const double M[36]) {
    for (int i = 0; i < 36; i += 7)
        if (M[i] < 0)
            return true;
    return false;
}

static bool check_numbers(const keel_force *force, keel_diagnostics *list) {
    const char *name = force->name;
    return KI_CHECK(ki_finite_numbers(&force->at[0][0], 6), list, force, "force", "its place is not finite",
                    name) &&
           KI_CHECK(isfinite(force->stiffness) && isfinite(force->damping), list, force, "force",
                    "its stiffness or damping is not finite", name) &&
           KI_CHECK(force->damping >= 0 && !has_negative_diagonal(force->C), list, force, "force",
                    "its damping is negative: it would drive the motion", name) &&
           KI_CHECK(isfinite(force->free) || isnan(force->free), list, force, "force",
                    "its free length is not finite", name) &&
           KI_CHECK(ki_finite_numbers(force->K, 36) && ki_finite_numbers(force->C, 36), list, force, "force",
                    "its stiffness or damping is not finite", name);
}

int keel_mechanism_add_force(keel_mechanism *m, const keel_force *force, keel_diagnostics *list) {
    if (!m || !force)
        return KEEL_ERROR_INPUT;
    if (!ki_check_part(m, KI_FORCE, force->name, force->where, list) || !check_kind(m, force, list) ||
        !check_numbers(force, list))
        return KEEL_ERROR_INPUT;
    keel_force *array = ki_make_room(m->force, m->force_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->force = array;
    keel_force *copy = &array[m->force_count];
    *copy = *force;
    copy->name = ki_copy_text(m, force->name);
    copy->where = ki_copy_place(m, force->where);
    copy->joint = ki_copy_text(m, force->joint);
    copy->law = ki_copy_formula(m, &force->law);
    for (int k = 0; k < 3; k++)
        copy->component[k] = ki_copy_formula(m, &force->component[k]);
    return ki_finish_part(m, KI_FORCE, copy->name, &m->force_count);
}

int keel_mechanism_add_motion(keel_mechanism *m, const keel_motion *motion, keel_diagnostics *list) {
    if (!m || !motion)
        return KEEL_ERROR_INPUT;
    if (!ki_check_part(m, KI_MOTION, motion->name, motion->where, list) ||
        !KI_CHECK(motion->quantity && motion->quantity[0], list, motion, "motion",
                  "what it drives is not told", motion->name) ||
        !KI_CHECK(isfinite(motion->speed), list, motion, "motion", "its speed is not finite", motion->name))
        return KEEL_ERROR_INPUT;
    keel_motion *array = ki_make_room(m->motion, m->motion_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->motion = array;
    keel_motion *copy = &array[m->motion_count];
    *copy = *motion;
    copy->name = ki_copy_text(m, motion->name);
    copy->where = ki_copy_place(m, motion->where);
    copy->quantity = ki_copy_text(m, motion->quantity);
    copy->law = ki_copy_formula(m, &motion->law);
    return ki_finish_part(m, KI_MOTION, copy->name, &m->motion_count);
}

/* A parameter or a start value; KEEL_ERROR_INPUT if its name is taken or its value not finite. */
static keel_status add_value(keel_mechanism *m, int space, ki_value_spec **array, int *count,
                             ki_value_spec value) {
    if (!value.name || !value.name[0] || !isfinite(value.value) ||
        ki_index_find(m->index, space, value.name, strlen(value.name)))
        return KEEL_ERROR_INPUT;
    ki_value_spec *larger = ki_make_room(*array, *count, sizeof *larger);
    if (!larger)
        return KEEL_ERROR_MEMORY;
    *array = larger;
    value.name = ki_copy_text(m, value.name);
    value.where = ki_copy_place(m, value.where);
    if (m->arena.failed ||
        !ki_index_add(m->index, (ki_index_entry){value.name, space, KI_NO_PART, *count, false}))
        return KEEL_ERROR_MEMORY;
    larger[(*count)++] = value;
    return KEEL_OK;
}

keel_status keel_mechanism_add_parameter(keel_mechanism *m, const char *name, double value) {
    if (!m || !name)
        return KEEL_ERROR_INPUT;
    return add_value(m, KI_PARAMETERS, &m->parameter, &m->parameter_count,
                     (ki_value_spec){.name = name, .value = value});
}

keel_status keel_mechanism_add_start(keel_mechanism *m, const char *quantity, keel_location where,
                                     double value) {
    if (!m || !quantity)
        return KEEL_ERROR_INPUT;
    return add_value(m, KI_STARTS, &m->start, &m->start_count, (ki_value_spec){quantity, value, where});
}

keel_status keel_mechanism_add_output(keel_mechanism *m, const char *name, keel_location where,
                                      keel_formula formula) {
    if (!m || !name)
        return KEEL_ERROR_INPUT;
    if (!name || !name[0] || !formula.text || ki_index_find(m->index, KI_OUTPUTS, name, strlen(name)))
        return KEEL_ERROR_INPUT;
    ki_output_spec *array = ki_make_room(m->output, m->output_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->output = array;
    ki_output_spec *copy = &array[m->output_count];
    *copy = (ki_output_spec){ki_copy_text(m, name), ki_copy_place(m, where), ki_copy_formula(m, &formula)};
    if (m->arena.failed ||
        !ki_index_add(m->index, (ki_index_entry){copy->name, KI_OUTPUTS, KI_NO_PART, m->output_count, false}))
        return KEEL_ERROR_MEMORY;
    m->output_count++;
    return KEEL_OK;
}
