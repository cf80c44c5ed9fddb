/* SPDX-License-Identifier: MIT */
#include "sink/chrome_flows.h"

#include "sink/chrome_event.h"

static void start_of(struct chrome *chrome, const struct event *event, char phase,
                     const char *category) {
    start(chrome, phase, event->site->name, chrome_pid(event->track), event->track->id,
          event->time_ns);
    field(chrome, "cat", category);
}

static void field_number(struct chrome *chrome, const struct event *event) {
    put(chrome, ",\"id\":");
    json_number(chrome->out, event->u.flow.number);
}

static void arg_repair(struct chrome *chrome, const char *key, const struct event *event) {
    if (event->u.flow.repaired != FLOW_WHOLE) {
        const char *why = flow_repair_text((enum flow_repair)event->u.flow.repaired);
        arg_text(chrome, key, why, strlen(why));
    }
}

static void write_async(struct chrome *chrome, const struct event *event) {
    const bool begins = event->kind == EVENT_ASYNC_BEGIN;
    start_of(chrome, event, begins ? 'b' : 'e', "async");
    field_number(chrome, event);
    if (begins) {
        field_place(chrome, event->site);
        field_stack(chrome, event->stack);
        arg_number(chrome, "id", event->u.flow.id);
    }
    arg_repair(chrome, "end", event);
    finish(chrome);
}

/* An arrow joins slices: that of a flow is one that takes no time. */
static void write_flow(struct chrome *chrome, const struct event *event) {
    const bool sends = event->kind == EVENT_FLOW_SEND, ends = event->kind == EVENT_FLOW_RECEIVE;
    start_of(chrome, event, 'B', event_word(event->kind));
    field_place(chrome, event->site);
    field_stack(chrome, event->stack);
    arg_number(chrome, "id", event->u.flow.id);
    arg_repair(chrome, "flow", event);
    if (event->u.flow.number != 0 && !sends && event->u.flow.repaired != FLOW_NOT_SENT) {
        arg_number(chrome, "ns since its send", event_flow_ns(event));
    }
    if (event->u.flow.bound_ns != 0) {
        arg_number(chrome, "clock error, ns", (uint64_t)event->u.flow.bound_ns);
    }
    finish(chrome);
    if (event->u.flow.number != 0) {
        start_of(chrome, event, sends ? 's' : ends ? 'f' : 't', "flow");
        field_number(chrome, event);
        if (ends) { /* the slice that is open here, and none that begins later */
            field(chrome, "bp", "e");
        }
        finish(chrome);
    }
    start_of(chrome, event, 'E', event_word(event->kind));
    finish(chrome);
}

void chrome_flow_event(struct chrome *chrome, const struct event *event) {
    if (event_is_async(event->kind)) {
        write_async(chrome, event);
    } else {
        write_flow(chrome, event);
    }
}
