/* saddle_stage.c - solves of which nobody asks for more than the solution itself.
 *
 * With pivots of A and S not far below their diagonal entries one application of the factors has a residual
 * of a few units of round-off times KI_STAGE_CONDITION at most. A row whose pivot was raised holds only if it
 * is a combination of the others, and is looked at. Machine code judges by the same products, so that it does
 * not matter which of the two answers. */
#include <math.h>

#include "linalg/saddle_internal.h"

/* |s - J x|_i <= left (|s| + |J||x|)_i for the rows that were raised. */
static bool raised_rows_hold(const keel_saddle *K, const double *s, const double *x) {
    for (int k = 0; k < K->pivots.count; k++) {
        int i = K->pivots.row[k];
        double rest = s[i], size = fabs(s[i]);
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++) {
            rest -= K->J_values[p] * x[K->J.index[p]];
            size += fabs(K->J_values[p] * x[K->J.index[p]]);
        }
        if (!(fabs(rest) - K->may_leave * size <= 0))
            return false;
    }
    return true;
}

static bool is_good(const keel_saddle *K) {
    return K->dense && K->factored && !K->rescued && K->D_is_zero && K->pivots.known && K->pivots.near == 0 &&
           (K->pivots.count == 0 || ki_saddle_raises(K)) && ki_saddle_dense_is_good(K);
}

/* Copies; whether all is finite. */
static bool take(int count, const double *from, double *to) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
        sum += 0 * from[i];
    }
    return sum == 0;
}

keel_status ki_saddle_solve_stage(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    if (is_good(K)) {
        take(K->n, r, K->x);
        take(K->m, s, K->y);
        ki_apply(K, K->x, K->y);
        if (raised_rows_hold(K, s, K->x) && take(K->n, K->x, x) && take(K->m, K->y, y))
            return KEEL_OK;
    }
    return keel_saddle_solve(K, r, s, x, y, NULL);
}

ki_stage_code ki_saddle_begin_stages(keel_saddle *K, unsigned what, bool kinematics) {
    const keel_saddle_code *code = K->code;
    if (!code || !code->stages || code->what != what || code->kinematics != kinematics ||
        K->settings.path == KEEL_SADDLE_NULL_SPACE)
        return (ki_stage_code){0};
    if (K->stage_pause) {
        K->stage_pause = false;
        return (ki_stage_code){0};
    }
    ki_saddle_set_rules(K);
    return (ki_stage_code){code->stages, &K->places};
}

void ki_saddle_pause_stages(keel_saddle *K, ki_stage_code *code) {
    K->stage_pause = true;
    code->stages = NULL;
}
