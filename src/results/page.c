#include "results/page.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

extern const char ki_page_template[], ki_page_template_end[];

static const char PLACE[] = "<script id=\"keel-data\" type=\"application/json\">";
static const char NOTHING[] = "null";

/* Where the data of the template stand, or NULL. */
static const char *find_place(void) {
    size_t length = sizeof PLACE - 1;
    const char *c = ki_page_template, *end = ki_page_template_end;
    while (c < end && (c = memchr(c, PLACE[0], (size_t)(end - c)))) {
        bool fits = (size_t)(end - c) > length + sizeof NOTHING;
        if (fits && memcmp(c, PLACE, length) == 0 && memcmp(c + length, NOTHING, sizeof NOTHING - 1) == 0)
            return c + length;
        c++;
    }
    return NULL;
}

static void write_escaped(FILE *file, const char *json, size_t length) {
    const char *end = json + length;
    while (json < end) {
        const char *bracket = memchr(json, '<', (size_t)(end - json));
        fwrite(json, 1, (size_t)((bracket ? bracket : end) - json), file);
        if (bracket)
            fputs("\\u003c", file);
        json = bracket ? bracket + 1 : end;
    }
}

keel_status ki_page_put(FILE *file, const char *json, size_t length) {
    const char *place = find_place();
    if (!place) {
        errno = EINVAL;
        return KEEL_ERROR_IO;
    }
    const char *rest = place + sizeof NOTHING - 1;
    fwrite(ki_page_template, 1, (size_t)(place - ki_page_template), file);
    write_escaped(file, json, length);
    fwrite(rest, 1, (size_t)(ki_page_template_end - rest), file);
    return fflush(file) || ferror(file) ? KEEL_ERROR_IO : KEEL_OK;
}

keel_status ki_page_write(const char *path, const char *json, size_t length) {
    if (strcmp(path, "-") == 0)
        return ki_page_put(stdout, json, length);
    FILE *file = fopen(path, "w");
    if (!file)
        return KEEL_ERROR_IO;
    keel_status status = ki_page_put(file, json, length);
    int error = errno;
    if (fclose(file) && status == KEEL_OK) {
        status = KEEL_ERROR_IO;
        error = errno;
    }
    if (status != KEEL_OK)
        unlink(path);
    errno = error;
    return status;
}
