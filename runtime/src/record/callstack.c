/* SPDX-License-Identifier: MIT */
/* Call stacks: walked before the event has its place in the ring, with interrupts let in, and recorded with it in one
 * step. */
#include "../ring/callstack.h"

#include "../ring/check.h"

#if KYMO_ENABLE && KYMO_CALLSTACKS

bool kymo_callstack_record(const struct kymo_callstack *stack, const struct kymo_long *event) {
    const struct kymo_long prefix = kymo_callstack_prefix(stack);
    if (stack->count != 0u) {
        return kymo_ring_long_with(&prefix, event);
    }
    return kymo_ring_long(event->kind, event->reference, event->words, event->count);
}

#if KYMO_TAKES_STACKS

#if KYMO_COMMANDS
/* The host may want fewer frames, or none. */
KYMO_PARAM(depth_limit, "kymo.callstacks", KYMO_CALLSTACKS, 0, KYMO_CALLSTACKS);
#define DEPTH_LIMIT ((uint32_t)KYMO_PARAM_GET(depth_limit))
#else
#define DEPTH_LIMIT ((uint32_t)KYMO_CALLSTACKS)
#endif

/* Functions of kymo between the walk and the firmware: kymo_callstack_take() and the one that the firmware called. */
#define OWN_FRAMES 2u

_Static_assert(KYMO_KEEP_NEWEST || KYMO_RING_BYTES >= 8u * (KYMO_STACK_WORDS + KYMO_PAYLOAD_WORDS),
               "KYMO_RING_BYTES is too small for KYMO_CALLSTACKS");

#if KYMO_SAMPLE_HZ_MAX
uint32_t kymo_callstack_depth(void) { return DEPTH_LIMIT; }
#endif

__attribute__((noinline)) void kymo_callstack_take(struct kymo_callstack *stack, uint32_t depth) {
    uintptr_t address[KYMO_CALLSTACKS];
    const uint32_t limit = DEPTH_LIMIT;
    const uint32_t wanted = depth < limit ? depth : limit;
    uint32_t frames = 0u;
    KYMO_OWN_FRAME();
    if (wanted != 0u && !KYMO_LOAD(kymo_stopped)) {
        frames = kymo_arch_unwind(address, wanted, OWN_FRAMES, 0u);
    }
    stack->count = kymo_callstack_put(stack->word, address, frames);
}

KYMO_STACK_ENTRY kymo_zone kymo_zone_begin_stack(const struct kymo_site *site, uint32_t depth) {
    return kymo_callstack_begin(site, depth);
}

#else

/* The port cannot walk a stack. */
kymo_zone kymo_zone_begin_stack(const struct kymo_site *site, uint32_t depth) {
    (void)depth;
    return kymo_zone_begin(site);
}

#endif

#endif
