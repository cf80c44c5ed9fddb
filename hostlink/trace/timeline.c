#include "trace/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/liveset.h"
#include "kymo/wire.h"
#include "trace/format.h"
#include "trace/resolve.h"
#include "trace/tracks.h"

struct lane {
    bool seen;
    uint64_t first_ticks; /* of the first frame */
    uint64_t next;        /* number of the next event expected */
    uint64_t pending;     /* refused on the board, of which no LOSS event has told yet */
    uint64_t unshown;     /* lost on the link, to be shown as a gap at the next frame */
    int64_t last_ns;
    struct track_state *current;
};

struct timeline {
    struct names *names;
    struct clockfit *clock;
    timeline_event *emit;
    void *context;
    struct lane lanes[NAMES_LANES];
    struct tracks tracks;
    struct liveset live;
    uint32_t session; /* + 1; 0 before the first */
    struct timeline_counts counts;
    bool timed; /* first_ns is set */
    char text[FORMAT_BYTES_MAX];
};

struct timeline *timeline_new(struct names *names, struct clockfit *clock, timeline_event *emit,
                              void *context) {
    struct timeline *t = calloc(1, sizeof *t);
    if (t != NULL) {
        t->names = names;
        t->clock = clock;
        t->emit = emit;
        t->context = context;
        tracks_init(&t->tracks);
    }
    return t;
}

void timeline_free(struct timeline *t) {
    if (t != NULL) {
        tracks_free(&t->tracks);
        liveset_free(&t->live);
        free(t);
    }
}

uint32_t timeline_session_number(const struct timeline *t) {
    return t->session == 0 ? 0 : t->session - 1;
}

/* The next track of the session that runs, NULL behind the last. */
static struct track_state *of_session(const struct timeline *t, struct track_state *state) {
    return state != NULL && state->track.session == timeline_session_number(t) ? state : NULL;
}

/* Time never goes back within a track, whatever the board said. */
static int send(struct timeline *t, struct track_state *state, struct event *event) {
    if (event->time_ns < state->last_ns) {
        event->time_ns = state->last_ns;
        t->counts.repairs++;
    }
    state->last_ns = event->time_ns;
    event->track = &state->track;
    if (!t->timed || event->time_ns < t->counts.first_ns) {
        t->counts.first_ns = event->time_ns;
        t->timed = true;
    }
    if (event->time_ns > t->counts.last_ns) {
        t->counts.last_ns = event->time_ns;
    }
    return t->emit(t->context, event);
}

static int announce(struct timeline *t, struct track_state *state, int64_t time_ns) {
    struct event event = {.kind = EVENT_TRACK, .time_ns = time_ns};
    state->announced = true;
    return send(t, state, &event);
}

/* The innermost zone ends. */
static int pop(struct timeline *t, struct track_state *state, int64_t time_ns, bool repaired) {
    struct track_zone *zone = &state->zones[--state->depth];
    time_ns = time_ns < state->last_ns ? state->last_ns : time_ns;
    int64_t duration_ns = time_ns - zone->start_ns;
    struct event event = {.kind = EVENT_ZONE_END, .time_ns = time_ns, .site = zone->site};
    event.u.zone.start_ns = zone->start_ns;
    event.u.zone.self_ns = duration_ns - zone->inner_ns;
    event.u.zone.repaired = repaired;
    if (state->depth != 0) {
        zone[-1].inner_ns += duration_ns;
    }
    t->counts.repairs += repaired ? 1 : 0;
    return send(t, state, &event);
}

static int close_zones(struct timeline *t, struct track_state *state, int64_t time_ns) {
    int result = 0;
    while (state->depth != 0 && result == 0) {
        result = pop(t, state, time_ns, true);
    }
    state->beyond = 0;
    return result;
}

