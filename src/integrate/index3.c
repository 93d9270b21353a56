#include "integrate/index3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/index3_parts.h"
#include "linalg/slots.h"

/* Part of the size of J M^-1 J^T that delta is. Rows that depend on each other on the constraints do so only
 * nearly at the points of an iteration, off by the size e of its corrections: what is left of their
 * difference must weigh less than delta, e^2 < delta. Each iteration then leaves about this part of the
 * violation. */
static const double REGULARIZATION = 1e-6;

/* Column of R (q, v, z) -> unknown of the linear system. */
static int unknown_of(const keel_system *sys, int m, int column) {
    if (column < sys->n_v)
        return column;
    return column < 2 * sys->n_v ? column - sys->n_v : column - sys->n_v + m;
}

static int add_block(ki_slots *slots, keel_pattern P, int row, int column, bool transposed) {
    int first = slots->count;
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            ki_slots_add(slots, row + (transposed ? P.index[k] : i), column + (transposed ? i : P.index[k]));
    return first;
}

/* R without its rows of constraints, which are not needed: their slots are those of the diagonal. */
static int add_tangent(ki_slots *slots, const ki_index3 *self, const keel_system *sys) {
    int first = slots->count, m = self->dynamics->m;
    for (int i = 0; i < self->R.rows; i++)
        for (int k = self->R.start[i]; k < self->R.start[i + 1]; k++) {
            bool unused = i >= sys->n_v && i < sys->n_v + m;
            ki_slots_add(slots, i, unused ? i : unknown_of(sys, m, self->R.index[k]));
        }
    return first;
}

static void lay_out(ki_index3 *self) {
    const keel_system *sys = self->dynamics->system;
    int n_v = sys->n_v, m = self->dynamics->m, M = keel_pattern_count(sys->M), J = keel_pattern_count(sys->J);
    int Q_lambda = keel_pattern_count(sys->Q_lambda), R = keel_pattern_count(self->R);
    ki_slots slots;
    ki_slots_init(&slots, &self->arena,
                  2 * M + 2 * J + Q_lambda + R + keel_pattern_count(self->rate_q) + self->size +
                      (self->couples ? sys->n_z * m : 0));
    int M_lower = add_block(&slots, sys->M, 0, 0, false), M_upper = add_block(&slots, sys->M, 0, 0, true);
    int J_lower = add_block(&slots, sys->J, n_v, 0, false), J_upper = add_block(&slots, sys->J, 0, n_v, true);
    int coupling = add_block(&slots, sys->Q_lambda, 0, n_v, false);
    int tangent = add_tangent(&slots, self, sys);
    int rate = add_block(&slots, self->rate_q, n_v, 0, false);
    int f_lambda = slots.count;
    for (int i = 0; self->couples && i < sys->n_z; i++)
        for (int j = 0; j < m; j++)
            ki_slots_add(&slots, n_v + m + i, n_v + j);
    int diagonal = slots.count;
    for (int i = 0; i < self->size; i++)
        ki_slots_add(&slots, i, i);
    ki_slots_finish(&slots, self->size);
    if (self->arena.failed)
        return;
    self->pattern = slots.pattern;
    self->M_lower = slots.slot + M_lower;
    self->M_upper = slots.slot + M_upper;
    self->J_lower = slots.slot + J_lower;
    self->J_upper = slots.slot + J_upper;
    self->Q_lambda_slot = slots.slot + coupling;
    self->R_slot = slots.slot + tangent;
    self->rate_slot = slots.slot + rate;
    self->f_lambda_slot = slots.slot + f_lambda;
    self->diagonal = slots.slot + diagonal;
}

