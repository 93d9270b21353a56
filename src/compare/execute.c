/* execute.c - one run of a comparison, and many of them in threads. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
static void collect(keel_comparison_run *run, keel_simulation *sim) {
    keel_result result;
    if (keel_simulation_result(sim, &result) >= 0) {
        run->count = result.count;
        run->position_violation = result.position.max;
        run->velocity_violation = result.velocity.max;
        run->energy = result.has_energy ? result.energy_drift_max : NAN;
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
    forget(run);
    keel_simulation *sim = keel_simulation_new(problem->system, problem->start, problem->velocities_given,
                                               &settings, diagnostics, &run->status);
    if (sim) {
        run->outcome = KEEL_OUTCOME_DONE;
        run->status = time_loop(problem, job, sim, began);
        collect(run, sim);
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

/* What the threads share. */
typedef struct pool {
    pthread_mutex_t lock;
    const ki_problem *problem;
    ki_job *jobs;
    int count, next;
    ki_progress *progress;
} pool;

/* Runs of a method come coarse to fine: what is finer than a run that took too long takes longer still. */
static bool is_hopeless(pool *p, int i) {
    pthread_mutex_lock(&p->lock);
    bool hopeless = i > 0 && p->jobs[i - 1].too_long &&
                    keel_method_is_same(p->jobs[i - 1].run.method, p->jobs[i].run.method);
    pthread_mutex_unlock(&p->lock);
    return hopeless;
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

/* The next job's number, -1 when there is none, or none is wanted any more. */
static int next_job(pool *p) {
    pthread_mutex_lock(&p->lock);
    bool stopped = p->problem->stop && *p->problem->stop;
    int i = p->next < p->count && !stopped ? p->next++ : -1;
    pthread_mutex_unlock(&p->lock);
    return i;
}

static void *work(void *user) {
    pool *p = user;
    const keel_comparison_plan *plan = p->progress->plan;
    for (int i; (i = next_job(p)) >= 0;) {
        ki_job *job = &p->jobs[i];
        if (is_hopeless(p, i))
            give_up(job, p->problem->limit);
        else
            ki_execute(p->problem, job);
        pthread_mutex_lock(&p->lock);
        job->too_long = job->run.outcome == KEEL_OUTCOME_LIMIT;
        p->progress->done++;
        if (plan->progress)
            plan->progress(plan->user, p->progress->done, p->progress->total);
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

keel_status ki_execute_all(const ki_problem *problem, ki_job *jobs, int count, ki_progress *progress) {
    pool p = {.problem = problem, .jobs = jobs, .count = count, .progress = progress};
    int threads = progress->plan->threads < count ? progress->plan->threads : count, started = 0;
    pthread_t *others = calloc((size_t)(threads > 0 ? threads : 1), sizeof *others);
    if (!others || pthread_mutex_init(&p.lock, NULL)) {
        free(others);
        return KEEL_ERROR_MEMORY;
    }
    for (int i = 0; i < count; i++)
        jobs[i].run.outcome = KEEL_OUTCOME_NOT_RUN;
    while (started < threads - 1 && pthread_create(&others[started], NULL, work, &p) == 0)
        started++;
    work(&p); // this thread works too, alone if no other could be started
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    pthread_mutex_destroy(&p.lock);
    free(others);
    return problem->stop && *problem->stop ? KEEL_INTERRUPTED : KEEL_OK;
}
