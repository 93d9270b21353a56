/* simulation.h - a run in progress. */
#ifndef KI_SIMULATION_H
#define KI_SIMULATION_H

#include "integrate/integrator.h"
#include "keel/rank.h"
#include "keel/run.h"
#include "run/audit.h"
#include "run/collapse.h"
#include "run/held.h"
#include "run/row_across.h"
#include "run/stiff_row.h"
#include "run/stiffness.h"
#include "run/switching.h"
#include "run/turns.h"
#include "run/watch.h"

/* How singular poses on the way are crossed (crossing.h). */
typedef struct ki_crossing {
    ki_integrator *bridge; /* ready to be aimed; NULL: not for this run, or it is sim->integrator */
    bool bridging;   /* sim->integrator is a bridge, and its step is taken                                */
    double declined; /* gap at which a bridge was tried without success; another is tried at half of it   */
    double *pose_y;  /* [n_y] next to the pose that a bridge was to cross: poor rows show there */
    double nothing;  /* of rows at the pose of a bridge */
    double *try_y;   /* [n_y] where a bridge was tried */
    double *best_y;  /* [n_y] where the best one was tried that was not good enough, */
    double best_t, best_pose, best_error; /* ... then, to its pose; infinite: none was */
    bool looked;                          /* whether the drawing is exact at the pose ahead */
    bool inexact;                         /* it was not at some pose                              */
    int exact;                            /* so many poses in a row were */
    bool blurred;                         /* it is not, and no bridge has crossed it yet */
    int open_row; /* of the offset that was found last: the largest, among the rows of the steps */
    double *beta, *beta_next; /* [n_h] the offset of the bridge (formulate/offset.h) */
    double *far_y, far_t;     /* [n_y] the last state that was far from any pose */
    double far_gap; /* the gap there; 0: there is none                                                   */
    double *sooner_y, sooner_t, sooner_gap; /* [n_y] the last one from which a bridge would be long enough */
    double usual_step; /* of the integrator there                                                           */
    double latest_t, latest_gap;   /* the step before the last one, as the watch has it ...       */
    double earlier_t, earlier_gap; /* ... and the one before that; gap 0: there is none */
} ki_crossing;

/* A singular pose that was passed: ranks of J, and the gap there. */
typedef struct ki_pose {
    int open_row; /* among all; it was crossed with this row open by `open`; -1: with none */
    double open;
    int before, at, after;
    double gap;
} ki_pose;

struct keel_simulation {
    const keel_system *system;
    const keel_system *active; /* the same with the constraints that are held: `system` if that is all */
    keel_settings settings;
    const char *method_reason; /* of "auto" */
    keel_diagnostics *diagnostics;
    ki_law law;               /* what the method adds to the system of the steps */
    ki_dynamics dynamics;     /* of the steps */
    ki_dynamics rows;         /* of the output rows, so that rows never change the steps */
    ki_stiff_rows stiff_rows; /* rows of implicit methods */
    ki_integrator *integrator;
    ki_stiffness stiffness; /* what "auto" watches */
    ki_switching switching; /* where the next steps end */
    ki_turns turns;
    ki_arena arena;

    double *row_y, *row_k, *row_outputs; /* the last row */
    ki_violation row_violation;          /* ... of the constraints held, by their numbers among all */
    bool row_in_pose; /* the last row is so near to a singular pose that interpolation has a say in it */
    ki_across across; /* ... and what it is then made of */
    bool row_across;  /* ... if it is */

    keel_violation position, velocity;
    keel_violation position_in_pose,
        velocity_in_pose; /* of rows in a singular pose, which are not in those */
    double energy_initial, energy_final, energy_drift, energy_drift_max;
    ki_audit audit;
    keel_invariant *invariants; /* [n_i] */
    bool refuted;               /* one of them was found not to be constant */
    double start_position_moved, start_velocity_moved;
    int rank;
    double rank_gap;
    int *shared; /* [m]; NULL: unknown */
    int null_count;
    double *null_space; /* [null_count x m] J^T y = 0 at the start, until the first row */
    double *shifted;    /* [m + n_outputs] scratch of ki_find_shared_outputs */
    int *output_shared; /* [n_outputs]; NULL: none */
    bool *output_told;  /* [n_outputs] it was not finite in some row, and a warning said so */
    int outputs_told;
    int unsound_count, unsound_output; /* outputs that were not finite, the first of them ... */
    double unsound_time;               /* ... and when                                        */
    ki_collapse collapse;
    ki_watch watch;
    ki_held held;
    ki_crossing crossing;
    bool *was_dependent;  /* [n_v] the partition at the last accepted step, ... */
    bool partition_known; /* ... once there is one */
    struct ki_past *past; /* what is saved of the run (past.h); NULL: it is not to be saved */
    keel_simulation
        *goes_on;       /* the run has begun anew (base.h) and goes on there; only `past` is here then */
    keel_event *events; /* [KEEL_EVENTS_MAX]; the text of a singular pose is the names of its constraints */
    ki_pose *poses;     /* [KEEL_EVENTS_MAX] of the events that are singular poses */
    int event_count;
    long events_dropped;
};

/* keel_simulation_new with the system as it is. */
keel_simulation *ki_simulation_begin(const keel_system *system, const keel_state *start, int velocities_given,
                                     const keel_settings *settings, keel_diagnostics *diagnostics,
                                     keel_status *status);

/* Where the run is that a user calls sim. */
keel_simulation *ki_present(keel_simulation *sim);

/* Memory of a run of sim->system. */
keel_status ki_allocate_run(keel_simulation *sim);

/* All that it holds but its past. */
void ki_clear_run(keel_simulation *sim);

/* One accepted step of the integrator, or of another that takes its place. */
keel_status ki_take_step(keel_simulation *sim);

/* Takes a violation into the largest so far at its level. */
void ki_track_violation(keel_violation *total, double t, double violation, double scaled, int row);

/* The larger one of two. */
keel_violation ki_worse_violation(const keel_violation *a, const keel_violation *b);

/* Energy at (t, y), and what it has changed since `energy_start` besides the work; 0 for a system without
 * energy. */
keel_status ki_measure_energy(ki_dynamics *d, double t, double *y, double energy_start, double *energy,
                              double *drift);

/* Workspaces of steps and rows, for the constraints that are held. */
keel_status ki_make_workspaces(keel_simulation *sim);

/* What "auto" becomes. */
void ki_choose_method(keel_simulation *sim);

/* What workspaces have to know of the constraints, at a consistent state. */
keel_status ki_prepare_workspaces(keel_simulation *sim, double t, double *y);

/* Looks out for singular poses from (t, y) on. */
keel_status ki_begin_watch(keel_simulation *sim, double t, const double *y);

/* What the integrator of the run has counted, for the one that takes its place. */
void ki_carry_counts(const ki_integrator *old, ki_integrator *next);

/* Another integrator for the run, from (t, y), with a first step to try (0: its own choice). NULL with
 * *status. */
ki_integrator *ki_start_integrator(keel_simulation *sim, keel_integrator kind, double t, const double *y,
                                   double first_step, keel_status *status);

/* A bridge (integrate/bridge.c) for the workspaces of the steps, to be aimed. */
ki_integrator *ki_new_bridge(keel_simulation *sim, keel_status *status);

#endif
