/* mechanism_bodies.c - the section `bodies`. */
#include <string.h>

#include "modelfile/mechanism.h"

enum { BODY_POINTS = KI_MATTER_FIELDS, BODY_PARTS, BODY_FIELDS };
enum { PART_AT = KI_MATTER_FIELDS, PART_FIELDS };

/* ---- points ---------------------------------------------------------------------------------------------
 */

/* One name of a list of places of the drawing, or an entry of a map of places. */
static bool read_own_point(ki_sketch *s, const ki_yaml *value, const char *owner, ki_own_point *point) {
    char name[KI_SKETCH_NAME], hint[KI_PART_HINT];
    const char *text = value->key ? value->key : value->text;
    point->where = value->key ? value->key_at : value->at;
    if (!value->key && !ki_expect_formula(s->loader, value, "the name of a point of", owner))
        return false;
    if (!ki_sketch_name(s, text, point->where, name))
        return false;
    point->name = ki_arena_text(s->loader->arena, name, strlen(name));
    if (!point->name) {
        ki_loader_fail(s->loader, KEEL_ERROR_MEMORY);
        return false;
    }
    if (value->key)
        return ki_sketch_place(s, value, name, -1, point->at);
    int place = ki_find_point(s->drawing, KEEL_GROUND, name, (int)strlen(name));
    if (place >= 0)
        memcpy(point->at, s->drawing->point[place].at, sizeof point->at);
    else
        KI_COMPLAIN(s->loader, value->at, "there is no point '%s' at the top level, which '%s' names%s", name,
                    owner, ki_hint(s->drawing, KI_POINT, name, hint));
    return place >= 0;
}

/* Points that are read may be used by those that follow. */
static bool read_points(ki_sketch *s, const ki_yaml *section, const char *owner) {
    if (section->kind == KI_YAML_TEXT) {
        KI_COMPLAIN(s->loader, section->at,
                    "'points' of '%s' must be a map (name: place) or a list of points, not a single value",
                    owner);
        return false;
    }
    ki_own_point *own = KI_NEW(s->loader->arena, ki_own_point, section->count);
    bool good = own != NULL;
    if (!own)
        ki_loader_fail(s->loader, KEEL_ERROR_MEMORY);
    s->own = own;
    for (const ki_yaml *entry = section->first; own && entry; entry = entry->next) {
        if (read_own_point(s, entry, owner, &own[s->own_count]))
            s->own_count++;
        else
            good = false;
    }
    return good;
}

static void add_points(ki_sketch *s, int body) {
    for (int i = 0; i < s->own_count; i++) {
        int status = keel_mechanism_add_point(s->mechanism, s->own[i].name, body, s->own[i].at,
                                              s->own[i].where, s->loader->diagnostics);
        if (status < 0)
            ki_loader_fail(s->loader, (keel_status)status);
    }
}

static void add_shapes(ki_sketch *s, int body) {
    for (const ki_look *look = s->looks; look; look = look->next)
        ki_loader_fail(s->loader, keel_mechanism_add_shape(s->mechanism, body, &look->shape));
}

/* ---- mass, centre, inertia ------------------------------------------------------------------------------
 */

/* `inertia`: planar one formula, else [xx, yy, zz] or [xx, yy, zz, xy, yz, zx]; in `axes`. */
static bool read_inertia(ki_sketch *s, const ki_yaml *value, const ki_yaml *axes, const char *owner,
                         double inertia[6]) {
    double given[6] = {0}, R[9];
    if (s->planar && value->kind != KI_YAML_TEXT) {
        KI_COMPLAIN(s->loader, value->at,
                    "'inertia' of '%s' must be one formula in a planar mechanism: that about z", owner);
        return false;
    }
    if (s->planar)
        return ki_sketch_number(s, value, owner, &inertia[2]);
    if (value->kind != KI_YAML_LIST || (value->count != 3 && value->count != 6)) {
        KI_COMPLAIN(s->loader, value->at,
                    "'inertia' of '%s' must be a list [xx, yy, zz] or [xx, yy, zz, xy, yz, zx]", owner);
        return false;
    }
    if (!ki_sketch_numbers(s, value, owner, value->count, given))
        return false;
    if (!axes) {
        memcpy(inertia, given, sizeof given);
        return true;
    }
    if (!ki_read_axes(s, axes, owner, R))
        return false;
    ki_turn_inertia(R, given, inertia);
    return true;
}

