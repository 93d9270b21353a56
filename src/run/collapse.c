#include "run/collapse.h"

#include <math.h>

/* Attempts over which a pace is measured. */
static const double BLOCK = 100;

/* How often the rest would exhaust max_steps: from the first on steps must not go on shrinking, from the
 * second on they must not stay as they are. A run that is allowed fewer steps than the default is compared
 * with that. */
static const double TOO_LONG = 10, HOPELESS = 1000, LEAST_ALLOWED = 1e7;

/* Attempts that a run is given to recover: so many time scales, and not fewer than that. */
static const double TIME_SCALES = 20, LEAST_SHRINKING = 2000, LEAST_STALLING = 5000;

/* A quarter gains at most this part of what the one before gained, and the last so much less than the first:
 * n^-2, which round-off near a pole makes of steps, falls by 2.8 while n doubles. Where accuracy alone lets
 * steps shrink, in proportion to the distance from the end, the last of so many time scales gains less than
 * a thirtieth: that goes by fast, and may be a near collision. */
static const double SHRINKS = 0.85, SHRINKS_IN_ALL = 2.5, MOST_CHANGE = 10;

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
 * order 2. Measured on blow-ups, the steps in which the distance from the end halves: 0.9 (newmark) to 3
 * (ida) times that. */
static double steps_in_time_scale(const ki_collapse *c, double tolerance) {
    int order = c->order > 0 ? c->order : 2;
    return pow(tolerance, -1.0 / (order + 1));
}

/* What the quarters of the last n marks gained per attempt. */
typedef struct quarters {
    double attempts; /* in all */
    double gain[4];
} quarters;

static quarters last_quarters(const ki_collapse *c, int n) {
    const ki_mark *first = &c->marks[c->count - 1 - n];
    quarters q = {.attempts = first[n].attempts - first[0].attempts};
    for (int i = 0; i < 4; i++) {
        ki_mark from = first[i * n / 4], to = first[(i + 1) * n / 4];
        q.gain[i] = (to.t - from.t) / (to.attempts - from.attempts);
    }
    return q;
}

static bool falls_slowly(const quarters *q) {
    for (int i = 1; i < 4; i++)
        if (!(q->gain[i] <= SHRINKS * q->gain[i - 1]))
            return false;
    return q->gain[3] * SHRINKS_IN_ALL <= q->gain[0] && q->gain[3] * MOST_CHANGE >= q->gain[0];
}

static bool stays(const quarters *q) {
    double least = fmin(fmin(q->gain[0], q->gain[1]), fmin(q->gain[2], q->gain[3]));
    double most = fmax(fmax(q->gain[0], q->gain[1]), fmax(q->gain[2], q->gain[3]));
    return most <= MOST_CHANGE * least;
}

/* Looks at the last 8, 16 and 32 marks: what came before a collapse is not part of it. */
static bool has_ended(ki_collapse *c, double patience) {
    double stalled = c->last.attempts - c->stalled;
    for (int n = 8; n < c->count; n *= 2) {
        quarters q = last_quarters(c, n);
        c->is_shrinking = q.attempts >= fmax(patience, LEAST_SHRINKING) && falls_slowly(&q);
        if (c->is_shrinking)
            return true;
        if (q.attempts >= fmax(patience, LEAST_STALLING) && q.attempts <= stalled && stays(&q))
            return true;
    }
    return false;
}

/* The limit of t(n) = limit - a/(n + b), the sequence that converges slowest of those that are met, through
 * three of the last marks (the rho-algorithm: Wynn, Proc. Cambridge Phil. Soc. 52, 1956); not
 * farther away than all that was gained since the first. */
static double limit_of_steps(const ki_collapse *c) {
    const ki_mark *end = &c->marks[c->count - 1];
    double first = end[-8].t, middle = end[-4].t, last = end->t, farthest = c->marks[0].t;
    double before = middle - first, after = last - middle;
    double limit = before > after ? middle + 2 * before * after / (before - after) : INFINITY;
    return fmin(limit, last + (last - farthest));
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
    if (!has_ended(c, TIME_SCALES * steps_in_time_scale(c, scale->tolerance)))
        return false;
    c->limit = limit_of_steps(c);
    return true;
}
