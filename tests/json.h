/* json.h - a strict reader of JSON for tests (RFC 8259).
 *
 * Calls visit(user, path, value) for every member or element that is no object and no array with anything in
 * it, with the way to it in the path ("final.q.x", "events[0].t") and the value as it is written ("1.5",
 * "null", "\"rod\"", "[]").
 */
#ifndef TEST_JSON_H
#define TEST_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef void (*json_visit)(void *user, const char *path, const char *value);

typedef struct json_reader {
    const char *at;
    char path[512];
    json_visit visit;
    void *user;
    int depth;
} json_reader;

static inline void json_space(json_reader *r) {
    r->at += strspn(r->at, " \t\r\n");
}

static inline bool json_one_of(char c, const char *set) {
    return c && strchr(set, c);
}

/* Steps over `c` if it is next. */
static inline bool json_take(json_reader *r, char c) {
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static inline bool json_digits(json_reader *r) {
    size_t count = strspn(r->at, "0123456789");
    r->at += count;
    return count > 0;
}

/* One character of a string that is not an escape: a complete UTF-8 sequence of the shortest form. */
static inline bool json_character(json_reader *r) {
    const unsigned char *s = (const unsigned char *)r->at;
    static const struct {
        unsigned char first, last;            /* range of the first byte  */
        unsigned char second_min, second_max; /* range of the second byte */
        int length;
    } ROWS[] = {
        {0x20, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (unsigned k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        if (s[0] < ROWS[k].first || s[0] > ROWS[k].last)
            continue;
        if (ROWS[k].length > 1 && (s[1] < ROWS[k].second_min || s[1] > ROWS[k].second_max))
            return false;
        for (int i = 2; i < ROWS[k].length; i++)
            if ((s[i] & 0xC0) != 0x80)
                return false;
        r->at += ROWS[k].length;
        return true;
    }
    return false;
}

static inline bool json_string(json_reader *r) {
    if (!json_take(r, '"'))
        return false;
    while (*r->at != '"') {
        if (*r->at != '\\') {
            if (!json_character(r))
                return false;
        } else if (r->at[1] == 'u') {
            r->at += 2;
            if (strspn(r->at, "0123456789abcdefABCDEF") < 4)
                return false;
            r->at += 4;
        } else if (json_one_of(r->at[1], "\"\\/bfnrt")) {
            r->at += 2;
        } else {
            return false;
        }
    }
    r->at++;
    return true;
}

static inline bool json_number(json_reader *r) {
    json_take(r, '-');
    bool zero = *r->at == '0';
    const char *whole = r->at;
    if (!json_digits(r) || (zero && r->at - whole > 1))
        return false;
    if (json_take(r, '.') && !json_digits(r))
        return false;
    if (json_one_of(*r->at, "eE")) {
        r->at++;
        r->at += json_one_of(*r->at, "+-");
        return json_digits(r);
    }
    return true;
}

static inline bool json_value(json_reader *r);

static inline bool json_object(json_reader *r) {
    size_t outer = strlen(r->path);
    r->at++;
    json_space(r);
    if (json_take(r, '}'))
        return true;
    for (;;) {
        json_space(r);
        const char *key = r->at + 1;
        if (!json_string(r))
            return false;
        size_t length = (size_t)(r->at - 1 - key);
        if (outer + length + 2 > sizeof r->path)
            return false;
        sprintf(r->path + outer, "%s%.*s", outer ? "." : "", (int)length, key);
        json_space(r);
        if (!json_take(r, ':') || !json_value(r))
            return false;
        r->path[outer] = 0;
        json_space(r);
        if (!json_take(r, ','))
            return json_take(r, '}');
    }
}

/* The elements of an array that is not empty. */
static inline bool json_array(json_reader *r) {
    size_t outer = strlen(r->path);
    r->at++;
    for (int i = 0;; i++) {
        if (outer + 16 > sizeof r->path)
            return false;
        sprintf(r->path + outer, "[%d]", i);
        if (!json_value(r))
            return false;
        r->path[outer] = 0;
        json_space(r);
        if (!json_take(r, ','))
            return json_take(r, ']');
    }
}

/* Steps over "[ ]"; false, without a step, at anything else. */
static inline bool json_empty_array(json_reader *r) {
    if (*r->at != '[')
        return false;
    const char *end = r->at + 1 + strspn(r->at + 1, " \t\r\n");
    r->at = *end == ']' ? end + 1 : r->at;
    return *end == ']';
}

static inline bool json_value(json_reader *r) {
    json_space(r);
    const char *begin = r->at;
    bool good = true;
    if (*r->at == '{')
        return ++r->depth < 64 && json_object(r) && r->depth--;
    if (*r->at == '[' && !json_empty_array(r))
        return ++r->depth < 64 && json_array(r) && r->depth--;
    if (*begin == '"')
        good = json_string(r);
    else if (strncmp(begin, "null", 4) == 0 || strncmp(begin, "true", 4) == 0)
        r->at += 4;
    else if (strncmp(begin, "false", 5) == 0)
        r->at += 5;
    else if (*begin != '[')
        good = json_number(r);
    char value[1024];
    if (good && r->visit) {
        snprintf(value, sizeof value, "%.*s", (int)(r->at - begin), begin);
        r->visit(r->user, r->path, value);
    }
    return good;
}

/* NULL if `text` is one JSON value and nothing else, else the place where it stops being one. */
static inline const char *json_read(const char *text, json_visit visit, void *user) {
    json_reader r = {.at = text, .visit = visit, .user = user};
    bool good = json_value(&r);
    json_space(&r);
    return good && !*r.at ? NULL : r.at;
}

#endif
