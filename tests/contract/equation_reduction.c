/* Models of equations in the coordinates that their constraints leave (docs/closed-forms.md): at times, poses
 * and speeds of chance the full system at q(u, t), v(u, u', t) satisfies its constraints, and accelerates as
 * the map does along u'': v' = q_u u'' + gamma, the derivative of v(u + s u' + s^2/2 u'', u' + s u'', t + s)
 * by s. Along the same line H' is the power that is told, and H = E - p . q_t. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "keel/native.h"
#include "long_run.h"
#include "reductions.h"

static const double PI = 3.14159265358979323846;

static void expand(pair *p, double t, const double *u, const double *u_rate, double *q, double *v) {
    p->r->expand(p->r, p->small_work, t, u, u_rate, q, v);
}

static double room(pair *p, double t, const double *u) {
    return p->r->room ? p->r->room(p->r, p->small_work, t, u) : 1;
}

/* How far from the start poses and speeds of chance are, until when, and over which time the map changes. */
typedef struct range {
    double place, speed, until, scale;
} range;

/* The coordinate of the full system that u_j is. */
static int place_of(const pair *p, int j) {
    int i = 0;
    while (strcmp(p->full->names.q[i], p->small->names.q[j]) != 0)
        i++;
    return i;
}

static void move_by_chance(pair *p, const trial *t, const range *by) {
    const keel_state *start = t->model->start;
    do {
        p->t = by->until * (1 + chance()) / 2;
        for (int j = 0; j < p->small->n_q; j++) {
            p->u[j] = start->q[place_of(p, j)] + by->place * chance();
            p->u_rate[j] = start->v[place_of(p, j)] + by->speed * chance();
        }
    } while (!(room(p, p->t, p->u) > 0.05));
    expand(p, p->t, p->u, p->u_rate, p->q, p->v);
}

static void expect_closed(const pair *p) {
    const keel_system *s = p->full;
    int m = keel_system_m(s);
    keel_terms terms = {.Phi = zeroed(m), .rate = zeroed(m)};
    keel_point at = {.t = p->t, .q = p->q, .v = p->v};
    assert_int_equal(s->evaluate(s, p->work, KEEL_POSITION | KEEL_VELOCITY, &at, &terms), KEEL_OK);
    double size = 1 + largest(p->q, s->n_q), speed = size + largest(p->v, s->n_v);
    if (!(largest(terms.Phi, m) < 3e-15 * size && largest(terms.rate, m) < 3e-15 * speed))
        fail_msg("Phi %.2e, rate %.2e", largest(terms.Phi, m), largest(terms.rate, m));
    free(terms.Phi), free(terms.rate);
}

/* v and H a time s later on the line that begins with u, u', u''. */
static double look_ahead(pair *p, double s, const double *u_second, double *v) {
    int n = p->small->n_q;
    double *u = zeroed(n), *u_rate = zeroed(n), *q = zeroed(p->full->n_q);
    for (int i = 0; i < n; i++) {
        u[i] = p->u[i] + s * (p->u_rate[i] + s * u_second[i] / 2);
        u_rate[i] = p->u_rate[i] + s * u_second[i];
    }
    keel_point at = {.t = p->t + s, .q = u, .v = u_rate};
    keel_terms terms = {0};
    expand(p, at.t, u, u_rate, q, v);
    assert_int_equal(p->small->evaluate(p->small, p->small_work, KEEL_ENERGY, &at, &terms), KEEL_OK);
    free(u), free(u_rate), free(q);
    return terms.energy;
}

