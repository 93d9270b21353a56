/* Violations of the two-link arm from a start off the constraints, under the generalized Baumgarte equations,
 * against the exact solution of
 *
 *     Theta'' + K_D Theta' + K_P Theta = 0                                                  eq. 16
 *
 * with full matrices, and how fast they fade: with K_D = d and K_P = p, numbers, every violation ends as
 * exp(-r t), r the smaller root of r^2 - d r + p. The runs end before the singular pose. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "papers/experiment.h"
#include "papers/mukharlyamov.h"

enum { N = 2, ROWS = 304 };
enum { T, THETA, RATE = THETA + N, COLUMNS = RATE + N };

static const double UNTIL = 0.3;
static const double K_D[N * N] = {30, 8, 8, 20}, K_P[N * N] = {300, -60, -60, 200};

/* d, p and the smaller root. */
static const double PAIRS[KI_DECAY_PAIRS][3] = {{60, 500, 10}, {90, 1400, 20}, {140, 4000, 40}};

/* Theta and Theta' of the example, v = 0.6. */
static void pick(const keel_row *row, double *x) {
    const double *q = row->q, *v = row->v, x0 = 0.295965153673;
    double both = q[0] + q[1], turn = v[0] + v[1];
    x[T] = row->t;
    x[THETA] = sin(q[0]) + 0.5 * sin(both) - 0.5;
    x[THETA + 1] = cos(q[0]) + 0.5 * cos(both) + 0.6 * row->t - x0;
    x[RATE] = cos(q[0]) * v[0] + 0.5 * cos(both) * turn;
    x[RATE + 1] = -sin(q[0]) * v[0] - 0.5 * sin(both) * turn + 0.6;
}

/* The start of the model, moved. */
static keel_state *start_off(ki_draft *d, const keel_model *model) {
    static const double Q_OFF[N] = {0.04, -0.03}, V_OFF[N] = {-0.2, 0.5};
    keel_state *s = KI_NEW(&d->memory, keel_state, 1);
    double *numbers = KI_NEW(&d->memory, double, 3 * N + 2);
    if (!s || !numbers) {
        d->status = KEEL_ERROR_MEMORY;
        return NULL;
    }
    *s = (keel_state){.t = model->start->t,
                      .q = numbers,
                      .v = numbers + N,
                      .lambda = numbers + 2 * N,
                      .z = numbers + 3 * N,
                      .s = numbers + 3 * N + 1};
    for (int i = 0; i < N; i++) {
        s->q[i] = model->start->q[i] + Q_OFF[i];
        s->v[i] = model->start->v[i] + V_OFF[i];
    }
    return s;
}

bool ki_decay_prepare(ki_draft *d, ki_batch *batch, ki_decay *e, const keel_model *model) {
    if (!model)
        return false;
    const keel_state *start = start_off(d, model);
    for (int i = 0; start && i <= KI_DECAY_PAIRS; i++) {
        ki_trial *t = i ? &e->pair[i - 1] : &e->full;
        if (!ki_trial_init(d, t, model, "dop853/index1/baumgarte"))
            return false;
        t->start = start;
        t->settings.start_state = KEEL_START_AS_GIVEN;
        t->settings.until = UNTIL;
        t->settings.tolerance = 1e-12;
        t->settings.output = 0.001;
        t->settings.K_D = i ? (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = PAIRS[i - 1][0]}
                            : (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = N, .values = K_D};
        t->settings.K_P = i ? (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = PAIRS[i - 1][1]}
                            : (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = N, .values = K_P};
        ki_trial_record(d, t, COLUMNS, ROWS, pick);
        ki_batch_add(batch, d, 0.02, ki_trial_run, t);
    }
    return start != NULL;
}

/* (Theta, Theta')' of eq. 16 */
static void rate(const double x[2 * N], double k[2 * N]) {
    for (int i = 0; i < N; i++) {
        k[i] = x[N + i];
        k[N + i] = -ki_dot(N, K_D + i * N, x + N) - ki_dot(N, K_P + i * N, x);
    }
}

/* A step of the classical Runge-Kutta method: errors of 1e-13 over the run with steps of 5e-5. */
static void advance(double x[2 * N], double h) {
    double k[4][2 * N], y[2 * N];
    rate(x, k[0]);
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < 2 * N; i++)
            y[i] = x[i] + (s == 3 ? h : h / 2) * k[s - 1][i];
        rate(y, k[s]);
    }
    for (int i = 0; i < 2 * N; i++)
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static double length(const ki_record *r, int row) {
    return hypot(r->x[THETA][row], r->x[THETA + 1][row]);
}

/* Largest difference from the solution of eq. 16, relative to the largest violation. */
static double difference_from_solution(const ki_record *r) {
    double x[2 * N], most = 0, size = 0;
    for (int i = 0; i < 2 * N; i++)
        x[i] = r->x[THETA + i][0];
    for (int row = 0; row < r->count; row++) {
        for (int i = 0; i < N; i++)
            most = fmax(most, fabs(r->x[THETA + i][row] - x[i]));
        size = fmax(size, length(r, row));
        double h = row + 1 < r->count ? (r->x[T][row + 1] - r->x[T][row]) / 20 : 0;
        for (int k = 0; k < 20; k++)
            advance(x, h);
    }
    return most / size;
}

/* -d/dt ln |Theta| over the last third of the run. */
static double rate_of_decay(const ki_record *r) {
    int last = r->count - 1, first = 2 * r->count / 3;
    return log(length(r, first) / length(r, last)) / (r->x[T][last] - r->x[T][first]);
}

void ki_decay_claim(ki_draft *d, const ki_decay *e) {
    const ki_record *r = e->full.record;
    double error = difference_from_solution(r), found[KI_DECAY_PAIRS];
    bool right = true;
    for (int i = 0; i < KI_DECAY_PAIRS; i++) {
        found[i] = rate_of_decay(e->pair[i].record);
        right = right && ki_near(found[i] / PAIRS[i][2], 1, 0.02);
    }
    ki_claim(
        d,
        &(keel_claim){
            .id = "004 eq. 16, decay",
            .what =
                "generalized Baumgarte with full K_D, K_P from a start off the constraints: |Theta| at 0 and "
                "at 0.3 s, largest difference from the solution of eq. 16",
            .claim = "the constraints are asymptotically stable",
            .why = "start_state: as_given; the violations are those of the linear equation, so they fade",
            .verdict = ki_verdict(error < 1e-8 && length(r, r->count - 1) < 0.1 * length(r, 0)),
            .robust = 1},
        "%.3g, %.3g; %.0e of the largest", length(r, 0), length(r, r->count - 1), error);
    ki_claim(d,
             &(keel_claim){
                 .id = "004 eq. 16, rate",
                 .what = "the same with K_D, K_P = (60, 500), (90, 1400), (140, 4000): rate of decay, 1/s",
                 .claim = "10, 20, 40: the smaller root of r^2 - K_D r + K_P",
                 .why = "over the last third of the run, where the faster root is gone",
                 .verdict = ki_verdict(right),
                 .robust = 1},
             "%.3f, %.3f, %.3f", found[0], found[1], found[2]);
}
