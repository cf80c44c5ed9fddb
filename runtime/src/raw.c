/* From the rings to RAW packets: the head says how many words of the ring follow, and their sum. The words leave from
 * where they lie, and are the producer's again when all have left. */
#include "lane.h"
#include "link.h"
#include "ring_read.h"

#if KYMO_ENABLE && KYMO_WIRE_RAW

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire is little-endian, as the ring");
_Static_assert(KYMO_RAW_WORDS <= KYMO_RAW_WORDS_MAX, "longest body");

/* Work: of a zone's begin or end, a power of two; of another record, which may follow a row of these, and of each of
 * its words; and to begin and to end with that in a call. */
#define RECORD_WORK 32
#define OTHER_WORK 160
#define WORD_WORK 16
#define READ_WORK 160
/* Of a part of the head, beside its bytes and with them, and the end of a body. */
#define PART_WORK 35
#define HEAD_WORK (PART_WORK + KYMO_WORK_BYTES + 4 * KYMO_WORK_BYTE + 2 * KYMO_WORK_BLOCK)
#define RELEASE_WORK (80 + (KYMO_ARCH_ATOMIC ? 4 * (int32_t)KYMO_RAW_WORDS : 0))

_Static_assert(READ_WORK + OTHER_WORK + RECORD_WORK <= KYMO_WORK_STEP,
               "what is begun with enough work left must get further");

static struct kymo_lane *lane_sent(const struct kymo_raw_packet *raw) {
    return &kymo_lanes[raw->lane];
}

bool kymo_events_begin(struct kymo_link *link, unsigned index, uint32_t now) {
    struct kymo_raw_packet *raw = &link->packet.of.raw;
    const struct kymo_lane *lane = &kymo_lanes[index];
    if (!kymo_lane_is_ready(link, &kymo_lanes[index], now)) {
        return false;
    }
    raw->words = raw->sum = raw->rest = raw->sent = raw->events = 0u;
    raw->context = lane->context_out;
    raw->time = lane->time;
    raw->lane = (uint8_t)index;
    raw->complete = false;
    kymo_lanes[index].waiting = false;
    kymo_packet_begin(link, KYMO_PACKET_RAW);
    return true;
}

/* ---- what is in the body ---- */

/* What a record means for the lane: others than a zone's begin and end, and one of these where the ring's end lies
 * before it. */
static __attribute__((noinline)) void account(struct kymo_raw_packet *raw, size_t at,
                                              uint32_t header) {
    const uint32_t tag = header & KYMO_TAG_MASK;
    if (tag == KYMO_TAG_LONG) {
        const enum kymo_event_kind kind = (enum kymo_event_kind)KYMO_LONG_KIND(header);
        raw->events += kymo_events_of(kind);
        raw->events += kind == KYMO_KIND_LOSS ? kymo_ring_word(lane_sent(raw), at + 2u) : 0u;
        if (kind == KYMO_KIND_CLOCK) {
            kymo_clock_read(&kymo_link, lane_sent(raw), (uint32_t)at);
        }
    } else {
        raw->events += tag != KYMO_TAG_CLOCK64 && tag != KYMO_TAG_RESTATED ? 1u : 0u;
    }
    if (tag == KYMO_TAG_CONTEXT || tag == KYMO_TAG_RESTATED) {
        raw->context = kymo_wire_reference(header & ~KYMO_TAG_MASK) ^ KYMO_MAIN_CONTEXT;
    }
}

#define TAG_IS(tags, tag) (((tags) >> (tag)&1u) != 0u)
#define ZONE_TAGS (1u << KYMO_TAG_BEGIN | 1u << KYMO_TAG_END64 | 1u << KYMO_TAG_END32)
#define WHOLE_TAGS (1u << KYMO_TAG_END64 | 1u << KYMO_TAG_CLOCK64)

/* Time of the record "at" words behind the tail, which says all of it or is within 2^31 ticks of "near". */
static __attribute__((noinline)) uint64_t time_of(const struct kymo_lane *lane, size_t at,
                                                  uint64_t near) {
    const uint32_t header = kymo_ring_word(lane, at);
    const uint32_t second = kymo_ring_word(lane, at + 1u);
    if (TAG_IS(WHOLE_TAGS, header & KYMO_TAG_MASK)) {
        return (uint64_t)second << 29 | header >> 3;
    }
    return near + (uint64_t)(int64_t)(int32_t)(second - (uint32_t)near);
}

