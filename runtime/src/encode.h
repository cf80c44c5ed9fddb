/* From events to the bits of an EVENTS packet (WIRE.md, "The bits"), part by part. Pure: no ring, no link. */
#ifndef KYMO_ENCODE_H
#define KYMO_ENCODE_H

#include "frame.h"

_Static_assert(KYMO_WIRE_SLOTS == 8 || KYMO_WIRE_SLOTS == 16 || KYMO_WIRE_SLOTS == 32 ||
                   KYMO_WIRE_SLOTS == 64,
               "KYMO_WIRE_SLOTS must be 8, 16, 32 or 64");

#define KYMO_SUCCESSORS 64u

/* What the model knows of one kind of event at one place. */
struct kymo_slot {
    uint32_t reference;
    uint32_t last_delta; /* ticks to the event after this one, the last time */
    uint32_t last_word;  /* first payload word, the last time */
    uint8_t kind;
    uint8_t delta_bits; /* expected length; bit 7: of the change, not of the delta */
    uint8_t word_bits;
    uint8_t words; /* payload words, the last time */
};

/* The model of one packet. The caller owns it; kymo_encode_begin() resets all of it. */
struct kymo_encoder {
    uint64_t time; /* of the event before */
    uint8_t slots, victim;
    uint8_t before, before2; /* slots of the last two events, 0 = none */
    uint8_t successors[KYMO_SUCCESSORS];
    struct kymo_slot slot[KYMO_WIRE_SLOTS + 1]; /* [0] stands for "none" */
};

struct kymo_encode_event {
    uint64_t time;
    uint32_t reference; /* wire form, see WIRE.md */
    uint8_t kind;       /* enum kymo_event_kind */
    uint8_t words;
};

/* The count of events, two bytes behind the last bit. */
#define KYMO_COUNT_BYTES 2u

/* What begins with a packet whose events follow "time". */
void kymo_encode_begin(struct kymo_encoder *encoder, struct kymo_outgoing *out, uint64_t time);

/* True when an event of "words" payload words fits into the packet for certain. Longest: slot 1 + 7 bits, its
 * definition 6 + 6 + 31, delta 9 + 31, count of words 9, first word 9 + 31, others 6 + 31. */
static inline bool kymo_encode_fits(const struct kymo_outgoing *out, uint32_t words) {
    return (out->pending_bits + 143u + 37u * words + 7u) / 8u + KYMO_COUNT_BYTES <=
           kymo_out_space(out);
}

/* An event is its slot, its time and, if its kind has them, its payload words, in this order. Its time must lie 0 to
 * 2^32 - 1 ticks after the last one's. The caller minds room in the buffer: of each part no more than so many bytes. */
#define KYMO_ENCODE_ROOM 9u
/* Its slot, if the model has it; false: the slot is still to be defined. */
bool kymo_encode_known(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                       const struct kymo_encode_event *event);
void kymo_encode_slot(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event);
/* With the number of payload words. */
void kymo_encode_time(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event);
/* Payload word "index" of the event whose slot was encoded last. */
void kymo_encode_word(struct kymo_encoder *encoder, struct kymo_outgoing *out, uint32_t index,
                      uint32_t word);

/* Completes the last byte and appends the count. */
void kymo_encode_end(struct kymo_outgoing *out);

#endif
