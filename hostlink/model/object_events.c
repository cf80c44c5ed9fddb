/* SPDX-License-Identifier: MIT */
#include "model/object_events.h"

#include "base/kinds.h"
#include "model/resolve.h"
#include "model/timeline_rows.h"

static uint32_t word(const struct wire_event *wire, uint32_t index) {
    return index < wire->words ? wire->word[index] : 0;
}

/* The class that all objects of the kind have. */
static uint8_t class_of(const struct kind *kind, const struct wire_event *wire) {
    if (kind->payload == KYMO_CARRIES_OBJECT) {
        return word(wire, 0) <= UINT8_MAX ? (uint8_t)word(wire, 0) : UINT8_MAX;
    }
    return kind->reference == KYMO_REFERENCE_OBJECT_LOCK ? KYMO_OBJECT_LOCK : UINT8_MAX;
}

static uint64_t identity_of(const struct kind *kind, const struct wire_event *wire) {
    const bool second = kind->payload == KYMO_CARRIES_OBJECT ||
                        kind->payload == KYMO_CARRIES_WAIT || kind->payload == KYMO_CARRIES_LEVEL;
    const uint32_t high = second ? 1 : 0;
    return wire->reference | (uint64_t)word(wire, high) << 32;
}

static const struct site *place_of(struct timeline *t, const struct wire_event *wire) {
    const uint32_t number = word(wire, 2);
    return number == 0 ? NULL : names_site(t->names, timeline_session_number(t), number - 1);
}

static const struct site *find_site(void *context, uint32_t index) {
    struct timeline *t = context;
    return names_site(t->names, timeline_session_number(t), index);
}

static int other(struct timeline *t, struct track_state *state, const struct wire_event *wire,
                 const struct object_event *of, const struct callstack *stack) {
    struct event event = {.time_ns = of->time_ns, .stack = stack};
    const struct resolve_place place = {
        .text = t->text, .text_bytes = sizeof t->text, .site = find_site, .context = t};
    struct object_state *object = objects_find(&t->objects, state, of);
    if (object == NULL || !resolve_event(&event, wire, &place)) {
        return 0;
    }
    event.object = &object->object;
    const enum kymo_kind_role role = event_role(event.kind);
    return role >= KYMO_ROLE_WAITS && role <= KYMO_ROLE_GIVES_SHARED
               ? objects_hold(&t->objects, state, object, &event)
               : timeline_send(t, state, &event);
}

struct object_state *object_of_event(struct timeline *t, struct track_state *state,
                                     const struct wire_event *wire, uint8_t of, int64_t time_ns) {
    const struct object_event event = {identity_of(kind_of(wire->kind), wire), of, time_ns, true};
    return event.identity != 0 ? objects_find(&t->objects, state, &event) : NULL;
}

int object_event(struct timeline *t, struct track_state *state, const struct wire_event *wire,
                 int64_t time_ns, const struct callstack *stack) {
    const struct kind *kind = kind_of(wire->kind);
    const struct object_event of = {identity_of(kind, wire), class_of(kind, wire), time_ns, false};
    int result = zones_other(&t->zones, state);
    if (result != 0) {
        return result;
    }
    if (wire->kind == KYMO_KIND_OBJECT) {
        const size_t length = resolve_string(t->text, wire, 3);
        return objects_name(&t->objects, state, &of, t->text, length, place_of(t, wire));
    }
    if (wire->kind == KYMO_KIND_OBJECT_NAME) {
        const size_t length = resolve_string(t->text, wire, 1);
        return objects_rename(&t->objects, state, &of, t->text, length);
    }
    return wire->kind == KYMO_KIND_OBJECT_END ? objects_end(&t->objects, state, &of)
                                              : other(t, state, wire, &of, stack);
}
