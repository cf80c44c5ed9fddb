/* SPDX-License-Identifier: MIT */
/* Bytes that a DMA sends, for the transports that have one: a ring that is filled at one end, and
 * from which the DMA fetches a piece at a time at the other. It takes as many as fit and never waits.
 *
 * The end of a piece is noticed by each call, which looks (polled); or by the DMA's interrupt alone, after
 * kymo_dma_send_by_interrupt(). That one may come in the middle of any call here, on the same core, and
 * starts the next piece itself, so the line stays busy whatever the main code does. */
#ifndef KYMO_DMA_SEND_H
#define KYMO_DMA_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kymo_dma_send {
    uint8_t *bytes;
    uint32_t size;  /* a power of two */
    uint32_t piece; /* the longest that the DMA takes */
    void *chip;     /* of the driver, for these two: */
    /* True once for each piece, when the DMA will not read it any more. */
    bool (*ended)(void *chip);
    /* The DMA stands still: it fetches these bytes from now on. */
    void (*start)(void *chip, const uint8_t *bytes, uint32_t count);
    /* Bytes so far, modulo 2^32: "in" belongs to the writer, the others to the context that notices the end. */
    volatile uint32_t in;
    volatile uint32_t out;
    volatile uint32_t sending; /* from "out" on these belong to the DMA; 0 = it stands still */
    volatile bool by_interrupt;
};

/* An empty ring, the DMA at rest. Field by field: see kymo/bytes.h. */
static inline void kymo_dma_send_init(struct kymo_dma_send *send, uint8_t *bytes, uint32_t size,
                                      uint32_t piece) {
    send->bytes = bytes;
    send->size = size;
    send->piece = piece;
    send->in = 0u;
    send->out = 0u;
    send->sending = 0u;
    send->by_interrupt = false;
}

/* The bytes must be in the ring before the DMA fetches them, and before an interrupt sees "in". */
static inline void kymo_dma_send_memory_first(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* Only while the DMA stands still: so no interrupt changes "out" or "sending". */
static inline void kymo_dma_send_start(struct kymo_dma_send *send) {
    const uint32_t first = send->out & (send->size - 1u);
    const uint32_t waiting = send->in - send->out;
    const uint32_t up_to_end = send->size - first;
    uint32_t count = waiting < up_to_end ? waiting : up_to_end;
    count = count < send->piece ? count : send->piece;
    if (count != 0u) {
        kymo_dma_send_memory_first();
        send->sending = count; /* first: its end may interrupt at once */
        send->start(send->chip, send->bytes + first, count);
    }
}

/* Looks whether the DMA has fetched its piece, and gives it the next one. True if it had. For the
 * interrupt: where the DMA stands still, a call that it interrupted may just be about to start it, and it
 * keeps its hands off. */
static inline bool kymo_dma_send_next(struct kymo_dma_send *send) {
    if (send->sending == 0u || !send->ended(send->chip)) {
        return false;
    }
    send->out = send->out + send->sending;
    send->sending = 0u;
    kymo_dma_send_start(send);
    return true;
}

/* From a transport's calls, in case no other context looks. */
static inline void kymo_dma_send_poll(struct kymo_dma_send *send) {
    if (!send->by_interrupt) {
        (void)kymo_dma_send_next(send);
    }
}

/* kymo_transport's write(). */
static inline size_t kymo_dma_send_write(struct kymo_dma_send *send, const uint8_t *bytes,
                                         size_t length) {
    kymo_dma_send_poll(send);
    const uint32_t in = send->in;
    const uint32_t room = send->size - (in - send->out);
    const uint32_t count = length < room ? (uint32_t)length : room;
    /* In registers: a byte that is written could be anything, for all a compiler knows. */
    uint8_t *const ring = send->bytes;
    const uint32_t mask = send->size - 1u;
    for (uint32_t i = 0u; i < count; i++) {
        ring[(in + i) & mask] = bytes[i];
    }
    kymo_dma_send_memory_first();
    send->in = in + count;
    if (send->sending == 0u) {
        kymo_dma_send_start(send);
    }
    return count;
}

/* True when the DMA has fetched all bytes. */
static inline bool kymo_dma_send_idle(struct kymo_dma_send *send) {
    kymo_dma_send_poll(send);
    return send->sending == 0u && send->in == send->out;
}

/* With the DMA's interrupt switched off: from now on that will call kymo_dma_send_next(), or the transport's
 * calls will. */
static inline void kymo_dma_send_by_interrupt(struct kymo_dma_send *send, bool by_interrupt) {
    send->by_interrupt = by_interrupt;
}

#endif
