/* SPDX-License-Identifier: MIT */
/* An event as a packet has it, before names and contexts. */
#ifndef HOSTLINK_WIRE_EVENT_H
#define HOSTLINK_WIRE_EVENT_H

#include <stdint.h>

#define WIRE_WORDS 255u

struct wire_event {
    uint8_t kind;
    uint32_t reference;
    uint64_t ticks;
    uint32_t words;
    uint32_t word[WIRE_WORDS];
};

#endif
