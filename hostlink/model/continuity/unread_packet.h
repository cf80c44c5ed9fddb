/* SPDX-License-Identifier: MIT */
/* The last packet of a lane in a pass without events. It is decoded to be counted only if the number in the next
 * packet is not the one that follows if each of its events counts, as nearly all do. */
#ifndef HOSTLINK_UNREAD_PACKET_H
#define HOSTLINK_UNREAD_PACKET_H

#include "model/continuity/event_numbers.h"
#include "wire/decode.h"

/* All zero: no packet. */
struct unread_packet {
    bool waits;
    struct wire_head head;
    uint8_t *bytes; /* of its events */
    size_t length, capacity;
};

/* The position of the lane after the packets that have passed. */
struct unread_lane {
    uint64_t *next; /* number of the next event */
    struct event_numbers *numbers;
};

/* A packet that begins with event number "next". If memory is short it is counted at once. */
void unread_packet_keep(struct unread_packet *unread, const struct wire_head *head,
                        struct reader *events, const struct unread_lane *lane);
/* The lane reports that it had recorded "events" at "ticks": from now on "next" is exact. */
void unread_packet_settle(struct unread_packet *unread, uint64_t events, uint64_t ticks,
                          const struct unread_lane *lane);
void unread_packet_free(struct unread_packet *unread);

#endif
