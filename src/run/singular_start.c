#include "run/singular_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formulate/branches.h"
#include "linalg/dense.h"
#include "run/crossing.h"

/* Velocities that are off a branch by less, relative to themselves, are along it, and so are those that are
 * off by what the drawing is not exact. */
static const double ALONG = 1e-7;

/* Actions that differ by less, relative to the largest, do not decide. */
static const double DECIDES = 1e-6;

/* An acceleration below this part of what the forces would give to bodies without joints is none. */
static const double MOVES = 1e-10;

typedef struct choice {
    int branch;
    bool decided;
    double *a; /* [n_v] */
} choice;

/* "A.angle' 1, B.angle' -2": the first velocities along a branch that are more than a part of the largest. */
static void describe(const keel_simulation *sim, const double *v, double least, char *text, size_t size) {
    enum { TOLD = 3 };
    const keel_system *sys = sim->system;
    char buffer[32];
    double most = 0;
    int told = 0;
    size_t used = 0;
    text[0] = 0;
    for (int j = 0; j < sys->n_v; j++)
        most = fmax(most, fabs(v[j]) / sim->held.look.size[j]);
    for (int j = 0; j < sys->n_v && told < TOLD && used < size; j++) {
        double part = most > 0 ? v[j] / sim->held.look.size[j] / most : 0;
        if (fabs(part) < least)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s %.3g", told ? ", " : "",
                                 keel_system_name(sys, KEEL_NAME_V, j, buffer), v[j]);
        told++;
    }
}

/* The branch that the velocities are along; -1: none. */
static int branch_of_velocity(const ki_branches *branches, const double *v) {
    int best = -1;
    double least = fmax(ALONG, ki_repeated_limit(branches->look->system));
    for (int b = 0; b < branches->count; b++) {
        double off = ki_off_branch(branches, b, v);
        if (off < least)
            least = off, best = b;
    }
    return best;
}

/* Accelerations along all branches; `only`: of that one alone. */
static keel_status choose(keel_simulation *sim, ki_branches *branches, const keel_point *at, int only,
                          choice *chosen) {
    ki_dynamics *d = &sim->dynamics;
    const keel_system *sys = sim->system;
    int n = sys->n_v, m = keel_system_m(sys);
    keel_terms terms = {.M = d->at.M, .Q = d->at.Q, .xi = KI_NEW(&sim->arena, double, m)};
    double *a = KI_NEW(&sim->arena, double, n), best = INFINITY, second = INFINITY, largest = 0;
    chosen->a = KI_NEW(&sim->arena, double, n);
    chosen->branch = -1;
    if (sim->arena.failed)
        return KEEL_ERROR_MEMORY;
    d->factored = false;
    d->known = 0;
    if (sys->evaluate(sys, sim->held.work, KEEL_MASS | KEEL_FORCE | KEEL_XI, at, &terms) < 0)
        return KEEL_ERROR_CALLBACK;
    for (int b = 0; b < branches->count; b++) {
        double action;
        if ((only >= 0 && b != only) ||
            !ki_branch_acceleration(branches, b, at, terms.M, terms.Q, terms.xi, a, &action))
            continue;
        largest = fmax(largest, fabs(action));
        second = fmin(second, fmax(action, best));
        if (action < best) {
            best = action;
            chosen->branch = b;
            memcpy(chosen->a, a, (size_t)n * sizeof *a);
        }
    }
    chosen->decided = second - best > DECIDES * largest;
    return KEEL_OK;
}

/* Whether accelerations move anything, compared with Q_j / M_jj. */
static bool moves(const keel_simulation *sim, const double *a) {
    const keel_system *sys = sim->system;
    const ki_dynamics *d = &sim->dynamics;
    double most = 0, size = 0;
    for (int j = 0; j < sys->n_v; j++) {
        double mass = d->at.M[sys->M.start[j + 1] - 1], q = sim->held.look.size[j];
        most = fmax(most, fabs(a[j]) / q);
        size = fmax(size, mass > 0 ? fabs(d->at.Q[j]) / mass / q : 0);
    }
    return most > MOVES * size && most > 0;
}

static keel_status refuse(keel_simulation *sim, const char *why) {
    int here, usual;
    ki_ranks_to_tell(&sim->held.look, &here, &usual);
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, (keel_location){0},
        "the run starts in a singular pose: rank %d, usually %d; branches meet here, and %s: "
        "give a velocity under 'start', or draw the mechanism a little further on",
        here, usual, why);
    return KEEL_ERROR_START;
}

