/* SPDX-License-Identifier: MIT */
/* A lane that keeps the newest: of ring_newest.c, or of ring_newest_atomic.c where the port has no mask. Included by
 * lane.h alone.
 *
 * The members that a zone uses are neighbours: some cores load and store neighbours at once. */
#ifndef KYMO_LANE_NEWEST_H
#define KYMO_LANE_NEWEST_H

#include "kymo/kymo.h"

struct kymo_lane {
    /* Producer. */
    kymo_clock_t limit; /* a clock record is due before an event that is later. Any core */
#if KYMO_ARCH_CLOCK_BITS == 32
    uint32_t alive_at; /* when kept alive last, in steps of KYMO_ALIVE_SHIFT; 0: never. Any core */
#endif
#if KYMO_ARCH_ATOMIC
    uint64_t state;  /* see ring_newest_atomic.c */
    uint32_t number; /* of the latest claimed block */
    uint32_t
        pin; /* one more than the block in which the outermost recording context began; 0: none */
#else
    uint32_t *write;         /* next word to write */
    uintptr_t run_end;       /* the block ends here; 0: events leave the fast path. Any core */
    uint32_t emitted;        /* events of this run, low 32 bits */
    uint32_t emitted_halves; /* how often "emitted" has passed 2^31, up to the block's begin */
    uint32_t number;         /* of the block; counts on over resets */
    uint32_t earlier;        /* events of the runs before, low 32 bits; goes into each block's head */
#endif
    kymo_context context;
    const char *name;
    uint32_t lost;  /* refused events that no loss record reports yet */
    bool attention; /* without a mask, with a clock of 32 bits: an event must leave the fast path */
    bool awake;     /* "number" is known */
    uint8_t
        core; /* number of this lane, once it was used: for callers that check whether it is theirs */
#if KYMO_TASKS
    struct kymo_runs runs;
#endif

    /* Consumer, in a cache line of its own where it may be another core. */
    KYMO_OWN_LINE bool waiting; /* there are records, since "waiting_since" */
    bool reported;              /* the host knows everything before the block */
    bool opened;                /* nothing of the block was read yet */
    uint32_t tail_number;       /* of the block that is read */
    const uint32_t *tail;       /* next word to read; NULL: the block is still to be opened */
    uint64_t block_events;      /* from its head */
    uint32_t skip;              /* words of it that were sent before a reset */
    uint32_t gap;               /* ticks from the last event read to it */
    uint32_t block_context;
    uint32_t context_out;   /* the context in which the next record was made; see events.c */
    uint64_t time;          /* of the last record read */
    uint64_t events;        /* events read, and losses reported by those */
    uint32_t waiting_since; /* ticks, low 32 bits */
    uint32_t passed;        /* events before the run that is read, read or lost; low 32 bits */
} KYMO_LANE_ALIGNED;

#endif
