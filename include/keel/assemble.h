/* assemble.h - a start that satisfies its constraints, from a rough one.
 *
 * Positions: damped Gauss-Newton. With the metric A (mass matrix or identity)
 *
 *     min |dq|_A   subject to   J dq = -Phi(q),        q <- q (+) step dq
 *
 * one saddle-point solve per iteration, the step shortened until |Phi| falls; where J is singular or the
 * violation no longer falls, a Levenberg-Marquardt step (D > 0) instead. Velocities: the nearest in the same
 * metric with J v = tau. Mechanisms have a rule of their own, KEEL_ASSEMBLE_DRAWING.
 */
#ifndef KEEL_ASSEMBLE_H
#define KEEL_ASSEMBLE_H

#include "keel/diagnostics.h"
#include "keel/mechanism.h"
#include "keel/system.h"

typedef enum keel_assembly_metric {
    KEEL_ASSEMBLE_MASS,
    KEEL_ASSEMBLE_IDENTITY,
    KEEL_ASSEMBLE_DRAWING /* of a mechanism that is not too large: nearest to its drawing at rest
                             (docs/assemble.md), whatever the state given; of others like MASS */
} keel_assembly_metric;

typedef struct keel_assembly_settings {
    keel_assembly_metric metric;
    double tolerance; /* largest violation that counts as closed, relative to the size of its row [1e-13] */
    int iterations;   /* most */
    int pose_rows;    /* the last so many holonomic rows are asked of the pose and not of velocities; -1: the
                         start values of a mechanism (keel_compiled.assembly) */
} keel_assembly_settings;

KEEL_API keel_assembly_settings keel_assembly_settings_default(void);

typedef struct keel_assembly_report {
    int iterations;
    double before, after; /* largest position violation */
    double velocity_before, velocity_after;
    int worst;    /* row with the largest violation that is left, -1: closed */
    double moved; /* largest change of a coordinate */
    double velocity_moved;
} keel_assembly_report;

/* Makes `state` satisfy all constraints of `system` at state->t. KEEL_OK; KEEL_ERROR_START when it cannot be
 * closed: a message names each row that stays open and by how much, and `state` is the best pose found; other
 * negative statuses for failures of the system itself. `report` may be NULL. */
KEEL_API keel_status keel_assemble(const keel_system *system, const keel_assembly_settings *settings,
                                   keel_state *state, keel_diagnostics *diagnostics,
                                   keel_assembly_report *report);

/* Assembles a mechanism in relative coordinates, from its drawing and with its start values, and writes the
 * result into compiled->start: with settings NULL, the start nearest to the drawing at rest
 * (KEEL_ASSEMBLE_DRAWING). What is closed and at rest as drawn stays as it is. A note tells each spring that
 * is loaded by it and that no start value names. The same statuses; after
 * KEEL_ERROR_START compiled->start is the best pose found. `t` is the time of the start. */
KEEL_API keel_status keel_assemble_mechanism(const keel_compiled *compiled, double t,
                                             const keel_assembly_settings *settings,
                                             keel_diagnostics *diagnostics, keel_assembly_report *report);

/* A body that is not where it was drawn: its centre, in the unit of length, and its orientation, in radians.
 */
typedef struct keel_moved_body {
    int body;
    double distance, angle;
} keel_moved_body;

/* The bodies of a mechanism that are elsewhere in `state` than in the drawing, those that moved most first:
 * `moved` has room for all bodies, *count of them moved by more than round-off. */
KEEL_API keel_status keel_find_moved_bodies(const keel_system *system, const keel_state *state,
                                            keel_moved_body *moved, int *count);

#endif
