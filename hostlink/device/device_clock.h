/* SPDX-License-Identifier: MIT */
/* The clock of a device against the clock of the board's events; records have its low 32 bits. Only bounds are known:
 * a record that a packet brings was stored between two looks at its block, and a pair of clocks was read between two
 * times. A line through them gives the time, and half their distance its error. The device reads its clock
 * before it stores the record and after it stored the previous one. A device that stalls between reading and storing
 * has read its clock before the earlier look. */
#ifndef HOSTLINK_DEVICE_CLOCK_H
#define HOSTLINK_DEVICE_CLOCK_H

#include "clock/host_fit.h"

/* Most restarts of a clock; after that its times are as if it went on. */
#define DEVICE_CLOCK_STARTS_MAX 1024u

/* The board's ticks between which something was. */
struct device_span {
    uint64_t since, now;
};

/* Bounds of the distance board - device, so far. */
struct device_bounds {
    bool has_least, has_most;
    int64_t least, least_at, most, most_at;
};

/* All zero but the rates is the start. */
struct device_clock {
    uint64_t hz;             /* 0: it is the clock of the events */
    uint64_t board_hz;       /* of that */
    bool late;               /* its records describe the time before they were written */
    bool begun, by_pair;     /* by a pair of clocks, before any record */
    uint64_t ticks;          /* of the latest record */
    struct device_span span; /* when that was stored */
    uint64_t since;          /* its clock was not read before, by the records before */
    uint32_t starts;         /* it started again so often */
    struct device_bounds bounds;
    struct host_fit learnt;
    const struct host_fit *known; /* by an earlier pass, or NULL */
};

enum device_tick {
    DEVICE_TICK_FITS,
    DEVICE_TICK_UNSURE, /* so long was it not looked at that the clock may have wrapped more than once */
    DEVICE_TICK_BACK, /* it is earlier than the record before */
    DEVICE_TICK_ANEW  /* the clock was set back: it started again */
};

/* The next record of the device, in clock->ticks. */
enum device_tick device_clock_next(struct device_clock *clock, uint32_t low,
                                   const struct device_span *span);
/* The ticks near the latest record that have these low bits: of a time before it. */
uint64_t device_clock_near(const struct device_clock *clock, uint32_t low);
/* The latest record was stored in this span; a pair of clocks was read in it. 0 or -ENOMEM. */
int device_clock_bound(struct device_clock *clock, const struct device_span *span);
int device_clock_pair(struct device_clock *clock, uint32_t low, const struct device_span *span);
/* The device has started again: its clock may have. */
void device_clock_restart(struct device_clock *clock);
/* The board's ticks of the latest record; *bound_ns: of their error. */
uint64_t device_clock_board(const struct device_clock *clock, int64_t *bound_ns);
/* The same of ticks of the device's near that. */
uint64_t device_clock_board_at(const struct device_clock *clock, uint64_t ticks, int64_t *bound_ns);

#endif
