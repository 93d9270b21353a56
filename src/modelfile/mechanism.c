/* mechanism.c - a mechanism: its settings, then its parts, kind by kind, with repeat blocks expanded. */
#include "modelfile/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/quota.h"

/* In the order of reading. */
static const struct {
    const char *key;
    void (*read)(ki_sketch *s, const ki_yaml *entry);
    const char *written; /* how its map is written */
} KINDS[] = {
    {"points", ki_read_point, "name: place"},
    {"bodies", ki_read_body, "name: {mass: ..., centre: ...}"},
    {"joints", ki_read_joint, "name: {type: ..., bodies: [A, B]}"},
    {"joints", ki_read_coupling, "name: {type: ..., bodies: [A, B]}"},
    {"inputs", ki_read_input, "name: value until it is set"},
    {"states", ki_read_state, "name: {start: formula, rate: formula}"},
    {"definitions", ki_read_definition, "name: formula"},
    {"forces", ki_read_force, "name: {type: ...}"},
    {"motions", ki_read_motion, "name: {of: quantity, value: formula}"},
    {"start", ki_read_start, "quantity: value"},
    {"outputs", ki_read_output, "name: formula"},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

int ki_mechanism_keys(const char *keys[KI_MAX_KEYS]) {
    static const char *const KEYS[] = {"bodies",      "joints",    "points",  "forces",     "motions",
                                       "start",       "planar",    "gravity", "inputs",     "states",
                                       "definitions", "precision", "repeat",  "coordinates"};
    memcpy(keys, KEYS, sizeof KEYS);
    return (int)(sizeof KEYS / sizeof *KEYS);
}

static const ki_yaml *find(const ki_yaml *map, const char *key) {
    for (const ki_yaml *entry = map->first; entry; entry = entry->next)
        if (strcmp(entry->key, key) == 0)
            return entry;
    return NULL;
}

/* ---- the form of repeat blocks, looked at once ----------------------------------------------------------
 */

static void check_sections(ki_sketch *s, const ki_yaml *map);

static void check_block(void *user, const ki_yaml *map) {
    static const char *const KEYS[] = {"for",   "points", "bodies",  "joints",      "forces", "motions",
                                       "start", "states", "outputs", "definitions", "repeat", "inputs"};
    enum { COUNT = sizeof KEYS / sizeof *KEYS };
    ki_sketch *s = user;
    const ki_yaml *field[COUNT], *range = ki_block_range(s->loader, map);
    const char *from, *to;
    for (const ki_yaml *variable = range ? range->first : NULL; variable; variable = variable->next)
        ki_split_range(s->loader, variable, &from, &to);
    ki_sketch_fields(s, map, "in 'repeat'", KEYS, COUNT, field);
    check_sections(s, map);
}

static void check_output_block(void *user, const ki_yaml *map) {
    ki_sketch *s = user;
    const ki_yaml *range = ki_block_range(s->loader, map), *inner = find(map, "repeat");
    const char *from, *to;
    for (const ki_yaml *variable = range ? range->first : NULL; variable; variable = variable->next)
        ki_split_range(s->loader, variable, &from, &to);
    if (inner)
        ki_each_block(s->loader, inner, check_output_block, s);
}

static void check_sections(ki_sketch *s, const ki_yaml *map) {
    const ki_yaml *repeat = find(map, "repeat"), *outputs = find(map, "outputs");
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const ki_yaml *section = find(map, KINDS[kind].key);
        if (section && KINDS[kind].read != ki_read_coupling)
            ki_expect_map(s->loader, section, KINDS[kind].written);
    }
    if (outputs && outputs->kind == KI_YAML_MAP && find(outputs, "repeat"))
        ki_each_block(s->loader, find(outputs, "repeat"), check_output_block, s);
    if (repeat)
        ki_each_block(s->loader, repeat, check_block, s);
}

/* ---- passes of repeat blocks ----------------------------------------------------------------------------
 */

