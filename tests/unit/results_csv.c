/* CSV rows: header, quoting, exact numbers, write failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "unit/results_fixture.h"

static char path[64];

static int make_path(void **state) {
    (void)state;
    strcpy(path, "/tmp/keel-csv-XXXXXX");
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static char *file_text(void) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    return fixture_text(file);
}

static void header_and_rows(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_status status;
    keel_csv *csv = keel_csv_open(path, &system, NULL, &status);
    assert_non_null(csv);
    keel_row first = fixture_row(0), second = fixture_row(0.1);
    assert_int_equal(keel_csv_row(csv, &first), KEEL_OK);
    assert_int_equal(keel_csv_row(csv, &second), KEEL_OK);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    char *text = file_text();
    assert_string_equal(
        text, "t,x,\"y[1,2]\",x',\"y[1,2]'\",motor,contact,lambda.rod,\"lambda.say \"\"hi\"\"\",angle,"
              "energy,energy_drift,position_violation,velocity_violation\n"
              "0,0.10000000000000001,-1,2,1e-300,3,4,5,0.33333333333333331,8,"
              "-9.5,9.9999999999999998e-13,9.9999999999999998e-17,2e-16\n"
              "0.10000000000000001,0.10000000000000001,-1,2,1e-300,3,4,5,0.33333333333333331,8,"
              "-9.5,9.9999999999999998e-13,9.9999999999999998e-17,2e-16\n");
    free(text);
}

/* The first row of a run tells which multipliers are shared and that there are projections; a row without
 * them still has the columns. */
static void marks_and_projections(void **state) {
    (void)state;
    static const int shared[] = {0, 1};
    static const double projections[] = {0.25, 0.75};
    keel_system system = fixture_system();
    keel_status status;
    keel_row with = fixture_row(0), without = fixture_row(1);
    with.shared = without.shared = shared;
    with.projections = projections;
    keel_csv *csv = keel_csv_open(path, &system, &with, &status);
    assert_int_equal(keel_csv_row(csv, &with), KEEL_OK);
    assert_int_equal(keel_csv_row(csv, &without), KEEL_OK);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    char *text = file_text();
    assert_string_equal(
        text, "t,x,\"y[1,2]\",x',\"y[1,2]'\",motor,contact,lambda.rod,\"lambda.say \"\"hi\"\"(shared)\",d.x,"
              "\"d.y[1,2]\",angle,energy,energy_drift,position_violation,velocity_violation\n"
              "0,0.10000000000000001,-1,2,1e-300,3,4,5,0.33333333333333331,0.25,0.75,8,"
              "-9.5,9.9999999999999998e-13,9.9999999999999998e-17,2e-16\n"
              "1,0.10000000000000001,-1,2,1e-300,3,4,5,0.33333333333333331,,,8,"
              "-9.5,9.9999999999999998e-13,9.9999999999999998e-17,2e-16\n");
    free(text);

    csv = keel_csv_open(path, &system, &without, &status);
    assert_int_equal(keel_csv_row(csv, &with), KEEL_OK);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    text = file_text();
    assert_non_null(strstr(text, "(shared)\",angle,"));
    assert_non_null(strstr(text, ",0.33333333333333331,8,"));
    free(text);
}

/* Rows of a method that projects tell where the energy of the last step went. */
static void audit_of_the_energy(void **state) {
    (void)state;
    const keel_audit audit = {0.5, -0.375, 0.125, -0.25};
    keel_system system = fixture_system();
    keel_status status;
    keel_row with = fixture_row(0), without = fixture_row(1);
    with.audit = &audit;
    keel_csv *csv = keel_csv_open(path, &system, &with, &status);
    assert_int_equal(keel_csv_row(csv, &with), KEEL_OK);
    assert_int_equal(keel_csv_row(csv, &without), KEEL_OK);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    char *text = file_text();
    assert_non_null(strstr(text,
                           ",energy,energy_drift,energy_integrator,energy_projection,energy_projection_1,"
                           "energy_projection_2,position_violation,"));
    assert_non_null(
        strstr(text, ",-9.5,9.9999999999999998e-13,0.5,-0.375,0.125,-0.25,9.9999999999999998e-17,"));
    assert_non_null(strstr(text, ",-9.5,9.9999999999999998e-13,,,,,9.9999999999999998e-17,"));
    free(text);
}

