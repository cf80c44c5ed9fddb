/* From the rings to EVENTS packets. */
#include "contexts.h"
#include "lane.h"
#include "link.h"
#include "ring.h"

#if KYMO_ENABLE

/* A packet is begun when a lane holds about as much as fits, so that its head is paid for by many
 * events; a record of 8 bytes takes about two on the wire. */
#define FULL_FRAME_BYTES (KYMO_FRAME_BYTES * 4u)
#define WORTH_BYTES                                                                                \
    (FULL_FRAME_BYTES < KYMO_RING_BYTES / 4u ? FULL_FRAME_BYTES : KYMO_RING_BYTES / 4u)

/* Steps of the head: lane, three varints, the model. */
#define HEAD_FIELDS 5u
/* Its longest: version and number, lane, three varints. */
#define EVENTS_HEAD_BYTES (2u + 1u + 10u + 10u + 5u)

/* Work: of a lane that is looked at, of a record that is read. */
#define LANE_WORK 100
#define RECORD_WORK 125
/* Of the parts of an event, each beside its bytes; of the longest, with them. */
#define SLOT_WORK 130
#define DEFINE_WORK 230
#define TIME_WORK 235
#define PAYLOAD_WORK 190
#define LONGEST_PART_WORK (500 + (KYMO_WIRE_SLOTS > 32 ? 140 : 0) + KYMO_CONTEXTS_WORK)
/* Of a field of the head, and of an empty model. */
#define HEAD_WORK 100
#define MODEL_WORK 300

_Static_assert(LONGEST_PART_WORK >= RECORD_WORK + KYMO_CONTEXTS_WORK &&
                   LONGEST_PART_WORK <= KYMO_WORK_STEP,
               "what is begun with enough work left must get further, or a drain never returns");
_Static_assert(KYMO_FRAME_BYTES * 8u / 2u < 0xffffu,
               "an event takes 2 bits at least: they are counted");
_Static_assert(KYMO_FRAME_BYTES >= EVENTS_HEAD_BYTES + KYMO_CRC_BYTES + KYMO_COUNT_BYTES + 23u +
                                       37u * (KYMO_PAYLOAD_WORDS + 1u) / 8u,
               "KYMO_FRAME_BYTES is too small for KYMO_PAYLOAD_WORDS");

static uint64_t time61(const struct kymo_lane *lane, uint32_t header) {
    return (uint64_t)kymo_ring_word(lane, 1u) << 29 | header >> 3;
}

static uint64_t time32(const struct kymo_lane *lane) {
    uint32_t change = kymo_ring_word(lane, 1u) - (uint32_t)lane->time;
    return lane->time + (uint64_t)(int64_t)(int32_t)change;
}

/* Reads the peeked record but for its payload; false for a clock record, which is no event. */
static bool read_event(struct kymo_lane *lane, uint32_t header, struct kymo_encode_event *event) {
    static const uint8_t kinds[8] = {KYMO_KIND_ZONE_BEGIN, 0u,
                                     KYMO_KIND_ZONE_END,   0u,
                                     KYMO_KIND_CONTEXT,    KYMO_KIND_CONTEXT_NOW,
                                     KYMO_KIND_FRAME,      KYMO_KIND_ZONE_END};
    uint32_t tag = header & KYMO_TAG_MASK;
    event->words = 0u;
    event->reference = 0u;
    event->kind = kinds[tag];
    if (tag == KYMO_TAG_END64 || tag == KYMO_TAG_CLOCK64) {
        event->time = time61(lane, header);
        return tag == KYMO_TAG_END64;
    }
    event->time = time32(lane);
    bool is_long = tag == KYMO_TAG_LONG;
    if (is_long) {
        event->kind = (uint8_t)KYMO_LONG_KIND(header);
        event->words = (uint8_t)KYMO_LONG_WORDS(header);
    }
    if ((event->kind & KYMO_KIND_HAS_REF) != 0u) {
        event->reference =
            kymo_wire_reference(is_long ? kymo_ring_word(lane, 2u) : header & ~KYMO_TAG_MASK);
    }
    return true;
}

