/* fuzz_hdf5.c - libFuzzer target: HDF5 files that are sound, but whose content is any: which datasets there
 * are, of which type, extent and layout, their attributes, links and texts. (Files that are not sound are up
 * to the HDF5 library: fuzz_hdf5_bytes.c.) */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keel/results.h"
#include "results/record.h"
#include "target.h"

/* Names of objects, of which the first stand for the groups of columns. */
static const char *name_of(fuzz_bytes *from) {
    static const char *const OTHERS[] = {"steps/t", "steps/size", "steps/order", "steps/gap",
                                         "model",   "summary",    "report",      "other"};
    enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS };
    int i = fuzz_next(from, KI_GROUPS + OTHER_COUNT);
    return i < KI_GROUPS ? ki_group_dataset[i] : OTHERS[i - KI_GROUPS];
}

/* A text out of the bytes; what is no UTF-8 is one of them. */
static size_t text_of(fuzz_bytes *from, char text[40]) {
    static const char *const KNOWN[] = {"keel-result", "rod", "g=1", "{\"status\": \"ok\"}", "{}", "[1, 2"};
    enum { KNOWN_COUNT = sizeof KNOWN / sizeof *KNOWN };
    int i = fuzz_next(from, KNOWN_COUNT + 2);
    memset(text, 0, 40);
    if (i < KNOWN_COUNT)
        return strlen(strcpy(text, KNOWN[i]));
    size_t length = (size_t)fuzz_next(from, 39);
    for (size_t k = 0; k < length; k++)
        text[k] = (char)fuzz_next(from, 256);
    return length;
}

/* Numbers, texts of fixed or any length, or something else. */
static hid_t type_of(fuzz_bytes *from) {
    hid_t type;
    switch (fuzz_next(from, 10)) {
    case 0:
        return H5Tcopy(H5T_IEEE_F32BE);
    case 1:
        return H5Tcopy(H5T_STD_I16LE);
    case 2:
    case 3:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, (size_t)fuzz_next(from, 40) + 1);
        H5Tset_strpad(type, fuzz_next(from, 2) ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
        return type;
    case 4:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    case 5:
        return H5Tcreate(H5T_OPAQUE, 8);
    default:
        return H5Tcopy(H5T_IEEE_F64LE);
    }
}

/* Extents are small numbers; what is claimed beyond what is stored comes from chunks that are not written. */
static hid_t space_of(fuzz_bytes *from, int *dimensions, hsize_t extent[3]) {
    static const hsize_t LARGE[] = {1u << 20, 1ull << 31, 1ull << 40};
    *dimensions = fuzz_next(from, 4);
    for (int i = 0; i < 3; i++) {
        int n = fuzz_next(from, 16);
        extent[i] = n < 13 ? (hsize_t)n : LARGE[n - 13];
    }
    if (fuzz_next(from, 12) == 1)
        return H5Screate(H5S_NULL);
    return *dimensions ? H5Screate_simple(*dimensions, extent, NULL) : H5Screate(H5S_SCALAR);
}

static hid_t layout_of(fuzz_bytes *from, int dimensions) {
    static const hsize_t CHUNK[3] = {4, 2, 2};
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    int what = fuzz_next(from, 8);
    if (dimensions && what >= 3)
        H5Pset_chunk(list, dimensions, CHUNK);
    if (dimensions && what >= 6)
        H5Pset_deflate(list, 1);
    if (what == 1)
        H5Pset_external(list, "/etc/hostname", 0, H5F_UNLIMITED);
    if (what == 2)
        H5Pset_layout(list, H5D_COMPACT);
    return list;
}

static void fill(fuzz_bytes *from, hid_t type, unsigned char *values, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        values[i] = (unsigned char)fuzz_next(from, 256);
    if (H5Tget_class(type) == H5T_FLOAT && fuzz_next(from, 4)) /* times that grow */
        for (size_t i = 0; i + sizeof(double) <= bytes; i += sizeof(double)) {
            double t = (double)i;
            memcpy(values + i, &t, sizeof t);
        }
}

