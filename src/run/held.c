#include "run/held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "run/events.h"
#include "run/restart.h"
#include "run/simulation.h"
#include "run/trouble.h"

/* Rows are compared again when the gap of those held has fallen to this part of what it was, and others take
 * their place if they are so much better. */
static const double COMPARE_AGAIN = 0.5, BETTER = 2;

/* ---- choice */

/* Formulations that are about dependent constraints take all of them, and so do gains that name each row. Off
 * the constraints no row follows from others. */
static bool may_leave_out(const keel_simulation *sim) {
    const keel_settings *s = &sim->settings;
    keel_formulation f = s->method.formulation;
    bool by_row = s->K_D.kind > KEEL_GAIN_SCALAR || s->K_P.kind > KEEL_GAIN_SCALAR;
    return s->start_state == KEEL_START_CONSISTENT && f != KEEL_PENALTY && f != KEEL_AUGMENTED &&
           f != KEEL_GENERALIZED_INVERSE && !by_row;
}

static keel_point point_of(const keel_simulation *sim, double t, const double *y) {
    const keel_system *sys = sim->system;
    return (keel_point){.t = t,
                        .q = y,
                        .v = y + sys->n_q,
                        .z = y + sys->n_q + sys->n_v,
                        .s = sim->dynamics.s,
                        .lambda = sim->held.lambda};
}

keel_status ki_prepare_held(keel_simulation *sim) {
    const keel_system *sys = sim->system;
    ki_held *h = &sim->held;
    int m = keel_system_m(sys);
    h->lambda = KI_NEW(&sim->arena, double, m);
    h->y = KI_NEW(&sim->arena, double, sys->n_q + sys->n_v + sys->n_z + 1);
    h->Phi = KI_NEW(&sim->arena, double, m);
    h->open_now = KI_NEW(&sim->arena, double, m);
    h->open_rate = KI_NEW(&sim->arena, double, m);
    if (sim->arena.failed)
        return KEEL_ERROR_MEMORY;
    keel_status status = sys->work_new ? sys->work_new(sys, &h->work) : KEEL_OK;
    return status < 0 ? status : ki_independence_init(&h->look, sys, h->work, KI_FEW_ENTRIES);
}

/* Displacements of models that state no sizes have those that errors are measured by (formulate/scales.h): a
 * look around in metres would be none in a model of a watch. */
static keel_status find_sizes(keel_simulation *sim, double t, const double *y) {
    const keel_system *sys = sim->system;
    ki_law law;
    ki_dynamics d = {0};
    ki_independence *look = &sim->held.look;
    if (sys->q_size || sys->kinematics || sys->n_s)
        return KEEL_OK;
    keel_status status = ki_law_init(&law, &sim->arena, sys, &sim->settings, NULL);
    if (!status)
        status = ki_dynamics_init(&d, sys, &law);
    if (!status) {
        ki_find_scales(&d, t, y, sim->settings.until - t);
        memcpy(look->size, d.scales->move, (size_t)look->n * sizeof(double));
    }
    ki_dynamics_clear(&d);
    return status == KEEL_ERROR_MEMORY ? status : KEEL_OK; /* the run itself tells what else is wrong */
}

/* The rows taken last. Where forces depend on multipliers of too many rows that share, *whole: all are held.
 */
static keel_status select_rows(keel_simulation *sim, bool *whole) {
    ki_held *h = &sim->held;
    bool needed = ki_needs_sharing(sim->system);
    ki_sharing *sharing = NULL;
    keel_status status = !h->look.large || needed ? ki_find_sharing(&h->look, &sharing) : KEEL_OK;
    *whole = !status && needed && !sharing;
    if (status || *whole)
        return status;
    status = ki_prepare_shares(h, sharing);
    ki_selection *selection = ki_selection_new(sim->system, h->look.row, h->look.rank, sharing);
    if (status || !selection) {
        ki_selection_free(selection);
        return KEEL_ERROR_MEMORY;
    }
    h->selection = selection;
    sim->active = &selection->system;
    return KEEL_OK;
}