/* Word "index" of the payload of the peeked record. */
static uint32_t payload_word(const struct kymo_lane *lane, const struct kymo_encode_event *event,
                             uint32_t index) {
    return kymo_ring_word(lane, ((event->kind & KYMO_KIND_HAS_REF) != 0u ? 3u : 2u) + index);
}

/* The peeked record is an end for which nothing was promised: it ends no zone that is counted. */
static bool is_unpromised_end(const struct kymo_lane *lane, const struct kymo_encode_event *event) {
    return event->kind == KYMO_KIND_ZONE_END &&
           (kymo_ring_word(lane, 0u) & KYMO_TAG_MASK) == KYMO_TAG_LONG;
}

/* What the record meant for the lane, once it is in a packet. */
static void account(struct kymo_link *link, struct kymo_lane *lane,
                    const struct kymo_encode_event *event) {
    link->out.work -= KYMO_CONTEXTS_WORK;
    if (event->kind == KYMO_KIND_LOSS && event->words > 2u) {
        kymo_contexts_lost_ends();
    }
    if (KYMO_CONTEXTS != 0 && !is_unpromised_end(lane, event)) {
        kymo_contexts_account(lane, event->kind, event->reference ^ KYMO_MAIN_CONTEXT, event->time,
                              event->words != 0u ? payload_word(lane, event, 0u) : 0u);
    }
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        lane->context_out = event->reference ^ KYMO_MAIN_CONTEXT;
    }
    lane->events += event->kind == KYMO_KIND_LOSS
                        ? payload_word(lane, event, 0u)
                        : kymo_events_of((enum kymo_event_kind)event->kind);
}

/* The next event of the lane, which stays in the ring; skips clock records, and what was sent before a reset.
 * KYMO_STEP_DONE: there is none. */
static enum kymo_step find_event(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    uint32_t header = 0u;
    while (link->out.work >= RECORD_WORK + KYMO_CONTEXTS_WORK) {
        uint32_t words = kymo_ring_peek(lane, &header);
        link->out.work -= RECORD_WORK;
        if (words == 0u) {
            return KYMO_STEP_DONE;
        }
        bool is_event = read_event(lane, header, &packet->event);
        if (is_event && !kymo_ring_was_sent(lane)) {
            packet->record_words = words;
            packet->part = KYMO_PART_SLOT;
            return KYMO_STEP_FURTHER;
        }
        if (is_event) {
            account(link, lane, &packet->event);
        }
        lane->time = packet->event.time;
        kymo_ring_consume(lane, words);
    }
    return KYMO_STEP_FURTHER;
}

/* Ready: about a packet full, or waiting for long enough, or everything must go. */
static bool is_ready(struct kymo_lane *lane, const struct kymo_link *link, uint32_t now) {
    uint32_t header = 0u;
    if (kymo_ring_peek(lane, &header) == 0u) {
        lane->waiting = false;
        if (kymo_ring_used_bytes(lane) == 0u) {
            kymo_contexts_read_all(lane);
        }
        return false;
    }
    if (!lane->waiting) {
        lane->waiting = true;
        lane->waiting_since = now;
    }
    return link->finals_left != 0u || !kymo_ring_is_current() ||
           kymo_ring_used_bytes(lane) >= WORTH_BYTES ||
           now - lane->waiting_since >= kymo_link_ticks(KYMO_LATENCY_MS);
}

bool kymo_events_begin(struct kymo_link *link, unsigned index, uint32_t now) {
    struct kymo_lane *lane = &kymo_lanes[index];
    struct kymo_events_packet *packet = &link->packet.of.events;
    link->out.work -= LANE_WORK;
    if (!is_ready(lane, link, now)) {
        return false;
    }
    packet->part = KYMO_PART_NONE;
    packet->lane = (uint8_t)index;
    (void)find_event(lane, link);
    if (packet->part == KYMO_PART_NONE) {
        return false;
    }
    lane->waiting = false;
    kymo_packet_begin(link, KYMO_FRAME_EVENTS);
    return true;
}

