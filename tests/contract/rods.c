/* Loops of rods in the angle of their crank (src/symbolic/rods.h) and rings of six pins (ring.h): the pose
 * closes the loops, the motion is that of the full system, and what cannot turn fully is not offered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"
#include "keel/modelfile.h"
#include "long_run.h"

enum { MOST = 16, POINTS = 24 };

/* A number in -1 .. 1 from a linear congruence (Knuth's MMIX constants): the same points every time. */
static double number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static keel_model *model_of(const char *text) {
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, text);
    bool is_text = strncmp(text, "keel:", 5) == 0;
    keel_model *model = is_text ? keel_model_parse("text", text, strlen(text), NULL, 0, messages, &status)
                                : keel_model_read(path, NULL, 0, messages, &status);
    if (!model)
        fail_msg("%s\n%s", keel_diagnostics_get(messages, 0).text, text);
    assert_int_equal(keel_model_assemble(model, messages, NULL), KEEL_OK);
    keel_diagnostics_free(messages);
    return model;
}

/* A system with its scratch area and room for its terms. */
typedef struct bench {
    const keel_system *s;
    void *work;
    double M[MOST * MOST], J[MOST * MOST], Q[MOST], xi[MOST], Phi[MOST], rate[MOST], tangent[8];
    keel_terms terms;
} bench;

static void bench_begin(bench *b, const keel_system *s) {
    memset(b, 0, sizeof *b);
    b->s = s;
    assert_true(s->n_v + keel_system_m(s) <= MOST);
    assert_int_equal(s->work_new(s, &b->work), KEEL_OK);
    b->terms = (keel_terms){
        .M = b->M, .J = b->J, .Q = b->Q, .xi = b->xi, .Phi = b->Phi, .rate = b->rate, .tangent = b->tangent};
}

static void ask(bench *b, unsigned what, double t, const double *q, const double *v, const double *a) {
    keel_point at = {.t = t, .q = q, .v = v, .a = a};
    assert_int_equal(b->s->evaluate(b->s, b->work, what, &at, &b->terms), KEEL_OK);
}

/* Gauss with column pivots. A condition that repeats others leaves nothing to divide by, and its multiplier
 * is 0 then. */
static void solve(int n, double A[MOST][MOST], double *x) {
    static const double NOTHING = 1e-12;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        for (int j = 0; j < n; j++) {
            double moved = A[k][j];
            A[k][j] = A[p][j], A[p][j] = moved;
        }
        double moved = x[k];
        x[k] = x[p], x[p] = moved;
        for (int i = k + 1; i < n && fabs(A[k][k]) > NOTHING; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++)
                A[i][j] -= f * A[k][j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k][j] * x[j];
        x[k] = fabs(A[k][k]) > NOTHING ? x[k] / A[k][k] : 0;
    }
}

/* v' of the full system: M v' + J^T lambda = Q, J v' = xi */
static void accelerations(bench *b, double t, const double *q, const double *v, double *a) {
    const keel_system *s = b->s;
    double A[MOST][MOST] = {{0}}, x[MOST] = {0};
    int n = s->n_v, m = keel_system_m(s);
    ask(b, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI, t, q, v, NULL);
    for (int i = 0; i < n; i++)
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++)
            A[i][s->M.index[k]] = A[s->M.index[k]][i] = b->M[k];
    for (int i = 0; i < m; i++)
        for (int k = s->J.start[i]; k < s->J.start[i + 1]; k++)
            A[n + i][s->J.index[k]] = A[s->J.index[k]][n + i] = b->J[k];
    memcpy(x, b->Q, (size_t)n * sizeof *x);
    memcpy(x + n, b->xi, (size_t)m * sizeof *x);
    solve(n + m, A, x);
    memcpy(a, x, (size_t)n * sizeof *a);
}

static void assert_near(const char *text, const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %.17g, but %.17g in fewer coordinates\n%s", what, a, b, text);
}

/* u' by the velocity w of the system in u: that itself, or the natural speed */
static double rate_of(const keel_system *s, double u, double w) {
    double rate = w;
    if (s->kinematics)
        s->kinematics(s, &u, &w, &rate);
    return rate;
}

