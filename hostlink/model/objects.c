/* SPDX-License-Identifier: MIT */
#include "model/objects.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"

/* ---- holds ---- */

static void take_out(struct hold **at, struct hold *next, struct hold ***at_next) {
    *at = next;
    if (next != NULL) {
        *at_next = at;
    }
}

static void unlink_hold(struct objects *o, struct hold *hold) {
    struct hold *next = hold->next_of_object;
    take_out(hold->at_object, next, next != NULL ? &next->at_object : NULL);
    next = hold->next_of_track;
    take_out(hold->at_track, next, next != NULL ? &next->at_track : NULL);
    hold->object->hold_count--;
    o->holds--;
    free(hold);
}

static int add_hold(struct objects *o, struct object_state *object, struct track_state *by,
                    const struct hold *of) {
    if (object->hold_count == OBJECT_HOLDS_MAX || o->holds == HOLDS_MAX) {
        o->refused++;
        return -E2BIG;
    }
    struct hold *hold = malloc(sizeof *hold);
    if (hold == NULL) {
        return -ENOMEM;
    }
    *hold = *of;
    hold->object = object;
    hold->by = by;
    hold->next_of_object = object->holds;
    hold->next_of_track = by->holds;
    hold->at_object = &object->holds;
    hold->at_track = &by->holds;
    if (object->holds != NULL) {
        object->holds->at_object = &hold->next_of_object;
    }
    if (by->holds != NULL) {
        by->holds->at_track = &hold->next_of_track;
    }
    object->holds = by->holds = hold;
    object->hold_count++;
    o->holds++;
    return 0;
}

static struct hold *find_hold(const struct object_state *object, const struct track_state *by,
                              bool waits) {
    struct hold *hold = object->holds;
    while (hold != NULL && (hold->by != by || hold->waits != waits)) {
        hold = hold->next_of_object;
    }
    return hold;
}

/* It ends without an event of the board. */
static int close_hold(struct objects *o, struct hold *hold, int64_t time_ns, enum hold_repair why) {
    struct track_state *by = hold->by;
    struct event event = {
        .kind = EVENT_HOLD_END,
        .time_ns = time_ns < hold->start_ns ? hold->start_ns : time_ns,
        .object = &hold->object->object,
    };
    event.u.hold.start_ns = hold->start_ns;
    event.u.hold.shared = hold->shared;
    event.u.hold.waited = hold->waits;
    event.u.hold.repaired = why;
    o->repairs += why != HOLD_ENDED && why != HOLD_END_OPEN ? 1 : 0;
    unlink_hold(o, hold);
    return o->send(o->context, by, &event);
}

static int close_object(struct objects *o, struct object_state *object, int64_t time_ns) {
    int result = 0;
    while (object->holds != NULL && result == 0) {
        result = close_hold(o, object->holds, time_ns, HOLD_END_OBJECT);
    }
    return result;
}

int objects_close(struct objects *o, struct track_state *state, int64_t time_ns,
                  enum hold_repair why) {
    int result = 0;
    while (state->holds != NULL && result == 0) {
        o->unmatched += why == HOLD_END_LOST ? 1 : 0;
        result = close_hold(o, state->holds, time_ns, why);
    }
    return result;
}

/* Ends the holds that cannot go on when the context holds the object from now on. */
static int make_way(struct objects *o, struct object_state *object, const struct track_state *by,
                    bool shared, int64_t time_ns) {
    int result = 0;
    struct hold *next;
    for (struct hold *hold = object->holds; hold != NULL && result == 0; hold = next) {
        next = hold->next_of_object;
        if (!hold->waits && (!shared || !hold->shared || hold->by == by)) {
            object->over = hold->by->track;
            object->over_ns = time_ns;
            result = close_hold(o, hold, time_ns, HOLD_TAKEN_OVER);
        }
    }
    return result;
}

static int waits(struct objects *o, struct track_state *state, struct object_state *object,
                 struct event *event) {
    struct hold *before = find_hold(object, state, true);
    int result = before != NULL ? close_hold(o, before, event->time_ns, HOLD_ENDED) : 0;
    if (result == 0) {
        const struct hold hold = {
            .start_ns = event->time_ns, .waits = true, .shared = event->u.hold.shared};
        result = add_hold(o, object, state, &hold);
    }
    return result == -E2BIG ? 0 : result != 0 ? result : o->send(o->context, state, event);
}

static int takes(struct objects *o, struct track_state *state, struct object_state *object,
                 struct event *event) {
    const bool shared = event->u.hold.shared;
    struct hold *wait = find_hold(object, state, true);
    event->u.hold.start_ns = wait != NULL ? wait->start_ns : event->time_ns;
    event->u.hold.waited = wait != NULL;
    if (wait != NULL) {
        unlink_hold(o, wait);
    }
    int result = make_way(o, object, state, shared, event->time_ns);
    if (result == 0) {
        const struct hold hold = {.start_ns = event->time_ns, .shared = shared};
        result = add_hold(o, object, state, &hold);
    }
    return result == -E2BIG ? 0 : result != 0 ? result : o->send(o->context, state, event);
}

