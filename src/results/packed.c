#include "results/packed.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Bytes on their way: whole groups of three go out at once. */
typedef struct encoder {
    FILE *file;
    unsigned char bytes[3];
    int count;
} encoder;

static void put_group(encoder *e) {
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned word = (unsigned)e->bytes[0] << 16 | (unsigned)e->bytes[1] << 8 | e->bytes[2];
    char text[4] = {LETTERS[word >> 18], LETTERS[word >> 12 & 63], LETTERS[word >> 6 & 63],
                    LETTERS[word & 63]};
    for (int k = e->count + 1; k < 4; k++)
        text[k] = '=';
    fwrite(text, 1, sizeof text, e->file);
    e->count = 0;
    memset(e->bytes, 0, sizeof e->bytes);
}

/* The lowest `size` bytes of a word, the lowest first. */
static void put_word(encoder *e, uint64_t word, int size) {
    for (int k = 0; k < size; k++) {
        e->bytes[e->count++] = (unsigned char)(word >> 8 * k);
        if (e->count == 3)
            put_group(e);
    }
}

/* Here what is no finite number is NaN, which docs/report.md gives the meaning "no value". */
static double sound(double value) {
    return isfinite(value) ? value : NAN;
}

static void put_double(encoder *e, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    put_word(e, word, 8);
}

static void put_float(encoder *e, float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put_word(e, word, 4);
}

static encoder open_array(ki_json *json, const char *key, const char *type, long count) {
    ki_json_open(json, key);
    ki_json_text(json, "type", type);
    ki_json_integer(json, "count", count);
    ki_json_raw(json, "base64", "\"");
    return (encoder){.file = json->file};
}

static void close_array(ki_json *json, encoder *e) {
    if (e->count)
        put_group(e);
    fputc('"', json->file);
    ki_json_close(json);
}

void ki_json_packed(ki_json *json, const char *key, ki_packing packing, const double *values, long count,
                    long stride) {
    encoder e = open_array(json, key, packing == KI_F64 ? "f64" : "f32", count);
    for (long k = 0; k < count; k++)
        if (packing == KI_F64)
            put_double(&e, sound(values[k * stride]));
        else
            put_float(&e, (float)sound(values[k * stride]));
    close_array(json, &e);
}

void ki_json_floats(ki_json *json, const char *key, const float *values, long count) {
    encoder e = open_array(json, key, "f32", count);
    for (long k = 0; k < count; k++)
        put_float(&e, values[k]);
    close_array(json, &e);
}
