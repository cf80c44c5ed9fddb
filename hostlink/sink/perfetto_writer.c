/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_writer.h"

#include <errno.h>
#include <string.h>

/* Numbers of protos/perfetto/trace/trace_packet.proto, clock_snapshot.proto, interned_data.proto,
 * track_event/{track_event,debug_annotation,source_location,log_message}.proto, profiling/perf_event.proto and
 * generic_kernel/generic_task.proto, as of Perfetto v55. */
enum {
    TRACE_PACKET = 1,
    PACKET_FTRACE_EVENTS = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TIMESTAMP_CLOCK_ID = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60,
    PACKET_PERF_SAMPLE = 66,
    PACKET_FIRST_ON_SEQUENCE = 87,
    PACKET_TASK_STATE = 117,

    DEFAULTS_TRACK_EVENT = 11,
    DEFAULTS_PERF_SAMPLE = 12,
    DEFAULTS_TIMESTAMP_CLOCK_ID = 58,
    EVENT_DEFAULTS_TRACK_UUID = 11,
    SAMPLE_DEFAULTS_TIMEBASE = 1,
    TIMEBASE_FREQUENCY = 2,
    TIMEBASE_NAME = 10,

    SNAPSHOT_CLOCKS = 1,
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,
    CLOCK_IS_INCREMENTAL = 3,

    DESCRIPTOR_UUID = 1,

    TASK_CPU = 1,
    TASK_COMM = 2,
    TASK_TID = 3,
    TASK_STATE = 4,
    TASK_PRIORITY = 5,

    INTERNED_CATEGORIES = 1,
    INTERNED_EVENT_NAMES = 2,
    INTERNED_NOTE_NAMES = 3,
    INTERNED_PLACES = 4,
    INTERNED_LOG_BODIES = 20,
    INTERNED_IID = 1, /* in each of the five above */
    INTERNED_NAME = 2,
    PLACE_FILE = 2,
    PLACE_FUNCTION = 3,
    PLACE_LINE = 4,

    TRACK_EVENT_CATEGORY_IID = 3,
    TRACK_EVENT_NOTE = 4,
    TRACK_EVENT_TYPE = 9,
    TRACK_EVENT_NAME_IID = 10,
    TRACK_EVENT_TRACK_UUID = 11,
    TRACK_EVENT_LOG_MESSAGE = 21,
    TRACK_EVENT_NAME = 23,
    TRACK_EVENT_COUNTER = 30,
    TRACK_EVENT_PLACE_IID = 34,
    TRACK_EVENT_COUNTER_DOUBLE = 44,
    TRACK_EVENT_FLOW = 47,
    TRACK_EVENT_FLOW_END = 48,

    NOTE_NAME_IID = 1,
    NOTE_UINT = 3,
    NOTE_STRING = 6,
    NOTE_POINTER = 7,

    LOG_PLACE_IID = 1,
    LOG_BODY_IID = 2,
    LOG_PRIORITY = 3
};

/* TracePacket.SequenceFlags */
enum { SEQ_INCREMENTAL_STATE_CLEARED = 1, SEQ_NEEDS_INCREMENTAL_STATE = 2 };
/* Clocks of clock_snapshot.proto; 64 to 127 belong to one sequence. */
enum { TRACE_CLOCK_REALTIME = 1, TRACE_CLOCK_BOOTTIME = 6, TRACE_CLOCK_OF_ROW = 64 };

/* First byte of the key of a site among the interned; a text has its INTERNED_ number there. */
enum { KEY_SITE_UNKNOWN = 100, KEY_SITE_KNOWN = 101 };

/* The sequence of descriptors, clocks and task states, which keep no state. */
#define COMMON_SEQUENCE 1u

static uint64_t not_negative(int64_t ns) { return ns > 0 ? (uint64_t)ns : 0; }

void perfetto_open(struct perfetto_writer *writer, struct outfile *out) {
    *writer = (struct perfetto_writer){.out = out, .sequences = COMMON_SEQUENCE};
}

void perfetto_close(struct perfetto_writer *writer) {
    protobuf_free(&writer->packet);
    protobuf_free(&writer->event);
    protobuf_free(&writer->interned);
    protobuf_free(&writer->stack);
}

void perfetto_row_free(struct perfetto_row *row) {
    keytable_free(&row->interned);
    intmap_free(&row->sites);
}

