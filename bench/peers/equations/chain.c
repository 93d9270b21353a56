/* A chain of N slender rods of 1 m and 1 kg, from the horizontal (models/chain_bodies.yaml --set l=1 --set
 * m=1), in absolute coordinates x y th of each rod's centre and two conditions per pin. Sparse, with a
 * constant diagonal mass.
 *
 *     pin i, between rods i-1 and i:  x_i - c_i/2 - x_(i-1) - c_(i-1)/2 = 0,   y_i - s_i/2 - y_(i-1) -
 * s_(i-1)/2 = 0
 */
#include "equations.h"

#include <math.h>
#include <stdlib.h>

static const double g = 9.81;

/* The pin on the left of rod i: rows 2i and 2i+1, `b` the rod before it (none if i = 0). */
typedef struct rod {
    double x, y, s, c, w; /* centre, angle, rate of the angle */
} rod;

static void evaluate_pin(unsigned what, int i, rod b, rod e, const keel_point *at, keel_terms *terms) {
    int row = 2 * i, first = i == 0;
    if (what & KEEL_JACOBIAN) { /* row x: (x th) of b, x th; row y: (y th) of b, y th */
        double *J = terms->J + (first ? 0 : 8 * i - 4);
        if (!first) {
            J[0] = -1, J[1] = b.s / 2, J[4] = -1, J[5] = -b.c / 2;
            J += 2;
        }
        J[0] = 1, J[1] = e.s / 2;
        J += first ? 2 : 4;
        J[0] = 1, J[1] = -e.c / 2;
    }
    if (what & KEEL_XI) {
        terms->xi[row] = -(e.c * e.w * e.w + b.c * b.w * b.w) / 2;
        terms->xi[row + 1] = -(e.s * e.w * e.w + b.s * b.w * b.w) / 2;
    }
    if (what & KEEL_POSITION) {
        terms->Phi[row] = e.x - b.x - (e.c + b.c) / 2;
        terms->Phi[row + 1] = e.y - b.y - (e.s + b.s) / 2;
    }
    if (what & KEEL_VELOCITY) {
        const double *v = at->v + 3 * i;
        terms->rate[row] = v[0] - (first ? 0 : v[-3]) + (e.s * e.w + b.s * b.w) / 2;
        terms->rate[row + 1] = v[1] - (first ? 0 : v[-2]) - (e.c * e.w + b.c * b.w) / 2;
    }
    if (what & KEEL_VELOCITY_Q) { /* row x: th of b, th; row y the same */
        double *R = terms->rate_q + (first ? 0 : 4 * i - 2);
        if (!first) {
            R[0] = b.c * b.w / 2, R[2] = b.s * b.w / 2;
            R++;
        }
        R[0] = e.c * e.w / 2;
        R[first ? 1 : 2] = e.s * e.w / 2;
    }
    if (what & KEEL_TANGENT) { /* one entry per rod: th by th */
        double pull = at->lambda[row] / 2, lift = at->lambda[row + 1] / 2;
        terms->tangent[i] = pull * e.c + lift * e.s;
        if (!first)
            terms->tangent[i - 1] += pull * b.c + lift * b.s;
    }
}

static void evaluate_rod(unsigned what, int i, rod e, const keel_point *at, keel_terms *terms) {
    const double *v = at->v + 3 * i;
    if (what & KEEL_MASS) {
        double *M = terms->M + 3 * i;
        M[0] = M[1] = 1, M[2] = 1.0 / 12;
    }
    if (what & KEEL_FORCE) {
        double *Q = terms->Q + 3 * i;
        Q[0] = Q[2] = 0, Q[1] = -g;
    }
    if (what & KEEL_ENERGY)
        terms->energy += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12) / 2 + g * e.y;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    rod before = {0};
    (void)work;
    terms->energy = 0;
    for (int i = 0; i < system->n_v / 3; i++) {
        const double *q = at->q + 3 * i;
        rod e = {q[0], q[1], sin(q[2]), cos(q[2]), at->v ? at->v[3 * i + 2] : 0};
        evaluate_rod(what, i, e, at, terms);
        evaluate_pin(what, i, before, e, at, terms);
        before = e;
    }
    return KEEL_OK;
}

static void observe(const equations *problem, const double *q, const double *v, double *q_seen,
                    double *v_seen) {
    int rods[] = {problem->size, problem->size / 2};
    for (int i = 0; i < 2; i++) {
        const double *p = q + 3 * (rods[i] - 1), *w = v + 3 * (rods[i] - 1);
        double s = sin(p[2]) / 2, c = cos(p[2]) / 2;
        q_seen[2 * i] = p[0] + c, q_seen[2 * i + 1] = p[1] + s;
        v_seen[2 * i] = w[0] - s * w[2], v_seen[2 * i + 1] = w[1] + c * w[2];
    }
}

static void patterns(equations *problem, int N) {
    keel_system *system = &problem->system;
    int n = 3 * N, m = 2 * N, *room = problem->pattern = malloc(sizeof(int) * (size_t)(36 * N + 8));
    if (!room)
        abort();
    int *M_start = room, *M_index = M_start + n + 1, *J_start = M_index + n, *J_index = J_start + m + 1;
    int *R_start = J_index + 8 * N, *R_index = R_start + m + 1, *T_start = R_index + 4 * N,
        *T_index = T_start + n + m + 1;
    for (int i = 0; i <= n; i++)
        M_start[i] = i;
    for (int i = 0; i < n; i++)
        M_index[i] = i;
    J_start[0] = R_start[0] = T_start[0] = 0;
    for (int row = 0; row < m; row++) {
        int i = row / 2, axis = row % 2, j = J_start[row], r = R_start[row];
        for (int k = i > 0 ? i - 1 : 0; k <= i; k++) {
            J_index[j++] = 3 * k + axis, J_index[j++] = 3 * k + 2;
            R_index[r++] = 3 * k + 2;
        }
        J_start[row + 1] = j, R_start[row + 1] = r;
    }
    for (int i = 0; i < n + m; i++) { /* the acceleration rows are not given */
        int angle = i < n && i % 3 == 2;
        if (angle)
            T_index[T_start[i]] = i;
        T_start[i + 1] = T_start[i] + angle;
    }
    system->M = (keel_pattern){n, n, M_start, M_index};
    system->J = (keel_pattern){m, n, J_start, J_index};
    system->rate_q = (keel_pattern){m, n, R_start, R_index};
    system->tangent = (keel_pattern){n + m, 2 * n, T_start, T_index};
}

void chain_make(equations *problem, int N) {
    equations_init(problem, 3 * N, 2 * N, 1);
    patterns(problem, N);
    problem->size = N;
    problem->system.evaluate = evaluate;
    for (int i = 0; i < N; i++)
        problem->q[3 * i] = i + 0.5;
    problem->unit = g * N; /* joule, if the centres fall by a metre */
    problem->watched = 4;
    problem->observe = observe;
}
