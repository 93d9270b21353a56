#include "run/watch.h"

#include <math.h>
#include <string.h>

/* A pose is singular when the gap, searched to its minimum, falls below this part of its largest value. */
static const double SINGULAR = 1e-5;

/* So near to a singular pose errors of the state grow a hundredfold in the directions that the constraints
 * hardly see. */
static const double NEAR = 1e-2;

void ki_watch_init(ki_watch *w, ki_arena *arena, ki_dynamics *d, double t, int rank) {
    *w = (ki_watch){.logged = -INFINITY, .measured_at = -1, .t = t, .t_before = t, .smallest_time = t};
    if (d->m == 0)
        return;
    ki_gap_init(&w->of, arena, d, rank);
    w->y = KI_NEW(arena, double, d->n_y);
    w->active = !arena->failed && w->of.rank > 0;
    w->gap = w->before = w->largest = w->smallest = w->active ? ki_gap_measure(&w->of, d) : 0;
    w->held = w->held_largest = w->gap;
}

void ki_watch_all(ki_watch *w, double (*of_all)(void *user, double t, const double *y), void *user, double t,
                  const double *y) {
    if (!w->active)
        return;
    w->of_all = of_all;
    w->user = user;
    w->gap = w->before = w->largest = w->smallest = of_all(user, t, y);
}

/* The gap at a time inside the last step. Infinite where the model cannot be evaluated. One that the run
 * gives itself needs no matrices: d has them only if `whole`. */
static double look_inside(ki_watch *w, ki_integrator *in, ki_dynamics *d, double t, bool whole) {
    if (in->method->interpolate(in, t, w->y))
        return INFINITY;
    ki_normalize(d, w->y);
    memcpy(d->s, in->flow.dynamics->s, (size_t)d->system->n_s * sizeof(double)); /* a guess nearby */
    if (w->of_all && !whole)
        return w->of_all(w->user, t, w->y);
    if (ki_solve_auxiliaries(d, t, w->y) || ki_gap_prepare(&w->of, d, t, w->y))
        return INFINITY;
    double gap = ki_gap_measure(&w->of, d);
    return w->of_all ? w->of_all(w->user, t, w->y) : gap;
}

static double gap_inside(ki_watch *w, ki_integrator *in, ki_dynamics *d, double t) {
    return look_inside(w, in, d, t, false);
}

/* A time inside the last step and the gap there. */
typedef struct sample {
    double t, gap;
} sample;

/* A search for the smallest gap inside the last step. */
typedef struct search {
    ki_watch *w;
    ki_integrator *in;
    ki_dynamics *d;
    sample from, to; /* its ends                                                                */
    double h;        /* the time between them                                                   */
    double steep;    /* largest change of the gap per time that is known of                     */
    bool everywhere; /* a sign has changed: whatever the slopes, there is a zero most likely    */
    double nothing;  /* a gap that is zero up to round-off                                      */
    double singular; /* a gap that belongs to a singular pose ...                               */
    double limit;    /* ... and to one where a sign has changed                                 */
    double at;       /* where d is now                                                          */
} search;

/* Slope between two samples, downwards or upwards; zero where one of them could not be measured, or where
 * they are so near that the noise of gaps would be the slope. */
static double steepness(const search *s, sample a, sample b) {
    const double near = 1e-3;
    double slope = fabs((b.gap - a.gap) / (b.t - a.t));
    return isfinite(slope) && b.t - a.t > near * s->h ? slope : 0;
}

/* The sample at a time between two others. */
static sample sample_between(search *s, sample a, sample c, double t) {
    sample x = {t, gap_inside(s->w, s->in, s->d, t)};
    s->at = t;
    s->w->steepest_inside = fmax(s->w->steepest_inside, fmax(steepness(s, a, x), steepness(s, x, c)));
    s->steep = fmax(s->steep, s->w->steepest_inside);
    return x;
}

/* Whether the gap, twice as steep as it is known to be, could fall to zero between two samples and rise
 * again. */
static bool may_vanish(const search *s, sample a, sample c) {
    return s->everywhere || a.gap + c.gap < 2 * s->steep * (c.t - a.t);
}

