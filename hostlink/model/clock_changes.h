/* SPDX-License-Identifier: MIT */
/* Reports of the firmware about the clock of its events: another rate, or that it stood still. */
#ifndef HOSTLINK_CLOCK_CHANGES_H
#define HOSTLINK_CLOCK_CHANGES_H

#include "clock/clockfit.h"
#include "wire/decode.h"

/* State in this session; all zero is the start. */
struct clock_changes {
    bool seen;
    bool stated;     /* nothing was seen yet, but the board has reported the number */
    uint32_t number; /* of the last one */
    uint64_t slept;  /* ticks of the slow clock, in all */
};

enum clock_change { CLOCK_CHANGES, CLOCK_SAID_BEFORE, CLOCK_OF_ANOTHER_DOMAIN };

/* A CLOCK event: applies the changes to "clock". */
enum clock_change clock_changes_event(struct clock_changes *changes, struct clockfit *clock,
                                      const struct wire_event *wire);
/* The board reports the state of its clock: counts if no CLOCK event came before. */
void clock_changes_state(struct clock_changes *changes, uint32_t number, uint64_t slept);

#endif
