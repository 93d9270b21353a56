/* The experiment of C. L. Bottasso, D. Dopico and L. Trainelli's paper on scaling index-3 equations (2007),
 * recomputed: Andrews' mechanism, one step of size h from the state of t = 0.01, for h = 1e-3 ... 1e-10 and
 * the scalings none, right (of the unknowns) and both (of unknowns and equations); and the orders of the
 * schemes.
 *
 *     build/bench/bench_bottasso models > docs/bottasso.md        (make papers)
 *     build/bench/bench_bottasso models IMAGES                    also IMAGES/condition.svg, multipliers.svg
 *
 * The text of the paper has lost its figures, and beta and gamma; the slopes are its claim. The values to
 * compare with are from a recomputation independent of Keel. */
#include <math.h>
#include <string.h>

#include "papers.h"
#include "plot.h"

enum { STEPS = 8, STATES = 16 };

static const double H[STEPS] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
enum { FIT_FROM = 2 }; /* slopes are fitted over h = 1e-5 ... 1e-10 */

static const char *const SCHEMES[] = {"newmark", "hht", "generalized-alpha"};
enum { SCHEME_COUNT = 3 };

static const struct {
    const char *label;
    int scaling, reference_mass;
} SCALINGS[] = {
    {"none", KEEL_SCALING_NONE, KEEL_NO},        {"right", KEEL_SCALING_RIGHT, KEEL_NO},
    {"both", KEEL_SCALING_BOTH, KEEL_NO},        {"right, mass", KEEL_SCALING_RIGHT, KEEL_YES},
    {"both, mass", KEEL_SCALING_BOTH, KEEL_YES},
};
enum { SCALING_COUNT = 5 };

typedef enum quantity { CONDITION, CORRECTION_LAMBDA, CORRECTION_Q, QUANTITIES } quantity;

static const char *const QUANTITY_NAMES[QUANTITIES] = {
    "condition number", "last correction of the multipliers", "last correction of the displacements"};

/* One scheme with one scaling, over the step sizes. */
typedef struct curve {
    double value[QUANTITIES][STEPS];
} curve;

typedef struct experiment {
    keel_model *model;
    keel_state *states[STATES]; /* at t = 0.01 and a little later */
    keel_result runs[STATES];   /* which own them */
    curve curves[SCHEME_COUNT][SCALING_COUNT];
} experiment;

/* Settings of an accurate run to time t. */
static keel_settings accurate(const keel_model *model, double t) {
    keel_settings settings = model->settings;
    settings.method = method_of("dop853/index1/projection");
    settings.tolerance = settings.absolute_tolerance = 1e-13;
    settings.until = t;
    settings.output = 0;
    return settings;
}

/* States at 0.01, 0.01005, ..., on which round-off acts differently. */
static void find_states(experiment *e) {
    for (int k = 0; k < STATES; k++) {
        keel_settings settings = accurate(e->model, 0.01 + 5e-5 * k);
        e->runs[k] = run(e->model, &settings, NULL);
        e->states[k] = e->runs[k].final;
    }
}

/* Settings for one step of size h from the state, with new matrices in every iteration. */
static keel_settings one_step(const experiment *e, const keel_state *state, int scheme, int scaling,
                              double h) {
    char text[64];
    keel_settings settings = e->model->settings;
    snprintf(text, sizeof text, "%s/index3/none", SCHEMES[scheme]);
    settings.method = method_of(text);
    settings.until = state->t + h;
    settings.step = settings.until - state->t; /* h but for round-off, so that it is one step */
    settings.output = 0;
    settings.scaling = SCALINGS[scaling].scaling;
    settings.reference_mass = SCALINGS[scaling].reference_mass;
    settings.newton = KEEL_NEWTON_FULL;
    settings.newton_report = KEEL_YES;
    return settings;
}

/* Takes the step. Newton's method tells what it did also when it did not come to its end. */
static keel_status take_step(const experiment *e, const keel_state *state, const keel_settings *settings,
                             keel_diagnostics *diagnostics, keel_newton_facts *facts) {
    keel_status status;
    keel_row row;
    keel_simulation *sim = keel_simulation_new(e->model->system, state, 1, settings, diagnostics, &status);
    if (!sim) {
        fprintf(stderr, "a step could not begin: %s\n", keel_status_text(status));
        exit(1);
    }
    status = keel_simulation_step(sim);
    if (keel_simulation_row(sim, keel_simulation_time(sim), &row) || !row.newton) {
        fprintf(stderr, "no facts about a step\n");
        exit(1);
    }
    *facts = *row.newton;
    keel_simulation_free(sim);
    return status;
}

