/* system.h - a constrained mechanical system, whoever implements it.
 *
 *     q' = N(q) v                                 configuration q [n_q], velocity v [n_v]
 *     M(q) v' + J^T lambda = Q(q,v,z,s,lambda,t)  motion; note the sign of the multiplier
 *     Phi(q,s,t)   = 0   [n_h]                    holonomic constraints
 *     Psi(q,v,s,t) = 0   [n_n]                    nonholonomic constraints, linear or not in v
 *     z' = f(q,v,z,s,lambda,t)  [n_z]             first-order states
 *     0  = r(q,v,z,s,t)  [n_s]                    auxiliary unknowns s
 *
 * J stacks G = dPhi/dq N over B = dPsi/dv: n_h holonomic rows first, then n_n nonholonomic ones; m = n_h +
 * n_n. Along a motion J v - tau = 0 (velocity level) and J v' = xi (acceleration level). Where Phi or Psi
 * depend on s, derivatives are total: through s(q,t) as fixed by r = 0 as well. (A Phi may then use only such
 * s whose r knows neither v nor z.)
 *
 * Two things are optional and make more methods possible: the derivatives of the equations (`tangent` and
 * `rate_q`; implicit integrators do with differences otherwise) and `invariants` I(q,v,z,s,t), quantities
 * that are constant along every motion. Derivatives with respect to the configuration are taken along
 * displacements in velocity coordinates: column j is d/de at e = 0 of the function at q (+) e unit_j (see
 * `advance`), which is d/dq_j when q' = v.
 *
 * To bring equations of your own in C, fill a keel_system (keel_system_default() first) and hand it to
 * keel_run or keel_simulation_new. samples/ has two complete programs.
 */
#ifndef KEEL_SYSTEM_H
#define KEEL_SYSTEM_H

#include <stddef.h>

#include "keel/diagnostics.h"
#include "keel/pattern.h"
#include "keel/saddle.h"
#include "keel/status.h"

/* A point at which a system is evaluated. Arrays of a size that is zero may be NULL. */
typedef struct keel_point {
    double t;
    const double *q;      /* [n_q] */
    const double *v;      /* [n_v] */
    const double *z;      /* [n_z] */
    const double *s;      /* [n_s] */
    const double *lambda; /* [m]   */
    const double *a;      /* [n_v] accelerations; only KEEL_TANGENT reads them */
} keel_point;

/* What may be asked of a system, as bits. A call asks for one or several; shared work is done once.
 *                            needs of the point       fills                         */
enum {
    KEEL_MASS = 1 << 0,         /* t q s                  M  [entries of the pattern M] */
    KEEL_JACOBIAN = 1 << 1,     /* t q s (v if B needs)   J  [entries of the pattern J] */
    KEEL_FORCE = 1 << 2,        /* all                    Q  [n_v]                      */
    KEEL_XI = 1 << 3,           /* t q v s                xi [m]                        */
    KEEL_POSITION = 1 << 4,     /* t q s                  Phi [n_h]                     */
    KEEL_VELOCITY = 1 << 5,     /* t q v s                rate [m]                      */
    KEEL_STATES = 1 << 6,       /* t q v z s (lambda)     f  [n_z]                      */
    KEEL_AUXILIARY = 1 << 7,    /* t q v z s              r  [n_s] and r_s              */
    KEEL_FORCE_LAMBDA = 1 << 8, /* all                    Q_lambda                      */
    KEEL_ENERGY = 1 << 9,       /* t q v s                energy                        */
    KEEL_POWER = 1 << 10,       /* all                    power                         */
    KEEL_TANGENT = 1 << 11,     /* all, a                 tangent [entries of its pattern] */
    KEEL_VELOCITY_Q = 1 << 12,  /* t q v s                rate_q [entries of its pattern]  */
    KEEL_INVARIANTS = 1 << 13   /* t q v z s              invariant [n_i] and invariant_y  */
};

