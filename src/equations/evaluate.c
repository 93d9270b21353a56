/* evaluate.c - a compiled system at work: point in, terms out, nothing allocated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/coupling.h"
#include "equations/prepare.h"

/* Programs of all terms together never have more answers than all sections. */
static int all_answers(const ki_model *model) {
    int count = 0;
    for (int s = 0; s < KI_SECTIONS; s++)
        count += model->count[s];
    return count;
}

static double *tape_work(ki_arena *arena, const ki_tape *tape) {
    double *work = KI_NEW(arena, double, ki_tape_work_size(tape));
    if (work)
        ki_tape_prepare(tape, work);
    return work;
}

static void make_coupling_work(const ki_coupling *coupling, ki_work *work) {
    work->first = tape_work(&work->arena, coupling->first);
    work->second = tape_work(&work->arena, coupling->second);
    work->first_answers = KI_NEW(&work->arena, double, coupling->first_count);
    work->second_answers = KI_NEW(&work->arena, double, coupling->second_count);
    work->pivot = KI_NEW(&work->arena, int, coupling->pivots);
}

static void work_free(void *user) {
    ki_work *work = user;
    if (!work)
        return;
    ki_arena_free(&work->arena);
    free(work);
}

static void use_programs(ki_work *work, const ki_programs *programs) {
    for (int i = 0; i < programs->count; i++)
        work->program[i] = tape_work(&work->arena, programs->at[i].tape);
    work->programs = programs;
}

static keel_status new_work(const ki_model *model, const ki_programs *programs, void **result) {
    ki_work *work = calloc(1, sizeof *work);
    *result = NULL;
    if (!work)
        return KEEL_ERROR_MEMORY;
    ki_arena_init(&work->arena);
    work->inputs = KI_NEW(&work->arena, double, model->inputs.count);
    work->answers = KI_NEW(&work->arena, double, all_answers(model));
    use_programs(work, programs);
    work->prepared = programs != &model->given || !ki_is_shortened_for_runs(model);
    if (model->outputs)
        work->outputs = tape_work(&work->arena, model->outputs);
    if (model->drawing)
        work->drawing = tape_work(&work->arena, model->drawing);
    if (model->sides)
        work->sides = tape_work(&work->arena, model->sides);
    if (model->instants)
        work->instants = KI_NEW(&work->arena, double, ki_instants_work_size(model->instants));
    if (model->coupling)
        make_coupling_work(model->coupling, work);
    if (work->arena.failed) {
        work_free(work);
        return KEEL_ERROR_MEMORY;
    }
    *result = work;
    return KEEL_OK;
}

static keel_status work_new(const keel_system *system, void **result) {
    const ki_model *model = system->model;
    return new_work(model, &model->given, result);
}

keel_status ki_prepared_work_new(const keel_system *system, void **result) {
    const ki_model *model = system->model;
    return new_work(model, ki_shortened_programs(model), result);
}

/* What the point does not give, and is not needed then, keeps its last value. */
static void load(double *inputs, const double *values, int count) {
    if (values && count)
        memcpy(inputs, values, (size_t)count * sizeof *inputs);
}

static void load_point(const ki_inputs *at, const keel_point *point, double *inputs) {
    inputs[0] = point->t;
    load(inputs + at->q, point->q, at->n);
    load(inputs + at->v, point->v, at->n);
    load(inputs + at->z, point->z, at->n_z);
    load(inputs + at->s, point->s, at->n_s);
    load(inputs + at->lambda, point->lambda, at->m);
}

