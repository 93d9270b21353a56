/* Results read back: HDF5 and CSV give the rows that were written; broken files are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include <hdf5.h>

#include "results/record.h"
#include "unit/results_fixture.h"

static char folder[64], h5[96], csv[96], other[96];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/keel-files-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(h5, sizeof h5, "%s/out.h5", folder);
    snprintf(csv, sizeof csv, "%s/out.csv", folder);
    snprintf(other, sizeof other, "%s/other.h5", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(h5);
    unlink(csv);
    unlink(other);
    return rmdir(folder);
}

/* Rows whose numbers all differ. */
static keel_row row_of(int i, double numbers[16]) {
    static const int SHARED[] = {0, 1};
    for (int k = 0; k < 16; k++)
        numbers[k] = sin(16 * i + k) / 3;
    return (keel_row){.t = i / 7.0,
                      .q = numbers,
                      .v = numbers + 2,
                      .z = numbers + 4,
                      .s = numbers + 5,
                      .lambda = numbers + 6,
                      .v_rate = numbers + 8,
                      .outputs = numbers + 10,
                      .energy = numbers[11],
                      .energy_drift = numbers[12],
                      .position_violation = fabs(numbers[13]),
                      .velocity_violation = fabs(numbers[14]),
                      .shared = SHARED};
}

static keel_origin some_origin(void) {
    static const char *const SET[] = {"g=1.62", "L=2"}, *const NAMES[] = {"g", "L", "gravity"};
    static const double VALUES[] = {1.62, 2, 1.0 / 3};
    return (keel_origin){.name = "arm",
                         .model_text = "keel: 1\nname: arm\n",
                         .model_file = "arm.yaml",
                         .set_count = 2,
                         .set = SET,
                         .parameter_count = 3,
                         .parameter_name = NAMES,
                         .parameter_value = VALUES};
}

static keel_hdf5 *open_hdf5(const keel_system *system) {
    double numbers[16];
    keel_row first = row_of(0, numbers);
    keel_origin origin = some_origin();
    keel_status status;
    keel_hdf5 *file = keel_hdf5_open(h5, system, &origin, &first, &status);
    assert_non_null(file);
    assert_int_equal(status, KEEL_OK);
    return file;
}

static void write_rows(keel_hdf5 *to_hdf5, keel_csv *to_csv, int count) {
    double numbers[16];
    for (int i = 0; i < count; i++) {
        keel_row row = row_of(i, numbers);
        keel_step step = {.t = row.t, .size = 1.0 / 7, .order = i % 5, .gap = 0.25};
        if (to_hdf5) {
            assert_int_equal(keel_hdf5_row(to_hdf5, &row), KEEL_OK);
            assert_int_equal(keel_hdf5_step(to_hdf5, &step), KEEL_OK);
        }
        if (to_csv)
            assert_int_equal(keel_csv_row(to_csv, &row), KEEL_OK);
    }
}

static keel_record *read_back(const char *path) {
    keel_status status;
    keel_diagnostics *list = keel_diagnostics_new();
    keel_record *record = keel_record_read(path, list, &status);
    if (!record)
        print_message("%s\n", keel_diagnostics_get(list, 0).text);
    assert_non_null(record);
    assert_int_equal(keel_diagnostics_count(list), 0);
    keel_diagnostics_free(list);
    return record;
}

static void assert_rows(const keel_record *record, long count) {
    double numbers[16];
    assert_int_equal(record->rows.rows, count);
    for (long i = 0; i < count; i++) {
        keel_row row = row_of((int)i, numbers);
        const double *got = ki_series_row(&record->rows, i);
        assert_true(got[0] == row.t);
        for (int k = 0; k < 8; k++) /* q v z s lambda */
            assert_true(got[1 + k] == numbers[k]);
        assert_true(got[9] == numbers[10]); /* output */
        assert_true(got[10] == numbers[11] && got[11] == numbers[12]);
        assert_true(got[12] == row.position_violation && got[13] == row.velocity_violation);
    }
}

