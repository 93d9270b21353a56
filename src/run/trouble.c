#include "run/trouble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formulate/dependence.h"
#include "formulate/independence.h"
#include "run/dead_point.h"
#include "run/simulation.h"

const char *ki_constraint_text(const keel_system *system, int i, char *buffer, int size) {
    char name[32];
    const char *joint = system->names.joint ? system->names.joint[i] : NULL;
    if (i < 0)
        snprintf(buffer, (size_t)size, "a constraint");
    else if (joint)
        snprintf(buffer, (size_t)size, "constraint '%s' (joint '%s')",
                 keel_system_name(system, KEEL_NAME_CONSTRAINT, i, name), joint);
    else
        snprintf(buffer, (size_t)size, "constraint '%s'",
                 keel_system_name(system, KEEL_NAME_CONSTRAINT, i, name));
    return buffer;
}

/* What integrator conserving cannot do. */
static void describe_conserving(const keel_system *system, const ki_trouble *trouble, char *text,
                                size_t size) {
    char constraint[160];
    if (trouble->kind == KI_TROUBLE_AUGMENTED)
        snprintf(text, size,
                 "the augmented Lagrangian of the step cannot close %s, which stays open by %.3g: raise "
                 "augmented_penalty, or take solution = newton",
                 ki_constraint_text(system, trouble->index, constraint, sizeof constraint), trouble->amount);
    else
        snprintf(text, size, "%s", trouble->why);
}

/* What projections could not do. What is left may be round-off: then that is not the reason. `duration` is
 * that of the run: a velocity is nothing if nothing comes of it. */
static void describe_projection(const keel_system *system, const ki_trouble *trouble, double duration,
                                char *text, size_t size) {
    char constraint[160];
    bool velocity = trouble->kind == KI_TROUBLE_VELOCITY;
    ki_constraint_text(system, trouble->index, constraint, sizeof constraint);
    if ((!velocity || duration > 0) &&
        ki_is_round_off(system, trouble->index, velocity ? duration * trouble->amount : trouble->amount))
        snprintf(
            text, size,
            "%s projection does not settle near %s, though what is left is round-off: the pose is singular, "
            "or nearly so",
            velocity ? "velocity" : "position", constraint);
    else if (velocity)
        snprintf(text, size, "velocity projection cannot satisfy %s: its rate stays at %.3g", constraint,
                 trouble->amount);
    else
        snprintf(text, size, "projection cannot close %s: it stays open by %.3g", constraint,
                 trouble->amount);
}

/* To those whose implicit step failed. */
static const char *advice(bool growing) {
    return growing ? "an undamped rule lets multipliers oscillate and grow; try hht, generalized-alpha, "
                     "projection "
                     "or a smaller step"
                   : "try a smaller step";
}

