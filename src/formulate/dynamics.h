/* dynamics.h - a system with its workspace: the place where model functions meet the saddle-point kernel.
 *
 * Everything an integrator or stabiliser asks of a system goes through a ki_dynamics: it owns the scratch
 * memory of one thread, solves for the auxiliary unknowns, keeps the last factorization for reuse at the same
 * configuration, counts the work, and remembers what went wrong.
 *
 * The state of the first-order form is one vector
 *
 *     y = (q, v, z, W)          n_y = n_q + n_v + n_z + 1
 *
 * where W is the work done on the system by everything that its energy does not contain: applied forces and
 * driven constraints, W' = power - lambda^T tau. Then energy - W is constant along an exact motion.
 */
#ifndef KI_DYNAMICS_H
#define KI_DYNAMICS_H

#include <stdbool.h>

#include "base/arena.h"
#include "formulate/force_lambda.h"
#include "formulate/joint_kernel.h"
#include "formulate/law.h"
#include "formulate/offset.h"
#include "formulate/partition.h"
#include "formulate/scales.h"
#include "keel/saddle.h"
#include "keel/system.h"
#include "linalg/saddle_code.h"
#include "system/stage_run.h"

/* What kind of quantity made a call fail. */
typedef enum ki_trouble_kind {
    KI_TROUBLE_NONE,
    KI_TROUBLE_CALLBACK,   /* the system's evaluate failed                                  */
    KI_TROUBLE_FORCE,      /* Q[index] is not finite                                        */
    KI_TROUBLE_XI,         /* xi[index] is not finite                                       */
    KI_TROUBLE_STATE,      /* f[index] is not finite                                        */
    KI_TROUBLE_MATRIX,     /* M or J has an entry that is not finite                        */
    KI_TROUBLE_MASS,       /* M is not positive definite: velocity `index`                  */
    KI_TROUBLE_CONSTRAINT, /* the constraints cannot all be met; row `index`, by `amount`   */
    KI_TROUBLE_POSITION,   /* position projection stopped with row `index` open by `amount` */
    KI_TROUBLE_VELOCITY,   /* velocity projection stopped with row `index` open by `amount` */
    KI_TROUBLE_AUXILIARY,  /* Newton for s stopped; equation `index`, residual `amount`     */
    KI_TROUBLE_NEWTON,     /* Newton's method of an implicit step stopped with a correction of
                              `amount`; index 1: of a rule whose multipliers may grow     */
    KI_TROUBLE_PATH,       /* a step leads to another branch: row `index` is open by `amount` half way; index
                              -1: not where the motion goes; other 1: as with NEWTON      */
    KI_TROUBLE_STALL,      /* the same, by round-off above the tolerance `size`; index 1: of
                              unscaled multipliers                                        */
    KI_TROUBLE_MULTIPLIER, /* iteration for forces of lambda stopped; row `index`, by `amount` */
    KI_TROUBLE_KEEPING,    /* joint projection stopped with invariant `index` off by `amount` */
    KI_TROUBLE_INVARIANT,  /* invariant `index` is none: its rate is `amount`, of terms of `size` */
    KI_TROUBLE_AUGMENTED,  /* the augmented Lagrangian of a step stopped with row `index` open by `amount` */
    KI_TROUBLE_REPEATED,   /* row `index`, which repeats others, has come open by `amount`   */
    KI_TROUBLE_MEETING, /* branches pass each other ahead, row `index` contradicts others by `amount` there */
    KI_TROUBLE_SIDES,   /* `why` (a name) changes from one branch to the other without end */
    KI_TROUBLE_UNSUITED /* the integrator cannot take the system: `why`                    */
} ki_trouble_kind;

typedef struct ki_trouble {
    ki_trouble_kind kind;
    double t;
    int index;
    double amount;
    double size; /* what `amount` compares with; 0: unknown */
    int other;
    const char *why; /* a sentence, constant */
} ki_trouble;

/* The matrix of an implicit step as a metric of projections: x with J x = s, of least norm in M + gamma C +
 * gamma^2 K with the damping C and the stiffness K that act during the step. A projection in the norm of M
 * alone would push light parts against stiff springs. */
typedef struct ki_step_metric {
    void (*solve)(void *user, const double *s, double *x); /* NULL: there is none (yet) */
    void *user;
} ki_step_metric;

/* What a correction of a state did to its energy (stabilize/energy.h). */
typedef struct ki_energy_change {
    double all;    /* Delta E_p                 */
    double part_1; /* Delta E_p1 = -v^T M d     */
    double part_2; /* Delta E_p2 = -d^T M d / 2 */
    double size;   /* of the energies compared  */
} ki_energy_change;

