/* SPDX-License-Identifier: MIT */
/* A lane of ring_atomic.c. Included by lane.h alone.
 *
 * The members that a zone uses are neighbours: some cores load and store neighbours at once. */
#ifndef KYMO_LANE_ATOMIC_H
#define KYMO_LANE_ATOMIC_H

#include "kymo/kymo.h"

typedef intptr_t kymo_room_t;

struct kymo_lane {
    /* Producer. */
    kymo_clock_t limit; /* a clock record is due before an event that is later. Any core */
    kymo_room_t room;   /* cells neither used nor promised, and cells promised: see ring_atomic.c */
    uint32_t *ring;     /* its own, from the first event on */
    uint32_t head;      /* next word to reserve, counts on */
    uint32_t tail_seen; /* up to here the consumer's work is already in "room" */
    kymo_context context;
    uint32_t lost;       /* refused events that no loss record reports yet */
    uint32_t lost_since; /* low 32 bits of the clock */
    /* Words: for smaller types some compilers call a function. */
    uint32_t lost_ends; /* among the lost ones, ends of zones that began on another lane */
    uint32_t
        refused_entries; /* interrupts being served whose entry was refused: KYMO_REFUSED_DEPTH */
    bool restate;        /* a switch was refused */
    bool attention;      /* with a clock of 32 bits: an event must leave the fast path */
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
    uint32_t tail; /* next word to read, counts on */
/* The producer gets room up to a ring's length after KYMO_RING_FREED(). */
#ifdef KYMO_ARCH_RING_PIECE
    uint32_t freed; /* the pieces up to here were given back */
#define KYMO_RING_FREED(lane) ((lane)->freed)
#else
#define KYMO_RING_FREED(lane) ((lane)->tail)
#endif
    uint32_t left;    /* not 0: all up to here, less one, was written by a thread that is over */
    uint32_t orphans; /* ends to come of zones of threads that are over. Any thread */
    uint32_t context_out;   /* the context in which the next record was made; see events.c */
    uint64_t time;          /* of the last record read */
    uint64_t events;        /* events read, and losses reported by those */
    uint32_t waiting_since; /* ticks, low 32 bits */
    const char *name;
} KYMO_LANE_ALIGNED;

#endif