/* What went wrong, as a clause. */
static void describe(const keel_system *system, const ki_trouble *trouble, double duration, char *text,
                     size_t size) {
    char name[32], constraint[160];
    int i = trouble->index;
    switch (trouble->kind) {
    case KI_TROUBLE_NONE:
        snprintf(text, size, "the error estimate stays above the tolerance");
        break;
    case KI_TROUBLE_CALLBACK:
        snprintf(text, size, "the system's evaluate function reported failure (status %g)", trouble->amount);
        break;
    case KI_TROUBLE_FORCE:
        snprintf(text, size, "the force on '%s' is not finite",
                 keel_system_name(system, KEEL_NAME_V, i, name));
        break;
    case KI_TROUBLE_XI:
        snprintf(text, size, "the acceleration level of %s is not finite",
                 ki_constraint_text(system, i, constraint, sizeof constraint));
        break;
    case KI_TROUBLE_STATE:
        snprintf(text, size, "the rate of state '%s' is not finite",
                 keel_system_name(system, KEEL_NAME_Z, i, name));
        break;
    case KI_TROUBLE_MATRIX:
        snprintf(text, size, "the mass matrix or the constraint Jacobian has an entry that is not finite");
        break;
    case KI_TROUBLE_MASS:
        snprintf(text, size, "the mass matrix is not positive definite at '%s'%s",
                 i < 0 ? "?" : keel_system_name(system, KEEL_NAME_V, i, name),
                 ", and the constraints do not make up for it");
        break;
    case KI_TROUBLE_CONSTRAINT:
        snprintf(text, size,
                 "the constraints contradict each other in their accelerations: %s cannot be met "
                 "(relative residual %.2g), the pose is singular or a constraint is inconsistent",
                 ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount);
        break;
    case KI_TROUBLE_POSITION:
    case KI_TROUBLE_VELOCITY:
        describe_projection(system, trouble, duration, text, size);
        break;
    case KI_TROUBLE_MEETING:
        snprintf(
            text, size,
            "branches of motion that meet in a singular pose ahead pass each other by what the drawing is "
            "not exact, %s being off by %.2g there, and no step crosses that pose well enough: draw with "
            "more digits, or take another tolerance",
            ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount);
        break;
    case KI_TROUBLE_AUXILIARY:
        snprintf(text, size, "Newton's method for the auxiliary unknown '%s' does not converge",
                 keel_system_name(system, KEEL_NAME_S, i, name));
        break;
    case KI_TROUBLE_NEWTON:
        snprintf(text, size,
                 "Newton's method of the step does not converge (last relative correction %.2g): %s",
                 trouble->amount, advice(i == 1));
        break;
    case KI_TROUBLE_PATH:
        if (i < 0)
            snprintf(text, size,
                     "the equations of the step have a solution only away from the motion, as on "
                     "another branch of the constraints");
        else
            snprintf(text, size,
                     "the step leads to another branch of the constraints: half way %s is open by %.2g; %s",
                     ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount,
                     advice(trouble->other == 1));
        break;
    case KI_TROUBLE_STALL:
        snprintf(text, size, "corrections of %s stall at %.1g (relative), newton_tolerance is %.1g: %s",
                 i == 1 ? "the multipliers" : "Newton's method", trouble->amount, trouble->size,
                 i == 1 ? "round-off of the order of eps/h^2 with scaling 'none'; 'scaling: both' removes it"
                        : "round-off");
        break;
    case KI_TROUBLE_MULTIPLIER:
        snprintf(text, size,
                 "the iteration for the force that depends on the multiplier of %s does not converge",
                 ki_constraint_text(system, i, constraint, sizeof constraint));
        break;
    case KI_TROUBLE_KEEPING:
        snprintf(text, size, "projection cannot keep invariant '%s': it stays off by %.3g",
                 keel_system_name(system, KEEL_NAME_INVARIANT, i, name), trouble->amount);
        break;
    case KI_TROUBLE_INVARIANT:
        snprintf(text, size,
                 "invariant '%s' is not constant along the motion: it changes at the rate %.3g, the sum of "
                 "terms of size %.3g (keep_invariants = no runs without)",
                 keel_system_name(system, KEEL_NAME_INVARIANT, i, name), trouble->amount, trouble->size);
        break;
    case KI_TROUBLE_REPEATED: /* describe_repeated knows more: of all constraints */
        snprintf(text, size, "constraints that repeat others open by %.3g", trouble->amount);
        break;
    case KI_TROUBLE_SIDES:
        snprintf(text, size,
                 "%s changes sides without end, as dry friction does where it holds: take a smooth law, "
                 "tanh(x/eps) in place of sign(x)",
                 trouble->why);
        break;
    case KI_TROUBLE_AUGMENTED:
    case KI_TROUBLE_UNSUITED:
        describe_conserving(system, trouble, text, size);
        break;
    }
}

const char *ki_words_of_repetition(keel_simulation *sim, double t, const double *y, int row, char *text,
                                   int size) {
    const keel_system *sys = sim->system;
    ki_independence *look = &sim->held.look;
    double *parts = sim->held.lambda; /* of rows, which come no more */
    keel_point at = {.t = t, .q = y, .v = y + sys->n_q, .z = y + sys->n_q + sys->n_v};
    int rank;
    look->ignored[row] = true;
    keel_status status = ki_count_independent(look, &at, &rank);
    look->ignored[row] = false;
    if (status)
        return ki_constraint_text(sys, row, text, size);
    ki_parts_of_row(look, row, parts);
    return ki_repetition_words(sys, parts, row, text, size);
}

