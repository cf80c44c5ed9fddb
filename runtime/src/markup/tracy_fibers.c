/* SPDX-License-Identifier: MIT */
/* Tracy's fibers: tasks of kymo, known by the address of their name. */
#include "kymo/tracy.h"

#include "../ring/claim.h"
#include "../ring/lane.h"

#if KYMO_ENABLE && KYMO_TRACY

/* Their addresses are their contexts. The last one represents all that find no room. */
static struct fiber {
    const char *name;
    uint32_t complete;
} __attribute__((aligned(8))) fibers[KYMO_TRACY_FIBERS + 1];
static uint32_t fibers_taken;

/* For each lane that has entered a fiber: the context before it, and the fiber. */
static struct { kymo_context before, fiber; } fiber_lanes[KYMO_LANES_ALL];

static struct fiber *fiber_found(const char *name) {
    for (uint32_t i = 0u; i < KYMO_TRACY_FIBERS; i++) {
        if (KYMO_ACQUIRE(fibers[i].complete) != 0u && fibers[i].name == name) {
            return &fibers[i];
        }
    }
    return NULL;
}

/* Two that make the same one at the same time make two. */
static struct fiber *fiber_made(const char *name) {
    const uint32_t place = KYMO_LOAD(fibers_taken) < KYMO_TRACY_FIBERS
                               ? kymo_claim_add(&fibers_taken, 1u)
                               : KYMO_TRACY_FIBERS;
    if (place >= KYMO_TRACY_FIBERS) {
        if (kymo_claim(&fibers[KYMO_TRACY_FIBERS].complete, 0u, 1u)) {
            kymo_context_name((kymo_context)&fibers[KYMO_TRACY_FIBERS], KYMO_CONTEXT_FIBER,
                              "fibers beyond the last place");
        }
        kymo_tracy_misused(KYMO_TRACY_FIBERS_FULL);
        return &fibers[KYMO_TRACY_FIBERS];
    }
    fibers[place].name = name;
    KYMO_PUBLISH(fibers[place].complete, 1u);
    kymo_context_name((kymo_context)&fibers[place], KYMO_CONTEXT_FIBER, name);
    return &fibers[place];
}

void kymo_tracy_fiber_enter(const char *name) {
    const unsigned lane = (unsigned)(kymo_lane_here() - kymo_lanes);
    if (name == NULL) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
        name = "(null)";
    }
    struct fiber *fiber = fiber_found(name);
    fiber = fiber != NULL ? fiber : fiber_made(name);
    const kymo_context before = kymo_context_switch((kymo_context)fiber);
    if (before != fiber_lanes[lane].fiber || before == 0u) {
        fiber_lanes[lane].before = before;
    }
    fiber_lanes[lane].fiber = (kymo_context)fiber;
}

void kymo_tracy_fiber_leave(void) {
    const unsigned lane = (unsigned)(kymo_lane_here() - kymo_lanes);
    if (fiber_lanes[lane].fiber == 0u || fiber_lanes[lane].fiber != kymo_lanes[lane].context) {
        kymo_tracy_misused(KYMO_TRACY_FIBER_NOT_ENTERED);
        return;
    }
    fiber_lanes[lane].fiber = 0u;
    (void)kymo_context_switch(fiber_lanes[lane].before);
}

#endif
