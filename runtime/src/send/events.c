/* SPDX-License-Identifier: MIT */
/* From the rings to EVENTS packets, in one pass: an event is read, encoded and counted in one loop. Only the payload of
 * a long one may go on in the next call. */
#include "events.h"

#include "../ring/ring.h"

#if KYMO_ENABLE

/* Payload that a plain event has at most, in words. */
#define PLAIN_WORDS 2u
/* Work: of a zone's begin or end, with a byte; of a number of two bytes, and of more; most of all. Of another plain
 * event, beside its bytes, and of a word of payload; most of both. Around a row. */
#define PLAIN_WORK (KYMO_WORK_AT(68, 72) + CLEAR_WORK(KYMO_CELL_WORDS) + KYMO_WORK_BYTE)
#define TWO_BYTES_WORK (8 + KYMO_WORK_BYTE)
#define LONG_WORK (25 + KYMO_WORK_BYTE * (int32_t)(KYMO_ENCODE_NUMBER_BYTES - 1u))
#define PLAIN_WORST_WORK (FIND_WORK + PLAIN_WORK + LONG_WORK)
#define OTHER_MORE_WORK KYMO_WORK_AT(64, 80)
#define PAYLOAD_WORD_WORK (KYMO_WORK_AT(38, 45) + CLEAR_WORK(1))
#define PAYLOAD_WORST_WORK(words) ((PAYLOAD_WORD_WORK + 4 * KYMO_WORK_BYTE) * (words))
#define OTHER_WORST_WORK (OTHER_MORE_WORK + PAYLOAD_WORST_WORK((int32_t)PLAIN_WORDS))
#define PLAINS_WORK (KYMO_WORK_AT(140, 190) + KYMO_WORK_BYTES)

const uint8_t kymo_kinds[8] = {KYMO_KIND_ZONE_BEGIN, 0u,
                               KYMO_KIND_ZONE_END,   0u,
                               KYMO_KIND_CONTEXT,    KYMO_KIND_CONTEXT_NOW,
                               KYMO_KIND_FRAME,      KYMO_KIND_ZONE_END};

uint8_t *kymo_put_new(struct kymo_encoder *e, uint8_t *at, uint32_t key, uint32_t reference) {
    const struct kymo_slot place = {key, reference};
    const uint32_t kind = kind_of(key);
    const uint32_t travels =
        (kind & KYMO_KIND_HAS_REF) != 0u ? wire_reference_of(kind, &place) : 0u;
    (void)kymo_encode_define(e, &place);
    return kymo_encode_new(e, at, kind, travels, KYMO_LONG_WORDS(key));
}

/* ---- plain events: nearly all of most programs ---- */

/* Ends are recorded with the whole time where the clock has as many bits, or several contexts write at once. */
#define ENDS_64 (KYMO_ARCH_CLOCK_BITS == 64 || KYMO_ARCH_ATOMIC)
/* A zone's begin or end. */
#if ENDS_64
#define IS_ZONE(key) (((key) & (KYMO_TAG_MASK - KYMO_TAG_END64)) == 0u || (key) == KYMO_TAG_END32)
typedef uint64_t time_of_row;
#else
typedef uint32_t time_of_row;
#define IS_ZONE(key) ((((key) + 1u) & (KYMO_TAG_MASK - 1u)) == 0u)
#endif
/* So long that a row of them is below 2^32. */
#define PLAIN_TICKS_SHIFT 25

#if KYMO_CONTEXTS || KYMO_KEEP_NEWEST
static enum kymo_step put_plain(struct kymo_link *link, struct kymo_lane *lane) {
    (void)link, (void)lane;
    return KYMO_STEP_DONE;
}
#else
/* No work is left for the first event of a row: the next call has more. If it has too little, too, the event is put
 * part by part; and if no work is left for that, the call after it does so without a try. */
static enum kymo_step put_off(struct kymo_packet *packet) {
    if (!packet->of.events.put_off) {
        packet->of.events.put_off = true;
        return KYMO_STEP_WAIT;
    }
    packet->next = PART_ANY;
    return KYMO_STEP_DONE;
}

/* True if the record is complete, lies in so many words, is that of an event that means no more for the lane than
 * one event, and its payload has room: "bytes" beyond KYMO_ENCODE_EVENT_BYTES. If the ring's end cuts the record, no
 * word beyond that is read. */
static inline bool is_plain(uint32_t header, size_t words, size_t bytes) {
    const uint32_t tag = header & KYMO_TAG_MASK;
    const uint32_t kind = KYMO_LONG_KIND(header);
    return tag != KYMO_TAG_LONG
               ? tag == KYMO_TAG_CONTEXT || tag == KYMO_TAG_FRAME
               : (kind & KYMO_KIND_HAS_WORDS) != 0u && KYMO_KIND_IS_COUNTED(kind) &&
                     KYMO_LONG_WORDS(header) <= PLAIN_WORDS &&
                     KYMO_LONG_CELLS(header) * KYMO_CELL_WORDS <= words &&
                     bytes >= KYMO_ENCODE_PAYLOAD_BYTES(KYMO_LONG_WORDS(header));
}

/* DONE: no event comes, or one that is not plain, or there is no room. WAIT: there is no work left for it. Events
 * leave the ring only once they are in the packet, so that a reader of the memory always finds each of them. */
