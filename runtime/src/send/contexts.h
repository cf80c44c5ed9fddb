/* SPDX-License-Identifier: MIT */
/* Zones that contexts have open, counted from the records as they are read: frees the room in the rings that ended
 * contexts had reserved. Consumer. Private to the runtime. */
#ifndef KYMO_CONTEXTS_H
#define KYMO_CONTEXTS_H

#include "../ring/lane.h"

#if KYMO_CONTEXTS && !KYMO_KEEP_NEWEST

/* Instructions of a look at all places, which are charged as they are taken; and most of a record. */
#define KYMO_CONTEXTS_LOOK (20 + 11 * KYMO_CONTEXTS)
#define KYMO_CONTEXTS_MORE_WORK 80
#define KYMO_CONTEXTS_WORK (KYMO_CONTEXTS_MORE_WORK + 4 * KYMO_CONTEXTS_LOOK)

struct kymo_contexts {
    /* A context on a lane; free where no zone is open. With several lanes a free place remembers the end of a context,
     * for zones of it that are read later in another lane, and a context that is over stays until all lanes are read
     * up to there: its zones may have ended on any of them. */
    struct kymo_open_zones {
        uint32_t context; /* as in context_out */
        int16_t open;     /* below 0 where ends on other lanes were read first */
        uint8_t lane;
        bool unsure; /* an end on another lane was lost: it may be one of these */
#if KYMO_LANES > 1
        uint64_t
            behind; /* not 0: over since "over_at", and these lanes are not yet read up to there */
        uint64_t over_at; /* and while it is not over: when the first of the zones began */
        uint64_t latest;  /* event that was counted */
#endif
    } of[KYMO_CONTEXTS];
    uint32_t over;       /* places of contexts that are over and wait for lanes to be read */
    uint32_t remembered; /* the place of the end that was remembered last */
    /* For each lane: zones have ended since its last event that needed room. */
    bool ends[KYMO_LANES];
    bool overflow; /* a context found no place */
};
extern struct kymo_contexts kymo_contexts;

/* An event of the lane that was read. "context": the one that is over, as in context_out. "owner": the lane that the
 * end of a zone names. */
void kymo_contexts_account(const struct kymo_lane *lane, uint32_t kind, uint32_t context,
                           uint64_t time, uint32_t owner);
/* Most instructions that this may take. */
int32_t kymo_contexts_most_work(const struct kymo_lane *lane, uint32_t kind);
/* Events were lost, and among them ends of zones on other lanes. */
void kymo_contexts_lost_ends(void);
/* Nothing is left to read in the lane. */
void kymo_contexts_read_all(const struct kymo_lane *lane);

#else

#define KYMO_CONTEXTS_WORK 0

static inline void kymo_contexts_account(const struct kymo_lane *lane, uint32_t kind,
                                         uint32_t context, uint64_t time, uint32_t owner) {
    (void)lane, (void)kind, (void)context, (void)time, (void)owner;
}
static inline int32_t kymo_contexts_most_work(const struct kymo_lane *lane, uint32_t kind) {
    (void)lane, (void)kind;
    return KYMO_CONTEXTS_WORK;
}
static inline void kymo_contexts_lost_ends(void) {}
static inline void kymo_contexts_read_all(const struct kymo_lane *lane) { (void)lane; }

#endif

#endif
