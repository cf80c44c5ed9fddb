/* SPDX-License-Identifier: MIT */
/* The events that speak of the firmware's code: call stacks, and functions that are zones by themselves. */
#include <errno.h>

#include "model/resolve.h"
#include "model/timeline_state.h"

void timeline_know(struct timeline *t, const struct symbols *symbols) { t->symbols = symbols; }

/* A mark, and behind it what the link register or the stack's top held where the code of the frame before it was
 * interrupted: a frame only if the code is known to have had none of its own. */
static void decide(struct callstack *stack) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stack->count; i++) {
        if (stack->address[i] != KYMO_STACK_HELD) {
            stack->address[kept++] = stack->address[i];
        } else if (i == 0 || !symbols_frameless(stack->symbols, stack->address[i - 1] - 1)) {
            i++;
        }
    }
    stack->count = kept;
}

int timeline_stack(struct timeline *t, struct lane *lane, const struct wire_event *wire) {
    t->counts.repairs += lane->has_stack;
    lane->has_stack = true;
    resolve_stack(&lane->stack, wire);
    lane->stack.symbols = t->symbols;
    decide(&lane->stack);
    return 0;
}

int timeline_function(struct timeline *t, struct track_state *state, const struct wire_event *wire,
                      int64_t time_ns, const struct callstack *stack) {
    const uint64_t high = wire->words > 0 ? wire->word[0] : 0;
    struct site *site =
        functions_site(&t->functions, t->names, t->symbols, wire->reference | high << 32);
    if (site == NULL) {
        return -ENOMEM;
    }
    if (kind_of(wire->kind)->role == KYMO_ROLE_CLOSES) {
        return zones_function_end(&t->zones, state, site, time_ns,
                                  wire->kind == KYMO_KIND_FUNCTION_LEFT ? ZONE_END_LEFT
                                                                        : ZONE_ENDED);
    }
    struct event event = {
        .kind = EVENT_ZONE_BEGIN, .time_ns = time_ns, .site = site, .stack = stack};
    return zones_function_begin(&t->zones, state, site, &event);
}
