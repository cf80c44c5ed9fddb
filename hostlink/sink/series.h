/* SPDX-License-Identifier: MIT */
/* Rows of an output that are no track of the board: a plot, a set of frames, a pool, the losses of a core.
 * Sites of equal name and kind share a row, as they do in the firmware. */
#ifndef HOSTLINK_SERIES_H
#define HOSTLINK_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/keytable.h"
#include "model/event.h"

enum series_kind {
    SERIES_PLOT,    /* by name */
    SERIES_CURVE,   /* by name: event_curve() */
    SERIES_FRAMES,  /* by name */
    SERIES_POOL,    /* by name */
    SERIES_LOSS,    /* by core */
    SERIES_RUNS,    /* by core: its tasks and interrupts */
    SERIES_CORE,    /* by core */
    SERIES_OBJECT,  /* by name: its id, and that of the track that waits for it or shares it */
    SERIES_PROCESS, /* one a session, core 0 */
    SERIES_DEVICE,  /* one a device: by its number */
    SERIES_ASYNC    /* by name: its own and the row */
};

/* Interrupts that interrupt each other; one that is deeper takes the place of the innermost. */
#define SERIES_RUNS_MAX 16u
struct series_run {
    const struct track *track;
    const char *name; /* as it was when the slice began */
};

struct series {
    uint32_t number; /* from 0, in order of appearance */
    uint32_t session;
    bool declared; /* set by the sink: the output knows it */
    struct series_run
        runs[SERIES_RUNS_MAX]; /* of a core: the slices that are open, the innermost last */
    uint32_t run_count;
    const struct track
        *resumes;        /* after a gap, at last_ns, unless another one begins there; or NULL */
    int64_t last_ns;     /* set by the sink: no slice may start before */
    uint64_t holds;      /* objects: counted by the sink */
    uint64_t live_bytes; /* pools: kept by series_pool() */
};

/* All zero is an empty table. */
struct series_table {
    struct keytable keys;
    struct series **rows; /* by number */
    uint32_t capacity;
};

/* NULL when memory is short. Valid until the table is freed. */
struct series *series_by_name(struct series_table *table, uint32_t session, enum series_kind kind,
                              const char *name);
struct series *series_by_core(struct series_table *table, uint32_t session, enum series_kind kind,
                              uint32_t core);
/* The core goes on with the track: returns how many slices stay open. If the track is not the innermost of these, the
 * caller begins a slice for it. */
uint32_t series_stay(const struct series *core, const struct track *track);
/* The track is over: returns how many slices stay open; it does not begin again. */
uint32_t series_stay_without(struct series *core, const struct track *track);
/* When the core's run ended, if all ended at "last_ns". */
int64_t series_end_ns(const struct series *core, int64_t last_ns);
/* Slices of one row follow each other: the time, or that of the last one's end. */
int64_t series_not_before(struct series *series, int64_t time_ns);
/* Applies EVENT_ALLOC or EVENT_FREE. A free of a block allocated before the capture subtracts nothing. */
void series_pool(struct series *pool, const struct event *event);
void series_free(struct series_table *table);

#endif
