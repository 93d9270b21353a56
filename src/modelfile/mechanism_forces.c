/* mechanism_forces.c - the section `forces`. */
#include <stdio.h>
#include <string.h>

#include "modelfile/mechanism.h"

enum { TYPE, BETWEEN, BODIES, BODY, JOINT, AT, STIFFNESS, DAMPING, FREE, LAW, VECTOR, VALUE, AXES, FIELDS };
static const char *const KEYS[FIELDS] = {
    [TYPE] = "type",     [BETWEEN] = "between",     [BODIES] = "bodies",   [BODY] = "body", [JOINT] = "joint",
    [AT] = "at",         [STIFFNESS] = "stiffness", [DAMPING] = "damping", [FREE] = "free", [LAW] = "law",
    [VECTOR] = "vector", [VALUE] = "value",         [AXES] = "axes",
};

static bool complain_needs(ki_sketch *s, const ki_item_reading *item, const char *what) {
    KI_COMPLAIN(s->loader, item->entry->key_at, "%s '%s' needs %s", item->field[TYPE]->text, item->name,
                what);
    return false;
}

/* A damping that is negative would drive the motion. */
static bool check_damping(ki_sketch *s, const ki_yaml *value, const char *owner, double damping) {
    if (value && damping < 0)
        KI_COMPLAIN(s->loader, value->at, "'damping' of '%s' is %g: it must not be negative", owner, damping);
    return !value || damping >= 0;
}

/* A field that does not go with the others: "a torque on a joint has only ..." */
static bool complain_not(ki_sketch *s, const ki_item_reading *item, int field, const char *instead) {
    KI_COMPLAIN(s->loader, item->field[field]->key_at, "%s '%s' cannot have '%s': a %s on %s",
                item->field[TYPE]->text, item->name, KEYS[field], item->field[TYPE]->text, instead);
    return false;
}

/* stiffness, damping and free, or a law. */
static bool read_law(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    const ki_yaml *const *field = item->field;
    if (!field[LAW] && !field[STIFFNESS] && !field[DAMPING])
        return complain_needs(s, item, "'stiffness' or 'damping', or a 'law'");
    for (int i = STIFFNESS; field[LAW] && i <= FREE; i++)
        if (field[i]) {
            KI_COMPLAIN(s->loader, field[i]->key_at,
                        "'%s' of '%s' stands beside 'law', which tells the whole force", KEYS[i], item->name);
            return false;
        }
    if (field[LAW])
        return ki_sketch_formula(s, field[LAW], item->name, &force->law);
    bool stiffness = ki_sketch_optional(s, field[STIFFNESS], item->name, &force->stiffness);
    bool damping = ki_sketch_optional(s, field[DAMPING], item->name, &force->damping) &&
                   check_damping(s, field[DAMPING], item->name, force->damping);
    return ki_sketch_optional(s, field[FREE], item->name, &force->free) && stiffness && damping;
}

static bool read_spring(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    const ki_yaml *between = item->field[BETWEEN];
    bool good;
    if (between && (item->field[BODIES] || item->field[AT])) {
        KI_COMPLAIN(s->loader, between->key_at, "spring '%s' has 'between' as well as 'bodies' and 'at'",
                    item->name);
        return false;
    }
    if (between && (between->kind != KI_YAML_LIST || between->count != 2)) {
        KI_COMPLAIN(s->loader, between->at,
                    "'between' of '%s' must be a list of two points, such as [ground.C, plate.D]",
                    item->name);
        return false;
    }
    if (between) {
        good = ki_sketch_body_point(s, between->first, item->name, &force->body[0], force->at[0]);
        good = ki_sketch_body_point(s, between->last, item->name, &force->body[1], force->at[1]) && good;
    } else if (item->field[BODIES] && item->field[AT]) {
        good = ki_sketch_bodies(s, item->field[BODIES], item->name, force->body) &&
               ki_sketch_places(s, item->field[AT], item->name, force->body, force->at);
    } else {
        return complain_needs(s, item, "'between: [point, point]'");
    }
    return read_law(s, item, force) && good;
}

/* The coordinate of a joint that a force acts on: "hinge" or "hinge.angle"; the text lives in the arena. */
static bool read_joint(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    char name[KI_SKETCH_NAME], hint[KI_PART_HINT];
    const ki_yaml *value = item->field[JOINT];
    int number;
    if (!value)
        return complain_needs(s, item, "its 'joint'");
    if (!ki_expect_formula(s->loader, value, "the joint of", item->name) ||
        !ki_sketch_name(s, value->text, value->formula_at, name))
        return false;
    const char *dot = strrchr(name, '.');
    int length = dot ? (int)(dot - name) : (int)strlen(name);
    if (ki_find_part(s->mechanism, name, length, &number) != KI_JOINT) {
        name[length] = '\0';
        KI_COMPLAIN(s->loader, value->at, "there is no joint '%s', which '%s' names%s", name, item->name,
                    ki_hint(s->mechanism, KI_JOINT, name, hint));
        return false;
    }
    force->joint = ki_arena_text(s->loader->arena, name, strlen(name));
    if (!force->joint)
        ki_loader_fail(s->loader, KEEL_ERROR_MEMORY);
    return force->joint != NULL;
}

