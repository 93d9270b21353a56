/* Forces that depend on the multipliers (joint friction, creep of a wheel).
 *
 *     M v' + J^T lambda = Q(lambda),   J v' = xi
 *
 * is solved by Newton's method for both:
 *
 *     [ M   J^T - Q_lambda ] [ dv'     ]   [ Q(lambda) - M v' - J^T lambda ]
 *     [ J   -D             ] [ dlambda ] = [ xi - J v'                     ]            D = 0
 *
 * The matrix is factored once for an evaluation, and again where its steps shrink slowly. Q is nearly linear
 * in lambda and v' enters linearly, so that few steps with the same factors are enough; the residuals are
 * those of the equations, so that they lead to the exact solution.
 *
 * Where rows of J depend on each other the forces must see one definite lambda, the shortest. With Y(Q) the
 * multipliers of the saddle-point system for given forces, made as short as possible, lambda is a zero of
 *
 *     F(lambda) = Y(Q(lambda)) - lambda
 *
 * and its steps follow from the same matrix with the right-hand side (J^T F, -D F) and a D > 0 of round-off,
 * which keeps it regular.
 */
#include <math.h>
#include <string.h>

#include "formulate/dynamics.h"
#include "linalg/dense.h"
#include "linalg/slots.h"

/* A step that is larger than this part of the one before wants new factors. */
static const double SLOW = 0.25;

/* ---- the matrix -----------------------------------------------------------------------------------------
 */

static void add_entries(ki_slots *slots, keel_pattern P, int row, int column, bool turned) {
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            ki_slots_add(slots, row + (turned ? P.index[k] : i), column + (turned ? i : P.index[k]));
}

void ki_force_lambda_init(ki_force_lambda *f, const keel_system *sys, ki_arena *arena) {
    int n = sys->n_v, m = keel_system_m(sys);
    ki_slots slots;
    ki_slots_init(&slots, arena,
                  2 * keel_pattern_count(sys->M) + 2 * keel_pattern_count(sys->J) +
                      keel_pattern_count(sys->Q_lambda) + m);
    if (arena->failed)
        return;
    add_entries(&slots, sys->M, 0, 0, false);
    add_entries(&slots, sys->M, 0, 0, true);
    add_entries(&slots, sys->J, 0, n, true);
    add_entries(&slots, sys->J, n, 0, false);
    add_entries(&slots, sys->Q_lambda, 0, n, false);
    for (int i = 0; i < m; i++)
        ki_slots_add(&slots, n + i, n + i);
    ki_slots_finish(&slots, n + m);
    if (arena->failed)
        return;
    f->slot = slots.slot;
    f->slots = keel_pattern_count(slots.pattern);
    f->values = KI_NEW(arena, double, f->slots);
    f->D = KI_NEW(arena, double, m);
    f->step = KI_NEW(arena, double, n + m);
    f->right = KI_NEW(arena, double, n + m);
    f->lu = ki_lu_new(slots.pattern);
    arena->failed = arena->failed || !f->lu;
}

void ki_force_lambda_clear(ki_force_lambda *f) {
    ki_lu_free(f->lu);
    f->lu = NULL;
}

/* D, if rows depend on each other: round-off of J M^-1 J^T with the diagonal of M */
static void find_D(ki_dynamics *d) {
    static const double SMALL = 1e-13;
    keel_pattern M = d->system->M, J = d->system->J;
    for (int i = 0; i < d->m; i++) {
        double sum = 0;
        for (int k = J.start[i]; k < J.start[i + 1]; k++) {
            double mass = d->at.M[M.start[J.index[k] + 1] - 1];
            sum += mass > 0 ? d->at.J[k] * d->at.J[k] / mass : 0;
        }
        d->force.D[i] = keel_saddle_regularized(d->K) ? SMALL * sum : 0;
    }
}

/* values += those of a part of the matrix; its slots end where the next ones begin */
static const int *add_values(const int *slot, int count, double factor, const double *from, double *values) {
    for (int k = 0; k < count; k++)
        values[slot[k]] += factor * from[k];
    return slot + count;
}

static void fill_matrix(ki_dynamics *d) {
    const keel_system *sys = d->system;
    double *values = d->force.values;
    const int *slot = d->force.slot;
    int M = keel_pattern_count(sys->M), J = keel_pattern_count(sys->J);
    memset(values, 0, (size_t)d->force.slots * sizeof *values);
    slot = add_values(slot, M, 1, d->at.M, values);
    for (int i = 0; i < sys->n_v; i++) /* the diagonal is the last entry of each row, and there already */
        slot = add_values(slot, sys->M.start[i + 1] - sys->M.start[i] - 1, 1, d->at.M + sys->M.start[i],
                          values) +
               1;
    slot = add_values(slot, J, 1, d->at.J, values);
    slot = add_values(slot, J, 1, d->at.J, values);
    slot = add_values(slot, keel_pattern_count(sys->Q_lambda), -1, d->at.Q_lambda, values);
    add_values(slot, d->m, -1, d->force.D, values);
}

static keel_status factor(ki_dynamics *d, double t, const double *y) {
    keel_status status = ki_evaluate_terms(d, KEEL_FORCE_LAMBDA, t, y);
    if (status)
        return status;
    find_D(d);
    fill_matrix(d);
    status = ki_lu_factor(d->force.lu, d->force.values);
    return status < 0 ? ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_MULTIPLIER, t,
                                      d->system->Q_lambda.index[0], INFINITY)
                      : KEEL_OK;
}

/* ---- right-hand sides -----------------------------------------------------------------------------------
 */

