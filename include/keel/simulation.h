/* simulation.h - a simulation that the caller leads through time: advance, look, change, go on.
 *
 *     keel_quantity angle = keel_find_quantity(system, "crank.angle", log);
 *     keel_row row;
 *     for (double t = 0; t < 10; t += 0.01)
 *         if (keel_simulation_advance(simulation, t, &row) == KEEL_OK)
 *             printf("%g %g\n", t, keel_row_value(&row, angle));
 *
 * run.h has the simulation itself, session.h opens one from a model file. A simulation belongs to one thread;
 * several simulations may share a system.
 */
#ifndef KEEL_SIMULATION_H
#define KEEL_SIMULATION_H

#include "keel/run.h"

/* What a row can be asked for. */
typedef enum keel_quantity_kind {
    KEEL_QUANTITY_NONE, /* no such name */
    KEEL_QUANTITY_TIME,
    KEEL_QUANTITY_COORDINATE,
    KEEL_QUANTITY_VELOCITY,
    KEEL_QUANTITY_ACCELERATION,
    KEEL_QUANTITY_STATE,
    KEEL_QUANTITY_AUXILIARY,
    KEEL_QUANTITY_MULTIPLIER,
    KEEL_QUANTITY_OUTPUT,
    KEEL_QUANTITY_ENERGY,
    KEEL_QUANTITY_ENERGY_DRIFT,
    KEEL_QUANTITY_POSITION_VIOLATION,
    KEEL_QUANTITY_VELOCITY_VIOLATION
} keel_quantity_kind;

/* A handle: found once by name, read from any row of the system. Plain data. */
typedef struct keel_quantity {
    keel_quantity_kind kind;
    int index; /* in the vector of its kind */
} keel_quantity;

/* The quantity of that name, as the columns of results are named (docs/results.md): "t", an output, a
 * coordinate "x", its velocity "x'" and acceleration "x''", a first-order state, an auxiliary unknown,
 * "lambda.NAME" of a constraint, "energy", "energy_drift", "position_violation", "velocity_violation". An
 * output hides a coordinate of the same name. KEEL_QUANTITY_NONE after a message, with the nearest name, if
 * there is none; `diagnostics` may be NULL. */
KEEL_API keel_quantity keel_find_quantity(const keel_system *system, const char *name,
                                          keel_diagnostics *diagnostics);

/* Its value. NaN where the row does not have it, or the handle is of no quantity. */
KEEL_API double keel_row_value(const keel_row *row, keel_quantity quantity);

/* Goes on to time t and gives the row there: inside of the last step by its dense output. `row` may be NULL;
 * its arrays hold until the next call with this simulation. Times do not decrease by more than the last step.
 * A t beyond settings.until moves the end: the integrator begins anew there, sums and counts go on. What
 * fails is told in the diagnostics that the simulation was made with: KEEL_ERROR_INPUT for a t that is not
 * finite or lies before the last step, else what a step or a row returns. */
KEEL_API keel_status keel_simulation_advance(keel_simulation *simulation, double t, keel_row *row);

/* Number of the input of that name, for the calls below; -1 after a message with the nearest name. */
KEEL_API int keel_find_input(const keel_system *system, const char *name, keel_diagnostics *diagnostics);

/* Sets an input of the model from the time on that was advanced to, until it is set again. The integrator
 * begins anew behind a jump. In a simulation with inputs keel_simulation_advance ends a step at the time it
 * is given. KEEL_ERROR_INPUT if there is no such input or the value is not finite. */
KEEL_API keel_status keel_simulation_set_input(keel_simulation *simulation, int input, double value);
KEEL_API double keel_simulation_input(const keel_simulation *simulation, int input);

/* The state at the end of the last step into `state`, of the system's sizes. */
KEEL_API keel_status keel_simulation_state(keel_simulation *simulation, keel_state *state);

/* Begins anew from a state, at its time: constraints as at a start (settings.start_tolerance). `state` may
 * lie before what was reached. Sums, counts and events begin at zero. After a failure the simulation is as it
 * was. */
KEEL_API keel_status keel_simulation_set_state(keel_simulation *simulation, const keel_state *state);

/* Begins anew from the start that the simulation was made with. */
KEEL_API keel_status keel_simulation_reset(keel_simulation *simulation);

/* The end of the simulation: settings.until, or where keel_simulation_advance has moved it. Settings that
 * load a saved simulation (checkpoint.h) have this end; right behind a move next to a singular pose or a
 * switch there is nothing to save yet, and keel_simulation_save refuses with KEEL_ERROR_INPUT until a few
 * steps later. */
KEEL_API double keel_simulation_until(const keel_simulation *simulation);

#endif
