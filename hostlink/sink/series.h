/* Rows of an output that are no track of the board: a plot, a set of frames, a pool, what a core lost.
 * Sites of equal name and kind are one row, as they are for the firmware. */
#ifndef HOSTLINK_SERIES_H
#define HOSTLINK_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keytable.h"
#include "model/event.h"

enum series_kind {
    SERIES_PLOT,   /* by name */
    SERIES_FRAMES, /* by name */
    SERIES_POOL,   /* by name */
    SERIES_LOSS,   /* by core */
    SERIES_RUNS,   /* by core: what it runs beside its main code */
    SERIES_CORE,   /* by core */
    SERIES_OBJECT, /* by name: its id, and that of the track that waits for it or shares it */
    SERIES_PROCESS /* one a session, core 0 */
};

struct series {
    uint32_t number; /* from 0, in order of appearance */
    uint32_t session;
    bool declared;         /* set by the sink: the output knows it */
    const char *open_name; /* set by the sink: the slice that is open, or NULL */
    int64_t last_ns;       /* set by the sink: no slice may start before */
    uint64_t holds;        /* objects: counted by the sink */
    uint64_t live_bytes;   /* pools: what series_pool() makes of allocations and frees */
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
/* Applies EVENT_ALLOC or EVENT_FREE. A free of what was allocated before the capture is no debt. */
void series_pool(struct series *pool, const struct event *event);
void series_free(struct series_table *table);

#endif
