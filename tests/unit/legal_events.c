/* SPDX-License-Identifier: MIT */
#include "legal_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/kinds.h"
#include "base/utf8.h"
#include "wire/site_entry.h"

void *legal_grown(void *memory, size_t *count, size_t least, size_t size) {
    if (least > *count) {
        const size_t more = least * 2 + 16;
        memory = realloc(memory, more * size);
        if (memory == NULL) {
            abort();
        }
        memset((char *)memory + *count * size, 0, (more - *count) * size);
        *count = more;
    }
    return memory;
}

struct legal_track *legal_track(struct legal *legal, uint32_t id) {
    legal->tracks =
        legal_grown(legal->tracks, &legal->track_count, (size_t)id + 1, sizeof *legal->tracks);
    return &legal->tracks[id];
}

static bool carries_text(enum event_kind kind) {
    return event_payload(kind) == KYMO_CARRIES_TEXT ||
           event_payload(kind) == KYMO_CARRIES_ARGUMENTS;
}

static bool is_note(enum event_kind kind) { return event_role(kind) == KYMO_ROLE_NOTE; }

/* hostlink's own kinds do not, nor do those of objects and of nothing. */
static bool needs_site(enum event_kind kind) {
    return kind == EVENT_ZONE_END || is_note(kind) || kind_site(kind_of(kind)) >= 0;
}

static bool needs_object(enum event_kind kind) {
    const struct kind *row = kind_of(kind);
    return kind == EVENT_HOLD_END || (row != NULL && row->reference >= KYMO_REFERENCE_OBJECT &&
                                      row->reference <= KYMO_REFERENCE_OBJECT_LOCK);
}

const enum event_kind legal_kinds[] = {
#define LEGAL_KIND(name, number, reference, payload, role, word) EVENT_##name,
    KYMO_KINDS(LEGAL_KIND)
#undef LEGAL_KIND
        EVENT_SESSION,
    EVENT_TRACK,
    EVENT_SWITCH,
    EVENT_REPAIR,
    EVENT_HOLD_END,
    EVENT_GAP,
    EVENT_TASK,
    EVENT_TRACK_END};
const size_t legal_kind_count = sizeof legal_kinds / sizeof legal_kinds[0];

/* True for events that only the timeline sees, or sends in another form. */
static bool is_consumed(enum event_kind kind) {
    const struct kind *row = kind_of(kind);
    return kind == EVENT_TASK_READY || kind == EVENT_TASK_SUSPENDED || kind == EVENT_TASK_WAITS ||
           kind == EVENT_ZONE_END_ON || kind == EVENT_MESSAGE_TEXT || kind == EVENT_OBJECT_NAME ||
           kind == EVENT_MEMORY_DISCARD || (row != NULL && row->reference == KYMO_REFERENCE_CODE) ||
           (row != NULL && (row->role == KYMO_ROLE_PREFIX || row->role == KYMO_ROLE_TIMELINE) &&
            row->reference != KYMO_REFERENCE_OBJECT);
}

static const char *check_begin(struct legal_track *t, const struct event *event) {
    t->zones = legal_grown(t->zones, &t->capacity, t->depth + 1, sizeof *t->zones);
    t->zones[t->depth++] = (struct legal_zone){event->site, event->time_ns};
    return NULL;
}

static const char *check_end(struct legal_track *t, const struct event *event) {
    if (t->depth == 0) {
        return "a zone ends that did not begin";
    }
    const struct legal_zone *zone = &t->zones[--t->depth];
    return zone->site != event->site ? "an end names another zone than the innermost"
           : zone->start_ns != event->u.zone.start_ns ? "an end has another start than its begin"
           : event->u.zone.repaired >= ZONE_REPAIRS   ? "an end without a reason"
           : event->u.zone.self_ns < 0                ? "a zone of negative length"
           : event->u.zone.self_ns > event->time_ns - zone->start_ns ? "a zone longer than itself"
                                                                     : NULL;
}

static const char *check_note(const struct legal_track *t, const struct event *event) {
    return t->depth == 0 ? "a note without a zone"
           : t->zones[t->depth - 1].site != event->site
               ? "a note on another zone than the innermost"
               : NULL;
}

static const char *check_text(const struct event *event) {
    const char *bytes = event->u.text.bytes;
    return bytes[event->u.text.length] != '\0'        ? "a text without a NUL behind it"
           : !utf8_valid(bytes, event->u.text.length) ? "a text that is not UTF-8"
                                                      : NULL;
}

bool legal_is_of_task(enum event_kind kind) {
    return kind == EVENT_TASK || event_role(kind) == KYMO_ROLE_TASK;
}

