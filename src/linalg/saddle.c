/* What the user calls; the mathematics is in saddle_internal.h. */
#include "keel/saddle.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/augment.h"

keel_saddle_settings keel_saddle_settings_default(void) {
    return (keel_saddle_settings){
        .path = KEEL_SADDLE_AUTO, .tolerance = 1e-14, .delta = 1, .dependent = 1e-10, .refinements = 30};
}

static keel_pattern copy_pattern(ki_arena *arena, keel_pattern from) {
    int count = keel_pattern_count(from);
    int *start = KI_NEW(arena, int, from.rows + 1), *index = KI_NEW(arena, int, count);
    if (start && index && from.rows) {
        memcpy(start, from.start, (size_t)(from.rows + 1) * sizeof(int));
        memcpy(index, from.index, (size_t)count * sizeof(int));
    }
    return (keel_pattern){from.rows, from.cols, start, index};
}

static void allocate(keel_saddle *K) {
    ki_arena *arena = &K->arena;
    size_t A_count = (size_t)keel_pattern_count(K->A), J_count = (size_t)keel_pattern_count(K->J);
    K->values = KI_NEW(arena, double, A_count + J_count + (size_t)K->m);
    if (K->values) {
        K->A_values = K->values;
        K->J_values = K->values + A_count;
        K->D = K->J_values + J_count;
    }
    K->pivots.row = KI_NEW(arena, int, K->m);
    K->raised = KI_NEW(arena, int, K->m);
    double **of_n[] = {&K->x_scale, &K->x, &K->r, &K->x_rest, &K->x_size, &K->x_best};
    double **of_m[] = {&K->y_scale, &K->S_size, &K->y, &K->s, &K->y_rest, &K->y_size, &K->y_best};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = KI_NEW(arena, double, K->n);
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = KI_NEW(arena, double, K->m);
    K->zero = KI_NEW(arena, double, K->n > K->m ? K->n : K->m);
}

/* Very small systems are not worth an ordering. */
enum { ALWAYS_DENSE = 16 };

/* Full matrices where the factor of the whole has little that is zero. Measured (bench/saddle_threshold,
 * `make instructions`): with up to 60 % of all places taken the sparse path costs 5 to 40 % less; on full
 * rows up to twice as much, and the dense path has the better way out of singular cases. */
static const double FULL = 2.0 / 3;

static bool is_full(const keel_saddle *K) {
    double size = K->n + K->m;
    return (double)ki_saddle_sparse_entries(K->sparse) > FULL * size * (size + 1) / 2;
}

/* A full basis of the null space up to so many unknowns and rows: beyond, it is an operator where the matrix
 * is worth the sparse path. */
enum { FULL_BASIS = 40 };

/* Analyses the pattern for the path asked for, or for the cheaper one. False when out of memory. */
static bool choose_path(keel_saddle *K) {
    K->path = K->settings.path;
    if (K->path == KEEL_SADDLE_NULL_SPACE)
        K->path = K->n + K->m <= FULL_BASIS || K->m == 0 ? KEEL_SADDLE_DENSE : KEEL_SADDLE_AUTO;
    if (K->path == KEEL_SADDLE_AUTO && K->n + K->m <= ALWAYS_DENSE)
        K->path = KEEL_SADDLE_DENSE;
    if (K->path != KEEL_SADDLE_DENSE) {
        K->sparse = ki_saddle_sparse_analyse(K->A, K->J, false);
        if (!K->sparse)
            return false;
    }
    if (K->path == KEEL_SADDLE_AUTO)
        K->path = is_full(K) ? KEEL_SADDLE_DENSE : KEEL_SADDLE_SPARSE;
    if (K->path == KEEL_SADDLE_DENSE && !K->dense)
        ki_saddle_dense_analyse(K);
    return !K->arena.failed;
}

/* Keeps the analysis of the path that is taken, and adds what it needs for numbers. */
static void prepare_path(keel_saddle *K) {
    if (K->path == KEEL_SADDLE_DENSE) {
        ki_saddle_sparse_free(K->sparse);
        K->sparse = NULL;
        ki_saddle_dense_allocate(K);
        ki_null_space_analyse(K);
    } else {
        K->dense = NULL;
        ki_deflation_analyse(K);
        if (K->settings.path == KEEL_SADDLE_NULL_SPACE)
            ki_null_operator_analyse(K);
    }
}

