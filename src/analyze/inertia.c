/* inertia.c - bodies that can be moved without resistance.
 *
 * Accelerations are determined if no displacement x is allowed by the rows J and free of mass at once:
 *
 *     J x = 0,  M x = 0   only for x = 0.
 *
 * Where the saddle-point matrix of M and J has no inverse, the bodies that such x move are named. Components
 * of x are measured in displacements of ordinary size (keel_system.q_size).
 */
#include <math.h>
#include <string.h>

#include "analyze/mobility.h"
#include "keel/rank.h"
#include "keel/saddle.h"
#include "linalg/dense.h"

/* Entries of M and J below this part of the largest are round-off; twists below that part are none. */
static const double NOISE = 1e-13, NO_TWIST = 1e-6;

static const double MOST_ENTRIES = 4e6;

typedef struct inertia {
    const keel_system *system;
    keel_point at;
    void *work;
    ki_arena arena;
    double *M, *J;
    double *both; /* [n_v x (m + n_v)] the transposed of (J; M), scaled */
    int free_count;
    double *free; /* [free_count x n_v] the x */
} inertia;

static double size_of(const keel_system *system, int j) {
    return system->q_size ? system->q_size[j] : 1;
}

/* A length that makes shifts comparable with turns: where all x only turn, shifts are round-off. */
static double longest_size(const keel_system *system) {
    double longest = 0;
    for (int j = 0; j < system->n_v; j++)
        longest = fmax(longest, size_of(system, j));
    return longest;
}

/* Divides a column of `both` by its largest entry, or all columns of M by that of M, and clears round-off. */
static void clear_noise(double *both, int columns, int n, int from, int to) {
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int k = from; k < to; k++)
            most = fmax(most, fabs(both[i * columns + k]));
    for (int i = 0; i < n; i++)
        for (int k = from; k < to; k++) {
            double *entry = &both[i * columns + k];
            *entry = fabs(*entry) > NOISE * most ? *entry / most : 0;
        }
}

static void stack(const inertia *f) {
    const keel_system *sys = f->system;
    int n = sys->n_v, m = keel_system_m(sys), columns = m + n;
    for (int i = 0; i < m; i++)
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++)
            f->both[sys->J.index[k] * columns + i] = size_of(sys, sys->J.index[k]) * f->J[k];
    for (int i = 0; i < n; i++)
        for (int k = sys->M.start[i]; k < sys->M.start[i + 1]; k++) {
            int j = sys->M.index[k];
            double entry = size_of(sys, i) * size_of(sys, j) * f->M[k];
            f->both[i * columns + m + j] = f->both[j * columns + m + i] = entry;
        }
    for (int i = 0; i < m; i++)
        clear_noise(f->both, columns, n, i, i + 1);
    clear_noise(f->both, columns, n, m, columns);
}

