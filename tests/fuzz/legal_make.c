/* SPDX-License-Identifier: MIT */
#include "legal_make.h"

#include "base/kinds.h"
#include "fuzz.h"

static void give(struct legal_maker *maker, const struct event *event) {
    const char *wrong = legal_event(&maker->legal, event);
    if (wrong != NULL) {
        fuzz_wrong(wrong);
    }
    maker->give(maker->context, event);
}

static int64_t within(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

static void set_end(const struct legal_track *t, struct event *event) {
    const struct legal_zone *zone = &t->zones[t->depth - 1];
    const uint32_t why = (uint32_t)event->u.zone.repaired % ZONE_REPAIRS;
    event->site = zone->site;
    event->u.zone.start_ns = zone->start_ns;
    event->u.zone.self_ns =
        within(event->u.zone.self_ns, 0, event->time_ns - event->u.zone.start_ns);
    event->u.zone.repaired = (enum zone_repair)why;
}

static void give_session(struct legal_maker *maker, struct event *event) {
    legal_make_end(maker);
    event->track = NULL;
    event->time_ns = within(event->time_ns, 0, LEGAL_NS_MAX);
    event->u.session.session = event->u.session.resets = maker->legal.sessions;
    give(maker, event);
}

/* False: the context can't do that with the object now. */
static bool fit_hold(const struct legal_maker *maker, struct event *event) {
    const struct legal_object *o = &maker->legal.objects[event->object->id];
    const struct legal_hold *wait = legal_hold(o, event->track, true);
    const struct legal_hold *hold = legal_hold(o, event->track, false);
    const enum event_hold what = event_hold(event->kind);
    event->u.hold.shared = event_role(event->kind) >= KYMO_ROLE_WAITS_SHARED;
    event->u.hold.waited = what == EVENT_WAITS   ? false
                           : what == EVENT_TAKES ? wait != NULL
                                                 : hold == NULL;
    event->u.hold.start_ns = wait != NULL ? wait->start_ns : event->time_ns;
    event->u.hold.repaired = event->kind == EVENT_HOLD_END ? HOLD_TAKEN_OVER : HOLD_ENDED;
    if (what == EVENT_GIVES) {
        const struct legal_hold *ends = hold != NULL ? hold : wait;
        event->u.hold.start_ns = ends != NULL ? ends->start_ns : 0;
        event->u.hold.shared = ends != NULL && ends->shared;
        return ends != NULL;
    }
    return what == EVENT_WAITS ? wait == NULL
                               : hold == NULL && legal_may_take(o, event->u.hold.shared);
}

/* False: the block is allocated already. */
static bool fit_block(struct legal_maker *maker, struct event *event) {
    const bool live = legal_block(&maker->legal, event);
    const bool frees = event->kind == EVENT_FREE;
    event->u.memory.unkept = !frees && event->u.memory.bytes % 5u == 0;
    event->u.memory.repaired = frees && live && event->u.memory.address % 5u == 0;
    event->u.memory.bytes = frees ? legal_block_bytes(&maker->legal, event) : event->u.memory.bytes;
    return frees || !live;
}

/* False: none is open in its row that can end, or one is where it would begin. */
static bool fit_async(struct legal_maker *maker, struct event *event) {
    const uint64_t open = legal_async(&maker->legal, event);
    const bool ends = event->kind == EVENT_ASYNC_END;
    event->u.flow.number = ends ? open : event->u.flow.number | 1u;
    event->u.flow.start_ns = within(event->u.flow.start_ns, 0, event->time_ns);
    return event->site->known && ends == (open != 0);
}

/* False: the task has that state. */
static bool fit_task(const struct legal_maker *maker, const struct legal_track *t,
                     struct event *event) {
    event->u.task.state %= TASK_STATES;
    event->u.task.before = t->state;
    event->u.task.since_ns = t->state_ns;
    if (event->object != NULL &&
        (event->u.task.state != TASK_WAITING || event->object->id >= maker->legal.object_count)) {
        event->object = NULL;
    }
    event->u.task.deadlock = event->u.task.deadlock && event->object != NULL &&
                             event->u.task.state == TASK_WAITING && event->u.task.other != NULL;
    return event->u.task.state != t->state;
}

/* False: the event cannot be here. */
static bool fit(struct legal_maker *maker, const struct legal_track *t, struct event *event) {
    const struct kind *kind = kind_of(event->kind);
    event->time_ns = within(event->time_ns, legal_is_of_task(event->kind) ? t->task_ns : t->last_ns,
                            LEGAL_NS_MAX);
    if (event_holds(event->kind) || event->kind == EVENT_OBJECT_END) {
        return event->object != NULL && event->object->session + 1 == maker->legal.sessions &&
               legal_object(&maker->legal, event->object->id)->object == event->object &&
               (event->kind == EVENT_OBJECT_END ? maker->legal.objects[event->object->id].count == 0
                                                : fit_hold(maker, event));
    }
    if (event->kind == EVENT_TASK) {
        return fit_task(maker, t, event);
    }
    if (event_role(event->kind) == KYMO_ROLE_STATE || event->kind == EVENT_OBJECT_PUT ||
        event->kind == EVENT_OBJECT_GET) {
        return event->object != NULL && event->object->session + 1 == maker->legal.sessions &&
               legal_object(&maker->legal, event->object->id)->object == event->object;
    }
    if (event->kind == EVENT_OBJECT) {
        return event->object != NULL && event->object->session + 1 == maker->legal.sessions;
    }
    if (kind != NULL && (kind->role == KYMO_ROLE_TIMELINE || kind->role == KYMO_ROLE_PREFIX ||
                         kind->reference == KYMO_REFERENCE_CODE)) {
        return false;
    }
    switch (event->kind) {
    case EVENT_TASK_READY:
    case EVENT_TASK_SUSPENDED:
    case EVENT_TASK_WAITS:
    case EVENT_ZONE_END_ON:
    case EVENT_MESSAGE_TEXT:
    case EVENT_MEMORY_DISCARD:
        return false;
    case EVENT_ZONE_END:
        if (t->depth != 0) {
            set_end(t, event);
        }
        return t->depth != 0;
    case EVENT_ZONE_TEXT:
    case EVENT_ZONE_NAME:
    case EVENT_ZONE_VALUE:
    case EVENT_ZONE_COLOR:
    case EVENT_ZONE_COUNTERS:
    case EVENT_ZONE_COUNT:
        event->site = t->depth != 0 ? t->zones[t->depth - 1].site : NULL;
        return t->depth != 0;
    case EVENT_FRAME_START:
    case EVENT_FRAME_END:
        event->u.frame.repaired = (enum frame_repair)(event->time_ns % 3);
        return event->site->known && (event->kind == EVENT_FRAME_START) ==
                                         (legal_set(&maker->legal, event->site)->site == NULL);
    case EVENT_ASYNC_BEGIN:
    case EVENT_ASYNC_END:
        return fit_async(maker, event);
    case EVENT_ALLOC:
    case EVENT_FREE:
        return fit_block(maker, event);
    case EVENT_GAP:
        event->u.gap.start_ns = within(event->u.gap.start_ns, 0, event->time_ns);
        return true;
    default:
        return true;
    }
}

/* Nothing is open on the track, no frame that it started, and it holds no object. */
static bool may_end(struct legal_maker *maker, const struct legal_track *t,
                    const struct track *track) {
    bool holds = false;
    for (size_t i = 0; i < maker->legal.set_count; i++) {
        holds = holds ||
                (maker->legal.sets[i].site != NULL && maker->legal.sets[i].track == track) ||
                maker->legal.sets[i].async == track;
    }
    for (size_t i = 0; i < maker->legal.object_count; i++) {
        const struct legal_object *o = &maker->legal.objects[i];
        for (size_t k = 0; k < o->count; k++) {
            holds = holds || o->holds[k].by == track;
        }
    }
    return t->depth == 0 && !holds;
}

void legal_make(struct legal_maker *maker, struct event event) {
    if (maker->legal.sessions == 0 || event.kind == EVENT_SESSION) {
        struct event session = {.kind = EVENT_SESSION, .time_ns = event.time_ns};
        session.u.session.image = "fuzz";
        give_session(maker, event.kind == EVENT_SESSION ? &event : &session);
    }
    if (event.kind == EVENT_SESSION || event.track->session + 1 != maker->legal.sessions) {
        return;
    }
    struct legal_track *t = legal_track(&maker->legal, event.track->id);
    if (t->over || (event.kind == EVENT_TRACK_END && !may_end(maker, t, event.track))) {
        return;
    }
    if (t->track == NULL && event.kind != EVENT_TRACK) {
        const struct event track = {.kind = EVENT_TRACK, .track = event.track};
        give(maker, &track);
    }
    if (event_holds(event.kind) && event.object->session + 1 == maker->legal.sessions &&
        legal_object(&maker->legal, event.object->id)->object == NULL) {
        const struct event object = {.kind = EVENT_OBJECT,
                                     .time_ns = t->last_ns,
                                     .track = event.track,
                                     .object = event.object};
        give(maker, &object);
    }
    if (fit(maker, t, &event)) {
        give(maker, &event);
    }
}

static void end_holds(struct legal_maker *maker) {
    for (size_t i = 0; i < maker->legal.object_count; i++) {
        const struct legal_object *o = &maker->legal.objects[i];
        while (o->count != 0) {
            const struct legal_hold hold = o->holds[o->count - 1];
            struct event end = {.kind = EVENT_HOLD_END,
                                .time_ns = legal_track(&maker->legal, hold.by->id)->last_ns,
                                .track = hold.by,
                                .object = o->object};
            end.u.hold.start_ns = hold.start_ns;
            end.u.hold.shared = hold.shared;
            end.u.hold.waited = hold.waits;
            end.u.hold.repaired = HOLD_END_OPEN;
            give(maker, &end);
        }
    }
}

static void end_frames(struct legal_maker *maker) {
    for (size_t i = 0; i < maker->legal.set_count; i++) {
        const struct legal_set *set = &maker->legal.sets[i];
        if (set->site != NULL) {
            struct event end = {.kind = EVENT_FRAME_END,
                                .time_ns = legal_track(&maker->legal, set->track->id)->last_ns,
                                .track = set->track,
                                .site = set->site};
            end.u.frame.repaired = FRAME_END_OPEN;
            give(maker, &end);
        }
    }
}

/* fuzz_sinks.c has no more rows. */
#define ASYNC_ROWS 4u

static void end_asyncs(struct legal_maker *maker) {
    for (size_t i = 0; i < maker->legal.set_count * ASYNC_ROWS; i++) {
        const struct legal_set *set = &maker->legal.sets[i / ASYNC_ROWS];
        const struct site site = {.known = true, .name = set->name, .function = "", .file = ""};
        struct event end = {.kind = EVENT_ASYNC_END, .track = set->async, .site = &site};
        end.u.flow.row = (uint32_t)(i % ASYNC_ROWS);
        end.u.flow.number = legal_async(&maker->legal, &end);
        end.u.flow.repaired = FLOW_END_OPEN;
        if (end.u.flow.number != 0) {
            end.time_ns = legal_track(&maker->legal, set->async->id)->last_ns;
            give(maker, &end);
        }
    }
}

void legal_make_end(struct legal_maker *maker) {
    end_holds(maker);
    end_frames(maker);
    end_asyncs(maker);
    for (size_t i = 0; i < maker->legal.track_count; i++) {
        struct legal_track *t = &maker->legal.tracks[i];
        while (t->depth != 0) {
            struct event end = {.kind = EVENT_ZONE_END, .time_ns = t->last_ns, .track = t->track};
            end.u.zone.repaired = ZONE_END_OPEN;
            set_end(t, &end);
            give(maker, &end);
        }
    }
}

void legal_make_free(struct legal_maker *maker) { legal_free(&maker->legal); }
