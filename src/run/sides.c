/* sides.c - switches of the state.
 *
 * Function g_i changes sign where a formula changes over to another branch. A step that ends on the other
 * side, or that has been there in between, has seen both branches: its dense output only tells about when.
 *
 *     one-step methods    the step is taken again, to somewhat before that time. Now no stage has seen the
 *                         other branch; the dense output, continued by a little, gives the time and the
 *                         state of the switch to the order of the method.
 *     with a history      which going back would lose: the step ends at the switch by its dense output.
 *
 * Either way the state is one just behind the switch, from where the integrator begins anew.
 */
#include "run/sides.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run/events.h"
#include "run/sides_look.h"
#include "stabilize/stabilizer.h"

/* A function that is passed again so often, each time at once, is passed without end. */
enum { RETURNS_MOST = 6 };

/* So many steps in a row that were taken again and have not reached the switch will not: its time by the
 * dense output has to do. */
enum { MISSES_MOST = 4 };

static const double AT_ONCE = 1e-3; /* of a usual step */

keel_status ki_sides_init(keel_simulation *sim) {
    static const double NOISE = 10;
    const keel_settings *set = &sim->settings;
    ki_switching *s = &sim->switching;
    int n = sim->system->switches.count;
    int n_y = sim->system->n_q + sim->system->n_v + sim->system->n_z + 1;
    s->count = n;
    s->g = KI_NEW(&sim->arena, double, n);
    s->g_here = KI_NEW(&sim->arena, double, n);
    s->g_start = KI_NEW(&sim->arena, double, n);
    s->inside = KI_NEW(&sim->arena, double, KI_PLACES *n);
    s->largest = KI_NEW(&sim->arena, double, n);
    s->noise =
        NOISE * (set->tolerance + (set->absolute_tolerance > 0 ? set->absolute_tolerance : set->tolerance));
    s->side = KI_NEW(&sim->arena, signed char, n);
    s->latest = KI_NEW(&sim->arena, double, n);
    s->returned = KI_NEW(&sim->arena, int, n);
    s->ignored = KI_NEW(&sim->arena, bool, n);
    s->y_old = KI_NEW(&sim->arena, double, n_y + KI_SPARE);
    s->y = KI_NEW(&sim->arena, double, n_y + KI_SPARE);
    s->y_there = KI_NEW(&sim->arena, double, n_y + KI_SPARE);
    s->k = KI_NEW(&sim->arena, double, n_y + KI_SPARE);
    s->k_behind = KI_NEW(&sim->arena, double, n_y + KI_SPARE);
    for (int i = 0; s->latest && i < n; i++)
        s->latest[i] = -INFINITY;
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static bool has_history(const keel_simulation *sim) {
    keel_integrator kind = sim->settings.method.integrator;
    return kind == KEEL_ADAMS || kind == KEEL_BDF || kind == KEEL_IDA;
}

static bool has_fixed_steps(const keel_simulation *sim) {
    return sim->integrator->settings.fixed;
}

static const char *name_of_side(const keel_simulation *sim, int i) {
    const keel_system *sys = sim->system;
    return sys->switches.name ? sys->switches.name[i] : "a formula of the model";
}

static void tell_endless(keel_simulation *sim, keel_severity severity, int i, double t, const char *more) {
    const keel_system *sys = sim->system;
    keel_location nowhere = {0};
    keel_diagnostics_add(sim->diagnostics, severity, sys->switches.where ? sys->switches.where[i] : nowhere,
                         "t = %.6g: %s changes sides without end, as dry friction does where it holds%s: a "
                         "smooth law can be integrated, tanh(x/eps) in place of sign(x)",
                         t, name_of_side(sim, i), more);
}

void ki_explain_sides(keel_simulation *sim) {
    const ki_switching *s = &sim->switching;
    double t = sim->integrator->t;
    if (sim->dynamics.trouble.kind == KI_TROUBLE_SIDES)
        return;
    for (int i = 0; i < s->count; i++)
        if (t - s->latest[i] <= AT_ONCE * s->usual) {
            tell_endless(sim, KEEL_NOTE, i, t, "");
            return;
        }
}

/* What is passed without end is the end of a run. Fixed steps go on over it. */
static keel_status meet_endless(keel_simulation *sim, int i, double t) {
    if (!has_fixed_steps(sim)) {
        keel_status status = ki_trouble_at(&sim->dynamics, KEEL_ERROR_STEP_SIZE, KI_TROUBLE_SIDES, t, i, 0);
        sim->dynamics.trouble.why = name_of_side(sim, i);
        return status;
    }
    sim->switching.ignored[i] = true;
    tell_endless(sim, KEEL_WARNING, i, t, "; from here on steps do not stop at it");
    return KEEL_OK;
}

/* The rate of function i along the motion from (t, y). */
static bool rate_of_side(keel_simulation *sim, int i, double t, const double *y, double step, double *rate) {
    ki_switching *s = &sim->switching;
    ki_dynamics *d = &sim->rows;
    memcpy(s->y_there, y, (size_t)sim->integrator->n * sizeof(double));
    ki_side_values(sim, t, y, s->g_here);
    double here = s->g_here[i];
    if (ki_rate(d, t, s->y_there, s->k))
        return false;
    for (int j = 0; j < sim->integrator->n; j++)
        s->y_there[j] += step * s->k[j];
    ki_normalize(d, s->y_there);
    ki_side_values(sim, t + step, s->y_there, s->g_here);
    *rate = (s->g_here[i] - here) / step;
    return true;
}

/* Whether a motion that has just passed the switch of function i, to (t, s->y), is led back at once: the
 * rates on both sides point towards each other. Then it cannot leave the switch. `h`: how far the step was.
 */
static bool is_led_back(keel_simulation *sim, int i, double t, double h) {
    static const double NEXT = 1e-10, FARTHEST = 1e-4, SHORT = 1e-6, CLEAR = 1e-6;
    ki_switching *s = &sim->switching;
    double before, behind, side = s->side[i], back = NEXT;
    if (!rate_of_side(sim, i, t, s->y, SHORT * h, &behind))
        return false;
    while (ki_side_values_inside(sim, t - back * h, s->g_here) && s->g_here[i] * side <= 0 && back < FARTHEST)
        back *= 10;
    if (!rate_of_side(sim, i, t - back * h, s->y, SHORT * h, &before))
        return false;
    return before * side < 0 && behind * side > 0 && fabs(behind) > CLEAR * fabs(before);
}

/* Whether rates jump where function i has changed, just before t. Methods with a history go on over a kink:
 * beginning anew would cost them more than it does to the error control. */
static bool is_jump(keel_simulation *sim, int i, double t) {
    static const double NEXT = 1e-10, CLEAR = 1e-4;
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    const keel_system *sys = sim->dynamics.system;
    double h = in->t - in->t_old, rate;
    if (!ki_side_values_inside(sim, t, s->g_here) || !rate_of_side(sim, i, t, s->y, NEXT * h, &rate))
        return true;
    memcpy(s->k_behind, s->k, (size_t)in->n * sizeof(double));
    if (!ki_side_values_inside(sim, t - fmax(NEXT * h, 64 * DBL_EPSILON * fabs(t)), s->g_here) ||
        !rate_of_side(sim, i, t, s->y, NEXT * h, &rate))
        return true;
    for (int j = sys->n_q; j < in->n - 1; j++)
        if (fabs(s->k[j] - s->k_behind[j]) > CLEAR * fmax(fabs(s->k[j]), fabs(s->k_behind[j])))
            return true;
    return false;
}

/* Function i was passed at t. What is passed again at once, time after time, without being led back is a kink
 * in a fast motion, and a matter of the error control. */
static keel_status note_passage(keel_simulation *sim, int i, double t) {
    ki_switching *s = &sim->switching;
    s->returned[i] = t - s->latest[i] < AT_ONCE * s->usual ? s->returned[i] + 1 : 0;
    s->latest[i] = t;
    s->missed = 0;
    s->met++;
    if (!ki_is_steep(sim, i) && is_led_back(sim, i, t, t - s->t_old))
        return meet_endless(sim, i, t);
    s->ignored[i] = s->returned[i] >= RETURNS_MOST;
    return KEEL_OK;
}

/* The last step ends at t, just behind a switch of function i, by its dense output. */
static keel_status end_at(keel_simulation *sim, double t, int i) {
    static const double FARTHER = 10;
    ki_switching *s = &sim->switching;
    ki_integrator *in = sim->integrator;
    keel_status status = KEEL_OK;
    double h = t - in->t_old, beyond = 1e-12 * h;
    for (int k = 0; k < 4 && !status; k++, beyond *= FARTHER) {
        status = in->method->interpolate(in, t, s->y);
        if (status)
            return status;
        ki_normalize(&sim->dynamics, s->y);
        status = ki_settle(&sim->dynamics, sim->settings.method.stabilize, t, s->y);
        ki_side_values(sim, t, s->y, s->g_here);
        if (s->side[i] * ki_sign_of_side(s->g_here[i]) < 0)
            break;
        t += beyond;
    }
    if (status)
        return status;
    ki_integrator *ended = ki_end_step(in, t, s->y);
    if (!ended)
        return KEEL_ERROR_MEMORY;
    sim->integrator = ended;
    s->renew = true;
    return note_passage(sim, i, t);
}

static keel_status step_on_one_side(keel_simulation *sim) {
    ki_integrator *in = sim->integrator;
    in->switch_inside = ki_part_before_switch;
    in->switches = sim;
    in->aimed = false;
    return in->method->step(in, ki_step_limit(sim));
}

/* The step from (t_old, y_old) again, not beyond `end`. */
static keel_status take_again(keel_simulation *sim, double end) {
    ki_switching *s = &sim->switching;
    sim->integrator->rejected++;
    ki_rough_step_undo(&sim->integrator->rough);
    s->is_cut = true;
    s->cut = end;
    keel_status status = ki_renew_integrator(sim, s->t_old, s->y_old, end - s->t_old);
    if (!status)
        status = step_on_one_side(sim);
    s->cut = INFINITY;
    return status;
}

/* The last step has seen one side only, and ends somewhat before a switch: that is looked for `ahead` of it,
 * a part of the step. */
static keel_status go_on_to_switch(keel_simulation *sim, double ahead) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    double limit = fmin(in->t + ahead * (in->t - in->t_old), fmin(sim->settings.until, s->at));
    if (!(limit > in->t) || !ki_side_values_inside(sim, limit, s->g_here))
        return KEEL_OK;
    int i = ki_changed_side(s, s->g_here);
    if (i < 0)
        return KEEL_OK; /* the next step meets it */
    double t = ki_time_of_change(sim, in->t, limit, &i);
    return end_at(sim, t, i);
}

