#include "base/stream.h"

#include <stdlib.h>
#include <string.h>

ki_stream ki_stream_to_read(const void *bytes, size_t size) {
    return (ki_stream){.loading = true, .bytes = (unsigned char *)bytes, .size = size};
}

void ki_stream_clear(ki_stream *s) {
    if (!s->loading)
        free(s->bytes);
    *s = (ki_stream){0};
}

static bool make_room(ki_stream *s, size_t size) {
    if (size > SIZE_MAX / 4 - s->size)
        return false;
    if (s->size + size <= s->room)
        return true;
    size_t room = 2 * (s->size + size) + 256;
    unsigned char *bytes = realloc(s->bytes, room);
    if (!bytes)
        return false;
    s->bytes = bytes;
    s->room = room;
    return true;
}

static void write_bytes(ki_stream *s, const void *bytes, size_t size) {
    s->failed = s->failed || !make_room(s, size);
    if (s->failed)
        return;
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

static void read_bytes(ki_stream *s, void *bytes, size_t size) {
    s->failed = s->failed || size > s->size - s->at;
    if (s->failed) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, s->bytes + s->at, size);
    s->at += size;
}

void ki_visit_bytes(ki_stream *s, void *bytes, size_t size) {
    if (size == 0)
        return;
    if (s->loading)
        read_bytes(s, bytes, size);
    else
        write_bytes(s, bytes, size);
}

void ki_visit_double(ki_stream *s, double *x) {
    ki_visit_bytes(s, x, sizeof *x);
}

void ki_visit_doubles(ki_stream *s, double *x, int count) {
    ki_visit_bytes(s, x, (size_t)count * sizeof *x);
}

void ki_visit_long(ki_stream *s, long *x, long least, long most) {
    int64_t value = s->loading ? 0 : *x;
    ki_visit_bytes(s, &value, sizeof value);
    s->failed = s->failed || (s->loading && (value < least || value > most));
    if (s->loading)
        *x = s->failed ? least : (long)value;
}

void ki_visit_int(ki_stream *s, int *x, int least, int most) {
    long value = s->loading ? 0 : *x;
    ki_visit_long(s, &value, least, most);
    *x = (int)value;
}

void ki_visit_ints(ki_stream *s, int *x, int count, int least, int most) {
    for (int i = 0; i < count; i++)
        ki_visit_int(s, &x[i], least, most);
}

void ki_visit_bool(ki_stream *s, bool *x) {
    unsigned char value = s->loading ? 0 : *x;
    ki_visit_bytes(s, &value, 1);
    s->failed = s->failed || value > 1;
    if (s->loading)
        *x = !s->failed && value;
}

void ki_visit_bools(ki_stream *s, bool *x, int count) {
    for (int i = 0; i < count; i++)
        ki_visit_bool(s, &x[i]);
}

void ki_visit_text(ki_stream *s, const char **text) {
    size_t size = s->loading || !*text ? 0 : strlen(*text) + 1;
    uint64_t length = size;
    ki_visit_bytes(s, &length, sizeof length);
    if (!s->loading) {
        ki_visit_bytes(s, (void *)*text, size);
        return;
    }
    *text = NULL;
    s->failed = s->failed || length > s->size - s->at || (length && s->bytes[s->at + length - 1]);
    if (s->failed || !length)
        return;
    *text = (const char *)s->bytes + s->at;
    s->failed = strlen(*text) + 1 != length;
    s->at += (size_t)length;
}

uint64_t ki_mark_add(uint64_t mark, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        mark = (mark ^ at[i]) * UINT64_C(1099511628211);
    return mark;
}
