#include "run/switching.h"

#include <math.h>
#include <string.h>

#include "run/sides.h"
#include "run/simulation.h"
#include "stabilize/stabilizer.h"

/* Rules that solve for displacements leave velocities that swing about the constraints, by O(h^2). A step of
 * another length would not damp that but feed on it: like any start, one behind a switch is consistent. */
static keel_status make_consistent(keel_simulation *sim, double t, double *y) {
    const keel_method *method = &sim->settings.method;
    bool swings = method->formulation == KEEL_INDEX3 && method->stabilize == KEEL_STABILIZE_NONE;
    return swings && sim->dynamics.m ? ki_project_velocity(&sim->dynamics, t, y) : KEEL_OK;
}

keel_status ki_renew_integrator(keel_simulation *sim, double t, const double *y, double first_step) {
    ki_integrator *old = sim->integrator;
    double *begin = sim->switching.y_begin;
    memcpy(begin, y, (size_t)old->n * sizeof *begin);
    keel_status status = make_consistent(sim, t, begin);
    if (status)
        return status;
    ki_integrator *next =
        ki_start_integrator(sim, sim->settings.method.integrator, t, begin, first_step, &status);
    if (!next)
        return status;
    ki_carry_counts(old, next);
    ki_rough_step_carry(&old->rough, &next->rough, &sim->dynamics);
    next->longest_step = old->longest_step;
    next->damped = old->damped;
    next->slow = old->slow;
    next->fast = old->fast;
    next->stiff = old->stiff;
    ki_integrator_free(old);
    sim->integrator = next;
    return KEEL_OK;
}

void ki_tell_switches(keel_simulation *sim) {
    const ki_switching *s = &sim->switching;
    ki_dynamics *all[] = {&sim->dynamics, &sim->rows};
    if (!s->of_time)
        return;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->system)
            ki_stay_between(all[i], s->t_first, s->t_last);
}

/* The next switch after `from`, which may be the time behind one. Those that fall on one time count as one.
 */
static void look_ahead(keel_simulation *sim, double from) {
    ki_switching *s = &sim->switching;
    const keel_system *sys = sim->system;
    double when[3], until = sim->settings.until;
    s->at = s->t_last = s->after = INFINITY;
    if (!sys->switches.next(sys, s->work, from, until, when))
        return;
    s->at = when[1], s->t_last = when[0], s->after = when[2];
    while (sys->switches.next(sys, s->work, s->after, until, when) && when[0] <= s->after)
        s->after = fmax(when[2], nextafter(s->after, INFINITY));
}

void ki_look_for_switches(keel_simulation *sim) {
    if (sim->switching.of_time && sim->switching.at == INFINITY)
        look_ahead(sim, sim->integrator->t);
}

/* Behind the switch at s->at; true if there was one. */
static bool pass_time(keel_simulation *sim, double t) {
    ki_switching *s = &sim->switching;
    bool passed = false;
    while (s->at <= t && t < sim->settings.until) {
        s->t_first = s->after;
        s->passed = s->at;
        s->met++;
        look_ahead(sim, s->after);
        passed = true;
    }
    if (passed)
        ki_tell_switches(sim);
    return passed;
}

keel_status ki_switching_init(keel_simulation *sim, double t) {
    ki_switching *s = &sim->switching;
    const keel_system *sys = sim->system;
    *s = (ki_switching){.of_time = sys->switches.next != NULL,
                        .t_first = -INFINITY,
                        .t_last = INFINITY,
                        .at = INFINITY,
                        .after = INFINITY,
                        .cut = INFINITY,
                        .halt = INFINITY,
                        .passed = -INFINITY};
    bool of_state = sys->switches.values && sys->switches.count > 0;
    if (!s->of_time && !of_state && !sys->n_inputs)
        return KEEL_OK;
    keel_status status = sys->work_new ? sys->work_new(sys, &s->work) : KEEL_OK;
    if (!status && of_state)
        status = ki_sides_init(sim);
    int m = keel_system_m(sys);
    for (int side = 0; side < KI_LOOKS; side++) {
        s->Phi[side] = KI_NEW(&sim->arena, double, m);
        s->rate[side] = KI_NEW(&sim->arena, double, m);
    }
    s->J = KI_NEW(&sim->arena, double, keel_pattern_count(sys->J));
    s->y_begin = KI_NEW(&sim->arena, double, sys->n_q + sys->n_v + sys->n_z + 1 + KI_SPARE);
    if (status || sim->arena.failed)
        return status ? status : KEEL_ERROR_MEMORY;
    if (s->of_time) {
        look_ahead(sim, t);
        pass_time(sim, t);
        s->met = 0; /* one at the start is none on the way */
        ki_tell_switches(sim);
    }
    return KEEL_OK;
}

