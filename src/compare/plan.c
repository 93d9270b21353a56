/* plan.c - what is compared when the caller leaves it open. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/internal.h"

keel_comparison_plan keel_comparison_plan_default(void) {
    return (keel_comparison_plan){.threads = 1};
}

const char *keel_comparison_label(keel_method method, char buffer[64]) {
    if (!buffer)
        return "";
    if (!method.automatic)
        return keel_method_text(method, buffer);
    snprintf(buffer, 64, "auto");
    return buffer;
}

/* Without constraints and invariants all formulations and stabilisers do the same. */
static bool is_worth_it(keel_method m, bool nothing_to_keep) {
    if (!nothing_to_keep)
        return true;
    int first = 0;
    while (!keel_integrator_takes(m.integrator, (keel_formulation)first))
        first++;
    return m.stabilize == KEEL_STABILIZE_NONE && (int)m.formulation == first;
}

keel_method *ki_all_methods(const keel_system *system, int *count) {
    size_t most = (size_t)KEEL_INTEGRATORS * KEEL_FORMULATIONS * KEEL_STABILIZERS + 1;
    bool nothing_to_keep = keel_system_m(system) + system->n_i == 0;
    keel_method *methods = calloc(most, sizeof *methods);
    *count = 0;
    if (methods)
        methods[(*count)++] = keel_method_auto();
    for (int i = 0; methods && i < KEEL_INTEGRATORS; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++)
            for (int s = 0; s < KEEL_STABILIZERS; s++) {
                keel_method m = {(keel_integrator)i, (keel_formulation)f, (keel_stabilize)s, 0};
                if (keel_method_is_valid(m) && is_worth_it(m, nothing_to_keep))
                    methods[(*count)++] = m;
            }
    return methods;
}

/* The coarsest default step is not shorter than this part of a run: on stiff systems the steps of an explicit
 * reference tell of stability, not of accuracy. */
#define SHORTEST 2e-4

void ki_default_steps(double mean, double span, double spacing, double steps[3]) {
    double coarse = fmax(mean, SHORTEST * span);
    for (int k = 0; k < 3; k++) {
        double wanted = ldexp(coarse, -2 * k);
        steps[k] = wanted < spacing ? spacing / ceil(spacing / wanted) : spacing * floor(wanted / spacing);
    }
}

bool ki_takes_steps(keel_method method, const keel_comparison_plan *plan) {
    if (!keel_integrator_is_adaptive(method.integrator))
        return true;
    return keel_integrator_takes_step(method.integrator) && plan->step_count > 0 &&
           plan->tolerance_count == 0;
}
