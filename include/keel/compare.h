/* compare.h - many methods on one system: which reaches which error at what cost.
 *
 * Every method runs on a ladder of tolerances (adaptive integrators) or steps (fixed-step ones). With the
 * quantities x_k (outputs, or coordinates if there are none) at the times t_i of a reference,
 *
 *     error = max over i, k of |x_k(t_i) - reference_k(t_i)| / scale_k,
 *     scale_k = range of reference_k over all t_i.
 *
 * A quantity that does not change is scaled by the largest value of all. The reference is computed here, by
 * two methods at tight tolerances whose difference, measured in the same norm, tells how far it can be
 * trusted; or it is given.
 *
 * Runs share the system and are made by several threads; everything but CPU seconds is the same for any
 * number of threads.
 */
#ifndef KEEL_COMPARE_H
#define KEEL_COMPARE_H

#include "keel/run.h"

/* Columns of numbers over time. */
typedef struct keel_samples {
    int rows, columns;
    char **names;   /* [columns] */
    double *t;      /* [rows], increasing */
    double *values; /* [rows x columns], row by row */
} keel_samples;

KEEL_API void keel_samples_clear(keel_samples *trajectory);

/* What to compare. keel_comparison_plan_default() asks for everything. The arrays belong to the caller. */
typedef struct keel_comparison_plan {
    const keel_method *methods; /* [method_count]; 0 of them: all that are worth it for the system */
    int method_count;
    const double *tolerances; /* [tolerance_count]; 0 of them: 1e-4, 1e-6, 1e-8 */
    int tolerance_count;
    const double *steps;           /* [step_count]; 0 of them: from the mean step of the reference */
    int step_count;                /* > 0 without tolerances: integrators that can do both take these steps */
    const char *const *quantities; /* [quantity_count] names of columns as in CSV files; 0 of them: outputs */
    int quantity_count;
    const keel_samples *reference; /* given; NULL: computed */
    const char *reference_name;    /* where the given one comes from, for texts */
    double target;                 /* error at which methods are ranked; 0: one that half of them reach */
    double limit;                  /* most CPU seconds of a run; 0: 5 times the reference's, at least 2 */
    int threads;                   /* at least 1 */

    void *user;
    /* after every run, from the threads, one call at a time; total grows when references need company */
    void (*progress)(void *user, int done, int total);
    const volatile int *stop; /* when it becomes non-zero the comparison ends; may be NULL */
} keel_comparison_plan;

KEEL_API keel_comparison_plan keel_comparison_plan_default(void);

typedef enum keel_outcome {
    KEEL_OUTCOME_DONE,
    KEEL_OUTCOME_FAILED, /* `status` and `reason` tell why                                         */
    KEEL_OUTCOME_LIMIT,  /* it took more than the limit; what was counted until then is left out   */
    KEEL_OUTCOME_NOT_RUN /* the comparison was stopped before its end                              */
} keel_outcome;

typedef struct keel_comparison_run {
    keel_method method;
    double tolerance, step; /* one of them is 0 */
    keel_outcome outcome;
    keel_status status;
    char reason[232]; /* "" when done */
    char broken[16];  /* the first check of its verdict that failed, "" if none (keel/verdict.h) */
    char why[128];    /* why the error is above 100 times the tolerance; "" if it is not */
    double error;     /* NAN unless done */
    double position_violation, velocity_violation; /* largest over the run, in the constraints' units */
    double energy; /* largest |energy change - work| over the run; NAN if the system has no energy */
    keel_counts count;
    double seconds; /* CPU */
} keel_comparison_run;

/* A method among the others. Methods that reach the target come first, the cheapest first; then the others by
 * their smallest error; then those without a single run that was done. */
typedef struct keel_comparison_method {
    keel_method method;
    int first_run, run_count; /* its runs, coarse to fine */
    int rank;                 /* from 1; 0: not a single run was done */
    double cost;              /* evaluations to reach the target, NAN if it is not reached */
} keel_comparison_method;

enum { KEEL_COMPARISON_BEST = 3 };

/* The cheapest methods for an error of 10^-decade. */
typedef struct keel_comparison_decade {
    double error;
    int reached;                       /* how many methods reach it                     */
    int best[KEEL_COMPARISON_BEST];    /* places in `methods`, -1: no further one       */
    double cost[KEEL_COMPARISON_BEST]; /* evaluations                                   */
} keel_comparison_decade;

typedef struct keel_comparison {
    keel_status status;
    char **quantities; /* [quantity_count] */
    int quantity_count;
    char reference[232]; /* a sentence */
    double uncertainty;  /* of the reference, in the norm of errors; NAN: unknown */
    double target, limit;
    int rows;                        /* times at which runs and reference are compared */
    keel_comparison_method *methods; /* [method_count], best first */
    int method_count;
    keel_comparison_run *runs; /* [run_count], in the order of methods */
    int run_count;
    keel_comparison_decade *decades; /* [decade_count], large errors first */
    int decade_count;
    char **notes; /* [note_count] what the reader of the numbers should know */
    int note_count;
} keel_comparison;

/* Compares. KEEL_OK; KEEL_INTERRUPTED with what was done until then; KEEL_ERROR_INPUT (unknown names, ladders
 * that are not positive, a foreign reference), or the status of the references when none of them succeeded,
 * with messages. `result` must be cleared on any outcome. */
KEEL_API keel_status keel_compare(const keel_system *system, const keel_state *start, int velocities_given,
                                  const keel_settings *settings, const keel_comparison_plan *plan,
                                  keel_diagnostics *diagnostics, keel_comparison *result);
KEEL_API void keel_comparison_clear(keel_comparison *result);

/* "auto", or the three words. */
KEEL_API const char *keel_comparison_label(keel_method method, char buffer[64]);

#endif
