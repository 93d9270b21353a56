/* expand.c - repeat blocks become items, one per entry and pass, with the indices in their names evaluated.
 *
 * In each pass of a block its parameters come first, so that names, inner ranges and later blocks can use
 * them. A parameter that uses names not there yet is kept until all names are known; only a range or an index
 * that needs its value before that is an error.
 */
#include <math.h>
#include <string.h>

#include "equations/resolve.h"
#include "equations/scope.h"
#include "expr/quota.h"

enum { DEPTH_MAX = 16, NAME_SIZE = 256 };

static const double ROUNDING = 1e-9; /* of a whole number that was computed, such as 0.3/0.1 */

/* Notes why a range or a name could not be evaluated; true if it was a plain error, to be read again aloud.
 */
static bool is_plain_error(ki_builder *b, const ki_reader *reader, keel_location where) {
    b->incomplete = true;
    if (reader->broken) {
        b->errors++;
        return false;
    }
    if (reader->missing && !b->undecided) {
        b->undecided = reader->missing;
        b->undecided_at = where;
    }
    return !reader->missing;
}

/* A name with its indices evaluated, in the builder's arena; NULL after an error. */
static const char *evaluate_name(ki_builder *b, const ki_entry *entry, const char *text,
                                 const ki_binding *bindings) {
    char name[NAME_SIZE];
    ki_reader reader = {.b = b, .context = KI_IN_NAME, .bindings = bindings};
    ki_scope scope = ki_reader_scope(&reader);
    if (ki_parse_name(b->graph, text, entry->name_at, &scope, NULL, name, sizeof name))
        return ki_arena_text(&b->arena, name, strlen(name));
    if (is_plain_error(b, &reader, entry->name_at)) {
        ki_parse_name(b->graph, text, entry->name_at, &scope, ki_diagnostics_for(b, entry), name,
                      sizeof name);
        ki_count_error(b, entry);
    }
    return NULL;
}

/* "x" or "x,y"; the comma does not stand inside brackets. */
static bool name_pair(ki_builder *b, ki_item *item) {
    const char *text = item->entry->name, *comma = text;
    for (int depth = 0; *comma && (*comma != ',' || depth); comma++)
        depth += (*comma == '[') - (*comma == ']');
    const char *first = ki_arena_text(&b->arena, text, (size_t)(comma - text));
    item->name = first ? evaluate_name(b, item->entry, first, item->bindings) : NULL;
    if (!item->name || !*comma)
        return item->name != NULL;
    const char *second = comma + 1 + strspn(comma + 1, " ");
    item->second = evaluate_name(b, item->entry, second, item->bindings);
    return item->second != NULL;
}

static bool name_item(ki_builder *b, ki_item *item) {
    const ki_entry *entry = item->entry;
    if (entry->kind == KEEL_EQ_KINETIC || entry->kind == KEEL_EQ_POTENTIAL)
        return true;
    if (!entry->name) {
        ki_report(b, entry, entry->text_at, "this formula needs a name");
        b->incomplete = true;
        return false;
    }
    if (entry->kind == KEEL_EQ_MASS || entry->kind == KEEL_EQ_DRAW_LINE)
        return name_pair(b, item);
    item->name = evaluate_name(b, entry, entry->name, item->bindings);
    return item->name != NULL;
}

static ki_table *table_of(ki_builder *b, keel_equation_kind kind) {
    switch (kind) {
    case KEEL_EQ_PARAMETER:
    case KEEL_EQ_DEFINITION:
    case KEEL_EQ_COORDINATE:
    case KEEL_EQ_STATE:
    case KEEL_EQ_AUXILIARY:
        return &b->quantities;
    case KEEL_EQ_HOLONOMIC:
    case KEEL_EQ_NONHOLONOMIC:
        return &b->constraints;
    case KEEL_EQ_AUXILIARY_EQUATION:
        return &b->auxiliary_equations;
    case KEEL_EQ_OUTPUT:
        return &b->outputs;
    case KEEL_EQ_INVARIANT:
        return &b->invariants;
    case KEEL_EQ_DRAW_X:
        return &b->drawn;
    default:
        return NULL; /* speaks of something named elsewhere */
    }
}

