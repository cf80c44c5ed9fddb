/* SPDX-License-Identifier: MIT */
#include "dump/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/kinds.h"
#include "dump/blocks.h"
#include "dump/unsent.h"
#include "wire/compose.h"
#include "wire/events_packet.h"
#include "wire/unpack.h"

#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
/* Runs of a flight recorder: no more than it has blocks. */
#define RUNS_MAX 4096u

struct stream {
    const struct recorder *recorder;
    stream_write *write;
    void *context;
    uint8_t sequence;
    struct events_packet packet;
    struct events_head head;
    bool in_packet;
    struct lanes_report *report;
    uint64_t last_ticks;         /* the latest of all lanes */
    uint64_t events[WIRE_LANES]; /* of each lane, at its end */
};

static int send(struct stream *s, const uint8_t *bytes, size_t length) {
    uint8_t framed[UNPACK_CHUNK_BYTES];
    size_t packetd_length = packet_encode(framed, sizeof framed, bytes, length);
    return s->write(s->context, framed, packetd_length);
}

/* ---- SESSION, SITES, STATUS ---- */

static int send_session(struct stream *s, uint32_t session) {
    const struct recorder *r = s->recorder;
    struct compose packet;
    size_t length = 0;
    compose_begin(&packet, KYMO_PACKET_SESSION, s->sequence++);
    compose_little(&packet, session, 4);
    compose_varint(&packet, r->clock_hz);
    compose_varint(&packet, s->last_ticks);
    compose_little(&packet, 0, 1);
    compose_varint(&packet, recorder_sites(r));
    compose_little(&packet, r->layout.pointer_bytes, 1);
    const char *image = recorder_image(r, &length);
    compose_string(&packet, image, length, IMAGE_BYTES);
    compose_little(&packet, r->layout.lanes, 1);
    for (uint32_t i = 0; i < r->layout.lanes; i++) {
        const char *name = recorder_lane_name(r, i, &length);
        compose_string(&packet, name, length, LANE_NAME_BYTES);
    }
    return send(s, packet.bytes, packet.at);
}

static void site_of(const void *recorder, uint32_t index, struct site_entry *entry) {
    recorder_site(recorder, index, entry);
}

static int send_sites(struct stream *s) {
    struct site_list list = {s->recorder, recorder_sites(s->recorder), site_of};
    struct compose packet;
    int error = 0;
    for (uint32_t next = 0; error == 0 && next < recorder_all_sites(s->recorder);) {
        list.count = next < list.count ? list.count : next + 1;
        if (recorder_site_kind(s->recorder, next) == RECORDER_KIND_UNKNOWN) {
            next++; /* of those made at run time: a place that is free */
            continue;
        }
        compose_sites(&packet, s->sequence++, &list, &next);
        error = send(s, packet.bytes, packet.at);
    }
    return error;
}

static int send_status(struct stream *s) {
    const struct recorder *r = s->recorder;
    struct compose packet;
    compose_begin(&packet, KYMO_PACKET_STATUS, s->sequence++);
    compose_little(&packet, KYMO_STATUS_FINAL, 1);
    compose_varint(&packet, s->last_ticks);
    compose_little(&packet, r->layout.lanes, 1);
    for (uint32_t i = 0; i < r->layout.lanes; i++) {
        compose_varint(&packet, s->events[i]);
        compose_varint(&packet, recorder_lane_field(r, i, r->layout.lost, 4));
    }
    return send(s, packet.bytes, packet.at);
}

/* ---- EVENTS ---- */

static int flush(struct stream *s) {
    if (!s->in_packet) {
        return 0;
    }
    s->in_packet = false;
    events_end(&s->packet);
    return send(s, s->packet.bytes, s->packet.length);
}

static int on_start(void *context, const struct lane_start *start) {
    struct stream *s = context;
    int error = flush(s);
    s->head.lane = start->lane;
    s->head.context = start->context;
    s->events[start->lane] = start->events;
    return error;
}

static void open_packet(struct stream *s, const struct wire_event *event) {
    s->head.sequence = s->sequence++;
    s->head.first = s->events[s->head.lane];
    s->head.ticks = event->ticks;
    events_begin(&s->packet, &s->head);
    s->in_packet = true;
}

static void check_site(struct stream *s, const struct wire_event *event) {
    const int kind = kind_site(kind_of(event->kind));
    const bool is_site = event->reference % 2 == 0;
    if (kind >= 0) {
        const int known = is_site ? recorder_site_kind(s->recorder, event->reference / 2) : -1;
        s->report->named++;
        s->report->strangers += known != kind && known != RECORDER_KIND_UNKNOWN;
    }
}

static int on_event(void *context, const struct wire_event *event) {
    struct stream *s = context;
    int error = 0;
    check_site(s, event);
    if (!s->in_packet || !events_add(&s->packet, event)) {
        error = flush(s);
        open_packet(s, event);
        (void)events_add(&s->packet, event); /* one event always fits */
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

/* Sends the rings' events of one run; in a flight recorder each run is a session of its own. */
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
    const struct recorder *const last = s->recorder;
    struct recorder earlier = *last; /* its sites of run time were cleared by the reset */
    earlier.dynamic_is_gone = true;
    for (size_t i = 0; i < count && error == 0; i++) {
        s->recorder = i + 1 == count ? last : &earlier;
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
