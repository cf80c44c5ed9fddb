/* SPDX-License-Identifier: MIT */
/* The ring size that would have lost no event; each core has a ring of the same size. */
#ifndef HOSTLINK_RING_NEED_H
#define HOSTLINK_RING_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"

#define RING_NEED_CORES 64u

/* Losses between which the ring was not passed through once. */
struct ring_burst {
    uint64_t lost; /* events */
    int64_t from_ns, to_ns;
};

struct ring_need {
    uint32_t ring_bytes;           /* set by the caller, of each core */
    uint64_t events, record_bytes; /* that the ring held, of all cores */
    struct ring_need_core {
        uint64_t events, lost, since_bytes; /* since the last loss */
        int64_t first_ns, last_ns;
        struct ring_burst burst, longest; /* the present one, and the one that lost most */
    } cores[RING_NEED_CORES];
};

/* Takes any event; 0. */
int ring_need_event(void *need, const struct event *event);

struct ring_answer {
    bool is_lasting; /* it was full for most of the time: no ring is large enough */
    uint32_t
        bytes; /* else: the power of two that would do, 0: no losses, or no ring is that large */
    uint64_t lost; /* events of the burst, or in all */
    uint64_t burst_ns;
    double recorded, sent; /* events a second on the core concerned */
};
struct ring_answer ring_need_answer(const struct ring_need *need);

#endif
