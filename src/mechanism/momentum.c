/* Rigid displacements of a mechanism, and its momenta along them (keel_system.rigid).
 *
 * Displacement i gives every body the twist X_i, a turn about an axis of the world through a fixed point c or
 * a shift along one; at the reference point r of a body, with l the extent of the mechanism,
 *
 *     turn   (e, e x (r - c))             shift   (0, l e)
 *
 * The joints of the tree that stand on the ground follow it as far as they can, v = (S^T W S)^-1 S^T W X, all
 * others stand still. W measures lengths in l. What is left, X - S v, is lost.
 */
#include <string.h>

#include "linalg/dense.h"
#include "mechanism/mech_system.h"
#include "mechanism/recursion.h"

static double unit_of_length(const ki_mech *mech) {
    return mech->system.extent > 0 ? mech->system.extent : 1;
}

/* c: the middle of the drawing */
static void find_centre(const ki_mech *mech, double c[3]) {
    memset(c, 0, 3 * sizeof *c);
    for (int b = 1; b < mech->body_count; b++)
        ki_add_scaled(1.0 / (mech->body_count - 1), mech->body[b].drawn, c);
}

/* The twist of displacement i at r: angular part first. */
static void rigid_twist(const ki_mech *mech, int i, const double c[3], const double r[3], double X[6]) {
    int turns = mech->d == KI_PLANAR ? 1 : 3;
    memset(X, 0, 6 * sizeof *X);
    if (i >= turns) {
        X[i] = unit_of_length(mech);
    } else if (mech->d == KI_PLANAR) {
        X[0] = 1, X[1] = c[1] - r[1], X[2] = r[0] - c[0];
    } else {
        double arm[3];
        ki_minus(r, c, arm);
        X[i] = 1;
        ki_cross(X, arm, X + 3);
    }
}

static double weighted(const ki_mech *mech, const double *a, const double *b) {
    int turns = mech->d == KI_PLANAR ? 1 : 3;
    double l = unit_of_length(mech);
    return ki_dot(turns, a, b) + ki_dot(mech->d - turns, a + turns, b + turns) / (l * l);
}

/* The velocities of body b, on the ground, that come nearest to X, which becomes what is left. */
static void follow(const ki_mech *mech, const ki_mech_work *w, int b, double X[6], double *v) {
    const ki_body *body = &mech->body[b];
    double A[36], (*S)[6] = w->S + body->v;
    int n = body->n_v;
    for (int i = 0; i < n; i++) {
        v[i] = weighted(mech, S[i], X);
        for (int j = 0; j <= i; j++)
            A[i * n + j] = weighted(mech, S[i], S[j]);
    }
    if (n == 0 || ki_dense_cholesky(n, A) >= 0) {
        memset(v, 0, (size_t)n * sizeof *v);
        return;
    }
    ki_dense_cholesky_solve(n, A, v);
    for (int i = 0; i < n; i++)
        ki_axpy(mech->d, -v[i], S[i], X);
}

static void displacements(const ki_mech *mech, const ki_mech_work *w, const double c[3], double *xi,
                          double *lost) {
    int n = mech->d, n_v = mech->system.n_v;
    double X[6][6];
    memset(xi, 0, (size_t)(n * n_v) * sizeof *xi);
    if (lost)
        memset(lost, 0, (size_t)(n * n) * sizeof *lost);
    for (int b = 1; b < mech->body_count; b++) {
        if (mech->body[b].parent)
            continue;
        for (int i = 0; i < n; i++) {
            rigid_twist(mech, i, c, w->state[b].r, X[i]);
            follow(mech, w, b, X[i], xi + i * n_v + mech->body[b].v);
        }
        for (int i = 0; lost && i < n; i++)
            for (int j = 0; j < n; j++)
                lost[i * n + j] += weighted(mech, X[i], X[j]);
    }
}

/* Adds what a body with the linear momentum m u and the spin L at r has along all displacements. */
static void add_momentum(const ki_mech *mech, const double c[3], const double r[3], double m, const double *u,
                         const double *L, double *p) {
    double X[6];
    int turns = mech->d == KI_PLANAR ? 1 : 3;
    for (int i = 0; i < mech->d; i++) {
        rigid_twist(mech, i, c, r, X);
        p[i] += ki_dot(turns, X, L) + m * ki_dot(mech->d - turns, X + turns, u);
    }
}

/* p, or its rate when twists change by `twist_rate`. */
static void momenta(const ki_mech *mech, const ki_mech_work *w, const double c[3], bool rate, double *p) {
    memset(p, 0, (size_t)mech->d * sizeof *p);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_state *s = &w->state[b];
        const double *x = rate ? s->twist_rate : s->twist;
        double L[3], spin[3];
        if (mech->d == KI_PLANAR) {
            L[0] = body->inertia[2] * x[0];
            add_momentum(mech, c, s->r, body->mass, x + 1, L, p);
            continue;
        }
        ki_rotated_inertia(s->R, body->inertia, x, L);
        if (rate) {
            ki_rotated_inertia(s->R, body->inertia, s->twist, spin);
            ki_add_cross(s->twist, spin, L);
        }
        add_momentum(mech, c, s->r, body->mass, x + 3, L, p);
    }
}

void ki_mech_rigid(const keel_system *system, void *work, const keel_point *at, keel_rigid *rigid) {
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = work;
    double c[3];
    find_centre(mech, c);
    ki_place(mech, w, at->q);
    if (rigid->xi)
        displacements(mech, w, c, rigid->xi, rigid->lost);
    if (rigid->momentum || rigid->rate)
        ki_move_bodies(mech, w, at->v);
    if (rigid->momentum)
        momenta(mech, w, c, false, rigid->momentum);
    if (rigid->rate) {
        ki_accelerate(mech, w, at->a);
        momenta(mech, w, c, true, rigid->rate);
    }
}
