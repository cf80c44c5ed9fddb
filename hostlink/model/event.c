/* SPDX-License-Identifier: MIT */
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/join.h"
#include "base/kinds.h"

const char *event_word(enum event_kind kind) {
    static const char *const own[] = {"session",  "track", "switch", "repair",
                                      "hold end", "gap",   "task",   "track end"};
    const struct kind *row = kind_of(kind);
    return row != NULL ? row->word : own[kind - EVENT_SESSION];
}

const char *object_class_word(uint8_t of) {
    static const char *const words[] = {
        [KYMO_OBJECT_LOCK] = "lock",           [KYMO_OBJECT_QUEUE] = "queue",
        [KYMO_OBJECT_TASK] = "task",           [KYMO_OBJECT_TIMER] = "timer",
        [KYMO_OBJECT_SEMAPHORE] = "semaphore", [KYMO_OBJECT_FLAGS] = "event flags",
        [KYMO_OBJECT_STREAM] = "stream",       [KYMO_OBJECT_POOL] = "pool",
        [KYMO_OBJECT_CONDITION] = "condition"};
    return of < sizeof words / sizeof words[0] ? words[of] : "object";
}

const char *task_state_word(enum task_state state) {
    static const char *const words[] = {"unknown", "ready", "runs", "waits", "suspended", "over"};
    return (size_t)state < sizeof words / sizeof words[0] ? words[state] : "?";
}

const char *task_why_word(uint8_t why) {
    static const char *const words[] = {[KYMO_WHY_UNKNOWN] = "unknown",
                                        [KYMO_WHY_DELAY] = "delay",
                                        [KYMO_WHY_EMPTY] = "receive",
                                        [KYMO_WHY_FULL] = "send",
                                        [KYMO_WHY_SEMAPHORE] = "semaphore",
                                        [KYMO_WHY_LOCK] = "lock",
                                        [KYMO_WHY_NOTIFICATION] = "notification",
                                        [KYMO_WHY_FLAGS] = "event flags",
                                        [KYMO_WHY_SUSPENDED] = "suspended",
                                        [KYMO_WHY_JOIN] = "join",
                                        [KYMO_WHY_MEMORY] = "memory",
                                        [KYMO_WHY_IO] = "input or output",
                                        [KYMO_WHY_CONDITION] = "condition",
                                        [KYMO_WHY_OVER] = "over"};
    return why < sizeof words / sizeof words[0] ? words[why] : "?";
}

static int flow_text(const struct event *event, char *out, size_t size) {
    const bool ends = event->kind == EVENT_FLOW_RECEIVE || event->kind == EVENT_ASYNC_END;
    const enum flow_repair why = (enum flow_repair)event->u.flow.repaired;
    char took[80] = "";
    int length = 0;
    if (ends && event->u.flow.number != 0) {
        length = snprintf(took, sizeof took, " after %.3f us", (double)event_flow_ns(event) / 1e3);
    }
    if (event->u.flow.bound_ns != 0) {
        snprintf(took + length, sizeof took - (size_t)length, ", clock error %.3f us",
                 (double)event->u.flow.bound_ns / 1e3);
    }
    return snprintf(out, size, " %" PRIu64 "%s%s%s", event->u.flow.id, took,
                    why != FLOW_WHOLE ? ", " : "", why != FLOW_WHOLE ? flow_repair_text(why) : "");
}

