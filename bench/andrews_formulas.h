/* andrews_formulas.h - Andrews' mechanism by hand: M, Q, J, xi, then accelerations and multipliers, for one
 * number at a time or for several. Who includes it says what a number is:
 *
 *     real        the type
 *     REAL(x)     a number from a double
 *     ROOT(x, y)  y = square root of x
 */
#ifndef ANDREWS_FORMULAS_H
#define ANDREWS_FORMULAS_H

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                    I7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
static const double c0 = 4530, l0 = .07785, mom = .033;
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                    sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
                    ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

/* Sines and cosines of the angles and their sums, each once. */
typedef struct angles {
    real s1, c1, s2, c2, s12, c12, s3, c3, s4, c4, s5, c5, s45, c45, s6, c6, s7, c7, s67, c67;
} angles;

/* Lower triangle by rows: 11, 21 22, 33, 44, 54 55, 66, 76 77. */
static inline void mass(const angles *w, real *M) {
    double a = e - ea, b = zf - fa;
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * w->c2 + da * da) + I1 + I2;
    M[1] = m2 * (da * da - da * rr * w->c2) + I2;
    M[2] = REAL(m2 * da * da + I2);
    M[3] = REAL(m3 * (sa * sa + sb * sb) + I3);
    M[4] = REAL(m4 * a * a + I4);
    M[5] = m4 * (a * a + zt * a * w->s4) + I4;
    M[6] = m4 * (zt * zt + 2 * zt * a * w->s4 + a * a) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[7] = REAL(m6 * b * b + I6);
    M[8] = m6 * (b * b - u * b * w->s6) + I6;
    M[9] = m6 * (b * b - 2 * u * b * w->s6 + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static inline void force(const angles *w, const real *v, real *Q) {
    double a = e - ea, b = zf - fa;
    real xd = sd * w->c3 + sc * w->s3 + xb, yd = sd * w->s3 - sc * w->c3 + yb;
    real square = (xd - xc) * (xd - xc) + (yd - yc) * (yd - yc), L;
    ROOT(square, L);
    real F = -c0 * (L - l0) / L;
    Q[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * w->s2;
    Q[1] = m2 * da * rr * v[0] * v[0] * w->s2;
    Q[2] = F * (xd - xc) * (sc * w->c3 - sd * w->s3) + F * (yd - yc) * (sd * w->c3 + sc * w->s3);
    Q[3] = m4 * zt * a * v[4] * v[4] * w->c4;
    Q[4] = -m4 * zt * a * v[3] * (v[3] + 2 * v[4]) * w->c4;
    Q[5] = -m6 * u * b * v[6] * v[6] * w->c6;
    Q[6] = m6 * u * b * v[5] * (v[5] + 2 * v[6]) * w->c6;
}

/* Rows: 1 2 3 | 1 2 3 | 1 2 4 5 | 1 2 4 5 | 1 2 6 7 | 1 2 6 7. */
static inline void jacobian(const angles *w, real *J) {
    real X1 = -rr * w->s1 + d * w->s12, X2 = d * w->s12, Y1 = rr * w->c1 - d * w->c12, Y2 = -d * w->c12;
    J[0] = X1, J[1] = X2, J[2] = -ss * w->c3;
    J[3] = Y1, J[4] = Y2, J[5] = -ss * w->s3;
    J[6] = X1, J[7] = X2, J[8] = -e * w->c45, J[9] = -e * w->c45 + zt * w->s5;
    J[10] = Y1, J[11] = Y2, J[12] = -e * w->s45, J[13] = -e * w->s45 - zt * w->c5;
    J[14] = X1, J[15] = X2, J[16] = zf * w->s67, J[17] = zf * w->s67 - u * w->c7;
    J[18] = Y1, J[19] = Y2, J[20] = -zf * w->c67, J[21] = -zf * w->c67 - u * w->s7;
}

static inline void xi_of(const angles *w, const real *v, real *xi) {
    real w12 = (v[0] + v[1]) * (v[0] + v[1]), w45 = (v[3] + v[4]) * (v[3] + v[4]),
         w67 = (v[5] + v[6]) * (v[5] + v[6]);
    real A = -rr * w->c1 * v[0] * v[0] + d * w->c12 * w12, B = -rr * w->s1 * v[0] * v[0] + d * w->s12 * w12;
    xi[0] = -(A + ss * w->s3 * v[2] * v[2]);
    xi[1] = -(B - ss * w->c3 * v[2] * v[2]);
    xi[2] = -(A + e * w->s45 * w45 + zt * w->c5 * v[4] * v[4]);
    xi[3] = -(B - e * w->c45 * w45 + zt * w->s5 * v[4] * v[4]);
    xi[4] = -(A + zf * w->c67 * w67 + u * w->s7 * v[6] * v[6]);
    xi[5] = -(B + zf * w->s67 * w67 - u * w->c7 * v[6] * v[6]);
}

/* Accelerations and multipliers as one would write them for this mechanism alone: inverses of the blocks of
 * M, the symmetric 6 x 6 matrix of the multipliers, its factors. Nothing is checked.
 *
 *     M = diag(M_12, M_3, M_45, M_67)     S = J M^-1 J^T     S lambda = J M^-1 Q - xi     v' = M^-1 (Q - J^T
 * lambda)
 */

/* x = [a b; b c]^-1 y */
#define SOLVE2(a, b, c, r, y0, y1, x0, x1)                                                                   \
    (x0 = ((c) * (y0) - (b) * (y1)) * (r), x1 = ((a) * (y1) - (b) * (y0)) * (r))

static inline void accelerate(const real *M, const real *J, const real *Q, const real *xi, real *a,
                              real *lambda) {
    real r12 = 1 / (M[0] * M[2] - M[1] * M[1]), r3 = 1 / M[3], r45 = 1 / (M[4] * M[6] - M[5] * M[5]),
         r67 = 1 / (M[7] * M[9] - M[8] * M[8]);
    /* M^-1 Q */
    real f0, f1, f2 = Q[2] * r3, f3, f4, f5, f6;
    SOLVE2(M[0], M[1], M[2], r12, Q[0], Q[1], f0, f1);
    SOLVE2(M[4], M[5], M[6], r45, Q[3], Q[4], f3, f4);
    SOLVE2(M[7], M[8], M[9], r67, Q[5], Q[6], f5, f6);
    /* rows x (odd) and y (even) share their first two columns: X = (J0, J1), Y = (J3, J4) */
    real X0, X1, Y0, Y1;
    SOLVE2(M[0], M[1], M[2], r12, J[0], J[1], X0, X1);
    SOLVE2(M[0], M[1], M[2], r12, J[3], J[4], Y0, Y1);
    real xx = J[0] * X0 + J[1] * X1, xy = J[3] * X0 + J[4] * X1, yy = J[3] * Y0 + J[4] * Y1;
    /* the columns that belong to one pair of rows only */
    real p0, p1, q0, q1, g0, g1, h0, h1;
    SOLVE2(M[4], M[5], M[6], r45, J[8], J[9], p0, p1);
    SOLVE2(M[4], M[5], M[6], r45, J[12], J[13], q0, q1);
    SOLVE2(M[7], M[8], M[9], r67, J[16], J[17], g0, g1);
    SOLVE2(M[7], M[8], M[9], r67, J[20], J[21], h0, h1);
    /* S, lower triangle */
    real s00 = xx + J[2] * J[2] * r3, s10 = xy + J[2] * J[5] * r3, s11 = yy + J[5] * J[5] * r3;
    real s22 = xx + J[8] * p0 + J[9] * p1, s32 = xy + J[12] * p0 + J[13] * p1,
         s33 = yy + J[12] * q0 + J[13] * q1;
    real s44 = xx + J[16] * g0 + J[17] * g1, s54 = xy + J[20] * g0 + J[21] * g1,
         s55 = yy + J[20] * h0 + J[21] * h1;
    /* J M^-1 Q - xi */
    real bx = J[0] * f0 + J[1] * f1, by = J[3] * f0 + J[4] * f1;
    real b0 = bx + J[2] * f2 - xi[0], b1 = by + J[5] * f2 - xi[1];
    real b2 = bx + J[8] * f3 + J[9] * f4 - xi[2], b3 = by + J[12] * f3 + J[13] * f4 - xi[3];
    real b4 = bx + J[16] * f5 + J[17] * f6 - xi[4], b5 = by + J[20] * f5 + J[21] * f6 - xi[5];
    /* S = L d L^T; rows 2 .. 5 begin with xx xy, xy yy */
    real d0 = 1 / s00, l10 = s10 * d0, d1 = 1 / (s11 - l10 * s10);
    real l20 = xx * d0, v21 = xy - l10 * xx, l21 = v21 * d1, d2 = 1 / (s22 - l20 * xx - l21 * v21);
    real l30 = xy * d0, v31 = yy - l10 * xy, l31 = v31 * d1, v32 = s32 - l20 * xy - l21 * v31, l32 = v32 * d2,
         d3 = 1 / (s33 - l30 * xy - l31 * v31 - l32 * v32);
    real l40 = l20, l41 = l21, v42 = xx - l20 * xx - l21 * v21, l42 = v42 * d2,
         v43 = xy - l30 * xx - l31 * v21 - l32 * v42, l43 = v43 * d3,
         d4 = 1 / (s44 - l40 * xx - l41 * v21 - l42 * v42 - l43 * v43);
    real l50 = l30, l51 = l31, v52 = xy - l20 * xy - l21 * v31, l52 = v52 * d2,
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
    real x = b0 + b2 + b4, y = b1 + b3 + b5;
    a[0] = f0 - X0 * x - Y0 * y;
    a[1] = f1 - X1 * x - Y1 * y;
    a[2] = f2 - (J[2] * b0 + J[5] * b1) * r3;
    a[3] = f3 - p0 * b2 - q0 * b3;
    a[4] = f4 - p1 * b2 - q1 * b3;
    a[5] = f5 - g0 * b4 - h0 * b5;
    a[6] = f6 - g1 * b4 - h1 * b5;
}

#endif