keel_saddle *keel_saddle_new(keel_pattern A, keel_pattern J, const keel_saddle_settings *settings) {
    assert(J.rows == 0 || J.cols == A.rows);
    if ((A.rows && !A.start) || (J.rows && !J.start))
        return NULL;
    keel_saddle *K = calloc(1, sizeof *K);
    if (!K)
        return NULL;
    ki_arena_init(&K->arena);
    K->n = A.rows;
    K->m = J.rows;
    K->settings = settings ? *settings : keel_saddle_settings_default();
    K->bad_pivot = -1;
    K->A = copy_pattern(&K->arena, A);
    K->J = copy_pattern(&K->arena, J);
    if (!K->arena.failed)
        allocate(K);
    if (!K->arena.failed && choose_path(K)) {
        prepare_path(K);
        if (!K->arena.failed)
            return K;
    }
    keel_saddle_free(K);
    return NULL;
}

void keel_saddle_free(keel_saddle *K) {
    if (!K)
        return;
    ki_saddle_sparse_free(K->sparse);
    ki_saddle_sparse_free(K->stage.sparse);
    ki_augment_free(K->augment);
    ki_null_operator_clear(K);
    ki_arena_free(&K->arena);
    free(K);
}

/* Copies, and tells whether all values are finite: 0 * v is 0 only then. Four sums do not wait for each
 * other. */
static bool copy_finite(int count, const double *restrict from, double *restrict to) {
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i < count - 3; i += 4) {
        a += 0 * (to[i] = from[i]);
        b += 0 * (to[i + 1] = from[i + 1]);
        c += 0 * (to[i + 2] = from[i + 2]);
        d += 0 * (to[i + 3] = from[i + 3]);
    }
    for (; i < count; i++)
        a += 0 * (to[i] = from[i]);
    return a + b + c + d == 0;
}

static bool is_finite(int count, const double *x) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += 0 * x[i];
    return sum == 0;
}

static double scale_of(double square) {
    return square > 0 ? 1 / sqrt(square) : 1;
}

/* J; a value that is not finite, or whose square is not, shows in the length of its row. */
static bool take_J(keel_saddle *K, const double *J) {
    const int *start = K->J.start;
    bool finite = true;
    for (int i = 0; i < K->m; i++) {
        double square = 0;
        for (int p = start[i]; p < start[i + 1]; p++) {
            double v = J[p];
            K->J_values[p] = v;
            square += v * v;
        }
        finite &= square < INFINITY;
    }
    return finite;
}

bool ki_saddle_is_finite(keel_saddle *K) {
    double sum = 0;
    for (int p = 0; p < keel_pattern_count(K->A); p++)
        sum += 0 * K->A_values[p];
    return sum == 0 && take_J(K, K->J_values);
}

/* Copies, and tells whether the sum of the squares is finite: then those of all rows are. */
static bool copy_squares(int count, const double *restrict from, double *restrict to) {
    double a = 0, b = 0;
    int i = 0;
    for (; i < count - 1; i += 2) {
        to[i] = from[i];
        to[i + 1] = from[i + 1];
        a += from[i] * from[i];
        b += from[i + 1] * from[i + 1];
    }
    if (i < count)
        a += from[i] * (to[i] = from[i]);
    return a + b < INFINITY;
}

/* A and J; false if a value, or the length of a row of J, is not finite. Where the whole matrix is factored
 * each value of A is part of a pivot, and shows there: see ki_saddle_sparse_factor. */
static bool take_matrices(keel_saddle *K, const double *A, const double *J) {
    int count = keel_pattern_count(K->A);
    if (K->dense)
        return copy_finite(count, A, K->A_values) && take_J(K, J);
    if (count > 0)
        memcpy(K->A_values, A, (size_t)count * sizeof(double));
    return copy_squares(keel_pattern_count(K->J), J, K->J_values) || take_J(K, J);
}

void ki_saddle_scale(keel_saddle *K) {
    const int *start = K->J.start;
    if (K->scaled)
        return;
    for (int i = 0; i < K->n; i++) /* the diagonal is the last entry of each row */
        K->x_scale[i] = scale_of(K->A_values[K->A.start[i + 1] - 1]);
    for (int i = 0; i < K->m; i++) {
        double square = 0;
        for (int p = start[i]; p < start[i + 1]; p++)
            square += K->J_values[p] * K->J_values[p];
        K->y_scale[i] = scale_of(square);
    }
    K->scaled = true;
}

