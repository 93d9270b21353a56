/* verify.c - two more runs beside a run, and what they differ by: docs/verify.md.
 *
 *     error = max(|x - x_A|, (|x_A - x_B| - explained) / TRUST, ROUND_OFF |x|)
 *
 * If A is right this is the error of the run, or more where B is not as exact; an error of B that its
 * tolerance explains does not count. If B is right instead, and A and the run are wrong alike, it is too
 * small by no more than TRUST + 1.
 */
#include "keel/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/refuse.h"
#include "run/columns.h"
#include "run/state_scale.h"

/* One of the two runs. */
typedef struct witness {
    keel_simulation *sim; /* NULL: it could not start, or failed */
    keel_diagnostics *diagnostics;
    keel_row row;
} witness;

/* The vectors of a row one after the other. */
enum { Q, V, Z, LAMBDA, OUTPUTS, VECTORS };

struct keel_verifier {
    const keel_system *system;
    ki_arena arena;
    witness witness[2];
    keel_settings settings; /* of the run */
    keel_state *start;
    int velocities_given;
    const volatile int *stop; /* may be NULL */
    bool replaced;            /* B is a third method                                */
    bool b_differs;           /* A and B differ by more than their tolerances explain */
    int at[VECTORS + 1];
    double *x[3];    /* values of the run, of A, of B   */
    double *error;   /* of the last row                 */
    double *largest; /* |value| so far                  */
    double absolute; /* absolute tolerance of A and B */
    double
        small_t; /* last time when the motions differed by less than a tenth of what parts them; NaN: never */
    keel_verification found;
};

static int width(const keel_verifier *v) {
    return v->at[VECTORS];
}

/* ---- the two runs ---------------------------------------------------------------------------------------
 */

/* How exact A and B are to be: a thousand times the run, as far as round-off allows. A run with fixed steps
 * has no tolerance. */
static double tighter(const keel_settings *set) {
    static const double LEAST = 1e-13, MOST = 1e-10, TIMES = 1e-3;
    bool fixed = keel_integrator_takes_step(set->method.integrator) && set->step > 0;
    double tolerance = fixed ? MOST : TIMES * set->tolerance;
    return fmin(fmax(tolerance, LEAST), MOST);
}

/* Radau methods take stiff systems too, and share nothing with explicit ones. Where two branches of a motion
 * meet they are the least sure: if B is off alone, a method of another kind is asked. */
static keel_method other_method(keel_method method, bool third) {
    bool taken = !method.automatic && method.integrator == KEEL_RADAU9;
    keel_integrator integrator = third ? KEEL_DOPRI5 : taken ? KEEL_RADAU5 : KEEL_RADAU9;
    return (keel_method){integrator, KEEL_INDEX1, KEEL_PROJECTION, 0};
}

static keel_settings settings_of(const keel_settings *set, int which, bool third) {
    keel_settings own = *set;
    double ratio = set->absolute_tolerance / set->tolerance;
    own.method = which ? other_method(set->method, third) : keel_method_auto();
    if (set->method.formulation ==
        KEEL_GENERALIZED_INVERSE) { /* other forces, not another way to find them */
        own.method =
            (keel_method){which ? KEEL_RADAU9 : KEEL_DOP853, KEEL_GENERALIZED_INVERSE, KEEL_PROJECTION, 0};
    }
    own.tolerance = tighter(set);
    own.absolute_tolerance = ratio * own.tolerance;
    own.step = own.first_step = own.order = 0;
    own.levels = KEEL_LEVELS_POSITION_VELOCITY;
    own.projection_penalty = 0;
    own.metric = KEEL_METRIC_NATURAL;
    own.max_steps = 10 * set->max_steps;
    return own;
}

static void drop(keel_verifier *v, int which, keel_status status) {
    witness *w = &v->witness[which];
    char method[64];
    const char *text = keel_status_text(status);
    for (int i = 0; i < keel_diagnostics_count(w->diagnostics); i++)
        if (keel_diagnostics_get(w->diagnostics, i).severity == KEEL_ERROR) {
            text = keel_diagnostics_get(w->diagnostics, i).text;
            break;
        }
    snprintf(v->found.reason, sizeof v->found.reason, "%s gave up: %s",
             keel_method_text(v->found.method[which], method), text);
    keel_simulation_free(w->sim);
    w->sim = NULL;
}

