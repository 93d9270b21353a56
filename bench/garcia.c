/* The experiment of J. C. Garcia Orden's paper on the energy of velocity projection (2010), recomputed: two
 * particles with a conserving integrator, without projection and with projection in the metrics M and W =
 * diag(15, 1).
 *
 *     build/bench/bench_garcia models > docs/garcia.md        (make papers)
 *     build/bench/bench_garcia models DATA IMAGES             also DATA/fig03.csv ..., IMAGES/fig03.svg ...
 *
 * "Converged" values are those of the paper's step equations,
 *
 *     (q1 - q0)/dt = (v0 + v1)/2,   M (v1 - v0)/dt = -(q0 + q1) L,   Phi(q1) = 0,   (A + alpha J^T J) v = A
 * v1
 *
 * solved independently of Keel with Phi converged to 1e-14. */
#include <math.h>
#include <string.h>

#include "garcia.h"

static const double MU = 0.1, A_W = 15; /* M = diag(1, MU), W = diag(A_W, 1) */

static trace TRACES[RUNS] = {
    [FINE] = {.label = "dt 0.04, no projection", .step = 0.04, .until = 10, .metric = -1},
    [PLAIN] = {.label = "no projection", .step = 0.1, .until = 50, .metric = -1},
    [MASS] = {.label = "A = M, alpha = 1", .step = 0.1, .until = 50, .metric = KEEL_METRIC_MASS, .alpha = 1},
    [W_1] = {.label = "A = W, alpha = 1", .step = 0.1, .until = 50, .metric = KEEL_METRIC_MATRIX, .alpha = 1},
    [W_20] =
        {.label = "A = W, alpha = 20", .step = 0.1, .until = 50, .metric = KEEL_METRIC_MATRIX, .alpha = 20},
};

static keel_status take_row(void *user, const keel_row *row) {
    trace *to = user;
    int i = to->count++;
    if (i >= SAMPLES_MAX)
        return KEEL_ERROR_CALLBACK;
    const double *q = row->q, *v = row->v;
    const double values[QUANTITIES] = {
        [T] = row->t,
        [Q1] = q[0],
        [Q2] = q[1],
        [V1] = v[0],
        [V2] = v[1],
        [LAMBDA] = row->lambda[0],
        [ENERGY] = row->energy,
        [PHI] = q[0] * q[0] + q[1] * q[1] - 1,
        [RATE] = 2 * (q[0] * v[0] + q[1] * v[1]),
        [PROJECTED] = row->audit ? row->audit->projection : 0,
    };
    for (int k = 0; k < QUANTITIES; k++)
        to->x[k][i] = values[k];
    if (row->newton && row->newton->iterations > to->most_iterations)
        to->most_iterations = row->newton->iterations;
    return KEEL_OK;
}

static keel_settings settings_of(const keel_model *model, const trace *of) {
    static const double W[] = {15, 0, 0, 1};
    keel_settings settings = model->settings;
    settings.method = method_of(of->metric < 0 ? "conserving/index3/none" : "conserving/index3/projection");
    settings.step = of->step;
    settings.until = of->until;
    settings.output = 0;
    settings.levels = KEEL_LEVELS_VELOCITY;
    settings.newton = KEEL_NEWTON_FULL;
    settings.newton_report = KEEL_YES;
    if (of->metric >= 0)
        settings.metric = of->metric;
    if (of->metric == KEEL_METRIC_MATRIX)
        settings.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = W};
    settings.projection_penalty = of->alpha;
    return settings;
}

static void follow(const keel_model *model, trace *to) {
    keel_settings settings = settings_of(model, to);
    keel_observer observer = {.user = to, .row = take_row};
    to->result = run(model, &settings, &observer);
}

int garcia_at(const trace *of, double t) {
    return (int)lround(t / of->step);
}

/* Largest |x - from| up to time t. */
static double largest(const trace *of, quantity what, double from, double t) {
    double most = 0;
    for (int i = 0; i <= garcia_at(of, t); i++)
        most = fmax(most, fabs(of->x[what][i] - from));
    return most;
}

/* Steps up to time t in which projection added energy (sign 1) or took some (-1). */
static int signs(const trace *of, double t, int sign) {
    int count = 0;
    for (int i = 1; i <= garcia_at(of, t); i++)
        count += sign * of->x[PROJECTED][i] > 0;
    return count;
}

static double energy(const trace *of, double t) {
    return of->x[ENERGY][garcia_at(of, t)];
}

