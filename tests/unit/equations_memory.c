/* Evaluating allocates nothing; compiling survives every failing allocation. Where the C library lets a
 * program bring its own malloc (glibc, without sanitizers) both are counted at the source. */
#include "equations_helper.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

static long allocations, failing = -1; /* the allocation that fails; -1: none */
static long alive;                     /* blocks not freed yet */

static bool fails(void) {
    return allocations++ == failing;
}

static void *counted(void *block) {
    alive += block != NULL;
    return block;
}

void *malloc(size_t size) {
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
    if (fails())
        return NULL;
    return block ? __libc_realloc(block, size) : counted(__libc_realloc(NULL, size));
}

void free(void *block) {
    alive -= block != NULL;
    __libc_free(block);
}

static void fail_at(long k) {
    allocations = 0;
    failing = k;
}

/* Whether the allocation to fail was reached. */
static bool failed_at(long k) {
    failing = -1;
    return allocations > k;
}

static const line LINES[] = {
    {KEEL_EQ_PARAMETER, "k", "2*m[2]", 0},
    {KEEL_EQ_PARAMETER, "m[i]", "i", 1},
    {KEEL_EQ_COORDINATE, "x[i]", "1", 1},
    {KEEL_EQ_VELOCITY, "x[i]", "0", 1},
    {KEEL_EQ_KINETIC, NULL, "m[i]*x[i]'^2*(2 + sin(x[i]))", 1},
    {KEEL_EQ_POTENTIAL, NULL, "x[3]^2", 0},
    {KEEL_EQ_DEFINITION, "y", "k*x[1]*z", 0},
    {KEEL_EQ_STATE, "z", "1", 0},
    {KEEL_EQ_STATE_RATE, "z", "x[1]'", 0},
    {KEEL_EQ_AUXILIARY, "s", "1", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "e", "s^3 - x[1]", 0},
    {KEEL_EQ_FORCE, "x[1]", "y' + lambda.c", 0},
    {KEEL_EQ_HOLONOMIC, "c", "x[1]*x[2] - s", 0},
    {KEEL_EQ_NONHOLONOMIC, "n", "x[1]'*s - x[2]'^3", 0},
    {KEEL_EQ_OUTPUT, "o", "x[1]'' + lambda.n", 0},
    {KEEL_EQ_INVARIANT, "I", "kinetic + x[1]*z", 0},
};

/* Derivatives of the equations, which exist only without auxiliaries. */
static const line DERIVATIVES[] = {
    {KEEL_EQ_COORDINATE, "x[i]", "1", 1},
    {KEEL_EQ_VELOCITY, "x[i]", "1", 1},
    {KEEL_EQ_MASS, "x[i]", "2 + sin(x[i])", 1},
    {KEEL_EQ_POTENTIAL, NULL, "x[3]^2", 0},
    {KEEL_EQ_STATE, "z", "1", 0},
    {KEEL_EQ_STATE_RATE, "z", "x[1]' + lambda.c", 0},
    {KEEL_EQ_FORCE, "x[1]", "z^2 + lambda.c", 0},
    {KEEL_EQ_HOLONOMIC, "c", "x[1]*x[2] - 1", 0},
    {KEEL_EQ_NONHOLONOMIC, "n", "x[1]'*x[3] - x[2]'^3", 0},
    {KEEL_EQ_OUTPUT, "o", "x[1]'' + lambda.n", 0},
    {KEEL_EQ_INVARIANT, "E[i]", "energy + i*x[i]", 1},
};

static keel_equations *describe_lines(const line *lines, int count) {
    keel_equations *e = keel_equations_new();
    assert_int_equal(keel_equations_repeat(e, 0, "i", "1", "3", (keel_location){0}), 1);
    add_lines(e, lines, count);
    return e;
}

static keel_equations *describe(void) {
    return describe_lines(LINES, COUNT(LINES));
}

