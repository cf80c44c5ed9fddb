/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_flows.h"

#include <errno.h>
#include <string.h>

#include "base/decimal.h"
#include "base/join.h"
#include "sink/perfetto_stacks.h"

/* Apart from the arrows between the holds of an object. */
#define FLOW_BIT (UINT64_C(1) << 63)

static void note_repair(struct perfetto_writer *writer, const char *key,
                        const struct event *event) {
    if (event->u.flow.repaired != FLOW_WHOLE) {
        const char *why = flow_repair_text((enum flow_repair)event->u.flow.repaired);
        perfetto_note_text(writer, key, why, strlen(why));
    }
}

/* An arrow joins slices, and an instant is one. */
static int write_flow(struct perfetto_writer *writer, struct perfetto_track *track,
                      const struct event *event) {
    const bool ends = event->kind == EVENT_FLOW_RECEIVE;
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_site(writer, event->site);
    perfetto_category(writer, event_word(event->kind));
    perfetto_note_number(writer, "id", event->u.flow.id);
    note_repair(writer, "flow", event);
    if (event->u.flow.number != 0) {
        if (event->kind != EVENT_FLOW_SEND && event->u.flow.repaired != FLOW_NOT_SENT) {
            perfetto_note_number(writer, "ns since its send", event_flow_ns(event));
        }
        if (event->u.flow.bound_ns != 0) {
            perfetto_note_number(writer, "clock error, ns", (uint64_t)event->u.flow.bound_ns);
        }
        (ends ? perfetto_flow_end : perfetto_flow)(writer, FLOW_BIT | event->u.flow.number);
    }
    perfetto_stack(writer, event->stack);
    return perfetto_event_end(writer);
}

/* Zones of one name overlap: each row has one at a time. Viewers group rows of one name. */
static int write_async(struct perfetto_rows *rows, const struct event *event) {
    char key[512], name[256];
    const char *shown = event->site->name;
    const size_t length = strnlen(shown, sizeof key - DECIMAL_BYTES - 2);
    memcpy(key, shown, length);
    key[length] = '.';
    *decimal_put(key + length + 1, event->u.flow.row) = '\0';
    join(name, sizeof name, (const char *const[]){"async: ", shown, NULL});
    struct series *series = series_by_name(&rows->series, event->track->session, SERIES_ASYNC, key);
    struct perfetto_line *line = perfetto_line(rows, series, name, PERFETTO_UNIT_NO_COUNTER);
    if (!line) {
        return -ENOMEM;
    }
    const bool begins = event->kind == EVENT_ASYNC_BEGIN;
    perfetto_event_begin(&rows->writer, &line->row,
                         begins ? PERFETTO_SLICE_BEGIN : PERFETTO_SLICE_END,
                         series_not_before(series, event->time_ns));
    if (begins) {
        perfetto_name_site(&rows->writer, event->site);
        perfetto_category(&rows->writer, "async");
        perfetto_note_number(&rows->writer, "id", event->u.flow.id);
        perfetto_stack(&rows->writer, event->stack);
    }
    perfetto_note_text(&rows->writer, begins ? "begun by" : "ended by", event->track->name,
                       strlen(event->track->name));
    note_repair(&rows->writer, "end", event);
    return perfetto_event_end(&rows->writer);
}

int perfetto_flow_event(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event) {
    return event_is_async(event->kind) ? write_async(rows, event)
                                       : write_flow(&rows->writer, track, event);
}
