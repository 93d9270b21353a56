#include "equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*make)(equations *problem);
} SINGLE[] = {{"andrews", andrews_make},     {"a03", a03_make},           {"caraxis", caraxis_make},
              {"flexcrank", flexcrank_make}, {"governor", governor_make}, {"slidercrank", slidercrank_make},
              {"bricard", bricard_make}};

static const struct {
    const char *stem;
    void (*make)(equations *problem, int size);
} FAMILY[] = {{"pendulum", pendulum_make}, {"fourbar", fourbar_make}, {"chain", chain_make}};

int equations_make(equations *problem, const char *name) {
    for (size_t i = 0; i < sizeof SINGLE / sizeof SINGLE[0]; i++)
        if (strcmp(name, SINGLE[i].name) == 0)
            return SINGLE[i].make(problem), 0;
    for (size_t i = 0; i < sizeof FAMILY / sizeof FAMILY[0]; i++) {
        int size = bench_size(name, FAMILY[i].stem);
        if (size > 0)
            return FAMILY[i].make(problem, size), 0;
    }
    return -1;
}

void equations_init(equations *problem, int n, int m, double end) {
    *problem = (equations){
        .system = keel_system_default(), .end = end, .rate = 1, .observe = equations_observe_first};
    problem->system.n_q = problem->system.n_v = n;
    problem->system.n_h = m;
    problem->q = calloc((size_t)n, sizeof(double));
    problem->v = calloc((size_t)n, sizeof(double));
    if (!problem->q || !problem->v)
        abort();
    problem->watched = n;
}

void equations_clear(equations *problem) {
    free(problem->q);
    free(problem->v);
    free(problem->pattern);
}

void equations_observe_first(const equations *problem, const double *q, const double *v, double *q_seen,
                             double *v_seen) {
    for (int i = 0; i < problem->watched; i++)
        q_seen[i] = q[i], v_seen[i] = v[i];
}

void equations_tolerances(const equations *problem, double tolerance, double *absolute) {
    int n = problem->system.n_v;
    for (int i = 0; i < n; i++)
        absolute[i] = tolerance, absolute[n + i] = problem->rate * tolerance;
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double energy_at(const keel_system *system, double t, const double *q, const double *v) {
    keel_terms terms = {0};
    system->evaluate(system, NULL, KEEL_ENERGY, &(keel_point){.t = t, .q = q, .v = v}, &terms);
    return terms.energy;
}

void equations_report(const equations *problem, const double *q, const double *v, bench_result *result) {
    const keel_system *system = &problem->system;
    int m = system->n_h;
    double *room = calloc((size_t)(2 * m + 1), sizeof(double));
    keel_terms terms = {.Phi = room, .rate = room + m};
    if (!room)
        abort();
    result->n_q = result->n_v = problem->watched;
    problem->observe(problem, q, v, result->q, result->v);
    if (m > 0)
        system->evaluate(system, NULL, KEEL_POSITION | KEEL_VELOCITY,
                         &(keel_point){.t = problem->end, .q = q, .v = v}, &terms);
    result->position = largest(terms.Phi, m);
    result->velocity = largest(terms.rate, m);
    if (problem->unit > 0)
        result->energy =
            fabs(energy_at(system, problem->end, q, v) - energy_at(system, 0, problem->q, problem->v)) /
            problem->unit;
    free(room);
}
