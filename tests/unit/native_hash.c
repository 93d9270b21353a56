/* SHA-256: the examples of NIST, and pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "native/hash.h"

static void assert_digest(ki_hash hash, const char *expected) {
    unsigned char digest[KI_DIGEST_SIZE];
    char text[2 * KI_DIGEST_SIZE + 1];
    ki_hash_end(&hash, digest);
    for (int i = 0; i < KI_DIGEST_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

/* FIPS 180-4 examples, csrc.nist.gov: one block, two blocks, a million times a. */
static void examples_of_the_standard(void **state) {
    (void)state;
    assert_digest(ki_hash_start(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ki_hash hash = ki_hash_start();
    ki_hash_add(&hash, "abc", 3);
    assert_digest(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash = ki_hash_start();
    ki_hash_add(&hash, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    assert_digest(hash, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hash = ki_hash_start();
    for (int i = 0; i < 100000; i++)
        ki_hash_add(&hash, "aaaaaaaaaa", 10);
    assert_digest(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_do_not_matter(void **state) {
    (void)state;
    unsigned char data[300], whole[KI_DIGEST_SIZE], parts[KI_DIGEST_SIZE];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t size = 1; size < 140; size++) {
        ki_hash one = ki_hash_start(), many = ki_hash_start();
        ki_hash_add(&one, data, sizeof data);
        for (size_t at = 0; at < sizeof data; at += size)
            ki_hash_add(&many, data + at, at + size < sizeof data ? size : sizeof data - at);
        ki_hash_end(&one, whole);
        ki_hash_end(&many, parts);
        assert_memory_equal(whole, parts, KI_DIGEST_SIZE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_standard),
        cmocka_unit_test(pieces_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
