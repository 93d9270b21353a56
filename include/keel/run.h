/* run.h - simulate a system.
 *
 * keel_run does everything: consistent start, steps, rows, bookkeeping. keel_simulation is the same step by
 * step.
 *
 *     keel_settings settings = keel_settings_default();
 *     settings.until = 10;
 *     keel_result result;
 *     keel_status status = keel_run(&system, start, &settings, &observer, diagnostics, &result);
 */
#ifndef KEEL_RUN_H
#define KEEL_RUN_H

#include "keel/settings.h"
#include "keel/step.h"
#include "keel/system.h"
#include "keel/verdict.h"

/* One row of output. The arrays belong to the simulation and hold until its next call. */
typedef struct keel_row {
    double t;
    const double *q, *v, *z, *s, *lambda;
    const double *v_rate;                          /* accelerations [n_v]  */
    const double *outputs;                         /* [n_outputs]          */
    double position_violation, velocity_violation; /* largest |Phi_i|, largest |rate_i| */
    const int *shared; /* [m] 1: dependent constraints share this multiplier; NULL: unknown */
    const int
        *output_shared; /* [n_outputs] 1: it depends on how shared multipliers are shared; NULL: none does */
    const double *projections; /* d_i of the partition [n_v], docs/partition.md; NULL: the method has none */
    const keel_newton_facts *newton; /* NULL unless asked for (newton_report) and known */
    const keel_audit *audit;         /* of the last step; NULL: no energy, or nothing is projected */
    double energy;                   /* kinetic + potential; 0 if the system does not know its energy */
    double energy_drift;             /* energy - energy at the start - work of applied forces and drivers */
} keel_row;

/* Violation of the constraints at one level over a run, in the constraints' own units. */
typedef struct keel_violation {
    double max;        /* largest over all accepted steps and rows           */
    double final;      /* at the end                                          */
    double max_scaled; /* largest relative to the constraint's size           */
    double time;       /* when `max` was met                                  */
    int worst;         /* row of the constraint that met `max`, -1 if none    */
} keel_violation;

typedef struct keel_counts {
    long steps;                     /* accepted steps                                    */
    long rejected;                  /* rejected steps                                    */
    long evaluations;               /* evaluations of the accelerations                  */
    long jacobians;                 /* linearisations of implicit integrators            */
    long factorizations;            /* of the saddle-point matrix                        */
    long projections;               /* projections of a state                            */
    long projection_factorizations; /* those of `factorizations` that projections needed */
    long rows;                      /* output rows                                       */
    long switches;                  /* steps that ended where formulas change over        */
} keel_counts;

/* A quantity that should not change, over a run. */
typedef struct keel_invariant {
    double initial, final;
    double drift;     /* final - initial                                     */
    double drift_max; /* largest |value - initial| over steps                */
} keel_invariant;

/* Something worth telling that happened during a run. */
typedef enum keel_event_kind {
    KEEL_EVENT_SINGULAR,  /* a singular pose was passed                   */
    KEEL_EVENT_PARTITION, /* other coordinates became the dependent ones  */
    KEEL_EVENT_METHOD,    /* "auto" went on with another integrator       */
    KEEL_EVENT_METRIC     /* projection in this metric can add energy     */
} keel_event_kind;

typedef struct keel_event {
    double t;
    keel_event_kind kind;
    char text[232]; /* a sentence without the time */
} keel_event;

#define KEEL_EVENTS_MAX 256 /* later ones are only counted */

