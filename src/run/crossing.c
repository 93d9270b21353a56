#include "run/crossing.h"

#include <math.h>
#include <string.h>

#include "run/judge.h"

/* Gaps relative to the largest one: below the first a pose counts as ahead, above the second a state is far
 * from it. */
static const double AHEAD = 0.3, FAR = 0.05;

/* Next to a pose, by the gap or in steps. After so many poses in a row at which a drawing is exact it counts
 * as such. */
static const double LOOK = 0.06, REACH = 1.2;
enum { EXACT = 2 };

/* Methods that do not cross by themselves come within so many steps. */
static const double STEPS_AHEAD = 3;

/* Steps that shrink on the way to a pose, to this part of what they were far from it, see branches that pass
 * each other where they should meet. */
static const double NEARER = 0.15, TOO_NEAR = 0.02, SHRUNK = 0.5;

/* Of a bridge; a larger one is taken only where there is no better: from a start, after a failure, and where
 * the drawing is not exact. */
static const double LAST_ERROR = 300; /* where a run ends in a pose: steps on the way there do worse */

/* Where a drawing is not exact, gaps relative to the largest one: bridges begin no nearer than the first if
 * they can; below the second one is taken for want of a better; below the third no step is taken any more. */
static const double SOONER = 0.25, LAST = 0.1, LOST = 0.01;

/* A bridge that begins still sooner, because no step ended there, is longer by this at most. */
static const double LONGEST = 2.5;

/* States inside of a step are off by the tolerance, contradictions there by its square, times this. */
static const double DENSE = 100;

/* Poses with a larger offset are crossed by bridges or not at all. */
static const double NOT_WITHOUT = 1e-10;

/* A bridge across a pose that steps do not get across is taken for want of a better up to this error. */
static const double MOST_WITHOUT_STEPS = 1e-5;

/* A try from nearer helps if its error is smaller by this. */
static const double HELPS = 0.5;

