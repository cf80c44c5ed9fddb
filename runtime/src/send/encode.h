/* SPDX-License-Identifier: MIT */
/* From events to the bytes of an EVENTS packet (WIRE.md, "The bytes"), part by part. Pure: no ring, no link. */
#ifndef KYMO_ENCODE_H
#define KYMO_ENCODE_H

#include "kymo/memory.h"
#include "packet.h"

_Static_assert(KYMO_WIRE_SLOTS == 8 || KYMO_WIRE_SLOTS == 16 || KYMO_WIRE_SLOTS == 32 ||
                   KYMO_WIRE_SLOTS == 62,
               "KYMO_WIRE_SLOTS must be 8, 16, 32 or 62");

#define KYMO_ENCODE_PAIRS KYMO_MODEL_PAIRS(KYMO_WIRE_SLOTS)
#define KYMO_ENCODE_VALUES KYMO_MODEL_VALUES(KYMO_WIRE_SLOTS)
/* Slots are found by a hash of their key and reference: so many chains of them. */
#define KYMO_ENCODE_CHAINS (KYMO_WIRE_SLOTS == 62 ? 128u : 2u * KYMO_WIRE_SLOTS)

/* One kind of event at one place: the first word of its record, without the bits that differ from event to event; and
 * for a long one its reference, if it has one. */
struct kymo_slot {
    uint32_t key;
    uint32_t reference;
};

#if KYMO_CALLSTACKS
/* Return addresses: the one that came last inside each of others, hashed. */
struct kymo_calls {
    uintptr_t last[KYMO_MODEL_CALLS];
    uintptr_t caller; /* the frame before in this stack, further out; 0: none */
    uint32_t high;    /* the last high word that was not the caller's */
    uint32_t run;     /* frames in a row that are expected, not yet coded */
};
#endif

/* In "pairs": the slot that followed the two the last time; whether the time of the pair is coded by its change; above
 * these, the ticks between them the last time. */
#define KYMO_PAIR_NEXT 0x3fu
#define KYMO_PAIR_BY_CHANGE 0x40u
#define KYMO_PAIR_TICKS_SHIFT (32u - KYMO_MODEL_TICKS_BITS)

/* In "links": the next slot of the chain, 0: none; and that the slot was named since it was defined or last spared. */
#define KYMO_LINK_NEXT 0x3fu
#define KYMO_LINK_USED 0x80u

/* The model of one packet. The caller owns it; kymo_encode_begin() resets it. */
struct kymo_encoder {
    uint64_t time;                          /* of the event before */
    size_t pair;                            /* of it and of the one before */
    struct kymo_slot slot[KYMO_WIRE_SLOTS]; /* [0] is the end of a zone, which is in no chain */
    uint32_t object, task;                  /* references of slots that were defined last */
    struct kymo_expected {
        uint32_t pairs[KYMO_ENCODE_PAIRS];
        uint32_t values[KYMO_ENCODE_VALUES];
        uint8_t chains[KYMO_ENCODE_CHAINS]; /* the first slot of each; 0: none */
    } expected;                             /* all 0 at first */
    uint8_t links[KYMO_WIRE_SLOTS];
    uint8_t back[KYMO_WIRE_SLOTS]; /* the slot before in the chain; 0: it is the first one */
    uint8_t slots, victim;
    uint8_t sought; /* the search continues with this slot; 0: from the start */
#if KYMO_CALLSTACKS
    struct kymo_calls calls;
#endif
};

/* The count of events, two bytes after the last event. */
#define KYMO_COUNT_BYTES 2u
/* The longest number; a slot that is new, with its time; payload of so many words; a frame of
 * a call stack. */
#define KYMO_ENCODE_NUMBER_BYTES 5u
#define KYMO_ENCODE_EVENT_BYTES (3u + 2u * KYMO_ENCODE_NUMBER_BYTES)
#define KYMO_ENCODE_PAYLOAD_BYTES(words) (1u + 4u * (words))
#define KYMO_ENCODE_FRAME_BYTES                                                                    \
    (sizeof(uintptr_t) > 4u ? 1u + 2u * KYMO_ENCODE_NUMBER_BYTES : KYMO_ENCODE_NUMBER_BYTES)

/* Resets the model at the start of a packet whose events follow "time", in the context of that reference. */
void kymo_encode_begin(struct kymo_encoder *encoder, uint64_t time, uint32_t context);

/* Each writes at "at" and returns the end of the written bytes. A number: inline for the loop over plain events, and
 * once for all others. */
KYMO_INLINE_ uint8_t *kymo_encode_number_here(uint8_t *at, uint32_t number) {
    if (number >= KYMO_NUMBER_LEAST_TWO) {
        if (number < KYMO_NUMBER_LEAST_THREE) {
            number += (KYMO_NUMBER_TWO << 8) - KYMO_NUMBER_LEAST_TWO;
        } else {
            if (number < KYMO_NUMBER_LEAST_FIVE) {
                number += (KYMO_NUMBER_THREE << 16) - KYMO_NUMBER_LEAST_THREE;
            } else {
                *at++ = KYMO_NUMBER_FIVE;
                *at++ = (uint8_t)(number >> 24);
            }
            *at++ = (uint8_t)(number >> 16);
        }
        *at++ = (uint8_t)(number >> 8);
    }
    *at = (uint8_t)number;
    return at + 1;
}
uint8_t *kymo_encode_number(uint8_t *at, uint32_t number);

