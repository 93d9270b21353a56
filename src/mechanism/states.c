#include "mechanism/states.h"

#include <string.h>

static int count_inputs(const keel_mechanism *m) {
    int count = 0;
    for (int i = 0; i < m->state_count; i++)
        count += !m->state[i].rate.text;
    return count;
}

/* The system's own: names, and which states are inputs. */
static keel_status name_states(const keel_mechanism *m, ki_mech *mech) {
    keel_system *s = &mech->system;
    const char **name = KI_NEW(&mech->arena, const char *, m->state_count);
    int *input = KI_NEW(&mech->arena, int, count_inputs(m));
    if (!name || !input)
        return KEEL_ERROR_MEMORY;
    s->n_z = m->state_count;
    for (int i = 0; i < m->state_count; i++) {
        name[i] = ki_arena_text(&mech->arena, m->state[i].name, strlen(m->state[i].name));
        if (!m->state[i].rate.text)
            input[s->n_inputs++] = i;
    }
    s->input = input;
    s->names.z = name;
    return mech->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static keel_status compile_rates(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics) {
    const keel_mechanism *m = names->description;
    keel_formula *formula = KI_NEW(&mech->arena, keel_formula, m->state_count);
    int count = 0;
    mech->rate_of = KI_NEW(&mech->arena, int, m->state_count);
    if (!formula || !mech->rate_of)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < m->state_count; i++)
        if (m->state[i].rate.text) {
            mech->rate_of[count] = i;
            formula[count++] = m->state[i].rate;
        }
    return count ? ki_formula_compile(names, mech, formula, count, NULL, 0, KI_FOR_FORCE, diagnostics,
                                      &mech->rates)
                 : KEEL_OK;
}

keel_status ki_states_compile(const ki_names *names, ki_mech *mech, bool for_assembly,
                              keel_diagnostics *diagnostics) {
    const keel_mechanism *m = names->description;
    if (!m->state_count)
        return KEEL_OK;
    mech->state_count = m->state_count;
    mech->state_start = KI_NEW(&mech->arena, double, m->state_count);
    if (!mech->state_start)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < m->state_count; i++)
        mech->state_start[i] = m->state[i].start;
    if (for_assembly)
        return KEEL_OK;
    keel_status status = name_states(m, mech);
    return status ? status : compile_rates(names, mech, diagnostics);
}

void ki_load_states(const ki_mech *mech, ki_mech_work *w, const keel_point *at) {
    if (mech->system.n_z && at->z)
        memcpy(w->z, at->z, (size_t)mech->system.n_z * sizeof *w->z);
}

void ki_state_rates(const ki_mech *mech, ki_mech_work *w, double t, double *f) {
    const ki_formula *rates = &mech->rates;
    memset(f, 0, (size_t)mech->system.n_z * sizeof *f);
    if (!rates->tape)
        return;
    double *value = w->rate;
    ki_formula_run(mech, w, rates, 0, NULL, t, value);
    for (int i = 0; i < rates->outputs; i++)
        f[mech->rate_of[i]] = value[i];
}
