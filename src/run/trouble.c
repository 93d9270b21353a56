#include "run/trouble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keel/rank.h"

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
    char name[32], other[32], constraint[160];
    int i = trouble->index;
    if (trouble->kind == KI_TROUBLE_AUGMENTED)
        snprintf(text, size,
                 "the augmented Lagrangian of the step cannot close %s, which stays open by %.3g: raise "
                 "augmented_penalty, or take solution = newton",
                 ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount);
    else if (trouble->kind == KI_TROUBLE_MASS_CHANGES)
        snprintf(
            text, size,
            "integrator conserving needs a constant mass matrix; that of '%s' and '%s' changes along the "
            "motion: take midpoint, or coordinates in which it is constant (x, y, angle of every body)",
            keel_system_name(system, KEEL_NAME_V, i, name),
            keel_system_name(system, KEEL_NAME_V, trouble->other, other));
    else
        snprintf(text, size, "%s", trouble->why);
}

/* What went wrong, as a clause. */
static void describe(const keel_system *system, const ki_trouble *trouble, char *text, size_t size) {
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
        snprintf(text, size, "projection cannot close %s: it stays open by %.3g",
                 ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount);
        break;
    case KI_TROUBLE_VELOCITY:
        snprintf(text, size, "velocity projection cannot satisfy %s: its rate stays at %.3g",
                 ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount);
        break;
    case KI_TROUBLE_AUXILIARY:
        snprintf(text, size, "Newton's method for the auxiliary unknown '%s' does not converge",
                 keel_system_name(system, KEEL_NAME_S, i, name));
        break;
    case KI_TROUBLE_NEWTON:
        snprintf(text, size,
                 "Newton's method of the step does not converge (last relative correction %.2g): %s",
                 trouble->amount,
                 i == 1 ? "an undamped rule lets multipliers oscillate and grow; try hht, generalized-alpha, "
                          "projection or a smaller step"
                        : "try a smaller step");
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
    case KI_TROUBLE_REPEATED:
        snprintf(text, size,
                 "%s repeats others in the drawn pose, but opens by %.3g on the way: the drawing is not that "
                 "of a mechanism that moves",
                 ki_constraint_text(system, i, constraint, sizeof constraint), trouble->amount);
        break;
    case KI_TROUBLE_AUGMENTED:
    case KI_TROUBLE_MASS_CHANGES:
    case KI_TROUBLE_UNSUITED:
        describe_conserving(system, trouble, text, size);
        break;
    }
}

/* ---- motions that a mechanism cannot follow ------------------------------------------------------------ */

/* J is looked at up to so many entries. */
static const double MOST_ENTRIES = 1e5;

/* True for the row of a motion: rows of joints tell their joint. */
static bool is_motion(const keel_system *system, int i) {
    return i < system->n_h && !system->names.joint[i];
}

/* Adds 'name' to a list in `text` unless it is the one before, or does not fit. */
static void add_once(char *text, size_t size, const char *name, const char **last) {
    size_t used = strlen(text);
    if ((*last && strcmp(*last, name) == 0) || used + strlen(name) + 5 >= size)
        return;
    snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", name);
    *last = name;
}

static double row_length(const ki_dynamics *d, int i) {
    keel_pattern P = d->system->J;
    double square = 0;
    for (int k = P.start[i]; k < P.start[i + 1]; k++)
        square += d->at.J[k] * d->at.J[k];
    return sqrt(square);
}

/* The motions and joints that take part in a dependency of J with a motion in it, as y_i J_i of a y with
 * J^T y = 0, nearly, tells: motions with more than `least` of the longest, which may be little where a short
 * crank is driven. False if there is none. */
static bool list_dependency(const ki_dynamics *d, const keel_rank *rank, double least, char *motions,
                            char *joints, size_t size) {
    const keel_system *system = d->system;
    int m = keel_system_m(system);
    const char *last_motion = NULL, *last_joint = NULL;
    char buffer[32];
    motions[0] = joints[0] = 0;
    for (int k = 0; k < rank->dependent_count && !motions[0]; k++) {
        const double *y = rank->null_space + (size_t)k * (size_t)m;
        double most = 0;
        for (int i = 0; i < m; i++)
            most = fmax(most, fabs(y[i]) * row_length(d, i));
        for (int i = 0; i < system->n_h; i++)
            if (is_motion(system, i) && fabs(y[i]) * row_length(d, i) > least * most)
                add_once(motions, size, keel_system_name(system, KEEL_NAME_CONSTRAINT, i, buffer),
                         &last_motion);
        for (int i = 0; motions[0] && i < m; i++)
            if (system->names.joint[i] && fabs(y[i]) * row_length(d, i) > 0.05 * most)
                add_once(joints, size, system->names.joint[i], &last_joint);
    }
    return motions[0] != 0;
}

