/* From the ticks of a board to nanoseconds on the timeline. */
#ifndef HOSTLINK_CLOCKFIT_H
#define HOSTLINK_CLOCKFIT_H

#include <stdbool.h>
#include <stdint.h>

/* A rate that neither the board nor the host's clock told: what is shown then is ticks, as if 1
 * GHz. */
#define CLOCKFIT_UNKNOWN_HZ UINT64_C(1000000000)

struct clockfit {
    uint64_t board_hz;   /* what the board says, 0 = it does not know */
    uint64_t base_ticks; /* the tick that is "offset_ns" on the timeline */
    int64_t offset_ns;
    bool based;
    /* Pairs of the host's clock and the board's, for a board that does not know its rate. */
    bool paired;
    uint64_t first_host_ns, first_ticks, last_host_ns, last_ticks;
};

/* The board's clock at a host time, as seen in a frame that says both. */
void clockfit_pair(struct clockfit *fit, uint64_t host_ns, uint64_t ticks);

/* Hz of the board's clock: what it says, else what the pairs say, else CLOCKFIT_UNKNOWN_HZ. */
uint64_t clockfit_hz(const struct clockfit *fit);
/* Measured against the host, 0 when the pairs are too close for that (less than 0.5 s). */
uint64_t clockfit_measured_hz(const struct clockfit *fit);

/* How far apart in host time the pairs are. */
uint64_t clockfit_measured_ns(const struct clockfit *fit);

/* Chooses where the timeline begins: at the board's tick 0 when that is near, else a second before
 * the first event, as other lanes may have older ones. */
void clockfit_start(struct clockfit *fit, uint64_t first_ticks, int64_t offset_ns);

/* Never before offset_ns; saturates far beyond any capture. */
int64_t clockfit_ns(const struct clockfit *fit, uint64_t ticks);

#endif
