/* The start nearest to the drawing (docs/assemble.md) against an independent computation: 200 random trees
 * and loops, their velocities found here in the twists of all bodies, by the rule as it is written. Then what
 * must not matter: order, exchange of bodies, axes, place, coordinates. Then poses of planar chains, by the
 * conditions of a minimum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/assemble.h"

enum { BODIES = 7, JOINTS = 9, VALUES = 3, N = 6 * BODIES, ROWS = 200 };

static unsigned long seed;
static double any(void) {
    seed = (seed * 6364136223846793005UL + 1442695040888963407UL) & 0xffffffffffffffffUL;
    return (double)(seed >> 40) / 8388608.0 - 1;
}
static int pick(int n) {
    return (int)((any() + 1) / 2 * n) % n;
}

/* ---- a mechanism as drawn ------------------------------------------------------------------------------ */

typedef enum type { REVOLUTE, PRISMATIC, CYLINDRICAL, SPHERICAL, UNIVERSAL, TYPES } type;
static const char *const TYPE_WORD[] = {"revolute", "prismatic", "cylindrical", "spherical", "universal"};

typedef struct joint {
    type type;
    int body[2];
    double at[3], axis[3], across[3];
    double stiffness, damping; /* of a torsion spring; revolute and prismatic */
} joint;

typedef enum asked { PLACE, SPIN, COORDINATE } asked;
typedef struct value {
    asked what;
    int number, axis; /* body and axis; joint */
    double rate;
} value;

