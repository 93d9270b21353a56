/* description.c - a mechanism as a user describes it: parts are checked one by one and copied. */
#include "mechanism/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "mechanism/description_parts.h"
#include "mechanism/joint.h"

keel_body keel_body_default(const char *name) {
    return (keel_body){.name = name};
}

keel_joint keel_joint_default(const char *name, const char *type, int body_0, int body_1) {
    return (keel_joint){
        .name = name, .type = type, .body = {body_0, body_1}, .joint = {-1, -1}, .friction.slip = 1e-3};
}

keel_force keel_force_default(const char *name, keel_force_kind kind) {
    return (keel_force){.name = name, .kind = kind, .free = NAN};
}

keel_mechanism *keel_mechanism_new(void) {
    keel_mechanism *m = calloc(1, sizeof *m);
    ki_index *index = calloc(1, sizeof *index);
    keel_body *ground = malloc(sizeof *ground);
    if (m && index && ground) {
        *ground = keel_body_default("ground");
        m->body = ground;
        m->body_count = 1;
        m->index = index;
        m->precision_length = m->precision_angle = KEEL_PRECISION;
        if (ki_index_add(index, (ki_index_entry){"ground", KI_PARTS, KI_BODY, KEEL_GROUND, false}))
            return m;
    }
    free(ground);
    free(index);
    free(m);
    return NULL;
}

void keel_mechanism_free(keel_mechanism *mechanism) {
    if (!mechanism)
        return;
    ki_index *index = mechanism->index;
    free(index->slot);
    free(index);
    free(mechanism->body);
    free(mechanism->joint);
    free(mechanism->point);
    free(mechanism->force);
    free(mechanism->motion);
    free(mechanism->parameter);
    free(mechanism->start);
    free(mechanism->output);
    free(mechanism->state);
    free(mechanism->definition);
    free(mechanism->shape);
    keel_mechanism_free(mechanism->drawing);
    ki_arena_free(&mechanism->arena);
    free(mechanism);
}

void keel_mechanism_set_planar(keel_mechanism *mechanism, int planar) {
    if (!mechanism)
        return;
    mechanism->planar = planar != 0;
}

void keel_mechanism_set_gravity(keel_mechanism *mechanism, const double gravity[3]) {
    if (!mechanism || !gravity)
        return;
    memcpy(mechanism->gravity, gravity, sizeof mechanism->gravity);
}

void keel_mechanism_set_precision(keel_mechanism *mechanism, double length, double angle) {
    if (!mechanism)
        return;
    mechanism->precision_length = length;
    mechanism->precision_angle = angle;
}

void keel_mechanism_set_coordinates(keel_mechanism *mechanism, keel_coordinates coordinates) {
    if (!mechanism)
        return;
    mechanism->coordinates = coordinates;
}

/* ---- copies ----------------------------------------------------------------------------------------------
 */

void *ki_make_room(void *array, int count, size_t size) {
    if (count & (count - 1))
        return array;
    return realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

const char *ki_copy_text(keel_mechanism *m, const char *text) {
    return text ? ki_arena_text(&m->arena, text, strlen(text)) : NULL;
}

/* The name of the file is copied once. */
keel_location ki_copy_place(keel_mechanism *m, keel_location where) {
    ki_index *index = m->index;
    if (where.file && (!index->file || strcmp(index->file, where.file) != 0))
        index->file = ki_copy_text(m, where.file);
    where.file = where.file ? index->file : NULL;
    return where;
}

/* ---- checks ----------------------------------------------------------------------------------------------
 */

static const char *const KIND_WORDS[] = {"thing", "body", "joint", "force", "motion", "point"};

bool ki_finite_numbers(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* A name with evaluated indices: letters, digits and '_', then [3] or [1,2]. */
static bool is_name(const char *name) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strspn(name, LETTERS);
    if (length == 0 || (name[0] >= '0' && name[0] <= '9'))
        return false;
    if (name[length] == '\0')
        return true;
    size_t inside = strspn(name + length + 1, "0123456789,-");
    return name[length] == '[' && inside > 0 && strcmp(name + length + 1 + inside, "]") == 0;
}

static bool check_name(const char *name, const char *what, keel_location where, keel_diagnostics *list) {
    if (!name || !name[0])
        keel_diagnostics_add(list, KEEL_ERROR, where, "a %s needs a name", what);
    else if (strchr(name, '.'))
        keel_diagnostics_add(
            list, KEEL_ERROR, where,
            "the name '%s' of a %s has a '.', which separates a name from what is asked of it", name, what);
    else if (!is_name(name))
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "'%s' cannot be the name of a %s: a name is made of letters, digits and '_', "
                             "begins with a letter, and may have an index in brackets",
                             name, what);
    else
        return true;
    return false;
}

static keel_location place_of(const keel_mechanism *m, ki_part_kind kind, int number) {
    switch (kind) {
    case KI_BODY:
        return m->body[number].where;
    case KI_JOINT:
        return m->joint[number].where;
    case KI_FORCE:
        return m->force[number].where;
    case KI_MOTION:
        return m->motion[number].where;
    default:
        return m->point[number].where;
    }
}

