/* The experiment of C. L. Bottasso, D. Dopico and L. Trainelli's paper on scaling index-3 equations (2007):
 * Andrews' mechanism, one step of size h from the state of t = 0.01, for h = 1e-3 ... 1e-10 and the scalings
 * none, right (of the unknowns) and both (of unknowns and equations); and the orders of the schemes.
 *
 * The text of the paper has lost its figures, and beta and gamma; the slopes are its claim. The values to
 * compare with are from a computation independent of Keel. */
#include "papers/bottasso.h"

#include <math.h>
#include <string.h>

const double KI_BOTTASSO_H[KI_BOTTASSO_STEPS] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
const char *const KI_BOTTASSO_SCHEME[KI_BOTTASSO_SCHEMES] = {"newmark", "hht", "generalized-alpha",
                                                             "bdf-fixed"};
const ki_bottasso_scaling KI_BOTTASSO_SCALING[KI_BOTTASSO_SCALINGS] = {
    {"none", KEEL_SCALING_NONE, KEEL_NO},        {"right", KEEL_SCALING_RIGHT, KEEL_NO},
    {"both", KEEL_SCALING_BOTH, KEEL_NO},        {"right, mass", KEEL_SCALING_RIGHT, KEEL_YES},
    {"both, mass", KEEL_SCALING_BOTH, KEEL_YES},
};
const char *const KI_BOTTASSO_NAMES[KI_BOTTASSO_QUANTITIES] = {
    "condition number", "last correction of the multipliers", "last correction of the displacements"};

/* The multipliers of `midpoint` and `conserving` belong to the middle of a step. */
static bool add_order(ki_draft *d, ki_batch *batch, bottasso *b, const keel_model *model, keel_method method,
                      double h) {
    ki_bottasso_order *o = &b->order[b->order_count];
    if (b->order_count == KI_BOTTASSO_ORDERS_MAX)
        return false;
    o->method = method;
    o->h = h;
    o->end = &b->end;
    o->in_the_middle = method.integrator == KEEL_MIDPOINT || method.integrator == KEEL_CONSERVING;
    for (int half = 0; half < 2; half++) {
        double step = half ? h / 2 : h;
        if (!ki_trial_init(d, &o->run[half], model, "newmark/index3/none"))
            return false;
        o->run[half].settings.method = method;
        o->run[half].settings.until = 0.01;
        o->run[half].settings.step = step;
        o->run[half].settings.output = 0;
        ki_trial_own_multipliers(d, &o->run[half]);
        ki_batch_add(batch, d, 0.05 * (half + 1), ki_trial_run, &o->run[half]);
        if (o->in_the_middle) {
            if (!ki_trial_exact(d, &o->middle[half], model, 0.01 - step / 2))
                return false;
            ki_batch_add(batch, d, 0.03, ki_trial_run, &o->middle[half]);
        }
    }
    b->order_count++;
    return true;
}

static void prepare_orders(ki_draft *d, ki_batch *batch, bottasso *b, const keel_model *model) {
    static const keel_formulation FORMULATIONS[] = {KEEL_INDEX3, KEEL_INDEX2, KEEL_GGL};
    static const char *const AGAIN[] = {"newmark/index3/none", "trapezoidal/index3/none"};
    if (!ki_trial_exact(d, &b->end, model, 0.01))
        return;
    ki_batch_add(batch, d, 0.03, ki_trial_run, &b->end);
    for (int k = 0; k < 3; k++)
        for (keel_integrator i = KEEL_NEWMARK; i <= KEEL_CONSERVING; i++) {
            keel_method method = {.integrator = i, .formulation = FORMULATIONS[k]};
            if (keel_method_is_valid(method) && !add_order(d, batch, b, model, method, 1e-5))
                return;
        }
    for (int i = 0; i < 2; i++)
        if (!add_order(d, batch, b, model, ki_method(AGAIN[i]), 4e-5))
            return;
}

