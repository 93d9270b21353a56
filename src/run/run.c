#include "keel/run.h"

#include <math.h>
#include <time.h>

#include "run/events.h"
#include "run/judge.h"

/* A negative answer of a listener ends the run; a full disk and full memory stay what they are. */
static keel_status told(keel_status answer) {
    if (answer >= 0)
        return KEEL_OK;
    return answer == KEEL_ERROR_IO || answer == KEEL_ERROR_MEMORY ? answer : KEEL_ERROR_CALLBACK;
}

/* What the time loop carries along. */
typedef struct loop {
    keel_simulation *sim;
    const keel_settings *settings;
    const keel_observer *observer;
    double t_start;
    long next_row; /* number of the next row on the output grid */
    long rows;
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

static keel_status time_loop(loop *l) {
    const keel_observer *observer = l->observer;
    keel_status status = give_rows(l);
    while (!status && keel_simulation_time(l->sim) < l->settings->until) {
        if (observer->stop && *observer->stop)
            return KEEL_INTERRUPTED;
        status = keel_simulation_step(l->sim);
        if (!status)
            status = give_rows(l);
        if (!status && observer->step)
            status = told(observer->step(observer->user, keel_simulation_time(l->sim), l->settings->until));
        if (!status && observer->accepted)
            status = told(tell_step(l));
    }
    return status;
}

keel_status keel_run(const keel_system *system, const keel_state *start, int velocities_given,
                     const keel_settings *settings, const keel_observer *observer,
                     keel_diagnostics *diagnostics, keel_result *result) {
    if (!system || !start || !settings || !result) {
        if (result)
            *result = (keel_result){0};
        return KEEL_ERROR_INPUT;
    }
    static const keel_observer NOBODY = {0};
    clock_t begin = clock();
    keel_status status;
    *result = (keel_result){.method = settings->method,
                            .position.worst = -1,
                            .velocity.worst = -1,
                            .repeated.worst = -1,
                            .rank = -1,
                            .gap_smallest = -1};
    loop l = {.settings = settings, .observer = observer ? observer : &NOBODY, .t_start = start->t};
    l.sim = keel_simulation_new(system, start, velocities_given, settings, diagnostics, &status);
    if (l.sim) {
        status = time_loop(&l);
        keel_status filled = keel_simulation_result(l.sim, result);
        status = status ? status : filled;
        result->count.rows = l.rows;
    } else {
        ki_copy_notes(diagnostics, result); /* as far as there is memory */
        ki_judge_refused(result);
    }
    result->status = status;
    result->cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    keel_simulation_free(l.sim);
    return status;
}
