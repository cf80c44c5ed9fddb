/* SPDX-License-Identifier: MIT */
/* hostlink with a guarded board: when it speaks, with which counters, and its messages to the
 * user. test_golden.c and the tests of the command line check that its signatures are right. */
#include <string.h>

#include "base/host_clock.h"
#include "cases.h"
#include "wire/guard.h"
#include "wire/unpack.h"

static const uint8_t key[KYMO_SIPHASH_KEY_BYTES] = {1, 2, 3};
static const uint8_t challenge[KYMO_CHALLENGE_BYTES] = {4, 5, 6};
static const uint8_t another[KYMO_CHALLENGE_BYTES] = {7, 8, 9};
static const uint8_t command[] = {0x30, 0};

static struct guard guard;
static uint64_t now_ns;
static uint32_t counter; /* of the last signed packet; 0: it was not signed */

FIXTURE(reset) {
    guard = (struct guard){.key = key};
    now_ns = 1000 * NS_PER_S;
    return 0;
}

static int keep_counter(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    (void)context;
    (void)wire_bytes;
    counter = length == sizeof command ? 0
                                       : bytes[2] | (uint32_t)bytes[3] << 8 |
                                             (uint32_t)bytes[4] << 16 | (uint32_t)bytes[5] << 24;
    return 0;
}

static void no_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
    fail();
}

/* False: nothing was to be sent. */
static bool speak(void) {
    static struct unpack unpack;
    uint8_t packet[64];
    const struct unpack_callbacks callbacks = {.packet = keep_counter, .junk = no_junk};
    size_t length = guard_packet(&guard, packet, sizeof packet, command, sizeof command, now_ns);
    unpack_init(&unpack, &callbacks);
    assert_int_equal(unpack_feed(&unpack, packet, length), 0);
    return length != 0;
}

CASE(a_cable_asks_for_nothing, reset) {
    assert_true(guard_may_speak(&guard) && speak());
    assert_int_equal(counter, 0);
    assert_null(guard_text(guard.state));
}

CASE(no_command_is_no_line, reset) {
    uint8_t line[64];
    assert_int_equal(guard_line(&guard, line, sizeof line, command, 0, now_ns), 0);
    /* A zero byte; the command and its CRC of 4 bytes with the byte that COBS adds; and the zero byte that ends it. */
    assert_int_equal(guard_line(&guard, line, sizeof line, command, sizeof command, now_ns),
                     1 + sizeof command + 4 + 1 + 1);
    assert_int_equal(line[0], 0);
}

CASE(a_board_without_a_key_is_left_alone, reset) {
    guard_answered(&guard, 1, 0, NULL, now_ns);
    assert_false(guard_may_speak(&guard) || speak());
    assert_non_null(strstr(guard_text(guard.state), "only sends"));
}

CASE(without_our_key_too, reset) {
    guard.key = NULL;
    guard_answered(&guard, 1, 0, challenge, now_ns);
    assert_false(guard_may_speak(&guard) || speak());
    assert_non_null(strstr(guard_text(guard.state), "--key FILE"));
}

CASE(counters_rise, reset) {
    guard_answered(&guard, 0, 41, challenge, now_ns);
    for (uint32_t i = 42; i < 50; i++) {
        assert_true(speak());
        assert_int_equal(counter, i);
    }
    guard_answered(&guard, 0, 45, challenge, now_ns); /* the rest is on its way */
    assert_true(speak());
    assert_int_equal(counter, 50);
    guard_answered(&guard, 0, 1000, challenge, now_ns); /* another host with the key */
    assert_true(speak());
    assert_int_equal(counter, 1001);
    guard_answered(&guard, 0, 0, another, now_ns); /* the board was reset */
    assert_true(speak());
    assert_int_equal(counter, 1);
}

CASE(counters_end, reset) {
    guard_answered(&guard, 0, UINT32_MAX - 1, challenge, now_ns);
    assert_true(speak());
    assert_int_equal(counter, UINT32_MAX);
    assert_false(speak());
    guard_answered(&guard, 0, UINT64_MAX, another, now_ns); /* no board's number */
    assert_true(speak());
    assert_int_equal(counter, 1);
}

CASE(another_key_is_noticed, reset) {
    guard_answered(&guard, 1, 0, challenge, now_ns);
    assert_true(speak());
    now_ns += NS_PER_S / 2;
    guard_answered(&guard, 2, 0, challenge,
                   now_ns); /* that may be our greeting, which was unsigned */
    assert_int_equal(guard.state, GUARD_SIGNING);
    now_ns += NS_PER_S;
    guard_answered(&guard, 3, 0, challenge, now_ns);
    assert_int_equal(guard.state, GUARD_WRONG_KEY);
    assert_non_null(strstr(guard_text(guard.state), "its image has another one"));
    assert_true(guard_may_speak(&guard));
}

/* Unsigned commands are refused once the board reads them, before the signed command or after a long time. */
CASE(a_slow_board_is_no_other_key, reset) {
    assert_true(speak() && speak());
    guard_answered(&guard, 0, 0, challenge, now_ns);
    assert_true(speak());
    now_ns += 10 * NS_PER_S;
    guard_answered(&guard, 2, 0, challenge, now_ns);
    assert_int_equal(guard.state, GUARD_SIGNING);
    guard_answered(&guard, 3, 0, challenge, now_ns);
    assert_int_equal(guard.state, GUARD_WRONG_KEY);
}

CASE(others_are_refused_not_we, reset) {
    guard_answered(&guard, 1, 7, challenge, now_ns);
    assert_true(speak());
    now_ns += 5 * NS_PER_S;
    guard_answered(&guard, 500, 8, challenge, now_ns);
    assert_int_equal(guard.state, GUARD_SIGNING);
    assert_null(guard_text(guard.state));
}

/* For example, from a sender of commands without bounds. */
CASE(too_long_for_a_signature, reset) {
    uint8_t packet[128], longest[17] = {0x30};
    guard_answered(&guard, 0, 0, challenge, now_ns);
    assert_int_not_equal(guard_packet(&guard, packet, sizeof packet, longest, 16, now_ns), 0);
    assert_int_equal(guard_packet(&guard, packet, sizeof packet, longest, 17, now_ns), 0);
    assert_int_equal(guard_packet(&guard, packet, 8, longest, 16, now_ns), 0);
}
