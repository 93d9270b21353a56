/* Mechanisms in model files: what the sections, shapes, places and repeat blocks of a text come to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/mechanism.h"
#include "modelfile/mechanism.h"

typedef struct drawn {
    ki_arena arena;
    keel_diagnostics *list;
    keel_equations *equations;
    keel_mechanism *m;
    ki_loader loader;
} drawn;

static void open_text(drawn *d, const char *text) {
    ki_source source = {"test.yaml", text, strlen(text)};
    *d = (drawn){.list = keel_diagnostics_new(), .equations = keel_equations_new()};
    ki_arena_init(&d->arena);
    d->loader =
        (ki_loader){.arena = &d->arena, .kept = &d->arena, .diagnostics = d->list, .equations = d->equations};
    const ki_yaml *root = ki_yaml_read(&source, &d->arena, d->list, &d->loader.status);
    assert_non_null(root);
    ki_load_root(&d->loader, root);
    d->m = ki_read_mechanism(&d->loader);
    assert_non_null(d->m);
}

/* Reads a text without mistakes. */
static void read_text(drawn *d, const char *text) {
    open_text(d, text);
    for (int i = 0; i < keel_diagnostics_count(d->list); i++) {
        keel_diagnostic message = keel_diagnostics_get(d->list, i);
        print_message("%d:%d: %s\n", message.where.line, message.where.column, message.text);
    }
    assert_int_equal(d->loader.status, KEEL_OK);
}

static void close_text(drawn *d) {
    keel_mechanism_free(d->m);
    keel_equations_free(d->equations);
    keel_diagnostics_free(d->list);
    ki_arena_free(&d->arena);
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-13 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void assert_numbers(const double *values, const double *expected, int count) {
    for (int i = 0; i < count; i++)
        assert_near(values[i], expected[i]);
}

static const keel_body *body_of(const drawn *d, const char *name) {
    int number = keel_mechanism_find_body(d->m, name);
    assert_true(number > 0);
    return &d->m->body[number];
}

static void assert_body(const drawn *d, const char *name, double mass, const double centre[3],
                        const double inertia[6]) {
    const keel_body *body = body_of(d, name);
    assert_near(body->mass, mass);
    assert_numbers(body->centre, centre, 3);
    assert_numbers(body->inertia, inertia, 6);
}

/* Formulas of solid bodies as in any table of moments of inertia. */
static void shapes_have_their_inertia(void **state) {
    (void)state;
    static const double PI = 3.14159265358979323846;
    drawn d;
    read_text(&d, "keel: 1\n"
                  "bodies:\n"
                  "  rod: {shape: rod, from: [1, 0, 0], to: [1, 0, 4], mass: 3}\n"
                  "  bar: {shape: rod, from: [0, 0, 0], to: [2, 0, 0], radius: 0.1, density: 10}\n"
                  "  tube: {shape: cylinder, from: [0, 0, 0], to: [0, 2, 0], radius: 1, mass: 12}\n"
                  "  disc: {shape: cylinder, centre: [0, 0, 1], radius: 2, mass: 4}\n"
                  "  coin: {shape: cylinder, centre: [0, 0, 1], radius: 2, thickness: 0.5, density: 2, "
                  "axes: {z: x}}\n"
                  "  ball: {shape: sphere, centre: [1, 2, 3], radius: 2, mass: 5}\n"
                  "  box: {shape: box, centre: [0, 0, 0], size: [1, 2, 3], density: 2}\n"
                  "  turned: {shape: box, centre: [0, 0, 0], size: [1, 2, 3], mass: 12, "
                  "axes: {x: y, y: [-1, 0, 0]}}\n"
                  "  door: {shape: plate, centre: [0, 0, 0], size: [1, 2], mass: 12, axes: {z: y, x: z}}\n");
    assert_body(&d, "rod", 3, (const double[]){1, 0, 2}, (const double[]){4, 4, 0, 0, 0, 0});
    double m = 10 * PI * 0.01 * 2, across = m * (3 * 0.01 + 4) / 12;
    assert_body(&d, "bar", m, (const double[]){1, 0, 0},
                (const double[]){m * 0.01 / 2, across, across, 0, 0, 0});
    assert_body(&d, "tube", 12, (const double[]){0, 1, 0}, (const double[]){7, 6, 7, 0, 0, 0});
    assert_body(&d, "disc", 4, (const double[]){0, 0, 1}, (const double[]){4, 4, 8, 0, 0, 0});
    m = 2 * PI * 4 * 0.5, across = m * (3 * 4 + 0.25) / 12;
    assert_body(&d, "coin", m, (const double[]){0, 0, 1}, (const double[]){m * 2, across, across, 0, 0, 0});
    assert_body(&d, "ball", 5, (const double[]){1, 2, 3}, (const double[]){8, 8, 8, 0, 0, 0});
    assert_body(&d, "box", 12, (const double[]){0, 0, 0}, (const double[]){13, 10, 5, 0, 0, 0});
    assert_body(&d, "turned", 12, (const double[]){0, 0, 0}, (const double[]){10, 13, 5, 0, 0, 0});
    /* edge 1 along z, edge 2 along x, normal along y */
    assert_body(&d, "door", 12, (const double[]){0, 0, 0}, (const double[]){1, 5, 4, 0, 0, 0});
    close_text(&d);
}

static void shapes_in_the_plane_turn_about_z(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\nplanar: true\n"
                  "bodies:\n"
                  "  rod: {shape: rod, from: [0, 0], to: [3, 4], mass: 12}\n"
                  "  box: {shape: box, centre: [1, 2], size: [3, 4], mass: 12}\n"
                  "  wheel: {shape: cylinder, centre: [1, 2], radius: 2, mass: 3}\n"
                  "  plain: {mass: 2, centre: [1, 1], inertia: 7}\n"
                  "  link: {points: {a: [0, 0], b: [2, 0]}}\n");
    assert_near(body_of(&d, "rod")->inertia[2], 25);
    assert_near(body_of(&d, "box")->inertia[2], 25);
    assert_near(body_of(&d, "wheel")->inertia[2], 6);
    assert_near(body_of(&d, "plain")->inertia[2], 7);
    assert_near(body_of(&d, "link")->mass, 0);
    assert_numbers(body_of(&d, "link")->centre, (const double[]){1, 0, 0}, 3); /* middle of its points */
    close_text(&d);
}

