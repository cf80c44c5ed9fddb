/* SPDX-License-Identifier: MIT */
/* Commands that come over a network: without a key in the image none is obeyed, with one those that
 * are signed with it. Built both ways. */
#include <string.h>

#include "cases.h"
#include "kymo/siphash.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/lane.h"
#include "send/link.h"

#define VERSION (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT)

KYMO_PARAM(gain, "gain", 5, -10, 100);

static struct trace trace;
static uint64_t nonce;
/* The board's last report. */
static struct {
    uint64_t refused, accepted;
    uint8_t challenge[8];
    bool keyed, obeys;
} told;

uint64_t kymo_command_nonce(void) { return nonce; }

static void keep(void *user, const uint8_t *bytes, size_t length) {
    struct reader reader = {.bytes = bytes, .length = length, .at = 2u};
    (void)user;
    if (bytes[0] == (VERSION | KYMO_PACKET_GUARD)) {
        told.refused = read_varint(&reader);
        told.keyed = reader.at < length;
        if (told.keyed) {
            told.accepted = read_varint(&reader);
            assert_int_equal(length - reader.at, sizeof told.challenge);
            memcpy(told.challenge, bytes + reader.at, sizeof told.challenge);
        }
    } else if (bytes[0] == (VERSION | KYMO_PACKET_SESSION)) {
        (void)read_u32(&reader);
        (void)read_varint(&reader);
        (void)read_varint(&reader);
        told.obeys = (read_u8(&reader) & KYMO_SESSION_COMMANDS) != 0u;
    }
}

static void settle(void) {
    for (uint32_t idle = 0u; idle < 4u;) {
        idle = kymo_drain(0u) ? 0u : idle + 1u;
    }
}

/* Long enough for everything that is due now and then. */
static void pass_a_second(void) {
    fake.clock += fake.clock_hz + fake.clock_hz / 10u;
    settle();
}

static void start_board(bool network) {
    fake_reset();
    fake.clock_hz = 1000000u;
    fake.clock = 700000u;
    trace_power_up();
    trace_init(&trace);
    trace.packet = keep;
    trace.transport.network = network;
    gain_param.value = 5;
    memset(&told, 0, sizeof told);
    kymo_init(&trace.transport, "guard");
    pass_a_second();
    memset(trace.packets, 0, sizeof trace.packets);
}

FIXTURE(set_up) {
    nonce = 1u;
    start_board(true);
    return 0;
}

static void put_u32(uint8_t *bytes, uint32_t value) {
    for (uint32_t i = 0u; i < 4u; i++) {
        bytes[i] = (uint8_t)(value >> (8u * i));
    }
}

/* A correct packet of these bytes arrives. */
static void arrive(const uint8_t *bytes, size_t length) {
    uint8_t stuffed[96];
    size_t count = packet_encode(stuffed, sizeof stuffed, bytes, length);
    assert_int_not_equal(count, 0u);
    trace_command(&trace, stuffed, count);
    settle();
}

/* Head and body of a command; its length. */
static size_t put_command(uint8_t *bytes, enum kymo_packet_type type, uint32_t first,
                          uint32_t second) {
    bytes[0] = (uint8_t)(VERSION | (uint32_t)type);
    bytes[1] = 0u;
    if (type != KYMO_PACKET_SET_PARAM && type != KYMO_PACKET_PING) {
        return 2u;
    }
    put_u32(bytes + 2, first);
    put_u32(bytes + 6, second);
    return 10u;
}

static uint32_t gain_number(void) { return (uint32_t)(&gain - __start_kymo_sites); }

static void arrive_plain(enum kymo_packet_type type, uint32_t value) {
    uint8_t bytes[16];
    arrive(bytes, put_command(bytes, type, gain_number(), value));
}

static void all_plain_commands(void) {
    arrive_plain(KYMO_PACKET_HELLO, 0u);
    arrive_plain(KYMO_PACKET_GET_NAMES, 0u);
    arrive_plain(KYMO_PACKET_STOP, 0u);
    arrive_plain(KYMO_PACKET_SET_PARAM, 7u);
    arrive_plain(KYMO_PACKET_PING, 7u);
}

static void check_untouched(void) {
    assert_int_equal(gain_param.value, 5);
    assert_false(kymo_stopped);
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 0u);
}

CASE(unsigned_ones_are_refused_and_counted, set_up) {
    assert_int_equal(told.refused, 0u);
    all_plain_commands();
    check_untouched();
    pass_a_second();
    assert_int_equal(told.refused, 5u);
    assert_int_equal(told.keyed, KYMO_GUARD_KEYED);
    assert_int_equal(told.obeys, KYMO_GUARD_KEYED);
}