/* At one time the records of two cores may come in either order: then nothing was missing. */
static bool was_taken_over(struct objects *o, const struct track_state *state,
                           struct object_state *object, int64_t time_ns) {
    const bool same = object->over == state->track && object->over_ns == time_ns;
    if (same) {
        object->over = NULL;
        o->repairs--;
    }
    return same;
}

/* The exclusive holder: a semaphore may be given by another context than the one that took it. */
static struct hold *held_by_another(const struct object_state *object) {
    struct hold *hold = object->holds;
    while (hold != NULL && (hold->waits || hold->shared)) {
        hold = hold->next_of_object;
    }
    return hold;
}

struct track_state *objects_holder(const struct object_state *object) {
    const struct hold *hold = held_by_another(object);
    return hold != NULL ? hold->by : NULL;
}

static int gives_nothing(struct objects *o, struct track_state *state, struct event *event) {
    o->repairs++;
    if (o->unmatched != 0) {
        o->unmatched--;
        return 0;
    }
    event->kind = EVENT_REPAIR;
    event->u.repair = REPAIR_GIVE_WITHOUT_HOLD;
    return o->send(o->context, state, event);
}

static int gives(struct objects *o, struct track_state *state, struct object_state *object,
                 struct event *event) {
    struct hold *hold = find_hold(object, state, false);
    hold = hold != NULL ? hold : find_hold(object, state, true);
    if (hold == NULL && was_taken_over(o, state, object, event->time_ns)) {
        return 0;
    }
    hold = hold != NULL ? hold : held_by_another(object);
    if (hold == NULL) {
        return gives_nothing(o, state, event);
    }
    struct track_state *by = hold->by;
    event->u.hold.start_ns = hold->start_ns;
    event->u.hold.shared = hold->shared;
    event->u.hold.waited = hold->waits;
    unlink_hold(o, hold);
    return o->send(o->context, by, event);
}

int objects_hold(struct objects *o, struct track_state *state, struct object_state *object,
                 struct event *event) {
    const enum kymo_kind_role role = event_role(event->kind);
    if (event->time_ns < state->last_ns) { /* so that no hold begins before it is seen to */
        event->time_ns = state->last_ns;
        o->repairs++;
    }
    event->u.hold.shared = role >= KYMO_ROLE_WAITS_SHARED;
    event->u.hold.start_ns = event->time_ns;
    event->u.hold.waited = false;
    event->u.hold.repaired = HOLD_ENDED;
    switch (role) {
    case KYMO_ROLE_WAITS:
    case KYMO_ROLE_WAITS_SHARED:
        return waits(o, state, object, event);
    case KYMO_ROLE_TAKES:
    case KYMO_ROLE_TAKES_SHARED:
        return takes(o, state, object, event);
    default:
        return gives(o, state, object, event);
    }
}

/* ---- objects ---- */

void objects_restart(struct objects *o) {
    /* Only holds whose end could not be sent are left: their tracks go. */
    for (struct object_state *object = o->first; object != NULL && o->holds != 0;
         object = object->next) {
        while (object->holds != NULL) {
            unlink_hold(o, object->holds);
        }
    }
    intmap_free(&o->numbers);
    o->state_count = 0;
    o->unmatched = 0;
}

void objects_free(struct objects *o) {
    objects_restart(o);
    while (o->first != NULL) {
        struct object_state *next = o->first->next;
        free(o->first);
        o->first = next;
    }
    free(o->states);
    o->states = NULL;
    o->state_capacity = 0;
}

void objects_lost(struct objects *o, uint64_t events) { o->unmatched += events; }

static const char *identity_name(const struct objects *o, const struct object_event *of) {
    char text[48];
    const int length =
        snprintf(text, sizeof text, "%s 0x%" PRIx64, object_class_word(of->of), of->identity);
    return names_text(o->names, text, (size_t)length);
}

static int announce(struct objects *o, struct track_state *state, struct object_state *object,
                    int64_t time_ns) {
    struct event event = {
        .kind = EVENT_OBJECT, .time_ns = time_ns, .object = &object->object, .site = NULL};
    return o->send(o->context, state, &event);
}

static struct object_state **new_place(struct objects *o, uint64_t identity) {
    if (!grow(&o->states, &o->state_capacity, o->state_count, sizeof *o->states)) {
        return NULL;
    }
    if (o->count == OBJECTS_MAX || intmap_add(&o->numbers, identity, o->state_count + 1) != 0) {
        return NULL;
    }
    o->states[o->state_count] = NULL;
    return &o->states[o->state_count++];
}