/* The value of an event, as snprintf() does it. */
static int value_text(const struct event *event, char *out, size_t size) {
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_U32:
    case KYMO_CARRIES_U64:
        return snprintf(out, size, " %" PRIu64, event->u.value);
    case KYMO_CARRIES_COLOR:
        return snprintf(out, size, " #%06" PRIx64, event->u.value & 0xffffffu);
    case KYMO_CARRIES_I64:
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        return event->u.plot.type == PLOT_INT
                   ? snprintf(out, size, " %" PRId64, event->u.plot.integer)
                   : snprintf(out, size, " %.17g", event->u.plot.real);
    case KYMO_CARRIES_BLOCK:
        return snprintf(out, size, " 0x%" PRIx64 " %" PRIu64, event->u.memory.address,
                        event->u.memory.bytes);
    case KYMO_CARRIES_ADDRESS:
        return snprintf(out, size, " 0x%" PRIx64, event->u.memory.address);
    case KYMO_CARRIES_COUNTERS:
        return event->u.counters.instructions == 0
                   ? snprintf(out, size, " %" PRIu32 " cycles", event->u.counters.cycles)
                   : snprintf(out, size, " %" PRIu32 " cycles, %" PRIu32 " instructions, IPC %.2f",
                              event->u.counters.cycles, event->u.counters.instructions,
                              event_ipc(event->u.counters.cycles, event->u.counters.instructions));
    case KYMO_CARRIES_COUNT:
        return snprintf(out, size, " %" PRIu32 " %s", event->u.count.times,
                        event->u.count.of->name);
    case KYMO_CARRIES_LARGE:
        return snprintf(out, size, " %s, %" PRIu64 " bytes", event->u.large.name,
                        event->u.large.bytes);
    case KYMO_CARRIES_PRIORITY:
        return snprintf(out, size, " %" PRId32, event->u.priority.value);
    case KYMO_CARRIES_UNUSED:
        return snprintf(out, size, " %" PRIu32 " of %" PRIu32 " bytes never used",
                        event->u.stack.unused, event->u.stack.bytes);
    case KYMO_CARRIES_PERIOD:
        return snprintf(out, size, " %" PRIu32 " us, deadline %" PRIu32 " us",
                        event->u.period.period_us, event->u.period.deadline_us);
    case KYMO_CARRIES_LEVEL:
        return snprintf(out, size, " %" PRIu32, event->u.level);
    case KYMO_CARRIES_FLOW:
        return flow_text(event, out, size);
    case KYMO_CARRIES_SAMPLE:
        return snprintf(out, size, " %" PRIu64 " missed before it", event->u.sample.missed);
    case KYMO_CARRIES_TEXT:
    case KYMO_CARRIES_ARGUMENTS:
    case KYMO_CARRIES_MESSAGE:
        return snprintf(out, size, " %s", event->u.text.bytes);
    default:
        return snprintf(out, size, "%s", "");
    }
}