/* Whether the gap, as steep as between the samples, cannot reach zero between them. */
static bool stays_above(sample a, sample b, sample c) {
    double steep = fmax((a.gap - b.gap) / (b.t - a.t), (c.gap - b.gap) / (c.t - b.t));
    return b.gap > 2 * steep * (c.t - a.t);
}

/* Where the parabola through the squares of three gaps, b in the middle, has its minimum; the middle of the
 * longer side if that is no use. Near a minimum, zero or not, the square of the gap is a parabola. */
static double lowest_square(sample a, sample b, sample c) {
    double left = b.t - a.t, right = c.t - b.t;
    double up = (a.gap * a.gap - b.gap * b.gap) / left, down = (c.gap * c.gap - b.gap * b.gap) / right;
    double t = b.t + 0.5 * (up * right - down * left) / (up + down);
    double least = 1e-3 * fmin(left, right);
    bool useful = isfinite(t) && t > a.t + least && t < c.t - least;
    if (!useful)
        return left > right ? b.t - 0.4 * left : b.t + 0.4 * right;
    if (fabs(t - b.t) < least) /* not twice the same place */
        return left > right ? b.t - least : b.t + least;
    return t;
}

/* Where a smooth function that is +-gap at three samples is zero: it changes its sign before or after the one
 * in the middle, whichever bends it less. Inverse interpolation, a line if that leads out of the interval. */
static double crossing(sample a, sample b, sample c) {
    bool after = a.gap / (b.t - a.t) > c.gap / (c.t - b.t);
    double f_a = a.gap, f_b = after ? b.gap : -b.gap, f_c = -c.gap;
    sample from = after ? b : a, to = after ? c : b;
    double t = a.t * f_b * f_c / ((f_a - f_b) * (f_a - f_c)) + b.t * f_a * f_c / ((f_b - f_a) * (f_b - f_c)) +
               c.t * f_a * f_b / ((f_c - f_a) * (f_c - f_b));
    if (t > from.t && t < to.t)
        return t;
    return from.t + (to.t - from.t) * from.gap / (from.gap + to.gap);
}

static sample smaller(sample a, sample b) {
    return b.gap < a.gap ? b : a;
}

/* The smallest gap between a and c, from b in between. That of a pose is followed as long as it falls:
 * off the constraints it need not reach zero. */
static sample close_in(search *s, sample a, sample b, sample c) {
    enum { MOST = 40, PATIENCE = 2 };
    sample least = smaller(smaller(a, b), c);
    for (int i = 0, idle = 0; i < MOST && least.gap > s->nothing && c.t - a.t > 1e-9 * s->h; i++) {
        if (stays_above(a, b, c) || (idle > PATIENCE && least.gap < s->singular))
            break;
        double t = crossing(a, b, c);
        if (idle >= PATIENCE || !(t > a.t && t < c.t))
            t = lowest_square(a, b, c);
        sample x = t < b.t ? sample_between(s, a, b, t) : sample_between(s, b, c, t);
        idle = x.gap < 0.5 * least.gap ? 0 : idle + 1;
        least = smaller(least, x);
        if (x.gap < b.gap && x.t < b.t)
            c = b, b = x;
        else if (x.gap < b.gap)
            a = b, b = x;
        else if (x.t < b.t)
            a = x;
        else
            c = x;
    }
    return least;
}

/* Samples of a step, in order of time. */
enum { SAMPLES = 20 };
typedef struct series {
    int count, least; /* which one is the smallest */
    sample at[SAMPLES];
} series;

static void insert(series *all, int place, sample x) {
    all->count++;
    for (int i = all->count - 1; i > place; i--)
        all->at[i] = all->at[i - 1];
    all->at[place] = x;
    all->least += all->least >= place;
    all->least = x.gap < all->at[all->least].gap ? place : all->least;
}

/* Halves the parts of the step in which the gap could vanish, down to eighths or so. */
static void refine(search *s, series *all) {
    for (int i = 0; i + 1 < all->count && all->count < SAMPLES;) {
        sample a = all->at[i], c = all->at[i + 1];
        if (c.t - a.t < 0.2 * s->h || !may_vanish(s, a, c)) {
            i++;
            continue;
        }
        insert(all, i + 1, sample_between(s, a, c, 0.5 * (a.t + c.t)));
        i = 0; /* what is steeper than known before may be so elsewhere */
    }
}

