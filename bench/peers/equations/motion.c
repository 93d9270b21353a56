#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *vector(int n) {
    double *x = calloc((size_t)(n > 0 ? n : 1), sizeof(double));
    if (!x)
        abort();
    return x;
}

motion *motion_new(const equations *problem) {
    const keel_system *system = &problem->system;
    int n = system->n_v, m = system->n_h;
    motion *z = calloc(1, sizeof *z);
    if (!z)
        abort();
    z->problem = problem;
    z->M = vector(keel_pattern_count(system->M)), z->J = vector(keel_pattern_count(system->J));
    z->Q = vector(n), z->at = vector(n), z->step = vector(n), z->before = vector(n);
    z->xi = vector(m), z->Phi = vector(m), z->rate = vector(m), z->lambda = vector(m);
    z->saddle = saddle_new(system);
    return z;
}

void motion_free(motion *z) {
    double *owned[] = {z->M, z->J, z->Q, z->at, z->step, z->before, z->xi, z->Phi, z->rate, z->lambda};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    saddle_free(z->saddle);
    free(z);
}

static void ask(motion *z, unsigned what, double t, const double *q, const double *v) {
    keel_terms terms = {.M = z->M, .J = z->J, .Q = z->Q, .xi = z->xi, .Phi = z->Phi, .rate = z->rate};
    const keel_system *system = &z->problem->system;
    system->evaluate(system, NULL, what, &(keel_point){.t = t, .q = q, .v = v}, &terms);
}

/* M, J and whatever else at a point, and factors unless they are known. */
static int ask_factored(motion *z, unsigned what, double t, const double *q, const double *v) {
    size_t bytes = sizeof(double) * (size_t)z->problem->system.n_v;
    if (z->known && t == z->at_t && memcmp(q, z->at, bytes) == 0) {
        ask(z, what, t, q, v);
        return 0;
    }
    ask(z, what | KEEL_MASS | KEEL_JACOBIAN, t, q, v);
    z->factorizations++;
    z->known = saddle_factor(z->saddle, z->M, z->J) == 0;
    z->at_t = t;
    memcpy(z->at, q, bytes);
    return !z->known;
}

int motion_accelerate(motion *z, double t, const double *q, const double *v, double *v_rate) {
    z->evaluations++;
    if (ask_factored(z, KEEL_FORCE | KEEL_XI, t, q, v))
        return 1;
    memcpy(v_rate, z->Q, sizeof(double) * (size_t)z->problem->system.n_v);
    memcpy(z->lambda, z->xi, sizeof(double) * (size_t)z->problem->system.n_h);
    saddle_solve(z->saddle, v_rate, z->lambda);
    return 0;
}

/* step = the smallest change with J step = -defect; the largest component. */
static double correct(motion *z, const double *defect, double *x) {
    int n = z->problem->system.n_v, m = z->problem->system.n_h;
    double most = 0;
    memset(z->step, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < m; i++)
        z->lambda[i] = -defect[i];
    saddle_solve(z->saddle, z->step, z->lambda);
    for (int i = 0; i < n; i++) {
        x[i] += z->step[i];
        most = fmax(most, fabs(z->step[i]) / (1 + fabs(x[i])));
    }
    return most;
}

/* Newton steps for q; 0 when they converge. */
static int project_position(motion *z, double t, double *q, const double *v, double tolerance) {
    double last = HUGE_VAL;
    for (int i = 0;; i++) {
        ask(z, KEEL_POSITION, t, q, v);
        double step = correct(z, z->Phi, q);
        if (step <= tolerance)
            return 0;
        if (i == 9 || !isfinite(step))
            return 1;
        if (step > last / 10 && ask_factored(z, 0, t, q, v)) /* slow: factors of this point */
            return 1;
        last = step;
    }
}

int motion_project(motion *z, double t, double *q, double *v, double tolerance) {
    int n = z->problem->system.n_v;
    if (z->problem->system.n_h == 0)
        return 0;
    memcpy(z->before, q, sizeof(double) * (size_t)n);
    if (project_position(z, t, q, v, tolerance)) {
        memcpy(q, z->before, sizeof(double) * (size_t)n);
        return 1;
    }
    if (ask_factored(z, KEEL_VELOCITY, t, q, v))
        return 1;
    correct(z, z->rate, v);
    return 0;
}

/* e - (smallest change with J step = J e). */
static void tangential(motion *z, double *e) {
    const keel_pattern *J = &z->problem->system.J;
    for (int i = 0; i < J->rows; i++) {
        double sum = 0;
        for (int k = J->start[i]; k < J->start[i + 1]; k++)
            sum += z->J[k] * e[J->index[k]];
        z->rate[i] = sum;
    }
    correct(z, z->rate, e);
}

void motion_project_error(motion *z, double *q_error, double *v_error) {
    tangential(z, q_error);
    tangential(z, v_error);
}
