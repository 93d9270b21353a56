/* gravity.c - the weight m g at the centre of mass; potential -m g . r. */
#include "mechanism/forces/force.h"

void ki_apply_gravity(const ki_mech *mech, ki_mech_work *w) {
    static const double AT_CENTRE[3] = {0, 0, 0};
    for (int b = 1; b < mech->body_count; b++) {
        double weight[3] = {0}, mass = mech->body[b].mass;
        ki_add_scaled(mass, mech->gravity, weight);
        if (mass > 0)
            ki_add_force(mech, w, b, AT_CENTRE, weight);
    }
    w->potential += ki_gravity_potential(mech, w);
}

double ki_gravity_potential(const ki_mech *mech, const ki_mech_work *w) {
    double potential = 0;
    int n = mech->d == KI_PLANAR ? 2 : 3;
    for (int b = 1; b < mech->body_count; b++)
        for (int i = 0; i < n; i++)
            potential -= mech->body[b].mass * mech->gravity[i] * w->state[b].r[i];
    return potential;
}
