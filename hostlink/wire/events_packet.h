/* SPDX-License-Identifier: MIT */
/* An EVENTS packet under construction, as a board would send it. */
#ifndef HOSTLINK_EVENTS_PACKET_H
#define HOSTLINK_EVENTS_PACKET_H

#include "wire/decode.h"

#define EVENTS_PACKET_BYTES 4000u

struct events_packet {
    uint8_t bytes[EVENTS_PACKET_BYTES]; /* without the CRC */
    size_t length;
    uint32_t count;
    uint64_t ticks; /* of the last event */
    struct event_model model;
};

struct events_head {
    uint32_t lane;
    uint8_t sequence;
    uint64_t first, ticks;
    uint32_t context;
};

void events_begin(struct events_packet *packet, const struct events_head *head);
/* False: it does not fit, or its time does not; then end this packet and begin another. */
bool events_add(struct events_packet *packet, const struct wire_event *event);
/* Appends the count. */
void events_end(struct events_packet *packet);

#endif
