#include "run/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/crossing.h"
#include "run/judge.h"

keel_event *ki_new_event(keel_simulation *sim, double t, keel_event_kind kind) {
    if (sim->event_count == KEEL_EVENTS_MAX) {
        sim->events_dropped++;
        return NULL;
    }
    keel_event *event = &sim->events[sim->event_count++];
    event->t = t;
    event->kind = kind;
    return event;
}

/* True if row i of J is shorter than `least` of its largest length so far: it constrains nothing there. */
static bool has_vanished(const keel_simulation *sim, const ki_dynamics *d, int i, double least) {
    keel_pattern P = d->system->J;
    double square = 0;
    for (int k = P.start[i]; k < P.start[i + 1]; k++)
        square += d->at.J[k] * d->at.J[k];
    return sqrt(square) <= least * sim->watch.of.length[i];
}

/* Adds words to a text that ends at `used`. */
static size_t add_words(char *text, size_t used, const char *words) {
    size_t length = strlen(words);
    memcpy(text + used, words, length + 1);
    return used + length;
}

/* Adds ", 'name'" to a list of names that ends at `used`; ", ..." and nothing more when it would not fit. */
static size_t add_name(char *text, size_t size, size_t used, const char *name) {
    const char *comma = used ? ", " : "", *rest = ", ...";
    if (used && strcmp(text + used - 3, "...") == 0)
        return used;
    if (used + strlen(comma) + strlen(name) + 2 + strlen(rest) >= size)
        return add_words(text, used, used ? rest : "...");
    used = add_words(text, used, comma);
    used = add_words(text, used, "'");
    used = add_words(text, used, name);
    return add_words(text, used, "'");
}

/* "'a', 'b', 'c'": the constraints that take part in the dependency of J in d->at, and that did not before.
 * Rows of unit length tell which depend on each other; of a row that has vanished they tell nothing. */
static void list_by_rows(keel_simulation *sim, const ki_dynamics *d, double least, char *text, size_t size) {
    char buffer[32];
    size_t used = 0;
    double *part = sim->watch.of.left; /* how long the rests were is known by now */
    ki_gap_parts(&sim->watch.of, d, least, part);
    for (int i = 0; i < d->m; i++)
        if ((part[i] > 1e-3 || has_vanished(sim, d, i, least)) &&
            !(sim->shared && !sim->held.selection && sim->shared[i]))
            used = add_name(text, size, used, keel_system_name(d->system, KEEL_NAME_CONSTRAINT, i, buffer));
}

/* Of large systems: those of which the others leave nothing, as measured last. */
static void list_by_pivots(const ki_gap *gap, const keel_system *system, double least, char *text,
                           size_t size) {
    char buffer[32];
    size_t used = 0;
    for (int i = 0; i < keel_system_m(system); i++)
        if (gap->left[i] <= least && !gap->dependent[i])
            used = add_name(text, size, used, keel_system_name(system, KEEL_NAME_CONSTRAINT, i, buffer));
}

/* The rank of J in d and the names of the constraints that have become dependent there. */
static int list_dependent(keel_simulation *sim, const ki_dynamics *d, double least, char *text, size_t size) {
    ki_gap *gap = &sim->watch.of;
    int rank = ki_gap_rank(gap, d, least);
    text[0] = 0;
    if (gap->by_pivots)
        list_by_pivots(gap, d->system, least, text, size);
    else
        list_by_rows(sim, d, least, text, size);
    return rank;
}

/* Baumgarte's method divides by J at every stage and has nothing to bring it back: it leaves a singular pose
 * on a branch of chance. The penalty form does not divide by J. */
static bool must_stop(const keel_settings *settings) {
    return settings->singular == KEEL_SINGULAR_STOP ||
           (settings->method.stabilize == KEEL_BAUMGARTE && settings->method.formulation != KEEL_PENALTY);
}

/* A pose that was crossed with joints held open tells the one that was most. */
static void note_offset(const keel_simulation *sim, double t, ki_pose *pose) {
    const ki_offset *offset = &sim->dynamics.offset;
    if (!(offset->span > 0) || fabs(t - offset->t_0 - 0.5 * offset->span) > 0.1 * offset->span)
        return;
    pose->open_row = ki_row_of_all(sim, sim->crossing.open_row);
    pose->open = fabs(offset->beta[sim->crossing.open_row]);
}

static keel_status report_singular(keel_simulation *sim, double t, double gap) {
    const ki_dynamics *rows = &sim->rows;
    bool stop = must_stop(&sim->settings);
    double least = fmax(1e-3 * sim->watch.largest, 1.5 * gap);
    char names[120];
    ki_note_pose(sim, t, sim->watch.y);
    int at = list_dependent(sim, rows, least, names, sizeof names);
    if (sim->held.selection)
        at = ki_rank_of_all(sim, t, sim->watch.y, least);
    if (sim->held.selection && sim->held.look.large && at == sim->held.look.rank)
        return KEEL_OK; /* only those held depend on each other there: others will take their places */
    keel_event *event = ki_new_event(sim, t, KEEL_EVENT_SINGULAR);
    if (event) {
        add_words(event->text, 0, names);
        sim->poses[event - sim->events] =
            (ki_pose){.open_row = -1,
                      .before = sim->watch.of.rank,
                      .at = at,
                      .after = sim->held.selection ? sim->watch.of.rank
                                                   : ki_gap_rank(&sim->watch.of, &sim->dynamics, least),
                      .gap = gap};
        note_offset(sim, t, &sim->poses[event - sim->events]);
    }
    if (!stop)
        return KEEL_OK;
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, (keel_location){0},
        "t = %.6g: the pose is singular: constraints %s become dependent (rank %d instead of %d)%s", t, names,
        at, sim->watch.of.rank,
        sim->settings.singular == KEEL_SINGULAR_STOP
            ? "; the option singular = stop ends the run here"
            : "; Baumgarte's method cannot tell the branches apart here: use projection or penalty");
    return KEEL_ERROR_SINGULAR;
}

