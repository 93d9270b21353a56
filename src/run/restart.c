#include "run/restart.h"

#include <math.h>

#include "run/crossing.h"

void ki_clear_workspaces(keel_simulation *sim) {
    ki_stiff_rows_clear(&sim->stiff_rows);
    ki_dynamics_clear(&sim->dynamics);
    ki_dynamics_clear(&sim->rows);
}

keel_status ki_replace_workspaces(keel_simulation *sim) {
    ki_dynamics old = sim->dynamics;
    const ki_scales *scales = sim->rows.scales;
    sim->dynamics = sim->rows = (ki_dynamics){0};
    ki_choose_method(sim);
    keel_status status = ki_make_workspaces(sim);
    ki_dynamics *d = &sim->dynamics;
    if (!status && scales) { /* found already: the run goes on from sim->row_y */
        ki_copy_scales(d->scales, scales, sim->active);
        ki_raise_scales(d->scales, sim->active, sim->row_y);
    }
    d->evaluations += old.evaluations;
    d->factorizations += old.factorizations;
    d->projections += old.projections;
    d->projection_factorizations += old.projection_factorizations;
    d->projection_iterations += old.projection_iterations;
    d->step = old.step;
    d->motion_rate = old.motion_rate;
    return status;
}

/* Workspaces, integrator and watch, from sim->row_y. */
static keel_status begin_again(keel_simulation *sim, double t, double step) {
    keel_integrator kind = sim->settings.method.integrator;
    keel_status status = ki_replace_workspaces(sim);
    sim->settings.method.integrator = kind;
    if (!status)
        status = ki_factor_at(&sim->dynamics, t, sim->row_y);
    if (!status) /* other rows: those that were not held are open by a little */
        status = ki_settle(&sim->dynamics, sim->settings.method.stabilize, t, sim->row_y);
    if (!status)
        status = ki_prepare_workspaces(sim, t, sim->row_y);
    if (!status)
        sim->integrator = ki_start_integrator(sim, kind, t, sim->row_y, step, &status);
    return status ? status : ki_begin_watch(sim, t, sim->row_y);
}

/* What the watch has seen so far: of all constraints together, other rows make no difference. */
static void carry_watch(const ki_watch *old, ki_watch *next) {
    if (!old->active || !next->active)
        return;
    next->logged = old->logged;
    if (old->smallest < next->smallest) {
        next->smallest = old->smallest;
        next->smallest_time = old->smallest_time;
    }
    if (!old->of_all || !next->of_all)
        return;
    next->largest = fmax(next->largest, old->largest);
    if (old->t == next->t) {
        next->before = old->before;
        next->t_before = old->t_before;
    }
}

keel_status ki_restart(keel_simulation *sim, double t, double step) {
    ki_integrator *old = sim->integrator;
    ki_stiff_rows_clear(&sim->stiff_rows); /* they belong to the workspace of rows at this address */
    keel_simulation before = *sim;
    keel_status status = begin_again(sim, t, step);
    if (status) {
        if (sim->integrator != old)
            ki_integrator_free(sim->integrator);
        if (sim->crossing.bridge != before.crossing.bridge)
            ki_integrator_free(sim->crossing.bridge);
        ki_clear_workspaces(sim);
        before.arena = sim->arena;
        before.arena.failed = false; /* there may be memory the next time */
        *sim = before;
        return status;
    }
    carry_watch(&before.watch, &sim->watch);
    ki_carry_counts(old, sim->integrator);
    if (sim->crossing.bridging) { /* the old one is the bridge, which serves again */
        sim->crossing.bridge = old;
        sim->crossing.bridging = false;
        old = NULL;
    }
    /* the old one ends with the workspace it was made for */
    ki_dynamics now = sim->dynamics;
    sim->dynamics = before.dynamics;
    ki_integrator_free(old);
    before.dynamics = sim->dynamics;
    sim->dynamics = now;
    ki_clear_workspaces(&before);
    return KEEL_OK;
}
