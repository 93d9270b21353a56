/* Independent rows, singular poses and their branches, on a system whose answers are plain:
 *
 *     Phi_0 = x - y,   Phi_1 = 2 (x - y),   Phi_2 = z (x + y)
 *
 * Row 1 repeats row 0. The solutions are two lines, x = y with z = 0, and x = y = 0, which meet in the
 * origin: the gradient of Phi_2 vanishes there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulate/branches.h"
#include "formulate/independence.h"
#include "system/selection.h"

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, s = q[0] + q[1];
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = terms->M[2] = 1;
    if (what & KEEL_JACOBIAN) {
        const double J[] = {1, -1, 2, -2, q[2], q[2], s};
        for (int k = 0; k < 7; k++)
            terms->J[k] = J[k];
    }
    if (what & KEEL_POSITION) {
        terms->Phi[0] = q[0] - q[1];
        terms->Phi[1] = 2 * (q[0] - q[1]);
        terms->Phi[2] = q[2] * s;
    }
    if (what & KEEL_VELOCITY)
        for (int i = 0; i < 3; i++)
            terms->rate[i] = 0;
    return KEEL_OK;
}

static const int M_START[] = {0, 1, 2, 3}, M_INDEX[] = {0, 1, 2};
static const int J_START[] = {0, 2, 4, 7}, J_INDEX[] = {0, 1, 0, 1, 0, 1, 2};
static const double ONE[] = {1, 1, 1};

static keel_system make_system(void) {
    keel_system s = keel_system_default();
    s.n_q = s.n_v = s.n_h = 3;
    s.M = (keel_pattern){3, 3, M_START, M_INDEX};
    s.J = (keel_pattern){3, 3, J_START, J_INDEX};
    s.q_size = s.row_size = ONE;
    s.evaluate = evaluate;
    return s;
}

static keel_point point(const double *q) {
    static const double ZERO[3] = {0};
    return (keel_point){.q = q, .v = ZERO, .lambda = ZERO};
}

static void finds_the_rank(void **state) {
    (void)state;
    keel_system s = make_system();
    ki_independence look;
    double y[9];
    bool shared[3] = {0};
    keel_point at = point((double[]){0.5, 0.5, 0});
    assert_int_equal(ki_independence_init(&look, &s, NULL, KI_FEW_ENTRIES), KEEL_OK);
    assert_int_equal(ki_find_independent(&look, &at), KEEL_OK);
    assert_int_equal(look.rank, 2);
    assert_int_equal(look.rank_here, 2);
    assert_false(ki_joints_are_singular(&look));
    assert_true(look.taken[2] && look.taken[0] + look.taken[1] == 1);
    /* y ~ (2, -1, 0) */
    assert_int_equal(ki_self_stresses(&look, y, shared), 1);
    assert_true(fabs(y[0] + 2 * y[1]) < 1e-14 * fabs(y[0]) && fabs(y[2]) < 1e-14 * fabs(y[0]));
    assert_true(shared[0] && shared[1] && !shared[2]);
    ki_independence_clear(&look);
}

static void tells_a_singular_pose(void **state) {
    (void)state;
    keel_system s = make_system();
    ki_independence look;
    ki_branches branches;
    const double origin[3] = {0};
    keel_point at = point(origin);
    bool lines[2] = {0};
    assert_int_equal(ki_independence_init(&look, &s, NULL, KI_FEW_ENTRIES), KEEL_OK);
    assert_int_equal(ki_find_independent(&look, &at), KEEL_OK);
    assert_int_equal(look.rank_here, 1);
    assert_int_equal(look.rank, 2);
    assert_true(ki_joints_are_singular(&look));
    assert_int_equal(ki_find_branches(&branches, &look, &at), KEEL_OK);
    assert_int_equal(branches.count, 2);
    assert_int_equal(branches.freedoms, 1);
    for (int b = 0; b < 2; b++) {
        const double *t = branches.tangent[b];
        bool along_z = fabs(fabs(t[2]) - 1) < 1e-10;
        bool in_plane = fabs(t[2]) < 1e-10 && fabs(t[0] - t[1]) < 1e-10;
        assert_true(along_z || in_plane);
        lines[along_z] = true;
    }
    assert_true(lines[0] && lines[1]);
    const double v[] = {2, 2, 0};
    assert_true(fmin(ki_off_branch(&branches, 0, v), ki_off_branch(&branches, 1, v)) < 1e-10);
    assert_true(fmax(ki_off_branch(&branches, 0, v), ki_off_branch(&branches, 1, v)) > 0.99);
    ki_independence_clear(&look);
}

static void closes_what_is_independent(void **state) {
    (void)state;
    keel_system s = make_system();
    ki_independence look;
    double q[] = {0.5, 0.501, 0.002};
    assert_int_equal(ki_independence_init(&look, &s, NULL, KI_FEW_ENTRIES), KEEL_OK);
    keel_point at = point(q);
    assert_true(ki_close_rows(&look, &at, q));
    assert_true(fabs(q[0] - q[1]) < 1e-14 && fabs(q[2]) < 1e-14);
    ki_independence_clear(&look);
}

/* The chosen rows, and what does not go by rows as it was. */
static void selects_rows(void **state) {
    (void)state;
    keel_system s = make_system();
    ki_selection *selection = ki_selection_new(&s, (int[]){0, 2}, 2, NULL);
    assert_non_null(selection);
    const keel_system *some = &selection->system;
    char message[100];
    assert_int_equal(keel_system_validate(some, message, sizeof message), KEEL_OK);
    assert_int_equal(some->n_h, 2);
    void *work = NULL;
    double M[3], J[5], Phi[2];
    keel_terms terms = {.M = M, .J = J, .Phi = Phi};
    const double q[] = {0.3, 0.1, 0.7};
    keel_point at = point(q);
    assert_int_equal(some->work_new(some, &work), KEEL_OK);
    assert_int_equal(some->evaluate(some, work, KEEL_MASS | KEEL_JACOBIAN | KEEL_POSITION, &at, &terms),
                     KEEL_OK);
    const double expected[] = {1, -1, q[2], q[2], q[0] + q[1]};
    assert_memory_equal(J, expected, sizeof expected);
    assert_true(Phi[0] == q[0] - q[1] && Phi[1] == q[2] * (q[0] + q[1]) && M[2] == 1);
    some->work_free(work);
    ki_selection_free(selection);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rank),
        cmocka_unit_test(tells_a_singular_pose),
        cmocka_unit_test(closes_what_is_independent),
        cmocka_unit_test(selects_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
