/* From events to the bits of an EVENTS packet (WIRE.md, "The bits"), part by part. Pure: no ring, no link. */
#ifndef KYMO_ENCODE_H
#define KYMO_ENCODE_H

#include "kymo/memory.h"
#include "packet.h"

_Static_assert(KYMO_WIRE_SLOTS == 8 || KYMO_WIRE_SLOTS == 16 || KYMO_WIRE_SLOTS == 32 ||
                   KYMO_WIRE_SLOTS == 64,
               "KYMO_WIRE_SLOTS must be 8, 16, 32 or 64");

/* Slots that are guessed, and times: of pairs of slots, hashed. Payload words: of a slot and a place, hashed. */
#define KYMO_ENCODE_PAIRS KYMO_MODEL_PAIRS(KYMO_WIRE_SLOTS)
#define KYMO_ENCODE_VALUES KYMO_MODEL_VALUES(KYMO_WIRE_SLOTS)

/* One kind of event at one place. */
struct kymo_slot {
    uint32_t key;
    uint8_t kind;
    uint8_t words; /* of payload, the last time */
    bool used;     /* since it was defined or last spared */
    uint8_t low;   /* as in kymo_encode_event */
};

/* What numbers are expected to be near to: times, then payload words, then the reference of a slot. All is 0 at the
 * begin of a packet. */
#define KYMO_ENCODE_REFERENCE (KYMO_ENCODE_PAIRS + KYMO_ENCODE_VALUES)
struct kymo_expected {
    uint32_t last[KYMO_ENCODE_REFERENCE + 1u];
    /* Bits 4..0; bit 7, of a time: the scale is that of its change. */
    uint8_t scale[KYMO_ENCODE_REFERENCE + 4u];
    /* The slot that came behind two others the last time; 0: none. */
    uint8_t successors[KYMO_ENCODE_PAIRS];
};

#if KYMO_CALLSTACKS
/* Return addresses: the one that came last inside each of others, hashed. */
struct kymo_calls {
    uintptr_t last[KYMO_MODEL_CALLS];
    uintptr_t caller; /* the frame before in this stack, further out; 0: none */
    uint32_t high;    /* the last high word that was not the caller's */
    /* Of the changes from an address that came before, from the caller, and of high words. */
    uint8_t scale_known, scale_new, scale_high;
    bool has_high; /* of the frame that is being encoded: its high word is out */
};
#endif

/* The model of one packet. The caller owns it; kymo_encode_begin() resets all of it. */
struct kymo_encoder {
    uint64_t time; /* of the event before */
    uint8_t slots, victim;
    uint8_t before, before2;                    /* slots of the last two events, 0: none */
    uint8_t found;                              /* the slot of the event that is being encoded */
    bool guessed;                               /* it was the expected one */
    struct kymo_slot slot[KYMO_WIRE_SLOTS + 1]; /* [0] is none, [1] the end of a zone */
    struct kymo_expected expected;
#if KYMO_CALLSTACKS
    struct kymo_calls calls;
#endif
};

/* "key": what tells apart, with the kind, events of different places. */
struct kymo_encode_event {
    uint64_t time;
    uint32_t key;
    uint8_t kind;  /* enum kymo_event_kind */
    uint8_t words; /* of payload; of a call stack, its frames */
    uint8_t low;   /* the bits of an object's reference for which the key has no room */
};

/* The count of events, two bytes behind the last bit. */
#define KYMO_COUNT_BYTES 2u

/* What begins with a packet whose events follow "time". */
void kymo_encode_begin(struct kymo_encoder *encoder, struct kymo_outgoing *out, uint64_t time);

/* Longest: a number 6 + 5 + 31; a slot 2 + 1 + 1 + 8, its reference or, in place of "1 + 8 +", its number; the time;
 * count of words 9; each word. */
#define KYMO_ENCODE_NUMBER_BITS 42u
#define KYMO_ENCODE_EVENT_BITS (12u + KYMO_ENCODE_NUMBER_BITS + KYMO_ENCODE_NUMBER_BITS + 9u)
/* True when an event of "words" payload words fits into the packet for certain. */
static inline bool kymo_encode_fits(const struct kymo_outgoing *out, uint32_t words) {
    return (out->pending_bits + KYMO_ENCODE_EVENT_BITS + KYMO_ENCODE_NUMBER_BITS * words + 7u) /
                   8u +
               KYMO_COUNT_BYTES <=
           kymo_out_space(out);
}

/* An event is its slot, its time and, if its kind has them, its payload words, in this order. Its time must lie 0 to
 * 2^32 - 1 ticks after the last one's. The caller minds room in the buffer: of each part no more than so many bytes. */
#define KYMO_ENCODE_ROOM 16u
/* The slot that is expected, if the event is of it; false: nothing is written. */
bool kymo_encode_guess(struct kymo_encoder *encoder, const struct kymo_encode_event *event);
/* Else: its slot, if the model has it; false: it is still to be defined. */
bool kymo_encode_find(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event);
/* Which must come next, and behind it, if its kind has one, the reference as it is on the wire. */
void kymo_encode_define(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                        const struct kymo_encode_event *event);
void kymo_encode_reference(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                           uint32_t reference);
/* With the number of payload words. */
void kymo_encode_time(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event);
/* Payload word "index" of the event whose time was encoded last. */
void kymo_encode_word(struct kymo_encoder *encoder, struct kymo_outgoing *out, uint32_t index,
                      uint32_t word);

#if KYMO_CALLSTACKS
/* Where no stack was yet; "first": the outermost frame, the others follow inwards. False: the frame is to be encoded
 * once more, with what is left of it. */
void kymo_encode_begin_calls(struct kymo_encoder *encoder);
bool kymo_encode_frame(struct kymo_encoder *encoder, struct kymo_outgoing *out, uintptr_t address,
                       bool first);
#endif

/* Completes the last byte and appends the count. */
void kymo_encode_end(struct kymo_outgoing *out);

#endif
