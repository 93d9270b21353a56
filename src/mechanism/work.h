/* work.h - the private scratch area of a mechanism, and the recursions that fill it.
 *
 * Each recursion is one pass over the bodies, from the ground outwards or back:
 *
 *     ki_place        q        -> poses, motion subspaces S in world axes (columns at the reference point)
 *     ki_move_bodies         v        -> twists, bias accelerations
 *     ki_accelerate   v'       -> twist'
 *     ki_gather       wrenches -> Q = sum over the subtree, S^T wrench
 *
 * A row's entries of J, w -> w^T d(twist)/dv, are walked from its bodies towards their common ancestor.
 */
#ifndef KI_MECHANISM_WORK_H
#define KI_MECHANISM_WORK_H

#include "mechanism/layout.h"
#include "mechanism/model.h"

/* What of the forces does not depend on the multipliers, at the last position and velocity
 * (forces/friction_lambda.c).
 */
typedef struct ki_dry_work {
    bool known; /* at this t */
    double t, power, potential;
    double *Q;     /* [n_v] without Coulomb friction */
    double *along; /* [columns] its direction in each joint */
    double *rate;  /* [count] its power for a unit of pressing force */
} ki_dry_work;

typedef struct ki_mech_work {
    ki_arena arena;
    ki_state *state;               /* [body_count] */
    double *angle, *sine, *cosine; /* [body_count] planar: of each body */
    double (*S)[6];      /* [n_v] columns, world axes, at the reference point r of their body; planar: then r,
                      of a body with coordinates of its own only in the first */
    double (*wrench)[6]; /* [body_count] on each body, about its reference point; after ki_gather on its
                            subtree */
    double (*added)[6];  /* [body_count] part of twist' that v' makes */
    double (*composite)[10]; /* [body_count] mass, first moment, inertia of its subtree */
    ki_row *rows;            /* [part_count] parts of the constraint rows */
    double *tau, *tau_rate;  /* [m] rheonomic parts: rate of the row, and its derivative */
    double potential;        /* of gravity and springs */
    double power;            /* of forces without a potential */
    double *inputs;          /* of formulas */
    double *near;            /* [wound_count] of angles up to whole turns, ... */
    bool is_followed;        /* ... once they were told */
    double *tape;            /* work of formulas, one after the other: see ki_formula_work */
    double *q, *v;           /* displaced point of the tangent */
    double *step;            /* [n_v] */
    double *residual[2];     /* [n_v + m] */
    double t;
    double *local_q; /* coordinates as the joints of the tree count them: without
                                  readings, minus where reversed */
    double *last_q,
        *last_v; /* of the last ki_place and ki_move_bodies, which do nothing for the same again */
    bool placed, moved;
    ki_dry_work dry;
    const keel_system *formulas; /* those of the mechanism, and their scratch area */
    void *formulas_work;
    double *z;     /* [state_count] first-order states of the last point */
    double *rate;  /* [state_count] scratch of their rates */
    double *asked; /* [n_q + n_v] where formulas with laws were asked last, to explain failures */
} ki_mech_work;

keel_status ki_mech_work_new(const keel_system *system, void **work);
void ki_mech_work_free(void *work);

void ki_place(const ki_mech *mech, ki_mech_work *w, const double *q);
void ki_move_bodies(const ki_mech *mech, ki_mech_work *w, const double *v);
void ki_accelerate(const ki_mech *mech, ki_mech_work *w, const double *v_rate);

/* Sets the wrench of every body to its weight minus (inertia x twist' + gyroscopic); with_rates: of
 * ki_state.twist_rate, else of .bias. Others add theirs. */
void ki_body_wrenches(const ki_mech *mech, ki_mech_work *w, bool with_rates);

/* Adds f w_b of a row to the wrenches of its two bodies. */
void ki_add_row_force(const ki_mech *mech, ki_mech_work *w, const int body[2], const ki_row *row, double f);

/* Adds the wrenches of each subtree up; Q = S^T of them (Q may be NULL). */
void ki_gather(const ki_mech *mech, ki_mech_work *w, double *Q);

/* M, entries of its pattern. */
void ki_mass_matrix(const ki_mech *mech, ki_mech_work *w, double *M);

/* Evaluates all constraint rows into w->rows, with tau and tau_rate of motions. */
void ki_constraint_rows(const ki_mech *mech, ki_mech_work *w, double t, ki_level level);

/* J, entries of its pattern, from w->rows. */
void ki_jacobian(const ki_mech *mech, ki_mech_work *w, double *J);

/* w_0 . x_0 + w_1 . x_1 of a row, with x = twist, bias or twist_rate of its bodies; those of the ground are
 * zero. */
double ki_row_rate(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row);
double ki_row_acceleration(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row);
static inline double ki_row_bias(const ki_mech *mech, const ki_mech_work *w, const int body[2],
                                 const ki_row *row) {
    const double *x = w->state[body[0]].bias, *y = w->state[body[1]].bias;
    const double *f = row->w[0], *g = row->w[1];
    if (mech->d == KI_PLANAR)
        return ki_dot3(f, x) + ki_dot3(g, y);
    return ki_dot3(f, x) + ki_dot3(f + 3, x + 3) + (ki_dot3(g, y) + ki_dot3(g + 3, y + 3));
}

double ki_kinetic(const ki_mech *mech, const ki_mech_work *w);

/* The row of a measure that is one (kinds up to KI_MEASURE_LENGTH). In measure.c. */
void ki_measure_row(const ki_mech *mech, ki_mech_work *w, const ki_measure *measure, ki_level level,
                    ki_row *row);

/* Component k of the rotation vector d with R_0^T R_1 = exp([d]) target, in axes of body 0 as drawn; target
 * NULL: the identity. Without gamma. In measure.c. */
void ki_turn_row(const ki_state *s0, const ki_state *s1, const double target[9], int k, ki_row *row);

#endif
