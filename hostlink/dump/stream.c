#include "dump/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/blocks.h"
#include "dump/stream_events.h"
#include "trace/deframe.h"
#include "trace/frames.h"

/* Longest string of a site, image or lane that is kept. */
#define STRING_BYTES 1000u
#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
/* Most bytes of a site in a frame. */
#define SITE_BYTES (3u * STRING_BYTES + 64u)

/* Runs of a flight recorder: no more than it has blocks. */
#define RUNS_MAX 4096u

struct stream {
    const struct recorder *recorder;
    stream_write *write;
    void *context;
    uint8_t sequence;
    struct events_frame frame;
    struct events_head head;
    bool in_frame;
    struct lanes_report *report;
    uint64_t last_ticks;          /* the latest of all lanes */
    uint64_t events[NAMES_LANES]; /* of each lane, at its end */
};

/* A frame under construction, other than EVENTS. */
struct body {
    uint8_t bytes[4092];
    size_t at;
};

static void begin(struct stream *s, struct body *body, enum kymo_frame_type type) {
    body->bytes[0] = (uint8_t)(KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | (uint32_t)type);
    body->bytes[1] = s->sequence++;
    body->at = FRAME_HEAD_BYTES;
}

static void varint(struct body *body, uint64_t value) {
    body->at = put_varint(body->bytes, body->at, value);
}

static void little(struct body *body, uint64_t value, unsigned count) {
    body->at = put_little(body->bytes, body->at, value, count);
}

static void string(struct body *body, const char *text, size_t length, size_t limit) {
    length = length < limit ? length : limit;
    varint(body, length);
    memcpy(body->bytes + body->at, text, length);
    body->at += length;
}

static int send(struct stream *s, const uint8_t *bytes, size_t length) {
    uint8_t framed[DEFRAME_CHUNK_BYTES];
    size_t framed_length = frame_encode(framed, sizeof framed, bytes, length);
    return s->write(s->context, framed, framed_length);
}

/* ---- SESSION, SITES, STATUS ---- */

static int send_session(struct stream *s, uint32_t session) {
    const struct recorder *r = s->recorder;
    struct body body;
    size_t length = 0;
    begin(s, &body, KYMO_FRAME_SESSION);
    little(&body, session, 4);
    varint(&body, r->clock_hz);
    varint(&body, s->last_ticks);
    little(&body, 0, 1);
    varint(&body, recorder_sites(r));
    little(&body, r->layout.pointer_bytes, 1);
    const char *image = recorder_image(r, &length);
    string(&body, image, length, IMAGE_BYTES);
    little(&body, r->layout.lanes, 1);
    for (uint32_t i = 0; i < r->layout.lanes; i++) {
        const char *name = recorder_lane_name(r, i, &length);
        string(&body, name, length, LANE_NAME_BYTES);
    }
    return send(s, body.bytes, body.at);
}

static void put_site(struct body *body, const struct site_entry *site) {
    little(body, site->kind, 1);
    little(body, site->level, 1);
    little(body, site->name ? SITE_HAS_NAME : 0, 1);
    varint(body, site->line);
    varint(body, site->detail);
    varint(body, site->color);
    if (site->name) {
        string(body, site->name, site->name_bytes, STRING_BYTES);
    }
    string(body, site->function, site->function_bytes, STRING_BYTES);
    string(body, site->file, site->file_bytes, STRING_BYTES);
}

static int send_sites(struct stream *s) {
    struct body body;
    int error = 0;
    for (uint32_t i = 0; i < recorder_sites(s->recorder) && error == 0;) {
        begin(s, &body, KYMO_FRAME_SITES);
        varint(&body, i);
        while (i < recorder_sites(s->recorder) && body.at + SITE_BYTES <= sizeof body.bytes) {
            struct site_entry site;
            recorder_site(s->recorder, i++, &site);
            put_site(&body, &site);
        }
        error = send(s, body.bytes, body.at);
    }
    return error;
}

static int send_status(struct stream *s) {
    const struct recorder *r = s->recorder;
    struct body body;
    begin(s, &body, KYMO_FRAME_STATUS);
    little(&body, KYMO_STATUS_FINAL, 1);
    varint(&body, s->last_ticks);
    little(&body, r->layout.lanes, 1);
    for (uint32_t i = 0; i < r->layout.lanes; i++) {
        varint(&body, s->events[i]);
        varint(&body, recorder_lane_field(r, i, r->layout.lost, 4));
    }
    return send(s, body.bytes, body.at);
}

/* ---- EVENTS ---- */

static int flush(struct stream *s) {
    if (!s->in_frame) {
        return 0;
    }
    s->in_frame = false;
    events_end(&s->frame);
    return send(s, s->frame.bytes, s->frame.length);
}

static int on_start(void *context, const struct lane_start *start) {
    struct stream *s = context;
    int error = flush(s);
    s->head.lane = start->lane;
    s->head.context = start->context;
    s->events[start->lane] = start->events;
    return error;
}