/* The word itself or with an index, "t" or "t[1]". */
static bool is_reserved(const char *name) {
    size_t length = strcspn(name, "[");
    if (strncmp(name, "lambda.", 7) == 0)
        return true;
    for (const char *const *word = ki_reserved_names(); *word; word++)
        if (strlen(*word) == length && strncmp(*word, name, length) == 0)
            return true;
    return false;
}

static bool stands_later(keel_location a, keel_location c) {
    return a.line != c.line ? a.line > c.line : a.column > c.column;
}

/* The error is where the text has the name for the second time, whichever was read first. */
static void report_twice(ki_builder *b, const ki_item *item, const ki_item *other) {
    const ki_entry *second = item->entry, *first = other->entry;
    if (first->kind != second->kind)
        b->incomplete = true; /* no telling which one the formulas mean */
    if (first == second) {
        ki_report(b, second, second->name_at,
                  "'%s' is defined again in each pass of the repeat block: give it an index, as in '%s[%s]'",
                  item->name, item->name, item->bindings ? item->bindings->variable : "i");
        return;
    }
    if (stands_later(first->name_at, second->name_at)) {
        second = other->entry;
        first = item->entry;
    }
    if (first->name_at.line > 0)
        ki_report(b, second, second->name_at, "'%s' is defined twice, first at line %d", item->name,
                  first->name_at.line);
    else
        ki_report(b, second, second->name_at, "'%s' is defined twice", item->name);
}

static void register_name(ki_builder *b, ki_item *item) {
    ki_table *table = table_of(b, item->entry->kind);
    ki_item *first = NULL;
    if (!table)
        return;
    if (table == &b->quantities && is_reserved(item->name)) {
        ki_report(b, item->entry, item->entry->name_at, "'%s' is a word of the language: choose another name",
                  item->name);
        b->incomplete = true;
    } else if (!ki_table_add(table, item, &first)) {
        b->out_of_memory = true;
    } else if (first) {
        report_twice(b, item, first);
    }
}

static bool too_many(ki_builder *b, double more, keel_location where) {
    if (b->too_many)
        return true;
    double most = ki_quota_limit(KI_QUOTA_PASSES);
    if ((double)b->passes + more <= most)
        return false;
    ki_report(
        b, NULL, where,
        "the model has more than %.0f entries: is the range of the repeat block right? " KI_QUOTA_ADVICE,
        most);
    b->too_many = true;
    b->incomplete = true;
    return true;
}

static void add_item(ki_builder *b, const ki_entry *entry, const ki_binding *bindings) {
    if (too_many(b, 1, entry->name_at))
        return;
    b->passes++;
    ki_item *item = KI_SCRATCH(b, ki_item, 1);
    if (!item)
        return;
    *item = (ki_item){.entry = entry, .bindings = bindings, .node = KI_NONE, .derivative = KI_NONE};
    if (!name_item(b, item) || !ki_list_add(b, &b->of[entry->kind], item))
        return;
    register_name(b, item);
    if (entry->kind == KEEL_EQ_PARAMETER) {
        ki_resolve_later(b, item);
        ki_resolve_queue(b);
    }
}

static bool evaluate_bound(ki_builder *b, const ki_block *block, const char *text, const ki_binding *bindings,
                           double *value) {
    ki_reader reader = {.b = b, .context = KI_IN_RANGE, .bindings = bindings};
    ki_scope scope = ki_reader_scope(&reader);
    ki_node node = ki_parse(b->graph, text, strlen(text), block->where, &scope, NULL);
    if (node == KI_NONE) {
        if (is_plain_error(b, &reader, block->where)) {
            ki_parse(b->graph, text, strlen(text), block->where, &scope, b->diagnostics);
            b->errors++;
        }
        return false;
    }
    double exact = ki_value_of(b, node);
    *value = round(exact);
    if (fabs(*value) < 1e9 && fabs(exact - *value) <= ROUNDING * fmax(1, fabs(exact)))
        return true;
    ki_report(b, NULL, block->where, "the range of '%s' must be whole numbers%s, but '%s' is %.10g",
              block->variable, fabs(*value) < 1e9 ? "" : " below 1e9", text + strspn(text, " \t\r\n"), exact);
    b->incomplete = true;
    return false;
}

