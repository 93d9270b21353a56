/* compare.c - a comparison from its plan to its ranks. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"

#define USUAL_LIMIT  2.0  /* CPU seconds of a run, at least ... */
#define LIMIT_FACTOR 5.0  /* ... and so many times the reference's */
#define FEW_DIGITS   1e-4 /* references that differ by more deserve a warning */
enum { LADDER = 3, MOST_NOTES = 8 };

static const double USUAL_TOLERANCES[LADDER] = {1e-4, 1e-6, 1e-8};

/* A comparison in progress. */
typedef struct session {
    keel_settings settings;
    const keel_comparison_plan *plan;
    keel_diagnostics *diagnostics;
    ki_quantities quantities;
    int dropped; /* outputs that were left out */
    ki_times times;
    ki_problem problem;
    ki_progress progress;
    ki_reference reference;
    keel_method *methods; /* [method_count] */
    int method_count;
    double *tolerances, *steps; /* coarse to fine */
    int tolerance_count, step_count;
    ki_job *jobs; /* [job_count] */
    int job_count;
} session;

keel_status ki_note(keel_comparison *result, const char *format, ...) {
    char text[400];
    va_list arguments;
    if (result->note_count == MOST_NOTES)
        return KEEL_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!result->notes)
        result->notes = calloc(MOST_NOTES, sizeof *result->notes);
    if (!copy || !result->notes) {
        free(copy);
        return KEEL_ERROR_MEMORY;
    }
    result->notes[result->note_count++] = memcpy(copy, text, size);
    return KEEL_OK;
}

static keel_status check_ladder(const char *what, const double *values, int count, double most,
                                keel_diagnostics *diagnostics) {
    for (int i = 0; i < count; i++)
        if (!(values[i] > 0 && values[i] <= most)) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s %g is not possible", what,
                                 values[i]);
            return KEEL_ERROR_INPUT;
        }
    return KEEL_OK;
}

/* What the first row tells: whether there can be a run at all, and which outputs mean nothing because
 * dependent constraints share their load as each method likes. */
static keel_status look_at_start(session *s) {
    const ki_problem *p = &s->problem;
    const char *reason;
    keel_settings settings = s->settings;
    keel_status status;
    keel_row row;
    settings.method = keel_method_choose(keel_system_m(p->system) + p->system->n_i, &reason);
    settings.step = 0;
    keel_simulation *sim =
        keel_simulation_new(p->system, p->start, p->velocities_given, &settings, s->diagnostics, &status);
    if (!sim)
        return status;
    status = keel_simulation_row(sim, p->start->t, &row);
    if (status >= 0)
        s->dropped = ki_quantities_drop_shared(p->system, &s->quantities, row.output_shared);
    keel_simulation_free(sim);
    return status < 0 ? status : KEEL_OK;
}

static keel_status choose_times(session *s) {
    const keel_comparison_plan *plan = s->plan;
    const ki_problem *p = &s->problem;
    keel_status status;
    if (plan->reference) {
        status = ki_times_given(p->system, plan->reference, plan->reference_name, p->start->t,
                                s->settings.until, &s->quantities, s->diagnostics, &s->times);
        if (!status)
            s->settings.until = s->times.t[s->times.rows - 1];
    } else {
        status = ki_times_even(&s->settings, p->start->t, &s->times);
    }
    s->problem.rows = s->times.rows;
    s->problem.t = s->times.t;
    return status;
}

static keel_status prepare(session *s) {
    const keel_comparison_plan *plan = s->plan;
    keel_status status =
        check_ladder("a tolerance of", plan->tolerances, plan->tolerance_count, 1, s->diagnostics);
    if (!status)
        status = check_ladder("a step of", plan->steps, plan->step_count, 1e300, s->diagnostics);
    if (!status)
        status = ki_quantities_choose(s->problem.system, plan, s->diagnostics, &s->quantities);
    if (!status)
        status = look_at_start(s);
    return status ? status : choose_times(s);
}

static int compare_descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* A copy, coarse to fine. */
static double *ladder(const double *values, int count) {
    double *copy = calloc((size_t)count + 1, sizeof *copy);
    if (copy) {
        memcpy(copy, values, (size_t)count * sizeof *copy);
        qsort(copy, (size_t)count, sizeof *copy, compare_descending);
    }
    return copy;
}

