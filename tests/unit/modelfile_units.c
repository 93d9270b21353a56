/* Units of models: those of mechanisms follow from their quantities, `units` tells the others. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/equations.h"
#include "keel/modelfile.h"

static keel_model *parse(const char *text, keel_diagnostics *messages) {
    keel_status status;
    return keel_model_parse("m.yaml", text, strlen(text), NULL, 0, messages, &status);
}

static void assert_unit(const keel_model *model, keel_unit_of of, int i, const char *unit) {
    char buffer[KEEL_UNIT];
    assert_string_equal(keel_system_unit(model->system, of, i, buffer), unit);
}

/* A slider on a crank: a driven angle, a spring, a rack; all coordinates in the tree but one joint. */
static const char MECHANISM[] =
    "keel: 1\n"
    "planar: true\n"
    "gravity: 9.81\n"
    "parameters: {k: 1, one: 1}\n"
    "points: {wall: [3, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, centre: [0.5, 0], inertia: 0.1}\n"
    "  rod: {mass: 1, centre: [1.5, 0], inertia: 0.1}\n"
    "  block: {mass: 1, centre: [2, 0], inertia: 0.1, points: {eye: [2.1, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  A: {type: revolute, bodies: [crank, rod], at: [1, 0]}\n"
    "  B: {type: revolute, bodies: [rod, block], at: [2, 0]}\n"
    "  rail: {type: prismatic, bodies: [ground, block], at: [2, 0], axis: [1, 0]}\n"
    "forces:\n"
    "  pull: {type: spring, between: [ground.wall, eye], stiffness: 10, free: 1}\n"
    "motions: {turn: {of: O.angle, speed: 3}}\n"
    "outputs:\n"
    "  angle: O.angle\n"
    "  rate: O.angle'\n"
    "  acceleration: block.x''\n"
    "  place: rail.displacement\n"
    "  matrix: rod.R11\n"
    "  length: pull.length\n"
    "  force: pull.force\n"
    "  drive: turn.torque\n"
    "  pin: A.reaction.force.x\n"
    "  bend: rail.reaction.torque\n"
    "  power: turn.torque*O.angle'\n"
    "  distance: hypot(block.x - crank.x, block.y)\n"
    "  scaled: k*block.x\n"
    "  same: one*block.x\n"
    "  millimetres: 1000*block.x\n";

static void mechanisms_are_si(void **state) {
    (void)state;
    static const char *const OUTPUT[] = {"rad", "rad/s", "m/s^2", "m", "1", "m", "N", "N m",
                                         "N",   "N m",   "W",     "m", "",  "",  ""};
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *model = parse(MECHANISM, messages);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        print_message("%s\n", keel_diagnostics_get(messages, i).text);
    assert_non_null(model);
    for (int i = 0; i < model->system->n_outputs; i++)
        assert_unit(model, KEEL_UNIT_OUTPUT, i, OUTPUT[i]);
    for (int i = 0; i < model->system->n_q; i++) {
        bool angle = strstr(model->system->names.q[i], "angle") != NULL;
        assert_unit(model, KEEL_UNIT_Q, i, angle ? "rad" : "m");
        assert_unit(model, KEEL_UNIT_V, i, angle ? "rad/s" : "m/s");
    }
    for (int i = 0; i < keel_system_m(model->system); i++) {
        const char *name = model->system->names.constraint[i];
        bool angle = strcmp(name, "turn") == 0 || strcmp(name, "rail.turn") == 0;
        assert_unit(model, KEEL_UNIT_CONSTRAINT, i, angle ? "rad" : "m");
        assert_unit(model, KEEL_UNIT_MULTIPLIER, i, angle ? "N m" : "N");
    }
    assert_unit(model, KEEL_UNIT_ENERGY, 0, "J");
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

/* In absolute coordinates a condition on directions or angles does not see where bodies are: its row of J has
 * nothing in the columns of translations. All others are lengths, or velocities. */
static int check_rows(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 100, file)] = 0;
    fclose(file);
    if (strstr(text, "\ncoordinates:") || strstr(text, "\nequations:"))
        return 0;
    keel_model *model = parse(strcat(text, "\ncoordinates: absolute\n"), NULL);
    assert_non_null(model);
    const keel_system *sys = model->system;
    double *J = calloc((size_t)keel_pattern_count(sys->J) + 1, sizeof *J);
    void *work;
    assert_int_equal(sys->work_new(sys, &work), KEEL_OK);
    keel_terms terms = {.J = J};
    keel_point at = {.t = model->start->t, .q = model->start->q, .v = model->start->v};
    assert_int_equal(sys->evaluate(sys, work, KEEL_JACOBIAN, &at, &terms), KEEL_OK);
    for (int i = 0; i < keel_system_m(sys); i++) {
        char buffer[KEEL_UNIT];
        bool moves = false;
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++)
            moves |=
                J[k] != 0 && strcmp(keel_system_unit(sys, KEEL_UNIT_V, sys->J.index[k], buffer), "m/s") == 0;
        const char *unit = i < sys->n_h ? (moves ? "m" : "rad") : moves ? "m/s" : "rad/s";
        if (strcmp(keel_system_unit(sys, KEEL_UNIT_CONSTRAINT, i, buffer), unit) != 0)
            fail_msg("%s: row %s has the unit %s", path, sys->names.constraint[i],
                     keel_system_unit(sys, KEEL_UNIT_CONSTRAINT, i, buffer));
    }
    sys->work_free(work);
    free(J);
    keel_model_free(model);
    return 1;
}

