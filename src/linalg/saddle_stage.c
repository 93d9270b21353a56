/* saddle_stage.c - solves of which nobody asks for more than the solution itself.
 *
 * With pivots of A and S not far below their diagonal entries one application of the factors has a residual
 * of a few units of round-off times KI_STAGE_CONDITION at most. A row whose pivot was raised holds only if it
 * is a combination of the others, and is looked at. Machine code judges by the same products, so that it does
 * not matter which of the two answers.
 *
 * As nobody asks how independent the rows of J are, small systems have factors of another order for stages
 * (ordering_stage.c), where that saves work: a row follows the first unknowns that hold it up. Where one of
 * its pivots is small, the usual factors take over. They are the same with machine code and without. */
#include <math.h>

#include "linalg/ordering.h"
#include "linalg/saddle_sparse.h"

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

/* Whether the pivots of unknowns are not far below their diagonal entries. */
static bool are_unknowns_good(const ki_saddle_sparse *sparse, const double *A) {
    const ki_panels *F = &sparse->panels;
    bool good = true;
    for (int i = 0; i < sparse->n; i++) {
        int k = sparse->place[i];
        good &= A[F->diagonal[k]] * F->d_inverse[k] <= KI_STAGE_CONDITION;
    }
    return good;
}

static bool is_sparse_good(const keel_saddle *K) {
    const ki_saddle_sparse *sparse = K->sparse;
    if (K->pivots.count > 0 || !ki_saddle_sparse_is_plain(K) || !are_unknowns_good(sparse, K->A_values))
        return false;
    bool good = true;
    for (int i = 0; i < K->m; i++)
        good &= K->S_size[i] * -sparse->panels.d_inverse[sparse->place[K->n + i]] <= KI_STAGE_CONDITION;
    return good;
}

static bool is_good(const keel_saddle *K) {
    if (!K->factored || K->rescued || !K->D_is_zero || !K->pivots.known || K->pivots.near > 0)
        return false;
    return K->dense ? (K->pivots.count == 0 || ki_saddle_raises(K)) && ki_saddle_dense_is_good(K)
                    : is_sparse_good(K);
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

/* What x and y leave of each equation, and the sizes of its terms but for those of A above the diagonal. */
static void find_rest(const keel_saddle *K, const double *r, const double *s, const double *x,
                      const double *y) {
    const ki_stage_factors *f = &K->stage;
    const int n = K->n, m = K->m;
    double *rest = f->rest, *size = f->size;
    for (int i = 0; i < n; i++)
        rest[i] = r[i];
    for (int i = 0; i < n; i++) {
        double sum = rest[i], all = fabs(r[i]), x_i = x[i];
        int last = K->A.start[i + 1] - 1; /* the diagonal */
        for (int p = K->A.start[i]; p < last; p++) {
            double value = f->A[p], term = value * x[K->A.index[p]];
            sum -= term;
            all += fabs(term);
            rest[K->A.index[p]] -= value * x_i;
        }
        rest[i] = sum - f->A[last] * x_i;
        size[i] = all + fabs(f->A[last] * x_i);
    }
    for (int i = 0; i < m; i++) {
        double sum = s[i], all = fabs(s[i]), y_i = y[i];
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++) {
            double value = f->J[p], term = value * x[K->J.index[p]];
            sum -= term;
            all += fabs(term);
            double load = value * y_i;
            rest[K->J.index[p]] -= load;
            size[K->J.index[p]] += fabs(load);
        }
        rest[n + i] = sum;
        size[n + i] = all;
    }
}

/* The sizes of these. */
static void add_sizes_above(const keel_saddle *K, const double *x) {
    const ki_stage_factors *f = &K->stage;
    for (int i = 0; i < K->n; i++)
        for (int p = K->A.start[i]; p < K->A.start[i + 1] - 1; p++)
            f->size[K->A.index[p]] += fabs(f->A[p] * x[i]);
}

static bool is_round_off(int count, const double *rest, const double *size) {
    static const double ROUND_OFF = 1e-14;
    bool small = true;
    for (int i = 0; i < count; i++)
        small &= fabs(rest[i]) <= ROUND_OFF * size[i];
    return small;
}

/* Whether x and y satisfy each equation up to round-off of its terms: pivots that are small one after another
 * multiply what each of them loses. Most of the time it can be told without the terms above the diagonal. */
static bool is_exact(const keel_saddle *K, const double *r, const double *s, const double *x,
                     const double *y) {
    const ki_stage_factors *f = &K->stage;
    find_rest(K, r, s, x, y);
    if (is_round_off(K->n + K->m, f->rest, f->size))
        return true;
    add_sizes_above(K, x);
    return is_round_off(K->n + K->m, f->rest, f->size);
}

