/* SPDX-License-Identifier: MIT */
/* Of EVENTS packets what runs seldom, apart from the loop over plain events: the head, the end, and an event of any
 * kind, whose payload may go on in the next call. */
#include "../ring/ring.h"
#include "contexts.h"
#include "events.h"
#include "stacks.h"

#if KYMO_ENABLE

/* The longest head of a packet's body: lane, three varints. */
#define EVENTS_HEAD_BYTES (1u + 10u + 10u + 5u)

/* Work: to begin and end a call of all this; to put a row of bytes into the packet, excluding its bytes. */
#define ANY_WORK 140
#define ROW_MORE_WORK (75 + (KYMO_ARCH_ATOMIC ? 40 : 0))
#define ROW_WORK (ROW_MORE_WORK + KYMO_WORK_BYTES)
/* Work: a clock record, or any other record up to its payload, excluding its bytes; the first record of a
 * packet. */
#define RECORD_WORK 140
#define FIRST_WORK 140
#define EVENT_WORK 245
#define PLACE_WORK (FIND_WORK + DEFINE_WORK + KYMO_ENCODE_LOOK_WORK)
/* Work needed to begin an event after others of the row, if its place is the expected one; and for certain, as the
 * first one. */
#define EVENT_MOST_WORK                                                                            \
    (RECORD_WORK + EVENT_WORK + KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_NUMBER_BYTES)
#define EVENT_LEAST_WORK (ROW_WORK + EVENT_MOST_WORK)
#define EVENT_FIRST_WORK (ROW_MORE_WORK + EVENT_MOST_WORK + PLACE_WORK)
/* Work of a word of payload, or a frame, including its bytes. */
#define WORD_WORK                                                                                  \
    (KYMO_WORK_AT(106, 100) + (KYMO_COPIES ? 15 : 0) +                                             \
     KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_NUMBER_BYTES)
#define FRAME_WORK                                                                                 \
    (KYMO_WORK_AT(140, 124) + (KYMO_COPIES ? 50 : 0) + (KYMO_ARCH_ATOMIC ? 40 : 0) +               \
     KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_FRAME_BYTES)
#define PART_WORK (KYMO_CALLSTACKS != 0 ? FRAME_WORK : WORD_WORK)
/* Work to account for an event in the lane; at most, including the contexts' part, which is charged there. */
#define ACCOUNT_MORE_WORK (130 + (KYMO_COPIES ? 140 : 0))
#define ACCOUNT_WORK (ACCOUNT_MORE_WORK + KYMO_CONTEXTS_WORK + CLEAR_WORK(KYMO_RECORD_WORDS + 4u))
/* Work of a packet's head, and of an empty model. */
#define HEAD_WORK (250 + KYMO_WORK_BYTES + KYMO_WORK_BYTE * (int32_t)EVENTS_HEAD_BYTES)
#define MODEL_WORK (120 + (int32_t)sizeof(struct kymo_expected) * 3 / 8)
#define STACKS_WORK                                                                                \
    (KYMO_CALLSTACKS != 0 ? 60 + 3 * (int32_t)KYMO_MODEL_CALLS * (int32_t)(sizeof(uintptr_t) / 4u) \
                          : 0)

/* The call that begins a packet of a lane, whose block is open, finds its first event. */
#define FIND_FIRST_WORK                                                                            \
    (KYMO_WORK_CHOICE + KYMO_WORK_LOOK + KYMO_WORK_RECALL - KYMO_WORK_BLOCK + FIRST_WORK +         \
     KYMO_WORK_PEEK + RECORD_WORK + 2 * ROW_WORK + ACCOUNT_WORK)
#define LEAST_WORK (KYMO_WORK_STEPS - ANY_WORK - ROW_WORK)
_Static_assert(!KYMO_COPIES || FIND_FIRST_WORK <= KYMO_WORK_STEPS - KYMO_WORK_GIVE,
               "raise KYMO_DRAIN_INSTRUCTIONS for so many lanes and frames");
