/* SPDX-License-Identifier: MIT */
#include "tracy/locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kymo/wire.h"

/* For the viewer every lock may be shared: it takes both forms of each item then, and a plain one takes only one. */
#define SHARED_LOCKABLE 1u

/* The viewer's items for each lock event: exclusive, shared. */
static const enum tracy_item items[][2] = {
    [EVENT_WAITS] = {TRACY_LOCK_WAIT, TRACY_LOCK_SHARED_WAIT},
    [EVENT_TAKES] = {TRACY_LOCK_OBTAIN, TRACY_LOCK_SHARED_OBTAIN},
    [EVENT_GIVES] = {TRACY_LOCK_RELEASE, TRACY_LOCK_SHARED_RELEASE},
};

/* The place of a lock without one. */
static const struct site no_site = {
    .kind = KYMO_SITE_ZONE, .known = true, .name = "lock", .function = "lock", .file = ""};

void tracy_locks_free(struct tracy_locks *locks) {
    for (uint32_t i = 0; i < locks->count; i++) {
        free(locks->of[i]);
    }
    free(locks->of);
    intmap_free(&locks->numbers);
    *locks = (struct tracy_locks){0};
}

static int64_t shown(const struct tracy_lock_output *out, int64_t time_ns) {
    return time_ns < out->base_ns ? out->base_ns : time_ns;
}

/* ---- items ---- */

static void put(const struct tracy_lock_output *out, const struct tracy_lock *lock,
                enum event_hold what, bool shared, unsigned bit) {
    if (out->stream != NULL) {
        const struct tracy_fields fields = {.time_ns = shown(out, lock->last_ns),
                                            .thread = lock->thread[bit],
                                            .id = lock->object->id};
        tracy_put_item(out->stream, items[what][shared], &fields);
    }
}

static int put_announce(const struct tracy_lock_output *out, const struct tracy_lock *lock) {
    if (out->stream == NULL) {
        return 0;
    }
    const struct object *object = lock->object;
    const int64_t site =
        tracy_names_site(out->names, object->site != NULL ? object->site : &no_site);
    const struct tracy_fields fields = {
        .time_ns = shown(out, lock->last_ns),
        .id = object->id,
        .key = site < 0 ? 0 : tracy_names_place(out->names, (uint32_t)site),
        .flag = SHARED_LOCKABLE};
    if (site < 0) {
        return (int)site;
    }
    tracy_put_item(out->stream, TRACY_LOCK_ANNOUNCE, &fields);
    tracy_put_lock_name(out->stream, object->id, object->name, strlen(object->name));
    return 0;
}

/* Only for a thread that waits for the lock or holds it: a viewer searches without an end for any other. */
static void put_mark(const struct tracy_lock_output *out, const struct tracy_lock *lock,
                     const struct event *event) {
    unsigned bit = 0;
    while (bit < lock->threads && lock->thread[bit] != event->track->id) {
        bit++;
    }
    const uint64_t mask = bit < lock->threads ? UINT64_C(1) << bit : 0;
    const uint64_t all = lock->waits[0] | lock->waits[1] | lock->holds[0] | lock->holds[1];
    const int64_t site = (all & mask) != 0 && event->u.mark != NULL && out->stream != NULL
                             ? tracy_names_site(out->names, event->u.mark)
                             : -1;
    if (site >= 0) {
        const struct tracy_fields fields = {.id = lock->object->id,
                                            .thread = event->track->id,
                                            .key = tracy_names_place(out->names, (uint32_t)site)};
        tracy_put_item(out->stream, TRACY_LOCK_MARK, &fields);
    }
}

static void put_terminate(const struct tracy_lock_output *out, const struct tracy_lock *lock) {
    if (out->stream != NULL) {
        const struct tracy_fields fields = {.time_ns = shown(out, lock->last_ns),
                                            .id = lock->object->id};
        tracy_put_item(out->stream, TRACY_LOCK_TERMINATE, &fields);
    }
}

/* ---- one lock ---- */

static void wait_for(const struct tracy_lock_output *out, struct tracy_lock *lock, bool shared,
                     unsigned bit) {
    const uint64_t mask = UINT64_C(1) << bit;
    lock->gave_up &= ~mask;
    lock->waits[shared] |= mask;
    put(out, lock, EVENT_WAITS, shared, bit);
}