/* exp(mean of log x) of the positive ones. */
static double geometric_mean(const double *x, int count) {
    double sum = 0;
    int positive = 0;
    for (int i = 0; i < count; i++)
        if (x[i] > 0)
            sum += log(x[i]), positive++;
    return positive ? exp(sum / positive) : NAN;
}

/* Corrections that no tolerance stops before round-off does, averaged over the states. */
static void measure(const experiment *e, int scheme, int scaling, int i, curve *c) {
    double of_q[STATES], of_lambda[STATES];
    for (int k = 0; k < STATES; k++) {
        keel_newton_facts facts;
        keel_settings settings = one_step(e, e->states[k], scheme, scaling, H[i]);
        settings.newton_tolerance = 1e-15;
        take_step(e, e->states[k], &settings, NULL, &facts);
        of_q[k] = facts.correction_q;
        of_lambda[k] = facts.correction_lambda;
        if (k == 0)
            c->value[CONDITION][i] = facts.condition;
    }
    c->value[CORRECTION_Q][i] = geometric_mean(of_q, STATES);
    c->value[CORRECTION_LAMBDA][i] = geometric_mean(of_lambda, STATES);
}

/* Slope of log y over log h, least squares over the known points from FIT_FROM on, to two digits. */
static double slope(const double y[STEPS]) {
    double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
    for (int i = FIT_FROM; i < STEPS; i++)
        if (isfinite(y[i])) {
            double a = log10(H[i]), b = log10(y[i]);
            n++, x_sum += a, y_sum += b, xx += a * a, xy += a * b;
        }
    double p = (n * xy - x_sum * y_sum) / (n * xx - x_sum * x_sum);
    return round(100 * p) / 100 + 0.0; /* no "-0.00" */
}

static void print_header(const char *first) {
    printf("| %s |", first);
    for (int s = 0; s < SCALING_COUNT; s++)
        printf(" %s |", SCALINGS[s].label);
    printf("\n|---|");
    for (int s = 0; s < SCALING_COUNT; s++)
        printf("---|");
    printf("\n");
}

static void print_slopes(const experiment *e) {
    static const char *const EXPECTED[QUANTITIES] = {"-4 | -2 | 0 | -2 | 0", "-2 | 0 | 0 | 0 | 0",
                                                     "0 | 0 | 0 | 0 | 0"};
    static const char *const RECOMPUTED[QUANTITIES] = {"-4.00 | -2.00 | 0.00 | | ",
                                                       "-1.99 | 0.01 | 0.02 | | ", "0.03 | 0.03 | 0.00 | | "};
    printf("## Slopes\n\n"
           "Exponent p of h^p, fitted over h = 1e-10 ... 1e-5. \"Paper\" is its theory (eq. 18-26), "
           "\"recomputed\" an independent computation for Newmark's method. What matters is 0: a "
           "number that does not depend on the step size.\n\n");
    for (int k = 0; k < QUANTITIES; k++) {
        print_header(QUANTITY_NAMES[k]);
        printf("| paper | %s |\n| recomputed | %s |\n", EXPECTED[k], RECOMPUTED[k]);
        for (int m = 0; m < SCHEME_COUNT; m++) {
            printf("| %s |", SCHEMES[m]);
            for (int s = 0; s < SCALING_COUNT; s++)
                printf(" %.2f |", slope(e->curves[m][s].value[k]));
            printf("\n");
        }
        printf("\n");
    }
}

static void print_number(const char *format, double x) {
    if (isfinite(x))
        printf(format, x);
    else
        printf(" - |");
}

static void print_curves(const experiment *e) {
    printf("## Numbers\n\n"
           "The condition number (2-norm) is that of the matrix at the state of t = 0.01 "
           "(recomputed independently for Newmark's method at h = 1e-7: none 1.1764e24, right "
           "2.4370e15, both 5.9498e4, and about 64 with the reference mass). The corrections are "
           "the last ones of an iteration that only round-off ends, largest component, in the "
           "unknowns of the scaling; geometric mean over %d states from t = 0.01 on.\n\n",
           STATES);
    for (int m = 0; m < SCHEME_COUNT; m++)
        for (int k = 0; k < QUANTITIES; k++) {
            printf("`%s/index3`, %s:\n\n", SCHEMES[m], QUANTITY_NAMES[k]);
            print_header("h");
            for (int i = 0; i < STEPS; i++) {
                printf("| %.0e |", H[i]);
                for (int s = 0; s < SCALING_COUNT; s++)
                    print_number(k == CONDITION ? " %.4e |" : " %.1e |", e->curves[m][s].value[k][i]);
                printf("\n");
            }
            printf("\n");
        }
}