/* What ki_evaluate_once does not evaluate again. */
#define KI_KEPT (KEEL_MASS | KEEL_JACOBIAN | KEEL_POSITION | KEEL_VELOCITY | KEEL_XI | KEEL_ENERGY)
/* ... nor of these, where they depend on t, q and v alone. */
#define KI_KEPT_OF_RATE (KEEL_FORCE | KEEL_STATES | KEEL_POWER)

typedef struct ki_dynamics {
    const keel_system *system;
    void *work; /* the system's own scratch */
    ki_arena arena;
    int n_y, m;

    const ki_law *law;      /* what the method adds; shared by the workspaces of a run */
    double step;            /* the longest step so far, for automatic gains (gains.c) ...             */
    double motion_rate;     /* ... and how fast the motion was at most, in 1/t                         */
    double gain_limit;      /* largest rate times step that the integrator bears                      */
    double t_first, t_last; /* the model is asked at no time outside: a step that ends at a switch of time
                               sees one side of it only (ki_stay_between) */
    ki_offset offset;       /* of the holonomic constraints, while it lasts */
    ki_scales *scales;      /* what errors are measured by */

    keel_terms at;  /* terms as last evaluated                                  */
    double *s;      /* [n_s] auxiliaries: solution at the last point, next guess */
    double *lambda; /* [m] multipliers of the last accelerations                */

    keel_saddle *K;   /* M and all rows of J                                                */
    keel_saddle *K_G; /* M and the holonomic rows only; equal to K unless both kinds exist  */
    bool factored;    /* K holds the factors of M, J at (t, q) below                        */
    double factored_t;
    double *factored_q; /* [n_q] */
    unsigned kept;      /* KI_KEPT, with or without KI_KEPT_OF_RATE */
    unsigned known;     /* of these terms, those that d->at holds for (t, q, v) below */
    double known_t;
    double *known_qv;     /* [n_q + n_v] */
    keel_saddle *P, *P_G; /* K and K_G with the metric and penalty of projections; K and K_G themselves for
                             the mass metric */
    double *metric;       /* values of that metric; NULL: M */
    ki_step_metric step_metric;  /* of an implicit integrator, for the natural metric */
    double *P_D;                 /* [m] 1/alpha of penalty projections; NULL: exact */
    keel_saddle *K_D;            /* M, J and the D of penalty formulations; NULL for the others */
    double *D;                   /* [m] its diagonal                                            */
    double *dense, *J_rows, *AJ; /* [n_v x n_v], [m x n_v], [m x n_v]: penalty with a full matrix */
    ki_partition by_position;    /* of the holonomic rows, where the method needs one */
    ki_partition by_velocity;    /* of all rows */

    keel_saddle *factored_P;   /* P once it holds factors; of no use where it is K */
    keel_saddle *factored_P_G; /* P_G likewise                                     */
    ki_joint joint;            /* the kernel of joint projections                  */

    /* scratch */
    double *x;                                   /* [n_v] solution                       */
    double *y;                                   /* [m]                                  */
    double *b_v, *b_m;                           /* [n_v], [m] right-hand sides          */
    double *target;                              /* [m] s of J v' = s, see law.h         */
    double *y_stage;                             /* [n_y] a stage made consistent        */
    double *size;                                /* [m] sizes of the constraints         */
    double *length;                              /* [n_v] of the components, for sizes   */
    double *largest_position, *largest_velocity; /* [m] largest sizes met so far */
    double *r_s_dense;                           /* [n_s x n_s] */
    int *r_s_pivot;                              /* [n_s]       */
    ki_force_lambda force;                       /* of forces that depend on multipliers */

    bool invariants_known;     /* ki_set_invariants was called         */
    double *invariant_start;   /* [n_i] the values to keep             */
    double *largest_invariant; /* [n_i] largest sizes met so far       */
    double *invariant_size;    /* [n_i] scratch                        */
    double *invariant_error;   /* [n_i] scratch                        */
    double *invariant_t;       /* [n_i] scratch                        */

    bool rate_follows; /* where a projection ends: what it takes is evaluated along with the velocities */
    bool in_stage;     /* nothing but the rate matters: one application of good factors is enough */
    bool redundant;    /* some constraints depend on others at the start: ki_expect_redundancy */
    double moved_position, moved_velocity; /* M-norm of the last correction of a state */
    double *J_here;                        /* [entries of J] J where velocities are judged, if `relaxed` */
    double *audit_M;          /* entries of M where a state was corrected; NULL: no audit (ki_audit_on) */
    ki_energy_change settled; /* by the last correction of a state; 0 again once its step is accepted   */

    int relaxed; /* integrators here for which projections may use the factors of a nearby point throughout */
    long evaluations, factorizations, projections;
    long projection_factorizations; /* those of `factorizations` that projections did */
    long projection_iterations;     /* solves of projections */
    int position_steps;             /* of the last projection of a position */
    ki_trouble trouble;
} ki_dynamics;

