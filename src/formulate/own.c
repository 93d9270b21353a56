#include "formulate/own.h"

#include <string.h>

bool ki_may_accelerate(const ki_dynamics *d) {
    const keel_system *sys = d->system;
    return sys->accelerate && d->law->formulation == KEEL_INDEX1 && !d->law->baumgarte && !d->redundant &&
           !sys->n_s && !sys->n_z && !sys->kinematics && !sys->has_drivers;
}

bool ki_may_constrain(const ki_dynamics *d) {
    const keel_system *sys = d->system;
    return sys->own.constrain && ki_may_accelerate(d) && sys->n_h && !sys->n_n && !d->law->joint &&
           d->P == d->K && !d->relaxed && !d->step_metric.solve;
}

bool ki_own_is_at(const ki_dynamics *d, const double *y) {
    return d->own_factored && memcmp(y, d->own_q, (size_t)d->system->n_q * sizeof *y) == 0;
}

void ki_own_note(ki_dynamics *d, const double *y) {
    d->own_count++;
    d->own_factored = true;
    d->factored = false;
    memcpy(d->own_q, y, (size_t)d->system->n_q * sizeof *y);
}

bool ki_own_factor(ki_dynamics *d, const double *y) {
    if (ki_own_is_at(d, y))
        return true;
    d->own_factored = false;
    if (!d->system->own.factor(d->system, d->work, y))
        return false;
    ki_own_note(d, y);
    return true;
}

double ki_own_gap(ki_dynamics *d, const double *y) {
    if (!ki_own_is_at(d, y)) {
        d->own_factored = false;
        d->system->own.factor(d->system, d->work, y);
    }
    return d->system->own.gap(d->system, d->work);
}
