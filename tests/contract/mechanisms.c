/* What every mechanism must do, with every type of joint: constraints, velocities and accelerations agree
 * with differences, the mass matrix with the kinetic energy, derivatives with differences of the equations,
 * and the motion does not depend on which joints are coordinates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/mechanism.h"
#include "keel/saddle.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"

/* A small generator, so that failures can be repeated. */
static unsigned long seed;

static double uniform(double low, double high) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void random_vector(double x[3], int planar) {
    for (int i = 0; i < 3; i++)
        x[i] = planar && i == 2 ? 0 : uniform(-1, 1);
}

/* ---- the mechanism: ground - root - test body, with a spring and gravity --------------------------------
 */

typedef struct subject {
    const char *type;
    int planar;
    keel_coordinates coordinates;
} subject;

static int add_random_body(keel_mechanism *m, const char *name, int planar) {
    keel_body body = keel_body_default(name);
    body.mass = uniform(0.5, 2);
    random_vector(body.centre, planar);
    double a = uniform(0.2, 1), b = uniform(0.2, 1), c = uniform(0.2, 1);
    body.inertia[0] = b + c, body.inertia[1] = a + c, body.inertia[2] = a + b;
    for (int i = 3; i < 6 && !planar; i++)
        body.inertia[i] = uniform(-0.05, 0.05);
    return keel_mechanism_add_body(m, &body, NULL);
}

static void add_random_joint(keel_mechanism *m, const char *name, const char *type, int a, int b,
                             int planar) {
    keel_joint joint = keel_joint_default(name, type, a, b);
    double far[3];
    random_vector(joint.at[0], planar);
    random_vector(joint.axis[0], planar);
    random_vector(joint.across[0], planar);
    memcpy(joint.at[1], joint.at[0], sizeof joint.at[0]);
    memcpy(joint.axis[1], joint.axis[0], sizeof joint.axis[0]);
    memcpy(joint.across[1], joint.across[0], sizeof joint.across[0]);
    random_vector(far, planar);
    if (strcmp(type, "distance") == 0)
        for (int i = 0; i < 3; i++)
            joint.at[1][i] += far[i];
    joint.pitch = 0.3;
    joint.radius = 0.4;
    joint.reading[0] = 0.2;
    int number = keel_mechanism_add_joint(m, &joint, NULL);
    assert_true(number >= 0);
}

static keel_compiled compile(subject s) {
    keel_mechanism *m = keel_mechanism_new();
    keel_diagnostics *messages = keel_diagnostics_new();
    seed = 7;
    double gravity[3] = {0.3, -9.81, s.planar ? 0 : 0.7};
    keel_mechanism_set_planar(m, s.planar);
    keel_mechanism_set_gravity(m, gravity);
    keel_mechanism_set_coordinates(m, s.coordinates);
    int root = add_random_body(m, "root", s.planar), body = add_random_body(m, "body", s.planar);
    int third = add_random_body(m, "third", s.planar);
    add_random_joint(m, "pivot", s.planar ? "revolute" : "spherical", KEEL_GROUND, root, s.planar);
    add_random_joint(m, "tested", s.type, root, body, s.planar);
    int fourth = add_random_body(m, "fourth", s.planar);
    /* both hang reversed */
    add_random_joint(m, "turned", "revolute", third, body, s.planar);
    add_random_joint(m, "last", s.planar ? "prismatic" : "spherical", fourth, body, s.planar);
    add_random_body(m, "loose", s.planar); /* no joint at all */
    keel_force spring = keel_force_default("spring", KEEL_FORCE_SPRING);
    spring.body[1] = third;
    random_vector(spring.at[0], s.planar);
    random_vector(spring.at[1], s.planar);
    spring.stiffness = 50, spring.damping = 2, spring.free = 0.3;
    assert_true(keel_mechanism_add_force(m, &spring, messages) >= 0);
    keel_compiled c;
    keel_status status = keel_mechanism_compile(m, messages, &c);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        print_message("%s: %s\n", s.type, keel_diagnostics_get(messages, i).text);
    assert_int_equal(status, KEEL_OK);
    keel_diagnostics_free(messages);
    keel_mechanism_free(m);
    return c;
}

/* ---- a system at a point ---------------------------------------------------------------------------------
 */

typedef struct bench {
    const keel_system *s;
    void *work;
    int n, m;
    double *q, *v, *a, *lambda;
    keel_terms terms;
} bench;