keel_status ki_crossing_init(keel_simulation *sim) {
    ki_crossing *c = &sim->crossing;
    const keel_system *sys = sim->system;
    double **states[] = {&c->far_y, &c->sooner_y, &c->pose_y, &c->try_y, &c->best_y};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        *states[i] = KI_NEW(&sim->arena, double, sys->n_q + sys->n_v + sys->n_z + 1);
    c->beta = KI_NEW(&sim->arena, double, sys->n_h);
    c->beta_next = KI_NEW(&sim->arena, double, sys->n_h);
    c->declined = c->best_error = INFINITY;
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

/* How good a bridge has to be whose error is larger than what was asked for: as good as the drawing is, and
 * where nothing else is left as near to its branch as others pass. */
static double largest_error(const keel_simulation *sim, double most, double offset) {
    bool last = most == INFINITY || sim->watch.gap < LAST * sim->watch.largest;
    if (offset == 0)
        return most;
    return fmax(KI_LARGEST_BRIDGE_ERROR, (last ? sqrt(offset) : 0.1 * offset) / sim->settings.tolerance);
}

static bool has_precision(const keel_simulation *sim) {
    return sim->held.known && !sim->held.look.large && sim->system->precision.length > 0;
}

/* Joints that contradict each other in one pose need not do so in the next one, and will again. */
static void note_exactness(ki_crossing *c, bool blurred) {
    c->inexact |= blurred;
    c->exact = c->inexact ? 0 : c->exact + 1;
}

/* The row with the largest part of an offset. */
static int largest_offset(const keel_simulation *sim, const double *beta) {
    int worst = 0;
    double most = -1;
    for (int i = 0; i < sim->active->n_h; i++) {
        double size = sim->active->row_size ? fabs(beta[i]) / sim->active->row_size[i] : fabs(beta[i]);
        if (size > most)
            most = size, worst = i;
    }
    return worst;
}

/* Whether a bridge is good enough to tell that its pose asks for no offset: that is off by the square of what
 * the states are off. */
static bool tells_offset(const keel_simulation *sim) {
    double error = sim->crossing.bridge->bridge_error, tolerance = sim->settings.tolerance;
    return error <= KI_LARGEST_BRIDGE_ERROR || error * tolerance < sqrt(NOT_WITHOUT);
}

keel_status ki_take_if_good(keel_simulation *sim, keel_status status, double most, const ki_meeting *meeting,
                            bool *taken) {
    ki_crossing *c = &sim->crossing;
    ki_integrator *bridge = c->bridge;
    bool blurred = meeting->offset > 0;
    if (!status && meeting->found && (blurred || tells_offset(sim))) {
        note_exactness(c, blurred);
        c->looked = !blurred;
        c->blurred = meeting->offset > NOT_WITHOUT;
        c->open_row = largest_offset(sim, c->beta_next);
    }
    bool found = bridge->bridge_found || blurred;
    if (most == LAST_ERROR) { /* an error knows what iterations have left */
        found = found || meeting->found;
        most = meeting->found ? most : KI_LARGEST_BRIDGE_ERROR;
    }
    bool gets_on = !sim->integrator || bridge->t > sim->integrator->t; /* it may have begun before */
    *taken = !status && found && gets_on && bridge->bridge_error <= largest_error(sim, most, meeting->offset);
    if (!*taken) {
        ki_end_offset(sim);
        return status == KEEL_ERROR_MEMORY ? status : KEEL_OK;
    }
    if (sim->integrator) {
        bridge->jacobians = 0; /* it serves again, and has those of earlier parts of the run */
        ki_carry_counts(sim->integrator, bridge);
        bridge->steps++;
        ki_integrator_free(sim->integrator);
    }
    sim->integrator = bridge;
    c->bridge = NULL;
    c->bridging = true;
    c->blurred = false;
    if (blurred && sim->held.selection)
        ki_track_violation(&sim->held.repeated, meeting->t, fabs(c->beta[c->open_row]), meeting->offset,
                           ki_row_of_all(sim, c->open_row));
    return KEEL_OK;
}

/* The bridge takes a step of length H or so from (t, y), if it is good enough. */
static keel_status take_bridge(keel_simulation *sim, double t, const double *y, double H, double most,
                               ki_meeting *meeting, bool *taken) {
    *taken = false;
    if (!(H > 0))
        return KEEL_OK;
    sim->crossing.bridge->work_allowed = sim->integrator ? ki_allowed_work(sim) : 0;
    return ki_take_if_good(sim, ki_try_bridge(sim, t, y, H, meeting), most, meeting, taken);
}

/* Whether the motion comes to rest at the pose ahead and turns back there: then the gap falls as the square
 * of the time that is left, and its root along a line. */
static bool comes_to_rest(const keel_simulation *sim) {
    static const double STRAIGHT = 0.15, BENT = 0.9;
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
    bool passed = w->logged > w->t_before; /* inside of the last step: there the gap has risen since */
    if (!w->active || passed || !(w->gap < w->before))
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
    bool shrinking =
        !in->across_failed && h > 0 && h < SHRUNK * sim->crossing.usual_step && pose - in->t > 2 * h;
    bool near = w->gap < NEARER * w->largest && w->gap > TOO_NEAR * w->largest;
    return near && (shrinking || in->across_worse > 1);
}

/* Whether the branches that meet ahead may pass each other, for all that is known. Of a drawing that is known
 * to be inexact they do; of one that is not, a look is worth its cost only next to the pose. */
static bool may_be_blurred(const keel_simulation *sim, double pose) {
    const ki_integrator *in = sim->integrator;
    const ki_watch *w = &sim->watch;
    const ki_crossing *c = &sim->crossing;
    if (!has_precision(sim) || c->looked || c->exact >= EXACT)
        return false;
    if (!c->inexact)
        return w->gap < LOOK * w->largest || pose - in->t < REACH * (in->t - in->t_old);
    return w->gap < AHEAD * w->largest || pose - in->t < STEPS_AHEAD * (in->t - in->t_old);
}

/* A step that ends next to a pose is as good as lost: a run that does is to end on a bridge. */
static bool ends_there(const keel_simulation *sim, double pose) {
    static const double NEXT = 0.1;
    const ki_integrator *in = sim->integrator;
    return fabs(ki_step_limit(sim) - pose) < NEXT * (pose - in->t) &&
           pose - in->t < STEPS_AHEAD * (in->t - in->t_old);
}

/* An attempt across was rejected. */
static bool steps_fail(const keel_simulation *sim) {
    return sim->integrator->across_failed > 0;
}

/* A step has ended next to the pose by chance: accelerations are round-off there, and what is left of the way
 * is better crossed from where they were not. */
static bool has_landed(const keel_simulation *sim) {
    return sim->watch.gap < LOST * sim->watch.largest && !sim->integrator->across_failed;
}

static bool asks_for_bridge(const keel_simulation *sim, double pose) {
    const ki_integrator *in = sim->integrator;
    if (!(sim->watch.gap < AHEAD * sim->watch.largest))
        return false;
    if (is_blurred(sim, pose) || comes_to_rest(sim) || ends_there(sim, pose) || steps_fail(sim) ||
        has_landed(sim))
        return true;
    return !crosses_by_itself(sim->settings.method.integrator) &&
           pose - in->t < STEPS_AHEAD * (in->t - in->t_old);
}

/* The integrator of the run goes on from where the bridge ends. */
static keel_status end_bridge(keel_simulation *sim) {
    ki_integrator *bridge = sim->integrator;
    keel_status status;
    ki_end_offset(sim);
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
    sim->crossing.declined = sim->crossing.best_error = INFINITY;
    return KEEL_OK;
}

keel_status ki_prepare_bridge(keel_simulation *sim) {
    keel_status status = KEEL_OK;
    if (sim->dynamics.m == 0 || (goes_as_it_comes(sim) && !sim->held.singular_start))
        return KEEL_OK;
    sim->crossing.bridge = ki_new_bridge(sim, &status);
    return status;
}

/* The state at a time inside of the last step, on the constraints; that at its end, and false, if there is
 * none. */
static bool state_inside(keel_simulation *sim, double t, double *y) {
    const ki_integrator *in = sim->integrator;
    ki_dynamics *d = &sim->rows;
    if (!in->method->interpolate(sim->integrator, t, y)) {
        ki_normalize(d, y);
        d->factored = false;
        if (!ki_settle(d, in->flow_rows.stabilize, t, y))
            return true;
    }
    memcpy(y, in->y, (size_t)in->n * sizeof *y);
    return false;
}

/* Steps may lead so near to a pose that a bridge from there would be too short: then the bridge begins inside
 * of the last one, at a time when the gap was large enough, or at the end of an earlier one. */
static double begin_sooner(keel_simulation *sim, double pose, double *y) {
    const ki_integrator *in = sim->integrator;
    const ki_watch *w = &sim->watch;
    const ki_crossing *c = &sim->crossing;
    double t = pose - (pose - in->t) * SOONER * w->largest / w->gap;
    bool first = in->across_failed && c->declined == INFINITY;
    if (first && t < in->t_old && c->sooner_gap > 0 && pose - c->sooner_t < LONGEST * (pose - t)) {
        memcpy(y, c->sooner_y, (size_t)in->n * sizeof *y);
        return c->sooner_t;
    }
    memcpy(y, in->y, (size_t)in->n * sizeof *y);
    if (!(t < in->t) || !(w->before > LAST * w->largest) || in->steps == 0)
        return in->t;
    t = fmax(t, in->t_old + 0.1 * (in->t - in->t_old));
    return state_inside(sim, t, y) ? t : in->t;
}

/* A try from (t, y), and another one with other rows held where those that are look poor next to the pose. */
static keel_status try_rows(keel_simulation *sim, double t, double *y, double pose, double most,
                            ki_meeting *meeting, bool *taken) {
    ki_crossing *c = &sim->crossing;
    bool changed = false;
    keel_status status = take_bridge(sim, t, y, 2 * (pose - t), most, meeting, taken);
    if (!status && !*taken && !c->looked && sim->held.selection)
        status = ki_hold_best(sim, t, y, c->pose_y, &changed);
    if (status || !changed)
        return status;
    memcpy(y, sim->integrator->y, (size_t)sim->integrator->n * sizeof *y);
    c->far_gap = c->far_t > t ? 0 : c->far_gap;
    return take_bridge(sim, t, y, 2 * (pose - t), most, meeting, taken);
}

/* A bridge that began inside of the last step, and was too long for its eight nodes, may begin nearer to the
 * pose that it has found. */
static bool begin_nearer(keel_simulation *sim, const ki_meeting *meeting, double *t, double *y) {
    static const double PART = 0.6;
    double nearer = meeting->t - PART * (meeting->t - *t);
    double error = sim->crossing.bridge->bridge_error;
    if (!meeting->found || !(error > KI_LARGEST_BRIDGE_ERROR && error < INFINITY) ||
        !(*t >= sim->integrator->t_old) || !(nearer > *t && nearer < sim->integrator->t) ||
        !state_inside(sim, nearer, y))
        return false;
    *t = nearer;
    return true;
}

/* A try from (t, y). It knows its pose better than it was aimed: once more from there, as long as that helps.
 * The best of the tries that were not good enough is remembered. */
static keel_status try_from(keel_simulation *sim, double t, double *y, double pose, double most,
                            ki_meeting *meeting, bool *taken) {
    ki_crossing *c = &sim->crossing;
    double before = INFINITY, error = INFINITY;
    do {
        keel_status status = try_rows(sim, t, y, pose, most, meeting, taken);
        if (status || *taken)
            return status;
        before = error, error = c->bridge->bridge_error;
        if (meeting->found && error < c->best_error) {
            memcpy(c->best_y, y, (size_t)c->bridge->n * sizeof *y);
            c->best_t = t, c->best_pose = pose, c->best_error = error;
        }
        pose = meeting->t;
    } while (meeting->found && error < HELPS * before);
    return KEEL_OK;
}

/* Next to a pose accelerations are round-off, and far from it a bridge is too long for its nodes. Of an exact
 * drawing the best try is taken where it is better than the attempts of the integrator; where steps only
 * shrink, or the motion comes to rest in the pose, there are none to compare with. Where it does, or branches
 * pass each other, the best is taken when tries from nearer are no better than `before`. */
static keel_status take_best_try(keel_simulation *sim, double pose, double before, bool exact, bool *taken) {
    ki_crossing *c = &sim->crossing;
    const ki_integrator *in = sim->integrator;
    double of_steps = in->across_failed ? in->across_error : 0;
    bool rests = comes_to_rest(sim), waits = rests || !exact;
    if (rests || has_landed(sim) || (is_blurred(sim, pose) && !in->across_failed))
        of_steps = MOST_WITHOUT_STEPS / sim->settings.tolerance;
    if (!(c->best_error < (exact ? of_steps : INFINITY)) || (waits && c->best_error < HELPS * before))
        return KEEL_OK;
    ki_meeting again;
    return take_bridge(sim, c->best_t, c->best_y, 2 * (c->best_pose - c->best_t), INFINITY, &again, taken);
}

/* From the states farther away that are remembered, unless they are from before another pose. The pose is
 * known better by now: of nodes on either side alike, the nearest ones are as far from it as can be. */
static keel_status try_from_farther(keel_simulation *sim, double t, double pose, double most,
                                    ki_meeting *meeting, bool *taken) {
    ki_crossing *c = &sim->crossing;
    const double times[] = {c->far_t, c->sooner_t}, gaps[] = {c->far_gap, c->sooner_gap};
    const double *states[] = {c->far_y, c->sooner_y};
    keel_status status = KEEL_OK;
    for (int i = 0; i < 2 && !status && !*taken; i++) {
        if (!(gaps[i] > 0) || !(times[i] < t) || !(times[i] > sim->watch.logged))
            continue;
        t = times[i];
        memcpy(c->try_y, states[i], (size_t)sim->integrator->n * sizeof(double));
        pose = meeting->found ? meeting->t : pose;
        status = try_from(sim, t, c->try_y, pose, most, meeting, taken);
    }
    return status;
}

keel_status ki_prepare_crossing(keel_simulation *sim) {
    enum { MOST_NEARER = 3 };
    ki_crossing *c = &sim->crossing;
    if (c->bridging)
        return end_bridge(sim); /* of the gaps around its pose none tells of another one */
    if (c->blurred && sim->watch.gap < LOST * sim->watch.largest)
        return ki_trouble_at(&sim->dynamics, KEEL_ERROR_SINGULAR, KI_TROUBLE_MEETING, sim->integrator->t,
                             c->open_row, fabs(c->beta_next[c->open_row]));
    double pose = pose_ahead(sim);
    if (!c->bridge || !isfinite(pose) || goes_as_it_comes(sim) || !(sim->watch.gap < 0.5 * c->declined))
        return KEEL_OK;
    bool asked = asks_for_bridge(sim, pose), taken = false;
    if (!asked && !may_be_blurred(sim, pose))
        return KEEL_OK;
    if (!asked && !c->inexact && ki_is_exact_ahead(sim, pose)) {
        note_exactness(c, false);
        c->looked = true;
        return KEEL_OK;
    }
    ki_meeting meeting = {0};
    double *y = c->try_y, t = begin_sooner(sim, pose, y);
    double most = asked ? (ends_there(sim, pose) ? LAST_ERROR : KI_LARGEST_BRIDGE_ERROR) : -1,
           before = c->best_error;
    keel_status status = try_from(sim, t, y, pose, most, &meeting, &taken);
    for (int i = 0; i < MOST_NEARER && !status && !taken && begin_nearer(sim, &meeting, &t, y); i++)
        status = try_from(sim, t, y, meeting.t, most, &meeting, &taken);
    if (!status && !taken && (asked || c->bridge->bridge_error == INFINITY))
        status = try_from_farther(sim, t, pose, most, &meeting, &taken);
    if (!status && !taken)
        status = take_best_try(sim, pose, before, !(meeting.offset > 0), &taken);
    if (!status && !taken && (asked || !c->looked)) {
        c->declined = sim->watch.gap;
        if (comes_to_rest(sim)) /* a step across would be one that ends there: ordinary ones come nearer */
            sim->integrator->singular_at = INFINITY;
    }
    return status;
}

void ki_note_pose(keel_simulation *sim, double t, const double *y) {
    ki_crossing *c = &sim->crossing;
    double tolerance = sim->settings.tolerance;
    if (has_precision(sim) && !c->bridging && c->exact < EXACT)
        note_exactness(c, ki_offset_in_pose(sim, t, y) > DENSE * tolerance * tolerance);
}

void ki_remember_far(keel_simulation *sim) {
    ki_crossing *c = &sim->crossing;
    const ki_watch *w = &sim->watch;
    const ki_integrator *in = sim->integrator;
    if (!w->active)
        return;
    c->earlier_t = c->latest_t, c->earlier_gap = c->latest_gap;
    c->latest_t = w->t_before, c->latest_gap = w->before;
    if (w->gap > SOONER * w->largest) {
        memcpy(c->sooner_y, in->y, (size_t)in->n * sizeof(double));
        c->sooner_t = in->t;
        c->sooner_gap = w->gap;
    }
    if (!(w->gap > FAR * w->largest))
        return;
    memcpy(c->far_y, in->y, (size_t)in->n * sizeof(double));
    c->far_t = in->t;
    c->far_gap = w->gap;
    if (w->gap > AHEAD * w->largest)
        c->declined = c->best_error = INFINITY, c->looked = c->blurred = false;
    if (!c->bridging && in->t > in->t_old && w->gap > AHEAD * w->largest)
        c->usual_step = in->t - in->t_old;
}

keel_status ki_cross_after_failure(keel_simulation *sim, keel_status status) {
    ki_crossing *c = &sim->crossing;
    const ki_watch *w = &sim->watch;
    bool taken;
    if (c->bridging || !c->bridge || goes_as_it_comes(sim) || !ki_worth_retrying(status) ||
        status == KEEL_ERROR_LIMIT || !w->active || !(c->far_gap > 0) || !(w->gap < FAR * w->largest))
        return status;
    /* the gap falls about linearly between there and here */
    double pose = c->far_t + c->far_gap * (w->t - c->far_t) / (c->far_gap - w->gap);
    ki_trouble trouble = sim->dynamics.trouble;
    ki_meeting meeting;
    keel_status tried =
        take_bridge(sim, c->far_t, c->far_y, 2 * (pose - c->far_t), INFINITY, &meeting, &taken);
    c->far_gap = 0;
    if (taken)
        return KEEL_OK;
    ki_factor_at(&sim->dynamics, sim->integrator->t, sim->integrator->y); /* where the run stands */
    sim->dynamics.trouble = trouble;
    return tried ? tried : status;
}