void ki_switching_clear(keel_simulation *sim) {
    const keel_system *sys = sim->system;
    if (sim->switching.work && sys->work_free)
        sys->work_free(sim->switching.work);
    sim->switching.work = NULL;
}

double ki_step_limit(const keel_simulation *sim) {
    const ki_switching *s = &sim->switching;
    return fmin(fmin(sim->settings.until, s->halt), fmin(s->at, s->cut));
}

/* A run may go back to a state before the last switch. */
static void go_back_if_asked(keel_simulation *sim, double t) {
    ki_switching *s = &sim->switching;
    if (!(t < s->passed))
        return;
    s->t_first = s->passed = -INFINITY;
    look_ahead(sim, t);
    ki_tell_switches(sim);
}

/* ---- motions that jump */

/* How large the terms are that Phi_i and its rate are differences of. */
static double size_of_row(const keel_simulation *sim, int i, const double *of) {
    const ki_switching *s = &sim->switching;
    keel_pattern P = sim->system->J;
    double size = 0;
    for (int k = P.start[i]; k < P.start[i + 1]; k++)
        size += fabs(s->J[k] * of[P.index[k]]);
    return size;
}

/* The constraints of the whole system at the state sim->row_y, on either side of the switch that was passed,
 * and a little farther away. */
static keel_status look_from_both_sides(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    const keel_system *sys = sim->system;
    double pause = s->t_first - s->last_before;
    const double TIMES[KI_LOOKS] = {s->last_before - pause, s->last_before, s->t_first, s->t_first + pause};
    for (int k = 0; k < KI_LOOKS; k++) {
        keel_point at = {.t = TIMES[k],
                         .q = sim->row_y,
                         .v = sim->row_y + sys->n_q,
                         .z = sim->row_y + sys->n_q + sys->n_v,
                         .s = sim->rows.s};
        keel_terms terms = {.Phi = s->Phi[k], .rate = s->rate[k], .J = s->J};
        unsigned what = KEEL_VELOCITY | KEEL_JACOBIAN | (sys->n_h ? (unsigned)KEEL_POSITION : 0u);
        if (sys->evaluate(sys, s->work, what, &at, &terms) < 0)
            return KEEL_ERROR_CALLBACK;
    }
    return KEEL_OK;
}

/* The row that jumps most from one side of the switch to the other, or -1: it changes by more than it does on
 * either side in as much time, and by more than round-off. */
static int jumping_row(const keel_simulation *sim, bool is_position) {
    static const double JUMP = 1e-9; /* of its terms: round-off is far below */
    const ki_switching *s = &sim->switching;
    const keel_system *sys = sim->system;
    const double *q = sim->row_y, *v = q + sys->n_q;
    double *const *value = is_position ? s->Phi : s->rate, most = 0;
    int worst = -1, rows = is_position ? sys->n_h : keel_system_m(sys);
    for (int i = 0; i < rows; i++) {
        double jump = fabs(value[2][i] - value[1][i]);
        double nothing = 8 * (fabs(value[1][i] - value[0][i]) + fabs(value[3][i] - value[2][i]));
        if (!is_position)
            nothing += JUMP * size_of_row(sim, i, v);
        else if (sys->row_size)
            nothing += JUMP * sys->row_size[i];
        else if (sys->n_q == sys->n_v)
            nothing += JUMP * size_of_row(sim, i, q);
        if (jump > nothing && jump > most) {
            most = jump;
            worst = i;
        }
    }
    return worst;
}

static void tell_jump(keel_simulation *sim, int row, bool is_position) {
    char made_up[32];
    const ki_switching *s = &sim->switching;
    const keel_system *sys = sim->system;
    const char *name = keel_system_name(sys, KEEL_NAME_CONSTRAINT, row, made_up);
    double *const *value = is_position ? s->Phi : s->rate;
    double jump = fabs(value[2][row] - value[1][row]);
    if (is_position)
        keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, (keel_location){0},
                             "t = %.10g: '%s' jumps by %.3g: what is driven must move without jumps",
                             s->passed, name, jump);
    else
        keel_diagnostics_add(sim->diagnostics, KEEL_NOTE, (keel_location){0},
                             "t = %.10g: the speed of '%s' jumps by %.3g: an impulse takes all velocities "
                             "along, and its work counts as that of the motion",
                             s->passed, name, jump);
}

