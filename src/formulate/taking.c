/* taking.c - rows of H taken one after the other, and what follows from those that were: independence.h. */
#include "formulate/taking.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

double *ki_row_of(const ki_independence *look, int i) {
    return look->H + (size_t)i * (size_t)look->n;
}

/* H at a pose. Rows without a natural size of their own have the largest length that they were met
 * with in the motion. */
keel_status ki_load_rows(ki_independence *look, const keel_point *at) {
    const keel_system *sys = look->system;
    keel_pattern P = sys->J;
    keel_status status = sys->evaluate(sys, look->work, KEEL_JACOBIAN, at, &look->terms);
    if (status < 0)
        return KEEL_ERROR_CALLBACK;
    if (!look->large)
        memset(look->H, 0, (size_t)look->m * (size_t)look->n * sizeof(double));
    for (int i = 0; i < look->m; i++) {
        double *value = look->values + P.start[i], square = 0;
        int count = P.start[i + 1] - P.start[i];
        const int *column = P.index + P.start[i];
        for (int k = 0; k < count; k++) {
            value[k] = look->terms.J[P.start[i] + k] * look->size[column[k]];
            square += value[k] * value[k];
        }
        if (!isfinite(square))
            return KEEL_ERROR_NOT_FINITE;
        double own = sys->row_size ? sys->row_size[i] : sqrt(square);
        bool longer = 1 / own < look->scale[i] && !look->sizes_kept;
        if (sys->row_size || longer || look->scale[i] == 0)
            look->scale[i] = own > 0 ? 1 / own : 0;
        for (int k = 0; k < count; k++)
            value[k] *= look->scale[i];
        for (int k = 0; !look->large && k < count; k++)
            ki_row_of(look, i)[column[k]] = value[k];
    }
    return KEEL_OK;
}

double ki_length(int n, const double *x) {
    return sqrt(ki_dot(n, x, x));
}

/* The row of a class of which most is left; -1: none. */
static int longest(const ki_independence *look, int kind, const bool *among) {
    int best = -1;
    for (int i = 0; i < look->m; i++)
        if (!look->taken[i] && look->class_of[i] == kind && (!among || among[i]) &&
            (best < 0 || look->left[i] > look->left[best]))
            best = i;
    return best;
}

/* Row i becomes a unit vector of the basis; the rows that are left lose what they have of it. */
static void take(ki_independence *look, int i, int count) {
    double *row = ki_row_of(look, i), length = look->left[i];
    for (int j = 0; j < look->n; j++)
        row[j] /= length;
    look->L[(size_t)i * (size_t)look->m + (size_t)count] = length;
    look->taken[i] = true;
    look->order[count] = i;
    for (int k = 0; k < look->m; k++) {
        if (look->taken[k])
            continue;
        double *other = ki_row_of(look, k), along = 0;
        for (int again = 0; again < 2; again++) { /* the second time takes out what round-off left */
            double part = ki_dot(look->n, other, row);
            ki_axpy(look->n, -part, row, other);
            along += part;
        }
        look->L[(size_t)k * (size_t)look->m + (size_t)count] = along;
        if (look->left[k] != KI_NEVER_TAKEN)
            look->left[k] = ki_length(look->n, other);
    }
}

/* Nothing is taken yet. */
static void begin_taking(ki_independence *look, taking by) {
    memset(look->taken, 0, (size_t)look->m * sizeof *look->taken);
    memset(look->L, 0, (size_t)look->m * (size_t)look->m * sizeof *look->L);
    for (int i = 0; i < look->m; i++)
        look->left[i] = look->ignored[i] || (by.without && by.without[i])
                            ? KI_NEVER_TAKEN
                            : ki_length(look->n, ki_row_of(look, i));
}

