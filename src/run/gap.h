/* gap.h - how far the rows of J are from becoming dependent, or more dependent than they always are.
 *
 * Displacements count in their natural sizes (formulate/scales.h). Each row of J is divided by its largest
 * length so far (a row that vanishes must not be blown up again), and what the rows before it leave of it,
 * orthogonal to them all, is a length between 0 and 1. As many of these lengths vanish as J has dependent
 * rows. The gap is number `rank` of them by size, rank being that of the start: it falls to zero where J
 * loses rank.
 *
 * In small systems the rows are orthogonalised anew, the longest rest first (a pivoted QR factorization, m^2
 * n multiplications), which is exact to 1e-15. In larger ones the lengths are taken from the saddle-point
 * kernel: the pivot of row i in S = J M^-1 J^T is the square of what the rows eliminated before it leave of
 * it, in the norm of M^-1. Squares end at round-off: such a gap is exact to 1e-8, and costs O(m).
 *
 * A gap says nothing about what it did between two steps. But a pose passed in between leaves a trace: let y
 * be a vector with J^T y small, and x = M^-1 J^T y. At the next step one inverse iteration brings it up to
 * date,
 *
 *     S y' = y,   x' = M^-1 J'^T y'         and       x'^T M x = y'^T J' x
 *
 * is |y|^2 > 0 as long as J has not changed, whatever y is, and negative when J' y' has changed its sign.
 */
#ifndef KI_GAP_H
#define KI_GAP_H

#include "formulate/dynamics.h"

typedef struct ki_gap {
    bool by_pivots;
    int rank;         /* of J at the start                           */
    double *length;   /* [m] largest length of each row so far       */
    double *left;     /* [m] what was left of each row, of the last measurement; by size if !by_pivots */
    bool *dependent;  /* [m] with pivots: nothing was left of the row at the start */
    double *sorted;   /* [m] scratch                                 */
    double *rows;     /* [m x n in whole fours] scratch, NULL with pivots */
    double *combined; /* [m x (n + m)] scratch, NULL with pivots    */
    double *y, *x;    /* [m], [n] a direction with J^T y small, rows of unit length, and M^-1 J^T y */
    double *x_new;    /* [n] scratch                                 */
} ki_gap;

/* The rate at which the gap can change at most, as far as velocities tell; 0: not known. */
double ki_gap_speed(const keel_system *system, const double *y);

/* Memory from the arena (it may fail); the rank from d, at the start. */
void ki_gap_init(ki_gap *gap, ki_arena *arena, ki_dynamics *d, int rank);

/* Brings the matrices of d to (t, y), as far as a measurement needs them. */
keel_status ki_gap_prepare(const ki_gap *gap, ki_dynamics *d, double t, const double *y);

/* The gap where d has its matrices. */
double ki_gap_measure(ki_gap *gap, ki_dynamics *d);

/* Which rows take part in the dependencies of J in d, rests of `least` and shorter counted as zero: part [m]
 * is the largest component of y in an orthonormal basis of {y: J^T y = 0}. Not with pivots. */
void ki_gap_parts(ki_gap *gap, const ki_dynamics *d, double least, double *part);

/* Follows y and x to where d is factored; true if J^T y has changed its sign since the last call. */
bool ki_gap_turned(ki_gap *gap, ki_dynamics *d);

/* The rank there, lengths of `least` and shorter counted as zero. */
int ki_gap_rank(ki_gap *gap, const ki_dynamics *d, double least);

#endif
