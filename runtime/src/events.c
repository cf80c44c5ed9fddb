/* From the rings to EVENTS frames. */
#include "contexts.h"
#include "lane.h"
#include "link.h"
#include "ring.h"

#if KYMO_ENABLE

/* A frame is begun when a lane holds about as much as fits, so that its head is paid for by many
 * events; a record of 8 bytes takes about two on the wire. */
#define FULL_FRAME_BYTES (KYMO_FRAME_BYTES * 4u)
#define WORTH_BYTES                                                                                \
    (FULL_FRAME_BYTES < KYMO_RING_BYTES / 4u ? FULL_FRAME_BYTES : KYMO_RING_BYTES / 4u)

/* Head of the frame: lane, count, three varints. */
#define HEAD_BYTES (2u + 1u + 2u + 10u + 10u + 5u)

/* The reference of a lane's main context. Kept exclusive-or with it, so that a lane of zeros is in it. */
#define MAIN_CONTEXT 1u

_Static_assert(KYMO_FRAME_BYTES * 8u / 2u < 0xffffu,
               "an event takes 2 bits at least: they are counted");
_Static_assert(KYMO_FRAME_BYTES >=
                   HEAD_BYTES + KYMO_CRC_BYTES + 23u + 37u * (KYMO_PAYLOAD_WORDS + 1u) / 8u,
               "KYMO_FRAME_BYTES is too small for KYMO_PAYLOAD_WORDS");

static void read_long(const struct kymo_lane *lane, uint32_t header,
                      struct kymo_encode_event *event) {
    uint32_t at = 2u;
    event->kind = (enum kymo_event_kind)KYMO_LONG_KIND(header);
    if (((uint32_t)event->kind & KYMO_KIND_HAS_REF) != 0u) {
        event->reference = kymo_wire_reference(kymo_ring_word(lane, at++));
    }
    event->words = KYMO_LONG_WORDS(header);
    for (uint32_t i = 0u; i < event->words; i++) {
        event->word[i] = kymo_ring_word(lane, at++);
    }
}

static uint64_t time61(const struct kymo_lane *lane, uint32_t header) {
    return (uint64_t)kymo_ring_word(lane, 1u) << 29 | header >> 3;
}

static uint64_t time32(const struct kymo_lane *lane) {
    uint32_t change = kymo_ring_word(lane, 1u) - (uint32_t)lane->time;
    return lane->time + (uint64_t)(int64_t)(int32_t)change;
}

/* Reads the peeked record; false for a clock record, which is no event. */
static bool read_event(struct kymo_lane *lane, uint32_t header, struct kymo_encode_event *event) {
    static const uint8_t kinds[8] = {KYMO_KIND_ZONE_BEGIN, 0u,
                                     KYMO_KIND_ZONE_END,   0u,
                                     KYMO_KIND_CONTEXT,    KYMO_KIND_CONTEXT_NOW,
                                     KYMO_KIND_FRAME,      KYMO_KIND_ZONE_END};
    uint32_t tag = header & KYMO_TAG_MASK;
    event->words = 0u;
    event->reference = 0u;
    event->kind = (enum kymo_event_kind)kinds[tag];
    if (tag == KYMO_TAG_END64 || tag == KYMO_TAG_CLOCK64) {
        event->time = time61(lane, header);
        return tag == KYMO_TAG_END64;
    }
    event->time = time32(lane);
    if (tag == KYMO_TAG_LONG) {
        read_long(lane, header, event);
    } else if (tag != KYMO_TAG_END32) {
        event->reference = kymo_wire_reference(header & ~KYMO_TAG_MASK);
    }
    return true;
}

/* What the record meant for the lane, once it is in a frame. */
static void account(struct kymo_lane *lane, const struct kymo_encode_event *event) {
    lane->time = event->time;
    if (event->kind == KYMO_KIND_LOSS && event->words > 2u) {
        kymo_contexts_lost_ends();
    }
    kymo_contexts_account(lane, event->kind, event->reference ^ MAIN_CONTEXT, event->time,
                          event->words != 0u ? event->word[0] : 0u);
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        lane->context_out = event->reference ^ MAIN_CONTEXT;
    }
    lane->events += event->kind == KYMO_KIND_LOSS ? event->word[0] : kymo_events_of(event->kind);
}

/* The next event of the lane, still in the ring; skips clock records, and what was sent before a reset.
 * Returns its ring words, or 0. */
