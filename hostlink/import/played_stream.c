/* SPDX-License-Identifier: MIT */
/* The stream of a played board: SESSION, SITES, EVENTS by lane, and after each round of them a STATUS, which says that
 * no earlier event comes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/played.h"
#include "wire/compose.h"
#include "wire/events_packet.h"
#include "wire/unpack.h"

#define HZ 1000000000u
#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
/* Events of a round: few enough that a reader can hold them. */
#define ROUND_EVENTS 4096u
#define REFERENCE_MAIN 1u

struct lane {
    struct events_packet packet;
    bool in_packet;
    uint32_t context;
    uint64_t events;
    uint32_t row;  /* that it runs, or ran last */
    uint64_t used; /* when, in rounds of choosing */
};

struct stream {
    struct played *played;
    int (*write)(void *context, const uint8_t *bytes, size_t length);
    void *context;
    uint8_t sequence;
    uint32_t lanes;
    bool tasks; /* rows are tasks */
    uint64_t turn, in_round;
    uint64_t now; /* ticks */
    struct lane lane[WIRE_LANES];
};

/* ---- packets ---- */

static int send(struct stream *s, const uint8_t *bytes, size_t length) {
    uint8_t framed[UNPACK_CHUNK_BYTES];
    return s->write(s->context, framed, packet_encode(framed, sizeof framed, bytes, length));
}

static const char *row_name(const struct played_row *row) { return row->name ? row->name : ""; }

static int send_session(struct stream *s) {
    struct compose packet;
    compose_begin(&packet, KYMO_PACKET_SESSION, s->sequence++);
    compose_little(&packet, 1, 4);
    compose_varint(&packet, HZ);
    compose_varint(&packet, 0);
    compose_little(&packet, 0, 1);
    compose_varint(&packet, s->played->sites.count);
    compose_little(&packet, 8, 1);
    compose_string(&packet, s->played->image, strlen(s->played->image), IMAGE_BYTES);
    compose_little(&packet, s->lanes, 1);
    for (uint32_t i = 0; i < s->lanes; i++) {
        const char *name = !s->tasks && !s->played->kernel && i < s->played->row_count
                               ? row_name(&s->played->rows[i])
                               : "";
        compose_string(&packet, name, strlen(name), LANE_NAME_BYTES);
    }
    return send(s, packet.bytes, packet.at);
}

static void site_of(const void *context, uint32_t index, struct site_entry *entry) {
    const struct keytable *sites = context;
    const char *key = (const char *)sites->bytes + sites->entries[index].offset;
    uint32_t head[2];
    memcpy(head, key, sizeof head);
    const char *name = key + sizeof head;
    const size_t length = strlen(name);
    *entry =
        (struct site_entry){.kind = (uint8_t)head[0],
                            .level = KYMO_LEVEL_INFO,
                            .line = head[1],
                            .name = name,
                            .name_bytes = length,
                            .function = "",
                            .file = name + length + 1,
                            .file_bytes = sites->entries[index].length - sizeof head - length - 1};
}

static int send_sites(struct stream *s) {
    const struct site_list list = {&s->played->sites, s->played->sites.count, site_of};
    struct compose packet;
    int error = 0;
    for (uint32_t next = 0; error == 0 && next < list.count;) {
        compose_sites(&packet, s->sequence++, &list, &next);
        error = send(s, packet.bytes, packet.at);
    }
    return error;
}

static int flush(struct stream *s, struct lane *lane) {
    if (!lane->in_packet) {
        return 0;
    }
    lane->in_packet = false;
    events_end(&lane->packet);
    return send(s, lane->packet.bytes, lane->packet.length);
}

static int send_status(struct stream *s, uint8_t flags) {
    struct compose packet;
    compose_begin(&packet, KYMO_PACKET_STATUS, s->sequence++);
    compose_little(&packet, flags, 1);
    compose_varint(&packet, s->now);
    compose_little(&packet, s->lanes, 1);
    for (uint32_t i = 0; i < s->lanes; i++) {
        compose_varint(&packet, s->lane[i].events);
        compose_varint(&packet, 0);
    }
    return send(s, packet.bytes, packet.at);
}