static keel_status start_witness(keel_verifier *v, int which) {
    witness *w = &v->witness[which];
    keel_settings own = settings_of(&v->settings, which, v->replaced);
    keel_status status;
    v->found.method[which] = own.method;
    v->found.tolerance = own.tolerance;
    v->absolute = own.absolute_tolerance > 0 ? own.absolute_tolerance : own.tolerance;
    w->diagnostics = keel_diagnostics_new();
    if (!w->diagnostics)
        return KEEL_ERROR_MEMORY;
    w->sim = keel_simulation_new(v->system, v->start, v->velocities_given, &own, w->diagnostics, &status);
    if (!w->sim && status == KEEL_ERROR_MEMORY)
        return status;
    if (!w->sim)
        drop(v, which, status);
    return KEEL_OK;
}

/* The row of a witness at t; it stays where it is when it fails. */
static void follow(keel_verifier *v, int which, double t) {
    witness *w = &v->witness[which];
    keel_status status = KEEL_OK;
    while (w->sim && !status && keel_simulation_time(w->sim) < t)
        status = v->stop && *v->stop ? KEEL_INTERRUPTED : keel_simulation_step(w->sim);
    if (w->sim && !status)
        status = keel_simulation_row(w->sim, t, &w->row);
    if (w->sim && status)
        drop(v, which, status);
}

/* ---- comparison -----------------------------------------------------------------------------------------
 */

static void gather(const keel_verifier *v, const keel_row *row, double *x) {
    const double *vectors[VECTORS] = {row->q, row->v, row->z, row->lambda, row->outputs};
    for (int k = 0; k < VECTORS; k++)
        if (v->at[k + 1] > v->at[k])
            memcpy(x + v->at[k], vectors[k], (size_t)(v->at[k + 1] - v->at[k]) * sizeof *x);
}

/* How large value i is: its scale (docs/scales.md), or its largest so far. Multipliers and outputs have the
 * latter only. */
static double size_of(const keel_verifier *v, int i) {
    keel_simulation *sim = v->witness[0].sim;
    double size = v->largest[i];
    if (sim && i < v->at[LAMBDA])
        size = fmax(size, ki_state_scale(sim)[i]);
    return size > 0 ? size : 1;
}

/* What the tolerances of A and B explain that they differ by: global errors are some hundred times as large.
 */
static double explained(const keel_verifier *v, int i) {
    static const double GLOBAL = 1e3;
    return GLOBAL * (v->found.tolerance + v->absolute) * size_of(v, i);
}

/* Whether A and B differ in a coordinate, velocity or state by more than their tolerances explain.
 * Multipliers and outputs alone tell nothing: what accelerations make of an error has no bound. */
static bool differs(const keel_verifier *v) {
    bool any = false;
    for (int i = 0; i < v->at[LAMBDA] && v->witness[1].sim; i++)
        any = any || fabs(v->x[1][i] - v->x[2][i]) > explained(v, i);
    return any;
}

static double error_of(const keel_verifier *v, int i) {
    static const double TRUST = 30, ROUND_OFF = 4 * DBL_EPSILON;
    double x = v->x[0][i], a = v->x[1][i], b = v->x[2][i];
    if (isnan(x) || isnan(a))
        return NAN;
    double error = fmax(fabs(x - a), ROUND_OFF * fabs(x));
    return v->b_differs ? fmax(error, (fabs(a - b) - explained(v, i)) / TRUST) : error;
}

/* Largest difference of a coordinate or velocity between two of the three, relative to what parts them. */
static double apart(const keel_verifier *v, const double *x, const double *y, int *worst) {
    static const double OF_Q = 0.05, OF_V = 0.2; /* an event that comes a little late changes velocities */
    double most = 0;
    *worst = 0;
    for (int i = 0; i < v->at[Z]; i++) {
        double d = fmax(0, fabs(x[i] - y[i]) - explained(v, i));
        d /= size_of(v, i) * (i < v->at[V] ? OF_Q : OF_V);
        if (d > most) {
            most = d;
            *worst = i;
        }
    }
    return most;
}