static void build(ki_index3 *self) {
    const keel_system *sys = self->dynamics->system;
    ki_arena *arena = &self->arena;
    self->size = sys->n_v + self->dynamics->m + sys->n_z;
    self->needs_rate = sys->n_n > 0 || (self->velocity_level && self->dynamics->m > 0);
    self->couples = sys->f_needs_lambda && self->dynamics->m > 0;
    self->exact = sys->tangent.rows > 0;
    self->exact_rate = sys->rate_q.rows > 0;
    ki_index3_full_patterns(self);
    if (arena->failed)
        return;
    lay_out(self);
    self->M = KI_NEW(arena, double, keel_pattern_count(sys->M));
    self->J = KI_NEW(arena, double, keel_pattern_count(sys->J));
    self->C = KI_NEW(arena, double, keel_pattern_count(sys->J));
    self->Q_lambda = KI_NEW(arena, double, keel_pattern_count(sys->Q_lambda));
    self->R_values = KI_NEW(arena, double, keel_pattern_count(self->R));
    self->rate_values = KI_NEW(arena, double, keel_pattern_count(self->rate_q));
    self->f_lambda = KI_NEW(arena, double, self->couples ? sys->n_z * self->dynamics->m : 0);
    self->delta = KI_NEW(arena, double, self->dynamics->m);
    self->rhs = KI_NEW(arena, double, self->size);
    self->y = KI_NEW(arena, double, self->dynamics->n_y);
    self->move = KI_NEW(arena, double, sys->n_v);
    self->residual = KI_NEW(arena, double, self->size);
    self->base = KI_NEW(arena, double, self->size);
    if (sys->kinematics && sys->pull) {
        ki_chart_init(&self->chart, arena, sys);
        self->turn = KI_NEW(arena, double, sys->n_v);
        self->answer = KI_NEW(arena, double, self->size);
    }
    if (arena->failed)
        return;
    self->values = KI_NEW(arena, double, keel_pattern_count(self->pattern));
    self->lu = ki_lu_new_saddle(self->pattern, self->dynamics->system->n_v, self->dynamics->m);
}

ki_index3 *ki_index3_new(ki_dynamics *d, bool velocity_level, keel_scaling scaling, bool reference_mass) {
    ki_index3 *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    *self = (ki_index3){.dynamics = d,
                        .velocity_level = velocity_level,
                        .scaling = scaling,
                        .reference_mass = reference_mass,
                        .mass = 1};
    ki_arena_init(&self->arena);
    build(self);
    if (!self->arena.failed && self->lu)
        return self;
    ki_index3_free(self);
    return NULL;
}

void ki_index3_free(ki_index3 *self) {
    if (!self)
        return;
    ki_lu_free(self->lu);
    ki_arena_free(&self->arena);
    free(self);
}

static void keep(double *to, const double *from, int count) {
    if (count && to != from)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* The reference mass |M| / |J|, Frobenius norms. */
static double reference_mass(const ki_index3 *self) {
    const keel_system *sys = self->dynamics->system;
    double M = 0, J = 0;
    for (int i = 0; i < sys->n_v; i++)
        for (int k = sys->M.start[i]; k < sys->M.start[i + 1]; k++) /* the lower triangle */
            M += (sys->M.index[k] == i ? 1 : 2) * self->M[k] * self->M[k];
    for (int k = 0; k < keel_pattern_count(sys->J); k++)
        J += self->J[k] * self->J[k];
    return M > 0 && J > 0 ? sqrt(M / J) : 1;
}

/* delta_i from row i of J M^-1 J^T, M taken for its diagonal. A row that moves nothing gets one. */
static void set_delta(ki_index3 *self) {
    const keel_system *sys = self->dynamics->system;
    for (int i = 0; i < self->dynamics->m; i++) {
        double size = 0, row = 0;
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++) {
            int j = sys->J.index[k];
            double mass = self->M[sys->M.start[j + 1] - 1];
            row = fmax(row, fabs(self->J[k]));
            if (mass > 0)
                size += self->J[k] * self->J[k] / mass;
        }
        self->delta[i] = row > 0 ? REGULARIZATION * self->mass * size : 1;
    }
}

