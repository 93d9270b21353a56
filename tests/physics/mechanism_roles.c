/* Every type of joint in space, as a user meets it: in the tree or cut, described from either end, it gives
 * the same motion, and what it reports as its reaction balances the bodies it ties.
 *
 *     ground -- revolute "hinge" -- plate -- the joint "link" -- block,      under gravity, thrown
 *
 * With A the acceleration of the centre r, w the angular velocity, I = R I_0 R^T, and p the joint's place on
 * its second body, Newton and Euler ask for
 *
 *     m (A - g) = F,     I w' + w x I w = T + (p - r) x F
 *
 * summed over the joints of each body, with minus F and T for the first body of a joint.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

typedef struct link {
    const char *type;
    const char *place;   /* `at` and what else the type needs */
    const char *at[2];   /* the place on plate and block      */
    const char *start;   /* how it moves at the start         */
    const char *reverse; /* the same for the bodies exchanged; NULL: a different joint then */
} link;

#define HERE    "[0.8, 0.3, 0.1]"
#define ABOVE   "[0.8, 0.3, 0.4]"
#define AXIS    "at: " HERE ", axis: [0.3, 1, -0.2], across: [1, -0.2, 0.4]"
#define SPIN    "block.spin.x: 1, block.spin.y: -2, block.spin.z: 1.5"
#define ROLLING "at: [" HERE ", " ABOVE "], radius: 0.3"

static const link LINKS[] = {
    {"revolute", AXIS, {HERE, HERE}, "link.angle': 2", "link.angle': -2"},
    {"prismatic", AXIS, {HERE, HERE}, "link.displacement': 0.7", "link.displacement': -0.7"},
    {"cylindrical",
     AXIS,
     {HERE, HERE},
     "link.angle': 2, link.displacement': 0.7",
     "link.angle': -2, link.displacement': -0.7"},
    {"universal", AXIS, {HERE, HERE}, "link.angle1': 2, link.angle2': -1.3", NULL},
    {"spherical", AXIS, {HERE, HERE}, SPIN, SPIN},
    {"planar", AXIS, {HERE, HERE}, "link.x': 0.5, link.y': -0.4, link.angle': 1", NULL},
    {"screw", AXIS ", pitch: 0.3", {HERE, HERE}, "link.angle': 2", "link.angle': -2"},
    {"fixed", AXIS, {HERE, HERE}, "", ""},
    {"free", AXIS, {HERE, HERE}, SPIN ", block.x': 0.3, block.y': 0.5, block.z': 1", NULL},
    {"distance", "at: [" HERE ", " ABOVE "]", {HERE, ABOVE}, SPIN ", block.x': 0.3, block.y': 0.5", NULL},
    {"point-on-line", AXIS, {HERE, HERE}, SPIN ", link.displacement': 0.4", NULL},
    {"point-on-plane", AXIS, {HERE, HERE}, SPIN ", link.x': 0.5, link.y': -0.4", NULL},
    {"wheel", ROLLING ", axis: [0.2, 1, 0]", {HERE, ABOVE}, SPIN, NULL},
    {"skate", "at: " HERE ", axis: z, across: [1, 0.3, 0]", {HERE, HERE}, SPIN ", block.x': 0.3", NULL},
    {"sphere", ROLLING ", axis: z", {HERE, ABOVE}, SPIN, NULL},
};
enum { LINK_COUNT = sizeof LINKS / sizeof *LINKS };

/* ---- the model ------------------------------------------------------------------------------------------
 */

enum { PLATE, BLOCK, BODIES, HINGE = 0, LINK, JOINTS };
static const char *const BODY_NAME[BODIES] = {"plate", "block"}, *const JOINT_NAME[JOINTS] = {"hinge",
                                                                                              "link"};
static const double MASS[BODIES] = {3, 2}, GRAVITY[3] = {0.5, -1, -9.81};
static const double INERTIA[BODIES][6] = {{0.2, 0.25, 0.3, 0.02, 0.01, -0.03},
                                          {0.05, 0.08, 0.06, 0.01, -0.004, 0.006}};