/* The same for a vector that may be left out: zero. */
static bool take_vector(int count, const double *from, double *to) {
    if (from)
        return copy_finite(count, from, to);
    memset(to, 0, (size_t)count * sizeof(double));
    return true;
}

static double threshold_of(const keel_saddle *K, double least) {
    double square = K->settings.dependent * K->settings.dependent;
    return square > least ? square : least;
}

static void reset_pivots(keel_saddle *K, double threshold) {
    K->pivots.threshold = threshold_of(K, threshold);
    K->pivots.delta = K->settings.delta;
    K->pivots.count = K->pivots.near = 0;
    K->pivots.overflow = false;
    K->pivots.known = true;
}

keel_status ki_factor(keel_saddle *K, double threshold) {
    reset_pivots(K, threshold);
    keel_status status = K->dense ? ki_saddle_dense_factor(K) : ki_saddle_sparse_factor(K);
    return status == KEEL_OK && K->pivots.overflow ? KEEL_ERROR_NOT_FINITE : status;
}

/* The slow way, made when it is first asked for after a factorization. */
static bool prepare_rescue(keel_saddle *K) {
    if (K->rescue == KI_RESCUE_UNKNOWN) {
        ki_saddle_scale(K);
        bool made = K->dense ? ki_null_space_factor(K) == KEEL_OK : ki_deflation_factor(K);
        K->rescue = made ? KI_RESCUE_READY : KI_RESCUE_NONE;
        K->bad_pivot = -1;
    }
    return K->rescue == KI_RESCUE_READY;
}

bool ki_rescue(keel_saddle *K) {
    K->rescued = prepare_rescue(K);
    return K->rescued;
}

void ki_saddle_leave_rest(keel_saddle *K, double most) {
    K->may_leave = most;
}

void ki_saddle_use(keel_saddle *K, const keel_saddle_code *code) {
    if (code == K->code)
        return;
    bool fits = code && code->path == K->path && code->n == K->n && code->m == K->m && !K->null_operator;
    if (!fits && !K->code)
        return;
    K->code = fits ? code : NULL;
    K->code_ready = false;
    K->places = (ki_saddle_places){.A = K->A_values,
                                   .J = K->J_values,
                                   .D = K->D,
                                   .S_size = K->S_size,
                                   .raised = K->raised,
                                   .tolerance = 0.5 * K->settings.tolerance};
    K->code_pause = 0;
    K->stage_pause = false;
    if (fits && K->dense)
        ki_saddle_dense_places(K, &K->places);
    else if (fits && ki_saddle_sparse_is_plain(K))
        ki_saddle_sparse_places(K, &K->places);
}

/* Whether the code may factor. */
static bool may_use_code(keel_saddle *K) {
    if (!K->code || (K->sparse && !ki_saddle_sparse_is_plain(K)))
        return false;
    if (K->code_pause > 0) {
        K->code_pause--;
        return false;
    }
    return true;
}

/* Whether the code has the factors: those of augment.h, which may come with a solve, it has not. */
static bool has_code_factors(const keel_saddle *K) {
    return K->code_ready && (K->dense || ki_saddle_sparse_is_plain(K));
}

static void forget(keel_saddle *K) {
    K->stage.ready = false;
    K->factored = K->rescued = K->scaled = false;
    K->rescue = KI_RESCUE_UNKNOWN;
    K->bad_pivot = -1;
    if (K->null_operator)
        K->null_operator->ready = false;
}

static void clear_D(keel_saddle *K) {
    if (!K->D_is_zero)
        memset(K->D, 0, (size_t)K->m * sizeof(double));
    K->D_is_zero = true;
}

bool ki_saddle_raises(const keel_saddle *K) {
    return K->may_leave > 0 && threshold_of(K, KI_PIVOT_NOISE) >= KI_PIVOT_NEAR; /* none passes closely */
}

void ki_saddle_set_rules(keel_saddle *K) {
    bool raises = ki_saddle_raises(K);
    K->places.threshold = threshold_of(K, KI_PIVOT_NEAR);
    K->places.delta = raises ? K->settings.delta : 0;
    K->places.left = raises ? K->may_leave : K->places.tolerance;
}

static void prepare_code(keel_saddle *K) {
    if (!K->code_ready && K->dense)
        ki_saddle_dense_clear(K);
    else if (!K->code_ready)
        ki_saddle_sparse_clear(K);
    K->D_factored = K->D;
    K->code_ready = true;
    reset_pivots(K, KI_PIVOT_NOISE);
    ki_saddle_set_rules(K);
}