static void rows_of_all_models(void **state) {
    (void)state;
    int count = 0;
    DIR *models = opendir(KEEL_SOURCE_DIR "/models");
    assert_non_null(models);
    for (struct dirent *entry; (entry = readdir(models));) {
        char path[600];
        snprintf(path, sizeof path, "%s/models/%.200s", KEEL_SOURCE_DIR, entry->d_name);
        if (strstr(entry->d_name, ".yaml"))
            count += check_rows(path);
    }
    closedir(models);
    assert_true(count > 10);
}

static void assert_all_known(const keel_model *model, const char *path) {
    const keel_system *sys = model->system;
    const struct {
        keel_unit_of of;
        int count;
    } PARTS[] = {{KEEL_UNIT_ENERGY, sys->has_energy},
                 {KEEL_UNIT_LENGTH, keel_equations_drawing(sys).point_count > 0},
                 {KEEL_UNIT_Q, sys->n_q},
                 {KEEL_UNIT_V, sys->n_v},
                 {KEEL_UNIT_Z, sys->n_z},
                 {KEEL_UNIT_S, sys->n_s},
                 {KEEL_UNIT_CONSTRAINT, keel_system_m(sys)},
                 {KEEL_UNIT_OUTPUT, sys->n_outputs}};
    for (size_t k = 0; k < sizeof PARTS / sizeof *PARTS; k++)
        for (int i = 0; i < PARTS[k].count; i++) {
            char buffer[KEEL_UNIT];
            if (!keel_system_unit(sys, PARTS[k].of, i, buffer)[0])
                fail_msg("%s: no unit of number %d of kind %d", path, i, (int)PARTS[k].of);
        }
}

/* Shipped models tell the units of all that they show; the source of one has none. */
static void shipped_models_have_units(void **state) {
    (void)state;
    int count = 0;
    DIR *models = opendir(KEEL_SOURCE_DIR "/models");
    assert_non_null(models);
    for (struct dirent *entry; (entry = readdir(models));) {
        char path[600];
        keel_status status;
        if (!strstr(entry->d_name, ".yaml") || strcmp(entry->d_name, "slider_crank.yaml") == 0)
            continue;
        snprintf(path, sizeof path, "%s/models/%.200s", KEEL_SOURCE_DIR, entry->d_name);
        keel_model *model = keel_model_read(path, NULL, 0, NULL, &status);
        assert_non_null(model);
        assert_all_known(model, entry->d_name);
        keel_model_free(model);
        count++;
    }
    closedir(models);
    assert_true(count > 50);
}

/* The section wins over what follows, in mechanisms too. */
static void told_units_win(void **state) {
    (void)state;
    char text[sizeof MECHANISM + 80];
    snprintf(text, sizeof text, "%sunits: {millimetres: mm, angle: turns, lambda.turn: J}\n", MECHANISM);
    keel_model *model = parse(text, NULL);
    assert_non_null(model);
    assert_unit(model, KEEL_UNIT_OUTPUT, 14, "mm");
    assert_unit(model, KEEL_UNIT_OUTPUT, 0, "turns");
    assert_unit(model, KEEL_UNIT_OUTPUT, 1, "rad/s");
    for (int i = 0; i < keel_system_m(model->system); i++)
        if (strcmp(model->system->names.constraint[i], "turn") == 0)
            assert_unit(model, KEEL_UNIT_MULTIPLIER, i, "J");
    keel_model_free(model);
}