static __attribute__((noinline)) enum kymo_step put_plain(struct kymo_link *link,
                                                          struct kymo_lane *lane) {
    struct kymo_encoder *const e = &link->encoder;
    size_t words = kymo_ring_ahead(lane);
    const uint32_t *const first = kymo_ring_row(lane, &words);
    const int32_t room = row_room(&link->out);
    if (lane->time != e->time || room < (int32_t)KYMO_ENCODE_EVENT_BYTES) {
        return KYMO_STEP_DONE;
    }
    uint8_t bytes[ROW_BYTES];
    uint8_t *at = bytes;
    const uint8_t *const end = bytes + room - KYMO_ENCODE_EVENT_BYTES;
    enum kymo_step step = KYMO_STEP_DONE;
    const uint32_t *word = first;
    const uint32_t *const behind = first + words;
    int32_t work = link->out.work - PLAINS_WORK - PLAIN_WORST_WORK;
    uint32_t more_words = 0u; /* beyond the first two of records */
    uint32_t context = 0u;    /* header of the last switch; 0: there was none */
    time_of_row time = (time_of_row)lane->time;
    size_t pair = e->pair;
    while (word != behind && at <= end) {
        if (work < 0) {
            step = KYMO_STEP_WAIT;
            break;
        }
        struct kymo_slot place = {KYMO_ACQUIRE(*word), 0u};
        const uint32_t *payload = NULL;
        if (KYMO_ARCH_ATOMIC && place.key == 0u) {
            break;
        }
        if (KYMO_UNLIKELY(!IS_ZONE(place.key))) {
            if (!is_plain(place.key, (size_t)(behind - word), (size_t)(end - at))) {
                break; /* of a record that is not complete no other word is read */
            }
            payload = word + KYMO_CELL_WORDS;
            if ((KYMO_LONG_KIND(place.key) & KYMO_KIND_HAS_REF) != 0u &&
                (place.key & KYMO_TAG_MASK) == KYMO_TAG_LONG) {
                place.reference = *payload++;
            }
            if (work < OTHER_WORST_WORK) {
                step = KYMO_STEP_WAIT;
                break;
            }
        }
        time_of_row delta = (time_of_row)(int32_t)(word[1] - (uint32_t)time);
#if ENDS_64
        if ((place.key & KYMO_TAG_MASK) == KYMO_TAG_END64) {
            delta = ((uint64_t)word[1] << 29 | place.key >> 3) - time;
            place.key = KYMO_TAG_END32;
        }
#endif
        if (KYMO_UNLIKELY(delta >> PLAIN_TICKS_SHIFT != 0u)) {
            break;
        }
        size_t slot = e->expected.pairs[pair] & KYMO_PAIR_NEXT;
        if (KYMO_UNLIKELY(!kymo_slot_is(&e->slot[slot], &place))) {
            e->pair = pair;
            work -= FIND_WORK;
            slot = kymo_encode_find(e, &place, &work,
                                    DEFINE_WORK - FIND_WORK +
                                        (payload != NULL ? OTHER_WORST_WORK : 0));
            if (slot < KYMO_WIRE_SLOTS) {
                at = kymo_encode_known(at, slot);
            } else if (slot == KYMO_ENCODE_LATER) {
                step = KYMO_STEP_WAIT;
                break;
            } else {
                work -= DEFINE_WORK;
                at = kymo_put_new(e, at, place.key, place.reference);
                slot = e->expected.pairs[pair] & KYMO_PAIR_NEXT;
            }
        }
        time += delta;
        const uint32_t number = kymo_encode_time(&e->expected, slot, (uint32_t)delta, &pair);
        word += KYMO_CELL_WORDS;
        work -= PLAIN_WORK;
        if (KYMO_LIKELY(number < KYMO_NUMBER_LEAST_TWO)) {
            *at++ = (uint8_t)number;
        } else {
            work -= number < KYMO_NUMBER_LEAST_THREE ? TWO_BYTES_WORK : LONG_WORK;
            at = kymo_encode_number_here(at, number);
        }
        if (KYMO_UNLIKELY(payload != NULL)) {
            work -= OTHER_MORE_WORK;
            if ((place.key & KYMO_TAG_MASK) == KYMO_TAG_CONTEXT) {
                context = place.key;
            } else if ((place.key & KYMO_TAG_MASK) == KYMO_TAG_LONG) {
                const uint32_t more =
                    KYMO_LONG_CELLS(place.key) * KYMO_CELL_WORDS - KYMO_CELL_WORDS;
                const uint32_t count = KYMO_LONG_WORDS(place.key);
                const uint8_t *const from = at;
                at = kymo_encode_words(e, at, slot, payload, count);
                work -= PAYLOAD_WORD_WORK * (int32_t)count + KYMO_WORK_BYTE * (int32_t)(at - from);
                word += more;
                more_words += more;
            }
        }
    }
    link->out.work = work + PLAIN_WORST_WORK;
    if (word == first) {
        return step == KYMO_STEP_WAIT ? put_off(&link->packet) : step;
    }
    link->packet.of.events.put_off = false;
    link->moved = true;
    const uint32_t taken = (uint32_t)(word - first);
    const uint32_t events = (taken - more_words) / KYMO_CELL_WORDS;
    kymo_out_put(&link->out, bytes, (uint32_t)(at - bytes));
    link->out.events += events;
    lane->events += events;
    lane->time += time - (time_of_row)lane->time;
    e->time = lane->time;
    e->pair = pair;
    if (context != 0u) {
        lane->context_out = kymo_wire_reference(context & ~KYMO_TAG_MASK) ^ KYMO_MAIN_CONTEXT;
    }
    kymo_ring_consume(lane, taken);
    return step;
}
#endif

enum kymo_step kymo_events_put(struct kymo_link *link) {
    struct kymo_lane *const lane = lane_of(link);
    if (link->packet.next == PART_PLAIN) {
        const enum kymo_step step = put_plain(link, lane);
        if (step != KYMO_STEP_DONE) {
            return step;
        }
    }
    return kymo_events_more(link, lane);
}

#endif
