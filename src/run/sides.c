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
#include "stabilize/stabilizer.h"

/* A function that is passed again so often, each time at once, is passed without end. */
enum { RETURNS_MOST = 6 };

/* So many steps in a row that were taken again and have not reached the switch will not: its time by the
 * dense output has to do. */
enum { MISSES_MOST = 4 };

static const double AT_ONCE = 1e-3; /* of a usual step */

keel_status ki_sides_init(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    int n = sim->system->switches.count;
    int n_y = sim->system->n_q + sim->system->n_v + sim->system->n_z + 1;
    s->count = n;
    s->g = KI_NEW(&sim->arena, double, n);
    s->g_here = KI_NEW(&sim->arena, double, n);
    s->g_start = KI_NEW(&sim->arena, double, n);
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

/* g at (t, y) */
static void values_at(keel_simulation *sim, double t, const double *y, double *g) {
    const keel_system *sys = sim->system;
    keel_point at = {.t = ki_time_asked(&sim->dynamics, t),
                     .q = y,
                     .v = y + sys->n_q,
                     .z = y + sys->n_q + sys->n_v,
                     .s = sim->rows.s,
                     .lambda = sim->rows.lambda};
    sys->switches.values(sys, sim->switching.work, &at, g);
}

/* The same inside the last step. False where there is no dense output. */
static bool values_inside(keel_simulation *sim, double t, double *g) {
    ki_integrator *in = sim->integrator;
    double *y = sim->switching.y;
    if (in->method->interpolate(in, t, y))
        return false;
    ki_normalize(&sim->rows, y);
    values_at(sim, t, y, g);
    return true;
}

static signed char sign_of(double g) {
    return (signed char)((g > 0) - (g < 0));
}

/* A function that has changed sign against `side`, or -1. */
static int changed_side(const ki_switching *s, const double *g) {
    for (int i = 0; i < s->count; i++)
        if (!s->ignored[i] && s->side[i] * sign_of(g[i]) < 0)
            return i;
    return -1;
}

/* A step of h between two states. */
typedef struct span_of_step {
    double t, h;
    const double *y0, *y1;
} span_of_step;

/* The state at a part of a step by those at its ends: cubic in q where q' = v. */
static void guess_state(const keel_simulation *sim, const span_of_step *step, double part, double *y) {
    const keel_system *sys = sim->dynamics.system;
    int n = sys->n_v;
    double a = part, b = 1 - part;
    for (int i = 0; i < sim->integrator->n; i++)
        y[i] = b * step->y0[i] + a * step->y1[i];
    for (int i = 0; !sys->kinematics && i < n; i++) {
        double v0 = step->y0[n + i], v1 = step->y1[n + i], slope = (step->y1[i] - step->y0[i]) / step->h;
        y[i] += a * b * step->h * (b * (v0 - slope) - a * (v1 - slope));
        y[n + i] = slope + (1 - 4 * a + 3 * a * a) * (v0 - slope) + (3 * a * a - 2 * a) * (v1 - slope);
    }
}

/* g of that state into s->g_here. */
static void guess_values(keel_simulation *sim, const span_of_step *step, double part) {
    ki_switching *s = &sim->switching;
    guess_state(sim, step, part, s->y);
    ki_normalize(&sim->rows, s->y);
    values_at(sim, step->t + part * step->h, s->y, s->g_here);
}

/* For ki_integrator.switch_inside: a little less than the part that is guessed. */
static double part_before_switch(const ki_integrator *in, double h, const double *y_new) {
    static const double LESS = 0.97;
    enum { COARSE = 4, HALVINGS = 8 };
    keel_simulation *sim = in->switches;
    ki_switching *s = &sim->switching;
    span_of_step step = {in->t, h, in->y, y_new};
    double a = 0, b = 1;
    int k = 1;
    do {
        b = (double)k / COARSE;
        guess_values(sim, &step, b);
    } while (changed_side(s, s->g_here) < 0 && ++k <= COARSE);
    if (k > COARSE)
        return 1;
    a = b - 1.0 / COARSE;
    for (k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (a + b);
        guess_values(sim, &step, middle);
        if (changed_side(s, s->g_here) >= 0)
            b = middle;
        else
            a = middle;
    }
    return LESS * a;
}

/* Whether functions may have been on the other side in between: by a guess that costs no evaluation, and
 * where that comes near, by the dense output. The time is in *t. */
static bool was_beyond(keel_simulation *sim, double *t) {
    static const double PART[] = {0.25, 0.5, 0.75}, NEAR = 0.5;
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    span_of_step step = {s->t_old, in->t - s->t_old, s->y_old, in->y};
    for (unsigned k = 0; k < sizeof PART / sizeof *PART; k++) {
        double at = s->t_old + PART[k] * (in->t - s->t_old);
        bool suspicious = false;
        guess_values(sim, &step, PART[k]);
        for (int i = 0; i < s->count; i++) {
            double line = fmin(fabs(s->g[i]), fabs(s->g_start[i]));
            suspicious |= !s->ignored[i] && s->side[i] * s->g_here[i] < NEAR * line;
        }
        if (!suspicious || !values_inside(sim, at, s->g_here))
            continue;
        *t = at;
        if (changed_side(s, s->g_here) >= 0)
            return true;
    }
    return false;
}

/* The first stage of the last step on another side, where the method can tell: it has seen both. */
static bool has_seen_other_side(keel_simulation *sim, double *t) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    for (int k = 0; in->method->stage && in->method->stage(in, k, t, s->y); k++) {
        ki_normalize(&sim->rows, s->y);
        values_at(sim, *t, s->y, s->g_here);
        if (changed_side(s, s->g_here) >= 0)
            return true;
    }
    return false;
}

