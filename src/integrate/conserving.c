/* The equations at the top of conserving.h. */
#include "integrate/conserving.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A displacement smaller than this part of h times the largest velocity so far, or of the coordinates: all
 * that is left of the brackets of kappa is round-off, which must not be divided by its square. */
static const double SMALL_VELOCITY = 1e-4, SMALL_DISPLACEMENT = 1e-8;

void ki_midstep_init(ki_midstep *s, ki_arena *arena, ki_dynamics *d, bool conserving) {
    int n_v = d->system->n_v;
    *s = (ki_midstep){.dynamics = d, .conserving = conserving};
    s->x = KI_NEW(arena, double, ki_midstep_unknowns(d));
    s->y_mid = KI_NEW(arena, double, d->n_y);
    s->y_end = KI_NEW(arena, double, d->n_y);
    s->y_rest = KI_NEW(arena, double, d->n_y);
    s->a = KI_NEW(arena, double, n_v);
    s->r_D = KI_NEW(arena, double, n_v);
    s->M_dq = KI_NEW(arena, double, n_v);
    s->r_C = KI_NEW(arena, double, d->m);
    s->r_z = KI_NEW(arena, double, d->system->n_z);
    s->Phi_start = KI_NEW(arena, double, d->system->n_h);
}

static void copy(double *to, const double *from, int count) {
    if (count)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* x^T M x with the M of d->at */
static double square(ki_dynamics *d, const double *x, double *Mx) {
    ki_mass_times(d, x, Mx);
    return ki_dot(d->system->n_v, x, Mx);
}

/* V: the energy at rest, with the auxiliaries at hand. */
static keel_status potential(ki_midstep *s, double t, const double *y, double *V) {
    ki_dynamics *d = s->dynamics;
    copy(s->y_rest, y, d->n_y);
    memset(ki_v(d, s->y_rest), 0, (size_t)d->system->n_v * sizeof(double));
    keel_status status = ki_evaluate_terms(d, KEEL_ENERGY, t, s->y_rest);
    *V = d->at.energy;
    return status;
}

keel_status ki_midstep_begin(ki_midstep *s, double t, const double *y, double h) {
    ki_dynamics *d = s->dynamics;
    s->t = t, s->h = h, s->y = y;
    if (!s->conserving)
        return KEEL_OK;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_POSITION, t, y);
    copy(s->Phi_start, d->at.Phi, d->system->n_h);
    if (!status)
        status = potential(s, t, y, &s->V_start);
    s->fastest = fmax(s->fastest, square(d, y + d->system->n_q, s->M_dq));
    return status;
}

void ki_midstep_place(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    const double *dq = s->x, *z_mid = ki_midstep_z(s), *v = s->y + sys->n_q, *z = v + sys->n_v;
    copy(s->y_mid, s->y, d->n_y);
    copy(s->y_end, s->y, d->n_y);
    ki_move(d, s->y_end, dq);
    for (int i = 0; i < sys->n_v; i++) {
        double v_mid = dq[i] / s->h;
        s->a[i] = dq[i] / 2; /* for the moment the way to the middle */
        ki_v(d, s->y_mid)[i] = v_mid;
        ki_v(d, s->y_end)[i] = 2 * v_mid - v[i];
    }
    ki_move(d, s->y_mid, s->a);
    for (int i = 0; i < sys->n_v; i++)
        s->a[i] = (ki_v(d, s->y_end)[i] - v[i]) / s->h;
    for (int i = 0; i < sys->n_z; i++) {
        ki_z(d, s->y_mid)[i] = z_mid[i];
        ki_z(d, s->y_end)[i] = 2 * z_mid[i] - z[i];
    }
}

static keel_status evaluate_end(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    double t = s->t + s->h;
    keel_status status = ki_solve_auxiliaries(d, t, s->y_end);
    if (!status && d->m)
        status = ki_evaluate_terms(d, KEEL_POSITION | (sys->n_n ? KEEL_VELOCITY : 0u), t, s->y_end);
    if (status)
        return status;
    copy(s->r_C, d->at.Phi, sys->n_h);
    copy(s->r_C + sys->n_h, d->at.rate + sys->n_h, sys->n_n);
    return s->conserving ? potential(s, t, s->y_end, &s->V_end) : KEEL_OK;
}

static keel_status evaluate_middle(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    double t = s->t + 0.5 * s->h;
    unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | (sys->n_z ? KEEL_STATES : 0u);
    if (sys->has_energy)
        what |= KEEL_POWER | (sys->has_drivers || s->conserving ? KEEL_VELOCITY : 0u);
    int i = 0;
    d->factored = false;
    d->evaluations++;
    copy(d->lambda, ki_midstep_lambda(s), d->m);
    keel_status status = ki_solve_auxiliaries(d, t, s->y_mid);
    if (!status)
        status = ki_evaluate_terms(d, what, t, s->y_mid);
    if (!status && !ki_all_finite(d->at.Q, sys->n_v, &i))
        status = ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, i, d->at.Q[i]);
    return status ? status : ki_check_states(d, t);
}

/* kappa, and M dq */
static double correction(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    const double *dq = s->x, *L = ki_midstep_lambda(s), *v_mid = ki_v(d, s->y_mid);
    double V_rate = d->at.power - ki_dot(sys->n_v, d->at.Q, v_mid);
    double missing = s->V_end - s->V_start - s->h * V_rate;
    for (int k = 0; k < sys->n_h; k++)
        missing += L[k] * (s->r_C[k] - s->Phi_start[k] - s->h * d->at.rate[k]);
    double least = SMALL_VELOCITY * SMALL_VELOCITY * s->h * s->h * s->fastest;
    least = fmax(least, SMALL_DISPLACEMENT * SMALL_DISPLACEMENT * square(d, s->y, s->M_dq));
    double length = fmax(square(d, dq, s->M_dq), least);
    return length > 0 ? missing / length : 0;
}

keel_status ki_midstep_evaluate(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    const double *L = ki_midstep_lambda(s), *z = s->y + sys->n_q + sys->n_v;
    ki_midstep_place(s);
    keel_status status = evaluate_end(s);
    if (!status)
        status = evaluate_middle(s);
    if (status)
        return status;
    s->work = s->h * ki_work_rate(d, ki_v(d, s->y_mid));
    double kappa = s->conserving ? correction(s) : 0;
    ki_mass_times(d, s->a, s->r_D);
    for (int i = 0; i < sys->n_v; i++)
        s->r_D[i] += kappa * s->M_dq[i] - d->at.Q[i];
    for (int k = 0; k < d->m; k++)
        for (int e = sys->J.start[k]; e < sys->J.start[k + 1]; e++)
            s->r_D[sys->J.index[e]] += d->at.J[e] * L[k];
    for (int i = 0; i < sys->n_z; i++)
        s->r_z[i] = ki_midstep_z(s)[i] - z[i] - 0.5 * s->h * d->at.f[i];
    return KEEL_OK;
}
