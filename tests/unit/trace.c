/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "record/dynamic.h"
#include "ring/check.h"
#include "ring/lane.h"
#include "send/contexts.h"
#include "send/link.h"

static void take_event(struct trace *trace, uint32_t number, const struct wire_event *event) {
    struct trace_lane *lane = &trace->lane[number];
    uint32_t made_in = lane->context;
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        lane->context = event->reference;
    }
    if (event->kind == KYMO_KIND_LOSS) {
        assert_in_range(event->words, 2, 3);
        lane->lost += event->word[0];
        lane->losses++;
    }
    lane->events += KYMO_KIND_IS_COUNTED(event->kind) ? 1u : 0u;
    if (trace->event != NULL) {
        trace->event(trace->user, number, made_in, event);
    }
}

static void take_events(struct trace *trace, const uint8_t *bytes, size_t length) {
    struct reader reader = {.bytes = bytes, .length = length, .at = 2u};
    struct wire_head head;
    struct wire_decoder decoder;
    struct wire_event event;
    assert_true(decode_head(&reader, &head));
    assert_true(head.lane < KYMO_LANES);
    assert_int_equal(head.slots, KYMO_WIRE_SLOTS);
    assert_true(head.count > 0u);
    struct trace_lane *lane = &trace->lane[head.lane];
    assert_int_equal(head.first, lane->events + lane->lost);
    assert_int_equal(head.context, lane->context);
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, &event)) {
        take_event(trace, head.lane, &event);
    }
    assert_int_equal(decoder.decoded, head.count);
    assert_true(trace->cut || reader.at == reader.length); /* nothing is left before the count */
    assert_false(reader.bad);
}

static void take_status(struct trace *trace, const uint8_t *bytes, size_t length) {
    struct reader reader = {.bytes = bytes, .length = length, .at = 2u};
    trace->flags = read_u8(&reader);
    (void)read_varint(&reader);
    assert_int_equal(read_u8(&reader), KYMO_LANES);
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        trace->lane[i].status[0] = read_varint(&reader);
        trace->lane[i].status[1] = read_varint(&reader);
    }
    trace->unknown_lane =
        (trace->flags & KYMO_STATUS_UNKNOWN_LANE) != 0u ? read_varint(&reader) : 0u;
    trace->usage = (trace->flags & KYMO_STATUS_USAGE) != 0u ? read_varint(&reader) : 0u;
    assert_false(reader.bad);
    assert_int_equal(reader.at, length);
}

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct trace *trace = context;
    (void)wire_bytes;
    assert_true(length >= 2u);
    assert_int_equal(bytes[0] >> KYMO_WIRE_VERSION_SHIFT, KYMO_WIRE_VERSION);
    if (trace->any) {
        assert_int_equal(bytes[1], trace->sequence);
    }
    trace->any = true;
    trace->sequence = (uint8_t)(bytes[1] + 1u);
    uint8_t type = bytes[0] & KYMO_WIRE_TYPE_MASK;
    trace->packets[type]++;
    if (trace->packet != NULL) {
        trace->packet(trace->user, bytes, length);
    }
    if (type == KYMO_PACKET_EVENTS) {
        take_events(trace, bytes, length);
    } else if (type == KYMO_PACKET_STATUS) {
        take_status(trace, bytes, length);
    }
    return 0;
}

static void on_junk(void *context, const uint8_t *bytes, size_t length) {
    struct trace *trace = context;
    (void)bytes;
    trace->junk += length;
    if (!trace->cut) {
        fail_msg("%zu bytes outside of any packet", length);
    }
}

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    struct trace *trace = context;
    size_t taken = length < trace->takes ? length : trace->takes;
    taken = taken < trace->room ? taken : trace->room;
    trace->room -= trace->room == SIZE_MAX ? 0u : taken;
    trace->bytes += taken;
    assert_int_equal(unpack_feed(&trace->unpack, bytes, taken), 0);
    return taken;
}

static size_t give(void *context, uint8_t *bytes, size_t length) {
    struct trace *trace = context;
    size_t left = trace->command_length - trace->command_at;
    size_t given = length < left ? length : left;
    memcpy(bytes, trace->command + trace->command_at, given);
    trace->command_at += given;
    return given;
}

void trace_power_up(void) {
    memset(kymo_lanes, 0, sizeof kymo_lanes);
    memset(kymo_rings, 0, sizeof kymo_rings);
    memset(&kymo_link, 0, sizeof kymo_link);
#if KYMO_RETURNS
    memset(&kymo_returns, 0, sizeof kymo_returns);
#endif
#if KYMO_TASK_OVER
    memset(&kymo_task_over, 0, sizeof kymo_task_over);
#endif
#if KYMO_CONTEXTS && !KYMO_KEEP_NEWEST
    memset(&kymo_contexts, 0, sizeof kymo_contexts);
#endif
#if KYMO_CHECK
    memset(&kymo_check, 0, sizeof kymo_check);
#endif
#if KYMO_DYNAMIC_SITES
    memset(&kymo_dynamic, 0, sizeof kymo_dynamic);
#endif
#if KYMO_LARGE
    memset(&kymo_larges, 0, sizeof kymo_larges);
#endif
#if KYMO_CLOCK_CHANGES
    memset(&kymo_clock, 0, sizeof kymo_clock);
#endif
    memset(kymo_usage_seen, 0, sizeof kymo_usage_seen);
    kymo_stopped = kymo_clock_stands = false;
}

void trace_init(struct trace *trace) {
    memset(trace, 0, sizeof *trace);
    trace->transport = (struct kymo_transport){.write = take, .read = give, .context = trace};
    trace->takes = trace->room = SIZE_MAX;
    for (unsigned i = 0u; i < 64u; i++) {
        trace->lane[i].context = 1u;
    }
    const struct unpack_callbacks callbacks = {trace, on_packet, on_junk};
    unpack_init(&trace->unpack, &callbacks);
}

void trace_command(struct trace *trace, const uint8_t *bytes, size_t length) {
    size_t left = trace->command_length - trace->command_at;
    memmove(trace->command, trace->command + trace->command_at, left);
    assert_true(left + length <= sizeof trace->command);
    memcpy(trace->command + left, bytes, length);
    trace->command_at = 0u;
    trace->command_length = left + length;
}

void trace_drain(struct trace *trace) {
    (void)trace;
    for (unsigned idle = 0u; idle < 3u;) {
        idle = kymo_drain(0u) ? 0u : idle + 1u;
    }
}

uint64_t trace_finish(struct trace *trace) {
    uint64_t lost = 0u;
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    assert_true((trace->flags & KYMO_STATUS_FINAL) != 0u);
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        const struct trace_lane *lane = &trace->lane[i];
        assert_int_equal(lane->status[0], lane->events + lane->lost);
        lost += lane->lost + lane->status[1];
    }
    return lost;
}

uint64_t trace_events(const struct trace *trace) {
    uint64_t events = 0u;
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        events += trace->lane[i].events;
    }
    return events;
}