/* Where the answers go. Each array has its full size; an evaluation writes only what it was asked for. */
typedef struct keel_terms {
    double *M;           /* mass matrix, lower triangle                                        */
    double *J;           /* constraint Jacobian                                                */
    double *Q;           /* all forces without the constraint forces: applied, gyroscopic, ... */
    double *xi;          /* right-hand side of J v' = xi                                       */
    double *Phi;         /* position violation                                                 */
    double *rate;        /* velocity violation: G v - tau for holonomic rows, Psi for the others */
    double *f;           /* z'                                                                 */
    double *r;           /* residual of the auxiliary equations                                */
    double *r_s;         /* dr/ds, entries of the pattern r_s                                  */
    double *Q_lambda;    /* dQ/dlambda, entries of the pattern Q_lambda                        */
    double energy;       /* kinetic + potential                                                */
    double power;        /* rate at which everything but the constraint forces changes `energy` */
    double *tangent;     /* d(M a + J^T lambda - Q, J a - xi, -f) / d(q, v, z) with a and lambda held */
    double *rate_q;      /* d(rate)/dq                                                         */
    double *invariant;   /* I                                                               */
    double *invariant_y; /* dI / d(q, v, z)                                                 */
} keel_terms;

typedef struct keel_system keel_system;

/* Where keel_system.rigid answers; NULL: not asked for. lost goes with xi. */
typedef struct keel_rigid {
    double *xi;   /* [n_rigid x n_v] velocities, a row for each displacement: what the system can do of it */
    double *lost; /* [n_rigid x n_rigid] c^T lost c = 0 if the sum of c_i times displacement i can be done */
    double *momentum; /* [n_rigid] p_i = xi_i . M v of displacements that can be done */
    double *rate;     /* [n_rigid] of p when v' = at->a */
} keel_rigid;

struct keel_system {
    size_t size; /* sizeof(keel_system) where the system was made, by keel_system_default() */
    int n_q, n_v, n_z, n_s, n_h, n_n;
    int n_i; /* invariants */

    keel_pattern M;           /* n_v x n_v, lower triangle with full diagonal */
    keel_pattern J;           /* m x n_v                                      */
    keel_pattern r_s;         /* n_s x n_s; no rows if n_s = 0                */
    keel_pattern Q_lambda;    /* n_v x m; no rows if Q does not depend on lambda */
    keel_pattern tangent;     /* (n_v + m + n_z) x (2 n_v + n_z); no rows if KEEL_TANGENT is not answered  */
    keel_pattern rate_q;      /* m x n_v; no rows if KEEL_VELOCITY_Q is not answered   */
    keel_pattern invariant_y; /* n_i x (2 n_v + n_z)                                */

    int f_needs_lambda; /* 1 if some f depends on lambda: states are evaluated after the multipliers then */
    int J_needs_v;      /* 1 if some nonholonomic row is nonlinear in v, so that J changes with v */
    int has_energy;     /* 1 if KEEL_ENERGY and KEEL_POWER are answered; otherwise energy is unknown */
    int has_drivers;    /* 1 if constraints can do work: some Phi depends on t, or some Psi is not linear
                           homogeneous in v */

    /* [n_v] displacements that are not small, 1 for angles and the size of the mechanism for lengths: the
     * violation of a constraint is compared with what they change it by at least. NULL: with what the
     * coordinates, as they are, change it by; enough where coordinates are not differences from a drawn pose.
     */
    const double *q_size;
    const int *q_turns; /* [n_v] 1: an angle, 0: a length; NULL with q_size */

    /* [n_q] the same of the coordinates, for systems with kinematics; NULL: what displacements of q_size
     * make of them. */
    const double *coordinate_size;

    /* What a model without q_size states of how large its displacements [n_v] and first-order states [n_z]
     * are, positive; 0: the numbers at the start tell. NULL: nothing is stated. */
    const double *stated_v, *stated_z;

    /* [n_inputs] first-order states that are inputs: their rate is zero, and the caller of a simulation sets
     * them (keel_simulation_set_input). */
    int n_inputs;
    const int *input;

    double extent; /* of the mechanism, in its unit of length; 0: not known */

    double energy_size; /* what a potential that acts everywhere (weight) does along the extent; 0: not known.
                           Energies far below it are round-off, where nothing moves */

    /* [m] the natural size of a row, which no pose changes: 1 for directions and angles, the extent of its
     * loop for lengths. What a displacement of q_size makes of the row is compared with it, so that a row
     * which vanishes in exact arithmetic is recognised whatever round-off leaves of it
     * (docs/sizes.md). NULL: as large as rows are in the poses that were met. */
    const double *row_size;
    const int *row_turns; /* [m] 1: a direction or an angle, 0: a length; NULL with row_size */

    /* How well the geometry is known: places relative to the extent, and directions in radians. Conditions
     * that agree within it repeat each other (docs/sizes.md). 0: to round-off. */
    struct {
        double length, angle;
    } precision;

