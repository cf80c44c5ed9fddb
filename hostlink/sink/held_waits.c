/* SPDX-License-Identifier: MIT */
#include "sink/held_waits.h"

static void take(struct held_waits *waits, const struct event *event) {
    if (waits->count < HELD_WAITS_MAX && event->object->of == KYMO_OBJECT_LOCK) {
        waits->held[waits->count++] =
            (struct held){.track = event->track, .object = event->object, .waits_ns = -1};
    }
}

static void end_wait(struct held_waits *waits, struct held *held, int64_t time_ns) {
    const uint64_t ns = time_ns > held->waits_ns ? (uint64_t)(time_ns - held->waits_ns) : 0;
    if (held->waits_ns >= 0 && ns > waits->ns) {
        waits->track = held->track;
        waits->object = held->object;
        waits->ns = ns;
        waits->at_ns = held->waits_ns;
        waits->why = held->why;
    }
    held->waits_ns = -1;
}

static void give(struct held_waits *waits, const struct event *event) {
    for (unsigned i = 0; i < waits->count; i++) {
        if (waits->held[i].track == event->track && waits->held[i].object == event->object) {
            waits->held[i] = waits->held[--waits->count];
            return;
        }
    }
}

/* A condition gives its lock back while one waits for it. */
static bool is_wait(const struct event *event) {
    const uint8_t state = event->u.task.state, why = event->u.task.why;
    return (state == TASK_WAITING || state == TASK_SUSPENDED) && why != KYMO_WHY_LOCK &&
           why != KYMO_WHY_CONDITION;
}

static void change(struct held_waits *waits, const struct event *event) {
    for (unsigned i = 0; i < waits->count; i++) {
        struct held *held = &waits->held[i];
        if (held->track != event->track) {
            continue;
        }
        end_wait(waits, held, event->time_ns);
        if (is_wait(event)) {
            held->waits_ns = event->time_ns;
            held->why = event->u.task.why;
        }
    }
}

static void end_session(struct held_waits *waits, const struct event *event) {
    for (unsigned i = waits->count; i-- > 0;) {
        if (event_is_of_board(event, waits->held[i].track)) {
            waits->held[i] = waits->held[--waits->count];
        }
    }
}

int held_waits_event(struct held_waits *waits, const struct event *event) {
    if (event_ends_session(event)) {
        end_session(waits, event);
    } else if (event->kind == EVENT_TASK && waits->count > 0) {
        change(waits, event);
    } else if (event_holds(event->kind) && event->object != NULL) {
        if (event_hold(event->kind) == EVENT_TAKES) {
            take(waits, event);
        } else if (event_hold(event->kind) == EVENT_GIVES && !event->u.hold.waited) {
            give(waits, event);
        }
    }
    return 0;
}