_Static_assert(EVENT_FIRST_WORK <= LEAST_WORK && EVENT_LEAST_WORK <= LEAST_WORK &&
                   PART_WORK <= LEAST_WORK && ACCOUNT_WORK <= LEAST_WORK &&
                   MODEL_WORK <= KYMO_WORK_STEPS && STACKS_WORK <= KYMO_WORK_STEPS &&
                   HEAD_WORK <= KYMO_WORK_STEPS,
               "raise KYMO_DRAIN_INSTRUCTIONS for so many lanes, contexts and slots");
_Static_assert(KYMO_PACKET_BYTES <= 0xffffu, "an event takes a byte: they are counted in two");
_Static_assert(KYMO_PACKET_BYTES >= 2u + EVENTS_HEAD_BYTES + KYMO_CRC_BYTES + KYMO_COUNT_BYTES +
                                        KYMO_ENCODE_EVENT_BYTES +
                                        KYMO_ENCODE_PAYLOAD_BYTES(KYMO_PAYLOAD_WORDS),
               "KYMO_PACKET_BYTES is too small for KYMO_PAYLOAD_WORDS");

/* Encoded bytes of events that are not yet in the packet. */
struct row {
    uint8_t *at;   /* end of them, in "bytes" */
    uint8_t *most; /* up to here the packet and the buffer have room */
    uint8_t bytes[ROW_BYTES];
};

static void row_begin(const struct kymo_outgoing *out, struct row *row) {
    const int32_t room = row_room(out);
    row->at = row->bytes;
    row->most = row->bytes + (room > 0 ? room : 0);
}

/* Into the packet; the next one begins. */
static void row_put(struct kymo_link *link, struct row *row) {
    if (row->at != row->bytes) {
        link->out.work -= ROW_MORE_WORK;
        link->moved = true;
        kymo_out_add(&link->out, row->bytes, (uint32_t)(row->at - row->bytes));
        row_begin(&link->out, row);
    }
}

/* The work that the call has left, once the row is in the packet. */
static inline int32_t work_left(const struct kymo_outgoing *out, const struct row *row) {
    return out->work - ROW_WORK - KYMO_WORK_BYTE * (int32_t)(row->at - row->bytes);
}

/* Where the payload begins in a record of this kind. */
static inline uint32_t payload_at(uint32_t kind) {
    return (kind & KYMO_KIND_HAS_REF) != 0u ? 3u : 2u;
}

/* ---- any event ---- */

static uint64_t time_of(const struct kymo_lane *lane, uint32_t header) {
    const uint32_t second = kymo_ring_word(lane, 1u);
    const uint32_t tag = header & KYMO_TAG_MASK;
    if (tag == KYMO_TAG_END64 || tag == KYMO_TAG_CLOCK64) {
        return (uint64_t)second << 29 | header >> 3;
    }
    return lane->time + (uint64_t)(int64_t)(int32_t)(second - (uint32_t)lane->time);
}

/* Reads the record at the tail without its payload; false for a clock record, which is no event. */
static bool read_event(const struct kymo_lane *lane, uint32_t header, struct kymo_event *event) {
    const uint32_t tag = header & KYMO_TAG_MASK;
    event->time = time_of(lane, header);
    event->place.key = header;
    event->place.reference = 0u;
    event->kind = (uint8_t)kind_of(header);
    event->words = 0u;
    if (tag == KYMO_TAG_LONG) {
        event->words = (uint8_t)KYMO_LONG_WORDS(header);
        if (kymo_is_stack(event->kind)) {
            event->words = (uint8_t)kymo_stack_frames(lane, 0u, event->words);
            event->place.key = KYMO_LONG(KYMO_KIND_CALLSTACK, event->words, 0u);
        }
        if ((event->kind & KYMO_KIND_HAS_REF) != 0u) {
            event->place.reference = kymo_ring_word(lane, 2u);
        }
    }
    if (event->kind == KYMO_KIND_ZONE_END) {
        event->place.key = KYMO_TAG_END32;
    }
    return tag != KYMO_TAG_CLOCK64;
}

/* Word "index" of the payload of the record at the tail. */
static uint32_t payload_word(const struct kymo_lane *lane, const struct kymo_event *event,
                             uint32_t index) {
    return kymo_ring_word(lane, payload_at(event->kind) + index);
}