static keel_status find_free(inertia *f) {
    const keel_system *sys = f->system;
    int n = sys->n_v, columns = keel_system_m(sys) + n;
    int *start = KI_NEW(&f->arena, int, n + 1), *index = KI_NEW(&f->arena, int, (size_t)n *(size_t)columns);
    f->both = KI_NEW(&f->arena, double, (size_t)n *(size_t)columns);
    if (f->arena.failed)
        return KEEL_ERROR_MEMORY;
    stack(f);
    for (int i = 0; i < n; i++) {
        start[i + 1] = (i + 1) * columns;
        for (int k = 0; k < columns; k++)
            index[i * columns + k] = k;
    }
    keel_rank rank = {0};
    keel_status status = keel_rank_compute((keel_pattern){n, columns, start, index}, f->both, 0, &rank);
    if (status < 0)
        return status;
    f->free_count = rank.dependent_count;
    f->free = KI_NEW(&f->arena, double, (size_t)f->free_count *(size_t)n);
    for (int k = 0; f->free && k < f->free_count * n; k++)
        f->free[k] = rank.null_space[k] * size_of(sys, k % n);
    keel_rank_clear(&rank);
    return f->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* How far the x move a body: angles and distances. */
static void measure(const inertia *f, const double *B, double *turn, double *shift) {
    int n = f->system->n_v;
    *turn = *shift = 0;
    for (int k = 0; k < f->free_count; k++)
        for (int i = 0; i < 6; i++) {
            double *most = i < 3 ? turn : shift;
            *most = fmax(*most, fabs(ki_dot(n, B + i * n, f->free + (size_t)k * (size_t)n)));
        }
}

static keel_status name_bodies(inertia *f, int bodies, keel_diagnostics *diagnostics) {
    double *B = KI_NEW(&f->arena, double, 6 * (size_t)f->system->n_v);
    double *turn = KI_NEW(&f->arena, double, bodies + 1), *shift = KI_NEW(&f->arena, double, bodies + 1);
    double length = longest_size(f->system), most = 0;
    int told = 0;
    if (f->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int b = 1; b <= bodies; b++) {
        keel_mechanism_body_jacobian(f->system, f->work, &f->at, b, B);
        measure(f, B, &turn[b], &shift[b]);
        most = fmax(most, fmax(turn[b], shift[b] / length));
    }
    for (int b = 1; b <= bodies; b++) {
        bool turns = turn[b] > NO_TWIST * most, shifts = shift[b] / length > NO_TWIST * most;
        if ((!turns && !shifts) || told++ >= KEEL_LOCKED_TOLD)
            continue;
        keel_diagnostics_add(diagnostics, KEEL_ERROR, keel_mechanism_body_where(f->system, b),
                             turns
                                 ? "body '%s' can turn in a way that no inertia resists, so that its "
                                   "acceleration is not determined: give it an `inertia` or a shape, or "
                                   "joints that hold it"
                                 : "body '%s' can move in a way that no mass resists, so that its "
                                   "acceleration is not determined: give it a `mass`, or joints that hold it",
                             keel_mechanism_body_name(f->system, b));
    }
    return told ? KEEL_ERROR_INPUT : KEEL_OK;
}

/* *lost: the matrix of the accelerations has no inverse. */
static keel_status factor(inertia *f, bool *lost) {
    const keel_system *sys = f->system;
    f->M = KI_NEW(&f->arena, double, keel_pattern_count(sys->M));
    f->J = KI_NEW(&f->arena, double, keel_pattern_count(sys->J));
    keel_terms terms = {.M = f->M, .J = f->J};
    if (f->arena.failed)
        return KEEL_ERROR_MEMORY;
    keel_status status = sys->evaluate(sys, f->work, KEEL_MASS | KEEL_JACOBIAN, &f->at, &terms);
    if (status < 0)
        return status;
    keel_saddle *K = keel_saddle_new(sys->M, sys->J, NULL);
    if (!K)
        return KEEL_ERROR_MEMORY;
    status = keel_saddle_factor(K, f->M, f->J, NULL);
    keel_saddle_free(K);
    *lost = status == KEEL_ERROR_SINGULAR;
    return status == KEEL_ERROR_MEMORY ? status : KEEL_OK;
}

keel_status keel_inertia_check(const keel_system *system, const keel_state *state, double most_entries,
                               keel_diagnostics *diagnostics) {
    if (!system || !state)
        return KEEL_ERROR_INPUT;
    keel_mechanism_facts facts;
    bool lost = false;
    if (!keel_mechanism_look(system, &facts))
        return KEEL_ERROR_INPUT;
    double entries = (double)system->n_v * (system->n_v + keel_system_m(system));
    if (system->n_v == 0 || entries > (most_entries > 0 ? most_entries : MOST_ENTRIES))
        return KEEL_OK;
    inertia f = {.system = system,
                 .at = {state->t, state->q, state->v, state->z, state->s, state->lambda, NULL}};
    ki_arena_init(&f.arena);
    keel_status status = system->work_new(system, &f.work);
    if (status >= 0)
        status = factor(&f, &lost);
    if (!status && lost)
        status = find_free(&f);
    if (!status && lost)
        status = name_bodies(&f, facts.bodies, diagnostics);
    ki_arena_free(&f.arena);
    if (f.work)
        system->work_free(f.work);
    return status;
}
