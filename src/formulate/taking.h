/* taking.h - the parts of a look at which rows are independent: for the files of independence.h only. */
#ifndef KI_TAKING_H
#define KI_TAKING_H

#include "formulate/independence.h"

/* Classes of rows, in the order in which they are taken. */
enum { JOINTS, MOTIONS, NONHOLONOMIC, CLASSES };

/* What ends the taking. */
typedef struct taking {
    const bool *among;   /* NULL: all rows  */
    const bool *without; /* NULL: no row    */
    int classes;         /* of the first so many */
    int most;            /* rows at the most    */
    double floor;        /* of all limits       */
    const int
        *ranks; /* [classes] as many rows of each class, whatever is left of them; NULL: by the limits */
} taking;

/* Takes rows of H; returns how many. */
int ki_take_all(ki_independence *look, taking by);

/* Tells look->row and look->class_rank from what was taken. */
void ki_list_taken(ki_independence *look);

/* Row i of H: what is left of it, or a unit vector of the basis once it is taken. */
double *ki_row_of(const ki_independence *look, int i);

double ki_length(int n, const double *x);

#endif
