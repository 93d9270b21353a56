/* drawing.c - points and lines to look at: a tape of x, y, z of every point, and pairs of point numbers. */
#include <string.h>

#include "equations/builder.h"
#include "equations/suggest.h"

static const keel_equation_kind AXES[3] = {KEEL_EQ_DRAW_X, KEEL_EQ_DRAW_Y, KEEL_EQ_DRAW_Z};

static bool is_planar(const ki_builder *b) {
    const ki_list *z = &b->of[KEEL_EQ_DRAW_Z];
    double value;
    for (int i = 0; i < z->count; i++)
        if (!ki_is_number(b->graph, z->at[i]->node, &value) || value != 0)
            return false;
    return true;
}

static void build_points(ki_builder *b, int count) {
    ki_model *model = b->model;
    ki_node *nodes = KI_SCRATCH(b, ki_node, 3 * count);
    const char **names = KI_NEW(&model->arena, const char *, count);
    if (!nodes || !names)
        return;
    for (int i = 0; i < count; i++) {
        const char *name = b->of[KEEL_EQ_DRAW_X].at[i]->name;
        names[i] = ki_arena_text(&model->arena, name, strlen(name));
        for (int k = 0; k < 3; k++)
            nodes[3 * i + k] = b->of[AXES[k]].at[i]->node;
    }
    model->drawing = ki_tape_new(b->graph, nodes, 3 * count, b->inputs.count);
    if (!model->drawing)
        b->out_of_memory = true;
    model->drawn.point_count = count;
    model->drawn.name = names;
    model->drawn.planar = is_planar(b);
}

/* Number of the point that a line names; -1 after a message. */
static int find_point(ki_builder *b, const ki_item *line, const char *name) {
    const ki_item *point = name ? ki_table_find(&b->drawn, name) : NULL;
    char hint[KI_HINT_SIZE];
    if (point)
        return point->index;
    if (name)
        ki_report(b, line->entry, line->entry->name_at, "there is no point '%s' to draw a line to%s", name,
                  ki_hint_kind(b, KEEL_EQ_DRAW_X, name, hint));
    else
        ki_report(b, line->entry, line->entry->name_at, "a line to draw has two ends");
    return -1;
}

static void build_lines(ki_builder *b) {
    const ki_list *lines = &b->of[KEEL_EQ_DRAW_LINE];
    int(*pairs)[2] = ki_arena_alloc(&b->model->arena, (size_t)lines->count, sizeof *pairs);
    if (!pairs)
        return;
    for (int i = 0; i < lines->count; i++) {
        const ki_item *line = lines->at[i];
        pairs[i][0] = find_point(b, line, line->name);
        pairs[i][1] = find_point(b, line, line->second);
    }
    b->model->drawn.line_count = lines->count;
    b->model->drawn.line = (const int(*)[2])pairs;
}

bool ki_build_drawing(ki_builder *b) {
    int count = b->of[KEEL_EQ_DRAW_X].count;
    for (int k = 1; k < 3; k++)
        if (b->of[AXES[k]].count != count) {
            const ki_list *list = &b->of[count ? KEEL_EQ_DRAW_X : AXES[k]];
            ki_report(b, list->at[0]->entry, list->at[0]->entry->name_at,
                      "points to draw need x, y and z each, in the same order");
            return false;
        }
    if (count)
        build_points(b, count);
    if (b->of[KEEL_EQ_DRAW_LINE].count)
        build_lines(b);
    return ki_builder_ok(b);
}