static void prepare(ki_draft *d, ki_batch *batch) {
    bottasso *b = d->experiment = KI_NEW(&d->memory, bottasso, 1);
    const keel_model *model = ki_draft_model(d, "andrews", NULL, 0);
    if (!b)
        d->status = KEEL_ERROR_MEMORY;
    if (d->status)
        return;
    // states at 0.01, 0.010125, ..., on which round-off acts differently: over 16 of them slopes scatter by
    // 0.1
    for (int k = 0; k < KI_BOTTASSO_STATES; k++) {
        if (!ki_trial_exact(d, &b->state[k].to_state, model, 0.01 + 1.25e-4 * k))
            return;
        ki_batch_add(batch, d, 0.1, ki_bottasso_take_steps, &b->state[k]);
    }
    if (!ki_trial_exact(d, &b->tolerance.to_state, model, 0.01))
        return;
    ki_batch_add(batch, d, 0.3, ki_bottasso_try_tolerance, &b->tolerance);
    prepare_orders(d, batch, b, model);
}

double ki_bottasso_value(const bottasso *b, ki_bottasso_quantity what, int scheme, int scaling, int step) {
    double sum = 0;
    int positive = 0;
    if (what == KI_BOTTASSO_CONDITION)
        return b->state[0].value[what][scheme][scaling][step];
    for (int k = 0; k < KI_BOTTASSO_STATES; k++) {
        double x = b->state[k].value[what][scheme][scaling][step];
        if (x > 0)
            sum += log(x), positive++;
    }
    return positive ? exp(sum / positive) : NAN;
}

double ki_bottasso_slope(const bottasso *b, ki_bottasso_quantity what, int scheme, int scaling) {
    double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
    for (int i = KI_BOTTASSO_FIT_FROM; i < KI_BOTTASSO_STEPS; i++) {
        double x = log10(KI_BOTTASSO_H[i]), y = log10(ki_bottasso_value(b, what, scheme, scaling, i));
        if (isfinite(y))
            n++, x_sum += x, y_sum += y, xx += x * x, xy += x * y;
    }
    double p = (n * xy - x_sum * y_sum) / (n * xx - x_sum * x_sum);
    return round(100 * p) / 100 + 0.0; /* no "-0.00" */
}

void ki_bottasso_errors(const ki_bottasso_order *o, int half, double error[3]) {
    const keel_system *sys = o->run[half].model->system;
    const keel_state *r = o->run[half].result->final, *end = o->end->result->final;
    const keel_state *of_lambda = o->in_the_middle ? o->middle[half].result->final : end;
    error[0] = ki_largest_difference(r->q, end->q, sys->n_q);
    error[1] = ki_largest_difference(r->v, end->v, sys->n_v);
    error[2] = ki_largest_difference(o->run[half].lambda, of_lambda->lambda, sys->n_h);
}

static void tabulate_slopes(ki_draft *d, const bottasso *b) {
    static const char *const EXPECTED[] = {"-4\t-2\t0\t-2\t0", "-2\t0\t0\t0\t0", "0\t0\t0\t0\t0"};
    static const char *const RECOMPUTED[] = {"-4.00\t-2.00\t0.00\t\t", "-1.99\t0.01\t0.02\t\t",
                                             "0.03\t0.03\t0.00\t\t"};
    ki_table(d, "Slopes",
             "Exponent p of h^p, fitted over h = 1e-10 ... 1e-5. \"Paper\" is its theory (eq. 18-26), "
             "\"recomputed\" an "
             "independent computation for Newmark's method; \"mass\" means scaled also by the reference mass "
             "|M|/|J| "
             "(`reference_mass: yes`, Keel's choice). What matters is 0: a number that does not depend on "
             "the step size.",
             "quantity\tscheme\tnone\tright\tboth\tright, mass\tboth, mass");
    for (int k = 0; k < KI_BOTTASSO_QUANTITIES; k++) {
        ki_table_row(d, "%s\tpaper\t%s", KI_BOTTASSO_NAMES[k], EXPECTED[k]);
        ki_table_row(d, "\trecomputed\t%s", RECOMPUTED[k]);
        for (int m = 0; m < KI_BOTTASSO_SCHEMES; m++) {
            double p[KI_BOTTASSO_SCALINGS];
            for (int s = 0; s < KI_BOTTASSO_SCALINGS; s++)
                p[s] = ki_bottasso_slope(b, (ki_bottasso_quantity)k, m, s);
            ki_table_row(d, "\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", KI_BOTTASSO_SCHEME[m], p[0], p[1], p[2],
                         p[3], p[4]);
        }
    }
}

