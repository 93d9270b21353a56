/* The tables of E. Eich's paper on coordinate projection (1993), recomputed, as a Markdown page
 * (docs/eich.md): table 3.1 (pendulum, with and without projection), the orders of theorem 3.2, and the drift
 * of the wheel set.
 *
 *     build/bench/bench_eich models > docs/eich.md        (make papers)
 *
 * The paper's code scales every error by the value of its variable: the absolute tolerance is a thousandth of
 * TOL here. The exact end state of the pendulum is its start (period 2 s); lambda of the paper is 2 L lambda
 * of the model, because its constraint is not divided by two. */
#include <math.h>
#include <string.h>

#include "papers.h"

/* As printed in the paper, put back together: TOL, projection, RES, dx, dy, dx', dy', dlambda. */
static const struct {
    double tolerance;
    const char *without, *with;
} PAPER[] = {
    {1e-3, "6.1e-2 | 5.6e-2 | 4.1e-1 | 1.3 | 2.9 | 1.4e1",
     "lost | 2.4e-8 | 2.2e-4 | 3.6e-5 | 1.6e-1 | 2.4e-2"},
    {1e-4, "lost | 9.7e-5 | 2.1e-5 | 2.9e-5 | 8.7e-2 | 7.9e-3",
     "5.9e-11 | 9.7e-9 | 1.4e-4 | 3.9e-6 | 2.8e-2 | 1.1e-3"},
    {1e-5, "lost | 2.4e-4 | 3.7e-4 | 3.9e-6 | 8.3e-3 | 5.0e-3",
     "2.1e-12 | 9.1e-12 | 4.5e-6 | 2.9e-9 | 5.7e-4 | 6.2e-5"},
    {1e-6, "2.9e-4 | 1.5e-4 | 2.0e-4 | 5.4e-6 | 1.4e-2 | 3.0e-3",
     "2.1e-14 | 1.3e-13 | 5.3e-7 | 7.2e-11 | 1.1e-4 | 7.3e-6"},
    {1e-7, "3.3e-5 | 1.7e-5 | 2.3e-5 | 3.3e-7 | 1.6e-3 | 3.1e-4",
     "3.3e-16 | 5.0e-15 | 9.8e-8 | 1.4e-12 | 1.6e-5 | 1.3e-6"},
    {1e-8, NULL, NULL},
    {1e-9, NULL, NULL},
};

static void print_pendulum_row(const keel_model *model, double tolerance, const char *word,
                               const char *paper) {
    char text[64];
    keel_settings settings = model->settings;
    snprintf(text, sizeof text, "bdf/index1/%s", strcmp(word, "yes") == 0 ? "projection" : "none");
    settings.method = method_of(text);
    settings.until = 100;
    settings.tolerance = tolerance;
    settings.absolute_tolerance = 1e-3 * tolerance;
    keel_result r = run(model, &settings, NULL);
    const keel_state *end = r.final;
    printf("| %.0e | %s | Keel | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e | %ld | %ld | %.2f |\n", tolerance,
           word, r.position.max, fabs(end->q[0] - 1), fabs(end->q[1]), fabs(end->v[0]), fabs(end->v[1]),
           2 * fabs(end->lambda[0]), r.count.steps, r.count.evaluations,
           (double)r.count.factorizations / (double)r.count.steps);
    if (paper)
        printf("| %.0e | %s | paper | %s | | | |\n", tolerance, word, paper);
    keel_result_clear(&r);
}

static void print_pendulum(const char *folder) {
    keel_model *model = read_model(folder, "pendulum");
    printf("## Table 3.1: pendulum over 100 s, 50 periods\n\n"
           "Absolute errors at t = 100 of `bdf/index1/none` and `bdf/index1/projection`; RES is the "
           "largest |x^2 + y^2 - 1| of the run (the paper: at the end).\n\n"
           "| TOL | projection | code | RES | dx | dy | dx' | dy' | dlambda | steps | evaluations | "
           "factorizations a step |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < sizeof PAPER / sizeof *PAPER; i++) {
        print_pendulum_row(model, PAPER[i].tolerance, "no", PAPER[i].without);
        print_pendulum_row(model, PAPER[i].tolerance, "yes", PAPER[i].with);
    }
    keel_model_free(model);
}