/* Between any two of the three. */
static double distance(const keel_verifier *v, int *worst) {
    int worst_b;
    double of_run = apart(v, v->x[0], v->x[1], worst);
    double of_b = v->witness[1].sim ? apart(v, v->x[1], v->x[2], &worst_b) : 0;
    if (of_b <= of_run)
        return of_run;
    *worst = worst_b;
    return of_b;
}

/* Where B alone is off, a third method decides: if it is with A and the run, B was wrong and it goes on in
 * its place. */
static keel_status ask_third(keel_verifier *v, double t) {
    int worst;
    if (v->replaced || !v->witness[0].sim || !v->witness[1].sim || v->found.parted ||
        apart(v, v->x[0], v->x[1], &worst) > 0.1 || apart(v, v->x[1], v->x[2], &worst) <= 1)
        return KEEL_OK;
    witness before = v->witness[1];
    keel_method method = v->found.method[1];
    v->replaced = true;
    v->witness[1] = (witness){0};
    keel_status status = start_witness(v, 1);
    if (!status)
        follow(v, 1, t);
    if (v->witness[1].sim) {
        char text[64];
        snprintf(v->found.reason, sizeof v->found.reason,
                 "%s was off at t = %.6g, another method took its place", keel_method_text(method, text), t);
        gather(v, &v->witness[1].row, v->x[2]);
        keel_simulation_free(before.sim);
        keel_diagnostics_free(before.diagnostics);
        return KEEL_OK;
    }
    keel_diagnostics_free(v->witness[1].diagnostics);
    v->witness[1] = before;
    v->found.method[1] = method;
    return status;
}

static void look_for_parting(keel_verifier *v, double t) {
    int worst;
    double distant = distance(v, &worst);
    if (v->found.parted)
        return;
    if (distant < 0.1)
        v->small_t = t;
    if (!(distant > 1))
        return;
    v->found.parted = 1;
    v->found.parted_time = t;
    v->found.parted_velocity = worst >= v->at[V];
    v->found.parted_index = worst - v->at[v->found.parted_velocity ? V : Q];
    v->found.growth_time = isnan(v->small_t) || v->small_t == v->found.t ? 0 : t - v->small_t;
}

/* Largest error of [from, to) relative to the largest of these values. */
static double relative(const keel_verifier *v, int from, int to) {
    double error = 0, size = 0;
    for (int i = from; i < to; i++) {
        error = fmax(error, v->error[i]);
        size = fmax(size, v->largest[i]);
    }
    return size > 0 ? error / size : 0;
}

static keel_errors errors_of(const keel_verifier *v) {
    return (keel_errors){v->error + v->at[Q], v->error + v->at[V], v->error + v->at[Z],
                         v->error + v->at[LAMBDA], v->error + v->at[OUTPUTS]};
}

keel_status keel_verifier_row(keel_verifier *v, const keel_row *row, keel_errors *errors) {
    if (!v || !row)
        return KEEL_ERROR_INPUT;
    gather(v, row, v->x[0]);
    for (int i = 0; i < width(v); i++)
        v->largest[i] = fmax(v->largest[i], fabs(v->x[0][i]));
    for (int which = 0; which < 2; which++) {
        follow(v, which, row->t);
        if (v->witness[which].sim)
            gather(v, &v->witness[which].row, v->x[1 + which]);
    }
    keel_status status = ask_third(v, row->t);
    if (status)
        return status;
    bool compared = v->witness[0].sim != NULL;
    v->b_differs = compared && differs(v);
    for (int i = 0; i < width(v); i++)
        v->error[i] = compared ? error_of(v, i) : NAN;
    if (compared) {
        look_for_parting(v, row->t);
        v->found.verified = 1;
        v->found.t = row->t;
        v->found.largest_q = fmax(v->found.largest_q, relative(v, v->at[Q], v->at[V]));
        v->found.largest_v = fmax(v->found.largest_v, relative(v, v->at[V], v->at[Z]));
    } else {
        v->found.verified = 0;
    }
    if (errors)
        *errors = errors_of(v);
    return KEEL_OK;
}

const char *keel_verification_parted_in(const keel_system *system, const keel_verification *found,
                                        char buffer[64]) {
    if (!system || !found || !buffer)
        return "";
    char own[32];
    bool prime = found->parted_velocity && ki_velocity_is_rate(system);
    const char *name = found->parted_velocity
                           ? ki_velocity_name(system, found->parted_index, own)
                           : keel_system_name(system, KEEL_NAME_Q, found->parted_index, own);
    snprintf(buffer, 64, "%.60s%s", name, prime ? "'" : "");
    return buffer;
}

