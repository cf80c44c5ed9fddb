/* SPDX-License-Identifier: MIT */
#include "dma_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define STREAM_BYTES 1000u
#define STREAMS 200u

struct dma_line dma;

static uint32_t random_below(uint32_t limit) {
    dma.random = dma.random * 1664525u + 1013904223u;
    return (dma.random >> 16) % limit;
}

static void feed(void) {
    if (dma.feeding) {
        return;
    }
    dma.feeding = true;
    while (dma.running && dma.line.count < dma.line.depth) {
        uart_line_put(&dma.line, *dma.at++);
        if (--dma.left == 0u) {
            dma.running = false;
            dma.ended();
        }
    }
    dma.feeding = false;
}

void dma_line_reset(unsigned depth, const uint8_t *ring, uint32_t ring_bytes, void (*ended)(void)) {
    memset(&dma, 0, sizeof dma);
    dma.line.depth = depth;
    dma.line.moved = feed;
    dma.ring = ring;
    dma.ring_bytes = ring_bytes;
    dma.ended = ended;
}

void dma_line_start(uint32_t address, uint32_t count) {
    const uint32_t offset = address - (uint32_t)(uintptr_t)dma.ring;
    assert_false(dma.running);
    assert_true(count > 0u && count <= dma.ring_bytes && offset <= dma.ring_bytes - count);
    dma.at = dma.ring + offset;
    dma.left = count;
    dma.running = true;
    dma.pieces++;
    feed();
}

uint32_t dma_line_stop(void) {
    const uint32_t left = dma.left;
    assert_true(dma.running);
    dma.running = false;
    dma.left = 0u;
    return left;
}

static void preempt(void) {
    if (dma.handling || dma.interrupts == NULL) {
        return;
    }
    dma.handling = true;
    for (unsigned turn = 0u; dma.interrupts(); turn++) {
        assert_true(turn < 100u); /* it is acknowledged, so it ends */
        (void)dma.cause();
    }
    dma.handling = false;
}

void dma_line_access(bool writing) {
    dma.accesses++;
    dma.writes += writing ? 1u : 0u;
    if (dma.random != 0u && random_below(3u) == 0u) {
        uart_line_sends(&dma.line, random_below(dma.line.depth + 20u));
        preempt();
    }
}

static void one_stream(bool (*idle)(void)) {
    uint8_t bytes[STREAM_BYTES];
    size_t given = 0;
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
    for (unsigned turn = 0; given < sizeof bytes || !idle(); turn++) {
        assert_true(turn < 100u * sizeof bytes);
        const size_t left = sizeof bytes - given;
        const size_t wanted = random_below(2u * dma.ring_bytes);
        given += uart_line_write(&dma.line, bytes + given, wanted < left ? wanted : left);
        uart_line_sends(&dma.line, random_below(4u) == 0u ? random_below(100u) : 0u);
        preempt();
    }
    uart_line_has_sent(&dma.line, bytes, sizeof bytes);
}

static void keeps_every_byte(const struct uart_contract *contract, bool by_interrupt) {
    for (uint32_t stream = 1; stream <= STREAMS; stream++) {
        assert_int_equal(contract->set_up(NULL), 0);
        if (by_interrupt) {
            contract->choose(contract->on_transmit);
            dma.interrupts = contract->interrupts;
            dma.cause = contract->cause;
        }
        dma.random = stream;
        one_stream(contract->idle);
        assert_true(dma.pieces > 5u);
    }
}

void dma_keeps_every_byte(void **state) {
    keeps_every_byte(*state, false);
    keeps_every_byte(*state, true);
}

void dma_is_left_alone_by_a_receive_interrupt(void **state) {
    const struct uart_contract *contract = *state;
    const uint8_t bytes[40] = {0};
    const unsigned more_than_the_fifo = dma.line.depth + 4u;
    contract->choose(contract->on_receive);
    assert_int_equal(uart_line_write(&dma.line, bytes, more_than_the_fifo), more_than_the_fifo);
    assert_int_equal(uart_line_write(&dma.line, bytes, 4), 4);
    uart_line_sends(&dma.line, more_than_the_fifo);
    assert_int_equal(contract->cause(), 0);
    assert_int_equal(dma.pieces, 1);
    assert_false(contract->idle());
    assert_int_equal(dma.pieces, 2);
}
