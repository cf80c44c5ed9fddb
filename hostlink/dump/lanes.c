/* SPDX-License-Identifier: MIT */
#include "dump/lanes.h"

/* The reference of a lane's main context, kept exclusive-or with it. */
#define MAIN_CONTEXT 1u

static int start_at_tail(const struct recorder *r, uint32_t lane,
                         const struct lanes_reader *reader) {
    const struct kymo_layout *layout = &r->layout;
    const struct lane_start start = {
        .lane = lane,
        .events = recorder_lane_field(r, lane, layout->events, 8),
        .context = (uint32_t)recorder_lane_field(r, lane, layout->context_out, 4) ^ MAIN_CONTEXT};
    return reader->start(reader->context, &start);
}

static struct records records_of(const struct recorder *r, uint32_t lane) {
    return (struct records){.sites = recorder_sites_place(r),
                            .ring = recorder_ring(r, lane),
                            .mask = r->layout.ring_bytes / 4 - 1,
                            .ticks = recorder_lane_field(r, lane, r->layout.time, 8)};
}

/* One record of "length" words. */
static int hand_on(struct records *records, uint32_t length, const struct lanes_reader *reader) {
    struct wire_event event;
    bool is_event = records_next(records, length, &event);
    return is_event ? reader->event(reader->context, &event) : 0;
}

/* ---- KYMO_RING_MASKED: runs that end at the ring's end or at a record that marks it ---- */

/* Words from the ring's start to where a pointer of the lane points; false if that is not in it. */
static bool offset_of(const struct recorder *r, uint32_t lane, uint16_t field, uint32_t *words) {
    uint64_t ring = r->rings_at + (uint64_t)lane * r->layout.ring_bytes;
    uint64_t offset = recorder_lane_field(r, lane, field, r->layout.pointer_bytes) - ring;
    *words = (uint32_t)(offset / 4);
    return offset <= r->layout.ring_bytes && offset % KYMO_CELL_BYTES == 0;
}

static bool is_skip(const struct records *records) {
    uint32_t header = records_word(records, 0);
    return (header & KYMO_TAG_MASK) == KYMO_TAG_LONG && KYMO_LONG_KIND(header) == KYMO_LONG_SKIP;
}

static int read_masked(const struct recorder *r, uint32_t lane, const struct lanes_reader *reader,
                       struct lanes_report *report) {
    const uint32_t end = r->layout.ring_bytes / 4;
    struct records records = records_of(r, lane);
    uint32_t write = 0;
    if (recorder_lane_field(r, lane, r->layout.write, r->layout.pointer_bytes) == 0) {
        return 0; /* never used */
    }
    if (!offset_of(r, lane, r->layout.tail, &records.at) ||
        !offset_of(r, lane, r->layout.write, &write)) {
        report->broken++;
        return 0;
    }
    int result = start_at_tail(r, lane, reader);
    bool may_wrap = records.at > write;
    while (result == 0 && records.at != write) {
        if (may_wrap && (records.at == end || is_skip(&records))) {
            records.at = 0;
            may_wrap = false;
            continue;
        }
        uint32_t length = records_length(&records, (may_wrap ? end : write) - records.at);
        if (length == 0) {
            report->broken++;
            return 0;
        }
        result = hand_on(&records, length, reader);
    }
    return result;
}

/* ---- KYMO_RING_ATOMIC: zeros after the last record ---- */

static int read_atomic(const struct recorder *r, uint32_t lane, const struct lanes_reader *reader,
                       struct lanes_report *report) {
    const uint32_t words = r->layout.ring_bytes / 4;
    struct records records = records_of(r, lane);
    records.at = (uint32_t)recorder_lane_field(r, lane, r->layout.tail, 4);
    const uint32_t first = records.at;
    int result = start_at_tail(r, lane, reader);
    while (result == 0 && records.at - first < words && records_word(&records, 0) != 0) {
        uint32_t length = records_length(&records, words - (records.at - first));
        if (length == 0) {
            report->broken++;
            return 0;
        }
        result = hand_on(&records, length, reader);
    }
    return result;
}

int lanes_read(const struct recorder *r, uint32_t lane, const struct lanes_reader *reader,
               struct lanes_report *report) {
    switch (r->layout.ring_kind) {
    case KYMO_RING_MASKED:
        return read_masked(r, lane, reader, report);
    case KYMO_RING_ATOMIC:
        return read_atomic(r, lane, reader, report);
    default:
        return 0;
    }
}