static double *numbers(int count) {
    return calloc((size_t)count + 1, sizeof(double));
}

static bench bench_new(const keel_system *s, const double *q) {
    bench b = {.s = s, .n = s->n_v, .m = keel_system_m(s)};
    assert_int_equal(s->work_new(s, &b.work), KEEL_OK);
    b.q = numbers(s->n_q), b.v = numbers(b.n), b.a = numbers(b.n), b.lambda = numbers(b.m);
    memcpy(b.q, q, (size_t)s->n_q * sizeof *q);
    b.terms = (keel_terms){.M = numbers(keel_pattern_count(s->M)),
                           .J = numbers(keel_pattern_count(s->J)),
                           .Q = numbers(b.n),
                           .xi = numbers(b.m),
                           .Phi = numbers(b.m),
                           .rate = numbers(b.m),
                           .Q_lambda = numbers(keel_pattern_count(s->Q_lambda)),
                           .tangent = numbers(keel_pattern_count(s->tangent)),
                           .rate_q = numbers(keel_pattern_count(s->rate_q))};
    return b;
}

static void bench_free(bench *b) {
    double *all[] = {
        b->q,           b->v,        b->a,         b->lambda,     b->terms.M,        b->terms.J,
        b->terms.Q,     b->terms.xi, b->terms.Phi, b->terms.rate, b->terms.Q_lambda, b->terms.tangent,
        b->terms.rate_q};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    b->s->work_free(b->work);
}

static void displace(const keel_system *s, double *q, const double *dv) {
    if (s->advance)
        s->advance(s, q, dv);
    else
        for (int i = 0; i < s->n_q; i++)
            q[i] += dv[i];
}

static void ask(bench *b, unsigned what, const double *q, const double *v) {
    keel_point at = {0.1, q, v, NULL, NULL, b->lambda, b->a};
    assert_int_equal(b->s->evaluate(b->s, b->work, what, &at, &b->terms), KEEL_OK);
}

/* y += A^T x or y += A x for values at a pattern */
static void multiply(keel_pattern P, const double *A, const double *x, double *y, int transposed) {
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            if (transposed)
                y[P.index[k]] += A[k] * x[i];
            else
                y[i] += A[k] * x[P.index[k]];
}

static void multiply_mass(keel_pattern P, const double *M, const double *x, double *y) {
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            y[i] += M[k] * x[P.index[k]];
            if (P.index[k] != i)
                y[P.index[k]] += M[k] * x[i];
        }
}

/* ---- what is checked -------------------------------------------------------------------------------------
 */

static void assert_near(double is, double should, double tolerance, const char *what, const char *type) {
    if (!(fabs(is - should) <= tolerance))
        fail_msg("%s of '%s': %.15g, not %.15g", what, type, is, should);
}

/* Phi' = J v - tau and (J v - tau)' = -xi when v is constant, by fourth-order differences along q (+) h v. */
static void check_rows(bench *b, const char *type) {
    enum { POINTS = 4 };
    static const double at[POINTS] = {-2, -1, 1, 2}, weight[POINTS] = {1, -8, 8, -1};
    const double h = 1e-3;
    double *Phi_rate = numbers(b->m), *rate_rate = numbers(b->m), *Jv = numbers(b->m),
           *q = numbers(b->s->n_q);
    double *dv = numbers(b->n);
    for (int p = 0; p < POINTS; p++) {
        memcpy(q, b->q, (size_t)b->s->n_q * sizeof *q);
        for (int i = 0; i < b->n; i++)
            dv[i] = at[p] * h * b->v[i];
        displace(b->s, q, dv);
        ask(b, KEEL_POSITION | KEEL_VELOCITY, q, b->v);
        for (int i = 0; i < b->m; i++) {
            Phi_rate[i] += weight[p] * b->terms.Phi[i] / (12 * h);
            rate_rate[i] += weight[p] * b->terms.rate[i] / (12 * h);
        }
    }
    ask(b, KEEL_JACOBIAN | KEEL_VELOCITY | KEEL_XI, b->q, b->v);
    multiply(b->s->J, b->terms.J, b->v, Jv, 0);
    for (int i = 0; i < b->m; i++) {
        if (i < b->s->n_h)
            assert_near(b->terms.rate[i], Phi_rate[i], 1e-8, "Phi'", type);
        assert_near(Jv[i], b->terms.rate[i], 1e-12, "J v", type);
        assert_near(-b->terms.xi[i], rate_rate[i], 1e-7, "xi", type);
    }
    free(Phi_rate), free(rate_rate), free(Jv), free(q), free(dv);
}

