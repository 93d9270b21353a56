#include "run/trouble.h"

#include <stdio.h>

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
                 "Newton's method of the step does not converge (last relative correction %.2g): "
                 "try a smaller step",
                 trouble->amount);
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
    }
}

void ki_report_failure(const ki_dynamics *d, keel_status status, double t, keel_diagnostics *diagnostics) {
    char cause[400];
    keel_location nowhere = {0};
    switch (status) {
    case KEEL_ERROR_MEMORY:
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "out of memory");
        break;
    case KEEL_ERROR_LIMIT:
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "t = %.10g: stopped after the most steps allowed (option max_steps)", t);
        break;
    case KEEL_ERROR_STEP_SIZE:
        describe(d->system, &d->trouble, cause, sizeof cause);
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "t = %.10g: the step size became too small: %s", t, cause);
        break;
    default:
        describe(d->system, &d->trouble, cause, sizeof cause);
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "t = %.10g: %s", d->trouble.t, cause);
    }
}
