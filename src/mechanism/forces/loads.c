/* loads.c - the laws of force elements over doubles. */
#include "mechanism/forces/force.h"
#include "mechanism/joints/law_numbers.h"

#define ELEMENT ki_force
#define LOAD    ki_load

#include "mechanism/generated/forces.inc"

typedef void law(const ki_state *s0, const ki_state *s1, const ki_force *force, const double *f,
                 ki_load *load);

void ki_force_load(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, const double f[3],
                   ki_load *load) {
    static law *const PUSH[2][2] = {{planar_push, planar_push_in_body}, {spatial_push, spatial_push_in_body}};
    static law *const TWIST[2][2] = {{planar_twist, planar_twist_in_body},
                                     {spatial_twist, spatial_twist_in_body}};
    static law *const BUSHING[2] = {planar_bushing, spatial_bushing};
    int space = mech->d == KI_SPATIAL;
    law *of = scalar_resistance;
    if (force->kind == KEEL_FORCE_PUSH)
        of = PUSH[space][force->in_body_axes];
    else if (force->kind == KEEL_FORCE_TWIST)
        of = TWIST[space][force->in_body_axes];
    else if (force->kind == KEEL_FORCE_BUSHING)
        of = BUSHING[space];
    of(&w->state[force->body[0]], &w->state[force->body[1]], force, f, load);
}

void ki_add_load(const ki_mech *mech, ki_mech_work *w, const ki_force *force, const ki_load *load) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < mech->d; i++)
            w->wrench[force->body[k]][i] += load->w[k][i];
    w->power += load->power;
    w->potential += load->potential;
}
