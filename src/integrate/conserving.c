/* The equations at the top of conserving.h. */
#include "integrate/conserving.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A displacement smaller than this part of h times the largest velocity so far, or of the coordinates: what
 * is left of kappa dq^T M dq may be round-off, which must not be divided by its square. The balance waits. */
static const double SMALL_VELOCITY = 1e-6, SMALL_DISPLACEMENT = 1e-8;

void ki_midstep_init(ki_midstep *s, ki_arena *arena, ki_dynamics *d, bool conserving) {
    int n_v = d->system->n_v;
    *s = (ki_midstep){.dynamics = d, .conserving = conserving};
    s->x = KI_NEW(arena, double, ki_midstep_unknowns(d));
    s->y_mid = KI_NEW(arena, double, d->n_y);
    s->y_end = KI_NEW(arena, double, d->n_y);
    s->a = KI_NEW(arena, double, n_v);
    s->r_D = KI_NEW(arena, double, n_v);
    s->u = KI_NEW(arena, double, n_v);
    s->M_u = KI_NEW(arena, double, n_v);
    s->r_C = KI_NEW(arena, double, d->m);
    s->driven = KI_NEW(arena, double, d->system->n_h);
    s->r_z = KI_NEW(arena, double, d->system->n_z);
}

void ki_midstep_know_momenta(ki_midstep *s, ki_arena *arena, double t, double t_end, const double *y) {
    if (s->conserving)
        ki_momenta_init(&s->momenta, arena, s->dynamics, t, t_end, y);
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

keel_status ki_midstep_begin(ki_midstep *s, double t, const double *y, double h) {
    ki_dynamics *d = s->dynamics;
    s->t = t, s->h = h, s->y = y;
    if (!s->conserving)
        return KEEL_OK;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_MASS | KEEL_ENERGY, t, y);
    s->E_start = d->at.energy;
    if (!status)
        ki_momenta_start(&s->momenta, t, y);
    s->fastest = fmax(s->fastest, square(d, y + d->system->n_q, s->M_u));
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
    unsigned what = (d->m ? (unsigned)KEEL_POSITION : 0u) | (sys->n_n ? (unsigned)KEEL_VELOCITY : 0u) |
                    (s->conserving ? (unsigned)KEEL_ENERGY : 0u);
    if (!status && what)
        status = ki_evaluate_terms(d, what, t, s->y_end);
    copy(s->r_C, d->at.Phi, sys->n_h);
    copy(s->r_C + sys->n_h, d->at.rate + sys->n_h, sys->n_n);
    s->E_end = d->at.energy;
    if (!status)
        ki_momenta_end(&s->momenta, t, s->y_end);
    return status;
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

/* X of the holonomic rows. */
static keel_status evaluate_drivers(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    int n_h = d->system->n_h;
    for (int end = 0; end < 2; end++) {
        double t = s->t + end * s->h;
        keel_status status = ki_solve_auxiliaries(d, t, s->y_mid);
        if (!status)
            status = ki_evaluate_terms(d, KEEL_POSITION, t, s->y_mid);
        if (status)
            return status;
        for (int k = 0; k < n_h; k++)
            s->driven[k] = end ? s->driven[k] - d->at.Phi[k] : d->at.Phi[k];
    }
    return KEEL_OK;
}

/* W */
static double work_of_step(const ki_midstep *s) {
    const ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    const double *L = ki_midstep_lambda(s), *v = s->y_mid + sys->n_q;
    double work = s->h * d->at.power;
    for (int k = 0; k < d->m && sys->has_drivers; k++) {
        double tau = -d->at.rate[k];
        for (int e = sys->J.start[k]; e < sys->J.start[k + 1]; e++)
            tau += d->at.J[e] * v[sys->J.index[e]];
        work -= L[k] * (k < sys->n_h ? s->driven[k] : s->h * tau);
    }
    return work;
}

/* kappa, and M u. r_D is r with the force that balances momenta. */
static double correction(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    const double *dq = s->x, *L = ki_midstep_lambda(s);
    double missing = s->E_end - s->E_start + s->owed - s->work - ki_dot(sys->n_v, dq, s->r_D);
    for (int k = 0; k < d->m; k++)
        missing += L[k] * s->r_C[k] * (k < sys->n_h ? 1 : 0.5 * s->h);
    double least = SMALL_VELOCITY * SMALL_VELOCITY * s->h * s->h * s->fastest;
    least = fmax(least, SMALL_DISPLACEMENT * SMALL_DISPLACEMENT * square(d, s->y, s->M_u));
    /* where all that moves is held by momenta, u is round-off of dq */
    least = fmax(least, SMALL_DISPLACEMENT * SMALL_DISPLACEMENT * square(d, dq, s->M_u));
    copy(s->u, dq, sys->n_v);
    ki_momenta_spare(&s->momenta, s->u);
    double length = fmax(square(d, s->u, s->M_u), least);
    return length > 0 ? missing / length : 0;
}

/* r = M a + J^T L - Q */
static void residual_of_motion(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    keel_pattern J = d->system->J;
    const double *L = ki_midstep_lambda(s);
    ki_mass_times(d, s->a, s->r_D);
    for (int i = 0; i < d->system->n_v; i++)
        s->r_D[i] -= d->at.Q[i];
    for (int k = 0; k < d->m; k++)
        for (int e = J.start[k]; e < J.start[k + 1]; e++)
            s->r_D[J.index[e]] += d->at.J[e] * L[k];
}

static void conserve(ki_midstep *s) {
    s->work = work_of_step(s);
    ki_momenta_balance(&s->momenta, s->t + 0.5 * s->h, s->h, s->y_mid, s->a, ki_midstep_lambda(s), s->r_D);
    double kappa = correction(s);
    ki_axpy(s->dynamics->system->n_v, kappa, s->M_u, s->r_D);
}

keel_status ki_midstep_evaluate(ki_midstep *s) {
    ki_dynamics *d = s->dynamics;
    const keel_system *sys = d->system;
    const double *z = s->y + sys->n_q + sys->n_v;
    ki_midstep_place(s);
    keel_status status = evaluate_end(s);
    if (!status && s->conserving && sys->has_drivers)
        status = evaluate_drivers(s);
    if (!status)
        status = evaluate_middle(s);
    if (status)
        return status;
    residual_of_motion(s);
    if (s->conserving)
        conserve(s);
    else
        s->work = s->h * ki_work_rate(d, ki_v(d, s->y_mid));
    for (int i = 0; i < sys->n_z; i++)
        s->r_z[i] = ki_midstep_z(s)[i] - z[i] - 0.5 * s->h * d->at.f[i];
    return KEEL_OK;
}

keel_status ki_midstep_end(ki_midstep *s, bool *again) {
    ki_dynamics *d = s->dynamics;
    double t = s->t + s->h;
    *again = false;
    if (!s->conserving)
        return KEEL_OK;
    s->work = work_of_step(s); /* the last correction has changed L */
    keel_status status = ki_solve_auxiliaries(d, t, s->y_end);
    bool constrained = d->m && s->momenta.kept;
    if (!status)
        status =
            ki_evaluate_terms(d, KEEL_ENERGY | (constrained ? (unsigned)KEEL_JACOBIAN : 0u), t, s->y_end);
    s->owed_next = s->owed + d->at.energy - s->E_start - s->work;
    *again = !status && constrained && !ki_momenta_confirm(&s->momenta, t, s->y_end);
    return status;
}
