/* Rigid displacements and momenta of mechanisms (keel_system.rigid): p = xi . M v, its rate by differences,
 * and which displacements joints to the ground can follow. */
#include <stdbool.h>

#include "mechanism_helper.h"

enum { MOST_V = 18 };

/* Three bodies: the first stands on the ground by a joint of the given type, or not at all. */
static keel_mechanism *tripod(const char *type, bool planar, keel_coordinates coordinates) {
    keel_mechanism *m = keel_mechanism_new();
    assert_non_null(m);
    keel_mechanism_set_planar(m, planar);
    keel_mechanism_set_coordinates(m, coordinates);
    double z = planar ? 0 : 0.3;
    int a = add_body(m, "a", 1, 0.4, 0, z), b = add_body(m, "b", 2, 1, 0.5, 0),
        c = add_body(m, "c", 3, 0.2, 1.4, -z);
    if (type) {
        keel_joint base = joint_at("base", type, KEEL_GROUND, a, 0, 0, 0);
        if (!planar)
            set_axis(&base, 0, 0.6, 0.8);
        assert_true(keel_mechanism_add_joint(m, &base, NULL) >= 0);
    }
    add_joint(m, "ab", "revolute", a, b, 0.7, 0.2, 0);
    add_joint(m, "bc", planar ? "revolute" : "spherical", b, c, 0.9, 1, 0);
    return m;
}

typedef struct subject {
    keel_compiled compiled;
    const keel_system *system;
    void *work;
    double q[MOST_V + 3], v[MOST_V], a[MOST_V];
    double xi[6 * MOST_V], lost[36], p[6], rate[6];
} subject;

static void ask(subject *s) {
    keel_point at = {.q = s->q, .v = s->v, .a = s->a};
    keel_rigid rigid = {s->xi, s->lost, s->p, s->rate};
    s->system->rigid(s->system, s->work, &at, &rigid);
}

static subject open_subject(keel_mechanism *m) {
    subject s = {.work = NULL};
    assert_int_equal(keel_mechanism_compile(m, NULL, &s.compiled), KEEL_OK);
    keel_mechanism_free(m);
    s.system = s.compiled.system;
    assert_true(s.system->n_v <= MOST_V);
    assert_int_equal(s.system->work_new(s.system, &s.work), KEEL_OK);
    memcpy(s.q, s.compiled.start->q, (size_t)s.system->n_q * sizeof(double));
    double turn[MOST_V];
    for (int j = 0; j < s.system->n_v; j++)
        turn[j] = 0.5 * any(), s.v[j] = any(), s.a[j] = any();
    if (s.system->advance)
        s.system->advance(s.system, s.q, turn);
    else
        for (int j = 0; j < s.system->n_v; j++)
            s.q[j] += turn[j];
    return s;
}

static void close_subject(subject *s) {
    s->system->work_free(s->work);
    keel_compiled_clear(&s->compiled);
}

/* xi_i . M v */
static double along(const subject *s, int i) {
    keel_pattern P = s->system->M;
    double M[MOST_V * MOST_V], sum = 0;
    keel_point at = {.q = s->q, .v = s->v};
    keel_terms terms = {.M = M};
    assert_int_equal(s->system->evaluate(s->system, s->work, KEEL_MASS, &at, &terms), KEEL_OK);
    const double *xi = s->xi + i * s->system->n_v;
    for (int row = 0; row < P.rows; row++)
        for (int k = P.start[row]; k < P.start[row + 1]; k++) {
            int column = P.index[k];
            sum += M[k] * xi[row] * s->v[column];
            sum += column != row ? M[k] * xi[column] * s->v[row] : 0;
        }
    return sum;
}

/* p a little later, at q (+) e (v + e a / 2) with v + e a. */
static void later(const subject *s, double e, double p[6]) {
    subject t = *s;
    double move[MOST_V];
    for (int j = 0; j < s->system->n_v; j++) {
        move[j] = e * (s->v[j] + e / 2 * s->a[j]);
        t.v[j] += e * s->a[j];
    }
    if (s->system->advance)
        s->system->advance(s->system, t.q, move);
    else
        for (int j = 0; j < s->system->n_v; j++)
            t.q[j] += move[j];
    ask(&t);
    memcpy(p, t.p, sizeof t.p);
}

static void momenta_and_rates(void **state) {
    (void)state;
    static const keel_coordinates COORDINATES[] = {KEEL_COORDINATES_RELATIVE, KEEL_COORDINATES_ABSOLUTE};
    for (int trial = 0; trial < 4; trial++) {
        bool planar = trial & 1;
        subject s = open_subject(tripod(NULL, planar, COORDINATES[trial / 2]));
        int n = s.system->n_rigid;
        assert_int_equal(n, planar ? 3 : 6);
        double before[6], after[6];
        const double e = 1e-4;
        later(&s, -e, before);
        later(&s, e, after);
        ask(&s);
        for (int i = 0; i < n; i++) {
            assert_near(s.p[i], along(&s, i), 1e-13);
            assert_near(s.rate[i], (after[i] - before[i]) / (2 * e), 1e-6);
            for (int j = 0; j < n; j++)
                assert_near(s.lost[i * n + j], 0, 1e-14);
        }
        close_subject(&s);
    }
}

/* Dimension of what a joint to the ground lets the whole do. */
static void joints_to_the_ground(void **state) {
    (void)state;
    static const struct {
        const char *type;
        int freedoms;
    } CASES[] = {{"revolute", 1}, {"prismatic", 1}, {"cylindrical", 2}, {"spherical", 3}, {"planar", 3}};
    for (unsigned k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        subject s = open_subject(tripod(CASES[k].type, false, KEEL_COORDINATES_RELATIVE));
        double A[36];
        ask(&s);
        /* the rank of `lost`, by elimination with diagonal pivots */
        memcpy(A, s.lost, sizeof A);
        int rank = 0;
        for (int turn = 0; turn < 6; turn++) {
            int best = 0;
            for (int i = 1; i < 6; i++)
                best = A[i * 7] > A[best * 7] ? i : best;
            if (A[best * 7] < 1e-10)
                break;
            rank++;
            double pivot = A[best * 7], row[6];
            memcpy(row, A + best * 6, sizeof row);
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    A[i * 6 + j] -= row[i] * row[j] / pivot;
        }
        if (6 - rank != CASES[k].freedoms)
            fail_msg("%s: the whole has %d freedoms", CASES[k].type, 6 - rank);
        close_subject(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_and_rates),
        cmocka_unit_test(joints_to_the_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
