/* Cost of large sparse systems: an open chain of planar bodies.
 *
 *     saddle_chain BODIES [REPEATS]
 *
 * analyses once, then factors and solves REPEATS times. The difference between runs with different REPEATS is
 * the cost of factor + solve alone (tests/check_linear_cost.sh). */
#include <stdio.h>

#include "saddle_systems.h"

int main(int argc, char **argv) {
    int bodies = argc > 1 ? atoi(argv[1]) : 1000, repeats = argc > 2 ? atoi(argv[2]) : 1;
    saddle_system system = saddle_chain(bodies, 1);
    keel_saddle *K = keel_saddle_new(system.A, system.J, NULL);
    if (!K)
        return 1;
    keel_saddle_info info = {0};
    keel_status status = KEEL_OK;
    for (int i = 0; i < repeats && status == KEEL_OK; i++) {
        status = keel_saddle_factor(K, system.A_values, system.J_values, NULL);
        if (status == KEEL_OK)
            status = keel_saddle_solve(K, system.r, system.s, system.x, system.y, &info);
    }
    printf("%d bodies, %s path, %ld entries in the factor, residual %.1e after %d refinements\n", bodies,
           keel_saddle_path_taken(K) == KEEL_SADDLE_SPARSE ? "sparse" : "dense",
           keel_saddle_factor_entries(K), info.residual, info.refinements);
    keel_saddle_free(K);
    saddle_system_clear(&system);
    return status == KEEL_OK ? 0 : 1;
}
