/* SPDX-License-Identifier: MIT */
#include "base/inflate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CODE_BITS 15u
#define LITERALS 288u
#define DISTANCES 32u
#define END_OF_BLOCK 256u

struct reader {
    const uint8_t *bytes;
    size_t length, at;
    uint32_t bits; /* the next ones lowest */
    unsigned count;
    struct inflated out;
    size_t capacity;
};

/* A canonical code: how many words each length has, and the symbols by length and value. */
struct code {
    uint16_t counts[CODE_BITS + 1], symbols[LITERALS];
};

static bool fail(struct reader *r, const char *why) {
    r->out.why = r->out.why ? r->out.why : why;
    return false;
}

static uint32_t take_bits(struct reader *r, unsigned count) {
    while (r->count < count && r->at < r->length) {
        r->bits |= (uint32_t)r->bytes[r->at++] << r->count;
        r->count += 8;
    }
    if (r->count < count) {
        (void)fail(r, "it ends here, in the middle");
        return 0;
    }
    const uint32_t value = r->bits & ((1u << count) - 1u);
    r->bits >>= count;
    r->count -= count;
    return value;
}

static bool make_code(struct reader *r, struct code *code, const uint8_t *lengths, unsigned count) {
    uint16_t offsets[CODE_BITS + 1] = {0};
    int left = 1;
    *code = (struct code){0};
    for (unsigned i = 0; i < count; i++) {
        code->counts[lengths[i]]++;
    }
    code->counts[0] = 0;
    for (unsigned i = 1; i <= CODE_BITS; i++) {
        left = 2 * left - code->counts[i];
        if (left < 0) {
            return fail(r, "a code of more words than there can be");
        }
        offsets[i] = (uint16_t)(offsets[i - 1] + code->counts[i - 1]);
    }
    for (unsigned i = 0; i < count; i++) {
        if (lengths[i] != 0) {
            code->symbols[offsets[lengths[i]]++] = (uint16_t)i;
        }
    }
    return true;
}

static unsigned take_symbol(struct reader *r, const struct code *code) {
    int word = 0, first = 0, index = 0;
    for (unsigned i = 1; i <= CODE_BITS && !r->out.why; i++) {
        word |= (int)take_bits(r, 1);
        const int count = code->counts[i];
        if (word - count < first) {
            return code->symbols[index + word - first];
        }
        index += count;
        first = (first + count) * 2;
        word *= 2;
    }
    (void)fail(r, "no word of the code");
    return 0;
}

static bool has_room(struct reader *r, size_t more) {
    const size_t wanted = r->out.length + more;
    if (wanted <= r->capacity) {
        return true;
    }
    const size_t capacity = 2 * wanted + 65536;
    uint8_t *bytes = wanted <= INFLATE_BYTES_MAX ? realloc(r->out.bytes, capacity) : NULL;
    if (!bytes) {
        return fail(r, wanted > INFLATE_BYTES_MAX ? "it becomes more than 1 GiB"
                                                  : "not enough memory");
    }
    r->out.bytes = bytes;
    r->capacity = capacity;
    return true;
}

static bool copy(struct reader *r, size_t length, size_t distance) {
    if (distance > r->out.length) {
        return fail(r, "a copy from before the start");
    }
    if (!has_room(r, length)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) { /* they may overlap */
        r->out.bytes[r->out.length + i] = r->out.bytes[r->out.length + i - distance];
    }
    r->out.length += length;
    return true;
}

/* ---- blocks ---- */

static bool take_coded(struct reader *r, const struct code *literals,
                       const struct code *distances) {
    static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                           15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                           67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
        const unsigned symbol = take_symbol(r, literals);
        if (r->out.why || symbol == END_OF_BLOCK) {
            return !r->out.why;
        }
        if (symbol < END_OF_BLOCK) {
            if (!has_room(r, 1)) {
                return false;
            }
            r->out.bytes[r->out.length++] = (uint8_t)symbol;
            continue;
        }
        const unsigned of_length = symbol - END_OF_BLOCK - 1;
        if (of_length >= sizeof length_bits) {
            return fail(r, "no length");
        }
        const size_t length = length_base[of_length] + take_bits(r, length_bits[of_length]);
        const unsigned of_distance = take_symbol(r, distances);
        if (r->out.why || of_distance >= sizeof distance_base / sizeof *distance_base) {
            return fail(r, "no distance");
        }
        const unsigned bits = of_distance < 4 ? 0 : of_distance / 2 - 1;
        if (!copy(r, length, distance_base[of_distance] + take_bits(r, bits))) {
            return false;
        }
    }
}

static bool take_fixed(struct reader *r) {
    static struct code literals, distances;
    uint8_t lengths[LITERALS];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    (void)make_code(r, &literals, lengths, LITERALS);
    memset(lengths, 5, 30);
    (void)make_code(r, &distances, lengths, 30);
    return take_coded(r, &literals, &distances);
}

