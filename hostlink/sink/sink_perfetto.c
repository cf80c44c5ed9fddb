/* SPDX-License-Identifier: MIT */
/* Perfetto's protobuf trace: one file with all data of an event. Zones are slices on the row of
 * their track, with the board's notes in their arguments; messages are instants that
 * are also in the table of logs; plots and memory are counters; frames, interrupts and losses have
 * rows of their own; the runs of a core are in the table of schedulings. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/join.h"
#include "kymo/wire.h"
#include "sink/count_label.h"
#include "sink/outfile.h"
#include "sink/perfetto_callstacks.h"
#include "sink/perfetto_rows.h"
#include "sink/perfetto_runs.h"
#include "sink/sink.h"

/* ---- flows and asynchronous zones ---- */

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

/* An event that carries the id of a flow. 0 or -errno. */
static int perfetto_flow_event(struct perfetto_rows *rows, struct perfetto_track *track,
                               const struct event *event) {
    return event_is_async(event->kind) ? write_async(rows, event)
                                       : write_flow(&rows->writer, track, event);
}

/* ---- holds of objects ---- */

/* Holds of run-time objects and waits for them: a row for each object with a slice for each hold, and a row for each
 * context that waits for it or shares it. */
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

/* An event that waits for an object, takes it or gives it. 0 or -errno. */
static int perfetto_hold(struct perfetto_rows *rows, const struct event *event) {
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

/* ---- samples ---- */

/* Samples in Perfetto's trace: the table of perf samples, of one packet sequence for all rows, so that a call stack is
 * written once; and missed samples on the row of the track. */
/* Numbers of protos/perfetto/trace/profiling/profile_packet.proto, PerfSample, as of Perfetto v55. */
enum {
    SAMPLE_CPU = 1,
    SAMPLE_PID = 2,
    SAMPLE_TID = 3,
    SAMPLE_CALLSTACK_IID = 4,
    SAMPLE_CPU_MODE = 5,
    SAMPLE_TIMEBASE_COUNT = 6
};
/* Profiling.CpuMode */
enum { MODE_USER = 2 };

#define NS_A_SECOND 1000000000u

static int write_missed(struct perfetto_writer *writer, const struct perfetto_track *track,
                        const struct event *event) {
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_constant(writer, "samples missed");
    perfetto_category(writer, "sample");
    perfetto_note_number(writer, "missed", event->u.sample.missed);
    return perfetto_event_end(writer);
}

/* An interrupt is no thread: its samples are those of the core's main code, with its functions. */
static int perfetto_sample(struct perfetto_rows *rows, const struct perfetto_track *track,
                           const struct event *event) {
    struct perfetto_writer *writer = &rows->writer;
    const struct track *source = event->track;
    const struct perfetto_line *core = perfetto_core(rows, source->session, source->core);
    const uint64_t period_ns = event->u.sample.period_ns;
    const int error = event->u.sample.missed != 0 ? write_missed(writer, track, event) : 0;
    if (core == NULL || error != 0) {
        return core == NULL ? -ENOMEM : error;
    }
    if (rows->samples.sample_hz == 0) {
        rows->samples.sample_hz = period_ns != 0 ? NS_A_SECOND / period_ns : 1;
    }
    rows->sample_count += 1 + event->u.sample.missed;
    perfetto_sample_begin(writer, &rows->samples, event->time_ns);
    protobuf_varint(&writer->event, SAMPLE_CPU, source->core);
    protobuf_varint(&writer->event, SAMPLE_PID, perfetto_pid(rows, source->session));
    protobuf_varint(&writer->event, SAMPLE_TID, track->tid != 0 ? track->tid : core->id);
    if (event->stack != NULL && event->stack->count != 0) {
        protobuf_varint(&writer->event, SAMPLE_CALLSTACK_IID,
                        perfetto_sampled_stack(writer, event->stack));
    }
    protobuf_varint(&writer->event, SAMPLE_CPU_MODE, MODE_USER);
    protobuf_varint(&writer->event, SAMPLE_TIMEBASE_COUNT, rows->sample_count);
    return perfetto_sample_end(writer);
}

struct perfetto {
    struct outfile *out;
    struct perfetto_rows rows;
};

/* ---- zones ---- */

/* Writes the begin of the innermost zone, which has waited for its name. */
static int write_begin(struct perfetto_writer *writer, struct perfetto_track *track) {
    struct open_zone *zone = zone_stack_top(&track->zones);
    if (!zone || zone->shown) {
        return 0;
    }
    perfetto_event_begin(writer, track->row, PERFETTO_SLICE_BEGIN, zone->start_ns);
    const char *name = open_zone_show(zone);
    if (zone->name) {
        perfetto_name_text(writer, name, strlen(name));
        perfetto_place(writer, zone->site);
    } else {
        perfetto_name_site(writer, zone->site);
    }
    if (track->zones.has_calls) {
        perfetto_put_stack(writer, zone_stack_take_calls(&track->zones));
    }
    return perfetto_event_end(writer);
}

/* Few zones have any: out of line. */
static __attribute__((noinline)) void write_counters(struct perfetto_writer *writer,
                                                     const struct zone_counters *counters) {
    if (counters->cycles != 0) {
        perfetto_note_number(writer, "cycles", counters->cycles);
    }
    if (counters->instructions != 0) {
        perfetto_note_number(writer, "instructions", counters->instructions);
    }
    if (counters->cycles != 0 && counters->instructions != 0) {
        char ipc[24];
        int length =
            snprintf(ipc, sizeof ipc, "%.3f", event_ipc(counters->cycles, counters->instructions));
        perfetto_note_text(writer, "IPC", ipc, (size_t)length);
    }
    for (uint32_t i = 0; i < counters->count; i++) {
        perfetto_note_number(writer, count_label(counters->events[i].of->name),
                             counters->events[i].times);
    }
}

static void write_notes(struct perfetto_writer *writer, const struct open_zone *zone) {
    if (zone->late_name) {
        perfetto_note_text(writer, "name", zone->late_name, strlen(zone->late_name));
    }
    if (zone->text) {
        perfetto_note_text(writer, zone->text_cut ? "text (cut)" : "text", zone->text,
                           zone->text_length);
    }
    if (zone->has_value) {
        perfetto_note_number(writer, "value", zone->value);
    }
    if (zone->counters) {
        write_counters(writer, zone->counters);
    }
    if (zone->has_color) {
        char color[8];
        int length = snprintf(color, sizeof color, "#%06x", (unsigned)zone->color & 0xffffffu);
        perfetto_note_text(writer, "color", color, (size_t)length);
    }
}

static int write_end(struct perfetto_writer *writer, struct perfetto_track *track,
                     const struct event *event) {
    const struct open_zone *zone = zone_stack_top(&track->zones);
    perfetto_event_begin(writer, track->row, PERFETTO_SLICE_END, event->time_ns);
    write_notes(writer, zone);
    if (event->u.zone.repaired) {
        const char *why = zone_repair_text(event->u.zone.repaired);
        perfetto_note_text(writer, "end", why, strlen(why));
    }
    zone_stack_pop(&track->zones);
    return perfetto_event_end(writer);
}

/* ---- messages, plots, frames, memory ---- */

static enum perfetto_priority priority_of(uint8_t level) {
    static const enum perfetto_priority priorities[] = {
        PERFETTO_VERBOSE, PERFETTO_DEBUG, PERFETTO_INFO, PERFETTO_WARN,
        PERFETTO_ERROR,   PERFETTO_FATAL, PERFETTO_FATAL};
    return level <= KYMO_LEVEL_CRASH ? priorities[level] : PERFETTO_INFO;
}

static int write_message(struct perfetto_writer *writer, struct perfetto_track *track,
                         const struct event *event) {
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_text(writer, event->u.text.bytes, event->u.text.length);
    perfetto_category(writer, "message");
    perfetto_log(writer, event->site, priority_of(event->site->level), event->u.text.bytes,
                 event->u.text.length);
    perfetto_stack(writer, event->stack);
    return perfetto_event_end(writer);
}

static int write_instant(struct perfetto_writer *writer, struct perfetto_track *track,
                         const struct event *event, const char *text, size_t length) {
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_text(writer, text, length);
    perfetto_category(writer, event_word(event->kind));
    perfetto_stack(writer, event->stack);
    return perfetto_event_end(writer);
}

static int write_repair(struct perfetto_writer *writer, struct perfetto_track *track,
                        const struct event *event) {
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_constant(writer, repair_text(event->u.repair));
    perfetto_category(writer, "repair");
    const char *name = event_name(event);
    if (name[0] != '\0') {
        perfetto_note_text(writer, event->site ? "zone" : "object", name, strlen(name));
    }
    return perfetto_event_end(writer);
}

static enum perfetto_unit unit_of(uint32_t detail) {
    switch (detail & 3u) {
    case KYMO_PLOT_BYTES:
        return PERFETTO_UNIT_BYTES;
    case KYMO_PLOT_PERCENT:
        return PERFETTO_UNIT_PERCENT;
    default:
        return PERFETTO_UNIT_NONE;
    }
}

/* A counter has no value for infinities and NaN: they become instants, so that none goes unseen. */
static int write_plot(struct perfetto_rows *rows, struct perfetto_track *track,
                      const struct event *event) {
    if (event->u.plot.type != PLOT_INT && !isfinite(event->u.plot.real)) {
        char text[EVENT_TEXT_BYTES];
        return write_instant(&rows->writer, track, event, text,
                             event_text(event, text, sizeof text));
    }
    struct series *series =
        series_by_name(&rows->series, event->track->session, SERIES_PLOT, event->site->name);
    struct perfetto_line *line =
        perfetto_line(rows, series, event->site->name, unit_of(event->site->detail));
    if (!line) {
        return -ENOMEM;
    }
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_COUNTER, event->time_ns);
    if (event->u.plot.type == PLOT_INT) {
        perfetto_count(&rows->writer, event->u.plot.integer);
    } else {
        perfetto_count_double(&rows->writer, event->u.plot.real);
    }
    return perfetto_event_end(&rows->writer);
}

