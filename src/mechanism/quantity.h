/* quantity.h - names of things that can be measured, as users write them.
 *
 *     JOINT.COORDINATE                  angle, displacement, ...: what the type calls them (joint.h)
 *     POINT.x  BODY.POINT.x             world coordinates x y z of a point
 *     JOINT.x                           of the place of a joint
 *     BODY.x                            of the centre of mass
 *     BODY.angle                        planar: rotation from the drawn pose
 *     BODY.spin  BODY.spin.x            angular velocity, world axes (planar: spin alone)
 *     BODY.turn.x                       in space: rotation vector from the drawn pose, world axes
 *     BODY.R11 .. BODY.R33              rotation matrix from the drawn pose
 *     JOINT.reaction.force              magnitude; .force.x in world axes, .force.axis_x in the joint's;
 *     JOINT.reaction.torque             likewise
 *     SPRING.length  SPRING.force       length of a spring and its pull; TORSION.torque
 *     MOTION.force  MOTION.torque       what drives
 *
 * A prime is a time derivative: up to two of what is a row; none of the rest.
 */
#ifndef KI_MECHANISM_QUANTITY_H
#define KI_MECHANISM_QUANTITY_H

#include "mechanism/description.h"
#include "mechanism/work.h"

/* Where formulas and start values look names up while a mechanism is compiled. */
typedef struct ki_names {
    const keel_mechanism *description;
    const ki_mech *mech; /* bodies, joints, points and forces are in place */
} ki_names;

/* What a quantity may be used for; a wrong use is reported. */
typedef enum ki_use {
    KI_FOR_OUTPUT, /* everything, up to two primes                                            */
    KI_FOR_FORCE,  /* rows, up to one prime; rotation                                         */
    KI_FOR_MOTION, /* rows without prime, no spin                                             */
    KI_FOR_START   /* rows, up to one prime; spin                                             */
} ki_use;

/* Resolves a name. False after a message with the closest name. */
bool ki_quantity(const ki_names *names, const char *name, int primes, ki_use use, keel_location where,
                 keel_diagnostics *diagnostics, ki_measure *measure);

/* The bodies of a row kind are filled in by ki_quantity. Is it a row, and does it turn (an angle of a joint)?
 */
bool ki_is_row(const ki_measure *measure);
bool ki_is_turn(const ki_mech *mech, const ki_measure *measure);

/* The joint number (in the description) whose turns a formula or force counts, for the choice of the tree:
 * visits every joint of the description whose angle must not be reduced to a turn (torsion springs, gears,
 * formulas of forces). Works on the description alone. */
keel_status ki_counted_joints(const keel_mechanism *description, bool *counted);

/* Visits every name in a formula of a force, or of the rate of a state, that stands for no number. Works on
 * the description alone. */
keel_status ki_names_in_forces(const keel_mechanism *description,
                               void (*visit)(void *user, const char *name, int primes), void *user);

/* Compiles formulas `formula[count]` (NULL text: zero) into one tape of t and measures. `extra` names (such
 * as "length", "rate") become the inputs after t: extra_count of them, before the measures. The measures are
 * kept in mech->arena, the tape until ki_formulas_free. */
keel_status ki_formula_compile(const ki_names *names, ki_mech *mech, const keel_formula *formula, int count,
                               const char *const *extra, int extra_count, ki_use use,
                               keel_diagnostics *diagnostics, ki_formula *out);

/* The tape of f(t), f'(t), f''(t) of a law of motion, which may use t and parameters; or, without a law, of
 * the line start + speed t. */
keel_status ki_law_compile(const ki_names *names, ki_mech *mech, const keel_formula *law, double start,
                           double speed, keel_diagnostics *diagnostics, ki_motion *motion);

/* What the tapes of forces, motions and outputs need of a work area: the size of ki_mech_work.tape is
 * returned, that of ki_mech_work.inputs is put into *inputs. ki_formulas_prepare is called once for each work
 * area, ki_formulas_free when the mechanism is freed (also after a failure to compile it). */
size_t ki_formula_scratch(const ki_mech *mech, int *inputs);
void ki_formulas_prepare(const ki_mech *mech, double *tape);
void ki_formulas_free(ki_mech *mech);

/* values[outputs] = the formula at the present state of the work area; `extra` values as above. Uses the
 * beginning of ki_mech_work.inputs. */
void ki_formula_run(const ki_mech *mech, ki_mech_work *w, const ki_formula *formula, int extra_count,
                    const double *extra, double t, double *values);

/* Value of a row as it was drawn. */
double ki_measure_drawn(const ki_mech *mech, const ki_measure *measure);

/* Value of a measure that formulas of forces may use: rows and rotation, from w->state (ki_move_bodies done).
 * With two primes twist_rate must be known. */
double ki_measure_value(const ki_mech *mech, ki_mech_work *w, const ki_measure *measure);

#endif