uint64_t perfetto_new_uuid(struct perfetto_writer *writer) { return ++writer->uuids; }

/* ---- packets ---- */

static size_t packet_begin(struct perfetto_writer *writer, uint32_t sequence) {
    protobuf_clear(&writer->packet);
    size_t begun = protobuf_begin(&writer->packet, TRACE_PACKET);
    protobuf_varint(&writer->packet, PACKET_SEQUENCE_ID, sequence);
    return begun;
}

static int packet_end(struct perfetto_writer *writer, size_t begun) {
    protobuf_end(&writer->packet, begun);
    if (writer->packet.error) {
        return outfile_fail(writer->out, writer->packet.error);
    }
    return outfile_write(writer->out, writer->packet.bytes, writer->packet.length);
}

static void add_clock(struct perfetto_writer *writer, uint32_t id, uint64_t timestamp,
                      bool incremental) {
    size_t clock = protobuf_begin(&writer->packet, SNAPSHOT_CLOCKS);
    protobuf_varint(&writer->packet, CLOCK_ID, id);
    protobuf_varint(&writer->packet, CLOCK_TIMESTAMP, timestamp);
    if (incremental) {
        protobuf_varint(&writer->packet, CLOCK_IS_INCREMENTAL, 1);
    }
    protobuf_end(&writer->packet, clock);
}

int perfetto_epoch(struct perfetto_writer *writer, int64_t unix_ns) {
    size_t begun = packet_begin(writer, COMMON_SEQUENCE);
    size_t snapshot = protobuf_begin(&writer->packet, PACKET_CLOCK_SNAPSHOT);
    add_clock(writer, TRACE_CLOCK_BOOTTIME, 0, false);
    add_clock(writer, TRACE_CLOCK_REALTIME, not_negative(unix_ns), false);
    protobuf_end(&writer->packet, snapshot);
    return packet_end(writer, begun);
}

struct protobuf *perfetto_descriptor_begin(struct perfetto_writer *writer, uint64_t uuid) {
    protobuf_clear(&writer->event);
    protobuf_varint(&writer->event, DESCRIPTOR_UUID, uuid);
    return &writer->event;
}

int perfetto_descriptor_end(struct perfetto_writer *writer) {
    size_t begun = packet_begin(writer, COMMON_SEQUENCE);
    protobuf_message(&writer->packet, PACKET_TRACK_DESCRIPTOR, &writer->event);
    return packet_end(writer, begun);
}

int perfetto_task(struct perfetto_writer *writer, const struct perfetto_state_change *change) {
    size_t begun = packet_begin(writer, COMMON_SEQUENCE);
    protobuf_varint(&writer->packet, PACKET_TIMESTAMP, not_negative(change->time_ns));
    size_t task = protobuf_begin(&writer->packet, PACKET_TASK_STATE);
    protobuf_varint(&writer->packet, TASK_CPU, change->cpu);
    protobuf_string(&writer->packet, TASK_COMM, change->name, strlen(change->name));
    protobuf_varint(&writer->packet, TASK_TID, change->tid);
    protobuf_varint(&writer->packet, TASK_STATE, change->state);
    if (change->has_priority) {
        protobuf_varint(&writer->packet, TASK_PRIORITY, (uint64_t)(int64_t)change->priority);
    }
    protobuf_end(&writer->packet, task);
    return packet_end(writer, begun);
}

/* ---- the sequence of a row ---- */

/* The name of the samples' counter, and its rate. */
static void put_sample_defaults(struct protobuf *packet, uint64_t hz) {
    static const char name[] = "samples";
    size_t defaults = protobuf_begin(packet, DEFAULTS_PERF_SAMPLE);
    size_t timebase = protobuf_begin(packet, SAMPLE_DEFAULTS_TIMEBASE);
    protobuf_varint(packet, TIMEBASE_FREQUENCY, hz);
    protobuf_string(packet, TIMEBASE_NAME, name, sizeof name - 1);
    protobuf_end(packet, timebase);
    protobuf_end(packet, defaults);
}

/* From here on the row's packets default to its track and to a clock that counts from the packet
 * before, and that stands at "time_ns" now. */