/* Takes rows of H; returns how many. */
int ki_take_all(ki_independence *look, taking by) {
    if (look->large)
        return ki_take_large(look, by);
    int count = 0;
    begin_taking(look, by);
    look->classes = by.classes;
    look->least = INFINITY;
    for (int kind = 0; kind < by.classes; kind++)
        for (int k = 0; by.ranks ? k < by.ranks[kind] : count < by.most; k++) {
            int i = longest(look, kind, by.among);
            double least = i < 0 ? INFINITY : by.ranks ? 0 : fmax(look->limit[i], by.floor);
            if (i < 0 || !(look->left[i] > least)) {
                look->least = by.ranks ? 0 : look->least;
                break;
            }
            look->least = fmin(look->least, look->left[i]);
            take(look, i, count++);
        }
    look->most = 0;
    for (int i = 0; i < look->m; i++)
        if (!look->taken[i])
            look->most = fmax(look->most, look->left[i]);
    return count;
}

keel_status ki_count_independent(ki_independence *look, const keel_point *at, int *rank) {
    keel_status status = ki_load_rows(look, at);
    if (!status)
        *rank = ki_take_all(look, (taking){.classes = CLASSES, .most = look->m});
    return status;
}

void ki_list_taken(ki_independence *look) {
    memset(look->class_rank, 0, sizeof look->class_rank);
    for (int i = 0, count = 0; i < look->m; i++)
        if (look->taken[i]) {
            look->row[count++] = i;
            look->class_rank[look->class_of[i]]++;
        }
}

double ki_take_rows(ki_independence *look, const keel_point *at, const bool *among, keel_status *status) {
    *status = ki_load_rows(look, at);
    if (*status)
        return 0;
    int ranks[CLASSES];
    memcpy(ranks, look->class_rank, sizeof ranks);
    int count = ki_take_all(look, (taking){.classes = CLASSES, .ranks = ranks, .among = among});
    ki_list_taken(look);
    memcpy(look->class_rank, ranks, sizeof ranks);
    return count < look->rank ? 0 : look->least;
}

static int count_taken(const ki_independence *look) {
    int count = 0;
    for (int i = 0; i < look->m; i++)
        count += look->taken[i];
    return count;
}

double ki_volume_taken(const ki_independence *look) {
    double volume = 1;
    for (int k = count_taken(look) - 1; k >= 0; k--)
        volume *= look->L[(size_t)look->order[k] * (size_t)look->m + (size_t)k];
    return volume;
}

int ki_rank_above(ki_independence *look, const keel_point *at, double least, keel_status *status) {
    *status = ki_load_rows(look, at);
    return *status ? 0 : ki_take_all(look, (taking){.classes = CLASSES, .most = look->rank, .floor = least});
}

keel_status ki_take_joints(ki_independence *look, const keel_point *at) {
    keel_status status = ki_load_rows(look, at);
    if (!status)
        ki_take_all(look, (taking){.classes = 1, .most = look->m});
    return status;
}

/* In general position a row either follows from those before it, or is off by far more than what noise
 * leaves: where the number of rows that are taken in order is not the rank, it was not told apart. */
keel_status ki_take_in_order(ki_independence *look, const keel_point *at) {
    keel_status status = ki_load_rows(look, at);
    int count = 0;
    if (!status && look->large) /* elimination has an order of its own */
        ki_take_rows(look, at, NULL, &status);
    if (status || look->large)
        return status;
    begin_taking(look, (taking){0});
    look->classes = CLASSES;
    for (int kind = 0; kind < CLASSES; kind++)
        for (int i = 0; i < look->m; i++)
            if (look->class_of[i] == kind && look->left[i] > sqrt(look->limit[i] * fmin(look->least, 1)))
                take(look, i, count++);
    if (count != look->rank)
        ki_take_rows(look, at, NULL, &status);
    return status;
}

