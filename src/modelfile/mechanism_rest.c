/* mechanism_rest.c - the sections `motions`, `start` and `outputs` of a mechanism. */
#include <stdio.h>
#include <string.h>

#include "modelfile/mechanism.h"

/* A quantity such as "crank.angle'", with its indices evaluated and its primes behind. */
static bool read_quantity(ki_sketch *s, const char *text, keel_location where, char name[KI_SKETCH_NAME]) {
    char plain[KI_SKETCH_NAME];
    size_t length = strlen(text), primes = 0;
    while (primes < length && text[length - 1 - primes] == '\'')
        primes++;
    const char *base = ki_arena_text(s->loader->arena, text, length - primes);
    if (!base) {
        ki_loader_fail(s->loader, KEEL_ERROR_MEMORY);
        return false;
    }
    if (!ki_sketch_name(s, base, where, plain))
        return false;
    int written = snprintf(name, KI_SKETCH_NAME, "%s%.*s", plain, (int)primes, text + length - primes);
    if (written < KI_SKETCH_NAME)
        return true;
    KI_COMPLAIN(s->loader, where, "the name '%s' is too long", plain);
    return false;
}

void ki_read_motion(ki_sketch *s, const ki_yaml *entry) {
    enum { OF, VALUE, SPEED, FIELDS };
    static const char *const KEYS[FIELDS] = {"of", "value", "speed"};
    char quantity[KI_SKETCH_NAME];
    ki_item_reading item;
    if (!ki_sketch_open(s, entry, "motion", KEYS, FIELDS, &item))
        return;
    keel_motion motion = {.name = item.name, .where = entry->key_at, .quantity = quantity};
    if (!item.field[OF]) {
        KI_COMPLAIN(s->loader, entry->key_at, "motion '%s' needs what it drives, such as 'of: crank.angle'",
                    item.name);
        return;
    }
    if (!item.field[VALUE] == !item.field[SPEED]) {
        KI_COMPLAIN(s->loader, entry->key_at,
                    "motion '%s' needs either 'value', a formula of t, or 'speed', a number", item.name);
        return;
    }
    if (!ki_expect_formula(s->loader, item.field[OF], "'of' of", item.name) ||
        !read_quantity(s, item.field[OF]->text, item.field[OF]->formula_at, quantity) ||
        (item.field[VALUE] && !ki_sketch_formula(s, item.field[VALUE], item.name, &motion.law)) ||
        !ki_sketch_optional(s, item.field[SPEED], item.name, &motion.speed))
        return;
    int number = keel_mechanism_add_motion(s->mechanism, &motion, s->loader->diagnostics);
    if (number < 0)
        ki_loader_fail(s->loader, (keel_status)number);
}

static void complain_twice(ki_sketch *s, const ki_yaml *entry, const char *what, const char *name,
                           keel_location first) {
    if (first.line == entry->key_at.line && first.column == entry->key_at.column)
        KI_COMPLAIN(
            s->loader, entry->key_at,
            "%s '%s' is given again in each pass of the repeat block: give it an index, as in '%s[i]'", what,
            name, name);
    else
        KI_COMPLAIN(s->loader, entry->key_at, "%s '%s' is given twice, first at line %d", what, name,
                    first.line);
}

void ki_read_start(ki_sketch *s, const ki_yaml *entry) {
    char quantity[KI_SKETCH_NAME];
    keel_location first;
    double value;
    if (!read_quantity(s, entry->key, entry->key_at, quantity) ||
        !ki_sketch_number(s, entry, "start", &value))
        return;
    if (ki_find_start(s->mechanism, quantity, &first))
        complain_twice(s, entry, "the start value of", quantity, first);
    else
        ki_loader_fail(s->loader, keel_mechanism_add_start(s->mechanism, quantity, entry->key_at, value));
}

void ki_read_output(ki_sketch *s, const ki_yaml *entry) {
    char name[KI_SKETCH_NAME];
    keel_formula formula;
    keel_location first;
    if (!ki_expect_formula(s->loader, entry, "the formula of output", entry->key) ||
        !ki_expect_output_name(s->loader, entry) || !ki_sketch_name(s, entry->key, entry->key_at, name) ||
        !ki_sketch_formula(s, entry, entry->key, &formula))
        return;
    if (ki_find_output(s->mechanism, name, &first))
        complain_twice(s, entry, "output", name, first);
    else
        ki_loader_fail(s->loader, keel_mechanism_add_output(s->mechanism, name, entry->key_at, formula));
}
