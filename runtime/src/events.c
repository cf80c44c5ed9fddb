/* From the rings to EVENTS packets, in one pass: an event is read, encoded and counted in one loop. Only the payload of
 * a long one may go on in the next call. */
#include "contexts.h"
#include "lane.h"
#include "link.h"
#include "ring_read.h"
#include "stacks.h"

#if KYMO_ENABLE

/* Bytes of events that are encoded before they go into the packet together. */
#define ROW_BYTES 64u
/* The longest head of a packet's body: lane, three varints. */
#define EVENTS_HEAD_BYTES (1u + 10u + 10u + 5u)
/* A byte of a packet may begin a block. */
#define BLOCK_BYTES_MORE 2u

/* Work: of a zone's begin or end that is expected, with its byte; with the longest number; around a row of them. */
#define ZONE_WORK (78 + KYMO_WORK_BYTE)
#define LONG_WORK 20
#define ZONE_WORST_WORK                                                                            \
    (ZONE_WORK + LONG_WORK + KYMO_WORK_BYTE * (int32_t)(KYMO_ENCODE_NUMBER_BYTES - 1u))
#define ZONES_WORK 60
/* Of a call's begin and end of all this; of a row of bytes that goes into the packet, beside its bytes. */
#define STEP_WORK 170
#define ROW_WORK (60 + KYMO_WORK_BYTES + (KYMO_ARCH_ATOMIC ? 40 : 0))
/* Of any other record up to its payload, beside its bytes, what it means for the lane included; of a clock record. */
#define RECORD_WORK 70
#define EVENT_WORK 220
/* Of a place that is not the expected one: where it is known at once, and else. */
#define RECALL_WORK 70
#define EVENT_BEST_WORK                                                                            \
    (RECORD_WORK + EVENT_WORK + KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_NUMBER_BYTES +               \
     KYMO_CONTEXTS_WORK)
#define PLACE_WORK                                                                                 \
    (KYMO_ENCODE_WORST_WORK +                                                                      \
     KYMO_WORK_BYTE * (int32_t)(KYMO_ENCODE_EVENT_BYTES - KYMO_ENCODE_NUMBER_BYTES))
#define EVENT_WORST_WORK (ROW_WORK + EVENT_BEST_WORK + PLACE_WORK)
/* Of a word of payload, or a frame, with its bytes. */
#define WORD_WORK (85 + KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_NUMBER_BYTES)
#define FRAME_WORK (90 + KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_FRAME_BYTES)
#define PART_WORK (KYMO_CALLSTACKS != 0 ? FRAME_WORK : WORD_WORK)
/* Of a packet's head, and of an empty model. */
#define HEAD_WORK (250 + KYMO_WORK_BYTES + KYMO_WORK_BYTE * (int32_t)EVENTS_HEAD_BYTES)
#define MODEL_WORK (60 + (int32_t)KYMO_ENCODE_PAIRS * 5 / 2 + (int32_t)KYMO_ENCODE_VALUES * 2)
#define STACKS_WORK                                                                                \
    (KYMO_CALLSTACKS != 0 ? 60 + 3 * (int32_t)KYMO_MODEL_CALLS * (int32_t)(sizeof(uintptr_t) / 4u) \
                          : 0)

#define CALL_WORK (KYMO_DRAIN_INSTRUCTIONS - KYMO_WORK_CALL - KYMO_WORK_LANE * KYMO_LANES)
_Static_assert(STEP_WORK + EVENT_WORST_WORK <= CALL_WORK && MODEL_WORK <= CALL_WORK &&
                   STACKS_WORK <= CALL_WORK && HEAD_WORK <= CALL_WORK,
               "raise KYMO_DRAIN_INSTRUCTIONS for so many lanes, contexts and slots");
_Static_assert(KYMO_PACKET_BYTES <= 0xffffu, "an event takes a byte: they are counted in two");
_Static_assert(KYMO_PACKET_BYTES >= 2u + EVENTS_HEAD_BYTES + KYMO_CRC_BYTES + KYMO_COUNT_BYTES +
                                        KYMO_ENCODE_EVENT_BYTES +
                                        KYMO_ENCODE_PAYLOAD_BYTES(KYMO_PAYLOAD_WORDS),
               "KYMO_PACKET_BYTES is too small for KYMO_PAYLOAD_WORDS");

