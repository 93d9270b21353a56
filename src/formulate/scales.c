#include "formulate/scales.h"

#include <math.h>
#include <string.h>

#include "base/four.h"
#include "formulate/dynamics.h"

/* Motions that are this slow, in displacements per run, are none that errors could be measured by. */
static const double SLOWEST = 0.01;

/* Where no coordinate tells how long a displacement is: what velocities make in a hundredth of the run, and
 * then the largest value so far. */
static const double FASTEST_UNKNOWN = 100;

/* A motion is a third as fast, most of the time, as it ever gets. */
static const double TYPICAL = 1.0 / 3;

/* Coordinates of a model of equations are not smaller than this part of what the largest would be by the
 * inertia that moves with them. */
static const double SMALL_PART = 0.1;

/* fmax, which is a call; a NaN loses. */
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

static bool is_size(double x) {
    return x > 0 && x < INFINITY;
}

ki_scales *ki_scales_new(ki_arena *arena, const keel_system *system) {
    int n_y = system->n_q + system->n_v + system->n_z + 1;
    ki_scales *s = KI_NEW(arena, ki_scales, 1);
    if (!s)
        return NULL;
    s->y = KI_NEW(arena, double, n_y + KI_FOUR);
    s->move = KI_NEW(arena, double, system->n_v);
    s->share = KI_NEW(arena, double, system->n_v);
    s->grows = KI_NEW(arena, bool, system->n_v);
    if (!s->y || !s->move || !s->share || !s->grows)
        return NULL;
    s->rate = 1;
    s->known = true;
    for (int i = 0; i < n_y + KI_FOUR; i++)
        s->y[i] = i < system->n_q && system->coordinate_size ? system->coordinate_size[i] : 1;
    for (int j = 0; j < system->n_v; j++)
        s->move[j] = system->q_size ? system->q_size[j] : 1;
    return s;
}

/* M_jj; 0 for what has no mass of its own. */
static double inertia(const ki_dynamics *d, int j) {
    double M = d->at.M[d->system->M.start[j + 1] - 1];
    return is_size(M) ? M : 0;
}

/* What moves displacement j on its own. */
static double acceleration(const ki_dynamics *d, int j) {
    double M = inertia(d, j), Q = fabs(d->at.Q[j]);
    return M > 0 && is_size(Q) ? Q / M : 0;
}

/* ---- sizes of the displacements of a model that states none */

static bool is_stated(const keel_system *sys, int j) {
    return sys->stated_v && sys->stated_v[j] > 0;
}

/* The size of a coordinate that is stated, or whose unit tells that it is an angle; 0: nothing tells. */
static double size_beforehand(const keel_system *sys, int j) {
    if (is_stated(sys, j))
        return sys->stated_v[j];
    const char *unit = sys->units.q ? sys->units.q[j] : NULL;
    bool radians = unit && strcmp(unit, "rad") == 0, degrees = unit && strcmp(unit, "deg") == 0;
    return radians ? 1 : degrees ? 45 / atan(1) : 0;
}

/* The first coordinate of the same unit as coordinate i whose scale is not stated, as it is not of i. */
static int first_of_unit(const keel_system *sys, int i) {
    const char *const *unit = sys->units.q;
    for (int j = 0; unit && unit[i] && unit[i][0] && j < i && !is_stated(sys, i); j++)
        if (unit[j] && strcmp(unit[i], unit[j]) == 0 && !is_stated(sys, j))
            return j;
    return i;
}

/* The time scale of the coordinates themselves, in the norm of M: |v| / |q| or sqrt(|v'| / |q|), with the q
 * of angles in `size`. */
