/* From records to the bits of an EVENTS frame (WIRE.md, "The events"). Pure: no ring, no link. */
#ifndef KYMO_ENCODE_H
#define KYMO_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/wire.h"

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

/* One frame's encoder. The caller owns it; all of it is reset by kymo_encode_begin(). */
struct kymo_encoder {
    uint8_t *out;
    uint32_t size, used; /* bytes */
    uint32_t pending;    /* bits not yet a byte, lowest first */
    uint32_t pending_bits;
    uint32_t time; /* of the event before, low 32 bits */
    uint32_t slots, victim;
    uint8_t before, before2; /* slots of the last two events, 0 = none */
    uint8_t successors[KYMO_SUCCESSORS];
    struct kymo_slot slot[KYMO_WIRE_SLOTS + 1]; /* [0] stands for "none" */
};

struct kymo_encode_event {
    enum kymo_event_kind kind;
    uint32_t reference; /* wire form, see WIRE.md */
    uint64_t time;
    uint32_t words; /* at most 255 */
    uint32_t word[64];
};

/* Starts a frame whose events follow "time" (low 32 bits); bits go to out[0 .. size). */
void kymo_encode_begin(struct kymo_encoder *encoder, uint8_t *out, uint32_t size, uint32_t time);

/* True when an event of "words" payload words fits for certain. */
bool kymo_encode_fits(const struct kymo_encoder *encoder, uint32_t words);

/* Appends an event; its time must lie 0 to 2^32 - 1 ticks after the last one's, else begin another
 * frame. Only after kymo_encode_fits(). */
void kymo_encode_event(struct kymo_encoder *encoder, const struct kymo_encode_event *event);

/* Completes the last byte; returns the number of bytes. */
uint32_t kymo_encode_end(struct kymo_encoder *encoder);

#endif
