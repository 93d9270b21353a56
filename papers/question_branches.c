/* Which methods keep the branch at folds? Two windows of bars (models/four_bars.yaml) lie flat ten times in
 * 10 s; in each flat pose another branch begins, and on the right one the couplers stay horizontal. Every
 * integrator with every way to hold the constraints that it can be combined with, at five tolerances; fixed
 * steps as many as the adaptive ones take at that tolerance, in round numbers. */
#include <math.h>

#include "papers/questions.h"

enum { METHODS = 16, LEVELS = 5 };
static const char *const METHOD[METHODS] = {
    "dopri5/index1/projection",      "dopri5/index1/gradient",
    "dopri5/partitioned/none",       "dopri5/index1/none",
    "dop853/index1/projection",      "dop853/index1/gradient",
    "dop853/penalty/baumgarte",      "dop853/index1/baumgarte",
    "adams/index1/projection",       "bdf/index1/projection",
    "radau5/index1/projection",      "radau9/index1/projection",
    "rk4/index1/projection",         "bdf-fixed/index1/projection",
    "generalized-alpha/index3/none", "generalized-alpha/index3/projection"};
static const double TOLERANCE[LEVELS] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
static const double STEP[LEVELS] = {0.02, 0.01, 0.005, 0.002, 0.001};

typedef struct branches {
    ki_trial run[METHODS][LEVELS];
} branches;

static void prepare(ki_draft *d, ki_batch *batch, void *data) {
    branches *b = data;
    const keel_model *model = ki_draft_model(d, "four_bars", NULL, 0);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < LEVELS; k++) {
            ki_trial *t = &b->run[m][k];
            if (!ki_trial_init(d, t, model, METHOD[m]))
                return;
            bool fixed =
                t->settings.method.integrator == KEEL_RK4 || t->settings.method.integrator == KEEL_BDF_FIXED;
            t->settings.output = 10;
            t->settings.tolerance = t->settings.absolute_tolerance = TOLERANCE[k];
            t->settings.step = fixed ? STEP[k] : 0;
            t->settings.order = t->settings.method.integrator == KEEL_BDF_FIXED ? 3 : 0;
            t->may_fail = true;
            ki_batch_add(batch, d, 0.3, ki_trial_run, t);
        }
}

typedef enum outcome { KEPT, STOPPED, LEFT } outcome;

/* Couplers of length 1 that are not horizontal have another branch. */
static outcome outcome_of(const ki_trial *t) {
    if (t->result->status || !t->result->final)
        return STOPPED;
    const double *q = t->result->final->q;
    double dx = q[2] - q[0], dy = q[3] - q[1];
    return hypot(dx - 1, dy) < 0.05 ? KEPT : LEFT;
}

static void conclude(ki_draft *d, const void *data) {
    static const char *const WORDS[] = {"kept", "stops", "LEFT"};
    const branches *b = data;
    int kept = 0, projected = 0, silent = 0, runs = 0;
    ki_table(d, "Which methods keep the branch at folds?",
             "Two windows of bars through ten flat poses in 10 s: kept; stops (with a "
             "message); LEFT: "
             "ends on another branch. Of rk4 and bdf-fixed the steps are 0.02, 0.01, 0.005, 0.002, 0.001.",
             "method\t1e-4\t1e-6\t1e-8\t1e-10\t1e-12");
    for (int m = 0; m < METHODS; m++) {
        outcome o[LEVELS];
        bool adaptive = m < 12, projects = m != 2 && m != 3 && m != 6 && m != 7;
        for (int k = 0; k < LEVELS; k++) {
            o[k] = outcome_of(&b->run[m][k]);
            if (adaptive && projects) {
                projected++;
                kept += o[k] == KEPT;
            }
            silent += o[k] == LEFT;
            runs++;
        }
        ki_table_row(d, "%s\t%s\t%s\t%s\t%s\t%s", METHOD[m], WORDS[o[0]], WORDS[o[1]], WORDS[o[2]],
                     WORDS[o[3]], WORDS[o[4]]);
    }
    ki_claim(d,
             &(keel_claim){
                 .id = "question 5",
                 .what = "adaptive methods with projection or gradient correction: runs that keep the "
                         "branch; of all methods, runs that end on another one",
                 .claim = "penalties pass singular poses, Baumgarte does not (004); Keel: projection keeps "
                          "the branch at every tolerance",
                 .why = "all of them are asked for",
                 .verdict = ki_verdict(kept == projected)},
             "%d of %d; %d of %d", kept, projected, silent, runs);
}

const ki_question KI_QUESTION_BRANCHES = {sizeof(branches), prepare, conclude};
