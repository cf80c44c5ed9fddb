/* SPDX-License-Identifier: MIT */
/* A made-up stream of resolved events for the tests of outputs: every kind, several cores, tracks and
 * sessions, awkward names and numbers, losses. The same on every call. */
#ifndef SYNTHETIC_EVENTS_H
#define SYNTHETIC_EVENTS_H

#include <stdint.h>

#include "model/event.h"

/* The contents of the stream, counted while it is made. */
struct synthetic_counts {
    uint64_t events;
    uint64_t zones;                       /* ended by the board */
    uint64_t repaired;                    /* ended by hostlink */
    uint64_t messages, plots, not_finite; /* the last two: all plots; those that are no number */
    uint64_t frames, discontinuous_frames;
    uint64_t allocs, frees, app_infos, gaps, lost;
    uint64_t interrupts; /* switches to one */
    uint64_t sessions, tracks;
    uint64_t called; /* zones that begin with a call stack */
    uint64_t samples, sampled,
        late_samples; /* all; with a call stack; after some that were missed */
    int64_t last_ns;
};

typedef int synthetic_sink(void *context, const struct event *event);

/* Gives the whole stream to "sink", "rounds" rounds of the regular part. Stops and returns what the
 * sink returned if that is not 0. "counts" may be NULL. */
int synthetic_events(synthetic_sink *sink, void *context, unsigned rounds,
                     struct synthetic_counts *counts);

#endif
