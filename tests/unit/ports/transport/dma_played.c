/* SPDX-License-Identifier: MIT */
#include "dma_played.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct dma_played dma;

static bool ended(void *chip) {
    assert_ptr_equal(chip, &dma);
    if (dma.looked != NULL) {
        dma.looked();
    }
    const bool told = dma.ended;
    if (told) {
        dma.ended = false;
    }
    return told;
}

/* Last of all it runs: from there on it may be preempted. */
static void start(void *chip, const uint8_t *bytes, uint32_t count) {
    assert_ptr_equal(chip, &dma);
    assert_false(dma.running);
    assert_false(dma.ended);
    assert_in_range(count, 1, dma.send.piece);
    assert_true(bytes >= dma.ring && bytes + count <= dma.ring + dma.send.size);
    memcpy(dma.copy, bytes, count);
    dma.piece = bytes;
    dma.count = count;
    dma.fetched = 0u;
    dma.pieces++;
    dma.running = true;
    if (dma.started != NULL) {
        dma.started();
    }
}

void dma_played_reset(uint32_t size, uint32_t piece, uint32_t from, bool by_interrupt) {
    memset(&dma, 0, sizeof dma);
    assert_true(size <= sizeof dma.ring);
    dma.send = (struct kymo_dma_send){.bytes = dma.ring,
                                      .size = size,
                                      .piece = piece,
                                      .chip = &dma,
                                      .ended = ended,
                                      .start = start,
                                      .in = from,
                                      .out = from};
    kymo_dma_send_by_interrupt(&dma.send, by_interrupt);
}

void dma_played_fetch(uint32_t count) {
    for (; dma.running && count > 0u; count--) {
        assert_memory_equal(dma.piece, dma.copy, dma.count);
        assert_true(dma.arrived_count < DMA_PLAYED_MOST);
        dma.arrived[dma.arrived_count++] = dma.piece[dma.fetched++];
        if (dma.fetched == dma.count) {
            dma.running = false;
            dma.ended = true;
        }
    }
    if (dma.ended && dma.send.by_interrupt && !dma.masked) {
        assert_true(kymo_dma_send_next(&dma.send));
    }
}

uint32_t dma_played_write(uint32_t given, uint32_t count) {
    uint8_t bytes[DMA_PLAYED_MOST];
    assert_true(count <= sizeof bytes);
    for (uint32_t i = 0u; i < count; i++) {
        bytes[i] = (uint8_t)(given + i + 1u);
    }
    return (uint32_t)kymo_dma_send_write(&dma.send, bytes, count);
}

void dma_played_finish(uint32_t given) {
    dma.masked = false;
    dma.looked = NULL;
    dma.started = NULL;
    for (uint32_t turn = 0u; !kymo_dma_send_idle(&dma.send); turn++) {
        assert_true(turn < DMA_PLAYED_MOST);
        dma_played_fetch(DMA_PLAYED_MOST);
    }
    assert_false(dma.running);
    assert_int_equal(dma.arrived_count, given);
    for (uint32_t i = 0u; i < given; i++) {
        assert_int_equal(dma.arrived[i], (uint8_t)(i + 1u));
    }
}