/* A state lasts until the next one of its task. */
static const char *check_task(const struct legal *legal, struct legal_track *t,
                              const struct event *event) {
    const uint8_t before = t->state, state = event->u.task.state;
    const int64_t since_ns = t->state_ns;
    const struct object *object = event->object;
    t->state = state;
    t->state_ns = event->time_ns;
    if (object != NULL && (object->id >= legal->object_count || object->name == NULL)) {
        return "a task waits for an object before its announcement";
    }
    if (event->u.task.deadlock &&
        (state != TASK_WAITING || object == NULL || event->u.task.other == NULL)) {
        return "a deadlock without what is waited for, and who holds it";
    }
    return event->u.task.before != before || state >= TASK_STATES
               ? "a task's state is not the one before"
           : event->u.task.since_ns != since_ns && before != TASK_UNKNOWN
               ? "a task's state did not begin then"
           : state == before && state != TASK_UNKNOWN ? "a state that does not change"
           : state == TASK_READY && event->u.task.other == event->track ? "a task wakes itself"
           : event->u.task.other != NULL && event->u.task.other->name == NULL
               ? "a waker without a name"
               : NULL;
}

static const char *check_on_track(struct legal *legal, struct legal_track *t,
                                  const struct event *event) {
    if (t->track != event->track || event->track->session + 1 != legal->sessions) {
        return t->track == NULL ? "a track before its announcement" : "a track of another session";
    }
    if (t->over) {
        return "an event of a track that is over";
    }
    int64_t *last_ns = legal_is_of_task(event->kind) ? &t->task_ns : &t->last_ns;
    if (event->time_ns < *last_ns) {
        return "time goes back within a track";
    }
    *last_ns = event->time_ns;
    if (event->kind == EVENT_TRACK_END) {
        t->over = true;
        return t->depth != 0 ? "a zone is left open at the end of its track" : NULL;
    }
    if (is_consumed(event->kind)) {
        return "an event that is the timeline's own";
    }
    if (event->kind == EVENT_TASK) {
        return check_task(legal, t, event);
    }
    if (needs_object(event->kind)) {
        return legal_object_event(legal, event);
    }
    if (needs_site(event->kind) && event->site == NULL) {
        return "an event without its site";
    }
    if (event->kind == EVENT_ALLOC || event->kind == EVENT_FREE) {
        return legal_memory_event(legal, event);
    }
    if (event->kind == EVENT_FRAME_START || event->kind == EVENT_FRAME_END) {
        return legal_frame_event(legal, event);
    }
    if (event_is_async(event->kind)) {
        return legal_async_event(legal, event);
    }
    if (event->kind == EVENT_ZONE_BEGIN) {
        return check_begin(t, event);
    }
    if (event->kind == EVENT_ZONE_END) {
        return check_end(t, event);
    }
    const char *wrong = is_note(event->kind) ? check_note(t, event) : NULL;
    wrong = wrong == NULL && carries_text(event->kind) ? check_text(event) : wrong;
    if (event->kind == EVENT_GAP &&
        (event->u.gap.start_ns < 0 || event->u.gap.start_ns > event->time_ns)) {
        return "a gap of negative length";
    }
    return wrong;
}

static const char *check_session(struct legal *legal, const struct event *event) {
    const char *wrong = legal_end(legal);
    liveset_free(&legal->blocks);
    liveset_free(&legal->asyncs);
    legal->set_count = 0;
    if (event->u.session.session != legal->sessions++) {
        return "a session out of order";
    }
    return wrong;
}

const char *legal_event(struct legal *legal, const struct event *event) {
    if (event->time_ns < 0 || event->time_ns > LEGAL_NS_MAX) {
        return "a time that cannot be";
    }
    if (event->kind == EVENT_SESSION) {
        return check_session(legal, event);
    }
    if (event->track == NULL || event->track->id == 0 || legal->sessions == 0) {
        return "an event without its track";
    }
    if (event->track->device == NULL && event->track->core >= WIRE_LANES) {
        return "a core that no packet can name";
    }
    struct legal_track *t = legal_track(legal, event->track->id);
    if (event->kind == EVENT_TRACK) { /* it is not in the order of the track's events */
        const bool moved = t->track != NULL && t->track != event->track;
        t->track = event->track;
        return moved ? "two tracks of one id" : NULL;
    }
    return check_on_track(legal, t, event);
}

const char *legal_end(const struct legal *legal) {
    for (size_t i = 0; i < legal->track_count; i++) {
        if (legal->tracks[i].depth != 0) {
            return "a zone is left open at the end";
        }
    }
    for (size_t i = 0; i < legal->set_count; i++) {
        if (legal->sets[i].site != NULL) {
            return "a frame is left open at the end";
        }
    }
    if (legal->asyncs.used != 0) {
        return "an asynchronous zone is left open at the end";
    }
    return legal_objects_free(legal) ? NULL : "an object is left held at the end";
}

void legal_free(struct legal *legal) {
    for (size_t i = 0; i < legal->track_count; i++) {
        free(legal->tracks[i].zones);
    }
    free(legal->tracks);
    for (size_t i = 0; i < legal->object_count; i++) {
        free(legal->objects[i].holds);
    }
    free(legal->objects);
    liveset_free(&legal->blocks);
    liveset_free(&legal->asyncs);
    free(legal->sets);
    *legal = (struct legal){0};
}
