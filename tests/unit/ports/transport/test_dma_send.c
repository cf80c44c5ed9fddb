/* SPDX-License-Identifier: MIT */
/* Bytes on their way out by a DMA: all orders in which calls, fetched bytes and interrupts can come, for short
 * rings; and single things. */
#include <stdlib.h>

#include "cases.h"
#include "dma_played.h"

#define SIZE 8u
#define EVERYTHING 1000u

/* ---- all orders ---- */

/* The choice made at each place of a run. The next run differs in the last place where there is
 * another choice. */
#define PLACES_MOST 64u
static struct {
    uint8_t taken[PLACES_MOST], of[PLACES_MOST];
    unsigned place, known;
} way;

static unsigned choose(unsigned of) {
    assert_true(way.place < PLACES_MOST);
    if (way.place == way.known) {
        way.taken[way.known] = 0u;
        way.of[way.known++] = (uint8_t)of;
    }
    assert_int_equal(way.of[way.place], of);
    return way.taken[way.place++];
}

static bool next_way(void) {
    while (way.known > 0u && way.taken[way.known - 1u] + 1u == way.of[way.known - 1u]) {
        way.known--;
    }
    if (way.known == 0u) {
        return false;
    }
    way.taken[way.known - 1u]++;
    return true;
}

static void maybe_all_fetched(void) {
    if (dma.running && choose(2u) == 1u) {
        dma_played_fetch(EVERYTHING);
    }
}

/* Between two calls: nothing, a byte, or all. */
static void some_fetched(void) {
    static const uint32_t counts[] = {0u, 1u, EVERYTHING};
    if (dma.running) {
        dma_played_fetch(counts[choose(3u)]);
    }
}

static uint32_t any_call(uint32_t given) {
    static const uint32_t lengths[] = {1u, 3u, SIZE + 1u};
    const unsigned call = choose(4u);
    if (call == 3u) {
        (void)kymo_dma_send_idle(&dma.send);
        return 0u;
    }
    const bool empty = dma.send.in == dma.send.out;
    const uint32_t taken = dma_played_write(given, lengths[call]);
    assert_true(taken <= lengths[call]);
    if (empty) {
        assert_int_equal(taken, lengths[call] < SIZE ? lengths[call] : SIZE);
    }
    return taken;
}

static unsigned long all_orders(uint32_t piece, bool by_interrupt, unsigned calls) {
    unsigned long ways = 0u;
    way.known = 0u;
    do {
        uint32_t given = 0u;
        way.place = 0u;
        /* The counters pass 2^32 on the way. */
        dma_played_reset(SIZE, piece, 0xfffffffdu, by_interrupt);
        dma.looked = maybe_all_fetched;
        dma.started = maybe_all_fetched;
        for (unsigned i = 0u; i < calls; i++) {
            given += any_call(given);
            some_fetched();
        }
        dma_played_finish(given);
        ways++;
    } while (next_way());
    return ways;
}

CASE(every_order_polled) {
    assert_true(all_orders(SIZE, false, 5u) > 5000u);
    assert_true(all_orders(3u, false, 4u) > 5000u);
}

CASE(every_order_by_interrupt) {
    assert_true(all_orders(SIZE, true, 5u) > 5000u);
    assert_true(all_orders(3u, true, 4u) > 5000u);
}

/* ---- single things ---- */

/* While one piece goes out the next one is filled, and goes as one. */
CASE(fills_one_piece_while_another_goes) {
    dma_played_reset(16u, 16u, 0u, false);
    assert_int_equal(dma_played_write(0u, 2u), 2u);
    assert_int_equal(dma_played_write(2u, 3u), 3u);
    assert_int_equal(dma_played_write(5u, 4u), 4u);
    assert_int_equal(dma.pieces, 1u);
    dma_played_fetch(EVERYTHING);
    assert_false(kymo_dma_send_idle(&dma.send));
    assert_int_equal(dma.pieces, 2u);
    assert_int_equal(dma.count, 7u);
    dma_played_finish(9u);
}

/* By interrupt the line stays busy without any call. */
CASE(the_interrupt_starts_the_next_piece) {
    dma_played_reset(16u, 4u, 0u, true);
    assert_int_equal(dma_played_write(0u, 14u), 14u);
    dma_played_fetch(4u);
    dma_played_fetch(4u);
    dma_played_fetch(4u);
    dma_played_fetch(2u);
    assert_int_equal(dma.arrived_count, 14u);
    assert_int_equal(dma.pieces, 4u);
    dma_played_finish(14u);
}

/* Another device's interrupt, while the DMA stands still or has not done yet, changes nothing. */
CASE(a_stray_interrupt_starts_nothing) {
    dma_played_reset(16u, 16u, 0u, true);
    assert_false(kymo_dma_send_next(&dma.send));
    assert_int_equal(dma_played_write(0u, 5u), 5u);
    assert_false(kymo_dma_send_next(&dma.send));
    assert_int_equal(dma.pieces, 1u);
    dma_played_finish(5u);
}

/* A write during a transfer may end either way. */
CASE(the_mode_changes_on_the_way) {
    dma_played_reset(16u, 4u, 0u, false);
    assert_int_equal(dma_played_write(0u, 10u), 10u);
    kymo_dma_send_by_interrupt(&dma.send, true);
    dma_played_fetch(4u);
    assert_int_equal(dma.pieces, 2u);
    kymo_dma_send_by_interrupt(&dma.send, false);
    dma_played_fetch(4u);
    assert_int_equal(dma.pieces, 2u);
    dma_played_finish(10u);
}

CASE(nothing_is_not_sent) {
    dma_played_reset(16u, 16u, 0u, false);
    assert_int_equal(dma_played_write(0u, 0u), 0u);
    assert_int_equal(dma.pieces, 0u);
    assert_true(kymo_dma_send_idle(&dma.send));
    assert_int_equal(dma_played_write(0u, 16u), 16u);
    assert_int_equal(dma_played_write(16u, 1u), 0u);
    dma_played_finish(16u);
}
