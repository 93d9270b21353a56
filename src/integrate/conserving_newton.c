/* Newton's method for the equations of conserving.h, damped so that it also arrives from far away.
 *
 * With K the matrix of index3.h at the present x (s = h^2/2, c_v = h/2, c_q = h^2/4, c_r = h/2, c_z = h/2,
 * the rows of the constraints at the end of the step) and r the residual,
 *
 *     dx = -K^-1 r(x),    x' = x + w dx,    dx' = -K^-1 r(x')
 *
 * x' is accepted when the next correction with the same matrix has become shorter, |dx'| <= (1 - w/4) |dx|, a
 * test that does not depend on how equations are scaled (Deuflhard 2004); otherwise w is halved. dx' is the
 * next correction, with a new matrix if it is not thirty times as short. Old matrices are tried first, also
 * those of the step before (option newton = modified), and are replaced before anything is damped.
 *
 * The velocity at the end, 2 dq/h - v0, sees an error of dq divided by h, and the energy is as exact as dq:
 * corrections go on until round-off stops them. What K leaves out, the change of kappa, is of the order of
 * h^2.
 *
 * Augmented Lagrangian: instead of r_C = 0,
 *
 *     r_C - (L - L*) / penalty = 0,     then L* = L,     repeated until r_C = 0
 *
 * which is the motion with L = L* + penalty r_C: each turn shortens r_C by 1 / (1 + penalty s C A^-1 J^T). A
 * penalty under which a turn leaves more than a quarter of r_C is raised tenfold for the rest of the run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formulate/sizes.h"
#include "integrate/conserving.h"
#include "integrate/index3.h"

enum { MOST_ITERATIONS = 60, MOST_TURNS = 200 };

/* Corrections below this part of the displacement change nothing. */
static const double NOTHING = 1e-19;

/* Old matrices stall here at the latest, or at this many times what a new one has left. */
static const double ROUND_OFF = 1e-14, SPREAD = 3;

static const double LEAST_DAMPING = 1.0 / 1024;

/* Sums of large forces, such as states may be, have no more digits than this. */
static const double OF_STATES = 1e-8;

/* Sizes of a correction: relative to the displacement of the step, and to the coordinates; that of states
 * relative to these is in the first only. */
typedef struct sizes {
    double by_move, by_length, of_states;
} sizes;

struct ki_midsolver {
    ki_midstep *step;
    ki_index3 *newton;
    bool full;   /* a new matrix for every iteration */
    bool report; /* condition numbers wanted */
    double tolerance;
    double penalty; /* of the augmented Lagrangian; 0: none */

    double h;   /* of the matrix; 0: there is none */
    bool fresh; /* it belongs to the x that the correction starts from */
    double
        lever; /* what a force of one, times a displacement of its scale, displaces in parts of that scale */
    double noise; /* where corrections with a new matrix came to a halt last, by length; 0: not yet */
    long linearizations;

    double move, length, z;  /* what corrections compare with: set_scales */
    double *moves, *lengths; /* [n_v] the same by component */
    double *force;           /* [n_v] */

    int n;                         /* unknowns */
    double *x, *correction, *next; /* [n] x before the correction */
    double *anchor;                /* [m] L* */
    double *r_C;                   /* [m] */
    ki_arena arena;
};

/* Matrices are of no use any more. */
static void set_penalty(ki_midsolver *self, double penalty) {
    self->penalty = penalty;
    self->h = 0;
    ki_index3_soften(self->newton, penalty);
}