static void tabulate_numbers(ki_draft *d, const bottasso *b) {
    for (int k = 0; k < KI_BOTTASSO_QUANTITIES; k++) {
        ki_table(d, ki_draft_text(d, "Numbers: %s", KI_BOTTASSO_NAMES[k]),
                 k == KI_BOTTASSO_CONDITION
                     ? "2-norm, of the matrix at the state of t = 0.01 (recomputed "
                       "independently for Newmark's method at "
                       "h = 1e-7: none 1.1764e24, right 2.4370e15, both 5.9498e4, and "
                       "about 64 with the reference mass)."
                     : "The last correction of an iteration that only round-off ends, "
                       "largest component, in the unknowns "
                       "of the scaling; geometric mean over 192 states from t = 0.01 on.",
                 "scheme\th\tnone\tright\tboth\tright, mass\tboth, mass");
        for (int m = 0; m < KI_BOTTASSO_SCHEMES; m++)
            for (int i = 0; i < KI_BOTTASSO_STEPS; i++) {
                double x[KI_BOTTASSO_SCALINGS];
                for (int s = 0; s < KI_BOTTASSO_SCALINGS; s++)
                    x[s] = ki_bottasso_value(b, (ki_bottasso_quantity)k, m, s, i);
                ki_table_row(d,
                             k == KI_BOTTASSO_CONDITION ? "%s\t%.0e\t%.4e\t%.4e\t%.4e\t%.4e\t%.4e"
                                                        : "%s\t%.0e\t%.1e\t%.1e\t%.1e\t%.1e\t%.1e",
                             KI_BOTTASSO_SCHEME[m], KI_BOTTASSO_H[i], x[0], x[1], x[2], x[3], x[4]);
            }
    }
}

static const char *corrections_text(ki_draft *d, int corrections) {
    return corrections < 0 ? "fails" : ki_draft_text(d, "%d", corrections);
}

static void tabulate_tolerance(ki_draft *d, const bottasso *b) {
    ki_table(
        d, "What a user gains, and what not",
        ki_draft_text(
            d,
            "Newton's method with `newton_tolerance: 1e-8` for displacements and multipliers alike, one "
            "step of `newmark/index3`: number of corrections, or that it fails. The last column is the "
            "error of the physical multipliers after the step with `both`, relative to the largest: no "
            "scaling helps against its part of eps/h^2, the round-off of Phi seen through h^2. (Its part "
            "of the order of h is that of a single step from an exact state.) The first step that fails "
            "says: \"%s\".",
            b->tolerance.message),
        "h\tnone\tright\tboth\terror of lambda");
    for (int i = 0; i < KI_BOTTASSO_STEPS; i++) {
        const int *c = b->tolerance.corrections[i];
        ki_table_row(d, "%.0e\t%s\t%s\t%s\t%.1e", KI_BOTTASSO_H[i], corrections_text(d, c[0]),
                     corrections_text(d, c[1]), corrections_text(d, c[2]), b->tolerance.error[i]);
    }
}