static void obtain(const struct tracy_lock_output *out, struct tracy_lock *lock, bool shared,
                   unsigned bit) {
    const uint64_t mask = UINT64_C(1) << bit;
    if ((lock->waits[shared] & mask) == 0) {
        wait_for(out, lock, shared, bit);
    }
    lock->gave_up &= ~mask;
    lock->waits[shared] &= ~mask;
    lock->holds[shared] |= mask;
    put(out, lock, EVENT_TAKES, shared, bit);
}

static void release(const struct tracy_lock_output *out, struct tracy_lock *lock, bool shared,
                    unsigned bit) {
    lock->holds[shared] &= ~(UINT64_C(1) << bit);
    put(out, lock, EVENT_GIVES, shared, bit);
}

/* The viewer has no item for a wait that ends without a hold: a hold of no length ends it, when nobody else has one. */
static void settle(const struct tracy_lock_output *out, struct tracy_lock *lock) {
    for (unsigned bit = 0; bit < lock->threads && lock->gave_up != 0; bit++) {
        const uint64_t mask = UINT64_C(1) << bit;
        for (unsigned shared = 0; shared < 2 && lock->holds[0] == 0; shared++) {
            if ((lock->gave_up & lock->waits[shared] & mask) != 0 &&
                (shared != 0 || lock->holds[1] == 0)) {
                obtain(out, lock, shared != 0, bit);
                release(out, lock, shared != 0, bit);
            }
        }
    }
}

/* Releases all holds that conflict with a new one; the timeline leaves no such hold. True if any was released. */
static bool release_all(const struct tracy_lock_output *out, struct tracy_lock *lock,
                        bool also_shared, uint64_t own) {
    bool any = false;
    for (unsigned bit = 0; bit < lock->threads; bit++) {
        const uint64_t mask = UINT64_C(1) << bit;
        for (unsigned shared = 0; shared < 2; shared++) {
            const uint64_t here = shared != 0 && !also_shared ? own : UINT64_MAX;
            if ((lock->holds[shared] & mask & here) != 0) {
                release(out, lock, shared != 0, bit);
                any = true;
            }
        }
    }
    return any;
}

static bool hold(const struct tracy_lock_output *out, struct tracy_lock *lock,
                 const struct event *event, unsigned bit) {
    const uint64_t mask = UINT64_C(1) << bit;
    const bool shared = event->u.hold.shared;
    bool mended = event->u.hold.repaired != HOLD_ENDED;
    /* Like Tracy's own client: threads that wait for the lock or hold it at that time do so to the end. */
    if (event->u.hold.repaired == HOLD_END_OBJECT || event->u.hold.repaired == HOLD_END_OPEN) {
        return false;
    }
    switch (event_hold(event->kind)) {
    case EVENT_WAITS:
        wait_for(out, lock, shared, bit);
        return mended;
    case EVENT_TAKES:
        mended |= release_all(out, lock, !shared, mask);
        obtain(out, lock, shared, bit);
        return mended;
    default:
        break;
    }
    if ((lock->holds[shared] & mask) != 0) {
        release(out, lock, shared, bit);
    } else {
        mended |= ((lock->waits[0] | lock->waits[1]) & mask) == 0;
        lock->gave_up |= (lock->waits[0] | lock->waits[1]) & mask;
    }
    settle(out, lock);
    return mended;
}

/* The thread's bit; TRACY_LOCK_THREADS_MAX: all bits are taken. */
static unsigned bit_of(struct tracy_lock *lock, uint32_t thread) {
    unsigned bit = 0;
    while (bit < lock->threads && lock->thread[bit] != thread) {
        bit++;
    }
    if (bit == lock->threads && bit < TRACY_LOCK_THREADS_MAX) {
        lock->thread[lock->threads++] = thread;
    }
    return bit;
}

/* ---- all locks ---- */