static void evaluate_all_sets(const line *lines, int count) {
    keel_equations *e = describe_lines(lines, count);
    model m = compile(e);
    keel_equations_free(e);
    keel_point at = {m.at->t, m.at->q, m.at->v, m.at->z, m.at->s, m.at->lambda, m.a};
    double out[1];
    long before = allocations;
    for (unsigned what = 0; what <= EVERYTHING; what++)
        m.system->evaluate(m.system, m.work, what, &at, &m.terms);
    m.system->outputs(m.system, m.work, &at, m.at->v, out);
    assert_int_equal(allocations, before);
    drop(&m);
}

static void evaluating_allocates_nothing(void **state) {
    (void)state;
    evaluate_all_sets(LINES, COUNT(LINES));
    evaluate_all_sets(DERIVATIVES, COUNT(DERIVATIVES));
}

/* For every k: with the k-th allocation failing, the caller is told, and nothing is left behind. */
static void compile_with_failures(const line *lines, int count) {
    keel_equations *e = describe_lines(lines, count);
    bool failed = true;
    for (long k = 0; failed; k++) {
        keel_system *system = NULL;
        keel_state *start = NULL;
        long before = alive;
        fail_at(k);
        keel_status status = keel_equations_compile(e, NULL, &system, &start);
        failed = failed_at(k);
        assert_int_equal(status, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
        assert_true(failed == !system && failed == !start);
        keel_state_free(start);
        keel_equations_system_free(system);
        assert_int_equal(alive, before);
    }
    keel_equations_free(e);
}

static void compiling_survives_any_failing_allocation(void **state) {
    (void)state;
    compile_with_failures(LINES, COUNT(LINES));
    compile_with_failures(DERIVATIVES, COUNT(DERIVATIVES));
}

static void values_survive_any_failing_allocation(void **state) {
    (void)state;
    keel_equations *e = describe();
    bool failed = true;
    for (long k = 0; failed; k++) {
        double value = 0;
        long before = alive;
        fail_at(k);
        keel_status status = keel_equations_value(e, "k + m[3]", (keel_location){0}, NULL, &value);
        failed = failed_at(k);
        assert_int_equal(status, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
        assert_int_equal(alive, before);
        assert_true(failed || value == 7);
    }
    keel_equations_free(e);
}

static keel_status describe_blocks(keel_equations *e) {
    for (int i = 0; i < 200; i++) {
        keel_location at = {"file", i, 1};
        if (keel_equations_repeat(e, i, "i", "1", "3", at) < 0 ||
            keel_equations_add(e, i, KEEL_EQ_COORDINATE, "x", at, "1", at) != KEEL_OK)
            return KEEL_ERROR_MEMORY;
    }
    return KEEL_OK;
}

static void describing_survives_any_failing_allocation(void **state) {
    (void)state;
    bool failed = true;
    for (long k = 0; failed; k++) {
        long before = alive;
        fail_at(k);
        keel_equations *e = keel_equations_new();
        keel_status status = e ? describe_blocks(e) : KEEL_ERROR_MEMORY;
        failed = failed_at(k);
        assert_int_equal(status, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
        keel_equations_free(e);
        assert_int_equal(alive, before);
    }
}

static void workspace_survives_any_failing_allocation(void **state) {
    (void)state;
    keel_equations *e = describe();
    model m = compile(e);
    keel_equations_free(e);
    bool failed = true;
    for (long k = 0; failed; k++) {
        void *work = NULL;
        long before = alive;
        fail_at(k);
        keel_status status = m.system->work_new(m.system, &work);
        failed = failed_at(k);
        assert_int_equal(status, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
        m.system->work_free(work);
        assert_int_equal(alive, before);
    }
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluating_allocates_nothing),
        cmocka_unit_test(compiling_survives_any_failing_allocation),
        cmocka_unit_test(values_survive_any_failing_allocation),
        cmocka_unit_test(describing_survives_any_failing_allocation),
        cmocka_unit_test(workspace_survives_any_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void not_possible_here(void **state) {
    (void)state;
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(not_possible_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