/* What the code raised. */
static void collect_raised(keel_saddle *K) {
    for (int i = 0; i < K->m && K->places.delta > 0; i++)
        if (K->raised[i])
            K->pivots.row[K->pivots.count++] = i;
}

bool ki_saddle_accelerate(keel_saddle *K, unsigned what, const void *input, void *output, double *x,
                          double *y) {
    const keel_saddle_code *code = K->code;
    if (!code || !code->accelerate || code->what != what || K->settings.path == KEEL_SADDLE_NULL_SPACE ||
        !may_use_code(K))
        return false;
    forget(K);
    clear_D(K);
    prepare_code(K);
    K->factored = code->accelerate(&K->places, input, output, x, y);
    if (K->factored && K->dense)
        collect_raised(K);
    return K->factored;
}

/* Factors by machine code; false if that cannot cope with the values. */
static bool factor_by_code(keel_saddle *K, const double *A, const double *J) {
    prepare_code(K);
    int done = K->code->factor(&K->places, A, J);
    if (done == KI_CODE_BUT_S)
        ki_saddle_dense_factor_S(K);
    else if (done == KI_CODE_ALL && K->dense)
        collect_raised(K);
    if (done == KI_CODE_NOTHING)
        K->code_pause = KI_CODE_PAUSE;
    return done != KI_CODE_NOTHING && !K->pivots.overflow;
}

keel_status keel_saddle_factor(keel_saddle *K, const double *A, const double *J, const double *D) {
    if (!K || (!A && keel_pattern_count(K->A)) || (!J && keel_pattern_count(K->J)))
        return KEEL_ERROR_INPUT;
    forget(K);
    bool finite = true;
    if (D) {
        finite = copy_finite(K->m, D, K->D);
        K->D_is_zero = false;
    } else {
        clear_D(K);
    }
    bool null_space = K->settings.path == KEEL_SADDLE_NULL_SPACE && !D && K->dense;
    if (finite && !null_space && may_use_code(K) && factor_by_code(K, A, J)) {
        K->factored = true;
        return KEEL_OK;
    }
    K->code_ready = false;
    finite &= take_matrices(K, A, J);
    if (!finite)
        return KEEL_ERROR_NOT_FINITE;
    keel_status status = KEEL_OK;
    if (null_space)
        K->pivots.count = K->pivots.near = 0;
    else
        status = ki_factor(K, KI_PIVOT_NOISE);
    if (null_space || (status == KEEL_ERROR_SINGULAR && K->dense)) {
        K->bad_pivot = -1;
        K->pivots.known = false;
        ki_saddle_scale(K);
        status = ki_null_space_factor(K);
        K->rescue = KI_RESCUE_READY;
        K->rescued = true;
    }
    if (status == KEEL_OK && K->null_operator && !D)
        status = ki_null_operator_factor(K);
    K->factored = status == KEEL_OK;
    K->code_ready = K->factored && K->code && K->sparse; /* the factors are where the code looks for them */
    return status;
}

/* x, y <- K'^-1 (r, s) by machine code, whatever the residual. */
static keel_status apply_by_code(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    double tolerance = K->places.tolerance;
    K->places.tolerance = 1;
    K->code->solve(&K->places, r, s, x, y);
    K->places.tolerance = tolerance;
    return KEEL_OK;
}

void ki_apply(keel_saddle *K, double *x, double *y) {
    if (K->dense && K->rescued)
        ki_null_space_apply(K, x, y);
    else if (ki_saddle_by_operator(K))
        ki_null_operator_apply(K, x, y);
    else if (has_code_factors(K))
        apply_by_code(K, x, y, x, y);
    else if (K->sparse)
        ki_saddle_sparse_apply(K, x, y);
    else
        ki_saddle_dense_apply(K, x, y);
}

bool ki_saddle_times(const keel_saddle *K, const double *A, const double *x, double *out) {
    if (!K->code)
        return false;
    K->code->times(A, x, out);
    return true;
}

bool ki_saddle_row_sums(const keel_saddle *K, const double *J, const double *x, double *out) {
    if (!K->code)
        return false;
    K->code->row_sums(J, x, out);
    return true;
}

bool ki_saddle_pivots(const keel_saddle *K, double *pivot, double *size) {
    if (!K->factored || !K->pivots.known)
        return false;
    if (K->sparse)
        ki_saddle_sparse_pivots(K, pivot);
    else
        ki_saddle_dense_pivots(K, pivot);
    for (int i = 0; i < K->m; i++)
        size[i] = K->S_size[i];
    for (int k = 0; k < K->pivots.count; k++) {
        int row = K->pivots.row[k];
        pivot[row] -= size[row] > 0 ? K->pivots.delta * size[row] : pivot[row];
    }
    return true;
}