/* Unit vectors lose what the basis has of them, the one of which most is left first. */
int ki_freedoms(const ki_independence *look, double *x) {
    if (look->large)
        return ki_freedoms_large(look, x);
    int n = look->n, count = count_taken(look), found = 0;
    for (; found < n - count; found++) {
        double *next = x + (size_t)found * (size_t)n, most = -1;
        int best = 0;
        for (int j = 0; j < n; j++) { /* what is left of e_j: 1 - sum of squares of the components j */
            double rest = 1;
            for (int k = 0; k < count; k++)
                rest -= ki_row_of(look, look->order[k])[j] * ki_row_of(look, look->order[k])[j];
            for (int k = 0; k < found; k++)
                rest -= x[(size_t)k * (size_t)n + (size_t)j] * x[(size_t)k * (size_t)n + (size_t)j];
            if (rest > most)
                most = rest, best = j;
        }
        memset(next, 0, (size_t)n * sizeof *next);
        next[best] = 1;
        for (int again = 0; again < 2; again++) {
            for (int k = 0; k < count; k++) {
                const double *basis = ki_row_of(look, look->order[k]);
                ki_axpy(n, -ki_dot(n, basis, next), basis, next);
            }
            for (int k = 0; k < found; k++)
                ki_axpy(n, -ki_dot(n, x + (size_t)k * (size_t)n, next), x + (size_t)k * (size_t)n, next);
        }
        double length = ki_length(n, next);
        for (int j = 0; j < n; j++)
            next[j] /= length;
    }
    return found;
}

/* With unit vectors e_k of the basis, rows taken are H_i = sum_k L_ik e_k with a triangular L, and others H_d
 * = sum_k L_dk e_k, as far as they are repeated: H_d = sum_i c_i H_i with c L = L_d. Here y = -c. */
static void combine(const ki_independence *look, int d, int count, double *y) {
    size_t m = (size_t)look->m;
    const double *L_d = look->L + (size_t)d * m;
    memset(y, 0, m * sizeof *y);
    for (int k = count - 1; k >= 0; k--) {
        double c = L_d[k];
        for (int l = k + 1; l < count; l++)
            c += y[look->order[l]] * look->L[(size_t)look->order[l] * m + (size_t)k];
        y[look->order[k]] = -c / look->L[(size_t)look->order[k] * m + (size_t)k];
    }
}

void ki_parts_of_row(const ki_independence *look, int row, double *y) {
    if (look->large)
        ki_combine_large(look, row, y);
    else
        combine(look, row, count_taken(look), y);
    for (int i = 0; i < look->m; i++)
        y[i] *= -look->scale[i] / look->scale[row];
}

keel_status ki_self_stress_of(ki_independence *look, int d, double *y) {
    keel_status status = look->large ? ki_combine_large(look, d, y) : KEEL_OK;
    if (!look->large)
        combine(look, d, count_taken(look), y);
    y[d] = 1;
    for (int i = 0; i < look->m; i++)
        y[i] *= look->scale[i];
    return status;
}

double ki_remainder(const ki_independence *look, int row, double *p) {
    const double *L = look->L + (size_t)row * (size_t)look->m;
    memcpy(p, ki_row_of(look, row), (size_t)look->n * sizeof *p);
    double left = ki_length(look->n, p), whole = left * left;
    for (int k = count_taken(look) - 1; k >= 0; k--)
        whole += L[k] * L[k];
    return whole > 0 ? left / sqrt(whole) : 0;
}

double ki_least_share(const ki_independence *look) {
    static const double LEAST_SHARE = 1e-8, LEAST_SHARE_DRAWN = 1e-4;
    return fmax(look->system->precision.length, look->system->precision.angle) > 0 ? LEAST_SHARE_DRAWN
                                                                                   : LEAST_SHARE;
}

int ki_self_stresses(const ki_independence *look, double *y, bool *shared) {
    if (look->large)
        return ki_self_stresses_large(look, y, shared);
    int m = look->m, count = count_taken(look), dependent = 0;
    double least = ki_least_share(look);
    for (int d = 0; d < m; d++) {
        if (look->taken[d] || look->ignored[d] || look->class_of[d] >= look->classes)
            continue;
        double *stress = y + (size_t)dependent++ * (size_t)m;
        combine(look, d, count, stress);
        stress[d] = 1;
        for (int i = 0; i < m; i++) {
            if (shared)
                shared[i] |= fabs(stress[i]) > least;
            stress[i] *= look->scale[i];
        }
    }
    return dependent;
}