/* Levels of objects, and stacks. */
static int write_curve(struct perfetto_rows *rows, const struct event *event) {
    char name[EVENT_CURVE_BYTES];
    int64_t value;
    if (!event_curve(event, name, &value)) {
        return 0;
    }
    const bool bytes = event->kind == EVENT_TASK_STACK;
    struct series *series =
        series_by_name(&rows->series, event->track->session, SERIES_CURVE, name);
    struct perfetto_line *line =
        perfetto_line(rows, series, name, bytes ? PERFETTO_UNIT_BYTES : PERFETTO_UNIT_NONE);
    if (!line) {
        return -ENOMEM;
    }
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_COUNTER, event->time_ns);
    perfetto_count(&rows->writer, value);
    return perfetto_event_end(&rows->writer);
}

static int write_frame(struct perfetto_rows *rows, const struct event *event) {
    const char *name = event->site->name[0] != '\0' ? event->site->name : "frame";
    enum perfetto_type type = event->kind == EVENT_FRAME         ? PERFETTO_INSTANT
                              : event->kind == EVENT_FRAME_START ? PERFETTO_SLICE_BEGIN
                                                                 : PERFETTO_SLICE_END;
    char row_name[256];
    snprintf(row_name, sizeof row_name, "frames: %s", name);
    struct series *series =
        series_by_name(&rows->series, event->track->session, SERIES_FRAMES, name);
    struct perfetto_line *line = perfetto_line(rows, series, row_name, PERFETTO_UNIT_NO_COUNTER);
    if (!line) {
        return -ENOMEM;
    }
    perfetto_event_begin(&rows->writer, &line->row, type, event->time_ns);
    if (type != PERFETTO_SLICE_END) {
        perfetto_name_constant(&rows->writer, name);
        perfetto_category(&rows->writer, "frame");
    } else if (event->u.frame.repaired != FRAME_ENDED) {
        const char *why = frame_repair_text(event->u.frame.repaired);
        perfetto_note_text(&rows->writer, "end", why, strlen(why));
    }
    return perfetto_event_end(&rows->writer);
}

