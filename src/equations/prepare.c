#include "equations/prepare.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of tapes that cost as much as shortening, for each instruction of the longest program.
 * Measured are 60 to 130 thousand. */
enum { PRICE = 100000 };

struct ki_preparation {
    ki_formulas formulas;
    bool owns_graph, too_long; /* to be shortened */
    ki_node *nodes;
    double price;
    pthread_mutex_t lock; /* of the programs */
    ki_programs programs;
    _Atomic(const ki_programs *) made; /* NULL: not yet */
    atomic_bool from_start;
};

static double longest(const ki_programs *programs) {
    long most = 0;
    for (int i = 0; i < programs->count; i++)
        if (ki_tape_length(programs->at[i].tape) > most)
            most = ki_tape_length(programs->at[i].tape);
    return (double)most;
}

static bool copy_nodes(ki_preparation *p) {
    ki_formulas *f = &p->formulas;
    size_t total = 0;
    for (int s = 0; s < KI_SECTIONS; s++)
        total += (size_t)f->count[s];
    p->nodes = malloc((total + 1) * sizeof *p->nodes);
    ki_node *at = p->nodes;
    for (int s = 0; at && s < KI_SECTIONS; s++) {
        if (f->count[s])
            memcpy(at, f->section[s], (size_t)f->count[s] * sizeof *at);
        f->section[s] = at;
        at += f->count[s];
    }
    return p->nodes;
}

ki_preparation *ki_preparation_new(const ki_formulas *formulas, const ki_programs *given) {
    ki_preparation *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->formulas = *formulas;
    p->price = PRICE * longest(given);
    p->too_long = longest(given) > KI_MOST_SHORTENED;
    if (!copy_nodes(p) || pthread_mutex_init(&p->lock, NULL)) {
        free(p->nodes);
        free(p);
        return NULL;
    }
    return p;
}

void ki_preparation_own(ki_preparation *p, ki_graph *graph) {
    p->formulas.graph = graph;
    p->owns_graph = true;
    if (!p->too_long)
        return;
    ki_graph_free(graph);
    p->owns_graph = false;
}

void ki_preparation_free(ki_preparation *p) {
    if (!p)
        return;
    ki_programs_clear(&p->programs);
    if (p->owns_graph)
        ki_graph_free(p->formulas.graph);
    pthread_mutex_destroy(&p->lock);
    free(p->nodes);
    free(p);
}

const ki_formulas *ki_preparation_formulas(const ki_preparation *p) {
    return p->too_long ? NULL : &p->formulas;
}

double ki_preparation_price(const ki_model *model) {
    return model->preparation ? model->preparation->price : 0;
}

const ki_programs *ki_shortened_programs(const ki_model *model) {
    ki_preparation *p = model->preparation;
    if (!p)
        return &model->given;
    const ki_programs *made = atomic_load(&p->made);
    if (made)
        return made;
    pthread_mutex_lock(&p->lock);
    if (!atomic_load(&p->made)) {
        bool shortened = !p->too_long && ki_make_programs(&p->formulas, true, &p->programs);
        atomic_store(&p->made, shortened ? &p->programs : &model->given);
    }
    pthread_mutex_unlock(&p->lock);
    return atomic_load(&p->made);
}

bool ki_begins_prepared(const ki_model *model) {
    return !model->preparation || atomic_load(&model->preparation->from_start);
}

const void *keel_equations_shortened(const keel_system *system) {
    const ki_model *model = keel_equations_inside(system);
    return model ? ki_shortened_programs(model) : NULL;
}

int keel_equations_prepared(const keel_system *system) {
    const ki_model *model = keel_equations_inside(system);
    return model && (!model->preparation || atomic_load(&model->preparation->made));
}

void keel_equations_prepare(const keel_system *system) {
    const ki_model *model = keel_equations_inside(system);
    if (model && model->preparation)
        atomic_store(&model->preparation->from_start, true);
}
