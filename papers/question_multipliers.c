/* Which order has lambda in every method, at steps and between? The pendulum of paper 002 to t = 0.8 with
 * steps of one length, halved: errors of q, of lambda at the end, of the multipliers that the last step was
 * solved for (where a method has some of its own), and of lambda in 49 rows, most of them between steps. The
 * same over six models and all formulations is docs/orders.md. */
#include <math.h>

#include "papers/questions.h"

enum { METHODS = 17, ROWS = 49, COLUMNS = 4, LAMBDA = 3 };
static const double END = 0.8;

static const struct {
    const char *method;
    int order, stated; /* of bdf-fixed; of the method */
    double step;
} METHOD[METHODS] = {
    {"rk4/index1/projection", 0, 4, 0.8 / 50},
    {"bdf-fixed/index1/projection", 1, 1, 0.8 / 800},
    {"bdf-fixed/index1/projection", 2, 2, 0.8 / 400},
    {"bdf-fixed/index1/projection", 3, 3, 0.8 / 200},
    {"bdf-fixed/index1/projection", 4, 4, 0.8 / 200},
    {"bdf-fixed/index1/projection", 5, 5, 0.8 / 200},
    {"newmark/index3/none", 0, 2, 0.8 / 200},
    {"hht/index3/none", 0, 2, 0.8 / 200},
    {"generalized-alpha/index3/none", 0, 2, 0.8 / 200},
    {"generalized-alpha/index2/none", 0, 2, 0.8 / 200},
    {"generalized-alpha/ggl/none", 0, 2, 0.8 / 200},
    {"generalized-alpha/index3/projection", 0, 2, 0.8 / 200},
    {"trapezoidal/index3/none", 0, 2, 0.8 / 200},
    {"trapezoidal/ggl/none", 0, 2, 0.8 / 200},
    {"midpoint/index3/none", 0, 2, 0.8 / 200},
    {"conserving/index3/none", 0, 2, 0.8 / 200},
    {"conserving/index3/projection", 0, 2, 0.8 / 200},
};

typedef struct multipliers {
    ki_trial run[METHODS][2], exact, middle[METHODS][2]; /* exact half a step before the end */
} multipliers;

static void pick(const keel_row *row, double *x) {
    x[0] = row->t;
    x[1] = row->q[0];
    x[2] = row->q[1];
    x[LAMBDA] = row->lambda[0];
}

static bool in_the_middle(int m) {
    return METHOD[m].method[0] == 'c' || METHOD[m].method[0] == 'm';
}

static void prepare(ki_draft *d, ki_batch *batch, void *data) {
    multipliers *e = data;
    const keel_model *model = ki_draft_model(d, "pendulum", NULL, 0);
    if (!model || !ki_trial_exact(d, &e->exact, model, END))
        return;
    e->exact.settings.output = END / ROWS;
    ki_trial_record(d, &e->exact, COLUMNS, ROWS + 2, pick);
    ki_batch_add(batch, d, 0.05, ki_trial_run, &e->exact);
    for (int m = 0; m < METHODS; m++)
        for (int half = 0; half < 2; half++) {
            ki_trial *t = &e->run[m][half];
            double h = METHOD[m].step / (half + 1);
            if (!ki_trial_init(d, t, model, METHOD[m].method) ||
                !ki_trial_exact(d, &e->middle[m][half], model, END - h / 2))
                return;
            t->settings.until = END;
            t->settings.output = END / ROWS;
            t->settings.step = h;
            t->settings.order = METHOD[m].order;
            t->settings.newton_tolerance = 1e-13;
            ki_trial_record(d, t, COLUMNS, ROWS + 2, pick);
            ki_trial_own_multipliers(d, t);
            ki_batch_add(batch, d, 0.02, ki_trial_run, t);
            ki_batch_add(batch, d, 0.02, ki_trial_run, &e->middle[m][half]);
        }
}

enum { OF_Q, OF_LAMBDA, OWN, IN_ROWS, ERRORS };

static void errors_of(const multipliers *e, int m, int half, double error[ERRORS]) {
    const ki_record *r = e->run[m][half].record, *exact = e->exact.record;
    int last = exact->count - 1;
    double own = in_the_middle(m) ? e->middle[m][half].result->final->lambda[0] : exact->x[LAMBDA][last];
    error[OF_Q] = hypot(r->x[1][last] - exact->x[1][last], r->x[2][last] - exact->x[2][last]);
    error[OF_LAMBDA] = fabs(r->x[LAMBDA][last] - exact->x[LAMBDA][last]);
    error[OWN] = fabs(e->run[m][half].lambda[0] - own);
    error[IN_ROWS] = 0;
    for (int i = 0; i <= last; i++)
        error[IN_ROWS] = fmax(error[IN_ROWS], fabs(r->x[LAMBDA][i] - exact->x[LAMBDA][i]));
}

static void conclude(ki_draft *d, const void *data) {
    const multipliers *e = data;
    int right = 0;
    ki_table(d, "Which order has lambda in every method, at steps and between?",
             "Pendulum to t = 0.8, orders from h and h/2. \"Own\": the multipliers that the last step was "
             "solved for, "
             "compared in its middle for midpoint and conserving; rows have those of the index-1 form at "
             "their state. "
             "The same over six models: [orders.md](orders.md).",
             "method\torder of the method\tq\tlambda\town\trows");
    for (int m = 0; m < METHODS; m++) {
        double error[2][ERRORS], p[ERRORS];
        errors_of(e, m, 0, error[0]);
        errors_of(e, m, 1, error[1]);
        for (int k = 0; k < ERRORS; k++)
            p[k] = log2(error[0][k] / error[1][k]);
        bool has_own = METHOD[m].order == 0 && m > 0;
        right += p[OF_LAMBDA] > METHOD[m].stated - 0.25 && p[IN_ROWS] > METHOD[m].stated - 0.25;
        const char *name = METHOD[m].order ? ki_draft_text(d, "%s, k = %d", METHOD[m].method, METHOD[m].order)
                                           : METHOD[m].method;
        ki_table_row(d, "%s\t%d\t%.2f\t%.2f\t%s\t%.2f", name, METHOD[m].stated, p[OF_Q], p[OF_LAMBDA],
                     has_own ? ki_draft_text(d, "%.2f", p[OWN]) : "-", p[IN_ROWS]);
    }
    ki_claim(d,
             &(keel_claim){
                 .id = "question 2",
                 .what = "methods whose multipliers have the order of the method, at the end and in rows",
                 .claim = "all of them",
                 .why = "a quarter of an order less at most",
                 .verdict = ki_verdict(right == METHODS),
                 .robust = 1},
             "%d of %d", right, METHODS);
}

const ki_question KI_QUESTION_MULTIPLIERS = {sizeof(multipliers), prepare, conclude};
