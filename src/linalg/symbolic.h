/* symbolic.h - where a symmetric matrix fills in: the elimination tree and the columns of L (Liu 1986). */
#ifndef KI_SYMBOLIC_H
#define KI_SYMBOLIC_H

#include <stdbool.h>

#include "keel/pattern.h"

/* The strictly lower rows of a symmetric matrix in the order of elimination, each entry with the place of its
 * value in [A | J]. */
typedef struct ki_lower {
    int size;
    int *start, *column, *source; /* [size + 1], [entries] */
} ki_lower;

/* [A J^T; J .] with unknown i of A at place[i] and row i of J at place[n + i]; A alone if J has no rows.
 * False when out of memory; ki_lower_clear frees in any case. */
bool ki_lower_make(ki_lower *lower, keel_pattern A, keel_pattern J, const int *place);
void ki_lower_clear(ki_lower *lower);

/* Column j of L has count[j] entries below its diagonal, the first of them in row parent[j] (-1: none). mark
 * is [size] scratch. The number of all entries; -1 if there are more than an int can count. */
long ki_tree(const ki_lower *lower, int *parent, int *count, int *mark);

/* Multiplications of a factorization whose columns have so many entries. */
double ki_factor_work(int size, const int *count);

/* Rows of the columns of L, increasing: those of column j from row[next[j]], which moves on. */
void ki_fill_columns(const ki_lower *lower, int *parent, int *mark, int *next, int *row);

/* `order` with the children of the tree directly before their parents, the one with most entries last: what
 * is eliminated stays the same, columns that fill in alike become neighbours. scratch is [4 x size]. */
void ki_postorder(int size, const int *parent, const int *count, int *order, int *scratch);

#endif