/* Two halves of a body are the body; a point mass is Steiner's term alone. */
static void parts_are_added_up(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\n"
                  "bodies:\n"
                  "  whole: {shape: box, centre: [1, 1, 1], size: [2, 4, 6], mass: 8}\n"
                  "  halves:\n"
                  "    parts:\n"
                  "      - {shape: box, centre: [0.5, 1, 1], size: [1, 4, 6], mass: 4}\n"
                  "      - {shape: box, centre: [1.5, 1, 1], size: [1, 4, 6], mass: 4}\n"
                  "  dumbbell: {parts: [{mass: 1, at: [1, 1, 0]}, {mass: 1, at: [-1, -1, 0]}]}\n");
    const keel_body *whole = body_of(&d, "whole");
    assert_body(&d, "halves", 8, whole->centre, whole->inertia);
    /* I = sum m (r.r 1 - r r^T): xx = 2, yy = 2, zz = 4, xy = -2 */
    assert_body(&d, "dumbbell", 2, (const double[]){0, 0, 0}, (const double[]){2, 2, 4, -2, 0, 0});
    close_text(&d);
}

static void inertia_turns_with_its_axes(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\n"
                  "bodies:\n"
                  "  a: {mass: 1, centre: [0, 0, 0], inertia: [2, 3, 4, 0.1, 0.2, 0.3]}\n"
                  "  b: {mass: 1, centre: [0, 0, 0], inertia: [1, 2, 2], "
                  "axes: {x: [1, 1, 0], y: [-1, 1, 0]}}\n"
                  "  c: {mass: 1, centre: [0, 0, 0], inertia: [2, 2, 2], "
                  "axes: {x: [0.435874, -0.630391, -0.642356], y: [-0.810007, -0.585873, 0.025324]}}\n");
    assert_numbers(body_of(&d, "a")->inertia, (const double[]){2, 3, 4, 0.1, 0.2, 0.3}, 6);
    /* 2 - n n^T with n = (1, 1, 0)/sqrt(2) */
    assert_numbers(body_of(&d, "b")->inertia, (const double[]){1.5, 1.5, 2, -0.5, 0, 0}, 6);
    /* six digits: they are squared up */
    assert_numbers(body_of(&d, "c")->inertia, (const double[]){2, 2, 2, 0, 0, 0}, 6);
    close_text(&d);
}

