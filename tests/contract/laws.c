/* Laws of joints and forces as generated C: over complex numbers against the exact derivatives of their
 * formulas by every constant, coordinate and state; over four doubles at a time against one at a time. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef I /* a name of inertia */
#include "base/rotation.h"
#include "base/sine.h"
#include "laws/function.h"

/* ---- one double -----------------------------------------------------------------------------------------
 */

#define REAL               double
#define KI_LAW(x)          one_##x
#define KI_LAW_NUMBER(a)   (a)
#define KI_LAW_MAX(a, b)   ((b) > (a) || (b) != (b) ? (b) : (a))
#define KI_LAW_IF(a, b, c) ((a) != 0 ? (b) : (c))
#define KI_LAW_LT(a, b)    ((a) < (b))
#include "law_numbers/functions.h"
#undef REAL
#undef KI_LAW
#undef KI_LAW_NUMBER
#undef KI_LAW_MAX
#undef KI_LAW_IF
#undef KI_LAW_LT

/* ---- complex numbers: f(x + i h) = f(x) + i h f'(x), exactly for small h ----------------------------------
 */

static double complex turn_of(double complex y, double complex x) {
    double a = creal(y), b = creal(x);
    return atan2(a, b) + _Complex_I * (b * cimag(y) - a * cimag(x)) / (a * a + b * b);
}

#define REAL                    double complex
#define KI_LAW(x)               complex_##x
#define KI_LAW_NUMBER(a)        (a)
#define KI_LAW_MAX(a, b)        (creal(b) > creal(a) ? (b) : (a))
#define KI_LAW_IF(a, b, c)      (creal(a) != 0 ? (b) : (c))
#define KI_LAW_LT(a, b)         (creal(a) < creal(b))
#define tan(a)                  ctan(a)
#define sqrt(a)                 csqrt(a)
#define atan2(a, b)             turn_of(a, b)
#define ki_sine(a)              csin(a)
#define ki_cosine(a)            ccos(a)
#define ki_sine_cosine(a, s, c) (*(s) = csin(a), *(c) = ccos(a))
#include "law_numbers/functions.h"
#undef REAL
#undef KI_LAW
#undef KI_LAW_NUMBER
#undef KI_LAW_MAX
#undef KI_LAW_IF
#undef KI_LAW_LT
#undef sqrt
#undef atan2
#undef ki_sine
#undef ki_cosine
#undef ki_sine_cosine
#undef tan

/* ---- four doubles ----------------------------------------------------------------------------------------
 */

#include "laws/four.h"
#define KI_LAW(x) four_##x
#include "law_numbers/functions.h"
#undef sqrt
#undef atan2
#undef tan

enum { FUNCTIONS = sizeof one_functions / sizeof *one_functions };

/* ---- the functions by name
 * --------------------------------------------------------------------------------- */

static int number_of(const char *role, const char *what) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(one_functions[i].role, role) == 0 && strcmp(one_functions[i].what, what) == 0)
            return i;
    return -1;
}

/* The law behind a function; false: there is none. */
static bool force_behind(const char *role_name, ki_law_function *f) {
    for (const ki_force_law *const *law = ki_force_laws; *law; law++)
        for (int plane = 0; plane < 2; plane++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s",
                     (*law)->scalar ? "scalar"
                     : plane        ? "planar"
                                    : "spatial",
                     (*law)->word);
            if (strcmp(name, role_name) != 0)
                continue;
            ki_law_force_function(*law, plane, f);
            return true;
        }
    return false;
}

static bool law_behind(const char *role_name, const char *what, ki_law_function *f) {
    if (strcmp(what, "load") == 0)
        return force_behind(role_name, f);
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++)
        for (int plane = 0; plane < 2; plane++) {
            const ki_joint_law_role *role = ki_joint_law_in(*law, plane);
            char name[64];
            snprintf(name, sizeof name, "%s_%s", (*law)->word, plane ? "planar" : "spatial");
            for (char *c = name; *c; c++)
                *c = *c == '-' ? '_' : *c;
            if (!role || strcmp(name, role_name) != 0)
                continue;
            bool moving = strstr(what, "moving") != NULL;
            if (strcmp(what, "place") == 0)
                return ki_law_place_function(role, plane, f);
            if (strcmp(what, "columns") == 0)
                return ki_law_columns_function(role, plane, f);
            if (strcmp(what, "bias") == 0)
                return ki_law_bias_function(role, plane, f);
            if (strcmp(what, "fit") == 0)
                return ki_law_fit_function(role, plane, f);
            if (strncmp(what, "rows", 4) == 0)
                return ki_law_rows_function(role, plane, moving, f);
            return ki_law_measure_function(role, plane, what[8] - '0', moving, f);
        }
    return false;
}

/* ---- numbers
 * ------------------------------------------------------------------------------------------------ */

static unsigned long seed = 1;
static double any(void) {
    seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
    return (double)seed / 1073741824.0 - 1;
}

static void any_rotation(bool plane, double R[9]) {
    double axis[3] = {plane ? 0 : any(), plane ? 0 : any(), plane ? 1 : any()};
    double across[3] = {any(), any(), any()};
    ki_frame_from_axes(axis, across, R);
}

static void any_numbers(double *x, int count) {
    for (int i = 0; i < count; i++)
        x[i] = any();
}

