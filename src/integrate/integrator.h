/* integrator.h - what all integrators of y' = f(t, y) have in common, and what a run sees of them.
 *
 * An integrator takes accepted steps, keeps the state at the end of the last one on the constraints as far as
 * its stabiliser promises, and gives the state at any time inside that step. Each method is one file that
 * fills in the three functions; a method's own struct begins with a ki_integrator.
 */
#ifndef KI_INTEGRATOR_H
#define KI_INTEGRATOR_H

#include <math.h>

#include "base/four.h"
#include "integrate/rough_step.h"
#include "keel/settings.h"
#include "keel/step.h"
#include "stabilize/stabilizer.h"

/* What is integrated: a workspace with its formulation, and what keeps its solution on the constraints. */
typedef struct ki_flow {
    ki_dynamics *dynamics;
    keel_stabilize stabilize;
} ki_flow;

typedef struct ki_integrator_settings {
    double tolerance, absolute_tolerance;
    double step;          /* fixed step, or first step of an adaptive method (0: chosen) */
    bool fixed;           /* take steps of `step` whatever the error */
    double max_step;      /* 0: no limit */
    double most_steps;    /* accepted and rejected */
    int order;            /* of methods with a choice; 0: the method's own */
    bool projected_error; /* error estimates lose the part that projection removes */
} ki_integrator_settings;

/* All an integrator starts from. */
typedef struct ki_problem {
    keel_integrator kind;
    ki_flow flow;      /* for the steps                                                        */
    ki_flow flow_rows; /* for dense output: rows must not disturb the steps, so it has its own dynamics */
    ki_integrator_settings settings;
    const keel_settings *options; /* what only some methods read */
    double t, t_end;
    const double *y; /* [n_y] consistent start */
    bool bridge;     /* a bridge (bridge.c) in place of `kind`, to be aimed before its step */
} ki_problem;

/* What stiffness comes from. */
typedef enum ki_stiff { KI_NOT_STIFF, KI_STIFF_DAMPER, KI_STIFF_SPRING } ki_stiff;

/* How many steps of an explicit method were of a kind, and how many in a row since then not. */
typedef struct ki_steps_of_a_kind {
    int count, others;
} ki_steps_of_a_kind;

typedef struct ki_integrator ki_integrator;

/* A method: the functions of its file, and the size of its struct, which begins with a ki_integrator. */
typedef struct ki_method {
    size_t size;
    /* Memory, first rate, first step. The struct is zero but for its common part. */
    keel_status (*start)(ki_integrator *self, const ki_problem *problem);
    /* One accepted step, not beyond t_end. KEEL_ERROR_STEP_SIZE when it became too small (dynamics->trouble
     * tells why, if failures of the model caused it), KEEL_ERROR_LIMIT when there were too many. The state
     * stays at the last good step. */
    keel_status (*step)(ki_integrator *self, double t_end);
    /* y at a time within the last step, its ends included. */
    keel_status (*interpolate)(ki_integrator *self, double t, double *y);
    /* y' of the dense output at a time within the last step, its end not included; NULL: of methods whose
     * rows stiff parts of the model do not disturb. */
    keel_status (*slope)(ki_integrator *self, double t, double *rate);
    /* Inner stage k of the last step, where the model was asked: its time and y. False if there is none; NULL
     * where stages tell no more than errors do. */
    bool (*stage)(const ki_integrator *self, int k, double *t, double *y);
    void (*clear)(ki_integrator *self); /* frees what is not in the arena; may be NULL */
} ki_method;

extern const ki_method KI_EXPLICIT_RK, KI_ADAMS, KI_RADAU, KI_BDF, KI_BDF_FIXED, KI_IDA;
extern const ki_method KI_STRUCTURAL; /* newmark ... trapezoidal */
extern const ki_method KI_MIDPOINT;   /* midpoint, conserving    */
extern const ki_method KI_BRIDGE;     /* of no kind              */

/* Largest rate of automatic gains times the step, of methods that do not say otherwise: Adams methods of high
 * order are stable in a small region. */