/* Outputs of a body, of a joint, in this order. */
typedef struct body_row {
    double r[3], R[9], w[3], A[3], w_rate[3];
} body_row;
typedef struct joint_row {
    double p[3], F[3], T[3];
} joint_row;
typedef struct outputs {
    body_row body[BODIES];
    joint_row joint[JOINTS];
} outputs;
enum {
    BODY_OUTPUTS = BODIES * sizeof(body_row) / sizeof(double),
    ALL_OUTPUTS = sizeof(outputs) / sizeof(double)
};

static void add(char *text, size_t size, const char *format, ...) {
    va_list list;
    size_t used = strlen(text);
    va_start(list, format);
    int written = vsnprintf(text + used, size - used, format, list);
    va_end(list);
    assert_true(written >= 0 && (size_t)written < size - used);
}

/* Three outputs `before` x|y|z `after`. */
static void add_vector(char *text, size_t size, const char *part, const char *before, const char *after) {
    for (int k = 0; k < 3; k++)
        add(text, size, "  \"%s%s%c%s\": %s.%s%c%s\n", part, before, 'x' + k, *after ? "_rate" : "", part,
            before, 'x' + k, after);
}

static void add_outputs(char *text, size_t size, bool reversed) {
    add(text, size, "outputs:\n");
    for (int b = 0; b < BODIES; b++) {
        const char *body = BODY_NAME[b];
        add_vector(text, size, body, "", "");
        for (int k = 0; k < 9; k++)
            add(text, size, "  %sR%d%d: %s.R%d%d\n", body, k / 3 + 1, k % 3 + 1, body, k / 3 + 1, k % 3 + 1);
        add_vector(text, size, body, "spin.", "");
        add_vector(text, size, body, "", "''");
        add_vector(text, size, body, "spin.", "'");
    }
    for (int j = 0; j < JOINTS; j++) {
        const char *second = j == HINGE || reversed ? "plate" : "block";
        add_vector(text, size, second, j == HINGE ? "pin." : "eye.", "");
        add_vector(text, size, JOINT_NAME[j], "reaction.force.", "");
        add_vector(text, size, JOINT_NAME[j], "reaction.torque.", "");
    }
}

static void write_model(const link *l, bool reversed, char *text, size_t size) {
    *text = '\0';
    add(text, size, "keel: 1\ngravity: [%g, %g, %g]\nbodies:\n", GRAVITY[0], GRAVITY[1], GRAVITY[2]);
    for (int b = 0; b < BODIES; b++) {
        const double *I = INERTIA[b];
        add(text, size, "  %s: {mass: %g, centre: %s, inertia: [%g, %g, %g, %g, %g, %g], ", BODY_NAME[b],
            MASS[b], b == PLATE ? "[0.4, 0.1, 0.2]" : "[1.2, 0.5, -0.2]", I[0], I[1], I[2], I[3], I[4], I[5]);
        add(text, size, "points: {%seye: %s}}\n", b == PLATE ? "pin: [0, 0, 0], " : "", l->at[b]);
    }
    add(text, size, "joints:\n");
    add(text, size,
        "  hinge: {type: revolute, bodies: [ground, plate], at: [0, 0, 0], axis: [0.2, 0.3, 1]}\n");
    add(text, size, "  link: {type: %s, bodies: [%s], %s}\n", l->type,
        reversed ? "block, plate" : "plate, block", l->place);
    const char *start = reversed ? l->reverse : l->start;
    add(text, size, "start: {hinge.angle': 1.5%s%s}\n", *start ? ", " : "", start);
    add_outputs(text, size, reversed);
}

/* ---- Newton and Euler -----------------------------------------------------------------------------------
 */

static void add_cross(double s, const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++)
        c[k] += s * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
}