CASE(a_cable_needs_no_key, set_up) {
    start_board(false);
    assert_true(told.obeys);
    all_plain_commands();
    assert_int_equal(gain_param.value, 7);
    assert_true(kymo_stopped);
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 1u);
    pass_a_second();
    assert_int_equal(trace.packets[KYMO_PACKET_GUARD], 0u);
}

CASE(names_are_repeated_whoever_asks, set_up) {
    all_plain_commands();
    memset(trace.packets, 0, sizeof trace.packets);
    for (unsigned i = 0u; i < 10u; i++) {
        pass_a_second();
    }
    assert_int_equal(trace.packets[KYMO_PACKET_SITES], 10u);
}

CASE(a_flood_leaves_the_line_to_events, set_up) {
    uint64_t before = trace.bytes;
    fake.clock_step = 0u;
    for (unsigned i = 0u; i < 1000u; i++) { /* one millisecond each */
        fake.clock += fake.clock_hz / 1000u;
        arrive_plain(KYMO_PACKET_HELLO, 0u);
    }
    assert_in_range(trace.packets[KYMO_PACKET_GUARD], 2u, 12u);
    assert_in_range(trace.bytes - before, 1u, 2000u);
    /* Also the end is reached. */
    kymo_finish();
    for (unsigned i = 0u; i < 50u && kymo_pending(); i++) {
        arrive_plain(KYMO_PACKET_HELLO, 0u);
    }
    assert_false(kymo_pending());
    assert_true((trace.flags & KYMO_STATUS_FINAL) != 0u);
}

#if KYMO_GUARD_KEYED

static const uint8_t key[KYMO_SIPHASH_KEY_BYTES] = {KYMO_COMMAND_KEY};

/* A signed command; its length. "key_flip" spoils the key. */
static size_t put_signed(uint8_t *bytes, uint32_t counter, const uint8_t *command, size_t length,
                         uint8_t key_flip) {
    uint8_t text[64], used[KYMO_SIPHASH_KEY_BYTES];
    memcpy(used, key, sizeof used);
    used[9] ^= key_flip;
    bytes[0] = VERSION | KYMO_PACKET_SIGNED;
    bytes[1] = 0u;
    put_u32(bytes + 2, counter);
    memcpy(bytes + 6, command, length);
    memcpy(text, told.challenge, sizeof told.challenge);
    memcpy(text + sizeof told.challenge, bytes, 6u + length);
    uint64_t signature = kymo_siphash(used, text, sizeof told.challenge + 6u + length);
    put_u32(bytes + 6u + length, (uint32_t)signature);
    put_u32(bytes + 10u + length, (uint32_t)(signature >> 32));
    return length + 14u;
}

static size_t put_set(uint8_t *bytes, uint32_t counter, int32_t value) {
    uint8_t command[16];
    size_t length = put_command(command, KYMO_PACKET_SET_PARAM, gain_number(), (uint32_t)value);
    return put_signed(bytes, counter, command, length, 0u);
}

static void arrive_signed(uint32_t counter, enum kymo_packet_type type, uint32_t value) {
    uint8_t command[16], bytes[64];
    size_t length = put_command(command, type, gain_number(), value);
    arrive(bytes, put_signed(bytes, counter, command, length, 0u));
}

CASE(signed_ones_are_obeyed, set_up) {
    arrive_signed(1u, KYMO_PACKET_HELLO, 0u);
    assert_in_range(trace.packets[KYMO_PACKET_SESSION], 1u, 2u);
    assert_int_equal(trace.packets[KYMO_PACKET_SITES], 1u);
    assert_int_equal(trace.packets[KYMO_PACKET_PARAM], 1u);
    arrive_signed(2u, KYMO_PACKET_GET_NAMES, 0u);
    assert_int_equal(trace.packets[KYMO_PACKET_SITES], 2u);
    arrive_signed(3u, KYMO_PACKET_STOP, 0u);
    assert_true(kymo_stopped);
    arrive_signed(4u, KYMO_PACKET_START, 0u);
    assert_false(kymo_stopped);
    arrive_signed(5u, KYMO_PACKET_SET_PARAM, 7u);
    assert_int_equal(gain_param.value, 7);
    arrive_signed(500u, KYMO_PACKET_PING, 7u);
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 1u);
    pass_a_second();
    assert_int_equal(told.refused, 0u);
    assert_int_equal(told.accepted, 500u);
}