/* One kind of part, in one map. */
typedef struct reading {
    ki_sketch *s;
    int kind;
    bool is_section; /* the map holds the parts themselves, not sections: a block inside of `outputs` */
    bool counting;   /* nothing is read, only passes are counted */
} reading;

static void read_map(reading *r, const ki_yaml *map);

/* The value of one end of a range; a whole number. */
static bool read_bound(ki_sketch *s, const ki_yaml *variable, const char *text, double *bound) {
    static const double ROUNDING = 1e-9; /* of a whole number that was computed, such as 0.3/0.1 */
    char brief[KI_BRIEF];
    ki_yaml value = *variable;
    value.text = value.formula = text;
    if (!ki_sketch_number(s, &value, variable->key, bound))
        return false;
    double whole = round(*bound);
    if (fabs(whole) >= 1e9 || fabs(*bound - whole) > ROUNDING * fmax(1, fabs(whole))) {
        KI_COMPLAIN(s->loader, variable->formula_at,
                    "the range of '%s' must be whole numbers below 1e9, not %g",
                    ki_brief(variable->key, brief), *bound);
        return false;
    }
    *bound = whole;
    return true;
}

static bool open_variable(ki_sketch *s, const ki_yaml *variable) {
    char brief[KI_BRIEF], name[KI_SKETCH_NAME];
    const char *text = variable->key, *why = NULL;
    if (s->variables == KI_SKETCH_VARIABLES)
        why = "is one too many: repeat blocks are nested too deeply";
    else if (!ki_sketch_is_name(s, text, name) || strpbrk(text, ".[ "))
        why = "cannot be the variable of a repeat block";
    else if (ki_sketch_is_number_name(s, text))
        why = "is the variable of a repeat block and also a parameter or an outer variable";
    for (const char *const *word = ki_reserved_names(); *word && !why; word++)
        if (strcmp(*word, text) == 0)
            why = "is a word of the language: it cannot be the variable of a repeat block";
    if (why)
        KI_COMPLAIN(s->loader, variable->key_at, "'%s' %s", ki_brief(text, brief), why);
    else
        s->variable[s->variables++] = text;
    return !why;
}

static bool too_many(ki_sketch *s, const ki_yaml *variable, double more) {
    char brief[KI_BRIEF];
    double most = ki_quota_limit(KI_QUOTA_PASSES);
    if (s->passes + more <= most)
        return false;
    KI_COMPLAIN(s->loader, variable->formula_at,
                "blocks are repeated more than %.0f times: is the range of '%s' right? " KI_QUOTA_ADVICE,
                most, ki_brief(variable->key, brief));
    return true;
}

/* Blocks inside of a block. */
static bool has_blocks(const ki_yaml *map) {
    const ki_yaml *outputs = find(map, "outputs");
    return find(map, "repeat") || (outputs && outputs->kind == KI_YAML_MAP && find(outputs, "repeat"));
}

static void read_pass(reading *r, const ki_yaml *variable, const ki_yaml *map);

static void read_range(reading *r, const ki_yaml *variable, const ki_yaml *map) {
    ki_sketch *s = r->s;
    const char *from_text, *to_text;
    double from, to;
    if (!ki_split_range(s->loader, variable, &from_text, &to_text) ||
        !read_bound(s, variable, from_text, &from) || !read_bound(s, variable, to_text, &to) ||
        too_many(s, variable, to - from + 1) || !open_variable(s, variable)) {
        s->stopped = true;
        return;
    }
    int before = s->loader->problems;
    if (r->counting && !variable->next && !has_blocks(map)) {
        s->passes += (int)fmax(0, to - from + 1);
        to = from - 1;
    }
    for (double i = from; i <= to && s->loader->problems == before; i++) {
        s->passes++;
        s->value[s->variables - 1] = i;
        read_pass(r, variable->next, map);
    }
    s->stopped = s->stopped || s->loader->problems != before; /* what it did not make others would miss */
    s->variables--;
}

