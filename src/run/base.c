#include "run/base.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/crossing.h"
#include "run/restart.h"
#include "run/sides.h"

/* A gap this near to the largest is far from a singular pose. */
static const double FAR = 0.1;

bool ki_is_quiet(const keel_simulation *sim) {
    const ki_switching *s = &sim->switching;
    const ki_watch *w = &sim->watch;
    const ki_integrator *in = sim->integrator;
    bool near_pose = w->active && !(w->gap > FAR * w->largest && w->held > FAR * w->held_largest);
    bool near_switch =
        s->is_cut || s->renew || s->on_switch || s->missed || s->cut < INFINITY || s->at <= in->t;
    return !near_pose && !near_switch && !sim->crossing.bridging && !sim->crossing.blurred &&
           !sim->stiffness.on_trial && !in->across_failed && in->t < sim->settings.until;
}

/* Where a run is: enough for a start. */
typedef struct place {
    double t, h;   /* h: the step to try, 0: the integrator's own choice */
    double *y, *s; /* [n], [n_s] */
} place;

/* Multistep methods begin with short steps, as behind a switch. */
static double step_to_try(const keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    keel_integrator kind = sim->settings.method.integrator;
    return kind == KEEL_ADAMS || kind == KEEL_BDF || kind == KEEL_IDA ? 0 : in->t - in->t_old;
}

static void visit_place(ki_stream *s, const keel_simulation *sim, place *p, int n) {
    ki_visit_double(s, &p->t);
    ki_visit_double(s, &p->h);
    ki_visit_doubles(s, p->y, n);
    ki_visit_doubles(s, p->s, sim->system->n_s);
}

/* Which of the sentences there are for "auto": results keep them for good. */
static void visit_reason(ki_stream *s, const char **reason) {
    enum { NONE, PLAIN, CONSTRAINED, STIFF_START, STIFF, COUNT };
    const char *sentence[COUNT] = {[STIFF_START] = KI_STIFF_REASON[0], [STIFF] = KI_STIFF_REASON[1]};
    int which = COUNT - 1;
    keel_method_choose(0, &sentence[PLAIN]);
    keel_method_choose(1, &sentence[CONSTRAINED]);
    while (!s->loading && which > NONE && sentence[which] != *reason)
        which--;
    ki_visit_int(s, &which, NONE, COUNT - 1);
    *reason = sentence[which];
}

/* The method that runs, which "auto" chooses anew on the way, and in which coordinates. */
static void visit_method(ki_stream *s, keel_simulation *sim, bool *is_prepared) {
    keel_method *method = &sim->settings.method;
    KI_VISIT_AS_INT(s, method->integrator, 0, KEEL_INTEGRATORS - 1);
    KI_VISIT_AS_INT(s, method->formulation, 0, KEEL_FORMULATIONS - 1);
    KI_VISIT_AS_INT(s, method->stabilize, 0, KEEL_STABILIZERS - 1);
    ki_visit_int(s, &method->automatic, 0, 1);
    ki_visit_bool(s, is_prepared);
    visit_reason(s, &sim->method_reason);
    ki_visit_int(s, &sim->rank, -1, keel_system_m(sim->system));
    ki_visit_double(s, &sim->rank_gap);
}

static void visit_workspaces(ki_stream *s, keel_simulation *sim) {
    ki_dynamics *all[] = {&sim->dynamics, &sim->rows};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->system)
            ki_visit_workspace(s, all[i]);
    ki_visit_scales(s, sim->dynamics.scales, sim->dynamics.system);
}

static void visit_end(ki_stream *s, keel_simulation *sim) {
    ki_visit_integrator(s, sim->integrator);
    ki_visit_watch(s, &sim->watch, sim->dynamics.m, sim->dynamics.system->n_v);
    ki_visit_totals(s, sim);
    ki_visit_counts(s, &sim->dynamics);
}

/* ---- writing */

void ki_write_base(ki_stream *s, keel_simulation *sim, const ki_past *past) {
    const ki_integrator *in = sim->integrator;
    bool is_prepared = sim->system != past->system;
    place here = {in->t, step_to_try(sim), in->y, sim->dynamics.s};
    keel_status status = KEEL_OK;
    visit_method(s, sim, &is_prepared);
    visit_place(s, sim, &here, in->n);
    ki_visit_held(s, sim, in->t, here.y, here.s, &status);
    visit_workspaces(s, sim);
    ki_visit_switching(s, &sim->switching, in->n);
    visit_end(s, sim);
}

