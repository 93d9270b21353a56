/* Accelerations and multipliers of Andrews' mechanism from M, Q, J, xi, as one would write them for this
 * mechanism alone: inverses of the blocks of M, the symmetric 6 x 6 matrix of the multipliers, its factors.
 * Nothing is checked.
 *
 *     M = diag(M_12, M_3, M_45, M_67)     S = J M^-1 J^T     S lambda = J M^-1 Q - xi     v' = M^-1 (Q - J^T
 * lambda)
 */
#include "andrews_by_hand.h"

/* x = [a b; b c]^-1 y */
#define SOLVE2(a, b, c, r, y0, y1, x0, x1)                                                                   \
    (x0 = ((c) * (y0) - (b) * (y1)) * (r), x1 = ((a) * (y1) - (b) * (y0)) * (r))

void andrews_solve_by_hand(const double *M, const double *J, const double *Q, const double *xi, double *a,
                           double *lambda) {
    double r12 = 1 / (M[0] * M[2] - M[1] * M[1]), r3 = 1 / M[3], r45 = 1 / (M[4] * M[6] - M[5] * M[5]),
           r67 = 1 / (M[7] * M[9] - M[8] * M[8]);
    /* M^-1 Q */
    double f0, f1, f2 = Q[2] * r3, f3, f4, f5, f6;
    SOLVE2(M[0], M[1], M[2], r12, Q[0], Q[1], f0, f1);
    SOLVE2(M[4], M[5], M[6], r45, Q[3], Q[4], f3, f4);
    SOLVE2(M[7], M[8], M[9], r67, Q[5], Q[6], f5, f6);
    /* rows x (odd) and y (even) share their first two columns: X = (J0, J1), Y = (J3, J4) */
    double X0, X1, Y0, Y1;
    SOLVE2(M[0], M[1], M[2], r12, J[0], J[1], X0, X1);
    SOLVE2(M[0], M[1], M[2], r12, J[3], J[4], Y0, Y1);
    double xx = J[0] * X0 + J[1] * X1, xy = J[3] * X0 + J[4] * X1, yy = J[3] * Y0 + J[4] * Y1;
    /* the columns that belong to one pair of rows only */
    double p0, p1, q0, q1, g0, g1, h0, h1;
    SOLVE2(M[4], M[5], M[6], r45, J[8], J[9], p0, p1);
    SOLVE2(M[4], M[5], M[6], r45, J[12], J[13], q0, q1);
    SOLVE2(M[7], M[8], M[9], r67, J[16], J[17], g0, g1);
    SOLVE2(M[7], M[8], M[9], r67, J[20], J[21], h0, h1);
    /* S, lower triangle */
    double s00 = xx + J[2] * J[2] * r3, s10 = xy + J[2] * J[5] * r3, s11 = yy + J[5] * J[5] * r3;
    double s22 = xx + J[8] * p0 + J[9] * p1, s32 = xy + J[12] * p0 + J[13] * p1,
           s33 = yy + J[12] * q0 + J[13] * q1;
    double s44 = xx + J[16] * g0 + J[17] * g1, s54 = xy + J[20] * g0 + J[21] * g1,
           s55 = yy + J[20] * h0 + J[21] * h1;
    /* J M^-1 Q - xi */
    double bx = J[0] * f0 + J[1] * f1, by = J[3] * f0 + J[4] * f1;
    double b0 = bx + J[2] * f2 - xi[0], b1 = by + J[5] * f2 - xi[1];
    double b2 = bx + J[8] * f3 + J[9] * f4 - xi[2], b3 = by + J[12] * f3 + J[13] * f4 - xi[3];
    double b4 = bx + J[16] * f5 + J[17] * f6 - xi[4], b5 = by + J[20] * f5 + J[21] * f6 - xi[5];
    /* S = L d L^T; rows 2 .. 5 begin with xx xy, xy yy */
    double d0 = 1 / s00, l10 = s10 * d0, d1 = 1 / (s11 - l10 * s10);
    double l20 = xx * d0, v21 = xy - l10 * xx, l21 = v21 * d1, d2 = 1 / (s22 - l20 * xx - l21 * v21);
    double l30 = xy * d0, v31 = yy - l10 * xy, l31 = v31 * d1, v32 = s32 - l20 * xy - l21 * v31,
           l32 = v32 * d2, d3 = 1 / (s33 - l30 * xy - l31 * v31 - l32 * v32);
    double l40 = l20, l41 = l21, v42 = xx - l20 * xx - l21 * v21, l42 = v42 * d2,
           v43 = xy - l30 * xx - l31 * v21 - l32 * v42, l43 = v43 * d3,
           d4 = 1 / (s44 - l40 * xx - l41 * v21 - l42 * v42 - l43 * v43);
    double l50 = l30, l51 = l31, v52 = xy - l20 * xy - l21 * v31, l52 = v52 * d2,
           v53 = yy - l30 * xy - l31 * v31 - l32 * v52, l53 = v53 * d3,
           v54 = s54 - l40 * xy - l41 * v31 - l42 * v52 - l43 * v53, l54 = v54 * d4,
           d5 = 1 / (s55 - l50 * xy - l51 * v31 - l52 * v52 - l53 * v53 - l54 * v54);
    b1 -= l10 * b0;
    b2 -= l20 * b0 + l21 * b1;
    b3 -= l30 * b0 + l31 * b1 + l32 * b2;
    b4 -= l40 * b0 + l41 * b1 + l42 * b2 + l43 * b3;
    b5 -= l50 * b0 + l51 * b1 + l52 * b2 + l53 * b3 + l54 * b4;
    b5 *= d5;
    b4 = b4 * d4 - l54 * b5;
    b3 = b3 * d3 - l43 * b4 - l53 * b5;
    b2 = b2 * d2 - l32 * b3 - l42 * b4 - l52 * b5;
    b1 = b1 * d1 - l21 * b2 - l31 * b3 - l41 * b4 - l51 * b5;
    b0 = b0 * d0 - l10 * b1 - l20 * b2 - l30 * b3 - l40 * b4 - l50 * b5;
    lambda[0] = b0, lambda[1] = b1, lambda[2] = b2, lambda[3] = b3, lambda[4] = b4, lambda[5] = b5;
    /* v' = M^-1 Q - M^-1 J^T lambda */
    double x = b0 + b2 + b4, y = b1 + b3 + b5;
    a[0] = f0 - X0 * x - Y0 * y;
    a[1] = f1 - X1 * x - Y1 * y;
    a[2] = f2 - (J[2] * b0 + J[5] * b1) * r3;
    a[3] = f3 - p0 * b2 - q0 * b3;
    a[4] = f4 - p1 * b2 - q1 * b3;
    a[5] = f5 - g0 * b4 - h0 * b5;
    a[6] = f6 - g1 * b4 - h1 * b5;
}