/* v^T M v / 2 is the kinetic energy: what the energy gains from rest to v at one pose. */
static void check_mass(bench *b, const char *type) {
    double *Mv = numbers(b->n), *rest = numbers(b->n), twice = 0;
    ask(b, KEEL_MASS | KEEL_ENERGY, b->q, b->v);
    double energy = b->terms.energy;
    multiply_mass(b->s->M, b->terms.M, b->v, Mv);
    for (int i = 0; i < b->n; i++)
        twice += b->v[i] * Mv[i];
    ask(b, KEEL_ENERGY, b->q, rest);
    assert_near(twice / 2, energy - b->terms.energy, 1e-11 * (1 + fabs(energy)), "kinetic energy", type);
    free(Mv), free(rest);
}

/* R = (M a + J^T lambda - Q, J a - xi) from the parts of the system */
static void residual(bench *b, const double *q, const double *v, double *R) {
    ask(b, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI, q, v);
    for (int i = 0; i < b->n; i++)
        R[i] = -b->terms.Q[i];
    for (int i = 0; i < b->m; i++)
        R[b->n + i] = -b->terms.xi[i];
    multiply_mass(b->s->M, b->terms.M, b->a, R);
    multiply(b->s->J, b->terms.J, b->lambda, R, 1);
    multiply(b->s->J, b->terms.J, b->a, R + b->n, 0);
}

static double entry(keel_pattern P, const double *values, int row, int column) {
    for (int k = P.start[row]; k < P.start[row + 1]; k++)
        if (P.index[k] == column)
            return values[k];
    return 0;
}

static void check_tangent(bench *b, const char *type) {
    int rows = b->n + b->m;
    double *R[2] = {numbers(rows), numbers(rows)}, *q = numbers(b->s->n_q), *v = numbers(b->n);
    double *step = numbers(b->n), *rate[2] = {numbers(b->m), numbers(b->m)};
    const double h = 1e-5;
    ask(b, KEEL_TANGENT | KEEL_VELOCITY_Q, b->q, b->v);
    for (int j = 0; j < 2 * b->n; j++) {
        for (int side = 0; side < 2; side++) {
            memcpy(q, b->q, (size_t)b->s->n_q * sizeof *q);
            memcpy(v, b->v, (size_t)b->n * sizeof *v);
            memset(step, 0, (size_t)b->n * sizeof *step);
            if (j < b->n)
                step[j] = side ? h : -h, displace(b->s, q, step);
            else
                v[j - b->n] += side ? h : -h;
            residual(b, q, v, R[side]);
            ask(b, KEEL_VELOCITY, q, v);
            memcpy(rate[side], b->terms.rate, (size_t)b->m * sizeof(double));
        }
        for (int i = 0; i < rows; i++)
            assert_near(entry(b->s->tangent, b->terms.tangent, i, j), (R[1][i] - R[0][i]) / (2 * h), 2e-5,
                        "tangent", type);
        for (int i = 0; j < b->n && i < b->m; i++)
            assert_near(entry(b->s->rate_q, b->terms.rate_q, i, j), (rate[1][i] - rate[0][i]) / (2 * h), 1e-7,
                        "rate_q", type);
    }
    free(R[0]), free(R[1]), free(q), free(v), free(step), free(rate[0]), free(rate[1]);
}

/* q' = N v is the derivative of q (+) h v, and pull undoes N. */
static void check_kinematics(bench *b, const char *type) {
    const keel_system *s = b->s;
    if (!s->kinematics)
        return;
    double *rate = numbers(s->n_q), *q[2] = {numbers(s->n_q), numbers(s->n_q)}, *dv = numbers(b->n);
    s->kinematics(s, b->q, b->v, rate);
    for (int side = 0; side < 2; side++) {
        memcpy(q[side], b->q, (size_t)s->n_q * sizeof(double));
        for (int i = 0; i < b->n; i++)
            dv[i] = (side ? 1e-5 : -1e-5) * b->v[i];
        s->advance(s, q[side], dv);
    }
    for (int i = 0; i < s->n_q; i++)
        assert_near(rate[i], (q[1][i] - q[0][i]) / 2e-5, 1e-8, "q'", type);
    s->pull(s, b->q, rate, dv);
    for (int i = 0; i < b->n; i++)
        assert_near(dv[i], b->v[i], 1e-12, "pull", type);
    free(rate), free(q[0]), free(q[1]), free(dv);
}

