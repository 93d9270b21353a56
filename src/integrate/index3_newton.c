#include "integrate/index3_newton.h"

#include <math.h>
#include <string.h>

/* MOST_WAITED: iterations for what steps of chosen length are allowed to leave, which may be round-off. */
enum { MOST_ITERATIONS = 30, MOST_STUCK = 3, MOST_WAITED = 2 };

/* Corrections that shrink less ask for a new matrix; less still, and a new one does not help. */
static const double CONTRACTION = 0.3, STUCK = 0.9;

/* A correction of this size, relative, is noise; and one of this many times what a new matrix has left. */
static const double ROUND_OFF = 1e-14, NEARLY_ROUND_OFF = 1e-12, SPREAD = 3;

/* What starts at zero counts as this part of its scale at most. */
static const double SMALL = 1e-6;

bool ki_index3_newton_init(ki_index3_newton *self, ki_integrator *base, void *user) {
    const ki_dynamics *d = base->flow.dynamics;
    int n_v = d->system->n_v, n_z = d->system->n_z;
    *self = (ki_index3_newton){.base = base, .user = user};
    self->r_D = KI_NEW(&base->arena, double, n_v);
    self->r_C = KI_NEW(&base->arena, double, d->m);
    self->r_z = KI_NEW(&base->arena, double, n_z);
    self->dq = KI_NEW(&base->arena, double, n_v);
    self->dlambda = KI_NEW(&base->arena, double, d->m);
    self->dz = KI_NEW(&base->arena, double, n_z);
    self->move = KI_NEW(&base->arena, double, n_v);
    /* what starts at zero has no size yet: then that of an error that the run does not see */
    self->largest.z = fmin(base->settings.absolute_tolerance, SMALL);
    self->largest.q = d->system->q_size ? 1 : self->largest.z;
    return !base->arena.failed;
}

keel_status ki_index3_residual(ki_index3_newton *self, double t, const double *a, bool velocity_level,
                               unsigned also) {
    ki_dynamics *d = self->base->flow.dynamics;
    const keel_system *sys = d->system;
    keel_pattern J = sys->J;
    int bad = 0;
    if (d->m)
        memcpy(d->lambda, self->lambda, (size_t)d->m * sizeof(double));
    keel_status status = ki_solve_auxiliaries(d, t, self->y);
    unsigned what = also | KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | (sys->n_z ? KEEL_STATES : 0u) |
                    (velocity_level || sys->n_n ? KEEL_VELOCITY : 0u) | (velocity_level ? 0u : KEEL_POSITION);
    d->factored = false;
    if (!status)
        status = ki_evaluate_terms(d, what, t, self->y);
    if (status)
        return status;
    d->evaluations++;
    if (!ki_all_finite(d->at.Q, sys->n_v, &bad))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, bad, d->at.Q[bad]);
    ki_mass_times(d, a, self->r_D);
    for (int i = 0; i < d->m; i++)
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            self->r_D[J.index[k]] += d->at.J[k] * self->lambda[i];
    for (int i = 0; i < sys->n_v; i++)
        self->r_D[i] -= d->at.Q[i];
    self->at_velocity_level = velocity_level;
    for (int i = 0; i < d->m; i++)
        self->r_C[i] = velocity_level || i >= sys->n_h ? d->at.rate[i] : d->at.Phi[i];
    return sys->n_z ? ki_check_states(d, t) : KEEL_OK;
}

static double larger(double a, double b) {
    return b <= a ? a : b; /* a NaN wins */
}

/* Largest |x_i|; NaN if there is one. */
static double size_of(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = larger(most, fabs(x[i]));
    return most;
}

static double ratio(double change, double size) {
    return change == 0 ? 0 : change / size;
}

/* The last correction that was smaller than the one before it. */
static void note_decrease(double *last, double size, bool *settled) {
    *settled = *settled || !(size < *last);
    if (!*settled)
        *last = size;
}

/* Largest M_jj s_j^2 of the scales s of the displacements. */
static double largest_inertia(const ki_dynamics *d) {
    const double *size = d->scales->move;
    double most = 0;
    for (int j = 0; j < d->system->n_v; j++)
        most = fmax(most, fabs(d->at.M[d->system->M.start[j + 1] - 1]) * size[j] * size[j]);
    return most;
}

/* What multipliers do in a displacement of its scale, over the inertia: the largest |x_i J_ij| s_j / I. It
 * has the unit of an acceleration in scales, whatever the units of rows and coordinates are. */
static double pull_of(const ki_dynamics *d, const double *x, double inertia) {
    keel_pattern P = d->system->J;
    double most = 0;
    for (int i = 0; i < d->m; i++) {
        double row = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            row = fmax(row, fabs(d->at.J[k]) * d->scales->move[P.index[k]]);
        most = larger(most, fabs(x[i]) * row);
    }
    return inertia > 0 ? most / inertia : most;
}

