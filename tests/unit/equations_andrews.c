/* Andrews' squeezing mechanism (seven bodies, six constraints), data of the Test Set for IVP Solvers:
 * written with mass matrix and forces, and with energies, it must be the same system; J and xi as published
 * (xi = -gamma). */
#include "equations_helper.h"

#define PARAMETER(name, value)                                                                               \
    { KEEL_EQ_PARAMETER, name, value, 0 }
#define COMMON                                                                                               \
    PARAMETER("m1", ".04325"), PARAMETER("m2", ".00365"), PARAMETER("m3", ".02373"),                         \
        PARAMETER("m4", ".00706"), PARAMETER("m5", ".07050"), PARAMETER("m6", ".00706"),                     \
        PARAMETER("m7", ".05498"), PARAMETER("I1", "2.194e-6"), PARAMETER("I2", "4.410e-7"),                 \
        PARAMETER("I3", "5.255e-6"), PARAMETER("I4", "5.667e-7"), PARAMETER("I5", "1.169e-5"),               \
        PARAMETER("I6", "5.667e-7"), PARAMETER("I7", "1.912e-5"), PARAMETER("d", ".028"),                    \
        PARAMETER("da", ".0115"), PARAMETER("ec", ".02"), PARAMETER("ea", ".01421"),                         \
        PARAMETER("rr", ".007"), PARAMETER("ra", ".00092"), PARAMETER("zf", ".02"), PARAMETER("zt", ".04"),  \
        PARAMETER("ss", ".035"), PARAMETER("sa", ".01874"), PARAMETER("sb", ".01043"),                       \
        PARAMETER("sc", ".018"), PARAMETER("sd", ".02"), PARAMETER("ta", ".02308"),                          \
        PARAMETER("tb", ".00916"), PARAMETER("u", ".04"), PARAMETER("ua", ".01228"),                         \
        PARAMETER("ub", ".00449"), PARAMETER("xa", "-.06934"), PARAMETER("ya", "-.00227"),                   \
        PARAMETER("xb", "-.03635"), PARAMETER("yb", ".03273"), PARAMETER("xc", ".014"),                      \
        PARAMETER("yc", ".072"), PARAMETER("c0", "4530"), PARAMETER("l0", ".07785"),                         \
        PARAMETER("mom", ".033"), PARAMETER("fa", ".01421"), PARAMETER("a", "ec - ea"),                      \
        PARAMETER("b", "zf - fa"), {KEEL_EQ_COORDINATE, "q1", "-0.0617138900142764496", 0},                  \
        {KEEL_EQ_COORDINATE, "q2", "0", 0}, {KEEL_EQ_COORDINATE, "q3", "0.455279819163070380", 0},           \
        {KEEL_EQ_COORDINATE, "q4", "0.222668390165885884", 0},                                               \
        {KEEL_EQ_COORDINATE, "q5", "0.487364979543842550", 0},                                               \
        {KEEL_EQ_COORDINATE, "q6", "-0.222668390165885884", 0},                                              \
        {KEEL_EQ_COORDINATE, "q7", "1.23054744454982119", 0},                                                \
        {KEEL_EQ_DEFINITION, "M11", "m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(q2) + da^2) + I1 + I2", 0},            \
        {KEEL_EQ_DEFINITION, "M12", "m2*(da^2 - da*rr*cos(q2)) + I2", 0},                                    \
        {KEEL_EQ_DEFINITION, "M22", "m2*da^2 + I2", 0},                                                      \
        {KEEL_EQ_DEFINITION, "M33", "m3*(sa^2 + sb^2) + I3", 0},                                             \
        {KEEL_EQ_DEFINITION, "M44", "m4*a^2 + I4", 0},                                                       \
        {KEEL_EQ_DEFINITION, "M45", "m4*(a^2 + zt*a*sin(q4)) + I4", 0},                                      \
        {KEEL_EQ_DEFINITION, "M55", "m4*(zt^2 + 2*zt*a*sin(q4) + a^2) + m5*(ta^2 + tb^2) + I4 + I5", 0},     \
        {KEEL_EQ_DEFINITION, "M66", "m6*b^2 + I6", 0},                                                       \
        {KEEL_EQ_DEFINITION, "M67", "m6*(b^2 - u*b*sin(q6)) + I6", 0},                                       \
        {KEEL_EQ_DEFINITION, "M77", "m6*(b^2 - 2*u*b*sin(q6) + u^2) + m7*(ua^2 + ub^2) + I6 + I7", 0},       \
        {KEEL_EQ_DEFINITION, "xd", "sd*cos(q3) + sc*sin(q3) + xb", 0},                                       \
        {KEEL_EQ_DEFINITION, "yd", "sd*sin(q3) - sc*cos(q3) + yb", 0},                                       \
        {KEEL_EQ_DEFINITION, "length", "sqrt((xd - xc)^2 + (yd - yc)^2)", 0},                                \
        {KEEL_EQ_DEFINITION, "X", "rr*cos(q1) - d*cos(q1 + q2)", 0},                                         \
        {KEEL_EQ_DEFINITION, "Y", "rr*sin(q1) - d*sin(q1 + q2)", 0},                                         \
        {KEEL_EQ_HOLONOMIC, "g1", "X - ss*sin(q3) - xb", 0},                                                 \
        {KEEL_EQ_HOLONOMIC, "g2", "Y + ss*cos(q3) - yb", 0},                                                 \
        {KEEL_EQ_HOLONOMIC, "g3", "X - ec*sin(q4 + q5) - zt*cos(q5) - xa", 0},                               \
        {KEEL_EQ_HOLONOMIC, "g4", "Y + ec*cos(q4 + q5) - zt*sin(q5) - ya", 0},                               \
        {KEEL_EQ_HOLONOMIC, "g5", "X - zf*cos(q6 + q7) - u*sin(q7) - xa", 0}, {                              \
        KEEL_EQ_HOLONOMIC, "g6", "Y - zf*sin(q6 + q7) + u*cos(q7) - ya", 0                                   \
    }