static void randomize(bench *b) {
    double *dv = numbers(b->n);
    for (int i = 0; i < b->n; i++) {
        dv[i] = uniform(-0.6, 0.6);
        b->v[i] = uniform(-1, 1);
        b->a[i] = uniform(-1, 1);
    }
    displace(b->s, b->q, dv);
    for (int i = 0; i < b->m; i++)
        b->lambda[i] = uniform(-1, 1);
    free(dv);
}

static void check_subject(subject s) {
    keel_compiled c = compile(s);
    bench b = bench_new(c.system, c.start->q);
    randomize(&b);
    check_rows(&b, s.type);
    check_mass(&b, s.type);
    check_tangent(&b, s.type);
    check_kinematics(&b, s.type);
    bench_free(&b);
    keel_compiled_clear(&c);
}

static int couples_or_free(const ki_joint_type *type) {
    return type->couples || strcmp(type->word, "free") == 0;
}

static void all_types(void (*check)(subject), keel_coordinates coordinates) {
    int checked = 0;
    for (int i = 0; ki_joint_types[i]; i++)
        for (int planar = 0; planar < 2; planar++) {
            const ki_joint_type *type = ki_joint_types[i];
            if (couples_or_free(type) || !(planar ? type->planar : type->spatial))
                continue;
            check((subject){type->word, planar, coordinates});
            checked++;
        }
    assert_true(checked >= 15);
}

static void equations_agree_with_differences_in_relative_coordinates(void **state) {
    (void)state;
    all_types(check_subject, KEEL_COORDINATES_RELATIVE);
}

static void equations_agree_with_differences_in_absolute_coordinates(void **state) {
    (void)state;
    all_types(check_subject, KEEL_COORDINATES_ABSOLUTE);
}

/* ---- a force can tie many bodies ------------------------------------------------------------------------
 */

enum { PENDULUMS = 40 };

/* Pendulums that hang side by side; the torque on the first is 0.1 (b0.y + b0.spin + b1.y + ...). */
static keel_compiled compile_pendulums(void) {
    char sum[20 * PENDULUMS], body[8], joint[8];
    size_t used = (size_t)snprintf(sum, sizeof sum, "0.1*(0");
    keel_mechanism *m = keel_mechanism_new();
    seed = 11;
    keel_mechanism_set_planar(m, 1);
    keel_mechanism_set_coordinates(m, KEEL_COORDINATES_RELATIVE);
    for (int i = 0; i < PENDULUMS; i++) {
        snprintf(body, sizeof body, "b%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        add_random_joint(m, joint, "revolute", KEEL_GROUND, add_random_body(m, body, 1), 1);
        used += (size_t)snprintf(sum + used, sizeof sum - used, "+b%d.y+b%d.spin", i, i);
    }
    snprintf(sum + used, sizeof sum - used, ")");
    keel_force torque = keel_force_default("torque", KEEL_FORCE_TWIST);
    torque.joint = "j0";
    torque.component[0].text = sum;
    assert_true(keel_mechanism_add_force(m, &torque, NULL) >= 0);
    keel_compiled c;
    assert_int_equal(keel_mechanism_compile(m, NULL, &c), KEEL_OK);
    keel_mechanism_free(m);
    return c;
}

static void a_formula_may_read_many_bodies(void **state) {
    (void)state;
    keel_compiled c = compile_pendulums();
    bench b = bench_new(c.system, c.start->q);
    assert_int_equal(b.n, PENDULUMS);
    randomize(&b);
    check_tangent(&b, "pendulums");
    for (int k = 0; k < PENDULUMS; k++) /* column n + k: of the spin of body k alone */
        assert_near(entry(b.s->tangent, b.terms.tangent, 0, b.n + k), -0.1, 1e-7, "torque", "pendulums");
    bench_free(&b);
    keel_compiled_clear(&c);
}

/* ---- tree and cut give the same motion -------------------------------------------------------------------
 */

static int index_of(const char *const *names, int count, const char *body, const char *part) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s", body, part);
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("no coordinate %s", name);
    return -1;
}