static double rate_of_coordinates(const ki_dynamics *d, const double *y, double per_run, const double *size) {
    const double *v = y + d->system->n_q;
    double q_2 = 0, v_2 = 0, a_2 = 0;
    for (int j = 0; j < d->system->n_v; j++) {
        double M = inertia(d, j), a = acceleration(d, j), q = size[j] > 0 ? size[j] : y[j];
        q_2 += M * q * q;
        v_2 += M * v[j] * v[j];
        a_2 += M * a * a;
    }
    if (!(q_2 > 0))
        return FASTEST_UNKNOWN * per_run;
    double rate = larger(sqrt(v_2 / q_2), sqrt(sqrt(a_2 / q_2)));
    return is_size(rate) ? larger(rate, SLOWEST * per_run) : SLOWEST * per_run;
}

/* What is no angle: s_j = |q_j|, or as far as it gets in the time scale, the largest of all with that unit.
 */
static void sizes_of_lengths(const ki_dynamics *d, const double *y, double rate, double *size) {
    const keel_system *sys = d->system;
    const double *v = y + sys->n_q;
    for (int j = 0; j < sys->n_v; j++) {
        int first = first_of_unit(sys, j);
        double far = larger(fabs(v[j]) / rate, acceleration(d, j) / (rate * rate));
        if (d->scales->grows[j])
            size[first] = larger(size[first], larger(fabs(y[j]), far));
    }
    for (int j = 0; j < sys->n_v; j++)
        size[j] = size[first_of_unit(sys, j)];
}

/* Returns w. A length is not far below what the inertia of all would make of it, and 1 where nothing tells.
 */
static double sizes_from_numbers(ki_dynamics *d, const double *y, double per_run, double *size) {
    int n = d->system->n_v;
    double all = 0;
    for (int j = 0; j < n; j++) {
        size[j] = size_beforehand(d->system, j);
        d->scales->grows[j] = !(size[j] > 0);
    }
    double rate = rate_of_coordinates(d, y, per_run, size);
    sizes_of_lengths(d, y, rate, size);
    for (int j = 0; j < n; j++)
        all += inertia(d, j) * size[j] * size[j];
    for (int j = 0; j < n; j++) {
        double M = inertia(d, j);
        if (M > 0 && d->scales->grows[j])
            size[j] = larger(size[j], SMALL_PART * sqrt(all / M));
        if (!is_size(size[j]))
            size[j] = 1;
    }
    return rate;
}

/* ---- all */

static void set_shares(ki_dynamics *d, double *work) {
    ki_scales *s = d->scales;
    double all = 0;
    *work = 0;
    for (int j = 0; j < d->system->n_v; j++) {
        double Q = fabs(d->at.Q[j]) * s->move[j];
        all += s->share[j] = inertia(d, j) * s->move[j] * s->move[j];
        *work += is_size(Q) ? Q : 0;
    }
    *work = is_size(all) ? *work / all : 0;
    for (int j = 0; j < d->system->n_v; j++)
        s->share[j] = is_size(all) ? s->share[j] / all : 1.0 / d->system->n_v;
}

/* Of the components of q: |N| s, or where N has no entries at this pose, what they are. */
static void set_coordinates(ki_dynamics *d, const double *y) {
    const keel_system *sys = d->system;
    ki_scales *s = d->scales;
    if (!sys->kinematics || sys->coordinate_size) {
        const double *from = sys->coordinate_size ? sys->coordinate_size : s->move;
        for (int i = 0; i < sys->n_q; i++)
            s->y[i] = from[i];
        return;
    }
    for (int i = 0; i < sys->n_q; i++)
        s->y[i] = fabs(y[i]);
    for (int j = 0; j < sys->n_v; j++)
        d->b_v[j] = 0;
    for (int j = 0; j < sys->n_v; j++) {
        d->b_v[j] = s->move[j];
        sys->kinematics(sys, y, d->b_v, d->y_stage);
        d->b_v[j] = 0;
        for (int i = 0; i < sys->n_q; i++)
            s->y[i] = larger(s->y[i], fabs(d->y_stage[i]));
    }
    for (int i = 0; i < sys->n_q; i++)
        s->y[i] = is_size(s->y[i]) ? s->y[i] : 1;
}

