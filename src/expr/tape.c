/* tape.c - making and asking a tape. */
#include "expr/tape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* `values` holds the outputs, first as nodes, then as values of the program */
static bool build(ki_graph *graph, const ki_node *outputs, int count, int *values, ki_tape *tape) {
    ki_program program = {.graph = graph, .outputs = values, .output_count = count};
    if (!ki_tape_lower(graph, outputs, count, values) || !ki_cone_make(graph, values, count, &program.cone))
        return false;
    for (int i = 0; i < count; i++)
        values[i] = graph->place[values[i]];
    bool ok = ki_tape_select(&program) && ki_tape_order(&program) && ki_tape_encode(&program, tape);
    ki_cone_free(&program.cone);
    free(program.list);
    free(program.operands);
    return ok;
}

ki_tape *ki_tape_new(ki_graph *graph, const ki_node *outputs, int count, int n_inputs) {
    for (int i = 0; i < count; i++)
        if (outputs[i] == KI_NONE)
            return NULL;
    ki_tape *tape = ki_expr_resize(NULL, 1, sizeof *tape);
    int *values = ki_expr_resize(NULL, (size_t)count, sizeof *values);
    if (tape)
        *tape = (ki_tape){0};
    bool ok = tape && values && build(graph, outputs, count, values, tape);
    free(values);
    if (!ok) {
        graph->failed = true;
        ki_tape_free(tape);
        return NULL;
    }
    for (int i = 0; i < tape->input_count; i++)
        assert(tape->inputs[i] < n_inputs);
    (void)n_inputs;
    return tape;
}

void ki_tape_free(ki_tape *tape) {
    if (!tape)
        return;
    free(tape->words);
    free(tape->inputs);
    free(tape->prepared);
    free(tape);
}

size_t ki_tape_work_size(const ki_tape *tape) {
    return (size_t)tape->input_count + (size_t)tape->constant_count + (size_t)tape->output_count +
           (size_t)tape->temporary_count;
}

void ki_tape_prepare(const ki_tape *tape, double *work) {
    size_t count = (size_t)tape->constant_count + (size_t)tape->output_count;
    if (count)
        memcpy(work + tape->input_count, tape->prepared, count * sizeof *work);
}

long ki_tape_length(const ki_tape *tape) {
    return tape->instructions;
}
