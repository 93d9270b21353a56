/* N four-bar windows (models/a02_four_bars.yaml) with one angle per upright bar, from the upright, and one
 * condition per coupler: its length. B_k = (k + sin q_k, cos q_k), t_k = (cos q_k, -sin q_k), n_k = (sin q_k,
 * cos q_k); for the coupler between j = k-1 and k
 *
 *     d = B_k - B_j,   Phi = (d.d - 1)/2,   Phi_k = d.t_k,   Phi_j = -d.t_j
 *     Phi_kk = 1 - d.n_k,   Phi_jj = 1 + d.n_j,   Phi_jk = -t_j.t_k
 *
 * J is small in flat poses as a whole, where other coordinates make it lose rank. Bars and couplers are
 * slender, 1 m and 1 kg: a coupler has (|B_j'|^2 + |B_k'|^2 + B_j'.B_k')/6.
 */
#include "equations.h"

#include <math.h>
#include <stdlib.h>

static const double g = 9.81;

/* How many couplers end on bar k. */
static int ends(int N, int k) {
    return (k > 0) + (k < N);
}

typedef struct bar {
    double s, c;
} bar;

typedef struct coupler {
    double x, y;             /* d           */
    double k, j, kk, jj, jk; /* derivatives */
} coupler;

static coupler coupler_of(bar j, bar k) {
    coupler e = {.x = 1 + k.s - j.s, .y = k.c - j.c};
    e.k = e.x * k.c - e.y * k.s;
    e.j = -e.x * j.c + e.y * j.s;
    e.kk = 1 - e.x * k.s - e.y * k.c;
    e.jj = 1 + e.x * j.s + e.y * j.c;
    e.jk = -(j.c * k.c + j.s * k.s);
    return e;
}

/* Everything of bar k alone and of the coupler on its left. Lower triangle of M: [0] | [1] [2] | [3] [4] |
 * ... */
static void evaluate_bar(int N, unsigned what, int k, bar j, bar b, const keel_point *at, keel_terms *terms) {
    const double *v = at->v;
    double cos_d = j.c * b.c + j.s * b.s, sin_d = b.s * j.c - b.c * j.s;
    if (what & KEEL_MASS) {
        terms->M[2 * k] = (1.0 + ends(N, k)) / 3;
        if (k > 0)
            terms->M[2 * k - 1] = cos_d / 6;
    }
    if (what & KEEL_FORCE) {
        terms->Q[k] = g * (1 + ends(N, k)) / 2 * b.s;
        if (k > 0) {
            terms->Q[k] -= sin_d * v[k - 1] * v[k - 1] / 6;
            terms->Q[k - 1] += sin_d * v[k] * v[k] / 6;
        }
    }
    if (k == 0 || !(what & (KEEL_JACOBIAN | KEEL_XI | KEEL_POSITION | KEEL_VELOCITY)))
        return;
    coupler e = coupler_of(j, b);
    if (what & KEEL_JACOBIAN)
        terms->J[2 * k - 2] = e.j, terms->J[2 * k - 1] = e.k;
    if (what & KEEL_XI)
        terms->xi[k - 1] = -(e.kk * v[k] * v[k] + e.jj * v[k - 1] * v[k - 1] + 2 * e.jk * v[k] * v[k - 1]);
    if (what & KEEL_POSITION)
        terms->Phi[k - 1] = (e.x * e.x + e.y * e.y - 1) / 2;
    if (what & KEEL_VELOCITY)
        terms->rate[k - 1] = e.j * v[k - 1] + e.k * v[k];
}

/* Derivatives of M a + J^T lambda - Q: row k has k-1, k, k+1 by q and the two neighbours by v (see
 * fourbar_make). */
