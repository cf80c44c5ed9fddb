/* SPDX-License-Identifier: MIT */
/* Large things: sent in pieces between packets of events, straight from the caller's bytes, and put together again. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "send/link.h"
#include "trace.h"
#include "trace/pipeline.h"

#define STREAM_BYTES (1u << 20)
#define THING_BYTES 40000u
#define ENDS_MAX 8u

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);

static uint8_t stream[STREAM_BYTES];
static size_t stream_bytes;
static uint8_t bytes[THING_BYTES];

static size_t take(void *context, const uint8_t *from, size_t length) {
    (void)context;
    assert_true(stream_bytes + length <= sizeof stream);
    memcpy(stream + stream_bytes, from, length);
    stream_bytes += length;
    return length;
}
static const struct kymo_transport transport = {.write = take};

static uint32_t dones, sents;

static void on_done(struct kymo_large *large, bool sent) {
    assert_int_equal(kymo_large_state(large), sent ? KYMO_LARGE_SENT : KYMO_LARGE_GIVEN_UP);
    dones++;
    sents += sent ? 1u : 0u;
}

FIXTURE(set_up) {
    for (uint32_t i = 0u; i < THING_BYTES; i++) {
        bytes[i] = (uint8_t)(i * 7u >> 3);
    }
    stream_bytes = 0u;
    dones = sents = 0u;
    fake_reset();
    trace_power_up();
    kymo_init(&transport, "large");
    return 0;
}

static struct kymo_large thing(uint32_t length) {
    return (struct kymo_large){.bytes = bytes,
                               .length = length,
                               .name = "shot.png",
                               .type = KYMO_LARGE_IMAGE,
                               .done = on_done};
}

static void finish(void) {
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

/* ---- hostlink's side ---- */

struct seen {
    struct large large[ENDS_MAX];
    uint32_t count;
    uint64_t received; /* of the one that is open, all of it right */
    struct pipeline_totals totals;
};

static int on_large(void *context, const struct large *large, const uint8_t *from, size_t length) {
    struct seen *seen = context;
    if (length != 0u) {
        assert_true(seen->received + length <= THING_BYTES);
        assert_memory_equal(from, bytes + seen->received, length);
        seen->received += length;
    }
    if (large->end != LARGE_GOES_ON) {
        assert_true(seen->count < ENDS_MAX);
        assert_int_equal(large->received, seen->received);
        seen->large[seen->count++] = *large;
        seen->received = 0u;
    }
    return 0;
}

/* "drop" of all LARGE packets is left out, "twice" comes twice; counted from 1. */
static void read_stream(struct seen *seen, uint32_t drop, uint32_t twice) {
    const struct pipeline_callbacks callbacks = {.large = on_large, .large_context = seen};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    uint32_t number = 0u;
    memset(seen, 0, sizeof *seen);
    for (const uint8_t *at = stream; at < stream + stream_bytes;) {
        const uint8_t *end = memchr(at, 0, (size_t)(stream + stream_bytes - at));
        assert_non_null(end);
        const bool is_large =
            end - at > 1 &&
            at[1] == (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_LARGE);
        number += is_large ? 1u : 0u;
        const uint32_t times = !is_large ? 1u : number == drop ? 0u : number == twice ? 2u : 1u;
        for (uint32_t i = 0u; i < times; i++) {
            assert_int_equal(pipeline_feed(pipeline, at, (size_t)(end + 1 - at)), 0);
        }
        at = end + 1;
    }
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &seen->totals);
    pipeline_free(pipeline);
}

static void is_whole(const struct seen *seen, uint32_t index, uint32_t length) {
    assert_true(index < seen->count);
    assert_int_equal(seen->large[index].end, LARGE_WHOLE);
    assert_int_equal(seen->large[index].bytes, length);
    assert_int_equal(seen->large[index].received, length);
    assert_string_equal(seen->large[index].name, "shot.png");
    assert_int_equal(seen->large[index].type, KYMO_LARGE_IMAGE);
}

/* ---- tests ---- */

