/* From the words of a ring to events (runtime/MEMORY.md, "Records"). */
#ifndef HOSTLINK_DUMP_RECORDS_H
#define HOSTLINK_DUMP_RECORDS_H

#include "dump/recorder.h"
#include "trace/decode.h"

/* A row of records in a ring of which the first is next. A record may go round the end of the ring. */
struct records {
    const struct recorder *recorder;
    const uint8_t *ring;
    uint32_t mask;  /* words of the ring, less one */
    uint32_t at;    /* the next word; counts on */
    uint64_t ticks; /* of the record before */
};

/* The word "index" words behind the next one. */
uint32_t records_word(const struct records *records, uint32_t index);
/* Words of the next record: 0 if it is none, longer than "most" words, or still being written. */
uint32_t records_length(const struct records *records, uint32_t most);
/* Reads the next record, of records_length() words, and goes behind it. False: it is no event. */
bool records_next(struct records *records, uint32_t length, struct wire_event *event);

#endif
