/* SPDX-License-Identifier: MIT */
/* Our LZ4 blocks against the decoder of the LZ4 project. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "tracy/lz4.h"

#define BLOCK 262144

struct buffers {
    struct tracy_lz4 lz4;
    uint8_t in[BLOCK], out[TRACY_LZ4_BOUND(BLOCK)], back[BLOCK];
    uint64_t random;
};

static struct buffers *make(void) {
    struct buffers *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->random = 1;
    return b;
}

static uint32_t next(struct buffers *b) {
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(b->random >> 33);
}

/* Compresses "length" bytes of "in", exactly placed so that an overrun is found; returns the
 * size. */
static size_t round_trip(struct buffers *b, size_t length) {
    uint8_t *in = malloc(length > 0 ? length : 1);
    uint8_t *out = malloc(TRACY_LZ4_BOUND(length));
    assert_non_null(in);
    assert_non_null(out);
    memcpy(in, b->in, length);
    size_t packed = tracy_lz4_compress(&b->lz4, in, length, out);
    assert_true(packed <= TRACY_LZ4_BOUND(length));
    int back = LZ4_decompress_safe((const char *)out, (char *)b->back, (int)packed, BLOCK);
    assert_int_equal(back, length);
    assert_memory_equal(b->back, b->in, length);
    free(in);
    free(out);
    return packed;
}

/* Kinds of content: noise, few values, bytes that look like Tracy's items, one byte. */
static void fill(struct buffers *b, size_t length, unsigned kind) {
    for (size_t i = 0; i < length; i++) {
        uint32_t random = next(b);
        b->in[i] = (uint8_t)(kind == 0   ? random
                             : kind == 1 ? random % 3
                             : kind == 2 ? (i % 13 < 10 ? i % 13 : random)
                                         : 7);
    }
}

static void test_short_blocks(void **state) {
    struct buffers *b = make();
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        for (size_t length = 0; length < 600; length++) {
            fill(b, length, kind);
            round_trip(b, length);
        }
    }
    free(b);
}

static void test_many_blocks(void **state) {
    struct buffers *b = make();
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        size_t length = next(b) % (i % 16 == 0 ? BLOCK + 1 : 5000);
        fill(b, length, i % 4);
        round_trip(b, length);
    }
    free(b);
}

static void test_ratio(void **state) {
    struct buffers *b = make();
    (void)state;
    fill(b, BLOCK, 3);
    assert_in_range(round_trip(b, BLOCK), 1, BLOCK / 200);
    fill(b, BLOCK, 2);
    assert_in_range(round_trip(b, BLOCK), 1, BLOCK * 3 / 5);
    fill(b, BLOCK, 0); /* noise grows by no more than its token's lengths */
    assert_in_range(round_trip(b, BLOCK), BLOCK, BLOCK + BLOCK / 255 + 16);
    free(b);
}

/* Its first four bytes come again after twelve. By lz4_Block_format.md: a token, 12 literals and
 * an offset of two bytes; a token, a byte for a length of 15 or more, and the other 16 literals. */
static void test_repeat_of_the_start(void **state) {
    struct buffers *b = make();
    (void)state;
    for (size_t i = 0; i < 32; i++) {
        b->in[i] = (uint8_t)(i >= 12 && i < 16 ? i - 12 : i);
    }
    for (size_t block = 0; block < 3; block++) {
        assert_int_equal(round_trip(b, 32), (1 + 12 + 2) + (1 + 1 + 16));
    }
    free(b);
}

static void test_repeat_far_away(void **state) {
    struct buffers *b = make();
    (void)state;
    for (size_t distance = 65533; distance <= 65538; distance++) { /* offsets end at 65535 */
        fill(b, distance + 100, 0);
        memcpy(b->in + distance, b->in, 100);
        round_trip(b, distance + 100);
    }
    free(b);
}

/* The viewer decodes all blocks with one stream; our blocks must not depend on earlier ones. */
static void test_one_stream(void **state) {
    struct buffers *b = make();
    LZ4_streamDecode_t *decoder = LZ4_createStreamDecode();
    uint8_t *ring = malloc(3 * BLOCK + 1);
    size_t at = 0;
    (void)state;
    assert_non_null(ring);
    for (unsigned i = 0; i < 100; i++) {
        size_t length = 1 + next(b) % BLOCK;
        fill(b, length, i % 4);
        size_t packed = tracy_lz4_compress(&b->lz4, b->in, length, b->out);
        int back = LZ4_decompress_safe_continue(decoder, (const char *)b->out, (char *)ring + at,
                                                (int)packed, BLOCK);
        assert_int_equal(back, length);
        assert_memory_equal(ring + at, b->in, length);
        at = at + length > 2 * BLOCK ? 0 : at + length;
    }
    LZ4_freeStreamDecode(decoder);
    free(ring);
    free(b);
}

/* The table's places are counted on over the blocks and must start again before they overflow. */
static void test_places_overflow(void **state) {
    struct buffers *b = make();
    (void)state;
    fill(b, 5000, 2);
    round_trip(b, 5000);
    b->lz4.base = UINT32_MAX - 7000;
    for (unsigned i = 0; i < 4; i++) {
        fill(b, 5000, 2);
        round_trip(b, 5000);
    }
    assert_in_range(b->lz4.base, 1, 20001);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_blocks), cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_ratio),        cmocka_unit_test(test_repeat_of_the_start),
        cmocka_unit_test(test_ratio),        cmocka_unit_test(test_repeat_far_away),
        cmocka_unit_test(test_one_stream),   cmocka_unit_test(test_places_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