/* y = R I_0 R^T x */
static void turned_inertia(int body, const double R[9], const double x[3], double y[3]) {
    const double *I = INERTIA[body];
    const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    double local[3] = {0}, momentum[3] = {0};
    for (int i = 0; i < 9; i++)
        local[i % 3] += R[i] * x[i / 3];
    for (int i = 0; i < 9; i++)
        momentum[i / 3] += full[i] * local[i % 3];
    memset(y, 0, 3 * sizeof *y);
    for (int i = 0; i < 9; i++)
        y[i / 3] += R[i] * momentum[i % 3];
}

/* Force and torque that a body lacks, and the size of what was summed. */
static void lack(int b, const body_row *body, double force[3], double torque[3]) {
    double L[3];
    turned_inertia(b, body->R, body->w_rate, torque);
    turned_inertia(b, body->R, body->w, L);
    add_cross(1, body->w, L, torque);
    for (int k = 0; k < 3; k++)
        force[k] = MASS[b] * (body->A[k] - GRAVITY[k]);
}

static void subtract(const joint_row *joint, double sign, const body_row *body, double force[3],
                     double torque[3]) {
    double arm[3];
    for (int k = 0; k < 3; k++) {
        arm[k] = joint->p[k] - body->r[k];
        force[k] -= sign * joint->F[k];
        torque[k] -= sign * joint->T[k];
    }
    add_cross(-sign, arm, joint->F, torque);
}

/* Largest component of what is missing in the balance of both bodies. */
static double imbalance(const outputs *o, bool reversed) {
    double most = 0;
    for (int b = 0; b < BODIES; b++) {
        double force[3], torque[3];
        lack(b, &o->body[b], force, torque);
        if (b == PLATE)
            subtract(&o->joint[HINGE], 1, &o->body[b], force, torque);
        subtract(&o->joint[LINK], (b == BLOCK) != reversed ? 1 : -1, &o->body[b], force, torque);
        for (int k = 0; k < 3; k++)
            most = fmax(most, fmax(fabs(force[k]), fabs(torque[k])));
    }
    return most;
}

/* ---- runs -----------------------------------------------------------------------------------------------
 */

static history run(const link *l, const char *coordinates, bool reversed) {
    char text[8192];
    write_model(l, reversed, text, sizeof text);
    variant v = {.model = text, .coordinates = coordinates, .tolerance = 1e-12, .until = 0.5};
    history h;
    trial t = history_trial(&v, 0.125, &h);
    double most = 0;
    for (int i = 0; i < h.rows; i++) {
        outputs o;
        memcpy(&o, h.value[i], sizeof o);
        most = fmax(most, imbalance(&o, reversed));
    }
    print_message("%s, %s%s: balance %.1e, closure %.1e\n", l->type, coordinates,
                  reversed ? ", reversed" : "", most, t.result.position.max);
    assert_int_equal(h.outputs, ALL_OUTPUTS);
    assert_true(most <= 1e-10);
    assert_true(t.result.position.max <= 1e-12);
    trial_end(&t);
    return h;
}

/* Motion, accelerations and reactions. */
static void tree_and_cut_are_the_same(void **state) {
    (void)state;
    for (int i = 0; i < LINK_COUNT; i++) {
        history tree = run(&LINKS[i], "relative", false), cut = run(&LINKS[i], "absolute", false);
        double apart = history_difference(&tree, &cut, ALL_OUTPUTS);
        print_message("  tree and cut: %.1e apart\n", apart);
        assert_true(apart <= 1e-9);
    }
}

static void either_end_may_be_first(void **state) {
    (void)state;
    for (int i = 0; i < LINK_COUNT; i++) {
        if (!LINKS[i].reverse)
            continue;
        history forward = run(&LINKS[i], "relative", false);
        for (int c = 0; c < 2; c++) {
            history backward = run(&LINKS[i], c ? "absolute" : "relative", true);
            double apart = history_difference(&forward, &backward, BODY_OUTPUTS);
            print_message("  reversed: %.1e apart\n", apart);
            assert_true(apart <= 1e-9);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tree_and_cut_are_the_same),
                                       cmocka_unit_test(either_end_may_be_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
