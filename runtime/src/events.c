/* From the rings to EVENTS packets. With KYMO_WIRE_RAW: raw.c. */
#include "contexts.h"
#include "lane.h"
#include "link.h"
#include "number.h"
#include "ring_read.h"
#include "stacks.h"

#if KYMO_ENABLE && !KYMO_WIRE_RAW

/* Steps of the head: lane, three varints, the model, and that of call stacks. */
#define HEAD_FIELDS (5u + (KYMO_CALLSTACKS ? 1u : 0u))
/* Its longest: version and number, lane, three varints. */
#define EVENTS_HEAD_BYTES (2u + 1u + 10u + 10u + 5u)

/* Work: of a record that is read. */
#define RECORD_WORK 125
/* Of the parts of an event, each beside its bytes; of the longest, with them. */
#define GUESS_WORK 60
#define FIND_WORK 230
#define DEFINE_WORK 150
#define TIME_WORK 310
#define PAYLOAD_WORK 310
#define ACCOUNT_WORK 60
#define SLOTS_WORK (7 * KYMO_WIRE_SLOTS)
#define NUMBER_BYTES_WORK (2 * (KYMO_WORK_BYTES + 4 * KYMO_WORK_BYTE) + KYMO_WORK_BLOCK)
#define LONGEST_PART_WORK                                                                          \
    (GUESS_WORK + TIME_WORK + ACCOUNT_WORK + NUMBER_BYTES_WORK + 70 + KYMO_CONTEXTS_WORK)
/* Of a run of zones, and of each of its events, beside their bytes. */
#define RUN_WORK 140
#define RUN_EVENT_WORK 130
/* What its whole bytes take at most; and an event with them. It takes no more bits, and ticks. */
#define RUN_BYTES_WORK (KYMO_WORK_BYTES + 4 * KYMO_WORK_BYTE + KYMO_WORK_BLOCK)
#define RUN_WORST_WORK (RUN_WORK + RUN_EVENT_WORK + 40 + RUN_BYTES_WORK)
#define RUN_BITS 24u
#define RUN_TICKS 0x1000000u
/* Of a frame of a call stack, beside what a number takes; of an empty model of them. */
#define FRAME_WORK (KYMO_CALLSTACKS == 0 ? 0 : 90)
#define STACKS_WORK (60 + 5 * (int32_t)KYMO_MODEL_CALLS * (int32_t)(sizeof(uintptr_t) / 4u))
/* Of a field of the head, and of an empty model. */
#define HEAD_WORK 100
#define MODEL_WORK (60 + (int32_t)sizeof(struct kymo_expected))

_Static_assert(LONGEST_PART_WORK >= RECORD_WORK + KYMO_CONTEXTS_WORK &&
                   LONGEST_PART_WORK <= KYMO_WORK_LEAST,
               "what is begun with enough work left must get further, or a drain never returns");
_Static_assert(KYMO_PACKET_BYTES * 8u < 0xffffu,
               "an event takes a bit at least: they are counted in two bytes");
_Static_assert(KYMO_PACKET_BYTES >= EVENTS_HEAD_BYTES + KYMO_CRC_BYTES + KYMO_COUNT_BYTES + 1u +
                                        (KYMO_ENCODE_EVENT_BITS +
                                         KYMO_ENCODE_NUMBER_BITS * KYMO_PAYLOAD_WORDS + 7u) /
                                            8u,
               "KYMO_PACKET_BYTES is too small for KYMO_PAYLOAD_WORDS");

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
    event->low = 0u;
    event->key = header;
    event->kind = kinds[tag];
    if (tag == KYMO_TAG_END64 || tag == KYMO_TAG_CLOCK64) {
        event->time = time61(lane, header);
        event->key = KYMO_TAG_END32;
        return tag == KYMO_TAG_END64;
    }
    event->time = time32(lane);
    if (tag == KYMO_TAG_LONG) {
        event->kind = (uint8_t)KYMO_LONG_KIND(header);
        event->words = (uint8_t)KYMO_LONG_WORDS(header);
        if (kymo_is_stack(event)) {
            event->words = (uint8_t)kymo_stack_frames(lane, event->words);
        }
        event->key = event->kind == KYMO_KIND_ZONE_END ? KYMO_TAG_END32 : KYMO_TAG_LONG;
        if ((event->kind & KYMO_KIND_HAS_REF) != 0u) {
            const uint32_t reference = kymo_ring_word(lane, 2u);
            event->key |= reference & ~KYMO_TAG_MASK;
            event->low = (uint8_t)(reference & KYMO_TAG_MASK);
        }
    }
    return true;
}