    /* [n_h] how large the positions are that Phi_i is the difference of: their round-off stays in Phi_i
     * whatever the coordinates are. A body 700 m from the origin may turn about a pin there, and the angle
     * does not tell. NULL: as large as the coordinates tell. */
    const double *Phi_size;

    const void *model; /* the implementer's data, never written after construction: shared by threads */

    /* A private scratch area for one thread; both may be NULL when none is needed. */
    keel_status (*work_new)(const keel_system *system, void **work);
    void (*work_free)(void *work);

    /* Fills the asked-for terms at a point. A negative status ends the run with KEEL_ERROR_CALLBACK. */
    keel_status (*evaluate)(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms);

    /* Machine code for the linear systems of M and J, made by keel_native_attach (keel/native.h): asked for
     * before every factorization, and may come late in a run. NULL: none. */
    const keel_saddle_code *(*kernel)(const keel_system *system, void *work);

    /* The system that a run of about `evaluations` evaluations is to use: this one, or the same equations by
     * programs that cost more to make than a shorter run takes. They are made once, for all threads; the
     * result belongs to this system. Numbers differ by round-off between the two, so a run asks once, before
     * its start. NULL as an answer: out of memory; NULL as a function: there is nothing else. */
    const keel_system *(*for_run)(const keel_system *system, double evaluations);

    /* q' = N(q) v; NULL when q' = v. */
    void (*kinematics)(const keel_system *system, const double *q, const double *v, double *q_rate);

    /* q <- q (+) dv: moves q by a small displacement given in velocity coordinates, staying on the
     * configuration manifold, with d/ds (q (+) s dv) = N(q) dv at s = 0; NULL when q <- q + dv. A q that has
     * left the manifold by a little (a quaternion not of unit length) is put back: it is called with dv = 0
     * after every step. */
    void (*advance)(const keel_system *system, double *q, const double *dv);

    /* dv = N(q)^+ dq: the displacement in velocity coordinates nearest to a small change of q. Needed by
     * implicit methods that use `tangent` of a system with kinematics; may be NULL. */
    void (*pull)(const keel_system *system, const double *q, const double *dq, double *dv);

    /* Rigid displacements: everything turned or shifted together, n_rigid independent ones (3 in the plane, 6
     * in space, turns and shifts of comparable size). The kinetic energy does not see them. A momentum p_i
     * changes by the forces and constraints that do work in displacement i only, so it is constant if there
     * are none (docs/conserving.md). 0 and NULL: not known. */
    int n_rigid;
    void (*rigid)(const keel_system *system, void *work, const keel_point *at, keel_rigid *rigid);

    /* Further quantities to report, [n_outputs], from a complete point and its accelerations; may be NULL.
     * output_at: where they are written, for messages; may be NULL. */
    int n_outputs;
    const keel_location *output_at;
    keel_status (*outputs)(const keel_system *system, void *work, const keel_point *at, const double *v_rate,
                           double *values);

    /* Angles in outputs that a pose tells only up to whole turns: `values` gives them and their rates,
     * [count], at t, q and v; `near` says what they are near to in the outputs that are asked for next with
     * this workspace. A run counts turns from step to step. count 0: there are none. */
    struct {
        int count;
        void (*values)(const keel_system *system, void *work, const keel_point *at, double *angle,
                       double *rate);
        void (*near)(const keel_system *system, void *work, const double *angle);
    } turns;

    /* Which part of the model is not finite at time t, at the coordinates and velocities of the last
     * evaluation with `work`: 1 with words for it ("force 'gust'") in `text` and its place in *where, or 0. A
     * part that grows without bound towards t counts as well. May be NULL. */
    int (*explain)(const keel_system *system, void *work, double t, char *text, int size,
                   keel_location *where);

    /* What the row of a motion drives its quantity to at t, for messages. NULL: not told; asked of rows of
     * motions only. */
    double (*law)(const keel_system *system, void *work, double t, int row);

    /* Where formulas of the model change over from one branch to another: comparisons, |x|, the larger of
     * two. Steps end there, so that nothing is stepped over and no step sees two branches
     * (docs/switches.md). All may be NULL. */
    struct {
        /* The first change in [from, until] of what depends on t alone: 1, with when[1] the time at which a
         * step ends, when[0] <= when[1] the last one that is surely before the change and when[2] >= when[1]
         * the first one surely after it. 0: there is none. */
        int (*next)(const keel_system *system, void *work, double from, double until, double when[3]);

