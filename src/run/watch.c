#include "run/watch.h"

#include <math.h>
#include <string.h>

/* A pose is singular when the gap, searched to its minimum, falls below this part of its largest value. */
static const double SINGULAR = 1e-5;

/* So near to a singular pose errors of the state grow a hundredfold in the directions that the constraints
 * hardly see. */
static const double NEAR = 1e-2;

void ki_watch_init(ki_watch *w, ki_arena *arena, const ki_dynamics *d, double t) {
    *w = (ki_watch){.logged = -INFINITY, .measured_at = -1, .t = t, .t_before = t, .smallest_time = t};
    if (d->m == 0)
        return;
    ki_gap_init(&w->of, arena, d);
    w->y = KI_NEW(arena, double, d->n_y);
    w->active = !arena->failed && w->of.rank > 0;
    w->gap = w->before = w->largest = w->smallest = w->active ? ki_gap_measure(&w->of, d) : 0;
}

/* The gap at a time inside the last step. Infinite where the model cannot be evaluated. */
static double gap_inside(ki_watch *w, ki_integrator *in, ki_dynamics *d, double t) {
    if (in->method->interpolate(in, t, w->y))
        return INFINITY;
    ki_normalize(d, w->y);
    memcpy(d->s, in->flow.dynamics->s, (size_t)d->system->n_s * sizeof(double)); /* a guess nearby */
    if (ki_solve_auxiliaries(d, t, w->y) || ki_gap_prepare(&w->of, d, t, w->y))
        return INFINITY;
    return ki_gap_measure(&w->of, d);
}

/* A time inside the last step and the square of the gap there. */
typedef struct sample {
    double t, p;
} sample;

static sample sample_at(ki_watch *w, ki_integrator *in, ki_dynamics *d, double t) {
    double gap = gap_inside(w, in, d, t);
    return (sample){t, gap * gap};
}

/* Where the parabola through three samples, b in the middle, has its minimum; the middle of the longer side
 * if that is no use. Near a minimum, zero or not, the square of the gap is a parabola. */
static double next_time(sample a, sample b, sample c) {
    double left = b.t - a.t, right = c.t - b.t;
    double up = (a.p - b.p) / left, down = (c.p - b.p) / right;
    double t = b.t + 0.5 * (up * right - down * left) / (up + down);
    double least = 1e-3 * fmin(left, right);
    bool useful = isfinite(t) && t > a.t + least && t < c.t - least;
    if (!useful)
        return left > right ? b.t - 0.4 * left : b.t + 0.4 * right;
    if (fabs(t - b.t) < least) /* not twice the same place */
        return left > right ? b.t - least : b.t + least;
    return t;
}

/* Whether the gap, as steep as between the samples, cannot reach zero between them. */
static bool stays_above(sample a, sample b, sample c) {
    double gap = sqrt(b.p);
    double steep = fmax((sqrt(a.p) - gap) / (b.t - a.t), (sqrt(c.p) - gap) / (c.t - b.t));
    return gap > 2 * steep * (c.t - a.t);
}

/* Minimum of the gap over the last step: a coarse scan, then parabolas. */
static double search(ki_watch *w, ki_integrator *in, ki_dynamics *d, double *t_min) {
    enum { SCAN = 8, MOST = 40 };
    sample all[SCAN + 1];
    double h = in->t - in->t_old, nothing = (w->of.by_pivots ? 1e-7 : 1e-12) * w->largest;
    int place = 0;
    for (int i = 0; i <= SCAN; i++) {
        all[i] = sample_at(w, in, d, in->t_old + h * i / SCAN);
        if (all[i].p < all[place].p)
            place = i;
    }
    int middle = place == 0 ? 1 : place == SCAN ? SCAN - 1 : place;
    sample a = all[middle - 1], b = all[middle], c = all[middle + 1], least = all[place];
    for (int i = 0; i < MOST && least.p > nothing * nothing && c.t - a.t > 1e-9 * h; i++) {
        if (stays_above(a, b, c))
            break;
        sample x = sample_at(w, in, d, next_time(a, b, c));
        if (x.p < least.p)
            least = x;
        if (x.p < b.p && x.t < b.t)
            c = b, b = x;
        else if (x.p < b.p)
            a = b, b = x;
        else if (x.t < b.t)
            a = x;
        else
            c = x;
    }
    *t_min = least.t;
    return gap_inside(w, in, d, *t_min);
}

/* When the gap, extrapolated from two steps, is zero; infinity if it does not fall. */
static double extrapolated_zero(double t_before, double before, double t, double gap) {
    return gap < before ? t + gap * (t - t_before) / (before - gap) : INFINITY;
}

/* The gap where d is factored, measured once for each factorization. */
static double gap_here(ki_watch *w, const ki_dynamics *d) {
    if (w->measured_at != d->factorizations)
        w->measured = ki_gap_measure(&w->of, d);
    w->measured_at = d->factorizations;
    return w->measured;
}

/* The end of an attempt, before it is accepted. From a start that is as near no other end is better. */
static bool lands_badly(const ki_integrator *in) {
    ki_watch *w = in->watch;
    const ki_dynamics *d = in->flow.dynamics;
    double near = NEAR * w->largest;
    return w->gap > near && d->factored && gap_here(w, d) < near;
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

bool ki_watch_step(ki_watch *w, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap) {
    in->singular_at = INFINITY;
    in->singular_near = false;
    if (!w->active)
        return false;
    in->watch = w;
    in->lands_badly = lands_badly;
    double expected = extrapolated_zero(w->t_before, w->before, w->t, w->gap), h = in->t - in->t_old;
    /* a one-step method has just evaluated J here for its next step */
    bool known = ki_is_factored(in->flow.dynamics, in->t, in->y);
    take_gap(w, in, known ? gap_here(w, in->flow.dynamics) : gap_inside(w, in, rows, in->t));
    const ki_dynamics *here = known ? in->flow.dynamics : rows;
    bool turned = here->factored && ki_gap_turned(&w->of, here);
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
    if (!suspicious)
        return false;
    *gap = search(w, in, rows, t_singular);
    if (*gap < w->smallest) {
        w->smallest = *gap;
        w->smallest_time = *t_singular;
    }
    /* the same pose is seen from both sides when a step ends on it */
    if (*gap > (turned ? NEAR : SINGULAR) * w->largest ||
        fabs(*t_singular - w->logged) < 1e-3 * h + 1e-9 * fabs(*t_singular))
        return false;
    w->logged = *t_singular;
    in->singular_at = INFINITY;
    return true;
}
