/* expr_andrews.c - what a right-hand side costs that was written as formulas, compared with C by hand.
 *
 * Andrews' squeezing mechanism (Hairer & Wanner, Solving Ordinary Differential Equations II, section VII.7):
 * seven coordinates, six constraints. M (lower triangle), Q, J (entries that are not zero) and xi are
 * computed at one point by by hand      straight-line C, every sine and cosine once newton       mass matrix,
 * forces and constraints as formulas; J and xi derived lagrange     kinetic and potential energy and
 * constraints as formulas; everything derived The three must agree. Prints nanoseconds per evaluation, the
 * ratio to C by hand, and the length of the tape. `expr_andrews WHICH COUNT` runs only one of them, for a
 * profiler. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "expr/expr.h"

enum { N = 7, CONSTRAINTS = 6, M_COUNT = 10, J_COUNT = 22, OUTPUTS = M_COUNT + N + J_COUNT + CONSTRAINTS };
enum { TIME, Q_FIRST, V_FIRST = Q_FIRST + N, INPUTS = V_FIRST + N }; /* symbols */

static const struct {
    const char *name;
    double value;
} PARAMETERS[] = {
    {"m1", .04325},   {"m2", .00365},   {"m3", .02373},   {"m4", .00706},   {"m5", .07050},
    {"m6", .00706},   {"m7", .05498},   {"I1", 2.194e-6}, {"I2", 4.410e-7}, {"I3", 5.255e-6},
    {"I4", 5.667e-7}, {"I5", 1.169e-5}, {"I6", 5.667e-7}, {"I7", 1.912e-5}, {"ss", .035},
    {"sa", .01874},   {"sb", .01043},   {"sc", .018},     {"sd", .02},      {"ta", .02308},
    {"tb", .00916},   {"xa", -.06934},  {"ya", -.00227},  {"xb", -.03635},  {"yb", .03273},
    {"xc", .014},     {"yc", .072},     {"c0", 4530},     {"d", .028},      {"da", .0115},
    {"u", .04},       {"ua", .01228},   {"ub", .00449},   {"l0", .07785},   {"e", .02},
    {"ea", .01421},   {"mom", .033},    {"rr", .007},     {"ra", .00092},   {"fa", .01421},
    {"zf", .02},      {"zt", .04},
};

/* Formulas that others use by name. */
static const char *const DEFINITIONS[][2] = {
    {"a", "e-ea"},
    {"b", "zf-fa"},
    {"xd", "sd*cos(q3) + sc*sin(q3) + xb"},
    {"yd", "sd*sin(q3) - sc*cos(q3) + yb"},
    {"L", "sqrt((xd-xc)^2 + (yd-yc)^2)"},
    {"F", "-c0*(L-l0)/L"},
    {"Fx", "F*(xd-xc)"},
    {"Fy", "F*(yd-yc)"},
    {"X", "rr*cos(q1) - d*cos(q1+q2)"},
    {"Y", "rr*sin(q1) - d*sin(q1+q2)"},
    {"M11", "m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(q2) + da^2) + I1 + I2"},
    {"M12", "m2*(da^2 - da*rr*cos(q2)) + I2"},
    {"M22", "m2*da^2 + I2"},
    {"M33", "m3*(sa^2 + sb^2) + I3"},
    {"M44", "m4*a^2 + I4"},
    {"M45", "m4*(a^2 + zt*a*sin(q4)) + I4"},
    {"M55", "m4*(zt^2 + 2*zt*a*sin(q4) + a^2) + m5*(ta^2 + tb^2) + I4 + I5"},
    {"M66", "m6*b^2 + I6"},
    {"M67", "m6*(b^2 - u*b*sin(q6)) + I6"},
    {"M77", "m6*(b^2 - 2*u*b*sin(q6) + u^2) + m7*(ua^2 + ub^2) + I6 + I7"},
    {"T", "(M11*q1'^2 + 2*M12*q1'*q2' + M22*q2'^2 + M33*q3'^2 + M44*q4'^2 + 2*M45*q4'*q5' + M55*q5'^2"
          " + M66*q6'^2 + 2*M67*q6'*q7' + M77*q7'^2)/2"},
    {"V", "c0*(L-l0)^2/2"},
};
enum { DEFINITION_COUNT = sizeof DEFINITIONS / sizeof *DEFINITIONS };

static const char *const MASS[M_COUNT] = {"M11", "M12", "M22", "M33", "M44",
                                          "M45", "M55", "M66", "M67", "M77"};
