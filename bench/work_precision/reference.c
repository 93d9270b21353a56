/* References that do not come from the solver that is measured, where there are any; elsewhere Keel's own run
 * at its tightest tolerance, compared with the best run of a peer.
 *
 *     pendulum     the start, after whole periods of 2 s (its g is chosen so)
 *     four-bar     while the windows are parallelograms: I th'' = 9.81 S sin(th), th(0) = 0, th'(0) = 1,
 *                  I = (N+1)/3 + N, S = (N+1)/2 + N; integrated here in long double
 *     Andrews, car axis    quadruple precision, see models/andrews.yaml and models/car_axis.yaml
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../problems.h"
#include "table.h"

typedef struct known {
    const char *problem;
    double q[7], v[7];
    int n;
} known;

static const known KNOWN[] = {
    {"andrews",
     {15.810771195153707, -15.756371058411839, 0.040822240119645805, -0.53473011634207959,
      0.52440996587995407, 0.53473011634207959, 1.0480807410419379},
     {1139.9203022591061, -1424.3792951775401, 11.032911910618594, 19.293374105032041, 0.57356991482950245,
      -19.293374105032041, 0.32317914924913087},
     7},
    {"caraxis",
     {0.049345578427524092, 0.49698946023000811, 1.0417425248854261, 0.37391102726536582},
     {-0.077058368403592084, 0.0074468665920684165, 0.017556815753541737, 0.77034104377960106},
     4},
    {"pendulum-10", {1, 0}, {0, 0}, 2},
    {"pendulum-100", {1, 0}, {0, 0}, 2},
};

static void take_known(const known *k, reference *ref) {
    ref->n_q = ref->n_v = k->n;
    memcpy(ref->q, k->q, (size_t)k->n * sizeof(double));
    memcpy(ref->v, k->v, (size_t)k->n * sizeof(double));
    snprintf(ref->origin, sizeof ref->origin, "known (models/%s)", bench_find_problem(k->problem)->model);
}

/* Runge-Kutta of order 4 with a million steps: error of the method 1e-19, of round-off 1e-16. */
static void four_bars(int N, double until, reference *ref) {
    const long double c = 9.81L * ((N + 1) / 2.0L + N) / ((N + 1) / 3.0L + N),
                      h = (long double)until / 1000000;
    long double th = 0, w = 1;
    for (long i = 0; i < 1000000; i++) {
        long double a1 = c * sinl(th), w2 = w + h / 2 * a1, a2 = c * sinl(th + h / 2 * w),
                    w3 = w + h / 2 * a2, a3 = c * sinl(th + h / 2 * w2), w4 = w + h * a3,
                    a4 = c * sinl(th + h * w3);
        th += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    double x = (double)sinl(th), y = (double)cosl(th), vx = (double)(w * cosl(th)),
           vy = (double)(-w * sinl(th));
    *ref = (reference){.q = {x, y, N + x, y}, .v = {vx, vy, vx, vy}, .n_q = 4, .n_v = 4, .uncertainty = NAN};
    snprintf(ref->origin, sizeof ref->origin, "one angle is enough: I th'' = 9.81 S sin(th), in long double");
}

/* Keel's run with the method and tolerance that are the most careful. */
static void by_keel(const bench_problem *problem, const request *r, reference *ref) {
    curve c = {.solver = "keel", .method = "dop853/index1/projection"};
    point p;
    double tolerance = fmax(1e-13, 0.01 * problem->tightest);
    request patient = *r;
    patient.limit = 600;
    snprintf(c.problem, sizeof c.problem, "%s", problem->name);
    if (!run_once(&c, tolerance, 1, &patient, &p)) {
        fprintf(stderr, "\nno reference for %s: %s\n", problem->name, p.end.why);
        return;
    }
    ref->n_q = p.end.n_q;
    ref->n_v = p.end.n_v;
    memcpy(ref->q, p.end.q, sizeof ref->q);
    memcpy(ref->v, p.end.v, sizeof ref->v);
    snprintf(ref->origin, sizeof ref->origin, "Keel, %s at a tolerance of %g", c.method, tolerance);
}

void find_reference(table *t, int problem, const request *r) {
    const bench_problem *about = &BENCH_PROBLEMS[problem];
    reference *ref = &t->references[problem];
    int N = bench_size(about->name, "fourbar");
    *ref = (reference){.uncertainty = NAN};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(KNOWN[i].problem, about->name) == 0)
            take_known(&KNOWN[i], ref);
    if (N > 0)
        four_bars(N, about->until, ref);
    else if (ref->n_q == 0)
        by_keel(about, r, ref);
}

static double difference(int n, const double *a, int m, const double *b) {
    double most = n > 0 && n == m ? 0 : NAN;
    for (int i = 0; i < n && n == m; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* A run that gave no number, or too few of them, is no run. */
static void measure(point *p, const reference *ref) {
    if (!p->good)
        return;
    p->error_q = difference(ref->n_q, ref->q, p->end.n_q, p->end.q);
    p->error_v = difference(ref->n_v, ref->v, p->end.n_v, p->end.v);
    if (isfinite(p->error_q))
        return;
    p->good = false;
    snprintf(p->end.why, sizeof p->end.why, "%d positions instead of %d", p->end.n_q, ref->n_q);
}

void measure_errors(table *t, int problem) {
    reference *ref = &t->references[problem];
    for (int i = 0; i < t->count; i++) {
        curve *c = &t->curves[i];
        if (strcmp(c->problem, BENCH_PROBLEMS[problem].name) != 0)
            continue;
        for (int k = 0; k < c->count; k++) {
            measure(&c->points[k], ref);
            if (!is_keel(c) && c->points[k].good)
                ref->uncertainty = fmin(ref->uncertainty, c->points[k].error_q);
        }
    }
}
