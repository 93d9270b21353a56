/* growth.c - how errors of steps grow on the way, in the quantities of a comparison.
 *
 * A tolerance is an error of a step. Step n, from t_n on, errs by e in parts of the scales of the state
 * (docs/scales.md); to first order a quantity x in its range is off by
 *
 *     sum over n of g(t_n) e = N g e,      g(t) = change of x later on / displacement of the state at t,
 *
 * at most, with g the mean of g(t). It belongs to the motion and the quantities, not to a method. To measure
 * it the motion is computed from displaced states on the way: every component up or down by its scale times
 * DISPLACEMENT.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crew.h"
#include "compare/internal.h"
#include "run/state_scale.h"

/* Large against the errors of tight runs, small enough to be linear. */
#define DISPLACEMENT 1e-7
#define TIGHT        1e-11

/* Steps of the reference that a displaced motion may take. */
#define PATIENCE 1.2

enum { TIMES = 8, SIDES = 2 };

/* A motion from a displaced state. */
typedef struct trial {
    keel_state *start;
    int first_row;
    double later, at_once; /* change in ranges over displacement; at_once: in the first row */
    int worst;             /* the quantity of `later` */
    bool done;
} trial;

typedef struct trials {
    const ki_problem *problem;
    const ki_reference *reference;
    trial of[TIMES * SIDES];
    int count;
    keel_status status;
} trials;

static keel_settings tight_settings(const ki_problem *problem, const ki_reference *reference) {
    keel_settings s = *problem->settings;
    s.method = reference->method;
    s.absolute_tolerance *= TIGHT / s.tolerance;
    s.tolerance = TIGHT;
    s.step = s.first_step = 0;
    s.newton_report = KEEL_NO;
    s.max_steps = (int)fmin(s.max_steps, PATIENCE * (double)reference->steps);
    return s;
}

static keel_simulation *begin(const trials *all, const keel_state *start, int velocities_given,
                              keel_status *status) {
    const ki_problem *problem = all->problem;
    keel_settings settings = tight_settings(problem, all->reference);
    return keel_simulation_new(problem->system, start, velocities_given, &settings, NULL, status);
}

/* Steps to the time t; its row. */
static keel_status advance(const ki_problem *problem, keel_simulation *sim, double t, keel_row *row) {
    keel_status status = KEEL_OK;
    while (!status && keel_simulation_time(sim) < t)
        status = problem->stop && *problem->stop ? KEEL_INTERRUPTED : keel_simulation_step(sim);
    return status ? status : keel_simulation_row(sim, t, row);
}

/* The same for every run: a sign for a component of the state in a trial. */
static double sign_of(int component, int number) {
    unsigned long long x =
        6364136223846793005ULL * (unsigned)(component + 1) + 1442695040888963407ULL * (unsigned)(number + 1);
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ULL;
    return (x >> 40) & 1 ? 1 : -1;
}

static void displace(int n, double *x, const double *from, const double *scale, int *component, int number,
                     double by) {
    for (int i = 0; i < n; i++, ++*component)
        x[i] = from[i] + by * scale[i] * sign_of(*component, number);
}

/* Both sides of the state of a row. */
static keel_status add_trials(trials *all, keel_simulation *sim, const keel_row *row, int i) {
    const keel_system *system = all->problem->system;
    const double *scale = ki_state_scale(sim);
    for (int side = 0; side < SIDES; side++) {
        trial *x = &all->of[all->count];
        int component = 0, number = all->count / SIDES;
        double by = side ? -DISPLACEMENT : DISPLACEMENT;
        *x = (trial){.first_row = i, .start = keel_state_new(system)};
        if (!x->start)
            return KEEL_ERROR_MEMORY;
        all->count++;
        x->start->t = row->t;
        displace(system->n_q, x->start->q, row->q, scale, &component, number, by);
        displace(system->n_v, x->start->v, row->v, scale + system->n_q, &component, number, by);
        displace(system->n_z, x->start->z, row->z, scale + system->n_q + system->n_v, &component, number, by);
        if (system->n_s > 0)
            memcpy(x->start->s, row->s, (size_t)system->n_s * sizeof *row->s);
    }
    return KEEL_OK;
}

/* States at TIMES rows of the undisplaced motion. */
static keel_status make_trials(trials *all) {
    const ki_problem *p = all->problem;
    keel_status status;
    keel_simulation *sim = begin(all, p->start, p->velocities_given, &status);
    for (int k = 0, last = -1; sim && !status && k < TIMES; k++) {
        int i = (int)((long)k * (p->rows - 1) / TIMES);
        keel_row row;
        if (i == last)
            continue;
        last = i;
        status = advance(p, sim, p->t[i], &row);
        if (!status)
            status = add_trials(all, sim, &row, i);
    }
    keel_simulation_free(sim);
    return status;
}

/* Compares a row of a displaced motion with the reference. */
static void compare_row(const trials *all, trial *x, int i, const keel_row *row) {
    const ki_quantities *quantities = all->problem->quantities;
    for (int k = 0; k < quantities->count; k++) {
        double value = ki_quantity_value(quantities->list[k], row);
        double known = all->reference->values[(long)i * quantities->count + k];
        double change = ki_distance(1, 1, &value, &known, &all->reference->scale[k]) / DISPLACEMENT;
        if (change > x->later) {
            x->later = change;
            x->worst = k;
        }
        if (i == x->first_row)
            x->at_once = fmax(x->at_once, change);
    }
}

static void work(void *user, int number) {
    trials *all = user;
    const ki_problem *p = all->problem;
    trial *x = &all->of[number];
    keel_status status;
    keel_simulation *sim = begin(all, x->start, 0, &status);
    for (int i = x->first_row; sim && !status && i < p->rows; i++) {
        keel_row row;
        status = advance(p, sim, p->t[i], &row);
        if (!status)
            compare_row(all, x, i, &row);
    }
    x->done = sim && !status;
    keel_simulation_free(sim);
}

static ki_growth mean_of(const trials *all) {
    ki_growth g = {.worst = -1};
    double largest = 0;
    int done = 0;
    for (int i = 0; i < all->count; i++) {
        const trial *x = &all->of[i];
        if (!x->done || !isfinite(x->later))
            continue;
        done++;
        g.mean += x->later;
        g.at_once += x->at_once;
        if (x->later > largest) {
            largest = x->later;
            g.worst = x->worst;
        }
    }
    g.known = done > 0;
    g.mean /= done > 0 ? done : 1;
    g.at_once /= done > 0 ? done : 1;
    return g;
}

keel_status ki_growth_measure(const ki_problem *problem, const ki_reference *reference, int threads,
                              ki_growth *growth) {
    trials all = {.problem = problem, .reference = reference};
    ki_crew crew = {.threads = threads, .stop = problem->stop, .user = &all, .work = work};
    *growth = (ki_growth){.worst = -1};
    keel_status status = make_trials(&all);
    if (!status)
        status = ki_crew_run(&crew, all.count);
    if (!status)
        *growth = mean_of(&all);
    for (int i = 0; i < all.count; i++)
        keel_state_free(all.of[i].start);
    return status == KEEL_ERROR_MEMORY || status == KEEL_INTERRUPTED ? status : KEEL_OK;
}