static void tabulate_orders(ki_draft *d, const bottasso *b) {
    ki_table(d, "Orders",
             "Errors (largest component) at t = 0.01 from rest for h and h/2 against `dop853` at 1e-13, and "
             "their order: "
             "the binary logarithm of their ratio, 2 for all schemes. Independently recomputed for "
             "generalized-alpha at "
             "h = 1e-5: q 6.0207e-6, v 1.1865e-3, lambda 1.1208e-3. The multipliers of `midpoint` and "
             "`conserving` are "
             "compared in the middle of the last step. `newmark/index3` and "
             "`trapezoidal/index3` damp nothing: round-off of eps/h^2 in the multipliers stays and adds up "
             "over the "
             "steps, so that at 5e-6 it hides the order of lambda, which larger steps show; a little damping "
             "(`hht`, "
             "`generalized-alpha`) or another formulation forgets it.",
             "method\th\tq, h\tq, h/2\torder\tv, h\tv, h/2\torder\tlambda, h\tlambda, h/2\torder");
    for (int i = 0; i < b->order_count; i++) {
        const ki_bottasso_order *o = &b->order[i];
        char method[64];
        double x[3], y[3];
        ki_bottasso_errors(o, 0, x);
        ki_bottasso_errors(o, 1, y);
        keel_method_text(o->method, method);
        *strrchr(method, '/') = 0; /* no word about stabilising */
        ki_table_row(d, "%s\t%.0e\t%.4e\t%.4e\t%.2f\t%.4e\t%.4e\t%.2f\t%.4e\t%.4e\t%.2f", method, o->h, x[0],
                     y[0], log2(x[0] / y[0]), x[1], y[1], log2(x[1] / y[1]), x[2], y[2], log2(x[2] / y[2]));
    }
}

static void draw(ki_draft *d, const bottasso *b, ki_bottasso_quantity what, const keel_figure *figure) {
    ki_figure(d, figure);
    for (int s = 0; s < KI_BOTTASSO_SCALINGS; s++) {
        double y[KI_BOTTASSO_STEPS];
        for (int i = 0; i < KI_BOTTASSO_STEPS; i++)
            y[i] = ki_bottasso_value(b, what, 0, s, i);
        ki_series(d, KI_BOTTASSO_SCALING[s].label, KI_BOTTASSO_STEPS, KI_BOTTASSO_H, y, true);
    }
}

static void conclude(ki_draft *d) {
    const bottasso *b = d->experiment;
    keel_figure figure = {.x_label = "step size h", .x_log = 1, .y_log = 1};
    ki_bottasso_claims(d, b);
    figure.name = "displacements";
    figure.title = "Last correction of the displacements, newmark";
    figure.y_label = KI_BOTTASSO_NAMES[KI_BOTTASSO_Q];
    draw(d, b, KI_BOTTASSO_Q, &figure);
    figure.name = "multipliers";
    figure.title = "Figure 3: last correction of the multipliers, newmark";
    figure.y_label = KI_BOTTASSO_NAMES[KI_BOTTASSO_LAMBDA];
    figure.text = "Newmark's method. Unscaled, round-off in the multipliers grows like h^-2, so that no "
                  "tolerance below "
                  "it can be met; with scaled unknowns (right is enough for that) it stays where it is.";
    draw(d, b, KI_BOTTASSO_LAMBDA, &figure);
    figure.name = "condition";
    figure.title = "Figure 4: condition number of Newton's matrix, newmark";
    figure.y_label = KI_BOTTASSO_NAMES[KI_BOTTASSO_CONDITION];
    figure.text =
        "Newmark's method. Unscaled, the matrix of Newton's method is useless below h = 1e-5; scaled on both "
        "sides it is the same at every h.";
    draw(d, b, KI_BOTTASSO_CONDITION, &figure);
    tabulate_slopes(d, b);
    tabulate_numbers(d, b);
    tabulate_tolerance(d, b);
    tabulate_orders(d, b);
}

const ki_paper_kind KI_BOTTASSO = {
    .facts =
        {.number = "003",
         .name = "bottasso",
         .title = "Scaling of index-3 integrators: the experiment of Bottasso, Dopico and Trainelli",
         .citation = "C. L. Bottasso, D. Dopico, L. Trainelli, Optimal preconditioners for the solution of "
                     "constrained mechanical systems in index-3 form (2006)",
         .text =
             "Andrews' squeezing mechanism (`models/andrews.yaml`), one step of size h from the state of t = "
             "0.01, equations and unknowns unscaled (`scaling: none`), unknowns scaled (`right`) and both "
             "scaled (`both`, Keel's choice). Newmark's method with beta = 1/4, gamma = 1/2; HHT with alpha "
             "= "
             "-0.1; generalized-alpha with rho_infinity = 0.8. The text of the paper lacks the page with "
             "beta, "
             "gamma and the figures; the orders in h are its claim. The method is described in "
             "[index3.md](index3.md)."},
    .prepare = prepare,
    .conclude = conclude,
};