static void remember_start(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    ki_side_values(sim, in->t, in->y, s->g_start);
    for (int i = 0; i < s->count; i++) {
        s->side[i] = ki_sign_of_side(s->g_start[i]);
        s->largest[i] = ki_is_steep(sim, i) ? fmax(s->largest[i], fabs(s->g_start[i])) : 0;
    }
    s->t_old = in->t;
    memcpy(s->y_old, in->y, (size_t)in->n * sizeof(double));
}

/* A motion that begins on a switch, at rest with sign(v), leaves it by a tiny step, so that the first one
 * sees one side only. Once: it may be at rest there for good. */
static keel_status leave_switch(keel_simulation *sim) {
    static const double TINY = 1e-12;
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    double rest = ki_step_limit(sim) - in->t;
    s->is_cut = true;
    s->cut = in->t + fmax(TINY * fmin(s->usual > 0 ? s->usual : rest, rest), 64 * DBL_EPSILON * fabs(in->t));
    keel_status status = ki_renew_integrator(sim, in->t, in->y, s->cut - in->t);
    if (!status)
        status = step_on_one_side(sim);
    s->cut = INFINITY;
    s->renew = true;
    return status;
}

static bool begins_on_switch(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    bool on_switch = false;
    for (int i = 0; i < s->count; i++)
        on_switch |= !s->ignored[i] && s->g_start[i] == 0 && !ki_is_steep(sim, i);
    bool is_new = on_switch && !s->on_switch;
    s->on_switch = on_switch;
    return is_new;
}

