/* ida_equations.h - the implicit equations F(t, Y, Y') = 0 that IDA solves, and their Newton matrix.
 *
 *     Y = (q, v, z, W, lambda)   index1            Y = (q, v, z, W, lambda, mu)   ggl
 *
 *     q' - N v = 0                                 q' - N (v - S^2 G^T mu) = 0
 *     M v' + J^T lambda - Q = 0                    M v' + J^T lambda - Q = 0
 *     z' - f = 0,  W' - power = 0                  z' - f = 0,  W' - power = 0
 *     J v' - xi = 0                                J v - tau = 0 (holonomic),  Psi = 0 (nonholonomic)
 *                                                  Phi = 0
 *
 * ggl is the stabilised index-2 form (Gear, Leimkuhler, Gupta 1985): mu, one for each holonomic row, makes
 * room for Phi = 0 beside its derivative and is zero along the exact motion. Auxiliary unknowns are solved
 * for at every evaluation.
 *
 * The Newton matrix is F_Y + c F_Y'. With gamma = 1/c, the equations that contain derivatives multiplied
 * by gamma and the unknowns gamma lambda, gamma mu, all its entries keep their size when the step goes to
 * zero:
 *
 *     [ I          -gamma I       0                                 G^T    ]   q
 *     [ gamma R_q  M + gamma R_v  gamma R_z      J^T - Q_lambda            ]   v
 *     [ gamma R_q  gamma R_v      I + gamma R_z                            ]   z
 *     [ gamma R_q  J + gamma R_v  gamma R_z                                ]   lambda, index1
 *     [ rate_q     J                                                       ]   lambda, ggl
 *     [ G                                                                  ]   mu
 *
 * with the rows of motion, states and constraints R_q, R_v, R_z of the system's tangent. Left out: what
 * G^T mu changes with q, and f with lambda. With q' = N(q) v the first block has n_v rows and columns, for
 * displacements in velocity coordinates: chart.h.
 *
 * Constraints that depend on others at the start are dropped: lambda = 0 and mu = 0 stand in their place.
 * (A matrix made regular in some other way lets the undetermined part of their multipliers grow until only
 * round-off is left.)
 *
 * Systems that give no tangent, or with q' = N(q) v but no N^+ (`pull`): the matrix by differences of F,
 * dense, one evaluation for each component of Y.
 */
#ifndef KI_IDA_EQUATIONS_H
#define KI_IDA_EQUATIONS_H

#include "formulate/dynamics.h"
#include "integrate/chart.h"
#include "linalg/lu.h"
#include "linalg/slots.h"

typedef struct ki_ida_equations {
    ki_dynamics *dynamics;
    bool ggl;
    bool exact;     /* the matrix from the tangent; otherwise by differences             */
    int size;       /* of Y                                                              */
    int lambda, mu; /* where they begin in Y; lambda = n_y                               */
    double gamma;   /* of the matrix that is factored; 0: none                            */
    double *v_free; /* [n_v] v - S^2 G^T mu                                               */
    bool *dropped;  /* [m] rows that depend on others                                     */
    ki_lu *lu;
    keel_pattern pattern;
    double *values;         /* of the pattern                                                    */
    ki_slots slots;         /* one for each entry that `assemble` puts, in its order             */
    int placed;             /* entries put so far                                                */
    int shift;              /* n_q - n_v: what Y is longer than the matrix from the tangent      */
    ki_chart chart;         /* where last linearised                                             */
    double *rhs;            /* [size - shift]                                                    */
    double *beta, *turned;  /* [n_v], [n_q] of the right-hand side                               */
    double *Y, *Y_rate, *F; /* [size] scratch of differences                                     */
    ki_arena arena;
} ki_ida_equations;

/* For the formulation of d->law, index1 or ggl. (t, y): a consistent state, which decides what to drop if
 * the workspace expects redundant constraints. ki_ida_equations_clear must be called after a failure too.
 */
keel_status ki_ida_equations_init(ki_ida_equations *e, ki_dynamics *d, double t, const double *y);
void ki_ida_equations_clear(ki_ida_equations *e);

/* F(t, Y, Y'). Leaves lambda in the workspace. A failure has its trouble there. */
keel_status ki_ida_residual(ki_ida_equations *e, double t, const double *Y, const double *Y_rate, double *F);

/* Factors F_Y + c F_Y' at (t, Y, Y'), where F is the residual. KEEL_ERROR_SINGULAR: try another c. */
keel_status ki_ida_factor(ki_ida_equations *e, double t, double c, const double *Y, const double *Y_rate,
                          const double *F);

/* b <- (F_Y + c F_Y')^-1 b with the factors at hand. */
void ki_ida_solve(ki_ida_equations *e, double *b);

/* x <- (F_Y + c F_Y')^-1 c F_Y' x: of the difference x of two states near each other, the part that the
 * differential equations have to answer for. In ggl the part along the gradients of the constraints goes:
 * positions and velocities have none but what the constraints say. Does nothing while there are
 * no factors. */
void ki_ida_filter(ki_ida_equations *e, double *x);

#endif
