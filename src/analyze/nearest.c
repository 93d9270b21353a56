#include "analyze/nearest.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { MOST_STEPS = 150, LEAST_STEPS = 30, FREE_STEPS = 2 };

/* A step costs some n^3: so much is spent on all. */
static const double MOST_WORK = 3e8;

/* The longest step, in natural sizes: half a radian, half the extent. A step that vanishes; one that is
 * round-off if it does not get shorter; one that will do where all steps are used up. */
static const double LONGEST = 0.5, VANISHED = 1e-13, STALLED = 1e-10, SHORT = 1e-8;

/* Steps are relaxed to a fraction in these bounds, longer ones than NEAR to a whole step at the most. */
static const double NEAR = 0.3, LEAST_FRACTION = 0.05, LARGEST_FRACTION = 3;

/* How much more springs count where there are no ranks. */
static const double SPRINGS_COUNT = 10;

/* Velocities below this part of the largest are round-off. */
static const double ROUND_OFF = 1e-15;

keel_status ki_nearest_init(ki_nearest *nearest, const keel_system *system, ki_independence *look) {
    *nearest = (ki_nearest){.system = system, .look = look, .n = system->n_v};
    ki_arena *arena = &nearest->arena;
    ki_arena_init(arena);
    keel_status status = ki_changes_build(system, arena, &nearest->changes);
    if (status)
        return status;
    nearest->count = nearest->changes.count;
    size_t n = (size_t)nearest->n, count = (size_t)nearest->count;
    nearest->limit = ki_repeated_limit(system);
    nearest->value = KI_NEW(arena, double, count);
    nearest->C = KI_NEW(arena, double, count *n);
    nearest->x = KI_NEW(arena, double, n);
    nearest->along = KI_NEW(arena, double, n);
    nearest->before = KI_NEW(arena, double, n);
    nearest->Z = KI_NEW(arena, double, n *n);
    nearest->Z_new = KI_NEW(arena, double, n *n);
    nearest->B = KI_NEW(arena, double, count *n);
    nearest->M = KI_NEW(arena, double, n *count);
    nearest->g = KI_NEW(arena, double, count);
    nearest->y = KI_NEW(arena, double, n);
    nearest->u = KI_NEW(arena, double, n);
    nearest->beta = KI_NEW(arena, double, n);
    nearest->whole = KI_NEW(arena, double, count);
    nearest->left = KI_NEW(arena, double, count);
    nearest->row = KI_NEW(arena, int, count);
    double n_3 = (double)nearest->n * nearest->n * nearest->n;
    nearest->most_steps = (int)fmax(LEAST_STEPS, fmin(MOST_STEPS, MOST_WORK / fmax(n_3, 1)));
    bool met[KI_CHANGE_GROUPS] = {false};
    for (int i = 0; i < nearest->count; i++)
        met[nearest->changes.group[i][0]] = true;
    int groups = 0;
    for (int g = 0; g < KI_CHANGE_PART_MOVE; g++)
        groups += met[g];
    nearest->has_ranks = groups > 1;
    return arena->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

void ki_nearest_clear(ki_nearest *nearest) {
    ki_arena_free(&nearest->arena);
    *nearest = (ki_nearest){0};
}

static double length_of(int n, const double *x) {
    return sqrt(ki_dot(n, x, x));
}

/* Values and rows at a pose, weighed, in natural sizes. */
static void load(ki_nearest *s, const double *q, bool velocities) {
    const double *q_size = s->system->q_size;
    ki_changes_at(s->system, s->look->work, q, &s->changes, velocities, s->value, s->C);
    for (int i = 0; i < s->count; i++) {
        double *row = s->C + (size_t)i * (size_t)s->n, weight = s->changes.weight[i][velocities];
        if (!s->ranked && s->changes.group[i][velocities] == KI_CHANGE_SPRING)
            weight *= SPRINGS_COUNT;
        s->value[i] *= weight;
        for (int j = 0; j < s->n; j++)
            row[j] *= weight * q_size[j];
        s->whole[i] = length_of(s->n, row);
    }
}

/* ---- one group ----------------------------------------------------------------------------------------- */

/* An orthonormal basis of the rows B [rows x k], into its first rows: the longest first, those that see less
 * than `limit` of what they might left out. Returns how many. */
static int row_space(ki_nearest *s, int rows, int k) {
    int rank = 0;
    for (; rank < rows && rank < k; rank++) {
        int best = -1;
        for (int i = rank; i < rows; i++) {
            s->left[i] = length_of(k, s->B + (size_t)i * (size_t)k);
            if (s->left[i] > s->limit * s->whole[s->row[i]] && (best < 0 || s->left[i] > s->left[best]))
                best = i;
        }
        if (best < 0)
            break;
        double *first = s->B + (size_t)rank * (size_t)k, *longest = s->B + (size_t)best * (size_t)k;
        int row = s->row[rank];
        s->row[rank] = s->row[best], s->row[best] = row;
        for (int j = 0; j < k; j++) {
            double x = longest[j] / s->left[best];
            longest[j] = first[j], first[j] = x;
        }
        for (int i = rank + 1; i < rows; i++)
            for (int again = 0; again < 2; again++) { /* the second time takes out what round-off left */
                double *other = s->B + (size_t)i * (size_t)k;
                ki_axpy(k, -ki_dot(k, other, first), first, other);
            }
    }
    return rank;
}

/* min |M u + g| by reflections; M [rank columns of `rows`] of full rank and g are lost. */
static void least_squares(double *M, int rows, int rank, double *g, double *u) {
    for (int l = 0; l < rank; l++) {
        double *column = M + (size_t)l * (size_t)rows, alpha;
        double beta = ki_reflection_make(rows - l, column + l, &alpha);
        for (int i = l + 1; i < rank; i++)
            ki_reflection_apply(rows - l, column + l, beta, M + (size_t)i * (size_t)rows + l);
        ki_reflection_apply(rows - l, column + l, beta, g + l);
        u[l] = alpha; /* the diagonal, until it is needed */
    }
    for (int l = rank - 1; l >= 0; l--) {
        double sum = -g[l];
        for (int i = l + 1; i < rank; i++)
            sum -= M[(size_t)i * (size_t)rows + (size_t)l] * u[i];
        u[l] = sum / u[l];
    }
}

/* Z becomes what the basis B [rank x k] leaves of it: H_0 .. H_{rank-1} e_i of the reflections that bring B
 * to the first unit vectors. */
static int leave(ki_nearest *s, int rank, int k) {
    for (int l = 0; l < rank; l++) {
        double *v = s->B + (size_t)l * (size_t)k, alpha;
        s->beta[l] = ki_reflection_make(k - l, v + l, &alpha);
        for (int i = l + 1; i < rank; i++)
            ki_reflection_apply(k - l, v + l, s->beta[l], s->B + (size_t)i * (size_t)k + l);
    }
    memset(s->Z_new, 0, (size_t)(k - rank) * (size_t)s->n * sizeof *s->Z_new);
    for (int i = rank; i < k; i++) {
        memset(s->y, 0, (size_t)k * sizeof *s->y);
        s->y[i] = 1;
        for (int l = rank - 1; l >= 0; l--)
            ki_reflection_apply(k - l, s->B + (size_t)l * (size_t)k + l, s->beta[l], s->y + l);
        for (int j = 0; j < k; j++)
            ki_axpy(s->n, s->y[j], s->Z + (size_t)j * (size_t)s->n,
                    s->Z_new + (size_t)(i - rank) * (size_t)s->n);
    }
    double *Z = s->Z;
    s->Z = s->Z_new;
    s->Z_new = Z;
    return k - rank;
}

/* Without ranks all but the places of parts are one group, that of turning joints. */
static ki_change_group group_of(const ki_nearest *s, int i, bool velocities) {
    ki_change_group group = s->changes.group[i][velocities];
    return s->ranked || group == KI_CHANGE_PART_MOVE ? group : KI_CHANGE_JOINT_TURN;
}

/* x <- x + Z y with |c + C (x + Z y)| of a group least; Z loses what the group sees. Returns what is left. */
static int settle_group(ki_nearest *s, ki_change_group group, bool velocities, int k) {
    int rows = 0, n = s->n;
    for (int i = 0; i < s->count; i++)
        if (group_of(s, i, velocities) == group)
            s->row[rows++] = i;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++)
            s->B[(size_t)i * (size_t)k + (size_t)j] =
                ki_dot(n, s->C + (size_t)s->row[i] * (size_t)n, s->Z + (size_t)j * (size_t)n);
    int rank = row_space(s, rows, k);
    if (rank == 0)
        return k;
    for (int l = 0; l < rank; l++) { /* Z b_l, and what the rows see of it */
        memset(s->y, 0, (size_t)n * sizeof *s->y);
        for (int j = 0; j < k; j++)
            ki_axpy(n, s->B[(size_t)l * (size_t)k + (size_t)j], s->Z + (size_t)j * (size_t)n, s->y);
        for (int i = 0; i < rows; i++)
            s->M[(size_t)l * (size_t)rows + (size_t)i] =
                ki_dot(n, s->C + (size_t)s->row[i] * (size_t)n, s->y);
        memcpy(s->Z_new + (size_t)l * (size_t)n, s->y, (size_t)n * sizeof *s->y);
    }
    for (int i = 0; i < rows; i++)
        s->g[i] =
            (velocities ? 0 : s->value[s->row[i]]) + ki_dot(n, s->C + (size_t)s->row[i] * (size_t)n, s->x);
    least_squares(s->M, rows, rank, s->g, s->u);
    for (int l = 0; l < rank; l++)
        ki_axpy(n, s->u[l], s->Z_new + (size_t)l * (size_t)n, s->x);
    return leave(s, rank, k);
}

