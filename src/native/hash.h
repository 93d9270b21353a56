/* hash.h - SHA-256 (NIST FIPS 180-4, section 6.2). Written here because the only thing asked for is one hash
 * of some kilobytes: no library for it is on every machine. */
#ifndef KI_NATIVE_HASH_H
#define KI_NATIVE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { KI_DIGEST_SIZE = 32 };

typedef struct ki_hash {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} ki_hash;

ki_hash ki_hash_start(void);
void ki_hash_add(ki_hash *hash, const void *data, size_t size);
void ki_hash_end(ki_hash *hash, unsigned char digest[KI_DIGEST_SIZE]);

#endif
