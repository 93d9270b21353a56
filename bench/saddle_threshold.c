/* Where the sparse path begins to pay: factor + solve on both paths for systems of growing size, and the path
 * that KEEL_SADDLE_AUTO takes. The numbers in choose_path (src/linalg/saddle.c) come from here. */
#include <stdio.h>
#include <time.h>

#include "saddle_systems.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Best time of factor + solve in microseconds. */
static double cost(const saddle_system *system, keel_saddle_path path) {
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path;
    keel_saddle *K = keel_saddle_new(system->A, system->J, &settings);
    if (!K)
        return INFINITY;
    double best = INFINITY;
    for (int round = 0; round < 20; round++) {
        int repeats = 1 + 20000 / (system->A.rows * system->A.rows + 10);
        double start = seconds();
        for (int i = 0; i < repeats; i++) {
            keel_saddle_factor(K, system->A_values, system->J_values, NULL);
            keel_saddle_solve(K, system->r, system->s, system->x, system->y, NULL);
        }
        best = fmin(best, (seconds() - start) / repeats);
    }
    keel_saddle_free(K);
    return 1e6 * best;
}

static void compare(const char *name, int size, saddle_system system) {
    keel_saddle *K = keel_saddle_new(system.A, system.J, NULL);
    if (!K)
        return;
    double dense = cost(&system, KEEL_SADDLE_DENSE), sparse = cost(&system, KEEL_SADDLE_SPARSE);
    printf("%-12s %5d  n %5d  m %5d  dense %10.2f us  sparse %10.2f us  ratio %6.2f  auto: %s\n", name, size,
           system.A.rows, system.J.rows, dense, sparse, dense / sparse,
           keel_saddle_path_taken(K) == KEEL_SADDLE_SPARSE ? "sparse" : "dense");
    keel_saddle_free(K);
    saddle_system_clear(&system);
}

int main(void) {
    compare("andrews", 1, saddle_andrews());
    for (int bodies = 1; bodies <= 512; bodies += 1 + bodies / 3)
        compare("chain", bodies, saddle_chain(bodies, 1));
    for (int bodies = 4; bodies <= 128; bodies += 1 + bodies / 3)
        compare("shuffled", bodies, saddle_chain(bodies, bodies % 7 ? 7 : 5));
    for (int n = 4; n <= 128; n *= 2)
        compare("full A", n, saddle_full(n, n / 2));
    return 0;
}
