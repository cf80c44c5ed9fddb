#include "dump/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/blocks.h"
#include "dump/stream_events.h"
#include "dump/unsent.h"
#include "trace/compose.h"
#include "trace/deframe.h"

#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
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

static int send(struct stream *s, const uint8_t *bytes, size_t length) {
    uint8_t framed[DEFRAME_CHUNK_BYTES];
    size_t framed_length = frame_encode(framed, sizeof framed, bytes, length);
    return s->write(s->context, framed, framed_length);
}

/* ---- SESSION, SITES, STATUS ---- */

static int send_session(struct stream *s, uint32_t session) {
    const struct recorder *r = s->recorder;
    struct compose frame;
    size_t length = 0;
    compose_begin(&frame, KYMO_FRAME_SESSION, s->sequence++);
    compose_little(&frame, session, 4);
    compose_varint(&frame, r->clock_hz);
    compose_varint(&frame, s->last_ticks);
    compose_little(&frame, 0, 1);
    compose_varint(&frame, recorder_sites(r));
    compose_little(&frame, r->layout.pointer_bytes, 1);
    const char *image = recorder_image(r, &length);
    compose_string(&frame, image, length, IMAGE_BYTES);
    compose_little(&frame, r->layout.lanes, 1);
    for (uint32_t i = 0; i < r->layout.lanes; i++) {
        const char *name = recorder_lane_name(r, i, &length);
        compose_string(&frame, name, length, LANE_NAME_BYTES);
    }
    return send(s, frame.bytes, frame.at);
}

static void site_of(const void *recorder, uint32_t index, struct site_entry *entry) {
    recorder_site(recorder, index, entry);
}

static int send_sites(struct stream *s) {
    const struct site_list list = {s->recorder, recorder_sites(s->recorder), site_of};
    struct compose frame;
    int error = 0;
    for (uint32_t next = 0; next < list.count && error == 0;) {
        compose_sites(&frame, s->sequence++, &list, &next);
        error = send(s, frame.bytes, frame.at);
    }
    return error;
}

static int send_status(struct stream *s) {
    const struct recorder *r = s->recorder;
    struct compose frame;
    compose_begin(&frame, KYMO_FRAME_STATUS, s->sequence++);
    compose_little(&frame, KYMO_STATUS_FINAL, 1);
    compose_varint(&frame, s->last_ticks);
    compose_little(&frame, r->layout.lanes, 1);
    for (uint32_t i = 0; i < r->layout.lanes; i++) {
        compose_varint(&frame, s->events[i]);
        compose_varint(&frame, recorder_lane_field(r, i, r->layout.lost, 4));
    }
    return send(s, frame.bytes, frame.at);
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

static int on_unsent(void *context, const uint8_t *bytes, size_t length) {
    return send(context, bytes, length);
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
    error = error ? error : unsent_read(s->recorder, on_unsent, s);
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
