/* source.c - reading a file into memory and making sure that it is text. */
#include "modelfile/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Far above any model; keeps a wrong file (a video, /dev/zero) from filling the memory. */
static const size_t MAX_BYTES = (size_t)64 << 20;

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

keel_location ki_source_place(const ki_source *source, size_t offset) {
    keel_location place = {source->file, 1, 1};
    const char *s = source->text;
    for (size_t i = 0; i < offset && i < source->length; i++) {
        bool lone_return = s[i] == '\r' && !(i + 1 < source->length && s[i + 1] == '\n');
        if (s[i] == '\n' || lone_return) {
            place.line++;
            place.column = 1;
        } else if (!is_continuation(s[i])) {
            place.column++;
        }
    }
    return place;
}

/* Length in bytes of the UTF-8 character at s, 0 if there is none; its code goes to *code. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *code) {
    static const uint32_t SMALLEST[] = {0, 0, 0x80, 0x800, 0x10000}; /* shorter forms are not allowed */
    size_t bytes = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC0 ? 2 : 0;
    if (bytes == 0 || bytes > left || s[0] > 0xF4)
        return 0;
    *code = bytes == 1 ? s[0] : s[0] & (0xFFu >> (bytes + 1));
    for (size_t k = 1; k < bytes; k++) {
        if ((s[k] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (s[k] & 0x3F);
    }
    bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < SMALLEST[bytes] || *code > 0x10FFFF || surrogate ? 0 : bytes;
}

/* What YAML calls printable. */
static bool is_printable(uint32_t code) {
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    if (code >= 0x7F && code < 0xA0)
        return code == 0x85;
    return code != 0xFFFE && code != 0xFFFF;
}

bool ki_source_check(const ki_source *source, keel_diagnostics *diagnostics) {
    const unsigned char *s = (const unsigned char *)source->text;
    size_t n = source->length;
    if (n >= 2 && ((s[0] == 0xFF && s[1] == 0xFE) || (s[0] == 0xFE && s[1] == 0xFF))) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){source->file, 1, 1},
                             "the file is UTF-16 text: save it as UTF-8");
        return false;
    }
    for (size_t i = 0, bytes; i < n; i += bytes) {
        uint32_t code = 0;
        bytes = decode(s + i, n - i, &code);
        if (bytes && is_printable(code))
            continue;
        const char *rule = bytes ? "is a control character" : "is not valid UTF-8";
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, ki_source_place(source, i),
            "this does not look like a text file: the byte 0x%02X %s (a binary file? or text "
            "in another encoding than UTF-8?)",
            (unsigned)s[i], rule);
        return false;
    }
    return true;
}

static keel_status fail(const char *path, int error, const char *what, keel_diagnostics *diagnostics) {
    char reason[256];
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){path, 0, 0}, "cannot %s '%s': %s", what,
                         path, reason);
    return KEEL_ERROR_IO;
}

/* Appends the rest of the stream to *text; stops beyond MAX_BYTES. */
static keel_status read_all(FILE *stream, char **text, size_t *length) {
    size_t capacity = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity ? 2 * capacity : (size_t)1 << 16;
            char *grown = realloc(*text, capacity);
            if (!grown)
                return KEEL_ERROR_MEMORY;
            *text = grown;
        }
        size_t count = fread(*text + *length, 1, capacity - *length, stream);
        *length += count;
        if (count == 0 || *length > MAX_BYTES)
            return KEEL_OK;
    }
}

/* A pipe that nobody writes to is empty, and not waited for. */
static FILE *open_now(const char *path) {
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *stream = file < 0 ? NULL : fdopen(file, "rb");
    if (stream)
        fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK); /* who writes may take their time */
    else if (file >= 0)
        close(file);
    return stream;
}

keel_status ki_source_load(const char *path, keel_diagnostics *diagnostics, char **text, size_t *length) {
    *text = NULL;
    *length = 0;
    FILE *stream = open_now(path);
    if (!stream)
        return fail(path, errno, "open", diagnostics);
    errno = 0;
    keel_status status = read_all(stream, text, length);
    if (status == KEEL_OK && ferror(stream))
        status = fail(path, errno ? errno : EIO, "read", diagnostics);
    if (status == KEEL_OK && *length > MAX_BYTES) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){path, 0, 0},
                             "the file is larger than %zu MB: this is not a model file", MAX_BYTES >> 20);
        status = KEEL_ERROR_INPUT;
    }
    fclose(stream);
    if (status != KEEL_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

const char *ki_brief(const char *text, char buffer[KI_BRIEF]) {
    size_t length = strlen(text), most = KI_BRIEF - 4;
    if (length < KI_BRIEF)
        return text;
    while (most > 0 && is_continuation(text[most]))
        most--;
    memcpy(buffer, text, most);
    memcpy(buffer + most, "...", 4);
    return buffer;
}
