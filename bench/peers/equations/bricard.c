/* Bricard's linkage with rods of square section (models/a04_bricard.yaml): five angles, those of rods 1, 2, 3
 * from P1 on and of rods 5, 4 from P6 on, and the joint D between rods 3 and 4 as conditions. Of its five
 * conditions one repeats the others in every pose; the solvers want independent ones, so that P4 = P4 (3
 * conditions) and one of two right angles remain.
 *
 * For a body with the angular velocity w, the centre c, and joint j before it with the axis a_j through p_j:
 *
 *     M_jk = sum m (a_j x (c - p_j)).(a_k x (c - p_k)) + a_j.I a_k
 *     Q_j  = sum (a_j x (c - p_j)).m (g - b) - a_j.(I beta + w x I w)
 *
 * where b and beta are the accelerations of the centre and of the angle with q'' = 0. A rod along u has
 * I = across + (along - across) u u^T.
 */
#include "equations.h"

#include <math.h>

enum { ANGLE = 0 }; /* the axis of rod 4 that stays at a right angle to D: x; z would do as well */

static const double gravity = 9.81, mass = 1, across = 1.01 / 12, along = 0.01 / 6;

typedef struct vec {
    double x, y, z;
} vec;

static vec add(vec a, vec b) {
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec scale(double s, vec a) {
    return (vec){s * a.x, s * a.y, s * a.z};
}

static double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* A rod and the joint before it. */
typedef struct rod {
    vec axes[3];   /* of the rod; those of the world at the start                    */
    vec p, a, u;   /* joint before it, its axis, and the rod of 1 m from there       */
    vec w, beta;   /* angular velocity and acceleration with q'' = 0                 */
    vec dp, b, bc; /* velocity of p, acceleration of p and of the centre with q'' = 0 */
} rod;

/* The end of a rod, with velocity and acceleration. */
typedef struct end {
    vec p, dp, b;
} end;

static vec turning(vec w, vec beta, vec r) { /* beta x r + w x (w x r) */
    return add(cross(beta, r), cross(w, cross(w, r)));
}

static end end_of(const rod *r) {
    return (end){add(r->p, r->u), add(r->dp, cross(r->w, r->u)), add(r->b, turning(r->w, r->beta, r->u))};
}

/* The next rod after `before`, which ends at `from`: its joint turns about axis `k` by q, it lies along axis
 * `l` times `sign`. */
static rod next_rod(const rod *before, end from, int k, int l, double sign, double q, double dq) {
    rod r = *before;
    double s = sin(q), c = cos(q);
    vec *e1 = &r.axes[(k + 1) % 3], *e2 = &r.axes[(k + 2) % 3], old = *e1;
    *e1 = add(scale(c, old), scale(s, *e2));
    *e2 = add(scale(-s, old), scale(c, *e2));
    r.a = r.axes[k];
    r.u = scale(sign, r.axes[l]);
    r.w = add(before->w, scale(dq, r.a));
    r.beta = add(before->beta, scale(dq, cross(before->w, r.a)));
    r.p = from.p, r.dp = from.dp, r.b = from.b;
    r.bc = add(r.b, turning(r.w, r.beta, scale(0.5, r.u)));
    return r;
}

/* All rods, in the order of the coordinates: 1 2 3 | 5 4. */
static void place(const double *q, const double *v, rod *r) {
    const rod ground = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    r[0] = next_rod(&ground, (end){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 1, 0, 1, q[0], v[0]);
    r[1] = next_rod(&r[0], end_of(&r[0]), 2, 1, -1, q[1], v[1]);
    r[2] = next_rod(&r[1], end_of(&r[1]), 0, 2, 1, q[2], v[2]);
    r[3] = next_rod(&ground, (end){{0, 0, 1}, {0, 0, 0}, {0, 0, 0}}, 0, 1, -1, q[3], v[3]);
    r[4] = next_rod(&r[3], end_of(&r[3]), 2, 0, 1, q[4], v[4]);
}

static vec inertia(const rod *r, vec w) {
    return add(scale(across, w), scale((along - across) * dot(r->u, w), r->u));
}

/* M (rows: 1 | 12 | 123 | 5 | 54) and Q; the first coordinate of rod i's branch is 0 or 3. */
static void motion_terms(const rod *r, double *M, double *Q) {
    static const int row[] = {0, 1, 3, 6, 7};
    for (int i = 0; i < 9; i++)
        M[i] = 0;
    for (int i = 0; i < 5; i++)
        Q[i] = 0;
    for (int i = 0; i < 5; i++) {
        int first = i < 3 ? 0 : 3;
        vec c = add(r[i].p, scale(0.5, r[i].u)), move[5];
        vec push = scale(-mass, add(r[i].bc, (vec){0, gravity, 0}));
        vec turn = add(inertia(&r[i], r[i].beta), cross(r[i].w, inertia(&r[i], r[i].w)));
        for (int j = first; j <= i; j++) {
            move[j] = cross(r[j].a, add(c, scale(-1, r[j].p)));
            vec spin = inertia(&r[i], r[j].a);
            Q[j] += dot(move[j], push) - dot(r[j].a, turn);
            for (int k = first; k <= j; k++)
                M[row[j] + k - first] += mass * dot(move[j], move[k]) + dot(spin, r[k].a);
        }
    }
}

/* Phi = P4 of rod 3 - P4 of rod 4, and d.e: d the axis of D in rod 3, e another axis of rod 4. */
static void closing_terms(unsigned what, const rod *r, keel_terms *terms) {
    end e3 = end_of(&r[2]), e4 = end_of(&r[4]);
    vec d = r[2].axes[1], e = r[4].axes[ANGLE], across_d = cross(d, e);
    if (what & KEEL_POSITION) {
        vec gap = add(e3.p, scale(-1, e4.p));
        terms->Phi[0] = gap.x, terms->Phi[1] = gap.y, terms->Phi[2] = gap.z, terms->Phi[3] = dot(d, e);
    }
    if (what & KEEL_JACOBIAN)
        for (int j = 0; j < 5; j++) {
            double side = j < 3 ? 1 : -1;
            vec move = scale(side, cross(r[j].a, add(j < 3 ? e3.p : e4.p, scale(-1, r[j].p))));
            terms->J[j] = move.x, terms->J[5 + j] = move.y, terms->J[10 + j] = move.z;
            terms->J[15 + j] = side * dot(r[j].a, across_d);
        }
    vec d_dot = cross(r[2].w, d), e_dot = cross(r[4].w, e);
    if (what & KEEL_VELOCITY) {
        vec gap = add(e3.dp, scale(-1, e4.dp));
        terms->rate[0] = gap.x, terms->rate[1] = gap.y, terms->rate[2] = gap.z;
        terms->rate[3] = dot(d_dot, e) + dot(d, e_dot);
    }
    if (what & KEEL_XI) {
        vec gap = add(e4.b, scale(-1, e3.b));
        terms->xi[0] = gap.x, terms->xi[1] = gap.y, terms->xi[2] = gap.z;
        terms->xi[3] = -dot(turning(r[2].w, r[2].beta, d), e) - 2 * dot(d_dot, e_dot) -
                       dot(d, turning(r[4].w, r[4].beta, e));
    }
}

static double energy(const rod *r) {
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        vec v = add(r[i].dp, cross(r[i].w, scale(0.5, r[i].u)));
        sum += (mass * dot(v, v) + dot(r[i].w, inertia(&r[i], r[i].w))) / 2 +
               mass * gravity * (r[i].p.y + r[i].u.y / 2);
    }
    return sum;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    rod r[5];
    double M[9], Q[5];
    (void)system, (void)work;
    place(at->q, at->v, r);
    if (what & (KEEL_MASS | KEEL_FORCE))
        motion_terms(r, what & KEEL_MASS ? terms->M : M, what & KEEL_FORCE ? terms->Q : Q);
    closing_terms(what, r, terms);
    if (what & KEEL_ENERGY)
        terms->energy = energy(r);
    return KEEL_OK;
}

static void observe(const equations *problem, const double *q, const double *v, double *q_seen,
                    double *v_seen) {
    rod r[5];
    (void)problem;
    place(q, v, r);
    end P3 = end_of(&r[1]);
    q_seen[0] = P3.p.x, q_seen[1] = P3.p.y, q_seen[2] = P3.p.z;
    v_seen[0] = P3.dp.x, v_seen[1] = P3.dp.y, v_seen[2] = P3.dp.z;
}

void bricard_make(equations *problem) {
    static const int M_start[] = {0, 1, 3, 6, 7, 9}, M_index[] = {0, 0, 1, 0, 1, 2, 3, 3, 4};
    static const int J_start[] = {0, 5, 10, 15, 20};
    static const int J_index[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    equations_init(problem, 5, 4, 10);
    problem->system.M = (keel_pattern){5, 5, M_start, M_index};
    problem->system.J = (keel_pattern){4, 5, J_start, J_index};
    problem->system.evaluate = evaluate;
    problem->unit = 5 * mass * gravity; /* joule, as if all rods fell by a metre */
    problem->watched = 3;
    problem->observe = observe;
}
