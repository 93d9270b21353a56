/* Which outputs are not determined by the laws of motion alone.
 *
 * Where constraints depend on each other the multipliers are lambda + sum c_k y_k with J^T y_k = 0 and any c:
 * the motion is the same. An output that differs between lambda and lambda + y_k is as undetermined as they.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "run/events.h"

keel_status ki_keep_self_stresses(keel_simulation *sim, double *stress, int count) {
    int m = keel_system_m(sim->system), outputs = sim->system->n_outputs;
    if (count == 0 || outputs == 0)
        return KEEL_OK;
    sim->null_count = count;
    sim->null_space = stress;
    sim->output_shared = KI_NEW(&sim->arena, int, outputs);
    sim->shifted = KI_NEW(&sim->arena, double, m + outputs);
    ki_orthonormalize(count, m, stress, m, 0);
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_find_shared_outputs(keel_simulation *sim, const keel_point *at, const double *v_rate,
                                   const double *outputs) {
    const keel_system *sys = sim->system;
    int m = keel_system_m(sys);
    double *lambda = sim->shifted, *values = sim->shifted + m, size = 1;
    for (int i = 0; i < m; i++)
        size = fmax(size, fabs(at->lambda[i]));
    for (int k = 0; k < sim->null_count; k++) {
        for (int i = 0; i < m; i++)
            lambda[i] = at->lambda[i] + size * sim->null_space[k * m + i];
        keel_point moved = *at;
        moved.lambda = lambda;
        keel_status status = sys->outputs(sys, ki_work_of_all(sim), &moved, v_rate, values);
        if (status < 0)
            return status;
        for (int i = 0; i < sys->n_outputs; i++)
            sim->output_shared[i] |= fabs(values[i] - outputs[i]) > 1e-8 * size;
    }
    sim->null_space = NULL; /* asked once */
    return KEEL_OK;
}
