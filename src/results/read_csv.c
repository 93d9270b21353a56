/* read_csv.c - reads back what csv.c wrote: a header of names, rows of numbers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/record.h"
#include "results/regular.h"

/* A file while it is read. */
typedef struct reading {
    const char *path;
    FILE *file;
    keel_diagnostics *diagnostics;
    keel_record *record;
    char *line;
    size_t size;
    int number; /* of the line, from 1 */
} reading;

#define COMPLAIN(r, ...)                                                                                     \
    keel_diagnostics_add((r)->diagnostics, KEEL_ERROR,                                                       \
                         (keel_location){.file = (r)->path, .line = (r)->number}, __VA_ARGS__)

/* The next line without its end. 1: there is one, 0: the file ends, negative: a status after a message. */
static int next_line(reading *r) {
    errno = 0;
    ssize_t length = getline(&r->line, &r->size, r->file);
    if (length < 0 && errno == ENOMEM)
        return KEEL_ERROR_MEMORY;
    if (length < 0 && ferror(r->file)) {
        COMPLAIN(r, "cannot be read: %s", strerror(errno));
        return KEEL_ERROR_IO;
    }
    if (length < 0)
        return 0;
    r->number++;
    if (memchr(r->line, 0, (size_t)length)) {
        COMPLAIN(r, "has a zero byte: this is not a CSV file");
        return KEEL_ERROR_INPUT;
    }
    if (r->line[length - 1] != '\n') {
        COMPLAIN(r, "the file ends inside of this line: it is truncated");
        return KEEL_ERROR_INPUT;
    }
    r->line[--length] = 0;
    if (length > 0 && r->line[length - 1] == '\r')
        r->line[length - 1] = 0;
    return 1;
}

/* ---- header ---------------------------------------------------------------------------------------------
 */

/* The comma or the end of the line after a name; NULL after a quote that is not closed. A quote counts as one
 * only at the beginning of a name; two of them inside stand for one. */
static char *end_of_name(char *name) {
    if (*name != '"')
        return name + strcspn(name, ",");
    char *c = name + 1;
    while (*c && (*c != '"' || c[1] == '"'))
        c += *c == '"' ? 2 : 1;
    return *c == '"' && (c[1] == 0 || c[1] == ',') ? c + 1 : NULL;
}

/* Takes the name off that ends at `end`, with its quotes undone in place. */
static char *take_name(char *name, char *end) {
    char *to = name;
    *end = 0;
    if (*name != '"')
        return name;
    for (char *c = name + 1; c < end - 1; c++) {
        c += *c == '"';
        *to++ = *c;
    }
    *to = 0;
    return name;
}

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* Where a name belongs that stands after one of the group `before`. */
static ki_group group_of(const char *name, ki_group before) {
    static const struct {
        const char *name;
        ki_group group;
    } FIXED[] = {
        {"energy", KI_ENERGY},
        {"energy_drift", KI_ENERGY},
        {"energy_integrator", KI_AUDIT},
        {"energy_projection", KI_AUDIT},
        {"energy_projection_1", KI_AUDIT},
        {"energy_projection_2", KI_AUDIT},
        {"newton_iterations", KI_NEWTON},
        {"newton_correction_q", KI_NEWTON},
        {"newton_correction_lambda", KI_NEWTON},
        {"condition", KI_NEWTON},
        {"position_violation", KI_VIOLATION},
        {"velocity_violation", KI_VIOLATION},
    };
    for (size_t i = 0; i < sizeof FIXED / sizeof *FIXED; i++)
        if (strcmp(FIXED[i].name, name) == 0)
            return FIXED[i].group;
    if (begins_with(name, "lambda."))
        return KI_MULTIPLIER;
    if (begins_with(name, "d.") && before >= KI_COORDINATE)
        return KI_PROJECTION;
    if (before >= KI_MULTIPLIER)
        return KI_OUTPUT;
    size_t length = strlen(name);
    return length && name[length - 1] == '\'' ? KI_VELOCITY
           : before >= KI_VELOCITY            ? KI_OUTPUT
                                              : KI_COORDINATE;
}

/* How many names the header has; 0: a quote is not closed. */
static int count_names(char *header) {
    for (int count = 1;; count++) {
        char *end = end_of_name(header);
        if (!end || !*end)
            return end ? count : 0;
        header = end + 1;
    }
}

static void add_column(reading *r, char *name) {
    static const char SHARED[] = "(shared)";
    ki_columns *columns = &r->record->columns;
    size_t length = strlen(name), tail = sizeof SHARED - 1;
    bool shared = length > tail && strcmp(name + length - tail, SHARED) == 0;
    ki_group before = columns->count ? columns->column[columns->count - 1].group : KI_TIME;
    const char *copy = ki_arena_text(&r->record->arena, name, shared ? length - tail : length);
    columns->column[columns->count] =
        (ki_column){copy, columns->count ? group_of(name, before) : KI_TIME, shared, ""};
    columns->count++;
}

