/* SPDX-License-Identifier: MIT */
#include "tracy/lz4.h"

#include <string.h>

/* lz4_Block_format.md, "End of block conditions" and "Sequence". */
#define MATCH_MIN 4u
#define LAST_LITERALS 5u      /* the last bytes of a block are literals */
#define MATCH_START_LIMIT 12u /* the last match begins at least so far before the end */
#define OFFSET_MAX 65535u
#define RUN_MASK 15u /* a length of 15 or more goes on in further bytes */

/* After so many (as a power of two) failed searches the step grows by one: data that does not
 * repeat is passed over quickly. */
#define SKIP_SHIFT 6u

static uint32_t read32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t read64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t hash_of(uint32_t four_bytes) {
    return (four_bytes * 2654435761u) >> (32u - TRACY_LZ4_TABLE_BITS);
}

static uint8_t *put_length(uint8_t *out, size_t rest) {
    for (; rest >= 255; rest -= 255) {
        *out++ = 255;
    }
    *out++ = (uint8_t)rest;
    return out;
}

/* Token and literals; the match, if one follows, has "match" bytes beyond the least. */
static uint8_t *put_literals(uint8_t *out, const uint8_t *from, size_t count, size_t match) {
    uint8_t high = (uint8_t)(count < RUN_MASK ? count : RUN_MASK);
    uint8_t low = (uint8_t)(match < RUN_MASK ? match : RUN_MASK);
    *out++ = (uint8_t)(high << 4 | low);
    if (count >= RUN_MASK) {
        out = put_length(out, count - RUN_MASK);
    }
    memcpy(out, from, count);
    return out + count;
}

static uint8_t *put_match(uint8_t *out, size_t offset, size_t match) {
    *out++ = (uint8_t)offset;
    *out++ = (uint8_t)(offset >> 8);
    return match >= RUN_MASK ? put_length(out, match - RUN_MASK) : out;
}

static size_t common_length(const uint8_t *a, const uint8_t *b, const uint8_t *a_end) {
    const uint8_t *start = a;
    while (a_end - a >= 8 && read64(a) == read64(b)) {
        a += 8;
        b += 8;
    }
    while (a < a_end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(a - start);
}

/* The table has this block's bytes from "base" on; lower numbers belong to earlier blocks. */
static void begin_block(struct tracy_lz4 *lz4, size_t length) {
    if (lz4->base == 0 || lz4->base > UINT32_MAX - (uint32_t)length - 1) {
        memset(lz4->table, 0, sizeof lz4->table);
        lz4->base = 1;
    }
}

size_t tracy_lz4_compress(struct tracy_lz4 *lz4, const uint8_t *in, size_t length, uint8_t *out) {
    const uint8_t *const end = in + length, *at = in, *anchor = in;
    uint8_t *const start = out;
    begin_block(lz4, length);
    const uint32_t base = lz4->base;
    uint32_t tries = 1u << SKIP_SHIFT;
    while (end - at > (ptrdiff_t)MATCH_START_LIMIT) {
        uint32_t place = (uint32_t)(at - in) + base, *slot = &lz4->table[hash_of(read32(at))];
        uint32_t before = *slot;
        *slot = place;
        if (before < base || place - before > OFFSET_MAX ||
            read32(in + (before - base)) != read32(at)) {
            size_t step = tries++ >> SKIP_SHIFT;
            at = (size_t)(end - at) > step ? at + step : end;
            continue;
        }
        size_t offset = place - before;
        while (at > anchor && (size_t)(at - in) > offset && at[-1] == at[-1 - (ptrdiff_t)offset]) {
            at--;
        }
        size_t match = common_length(at + MATCH_MIN, at + MATCH_MIN - offset, end - LAST_LITERALS);
        out = put_literals(out, anchor, (size_t)(at - anchor), match);
        out = put_match(out, offset, match);
        at += MATCH_MIN + match;
        anchor = at;
        tries = 1u << SKIP_SHIFT;
    }
    out = put_literals(out, anchor, (size_t)(end - anchor), 0);
    lz4->base += (uint32_t)length;
    return (size_t)(out - start);
}
