/* When does projection lower the error of BDF? The pendulum of paper 002 over 50 periods, and the car axis,
 * which is driven: `bdf` with projection and without, over the tolerance and the absolute tolerance as a part
 * of it. The errors are those of all coordinates and velocities, root mean square over the last rows, so that
 * a single lucky moment does not count. */
#include <math.h>

#include "papers/eich.h"
#include "papers/questions.h"

enum { TOLERANCES = 7, PARTS = 5, PROBLEMS = 2, AXIS_ROWS = 31, AXIS_COLUMNS = 8 };
static const double TOLERANCE[TOLERANCES] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
static const double PART[PARTS] = {1, 1e-1, 1e-2, 1e-3, 1e-4};
static const char *const NAMES[PROBLEMS] = {"pendulum, 100 s", "car axis, 3 s"};

typedef struct gain {
    ki_trial run[PROBLEMS][TOLERANCES][PARTS][2]; /* without and with projection */
    ki_trial exact;                               /* of the car axis */
} gain;

static void pick_axis(const keel_row *row, double *x) {
    for (int i = 0; i < 4; i++) {
        x[i] = row->q[i];
        x[4 + i] = row->v[i];
    }
}

static bool begin(ki_draft *d, ki_trial *t, const keel_model *model, int problem, bool projects) {
    if (!ki_trial_init(d, t, model, projects ? "bdf/index1/projection" : "bdf/index1/none"))
        return false;
    t->settings.until = problem == 0 ? 100 : 3;
    t->settings.output = problem == 0 ? 2 : 0.1;
    if (problem == 0)
        ki_trial_record(d, t, KI_EICH_PERIOD_COLUMNS, KI_EICH_PERIODS + 1, ki_eich_pick_period);
    else
        ki_trial_record(d, t, AXIS_COLUMNS, AXIS_ROWS + 1, pick_axis);
    return true;
}

static void prepare(ki_draft *d, ki_batch *batch, void *data) {
    gain *g = data;
    const keel_model *models[PROBLEMS] = {ki_draft_model(d, "pendulum", NULL, 0),
                                          ki_draft_model(d, "car_axis", NULL, 0)};
    if (d->status || !ki_trial_exact(d, &g->exact, models[1], 3))
        return;
    g->exact.settings.output = 0.1;
    ki_trial_record(d, &g->exact, AXIS_COLUMNS, AXIS_ROWS + 1, pick_axis);
    ki_batch_add(batch, d, 0.1, ki_trial_run, &g->exact);
    for (int p = 0; p < PROBLEMS; p++)
        for (int i = 0; i < TOLERANCES; i++)
            for (int k = 0; k < PARTS; k++)
                for (int with = 0; with < 2; with++) {
                    ki_trial *t = &g->run[p][i][k][with];
                    if (!begin(d, t, models[p], p, with))
                        return;
                    t->settings.tolerance = TOLERANCE[i];
                    t->settings.absolute_tolerance = PART[k] * TOLERANCE[i];
                    ki_batch_add(batch, d, 0.1 * (1 + i), ki_trial_run, t);
                }
}

/* Root mean square over the last ten rows. */
static double axis_error(const gain *g, const ki_trial *t) {
    enum { LAST = 10 };
    double sum = 0;
    for (int i = t->record->count - LAST; i < t->record->count; i++)
        for (int k = 0; k < AXIS_COLUMNS; k++)
            sum += pow(t->record->x[k][i] - g->exact.record->x[k][i], 2);
    return sqrt(sum / LAST);
}

static double error_of(const gain *g, int problem, int tolerance, int part, int with) {
    const ki_trial *t = &g->run[problem][tolerance][part][with];
    return problem == 0 ? ki_eich_late_error(t) : axis_error(g, t);
}

static void conclude(ki_draft *d, const void *data) {
    const gain *g = data;
    for (int p = 0; p < PROBLEMS; p++) {
        int lower = 0, fourfold = 0;
        double map[PARTS][TOLERANCES], least = INFINITY, most = 0;
        for (int k = 0; k < PARTS; k++)
            for (int i = 0; i < TOLERANCES; i++) {
                double ratio = map[k][i] = error_of(g, p, i, k, 0) / error_of(g, p, i, k, 1);
                lower += ratio > 1;
                fourfold += ratio >= 4;
                least = fmin(least, ratio);
                most = fmax(most, ratio);
            }
        int cells = PARTS * TOLERANCES;
        ki_claim(d,
                 &(keel_claim){
                     .id = ki_draft_text(d, "question 1, %s", NAMES[p]),
                     .what = "cells of the map in which projection lowers the error of bdf; by 4 times or "
                             "more; range of the factor",
                     .claim = "projection reduces the errors significantly (002, section 3.3)",
                     .why = "half of the cells or more by 4 times is asked for",
                     .verdict = ki_verdict(2 * fourfold >= cells)},
                 "%d of %d; %d; %.2g .. %.2g", lower, cells, fourfold, least, most);
        ki_table(d, ki_draft_text(d, "When does projection lower the error of BDF? %s", NAMES[p]),
                 "Error without projection over the error with it; absolute tolerance as a part of TOL.",
                 "TOL\tpart 1\t1e-1\t1e-2\t1e-3\t1e-4");
        for (int i = 0; i < TOLERANCES; i++)
            ki_table_row(d, "%.0e\t%.2g\t%.2g\t%.2g\t%.2g\t%.2g", TOLERANCE[i], map[0][i], map[1][i],
                         map[2][i], map[3][i], map[4][i]);
        ki_figure(
            d, &(keel_figure){.name = p == 0 ? "gain_pendulum" : "gain_axis",
                              .title = ki_draft_text(d, "What projection gains with bdf: %s", NAMES[p]),
                              .x_label = "TOL",
                              .y_label = "error without / with projection",
                              .x_log = 1,
                              .y_log = 1,
                              .text = p == 0 ? "Above 1 projection lowers the error. It does where the "
                                               "absolute tolerance is small against TOL."
                                             : "Below 1 everywhere: the drift of the driven axle over 3 s is "
                                               "smaller than what projection changes."});
        for (int k = 0; k < PARTS; k++)
            ki_series(d, ki_draft_text(d, "absolute tolerance %.0e TOL", PART[k]), TOLERANCES, TOLERANCE,
                      map[k], true);
    }
}

const ki_question KI_QUESTION_GAIN = {sizeof(gain), prepare, conclude};
