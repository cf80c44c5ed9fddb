/* SPDX-License-Identifier: MIT */
#include "dump/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/kinds.h"
#include "dump/lanes.h"
#include "dump/recorder.h"
#include "kymo/wire.h"
#include "wire/compose.h"
#include "wire/events_packet.h"
#include "wire/unpack.h"

/* ---- blocks ---- */

/* The rings of a flight recorder (runtime/MEMORY.md, "Kind 2"): reads their blocks, run by run. */
/* A run of the board, from one start to the next. */
struct blocks_run {
    uint32_t number, session;
};

#define MAIN_CONTEXT 1u
/* More events than this no recorder has seen: nine years of a million a second. */
#define EVENTS_MAX (UINT64_C(1) << 48)

struct block {
    uint32_t number, run, session, context;
    uint64_t events, ticks;
    uint32_t at; /* word of the ring where its records begin */
};

static uint32_t blocks_of(const struct recorder *r) {
    return r->layout.ring_bytes / r->layout.block_bytes;
}

/* The block at a place in the ring, if there is one of this program. */
static bool read_block(const struct recorder *r, uint32_t lane, uint32_t place,
                       struct block *block) {
    const uint8_t *head = recorder_ring(r, lane) + (size_t)place * r->layout.block_bytes;
    uint32_t words[KYMO_BLOCK_HEAD_WORDS];
    for (uint32_t i = 0; i < KYMO_BLOCK_HEAD_WORDS; i++) {
        words[i] = bytes_u32(head + 4u * (size_t)i);
    }
    *block = (struct block){.number = words[1],
                            .run = words[2],
                            .session = words[3],
                            .context = words[4],
                            .events = words[5] | (uint64_t)words[6] << 32,
                            .ticks = words[7] | (uint64_t)words[8] << 32,
                            .at = place * (r->layout.block_bytes / 4) + KYMO_BLOCK_HEAD_WORDS};
    return block->number % blocks_of(r) == place && block->events < EVENTS_MAX &&
           words[0] == kymo_block_check(r->fingerprint, words + 1);
}

/* The block of a run with the lowest number above "after". */
static bool next_block(const struct recorder *r, uint32_t lane, uint32_t run, uint32_t after,
                       struct block *next) {
    bool found = false;
    for (uint32_t place = 0; place < blocks_of(r); place++) {
        struct block block;
        if (read_block(r, lane, place, &block) && block.run == run && block.number > after &&
            (!found || block.number < next->number)) {
            *next = block;
            found = true;
        }
    }
    return found;
}

/* The earliest run above "after". */
static bool next_run(const struct recorder *r, uint32_t after, struct blocks_run *next) {
    bool found = false;
    for (uint32_t i = 0; i < r->layout.lanes * blocks_of(r); i++) {
        struct block block;
        if (read_block(r, i / blocks_of(r), i % blocks_of(r), &block) && block.run > after &&
            (!found || block.run < next->number)) {
            *next = (struct blocks_run){block.run, block.session};
            found = true;
        }
    }
    return found;
}

/* The runs that any lane remembers, the earliest first, at most "most" of them; returns how many. */
static size_t blocks_runs(const struct recorder *r, struct blocks_run *runs, size_t most) {
    size_t count = 0;
    uint32_t after = 0;
    while (count < most && next_run(r, after, &runs[count])) {
        after = runs[count++].number;
    }
    return count;
}

/* The position of a lane in a run. */
struct position {
    const struct lanes_reader *reader;
    uint64_t events; /* sent so far, lost ones with them */
    uint32_t context;
};

static int tell(struct position *p, const struct wire_event *event) {
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        p->context = event->reference;
    }
    p->events += KYMO_KIND_IS_COUNTED(event->kind) ? 1 : 0;
    p->events += event->kind == KYMO_KIND_LOSS && event->words != 0 ? event->word[0] : 0;
    return p->reader->event(p->reader->context, event);
}

/* A switch sets the context before it begins a block. */
static bool begins_with_its_switch(const uint8_t *ring, const struct block *block) {
    return bytes_u32(ring + 4u * (size_t)block->at) == (block->context | KYMO_TAG_CONTEXT);
}

/* Sends the number of events overwritten before the block, and the lane's context, as the board itself would. */
static int tell_gap(struct position *p, const struct recorder *r, const uint8_t *ring,
                    const struct block *block) {
    int result = 0;
    while (result == 0 && block->events > p->events) {
        uint64_t lost = block->events - p->events;
        const struct wire_event loss = {.kind = KYMO_KIND_LOSS,
                                        .ticks = block->ticks,
                                        .words = 2,
                                        .word = {lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX}};
        result = tell(p, &loss);
    }
    const struct wire_event now = {.kind = KYMO_KIND_CONTEXT_NOW,
                                   .ticks = block->ticks,
                                   .reference = recorder_reference(r, block->context)};
    const bool states = now.reference != p->context && !begins_with_its_switch(ring, block);
    return result == 0 && states ? tell(p, &now) : result;
}

