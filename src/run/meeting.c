#include "run/meeting.h"

#include <math.h>
#include <string.h>

#include "run/switching.h"

/* Rows with less left than this, or than this part of the gap where the bridge begins, count as dependent in
 * the pose that was found. */
static const double NEAR_POSE = 1e-3, PART_OF_GAP = 0.05;

/* Contradictions of a drawing with all its digits, as parts of the numbers that positions are differences of.
 */
static const double ROUND_OFF = 1e-14;

/* Polynomials of steps are off by so many tolerances a step further on, or by the root of this. */
static const double EXTRAPOLATED = 1e3, MOST_EXTRAPOLATED = 1e-10;

/* A pose this far from the middle of the bridge, as a part of its length, is aimed at again. */
static const double OFF_MIDDLE = 0.1;

/* Next to a pose, as a part of the length of its bridge. */
static const double NEXT_TO = 0.05;

static void set_offset(keel_simulation *sim, ki_offset offset) {
    sim->dynamics.offset = sim->rows.offset = offset;
    sim->dynamics.known = sim->rows.known = 0;
}

void ki_end_offset(keel_simulation *sim) {
    set_offset(sim, (ki_offset){0});
}

static keel_status aim_and_step(keel_simulation *sim, double t, const double *y, double H) {
    ki_integrator *bridge = sim->crossing.bridge;
    keel_status status = ki_bridge_aim(bridge, t, y, H);
    return status ? status : bridge->method->step(bridge, ki_step_limit(sim));
}

/* The gap at a time on the polynomial of a step; the state there is in sim->row_k. */
static double gap_at(keel_simulation *sim, ki_integrator *in, double t) {
    if (in->method->interpolate(in, t, sim->row_k))
        return INFINITY;
    ki_normalize(&sim->dynamics, sim->row_k);
    return ki_gap_of_held(sim, t, sim->row_k);
}

/* Where the gap is smallest among equally distant times. */
static double smallest_gap_at(keel_simulation *sim, ki_integrator *in, double from, double h) {
    enum { PARTS = 16 };
    double best = from + 0.5 * h, least = INFINITY;
    for (int i = 1; i < PARTS; i++) {
        double gap = gap_at(sim, in, from + i * h / PARTS);
        if (gap < least)
            least = gap, best = from + i * h / PARTS;
    }
    return best;
}

/* When the polynomial of a step crosses a pose in a time h: on both sides of it the gap is a line, so its
 * square is a parabola, unless several rows vanish at times that differ as yet. Beyond that time a guess.
 * NAN: there is none. */
static double pose_of(keel_simulation *sim, ki_integrator *in, double from, double h) {
    double reach = 10, t = smallest_gap_at(sim, in, from, h);
    bool inside = t > from + 0.1 * h && t < from + 0.9 * h;
    for (double part = 0.1; part > 1e-4; part *= 0.1, reach = 4) {
        double before = gap_at(sim, in, t - part * h), here = gap_at(sim, in, t);
        double after = gap_at(sim, in, t + part * h);
        double bend = before * before - 2 * here * here + after * after;
        double shift = 0.5 * (before * before - after * after) / bend;
        if (!(bend > 0) || !(fabs(shift) < reach))
            return inside ? t : NAN;
        t += shift * part * h;
        inside = t > from + part * h && t < from + h - part * h;
        if (!inside)
            break;
    }
    return t;
}

static double pose_on_bridge(keel_simulation *sim) {
    ki_integrator *bridge = sim->crossing.bridge;
    return pose_of(sim, bridge, bridge->t_old, bridge->bridge_span);
}

/* A bridge with a pose in its middle. */
static keel_status aim_at_pose(keel_simulation *sim, double t, const double *y, double H,
                               ki_meeting *meeting) {
    enum { MOST = 4 };
    const ki_integrator *bridge = sim->crossing.bridge;
    for (int i = 0; i < MOST; i++) {
        keel_status status = aim_and_step(sim, t, y, H);
        if (status)
            return status;
        double pose = pose_on_bridge(sim);
        if (!(pose > t))
            return KEEL_OK;
        meeting->t = pose;
        bridge->method->interpolate(sim->crossing.bridge, fmin(pose, t + H) - NEXT_TO * H,
                                    sim->crossing.pose_y);
        if (fabs(pose - t - 0.5 * H) < OFF_MIDDLE * H) {
            meeting->found = gap_at(sim, sim->crossing.bridge, pose) < sim->crossing.nothing;
            return KEEL_OK;
        }
        H = 2 * (pose - t);
    }
    return KEEL_OK;
}

/* The offset that the bridge asks for, into beta_next. */
static double find_offset(keel_simulation *sim, double t) {
    if (!isfinite(gap_at(sim, sim->crossing.bridge, t)))
        return 0;
    return ki_offset_of_held(sim, t, sim->row_k, sim->crossing.nothing, sim->crossing.beta_next);
}

/* Offsets in natural sizes that are nothing but round-off. */
static double round_off(const keel_simulation *sim) {
    const keel_system *sys = sim->system;
    double most = 1;
    for (int i = 0; sys->Phi_size && sys->row_size && i < sys->n_h; i++)
        most = fmax(most, sys->Phi_size[i] / sys->row_size[i]);
    return ROUND_OFF * most;
}

