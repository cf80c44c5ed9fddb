/* SPDX-License-Identifier: MIT */
/* Packets as a board makes them, other than EVENTS, field by field; for packets that hostlink writes itself. */
#ifndef HOSTLINK_COMPOSE_H
#define HOSTLINK_COMPOSE_H

#include "kymo/wire.h"
#include "wire/site_entry.h"

struct compose {
    uint8_t bytes[4092]; /* the longest packet without its CRC */
    size_t at;
};

/* The caller checks the room: each call appends. */
void compose_begin(struct compose *packet, enum kymo_packet_type type, uint8_t sequence);
void compose_varint(struct compose *packet, uint64_t value);
void compose_little(struct compose *packet, uint64_t value, unsigned count);
/* At most "limit" bytes, whole characters of UTF-8. */
void compose_string(struct compose *packet, const char *text, size_t length, size_t limit);

/* One SITES packet with the sites from *next on; sets *next to the first site that had no room. *next grows if it was
 * below the count. Strings are cut to KYMO_SITE_STRING_BYTES. */
void compose_sites(struct compose *packet, uint8_t sequence, const struct site_list *list,
                   uint32_t *next);

/* Numbers as packets have them. Each returns where the next one goes. */
size_t put_varint(uint8_t *bytes, size_t at, uint64_t value);
size_t put_little(uint8_t *bytes, size_t at, uint64_t value, unsigned count);

#endif
