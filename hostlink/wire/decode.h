/* SPDX-License-Identifier: MIT */
/* From the body of an EVENTS packet to its events (runtime/WIRE.md, "The bytes"). Pure. */
#ifndef HOSTLINK_DECODE_H
#define HOSTLINK_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/event.h"
#include "wire/event_model.h"

/* A cursor over bytes that never reads beyond their end; "bad" stays set once it would have. */
struct reader {
    const uint8_t *bytes;
    size_t length, at;
    bool bad;
};

uint8_t read_u8(struct reader *reader);
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);
uint64_t read_varint(struct reader *reader);
/* The bytes of a string with a length before them: a pointer into the packet. */
const char *read_string(struct reader *reader, size_t *length);

struct wire_head {
    uint32_t lane;
    uint32_t slots; /* size of the encoder's model */
    uint32_t count; /* events in the packet */
    uint64_t first; /* number of events of this lane before the packet */
    uint64_t ticks;
    uint32_t context;
};

/* Reads the head of an EVENTS packet, from its fields on, and how many events it has; the reader then holds only
 * these. False: malformed. */
bool decode_head(struct reader *reader, struct wire_head *head);

/* An event advances the number of its lane's events by this. */
static inline uint64_t wire_event_numbers(const struct wire_event *event) {
    return event->kind == KYMO_KIND_LOSS ? (event->words > 0 ? event->word[0] : 0)
                                         : KYMO_KIND_IS_COUNTED(event->kind);
}

/* At the next event of a packet. Private to decode.c, except "decoded". */
struct wire_decoder {
    uint32_t
        decoded; /* so far; at the end fewer than the head's count if the packet is malformed */
    struct reader *reader;
    uint32_t count;
    uint64_t ticks;
    const uint8_t *at, *end; /* the next byte; after the last one */
    bool bad;
    struct event_model model;
};

/* Call after decode_head(), with the same reader, which must stay. */
void decode_begin(struct wire_decoder *decoder, struct reader *reader,
                  const struct wire_head *head);
/* False: no more events, or the rest is malformed; the reader is then after them. */
bool decode_next(struct wire_decoder *decoder, struct wire_event *event);

#endif