/* What was encoded and is not yet in the packet. */
struct row {
    uint8_t *at;      /* behind it, in "bytes" */
    uint8_t *most;    /* up to here the packet and the buffer have room */
    uint32_t words;   /* of the ring, from the tail on, that it stands for */
    uint32_t events;  /* that these are */
    uint32_t counted; /* of them */
    uint32_t context; /* behind them, as the lane's context_out */
    uint64_t time;    /* of the last record that was read */
    uint8_t bytes[ROW_BYTES];
};

static void row_empty(const struct kymo_outgoing *out, struct row *row) {
    const uint32_t space = kymo_out_space(out);
    const uint32_t room = kymo_out_room(out);
    uint32_t most = space > KYMO_COUNT_BYTES ? space - KYMO_COUNT_BYTES : 0u;
    most = most + BLOCK_BYTES_MORE <= room ? most
           : room > BLOCK_BYTES_MORE       ? room - BLOCK_BYTES_MORE
                                           : 0u;
    row->at = row->bytes;
    row->most = row->bytes + (most < ROW_BYTES ? most : ROW_BYTES);
    row->words = row->events = row->counted = 0u;
}

static void row_begin(const struct kymo_outgoing *out, const struct kymo_lane *lane,
                      struct row *row) {
    row_empty(out, row);
    row->time = lane->time;
    row->context = lane->context_out;
}

/* Into the packet. The events leave the ring behind that: who looks at the memory meanwhile finds each. */
static void row_put(struct kymo_outgoing *out, struct kymo_lane *lane, struct row *row) {
    if (row->at != row->bytes) {
        out->work -= ROW_WORK - KYMO_WORK_BYTES;
        kymo_out_put(out, row->bytes, (uint32_t)(row->at - row->bytes));
    }
    out->events += row->events;
    lane->events += row->counted;
    lane->time = row->time;
    lane->context_out = row->context;
    if (row->words != 0u) {
        kymo_ring_consume(lane, row->words);
    }
    row_empty(out, row);
}

/* What the call may still take, once the row is in the packet. */
static inline int32_t work_left(const struct kymo_outgoing *out, const struct row *row) {
    return out->work - ROW_WORK - KYMO_WORK_BYTE * (int32_t)(row->at - row->bytes);
}

/* As it is on the wire. A short record has it above its tag. */
static uint32_t wire_reference_of(uint32_t kind, const struct kymo_slot *place) {
    const bool is_long = (place->key & KYMO_TAG_MASK) == KYMO_TAG_LONG;
    const uint32_t reference = is_long ? place->reference : place->key & ~KYMO_TAG_MASK;
    return (kind & KYMO_KIND_HAS_OBJECT) != 0u ? reference : kymo_wire_reference(reference);
}

static const uint8_t kinds[8] = {KYMO_KIND_ZONE_BEGIN, 0u,
                                 KYMO_KIND_ZONE_END,   0u,
                                 KYMO_KIND_CONTEXT,    KYMO_KIND_CONTEXT_NOW,
                                 KYMO_KIND_FRAME,      KYMO_KIND_ZONE_END};

static uint32_t kind_of(uint32_t key) {
    const uint32_t tag = key & KYMO_TAG_MASK;
    return tag == KYMO_TAG_LONG ? KYMO_LONG_KIND(key) : kinds[tag];
}

/* The place is not the expected one: its slot, and its name. NULL: there is no work left to find it. */
static __attribute__((noinline)) uint8_t *put_place(struct kymo_link *link, uint8_t *at,
                                                    const struct kymo_slot *place, uint32_t *slot,
                                                    int32_t *work, bool may_find) {
    struct kymo_encoder *const e = &link->encoder;
    *work -= RECALL_WORK + KYMO_WORK_BYTE;
    *slot = kymo_encode_recall(e, place);
    if (*slot == KYMO_ENCODE_NONE && !may_find) {
        return NULL;
    }
    if (*slot == KYMO_ENCODE_NONE) {
        *work -= 3 * KYMO_WORK_BYTE;
        *slot = kymo_encode_find(e, place, work);
    }
    if (*slot != KYMO_ENCODE_NONE) {
        return kymo_encode_known(at, *slot);
    }
    const uint32_t kind = kind_of(place->key);
    *slot = kymo_encode_define(e, place, work);
    return kymo_encode_new(e, at, kind,
                           (kind & KYMO_KIND_HAS_REF) != 0u ? wire_reference_of(kind, place) : 0u,
                           KYMO_LONG_WORDS(place->key));
}

