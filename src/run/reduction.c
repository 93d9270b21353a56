#include "run/reduction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/events.h"
#include "run/restart.h"
#include "run/scales.h"
#include "run/trouble.h"

static const keel_location NOWHERE = {0};

/* ---- choice */

/* Options that say how constraints are kept mean that there should be some. */
static bool asks_for_projection(const keel_settings *s) {
    return s->projection_penalty > 0 || s->levels != KEEL_LEVELS_POSITION_VELOCITY ||
           s->metric != KEEL_METRIC_NATURAL || s->projection_mode != KEEL_MODE_SEQUENTIAL;
}

/* Why a run cannot be reduced, as a clause; NULL: it can, if the start allows it. */
static const char *obstacle(const keel_system *system, const keel_settings *s) {
    if (!system->reduction)
        return "no closed form of the constraints of this system is known (docs/closed-forms.md)";
    if (system->n_i || system->n_z || system->n_s)
        return "it is for systems without invariants, first-order states and auxiliaries";
    if (s->method.formulation != KEEL_INDEX1)
        return "it goes with the formulation index1";
    if (s->method.stabilize != KEEL_PROJECTION && s->method.stabilize != KEEL_STABILIZE_NONE)
        return "nothing is left to be stabilised: it goes with projection and none";
    return NULL;
}

static keel_status refuse(const char *why, keel_diagnostics *diagnostics) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE,
                         "closed_forms = yes: %s; closed_forms = no runs with all coordinates", why);
    return KEEL_ERROR_INPUT;
}

keel_status ki_choose_reduction(const keel_system *system, const keel_settings *settings,
                                keel_diagnostics *diagnostics, const keel_reduction **chosen) {
    bool wanted = settings->closed_forms == KEEL_CLOSED_FORMS_YES;
    *chosen = NULL;
    if (settings->closed_forms == KEEL_CLOSED_FORMS_NO ||
        (!wanted && (!settings->method.automatic || asks_for_projection(settings))))
        return KEEL_OK;
    const char *why = obstacle(system, settings);
    if (why)
        return wanted ? refuse(why, diagnostics) : KEEL_OK;
    *chosen = system->reduction;
    return KEEL_OK;
}

/* ---- workspaces and states */

/* The settings of what is left: an unconstrained system. */
static keel_settings without_constraints(const keel_settings *settings) {
    keel_settings plain = *settings;
    plain.method.formulation = KEEL_INDEX1;
    plain.method.stabilize = KEEL_STABILIZE_NONE;
    plain.metric = KEEL_METRIC_NATURAL;
    plain.K_D = plain.K_P = plain.penalty = plain.non_ideal = plain.metric_matrix = (keel_gain){0};
    return plain;
}

