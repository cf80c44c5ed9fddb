/* SPDX-License-Identifier: MIT */
#include "tracy/frame_sets.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

void tracy_frame_sets_free(struct tracy_frame_sets *sets) {
    free(sets->sets);
    sets->sets = NULL;
    intmap_free(&sets->numbers);
    sets->count = sets->capacity = 0;
}

void tracy_frame_sets_begin(struct tracy_frame_sets *sets, int64_t now_ns) {
    sets->count = 0;
    intmap_free(&sets->numbers);
    sets->start_ns = now_ns;
    sets->marks = 0;
}

static struct tracy_frame_set *frame_set(struct tracy_frame_sets *sets, uint64_t key) {
    const uint32_t number = intmap_get(&sets->numbers, key);
    if (number != 0) {
        return &sets->sets[number - 1];
    }
    if (!grow(&sets->sets, &sets->capacity, sets->count, sizeof *sets->sets)) {
        return NULL;
    }
    if (intmap_add(&sets->numbers, key, (uint32_t)sets->count + 1) != 0) {
        return NULL;
    }
    sets->sets[sets->count] = (struct tracy_frame_set){
        .key = key,
        /* The viewer has put a frame at the start into the main set. */
        .mode = key == 0 ? TRACY_FRAMES_MARKS : TRACY_FRAMES_UNUSED,
        .last_ns = key == 0 ? sets->start_ns : 0,
    };
    return &sets->sets[sets->count++];
}

static void repaired(struct tracy_frame_sets *sets, const struct tracy_frame_event *event,
                     enum tracy_repair repair) {
    sets->repaired(sets->context, event->thread, event->time_ns, repair);
}

/* The time of an item that must not be earlier than "*last_ns". */
static int64_t not_before(struct tracy_frame_sets *sets, const struct tracy_frame_event *event,
                          int64_t *last_ns) {
    if (event->time_ns < *last_ns) {
        repaired(sets, event, TRACY_REPAIR_TIME_BACK);
    } else {
        *last_ns = event->time_ns;
    }
    return *last_ns;
}

static void put_frame_item(struct tracy_frame_sets *sets, const struct tracy_frame_set *set,
                           enum tracy_item item, int64_t time_ns) {
    const struct tracy_fields fields = {.time_ns = time_ns, .key = set->key};
    tracy_put_item(sets->stream, item, &fields);
}

static void put_mark(struct tracy_frame_sets *sets, const struct tracy_frame_event *event,
                     struct tracy_frame_set *set) {
    int64_t time_ns = not_before(sets, event, &set->last_ns);
    put_frame_item(sets, set, TRACY_FRAME_MARK_MSG, time_ns);
    sets->marks += set->key == 0;
}

static void put_span(struct tracy_frame_sets *sets, const struct tracy_frame_event *event,
                     struct tracy_frame_set *set) {
    bool start = event->kind == EVENT_FRAME_START;
    if (!start && !set->open) {
        return; /* it started before this viewer came */
    }
    int64_t time_ns = not_before(sets, event, &set->last_ns);
    if (start && set->open) {
        put_frame_item(sets, set, TRACY_FRAME_MARK_MSG_END, time_ns);
        repaired(sets, event, TRACY_REPAIR_FRAME_TWICE);
    }
    set->open = start;
    put_frame_item(sets, set, start ? TRACY_FRAME_MARK_MSG_START : TRACY_FRAME_MARK_MSG_END,
                   time_ns);
}

int tracy_frame_sets_put(struct tracy_frame_sets *sets, const struct tracy_frame_event *event) {
    bool mark = event->kind == EVENT_FRAME;
    struct tracy_frame_set *set = frame_set(sets, event->key);
    if (set == NULL) {
        return -ENOMEM;
    }
    if (set->mode == TRACY_FRAMES_UNUSED) {
        set->mode = mark ? TRACY_FRAMES_MARKS : TRACY_FRAMES_SPANS;
    }
    if ((set->mode == TRACY_FRAMES_MARKS) != mark) {
        repaired(sets, event, TRACY_REPAIR_FRAME_MIXED);
    } else if (mark) {
        put_mark(sets, event, set);
    } else {
        put_span(sets, event, set);
    }
    return 0;
}
