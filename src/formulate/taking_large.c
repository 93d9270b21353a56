/* taking_large.c - the same as taking.c for large systems: rows by sparse elimination (row_choice.h). */
#include <math.h>
#include <string.h>

#include "formulate/taking.h"
#include "linalg/dense.h"

/* Combinations of freedoms and of self-stresses that are looked at in the place of all. */
enum { FREEDOMS = 12, STRESSES = 2 };

int ki_take_large(ki_independence *look, taking by) {
    ki_row_choice *c = look->large;
    bool *away = look->mark;
    int m = look->m;
    for (int i = 0; i < m; i++) {
        look->taken[i] = false;
        away[i] = look->ignored[i] || (by.without && by.without[i]) || (by.among && !by.among[i]) ||
                  look->class_of[i] >= by.classes;
    }
    look->classes = by.classes;
    look->least = INFINITY;
    keel_status status = ki_row_choice_load(c, look->system->J, look->values, away);
    for (int kind = 0; !status && kind < by.classes; kind++) {
        int before = ki_row_choice_count(c), most = by.ranks ? before + by.ranks[kind] : by.most;
        for (int i = 0; i < m; i++) {
            look->mark[i] = look->class_of[i] == kind;
            look->y[i] = by.ranks ? 0 : fmax(look->limit[i], by.floor);
        }
        status = ki_row_choice_take(c, look->mark, look->y, most);
        if (by.ranks && ki_row_choice_count(c) < most)
            look->least = 0;
    }
    int count = ki_row_choice_count(c);
    look->most = 0;
    for (int i = 0; i < m; i++)
        look->left[i] = ki_row_choice_rest(c, i);
    for (int k = 0; k < count; k++) {
        int i = look->order[k] = ki_row_choice_row(c, k);
        look->taken[i] = true;
        look->left[i] = ki_row_choice_length(c, k);
        look->least = fmin(look->least, look->left[i]);
    }
    for (int i = 0; i < m; i++)
        look->most = look->taken[i] ? look->most : fmax(look->most, look->left[i]);
    return status ? 0 : count;
}

void ki_close_large(ki_independence *look, const double *value, double *x) {
    memset(x, 0, (size_t)look->n * sizeof *x);
    for (int i = 0; i < look->m; i++)
        look->y[i] = look->taken[i] ? -value[i] * look->scale[i] : 0;
    ki_row_choice_solve(look->large, look->y, x);
}

/* Other parts of x follow from those that the rows leave free. */
void ki_tangent_large(ki_independence *look, double *x) {
    int count = ki_row_choice_count(look->large);
    for (int k = 0; k < count; k++)
        x[ki_row_choice_column(look->large, k)] = 0;
    memset(look->y, 0, (size_t)look->m * sizeof *look->y);
    ki_row_choice_solve(look->large, look->y, x);
}

int ki_most_freedoms(const ki_independence *look) {
    return look->large && look->n > FREEDOMS ? FREEDOMS : look->n;
}

int ki_freedoms_large(const ki_independence *look, double *x) {
    int n = look->n, count = n - ki_row_choice_count(look->large);
    unsigned random = 1;
    count = count > FREEDOMS ? FREEDOMS : count;
    for (int k = 0; k < count; k++) {
        double *next = x + (size_t)k * (size_t)n;
        for (int j = 0; j < n; j++)
            next[j] = ki_noise(&random);
        ki_independence scratch = *look;
        ki_tangent_large(&scratch, next);
    }
    return ki_orthonormalize(count, n, x, n, 0);
}

/* The part that row i has in a self-stress, added to those wanted of the rows taken. */
static void add_row(const ki_independence *look, int i, double part, double *w) {
    keel_pattern P = look->system->J;
    for (int k = P.start[i]; k < P.start[i + 1]; k++)
        w[P.index[k]] -= part * look->values[k];
}

keel_status ki_combine_large(const ki_independence *look, int d, double *y) {
    memset(look->x, 0, (size_t)look->n * sizeof *look->x);
    add_row(look, d, 1, look->x);
    return ki_row_choice_combine(look->large, look->x, y);
}

/* Rows that were left over. */
static bool is_repeated(const ki_independence *look, int d) {
    return !look->taken[d] && !look->ignored[d] && look->class_of[d] < look->classes;
}

int ki_stress_count(const ki_independence *look) {
    int count = 0;
    for (int d = 0; d < look->m; d++)
        count += is_repeated(look, d);
    return look->large && count > STRESSES ? STRESSES : count;
}

int ki_self_stresses_large(const ki_independence *look, double *y, bool *shared) {
    int m = look->m, count = ki_stress_count(look);
    double least = ki_least_share(look);
    unsigned random = 1;
    for (int k = 0; k < count; k++) {
        double *stress = y + (size_t)k * (size_t)m;
        memset(look->x, 0, (size_t)look->n * sizeof *look->x);
        for (int d = 0; d < m; d++)
            if (is_repeated(look, d)) {
                look->y[d] = 1.5 + 0.5 * ki_noise(&random);
                add_row(look, d, look->y[d], look->x);
            }
        if (ki_row_choice_combine(look->large, look->x, stress))
            return 0;
        for (int i = 0; i < m; i++) {
            if (is_repeated(look, i))
                stress[i] = look->y[i];
            if (shared)
                shared[i] |= fabs(stress[i]) > least;
            stress[i] *= look->scale[i];
        }
    }
    return count;
}