/* ---- events ---- */

static int put(struct stream *s, struct lane *lane, const struct wire_event *event) {
    int error = 0;
    if (!lane->in_packet || !events_add(&lane->packet, event)) {
        error = flush(s, lane);
        events_begin(&lane->packet, &(struct events_head){.lane = (uint32_t)(lane - s->lane),
                                                          .sequence = s->sequence++,
                                                          .first = lane->events,
                                                          .ticks = event->ticks,
                                                          .context = lane->context});
        lane->in_packet = true;
        (void)events_add(&lane->packet, event); /* one event always fits */
    }
    lane->context = event->kind == KYMO_KIND_CONTEXT ? event->reference : lane->context;
    lane->events += KYMO_KIND_IS_COUNTED(event->kind) ? 1 : 0;
    return error;
}

static void put_text(struct wire_event *event, const char *text, size_t length) {
    event->word[event->words++] = (uint32_t)length;
    for (size_t i = 0; i < length; i++) {
        uint32_t *word = &event->word[event->words + i / 4];
        *word = (i % 4 == 0 ? 0 : *word) | (uint32_t)(uint8_t)text[i] << 8 * (i % 4);
    }
    event->words += (uint32_t)(length + 3) / 4;
}

static uint32_t reference_of(uint32_t row) { return 2 * row + 3; }

static int end_zones(struct stream *s, uint32_t row, uint64_t ticks);

/* The lane that will run the row: one that has no open zone of another row, and was used least lately. */
static int choose(struct stream *s, uint32_t row, struct lane **result) {
    struct lane *best = NULL;
    int error = 0;
    for (uint32_t i = 0; i < s->lanes && error == 0; i++) {
        struct lane *lane = &s->lane[i];
        const bool runs = lane->context != REFERENCE_MAIN;
        error = runs ? end_zones(s, lane->row, s->now) : 0;
        const bool free = !runs || s->played->rows[lane->row].depth == 0;
        best = free && (!best || lane->used < best->used) ? lane : best;
    }
    if (!best) {
        s->played->shared++;
        best = &s->lane[row % s->lanes];
    }
    *result = best;
    return error;
}

static int name_row(struct stream *s, struct lane *lane, uint32_t row) {
    struct wire_event event = {.kind = KYMO_KIND_CONTEXT_NAME,
                               .reference = reference_of(row),
                               .ticks = s->now,
                               .words = 1,
                               .word = {s->played->rows[row].kind}};
    const char *name = row_name(&s->played->rows[row]);
    if (s->played->rows[row].named || name[0] == '\0') {
        return 0;
    }
    s->played->rows[row].named = true;
    put_text(&event, name, strnlen(name, PLAYED_TEXT_BYTES));
    return put(s, lane, &event);
}

/* The lane of the row, which then runs it. */
static int lane_of(struct stream *s, uint32_t row, struct lane **result) {
    struct played_row *of = &s->played->rows[row];
    if (!s->tasks) {
        *result = &s->lane[s->played->kernel ? 0 : row];
        return 0;
    }
    struct lane *lane = of->lane >= 0 ? &s->lane[of->lane] : NULL;
    const bool owns = lane && (lane->row == row || of->depth > 0);
    int error = owns ? 0 : choose(s, row, &lane);
    if (error) {
        return error;
    }
    *result = lane;
    lane->used = ++s->turn;
    of->lane = (int32_t)(lane - s->lane);
    if (lane->context == reference_of(row)) {
        return 0;
    }
    lane->row = row;
    error = name_row(s, lane, row);
    return error ? error
                 : put(s, lane,
                       &(struct wire_event){.kind = KYMO_KIND_CONTEXT,
                                            .reference = reference_of(row),
                                            .ticks = s->now});
}

static int put_on(struct stream *s, uint32_t row, struct wire_event *event) {
    struct lane *lane;
    const int error = lane_of(s, row, &lane);
    event->ticks = s->now;
    return error ? error : put(s, lane, event);
}

