/* Andrews' mechanism from its model file against hand-written C equations: same integrator, same kernel.
 *
 * Prints, for each tolerance, digits in q, steps, evaluations, and the least CPU time of several repetitions
 * of the whole integration, the model on its tape and as machine code; then the parts of one stage
 * (andrews_stage.c).
 *
 *     bench_andrews [MODEL [REPEATS [hand|tape|native|straight]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "andrews_by_hand.h"
#include "andrews_stage.h"
#include "keel/keel.h"
#include "keel/modelfile.h"
#include "keel/native.h"

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
    settings.code = KEEL_CODE_TAPE; /* shortened formulas, and machine code where it is attached */
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

/* The same whole integration by hand, tape and machine code. */
static void time_runs(const keel_system *hand, keel_model *model, keel_native *native, int repeats) {
    static const double TOLERANCES[] = {1e-4, 1e-6, 1e-8, 1e-10};
    for (unsigned i = 0; i < sizeof TOLERANCES / sizeof *TOLERANCES; i++) {
        double by_hand = time_run("hand", hand, model->start, TOLERANCES[i], repeats);
        double by_model =
            time_run(native ? "native" : "tape", model->system, model->start, TOLERANCES[i], repeats);
        printf("       model / hand = %.2f\n", by_model / by_hand);
    }
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
    if (argc > 3) { /* one contender of the stage, for a profiler */
        andrews_one_stage(&hand, model, argv[3], repeats);
    } else {
        time_runs(&hand, model, NULL, repeats);
        keel_native *native = keel_native_attach(model->system, NULL, messages);
        if (native && keel_native_compile(native, 1) == KEEL_NATIVE_READY)
            time_runs(&hand, model, native, repeats);
        keel_native_detach(native);
        andrews_stages(&hand, model);
    }
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}
