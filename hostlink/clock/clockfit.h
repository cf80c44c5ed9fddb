/* SPDX-License-Identifier: MIT */
/* From the ticks of a board to nanoseconds on the timeline. */
#ifndef HOSTLINK_CLOCKFIT_H
#define HOSTLINK_CLOCKFIT_H

#include <stdbool.h>
#include <stdint.h>

#include "clock/clock_rate.h"

/* Neither the board nor the host's clock gave a rate: ticks are shown as if at 1 GHz. */
#define CLOCKFIT_UNKNOWN_HZ UINT64_C(1000000000)

/* Times from a tick on. */
struct clockfit_line {
    uint64_t ticks;
    int64_t ns;
    uint64_t hz; /* never 0 */
};

/* The second of a line that the last time was in, where a time takes a multiplication and no division. */
struct clockfit_second {
    uint64_t ticks;
    int64_t ns;
    uint64_t length; /* in ticks; 0: not set */
    uint64_t factor; /* ns of a tick, times 2 ^ shift */
    unsigned shift;
};

/* Number of lines kept before the latest, for lanes that lag. */
#define CLOCKFIT_EARLIER 15u

/* A rate that the board reports from a tick on, though no event reported the change: that event may have been
 * lost. */
struct clockfit_claim {
    bool open;
    uint64_t ticks, hz;
};

/* From a tick on the board's clock is so many ticks ahead. */
struct clockfit_step {
    uint64_t from, by;
};

/* A tick from "from" on and before "until" can only come from a jump of the counter: the true tick is "now", which is
 * before "from". All zero: no check. */
struct clockfit_guard {
    uint64_t from, until, now;
    unsigned jumps; /* so many came, and were taken out, */
    uint64_t by;    /* of so many ticks together */
};

struct clockfit {
    uint64_t board_hz;      /* from the board, 0 = unknown */
    struct clock_rate rate; /* measured by the host */
    bool based;
    bool ordered;              /* the events of all lanes come in the order of time */
    int64_t offset_ns;         /* the earliest time of all */
    struct clockfit_line line; /* the latest; the earlier ones, the latest first */
    struct clockfit_line earlier[CLOCKFIT_EARLIER];
    unsigned earlier_count;
    struct clockfit_second second; /* of "line" */
    struct clockfit_claim claim;
    uint64_t latest_ticks;
    const struct clockfit_step *steps; /* those ahead, known from an earlier pass; or NULL */
    unsigned step_count;
    struct clockfit_guard guard;
};

/* Hz of the board's clock: reported, else measured, else CLOCKFIT_UNKNOWN_HZ. */
uint64_t clockfit_hz(const struct clockfit *fit);

/* Chooses where the timeline begins: at the board's tick 0 when that is near, else at the first event; or a second
 * before it while the lanes are not in order, as others may have older ones. */
void clockfit_start(struct clockfit *fit, uint64_t first_ticks, int64_t offset_ns);

/* From the latest tick on the rate is that of clockfit_hz(), if a better one was measured. Times of
 * earlier ticks stay as they were, so that time does not jump. */
void clockfit_steer(struct clockfit *fit);

/* The board changed its clock at "ticks". "hz" is the rate from there on, 0 = unknown; times from there on are later
 * by "stood_ns", while it stood still. Measuring starts again. Times do not go back: a change before the latest tick
 * applies from the latest tick on. */
void clockfit_change(struct clockfit *fit, uint64_t ticks, uint64_t hz, uint64_t stood_ns);
/* The board has reported another rate at "ticks" than before. It applies from there on, unless an event reports it
 * before. */
void clockfit_new_rate(struct clockfit *fit, uint64_t ticks, uint64_t hz);

__extension__ typedef unsigned __int128 clockfit_wide;

/* The same, and changes nothing: for a tick that no event has had yet. */
int64_t clockfit_look(const struct clockfit *fit, uint64_t ticks);
/* Private to clockfit_ns(): for a tick in another second. */
int64_t clockfit_elsewhere(struct clockfit *fit, uint64_t ticks);

/* Never before offset_ns; saturates far beyond any capture. */
static inline int64_t clockfit_ns(struct clockfit *fit, uint64_t ticks) {
    const struct clockfit_second *second = &fit->second;
    const uint64_t since = ticks - second->ticks;
    if (since >= second->length) {
        return clockfit_elsewhere(fit, ticks);
    }
    fit->latest_ticks = ticks > fit->latest_ticks ? ticks : fit->latest_ticks;
    return second->ns + (int64_t)((clockfit_wide)since * second->factor >> second->shift);
}

#endif
