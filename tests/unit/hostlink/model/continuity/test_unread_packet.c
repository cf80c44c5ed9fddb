/* SPDX-License-Identifier: MIT */
/* How many events an unwanted packet counted. */
#include "model/continuity/unread_packet.h"

#include "cases.h"
#include "kymo/wire.h"

#define FIRST 10u
#define TICKS 100u
#define COUNTED 0x02u
#define NOT_COUNTED 0x0cu

static struct unread_packet unread;
static struct event_numbers numbers;
static uint64_t next;
static const struct unread_lane lane = {&next, &numbers};

/* Three events, of which the last is of that kind. */
static void pass(uint8_t last_kind) {
    const struct wire_head head = {
        .slots = 16, .count = 3, .first = FIRST, .ticks = TICKS, .context = 1};
    /* runtime/WIRE.md, "The bytes": new slots of kinds that have neither reference nor words, at once. */
    const uint8_t bytes[] = {0xff, COUNTED, 0, 0xff, COUNTED + 1, 0, 0xff, last_kind, 0};
    struct reader reader = {.bytes = bytes, .length = sizeof bytes};
    next = FIRST;
    numbers = (struct event_numbers){0};
    unread_packet_keep(&unread, &head, &reader, &lane);
}

static uint64_t settled(uint64_t events, uint64_t ticks) {
    unread_packet_settle(&unread, events, ticks, &lane);
    return next;
}

CASE(what_follows_says_how_many) {
    pass(COUNTED + 2);
    assert_int_equal(settled(FIRST + 3, TICKS), FIRST + 3);
    assert_int_equal(settled(FIRST + 9, TICKS), FIRST + 3); /* nothing waits any more */
    assert_int_equal(numbers.ticks, 0);                     /* it was not decoded */
    unread_packet_free(&unread);
}

CASE(in_doubt_it_is_decoded) {
    const struct {
        uint64_t events, ticks;
    } doubts[] = {
        {FIRST + 2, TICKS}, {FIRST + 9, TICKS}, {FIRST, TICKS}, {0, 0}, {FIRST + 3, TICKS - 1}};
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++) {
        pass(NOT_COUNTED);
        assert_int_equal(settled(doubts[i].events, doubts[i].ticks), FIRST + 2);
        assert_int_equal(numbers.ticks, TICKS);
    }
    unread_packet_free(&unread);
}