static int switch_context(struct timeline *t, uint32_t lane_number, uint32_t reference,
                          int64_t time_ns) {
    struct lane *lane = &t->lanes[lane_number];
    uint32_t session = timeline_session_number(t);
    if (lane->current != NULL && lane->current->reference == reference) {
        return 0;
    }
    struct track_state *state = tracks_find(&t->tracks, t->names, session, lane_number, reference);
    if (state == NULL) {
        return 0; /* stays where it is: better a wrong row than none */
    }
    state->lane = lane_number;
    state->track.core = lane_number;
    lane->current = state;
    int result = state->announced ? 0 : announce(t, state, time_ns);
    struct event event = {.kind = EVENT_SWITCH, .time_ns = time_ns};
    return result != 0 ? result : send(t, state, &event);
}

static int show_gap(struct timeline *t, struct lane *lane, int64_t start_ns, int64_t end_ns,
                    uint64_t lost, enum gap_cause cause) {
    struct event event = {.kind = EVENT_GAP, .time_ns = end_ns};
    event.u.gap.start_ns = start_ns < end_ns ? start_ns : end_ns;
    event.u.gap.lost = lost;
    event.u.gap.cause = cause;
    return send(t, lane->current, &event);
}

/* Begins and ends were lost with the rest: what was open on this lane cannot be known to be. Its
 * later ends find no zone and are left out. */
static int close_lane(struct timeline *t, uint32_t lane_number, int64_t time_ns) {
    int result = 0;
    for (struct track_state *s = of_session(t, t->tracks.first); s != NULL && result == 0;
         s = of_session(t, s->next)) {
        if (s->lane == lane_number) {
            result = close_zones(t, s, time_ns);
        }
    }
    return result;
}

static int end_session(struct timeline *t) {
    int result = 0;
    for (struct track_state *s = of_session(t, t->tracks.first); s != NULL && result == 0;
         s = of_session(t, s->next)) {
        result = close_zones(t, s, t->counts.last_ns);
    }
    for (uint32_t i = 0; i < NAMES_LANES && result == 0; i++) {
        struct lane *lane = &t->lanes[i];
        if (lane->unshown != 0 && lane->current != NULL) {
            result = show_gap(t, lane, lane->last_ns, t->counts.last_ns, lane->unshown, GAP_LINK);
        }
        t->counts.lost_ring += lane->pending;
    }
    memset(t->lanes, 0, sizeof t->lanes);
    return result;
}

int timeline_session(struct timeline *t, const char *image, int64_t epoch_ns) {
    int result = t->session == 0 ? 0 : end_session(t);
    t->session++;
    t->counts.sessions++;
    liveset_free(&t->live);
    struct event event = {.kind = EVENT_SESSION, .time_ns = t->counts.last_ns};
    event.u.session.image = image;
    event.u.session.clock_hz = clockfit_hz(t->clock);
    event.u.session.session = timeline_session_number(t);
    event.u.session.epoch_ns = epoch_ns;
    return result != 0 ? result : t->emit(t->context, &event);
}

enum timeline_order timeline_order(const struct timeline *t, const struct wire_head *head) {
    const struct lane *lane = &t->lanes[head->lane];
    if (head->first >= lane->next) {
        return TIMELINE_FOLLOWS;
    }
    bool again = head->first != 0 || head->ticks == lane->first_ticks;
    return again ? TIMELINE_REPEATED : TIMELINE_ANEW;
}

static void count_missing(struct timeline *t, struct lane *lane, uint64_t first) {
    uint64_t missing = first - lane->next;
    t->counts.lost_link += missing;
    lane->unshown += missing;
    if (!lane->seen) {
        t->counts.lost_before += missing;
        uint32_t lanes = (uint32_t)(lane - t->lanes) + 1;
        t->counts.lanes = lanes > t->counts.lanes ? lanes : t->counts.lanes;
    }
    lane->pending = missing != 0 ? 0 : lane->pending;
    lane->seen = true;
    lane->next = first;
}

