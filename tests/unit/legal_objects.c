/* SPDX-License-Identifier: MIT */
/* The timeline's promises about run-time objects. */
#include "legal_events.h"

struct legal_object *legal_object(struct legal *legal, uint32_t id) {
    legal->objects =
        legal_grown(legal->objects, &legal->object_count, (size_t)id + 1, sizeof *legal->objects);
    return &legal->objects[id];
}

struct legal_hold *legal_hold(const struct legal_object *object, const struct track *by,
                              bool waits) {
    for (size_t i = 0; i < object->count; i++) {
        if (object->holds[i].by == by && object->holds[i].waits == waits) {
            return &object->holds[i];
        }
    }
    return NULL;
}

bool legal_may_take(const struct legal_object *object, bool shared) {
    for (size_t i = 0; i < object->count; i++) {
        if (!object->holds[i].waits && (!shared || !object->holds[i].shared)) {
            return false;
        }
    }
    return true;
}

bool legal_objects_free(const struct legal *legal) {
    for (size_t i = 0; i < legal->object_count; i++) {
        if (legal->objects[i].count != 0) {
            return false;
        }
    }
    return true;
}

static void add(struct legal_object *o, const struct event *event, bool waits) {
    o->holds = legal_grown(o->holds, &o->capacity, o->count + 1, sizeof *o->holds);
    o->holds[o->count++] =
        (struct legal_hold){event->track, waits, event->u.hold.shared, event->time_ns};
}

static const char *take_out(struct legal_object *o, const struct event *event, bool waits) {
    struct legal_hold *hold = legal_hold(o, event->track, waits);
    if (hold == NULL || hold->start_ns != event->u.hold.start_ns) {
        return hold == NULL ? "an object given back that is not held"
                            : "a hold or a wait that ends with another start";
    }
    *hold = o->holds[--o->count];
    return NULL;
}

static const char *check_take(struct legal_object *o, const struct event *event) {
    if (event->u.hold.waited != (legal_hold(o, event->track, true) != NULL)) {
        return "a wait that is not the one before";
    }
    const char *wrong = event->u.hold.waited ? take_out(o, event, true) : NULL;
    if (wrong == NULL &&
        (!legal_may_take(o, event->u.hold.shared) || legal_hold(o, event->track, false) != NULL)) {
        wrong = "an object taken that is held";
    }
    add(o, event, false);
    return wrong;
}

static const char *check_hold(struct legal_object *o, const struct event *event) {
    switch (event_hold(event->kind)) {
    case EVENT_WAITS: {
        const bool waited = legal_hold(o, event->track, true) != NULL;
        add(o, event, true);
        return waited ? "a context waits twice" : NULL;
    }
    case EVENT_TAKES:
        return check_take(o, event);
    default:
        return take_out(o, event, event->u.hold.waited);
    }
}

const char *legal_object_event(struct legal *legal, const struct event *event) {
    if (event->object == NULL || event->object->id == 0 || event->object->name == NULL) {
        return "an event without its object";
    }
    struct legal_object *o = legal_object(legal, event->object->id);
    if (event->kind == EVENT_OBJECT) {
        const bool moved = o->object != NULL && o->object != event->object;
        o->object = event->object;
        return moved ? "two objects of one id" : NULL;
    }
    if (o->object != event->object) {
        return "an object before its announcement, or after its end";
    }
    if (event->kind == EVENT_OBJECT_END) {
        o->object = NULL;
        return o->count != 0 ? "an object ends that is held" : NULL;
    }
    return event_holds(event->kind) ? check_hold(o, event) : NULL;
}