static int start_sequence(struct perfetto_writer *writer, struct perfetto_row *row,
                          int64_t time_ns) {
    row->sequence = ++writer->sequences;
    row->last_ns = time_ns;
    size_t begun = packet_begin(writer, row->sequence);
    protobuf_varint(&writer->packet, PACKET_SEQUENCE_FLAGS, SEQ_INCREMENTAL_STATE_CLEARED);
    protobuf_varint(&writer->packet, PACKET_FIRST_ON_SEQUENCE, 1);
    size_t defaults = protobuf_begin(&writer->packet, PACKET_DEFAULTS);
    protobuf_varint(&writer->packet, DEFAULTS_TIMESTAMP_CLOCK_ID, TRACE_CLOCK_OF_ROW);
    if (row->sample_hz != 0) {
        put_sample_defaults(&writer->packet, row->sample_hz);
    } else {
        size_t event_defaults = protobuf_begin(&writer->packet, DEFAULTS_TRACK_EVENT);
        protobuf_varint(&writer->packet, EVENT_DEFAULTS_TRACK_UUID, row->uuid);
        protobuf_end(&writer->packet, event_defaults);
    }
    protobuf_end(&writer->packet, defaults);
    size_t snapshot = protobuf_begin(&writer->packet, PACKET_CLOCK_SNAPSHOT);
    add_clock(writer, TRACE_CLOCK_BOOTTIME, not_negative(time_ns), false);
    add_clock(writer, TRACE_CLOCK_OF_ROW, not_negative(time_ns), true);
    protobuf_end(&writer->packet, snapshot);
    return packet_end(writer, begun);
}

/* ---- names that are sent once a sequence ---- */

static uint64_t intern(struct perfetto_writer *writer, const void *key, size_t length,
                       bool *fresh) {
    struct keytable *table = &writer->row->interned;
    uint32_t before = table->count;
    int64_t number = keytable_add(table, key, length);
    if (number < 0) {
        writer->error = (int)number;
        *fresh = false;
        return 0;
    }
    *fresh = table->count > before;
    return (uint64_t)number + 1;
}

uint64_t perfetto_intern(struct perfetto_writer *writer, const void *key, size_t length,
                         bool *fresh) {
    return intern(writer, key, length, fresh);
}

static uint64_t intern_text(struct perfetto_writer *writer, uint32_t kind, const char *text) {
    bool fresh;
    char key[64] = {(char)kind};
    size_t length = strlen(text) < sizeof key - 1 ? strlen(text) : sizeof key - 1;
    memcpy(key + 1, text, length);
    uint64_t iid = intern(writer, key, length + 1, &fresh);
    if (fresh) {
        size_t begun = protobuf_begin(&writer->interned, kind);
        protobuf_varint(&writer->interned, INTERNED_IID, iid);
        protobuf_string(&writer->interned, INTERNED_NAME, text, length);
        protobuf_end(&writer->interned, begun);
    }
    return iid;
}

static void send_site(struct perfetto_writer *writer, const struct site *site, uint64_t iid) {
    struct protobuf *interned = &writer->interned;
    size_t name = protobuf_begin(interned, INTERNED_EVENT_NAMES);
    protobuf_varint(interned, INTERNED_IID, iid);
    protobuf_string(interned, INTERNED_NAME, site->name, strlen(site->name));
    protobuf_end(interned, name);

    size_t place = protobuf_begin(interned, INTERNED_PLACES);
    protobuf_varint(interned, INTERNED_IID, iid);
    protobuf_string(interned, PLACE_FILE, site->file, strlen(site->file));
    protobuf_string(interned, PLACE_FUNCTION, site->function, strlen(site->function));
    protobuf_varint(interned, PLACE_LINE, site->line);
    protobuf_end(interned, place);
}

/* One number for the name and the place of a site. Its names may arrive after it was used: then they
 * are sent under a new number. */
static uint64_t intern_site(struct perfetto_writer *writer, const struct site *site) {
    /* The lowest bit of a pointer to a site is free. */
    const uint64_t short_key = (uintptr_t)site | (site->known ? 1 : 0);
    const uint32_t seen = intmap_get(&writer->row->sites, short_key);
    if (seen != 0) {
        return seen;
    }
    bool fresh;
    char key[1 + sizeof site] = {site->known ? KEY_SITE_KNOWN : KEY_SITE_UNKNOWN};
    memcpy(key + 1, &site, sizeof site);
    uint64_t iid = intern(writer, key, sizeof key, &fresh);
    if (fresh) {
        send_site(writer, site, iid);
    }
    if (iid != 0 && intmap_add(&writer->row->sites, short_key, (uint32_t)iid) != 0) {
        writer->error = -ENOMEM;
    }
    return iid;
}

