/* From the ticks of a board to nanoseconds on the timeline. */
#ifndef HOSTLINK_CLOCKFIT_H
#define HOSTLINK_CLOCKFIT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/clock_rate.h"

/* A rate that neither the board nor the host's clock told: what is shown then is ticks, as if 1
 * GHz. */
#define CLOCKFIT_UNKNOWN_HZ UINT64_C(1000000000)

/* Times from a tick on. */
struct clockfit_line {
    uint64_t ticks;
    int64_t ns;
    uint64_t hz;            /* never 0 */
    uint64_t tick_ns;       /* where a tick is a whole number of ns, else 0 */
    uint64_t product_ticks; /* with so many ticks the product with tick_ns is still in range */
};

struct clockfit {
    uint64_t board_hz;      /* what the board says, 0 = it does not know */
    struct clock_rate rate; /* what the host measures */
    bool based;
    bool ordered;                      /* the events of all lanes come in the order of time */
    int64_t offset_ns;                 /* the earliest time of all */
    struct clockfit_line line, before; /* "before" is for ticks ahead of "line" */
    uint64_t latest_ticks;
};

/* Hz of the board's clock: what it says, else what was measured, else CLOCKFIT_UNKNOWN_HZ. */
uint64_t clockfit_hz(const struct clockfit *fit);

/* Chooses where the timeline begins: at the board's tick 0 when that is near, else at the first event; or a second
 * before it while the lanes are not in order, as others may have older ones. */
void clockfit_start(struct clockfit *fit, uint64_t first_ticks, int64_t offset_ns);

/* From the latest tick on the rate is that of clockfit_hz(), where a better one was measured. What
 * was said of earlier ticks stays as it was, so that time does not jump. */
void clockfit_steer(struct clockfit *fit);

/* Never before offset_ns; saturates far beyond any capture. */
int64_t clockfit_ns(struct clockfit *fit, uint64_t ticks);

#endif
