#include "run/scales.h"

#include <math.h>
#include <string.h>

void ki_share_scales(keel_simulation *sim) {
    sim->aside->scales = sim->dynamics.scales;
}

/* Displacements of a reduction are not small where one of the full system is not: its size over what w_k = 1
 * makes of it. False where that cannot be told, in a pose that does not move. */
static bool displacements(keel_simulation *sim, double t, double *size) {
    const keel_reduction *r = sim->reduction;
    const ki_dynamics *all = sim->full;
    int n = r->system->n_v;
    double *w = sim->reduced_rows.b_v, *q = all->y_stage, *v = q + all->system->n_q, *v_0 = all->b_v;
    memset(w, 0, (size_t)n * sizeof *w);
    r->expand(r, sim->reduced_rows.work, t, sim->reduced_y, w, q, v_0);
    for (int k = 0; k < n; k++) {
        double most = 0;
        w[k] = 1;
        r->expand(r, sim->reduced_rows.work, t, sim->reduced_y, w, q, v);
        w[k] = 0;
        for (int j = 0; j < all->system->n_v; j++)
            most = fmax(most, fabs(v[j] - v_0[j]) / all->scales->move[j]);
        if (!(most > 0 && most < INFINITY))
            return false;
        size[k] = 1 / most;
    }
    return true;
}

void ki_find_run_scales(keel_simulation *sim, double t) {
    double duration = sim->settings.until - t;
    if (!sim->reduction) {
        ki_find_scales(sim->aside, t, sim->row_y, duration);
        return;
    }
    double *size = sim->reduced_rows.x;
    ki_find_scales(sim->full, t, sim->row_y, duration);
    bool known = displacements(sim, t, size);
    ki_find_scales_with(sim->aside, t, sim->reduced_y, duration, known ? size : NULL);
}

void ki_carry_scales(keel_simulation *sim, const ki_scales *from) {
    if (!from || sim->reduction)
        return;
    ki_copy_scales(sim->dynamics.scales, from, sim->active);
    ki_raise_scales(sim->dynamics.scales, sim->active, sim->row_y);
}