static void hdf5_and_csv_hold_the_same(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    keel_system system = fixture_system();
    double numbers[16];
    keel_row first = row_of(0, numbers);
    keel_status status;
    keel_hdf5 *file = open_hdf5(&system);
    keel_csv *text = keel_csv_open(csv, &system, &first, &status);
    write_rows(file, text, ROWS);
    keel_result result = fixture_result(&system);
    assert_int_equal(keel_hdf5_close(file, &result, NULL), KEEL_OK);
    assert_int_equal(keel_csv_close(text), KEEL_OK);
    keel_result_clear(&result);

    keel_record *a = read_back(h5), *b = read_back(csv);
    assert_rows(a, ROWS);
    assert_rows(b, ROWS);
    assert_int_equal(a->columns.count, b->columns.count + 2); /* CSV has no accelerations */
    for (int i = 0; i < b->columns.count; i++) {
        assert_string_equal(a->columns.column[i].name, b->columns.column[i].name);
        assert_int_equal(a->columns.column[i].shared, b->columns.column[i].shared);
    }
    assert_true(ki_series_row(&a->rows, 7)[14] == sin(16 * 7 + 8) / 3); /* v_rate */
    static const char *const UNITS[] = {"s",   "m",   "",  "m/s", "",  "", "",      "N",
                                        "N m", "deg", "J", "J",   "m", "", "m/s^2", ""};
    for (int i = 0; i < a->columns.count; i++)
        assert_string_equal(a->columns.column[i].unit, UNITS[i]);
    for (int i = 0; i < b->columns.count; i++)
        assert_string_equal(b->columns.column[i].unit, ""); /* CSV has names only */
    assert_int_equal(a->steps.rows, ROWS);
    assert_true(ki_series_row(&a->steps, 9)[KI_STEP_ORDER] == 4);

    const keel_origin *origin = keel_record_origin(a);
    assert_non_null(origin);
    assert_null(keel_record_origin(b));
    assert_string_equal(origin->model_text, "keel: 1\nname: arm\n");
    assert_int_equal(origin->set_count, 2);
    assert_string_equal(origin->set[1], "L=2");
    assert_non_null(strstr(a->summary, "\"status\": \"ok\""));
    assert_non_null(strstr(a->report, "reached t = 10"));
    assert_false(a->cut_off);

    /* both are results of this system, and of no other */
    keel_diagnostics *list = keel_diagnostics_new();
    assert_int_equal(keel_record_match(a, &system, list), KEEL_OK);
    assert_int_equal(keel_record_match(b, &system, list), KEEL_OK);
    assert_true(a->columns.column[8].shared && !a->columns.column[7].shared);
    for (int i = 0; i < b->columns.count; i++)
        assert_string_equal(b->columns.column[i].unit, UNITS[i]); /* the system has them */
    char how[200];
    assert_int_equal(keel_record_finished(a, NULL, how, sizeof how), 1);
    assert_int_equal(keel_record_finished(b, NULL, how, sizeof how), -1);
    assert_non_null(strstr(how, "a CSV file does not tell whether the run finished"));
    system.n_z = 0;
    assert_int_equal(keel_record_match(b, &system, list), KEEL_ERROR_INPUT);
    assert_non_null(strstr(keel_diagnostics_get(list, 0).text, "column 6 is 'motor'"));
    keel_diagnostics_free(list);
    keel_record_free(a);
    keel_record_free(b);
}