/* ---- building up */

static keel_status failure_of(const ki_stream *s, const keel_simulation *sim) {
    return sim->arena.failed ? KEEL_ERROR_MEMORY : s->failed ? KEEL_ERROR_INPUT : KEEL_OK;
}

/* Auto may have chosen anything; what was asked for stays. */
static bool is_method_of(const keel_method *method, const keel_settings *settings) {
    const keel_method *asked = &settings->method;
    return keel_method_is_valid(*method) && method->automatic == asked->automatic &&
           (asked->automatic || keel_method_is_same(*method, *asked));
}

static keel_status build_method(ki_stream *s, const ki_past *past, keel_simulation *sim) {
    bool is_prepared;
    sim->system = sim->active = past->system;
    sim->settings = past->settings;
    ki_arena_init(&sim->arena);
    visit_method(s, sim, &is_prepared);
    if (s->failed || !is_method_of(&sim->settings.method, &past->settings))
        return KEEL_ERROR_INPUT;
    if (is_prepared && past->system->for_run)
        sim->system = sim->active = past->system->for_run(past->system, HUGE_VAL);
    if (!sim->system)
        return KEEL_ERROR_MEMORY;
    return KEEL_OK;
}

/* The rows that are held, and workspaces for them. */
static keel_status build_workspaces(ki_stream *s, keel_simulation *sim, const place *p) {
    keel_status status = KEEL_OK;
    ki_visit_held(s, sim, p->t, p->y, p->s, &status);
    if (!status)
        status = failure_of(s, sim);
    if (!status)
        status = ki_make_workspaces(sim);
    if (status)
        return status;
    ki_dynamics *all[] = {&sim->dynamics, &sim->rows};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->system)
            memcpy(all[i]->s, p->s, (size_t)all[i]->system->n_s * sizeof *p->s);
    memcpy(sim->row_y, p->y, (size_t)sim->dynamics.n_y * sizeof *p->y);
    if (!(status = ki_factor_at(&sim->dynamics, p->t, sim->row_y)))
        status = ki_prepare_workspaces(sim, p->t, sim->row_y);
    visit_workspaces(s, sim);
    return status ? status : failure_of(s, sim);
}

static keel_status build_integrator(ki_stream *s, keel_simulation *sim, const place *p) {
    keel_integrator kind = sim->settings.method.integrator;
    double *y = sim->row_y;
    keel_status status = ki_switching_init(sim, p->t);
    if (status)
        return status;
    ki_visit_switching(s, &sim->switching, sim->dynamics.n_y);
    ki_tell_switches(sim);
    if (s->failed || !(p->t < ki_step_limit(sim)))
        return KEEL_ERROR_INPUT;
    if (!(status = ki_prepare_bridge(sim))) /* the step is no other than before: velocities may swing on */
        sim->integrator = ki_start_integrator(sim, kind, p->t, y, p->h, &status);
    if (!status)
        status = ki_begin_watch(sim, p->t, y);
    if (!status)
        status = ki_turns_init(sim);
    return status;
}

static keel_status build(ki_stream *s, const ki_past *past, keel_simulation *sim) {
    keel_status status = build_method(s, past, sim);
    if (status)
        return status;
    const keel_system *sys = sim->system;
    int n = sys->n_q + sys->n_v + sys->n_z + 1;
    place p = {.y = KI_NEW(&sim->arena, double, n + KI_SPARE),
               .s = KI_NEW(&sim->arena, double, sim->system->n_s)};
    if ((status = ki_allocate_run(sim)))
        return status;
    visit_place(s, sim, &p, n);
    bool sound = p.t >= past->start->t && p.t < past->settings.until && p.h >= 0 && p.h < INFINITY;
    if (s->failed || !sound)
        return KEEL_ERROR_INPUT;
    if (!(status = build_workspaces(s, sim, &p)))
        status = build_integrator(s, sim, &p);
    if (!status)
        visit_end(s, sim);
    return status ? status : failure_of(s, sim);
}

keel_simulation *ki_build_from_base(ki_stream *s, const ki_past *past, keel_status *status) {
    keel_simulation *sim = calloc(1, sizeof *sim);
    *status = sim ? build(s, past, sim) : KEEL_ERROR_MEMORY;
    if (!*status)
        return sim;
    keel_simulation_free(sim);
    return NULL;
}