/* The record at the tail is an end for which nothing was promised: it ends no zone that is counted. */
static bool is_unpromised_end(const struct kymo_lane *lane, const struct kymo_event *event) {
    return event->kind == KYMO_KIND_ZONE_END &&
           (kymo_ring_word(lane, 0u) & KYMO_TAG_MASK) == KYMO_TAG_LONG;
}

/* Accounts for the event at the tail in the lane, once it is in a packet. */
static void account(struct kymo_link *link, struct kymo_lane *lane,
                    const struct kymo_event *event) {
    link->out.work -= ACCOUNT_MORE_WORK;
    lane->events += kymo_events_of((enum kymo_event_kind)event->kind);
    if (KYMO_CONTEXTS != 0) {
        if (!is_unpromised_end(lane, event)) {
            kymo_contexts_account(lane, event->kind,
                                  wire_reference_of(event->kind, &event->place) ^ KYMO_MAIN_CONTEXT,
                                  event->time,
                                  event->words != 0u ? payload_word(lane, event, 0u) : 0u);
        }
    }
    if (event->kind == KYMO_KIND_CLOCK) {
        kymo_clock_read(link, lane);
    }
    if (event->kind == KYMO_KIND_LOSS) {
        lane->events += payload_word(lane, event, 0u);
        if (event->words > 2u) {
            kymo_contexts_lost_ends();
        }
    }
}

/* The event at the tail is read, and is in a packet or needs to be in none: it leaves the ring. */
static void pass_event(struct kymo_link *link, struct kymo_lane *lane,
                       const struct kymo_event *event, uint32_t words) {
    account(link, lane, event);
    link->out.work -= CLEAR_WORK(words);
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        lane->context_out = wire_reference_of(event->kind, &event->place) ^ KYMO_MAIN_CONTEXT;
    }
    lane->time = event->time;
    kymo_ring_consume(lane, words);
}

/* The next event of the lane, which stays in the ring; skips clock records, and events sent before a reset. No row is
 * begun. DONE: no event. */
static enum kymo_step find_event(struct kymo_link *link, struct kymo_lane *lane) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    uint32_t header = 0u;
    while (link->out.work >= RECORD_WORK + 2 * ROW_WORK + (KYMO_KEEP_NEWEST ? ACCOUNT_WORK : 0) +
                                 (kymo_ring_is_copied(lane) ? KYMO_WORK_PEEK : KYMO_WORK_RECALL)) {
        const uint32_t words = kymo_lane_peek(lane, &header);
        link->out.work -= RECORD_WORK;
        if (words == 0u) {
            return KYMO_STEP_DONE;
        }
        const bool is_event = read_event(lane, header, &packet->event);
        if (is_event && !kymo_ring_was_sent(lane)) {
            packet->record_words = words;
            return KYMO_STEP_FURTHER;
        }
        if (is_event) {
            pass_event(link, lane, &packet->event, words);
        } else {
            lane->time = packet->event.time;
            kymo_ring_consume(lane, words);
        }
    }
    return KYMO_STEP_WAIT;
}

/* The event up to its payload. DONE: it does not fit into this packet; a step of the clock that a delta cannot hold,
 * back or far ahead, begins another one, too. */
static enum kymo_step put_event(struct kymo_link *link, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct kymo_event *const event = &packet->event;
    struct kymo_encoder *const e = &link->encoder;
    const uint64_t delta = event->time - e->time;
    const uint32_t bytes = (uint32_t)(row->at - row->bytes) + KYMO_ENCODE_EVENT_BYTES +
                           kymo_payload_bytes(event->kind, event->words) + KYMO_COUNT_BYTES;
    if (delta >> 32 != 0u || bytes > kymo_out_space(&link->out)) {
        return KYMO_STEP_DONE;
    }
    link->out.work -= EVENT_WORK;
    if (!kymo_slot_is(&e->slot[kymo_encode_expected(e)], &event->place)) {
        int32_t left = work_left(&link->out, row) - FIND_WORK;
        const int32_t before = left;
        const size_t slot = kymo_encode_find(e, &event->place, &left, DEFINE_WORK);
        link->out.work -= FIND_WORK + before - left;
        if (slot == KYMO_ENCODE_LATER) {
            return KYMO_STEP_WAIT;
        }
        if (slot == KYMO_ENCODE_NONE) {
            link->out.work -= DEFINE_WORK;
            row->at = kymo_put_new(e, row->at, event->place.key, event->place.reference);
        } else {
            row->at = kymo_encode_known(row->at, slot);
        }
    }
    packet->slot = (uint8_t)kymo_encode_expected(e);
    row->at = kymo_encode_ticks(e, row->at, packet->slot, (uint32_t)delta);
    e->time = event->time;
    packet->word = 0u;
    packet->as_it_is = false;
    link->packet.next = PART_REST;
    return KYMO_STEP_FURTHER;
}

