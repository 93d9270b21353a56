/* checkpoint.c - what a checkpoint is as bytes:
 *
 *     "KEELCKPT"  version  byte order
 *     for each part: name [16], size [8], bytes
 *     mark of all of that [8]
 */
#include "run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/refuse.h"

enum { VERSION = 2, NAME = 16, MOST_PARTS = 64, MARK = 8 };
static const char MAGIC[8] = {'K', 'E', 'E', 'L', 'C', 'K', 'P', 'T'};
static const uint32_t ORDER = 0x01020304;

typedef struct part {
    char name[NAME];
    void *bytes;
    size_t size;
} part;

struct keel_checkpoint {
    part parts[MOST_PARTS];
    int count;
    ki_stream all; /* as it was last asked for */
};

keel_checkpoint *ki_checkpoint_new(void) {
    return calloc(1, sizeof(keel_checkpoint));
}

void keel_checkpoint_free(keel_checkpoint *c) {
    if (!c)
        return;
    for (int i = 0; i < c->count; i++)
        free(c->parts[i].bytes);
    ki_stream_clear(&c->all);
    free(c);
}

static const part *find(const keel_checkpoint *c, const char *name) {
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->parts[i].name, name) == 0)
            return &c->parts[i];
    return NULL;
}

keel_status keel_checkpoint_put(keel_checkpoint *c, const char *name, const void *bytes, size_t size) {
    if (!c || !name || !*name || strlen(name) >= NAME || (!bytes && size))
        return KEEL_ERROR_INPUT;
    void *copy = malloc(size + 1);
    if (!copy)
        return KEEL_ERROR_MEMORY;
    if (size)
        memcpy(copy, bytes, size);
    ((char *)copy)[size] = 0; /* a text ends */
    part *at = (part *)find(c, name);
    if (!at && c->count == MOST_PARTS) {
        free(copy);
        return KEEL_ERROR_INPUT;
    }
    if (!at) {
        at = &c->parts[c->count++];
        memcpy(at->name, name, strlen(name) + 1);
    }
    free(at->bytes);
    at->bytes = copy;
    at->size = size;
    return KEEL_OK;
}

const void *keel_checkpoint_get(const keel_checkpoint *c, const char *name, size_t *size) {
    const part *at = c && name ? find(c, name) : NULL;
    if (size)
        *size = at ? at->size : 0;
    return at ? at->bytes : NULL;
}

keel_status ki_checkpoint_keep(keel_checkpoint *c, const char *name, ki_stream *stream) {
    keel_status status =
        stream->failed ? KEEL_ERROR_MEMORY : keel_checkpoint_put(c, name, stream->bytes, stream->size);
    ki_stream_clear(stream);
    return status;
}

ki_stream ki_checkpoint_part(const keel_checkpoint *c, const char *name) {
    size_t size;
    const void *bytes = keel_checkpoint_get(c, name, &size);
    ki_stream stream = ki_stream_to_read(bytes, size);
    stream.failed = !bytes;
    return stream;
}

const void *keel_checkpoint_bytes(keel_checkpoint *c, size_t *size) {
    if (size)
        *size = 0;
    if (!c || !size)
        return NULL;
    uint32_t head[] = {VERSION, ORDER};
    ki_stream *s = &c->all;
    ki_stream_clear(s);
    ki_visit_bytes(s, (void *)MAGIC, sizeof MAGIC);
    ki_visit_bytes(s, head, sizeof head);
    for (int i = 0; i < c->count; i++) {
        uint64_t length = c->parts[i].size;
        ki_visit_bytes(s, c->parts[i].name, NAME);
        ki_visit_bytes(s, &length, sizeof length);
        ki_visit_bytes(s, c->parts[i].bytes, c->parts[i].size);
    }
    uint64_t mark = s->failed ? 0 : ki_mark_add(KI_MARK, s->bytes, s->size);
    ki_visit_bytes(s, &mark, MARK);
    if (s->failed)
        return NULL;
    *size = s->size;
    return s->bytes;
}

static keel_status refuse(keel_diagnostics *diagnostics, const char *why) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s", why);
    return KEEL_ERROR_INPUT;
}

/* What comes before the parts, and the mark behind them. */
static keel_status check_frame(ki_stream *s, keel_diagnostics *diagnostics) {
    char magic[sizeof MAGIC];
    uint32_t head[2], turned = ORDER >> 24 | (ORDER >> 8 & 0xff00) | (ORDER << 8 & 0xff0000) | ORDER << 24;
    uint64_t mark;
    ki_visit_bytes(s, magic, sizeof magic);
    ki_visit_bytes(s, head, sizeof head);
    if (s->failed || memcmp(magic, MAGIC, sizeof magic) != 0)
        return refuse(diagnostics, "this is no checkpoint");
    if (head[1] == turned)
        return refuse(diagnostics, "the checkpoint is of a machine with another order of bytes");
    if (head[0] != VERSION) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "the checkpoint has version %u of the format, and this program reads version %d",
                             (unsigned)head[0], VERSION);
        return KEEL_ERROR_INPUT;
    }
    if (s->size - s->at < MARK)
        return refuse(diagnostics, "the checkpoint is cut off");
    memcpy(&mark, s->bytes + s->size - MARK, MARK);
    s->size -= MARK;
    if (head[1] != ORDER || mark != ki_mark_add(KI_MARK, s->bytes, s->size))
        return refuse(diagnostics, "the checkpoint is damaged or cut off: its checksum is another one");
    return KEEL_OK;
}

static keel_status read_parts(keel_checkpoint *c, ki_stream *s) {
    while (s->at < s->size) {
        char name[NAME];
        uint64_t length;
        ki_visit_bytes(s, name, NAME);
        ki_visit_bytes(s, &length, sizeof length);
        if (s->failed || name[NAME - 1] || length > s->size - s->at || find(c, name))
            return KEEL_ERROR_INPUT;
        keel_status status = keel_checkpoint_put(c, name, s->bytes + s->at, (size_t)length);
        if (status)
            return status;
        s->at += (size_t)length;
    }
    return KEEL_OK;
}

keel_checkpoint *keel_checkpoint_read(const void *bytes, size_t size, keel_diagnostics *diagnostics,
                                      keel_status *status) {
    if (!bytes || !status)
        return ki_refuse(status);
    ki_stream stream = ki_stream_to_read(bytes, size);
    keel_checkpoint *c = NULL;
    *status = check_frame(&stream, diagnostics);
    if (*status)
        return NULL;
    c = ki_checkpoint_new();
    *status = c ? read_parts(c, &stream) : KEEL_ERROR_MEMORY;
    if (!*status)
        return c;
    refuse(diagnostics, *status == KEEL_ERROR_MEMORY ? keel_status_text(*status)
                                                     : "the parts of the checkpoint do not fit");
    keel_checkpoint_free(c);
    return NULL;
}