/* d/dt of v(u, w) along u' and w' = a by a difference of fourth order */
static void bent(const keel_reduction *r, void *work, double t, double u, double w, double a, int n,
                 double *result) {
    static const double AT[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
    double rate = rate_of(r->system, u, w);
    const double h = 5e-4 / (1 + fabs(w) + fabs(rate) + sqrt(fabs(a)));
    memset(result, 0, (size_t)n * sizeof *result);
    for (int k = 0; k < 4; k++) {
        double q[MOST], v[MOST], e = AT[k] * h, u_e = u + e * rate, w_e = w + e * a;
        r->expand(r, work, t + e, &u_e, &w_e, q, v);
        for (int i = 0; i < n; i++)
            result[i] += WEIGHT[k] * v[i] / (12 * h);
    }
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* tangent = d(M a - Q)/d(u, w) against central differences, u along displacements */
static void compare_tangent(const char *text, bench *reduced, double t, double u, double w, double a) {
    const double h = 1e-5;
    double y[2] = {u, w}, difference[2];
    for (int j = 0; j < 2; j++) {
        double R[2];
        for (int side = 0; side < 2; side++) {
            double moved[2] = {y[0], y[1]}, by = side ? h : -h;
            if (j == 0 && reduced->s->advance)
                reduced->s->advance(reduced->s, &moved[0], &by);
            else
                moved[j] += by;
            ask(reduced, KEEL_MASS | KEEL_FORCE, t, &moved[0], &moved[1], NULL);
            R[side] = reduced->M[0] * a - reduced->Q[0];
        }
        difference[j] = (R[1] - R[0]) / (2 * h);
    }
    ask(reduced, KEEL_TANGENT, t, &u, &w, &a);
    keel_pattern P = reduced->s->tangent;
    assert_int_equal(P.rows, 1);
    assert_int_equal(P.cols, 2);
    double exact[2] = {0};
    for (int k = 0; k < P.start[1]; k++)
        exact[P.index[k]] = reduced->tangent[k];
    for (int j = 0; j < 2; j++)
        assert_near(text, "tangent", difference[j], exact[j], 1e-6 * (1 + largest(difference, 2)));
}

/* The natural speed: w^2 / 2 is the kinetic energy. */
static void compare_speed(const char *text, bench *full, bench *reduced, double t, double u, double w) {
    const keel_reduction *r = full->s->reduction;
    double q[MOST], v[MOST], energy[2];
    for (int moving = 0; moving < 2; moving++) {
        double speed = moving * w;
        r->expand(r, reduced->work, t, &u, &speed, q, v);
        ask(full, KEEL_ENERGY, t, q, v, NULL);
        energy[moving] = full->terms.energy;
    }
    assert_near(text, "kinetic energy", energy[1] - energy[0], w * w / 2, 1e-12 * (1 + fabs(energy[1])));
}

static void compare_at(const char *text, bench *full, bench *reduced, double t, double u, double w) {
    const keel_reduction *r = full->s->reduction;
    int n = full->s->n_v, m = keel_system_m(full->s);
    double q[MOST], v[MOST], a[MOST], b[MOST], back, back_rate;
    r->expand(r, reduced->work, t, &u, &w, q, v);
    ask(full, KEEL_POSITION | KEEL_VELOCITY, t, q, v, NULL);
    for (int i = 0; i < m; i++) {
        assert_near(text, "Phi", 0, full->Phi[i], 1e-14 * fmax(1, full->s->Phi_size[i]));
        assert_near(text, "rate", 0, full->rate[i], 1e-13 * (1 + largest(v, n)));
    }
    ask(full, KEEL_ENERGY | KEEL_POWER, t, q, v, NULL);
    ask(reduced, KEEL_ENERGY | KEEL_POWER | KEEL_MASS | KEEL_FORCE, t, &u, &w, NULL);
    assert_near(text, "energy", full->terms.energy, reduced->terms.energy,
                1e-12 * (1 + fabs(full->terms.energy)));
    assert_near(text, "power", full->terms.power, reduced->terms.power,
                1e-12 * (1 + fabs(full->terms.power)));
    double u_curve = reduced->Q[0] / reduced->M[0];
    accelerations(full, t, q, v, a);
    bent(r, reduced->work, t, u, w, u_curve, n, b);
    for (int i = 0; i < n; i++)
        assert_near(text, "acceleration", a[i], b[i], 1e-9 * (1 + largest(a, n)));
    compare_tangent(text, reduced, t, u, w, u_curve);
    assert_true(r->shrink(r, reduced->work, t, q, v, &back, &back_rate));
    bool is_coordinate = strcmp(r->system->names.q[0], "turn") != 0, natural = r->system->kinematics;
    if (is_coordinate)
        assert_true(back == u);
    else
        assert_near(text, "u, up to turns", 0, remainder(back - u, 2 * 3.14159265358979323846),
                    1e-14 * (2 + fabs(u)));
    if (is_coordinate && !natural)
        assert_true(back_rate == w);
    else
        assert_near(text, "its speed", back_rate, w, 1e-13 * (1 + fabs(w)));
    if (natural) /* w^2 = 2 T, the potential being the energy at rest */
        compare_speed(text, full, reduced, t, u, w);
}

#define SPACE  "keel: 1\ngravity: [0.4, -0.3, -9.81]\ncoordinates: relative\n"
#define CRANK  "  crank: {mass: 0.3, centre: [0.1, 0.1, 0.15], inertia: [2e-3, 2e-3, 3e-3, 1e-4, 0, 2e-4]}\n"
#define ROD    "  rod: {mass: 0.5, centre: [0.5, 0.05, 0.1], inertia: [2e-2, 4e-2, 5e-2, 1e-3, 2e-3, -1e-3]}\n"
#define SLIDER "  slider: {mass: 2, centre: [1.1, 0.1, 0], inertia: [1e-2, 2e-2, 1e-2]}\n"
#define PLANE  "keel: 1\nplanar: true\ngravity: 9.81\ncoordinates: relative\n"

/* A ring whose axes are 1.4 rad apart, in no special place (made with ring.h at u = 0.7); the last pin of it.
 */
#define OBLIQUE_RING                                                                                         \
    SPACE "bodies:\n"                                                                                        \
          "  rod1: {mass: 0.5, centre: [0, 0.35, 0], inertia: [2e-2, 3e-2, 4e-2, 1e-3, 2e-3, -1e-3]}\n"      \
          "  rod2: {mass: 1.5, centre: [-0.4, 0.6, 0.3], inertia: [4e-2, 3e-2, 2e-2]}\n"                     \
          "  rod3: {mass: 0.8, centre: [-0.5, 0.4, 0.7], inertia: [3e-2, 3e-2, 2e-2, 0, 1e-3, 0]}\n"         \
          "  rod4: {mass: 1.1, centre: [-0.4, -0.1, 0.9], inertia: [3e-2, 2e-2, 4e-2]}\n"                    \
          "  rod5: {mass: 0.4, centre: [-0.1, -0.4, 0.5], inertia: [5e-2, 6e-2, 4e-2]}\n"                    \
          "joints:\n"                                                                                        \
          "  A: {type: revolute, bodies: [ground, rod1], at: [0.23902207665942496, 0.13983530893624047, "    \
          "-0.034391883025050939],\n"                                                                        \
          "      axis: [0.20674148346163149, 0.27694869911228359, 0.9383801879175081]}\n"                    \
          "  B: {type: revolute, bodies: [rod2, rod1], at: [-0.22337281306277262, 0.70146336324933201, "     \
          "-0.062048610367382954],\n"                                                                        \
          "      axis: [-0.56016688038026807, -0.80839266458033909, 0.1808711308576858], reading: 0.4}\n"    \
          "  C: {type: revolute, bodies: [rod2, rod3], at: [-0.48181050822795535, 0.76644592974942871, "     \
          "0.62772375025949678],\n"                                                                          \
          "      axis: [1.8155433667301462, -0.75634292745479081, 0.36297060433495548]}\n"                   \
          "  D: {type: revolute, bodies: [rod4, rod3], at: [-0.68229372014685774, 0.1219960782277647, "      \
          "0.83865234152295232],\n"                                                                          \
          "      axis: [0.10193441254875948, 0.25650090198735942, 0.96115381850045745]}\n"                   \
          "  E: {type: revolute, bodies: [rod4, rod5], at: [0.052416216695375051, -0.076526155345087943, "   \
          "0.86676339775582323],\n"                                                                          \
          "      axis: [-1.8659478327945096, -2.3311860371818067, 0.28950016465981021]}\n"
#define LAST_PIN_AT(x)                                                                                       \
    "  F: {type: revolute, bodies: [ground, rod5], at: [" x ", -0.4486058693804329, 0.21264604840762608],\n" \
    "      axis: [0.87554467722437801, -0.4664461017773075, 0.12589500514640489]}\n"
#define LAST_PIN LAST_PIN_AT("-0.0528841413194827")

static const char *const OFFERED[] = {
    "slider_crank_3d",
    "a04_bricard",
    OBLIQUE_RING LAST_PIN,
    OBLIQUE_RING LAST_PIN
    "forces:\n"
    "  spring: {type: spring, bodies: [ground, rod3], at: [[0.5, 0.5, 0.4], [-0.5, 0.1, 0.1]], stiffness: "
    "30,\n"
    "           damping: 2, free: 0.2}\n"
    "  coil: {type: torsion, joint: B, stiffness: 5, damping: 0.1}\n"
    "  push: {type: force, body: rod4, at: [0.6, 0, 0.1], vector: [sin(t), rod2.x, 2], axes: body}\n",
    /* everything oblique, readings, joints the other way round, forces of all kinds */
    SPACE
    "bodies:\n" CRANK ROD SLIDER "joints:\n"
    "  pivot: {type: revolute, bodies: [crank, ground], at: [0, 0.1, 0.1], axis: [1, 0.2, 0.1], reading: "
    "0.4}\n"
    "  ball: {type: spherical, bodies: [rod, crank], at: [0.05, 0.1, 0.3]}\n"
    "  cross: {type: universal, bodies: [slider, rod], at: [1, 0, 0], axis: [0.3, 1, -0.2], across: [0, 2, "
    "-1]}\n"
    "  slide: {type: prismatic, bodies: [slider, ground], at: [1, 0, 0], axis: [1, -0.1, 0.1], reading: 2,\n"
    "          friction: {viscous: 0.3}}\n"
    "forces:\n"
    "  spring: {type: spring, bodies: [ground, rod], at: [[0.5, 0.5, 0.4], [0.5, 0.1, 0.1]], stiffness: 30,\n"
    "           damping: 2, free: 0.2}\n"
    "  coil: {type: torsion, joint: pivot, stiffness: 5, damping: 0.1}\n"
    "  push: {type: force, body: rod, at: [0.6, 0, 0.1], vector: [sin(t), slider.x, 2], axes: body}\n",
    /* a rocker in space */
    SPACE "bodies:\n" CRANK ROD SLIDER "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0.1, 0.1], axis: [1, 0.2, 0.1]}\n"
          "  ball: {type: spherical, bodies: [crank, rod], at: [0.05, 0.1, 0.3]}\n"
          "  cross: {type: universal, bodies: [slider, rod], at: [1, 0, 0.8], axis: [0, 1, 0.2], across: [0, "
          "0, 1]}\n"
          "  rock: {type: revolute, bodies: [ground, slider], at: [1, 0.1, 0], axis: [0.1, 1, 0.2]}\n",
    /* slider-crank and four-bars in the plane; which joint is cut differs */
    PLANE "bodies:\n"
          "  crank: {mass: 1, centre: [0.1, 0.05], inertia: 0.1}\n"
          "  rod: {mass: 0.7, centre: [0.6, 0.3], inertia: 0.2}\n"
          "  slider: {mass: 2, centre: [1.2, 0.1], inertia: 0.1}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0], reading: 0.3}\n"
          "  pin: {type: revolute, bodies: [crank, rod], at: [0.2, 0.3]}\n"
          "  wrist: {type: revolute, bodies: [rod, slider], at: [1.2, 0]}\n"
          "  slide: {type: prismatic, bodies: [ground, slider], at: [1.2, 0], axis: [1, 0.1]}\n"
          "forces:\n"
          "  spring: {type: spring, bodies: [ground, rod], at: [[0.5, 0.9], [0.6, 0.3]], stiffness: 30, "
          "damping: 2,\n"
          "           free: 0.2}\n"
          "  coil: {type: torsion, joint: wrist, stiffness: 5, damping: 0.1}\n",
    PLANE "bodies:\n"
          "  crank: {mass: 1, centre: [0.1, 0.05], inertia: 0.1}\n"
          "  coupler: {mass: 0.7, centre: [0.6, 0.8], inertia: 0.2}\n"
          "  rocker: {mass: 2, centre: [1.2, 0.4], inertia: 0.1}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
          "  pin: {type: revolute, bodies: [coupler, crank], at: [0.2, 0.3]}\n"
          "  wrist: {type: revolute, bodies: [coupler, rocker], at: [1.2, 0.8]}\n"
          "  rock: {type: revolute, bodies: [rocker, ground], at: [1.3, 0], friction: {viscous: 0.2}}\n",
    PLANE "bodies:\n"
          "  rocker: {mass: 2, centre: [1.2, 0.4], inertia: 0.1}\n"
          "  coupler: {mass: 0.7, centre: [0.6, 0.8], inertia: 0.2}\n"
          "  crank: {mass: 1, centre: [0.1, 0.05], inertia: 0.1}\n"
          "joints:\n"
          "  rock: {type: revolute, bodies: [rocker, ground], at: [1.3, 0]}\n"
          "  wrist: {type: revolute, bodies: [coupler, rocker], at: [1.2, 0.8]}\n"
          "  pin: {type: revolute, bodies: [coupler, crank], at: [0.2, 0.3]}\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n",
    /* a drag link: all bars turn fully with the crank */
    PLANE "bodies:\n"
          "  crank: {mass: 1, centre: [0.1, 0.5], inertia: 0.1}\n"
          "  coupler: {mass: 0.7, centre: [0.6, 0.8], inertia: 0.2}\n"
          "  rocker: {mass: 2, centre: [1, 0.4], inertia: 0.1}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
          "  pin: {type: revolute, bodies: [crank, coupler], at: [0, 1]}\n"
          "  wrist: {type: revolute, bodies: [coupler, rocker], at: [0.9, 0.9]}\n"
          "  rock: {type: revolute, bodies: [ground, rocker], at: [0.3, 0]}\n",
    "slider_crank_bodies",
    /* rods without bodies: a distance, in the plane and in space */
    PLANE "bodies:\n"
          "  crank: {mass: 1, centre: [0.1, 0.05], inertia: 0.1}\n"
          "  rocker: {mass: 2, centre: [1.2, 0.4], inertia: 0.1}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
          "  rod: {type: distance, bodies: [rocker, crank], at: [[1.2, 0.8], [0.2, 0.3]]}\n"
          "  rock: {type: revolute, bodies: [rocker, ground], at: [1.3, 0]}\n",
    SPACE "bodies:\n" CRANK SLIDER "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0.1, 0.1], axis: [1, 0.2, 0.1]}\n"
          "  rod: {type: distance, bodies: [crank, slider], at: [[0.05, 0.1, 0.3], [1, 0, 0]]}\n"
          "  slide: {type: prismatic, bodies: [slider, ground], at: [1, 0, 0], axis: [1, -0.1, 0.1]}\n",
    /* two rods on one crank */
    PLANE "bodies:\n"
          "  crank: {mass: 1, centre: [0.1, 0.05], inertia: 0.1}\n"
          "  rod: {mass: 0.7, centre: [0.6, 0.3], inertia: 0.2}\n"
          "  slider: {mass: 2, centre: [1.2, 0.1], inertia: 0.1}\n"
          "  rod2: {mass: 0.7, centre: [0.1, 0.7], inertia: 0.2}\n"
          "  slider2: {mass: 2, centre: [0, 1.5], inertia: 0.1}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
          "  pin: {type: revolute, bodies: [crank, rod], at: [0.2, 0.3]}\n"
          "  wrist: {type: revolute, bodies: [rod, slider], at: [1.2, 0]}\n"
          "  slide: {type: prismatic, bodies: [ground, slider], at: [1.2, 0], axis: [1, 0]}\n"
          "  pin2: {type: revolute, bodies: [crank, rod2], at: [0.2, 0.3]}\n"
          "  wrist2: {type: revolute, bodies: [rod2, slider2], at: [0, 1.5]}\n"
          "  slide2: {type: prismatic, bodies: [ground, slider2], at: [0, 1.5], axis: [0, 1]}\n",
};

static void test_motion(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof OFFERED / sizeof *OFFERED; i++) {
        keel_model *model = model_of(OFFERED[i]);
        const keel_reduction *r = long_run(model->system)->reduction;
        uint64_t seed = 11;
        char message[256];
        bench full, reduced;
        if (!r)
            fail_msg("not offered:\n%s", OFFERED[i]);
        print_message("%s\n", r->reason);
        assert_int_equal(keel_system_validate(r->system, message, sizeof message), KEEL_OK);
        assert_int_equal(r->system->n_v, 1);
        bench_begin(&full, long_run(model->system));
        bench_begin(&reduced, r->system);
        for (int k = 0; k < POINTS; k++)
            compare_at(OFFERED[i], &full, &reduced, number(&seed), 20 * number(&seed), 5 * number(&seed));
        full.s->work_free(full.work);
        reduced.s->work_free(reduced.work);
        keel_model_free(model);
    }
}

/* The reduced system integrated for itself, against the full one. */
static void test_run(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof OFFERED / sizeof *OFFERED; i++) {
        keel_model *model = model_of(OFFERED[i]);
        const keel_reduction *r = long_run(model->system)->reduction;
        keel_settings settings = model->settings;
        keel_result full = {0}, reduced = {0};
        keel_state *start = keel_state_new(r->system);
        double q[MOST], v[MOST];
        void *work;
        assert_int_equal(r->system->work_new(r->system, &work), KEEL_OK);
        settings.tolerance = 1e-11;
        settings.until = 5;
        assert_int_equal(
            keel_method_parse("dop853/index1/projection", (keel_location){0}, NULL, &settings.method),
            KEEL_OK);
        assert_int_equal(
            keel_run(model->system, model->start, model->velocities_given, &settings, NULL, NULL, &full),
            KEEL_OK);
        assert_int_equal(keel_method_parse("dop853/index1/none", (keel_location){0}, NULL, &settings.method),
                         KEEL_OK);
        assert_true(r->shrink(r, work, 0, model->start->q, model->start->v, start->q, start->v));
        assert_int_equal(keel_run(r->system, start, 1, &settings, NULL, NULL, &reduced), KEEL_OK);
        r->expand(r, work, reduced.final->t, reduced.final->q, reduced.final->v, q, v);
        print_message("%ld and %ld steps\n", full.count.steps, reduced.count.steps);
        for (int k = 0; k < model->system->n_v; k++) {
            double size = 1 + fabs(full.final->v[k]);
            assert_near(OFFERED[i], "q at the end", full.final->q[k], q[k], 1e-8 * size);
            assert_near(OFFERED[i], "v at the end", full.final->v[k], v[k], 1e-8 * size * size);
        }
        assert_near(OFFERED[i], "drift", 0, reduced.energy_drift_max,
                    1e-8 * (1 + fabs(reduced.energy_initial)));
        keel_result_clear(&full);
        keel_result_clear(&reduced);
        keel_state_free(start);
        r->system->work_free(work);
        keel_model_free(model);
    }
}