/* Rows of an implicit method that was asked for it tell about Newton's method of the last step. */
static void facts_of_newton(void **state) {
    (void)state;
    const keel_newton_facts newton = {3, 0.25, 0.125, 64, NULL};
    keel_system system = fixture_system();
    keel_status status;
    keel_row with = fixture_row(0), without = fixture_row(1);
    with.newton = &newton;
    keel_csv *csv = keel_csv_open(path, &system, &with, &status);
    assert_int_equal(keel_csv_row(csv, &with), KEEL_OK);
    assert_int_equal(keel_csv_row(csv, &without), KEEL_OK);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    char *text = file_text();
    assert_non_null(strstr(text,
                           ",energy_drift,newton_iterations,newton_correction_q,newton_correction_lambda,"
                           "condition,position_violation,"));
    assert_non_null(strstr(text, ",-9.5,9.9999999999999998e-13,3,0.25,0.125,64,9.9999999999999998e-17,"));
    assert_non_null(strstr(text, ",-9.5,9.9999999999999998e-13,,,,,9.9999999999999998e-17,"));
    free(text);

    csv = keel_csv_open(path, &system, &without, &status);
    assert_int_equal(keel_csv_row(csv, &with), KEEL_OK);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    text = file_text();
    assert_null(strstr(text, "newton"));
    assert_non_null(strstr(text, ",-9.5,9.9999999999999998e-13,9.9999999999999998e-17,"));
    free(text);
}

static void q_rate(const keel_system *system, const double *q, const double *v, double *rate) {
    (void)system, (void)q, (void)v, (void)rate;
}

/* Velocities that are not rates of coordinates keep their own names; energy columns only where it is known.
 */
static void header_of_other_systems(void **state) {
    (void)state;
    static const char *const v[] = {"omega"};
    keel_system system = keel_system_default();
    system.n_q = 2;
    system.n_v = 1;
    system.kinematics = q_rate;
    system.names.v = v;
    keel_status status;
    keel_csv *csv = keel_csv_open(path, &system, NULL, &status);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
    char *text = file_text();
    assert_string_equal(text, "t,q[0],q[1],omega,position_violation,velocity_violation\n");
    free(text);
}

/* Whatever has reached the file so far ends with a complete line, also before it is closed. */
static void rows_reach_the_file_whole(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_status status;
    keel_csv *csv = keel_csv_open(path, &system, NULL, &status);
    keel_row row = fixture_row(0);
    size_t seen = 0;
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(keel_csv_row(csv, &row), KEEL_OK);
        if (i % 100)
            continue;
        char *text = file_text();
        seen = strlen(text);
        assert_int_equal(text[seen - 1], '\n');
        free(text);
    }
    assert_true(seen > 200000);
    assert_int_equal(keel_csv_close(csv), KEEL_OK);
}

static void failures_are_reported_with_errno(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_status status = KEEL_OK;
    assert_null(keel_csv_open("/no-such-folder/out.csv", &system, NULL, &status));
    assert_int_equal(status, KEEL_ERROR_IO);
    assert_int_equal(errno, ENOENT);
    if (access("/dev/full", W_OK))
        skip();
    assert_null(keel_csv_open("/dev/full", &system, NULL, &status));
    assert_int_equal(status, KEEL_ERROR_IO);
    assert_int_equal(errno, ENOSPC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(header_and_rows, make_path, remove_path),
        cmocka_unit_test_setup_teardown(marks_and_projections, make_path, remove_path),
        cmocka_unit_test_setup_teardown(audit_of_the_energy, make_path, remove_path),
        cmocka_unit_test_setup_teardown(facts_of_newton, make_path, remove_path),
        cmocka_unit_test_setup_teardown(header_of_other_systems, make_path, remove_path),
        cmocka_unit_test_setup_teardown(rows_reach_the_file_whole, make_path, remove_path),
        cmocka_unit_test(failures_are_reported_with_errno),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