/* Fields that only say something of a shape. */
static bool refuse_shape_fields(ki_sketch *s, const ki_yaml *const *field, const char *owner) {
    static const ki_matter_field ONLY[] = {KI_DENSITY, KI_FROM, KI_TO, KI_RADIUS, KI_SIZE, KI_THICKNESS};
    for (size_t i = 0; i < sizeof ONLY / sizeof *ONLY; i++)
        if (field[ONLY[i]]) {
            KI_COMPLAIN(s->loader, field[ONLY[i]]->key_at,
                        "'%s' of '%s' wants a 'shape': rod, cylinder, sphere, box or plate",
                        ki_matter_keys[ONLY[i]], owner);
            return false;
        }
    return true;
}

/* Mass, centre and inertia as numbers; the place of the centre is `centre` or, of a point mass, `at`. */
static bool read_numbers(ki_sketch *s, const ki_yaml *map, const char *owner, const ki_yaml *const *field,
                         const ki_yaml *centre, ki_matter *matter) {
    keel_location here = map->key ? map->key_at : map->at;
    if (!refuse_shape_fields(s, field, owner))
        return false;
    if (field[KI_INERTIA] && !field[KI_MASS]) {
        KI_COMPLAIN(s->loader, field[KI_INERTIA]->key_at, "'%s' has an inertia but no mass", owner);
        return false;
    }
    if (field[KI_MASS] && !centre) {
        KI_COMPLAIN(s->loader, here, "'%s' has a mass but no 'centre'", owner);
        return false;
    }
    bool good = !field[KI_MASS] || ki_read_mass(s, field[KI_MASS], owner, &matter->mass);
    good = (!centre || ki_sketch_place(s, centre, owner, -1, matter->centre)) && good;
    return (!field[KI_INERTIA] ||
            read_inertia(s, field[KI_INERTIA], field[KI_AXES], owner, matter->inertia)) &&
           good;
}

static bool read_part(ki_sketch *s, const ki_yaml *part, const char *owner, ki_matter *matter) {
    const char *keys[PART_FIELDS];
    const ki_yaml *field[PART_FIELDS];
    memcpy(keys, ki_matter_keys, sizeof ki_matter_keys);
    keys[PART_AT] = "at";
    if (part->kind != KI_YAML_MAP) {
        KI_COMPLAIN(s->loader, part->at,
                    "a part of '%s' must be a map {shape: ...} or {mass: ..., at: place}, not %s", owner,
                    ki_yaml_kind_word(part->kind));
        return false;
    }
    if (!ki_sketch_fields(s, part, "of a part of a body", keys, PART_FIELDS, field))
        return false;
    if (field[KI_SHAPE])
        return ki_read_shape(s, part, owner, field, matter);
    if (!field[KI_MASS]) {
        KI_COMPLAIN(s->loader, part->at, "a part of '%s' has no mass", owner);
        return false;
    }
    if (!read_numbers(s, part, owner, field, field[PART_AT] ? field[PART_AT] : field[KI_CENTRE], matter))
        return false;
    keel_shape mass = {.kind = KEEL_SHAPE_MASS};
    memcpy(mass.at, matter->centre, sizeof mass.at);
    ki_sketch_look(s, &mass);
    return true;
}

static bool read_parts(ki_sketch *s, const ki_yaml *parts, const char *owner, ki_matter *sum) {
    bool good = true;
    if (parts->kind != KI_YAML_LIST || parts->count == 0) {
        KI_COMPLAIN(s->loader, parts->at, "'parts' of '%s' must be a list of shapes and point masses", owner);
        return false;
    }
    for (const ki_yaml *part = parts->first; part; part = part->next) {
        ki_matter matter = {0};
        if (read_part(s, part, owner, &matter))
            ki_add_matter(&matter, sum);
        else
            good = false;
    }
    return good;
}

