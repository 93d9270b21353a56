/* reference.c - the trajectory that errors are measured against, and how far it can be trusted.
 *
 * Two methods of different families run at tight tolerances; their distance, in the norm of errors, is taken
 * as the uncertainty. If they do not agree, or one fails, two implicit ones run as well, and the pair that
 * agrees best is taken.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"

/* Most CPU seconds of one reference. */
#define MOST_SECONDS 60

/* References that agree this well need no others. */
#define GOOD_ENOUGH 1e-6

enum { CANDIDATES = 4, AT_ONCE = 2 };

static const struct {
    keel_integrator integrator;
    keel_formulation formulation;
    keel_stabilize stabilize;
    double tolerance;
} CANDIDATE[CANDIDATES] = {
    {KEEL_DOP853, KEEL_INDEX1, KEEL_PROJECTION, 1e-13},
    {KEEL_ADAMS, KEEL_INDEX1, KEEL_PROJECTION, 1e-13},
    {KEEL_BDF, KEEL_INDEX1, KEEL_PROJECTION, 1e-11},
    {KEEL_IDA, KEEL_GGL, KEEL_STABILIZE_NONE, 1e-11},
};

/* The pair that agrees best so far. */
typedef struct pair {
    int a, b; /* a < b; b = -1: only one succeeded, a = -1: none */
    double distance;
} pair;

static keel_status make_jobs(const ki_problem *problem, ki_job *jobs) {
    size_t size = (size_t)problem->rows * (size_t)problem->quantities->count + 1;
    for (int i = 0; i < CANDIDATES; i++) {
        keel_method method = {CANDIDATE[i].integrator, CANDIDATE[i].formulation, CANDIDATE[i].stabilize, 0};
        jobs[i] = (ki_job){.run = {.method = method, .tolerance = CANDIDATE[i].tolerance},
                           .values = calloc(size, sizeof *jobs[i].values)};
        jobs[i].run.outcome = KEEL_OUTCOME_NOT_RUN;
        if (!jobs[i].values)
            return KEEL_ERROR_MEMORY;
    }
    return KEEL_OK;
}

static bool is_done(const ki_job *job) {
    return job->run.outcome == KEEL_OUTCOME_DONE;
}

static pair best_pair(const ki_problem *problem, const ki_job *jobs, double *scale) {
    int rows = problem->rows, columns = problem->quantities->count;
    pair best = {-1, -1, INFINITY};
    for (int a = 0; a < CANDIDATES; a++) {
        if (is_done(&jobs[a]) && best.a < 0)
            best.a = a;
        for (int b = a + 1; is_done(&jobs[a]) && b < CANDIDATES; b++) {
            if (!is_done(&jobs[b]))
                continue;
            ki_scales(rows, columns, jobs[a].values, jobs[b].values, scale);
            double distance = ki_distance(rows, columns, jobs[a].values, jobs[b].values, scale);
            if (distance < best.distance)
                best = (pair){a, b, distance};
        }
    }
    return best;
}

static keel_status run_candidates(const ki_problem *problem, ki_job *jobs, ki_progress *progress,
                                  double *scale, pair *best) {
    ki_problem patient = *problem;
    patient.limit = fmax(MOST_SECONDS, problem->limit);
    *best = (pair){-1, -1, INFINITY};
    for (int i = 0; i < CANDIDATES && !(best->distance <= GOOD_ENOUGH); i += AT_ONCE) {
        progress->total += AT_ONCE;
        keel_status status = ki_execute_all(&patient, &jobs[i], AT_ONCE, progress);
        if (status)
            return status;
        *best = best_pair(problem, jobs, scale);
    }
    return KEEL_OK;
}

/* "dop853/index1/projection at tolerance 1e-13" */
static const char *describe(const keel_comparison_run *run, char buffer[100]) {
    char label[64];
    snprintf(buffer, 100, "%s at tolerance %g", keel_comparison_label(run->method, label), run->tolerance);
    return buffer;
}

static void write_text(ki_reference *r, const ki_job *jobs, pair best, const char *given_name) {
    char a[100], b[100];
    size_t size = sizeof r->text;
    if (given_name && best.a < 0)
        snprintf(r->text, size, "%.100s; no method at hand to check it", given_name);
    else if (given_name)
        snprintf(r->text, size, "%.80s; %s differs from it by %.1e", given_name,
                 describe(&jobs[best.a].run, a), r->uncertainty);
    else if (best.b < 0)
        snprintf(r->text, size, "%s; no second method succeeded that could confirm it",
                 describe(&jobs[best.a].run, a));
    else
        snprintf(r->text, size, "%s; %s differs from it by %.1e", describe(&jobs[best.a].run, a),
                 describe(&jobs[best.b].run, b), r->uncertainty);
}

static void conclude(const ki_problem *problem, const double *given, const char *given_name, ki_job *jobs,
                     pair best, ki_reference *r) {
    int rows = problem->rows, columns = problem->quantities->count;
    size_t size = (size_t)rows * (size_t)columns * sizeof *given;
    const double *own = best.a >= 0 ? jobs[best.a].values : NULL;
    const double *second = given ? own : best.b >= 0 ? jobs[best.b].values : NULL;
    memcpy(r->values, given ? given : own, size);
    ki_scales(rows, columns, r->values, second, r->scale);
    r->jumps = ki_leave_out_jumps(rows, columns, r->values, r->scale);
    r->uncertainty = second ? ki_distance(rows, columns, second, r->values, r->scale) : NAN;
    if (own) {
        const keel_comparison_run *run = &jobs[best.a].run;
        r->seconds = run->seconds;
        r->method = run->method;
        r->steps = run->count.steps;
        r->mean_step = (problem->settings->until - problem->start->t) / (double)run->count.steps;
    }
    write_text(r, jobs, best, given ? given_name : NULL);
}

keel_status ki_reference_find(const ki_problem *problem, const double *given, const char *given_name,
                              ki_progress *progress, ki_reference *r) {
    ki_job jobs[CANDIDATES] = {0};
    pair best;
    size_t columns = (size_t)problem->quantities->count, rows = (size_t)problem->rows;
    *r = (ki_reference){.uncertainty = NAN,
                        .values = calloc(rows * columns + 1, sizeof *r->values),
                        .scale = calloc(columns + 1, sizeof *r->scale)};
    keel_status status = r->values && r->scale ? make_jobs(problem, jobs) : KEEL_ERROR_MEMORY;
    if (!status)
        status = run_candidates(problem, jobs, progress, r->scale, &best);
    if (!status && best.a < 0 && !given) {
        r->failed = jobs[0].run;
        status = jobs[0].run.status < 0 ? jobs[0].run.status : KEEL_ERROR_CONVERGENCE;
    }
    if (!status)
        conclude(problem, given, given_name, jobs, best, r);
    for (int i = 0; i < CANDIDATES; i++)
        free(jobs[i].values);
    return status;
}

void ki_reference_clear(ki_reference *r) {
    free(r->values);
    free(r->scale);
    *r = (ki_reference){0};
}