/* The neighbourhoods of samples that are smaller than those next to them, until one is that of a pose; at an
 * end of the step that of its neighbour. */
static sample close_in_on(search *s, const series *all) {
    sample least = all->at[all->least];
    for (int i = 1; i + 1 < all->count && !(least.gap < s->limit); i++) {
        sample a = all->at[i - 1], b = all->at[i], c = all->at[i + 1];
        bool lowest = (b.gap <= a.gap || i == 1) && (b.gap <= c.gap || i + 2 == all->count);
        if (lowest && (may_vanish(s, a, b) || may_vanish(s, b, c)))
            least = smaller(least, close_in(s, a, b, c));
    }
    return least;
}

/* The smallest gap inside the last step; `guess` is where a zero would be most likely. If a sign has changed
 * there is one almost certainly: then all of the step is looked at if need be. */
static sample smallest_inside(search *s, bool turned, double guess) {
    series all = {.count = 2, .at = {s->from, s->to}};
    all.least = s->to.gap < s->from.gap;
    s->steep = fmax(s->steep, steepness(s, all.at[0], all.at[1]));
    if (!turned && s->w->steepest_inside > 0 && !may_vanish(s, all.at[0], all.at[1]))
        return all.at[all.least];
    insert(&all, 1, sample_between(s, all.at[0], all.at[1], guess));
    if (turned && all.least == 1) {
        sample least = close_in(s, all.at[0], all.at[1], all.at[2]);
        if (least.gap < s->limit)
            return least;
    }
    if (turned)
        s->everywhere = true;
    refine(s, &all);
    return close_in_on(s, &all);
}

/* Where a zero inside the last step would be: on the line between two gaps of opposite signs, or as expected.
 */
static double guess_inside(const ki_watch *w, const ki_integrator *in, bool turned, double expected) {
    double h = in->t - in->t_old;
    if (turned && w->before + w->gap > 0)
        expected = in->t_old + h * w->before / (w->before + w->gap);
    double margin = 1e-3 * h; /* the ends are known */
    return expected > in->t_old + margin && expected < in->t - margin ? expected : in->t_old + 0.5 * h;
}

/* When the gap, extrapolated from two steps, is zero; infinity if it does not fall. */
static double extrapolated_zero(double t_before, double before, double t, double gap) {
    return gap < before ? t + gap * (t - t_before) / (before - gap) : INFINITY;
}

/* The gap where d is factored, measured once for each factorization. */
static double gap_here(ki_watch *w, ki_dynamics *d) {
    if (w->measured_at != d->factorizations)
        w->measured = ki_gap_measure(&w->of, d);
    w->measured_at = d->factorizations;
    return w->measured;
}

/* The end of an attempt, before it is accepted. From a start that is as near no other end is better. Steps
 * that come nearer on purpose may end nearer, but not in the pose. */
static bool lands_badly(const ki_integrator *in) {
    static const double ON_PURPOSE = 0.1;
    ki_watch *w = in->watch;
    ki_dynamics *d = in->flow.dynamics;
    bool on_purpose = in->across_failed > 0 && !d->redundant;
    double near = NEAR * w->held_largest * (on_purpose ? ON_PURPOSE : 1);
    return w->held > near && d->factored && gap_here(w, d) < near;
}

void ki_watch_ends(ki_watch *w, ki_integrator *in) {
    in->watch = w;
    in->lands_badly = lands_badly;
}

/* Takes down the gap at the end of the step, and what follows from it alone. */
static void take_gap(ki_watch *w, const ki_integrator *in, double gap) {
    w->t_before = w->t, w->before = w->gap;
    w->t = in->t;
    if (isfinite(gap)) /* otherwise nothing can be said here: as before */
        w->gap = gap;
    w->largest = fmax(w->largest, w->gap);
    if (w->gap < w->smallest) {
        w->smallest = w->gap;
        w->smallest_time = w->t;
    }
    /* forgotten in time: where two rows tie the gap has kinks, and a tiny step across one looks steep */
    w->steepest = fmax(0.5 * w->steepest, fabs(w->gap - w->before) / (in->t - in->t_old));
}

/* Looks for a singular pose inside the last step, expected at some time or not; `rows` is there afterwards.
 */
