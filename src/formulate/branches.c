#include "formulate/branches.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Poses from which directions are taken, and differences of H, in natural sizes. With the formula of order 4
 * the error of the latter is 1e-12, as is that by round-off. */
static const double DISTANCE = 2e-3, DIFFERENCE = 2e-3;

/* Tangents that differ by less, as the sine of an angle, are the same. */
static const double SAME = 0.02;

/* What counts as zero in g_d(x) for displacements that rows allow. */
static const double NOTHING = 1e-6;

static double length_of(int n, const double *x) {
    return sqrt(ki_dot(n, x, x));
}

/* The work of one search. */
typedef struct finder {
    ki_independence *look;
    const keel_point *at;
    int n, m, stresses, kernel; /* self-stresses, displacements that H allows */
    double *y;                  /* [stresses x m] y_d in the scale of H       */
    double *K;                  /* [kernel x n]                               */
    double *g;                  /* [stresses x n] g_d(x)                      */
    double *x, *step, *moved;   /* [n]; [n_q]                                 */
    double *rows;               /* [stresses + 1, kernel] and more: scratch   */
} finder;

/* y_d^T H at q_0 (+) e x, times `factor`, added to g. */
static keel_status add_rows(finder *f, double e, double factor) {
    ki_independence *look = f->look;
    keel_point there = *f->at;
    memcpy(f->moved, f->at->q, (size_t)look->system->n_q * sizeof(double));
    for (int j = 0; j < f->n; j++)
        f->step[j] = e * f->x[j];
    ki_move_naturally(look, f->step, f->moved);
    there.q = f->moved;
    keel_status status = ki_load_rows(look, &there);
    for (int d = 0; !status && d < f->stresses; d++)
        for (int i = 0; i < f->m; i++)
            if (f->y[(size_t)d * (size_t)f->m + (size_t)i] != 0)
                ki_axpy(f->n, factor * f->y[(size_t)d * (size_t)f->m + (size_t)i],
                        look->H + (size_t)i * (size_t)f->n, f->g + (size_t)d * (size_t)f->n);
    return status;
}

/* g_d(x): central differences of order 4. */
static keel_status second_order(finder *f) {
    const double h = DIFFERENCE;
    memset(f->g, 0, (size_t)f->stresses * (size_t)f->n * sizeof *f->g);
    keel_status status = add_rows(f, h, 8 / (12 * h));
    if (!status)
        status = add_rows(f, -h, -8 / (12 * h));
    if (!status)
        status = add_rows(f, 2 * h, -1 / (12 * h));
    if (!status)
        status = add_rows(f, -2 * h, 1 / (12 * h));
    return status;
}

/* Newton's method within the kernel: 2 g_d(x) dx = -g_d(x) x, dx orthogonal to x. */
static keel_status make_exact(finder *f) {
    enum { MOST = 8 };
    int n = f->n, k = f->kernel;
    for (int iteration = 0; iteration < MOST; iteration++) {
        keel_status status = second_order(f);
        if (status)
            return status;
        double *A = f->rows, *b = A + (size_t)(f->stresses + 1) * (size_t)k;
        for (int d = 0; d < f->stresses; d++) {
            const double *g = f->g + (size_t)d * (size_t)n;
            for (int i = 0; i < k; i++)
                A[(size_t)d * (size_t)k + (size_t)i] = 2 * ki_dot(n, g, f->K + (size_t)i * (size_t)n);
            b[d] = -ki_dot(n, g, f->x);
        }
        for (int i = 0; i < k; i++)
            A[(size_t)f->stresses * (size_t)k + (size_t)i] = ki_dot(n, f->K + (size_t)i * (size_t)n, f->x);
        b[f->stresses] = 0;
        double *u = b + f->stresses + 1;
        ki_least_squares(f->stresses + 1, k, A, b, NOTHING, u);
        for (int i = 0; i < k; i++)
            ki_axpy(n, u[i], f->K + (size_t)i * (size_t)n, f->x);
        double length = length_of(n, f->x);
        for (int j = 0; j < n; j++)
            f->x[j] /= length;
        if (length_of(k, u) < 1e-13)
            break;
    }
    return second_order(f);
}

