/* ida_matrix.h - the exact matrix dF/dy + cj dF/dy' of the equations of Gear, Gupta and Leimkuhler, sparse,
 * mu = 0:
 *
 *                  q            v         lambda   mu
 *     q' - v     cj I          -I                  J^T
 *     motion     K          cj M + C      J^T
 *     Phi        J
 *     J v        rate_q         J
 */
#ifndef BENCH_IDA_MATRIX_H
#define BENCH_IDA_MATRIX_H

#include "keel/system.h"

#include <sunmatrix/sunmatrix_sparse.h>

typedef struct ida_matrix ida_matrix;

/* The system must give `tangent` and `rate_q`. */
ida_matrix *ida_matrix_new(const keel_system *system);
void ida_matrix_free(ida_matrix *matrix);

/* Entries; pattern into a compressed-column matrix; values at a point. */
int ida_matrix_count(const ida_matrix *matrix);
void ida_matrix_pattern(const ida_matrix *matrix, SUNMatrix to);
void ida_matrix_fill(ida_matrix *matrix, double t, double cj, const double *y, const double *y_rate,
                     SUNMatrix to);

#endif