static bool find_pose(ki_watch *w, ki_integrator *in, ki_dynamics *rows, sample from, bool turned,
                      double guess, double *t_singular, double *gap) {
    double h = in->t - from.t;
    search look = {.w = w,
                   .in = in,
                   .d = rows,
                   .from = from,
                   .to = {in->t, w->gap},
                   .h = h,
                   .steep = fmax(w->steepest, w->steepest_inside),
                   .at = NAN,
                   .nothing = (w->of.by_pivots ? 1e-7 : 1e-12) * w->largest,
                   .singular = SINGULAR * w->largest,
                   .limit = (turned ? NEAR : SINGULAR) * w->largest};
    sample least = smallest_inside(&look, turned, guess);
    if (least.gap < w->smallest) {
        w->smallest = least.gap;
        w->smallest_time = least.t;
    }
    /* ends are on the constraints: what is not singular there is next to a pose in another step */
    double limit = least.t == from.t || least.t == in->t ? look.singular : look.limit;
    /* the same pose is seen from both sides when a step ends on it */
    if (least.gap > limit || fabs(least.t - w->logged) < 1e-3 * h + 1e-9 * fabs(least.t))
        return false;
    *t_singular = least.t;
    *gap = look.at == least.t && !w->of_all ? least.gap : look_inside(w, in, rows, least.t, true);
    w->logged = *t_singular;
    return true;
}

bool ki_watch_step(ki_watch *w, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap) {
    in->singular_at = INFINITY;
    in->singular_near = false;
    if (!w->active)
        return false;
    ki_watch_ends(w, in);
    bool bridge = in->t_old < w->t; /* begun before the last step ended, with a pose in its middle */
    if (bridge) {
        w->gap = w->before = gap_inside(w, in, rows, in->t_old);
        w->t = w->t_before = in->t_old;
    }
    double expected = extrapolated_zero(w->t_before, w->before, w->t, w->gap), h = in->t - in->t_old;
    /* a one-step method has just evaluated J here for its next step */
    ki_dynamics *here = in->flow.dynamics;
    bool known = ki_is_factored(here, in->t, in->y);
    here = known ? here : rows;
    double held = known ? gap_here(w, here) : look_inside(w, in, rows, in->t, true);
    if (!known && w->of_all)
        held = ki_gap_measure(&w->of, rows);
    take_gap(w, in, w->of_all ? w->of_all(w->user, in->t, in->y) : held);
    w->held = w->of_all ? held : w->gap;
    w->held_largest = fmax(w->held_largest, w->held);
    bool turned = (here->factored && ki_gap_turned(&w->of, here)) || bridge;
    w->steepest = fmax(w->steepest, ki_gap_speed(here->system, in->y));
    /* predicted, or next to it, or steep enough to fall to zero and rise again within the step */
    bool suspicious = turned || expected < in->t + h || w->gap < 1e-3 * w->largest ||
                      w->gap + w->before < 1.2 * w->steepest * h;
    double ahead = extrapolated_zero(w->t_before, w->before, w->t, w->gap);
    if (ahead < in->t + 4 * h) {
        in->singular_at = ahead;
        /* near a true zero the gap is linear: two predictions agree */
        bool agrees = fabs(ahead - expected) < 0.2 * (ahead - in->t);
        in->singular_near = agrees && w->gap < NEAR * w->largest;
    }
    sample from = {in->t_old, w->before};
    double guess = guess_inside(w, in, turned, expected);
    if (!suspicious || !find_pose(w, in, rows, from, turned, guess, t_singular, gap))
        return false;
    in->singular_at = INFINITY;
    return true;
}

bool ki_watch_rest(ki_watch *w, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap) {
    static const double APART = 0.05; /* of a natural size: poses that are nearer count as one */
    double after =
        *t_singular + fmax(APART / fmax(w->steepest, w->steepest_inside), 0.02 * (in->t - in->t_old));
    if (!(after < in->t))
        return false;
    sample from = {after, gap_inside(w, in, rows, after)};
    return from.gap + w->gap < 1.2 * w->steepest * (in->t - after) &&
           find_pose(w, in, rows, from, false, 0.5 * (after + in->t), t_singular, gap);
}