static void draw(const experiment *e, quantity what, const char *title, const char *folder,
                 const char *name) {
    plot p = {.title = title, .x_label = "step size h", .y_label = QUANTITY_NAMES[what], .logarithmic = true};
    for (int s = 0; s < SCALING_COUNT; s++)
        p.lines[p.line_count++] = (plot_line){.label = SCALINGS[s].label,
                                              .count = STEPS,
                                              .x = H,
                                              .y = e->curves[0][s].value[what],
                                              .dots = true};
    plot_write(&p, folder, name);
}

/* Error of the multipliers after one step, relative to the largest. */
static double error_after_step(const experiment *e, const keel_settings *settings) {
    keel_settings exact = accurate(e->model, settings->until);
    keel_result there = run(e->model, &exact, NULL), r;
    double error = 0, size = 0;
    keel_status status = keel_run(e->model->system, e->states[0], 1, settings, NULL, NULL, &r);
    for (int i = 0; i < e->model->system->n_h; i++) {
        error = fmax(error, fabs(r.final->lambda[i] - there.final->lambda[i]));
        size = fmax(size, fabs(there.final->lambda[i]));
    }
    keel_result_clear(&there);
    keel_result_clear(&r);
    return status ? NAN : error / size;
}

/* What a user sees: does the step end with one tolerance for all unknowns? */
static void print_tolerance(const experiment *e) {
    char message[256] = "";
    printf("## What a user gains, and what not\n\n"
           "Newton's method with `newton_tolerance: 1e-8` for displacements and multipliers alike, "
           "one step of `newmark/index3`: number of corrections, or that it fails. The last column "
           "is the error of the physical multipliers after the step with `both`, relative to the "
           "largest: no scaling helps against its part of eps/h^2, the round-off of Phi seen "
           "through h^2. (Its part of the order of h is that of a single step from an exact state.)\n\n"
           "| h | none | right | both | error of lambda |\n"
           "|---|---|---|---|---|\n");
    for (int i = 0; i < STEPS; i++) {
        static const int COLUMNS[] = {0, 3, 4}; /* of SCALINGS */
        printf("| %.0e |", H[i]);
        for (int s = 0; s < 3; s++) {
            keel_diagnostics *diagnostics = keel_diagnostics_new();
            keel_newton_facts facts;
            keel_settings settings = one_step(e, e->states[0], 0, COLUMNS[s], H[i]);
            settings.newton_tolerance = 1e-8;
            keel_status status = take_step(e, e->states[0], &settings, diagnostics, &facts);
            if (status)
                printf(" fails |");
            else
                printf(" %d |", facts.iterations);
            if (status && !*message && keel_diagnostics_count(diagnostics))
                snprintf(message, sizeof message, "%s", keel_diagnostics_get(diagnostics, 0).text);
            keel_diagnostics_free(diagnostics);
        }
        keel_settings settings = one_step(e, e->states[0], 0, COLUMNS[2], H[i]);
        print_number(" %.1e |", error_after_step(e, &settings));
        printf("\n");
    }
    printf("\nThe first step that fails says: \"%s\".\n\n", message);
}