static const int MASS_ROW[M_COUNT] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 6};
static const int MASS_COLUMN[M_COUNT] = {0, 0, 1, 2, 3, 3, 4, 5, 5, 6};
static const char *const FORCES[N] = {
    "mom - m2*da*rr*q2'*(q2' + 2*q1')*sin(q2)",
    "m2*da*rr*q1'^2*sin(q2)",
    "Fx*(sc*cos(q3) - sd*sin(q3)) + Fy*(sd*cos(q3) + sc*sin(q3))",
    "m4*zt*a*q5'^2*cos(q4)",
    "-m4*zt*a*q4'*(q4' + 2*q5')*cos(q4)",
    "-m6*u*b*q7'^2*cos(q6)",
    "m6*u*b*q6'*(q6' + 2*q7')*cos(q6)",
};
static const char *const PHI[CONSTRAINTS] = {
    "X - ss*sin(q3) - xb",
    "Y + ss*cos(q3) - yb",
    "X - e*sin(q4+q5) - zt*cos(q5) - xa",
    "Y + e*cos(q4+q5) - zt*sin(q5) - ya",
    "X - zf*cos(q6+q7) - u*sin(q7) - xa",
    "Y - zf*sin(q6+q7) + u*cos(q7) - ya",
};

/* ---- by hand */

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                    I7 = 1.912e-5;
static const double ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916;
static const double xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530;
static const double d = .028, da = .0115, u = .04, ua = .01228, ub = .00449, l0 = .07785, e = .02,
                    ea = .01421;
static const double mom = .033, rr = .007, ra = .00092, fa = .01421, zf = .02, zt = .04;

static double square(double x) {
    return x * x;
}

