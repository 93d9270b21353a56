#include "mechanism/work.h"

#include <stdlib.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/quantity.h"

static void at_rest_at_the_origin(ki_state *s) {
    memset(s, 0, sizeof *s);
    s->R[0] = s->R[4] = s->R[8] = 1;
}

/* The columns of a body with coordinates of its own that never change: v = (x', y', angle') or (x', y', z',
 * omega). */
static void own_columns(int d, double (*S)[6]) {
    int slides = d == KI_PLANAR ? 2 : 3;
    for (int k = 0; k < slides; k++)
        S[k][d - slides + k] = 1;
    if (d == KI_PLANAR)
        S[2][0] = 1;
}

keel_status ki_mech_work_new(const keel_system *system, void **work) {
    const ki_mech *mech = ki_mech_of(system);
    int bodies = mech->body_count, n_v = system->n_v, m = keel_system_m(system), inputs = 0;
    *work = NULL;
    ki_mech_work *w = calloc(1, sizeof *w);
    if (!w)
        return KEEL_ERROR_MEMORY;
    ki_arena *arena = &w->arena;
    ki_arena_init(arena);
    w->state = KI_NEW(arena, ki_state, bodies);
    w->angle = KI_NEW(arena, double, bodies);
    w->sine = KI_NEW(arena, double, bodies);
    w->cosine = KI_NEW(arena, double, bodies);
    w->S = ki_arena_alloc(arena, (size_t)n_v, sizeof *w->S);
    w->wrench = ki_arena_alloc(arena, (size_t)bodies, sizeof *w->wrench);
    w->added = ki_arena_alloc(arena, (size_t)bodies, sizeof *w->added);
    w->composite = ki_arena_alloc(arena, (size_t)bodies, sizeof *w->composite);
    w->rows = KI_NEW(arena, ki_row, mech->layout->part_count);
    w->tau = KI_NEW(arena, double, m);
    w->tau_rate = KI_NEW(arena, double, m);
    w->tape = KI_NEW(arena, double, ki_formula_scratch(mech, &inputs));
    w->inputs = KI_NEW(arena, double, inputs);
    w->near = KI_NEW(arena, double, mech->wound_count);
    w->local_q = KI_NEW(arena, double, system->n_q);
    w->last_q = KI_NEW(arena, double, system->n_q);
    w->last_v = KI_NEW(arena, double, n_v);
    w->q = KI_NEW(arena, double, system->n_q);
    w->v = KI_NEW(arena, double, n_v);
    w->asked = KI_NEW(arena, double, system->n_q + n_v);
    w->z = KI_NEW(arena, double, mech->state_count);
    w->rate = KI_NEW(arena, double, mech->state_count);
    w->step = KI_NEW(arena, double, n_v);
    for (int side = 0; side < 2; side++)
        w->residual[side] = KI_NEW(arena, double, n_v + m);
    ki_friction_prepare(mech, arena, &w->dry);
    if (arena->failed) {
        ki_mech_work_free(w);
        return KEEL_ERROR_MEMORY;
    }
    for (int b = 0; b < bodies; b++) {
        at_rest_at_the_origin(&w->state[b]);
        if (mech->body[b].kind == KI_HINGE_OWN)
            own_columns(mech->d, w->S + mech->body[b].v);
    }
    if (mech->state_count)
        memcpy(w->z, mech->state_start, (size_t)mech->state_count * sizeof *w->z);
    ki_formulas_prepare(mech, w->tape);
    w->formulas = mech->formulas;
    if (w->formulas && w->formulas->work_new(w->formulas, &w->formulas_work) < 0) {
        ki_mech_work_free(w);
        return KEEL_ERROR_MEMORY;
    }
    *work = w;
    return KEEL_OK;
}

void ki_mech_work_free(void *work) {
    ki_mech_work *w = work;
    if (!w)
        return;
    if (w->formulas_work)
        w->formulas->work_free(w->formulas_work);
    ki_arena_free(&w->arena);
    free(w);
}
