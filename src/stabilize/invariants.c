#include "stabilize/invariants.h"

#include <math.h>
#include <string.h>

/* A rate of change above this, relative to its terms, is not round-off; with differences in t among them the
 * terms themselves are known to about 1e-6 only. */
static const double LARGEST_RATE = 1e-6, LARGEST_RATE_IN_TIME = 1e-4;

/* Velocities and accelerations this far below the largest may be round-off of forces in balance. */
static const double NOISE = 1e-6;

static keel_status evaluate(ki_dynamics *d, double t, const double *y) {
    keel_status status = ki_solve_auxiliaries(d, t, y);
    return status ? status : ki_evaluate_terms(d, KEEL_INVARIANTS, t, y);
}

keel_status ki_set_invariants(ki_dynamics *d, double t, const double *y) {
    int n_i = d->system->n_i, i = 0;
    if (n_i == 0)
        return KEEL_OK;
    keel_status status = evaluate(d, t, y);
    if (status)
        return status;
    if (!ki_all_finite(d->at.invariant, n_i, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_KEEPING, t, i, d->at.invariant[i]);
    memcpy(d->invariant_start, d->at.invariant, (size_t)n_i * sizeof(double));
    d->invariants_known = true;
    return KEEL_OK;
}

/* (I(t + h) - I(t - h)) / 2h with q, v, z held; into d->invariant_error */
static keel_status difference(ki_dynamics *d, double t, double h, const double *y) {
    size_t size = (size_t)d->system->n_i * sizeof(double);
    keel_status status = evaluate(d, t + h, y);
    memcpy(d->invariant_error, d->at.invariant, size);
    if (!status)
        status = evaluate(d, t - h, y);
    for (int i = 0; i < d->system->n_i; i++)
        d->invariant_error[i] = (d->invariant_error[i] - d->at.invariant[i]) / (2 * h);
    return status;
}

/* I_t of every invariant into d->invariant_t: differences over shorter and shorter times, until two agree.
 * NaN where none do. */
static keel_status time_derivatives(ki_dynamics *d, double t, const double *y) {
    static const double AGREEMENT = 1e-4, LONGEST = 1e-2,
                        SHORTEST = 1e-9; /* in the time scale of the motion */
    double *I_t = d->invariant_t, *now = d->invariant_error, *before = d->invariant_size;
    int n_i = d->system->n_i, open = n_i;
    double T = 1 / d->scales->rate;
    for (int i = 0; i < n_i; i++)
        I_t[i] = before[i] = NAN;
    for (double h = LONGEST; open && h > SHORTEST; h /= 10) {
        keel_status status = difference(d, t, h * T, y);
        if (status)
            return status;
        for (int i = 0; i < n_i; i++) {
            if (isnan(I_t[i]) && fabs(now[i] - before[i]) <= AGREEMENT * fabs(now[i])) {
                I_t[i] = now[i];
                open--;
            }
            before[i] = now[i];
        }
    }
    return KEEL_OK;
}

/* The largest acceleration, or what forces alone would make of it, in displacements of natural size. */
static double acceleration_size(const ki_dynamics *d, const double *v_rate) {
    keel_pattern P = d->system->M;
    double most = 0;
    for (int i = 0; i < P.rows; i++) {
        double mass = d->at.M[P.start[i + 1] - 1];
        double size = d->scales->move[i];
        most = fmax(most, fabs(v_rate[i]) / size);
        if (mass > 0)
            most = fmax(most, fabs(d->at.Q[i]) / mass / size);
    }
    return most;
}

/* I_q v + I_v v' + I_z z' of invariant i, and the sum of the magnitudes of its terms. */
static void rate_of_change(const ki_dynamics *d, const double *v, const double *v_rate, int i, double *rate,
                           double *terms) {
    keel_pattern P = d->system->invariant_y;
    int n_v = d->system->n_v;
    double least[] = {0, NOISE * acceleration_size(d, v_rate), 0};
    for (int j = 0; j < n_v; j++)
        least[0] = fmax(least[0], NOISE * fabs(v[j]) / d->scales->move[j]);
    *rate = *terms = 0;
    for (int k = P.start[i]; k < P.start[i + 1]; k++) {
        int j = P.index[k], block = j < n_v ? 0 : j < 2 * n_v ? 1 : 2;
        double change = block ? v_rate[j - n_v] : v[j]; /* z' follows v' */
        *rate += d->at.invariant_y[k] * change;
        double size = block < 2 ? d->scales->move[j - block * n_v] : 0;
        *terms += fabs(d->at.invariant_y[k]) * fmax(fabs(change), least[block] * size);
    }
}

keel_status ki_check_invariants(ki_dynamics *d, double t, const double *y, const double *k) {
    const double *v = y + d->system->n_q, *v_rate = k + d->system->n_q;
    if (d->system->n_i == 0)
        return KEEL_OK;
    keel_status status = time_derivatives(d, t, y);
    if (!status)
        status = evaluate(d, t, y);
    for (int i = 0; !status && i < d->system->n_i; i++) {
        double rate, terms, I_t = d->invariant_t[i];
        rate_of_change(d, v, v_rate, i, &rate, &terms);
        terms += fabs(I_t);
        rate += I_t;
        if (isnan(I_t) || fabs(rate) <= (I_t == 0 ? LARGEST_RATE : LARGEST_RATE_IN_TIME) * terms)
            continue;
        status = ki_trouble_at(d, KEEL_ERROR_INPUT, KI_TROUBLE_INVARIANT, t, i, rate);
        d->trouble.size = terms;
    }
    return status;
}
