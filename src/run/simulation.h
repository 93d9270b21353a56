/* simulation.h - a run in progress. */
#ifndef KI_SIMULATION_H
#define KI_SIMULATION_H

#include "integrate/explicit_rk.h"
#include "keel/rank.h"
#include "keel/run.h"
#include "run/watch.h"

struct keel_simulation {
    const keel_system *system;
    keel_settings settings;
    const char *method_reason; /* of "auto" */
    keel_diagnostics *diagnostics;
    ki_law law;           /* what the method adds to the system */
    ki_dynamics dynamics; /* of the steps */
    ki_dynamics rows;     /* of the output rows, so that rows never change the steps */
    ki_rk rk;
    ki_arena arena;

    double *row_y, *row_k, *row_outputs; /* the last row */

    keel_violation position, velocity;
    double energy_initial, energy_final, energy_drift, energy_drift_max;
    double start_position_moved, start_velocity_moved;
    int rank;
    double rank_gap;
    int *shared; /* [m]; NULL: unknown */
    ki_watch watch;
    bool *was_dependent;  /* [n_v] the partition at the last accepted step, ... */
    bool partition_known; /* ... once there is one */
    keel_event *events;   /* [KEEL_EVENTS_MAX] */
    int event_count;
    long events_dropped;
};

#endif
