/* turns.c - angles in outputs that a pose tells only up to whole turns: those of joints in space that are
 * cut.
 *
 * Who follows the motion says which values they are near to; outputs then take the turn nearest to these. */
#include <math.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/turns.h"

static const double TURN = 6.283185307179586;

static bool is_wound(const ki_mech *mech, const ki_measure *m) {
    if (mech->d == KI_PLANAR || m->kind != KI_MEASURE_JOINT || m->primes)
        return false;
    const ki_joint *joint = &mech->joint[m->object];
    return !joint->tree && ki_role(joint, mech->d)->turns[m->component];
}

/* [count] at the point where the bodies are placed and move */
static void values(const keel_system *system, void *work, const keel_point *at, double *angle, double *rate) {
    const ki_mech *mech = system->model;
    ki_mech_work *w = work;
    ki_place(mech, w, at->q);
    ki_move_bodies(mech, w, at->v);
    for (int i = 0; i < mech->wound_count; i++) {
        ki_measure m = mech->outputs.input[mech->wound[i]];
        angle[i] = ki_measure_value(mech, w, &m);
        m.primes = 1;
        rate[i] = ki_measure_value(mech, w, &m);
    }
}

static void near(const keel_system *system, void *work, const double *angle) {
    const ki_mech *mech = system->model;
    ki_mech_work *w = work;
    memcpy(w->near, angle, (size_t)mech->wound_count * sizeof *angle);
    w->is_followed = true;
}

void ki_take_turns(const ki_mech *mech, const ki_mech_work *w, double *inputs) {
    for (int i = 0; w->is_followed && i < mech->wound_count; i++) {
        double *angle = &inputs[mech->wound[i]];
        *angle += TURN * round((w->near[i] - *angle) / TURN);
    }
}

keel_status ki_find_wound(ki_mech *mech) {
    mech->wound = KI_NEW(&mech->arena, int, mech->outputs.input_count);
    if (!mech->wound)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < mech->outputs.input_count; i++)
        if (is_wound(mech, &mech->outputs.input[i]))
            mech->wound[mech->wound_count++] = i;
    if (mech->wound_count) {
        mech->system.turns.count = mech->wound_count;
        mech->system.turns.values = values;
        mech->system.turns.near = near;
    }
    return KEEL_OK;
}