/* The place in "states" of an identity. NULL: no memory, or too many. */
static struct object_state **place_of(struct objects *o, uint64_t identity) {
    const uint32_t number = intmap_get(&o->numbers, identity);
    struct object_state **place = number != 0 ? &o->states[number - 1] : new_place(o, identity);
    o->refused += place == NULL ? 1 : 0;
    return place;
}

static struct object_state *new_object(struct objects *o, const struct track_state *state,
                                       const struct object_event *of) {
    struct object_state *made = o->count < OBJECTS_MAX ? calloc(1, sizeof *made) : NULL;
    const char *name = made != NULL ? identity_name(o, of) : NULL;
    if (name == NULL) {
        o->refused++;
        free(made);
        return NULL;
    }
    made->object = (struct object){.id = ++o->count,
                                   .session = state->track->session,
                                   .identity = of->identity,
                                   .of = of->of,
                                   .name = name};
    made->next = o->first;
    o->first = made;
    return made;
}

static struct late_key late_key(const struct object *object) {
    return (struct late_key){
        .of = object->identity, .from = object->id, .session = object->session, .is_object = 1};
}

/* Takes a name that an earlier pass found and the board sends later. */
static void take_late_name(const struct objects *o, struct object *object) {
    const struct late_key key = late_key(object);
    const struct late_name *late = names_late(o->names, &key);
    object->name = late != NULL ? late->name : object->name;
}

/* "length": of the board's name; 0: no name. False: no memory. */
static bool set_name(const struct objects *o, struct object *object, const char *name,
                     size_t length, bool shown) {
    const struct late_key key = late_key(object);
    const struct late_name late = {.name = name};
    if (shown && !object->named && length != 0 && names_come_late(o->names, &key, &late) != 0) {
        return false;
    }
    object->named = length != 0;
    object->name = name;
    return true;
}

/* "named": the board names it, and the name is still to be sent. */
static struct object_state *find(struct objects *o, struct track_state *state,
                                 const struct object_event *of, bool named) {
    struct object_state **place = place_of(o, of->identity);
    if (place == NULL || *place != NULL) {
        return place != NULL ? *place : NULL;
    }
    *place = new_object(o, state, of);
    if (*place != NULL && !named) {
        o->repairs += of->nameless ? 0 : 1;
        take_late_name(o, &(*place)->object);
        (void)announce(o, state, *place, of->time_ns);
    }
    return *place;
}

struct object_state *objects_find(struct objects *o, struct track_state *state,
                                  const struct object_event *of) {
    return find(o, state, of, false);
}

static int end(struct objects *o, struct track_state *state, struct object_state **place,
               int64_t time_ns) {
    struct event event = {
        .kind = EVENT_OBJECT_END, .time_ns = time_ns, .object = &(*place)->object};
    int result = close_object(o, *place, time_ns);
    (*place)->ended = true;
    *place = NULL;
    return result != 0 ? result : o->send(o->context, state, &event);
}

int objects_name(struct objects *o, struct track_state *state, const struct object_event *of,
                 const char *text, size_t length, const struct site *site) {
    const char *name = length != 0 ? names_text(o->names, text, length) : identity_name(o, of);
    struct object_state **place = name != NULL ? place_of(o, of->identity) : NULL;
    if (place == NULL) {
        return name != NULL ? 0 : -ENOMEM;
    }
    const struct object *known = *place != NULL ? &(*place)->object : NULL;
    if (known != NULL &&
        (known->of != of->of || (known->named && strcmp(known->name, name) != 0))) {
        int result = end(o, state, place, of->time_ns);
        if (result != 0) {
            return result;
        }
    }
    const bool shown = *place != NULL;
    struct object_state *object = find(o, state, of, true);
    if (object == NULL) {
        return 0;
    }
    if (!set_name(o, &object->object, name, length, shown)) {
        return -ENOMEM;
    }
    object->object.site = site;
    return announce(o, state, object, of->time_ns);
}

int objects_rename(struct objects *o, struct track_state *state, const struct object_event *of,
                   const char *text, size_t length) {
    struct object_state *object = objects_find(o, state, of);
    if (object == NULL) {
        return 0;
    }
    const struct object_event known = {.identity = of->identity, .of = object->object.of};
    const char *name = length != 0 ? names_text(o->names, text, length) : identity_name(o, &known);
    if (name == NULL || !set_name(o, &object->object, name, length, true)) {
        return -ENOMEM;
    }
    return announce(o, state, object, of->time_ns);
}

int objects_end(struct objects *o, struct track_state *state, const struct object_event *of) {
    const uint32_t number = intmap_get(&o->numbers, of->identity);
    if (number == 0 || o->states[number - 1] == NULL) {
        if (o->count == OBJECTS_MAX) {
            o->refused++;
        } else {
            o->repairs++;
        }
        return 0;
    }
    return end(o, state, &o->states[number - 1], of->time_ns);
}
