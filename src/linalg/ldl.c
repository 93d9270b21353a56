#include "linalg/ldl.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Row k of L has the columns on the paths of the elimination tree from the columns of K[k,:] up to k (Liu
 * 1986). Counts them in next[], or, when `row` is given, writes k at next[] of each. */
static void walk_row(const ki_ldl *F, int k, int *parent, int *mark, int *next, int *row) {
    mark[k] = k;
    for (int p = F->K_start[k]; p < F->K_start[k + 1]; p++)
        for (int j = F->K_column[p]; mark[j] != k; j = parent[j]) {
            if (parent[j] < 0)
                parent[j] = k;
            mark[j] = k;
            if (row)
                row[next[j]] = k;
            next[j]++;
        }
}

/* counts -> places, [size + 1]; false if there are more than an int can count */
static bool add_up(int size, const int *count, int *start) {
    long total = 0;
    for (int j = 0; j < size; j++) {
        start[j] = (int)total;
        total += count[j];
        if (total > INT_MAX)
            return false;
    }
    start[size] = (int)total;
    return true;
}

/* Columns of L, from the elimination tree; scratch is [3 x size]. */
static bool find_columns(ki_ldl *F, ki_arena *arena, int *scratch) {
    int size = F->size, *parent = scratch, *mark = scratch + size, *next = scratch + 2 * size;
    for (int j = 0; j < size; j++) {
        parent[j] = mark[j] = -1;
        next[j] = 0;
    }
    for (int k = 0; k < size; k++)
        walk_row(F, k, parent, mark, next, NULL);
    if (!add_up(size, next, F->start))
        return false;
    F->row = KI_NEW(arena, int, F->start[size]);
    if (!F->row)
        return false;
    memcpy(next, F->start, (size_t)size * sizeof(int));
    for (int j = 0; j < size; j++)
        mark[j] = -1;
    for (int k = 0; k < size; k++)
        walk_row(F, k, parent, mark, next, F->row);
    return true;
}

/* The same entries by rows, and what follows from them; scratch is [size]. */
static void find_rows(ki_ldl *F, int *scratch) {
    int size = F->size;
    memset(scratch, 0, (size_t)size * sizeof(int));
    for (int p = 0; p < F->start[size]; p++)
        scratch[F->row[p]]++;
    add_up(size, scratch, F->row_start);
    memcpy(scratch, F->row_start, (size_t)size * sizeof(int));
    for (int k = 0; k < size; k++)
        F->row_middle[k] = F->row_start[k];
    F->multiplications = 0;
    for (int j = 0; j < size; j++) {
        F->lead_end[j] = F->start[j];
        for (int p = F->start[j]; p < F->start[j + 1]; p++) {
            int q = scratch[F->row[p]]++;
            F->column[q] = j;
            F->place[q] = p;
            F->multiplications += p - F->start[j] + 2;
            if (F->row[p] < F->lead)
                F->lead_end[j] = p + 1;
            if (j < F->lead)
                F->row_middle[F->row[p]] = q + 1;
        }
    }
}

bool ki_ldl_analyse(ki_ldl *F, ki_arena *arena) {
    size_t size = (size_t)F->size;
    F->start = KI_NEW(arena, int, size + 1);
    F->lead_end = KI_NEW(arena, int, size);
    F->row_start = KI_NEW(arena, int, size + 1);
    F->row_middle = KI_NEW(arena, int, size);
    F->d_inverse = KI_NEW(arena, double, size);
    F->work = KI_NEW(arena, double, size);
    int *scratch = calloc(3 * size + 1, sizeof(int));
    bool made = scratch && !arena->failed && find_columns(F, arena, scratch);
    if (made) {
        F->value = KI_NEW(arena, double, F->start[F->size]);
        F->column = KI_NEW(arena, int, F->start[F->size]);
        F->place = KI_NEW(arena, int, F->start[F->size]);
        made = !arena->failed;
    }
    if (made)
        find_rows(F, scratch);
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

/* Puts row k of K into `work`; returns its diagonal entry. */
static inline double take_row(ki_ldl *F, const double *values, int k) {
    for (int p = F->K_start[k]; p < F->K_start[k + 1]; p++)
        F->work[F->K_column[p]] = values[F->K_source[p]];
    return F->diagonal[k] >= 0 ? values[F->diagonal[k]] : 0;
}

static inline bool is_pivot(const ki_ldl *F, int k, double pivot, double diagonal) {
    return pivot > KI_PIVOT_NOISE_A * diagonal && (!F->least || pivot > F->least[k]);
}

int ki_ldl_factor(ki_ldl *F, const double *values, ki_pivots *pivots, const int *row_of, double *S_size) {
    for (int k = 0; k < F->size; k++) {
        double diagonal = take_row(F, values, k);
        int begin = F->row_start[k], end = F->row_start[k + 1];
        if (k < F->lead) {
            double pivot = diagonal - eliminate(F, begin, end);
            if (!is_pivot(F, k, pivot, diagonal))
                return k;
            F->d_inverse[k] = 1 / pivot;
        } else {
            /* S_kk = D_k + what the bodies add; then minus what the constraints before take away */
            int middle = F->row_middle[k];
            double size = diagonal + eliminate(F, begin, middle);
            double pivot = size + eliminate(F, middle, end);
            int row = row_of[k - F->lead];
            S_size[row] = size;
            F->d_inverse[k] = -1 / ki_pivots_judge(pivots, row, pivot, size);
        }
    }
    return -1;
}

void ki_ldl_find_failed(ki_ldl *F, const double *values, bool *failed) {
    for (int k = 0; k < F->lead; k++) {
        double diagonal = take_row(F, values, k);
        double pivot = diagonal - eliminate(F, F->row_start[k], F->row_start[k + 1]);
        failed[k] = !is_pivot(F, k, pivot, diagonal);
        F->d_inverse[k] = failed[k] ? 0 : 1 / pivot;
    }
}

/* A row of L_A without entries is the common case, a coordinate without mass: e_k itself. */
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
        for (int p = F->start[j]; p < F->lead_end[j] && F->row[p] <= k; p++)
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

void ki_ldl_solve(const ki_ldl *F, double *b) {
    const int *start = F->start, *row = F->row;
    const double *value = F->value;
    for (int j = 0; j < F->size; j++) {
        double b_j = b[j];
        for (int p = start[j]; p < start[j + 1]; p++)
            b[row[p]] -= value[p] * b_j;
    }
    for (int j = F->size - 1; j >= 0; j--) {
        double b_j = b[j] * F->d_inverse[j];
        for (int p = start[j]; p < start[j + 1]; p++)
            b_j -= value[p] * b[row[p]];
        b[j] = b_j;
    }
}

void ki_ldl_half(const ki_ldl *F, double *b) {
    for (int j = 0; j < F->lead; j++) {
        double b_j = b[j];
        for (int p = F->start[j]; p < F->lead_end[j]; p++)
            b[F->row[p]] -= F->value[p] * b_j;
        b[j] = b_j * sqrt(F->d_inverse[j]);
    }
}

void ki_ldl_half_back(const ki_ldl *F, double *b) {
    for (int j = F->lead - 1; j >= 0; j--) {
        double b_j = b[j] * sqrt(F->d_inverse[j]);
        for (int p = F->start[j]; p < F->lead_end[j]; p++)
            b_j -= F->value[p] * b[F->row[p]];
        b[j] = b_j;
    }
}
