/* mechanism_joints.c - the section `joints`. */
#include <stdio.h>
#include <string.h>

#include "mechanism/joint.h"
#include "modelfile/mechanism.h"

enum { TYPE, BODIES, AT, AXIS, ACROSS, LENGTH, PITCH, RADIUS, READING, RATIO, JOINTS, FRICTION, FIELDS };
static const char *const KEYS[FIELDS] = {
    [TYPE] = "type",       [BODIES] = "bodies", [AT] = "at",         [AXIS] = "axis",
    [ACROSS] = "across",   [LENGTH] = "length", [PITCH] = "pitch",   [RADIUS] = "radius",
    [READING] = "reading", [RATIO] = "ratio",   [JOINTS] = "joints", [FRICTION] = "friction",
};

static const ki_joint_type *read_type(ki_sketch *s, const ki_item_reading *item) {
    const char *const *words = keel_joint_types();
    int count = 0, number;
    while (words[count])
        count++;
    if (!item->field[TYPE]) {
        KI_COMPLAIN(s->loader, item->entry->key_at,
                    "joint '%s' needs its type, such as 'type: revolute' (docs/joints.md lists them)",
                    item->name);
        return NULL;
    }
    return ki_sketch_word(s, item->field[TYPE], words, count, &number) ? ki_joint_type_of(words[number])
                                                                       : NULL;
}

/* Without `at`: points called like the joint, or, where the place does not matter, the second body's centre.
 */
static bool default_place(ki_sketch *s, const ki_item_reading *item, const ki_joint_type *type,
                          const int body[2], double at[2][3]) {
    bool found[2];
    for (int k = 0; k < 2; k++)
        found[k] = ki_sketch_find_place(s, item->name, body[k], at[k]);
    if (found[0] != found[1])
        memcpy(at[found[0]], at[!found[0]], sizeof at[0]);
    if (found[0] || found[1])
        return true;
    if (strcmp(type->word, "free") == 0 || strcmp(type->word, "fixed") == 0) {
        for (int k = 0; k < 2; k++)
            memcpy(at[k], s->mechanism->body[body[1]].centre, sizeof at[k]);
        return true;
    }
    KI_COMPLAIN(s->loader, item->entry->key_at,
                "joint '%s' needs its place: 'at: ...', or a point called '%s' on one of its bodies",
                item->name, item->name);
    return false;
}

/* One direction for both bodies, or a list of two. */
static bool read_directions(ki_sketch *s, const ki_yaml *value, const char *owner, double pair[2][3]) {
    bool two = value->kind == KI_YAML_LIST && value->count == 2 &&
               (value->first->kind == KI_YAML_LIST || value->last->kind == KI_YAML_LIST || !s->planar);
    if (two) {
        bool first = ki_sketch_direction(s, value->first, owner, pair[0]);
        return ki_sketch_direction(s, value->last, owner, pair[1]) && first;
    }
    bool good = ki_sketch_direction(s, value, owner, pair[0]);
    memcpy(pair[1], pair[0], sizeof pair[0]);
    return good;
}

/* In the space of the mechanism, or, for a type that does not exist there, in the other one. */
static const ki_joint_role *role_of(const ki_sketch *s, const ki_joint_type *type) {
    const ki_joint_role *first = s->planar ? type->planar : type->spatial;
    return first ? first : s->planar ? type->spatial : type->planar;
}

/* A number for each coordinate, or one for the first. */
static bool read_reading(ki_sketch *s, const ki_yaml *value, const ki_joint_type *type, const char *owner,
                         double reading[3]) {
    char names[80] = "";
    const ki_joint_role *role = role_of(s, type);
    if (value->kind != KI_YAML_LIST)
        return ki_sketch_number(s, value, owner, &reading[0]);
    if (value->count >= 1 && value->count <= role->coordinates)
        return ki_sketch_numbers(s, value, owner, value->count, reading);
    for (int k = 0; k < role->coordinates; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 role->coordinate_name[k]);
    KI_COMPLAIN(s->loader, value->at,
                "'reading' of '%s' has %d numbers, but the coordinates of a %s joint are %d (%s)", owner,
                value->count, type->word, role->coordinates, names);
    return false;
}

