/* The order of every method, at the ends of steps and in the rows between them, of q, v and multipliers.
 *
 * Steps of one length are halved; adaptive integrators are given a limit and an error they cannot exceed. The
 * reference is dop853 with steps of a quarter of the distance of rows. Errors are relative to the largest
 * value of all components of a kind. `--markdown` writes the table of docs/orders.md instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "integrate/radau.h"
#include "run/simulation.h"
#include "trials.h"

enum { ROWS = 97, MOST = 12, KINDS = 3, PLACES = 2 };

/* Holonomic, driven and elastic, nonholonomic, closed loops with inertia that changes. */
static const struct {
    const char *name;
    double until;
} MODELS[] = {{"pendulum", 0.8}, {"car_axis", 0.8},     {"snakeboard", 1},
              {"andrews", 0.01}, {"slider_crank", 0.5}, {"knife_edge", 0.5}};
enum { MODEL_COUNT = sizeof MODELS / sizeof *MODELS };

/* What docs/orders.md states: of steps, and of rows. radau9 meets round-off before its
 * order of 9 shows.
 */
static const struct {
    keel_integrator integrator;
    int steps, rows;
} STATED[] = {{KEEL_RK4, 4, 4},         {KEEL_DOPRI5, 5, 5},   {KEEL_DOP853, 8, 7},
              {KEEL_RADAU5, 5, 5},      {KEEL_RADAU9, 7, 7},   {KEEL_BDF_FIXED, 3, 3},
              {KEEL_NEWMARK, 2, 2},     {KEEL_HHT, 2, 2},      {KEEL_GENERALIZED_ALPHA, 2, 2},
              {KEEL_TRAPEZOIDAL, 2, 2}, {KEEL_MIDPOINT, 2, 2}, {KEEL_CONSERVING, 2, 2}};
enum { STATED_COUNT = sizeof STATED / sizeof *STATED };

typedef struct path {
    int count, n[KINDS];
    double x[ROWS + 2][KINDS][MOST];
} path;

static void record(path *p, const keel_row *row) {
    const double *from[KINDS] = {row->q, row->v, row->lambda};
    for (int k = 0; k < KINDS && p->count < ROWS + 2; k++)
        memcpy(p->x[p->count][k], from[k], (size_t)p->n[k] * sizeof(double));
    p->count++;
}

/* An estimate and a Newton iteration that do not depend on the tolerance. */
static void loosen_radau(keel_simulation *sim) {
    static const double ESTIMATE = 1e12, CORRECTION = 1e-14;
    ki_radau *radau = (ki_radau *)sim->integrator;
    for (int i = 0; i < radau->base.n; i++)
        radau->inverse[i] *= radau->relax / ESTIMATE;
    radau->relax = ESTIMATE;
    radau->kappa = CORRECTION / (ESTIMATE * ki_allowed(&radau->base).absolute);
}

static keel_status give_rows(keel_simulation *sim, double until, path *p) {
    keel_row row;
    keel_status status = KEEL_OK;
    while (!status && p->count <= ROWS &&
           p->count * until / ROWS <= keel_simulation_time(sim) * (1 + 1e-12)) {
        double t = fmin(p->count * until / ROWS, keel_simulation_time(sim));
        status = keel_simulation_row(sim, t, &row);
        if (!status)
            record(p, &row);
    }
    return status;
}