static void copy_file(const char *from, const char *to, long most) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (int c; most-- > 0 && (c = fgetc(in)) != EOF;)
        fputc(c, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* The file as a killed run leaves it: written to, never closed. */
static void rows_survive_without_an_end(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_hdf5 *file = open_hdf5(&system);
    write_rows(file, NULL, 20000);
    copy_file(h5, other, 1L << 40);
    assert_int_equal(keel_hdf5_close(file, NULL, NULL), KEEL_OK);
    keel_record *record = read_back(other);
    assert_true(record->rows.rows >= 8192 && record->rows.rows <= 20000);
    assert_rows(record, record->rows.rows);
    assert_true(record->cut_off);
    keel_record_free(record);
}

static void refused(const char *path, const char *reason, int line) {
    keel_status status;
    keel_diagnostics *list = keel_diagnostics_new();
    assert_null(keel_record_read(path, list, &status));
    assert_true(status < 0);
    assert_int_equal(keel_diagnostics_errors(list), 1);
    keel_diagnostic message = keel_diagnostics_get(list, 0);
    if (!strstr(message.text, reason))
        fail_msg("'%s' instead of '%s'", message.text, reason);
    assert_string_equal(message.where.file, path);
    assert_int_equal(message.where.line, line);
    keel_diagnostics_free(list);
}

static void write_text(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void broken_csv_files(void **state) {
    (void)state;
#define HEADER "t,x,x',position_violation,velocity_violation\n"
    static const struct {
        const char *text, *reason;
        int line;
    } FILES[] = {
        {"", "the file is empty", 0},
        {"name,age\nAnn,3\n", "not a result of 'keel run -o'", 1},
        {"\"t,x\n", "a quote is not closed", 1},
        {"t,\"x\"y,z\n", "a quote is not closed", 1},
        {"t,a\",b,b,b,c\",position_violation,velocity_violation\n", "there is no row", 1}, /* quotes inside */
        {HEADER, "there is no row", 1},
        {HEADER "0,1,2,0,0\n0.1,1,2,0", "truncated", 3},
        {HEADER "0,1,2,0,0\n0.1,1,2,0\n", "only 4 of 5 columns", 3},
        {HEADER "0,1,2,0,0,7\n", "more numbers than the header has columns (5)", 2},
        {HEADER "0,1,two,0,0\n", "column 3 ('x'') has no number", 2},
        {HEADER "0,1,2,0,0\n0.1,1,2x,0,0\n", "column 3 of 5 is followed by", 3},
        {HEADER "1,1,2,0,0\n0.1,1,2,0,0\n", "the time 0.1 comes after 1", 3},
    };
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        write_text(csv, FILES[i].text, strlen(FILES[i].text));
        refused(csv, FILES[i].reason, FILES[i].line);
    }
    write_text(csv, "t,\0\x01\xff\n", 6);
    refused(csv, "zero byte", 1);
    unlink(csv);
    refused(csv, "cannot be opened", 0);
}

static void broken_hdf5_files(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_hdf5 *file = open_hdf5(&system);
    assert_int_equal(keel_hdf5_close(file, NULL, NULL), KEEL_OK);
    refused(h5, "there is no row", 0);

    file = open_hdf5(&system);
    write_rows(file, NULL, 500);
    assert_int_equal(keel_hdf5_close(file, NULL, NULL), KEEL_OK);
    FILE *whole = fopen(h5, "rb");
    fseek(whole, 0, SEEK_END);
    long length = ftell(whole);
    fclose(whole);
    for (int part = 1; part < 8; part++) {
        copy_file(h5, other, length * part / 8);
        refused(other, "truncated or damaged", 0);
    }
    copy_file(h5, other, 4);
    refused(other, "not an HDF5 file", 0);
    write_text(other, "t,x\n0,1\n", 8);
    refused(other, "not an HDF5 file", 0);
    write_text(other, "", 0);
    refused(other, "the file is empty", 0);
}

/* A good file whose dataset of velocities is taken out. */
static hid_t file_without_velocities(void) {
    keel_system system = fixture_system();
    keel_hdf5 *file = open_hdf5(&system);
    write_rows(file, NULL, 50);
    assert_int_equal(keel_hdf5_close(file, NULL, NULL), KEEL_OK);
    hid_t changed = H5Fopen(h5, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(changed >= 0);
    assert_true(H5Ldelete(changed, "v", H5P_DEFAULT) >= 0);
    return changed;
}

static void put_velocities(hid_t file, hsize_t rows, hid_t how) {
    hsize_t extent[2] = {rows, 2};
    hid_t space = H5Screate_simple(2, extent, NULL);
    hid_t set = H5Dcreate2(file, "v", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

/* Bytes of other files never become numbers of a result, and numbers that are claimed are stored. */
static void hdf5_files_that_point_elsewhere(void **state) {
    (void)state;
    write_text(other, "secret secret secret secret secret secret secret secret", 55);
    hid_t file = file_without_velocities(), how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_external(how, other, 0, H5F_UNLIMITED) >= 0);
    put_velocities(file, 50, how);
    H5Fclose(file);
    refused(h5, "dataset 'v' is not what", 0);

    file = file_without_velocities();
    assert_true(H5Lcreate_external(other, "v", file, "v", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    refused(h5, "dataset 'v' is not what", 0);

    file = file_without_velocities();
    assert_true(H5Lcreate_soft("/q", file, "v", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    refused(h5, "dataset 'v' is not what", 0);

    file = file_without_velocities();
    how = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t extent[2] = {50, 2};
    hid_t space = H5Screate_simple(2, extent, NULL);
    assert_true(H5Pset_virtual(how, space, other, "q", space) >= 0);
    H5Sclose(space);
    put_velocities(file, 50, how);
    H5Fclose(file);
    refused(h5, "dataset 'v' is not what", 0);

    file = file_without_velocities();
    how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(how, 2, (hsize_t[]){1024, 2}) >= 0);
    put_velocities(file, 2000000000, how);
    H5Fclose(file);
    refused(h5, "dataset 'v' is not what", 0);
}

static void what_cannot_be_written_is_told(void **state) {
    (void)state;
    keel_system system = fixture_system();
    double numbers[16];
    keel_row first = row_of(0, numbers);
    keel_status status = KEEL_OK;
    assert_null(keel_hdf5_open("/no/such/folder/out.h5", &system, NULL, &first, &status));
    assert_int_equal(status, KEEL_ERROR_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hdf5_and_csv_hold_the_same, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(rows_survive_without_an_end, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(broken_csv_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(broken_hdf5_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(hdf5_files_that_point_elsewhere, make_folder, remove_folder),
        cmocka_unit_test(what_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