typedef struct keel_result {
    keel_status status;
    keel_method method;        /* the one that ran; method.automatic: chosen by "auto" */
    const char *method_reason; /* why, for "auto"; otherwise NULL */
    const keel_system *system; /* whose steps were taken: that of the run, or what its `for_run` answered;
                                  lives as long as that of the run; NULL: none */
    keel_state *final;         /* last good state, lambda included; owned, keel_result_clear frees it */
    double *v_rate;            /* accelerations there [n_v]; owned  */
    double *outputs;           /* outputs there [n_outputs]; owned  */
    keel_violation position, velocity;
    keel_violation repeated; /* positions of constraints that follow others instead of being held */
    int repeated_count;      /* how many those are, at all levels; 0: all are held */
    int has_energy;
    double energy_initial, energy_final;
    double energy_drift;        /* at the end: energy change minus the work of forces and drivers */
    double energy_drift_max;    /* largest |drift| over the steps */
    double energy_size;         /* largest energy or work of the run, what drifts are compared with */
    keel_audit audit;           /* sums over all steps */
    long gains, losses;         /* steps in which projection added energy, or took some */
    keel_invariant *invariants; /* [n_i]; owned */
    double start_position_moved, start_velocity_moved; /* largest change that made the start consistent */
    double correction_position; /* what stabilising moved: M-norm, root mean square over the steps */
    double correction_velocity;
    keel_event *events; /* [event_count], t increasing; owned */
    int event_count;
    long events_dropped;
    double gap_smallest, gap_time; /* smallest gap of J and when; -1: no constraints to be watched */
    int *shared; /* [m] 1: dependent constraints share this multiplier; owned; NULL: unknown */
    int *
        output_shared; /* [n_outputs] 1: it depends on how shared multipliers are shared; owned; NULL: none */
    int rank;          /* of J at the start            */
    double rank_gap;   /* see keel_rank                */
    keel_counts count;
    double cpu_seconds;       /* of the integration           */
    keel_run_verdict verdict; /* whether the run kept what its method promises (docs/verdict.md) */
    const struct keel_verification
        *verification; /* how sure it is (keel/verify.h); not owned; NULL: not asked */
    char **notes;      /* [note_count] notes and warnings of its diagnostics, earlier ones included; owned */
    int note_count;
} keel_result;

KEEL_API void keel_result_clear(keel_result *result);

/* One accepted step. */
typedef struct keel_step {
    double t;    /* at its end                                                       */
    double size; /* its length in t                                                  */
    int order;   /* of a method with an order of its own for every step; 0: not told */
    double gap;  /* of J at its end: 0 is a singular pose; -1: not watched           */
} keel_step;

/* A run of keel_run that is under way. */
struct keel_run_state;

/* Who listens to a run. Any function may be NULL; a negative status ends the run with KEEL_ERROR_CALLBACK (or
 * with the status itself if it is KEEL_ERROR_IO or KEEL_ERROR_MEMORY). */
typedef struct keel_observer {
    void *user;
    keel_status (*row)(void *user, const keel_row *row);     /* every output row, t increasing            */
    keel_status (*step)(void *user, double t, double until); /* after every accepted step: progress       */
    const volatile int *stop; /* when it becomes non-zero the run ends with KEEL_INTERRUPTED; may be NULL */
    keel_status (*accepted)(void *user, const keel_step *step); /* after every accepted step: its facts */
    /* Between two steps, and once more where the run ends or is stopped: the place for keel_run_save
     * (checkpoint.h). */
    keel_status (*between)(void *user, const struct keel_run_state *run);
} keel_observer;

/* Runs from `start` to settings->until. Start velocities and positions may be slightly inconsistent (see
 * start_tolerance). `velocities_given` = 0 means the start velocities are only a guess: however far they are
 * from the constraints, they are projected. `observer` may be NULL. On any outcome `result` is filled with
 * what was reached and must be cleared. Messages name time, constraint and joint. */
KEEL_API keel_status keel_run(const keel_system *system, const keel_state *start, int velocities_given,
                              const keel_settings *settings, const keel_observer *observer,
                              keel_diagnostics *diagnostics, keel_result *result);

typedef struct keel_simulation keel_simulation;

/* Makes the start consistent and evaluates it. NULL on failure, with *status and messages. */
KEEL_API keel_simulation *keel_simulation_new(const keel_system *system, const keel_state *start,
                                              int velocities_given, const keel_settings *settings,
                                              keel_diagnostics *diagnostics, keel_status *status);
KEEL_API void keel_simulation_free(keel_simulation *simulation);

/* One accepted step, not beyond settings->until. */
KEEL_API keel_status keel_simulation_step(keel_simulation *simulation);

/* The time reached, and the complete row at any t of the last step (its two ends included). */
KEEL_API double keel_simulation_time(const keel_simulation *simulation);
KEEL_API keel_status keel_simulation_row(keel_simulation *simulation, double t, keel_row *row);

/* The last accepted step; size 0 before the first. */
KEEL_API keel_step keel_simulation_last_step(const keel_simulation *simulation);

/* What keel_run reports, as of now. */
KEEL_API keel_status keel_simulation_result(keel_simulation *simulation, keel_result *result);

#endif