/* Forces count as multipliers: where all multipliers are zero their noise must compare with something. */
static void raise_sizes(ki_index3_newton *self, double inertia) {
    const ki_dynamics *d = self->base->flow.dynamics;
    const keel_system *sys = d->system;
    const ki_scales *s = d->scales;
    ki_index3_sizes *now = &self->now;
    double force = 0;
    for (int j = 0; j < sys->n_v; j++)
        force = larger(force, fabs(d->at.Q[j]) * s->move[j]);
    now->q = fmax(now->q, ki_most_of(sys->n_q, self->y, s->y));
    now->q = fmax(now->q, ki_most_of(sys->n_v, self->move, s->move));
    now->z = fmax(now->z, ki_most_of(sys->n_z, self->y + sys->n_q + sys->n_v, s->y + sys->n_q + sys->n_v));
    now->lambda = fmax(now->lambda, pull_of(d, self->lambda, inertia));
    if (d->m)
        now->lambda = fmax(now->lambda, inertia > 0 ? force / inertia : force);
}

/* Displacements and states in parts of their scales, multipliers as the accelerations that they make. */
static ki_index3_correction measure(ki_index3_newton *self) {
    const ki_dynamics *d = self->base->flow.dynamics;
    const keel_system *sys = d->system;
    const ki_scales *s = d->scales;
    double scale = ki_index3_lambda_scale(self->matrix), inertia = largest_inertia(d);
    double q = ki_most_of(sys->n_v, self->dq, s->move), lambda = pull_of(d, self->dlambda, inertia),
           dz = ki_most_of(sys->n_z, self->dz, s->y + sys->n_q + sys->n_v);
    double moved = size_of(sys->n_v, self->dq); /* as it is, for the report */
    if (self->dw) {
        q = larger(q, ki_most_of(sys->n_v, self->dw, s->move));
        moved = larger(moved, size_of(sys->n_v, self->dw));
    }
    raise_sizes(self, inertia);
    ki_index3_sizes now = self->now;
    ki_index3_correction c = {
        .q = ratio(q, now.q), .z = ratio(dz, now.z), .lambda = ratio(lambda, now.lambda)};
    bool scaled = self->base->options->scaling != KEEL_SCALING_NONE;
    double step = ki_index3_displacement_scale(self->matrix); /* of a force, to what it moves */
    c.scaled = scaled ? ratio(step * lambda, fmax(now.q, step * now.lambda)) : c.lambda;
    note_decrease(&self->base->newton.correction_q, moved, &self->settled_q);
    note_decrease(&self->base->newton.correction_lambda, scale * size_of(d->m, self->dlambda),
                  &self->settled_lambda);
    return c;
}

static double all_of(ki_index3_correction c) {
    return larger(larger(c.q, c.z), c.lambda);
}

/* What is left when corrections no longer decrease is round-off if displacements and scaled multipliers are
 * below `tolerance`. States may be sums of large forces: more is allowed to them. Those that follow
 * multipliers have their noise of eps/h^2, and are judged on the scale of these. */
static bool is_round_off(const ki_index3_newton *self, ki_index3_correction c, double tolerance) {
    static const double OF_STATES = 1e-8;
    bool follows = self->base->flow.dynamics->system->f_needs_lambda && c.lambda > 0;
    double z = follows ? c.z * c.scaled / c.lambda : c.z;
    return c.q <= tolerance && c.scaled <= tolerance && z <= fmax(tolerance, OF_STATES);
}

/* Whether a correction is as small as what round-off has left before: after it no more than that is left. */
static bool is_noise(const ki_index3_newton *self, ki_index3_correction c) {
    const ki_index3_correction *noise = &self->noise;
    return c.q <= SPREAD * noise->q && c.z <= SPREAD * noise->z && c.lambda <= SPREAD * noise->lambda &&
           c.scaled <= SPREAD * noise->scaled;
}

/* Whether an iteration that has become slow is at its end. With a matrix of this step it is, and tells how
 * much round-off leaves: more, the longer a mechanism is. Later steps need no new matrix to find that out
 * again. */
static bool has_halted(ki_index3_newton *self, ki_index3_correction c, bool renewed) {
    double tolerance = self->base->options->newton_tolerance;
    double known = fmax(ROUND_OFF, SPREAD * larger(self->noise.q, self->noise.scaled));
    bool halted = is_round_off(self, c, renewed ? tolerance : fmin(known, tolerance));
    if (halted && renewed)
        self->noise = c;
    return halted;
}

/* Whether the constraints are closed, too, and not only corrections small: beyond a dead point of a motion
 * there is nothing to converge to, and corrections are small compared with what iterates have become. */