static void mass_by_hand(double c2, double s4, double s6, double *M) {
    double a = e - ea, b = zf - fa;
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * c2 + da * da) + I1 + I2;
    M[1] = m2 * (da * da - da * rr * c2) + I2;
    M[2] = m2 * da * da + I2;
    M[3] = m3 * (sa * sa + sb * sb) + I3;
    M[4] = m4 * a * a + I4;
    M[5] = m4 * (a * a + zt * a * s4) + I4;
    M[6] = m4 * (zt * zt + 2 * zt * a * s4 + a * a) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[7] = m6 * b * b + I6;
    M[8] = m6 * (b * b - u * b * s6) + I6;
    M[9] = m6 * (b * b - 2 * u * b * s6 + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static void evaluate_by_hand(const double *inputs, double *values) {
    const double *q = inputs + Q_FIRST, *v = inputs + V_FIRST;
    double *Q = values + M_COUNT, *J = Q + N, *xi = J + J_COUNT;
    double a = e - ea, b = zf - fa;
    double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), s3 = sin(q[2]), c3 = cos(q[2]);
    double s4 = sin(q[3]), c4 = cos(q[3]), s5 = sin(q[4]), c5 = cos(q[4]), s6 = sin(q[5]), c6 = cos(q[5]);
    double s7 = sin(q[6]), c7 = cos(q[6]);
    double s12 = sin(q[0] + q[1]), c12 = cos(q[0] + q[1]), s45 = sin(q[3] + q[4]), c45 = cos(q[3] + q[4]);
    double s67 = sin(q[5] + q[6]), c67 = cos(q[5] + q[6]);
    mass_by_hand(c2, s4, s6, values);

    double xd = sd * c3 + sc * s3 + xb - xc, yd = sd * s3 - sc * c3 + yb - yc;
    double L = sqrt(xd * xd + yd * yd), F = -c0 * (L - l0) / L;
    Q[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * s2;
    Q[1] = m2 * da * rr * v[0] * v[0] * s2;
    Q[2] = F * xd * (sc * c3 - sd * s3) + F * yd * (sd * c3 + sc * s3);
    Q[3] = m4 * zt * a * v[4] * v[4] * c4;
    Q[4] = -m4 * zt * a * v[3] * (v[3] + 2 * v[4]) * c4;
    Q[5] = -m6 * u * b * v[6] * v[6] * c6;
    Q[6] = m6 * u * b * v[5] * (v[5] + 2 * v[6]) * c6;

    double d_s12 = d * s12, d_c12 = d * c12, Gx = d_s12 - rr * s1, Gy = rr * c1 - d_c12;
    double rows[J_COUNT] = {
        Gx, d_s12,  -ss * c3,                      /* row 1 */
        Gy, -d_c12, -ss * s3,                      /* row 2 */
        Gx, d_s12,  -e * c45,  zt * s5 - e * c45,  /* row 3 */
        Gy, -d_c12, -e * s45,  -e * s45 - zt * c5, /* row 4 */
        Gx, d_s12,  zf * s67,  zf * s67 - u * c7,  /* row 5 */
        Gy, -d_c12, -zf * c67, -zf * c67 - u * s7, /* row 6 */
    };
    memcpy(J, rows, sizeof rows);

    double w1 = square(v[0]), w12 = square(v[0] + v[1]), w45 = square(v[3] + v[4]), w67 = square(v[5] + v[6]);
    double w3 = square(v[2]), w5 = square(v[4]), w7 = square(v[6]);
    double A = d_c12 * w12 - rr * c1 * w1, B = d_s12 * w12 - rr * s1 * w1;
    xi[0] = -(A + ss * s3 * w3);
    xi[1] = -(B - ss * c3 * w3);
    xi[2] = -(A + e * s45 * w45 + zt * c5 * w5);
    xi[3] = -(B - e * c45 * w45 + zt * s5 * w5);
    xi[4] = -(A + zf * c67 * w67 + u * s7 * w7);
    xi[5] = -(B + zf * s67 * w67 - u * c7 * w7);
}

/* ---- from formulas */

typedef struct model {
    ki_graph *graph;
    keel_diagnostics *diagnostics;
    ki_node definition[DEFINITION_COUNT];
    int defined;
    ki_node gradient[INPUTS]; /* filled by gradient_of */
    ki_node outputs[OUTPUTS];
    int output_count;
} model;

static ki_node look_up(void *user, const char *name, int primes, keel_location where,
                       keel_diagnostics *list) {
    model *m = user;
    if (name[0] == 'q' && name[1] >= '1' && name[1] <= '7' && !name[2] && primes <= 1)
        return ki_symbol(m->graph, (primes ? V_FIRST : Q_FIRST) + name[1] - '1');
    for (int i = 0; i < m->defined; i++)
        if (!strcmp(name, DEFINITIONS[i][0]))
            return m->definition[i];
    for (size_t i = 0; i < sizeof PARAMETERS / sizeof *PARAMETERS; i++)
        if (!strcmp(name, PARAMETERS[i].name))
            return ki_number(m->graph, PARAMETERS[i].value);
    keel_diagnostics_add(list, KEEL_ERROR, where, "unknown name '%s'", name);
    return KI_NONE;
}

static ki_node parse(model *m, const char *text) {
    ki_scope scope = {m, look_up};
    ki_node node = ki_parse(m->graph, text, strlen(text), (keel_location){0}, &scope, m->diagnostics);
    if (node == KI_NONE) {
        keel_diagnostic first = keel_diagnostics_get(m->diagnostics, 0);
        fprintf(stderr, "%s: column %d: %s\n", text, first.where.column, first.text);
        exit(2);
    }
    return node;
}

static void keep_partial(void *user, int id, ki_node derivative) {
    ((model *)user)->gradient[id] = derivative;
}

static void gradient_of(model *m, ki_node f) {
    for (int i = 0; i < INPUTS; i++)
        m->gradient[i] = ki_number(m->graph, 0);
    ki_gradient(m->graph, f, keep_partial, m);
}

/* q' = v, v' = 0, t' = 1 */
static ki_node rate(void *user, int id) {
    model *m = user;
    if (id == TIME)
        return ki_number(m->graph, 1);
    return id < V_FIRST ? ki_symbol(m->graph, id + N) : ki_number(m->graph, 0);
}

static ki_node total(model *m, ki_node f) {
    return ki_total(m->graph, f, rate, m);
}

static void output(model *m, ki_node node) {
    m->outputs[m->output_count++] = node;
}

static void output_newton(model *m) {
    for (int i = 0; i < M_COUNT; i++)
        output(m, parse(m, MASS[i]));
    for (int i = 0; i < N; i++)
        output(m, parse(m, FORCES[i]));
}

/* M = d2T/dv2,  Q_j = mom (on q1) - D(dT/dv_j) + dT/dq_j - dV/dq_j */
static void output_lagrange(model *m) {
    ki_graph *g = m->graph;
    ki_node momentum[N], Q[N];
    gradient_of(m, parse(m, "V"));
    for (int j = 0; j < N; j++)
        Q[j] = ki_binary(g, KI_SUB, j ? ki_number(g, 0) : parse(m, "mom"), m->gradient[Q_FIRST + j]);
    gradient_of(m, parse(m, "T"));
    for (int j = 0; j < N; j++) {
        momentum[j] = m->gradient[V_FIRST + j];
        Q[j] = ki_binary(g, KI_ADD, Q[j], m->gradient[Q_FIRST + j]);
        Q[j] = ki_binary(g, KI_SUB, Q[j], total(m, momentum[j]));
    }
    for (int i = 0; i < M_COUNT; i++) {
        gradient_of(m, momentum[MASS_ROW[i]]);
        output(m, m->gradient[V_FIRST + MASS_COLUMN[i]]);
    }
    for (int j = 0; j < N; j++)
        output(m, Q[j]);
}

static void output_constraints(model *m) {
    ki_node phi[CONSTRAINTS];
    for (int i = 0; i < CONSTRAINTS; i++) {
        phi[i] = parse(m, PHI[i]);
        gradient_of(m, phi[i]);
        for (int j = 0; j < N; j++)
            if (!ki_is_zero(m->graph, m->gradient[Q_FIRST + j]))
                output(m, m->gradient[Q_FIRST + j]);
    }
    for (int i = 0; i < CONSTRAINTS; i++)
        output(m, ki_unary(m->graph, KI_NEG, total(m, total(m, phi[i]))));
}

static ki_tape *compile(void (*motion)(model *m)) {
    model m = {.graph = ki_graph_new(), .diagnostics = keel_diagnostics_new()};
    for (int i = 0; i < DEFINITION_COUNT; i++) {
        m.definition[i] = parse(&m, DEFINITIONS[i][1]);
        m.defined = i + 1;
    }
    motion(&m);
    output_constraints(&m);
    ki_tape *tape = m.output_count == OUTPUTS ? ki_tape_new(m.graph, m.outputs, OUTPUTS, INPUTS) : NULL;
    if (!tape) {
        fprintf(stderr, "the model did not compile\n");
        exit(1);
    }
    ki_graph_free(m.graph);
    keel_diagnostics_free(m.diagnostics);
    return tape;
}

/* ---- measuring */

typedef struct contender {
    const char *name;
    ki_tape *tape; /* NULL: by hand */
    double *work;
    double best; /* seconds per evaluation */
} contender;

static double INPUT[INPUTS] = {0, -.0617, .3, .455, .222, .487, -.222, 1.23, 30, -40, 5, 6, -7, 8, 9};

static void run(const contender *c, long count, double *values) {
    for (long i = 0; i < count; i++) {
        INPUT[Q_FIRST] = -.0617 + 1e-9 * (double)(i & 1023); /* the compiler must not do it once for all */
        if (c->tape)
            ki_tape_run(c->tape, INPUT, c->work, values);
        else
            evaluate_by_hand(INPUT, values);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const double *a, const double *b) {
    for (int i = 0; i < OUTPUTS; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12 * (fabs(a[i]) + 1e-6))) {
            fprintf(stderr, "output %d differs: %.17g %.17g\n", i, a[i], b[i]);
            exit(1);
        }
}

/* The best of many short runs in turn: what disturbs one contender disturbs the others. */
static void measure(contender *list, int count) {
    enum { ROUNDS = 200, EVALUATIONS = 5000 };
    double values[OUTPUTS];
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++) {
            double start = now();
            run(&list[k], EVALUATIONS, values);
            double seconds = (now() - start) / EVALUATIONS;
            if (!round || seconds < list[k].best)
                list[k].best = seconds;
        }
}

