#include "run/audit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/events.h"
#include "run/simulation.h"

static bool corrects_states(const keel_simulation *sim) {
    keel_stabilize stabilize = sim->settings.method.stabilize;
    keel_formulation formulation = sim->law.formulation;
    return stabilize == KEEL_PROJECTION || stabilize == KEEL_GRADIENT || formulation == KEEL_INDEPENDENT ||
           formulation == KEEL_PARTITIONED;
}

/* Projections of velocities in a metric other than M. The joint projection is another problem: it trades
 * velocities for displacements. */
static bool metric_may_add(const keel_simulation *sim) {
    const ki_law *law = &sim->law;
    return sim->settings.method.stabilize == KEEL_PROJECTION && law->metric != KEEL_METRIC_MASS &&
           ki_projects_velocity(law) && !law->joint && sim->dynamics.m;
}

/* Full matrices, or what large systems have instead; a large matrix as a metric is not looked at, which is
 * said. */
static void prepare_metric(keel_simulation *sim) {
    ki_audit *audit = &sim->audit;
    audit->metric_large = sim->active->n_v > KI_METRIC_LIMIT;
    if (!audit->metric_large) {
        ki_metric_init(&audit->metric, &sim->arena, sim->active->n_v, sim->dynamics.m);
    } else if (sim->law.metric == KEEL_METRIC_IDENTITY) {
        ki_metric_large_init(&audit->large, &sim->arena, sim->active);
    } else {
        audit->metric_open = false;
        keel_diagnostics_add(
            sim->diagnostics, KEEL_NOTE, (keel_location){0},
            "whether projection in the metric 'matrix' can add energy is looked at up to %d velocities; "
            "what it did add is in the audit",
            KI_METRIC_LIMIT);
    }
}

keel_status ki_audit_init(keel_simulation *sim) {
    ki_audit *audit = &sim->audit;
    audit->active = sim->system->has_energy && corrects_states(sim);
    audit->metric_open = metric_may_add(sim);
    if (audit->metric_open)
        prepare_metric(sim);
    if (sim->arena.failed)
        return KEEL_ERROR_MEMORY;
    return audit->active ? ki_audit_on(&sim->dynamics) : KEEL_OK;
}

static void add(keel_audit *sum, const keel_audit *step) {
    sum->integrator += step->integrator;
    sum->projection += step->projection;
    sum->projection_1 += step->projection_1;
    sum->projection_2 += step->projection_2;
}

/* A change that is no more than round-off is neither gain nor loss. */
static void book(keel_simulation *sim, double drift) {
    ki_audit *audit = &sim->audit;
    ki_energy_change settled = sim->integrator->settled;
    double round_off = 8 * DBL_EPSILON * settled.size;
    audit->last = (keel_audit){.integrator = drift - audit->drift - settled.all,
                               .projection = settled.all,
                               .projection_1 = settled.part_1,
                               .projection_2 = settled.part_2};
    add(&audit->sum, &audit->last);
    audit->gains += settled.all > round_off;
    audit->losses += settled.all < -round_off;
}

static void report_metric(keel_simulation *sim, double smallest) {
    const char *word = sim->law.metric == KEEL_METRIC_MATRIX ? "matrix" : "identity";
    double t = sim->integrator->t;
    char text[sizeof((keel_event *)0)->text];
    snprintf(
        text, sizeof text,
        "projection in the metric '%s' can add energy here (smallest eigenvalue of the symmetric part of "
        "M A^-1 J^T J is %s%.2g, case II): the mass metric cannot",
        word, sim->audit.metric_large ? "at most " : "", smallest);
    keel_event *event = ki_new_event(sim, t, KEEL_EVENT_METRIC);
    if (event)
        memcpy(event->text, text, sizeof text);
    keel_diagnostics_add(sim->diagnostics, KEEL_WARNING, (keel_location){0}, "t = %.6g: %s", t, text);
}

/* M and J of the state reached, in the workspace of the rows: what the steps keep is not touched. */
static keel_status check_metric(keel_simulation *sim) {
    ki_dynamics *d = &sim->rows;
    ki_metric *metric = &sim->audit.metric;
    ki_metric_case which = KI_CASE_IV;
    double smallest;
    memcpy(d->s, sim->dynamics.s, (size_t)sim->system->n_s * sizeof(double));
    d->factored = false;
    keel_status status =
        ki_evaluate_terms(d, KEEL_MASS | KEEL_JACOBIAN, sim->integrator->t, sim->integrator->y);
    if (status)
        return status;
    if (sim->audit.metric_large) {
        status = ki_metric_large_look(&sim->audit.large, d, &smallest);
        which = smallest < 0 ? KI_CASE_II : KI_CASE_IV;
    } else {
        ki_metric_load(metric, d);
        status = ki_metric_classify(metric, &which);
        smallest = metric->smallest;
    }
    if (!status && which == KI_CASE_II) {
        sim->audit.metric_open = false;
        report_metric(sim, smallest);
    }
    return status;
}

void ki_audit_exchange(ki_audit *audit, double change) {
    audit->drift += change;
    audit->sum.projection += change;
    audit->exchanged += fabs(change);
}

keel_status ki_audit_step(keel_simulation *sim, double drift) {
    ki_audit *audit = &sim->audit;
    bool stepped = sim->integrator->steps > 0;
    if (stepped && sim->system->has_energy)
        book(sim, drift);
    audit->drift = drift;
    audit->gain_max = fmax(audit->gain_max, drift);
    return stepped && audit->metric_open ? check_metric(sim) : KEEL_OK;
}
