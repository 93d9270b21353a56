#include "run/watch.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A pose is singular when the gap, searched to its minimum, falls below this part of its largest value. */
static const double SINGULAR = 1e-5;

/* So near to a singular pose errors of the state grow a hundredfold in the directions that the constraints
 * hardly see. */
static const double NEAR = 1e-2;

/* What is left of the rows after orthogonalisation, by decreasing length; returns that of number `rank` (from
 * 1), and the number of those above `least`. */
static double pivoted_lengths(double *rows, int m, int n, int rank, double least, int *above) {
    double length = 0, of_rank = 0;
    *above = 0;
    for (int k = 0; k < m; k++) {
        int longest = k;
        double most = -1;
        for (int i = k; i < m; i++) {
            double square = ki_dot(n, rows + i * n, rows + i * n);
            if (square > most) {
                most = square;
                longest = i;
            }
        }
        length = sqrt(most);
        *above += length > least;
        if (k + 1 == rank)
            of_rank = length;
        if (!(length > 0))
            break;
        for (int j = 0; j < n; j++) { /* the longest to place k, as a unit vector */
            double swap = rows[k * n + j];
            rows[k * n + j] = rows[longest * n + j] / length;
            if (longest != k)
                rows[longest * n + j] = swap;
        }
        for (int i = k + 1; i < m; i++)
            ki_axpy(n, -ki_dot(n, rows + i * n, rows + k * n), rows + k * n, rows + i * n);
    }
    return of_rank;
}

static void load_rows(ki_watch *w, const ki_dynamics *d) {
    keel_pattern P = d->system->J;
    int n = d->system->n_v;
    memset(w->rows, 0, (size_t)d->m * (size_t)n * sizeof(double));
    for (int i = 0; i < d->m; i++) {
        double square = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            square += d->at.J[k] * d->at.J[k];
        /* a row that shrinks at a singular pose must not be blown up again: scaled by its largest length so
         * far */
        w->row_length[i] = fmax(w->row_length[i], sqrt(square));
        for (int k = P.start[i]; k < P.start[i + 1] && w->row_length[i] > 0; k++)
            w->rows[i * n + P.index[k]] = d->at.J[k] / w->row_length[i];
    }
}

static double gap_of(ki_watch *w, const ki_dynamics *d) {
    int above;
    load_rows(w, d);
    return pivoted_lengths(w->rows, d->m, d->system->n_v, w->rank, 0, &above);
}

int ki_watch_rank(ki_watch *w, const ki_dynamics *d, double least) {
    int above;
    load_rows(w, d);
    pivoted_lengths(w->rows, d->m, d->system->n_v, w->rank, least, &above);
    return above;
}

void ki_watch_init(ki_watch *w, ki_arena *arena, const ki_dynamics *d, double t) {
    double work = (double)d->m * (double)d->m * d->system->n_v;
    *w = (ki_watch){.logged = -INFINITY, .t = t, .t_before = t, .smallest_time = t};
    if (d->m == 0 || work > KI_WATCH_LIMIT)
        return;
    w->rows = KI_NEW(arena, double, (size_t)d->m *(size_t)d->system->n_v);
    w->row_length = KI_NEW(arena, double, d->m);
    w->y = KI_NEW(arena, double, d->n_y);
    if (!w->rows || !w->row_length || !w->y)
        return;
    w->rank = ki_watch_rank(w, d, 1e-8);
    w->active = w->rank > 0;
    w->gap = w->before = w->largest = w->smallest = w->active ? gap_of(w, d) : 0;
}

/* The gap at a time inside the last step. Infinite where the model cannot be evaluated. */
static double gap_inside(ki_watch *w, ki_integrator *in, ki_dynamics *d, double t) {
    if (in->method->interpolate(in, t, w->y))
        return INFINITY;
    ki_normalize(d, w->y);
    d->factored = false;
    memcpy(d->s, in->flow.dynamics->s, (size_t)d->system->n_s * sizeof(double)); /* a guess nearby */
    if (ki_solve_auxiliaries(d, t, w->y) || ki_evaluate_terms(d, KEEL_JACOBIAN, t, w->y))
        return INFINITY;
    return gap_of(w, d);
}

/* Minimum of the gap over the last step: a coarse scan, then golden sections. */
static double search(ki_watch *w, ki_integrator *in, ki_dynamics *d, double *t_min) {
    enum { SCAN = 8, SECTIONS = 40 }; /* 40 sections narrow the time to 1e-9 of the step */
    const double golden = 0.6180339887498949, h = in->t - in->t_old;
    double least = INFINITY;
    int place = 0;
    for (int i = 0; i <= SCAN; i++) {
        double g = gap_inside(w, in, d, in->t_old + h * i / SCAN);
        if (g < least) {
            least = g;
            place = i;
        }
    }
    double a = in->t_old + h * (place > 0 ? place - 1 : 0) / SCAN;
    double b = in->t_old + h * (place < SCAN ? place + 1 : SCAN) / SCAN;
    double left = b - golden * (b - a), right = a + golden * (b - a);
    double g_left = gap_inside(w, in, d, left), g_right = gap_inside(w, in, d, right);
    for (int i = 0; i < SECTIONS; i++) {
        if (g_left < g_right) {
            b = right, right = left, g_right = g_left;
            g_left = gap_inside(w, in, d, left = b - golden * (b - a));
        } else {
            a = left, left = right, g_left = g_right;
            g_right = gap_inside(w, in, d, right = a + golden * (b - a));
        }
    }
    *t_min = (a + b) / 2;
    return gap_inside(w, in, d, *t_min);
}

/* When the gap, extrapolated from two steps, is zero; infinity if it does not fall. */
static double extrapolated_zero(double t_before, double before, double t, double gap) {
    return gap < before ? t + gap * (t - t_before) / (before - gap) : INFINITY;
}

bool ki_watch_step(ki_watch *w, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap) {
    in->singular_at = INFINITY;
    in->singular_near = false;
    if (!w->active)
        return false;
    double expected = extrapolated_zero(w->t_before, w->before, w->t, w->gap), h = in->t - in->t_old;
    w->t_before = w->t, w->before = w->gap;
    w->t = in->t;
    /* a one-step method has just evaluated J here for its next step */
    bool known = ki_is_factored(in->flow.dynamics, in->t, in->y);
    w->gap = known ? gap_of(w, in->flow.dynamics) : gap_inside(w, in, rows, in->t);
    if (!isfinite(w->gap)) /* nothing can be said here: as before */
        w->gap = w->before;
    w->largest = fmax(w->largest, w->gap);
    if (w->gap < w->smallest) {
        w->smallest = w->gap;
        w->smallest_time = w->t;
    }
    /* forgotten in time: where two rows tie the gap has kinks, and a tiny step across one looks steep */
    w->steepest = fmax(0.5 * w->steepest, fabs(w->gap - w->before) / h);
    /* predicted, or next to it, or steep enough to fall to zero and rise again within the step */
    bool suspicious =
        expected < in->t + h || w->gap < 1e-3 * w->largest || w->gap + w->before < 1.2 * w->steepest * h;
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
    if (*gap > SINGULAR * w->largest || fabs(*t_singular - w->logged) < 1e-3 * h + 1e-9 * fabs(*t_singular))
        return false;
    w->logged = *t_singular;
    in->singular_at = INFINITY;
    return true;
}