keel_status ki_choose_held(keel_simulation *sim, double t, const double *y) {
    const keel_system *sys = sim->system;
    ki_held *h = &sim->held;
    h->repeated.worst = -1;
    if (keel_system_m(sys) == 0)
        return KEEL_OK;
    keel_status status = h->look.m ? KEEL_OK : ki_prepare_held(sim);
    keel_point at = point_of(sim, t, y);
    if (!status)
        status = find_sizes(sim, t, y);
    if (!status)
        status = ki_find_independent(&h->look, &at);
    if (status)
        return status == KEEL_ERROR_MEMORY ? status : KEEL_OK; /* the start itself will tell what is wrong */
    h->known = true;
    h->singular_start = ki_is_singular(&h->look);
    bool whole;
    return h->look.rank < h->look.m && may_leave_out(sim) ? select_rows(sim, &whole) : KEEL_OK;
}

keel_status ki_hold_again(keel_simulation *sim, double t, const double *y, const double *s) {
    ki_independence *look = &sim->held.look;
    size_t bytes = (size_t)look->m * sizeof *look->taken;
    bool *held = KI_NEW(&sim->arena, bool, look->m), whole;
    keel_point at = point_of(sim, t, y);
    keel_status status;
    if (!held)
        return KEEL_ERROR_MEMORY;
    at.s = s;
    memcpy(held, look->taken, bytes);
    ki_take_rows(look, &at, held, &status);
    if (!status && memcmp(held, look->taken, bytes) != 0)
        status = KEEL_ERROR_INPUT;
    if (!status)
        status = select_rows(sim, &whole);
    return !status && whole ? KEEL_ERROR_INPUT : status;
}

void ki_held_clear(ki_held *held) {
    if (held->look.system && held->look.system->work_free && held->work)
        held->look.system->work_free(held->work);
    ki_independence_clear(&held->look);
    ki_independence_clear(&held->full);
    ki_selection_free(held->selection);
    keel_saddle_free(held->columns);
    *held = (ki_held){0};
}

keel_status ki_tell_held_rank(keel_simulation *sim) {
    ki_held *h = &sim->held;
    int m = h->look.m, stresses = ki_stress_count(&h->look);
    bool *marked = KI_NEW(&sim->arena, bool, m);
    double *stress = KI_NEW(&sim->arena, double, (size_t)stresses *(size_t)m);
    sim->shared = KI_NEW(&sim->arena, int, m);
    if (sim->arena.failed)
        return KEEL_ERROR_MEMORY;
    sim->rank = h->look.rank;
    sim->rank_gap = h->look.most > 0 ? h->look.least / h->look.most : INFINITY;
    ki_self_stresses(&h->look, stress, marked);
    for (int i = 0; i < m; i++)
        sim->shared[i] = marked[i];
    return ki_keep_self_stresses(sim, stress, stresses);
}

int ki_row_of_all(const keel_simulation *sim, int row) {
    return sim->held.selection && row >= 0 ? sim->held.selection->row[row] : row;
}

void *ki_work_of_all(const keel_simulation *sim) {
    return sim->held.selection ? sim->held.work : sim->rows.work;
}

/* ---- what the others say */

keel_status ki_measure_repeated(keel_simulation *sim, double t, const double *y) {
    ki_held *h = &sim->held;
    const keel_system *sys = sim->system;
    keel_point at = point_of(sim, t, y);
    keel_terms terms = {.Phi = h->Phi};
    h->limit = 0;
    if (!h->selection || !sys->n_h)
        return KEEL_OK;
    if (sys->evaluate(sys, h->work, KEEL_POSITION, &at, &terms) < 0)
        return KEEL_ERROR_CALLBACK;
    double most = -1, drift = 0; /* what a method leaves of the rows held, it leaves of the others */
    h->open_row = -1;
    for (int i = 0; i < sys->n_h; i++)
        if (h->selection->held[i])
            drift = fmax(drift, fabs(h->Phi[i]) * h->look.scale[i]);
    for (int i = 0; i < sys->n_h; i++) {
        if (h->selection->held[i])
            continue;
        double limit = fmax(ki_open_limit(sys, i), (1e-8 + 100 * drift) / h->look.scale[i]);
        double open = fabs(h->Phi[i]), part = open / limit;
        h->limit = fmax(h->limit, part);
        if (part > most) {
            most = part;
            h->open_row = i;
            h->open = open;
        }
    }
    if (h->open_row >= 0 && h->limit <= 1)
        ki_track_violation(&h->repeated, t, h->open, h->open * h->look.scale[h->open_row], h->open_row);
    return KEEL_OK;
}