/* By differences of eighth order: v' and H', with `h` a fraction of the time in which they change. */
static void differentiate(pair *p, double h, const double *u_second, double *v_rate, double *H_rate) {
    static const double C[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
    int n = p->full->n_v;
    double *ahead = zeroed(n), *behind = zeroed(n);
    *H_rate = 0;
    for (int k = 1; k <= 4; k++) {
        double H = look_ahead(p, k * h, u_second, ahead) - look_ahead(p, -k * h, u_second, behind);
        *H_rate += C[k - 1] * H / h;
        for (int i = 0; i < n; i++)
            v_rate[i] += C[k - 1] * (ahead[i] - behind[i]) / h;
    }
    free(ahead), free(behind);
}

/* q_t is v(u, 0, t) */
static void expect_same_motion(pair *p, double scale) {
    int n = p->full->n_v, left = p->small->n_v;
    double *a = zeroed(n), *u_second = zeroed(left), *b = zeroed(n), *q_t = zeroed(n), *p_v = zeroed(n);
    double *zero = zeroed(left), *q = zeroed(n), energy[2], small_energy[2], H_rate, h = 0.01 * scale;
    keel_point at = {.t = p->t, .q = p->q, .v = p->v}, small_at = {.t = p->t, .q = p->u, .v = p->u_rate};
    accelerate(p->full, p->work, &at, a, energy, p->v, p_v);
    accelerate(p->small, p->small_work, &small_at, u_second, small_energy, NULL, NULL);
    differentiate(p, h, u_second, b, &H_rate);
    double size = largest(a, n) + largest(p->v, n) / scale;
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-10 * size))
            fail_msg("acceleration %d is %.15g, not %.15g (%.1e)", i, b[i], a[i], fabs(a[i] - b[i]) / size);
    expand(p, p->t, p->u, zero, q, q_t);
    double moving = 0, worth = fabs(energy[0]) + 1;
    for (int i = 0; i < n; i++) {
        moving += p_v[i] * q_t[i];
        worth += fabs(p_v[i] * p->v[i]);
    }
    if (!(fabs(energy[0] - moving - small_energy[0]) <= 1e-13 * worth))
        fail_msg("H is %.16g, not %.16g", small_energy[0], energy[0] - moving);
    if (!(fabs(H_rate - small_energy[1]) <= 1e-10 * (worth / scale + fabs(H_rate))))
        fail_msg("power %.16g, but H' %.16g", small_energy[1], H_rate);
    if (largest(q_t, n) == 0 && !(fabs(energy[1] - small_energy[1]) <= 1e-12 * (fabs(energy[1]) + worth)))
        fail_msg("power %.16g, not %.16g", small_energy[1], energy[1]);
    free(a), free(u_second), free(b), free(q_t), free(p_v), free(zero), free(q);
}

static void expect_inverse(pair *p) {
    int n = p->small->n_q;
    double *u = zeroed(n), *u_rate = zeroed(n);
    assert_true(p->r->shrink(p->r, p->small_work, p->t, p->q, p->v, u, u_rate));
    for (int i = 0; i < n; i++)
        assert_true(u[i] == p->u[i] && u_rate[i] == p->u_rate[i]);
    free(u), free(u_rate);
}

static void compare(const char *model, int left, const char *reason, range by) {
    trial t = trial_of(model, "auto");
    pair p = pair_of(&t);
    assert_int_equal(p.small->n_q, left);
    assert_int_equal(keel_system_m(p.small), 0);
    assert_string_equal(p.r->reason, reason);
    for (int i = 0; i < 25; i++) {
        move_by_chance(&p, &t, &by);
        expect_closed(&p);
        expect_same_motion(&p, by.scale);
        expect_inverse(&p);
    }
    pair_end(&p);
    trial_end(&t);
}

static void test_models(void **state) {
    (void)state;
    compare("flexible_crank", 4, "'phi1', 'phi2', 'x3' follow from the constraints",
            (range){1e-5, 0.1, 0.1, 2e-3});
    compare("slider_crank", 1, "'x', 'p' follow from the constraints", (range){4, 2, 1, 0.3});
    compare("truck", 7, "'chassis', 'load_x' follow from the constraints", (range){0.05, 0.1, 3, 0.1});
}

/* (a): drivers, one through another, a factor other than 1, mass that couples what they drive. */
static const char DRIVEN[] =
    "keel: 1\n"
    "equations:\n"
    "  coordinates: {x: 0.3, y: 0.1, f: 0.1, z: -0.2}\n"
    "  kinetic: (1 + x^2)*x'^2/2 + y'^2 + (f' + 0.3*y'*cos(x))^2/2 + x'*z'/5 + z'^2\n"
    "  potential: 4*x^2 + cos(f - z) + t*x\n"
    "  forces: {x: -0.2*x' + sin(t), z: -y'*z'}\n"
    "  holonomic: {drive: y - 0.1*cos(3*t), follow: 0.5*(f - 2*y*x) - 0.3*t}\n"
    "simulate: {until: 1}\n";