/* ---- zones in a row, as expected: nearly all events of most programs ---- */

#define TAG_IS(tags, tag) (((tags) >> (tag)&1u) != 0u)
#if KYMO_ARCH_CLOCK_BITS == 64
#define ZONE_TAGS (1u << KYMO_TAG_BEGIN | 1u << KYMO_TAG_END32 | 1u << KYMO_TAG_END64)
typedef uint64_t row_clock;
#else
#define ZONE_TAGS (1u << KYMO_TAG_BEGIN | 1u << KYMO_TAG_END32)
typedef uint32_t row_clock;
#endif
/* So long that a row of them is below 2^32. */
#define ZONE_TICKS_SHIFT 25

#if KYMO_CONTEXTS || KYMO_KEEP_NEWEST
static enum kymo_step put_zones(struct kymo_link *link, const struct kymo_lane *lane,
                                struct row *row) {
    (void)link, (void)lane, (void)row;
    return KYMO_STEP_DONE;
}
#else
/* DONE: what comes is none, or late, or there is no room. WAIT: there is no work left for it. */
static enum kymo_step put_zones(struct kymo_link *link, const struct kymo_lane *lane,
                                struct row *row) {
    struct kymo_encoder *const e = &link->encoder;
    const size_t ahead = kymo_ring_ahead(lane);
    size_t words = ahead > row->words ? ahead - row->words : 0u;
    const uint32_t *const first = kymo_ring_row(lane, row->words, &words);
    if (words == 0u || !TAG_IS(ZONE_TAGS, KYMO_LOAD(*first) & KYMO_TAG_MASK) ||
        row->time != e->time || row->most - row->at < (int32_t)KYMO_ENCODE_EVENT_BYTES) {
        return KYMO_STEP_DONE;
    }
    int32_t work = work_left(&link->out, row) - ZONES_WORK;
    enum kymo_step step = KYMO_STEP_DONE;
    const uint32_t *const behind = first + words;
    const uint32_t *word = first;
    uint8_t *at = row->at;
    const uint8_t *const end = row->most - KYMO_ENCODE_EVENT_BYTES;
    row_clock time = (row_clock)row->time;
    uint32_t before = e->before;
    uint32_t expected = kymo_encode_expected(e);
    while (word != behind && at <= end) {
        if (work < ZONE_WORST_WORK) {
            step = KYMO_STEP_WAIT;
            break;
        }
        struct kymo_slot place = {KYMO_LOAD(*word), 0u};
        const uint32_t tag = place.key & KYMO_TAG_MASK;
        if (!TAG_IS(ZONE_TAGS, tag) || (KYMO_ARCH_ATOMIC && place.key == 0u)) {
            break;
        }
        KYMO_ACQUIRED();
        row_clock delta = (uint32_t)(word[1] - (uint32_t)time);
#if KYMO_ARCH_CLOCK_BITS == 64
        if (tag == KYMO_TAG_END64) {
            delta = ((row_clock)word[1] << 29 | place.key >> 3) - time;
            place.key = KYMO_TAG_END32;
        }
#endif
        if (delta >> ZONE_TICKS_SHIFT != 0u) {
            break;
        }
        if (e->slot[expected].key != place.key) {
            uint8_t *const named =
                put_place(link, at, &place, &expected, &work, work >= PLACE_WORK + ZONE_WORST_WORK);
            if (named == NULL) {
                step = KYMO_STEP_WAIT;
                break;
            }
            at = named;
        }
        const uint32_t number = kymo_encode_time(e, expected, (uint32_t)delta, &before, &expected);
        work -= ZONE_WORK;
        if (number < KYMO_NUMBER_LEAST_TWO) {
            *at++ = (uint8_t)number;
        } else {
            const uint8_t *const from = at + 1;
            at = kymo_encode_long_number(at, number);
            work -= LONG_WORK + KYMO_WORK_BYTE * (int32_t)(at - from);
        }
        time += delta;
        word += KYMO_CELL_WORDS;
    }
    const uint32_t done = (uint32_t)(word - first);
    const uint32_t events = done / KYMO_CELL_WORDS;
    e->before = before;
    row->at = at;
    row->words += done;
    row->events += events;
    row->counted += events;
    row->time = e->time = row->time + (row_clock)(time - (row_clock)row->time);
    link->out.work = work + ROW_WORK + KYMO_WORK_BYTE * (int32_t)(at - row->bytes);
    return step;
}
#endif

