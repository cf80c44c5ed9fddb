/* SPDX-License-Identifier: MIT */
/* The reader of a packet's fields: it returns the fields that are there, and never reads beyond the end. And the
 * events' bytes where they are odd or wrong; tests/wire compares the decoder with another one and with the page. */
#include "wire/decode.h"

#include <string.h>

#include "cases.h"
#include "kymo/wire.h"

/* "length" bytes of "bytes" are the packet; the bytes after them do not belong to it. */
static struct reader reader_of(const char *bytes, size_t length) {
    return (struct reader){.bytes = (const uint8_t *)bytes, .length = length};
}

static void check_string(struct reader *reader, const char *text, size_t length) {
    size_t got = 99;
    const char *string = read_string(reader, &got);
    assert_int_equal(got, length);
    assert_memory_equal(string, text, length);
    assert_true(reader->at <= reader->length);
}

CASE(a_string_has_its_length_before_it) {
    struct reader reader = reader_of("\3abc\0\1d", 7);
    check_string(&reader, "abc", 3);
    check_string(&reader, "", 0);
    check_string(&reader, "d", 1);
    assert_false(reader.bad);
    assert_int_equal(reader.at, 7);
}

CASE(a_string_beyond_the_end_is_none) {
    struct reader one_more = reader_of("\4abcd", 4);
    check_string(&one_more, "", 0);
    assert_true(one_more.bad);
    struct reader longest = reader_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1abcd", 12);
    check_string(&longest, "", 0);
    assert_true(longest.bad);
}

CASE(a_length_that_is_cut_is_none) {
    struct reader reader = reader_of("\x83", 1);
    check_string(&reader, "", 0);
    assert_true(reader.bad);
    check_string(&reader, "", 0);
}

CASE(numbers_beyond_the_end_are_bad) {
    struct reader reader = reader_of("\1\2\3\4\5\6\7\10\11", 9);
    assert_true(read_u64(&reader) == UINT64_C(0x0807060504030201));
    assert_int_equal(read_u8(&reader), 9);
    assert_false(reader.bad);
    assert_int_equal(read_u8(&reader), 0);
    assert_true(reader.bad);
}

/* ---- events ---- */

#define SIZE_OF(bytes) (bytes), sizeof(bytes) - 1

/* The bytes of some events, which end where the packet does. Returns how many there are. */
static uint32_t decode_bytes(const char *bytes, size_t length, uint32_t count,
                             struct wire_event *last) {
    struct reader reader = reader_of(bytes, length);
    struct wire_decoder decoder;
    const struct wire_head head = {.slots = 8, .count = count, .ticks = 1000, .context = 1};
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, last)) {}
    assert_false(decode_next(&decoder, last));
    assert_true(reader.at <= reader.length);
    return decoder.decoded;
}

/* A zone of site 1 at 1000; its end 40 ticks later. */
#define BEGIN "\xfe\1\0"
#define END "\50"

CASE(what_the_packet_does_not_hold_is_no_event) {
    struct wire_event event;
    assert_int_equal(decode_bytes("", 0, 1, &event), 0);
    assert_int_equal(decode_bytes(SIZE_OF(BEGIN), 2, &event), 1);
    assert_int_equal(decode_bytes(SIZE_OF(BEGIN END), 2, &event), 2);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_END);
    assert_true(event.ticks == 1040);
    /* Nor are bytes beyond the head's count. */
    assert_int_equal(decode_bytes(SIZE_OF(BEGIN END), 1, &event), 1);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_BEGIN);
    assert_int_equal(event.reference, 2);
}

/* Cut after each byte of an event, the event does not come, and those before do. */
CASE(an_event_that_is_cut_is_none) {
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {{SIZE_OF("\xfe\xa0\1\xbf\1\2\3\4")},
                 {SIZE_OF("\xff\x33\xb8\1\2\2\xa1\1\3\xbf\1\2\3\4")},
                 {SIZE_OF("\xff\x34\1\3\0\5\xc0\1\2\3\4\5\6\7\10")},
                 {SIZE_OF("\xff\x2e\4\0\x81\x81\xc0\1\2\xc1")}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char bytes[64] = BEGIN END;
        const size_t length = sizeof BEGIN END - 1;
        struct wire_event event;
        memcpy(bytes + length, cases[i].bytes, cases[i].length);
        for (size_t cut = 0; cut < cases[i].length; cut++) {
            assert_int_equal(decode_bytes(bytes, length + cut, 3, &event), 2);
        }
        assert_int_equal(decode_bytes(bytes, length + cases[i].length, 3, &event), 3);
    }
}

