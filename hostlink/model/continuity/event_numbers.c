/* SPDX-License-Identifier: MIT */
#include "model/continuity/event_numbers.h"

/* Most events between two ticks of the slowest clock in use, 32 768 Hz: a core of 4 GHz that records one every 8
 * cycles, faster than any real core. */
#define EVENTS_PER_TICK UINT64_C(16384)
/* Margin within a tick, and for inexact clocks of ports. */
#define EVENTS_AT_ONCE UINT64_C(65536)
/* The largest leap that is accepted from one packet at any time: a million events a second for twelve days. */
#define LEAP_MAX (UINT64_C(1) << 40)
/* Numbers of events end here, so that sums cannot overflow. */
#define NUMBER_MAX (UINT64_C(1) << 56)

static bool fits_time(uint64_t missing, uint64_t from_ticks, uint64_t ticks) {
    uint64_t elapsed = ticks > from_ticks ? ticks - from_ticks : 0;
    return missing <= EVENTS_AT_ONCE || (missing - EVENTS_AT_ONCE) / EVENTS_PER_TICK <= elapsed;
}

static bool follows_refused(const struct event_numbers *c, uint64_t first, uint64_t ticks) {
    return c->refused && first >= c->refused_next && first < NUMBER_MAX &&
           first - c->refused_next <= LEAP_MAX &&
           fits_time(first - c->refused_next, c->refused_ticks, ticks);
}

enum event_number event_numbers_judge(const struct event_numbers *c, uint64_t next, uint64_t first,
                                      uint64_t ticks) {
    if (first < next) {
        bool back = c->leap > EVENTS_AT_ONCE && c->before != 0 && first == c->before;
        return back ? NUMBER_TAKES_BACK : NUMBER_BEHIND;
    }
    if (first < NUMBER_MAX && first - next <= LEAP_MAX &&
        fits_time(first - next, c->ticks, ticks)) {
        return NUMBER_FITS;
    }
    return follows_refused(c, first, ticks) ? NUMBER_CONFIRMED : NUMBER_INCREDIBLE;
}

void event_numbers_refuse(struct event_numbers *c, uint64_t first, uint64_t count, uint64_t ticks) {
    c->refused = true;
    c->refused_next = first < NUMBER_MAX ? first + count : UINT64_MAX;
    c->refused_ticks = ticks;
    c->refused_events = count;
}

uint64_t event_numbers_accept(struct event_numbers *c, uint64_t next, uint64_t first,
                              uint64_t ticks, uint64_t *taken_back) {
    const enum event_number verdict = event_numbers_judge(c, next, first, ticks);
    uint64_t missing = verdict == NUMBER_TAKES_BACK ? 0 : first - next;
    if (verdict == NUMBER_CONFIRMED && !fits_time(missing, c->ticks, ticks)) {
        missing = c->refused_events;
    }
    *taken_back = verdict == NUMBER_TAKES_BACK ? c->leap : 0;
    c->refused = false;
    c->before = next;
    c->leap = verdict == NUMBER_TAKES_BACK ? 0 : missing;
    event_numbers_reached(c, ticks);
    return missing;
}