/* ---- changes on the way */

/* Takes the best rows at a state; true if they are others than those held, and so much better. */
static bool find_better(keel_simulation *sim, double t, const double *y, double better) {
    ki_held *h = &sim->held;
    keel_status status;
    keel_point at = point_of(sim, t, y);
    double now = ki_take_rows(&h->look, &at, h->selection->held, &status);
    double best = status ? 0 : ki_take_rows(&h->look, &at, NULL, &status);
    if (status || !(best > better * now) || !(best > ki_repeated_limit(sim->system)))
        return false;
    for (int i = 0; i < h->look.m; i++)
        if (h->look.taken[i] != h->selection->held[i])
            return true;
    return false;
}

static double gap_among(keel_simulation *sim, double t, const double *y, const bool *rows) {
    keel_status status;
    keel_point at = point_of(sim, t, y);
    double gap = ki_take_rows(&sim->held.look, &at, rows, &status);
    return status ? INFINITY : gap;
}

double ki_gap_of_all(keel_simulation *sim, double t, const double *y) {
    return gap_among(sim, t, y, NULL);
}

double ki_gap_on_the_way(void *simulation, double t, const double *y) {
    keel_simulation *sim = simulation;
    ki_independence *look = &sim->held.look;
    look->sizes_kept = false;
    double gap = gap_among(sim, t, y, NULL);
    look->sizes_kept = true;
    return gap;
}

double ki_gap_of_held(keel_simulation *sim, double t, const double *y) {
    return gap_among(sim, t, y, sim->held.selection ? sim->held.selection->held : NULL);
}

/* Looks from now on see only the rows held; all of them again. */
static void ignore_others(keel_simulation *sim) {
    ki_held *h = &sim->held;
    for (int i = 0; h->selection && i < h->look.m; i++)
        h->look.ignored[i] = !h->selection->held[i];
}
static void ignore_none(keel_simulation *sim) {
    memset(sim->held.look.ignored, 0, (size_t)sim->held.look.m * sizeof *sim->held.look.ignored);
}

double ki_offset_of_held(keel_simulation *sim, double t, const double *y, double least, double *beta) {
    ki_independence *look = &sim->held.look;
    const ki_selection *s = sim->held.selection;
    keel_point at = point_of(sim, t, y);
    if (look->large) {
        memset(beta, 0, (size_t)sim->system->n_h * sizeof *beta);
        return 0;
    }
    ignore_others(sim);
    double most = ki_find_offset(look, &at, least, beta);
    ignore_none(sim);
    for (int i = 0; s && i < s->system.n_h; i++) /* rows held keep their order */
        beta[i] = beta[s->row[i]];
    return most;
}

/* Onto the rows held, or onto all. */
static bool settle_next_to_pose(keel_simulation *sim, double t, double least, bool all, double *y) {
    ki_held *h = &sim->held;
    const keel_system *active = sim->active;
    keel_point at = point_of(sim, t, y);
    keel_terms open = {.Phi = h->open_now, .rate = h->open_rate};
    memset(open.Phi, 0, (size_t)sim->system->n_h * sizeof *open.Phi);
    memset(open.rate, 0, (size_t)sim->system->n_h * sizeof *open.rate);
    if (sim->rows.offset.span > 0)
        ki_apply_offset(&sim->rows.offset, active->n_h, t, KEEL_POSITION | KEEL_VELOCITY, &open);
    for (int i = active->n_h - 1; i >= 0; i--) { /* rows held keep their order */
        int row = ki_row_of_all(sim, i);
        double Phi = open.Phi[i], rate = open.rate[i];
        open.Phi[i] = open.rate[i] = 0;
        open.Phi[row] = Phi, open.rate[row] = rate;
    }
    if (!all)
        ignore_others(sim);
    bool met = ki_close_next_to_pose(&h->look, &at, least, &open, y, y + sim->system->n_q);
    ignore_none(sim);
    return met;
}

bool ki_settle_next_to_pose(keel_simulation *sim, double t, double least, double *y) {
    return settle_next_to_pose(sim, t, least, false, y);
}

