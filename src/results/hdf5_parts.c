#include "results/hdf5_parts.h"

#include <stdlib.h>
#include <string.h>

ki_hdf5_silence ki_hdf5_be_silent(void) {
    ki_hdf5_silence before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void ki_hdf5_be_as_before(ki_hdf5_silence before) {
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

/* UTF-8 texts in `length` bytes, the closing zero included. */
static hid_t text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, length) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0 ||
                      H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool put_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *data) {
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, data) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    return good;
}

bool ki_hdf5_put_text(hid_t object, const char *name, const char *text) {
    hid_t type = text_type(strlen(text) + 1), space = H5Screate(H5S_SCALAR);
    bool good = type >= 0 && space >= 0 && put_attribute(object, name, type, space, text);
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

bool ki_hdf5_put_texts(hid_t object, const char *name, const char *const *texts, int count) {
    size_t longest = 1;
    hsize_t extent = (hsize_t)count;
    for (int i = 0; i < count; i++)
        longest = strlen(texts[i]) >= longest ? strlen(texts[i]) + 1 : longest;
    char *all = calloc((size_t)count + 1, longest);
    if (!all)
        return false;
    for (int i = 0; i < count; i++)
        memcpy(all + (size_t)i * longest, texts[i], strlen(texts[i]));
    hid_t type = text_type(longest), space = H5Screate_simple(1, &extent, NULL);
    bool good = type >= 0 && space >= 0 && put_attribute(object, name, type, space, all);
    H5Tclose(type);
    H5Sclose(space);
    free(all);
    return good;
}

bool ki_hdf5_put_numbers(hid_t object, const char *name, const double *values, int count) {
    hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    bool good = space >= 0 && put_attribute(object, name, H5T_NATIVE_DOUBLE, space, values);
    H5Sclose(space);
    return good;
}

bool ki_hdf5_put_long_text(hid_t file, const char *name, const char *text) {
    hid_t type = text_type(strlen(text) + 1), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

/* ---- reading --------------------------------------------------------------------------------------------
 */

/* The length of texts of a type that is one of fixed length, or 0. */
static size_t text_length(hid_t type) {
    bool is_text = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    return is_text ? H5Tget_size(type) : 0;
}

/* Most bytes of texts that are read: enough for every model, and no trap for the memory. */
enum { MOST_TEXT = 1 << 28 };

int ki_hdf5_get_texts(hid_t object, const char *name, ki_arena *arena, const char ***texts) {
    int count = -1;
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0)
        return -1;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    size_t length = text_length(type);
    if (length && points >= 0 && (double)points * (double)length < MOST_TEXT) {
        char *all = KI_NEW(arena, char, (size_t)points *length + 1);
        const char **list = KI_NEW(arena, const char *, points);
        if (all && list && (points == 0 || H5Aread(attribute, type, all) >= 0)) {
            for (hssize_t i = 0; i < points; i++)
                list[i] =
                    ki_arena_text(arena, all + (size_t)i * length, strnlen(all + (size_t)i * length, length));
            count = (int)points;
            *texts = list;
        }
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return arena->failed ? -1 : count;
}

const char *ki_hdf5_get_text(hid_t object, const char *name, ki_arena *arena) {
    const char **texts;
    return ki_hdf5_get_texts(object, name, arena, &texts) == 1 ? texts[0] : NULL;
}

const char *ki_hdf5_get_long_text(hid_t file, const char *name, ki_arena *arena) {
    char *text = NULL;
    hid_t set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    if (set < 0)
        return NULL;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    size_t length = text_length(type);
    if (length && length < MOST_TEXT && H5Sget_simple_extent_npoints(space) == 1) {
        text = KI_NEW(arena, char, length + 1);
        if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
            text = NULL;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return text;
}