/* Near a dead point the row of a motion depends on those of the joints. J is that of the last evaluation, as
 * near to the dead point as the run came; how near is not known, so the tolerance grows. */
static bool at_dead_point(const ki_dynamics *d, char *motions, char *joints, size_t size) {
    const keel_system *system = d->system;
    bool found = false, any = false;
    int bad;
    for (int i = 0; system->names.joint && i < system->n_h; i++)
        any = any || is_motion(system, i);
    if (!any || (double)d->m * system->n_v > MOST_ENTRIES ||
        !ki_all_finite(d->at.J, keel_pattern_count(system->J), &bad))
        return false;
    for (double tolerance = 1e-6; !found && tolerance < 0.2; tolerance *= 10) {
        keel_rank rank;
        if (keel_rank_compute(system->J, d->at.J, tolerance, &rank))
            return false;
        found = list_dependency(d, &rank, fmin(0.05, fmax(1e-3, 5 * rank.largest_dropped)), motions, joints,
                                size);
        keel_rank_clear(&rank);
    }
    return found;
}

/* Whether a failure can be that of a motion which asks for more than the joints allow. */
static bool can_be_dead_point(keel_status status, const ki_trouble *trouble) {
    switch (trouble->kind) {
    case KI_TROUBLE_CONSTRAINT:
    case KI_TROUBLE_POSITION:
    case KI_TROUBLE_VELOCITY:
    case KI_TROUBLE_NEWTON:
    case KI_TROUBLE_STALL:
    case KI_TROUBLE_KEEPING:
    case KI_TROUBLE_AUGMENTED:
    case KI_TROUBLE_MULTIPLIER: /* forces grow without bound on the way to it, friction with them */
        return true;
    default:
        return trouble->kind == KI_TROUBLE_NONE && status == KEEL_ERROR_STEP_SIZE;
    }
}

/* True if the failure was put into words that way. */
static bool report_dead_point(const ki_dynamics *d, keel_status status, double t, const char *cause,
                              keel_diagnostics *diagnostics) {
    char motions[120], joints[120];
    if (!can_be_dead_point(status, &d->trouble) || !at_dead_point(d, motions, joints, sizeof motions))
        return false;
    keel_diagnostics_add(
        diagnostics, KEEL_ERROR, (keel_location){0},
        "the motion %s cannot be followed beyond t = %.10g: the mechanism has reached a dead "
        "point, further on its joints (%s) cannot close (%s)",
        motions, t, joints, cause);
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

/* The place of what failed, or none; the cause in words. False if the failure was reported as a dead point.
 */
static bool find_cause(const ki_dynamics *d, const failure *f, char *cause, size_t size, keel_location *where,
                       keel_diagnostics *diagnostics) {
    *where = (keel_location){0};
    if (d->trouble.kind == KI_TROUBLE_NONE && f->limit > f->t)
        snprintf(cause, size,
                 "the error estimate asks for ever shorter steps (if nothing ends there, round-off "
                 "does it, and a larger tolerance gets past)");
    else
        describe(d->system, &d->trouble, cause, size);
    return find_source(d, f, cause, size, where) ||
           !report_dead_point(d, f->status, f->t, cause, diagnostics);
}

void ki_report_failure(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics) {
    char cause[600];
    keel_location nowhere = {0}, where;
    failure f = {status, t, t};
    switch (status) {
    case KEEL_ERROR_MEMORY:
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "out of memory");
        break;
    case KEEL_ERROR_LIMIT:
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "t = %.10g: stopped after the most steps allowed (option max_steps)", t);
        break;
    case KEEL_ERROR_STEP_SIZE:
        if (find_cause(d, &f, cause, sizeof cause, &where, diagnostics))
            keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                                 "t = %.10g: the step size became too small: %s", t, cause);
        break;
    default:
        if (find_cause(d, &f, cause, sizeof cause, &where, diagnostics))
            keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "t = %.10g: %s", d->trouble.t, cause);
    }
}

void ki_report_collapse(const ki_dynamics *d, double t, const ki_collapse *collapse,
                        keel_diagnostics *diagnostics) {
    char cause[600];
    keel_location where;
    failure f = {KEEL_ERROR_STEP_SIZE, t, collapse->limit};
    if (!find_cause(d, &f, cause, sizeof cause, &where, diagnostics))
        return;
    if (collapse->is_shrinking)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "t = %.10g: the step size becomes too small: steps shrink towards t = %.6g and "
                             "do not get there (the rest of the run would take more than %.0e of them): %s",
                             t, collapse->limit, collapse->attempts_left, cause);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "t = %.10g: the step size became too small: steps do not get on (the rest of "
                             "the run would take %.0e of them): %s",
                             t, collapse->attempts_left, cause);
}