/* KEEL_OK or KEEL_ERROR_MEMORY. After a failure too, ki_dynamics_clear must be called. */
keel_status ki_dynamics_init(ki_dynamics *d, const keel_system *system, const ki_law *law);
void ki_dynamics_clear(ki_dynamics *d);

/* Parts of y. */
static inline double *ki_q(double *y) {
    return y;
}
static inline double *ki_v(const ki_dynamics *d, double *y) {
    return y + d->system->n_q;
}
static inline double *ki_z(const ki_dynamics *d, double *y) {
    return y + d->system->n_q + d->system->n_v;
}
static inline double *ki_work(const ki_dynamics *d, double *y) {
    return y + d->n_y - 1;
}
keel_point ki_point(const ki_dynamics *d, double t, const double *y);

/* From now on the model is asked between these times; what is known of it is forgotten if they are new. */
void ki_stay_between(ki_dynamics *d, double t_first, double t_last);

/* The time at which the model is asked for t. */
static inline double ki_time_asked(const ki_dynamics *d, double t) {
    return t < d->t_first ? d->t_first : t > d->t_last ? d->t_last : t;
}

/* q <- q (+) dv */
void ki_move(const ki_dynamics *d, double *y, const double *dv);

/* Puts the configuration of y back onto its manifold (quaternions to unit length). */
void ki_normalize(ki_dynamics *d, double *y);

/* Evaluates terms into d->at at (t, y, d->s, d->lambda). */
keel_status ki_evaluate_terms(ki_dynamics *d, unsigned what, double t, const double *y);

/* The same, but those in d->kept not again where d->at holds them for this point: projections, the audit and
 * the measures after a step ask for the same. */
keel_status ki_evaluate_once(ki_dynamics *d, unsigned what, double t, const double *y);

/* Solves r(q,v,z,s,t) = 0 for d->s, starting from its present value. Does nothing when the system has
 * none. */
keel_status ki_newton_auxiliaries(ki_dynamics *d, double t, const double *y);
static inline keel_status ki_solve_auxiliaries(ki_dynamics *d, double t, const double *y) {
    return d->system->n_s ? ki_newton_auxiliaries(d, t, y) : KEEL_OK;
}

/* What a rate needs besides M and J. */
unsigned ki_terms_of_rate(const ki_dynamics *d);

/* Whether d->at holds all of `what`, terms in d->kept, for (t, y). */
bool ki_knows(const ki_dynamics *d, unsigned what, double t, const double *y);

/* True if K holds the factors of M and J at (t, y), and d->at their values. */
bool ki_is_factored(const ki_dynamics *d, double t, const double *y);

/* Makes K hold the factors of M and J at (t, y): evaluates and factors unless they are there already. */
keel_status ki_factor_at(ki_dynamics *d, double t, const double *y);

/* The same, and VELOCITY or other terms of ki_evaluate_once, along with M and J if those are not there. */
keel_status ki_factor_with(ki_dynamics *d, unsigned also, double t, const double *y);

/* Factors the M and J that d->at holds, known to belong to (t, y). */
keel_status ki_factor_terms(ki_dynamics *d, double t, const double *y);

/* Remembers that d->K holds the factors at (t, y). */
void ki_note_factors(ki_dynamics *d, double t, const double *y);

/* Solves M v' + J^T lambda = Q(lambda) for d->x = v' and d->lambda when Q depends on lambda (force_lambda.c).
 * K must be factored and d->at hold Q and xi. */
keel_status ki_solve_force_lambda(ki_dynamics *d, double t, const double *y);

/* Solves K (x, y) = (r, s); turns a residual that is too large into trouble. */
keel_status ki_solve_motion(ki_dynamics *d, double t, const double *r, const double *s, double *x, double *y);

/* Sets the penalty masses for the rest of the run, the automatic ones from the M and J that d->at holds. */
void ki_fix_penalty(ki_dynamics *d);

/* The constraints are known to be redundant: rows of J that nearly depend on each other, because a stage is
 * not quite on the constraints, are taken to depend on each other exactly. */
void ki_expect_redundancy(ki_dynamics *d);

/* out = M e (values of d->at.M) */
void ki_mass_times(const ki_dynamics *d, const double *e, double *out);