/* As it is on the wire. The key has it above its tag. */
static uint32_t wire_reference_of(const struct kymo_encode_event *event) {
    const uint32_t reference = event->key & ~KYMO_TAG_MASK;
    return (event->kind & KYMO_KIND_HAS_OBJECT) != 0u ? reference | event->low
                                                      : kymo_wire_reference(reference);
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

/* What a switch, a loss and, with KYMO_CONTEXTS, any event meant for the lane, once it is in a packet. */
static __attribute__((noinline)) void account_more(struct kymo_link *link, struct kymo_lane *lane,
                                                   const struct kymo_encode_event *event) {
    const uint32_t context = wire_reference_of(event) ^ KYMO_MAIN_CONTEXT;
    link->out.work -= ACCOUNT_WORK + KYMO_CONTEXTS_WORK;
    if (event->kind == KYMO_KIND_LOSS && event->words > 2u) {
        kymo_contexts_lost_ends();
    }
    if (KYMO_CONTEXTS != 0 && !is_unpromised_end(lane, event)) {
        kymo_contexts_account(lane, event->kind, context, event->time,
                              event->words != 0u ? payload_word(lane, event, 0u) : 0u);
    }
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        lane->context_out = context;
    }
    if (event->kind == KYMO_KIND_CLOCK) {
        kymo_clock_read(link, lane, 0u);
    }
    if (event->kind == KYMO_KIND_LOSS) {
        lane->events += payload_word(lane, event, 0u);
    }
}

static void account(struct kymo_link *link, struct kymo_lane *lane,
                    const struct kymo_encode_event *event) {
    lane->events += kymo_events_of((enum kymo_event_kind)event->kind);
    if (KYMO_CONTEXTS != 0 ||
        (event->kind != KYMO_KIND_ZONE_BEGIN && event->kind != KYMO_KIND_ZONE_END)) {
        account_more(link, lane, event);
    }
}

/* The next event of the lane, which stays in the ring; skips clock records, and what was sent before a reset.
 * KYMO_STEP_DONE: there is none. */
