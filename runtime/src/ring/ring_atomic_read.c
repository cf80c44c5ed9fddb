/* SPDX-License-Identifier: MIT */
/* The consumer of the ring that ring_atomic.c writes. */
#include "ring_read.h"

#if KYMO_ENABLE && KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    return (__atomic_load_n(&lane->head, __ATOMIC_RELAXED) - lane->tail) * 4u;
}

#ifdef KYMO_ARCH_RING_PIECE
/* All of it was read. The producer gets the room after that, so it cannot write there meanwhile. */
void kymo_ring_free_piece(struct kymo_lane *lane) {
    kymo_arch_give_back(kymo_ring_at(lane, lane->freed), KYMO_ARCH_RING_PIECE);
    KYMO_PUBLISH(lane->freed, lane->freed + KYMO_ARCH_RING_PIECE / 4u);
}
#endif

/* The thread that wrote all up to lane->left is over. Looked at often, so that the indices stay comparable. */
static bool is_left(struct kymo_lane *lane) {
    uint32_t left = KYMO_ACQUIRE(lane->left);
    if (left != 0u && (int32_t)(left - lane->tail) <= 1) {
        (void)__atomic_compare_exchange_n(&lane->left, &left, 0u, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
        left = 0u;
    }
    return left != 0u;
}

/* Up to the next record that was begun, within "bytes". Nothing in a place is written before its header is. The loss is
 * reported as if the ring had refused the event. */
static void pass_over_untouched(struct kymo_lane *lane, uint32_t bytes) {
    if (KYMO_LOAD(lane->lost) == 0u) {
        KYMO_STORE(lane->lost_since, (uint32_t)kymo_arch_clock());
    }
    (void)__atomic_fetch_add(&lane->lost, 1u, __ATOMIC_RELAXED);
    kymo_ring_attention(lane);
    for (; bytes != 0u && KYMO_LOAD(*kymo_ring_at(lane, lane->tail)) == 0u;
         bytes -= KYMO_CELL_BYTES) {
        kymo_ring_consume(lane, KYMO_CELL_WORDS);
    }
}

/* It becomes a loss of the event that it was to be. It may have no time yet. */
static void make_loss(struct kymo_lane *lane, uint32_t header) {
    *kymo_ring_at(lane, lane->tail + 1u) = (uint32_t)lane->time;
    *kymo_ring_at(lane, lane->tail + 2u) = KYMO_FILLING_EVENTS(header);
    *kymo_ring_at(lane, lane->tail + 3u) = 0u;
    KYMO_PUBLISH(*kymo_ring_at(lane, lane->tail),
                 KYMO_LONG(KYMO_KIND_LOSS, 2u, KYMO_LONG_CELLS(header)));
}

/* A place without a header does not say whose it is. */
bool kymo_ring_pass(struct kymo_lane *lane, bool is_over) {
    uint32_t header = 0u;
    const bool left = is_left(lane);
    if ((!is_over && !left) || kymo_ring_used_bytes(lane) == 0u ||
        kymo_ring_peek(lane, &header) != 0u) {
        return false;
    }
    if (header != 0u) {
        make_loss(lane, header);
    } else if (left) {
        pass_over_untouched(lane, (lane->left - 1u - lane->tail) * 4u);
    }
    return header != 0u || left;
}

void kymo_ring_abandon(struct kymo_lane *lane) {
    uint32_t header = 0u;
    if (kymo_ring_used_bytes(lane) == 0u || kymo_ring_peek(lane, &header) != 0u) {
        return;
    }
    KYMO_STORE(lane->closed, true);
    if (header == 0u) {
        pass_over_untouched(lane, kymo_ring_used_bytes(lane));
    } else {
        make_loss(lane, header);
    }
}

#endif
