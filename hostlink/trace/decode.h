/* From the body of an EVENTS frame to its events (runtime/WIRE.md, "The events"). Pure. */
#ifndef HOSTLINK_DECODE_H
#define HOSTLINK_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Reads the head; the reader stands at the events behind it. False: malformed. */
bool decode_head(struct reader *reader, struct wire_head *head);

/* Decodes the events one after another and hands each to "event", which stops by non-zero. Returns
 * that, or 0; *decoded is how many came out: fewer than head->count if the frame is malformed. */
int decode_events(struct reader *reader, const struct wire_head *head,
                  int (*event)(void *context, const struct wire_event *event), void *context,
                  uint32_t *decoded);

#endif
