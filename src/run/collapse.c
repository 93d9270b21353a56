#include "run/collapse.h"

#include <math.h>

/* Attempts over which a pace is measured. */
static const double BLOCK = 100;

/* How often the rest would exhaust max_steps: from the first on steps must not go on shrinking, from the
 * second on they must not stay as they are. A run that is allowed fewer steps than the default is compared
 * with that. */
static const double TOO_LONG = 10, HOPELESS = 1000, LEAST_ALLOWED = 1e7;

/* Attempts that a run is given to recover: so many time scales, and not fewer than that. */
static const double TIME_SCALES = 10, LEAST_SHRINKING = 2000, LEAST_STALLING = 5000;

/* A quarter gains at most this part of what the one before gained; all four together at most that. (With
 * steps like n^-2, which round-off near a pole makes them, the last quarter gains a quarter of the first.) */
static const double SHRINKS = 0.85, SHRINKS_IN_ALL = 1.0 / 3;

/* Of the best pace: above this part of it a run is as slow as it ever was. */
static const double STALLS = 1e-3;

static void begin_marks(ki_collapse *c, ki_mark now) {
    c->marks[0] = now;
    c->count = 1;
    c->spacing = BLOCK;
    c->stalled = now.attempts;
    c->trouble.kind = KI_TROUBLE_NONE;
}

void ki_collapse_init(ki_collapse *c, double t) {
    *c = (ki_collapse){.last = {.t = t}, .limit = t};
    begin_marks(c, c->last);
}

/* When the marks are full every second one goes. */
static void add_mark(ki_collapse *c, ki_mark now) {
    if (c->count == KI_COLLAPSE_MARKS) {
        c->count = (KI_COLLAPSE_MARKS + 1) / 2;
        for (int i = 1; i < c->count; i++)
            c->marks[i] = c->marks[2 * i];
        c->spacing *= 2;
    }
    if (now.attempts - c->marks[c->count - 1].attempts >= c->spacing)
        c->marks[c->count++] = now;
}

/* Steps for which a method of the order seen takes one time scale of the motion; those that do not tell have
 * order 2. */
static double steps_in_time_scale(const ki_collapse *c, double tolerance) {
    int order = c->order > 0 ? c->order : 2;
    return pow(tolerance, -1.0 / (order + 1));
}

/* Whether each quarter since marks[0] gained less than the one before. */
static bool shrinks(const ki_collapse *c) {
    double gain[4];
    int n = c->count - 1;
    if (n < 8 || n % 4 != 0)
        return false;
    for (int i = 0; i < 4; i++) {
        ki_mark from = c->marks[i * n / 4], to = c->marks[(i + 1) * n / 4];
        gain[i] = (to.t - from.t) / (to.attempts - from.attempts);
        if (i > 0 && !(gain[i] <= SHRINKS * gain[i - 1]))
            return false;
    }
    return gain[3] <= SHRINKS_IN_ALL * gain[0];
}

/* The limit of t(n) = limit - a/(n + b), the sequence that converges slowest of those that are met, through
 * the first, middle and last mark (the rho-algorithm: Wynn, Proc. Cambridge Phil. Soc. 52, 1956); not
 * farther away than all that was gained since the first. */
static double limit_of_steps(const ki_collapse *c) {
    int n = (c->count - 1) / 2;
    double first = c->marks[0].t, middle = c->marks[n].t, last = c->marks[2 * n].t;
    double before = middle - first, after = last - middle;
    double limit = before > after ? middle + 2 * before * after / (before - after) : INFINITY;
    return fmin(limit, c->last.t + (c->last.t - first));
}

/* The pace since it was measured last; negative if it is too early to tell. A run that goes back, to take
 * another way, begins anew. */
static double pace_until(ki_collapse *c, ki_mark now) {
    double attempts = now.attempts - c->last.attempts, gain = now.t - c->last.t;
    if (gain < 0 || attempts < 0) {
        begin_marks(c, now);
        c->last = now;
        return -1;
    }
    if (attempts < BLOCK)
        return -1;
    c->last = now;
    return gain / attempts;
}

bool ki_has_collapsed(ki_collapse *c, const ki_collapse_scale *scale, double attempts, double t) {
    ki_mark now = {attempts, t};
    double pace = pace_until(c, now);
    if (pace < 0)
        return false;
    c->best = fmax(c->best, pace);
    c->attempts_left = (scale->until - t) / pace;
    double rest = c->attempts_left / fmax(scale->most_steps, LEAST_ALLOWED);
    if (!(rest >= TOO_LONG) || pace >= 0.1 * (scale->longest_step > 0 ? scale->longest_step : INFINITY)) {
        begin_marks(c, now);
        return false;
    }
    add_mark(c, now);
    if (rest < HOPELESS || pace > STALLS * c->best)
        c->stalled = attempts;
    double patience = TIME_SCALES * steps_in_time_scale(c, scale->tolerance);
    c->is_shrinking = attempts - c->marks[0].attempts >= fmax(patience, LEAST_SHRINKING) && shrinks(c);
    if (!c->is_shrinking && attempts - c->stalled < fmax(patience, LEAST_STALLING))
        return false;
    c->limit = limit_of_steps(c);
    return true;
}