static void tell(keel_simulation *sim, const ki_branches *branches, const choice *chosen, const double *v,
                 bool by_velocity) {
    int here, usual;
    ki_ranks_to_tell(&sim->held.look, &here, &usual);
    char along[160];
    describe(sim, by_velocity ? v : chosen->a, 1e-3, along, sizeof along);
    keel_diagnostics_add(
        sim->diagnostics, KEEL_NOTE, (keel_location){0},
        "the run starts in a singular pose: rank %d, usually %d; %d %s here; %s (%s)%s", here, usual,
        branches->count, branches->count == 1 ? "branch goes on" : "branches meet",
        by_velocity       ? "the velocities of the start choose one"
        : chosen->decided ? "the forces choose one"
                          : "the forces choose none, the run takes the first",
        along,
        by_velocity || chosen->decided
            ? ""
            : "; a velocity under 'start', or a drawing a little further on, chooses another");
}

/* y' at the start. */
static keel_status rate_of_start(keel_simulation *sim, double t, double *y, const double *a, double *rate) {
    ki_dynamics *d = &sim->dynamics;
    const keel_system *sys = sim->system;
    double *v = ki_v(d, y);
    memset(rate, 0, (size_t)d->n_y * sizeof *rate);
    if (sys->kinematics)
        sys->kinematics(sys, y, v, rate);
    else
        memcpy(rate, v, (size_t)sys->n_v * sizeof *rate);
    memcpy(ki_v(d, rate), a, (size_t)sys->n_v * sizeof *rate);
    keel_status status = sys->n_z ? ki_evaluate_terms(d, KEEL_STATES, t, y) : KEEL_OK;
    if (!status)
        memcpy(ki_z(d, rate), d->at.f, (size_t)sys->n_z * sizeof *rate);
    return status;
}

/* Of the velocities that all constraints allow at the point, the one that they resist most next to it, in
 * natural sizes: v [n_v]. False: there is none. */
static bool find_seeming_velocity(keel_simulation *sim, const keel_point *at, double *v) {
    enum { ROUNDS = 30 };
    ki_independence *look = &sim->held.look;
    int n = look->n, m = look->m, rank;
    keel_point there = *at;
    double *K = KI_NEW(&sim->arena, double, (size_t)n *(size_t)ki_most_freedoms(look));
    double *next = KI_NEW(&sim->arena, double, n);
    there.q = look->q;
    if (look->large || sim->arena.failed || ki_count_independent(look, at, &rank))
        return false;
    int count = ki_freedoms(look, K);
    if (count == 0 || ki_load_rows(look, &there))
        return false;
    for (int j = 0; j < n; j++)
        v[j] = 1;
    for (int round = 0; round < ROUNDS; round++) { /* v <- K^T K H^T H v */
        memset(next, 0, (size_t)n * sizeof *next);
        for (int i = 0; i < m; i++) {
            const double *row = look->H + (size_t)i * (size_t)n;
            ki_axpy(n, ki_dot(n, row, v), row, next);
        }
        memset(v, 0, (size_t)n * sizeof *v);
        for (int k = 0; k < count; k++)
            ki_axpy(n, ki_dot(n, K + (size_t)k * (size_t)n, next), K + (size_t)k * (size_t)n, v);
        double length = sqrt(ki_dot(n, v, v));
        for (int j = 0; j < n && length > 0; j++)
            v[j] /= length;
    }
    for (int j = 0; j < n; j++)
        v[j] *= look->size[j];
    return true;
}

/* Wheels and skates that forbid a velocity next to the pose, and not in it: nothing resists it here, and as
 * soon as it has moved anything it is impossible. Names one of those that have nothing to say here. */
static keel_status refuse_rolling(keel_simulation *sim, const keel_point *at) {
    ki_independence *look = &sim->held.look;
    const keel_system *sys = sim->system;
    char buffer[32], along[160] = "";
    const char *name = NULL;
    int rank_here = look->rank_here, rank_usual = look->rank, rank;
    double *v = KI_NEW(&sim->arena, double, sys->n_v);
    keel_status status = v ? ki_count_independent(look, at, &rank) : KEEL_ERROR_MEMORY;
    for (int i = 0; !status && i < rank_usual && !name; i++)
        if (look->row[i] >= sys->n_h && !look->taken[look->row[i]])
            name = keel_system_name(sys, KEEL_NAME_CONSTRAINT, look->row[i], buffer);
    if (status)
        return status;
    if (find_seeming_velocity(sim, at, v))
        describe(sim, v, 0.5, along, sizeof along);
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, (keel_location){0},
        "the run starts in a singular pose of what rolls or slides without slip: %d of its constraints are "
        "independent, usually %d. A motion along (%s) seems possible, but as soon as anything has moved it "
        "would need slip at '%s', which says nothing here: no force resists it, and it is impossible. If "
        "that "
        "motion is wanted, let a wheel slide along its axle (a cylindrical joint in the place of the "
        "revolute); if not, lock it (a fixed joint, or one condition less)",
        rank_here, rank_usual, along, name ? name : "one of them");
    return KEEL_ERROR_START;
}