static int end_zone(struct stream *s, uint32_t row) {
    const int error = put_on(s, row, &(struct wire_event){.kind = KYMO_KIND_ZONE_END});
    s->played->rows[row].depth--;
    return error;
}

/* Zones of the row whose ends are known end, up to here. */
static int end_zones(struct stream *s, uint32_t row, uint64_t ticks) {
    struct played_row *of = &s->played->rows[row];
    int error = 0;
    while (error == 0 && of->depth > 0 && of->ends[of->depth - 1] != PLAYED_OPEN &&
           (uint64_t)of->ends[of->depth - 1] <= ticks) {
        s->now = (uint64_t)of->ends[of->depth - 1];
        error = end_zone(s, row);
    }
    s->now = ticks;
    return error;
}

static bool push(struct played_row *row, int64_t end_ns) {
    if (!grow(&row->ends, &row->capacity, row->depth, sizeof *row->ends)) {
        return false;
    }
    row->ends[row->depth++] = end_ns;
    return true;
}

static int begin_zone(struct stream *s, const struct played_note *note, const char *text,
                      size_t length) {
    struct played_row *of = &s->played->rows[note->row];
    struct wire_event event = {.kind = KYMO_KIND_ZONE_BEGIN, .reference = 2 * note->site};
    int64_t end_ns = note->end_ns;
    const int64_t around = of->depth > 0 ? of->ends[of->depth - 1] : PLAYED_OPEN;
    if (end_ns != PLAYED_OPEN) {
        end_ns -= s->played->first_ns;
        s->played->cut += around < end_ns ? 1 : 0;
        end_ns = around < end_ns ? around : end_ns;
    }
    int error = put_on(s, note->row, &event);
    error = error ? error : push(of, end_ns) ? 0 : -ENOMEM;
    if (error == 0 && length > 0) {
        event = (struct wire_event){.kind = KYMO_KIND_ZONE_TEXT};
        put_text(&event, text, length);
        error = put_on(s, note->row, &event);
    }
    return error;
}

/* The innermost zone that has no end of its own; those inside it end with it. */
static int end_open(struct stream *s, uint32_t row) {
    struct played_row *of = &s->played->rows[row];
    uint32_t depth = of->depth;
    int error = 0;
    while (depth > 0 && of->ends[depth - 1] != PLAYED_OPEN) {
        depth--;
    }
    if (depth == 0) {
        s->played->unmatched++;
        return 0;
    }
    s->played->cut += of->depth - depth;
    while (error == 0 && of->depth >= depth) {
        error = end_zone(s, row);
    }
    return error;
}

static int put_value(struct stream *s, const struct played_note *note) {
    struct wire_event event = {
        .kind = KYMO_KIND_PLOT_DOUBLE, .reference = 2 * note->site, .words = 2};
    uint64_t bits;
    memcpy(&bits, &note->value, sizeof bits);
    if (fabs(note->value) < 2147483648.0 && note->value == floor(note->value)) {
        event.kind = KYMO_KIND_PLOT_INT;
        event.words = 1;
        bits = (uint64_t)(int64_t)note->value;
    }
    event.word[0] = (uint32_t)bits;
    event.word[1] = (uint32_t)(bits >> 32);
    return put_on(s, note->row, &event);
}

static int put_message(struct stream *s, const struct played_note *note, const char *text,
                       size_t length) {
    struct wire_event event = {.kind = KYMO_KIND_MESSAGE_TEXT,
                               .reference = 2 * note->site,
                               .words = 1,
                               .word = {UINT32_C(1) << 31}};
    put_text(&event, text, length);
    return put_on(s, note->row, &event);
}

static int put_flow(struct stream *s, const struct played_note *note) {
    return put_on(s, note->row,
                  &(struct wire_event){.kind = note->kind,
                                       .reference = 2 * note->site,
                                       .words = 2,
                                       .word = {(uint32_t)note->id, (uint32_t)(note->id >> 32)}});
}

