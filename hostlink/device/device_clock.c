/* SPDX-License-Identifier: MIT */
#include "device/device_clock.h"

#include <stddef.h>

#define NS_PER_S 1000000000u
/* A device's rate may be off by this part of it, when the wrap of a record's clock is determined. */
#define RATE_PART 16
#define WRAP (INT64_C(1) << 32)
/* No clock comes that far. */
#define TICKS_MAX (UINT64_C(1) << 60)

__extension__ typedef __int128 wide;

static int64_t capped(uint64_t ticks) { return (int64_t)(ticks < TICKS_MAX ? ticks : TICKS_MAX); }

static int64_t ns_of(uint64_t ticks, uint64_t hz) {
    const wide ns = (wide)capped(ticks) * NS_PER_S / (wide)hz;
    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8;
}

/* The device's ticks in so many of the board. */
static int64_t ticks_in(const struct device_clock *c, int64_t board) {
    const uint64_t hz = c->hz != 0 ? c->hz : c->board_hz;
    const wide ticks = (wide)board * (wide)hz / (wide)c->board_hz;
    const wide most = INT64_MAX / 8;
    return (int64_t)(ticks > most ? most : ticks < -most ? -most : ticks);
}

static int64_t later_by(int64_t ticks) {
    return ticks + (ticks < 0 ? -ticks : ticks) / RATE_PART + 1;
}
static int64_t sooner_by(int64_t ticks) {
    return ticks - (ticks < 0 ? -ticks : ticks) / RATE_PART - 1;
}

static void begin_anew(struct device_clock *c, uint64_t ticks) {
    c->starts += c->starts < DEVICE_CLOCK_STARTS_MAX ? 1 : 0;
    c->bounds = (struct device_bounds){0};
    c->ticks = ticks;
}

static void remember(struct device_clock *c, const struct device_span *span) {
    const bool is_same = c->span.now == span->now && c->span.since == span->since;
    c->since = c->begun && !is_same ? c->span.since : span->since;
    c->begun = true;
    c->span = *span;
}

/* The clock of the events: the first tick of these low bits that is not before the record before, up to now. */
static void begin_at(struct device_clock *c, uint32_t low, const struct device_span *span) {
    const uint64_t now = span->now;
    const uint64_t behind = (uint32_t)((uint32_t)now - low);
    c->ticks = c->hz != 0 ? low : now >= behind ? now - behind : low;
    remember(c, span);
}

uint64_t device_clock_near(const struct device_clock *c, uint32_t low) {
    const int64_t ticks = capped(c->ticks) + (int32_t)(low - (uint32_t)c->ticks);
    return ticks > 0 ? (uint64_t)ticks : 0;
}

/* An engine that reports afterwards: its time is the one nearest to its expected clock, however long ago. A time that
 * is a second or more before everything it reported since the last look is of a clock that was set back. */
static enum device_tick late_tick(struct device_clock *c, uint32_t low,
                                  const struct device_span *span) {
    const int64_t passed = ticks_in(c, capped(span->now) - capped(c->span.now));
    const int64_t near = capped(c->ticks) + passed;
    const int64_t step = near + (int32_t)(low - (uint32_t)near) - capped(c->ticks);
    const int64_t least = -later_by(ticks_in(c, capped(span->now) - capped(c->span.since))) -
                          ticks_in(c, capped(c->board_hz));
    const bool is_anew = step < least || capped(c->ticks) + step < 0;
    if (is_anew && c->hz != 0) {
        begin_anew(c, low);
    } else if (is_anew) {
        begin_at(c, low, span);
    } else {
        c->ticks += (uint64_t)step;
    }
    remember(c, span);
    return is_anew ? DEVICE_TICK_ANEW : step < 0 ? DEVICE_TICK_BACK : DEVICE_TICK_FITS;
}

static enum device_tick next_tick(struct device_clock *c, uint32_t low,
                                  const struct device_span *span) {
    /* How far it may be from the previous record: this one was stored between the two times of
     * "span", that one between c->span's. */
    const int64_t most = later_by(ticks_in(c, capped(span->now) - capped(c->span.since)));
    const int64_t least = sooner_by(ticks_in(c, capped(span->since) - capped(c->span.now)));
    int64_t step = (int64_t)(uint32_t)(low - (uint32_t)c->ticks);
    if (step < least) {
        step += (least - step + WRAP - 1) / WRAP * WRAP;
    }
    if (step > most && step >= WRAP) {
        step -= WRAP; /* it was stored long after the clock was read */
    }
    enum device_tick tick = step + WRAP <= most ? DEVICE_TICK_UNSURE : DEVICE_TICK_FITS;
    if (step > most && step > later_by(ticks_in(c, capped(span->now) - capped(c->since)))) {
        const int64_t back = (int64_t)(uint32_t)(low - (uint32_t)c->ticks) - WRAP;
        tick = back >= least && c->ticks >= (uint64_t)-back ? DEVICE_TICK_BACK : DEVICE_TICK_ANEW;
        step = back;
    }
    if (tick == DEVICE_TICK_ANEW && c->hz != 0) {
        begin_anew(c, low);
    } else if (tick == DEVICE_TICK_ANEW) {
        begin_at(c, low, span);
    } else {
        c->ticks += (uint64_t)step;
    }
    remember(c, span);
    return tick;
}

