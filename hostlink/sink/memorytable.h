/* SPDX-License-Identifier: MIT */
/* Memory by pool: bytes live at the end, the maximum, bytes allocated in all, and mismatches of allocations and frees.
 * Pools of one board with equal names are one. Memory grows with the number of live blocks. */
#ifndef HOSTLINK_MEMORYTABLE_H
#define HOSTLINK_MEMORYTABLE_H

#include "base/keytable.h"
#include "base/liveset.h"
#include "model/event.h"
#include "sink/batches.h"
#include "sink/selection.h"

struct memory_pool {
    const char *name;
    char *full;                      /* "BOARD/NAME", which "name" then is; NULL: see "board" */
    const struct event_board *board; /* NULL: there is only one */
    uint64_t allocs, frees, bytes;   /* bytes: allocated in all */
    uint64_t live, live_bytes;       /* of which the allocation was seen */
    uint64_t most_bytes;             /* that were live at a time */
    int64_t most_at_ns;
    double live_sum;        /* of live bytes after each allocation */
    struct batches batches; /* of the same */
    uint64_t again;         /* allocations at an address that was live: its free is missing */
    uint64_t unknown;       /* frees of blocks that were not live */
};

/* All zero, except "selection", is empty. */
struct memorytable {
    struct selection
        *selection; /* of counted events; live blocks are counted from the start. NULL: all */
    struct keytable names; /* the number of a name is its pool's */
    struct memory_pool *pools;
    uint32_t count, capacity;
    struct liveset live;
};

/* Any event. 0 or -ENOMEM, as for the next. */
int memorytable_event(struct memorytable *memory, const struct event *event);
void memorytable_free(struct memorytable *memory);

#endif
