/* SPDX-License-Identifier: MIT */
/* How many events a lane says to have recorded, against what it can have. A packet whose CRC is right may still have a
 * wrong number: the board's memory was overwritten, or it is no board. One packet alone is believed only what fits the
 * time that has passed; two that agree are followed, without counting as lost what cannot have been. */
#ifndef HOSTLINK_CLAIMS_H
#define HOSTLINK_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero is the start of a session. */
struct claims {
    uint64_t ticks; /* of the latest event */
    /* The last packet that was refused: what would follow it. */
    bool refused;
    uint64_t refused_next, refused_ticks, refused_events;
    /* The last large leap that was believed: where the lane stood before, and what was counted. */
    uint64_t before, leap; /* before 0: it is the first packet, which has nothing to go back to */
};

enum claim {
    CLAIM_HELD,       /* fits the time that has passed */
    CLAIM_JUMPS,      /* does not, but agrees with the packet before, which was refused */
    CLAIM_TAKEN_BACK, /* goes on where the lane stood before a large leap: that was wrong */
    CLAIM_BEHIND,     /* was there before */
    CLAIM_TOO_MUCH    /* to be refused */
};

/* "next": the number of the event that the lane is expected to go on with; "first", "ticks": what a packet says. */
enum claim claims_judge(const struct claims *claims, uint64_t next, uint64_t first, uint64_t ticks);
/* For CLAIM_TOO_MUCH: the packet, with "count" events, is left out. */
void claims_refuse(struct claims *claims, uint64_t first, uint64_t count, uint64_t ticks);
/* For the first three: how many events are missing before "first", and how many that were counted before are not. */
uint64_t claims_accept(struct claims *claims, uint64_t next, uint64_t first, uint64_t ticks,
                       uint64_t *taken_back);
/* The lane's events have come so far. */
static inline void claims_reached(struct claims *claims, uint64_t ticks) {
    claims->ticks = ticks > claims->ticks ? ticks : claims->ticks;
}

#endif