typedef struct drawing {
    int bodies, joints, values;
    double mass[BODIES + 1], centre[BODIES + 1][3];
    joint joint[JOINTS];
    value value[VALUES];
} drawing;

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void unit(double a[3]) {
    double length = sqrt(dot(3, a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= length;
}

static joint draw_joint(int a, int b, type t) {
    joint j = {.type = t, .body = {a, b}};
    for (int i = 0; i < 3; i++)
        j.at[i] = 2 * any(), j.axis[i] = any(), j.across[i] = any();
    unit(j.axis);
    double along = dot(3, j.axis, j.across);
    for (int i = 0; i < 3; i++)
        j.across[i] -= along * j.axis[i];
    unit(j.across);
    if (t <= PRISMATIC && pick(3) == 0)
        j.stiffness = exp(3 * any());
    else if (t <= PRISMATIC && pick(5) == 0)
        j.damping = 1 + any() / 2;
    return j;
}

static value draw_value(const drawing *d) {
    value v = {.what = (asked)pick(3), .axis = pick(3), .rate = 3 * any()};
    v.number = v.what == COORDINATE ? pick(d->joints) : 1 + pick(d->bodies);
    if (v.what == COORDINATE && d->joint[v.number].type > CYLINDRICAL)
        v.what = PLACE, v.number = 1 + pick(d->bodies);
    return v;
}

/* A tree from the ground, or a floating one; and joints that close loops. */
static drawing draw(void) {
    drawing d = {.bodies = 2 + pick(BODIES - 1), .values = 1 + pick(VALUES)};
    bool floats = pick(2);
    for (int b = 1; b <= d.bodies; b++) {
        d.mass[b] = pick(4) ? 1 + any() / 2 : 1.25; /* some are equal, now and then the heaviest */
        for (int i = 0; i < 3; i++)
            d.centre[b][i] = 2 * any();
        if (b > 1 || !floats)
            d.joint[d.joints++] = draw_joint(floats ? 1 + pick(b - 1) : pick(b), b, (type)pick(TYPES));
    }
    for (int loops = pick(3); loops > 0; loops--) {
        int a = 1 + pick(d.bodies), b = 1 + pick(d.bodies);
        if (a != b)
            d.joint[d.joints++] = draw_joint(a, b, pick(2) ? SPHERICAL : CYLINDRICAL);
    }
    for (int i = 0; i < d.values; i++) { /* nothing is asked for twice */
        d.value[i] = draw_value(&d);
        for (int k = 0; k < i; k++)
            if (d.value[k].what == d.value[i].what && d.value[k].number == d.value[i].number &&
                (d.value[k].axis == d.value[i].axis || d.value[i].what == COORDINATE))
                d.values = i;
    }
    return d;
}

/* ---- the rule in twists (omega, v of the centre) of all bodies ----------------------------------------- */

typedef struct rows {
    int count;
    double w[ROWS][N], value[ROWS];
} rows;

/* e . of the angular velocity, or of the velocity at a place, of a body */
static void add_part(const drawing *d, int body, bool turn, const double e[3], const double at[3],
                     double sign, double *w) {
    double arm[3], torque[3];
    if (body == 0)
        return;
    for (int i = 0; i < 3; i++)
        arm[i] = at[i] - d->centre[body][i];
    cross(arm, e, torque);
    for (int i = 0; i < 3; i++) {
        w[6 * (body - 1) + i] += sign * (turn ? e[i] : torque[i]);
        w[6 * (body - 1) + 3 + i] += turn ? 0 : sign * e[i];
    }
}

static void add_relative(const drawing *d, const joint *j, bool turn, const double e[3], double weight,
                         rows *to) {
    double scaled[3] = {weight * e[0], weight * e[1], weight * e[2]};
    double *w = to->w[to->count++];
    memset(w, 0, sizeof to->w[0]);
    add_part(d, j->body[1], turn, scaled, j->at, 1, w);
    add_part(d, j->body[0], turn, scaled, j->at, -1, w);
}

static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* What a joint holds, and what it lets turn and slide. */
static void add_joint(const drawing *d, const joint *j, rows *held, rows *turns, rows *slides,
                      double weight_turn, double weight_slide) {
    double third[3];
    cross(j->axis, j->across, third);
    for (int i = 0; i < 3; i++) {
        const double *e = i == 0 ? j->axis : i == 1 ? j->across : third;
        bool can_turn =
            j->type == SPHERICAL || (i == 0 && j->type != PRISMATIC) || (i == 1 && j->type == UNIVERSAL);
        bool can_slide = i == 0 && (j->type == PRISMATIC || j->type == CYLINDRICAL);
        add_relative(d, j, true, e, can_turn ? weight_turn : 1, can_turn ? turns : held);
        add_relative(d, j, false, e, can_slide ? weight_slide : 1, can_slide ? slides : held);
    }
}

static void find_parts(const drawing *d, int *part) {
    for (int b = 0; b <= d->bodies; b++)
        part[b] = b;
    for (int again = 0; again <= d->bodies; again++)
        for (int j = 0; j < d->joints; j++)
            for (int k = 0; k < 2; k++) {
                int a = d->joint[j].body[k], b = d->joint[j].body[1 - k];
                part[a] = part[a] < part[b] ? part[a] : part[b];
            }
}

/* Ends of rows [count x n] in reduced form: unknown[i] is found from row i. Returns their number. */
static int eliminate(double (*A)[N + 1], int count, int n, int *unknown) {
    bool used[N] = {false};
    int rank = 0;
    for (; rank < count; rank++) {
        int row = -1, column = 0;
        double most = 1e-9;
        for (int i = rank; i < count; i++)
            for (int j = 0; j < n; j++)
                if (!used[j] && fabs(A[i][j]) > most)
                    most = fabs(A[i][j]), row = i, column = j;
        if (row < 0)
            break;
        for (int j = 0; j <= n; j++) {
            double x = A[row][j];
            A[row][j] = A[rank][j], A[rank][j] = x;
        }
        for (int j = 0; j <= n; j++)
            A[rank][j] /= j == column ? 1 : A[rank][column];
        A[rank][column] = 1;
        for (int i = 0; i < count; i++)
            for (int j = 0; i != rank && j <= n; j++)
                A[i][j] -= j == column ? 0 : A[i][column] * A[rank][j];
        for (int i = 0; i < count; i++)
            A[i][column] = i == rank;
        used[column] = true;
        unknown[rank] = column;
    }
    return rank;
}

/* x with A x = b and |C x| least, one of them. False: there is none. */
static bool least(int n, const rows *A, const rows *C, double *x) {
    static double H[ROWS][N + 1], K[N][N + 1], Z[N][N], CZ[ROWS][N];
    int unknown[N], free_count = 0;
    bool found[N] = {false};
    for (int i = 0; i < A->count; i++) {
        memcpy(H[i], A->w[i], (size_t)n * sizeof(double));
        H[i][n] = A->value[i];
    }
    int rank = eliminate(H, A->count, n, unknown);
    for (int i = rank; i < A->count; i++)
        if (fabs(H[i][n]) > 1e-7)
            return false;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < rank; i++)
        x[unknown[i]] = H[i][n], found[unknown[i]] = true;
    for (int j = 0; j < n; j++) {
        if (found[j])
            continue;
        memset(Z[free_count], 0, sizeof Z[0]);
        Z[free_count][j] = 1;
        for (int i = 0; i < rank; i++)
            Z[free_count][unknown[i]] = -H[i][j];
        free_count++;
    }
    for (int i = 0; i < C->count; i++)
        for (int k = 0; k < free_count; k++)
            CZ[i][k] = dot(n, C->w[i], Z[k]);
    for (int k = 0; k < free_count; k++) { /* (C Z)^T (C Z) y = -(C Z)^T C x */
        for (int l = 0; l <= free_count; l++)
            K[k][l] = 0;
        for (int i = 0; i < C->count; i++) {
            for (int l = 0; l < free_count; l++)
                K[k][l] += CZ[i][k] * CZ[i][l];
            K[k][free_count] -= CZ[i][k] * dot(n, C->w[i], x);
        }
    }
    int found_y[N], settled = eliminate(K, free_count, free_count, found_y);
    for (int i = 0; i < settled; i++)
        for (int j = 0; j < n; j++)
            x[j] += K[i][free_count] * Z[found_y[i]][j];
    return true;
}

/* The rows of the group are held from now on as they are. */
static void hold(const rows *C, int n, const double *x, rows *A) {
    for (int i = 0; i < C->count; i++) {
        memcpy(A->w[A->count], C->w[i], sizeof A->w[0]);
        A->value[A->count++] = dot(n, C->w[i], x);
    }
}

static double stiffest(const drawing *d, double extent) {
    double most = 0;
    for (int j = 0; j < d->joints; j++)
        most = fmax(most, d->joint[j].stiffness * (d->joint[j].type == PRISMATIC ? extent * extent : 1));
    return most;
}

/* Largest distance of a centre or a place of a joint from the middle of all, each joint counted twice. */
static double extent_of(const drawing *d) {
    double middle[3] = {0}, most = 0;
    int count = d->bodies + 2 * d->joints;
    for (int i = 0; i < 3; i++) {
        for (int b = 1; b <= d->bodies; b++)
            middle[i] += d->centre[b][i] / count;
        for (int j = 0; j < d->joints; j++)
            middle[i] += 2 * d->joint[j].at[i] / count;
    }
    for (int k = 0; k < d->bodies + d->joints; k++) {
        const double *at = k < d->bodies ? d->centre[k + 1] : d->joint[k - d->bodies].at;
        double off[3] = {at[0] - middle[0], at[1] - middle[1], at[2] - middle[2]};
        most = fmax(most, sqrt(dot(3, off, off)));
    }
    return most;
}

static void add_value(const drawing *d, const value *v, rows *held) {
    double *w = held->w[held->count];
    memset(w, 0, sizeof held->w[0]);
    held->value[held->count] = v->rate;
    if (v->what == COORDINATE) {
        const joint *j = &d->joint[v->number];
        add_relative(d, j, j->type != PRISMATIC, j->axis, 1, held);
    } else {
        add_part(d, v->number, v->what == SPIN, E[v->axis], d->centre[v->number], 1, w);
        held->count++;
    }
}

/* False: what is asked cannot be met. */
static bool by_the_rule(const drawing *d, double *twists) {
    static rows held, group[5];
    double extent = extent_of(d), most = stiffest(d, extent), heaviest[BODIES + 1] = {0};
    int part[BODIES + 1], n = 6 * d->bodies;
    memset(&held, 0, sizeof held);
    memset(group, 0, sizeof group);
    find_parts(d, part);
    for (int j = 0; j < d->joints; j++) {
        const joint *x = &d->joint[j];
        bool sprung = x->stiffness > 0 || x->damping > 0;
        double length =
            x->type == PRISMATIC ? extent : 1; /* angles and lengths of springs meet as energies */
        double weight = !sprung ? 1 : x->stiffness > 0 ? sqrt(x->stiffness / most) : 1 / length;
        add_joint(d, x, &held, sprung ? &group[0] : &group[2], sprung ? &group[0] : &group[3], weight,
                  weight);
    }
    for (int b = 1; b <= d->bodies; b++)
        heaviest[part[b]] = fmax(heaviest[part[b]], d->mass[b]);
    for (int b = 1; b <= d->bodies; b++)
        for (int i = 0; part[b] && d->mass[b] == heaviest[part[b]] && i < 3; i++) {
            add_part(d, b, true, E[i], d->centre[b], 1, group[1].w[group[1].count++]);
            add_part(d, b, false, E[i], d->centre[b], 1, group[4].w[group[4].count++]);
        }
    for (int i = 0; i < d->values; i++)
        add_value(d, &d->value[i], &held);
    for (int g = 0; g < 5; g++) {
        if (!least(n, &held, &group[g], twists))
            return false;
        hold(&group[g], n, twists, &held);
    }
    return true;
}

/* ---- the same by the library --------------------------------------------------------------------------- */

/* How a drawing is told: body b of it stands at place order[b]. */
typedef struct telling {
    int body[BODIES + 1], joint[JOINTS];
    bool exchanged[JOINTS];
    int shift; /* axes x, y, z are called after the ones that many further */
    double moved[3];
    keel_coordinates coordinates;
} telling;

static void turn(const telling *t, const double a[3], bool place, double b[3]) {
    for (int i = 0; i < 3; i++)
        b[(i + t->shift) % 3] = a[i] + (place ? t->moved[i] : 0);
}

static void tell_joint(keel_mechanism *m, const joint *j, int number, bool exchanged, const telling *t,
                       const int *body) {
    char name[8], spring[8];
    bool swap = exchanged && j->type != UNIVERSAL; /* which knows its first body */
    snprintf(name, sizeof name, "j%d", number);
    snprintf(spring, sizeof spring, "s%d", number);
    keel_joint x = keel_joint_default(name, TYPE_WORD[j->type], body[j->body[swap]], body[j->body[!swap]]);
    for (int k = 0; k < 2; k++) {
        turn(t, j->at, true, x.at[k]);
        turn(t, j->axis, false, x.axis[k]);
        turn(t, j->across, false, x.across[k]);
    }
    assert_true(keel_mechanism_add_joint(m, &x, NULL) >= 0);
    if (j->stiffness == 0 && j->damping == 0)
        return;
    keel_force f = keel_force_default(spring, KEEL_FORCE_TORSION);
    f.joint = name, f.stiffness = j->stiffness, f.damping = j->damping;
    assert_true(keel_mechanism_add_force(m, &f, NULL) >= 0);
}

static keel_mechanism *tell(const drawing *d, const telling *t, int *body) {
    keel_mechanism *m = keel_mechanism_new();
    char name[24];
    body[0] = KEEL_GROUND;
    keel_mechanism_set_coordinates(m, t->coordinates);
    for (int i = 1; i <= d->bodies; i++) {
        int b = t->body[i];
        snprintf(name, sizeof name, "b%d", b);
        keel_body x = keel_body_default(name);
        x.mass = d->mass[b], x.inertia[0] = x.inertia[1] = x.inertia[2] = 1;
        turn(t, d->centre[b], true, x.centre);
        assert_true((body[b] = keel_mechanism_add_body(m, &x, NULL)) > 0);
    }
    for (int i = 0; i < d->joints; i++)
        tell_joint(m, &d->joint[t->joint[i]], t->joint[i], t->exchanged[i], t, body);
    for (int i = 0; i < d->values; i++) {
        const value *v = &d->value[i];
        double sign = 1;
        char axis = (char)('x' + (v->axis + t->shift) % 3);
        if (v->what == COORDINATE) {
            snprintf(name, sizeof name, "j%d.%s'", v->number,
                     d->joint[v->number].type == PRISMATIC ? "displacement" : "angle");
            for (int k = 0; k < d->joints; k++)
                sign = t->joint[k] == v->number && t->exchanged[k] ? -1 : sign;
        } else {
            snprintf(name, sizeof name, v->what == SPIN ? "b%d.spin.%c" : "b%d.%c'", v->number, axis);
        }
        assert_int_equal(keel_mechanism_add_start(m, name, (keel_location){0}, sign * v->rate), KEEL_OK);
    }
    return m;
}

/* Twists of all bodies in the axes of the drawing; false: the start cannot be met. */
static bool by_the_library(const drawing *d, const telling *t, double *twists) {
    int body[BODIES + 1];
    keel_compiled c;
    keel_mechanism *m = tell(d, t, body);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status = keel_mechanism_compile(m, messages, &c);
    if (status)
        fail_msg("%s", keel_diagnostics_get(messages, 0).text);
    status = keel_assemble_mechanism(&c, 0, NULL, NULL, NULL);
    if (!status) {
        void *work;
        const keel_system *s = c.system;
        double *J = calloc((size_t)(6 * s->n_v), sizeof *J);
        keel_point at = {0, c.start->q, c.start->v, c.start->z, c.start->s, c.start->lambda, NULL};
        assert_int_equal(s->work_new(s, &work), KEEL_OK);
        for (int b = 1; b <= d->bodies; b++) {
            keel_mechanism_body_jacobian(s, work, &at, body[b], J);
            for (int i = 0; i < 6; i++)
                twists[6 * (b - 1) + i] =
                    dot(s->n_v, J + (size_t)(((i % 3 + t->shift) % 3 + i / 3 * 3) * s->n_v), c.start->v);
        }
        s->work_free(work);
        free(J);
    }
    keel_compiled_clear(&c);
    keel_diagnostics_free(messages);
    keel_mechanism_free(m);
    return !status;
}

static telling plainly(const drawing *d) {
    telling t = {0};
    for (int b = 0; b <= d->bodies; b++)
        t.body[b] = b;
    for (int j = 0; j < d->joints; j++)
        t.joint[j] = j;
    return t;
}

static telling otherwise(const drawing *d) {
    telling t = plainly(d);
    for (int b = d->bodies; b > 1; b--) {
        int other = 1 + pick(b), x = t.body[b];
        t.body[b] = t.body[other], t.body[other] = x;
    }
    for (int j = d->joints - 1; j > 0; j--) {
        int other = pick(j + 1), x = t.joint[j];
        t.joint[j] = t.joint[other], t.joint[other] = x;
    }
    for (int j = 0; j < d->joints; j++)
        t.exchanged[j] = d->joint[t.joint[j]].type != UNIVERSAL && pick(2);
    t.shift = pick(3);
    for (int i = 0; i < 3; i++)
        t.moved[i] = 5 * any();
    t.coordinates = (keel_coordinates)pick(3);
    return t;
}

static double difference(int n, const double *a, const double *b, double *size) {
    double most = 0;
    *size = 1e-3;
    for (int i = 0; i < n; i++) {
        *size = fmax(*size, fmax(fabs(a[i]), fabs(b[i])));
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most / *size;
}

/* Speeds a thousand times what is asked mean a pose next to a singular one, where digits are lost. */
static void velocities_follow_the_rule(void **state) {
    (void)state;
    int compared = 0, met = 0;
    for (int k = 0; compared < 200; k++) {
        double rule[N], library[N], told[N], size;
        seed = (unsigned long)k + 1;
        for (int i = 0; i < 5; i++)
            any();
        drawing d = draw();
        telling plain = plainly(&d), other = otherwise(&d);
        bool possible = by_the_rule(&d, rule);
        bool found = by_the_library(&d, &plain, library);
        if (possible != found)
            fail_msg("seed %d: %s", k + 1, possible ? "not found" : "found though there is none");
        compared++;
        if (!possible)
            continue;
        met++;
        double off = difference(6 * d.bodies, rule, library, &size);
        if (off > 1e-6)
            fail_msg("seed %d: off by %g of %g, %d bodies, %d joints", k + 1, off, size, d.bodies, d.joints);
        assert_true(by_the_library(&d, &other, told));
        off = difference(6 * d.bodies, told, library, &size);
        if (off > 1e-9 * fmax(1, size))
            fail_msg("seed %d, told otherwise: off by %g of %g", k + 1, off, size);
    }
    assert_true(met >= 150);
}

/* ---- poses --------------------------------------------------------------------------------------------- */

/* Pins P_0 .. P_6 in the plane, bodies 1 .. 6 between them, both ends on the ground. Two pins have springs.
 * The last pin is drawn open; a point of body 3 gets a start value. */
enum { LINKS = 6 };
typedef struct chain {
    double P[LINKS + 1][2], gap[2], mark[2], x;
    int sprung[2];
} chain;

/* The start value and the gap are those of a pose in which the springs are as drawn: there is one. */
static chain draw_chain(void) {
    chain c = {.sprung = {pick(LINKS)}};
    double angle = 3 * any(), phi = 0, x = 0, y = 0;
    for (int i = 1; i <= LINKS; i++) {
        angle += i % 2 ? 1 + 0.3 * any() : -1 + 0.3 * any();
        c.P[i][0] = c.P[i - 1][0] + (1 + 0.3 * any()) * cos(angle);
        c.P[i][1] = c.P[i - 1][1] + (1 + 0.3 * any()) * sin(angle);
    }
    c.mark[0] = c.P[3][0] + 0.3 * any(), c.mark[1] = c.P[3][1] + 0.3 * any();
    c.sprung[1] = (c.sprung[0] + 1 + pick(LINKS - 1)) % LINKS;
    for (int i = 0; i < LINKS; i++) {
        double X = c.P[i + 1][0] - c.P[i][0], Y = c.P[i + 1][1] - c.P[i][1];
        phi += i == c.sprung[0] || i == c.sprung[1] ? 0 : 0.15 * any();
        if (i == 2)
            c.x = x + cos(phi) * (c.mark[0] - c.P[i][0]) - sin(phi) * (c.mark[1] - c.P[i][1]);
        x += cos(phi) * X - sin(phi) * Y, y += sin(phi) * X + cos(phi) * Y;
    }
    c.gap[0] = x - c.P[LINKS][0], c.gap[1] = y - c.P[LINKS][1];
    return c;
}

/* Angles of the bodies after assembly. */
static void assemble_chain(const chain *c, double phi[LINKS]) {
    static const char *const BODY[] = {"ground", "b1", "b2", "b3", "b4", "b5", "b6"};
    static const char *const PIN[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6"};
    static const char *const SPRING[] = {"s0", "s1"};
    keel_mechanism *m = keel_mechanism_new();
    keel_compiled compiled;
    void *work;
    keel_pose pose[LINKS + 1];
    keel_mechanism_set_planar(m, 1);
    for (int i = 1; i <= LINKS; i++) {
        keel_body body = keel_body_default(BODY[i]);
        body.mass = 2 + any(), body.inertia[2] = 0.1;
        for (int k = 0; k < 2; k++)
            body.centre[k] = (c->P[i - 1][k] + c->P[i][k]) / 2;
        assert_int_equal(keel_mechanism_add_body(m, &body, NULL), i);
    }
    keel_mechanism_add_point(m, "mark", 3, (double[3]){c->mark[0], c->mark[1], 0}, (keel_location){0}, NULL);
    for (int i = 0; i <= LINKS; i++) {
        keel_joint pin = keel_joint_default(PIN[i], "revolute", i, i < LINKS ? i + 1 : KEEL_GROUND);
        for (int k = 0; k < 2; k++) {
            pin.at[k][0] = c->P[i][0] + (i == LINKS && k ? c->gap[0] : 0);
            pin.at[k][1] = c->P[i][1] + (i == LINKS && k ? c->gap[1] : 0);
        }
        assert_true(keel_mechanism_add_joint(m, &pin, NULL) >= 0);
    }
    for (int k = 0; k < 2; k++) {
        keel_force spring = keel_force_default(SPRING[k], KEEL_FORCE_TORSION);
        spring.joint = PIN[c->sprung[k]], spring.stiffness = 3 + 2 * any();
        assert_true(keel_mechanism_add_force(m, &spring, NULL) >= 0);
    }
    assert_int_equal(keel_mechanism_add_start(m, "mark.x", (keel_location){0}, c->x), KEEL_OK);
    assert_int_equal(keel_mechanism_compile(m, NULL, &compiled), KEEL_OK);
    keel_diagnostics *notes = keel_diagnostics_new();
    assert_int_equal(keel_assemble_mechanism(&compiled, 0, NULL, notes, NULL), KEEL_OK);
    if (keel_diagnostics_count(notes)) /* no spring is loaded */
        fail_msg("%s", keel_diagnostics_get(notes, 0).text);
    keel_point at = {.q = compiled.start->q, .v = compiled.start->v};
    assert_int_equal(compiled.system->work_new(compiled.system, &work), KEEL_OK);
    keel_mechanism_poses(compiled.system, work, &at, pose);
    for (int i = 1; i <= LINKS; i++)
        phi[i - 1] = atan2(pose[i].R[3], pose[i].R[0]);
    compiled.system->work_free(work);
    keel_compiled_clear(&compiled);
    keel_diagnostics_free(notes);
    keel_mechanism_free(m);
}

/* Closure in x and y, the start value, the two springs; and their gradients. */
static void chain_conditions(const chain *c, const double phi[LINKS], double f[5], double g[5][LINKS]) {
    memset(g, 0, 5 * sizeof *g);
    f[0] = c->P[0][0] - c->P[LINKS][0] - c->gap[0], f[1] = c->P[0][1] - c->P[LINKS][1] - c->gap[1];
    f[2] = c->P[0][0] - c->x;
    for (int i = 0; i < LINKS; i++) {
        const double *end = i == 2 ? c->mark : c->P[i + 1];
        double x = c->P[i + 1][0] - c->P[i][0], y = c->P[i + 1][1] - c->P[i][1];
        double X = end[0] - c->P[i][0], Y = end[1] - c->P[i][1], s = sin(phi[i]), k = cos(phi[i]);
        f[0] += k * x - s * y, g[0][i] = -s * x - k * y;
        f[1] += s * x + k * y, g[1][i] = k * x - s * y;
        f[2] += i <= 2 ? k * X - s * Y : 0, g[2][i] = i <= 2 ? -s * X - k * Y : 0;
    }
    for (int k = 0; k < 2; k++) {
        int j = c->sprung[k];
        f[3 + k] = (j < LINKS ? phi[j] : 0) - (j > 0 ? phi[j - 1] : 0);
        if (j < LINKS)
            g[3 + k][j] = 1;
        if (j > 0)
            g[3 + k][j - 1] = -1;
    }
}

/* Springs stay as drawn, and the sum of squares of the other angles is least: its gradient is one of the
 * conditions' gradients, that is the only freedom that is left does not change it. */
static void poses_follow_the_rule(void **state) {
    (void)state;
    for (int k = 0; k < 60; k++) {
        double phi[LINKS], f[5], g[5][LINKS], gradient[LINKS], size = 0;
        seed = 1000 + (unsigned long)k;
        for (int i = 0; i < 5; i++)
            any();
        chain c = draw_chain();
        assemble_chain(&c, phi);
        chain_conditions(&c, phi, f, g);
        for (int i = 0; i < 5; i++)
            if (fabs(f[i]) > 1e-9)
                fail_msg("chain %d: condition %d is off by %g", k, i, f[i]);
        for (int i = 0; i < LINKS; i++) /* of 1/2 sum (phi_i - phi_{i-1})^2 with phi of the ground = 0 */
            gradient[i] = 2 * phi[i] - (i > 0 ? phi[i - 1] : 0) - (i < LINKS - 1 ? phi[i + 1] : 0);
        size = sqrt(dot(LINKS, gradient, gradient));
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < i; j++) {
                double along = dot(LINKS, g[i], g[j]);
                for (int l = 0; l < LINKS; l++)
                    g[i][l] -= along * g[j][l];
            }
            double length = sqrt(dot(LINKS, g[i], g[i]));
            for (int l = 0; l < LINKS; l++)
                g[i][l] /= length;
            double along = dot(LINKS, gradient, g[i]);
            for (int l = 0; l < LINKS; l++)
                gradient[l] -= along * g[i][l];
        }
        double left = sqrt(dot(LINKS, gradient, gradient));
        if (left > 1e-8 * (1 + size))
            fail_msg("chain %d: %g of %g is left", k, left, size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_follow_the_rule),
        cmocka_unit_test(poses_follow_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
