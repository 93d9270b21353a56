/* Andrews' mechanism from its model file against hand-written C equations: same integrator, same kernel.
 *
 * Prints, for each tolerance, digits in q, steps, evaluations, and the least CPU time of several repetitions
 * of the whole integration; then the cost of one evaluation of M, Q, J, xi alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "andrews_by_hand.h"
#include "keel/keel.h"
#include "keel/modelfile.h"

static const double END[] = {15.810771195153707097,   -15.756371058411839470, 0.040822240119645804858,
                             -0.53473011634207959377, 0.52440996587995406937, 0.53473011634207959377,
                             1.0480807410419378731}; /* t = 0.03, quadruple precision */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double digits(const double *q) {
    double worst = 1e-17;
    for (int i = 0; i < 7; i++)
        worst = fmax(worst, fabs(q[i] / END[i] - 1));
    return -log10(worst);
}

/* Least time of `repeats` integrations, in milliseconds. */
static double time_run(const char *name, const keel_system *system, const keel_state *start, double tolerance,
                       int repeats) {
    keel_settings settings = keel_settings_default();
    settings.until = 0.03;
    settings.tolerance = tolerance;
    double least = INFINITY;
    for (int i = 0; i < repeats; i++) {
        keel_result result;
        double begin = now();
        keel_status status = keel_run(system, start, 1, &settings, NULL, NULL, &result);
        least = fmin(least, now() - begin);
        if (status) {
            fprintf(stderr, "%s failed: %s\n", name, keel_status_text(status));
            exit(1);
        }
        if (i == 0)
            printf("%-6s tol %.0e  digits %5.2f  steps %4ld  rejected %3ld  evaluations %5ld  factorizations "
                   "%5ld",
                   name, tolerance, digits(result.final->q), result.count.steps, result.count.rejected,
                   result.count.evaluations, result.count.factorizations);
        keel_result_clear(&result);
    }
    printf("  %.3f ms\n", 1e3 * least);
    return least;
}

/* Nanoseconds of one evaluation of M, J, Q, xi. */
static double time_evaluation(const keel_system *system, const keel_state *at, int count) {
    double values[64 * 4] = {0}, least = INFINITY;
    keel_terms terms = {.M = values, .J = values + 64, .Q = values + 128, .xi = values + 192};
    keel_point point = {.q = at->q, .v = at->v};
    void *work = NULL;
    if (system->work_new && system->work_new(system, &work))
        exit(1);
    for (int repeat = 0; repeat < 7; repeat++) {
        double begin = now();
        for (int i = 0; i < count; i++)
            system->evaluate(system, work, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES,
                             &point, &terms);
        least = fmin(least, now() - begin);
    }
    if (system->work_free)
        system->work_free(work);
    return 1e9 * least / count;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "models/andrews.yaml";
    int repeats = argc > 2 ? atoi(argv[2]) : 30;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
    if (!model) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    keel_system hand = andrews_by_hand();
    keel_state *start = keel_state_new(&hand);
    if (!start)
        return 1;
    andrews_start(start);
    static const double TOLERANCES[] = {1e-4, 1e-6, 1e-8, 1e-10};
    for (unsigned i = 0; i < sizeof TOLERANCES / sizeof *TOLERANCES; i++) {
        double by_hand = time_run("hand", &hand, start, TOLERANCES[i], repeats);
        double by_model = time_run("model", model->system, model->start, TOLERANCES[i], repeats);
        printf("       model / hand = %.2f\n", by_model / by_hand);
    }
    for (int i = 0; i < 7; i++)
        start->v[i] = model->start->v[i] = 0.1 * (i + 1);
    double by_hand = time_evaluation(&hand, start, 20000),
           by_model = time_evaluation(model->system, start, 20000);
    printf("one evaluation of M, J, Q, xi: hand %.0f ns, model %.0f ns, ratio %.2f\n", by_hand, by_model,
           by_model / by_hand);
    keel_state_free(start);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}
