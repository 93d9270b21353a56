/* Andrews' squeezing mechanism, from the start of the Test Set for IVP Solvers ("andrews") and from that of
 * the IFToMM library ("a03"). The equations are those of bench/andrews_by_hand.c.
 */
#include "andrews_by_hand.h"
#include "equations.h"

#include <math.h>
#include <string.h>

static const double moment =
    .033; /* on the crank: the energy below is without its work, which is moment * beta */

static keel_system by_hand;

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    keel_status status = by_hand.evaluate(system, work, what, at, terms);
    terms->energy -= moment * at->q[0];
    return status;
}

static void make(equations *problem, double end) {
    by_hand = andrews_by_hand();
    equations_init(problem, 7, 6, end);
    problem->system = by_hand;
    problem->system.evaluate = evaluate;
    problem->rate = 100; /* 1/s: the crank reaches 1000 rad/s, the others about 100 */
    problem->unit = 1;   /* joule: the spring holds 1.4, the moment does 1.1 in 0.05 s */
}

void andrews_make(equations *problem) {
    make(problem, 0.03);
    andrews_start(&(keel_state){.q = problem->q});
}

/* A point at distance a from P and b from R, left of the way from P to R (side = 1) or right of it (-1). */
static void corner(const double *P, double a, const double *R, double b, double side, double *X) {
    double x = R[0] - P[0], y = R[1] - P[1], d = hypot(x, y);
    double along = (d * d + a * a - b * b) / (2 * d), across = side * sqrt(a * a - along * along);
    X[0] = P[0] + (along * x - across * y) / d;
    X[1] = P[1] + (along * y + across * x) / d;
}

/* beta, and the angles at the fixed pivots from their start. */
static void observe_a03(const equations *problem, const double *q, const double *v, double *q_seen,
                        double *v_seen) {
    static const int seen[] = {0, 2, 4, 6};
    for (int i = 0; i < 4; i++) {
        q_seen[i] = q[seen[i]] - (i ? problem->q[seen[i]] : 0);
        v_seen[i] = v[seen[i]];
    }
}

/* The pose with the crank at beta0 = -0.0620: F is its end; E, G and H are where circles cut
 * (models/a03_andrews.yaml). */
void a03_make(equations *problem) {
    static const double A[] = {-.06934, -.00227}, B[] = {-.03635, .03273}, beta0 = -0.0620;
    double F[] = {.007 * cos(beta0), .007 * sin(beta0)}, E[2], G[2], H[2];
    corner(F, .028, B, .035, 1, E);
    corner(A, .040, E, .020, 1, G);
    corner(A, .040, E, .020, -1, H);
    make(problem, 0.05);
    double *q = problem->q;
    q[0] = beta0;
    q[1] = atan2(F[1] - E[1], F[0] - E[0]) - beta0;
    q[2] = atan2(E[0] - B[0], B[1] - E[1]);
    q[4] = atan2(G[1] - A[1], G[0] - A[0]);
    q[3] = atan2(E[0] - G[0], G[1] - E[1]) - q[4];
    q[6] = atan2(H[0] - A[0], A[1] - H[1]);
    q[5] = atan2(E[1] - H[1], E[0] - H[0]) - q[6];
    problem->watched = 4;
    problem->observe = observe_a03;
}
