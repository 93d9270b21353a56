/* why.c - why the error of a run is above KI_FAR times its tolerance, in a few words (docs/compare.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/internal.h"

/* A step may be off by this part of tolerance and absolute tolerance together (docs/scales.md). */
#define OF_STEP 0.1

static double step_error(const ki_problem *problem, double tolerance) {
    const keel_settings *s = problem->settings;
    double ratio = s->absolute_tolerance > 0 ? s->absolute_tolerance / s->tolerance : 1;
    return OF_STEP * tolerance * (1 + ratio);
}

static bool is_large(const ki_job *job) {
    const keel_comparison_run *run = &job->run;
    return run->outcome == KEEL_OUTCOME_DONE && run->tolerance > 0 && run->error > KI_FAR * run->tolerance;
}

static bool drifts(const ki_job *job) {
    keel_promise promise = keel_method_promise(job->run.method);
    bool open = promise.position == KEEL_KEEPS_DRIFTS || promise.position == KEEL_KEEPS_YIELDS;
    return !job->run.method.automatic && open && job->open > 10 * job->run.tolerance;
}

static keel_status name_worst(const ki_problem *problem, const ki_growth *growth, char name[64]) {
    char *owned = ki_quantity_name(problem->system, problem->quantities->list[growth->worst]);
    snprintf(name, 64, "%s", owned ? owned : "");
    keel_status status = owned ? KEEL_OK : KEEL_ERROR_MEMORY;
    free(owned);
    return status;
}

/* Whether errors of its steps may add up to the error of a run; where they may add up to much of a range,
 * motions have parted, and what is linear tells no more. */
static bool add_up(const ki_growth *growth, double steps, double allowed, double error) {
    static const double PARTED = 0.3;
    double most = steps * growth->mean * allowed;
    return growth->known && (error <= most || most >= PARTED);
}

/* The first that holds. */
static keel_status explain(const ki_problem *problem, const ki_reference *reference, const ki_growth *growth,
                           ki_job *job) {
    keel_comparison_run *run = &job->run;
    double steps = (double)run->count.steps, allowed = step_error(problem, run->tolerance);
    size_t size = sizeof run->why;
    char name[64];
    if (run->broken[0])
        snprintf(run->why, size, "broken: %s", run->broken);
    else if (!(run->error > 10 * reference->uncertainty) && !isnan(reference->uncertainty))
        snprintf(run->why, size, "the references agree no better");
    else if (drifts(job))
        snprintf(run->why, size, "constraints drift: open by %.1e of their size", job->open);
    else if (add_up(growth, steps, allowed, run->error)) {
        keel_status status = name_worst(problem, growth, name);
        if (growth->at_once > 0.5 * growth->mean)
            snprintf(run->why, size, "'%s' shows errors of the state %.2gfold", name, growth->at_once);
        else
            snprintf(run->why, size, "%ld steps, whose errors grow %.2gfold in '%s'", run->count.steps,
                     growth->mean, name);
        return status;
    } else if (job->off_at >= job->pose_at)
        snprintf(run->why, size, "since t = %.4g, after the singular pose at t = %.4g", job->off_at,
                 job->pose_at);
    else if (!growth->known)
        snprintf(run->why, size, "not known: no displaced motion could be computed");
    else
        snprintf(run->why, size, "error control: %.2g times what errors of %ld steps add up to",
                 run->error / (steps * growth->mean * allowed), run->count.steps);
    return KEEL_OK;
}

keel_status ki_explain(const ki_problem *problem, const ki_reference *reference, ki_job *jobs, int count,
                       int threads) {
    ki_growth growth;
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || is_large(&jobs[i]);
    if (!any)
        return KEEL_OK;
    keel_status status = ki_growth_measure(problem, reference, threads, &growth);
    for (int i = 0; !status && i < count; i++)
        if (is_large(&jobs[i]))
            status = explain(problem, reference, &growth, &jobs[i]);
    return status;
}
