#include "linalg/row_basis.h"

#include <stdlib.h>
#include <string.h>

bool ki_row_basis_init(ki_row_basis *basis, keel_pattern J) {
    size_t m = (size_t)J.rows + 1, n = (size_t)J.cols + 1, count = (size_t)keel_pattern_count(J) + 1;
    *basis = (ki_row_basis){.J = J};
    basis->row = calloc(m, sizeof(int));
    basis->column = calloc(m, sizeof(int));
    basis->row_place = calloc(m, sizeof(int));
    basis->column_place = calloc(n, sizeof(int));
    basis->start = calloc(m + 1, sizeof(int));
    basis->index = calloc(count, sizeof(int));
    basis->entry = calloc(count, sizeof(int));
    basis->values = calloc(count, sizeof(double));
    basis->b = calloc(m, sizeof(double));
    return basis->row && basis->column && basis->row_place && basis->column_place && basis->start &&
           basis->index && basis->entry && basis->values && basis->b;
}

void ki_row_basis_clear(ki_row_basis *basis) {
    void *all[] = {basis->row,          basis->column, basis->row_place,
                   basis->column_place, basis->start,  basis->index,
                   basis->entry,        basis->values, basis->b};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    ki_lu_free(basis->lu);
    *basis = (ki_row_basis){0};
}

/* The entries of the block: rows by place, columns within a row in the order of J's. */
static void collect_block(ki_row_basis *basis) {
    int count = 0;
    for (int k = 0; k < basis->rank; k++) {
        int i = basis->row[k];
        for (int p = basis->J.start[i]; p < basis->J.start[i + 1]; p++) {
            int place = basis->column_place[basis->J.index[p]];
            if (place < 0)
                continue;
            basis->index[count] = place;
            basis->entry[count++] = p;
        }
        basis->start[k + 1] = count;
    }
}

/* Numbers the marked ones among `count` in increasing order, so that the rows of the block are sorted as
 * those of J. */
static void number(int count, int rank, const int *chosen, int *list, int *place) {
    for (int i = 0; i < count; i++)
        place[i] = -1;
    for (int k = 0; k < rank; k++)
        place[chosen[k]] = 0;
    for (int i = 0, k = 0; i < count; i++)
        if (place[i] == 0) {
            list[k] = i;
            place[i] = k++;
        }
}

keel_status ki_row_basis_choose(ki_row_basis *basis, int rank, const int *row, const int *column) {
    ki_lu_free(basis->lu);
    basis->lu = NULL;
    basis->rank = rank;
    number(basis->J.rows, rank, row, basis->row, basis->row_place);
    number(basis->J.cols, rank, column, basis->column, basis->column_place);
    collect_block(basis);
    if (rank == 0)
        return KEEL_OK;
    basis->lu = ki_lu_new_sparse((keel_pattern){rank, rank, basis->start, basis->index});
    basis->rank = basis->lu ? rank : 0;
    return basis->lu ? KEEL_OK : KEEL_ERROR_MEMORY;
}

bool ki_row_basis_factor(ki_row_basis *basis, const double *J) {
    for (int p = 0; p < basis->start[basis->rank]; p++)
        basis->values[p] = J[basis->entry[p]];
    return basis->rank == 0 || ki_lu_factor(basis->lu, basis->values) == KEEL_OK;
}

double ki_row_basis_quality(const ki_row_basis *basis) {
    return basis->rank == 0 ? 1 : ki_lu_pivot_ratio(basis->lu);
}

void ki_row_basis_solve(const ki_row_basis *basis, const double *b, double *x) {
    for (int k = 0; k < basis->rank; k++)
        basis->b[k] = b[basis->row[k]];
    if (basis->rank)
        ki_lu_solve(basis->lu, basis->b);
    memset(x, 0, (size_t)basis->J.cols * sizeof *x);
    for (int k = 0; k < basis->rank; k++)
        x[basis->column[k]] = basis->b[k];
}
