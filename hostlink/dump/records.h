/* SPDX-License-Identifier: MIT */
/* From the words of a ring to events (runtime/MEMORY.md, "Records"). */
#ifndef HOSTLINK_DUMP_RECORDS_H
#define HOSTLINK_DUMP_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/event.h"

/* The place of the table of sites on the board. */
struct records_sites {
    uint32_t at; /* the low 32 bits of its address */
    uint32_t bytes, site_bytes;
    uint32_t dynamic_at, dynamic_bytes, dynamic_site_bytes; /* of those made at run time; 0: none */
};

/* The reference on the wire for an address in a record. */
static inline uint32_t records_reference(const struct records_sites *sites, uint32_t address) {
    const uint32_t offset = address - sites->at, dynamic = address - sites->dynamic_at;
    if (offset < sites->bytes) {
        return offset / sites->site_bytes * 2u;
    }
    return dynamic < sites->dynamic_bytes
               ? (sites->bytes / sites->site_bytes + dynamic / sites->dynamic_site_bytes) * 2u
               : (address >> 3) * 2u + 1u;
}

/* A row of records in a ring; the first one is next. A record may wrap around the end of the ring. */
struct records {
    struct records_sites sites;
    const uint8_t *ring;
    uint32_t mask;  /* words of the ring, less one */
    uint32_t at;    /* the next word; counts on */
    uint64_t ticks; /* of the record before */
};

/* The word "index" words after the next one. */
uint32_t records_word(const struct records *records, uint32_t index);
/* Words of the next record: 0 if it is no record, longer than "most" words, or still being written. */
uint32_t records_length(const struct records *records, uint32_t most);
/* Reads the next record, of records_length() words, and goes past it. False: not an event. */
bool records_next(struct records *records, uint32_t length, struct wire_event *event);

#endif
