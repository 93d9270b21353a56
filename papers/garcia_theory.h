/* garcia_theory.h - the propositions of the paper of garcia.c, tried on random systems. */
#ifndef PAPERS_GARCIA_THEORY_H
#define PAPERS_GARCIA_THEORY_H

#include "keel/status.h"

enum { KI_GARCIA_SYSTEMS = 240 };

/* Worst cases over all systems; relative to what they are differences of. */
typedef struct ki_garcia_projections {
    double equation_4, equation_7, equation_21; /* residuals                                             */
    double definite;     /* smallest eigenvalue of A + alpha J^T J over that of A: 1 or more             */
    double compatible;   /* what a projection changes of a compatible velocity (proposition 1)           */
    double incompatible; /* |J v| over its lower bound: 1 or more                                        */
    double no_energy;    /* Delta E_p of compatible velocities (proposition 2)                           */
    double forms,
        kernel; /* remark 4: x^T D x - x^T D^s x; 2 |D^s x| for compatible x over the size of its terms */
    int ranks, indefinite; /* proposition 3: rank B = rank J; systems in which (M A^-1)^s is indefinite    */
    int losses, tries;     /* B^s semidefinite, incompatible velocities: Delta E_p < 0; how many           */
    int cases_4, cases_2, gains_2; /* proposition 5: systems of either case, gains found in case II        */
    int mass_gains, mass_tries;    /* proposition 6: A = M                                               */
    double forces; /* remark 2: Delta E_p with and without forces                                  */
} ki_garcia_projections;

/* Projections of random velocities of KI_GARCIA_SYSTEMS systems. */
keel_status ki_garcia_try_projections(ki_garcia_projections *t);

enum { KI_GARCIA_TRAPEZOIDAL, KI_GARCIA_MIDPOINT, KI_GARCIA_CONSERVING, KI_GARCIA_RULES };

/* Worst cases over systems: how far the energies are from those of the equations, what the constraint forces
 * leave, and the largest and smallest energies that a step made. */
typedef struct ki_garcia_rule {
    double off, left, most, least;
} ki_garcia_rule;

/* One step of each rule from 24 systems without forces. */
keel_status ki_garcia_try_steps(ki_garcia_rule rule[KI_GARCIA_RULES]);

/* Remark 3: the largest change of the energy along exact motions of random systems. */
keel_status ki_garcia_try_motions(double *change);

#endif