static size_t written(int length, size_t size) {
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

size_t event_text(const struct event *event, char *out, size_t size) {
    const char *name = event_name(event);
    const int head =
        snprintf(out, size, "%s:%s%s", event_word(event->kind), name[0] != '\0' ? " " : "", name);
    const size_t length = written(head, size);
    return length + written(value_text(event, out + length, size - length), size - length);
}

const char *hold_repair_text(enum hold_repair repair) {
    switch (repair) {
    case HOLD_ENDED:
        return "received";
    case HOLD_TAKEN_OVER:
        return "release missing: obtained again before it";
    case HOLD_END_LOST:
        return "release not received: events were lost";
    case HOLD_END_OBJECT:
        return "not released before its object ended";
    case HOLD_END_TASK:
        return "not released before its task ended";
    case HOLD_END_OPEN:
        return "not released when the trace ended";
    }
    return "unknown";
}

const char *zone_repair_text(enum zone_repair repair) {
    switch (repair) {
    case ZONE_ENDED:
        return "received";
    case ZONE_END_LOST:
        return "not received: events were lost";
    case ZONE_END_OPEN:
        return "not received: still open when the trace ended";
    case ZONE_END_MISSING:
        return "missing: the firmware ended neither this zone nor all zones inside it";
    case ZONE_END_UNSURE:
        return "unsure: may be the end of a zone around it, where one end is missing";
    case ZONE_END_TASK:
        return "its task ended";
    case ZONE_END_LEFT:
        return "left by a jump or never returned: ends with the function around it";
    }
    return "unknown";
}

const char *frame_repair_text(enum frame_repair repair) {
    switch (repair) {
    case FRAME_ENDED:
        return "received";
    case FRAME_STARTED_AGAIN:
        return "not received: the next frame started";
    case FRAME_END_OPEN:
        return "not received: still open when the trace ended";
    }
    return "unknown";
}

const char *flow_repair_text(enum flow_repair repair) {
    switch (repair) {
    case FLOW_WHOLE:
        return "received";
    case FLOW_NOT_SENT:
        return "its send did not come before it";
    case FLOW_SENT_AGAIN:
        return "the one before it of this id was not received";
    case FLOW_BEGAN_AGAIN:
        return "end not received: this id began again";
    case FLOW_END_OPEN:
        return "end not received: still open when the trace ended";
    case FLOW_TOO_MANY:
        return "end not shown: too many are open";
    }
    return "unknown";
}

const char free_repair_text[] = "not received: allocated again";

const char *repair_text(enum repair repair) {
    switch (repair) {
    case REPAIR_END_WITHOUT_ZONE:
        return "end without an open zone: left out";
    case REPAIR_NOTE_WITHOUT_ZONE:
        return "text, name, value or colour without an open zone: left out";
    case REPAIR_TOO_DEEP:
        return "zone nested too deeply: left out";
    case REPAIR_NOT_LEFT:
        return "interrupt not left when the trace ended";
    case REPAIR_GIVE_WITHOUT_HOLD:
        return "released without being held: left out";
    case REPAIR_FRAME_WITHOUT_START:
        return "end of a frame that never started: left out";
    case REPAIR_TIME_BACK:
        return "the device recorded an earlier time than before: shown at the later one";
    case REPAIR_CLOCK_ANEW:
        return "the device's clock was set back: it goes on from here";
    case REPAIR_ASYNC_WITHOUT_BEGIN:
        return "end of an asynchronous zone that is not open: left out";
    }
    return "unknown";
}

bool event_signpost(const struct event *event, struct signpost *signpost) {
    static const char *const heads[] = {"signpost: ", "TT_SIGNPOST: ", "`TT_SIGNPOST: "};
    if (event->kind != EVENT_MESSAGE && event->kind != EVENT_MESSAGE_TEXT) {
        return false;
    }
    const char *at = event->u.text.bytes, *const end = at + event->u.text.length;
    size_t head = 0, i = 0;
    for (; i < sizeof heads / sizeof *heads; i++) {
        head = strlen(heads[i]);
        if (event->u.text.length >= head && memcmp(at, heads[i], head) == 0) {
            break;
        }
    }
    if (i == sizeof heads / sizeof *heads) {
        return false;
    }
    at += head;
    const char *line = memchr(at, '\n', (size_t)(end - at));
    signpost->header = at;
    signpost->header_bytes = (size_t)((line != NULL ? line : end) - at);
    signpost->text = line != NULL ? line + 1 : end;
    signpost->text_bytes = (size_t)(end - signpost->text);
    return true;
}

bool event_curve(const struct event *event, char name[EVENT_CURVE_BYTES], int64_t *value) {
    const bool level = event->kind == EVENT_OBJECT_PUT || event->kind == EVENT_OBJECT_GET;
    if (level && event->object != NULL && event->object->of != KYMO_OBJECT_TIMER) {
        (void)snprintf(name, EVENT_CURVE_BYTES, "level: %s", event->object->name);
        *value = event->u.level;
        return true;
    }
    if (event->kind == EVENT_TASK_STACK) {
        (void)snprintf(name, EVENT_CURVE_BYTES, "stack never used: %s", event->track->name);
        *value = event->u.stack.unused;
        return true;
    }
    return false;
}

/* ---- why a task waits ---- */

void task_reason(const struct event *event, char *text, size_t size) {
    const struct object *object = event->object;
    const struct track *other = event->u.task.other;
    join(text, size,
         (const char *const[]){object == NULL   ? task_why_word(event->u.task.why)
                               : !object->named ? ""
                                                : object_class_word(object->of),
                               object != NULL && object->named ? " " : "",
                               object != NULL ? object->name : "",
                               other == NULL            ? ""
                               : event->u.task.guess    ? " (taken by "
                               : event->u.task.deadlock ? " (deadlock, held by "
                                                        : " (held by ",
                               other != NULL ? other->name : "", other != NULL ? ")" : "", NULL});
}

const char *event_level_word(uint8_t level) {
    static const char *const words[] = {"trace", "debug", "info", "warning",
                                        "error", "fatal", "crash"};
    return level < sizeof words / sizeof *words ? words[level] : "unknown";
}
