#include "results/hdf5_parts.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local bool no_memory;
static bool without_exit_handler;

static herr_t look_at(unsigned depth, const H5E_error2_t *error, void *user) {
    (void)depth;
    (void)user;
    no_memory = no_memory || error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
    return 0;
}

/* Called by HDF5 for every call that fails. */
static herr_t note_failure(hid_t stack, void *user) {
    return H5Ewalk2(stack, H5E_WALK_UPWARD, look_at, user);
}

ki_hdf5_silence ki_hdf5_be_silent(void) {
    ki_hdf5_silence before = {NULL, NULL};
    if (without_exit_handler)
        H5dont_atexit();
    no_memory = H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data) < 0;
    H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
    return before;
}

bool ki_hdf5_out_of_memory(void) {
    return no_memory;
}

void keel_hdf5_without_exit_handler(void) {
    without_exit_handler = true;
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

hid_t ki_hdf5_new_text(hid_t file, const char *name) {
    const hsize_t none = 0, any = H5S_UNLIMITED, chunk = 1 << 12;
    hid_t space = H5Screate_simple(1, &none, &any), list = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    if (space >= 0 && list >= 0 && H5Pset_chunk(list, 1, &chunk) >= 0)
        set = H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(list);
    return set;
}

bool ki_hdf5_set_text(hid_t set, const char *text) {
    const hsize_t length = strlen(text);
    return H5Dset_extent(set, &length) >= 0 &&
           H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0 && H5Dflush(set) >= 0;
}

/* ---- reading --------------------------------------------------------------------------------------------
 */

/* All names on the way to an object, such as steps and steps/t, stand for themselves. 0: one is missing. */
static int is_reached_directly(hid_t file, const char *name) {
    char part[64];
    for (size_t length = 0; name[length];) {
        length += 1 + strcspn(name + length + 1, "/");
        if (length >= sizeof part)
            return -1;
        memcpy(part, name, length);
        part[length] = 0;
        H5L_info_t link;
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return 0;
        if (H5Lget_info(file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            return -1;
    }
    return 1;
}

/* Compression makes at most a thousandth of what was there: whoever claims more numbers has not stored them.
 */
static bool is_stored(hid_t set, hid_t how) {
    enum { MOST_COMPRESSED = 1100 };
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    double claimed = (double)H5Sget_simple_extent_npoints(space) * (double)H5Tget_size(type);
    double stored = (double)H5Dget_storage_size(set);
    H5Sclose(space);
    H5Tclose(type);
    return claimed <= (H5Pget_nfilters(how) > 0 ? MOST_COMPRESSED : 1) * stored;
}

hid_t ki_hdf5_open_set(hid_t file, const char *name) {
    int direct = is_reached_directly(file, name);
    hid_t set = direct > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : direct;
    if (set <= 0)
        return set;
    hid_t how = H5Dget_create_plist(set);
    bool here = how >= 0 && H5Pget_layout(how) != H5D_VIRTUAL && H5Pget_external_count(how) == 0 &&
                is_stored(set, how);
    H5Pclose(how);
    if (here)
        return set;
    H5Dclose(set);
    return -1;
}

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
    hid_t set = ki_hdf5_open_set(file, name);
    if (set <= 0)
        return NULL;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    bool bytes = H5Tequal(type, H5T_STD_U8LE) > 0;
    size_t length = bytes && points > 0 ? (size_t)points : points == 1 ? text_length(type) : 0;
    if (length && length < MOST_TEXT) {
        text = KI_NEW(arena, char, length + 1);
        if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
            text = NULL;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return text;
}