/* The change from "before", small either way as a small number. */
static inline uint32_t kymo_change_of(uint32_t value, uint32_t before) {
    const uint32_t change = value - before;
    return change << 1 ^ (0u - (change >> 31));
}

/* An event is its slot, if that is not the expected one, its time and, if its kind has them, its payload words. */

static inline bool kymo_slot_is(const struct kymo_slot *slot, const struct kymo_slot *place) {
    return slot->key == place->key && slot->reference == place->reference;
}

static inline size_t kymo_encode_expected(const struct kymo_encoder *encoder) {
    return (size_t)(encoder->expected.pairs[encoder->pair] & KYMO_PAIR_NEXT);
}

/* Addresses of sites lie side by side. */
static inline uint32_t kymo_encode_chain(const struct kymo_slot *place) {
    const uint32_t key = place->key ^ place->reference;
    return (key >> 3 ^ key >> 5 ^ key >> 10) & (KYMO_ENCODE_CHAINS - 1u);
}

/* From here on the slot is expected where the last event left the model. */
static inline size_t kymo_encode_follow(struct kymo_encoder *encoder, size_t slot) {
    uint32_t *const pair = &encoder->expected.pairs[encoder->pair];
    *pair = (*pair & ~KYMO_PAIR_NEXT) | (uint32_t)slot;
    return slot;
}

/* The slot of a place that is not the expected one, which is expected there from here on. KYMO_ENCODE_NONE: it has
 * none, and kymo_encode_define() is to make one. KYMO_ENCODE_LATER: there is no more work than "least" in *work, from
 * which each look after the first is taken, and the next search for this place goes on. */
#define KYMO_ENCODE_NONE KYMO_WIRE_SLOTS
#define KYMO_ENCODE_LATER (KYMO_WIRE_SLOTS + 1u)
#define KYMO_ENCODE_LOOK_WORK 12
KYMO_INLINE_ size_t kymo_encode_find(struct kymo_encoder *e, const struct kymo_slot *place,
                                     int32_t *work, int32_t least) {
    size_t slot = 0u;
    if (place->key != KYMO_TAG_END32) {
        slot = e->sought;
        if (__builtin_expect(slot == 0u, 1)) {
            slot = e->expected.chains[kymo_encode_chain(place)];
        } else {
            e->sought = 0u;
        }
        while (!kymo_slot_is(&e->slot[slot], place)) {
            if (slot == 0u) {
                return *work < least ? KYMO_ENCODE_LATER : KYMO_ENCODE_NONE;
            }
            if (*work < least + KYMO_ENCODE_LOOK_WORK) {
                e->sought = (uint8_t)slot;
                return KYMO_ENCODE_LATER;
            }
            *work -= KYMO_ENCODE_LOOK_WORK;
            slot = e->links[slot] & KYMO_LINK_NEXT;
        }
        e->links[slot] |= KYMO_LINK_USED;
    }
    return kymo_encode_follow(e, slot);
}

#define KYMO_ENCODE_DEFINE_WORK KYMO_WORK_AT(120, 150)
size_t kymo_encode_define(struct kymo_encoder *encoder, const struct kymo_slot *place);
/* The slot's name; that of a new one is its kind, its reference as it is on the wire, and its words of payload. */
static inline uint8_t *kymo_encode_known(uint8_t *at, size_t slot) {
    *at = (uint8_t)(KYMO_CODE_SLOT + slot);
    return at + 1;
}
uint8_t *kymo_encode_new(struct kymo_encoder *encoder, uint8_t *at, uint32_t kind,
                         uint32_t reference, uint32_t words);

/* The number that is the time of an event of "slot", by ticks since the one before; *pair is theirs from here on. */
KYMO_INLINE_ uint32_t kymo_encode_time(struct kymo_expected *expected, size_t slot, uint32_t delta,
                                       size_t *pair) {
    *pair = KYMO_MODEL_PAIR(KYMO_ENCODE_PAIRS, *pair, slot);
    const uint32_t as = expected->pairs[*pair];
    const uint32_t change = kymo_change_of(delta, as >> KYMO_PAIR_TICKS_SHIFT);
    expected->pairs[*pair] = delta << KYMO_PAIR_TICKS_SHIFT | (as & KYMO_PAIR_NEXT) |
                             (change < delta ? KYMO_PAIR_BY_CHANGE : 0u);
    return (as & KYMO_PAIR_BY_CHANGE) != 0u ? change : delta;
}

/* The same, written. */
uint8_t *kymo_encode_ticks(struct kymo_encoder *encoder, uint8_t *at, size_t slot, uint32_t delta);

/* Payload word "index" of an event of the slot. */
uint8_t *kymo_encode_word(struct kymo_encoder *encoder, uint8_t *at, size_t slot, uint32_t index,
                          uint32_t word, bool *as_it_is);
/* All of them. */
uint8_t *kymo_encode_words(struct kymo_encoder *encoder, uint8_t *at, size_t slot,
                           const uint32_t *words, uint32_t count);

#if KYMO_CALLSTACKS
/* Where no stack was yet; "first": the outermost frame, the others follow inwards; "last": the innermost. */
void kymo_encode_begin_calls(struct kymo_encoder *encoder);
uint8_t *kymo_encode_frame(struct kymo_encoder *encoder, uint8_t *at, uintptr_t address, bool first,
                           bool last);
#endif

#endif