/* Natural speed where only weight acts, u' elsewhere. */
static void test_natural(void **state) {
    (void)state;
    int natural = 0;
    for (size_t i = 0; i < sizeof OFFERED / sizeof *OFFERED; i++) {
        keel_model *model = model_of(OFFERED[i]);
        bool forced = strstr(OFFERED[i], "forces:") || strstr(OFFERED[i], "friction:") ||
                      strcmp(OFFERED[i], "slider_crank_bodies") == 0; /* a spring and a push */
        assert_int_equal(long_run(model->system)->reduction->system->kinematics != NULL, !forced);
        natural += !forced;
        keel_model_free(model);
    }
    assert_true(natural > 0);
}

/* Every integrator that takes index1 knows kinematics: in the natural speed all come to where dop853 does.
 * Tolerances and steps are such that the errors of all of them are below 1e-5. */
static void test_methods(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double tolerance, step;
    } RUNS[] = {{"dop853/index1/none", 1e-12, 0}, {"dopri5/index1/none", 1e-10, 0},
                {"adams/index1/none", 1e-10, 0},  {"radau5/index1/none", 1e-9, 0},
                {"radau9/index1/none", 1e-9, 0},  {"bdf/index1/none", 1e-11, 0},
                {"rk4/index1/none", 1e-6, 5e-4},  {"bdf-fixed/index1/none", 1e-6, 2e-4},
                {"ida/index1/none", 1e-11, 0}};
    keel_model *model = model_of("slider_crank_3d");
    double q[MOST];
    for (size_t i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        keel_settings settings = model->settings;
        keel_result result = {0};
        settings.tolerance = RUNS[i].tolerance;
        settings.step = RUNS[i].step;
        settings.order = RUNS[i].step > 0 ? 4 : 0;
        settings.until = 1;
        settings.closed_forms = KEEL_CLOSED_FORMS_YES;
        assert_int_equal(keel_method_parse(RUNS[i].method, (keel_location){0}, NULL, &settings.method),
                         KEEL_OK);
        assert_int_equal(
            keel_run(model->system, model->start, model->velocities_given, &settings, NULL, NULL, &result),
            KEEL_OK);
        assert_non_null(result.closed_forms);
        for (int k = 0; k < model->system->n_q; k++) {
            if (i == 0)
                q[k] = result.final->q[k];
            assert_near(RUNS[i].method, "q at the end", q[k], result.final->q[k], 1e-5);
        }
        keel_result_clear(&result);
    }
    keel_model_free(model);
}