/* The remaining variables of a block, then what stands in it. A problem ends the passes: the others would
 * only repeat it. */
static void read_pass(reading *r, const ki_yaml *variable, const ki_yaml *map) {
    if (variable)
        read_range(r, variable, map);
    else
        read_map(r, map);
}

static void read_block(void *user, const ki_yaml *map) {
    reading *r = user;
    const ki_yaml *range = ki_block_range(r->s->loader, map);
    if (range)
        read_range(r, range->first, map);
}

static void read_section(reading *r, const ki_yaml *section) {
    bool outputs = KINDS[r->kind].read == ki_read_output;
    for (const ki_yaml *entry = section->first; entry; entry = entry->next) {
        reading inner = {r->s, r->kind, true, r->counting};
        if (outputs && strcmp(entry->key, "repeat") == 0)
            ki_each_block(r->s->loader, entry, read_block, &inner);
        else if (!r->counting && (!r->is_section || strcmp(entry->key, "for") != 0))
            KINDS[r->kind].read(r->s, entry);
    }
}

static void read_map(reading *r, const ki_yaml *map) {
    if (r->is_section) {
        read_section(r, map);
        return;
    }
    const ki_yaml *section = find(map, KINDS[r->kind].key), *repeat = find(map, "repeat");
    if (section && section->kind == KI_YAML_MAP)
        read_section(r, section);
    if (repeat)
        ki_each_block(r->s->loader, repeat, read_block, r);
}

/* ---- settings -------------------------------------------------------------------------------------------
 */

static bool read_planar(ki_sketch *s, const ki_yaml *value) {
    static const char *const WORDS[] = {"false", "true"};
    int planar = 0;
    if (value && !ki_sketch_word(s, value, WORDS, 2, &planar))
        return false;
    s->planar = planar;
    keel_mechanism_set_planar(s->mechanism, planar);
    return true;
}

/* [x, y, z], or one number: downwards, which is -y in a plane and -z in space. */
static void read_gravity(ki_sketch *s, const ki_yaml *value) {
    double gravity[3] = {0}, g;
    bool good;
    if (!value)
        return;
    if (value->kind == KI_YAML_LIST) {
        good = ki_sketch_numbers(s, value, "the mechanism", s->planar && value->count != 3 ? 2 : 3, gravity);
        if (good && s->planar && gravity[2] != 0) {
            KI_COMPLAIN(
                s->loader, value->last->at,
                "component z of 'gravity' must be 0: the mechanism is planar, and gravity is in x and "
                "y");
            good = false;
        }
    } else {
        good = ki_sketch_number(s, value, "the mechanism", &g);
        if (good)
            gravity[s->planar ? 1 : 2] = -g;
    }
    if (good)
        keel_mechanism_set_gravity(s->mechanism, gravity);
}

static void read_coordinates(ki_sketch *s, const ki_yaml *value) {
    static const char *const WORDS[] = {"auto", "relative", "absolute"};
    int coordinates;
    if (value && ki_sketch_word(s, value, WORDS, 3, &coordinates))
        keel_mechanism_set_coordinates(s->mechanism, (keel_coordinates)coordinates);
}

/* One of the precisions: a number that is not too large to tell a mechanism from another. */
static bool read_digits(ki_sketch *s, const ki_yaml *value, double *precision) {
    char brief[KI_BRIEF];
    double number;
    if (!ki_sketch_number(s, value, "the mechanism", &number))
        return false;
    if (number >= 0 && number <= KEEL_PRECISION_MOST) {
        *precision = number;
        return true;
    }
    bool digits = number >= 3 && number <= 15 && number == round(number);
    char meant[48] = "";
    if (digits)
        snprintf(meant, sizeof meant, "; for %.0f digits write 1e-%.0f", number, number);
    KI_COMPLAIN(s->loader, value->formula_at,
                "'%s' must be between 0 (to round-off) and %g, not %g: it tells how well %s%s",
                ki_brief(value->key, brief), KEEL_PRECISION_MOST, number,
                strcmp(value->key, "angle") == 0
                    ? "directions are known, in radians"
                    : "the drawing is known, relative to the extent of the mechanism",
                meant);
    return false;
}