        /* [count] functions of t, q, v and z, not of t alone: a branch ends where its function changes sign.
         */
        int count;
        void (*values)(const keel_system *system, void *work, const keel_point *at, double *g);
        const char *const *name;    /* [count] for messages: "sign in 'drag'"; NULL: made up */
        const keel_location *where; /* [count] in the model file; NULL: not known */
        /* [count] 1: the formula goes over from one side to the other in no time, but smoothly, and the
         * function is zero in between. A step that sees this is not ended. NULL: none does. */
        const int *steep;
    } switches;

    /* Names for messages and results; any of them may be NULL, a name like "q[3]" is made up then. */
    struct {
        const char *const *q, *const *v, *const *z, *const *s; /* [n_q], [n_v], [n_z], [n_s] */
        const char *const *constraint;                         /* [m]                        */
        const char *const *joint;     /* [m] the joint a constraint row belongs to; NULL entries: none */
        const char *const *output;    /* [n_outputs] */
        const char *const *invariant; /* [n_i] */
    } names;

    /* Units for results, as texts: "m", "rad/s", "N m"; "1" where there is none to have. Any list may be
     * NULL, and any entry: keel_system_unit tells what follows from others. */
    struct {
        const char *time;                                      /* NULL: "s"                  */
        const char *energy;                                    /* NULL: not known            */
        const char *length;                                    /* of what is drawn; NULL: not known */
        const char *const *q, *const *v, *const *z, *const *s; /* [n_q], [n_v], [n_z], [n_s] */
        const char *const *constraint;                         /* [m] of Phi_i, of Psi_i     */
        const char *const *multiplier;                         /* [m]                        */
        const char *const *output;                             /* [n_outputs]                */
    } units;
};

/* An empty system: all numbers zero, all functions NULL. It is made in the program, so that its size tells
 * which header the program was compiled with: keel_system_validate, and with it every run, refuses that of
 * another one. */
static inline keel_system keel_system_default(void) {
    keel_system system = {0};
    system.size = sizeof system;
    return system;
}

/* KEEL_OK, or KEEL_ERROR_INPUT with the first broken rule (size, numbers, patterns, missing functions) in
 * `message`. */
KEEL_API keel_status keel_system_validate(const keel_system *system, char *message, int message_size);

static inline int keel_system_m(const keel_system *system) {
    return system->n_h + system->n_n;
}

/* Which vector a name is asked for. */
typedef enum keel_name_of {
    KEEL_NAME_Q,
    KEEL_NAME_V,
    KEEL_NAME_Z,
    KEEL_NAME_S,
    KEEL_NAME_CONSTRAINT,
    KEEL_NAME_OUTPUT,
    KEEL_NAME_INVARIANT
} keel_name_of;

/* The name of component i, into `buffer` if it has to be made up. */
KEEL_API const char *keel_system_name(const keel_system *system, keel_name_of of, int i, char buffer[32]);

/* What a unit is asked of. */
typedef enum keel_unit_of {
    KEEL_UNIT_TIME,
    KEEL_UNIT_ENERGY,
    KEEL_UNIT_LENGTH, /* of what is drawn */
    KEEL_UNIT_Q,
    KEEL_UNIT_V,
    KEEL_UNIT_V_RATE, /* an acceleration */
    KEEL_UNIT_Z,
    KEEL_UNIT_S,
    KEEL_UNIT_CONSTRAINT, /* Phi_i, or Psi_i        */
    KEEL_UNIT_RATE,       /* Phi_i', or Psi_i       */
    KEEL_UNIT_MULTIPLIER,
    KEEL_UNIT_OUTPUT
} keel_unit_of;

#define KEEL_UNIT 64 /* bytes of a unit that is made up; longer ones are not known */

/* The unit of component i, into `buffer` if it has to be made up; "" if it is not known. What is not told
 * follows where it surely does: a velocity is its coordinate by the time (where q' = v), rates and
 * accelerations likewise, a multiplier of a holonomic constraint the energy by its violation. */
KEEL_API const char *keel_system_unit(const keel_system *system, keel_unit_of of, int i,
                                      char buffer[KEEL_UNIT]);

/* A state: plain data, copied with keel_state_copy. Owns its arrays. */
typedef struct keel_state {
    double t;
    double *q, *v, *z, *s, *lambda;
} keel_state;

/* A state of the system's sizes, all zero; NULL when out of memory. */
KEEL_API keel_state *keel_state_new(const keel_system *system);
KEEL_API void keel_state_free(keel_state *state);
KEEL_API void keel_state_copy(const keel_system *system, keel_state *to, const keel_state *from);

#endif