static double *destination(keel_terms *terms, ki_section section) {
    switch (section) {
    case KI_SECTION_M:
        return terms->M;
    case KI_SECTION_J:
        return terms->J;
    case KI_SECTION_Q:
        return terms->Q;
    case KI_SECTION_XI:
        return terms->xi;
    case KI_SECTION_PHI:
        return terms->Phi;
    case KI_SECTION_RATE:
        return terms->rate;
    case KI_SECTION_F:
        return terms->f;
    case KI_SECTION_R:
        return terms->r;
    case KI_SECTION_R_S:
        return terms->r_s;
    case KI_SECTION_Q_LAMBDA:
        return terms->Q_lambda;
    case KI_SECTION_ENERGY:
        return &terms->energy;
    case KI_SECTION_POWER:
        return &terms->power;
    case KI_SECTION_TANGENT:
        return terms->tangent;
    case KI_SECTION_RATE_Q:
        return terms->rate_q;
    case KI_SECTION_INVARIANT:
        return terms->invariant;
    default:
        return terms->invariant_y;
    }
}

static void run_program(const ki_model *model, ki_work *work, int number, keel_terms *terms) {
    const ki_program *program = &work->programs->at[number];
    const double *answers = work->answers;
    ki_tape_run(program->tape, work->inputs, work->program[number], work->answers);
    for (int s = 0; s < KI_SECTIONS; s++) {
        if (!(ki_section_bit[s] & program->what) || !model->count[s])
            continue;
        memcpy(destination(terms, (ki_section)s), answers, (size_t)model->count[s] * sizeof *answers);
        answers += model->count[s];
    }
}

/* What the point does not give, KI_READS_... */
static unsigned missing(const keel_point *at) {
    return (at->q ? 0u : KI_READS_Q) | (at->v ? 0u : KI_READS_V) | (at->z ? 0u : KI_READS_Z) |
           (at->s ? 0u : KI_READS_S) | (at->lambda ? 0u : KI_READS_LAMBDA) | (at->a ? 0u : KI_READS_A);
}

/* Most points have q and v, and most programs read no more. */
static inline bool has_code(const ki_native_code *code, int program, const keel_point *at) {
    static const unsigned OTHERS = ~(unsigned)(KI_READS_Q | KI_READS_V);
    if (!code || !code->program[program])
        return false;
    unsigned reads = code->reads[program];
    return (!(reads & OTHERS) && at->q && at->v) || !(reads & missing(at));
}

/* All that formulas may need. */
static void load_all(const ki_model *model, unsigned what, const keel_point *at, double *inputs) {
    load_point(&model->inputs, at, inputs);
    if (what & KEEL_TANGENT)
        load(inputs + model->inputs.a, at->a, model->inputs.n);
}

/* The first program for nothing but terms of `what`, which is the largest; looked up once, as steps ask for
 * the same sets again and again. */
static inline int largest_within(ki_work *work, unsigned what) {
    ki_found *found = &work->found[(what ^ what >> 4 ^ what >> 8) % KI_FOUND];
    if (found->what == what)
        return found->program;
    int i = 0;
    while (work->programs->at[i].what & ~what)
        i++;
    *found = (ki_found){what, i};
    return i;
}

/* One program after another. */
static keel_status evaluate_parts(const ki_model *model, const ki_native_code *code, ki_work *work,
                                  unsigned what, const keel_point *at, keel_terms *terms) {
    bool through = model->coupling && (what & (KEEL_JACOBIAN | KEEL_VELOCITY | KEEL_XI)), loaded = through;
    if (through) {
        load_all(model, what, at, work->inputs);
        keel_status status = ki_coupling_before(model->coupling, &model->inputs, work);
        if (status < 0)
            return status;
    }
    for (unsigned left = what; left;) {
        int i = largest_within(work, left);
        left &= ~work->programs->at[i].what;
        if (has_code(code, i, at)) {
            code->program[i](at, work->inputs + model->inputs.w, terms);
            continue;
        }
        if (!loaded)
            load_all(model, what, at, work->inputs);
        loaded = true;
        run_program(model, work, i, terms);
    }
    if (through)
        ki_coupling_after(model->coupling, work, what, terms);
    return KEEL_OK;
}