CASE(what_cannot_be_is_wrong) {
    static const struct {
        const char *bytes;
        size_t length;
        bool right;
    } cases[] = {
        {SIZE_OF("\xc1\0"), true}, /* a slot that is defined */
        {SIZE_OF("\xc2\0"), false},
        {SIZE_OF("\xfd\0"), false},
        {SIZE_OF("\xff\xff\0\0\0"), false}, /* kinds */
        {SIZE_OF("\xff\0\0\0\0"), false},
        {SIZE_OF("\xff\xfe\0\0\0"), true},
        {SIZE_OF("\xc0\xbf\0\0\0\1"), true}, /* a number in its longest form; none */
        {SIZE_OF("\xc0\xc0\0\0\0\1"), false},
        {SIZE_OF("\xfe\xc0\0"), false},
        {SIZE_OF("\xfe\xbf\x7f\xff\xff\xff\0"), true}, /* sites */
        {SIZE_OF("\xfe\xbf\x80\0\0\0\0"), false},
        {SIZE_OF("\xff\x70\xbf\xff\xff\xff\xff\0\0"), true}, /* an object */
        {SIZE_OF("\xff\x23\1\0\xc1\0\0\0\0\0"), false},      /* a word */
        {SIZE_OF("\xff\x2e\0\0"), true},                     /* frames */
        {SIZE_OF("\xff\x2e\2\0\1\xc1"), true},
        {SIZE_OF("\xff\x2e\2\0\1\xc2"), false},
        {SIZE_OF("\xff\x2e\76\0\xfe"), true},
        {SIZE_OF("\xff\x2e\76\0\xff"), false},
        {SIZE_OF("\xff\x2e\77\0\xfe\xc1"), false},
        {SIZE_OF("\xff\x2e\1\0\xc0\1\xc1"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char bytes[64] = BEGIN;
        const size_t length = sizeof BEGIN - 1;
        struct wire_event event;
        memcpy(bytes + length, cases[i].bytes, cases[i].length);
        const uint32_t decoded = decode_bytes(bytes, length + cases[i].length, 2, &event);
        if (decoded != (cases[i].right ? 2u : 1u)) {
            fail_msg("case %zu: %u events", i, (unsigned)decoded);
        }
    }
}

CASE(numbers_take_one_to_five_bytes) {
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t number;
    } cases[] = {
        {SIZE_OF("\xc0\0"), 0},
        {SIZE_OF("\xc0\x9f"), 159},
        {SIZE_OF("\xc0\xa0\0"), 160},
        {SIZE_OF("\xc0\xb7\xff"), 6303},
        {SIZE_OF("\xc0\xb8\0\0"), 6304},
        {SIZE_OF("\xc0\xbe\xff\xff"), 465055},
        {SIZE_OF("\xc0\xbf\0\7\x18\xa0"), 465056},
        {SIZE_OF("\xc0\xbf\xff\xff\xff\xff"), UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_event event;
        assert_int_equal(decode_bytes(cases[i].bytes, cases[i].length, 1, &event), 1);
        assert_true(event.ticks == UINT64_C(1000) + cases[i].number);
    }
}

/* 0xf3 has a reference and words, 0x40 has neither. */
CASE(unknown_kinds_are_stepped_over) {
    static const char bytes[] = "\xff\xf3\1\2\0\5\6"
                                "\xff\x40\0" BEGIN;
    struct wire_event event;
    assert_int_equal(decode_bytes(SIZE_OF(bytes), 3, &event), 3);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_BEGIN);
    assert_int_equal(event.reference, 2);
    assert_int_equal(decode_bytes(SIZE_OF(bytes), 2, &event), 2);
    assert_int_equal(event.kind, 0x40);
    assert_int_equal(decode_bytes(SIZE_OF(bytes), 1, &event), 1);
    assert_int_equal(event.kind, 0xf3);
    assert_int_equal(event.words, 2);
}