static uint32_t next_event(struct kymo_lane *lane, struct kymo_encode_event *event) {
    uint32_t header = 0u;
    uint32_t words = kymo_ring_peek(lane, &header);
    while (words != 0u) {
        bool is_event = read_event(lane, header, event);
        if (is_event && !kymo_ring_was_sent(lane)) {
            break;
        }
        if (is_event) {
            account(lane, event);
        }
        lane->time = event->time;
        kymo_ring_consume(lane, words);
        words = kymo_ring_peek(lane, &header);
    }
    return words;
}

static void put_head(struct kymo_link *link, unsigned index, uint64_t time) {
    struct kymo_lane *lane = &kymo_lanes[index];
    uint32_t size = KYMO_WIRE_SLOTS / 16u; /* 8, 16, 32, 64 -> 0, 1, 2, 3 */
    size = size == 4u ? 3u : size;
    kymo_frame_new(&link->out, KYMO_FRAME_EVENTS);
    kymo_frame_u8(&link->out, (uint8_t)(index | size << 6));
    link->out.length += 2u; /* count, set when it is known */
    kymo_frame_varint(&link->out, lane->events);
    kymo_frame_varint(&link->out, time);
    kymo_frame_varint(&link->out, lane->context_out ^ MAIN_CONTEXT);
}

static void build(struct kymo_link *link, unsigned index) {
    static struct kymo_encode_event event; /* too large for the stacks of small boards */
    struct kymo_lane *lane = &kymo_lanes[index];
    struct kymo_outgoing *out = &link->out;
    uint32_t words = next_event(lane, &event);
    uint32_t count = 0u;
    if (words == 0u) {
        return;
    }
    uint64_t time = event.time;
    put_head(link, index, time);
    kymo_encode_begin(&link->encoder, kymo_frame_bytes_of(out) + out->length, kymo_frame_space(out),
                      (uint32_t)time);
    /* A step of the clock that a delta cannot hold, back or far ahead, begins another frame. */
    while (words != 0u && (event.time - time) >> 32 == 0u &&
           kymo_encode_fits(&link->encoder, event.words)) {
        kymo_encode_event(&link->encoder, &event);
        account(lane, &event);
        time = event.time;
        kymo_ring_consume(lane, words);
        count++;
        words = next_event(lane, &event);
    }
    kymo_ring_sent(lane);
    out->length += kymo_encode_end(&link->encoder);
    kymo_frame_bytes_of(out)[3] = (uint8_t)count;
    kymo_frame_bytes_of(out)[4] = (uint8_t)(count >> 8);
    kymo_frame_ready(out);
}

/* Ready: about a frame full, or waiting for long enough, or everything must go. */
static bool is_ready(struct kymo_lane *lane, const struct kymo_link *link, uint32_t now) {
    uint32_t header = 0u;
    if (kymo_ring_peek(lane, &header) == 0u) {
        lane->waiting = false;
        kymo_contexts_read_all(lane);
        return false;
    }
    if (!lane->waiting) {
        lane->waiting = true;
        lane->waiting_since = now;
    }
    return link->finishing || kymo_ring_used_bytes(lane) >= WORTH_BYTES ||
           now - lane->waiting_since >= kymo_link_ticks(KYMO_LATENCY_MS);
}

bool kymo_events_build(struct kymo_link *link, uint32_t now) {
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        unsigned index = link->next_lane;
        link->next_lane = (uint8_t)(index + 1u < KYMO_LANES ? index + 1u : 0u);
        struct kymo_lane *lane = &kymo_lanes[index];
        if (is_ready(lane, link, now)) {
            build(link, index);
            lane->waiting = false;
            return link->out.end != 0u;
        }
    }
    return false;
}

bool kymo_events_waiting(void) {
    uint32_t header = 0u;
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        if (kymo_ring_peek(&kymo_lanes[i], &header) != 0u) {
            return true;
        }
    }
    return false;
}

#if KYMO_KEEP_NEWEST
bool kymo_events_held_up(struct kymo_link *link) { return link == NULL; }
#else
#define KYMO_PATIENCE_MS 100u

static bool holds_bytes(void) {
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        if (kymo_ring_used_bytes(&kymo_lanes[i]) != 0u) {
            return true;
        }
    }
    return false;
}

bool kymo_events_held_up(struct kymo_link *link) {
    const uint32_t now = (uint32_t)kymo_arch_clock();
    const bool was_held_up = link->held_up;
    link->held_up = holds_bytes();
    if (!link->held_up || !was_held_up) {
        link->held_up_at = now;
    } else if (now - link->held_up_at >= kymo_link_ticks(KYMO_PATIENCE_MS)) {
        link->held_up = false;
        for (unsigned i = 0u; i < KYMO_LANES; i++) {
            kymo_ring_abandon(&kymo_lanes[i]);
        }
        return true;
    }
    return link->held_up;
}
#endif

#endif