/* Steps of T/n; false if the run does not get to its end. */
static bool follow(trial *t, double until, double n, path *p) {
    const keel_system *sys = t->model->system;
    keel_settings *s = &t->settings;
    bool radau = s->method.integrator == KEEL_RADAU5 || s->method.integrator == KEEL_RADAU9;
    *p = (path){.n = {sys->n_q, sys->n_v, keel_system_m(sys)}};
    s->until = until;
    s->step = s->first_step = s->max_step = until / n;
    s->newton_tolerance = 1e-13;
    if (radau)
        s->tolerance = s->absolute_tolerance = 1e-12;
    keel_simulation *sim =
        keel_simulation_new(sys, t->model->start, t->model->velocities_given, s, t->messages, &t->status);
    if (sim && radau)
        loosen_radau(sim);
    t->status = sim ? give_rows(sim, until, p) : t->status;
    while (!t->status && keel_simulation_time(sim) < until) {
        t->status = keel_simulation_step(sim);
        if (!t->status)
            t->status = give_rows(sim, until, p);
    }
    keel_simulation_free(sim);
    return t->status == KEEL_OK;
}

static void find_reference(int model, path *exact) {
    trial t = trial_of(MODELS[model].name, "dop853/index1/projection");
    t.settings.absolute_tolerance = 1e300;
    if (!follow(&t, MODELS[model].until, 4 * ROWS, exact))
        fail_msg("%s: %s", MODELS[model].name, trial_error(&t));
    trial_end(&t);
}

/* Largest errors of every kind: at the end, and over the rows. */
static void errors_of(const path *p, const path *exact, double e[PLACES][KINDS]) {
    for (int k = 0; k < KINDS; k++) {
        double size = 0, worst = 0, end = 0;
        for (int r = 0; r < exact->count; r++) {
            end = 0;
            for (int i = 0; i < exact->n[k]; i++) {
                size = fmax(size, fabs(exact->x[r][k][i]));
                end = fmax(end, fabs(p->x[r][k][i] - exact->x[r][k][i]));
            }
            worst = fmax(worst, end);
        }
        e[0][k] = end / size;
        e[1][k] = worst / size;
    }
}

static double largest_of(const double x[KINDS]) {
    return fmax(x[0], fmax(x[1], x[2]));
}

/* Observed orders, each from the last two runs whose errors are neither large nor round-off; NAN where there
 * are none. */
static bool measure(int model, keel_method method, int expected, const path *exact,
                    double order[PLACES][KINDS]) {
    static const double LARGE = 1e-2, ROUND_OFF = 1e-11;
    static path p;
    char text[64];
    double e[2][PLACES][KINDS], fine = expected > 4   ? 1e-10
                                       : expected > 3 ? 1e-8
                                       : expected > 2 ? 1e-5
                                                      : 3e-4;
    bool ok = true;
    trial t = trial_of(MODELS[model].name, keel_method_text(method, text));
    t.settings.order = method.integrator == KEEL_BDF_FIXED ? 3 : 0;
    if (keel_integrator_is_adaptive(method.integrator))
        t.settings.absolute_tolerance = 1e300;
    for (int i = 0; i < PLACES * KINDS; i++)
        order[i / KINDS][i % KINDS] = NAN, e[1][i / KINDS][i % KINDS] = INFINITY;
    for (double n = expected > 4 ? 6 : 24; n < 3e4 && ok && largest_of(e[1][1]) > fine; n *= 2) {
        memcpy(e[0], e[1], sizeof e[0]);
        ok = follow(&t, MODELS[model].until, n, &p);
        if (!ok && n < 300 && t.status != KEEL_ERROR_INPUT) { /* too long a step for Newton's method */
            ok = true;
            continue;
        }
        errors_of(&p, exact, e[1]);
        for (int i = 0; i < PLACES * KINDS && ok; i++) {
            double before = e[0][i / KINDS][i % KINDS], now = e[1][i / KINDS][i % KINDS];
            if (before < LARGE && now > ROUND_OFF)
                order[i / KINDS][i % KINDS] = log2(before / now);
        }
    }
    if (!ok && t.status != KEEL_ERROR_INPUT)
        fail_msg("%s, %s: %s", MODELS[model].name, text, trial_error(&t));
    trial_end(&t);
    return ok;
}

/* The multipliers of penalties, and gains that follow the steps, have errors of their own. */
static bool takes_part(keel_method m) {
    return keel_method_is_valid(m) && m.formulation != KEEL_PENALTY && m.stabilize != KEEL_BAUMGARTE;
}