/* The same by a mass matrix, in which D of the momenta is not in the forces. */
static const char MASSES[] =
    "keel: 1\n"
    "equations:\n"
    "  coordinates: {x: 0.3, y: 0.1, p: -0.2}\n"
    "  mass: {x: 2 + sin(x*t), y: 1.5, p: 1 + p^2, \"x,y\": 0.3*cos(x), \"y,p\": 0.4}\n"
    "  potential: 4*x^2 + p*y\n"
    "  forces: {x: -0.2*x', y: sin(x), p: x'*y'}\n"
    "  holonomic: {drive: 3*y - sin(t)*x, turn: sin(p) + 0.4*sin(x + t)}\n"
    "simulate: {until: 1}\n";

/* Chained: each follows from the one before it; r is found first, in terms of p, and the slider last of all.
 */
static const char CHAINED[] =
    "keel: 1\n"
    "equations:\n"
    "  coordinates: {q: 0.4, p: -0.2, r: 2.9, x: 0}\n"
    "  kinetic: (q'^2 + 0.7*p'^2 + 0.5*r'^2 + x'^2 + q'*p'*cos(p - q))/2\n"
    "  potential: 9.81*(sin(q) + sin(p)/2 + cos(r))\n"
    "  holonomic: {first: sin(p) + 0.5*sin(q), slide: x - cos(r) - 2*cos(p - q) + p,\n"
    "              second: 0.6*sin(p + q)*cos(t) + sin(q - r)}\n"
    "simulate: {until: 1}\n";

static void test_drivers(void **state) {
    (void)state;
    compare(DRIVEN, 2, "'y', 'f' follow from the constraints", (range){1, 1, 3, 0.3});
    compare(MASSES, 1, "'y', 'p' follow from the constraints", (range){1, 1, 3, 0.3});
}

static void test_chained(void **state) {
    (void)state;
    compare(CHAINED, 1, "'p', 'r', 'x' follow from the constraints", (range){3, 1, 3, 0.3});
}

/* (b) sine and cosine of c p + b on the branch j of the start, any c. */
static void test_branches(void **state) {
    static const struct {
        const char *op;
        double c, b;
    } FORMS[] = {{"sin", 1, 0}, {"sin", -1, 0.4}, {"sin", 2, -1},
                 {"cos", 1, 0}, {"cos", -1, 2},   {"cos", -0.5, 0.3}};
    (void)state;
    for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++)
        for (int j = -3; j <= 3; j++) {
            bool sine = FORMS[f].op[0] == 's';
            double c = FORMS[f].c, start = ((j + (sine ? 0.1 : 0.4)) * PI - FORMS[f].b) / c;
            double w = sine ? sin(0.1 * PI) : cos(0.4 * PI); /* on the branch j = 0 */
            char text[600];
            snprintf(text, sizeof text,
                     "keel: 1\nequations:\n  coordinates: {p: %.17g, q: 0}\n  kinetic: (p'^2 + 3*q'^2)/2\n"
                     "  potential: sin(p) + cos(q + p)\n"
                     "  holonomic: {turn: 2*%s(%g*p + %g) - (%.17g + 0.5*sin(q + t))*2}\n"
                     "simulate: {until: 1}\n",
                     start, FORMS[f].op, c, FORMS[f].b, j % 2 ? -w : w);
            compare(text, 1, "'p' follows from the constraints", (range){4, 1, 3, 0.3});
            trial t = trial_of(text, "auto");
            pair p = pair_of(&t);
            for (int i = 0; i < 20; i++) {
                move_by_chance(&p, &t, &(range){4, 1, 3, 0.3});
                double halves = (c * p.q[0] + FORMS[f].b) / PI, u, u_rate;
                assert_int_equal(sine ? (int)round(halves) : (int)floor(halves), j);
                /* the mirror image about the end of the branch, and the pose a turn farther: other branches
                 */
                double mirror = sine ? 2 * j + 1 - halves : 2 * j - halves, here = p.q[0];
                p.q[0] = (mirror * PI - FORMS[f].b) / c;
                p.v[0] = -p.v[0];
                expect_closed(&p);
                assert_false(p.r->shrink(p.r, p.small_work, p.t, p.q, p.v, &u, &u_rate));
                p.q[0] = here + 2 * PI / c;
                p.v[0] = -p.v[0];
                expect_closed(&p);
                assert_false(p.r->shrink(p.r, p.small_work, p.t, p.q, p.v, &u, &u_rate));
                p.q[0] = here;
                assert_true(p.r->shrink(p.r, p.small_work, p.t, p.q, p.v, &u, &u_rate));
            }
            pair_end(&p);
            trial_end(&t);
        }
}

