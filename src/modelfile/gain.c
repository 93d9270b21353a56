/* gain.c - options that are matrices, in the three ways a file may write them:
 *
 *     K_D: 20                            the same for every row
 *     K_D: {height: 20, travel: 10}      a diagonal, row by row
 *     K_D: [[20, 1], [1, 10]]            the whole matrix
 */
#include <stdio.h>
#include <string.h>

#include "modelfile/loader.h"

static bool expect_named(ki_loader *loader, const ki_yaml *map) {
    char what[32 + KI_BRIEF], brief[KI_BRIEF];
    bool good = true;
    snprintf(what, sizeof what, "in '%s', the value of", ki_brief(map->key, brief));
    if (!map->first) {
        KI_COMPLAIN(loader, map->at, "'%s' is an empty map: it wants 'constraint: value' for every row",
                    map->key);
        return false;
    }
    for (const ki_yaml *entry = map->first; entry; entry = entry->next)
        good = ki_expect_formula(loader, entry, what, entry->key) && good;
    return good;
}

/* Row number `number` (from 1) of a matrix. */
static bool expect_row(ki_loader *loader, const ki_yaml *matrix, const ki_yaml *row, int number) {
    char what[48];
    bool good = true;
    if (row->kind != KI_YAML_LIST) {
        KI_COMPLAIN(loader, row->at,
                    "row %d of '%s' must be a list, not %s: a matrix is a list of rows, [[1, 0], [0, 1]]",
                    number, matrix->key, ki_yaml_kind_word(row->kind));
        return false;
    }
    snprintf(what, sizeof what, "an entry in row %d of", number);
    for (const ki_yaml *entry = row->first; entry; entry = entry->next)
        good = ki_expect_formula(loader, entry, what, matrix->key) && good;
    if (matrix->first->kind == KI_YAML_LIST && row->count != matrix->first->count) {
        KI_COMPLAIN(loader, row->at, "row %d of '%s' has length %d, but row 1 has length %d", number,
                    matrix->key, row->count, matrix->first->count);
        return false;
    }
    return good;
}

static bool expect_matrix(ki_loader *loader, const ki_yaml *matrix) {
    bool good = true;
    int number = 1;
    for (const ki_yaml *row = matrix->first; row; row = row->next) {
        good = expect_row(loader, matrix, row, number++) && good;
        if (row->kind != KI_YAML_LIST)
            return false; /* the others are most likely no rows either */
    }
    if (good && (!matrix->first || matrix->first->count != matrix->count)) {
        KI_COMPLAIN(loader, matrix->at, "the matrix '%s' must be square, but it is %d x %d", matrix->key,
                    matrix->count, matrix->first ? matrix->first->count : 0);
        return false;
    }
    return good;
}

bool ki_expect_gain(ki_loader *loader, const ki_yaml *value) {
    if (value->kind == KI_YAML_MAP)
        return expect_named(loader, value);
    if (value->kind == KI_YAML_LIST)
        return expect_matrix(loader, value);
    return ki_expect_formula(loader, value, "the value of", value->key);
}

/* Values of the entries of a map or a row. All are looked at, the first failure is returned. */
static keel_status read_values(ki_loader *loader, const ki_yaml *list, keel_diagnostics *diagnostics,
                               double *values) {
    keel_status status = KEEL_OK;
    for (const ki_yaml *entry = list->first; entry; entry = entry->next) {
        keel_status one =
            keel_equations_value(loader->equations, entry->formula, entry->formula_at, diagnostics, values++);
        status = status == KEEL_OK || one == KEEL_ERROR_MEMORY ? one : status;
    }
    return status;
}

static keel_status read_named(ki_loader *loader, const ki_yaml *map, keel_diagnostics *diagnostics,
                              keel_gain *gain) {
    double *values = KI_NEW(loader->kept, double, map->count);
    const char **names = KI_NEW(loader->kept, const char *, map->count);
    if (!values || !names)
        return KEEL_ERROR_MEMORY;
    int i = 0;
    for (const ki_yaml *entry = map->first; entry; entry = entry->next)
        if (!(names[i++] = ki_arena_text(loader->kept, entry->key, strlen(entry->key))))
            return KEEL_ERROR_MEMORY;
    *gain = (keel_gain){.kind = KEEL_GAIN_NAMED, .count = map->count, .names = names, .values = values};
    return read_values(loader, map, diagnostics, values);
}

static keel_status read_matrix(ki_loader *loader, const ki_yaml *matrix, keel_diagnostics *diagnostics,
                               keel_gain *gain) {
    size_t n = (size_t)matrix->count;
    double *values = KI_NEW(loader->kept, double, n *n);
    if (!values)
        return KEEL_ERROR_MEMORY;
    keel_status status = KEEL_OK;
    double *row_values = values;
    for (const ki_yaml *row = matrix->first; row; row = row->next, row_values += n) {
        keel_status one = read_values(loader, row, diagnostics, row_values);
        status = status == KEEL_OK || one == KEEL_ERROR_MEMORY ? one : status;
    }
    *gain = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = matrix->count, .values = values};
    return status;
}

keel_status ki_read_gain(ki_loader *loader, const ki_yaml *value, keel_diagnostics *diagnostics,
                         keel_gain *gain) {
    return value->kind == KI_YAML_MAP ? read_named(loader, value, diagnostics, gain)
                                      : read_matrix(loader, value, diagnostics, gain);
}