/* A motion that drives the mechanism out of a dead point does not tell which way it goes; velocities do. */
static keel_status leave_dead_point(keel_simulation *sim, double t, double *y, double *rate) {
    ki_dynamics *d = &sim->dynamics;
    double *rest = KI_NEW(&sim->arena, double, sim->system->n_v);
    if (!rest)
        return KEEL_ERROR_MEMORY;
    keel_status status = rate_of_start(sim, t, y, rest, rate);
    if (!status && ki_max_norm(sim->system->n_v, ki_v(d, y)) > 0)
        status = ki_leave_singular_start(sim, t, y, rate);
    else if (!status)
        status = KEEL_ERROR_SINGULAR;
    return status == KEEL_ERROR_CONVERGENCE || status == KEEL_ERROR_SINGULAR
               ? refuse(sim, "the motions, at a dead point, do not tell which way to go")
               : status;
}

/* Branches take full matrices, up to a limit. */
static keel_status look_for_branches(keel_simulation *sim, const keel_point *at, ki_independence **look) {
    static const double MOST_ENTRIES = 2e5;
    ki_held *h = &sim->held;
    *look = &h->look;
    if (!h->look.large || (double)h->look.m * h->look.n > MOST_ENTRIES)
        return KEEL_OK;
    *look = &h->full;
    keel_status status = ki_independence_init(&h->full, sim->system, h->work, INFINITY);
    for (int j = 0; !status && j < h->full.n; j++)
        h->full.size[j] = h->look.size[j];
    return status ? status : ki_find_independent(&h->full, at);
}

keel_status ki_begin_singular(keel_simulation *sim, double t, double *y) {
    ki_dynamics *d = &sim->dynamics;
    const keel_system *sys = sim->system;
    double *v = ki_v(d, y);
    ki_branches branches;
    choice chosen;
    keel_point at = ki_point(d, t, y);
    at.lambda = sim->held.lambda;
    double *rate = KI_NEW(&sim->arena, double, d->n_y);
    if (!rate)
        return KEEL_ERROR_MEMORY;
    if (ki_only_velocities_are_singular(&sim->held.look))
        return refuse_rolling(sim, &at);
    if (!ki_joints_are_singular(&sim->held.look))
        return leave_dead_point(sim, t, y, rate);
    ki_independence *look;
    bool moved = false;
    keel_status status = look_for_branches(sim, &at, &look);
    if (!status)
        status = ki_find_meeting_pose(look, &at, y, &moved);
    if (!status)
        status = ki_find_branches(&branches, look, &at);
    if (status)
        return status;
    if (!branches.count)
        return refuse(sim, "none could be told apart");
    double speed = ki_max_norm(sys->n_v, v);
    int along = speed > 0 ? branch_of_velocity(&branches, v) : -1;
    if (speed > 0 && along < 0)
        return refuse(sim, "the velocities of the start are along none of them");
    if (moved && along >= 0 && !ki_turn_along(&branches, along, &at, v))
        return refuse(sim, "the motions cannot be met along the one that the velocities choose");
    if ((status = choose(sim, &branches, &at, along, &chosen)))
        return status;
    if (chosen.branch < 0)
        return refuse(sim, "no acceleration along them is what the motions ask for");
    if (speed == 0 && !moves(sim, chosen.a))
        return refuse(sim, "at rest no force chooses one of them");
    tell(sim, &branches, &chosen, v, speed > 0);
    status = rate_of_start(sim, t, y, chosen.a, rate);
    if (!status)
        status = ki_leave_singular_start(sim, t, y, rate);
    if (status == KEEL_ERROR_CONVERGENCE || status == KEEL_ERROR_SINGULAR)
        return refuse(sim, "the way along one of them could not be found");
    return status;
}
