/* Cost of one factorization and of one solve for a system of the size of Andrews' mechanism.
 *
 *     saddle_small [REPEATS [dense|sparse]]
 *
 * prints nanoseconds (best of ten rounds). For instructions run it under `valgrind --tool=callgrind`. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "saddle_systems.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    int repeats = argc > 1 ? atoi(argv[1]) : 100000;
    keel_saddle_settings settings = keel_saddle_settings_default();
    if (argc > 2)
        settings.path = strcmp(argv[2], "sparse") == 0 ? KEEL_SADDLE_SPARSE : KEEL_SADDLE_DENSE;
    saddle_system system = saddle_andrews();
    keel_saddle *K = keel_saddle_new(system.A, system.J, &settings);
    if (!K)
        return 1;
    keel_saddle_info info = {0};
    double factor = 1e9, solve = 1e9;
    for (int round = 0; round < 10; round++) {
        double start = seconds();
        for (int i = 0; i < repeats; i++)
            keel_saddle_factor(K, system.A_values, system.J_values, NULL);
        double middle = seconds();
        for (int i = 0; i < repeats; i++)
            keel_saddle_solve(K, system.r, system.s, system.x, system.y, &info);
        double end = seconds();
        factor = fmin(factor, (middle - start) / repeats);
        solve = fmin(solve, (end - middle) / repeats);
    }
    printf("factor %.0f ns, solve %.0f ns, residual %.1e after %d refinements\n", 1e9 * factor, 1e9 * solve,
           info.residual, info.refinements);
    keel_saddle_free(K);
    saddle_system_clear(&system);
    return 0;
}