/* T: what K has that no g_d(x) sees. Returns how many. */
static int find_tangents(finder *f, double *T) {
    int n = f->n, k = f->kernel, count = 0, taken = 0;
    double nothing = fmax(NOTHING, ki_repeated_limit(f->look->system)); /* states of one loop say the same */
    double *G = f->rows; /* [stresses x k] g_d(x) K^T, made orthonormal */
    for (int d = 0; d < f->stresses; d++) {
        double *row = G + (size_t)taken * (size_t)k;
        for (int i = 0; i < k; i++)
            row[i] = ki_dot(n, f->g + (size_t)d * (size_t)n, f->K + (size_t)i * (size_t)n);
        double before = length_of(k, row);
        if (before > nothing && ki_orthogonalize(taken, k, G, k, row) * before > nothing)
            taken++;
    }
    double *rest = G + (size_t)(f->stresses + 1) * (size_t)k; /* [k] */
    for (int i = 0; i < k && count < k - taken; i++) { /* unit vectors, orthogonal to G and each other */
        memset(rest, 0, (size_t)k * sizeof *rest);
        rest[i] = 1;
        for (int l = 0; l < taken; l++)
            ki_axpy(k, -ki_dot(k, G + (size_t)l * (size_t)k, rest), G + (size_t)l * (size_t)k, rest);
        double *t = T + (size_t)count * (size_t)n;
        memset(t, 0, (size_t)n * sizeof *t);
        for (int l = 0; l < k; l++)
            ki_axpy(n, rest[l], f->K + (size_t)l * (size_t)n, t);
        double before = length_of(n, t);
        if (before > 1e-3 && ki_orthogonalize(count, n, T, n, t) * before > 1e-3)
            count++;
    }
    return count;
}

/* The largest part of a tangent of T that S does not have. */
static double angle_between(int n, int count, const double *S, const double *T) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double *t = T + (size_t)i * (size_t)n;
        double inside = 0;
        for (int l = 0; l < count; l++) {
            double along = ki_dot(n, S + (size_t)l * (size_t)n, t);
            inside += along * along;
        }
        most = fmax(most, sqrt(fmax(0, 1 - inside)));
    }
    return most;
}

/* The unit vector from q_0 to a pose. */
static bool take_direction(finder *f, const double *pose, double *x) {
    ki_difference(f->look, f->at->q, pose, x);
    double length = length_of(f->n, x);
    for (int j = 0; j < f->n; j++)
        x[j] /= length;
    return length > 0;
}

/* The direction of a pose near by: nearer to q_0 along it, and closed again, unless the drawing is not exact
 * enough for that. */
static bool direction_of(finder *f, const double *sample) {
    static const double ALIKE = 0.95;
    ki_independence *look = f->look;
    if (!take_direction(f, sample, f->x))
        return false;
    memcpy(f->moved, f->at->q, (size_t)look->system->n_q * sizeof(double));
    for (int j = 0; j < f->n; j++)
        f->step[j] = DISTANCE * f->x[j];
    ki_move_naturally(look, f->step, f->moved);
    if (ki_close_joints(look, f->at, f->moved) && take_direction(f, f->moved, f->step) &&
        ki_dot(f->n, f->step, f->x) > ALIKE)
        memcpy(f->x, f->step, (size_t)f->n * sizeof *f->x);
    /* the part in the kernel */
    memset(f->step, 0, (size_t)f->n * sizeof *f->step);
    for (int i = 0; i < f->kernel; i++) {
        const double *K = f->K + (size_t)i * (size_t)f->n;
        ki_axpy(f->n, ki_dot(f->n, K, f->x), K, f->step);
    }
    double length = length_of(f->n, f->step);
    for (int j = 0; j < f->n; j++)
        f->x[j] = f->step[j] / length;
    return length > 0.5;
}