static void print_state(const char *name, const trace *of, const char *converged) {
    const double(*x)[SAMPLES_MAX] = of->x;
    int i = garcia_at(of, 10);
    printf("| %s | | %s | q (%.12f, %.12f), v (%.12f, %.12f) |\n", name, converged, x[Q1][i], x[Q2][i],
           x[V1][i], x[V2][i]);
}

static void print_values(void) {
    const trace *fine = &TRACES[FINE], *mass = &TRACES[MASS], *w_1 = &TRACES[W_1], *w_20 = &TRACES[W_20];
    double E0 = fine->x[ENERGY][0];
    printf("## The numbers of the paper\n\n"
           "E is the energy, 0.5 at the start; Phi = q1^2 + q2^2 - 1 the constraint, Phi' its rate. "
           "Gains and losses count the steps in which projection added or took energy. A dash: not "
           "given.\n\n"
           "| run and quantity | paper | converged | Keel |\n"
           "|---|---|---|---|\n");
    printf("| dt 0.04, no projection, to 10 s: largest change of E | 0 | 0 | %.1e |\n",
           largest(fine, ENERGY, E0, 10));
    printf("| the same: largest Phi | 1e-9 | 0 | %.1e |\n", largest(fine, PHI, 0, 10));
    printf("| the same: largest Phi' | 1e-2 | 0.025614 | %.6f |\n", largest(fine, RATE, 0, 10));
    printf("| dt 0.1, A = W, alpha 1: E(10) | 0.53 | 0.529715999822 | %.12f |\n", energy(w_1, 10));
    printf("| dt 0.1, A = W, alpha 20: E(10) | 0.67 | 0.669107974738 | %.12f |\n", energy(w_20, 10));
    printf("| the same: E(35.5)/E0 | 2.54 | 2.5588 | %.4f |\n", energy(w_20, 35.5) / E0);
    printf("| dt 0.1, A = M, alpha 1: E(10) | - | 0.463384149107 | %.12f |\n", energy(mass, 10));
    printf("| the same: E(50)/E0 | 0.74 | 0.7390693461 | %.10f |\n", energy(mass, 50) / E0);
    printf("| the same: gains / losses of 500 steps | - | 0 / 500 | %ld / %ld |\n", mass->result.gains,
           mass->result.losses);
    printf("| dt 0.1, A = W, alpha 1: gains / losses of 100 steps | - | 88 / 12 | %d / %d |\n",
           signs(w_1, 10, 1), signs(w_1, 10, -1));
    printf("| dt 0.1, A = W, alpha 20: gains / losses of 100 steps | - | 96 / 4 | %d / %d |\n",
           signs(w_20, 10, 1), signs(w_20, 10, -1));
    print_state("dt 0.04, no projection: state at 10 s", fine,
                "q (0.989319637294, -0.145762324569), v (-0.432934787511, -2.85055691008)");
    print_state("dt 0.1, A = M, alpha 1: state at 10 s", mass, "q (0.888120519433, 0.459610642786)");
}

static void print_failures(void) {
    printf("\n"
           "## Where the paper is fragile\n\n"
           "The paper's integration fails at 5.2 s without projection (figure 9) and at 35.5 s with "
           "A = W, alpha = 20 (figure 16). Both are failures of its iteration, not of the scheme: "
           "the equations of a step have exactly one solution at every step of these runs. Keel "
           "takes all %d steps of each run to 50 s; the table has the most corrections of Newton's "
           "method that a step needed, and what the paper saw growing: the largest Phi' and the "
           "energy.\n\n"
           "| dt = 0.1, to 50 s | paper | Keel | most corrections | largest Phi' to 10 s | to 50 s "
           "| E(50)/E0 |\n"
           "|---|---|---|---|---|---|---|\n",
           TRACES[PLAIN].count - 1);
    static const char *const PAPER[RUNS] = {
        [PLAIN] = "fails at 5.2 s", [MASS] = "runs", [W_1] = "runs to 10 s", [W_20] = "fails at 35.5 s"};
    for (int i = PLAIN; i < RUNS; i++) {
        const trace *of = &TRACES[i];
        printf("| %s | %s | runs | %d | %.3f | %.3f | %.6f |\n", of->label, PAPER[i], of->most_iterations,
               largest(of, RATE, 0, 10), largest(of, RATE, 0, 50), energy(of, 50) / of->x[ENERGY][0]);
    }
}