/* Whether all constraints are met at (t, y), those that repeat others as well as the drawing is exact. */
static bool is_met(keel_simulation *sim, double t, const double *y) {
    ki_independence *look = &sim->held.look;
    const keel_system *sys = sim->system;
    keel_point at = point_of(sim, t, y);
    unsigned what = KEEL_VELOCITY | (sys->n_h ? (unsigned)KEEL_POSITION : 0u);
    if (sys->evaluate(sys, sim->held.work, what, &at, &look->terms) < 0)
        return false;
    double speed = 0;
    for (int j = 0; j < sys->n_v; j++)
        speed = fmax(speed, fabs(at.v[j]) / look->size[j]);
    for (int i = 0; i < look->m; i++)
        if (!(fabs(look->terms.rate[i]) * look->scale[i] <= ki_repeated_limit(sys) * speed) ||
            (i < sys->n_h && !(fabs(look->terms.Phi[i]) <= ki_open_limit(sys, i)) &&
             !ki_is_round_off(sys, i, look->terms.Phi[i])))
            return false;
    return true;
}

bool ki_start_next_to_pose(keel_simulation *sim, double t, double *y) {
    static const double LEAST = 1e-3;
    size_t bytes = (size_t)sim->dynamics.n_y * sizeof *y;
    if (sim->held.look.large || !sim->system->row_size)
        return false;
    memcpy(sim->row_k, y, bytes);
    if (settle_next_to_pose(sim, t, LEAST, true, y) && is_met(sim, t, y))
        return true;
    memcpy(y, sim->row_k, bytes);
    return false;
}

int ki_rank_of_all(keel_simulation *sim, double t, const double *y, double least) {
    keel_status status;
    keel_point at = point_of(sim, t, y);
    return ki_rank_above(&sim->held.look, &at, least, &status);
}

/* E - W at sim->row_y; 0 where the model cannot tell, which the steps will find out. */
static double energy_here(keel_simulation *sim, double t) {
    double energy, kept;
    return ki_measure_energy(&sim->rows, t, sim->row_y, 0, &energy, &kept) ? 0 : kept;
}

/* Goes on from sim->row_y with the rows that were taken last. */
static keel_status change_rows(keel_simulation *sim, double t, double step) {
    ki_held *h = &sim->held;
    ki_selection *old = h->selection;
    const keel_system *active = sim->active;
    double before = energy_here(sim, t);
    bool whole;
    keel_status status = select_rows(sim, &whole);
    if (!status && whole)
        return KEEL_OK;
    if (!status)
        status = ki_restart(sim, t, step);
    if (status) {
        ki_selection_free(h->selection == old ? NULL : h->selection);
        h->selection = old;
        sim->active = active;
        return status;
    }
    ki_audit_exchange(&sim->audit, energy_here(sim, t) - before);
    ki_selection_free(old);
    return KEEL_OK;
}

/* Accelerations amplify what a drawing leaves open by the inverse of the gap: between two steps it may be
 * small, though at both ends other rows are no better. */
keel_status ki_row_by_better_rows(keel_simulation *sim, double t,
                                  keel_status (*evaluate)(keel_simulation *sim, double t)) {
    static const double POOR = 0.2;
    ki_held *h = &sim->held;
    if (!h->selection || !(h->gap_of_row < POOR * sim->watch.largest) ||
        !find_better(sim, t, sim->row_y, 1 / POOR))
        return KEEL_OK;
    ki_selection *usual = h->selection;
    const keel_system *active = sim->active;
    ki_dynamics rows = sim->rows;
    bool whole;
    keel_status status = select_rows(sim, &whole);
    if (!status && whole)
        return KEEL_OK;
    sim->rows = (ki_dynamics){0};
    sim->stiff_rows.off = true;
    if (!status)
        status = ki_dynamics_init(&sim->rows, sim->active, &sim->law);
    if (!status)
        status = evaluate(sim, t);
    sim->stiff_rows.off = false;
    ki_dynamics_clear(&sim->rows);
    if (h->selection != usual)
        ki_selection_free(h->selection);
    sim->rows = rows;
    h->selection = usual;
    sim->active = active;
    return status;
}

keel_status ki_hold_best(keel_simulation *sim, double t, const double *y, const double *y_there,
                         bool *changed) {
    ki_held *h = &sim->held;
    keel_status status;
    keel_point there = point_of(sim, t, y_there);
    *changed = false;
    if (h->look.large)
        return KEEL_OK;
    ki_take_rows(&h->look, &there, h->selection->held, &status);
    double now = status ? 0 : ki_volume_taken(&h->look);
    if (!status)
        ki_take_rows(&h->look, &there, NULL, &status);
    if (status || !(ki_volume_taken(&h->look) > BETTER * now))
        return KEEL_OK;
    *changed = true;
    memmove(sim->row_y, y, (size_t)sim->integrator->n * sizeof(double));
    return change_rows(sim, t, sim->integrator->t - sim->integrator->t_old);
}

