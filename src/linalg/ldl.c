#include "linalg/ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The entries of L by rows, from those by columns; next is [size] scratch. */
static void find_rows(ki_ldl *F, int *next) {
    int size = F->size;
    for (int p = 0; p < F->start[size]; p++)
        F->row_start[F->row[p] + 1]++;
    for (int k = 0; k < size; k++) {
        F->row_start[k + 1] += F->row_start[k];
        next[k] = F->row_start[k];
    }
    for (int j = 0; j < size; j++)
        for (int p = F->start[j]; p < F->start[j + 1]; p++) {
            int q = next[F->row[p]]++;
            F->column[q] = j;
            F->place[q] = p;
        }
}

static void *copy_ints(ki_arena *arena, const int *from, int count) {
    int *to = KI_NEW(arena, int, count);
    if (to && count)
        memcpy(to, from, (size_t)count * sizeof(int));
    return to;
}

static bool allocate(ki_ldl *F, const ki_lower *A, const int *diagonal, ki_arena *arena, long entries) {
    size_t size = (size_t)F->size;
    F->A_start = copy_ints(arena, A->start, F->size + 1);
    F->A_column = copy_ints(arena, A->column, A->start[F->size]);
    F->A_source = copy_ints(arena, A->source, A->start[F->size]);
    F->diagonal = copy_ints(arena, diagonal, F->size);
    F->start = KI_NEW(arena, int, size + 1);
    F->row_start = KI_NEW(arena, int, size + 1);
    F->d_inverse = KI_NEW(arena, double, size);
    F->work = KI_NEW(arena, double, size);
    F->row = KI_NEW(arena, int, entries);
    F->value = KI_NEW(arena, double, entries);
    F->column = KI_NEW(arena, int, entries);
    F->place = KI_NEW(arena, int, entries);
    return !arena->failed;
}

bool ki_ldl_analyse(ki_ldl *F, const ki_lower *A, const int *diagonal, ki_arena *arena) {
    int size = F->size = A->size;
    int *scratch = malloc((3 * (size_t)size + 1) * sizeof(int));
    int *parent = scratch, *mark = scratch + size, *next = scratch + 2 * size;
    if (!scratch)
        return false;
    long entries = ki_tree(A, parent, next, mark);
    bool made = entries >= 0 && allocate(F, A, diagonal, arena, entries);
    if (made) {
        for (int j = 0; j < size; j++) {
            F->start[j + 1] = F->start[j] + next[j];
            next[j] = F->start[j];
        }
        ki_fill_columns(A, parent, mark, next, F->row);
        find_rows(F, next);
    }
    free(scratch);
    return made;
}

/* Row k of L from its entries q of [begin, end): returns the sum of l_kj^2 d_j. */
static double eliminate(ki_ldl *F, int begin, int end) {
    double *work = F->work, *value = F->value, sum = 0;
    for (int q = begin; q < end; q++) {
        int j = F->column[q], place = F->place[q];
        double w = work[j];
        work[j] = 0;
        for (int p = F->start[j]; p < place; p++)
            work[F->row[p]] -= value[p] * w;
        value[place] = w * F->d_inverse[j];
        sum += value[place] * w;
    }
    return sum;
}

/* Puts row k of A into `work`; returns its diagonal entry. */
static inline double take_row(ki_ldl *F, const double *values, int k) {
    for (int p = F->A_start[k]; p < F->A_start[k + 1]; p++)
        F->work[F->A_column[p]] = values[F->A_source[p]];
    return values[F->diagonal[k]];
}

bool ki_ldl_factor(ki_ldl *F, const double *values, const double *least, bool *failed) {
    bool all = true;
    for (int k = 0; k < F->size; k++) {
        double diagonal = take_row(F, values, k);
        double pivot = diagonal - eliminate(F, F->row_start[k], F->row_start[k + 1]);
        failed[k] = !(pivot > KI_PIVOT_NOISE_A * diagonal && pivot > (least ? least[k] : 0));
        F->d_inverse[k] = failed[k] ? 0 : 1 / pivot;
        all &= !failed[k];
    }
    return all;
}

/* A row of L without entries is the common case, a coordinate without mass: e_k itself. */
static bool is_unit_row(const ki_ldl *F, int k) {
    for (int q = F->row_start[k]; q < F->row_start[k + 1]; q++)
        if (F->value[F->place[q]] != 0)
            return false;
    return true;
}

int ki_ldl_direction(ki_ldl *F, int k, int *at, double *z) {
    double *work = F->work;
    int count = 0, first = is_unit_row(F, k) ? k : 0;
    work[k] = 1;
    for (int j = k; j >= first; j--) {
        for (int p = F->start[j]; p < F->start[j + 1] && F->row[p] <= k; p++)
            work[j] -= F->value[p] * work[F->row[p]];
        if (work[j] == 0)
            continue;
        at[count] = j;
        z[count++] = work[j];
    }
    for (int c = 0; c < count; c++)
        work[at[c]] = 0;
    return count;
}

void ki_ldl_half(const ki_ldl *F, double *b) {
    for (int j = 0; j < F->size; j++) {
        double b_j = b[j];
        for (int p = F->start[j]; p < F->start[j + 1]; p++)
            b[F->row[p]] -= F->value[p] * b_j;
        b[j] = b_j * sqrt(F->d_inverse[j]);
    }
}

void ki_ldl_half_back(const ki_ldl *F, double *b) {
    for (int j = F->size - 1; j >= 0; j--) {
        double b_j = b[j] * sqrt(F->d_inverse[j]);
        for (int p = F->start[j]; p < F->start[j + 1]; p++)
            b_j -= F->value[p] * b[F->row[p]];
        b[j] = b_j;
    }
}
