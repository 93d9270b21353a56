/* row_choice.h - independent rows of a large sparse matrix, by elimination.
 *
 *     H [m x n]      rows T and columns C are taken one pair after the other, so that H_TC has an inverse
 *
 * Gaussian elimination with exchanges of rows and columns. A pivot is no smaller than a part of the largest
 * entry of its row and of its column ("rook pivoting": Neal and Poole, Linear Algebra and its Applications
 * 173, 1992; Foster, Journal of Computational and Applied Mathematics 86, 1997), so that what is left of a
 * row tells how independent it is of those before; among those the one that fills in least (Markowitz). Rows
 * of which much is left come first: a row that nearly follows from others is judged when nothing better is
 * left.
 *
 * What elimination leaves of a row is at least as long as what an orthogonal projection leaves: rows
 * that it calls dependent are.
 */
#ifndef KI_ROW_CHOICE_H
#define KI_ROW_CHOICE_H

#include <stdbool.h>

#include "keel/pattern.h"
#include "keel/status.h"

typedef struct ki_row_choice ki_row_choice;

/* NULL when out of memory. */
ki_row_choice *ki_row_choice_new(int rows, int columns);
void ki_row_choice_free(ki_row_choice *choice);

/* A new matrix, of which nothing is taken. Rows marked in `without` (NULL: none) are not there. */
keel_status ki_row_choice_load(ki_row_choice *choice, keel_pattern P, const double *values,
                               const bool *without);

/* Takes further rows, of those marked in `among`, until `most` are taken in all or no more than least[i] is
 * left of any. */
keel_status ki_row_choice_take(ki_row_choice *choice, const bool *among, const double *least, int most);

int ki_row_choice_count(const ki_row_choice *choice);

/* Row and column number k that were taken, and what was left of the row. */
int ki_row_choice_row(const ki_row_choice *choice, int k);
int ki_row_choice_column(const ki_row_choice *choice, int k);
double ki_row_choice_length(const ki_row_choice *choice, int k);

/* How many numbers are kept of the rows that were taken and of their multiples: what it costs to use them. */
long ki_row_choice_numbers(const ki_row_choice *choice);

/* What is left of a row that was not taken; negative for those that are not there. */
double ki_row_choice_rest(const ki_row_choice *choice, int row);

/* H_T x = b: x [n] is given in the columns that are not in C, and found in those that are. b [m] is
 * overwritten. */
void ki_row_choice_solve(const ki_row_choice *choice, double *b, double *x);

/* sum_{i in T} c_i H_i = w in the columns C: c [m], zero in the other rows. w [n] becomes what is left of it.
 * KEEL_ERROR_MEMORY. */
keel_status ki_row_choice_combine(ki_row_choice *choice, double *w, double *c);

#endif
