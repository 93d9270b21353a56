/* coupling.h - constraints that depend on auxiliary unknowns: derivatives through s(q,t).
 *
 * Unknowns and equations fall into independent components, each with as many equations r(q,s,t) = 0 as
 * unknowns s [k]. For the holonomic rows Phi(q,s,t) that depend on the s of a component, with w = s':
 *
 *     r_s w = -(r_q v + r_t)                       velocity of s
 *     J     = Phi_q - Phi_s X,   r_s X = r_q       position level, X [k x n_cols]
 *     rate  = D Phi                                D: q' = v, s' = w, t' = 1, v and w held
 *     xi    = -D D Phi + Phi_s u,  r_s u = D D r   since s'' = -X v' - u
 *
 * Nonholonomic rows Psi(q,v,s,t) need only w: xi = -D Psi. Each evaluation therefore first runs one tape for
 * r_s, r_q v + r_t, r_q and Phi_s, factors the small r_s and puts w into the inputs; then the program proper
 * computes Phi_q, D Phi, -D D Phi, -D Psi; then J and xi are completed.
 */
#ifndef KI_EQUATIONS_COUPLING_H
#define KI_EQUATIONS_COUPLING_H

#include "equations/builder.h"

typedef struct ki_component {
    int k;               /* unknowns */
    const int *s;        /* [k] which */
    const int *equation; /* [k] and the equations that determine them */
    int n_cols;          /* coordinates in these equations */
    const int *cols;     /* [n_cols] increasing */
    /* where its numbers start in the answers of the first tape ... */
    int r_s;  /* [k x k], row-major; factored in place */
    int rate; /* [k] r_q v + r_t, then w */
    int r_q;  /* [n_cols x k], column after column; then X */
    /* ... of the second tape, and among the pivots */
    int curvature; /* [k] D D r, then u */
    int pivot;
} ki_component;

/* A holonomic row that depends on the unknowns of a component. */
typedef struct ki_through {
    int row, component;
    int Phi_s;       /* [k] in the answers of the first tape */
    const int *slot; /* [n_cols] where the columns of the component stand in the values of J */
} ki_through;

struct ki_coupling {
    int components, throughs;
    ki_component *component;
    ki_through *through;
    ki_tape *first, *second;
    int first_count, second_count, pivots; /* numbers in the answers, and pivots, of all components */
};

/* Finds the components behind the auxiliaries that constraints use (b->s_used) and widens the rows of J. */
void ki_find_components(ki_builder *b);

/* The tapes, once J is complete. */
bool ki_build_coupling(ki_builder *b);

/* Run time: `before` a program that gives J, rate or xi, and `after` it. */
keel_status ki_coupling_before(const ki_coupling *coupling, const ki_inputs *inputs, ki_work *work);
void ki_coupling_after(const ki_coupling *coupling, ki_work *work, unsigned what, keel_terms *terms);
void ki_coupling_free(ki_coupling *coupling);

#endif