static enum kymo_step head_field(struct kymo_link *link) {
    const struct kymo_events_packet *packet = &link->packet.of.events;
    const struct kymo_lane *lane = &kymo_lanes[packet->lane];
    const uint32_t size = KYMO_WIRE_SLOTS / 16u; /* 8, 16, 32, 64 -> 0, 1, 2, 3 */
    link->out.work -= HEAD_WORK;
    switch (link->packet.next) {
    case 0u:
        kymo_field_fixed(link, packet->lane | (size == 4u ? 3u : size) << 6, 1u);
        break;
    case 1u:
        kymo_field_varint(link, lane->events);
        break;
    case 2u:
        kymo_field_varint(link, packet->event.time);
        break;
    case 3u:
        kymo_field_varint(link, lane->context_out ^ KYMO_MAIN_CONTEXT);
        break;
    default:
        link->out.work -= MODEL_WORK;
        kymo_encode_begin(&link->encoder, &link->out, packet->event.time);
        break;
    }
    link->packet.next++;
    return KYMO_STEP_FURTHER;
}

/* A step of the clock that a delta cannot hold, back or far ahead, begins another packet. */
static bool belongs(const struct kymo_link *link) {
    const struct kymo_encode_event *event = &link->packet.of.events.event;
    return (event->time - link->encoder.time) >> 32 == 0u &&
           kymo_encode_fits(&link->out, event->words);
}

/* All of the event is in the packet. */
static void end_event(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    link->out.events++;
    lane->time = packet->event.time;
    account(link, lane, &packet->event);
    kymo_ring_consume(lane, packet->record_words);
    packet->part = KYMO_PART_NONE;
}

/* The part of the event that comes next. */
static enum kymo_step put_part(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct kymo_outgoing *out = &link->out;
    switch (packet->part) {
    case KYMO_PART_NONE:
        return find_event(lane, link);
    case KYMO_PART_SLOT:
        if (!belongs(link)) {
            return KYMO_STEP_DONE;
        }
        out->work -= SLOT_WORK;
        packet->part = kymo_encode_known(&link->encoder, out, &packet->event) ? KYMO_PART_TIME
                                                                              : KYMO_PART_DEFINE;
        return KYMO_STEP_FURTHER;
    case KYMO_PART_DEFINE:
        out->work -= DEFINE_WORK;
        kymo_encode_slot(&link->encoder, out, &packet->event);
        packet->part = KYMO_PART_TIME;
        return KYMO_STEP_FURTHER;
    case KYMO_PART_TIME:
        out->work -= TIME_WORK;
        kymo_encode_time(&link->encoder, out, &packet->event);
        packet->word = 0u;
        packet->part = KYMO_PART_WORDS;
        break;
    default:
        out->work -= PAYLOAD_WORK;
        kymo_encode_word(&link->encoder, out, packet->word,
                         payload_word(lane, &packet->event, packet->word));
        packet->word++;
        break;
    }
    if (packet->word == packet->event.words) {
        end_event(lane, link);
    }
    return KYMO_STEP_FURTHER;
}

enum kymo_step kymo_events_step(struct kymo_link *link) {
    if (link->packet.next < HEAD_FIELDS) {
        return head_field(link);
    }
    struct kymo_lane *lane = &kymo_lanes[link->packet.of.events.lane];
    enum kymo_step step = KYMO_STEP_WAIT;
    while (link->out.work >= LONGEST_PART_WORK && step != KYMO_STEP_DONE &&
           kymo_out_room(&link->out) >= KYMO_ENCODE_ROOM) {
        step = put_part(lane, link);
    }
    return step;
}

void kymo_events_end(struct kymo_link *link) {
    kymo_ring_sent(&kymo_lanes[link->packet.of.events.lane]);
    kymo_encode_end(&link->out);
}

/* To peek at a lane would let go of the event that is being encoded. */
bool kymo_events_waiting(void) {
    const struct kymo_packet *packet = &kymo_link.packet;
    uint32_t header = 0u;
    if (packet->type == KYMO_FRAME_EVENTS && packet->of.events.part != KYMO_PART_NONE) {
        return true;
    }
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