static keel_status prepare(finder *f, ki_independence *look, const keel_point *at) {
    size_t m = (size_t)look->m, n = (size_t)look->n;
    *f = (finder){.look = look, .at = at, .n = look->n, .m = look->m};
    f->y = KI_NEW(&look->arena, double, m *m);
    f->K = KI_NEW(&look->arena, double, n *n);
    f->g = KI_NEW(&look->arena, double, m *n);
    f->x = KI_NEW(&look->arena, double, n);
    f->step = KI_NEW(&look->arena, double, n);
    f->moved = KI_NEW(&look->arena, double, look->system->n_q);
    f->rows = KI_NEW(&look->arena, double, (m + 3) * (n + 3) + m + n + 3);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    keel_status status = ki_take_joints(look, at);
    if (status)
        return status;
    f->kernel = ki_freedoms(look, f->K);
    f->stresses = ki_self_stresses(look, f->y, NULL);
    for (int d = 0; d < f->stresses; d++) /* in the scale of H */
        for (int i = 0; i < f->m; i++)
            f->y[(size_t)d * m + (size_t)i] /= look->scale[i] > 0 ? look->scale[i] : 1;
    return KEEL_OK;
}

keel_status ki_find_branches(ki_branches *branches, ki_independence *look, const keel_point *at) {
    finder f;
    *branches = (ki_branches){.look = look, .freedoms = look->n - look->class_rank[0]};
    if (look->large)
        return KEEL_OK;
    keel_status status = prepare(&f, look, at);
    for (int s = 0; !status && s < look->sample_count && branches->count < KI_BRANCHES_MOST; s++) {
        double *T = KI_NEW(&look->arena, double, (size_t)f.n *(size_t)f.n);
        if (!T)
            return KEEL_ERROR_MEMORY;
        if (!direction_of(&f, look->sample + (size_t)s * (size_t)look->system->n_q))
            continue;
        if ((status = make_exact(&f)))
            break;
        bool known = find_tangents(&f, T) != branches->freedoms;
        for (int b = 0; b < branches->count && !known; b++)
            known = angle_between(f.n, branches->freedoms, branches->tangent[b], T) < SAME;
        if (!known)
            branches->tangent[branches->count++] = T;
    }
    return status;
}

/* One step u of Newton's method for y_d^T H(q + K u) K = 0. Equations of what always repeats are noise. */
static keel_status step_to_meeting(finder *f, double *A, double *r, double *u) {
    static const double NOISE = 1e-3;
    int n = f->n, k = f->kernel, rows = f->stresses * k;
    double *product = f->rows; /* [n] y_d^T H */
    for (int l = 0; l < k; l++) {
        memcpy(f->x, f->K + (size_t)l * (size_t)n, (size_t)n * sizeof(double));
        keel_status status = second_order(f);
        if (status)
            return status;
        for (int d = 0; d < f->stresses; d++)
            for (int i = 0; i < k; i++)
                A[((size_t)d * (size_t)k + (size_t)i) * (size_t)k + (size_t)l] =
                    ki_dot(n, f->g + (size_t)d * (size_t)n, f->K + (size_t)i * (size_t)n);
    }
    keel_status status = ki_load_rows(f->look, f->at);
    for (int d = 0; !status && d < f->stresses; d++) {
        memset(product, 0, (size_t)n * sizeof *product);
        for (int i = 0; i < f->m; i++)
            ki_axpy(n, f->y[(size_t)d * (size_t)f->m + (size_t)i], f->look->H + (size_t)i * (size_t)n,
                    product);
        for (int i = 0; i < k; i++)
            r[d * k + i] = -ki_dot(n, product, f->K + (size_t)i * (size_t)n);
    }
    if (!status)
        ki_least_squares(rows, k, A, r, NOISE, u);
    return status;
}