int timeline_frame(struct timeline *t, const struct wire_head *head) {
    struct lane *lane = &t->lanes[head->lane];
    if (!t->clock->based) {
        clockfit_start(t->clock, head->ticks, t->counts.last_ns);
    }
    int64_t time_ns = clockfit_ns(t->clock, head->ticks);
    count_missing(t, lane, head->first);
    int result = 0;
    if (lane->current == NULL) {
        lane->first_ticks = head->ticks;
        lane->last_ns = t->clock->offset_ns;
        result = switch_context(t, head->lane, head->context, time_ns);
    }
    if (result == 0 && lane->unshown != 0 && lane->current != NULL) {
        result = close_lane(t, head->lane, lane->last_ns);
        result = result != 0 ? result
                             : show_gap(t, lane, lane->last_ns, time_ns, lane->unshown, GAP_LINK);
        lane->unshown = 0;
    }
    return result != 0 ? result : switch_context(t, head->lane, head->context, time_ns);
}

void timeline_frame_end(struct timeline *t, const struct wire_head *head, uint32_t decoded) {
    if (decoded <
        head->count) { /* correct CRC, but not what WIRE.md says: a fault of the board's */
        t->counts.repairs++;
    }
}

void timeline_status(struct timeline *t, uint32_t lane_number, uint64_t events, uint64_t pending) {
    struct lane *lane = &t->lanes[lane_number];
    if (events >= lane->next) {
        count_missing(t, lane, events);
        lane->pending = pending;
    }
}

int timeline_renamed(struct timeline *t) {
    int result = 0;
    for (struct track_state *s = of_session(t, t->tracks.first); s != NULL && result == 0;
         s = of_session(t, s->next)) {
        if (track_rename(s, t->names) && s->announced) {
            result = announce(t, s, s->last_ns);
        }
    }
    return result;
}

static const struct site *site_of(struct timeline *t, uint32_t reference) {
    const struct site *site = names_site(t->names, timeline_session_number(t), reference / 2);
    if (site != NULL && !site->known) {
        t->counts.unknown_names++;
    }
    return site;
}

static int zone_begin(struct timeline *t, struct track_state *state, struct event *event) {
    if (track_push(state, event->site,
                   event->time_ns < state->last_ns ? state->last_ns : event->time_ns) != 0) {
        state->beyond++;
        t->counts.repairs++;
        return 0;
    }
    return send(t, state, event);
}

static int zone_end(struct timeline *t, struct track_state *state, int64_t time_ns) {
    if (state->beyond != 0) {
        state->beyond--;
        return 0;
    }
    if (state->depth == 0) { /* its begin was lost, or lies before the capture */
        t->counts.repairs++;
        return 0;
    }
    return pop(t, state, time_ns, false);
}

/* It began on another lane: a task has one row on all of them, anything else a row on each. */
static int zone_end_on(struct timeline *t, const struct lane *lane, const struct wire_event *wire,
                       int64_t time_ns) {
    if (wire->words == 0 || wire->word[0] >= NAMES_LANES) {
        t->counts.repairs++;
        return 0;
    }
    struct track_state *state = tracks_find(&t->tracks, t->names, timeline_session_number(t),
                                            wire->word[0], lane->current->reference);
    return state != NULL ? zone_end(t, state, time_ns) : 0;
}

static int loss(struct timeline *t, struct lane *lane, const struct wire_event *wire,
                int64_t time_ns) {
    uint64_t lost = wire->words > 0 ? wire->word[0] : 0;
    uint64_t ticks = wire->words > 1 ? wire->word[1] : 0;
    lane->next += lost;
    lane->pending = 0;
    t->counts.lost_ring += lost;
    int64_t start_ns = clockfit_ns(t->clock, wire->ticks - (ticks < wire->ticks ? ticks : 0));
    if (wire->words > 2 &&
        wire->word[2] != 0) { /* ends that had no promise: nobody knows of which zones */
        int result = close_lane(t, (uint32_t)(lane - t->lanes), time_ns);
        if (result != 0) {
            return result;
        }
    }
    return show_gap(t, lane, start_ns, time_ns, lost, GAP_RING_FULL);
}