/* s->x becomes the nearest of all steps x + Z y. */
static void settle(ki_nearest *s, bool velocities, int k) {
    for (int group = 0; group < KI_CHANGE_GROUPS && k > 0; group++)
        k = settle_group(s, (ki_change_group)group, velocities, k);
}

/* ---- poses and velocities ------------------------------------------------------------------------------ */

/* The fraction of the next step that would have made this one vanish, if the one before had been taken by it:
 * Aitken's relaxation. Errors that a step multiplies by rho fall by 1 - fraction (1 - rho). */
static double relax(const ki_nearest *s, double fraction) {
    double square = ki_dot(s->n, s->before, s->before), rho = ki_dot(s->n, s->along, s->before) / square;
    return fmin(fmax(fraction / fmax(1 - rho, 1e-3), LEAST_FRACTION), LARGEST_FRACTION);
}

/* s->x = what closes the rows, s->along = what then leads on to the nearest pose; the length of both. */
static double find_step(ki_nearest *s, const keel_point *at) {
    double violation;
    int k = ki_closing_steps(s->look, at, false, NULL, s->x, s->Z, &violation);
    if (k < 0)
        return NAN;
    memcpy(s->along, s->x, (size_t)s->n * sizeof *s->x);
    load(s, at->q, false);
    settle(s, false, k);
    double length = ki_max_norm(s->n, s->x);
    for (int j = 0; j < s->n; j++) {
        double closing = s->along[j];
        s->along[j] = s->x[j] - closing;
        s->x[j] = closing;
    }
    return length;
}