static double distance(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Errors of q, v and lambda at t = 0.01 from rest. The multipliers of `midpoint` and `conserving` belong to
 * the middle of the last step. */
static void find_errors(const keel_model *model, keel_method method, double h, double error[3]) {
    bool in_the_middle = method.integrator == KEEL_MIDPOINT || method.integrator == KEEL_CONSERVING;
    keel_settings to_end = accurate(model, 0.01),
                  to_lambda = accurate(model, 0.01 - (in_the_middle ? h / 2 : 0));
    keel_settings settings = model->settings;
    settings.method = method;
    settings.until = 0.01;
    settings.step = h;
    settings.output = 0;
    keel_result end = run(model, &to_end, NULL), before = run(model, &to_lambda, NULL);
    keel_result r = run(model, &settings, NULL);
    error[0] = distance(r.final->q, end.final->q, model->system->n_q);
    error[1] = distance(r.final->v, end.final->v, model->system->n_v);
    error[2] = distance(r.final->lambda, before.final->lambda, model->system->n_h);
    keel_result_clear(&end);
    keel_result_clear(&before);
    keel_result_clear(&r);
}

static void print_order(const keel_model *model, keel_method method, double h) {
    char text[64];
    double error[3], half[3];
    find_errors(model, method, h, error);
    find_errors(model, method, h / 2, half);
    keel_method_text(method, text);
    *strrchr(text, '/') = 0; /* no word about stabilising */
    printf("| %s | %.0e |", text, h);
    for (int k = 0; k < 3; k++)
        printf(" %.4e | %.4e | %.2f |", error[k], half[k], log2(error[k] / half[k]));
    printf("\n");
}

static void print_orders(const keel_model *model, const char *folder) {
    static const keel_formulation FORMULATIONS[] = {KEEL_INDEX3, KEEL_INDEX2, KEEL_GGL};
    keel_model *bodies = read_model(folder, "andrews_bodies");
    printf("## Orders\n\n"
           "Errors (largest component) at t = 0.01 from rest for h and h/2 against `dop853` at "
           "1e-13, and their order: the binary logarithm of their ratio, 2 for all schemes. "
           "Independently recomputed for generalized-alpha at h = 1e-5: q 6.0207e-6, v 1.1865e-3, "
           "lambda 1.1208e-3.\n\n"
           "The multipliers of `midpoint` and `conserving` are compared in the middle of the last "
           "step. `conserving` needs a constant mass matrix: its row is the same mechanism in "
           "absolute coordinates (`models/andrews_bodies.yaml`). `newmark/index3` and "
           "`trapezoidal/index3` damp nothing: round-off of eps/h^2 in the multipliers stays and "
           "adds up over the steps, so that at 5e-6 it hides the order of lambda, which larger "
           "steps show; a little damping (`hht`, `generalized-alpha`) or another formulation "
           "forgets it.\n\n"
           "| method | h | q, h | q, h/2 | order | v, h | v, h/2 | order | lambda, h | lambda, h/2 "
           "| order |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < 3; k++)
        for (keel_integrator i = KEEL_NEWMARK; i <= KEEL_CONSERVING; i++) {
            keel_method method = {.integrator = i, .formulation = FORMULATIONS[k]};
            if (keel_method_is_valid(method))
                print_order(i == KEEL_CONSERVING ? bodies : model, method, 1e-5);
        }
    print_order(model, method_of("newmark/index3/none"), 4e-5);
    print_order(model, method_of("trapezoidal/index3/none"), 4e-5);
    keel_model_free(bodies);
}

static void print_introduction(void) {
    printf("# Scaling of index-3 integrators: the experiment of Bottasso, Dopico and Trainelli, "
           "recomputed\n\n"
           "Written by `make papers`. Andrews' squeezing mechanism (`models/andrews.yaml`), one "
           "step of size h from the state of t = 0.01, equations and unknowns unscaled (`scaling: "
           "none`), unknowns scaled (`right`) and both scaled (`both`, Keel's choice); \"mass\" "
           "means scaled also by the reference mass |M|/|J| (`reference_mass: yes`, Keel's choice). "
           "Newmark's method with beta = 1/4, gamma = 1/2; HHT with alpha = -0.1; generalized-alpha "
           "with rho_infinity = 0.8. The method is described in [index3.md](index3.md).\n\n"
           "![condition number over step size](images/bottasso/condition.svg)\n\n"
           "Newmark's method. Unscaled, the matrix of Newton's method is useless below h = 1e-5; "
           "scaled on both sides it is the same at every h.\n\n"
           "![last correction of the multipliers over step size](images/bottasso/multipliers.svg)\n\n"
           "Newmark's method. Unscaled, round-off in the multipliers grows like h^-2, so that no "
           "tolerance below it can be met; with scaled unknowns (right is enough for that) it stays "
           "where it is.\n\n");
}

int main(int argc, char **argv) {
    static experiment e;
    const char *folder = argc > 1 ? argv[1] : "models";
    e.model = read_model(folder, "andrews");
    find_states(&e);
    for (int m = 0; m < SCHEME_COUNT; m++)
        for (int s = 0; s < SCALING_COUNT; s++)
            for (int i = 0; i < STEPS; i++)
                measure(&e, m, s, i, &e.curves[m][s]);
    print_introduction();
    print_slopes(&e);
    print_curves(&e);
    print_tolerance(&e);
    print_orders(e.model, folder);
    if (argc > 2) {
        draw(&e, CONDITION, "Condition number of Newton's matrix, newmark", argv[2], "condition.svg");
        draw(&e, CORRECTION_LAMBDA, "Last correction of the multipliers, newmark", argv[2],
             "multipliers.svg");
    }
    for (int k = 0; k < STATES; k++)
        keel_result_clear(&e.runs[k]);
    keel_model_free(e.model);
    return 0;
}
