/* packed.h - arrays of numbers inside JSON: {"type": "f64", "count": 3, "base64": "..."}, little endian. */
#ifndef KI_PACKED_H
#define KI_PACKED_H

#include "results/json.h"

typedef enum ki_packing { KI_F64, KI_F32 } ki_packing;

/* `count` numbers, the k-th of them values[k * stride]. */
void ki_json_packed(ki_json *json, const char *key, ki_packing packing, const double *values, long count,
                    long stride);

/* The same, of numbers that are floats already. */
void ki_json_floats(ki_json *json, const char *key, const float *values, long count);

#endif
