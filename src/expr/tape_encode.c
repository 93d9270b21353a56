/* tape_encode.c - places for all values, and the words of the tape. */
#include <assert.h>
#include <stdlib.h>

#include "expr/tape.h"

typedef struct encoder {
    const ki_program *p;
    ki_tape *tape;
    int *place;    /* [cone.count] of each value in the work array; KI_NONE: none yet */
    int *last_use; /* [cone.count] the last instruction that needs it */
    int *vacant;   /* places of temporaries that are not needed any more */
    int vacant_count, vacant_capacity;
    int word_capacity, input_capacity, prepared_capacity;
    int run; /* the word with the length of the run that is being written */
} encoder;

static bool add_word(encoder *e, int word) {
    ki_tape *tape = e->tape;
    if (!ki_expr_reserve(&tape->words, &e->word_capacity, tape->word_count + 1, sizeof *tape->words))
        return false;
    tape->words[tape->word_count++] = (uint32_t)word;
    return true;
}

static bool add_prepared(encoder *e, int place, double value) {
    ki_tape *tape = e->tape;
    if (!ki_expr_reserve(&tape->prepared, &e->prepared_capacity, place + 1, sizeof *tape->prepared))
        return false;
    tape->prepared[place] = value;
    return true;
}

static bool place_inputs(encoder *e) {
    const ki_program *p = e->p;
    ki_tape *tape = e->tape;
    for (int i = 0; i < p->cone.count; i++) {
        ki_node node = p->cone.node[i];
        e->place[i] = KI_NONE;
        if (node == KI_NONE || p->graph->nodes[node].op != KI_SYMBOL)
            continue;
        if (!ki_expr_reserve(&tape->inputs, &e->input_capacity, tape->input_count + 1, sizeof *tape->inputs))
            return false;
        e->place[i] = tape->input_count;
        tape->inputs[tape->input_count++] = p->graph->nodes[node].arg[0];
    }
    return true;
}

static bool place_constants(encoder *e) {
    ki_tape *tape = e->tape;
    for (int i = 0; i < e->p->cone.count; i++) {
        double value;
        if (!ki_is_number(e->p->graph, e->p->cone.node[i], &value))
            continue;
        e->place[i] = tape->input_count + tape->constant_count;
        if (!add_prepared(e, tape->constant_count++, value))
            return false;
    }
    return true;
}

static int first_output(const encoder *e) {
    return e->tape->input_count + e->tape->constant_count;
}

static int first_temporary(const encoder *e) {
    return first_output(e) + e->tape->output_count;
}

/* A result is computed where its output is. An output that is a constant is there from the start; one that is
 * an input, or another output as well, is copied at the end. */
static bool place_outputs(encoder *e) {
    for (int i = 0; i < e->p->output_count; i++) {
        int output = e->p->outputs[i];
        double value = 0;
        if (!ki_is_number(e->p->graph, e->p->cone.node[output], &value) && e->place[output] == KI_NONE)
            e->place[output] = first_output(e) + i;
        if (!add_prepared(e, e->tape->constant_count + i, value))
            return false;
    }
    return true;
}

static void find_last_uses(encoder *e) {
    const ki_program *p = e->p;
    for (int i = 0; i < p->cone.count; i++)
        e->last_use[i] = KI_NONE;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->list[i].count; k++)
            e->last_use[p->operands[p->list[i].first + k]] = i;
}

/* Operands that were needed for the last time leave their places to others, the result at once. */
static bool release_operands(encoder *e, int instruction) {
    const ki_instruction *n = &e->p->list[instruction];
    for (int k = 0; k < n->count; k++) {
        int operand = e->p->operands[n->first + k];
        if (e->last_use[operand] != instruction || e->place[operand] < first_temporary(e))
            continue;
        e->last_use[operand] = KI_NONE; /* it may be an operand twice */
        if (!ki_expr_reserve(&e->vacant, &e->vacant_capacity, e->vacant_count + 1, sizeof *e->vacant))
            return false;
        e->vacant[e->vacant_count++] = e->place[operand];
    }
    return true;
}

static int place_result(encoder *e, int value) {
    if (e->place[value] == KI_NONE)
        e->place[value] =
            e->vacant_count ? e->vacant[--e->vacant_count] : first_temporary(e) + e->tape->temporary_count++;
    return e->place[value];
}

/* One more instruction of a run, or the first of a new one. */
static bool count_instruction(encoder *e, ki_code code, bool continues) {
    if (!continues) {
        e->run = e->tape->word_count + 1;
        if (!add_word(e, (int)code) || !add_word(e, 0))
            return false;
    }
    e->tape->words[e->run]++;
    e->tape->instructions++;
    return true;
}

static bool encode(encoder *e, int i) {
    const ki_instruction *n = &e->p->list[i];
    bool continues = i > 0 && e->p->list[i - 1].code == n->code;
    bool ok = release_operands(e, i) && count_instruction(e, n->code, continues) &&
              add_word(e, place_result(e, n->result));
    if (ok && n->second != KI_NONE)
        ok = add_word(e, place_result(e, n->second));
    for (int k = 0; n->code == KI_CODE_SUM && k < KI_TERM_KINDS; k++)
        ok = ok && add_word(e, n->terms[k]);
    for (int k = 0; k < n->count; k++) {
        int place = e->place[e->p->operands[n->first + k]];
        assert(place != KI_NONE); /* operands are computed before they are used */
        ok = ok && add_word(e, place);
    }
    return ok;
}

static bool copy_outputs(encoder *e) {
    bool continues = false;
    for (int i = 0; i < e->p->output_count; i++) {
        int output = e->p->outputs[i], place = first_output(e) + i;
        if (e->place[output] == place || ki_is_number(e->p->graph, e->p->cone.node[output], NULL))
            continue;
        if (!count_instruction(e, KI_CODE_COPY, continues) || !add_word(e, place) ||
            !add_word(e, e->place[output]))
            return false;
        continues = true;
    }
    return true;
}

static bool encode_all(encoder *e) {
    if (!place_inputs(e) || !place_constants(e) || !place_outputs(e))
        return false;
    find_last_uses(e);
    for (int i = 0; i < e->p->count; i++)
        if (!encode(e, i))
            return false;
    return copy_outputs(e) && add_word(e, KI_CODE_END);
}

bool ki_tape_encode(const ki_program *program, ki_tape *tape) {
    encoder e = {.p = program, .tape = tape};
    size_t count = (size_t)program->cone.count;
    e.place = ki_expr_resize(NULL, count, sizeof *e.place);
    e.last_use = ki_expr_resize(NULL, count, sizeof *e.last_use);
    tape->output_count = program->output_count;
    bool ok = e.place && e.last_use && encode_all(&e);
    free(e.place);
    free(e.last_use);
    free(e.vacant);
    return ok;
}