static const line NEWTON[] = {
    COMMON,
    {KEEL_EQ_MASS, "q1", "M11", 0},
    {KEEL_EQ_MASS, "q1,q2", "M12", 0},
    {KEEL_EQ_MASS, "q2", "M22", 0},
    {KEEL_EQ_MASS, "q3", "M33", 0},
    {KEEL_EQ_MASS, "q4", "M44", 0},
    {KEEL_EQ_MASS, "q4,q5", "M45", 0},
    {KEEL_EQ_MASS, "q5", "M55", 0},
    {KEEL_EQ_MASS, "q6", "M66", 0},
    {KEEL_EQ_MASS, "q7,q6", "M67", 0},
    {KEEL_EQ_MASS, "q7", "M77", 0},
    {KEEL_EQ_DEFINITION, "F", "-c0*(length - l0)/length", 0},
    {KEEL_EQ_FORCE, "q1", "mom - m2*da*rr*q2'*(q2' + 2*q1')*sin(q2)", 0},
    {KEEL_EQ_FORCE, "q2", "m2*da*rr*q1'^2*sin(q2)", 0},
    {KEEL_EQ_FORCE, "q3", "F*((xd - xc)*(sc*cos(q3) - sd*sin(q3)) + (yd - yc)*(sd*cos(q3) + sc*sin(q3)))", 0},
    {KEEL_EQ_FORCE, "q4", "m4*zt*a*q5'^2*cos(q4)", 0},
    {KEEL_EQ_FORCE, "q5", "-m4*zt*a*q4'*(q4' + 2*q5')*cos(q4)", 0},
    {KEEL_EQ_FORCE, "q6", "-m6*u*b*q7'^2*cos(q6)", 0},
    {KEEL_EQ_FORCE, "q7", "m6*u*b*q6'*(q6' + 2*q7')*cos(q6)", 0},
};

static const line LAGRANGE[] = {
    COMMON,
    {KEEL_EQ_KINETIC, NULL, "(M11*q1'^2 + 2*M12*q1'*q2' + M22*q2'^2 + M33*q3'^2)/2", 0},
    {KEEL_EQ_KINETIC, NULL, "(M44*q4'^2 + 2*M45*q4'*q5' + M55*q5'^2)/2", 0},
    {KEEL_EQ_KINETIC, NULL, "(M66*q6'^2 + 2*M67*q6'*q7' + M77*q7'^2)/2", 0},
    {KEEL_EQ_POTENTIAL, NULL, "c0*(length - l0)^2/2 - mom*q1", 0},
};

static void both_forms_are_one_system(void **state) {
    (void)state;
    model a = compile_lines(NEWTON, COUNT(NEWTON)), b = compile_lines(LAGRANGE, COUNT(LAGRANGE));
    uint64_t seed = 11;
    for (int trial = 0; trial < 20; trial++) {
        any_point(&a, &seed);
        keel_state_copy(a.system, b.at, a.at);
        evaluate(&a, EVERYTHING);
        evaluate(&b, EVERYTHING);
        /* inertias and gyroscopic forces are about 1e-5 */
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j <= i; j++)
                assert_near(1e5 * mass(&b, i, j), 1e5 * mass(&a, i, j), 1e-12);
            assert_near(1e5 * b.terms.Q[i], 1e5 * a.terms.Q[i], 1e-12);
        }
        for (int i = 0; i < 6; i++)
            assert_near(b.terms.xi[i], a.terms.xi[i], 1e-12);
        /* spring and torque are a potential in one form, forces in the other */
        double T = 0;
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++)
                T += mass(&a, i, j) * a.at->v[i] * a.at->v[j] / 2;
        assert_near(a.terms.energy, T, 1e-12);
        assert_near(b.terms.power, 0, 0);
    }
    drop(&a);
    drop(&b);
}

