/* audit.h - where the energy of a run goes, step by step: docs/energy.md.
 *
 *     Delta (E - W) = Delta E_i + Delta E_p
 *
 * with W the work of forces and drivers, Delta E_p what the stabiliser did to the energy (stabilize/energy.h)
 * and Delta E_i the rest, which is the integrator's.
 */
#ifndef KI_AUDIT_H
#define KI_AUDIT_H

#include <stdbool.h>

#include "keel/run.h"
#include "stabilize/energy.h"
#include "stabilize/metric_large.h"

#define KI_METRIC_LIMIT                                                                                      \
    200 /* velocities; beyond, the identity is looked at without full matrices, a matrix is not */

typedef struct ki_audit {
    bool active;          /* the energy is known and the method corrects states     */
    keel_audit last, sum; /* of the last step, of all steps                         */
    long gains, losses;   /* steps in which projection added energy, or took some   */
    double drift;         /* E - W at the end of the step before, less its start    */
    double gain_max;      /* largest drift upwards                                  */
    double size;          /* largest energy and work so far (judge.h) ...           */
    double speed;         /* ... and velocity                                       */
    double yielded;       /* ... energy in the springs of a penalty formulation     */
    double exchanged;     /* sum of |changes| of E - W where other rows were held   */
    bool metric_open;     /* the metric may add energy, but has not been seen to    */
    bool metric_large;    /* ... and is looked at by the second of these */
    ki_metric metric;
    ki_metric_large large;
} ki_audit;

/* Before the first step. */
keel_status ki_audit_init(keel_simulation *sim);

/* After the start (no step taken yet) and after every step: `drift` is E - W less its start. */
keel_status ki_audit_step(keel_simulation *sim, double drift);

/* Other rows are held from now on, and the state was moved onto them: E - W changed by this. */
void ki_audit_exchange(ki_audit *audit, double change);

#endif
