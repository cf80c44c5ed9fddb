/* SPDX-License-Identifier: MIT */
/* kymo_drain(): the bytes it gives to the transport, how many at a time, and in which order. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/lane.h"
#include "ring/ring.h"
#include "send/link.h"

#define MAIN 1u
#define SECOND 1000000u /* ticks, at the 1 MHz of the fake clock */

static struct trace trace;
static struct witness witness;
static struct player player;

static void to_witness(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    (void)user;
    witness_arrive(&witness, lane, context, event);
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = to_witness;
    witness_init(&witness);
    player_init(&player, &witness, 0u, MAIN);
    kymo_init(&trace.transport, "drain");
    return 0;
}

/* Until nothing has left for a while, the clock standing almost still. */
static void settle(void) {
    for (uint32_t idle = 0u; idle < 4u;) {
        idle = kymo_drain(0u) ? 0u : idle + 1u;
    }
}

/* All that did not arrive is counted. */
static void finish(void) {
    uint64_t lost = trace_finish(&trace);
    assert_int_equal(lost, witness_finish(&witness));
}

CASE(without_a_transport_nothing_happens, set_up) {
    trace_power_up();
    player_plot(&player);
    assert_false(kymo_drain(0u));
    assert_false(kymo_pending());
    assert_false(kymo_print("text", 4u));
}

CASE(the_budget_is_kept, set_up) {
    uint64_t random = 3u;
    for (uint32_t turn = 0u; turn < 20000u; turn++) {
        player_step(&player, &random);
        size_t budget = player_random(&random) % 40u + 1u;
        size_t before = trace.bytes;
        const bool moved = kymo_drain(budget);
        assert_true(trace.bytes - before <= budget);
        /* False only where nothing was done, or the transport is full. */
        assert_true(moved || trace.bytes == before || kymo_link.out.ready != 0u);
        fake.clock += 2000u;
    }
    player_close(&player);
    finish();
}

/* It gives all there is; the transport takes as much as it can. */
CASE(the_transport_takes_what_it_can, set_up) {
    uint64_t random = 4u;
    for (uint32_t turn = 0u; turn < 20000u; turn++) {
        player_step(&player, &random);
        trace.takes = player_random(&random) % 20u;
        size_t before = trace.bytes;
        const bool moved = kymo_drain(0u);
        /* False only where nothing was done, or the transport is full. */
        assert_true(moved || trace.bytes == before || kymo_link.out.ready != 0u);
        /* Writes the end of the circular buffer, then its start; and both again for newly encoded packets. */
        assert_true(trace.bytes - before <= 4u * trace.takes);
    }
    player_close(&player);
    trace.takes = SIZE_MAX;
    finish();
}

CASE(one_packet_a_call, set_up) {
    uint64_t random = 5u;
    for (uint32_t turn = 0u; turn < 5000u; turn++) {
        for (uint32_t i = 0u; i < 8u; i++) {
            player_step(&player, &random);
        }
        uint8_t before = kymo_link.out.sequence;
        (void)kymo_drain(0u);
        assert_true((uint8_t)(kymo_link.out.sequence - before) <= 1u);
    }
    player_close(&player);
    finish();
}

CASE(a_few_events_wait_for_more, set_up) {
    settle();
    player_plot(&player);
    (void)kymo_drain(0u);
    assert_int_equal(trace.packets[KYMO_PACKET_EVENTS], 0u);
    fake.clock += KYMO_LATENCY_MS * 1000u / 2u;
    (void)kymo_drain(0u);
    assert_int_equal(trace.packets[KYMO_PACKET_EVENTS], 0u);
    fake.clock += KYMO_LATENCY_MS * 1000u;
    settle();
    assert_int_equal(trace.packets[KYMO_PACKET_EVENTS], 1u);
    assert_int_equal(trace.lane[0].events, 1u);
}

/* Events leave once a packet is full, however short the time was. */
CASE(many_events_leave_at_once, set_up) {
    settle();
    for (uint32_t i = 0u; i < 2u * KYMO_PACKET_BYTES; i++) {
        player_frame(&player);
        while (kymo_drain(0u)) {}
    }
    assert_true(trace.packets[KYMO_PACKET_EVENTS] > 0u);
}

