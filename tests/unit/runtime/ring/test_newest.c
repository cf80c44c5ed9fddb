/* SPDX-License-Identifier: MIT */
/* The flight recorder: of many events the newest are left, in order, and the rest is counted. */
#include <string.h>

#include "cases.h"
#include "newest_board.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

CASE(garbage_is_no_recording, power_up) {
    attach();
    drain();
    assert_int_equal(sessions, 1);
    assert_int_equal(session[0].flags & KYMO_SESSION_PAST, 0);
    assert_int_equal(trace.packets[KYMO_PACKET_EVENTS], 0);
}

CASE(what_fits_arrives, power_up) {
    emit_many(0u, 20u); /* also before kymo_init() */
    attach();
    emit_many(1u, 5u);
    drain();
    assert_session(0u, 0u, 20u, 0u);
    assert_session(0u, 1u, 5u, 0u);
}

/* However many there are, the newest arrive, and those before are counted. */
CASE(the_newest_are_kept, power_up) {
    for (uint32_t count = 1u; count < 400u; count += 3u) {
        (void)power_up(state);
        emit_many(0u, count);
        attach();
        drain();
        assert_int_equal(known(0u), count);
        /* All blocks but the one that was entered last are full; a record takes at most 48 bytes. */
        const uint32_t least =
            (KYMO_RING_BLOCKS - 1u) * (BLOCK_BYTES - KYMO_BLOCK_HEAD_BYTES - 56u) / 32u;
        assert_true(session[0].arrived[0] >= (count < least ? count : least));
        assert_int_equal(trace.lane[0].losses, session[0].lost[0] != 0u ? 1 : 0);
        assert_int_equal(trace.lane[0].status[0], 0); /* no status was due yet */
    }
}

/* Read while it is written, too slowly: each gap is reported at its place. */
CASE(a_slow_reader_misses_the_oldest, power_up) {
    attach();
    for (uint32_t turn = 0u; turn < 300u; turn++) {
        emit_many(0u, turn % 70u);
        fake.clock += 200000u;
        for (uint32_t call = 0u; call < 32u; call++) {
            (void)kymo_drain(0u);
        }
    }
    drain();
    assert_int_equal(known(0u), emitted[0]);
    assert_true(trace.lane[0].losses > 10u);
    assert_true(trace.lane[0].events > emitted[0] / 4u);
}

CASE(stopped_keeps_what_there_is, power_up) {
    kymo_zone open = kymo_zone_begin(&zone);
    emitted[0]++;
    emit_many(0u, 5u);
    kymo_stop();
    for (uint32_t i = 0u; i < 1000u; i++) {
        kymo_frame(&zone);
    }
    kymo_zone_end(open);
    assert_null(kymo_zone_begin(&zone));
    kymo_start();
    emit_many(0u, 2u);
    attach();
    drain();
    assert_session(0u, 0u, 8u, 0u);
}

/* In the block being read, by the records; in the blocks after it, whole blocks. */
CASE(what_is_unread_is_known, power_up) {
    attach();
    emit_many(0u, 3u);
    drain();
    assert_int_equal(kymo_ring_used_bytes(&kymo_lanes[0]), 0);
    for (uint32_t i = 1u; i <= 6u; i++) {
        kymo_frame(&zone);
        emitted[0]++;
        assert_int_equal(kymo_ring_used_bytes(&kymo_lanes[0]), i * KYMO_CELL_BYTES);
    }
    emit_many(0u, 400u);
    assert_true(kymo_ring_used_bytes(&kymo_lanes[0]) >= (KYMO_RING_BLOCKS - 1u) * BLOCK_BYTES);
    drain();
    assert_int_equal(known(0u), emitted[0]);
}

/* A begin counts for its end, too. */
CASE(who_has_no_lane_is_counted, power_up) {
    fake.lane = KYMO_LANES;
    const kymo_zone open = kymo_zone_begin(&zone);
    assert_null(open);
    kymo_zone_end(open);
    kymo_frame(&zone);
    fake.lane = 0u;
    assert_int_equal(kymo_lanes[KYMO_LANE_UNKNOWN].lost, 3u);
}

#if !KYMO_ARCH_ATOMIC
static bool was_awake;

static void on_interrupt(void) {
    was_awake = kymo_lanes[0].awake;
    kymo_zone_end(kymo_zone_begin(&zone));
}

/* For an image of any size. */
CASE(the_first_event_looks_at_the_image_unmasked, power_up) {
    was_awake = true;
    fake.interrupt = on_interrupt;
    fake.pending = true;
    kymo_zone_end(kymo_zone_begin(&zone));
    assert_false(was_awake);
    attach();
    kymo_finish();
    drain();
    assert_session(0u, 0u, 4u, 0u);
}
#endif