static bool read_matter(ki_sketch *s, const ki_item_reading *item, ki_matter *matter) {
    const ki_yaml *parts = item->field[BODY_PARTS];
    for (int i = 0; parts && i < KI_MATTER_FIELDS; i++)
        if (item->field[i]) {
            KI_COMPLAIN(s->loader, item->field[i]->key_at,
                        "'%s' of body '%s' stands beside 'parts': make it one of the parts",
                        ki_matter_keys[i], item->name);
            return false;
        }
    if (parts)
        return read_parts(s, parts, item->name, matter);
    if (item->field[KI_SHAPE])
        return ki_read_shape(s, item->entry, item->name, item->field, matter);
    return read_numbers(s, item->entry, item->name, item->field, item->field[KI_CENTRE], matter);
}

/* A massless body needs a reference point near it: the middle of its points. */
static void place_massless(const ki_sketch *s, const ki_item_reading *item, ki_matter *matter) {
    if (matter->mass > 0 || item->field[KI_CENTRE] || s->own_count == 0)
        return;
    for (int i = 0; i < s->own_count; i++)
        for (int k = 0; k < 3; k++)
            matter->centre[k] += s->own[i].at[k] / s->own_count;
}

/* ---- bodies ---------------------------------------------------------------------------------------------
 */

static void read_ground(ki_sketch *s, const ki_item_reading *item) {
    for (int i = 0; i < BODY_FIELDS; i++)
        if (item->field[i] && i != BODY_POINTS) {
            KI_COMPLAIN(s->loader, item->field[i]->key_at,
                        "'ground' does not move: it has points, but no '%s'", item->field[i]->key);
            return;
        }
    add_points(s, KEEL_GROUND);
}

static void read_item(ki_sketch *s, const ki_item_reading *item) {
    ki_matter matter = {0};
    const ki_yaml *points = item->field[BODY_POINTS];
    bool good = !points || read_points(s, points, item->name);
    if (strcmp(item->name, "ground") == 0) {
        if (good)
            read_ground(s, item);
        return;
    }
    if (!read_matter(s, item, &matter) || !good)
        return;
    place_massless(s, item, &matter);
    keel_body body = keel_body_default(item->name);
    body.where = item->entry->key_at;
    body.mass = matter.mass;
    memcpy(body.centre, matter.centre, sizeof body.centre);
    memcpy(body.inertia, matter.inertia, sizeof body.inertia);
    int number = keel_mechanism_add_body(s->mechanism, &body, s->loader->diagnostics);
    if (number < 0)
        ki_loader_fail(s->loader, (keel_status)number);
    if (number > 0) {
        add_points(s, number);
        add_shapes(s, number);
    }
}

/* A body with a mistake still stands for itself, so that those who name it are not called wrong. */
static void add_stand_in(ki_sketch *s, const char *name) {
    keel_body body = keel_body_default(name);
    if (keel_mechanism_find_body(s->mechanism, name) >= 0)
        return;
    int number = keel_mechanism_add_body(s->mechanism, &body, NULL);
    for (int i = 0; i < s->own_count && number > 0; i++)
        keel_mechanism_add_point(s->mechanism, s->own[i].name, number, s->own[i].at, s->own[i].where, NULL);
}

void ki_read_body(ki_sketch *s, const ki_yaml *entry) {
    const char *keys[BODY_FIELDS];
    ki_item_reading item = {.name = ""};
    memcpy(keys, ki_matter_keys, sizeof ki_matter_keys);
    keys[BODY_POINTS] = "points";
    keys[BODY_PARTS] = "parts";
    if (ki_sketch_open(s, entry, "body", keys, BODY_FIELDS, &item))
        read_item(s, &item);
    if (s->loader->status != KEEL_OK)
        add_stand_in(s, item.name);
    s->own = NULL;
    s->own_count = 0;
    s->looks = NULL;
}
