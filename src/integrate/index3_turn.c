/* The tangent T of (+) in the linear systems of index3.h, without changing their matrix K. K with T in it
 * times x is K x + E (T - 1) dq with the columns E of R_q, G and rate_q, and
 *
 *     x_0 = K^-1 b,    x_{k+1} = -K^-1 E (T - 1) dq_k,    x = x_0 + x_1 + ...
 *
 * where each term is smaller than the one before by half the rotation in a step.
 */
#include <math.h>
#include <string.h>

#include "integrate/index3_parts.h"

void ki_index3_turn(ki_index3 *self, const double *q, const double *move, double part) {
    if (!self->turn)
        return;
    ki_chart_take(&self->chart, q, move);
    self->part = part;
    self->turned = true;
}

static double row_times(keel_pattern P, int row, const double *values, int columns, const double *x) {
    double sum = 0;
    for (int k = P.start[row]; k < P.start[row + 1]; k++)
        if (P.index[k] < columns)
            sum += values[k] * x[P.index[k]];
    return sum;
}

/* rhs = -E turn */
static void set_rest(ki_index3 *self) {
    const keel_system *sys = self->dynamics->system;
    int n_v = sys->n_v, m = self->dynamics->m;
    double of_motion = self->part * self->left * self->c_q / self->s;
    double of_states = self->part * self->c_z * self->c_q / self->s;
    for (int i = 0; i < self->size; i++) {
        int row = i - n_v;
        if (row < 0 || row >= m)
            self->rhs[i] =
                -(row < 0 ? of_motion : of_states) * row_times(self->R, i, self->R_values, n_v, self->turn);
        else if (!ki_index3_at_velocity_level(self, row))
            self->rhs[i] = -row_times(sys->J, row, self->C, n_v, self->turn);
        else
            self->rhs[i] = -self->c_r * row_times(self->rate_q, row, self->rate_values, n_v, self->turn);
    }
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

void ki_index3_solve_turned(ki_index3 *self) {
    enum { MOST_ROUNDS = 3 };
    static const double SMALL_PART = 1e-3;
    int n_v = self->dynamics->system->n_v;
    ki_lu_solve(self->lu, self->rhs);
    if (!self->turned)
        return;
    memcpy(self->answer, self->rhs, (size_t)self->size * sizeof(double));
    double first = largest(self->answer, n_v), last = first;
    for (int round = 0; round < MOST_ROUNDS && last > SMALL_PART * first; round++) {
        ki_chart_bend(&self->chart, self->rhs, self->turn);
        set_rest(self);
        ki_lu_solve(self->lu, self->rhs);
        double size = largest(self->rhs, n_v);
        if (!(size < last)) /* more than a turn in a step */
            break;
        for (int i = 0; i < self->size; i++)
            self->answer[i] += self->rhs[i];
        last = size;
    }
    memcpy(self->rhs, self->answer, (size_t)self->size * sizeof(double));
}