bool ki_nearest_pose(ki_nearest *s, const keel_point *at, bool ranked, double *q, int *steps) {
    s->ranked = ranked;
    double previous = INFINITY, fraction = 1;
    keel_point there = *at;
    there.q = q;
    for (*steps = 0; *steps < s->most_steps; ++*steps) {
        double length = find_step(s, &there);
        if (!isfinite(length))
            return false;
        if (length <= VANISHED || (length <= STALLED && length > 0.5 * previous))
            return true;
        fraction = *steps < FREE_STEPS ? 1 : relax(s, fraction);
        if (length > NEAR)
            fraction = fmin(fraction, 1);
        memcpy(s->before, s->along, (size_t)s->n * sizeof *s->along);
        previous = length;
        ki_axpy(s->n, fraction, s->along, s->x);
        double part = fmin(1, LONGEST / ki_max_norm(s->n, s->x));
        for (int j = 0; part < 1 && j < s->n; j++)
            s->x[j] *= part;
        fraction *= part;
        ki_move_naturally(s->look, s->x, q);
    }
    return previous < SHORT;
}

void ki_nearest_velocities(ki_nearest *s, const keel_point *at, const bool *without, double *v) {
    const double *q_size = s->system->q_size;
    double violation;
    keel_point there = *at;
    s->ranked = true;
    memset(v, 0, (size_t)s->n * sizeof *v);
    there.v = v;
    int k = ki_closing_steps(s->look, &there, true, without, s->x, s->Z, &violation);
    if (k < 0)
        return;
    load(s, at->q, true);
    settle(s, true, k);
    double most = ki_max_norm(s->n, s->x);
    for (int j = 0; j < s->n; j++)
        v[j] = fabs(s->x[j]) > ROUND_OFF * most ? s->x[j] * q_size[j] : 0;
}
