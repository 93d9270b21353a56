/* Steps and motions for equations 12 to 14 and remark 3 of the paper of garcia.c, on random systems. */
#include <math.h>
#include <string.h>

#include "formulate/taking.h"
#include "linalg/dense.h"
#include "papers/experiment.h"
#include "papers/garcia_theory.h"
#include "papers/random_system.h"

/* One step of an implicit rule on a system without forces: what it makes of the energy, and what eq. 12 or 13
 * say. The constraint forces are the combination of the columns `places` of J^T that explains M (v1 - v0) /
 * h; what it leaves is told, too. */
typedef struct step_energy {
    double change, equation, left; /* relative to the energy; `left` to M (v1 - v0) / h */
    double rule;                   /* |q1 - q0 - h (v0 + v1) / 2| over |q1 - q0|         */
} step_energy;

static keel_status take_step(const ki_random_system *s, const char *method, double h, double *q, double *v) {
    int n = s->kind.n;
    keel_state *start = keel_state_new(&s->system);
    keel_settings settings = keel_settings_default();
    keel_result end = {0};
    if (!start)
        return KEEL_ERROR_MEMORY;
    settings.method = ki_method(method);
    settings.step = settings.until = h;
    settings.output = 0;
    memcpy(start->v, v, (size_t)n * sizeof *v);
    keel_status status = keel_run(&s->system, start, 1, &settings, NULL, NULL, &end);
    if (!status && end.final) {
        memcpy(q, end.final->q, (size_t)n * sizeof *q);
        memcpy(v, end.final->v, (size_t)n * sizeof *v);
    }
    keel_result_clear(&end);
    keel_state_free(start);
    return status;
}

/* Row i of J at q. */
static void row_at(const ki_random_system *s, int i, const double *q, double *row) {
    int n = s->kind.n;
    for (int j = 0; j < n; j++)
        row[j] = s->linear[i * n + j] + q[j] * (s->square[i * n + j] + q[j] * s->cube[i * n + j] / 2);
}

/* Of the force M (v1 - v0) / h the part that lies in the space of the rows of J at `count` places along the
 * step; its work over q1 - q0 is that of the equations. */
static void compare_step(const ki_random_system *s, ki_arena *arena, double h, const double *q1,
                         const double *v0, const double *v1, const double *places, int count,
                         step_energy *e) {
    int n = s->kind.n, m = s->kind.m, rows = count * m;
    double *J = KI_NEW(arena, double, rows *n + 5 * n), *force = J + rows * n, *given = force + n,
           *q = given + n, *d = q + n, *sum = d + n;
    if (!J)
        return;
    for (int k = 0; k < count; k++) {
        for (int j = 0; j < n; j++)
            q[j] = places[k] * q1[j];
        for (int i = 0; i < m; i++)
            row_at(s, i, q, J + (k * m + i) * n);
    }
    for (int j = 0; j < n; j++) {
        d[j] = (v1[j] - v0[j]) / h;
        sum[j] = q1[j] - h * (v0[j] + v1[j]) / 2;
    }
    ki_matrix_times(n, s->M, d, force);
    memcpy(given, force, (size_t)n * sizeof *force);
    int rank = ki_orthonormalize(rows, n, J, n, 1e-9);
    double work = 0, before = 0, after = 0;
    for (int k = 0; k < rank; k++) {
        double part = ki_dot(n, J + k * n, force);
        work += part * ki_dot(n, J + k * n, q1);
        ki_axpy(n, -part, J + k * n, force);
    }
    for (int j = 0; j < n; j++) {
        before += v0[j] * ki_dot(n, s->M + j * n, v0) / 2;
        after += v1[j] * ki_dot(n, s->M + j * n, v1) / 2;
    }
    *e = (step_energy){.change = (after - before) / before,
                       .equation = work / before,
                       .left = ki_length(n, force) / ki_length(n, given),
                       .rule = ki_length(n, sum) / ki_length(n, q1)};
}

keel_status ki_garcia_try_steps(ki_garcia_rule rule[KI_GARCIA_RULES]) {
    static const char *const METHODS[KI_GARCIA_RULES] = {"trapezoidal/index3/none", "midpoint/index3/none",
                                                         "conserving/index3/none"};
    static const double ENDS[] = {0, 1}, MIDDLE[] = {0.5};
    enum { TRIALS = 24 };
    const double h = 0.05;
    unsigned seed = 1993;
    keel_status status = KEEL_OK;
    memset(rule, 0, KI_GARCIA_RULES * sizeof *rule);
    for (int i = 0; i < TRIALS && !status; i++) {
        int n = 5 + 3 * (i % 4), m = 1 + i % 2;
        ki_arena arena;
        ki_arena_init(&arena);
        ki_random_kind kind = {.n = n, .m = m, .rank = m, .curvature = 1, .torsion = 2};
        ki_random_system *s = ki_random_system_new(&arena, &kind, &seed);
        double *v0 = KI_NEW(&arena, double, 3 * n), *q1 = v0 + n, *v1 = q1 + n;
        status = s && v0 ? KEEL_OK : KEEL_ERROR_MEMORY;
        if (!status) {
            ki_random_vector(n, v0, &seed);
            status = ki_make_compatible(s, v0);
        }
        for (int r = 0; r < KI_GARCIA_RULES && !status; r++) {
            step_energy e = {0};
            memcpy(v1, v0, (size_t)n * sizeof *v1);
            status = take_step(s, METHODS[r], h, q1, v1);
            compare_step(s, &arena, h, q1, v0, v1, r == KI_GARCIA_TRAPEZOIDAL ? ENDS : MIDDLE,
                         r == KI_GARCIA_TRAPEZOIDAL ? 2 : 1, &e);
            rule[r].off = fmax(rule[r].off, fabs(e.change - e.equation));
            rule[r].left = fmax(rule[r].left, fmax(e.left, e.rule));
            rule[r].most = fmax(rule[r].most, e.change);
            rule[r].least = fmin(rule[r].least, e.change);
        }
        ki_arena_free(&arena);
    }
    return status;
}

keel_status ki_garcia_try_motions(double *change) {
    enum { TRIALS = 12 };
    unsigned seed = 3;
    keel_status status = KEEL_OK;
    *change = 0;
    for (int i = 0; i < TRIALS && !status; i++) {
        ki_random_kind kind = {.n = 3 + i, .m = 1 + i / 3, .rank = 1 + i / 3, .curvature = 0.3, .force = 1};
        ki_arena arena;
        ki_arena_init(&arena);
        ki_random_system *s = ki_random_system_new(&arena, &kind, &seed);
        keel_state *start = s ? keel_state_new(&s->system) : NULL;
        keel_settings settings = keel_settings_default();
        keel_result end = {0};
        settings.method = ki_method("dop853/index1/projection");
        settings.tolerance = settings.absolute_tolerance = 1e-12;
        settings.until = 2;
        settings.output = 0;
        status = start ? KEEL_OK : KEEL_ERROR_MEMORY;
        if (start) {
            ki_random_vector(kind.n, start->v, &seed);
            status = keel_run(&s->system, start, 0, &settings, NULL, NULL, &end);
        }
        *change = fmax(*change, end.energy_drift_max);
        keel_result_clear(&end);
        keel_state_free(start);
        ki_arena_free(&arena);
    }
    return status;
}
