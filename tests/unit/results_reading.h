/* results_reading.h - a page read back: its data as JSON paths, its packed numbers. */
#ifndef TEST_RESULTS_READING_H
#define TEST_RESULTS_READING_H

#include <stdint.h>

#include "json.h"
#include "unit/results_fixture.h"

enum { MEMBERS = 4000, MEMBER_TEXT = 256 };

typedef struct members {
    int count;
    char path[MEMBERS][MEMBER_TEXT], value[MEMBERS][MEMBER_TEXT];
} members;

static inline void take_member(void *user, const char *path, const char *value) {
    members *m = user;
    if (m->count == MEMBERS)
        return;
    snprintf(m->path[m->count], MEMBER_TEXT, "%s", path);
    snprintf(m->value[m->count++], MEMBER_TEXT, "%s", value);
}

/* The value of a member as it is written, or NULL. */
static inline const char *member(const members *m, const char *path) {
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->path[i], path) == 0)
            return m->value[i];
    return NULL;
}

static const char DATA_PLACE[] = "<script id=\"keel-data\" type=\"application/json\">";

/* The data of a page; to be freed. NULL if it has no place for them, or several. */
static inline char *page_data(const char *page) {
    const char *begin = strstr(page, DATA_PLACE), *end;
    if (!begin || strstr(begin + 1, DATA_PLACE))
        return NULL;
    begin += strlen(DATA_PLACE);
    end = strstr(begin, "</script>");
    return end ? strndup(begin, (size_t)(end - begin)) : NULL;
}

static inline int base64_digit(char c) {
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(LETTERS, c) : NULL;
    return found ? (int)(found - LETTERS) : -1;
}

/* Number i of packed doubles, from the text with its quotes. */
static inline double packed_double(const char *base64, int i) {
    unsigned char bytes[8];
    double value;
    for (int k = 0; k < 8; k++) {
        int bit = (8 * i + k) * 8, word = 0;
        for (int j = 0; j < 2; j++)
            word = word << 6 | (base64_digit(base64[1 + bit / 6 + j]) & 63);
        bytes[k] = (unsigned char)(word >> (4 - bit % 6));
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

#endif