static int put_switch(struct stream *s, uint32_t row) {
    struct lane *lane = &s->lane[0];
    const int error = name_row(s, lane, row);
    const struct wire_event event = {
        .kind = KYMO_KIND_CONTEXT, .reference = reference_of(row), .ticks = s->now};
    return error || lane->context == event.reference ? error : put(s, lane, &event);
}

static int put_ready(struct stream *s, uint32_t row) {
    const int error = name_row(s, &s->lane[0], row);
    const struct wire_event event = {
        .kind = KYMO_KIND_TASK_READY, .reference = reference_of(row), .ticks = s->now, .words = 1};
    return error ? error : put(s, &s->lane[0], &event);
}

static int put_waits(struct stream *s, uint64_t why) {
    return put(
        s, &s->lane[0],
        &(struct wire_event){
            .kind = KYMO_KIND_TASK_WAITS, .ticks = s->now, .words = 2, .word = {(uint32_t)why}});
}

static int put_note(struct stream *s, const struct played_note *note, const char *text,
                    size_t length) {
    switch (note->kind) {
    case KYMO_KIND_ZONE_BEGIN:
        return begin_zone(s, note, text, length);
    case KYMO_KIND_ZONE_END:
        return end_open(s, note->row);
    case KYMO_KIND_PLOT_DOUBLE:
        return put_value(s, note);
    case KYMO_KIND_FLOW_SEND:
    case KYMO_KIND_FLOW_STEP:
    case KYMO_KIND_FLOW_RECEIVE:
    case KYMO_KIND_ASYNC_BEGIN:
    case KYMO_KIND_ASYNC_END:
        return put_flow(s, note);
    case KYMO_KIND_CONTEXT:
        return put_switch(s, note->row);
    case KYMO_KIND_TASK_READY:
        return put_ready(s, note->row);
    case KYMO_KIND_TASK_WAITS:
        return put_waits(s, note->id);
    default:
        return put_message(s, note, text, length);
    }
}

/* All lanes come up to here. */
static int end_round(struct stream *s, uint64_t ticks, uint8_t flags) {
    int error = 0;
    for (uint32_t i = 0; i < s->played->row_count && error == 0; i++) {
        error = end_zones(s, i, ticks);
    }
    for (uint32_t i = 0; i < s->lanes && error == 0; i++) {
        error = flush(s, &s->lane[i]);
    }
    s->in_round = 0;
    s->now = ticks;
    return error ? error : send_status(s, flags);
}

static int take(void *context, int64_t time_ns, const uint8_t *bytes, size_t length) {
    struct stream *s = context;
    const uint64_t ticks = (uint64_t)time_ns - (uint64_t)s->played->first_ns;
    struct played_note note;
    int error = 0;
    memcpy(&note, bytes, sizeof note);
    if (note.site >= WIRE_SITES) {
        s->played->unnamed++;
    }
    if (ticks > s->now && s->in_round++ >= ROUND_EVENTS) {
        error = end_round(s, s->now, 0);
    }
    error = error ? error : end_zones(s, note.row, ticks);
    return error ? error
                 : put_note(s, &note, (const char *)bytes + sizeof note, length - sizeof note);
}

int played_write(struct played *played,
                 int (*write)(void *context, const uint8_t *bytes, size_t length), void *context) {
    struct stream *s = calloc(1, sizeof *s);
    if (!s) {
        return -ENOMEM;
    }
    s->played = played;
    s->write = write;
    s->context = context;
    s->tasks = played->row_count > WIRE_LANES && !played->kernel;
    s->lanes = played->kernel          ? 1
               : s->tasks              ? WIRE_LANES
               : played->row_count > 0 ? played->row_count
                                       : 1;
    for (uint32_t i = 0; i < s->lanes; i++) {
        s->lane[i].context = REFERENCE_MAIN;
    }
    int error = played->error;
    error = error ? error : send_session(s);
    error = error ? error : send_sites(s);
    error = error ? error : by_time_each(&played->order, s, take);
    if (error == 0 && played->any) {
        error = end_round(s, (uint64_t)played->last_ns - (uint64_t)played->first_ns, 0);
    }
    error = error ? error : send_status(s, KYMO_STATUS_FINAL);
    free(s);
    return error;
}