static struct tracy_lock **new_lock(struct tracy_locks *locks, const struct object *object) {
    const uint32_t number = locks->count;
    struct tracy_lock **grown = realloc(locks->of, (number + 1u) * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    locks->of = grown;
    grown[number] = calloc(1, sizeof **grown);
    if (grown[number] == NULL || intmap_add(&locks->numbers, object->id, number + 1) != 0) {
        free(grown[number]);
        return NULL;
    }
    grown[number]->object = object;
    locks->count++;
    return &grown[number];
}

static int announce(struct tracy_locks *locks, const struct tracy_lock_output *out,
                    const struct event *event, struct tracy_lock **place, int64_t time_ns) {
    const struct object *object = event->object;
    if (place != NULL && *place == NULL) {
        return 0; /* it is over */
    }
    if (place != NULL) {
        if (out->stream != NULL) {
            tracy_put_lock_name(out->stream, object->id, object->name, strlen(object->name));
        }
        return 0;
    }
    if (locks->count == TRACY_LOCKS_MAX) {
        out->repaired(out->context, event->track->id, time_ns, TRACY_REPAIR_TOO_MANY_LOCKS);
        return 0;
    }
    place = new_lock(locks, object);
    if (place == NULL) {
        return -ENOMEM;
    }
    (*place)->last_ns = time_ns;
    return put_announce(out, *place);
}

static void terminate(const struct tracy_lock_output *out, struct tracy_lock **place) {
    put_terminate(out, *place);
    free(*place);
    *place = NULL;
}

void tracy_locks_reset(struct tracy_locks *locks, const struct tracy_lock_output *out,
                       int64_t time_ns) {
    for (uint32_t i = 0; i < locks->count; i++) {
        struct tracy_lock **place = &locks->of[i];
        if (*place != NULL) {
            (*place)->last_ns = time_ns > (*place)->last_ns ? time_ns : (*place)->last_ns;
            (void)release_all(out, *place, true, 0);
            settle(out, *place);
            terminate(out, place);
        }
    }
}

int tracy_locks_event(struct tracy_locks *locks, const struct tracy_lock_output *out,
                      const struct event *event, int64_t time_ns) {
    const struct object *object = event->object;
    if (object->of != KYMO_OBJECT_LOCK) {
        return 0;
    }
    const uint32_t number = intmap_get(&locks->numbers, object->id);
    struct tracy_lock **place = number != 0 ? &locks->of[number - 1] : NULL;
    if (event->kind == EVENT_OBJECT) {
        return announce(locks, out, event, place, time_ns);
    }
    if (place == NULL || *place == NULL) {
        return 0;
    }
    struct tracy_lock *lock = *place;
    lock->last_ns = time_ns > lock->last_ns ? time_ns : lock->last_ns;
    if (event->kind == EVENT_LOCK_MARK) {
        put_mark(out, lock, event);
        return 0;
    }
    if (event->kind == EVENT_OBJECT_END) {
        terminate(out, place);
        return 0;
    }
    const unsigned bit = event_holds(event->kind) ? bit_of(lock, event->track->id) : 0;
    if (bit == TRACY_LOCK_THREADS_MAX) {
        out->repaired(out->context, event->track->id, time_ns, TRACY_REPAIR_LOCK_THREADS);
    } else if (event_holds(event->kind) && hold(out, lock, event, bit)) {
        out->repaired(out->context, event->track->id, time_ns, TRACY_REPAIR_LOCK_CLOSED);
    }
    return 0;
}

/* Restates waits and holds at the viewer's start, as their own times are before it. */
static void restate(const struct tracy_lock_output *out, struct tracy_lock *lock) {
    for (unsigned shared = 0; shared < 2; shared++) {
        for (unsigned bit = 0; bit < lock->threads; bit++) {
            const uint64_t mask = UINT64_C(1) << bit;
            if ((lock->holds[shared] & mask) != 0) {
                put(out, lock, EVENT_WAITS, shared != 0, bit);
                put(out, lock, EVENT_TAKES, shared != 0, bit);
            }
            if ((lock->waits[shared] & mask) != 0) {
                put(out, lock, EVENT_WAITS, shared != 0, bit);
            }
        }
    }
}

int tracy_locks_begin(struct tracy_locks *locks, const struct tracy_lock_output *out,
                      int64_t now_ns) {
    int error = 0;
    for (uint32_t i = 0; i < locks->count && error == 0; i++) {
        struct tracy_lock *lock = locks->of[i];
        if (lock != NULL) {
            lock->last_ns = now_ns > lock->last_ns ? now_ns : lock->last_ns;
            error = put_announce(out, lock);
            restate(out, lock);
        }
    }
    return error;
}