static bool read_torsion(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    bool good = read_joint(s, item, force);
    return read_law(s, item, force) && good;
}

/* In the plane forces have no z, torques no x and y. */
static bool check_plane(ki_sketch *s, const ki_yaml *entry, const char *owner, bool torque, int k) {
    if (!s->planar || torque == (k == 2) || ki_sketch_is_zero(s, entry))
        return true;
    KI_COMPLAIN(s->loader, entry->at,
                "component %c of 'vector' of '%s' must be 0: the mechanism is planar, and %s", "xyz"[k],
                owner, torque ? "torques are about z" : "forces are in x and y");
    return false;
}

static bool read_components(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    static const char *const WORDS[] = {"world", "body"};
    const ki_yaml *list = item->field[VECTOR];
    int k = 0;
    bool torque = force->kind == KEEL_FORCE_TWIST;
    int least = s->planar && !torque ? 2 : 3;
    if (list->kind != KI_YAML_LIST || list->count < least || list->count > 3) {
        KI_COMPLAIN(s->loader, list->at, "'vector' of '%s' must be a list of %d formulas", item->name, least);
        return false;
    }
    for (const ki_yaml *entry = list->first; entry; entry = entry->next, k++)
        if (!ki_sketch_formula(s, entry, item->name, &force->component[k]) ||
            !check_plane(s, entry, item->name, torque, k))
            return false;
    return !item->field[AXES] || ki_sketch_word(s, item->field[AXES], WORDS, 2, &force->in_body_axes);
}

/* A force, or a torque, along the coordinate of a joint. */
static bool read_along_joint(ki_sketch *s, const ki_item_reading *item, keel_force *force, const char *what) {
    const ki_yaml *const *field = item->field;
    int other = field[VECTOR] ? VECTOR : field[AXES] ? AXES : field[AT] ? AT : FIELDS;
    char needs[80];
    if (other < FIELDS)
        return complain_not(s, item, other, "a joint has only 'value: formula'");
    snprintf(needs, sizeof needs, "its 'value', a formula of the %s along the coordinate", what);
    if (!field[VALUE])
        return complain_needs(s, item, needs);
    force->kind = KEEL_FORCE_TWIST;
    return read_joint(s, item, force) && ki_sketch_formula(s, field[VALUE], item->name, &force->component[0]);
}

static bool read_push(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    if (item->field[JOINT] && item->field[BODY])
        return complain_needs(s, item, "either its 'body' or its 'joint'");
    if (item->field[JOINT])
        return read_along_joint(s, item, force, "force");
    if (!item->field[BODY] || !item->field[VECTOR])
        return complain_needs(s, item, item->field[BODY] ? "'vector: [x, y, z]'" : "its 'body'");
    if (!ki_sketch_body(s, item->field[BODY], item->name, &force->body[1]))
        return false;
    memcpy(force->at[1], s->mechanism->body[force->body[1]].centre, sizeof force->at[1]);
    bool good =
        !item->field[AT] || ki_sketch_place(s, item->field[AT], item->name, force->body[1], force->at[1]);
    memcpy(force->at[0], force->at[1], sizeof force->at[0]);
    return read_components(s, item, force) && good;
}

/* On a joint; on a body in the plane; on a body in space. */
static bool read_twist(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    const ki_yaml *const *field = item->field;
    if (!field[JOINT] == !field[BODY])
        return complain_needs(s, item, "either its 'body' or its 'joint'");
    if (field[JOINT])
        return read_along_joint(s, item, force, "torque");
    if (!ki_sketch_body(s, field[BODY], item->name, &force->body[1]))
        return false;
    if (field[VALUE] && (field[VECTOR] || !s->planar))
        return complain_not(s, item, VALUE,
                            s->planar ? "a body has either 'value' or 'vector'"
                                      : "a body in space has 'vector: [x, y, z]'");
    if (field[VECTOR])
        return read_components(s, item, force);
    if (!field[VALUE])
        return complain_needs(s, item, s->planar ? "its 'value', a formula" : "its 'vector: [x, y, z]'");
    if (field[AXES])
        return complain_not(s, item, AXES, "a body in the plane has only 'value: formula'");
    return ki_sketch_formula(s, field[VALUE], item->name, &force->component[2]);
}

