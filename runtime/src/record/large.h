/* SPDX-License-Identifier: MIT */
/* Large things that wait to be sent. Private to the runtime. */
#ifndef KYMO_LARGE_H
#define KYMO_LARGE_H

#include "kymo/kymo.h"

#if KYMO_LARGE

/* A place of one that waits. */
struct kymo_large_slot {
    uint32_t taken; /* 1: somebody fills it, 2: it waits */
    uint32_t id;
    struct kymo_large *large;
    const void *bytes; /* as they were when it was sent: no more is ever read */
    uint32_t length;
};

/* All zero is the start. */
struct kymo_larges {
    struct kymo_large_slot slot[KYMO_LARGE];
    uint32_t ids;     /* so many were given */
    uint32_t ended;   /* id of the last one that was sent or given up */
    uint32_t refused; /* calls that found no place */
};
extern struct kymo_larges kymo_larges;

/* The state of sending them, for the draining context; part of kymo_link, all zero is the start. */
struct kymo_large_sent {
    struct kymo_large_slot *slot; /* of which some was sent; NULL: none */
    uint32_t offset;              /* of its next piece */
    uint16_t bytes;               /* of the piece that is being built */
    uint8_t events;               /* packets of events that go before the next piece, if any wait */
};

/* Record of one: id, length, type, name. */
void kymo_record_large(uint32_t id, const struct kymo_large *large);

#endif

#endif
