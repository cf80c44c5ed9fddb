/* SPDX-License-Identifier: MIT */
/* The DMA has fetched its piece, and its interrupt preempts, at every single instruction of a transport's
 * call. */
#include <string.h>

#include "cases.h"
#include "dma_played.h"
#include "preempt.h"

#define SIZE 8u
#define CALL_BYTES 5u

/* Runs at a preemption (kymo_arch.h of tests/fake declares it). */
void fake_interrupt(void);

/* Where the DMA has not ended a piece, another device raised the interrupt on the same line. */
void fake_interrupt(void) {
    dma.masked = true;
    dma_played_fetch(DMA_PLAYED_MOST);
    dma.masked = false;
    if (dma.send.by_interrupt) {
        (void)kymo_dma_send_next(&dma.send);
        assert_false(dma.ended); /* or it would preempt for ever */
    }
}

/* When the call begins the DMA ... */
/* At its end: its interrupt still waits. */
enum dma_is { STANDING, RUNNING, AT_ITS_END, DMA_IS_COUNT };

/* So that the ring is empty, has some, wraps, or is full. */
static uint32_t prepare(uint32_t filled, enum dma_is is, bool by_interrupt) {
    preempt_level = 0u;
    memset(preempts, 0, sizeof preempts);
    preempts[0].call = PREEMPT_NEVER;
    dma_played_reset(SIZE, SIZE, 0xfffffffeu, by_interrupt);
    uint32_t given = 0u;
    for (uint32_t i = 0u; i < filled; i++) {
        given += dma_played_write(given, 1u);
    }
    if (is == STANDING) {
        dma_played_finish(given);
    }
    dma.masked = true;
    if (is == AT_ITS_END) {
        dma_played_fetch(DMA_PLAYED_MOST);
    }
    preempts[0].calls = 0u;
    return given;
}

/* One copy, as the places that are found are addresses. */
static __attribute__((noinline)) uint32_t call(bool writes, uint32_t given) {
    static uint8_t bytes[CALL_BYTES];
    uint32_t taken = 0u;
    for (uint32_t i = 0u; i < CALL_BYTES; i++) {
        bytes[i] = (uint8_t)(given + i + 1u);
    }
    preempt_around(true);
    if (writes) {
        taken = (uint32_t)kymo_dma_send_write(&dma.send, bytes, CALL_BYTES);
    } else {
        (void)kymo_dma_send_idle(&dma.send);
    }
    preempt_around(false);
    return taken;
}

static uint32_t preempt_call(bool writes, uint32_t filled, enum dma_is is, bool by_interrupt) {
    uint32_t given = prepare(filled, is, by_interrupt);
    preempt_find(true);
    preempts[0].call = 0u;
    (void)call(writes, given);
    preempt_find(false);
    const uint32_t places = preempt_place_count();
    assert_true(places > 5u && places < PREEMPT_PLACES);
    for (uint32_t i = 0u; i < places; i++) {
        (void)preempt_choose(i);
        given = prepare(filled, is, by_interrupt);
        preempts[0].call = 0u;
        given += call(writes, given);
        preempts[0].call = PREEMPT_NEVER;
        fake_interrupt(); /* if the way that was preempted did not come by there again */
        dma_played_finish(given);
    }
    return places;
}

static uint32_t preempt_all(bool by_interrupt) {
    uint32_t count = 0u;
    for (uint32_t filled = 0u; filled <= SIZE; filled++) {
        for (enum dma_is is = STANDING; is < DMA_IS_COUNT; is++) {
            count += preempt_call(true, filled, is, by_interrupt);
            count += preempt_call(false, filled, is, by_interrupt);
        }
    }
    print_message("%u preempts\n", (unsigned)count);
    return count;
}

CASE(polled) { assert_true(preempt_all(false) > 1500u); }

CASE(by_interrupt) { assert_true(preempt_all(true) > 1500u); }

CASES_BETWEEN(preempt_set_up, NULL);