/* At most so many bytes are written; texts of any length are left empty. */
static const void *values_of(fuzz_bytes *from, hid_t type, hid_t space) {
    enum { MOST = 1 << 14 };
    static unsigned char values[MOST];
    hssize_t points = H5Sget_simple_extent_npoints(space);
    if (points < 0 || (double)points * (double)H5Tget_size(type) > MOST || H5Tis_variable_str(type) > 0)
        return NULL;
    memset(values, 0, sizeof values);
    fill(from, type, values, (size_t)points * H5Tget_size(type));
    return values;
}

static void put_attribute(fuzz_bytes *from, hid_t object) {
    static const char *const NAMES[] = {"names", "units",       "shared",     "format",
                                        "name",  "description", "model_file", "set"};
    const char *name = NAMES[fuzz_next(from, sizeof NAMES / sizeof *NAMES)];
    hsize_t count = (hsize_t)fuzz_next(from, 6);
    char text[8][40] = {{0}};
    for (hsize_t i = 0; i < count; i++)
        text_of(from, text[i]);
    hid_t type = fuzz_next(from, 4) ? H5Tcopy(H5T_C_S1) : type_of(from);
    if (H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type))
        H5Tset_size(type, 40);
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && !H5Tis_variable_str(type) && H5Tget_size(type) <= 40)
        H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_set(fuzz_bytes *from, hid_t file, const char *name) {
    int dimensions;
    hsize_t extent[3];
    hid_t type = type_of(from), space = space_of(from, &dimensions, extent),
          list = layout_of(from, dimensions);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const void *values = set >= 0 ? values_of(from, type, space) : NULL;
    if (values && H5Pget_external_count(list) == 0)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    for (int i = fuzz_next(from, 4); set >= 0 && i > 0; i--)
        put_attribute(from, set);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
}

/* As keel_hdf5 makes them: t, q, v and violations with names, that other changes come upon. */
static void put_usual(fuzz_bytes *from, hid_t file) {
    static const ki_group SETS[] = {KI_TIME, KI_COORDINATE, KI_VELOCITY, KI_VIOLATION};
    double values[24];
    char names[4][40] = {"x", "y", "u", "w"};
    for (int i = 0; i < 24; i++)
        values[i] = i;
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        hsize_t extent[2] = {(hsize_t)fuzz_next(from, 6) + 1, (hsize_t)fuzz_next(from, 4) + 1},
                width = extent[1];
        hid_t space = H5Screate_simple(i ? 2 : 1, extent, NULL), row = H5Screate_simple(1, &width, NULL);
        hid_t set = H5Dcreate2(file, ki_group_dataset[SETS[i]], H5T_IEEE_F64LE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
        hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, 40);
        hid_t attribute = H5Acreate2(set, "names", text, row, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Awrite(attribute, text, names);
        H5Aclose(attribute);
        H5Tclose(text);
        H5Dclose(set);
        H5Sclose(row);
        H5Sclose(space);
    }
}

static void put_format(hid_t file) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, sizeof "keel-result");
    hid_t attribute = H5Acreate2(file, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, "keel-result");
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_link(fuzz_bytes *from, hid_t file, const char *path) {
    const char *name = name_of(from), *to = name_of(from);
    switch (fuzz_next(from, 3)) {
    case 0:
        H5Lcreate_soft(to, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        H5Lcreate_external(path, to, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    default:
        H5Lcreate_hard(file, to, file, name, H5P_DEFAULT, H5P_DEFAULT);
    }
}

static void write_file(fuzz_bytes *from, const char *path) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        abort();
    if (fuzz_next(from, 16) != 1)
        put_format(file);
    H5Gclose(H5Gcreate2(file, "steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (fuzz_next(from, 4))
        put_usual(from, file);
    for (int i = 0; i < 16 && from->left; i++)
        switch (fuzz_next(from, 6)) {
        case 0:
            put_link(from, file, path);
            break;
        case 1:
            put_attribute(from, file);
            break;
        case 2:
            H5Ldelete(file, name_of(from), H5P_DEFAULT);
            break;
        default:
            put_set(from, file, name_of(from));
        }
    H5Fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    const char *path = fuzz_file("result.h5");
    fuzz_bytes from = {data, size};
    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        abort();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_file(&from, path);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_record *record = keel_record_read(path, messages, &status);
    fuzz_explained(record, status, messages);
    if (record && keel_page_write(nowhere, record, keel_record_origin(record), NULL, NULL) != KEEL_OK)
        abort();
    keel_record_free(record);
    keel_diagnostics_free(messages);
    return 0;
}