static bool is_closed(const ki_index3_newton *self) {
    static const double OPEN = 1e-5;
    const ki_dynamics *d = self->base->flow.dynamics;
    keel_pattern P = d->system->J;
    const ki_scales *scales = d->scales;
    double q =
        fmax(self->largest.q, ki_most_of(d->system->n_q, self->base->y, scales->y)); /* before the step */
    for (int i = 0; !self->at_velocity_level && i < d->system->n_h; i++) {
        double size = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            size += fabs(d->at.J[k]) * q * scales->move[P.index[k]];
        if (d->system->row_size)
            size = fmax(size, d->system->row_size[i]);
        if (!(fabs(self->r_C[i]) <= OPEN * size))
            return false;
    }
    return true;
}

/* The last displacement over what is allowed of it, without its part along the gradients of the constraints:
 * that has the noise of Phi, which closing them takes out. The gradients are those at the end of the last
 * step. */
static double excess_of(ki_index3_newton *self) {
    ki_dynamics *d = self->base->flow.dynamics;
    const double *x = self->dq;
    double most = 0;
    if (!self->allowed)
        return 0;
    if (d->m) {
        ki_mass_times(d, self->dq, d->b_v);
        if (keel_saddle_solve(d->K, d->b_v, NULL, d->x, d->y, NULL) >= 0)
            x = d->x;
    }
    for (int i = 0; i < d->system->n_v; i++)
        most = larger(most, ratio(fabs(x[i]), self->allowed[i]));
    return most;
}

/* Whether little enough is left after a correction, from the excess of this one and the one before. */
static bool is_fine(double excess, double before) {
    double theta = excess / before;
    return excess <= 1 || (theta < 1 && theta * excess <= 1 - theta);
}

/* Why the iteration ended without a solution. */
static keel_status report(ki_index3_newton *self, double t, ki_index3_correction c) {
    ki_dynamics *d = self->base->flow.dynamics;
    int scaling = self->base->options->scaling;
    double tolerance = self->base->options->newton_tolerance, all = larger(larger(c.q, c.z), c.scaled);
    bool multipliers = c.q <= tolerance && c.z <= tolerance && scaling == KEEL_SCALING_NONE;
    self->hopeless = is_closed(self) && (multipliers || all <= NEARLY_ROUND_OFF);
    keel_status status =
        ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, self->hopeless ? KI_TROUBLE_STALL : KI_TROUBLE_NEWTON, t,
                      self->hopeless ? multipliers : self->growing, all);
    d->trouble.size = tolerance;
    return status;
}

/* One iteration: *c is the correction that was made. */
static keel_status iterate_once(ki_index3_newton *self, double t, bool fresh, ki_index3_correction *c) {
    ki_dynamics *d = self->base->flow.dynamics;
    keel_status status = self->residual(self->user, t);
    if (!status && fresh)
        status = self->linearize(self->user, t);
    if (status)
        return status;
    ki_index3_solve_all(self->matrix, self->r_D, self->r_C, self->r_z, self->dq, self->dlambda, self->dz);
    if (d->redundant) /* of dependent rows only the sum has a meaning */
        keel_saddle_least_norm(d->K, self->dlambda);
    for (int i = 0; i < d->m; i++)
        self->lambda[i] += self->dlambda[i];
    for (int i = 0; i < d->system->n_z; i++)
        ki_z(d, self->y)[i] += self->dz[i];
    status = self->correct(self->user, t);
    *c = measure(self);
    return status;
}

keel_status ki_index3_iterate(ki_index3_newton *self, double t) {
    double tolerance = self->base->options->newton_tolerance, previous = INFINITY;
    bool always = self->base->options->newton == KEEL_NEWTON_FULL, fresh = self->fresh || always;
    double before = INFINITY;
    int stuck = 0, waited = 0;
    bool renewed = false, solved = false;
    ki_index3_correction c = {0};
    self->hopeless = false;
    self->now = self->largest; /* a diverging attempt must not make all later corrections look small */
    self->settled_q = self->settled_lambda = false;
    self->base->newton =
        (keel_newton_facts){.correction_q = INFINITY, .correction_lambda = INFINITY, .condition = NAN};
    for (int iteration = 1; iteration <= MOST_ITERATIONS && stuck < MOST_STUCK; iteration++) {
        keel_status status = iterate_once(self, t, fresh, &c);
        renewed = renewed || fresh;
        self->base->newton.iterations = iteration;
        self->fresh = status != KEEL_OK;
        if (status)
            return status;
        double change = all_of(c), excess = excess_of(self);
        bool slow = change > CONTRACTION * previous;
        bool small = change <= tolerance || is_noise(self, c) || (slow && has_halted(self, c, renewed));
        solved = solved || (small && is_closed(self));
        if (solved && (is_fine(excess, before) || ++waited > MOST_WAITED))
            break;
        if (solved)
            slow = excess > CONTRACTION * before;
        before = excess;
        if (!isfinite(change))
            break;
        stuck += fresh && change > STUCK * previous;
        fresh = slow || always;
        previous = change;
    }
    if (solved) {
        self->largest = self->now;
        return KEEL_OK;
    }
    self->fresh = true;
    return report(self, t, c);
}
