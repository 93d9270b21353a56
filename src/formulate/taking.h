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

/* Smaller parts of a self-stress are none. */
double ki_least_share(const ki_independence *look);

/* A number in [-1, 1]. */
double ki_noise(unsigned *random);

/* In place of what is left of a row that is not to be taken. */
#define KI_NEVER_TAKEN (-1.0)

/* The same for large systems (taking_large.c). */
int ki_take_large(ki_independence *look, taking by);
void ki_close_large(ki_independence *look, const double *value, double *x);
void ki_tangent_large(ki_independence *look, double *x);
/* y = -c with c H = H_d, c in the rows taken. */
keel_status ki_combine_large(const ki_independence *look, int d, double *y);
int ki_freedoms_large(const ki_independence *look, double *x);
int ki_self_stresses_large(const ki_independence *look, double *y, bool *shared);

#endif