/* By the usual factors, of the matrix that those for stages were made of. */
static keel_status solve_again(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    K->stage.pause = KI_CODE_PAUSE;
    keel_status status = keel_saddle_factor(K, K->stage.A, K->stage.J, NULL);
    return status < 0 ? status : keel_saddle_solve(K, r, s, x, y, NULL);
}

keel_status ki_saddle_solve_stage(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    if (K->stage.ready) {
        ki_sparse_solve(K->stage.sparse, r, s, K->x, K->y);
        if (!is_exact(K, r, s, K->x, K->y))
            return solve_again(K, r, s, x, y);
        return take(K->n, K->x, x) && take(K->m, K->y, y) ? KEEL_OK : KEEL_ERROR_NOT_FINITE;
    }
    bool good = is_good(K);
    if (good && K->sparse && !K->stage.looks) {
        keel_status status = ki_saddle_solve_once(K, r, s, K->x, K->y);
        bool finite = take(K->n, K->x, x) && take(K->m, K->y, y);
        return status || finite ? status : KEEL_ERROR_NOT_FINITE;
    }
    if (good) {
        take(K->n, r, K->x);
        take(K->m, s, K->y);
        ki_apply(K, K->x, K->y);
        if (raised_rows_hold(K, s, K->x) && take(K->n, K->x, x) && take(K->m, K->y, y))
            return KEEL_OK;
    }
    return keel_saddle_solve(K, r, s, x, y, NULL);
}

/* The usual factors must cost this much more; where machine code may have them, which takes about half the
 * instructions of the panels, as much as that. */
static const double SAVES = 1.25, SAVES_BESIDE_CODE = 2;

keel_status ki_saddle_prepare_stages(keel_saddle *K, bool may_have_code) {
    ki_stage_factors *stage = &K->stage;
    bool left_out = K->n + K->m > KI_STAGE_UNKNOWNS || K->m == 0 || K->settings.path == KEEL_SADDLE_DENSE ||
                    K->settings.path == KEEL_SADDLE_NULL_SPACE;
    if (stage->prepared)
        return KEEL_OK;
    stage->prepared = true;
    stage->looks = K->sparse && may_have_code;
    if (left_out || K->dense) /* full matrices are small enough, and code for them has stages of its own */
        return KEEL_OK;
    double usual = ki_saddle_sparse_work(K->sparse);
    double saves = may_have_code ? SAVES_BESIDE_CODE : SAVES;
    stage->sparse = ki_saddle_sparse_analyse(K->A, K->J, true);
    stage->S_size = KI_NEW(&K->arena, double, K->m);
    stage->rest = KI_NEW(&K->arena, double, K->n + K->m);
    stage->size = KI_NEW(&K->arena, double, K->n + K->m);
    stage->pivots.row = KI_NEW(&K->arena, int, K->m);
    if (!stage->sparse || K->arena.failed)
        return KEEL_ERROR_MEMORY;
    if (saves * ki_saddle_sparse_work(stage->sparse) < usual)
        return KEEL_OK;
    ki_saddle_sparse_free(stage->sparse);
    stage->sparse = NULL;
    return KEEL_OK;
}

bool ki_saddle_work_of_stage(const keel_saddle *K, double *work) {
    double usual = keel_saddle_factor_work(K), stage = INFINITY;
    bool made = !K->sparse || K->m == 0 || ki_stage_work(K->A, K->J, &stage);
    *work = SAVES * stage < usual ? stage : usual;
    return made;
}

bool ki_saddle_has_stage_factors(const keel_saddle *K) {
    return K->stage.sparse != NULL;
}

bool ki_saddle_factor_stage(keel_saddle *K, const double *A, const double *J) {
    ki_stage_factors *stage = &K->stage;
    stage->ready = false;
    if (!stage->sparse || stage->pause > 0) {
        stage->pause -= stage->pause > 0;
        return false;
    }
    stage->pivots.threshold = 1 / KI_STAGE_CONDITION;
    stage->pivots.delta = 1;
    stage->pivots.count = stage->pivots.near = 0;
    stage->A = A;
    stage->J = J;
    stage->ready = ki_sparse_factor(stage->sparse, A, J, &stage->pivots, stage->S_size) < 0 &&
                   stage->pivots.count == 0 && are_unknowns_good(stage->sparse, A);
    stage->pause = stage->ready ? 0 : KI_CODE_PAUSE;
    return stage->ready;
}

ki_stage_code ki_saddle_begin_stages(keel_saddle *K, unsigned what) {
    const keel_saddle_code *code = K->code;
    if (!code || !code->stages || code->what != what || K->settings.path == KEEL_SADDLE_NULL_SPACE)
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
