/* resolve.c - formulas that use one another in any order: parameters, definitions, rates of states.
 *
 * A formula that meets a name without a value yet is put on that name's list of waiting ones and read again
 * once the name has a value: no recursion, however long the chain of names is. The queue is first in, first
 * out, so that a sum over ten thousand names is read twice, not ten thousand times. What is still waiting at
 * the end depends on itself: following `waits_for` leads into the cycle.
 */
#include "equations/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equations/scope.h"

void ki_resolve_later(ki_builder *b, ki_item *item) {
    item->next_waiting = NULL;
    if (b->queue_last)
        b->queue_last->next_waiting = item;
    else
        b->queue_first = item;
    b->queue_last = item;
}

/* Those that waited for the item are read again: they now find a value, or know that there is none. */
static void settle(ki_builder *b, ki_item *item, ki_item_state state) {
    item->state = state;
    item->waits_for = NULL;
    while (item->first_waiting) {
        ki_item *waiting = item->first_waiting;
        item->first_waiting = waiting->next_waiting;
        ki_resolve_later(b, waiting);
    }
}

static void settle_parameter(ki_builder *b, ki_item *item) {
    double value = ki_value_of(b, item->node);
    if (isfinite(value)) {
        item->node = ki_number(b->graph, value);
        settle(b, item, KI_ITEM_DONE);
        return;
    }
    ki_report(b, item->entry, item->entry->text_at, "parameter '%s' is not finite", item->name);
    settle(b, item, KI_ITEM_FAILED);
}

static ki_node read_text(ki_builder *b, ki_reader *reader, const ki_item *item,
                         keel_diagnostics *diagnostics) {
    *reader = (ki_reader){.b = b, .context = (int)item->entry->kind, .bindings = item->bindings};
    ki_scope scope = ki_reader_scope(reader);
    return ki_parse(b->graph, item->entry->text, strlen(item->entry->text), item->entry->text_at, &scope,
                    diagnostics);
}

/* A first reading is silent, because a failure may only mean: not yet. */
static void try_item(ki_builder *b, ki_item *item) {
    ki_reader reader;
    item->node = read_text(b, &reader, item, NULL);
    item->uses = reader.uses;
    if (item->node != KI_NONE) {
        if (item->entry->kind == KEEL_EQ_PARAMETER)
            settle_parameter(b, item);
        else
            settle(b, item, KI_ITEM_DONE);
    } else if (reader.broken || ki_graph_failed(b->graph)) {
        b->errors++;
        settle(b, item, KI_ITEM_FAILED);
    } else if (reader.missing) {
        item->waits_for = reader.missing;
        item->next_waiting = reader.missing->first_waiting;
        reader.missing->first_waiting = item;
    } else if (!reader.unknown || b->names_complete) {
        read_text(b, &reader, item, ki_diagnostics_for(b, item->entry));
        ki_count_error(b, item->entry);
        settle(b, item, KI_ITEM_FAILED);
    }
}

void ki_resolve_queue(ki_builder *b) {
    while (b->queue_first) {
        ki_item *item = b->queue_first;
        b->queue_first = item->next_waiting;
        if (!b->queue_first)
            b->queue_last = NULL;
        try_item(b, item);
    }
}

/* A rate is called z'. */
static const char *prime(const ki_item *item) {
    return item->entry->kind == KEEL_EQ_STATE_RATE ? "'" : "";
}

/* Reports the cycle that `first` is part of. */
static void report_cycle(ki_builder *b, ki_item *first) {
    enum { SHOWN = 8 };
    char text[400] = "";
    size_t used = 0;
    int length = 1;
    for (const ki_item *item = first->waits_for; item != first; item = item->waits_for, length++)
        if (length < SHOWN && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " -> %s%s", item->name, prime(item));
    if (length == 1)
        ki_report(b, first->entry, first->entry->text_at, "%s%s depends on itself", first->name,
                  prime(first));
    else
        ki_report(b, first->entry, first->entry->text_at, "these depend on each other: %s%s%s%s -> %s%s",
                  first->name, prime(first), text, length > SHOWN ? " -> ..." : "", first->name,
                  prime(first));
}

/* Walks along `waits_for` at two speeds (Floyd); they meet inside the cycle. */
static ki_item *find_cycle(ki_item *item) {
    ki_item *slow = item, *fast = item;
    do {
        if (!fast->waits_for || !fast->waits_for->waits_for)
            return NULL;
        slow = slow->waits_for;
        fast = fast->waits_for->waits_for;
    } while (slow != fast);
    for (slow = item; slow != fast; slow = slow->waits_for)
        fast = fast->waits_for;
    return slow;
}

/* Gives up an item and everything it waits for: each item is walked over once. */
static void give_up(ki_item *item) {
    while (item) {
        ki_item *next = item->waits_for;
        item->state = KI_ITEM_FAILED;
        item->waits_for = NULL;
        item = next;
    }
}

void ki_resolve_finish(ki_builder *b, const keel_equation_kind *kinds, int count) {
    for (int k = 0; k < count; k++)
        for (int i = 0; i < b->of[kinds[k]].count; i++) {
            ki_item *item = b->of[kinds[k]].at[i];
            if (item->state == KI_ITEM_PENDING && !item->waits_for)
                ki_resolve_later(b, item);
        }
    ki_resolve_queue(b);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < b->of[kinds[k]].count; i++) {
            ki_item *item = b->of[kinds[k]].at[i];
            if (item->state != KI_ITEM_PENDING)
                continue;
            ki_item *cycle = find_cycle(item);
            if (cycle)
                report_cycle(b, cycle);
            give_up(item);
        }
}