/* sin p = -1.3 q^2 ends at q = 1/sqrt(1.3): there is no room, and less than none beyond; near to it a start
 * is refused. NaN of one room is not lost in that of another. */
static void test_room(void **state) {
    static const char TEXT[] = "keel: 1\nequations:\n  coordinates: {q: 0.1, p: 0, r: 0}\n"
                               "  kinetic: q'^2 + p'^2 + r'^2\n"
                               "  holonomic: {%s, pin: sin(p) + 1.3*q^2}\nsimulate: {until: 1}\n";
    char text[400];
    double u, u_rate, zero = 0, before = 1;
    (void)state;
    snprintf(text, sizeof text, TEXT, "other: sin(r) - q^2/9");
    trial t = trial_of(text, "auto");
    pair p = pair_of(&t);
    assert_non_null(p.r->room);
    double end = 1 / sqrt(1.3);
    for (int k = 1; k <= 10; k++) {
        double q = end * k / 10, now = room(&p, 0, &q);
        assert_true(now < before && fabs(now - (1 - 1.69 * q * q * q * q)) < 1e-14);
        before = now;
        expand(&p, 0, &q, &zero, p.q, p.v);
        if (k < 10)
            assert_int_equal(p.r->shrink(p.r, p.small_work, 0, p.q, p.v, &u, &u_rate), now > 0.04);
    }
    assert_true(fabs(before) < 1e-14);
    assert_true(room(&p, 0, &(double){end + 0.01}) < 0);
    pair_end(&p);
    trial_end(&t);
    /* the second has room of its own where the first has a number no more */
    snprintf(text, sizeof text, TEXT, "other: sin(r) - sqrt(0.3 - q)");
    t = trial_of(text, "auto");
    p = pair_of(&t);
    assert_true(room(&p, 0, &(double){0.29}) > 0.5);
    assert_true(isnan(room(&p, 0, &(double){0.31})));
    pair_end(&p);
    trial_end(&t);
    /* a factor that may vanish, relative to that of the start: room is its square at the most */
    snprintf(text, sizeof text, TEXT, "other: (0.5 - q)*sin(r)");
    t = trial_of(text, "auto");
    p = pair_of(&t);
    assert_true(fabs(room(&p, 0, &(double){0.4}) - 1. / 16) < 1e-14);
    assert_true(room(&p, 0, &(double){0.5}) <= 0 || isnan(room(&p, 0, &(double){0.5})));
    pair_end(&p);
    trial_end(&t);
    /* linear rows alone: the map ends nowhere */
    t = trial_of(DRIVEN, "auto");
    assert_null(long_run(t.model->system)->reduction->room);
    trial_end(&t);
}

/* Models that keep their constraints. */
static void test_refusals(void **state) {
    static const char *const SECTIONS[] = {
        "holonomic: {rod: x^2 + y^2 - 1}",                               /* no coordinate alone */
        "holonomic: {a: y - 0.1*x, rod: x^2 + z^2 - 1}",                 /* one of two */
        "holonomic: {a: y - x}\n  nonholonomic: {roll: \"z' - x*y'\"}",  /* */
        "holonomic: {a: y - x}\n  states: {c: {start: 0, rate: x - c}}", /* */
        "holonomic: {a: y - x}\n  invariants: {all: energy}",            /* */
        "holonomic: {a: y - x}\n  auxiliary: {w: 0}\n  auxiliary_equations: {fit: w + w^3 - x}",
        "holonomic: {a: y - x}\n  forces: {x: -0.1*abs(lambda.a)*x'}",  /* */
        "holonomic: {a: y - x}\n  forces: {x: -0.1*sign(lambda.a)*x'}", /* no derivative tells */
        "holonomic: {a: y - cos(t), b: x - 1 - y, c: z*two - x}",       /* nothing is left */
        "holonomic: {a: sin(y) - 0.99*x^2}",                            /* no room at the start */
        "holonomic: {a: \"y + sign(y) - z + sign(z) - x + sign(x)\"}",  /* jumps */
        "holonomic: {a: sin(y) + sin(2*y) + sin(x)*x + z^2}",           /* */
        "holonomic: {a: y*x - z*x - 0.1}",                              /* factors that vary */
    };
    (void)state;
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "keel: 1\nparameters: {two: 2}\nequations:\n  coordinates: {x: 1, y: 0, z: 0}\n"
                 "  kinetic: (x'^2 + y'^2 + z'^2)/2\n  %s\nsimulate: {until: 1}\n",
                 SECTIONS[i]);
        trial t = trial_of(text, "auto");
        if (long_run(t.model->system)->reduction)
            fail_msg("%s: %s", SECTIONS[i], long_run(t.model->system)->reduction->reason);
        trial_end(&t);
    }
}