static void joints_find_their_places(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\nplanar: true\n"
                  "parameters: {a: 3, b: 4}\n"
                  "joints:\n" /* before what they name */
                  "  A: {type: revolute, bodies: [ground, rod]}\n"
                  "  tip: {type: revolute, bodies: [rod, bar]}\n"
                  "  open: {type: revolute, bodies: [ground, bar], at: [B, [2.5, 0]]}\n"
                  "  numbers: {type: revolute, bodies: [ground, bar], at: [a, b]}\n"
                  "  named: {type: revolute, bodies: [ground, rod], at: rod.tip}\n"
                  "  both: {type: revolute, bodies: [rod, bar], at: tip}\n"
                  "  slide: {type: prismatic, bodies: [rod, bar], at: B, axis: [[1, 0], [0, 2]], "
                  "reading: 0.5, friction: {viscous: 3}}\n"
                  "points: {A: [0, 0], B: [2, 0]}\n"
                  "bodies:\n"
                  "  rod: {shape: rod, from: A, to: tip, mass: 1, points: {tip: [1, 0]}}\n"
                  "  bar: {shape: rod, from: tip, to: B, mass: 1, points: {tip: [1.1, 0.1]}}\n");
    const struct {
        const char *name;
        double at[4];
    } EXPECTED[] = {{"A", {0, 0, 0, 0}},       {"tip", {1, 0, 1.1, 0.1}}, {"open", {2, 0, 2.5, 0}},
                    {"numbers", {3, 4, 3, 4}}, {"named", {1, 0, 1, 0}},   {"both", {1, 0, 1.1, 0.1}}};
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        int number = keel_mechanism_find_joint(d.m, EXPECTED[i].name);
        assert_true(number >= 0);
        const keel_joint *joint = &d.m->joint[number];
        assert_numbers(joint->at[0], EXPECTED[i].at, 2);
        assert_numbers(joint->at[1], EXPECTED[i].at + 2, 2);
        assert_int_equal(joint->where.line, 5 + (int)i);
    }
    const keel_joint *slide = &d.m->joint[keel_mechanism_find_joint(d.m, "slide")];
    assert_true(slide->axis[0][0] == 1 && slide->axis[1][1] == 2 && slide->reading[0] == 0.5);
    assert_true(slide->friction.viscous == 3 && slide->friction.slip > 0);
    close_text(&d);
}

static void couplings_come_after_their_joints(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\nplanar: true\n"
                  "joints:\n"
                  "  mesh: {type: gear, joints: [q, p], ratio: -2}\n"
                  "  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                  "  q: {type: revolute, bodies: [ground, b], at: [1, 0]}\n"
                  "bodies:\n"
                  "  a: {mass: 1, centre: [0, 0], inertia: 1}\n"
                  "  b: {mass: 1, centre: [1, 0], inertia: 1}\n");
    const keel_joint *mesh = &d.m->joint[keel_mechanism_find_joint(d.m, "mesh")];
    assert_int_equal(mesh->joint[0], keel_mechanism_find_joint(d.m, "q"));
    assert_int_equal(mesh->joint[1], keel_mechanism_find_joint(d.m, "p"));
    assert_true(mesh->ratio == -2);
    close_text(&d);
}

