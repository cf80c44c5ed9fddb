/* From the body of an EVENTS frame to its events (runtime/WIRE.md, "The events"). Pure. */
#ifndef HOSTLINK_DECODE_H
#define HOSTLINK_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/bit_model.h"

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
/* The bytes of a string with a length before them: a pointer into the frame. */
const char *read_string(struct reader *reader, size_t *length);

#define WIRE_WORDS 255u

struct wire_event {
    uint8_t kind;
    uint32_t reference;
    uint64_t ticks;
    uint32_t words;
    uint32_t word[WIRE_WORDS];
};

struct wire_head {
    uint32_t lane;
    uint32_t slots; /* size of the encoder's model */
    uint32_t count; /* events in the frame */
    uint64_t first; /* number of events of this lane before the frame */
    uint64_t ticks;
    uint32_t context;
};

/* Reads the head, and the count at the end of the body; the reader then holds only the events. False: malformed. */
bool decode_head(struct reader *reader, struct wire_head *head);

/* At the next event of a frame. Private to decode.c but for "decoded". */
struct wire_decoder {
    uint32_t decoded; /* so far; at the end fewer than the head's count if the frame is malformed */
    struct reader *reader;
    uint32_t count;
    uint64_t ticks;
    uint64_t bits; /* read ahead, lowest first */
    int bit_count; /* below 0: more were taken than there are */
    bool bad;
    struct bit_model model;
};

/* Behind decode_head(), with the same reader, which must stay. */
void decode_begin(struct wire_decoder *decoder, struct reader *reader,
                  const struct wire_head *head);
/* False: there is no more, or the rest is malformed. */
bool decode_next(struct wire_decoder *decoder, struct wire_event *event);

#endif