static inline const ki_native_code *code_for(const ki_model *model, const ki_work *work) {
    return work->prepared ? atomic_load_explicit(&model->native, memory_order_acquire) : NULL;
}

/* Most of the time one program has it all, as machine code. */
static keel_status evaluate(const keel_system *system, void *user, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const ki_model *model = system->model;
    ki_work *work = user;
    const ki_native_code *code = code_for(model, work);
    what &= model->available;
    int i = what && !model->coupling ? largest_within(work, what) : 0;
    if (model->coupling || work->programs->at[i].what != what || !has_code(code, i, at))
        return evaluate_parts(model, code, work, what, at, terms);
    code->program[i](at, work->inputs + model->inputs.w, terms);
    return KEEL_OK;
}

static keel_status outputs(const keel_system *system, void *user, const keel_point *at, const double *v_rate,
                           double *values) {
    const ki_model *model = system->model;
    ki_work *work = user;
    load_point(&model->inputs, at, work->inputs);
    load(work->inputs + model->inputs.a, v_rate, model->inputs.n);
    ki_tape_run(model->outputs, work->inputs, work->outputs, values);
    return KEEL_OK;
}

static int next_switch(const keel_system *system, void *user, double from, double until, double when[3]) {
    const ki_model *model = system->model;
    ki_work *work = user;
    ki_instant found;
    if (!ki_instants_next(model->instants, from, until, work->instants, &found))
        return 0;
    when[0] = found.before, when[1] = found.at, when[2] = found.after;
    return 1;
}

static void switching_values(const keel_system *system, void *user, const keel_point *at, double *g) {
    const ki_model *model = system->model;
    ki_work *work = user;
    load_point(&model->inputs, at, work->inputs);
    ki_tape_run(model->sides, work->inputs, work->sides, g);
}

static const keel_saddle_code *kernel(const keel_system *system, void *user) {
    const ki_native_code *code = code_for(system->model, user);
    return code ? code->saddle : NULL;
}

void *keel_equations_inside(const keel_system *system) {
    if (!system)
        return NULL;
    return system->evaluate == evaluate ? (void *)system->model : NULL;
}

const char *keel_equations_code(const keel_system *system) {
    ki_model *model = keel_equations_inside(system);
    if (!model)
        return NULL;
    return atomic_load_explicit(&model->native, memory_order_acquire) ? "native" : "tape";
}

keel_drawing keel_equations_drawing(const keel_system *system) {
    const ki_model *model = keel_equations_inside(system);
    return model ? model->drawn : (keel_drawing){0};
}

void keel_equations_draw(const keel_system *system, void *user, const keel_point *at, double (*points)[3]) {
    if (!system || !user || !at || !points)
        return;
    const ki_model *model = system->model;
    ki_work *work = user;
    load_point(&model->inputs, at, work->inputs);
    ki_tape_run(model->drawing, work->inputs, work->drawing, points[0]);
}

ki_model *ki_model_new(void) {
    ki_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    ki_arena_init(&model->arena);
    model->system = keel_system_default();
    return model;
}

void ki_model_connect(ki_model *model) {
    model->system.model = model;
    model->system.work_new = work_new;
    model->system.work_free = work_free;
    model->system.evaluate = evaluate;
    model->system.kernel = kernel;
    model->system.outputs = model->outputs ? outputs : NULL;
    model->system.switches.next = model->instants ? next_switch : NULL;
    model->system.switches.values = model->sides ? switching_values : NULL;
}

void ki_model_free(ki_model *model) {
    if (!model)
        return;
    ki_programs_clear(&model->given);
    ki_preparation_free(model->preparation);
    ki_tape_free(model->outputs);
    ki_tape_free(model->drawing);
    ki_tape_free(model->sides);
    ki_instants_free(model->instants);
    ki_coupling_free(model->coupling);
    ki_arena_free(&model->arena);
    free(model);
}

void keel_equations_system_free(keel_system *system) {
    if (system)
        ki_model_free((ki_model *)system->model);
}