keel_status ki_index3_linearize(ki_index3 *self, double t, const double *y, const double *a,
                                const double *lambda) {
    ki_dynamics *d = self->dynamics;
    const keel_system *sys = d->system;
    self->turned = false;
    keep(d->x, a, sys->n_v);
    keep(d->lambda, lambda, d->m);
    keel_status status = ki_solve_auxiliaries(d, t, y);
    unsigned what = (self->exact ? KEEL_TANGENT : 0u) | (sys->Q_lambda.rows ? KEEL_FORCE_LAMBDA : 0u);
    if (self->needs_rate && self->exact_rate)
        what |= KEEL_VELOCITY_Q;
    if (!ki_is_factored(d, t, y)) {
        d->factored = false;
        what |= KEEL_MASS | KEEL_JACOBIAN;
    }
    if (!status)
        status = ki_evaluate_terms(d, what, t, y);
    if (status)
        return status;
    keep(self->M, d->at.M, keel_pattern_count(sys->M));
    keep(self->J, d->at.J, keel_pattern_count(sys->J));
    keep(self->C, d->at.J, keel_pattern_count(sys->J));
    keep(self->Q_lambda, d->at.Q_lambda, keel_pattern_count(sys->Q_lambda));
    if (self->exact)
        keep(self->R_values, d->at.tangent, keel_pattern_count(self->R));
    if (self->needs_rate && self->exact_rate)
        keep(self->rate_values, d->at.rate_q, keel_pattern_count(self->rate_q));
    self->mass = self->reference_mass ? reference_mass(self) : 1;
    set_delta(self);
    return ki_index3_differences(self, t, y);
}

void ki_index3_set_scales(ki_index3 *self) {
    double both = self->s / self->mass;
    self->lambda_scale = self->scaling == KEEL_SCALING_NONE ? 1 : both;
    self->left = self->scaling == KEEL_SCALING_BOTH ? both : 1;
}

bool ki_index3_at_velocity_level(const ki_index3 *self, int row) {
    return self->velocity_level || row >= self->dynamics->system->n_h;
}

static void assemble_mass(ki_index3 *self, double factor) {
    keel_pattern P = self->dynamics->system->M;
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            self->values[self->M_lower[k]] += factor * self->M[k];
            if (P.index[k] != i)
                self->values[self->M_upper[k]] += factor * self->M[k];
        }
}

/* The columns of the multipliers, and the rows of the constraints. */
static void assemble_constraints(ki_index3 *self, double column_factor) {
    const keel_system *sys = self->dynamics->system;
    double *A = self->values;
    for (int i = 0; i < self->dynamics->m; i++) {
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++) {
            A[self->J_lower[k]] += self->C[k];
            A[self->J_upper[k]] += column_factor * self->J[k];
        }
        A[self->diagonal[sys->n_v + i]] -= self->softness / self->lambda_scale;
        if (self->regular)
            A[self->diagonal[sys->n_v + i]] -= self->delta[i] * self->s / self->mass / self->lambda_scale;
        if (self->needs_rate && ki_index3_at_velocity_level(self, i))
            for (int k = self->rate_q.start[i]; k < self->rate_q.start[i + 1]; k++)
                A[self->rate_slot[k]] += self->c_r * self->rate_values[k];
    }
    for (int k = 0; k < keel_pattern_count(sys->Q_lambda); k++)
        A[self->Q_lambda_slot[k]] -= column_factor * self->Q_lambda[k];
}

static void assemble_tangent(ki_index3 *self, double factor) {
    const keel_system *sys = self->dynamics->system;
    double *A = self->values;
    int states = sys->n_v + self->dynamics->m;
    for (int i = 0; i < self->R.rows; i++) {
        bool motion = i < sys->n_v;
        if (!motion && i < states)
            continue;
        double of_move = motion ? factor : self->c_z / self->s, of_state = motion ? self->left : self->c_z;
        for (int k = self->R.start[i]; k < self->R.start[i + 1]; k++) {
            int column = self->R.index[k];
            double weight = column < sys->n_v       ? of_move * self->c_q
                            : column < 2 * sys->n_v ? of_move * self->c_v
                                                    : of_state;
            A[self->R_slot[k]] += weight * self->R_values[k];
        }
    }
    for (int i = 0; self->couples && i < self->dynamics->system->n_z * self->dynamics->m; i++)
        A[self->f_lambda_slot[i]] -= self->c_z / self->lambda_scale * self->f_lambda[i];
    for (int i = states; i < self->size; i++)
        A[self->diagonal[i]] += 1;
}