static void copy(int count, const double *from, double *to) {
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* Solves by machine code; false if the residual wants a closer look. */
static bool solve_by_code(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    return !K->rescued && K->code->solve(&K->places, r ? r : K->zero, s ? s : K->zero, x, y);
}

keel_status keel_saddle_solve(keel_saddle *K, const double *r, const double *s, double *x, double *y,
                              keel_saddle_info *info) {
    if (!K || (!x && K->n) || (!y && K->m))
        return KEEL_ERROR_INPUT;
    if (info)
        *info = (keel_saddle_info){.worst_row = -1};
    if (!K->factored)
        return KEEL_ERROR_SINGULAR;
    if (!info && has_code_factors(K) && solve_by_code(K, r, s, x, y))
        return KEEL_OK;
    bool finite = take_vector(K->n, r, K->r);
    finite &= take_vector(K->m, s, K->s);
    if (!finite)
        return KEEL_ERROR_NOT_FINITE;
    ki_start(K);
    keel_status status = ki_refine(K, info);
    if (status < 0)
        return status;
    copy(K->n, K->x, x);
    copy(K->m, K->y, y);
    return status;
}

/* One application of the factors if `plain`, otherwise all that a solve is. */
static keel_status solve_plainly(keel_saddle *K, bool plain, const double *r, const double *s, double *x,
                                 double *y) {
    if (!plain || !K->factored || K->rescued || K->null_operator || K->pivots.near > 0)
        return keel_saddle_solve(K, r, s, x, y, NULL);
    if (has_code_factors(K)) {
        bool given = (!r || is_finite(K->n, r)) && (!s || is_finite(K->m, s));
        return given ? apply_by_code(K, r ? r : K->zero, s ? s : K->zero, x, y) : KEEL_ERROR_NOT_FINITE;
    }
    bool finite = take_vector(K->n, r, x);
    finite &= take_vector(K->m, s, y);
    if (!finite)
        return KEEL_ERROR_NOT_FINITE;
    ki_apply(K, x, y);
    return KEEL_OK;
}

keel_status ki_saddle_solve_once(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    return solve_plainly(K, K->pivots.count == 0, r, s, x, y);
}

keel_status ki_saddle_solve_leaving(keel_saddle *K, const double *r, const double *s, double *x, double *y) {
    return solve_plainly(K, K->pivots.count == 0 || K->may_leave > 0, r, s, x, y);
}

keel_status keel_saddle_least_norm(keel_saddle *K, double *y) {
    if (!K || (!y && K->m))
        return KEEL_ERROR_INPUT;
    if (!K->factored)
        return KEEL_ERROR_SINGULAR;
    if (K->pivots.count == 0 && K->pivots.near == 0 && !K->rescued)
        return KEEL_OK;
    bool ready = prepare_rescue(K);
    if (K->dense)
        ki_null_space_least_norm(K, y); /* needs J only, which is factored in any case */
    else if (ready)
        ki_deflation_least_norm(K, y);
    return KEEL_OK;
}

void keel_saddle_set_dependent(keel_saddle *K, double least) {
    if (!K)
        return;
    K->settings.dependent = least;
    K->factored = false;
}

keel_saddle_path keel_saddle_path_taken(const keel_saddle *K) {
    if (!K)
        return KEEL_SADDLE_AUTO;
    return K->path;
}

int keel_saddle_regularized(const keel_saddle *K) {
    if (!K)
        return 0;
    return K->pivots.count > 0 || (K->dense && K->rescued && ki_null_space_dependent(K) > 0);
}

int keel_saddle_bad_pivot(const keel_saddle *K) {
    if (!K)
        return -1;
    return K->bad_pivot;
}

double keel_saddle_factor_work(const keel_saddle *K) {
    if (!K)
        return 0;
    return K->sparse ? ki_saddle_sparse_work(K->sparse) : ki_saddle_dense_work(K);
}

long keel_saddle_factor_entries(const keel_saddle *K) {
    if (!K)
        return 0;
    long n = K->n, m = K->m;
    return K->sparse ? ki_saddle_sparse_entries(K->sparse) : n * (n + 1) / 2 + n * m + m * (m + 1) / 2;
}