int main(int argc, char **argv) {
    contender list[] = {{"by hand", NULL, NULL, 0},
                        {"newton", compile(output_newton), NULL, 0},
                        {"lagrange", compile(output_lagrange), NULL, 0}};
    enum { COUNT = sizeof list / sizeof *list };
    double values[COUNT][OUTPUTS];
    for (int k = 0; k < COUNT; k++) {
        if (list[k].tape) {
            list[k].work = malloc(ki_tape_work_size(list[k].tape) * sizeof(double));
            ki_tape_prepare(list[k].tape, list[k].work);
        }
        run(&list[k], 1, values[k]);
        check(values[0], values[k]);
        if (argc == 3 && !strcmp(argv[1], list[k].name))
            run(&list[k], atol(argv[2]), values[k]);
    }
    if (argc < 3) {
        measure(list, COUNT);
        for (int k = 0; k < COUNT; k++)
            printf("%-9s %7.1f ns  ratio %.2f  tape %ld\n", list[k].name, 1e9 * list[k].best,
                   list[k].best / list[0].best, list[k].tape ? ki_tape_length(list[k].tape) : 0);
    }
    for (int k = 0; k < COUNT; k++) {
        ki_tape_free(list[k].tape);
        free(list[k].work);
    }
    return 0;
}