CASE(of_any_length, set_up) {
    const uint32_t lengths[] = {0u, 1u, 400u, 500u, 4096u, THING_BYTES};
    for (uint32_t i = 0u; i < 6u; i++) {
        struct kymo_large large = thing(lengths[i]);
        struct seen seen;
        (void)set_up(state);
        assert_true(kymo_large_send(&large));
        assert_int_equal(kymo_large_state(&large), KYMO_LARGE_WAITING);
        finish();
        assert_int_equal(dones, 1u);
        assert_int_equal(sents, 1u);
        read_stream(&seen, 0u, 0u);
        assert_int_equal(seen.count, 1u);
        is_whole(&seen, 0u, lengths[i]);
        assert_int_equal(seen.totals.delivered, 1u); /* the event */
        assert_int_equal(seen.totals.unknown_packets, 0u);
    }
}

CASE(too_long_is_refused, set_up) {
    struct kymo_large large = thing(KYMO_LARGE_BYTES_MAX + 1u);
    assert_false(kymo_large_send(&large));
    assert_int_equal(kymo_large_state(&large), KYMO_LARGE_IDLE);
}

CASE(null_is_refused, set_up) {
    struct kymo_large no_bytes = {.length = 8u};
    assert_false(kymo_large_send(NULL));
    kymo_large_cancel(NULL);
    assert_int_equal(kymo_large_state(NULL), KYMO_LARGE_IDLE);
    assert_false(kymo_large_send(&no_bytes));
    assert_int_equal(kymo_large_state(&no_bytes), KYMO_LARGE_IDLE);
}

CASE(only_so_many_at_a_time, set_up) {
    struct kymo_large larges[3] = {thing(2000u), thing(3000u), thing(1000u)};
    struct seen seen;
    assert_true(kymo_large_send(&larges[0]));
    assert_false(kymo_large_send(&larges[0])); /* it waits */
    assert_true(kymo_large_send(&larges[1]));
    assert_false(kymo_large_send(&larges[2]));
    assert_int_equal(kymo_larges.refused, 1u);
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    assert_true(kymo_large_send(&larges[2]));
    assert_true(kymo_large_send(&larges[0])); /* again */
    finish();
    assert_int_equal(dones, 4u);
    read_stream(&seen, 0u, 0u);
    assert_int_equal(seen.count, 4u);
    is_whole(&seen, 0u, 2000u);
    is_whole(&seen, 1u, 3000u);
    is_whole(&seen, 2u, 1000u);
    is_whole(&seen, 3u, 2000u);
    assert_int_equal(seen.totals.info.number[KYMO_INFO_LARGE][0], 2u);
    assert_int_equal(seen.totals.info.number[KYMO_INFO_LARGE][1], 1u);
}

/* The length must not change; but the bytes read are the bytes given, whatever is done to it. */
CASE(a_length_that_changes_leads_nowhere_else, set_up) {
    static const uint32_t other[] = {0u, 100u, 2999u, THING_BYTES + 1000u, UINT32_MAX};
    for (uint32_t i = 0u; i < sizeof other / sizeof other[0]; i++) {
        struct kymo_large large = thing(3000u);
        struct seen seen;
        (void)set_up(NULL);
        assert_true(kymo_large_send(&large));
        for (uint32_t call = 0u; call < 1000u && kymo_link.large.offset == 0u; call++) {
            (void)kymo_drain(0u);
        }
        assert_in_range(kymo_link.large.offset, 1u, 2999u);
        large.length = other[i];
        large.bytes = NULL;
        finish();
        assert_int_equal(dones, 1u);
        read_stream(&seen, 0u, 0u);
        assert_int_equal(seen.count, 1u);
        is_whole(&seen, 0u, 3000u);
    }
}

/* Each lost piece makes one cut thing, with no bytes from after the gap; the next one is whole. */
CASE(a_lost_piece_is_known, set_up) {
    struct kymo_large larges[2] = {thing(3000u), thing(1000u)};
    struct seen seen;
    assert_true(kymo_large_send(&larges[0]));
    assert_true(kymo_large_send(&larges[1]));
    finish();
    for (uint32_t drop = 1u; drop <= 7u; drop++) {
        read_stream(&seen, drop, 0u);
        assert_int_equal(seen.count, 2u);
        assert_int_equal(seen.large[0].end, LARGE_CUT);
        is_whole(&seen, 1u, 1000u);
        assert_int_equal(seen.totals.large_cut, 1u);
    }
}

