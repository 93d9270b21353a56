/* sharing.h - the multipliers of all constraints from those of the constraints that are held.
 *
 * Repeated constraints share their load with those that they repeat. Of all multipliers with the same force,
 * J^T lambda = J^T lambda_0, the shortest are
 *
 *     lambda = P lambda_0,        P the orthogonal projection on the range of J,
 *
 * lambda_0 being zero for the constraints that are not held. P is the identity but for groups of rows that
 * depend on each other: each has a projection of its own, u_1 u_1^T + ... + u_r u_r^T, with as many
 * orthonormal u as rows of the group are held, from the columns of J, the one of which most is left first.
 */
#ifndef KI_SHARING_H
#define KI_SHARING_H

#include <stdbool.h>
#include <stddef.h>

#include "keel/system.h"

typedef struct ki_sharing ki_sharing;

/* Of `whole`, whose rows `held` are held; group_of[i]: the group of row i, counted from 0; -1: its multiplier
 * is unique. NULL when out of memory. */
ki_sharing *ki_sharing_new(const keel_system *whole, const bool *held, const int *group_of);
void ki_sharing_free(ki_sharing *sharing);

/* How many numbers the vectors u of all groups, and the work of finding them, take. */
size_t ki_sharing_size(const ki_sharing *sharing);

/* Finds the vectors u for the values of J; at the same place in every call. */
void ki_sharing_find(const ki_sharing *sharing, const double *J, double *u);

/* lambda [m] <- P lambda */
void ki_share(const ki_sharing *sharing, double *u, double *lambda);

/* The group of a row, -1: none; its rows, and how many there are. P between two of them, by their numbers. */
int ki_sharing_group(const ki_sharing *sharing, int row);
int ki_sharing_rows(const ki_sharing *sharing, int group, const int **row);
double ki_shared_part(const ki_sharing *sharing, const double *u, int group, int i, int j);

#endif