/* Remembers what went wrong; returns `status`. */
keel_status ki_trouble_at(ki_dynamics *d, keel_status status, ki_trouble_kind kind, double t, int index,
                          double amount);

/* True if all n values are finite; *index is the first that is not. */
bool ki_all_finite(const double *x, int n, int *index);

/* The two ends of every formulation: terms and the target s at (t, y) before; y' from v' in d->x and
 * d->lambda after. */
keel_status ki_begin_rate(ki_dynamics *d, double t, const double *y);
keel_status ki_end_rate(ki_dynamics *d, double t, const double *y, double *k);

/* All of ki_begin_rate and the solve for d->x and d->lambda by machine code. False where there is none, or
 * where something is out of the ordinary: nothing has happened then. */
bool ki_rate_by_code(ki_dynamics *d, double t, const double *y);

/* KEEL_ERROR_NOT_FINITE, with trouble that names the culprit, if Q or xi in d->at is not finite; the same for
 * f. */
keel_status ki_check_finite(ki_dynamics *d, double t);
keel_status ki_check_states(ki_dynamics *d, double t);

/* W' from the terms in d->at and d->lambda; zero for a system without energy. Needs KEEL_POWER, and for a
 * system with drivers KEEL_JACOBIAN and KEEL_VELOCITY. */
double ki_work_rate(const ki_dynamics *d, const double *v);

/* k = y' at (t, y) in the formulation of d->law. Leaves v' also in d->x, multipliers in d->lambda. */
keel_status ki_rate(ki_dynamics *d, double t, const double *y, double *k);

/* How rates are found where nothing but k matters, as in the stages of an explicit method: without refinement
 * where factors are good (KI_STAGE_CONDITION), by machine code if there is any. */
typedef struct ki_stages {
    bool plain;            /* v' comes from M, J, Q and xi and nothing else        */
    ki_stage_code by_code; /* ... and machine code finds it, if this is not NULL   */
    double *y;             /* the stage                                            */
} ki_stages;

/* Whether v' comes from M, J, Q and xi and nothing else, whoever evaluates them. */
bool ki_may_solve_once(const ki_dynamics *d);

/* Looked up once for stages that follow each other, all in the same y. */
ki_stages ki_begin_stages(ki_dynamics *d, double *y);

/* ki_rate of a stage, at t and the y of ki_begin_stages. Leaves neither factors in K nor v' in d->x to rely
 * on. y and k have room for whole fours (four.h). */
keel_status ki_stage_rate(ki_dynamics *d, ki_stages *stages, double t, double *k);

/* Combines and evaluates stages as long as machine code can, with Y = the y of ki_begin_stages: those from
 * run->now on are left for ki_stage_rate. */
void ki_stages_by_code(ki_dynamics *d, ki_stages *stages, ki_stage_run *run);

/* How fast the motion is, in 1/t: the largest of |v_j| / l_j and sqrt(|v'_j| / l_j) with the natural sizes
 * l_j. rate = y', or NULL: not at hand. */
double ki_motion_rate(const ki_dynamics *d, const double *y, const double *rate);

/* Takes the state y and its rate (NULL: not at hand) into how fast the motion is. True if automatic gains
 * have changed by that, so that rates found before are those of others. */
bool ki_follow_motion(ki_dynamics *d, const double *y, const double *rate);

/* Diagonal entries of K_D and K_P of row i, given or automatic; K_P is 0 for nonholonomic rows. */
void ki_diagonal_gains(const ki_dynamics *d, int i, double *K_D, double *K_P);

/* True if some gains are automatic. */
bool ki_has_automatic_gains(const ki_dynamics *d);

/* The formulations, one file each. */
keel_status ki_index1_rate(ki_dynamics *d, double t, const double *y, double *k);
keel_status ki_generalized_inverse_rate(ki_dynamics *d, double t, const double *y, double *k);
keel_status ki_penalty_rate(ki_dynamics *d, double t, const double *y, double *k);
keel_status ki_augmented_rate(ki_dynamics *d, double t, const double *y, double *k);
keel_status ki_independent_rate(ki_dynamics *d, double t, const double *y, double *k);
keel_status ki_partitioned_rate(ki_dynamics *d, double t, const double *y, double *k);

/* Partitions (partitioned.c): choice at (t, y), and dependent components of y solved from the constraints. */
keel_status ki_choose_partition(ki_dynamics *d, double t, const double *y);
keel_status ki_solve_dependent_position(ki_dynamics *d, double t, double *y);
keel_status ki_solve_dependent_velocity(ki_dynamics *d, double t, double *y);

#endif
