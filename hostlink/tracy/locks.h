/* SPDX-License-Identifier: MIT */
/* Locks as the viewer has them, kept also while none looks. The viewer ends the session at items that it takes for
 * impossible (TracyWorker.cpp, UpdateLockCountSharedLockable): a lock that is obtained without a wait, released
 * without being held, or used by more than 64 threads. Its order of waits, obtains and releases is held here with bits
 * like the viewer's, a thread each. */
#ifndef HOSTLINK_TRACY_LOCKS_H
#define HOSTLINK_TRACY_LOCKS_H

#include "base/intmap.h"
#include "model/event.h"
#include "tracy/names.h"
#include "tracy/repair.h"
#include "tracy/stream.h"

#define TRACY_LOCK_THREADS_MAX 64u
#define TRACY_LOCKS_MAX 65536u

struct tracy_lock {
    const struct object *object;
    uint32_t thread[TRACY_LOCK_THREADS_MAX]; /* by bit */
    uint32_t threads;
    uint64_t waits[2], holds[2]; /* alone, shared */
    uint64_t
        gave_up; /* waits that ended without a hold, which the viewer does not know: ended when the lock is free */
    int64_t last_ns;
};

/* All zero is empty. */
struct tracy_locks {
    struct tracy_lock **of; /* by number; NULL: it is over */
    uint32_t count;
    struct intmap numbers; /* by id of the object: its number + 1 */
};

/* Where items go. */
struct tracy_lock_output {
    struct tracy_stream *stream; /* NULL: no viewer */
    struct tracy_names *names;
    int64_t base_ns;
    tracy_repair_sink *repaired;
    void *context;
};

void tracy_locks_free(struct tracy_locks *locks);
/* A new viewer gets the existing locks, with their waits and holds. Returns 0 or -ENOMEM. */
int tracy_locks_begin(struct tracy_locks *locks, const struct tracy_lock_output *out,
                      int64_t now_ns);
/* The board was reset: its locks are no more. */
void tracy_locks_reset(struct tracy_locks *locks, const struct tracy_lock_output *out,
                       int64_t time_ns);
/* An event of an object; of other classes than locks nothing is shown. 0 or -ENOMEM. */
int tracy_locks_event(struct tracy_locks *locks, const struct tracy_lock_output *out,
                      const struct event *event, int64_t time_ns);

#endif
