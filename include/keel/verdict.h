/* verdict.h - whether a run kept what its method promises (docs/verdict.md).
 *
 * A run that reaches its end has still failed its user if its constraints came open, if energy appeared that
 * nothing explains, or if an output is no number. What a method promises is one table (keel_method_promise);
 * how much that is in numbers follows from the tolerance, the number of steps and the sizes of the system.
 */
#ifndef KEEL_VERDICT_H
#define KEEL_VERDICT_H

#include "keel/method.h"

/* How a method keeps a level of the constraints. */
typedef enum keel_keeping {
    KEEL_KEEPS_EXACT,   /* solved for at every step and row                            */
    KEEL_KEEPS_BOUNDED, /* errors of steps fade again, or come from interpolation alone */
    KEEL_KEEPS_DRIFTS,  /* errors of steps stay and add up                             */
    KEEL_KEEPS_YIELDS   /* springs, which give way under a load                        */
} keel_keeping;

/* What a method promises of the energy that no force and no driver accounts for. */
typedef enum keel_energy_promise {
    KEEL_ENERGY_ACCURATE,  /* as exact as the motion                               */
    KEEL_ENERGY_CONSERVED, /* kept whatever the step                               */
    KEEL_ENERGY_DAMPED,    /* may be lost, which is the method's damping; no gains */
    KEEL_ENERGY_YIELDS     /* some is in the springs that stand for constraints    */
} keel_energy_promise;

typedef struct keel_promise {
    keel_keeping position, velocity;
    keel_energy_promise energy;
} keel_promise;

/* What the method promises with default options; a run takes into account which levels it projects, how much
 * a rule damps, and whether penalties were given. */
KEEL_API keel_promise keel_method_promise(keel_method method);

KEEL_API const char *keel_keeping_word(keel_keeping keeping);
KEEL_API const char *keel_energy_promise_word(keel_energy_promise promise);

/* What is checked. */
typedef enum keel_check {
    KEEL_CHECK_END,        /* the end time was reached                            */
    KEEL_CHECK_POSITIONS,  /* largest |Phi_i| relative to its size                */
    KEEL_CHECK_VELOCITIES, /* largest |rate_i| relative to its size               */
    KEEL_CHECK_ENERGY,     /* largest unexplained energy relative to the energies */
    KEEL_CHECK_STEPS,      /* largest error of one fixed step relative to the motion */
    KEEL_CHECK_OUTPUTS,    /* number of outputs that are not finite somewhere     */
    KEEL_CHECKS
} keel_check;

KEEL_API const char *keel_check_word(keel_check check);

typedef struct keel_judgement {
    int made; /* 0: nothing to check (no constraints, energy not known, ...) */
    int ok;
    double value, limit; /* kept while value <= limit */
    const char *promise; /* a word, or NULL           */
    char text[280];      /* a sentence                */
} keel_judgement;

typedef struct keel_run_verdict {
    int ok; /* all that was checked was kept */
    keel_judgement check[KEEL_CHECKS];
} keel_run_verdict;

/* The first check that failed, or KEEL_CHECKS. */
KEEL_API keel_check keel_run_verdict_failed(const keel_run_verdict *verdict);

#endif
