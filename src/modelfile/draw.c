/* draw.c - the section `draw`: points of an equation model to look at, and lines between them. */
#include <stdio.h>
#include <string.h>

#include "modelfile/loader.h"

/* P: [x, y] or [x, y, z] */
static void load_point(ki_loader *loader, int block, const ki_yaml *point) {
    static const keel_equation_kind AXES[3] = {KEEL_EQ_DRAW_X, KEEL_EQ_DRAW_Y, KEEL_EQ_DRAW_Z};
    char brief[KI_BRIEF];
    if (point->kind != KI_YAML_LIST || point->count < 2 || point->count > 3) {
        KI_COMPLAIN(loader, point->at, "point '%s' must be a list [x, y] or [x, y, z]",
                    ki_brief(point->key, brief));
        return;
    }
    const ki_yaml *value = point->first;
    for (int k = 0; k < 3; k++, value = value ? value->next : NULL) {
        if (value && !ki_expect_formula(loader, value, "a coordinate of point", point->key))
            return;
        ki_loader_fail(loader, keel_equations_add(loader->equations, block, AXES[k], point->key,
                                                  point->key_at, value ? value->formula : "0",
                                                  value ? value->formula_at : point->at));
    }
}

static void add_line(ki_loader *loader, int block, const ki_yaml *from, const ki_yaml *to) {
    size_t size = strlen(from->text) + strlen(to->text) + 2;
    char *pair = ki_arena_alloc(loader->arena, size, 1);
    if (!pair) {
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
        return;
    }
    snprintf(pair, size, "%s,%s", from->text, to->text);
    ki_loader_fail(loader, keel_equations_add(loader->equations, block, KEEL_EQ_DRAW_LINE, pair, from->at,
                                              "0", from->at));
}

/* [P, Q], or more points one after the other */
static void load_line(ki_loader *loader, int block, const ki_yaml *line) {
    if (line->kind != KI_YAML_LIST || line->count < 2) {
        KI_COMPLAIN(loader, line->at, "a line must be a list of points, [P, Q]");
        return;
    }
    for (const ki_yaml *end = line->first; end; end = end->next)
        if (!ki_expect_formula(loader, end, "the name of a point of", "lines"))
            return;
    for (const ki_yaml *end = line->first; end->next; end = end->next)
        add_line(loader, block, end, end->next);
}

static void load_lines(ki_loader *loader, int block, const ki_yaml *lines) {
    if (lines->kind == KI_YAML_MISSING)
        return;
    if (lines->kind != KI_YAML_LIST) {
        KI_COMPLAIN(loader, lines->at, "'lines' must be a list of lines [P, Q], not %s",
                    ki_yaml_kind_word(lines->kind));
        return;
    }
    for (const ki_yaml *line = lines->first; line; line = line->next)
        load_line(loader, block, line);
}

static void load_block(ki_loader *loader, int block, const ki_yaml *map) {
    static const char *const KEYS[] = {"points", "lines", "repeat"};
    for (const ki_yaml *entry = map->first; entry; entry = entry->next) {
        if (strcmp(entry->key, "points") == 0) {
            if (ki_expect_map(loader, entry, "name: [x, y]"))
                for (const ki_yaml *point = entry->first; point; point = point->next)
                    load_point(loader, block, point);
        } else if (strcmp(entry->key, "lines") == 0) {
            load_lines(loader, block, entry);
        } else if (strcmp(entry->key, "repeat") == 0) {
            ki_load_repeat(loader, block, entry, load_block);
        } else if (block == 0 || strcmp(entry->key, "for") != 0) {
            ki_unknown_key(loader, entry, "in 'draw'", KEYS, sizeof KEYS / sizeof *KEYS);
        }
    }
}

void ki_load_draw(ki_loader *loader, const ki_yaml *section) {
    if (loader->root) {
        KI_COMPLAIN(loader, section->key_at,
                    "'draw' belongs to a model of equations: a mechanism shows its bodies and joints");
        return;
    }
    if (ki_expect_map(loader, section, "points: ..., lines: ..."))
        load_block(loader, 0, section);
}
