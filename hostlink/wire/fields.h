/* SPDX-License-Identifier: MIT */
/* The fields of the board's packets other than EVENTS, in their order (runtime/WIRE.md). */
#ifndef HOSTLINK_PACKETS_H
#define HOSTLINK_PACKETS_H

#include "kymo/wire.h"
#include "wire/decode.h"
#include "wire/site_entry.h"

/* Type with version, and sequence number, before the fields. */
#define PACKET_HEAD_BYTES 2u

/* A correct packet. */
struct wire_packet {
    const uint8_t *bytes; /* without the CRC */
    size_t length;
    uint32_t crc;
};

static inline uint8_t packet_type(const uint8_t *packet) { return packet[0] & KYMO_WIRE_TYPE_MASK; }

/* At the fields of a packet. */
static inline struct reader packet_fields(const uint8_t *packet, size_t length) {
    return (struct reader){.bytes = packet, .length = length, .at = PACKET_HEAD_BYTES};
}

struct session_packet {
    uint32_t id;
    uint64_t clock_hz, ticks;
    uint8_t flags;
    uint32_t sites;
    uint8_t pointer_bytes;
    uint32_t identity; /* with KYMO_SESSION_NAMES_IN_ELF */
    const char *image; /* not ended by NUL */
    size_t image_bytes;
    uint32_t lanes; /* the reader is at their names, and ends after them */
};
struct status_packet {
    uint8_t flags;
    uint64_t ticks;
    uint32_t lanes; /* the reader is at their numbers */
};
struct pong_packet {
    uint64_t cookie, ticks;
    uint64_t answered; /* ticks, too: the packet left later */
};

struct board_packet {
    uint64_t number, bytes; /* of its stream, after the packet */
    const char *name;       /* not ended by NUL */
    size_t name_bytes;
};

/* Fields that a short packet does not have are 0, and reader->bad is set. */
void read_session(struct reader *reader, struct session_packet *session);
void read_status(struct reader *reader, struct status_packet *status);
/* The bits of enum kymo_usage after the lanes' numbers: usage errors of the firmware. */
uint64_t read_status_usage(struct reader *reader, const struct status_packet *status);
void read_pong(struct reader *reader, struct pong_packet *pong);
void read_board(struct reader *reader, struct board_packet *board);

/* Reads the next entry of SITES; "entry" holds the previous one. Returns false at the end. */
bool read_site(struct reader *reader, struct site_entry *entry);

#endif
