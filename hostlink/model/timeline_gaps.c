/* SPDX-License-Identifier: MIT */
/* Where events are missing. */
#include <errno.h>

#include "model/timeline_state.h"

int timeline_gap(struct timeline *t, const struct lane *lane, int64_t start_ns, int64_t end_ns,
                 uint64_t lost, enum gap_cause cause) {
    struct event event = {.kind = EVENT_GAP, .time_ns = end_ns};
    event.u.gap.start_ns = start_ns < end_ns ? start_ns : end_ns;
    event.u.gap.lost = lost;
    event.u.gap.cause = cause;
    int result = t->tasks.told
                     ? timeline_tasks_lost(t, (uint32_t)(lane - t->lanes), event.u.gap.start_ns)
                     : 0;
    return result != 0 ? result : timeline_send(t, lane->current, &event);
}

/* A lane of which nothing but losses came: that of threads for which there was none. */
static int begin_main(struct timeline *t, uint32_t number) {
    struct lane *lane = &t->lanes[number];
    lane->current = timeline_track(t, number, CONTEXT_MAIN_REFERENCE, 0);
    lane->last_ns = t->counts.first_ns;
    return lane->current == NULL ? -ENOMEM : timeline_announce(t, lane->current, t->counts.last_ns);
}

int timeline_report_unfound(struct timeline *t, uint32_t lane_number) {
    int result = 0;
    for (struct track_state *s = t->tracks.ran[lane_number]; s != NULL && result == 0;
         s = s->ran_after) {
        result = zones_report_unfound(&t->zones, s);
    }
    return result;
}

int timeline_last_gaps(struct timeline *t, uint32_t number) {
    struct lane *lane = &t->lanes[number];
    const int64_t now_ns = t->counts.last_ns;
    int result = 0;
    if (lane->unshown != 0 && lane->current != NULL) {
        result = timeline_gap(t, lane, lane->last_ns, now_ns, lane->unshown, GAP_LINK);
    }
    if (lane->pending == 0 || result != 0) {
        return result;
    }
    timeline_add(&t->counts.lost_ring, lane->pending);
    result = lane->current == NULL ? begin_main(t, number) : 0;
    return result != 0 ? result
                       : timeline_gap(t, lane, lane->last_ns, now_ns, lane->pending, GAP_RING_FULL);
}