/* 6 x 6 from a diagonal of 6 (planar 3: x, y, angle) or from as many rows. */
static bool read_matrix(ki_sketch *s, const ki_yaml *value, const char *owner, double M[36]) {
    static const int SPATIAL[] = {0, 1, 2, 3, 4, 5}, PLANAR[] = {0, 1, 5};
    const int *place = s->planar ? PLANAR : SPATIAL;
    int n = s->planar ? 3 : 6, i = 0;
    double numbers[6];
    bool rows = value->kind == KI_YAML_LIST && value->first && value->first->kind == KI_YAML_LIST;
    if (value->kind != KI_YAML_LIST || value->count != n) {
        KI_COMPLAIN(s->loader, value->at, "'%s' of '%s' must be a list of %d numbers (%s) or %d rows of %d",
                    value->key, owner, n, s->planar ? "x, y, angle" : "along x, y, z, about x, y, z", n, n);
        return false;
    }
    if (!rows) {
        if (!ki_sketch_numbers(s, value, owner, n, numbers))
            return false;
        for (int k = 0; k < n; k++)
            M[7 * place[k]] = numbers[k];
        return true;
    }
    for (const ki_yaml *row = value->first; row; row = row->next, i++) {
        if (!ki_sketch_numbers(s, row, owner, n, numbers))
            return false;
        for (int k = 0; k < n; k++)
            M[6 * place[i] + place[k]] = numbers[k];
    }
    return true;
}

static bool read_bushing(ki_sketch *s, const ki_item_reading *item, keel_force *force) {
    const ki_yaml *const *field = item->field;
    if (!field[BODIES] || !field[AT])
        return complain_needs(s, item, "'bodies: [A, B]' and 'at: place'");
    if (!field[STIFFNESS] && !field[DAMPING])
        return complain_needs(s, item, "'stiffness' or 'damping'");
    bool good = ki_sketch_bodies(s, field[BODIES], item->name, force->body) &&
                ki_sketch_places(s, field[AT], item->name, force->body, force->at);
    good = (!field[STIFFNESS] || read_matrix(s, field[STIFFNESS], item->name, force->K)) && good;
    good = (!field[DAMPING] || read_matrix(s, field[DAMPING], item->name, force->C)) && good;
    for (int i = 0; i < 36 && good; i += 7)
        good = check_damping(s, field[DAMPING], item->name, force->C[i]);
    return good;
}

enum { KINDS = 5 };
static const char *const KIND_WORDS[KINDS] = {"spring", "torsion", "force", "torque", "bushing"};
static const struct {
    keel_force_kind kind;
    bool (*read)(ki_sketch *s, const ki_item_reading *item, keel_force *force);
    unsigned fields; /* besides type */
} KIND[KINDS] = {
    {KEEL_FORCE_SPRING, read_spring,
     1u << BETWEEN | 1u << BODIES | 1u << AT | 1u << STIFFNESS | 1u << DAMPING | 1u << FREE | 1u << LAW},
    {KEEL_FORCE_TORSION, read_torsion,
     1u << JOINT | 1u << STIFFNESS | 1u << DAMPING | 1u << FREE | 1u << LAW},
    {KEEL_FORCE_PUSH, read_push,
     1u << BODY | 1u << JOINT | 1u << AT | 1u << VECTOR | 1u << VALUE | 1u << AXES},
    {KEEL_FORCE_TWIST, read_twist, 1u << BODY | 1u << JOINT | 1u << VECTOR | 1u << VALUE | 1u << AXES},
    {KEEL_FORCE_BUSHING, read_bushing, 1u << BODIES | 1u << AT | 1u << STIFFNESS | 1u << DAMPING},
};

static bool check_fields(ki_sketch *s, const ki_item_reading *item, int kind) {
    bool good = true;
    for (int i = TYPE + 1; i < FIELDS; i++)
        if (item->field[i] && !(KIND[kind].fields & 1u << i)) {
            KI_COMPLAIN(s->loader, item->field[i]->key_at, "a %s has no '%s' ('%s')", KIND_WORDS[kind],
                        KEYS[i], item->name);
            good = false;
        }
    return good;
}

void ki_read_force(ki_sketch *s, const ki_yaml *entry) {
    ki_item_reading item;
    int kind;
    if (!ki_sketch_open(s, entry, "force", KEYS, FIELDS, &item))
        return;
    if (!item.field[TYPE]) {
        KI_COMPLAIN(s->loader, entry->key_at,
                    "force '%s' needs its type: spring, torsion, force, torque or bushing", item.name);
        return;
    }
    if (!ki_sketch_word(s, item.field[TYPE], KIND_WORDS, KINDS, &kind) || !check_fields(s, &item, kind))
        return;
    keel_force force = keel_force_default(item.name, KIND[kind].kind);
    force.where = entry->key_at;
    if (!KIND[kind].read(s, &item, &force))
        return;
    int number = keel_mechanism_add_force(s->mechanism, &force, s->loader->diagnostics);
    if (number < 0)
        ki_loader_fail(s->loader, (keel_status)number);
}
