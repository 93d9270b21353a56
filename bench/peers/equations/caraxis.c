/* Car axis: a rod on two springs, the right wheel follows a road that moves (models/car_axis.yaml; Test Set
 * for IVP Solvers). The wheels are at (0,0) and (xb,yb), yb = r sin(omega t), xb^2 + yb^2 = L^2; q = xl yl xr
 * yr.
 */
#include "equations.h"

#include <math.h>

static const double L = 1, L0 = 0.5, k = 10 * 1e-4 / 2, r = 0.1, omega = 10, grav = 1;

typedef struct road {
    double x, y, dx, dy, ddx, ddy; /* of the right wheel, with its derivatives */
} road;

static road road_at(double t) {
    road b;
    b.y = r * sin(omega * t), b.dy = r * omega * cos(omega * t), b.ddy = -omega * omega * b.y;
    b.x = sqrt(L * L - b.y * b.y);
    b.dx = -b.y * b.dy / b.x;
    b.ddx = -(b.dx * b.dx + b.dy * b.dy + b.y * b.ddy) / b.x;
    return b;
}

static void force(const road *b, const double *q, double *Q) {
    double x = q[2] - b->x, y = q[3] - b->y;
    double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1, right = L0 / sqrt(x * x + y * y) - 1;
    Q[0] = left * q[0];
    Q[1] = left * q[1] - k * grav;
    Q[2] = right * x;
    Q[3] = right * y - k * grav;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    double x = q[0] - q[2], y = q[1] - q[3];
    road b = road_at(at->t);
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = terms->M[2] = terms->M[3] = k;
    if (what & KEEL_FORCE)
        force(&b, q, terms->Q);
    if (what & KEEL_JACOBIAN) {
        double *J = terms->J;
        J[0] = b.x, J[1] = b.y;
        J[2] = 2 * x, J[3] = 2 * y, J[4] = -2 * x, J[5] = -2 * y;
    }
    if (what & KEEL_POSITION) {
        terms->Phi[0] = q[0] * b.x + q[1] * b.y;
        terms->Phi[1] = x * x + y * y - L * L;
    }
    if (what & (KEEL_XI | KEEL_VELOCITY)) {
        double dx = v[0] - v[2], dy = v[1] - v[3];
        if (what & KEEL_XI) {
            terms->xi[0] = -2 * (v[0] * b.dx + v[1] * b.dy) - q[0] * b.ddx - q[1] * b.ddy;
            terms->xi[1] = -2 * (dx * dx + dy * dy);
        }
        if (what & KEEL_VELOCITY) {
            terms->rate[0] = v[0] * b.x + v[1] * b.y + q[0] * b.dx + q[1] * b.dy;
            terms->rate[1] = 2 * (x * dx + y * dy);
        }
    }
    return KEEL_OK;
}

void caraxis_make(equations *problem) {
    static const int M_start[] = {0, 1, 2, 3, 4}, M_index[] = {0, 1, 2, 3};
    static const int J_start[] = {0, 2, 6}, J_index[] = {0, 1, 0, 1, 2, 3};
    equations_init(problem, 4, 2, 3);
    problem->system.M = (keel_pattern){4, 4, M_start, M_index};
    problem->system.J = (keel_pattern){2, 4, J_start, J_index};
    problem->system.has_drivers = 1;
    problem->system.evaluate = evaluate;
    problem->q[1] = problem->q[3] = L0;
    problem->q[2] = L;
    problem->v[0] = problem->v[2] = -0.5;
}
