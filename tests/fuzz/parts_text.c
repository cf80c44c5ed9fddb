/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/format.h"
#include "parts.h"
#include "wire/compose.h"

#define WORDS_MAX 300u
#define FORMAT_MAX 500u

static const char *look_up(void *context, uint32_t index) {
    static const char *const names[] = {"", "a name", "%s%n", "\xff"};
    (void)context;
    return names[index % 4u];
}

/* With less room the text is cut, and only then. */
static void format_into(size_t size, const struct site *site, const uint32_t *words, uint32_t count,
                        const char *whole, size_t whole_length) {
    char *out = malloc(size);
    if (out == NULL) {
        fuzz_wrong("no memory");
    }
    const size_t length = format_message(out, size, site, words, count, look_up, NULL);
    const size_t should_be = whole_length < size - 1 ? whole_length : size - 1;
    if (length != should_be || memcmp(out, whole, length) != 0 || out[length] != '\0') {
        fuzz_wrong("a text depends on the room for it");
    }
    free(out);
}

static void run_format(struct reader *r) {
    char name[FORMAT_MAX + 1], whole[FORMAT_BYTES_MAX];
    size_t name_length = 0;
    uint32_t count = 0;
    struct site site = {.name = name, .detail = read_u32(r)};
    const size_t small = 1u + read_u8(r);
    const char *bytes = read_string(r, &name_length);
    name_length = name_length < FORMAT_MAX ? name_length : FORMAT_MAX;
    memcpy(name, bytes, name_length);
    name[name_length] = '\0';
    const size_t left = (r->length - r->at) / 4;
    /* In memory of exactly that size. */
    uint32_t *words = malloc((left + 1) * sizeof *words);
    if (words == NULL) {
        fuzz_wrong("no memory");
    }
    for (; count < left && count < WORDS_MAX; count++) {
        words[count] = read_u32(r);
    }
    words = realloc(words, (count + 1) * sizeof *words);
    const size_t length = format_message(whole, sizeof whole, &site, words, count, look_up, NULL);
    if (length >= sizeof whole || strlen(whole) != length) {
        fuzz_wrong("the length of a text");
    }
    if (strncmp(whole, name, strcspn(name, "%")) != 0) {
        fuzz_wrong("a text begins otherwise than its format");
    }
    format_into(small, &site, words, count, whole, length);
    free(words);
}

static size_t put_argument(uint8_t *out, size_t at, unsigned class, uint32_t *random) {
    const uint32_t value = fuzz_next(random);
    switch (class) {
    case KYMO_ARG_NONE:
        return at;
    case KYMO_ARG_STRING: {
        const uint32_t length = value % 9u;
        at = put_little(out, at, length, 4);
        for (uint32_t i = 0; i < length; i += 4) {
            at = put_little(out, at, fuzz_next(random) | 0x20202020u, 4);
        }
        return at;
    }
    case KYMO_ARG_I64:
    case KYMO_ARG_U64:
    case KYMO_ARG_ADDRESS:
    case KYMO_ARG_DOUBLE:
        at = put_little(out, at, value << (value % 9u), 4);
        return put_little(out, at, value % 3u == 0 ? 0xffffffffu : value * 77u, 4);
    default:
        return put_little(out, at, value % 3u == 0 ? value : value % 40u - 20u, 4);
    }
}

static size_t seed_format(uint32_t random, uint8_t *out, size_t size) {
    /* Every conversion, flag, width and length that printf has, and some that it has not. */
    static const char *const formats[] = {"plain",
                                          "%d of %u, %i",
                                          "%-+8d|% 5d|%05d|%+.3d|%#x|%#o|%X",
                                          "%5.3s|%-7s|%.s|%s",
                                          "%c%5c%-5c|%p%20p%-20p",
                                          "%*d|%-*d|%.*d|%*.*f",
                                          "%f %.3e %G %a %A %#.0f",
                                          "%hhd %hd %hhu %hu %lld %zu %jd %td %Lf %qd",
                                          "%n%k%%%",
                                          "%99999d|%.99999f|%999999999999s",
                                          "%s%s%s%s%s%s%s%s"};
    static const uint8_t classes[] = {
        KYMO_ARG_I32,    KYMO_ARG_U32,  KYMO_ARG_I64,     KYMO_ARG_U64,   KYMO_ARG_DOUBLE,
        KYMO_ARG_STRING, KYMO_ARG_SITE, KYMO_ARG_ADDRESS, KYMO_ARG_FLOAT, KYMO_ARG_NONE};
    const uint32_t form = fuzz_next(&random) % (sizeof formats / sizeof formats[0]);
    const size_t length = strlen(formats[form]);
    /* Mostly the conversions' own arguments. */
    static const uint8_t wanted[] = {0, 0, 0, 5, 7, 0, 4, 0, 0, 0, 6};
    uint32_t detail = 0;
    uint8_t words[8 * 16];
    size_t used = 0;
    (void)size;
    for (unsigned i = 0; i < 8; i++) {
        const bool fits = fuzz_next(&random) % 3u != 0;
        const unsigned class = classes[fits ? wanted[form] : fuzz_next(&random) % sizeof classes];
        detail |= (uint32_t) class << (4 * i);
        used = put_argument(words, used, class, &random);
    }
    size_t at = put_little(out, 0, detail, 4);
    at = put_little(out, at, fuzz_next(&random), 1);
    at = put_varint(out, at, length);
    memcpy(out + at, formats[form], length);
    memcpy(out + at + length, words, used);
    return at + length + used;
}

const struct part part_format = {run_format, seed_format};
