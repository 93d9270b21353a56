#include "ida_matrix.h"

#include <stdlib.h>
#include <string.h>

/* An entry before duplicates are put together: where it is and to which slot of the columns it adds. */
typedef struct entry {
    int row, column, slot;
} entry;

struct ida_matrix {
    const keel_system *system;
    int size, count, slots;
    entry *entries; /* in the order in which `each` meets them */
    double *M, *J, *tangent, *rate_q;
};

/* Meets all entries in a fixed order: put(context, row, column, value). Values count only once `fill` was
 * prepared. */
typedef void put_entry(void *context, int row, int column, double value);

static void each(const ida_matrix *z, double cj, put_entry *put, void *context) {
    const keel_system *s = z->system;
    int n = s->n_v, m = s->n_h, lambda = 2 * n, mu = lambda + m;
    for (int i = 0; i < n; i++) {
        put(context, i, i, cj);
        put(context, i, n + i, -1);
    }
    for (int i = 0; i < n; i++) {
        for (int k = s->tangent.start[i]; k < s->tangent.start[i + 1]; k++)
            put(context, n + i, s->tangent.index[k], z->tangent[k]);
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++) {
            int j = s->M.index[k];
            put(context, n + i, n + j, cj * z->M[k]);
            if (j != i)
                put(context, n + j, n + i, cj * z->M[k]);
        }
    }
    for (int i = 0; i < m; i++) {
        for (int k = s->J.start[i]; k < s->J.start[i + 1]; k++) {
            int j = s->J.index[k];
            put(context, lambda + i, j, z->J[k]);
            put(context, mu + i, n + j, z->J[k]);
            put(context, n + j, lambda + i, z->J[k]);
            put(context, j, mu + i, z->J[k]);
        }
        for (int k = s->rate_q.start[i]; k < s->rate_q.start[i + 1]; k++)
            put(context, mu + i, s->rate_q.index[k], z->rate_q[k]);
    }
}

static void count_entry(void *context, int row, int column, double value) {
    (void)row, (void)column, (void)value;
    ++*(int *)context;
}

static void note_entry(void *context, int row, int column, double value) {
    entry **next = context;
    (void)value;
    *(*next)++ = (entry){row, column, 0};
}

static int by_column(const void *a, const void *b) {
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
    return x->column != y->column ? x->column - y->column : x->row - y->row;
}

static void *room(int count, size_t size) {
    void *p = calloc((size_t)(count > 0 ? count : 1), size);
    if (!p)
        abort();
    return p;
}

/* Slots in the order of columns, one for all entries at the same place. */
static void assign_slots(ida_matrix *z) {
    entry **sorted = room(z->count, sizeof *sorted);
    for (int i = 0; i < z->count; i++)
        sorted[i] = &z->entries[i];
    qsort(sorted, (size_t)z->count, sizeof *sorted, by_column);
    for (int i = 0; i < z->count; i++) {
        if (i > 0 && by_column(&sorted[i - 1], &sorted[i]) != 0)
            z->slots++;
        sorted[i]->slot = z->slots;
    }
    z->slots++;
    free(sorted);
}

ida_matrix *ida_matrix_new(const keel_system *system) {
    ida_matrix *z = room(1, sizeof *z);
    z->system = system;
    z->size = 2 * system->n_v + 2 * system->n_h;
    z->M = room(keel_pattern_count(system->M), sizeof(double));
    z->J = room(keel_pattern_count(system->J), sizeof(double));
    z->tangent = room(keel_pattern_count(system->tangent), sizeof(double));
    z->rate_q = room(keel_pattern_count(system->rate_q), sizeof(double));
    each(z, 0, count_entry, &z->count);
    entry *next = z->entries = room(z->count, sizeof *z->entries);
    each(z, 0, note_entry, &next);
    assign_slots(z);
    return z;
}

void ida_matrix_free(ida_matrix *z) {
    if (!z)
        return;
    free(z->entries), free(z->M), free(z->J), free(z->tangent), free(z->rate_q);
    free(z);
}

int ida_matrix_count(const ida_matrix *z) {
    return z->slots;
}

void ida_matrix_pattern(const ida_matrix *z, SUNMatrix to) {
    sunindextype *start = SUNSparseMatrix_IndexPointers(to), *row = SUNSparseMatrix_IndexValues(to);
    memset(start, 0, sizeof *start * (size_t)(z->size + 1));
    for (int i = 0; i < z->count; i++) {
        const entry *e = &z->entries[i];
        row[e->slot] = e->row;
        if (start[e->column + 1] < e->slot + 1)
            start[e->column + 1] = e->slot + 1;
    }
}

typedef struct adding {
    const entry *next;
    double *values;
} adding;

static void add_entry(void *context, int row, int column, double value) {
    adding *a = context;
    (void)row, (void)column;
    a->values[a->next++->slot] += value;
}

void ida_matrix_fill(ida_matrix *z, double t, double cj, const double *y, const double *y_rate,
                     SUNMatrix to) {
    const keel_system *s = z->system;
    int n = s->n_v;
    keel_point at = {.t = t, .q = y, .v = y + n, .lambda = y + 2 * n, .a = y_rate + n};
    keel_terms terms = {.M = z->M, .J = z->J, .tangent = z->tangent, .rate_q = z->rate_q};
    s->evaluate(s, NULL, KEEL_MASS | KEEL_JACOBIAN | KEEL_TANGENT | KEEL_VELOCITY_Q, &at, &terms);
    ida_matrix_pattern(z, to); /* IDA clears the matrix before */
    memset(SUNSparseMatrix_Data(to), 0, sizeof(double) * (size_t)z->slots);
    adding state = {z->entries, SUNSparseMatrix_Data(to)};
    each(z, cj, add_entry, &state);
}