static void tangent_bar(int N, int k, bar j, bar b, const keel_point *at, double *row, double *row_left) {
    const double *v = at->v, *a = at->a;
    row[k > 0] = -g * (1 + ends(N, k)) / 2 * b.c;
    if (k == 0)
        return;
    double cos_d = j.c * b.c + j.s * b.s, sin_d = b.s * j.c - b.c * j.s, lambda = at->lambda[k - 1];
    coupler e = coupler_of(j, b);
    int left = k > 1; /* bar k-1 has a neighbour on its left */
    double by_j = (sin_d * a[k - 1] - cos_d * v[k - 1] * v[k - 1]) / 6;
    double by_k = (sin_d * a[k] + cos_d * v[k] * v[k]) / 6;
    row[0] = by_j + lambda * e.jk;
    row[1] += -by_j + lambda * e.kk;
    row[2 + (k < N)] = sin_d * v[k - 1] / 3;
    row_left[left] += by_k + lambda * e.jj;
    row_left[left + 1] = -by_k + lambda * e.jk;
    row_left[2 * left + 2] = -sin_d * v[k] / 3;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    int N = system->n_h;
    bar before = {0, 1};
    (void)work;
    if (what & KEEL_ENERGY)
        terms->energy = 0;
    for (int k = 0; k <= N; k++) {
        const double *v = at->v;
        bar b = {sin(at->q[k]), cos(at->q[k])};
        evaluate_bar(N, what, k, before, b, at, terms);
        if (what & KEEL_TANGENT) {
            double *row = terms->tangent + system->tangent.start[k];
            tangent_bar(N, k, before, b, at, row, k ? terms->tangent + system->tangent.start[k - 1] : NULL);
        }
        if ((what & KEEL_VELOCITY_Q) && k > 0) {
            coupler e = coupler_of(before, b);
            terms->rate_q[2 * k - 2] = e.jj * v[k - 1] + e.jk * v[k];
            terms->rate_q[2 * k - 1] = e.jk * v[k - 1] + e.kk * v[k];
        }
        if (what & KEEL_ENERGY) {
            terms->energy += (1.0 + ends(N, k)) * (v[k] * v[k] / 6 + g / 2 * b.c);
            if (k > 0)
                terms->energy += v[k] * v[k - 1] * (before.c * b.c + before.s * b.s) / 6;
        }
        before = b;
    }
    return KEEL_OK;
}

static void observe(const equations *problem, const double *q, const double *v, double *q_seen,
                    double *v_seen) {
    int N = problem->size;
    for (int i = 0; i < 2; i++) {
        int k = i * N;
        q_seen[2 * i] = k + sin(q[k]), q_seen[2 * i + 1] = cos(q[k]);
        v_seen[2 * i] = cos(q[k]) * v[k], v_seen[2 * i + 1] = -sin(q[k]) * v[k];
    }
}

/* Patterns: M lower bidiagonal, J with two entries per row, and the rows of `tangent`. */
static void patterns(equations *problem, int N) {
    keel_system *system = &problem->system;
    int n = N + 1, *next = problem->pattern = malloc(sizeof(int) * (size_t)(20 * n + 20));
    if (!next)
        abort();
    int *M_start = next, *M_index = M_start + n + 1, *J_start = M_index + 2 * n, *J_index = J_start + n;
    int *T_start = J_index + 2 * n, *T_index = T_start + n + N + 1;
    M_start[0] = J_start[0] = T_start[0] = 0;
    for (int k = 0; k < n; k++) {
        int i = k ? 2 * k - 1 : 0, t = T_start[k];
        if (k > 0)
            M_index[i++] = k - 1;
        M_index[i++] = k;
        M_start[k + 1] = i;
        for (int c = k > 0 ? k - 1 : 0; c <= k + 1 && c < n; c++)
            T_index[t++] = c;
        if (k > 0)
            T_index[t++] = n + k - 1;
        if (k < N)
            T_index[t++] = n + k + 1;
        T_start[k + 1] = t;
    }
    for (int k = 0; k < N; k++) {
        J_index[2 * k] = k, J_index[2 * k + 1] = k + 1;
        J_start[k + 1] = 2 * k + 2;
    }
    for (int k = n; k < n + N; k++) /* the acceleration rows are not given */
        T_start[k + 1] = T_start[n];
    system->M = (keel_pattern){n, n, M_start, M_index};
    system->J = system->rate_q = (keel_pattern){N, n, J_start, J_index};
    system->tangent = (keel_pattern){n + N, 2 * n, T_start, T_index};
}

void fourbar_make(equations *problem, int N) {
    equations_init(problem, N + 1, N, 10);
    patterns(problem, N);
    problem->size = N;
    problem->system.evaluate = evaluate;
    for (int k = 0; k <= N; k++)
        problem->v[k] = 1;
    /* kinetic energy when the bars hang */
    problem->unit = ((N + 1) / 3.0 + N) / 2 + 2 * g * ((N + 1) / 2.0 + N);
    problem->watched = 4;
    problem->observe = observe;
}