static void repeat_blocks_are_expanded(void **state) {
    (void)state;
    drawn d;
    read_text(&d,
              "keel: 1\nplanar: true\n"
              "parameters: {N: 3, L: 2}\n"
              "gravity: 9.81\n"
              "points: {P[0]: [0, 0]}\n"
              "repeat:\n"
              "  - for: {i: 1..N}\n"
              "    joints: {pin[i]: {type: revolute, bodies: [bar[i], \"bar[i+1]\"], at: \"P[i]\"}}\n"
              "    forces:\n"
              "      pull[i]: {type: force, body: bar[i], at: \"P[i]\", vector: [i*sin(t), pin[i].angle]}\n"
              "    start: {\"pin[i].angle'\": i^2}\n"
              "    motions: {}\n"
              "    outputs: {\"y[i]\": i*P[i].y}\n"
              "  - for: {i: 1..N+1}\n"
              "    points: {P[i]: [i*L, 0]}\n"
              "    bodies: {\"bar[i]\": {shape: rod, from: \"P[i-1]\", to: \"P[i]\", mass: i}}\n"
              "  - for: {i: 1..2, j: 1..i}\n"
              "    bodies: {\"dot[i,j]\": {mass: 1, centre: [i, j]}}\n"
              "outputs: {repeat: {for: {k: 1..2}, \"z[k]\": k}}\n");
    assert_int_equal(d.m->body_count, 1 + 4 + 3);
    assert_int_equal(d.m->joint_count, 3);
    assert_near(body_of(&d, "bar[4]")->centre[0], 7);
    assert_near(body_of(&d, "bar[4]")->mass, 4);
    assert_near(body_of(&d, "dot[2,1]")->centre[0], 2);
    const keel_joint *pin = &d.m->joint[keel_mechanism_find_joint(d.m, "pin[3]")];
    assert_int_equal(pin->body[1], keel_mechanism_find_body(d.m, "bar[4]"));
    assert_near(pin->at[0][0], 6);
    assert_string_equal(d.m->force[1].name, "pull[2]");
    assert_string_equal(d.m->force[1].component[1].text, "pin[i].angle");
    assert_int_equal(d.m->force[1].component[1].local_count, 1);
    assert_string_equal(d.m->force[1].component[1].local_name[0], "i");
    assert_true(d.m->force[1].component[1].local_value[0] == 2);
    assert_int_equal(d.m->start_count, 3);
    assert_string_equal(d.m->start[2].name, "pin[3].angle'");
    assert_true(d.m->start[2].value == 9);
    assert_int_equal(d.m->output_count, 5);
    assert_numbers(d.m->gravity, (const double[]){0, -9.81, 0}, 3);
    close_text(&d);
}

static void forces_are_read(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\n"
                  "coordinates: absolute\n"
                  "gravity: [0, 1, 2]\n"
                  "points: {C: [0, 0, 5]}\n"
                  "bodies:\n"
                  "  a: {mass: 1, centre: [1, 0, 0], inertia: [1, 1, 1], points: {tip: [2, 0, 0]}}\n"
                  "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}}\n"
                  "forces:\n"
                  "  s: {type: spring, between: [ground.C, tip], stiffness: 3, damping: 4}\n"
                  "  l: {type: spring, bodies: [ground, a], at: [C, a.tip], law: 3*length - rate}\n"
                  "  c: {type: torsion, joint: j.angle, stiffness: 2, free: 0.5}\n"
                  "  f: {type: force, body: a, at: tip, vector: [1, t, 0], axes: body}\n"
                  "  g: {type: force, body: a, vector: [1, t, 0]}\n"
                  "  m: {type: torque, body: a, vector: [0, 0, t]}\n"
                  "  n: {type: torque, joint: j, value: -j.angle}\n"
                  "  b: {type: bushing, bodies: [ground, a], at: tip, stiffness: [1, 2, 3, 4, 5, 6]}\n"
                  "motions: {drive: {of: j.angle, value: sin(t)}, run: {of: tip.x, speed: 2}}\n"
                  "start: {j.angle: 0.1, a.spin.x: 2}\n");
    const keel_force *f = d.m->force;
    assert_int_equal(d.m->force_count, 8);
    assert_int_equal(d.m->coordinates, KEEL_COORDINATES_ABSOLUTE);
    assert_numbers(d.m->gravity, (const double[]){0, 1, 2}, 3);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f[i].body[0], KEEL_GROUND);
        assert_int_equal(f[i].body[1], 1);
        assert_numbers(f[i].at[0], (const double[]){0, 0, 5, 2, 0, 0}, 6);
    }
    assert_true(f[0].stiffness == 3 && f[0].damping == 4 && isnan(f[0].free));
    assert_string_equal(f[1].law.text, "3*length - rate");
    assert_string_equal(f[2].joint, "j.angle");
    assert_true(f[2].stiffness == 2 && f[2].free == 0.5);
    assert_int_equal(f[3].kind, KEEL_FORCE_PUSH);
    assert_true(f[3].in_body_axes && !f[4].in_body_axes);
    assert_numbers(f[3].at[1], (const double[]){2, 0, 0}, 3);
    assert_numbers(f[4].at[1], (const double[]){1, 0, 0}, 3); /* the centre of mass */
    assert_string_equal(f[5].component[2].text, "t");
    assert_string_equal(f[6].joint, "j");
    assert_true(f[7].K[0] == 1 && f[7].K[7] == 2 && f[7].K[35] == 6 && f[7].K[1] == 0);
    assert_string_equal(d.m->motion[0].law.text, "sin(t)");
    assert_true(d.m->motion[1].speed == 2 && !d.m->motion[1].law.text);
    assert_string_equal(d.m->start[1].name, "a.spin.x");
    close_text(&d);
}