enum { MOST_RUNS = MODEL_COUNT * KEEL_STABILIZERS };

/* All orders of an integrator with a formulation, over models and stabilisers. */
typedef struct orders {
    int runs, count[PLACES][KINDS];
    double of[PLACES][KINDS][MOST_RUNS];
} orders;

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The errors of single models may change their sign near the end, or have not come to their order yet. */
static double median(const orders *o, int place, int kind) {
    double sorted[MOST_RUNS];
    int n = o->count[place][kind];
    memcpy(sorted, o->of[place][kind], sizeof sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : NAN;
}

static orders orders_of(int stated, keel_formulation formulation, const path *exact) {
    orders o = {.runs = 0};
    for (int model = 0; model < MODEL_COUNT; model++)
        for (int st = 0; st < KEEL_STABILIZERS; st++) {
            keel_method m = {STATED[stated].integrator, formulation, (keel_stabilize)st, 0};
            double order[PLACES][KINDS];
            if (!takes_part(m) || !measure(model, m, STATED[stated].steps, &exact[model], order))
                continue;
            o.runs++;
            for (int i = 0; i < PLACES * KINDS; i++)
                if (isfinite(order[i / KINDS][i % KINDS]))
                    o.of[i / KINDS][i % KINDS][o.count[i / KINDS][i % KINDS]++] = order[i / KINDS][i % KINDS];
        }
    return o;
}

static path *references(void) {
    path *exact = calloc(MODEL_COUNT, sizeof *exact);
    assert_non_null(exact);
    for (int model = 0; model < MODEL_COUNT; model++)
        find_reference(model, &exact[model]);
    return exact;
}

static void check(int stated, keel_formulation formulation, const orders *o) {
    static const char *const KIND[KINDS] = {"q", "v", "lambda"};
    for (int place = 0; place < PLACES; place++)
        for (int k = 0; k < KINDS; k++) {
            int least = place ? STATED[stated].rows : STATED[stated].steps;
            double found = median(o, place, k);
            if (!(found > least - 0.5))
                fail_msg("%s/%s: order %.2f of %s %s, stated is %d",
                         keel_integrator_word(STATED[stated].integrator).name,
                         keel_formulation_word(formulation).name, found, KIND[k],
                         place ? "in rows" : "at the end", least);
        }
}

/* Sanitizers make runs ten times as long: there, every fourth. */
#if defined(__SANITIZE_ADDRESS__)
enum { EVERY = 4 };
#else
enum { EVERY = 1 };
#endif

static void every_method_has_its_order(void **state) {
    (void)state;
    path *exact = references();
    int runs = 0;
    for (int i = 0, k = 0; i < STATED_COUNT; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++, k++) {
            if (k % EVERY)
                continue;
            orders o = orders_of(i, (keel_formulation)f, exact);
            runs += o.runs;
            if (o.runs)
                check(i, (keel_formulation)f, &o);
        }
    print_message("%d methods and models\n", runs);
    assert_true(runs > (EVERY == 1 ? 500 : 50));
    free(exact);
}

static int write_table(void) {
    path *exact = references();
    printf("| method | q | v | lambda | rows: q | v | lambda | runs |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < STATED_COUNT; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++) {
            orders o = orders_of(i, (keel_formulation)f, exact);
            if (!o.runs)
                continue;
            printf("| `%s/%s` |", keel_integrator_word(STATED[i].integrator).name,
                   keel_formulation_word((keel_formulation)f).name);
            for (int k = 0; k < PLACES * KINDS; k++)
                printf(" %.1f |", median(&o, k / KINDS, k % KINDS));
            printf(" %d |\n", o.runs);
        }
    free(exact);
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_has_its_order)};
    if (argc > 1 && strcmp(argv[1], "--markdown") == 0)
        return write_table();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