/* A constraint that is not held opens; it is a row of the system with all of them. */
static void describe_repeated(keel_simulation *sim, char *text, size_t size) {
    const keel_system *sys = sim->system;
    const ki_trouble *trouble = &sim->dynamics.trouble;
    int row = trouble->index;
    char words[500], unit[KEEL_UNIT + 1], buffer[KEEL_UNIT];
    bool motion = sys->names.joint && !sys->names.joint[row];
    const char *known = keel_system_unit(sys, KEEL_UNIT_CONSTRAINT, row, buffer);
    snprintf(unit, sizeof unit, "%s%s", *known ? " " : "", known);
    ki_words_of_repetition(sim, sim->integrator->t, sim->integrator->y, row, words, sizeof words);
    if (motion || !sys->row_size)
        snprintf(text, size, "%s up to here, but then it is off by %.2g%s: they contradict each other", words,
                 trouble->amount, unit);
    else
        snprintf(text, size,
                 "%s up to here, but then it opens by %.2g%s, more than the precision of the drawing allows "
                 "(%.2g): draw them alike, or tell by 'precision' how well the drawing is known",
                 words, trouble->amount, unit, ki_open_limit(sys, row));
}

/* ---- motions that a mechanism cannot follow ------------------------------------------------------------ */

/* Whether a failure can be that of a motion which asks for more than the joints allow. */
static bool can_be_dead_point(keel_status status, const ki_trouble *trouble) {
    switch (trouble->kind) {
    case KI_TROUBLE_CONSTRAINT:
    case KI_TROUBLE_POSITION:
    case KI_TROUBLE_VELOCITY:
    case KI_TROUBLE_NEWTON:
    case KI_TROUBLE_PATH:
    case KI_TROUBLE_STALL:
    case KI_TROUBLE_KEEPING:
    case KI_TROUBLE_AUGMENTED:
    case KI_TROUBLE_MULTIPLIER: /* forces grow without bound on the way to it, friction with them */
        return true;
    default:
        return trouble->kind == KI_TROUBLE_NONE && status == KEEL_ERROR_STEP_SIZE;
    }
}

/* True if the failure is that of a motion at a dead point, and was put into words. */
static bool report_dead_point(keel_simulation *sim, keel_status status, const char *cause) {
    const keel_system *sys = sim->system;
    const ki_integrator *in = sim->integrator;
    ki_dead_point found;
    char name[32], reach[160] = "", buffer[KEEL_UNIT];
    if (!can_be_dead_point(status, &sim->dynamics.trouble))
        return false;
    keel_point last = {.t = in->t, .q = in->y, .v = in->y + sys->n_q, .z = in->y + sys->n_q + sys->n_v};
    if (!ki_find_dead_point(sys, ki_work_of_all(sim), &last, sim->settings.until, &found))
        return false;
    const char *unit = keel_system_unit(sys, KEEL_UNIT_CONSTRAINT, found.motion, buffer);
    if (found.valued)
        snprintf(reach, sizeof reach,
                 "; what it drives reaches %.10g%s%s at %s, and it asks for %.6g at t = %.6g", found.top,
                 *unit ? " " : "", unit, found.least ? "least" : "most", found.asked, found.t_1);
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, (keel_location){0},
        "the motion '%s' cannot be followed beyond t = %.10g: the mechanism has reached a dead "
        "point%s%s%s%s (the run stopped at t = %.10g: %s)",
        keel_system_name(sys, KEEL_NAME_CONSTRAINT, found.motion, name), found.t,
        found.joints[0] ? ", further on its joints (" : "", found.joints,
        found.joints[0] ? ") cannot close" : "", reach, in->t, cause);
    return true;
}

/* The number with the fewest decimals between a and b: where a law ends is often one. */
static double roundest_between(double a, double b) {
    double scale = pow(10, -ceil(log10(fmax(fabs(b), b - a))));
    for (; scale < 100 / (b - a); scale *= 10)
        if (ceil(a * scale) / scale <= b)
            return ceil(a * scale) / scale;
    return b;
}

/* A run that ended at t. */
typedef struct failure {
    keel_status status;
    double t;
    double limit; /* towards which steps shrank; t: it was reached, or nothing is known */
} failure;

/* Where something came from that is not finite, appended to the cause; false if nowhere. What failed may have
 * been something else: steps that shrink towards the end of a law do not get there, and a long step fails as
 * a whole. So the model is asked at the time of the trouble, where the run stands, and after that: just after
 * it, or at the end of the step; and next to where the steps would have led. */
