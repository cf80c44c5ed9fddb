/* Every event as a line of CSV, for a spreadsheet or a script: when, where, what, and its value. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/csv_field.h"
#include "sink/outfile.h"
#include "sink/sink.h"

static const char *const kinds[] = {
    [EVENT_SESSION] = "session",
    [EVENT_TRACK] = "track",
    [EVENT_ZONE_BEGIN] = "zone begin",
    [EVENT_ZONE_END] = "zone end",
    [EVENT_ZONE_TEXT] = "zone text",
    [EVENT_ZONE_NAME] = "zone name",
    [EVENT_ZONE_VALUE] = "zone value",
    [EVENT_ZONE_COLOR] = "zone color",
    [EVENT_MESSAGE] = "message",
    [EVENT_PLOT] = "plot",
    [EVENT_FRAME] = "frame",
    [EVENT_FRAME_START] = "frame start",
    [EVENT_FRAME_END] = "frame end",
    [EVENT_ALLOC] = "alloc",
    [EVENT_FREE] = "free",
    [EVENT_APP_INFO] = "app info",
    [EVENT_SWITCH] = "switch",
    [EVENT_REPAIR] = "repair",
    [EVENT_GAP] = "gap",
};

static int events_open(void **state, const char *path) {
    struct outfile *out;
    int error = outfile_open(&out, path);
    if (!error) {
        *state = out;
        error = outfile_printf(out, "time_ns,core,context,kind,name,value,text\n");
    }
    return error;
}

static void write_text(struct outfile *out, const char *text) {
    csv_field(out, text, strlen(text));
}

static void write_plot(struct outfile *out, const struct event *event) {
    if (event->u.plot.type == PLOT_INT) {
        outfile_printf(out, "%" PRId64 ",", event->u.plot.integer);
    } else {
        outfile_printf(out, "%.17g,", event->u.plot.real);
    }
}

/* Of a zone's end the value is how long it took. */
static void write_zone_end(struct outfile *out, const struct event *event) {
    outfile_printf(out, "%" PRIu64 ",",
                   (uint64_t)event->time_ns - (uint64_t)event->u.zone.start_ns);
    if (event->u.zone.repaired != ZONE_ENDED) {
        write_text(out, zone_repair_text(event->u.zone.repaired));
    }
}

static void write_memory(struct outfile *out, const struct event *event) {
    outfile_printf(out, "%" PRIu64 ",0x%" PRIx64, event->u.memory.bytes, event->u.memory.address);
}

static void write_gap(struct outfile *out, const struct event *event) {
    static const char *const causes[] = {[GAP_RING_FULL] = "events lost: the ring was full",
                                         [GAP_LINK] = "events lost on the way",
                                         [GAP_RESET] = "events lost in a reset"};
    outfile_printf(out, "%" PRIu64 ",%s", event->u.gap.lost, causes[event->u.gap.cause]);
}

/* The last two columns. */
static void write_value(struct outfile *out, const struct event *event) {
    switch (event->kind) {
    case EVENT_SESSION:
        outfile_printf(out, "%" PRIu32 ",", event->u.session.session);
        write_text(out, event->u.session.image);
        break;
    case EVENT_ZONE_END:
        write_zone_end(out, event);
        break;
    case EVENT_ZONE_VALUE:
    case EVENT_ZONE_COLOR:
        outfile_printf(out, "%" PRIu64 ",", event->u.value);
        break;
    case EVENT_PLOT:
        write_plot(out, event);
        break;
    case EVENT_ALLOC:
    case EVENT_FREE:
        write_memory(out, event);
        break;
    case EVENT_GAP:
        write_gap(out, event);
        break;
    case EVENT_REPAIR:
        outfile_write(out, ",", 1);
        write_text(out, repair_text(event->u.repair));
        break;
    case EVENT_ZONE_TEXT:
    case EVENT_ZONE_NAME:
    case EVENT_MESSAGE:
    case EVENT_APP_INFO:
        outfile_write(out, ",", 1);
        csv_field(out, event->u.text.bytes, event->u.text.length);
        break;
    default:
        outfile_write(out, ",", 1);
        break;
    }
}

static int events_event(void *state, const struct event *event) {
    struct outfile *out = state;
    outfile_printf(out, "%" PRId64 ",", event->time_ns);
    if (event->track) {
        outfile_printf(out, "%" PRIu32 ",", event->track->core);
        write_text(out, event->track->name);
    } else {
        outfile_write(out, ",", 1);
    }
    outfile_printf(out, ",%s,", kinds[event->kind]);
    write_text(out, event->site ? event->site->name : "");
    outfile_write(out, ",", 1);
    write_value(out, event);
    return outfile_write(out, "\n", 1);
}

static int events_close(void *state) { return outfile_close(state); }

const struct sink sink_csv_events = {
    .name = "csv-events",
    .suffixes = ".events.csv",
    .help = "every event, a line each: messages, plots, zones",
    .open = events_open,
    .event = events_event,
    .close = events_close,
};