#define SHORT_CRANK "  pin: {type: revolute, bodies: [crank, rod], at: [0, 1]}\n"
#define THROUGH_THE_PIVOT                                                                                    \
    PLANE "bodies:\n"                                                                                        \
          "  crank: {mass: 1, centre: [0, 0.5], inertia: 0.1}\n"                                             \
          "  rod: {mass: 0.7, centre: [0.6, 0.3], inertia: 0.2}\n"                                           \
          "  slider: {mass: 2, centre: [2, 0], inertia: 0.1}\n"                                              \
          "joints:\n"                                                                                        \
          "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                 \
          "  wrist: {type: revolute, bodies: [rod, slider], at: [2, 0]}\n"                                   \
          "  slide: {type: prismatic, bodies: [ground, slider], at: [2, 0], axis: [1, 0]}\n"

/* A crank that is longer than the rod meets its dead points, one nearly as long comes too near to them; and
 * what reactions, times or more coordinates decide has no closed form. */
static const char *const NOT_OFFERED[] = {
    THROUGH_THE_PIVOT "  pin: {type: revolute, bodies: [crank, rod], at: [1.5, 1]}\n",
    THROUGH_THE_PIVOT "  pin: {type: revolute, bodies: [crank, rod], at: [0.998, 1]}\n",
    THROUGH_THE_PIVOT SHORT_CRANK "motions: {motor: {of: pivot.angle, speed: 3}}\n",
    THROUGH_THE_PIVOT "  pin: {type: revolute, bodies: [crank, rod], at: [0, 1],\n"
                      "        friction: {coulomb: 0.1, radius: 0.02}}\n",
    OBLIQUE_RING LAST_PIN_AT("-0.0528841412194827"), /* a pin next to its place */
    OBLIQUE_RING LAST_PIN "motions: {motor: {of: A.angle, speed: 3}}\n",
    "four_bars",
    "five_bar",
    "stewart",
};

