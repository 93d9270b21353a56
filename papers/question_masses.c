/* For which penalty masses alpha and steps h does rk4 fail? The arm of paper 004 to 2 s by the modified
 * Lagrange equations with the gains of its figure 3; and with dopri5, whose steps follow the error. */
#include <math.h>

#include "papers/questions.h"

enum { MASSES = 13, STEPS = 21 };
static const double END_Q2 = 1.7545496597039; /* of the exact motion, in closed form */

typedef struct masses {
    ki_trial fixed[MASSES][STEPS], adaptive[MASSES];
} masses;

static double mass_of(int i) {
    return pow(10, i);
}

/* 1e-3 to 0.1 in equal ratios, made whole parts of 2 s. */
static double step_of(int i) {
    return 2 / round(2 / (1e-3 * pow(100, i / (STEPS - 1.0))));
}

static bool begin(ki_draft *d, ki_trial *t, const keel_model *model, const char *method, double mass) {
    static const char *const ROWS[] = {"height", "travel"};
    static const double K_D[] = {20, 10}, K_P[] = {100, 25};
    if (!ki_trial_init(d, t, model, method))
        return false;
    t->settings.output = 2;
    t->settings.K_D = (keel_gain){.kind = KEEL_GAIN_NAMED, .count = 2, .names = ROWS, .values = K_D};
    t->settings.K_P = (keel_gain){.kind = KEEL_GAIN_NAMED, .count = 2, .names = ROWS, .values = K_P};
    t->settings.penalty = (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = mass};
    t->may_fail = true;
    return true;
}

static void prepare(ki_draft *d, ki_batch *batch, void *data) {
    masses *m = data;
    const keel_model *model = ki_draft_model(d, "two_link", NULL, 0);
    for (int i = 0; i < MASSES && !d->status; i++) {
        if (!begin(d, &m->adaptive[i], model, "dopri5/penalty/baumgarte", mass_of(i)))
            return;
        m->adaptive[i].settings.tolerance = 1e-9;
        ki_batch_add(batch, d, 0.3, ki_trial_run, &m->adaptive[i]);
        for (int k = 0; k < STEPS; k++) {
            if (!begin(d, &m->fixed[i][k], model, "rk4/penalty/baumgarte", mass_of(i)))
                return;
            m->fixed[i][k].settings.step = step_of(k);
            ki_batch_add(batch, d, 0.02, ki_trial_run, &m->fixed[i][k]);
        }
    }
}

/* It did not get to its end, or is off by a tenth of a radian. */
static bool fails(const ki_trial *t) {
    const keel_state *end = t->result->final;
    return t->result->status || !end || !(fabs(end->q[1] - END_Q2) < 0.1);
}

static void conclude(ki_draft *d, const void *data) {
    const masses *m = data;
    double alpha[MASSES], failed[MASSES], first = INFINITY;
    int adaptive = 0, small = 0, large = 0, large_cells = 0;
    ki_table(
        d, "For which penalty masses and steps does rk4 fail?",
        "Two-link arm to 2 s, gains of figure 3 of paper 004. Steps of 21 lengths from 0.001 to 0.1: how "
        "many "
        "of the runs end early or off by more than 0.1 rad; the same of dopri5 at 1e-9. Where the constraint "
        "mass is small the mechanism gives way, which is an error of the model and not of the step.",
        "alpha\trk4: failures of 21\tdopri5");
    for (int i = 0; i < MASSES; i++) {
        int count = 0;
        for (int k = 0; k < STEPS; k++)
            count += fails(&m->fixed[i][k]);
        bool by_model = fails(&m->adaptive[i]);
        alpha[i] = mass_of(i), failed[i] = count;
        adaptive += alpha[i] >= 1e3 && by_model;
        if (alpha[i] >= 1e3 && count && alpha[i] < first)
            first = alpha[i];
        small += alpha[i] >= 1e3 && alpha[i] < 1e7 ? count : 0;
        large += alpha[i] >= 1e8 ? count : 0;
        large_cells += alpha[i] >= 1e8 ? STEPS : 0;
        ki_table_row(d, "%.0e\t%d\t%s", alpha[i], count, by_model ? "fails" : "runs");
    }
    ki_figure(d, &(keel_figure){.name = "masses",
                                .title = "Penalty masses for which rk4 fails",
                                .x_label = "alpha",
                                .y_label = "failing steps of 21",
                                .x_log = 1,
                                .text = "Runs of rk4 with 21 step sizes from 0.001 to 0.1."});
    ki_series(d, "rk4", MASSES, alpha, failed, true);
    ki_claim(d,
             &(keel_claim){
                 .id = "question 6",
                 .what = "rk4: failures with alpha 1e3 to 1e6, with 1e8 and more, of so many; first alpha "
                         "with one; dopri5 with 1e3 and more",
                 .claim = "alpha too high makes the system unstable (004, section 3)",
                 .why = "true of fixed steps: agrees if a tenth of the large masses fails and fewer of "
                        "the small ones do",
                 .verdict = ki_verdict(10 * large >= large_cells && small < large)},
             "%d of %d; %d of %d; %.0e; %d", small, 4 * STEPS, large, large_cells, first, adaptive);
}

const ki_question KI_QUESTION_MASSES = {sizeof(masses), prepare, conclude};
