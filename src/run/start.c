#include "run/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formulate/independence.h"
#include "run/simulation.h"
#include "run/trouble.h"

/* Which of the two levels is looked at. */
typedef struct level {
    const char *word; /* "position" or "velocity" */
    double duration;  /* 1, or that of the run: a velocity is nothing if nothing comes of it */
    int rows, count;  /* constraints, components  */
    const double *violation;
    double *x; /* the components of y      */
    const double *scale;
    keel_name_of names;
} level;

/* Reports every constraint whose violation is above the limit; true if there is one. */
static bool report_large(const ki_dynamics *d, const level *l, double limit, keel_diagnostics *diagnostics) {
    char name[160];
    bool large = false;
    for (int i = 0; i < l->rows; i++) {
        double relative = fabs(l->violation[i]) / d->size[i];
        if (relative <= limit || ki_is_round_off(d->system, i, l->duration * l->violation[i]))
            continue;
        large = true;
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, (keel_location){0},
            "the start is inconsistent: %s is violated by %.6g at %s level, %.2g of its size "
            "(up to %.2g is repaired); correct the start values, or raise start_tolerance",
            ki_constraint_text(d->system, i, name, sizeof name), l->violation[i], l->word, relative, limit);
    }
    return large;
}

/* A projection that did not settle, though what is left of all constraints is round-off, is done. */
static keel_status forgive_round_off(const ki_dynamics *d, const level *l, keel_status status) {
    if (status != KEEL_ERROR_CONVERGENCE && status != KEEL_ERROR_SINGULAR)
        return status;
    for (int i = 0; i < l->rows; i++)
        if (!ki_is_round_off(d->system, i, l->duration * l->violation[i]))
            return status;
    return KEEL_OK;
}

/* Largest change of a component, and a note if it is more than round-off. */
static double report_change(const ki_dynamics *d, const level *l, const double *before,
                            keel_diagnostics *diagnostics) {
    double moved = 0, most = 0, size = ki_most_of(l->count, l->x, l->scale);
    int which = 0;
    char name[32];
    for (int i = 0; i < l->count; i++) {
        double change = fabs(l->x[i] - before[i]);
        moved = fmax(moved, change);
        if (change / l->scale[i] > most) {
            most = change / l->scale[i];
            which = i;
        }
    }
    if (most > 1e-12 * size)
        keel_diagnostics_add(diagnostics, KEEL_NOTE, (keel_location){0},
                             "the start was made consistent at %s level: largest change %.3g, in '%s'",
                             l->word, fabs(l->x[which] - before[which]),
                             keel_system_name(d->system, l->names, which, name));
    return moved;
}

static keel_status fail(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics) {
    ki_report_failure(d, status, t, diagnostics);
    return status == KEEL_ERROR_CONVERGENCE ? KEEL_ERROR_START : status;
}

static keel_status make_consistent(ki_dynamics *d, const keel_settings *settings, int velocities_given,
                                   double t, double *y, keel_diagnostics *diagnostics,
                                   ki_start_report *report) {
    const keel_system *sys = d->system;
    double *before = KI_NEW(&d->arena, double, d->n_y);
    level position = {"position", 1, sys->n_h, sys->n_q, d->at.Phi, ki_q(y), d->scales->y, KEEL_NAME_Q};
    /* the modified Lagrange equations live with violations: a start that is off by a little is a start like
     * any other */
    bool keep = d->law->formulation == KEEL_PENALTY;
    level velocity = {"velocity", fabs(settings->until - t), d->m,       sys->n_v, d->at.rate,
                      ki_v(d, y), d->scales->y + sys->n_q,   KEEL_NAME_V};
    if (!before)
        return KEEL_ERROR_MEMORY;
    memcpy(before, y, (size_t)d->n_y * sizeof *before);
    *report = (ki_start_report){0};

    /* positions */
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_factor_at(d, t, y);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_POSITION, t, y);
    if (status)
        return fail(d, status, t, diagnostics);
    ki_position_sizes(d, y, d->size);
    if (report_large(d, &position, settings->start_tolerance, diagnostics))
        return KEEL_ERROR_START;
    d->factored = false; /* exact metric for the first projection */
    if (!keep && (status = forgive_round_off(d, &position, ki_project_position(d, t, y))))
        return fail(d, status, t, diagnostics);
    report->position_moved = report_change(d, &position, before, diagnostics);

    /* velocities */
    if (!(status = ki_factor_at(d, t, y)))
        status = ki_evaluate_terms(d, KEEL_VELOCITY, t, y);
    if (status)
        return fail(d, status, t, diagnostics);
    ki_velocity_sizes(d, ki_v(d, y), d->size);
    if (velocities_given && report_large(d, &velocity, settings->start_tolerance, diagnostics))
        return KEEL_ERROR_START;
    if (!(keep && velocities_given) &&
        (status = forgive_round_off(d, &velocity, ki_project_velocity(d, t, y))))
        return fail(d, status, t, diagnostics);
    report->velocity_moved = report_change(d, &velocity, before + sys->n_q, diagnostics);
    return KEEL_OK;
}

keel_status ki_make_consistent(ki_dynamics *d, const keel_settings *settings, int velocities_given, double t,
                               double *y, keel_diagnostics *diagnostics, ki_start_report *report) {
    /* exactly and in the mass metric, whatever the projections of the run leave */
    keel_saddle *P = d->P, *P_G = d->P_G;
    double *metric = d->metric, *P_D = d->P_D;
    d->P = d->K, d->P_G = d->K_G;
    d->metric = d->P_D = NULL;
    keel_status status = make_consistent(d, settings, velocities_given, t, y, diagnostics, report);
    d->P = P, d->P_G = P_G;
    d->metric = metric, d->P_D = P_D;
    return status;
}

keel_status ki_check_repeated(keel_simulation *sim, double t) {
    char name[160], words[500];
    const ki_held *h = &sim->held;
    keel_status status = ki_measure_repeated(sim, t, sim->row_y);
    if (status || !(h->limit > 1))
        return status;
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, (keel_location){0},
        "the start is inconsistent: %s is violated by %.6g at position level: %s, and they contradict "
        "each other",
        ki_constraint_text(sim->system, h->open_row, name, sizeof name), h->Phi[h->open_row],
        ki_words_of_repetition(sim, t, sim->row_y, h->open_row, words, sizeof words));
    return KEEL_ERROR_START;
}