/* ---- events ---- */

void perfetto_sample_begin(struct perfetto_writer *writer, struct perfetto_row *row,
                           int64_t time_ns) {
    if (row->sequence == 0) {
        start_sequence(writer, row, time_ns); /* its error is kept by the file */
    }
    writer->row = row;
    writer->time_ns = time_ns;
    protobuf_clear(&writer->event);
    protobuf_clear(&writer->interned);
}

void perfetto_event_begin(struct perfetto_writer *writer, struct perfetto_row *row,
                          enum perfetto_type type, int64_t time_ns) {
    perfetto_sample_begin(writer, row, time_ns);
    protobuf_varint(&writer->event, TRACK_EVENT_TYPE, type);
}

void perfetto_name_site(struct perfetto_writer *writer, const struct site *site) {
    const uint64_t iid = intern_site(writer, site);
    protobuf_varint(&writer->event, TRACK_EVENT_NAME_IID, iid);
    if (site->file[0] != '\0') {
        protobuf_varint(&writer->event, TRACK_EVENT_PLACE_IID, iid);
    }
}

void perfetto_name_constant(struct perfetto_writer *writer, const char *name) {
    protobuf_varint(&writer->event, TRACK_EVENT_NAME_IID,
                    intern_text(writer, INTERNED_EVENT_NAMES, name));
}

void perfetto_name_text(struct perfetto_writer *writer, const char *bytes, size_t length) {
    protobuf_string(&writer->event, TRACK_EVENT_NAME, bytes, length);
}

void perfetto_category(struct perfetto_writer *writer, const char *name) {
    protobuf_varint(&writer->event, TRACK_EVENT_CATEGORY_IID,
                    intern_text(writer, INTERNED_CATEGORIES, name));
}

void perfetto_place(struct perfetto_writer *writer, const struct site *site) {
    if (site->file[0] != '\0') {
        protobuf_varint(&writer->event, TRACK_EVENT_PLACE_IID, intern_site(writer, site));
    }
}

/* The format knows the text of a log message by number only. */
void perfetto_log(struct perfetto_writer *writer, const struct site *site,
                  enum perfetto_priority priority, const char *bytes, size_t length) {
    uint64_t place = intern_site(writer, site);
    uint64_t body = ++writer->row->bodies;
    size_t begun = protobuf_begin(&writer->interned, INTERNED_LOG_BODIES);
    protobuf_varint(&writer->interned, INTERNED_IID, body);
    protobuf_string(&writer->interned, INTERNED_NAME, bytes, length);
    protobuf_end(&writer->interned, begun);

    begun = protobuf_begin(&writer->event, TRACK_EVENT_LOG_MESSAGE);
    protobuf_varint(&writer->event, LOG_PLACE_IID, place);
    protobuf_varint(&writer->event, LOG_BODY_IID, body);
    protobuf_varint(&writer->event, LOG_PRIORITY, priority);
    protobuf_end(&writer->event, begun);
}

void perfetto_count(struct perfetto_writer *writer, int64_t value) {
    protobuf_varint(&writer->event, TRACK_EVENT_COUNTER, (uint64_t)value);
}

void perfetto_count_double(struct perfetto_writer *writer, double value) {
    protobuf_double(&writer->event, TRACK_EVENT_COUNTER_DOUBLE, value);
}

void perfetto_flow(struct perfetto_writer *writer, uint64_t id) {
    protobuf_fixed64(&writer->event, TRACK_EVENT_FLOW, id);
}

void perfetto_flow_end(struct perfetto_writer *writer, uint64_t id) {
    protobuf_fixed64(&writer->event, TRACK_EVENT_FLOW_END, id);
}

static size_t note_begin(struct perfetto_writer *writer, const char *key) {
    uint64_t iid = intern_text(writer, INTERNED_NOTE_NAMES, key);
    size_t begun = protobuf_begin(&writer->event, TRACK_EVENT_NOTE);
    protobuf_varint(&writer->event, NOTE_NAME_IID, iid);
    return begun;
}

