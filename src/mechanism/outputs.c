/* outputs.c - what a user wants to see: formulas of anything that can be measured. */
#include <math.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/reaction.h"
#include "mechanism/skeleton.h"
#include "mechanism/states.h"
#include "mechanism/turns.h"

keel_status ki_outputs_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics) {
    const keel_mechanism *description = names->description;
    int count = description->output_count;
    if (count == 0)
        return KEEL_OK;
    keel_formula *formula = KI_NEW(&mech->arena, keel_formula, count);
    const char **name = KI_NEW(&mech->arena, const char *, count);
    keel_location *at = KI_NEW(&mech->arena, keel_location, count);
    if (!formula || !name || !at)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        const ki_output_spec *output = &description->output[i];
        formula[i] = output->formula;
        at[i] = ki_keep_place(mech, output->where);
        name[i] = ki_arena_text(&mech->arena, output->name, strlen(output->name));
        if (!name[i])
            return KEEL_ERROR_MEMORY;
    }
    mech->output_count = mech->system.n_outputs = count;
    mech->system.names.output = name;
    mech->system.output_at = at;
    keel_status status =
        ki_formula_compile(names, mech, formula, count, NULL, 0, KI_FOR_OUTPUT, diagnostics, &mech->outputs);
    return status ? status : ki_find_wound(mech);
}

/* Components as reaction.h numbers them. */
static double reaction_component(const keel_reaction *reaction, int component) {
    const double *world = component < 7 ? reaction->force : reaction->torque;
    const double *local = component < 7 ? reaction->local_force : reaction->local_torque;
    int k = component % 7;
    if (k == 0)
        return sqrt(ki_dot3(world, world));
    return k < 4 ? world[k - 1] : local[k - 4];
}

static double value_of(const ki_mech *mech, ki_mech_work *w, const ki_measure *measure, const keel_point *at,
                       const keel_reaction *reactions) {
    switch (measure->kind) {
    case KI_MEASURE_REACTION:
        return reaction_component(&reactions[measure->object], measure->component);
    case KI_MEASURE_FORCE:
        return ki_resistance(mech, w, &mech->force[measure->object], at->t);
    case KI_MEASURE_DRIVE:
        return -at->lambda[mech->layout->part[mech->layout->motion_part + measure->object].row];
    default:
        return ki_measure_value(mech, w, measure);
    }
}

keel_status ki_mech_outputs(const keel_system *system, void *work, const keel_point *at, const double *v_rate,
                            double *values) {
    const ki_mech *mech = system->model;
    ki_mech_work *w = work;
    const ki_formula *outputs = &mech->outputs;
    double *inputs = w->inputs + ki_output_inputs(mech);
    keel_reaction *reactions = (keel_reaction *)(inputs + 1 + outputs->input_count);
    if (ki_outputs_need_reactions(mech)) {
        keel_status status = keel_mechanism_reactions(system, work, at, v_rate, reactions);
        if (status < 0)
            return status;
    }
    ki_load_states(mech, w, at);
    ki_place(mech, w, at->q);
    ki_move_bodies(mech, w, at->v);
    ki_accelerate(mech, w, v_rate);
    inputs[0] = at->t;
    for (int i = 0; i < outputs->input_count; i++)
        inputs[1 + i] = value_of(mech, w, &outputs->input[i], at, reactions);
    ki_take_turns(mech, w, inputs + 1);
    ki_tape_run(outputs->tape, inputs, w->tape + outputs->work, values);
    return KEEL_OK;
}
