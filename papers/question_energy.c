/* Velocity projection or GGL: which keeps the energy better over long times at equal cost? Generalized-alpha
 * without damping on the index-3 equations with velocity projection, on those of Gear, Gupta and Leimkuhler,
 * and without either; the conserving integrator beside them. Two particles tied to a circle (paper 000) and a
 * double pendulum, neither with dissipation. The cost is counted in evaluations of the model. */
#include <math.h>

#include "papers/questions.h"

enum { METHODS = 4, STEPS = 3, PROBLEMS = 2 };
static const char *const METHOD[METHODS] = {"trapezoidal/index3/none", "trapezoidal/index3/projection",
                                            "trapezoidal/ggl/none", "conserving/index3/none"};
static const double STEP[STEPS] = {0.02, 0.01, 0.005};
static const struct {
    const char *name;
    double until;
} PROBLEM[PROBLEMS] = {{"two particles", 100}, {"double pendulum", 50}};

static const char PENDULUM[] = "keel: 1\n"
                               "name: double pendulum\n"
                               "equations:\n"
                               "  coordinates: {x1: sin(1), y1: -cos(1), x2: sin(1) + sin(2), "
                               "y2: -cos(1) - cos(2)}\n"
                               "  kinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
                               "  potential: 9.81*(y1 + y2)\n"
                               "  holonomic: {upper: x1^2 + y1^2 - 1, lower: (x2 - x1)^2 + (y2 - y1)^2 - 1}\n"
                               "simulate: {until: 50, tolerance: 1e-8}\n";

typedef struct energy {
    ki_trial run[PROBLEMS][METHODS][STEPS];
} energy;

static void prepare(ki_draft *d, ki_batch *batch, void *data) {
    energy *e = data;
    const keel_model *models[PROBLEMS] = {
        ki_draft_model(d, "two_particles", NULL, 0),
        ki_draft_parse(d, "double", PENDULUM, sizeof PENDULUM - 1, NULL, 0)};
    for (int p = 0; p < PROBLEMS; p++)
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < STEPS; k++) {
                ki_trial *t = &e->run[p][m][k];
                if (!ki_trial_init(d, t, models[p], METHOD[m]))
                    return;
                t->settings.until = PROBLEM[p].until;
                t->settings.step = STEP[k];
                t->settings.output = PROBLEM[p].until;
                t->settings.levels = KEEL_LEVELS_VELOCITY;
                t->may_fail = true;
                ki_batch_add(batch, d, 0.5, ki_trial_run, t);
            }
}

/* Largest drift of the energy, relative to its size; infinite if the run did not end. */
static double drift(const ki_trial *t) {
    return t->result->status ? INFINITY : t->result->energy_drift_max / t->result->energy_size;
}

/* Drift of one method over that of another if its steps were as much longer as its evaluations cost more,
 * with the order seen between its two shortest steps. */
static double at_equal_cost(const ki_trial *one, const ki_trial *other) {
    const keel_counts *a = &one[STEPS - 1].result->count, *b = &other[STEPS - 1].result->count;
    double order = log2(drift(&one[STEPS - 2]) / drift(&one[STEPS - 1]));
    return drift(&one[STEPS - 1]) / drift(&other[STEPS - 1]) *
           pow((double)a->evaluations / (double)b->evaluations, order);
}

static void conclude(ki_draft *d, const void *data) {
    const energy *e = data;
    double ratio[PROBLEMS], gained[PROBLEMS];
    ki_table(d, "Velocity projection or GGL: energy over long times",
             "Largest change of the energy over its size; evaluations a step. Fixed steps; rho = 1.",
             "problem\tmethod\th 0.02\th 0.01\th 0.005\tevaluations a step");
    for (int p = 0; p < PROBLEMS; p++) {
        for (int m = 0; m < METHODS; m++) {
            const ki_trial *t = e->run[p][m];
            ki_table_row(d, "%s, %g s\t%s\t%.1e\t%.1e\t%.1e\t%.1f", PROBLEM[p].name, PROBLEM[p].until,
                         METHOD[m], drift(&t[0]), drift(&t[1]), drift(&t[2]),
                         (double)t[2].result->count.evaluations / (double)t[2].result->count.steps);
        }
        ratio[p] = at_equal_cost(e->run[p][2], e->run[p][1]);
        gained[p] = drift(&e->run[p][0][2]) / drift(&e->run[p][1][2]);
    }
    ki_claim(d,
             &(keel_claim){
                 .id = "question 4",
                 .what = "drift of the energy at h = 0.005: without any of the two over that with velocity "
                         "projection; GGL over velocity projection at equal cost; two particles, double "
                         "pendulum",
                 .claim = "velocity projection stabilizes (000, section 3); GGL is not compared",
                 .why = "agrees if projection lowers the drift on both problems by twice or more",
                 .verdict = ki_verdict(gained[0] >= 2 && gained[1] >= 2)},
             "%.2g, %.2g; %.2g, %.2g", gained[0], gained[1], ratio[0], ratio[1]);
}

const ki_question KI_QUESTION_ENERGY = {sizeof(energy), prepare, conclude};
