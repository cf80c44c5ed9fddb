/* SPDX-License-Identifier: MIT */
/* A lane of ring_masked.c. Included by lane.h alone.
 *
 * The members that a zone uses are neighbours: some cores load and store neighbours at once. */
#ifndef KYMO_LANE_MASKED_H
#define KYMO_LANE_MASKED_H

#include "kymo/kymo.h"

struct kymo_lane {
    /* Producer. */
    kymo_clock_t limit; /* a clock record is due before an event that is later. Any core */
    uint32_t *write;    /* next word to write */
    uintptr_t reserved; /* from "write" to here words are promised */
    uintptr_t
        run_end; /* the run of free words ends here; 0: events leave the fast path. Any core */
    uintptr_t room_end; /* the value of run_end while that is not 0 */
    kymo_context context;
    uint32_t lost;       /* refused events that no loss record reports yet */
    uint32_t lost_since; /* low 32 bits of the clock */
    uint16_t lost_ends;  /* among the lost ones, ends of zones that began on another lane */
    uint8_t
        refused_entries; /* interrupts being served whose entry was refused: KYMO_REFUSED_DEPTH */
    bool restate;        /* a switch was refused */
    uint8_t
        core; /* number of this lane, once it was used: for callers that check whether it is theirs */
#if KYMO_TASKS
    struct kymo_runs runs;
#endif

    /* Consumer, in a cache line of its own where it may be another core. */
    KYMO_OWN_LINE bool waiting; /* there are records, since "waiting_since" */
    bool closed; /* nothing more is freed: a record was passed over that a context may still fill */
#if KYMO_ARCH_CLOCK_BITS == 32
    uint32_t alive_at; /* when kept alive last, in steps of KYMO_ALIVE_SHIFT; 0: never. Any core */
#endif
    uint32_t *tail;         /* next word to read */
    uint32_t *tail_refused; /* producer: the value of "tail" that left too little room */
    uint32_t context_out;   /* the context in which the next record was made; see events.c */
    uint64_t time;          /* of the last record read */
    uint64_t events;        /* events read, and losses reported by those */
    uint32_t waiting_since; /* ticks, low 32 bits */
    const char *name;
} KYMO_LANE_ALIGNED;

#endif