static int read_records(struct position *p, const struct recorder *r, uint32_t lane,
                        const struct block *block, struct lanes_report *report) {
    struct records records = {.sites = recorder_sites_place(r),
                              .ring = recorder_ring(r, lane),
                              .mask = r->layout.ring_bytes / 4 - 1,
                              .at = block->at,
                              .ticks = block->ticks};
    const uint32_t end = block->at - KYMO_BLOCK_HEAD_WORDS + r->layout.block_bytes / 4;
    int result = 0;
    while (result == 0 && records.at < end && records_word(&records, 0) != 0) {
        struct wire_event event;
        uint32_t length = records_length(&records, end - records.at);
        if (length == 0) {
            report->broken++;
            return 0;
        }
        result = records_next(&records, length, &event) ? tell(p, &event) : 0;
    }
    return result;
}

/* Reads a lane's events of a run. Returns 0, or the reader's value. */
static int blocks_read(const struct recorder *r, uint32_t lane, const struct blocks_run *run,
                       const struct lanes_reader *reader, struct lanes_report *report) {
    const struct lane_start start = {.lane = lane, .context = MAIN_CONTEXT};
    struct position position = {.reader = reader, .context = MAIN_CONTEXT};
    struct block block = {0};
    int result = reader->start(reader->context, &start);
    while (result == 0 && next_block(r, lane, run->number, block.number, &block)) {
        result = tell_gap(&position, r, recorder_ring(r, lane), &block);
        result = result != 0 ? result : read_records(&position, r, lane, &block, report);
    }
    return result;
}

/* ---- what was not sent ---- */

/* The packets that had left the rings of a recorder, and not, or not wholly, the board
 * (runtime/MEMORY.md, "The buffer of packets"). */
/* A packet without its CRC. Non-zero stops. */
typedef int unsent_packet(void *context, const uint8_t *bytes, size_t length);

#define COUNT_BYTES 2u

struct unsent {
    unsent_packet *packet;
    void *context;
};

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    const struct unsent *unsent = context;
    (void)wire_bytes;
    return unsent->packet(unsent->context, bytes, length);
}

/* The end of a packet whose beginning was overwritten, or the beginning of one that is being built. */
static void on_rest(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static uint8_t byte_at(const struct recorder_buffer *buffer, size_t index) {
    return buffer->bytes[index % buffer->length];
}

/* Bytes before the one that leaves next that still belong to its packet: they have left. False: the first of them is
 * overwritten. */
static bool bytes_before(const struct recorder_buffer *buffer, size_t *count) {
    const size_t most = buffer->length - buffer->ready - buffer->open;
    *count = 0;
    while (*count < most && byte_at(buffer, buffer->read + buffer->length - *count - 1) != 0) {
        ++*count;
    }
    return *count < most;
}

/* The packet that is being built, in "bytes" from its first code on, is completed as the board would do it. */
static int complete(const struct unsent *unsent, const struct recorder_buffer *buffer,
                    uint8_t *bytes, size_t length) {
    uint8_t packet[UNPACK_CHUNK_BYTES];
    bytes[length - buffer->open] = (uint8_t)buffer->open;
    size_t to = packet_unstuff(bytes, length, packet);
    if (to < 2 ||
        packet[0] != (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_EVENTS) ||
        to + COUNT_BYTES > sizeof packet) {
        return 0;
    }
    to = put_little(packet, to, buffer->events, COUNT_BYTES);
    return unsent->packet(unsent->context, packet, to);
}

/* The packets that are whole in the buffer, oldest first, then the events of an EVENTS packet that was being built.
 * Returns the callback's value. */
static int unsent_read(const struct recorder *recorder, unsent_packet *packet, void *context) {
    struct unsent unsent = {packet, context};
    const struct unpack_callbacks callbacks = {&unsent, on_packet, on_rest};
    struct recorder_buffer buffer;
    struct unpack unpack;
    uint8_t bytes[UNPACK_CHUNK_BYTES];
    if (!recorder_buffer(recorder, &buffer) || buffer.length > sizeof bytes) {
        return 0;
    }
    size_t before = 0;
    const bool begins = bytes_before(&buffer, &before);
    const size_t length = before + buffer.ready + buffer.open;
    for (size_t i = 0; i < length; i++) {
        bytes[i] = byte_at(&buffer, buffer.read + buffer.length - before + i);
    }
    unpack_init(&unpack, &callbacks);
    int result = unpack_feed(&unpack, bytes, before + buffer.ready);
    size_t begin = before + buffer.ready;
    while (begin != 0 && bytes[begin - 1] != 0) {
        begin--;
    }
    if (result == 0 && buffer.open != 0 && buffer.events != 0 && (begins || begin != 0)) {
        result = complete(&unsent, &buffer, bytes + begin, length - begin);
    }
    return result;
}

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

static int make_from_blocks(struct stream *s, struct lanes_report *report) {
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
    int error = newest ? make_from_blocks(s, report) : make(s, report);
    free(s);
    return error;
}
