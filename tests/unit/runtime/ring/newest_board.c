/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "newest_board.h"

#include "kymo_arch.h"
#include "send/link.h"

KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(message, KYMO_SITE_MESSAGE, "%u %s", 0u,
                        (uint32_t)KYMO_ARG_U32 | (uint32_t)KYMO_ARG_STRING << 4, NULL);
struct trace trace;
uint32_t emitted[LANES];

struct board_session session[SESSIONS];
uint32_t sessions;

uint64_t known(uint32_t lane) { return trace.lane[lane].events + trace.lane[lane].lost; }

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    if (event->kind == KYMO_KIND_PLOT_INT || event->kind == KYMO_KIND_MESSAGE) {
        assert_int_equal(event->word[0], known(lane) - 1u);
    }
    session[sessions - 1u].contexts += context != 1u ? 1u : 0u;
    session[sessions - 1u].arrived[lane] = trace.lane[lane].events;
    session[sessions - 1u].lost[lane] = trace.lane[lane].lost;
}

/* Another id begins a session: numbers and contexts are as at power-up. */
static void on_packet(void *user, const uint8_t *bytes, size_t length) {
    struct reader reader = {.bytes = bytes, .length = length, .at = 2u};
    (void)user;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) != KYMO_PACKET_SESSION) {
        return;
    }
    uint32_t id = read_u32(&reader);
    (void)read_varint(&reader);
    (void)read_varint(&reader);
    if (sessions == 0u || session[sessions - 1u].id != id) {
        memset(trace.lane, 0, sizeof trace.lane);
        for (uint32_t i = 0u; i < LANES; i++) {
            trace.lane[i].context = 1u;
        }
        assert_true(sessions < SESSIONS);
        session[sessions++].id = id;
    }
    session[sessions - 1u].flags = read_u8(&reader);
}

void boot(void) {
    memset(kymo_lanes, 0, sizeof kymo_lanes);
    memset(&kymo_link, 0, sizeof kymo_link);
    memset(&kymo_run, 0, sizeof kymo_run);
    kymo_stopped = false;
    fake.masked = fake.inside = fake.pending = false;
    fake.lane = 0u;
    memset(emitted, 0, sizeof emitted);
    trace.any = false;
    fake.clock += 1000u;
}

void attach(void) { kymo_init(&trace.transport, "newest"); }

int power_up(void **state) {
    uint64_t random = 0x9e3779b97f4a7c15u;
    (void)state;
    fake_reset();
    memset(session, 0, sizeof session);
    sessions = 0u;
    trace_init(&trace);
    trace.event = on_event;
    trace.packet = on_packet;
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        for (uint32_t i = 0u; i < KYMO_RING_WORDS; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            kymo_rings[lane][i] = (uint32_t)random;
        }
    }
    memset(kymo_sent, 0xa5, sizeof kymo_sent);
    boot();
    return 0;
}

void emit(uint32_t lane) {
    fake.lane = lane;
    const uint32_t number = emitted[lane]++;
    if (number % 7u == 3u) {
        const uint64_t args[2] = {number, (uint64_t)(uintptr_t) "some text, cut to its room"};
        kymo_message(&message, args);
    } else {
        kymo_plot_int(&plot, (int64_t)number);
    }
    fake.lane = 0u;
}

void emit_many(uint32_t lane, uint32_t count) {
    for (uint32_t i = 0u; i < count; i++) {
        emit(lane);
    }
}

void drain(void) {
    while (kymo_pending()) {
        if (!kymo_drain(0u)) {
            fake.clock += 200000u; /* beyond the latency */
        }
    }
}

void assert_session(uint32_t number, uint32_t lane, uint64_t arrived, uint64_t lost) {
    assert_true(number < sessions);
    assert_int_equal(session[number].arrived[lane], arrived);
    assert_int_equal(session[number].lost[lane], lost);
}