keel_verification keel_verifier_result(const keel_verifier *v) {
    if (!v)
        return (keel_verification){0};
    keel_verification found = v->found;
    found.final = errors_of(v);
    return found;
}

keel_verifier *keel_verifier_new(const keel_system *system, const keel_state *start, int velocities_given,
                                 const keel_settings *settings, keel_status *status) {
    if (!system || !start || !settings || !status)
        return ki_refuse(status);
    keel_verifier *v = calloc(1, sizeof *v);
    *status = KEEL_ERROR_MEMORY;
    if (!v)
        return NULL;
    const int count[VECTORS] = {system->n_q, system->n_v, system->n_z, keel_system_m(system),
                                system->n_outputs};
    v->system = system;
    v->small_t = NAN;
    for (int k = 0; k < VECTORS; k++)
        v->at[k + 1] = v->at[k] + count[k];
    ki_arena_init(&v->arena);
    for (int k = 0; k < 3; k++)
        v->x[k] = KI_NEW(&v->arena, double, width(v));
    v->error = KI_NEW(&v->arena, double, width(v));
    v->largest = KI_NEW(&v->arena, double, width(v));
    v->settings = *settings;
    v->velocities_given = velocities_given;
    v->start = keel_state_new(system);
    *status = v->arena.failed || !v->start ? KEEL_ERROR_MEMORY : KEEL_OK;
    if (!*status)
        keel_state_copy(system, v->start, start);
    for (int which = 0; which < 2 && !*status; which++)
        *status = start_witness(v, which);
    if (!*status)
        return v;
    keel_verifier_free(v);
    return NULL;
}

void keel_verifier_stop_at(keel_verifier *v, const volatile int *stop) {
    if (!v)
        return;
    v->stop = stop;
}

void keel_verifier_free(keel_verifier *v) {
    if (!v)
        return;
    for (int which = 0; which < 2; which++) {
        keel_simulation_free(v->witness[which].sim);
        keel_diagnostics_free(v->witness[which].diagnostics);
    }
    keel_state_free(v->start);
    ki_arena_free(&v->arena);
    free(v);
}

/* ---- a run with a verifier ------------------------------------------------------------------------------
 */

typedef struct listener {
    const keel_observer *observer;
    keel_verifier *verifier;
} listener;

static keel_status on_row(void *user, const keel_row *row) {
    listener *l = user;
    keel_status status = keel_verifier_row(l->verifier, row, NULL);
    return status || !l->observer->row ? status : l->observer->row(l->observer->user, row);
}

static keel_status on_step(void *user, double t, double until) {
    const keel_observer *observer = ((listener *)user)->observer;
    return observer->step ? observer->step(observer->user, t, until) : KEEL_OK;
}

static keel_status on_accepted(void *user, const keel_step *step) {
    const keel_observer *observer = ((listener *)user)->observer;
    return observer->accepted ? observer->accepted(observer->user, step) : KEEL_OK;
}

keel_status keel_verify(const keel_system *system, const keel_state *start, int velocities_given,
                        const keel_settings *settings, const keel_observer *observer,
                        keel_diagnostics *diagnostics, keel_result *result, keel_verification *verification,
                        keel_verifier **verifier) {
    if (!system || !start || !settings || !result || !verification || !verifier) {
        if (result)
            *result = (keel_result){0};
        return KEEL_ERROR_INPUT;
    }
    static const keel_observer NOBODY = {0};
    keel_status status;
    *verification = (keel_verification){0};
    *verifier = keel_verifier_new(system, start, velocities_given, settings, &status);
    if (!*verifier) {
        *result = (keel_result){.status = status};
        return status;
    }
    listener l = {.observer = observer ? observer : &NOBODY, .verifier = *verifier};
    keel_verifier_stop_at(*verifier, l.observer->stop);
    keel_observer both = {
        .user = &l, .row = on_row, .step = on_step, .stop = l.observer->stop, .accepted = on_accepted};
    status = keel_run(system, start, velocities_given, settings, &both, diagnostics, result);
    *verification = keel_verifier_result(*verifier);
    result->verification = verification;
    return status;
}
