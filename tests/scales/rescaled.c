#include "scales/rescaled.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The scratch area: that of the base, and a point and terms in its units. */
typedef struct work {
    const rescaled *r;
    void *base;
    double *q, *v, *z, *lambda, *a, *dv, *rate;
} work;

static double *numbers(int n) {
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

static const rescaled *of(const keel_system *system) {
    return system->model;
}

static void work_free(void *w) {
    work *self = w;
    if (!self)
        return;
    if (self->base && self->r->base->work_free)
        self->r->base->work_free(self->base);
    double *arrays[] = {self->q, self->v, self->z, self->lambda, self->a, self->dv, self->rate};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(self);
}

static keel_status work_new(const keel_system *system, void **out) {
    work *self = calloc(1, sizeof *self);
    if (!self)
        return KEEL_ERROR_MEMORY;
    const keel_system *base = of(system)->base;
    self->r = of(system);
    self->q = numbers(base->n_q), self->v = numbers(base->n_v), self->z = numbers(base->n_z);
    self->lambda = numbers(keel_system_m(base)), self->a = numbers(base->n_v);
    self->dv = numbers(base->n_v), self->rate = numbers(base->n_q);
    *out = self;
    return base->work_new ? base->work_new(base, &self->base) : KEEL_OK;
}

/* A point in the units of the base. */
static keel_point point_of(work *w, const keel_point *at) {
    const rescaled *r = w->r;
    const keel_system *base = r->base;
    double T = r->in.time;
    for (int i = 0; at->q && i < base->n_q; i++)
        w->q[i] = at->q[i] / r->alpha_q[i];
    for (int j = 0; at->v && j < base->n_v; j++)
        w->v[j] = at->v[j] * T / r->alpha_v[j];
    for (int j = 0; at->a && j < base->n_v; j++)
        w->a[j] = at->a[j] * T * T / r->alpha_v[j];
    for (int i = 0; at->lambda && i < keel_system_m(base); i++)
        w->lambda[i] = at->lambda[i] * r->beta[i] / r->energy;
    return (keel_point){
        .t = at->t / T, .q = w->q, .v = w->v, .z = at->z, .s = at->s, .lambda = w->lambda, .a = w->a};
}

static void multiply(double *x, const double *by, int n, double all) {
    for (int i = 0; i < n; i++)
        x[i] *= all * (by ? by[i] : 1);
}

/* x_k *= all * of the row / of the column; NULL: ones */
static void multiply_matrix(keel_pattern P, double *x, const double *row, const double *column, double all) {
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            x[k] *= all * (row ? row[i] : 1) / (column ? column[P.index[k]] : 1);
}

/* Factors of the columns d/d(q, v, z). */
static double column_of_state(const rescaled *r, int j) {
    int n = r->base->n_v;
    return j < n ? 1 / r->alpha_v[j] : j < 2 * n ? r->in.time / r->alpha_v[j - n] : 1;
}

static void rescale_tangent(const rescaled *r, double *x) {
    const keel_system *b = r->base;
    keel_pattern P = b->tangent;
    double T = r->in.time;
    int m = keel_system_m(b);
    for (int i = 0; i < P.rows; i++) {
        double row = i < b->n_v       ? r->energy / r->alpha_v[i]
                     : i < b->n_v + m ? r->beta[i - b->n_v] / (T * T)
                                      : 1 / T;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            x[k] *= row * column_of_state(r, P.index[k]);
    }
}

static void rescale_mass(const rescaled *r, double *M) {
    keel_pattern P = r->base->M;
    double T = r->in.time;
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            M[k] *= r->energy * T * T / (r->alpha_v[i] * r->alpha_v[P.index[k]]);
}

static keel_status evaluate(const keel_system *system, void *w, unsigned what, const keel_point *at,
                            keel_terms *x) {
    const rescaled *r = of(system);
    const keel_system *b = r->base;
    keel_point point = point_of(w, at);
    double T = r->in.time, e = r->energy;
    int m = keel_system_m(b);
    keel_status status = b->evaluate(b, ((work *)w)->base, what, &point, x);
    if (status < 0)
        return status;
    if (what & KEEL_MASS)
        rescale_mass(r, x->M);
    if (what & KEEL_JACOBIAN)
        multiply_matrix(b->J, x->J, r->beta, r->alpha_v, 1);
    for (int j = 0; what & KEEL_FORCE && j < b->n_v; j++)
        x->Q[j] *= e / r->alpha_v[j];
    if (what & KEEL_XI)
        multiply(x->xi, r->beta, m, 1 / (T * T));
    if (what & KEEL_POSITION)
        multiply(x->Phi, r->beta, b->n_h, 1);
    if (what & KEEL_VELOCITY)
        multiply(x->rate, r->beta, m, 1 / T);
    if (what & KEEL_STATES)
        multiply(x->f, NULL, b->n_z, 1 / T);
    for (int i = 0; what & KEEL_FORCE_LAMBDA && i < b->Q_lambda.rows; i++)
        for (int k = b->Q_lambda.start[i]; k < b->Q_lambda.start[i + 1]; k++)
            x->Q_lambda[k] *= r->beta[b->Q_lambda.index[k]] / r->alpha_v[i];
    if (what & KEEL_ENERGY)
        x->energy *= e;
    if (what & KEEL_POWER)
        x->power *= e / T;
    if (what & KEEL_TANGENT && b->tangent.rows)
        rescale_tangent(r, x->tangent);
    if (what & KEEL_VELOCITY_Q && b->rate_q.rows)
        multiply_matrix(b->rate_q, x->rate_q, r->beta, r->alpha_v, 1 / T);
    for (int i = 0; what & KEEL_INVARIANTS && i < b->n_i; i++)
        for (int k = b->invariant_y.start[i]; k < b->invariant_y.start[i + 1]; k++)
            x->invariant_y[k] *= column_of_state(r, b->invariant_y.index[k]);
    return status;
}

/* These have no scratch area: what they need is small. */
enum { MOST = 4000 };

static void kinematics(const keel_system *system, const double *q, const double *v, double *q_rate) {
    static _Thread_local double q_base[MOST], v_base[MOST];
    const rescaled *r = of(system);
    const keel_system *b = r->base;
    for (int i = 0; i < b->n_q; i++)
        q_base[i] = q[i] / r->alpha_q[i];
    for (int j = 0; j < b->n_v; j++)
        v_base[j] = v[j] / r->alpha_v[j];
    b->kinematics(b, q_base, v_base, q_rate);
    multiply(q_rate, r->alpha_q, b->n_q, 1);
}

static void advance(const keel_system *system, double *q, const double *dv) {
    static _Thread_local double v_base[MOST];
    const rescaled *r = of(system);
    const keel_system *b = r->base;
    for (int i = 0; i < b->n_q; i++)
        q[i] /= r->alpha_q[i];
    for (int j = 0; j < b->n_v; j++)
        v_base[j] = dv[j] / r->alpha_v[j];
    b->advance(b, q, v_base);
    multiply(q, r->alpha_q, b->n_q, 1);
}

static void pull(const keel_system *system, const double *q, const double *dq, double *dv) {
    static _Thread_local double q_base[MOST], dq_base[MOST];
    const rescaled *r = of(system);
    const keel_system *b = r->base;
    for (int i = 0; i < b->n_q; i++) {
        q_base[i] = q[i] / r->alpha_q[i];
        dq_base[i] = dq[i] / r->alpha_q[i];
    }
    b->pull(b, q_base, dq_base, dv);
    multiply(dv, r->alpha_v, b->n_v, 1);
}

static keel_status outputs(const keel_system *system, void *w, const keel_point *at, const double *v_rate,
                           double *values) {
    const rescaled *r = of(system);
    const keel_system *b = r->base;
    work *self = w;
    keel_point point = point_of(self, at);
    double T = r->in.time;
    for (int j = 0; j < b->n_v; j++)
        self->dv[j] = v_rate[j] * T * T / r->alpha_v[j];
    return b->outputs(b, self->base, &point, self->dv, values);
}

static int next_switch(const keel_system *system, void *w, double from, double until, double when[3]) {
    const rescaled *r = of(system);
    double T = r->in.time;
    int found = r->base->switches.next(r->base, ((work *)w)->base, from / T, until / T, when);
    for (int k = 0; found && k < 3; k++)
        when[k] *= T;
    return found;
}

static void switch_values(const keel_system *system, void *w, const keel_point *at, double *g) {
    const rescaled *r = of(system);
    keel_point point = point_of(w, at);
    r->base->switches.values(r->base, ((work *)w)->base, &point, g);
}

/* A displacement of the base makes xi~ = alpha xi, so that p~ = xi~ . M~ v~ = e T p. */
static void rigid(const keel_system *system, void *w, const keel_point *at, keel_rigid *x) {
    const rescaled *r = of(system);
    const keel_system *b = r->base;
    keel_point point = point_of(w, at);
    b->rigid(b, ((work *)w)->base, &point, x);
    for (int i = 0; x->xi && i < b->n_rigid; i++)
        multiply(x->xi + (size_t)i * (size_t)b->n_v, r->alpha_v, b->n_v, 1);
    if (x->momentum)
        multiply(x->momentum, NULL, b->n_rigid, r->energy * r->in.time);
    if (x->rate)
        multiply(x->rate, NULL, b->n_rigid, r->energy);
}

static void turn_values(const keel_system *system, void *w, const keel_point *at, double *angle,
                        double *rate) {
    const rescaled *r = of(system);
    keel_point point = point_of(w, at);
    r->base->turns.values(r->base, ((work *)w)->base, &point, angle, rate);
    multiply(rate, NULL, r->base->turns.count, 1 / r->in.time);
}

static void turns_near(const keel_system *system, void *w, const double *angle) {
    const keel_system *b = of(system)->base;
    b->turns.near(b, ((work *)w)->base, angle);
}

/* ---- construction */

static bool is_angle(const keel_system *b, int j) {
    const char *unit = b->units.q && !b->kinematics ? b->units.q[j] : NULL;
    return b->q_turns ? b->q_turns[j] : unit && strcmp(unit, "rad") == 0;
}

/* With kinematics: coordinates that displacements by lengths move. */
static void find_lengths(rescaled *r) {
    const keel_system *b = r->base;
    double *q = numbers(b->n_q), *v = numbers(b->n_v), *rate = numbers(b->n_q);
    for (int i = 0; i < b->n_q; i++)
        q[i] = 0.5;
    for (int j = 0; j < b->n_v; j++)
        v[j] = r->alpha_v[j] == 1 && is_angle(b, j) ? 0 : 1;
    b->kinematics(b, q, v, rate);
    for (int i = 0; i < b->n_q; i++)
        r->alpha_q[i] = rate[i] != 0 ? r->in.length : 1;
    free(q), free(v), free(rate);
}

static void choose_factors(rescaled *r) {
    const keel_system *b = r->base;
    double L = r->in.length;
    for (int j = 0; j < b->n_v; j++)
        r->alpha_v[j] = is_angle(b, j) ? 1 : L;
    /* coordinates come with their displacements, in order: quaternions have one more */
    for (int i = 0; i < b->n_q; i++)
        r->alpha_q[i] = !b->kinematics ? r->alpha_v[i] : 1;
    if (b->kinematics)
        find_lengths(r);
    for (int i = 0; i < keel_system_m(b); i++)
        r->beta[i] = b->row_turns ? (b->row_turns[i] ? 1 : L) : L * L;
}

static double *sizes(const double *from, const double *by, int n) {
    if (!from)
        return NULL;
    double *x = numbers(n);
    for (int i = 0; i < n; i++)
        x[i] = from[i] * by[i];
    return x;
}

static void set_sizes(rescaled *r) {
    const keel_system *b = r->base;
    keel_system *s = &r->system;
    s->q_size = r->q_size = sizes(b->q_size, r->alpha_v, b->n_v);
    s->coordinate_size = r->coordinate_size = sizes(b->coordinate_size, r->alpha_q, b->n_q);
    s->row_size = r->row_size = sizes(b->row_size, r->beta, keel_system_m(b));
    s->Phi_size = r->Phi_size = sizes(b->Phi_size, r->beta, b->n_h);
    s->stated_v = r->stated_v = sizes(b->stated_v, r->alpha_v, b->n_v);
    s->extent = b->extent * r->in.length;
    s->energy_size = b->energy_size * r->energy;
}

rescaled *rescaled_new(const keel_system *base, units in) {
    rescaled *r = calloc(1, sizeof *r);
    if (!r || base->n_q > MOST || base->n_v > MOST)
        abort();
    *r = (rescaled){.system = *base,
                    .base = base,
                    .in = in,
                    .energy = in.mass * in.length * in.length / (in.time * in.time)};
    r->alpha_q = numbers(base->n_q), r->alpha_v = numbers(base->n_v);
    r->beta = numbers(keel_system_m(base));
    choose_factors(r);
    keel_system *s = &r->system;
    s->model = r;
    s->work_new = work_new;
    s->work_free = work_free;
    s->evaluate = evaluate;
    s->outputs = base->outputs ? outputs : NULL;
    s->kinematics = base->kinematics ? kinematics : NULL;
    s->advance = base->advance ? advance : NULL;
    s->pull = base->pull ? pull : NULL;
    s->kernel = NULL;
    s->for_run = NULL;
    s->switches.next = base->switches.next ? next_switch : NULL;
    s->switches.values = base->switches.values ? switch_values : NULL;
    s->rigid = base->rigid ? rigid : NULL;
    s->turns.values = base->turns.count ? turn_values : NULL;
    s->turns.near = base->turns.count ? turns_near : NULL;
    s->explain = NULL;
    s->law = NULL;
    set_sizes(r);
    return r;
}

void rescaled_free(rescaled *r) {
    double *arrays[] = {r->alpha_q,         r->alpha_v,  r->beta,     r->q_size,
                        r->coordinate_size, r->row_size, r->Phi_size, r->stated_v};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(r);
}

void rescale_state(const rescaled *r, const keel_state *from, keel_state *to) {
    const keel_system *b = r->base;
    double T = r->in.time;
    to->t = from->t * T;
    for (int i = 0; i < b->n_q; i++)
        to->q[i] = from->q[i] * r->alpha_q[i];
    for (int j = 0; j < b->n_v; j++)
        to->v[j] = from->v[j] * r->alpha_v[j] / T;
    for (int k = 0; k < b->n_z; k++)
        to->z[k] = from->z[k];
    for (int k = 0; k < b->n_s; k++)
        to->s[k] = from->s[k];
    for (int i = 0; i < keel_system_m(b); i++)
        to->lambda[i] = from->lambda[i] * r->energy / r->beta[i];
}

void rescale_settings(const rescaled *r, keel_settings *settings) {
    double T = r->in.time;
    settings->until *= T;
    settings->step *= T;
    settings->first_step *= T;
    settings->max_step *= T;
    settings->output *= T;
}
