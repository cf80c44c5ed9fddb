/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_holds.h"

#include <errno.h>
#include <string.h>

#include "base/decimal.h"
#include "base/join.h"
#include "sink/perfetto_stacks.h"

/* Holds of one object alone follow each other; waits and shared holds of several contexts overlap, and have a row for
 * each context. */
static struct series *row_of(struct perfetto_rows *rows, const struct event *event, bool alone,
                             struct perfetto_line **line) {
    const struct object *object = event->object;
    const char *of = object_class_word(object->of);
    char key[2 * DECIMAL_BYTES + 2], name[256];
    char *end = decimal_put(key, object->id);
    *end++ = '.';
    *decimal_put(end, alone ? 0 : event->track->id) = '\0';
    join(name, sizeof name,
         (const char *const[]){of, ": ", object->name, alone ? NULL : " (", event->track->name, ")",
                               NULL});
    struct series *series = series_by_name(&rows->series, object->session, SERIES_OBJECT, key);
    *line = perfetto_line(rows, series, name, PERFETTO_UNIT_NO_COUNTER);
    return *line != NULL ? series : NULL;
}

/* An arrow leads from each hold to the next one that was waited for. */
static uint64_t flow_of(const struct object *object, uint64_t hold) {
    return (uint64_t)object->id << 32 | (hold & UINT32_MAX);
}

static int64_t not_before(struct series *series, int64_t time_ns) {
    series->last_ns = time_ns > series->last_ns ? time_ns : series->last_ns;
    return series->last_ns;
}

static int begin(struct perfetto_rows *rows, const struct event *event, bool waits) {
    const bool alone = !waits && !event->u.hold.shared;
    struct perfetto_line *line;
    struct series *series = row_of(rows, event, alone, &line);
    char name[128];
    if (series == NULL) {
        return -ENOMEM;
    }
    join(name, sizeof name,
         (const char *const[]){waits ? "" : "held by ", event->track->name, waits ? " waits" : NULL,
                               NULL});
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_SLICE_BEGIN,
                         not_before(series, event->time_ns));
    perfetto_name_constant(&rows->writer, name);
    perfetto_category(&rows->writer, object_class_word(event->object->of));
    if (event->object->site != NULL) {
        perfetto_place(&rows->writer, event->object->site);
    }
    perfetto_stack(&rows->writer, event->stack);
    if (alone) {
        if (event->u.hold.waited && series->holds != 0) {
            perfetto_flow_end(&rows->writer, flow_of(event->object, series->holds));
        }
        perfetto_flow(&rows->writer, flow_of(event->object, ++series->holds));
    }
    return perfetto_event_end(&rows->writer);
}

static int end(struct perfetto_rows *rows, const struct event *event, bool waits) {
    struct perfetto_line *line;
    struct series *series = row_of(rows, event, !waits && !event->u.hold.shared, &line);
    if (series == NULL) {
        return -ENOMEM;
    }
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_SLICE_END,
                         not_before(series, event->time_ns));
    if (event->u.hold.repaired != HOLD_ENDED) {
        const char *why = hold_repair_text(event->u.hold.repaired);
        perfetto_note_text(&rows->writer, "end", why, strlen(why));
    }
    return perfetto_event_end(&rows->writer);
}

int perfetto_hold(struct perfetto_rows *rows, const struct event *event) {
    switch (event_hold(event->kind)) {
    case EVENT_WAITS:
        return begin(rows, event, true);
    case EVENT_GIVES:
        return end(rows, event, event->u.hold.waited);
    default: {
        int error = event->u.hold.waited ? end(rows, event, true) : 0;
        return error ? error : begin(rows, event, false);
    }
    }
}