/* What stands between velocities and multipliers is a state. */
static void find_states(ki_columns *columns) {
    int last = 0;
    for (int i = 0; i < columns->count; i++)
        last = columns->column[i].group == KI_MULTIPLIER ? i : last;
    for (int i = 0; i < last; i++)
        if (columns->column[i].group == KI_OUTPUT)
            columns->column[i].group = KI_STATE;
}

static bool is_own(const ki_columns *columns) {
    int n = columns->count;
    return n > 2 && strcmp(columns->column[0].name, "t") == 0 &&
           strcmp(columns->column[n - 2].name, "position_violation") == 0 &&
           strcmp(columns->column[n - 1].name, "velocity_violation") == 0;
}

static keel_status read_header(reading *r) {
    ki_columns *columns = &r->record->columns;
    int got = next_line(r);
    if (got < 0)
        return (keel_status)got;
    if (got == 0) {
        r->number = 0;
        COMPLAIN(r, "the file is empty");
        return KEEL_ERROR_INPUT;
    }
    static const char MARK[] =
        "\xEF\xBB\xBF"; /* byte order mark of UTF-8: some programs begin files with it */
    char *header = r->line + (begins_with(r->line, MARK) ? strlen(MARK) : 0);
    int count = count_names(header);
    if (count == 0) {
        COMPLAIN(r, "a quote is not closed: this is not a result of 'keel run -o'");
        return KEEL_ERROR_INPUT;
    }
    columns->column = KI_NEW(&r->record->arena, ki_column, count);
    if (!columns->column)
        return KEEL_ERROR_MEMORY;
    for (char *name = header; columns->count < count;) {
        char *end = end_of_name(name);
        add_column(r, take_name(name, end));
        name = end + 1;
    }
    if (r->record->arena.failed)
        return KEEL_ERROR_MEMORY;
    find_states(columns);
    if (is_own(columns))
        return ki_record_prepare(r->record);
    COMPLAIN(
        r, "this is not a result of 'keel run -o': its header does not go from 't' to 'velocity_violation'");
    return KEEL_ERROR_INPUT;
}

/* ---- rows -----------------------------------------------------------------------------------------------
 */

/* What stands after column `number` of `count` that should not. */
static void complain_end(reading *r, char after, int number, int count) {
    if (after == 0)
        COMPLAIN(r, "only %d of %d columns", number, count);
    else if (after == ',')
        COMPLAIN(r, "more numbers than the header has columns (%d)", count);
    else
        COMPLAIN(r, "column %d of %d is followed by something that is no number", number, count);
}

static keel_status read_row(reading *r) {
    keel_record *record = r->record;
    int count = record->columns.count;
    char *c = r->line, *end;
    for (int i = 0; i < count; i++, c = end + 1) {
        bool empty = *c == ',' || *c == 0; /* there is no value */
        record->scratch[i] = empty ? NAN : strtod(c, &end);
        end = empty ? c : end;
        if (end == c && !empty) {
            COMPLAIN(r, "column %d ('%s') has no number", i + 1, record->columns.column[i].name);
            return KEEL_ERROR_INPUT;
        }
        if (*end != (i + 1 < count ? ',' : 0)) {
            complain_end(r, *end, i + 1, count);
            return KEEL_ERROR_INPUT;
        }
    }
    const ki_series *rows = &record->rows;
    if (!isfinite(record->scratch[0]) || (rows->seen && record->scratch[0] < rows->last[0])) {
        COMPLAIN(r, "the time %g comes after %g", record->scratch[0], rows->seen ? rows->last[0] : 0);
        return KEEL_ERROR_INPUT;
    }
    return ki_series_add(&record->rows, record->scratch);
}

static keel_status read_all(reading *r) {
    keel_status status = read_header(r);
    int got = 0;
    while (status == KEEL_OK && (got = next_line(r)) > 0)
        status = read_row(r);
    if (status == KEEL_OK && got < 0)
        status = (keel_status)got;
    if (status == KEEL_OK && r->record->rows.seen == 0) {
        COMPLAIN(r, "there is no row after the header");
        status = KEEL_ERROR_INPUT;
    }
    return status;
}

keel_status ki_read_csv(const char *path, keel_diagnostics *diagnostics, keel_record *record) {
    reading r = {.path = path, .file = ki_open_regular(path), .diagnostics = diagnostics, .record = record};
    if (!r.file) {
        COMPLAIN(&r, "cannot be opened: %s", ki_regular_problem());
        return KEEL_ERROR_IO;
    }
    keel_status status = read_all(&r);
    free(r.line);
    fclose(r.file);
    return status;
}
