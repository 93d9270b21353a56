/* Every formulation with every stabiliser it takes, on the shipped models, as a Markdown table
 * (docs/comparison.md).
 *
 * Digits are those of q and v at the end time (-log10 of the largest error relative to the largest
 * component), against dop853/index1/projection at a tolerance of 1e-13. Violations are the largest over the
 * run, in the constraint's units. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "keel/keel.h"
#include "keel/modelfile.h"

/* The pendulum ends at its lowest point: at the turning points its velocity is zero. */
static const struct {
    const char *name;
    double until;
} MODELS[] = {{"pendulum", 9.5}, {"andrews", 0.03}, {"car_axis", 3}, {"snakeboard", 2}};
static const double TOLERANCE = 1e-8;

static double digits(const double *x, const double *reference, int n) {
    double error = 0, size = 0;
    for (int i = 0; i < n; i++) {
        error = fmax(error, fabs(x[i] - reference[i]));
        size = fmax(size, fabs(reference[i]));
    }
    return error > 0 ? -log10(error / size) : 16;
}

static keel_status run(const keel_model *model, keel_method method, double tolerance, keel_result *result) {
    keel_settings settings = model->settings;
    settings.method = method;
    settings.tolerance = tolerance;
    return keel_run(model->system, model->start, model->velocities_given, &settings, NULL, NULL, result);
}

static void print_row(const keel_model *model, keel_method method, const keel_state *reference) {
    const keel_system *sys = model->system;
    keel_result r;
    keel_status status = run(model, method, TOLERANCE, &r);
    printf("| %s / %s ", keel_formulation_word(method.formulation).name,
           keel_stabilize_word(method.stabilize).name);
    if (status)
        printf("| %s | | | | | | |\n", keel_status_text(status));
    else
        printf("| %.1f | %.1f | %.0e | %.0e | %.0e | %ld | %ld |\n",
               digits(r.final->q, reference->q, sys->n_q), digits(r.final->v, reference->v, sys->n_v),
               r.position.max, r.velocity.max, r.energy_drift_max, r.count.evaluations,
               r.count.factorizations);
    keel_result_clear(&r);
}

static int print_model(const char *folder, const char *name, double until) {
    char path[512];
    keel_status status;
    keel_result reference;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    keel_model *model = keel_model_read(path, NULL, 0, NULL, &status);
    if (!model) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    const char *reason;
    model->settings.until = until;
    status = run(model, keel_method_choose(1, &reason), 1e-13, &reference);
    printf("\n## %s, to t = %g\n\n", name, until);
    printf("| formulation / stabilize | digits q | digits v | position | velocity | energy drift | "
           "evaluations | "
           "factorizations |\n|---|---|---|---|---|---|---|---|\n");
    for (int f = 0; !status && f < KEEL_FORMULATIONS; f++)
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            keel_method method = {KEEL_DOP853, (keel_formulation)f, (keel_stabilize)s, 0};
            if (keel_method_is_valid(method))
                print_row(model, method, reference.final);
        }
    keel_result_clear(&reference);
    keel_model_free(model);
    return status != KEEL_OK;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        failed |= print_model(argc > 1 ? argv[1] : "models", MODELS[i].name, MODELS[i].until);
    return failed;
}