void ki_before_step(keel_simulation *sim) {
    ki_held *h = &sim->held;
    if (!h->selection)
        return;
    memcpy(h->y, sim->integrator->y, (size_t)sim->integrator->n * sizeof(double));
    h->t = sim->integrator->t;
}

/* From the state before the step, with half of it and the best rows there. */
static keel_status go_back(keel_simulation *sim) {
    ki_held *h = &sim->held;
    double step = 0.5 * (sim->integrator->t - h->t);
    find_better(sim, h->t, h->y, 0);
    memcpy(sim->row_y, h->y, (size_t)sim->integrator->n * sizeof(double));
    sim->integrator->steps--;
    sim->integrator->rejected++;
    return change_rows(sim, h->t, step);
}

/* Whether rows that are not held are open by more than they may be. Next to a singular pose what a drawing
 * leaves open grows with the inverse of the gap. */
static bool has_come_open(keel_simulation *sim) {
    static const double MOST_BY_GAP = 50;
    ki_held *h = &sim->held;
    if (!(h->limit > 1) || !sim->watch.active)
        return h->limit > 1;
    double gap = ki_gap_of_all(sim, sim->integrator->t, sim->integrator->y);
    return h->limit > fmin(fmax(1, sim->watch.largest / gap), MOST_BY_GAP);
}

keel_status ki_blame_repeated(keel_simulation *sim, keel_status status) {
    static const double ABOUT_TO_OPEN = 0.5;
    const ki_held *h = &sim->held;
    if (!h->selection || !ki_worth_retrying(status) || status == KEEL_ERROR_LIMIT ||
        !(h->limit > ABOUT_TO_OPEN))
        return status;
    return ki_trouble_at(&sim->dynamics, KEEL_ERROR_SINGULAR, KI_TROUBLE_REPEATED, sim->integrator->t,
                         h->open_row, h->open);
}

keel_status ki_after_step(keel_simulation *sim, keel_status status) {
    enum { MOST = 12 };
    ki_held *h = &sim->held;
    if (!h->selection)
        return status;
    if (status) { /* perhaps the rows were a bad choice here */
        if (!ki_worth_retrying(status) || sim->dynamics.trouble.kind == KI_TROUBLE_MEETING ||
            status == KEEL_ERROR_LIMIT || !find_better(sim, sim->integrator->t, sim->integrator->y, 1.1))
            return ki_blame_repeated(sim, status);
        memcpy(sim->row_y, sim->integrator->y, (size_t)sim->integrator->n * sizeof(double));
        keel_status changed = change_rows(sim, sim->integrator->t, 0);
        status = changed ? changed : ki_take_step(sim);
    }
    if (!status)
        status = ki_measure_repeated(sim, sim->integrator->t, sim->integrator->y);
    for (int k = 0; !status && has_come_open(sim); k++) {
        if (k == MOST)
            return ki_blame_repeated(sim, KEEL_ERROR_SINGULAR);
        if (!(status = go_back(sim)))
            status = ki_take_step(sim);
        if (!status)
            status = ki_measure_repeated(sim, sim->integrator->t, sim->integrator->y);
    }
    return status ? ki_blame_repeated(sim, status) : KEEL_OK;
}

keel_status ki_renew_held(keel_simulation *sim) {
    ki_held *h = &sim->held;
    const ki_integrator *in = sim->integrator;
    if (!h->selection || !sim->watch.active || in->t >= sim->settings.until)
        return KEEL_OK;
    if (sim->watch.held > COMPARE_AGAIN * h->gap) {
        h->gap = fmax(h->gap, sim->watch.held);
        return KEEL_OK;
    }
    h->gap = sim->watch.held;
    if (!find_better(sim, in->t, in->y, BETTER))
        return KEEL_OK;
    memcpy(sim->row_y, in->y, (size_t)in->n * sizeof(double));
    keel_status status = change_rows(sim, in->t, in->t - in->t_old);
    h->gap = sim->watch.held;
    return status;
}
