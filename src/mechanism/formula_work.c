/* formula_work.c - what the tapes of a mechanism need of a work area, and their end.
 *
 * ki_mech_work.inputs holds the inputs of one force formula at a time, behind them those of the outputs
 * (which may ask a spring for its force while they are gathered), behind these the reactions if outputs ask
 * for them.
 */
#include "mechanism/forces/force.h"
#include "mechanism/reaction.h"

enum { EXTRA_MOST = 2 }; /* length and rate */

static int inputs_of(const ki_formula *formula) {
    return 1 + EXTRA_MOST + formula->input_count;
}

int ki_output_inputs(const ki_mech *mech) {
    int most = 1 + EXTRA_MOST;
    for (int i = 0; i < mech->force_count; i++)
        if (inputs_of(&mech->force[i].law) > most)
            most = inputs_of(&mech->force[i].law);
    if (inputs_of(&mech->rates) > most)
        most = inputs_of(&mech->rates);
    return most;
}

bool ki_outputs_need_reactions(const ki_mech *mech) {
    for (int i = 0; i < mech->outputs.input_count; i++)
        if (mech->outputs.input[i].kind == KI_MEASURE_REACTION)
            return true;
    return false;
}

size_t ki_formula_scratch(const ki_mech *mech, int *inputs) {
    int reaction = (int)(sizeof(keel_reaction) / sizeof(double));
    *inputs = ki_output_inputs(mech) + inputs_of(&mech->outputs);
    if (ki_outputs_need_reactions(mech))
        *inputs += mech->described_joints * reaction;
    return mech->tape_size;
}

void ki_formulas_prepare(const ki_mech *mech, double *tape) {
    for (int i = 0; i < mech->force_count; i++)
        if (mech->force[i].law.tape)
            ki_tape_prepare(mech->force[i].law.tape, tape + mech->force[i].law.work);
    for (int i = 0; i < mech->force_count; i++)
        if (mech->force[i].sides.tape)
            ki_tape_prepare(mech->force[i].sides.tape, tape + mech->force[i].sides.work);
    for (int i = 0; i < mech->motion_count; i++)
        ki_tape_prepare(mech->motion[i].tape, tape + mech->motion[i].work);
    if (mech->rates.tape)
        ki_tape_prepare(mech->rates.tape, tape + mech->rates.work);
    if (mech->rate_sides.tape)
        ki_tape_prepare(mech->rate_sides.tape, tape + mech->rate_sides.work);
    if (mech->outputs.tape)
        ki_tape_prepare(mech->outputs.tape, tape + mech->outputs.work);
}

void ki_formulas_free(ki_mech *mech) {
    for (int i = 0; i < mech->force_count; i++) {
        ki_tape_free(mech->force[i].law.tape);
        ki_tape_free(mech->force[i].sides.tape);
    }
    ki_instants_free(mech->instants);
    for (int i = 0; i < mech->motion_count; i++)
        ki_tape_free(mech->motion[i].tape);
    ki_tape_free(mech->rates.tape);
    ki_tape_free(mech->rate_sides.tape);
    ki_tape_free(mech->outputs.tape);
    if (mech->laws)
        ki_graph_free(mech->laws);
}