static void expand_block(ki_builder *b, int number, const ki_binding *bindings);

static void expand_range(ki_builder *b, int number, const ki_binding *bindings) {
    const ki_block *block = &b->source->block[number];
    double from, to;
    if (b->block_failed[number])
        return;
    if (!evaluate_bound(b, block, block->from, bindings, &from) ||
        !evaluate_bound(b, block, block->to, bindings, &to)) {
        b->block_failed[number] = true;
        return;
    }
    if (too_many(b, to - from + 1, block->where))
        return;
    for (double i = from; i <= to && !b->too_many; i++) {
        ki_binding *binding = KI_SCRATCH(b, ki_binding, 1);
        if (!binding)
            return;
        *binding = (ki_binding){block->variable, i, bindings};
        b->passes++;
        expand_block(b, number, binding);
    }
}

/* One pass. Recursion is bounded by DEPTH_MAX. */
static void expand_block(ki_builder *b, int number, const ki_binding *bindings) {
    const keel_equations *source = b->source;
    const ki_block *block = &source->block[number];
    /* parameters with plain names, then those whose index may need them, then the rest */
    for (int round = 0; round < (b->only_parameters ? 2 : 3); round++)
        for (int i = block->first_entry; i >= 0; i = source->entry[i].next) {
            const ki_entry *entry = &source->entry[i];
            bool parameter = entry->kind == KEEL_EQ_PARAMETER;
            bool indexed = entry->name && strchr(entry->name, '[');
            if (round == (parameter ? indexed : 2))
                add_item(b, entry, bindings);
        }
    for (int child = block->first_child; child >= 0; child = source->block[child].next_sibling)
        expand_range(b, child, bindings);
}

static bool is_identifier(const char *name) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return *name && strchr(LETTERS, *name) &&
           strspn(name + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
               strlen(name + 1);
}

static void check_variable(ki_builder *b, const ki_block *block) {
    int depth = 1;
    if (!is_identifier(block->variable) || is_reserved(block->variable))
        ki_report(b, NULL, block->where, "'%s' cannot be the variable of a repeat block", block->variable);
    for (int outer = block->parent; outer > 0; outer = b->source->block[outer].parent) {
        if (strcmp(b->source->block[outer].variable, block->variable) == 0)
            ki_report(b, NULL, block->where, "'%s' is already the variable of an outer repeat block",
                      block->variable);
        if (++depth > DEPTH_MAX) {
            ki_report(b, NULL, block->where, "repeat blocks are nested more than %d deep", DEPTH_MAX);
            return;
        }
    }
}

/* A repeat variable hides nothing: one name, one meaning. */
static void check_variables_are_new(ki_builder *b) {
    for (int i = 1; i < b->source->blocks; i++) {
        const ki_block *block = &b->source->block[i];
        const ki_item *other = ki_table_find(&b->quantities, block->variable);
        if (other)
            ki_report(b, NULL, block->where, "'%s' is the variable of a repeat block and also %s",
                      block->variable, ki_kind_words(other->entry->kind));
    }
}

bool ki_expand(ki_builder *b) {
    static const keel_equation_kind PARAMETERS[] = {KEEL_EQ_PARAMETER};
    b->block_failed = KI_SCRATCH(b, bool, b->source->blocks);
    for (int i = 1; i < b->source->blocks; i++)
        check_variable(b, &b->source->block[i]);
    if (!ki_builder_ok(b))
        return false;
    expand_block(b, 0, NULL);
    b->names_complete = true;
    /* with names missing, an unknown one is news only if it is the reason */
    if (!b->incomplete || b->errors == 0)
        ki_resolve_finish(b, PARAMETERS, 1);
    if (b->undecided && b->errors == 0)
        ki_report(b, NULL, b->undecided_at,
                  "'%s' is needed here to expand the repeat blocks, but depends on a parameter inside one",
                  b->undecided->name);
    check_variables_are_new(b);
    return !b->incomplete && !ki_out_of_memory(b);
}