keel_status ki_find_meeting_pose(ki_independence *look, const keel_point *at, double *q, bool *moved) {
    enum { MOST = 4 };
    static const double FAR = 1e-2, ROUND_OFF = 1e-12;
    finder f;
    keel_point there = *at;
    double *pose = KI_NEW(&look->arena, double, look->system->n_q), way = 0;
    *moved = false;
    if (!pose)
        return KEEL_ERROR_MEMORY;
    memcpy(pose, q, (size_t)look->system->n_q * sizeof *pose);
    there.q = pose;
    for (int i = 0; i < MOST && !look->large; i++) {
        keel_status status = prepare(&f, look, &there);
        if (status)
            return status;
        size_t rows = (size_t)f.stresses * (size_t)f.kernel, k = (size_t)f.kernel;
        double *A = KI_NEW(&look->arena, double, rows *k), *r = KI_NEW(&look->arena, double, rows);
        double *u = KI_NEW(&look->arena, double, k);
        if (look->arena.failed)
            return KEEL_ERROR_MEMORY;
        if (rows == 0 || (status = step_to_meeting(&f, A, r, u)))
            return status;
        double length = length_of(f.kernel, u);
        way += length;
        if (!(way < FAR)) /* branches do not meet like that */
            return KEEL_OK;
        if (length < ROUND_OFF)
            break;
        memset(f.step, 0, (size_t)f.n * sizeof *f.step);
        for (int l = 0; l < f.kernel; l++)
            ki_axpy(f.n, u[l], f.K + (size_t)l * (size_t)f.n, f.step);
        ki_move_naturally(look, f.step, pose);
        *moved = true;
    }
    memcpy(q, pose, (size_t)look->system->n_q * sizeof *pose);
    return KEEL_OK;
}

/* Adds to v, along branch b, as little as gives it the rates that rows other than joints ask for, up to this
 * part of them. */
static bool meet_rates_along(ki_branches *branches, int b, const keel_point *at, const bool *without,
                             double precision, double *v, double *norm) {
    ki_independence *look = branches->look;
    const keel_system *sys = look->system;
    int n = look->n, k = branches->freedoms, rows = 0;
    size_t m = (size_t)look->m;
    double *A = KI_NEW(&look->arena, double, m *(size_t)k), *b_ = KI_NEW(&look->arena, double, m);
    double *u = KI_NEW(&look->arena, double, k);
    keel_point moving = *at;
    if (look->arena.failed)
        return false;
    moving.v = v;
    if (ki_load_rows(look, &moving) ||
        sys->evaluate(sys, look->work, KEEL_VELOCITY, &moving, &look->terms) < 0)
        return false;
    for (int i = 0; i < look->m; i++) {
        if (look->class_of[i] == 0 || look->ignored[i] || (without && without[i]))
            continue;
        for (int l = 0; l < k; l++)
            A[(size_t)rows * (size_t)k + (size_t)l] =
                ki_dot(n, look->H + (size_t)i * (size_t)n, branches->tangent[b] + (size_t)l * (size_t)n);
        b_[rows++] = -look->terms.rate[i] * look->scale[i];
    }
    double asked = length_of(rows, b_), off = ki_least_squares(rows, k, A, b_, NOTHING, u);
    *norm = length_of(k, u);
    for (int l = 0; l < k; l++)
        for (int j = 0; j < n; j++)
            v[j] += u[l] * branches->tangent[b][(size_t)l * (size_t)n + (size_t)j] * look->size[j];
    return precision == INFINITY || off <= precision * asked;
}

bool ki_branch_velocity(ki_branches *branches, int b, const keel_point *at, const bool *without, double *v,
                        double *norm) {
    memset(v, 0, (size_t)branches->look->n * sizeof *v);
    return meet_rates_along(branches, b, at, without, 1e-9, v, norm);
}

bool ki_turn_along(ki_branches *branches, int b, const keel_point *at, double *v) {
    const ki_independence *look = branches->look;
    double *rest = look->step, norm;
    for (int j = 0; j < look->n; j++)
        rest[j] = v[j] / look->size[j], v[j] = 0;
    for (int l = 0; l < branches->freedoms; l++) {
        const double *t = branches->tangent[b] + (size_t)l * (size_t)look->n;
        double part = ki_dot(look->n, t, rest);
        for (int j = 0; j < look->n; j++)
            v[j] += part * t[j] * look->size[j];
    }
    return meet_rates_along(branches, b, at, NULL, INFINITY, v, &norm);
}