CASE(the_counter_must_rise, set_up) {
    uint8_t first[64], second[64];
    size_t length = put_set(first, 1u, 6);
    (void)put_set(second, 2u, 7);
    arrive(second, length);
    assert_int_equal(gain_param.value, 7);
    arrive(second, length); /* again */
    arrive(first, length);  /* late */
    assert_int_equal(gain_param.value, 7);
    arrive_signed(0u, KYMO_PACKET_SET_PARAM, 8u);
    assert_int_equal(gain_param.value, 7);
    pass_a_second();
    assert_int_equal(told.refused, 3u);
    assert_int_equal(told.accepted, 2u);
    arrive_signed(UINT32_MAX, KYMO_PACKET_SET_PARAM, 9u);
    assert_int_equal(gain_param.value, 9);
    arrive_signed(UINT32_MAX, KYMO_PACKET_SET_PARAM, 10u);
    arrive_signed(0u, KYMO_PACKET_SET_PARAM, 10u);
    assert_int_equal(gain_param.value, 9);
}

CASE(what_is_changed_is_refused, set_up) {
    uint8_t bytes[64];
    size_t length = put_set(bytes, 1u, 6);
    for (size_t bit = 0u; bit < length * 8u; bit++) {
        uint8_t changed[64];
        memcpy(changed, bytes, length);
        changed[bit / 8u] ^= (uint8_t)(1u << bit % 8u);
        arrive(changed, length);
        check_untouched();
    }
    for (size_t cut = 1u; cut < length; cut++) {
        arrive(bytes, cut);
        check_untouched();
    }
    uint8_t longer[64] = {0};
    memcpy(longer, bytes, length);
    for (size_t more = length + 1u; more <= 28u; more++) {
        arrive(longer, more);
        check_untouched();
    }
    arrive(bytes, length);
    assert_int_equal(gain_param.value, 6);
}

CASE(another_key_is_refused, set_up) {
    uint8_t command[16], bytes[64];
    size_t length = put_command(command, KYMO_PACKET_SET_PARAM, gain_number(), 6u);
    for (unsigned bit = 0u; bit < 8u; bit++) {
        arrive(bytes, put_signed(bytes, 1u, command, length, (uint8_t)(1u << bit)));
        check_untouched();
    }
    pass_a_second();
    assert_int_equal(told.refused, 8u);
    assert_int_equal(told.accepted, 0u);
}

/* The signed contents are not a signed command, and zero bytes are not a command. */
CASE(signatures_do_not_nest, set_up) {
    uint8_t inner[64], bytes[64];
    size_t length = put_command(inner, KYMO_PACKET_STOP, 0u, 0u);
    length = put_signed(bytes, 2u, inner, length, 0u);
    memcpy(inner, bytes, length);
    arrive(bytes, put_signed(bytes, 1u, inner, 14u, 0u)); /* as much of it as fits */
    arrive(bytes, put_signed(bytes, 3u, inner, 0u, 0u));
    check_untouched();
}

/* Another start, another challenge: nothing that was heard before is of use. */
CASE(a_restart_makes_all_void, set_up) {
    uint8_t bytes[64], before[8];
    size_t length = put_set(bytes, 1u, 6);
    for (uint64_t i = 2u; i < 50u; i++) {
        memcpy(before, told.challenge, sizeof before);
        nonce = i;
        start_board(true);
        assert_memory_not_equal(told.challenge, before, sizeof before);
        assert_int_equal(told.accepted, 0u);
        arrive(bytes, length);
        check_untouched();
    }
    nonce = 1u; /* what must not be: the start of set_up() once more, to the tick */
    start_board(true);
    arrive(bytes, length);
    assert_int_equal(gain_param.value, 6);
}

/* The firmware attaches another transport without a reset. */
CASE(the_clock_tells_two_sessions_apart, set_up) {
    uint8_t before[8];
    memcpy(before, told.challenge, sizeof before);
    kymo_init(&trace.transport, "again");
    pass_a_second();
    assert_memory_not_equal(told.challenge, before, sizeof before);
}

CASE(no_number_shows_in_the_challenge, set_up) {
    nonce = 0u;
    start_board(true);
    unsigned ones = 0u;
    for (unsigned bit = 0u; bit < 64u; bit++) {
        ones += (unsigned)told.challenge[bit / 8u] >> bit % 8u & 1u;
    }
    assert_in_range(ones, 16u, 48u);
}

#else

CASE(a_signed_one_is_refused_like_any, set_up) {
    uint8_t bytes[28] = {VERSION | KYMO_PACKET_SIGNED, 0u, 1u};
    (void)put_command(bytes + 6, KYMO_PACKET_STOP, 0u, 0u);
    arrive(bytes, 16u);
    check_untouched();
    pass_a_second();
    assert_int_equal(told.refused, 1u);
}

#endif