/* What a call has read so far. */
struct reading {
    size_t at;    /* words behind the tail: the next record */
    size_t last;  /* record */
    size_t whole; /* the last record that says all of its time */
    uint32_t sum;
};

/* The begins and ends of zones that come next, up to "end": nearly all events of most programs. Returns how many. */
static inline uint32_t read_zones(const struct kymo_lane *lane, struct reading *r, size_t end) {
    size_t words = r->at < end ? end - r->at : 0u;
    const uint32_t *const first = kymo_ring_row(lane, r->at, &words);
    const uint32_t *const behind = first + words;
    const uint32_t *word = first;
    const uint32_t *whole = NULL;
    uint32_t sum = r->sum;
    while (word < behind) {
        const uint32_t header = KYMO_LOAD(*word);
        const uint32_t tag = header & KYMO_TAG_MASK;
        if (!TAG_IS(ZONE_TAGS, tag) || (KYMO_ARCH_ATOMIC && header == 0u)) {
            break;
        }
        if (KYMO_ARCH_CLOCK_BITS == 64 && tag == KYMO_TAG_END64) {
            whole = word;
        }
        KYMO_ACQUIRED();
        sum = kymo_raw_sum_add(sum, header);
        sum = kymo_raw_sum_add(sum, word[1]);
        word += KYMO_CELL_WORDS;
    }
    const size_t done = (size_t)(word - first);
    r->whole = whole != NULL ? r->at + (size_t)(whole - first) : r->whole;
    r->last = done != 0u ? r->at + done - KYMO_CELL_WORDS : r->last;
    r->at += done;
    r->sum = sum;
    return (uint32_t)done / KYMO_CELL_WORDS;
}

/* More words of a record that is no zone's begin or end, as far as the call's work goes. */
static int32_t read_words(struct kymo_raw_packet *raw, struct reading *r, int32_t work) {
    const struct kymo_lane *lane = lane_sent(raw);
    for (; raw->rest != 0u && work >= WORD_WORK; work -= WORD_WORK) {
        r->sum = kymo_raw_sum_add(r->sum, kymo_ring_word(lane, r->at++));
        raw->rest--;
    }
    return work;
}

/* Such a record comes next, of "words" words. */
static void begin_other(struct kymo_raw_packet *raw, struct reading *r, uint32_t header,
                        uint32_t words) {
    account(raw, r->at, header);
    r->last = r->at;
    r->whole = TAG_IS(WHOLE_TAGS, header & KYMO_TAG_MASK) ? r->at : r->whole;
    raw->rest = words;
}

/* Those that do not say all of their time are within 2^31 ticks of the last one that does, or of what was before. */
static void go_to(struct kymo_raw_packet *raw, const struct reading *r) {
    if (r->whole != SIZE_MAX) {
        raw->time = time_of(lane_sent(raw), r->whole, 0u);
    }
    if (r->last != SIZE_MAX) {
        raw->time = time_of(lane_sent(raw), r->last, raw->time);
    }
    raw->words = (uint32_t)r->at;
    raw->sum = r->sum;
}

/* Reads more of the records that are there. DONE: the body has all that it can have. */
static enum kymo_step read_records(struct kymo_link *link) {
    struct kymo_raw_packet *raw = &link->packet.of.raw;
    const struct kymo_lane *lane = lane_sent(raw);
    const size_t ahead = kymo_ring_ahead(lane);
    const size_t most = ahead < KYMO_RAW_WORDS ? ahead : KYMO_RAW_WORDS;
    struct reading r = {.at = raw->words, .last = SIZE_MAX, .whole = SIZE_MAX, .sum = raw->sum};
    int32_t work = link->out.work - READ_WORK;
    bool more = true;
    while (more && work >= OTHER_WORK) {
        work = read_words(raw, &r, work - OTHER_WORK);
        const size_t paid = (size_t)(work < 0 ? 0 : work) / RECORD_WORK * KYMO_CELL_WORDS;
        const size_t end = raw->rest != 0u ? r.at : r.at + paid;
        const uint32_t zones = read_zones(lane, &r, end < most ? end : most);
        raw->events += zones;
        work -= RECORD_WORK * (int32_t)zones;
        if (r.at >= end) {
            break; /* the next record may be a zone's */
        }
        uint32_t header = 0u;
        const uint32_t words = r.at < ahead ? kymo_ring_look(lane, r.at, &header) : 0u;
        more = words != 0u && (r.at == 0u || r.at + words <= KYMO_RAW_WORDS);
        if (more) {
            begin_other(raw, &r, header, words);
        }
    }
    link->out.work = work;
    go_to(raw, &r);
    return more ? KYMO_STEP_FURTHER : KYMO_STEP_DONE;
}