ki_midsolver *ki_midsolver_new(ki_midstep *step, const keel_settings *options) {
    ki_midsolver *self = calloc(1, sizeof *self);
    ki_dynamics *d = step->dynamics;
    if (!self)
        return NULL;
    bool augmented = step->conserving && options->solution == KEEL_SOLUTION_AUGMENTED && d->m > 0;
    *self = (ki_midsolver){.step = step,
                           .full = options->newton == KEEL_NEWTON_FULL,
                           .report = options->newton_report == KEEL_YES,
                           .tolerance = options->newton_tolerance,
                           .penalty = augmented ? options->augmented_penalty : 0,
                           .n = ki_midstep_unknowns(d)};
    ki_arena_init(&self->arena);
    self->x = KI_NEW(&self->arena, double, self->n);
    self->correction = KI_NEW(&self->arena, double, self->n);
    self->next = KI_NEW(&self->arena, double, self->n);
    self->moves = KI_NEW(&self->arena, double, d->system->n_v);
    self->lengths = KI_NEW(&self->arena, double, d->system->n_v);
    self->force = KI_NEW(&self->arena, double, d->system->n_v);
    self->anchor = KI_NEW(&self->arena, double, d->m);
    self->r_C = KI_NEW(&self->arena, double, d->m);
    self->newton =
        ki_index3_new(d, false, (keel_scaling)options->scaling, options->reference_mass == KEEL_YES);
    if (self->newton && !self->arena.failed) {
        set_penalty(self, self->penalty);
        return self;
    }
    ki_midsolver_free(self);
    return NULL;
}

void ki_midsolver_free(ki_midsolver *self) {
    if (!self)
        return;
    ki_index3_free(self->newton);
    ki_arena_free(&self->arena);
    free(self);
}

long ki_midsolver_linearizations(const ki_midsolver *self) {
    return self->linearizations;
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]); /* a NaN stays */
    return most;
}

/* Largest M_jj s_j^2. */
static double largest_inertia(const ki_dynamics *d) {
    const double *size = d->scales->move;
    double most = 0;
    for (int j = 0; j < d->system->n_v; j++)
        most = fmax(most, fabs(d->at.M[d->system->M.start[j + 1] - 1]) * size[j] * size[j]);
    return most;
}

/* K at the x that was evaluated last. */
static keel_status linearize(ki_midsolver *self) {
    ki_midstep *step = self->step;
    ki_dynamics *d = step->dynamics;
    double h = step->h, s = 0.5 * h * h;
    self->h = 0;
    keel_status status =
        ki_index3_linearize(self->newton, step->t + 0.5 * h, step->y_mid, step->a, ki_midstep_lambda(step));
    double M = largest_inertia(d);
    if (!status && d->m)
        status = ki_index3_take_rows(self->newton, step->t + h, step->y_end);
    ki_index3_turn(self->newton, step->y_end, step->x, 0.5);
    ki_index3_couple_states(self->newton, 0.5 * h);
    if (!status)
        status = ki_index3_factor(self->newton, s, 0.5 * h, 0.5 * s, 0.5 * h);
    if (status)
        return d->trouble.kind ? status : ki_trouble_at(d, status, KI_TROUBLE_MATRIX, step->t, -1, 0);
    self->h = h;
    self->fresh = true;
    self->lever = M > 0 ? s / M : s;
    self->linearizations++;
    return KEEL_OK;
}

/* The residual at step->x. */
static keel_status evaluate(ki_midsolver *self) {
    ki_midstep *step = self->step;
    const double *L = ki_midstep_lambda(step);
    keel_status status = ki_midstep_evaluate(step);
    for (int k = 0; k < step->dynamics->m; k++)
        self->r_C[k] = step->r_C[k] - (self->penalty > 0 ? (L[k] - self->anchor[k]) / self->penalty : 0);
    return status;
}

/* What corrections compare with, the same for all of a solution and in parts of their scales: the
 * displacement from which it starts, and the coordinates, which may have begun at zero: Phi has the round-off
 * of their scales all the same. No component counts for less than a hundredth of the largest; at rest, where
 * nothing moves, displacements compare with 1e-10 of the coordinates. */
static void set_scales(ki_midsolver *self) {
    const ki_midstep *step = self->step;
    const keel_system *sys = step->dynamics->system;
    const double *v = step->y + sys->n_q;
    const ki_scales *scales = step->dynamics->scales;
    const double *size = scales->move;
    double length = fmax(1, ki_most_of(sys->n_q, step->y, scales->y)),
           z = ki_most_of(sys->n_z, ki_midstep_z(step), scales->y + sys->n_q + sys->n_v);
    double move = fmax(ki_most_of(sys->n_v, step->x, size), step->h * ki_most_of(sys->n_v, v, size));
    move = fmax(move, 1e-10 * length);
    self->move = move;
    self->length = length;
    self->z = fmax(z, 1); /* what starts at zero compares with its scale */
    for (int i = 0; i < sys->n_v; i++) {
        double way = fmax(fabs(step->x[i]), step->h * fabs(v[i]));
        self->moves[i] = fmax(way, 0.01 * move * size[i]);
        self->lengths[i] =
            sys->kinematics ? length * size[i] : fmax(fabs(step->y[i]), 0.01 * length * size[i]);
    }
}

