/* SPDX-License-Identifier: MIT */
/* A board that does not know the rate of its clock, live: the runtime on a scripted clock, whose
 * bytes come with the host's stamps and answers to pings between. */
#include "trace/pipeline.h"

#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo/wire.h"
#include "kymo_arch.h"
#include "trace.h"
#include "wire/command.h"
#include "wire/unpack.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BOARD_HZ 3700000u
#define HOST_START (77 * SECOND)
#define ZONE_NS (2 * MS)
#define STAMP_MS 20u
#define PING_MS 100u

static struct seen {
    uint64_t host_ns; /* now */
    uint64_t ahead; /* ticks by which the board's clock is, as a counter of 32 bits was set back */
    uint64_t zones, sessions, first_host_ns, hz;
    int64_t last_ns;
    uint64_t beside; /* zones whose length is not within 1 % */
    uint64_t back;   /* events earlier than one before them */
    bool in_packet;  /* the last byte was within one */
} seen;
static struct pipeline *pipeline;

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_SESSION) {
        seen.sessions++;
        seen.hz = event->u.session.clock_hz;
        return 0;
    }
    seen.first_host_ns = seen.first_host_ns == 0 ? seen.host_ns : seen.first_host_ns;
    seen.back += event->time_ns < seen.last_ns;
    seen.last_ns = event->time_ns;
    if (event->kind == EVENT_ZONE_END) {
        int64_t length_ns = event->time_ns - event->u.zone.start_ns;
        seen.zones++;
        seen.beside +=
            length_ns < (int64_t)(ZONE_NS * 99 / 100) || length_ns > (int64_t)(ZONE_NS * 101 / 100);
    }
    return 0;
}

static uint64_t ticks(uint64_t ns) { return ns / 1000 * BOARD_HZ / 1000000 + seen.ahead; }

static void feed(const uint8_t *bytes, size_t length) {
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
}

static size_t put_varint(uint8_t *at, uint64_t value) {
    size_t length = 0;
    for (; value >= 0x80; value >>= 7) {
        at[length++] = (uint8_t)(value | 0x80);
    }
    at[length++] = (uint8_t)value;
    return length;
}

/* The host's clock, and with "pong" an answer of the board, between two packets of what came since the last time. */
static void deliver(const uint8_t *pong, size_t pong_length) {
    uint8_t stamp[64];
    const uint8_t *zero = seen.in_packet ? memchr(kept.bytes, 0, kept.length) : NULL;
    const size_t place = zero != NULL ? (size_t)(zero - kept.bytes) + 1 : 0;
    feed(kept.bytes, place);
    if (!seen.in_packet || zero != NULL) {
        feed(stamp, packet_host_clock(stamp, sizeof stamp, seen.host_ns, seen.host_ns));
        feed(pong, pong_length);
    }
    feed(kept.bytes + place, kept.length - place);
    seen.in_packet = kept.length != 0 ? kept.bytes[kept.length - 1] != 0 : seen.in_packet;
    kept.length = 0;
}

/* The board read at "now_ms" a ping that left a few milliseconds earlier. */
static void deliver_answer(uint64_t now_ms) {
    uint8_t packet[40] = {KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_PONG};
    uint8_t framed[64];
    uint64_t left_ns = HOST_START + now_ms * MS - (now_ms / PING_MS * 7 % 4) * MS;
    for (unsigned i = 0; i < 8; i++) {
        packet[2 + i] = (uint8_t)(left_ns >> (8 * i));
    }
    size_t length = 10 + put_varint(packet + 10, ticks(now_ms * MS));
    length += put_varint(packet + length, ticks(now_ms * MS));
    deliver(framed, packet_encode(framed, sizeof framed, packet, length));
}

/* A zone of 2 ms. */
static void work(uint64_t now_ms) {
    seen.host_ns = HOST_START + now_ms * MS;
    fake.clock = ticks(now_ms * MS);
    KYMO_ZONE("work");
    fake.clock = ticks((now_ms + 2) * MS);
}

/* One every 5 ms. */
static void run(uint64_t from_ms, uint64_t to_ms, bool pings) {
    for (uint64_t now_ms = from_ms; now_ms < to_ms; now_ms += 5) {
        work(now_ms);
        while (kymo_drain(0)) {}
        if (pings && now_ms % PING_MS == 0) {
            deliver_answer(now_ms);
        } else if (now_ms % STAMP_MS == 0) {
            deliver(NULL, 0);
        }
    }
}

FIXTURE(set_up) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    fake_reset();
    trace_power_up();
    fake.clock_hz = 0;
    seen = (struct seen){0};
    kept.length = 0;
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    return 0;
}

FIXTURE(tear_down) {
    pipeline_free(pipeline);
    return 0;
}

