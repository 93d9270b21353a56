/* formulas.c - every item's text becomes a node of the expression graph; start values become numbers. */
#include <math.h>
#include <string.h>

#include "equations/resolve.h"
#include "equations/scope.h"

double ki_value_of(ki_builder *b, ki_node node) {
    static const double NO_INPUTS[1] = {0};
    double value;
    return ki_is_number(b->graph, node, &value) ? value : ki_evaluate(b->graph, node, NO_INPUTS);
}

/* Definitions and rates may use one another (z' is the rate of z); everything else uses only them. */
static void resolve_definitions(ki_builder *b) {
    static const keel_equation_kind KINDS[] = {KEEL_EQ_DEFINITION, KEEL_EQ_STATE_RATE};
    ki_resolve_finish(b, KINDS, sizeof KINDS / sizeof *KINDS);
}

static void read_item(ki_builder *b, ki_item *item) {
    const ki_entry *entry = item->entry;
    ki_reader reader = {.b = b, .context = (int)entry->kind, .bindings = item->bindings};
    ki_scope scope = ki_reader_scope(&reader);
    item->node = ki_parse(b->graph, entry->text, strlen(entry->text), entry->text_at, &scope,
                          ki_diagnostics_for(b, entry));
    item->uses = reader.uses;
    item->state = item->node == KI_NONE ? KI_ITEM_FAILED : KI_ITEM_DONE;
    if (item->node == KI_NONE)
        ki_count_error(b, entry);
}

static void check_start_value(ki_builder *b, ki_item *item) {
    if (item->node == KI_NONE || isfinite(ki_value_of(b, item->node)))
        return;
    ki_report(b, item->entry, item->entry->text_at,
              "division by zero or domain error: the start value of '%s' is not finite", item->name);
}

static void check_scale(ki_builder *b, const ki_item *item) {
    double size = item->node == KI_NONE ? 1 : ki_value_of(b, item->node);
    if (size > 0 && isfinite(size))
        return;
    ki_report(b, item->entry, item->entry->text_at,
              "the scale of '%s' is %g: it must be a positive number, how large '%s' typically is",
              item->name, size, item->name);
}

bool ki_read_formulas(ki_builder *b) {
    resolve_definitions(b);
    for (int kind = 0; kind < KI_KINDS; kind++) {
        bool start = kind == KEEL_EQ_COORDINATE || kind == KEEL_EQ_VELOCITY || kind == KEEL_EQ_STATE ||
                     kind == KEEL_EQ_AUXILIARY;
        for (int i = 0; i < b->of[kind].count; i++) {
            ki_item *item = b->of[kind].at[i];
            if (item->state == KI_ITEM_PENDING)
                read_item(b, item);
            if (start)
                check_start_value(b, item);
            if (kind == KEEL_EQ_SCALE)
                check_scale(b, item);
        }
    }
    return ki_builder_ok(b);
}
