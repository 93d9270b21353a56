/* partition.h - dependent and independent coordinates.
 *
 * J x = b with J of rank r: r dependent components x_d are solved from the constraints, the others x_i are
 * kept,
 *
 *     J_d x_d = b - J_i x_i
 *
 * Any r components with a regular J_d will do, but not equally well. The projective criterion (Terze, Naudet
 * and Lefeber) looks at the angle between a coordinate's direction and the constraint gradients, in the mass
 * metric and with the dual base vectors:
 *
 *     d_i = 1 - [M^-1 J^T (J M^-1 J^T)^+ J M^-1]_ii / [M^-1]_ii        0: along the gradients, 1: along the
 * constraint surface
 *
 * The coordinates with the smallest d_i become dependent: correcting them moves the state straight to the
 * constraints. With M = L L^T, U an orthonormal basis of the columns of L^-1 J^T:
 *
 *     d_i = 1 - |row i of L^-T U|^2 / |row i of L^-T|^2
 *
 * J_d has as many rows as there are constraints, dependent ones included, and full column rank: it is solved
 * by a QR factorization, so that a constraint written twice changes nothing.
 *
 * All of this is dense. Large systems compute the same from sparse factors (partition_large.h).
 */
#ifndef KI_PARTITION_H
#define KI_PARTITION_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/pattern.h"

typedef enum ki_partition_choice {
    KI_PARTITION_BEST,   /* smallest d_i dependent                                         */
    KI_PARTITION_SECOND, /* the best but for the exchange of one pair that costs the least */
    KI_PARTITION_WORST   /* largest d_i dependent, as far as J_d stays regular             */
} ki_partition_choice;

struct ki_partition_large;

typedef struct ki_partition {
    int n, m;           /* columns and rows of J */
    double least;       /* rows whose independent part is shorter than this (relative) are dependent */
    int rank;           /* of J: the number of dependent components; 0 before the first choice */
    int *dependent;     /* [n] their numbers, increasing */
    bool *is_dependent; /* [n] */
    double *d;          /* [n] the projections d_i */

    double *M;       /* [n x n] Cholesky factor L     */
    double *rows;    /* [m x n] rows of J, then U^T   */
    double *columns; /* [n x m] columns of J          */
    double *basis;   /* [n x m] orthonormal columns   */
    double *QR;      /* [n x m] columns of J_d, factored: column k holds its reflection below R's entries */
    double *beta;    /* [n]     of the reflections    */
    double *R;       /* [n x n] upper triangle        */
    double *work;    /* [max(n, m)] */
    int *order;      /* [n] */

    struct ki_partition_large *large; /* in the place of all from M on; NULL: a small system */
} ki_partition;

/* Takes its memory from the arena; failure shows in arena->failed. */
void ki_partition_init(ki_partition *p, ki_arena *arena, int n, int m);

/* The same for matrices of these patterns, which must live longer, sparse from a size on. False when out of
 * memory; ki_partition_clear in any case. */
bool ki_partition_init_for(ki_partition *p, ki_arena *arena, keel_pattern M, keel_pattern J);
void ki_partition_clear(ki_partition *p);

/* Chooses dependent components from M (lower triangle) and the first p->m rows of J. Returns true if the
 * choice differs from the one before. A mass matrix that is not positive definite is replaced by the
 * identity. */
bool ki_partition_choose(ki_partition *p, keel_pattern M, const double *M_values, keel_pattern J,
                         const double *J_values, ki_partition_choice choice);

/* Factors J_d for the present choice. False if it is singular: the choice must be made anew. */
bool ki_partition_factor(ki_partition *p, keel_pattern J, const double *J_values);

/* x [n]: x_d = least-squares solution of J_d x_d = b, zero elsewhere. b [m] is overwritten. */
void ki_partition_solve(const ki_partition *p, double *b, double *x);

#endif