/* The same step solved as in the paper: augmented Lagrangian with a penalty of 1e3. */
static void print_augmented(const keel_model *model) {
    double most = 0;
    for (int i = FINE; i < RUNS; i++) {
        const trace *of = &TRACES[i];
        keel_settings settings = settings_of(model, of);
        settings.solution = KEEL_SOLUTION_AUGMENTED;
        settings.augmented_penalty = 1e3;
        settings.until = 10;
        keel_result r = run(model, &settings, NULL);
        for (int k = 0; k < 2; k++) {
            most = fmax(most, fabs(r.final->q[k] - of->x[Q1 + k][garcia_at(of, 10)]));
            most = fmax(most, fabs(r.final->v[k] - of->x[V1 + k][garcia_at(of, 10)]));
        }
        keel_result_clear(&r);
    }
    printf("\n"
           "Solved by the paper's augmented Lagrangian iteration with its penalty of 1e3 "
           "(`solution: augmented`) instead of Newton's method on (q, L), the five runs end at 10 s "
           "in the same states: the largest difference in q and v is %.0e.\n",
           most);
}

static void print_audit(void) {
    printf("\n"
           "## Where the energy goes\n\n"
           "Sums over the 500 steps to 50 s of what the integrator did to the energy (Delta E_i, "
           "zero for a conserving one), what projection did (Delta E_p), and its two parts of eq. "
           "21: Delta E_p2 takes energy in every step, Delta E_p1 does so only if the symmetric "
           "part B^s of M A^-1 J^T J has no negative eigenvalue. E - E0 is the sum of the first "
           "two.\n\n"
           "| run | Delta E_i | Delta E_p | Delta E_p1 | Delta E_p2 | E(50) - E0 | gains / losses |\n"
           "|---|---|---|---|---|---|---|\n");
    for (int i = MASS; i < RUNS; i++) {
        const keel_result *r = &TRACES[i].result;
        printf("| %s | %.1e | %.9f | %.9f | %.9f | %.9f | %ld / %ld |\n", TRACES[i].label,
               r->audit.integrator, r->audit.projection, r->audit.projection_1, r->audit.projection_2,
               r->energy_final - r->energy_initial, r->gains, r->losses);
    }
}

/* Smallest eigenvalue of B^s = 1/2 (U J + J^T U^T), U = M A^-1 J^T, J = 2 q^T; A = diag(a, b). */
static double smallest_eigenvalue(double q1, double q2, double a, double b) {
    double xx = 4 * q1 * q1 / a, yy = 4 * MU * q2 * q2 / b, xy = 2 * q1 * q2 * (1 / a + MU / b);
    return (xx + yy) / 2 - hypot((xx - yy) / 2, xy);
}

double garcia_eigenvalue_W(double q1, double q2) {
    return smallest_eigenvalue(q1, q2, A_W, 1);
}

/* As corrected: (a + 2 alpha S) / (mu a^2 + 2 alpha S), S = q1^2 + a^2 mu q2^2. */
double garcia_kappa(double q1, double q2, double alpha) {
    double S = q1 * q1 + A_W * A_W * MU * q2 * q2;
    return (A_W + 2 * alpha * S) / (MU * A_W * A_W + 2 * alpha * S);
}

static void print_metric(void) {
    const trace *w = &TRACES[W_20];
    double least_M = 0, least_W = 0, at_q1 = 0;
    for (int i = 0; i < w->count; i++) {
        double q1 = w->x[Q1][i], q2 = w->x[Q2][i], W = garcia_eigenvalue_W(q1, q2);
        least_M = fmin(least_M, smallest_eigenvalue(q1, q2, 1, MU));
        if (W < least_W)
            least_W = W, at_q1 = q1;
    }
    printf("\n"
           "## The metric\n\n"
           "With A = M the eigenvalues of B^s are 0 and 4 everywhere (Case IV: projection can only "
           "take energy). With A = W one of them is negative, down to -1/300 where q1^2 = 0.55 "
           "(Case II: projection can add energy). Along the run with A = W, alpha = 20 the smallest "
           "eigenvalues met are:\n\n"
           "| metric | smallest eigenvalue of B^s | case | what Keel says |\n"
           "|---|---|---|---|\n"
           "| M | %.0e | IV | nothing |\n",
           least_M);
    for (int i = 0; i < w->result.event_count; i++)
        if (w->result.events[i].kind == KEEL_EVENT_METRIC)
            printf("| W | %.6f at q1^2 = %.2f | II | t = %.3g: %s |\n", least_W, at_q1 * at_q1,
                   w->result.events[i].t, w->result.events[i].text);
}