static bool read_friction(ki_sketch *s, const ki_yaml *map, keel_joint *joint) {
    enum { COUNT = 4 };
    static const char *const PARTS[COUNT] = {"viscous", "coulomb", "radius", "slip"};
    double *const number[COUNT] = {&joint->friction.viscous, &joint->friction.coulomb,
                                   &joint->friction.radius, &joint->friction.slip};
    const ki_yaml *field[COUNT];
    if (!ki_expect_map(s->loader, map, "viscous: 0.1, coulomb: 0.2, ...") ||
        !ki_sketch_fields(s, map, "in 'friction'", PARTS, COUNT, field))
        return false;
    for (int i = 0; i < COUNT; i++) {
        if (!ki_sketch_optional(s, field[i], joint->name, number[i]))
            return false;
        if (*number[i] < 0 || (i == 3 && *number[i] == 0)) {
            KI_COMPLAIN(s->loader, field[i]->at, "'%s' in the friction of '%s' is %g: it must %s", PARTS[i],
                        joint->name, *number[i], i == 3 ? "be positive" : "not be negative");
            return false;
        }
    }
    return true;
}

static bool read_numbers(ki_sketch *s, const ki_item_reading *item, const ki_joint_type *type,
                         keel_joint *joint) {
    const struct {
        int field;
        double *number;
    } PLAIN[] = {
        {LENGTH, &joint->length}, {PITCH, &joint->pitch}, {RADIUS, &joint->radius}, {RATIO, &joint->ratio}};
    bool good = true;
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++) {
        const ki_yaml *value = item->field[PLAIN[i].field];
        if (!ki_sketch_optional(s, value, item->name, PLAIN[i].number)) {
            good = false;
        } else if (value && (PLAIN[i].field == LENGTH || PLAIN[i].field == RADIUS) && *PLAIN[i].number <= 0) {
            KI_COMPLAIN(s->loader, value->at, "'%s' of '%s' is %g: it must be positive", value->key,
                        item->name, *PLAIN[i].number);
            good = false;
        }
    }
    if (item->field[READING])
        good = read_reading(s, item->field[READING], type, item->name, joint->reading) && good;
    if (item->field[FRICTION])
        good = read_friction(s, item->field[FRICTION], joint) && good;
    return good;
}

static void add(ki_sketch *s, const keel_joint *joint) {
    int number = keel_mechanism_add_joint(s->mechanism, joint, s->loader->diagnostics);
    if (number < 0)
        ki_loader_fail(s->loader, (keel_status)number);
}

static bool read_tie(ki_sketch *s, const ki_item_reading *item, const ki_joint_type *type,
                     keel_joint *joint) {
    if (!item->field[BODIES]) {
        KI_COMPLAIN(s->loader, item->entry->key_at, "joint '%s' needs its bodies, 'bodies: [ground, rod]'",
                    item->name);
        return false;
    }
    if (!ki_sketch_bodies(s, item->field[BODIES], item->name, joint->body))
        return false;
    bool good = item->field[AT] ? ki_sketch_places(s, item->field[AT], item->name, joint->body, joint->at)
                                : default_place(s, item, type, joint->body, joint->at);
    if (item->field[AXIS])
        good = read_directions(s, item->field[AXIS], item->name, joint->axis) && good;
    if (item->field[ACROSS])
        good = read_directions(s, item->field[ACROSS], item->name, joint->across) && good;
    return good;
}