static void open_frame(struct stream *s, const struct wire_event *event) {
    s->head.sequence = s->sequence++;
    s->head.first = s->events[s->head.lane];
    s->head.ticks = event->ticks;
    events_begin(&s->frame, &s->head);
    s->in_frame = true;
}

/* The kind of site that an event names, -1 = none or any. */
static int kind_named(const struct wire_event *event) {
    switch (event->kind) {
    case KYMO_KIND_ZONE_BEGIN:
        return KYMO_SITE_ZONE;
    case KYMO_KIND_FRAME:
    case KYMO_KIND_FRAME_START:
    case KYMO_KIND_FRAME_END:
        return KYMO_SITE_FRAME;
    case KYMO_KIND_PLOT_INT:
    case KYMO_KIND_PLOT_FLOAT:
    case KYMO_KIND_PLOT_DOUBLE:
        return KYMO_SITE_PLOT;
    case KYMO_KIND_MESSAGE:
        return KYMO_SITE_MESSAGE;
    case KYMO_KIND_ALLOC:
    case KYMO_KIND_FREE:
        return KYMO_SITE_POOL;
    default:
        return -1;
    }
}

static void check_site(struct stream *s, const struct wire_event *event) {
    const int kind = kind_named(event);
    const bool is_site = event->reference % 2 == 0;
    if (kind >= 0) {
        s->report->named++;
        s->report->strangers +=
            !is_site || recorder_site_kind(s->recorder, event->reference / 2) != kind;
    }
}

static int on_event(void *context, const struct wire_event *event) {
    struct stream *s = context;
    int error = 0;
    check_site(s, event);
    if (!s->in_frame || !events_add(&s->frame, event)) {
        error = flush(s);
        open_frame(s, event);
        (void)events_add(&s->frame, event); /* one event always fits */
    }
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        s->head.context = event->reference;
    }
    uint64_t *events = &s->events[s->head.lane];
    *events += KYMO_KIND_IS_COUNTED(event->kind) ? 1 : 0;
    *events += event->kind == KYMO_KIND_LOSS && event->words != 0 ? event->word[0] : 0;
    s->last_ticks = event->ticks > s->last_ticks ? event->ticks : s->last_ticks;
    return error;
}

/* A zero byte on both sides: it may have been caught half made. */
static int send_unsent(struct stream *s) {
    static const uint8_t zero;
    size_t length = 0;
    const uint8_t *frame = recorder_frame(s->recorder, &length);
    if (!frame) {
        return 0;
    }
    int error = s->write(s->context, &zero, 1);
    error = error ? error : s->write(s->context, frame, length);
    return error ? error : s->write(s->context, &zero, 1);
}

/* What the rings hold, all of one run; in a flight recorder each run is a session of its own. */
static int make_run(struct stream *s, const struct blocks_run *run, struct lanes_report *report) {
    const struct lanes_reader reader = {.context = s, .start = on_start, .event = on_event};
    int error = send_session(s, run->session);
    error = error ? error : send_sites(s);
    memset(s->events, 0, sizeof s->events);
    for (uint32_t i = 0; i < s->recorder->layout.lanes && error == 0; i++) {
        error = blocks_read(s->recorder, i, run, &reader, report);
    }
    error = error ? error : flush(s);
    return error ? error : send_status(s);
}

static int make_recalled(struct stream *s, struct lanes_report *report) {
    struct blocks_run runs[RUNS_MAX];
    size_t count = blocks_runs(s->recorder, runs, RUNS_MAX);
    int error = count == 0 ? send_session(s, recorder_session(s->recorder)) : 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        error = make_run(s, &runs[i], report);
    }
    return error;
}

static int make(struct stream *s, struct lanes_report *report) {
    const struct lanes_reader reader = {.context = s, .start = on_start, .event = on_event};
    int error = send_session(s, recorder_session(s->recorder));
    error = error ? error : send_sites(s);
    error = error ? error : send_unsent(s);
    for (uint32_t i = 0; i < s->recorder->layout.lanes && error == 0; i++) {
        error = lanes_read(s->recorder, i, &reader, report);
    }
    error = error ? error : flush(s);
    return error ? error : send_status(s);
}

int stream_make(const struct recorder *recorder, stream_write *write, void *context,
                struct lanes_report *report) {
    struct stream *s = calloc(1, sizeof *s);
    *report = (struct lanes_report){0};
    if (!s) {
        return -ENOMEM;
    }
    s->recorder = recorder;
    s->write = write;
    s->context = context;
    s->report = report;
    for (uint32_t i = 0; i < recorder->layout.lanes; i++) {
        s->events[i] = recorder_lane_field(recorder, i, recorder->layout.events, 8);
    }
    bool newest = recorder->layout.ring_kind == KYMO_RING_NEWEST;
    int error = newest ? make_recalled(s, report) : make(s, report);
    free(s);
    return error;
}