static void jacobian_and_curvature_as_published(void **state) {
    (void)state;
    const double d = .028, e = .02, rr = .007, zf = .02, zt = .04, ss = .035, u = .04;
    model m = compile_lines(NEWTON, COUNT(NEWTON));
    uint64_t seed = 12;
    for (int trial = 0; trial < 20; trial++) {
        any_point(&m, &seed);
        evaluate(&m, EVERYTHING);
        const double *q = m.at->q - 1, *v = m.at->v - 1; /* counted from 1, as published */
        double s12 = sin(q[1] + q[2]), c12 = cos(q[1] + q[2]), s45 = sin(q[4] + q[5]), c45 = cos(q[4] + q[5]);
        double s67 = sin(q[6] + q[7]), c67 = cos(q[6] + q[7]);
        double up = -rr * sin(q[1]) + d * s12, left = rr * cos(q[1]) - d * c12;
        const double G[6][7] = {
            {up, d * s12, -ss * cos(q[3]), 0, 0, 0, 0},
            {left, -d * c12, -ss * sin(q[3]), 0, 0, 0, 0},
            {up, d * s12, 0, -e * c45, -e * c45 + zt * sin(q[5]), 0, 0},
            {left, -d * c12, 0, -e * s45, -e * s45 - zt * cos(q[5]), 0, 0},
            {up, d * s12, 0, 0, 0, zf * s67, zf * s67 - u * cos(q[7])},
            {left, -d * c12, 0, 0, 0, -zf * c67, -zf * c67 - u * sin(q[7])},
        };
        double w12 = pow(v[1] + v[2], 2), w45 = pow(v[4] + v[5], 2), w67 = pow(v[6] + v[7], 2);
        double A = -rr * cos(q[1]) * v[1] * v[1] + d * c12 * w12;
        double B = -rr * sin(q[1]) * v[1] * v[1] + d * s12 * w12;
        const double gamma[6] = {
            A + ss * sin(q[3]) * v[3] * v[3],
            B - ss * cos(q[3]) * v[3] * v[3],
            A + e * s45 * w45 + zt * cos(q[5]) * v[5] * v[5],
            B - e * c45 * w45 + zt * sin(q[5]) * v[5] * v[5],
            A + zf * c67 * w67 + u * sin(q[7]) * v[7] * v[7],
            B + zf * s67 * w67 - u * cos(q[7]) * v[7] * v[7],
        };
        for (int c = 0; c < 6; c++) {
            double rate = 0;
            for (int j = 0; j < 7; j++) {
                assert_near(jacobian(&m, c, j), G[c][j], 1e-15);
                rate += G[c][j] * m.at->v[j];
            }
            assert_near(m.terms.rate[c], rate, 1e-15);
            assert_near(m.terms.xi[c], -gamma[c], 1e-14);
        }
    }
    drop(&m);
}

/* Accelerations and multipliers at the start, published with the test set. */
static void start_of_the_test_set(void **state) {
    (void)state;
    enum { N = 7, M = 6, SIZE = N + M };
    model m = compile_lines(LAGRANGE, COUNT(LAGRANGE));
    double K[SIZE * SIZE] = {0}, x[SIZE];
    int pivot[SIZE];
    evaluate(&m, EVERYTHING);
    for (int i = 0; i < N; i++) {
        x[i] = m.terms.Q[i];
        for (int j = 0; j < N; j++)
            K[i * SIZE + j] = mass(&m, i, j);
        for (int c = 0; c < M; c++)
            K[i * SIZE + N + c] = K[(N + c) * SIZE + i] = jacobian(&m, c, i);
    }
    for (int c = 0; c < M; c++) {
        x[N + c] = m.terms.xi[c];
        assert_near(m.terms.Phi[c], 0, 1e-16);
    }
    assert_int_equal(ki_dense_lu_factor(SIZE, K, pivot), -1);
    ki_dense_lu_solve(SIZE, K, pivot, x);
    assert_near(x[0], 14222.4439199541138705911625887, 1e-10);
    assert_near(x[1], -10666.8329399655854029433719415, 1e-10);
    assert_near(x[N], 98.5668703962410896057654982170, 1e-10);
    assert_near(x[N + 1], -6.12268834425566265503114393122, 1e-10);
    for (int i = 2; i < N; i++)
        assert_near(x[i] / 14222, 0, 1e-10);
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_one_system),
        cmocka_unit_test(jacobian_and_curvature_as_published),
        cmocka_unit_test(start_of_the_test_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
