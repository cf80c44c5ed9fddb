/* SPDX-License-Identifier: MIT */
/* Packets that come again, and boards that start again with the number of the session before:
 * hostlink delivers each recorded event once. */
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"
#include "wire/unpack.h"

#define STREAM_BYTES (1024u * 1024u)
#define PACKETS_MAX 2048u

struct recording {
    uint8_t bytes[STREAM_BYTES];
    size_t length, events, packets;
    size_t at[PACKETS_MAX + 1]; /* where each packet begins */
    uint8_t type[PACKETS_MAX];
};
static struct recording boot, other;
static struct pipeline *pipeline;

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    struct recording *r = context;
    assert_true(r->length + length <= STREAM_BYTES);
    memcpy(r->bytes + r->length, bytes, length);
    r->length += length;
    return length;
}

static void find_packets(struct recording *r) {
    r->packets = 0;
    for (size_t i = 0; i < r->length; i++) {
        if (r->bytes[i] == 0 && i > r->at[r->packets]) {
            r->type[r->packets] = r->bytes[r->at[r->packets] + 1] & KYMO_WIRE_TYPE_MASK;
            assert_true(r->packets < PACKETS_MAX);
            r->at[++r->packets] = i + 1;
        } else if (r->bytes[i] == 0) {
            r->at[r->packets] = i + 1;
        }
    }
}

/* A board that starts at the same tick each time, so that its session number is always the same. */
static void record(struct recording *r, size_t events, uint64_t step) {
    static struct kymo_transport transport = {.write = take};
    memset(r, 0, sizeof *r);
    fake_reset();
    trace_power_up();
    fake.clock_hz = 1000000u;
    fake.clock = 1000u;
    transport.context = r;
    kymo_init(&transport, "again");
    for (size_t i = 0; i < events; i++) {
        KYMO_PLOT("value", (int32_t)(i * step));
        fake.clock += step;
        r->events++;
        if (i % 20u == 19u) {
            while (kymo_drain(0)) {}
        }
    }
    fake.clock += 1000000u;
    for (unsigned idle = 0; idle < 4u; idle = kymo_drain(0) == 0 ? idle + 1u : 0u) {}
    find_packets(r);
}

static void feed(const struct recording *r) {
    assert_int_equal(pipeline_feed(pipeline, r->bytes, r->length), 0);
}

static void feed_packet(const struct recording *r, size_t packet) {
    assert_int_equal(
        pipeline_feed(pipeline, r->bytes + r->at[packet], r->at[packet + 1] - r->at[packet]), 0);
}

/* The number of the n-th packet of a type, counted from 0. */
static size_t packet_of(const struct recording *r, uint8_t type, size_t n) {
    size_t packet = 0;
    while (r->type[packet] != type || n-- > 0) {
        assert_true(++packet < r->packets);
    }
    return packet;
}

static void check(size_t delivered, size_t lost, size_t sessions) {
    struct pipeline_totals totals;
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, sessions);
    assert_int_equal(totals.delivered, delivered);
    assert_int_equal(totals.lost, lost);
    assert_int_equal(totals.unknown_names, 0);
}

static int set_up(void **state) {
    static const struct pipeline_callbacks nobody;
    (void)state;
    record(&boot, 2000, 100);
    pipeline = pipeline_new(&nobody, NULL);
    return pipeline != NULL ? 0 : -1;
}

FIXTURE(tear_down) {
    pipeline_free(pipeline);
    return 0;
}

CASE(a_stuck_buffer, set_up, tear_down) {
    size_t stuck = packet_of(&boot, KYMO_PACKET_EVENTS, 3);
    for (size_t i = 0; i < boot.packets; i++) {
        for (size_t k = 0; k < (i == stuck ? 200u : 1u); k++) {
            feed_packet(&boot, i);
        }
    }
    check(boot.events, 0, 1);
}

CASE(two_stuck_buffers, set_up, tear_down) {
    size_t stuck = packet_of(&boot, KYMO_PACKET_EVENTS, 5);
    for (size_t i = 0; i < boot.packets; i++) {
        feed_packet(&boot, i);
        for (size_t k = 0; i == stuck && k < 200; k++) {
            feed_packet(&boot, stuck - 1 + k % 2);
        }
    }
    check(boot.events, 0, 1);
}

CASE(all_that_came_within_a_second_again, set_up, tear_down) {
    for (size_t i = 0; i < boot.packets; i++) {
        feed_packet(&boot, i);
        for (size_t k = i - i % 50; i % 50 == 49 && k <= i; k++) {
            if (boot.type[k] != KYMO_PACKET_SESSION) {
                feed_packet(&boot, k);
            }
        }
    }
    check(boot.events, 0, 1);
}

CASE(a_stuck_session_packet, set_up, tear_down) {
    for (size_t i = 0; i < boot.packets; i++) {
        feed_packet(&boot, i);
        if (i % 10 == 9) {
            feed_packet(&boot, 0);
        }
    }
    assert_int_equal(boot.type[0], KYMO_PACKET_SESSION);
    check(boot.events, 0, 1);
}

CASE(the_same_start_again, set_up, tear_down) {
    feed(&boot);
    feed(&boot);
    feed(&boot);
    check(3 * boot.events, 0, 3);
}

CASE(another_run_with_the_same_number, set_up, tear_down) {
    record(&other, 1000, 90);
    feed(&boot);
    feed(&other);
    check(boot.events + other.events, 0, 2);
}

/* Fewer packets than decide it, all of them known, and no clock after them: the end of the stream does. */
CASE(a_short_run_again_at_the_end, set_up, tear_down) {
    record(&other, 400, 100);
    feed(&other);
    for (size_t i = 0; i < other.packets; i++) {
        if (i == 0 || other.type[i] == KYMO_PACKET_SITES || other.type[i] == KYMO_PACKET_EVENTS) {
            feed_packet(&other, i);
        }
    }
    struct pipeline_totals totals;
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, 1); /* not yet */
    check(2 * other.events, 0, 2);
}

CASE(a_short_run_and_the_same_longer, set_up, tear_down) {
    for (size_t i = 0; i <= packet_of(&boot, KYMO_PACKET_EVENTS, 4); i++) {
        feed_packet(&boot, i);
    }
    struct pipeline_totals first;
    pipeline_totals(pipeline, &first);
    feed(&boot);
    struct pipeline_totals totals;
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, 2);
    assert_int_equal(totals.lost, 0);
    assert_true(totals.delivered > boot.events);
}

/* Without its SESSION packet and its first events, but with more packets than are held. */
CASE(the_same_start_and_its_begin_is_lost, set_up, tear_down) {
    record(&boot, 8000, 100);
    record(&other, 8000, 90);
    feed(&boot);
    size_t from = packet_of(&other, KYMO_PACKET_EVENTS, 1);
    for (size_t i = from; i < other.packets; i++) {
        if (other.type[i] == KYMO_PACKET_EVENTS) {
            feed_packet(&other, i);
        }
    }
    struct pipeline_totals totals;
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, 2);
    assert_int_equal(totals.emitted, boot.events + other.events);
    assert_true(totals.lost > 0 && totals.lost < 300);
}