/* The curve of allocated bytes, and an instant for the event. */
static int write_memory(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event) {
    struct perfetto_writer *writer = &rows->writer;
    const char *pool_name = event->site->name;
    char row_name[256];
    snprintf(row_name, sizeof row_name, "memory: %s", pool_name);
    struct series *pool =
        series_by_name(&rows->series, event->track->session, SERIES_POOL, pool_name);
    struct perfetto_line *line = perfetto_line(rows, pool, row_name, PERFETTO_UNIT_BYTES);
    if (!line) {
        return -ENOMEM;
    }
    series_pool(pool, event);
    perfetto_event_begin(writer, &line->row, PERFETTO_COUNTER, event->time_ns);
    perfetto_count(writer, (int64_t)pool->live_bytes);
    int error = perfetto_event_end(writer);
    if (error) {
        return error;
    }
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_constant(writer, event->kind == EVENT_ALLOC ? "alloc" : "free");
    perfetto_category(writer, "memory");
    perfetto_note_text(writer, "pool", pool_name, strlen(pool_name));
    perfetto_note_address(writer, "address", event->u.memory.address);
    perfetto_note_number(writer, "bytes", event->u.memory.bytes);
    if (event->u.memory.repaired) {
        perfetto_note_text(writer, "free", free_repair_text, strlen(free_repair_text));
    }
    perfetto_stack(writer, event->stack);
    return perfetto_event_end(writer);
}