static void raise(double *most, double size) {
    *most = size <= *most ? *most : size; /* a NaN stays */
}

/* Largest component of J^T dL times the scale of its displacement. Dependent constraints share their
 * multipliers at will, the force they do not.
 */
static double largest_force(ki_midsolver *self, const double *dL) {
    const ki_dynamics *d = self->step->dynamics;
    keel_pattern J = d->system->J;
    memset(self->force, 0, (size_t)d->system->n_v * sizeof(double));
    for (int i = 0; i < J.rows; i++)
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            self->force[J.index[k]] += d->at.J[k] * dL[i];
    for (int j = 0; j < d->system->n_v; j++)
        self->force[j] *= d->scales->move[j];
    return largest(self->force, d->system->n_v);
}

/* The correction dx for the residual at hand, and its sizes. */
static sizes solve(ki_midsolver *self, double *dx) {
    const ki_midstep *step = self->step;
    int n_v = step->dynamics->system->n_v, m = step->dynamics->m;
    ki_index3_solve_all(self->newton, step->r_D, self->r_C, step->r_z, dx, dx + n_v, dx + n_v + m);
    sizes size = {0};
    for (int i = 0; i < n_v; i++) {
        raise(&size.by_move, fabs(dx[i]) / self->moves[i]);
        raise(&size.by_length, fabs(dx[i]) / self->lengths[i]);
    }
    double moved = self->lever * largest_force(self, dx + n_v);
    raise(&size.by_move, moved / self->move);
    raise(&size.by_length, moved / self->length);
    const keel_system *sys = step->dynamics->system;
    size.of_states = ki_most_of(sys->n_z, dx + n_v + m, step->dynamics->scales->y + sys->n_q + n_v) / self->z;
    raise(&size.by_move, size.of_states);
    return size;
}

/* What is left when corrections no longer decrease is round-off if it is below this. States that follow
 * multipliers have the noise of these. */
static bool is_round_off(const ki_midsolver *self, sizes size, double limit) {
    bool follow = self->step->dynamics->system->f_needs_lambda;
    return size.by_length <= limit && (follow || size.of_states <= fmax(limit, OF_STATES));
}

typedef enum verdict { DONE, GO_ON, NEW_MATRIX, RETREAT } verdict;

/* What to do after a correction, damped by w, of the size `before`, that the same matrix would follow up with
 * one of the size `after`. */
static verdict judge(ki_midsolver *self, sizes before, sizes after, double w) {
    double ratio = before.by_move > 0 ? after.by_move / before.by_move : 0;
    double noise = fmin(fmax(ROUND_OFF, SPREAD * self->noise), self->tolerance);
    if (w == 1 && ratio <= 0.5 && ratio * after.by_move <= NOTHING)
        return DONE;
    if (w == 1 && ratio > 0.5 && is_round_off(self, after, self->fresh ? self->tolerance : noise)) {
        self->noise = self->fresh ? after.by_length : self->noise;
        return DONE;
    }
    if (!(ratio <= (self->fresh ? 1 - 0.25 * w : 0.5)))
        return RETREAT;
    return ratio > 0.03 || self->full ? NEW_MATRIX : GO_ON;
}

static void add(double *x, double w, const double *dx, int n) {
    for (int i = 0; i < n; i++)
        x[i] += w * dx[i];
}

static keel_status no_convergence(ki_midsolver *self, double size) {
    ki_midstep *step = self->step;
    self->h = 0;
    return ki_trouble_at(step->dynamics, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_NEWTON, step->t, -1, size);
}