static int context_name(struct timeline *t, uint32_t lane, const struct wire_event *wire,
                        int64_t time_ns) {
    size_t length = resolve_string(t->text, wire, 1);
    struct track_state *state =
        tracks_find(&t->tracks, t->names, timeline_session_number(t), lane, wire->reference);
    const char *name = names_text(t->names, t->text, length);
    if (state == NULL || name == NULL || wire->words == 0) {
        return 0;
    }
    state->track.kind = (uint8_t)wire->word[0];
    state->track.name = name;
    /* A name has no place in time: told on another lane, it may be ahead of what the task's own has still to tell. */
    const int64_t first_ns = t->timed ? t->counts.first_ns : time_ns;
    return announce(t, state, state->announced ? state->last_ns : first_ns);
}

/* Attributes belong to the innermost zone of their context. */
static int zone_attribute(struct timeline *t, struct track_state *state, struct event *event) {
    if (state->depth == 0) {
        t->counts.repairs++;
        return 0;
    }
    event->site = state->zones[state->depth - 1].site;
    return send(t, state, event);
}

static const char *string_site(void *context, uint32_t index) {
    struct timeline *t = context;
    const struct site *site = names_site(t->names, timeline_session_number(t), index);
    return site != NULL ? site->name : "";
}

static int resolved(struct timeline *t, struct track_state *state, const struct wire_event *wire,
                    struct event *event) {
    if ((wire->kind & KYMO_KIND_HAS_REF) != 0) {
        event->site = site_of(t, wire->reference);
        if (event->site == NULL) {
            t->counts.repairs++;
            return 0;
        }
    }
    struct resolve_place place = {t->text, sizeof t->text, string_site, t};
    if (!resolve_event(event, wire, &place)) {
        return 0; /* a kind of a newer board */
    }
    switch (event->kind) {
    case EVENT_ZONE_BEGIN:
        return zone_begin(t, state, event);
    case EVENT_ZONE_TEXT:
    case EVENT_ZONE_NAME:
    case EVENT_ZONE_VALUE:
    case EVENT_ZONE_COLOR:
        return zone_attribute(t, state, event);
    case EVENT_ALLOC:
        liveset_add(&t->live, event->site->id, event->u.memory.address, event->u.memory.bytes);
        return send(t, state, event);
    case EVENT_FREE:
        event->u.memory.bytes = liveset_remove(&t->live, event->site->id, event->u.memory.address);
        return send(t, state, event);
    default:
        return send(t, state, event);
    }
}

int timeline_wire_event(struct timeline *t, uint32_t lane_number, const struct wire_event *wire) {
    struct lane *lane = &t->lanes[lane_number];
    int64_t time_ns = clockfit_ns(t->clock, wire->ticks);
    if (KYMO_KIND_IS_COUNTED(wire->kind)) {
        lane->next++;
        t->counts.delivered++;
    }
    if (lane->current == NULL) {
        return 0;
    }
    lane->last_ns = time_ns > lane->last_ns ? time_ns : lane->last_ns;
    switch (wire->kind) {
    case KYMO_KIND_CONTEXT:
    case KYMO_KIND_CONTEXT_NOW:
        return switch_context(t, lane_number, wire->reference, time_ns);
    case KYMO_KIND_CONTEXT_NAME:
        return context_name(t, lane_number, wire, time_ns);
    case KYMO_KIND_LOSS:
        return loss(t, lane, wire, time_ns);
    default:
        break;
    }
    lane->current->lane = lane_number; /* it may have been elsewhere, where frames were lost */
    struct event event = {.time_ns = time_ns};
    switch (wire->kind) {
    case KYMO_KIND_ZONE_END:
        return zone_end(t, lane->current, time_ns);
    case KYMO_KIND_ZONE_END_ON:
        return zone_end_on(t, lane, wire, time_ns);
    default:
        return resolved(t, lane->current, wire, &event);
    }
}

int timeline_end(struct timeline *t) { return end_session(t); }

void timeline_counts(const struct timeline *t, struct timeline_counts *counts) {
    *counts = t->counts;
    for (uint32_t i = 0; i < NAMES_LANES; i++) {
        counts->lost_ring += t->lanes[i].pending;
    }
    counts->tracks = t->tracks.count;
}