/* The event of a pose in words, as long as they fit. */
static void write_pose(const keel_simulation *sim, const ki_pose *pose, const char *names,
                       keel_event *event) {
    char open[128] = "", name[32], unit[64];
    if (pose->open_row >= 0)
        snprintf(open, sizeof open,
                 "; crossed with '%s' open by %.1e %s, within the precision of the drawing",
                 keel_system_name(sim->system, KEEL_NAME_CONSTRAINT, pose->open_row, name), pose->open,
                 keel_system_unit(sim->system, KEEL_UNIT_CONSTRAINT, pose->open_row, unit));
    enum { WORDS = 76 };
    int room = (int)(sizeof event->text - strlen(open)) - WORDS;
    snprintf(event->text, sizeof event->text,
             "singular pose: rank %d before, %d at, %d after; gap %.1e; dependent there: %.*s%s",
             pose->before, pose->at, pose->after, pose->gap, room < 119 ? room : 119, names, open);
}

void ki_write_event(const keel_simulation *sim, int number, keel_event *event) {
    *event = sim->events[number];
    const ki_pose *pose = &sim->poses[number];
    if (event->kind == KEEL_EVENT_SINGULAR)
        write_pose(sim, pose, sim->events[number].text, event);
}

/* "x, y, theta": the independent components */
static void list_independent(const ki_dynamics *d, char *text, size_t size) {
    char buffer[32];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < d->system->n_v && used < size; i++)
        if (!d->by_velocity.is_dependent[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     keel_system_name(d->system, KEEL_NAME_V, i, buffer));
}

/* Compares with the partition of the accepted step before: what a rejected attempt chose does not count. */
static void look_for_switch(keel_simulation *sim) {
    const ki_partition *p = &sim->dynamics.by_velocity;
    size_t bytes = (size_t)p->n * sizeof *p->is_dependent;
    if (!p->rank || (sim->partition_known && memcmp(sim->was_dependent, p->is_dependent, bytes) == 0))
        return;
    memcpy(sim->was_dependent, p->is_dependent, bytes);
    if (sim->partition_known) {
        keel_event *event = ki_new_event(sim, sim->integrator->t, KEEL_EVENT_PARTITION);
        int used = event ? snprintf(event->text, sizeof event->text, "independent velocities: ") : 0;
        if (event)
            list_independent(&sim->dynamics, event->text + used, sizeof event->text - (size_t)used);
    }
    sim->partition_known = true;
}

keel_status ki_look_for_events(keel_simulation *sim) {
    double t, gap;
    look_for_switch(sim);
    if (sim->integrator->steps == 0 || !ki_watch_step(&sim->watch, sim->integrator, &sim->rows, &t, &gap))
        return KEEL_OK;
    keel_status status;
    do
        status = report_singular(sim, t, gap);
    while (!status && ki_watch_rest(&sim->watch, sim->integrator, &sim->rows, &t, &gap));
    return status;
}

void ki_explain_singular(keel_simulation *sim) {
    char names[160];
    const ki_watch *w = &sim->watch;
    if (!w->active || w->gap > 1e-2 * w->largest)
        return;
    list_dependent(sim, &sim->dynamics, 1e-2 * w->largest, names, sizeof names);
    if (!names[0]) /* the attempt that failed was elsewhere */
        return;
    keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, (keel_location){0},
                         "t = %.6g: the pose is singular: constraints %s become dependent (gap %.1e of %.1e)",
                         sim->integrator->t, names, w->gap, w->largest);
}

/* Energies are compared with that of the start and with the work; where both are small by chance the kinetic
 * energy tells that nothing grew. */
static bool energy_is_made_up(keel_simulation *sim) {
    double drift = fabs(sim->energy_drift), work = fabs(sim->integrator->y[sim->dynamics.n_y - 1]);
    if (!sim->system->has_energy || !(drift > 10 * (fabs(sim->energy_initial) + work)))
        return false;
    return isinf(drift) || drift > 0.1 * ki_energy_of_motion(sim);
}

static bool takes_fixed_steps(const keel_settings *set) {
    return keel_integrator_takes_step(set->method.integrator) && set->step > 0;
}

bool ki_explain_energy(keel_simulation *sim) {
    const keel_settings *set = &sim->settings;
    if (!energy_is_made_up(sim))
        return false;
    bool fixed = takes_fixed_steps(set);
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, (keel_location){0},
        "t = %.6g: the energy has changed by %.1e, which no force did (%.3g at the start): steps are too "
        "long to follow the motion; take a smaller %s than %g",
        sim->integrator->t, sim->energy_drift, sim->energy_initial, fixed ? "step" : "tolerance",
        fixed ? set->step : set->tolerance);
    return true;
}

void ki_explain_looseness(keel_simulation *sim, const ki_trouble *trouble) {
    static const double LOOSE = 0.01;
    const keel_settings *set = &sim->settings;
    if (trouble->kind != KI_TROUBLE_POSITION || takes_fixed_steps(set) || !(set->tolerance > LOOSE))
        return;
    keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, (keel_location){0},
                         "a tolerance of %g lets steps leave the constraints farther than projection can "
                         "bring them back: take %g or less",
                         set->tolerance, LOOSE);
}
