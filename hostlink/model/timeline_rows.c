/* SPDX-License-Identifier: MIT */
#include "model/timeline_rows.h"

#include "kymo/wire.h"

/* No interrupt lasts longer, nor does a signal handler on a busy machine. */
#define INTERRUPTED_NS_MAX INT64_C(1000000000)

uint32_t timeline_session_number(const struct timeline *t) {
    return t->session == 0 ? 0 : t->session - 1;
}

/* A context that was interrupted between its look at the clock and its place in the ring has an earlier time than the
 * interrupt's events before it on that lane. */
static bool was_interrupted(const struct timeline *t, const struct track_state *state,
                            int64_t time_ns) {
    return time_ns < t->lanes[state->lane].last_ns && state->last_ns - time_ns < INTERRUPTED_NS_MAX;
}

int timeline_foreign(struct timeline *t, const struct event *event) {
    if (!t->timed || event->time_ns < t->counts.first_ns) {
        t->counts.first_ns = event->time_ns;
        t->timed = true;
    }
    if (event->time_ns > t->counts.last_ns) {
        t->counts.last_ns = event->time_ns;
    }
    return t->emit(t->context, event);
}

int timeline_send(struct timeline *t, struct track_state *state, struct event *event) {
    if (event->time_ns < state->last_ns) {
        t->counts.repairs += was_interrupted(t, state, event->time_ns) ? 0 : 1;
        event->time_ns = state->last_ns;
    }
    state->last_ns = event->time_ns;
    event->track = state->track;
    return timeline_foreign(t, event);
}

uint32_t timeline_row(struct timeline *t) { return ++t->tracks.count; }
uint64_t timeline_flow_number(struct timeline *t) { return ++t->flows.number; }

/* This is not an event of the track: a later one may still have an earlier time. */
int timeline_announce(struct timeline *t, struct track_state *state, int64_t time_ns) {
    const struct event event = {.kind = EVENT_TRACK, .time_ns = time_ns, .track = state->track};
    state->announced = true;
    return t->emit(t->context, &event);
}

struct track_state *timeline_track(struct timeline *t, uint32_t lane, uint32_t reference,
                                   uint64_t ticks) {
    const struct track_query query = {timeline_session_number(t), lane, reference, ticks};
    return tracks_find(&t->tracks, t->names, &query);
}

/* An interrupt returns to the context that it preempted, even if that has ended since: its switch back begins no new
 * life. */
struct track_state *timeline_switched_to(struct timeline *t, uint32_t lane_number,
                                         uint32_t reference, uint64_t ticks) {
    struct lane *lane = &t->lanes[lane_number];
    struct track_state *preempted = lane->preempted != NULL ? lane->preempted : lane->current;
    const bool returns = lane->preempted != NULL && preempted->reference == reference;
    struct track_state *state =
        returns ? preempted : timeline_track(t, lane_number, reference, ticks);
    const bool enters =
        state != NULL && (reference & 1u) == 0 && state->track->kind == KYMO_CONTEXT_INTERRUPT;
    lane->preempted = enters && !returns ? preempted : NULL;
    return state;
}

static int rename_track(struct timeline *t, struct track_state *state) {
    bool changed = track_rename(state, t->names);
    return changed && state->announced ? timeline_announce(t, state, state->last_ns) : 0;
}

static int rename_context(struct timeline *t, uint32_t reference) {
    int result = 0;
    for (uint32_t lane = 0; lane < tracks_lanes(reference); lane++) {
        struct track_state *state = tracks_newest(&t->tracks, lane, reference);
        for (uint32_t i = 0; i < TRACK_LIVES_MAX && state != NULL && result == 0; i++) {
            result = rename_track(t, state);
            state = state->earlier;
        }
    }
    return result;
}

int timeline_named_lanes(struct timeline *t) { return rename_context(t, CONTEXT_MAIN_REFERENCE); }

int timeline_named_site(struct timeline *t, uint32_t index) { return rename_context(t, index * 2); }

int timeline_renamed(struct timeline *t) {
    int result = 0;
    for (struct track_state *s = t->tracks.first; s != NULL && result == 0; s = s->next) {
        result = rename_track(t, s);
    }
    return result;
}

int timeline_end_track(struct timeline *t, const struct track_state *state) {
    const struct event event = {
        .kind = EVENT_TRACK_END, .time_ns = state->last_ns, .track = state->track};
    return state->announced ? t->emit(t->context, &event) : 0;
}

int timeline_end_tracks(struct timeline *t) {
    int result = 0;
    for (const struct track_state *s = t->tracks.first; s != NULL && result == 0; s = s->next) {
        result = timeline_end_track(t, s);
    }
    return result;
}

/* ---- interrupts ---- */

/* A site of an interrupt, as far as its name has come. */
static bool is_interrupt(struct names *names, const struct track_state *state) {
    const struct site *site = (state->reference & 1u) != 0
                                  ? NULL
                                  : names_site(names, state->track->session, state->reference / 2);
    return site != NULL && site->known && site->detail == KYMO_CONTEXT_INTERRUPT;
}

/* An interrupt that the lane came from has returned, unless "next" is one that interrupts it. */
int interrupts_follow(struct interrupts *interrupts, struct zones *zones, struct names *names,
                      struct track_state *next, int64_t time_ns) {
    bool interrupt = is_interrupt(names, next);
    uint32_t left = 0;
    int result = 0;
    for (uint32_t i = 0; interrupt && i < interrupts->count; i++) {
        left = interrupts->running[i] == next ? i + 1 : left;
    }
    bool enters = interrupt && left == 0;
    while (!enters && interrupts->count > left && result == 0) {
        result = zones_return(zones, interrupts->running[--interrupts->count], time_ns);
    }
    if (enters && interrupts->count < INTERRUPTS_MAX) {
        interrupts->running[interrupts->count++] = next;
    }
    return result;
}

int interrupts_end(struct interrupts *interrupts, struct zones *zones, int64_t time_ns) {
    int result = 0;
    while (interrupts->count != 0 && result == 0) {
        result = zones_not_left(zones, interrupts->running[--interrupts->count], time_ns);
    }
    return result;
}
