/* execute.c - one run of a comparison, and many of them in threads. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/crew.h"
#include "compare/internal.h"

/* CPU time of this thread: what other runs do at the same time does not count. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The absolute tolerance keeps the ratio to the relative one that the settings have. */
static keel_settings settings_of(const ki_problem *problem, const keel_comparison_run *run) {
    keel_settings s = *problem->settings;
    s.method = run->method;
    s.step = run->step;
    s.newton_report = KEEL_NO;
    if (run->tolerance > 0) {
        s.absolute_tolerance *= run->tolerance / s.tolerance;
        s.tolerance = run->tolerance;
    }
    return s;
}

/* Takes the quantities of the row at the problem's time number i. */
static void take(const ki_problem *problem, ki_job *job, int i, const keel_row *row) {
    const ki_quantities *x = problem->quantities;
    for (int k = 0; k < x->count; k++) {
        double value = ki_quantity_value(x->list[k], row);
        long at = (long)i * x->count + k;
        if (job->values)
            job->values[at] = value;
        if (job->reference)
            job->run.error =
                fmax(job->run.error, ki_distance(1, 1, &value, &job->reference[at], &job->scale[k]));
    }
    if (job->run.tolerance > 0 && job->run.error > KI_FAR * job->run.tolerance)
        job->off_at = fmin(job->off_at, problem->t[i]);
}

/* All rows up to the time reached. */
static keel_status take_rows(const ki_problem *problem, ki_job *job, keel_simulation *sim, int *next) {
    double reached = keel_simulation_time(sim);
    keel_status status = KEEL_OK;
    for (; !status && *next < problem->rows && problem->t[*next] <= reached; ++*next) {
        keel_row row;
        status = keel_simulation_row(sim, problem->t[*next], &row);
        if (!status)
            take(problem, job, *next, &row);
    }
    return status;
}

static keel_status time_loop(const ki_problem *problem, ki_job *job, keel_simulation *sim, double began) {
    int next = 0;
    keel_status status = take_rows(problem, job, sim, &next);
    while (!status && keel_simulation_time(sim) < problem->settings->until) {
        if (problem->stop && *problem->stop)
            return KEEL_INTERRUPTED;
        if (seconds() - began > problem->limit) {
            job->run.outcome = KEEL_OUTCOME_LIMIT;
            return KEEL_ERROR_LIMIT;
        }
        status = keel_simulation_step(sim);
        if (!status)
            status = take_rows(problem, job, sim, &next);
    }
    return status;
}

static void write_reason(keel_comparison_run *run, const keel_diagnostics *diagnostics, double limit) {
    const char *text = keel_status_text(run->status);
    for (int i = diagnostics ? keel_diagnostics_count(diagnostics) - 1 : -1; i >= 0; i--)
        if (keel_diagnostics_get(diagnostics, i).severity == KEEL_ERROR)
            text = keel_diagnostics_get(diagnostics, i).text;
    if (run->outcome == KEEL_OUTCOME_LIMIT)
        snprintf(run->reason, sizeof run->reason, "stopped after %.3g s", limit);
    else
        snprintf(run->reason, sizeof run->reason, "%s", text);
}

/* What the run was like, as far as it got. */
static void collect(ki_job *job, keel_simulation *sim) {
    keel_comparison_run *run = &job->run;
    keel_result result;
    keel_status status = keel_simulation_result(sim, &result);
    if (status < 0)
        run->status = status;
    if (status >= 0) {
        run->count = result.count;
        run->position_violation = result.position.max;
        run->velocity_violation = result.velocity.max;
        run->energy = result.has_energy ? result.energy_drift_max : NAN;
        job->open = result.position.max_scaled;
        for (int i = result.event_count - 1; i >= 0; i--)
            if (result.events[i].kind == KEEL_EVENT_SINGULAR)
                job->pose_at = result.events[i].t;
        keel_check failed = keel_run_verdict_failed(&result.verdict);
        if (failed != KEEL_CHECKS && failed != KEEL_CHECK_END)
            snprintf(run->broken, sizeof run->broken, "%s", keel_check_word(failed));
    }
    keel_result_clear(&result);
}

