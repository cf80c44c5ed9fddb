/* SPDX-License-Identifier: MIT */
/* EVENTS packets: events.c has the loop over plain events, nearly all of most programs; any_event.c all that runs
 * less often. Private to these two. */
#ifndef KYMO_EVENTS_H
#define KYMO_EVENTS_H

#include "../ring/lane.h"
#include "link.h"

/* The next part of an EVENTS packet: the fields before the events, the empty model, that of call stacks; plain
 * events; one event of any kind; more of its payload; nothing. */
enum { PART_FIELDS, PART_MODEL, PART_CALLS, PART_PLAIN, PART_ANY, PART_REST, PART_OVER };

/* Bytes of events that are encoded before they go into the packet together. */
#define ROW_BYTES 64u
/* A byte of a packet may begin a block. */
#define BLOCK_BYTES_MORE 2u

/* Work to clear the cells of a record that leaves the ring, where cells are cleared. */
#define CLEAR_WORK(words) (KYMO_ARCH_ATOMIC ? 5 * (int32_t)(words) : 0)
/* Work of a place that is not the expected one and is the first in its chain; to define it. */
#define FIND_WORK (KYMO_WORK_AT(24, 30) + KYMO_WORK_BYTE)
#define DEFINE_WORK                                                                                \
    (KYMO_ENCODE_DEFINE_WORK + KYMO_WORK_BYTE * (int32_t)(KYMO_ENCODE_NUMBER_BYTES + 3u))

/* Bytes of events that the packet and the buffer have room for, ROW_BYTES at most; below 0 where they have none. */
static inline int32_t row_room(const struct kymo_outgoing *out) {
    const int32_t space =
        (int32_t)(KYMO_PACKET_BYTES - KYMO_CRC_BYTES - KYMO_COUNT_BYTES) - (int32_t)out->length;
    const int32_t room = (int32_t)kymo_out_room(out) - (int32_t)BLOCK_BYTES_MORE;
    const int32_t most = space < room ? space : room;
    return most < (int32_t)ROW_BYTES ? most : (int32_t)ROW_BYTES;
}

static inline struct kymo_lane *lane_of(const struct kymo_link *link) {
    return &kymo_lanes[KYMO_LANES > 1 ? link->packet.of.events.lane : 0u];
}

/* The reference in its wire form. A short record has it above its tag. */
static inline uint32_t wire_reference_of(uint32_t kind, const struct kymo_slot *place) {
    const bool is_long = (place->key & KYMO_TAG_MASK) == KYMO_TAG_LONG;
    const uint32_t reference = is_long ? place->reference : place->key & ~KYMO_TAG_MASK;
    return (kind & KYMO_KIND_HAS_OBJECT) != 0u ? reference : kymo_wire_reference(reference);
}

extern const uint8_t kymo_kinds[8]; /* by tag */
static inline uint32_t kind_of(uint32_t key) {
    const uint32_t tag = key & KYMO_TAG_MASK;
    return tag == KYMO_TAG_LONG ? KYMO_LONG_KIND(key) : kymo_kinds[tag];
}

/* Gives a place a slot, which is expected from here on, and puts what it stands for. In words, so that the loop over
 * plain events keeps them in registers. */
uint8_t *kymo_put_new(struct kymo_encoder *e, uint8_t *at, uint32_t key, uint32_t reference);

/* Puts what is next and is no plain event: of the head, or of one event. DONE: the packet has all that it gets. */
enum kymo_step kymo_events_more(struct kymo_link *link, struct kymo_lane *lane);

#endif