static bool same_place(keel_location a, keel_location b) {
    return a.line > 0 && a.line == b.line && a.column == b.column;
}

/* False, after a message, if the name is taken in its space. */
static bool check_new(const keel_mechanism *m, int space, ki_part_kind kind, const char *name,
                      keel_location where, keel_diagnostics *list) {
    const ki_index_entry *other = ki_index_find(m->index, space, name, strlen(name));
    if (!other)
        return true;
    keel_location first = place_of(m, other->kind, other->number);
    const char *this_kind = KIND_WORDS[kind], *other_kind = KIND_WORDS[other->kind];
    if (other->kind == KI_BODY && other->number == KEEL_GROUND)
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "the %s cannot be called 'ground': that is the body that does not move",
                             this_kind);
    else if (same_place(first, where))
        keel_diagnostics_add(
            list, KEEL_ERROR, where,
            "the %s '%s' is made again in each pass of the repeat block: give it an index, as in '%s[i]'",
            this_kind, name, name);
    else if (first.line > 0)
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "the name '%s' of this %s is taken by the %s at line %d", name, this_kind,
                             other_kind, first.line);
    else
        keel_diagnostics_add(list, KEEL_ERROR, where, "the name '%s' of this %s is taken by a %s", name,
                             this_kind, other_kind);
    return false;
}

bool ki_check_part(const keel_mechanism *m, ki_part_kind kind, const char *name, keel_location where,
                   keel_diagnostics *list) {
    return check_name(name, KIND_WORDS[kind], where, list) && check_new(m, KI_PARTS, kind, name, where, list);
}

int ki_finish_part(keel_mechanism *m, ki_part_kind kind, const char *name, int *count) {
    if (m->arena.failed || !ki_index_add(m->index, (ki_index_entry){name, KI_PARTS, kind, *count, false}))
        return KEEL_ERROR_MEMORY;
    return (*count)++;
}

/* ---- adding parts ----------------------------------------------------------------------------------------
 */

int keel_mechanism_add_body(keel_mechanism *m, const keel_body *body, keel_diagnostics *list) {
    if (!m || !body)
        return KEEL_ERROR_INPUT;
    if (!ki_check_part(m, KI_BODY, body->name, body->where, list) ||
        !KI_CHECK(isfinite(body->mass), list, body, "body", "its mass is not a finite number", body->name) ||
        !KI_CHECK(body->mass >= 0, list, body, "body", "its mass is %g: a mass is positive, or 0 for none",
                  body->name, body->mass) ||
        !KI_CHECK(ki_finite_numbers(body->centre, 3), list, body, "body", "its centre is not finite",
                  body->name) ||
        !KI_CHECK(ki_finite_numbers(body->inertia, 6), list, body, "body", "its inertia is not finite",
                  body->name))
        return KEEL_ERROR_INPUT;
    keel_body *array = ki_make_room(m->body, m->body_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->body = array;
    keel_body *copy = &array[m->body_count];
    *copy = *body;
    copy->name = ki_copy_text(m, body->name);
    copy->where = ki_copy_place(m, body->where);
    return ki_finish_part(m, KI_BODY, copy->name, &m->body_count);
}

static bool is_quantity_word(const char *name) {
    static const char *const WORDS[] = {"x", "y", "z", "angle", "spin"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(name, WORDS[i]) == 0)
            return true;
    return false;
}

static bool check_point(const keel_mechanism *m, const char *name, int body, const double at[3],
                        keel_location where, keel_diagnostics *list) {
    if (!check_name(name, "point", where, list))
        return false;
    if (body < 0 || body >= m->body_count)
        keel_diagnostics_add(list, KEEL_ERROR, where, "point '%s': there is no body number %d", name, body);
    else if (is_quantity_word(name))
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "a point of a body cannot be called '%s': '%s.%s' is a quantity of the body",
                             name, m->body[body].name, name);
    else if (!ki_finite_numbers(at, 3))
        keel_diagnostics_add(list, KEEL_ERROR, where, "point '%s': its place is not finite", name);
    else
        return check_new(m, body, KI_POINT, name, where, list);
    return false;
}

