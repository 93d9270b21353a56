/* stream.h - state written down as bytes, and taken back from them.
 *
 * One function visits the fields of a thing in a fixed order; the stream knows in which direction it goes.
 * So every field is named once, and what is written is what is read:
 *
 *     static void visit(ki_stream *s, thing *x) {
 *         ki_visit_double(s, &x->t);
 *         ki_visit_int(s, &x->count, 0, MOST);
 *         ki_visit_doubles(s, x->values, x->count);
 *     }
 *
 * What is read may be anything: numbers that count or index are held to the range that the visitor gives, and
 * a stream that ends too early, or has a number outside of its range, has failed: it gives zeros (or the
 * least number allowed) from then on. Bytes are those of this machine; whoever stores them says which.
 */
#ifndef KI_STREAM_H
#define KI_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ki_stream {
    bool loading;
    bool failed;           /* loading: the bytes are none that were written; else: out of memory */
    unsigned char *bytes;  /* writing: owned; loading: not */
    size_t size, room, at; /* bytes there; memory for them; loading: where the next one is */
} ki_stream;

/* An empty stream to write to; ki_stream_clear frees its bytes. */
static inline ki_stream ki_stream_to_write(void) {
    return (ki_stream){0};
}
ki_stream ki_stream_to_read(const void *bytes, size_t size);
void ki_stream_clear(ki_stream *stream);

/* Whether everything was read, and it was well. */
static inline bool ki_stream_is_done(const ki_stream *stream) {
    return !stream->failed && stream->at == stream->size;
}

void ki_visit_bytes(ki_stream *stream, void *bytes, size_t size);
void ki_visit_double(ki_stream *stream, double *x);
void ki_visit_doubles(ki_stream *stream, double *x, int count);
void ki_visit_int(ki_stream *stream, int *x, int least, int most);
void ki_visit_ints(ki_stream *stream, int *x, int count, int least, int most);
void ki_visit_long(ki_stream *stream, long *x, long least, long most);
void ki_visit_bool(ki_stream *stream, bool *x);
void ki_visit_bools(ki_stream *stream, bool *x, int count);

/* A text or NULL. What is read is a part of the stream's bytes. */
void ki_visit_text(ki_stream *stream, const char **text);

/* For an enum, or a signed char: read and written as an int. */
#define KI_VISIT_AS_INT(stream, field, least, most)                                                          \
    do {                                                                                                     \
        int as_int_ = (int)(field);                                                                          \
        ki_visit_int(stream, &as_int_, least, most);                                                         \
        (field) = (__typeof__(field))as_int_;                                                                \
    } while (0)

/* A number that tells bytes apart, by chance alone the same: FNV-1a in 64 bits. Begin with KI_MARK. */
#define KI_MARK UINT64_C(14695981039346656037)
uint64_t ki_mark_add(uint64_t mark, const void *bytes, size_t size);

#endif
