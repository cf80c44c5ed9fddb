/* The reader of a packet's fields: it gives what is there, and never reads beyond the end. And the events'
 * bits where they are odd or wrong; tests/wire holds the decoder to another one and to the page. */
#include "wire/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kymo/wire.h"

/* "length" bytes of "bytes" are the packet; what is behind them belongs to somebody else. */
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

static void a_string_has_its_length_before_it(void **state) {
    (void)state;
    struct reader reader = reader_of("\3abc\0\1d", 7);
    check_string(&reader, "abc", 3);
    check_string(&reader, "", 0);
    check_string(&reader, "d", 1);
    assert_false(reader.bad);
    assert_int_equal(reader.at, 7);
}

static void a_string_beyond_the_end_is_none(void **state) {
    (void)state;
    struct reader one_more = reader_of("\4abcd", 4);
    check_string(&one_more, "", 0);
    assert_true(one_more.bad);
    struct reader longest = reader_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1abcd", 12);
    check_string(&longest, "", 0);
    assert_true(longest.bad);
}

static void a_length_that_is_cut_is_none(void **state) {
    (void)state;
    struct reader reader = reader_of("\x83", 1);
    check_string(&reader, "", 0);
    assert_true(reader.bad);
    check_string(&reader, "", 0);
}

static void numbers_beyond_the_end_are_bad(void **state) {
    (void)state;
    struct reader reader = reader_of("\1\2\3\4\5\6\7\10\11", 9);
    assert_true(read_u64(&reader) == UINT64_C(0x0807060504030201));
    assert_int_equal(read_u8(&reader), 9);
    assert_false(reader.bad);
    assert_int_equal(read_u8(&reader), 0);
    assert_true(reader.bad);
}

/* ---- events ---- */

#define NEW "0"
#define DEFINED "1"
#define BEGIN "1"
#define OTHER_KIND "0"
#define ZERO "1" /* a number of class 0 at scale 0 */

/* The bits of some events, as text, first bit first; blanks are for the reader. They end where the packet does. */
static uint32_t decode_bits(const char *text, uint32_t count, struct wire_event *last) {
    static uint8_t bytes[512];
    struct reader reader = {.bytes = bytes};
    struct wire_decoder decoder;
    const struct wire_head head = {.slots = 8, .count = count, .ticks = 1000};
    size_t bits = 0;
    memset(bytes, 0, sizeof bytes);
    for (; *text != '\0'; text++) {
        if (*text != ' ') {
            bytes[bits / 8] |= (uint8_t)((*text - '0') << bits % 8);
            bits++;
        }
    }
    reader.length = (bits + 7) / 8;
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, last)) {}
    assert_false(decode_next(&decoder, last));
    assert_true(reader.at <= reader.length);
    return decoder.decoded;
}

static void what_the_packet_does_not_hold_is_no_event(void **state) {
    struct wire_event event;
    (void)state;
    assert_int_equal(decode_bits("", 1, &event), 0);
    /* The second takes 2 + 11 bits; the packet ends within it. */
    assert_int_equal(decode_bits(NEW BEGIN ZERO ZERO DEFINED "0 000001", 2, &event), 1);
    assert_int_equal(decode_bits(NEW BEGIN ZERO ZERO DEFINED "0 000001 10010", 2, &event), 2);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_END);
    assert_true(event.ticks == 1040);
    /* Nor is what is behind the count that the head says. */
    assert_int_equal(decode_bits(NEW BEGIN ZERO ZERO DEFINED "0 000001 10010", 1, &event), 1);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_BEGIN);
}

static void a_slot_that_is_not_defined_is_wrong(void **state) {
    struct wire_event event;
    (void)state;
    /* Of three slots the number takes two bits: 2 is the third, 3 is none. */
    static const char three[] = NEW BEGIN "01 0" ZERO NEW BEGIN "01 0" ZERO;
    char text[64];
    (void)snprintf(text, sizeof text, "%s" DEFINED "01" ZERO, three);
    assert_int_equal(decode_bits(text, 3, &event), 3);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_BEGIN);
    (void)snprintf(text, sizeof text, "%s" DEFINED "11" ZERO, three);
    assert_int_equal(decode_bits(text, 3, &event), 2);
}

/* A message of 25 words. Words 0, 8, 16 and 24 have one scale: three numbers of 32 bits move it to 28. There
 * class 4 begins at 15 << 28, so its rest goes up to 2^28 - 1. */
static void a_number_beyond_32_bits_is_wrong(void **state) {
    static const char largest[] = "000000 11111 1111111111111111111111111111111";
    static const char rests[2][33] = {"11111111111111111111111111110000",
                                      "00000000000000000000000000001000"};
    (void)state;
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct wire_event event;
        char text[512] = NEW OTHER_KIND "11001100" ZERO ZERO "0 10011000";
        size_t length = strlen(text);
        for (unsigned word = 0; word < 24; word++) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                       word % 8 == 0 ? largest : ZERO);
        }
        (void)snprintf(text + length, sizeof text - length, "00001 %s", rests[wrong]);
        assert_int_equal(decode_bits(text, 1, &event), 1 - wrong);
    }
}

/* 0xf3 has a reference and words, 0x40 has neither. */
static void unknown_kinds_are_stepped_over(void **state) {
    struct wire_event event;
    (void)state;
    static const char known[] = NEW BEGIN "001 10" ZERO;
    char text[128];
    (void)snprintf(text, sizeof text,
                   NEW OTHER_KIND "11001111" ZERO ZERO "0 01000000" ZERO ZERO NEW OTHER_KIND
                                  "00000010" ZERO "%s",
                   known);
    assert_int_equal(decode_bits(text, 3, &event), 3);
    assert_int_equal(event.kind, KYMO_KIND_ZONE_BEGIN);
    assert_int_equal(event.reference, 2);
    assert_int_equal(decode_bits(text, 2, &event), 2);
    assert_int_equal(event.kind, 0x40);
    assert_int_equal(decode_bits(text, 1, &event), 1);
    assert_int_equal(event.kind, 0xf3);
    assert_int_equal(event.words, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_has_its_length_before_it),
        cmocka_unit_test(a_string_beyond_the_end_is_none),
        cmocka_unit_test(a_length_that_is_cut_is_none),
        cmocka_unit_test(numbers_beyond_the_end_are_bad),
        cmocka_unit_test(what_the_packet_does_not_hold_is_no_event),
        cmocka_unit_test(a_slot_that_is_not_defined_is_wrong),
        cmocka_unit_test(a_number_beyond_32_bits_is_wrong),
        cmocka_unit_test(unknown_kinds_are_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