/* From the end of a step that has seen one side only, by its own length at most: to the switch, where the
 * first look only tells until where another step still sees one side. */
static keel_status approach_switch(keel_simulation *sim) {
    static const double CLOSE = 0.95;
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    double limit = fmin(in->t + (in->t - in->t_old), fmin(sim->settings.until, s->at));
    if (!(limit > in->t) || !ki_side_values_inside(sim, limit, s->g_here))
        return KEEL_OK;
    int i = ki_changed_side(s, s->g_here);
    if (i < 0)
        return KEEL_OK;
    double end = in->t + CLOSE * (ki_time_of_change(sim, in->t, limit, &i) - in->t);
    remember_start(sim);
    return take_again(sim, end);
}

/* Steps of a given length know of no errors: the first attempt tells only about where the switch is, if its
 * equations have a solution at all. */
static keel_status take_fixed_again(keel_simulation *sim, keel_status status) {
    enum { MOST = 12 };
    static const double CLEAR = 0.7;
    ki_switching *s = &sim->switching;
    double end = fmin(s->t_old + sim->settings.step, ki_step_limit(sim)), change;
    bool failed = status;
    for (int k = 0; k < MOST; k++) {
        int i = status ? -1 : ki_change_in_step(sim, &change);
        if (!status && i < 0)
            break;
        if (status && (!ki_worth_retrying(status) || status == KEEL_ERROR_LIMIT))
            return status;
        if (!status)
            end = ki_time_of_change(sim, s->t_old, change, &i);
        sim->integrator->steps -= !status;
        end = s->t_old + (status ? 0.5 : CLEAR) * (end - s->t_old);
        if (end - s->t_old < 64 * DBL_EPSILON * fabs(end))
            break;
        status = take_again(sim, end);
        failed = true;
    }
    if (status || !failed)
        return status;
    status = approach_switch(sim);
    return status ? status : go_on_to_switch(sim, 0.1);
}