/* q, v and lambda of a run of the accurate integrator to time t. */
static void exact(const keel_model *model, double t, double q[2], double v[2], double *lambda) {
    keel_settings settings = model->settings;
    settings.method = method_of("dop853/index1/projection");
    settings.tolerance = settings.absolute_tolerance = 1e-13;
    settings.until = t;
    settings.output = 0;
    keel_result r = run(model, &settings, NULL);
    memcpy(q, r.final->q, 2 * sizeof *q);
    memcpy(v, r.final->v, 2 * sizeof *v);
    *lambda = r.final->lambda[0];
    keel_result_clear(&r);
}

/* Errors of q, v and L at t = 10; L belongs to the middle of the last step. */
static void measure_errors(const keel_model *model, const trace *of, double step, double error[3]) {
    double q[2], v[2], unused_q[2], unused_v[2], L, unused;
    keel_settings settings = settings_of(model, of);
    settings.step = step;
    settings.until = 10;
    exact(model, settings.until, q, v, &unused);
    exact(model, settings.until - step / 2, unused_q, unused_v, &L);
    keel_result r = run(model, &settings, NULL);
    error[0] = hypot(r.final->q[0] - q[0], r.final->q[1] - q[1]);
    error[1] = hypot(r.final->v[0] - v[0], r.final->v[1] - v[1]);
    error[2] = fabs(r.final->lambda[0] - L);
    keel_result_clear(&r);
}

static void print_orders(const keel_model *model) {
    static const struct {
        int run;
        const char *expected;
    } CASES[] = {{PLAIN, "2, 2, 2"}, {MASS, "2, 2, 1"}, {W_1, "1, 1, 1"}};
    printf("\n"
           "## Orders\n\n"
           "Errors at t = 10 against `dop853` at 1e-13, for dt = 0.002 and half of it; the order is "
           "the binary logarithm of their ratio. The multiplier L of a step is compared in its "
           "middle. Expected: second order; projection makes L first order. In the metric W "
           "everything is of first order: a step leaves a Phi' of the order of dt^2, and a metric "
           "other than M turns part of it into motion, in each of 10/dt steps.\n\n"
           "| run | expected order of q, v, L | error of q | order | error of v | order | error of "
           "L | order |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double error[3], half[3];
        measure_errors(model, &TRACES[CASES[i].run], 0.002, error);
        measure_errors(model, &TRACES[CASES[i].run], 0.001, half);
        printf("| %s | %s |", TRACES[CASES[i].run].label, CASES[i].expected);
        for (int k = 0; k < 3; k++)
            printf(" %.3e | %.2f |", half[k], log2(error[k] / half[k]));
        printf("\n");
    }
}

int main(int argc, char **argv) {
    keel_model *model = read_model(argc > 1 ? argv[1] : "models", "two_particles");
    for (int i = 0; i < RUNS; i++)
        follow(model, &TRACES[i]);
    printf("# Energy of velocity projection: the experiment of Garc\u00eda Orden (2010), recomputed\n\n"
           "Written by `make papers`. Two particles of masses 1 and 0.1 on a line, tied by q1^2 + "
           "q2^2 = 1 (`models/two_particles.yaml`), from q = (0, 1) with velocity (1, 0); "
           "integrator `conserving/index3` with a fixed step dt. After every step the velocity v* "
           "is replaced by v with (A + alpha J^T J) v = A v* (`levels: velocity`, "
           "`projection_penalty: alpha`), in the metric A = M = diag(1, 0.1) (`metric: mass`) or A "
           "= W = diag(15, 1) (`metric: matrix`). The method is described in "
           "[conserving.md](conserving.md), the energy account in [energy.md](energy.md).\n\n"
           "\"Paper\" is what the paper prints, \"converged\" an independent solution of its step "
           "equations with Phi converged to 1e-14.\n\n");
    print_values();
    print_failures();
    print_augmented(model);
    print_audit();
    print_metric();
    print_orders(model);
    garcia_print_figures(TRACES);
    if (argc > 3)
        garcia_write_figures(TRACES, argv[2], argv[3]);
    for (int i = 0; i < RUNS; i++)
        keel_result_clear(&TRACES[i].result);
    keel_model_free(model);
    return 0;
}
