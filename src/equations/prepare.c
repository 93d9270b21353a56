#include "equations/prepare.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "equations/builder.h"

struct ki_preparation {
    ki_formulas formulas;
    bool too_long; /* to be shortened */
    bool kept;     /* the graph of the formulas is owned, so that programs can be made */
    ki_node *nodes;
    pthread_mutex_t lock; /* of what is made */
    ki_programs programs;
    _Atomic(const ki_programs *) made; /* NULL: not yet */
    keel_system system;                /* whose workspaces have them from their start */
    bool system_made;
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
    p->too_long = longest(given) > KI_MOST_SHORTENED;
    if (!copy_nodes(p) || pthread_mutex_init(&p->lock, NULL)) {
        free(p->nodes);
        free(p);
        return NULL;
    }
    return p;
}

bool ki_preparation_keep(ki_preparation *p, ki_model *model, ki_graph *graph) {
    if (p->too_long)
        return false;
    p->formulas.graph = graph;
    p->kept = true;
    model->system.for_run = ki_equations_for_run;
    return true;
}

void ki_preparation_free(ki_preparation *p) {
    if (!p)
        return;
    ki_programs_clear(&p->programs);
    if (p->kept)
        ki_graph_free(p->formulas.graph);
    pthread_mutex_destroy(&p->lock);
    free(p->nodes);
    free(p);
}

const ki_formulas *ki_preparation_formulas(const ki_preparation *p) {
    return p->kept ? &p->formulas : NULL;
}

bool ki_is_shortened_for_runs(const ki_model *model) {
    return model->preparation && model->preparation->kept;
}

/* The lock is held. */
static const ki_programs *make_programs(const ki_model *model) {
    ki_preparation *p = model->preparation;
    if (!atomic_load(&p->made)) {
        bool shortened = p->kept && ki_make_programs(&p->formulas, true, &p->programs);
        atomic_store(&p->made, shortened ? &p->programs : &model->given);
    }
    return atomic_load(&p->made);
}

const ki_programs *ki_shortened_programs(const ki_model *model) {
    ki_preparation *p = model->preparation;
    if (!p)
        return &model->given;
    const ki_programs *made = atomic_load(&p->made);
    if (made)
        return made;
    pthread_mutex_lock(&p->lock);
    made = make_programs(model);
    pthread_mutex_unlock(&p->lock);
    return made;
}

/* The lock is held. False when out of memory. */
static bool make_system(ki_model *model) {
    ki_preparation *p = model->preparation;
    if (make_programs(model) != &p->programs)
        return false;
    p->system = model->system;
    p->system.work_new = ki_prepared_work_new;
    p->system.for_run = NULL;
    return true;
}

const keel_system *ki_prepared_system(ki_model *model) {
    ki_preparation *p = model->preparation;
    if (!p || !p->kept)
        return &model->system;
    pthread_mutex_lock(&p->lock);
    p->system_made = p->system_made || make_system(model);
    const keel_system *made = p->system_made ? &p->system : NULL;
    pthread_mutex_unlock(&p->lock);
    return made;
}

const keel_system *ki_equations_for_run(const keel_system *system, double evaluations) {
    return evaluations >= KI_EARNED ? ki_prepared_system((ki_model *)system->model) : system;
}

const void *keel_equations_shortened(const keel_system *system) {
    const ki_model *model = keel_equations_inside(system);
    return model ? ki_shortened_programs(model) : NULL;
}

int keel_equations_prepared(const keel_system *system) {
    const ki_model *model = keel_equations_inside(system);
    return model && (!model->preparation || atomic_load(&model->preparation->made));
}
