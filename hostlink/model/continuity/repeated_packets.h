/* SPDX-License-Identifier: MIT */
/* Packets that come again: a line, a relay or a stuck buffer brings old ones, or the board started again and has the
 * same session number as before.
 *
 * An EVENTS packet that begins before the last event of its lane is a copy if its bytes are known, until a SESSION
 * packet has an earlier clock than the board had. From then on, and if they are not known, packets are held. Packets
 * that go on where the board was show that the held ones are copies. A packet that cannot be of the running session,
 * REPEAT_EVENTS_MAX different ones, or the end of the stream show that the board started again. */
#ifndef HOSTLINK_REPEATED_PACKETS_H
#define HOSTLINK_REPEATED_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/continuity/event_numbers.h"
#include "wire/decode.h"
#include "wire/fields.h"

#define REPEAT_EVENTS_MAX 32u
#define REPEAT_BYTES_MAX (256u * 1024u)
#define REPEAT_KNOWN 4096u /* EVENTS packets that are recognised, about two million events */

struct repeat_packet {
    struct repeat_packet *next;
    uint32_t print;
    size_t length;
    uint8_t bytes[];
};

/* All zero is the start. */
struct repeated_packets {
    /* The session's EVENTS packets, counted from 1, the last ones in a ring. Of those whose fingerprints have the same
     * place in "latest" that has the number of the latest one, and each the number of the one before it. */
    struct repeat_known {
        uint32_t print;
        uint64_t before; /* 0: none */
    } known[REPEAT_KNOWN];
    uint64_t latest[REPEAT_KNOWN];
    uint64_t count;
    uint32_t last;   /* fingerprint of the packet before */
    uint64_t clock;  /* the board's, at its latest */
    bool clock_back; /* a SESSION packet had an earlier one */
    bool from_start; /* the first packet of a lane came again */
    uint64_t copies; /* EVENTS packets that were left out */
    struct repeat_packet *first, *end;
    uint32_t events; /* EVENTS packets that are held */
    size_t bytes;
};

enum repeat_verdict {
    REPEAT_TAKE,   /* the packet goes on */
    REPEAT_DROP,   /* it is a copy, or held */
    REPEAT_COPIES, /* the held packets are copies; the packet goes on */
    REPEAT_ANEW    /* the board restarted with the held packets; the packet continues it */
};

/* An EVENTS packet of this fingerprint has come. */
bool repeat_knows(const struct repeated_packets *repeat, uint32_t crc);
enum repeat_verdict repeat_events(struct repeated_packets *repeat, const struct wire_packet *packet,
                                  const struct wire_head *head, enum packet_order order);
/* A SESSION packet with the number of the session that runs, or a STATUS packet. "ticks" is its clock. */
enum repeat_verdict repeat_clock(struct repeated_packets *repeat, const struct wire_packet *packet,
                                 uint64_t ticks, bool session);
/* A SITES packet. */
enum repeat_verdict repeat_sites(struct repeated_packets *repeat, const struct wire_packet *packet);
/* The stream has ended: true if the held packets are of a board that started again. */
bool repeat_is_anew(const struct repeated_packets *repeat);
/* The packets that are held become the caller's, each for free(). Nothing is in doubt any more. */
struct repeat_packet *repeat_release(struct repeated_packets *repeat);
/* The head of a packet of events. False for any other. */
bool repeat_head(const struct repeat_packet *packet, struct wire_head *head);
/* Another session begins. */
void repeat_restart(struct repeated_packets *repeat);
void repeat_free(struct repeated_packets *repeat);

#endif