/* Most that the next part of the payload takes: no more than is left where there was room for all of it. */
static int32_t part_bytes(const struct kymo_link *link, uint32_t kind) {
#if KYMO_CALLSTACKS
    if (kymo_is_stack(kind)) {
        return (int32_t)KYMO_ENCODE_FRAME_BYTES + (link->encoder.calls.run != 0u ? 1 : 0);
    }
#endif
    (void)kind;
    return link->packet.of.events.as_it_is ? 4 : (int32_t)KYMO_ENCODE_NUMBER_BYTES;
}

/* Its payload, as far as there is work and room; the record is at the tail. True: all of it. */
static bool put_payload(struct kymo_link *link, struct kymo_lane *lane, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    const struct kymo_event *const event = &packet->event;
    while (packet->word != event->words) {
        const int32_t bytes = part_bytes(link, event->kind);
        if (row->most - row->at < bytes) {
            row_put(link, row);
        }
        if (work_left(&link->out, row) < PART_WORK || row->most - row->at < bytes) {
            return false;
        }
        const uint32_t word = packet->word++;
        link->moved = true; /* frames that are expected take no byte */
        if (kymo_is_stack(event->kind)) {
            link->out.work -= FRAME_WORK - KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_FRAME_BYTES;
            row->at = kymo_encode_frame(&link->encoder, row->at,
                                        kymo_stack_frame(lane, 0u, event->words - 1u - word),
                                        word == 0u, packet->word == event->words);
        } else {
            link->out.work -= WORD_WORK - KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_NUMBER_BYTES;
            row->at = kymo_encode_word(&link->encoder, row->at, packet->slot, word,
                                       payload_word(lane, event, word), &packet->as_it_is);
        }
    }
    return true;
}

/* Puts the rest of the event. False: there is no work or no room left for it, or to account for it. */
static bool end_event(struct kymo_link *link, struct kymo_lane *lane, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct kymo_event *const event = &packet->event;
    if (!put_payload(link, lane, row) ||
        work_left(&link->out, row) < ACCOUNT_MORE_WORK +
                                         kymo_contexts_most_work(lane, event->kind) +
                                         CLEAR_WORK(packet->record_words)) {
        return false;
    }
    row_put(link, row);
    link->out.events++;
    pass_event(link, lane, event, packet->record_words);
    link->packet.next = PART_PLAIN;
    link->moved = true;
    return true;
}

/* The event that is next, up to its payload. DONE: the packet has all that it gets. */
static enum kymo_step begin_event(struct kymo_link *link, struct kymo_lane *lane, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    if (link->out.work < ROW_WORK + EVENT_LEAST_WORK ||
        row->most - row->at < (int32_t)KYMO_ENCODE_EVENT_BYTES) {
        link->moved = link->moved || link->packet.next == PART_ANY;
        return kymo_out_space(&link->out) < KYMO_ENCODE_EVENT_BYTES + KYMO_COUNT_BYTES
                   ? KYMO_STEP_DONE
                   : KYMO_STEP_WAIT;
    }
    packet->put_off = false;
    link->packet.next = PART_PLAIN;
    /* An event found before the head was encoded: an older one may be overwritten meanwhile. */
    const enum kymo_step step = packet->found ? KYMO_STEP_FURTHER : find_event(link, lane);
    packet->found = false;
    if (step == KYMO_STEP_FURTHER) {
        return put_event(link, row);
    }
    return step == KYMO_STEP_DONE && !kymo_lane_is_over(link, lane) ? KYMO_STEP_WAIT : step;
}

