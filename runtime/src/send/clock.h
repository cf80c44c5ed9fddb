/* SPDX-License-Identifier: MIT */
/* Changes of the clock that the firmware reports. Private to the runtime. */
#ifndef KYMO_CLOCK_H
#define KYMO_CLOCK_H

#include "kymo/arch.h"
#include "kymo/kymo.h"

#if KYMO_CLOCK_CHANGES

/* The clock since the last change. */
struct kymo_clock_state {
    uint64_t hz;      /* 0: nobody knows */
    uint64_t slept;   /* ticks of the slow clock in which this one stood still, in all */
    uint64_t at;      /* this clock, at the change */
    uint32_t slow_hz; /* 0: it never slept */
};

/* All zero is the start. */
struct kymo_clock {
    struct kymo_clock_state state;
    uint32_t number;   /* two for each change; odd: one is being made */
    uint32_t recorded; /* of the last change whose record a ring took */
};
extern struct kymo_clock kymo_clock;

#endif

#endif