static one_arguments any_arguments(bool plane) {
    one_arguments x;
    memset(&x, 0, sizeof x);
    for (int k = 0; k < 2; k++) {
        any_rotation(plane, x.joint.frame[k].R);
        any_numbers(x.joint.frame[k].r, 3);
        any_rotation(plane, x.s[k].R);
        any_numbers(x.s[k].r, 3);
        any_numbers(x.s[k].twist, 6);
        x.s[k].angle = any();
    }
    x.joint.length = 0.7, x.joint.pitch = 0.9, x.joint.radius = 0.6, x.joint.turn = any();
    any_numbers(x.q, 7);
    any_numbers(x.v, 6);
    any_rotation(plane, x.relative.R);
    any_numbers(x.relative.r, 3);
    x.relative.angle = any();
    any_numbers(x.f, 3);
    any_numbers(x.force.r[0], 6);
    any_numbers(x.force.K, 36);
    any_numbers(x.force.C, 36);
    x.force.stiffness = any(), x.force.damping = any(), x.force.free = any();
    return x;
}

/* ---- derivatives
 * ---------------------------------------------------------------------------------------------- */

typedef struct derivatives {
    ki_node zero, by[KI_LAW_INPUTS];
} derivatives;

static void note(void *user, int id, ki_node derivative) {
    ((derivatives *)user)->by[id] = derivative;
}

/* The derivatives of output k by all inputs: exact ones of its formula. */
static void exact_derivatives(ki_law_function *f, int k, const double *inputs, double *slope) {
    derivatives d;
    for (int i = 0; i < f->inputs; i++)
        d.by[i] = ki_number(f->g, 0);
    assert_true(ki_gradient(f->g, f->value[k], note, &d));
    ki_tape *tape = ki_tape_new(f->g, d.by, f->inputs, f->inputs);
    double *work = calloc(ki_tape_work_size(tape), sizeof *work);
    assert_non_null(work);
    ki_tape_prepare(tape, work);
    ki_tape_run(tape, inputs, work, slope);
    free(work);
    ki_tape_free(tape);
}

/* Function i over complex numbers, input `name` moved along the imaginary axis. */
static complex_arguments moved_along(int i, ki_law_function *f, const double *inputs, int moved) {
    complex_arguments x;
    memset(&x, 0, sizeof x);
    for (int k = 0; k < f->inputs; k++)
        *complex_named(&x, f->input[k], false) = inputs[k] + (k == moved ? 1e-30 * _Complex_I : 0);
    complex_functions[i].call(&x);
    return x;
}

static int check_derivatives(int number) {
    ki_law_function f;
    assert_true(law_behind(one_functions[number].role, one_functions[number].what, &f));
    one_arguments x = any_arguments(f.plane);
    double inputs[KI_LAW_INPUTS], slope[KI_LAW_OUTPUTS][KI_LAW_INPUTS];
    int checked = 0;
    for (int i = 0; i < f.inputs; i++)
        inputs[i] = *one_named(&x, f.input[i], false);
    for (int k = 0; k < f.outputs; k++)
        if (!f.unwanted[k])
            exact_derivatives(&f, k, inputs, slope[k]);
    for (int i = 0; i < f.inputs; i++) {
        complex_arguments c = moved_along(number, &f, inputs, i);
        for (int k = 0; k < f.outputs; k++) {
            if (f.unwanted[k])
                continue;
            double found = cimag(*complex_named(&c, f.output[k], true)) / 1e-30;
            if (!(fabs(found - slope[k][i]) <= 1e-10 * (1 + fabs(found))))
                fail_msg("%s %s: d %s / d %s is %.17g, by complex numbers %.17g", one_functions[number].role,
                         one_functions[number].what, f.output[k], f.input[i], slope[k][i], found);
            checked += found != 0;
        }
    }
    ki_law_function_free(&f);
    return checked;
}

static void derivatives_by_all_inputs(void **state) {
    (void)state;
    int checked = 0;
    seed = 3;
    for (int trial = 0; trial < 2; trial++)
        for (int i = 0; i < FUNCTIONS; i++)
            checked += check_derivatives(i);
    print_message("%d functions, %d derivatives that are not zero\n", FUNCTIONS, checked);
    assert_true(checked > 10000);
}

/* ---- four at a time
 * -------------------------------------------------------------------------------------------- */

/* What a function writes. */
static int outputs_of(int number, ki_law_function *f) {
    assert_true(law_behind(one_functions[number].role, one_functions[number].what, f));
    return f->outputs;
}

static void four_are_like_one(void **state) {
    (void)state;
    seed = 5;
    for (int i = 0; i < FUNCTIONS; i++) {
        ki_law_function f;
        int outputs = outputs_of(i, &f);
        one_arguments one[4];
        four_arguments four;
        memset(&four, 0, sizeof four);
        for (int lane = 0; lane < 4; lane++) {
            one[lane] = any_arguments(f.plane);
            for (int k = 0; k < f.inputs; k++)
                (*four_named(&four, f.input[k], false))[lane] = *one_named(&one[lane], f.input[k], false);
            one_functions[i].call(&one[lane]);
        }
        four_functions[i].call(&four);
        for (int k = 0; k < outputs; k++)
            for (int lane = 0; lane < 4 && !f.unwanted[k]; lane++)
                assert_true((*four_named(&four, f.output[k], true))[lane] ==
                            *one_named(&one[lane], f.output[k], true));
        ki_law_function_free(&f);
    }
}

/* Every function that is generated has its law, once. */
static void functions_have_laws(void **state) {
    (void)state;
    for (int i = 0; i < FUNCTIONS; i++) {
        ki_law_function f;
        assert_int_equal(number_of(one_functions[i].role, one_functions[i].what), i);
        assert_true(law_behind(one_functions[i].role, one_functions[i].what, &f));
        ki_law_function_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_have_laws),
                                       cmocka_unit_test(derivatives_by_all_inputs),
                                       cmocka_unit_test(four_are_like_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