/* One event, or more of it. */
static enum kymo_step put_any(struct kymo_link *link, struct kymo_lane *lane) {
    struct row row;
    enum kymo_step step = KYMO_STEP_FURTHER;
    link->out.work -= ANY_WORK;
    row_begin(&link->out, &row);
    if (link->packet.next != PART_REST) {
        step = begin_event(link, lane, &row);
    }
    if (step == KYMO_STEP_FURTHER && !end_event(link, lane, &row)) {
        step = KYMO_STEP_WAIT;
    }
    row_put(link, &row);
    return step;
}

/* ---- packets ---- */

enum kymo_step kymo_events_begin(struct kymo_link *link, unsigned index, uint32_t now) {
    struct kymo_lane *lane = &kymo_lanes[index];
    struct kymo_events_packet *packet = &link->packet.of.events;
    if (!kymo_lane_is_ready(link, lane, now)) {
        return KYMO_STEP_DONE;
    }
    link->out.work -= FIRST_WORK;
    const enum kymo_step step = find_event(link, lane);
    if (step != KYMO_STEP_FURTHER) {
        return step;
    }
    packet->lane = (uint8_t)index;
    packet->put_off = false;
    packet->found = KYMO_KEEP_NEWEST;
    packet->since = lane->waiting_since;
    lane->waiting = false;
    kymo_packet_begin(link, KYMO_PACKET_EVENTS, NULL);
    return KYMO_STEP_FURTHER;
}

static void put_fields(struct kymo_link *link, const struct kymo_lane *lane) {
    const struct kymo_events_packet *packet = &link->packet.of.events;
    const uint32_t size = KYMO_WIRE_SLOTS / 16u; /* 8, 16, 32, 62 -> 0, 1, 2, 3 */
    uint8_t bytes[EVENTS_HEAD_BYTES];
    uint8_t *at = bytes;
    *at++ = (uint8_t)(packet->lane | size << 6);
    at = kymo_put_varint(at, lane->events);
    at = kymo_put_varint(at, packet->event.time);
    at = kymo_put_varint(at, lane->context_out ^ KYMO_MAIN_CONTEXT);
    link->out.work -= HEAD_WORK - KYMO_WORK_BYTES - KYMO_WORK_BYTE * (int32_t)EVENTS_HEAD_BYTES;
    kymo_out_add(&link->out, bytes, (uint32_t)(at - bytes));
}

static enum kymo_step put_head(struct kymo_link *link, const struct kymo_lane *lane) {
    const int32_t work = link->packet.next == PART_FIELDS  ? HEAD_WORK
                         : link->packet.next == PART_MODEL ? MODEL_WORK
                                                           : STACKS_WORK;
    if (link->out.work < work || kymo_out_room(&link->out) < EVENTS_HEAD_BYTES + BLOCK_BYTES_MORE) {
        return KYMO_STEP_WAIT;
    }
    if (link->packet.next == PART_FIELDS) {
        put_fields(link, lane);
    } else if (link->packet.next == PART_MODEL) {
        kymo_encode_begin(&link->encoder, link->packet.of.events.event.time,
                          lane->context_out ^ KYMO_MAIN_CONTEXT);
        link->out.work -= MODEL_WORK;
    } else {
        kymo_encode_begin_calls(&link->encoder);
        link->out.work -= STACKS_WORK;
    }
    link->packet.next++;
    if (!KYMO_CALLSTACKS && link->packet.next == PART_CALLS) {
        link->packet.next = PART_PLAIN;
    }
    return KYMO_STEP_FURTHER;
}

enum kymo_step kymo_events_more(struct kymo_link *link, struct kymo_lane *lane) {
    if (link->packet.next < PART_PLAIN) {
        return put_head(link, lane);
    }
    const enum kymo_step step =
        link->packet.next == PART_OVER ? KYMO_STEP_DONE : put_any(link, lane);
    if (step == KYMO_STEP_DONE) {
        link->packet.next = PART_OVER;
    }
    return step;
}

void kymo_events_end(struct kymo_link *link) {
    kymo_ring_sent(lane_of(link));
    kymo_out_bytes(&link->out, link->out.events, KYMO_COUNT_BYTES);
}

#endif