static bool read_coupled(ki_sketch *s, const ki_item_reading *item, int joint[2]) {
    char name[KI_SKETCH_NAME], hint[KI_PART_HINT];
    const ki_yaml *list = item->field[JOINTS];
    if (!list || list->kind != KI_YAML_LIST || list->count != 2) {
        KI_COMPLAIN(s->loader, list ? list->at : item->entry->key_at,
                    "%s '%s' couples two joints: 'joints: [first, second]'", item->field[TYPE]->text,
                    item->name);
        return false;
    }
    int k = 0;
    for (const ki_yaml *entry = list->first; entry; entry = entry->next, k++) {
        if (!ki_expect_formula(s->loader, entry, "a joint of", item->name) ||
            !ki_sketch_name(s, entry->text, entry->formula_at, name))
            return false;
        joint[k] = keel_mechanism_find_joint(s->mechanism, name);
        if (joint[k] < 0) {
            KI_COMPLAIN(s->loader, entry->at, "there is no joint '%s', which '%s' names%s", name, item->name,
                        ki_hint(s->mechanism, KI_JOINT, name, hint));
            return false;
        }
    }
    return true;
}

static bool has_field(const ki_sketch *s, const ki_joint_type *type, int field) {
    switch (field) {
    case BODIES:
    case AT:
    case AXIS:
    case ACROSS:
        return !type->couples;
    case JOINTS:
        return type->couples;
    case LENGTH:
        return type->needs_length;
    case PITCH:
        return type->needs_pitch;
    case RADIUS:
        return type->needs_radius;
    case RATIO:
        return type->needs_ratio;
    case READING:
    case FRICTION:
        return role_of(s, type)->coordinates > 0;
    default:
        return true;
    }
}

/* Fields that the type would not use are mistakes. */
static bool check_fields(ki_sketch *s, const ki_item_reading *item, const ki_joint_type *type) {
    char has[160] = "";
    int wrong = FIELDS;
    for (int i = FIELDS - 1; i > TYPE; i--)
        if (item->field[i] && !has_field(s, type, i))
            wrong = i;
    if (wrong == FIELDS)
        return true;
    for (int i = TYPE + 1; i < FIELDS; i++)
        if (has_field(s, type, i))
            snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s", has[0] ? ", " : "", KEYS[i]);
    KI_COMPLAIN(s->loader, item->field[wrong]->key_at, "a %s joint has no '%s' ('%s'): it has %s%s",
                type->word, KEYS[wrong], item->name, has,
                wrong == RADIUS && item->field[FRICTION] ? "; the lever arm of friction stands in 'friction'"
                                                         : "");
    return false;
}

static void read_item(ki_sketch *s, const ki_item_reading *item) {
    const ki_joint_type *type = read_type(s, item);
    if (!type || !check_fields(s, item, type))
        return;
    keel_joint joint = keel_joint_default(item->name, type->word, KEEL_GROUND, KEEL_GROUND);
    joint.where = item->entry->key_at;
    bool good = type->couples ? read_coupled(s, item, joint.joint) : read_tie(s, item, type, &joint);
    if (read_numbers(s, item, type, &joint) && good)
        add(s, &joint);
}

/* Couplings name joints, which must be there before. */
static bool is_coupling(const ki_yaml *entry) {
    for (const ki_yaml *field = entry->first; field && field->key; field = field->next)
        if (strcmp(field->key, KEYS[TYPE]) == 0 && field->kind == KI_YAML_TEXT) {
            const ki_joint_type *type = ki_joint_type_of(field->text);
            return type && type->couples;
        }
    return false;
}

static void read_entry(ki_sketch *s, const ki_yaml *entry) {
    ki_item_reading item;
    if (ki_sketch_open(s, entry, "joint", KEYS, FIELDS, &item))
        read_item(s, &item);
}

void ki_read_joint(ki_sketch *s, const ki_yaml *entry) {
    if (!is_coupling(entry))
        read_entry(s, entry);
}

void ki_read_coupling(ki_sketch *s, const ki_yaml *entry) {
    if (is_coupling(entry))
        read_entry(s, entry);
}