/* The same poses and twists in absolute coordinates. */
static void copy_to_absolute(const bench *from, bench *to, int planar) {
    const ki_mech *mech = ki_mech_of(from->s);
    const ki_mech_work *w = from->work;
    for (int b = 1; b < mech->body_count; b++) {
        const ki_state *s = &w->state[b];
        const char *name = mech->body[b].name;
        int q = index_of(to->s->names.q, to->s->n_q, name, "x");
        const ki_mech *other = ki_mech_of(to->s);
        int v = other->body[other->body_of[mech->body[b].described]].v;
        if (planar) {
            to->q[q] = s->r[0], to->q[q + 1] = s->r[1], to->q[q + 2] = s->angle;
            to->v[v] = s->twist[1], to->v[v + 1] = s->twist[2], to->v[v + 2] = s->twist[0];
        } else {
            const ki_body *body = &other->body[other->body_of[mech->body[b].described]];
            double axes[9]; /* the principal ones */
            ki_multiply(s->R, body->hinge.frame[1].R, axes);
            memcpy(to->q + q, s->r, 3 * sizeof(double));
            ki_matrix_quaternion(axes, to->q + q + 3);
            memcpy(to->v + v, s->twist + 3, 3 * sizeof(double));
            ki_rotate_back(axes, s->twist, to->v + v + 3);
        }
    }
}

/* Accelerations from the equations of motion; returns them in b->a, with the twist rates of all bodies. */
static void accelerate(bench *b) {
    ask(b, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI, b->q, b->v);
    keel_saddle *K = keel_saddle_new(b->s->M, b->s->J, NULL);
    assert_int_equal(keel_saddle_factor(K, b->terms.M, b->terms.J, NULL), KEEL_OK);
    assert_true(keel_saddle_solve(K, b->terms.Q, b->terms.xi, b->a, b->lambda, NULL) >= 0);
    keel_saddle_free(K);
    ki_accelerate(ki_mech_of(b->s), b->work, b->a);
}

static void check_roles(subject s) {
    s.coordinates = KEEL_COORDINATES_RELATIVE;
    keel_compiled relative = compile(s);
    s.coordinates = KEEL_COORDINATES_ABSOLUTE;
    keel_compiled absolute = compile(s);
    bench r = bench_new(relative.system, relative.start->q),
          a = bench_new(absolute.system, absolute.start->q);
    int has_tree_role = keel_mechanism_joint_is_tree(relative.system, 1);
    if (has_tree_role) {
        randomize(&r);
        ask(&r, KEEL_VELOCITY, r.q, r.v);
        copy_to_absolute(&r, &a, s.planar);
        ask(&a, KEEL_POSITION | KEEL_VELOCITY, a.q, a.v);
        for (int i = 0; i < a.m; i++) { /* what the tree makes, the rows allow */
            if (i < a.s->n_h)
                assert_near(a.terms.Phi[i], 0, 1e-13, "Phi", s.type);
            assert_near(a.terms.rate[i], 0, 1e-12, "rate", s.type);
        }
        accelerate(&r);
        accelerate(&a);
        const ki_mech *mr = ki_mech_of(r.s), *ma = ki_mech_of(a.s);
        const ki_mech_work *wr = r.work, *wa = a.work;
        for (int b = 1; b < mr->body_count; b++) {
            const ki_state *x = &wr->state[b], *y = &wa->state[ma->body_of[mr->body[b].described]];
            for (int i = 0; i < mr->d; i++)
                assert_near(y->twist_rate[i], x->twist_rate[i], 1e-9 * (1 + fabs(x->twist_rate[i])),
                            "acceleration", s.type);
        }
    }
    bench_free(&r);
    bench_free(&a);
    keel_compiled_clear(&relative);
    keel_compiled_clear(&absolute);
}

static void tree_and_cut_joints_give_the_same_accelerations(void **state) {
    (void)state;
    all_types(check_roles, KEEL_COORDINATES_RELATIVE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_agree_with_differences_in_relative_coordinates),
        cmocka_unit_test(equations_agree_with_differences_in_absolute_coordinates),
        cmocka_unit_test(a_formula_may_read_many_bodies),
        cmocka_unit_test(tree_and_cut_joints_give_the_same_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