int keel_mechanism_add_point(keel_mechanism *m, const char *name, int body, const double at[3],
                             keel_location where, keel_diagnostics *list) {
    if (!m || !at)
        return KEEL_ERROR_INPUT;
    if (!check_point(m, name, body, at, where, list))
        return KEEL_ERROR_INPUT;
    ki_point_spec *array = ki_make_room(m->point, m->point_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->point = array;
    ki_point_spec *copy = &array[m->point_count];
    *copy = (ki_point_spec){ki_copy_text(m, name), body, {at[0], at[1], at[2]}, ki_copy_place(m, where)};
    if (m->arena.failed)
        return KEEL_ERROR_MEMORY;
    ki_index_entry entry = {copy->name, body, KI_POINT, m->point_count, false};
    ki_index_entry *other = ki_index_find(m->index, KI_ALL_POINTS, name, strlen(name));
    if (other)
        other->shared = true;
    if (!ki_index_add(m->index, entry))
        return KEEL_ERROR_MEMORY;
    m->point_count++; /* it is found from here on */
    entry.space = KI_ALL_POINTS;
    if (!other && !ki_index_add(m->index, entry))
        return KEEL_ERROR_MEMORY;
    return m->point_count - 1;
}

static bool check_type(const keel_joint *joint, keel_diagnostics *list) {
    const char *const *types = keel_joint_types();
    if (!joint->type || !joint->type[0])
        return KI_CHECK(false, list, joint, "joint", "it has no type", joint->name);
    if (ki_joint_type_of(joint->type))
        return true;
    int count = 0;
    while (types[count])
        count++;
    const char *closest = ki_closest_name(joint->type, types, count);
    return KI_CHECK(false, list, joint, "joint", "there is no type '%s'%s%s%s", joint->name, joint->type,
                    closest ? "; did you mean '" : "", closest ? closest : "", closest ? "'?" : "");
}

bool ki_check_bodies(const keel_mechanism *m, const char *word, const char *name, const int body[2],
                     keel_location where, keel_diagnostics *list) {
    for (int k = 0; k < 2; k++)
        if (body[k] < 0 || body[k] >= m->body_count) {
            keel_diagnostics_add(list, KEEL_ERROR, where, "%s '%s': there is no body number %d", word, name,
                                 body[k]);
            return false;
        }
    if (body[0] == body[1])
        keel_diagnostics_add(list, KEEL_ERROR, where, "%s '%s' has the same body, '%s', on both sides", word,
                             name, m->body[body[0]].name);
    return body[0] != body[1];
}

static bool check_coupled(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    for (int k = 0; k < 2; k++)
        if (joint->joint[k] < 0 || joint->joint[k] >= m->joint_count)
            return KI_CHECK(false, list, joint, "joint",
                            "'%s' couples two joints, but there is no joint number %d", joint->name,
                            joint->type, joint->joint[k]);
    return KI_CHECK(joint->joint[0] != joint->joint[1], list, joint, "joint", "it couples '%s' with itself",
                    joint->name, m->joint[joint->joint[0]].name);
}

static bool check_joint_numbers(const keel_joint *joint, keel_diagnostics *list) {
    const double numbers[] = {joint->ratio, joint->length, joint->pitch, joint->radius};
    const double friction[] = {joint->friction.viscous, joint->friction.coulomb, joint->friction.radius,
                               joint->friction.slip};
    const char *name = joint->name;
    for (int i = 0; i < 4; i++)
        if (!KI_CHECK(friction[i] >= 0 && isfinite(friction[i]), list, joint, "joint",
                      "a number of its friction is negative or not finite", name))
            return false;
    return KI_CHECK(ki_finite_numbers(&joint->at[0][0], 6), list, joint, "joint", "its place is not finite",
                    name) &&
           KI_CHECK(ki_finite_numbers(&joint->axis[0][0], 6) && ki_finite_numbers(&joint->across[0][0], 6),
                    list, joint, "joint", "a direction of it is not finite", name) &&
           KI_CHECK(ki_finite_numbers(numbers, 4) && ki_finite_numbers(joint->reading, 3), list, joint,
                    "joint", "a number of it is not finite", name) &&
           KI_CHECK(joint->length >= 0 && joint->radius >= 0, list, joint, "joint", "its %s is negative",
                    name, joint->length < 0 ? "length" : "radius") &&
           KI_CHECK(joint->friction.coulomb == 0 || joint->friction.slip > 0, list, joint, "joint",
                    "Coulomb friction needs a slip speed above 0", name);
}

static bool is_zero(const double a[3]) {
    return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

/* A direction given for one body only is meant for both. */
static void complete_pair(double pair[2][3]) {
    if (is_zero(pair[0]))
        memcpy(pair[0], pair[1], sizeof pair[0]);
    else if (is_zero(pair[1]))
        memcpy(pair[1], pair[0], sizeof pair[1]);
}

int keel_mechanism_add_joint(keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    if (!m || !joint)
        return KEEL_ERROR_INPUT;
    if (!ki_check_part(m, KI_JOINT, joint->name, joint->where, list) || !check_type(joint, list))
        return KEEL_ERROR_INPUT;
    bool couples = ki_joint_type_of(joint->type)->couples;
    if (!(couples ? check_coupled(m, joint, list)
                  : ki_check_bodies(m, "joint", joint->name, joint->body, joint->where, list)) ||
        !check_joint_numbers(joint, list))
        return KEEL_ERROR_INPUT;
    keel_joint *array = ki_make_room(m->joint, m->joint_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->joint = array;
    keel_joint *copy = &array[m->joint_count];
    *copy = *joint;
    copy->name = ki_copy_text(m, joint->name);
    copy->where = ki_copy_place(m, joint->where);
    copy->type = ki_joint_type_of(joint->type)->word;
    if (couples)
        copy->body[0] = copy->body[1] = KEEL_GROUND;
    complete_pair(copy->axis);
    complete_pair(copy->across);
    return ki_finish_part(m, KI_JOINT, copy->name, &m->joint_count);
}
