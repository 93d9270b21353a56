/* The pattern of J in absolute coordinates: no entry that is always zero. */
#include "mechanism_helper.h"

/* Two bodies on two joints, in a row from the ground, in absolute coordinates; nothing is along the world. */
static probe two_in_a_row(bool planar, const char *type) {
    keel_mechanism *m = keel_mechanism_new();
    keel_mechanism_set_planar(m, planar);
    double z = planar ? 0 : 0.3;
    int a = add_body(m, "a", 1, 0.5, 0.2, z), b = add_body(m, "b", 2, 1.5, -0.1, -z);
    keel_joint joints[2] = {joint_at("first", type, KEEL_GROUND, a, 0, 0, 0),
                            joint_at("second", type, a, b, 1, 0, z / 2)};
    for (int k = 0; k < 2; k++) {
        if (!planar)
            set_axis(&joints[k], 0.3, 0.5, 0.8);
        assert_true(keel_mechanism_add_joint(m, &joints[k], NULL) >= 0);
    }
    return probe_new(m, KEEL_COORDINATES_ABSOLUTE);
}

/* Values and velocities that are any. */
static void disturb(probe *p) {
    double *d = numbers(p->system->n_v);
    for (int i = 0; i < p->system->n_v; i++) {
        d[i] = 0.4 * any();
        p->v[i] = any();
    }
    displace(p, p->q, d, 1);
    free(d);
}

/* J v is the rate of the rows, and no entry of J is zero. */
static void check_entries(probe *p) {
    keel_pattern J = p->system->J;
    disturb(p);
    evaluate(p, KEEL_JACOBIAN | KEEL_VELOCITY);
    for (int i = 0; i < J.rows; i++) {
        double rate = 0;
        for (int k = J.start[i]; k < J.start[i + 1]; k++) {
            assert_true(p->terms.J[k] != 0);
            rate += p->terms.J[k] * p->v[J.index[k]];
        }
        assert_near(rate, p->terms.rate[i], 1e-14);
    }
}

/* A row along x knows x and the angle of both bodies, not y. */
static void pins_in_the_plane_leave_zeros_out(void **state) {
    (void)state;
    probe p = two_in_a_row(true, "revolute");
    assert_int_equal(keel_pattern_count(p.system->J), 2 * 2 + 2 * 4);
    check_entries(&p);
    probe_free(&p);
}

/* In space rows along x know x and omega of both bodies; rows of directions know omega only. */
static void joints_in_space_leave_zeros_out(void **state) {
    (void)state;
    static const struct {
        const char *type;
        int along_world, along_body, turning;
    } CASES[] = {{"revolute", 3, 0, 2},  {"spherical", 3, 0, 0},   {"universal", 3, 0, 1},
                 {"prismatic", 0, 2, 3}, {"cylindrical", 0, 2, 2}, {"planar", 0, 1, 2}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        probe p = two_in_a_row(false, CASES[i].type);
        int one_body = 4 * CASES[i].along_world + 6 * CASES[i].along_body + 3 * CASES[i].turning;
        assert_int_equal(keel_pattern_count(p.system->J), 3 * one_body);
        check_entries(&p);
        probe_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_in_the_plane_leave_zeros_out),
        cmocka_unit_test(joints_in_space_leave_zeros_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