keel_status ki_make_reduced_workspaces(keel_simulation *sim) {
    const keel_system *moving = sim->reduction->system;
    keel_settings plain = without_constraints(&sim->settings);
    ki_law of_all; /* what is wrong with the settings is wrong with closed forms, too */
    keel_status status = ki_law_init(&of_all, &sim->arena, sim->system, &sim->settings, sim->diagnostics);
    if (!status)
        status = ki_law_init(&sim->law, &sim->arena, moving, &plain, sim->diagnostics);
    if (!status)
        status = ki_law_init(&sim->law_of_rows, &sim->arena, sim->active, &plain, sim->diagnostics);
    if (!status)
        status = ki_dynamics_init(&sim->dynamics, moving, &sim->law);
    if (!status)
        status = ki_dynamics_init(&sim->reduced_rows, moving, &sim->law);
    if (!status)
        status = ki_dynamics_init(&sim->rows, sim->active, &sim->law_of_rows);
    if (status)
        return status;
    sim->aside = &sim->reduced_rows;
    sim->full = &sim->rows;
    ki_share_scales(sim);
    sim->reduced_y = KI_NEW(&sim->arena, double, sim->dynamics.n_y);
    sim->trusted_y = KI_NEW(&sim->arena, double, sim->dynamics.n_y);
    sim->pose = KI_NEW(&sim->arena, double, sim->reduction->n_poses);
    sim->pose_now = KI_NEW(&sim->arena, double, sim->reduction->n_poses);
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* ---- proof
 *
 * Accelerations by the closed form must be those of the full system. They are compared at some poses around
 * the start, with some velocities: v' along a motion of the system in u is a difference of the map,
 *
 *     v' = (v(t + e, y + e y') - v(t - e, y - e y')) / 2 e,       y = (u, w),
 *
 * and v' of the full system comes from M, J, Q and xi at q(u, t). */

enum { PROOFS = 5 };

/* Scratch of a proof. */
typedef struct proof {
    double *y, *rate, *moved;      /* in u: a state, its rate, a state next to it */
    double *before, *after, *full; /* of the full system                         */
} proof;

static bool proof_init(keel_simulation *sim, proof *p) {
    int n = sim->dynamics.n_y, all = sim->full->n_y;
    p->y = KI_NEW(&sim->arena, double, n + KI_SPARE), p->rate = KI_NEW(&sim->arena, double, n + KI_SPARE);
    p->moved = KI_NEW(&sim->arena, double, n + KI_SPARE);
    p->before = KI_NEW(&sim->arena, double, all), p->after = KI_NEW(&sim->arena, double, all);
    p->full = KI_NEW(&sim->arena, double, all);
    return !sim->arena.failed;
}

/* q and v of the state y + e y' at t + e */
static void expand_next(keel_simulation *sim, const proof *p, double t, double e, double *full) {
    const keel_reduction *r = sim->reduction;
    for (int i = 0; i < sim->dynamics.n_y; i++)
        p->moved[i] = p->y[i] + e * p->rate[i];
    r->expand(r, sim->reduced_rows.work, t + e, p->moved, p->moved + r->system->n_q, ki_q(full),
              ki_v(sim->full, full));
}

static double natural(const keel_system *system, int j) {
    return system->q_size ? system->q_size[j] : 1;
}

/* Whether the two accelerations agree at the state p->y; also where the state cannot be looked at. */
static bool agrees(keel_simulation *sim, const proof *p, double t) {
    static const double DIFFERENCE = 1e-4, AGREES = 1e-5;
    ki_dynamics *d = sim->full;
    const keel_system *sys = sim->system;
    double speed = 0, pull = 0, off = 0, *v = ki_v(d, p->full);
    if (ki_rate(&sim->dynamics, t, p->y, p->rate))
        return true;
    expand_next(sim, p, t, 0, p->full);
    d->factored = false;
    d->known = 0;
    if (ki_rate(d, t, p->full, p->after))
        return true;
    double *a = ki_v(d, sim->row_k);
    memcpy(a, ki_v(d, p->after), (size_t)sys->n_v * sizeof *a);
    for (int j = 0; j < sys->n_v; j++) {
        speed = fmax(speed, fabs(v[j]) / natural(sys, j));
        pull = fmax(pull, fabs(a[j]) / natural(sys, j));
    }
    double rate = fmax(speed, sqrt(pull));
    if (!(rate > 0) || !isfinite(rate))
        return true;
    double e = DIFFERENCE / rate;
    expand_next(sim, p, t, -e, p->before);
    expand_next(sim, p, t, e, p->after);
    for (int j = 0; j < sys->n_v; j++) {
        double by_map = (ki_v(d, p->after)[j] - ki_v(d, p->before)[j]) / (2 * e);
        off = fmax(off, fabs(by_map - a[j]) / natural(sys, j));
    }
    return off <= AGREES * rate * rate;
}

/* At the start and at steps of more than a radian from it, where u is an angle, moving. */
static bool is_proven(keel_simulation *sim, double t) {
    static const double STEP = 1.3, SPEED = 0.7;
    proof p;
    int n_q = sim->reduction->system->n_q, n_v = sim->reduction->system->n_v;
    if (!proof_init(sim, &p))
        return true; /* told elsewhere */
    double pace = 1 / fmax(sim->settings.until - t, 1e-300);
    memcpy(p.y, sim->reduced_y, (size_t)sim->dynamics.n_y * sizeof(double));
    for (int k = 0; k < PROOFS; k++) {
        if (!agrees(sim, &p, t))
            return false;
        if (sim->reduction->room || sim->reduction->system->kinematics)
            return true; /* the map may end near by, or u be no angle */
        for (int i = 0; i < n_q; i++)
            p.y[i] = sim->reduced_y[i] + STEP * (k + 1);
        for (int i = 0; i < n_v; i++)
            p.y[n_q + i] = sim->reduced_y[n_q + i] + SPEED * (k + 1) * pace;
    }
    return true;
}

keel_status ki_shrink_start(keel_simulation *sim, double t) {
    const keel_reduction *r = sim->reduction;
    double *y = sim->reduced_y;
    bool found = r->shrink(r, sim->dynamics.work, t, ki_q(sim->row_y), ki_v(sim->full, sim->row_y), ki_q(y),
                           ki_v(&sim->dynamics, y));
    if (!found || !is_proven(sim, t)) {
        if (sim->settings.closed_forms == KEEL_CLOSED_FORMS_YES)
            return refuse(found ? "its accelerations are not those of the mechanism in these units"
                                : "the start is on another branch, or in a pose where branches meet",
                          sim->diagnostics);
        sim->reduction = NULL;
        ki_clear_workspaces(sim);
        keel_status status = ki_replace_workspaces(sim);
        return status ? status : ki_factor_at(sim->full, t, sim->row_y);
    }
    *ki_work(&sim->dynamics, y) = 0;
    memcpy(sim->trusted_y, y, (size_t)sim->dynamics.n_y * sizeof *y);
    sim->trusted_t = t;
    if (r->n_poses)
        r->poses(r, ki_q(y), sim->pose);
    return KEEL_OK;
}

void ki_expand_state(keel_simulation *sim, double t, const double *y) {
    const keel_reduction *r = sim->reduction;
    double *full = sim->row_y;
    r->expand(r, sim->reduced_rows.work, t, y, y + r->system->n_q, ki_q(full), ki_v(sim->full, full));
}

keel_status ki_measure_expanded(keel_simulation *sim, ki_violation *w) {
    ki_expand_state(sim, sim->integrator->t, sim->integrator->y);
    return ki_measure_violation_anew(sim->full, sim->integrator->t, sim->row_y, w);
}

/* ---- the end of the map
 *
 * The room r(t, u) that is left is looked at in quarters of a step, on the cubic through u and u' at its
 * ends. Where another branch meets this one r touches zero like a parabola at the least: if that happens
 * between two of these places, r falls to a ninth from some place to the next. So a step is trusted if r
 * neither gets small nor falls that steeply. */

enum { PARTS = 4 };
static const double LEAST_ROOM = 0.01, STEEPEST_FALL = 0.25;

/* u at the part x of the last step, into sim->reduced_y */
static void interpolate_u(keel_simulation *sim, double x) {
    int n = sim->dynamics.system->n_q;
    const double *y_0 = sim->trusted_y, *y_1 = sim->integrator->y;
    double h = sim->integrator->t - sim->trusted_t;
    for (int i = 0; i < n; i++) {
        double change = y_1[i] - y_0[i], bend_0 = h * y_0[n + i] - change, bend_1 = change - h * y_1[n + i];
        sim->reduced_y[i] = y_0[i] + x * (change + (1 - x) * ((1 - x) * bend_0 + x * bend_1));
    }
}

static bool has_room(keel_simulation *sim) {
    const keel_reduction *r = sim->reduction;
    double h = sim->integrator->t - sim->trusted_t;
    double before = r->room(r, sim->reduced_rows.work, sim->trusted_t, sim->trusted_y);
    for (int k = 1; k <= PARTS; k++) {
        double x = (double)k / PARTS;
        interpolate_u(sim, x);
        double now = r->room(r, sim->reduced_rows.work, sim->trusted_t + x * h, sim->reduced_y);
        if (!(now >= LEAST_ROOM && now >= STEEPEST_FALL * before && before >= STEEPEST_FALL * now))
            return false;
        before = now;
    }
    return true;
}

bool ki_reduction_ends(keel_simulation *sim, keel_status status) {
    if (!sim->reduction->room)
        return false;
    if (status)
        return ki_worth_retrying(status) && status != KEEL_ERROR_LIMIT;
    const ki_integrator *in = sim->integrator;
    if (!has_room(sim))
        return true;
    memcpy(sim->trusted_y, in->y, (size_t)sim->dynamics.n_y * sizeof *in->y);
    sim->trusted_t = in->t;
    return false;
}

/* The full state of the trusted one, with the work that leaves the drift of the energy what it is. */
static keel_status expand_trusted(keel_simulation *sim) {
    double t = sim->trusted_t, energy, drift = 0, full_drift = 0;
    double *work = ki_work(sim->full, sim->row_y);
    ki_expand_state(sim, t, sim->trusted_y);
    *work = 0;
    keel_status status =
        ki_measure_energy(sim->aside, t, sim->trusted_y, sim->energy_origin, &energy, &drift);
    if (!status)
        status = ki_measure_energy(sim->full, t, sim->row_y, sim->energy_initial, &energy, &full_drift);
    *work = full_drift - drift;
    return status;
}

static void tell_end(keel_simulation *sim, bool failed) {
    keel_event *event = ki_new_event(sim, sim->trusted_t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text, "%s: the run goes on with all coordinates, %s",
                 failed ? "a step with the closed forms fails" : "another branch comes near the closed forms",
                 keel_integrator_word(sim->settings.method.integrator).name);
}

keel_status ki_leave_reduction(keel_simulation *sim) {
    const keel_reduction *left = sim->reduction;
    ki_integrator *old = sim->integrator;
    int discarded = old->t > sim->trusted_t;
    keel_status status = expand_trusted(sim);
    if (status)
        return status;
    old->steps -= discarded;
    old->rejected += discarded;
    sim->reduction = NULL;
    status = ki_restart(sim, sim->trusted_t, 0, false);
    if (status) {
        sim->reduction = left;
        return status;
    }
    sim->energy_origin = sim->energy_initial;
    tell_end(sim, !discarded);
    return KEEL_OK;
}

/* ---- singular poses */

/* value[i] - target at a time of the last step; NAN where the state cannot be had. */
static double distance(keel_simulation *sim, int i, double target, double t) {
    const keel_reduction *r = sim->reduction;
    ki_integrator *in = sim->integrator;
    if (in->method->interpolate(in, t, sim->reduced_y))
        return NAN;
    r->poses(r, ki_q(sim->reduced_y), sim->pose_now);
    return sim->pose_now[i] - target;
}

/* When value[i] passes `target` between the two ends of the last step: regula falsi, the end that stays is
 * trusted half as much each time (Illinois). */
static double time_of_pose(keel_simulation *sim, int i, double target, double before, double after) {
    enum { MOST = 50 };
    const ki_integrator *in = sim->integrator;
    double a = in->t_old, b = in->t, f_a = before - target, f_b = after - target, t = b;
    for (int k = 0; k < MOST && f_b != f_a && fabs(b - a) > 1e-13 * fabs(in->t - in->t_old); k++) {
        t = b - f_b * (b - a) / (f_b - f_a);
        double f = distance(sim, i, target, t);
        if (!(fabs(f) > 1e-14))
            break;
        if ((f > 0) != (f_b > 0)) {
            a = b, f_a = f_b;
        } else {
            f_a /= 2;
        }
        b = t, f_b = f;
    }
    return t;
}

static keel_status report_pose(keel_simulation *sim, double t, int i) {
    char name[160];
    ki_constraint_text(sim->system, sim->reduction->pose_row[i], name, sizeof name);
    keel_event *event = ki_new_event(sim, t, KEEL_EVENT_SINGULAR);
    if (event) {
        sim->poses[event - sim->events].in_words = true;
        snprintf(event->text, sizeof event->text,
                 "singular pose: %.120s becomes dependent; another branch begins here, the motion stays on "
                 "its own",
                 name);
    }
    if (sim->settings.singular != KEEL_SINGULAR_STOP)
        return KEEL_OK;
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, NOWHERE,
        "t = %.6g: the pose is singular: %s becomes dependent; the option singular = stop ends the run here",
        t, name);
    return KEEL_ERROR_SINGULAR;
}

keel_status ki_look_for_poses(keel_simulation *sim) {
    const keel_reduction *r = sim->reduction;
    keel_status status = KEEL_OK;
    if (!r->n_poses || sim->integrator->steps == 0)
        return KEEL_OK;
    r->poses(r, sim->integrator->y, sim->pose_now);
    for (int i = 0; i < r->n_poses && !status; i++) {
        double before = sim->pose[i], after = sim->pose_now[i];
        int way = after > before ? 1 : -1;
        /* the whole numbers in (before, after], in the order in which they are passed */
        double first = way > 0 ? floor(before) + 1 : ceil(before) - 1;
        for (double k = first; way * (after - k) >= 0 && !status; k += way)
            status = report_pose(sim, time_of_pose(sim, i, k, before, after), i);
    }
    r->poses(r, sim->integrator->y, sim->pose);
    return status;
}