static void test_refused(void **state) {
    (void)state;
    keel_model *model = model_of(THROUGH_THE_PIVOT SHORT_CRANK);
    assert_non_null(long_run(model->system)->reduction); /* what the others vary */
    keel_model_free(model);
    for (size_t i = 0; i < sizeof NOT_OFFERED / sizeof *NOT_OFFERED; i++) {
        model = model_of(NOT_OFFERED[i]);
        if (long_run(model->system)->reduction)
            fail_msg("offered:\n%s", NOT_OFFERED[i]);
        keel_model_free(model);
    }
}

/* With the crank upright the slider may also be on the left, the rod turned by p. */
static void test_other_branch(void **state) {
    (void)state;
    keel_model *model = model_of(THROUGH_THE_PIVOT SHORT_CRANK);
    const keel_system *s = long_run(model->system);
    const keel_reduction *r = s->reduction;
    bench full, reduced;
    double u, u_rate, v[MOST] = {0}, *q = model->start->q;
    int slide = -1, rod = -1;
    bench_begin(&full, s);
    bench_begin(&reduced, r->system);
    assert_true(r->shrink(r, reduced.work, 0, q, v, &u, &u_rate));
    for (int i = 0; i < s->n_q; i++) {
        slide = strstr(s->names.q[i], "slide.") ? i : slide;
        rod = strstr(s->names.q[i], "pivot.") || slide == i ? rod : i;
    }
    assert_true(slide >= 0 && rod >= 0);
    double p = atan2(1, 2) - atan2(1, -2), worst = 1;
    q[slide] = -4;
    for (int sign = -1; sign <= 1 && worst > 1e-14; sign += 2) {
        q[rod] = sign * p;
        ask(&full, KEEL_POSITION, 0, q, v, NULL);
        worst = largest(full.Phi, s->n_h);
    }
    assert_true(worst <= 1e-14);
    assert_false(r->shrink(r, reduced.work, 0, q, v, &u, &u_rate));
    full.s->work_free(full.work);
    reduced.s->work_free(reduced.work);
    keel_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motion),  cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_natural), cmocka_unit_test(test_methods),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_other_branch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