/* One number for all, or {length: ..., angle: ...}. */
static void read_precision(ki_sketch *s, const ki_yaml *value) {
    enum { LENGTH, ANGLE, FIELDS };
    static const char *const KEYS[FIELDS] = {"length", "angle"};
    const ki_yaml *field[FIELDS] = {value, value};
    double precision[FIELDS] = {KEEL_PRECISION, KEEL_PRECISION};
    if (!value)
        return;
    if (value->kind == KI_YAML_MAP) {
        if (!ki_sketch_fields(s, value, "in 'precision'", KEYS, FIELDS, field))
            return;
    } else if (value->kind != KI_YAML_TEXT) {
        KI_COMPLAIN(s->loader, value->at,
                    "'precision' must be a number or a map {length: 1e-6, angle: 1e-6}, not %s",
                    ki_yaml_kind_word(value->kind));
        return;
    }
    for (int i = 0; i < FIELDS; i++)
        if (field[i] && !read_digits(s, field[i], &precision[i]))
            return;
    keel_mechanism_set_precision(s->mechanism, precision[LENGTH], precision[ANGLE]);
}

static void add_parameter(void *user, const char *name, double value) {
    ki_sketch *s = user;
    ki_loader_fail(s->loader, keel_mechanism_add_parameter(s->mechanism, name, value));
}

/* ---- all of it ------------------------------------------------------------------------------------------
 */

static void read_all(ki_sketch *s, const ki_yaml *root) {
    keel_status status =
        keel_equations_parameters(s->loader->equations, s->loader->diagnostics, add_parameter, s);
    ki_loader_fail(s->loader, status);
    if (status != KEEL_OK || !read_planar(s, find(root, "planar")))
        return;
    read_gravity(s, find(root, "gravity"));
    read_coordinates(s, find(root, "coordinates"));
    read_precision(s, find(root, "precision"));
    int before = s->loader->problems;
    check_sections(s, root);
    if (s->loader->problems != before)
        return;
    for (int kind = -1; kind < KIND_COUNT && !s->stopped;
         kind++) { /* outputs have most passes: counted first */
        bool counting = kind < 0;
        reading r = {s, counting ? KIND_COUNT - 1 : kind, false, counting};
        s->passes = 0;
        read_map(&r, root);
    }
    if (s->loader->status == KEEL_OK && s->mechanism->body_count < 2)
        KI_COMPLAIN(s->loader, root->at, "the mechanism has no body: 'bodies' is missing or empty");
}

keel_mechanism *ki_read_mechanism(ki_loader *loader) {
    ki_sketch s = {.loader = loader,
                   .mechanism = keel_mechanism_new(),
                   .drawing = keel_mechanism_new(),
                   .graph = ki_graph_new()};
    if (s.mechanism && s.drawing && s.graph)
        read_all(&s, loader->root);
    else
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
    if (s.mechanism)
        s.mechanism->drawing = s.drawing;
    else
        keel_mechanism_free(s.drawing);
    if (s.graph)
        ki_graph_free(s.graph);
    return s.mechanism;
}

void ki_load_mechanism(ki_loader *loader, keel_model *model) {
    keel_mechanism *mechanism = ki_read_mechanism(loader);
    keel_compiled compiled = {0};
    if (loader->status == KEEL_OK)
        ki_loader_fail(loader, keel_mechanism_compile(mechanism, loader->diagnostics, &compiled));
    if (loader->status == KEEL_OK)
        ki_loader_fail(loader, keel_mechanism_write(compiled.system));
    model->is_mechanism = 1;
    model->velocities_given = 1;
    model->system = compiled.system;
    model->assembly = compiled.assembly;
    model->start = compiled.start;
    model->drawn = compiled.drawn;
    keel_mechanism_free(mechanism);
}