static void set_states(ki_dynamics *d, const double *y) {
    const keel_system *sys = d->system;
    const double *z = y + sys->n_q + sys->n_v;
    double *size = d->scales->y + sys->n_q + sys->n_v;
    for (int k = 0; k < sys->n_z; k++) {
        size[k] = larger(fabs(z[k]), fabs(d->at.f[k]) / d->scales->rate);
        if (sys->stated_z && sys->stated_z[k] > 0)
            size[k] = sys->stated_z[k];
        size[k] = is_size(size[k]) ? size[k] : 1;
    }
}

static void evaluate(ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    unsigned what = KEEL_MASS | KEEL_FORCE | (sys->n_z ? (unsigned)KEEL_STATES : 0u);
    d->factored = false;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_evaluate_terms(d, what, t, y);
    if (!status)
        return;
    for (int k = 0; k < keel_pattern_count(sys->M); k++)
        d->at.M[k] = 0;
    for (int j = 0; j < sys->n_v; j++)
        d->at.Q[j] = 0;
    for (int k = 0; k < sys->n_z; k++)
        d->at.f[k] = 0;
}

double ki_most_of(int n, const double *x, const double *scale) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double part = fabs(x[i]) / scale[i];
        most = part <= most ? most : part;
    }
    return most;
}

void ki_find_scales(ki_dynamics *d, double t, const double *y, double duration) {
    const keel_system *sys = d->system;
    const double *move = sys->q_size;
    ki_scales *s = d->scales;
    double work, per_run = is_size(duration) ? 1 / duration : 1;
    evaluate(d, t, y);
    s->rate = SLOWEST * per_run;
    s->known = move || sys->kinematics;
    if (!s->known)
        s->rate = sizes_from_numbers(d, y, per_run, s->move);
    for (int j = 0; s->known && j < sys->n_v; j++)
        s->move[j] = move ? move[j] : 1;
    set_shares(d, &work);
    if (s->known)
        s->rate = larger(s->rate, sqrt(work));
    set_coordinates(d, y);
    for (int j = 0; j < sys->n_v; j++)
        s->y[sys->n_q + j] = TYPICAL * s->rate * s->move[j];
    ki_raise_scales(s, sys, y);
    set_states(d, y);
}

static void raise(int n, double part, const double *x, double *size) {
    for (int i = 0; i < n; i++)
        size[i] = larger(size[i], part * fabs(x[i]));
}

/* By the speed of all motion: sizes of displacements are known. */
static void raise_velocities(ki_scales *s, int n, const double *v, double *size) {
    double square = 0;
    for (int j = 0; j < n; j++) {
        double part = v[j] / s->move[j];
        square += s->share[j] * part * part;
    }
    if (!(square > s->rate * s->rate && square < INFINITY))
        return;
    s->rate = sqrt(square);
    for (int j = 0; j < n; j++)
        size[j] = TYPICAL * s->rate * s->move[j];
}

void ki_raise_scales(ki_scales *s, const keel_system *sys, const double *y) {
    int n_q = sys->n_q, n_v = sys->n_v;
    if (s->known) {
        raise_velocities(s, n_v, y + n_q, s->y + n_q);
    } else {
        for (int i = 0; i < n_q; i++)
            s->y[i] = s->grows[i] ? larger(s->y[i], fabs(y[i])) : s->y[i];
        raise(n_v, TYPICAL, y + n_q, s->y + n_q);
    }
    raise(sys->n_z, 1, y + n_q + n_v, s->y + n_q + n_v);
}

void ki_copy_scales(ki_scales *to, const ki_scales *from, const keel_system *system) {
    int n_y = system->n_q + system->n_v + system->n_z + 1;
    for (int i = 0; i < n_y; i++)
        to->y[i] = from->y[i];
    for (int j = 0; j < system->n_v; j++) {
        to->move[j] = from->move[j];
        to->share[j] = from->share[j];
        to->grows[j] = from->grows[j];
    }
    to->rate = from->rate;
    to->known = from->known;
}
