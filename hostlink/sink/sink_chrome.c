/* Chrome's JSON trace format ("Trace Event Format", Google, 2016), held to the part that every reader
 * takes: each event with name, phase, process, thread and time; begins and ends that nest and repeat
 * the name; one series per counter, its key the counter's name; times in us from the start of the
 * capture. A process is a session of the board, a thread is a track. What a core runs beside its main
 * code, and what it lost, are threads of their own. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "kymo/wire.h"
#include "sink/json_text.h"
#include "sink/outfile.h"
#include "sink/series.h"
#include "sink/sink.h"
#include "sink/zonestack.h"

/* Thread ids of rows that are no track; those of tracks count from 1. */
#define SERIES_TID_BASE 0x40000000u

struct chrome {
    struct outfile *out;
    struct track_zones *tracks; /* by id of the track */
    uint32_t track_count;
    struct series_table series;
    bool any;        /* an event was written */
    bool in_args;    /* the event that is being written has arguments */
    int64_t last_ns; /* of all events */
};

struct track_zones {
    const struct track *track;
    struct zone_stack stack;
};

/* ---- one event of the format ---- */

static inline void put(struct chrome *chrome, const char *text) {
    outfile_write(chrome->out, text, strlen(text));
}

/* Inline, so that a constant's length is one too. */
static inline char *put_text(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

/* Everything up to the time; the caller adds fields, then arguments, and calls finish(). */
static void start(struct chrome *chrome, char phase, const char *name, uint32_t session,
                  uint32_t tid, int64_t time_ns) {
    struct outfile *out = chrome->out;
    char *at = outfile_room(out);
    at = put_text(at, chrome->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    *at++ = phase;
    outfile_wrote(out, put_text(at, "\",\"name\":"));
    json_text(out, name, strlen(name));
    /* Process 0 is a process of the system for some readers. */
    at = put_text(outfile_room(out), ",\"pid\":");
    at = put_text(decimal_put(at, session + UINT64_C(1)), ",\"tid\":");
    outfile_wrote(out, put_text(decimal_put(at, tid), ",\"ts\":"));
    json_time(out, time_ns);
    chrome->any = true;
}

static void field(struct chrome *chrome, const char *key, const char *text) {
    put(chrome, ",\"");
    put(chrome, key);
    put(chrome, "\":");
    json_text(chrome->out, text, strlen(text));
}

static void arg_key(struct chrome *chrome, const char *key) {
    put(chrome, chrome->in_args ? "," : ",\"args\":{");
    json_text(chrome->out, key, strlen(key));
    outfile_write(chrome->out, ":", 1);
    chrome->in_args = true;
}

static void arg_text(struct chrome *chrome, const char *key, const char *text, size_t length) {
    arg_key(chrome, key);
    json_text(chrome->out, text, length);
}

static void arg_number(struct chrome *chrome, const char *key, uint64_t value) {
    arg_key(chrome, key);
    json_number(chrome->out, value);
}

static void arg_hex(struct chrome *chrome, const char *key, const char *prefix, int digits,
                    uint64_t value) {
    arg_key(chrome, key);
    outfile_printf(chrome->out, "\"%s%0*" PRIx64 "\"", prefix, digits, value);
}

static void finish(struct chrome *chrome) {
    put(chrome, chrome->in_args ? "}}" : "}");
    chrome->in_args = false;
}

/* "file:line" under the key that Tracy's importer reads. */
static void field_place(struct chrome *chrome, const struct site *site) {
    char place[512];
    if (site->file[0] != '\0') {
        char *end = place + strnlen(site->file, sizeof place - DECIMAL_BYTES - 2);
        memcpy(place, site->file, (size_t)(end - place));
        *end++ = ':';
        *decimal_put(end, site->line) = '\0';
        field(chrome, "loc", place);
    }
}

static void metadata(struct chrome *chrome, const char *what, uint32_t session, uint32_t tid,
                     const char *name) {
    start(chrome, 'M', what, session, tid, 0);
    arg_text(chrome, "name", name, strlen(name));
    finish(chrome);
}

/* ---- zones ---- */

static struct zone_stack *stack_of(struct chrome *chrome, const struct track *track) {
    if (track->id >= chrome->track_count) {
        uint32_t count = track->id * 2 + 16;
        struct track_zones *tracks = realloc(chrome->tracks, count * sizeof *tracks);
        if (!tracks) {
            return NULL;
        }
        memset(tracks + chrome->track_count, 0, (count - chrome->track_count) * sizeof *tracks);
        chrome->tracks = tracks;
        chrome->track_count = count;
    }
    chrome->tracks[track->id].track = track;
    return &chrome->tracks[track->id].stack;
}

/* Writes the begin of the innermost zone, which has waited for its name. */
static void write_begin(struct chrome *chrome, const struct track *track,
                        struct zone_stack *stack) {
    struct open_zone *zone = zone_stack_top(stack);
    if (zone && !zone->shown) {
        start(chrome, 'B', open_zone_show(zone), track->session, track->id, zone->start_ns);
        field_place(chrome, zone->site);
        finish(chrome);
    }
}

static void write_end(struct chrome *chrome, const struct event *event, struct zone_stack *stack) {
    struct open_zone *zone = zone_stack_top(stack);
    if (!zone) {
        return;
    }
    start(chrome, 'E', zone->shown, event->track->session, event->track->id, event->time_ns);
    if (zone->late_name) {
        arg_text(chrome, "name", zone->late_name, strlen(zone->late_name));
    }
    if (zone->text) {
        arg_text(chrome, zone->text_cut ? "text (cut)" : "text", zone->text, zone->text_length);
    }
    if (zone->has_value) {
        arg_number(chrome, "value", zone->value);
    }
    if (zone->has_color) {
        arg_hex(chrome, "color", "#", 6, zone->color);
    }
    if (event->u.zone.repaired) {
        const char *why = zone_repair_text(event->u.zone.repaired);
        arg_text(chrome, "end", why, strlen(why));
    }
    finish(chrome);
    zone_stack_pop(stack);
}

/* ---- the other kinds of event ---- */

static void write_instant(struct chrome *chrome, const struct event *event, const char *category,
                          const char *name) {
    start(chrome, 'i', name, event->track->session, event->track->id, event->time_ns);
    field(chrome, "s", "t");
    field(chrome, "cat", category);
}

static void write_message(struct chrome *chrome, const struct event *event) {
    static const char *const levels[] = {"trace", "debug", "info", "warning", "error", "fatal"};
    uint8_t level = event->site->level;
    const char *name = level <= KYMO_LEVEL_FATAL ? levels[level] : "unknown";
    write_instant(chrome, event, "message", event->u.text.bytes);
    field_place(chrome, event->site);
    arg_text(chrome, "level", name, strlen(name));
    finish(chrome);
}

static void write_repair(struct chrome *chrome, const struct event *event) {
    write_instant(chrome, event, "repair", repair_text(event->u.repair));
    if (event->site) {
        arg_text(chrome, "zone", event->site->name, strlen(event->site->name));
    }
    finish(chrome);
}

static void start_counter(struct chrome *chrome, const struct event *event, const char *name) {
    start(chrome, 'C', name, event->track->session, event->track->id, event->time_ns);
    arg_key(chrome, name);
}

/* JSON has no number for infinities and NaN: they become instants, so that none goes unseen. */
static void write_plot(struct chrome *chrome, const struct event *event) {
    if (event->u.plot.type == PLOT_INT) {
        start_counter(chrome, event, event->site->name);
        const int64_t value = event->u.plot.integer;
        put(chrome, value < 0 ? "-" : "");
        json_number(chrome->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    } else if (isfinite(event->u.plot.real)) {
        /* The fewest digits that give the same bits back: 9 of a float, 17 of a double. */
        start_counter(chrome, event, event->site->name);
        outfile_printf(chrome->out, "%.*g", event->u.plot.type == PLOT_FLOAT ? 9 : 17,
                       event->u.plot.real);
    } else {
        char text[32];
        snprintf(text, sizeof text, "%f", event->u.plot.real);
        write_instant(chrome, event, "plot", event->site->name);
        arg_text(chrome, "value", text, strlen(text));
    }
    finish(chrome);
}

/* Frames of one set may begin on one track and end on another: asynchronous events allow that. */
static int write_frame(struct chrome *chrome, const struct event *event) {
    const char *name = event->site->name[0] != '\0' ? event->site->name : "frame";
    if (event->kind == EVENT_FRAME) {
        write_instant(chrome, event, "frame", name);
        finish(chrome);
        return 0;
    }
    struct series *set =
        series_by_name(&chrome->series, event->track->session, SERIES_FRAMES, name);
    if (!set) {
        return -ENOMEM;
    }
    start(chrome, event->kind == EVENT_FRAME_START ? 'b' : 'e', name, event->track->session,
          event->track->id, event->time_ns);
    field(chrome, "cat", "frame");
    put(chrome, ",\"id\":");
    json_number(chrome->out, set->number + UINT64_C(1));
    finish(chrome);
    return 0;
}

/* Tracy's importer shows a counter whose name ends in "_bytes" as memory. */
static int write_memory(struct chrome *chrome, const struct event *event) {
    char name[256];
    struct series *pool =
        series_by_name(&chrome->series, event->track->session, SERIES_POOL, event->site->name);
    if (!pool) {
        return -ENOMEM;
    }
    series_pool(pool, event);
    snprintf(name, sizeof name, "%s_bytes", event->site->name);
    start_counter(chrome, event, name);
    json_number(chrome->out, pool->live_bytes);
    finish(chrome);

    write_instant(chrome, event, "memory", event->kind == EVENT_ALLOC ? "alloc" : "free");
    arg_text(chrome, "pool", event->site->name, strlen(event->site->name));
    arg_hex(chrome, "address", "0x", 1, event->u.memory.address);
    arg_number(chrome, "bytes", event->u.memory.bytes);
    finish(chrome);
    return 0;
}

/* ---- rows of a core ---- */

static struct series *core_row(struct chrome *chrome, const struct track *track,
                               enum series_kind kind, const char *what) {
    struct series *row = series_by_core(&chrome->series, track->session, kind, track->core);
    if (row && !row->declared) {
        char name[64];
        snprintf(name, sizeof name, "core %" PRIu32 " %s", track->core, what);
        metadata(chrome, "thread_name", track->session, SERIES_TID_BASE + row->number, name);
        row->declared = true;
    }
    return row;
}

/* Two losses of a core may overlap; slices may not. */
static int write_gap(struct chrome *chrome, const struct event *event) {
    static const char *const causes[] = {"ring full", "link", "reset"};
    struct series *row = core_row(chrome, event->track, SERIES_LOSS, "lost events");
    if (!row) {
        return -ENOMEM;
    }
    int64_t begin_ns = event->u.gap.start_ns > row->last_ns ? event->u.gap.start_ns : row->last_ns;
    row->last_ns = event->time_ns > begin_ns ? event->time_ns : begin_ns;
    uint32_t tid = SERIES_TID_BASE + row->number;
    start(chrome, 'B', "lost events", event->track->session, tid, begin_ns);
    field(chrome, "cat", "loss");
    arg_number(chrome, "lost", event->u.gap.lost);
    arg_text(chrome, "cause", causes[event->u.gap.cause], strlen(causes[event->u.gap.cause]));
    finish(chrome);
    start(chrome, 'E', "lost events", event->track->session, tid, row->last_ns);
    finish(chrome);
    return 0;
}

static void end_run(struct chrome *chrome, struct series *row, int64_t time_ns) {
    if (row && row->open_name) {
        row->last_ns = time_ns > row->last_ns ? time_ns : row->last_ns;
        start(chrome, 'E', row->open_name, row->session, SERIES_TID_BASE + row->number,
              row->last_ns);
        finish(chrome);
        row->open_name = NULL;
    }
}

static int write_switch(struct chrome *chrome, const struct event *event) {
    struct series *row = core_row(chrome, event->track, SERIES_RUNS, "runs");
    if (!row) {
        return -ENOMEM;
    }
    end_run(chrome, row, event->time_ns);
    if (event->track->kind != KYMO_CONTEXT_MAIN) {
        row->last_ns = event->time_ns > row->last_ns ? event->time_ns : row->last_ns;
        row->open_name = event->track->name;
        start(chrome, 'B', row->open_name, event->track->session, SERIES_TID_BASE + row->number,
              row->last_ns);
        field(chrome, "cat", "run");
        finish(chrome);
    }
    return 0;
}

/* ---- the sink ---- */

static void write_track(struct chrome *chrome, const struct track *track) {
    char name[256];
    bool interrupt = track->kind == KYMO_CONTEXT_INTERRUPT;
    snprintf(name, sizeof name, interrupt ? "%s (interrupt)" : "%s", track->name);
    metadata(chrome, "thread_name", track->session, track->id, name);
}

static int write_event(struct chrome *chrome, const struct event *event, struct zone_stack *stack) {
    switch (event->kind) {
    case EVENT_TRACK:
        write_track(chrome, event->track);
        return 0;
    case EVENT_ZONE_BEGIN:
        return zone_stack_push(stack, event);
    case EVENT_ZONE_END:
        write_end(chrome, event, stack);
        return 0;
    case EVENT_MESSAGE:
        write_message(chrome, event);
        return 0;
    case EVENT_PLOT:
        write_plot(chrome, event);
        return 0;
    case EVENT_FRAME:
    case EVENT_FRAME_START:
    case EVENT_FRAME_END:
        return write_frame(chrome, event);
    case EVENT_ALLOC:
    case EVENT_FREE:
        return write_memory(chrome, event);
    case EVENT_APP_INFO:
        write_instant(chrome, event, "app info", event->u.text.bytes);
        finish(chrome);
        return 0;
    case EVENT_REPAIR:
        write_repair(chrome, event);
        return 0;
    case EVENT_SWITCH:
        return write_switch(chrome, event);
    case EVENT_GAP:
        return write_gap(chrome, event);
    default:
        return 0;
    }
}

static int write_on_track(struct chrome *chrome, const struct event *event) {
    struct zone_stack *stack = stack_of(chrome, event->track);
    if (!stack) {
        return -ENOMEM;
    }
    if (zone_is_note(event->kind)) {
        return zone_stack_note(stack, event);
    }
    write_begin(chrome, event->track, stack);
    return write_event(chrome, event, stack);
}

static int chrome_event(void *state, const struct event *event) {
    struct chrome *chrome = state;
    int error = 0;
    chrome->last_ns = event->time_ns > chrome->last_ns ? event->time_ns : chrome->last_ns;
    if (event->kind == EVENT_SESSION) {
        const char *image = event->u.session.image;
        metadata(chrome, "process_name", event->u.session.session, 0,
                 image[0] != '\0' ? image : "board");
    } else {
        error = write_on_track(chrome, event);
    }
    /* Errors of writing are kept by the file itself. */
    return outfile_fail(chrome->out, error);
}

static int chrome_open(void **state, const char *path) {
    struct chrome *chrome = calloc(1, sizeof *chrome);
    if (!chrome) {
        return -ENOMEM;
    }
    int error = outfile_open(&chrome->out, path);
    if (error) {
        free(chrome);
        return error;
    }
    outfile_printf(chrome->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    *state = chrome;
    return 0;
}

static int chrome_close(void *state) {
    struct chrome *chrome = state;
    for (uint32_t i = 0; i < chrome->track_count; i++) {
        struct track_zones *zones = &chrome->tracks[i];
        if (zones->track) {
            write_begin(chrome, zones->track, &zones->stack);
        }
        zone_stack_free(&zones->stack);
    }
    for (uint32_t i = 0; i < chrome->series.keys.count; i++) {
        end_run(chrome, chrome->series.rows[i], chrome->last_ns);
    }
    outfile_printf(chrome->out, "\n]}\n");
    int error = outfile_close(chrome->out);
    series_free(&chrome->series);
    free(chrome->tracks);
    free(chrome);
    return error;
}

const struct sink sink_chrome = {
    .name = "chrome",
    .suffixes = ".json",
    .help = "Chrome's JSON trace format, for most viewers",
    .open = chrome_open,
    .event = chrome_event,
    .close = chrome_close,
};
