/* Puts what the viewer wants in one order of time - memory of a pool, marks of a set of frames -
 * into that order, although the cores' events arrive in batches. Holds back at most
 * TRACY_ORDER_MAX. */
#ifndef HOSTLINK_TRACY_ORDER_H
#define HOSTLINK_TRACY_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

#define TRACY_ORDER_MAX 4096u
#define TRACY_CORES_MAX 64u /* cores beyond share the last place */

struct tracy_held {
    int64_t time_ns;
    uint64_t sequence; /* equal times stay as they came */
    enum event_kind kind;
    uint32_t thread;
    uint64_t key; /* of the pool or the set */
    uint64_t address, bytes;
};

/* All zero is ready for use. */
struct tracy_order {
    struct tracy_held heap[TRACY_ORDER_MAX];
    size_t count;
    uint64_t sequence;
    int64_t reached[TRACY_CORES_MAX]; /* + 1; 0 = the core has not been seen */
    uint32_t cores;                   /* places in use */
};

/* The core has come so far: what it sends later is not earlier. */
void tracy_order_reached(struct tracy_order *order, uint32_t core, int64_t time_ns);
/* "held->sequence" is set here. There must be room: take the first out before. */
void tracy_order_put(struct tracy_order *order, const struct tracy_held *held);
/* Takes the earliest out if nothing earlier can follow, or if the place is needed, or "all". */
bool tracy_order_take(struct tracy_order *order, bool all, struct tracy_held *held);
/* The cores begin anew: after a reset of the board. Nothing may be held. */
void tracy_order_restart(struct tracy_order *order);

#endif
