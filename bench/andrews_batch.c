/* Four trajectories of Andrews' mechanism in the lanes of one vector, against one after the other: evaluation
 * and solve of the straight-line C by hand, with the same sines. What ensembles of a small model could gain.
 */
#include "andrews_batch.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "andrews_by_hand.h"
#include "base/four.h"
#include "base/sines.h"

typedef ki_four real;
#define REAL(x) ((ki_four){(x), (x), (x), (x)})
#define ROOT(x, y)                                                                                           \
    for (int lane = 0; lane < KI_FOUR; lane++)                                                               \
    (y)[lane] = sqrt((x)[lane])

#include "andrews_formulas.h"

enum { ROUNDS = 40, COUNT = 5000, ANGLES = 10 };

/* Angles and their sums in the order of the struct: 1, 2, 1+2, 3, 4, 5, 4+5, 6, 7, 6+7. */
static void set_angles(const ki_four *q, ki_four *x) {
    x[0] = q[0], x[1] = q[1], x[2] = q[0] + q[1], x[3] = q[2], x[4] = q[3], x[5] = q[4];
    x[6] = q[3] + q[4], x[7] = q[5], x[8] = q[6], x[9] = q[5] + q[6];
}

KI_TWICE static void four_at_once(const ki_four *q, const ki_four *v, ki_four *a) {
    ki_four x[ANGLES], s[ANGLES], c[ANGLES], M[10], J[22], Q[7], xi[6], lambda[6];
    set_angles(q, x);
    ki_sines_cosines(ANGLES * KI_FOUR, (double *)x, (double *)s, (double *)c);
    angles w = {s[0], c[0], s[1], c[1], s[2], c[2], s[3], c[3], s[4], c[4],
                s[5], c[5], s[6], c[6], s[7], c[7], s[8], c[8], s[9], c[9]};
    mass(&w, M);
    force(&w, v, Q);
    jacobian(&w, J);
    xi_of(&w, v, xi);
    accelerate(M, J, Q, xi, a, lambda);
}

static void one_at_a_time(const keel_system *hand, const double *q, const double *v, double *a) {
    double M[10], J[22], Q[7], xi[6], lambda[6];
    keel_point at = {.q = q, .v = v};
    keel_terms terms = {.M = M, .J = J, .Q = Q, .xi = xi};
    hand->evaluate(hand, NULL, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI, &at, &terms);
    andrews_solve_by_hand(M, J, Q, xi, a, lambda);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Largest relative difference of the two ways. */
static double difference(const ki_four *a, double (*b)[7]) {
    double most = 0;
    for (int i = 0; i < 7; i++)
        for (int lane = 0; lane < KI_FOUR; lane++)
            most = fmax(most, fabs(a[i][lane] / b[lane][i] - 1));
    return most;
}

void andrews_batch(const keel_system *hand, const keel_state *at) {
    ki_four q[7], v[7], a[7];
    double q_one[KI_FOUR][7], v_one[KI_FOUR][7], a_one[KI_FOUR][7], lanes = INFINITY, single = INFINITY;
    for (int i = 0; i < 7; i++)
        for (int lane = 0; lane < KI_FOUR; lane++) {
            q[i][lane] = q_one[lane][i] = at->q[i] + 1e-3 * lane;
            v[i][lane] = v_one[lane][i] = at->v[i] * (1 + 1e-2 * lane);
        }
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < COUNT; i++) {
            q[0][0] = q_one[0][0] = at->q[0] + 1e-9 * (i & 1023);
            four_at_once(q, v, a);
        }
        lanes = fmin(lanes, (now() - start) / (COUNT * KI_FOUR));
        start = now();
        for (int i = 0; i < COUNT; i++) {
            q_one[0][0] = at->q[0] + 1e-9 * (i & 1023);
            for (int lane = 0; lane < KI_FOUR; lane++)
                one_at_a_time(hand, q_one[lane], v_one[lane], a_one[lane]);
        }
        single = fmin(single, (now() - start) / (COUNT * KI_FOUR));
    }
    printf(
        "four trajectories: %.0f ns each in the lanes of a vector, %.0f ns one after the other: %.2f times "
        "(they differ by %.1e)\n",
        1e9 * lanes, 1e9 * single, single / lanes, difference(a, a_one));
}