static enum kymo_step find_event(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    uint32_t header = 0u;
    while (link->out.work >= RECORD_WORK + KYMO_CONTEXTS_WORK) {
        uint32_t words = kymo_lane_peek(lane, &header);
        link->out.work -= RECORD_WORK;
        if (words == 0u) {
            return KYMO_STEP_DONE;
        }
        bool is_event = read_event(lane, header, &packet->event);
        if (is_event && !kymo_ring_was_sent(lane)) {
            packet->record_words = words;
            packet->part = KYMO_PART_GUESS;
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

bool kymo_events_begin(struct kymo_link *link, unsigned index, uint32_t now) {
    struct kymo_lane *lane = &kymo_lanes[index];
    struct kymo_events_packet *packet = &link->packet.of.events;
    if (!kymo_lane_is_ready(link, lane, now)) {
        return false;
    }
    packet->part = KYMO_PART_NONE;
    packet->lane = (uint8_t)index;
    (void)find_event(lane, link);
    if (packet->part == KYMO_PART_NONE) {
        return false;
    }
    lane->waiting = false;
    kymo_packet_begin(link, KYMO_PACKET_EVENTS);
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
    case 4u:
        link->out.work -= MODEL_WORK;
        kymo_encode_begin(&link->encoder, &link->out, packet->event.time);
        break;
    default:
        link->out.work -= STACKS_WORK;
        kymo_encode_begin_calls(&link->encoder);
        break;
    }
    link->packet.next++;
    return KYMO_STEP_FURTHER;
}

/* A step of the clock that a delta cannot hold, back or far ahead, begins another packet. */
static bool belongs(const struct kymo_link *link) {
    const struct kymo_encode_event *event = &link->packet.of.events.event;
    return (event->time - link->encoder.time) >> 32 == 0u &&
           kymo_encode_fits(&link->out, kymo_numbers_of(event));
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

/* ---- zones in a row whose places and times are about as expected ----
 * Nearly all events of most programs: the same bits as put_part() makes, in a fraction of the instructions. */

/* Key of the zone's begin or end that is next, and ticks since "before"; false: it is none, or late. */
static inline bool read_zone(struct kymo_lane *lane, uint64_t before, uint32_t *key,
                             uint32_t *delta) {
    uint32_t header = 0u;
    if (kymo_ring_peek(lane, &header) == 0u || kymo_ring_was_sent(lane)) {
        return false;
    }
    const uint32_t tag = header & KYMO_TAG_MASK;
    *key = header;
#if KYMO_ARCH_CLOCK_BITS == 64
    if (tag == KYMO_TAG_END64) {
        const uint64_t since = time61(lane, header) - before;
        *key = KYMO_TAG_END32;
        *delta = (uint32_t)since;
        return since < RUN_TICKS;
    }
#endif
    *delta = kymo_ring_word(lane, 1u) - (uint32_t)before;
    return (tag == KYMO_TAG_BEGIN || tag == KYMO_TAG_END32) && *delta < RUN_TICKS;
}

/* The number behind a slot that was guessed; returns how many bits, 0: it is far from what was expected. */
static inline uint32_t guessed_number(uint32_t number, uint32_t scale, uint32_t *bits) {
    const uint32_t rest = number >> scale;
    *bits = number << 1 | 1u;
    if (rest == 0u) {
        return scale + 1u <= RUN_BITS ? scale + 1u : 0u;
    }
    const uint32_t class = kymo_class_of(number, scale);
    const uint32_t count = 2u * class + 2u + scale;
    *bits = (2u << class | 2u) | (number & ((1u << scale) - 1u)) << (class + 2u) |
            ((rest + 1u) & ((1u << class) - 1u)) << (class + 2u + scale);
    return class != KYMO_CLASS_LONG && count <= RUN_BITS ? count : 0u;
}

/* The times of a pair of slots: "bits" of the one that is "delta" now. */
static inline uint32_t run_time(struct kymo_expected *expected, uint32_t pair, uint32_t delta,
                                uint32_t *bits) {
    const uint32_t state = expected->scale[pair];
    const uint32_t scale = state & KYMO_SCALE_MASK;
    const uint32_t change = kymo_change_of(delta, expected->last[pair]);
    const uint32_t count =
        guessed_number((state & KYMO_BY_CHANGE) != 0u ? change : delta, scale, bits);
    if (count != 0u) {
        const uint32_t smaller = change < delta ? change : delta;
        expected->last[pair] = delta;
        expected->scale[pair] =
            (uint8_t)(kymo_scale_after(scale, smaller) | (change < delta ? KYMO_BY_CHANGE : 0u));
    }
    return count;
}

/* Bytes of which there is room behind the pending bits, any event's apart. */
static int32_t run_room(const struct kymo_outgoing *out) {
    const uint32_t space = kymo_out_space(out);
    const uint32_t room = kymo_out_room(out);
    return (int32_t)(space < room ? space : room) - (int32_t)(KYMO_COUNT_BYTES + KYMO_ENCODE_ROOM);
}

static void put_run(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_encoder *e = &link->encoder;
    struct kymo_outgoing *out = &link->out;
    int32_t work = lane->time == e->time && run_room(out) >= 0 ? out->work : 0;
    uint64_t time = e->time;
    uint32_t before = e->before;
    uint32_t before2 = e->before2;
    uint32_t pair = kymo_pair_of(before, before2);
    uint32_t count = 0u;
    uint32_t key, delta, bits;
    while (work >= RUN_WORST_WORK && read_zone(lane, time, &key, &delta)) {
        const uint32_t slot = e->expected.successors[pair];
        struct kymo_slot *place = &e->slot[slot];
        if (slot == 0u || place->key != key) {
            break;
        }
        const uint32_t next = kymo_pair_of(slot, before);
        const uint32_t length = run_time(&e->expected, next, delta, &bits);
        if (length == 0u) {
            break;
        }
        work -= RUN_EVENT_WORK;
        if (out->pending_bits + length > 32u) {
            kymo_out_pending(out);
            work = run_room(out) >= 0 ? work - RUN_BYTES_WORK : 0;
        }
        out->pending |= bits << out->pending_bits;
        out->pending_bits += length;
        place->used = true;
        before2 = before;
        before = slot;
        pair = next;
        time += delta;
        count++;
        /* Before it leaves the ring: who looks at the memory meanwhile finds each event. */
        out->events++;
        lane->events++;
        kymo_ring_consume(lane, KYMO_CELL_WORDS);
    }
    out->work -= RUN_WORK + RUN_EVENT_WORK * (int32_t)count;
    if (count != 0u) {
        e->before = (uint8_t)before;
        e->before2 = (uint8_t)before2;
        e->time = lane->time = time;
    }
}

/* ---- any event ---- */

static enum kymo_step put_time(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    link->out.work -= TIME_WORK;
    kymo_encode_time(&link->encoder, &link->out, &packet->event);
    packet->word = 0u;
    packet->part = KYMO_PART_WORDS;
    if (packet->event.words == 0u) {
        end_event(lane, link);
    }
    return KYMO_STEP_FURTHER;
}

/* The part of the event that comes next. */
static enum kymo_step put_part(struct kymo_lane *lane, struct kymo_link *link) {
    struct kymo_events_packet *packet = &link->packet.of.events;
    struct kymo_outgoing *out = &link->out;
    switch (packet->part) {
    case KYMO_PART_NONE:
        if (KYMO_CONTEXTS == 0) {
            put_run(lane, link);
        }
        return find_event(lane, link);
    case KYMO_PART_GUESS:
        if (!belongs(link)) {
            return KYMO_STEP_DONE;
        }
        out->work -= GUESS_WORK;
        packet->part = KYMO_PART_FIND;
        return kymo_encode_guess(&link->encoder, &packet->event) ? put_time(lane, link)
                                                                 : KYMO_STEP_FURTHER;
    case KYMO_PART_FIND:
        out->work -= FIND_WORK;
        packet->part = kymo_encode_find(&link->encoder, out, &packet->event) ? KYMO_PART_TIME
                                                                             : KYMO_PART_DEFINE;
        return KYMO_STEP_FURTHER;
    case KYMO_PART_DEFINE:
        out->work -= DEFINE_WORK;
        kymo_encode_define(&link->encoder, out, &packet->event);
        packet->part =
            (packet->event.kind & KYMO_KIND_HAS_REF) != 0u ? KYMO_PART_REFERENCE : KYMO_PART_TIME;
        return KYMO_STEP_FURTHER;
    case KYMO_PART_REFERENCE:
        out->work -= PAYLOAD_WORK;
        kymo_encode_reference(&link->encoder, out, wire_reference_of(&packet->event));
        packet->part = KYMO_PART_TIME;
        return KYMO_STEP_FURTHER;
    case KYMO_PART_TIME:
        return put_time(lane, link);
    default:
        out->work -= PAYLOAD_WORK;
        if (kymo_is_stack(&packet->event)) {
            out->work -= FRAME_WORK;
            packet->word +=
                kymo_encode_frame(&link->encoder, out,
                                  kymo_stack_frame(lane, packet->event.words - 1u - packet->word),
                                  packet->word == 0u);
        } else {
            kymo_encode_word(&link->encoder, out, packet->word,
                             payload_word(lane, &packet->event, packet->word));
            packet->word++;
        }
        if (packet->word == packet->event.words) {
            end_event(lane, link);
        }
        return KYMO_STEP_FURTHER;
    }
}

/* Most that a part takes, with its bytes. */
static const int16_t part_work[] = {
    [KYMO_PART_NONE] = RECORD_WORK + KYMO_CONTEXTS_WORK,
    [KYMO_PART_GUESS] = LONGEST_PART_WORK,
    [KYMO_PART_FIND] = FIND_WORK + SLOTS_WORK + RUN_BYTES_WORK,
    [KYMO_PART_DEFINE] = DEFINE_WORK + SLOTS_WORK + RUN_BYTES_WORK,
    [KYMO_PART_REFERENCE] = PAYLOAD_WORK + NUMBER_BYTES_WORK,
    [KYMO_PART_TIME] = LONGEST_PART_WORK,
    [KYMO_PART_WORDS] =
        PAYLOAD_WORK + ACCOUNT_WORK + NUMBER_BYTES_WORK + KYMO_CONTEXTS_WORK + FRAME_WORK,
};

enum kymo_step kymo_events_step(struct kymo_link *link) {
    if (link->packet.next < HEAD_FIELDS) {
        return head_field(link);
    }
    struct kymo_lane *lane = &kymo_lanes[link->packet.of.events.lane];
    enum kymo_step step = KYMO_STEP_WAIT;
    while (link->out.work >= part_work[link->packet.of.events.part] && step != KYMO_STEP_DONE &&
           kymo_out_room(&link->out) >= KYMO_ENCODE_ROOM) {
        step = put_part(lane, link);
    }
    return step;
}

void kymo_events_end(struct kymo_link *link) {
    kymo_ring_sent(&kymo_lanes[link->packet.of.events.lane]);
    kymo_encode_end(&link->out);
}

#endif
