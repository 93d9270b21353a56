/* compare_reference.c - reads the rows that `keel run -o FILE.csv` wrote. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* The file that is being read. */
typedef struct reader {
    FILE *file;
    const char *path;
    int line;
    bool complete; /* the line ends with a line break */
    char *text;    /* of the line, without its end */
    size_t size;
    keel_trajectory *rows;
    int room; /* rows that fit, grows */
    keel_diagnostics *diagnostics;
} reader;

static keel_status complain(reader *r, const char *text) {
    keel_location where = {.file = r->path, .line = r->line};
    keel_diagnostics_add(r->diagnostics, KEEL_ERROR, where, "%s", text);
    return KEEL_ERROR_INPUT;
}

/* False at the end of the file. */
static bool next_line(reader *r) {
    ssize_t length = getline(&r->text, &r->size, r->file);
    if (length < 0)
        return false;
    r->line++;
    r->complete = length > 0 && r->text[length - 1] == '\n';
    r->text[strcspn(r->text, "\r\n")] = 0;
    return true;
}

/* Takes one field off the text, quotes removed, in place; *rest goes behind it, NULL after the last one. */
static char *take_field(char **rest) {
    char *field = *rest, *from = field, *to = field;
    bool quoted = false;
    for (; *from && (quoted || *from != ','); from++) {
        if (*from == '"' && quoted && from[1] == '"')
            *to++ = *from++;
        else if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *rest = *from ? from + 1 : NULL;
    *to = 0;
    return field;
}

static keel_status read_header(reader *r) {
    keel_trajectory *x = r->rows;
    if (!next_line(r))
        return complain(r, "the file is empty");
    size_t fields = 1;
    for (const char *c = r->text; *c; c++)
        fields += *c == ',';
    x->names = calloc(fields, sizeof *x->names);
    if (!x->names)
        return KEEL_ERROR_MEMORY;
    char *rest = r->text;
    if (strcmp(take_field(&rest), "t") != 0)
        return complain(r, "these are not rows of keel: the first column should be 't'");
    while (rest) {
        char *name = strdup(take_field(&rest));
        if (!name)
            return KEEL_ERROR_MEMORY;
        x->names[x->columns++] = name;
    }
    return KEEL_OK;
}

static keel_status make_room(reader *r) {
    keel_trajectory *x = r->rows;
    if (x->rows < r->room)
        return KEEL_OK;
    size_t room = r->room ? 2 * (size_t)r->room : 256;
    if (room > 1 << 30)
        return KEEL_ERROR_MEMORY;
    double *t = realloc(x->t, room * sizeof *t);
    x->t = t ? t : x->t;
    double *values = realloc(x->values, (room * (size_t)x->columns + 1) * sizeof *values);
    x->values = values ? values : x->values;
    if (!t || !values)
        return KEEL_ERROR_MEMORY;
    r->room = (int)room;
    return KEEL_OK;
}

/* A number; "nan" is one here: what a row does not have. */
static bool read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end;
}

static keel_status read_row(reader *r) {
    keel_trajectory *x = r->rows;
    keel_status status = make_room(r);
    if (status)
        return status;
    if (!r->complete)
        return complain(r, "the last row is not complete");
    char *rest = r->text;
    double *values = &x->values[(size_t)x->rows * (size_t)x->columns];
    if (!read_number(take_field(&rest), &x->t[x->rows]) || !isfinite(x->t[x->rows]))
        return complain(r, "the time is not a number");
    for (int i = 0; i < x->columns; i++) {
        if (!rest)
            return complain(r, "the row is shorter than the header; is the file complete?");
        if (!read_number(take_field(&rest), &values[i]))
            return complain(r, "something in this row is not a number");
    }
    if (rest)
        return complain(r, "the row is longer than the header");
    if (x->rows && x->t[x->rows] < x->t[x->rows - 1])
        return complain(r, "time goes backwards");
    x->rows++;
    return KEEL_OK;
}

keel_status cli_read_trajectory(const char *path, keel_trajectory *trajectory,
                                keel_diagnostics *diagnostics) {
    reader r = {.path = path, .rows = trajectory, .diagnostics = diagnostics};
    *trajectory = (keel_trajectory){0};
    r.file = fopen(path, "r");
    if (!r.file)
        return complain(&r, strerror(errno));
    keel_status status = read_header(&r);
    while (!status && next_line(&r))
        status = read_row(&r);
    if (!status && ferror(r.file))
        status = complain(&r, strerror(errno));
    fclose(r.file);
    free(r.text);
    return status;
}