/* The lengths of both codes, themselves in a code. */
static bool take_lengths(struct reader *r, const struct code *code, uint8_t *lengths,
                         unsigned count) {
    unsigned at = 0;
    while (at < count && !r->out.why) {
        const unsigned symbol = take_symbol(r, code);
        if (symbol < 16) {
            lengths[at++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && at == 0) {
            return fail(r, "nothing to repeat");
        }
        const uint8_t value = symbol == 16 ? lengths[at - 1] : 0;
        const unsigned times = symbol == 16   ? 3 + take_bits(r, 2)
                               : symbol == 17 ? 3 + take_bits(r, 3)
                                              : 11 + take_bits(r, 7);
        if (at + times > count) {
            return fail(r, "more lengths than the code has");
        }
        memset(lengths + at, value, times);
        at += times;
    }
    return !r->out.why;
}

static bool take_dynamic(struct reader *r) {
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct code code, distances;
    uint8_t lengths[LITERALS + DISTANCES] = {0};
    const unsigned literals = 257 + take_bits(r, 5), of_distance = 1 + take_bits(r, 5);
    const unsigned of_code = 4 + take_bits(r, 4);
    if (literals > LITERALS) {
        return fail(r, "more literals than there are");
    }
    for (unsigned i = 0; i < of_code; i++) {
        lengths[order[i]] = (uint8_t)take_bits(r, 3);
    }
    if (r->out.why || !make_code(r, &code, lengths, sizeof order)) {
        return false;
    }
    memset(lengths, 0, sizeof lengths);
    return take_lengths(r, &code, lengths, literals + of_distance) &&
           make_code(r, &code, lengths, literals) &&
           make_code(r, &distances, lengths + literals, of_distance) &&
           take_coded(r, &code, &distances);
}

static bool take_stored(struct reader *r) {
    r->bits = r->count = 0; /* to the next byte */
    if (r->length - r->at < 4) {
        return fail(r, "it ends here, in the middle");
    }
    const uint8_t *head = r->bytes + r->at;
    const size_t length = head[0] | (size_t)head[1] << 8;
    r->at += 4;
    if ((head[0] ^ head[2]) != 0xff || (head[1] ^ head[3]) != 0xff || r->length - r->at < length) {
        return fail(r, "a stored block of another length");
    }
    if (!has_room(r, length)) {
        return false;
    }
    if (length > 0) {
        memcpy(r->out.bytes + r->out.length, r->bytes + r->at, length);
    }
    r->out.length += length;
    r->at += length;
    return true;
}

static bool take_blocks(struct reader *r) {
    bool last = false, right = true;
    while (right && !last) {
        last = take_bits(r, 1) != 0;
        switch (take_bits(r, 2)) {
        case 0:
            right = !r->out.why && take_stored(r);
            break;
        case 1:
            right = take_fixed(r);
            break;
        case 2:
            right = take_dynamic(r);
            break;
        default:
            right = fail(r, "a block of no kind");
        }
    }
    return right;
}

/* ---- the file ---- */

static uint32_t crc32_of(const uint8_t *bytes, size_t length) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static uint32_t take_word(struct reader *r) {
    const uint32_t low = take_bits(r, 16);
    return low | take_bits(r, 16) << 16;
}

/* Names and comments of the head end by a zero. */
static void skip_text(struct reader *r) {
    while (!r->out.why && take_bits(r, 8) != 0) {}
}

static void skip_head(struct reader *r) {
    enum { HAS_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16 };
    if (take_bits(r, 16) != 0x8b1f || take_bits(r, 8) != 8) {
        (void)fail(r, "no gzip");
    }
    const uint32_t flags = take_bits(r, 8);
    (void)take_word(r); /* time */
    (void)take_bits(r, 16);
    for (uint32_t extra = flags & HAS_EXTRA ? take_bits(r, 16) : 0; extra > 0 && !r->out.why;
         extra--) {
        (void)take_bits(r, 8);
    }
    if (flags & HAS_NAME) {
        skip_text(r);
    }
    if (flags & HAS_COMMENT) {
        skip_text(r);
    }
    if (flags & HAS_CRC) {
        (void)take_bits(r, 16);
    }
}

struct inflated inflate_gzip(const uint8_t *bytes, size_t length) {
    struct reader r = {.bytes = bytes, .length = length};
    skip_head(&r);
    if (!r.out.why && take_blocks(&r)) {
        (void)take_bits(&r, r.count % 8);
        const uint32_t crc = take_word(&r), size = take_word(&r);
        if (!r.out.why &&
            (size != (uint32_t)r.out.length || crc != crc32_of(r.out.bytes, r.out.length))) {
            (void)fail(&r, "its sum is another: it is damaged");
        }
    }
    r.out.at = r.at;
    return r.out;
}