static void a_planar_bushing_has_three_directions(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\nplanar: true\n"
                  "bodies: {a: {mass: 1, centre: [1, 0], inertia: 1}}\n"
                  "forces:\n"
                  "  d: {type: bushing, bodies: [ground, a], at: [0, 0], damping: [1, 2, 3]}\n"
                  "  k: {type: bushing, bodies: [ground, a], at: [0, 0], stiffness: "
                  "[[1, 2, 3], [2, 4, 5], [3, 5, 6]]}\n"
                  "  t: {type: torque, body: a, value: 3*t}\n");
    const double *C = d.m->force[0].C, *K = d.m->force[1].K;
    assert_true(C[0] == 1 && C[7] == 2 && C[35] == 3 && C[14] == 0);
    assert_true(K[1] == 2 && K[5] == 3 && K[6 + 5] == 5 && K[30] == 3 && K[31] == 5 && K[35] == 6);
    assert_string_equal(d.m->force[2].component[2].text, "3*t");
    close_text(&d);
}

/* A problem in a pass of a repeat block is said once, not once in each pass. */
static void problems_of_passes_are_said_once(void **state) {
    (void)state;
    drawn d;
    open_text(&d, "keel: 1\nplanar: true\n"
                  "repeat: {for: {i: 1..50}, bodies: {\"bar[i]\": {mass: m, centre: [i, 0]}}}\n");
    assert_int_equal(d.loader.status, KEEL_ERROR_INPUT);
    assert_int_equal(keel_diagnostics_errors(d.list), 1);
    close_text(&d);
}

static keel_model *parse(const char *text, const keel_assignment *set, int count) {
    keel_diagnostics *list = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_parse("test.yaml", text, strlen(text), set, count, list, &status);
    for (int i = 0; i < keel_diagnostics_count(list); i++)
        print_message("%s\n", keel_diagnostics_get(list, i).text);
    keel_diagnostics_free(list);
    return model;
}

/* Components that do not exist in the plane may be written as long as they are zero. */
static void zeros_out_of_the_plane_are_read(void **state) {
    (void)state;
    drawn d;
    read_text(&d, "keel: 1\nplanar: true\n"
                  "parameters: {none: 0}\n"
                  "gravity: [0, -9.81, 0]\n"
                  "bodies: {rod: {shape: rod, from: [0, 0], to: [1, 0], mass: 1}}\n"
                  "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}\n"
                  "forces:\n"
                  "  wind: {type: force, body: rod, vector: [t, 0, 2*none]}\n"
                  "  motor: {type: torque, body: rod, vector: [0, none, rod.x]}\n");
    assert_int_equal(d.m->force_count, 2);
    assert_true(d.m->gravity[1] == -9.81);
    close_text(&d);
}

/* Passes of nested blocks and of blocks of outputs are counted before anything is made. */
static void passes_are_counted_first(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "repeat:\n  - {for: {i: 1..999999}, points: {P[i]: [i, 0]}}\n  - {for: {j: 1..2}, start: {}}\n",
        "repeat: {for: {i: 1..1000}, points: {P[i]: [i, 0]}, repeat: {for: {j: 1..1000}, bodies: {}}}\n",
        "points: {Q: [0, 0]}\noutputs: {repeat: {for: {i: 1..1000, j: 1..1000}, a[i,j]: i}}\n"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        drawn d;
        char text[300];
        snprintf(text, sizeof text, "keel: 1\nplanar: true\n%s", TEXTS[i]);
        open_text(&d, text);
        assert_int_equal(keel_diagnostics_count(d.list), 1);
        assert_non_null(strstr(keel_diagnostics_get(d.list, 0).text, "more than 250000 times"));
        assert_int_equal(d.m->drawing->point_count, 0);
        close_text(&d);
    }
}