/* ---- losses of a core ---- */

static int write_gap(struct perfetto_rows *rows, const struct perfetto_track *track,
                     const struct event *event) {
    static const char *const causes[] = {"ring full", "link", "reset"};
    const char *cause = causes[event->u.gap.cause];
    char name[128];
    if (event->track->device) {
        snprintf(name, sizeof name, "%.64s %.40s lost events", event->track->device->name,
                 event->track->name);
    } else {
        snprintf(name, sizeof name, "core %u lost events", (unsigned)event->track->core);
    }
    struct series *series =
        series_by_core(&rows->series, event->track->session, SERIES_LOSS, event->track->core);
    struct perfetto_line *line = perfetto_line(rows, series, name, PERFETTO_UNIT_NO_COUNTER);
    if (!line) {
        return -ENOMEM;
    }
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_SLICE_BEGIN,
                         series_not_before(series, event->u.gap.start_ns));
    perfetto_name_constant(&rows->writer, "lost events");
    perfetto_category(&rows->writer, "loss");
    perfetto_note_number(&rows->writer, "lost", event->u.gap.lost);
    perfetto_note_text(&rows->writer, "cause", cause, strlen(cause));
    int error = perfetto_event_end(&rows->writer);
    if (error) {
        return error;
    }
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_SLICE_END,
                         series_not_before(series, event->time_ns));
    error = perfetto_event_end(&rows->writer);
    return error ? error : perfetto_gap(rows, track, event);
}

/* ---- the sink ---- */

/* Kinds without a form of their own above, by their role. */
static int write_role(struct perfetto_rows *rows, struct perfetto_track *track,
                      const struct event *event) {
    char text[EVENT_TEXT_BYTES];
    switch (event_role(event->kind)) {
    case KYMO_ROLE_OPENS:
        return zone_stack_push(&track->zones, event);
    case KYMO_ROLE_CLOSES:
        return write_end(&rows->writer, track, event);
    case KYMO_ROLE_SAMPLE:
        return write_plot(rows, track, event);
    case KYMO_ROLE_TASK:
        return write_curve(rows, event);
    case KYMO_ROLE_POINT:
    case KYMO_ROLE_STATE:
        return write_instant(&rows->writer, track, event, text,
                             event_text(event, text, sizeof text));
    default:
        return event_holds(event->kind) ? perfetto_hold(rows, event) : 0;
    }
}