static bool find_source(const ki_dynamics *d, const failure *f, char *cause, size_t size,
                        keel_location *where) {
    const ki_trouble *trouble = &d->trouble;
    size_t used = strlen(cause);
    bool told = trouble->kind == KI_TROUBLE_FORCE || trouble->kind == KI_TROUBLE_XI;
    double t = f->t, at = trouble->kind == KI_TROUBLE_NONE ? t : trouble->t;
    double after = f->status == KEEL_ERROR_STEP_SIZE ? 1e-7 * fmax(fabs(t), d->step) : 2 * (at - t);
    double beyond = t + 4 * (f->limit - t), farther = fmax(beyond, t + 1e-5 * fabs(t));
    double times[] = {at, t, t + after, f->limit, beyond, roundest_between(t, farther)};
    int count = f->limit > t ? 6 : 3;
    char part[160];
    for (int i = 0; d->system->explain && i < count; i++) {
        if (!d->system->explain(d->system, d->work, times[i], part, sizeof part, where))
            continue;
        if (i == 0 && told)
            snprintf(cause + used, size - used, ": look at %s", part);
        else
            snprintf(cause + used, size - used, "; look at %s, which is not finite near t = %.10g", part,
                     times[i]);
        return true;
    }
    return false;
}

/* The place of what failed, or none; the cause in words. True if the model has a part that is to blame. `sim`
 * is NULL before the first step. */
static bool find_cause(const ki_dynamics *d, const failure *f, keel_simulation *sim, char *cause, size_t size,
                       keel_location *where) {
    *where = (keel_location){0};
    if (sim && d->trouble.kind == KI_TROUBLE_REPEATED)
        describe_repeated(sim, cause, size);
    else if (d->trouble.kind == KI_TROUBLE_NONE && f->limit > f->t)
        snprintf(cause, size,
                 "the error estimate asks for ever shorter steps (if nothing ends there, round-off "
                 "does it, and a larger tolerance gets past)");
    else
        describe(d->system, &d->trouble, sim ? sim->settings.until - f->t : 0, cause, size);
    return find_source(d, f, cause, size, where);
}

static void report(const ki_dynamics *d, keel_status status, double t, keel_simulation *sim,
                   keel_diagnostics *diagnostics) {
    char cause[1000] = "";
    keel_location nowhere = {0}, where;
    failure f = {status, t, t};
    switch (status) {
    case KEEL_ERROR_MEMORY:
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "out of memory");
        return;
    case KEEL_ERROR_LIMIT:
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "t = %.10g: stopped after the most steps allowed (option max_steps)", t);
        return;
    default:
        if (!find_cause(d, &f, sim, cause, sizeof cause, &where) && sim &&
            report_dead_point(sim, status, cause))
            return;
    }
    if (status == KEEL_ERROR_STEP_SIZE)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "t = %.10g: the step size became too small: %s",
                             t, cause);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "t = %.10g: %s", d->trouble.t, cause);
}

void ki_report_failure(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics) {
    report(d, status, t, NULL, diagnostics);
}

void ki_report_step_failure(keel_simulation *sim, keel_status status) {
    report(&sim->dynamics, status, sim->integrator->t, sim, sim->diagnostics);
}

void ki_report_collapse(keel_simulation *sim, const ki_collapse *collapse) {
    char cause[1000] = "";
    keel_location where;
    double t = sim->integrator->t;
    failure f = {KEEL_ERROR_STEP_SIZE, t, collapse->limit};
    ki_blame_repeated(sim, KEEL_ERROR_STEP_SIZE);
    if (!find_cause(&sim->dynamics, &f, sim, cause, sizeof cause, &where) &&
        report_dead_point(sim, KEEL_ERROR_STEP_SIZE, cause))
        return;
    if (collapse->is_shrinking)
        keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, where,
                             "t = %.10g: the step size becomes too small: steps shrink towards t = %.6g and "
                             "do not get there (the rest of the run would take more than %.0e of them): %s",
                             t, collapse->limit, collapse->attempts_left, cause);
    else
        keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, where,
                             "t = %.10g: the step size became too small: steps do not get on (the rest of "
                             "the run would take %.0e of them): %s",
                             t, collapse->attempts_left, cause);
}