#define KI_GAIN_LIMIT 0.05

/* Numbers behind the last of y, always zero: it may be read in groups of four. */
enum { KI_SPARE = KI_FOUR - 1 };

struct ki_integrator {
    const ki_method *method;
    /* Accelerations [n_v] and multipliers [m] at a time within the last step, where they are better than
     * those of the index-1 form at the state; NULL: they are not. */
    void (*own_values)(ki_integrator *self, double t, double *v_rate, double *lambda);

    ki_flow flow, flow_rows;
    ki_integrator_settings settings;
    const keel_settings *options;
    int n;               /* length of y; the last component is the work */
    bool estimates_work; /* its error estimates contain that of the work */
    double work_allowed; /* error that one step may leave in the work; 0: it is not error-controlled */
    double t;            /* time reached                        */
    double *y;           /* [n + KI_SPARE] state at t           */
    double t_old;        /* the last step was [t_old, t]        */
    double longest_step;
    double relax; /* what an estimate may be over what a step may leave, of methods that divide by it;
                     otherwise 1 */
    bool follows; /* its steps are not those of the run: the scales of the run do not change by them */
    long steps, rejected;
    long rejected_before;                  /* `rejected` at the last accepted step */
    int order;                             /* of the last step; 0: not told */
    long jacobians;                        /* linearisations of implicit methods */
    double moved_position, moved_velocity; /* sums of squares of the corrections of accepted steps, M-norm */
    ki_energy_change settled;              /* what stabilising did to the energy in the last step */
    double singular_at; /* where the next step is expected to meet a singular pose; infinity: nowhere   */
    bool singular_near; /* too near to come nearer: a step across is taken as it is                     */
    bool (*lands_badly)(const ki_integrator *self); /* the state that dynamics is factored at is next to a
                                                       singular pose; NULL: nobody looks */
    void *watch;                                    /* whose judgement that is */
    /* The part of a rejected step of h to y_new after which the motion passes a switch of the model, 1 if it
     * does not; NULL: nobody looks. */
    double (*switch_inside)(const ki_integrator *self, double h, const double *y_new);
    void *switches;           /* whose judgement that is */
    bool aimed;               /* the step was made to end somewhat before a switch */
    int across_failed;        /* attempts across a singular pose that were rejected, in a row ... */
    int across_worse;         /* ... and of the last ones, those no better than one from farther away */
    double across_error;      /* of the last one */
    double bridge_error;      /* of a bridge: its error relative to what is allowed */
    double bridge_span;       /* ... its length, which may reach beyond the end of the run */
    bool bridge_found;        /* ... and whether its rates were found, not only guessed */
    keel_newton_facts newton; /* of the last step, where a method has them */
    bool has_newton;
    ki_rough_step rough;                   /* of fixed steps that nothing else controls */
    ki_integrator *judge;                  /* ... takes those in doubt again, of implicit methods */
    ki_steps_of_a_kind damped, slow, fast; /* steps that met a strong damper, one in a slow motion, a fast
                                              spring at rest */
    ki_stiff stiff; /* what an explicit method found to bring its steps near the limit of stability */
    ki_arena arena;
};

/* The integrator problem->kind, at its start; NULL with *status after a failure. */
ki_integrator *ki_integrator_new(const ki_problem *problem, keel_status *status);
void ki_integrator_free(ki_integrator *self);

/* One with all that `other` has counted and knows in common, but of this method and with an empty y; NULL
 * when out of memory. */
void *ki_integrator_like(const ki_integrator *other, const ki_method *method);

/* The last step of `inner` ends at (t, y) instead, by its dense output; another integrator goes on from
 * there. Owns `inner` from now on. NULL when out of memory. (ended.c) */
ki_integrator *ki_end_step(ki_integrator *inner, double t, const double *y);

/* A bridge is to take one step of length H from (t, y), a consistent state, across a pose in its middle, or
 * away from one at (t, y), where y' is about `rate`, and just that if it is at rest; `again`: with first
 * guesses by the last bridge, which was from there. Nothing is allocated. */