void ki_index3_assemble(ki_index3 *self) {
    double of_motion = self->scaling == KEEL_SCALING_BOTH ? 1 / self->mass : 1 / self->s; /* L/s */
    ki_index3_set_scales(self);
    memset(self->values, 0, (size_t)keel_pattern_count(self->pattern) * sizeof(double));
    assemble_mass(self, of_motion);
    assemble_constraints(self, self->scaling == KEEL_SCALING_RIGHT ? self->mass / self->s : 1); /* L/D */
    assemble_tangent(self, of_motion);
}

keel_status ki_index3_factor(ki_index3 *self, double s, double c_v, double c_q, double c_r) {
    self->s = s;
    self->c_v = c_v;
    self->c_q = c_q;
    self->c_r = c_r;
    self->regular = self->dynamics->redundant;
    ki_index3_assemble(self);
    keel_status status = ki_lu_factor(self->lu, self->values);
    if (status != KEEL_ERROR_SINGULAR || self->regular)
        return status;
    self->regular = true; /* a singular pose */
    ki_index3_assemble(self);
    return ki_lu_factor(self->lu, self->values);
}

keel_status ki_index3_take_rows(ki_index3 *self, double t, const double *y) {
    ki_dynamics *d = self->dynamics;
    bool rate = self->needs_rate && self->exact_rate;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (status)
        return status;
    d->factored = d->factored && ki_is_factored(d, t, y);
    status = ki_evaluate_terms(d, KEEL_JACOBIAN | (rate ? KEEL_VELOCITY_Q : 0u), t, y);
    if (status)
        return status;
    keep(self->C, d->at.J, keel_pattern_count(d->system->J));
    if (rate)
        keep(self->rate_values, d->at.rate_q, keel_pattern_count(self->rate_q));
    return KEEL_OK;
}

void ki_index3_soften(ki_index3 *self, double penalty) {
    self->softness = penalty > 0 ? 1 / penalty : 0;
}

void ki_index3_couple_states(ki_index3 *self, double c_z) {
    self->c_z = c_z;
}

void ki_index3_solve_all(ki_index3 *self, const double *r_D, const double *r_C, const double *r_z, double *dq,
                         double *dlambda, double *dz) {
    int n_v = self->dynamics->system->n_v, m = self->dynamics->m, n_z = self->dynamics->system->n_z;
    for (int i = 0; i < n_v; i++)
        self->rhs[i] = -self->left * r_D[i];
    for (int i = 0; i < m; i++)
        self->rhs[n_v + i] = ki_index3_at_velocity_level(self, i) ? -self->c_r * r_C[i] : -r_C[i];
    for (int i = 0; i < n_z; i++)
        self->rhs[n_v + m + i] = r_z ? -r_z[i] : 0;
    ki_index3_solve_turned(self);
    keep(dq, self->rhs, n_v);
    for (int i = 0; i < m; i++)
        dlambda[i] = self->rhs[n_v + i] / self->lambda_scale;
    if (dz)
        keep(dz, self->rhs + n_v + m, n_z);
}

void ki_index3_solve(ki_index3 *self, const double *r_D, const double *r_C, double *dq, double *dlambda) {
    ki_index3_solve_all(self, r_D, r_C, NULL, dq, dlambda, NULL);
}

void ki_index3_project(void *index3, const double *s, double *x) {
    ki_index3 *self = index3;
    int n_v = self->dynamics->system->n_v, m = self->dynamics->m;
    memset(self->rhs, 0, (size_t)self->size * sizeof(double));
    keep(self->rhs + n_v, s, m);
    ki_lu_solve(self->lu, self->rhs);
    keep(x, self->rhs, n_v);
}

double ki_index3_lambda_scale(const ki_index3 *self) {
    return self->lambda_scale;
}

double ki_index3_displacement_scale(const ki_index3 *self) {
    return self->s;
}