/* Numbers of a run that was stopped from outside are chance: they are left out. */
static void forget(keel_comparison_run *run) {
    run->count = (keel_counts){0};
    run->position_violation = run->velocity_violation = run->energy = NAN;
}

void ki_execute(const ki_problem *problem, ki_job *job) {
    keel_comparison_run *run = &job->run;
    double began = seconds();
    keel_settings settings = settings_of(problem, run);
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    run->error = 0;
    job->off_at = job->pose_at = INFINITY;
    forget(run);
    keel_simulation *sim = keel_simulation_new(problem->system, problem->start, problem->velocities_given,
                                               &settings, diagnostics, &run->status);
    if (sim) {
        run->outcome = KEEL_OUTCOME_DONE;
        run->status = time_loop(problem, job, sim, began);
        collect(job, sim);
    }
    bool interrupted = run->status == KEEL_INTERRUPTED;
    if (interrupted)
        run->outcome = KEEL_OUTCOME_NOT_RUN;
    else if (run->status && run->outcome != KEEL_OUTCOME_LIMIT)
        run->outcome = KEEL_OUTCOME_FAILED;
    if (run->outcome == KEEL_OUTCOME_DONE && !isfinite(run->error)) {
        run->outcome = KEEL_OUTCOME_FAILED;
        run->status = KEEL_ERROR_NOT_FINITE;
    }
    if (run->outcome == KEEL_OUTCOME_LIMIT || interrupted)
        forget(run);
    if (run->outcome != KEEL_OUTCOME_DONE) {
        run->error = NAN;
        write_reason(run, diagnostics, problem->limit);
    }
    run->seconds = seconds() - began;
    keel_simulation_free(sim);
    keel_diagnostics_free(diagnostics);
}

/* What the jobs of a comparison share. */
typedef struct plan_of_work {
    const ki_problem *problem;
    ki_job *jobs;
    ki_progress *progress;
} plan_of_work;

/* Runs of a method come coarse to fine: what is finer than a run that took too long takes longer still. */
static void look_back(void *user, int i) {
    ki_job *jobs = ((plan_of_work *)user)->jobs;
    jobs[i].hopeless =
        i > 0 && jobs[i - 1].too_long && keel_method_is_same(jobs[i - 1].run.method, jobs[i].run.method);
}

static void give_up(ki_job *job, double limit) {
    keel_comparison_run *run = &job->run;
    forget(run);
    run->outcome = KEEL_OUTCOME_LIMIT;
    run->status = KEEL_ERROR_LIMIT;
    run->error = NAN;
    run->seconds = NAN;
    snprintf(run->reason, sizeof run->reason, "not begun: the run before it was stopped after %.3g s", limit);
}

static void execute_or_give_up(void *user, int i) {
    plan_of_work *w = user;
    if (w->jobs[i].hopeless)
        give_up(&w->jobs[i], w->problem->limit);
    else
        ki_execute(w->problem, &w->jobs[i]);
}

static void note_end(void *user, int i) {
    plan_of_work *w = user;
    const keel_comparison_plan *plan = w->progress->plan;
    w->jobs[i].too_long = w->jobs[i].run.outcome == KEEL_OUTCOME_LIMIT;
    w->progress->done++;
    if (plan->progress)
        plan->progress(plan->user, w->progress->done, w->progress->total);
}

keel_status ki_execute_all(const ki_problem *problem, ki_job *jobs, int count, ki_progress *progress) {
    plan_of_work work = {.problem = problem, .jobs = jobs, .progress = progress};
    ki_crew crew = {.threads = progress->plan->threads,
                    .stop = problem->stop,
                    .user = &work,
                    .begin = look_back,
                    .work = execute_or_give_up,
                    .end = note_end};
    for (int i = 0; i < count; i++)
        jobs[i].run.outcome = KEEL_OUTCOME_NOT_RUN;
    keel_status status = ki_crew_run(&crew, count);
    for (int i = 0; i < count; i++) /* which would look as if the method had failed */
        if (jobs[i].run.status == KEEL_ERROR_MEMORY)
            return KEEL_ERROR_MEMORY;
    return status == KEEL_OK && problem->stop && *problem->stop ? KEEL_INTERRUPTED : status;
}