CASE(a_piece_that_comes_again_changes_nothing, set_up) {
    struct kymo_large large = thing(3000u);
    struct seen seen;
    assert_true(kymo_large_send(&large));
    finish();
    for (uint32_t twice = 1u; twice <= 7u; twice++) {
        read_stream(&seen, 0u, twice);
        assert_int_equal(seen.count, 1u);
        is_whole(&seen, 0u, 3000u);
    }
}

CASE(a_cancelled_one_ends, set_up) {
    struct kymo_large larges[2] = {thing(THING_BYTES), thing(1000u)};
    struct seen seen;
    assert_true(kymo_large_send(&larges[0]));
    assert_true(kymo_large_send(&larges[1]));
    while (stream_bytes < 5000u) {
        (void)kymo_drain(100u);
    }
    kymo_large_cancel(&larges[0]);
    finish();
    assert_int_equal(kymo_large_state(&larges[0]), KYMO_LARGE_GIVEN_UP);
    assert_int_equal(dones, 2u);
    assert_int_equal(sents, 1u);
    read_stream(&seen, 0u, 0u);
    assert_int_equal(seen.count, 2u);
    assert_int_equal(seen.large[0].end, LARGE_CANCELLED);
    assert_in_range(seen.large[0].received, 1000u, 10000u);
    is_whole(&seen, 1u, 1000u);
}

/* Four packets of events between two pieces as long as events wait. */
CASE(events_are_not_starved, set_up) {
    struct kymo_large large = thing(THING_BYTES);
    uint32_t events = 0u;
    uint32_t pieces = 0u;
    uint8_t last = 0u;
    assert_true(kymo_large_send(&large));
    for (uint32_t i = 0u; i < 20000u; i++) {
        kymo_zone_end(kymo_zone_begin(&work));
        fake.clock += (i * 2654435761u) >> 12;
        (void)kymo_drain(0u);
    }
    for (size_t at = 1u; at + 1u < stream_bytes; at++) {
        if (stream[at - 1u] == 0u && stream[at] != 0u) {
            last = stream[at + 1u];
            events += last == (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_EVENTS);
            pieces += last == (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_LARGE);
        }
    }
    assert_true(pieces >= 5u);
    assert_true(events >= 4u * (pieces - 1u));
    finish();
    assert_int_equal(sents, 1u);
}

/* The buffer's packet is gone, the host may be another one: waiting things start again. */
CASE(a_new_start_begins_anew, set_up) {
    struct kymo_large large = thing(5000u);
    struct seen seen;
    assert_true(kymo_large_send(&large));
    while (stream_bytes < 2000u) {
        (void)kymo_drain(100u);
    }
    stream_bytes = 0u;
    kymo_init(&transport, "large");
    finish();
    assert_int_equal(dones, 1u);
    read_stream(&seen, 0u, 0u);
    assert_int_equal(seen.count, 1u);
    is_whole(&seen, 0u, 5000u);
}

/* ---- hostile packets ---- */

static void take_packet(struct larges *larges, const uint8_t *body, size_t length) {
    struct reader reader = {.bytes = body, .length = length};
    assert_int_equal(large_take(larges, 0u, &reader), 0);
}

CASE(packets_that_contradict_themselves) {
    static const uint8_t beyond[] = {0, 1, 4, 3, 'a', 'b'}; /* two bytes from 3 on, of 4 */
    static const uint8_t behind[] = {0, 1, 4, 5};           /* from 5 on */
    static const uint8_t no_id[] = {0, 0, 1, 0, 'a'};
    static const uint8_t huge[] = {0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 'a'};
    static const uint8_t cut[] = {1, 1, 4, 0, 1, 9, 'a'}; /* a name of 9 bytes */
    static const uint8_t empty[] = {0};
    struct larges larges = {0};
    take_packet(&larges, beyond, sizeof beyond);
    take_packet(&larges, behind, sizeof behind);
    take_packet(&larges, no_id, sizeof no_id);
    take_packet(&larges, huge, sizeof huge);
    take_packet(&larges, cut, sizeof cut);
    take_packet(&larges, empty, 0u);
    assert_int_equal(larges.wrong, 6u);
    assert_int_equal(larges.whole + larges.cut, 0u);
}
