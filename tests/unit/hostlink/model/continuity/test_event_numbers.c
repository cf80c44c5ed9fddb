/* SPDX-License-Identifier: MIT */
/* Packets whose CRC is right and whose numbers are not: no count exceeds the possible, and the
 * lane's next packet is accepted again. */
#include "model/continuity/event_numbers.h"

#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "model/timeline.h"

#define HZ UINT64_C(10000000)
#define EVENTS 100u
#define LANES 2u

static struct names *names;
static struct clockfit board_clock;
static struct timeline *timeline;
static uint64_t board[LANES], ticks; /* the events that the board has recorded */
static uint64_t delivered;

static int on_event(void *context, const struct event *event) {
    (void)context;
    (void)event;
    return 0;
}

FIXTURE(setup) {
    board_clock = (struct clockfit){.board_hz = HZ};
    memset(board, 0, sizeof board);
    ticks = HZ;
    delivered = 0;
    names = names_new();
    timeline = timeline_new(names, &board_clock, on_event, NULL);
    return timeline_session(timeline, "image", NULL, 0);
}

FIXTURE(teardown) {
    timeline_free(timeline);
    names_free(names);
    return 0;
}

/* The pipeline's handling of a packet; true if it was taken. */
static bool packet(uint32_t lane, uint64_t first, uint64_t at_ticks) {
    const struct wire_head head = {
        .lane = lane, .slots = 8, .count = EVENTS, .first = first, .ticks = at_ticks, .context = 1};
    const enum packet_order order = timeline_order(timeline, &head);
    if (order == PACKET_INCREDIBLE) {
        timeline_refuse(timeline, &head);
    }
    if (order != PACKET_FOLLOWS && order != PACKET_FIRST) {
        return false;
    }
    assert_int_equal(timeline_packet(timeline, &head), 0);
    for (uint32_t i = 0; i < EVENTS; i++) {
        const struct wire_event event = {.kind = KYMO_KIND_FRAME, .ticks = at_ticks + i};
        assert_int_equal(timeline_wire_event(timeline, lane, &event), 0);
    }
    delivered += EVENTS;
    return true;
}

/* The next one of the board, a millisecond after the one before. */
static bool next_packet(uint32_t lane) {
    ticks += HZ / 1000;
    const uint64_t first = board[lane];
    board[lane] += EVENTS;
    return packet(lane, first, ticks);
}

static void lose_packet(uint32_t lane) {
    ticks += HZ / 1000;
    board[lane] += EVENTS;
}

static void assert_counts(uint64_t lost) {
    struct timeline_counts counts;
    timeline_counts(timeline, &counts);
    assert_int_equal(counts.delivered, delivered);
    assert_int_equal(counts.lost_link + counts.lost_ring, lost);
    assert_true(counts.lost_before <= counts.lost_link);
}

static uint64_t incredible(void) {
    struct timeline_counts counts;
    timeline_counts(timeline, &counts);
    return counts.incredible;
}

CASE(one_wrong_number_is_left_out, setup, teardown) {
    static const uint64_t wrong[] = {UINT64_MAX,        UINT64_MAX - EVENTS, UINT64_C(1) << 63,
                                     UINT64_C(1) << 56, UINT64_C(1) << 41,   UINT64_C(1) << 34};
    assert_true(next_packet(0));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_true(next_packet(1));
        assert_false(packet(0, wrong[i], ticks));
        assert_int_equal(incredible(), i + 1);
        assert_true(next_packet(0)); /* heard again at once */
    }
    assert_counts(0);
    lose_packet(0);
    assert_true(next_packet(0));
    assert_counts(EVENTS);
}

/* The same for the first packet heard: the gap before it cannot exceed the clock's limit. */
CASE(also_at_the_start, setup, teardown) {
    assert_false(packet(0, UINT64_MAX - 5, HZ));
    assert_false(packet(0, HZ * 20000, HZ));
    board[0] = 5000000; /* in the second since its clock started */
    assert_true(next_packet(0));
    assert_counts(5000000);
}

/* The time fits the number, so that it is believed at first. */
CASE(a_leap_is_taken_back, setup, teardown) {
    assert_true(next_packet(0));
    assert_true(packet(0, board[0] + 1000000, ticks + HZ));
    assert_counts(1000000);
    assert_true(next_packet(0));
    assert_counts(0);
    assert_true(next_packet(0));
    assert_counts(0);
}

/* A late packet of the same line is not a leap. */
CASE(a_small_leap_is_not, setup, teardown) {
    assert_true(next_packet(0));
    const uint64_t late = board[0], late_ticks = ticks + 1;
    lose_packet(0);
    assert_true(next_packet(0));
    assert_false(packet(0, late, late_ticks));
    assert_true(next_packet(0));
    assert_counts(EVENTS);
}

/* The board's count was overwritten, and goes on from there: impossible losses are not counted. */
CASE(two_that_agree_are_followed, setup, teardown) {
    assert_true(next_packet(0));
    board[0] = UINT64_C(1) << 50;
    assert_false(next_packet(0));
    assert_true(next_packet(0));
    assert_true(next_packet(0));
    assert_counts(EVENTS);
    assert_int_equal(incredible(), 1);
}

/* Twenty days at a million events a second: too much for one packet, but the clock says so too. */
CASE(a_long_absence_is_counted_whole, setup, teardown) {
    const uint64_t absent = UINT64_C(1728000) * 1000000;
    assert_true(next_packet(0));
    board[0] += absent;
    ticks += UINT64_C(1728000) * HZ;
    assert_false(next_packet(0));
    assert_true(next_packet(0));
    assert_counts(absent + EVENTS);
}

static void status_of(uint64_t events, uint64_t pending) {
    const struct lane_status status = {.ticks = ticks, .events = events, .pending = pending};
    timeline_status(timeline, 0, &status);
}

CASE(status_is_held_against_the_same, setup, teardown) {
    assert_true(next_packet(0));
    status_of(UINT64_MAX, 0);
    status_of(board[0], UINT64_MAX);
    status_of(UINT64_MAX, UINT64_MAX);
    assert_int_equal(incredible(), 3);
    assert_counts(0);
    status_of(board[0] + 5, 7);
    assert_counts(12);
    board[0] += 5;
    assert_true(next_packet(0));
    assert_counts(5 + 7);
}

/* However many of them come, nothing overflows. */
CASE(sums_do_not_overflow, setup, teardown) {
    uint64_t first = 0;
    for (uint64_t at = 1; at < 64; at++) {
        first += UINT64_C(1) << 40;
        (void)packet(0, first, at << 40);
        (void)packet(1, UINT64_MAX - at, at << 40);
    }
    struct timeline_counts counts;
    timeline_counts(timeline, &counts);
    assert_true(counts.lost_link <= UINT64_C(64) << 40);
}