/* The start of a model is on its branch. */
static void test_starts(void **state) {
    static const char *const MODELS[] = {"flexible_crank", "slider_crank", "truck"};
    double u[7], u_rate[7];
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial t = trial_of(MODELS[i], "auto");
        pair p = pair_of(&t);
        const keel_state *start = t.model->start;
        assert_true(p.r->shrink(p.r, p.small_work, start->t, start->q, start->v, u, u_rate));
        for (int j = 0; j < p.small->n_q; j++)
            assert_true(u[j] == start->q[place_of(&p, j)] && u_rate[j] == start->v[place_of(&p, j)]);
        pair_end(&p);
        trial_end(&t);
    }
}

/* Up to 32 coordinates, which is room for the scratch of the maps. */
static void test_many(void **state) {
    (void)state;
    for (int N = 31; N <= 32; N++) {
        char text[400];
        snprintf(text, sizeof text,
                 "keel: 1\nparameters: {N: %d}\nequations:\n  coordinates: {x: 0.1}\n  kinetic: x'^2/2\n"
                 "  repeat: {for: {i: 1..N}, coordinates: {\"y[i]\": 0}, kinetic: \"y[i]'^2/2\",\n"
                 "    holonomic: {\"c[i]\": \"sin(y[i]) - sin(x/i + t)/i/2\"}}\nsimulate: {until: 1}\n",
                 N);
        trial t = trial_of(text, "auto");
        if (N == 31) {
            pair p = pair_of(&t);
            for (int i = 0; i < 5; i++) {
                move_by_chance(&p, &t, &(range){1, 1, 1, 0.3});
                expect_closed(&p);
                expect_same_motion(&p, 0.3);
                expect_inverse(&p);
            }
            pair_end(&p);
        } else {
            assert_null(long_run(t.model->system)->reduction);
        }
        trial_end(&t);
    }
}

/* Rows that repeat others say nothing, and do no harm. */
static void test_repeated_rows(void **state) {
    (void)state;
    compare("keel: 1\nequations:\n  coordinates: {x: 0.3, y: 0.6}\n  kinetic: x'^2 + y'^2\n"
            "  holonomic: {a: y - 2*x, b: 3*y - 6*x}\nsimulate: {until: 1}\n",
            1, "'x' follows from the constraints", (range){1, 1, 1, 0.3});
}

/* Code says what tapes say, to the last bit, also of maps and room. */
static void test_machine_code(void **state) {
    (void)state;
    trial t = trial_of(CHAINED, "auto");
    pair p = pair_of(&t);
    double q[4], v[4], a[2], energy[2][2];
    move_by_chance(&p, &t, &(range){3, 1, 3, 0.3});
    keel_point at = {.t = p.t, .q = p.u, .v = p.u_rate};
    accelerate(p.small, p.small_work, &at, a, energy[0], NULL, NULL);
    double left = room(&p, p.t, p.u);
    keel_native *native = keel_native_attach(t.model->system, NULL, NULL);
    assert_int_equal(keel_native_compile(native, 1), KEEL_NATIVE_READY);
    assert_non_null(p.small->kernel(p.small, p.small_work));
    accelerate(p.small, p.small_work, &at, a + 1, energy[1], NULL, NULL);
    expand(&p, p.t, p.u, p.u_rate, q, v);
    assert_memory_equal(q, p.q, sizeof q);
    assert_memory_equal(v, p.v, sizeof v);
    assert_true(a[0] == a[1] && energy[0][0] == energy[1][0] && energy[0][1] == energy[1][1]);
    assert_true(room(&p, p.t, p.u) == left);
    keel_native_detach(native);
    pair_end(&p);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),        cmocka_unit_test(test_drivers),
        cmocka_unit_test(test_chained),       cmocka_unit_test(test_branches),
        cmocka_unit_test(test_room),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_starts),        cmocka_unit_test(test_many),
        cmocka_unit_test(test_repeated_rows), cmocka_unit_test(test_machine_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