static void wait_for_the_rate_and_then_be_right(bool pings, uint64_t from_ms, uint64_t to_ms) {
    kymo_init(&kept_transport, "clock");
    run(0, 10000, pings);
    kymo_finish();
    while (kymo_drain(0)) {}
    deliver(NULL, 0);
    assert_int_equal(pipeline_end(pipeline), 0);
    assert_int_equal(seen.sessions, 1);
    assert_in_range(seen.hz, BOARD_HZ * 99u / 100u, BOARD_HZ * 101u / 100u);
    assert_in_range((seen.first_host_ns - HOST_START) / MS, from_ms, to_ms);
    assert_int_equal(seen.zones, 2000);
    assert_int_equal(seen.beside, 0);
    assert_int_equal(seen.back, 0);
}

CASE(events_wait_for_pings, set_up, tear_down) {
    wait_for_the_rate_and_then_be_right(true, 600, 1000);
}

CASE(without_pings_they_wait_longer, set_up, tear_down) {
    wait_for_the_rate_and_then_be_right(false, 3000, 5100);
}

/* For other cores, as always, up to a part of a second (merge.h). */
CASE(a_board_that_knows_its_rate_is_not_waited_for, set_up, tear_down) {
    fake.clock_hz = BOARD_HZ;
    kymo_init(&kept_transport, "clock");
    run(0, 1000, false);
    assert_true(seen.zones > 0);
    assert_int_equal(seen.hz, BOARD_HZ);
}

/* A short run is over before anything could be measured. */
CASE(the_end_ends_the_waiting, set_up, tear_down) {
    kymo_init(&kept_transport, "clock");
    run(0, 200, true);
    assert_int_equal(seen.zones, 0);
    kymo_finish();
    while (kymo_drain(0)) {}
    deliver(NULL, 0);
    assert_int_equal(seen.zones, 40);
}

/* A reset while packets wait: those of before are of the session before. */
CASE(a_reset_ends_the_waiting, set_up, tear_down) {
    kymo_init(&kept_transport, "clock");
    run(0, 200, true);
    kymo_init(&kept_transport, "clock");
    run(1000, 1200, true);
    assert_int_equal(seen.sessions, 2);
    assert_int_equal(seen.zones, 35); /* of 40: the rest was not sent when the reset came */
    run(1200, 2400, true);
    assert_int_equal(seen.sessions, 2);
    assert_true(seen.zones >= 35 + 200);
    assert_int_equal(seen.back, 0);
}

/* The most packets that may wait, all within the first moment. */
CASE(what_waits_is_bounded, set_up, tear_down) {
    kymo_init(&kept_transport, "clock");
    seen.host_ns = HOST_START;
    size_t fed = 0;
    for (unsigned i = 0; i < 20000 && seen.sessions == 0; i++) {
        fake.clock += BOARD_HZ / 1000;
        KYMO_MESSAGE("%s", "a long text that fills packets quickly, as it is sent again each time");
        KYMO_ZONE("work");
        while (kymo_drain(0)) {}
        fed += kept.length;
        deliver(NULL, 0);
    }
    assert_in_range(fed, 200u * 1024u, 300u * 1024u);
}

/* Shows the first packet before the later ones say that the clock is elsewhere. */
static void show_first_packet(void) {
    const uint8_t *zero = memchr(kept.bytes, 0, kept.length);
    assert_non_null(zero);
    const size_t length = (size_t)(zero - kept.bytes) + 1;
    feed(kept.bytes, length);
    assert_int_equal(pipeline_quiet(pipeline), 0);
    feed(kept.bytes + length, kept.length - length);
    kept.length = 0;
}

/* Packets have many events: a live view is right before and after the jump, and between the events of one packet. */
CASE(a_counter_set_back_is_right_at_once, set_up, tear_down) {
    const uint64_t wrap = UINT64_C(1) << 32;
    fake.clock_hz = BOARD_HZ;
    kymo_init(&kept_transport, "clock");
    for (unsigned i = 0; i < 3; i++) {
        run(i * 1040, (i + 1) * 1035, i % 2 == 0);
        for (unsigned j = 0; j <= i; j++) { /* once, twice, three times before the next packet */
            seen.ahead += wrap - (j == 0 ? BOARD_HZ / 2 : BOARD_HZ / 1000);
            work((i + 1) * 1035 + 5 * j);
        }
        while (kymo_drain(0)) {}
        show_first_packet();
        assert_in_range(seen.last_ns, (i + 1) * 1035 * MS - 500 * MS,
                        (i + 1) * 1035 * MS + 100 * MS);
    }
    run(3 * 1040, 4 * 1035, true);
    kymo_finish();
    while (kymo_drain(0)) {}
    deliver(NULL, 0);
    assert_int_equal(pipeline_end(pipeline), 0);
    assert_in_range(seen.last_ns, 4 * 1035 * MS - 100 * MS, 4 * 1035 * MS + 200 * MS);
    assert_int_equal(seen.sessions, 1);
    assert_int_equal(seen.zones, 4 * 207);
    assert_int_equal(seen.beside, 0);
    assert_int_equal(seen.back, 0);
}