/* r += sign J^T y,  s += sign J x */
static void add_J(const ki_dynamics *d, double sign, const double *y, const double *x, double *r, double *s) {
    keel_pattern J = d->system->J;
    for (int i = 0; i < d->m; i++) {
        double sum = 0, factor = sign * y[i];
        for (int k = J.start[i]; k < J.start[i + 1]; k++) {
            sum += d->at.J[k] * x[J.index[k]];
            r[J.index[k]] += d->at.J[k] * factor;
        }
        s[i] += sign * sum;
    }
}

/* The residuals of the equations at v' = d->x and d->lambda. */
static void find_residual(ki_dynamics *d, double *right) {
    int n = d->system->n_v;
    ki_mass_times(d, d->x, right);
    for (int i = 0; i < n; i++)
        right[i] = d->at.Q[i] - right[i];
    memcpy(right + n, d->target, (size_t)d->m * sizeof *right);
    add_J(d, -1, d->lambda, d->x, right, right + n);
}

/* (J^T F, -D F); v' = d->x is that of the forces at hand. */
static keel_status find_mismatch(ki_dynamics *d, double t, double *right) {
    int n = d->system->n_v;
    keel_status status = ki_solve_motion(d, t, d->at.Q, d->target, d->x, d->y);
    if (!status)
        status = keel_saddle_least_norm(d->K, d->y);
    if (status < 0)
        return status;
    memset(right, 0, (size_t)n * sizeof *right);
    memset(d->b_v, 0, (size_t)n * sizeof *right);
    for (int i = 0; i < d->m; i++) {
        d->y[i] -= d->lambda[i];
        right[n + i] = -d->force.D[i] * d->y[i];
    }
    add_J(d, 1, d->y, d->b_v, right, right + n);
    return KEEL_OK;
}

static keel_status find_right(ki_dynamics *d, double t, const double *y) {
    int worst = 0;
    keel_status status = ki_evaluate_terms(d, KEEL_FORCE, t, y);
    if (status)
        return status;
    if (!ki_all_finite(d->at.Q, d->system->n_v, &worst))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, worst, NAN);
    if (keel_saddle_regularized(d->K))
        return find_mismatch(d, t, d->force.right);
    find_residual(d, d->force.right);
    return KEEL_OK;
}

/* ---- Newton's method ------------------------------------------------------------------------------------
 */

/* Where the iteration is. */
typedef struct search {
    double size, length; /* of the step in the multipliers, and of these after it */
    double previous;     /* size of the step that led here */
    double part;         /* so much of that one was taken */
    bool is_new;         /* the factors are those of this point ... */
    bool was_new;        /* ... and were, of the point where that step began */
    int worst;           /* the multiplier that changes most */
} search;

/* v', lambda += part step */
static void move(ki_dynamics *d, double part) {
    const double *step = d->force.step;
    if (!keel_saddle_regularized(d->K))
        ki_axpy(d->system->n_v, part, step, d->x);
    ki_axpy(d->m, part, step + d->system->n_v, d->lambda);
}

/* The next step, in d->force.right. */
static keel_status find_step(ki_dynamics *d, double t, const double *y, search *at) {
    const double *change = d->force.right + d->system->n_v;
    keel_status status = find_right(d, t, y);
    if (status)
        return status;
    ki_lu_solve(d->force.lu, d->force.right);
    at->size = at->length = 0;
    for (int i = 0; i < d->m; i++) {
        double size = fabs(change[i]);
        if (!(size <= at->size))
            at->worst = i, at->size = size;
        at->length = fmax(at->length, fabs(d->lambda[i] + change[i]));
    }
    return KEEL_OK;
}

/* Whether the step that led here was too long, by the factors of the point where it began: half of it is
 * taken back. The force that presses surfaces together has a kink where they change sides, and full steps may
 * go to and fro across it. */
static bool step_back(ki_dynamics *d, search *at) {
    static const double LEAST = 1.0 / 16;
    if (!at->was_new || !(at->size > at->previous) || at->part <= LEAST)
        return false;
    at->part /= 2;
    move(d, -at->part);
    return true;
}

static void take_step(ki_dynamics *d, search *at) {
    double *taken = d->force.right;
    d->force.right = d->force.step;
    d->force.step = taken;
    move(d, 1);
    at->previous = at->size;
    at->part = 1;
    at->was_new = at->is_new;
    at->is_new = false;
}

/* Whether what is left after this step is round-off: steps shrink at least as this one did. */
static bool is_last(const search *at, bool exact) {
    static const double TOLERANCE = 1e-13;
    bool stalled = exact && at->size > 0.5 * at->previous;
    double shrinks = fmin(at->size / at->previous, 1); /* the first step: 0, and another one follows */
    return stalled || (at->previous < INFINITY && at->size * shrinks <= TOLERANCE * at->length);
}

keel_status ki_solve_force_lambda(ki_dynamics *d, double t, const double *y) {
    enum { MOST_ITERATIONS = 60 };
    static const double ROUND_OFF = 1e-10;
    search at = {.previous = INFINITY, .part = 1, .is_new = true};
    memset(d->x, 0, (size_t)d->system->n_v * sizeof *d->x);
    keel_status status = factor(d, t, y);
    for (int i = 0; i < MOST_ITERATIONS && !status; i++) {
        if ((status = find_step(d, t, y, &at)))
            break;
        bool exact = at.size <= ROUND_OFF * at.length, slow = !exact && at.size > SLOW * at.previous;
        if (slow && step_back(d, &at))
            continue;
        if (slow && !at.is_new) {
            status = factor(d, t, y);
            at = (search){.previous = INFINITY, .part = 1, .is_new = true};
            continue;
        }
        bool last = is_last(&at, exact);
        take_step(d, &at);
        if (last)
            return KEEL_OK;
    }
    return status ? status
                  : ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_MULTIPLIER, t, at.worst,
                                  at.size / at.length);
}
