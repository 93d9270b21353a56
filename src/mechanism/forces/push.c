/* push.c - a force F on a point p of body 1, and its reaction at the same place on body 0.
 *
 *     power = F . (v_1(p) - v_0(p))
 */
#include "mechanism/forces/force.h"

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    return ki_formula_compile(names, mech, description->component, 3, NULL, 0, KI_FOR_FORCE, diagnostics,
                              &force->law);
}

static void apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    const ki_state *s1 = &w->state[force->body[1]];
    double f[3], F[3], place[3], velocity[2][3];
    ki_formula_run(mech, w, &force->law, 0, NULL, t, f);
    if (mech->d == KI_PLANAR)
        f[2] = 0;
    if (force->in_body_axes)
        ki_rotate(s1->R, f, F);
    else
        ki_copy3(f, F);
    ki_rotate(s1->R, force->r[1], place);
    ki_add_scaled(1, s1->r, place);
    ki_apply_pair(mech, w, force->body, place, F);
    for (int k = 0; k < 2; k++)
        ki_velocity_at(mech, &w->state[force->body[k]], place, velocity[k]);
    w->power += ki_dot3(F, velocity[1]) - ki_dot3(F, velocity[0]);
}

const ki_force_type ki_push = {compile, apply, NULL};