double ki_offset_in_pose(keel_simulation *sim, double t, const double *y) {
    double offset = ki_offset_of_held(sim, t, y, NEAR_POSE, sim->crossing.beta_next);
    return offset > round_off(sim) ? offset : 0;
}

bool ki_is_exact_ahead(keel_simulation *sim, double pose) {
    ki_integrator *in = sim->integrator;
    double off = EXTRAPOLATED * sim->settings.tolerance, h = 2 * (pose - in->t);
    double t = in->steps ? pose_of(sim, in, in->t, h) : NAN;
    if (!(t > in->t && t < in->t + h) || !(gap_at(sim, in, t) < NEAR_POSE))
        return false;
    double offset = ki_offset_of_held(sim, t, sim->row_k, NEAR_POSE, sim->crossing.beta_next);
    return offset < fmax(round_off(sim), fmin(off * off, MOST_EXTRAPOLATED));
}

/* Crosses again with the offset that was found, until it is the one that the bridge asks for. */
static keel_status cross_with_offset(keel_simulation *sim, double t, const double *y, ki_meeting *meeting) {
    enum { MOST = 6 };
    ki_crossing *c = &sim->crossing;
    int n_h = sim->active->n_h;
    double before = INFINITY;
    for (int round = 0; round < MOST; round++) {
        double span = 2 * (meeting->t - t), off = 0;
        memcpy(c->beta, c->beta_next, (size_t)n_h * sizeof *c->beta);
        set_offset(sim, (ki_offset){.t_0 = t, .span = span, .beta = c->beta});
        keel_status status = aim_and_step(sim, t, y, span);
        if (status)
            return status;
        double pose = pose_on_bridge(sim);
        if (!(pose > t && pose < t + span))
            return KEEL_ERROR_CONVERGENCE;
        meeting->offset = find_offset(sim, pose);
        for (int i = 0; i < n_h; i++)
            off = fmax(off, fabs(c->beta_next[i] - c->beta[i]));
        meeting->t = pose;
        if (!(off < 0.5 * before) || off == 0)
            break;
        before = off;
    }
    return KEEL_OK;
}

/* Where branches turn before they would meet no bridge reaches the pose without an offset: the polynomial of
 * the last step, which comes from farther away, tells both well enough to begin with. */
static bool foresee_meeting(keel_simulation *sim, double t, double pose, ki_meeting *meeting) {
    ki_integrator *in = sim->integrator;
    if (!in || !in->steps || !(pose > in->t))
        return false;
    double at = pose_of(sim, in, in->t, 2 * (pose - in->t));
    if (!(at > t) || !(gap_at(sim, in, at) < sim->crossing.nothing))
        return false;
    *meeting = (ki_meeting){.found = true, .t = at};
    meeting->offset = ki_offset_of_held(sim, at, sim->row_k, sim->crossing.nothing, sim->crossing.beta_next);
    return meeting->offset > round_off(sim);
}

keel_status ki_try_bridge(keel_simulation *sim, double t, const double *y, double H, ki_meeting *meeting) {
    *meeting = (ki_meeting){0};
    memcpy(sim->crossing.pose_y, y, (size_t)sim->crossing.bridge->n * sizeof *y);
    if (!sim->held.known || sim->held.look.large)
        return aim_and_step(sim, t, y, H);
    sim->crossing.nothing = fmax(NEAR_POSE, PART_OF_GAP * ki_gap_of_held(sim, t, y));
    keel_status status = aim_at_pose(sim, t, y, H, meeting);
    if (!status && meeting->found)
        meeting->offset = find_offset(sim, meeting->t);
    else if (status == KEEL_ERROR_CONVERGENCE || status == KEEL_ERROR_SINGULAR)
        status = foresee_meeting(sim, t, t + 0.5 * H, meeting) ? KEEL_OK : status;
    if (meeting->offset <= round_off(sim)) {
        meeting->offset = 0;
        return status;
    }
    status = cross_with_offset(sim, t, y, meeting);
    if (status)
        ki_end_offset(sim);
    return status;
}

/* Into beta, what the constraints of the steps are open at (t, y). */
static double offset_of_start(keel_simulation *sim, double t, const double *y) {
    const keel_system *sys = sim->active;
    double most = 0;
    ki_end_offset(sim);
    if (sys->n_h == 0 || ki_evaluate_terms(&sim->dynamics, KEEL_POSITION, t, y))
        return 0;
    for (int i = 0; i < sys->n_h; i++) {
        double open = sim->dynamics.at.Phi[i];
        sim->crossing.beta[i] = sim->crossing.beta_next[i] = open;
        most = fmax(most, fabs(open) / (sys->row_size ? sys->row_size[i] : 1));
    }
    return sys->row_size && most > round_off(sim) ? most : 0;
}

keel_status ki_try_bridge_away(keel_simulation *sim, double t, const double *y, double H, const double *rate,
                               bool resting, bool again, ki_meeting *meeting) {
    ki_integrator *bridge = sim->crossing.bridge;
    *meeting = (ki_meeting){.t = t, .offset = offset_of_start(sim, t, y)};
    meeting->found = meeting->offset > 0;
    if (meeting->found)
        set_offset(sim, (ki_offset){.t_0 = t, .span = H, .leaving = true, .beta = sim->crossing.beta});
    ki_bridge_aim_away(bridge, t, y, H, rate, resting, again);
    keel_status status = bridge->method->step(bridge, ki_step_limit(sim));
    if (status)
        ki_end_offset(sim);
    return status;
}