static keel_status make_ladders(session *s) {
    const keel_comparison_plan *plan = s->plan;
    double mean = s->reference.mean_step, span = s->settings.until - s->problem.start->t, usual[LADDER];
    ki_default_steps(mean > 0 ? mean : s->times.spacing, span, s->times.spacing, usual);
    s->tolerance_count = plan->tolerance_count ? plan->tolerance_count : LADDER;
    s->tolerances = ladder(plan->tolerance_count ? plan->tolerances : USUAL_TOLERANCES, s->tolerance_count);
    s->step_count = plan->step_count ? plan->step_count : LADDER;
    s->steps = ladder(plan->step_count ? plan->steps : usual, s->step_count);
    return s->tolerances && s->steps ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static keel_status choose_methods(session *s) {
    const keel_comparison_plan *plan = s->plan;
    if (plan->method_count == 0) {
        s->methods = ki_all_methods(s->problem.system, &s->method_count);
        return s->methods ? KEEL_OK : KEEL_ERROR_MEMORY;
    }
    s->methods = calloc((size_t)plan->method_count, sizeof *s->methods);
    if (!s->methods)
        return KEEL_ERROR_MEMORY;
    s->method_count = plan->method_count;
    memcpy(s->methods, plan->methods, (size_t)plan->method_count * sizeof *s->methods);
    return KEEL_OK;
}

static keel_status make_jobs(session *s) {
    int longest = s->tolerance_count > s->step_count ? s->tolerance_count : s->step_count;
    s->jobs = calloc((size_t)s->method_count * (size_t)longest + 1, sizeof *s->jobs);
    if (!s->jobs)
        return KEEL_ERROR_MEMORY;
    for (int m = 0; m < s->method_count; m++) {
        bool steps = ki_takes_steps(s->methods[m], s->plan);
        for (int i = 0; i < (steps ? s->step_count : s->tolerance_count); i++) {
            ki_job *job = &s->jobs[s->job_count++];
            *job = (ki_job){.reference = s->reference.values, .scale = s->reference.scale};
            job->run = (keel_comparison_run){.method = s->methods[m],
                                             .outcome = KEEL_OUTCOME_NOT_RUN,
                                             .step = steps ? s->steps[i] : 0,
                                             .tolerance = steps ? 0 : s->tolerances[i],
                                             .error = NAN,
                                             .position_violation = NAN,
                                             .velocity_violation = NAN,
                                             .energy = NAN};
        }
    }
    return KEEL_OK;
}

/* Why there is no reference, in the words of the run that should have been it. */
static void report_failure(session *s, keel_status status) {
    char label[64];
    const keel_comparison_run *run = &s->reference.failed;
    if (status == KEEL_ERROR_MEMORY || status == KEEL_INTERRUPTED || !run->reason[0])
        return;
    keel_diagnostics_add(s->diagnostics, KEEL_ERROR, (keel_location){0},
                         "no reference: %s at tolerance %g: %s", keel_comparison_label(run->method, label),
                         run->tolerance, run->reason);
}

static keel_status run_all(session *s) {
    const keel_comparison_plan *plan = s->plan;
    keel_status status =
        ki_reference_find(&s->problem, s->times.given, plan->reference_name, &s->progress, &s->reference);
    if (status) {
        report_failure(s, status);
        return status;
    }
    s->problem.limit = plan->limit > 0 ? plan->limit : fmax(USUAL_LIMIT, LIMIT_FACTOR * s->reference.seconds);
    status = make_ladders(s);
    if (!status)
        status = choose_methods(s);
    if (!status)
        status = make_jobs(s);
    s->progress.total += s->job_count;
    if (!status)
        status = ki_execute_all(&s->problem, s->jobs, s->job_count, &s->progress);
    return status ? status : ki_explain(&s->problem, &s->reference, s->jobs, s->job_count, s->plan->threads);
}

static keel_status write_notes(const session *s, keel_comparison *r) {
    int failed = 0, stopped = 0, left = 0;
    for (int i = 0; i < r->run_count; i++) {
        failed += r->runs[i].outcome == KEEL_OUTCOME_FAILED;
        stopped += r->runs[i].outcome == KEEL_OUTCOME_LIMIT;
        left += r->runs[i].outcome == KEEL_OUTCOME_NOT_RUN;
    }
    keel_status status = KEEL_OK;
    if (isnan(r->uncertainty))
        status = ki_note(r, "nothing confirms the reference");
    else if (r->uncertainty > FEW_DIGITS)
        status =
            ki_note(r, "the references agree only to %.1e: smaller errors mean nothing here", r->uncertainty);
    if (!status && s->dropped)
        status = ki_note(r,
                         "%d output%s depend%s on how dependent constraints share their load, which is each "
                         "method's own choice: left out of the error",
                         s->dropped, s->dropped > 1 ? "s" : "", s->dropped > 1 ? "" : "s");
    if (!status && s->reference.jumps)
        status =
            ki_note(r, "%d jump%s of quantities (an angle from pi to -pi): rows next to them are left out",
                    s->reference.jumps, s->reference.jumps > 1 ? "s" : "");
    if (!status && failed)
        status = ki_note(r, "%d of %d runs failed", failed, r->run_count);
    if (!status && stopped)
        status =
            ki_note(r, "%d run%s stopped after %.3g s", stopped, stopped > 1 ? "s were" : " was", r->limit);
    if (!status && left)
        status = ki_note(r, "interrupted: %d of %d runs are missing", left, r->run_count);
    return status;
}

static keel_status name_quantities(const session *s, keel_comparison *r) {
    r->quantities = calloc((size_t)s->quantities.count + 1, sizeof *r->quantities);
    for (int i = 0; r->quantities && i < s->quantities.count; i++) {
        r->quantities[i] = ki_quantity_name(s->problem.system, s->quantities.list[i]);
        if (!r->quantities[i])
            return KEEL_ERROR_MEMORY;
        r->quantity_count++;
    }
    return r->quantities ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static keel_status collect(const session *s, keel_comparison *r) {
    r->uncertainty = s->reference.uncertainty;
    r->limit = s->problem.limit;
    r->target = s->plan->target;
    r->rows = s->times.rows;
    memcpy(r->reference, s->reference.text, sizeof r->reference);
    r->runs = calloc((size_t)s->job_count + 1, sizeof *r->runs);
    if (!r->runs)
        return KEEL_ERROR_MEMORY;
    r->run_count = s->job_count;
    for (int i = 0; i < s->job_count; i++)
        r->runs[i] = s->jobs[i].run;
    keel_status status = name_quantities(s, r);
    if (!status)
        status = ki_rank(r);
    return status ? status : write_notes(s, r);
}

keel_status keel_compare(const keel_system *system, const keel_state *start, int velocities_given,
                         const keel_settings *settings, const keel_comparison_plan *plan,
                         keel_diagnostics *diagnostics, keel_comparison *result) {
    if (!system || !start || !settings || !plan || !result) {
        if (result)
            *result = (keel_comparison){0};
        return KEEL_ERROR_INPUT;
    }
    session s = {.settings = *settings, .plan = plan, .diagnostics = diagnostics, .progress = {.plan = plan}};
    s.problem = (ki_problem){.system = system,
                             .start = start,
                             .velocities_given = velocities_given,
                             .settings = &s.settings,
                             .quantities = &s.quantities,
                             .limit = plan->limit,
                             .stop = plan->stop};
    *result = (keel_comparison){.uncertainty = NAN};
    keel_status status = prepare(&s);
    if (!status)
        status = run_all(&s);
    if (status >= 0 && s.job_count) {
        keel_status collected = collect(&s, result);
        status = collected ? collected : status;
    }
    result->status = status;
    ki_reference_clear(&s.reference);
    ki_times_clear(&s.times);
    free(s.quantities.list);
    free(s.methods);
    free(s.tolerances);
    free(s.steps);
    free(s.jobs);
    return status;
}

static void free_texts(char **texts, int count) {
    for (int i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

void keel_comparison_clear(keel_comparison *r) {
    if (!r)
        return;
    free_texts(r->quantities, r->quantity_count);
    free_texts(r->notes, r->note_count);
    free(r->methods);
    free(r->runs);
    free(r->decades);
    *r = (keel_comparison){0};
}