/* A pendulum drawn at an angle of its own parameter; the file's name outlives the text it was read from. */
static void a_file_becomes_a_system(void **state) {
    (void)state;
    static const char TEXT[] = "keel: 1\nname: pendulum\nplanar: true\n"
                               "parameters: {L: 1}\n"
                               "bodies: {bob: {mass: 2, centre: [L, 0]}}\n"
                               "joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}}\n"
                               "outputs: {x: bob.x}\n"
                               "simulate: {until: L, start: 2}\n";
    const keel_assignment set[] = {{"L", "2.5"}};
    keel_model *model = parse(TEXT, set, 1);
    keel_mechanism_facts facts;
    assert_non_null(model);
    assert_true(model->is_mechanism && model->velocities_given && model->assembly);
    assert_true(model->settings.until == 2.5 && model->start->t == 2);
    assert_int_equal(keel_mechanism_look(model->system, &facts), 1);
    assert_true(facts.planar && facts.bodies == 1 && facts.joints == 1);
    assert_string_equal(keel_mechanism_joint_name(model->system, 0), "pin");
    keel_location where = keel_mechanism_joint_where(model->system, 0);
    assert_string_equal(where.file, "test.yaml");
    assert_int_equal(where.line, 6);
    assert_int_equal(where.column, 10);
    keel_model_free(model);

    model = parse("keel: 1\nequations: {coordinates: {x: 1}, kinetic: \"x'^2/2\"}\n", NULL, 0);
    assert_non_null(model);
    assert_true(!model->is_mechanism && !model->assembly);
    keel_model_free(model);
}

/* One number for lengths and angles, one for each, nothing; 0 is to round-off. */
static void precision_is_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double length, angle;
    } CASES[] = {
        {"", KEEL_PRECISION, KEEL_PRECISION},
        {"precision: 0\n", 0, 0},
        {"precision: 1e-4\n", 1e-4, 1e-4},
        {"precision: {length: 2*eps, angle: 3e-5}\n", 2e-7, 3e-5},
        {"precision: {angle: 0}\n", KEEL_PRECISION, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[300];
        drawn d;
        snprintf(text, sizeof text,
                 "keel: 1\nparameters: {eps: 1e-7}\nbodies: {a: {mass: 1, centre: [0, 0, 0]}}\n%s",
                 CASES[i].text);
        read_text(&d, text);
        assert_near(d.m->precision_length, CASES[i].length);
        assert_near(d.m->precision_angle, CASES[i].angle);
        close_text(&d);
    }
}

static void wrong_precision_is_told(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        int column;
    } CASES[] = {
        {"precision: 6",
         "'precision' must be between 0 (to round-off) and 0.001, not 6: it tells how well the drawing is "
         "known, "
         "relative to the extent of the mechanism; for 6 digits write 1e-6",
         12},
        {"precision: -1e-6",
         "'precision' must be between 0 (to round-off) and 0.001, not -1e-06: it tells how well the drawing "
         "is "
         "known, relative to the extent of the mechanism",
         12},
        {"precision: {angle: 0.1}",
         "'angle' must be between 0 (to round-off) and 0.001, not 0.1: it tells how well directions are "
         "known, in "
         "radians",
         20},
        {"precision: {lenght: 1e-5}", "unknown key 'lenght' in 'precision': did you mean 'length'?", 13},
        {"precision: [1e-6, 1e-6]",
         "'precision' must be a number or a map {length: 1e-6, angle: 1e-6}, not a list", 12},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[300];
        drawn d;
        snprintf(text, sizeof text, "keel: 1\n%s\nbodies: {a: {mass: 1, centre: [0, 0, 0]}}\n",
                 CASES[i].text);
        open_text(&d, text);
        assert_int_equal(keel_diagnostics_count(d.list), 1);
        keel_diagnostic told = keel_diagnostics_get(d.list, 0);
        assert_string_equal(told.text, CASES[i].message);
        assert_int_equal(told.where.line, 2);
        assert_int_equal(told.where.column, CASES[i].column);
        close_text(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_their_inertia),
        cmocka_unit_test(shapes_in_the_plane_turn_about_z),
        cmocka_unit_test(parts_are_added_up),
        cmocka_unit_test(inertia_turns_with_its_axes),
        cmocka_unit_test(joints_find_their_places),
        cmocka_unit_test(couplings_come_after_their_joints),
        cmocka_unit_test(repeat_blocks_are_expanded),
        cmocka_unit_test(forces_are_read),
        cmocka_unit_test(a_planar_bushing_has_three_directions),
        cmocka_unit_test(problems_of_passes_are_said_once),
        cmocka_unit_test(zeros_out_of_the_plane_are_read),
        cmocka_unit_test(passes_are_counted_first),
        cmocka_unit_test(a_file_becomes_a_system),
        cmocka_unit_test(precision_is_read),
        cmocka_unit_test(wrong_precision_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
