/* SPDX-License-Identifier: MIT */
/* A DMA that a test plays, for dma_send.h: it fetches bytes when the test says so, its interrupt preempts
 * then. A piece that is written to while it is being fetched, or a start before the last piece's end,
 * fails the test. */
#ifndef DMA_PLAYED_H
#define DMA_PLAYED_H

#include <stdbool.h>
#include <stdint.h>

#include "dma_send.h"

#define DMA_PLAYED_MOST 256u

struct dma_played {
    struct kymo_dma_send send; /* under test */
    uint8_t ring[64];
    const uint8_t *volatile piece;
    volatile uint32_t count; /* of the piece */
    volatile uint32_t fetched;
    volatile bool running;
    volatile bool ended; /* and not yet told */
    uint8_t copy[DMA_PLAYED_MOST];
    uint8_t arrived[DMA_PLAYED_MOST];
    volatile uint32_t arrived_count;
    uint32_t pieces;
    bool masked;           /* no interrupt preempts; it waits */
    void (*looked)(void);  /* or NULL: at the beginning of each ended() ... */
    void (*started)(void); /* ... and at the end of each start() */
};
extern struct dma_played dma;

/* A ring of "size" bytes, pieces of at most "piece", and bytes counted from "from" on. */
void dma_played_reset(uint32_t size, uint32_t piece, uint32_t from, bool by_interrupt);

/* The next "count" bytes go, as far as the piece has any. At its end the interrupt preempts, if it is on and not
 * masked. */
void dma_played_fetch(uint32_t count);

/* The numbers 1, 2, 3 ... are written; "given" were taken so far. Returns how many more. */
uint32_t dma_played_write(uint32_t given, uint32_t count);

/* Lets everything go out and asserts that the numbers up to "given" have arrived, once each and in order. */
void dma_played_finish(uint32_t given);

#endif
