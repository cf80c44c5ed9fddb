/* SPDX-License-Identifier: MIT */
#include "model/interrupts.h"

#include "kymo/wire.h"

/* A site of an interrupt, as far as its name has come. */
static bool is_interrupt(struct names *names, const struct track_state *state) {
    const struct site *site = (state->reference & 1u) != 0
                                  ? NULL
                                  : names_site(names, state->track->session, state->reference / 2);
    return site != NULL && site->known && site->detail == KYMO_CONTEXT_INTERRUPT;
}

/* An interrupt that the lane came from has returned, unless "next" is one that interrupts it. */
int interrupts_follow(struct interrupts *interrupts, struct zones *zones, struct names *names,
                      struct track_state *next, int64_t time_ns) {
    bool interrupt = is_interrupt(names, next);
    uint32_t left = 0;
    int result = 0;
    for (uint32_t i = 0; interrupt && i < interrupts->count; i++) {
        left = interrupts->running[i] == next ? i + 1 : left;
    }
    bool enters = interrupt && left == 0;
    while (!enters && interrupts->count > left && result == 0) {
        result = zones_return(zones, interrupts->running[--interrupts->count], time_ns);
    }
    if (enters && interrupts->count < INTERRUPTS_MAX) {
        interrupts->running[interrupts->count++] = next;
    }
    return result;
}

int interrupts_end(struct interrupts *interrupts, struct zones *zones, int64_t time_ns) {
    int result = 0;
    while (interrupts->count != 0 && result == 0) {
        result = zones_not_left(zones, interrupts->running[--interrupts->count], time_ns);
    }
    return result;
}
