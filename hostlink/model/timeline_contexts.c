/* SPDX-License-Identifier: MIT */
/* The rows that contexts have: names, and ends. */
#include "kymo/wire.h"
#include "model/resolve.h"
#include "model/timeline_state.h"

/* It is no event of the track: what comes late may still be of an earlier time. */
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

/* An interrupt returns to what it preempted, also if that is over since: its switch back begins no other life. */
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

int timeline_before_other_names(struct timeline *t) {
    const int result = timeline_last_frames(t);
    return result != 0 ? result : timeline_last_flows(t);
}

int timeline_renamed(struct timeline *t) {
    int result = 0;
    for (struct track_state *s = t->tracks.first; s != NULL && result == 0; s = s->next) {
        result = rename_track(t, s);
    }
    return result;
}

int timeline_context_name(struct timeline *t, uint32_t lane, const struct wire_event *wire,
                          int64_t time_ns) {
    size_t length = resolve_string(t->text, wire, 1);
    struct track_state *state = timeline_track(t, lane, wire->reference, wire->ticks);
    if (state == NULL || state->shared || wire->words == 0 ||
        !tracks_name(&t->tracks, state, t->names, t->text, length, (uint8_t)wire->word[0])) {
        return 0;
    }
    /* A name has no place in time: told on another lane, it may be ahead of what the task's own has still to tell. */
    const int64_t first_ns = t->timed ? t->counts.first_ns : time_ns;
    return timeline_announce(t, state, state->announced ? state->last_ns : first_ns);
}

/* Sinks may forget it. */
static int send_end(struct timeline *t, const struct track_state *state) {
    const struct event event = {
        .kind = EVENT_TRACK_END, .time_ns = state->last_ns, .track = state->track};
    return state->announced ? t->emit(t->context, &event) : 0;
}

int timeline_end_tracks(struct timeline *t) {
    int result = 0;
    for (const struct track_state *s = t->tracks.first; s != NULL && result == 0; s = s->next) {
        result = send_end(t, s);
    }
    return result;
}

/* A lane may still run it, or an interrupt that preempted it, or it began something after its end. */
static bool is_in_use(const struct timeline *t, const struct track_state *state) {
    bool used =
        state->holds != NULL || state->depth != 0 || state->beyond != 0 || state->unfound != 0;
    for (uint32_t lane = 0; lane < WIRE_LANES && !used; lane++) {
        used = t->lanes[lane].current == state || t->lanes[lane].preempted == state ||
               t->tasks.runs[lane] == state;
    }
    return used;
}

/* Two for each that ends, so that those in use do not let the others pile up. */
static int forget_ended(struct timeline *t) {
    struct track_state *state;
    int result = 0;
    for (int i = 0; i < 2 && result == 0 && (state = tracks_take_over(&t->tracks)) != NULL; i++) {
        if (is_in_use(t, state)) {
            tracks_keep_over(&t->tracks, state);
        } else {
            result = send_end(t, state);
            tracks_forget(&t->tracks, state);
        }
    }
    return result;
}

int timeline_context_end(struct timeline *t, const struct wire_event *wire, int64_t time_ns) {
    struct track_query query = {timeline_session_number(t), 0, wire->reference, wire->ticks};
    int result = 0;
    for (; query.lane < tracks_lanes(wire->reference) && result == 0; query.lane++) {
        struct track_state *state = tracks_end(&t->tracks, t->names, &query);
        result = state != NULL ? zones_close(&t->zones, state, time_ns, ZONE_END_TASK) : 0;
        result = result == 0 && state != NULL
                     ? objects_close(&t->objects, state, time_ns, HOLD_END_TASK)
                     : result;
        result = result == 0 && state != NULL ? timeline_task_over(t, state, time_ns) : result;
    }
    return result != 0 ? result : forget_ended(t);
}