void perfetto_note_text(struct perfetto_writer *writer, const char *key, const char *bytes,
                        size_t length) {
    size_t begun = note_begin(writer, key);
    protobuf_string(&writer->event, NOTE_STRING, bytes, length);
    protobuf_end(&writer->event, begun);
}

void perfetto_note_number(struct perfetto_writer *writer, const char *key, uint64_t value) {
    size_t begun = note_begin(writer, key);
    protobuf_varint(&writer->event, NOTE_UINT, value);
    protobuf_end(&writer->event, begun);
}

void perfetto_note_address(struct perfetto_writer *writer, const char *key, uint64_t value) {
    size_t begun = note_begin(writer, key);
    protobuf_varint(&writer->event, NOTE_POINTER, value);
    protobuf_end(&writer->event, begun);
}

/* The fields of the packet before its messages. */
static inline uint8_t *put_head(uint8_t *at, struct perfetto_writer *writer) {
    struct perfetto_row *row = writer->row;
    at = protobuf_put(at, PACKET_SEQUENCE_ID, row->sequence);
    if (writer->time_ns >= row->last_ns) {
        at = protobuf_put(at, PACKET_TIMESTAMP,
                          not_negative(writer->time_ns) - not_negative(row->last_ns));
        row->last_ns = writer->time_ns;
    } else { /* a clock that counts up cannot go back: such a packet carries its full time */
        at = protobuf_put(at, PACKET_TIMESTAMP, not_negative(writer->time_ns));
        at = protobuf_put(at, PACKET_TIMESTAMP_CLOCK_ID, TRACE_CLOCK_BOOTTIME);
    }
    return protobuf_put(at, PACKET_SEQUENCE_FLAGS, SEQ_NEEDS_INCREMENTAL_STATE);
}

/* Keys of at most two bytes; 32 bits, 64, 6 and 2 of numbers. */
#define HEAD_BYTES_MAX (4u * 2u + 5u + 10u + 1u + 1u)
/* An event of at most so many bytes is copied as if it had as many: protobuf_grow() makes no less. */
#define SHORT_EVENT_BYTES 32u

/* Nearly all packets: made in the buffer of the file. */
static bool put_short(struct perfetto_writer *writer) {
    const struct protobuf *event = &writer->event;
    if (writer->interned.length > 0 || event->length > SHORT_EVENT_BYTES || event->error) {
        return false;
    }
    uint8_t *const room = (uint8_t *)outfile_room(writer->out);
    uint8_t *at = put_head(protobuf_key(room, TRACE_PACKET, PROTOBUF_LENGTH) + 1, writer);
    at = protobuf_encode(protobuf_key(at, PACKET_TRACK_EVENT, PROTOBUF_LENGTH), event->length);
    memcpy(at, event->bytes, SHORT_EVENT_BYTES);
    at += event->length;
    room[1] = (uint8_t)(at - room - 2);
    outfile_wrote(writer->out, (const char *)at);
    return true;
}
_Static_assert(HEAD_BYTES_MAX + SHORT_EVENT_BYTES < 0x80u, "its length takes one byte");

/* "field": the kind of packet. */
static int put_whole(struct perfetto_writer *writer, uint32_t field) {
    uint8_t head[HEAD_BYTES_MAX];
    protobuf_clear(&writer->packet);
    size_t begun = protobuf_begin(&writer->packet, TRACE_PACKET);
    protobuf_append(&writer->packet, head, (size_t)(put_head(head, writer) - head));
    if (writer->interned.length > 0) {
        protobuf_message(&writer->packet, PACKET_INTERNED_DATA, &writer->interned);
    }
    protobuf_message(&writer->packet, field, &writer->event);
    return packet_end(writer, begun);
}

int perfetto_event_end(struct perfetto_writer *writer) {
    if (writer->error) {
        return outfile_fail(writer->out, writer->error);
    }
    return put_short(writer) ? writer->out->error : put_whole(writer, PACKET_TRACK_EVENT);
}

int perfetto_sample_end(struct perfetto_writer *writer) {
    return writer->error ? outfile_fail(writer->out, writer->error)
                         : put_whole(writer, PACKET_PERF_SAMPLE);
}

int perfetto_ftrace_end(struct perfetto_writer *writer) {
    return writer->error ? outfile_fail(writer->out, writer->error)
                         : put_whole(writer, PACKET_FTRACE_EVENTS);
}