/* ---- any event ---- */

static uint64_t time_of(const struct kymo_lane *lane, const struct row *row, uint32_t header) {
    const uint32_t second = kymo_ring_word(lane, row->words + 1u);
    const uint32_t tag = header & KYMO_TAG_MASK;
    if (tag == KYMO_TAG_END64 || tag == KYMO_TAG_CLOCK64) {
        return (uint64_t)second << 29 | header >> 3;
    }
    return row->time + (uint64_t)(int64_t)(int32_t)(second - (uint32_t)row->time);
}

/* Reads the record that is next but for its payload; false for a clock record, which is no event. */
static bool read_event(const struct kymo_lane *lane, const struct row *row, uint32_t header,
                       struct kymo_event *event) {
    const uint32_t tag = header & KYMO_TAG_MASK;
    event->time = time_of(lane, row, header);
    event->place.key = header;
    event->place.reference = 0u;
    event->kind = kinds[tag];
    event->words = 0u;
    if (tag == KYMO_TAG_LONG) {
        event->kind = (uint8_t)KYMO_LONG_KIND(header);
        event->words = (uint8_t)KYMO_LONG_WORDS(header);
        if (kymo_is_stack(event->kind)) {
            event->words = (uint8_t)kymo_stack_frames(lane, row->words, event->words);
            event->place.key = KYMO_LONG(KYMO_KIND_CALLSTACK, event->words, 0u);
        }
        if ((event->kind & KYMO_KIND_HAS_REF) != 0u) {
            event->place.reference = kymo_ring_word(lane, row->words + 2u);
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
    return kymo_ring_word(lane, ((event->kind & KYMO_KIND_HAS_REF) != 0u ? 3u : 2u) + index);
}

/* The record at the tail is an end for which nothing was promised: it ends no zone that is counted. */
static bool is_unpromised_end(const struct kymo_lane *lane, const struct kymo_event *event) {
    return event->kind == KYMO_KIND_ZONE_END &&
           (kymo_ring_word(lane, 0u) & KYMO_TAG_MASK) == KYMO_TAG_LONG;
}

/* What the event of the record at the tail means for the lane, once it is in a packet. */
static void account(struct kymo_link *link, struct kymo_lane *lane,
                    const struct kymo_event *event) {
    lane->events += kymo_events_of((enum kymo_event_kind)event->kind);
    if (KYMO_CONTEXTS != 0) {
        link->out.work -= KYMO_CONTEXTS_WORK;
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

/* It is enough that it leaves the ring with the others of the row. */
static bool is_plain(const struct kymo_event *event) {
    return KYMO_CONTEXTS == 0 && !KYMO_KEEP_NEWEST && event->kind != KYMO_KIND_CLOCK &&
           event->kind != KYMO_KIND_LOSS;
}

/* The context that the lane runs behind the event. */
static void follow_context(struct row *row, const struct kymo_event *event) {
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        row->context = wire_reference_of(event->kind, &event->place) ^ KYMO_MAIN_CONTEXT;
    }
}

/* The record that is next: its words and its first one. What is ahead may lie at the ring's start. */
static uint32_t row_look(struct kymo_outgoing *out, struct kymo_lane *lane, struct row *row,
                         uint32_t *header) {
    uint32_t words = 0u;
#if !KYMO_KEEP_NEWEST
    if (row->words != 0u && row->words < kymo_ring_ahead(lane)) {
        words = kymo_ring_look(lane, row->words, header);
    }
#endif
    if (words == 0u) {
        row_put(out, lane, row);
        words = kymo_lane_peek(lane, header);
        row_begin(out, lane, row); /* a block may have been opened */
    }
    return words;
}

/* The next event of the lane, which stays in the ring; skips clock records, and what was sent before a reset.
 * DONE: there is none. */
static enum kymo_step find_event(struct kymo_link *link, struct kymo_lane *lane, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    uint32_t header = 0u;
    while (work_left(&link->out, row) >= RECORD_WORK + KYMO_CONTEXTS_WORK) {
        const uint32_t words = row_look(&link->out, lane, row, &header);
        link->out.work -= RECORD_WORK;
        if (words == 0u) {
            return KYMO_STEP_DONE;
        }
        const bool is_event = read_event(lane, row, header, &packet->event);
        if (is_event && !kymo_ring_was_sent(lane)) {
            packet->record_words = words;
            return KYMO_STEP_FURTHER;
        }
        row_put(&link->out, lane, row);
        if (is_event) {
            account(link, lane, &packet->event);
            follow_context(row, &packet->event);
            lane->context_out = row->context;
        }
        row->time = lane->time = packet->event.time;
        kymo_ring_consume(lane, words);
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
    uint32_t slot = kymo_encode_expected(e);
    if (!kymo_slot_is(&e->slot[slot], &event->place)) {
        uint8_t *const behind = put_place(link, row->at, &event->place, &slot, &link->out.work,
                                          work_left(&link->out, row) >= PLACE_WORK);
        if (behind == NULL) {
            return KYMO_STEP_WAIT;
        }
        row->at = behind;
    }
    row->at = kymo_encode_ticks(e, row->at, slot, (uint32_t)delta);
    e->time = event->time;
    packet->word = 0u;
    packet->as_it_is = false;
    packet->goes_on = event->words != 0u;
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
            row_put(&link->out, lane, row);
        }
        if (work_left(&link->out, row) < PART_WORK || row->most - row->at < bytes) {
            return false;
        }
        const uint32_t word = packet->word++;
        if (kymo_is_stack(event->kind)) {
            link->out.work -= FRAME_WORK - KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_FRAME_BYTES;
            row->at =
                kymo_encode_frame(&link->encoder, row->at,
                                  kymo_stack_frame(lane, row->words, event->words - 1u - word),
                                  word == 0u, packet->word == event->words);
        } else {
            link->out.work -= WORD_WORK - KYMO_WORK_BYTE * (int32_t)KYMO_ENCODE_NUMBER_BYTES;
            const uint32_t at =
                row->words + ((event->kind & KYMO_KIND_HAS_REF) != 0u ? 3u : 2u) + word;
            row->at = kymo_encode_word(&link->encoder, row->at, word, kymo_ring_word(lane, at),
                                       &packet->as_it_is);
        }
    }
    packet->goes_on = false;
    return true;
}

/* All of the event is encoded. */
static void end_event(struct kymo_link *link, struct kymo_lane *lane, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct kymo_event *const event = &packet->event;
    if (!is_plain(event)) {
        row_put(&link->out, lane, row);
        link->out.events++;
        account(link, lane, event);
        follow_context(row, event);
        lane->context_out = row->context;
        row->time = lane->time = event->time;
        kymo_ring_consume(lane, packet->record_words);
        return;
    }
    row->time = event->time;
    row->words += packet->record_words;
    row->events++;
    row->counted += kymo_events_of((enum kymo_event_kind)event->kind);
    follow_context(row, event);
}

/* Work and room for an event up to its payload, if its place is as expected. */
static bool may_go_on(struct kymo_outgoing *out, struct kymo_lane *lane, struct row *row) {
    if (row->most - row->at < (int32_t)KYMO_ENCODE_EVENT_BYTES) {
        row_put(out, lane, row);
    }
    return row->most - row->at >= (int32_t)KYMO_ENCODE_EVENT_BYTES &&
           work_left(out, row) >= EVENT_BEST_WORK;
}

static enum kymo_step put_events(struct kymo_link *link, struct kymo_lane *lane, struct row *row) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct kymo_outgoing *out = &link->out;
    for (;;) {
        if (!packet->goes_on) {
            enum kymo_step step = put_zones(link, lane, row);
            if (step == KYMO_STEP_WAIT || !may_go_on(out, lane, row)) {
                return kymo_out_space(out) < KYMO_ENCODE_EVENT_BYTES + KYMO_COUNT_BYTES
                           ? KYMO_STEP_DONE
                           : KYMO_STEP_WAIT;
            }
            /* What was found before the head: an older one may be overwritten meanwhile. */
            step = packet->found ? KYMO_STEP_FURTHER : find_event(link, lane, row);
            packet->found = false;
            if (step == KYMO_STEP_FURTHER) {
                step = put_event(link, row);
            } else if (step == KYMO_STEP_DONE && !kymo_lane_is_over(link, lane)) {
                step = KYMO_STEP_WAIT;
            }
            if (step != KYMO_STEP_FURTHER) {
                return step;
            }
        }
        if (!put_payload(link, lane, row)) {
            return KYMO_STEP_WAIT;
        }
        end_event(link, lane, row);
    }
}

/* ---- packets ---- */

bool kymo_events_begin(struct kymo_link *link, unsigned index, uint32_t now) {
    struct kymo_lane *lane = &kymo_lanes[index];
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct row row;
    if (!kymo_lane_is_ready(link, lane, now)) {
        return false;
    }
    row_begin(&link->out, lane, &row);
    if (find_event(link, lane, &row) != KYMO_STEP_FURTHER) {
        return false;
    }
    packet->lane = (uint8_t)index;
    packet->goes_on = packet->over = false;
    packet->found = KYMO_KEEP_NEWEST;
    packet->since = lane->waiting_since;
    lane->waiting = false;
    kymo_packet_begin(link, KYMO_PACKET_EVENTS);
    return true;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80u; value >>= 7) {
        *at++ = (uint8_t)(value | 0x80u);
    }
    *at = (uint8_t)value;
    return at + 1;
}

