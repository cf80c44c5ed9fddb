/* SPDX-License-Identifier: MIT */
/* A wire between the stack and an interface of the kernel that loses frames, delays them, swaps
 * them and delivers them twice, as a generator with a seed wants it. */
#ifndef BAD_WIRE_H
#define BAD_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "net_link.h"

#define BAD_WIRE_FRAMES 512u

struct bad_wire_quality {
    uint32_t lost_permille;
    uint32_t twice_permille;
    uint32_t
        late_permille; /* frames that "late_ms" come on top for, so that others overtake them */
    uint32_t delay_ms;
    uint32_t late_ms;
    uint32_t damaged_permille; /* a bit flipped */
};

struct bad_wire_frame {
    uint64_t due_ms;
    uint64_t number;
    uint32_t length; /* 0: free */
    uint8_t bytes[KYMO_NET_FRAME_BYTES];
};

struct bad_wire_way {
    struct bad_wire_frame frames[BAD_WIRE_FRAMES];
    uint64_t count;
};

struct bad_wire {
    struct kymo_net_link link;
    int file; /* of the interface */
    struct bad_wire_quality quality;
    uint64_t random;
    bool cut;          /* nothing arrives at either end */
    uint16_t cut_port; /* segments of this port of the kernel do not */
    struct bad_wire_way to_stack, to_kernel;
    struct bad_wire_frame *received;
    uint8_t claimed[KYMO_NET_FRAME_BYTES];
};

void bad_wire_init(struct bad_wire *wire, int file, uint64_t seed);

/* Carries the kernel's bytes, and those that are due, to both ends. */
void bad_wire_poll(struct bad_wire *wire);

/* Milliseconds of the clock that delays, and the stack's own timers, are counted by. It is the machine's, but
 * from one look at it to the next only a little passes: a program that was not scheduled for a while finds its
 * frames late, and not its timers run out. */
uint64_t bad_wire_now_ms(void);

#endif