/* The velocities behind a jump of a motion's speed, as an impulse in all joints makes them. */
static keel_status take_impulse(keel_simulation *sim, double t, double *y) {
    ki_dynamics *d = &sim->dynamics;
    keel_status status = ki_evaluate_terms(d, KEEL_ENERGY, t, y);
    double before = d->at.energy;
    if (!status)
        status = ki_factor_at(d, t, y);
    if (!status)
        status = ki_settle(d, KEEL_PROJECTION, t, y);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_ENERGY, t, y);
    if (!status && d->system->has_energy)
        *ki_work(d, y) += d->at.energy - before;
    return status;
}

/* Behind a switch of time. */
static keel_status meet_motions(keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    memcpy(sim->row_y, in->y, (size_t)in->n * sizeof(double));
    keel_status status = look_from_both_sides(sim);
    if (status)
        return status;
    int row = jumping_row(sim, true);
    if (row >= 0) {
        tell_jump(sim, row, true);
        return KEEL_ERROR_INPUT;
    }
    row = jumping_row(sim, false);
    if (row < 0)
        return KEEL_OK;
    tell_jump(sim, row, false);
    return take_impulse(sim, in->t, in->y);
}

/* The integrator has reached a switch of time: it begins anew behind it. */
static keel_status go_past(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    const keel_system *sys = sim->system;
    keel_status status = KEEL_OK;
    s->last_before = s->t_last;
    pass_time(sim, sim->integrator->t);
    sim->crossing.far_gap = sim->crossing.sooner_gap = 0; /* those states are on the other side */
    if (keel_system_m(sys) > 0 && sys->has_drivers)
        status = meet_motions(sim);
    const ki_integrator *in = sim->integrator;
    return status ? status : ki_renew_integrator(sim, in->t, in->y, ki_step_after_switch(sim));
}

/* ---- steps */

double ki_step_after_switch(const keel_simulation *sim) {
    keel_integrator kind = sim->settings.method.integrator;
    bool has_history = kind == KEEL_ADAMS || kind == KEEL_BDF || kind == KEEL_IDA;
    /* an implicit method goes as far in a step as it can, and behind a blow that is far less than before */
    bool is_far = kind == KEEL_RADAU5 || kind == KEEL_RADAU9;
    return has_history || is_far ? 0 : fmin(sim->switching.usual, ki_step_limit(sim) - sim->integrator->t);
}

keel_status ki_meet_inputs(keel_simulation *sim) {
    ki_integrator *in = sim->integrator;
    if (!sim->switching.jumped)
        return KEEL_OK;
    sim->switching.jumped = false;
    sim->crossing.far_gap = sim->crossing.sooner_gap = 0; /* those states have other inputs */
    return ki_renew_integrator(sim, in->t, in->y, ki_step_after_switch(sim));
}

keel_status ki_step_to_switch(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    ki_integrator *in = sim->integrator;
    keel_status status = KEEL_OK;
    if (!s->work)
        return in->method->step(in, sim->settings.until);
    if (s->halt <= in->t)
        s->halt = INFINITY;
    go_back_if_asked(sim, in->t);
    if ((status = ki_meet_inputs(sim)))
        return status;
    in = sim->integrator;
    if (s->at <= in->t)
        status = go_past(sim);
    else if (s->renew || (s->is_cut && in->settings.fixed)) /* a whole number of steps led to the cut */
        status = ki_renew_integrator(sim, in->t, in->y, ki_step_after_switch(sim));
    s->renew = s->is_cut = false;
    if (!status)
        status = s->count ? ki_step_with_sides(sim)
                          : sim->integrator->method->step(sim->integrator, ki_step_limit(sim));
    in = sim->integrator;
    bool is_free = !s->is_cut && !s->renew && in->t < ki_step_limit(sim);
    if (!status && (is_free || in->t - in->t_old > s->usual))
        s->usual = in->t - in->t_old;
    return status;
}