/* Back to the x before the correction, with a matrix of its own. */
static keel_status begin_anew(ki_midsolver *self, sizes *size) {
    memcpy(self->step->x, self->x, (size_t)self->n * sizeof(double));
    keel_status status = evaluate(self);
    if (!status)
        status = linearize(self);
    if (!status)
        *size = solve(self, self->correction);
    return status;
}

static bool may_go_away(keel_status status) {
    return status == KEEL_ERROR_NOT_FINITE || status == KEEL_ERROR_CONVERGENCE ||
           status == KEEL_ERROR_SINGULAR;
}

/* x' = x + w dx and what follows from it. */
static keel_status try_correction(ki_midsolver *self, double w, sizes *after) {
    ki_midstep *step = self->step;
    memcpy(self->x, step->x, (size_t)self->n * sizeof(double));
    add(step->x, w, self->correction, self->n);
    keel_status status = evaluate(self);
    *after = status ? (sizes){INFINITY, INFINITY, INFINITY} : solve(self, self->next);
    return may_go_away(status) ? KEEL_OK : status;
}

/* The next correction after an accepted one: the one at hand, or with a matrix of its own. */
static keel_status follow_up(ki_midsolver *self, bool new_matrix, sizes after, sizes *size) {
    memcpy(self->correction, self->next, (size_t)self->n * sizeof(double));
    *size = after;
    self->fresh = false;
    if (!new_matrix)
        return KEEL_OK;
    keel_status status = linearize(self);
    if (!status)
        *size = solve(self, self->correction);
    return status;
}

static keel_status newton(ki_midsolver *self, keel_newton_facts *facts) {
    ki_midstep *step = self->step;
    set_scales(self);
    keel_status status = evaluate(self);
    self->fresh = false;
    if (!status && (self->full || self->h != step->h))
        status = linearize(self);
    if (status)
        return status;
    sizes size = solve(self, self->correction), after;
    double w = 1;
    for (int i = 0; i < MOST_ITERATIONS && w >= LEAST_DAMPING && !status; i++) {
        if ((status = try_correction(self, w, &after)))
            return status;
        facts->iterations++;
        verdict next = judge(self, size, after, w);
        if (next == DONE) {
            add(step->x, 1, self->next, self->n);
            return KEEL_OK;
        }
        if (next != RETREAT) {
            status = follow_up(self, next == NEW_MATRIX, after, &size);
            w = 1;
        } else if (!self->fresh) {
            status = begin_anew(self, &size);
        } else {
            memcpy(step->x, self->x, (size_t)self->n * sizeof(double));
            w *= 0.5;
        }
    }
    return status ? status : no_convergence(self, size.by_length);
}

static keel_status augmented(ki_midsolver *self, keel_newton_facts *facts) {
    static const double CLOSED = 1e-16, ACCEPTABLE = 1e-14;
    ki_midstep *step = self->step;
    ki_dynamics *d = step->dynamics;
    double previous = INFINITY;
    int worst = 0;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        memcpy(self->anchor, ki_midstep_lambda(step), (size_t)d->m * sizeof(double));
        keel_status status = newton(self, facts);
        if (status)
            return status;
        ki_position_sizes(d, step->y_end, d->size);
        double open = ki_worst_relative(step->r_C, d->size, d->m, &worst);
        bool stalls = open > 0.25 * previous;
        if (open <= CLOSED || (stalls && open <= ACCEPTABLE))
            return KEEL_OK;
        if (stalls)
            set_penalty(self, 10 * self->penalty);
        previous = open;
    }
    self->h = 0;
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_AUGMENTED, step->t, worst,
                         fabs(step->r_C[worst]));
}

keel_status ki_midsolver_solve(ki_midsolver *self, keel_newton_facts *facts) {
    int n_v = self->step->dynamics->system->n_v, m = self->step->dynamics->m;
    *facts = (keel_newton_facts){0};
    keel_status status = self->penalty > 0 ? augmented(self, facts) : newton(self, facts);
    if (status)
        return status;
    ki_midstep_place(self->step);
    facts->correction_q = largest(self->next, n_v);
    facts->correction_lambda = largest(self->next + n_v, m) * ki_index3_lambda_scale(self->newton);
    facts->condition = self->report ? ki_index3_condition(self->newton) : 0;
    return KEEL_OK;
}
