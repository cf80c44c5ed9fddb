/* SPDX-License-Identifier: MIT */
#include "model/frames.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/timeline_rows.h"

void frames_free(struct frames *frames) {
    intmap_free(&frames->numbers);
    free(frames->sets);
    *frames = (struct frames){0};
}

static struct frame_set *set_of(struct frames *frames, const struct site *site) {
    /* Equal names are one text. */
    const uint64_t key = (uintptr_t)site->name;
    const uint32_t number = intmap_get(&frames->numbers, key);
    if (number != 0) {
        return &frames->sets[number - 1];
    }
    if (!grow(&frames->sets, &frames->capacity, frames->count, sizeof *frames->sets)) {
        return NULL;
    }
    if (intmap_add(&frames->numbers, key, frames->count + 1) != 0) {
        return NULL;
    }
    frames->sets[frames->count] = (struct frame_set){.site = site};
    return &frames->sets[frames->count++];
}

static int close_frame(struct timeline *t, struct track_state *state, struct frame_set *set,
                       int64_t time_ns, enum frame_repair why) {
    struct event event = {.kind = EVENT_FRAME_END, .time_ns = time_ns, .site = set->site};
    event.u.frame.repaired = why;
    set->open = false;
    t->counts.repairs++;
    return timeline_send(t, state, &event);
}

/* Its start may have been lost. */
static int left_out(struct timeline *t, struct track_state *state, const struct event *end) {
    struct event event = {.kind = EVENT_REPAIR, .time_ns = end->time_ns, .site = end->site};
    event.u.repair = REPAIR_FRAME_WITHOUT_START;
    t->counts.repairs++;
    return t->zones.lossy ? 0 : timeline_send(t, state, &event);
}

int frames_event(struct timeline *t, uint32_t lane, struct event *event) {
    struct track_state *state = t->lanes[lane].current;
    if (!event->site->known) {
        return 0; /* start and end are two sites: without names they cannot be matched */
    }
    struct frame_set *set = set_of(&t->frames, event->site);
    if (set == NULL) {
        return -ENOMEM;
    }
    const bool starts = event->kind == EVENT_FRAME_START, open = set->open;
    if (!starts && !open) {
        return left_out(t, state, event);
    }
    const int result =
        starts && open ? close_frame(t, state, set, event->time_ns, FRAME_STARTED_AGAIN) : 0;
    *set = (struct frame_set){event->site, lane, starts};
    return result != 0 ? result : timeline_send(t, state, event);
}

int frames_end(struct timeline *t) {
    int result = 0;
    for (uint32_t i = 0; i < t->frames.count && result == 0; i++) {
        struct frame_set *set = &t->frames.sets[i];
        if (set->open) {
            result =
                close_frame(t, t->lanes[set->lane].current, set, t->counts.last_ns, FRAME_END_OPEN);
        }
    }
    frames_free(&t->frames);
    return result;
}