/* The fields before the events; the empty model; and that of call stacks. */
#define PARTS_OF_HEAD (KYMO_CALLSTACKS != 0 ? 3u : 2u)

static void put_fields(struct kymo_link *link, const struct kymo_lane *lane) {
    const struct kymo_events_packet *packet = &link->packet.of.events;
    const uint32_t size = KYMO_WIRE_SLOTS / 16u; /* 8, 16, 32, 62 -> 0, 1, 2, 3 */
    uint8_t bytes[EVENTS_HEAD_BYTES];
    uint8_t *at = bytes;
    *at++ = (uint8_t)(packet->lane | size << 6);
    at = put_varint(at, lane->events);
    at = put_varint(at, packet->event.time);
    at = put_varint(at, lane->context_out ^ KYMO_MAIN_CONTEXT);
    link->out.work -= HEAD_WORK - KYMO_WORK_BYTES - KYMO_WORK_BYTE * (int32_t)EVENTS_HEAD_BYTES;
    kymo_out_put(&link->out, bytes, (uint32_t)(at - bytes));
}

static enum kymo_step put_head(struct kymo_link *link, const struct kymo_lane *lane) {
    const int32_t work = link->packet.next == 0u   ? HEAD_WORK
                         : link->packet.next == 1u ? MODEL_WORK
                                                   : STACKS_WORK;
    if (link->out.work < work || kymo_out_room(&link->out) < EVENTS_HEAD_BYTES + BLOCK_BYTES_MORE) {
        return KYMO_STEP_WAIT;
    }
    if (link->packet.next == 0u) {
        put_fields(link, lane);
    } else if (link->packet.next == 1u) {
        kymo_encode_begin(&link->encoder, link->packet.of.events.event.time,
                          lane->context_out ^ KYMO_MAIN_CONTEXT);
        link->out.work -= MODEL_WORK;
    } else {
        kymo_encode_begin_calls(&link->encoder);
        link->out.work -= STACKS_WORK;
    }
    link->packet.next++;
    return KYMO_STEP_FURTHER;
}

enum kymo_step kymo_events_step(struct kymo_link *link) {
    struct kymo_lane *lane = &kymo_lanes[link->packet.of.events.lane];
    struct row row;
    if (link->packet.next != PARTS_OF_HEAD) {
        return put_head(link, lane);
    }
    if (link->packet.of.events.over) {
        return KYMO_STEP_DONE;
    }
    const uint32_t length = link->out.length;
    const uint32_t word = link->packet.of.events.word;
    link->out.work -= STEP_WORK;
    row_begin(&link->out, lane, &row);
    const enum kymo_step step = put_events(link, lane, &row);
    row_put(&link->out, lane, &row);
    link->packet.of.events.over = step == KYMO_STEP_DONE;
    /* Frames that are expected take no byte. */
    link->moved = link->moved || link->out.length != length || link->packet.of.events.word != word;
    return step;
}

void kymo_events_end(struct kymo_link *link) {
    kymo_ring_sent(&kymo_lanes[link->packet.of.events.lane]);
    kymo_out_bytes(&link->out, link->out.events, KYMO_COUNT_BYTES);
}

#endif