/* The first change of a function between a and b, at which it has changed; *which is that function. The time
 * is just behind the change. */
static double time_of_change(keel_simulation *sim, double a, double b, int *which) {
    enum { MOST = 60 };
    ki_switching *s = &sim->switching;
    double least = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)) + 1e-13 * (b - a);
    for (int k = 0; k < MOST && b - a > least; k++) {
        double middle = a + 0.5 * (b - a);
        if (!values_inside(sim, middle, s->g_here))
            break;
        int i = changed_side(s, s->g_here);
        if (i >= 0) {
            b = middle;
            *which = i;
        } else {
            a = middle;
        }
    }
    return b;
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
    values_at(sim, t, y, s->g_here);
    double here = s->g_here[i];
    if (ki_rate(d, t, s->y_there, s->k))
        return false;
    for (int j = 0; j < sim->integrator->n; j++)
        s->y_there[j] += step * s->k[j];
    ki_normalize(d, s->y_there);
    values_at(sim, t + step, s->y_there, s->g_here);
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
    while (values_inside(sim, t - back * h, s->g_here) && s->g_here[i] * side <= 0 && back < FARTHEST)
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
    if (!values_inside(sim, t, s->g_here) || !rate_of_side(sim, i, t, s->y, NEXT * h, &rate))
        return true;
    memcpy(s->k_behind, s->k, (size_t)in->n * sizeof(double));
    if (!values_inside(sim, t - fmax(NEXT * h, 64 * DBL_EPSILON * fabs(t)), s->g_here) ||
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
    if (is_led_back(sim, i, t, t - s->t_old))
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
        values_at(sim, t, s->y, s->g_here);
        if (s->side[i] * sign_of(s->g_here[i]) < 0)
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
    in->switch_inside = part_before_switch;
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
    if (!(limit > in->t) || !values_inside(sim, limit, s->g_here))
        return KEEL_OK;
    int i = changed_side(s, s->g_here);
    if (i < 0)
        return KEEL_OK; /* the next step meets it */
    double t = time_of_change(sim, in->t, limit, &i);
    return end_at(sim, t, i);
}

/* Where a function has changed by the end of the last step or before: -1: none. */
static int change_in_step(keel_simulation *sim, double *t) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    *t = in->t;
    values_at(sim, in->t, in->y, s->g);
    int i = changed_side(s, s->g);
    if (i >= 0)
        return i;
    return has_seen_other_side(sim, t) || was_beyond(sim, t) ? changed_side(s, s->g_here) : -1;
}

static void remember_start(keel_simulation *sim) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    values_at(sim, in->t, in->y, s->g_start);
    for (int i = 0; i < s->count; i++)
        s->side[i] = sign_of(s->g_start[i]);
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

static bool begins_on_switch(ki_switching *s) {
    bool on_switch = false;
    for (int i = 0; i < s->count; i++)
        on_switch |= !s->ignored[i] && s->g_start[i] == 0;
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
    if (!(limit > in->t) || !values_inside(sim, limit, s->g_here))
        return KEEL_OK;
    int i = changed_side(s, s->g_here);
    if (i < 0)
        return KEEL_OK;
    double end = in->t + CLOSE * (time_of_change(sim, in->t, limit, &i) - in->t);
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
        int i = status ? -1 : change_in_step(sim, &change);
        if (!status && i < 0)
            break;
        if (status && (!ki_worth_retrying(status) || status == KEEL_ERROR_LIMIT))
            return status;
        if (!status)
            end = time_of_change(sim, s->t_old, change, &i);
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
    if (begins_on_switch(s))
        return leave_switch(sim);
    keel_status status = step_on_one_side(sim);
    if (has_fixed_steps(sim))
        return take_fixed_again(sim, status);
    for (int k = 0; k < MOST && !status; k++) {
        const ki_integrator *in = sim->integrator;
        double end;
        int i = change_in_step(sim, &end);
        if (i < 0 && k == 0 && !in->aimed) {
            s->missed = 0;
            return KEEL_OK;
        }
        if (i < 0) {
            s->missed++; /* unless it is reached now */
            return go_on_to_switch(sim, AHEAD);
        }
        end = time_of_change(sim, s->t_old, end, &i);
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
