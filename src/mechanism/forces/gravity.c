/* gravity.c - the potential -m g . r of the weights. Their wrenches: ki_body_wrenches. */
#include "mechanism/forces/force.h"

double ki_gravity_potential(const ki_mech *mech, const ki_mech_work *w) {
    double potential = 0;
    int n = mech->d == KI_PLANAR ? 2 : 3;
    for (int b = 1; b < mech->body_count; b++)
        for (int i = 0; i < n; i++)
            potential -= mech->body[b].mass * mech->gravity[i] * w->state[b].r[i];
    return potential;
}
