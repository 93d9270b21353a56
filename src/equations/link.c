/* link.c - what each item speaks of: the coordinate of a force, the state of a rate; and whether the model
 * has all its pieces. */
#include "equations/scope.h"
#include "equations/suggest.h"

static void number_inputs(ki_builder *b) {
    ki_inputs *in = &b->inputs;
    in->n = b->of[KEEL_EQ_COORDINATE].count;
    in->n_z = b->of[KEEL_EQ_STATE].count;
    in->n_s = b->of[KEEL_EQ_AUXILIARY].count;
    in->m = b->of[KEEL_EQ_HOLONOMIC].count + b->of[KEEL_EQ_NONHOLONOMIC].count;
    in->q = 1;
    in->v = in->q + in->n;
    in->z = in->v + in->n;
    in->s = in->z + in->n_z;
    in->lambda = in->s + in->n_s;
    in->a = in->lambda + in->m;
    in->w = in->a + in->n;
    in->count = in->w + in->n_s;
}

/* The coordinate or state called `name`; NULL after an error, which is reported. */
static ki_item *named(ki_builder *b, const ki_item *item, const char *name, keel_equation_kind kind) {
    ki_item *found = ki_table_find(&b->quantities, name);
    const char *wanted = kind == KEEL_EQ_STATE ? "state" : "coordinate";
    if (found && found->entry->kind == kind)
        return found;
    char hint[KI_HINT_SIZE];
    if (found)
        ki_report(b, item->entry, item->entry->name_at, "'%s' is %s, not a %s", name,
                  ki_kind_words(found->entry->kind), wanted);
    else
        ki_report(b, item->entry, item->entry->name_at, "there is no %s '%s'%s", wanted, name,
                  ki_hint_kind(b, kind, name, hint));
    return NULL;
}

static void link_kind(ki_builder *b, keel_equation_kind kind, keel_equation_kind target) {
    const ki_list *list = &b->of[kind];
    for (int i = 0; i < list->count; i++) {
        list->at[i]->about = named(b, list->at[i], list->at[i]->name, target);
        if (list->at[i]->second)
            list->at[i]->about_other = named(b, list->at[i], list->at[i]->second, target);
    }
}

/* Coordinates and states know the one velocity or rate that speaks of them. */
static void link_back(ki_builder *b, keel_equation_kind kind, const char *what) {
    const ki_list *list = &b->of[kind];
    for (int i = 0; i < list->count; i++) {
        ki_item *item = list->at[i], *target = item->about;
        if (target && target->about)
            ki_report(b, item->entry, item->entry->name_at, "the %s of '%s' is given twice%s", what,
                      target->name, item->entry == target->about->entry ? ", in a repeat block" : "");
        else if (target)
            target->about = item;
    }
}

/* A scale is of a coordinate or of a state. */
static void link_scales(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_SCALE];
    for (int i = 0; i < list->count; i++) {
        ki_item *item = list->at[i];
        const ki_item *found = ki_table_find(&b->quantities, item->name);
        bool state = found && found->entry->kind == KEEL_EQ_STATE;
        item->about = named(b, item, item->name, state ? KEEL_EQ_STATE : KEEL_EQ_COORDINATE);
        for (int k = 0; k < i && item->about; k++)
            if (list->at[k]->about == item->about)
                ki_report(b, item->entry, item->entry->name_at, "the scale of '%s' is given twice%s",
                          item->name, item->entry == list->at[k]->entry ? ", in a repeat block" : "");
    }
}

static void check_states(ki_builder *b) {
    for (int i = 0; i < b->of[KEEL_EQ_STATE].count; i++) {
        const ki_item *state = b->of[KEEL_EQ_STATE].at[i];
        if (!state->about)
            ki_report(b, state->entry, state->entry->name_at, "state '%s' has no rate", state->name);
    }
}

/* Columns of the results must have different names. */
static void check_output_names(ki_builder *b) {
    for (int i = 0; i < b->of[KEEL_EQ_OUTPUT].count; i++) {
        const ki_item *output = b->of[KEEL_EQ_OUTPUT].at[i];
        const ki_item *other = ki_table_find(&b->quantities, output->name);
        if (!other || other->entry->kind == KEEL_EQ_PARAMETER || other->entry->kind == KEEL_EQ_DEFINITION)
            continue;
        ki_report(b, output->entry, output->entry->name_at,
                  "'%s' is %s and part of the results already: give the output another name", output->name,
                  ki_kind_words(other->entry->kind));
    }
}

/* For what is not there at all: the file, without a line. */
static keel_location nowhere(const ki_builder *b) {
    const keel_equations *source = b->source;
    return (keel_location){source->entries ? source->entry[0].name_at.file : NULL, 0, 0};
}

static void check_auxiliaries(ki_builder *b) {
    int unknowns = b->of[KEEL_EQ_AUXILIARY].count, equations = b->of[KEEL_EQ_AUXILIARY_EQUATION].count;
    if (unknowns == equations)
        return;
    const ki_list *list = &b->of[unknowns ? KEEL_EQ_AUXILIARY : KEEL_EQ_AUXILIARY_EQUATION];
    const ki_entry *entry = list->at[list->count - 1]->entry;
    ki_report(b, entry, entry->name_at,
              "%d auxiliary unknown%s, but %d auxiliary equation%s: there must be as many of each", unknowns,
              unknowns == 1 ? "" : "s", equations, equations == 1 ? "" : "s");
}

static void check_pieces(ki_builder *b) {
    int kinetic = b->of[KEEL_EQ_KINETIC].count, mass = b->of[KEEL_EQ_MASS].count;
    if (b->inputs.n == 0)
        ki_report(b, NULL, nowhere(b), "the model has no coordinates");
    else if (!kinetic && !mass)
        ki_report(b, NULL, nowhere(b), "the model has neither a kinetic energy nor a mass matrix");
    if (kinetic && mass) {
        const ki_entry *entry = b->of[KEEL_EQ_MASS].at[0]->entry;
        ki_report(b, entry, entry->name_at,
                  "a model has either a kinetic energy or a mass matrix, this one has both");
    }
    check_auxiliaries(b);
    check_states(b);
}

bool ki_link_names(ki_builder *b) {
    number_inputs(b);
    link_kind(b, KEEL_EQ_VELOCITY, KEEL_EQ_COORDINATE);
    link_kind(b, KEEL_EQ_MASS, KEEL_EQ_COORDINATE);
    link_kind(b, KEEL_EQ_FORCE, KEEL_EQ_COORDINATE);
    link_kind(b, KEEL_EQ_STATE_RATE, KEEL_EQ_STATE);
    link_scales(b);
    link_back(b, KEEL_EQ_VELOCITY, "start velocity");
    link_back(b, KEEL_EQ_STATE_RATE, "rate");
    check_output_names(b);
    check_pieces(b);
    return !ki_out_of_memory(b);
}