enum device_tick device_clock_next(struct device_clock *c, uint32_t low,
                                   const struct device_span *span) {
    if (!c->begun) {
        begin_at(c, low, span);
        return DEVICE_TICK_FITS;
    }
    if (c->by_pair) { /* on either side of the pair */
        c->by_pair = false;
        c->ticks += (uint64_t)(int64_t)(int32_t)(low - (uint32_t)c->ticks);
        c->begun = false; /* by a record */
        remember(c, span);
        return DEVICE_TICK_FITS;
    }
    if (c->late) {
        return late_tick(c, low, span);
    }
    return next_tick(c, low, span);
}

void device_clock_restart(struct device_clock *c) {
    if (c->begun && c->hz != 0) {
        begin_anew(c, 0);
    }
    c->begun = c->by_pair = false;
}

/* ---- bounds ---- */

static int64_t drift(int64_t ns, int64_t since) {
    const int64_t apart = ns < since ? since - ns : ns - since;
    return apart / 1000000 * HOST_FIT_PPM + HOST_FIT_PPM;
}

static void narrow(struct device_bounds *b, const struct host_mark *mark) {
    const int64_t at = mark->board_ns, apart = mark->host_ns - at;
    if (mark->asked && (!b->has_least || apart >= b->least - drift(at, b->least_at))) {
        b->has_least = true;
        b->least = apart;
        b->least_at = at;
    }
    if (!mark->asked && (!b->has_most || apart <= b->most + drift(at, b->most_at))) {
        b->has_most = true;
        b->most = apart;
        b->most_at = at;
    }
}

/* A clock that shows n is between n and n + 1; the clock that was read later may be up to n + 1. */
static int take_mark(struct device_clock *c, uint64_t ticks, uint64_t board, bool asked) {
    const struct host_mark mark = {.session = c->starts,
                                   .asked = asked,
                                   .board_ns = ns_of(ticks + (asked ? 1 : 0), c->hz),
                                   .host_ns = ns_of(board + (asked ? 0 : 1), c->board_hz)};
    narrow(&c->bounds, &mark);
    return c->known != NULL ? 0 : host_fit_take(&c->learnt, &mark);
}

static int bound(struct device_clock *c, uint64_t ticks, const struct device_span *span) {
    int error = 0;
    if (c->hz == 0) {
        return 0;
    }
    if (span->since != 0) {
        error = take_mark(c, ticks, span->since, true);
    }
    return error != 0 ? error : take_mark(c, ticks, span->now, false);
}

/* No record shows that the clock was read before this. */
static bool may_be_since(const struct device_clock *c, uint64_t since) {
    const struct device_bounds *b = &c->bounds;
    const int64_t at = ns_of(c->ticks, c->hz != 0 ? c->hz : c->board_hz);
    return !b->has_most || ns_of(since, c->board_hz) - at <= b->most + drift(at, b->most_at);
}

int device_clock_bound(struct device_clock *c, const struct device_span *span) {
    const struct device_span until = {0, span->now};
    const uint64_t since = may_be_since(c, span->since) ? span->since : c->since;
    const struct device_span read = {c->since < since ? since : c->since, span->now};
    return bound(c, c->ticks, c->late ? &until : &read);
}

int device_clock_pair(struct device_clock *c, uint32_t low, const struct device_span *span) {
    if (!c->begun) {
        begin_at(c, low, span);
        c->by_pair = true;
        c->ticks += WRAP;
        return bound(c, c->ticks, span);
    }
    const int64_t middle = capped(span->since / 2 + span->now / 2);
    const int64_t was = capped(c->span.since / 2 + c->span.now / 2);
    const int64_t near = capped(c->ticks) + ticks_in(c, middle - was);
    const int64_t ticks = near + (int32_t)(low - (uint32_t)near);
    return ticks < 0 ? 0 : bound(c, (uint64_t)ticks, span);
}

/* ---- times ---- */

static int64_t live_ns(const struct device_clock *c, int64_t ns, int64_t *bound_ns) {
    const struct device_bounds *b = &c->bounds;
    if (!b->has_least || !b->has_most) {
        *bound_ns = HOST_FIT_DELAY_NS;
        return ns + (b->has_most ? b->most : b->has_least ? b->least : 0);
    }
    const int64_t least = b->least - drift(ns, b->least_at), most = b->most + drift(ns, b->most_at);
    *bound_ns = (most > least ? most - least : least - most) / 2 + 1;
    return ns + least + (most - least) / 2;
}

uint64_t device_clock_board_at(const struct device_clock *c, uint64_t ticks, int64_t *bound_ns) {
    *bound_ns = 0;
    if (c->hz == 0) {
        return ticks;
    }
    const int64_t ns = ns_of(ticks, c->hz);
    const bool known = c->known != NULL && c->known->known;
    const int64_t board =
        known ? host_fit_ns(c->known, c->starts, ns, bound_ns) : live_ns(c, ns, bound_ns);
    *bound_ns += ns_of(1, c->board_hz) + 1; /* the time is a whole tick */
    return board < 0 ? 0 : (uint64_t)((wide)board * (wide)c->board_hz / NS_PER_S);
}

uint64_t device_clock_board(const struct device_clock *c, int64_t *bound_ns) {
    return device_clock_board_at(c, c->ticks, bound_ns);
}