keel_status ki_bridge_aim(ki_integrator *bridge, double t, const double *y, double H);
void ki_bridge_aim_away(ki_integrator *bridge, double t, const double *y, double H, const double *rate,
                        bool resting, bool again);

/* radau5 or radau9 begins anew at (t, y) with a step to t_end, whose first guess is the dense output of the
 * last step of `leader`, if that reaches so far. Newton's method leaves 1e-4 of what it leaves in steps. */
keel_status ki_radau_follow(ki_integrator *radau, ki_integrator *leader, double t, const double *y,
                            double t_end);

/* How many steps of about h, and not longer, lead from t to t_end. */
long ki_whole_steps(double t, double t_end, double h);

/* The error that one step may leave in component i: absolute * its scale (scales.h) + relative * its size. */
typedef struct ki_allowance {
    double absolute, relative;
    const double *scale; /* [n + KI_SPARE] */
} ki_allowance;

ki_allowance ki_allowed(const ki_integrator *self);

/* For component i that goes from y0 to y1. */
static inline double ki_allowed_between(ki_allowance allowed, int i, double y0, double y1) {
    double a = fabs(y0), b = fabs(y1);
    return allowed.absolute * allowed.scale[i] + allowed.relative * (a > b ? a : b);
}

/* The same for component i of the states y0 and y1. */
double ki_allowed_error(const ki_integrator *self, const double *y0, const double *y1, int i);

/* That of displacement j between the states y0 and y1: of the coordinate where q' = v, otherwise of its
 * scale. */
double ki_allowed_displacement(const ki_integrator *self, const double *y0, const double *y1, int j);

/* What an estimate of a method of order p may be, over what a step may leave: tol^(1/p). The number of steps
 * grows as their errors shrink; so what they add up to shrinks in proportion to the tolerance. */
double ki_relax(const ki_integrator *self, int order);

/* Takes from an error estimate what the stabiliser removes, if the settings say so. */
keel_status ki_settle_estimate(ki_integrator *self, double *e);

/* Largest |e_i| / allowed, of the work only if it is error-controlled; NaN if there is one. */
double ki_error_norm(const ki_integrator *self, const double *e, const double *y0, const double *y1);

/* First step for a method of the given order: rate = f(t, y) is known; two scratch vectors. */
double ki_choose_first_step(ki_integrator *self, const double *rate, int order, double t_end, double *scratch,
                            double *scratch_rate);

/* The step to try in place of h: not beyond max_step and t_end, and no sliver left over for the step after.
 */
double ki_limited_step(const ki_integrator *self, double h, double t_end);

/* Implicit methods with steps of a given length look whether these follow the motion: at their start, where
 * y' = `rate`, and after each step, from y_old. (rough_implicit.c) */
keel_status ki_begin_fixed_steps(ki_integrator *self, const double *rate);
keel_status ki_look_at_implicit_step(ki_integrator *self, const double *y_old);

/* Whether a failed evaluation may go away with a smaller step. */
bool ki_worth_retrying(keel_status status);

/* The book-keeping of an accepted step that ends at t_new with the state self->y. Lands on t_end exactly. */
void ki_accept_step(ki_integrator *self, double t_new, double t_end);

/* Whether an attempt that could be accepted ends next to a singular pose that nobody has foreseen: so much of
 * the step is made instead, a few times. `moved`: how often that was. */
#define KI_MOVED_END 0.7
bool ki_should_move_end(const ki_integrator *self, int moved);

/* The step to try after one of h to y_new was rejected: h_next, or a longer one that ends before the switch
 * of the model that may have been the reason. */
double ki_step_before_switch(ki_integrator *self, double h, const double *y_new, double h_next);

/* Before an attempt with a step of h: KEEL_ERROR_LIMIT after the most steps allowed; KEEL_ERROR_STEP_SIZE
 * where steps may be chosen and this one is too small to count, or too many before it were rejected. */
keel_status ki_may_attempt(const ki_integrator *self, double h, double t_end);

#endif