#define EQUATIONS                                                                                            \
    "keel: 1\n"                                                                                              \
    "equations:\n"                                                                                           \
    "  repeat: {for: {i: 1..2}, coordinates: {'x[i]': i}}\n"                                                 \
    "  coordinates: {y: 0}\n"                                                                                \
    "  kinetic: (x[1]'^2 + x[2]'^2 + y'^2)/2\n"                                                              \
    "  holonomic: {rod: x[1]^2 + y^2 - 1, pull: x[2] - x[1] - 1}\n"                                          \
    "outputs: {pull: 2*lambda.rod}\n"

static void equations_tell_them(void **state) {
    (void)state;
    keel_model *model = parse(EQUATIONS, NULL);
    assert_non_null(model);
    assert_unit(model, KEEL_UNIT_TIME, 0, "s");
    assert_unit(model, KEEL_UNIT_Q, 0, "");
    assert_unit(model, KEEL_UNIT_V, 0, "");
    keel_model_free(model);

    /* x means all x[i]; an output is meant rather than a constraint that is called alike */
    model = parse(EQUATIONS "units: {x: m, \"y'\": cm/ms, rod: m^2, pull: N, energy: J, time: ms}\n", NULL);
    assert_non_null(model);
    int y = strcmp(model->system->names.q[0], "y") == 0 ? 0 : 2, x = y ? 0 : 1;
    assert_unit(model, KEEL_UNIT_TIME, 0, "ms");
    assert_unit(model, KEEL_UNIT_Q, x, "m");
    assert_unit(model, KEEL_UNIT_Q, x + 1, "m");
    assert_unit(model, KEEL_UNIT_V, x + 1, "m/ms");
    assert_unit(model, KEEL_UNIT_Q, y, "");
    assert_unit(model, KEEL_UNIT_V, y, "cm/ms");
    assert_unit(model, KEEL_UNIT_V_RATE, y, "cm/ms^2");
    assert_unit(model, KEEL_UNIT_MULTIPLIER, 0, "J/m^2");
    assert_unit(model, KEEL_UNIT_CONSTRAINT, 1, "");
    assert_unit(model, KEEL_UNIT_OUTPUT, 0, "N");
    keel_model_free(model);
}

/* `draw` is the length of the picture, where there is one. */
static void pictures_have_a_length(void **state) {
    (void)state;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *model = parse(EQUATIONS "draw: {points: {P: [y, 0]}}\nunits: {draw: ft}\n", NULL);
    assert_non_null(model);
    assert_unit(model, KEEL_UNIT_LENGTH, 0, "ft");
    keel_model_free(model);
    assert_null(parse(EQUATIONS "units: {draw: ft}\n", messages));
    assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "unknown name 'draw' in 'units'"));
    keel_diagnostics_free(messages);
}

static void wrong_names(void **state) {
    (void)state;
    static const struct {
        const char *units, *message;
        int column;
    } CASES[] = {
        {"units: {pul: N}\n", "unknown name 'pul' in 'units': did you mean 'pull'?", 9},
        {"units: {lambda.rot: N}\n", "unknown name 'lambda.rot' in 'units': did you mean 'lambda.rod'?", 9},
        {"units: {temperature: K}\n",
         "unknown name 'temperature' in 'units': it has the columns of results, such as time, energy, ", 9},
        {"units: {y: }\n", "the unit of 'y' is missing", 9},
        {"units: {y: a_unit_that_is_much_too_long_to_be_one}\n", "the unit of 'y' must be a word such as m/s",
         12},
        {"units: [m]\n", "'units' must be a map (name: unit), not a list", 8},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[600];
        keel_diagnostics *messages = keel_diagnostics_new();
        snprintf(text, sizeof text, "%s%s", EQUATIONS, CASES[i].units);
        assert_null(parse(text, messages));
        keel_diagnostic first = keel_diagnostics_get(messages, 0);
        assert_memory_equal(first.text, CASES[i].message, strlen(CASES[i].message));
        assert_int_equal(first.where.line, 8);
        assert_int_equal(first.where.column, CASES[i].column);
        keel_diagnostics_free(messages);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_are_si),
        cmocka_unit_test(rows_of_all_models),
        cmocka_unit_test(told_units_win),
        cmocka_unit_test(equations_tell_them),
        cmocka_unit_test(wrong_names),
        cmocka_unit_test(shipped_models_have_units),
        cmocka_unit_test(pictures_have_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
