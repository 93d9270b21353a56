/* Which rules for Baumgarte's gains, Phi'' + 2 a Phi' + b^2 Phi = 0, keep order and stability? Fixed steps of
 * rk4 on the pendulum and the slider-crank:
 *
 *     constants     a = b = 5, 20, 50: the range that textbooks advise
 *     1/h           a = b = 1/h: critically damped, as fast as the step allows
 *     Taylor        a = 1/h, b = sqrt(2)/h: Phi vanishes to second order at the end of the step
 *     automatic     Keel's: as fast as the motion
 */
#include <math.h>

#include "papers/questions.h"

enum { RULES = 6, HALVINGS = 4, PROBLEMS = 2 };

static const struct {
    const char *name;
    double constant, by_step, b_over_a; /* a = constant + by_step / h; 0, 0: automatic */
} RULE[RULES] = {{"a = b = 5", 5, 0, 1},
                 {"a = b = 20", 20, 0, 1},
                 {"a = b = 50", 50, 0, 1},
                 {"a = b = 1/h", 0, 1, 1},
                 {"a = 1/h, b = sqrt(2)/h", 0, 1, 1.4142135623730951},
                 {"automatic", 0, 0, 1}};
static const struct {
    const char *model;
    double until, step;
} PROBLEM[PROBLEMS] = {{"pendulum", 0.8, 0.02}, {"slider_crank", 0.5, 0.02}};

typedef struct rules {
    ki_trial run[PROBLEMS][RULES][HALVINGS], exact[PROBLEMS];
} rules;

static void prepare(ki_draft *d, ki_batch *batch, void *data) {
    rules *r = data;
    for (int p = 0; p < PROBLEMS; p++) {
        const keel_model *model = ki_draft_model(d, PROBLEM[p].model, NULL, 0);
        if (!model || !ki_trial_exact(d, &r->exact[p], model, PROBLEM[p].until))
            return;
        ki_batch_add(batch, d, 0.05, ki_trial_run, &r->exact[p]);
        for (int i = 0; i < RULES; i++)
            for (int k = 0; k < HALVINGS; k++) {
                ki_trial *t = &r->run[p][i][k];
                double h = PROBLEM[p].step / (1 << k), a = RULE[i].constant + RULE[i].by_step / h;
                if (!ki_trial_init(d, t, model, "rk4/index1/baumgarte"))
                    return;
                t->settings.until = PROBLEM[p].until;
                t->settings.step = h;
                t->settings.output = 0;
                t->settings.alpha = a;
                t->settings.beta = RULE[i].b_over_a * a;
                t->may_fail = true;
                ki_batch_add(batch, d, 0.02, ki_trial_run, t);
            }
    }
}

/* Error of q and v at the end; infinite if the run did not get there. */
static double error_of(const rules *r, int problem, int rule, int halving) {
    const ki_trial *t = &r->run[problem][rule][halving];
    const keel_system *sys = t->model->system;
    const keel_state *a = t->result->final, *b = r->exact[problem].result->final;
    if (t->result->status)
        return INFINITY;
    return hypot(ki_length_between(a->q, b->q, sys->n_q), ki_length_between(a->v, b->v, sys->n_v));
}

static void conclude(ki_draft *d, const void *data) {
    const rules *r = data;
    double order[PROBLEMS][RULES];
    ki_table(
        d, "Which rules for Baumgarte's gains keep order and stability?",
        "rk4 with fixed steps: error of q and v at the end with the longest and the shortest step, order "
        "between the two shortest, largest violation with the longest.",
        "problem\trule\terror, h\terror, h/8\torder\tviolation, h");
    for (int p = 0; p < PROBLEMS; p++)
        for (int i = 0; i < RULES; i++) {
            double e[HALVINGS];
            for (int k = 0; k < HALVINGS; k++)
                e[k] = error_of(r, p, i, k);
            order[p][i] = log2(e[HALVINGS - 2] / e[HALVINGS - 1]);
            ki_table_row(d, "%s\t%s\t%.1e\t%.1e\t%.2f\t%.1e", PROBLEM[p].model, RULE[i].name, e[0],
                         e[HALVINGS - 1], order[p][i], r->run[p][i][0].result->position.max);
        }
    bool constants = true, steps = true;
    for (int p = 0; p < PROBLEMS; p++) {
        constants = constants && order[p][0] > 3.7 && order[p][1] > 3.7 && order[p][5] > 3.7;
        steps = steps && !(order[p][3] > 3) && !(order[p][4] > 3);
    }
    ki_claim(d,
             &(keel_claim){.id = "question 3, by the motion",
                           .what = "rk4, orders with a = b = 5, 20, and Keel's automatic gains, two problems",
                           .claim = "4: gains that do not know the step keep the order",
                           .why = "3.7 or more is asked for",
                           .verdict = ki_verdict(constants),
                           .robust = 1},
             "%.2f, %.2f, %.2f; %.2f, %.2f, %.2f", order[0][0], order[0][1], order[0][5], order[1][0],
             order[1][1], order[1][5]);
    ki_claim(d,
             &(keel_claim){
                 .id = "question 3, by the step",
                 .what = "rk4, orders with a = b = 1/h, and with b = sqrt(2)/h, two problems",
                 .claim = "gains of the size of 1/h cost order: stages off the constraints are fed back at "
                          "full strength",
                 .why = "3 or less is what the claim means",
                 .verdict = ki_verdict(steps),
                 .robust = 1},
             "%.2f, %.2f; %.2f, %.2f", order[0][3], order[0][4], order[1][3], order[1][4]);
}

const ki_question KI_QUESTION_RULES = {sizeof(rules), prepare, conclude};