keel_status ki_step_with_sides(keel_simulation *sim) {
    enum { MOST = 20 };
    static const double SHORTER[] = {0.98, 0.9, 0.5}, AHEAD = 0.1;
    ki_switching *s = &sim->switching;
    remember_start(sim);
    if (begins_on_switch(sim))
        return leave_switch(sim);
    keel_status status = step_on_one_side(sim);
    if (has_fixed_steps(sim))
        return take_fixed_again(sim, status);
    for (int k = 0; k < MOST && !status; k++) {
        const ki_integrator *in = sim->integrator;
        double end;
        int i = ki_change_in_step(sim, &end);
        if (i < 0 && k == 0 && !in->aimed) {
            s->missed = 0;
            return KEEL_OK;
        }
        if (i < 0) {
            s->missed++; /* unless it is reached now */
            return go_on_to_switch(sim, AHEAD);
        }
        end = ki_time_of_change(sim, s->t_old, end, &i);
        bool too_short = end - s->t_old < 64 * DBL_EPSILON * fabs(end);
        if (has_history(sim) && !is_jump(sim, i, end))
            return KEEL_OK;
        if (has_history(sim) || too_short || k == MOST - 1 || s->missed >= MISSES_MOST)
            return end_at(sim, end, i);
        sim->integrator->steps--;
        status = take_again(sim, s->t_old + SHORTER[k < 2 ? k : 2] * (end - s->t_old));
    }
    return status;
}
