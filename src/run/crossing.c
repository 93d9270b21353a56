#include "run/crossing.h"

#include <math.h>
#include <string.h>

/* Gaps relative to the largest one: below the first a pose counts as ahead, above the second a state is far
 * from it. */
static const double AHEAD = 0.3, FAR = 0.05;

/* Methods that do not cross by themselves come within so many steps. */
static const double STEPS_AHEAD = 3;

/* Steps that shrink on the way to a pose, to this part of what they were far from it, see branches that pass
 * each other where they should meet. */
static const double NEARER = 0.15, TOO_NEAR = 0.02, SHRUNK = 0.5;

/* Of a bridge; a larger one is taken only where there is no better: from a start, after a failure, and where
 * the drawing is not exact. */
static const double LARGEST_ERROR = 10; /* the whole tolerance: a step may use a tenth of it */

keel_status ki_crossing_init(keel_simulation *sim) {
    sim->crossing.far_y =
        KI_NEW(&sim->arena, double, sim->system->n_q + sim->system->n_v + sim->system->n_z + 1);
    sim->crossing.declined = INFINITY;
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static bool crosses_by_itself(keel_integrator kind) {
    return kind == KEEL_DOPRI5 || kind == KEEL_DOP853 || kind == KEEL_ADAMS;
}

/* Fixed steps walk over a pose as they come, and a method that does not put states back onto the constraints
 * has none that a bridge could begin with. */
static bool goes_as_it_comes(const keel_simulation *sim) {
    const keel_settings *s = &sim->settings;
    return (keel_integrator_takes_step(s->method.integrator) && s->step > 0) ||
           (s->method.stabilize != KEEL_PROJECTION && s->method.stabilize != KEEL_GRADIENT) ||
           s->method.formulation == KEEL_PENALTY || s->method.formulation == KEEL_AUGMENTED;
}

/* Whether the constraints contradict each other in the middle of a bridge, at the pose that it crosses, by
 * more than a drawing with all its digits does: y^T Phi with y^T J = 0. The polynomial of the bridge is the
 * motion as it should be there. */
static bool is_blurred_there(keel_simulation *sim, ki_integrator *bridge) {
    static const double BLURRED = 3e-11, NEAR_POSE = 1e-3;
    double t = 0.5 * (bridge->t_old + bridge->t);
    if (!sim->held.known || bridge->method->interpolate(bridge, t, sim->row_k))
        return false;
    ki_normalize(&sim->dynamics, sim->row_k);
    return ki_contradiction(sim, t, sim->row_k, NEAR_POSE) > BLURRED;
}

/* The bridge takes a step of length H from (t, y), with y' = `rate` there (NULL: to be evaluated). Its
 * factors are those of M and J, whatever the integrator has. */
static keel_status aim_and_step(keel_simulation *sim, double t, const double *y, double H,
                                const double *rate) {
    ki_integrator *bridge = sim->crossing.bridge;
    sim->dynamics.by_own = sim->dynamics.own_factored = false;
    keel_status status = ki_bridge_aim(bridge, t, y, H, rate);
    return status ? status : bridge->method->step(bridge, ki_step_limit(sim));
}

/* The same, and it takes the place of the integrator unless its error is larger than `most`: *taken. */
static keel_status take_bridge(keel_simulation *sim, double t, const double *y, double H, const double *rate,
                               double most, bool *taken) {
    ki_integrator *bridge = sim->crossing.bridge;
    bool by_own = sim->dynamics.by_own; /* how the integrator has it */
    keel_status status = aim_and_step(sim, t, y, H, rate);
    *taken = !status && (bridge->bridge_error <= most || is_blurred_there(sim, bridge));
    if (!*taken) {
        sim->dynamics.by_own = by_own;
        return status == KEEL_ERROR_MEMORY ? status : KEEL_OK;
    }
    if (sim->integrator) {
        ki_carry_counts(sim->integrator, bridge);
        bridge->steps++;
        ki_integrator_free(sim->integrator);
    }
    sim->integrator = bridge;
    sim->crossing.bridge = NULL;
    sim->crossing.bridging = true;
    return KEEL_OK;
}

/* Whether the motion comes to rest at the pose ahead and turns back there: then the gap falls as the square
 * of the time that is left, and its root along a line. */
static bool comes_to_rest(const keel_simulation *sim) {
    static const double STRAIGHT = 0.15, BENT = 0.8;
    const ki_watch *w = &sim->watch;
    const ki_crossing *c = &sim->crossing;
    if (!(c->earlier_gap > w->before && w->before > w->gap && w->t_before > c->earlier_t))
        return false;
    double first = w->t_before - c->earlier_t, second = w->t - w->t_before;
    double fall_1 = (c->earlier_gap - w->before) / first, fall_2 = (w->before - w->gap) / second;
    double root_1 = (sqrt(c->earlier_gap) - sqrt(w->before)) / first;
    double root_2 = (sqrt(w->before) - sqrt(w->gap)) / second;
    return fabs(root_2 - root_1) < STRAIGHT * root_1 && fall_2 < BENT * fall_1;
}

/* Where the pose ahead is expected to be, by the gap of two steps; infinite: none is. */
static double pose_ahead(const keel_simulation *sim) {
    const ki_watch *w = &sim->watch;
    if (!w->active || !(w->gap < AHEAD * w->largest) || !(w->gap < w->before))
        return INFINITY;
    double gap = w->gap, before = w->before;
    if (comes_to_rest(sim))
        gap = sqrt(gap), before = sqrt(before);
    return w->t + gap * (w->t - w->t_before) / (before - gap);
}

/* Whether branches seem to pass each other where they should meet: steps shrink on the way to a pose that is
 * not within their reach, or attempts across it are no better from nearer. */
static bool is_blurred(const keel_simulation *sim, double pose) {
    const ki_integrator *in = sim->integrator;
    const ki_watch *w = &sim->watch;
    double h = in->t - in->t_old;
    bool shrinking = !in->across_failed && h < SHRUNK * sim->crossing.usual_step && pose - in->t > 2 * h;
    bool near = w->gap < NEARER * w->largest && w->gap > TOO_NEAR * w->largest;
    return near && (shrinking || in->across_worse > 1);
}

static bool asks_for_bridge(const keel_simulation *sim, double pose) {
    const ki_integrator *in = sim->integrator;
    const ki_watch *w = &sim->watch;
    if (!isfinite(pose) || goes_as_it_comes(sim) || !(w->gap < 0.5 * sim->crossing.declined))
        return false;
    if (is_blurred(sim, pose) || comes_to_rest(sim))
        return true;
    return !crosses_by_itself(sim->settings.method.integrator) &&
           pose - in->t < STEPS_AHEAD * (in->t - in->t_old);
}

/* The integrator of the run goes on from where the bridge ends. */
static keel_status end_bridge(keel_simulation *sim) {
    ki_integrator *bridge = sim->integrator;
    keel_status status;
    double h = 0.25 * (bridge->t - bridge->t_old);
    if (sim->crossing.usual_step > 0)
        h = fmin(h, sim->crossing.usual_step);
    ki_integrator *next =
        ki_start_integrator(sim, sim->settings.method.integrator, bridge->t, bridge->y, h, &status);
    if (!next)
        return status;
    ki_carry_counts(bridge, next);
    sim->crossing.bridge = bridge;
    sim->integrator = next;
    sim->crossing.bridging = false;
    sim->crossing.declined = INFINITY;
    return KEEL_OK;
}

keel_status ki_prepare_bridge(keel_simulation *sim) {
    keel_status status = KEEL_OK;
    if (sim->reduction || sim->dynamics.m == 0 || (goes_as_it_comes(sim) && !sim->held.singular_start))
        return KEEL_OK;
    sim->crossing.bridge = ki_new_bridge(sim, &status);
    return status;
}

keel_status ki_prepare_crossing(keel_simulation *sim) {
    ki_crossing *c = &sim->crossing;
    if (c->bridging) {
        keel_status status = end_bridge(sim);
        if (status)
            return status;
    }
    double pose = pose_ahead(sim);
    if (sim->reduction || !c->bridge || !asks_for_bridge(sim, pose))
        return KEEL_OK;
    const ki_integrator *in = sim->integrator;
    bool taken;
    double *y = sim->row_y;
    memcpy(y, in->y, (size_t)in->n * sizeof(double));
    keel_status status = take_bridge(sim, in->t, y, 2 * (pose - in->t), NULL, LARGEST_ERROR, &taken);
    if (!status && !taken) {
        c->declined = sim->watch.gap;
        if (comes_to_rest(sim)) /* a step across would be one that ends there: ordinary ones come nearer */
            sim->integrator->singular_at = INFINITY;
    }
    return status;
}

void ki_remember_far(keel_simulation *sim) {
    ki_crossing *c = &sim->crossing;
    const ki_watch *w = &sim->watch;
    const ki_integrator *in = sim->integrator;
    if (!w->active || sim->reduction)
        return;
    c->earlier_t = c->latest_t, c->earlier_gap = c->latest_gap;
    c->latest_t = w->t_before, c->latest_gap = w->before;
    if (!(w->gap > FAR * w->largest))
        return;
    memcpy(c->far_y, in->y, (size_t)in->n * sizeof(double));
    c->far_t = in->t;
    c->far_gap = w->gap;
    if (w->gap > AHEAD * w->largest)
        c->declined = INFINITY;
    if (!c->bridging && in->t > in->t_old && w->gap > AHEAD * w->largest)
        c->usual_step = in->t - in->t_old;
}

keel_status ki_cross_after_failure(keel_simulation *sim, keel_status status) {
    ki_crossing *c = &sim->crossing;
    const ki_watch *w = &sim->watch;
    bool taken;
    if (sim->reduction || c->bridging || !c->bridge || goes_as_it_comes(sim) || !ki_worth_retrying(status) ||
        status == KEEL_ERROR_LIMIT || !w->active || !(c->far_gap > 0) || !(w->gap < FAR * w->largest))
        return status;
    /* the gap falls about linearly between there and here */
    double pose = c->far_t + c->far_gap * (w->t - c->far_t) / (c->far_gap - w->gap);
    ki_trouble trouble = sim->dynamics.trouble;
    keel_status tried = take_bridge(sim, c->far_t, c->far_y, 2 * (pose - c->far_t), NULL, INFINITY, &taken);
    c->far_gap = 0;
    if (taken)
        return KEEL_OK;
    ki_factor_at(&sim->dynamics, sim->integrator->t, sim->integrator->y); /* where the run stands */
    sim->dynamics.trouble = trouble;
    return tried ? tried : status;
}

keel_status ki_leave_singular_start(keel_simulation *sim, double t, const double *y, const double *rate) {
    enum { MOST = 12 };
    double speed = 0, pull = 0, H = ki_step_limit(sim) - t;
    const keel_system *sys = sim->system;
    for (int j = 0; j < sys->n_v; j++) {
        double size = sys->q_size ? sys->q_size[j] : 1;
        speed = fmax(speed, fabs(y[sys->n_q + j]) / size);
        pull = fmax(pull, fabs(rate[sys->n_q + j]) / size);
    }
    /* as long as it takes to get half of a natural size away */
    if (speed > 0)
        H = fmin(H, 0.5 / speed);
    if (pull > 0)
        H = fmin(H, 1 / sqrt(pull));
    double best = 0, least = INFINITY;
    for (int k = 0; k < MOST; k++, H *= 0.7) {
        double error = aim_and_step(sim, t, y, H, rate) ? INFINITY : sim->crossing.bridge->bridge_error;
        if (error < least)
            least = error, best = H;
        if (least <= LARGEST_ERROR || error > 100 * least) /* shorter ones come too near to the pose */
            break;
    }
    bool taken = false;
    keel_status status = best > 0 ? take_bridge(sim, t, y, best, rate, INFINITY, &taken) : KEEL_OK;
    return status || taken ? status : KEEL_ERROR_CONVERGENCE;
}
