/* json.h - writes JSON that every reader accepts: escaped strings, no NaN, no infinity.
 *
 * Members and elements appear in the order of the calls. A NULL key is for the outermost object and for the
 * elements of a list.
 */
#ifndef KI_JSON_H
#define KI_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct ki_json {
    FILE *file;
    int depth;
    bool first; /* nothing was written into the innermost object or list yet */
} ki_json;

void ki_json_open(ki_json *json, const char *key);
void ki_json_close(ki_json *json);
void ki_json_open_list(ki_json *json, const char *key);
void ki_json_close_list(ki_json *json);

/* 17 significant digits: reading it back gives the same double. NaN and infinity become null. */
void ki_json_number(ki_json *json, const char *key, double value);
void ki_json_integer(ki_json *json, const char *key, long value);

/* NULL becomes null; bytes that are not UTF-8 become U+FFFD. */
void ki_json_text(ki_json *json, const char *key, const char *text);

void ki_json_bool(ki_json *json, const char *key, bool value);

/* A value that is JSON already, or the beginning of one that the caller writes on to json->file. */
void ki_json_raw(ki_json *json, const char *key, const char *text);

#endif
