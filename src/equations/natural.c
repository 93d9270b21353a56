#include "equations/natural.h"

/* Doubles of scratch for the tape of M, on the stack: kinematics have no workspace. */
enum { MOST_SCRATCH = 2048, MOST_INPUTS = 8 };

static const ki_program *program_of_M(const ki_model *model, int *number) {
    for (int i = 0; i < model->given.count; i++)
        if (model->given.at[i].what == KEEL_MASS) {
            *number = i;
            return &model->given.at[i];
        }
    return NULL;
}

static double M_at(const keel_system *system, const double *q) {
    const ki_model *model = system->model;
    const ki_native_code *code = atomic_load_explicit(&model->native, memory_order_acquire);
    double M = 0, inputs[MOST_INPUTS] = {0}, work[MOST_SCRATCH];
    int i = 0;
    const ki_program *program = program_of_M(model, &i);
    if (code && code->program[i]) {
        code->program[i](&(keel_point){.q = q}, inputs, &(keel_terms){.M = &M});
        return M;
    }
    inputs[model->inputs.q] = q[0];
    ki_tape_prepare(program->tape, work);
    ki_tape_run(program->tape, inputs, work, &M);
    return M;
}

/* u' = w / M */
static void kinematics(const keel_system *system, const double *q, const double *v, double *q_rate) {
    q_rate[0] = v[0] / M_at(system, q);
}

static void advance(const keel_system *system, double *q, const double *dv) {
    if (dv[0] != 0)
        q[0] += dv[0] / M_at(system, q);
}

static void pull(const keel_system *system, const double *q, const double *dq, double *dv) {
    dv[0] = dq[0] * M_at(system, q);
}

bool ki_make_natural(ki_model *model) {
    int i;
    const ki_program *program = program_of_M(model, &i);
    if (!program || ki_tape_work_size(program->tape) > MOST_SCRATCH || model->inputs.count > MOST_INPUTS)
        return false;
    model->natural = true;
    model->system.kinematics = kinematics;
    model->system.advance = advance;
    model->system.pull = pull;
    return true;
}
