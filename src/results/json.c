#include "results/json.h"

#include <math.h>

/* Length of the UTF-8 sequence at `s`, or 0 when it is not a valid one (overlong forms, surrogates and
 * values above U+10FFFF included). Reads no further than the closing NUL. */
static int utf8_length(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    int length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                 : (s[0] & 0xF0) == 0xE0        ? 3
                 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xED && s[1] > 0x9F;
    bool too_large = s[0] == 0xF4 && s[1] > 0x8F;
    return overlong || surrogate || too_large ? 0 : length;
}

static void write_string(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", file);
            s++;
        } else if (*s == '"' || *s == '\\') {
            fprintf(file, "\\%c", *s++);
        } else if (*s < 0x20 || *s == 0x7F) {
            fprintf(file, "\\u%04x", *s++);
        } else {
            fwrite(s, 1, (size_t)length, file);
            s += length;
        }
    }
    fputc('"', file);
}

static void write_line_start(ki_json *json, const char *key) {
    if (json->depth > 0)
        fprintf(json->file, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
    json->first = false;
    if (key) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_bracket(ki_json *json, const char *key, char bracket) {
    write_line_start(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->first = true;
}

static void close_bracket(ki_json *json, char bracket) {
    json->depth--;
    if (!json->first)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->file);
    json->first = false;
    if (json->depth == 0)
        fputc('\n', json->file);
}

void ki_json_open(ki_json *json, const char *key) {
    open_bracket(json, key, '{');
}

void ki_json_close(ki_json *json) {
    close_bracket(json, '}');
}

void ki_json_open_list(ki_json *json, const char *key) {
    open_bracket(json, key, '[');
}

void ki_json_close_list(ki_json *json) {
    close_bracket(json, ']');
}

void ki_json_number(ki_json *json, const char *key, double value) {
    write_line_start(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.17g", value);
    else
        fputs("null", json->file);
}

void ki_json_integer(ki_json *json, const char *key, long value) {
    write_line_start(json, key);
    fprintf(json->file, "%ld", value);
}

void ki_json_text(ki_json *json, const char *key, const char *text) {
    write_line_start(json, key);
    if (text)
        write_string(json->file, text);
    else
        fputs("null", json->file);
}

void ki_json_bool(ki_json *json, const char *key, bool value) {
    ki_json_raw(json, key, value ? "true" : "false");
}

void ki_json_raw(ki_json *json, const char *key, const char *text) {
    write_line_start(json, key);
    fputs(text, json->file);
}