/* Distance of the end states in (q, v). */
static double distance(const keel_system *sys, const keel_state *a, const keel_state *b) {
    double sum = 0;
    for (int i = 0; i < sys->n_q; i++)
        sum += (a->q[i] - b->q[i]) * (a->q[i] - b->q[i]);
    for (int i = 0; i < sys->n_v; i++)
        sum += (a->v[i] - b->v[i]) * (a->v[i] - b->v[i]);
    return sqrt(sum);
}

/* Numbers of steps for each order: fine enough to show it, coarse enough to stay above round-off. */
static const int STEPS[] = {25600, 6400, 3200, 1600, 800, 400};

static void print_orders(const char *folder) {
    /* independent recomputation */
    static const double ORDERS_MEASURED[] = {0.98, 1.99, 3.00, 3.98, 5.01, 5.95};
    keel_model *model = read_model(folder, "pendulum");
    keel_settings settings = model->settings;
    settings.until = 1.6;
    settings.method = method_of("dop853/index1/projection");
    settings.tolerance = settings.absolute_tolerance = 1e-14;
    keel_result reference = run(model, &settings, NULL);
    settings.method = method_of("bdf-fixed/index1/projection");
    printf("\n"
           "## Theorem 3.2: the k-step method with projection keeps its order\n\n"
           "`bdf-fixed/index1/projection`, pendulum to t = 1.6, error of (x, y, x', y') for n and "
           "2n steps.\n\n"
           "| k | n | error, n steps | error, 2n steps | order | independent recomputation |\n"
           "|---|---|---|---|---|---|\n");
    for (int k = 1; k <= 6; k++) {
        double error[2];
        settings.order = k;
        for (int i = 0; i < 2; i++) {
            settings.step = settings.until / (STEPS[k - 1] * (i + 1));
            keel_result r = run(model, &settings, NULL);
            error[i] = distance(model->system, r.final, reference.final);
            keel_result_clear(&r);
        }
        printf("| %d | %d | %.3e | %.3e | %.2f | %.2f |\n", k, STEPS[k - 1], error[0], error[1],
               log2(error[0] / error[1]), ORDERS_MEASURED[k - 1]);
    }
    keel_result_clear(&reference);
    keel_model_free(model);
}

static void print_wheelset(const char *folder) {
    keel_model *model = read_model(folder, "wheelset");
    printf("\n"
           "## The wheel set over 10 s\n\n"
           "Largest distance between wheel and rail at the contact points, in metres. A step may "
           "use a tenth of the tolerance, so that 1e-2 here is a TOL of 1e-3 to a code that allows "
           "it for every step.\n\n"
           "| tolerance | bdf, none | ida, none | dopri5, none | dop853, none | bdf, projection | "
           "dop853, projection |\n"
           "|---|---|---|---|---|---|---|\n");
    for (double tolerance = 1e-2; tolerance > 5e-7; tolerance /= 10) {
        static const char *const METHODS[] = {"bdf/index1/none",       "ida/index1/none",
                                              "dopri5/index1/none",    "dop853/index1/none",
                                              "bdf/index1/projection", "dop853/index1/projection"};
        printf("| %.0e |", tolerance);
        for (unsigned i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
            keel_settings settings = model->settings;
            settings.method = method_of(METHODS[i]);
            settings.tolerance = tolerance;
            keel_result r = run(model, &settings, NULL);
            printf(" %.1e |", r.position.max);
            keel_result_clear(&r);
        }
        printf("\n");
    }
    keel_model_free(model);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "models";
    printf("# Coordinate projection with BDF: the tables of Eich (1993), recomputed\n\n"
           "Written by `make papers`. The method is described in [bdf.md](bdf.md), the wheel set in "
           "[testset.md](testset.md).\n\n"
           "The paper's code scales every error by the value of its variable; the runs here take "
           "TOL as relative and TOL/1000 as absolute tolerance. Its absolute errors depend on that "
           "code's error control and are not expected to be met; what the paper claims is: RES at "
           "round-off with projection at every TOL, and smaller errors with it.\n\n");
    print_pendulum(folder);
    print_orders(folder);
    print_wheelset(folder);
    return 0;
}