static int write_event(struct perfetto_rows *rows, struct perfetto_track *track,
                       const struct event *event) {
    switch (event->kind) {
    case EVENT_TRACK:
        return perfetto_rename(rows, track);
    case EVENT_TRACK_END:
        perfetto_track_end(track);
        return perfetto_forget(rows, event->track);
    case EVENT_MESSAGE:
        return write_message(&rows->writer, track, event);
    case EVENT_FRAME:
    case EVENT_FRAME_START:
    case EVENT_FRAME_END:
        return write_frame(rows, event);
    case EVENT_ALLOC:
    case EVENT_FREE:
        return write_memory(rows, track, event);
    case EVENT_APP_INFO:
        return write_instant(&rows->writer, track, event, event->u.text.bytes,
                             event->u.text.length);
    case EVENT_REPAIR:
        return write_repair(&rows->writer, track, event);
    case EVENT_SWITCH:
        return perfetto_switch(rows, track, event);
    case EVENT_GAP:
        return write_gap(rows, track, event);
    case EVENT_TASK:
        return perfetto_task_event(rows, track, event);
    case EVENT_SAMPLE:
        return perfetto_sample(rows, track, event);
    case EVENT_FLOW_SEND:
    case EVENT_FLOW_STEP:
    case EVENT_FLOW_RECEIVE:
    case EVENT_ASYNC_BEGIN:
    case EVENT_ASYNC_END:
        return perfetto_flow_event(rows, track, event);
    default:
        return write_role(rows, track, event);
    }
}

static int write_on_track(struct perfetto_rows *rows, const struct event *event) {
    const uint32_t id = event->track->id;
    struct perfetto_track *track = id < rows->track_count ? rows->tracks[id] : NULL;
    const bool fresh = !track;
    track = fresh ? perfetto_track(rows, event->track) : track;
    if (!track) {
        return -ENOMEM;
    }
    if (event->kind == EVENT_TRACK && fresh) {
        return 0;
    }
    if (zone_is_note(event->kind)) {
        return zone_stack_note(&track->zones, event);
    }
    int error = write_begin(&rows->writer, track);
    return error ? error : write_event(rows, track, event);
}

static int on_event(void *state, const struct event *event) {
    struct perfetto *perfetto = state;
    if (event->time_ns > perfetto->rows.last_ns) {
        perfetto->rows.last_ns = event->time_ns;
    }
    int error = event->kind == EVENT_SESSION ? perfetto_session(&perfetto->rows, event)
                                             : write_on_track(&perfetto->rows, event);
    return outfile_fail(perfetto->out, error);
}

static int end_trace(void *state) {
    struct perfetto *perfetto = state;
    struct perfetto_rows *rows = &perfetto->rows;
    for (uint32_t i = 0; i < rows->track_count; i++) {
        if (rows->tracks[i]) {
            write_begin(&rows->writer, rows->tracks[i]);
        }
    }
    perfetto_runs_end(rows);
    const int error = perfetto_order_devices(rows);
    perfetto_rows_free(rows);
    return error;
}

static int begin_trace(void *state) {
    struct perfetto *perfetto = state;
    perfetto_open(&perfetto->rows.writer, perfetto->out);
    return 0;
}

const struct sink sink_perfetto = {
    .name = "perfetto",
    .suffixes = ".pftrace .perfetto-trace",
    .help = "Perfetto's protobuf trace, for ui.perfetto.dev",
    .size = sizeof(struct perfetto),
    .begin = begin_trace,
    .event = on_event,
    .end = end_trace,
};
