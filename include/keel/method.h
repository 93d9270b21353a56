/* method.h - a method is three words: integrator / formulation / stabilize.
 *
 * The tables behind these functions are the only place where methods are listed: parsing, the validity check,
 * the help text and the documentation all read them.
 */
#ifndef KEEL_METHOD_H
#define KEEL_METHOD_H

#include "keel/diagnostics.h"

typedef enum keel_integrator {
    KEEL_RK4,
    KEEL_DOPRI5,
    KEEL_DOP853,
    KEEL_ADAMS,     /* docs/adams.md */
    KEEL_RADAU5,    /* docs/radau.md */
    KEEL_RADAU9,    /* docs/radau.md */
    KEEL_BDF,       /* docs/bdf.md   */
    KEEL_BDF_FIXED, /* docs/bdf.md   */
    KEEL_IDA,       /* docs/ida.md   */
    KEEL_NEWMARK,   /* this and the next three: docs/index3.md */
    KEEL_HHT,
    KEEL_GENERALIZED_ALPHA,
    KEEL_TRAPEZOIDAL,
    KEEL_MIDPOINT,   /* docs/conserving.md */
    KEEL_CONSERVING, /* docs/conserving.md */
    KEEL_INTEGRATORS
} keel_integrator;

typedef enum keel_formulation {
    KEEL_INDEX1,              /* saddle-point solve for v' and lambda                  docs/index1.md      */
    KEEL_NULLSPACE,           /* motion projected on the null space of J               docs/nullspace.md   */
    KEEL_INDEPENDENT,         /* independent velocities integrated, others solved for  docs/partition.md   */
    KEEL_PARTITIONED,         /* independent coordinates as well (Wehage and Haug)     docs/partition.md   */
    KEEL_PENALTY,             /* modified Lagrange equations                           docs/penalty.md     */
    KEEL_AUGMENTED,           /* penalty iterated to the exact multipliers             docs/penalty.md     */
    KEEL_GENERALIZED_INVERSE, /* least-norm multipliers plus a non-ideal part          docs/redundancy.md  */
    KEEL_INDEX3,              /* displacements and multipliers from Phi = 0            docs/index3.md      */
    KEEL_INDEX2,              /* the same with the velocity level of the constraints   docs/index3.md      */
    KEEL_GGL,                 /* both levels (Gear, Gupta and Leimkuhler)              docs/ida.md         */
    KEEL_FORMULATIONS
} keel_formulation;

typedef enum keel_stabilize {
    KEEL_STABILIZE_NONE,
    KEEL_BAUMGARTE,  /* docs/baumgarte.md  */
    KEEL_PROJECTION, /* docs/projection.md */
    KEEL_GRADIENT,   /* docs/partition.md  */
    KEEL_STABILIZERS
} keel_stabilize;

typedef struct keel_method {
    keel_integrator integrator;
    keel_formulation formulation;
    keel_stabilize stabilize;
    int automatic; /* 1: "auto"; the run chooses the three for its system, see keel_method_choose */
} keel_method;

/* One row of a table of words. */
typedef struct keel_word {
    const char *name;    /* what the user writes */
    const char *summary; /* one line             */
} keel_word;

KEEL_API keel_word keel_integrator_word(keel_integrator integrator);
KEEL_API keel_word keel_formulation_word(keel_formulation formulation);
KEEL_API keel_word keel_stabilize_word(keel_stabilize stabilize);

/* 1 if the integrator can choose its step size from a tolerance. */
KEEL_API int keel_integrator_is_adaptive(keel_integrator integrator);

/* 1 if it can take fixed steps; one that can do both does so when a step is given. */
KEEL_API int keel_integrator_takes_step(keel_integrator integrator);

/* 1 if the integrator may be combined with the formulation. */
KEEL_API int keel_integrator_takes(keel_integrator integrator, keel_formulation formulation);

/* 1 if the stabiliser may be combined with the formulation, whatever the integrator. */
KEEL_API int keel_formulation_takes(keel_formulation formulation, keel_stabilize stabilize);

/* 1 if the three may be combined. */
KEEL_API int keel_method_is_valid(keel_method method);

/* 1 if both are "auto", or the same three words. */
static inline int keel_method_is_same(keel_method a, keel_method b) {
    return a.integrator == b.integrator && a.formulation == b.formulation && a.stabilize == b.stabilize &&
           a.automatic == b.automatic;
}

/* "auto", before a system is known. */
KEEL_API keel_method keel_method_auto(void);

/* What "auto" becomes for a system with so many constraints and invariants to keep, and why, as a clause (a
 * constant text). A run changes it on the way if the system turns out to be stiff. */
KEEL_API keel_method keel_method_choose(int kept, const char **reason);

/* Parses "INTEGRATOR[/FORMULATION[/STABILIZE]]" or "auto". What is left out takes the first valid partner.
 * Unknown words and impossible combinations are reported at `where` with the possible ones. */
KEEL_API keel_status keel_method_parse(const char *text, keel_location where, keel_diagnostics *diagnostics,
                                       keel_method *method);

/* "dop853/index1/projection" into `buffer`; returns it. */
KEEL_API const char *keel_method_text(keel_method method, char buffer[64]);

#endif