double ki_off_branch(const ki_branches *branches, int b, const double *v) {
    const ki_independence *look = branches->look;
    double *rest = look->step;
    for (int j = 0; j < look->n; j++)
        rest[j] = v[j] / look->size[j];
    double all = length_of(look->n, rest);
    for (int again = 0; again < 2; again++)
        for (int l = 0; l < branches->freedoms; l++) {
            const double *t = branches->tangent[b] + (size_t)l * (size_t)look->n;
            ki_axpy(look->n, -ki_dot(look->n, t, rest), t, rest);
        }
    return all > 0 ? length_of(look->n, rest) / all : 0;
}

/* x^T M y over the pattern of M */
static double product(keel_pattern P, const double *M, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            int j = P.index[k];
            sum += M[k] * (i == j ? x[i] * y[i] : x[i] * y[j] + x[j] * y[i]);
        }
    return sum;
}

/* |v|^2 in natural sizes, the size of accelerations that come from velocities alone: where nothing else asks
 * for any, those that are asked for are round-off of these. */
static double square_of_speed(const ki_independence *look, const double *v) {
    double sum = 0;
    for (int j = 0; j < look->n; j++) {
        double natural = v[j] / look->size[j];
        sum += natural * natural;
    }
    return sum;
}

/* The saddle-point system [T^T M T, A^T; A, 0] of the few freedoms, by least squares: A may be of any rank.
 */
bool ki_branch_acceleration(ki_branches *branches, int b, const keel_point *at, const double *M,
                            const double *Q, const double *xi, double *a, double *action) {
    ki_independence *look = branches->look;
    const keel_system *sys = look->system;
    int n = look->n, k = branches->freedoms, rows = 0;
    size_t m = (size_t)look->m, size = (size_t)k + m;
    double *T = KI_NEW(&look->arena, double, (size_t)k *(size_t)n);
    double *S = KI_NEW(&look->arena, double, size *size), *c = KI_NEW(&look->arena, double, size);
    double *u = KI_NEW(&look->arena, double, size);
    int *row = KI_NEW(&look->arena, int, m);
    if (look->arena.failed || ki_load_rows(look, at))
        return false;
    for (int i = 0; i < look->m; i++)
        if (look->class_of[i] != 0 && !look->ignored[i])
            row[rows++] = i;
    size_t all = (size_t)k + (size_t)rows;
    double mass = 0;
    for (int l = 0; l < k; l++)
        for (int j = 0; j < n; j++)
            T[l * n + j] = branches->tangent[b][(size_t)l * (size_t)n + (size_t)j] * look->size[j];
    for (int l = 0; l < k; l++) {
        for (int h = 0; h < k; h++)
            S[(size_t)l * all + (size_t)h] = product(sys->M, M, T + l * n, T + h * n);
        mass = fmax(mass, S[(size_t)l * all + (size_t)l]);
        c[l] = ki_dot(n, T + l * n, Q);
    }
    for (int r = 0; r < rows; r++) {
        for (int l = 0; l < k; l++) {
            double entry = ki_dot(n, look->H + (size_t)row[r] * (size_t)n,
                                  branches->tangent[b] + (size_t)l * (size_t)n) *
                           mass;
            S[((size_t)k + (size_t)r) * all + (size_t)l] = S[(size_t)l * all + (size_t)k + (size_t)r] = entry;
        }
        c[k + r] = xi[row[r]] * look->scale[row[r]] * mass;
    }
    double asked = length_of((int)all, c) + mass * square_of_speed(branches->look, at->v);
    double off = ki_least_squares((int)all, (int)all, S, c, 1e-12, u);
    memset(a, 0, (size_t)n * sizeof *a);
    for (int l = 0; l < k; l++)
        ki_axpy(n, u[l], T + l * n, a);
    *action = product(sys->M, M, a, a) / 2 - ki_dot(n, a, Q);
    return off <= 1e-6 * asked;
}