/* A host that comes later must find the names, as it cannot ask on a way out only. */
CASE(names_come_again_until_a_host_speaks, set_up) {
    uint8_t hello[32];
    const uint8_t body[2] = {KYMO_WIRE_VERSION << 5 | KYMO_PACKET_HELLO, 0u};
    settle();
    uint64_t once = trace.packets[KYMO_PACKET_SITES];
    assert_true(once > 0u);
    assert_int_equal(trace.packets[KYMO_PACKET_SESSION], 1u);
    for (uint32_t second = 1u; second <= 5u; second++) {
        fake.clock += SECOND;
        settle();
        assert_in_range(trace.packets[KYMO_PACKET_SITES], once * second, once * (second + 1u));
        assert_int_equal(trace.packets[KYMO_PACKET_SESSION], second + 1u);
        assert_int_equal(trace.packets[KYMO_PACKET_STATUS], second);
    }
    trace_command(&trace, hello, packet_encode(hello, sizeof hello, body, sizeof body));
    settle();
    uint64_t asked = trace.packets[KYMO_PACKET_SITES];
    for (uint32_t second = 0u; second < 5u; second++) {
        fake.clock += SECOND;
        settle();
    }
    assert_int_equal(trace.packets[KYMO_PACKET_SITES], asked);
    assert_true(trace.packets[KYMO_PACKET_STATUS] >= 10u);
}

/* However much there is to send: a host that joins late must learn of the session, and of losses. */
CASE(status_comes_on_a_busy_line_too, set_up) {
    uint64_t random = 6u;
    settle();
    uint64_t sites = trace.packets[KYMO_PACKET_SITES];
    uint64_t start = fake.clock;
    while (fake.clock - start < 10u * SECOND) {
        for (uint32_t i = 0u; i < 20u; i++) {
            player_step(&player, &random);
        }
        fake.clock += 500u;
        assert_true(kymo_drain(0u));
    }
    player_close(&player);
    assert_in_range(trace.packets[KYMO_PACKET_STATUS], 8u, 12u);
    assert_in_range(trace.packets[KYMO_PACKET_SESSION], 8u, 12u);
    assert_true(trace.packets[KYMO_PACKET_SITES] >= 8u * sites);
    finish();
}

CASE(the_end_is_said_three_times, set_up) {
    assert_true(player_begin(&player));
    player_close(&player);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace.packets[KYMO_PACKET_STATUS], 3u);
    assert_int_equal(trace.lane[0].events, 2u);
    assert_false(kymo_pending());
    assert_false(kymo_drain(0u));
}

static uint8_t text_packet[600];
static size_t text_length;

static void keep_text(void *user, const uint8_t *bytes, size_t length) {
    (void)user;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_PACKET_TEXT) {
        memcpy(text_packet, bytes + 2, length - 2u);
        text_length = length - 2u;
    }
}

CASE(text_goes_beside_the_trace, set_up) {
    static char text[1000];
    trace.packet = keep_text;
    settle();
    memset(text, 'x', sizeof text);
    assert_true(kymo_print("hello, world", 12u));
    assert_false(kymo_print("in the way", 10u));
    settle();
    assert_int_equal(text_length, 12u);
    assert_memory_equal(text_packet, "hello, world", 12u);
    assert_true(kymo_print(text, sizeof text));
    settle();
    assert_true(text_length >= KYMO_PACKET_BYTES - 16u);
    assert_memory_equal(text_packet, text, text_length);
    assert_int_equal(trace.packets[KYMO_PACKET_TEXT], 2u);
}

static void keep_longest(void *user, const uint8_t *bytes, size_t length) {
    size_t *longest = user;
    (void)bytes;
    *longest = length > *longest ? length : *longest;
}

#define FLOW                                                                                       \
    { .name = "flow", .kind = KYMO_SITE_FLOW }
static const struct kymo_site flows[10] = {FLOW, FLOW, FLOW, FLOW, FLOW,
                                           FLOW, FLOW, FLOW, FLOW, FLOW};

/* More places than the model has slots, times far apart and payload that nothing forecasts: the most bytes that an
 * event of two words takes. None lies beyond the room of its packet; sanitizers look at the stack. */
CASE(the_longest_events_fit, set_up) {
    uint64_t random = 7u;
    size_t longest = 0u;
    uint32_t recorded = 0u;
    settle();
    trace.event = NULL;
    trace.packet = keep_longest;
    trace.user = &longest;
    for (uint32_t turn = 0u; turn < 2000u; turn++) {
        for (uint32_t i = player_random(&random) % 30u; i != 0u; i--) {
            fake.clock += player_random(&random) & 0x1ffffffu;
            kymo_flow(KYMO_KIND_FLOW_SEND, &flows[player_random(&random) % 10u],
                      (uint64_t)player_random(&random) << 32 | player_random(&random));
            recorded++;
        }
        while (kymo_drain(0u)) {}
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace.lane[0].events, recorded);
    assert_in_range(longest, KYMO_PACKET_BYTES / 2u, KYMO_PACKET_BYTES - KYMO_CRC_BYTES);
}
