#include "keel/run.h"

#include <limits.h>
#include <math.h>
#include <time.h>

#include "base/refuse.h"
#include "run/checkpoint.h"
#include "run/events.h"
#include "run/judge.h"

/* A negative answer of a listener ends the run; a full disk and full memory stay what they are. */
static keel_status told(keel_status answer) {
    if (answer >= 0)
        return KEEL_OK;
    return answer == KEEL_ERROR_IO || answer == KEEL_ERROR_MEMORY ? answer : KEEL_ERROR_CALLBACK;
}

/* What the time loop carries along. */
typedef struct keel_run_state {
    keel_simulation *sim;
    const keel_settings *settings;
    const keel_observer *observer;
    clock_t begin;
    double t_start;
    long next_row; /* number of the next row on the output grid */
    long rows;
    bool owes_rows; /* of the last step, or the start, some are still to be given ... */
    bool owes_step; /* ... and the step itself is still to be told */
} loop;

static keel_status give_row(loop *l, double t) {
    keel_row row;
    if (!l->observer->row)
        return KEEL_OK;
    keel_status status = keel_simulation_row(l->sim, t, &row);
    if (status)
        return status;
    status = told(l->observer->row(l->observer->user, &row));
    l->rows += status == KEEL_OK;
    return status;
}

/* Rows up to the time reached: every step, or the grid t_start + i output, with a last row at the end
 * time. */
static keel_status give_rows(loop *l) {
    double reached = keel_simulation_time(l->sim), until = l->settings->until, spacing = l->settings->output;
    keel_status status = KEEL_OK;
    if (spacing == 0)
        return give_row(l, reached);
    for (;; l->next_row++) {
        double t = l->t_start + (double)l->next_row * spacing;
        if (fabs(t - until) <= 1e-9 * spacing) /* the grid ends on the end time but for round-off */
            t = until;
        if (t > reached || status)
            break;
        if (l->observer->stop && *l->observer->stop)
            return KEEL_INTERRUPTED;
        status = give_row(l, t);
        if (t == until) {
            l->next_row++;
            return status;
        }
    }
    double last = l->t_start + (double)(l->next_row - 1) * spacing;
    if (!status && reached == until && fabs(last - until) > 1e-9 * spacing)
        status = give_row(l, until);
    return status;
}

static keel_status tell_step(const loop *l) {
    keel_step step = keel_simulation_last_step(l->sim);
    return l->observer->accepted(l->observer->user, &step);
}

/* What is still to be told of the last step. */
static keel_status settle_debts(loop *l) {
    const keel_observer *observer = l->observer;
    keel_status status = l->owes_rows ? give_rows(l) : KEEL_OK;
    if (status)
        return status;
    l->owes_rows = false;
    if (l->owes_step && observer->step)
        status = told(observer->step(observer->user, keel_simulation_time(l->sim), l->settings->until));
    if (!status && l->owes_step && observer->accepted)
        status = told(tell_step(l));
    l->owes_step = false;
    return status;
}

static keel_status time_loop(loop *l) {
    const keel_observer *observer = l->observer;
    keel_status status = settle_debts(l);
    while (!status && keel_simulation_time(l->sim) < l->settings->until) {
        if (observer->between)
            status = told(observer->between(observer->user, l));
        if (!status && observer->stop && *observer->stop)
            return KEEL_INTERRUPTED;
        if (!status)
            status = keel_simulation_step(l->sim);
        if (!status) {
            l->owes_rows = l->owes_step = true;
            status = settle_debts(l);
        }
    }
    return status;
}

/* To the end, or until it is stopped or fails; sim is there, or there is none because of `status`. */
static keel_status run_to_end(loop *l, keel_status status, keel_diagnostics *diagnostics,
                              keel_result *result) {
    const keel_observer *observer = l->observer;
    *result = (keel_result){.method = l->settings->method,
                            .position.worst = -1,
                            .velocity.worst = -1,
                            .repeated.worst = -1,
                            .rank = -1,
                            .gap_smallest = -1};
    if (l->sim) {
        status = time_loop(l);
        if (status >= 0 && observer->between) { /* before the row of the result, which is none of the run */
            keel_status saved = told(observer->between(observer->user, l));
            status = saved ? saved : status;
        }
        keel_status filled = keel_simulation_result(l->sim, result);
        status = status ? status : filled;
        result->count.rows = l->rows;
    } else {
        ki_copy_notes(diagnostics, result); /* as far as there is memory */
        ki_judge_refused(result);
    }
    result->status = status;
    result->cpu_seconds = (double)(clock() - l->begin) / CLOCKS_PER_SEC;
    keel_simulation_free(l->sim);
    return status;
}

static keel_status refuse_run(keel_result *result) {
    if (result)
        *result = (keel_result){0};
    return KEEL_ERROR_INPUT;
}

static const keel_observer NOBODY = {0};

keel_status keel_run(const keel_system *system, const keel_state *start, int velocities_given,
                     const keel_settings *settings, const keel_observer *observer,
                     keel_diagnostics *diagnostics, keel_result *result) {
    if (!system || !start || !settings || !result)
        return refuse_run(result);
    keel_status status;
    loop l = {.begin = clock(),
              .settings = settings,
              .observer = observer ? observer : &NOBODY,
              .t_start = start->t,
              .owes_rows = true};
    l.sim = keel_simulation_new(system, start, velocities_given, settings, diagnostics, &status);
    return run_to_end(&l, status, diagnostics, result);
}

/* ---- runs that are saved, and go on */

static void visit_loop(ki_stream *s, loop *l) {
    ki_visit_double(s, &l->t_start);
    ki_visit_long(s, &l->next_row, 0, LONG_MAX / 2);
    ki_visit_long(s, &l->rows, 0, LONG_MAX / 2);
    ki_visit_bool(s, &l->owes_rows);
    ki_visit_bool(s, &l->owes_step);
}

keel_checkpoint *keel_run_save(const struct keel_run_state *run, keel_status *status) {
    if (!run || !status)
        return ki_refuse(status);
    loop now = *run;
    ki_stream s = ki_stream_to_write();
    keel_checkpoint *checkpoint = keel_simulation_save(run->sim, status);
    if (!checkpoint)
        return NULL;
    visit_loop(&s, &now);
    *status = ki_checkpoint_keep(checkpoint, KI_KEPT_LOOP, &s);
    if (!*status)
        return checkpoint;
    keel_checkpoint_free(checkpoint);
    return NULL;
}

keel_status keel_run_resume(const keel_system *system, const keel_settings *settings,
                            const keel_checkpoint *checkpoint, const keel_observer *observer,
                            keel_diagnostics *diagnostics, keel_result *result) {
    if (!system || !settings || !checkpoint || !result)
        return refuse_run(result);
    keel_status status = KEEL_ERROR_INPUT;
    loop l = {.begin = clock(), .settings = settings, .observer = observer ? observer : &NOBODY};
    ki_stream s = ki_checkpoint_part(checkpoint, KI_KEPT_LOOP);
    visit_loop(&s, &l);
    if (ki_stream_is_done(&s) && isfinite(l.t_start))
        l.sim = ki_load(system, settings, checkpoint, l.observer, diagnostics, &status);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the checkpoint is not of a whole run: it does not tell which rows were given");
    return run_to_end(&l, status, diagnostics, result);
}