/* ---- the head, four bytes a part ---- */

enum head_part {
    PART_READ, /* before it: what is in the body */
    PART_PLACE,
    PART_SUM,
    PART_SITES,
    PART_SITE_COUNT,
    PART_FIRST,
    PART_FIRST_HIGH,
    PART_TIME,
    PART_TIME_HIGH,
    PART_CONTEXT,
    HEAD_PARTS
};

static uint32_t head_word(const struct kymo_raw_packet *raw, uint32_t part) {
    const struct kymo_lane *lane = lane_sent(raw);
    switch ((enum head_part)part) {
    case PART_PLACE:
        return raw->lane | (uint32_t)sizeof(struct kymo_site) << 8 | raw->words << 16;
    case PART_SUM:
        return raw->sum;
    case PART_SITES:
        return (uint32_t)(uintptr_t)__start_kymo_sites;
    case PART_SITE_COUNT:
        return kymo_site_count();
    case PART_FIRST:
        return (uint32_t)lane->events;
    case PART_FIRST_HIGH:
        return (uint32_t)(lane->events >> 32);
    case PART_TIME:
        return (uint32_t)time_of(lane, 0u, lane->time);
    case PART_TIME_HIGH:
        return (uint32_t)(time_of(lane, 0u, lane->time) >> 32);
    default:
        return lane->context_out ^ KYMO_MAIN_CONTEXT;
    }
}

/* All of the body has left: what was read is what the lane has behind it, and its room is free. */
static void release(struct kymo_link *link) {
    const struct kymo_raw_packet *raw = &link->packet.of.raw;
    struct kymo_lane *lane = lane_sent(raw);
    link->out.work -= RELEASE_WORK;
    lane->events += raw->events;
    lane->time = raw->time;
    lane->context_out = raw->context;
    kymo_ring_consume(lane, raw->words);
    link->packet.type = 0u;
    kymo_out_zero(&link->out);
    link->owed = link->out.ready;
}

/* As much as there is work left for, and room. */
static enum kymo_step put_head(struct kymo_link *link) {
    while (link->packet.next != (uint16_t)HEAD_PARTS) {
        if (link->out.work < HEAD_WORK) {
            return KYMO_STEP_FURTHER;
        }
        if (kymo_out_room(&link->out) < 2u * sizeof(uint32_t)) {
            return KYMO_STEP_WAIT;
        }
        link->out.work -= PART_WORK;
        kymo_out_bytes(&link->out, head_word(&link->packet.of.raw, link->packet.next++),
                       sizeof(uint32_t));
    }
    return KYMO_STEP_DONE;
}

enum kymo_step kymo_events_step(struct kymo_link *link) {
    struct kymo_raw_packet *raw = &link->packet.of.raw;
    if (raw->complete) {
        if (raw->sent < raw->words * 4u) {
            return KYMO_STEP_WAIT;
        }
        release(link);
        return KYMO_STEP_FURTHER;
    }
    if (link->packet.next == (uint16_t)PART_READ) {
        if (read_records(link) == KYMO_STEP_FURTHER) {
            return KYMO_STEP_FURTHER;
        }
        link->packet.next++;
    }
    return put_head(link);
}

void kymo_events_end(struct kymo_link *link) { link->packet.of.raw.complete = true; }

size_t kymo_raw_send(struct kymo_link *link, size_t budget) {
    struct kymo_raw_packet *raw = &link->packet.of.raw;
    size_t sent = 0u;
    if (link->packet.type != KYMO_PACKET_RAW || !raw->complete || link->out.ready != 0u) {
        return 0u;
    }
    while (raw->sent < raw->words * 4u && sent < budget) {
        size_t words = raw->words - raw->sent / 4u;
        const uint8_t *bytes =
            (const uint8_t *)kymo_ring_row(lane_sent(raw), raw->sent / 4u, &words);
        const size_t row = words * 4u - raw->sent % 4u;
        const size_t length = row < budget - sent ? row : budget - sent;
        const size_t taken = kymo_transport_write(link->transport, bytes + raw->sent % 4u, length);
        raw->sent += (uint32_t)taken;
        sent += taken;
        if (taken < length) {
            break;
        }
    }
    return sent;
}

#endif
