/* SPDX-License-Identifier: MIT */
/* Common Trace Format 1.8, for babeltrace 2, Trace Compass and scripts: a folder with a stream of packets, of all cores
 * in the order of time, and its description. Each kind of event is a class, its fields go by what it carries. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_time.h"
#include "base/utf8.h"
#include "model/event.h"
#include "platform/file.h"
#include "sink/outfile.h"
#include "sink/sink.h"

#define MAGIC 0xc1fc1fc1u
#define PACKET_BYTES 65536u
#define HEAD_BYTES 48u     /* packet.header and packet.context */
#define STACK_CLASS 0x400u /* the same kind, with a call stack */
#define CLASSES (2u * STACK_CLASS)

/* Values of an event besides its time, core and context. */
enum shape {
    SHAPE_NONE,
    SHAPE_NAME,
    SHAPE_U64,
    SHAPE_I64,
    SHAPE_DOUBLE,
    SHAPE_MEMORY,
    SHAPE_COUNTERS,
    SHAPE_COUNT,
    SHAPE_PRIORITY,
    SHAPE_STACK,
    SHAPE_PERIOD,
    SHAPE_SAMPLE,
    SHAPE_LARGE,
    SHAPE_TEXT,
    SHAPE_MESSAGE,
    SHAPE_ZONE,
    SHAPE_HOLD,
    SHAPE_NOTE,
    SHAPE_SESSION,
    SHAPE_TRACK,
    SHAPE_GAP,
    SHAPE_TASK,
    SHAPE_FLOW
};

static const char *const shapes[] = {
    [SHAPE_NONE] = "",
    [SHAPE_NAME] = "string name;",
    [SHAPE_U64] = "string name; uint64_t value;",
    [SHAPE_I64] = "string name; int64_t value;",
    [SHAPE_DOUBLE] = "string name; double value;",
    [SHAPE_MEMORY] = "string name; uint64_t bytes; address_t address; string note;",
    [SHAPE_COUNTERS] = "string name; uint32_t cycles; uint32_t instructions;",
    [SHAPE_COUNT] = "string name; string of; uint32_t times;",
    [SHAPE_PRIORITY] = "string name; int32_t priority;",
    [SHAPE_STACK] = "string name; uint32_t unused; uint32_t bytes;",
    [SHAPE_PERIOD] = "string name; uint32_t period_us; uint32_t deadline_us;",
    [SHAPE_SAMPLE] = "uint64_t missed; uint64_t period_ns;",
    [SHAPE_LARGE] = "string name; uint64_t bytes;",
    [SHAPE_TEXT] = "string text;",
    [SHAPE_MESSAGE] = "level_t level; string name; string text;",
    [SHAPE_ZONE] = "string name; uint64_t duration_ns; uint64_t self_ns; string note;",
    [SHAPE_HOLD] = "string name; uint64_t duration_ns; string note;",
    [SHAPE_NOTE] = "string name; string note;",
    [SHAPE_SESSION] = "uint32_t session; string image;",
    [SHAPE_TRACK] = "uint32_t id; uint32_t session; uint8_t kind;",
    [SHAPE_GAP] = "uint64_t lost; uint64_t duration_ns; string cause;",
    [SHAPE_TASK] = "string state; string before; uint64_t before_ns; string reason;",
    [SHAPE_FLOW] = "string name; uint64_t id; uint64_t duration_ns; string note;"};

static enum shape shape_of_payload(enum kymo_kind_payload payload) {
    switch (payload) {
    case KYMO_CARRIES_U32:
    case KYMO_CARRIES_U64:
    case KYMO_CARRIES_COLOR:
    case KYMO_CARRIES_LEVEL:
        return SHAPE_U64;
    case KYMO_CARRIES_I64:
        return SHAPE_I64;
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        return SHAPE_DOUBLE;
    case KYMO_CARRIES_BLOCK:
    case KYMO_CARRIES_ADDRESS:
        return SHAPE_MEMORY;
    case KYMO_CARRIES_COUNTERS:
        return SHAPE_COUNTERS;
    case KYMO_CARRIES_COUNT:
        return SHAPE_COUNT;
    case KYMO_CARRIES_PRIORITY:
        return SHAPE_PRIORITY;
    case KYMO_CARRIES_UNUSED:
        return SHAPE_STACK;
    case KYMO_CARRIES_PERIOD:
        return SHAPE_PERIOD;
    case KYMO_CARRIES_SAMPLE:
        return SHAPE_SAMPLE;
    case KYMO_CARRIES_FLOW:
        return SHAPE_FLOW;
    case KYMO_CARRIES_LARGE:
        return SHAPE_LARGE;
    case KYMO_CARRIES_TEXT:
        return SHAPE_TEXT;
    case KYMO_CARRIES_ARGUMENTS:
    case KYMO_CARRIES_MESSAGE:
        return SHAPE_MESSAGE;
    default:
        return SHAPE_NAME;
    }
}

static enum shape shape_of(enum event_kind kind) {
    switch (kind) {
    case EVENT_ZONE_END:
        return SHAPE_ZONE;
    case EVENT_FRAME_END:
    case EVENT_REPAIR:
        return SHAPE_NOTE;
    case EVENT_SESSION:
        return SHAPE_SESSION;
    case EVENT_TRACK:
        return SHAPE_TRACK;
    case EVENT_SWITCH:
        return SHAPE_NONE;
    case EVENT_GAP:
        return SHAPE_GAP;
    case EVENT_TASK:
        return SHAPE_TASK;
    default:
        return event_holds(kind) ? SHAPE_HOLD : shape_of_payload(event_payload(kind));
    }
}

struct buffer {
    uint8_t *bytes;
    size_t used, size;
    bool failed; /* no memory */
};

struct ctf {
    char *path;
    struct by_time order;
    struct buffer event, packet;
    bool used[CLASSES];
    char image[256]; /* of the first session */
    int64_t epoch_ns;
    bool has_session;
    int error;
    /* While the stream is written. */
    struct outfile *stream;
    uint64_t number, lost; /* packets; events that were lost up to here */
    int64_t first_ns, last_ns;
};

/* ---- bytes ---- */

static void put(struct buffer *buffer, const void *bytes, size_t length) {
    if (length > buffer->size - buffer->used) {
        const size_t size = 2 * buffer->size + length + 1024;
        uint8_t *grown = realloc(buffer->bytes, size);
        if (!grown) {
            buffer->failed = true;
            return;
        }
        buffer->bytes = grown;
        buffer->size = size;
    }
    memcpy(buffer->bytes + buffer->used, bytes, length);
    buffer->used += length;
}

static void put_number(struct buffer *buffer, uint64_t value, size_t bytes) {
    uint8_t little[8];
    for (size_t i = 0; i < bytes; i++) {
        little[i] = (uint8_t)(value >> (8 * i));
    }
    put(buffer, little, bytes);
}

static void put_double(struct buffer *buffer, double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    put_number(buffer, bits, 8);
}

/* No empty one: babeltrace 2.0.4 shows in its place the one of an event before. */
static void put_text(struct buffer *buffer, const char *text) {
    text = text[0] != '\0' ? text : "-";
    put(buffer, text, strlen(text) + 1);
}

static uint64_t between(int64_t from_ns, int64_t to_ns) {
    return to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;
}

/* ---- an event ---- */

static void put_task(struct buffer *out, const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state,
                          before = (enum task_state)event->u.task.before;
    const struct track *other = event->u.task.other;
    char reason[TASK_REASON_BYTES] = "";
    if (state == TASK_WAITING) {
        task_reason(event, reason, sizeof reason);
    } else if (other || event->u.task.interrupt) {
        snprintf(reason, sizeof reason, "woken by %.200s", other ? other->name : "interrupt");
    }
    put_text(out, task_state_word(state));
    put_text(out, task_state_word(before));
    put_number(out, before != TASK_UNKNOWN ? between(event->u.task.since_ns, event->time_ns) : 0,
               8);
    put_text(out, reason);
}

static void put_gap(struct buffer *out, const struct event *event) {
    static const char *const causes[] = {
        [GAP_RING_FULL] = "ring full", [GAP_LINK] = "link", [GAP_RESET] = "reset"};
    put_number(out, event->u.gap.lost, 8);
    put_number(out, between(event->u.gap.start_ns, event->time_ns), 8);
    put_text(out, causes[event->u.gap.cause]);
}

static void put_zone_end(struct buffer *out, const struct event *event) {
    const enum zone_repair repaired = event->u.zone.repaired;
    put_number(out, between(event->u.zone.start_ns, event->time_ns), 8);
    put_number(out, between(0, event->u.zone.self_ns), 8);
    put_text(out, repaired != ZONE_ENDED ? zone_repair_text(repaired) : "");
}

static void put_hold(struct buffer *out, const struct event *event) {
    const bool failed = event->u.hold.waited && event_hold(event->kind) == EVENT_GIVES;
    put_number(out, between(event->u.hold.start_ns, event->time_ns), 8);
    put_text(out, event->u.hold.repaired != HOLD_ENDED ? hold_repair_text(event->u.hold.repaired)
                  : failed                             ? "not obtained"
                                                       : "");
}

/* Since the flow was sent, or the asynchronous zone began. */
static void put_flow(struct buffer *out, const struct event *event) {
    const enum flow_repair repaired = (enum flow_repair)event->u.flow.repaired;
    put_number(out, event->u.flow.id, 8);
    put_number(out, event->u.flow.number != 0 ? event_flow_ns(event) : 0, 8);
    put_text(out, repaired != FLOW_WHOLE ? flow_repair_text(repaired) : "");
}

static void put_note(struct buffer *out, const struct event *event) {
    const char *note = event->kind == EVENT_REPAIR ? repair_text(event->u.repair)
                       : event->u.frame.repaired != FRAME_ENDED
                           ? frame_repair_text(event->u.frame.repaired)
                           : "";
    put_text(out, note);
}

/* The text that follows the name, if any. */
static void put_fields(struct buffer *out, const struct event *event, enum shape shape) {
    switch (shape) {
    case SHAPE_U64:
        put_number(
            out, event_payload(event->kind) == KYMO_CARRIES_LEVEL ? event->u.level : event->u.value,
            8);
        break;
    case SHAPE_I64:
        put_number(out, (uint64_t)event->u.plot.integer, 8);
        break;
    case SHAPE_DOUBLE:
        put_double(out, event->u.plot.real);
        break;
    case SHAPE_MEMORY:
        put_number(out, event->u.memory.bytes, 8);
        put_number(out, event->u.memory.address, 8);
        put_text(out, event->u.memory.repaired ? free_repair_text : "");
        break;
    case SHAPE_COUNTERS:
        put_number(out, event->u.counters.cycles, 4);
        put_number(out, event->u.counters.instructions, 4);
        break;
    case SHAPE_COUNT:
        put_text(out, event->u.count.of->name);
        put_number(out, event->u.count.times, 4);
        break;
    case SHAPE_PRIORITY:
        put_number(out, (uint32_t)event->u.priority.value, 4);
        break;
    case SHAPE_STACK:
        put_number(out, event->u.stack.unused, 4);
        put_number(out, event->u.stack.bytes, 4);
        break;
    case SHAPE_PERIOD:
        put_number(out, event->u.period.period_us, 4);
        put_number(out, event->u.period.deadline_us, 4);
        break;
    case SHAPE_SAMPLE:
        put_number(out, event->u.sample.missed, 8);
        put_number(out, event->u.sample.period_ns, 8);
        break;
    case SHAPE_LARGE:
        put_number(out, event->u.large.bytes, 8);
        break;
    case SHAPE_TEXT:
    case SHAPE_MESSAGE:
        put_text(out, event->u.text.bytes);
        break;
    case SHAPE_ZONE:
        put_zone_end(out, event);
        break;
    case SHAPE_HOLD:
        put_hold(out, event);
        break;
    case SHAPE_NOTE:
        put_note(out, event);
        break;
    case SHAPE_SESSION:
        put_number(out, event->u.session.session, 4);
        put_text(out, event->u.session.image);
        break;
    case SHAPE_TRACK:
        put_number(out, event->track->id, 4);
        put_number(out, event->track->session, 4);
        put_number(out, event->track->kind, 1);
        break;
    case SHAPE_GAP:
        put_gap(out, event);
        break;
    case SHAPE_TASK:
        put_task(out, event);
        break;
    case SHAPE_FLOW:
        put_flow(out, event);
        break;
    case SHAPE_NONE:
    case SHAPE_NAME:
        break;
    }
}

static void put_stack(struct buffer *out, const struct callstack *stack) {
    put_number(out, stack->count, 1);
    for (uint32_t i = 0; i < stack->count; i++) {
        put_number(out, stack->address[i], 8);
    }
}

static void put_event(struct buffer *out, const struct event *event, uint32_t class) {
    const enum shape shape = shape_of(event->kind);
    const int64_t time_ns = event->time_ns > 0 ? event->time_ns : 0;
    out->used = 0;
    put_number(out, class, 2);
    put_number(out, (uint64_t)time_ns, 8);
    put_number(out, event->track ? event->track->core : 0, 1);
    put_text(out, event->track ? event->track->name : "");
    if (shape == SHAPE_MESSAGE) {
        put_number(out, event->site ? event->site->level : 0, 1);
    }
    if (strncmp(shapes[shape], "string name;", 12) == 0 || shape == SHAPE_MESSAGE) {
        put_text(out, shape == SHAPE_LARGE ? event->u.large.name : event_name(event));
    }
    put_fields(out, event, shape);
    if (class & STACK_CLASS) {
        put_stack(out, event->stack);
    }
}

static void take_session(struct ctf *ctf, const struct event *event) {
    if (!ctf->has_session) {
        ctf->has_session = true;
        ctf->epoch_ns = event->u.session.epoch_ns;
        utf8_clean(ctf->image, sizeof ctf->image, event->u.session.image,
                   strlen(event->u.session.image));
    }
}

static int ctf_event(void *state, const struct event *event) {
    struct ctf *ctf = state;
    const uint32_t class = (uint32_t)event->kind | (event->stack ? STACK_CLASS : 0u);
    if (event->kind == EVENT_TRACK_END || ctf->error) {
        return ctf->error; /* nothing happened */
    }
    if (event->kind == EVENT_SESSION) {
        take_session(ctf, event);
    }
    ctf->used[class] = true;
    put_event(&ctf->event, event, class);
    ctf->error = ctf->event.failed
                     ? -ENOMEM
                     : by_time_add(&ctf->order, event->time_ns > 0 ? event->time_ns : 0, 0,
                                   ctf->event.bytes, ctf->event.used);
    return ctf->error;
}

/* ---- the stream ---- */

static void end_packet(struct ctf *ctf) {
    struct buffer head = {0};
    const uint64_t bits = 8u * (uint64_t)(HEAD_BYTES + ctf->packet.used);
    if (ctf->packet.used == 0) {
        return;
    }
    put_number(&head, MAGIC, 4);
    put_number(&head, 0, 4); /* stream_id */
    put_number(&head, (uint64_t)ctf->first_ns, 8);
    put_number(&head, (uint64_t)ctf->last_ns, 8);
    put_number(&head, bits, 4); /* content_size */
    put_number(&head, bits, 4); /* packet_size */
    put_number(&head, ctf->number++, 8);
    put_number(&head, ctf->lost, 8);
    (void)outfile_fail(ctf->stream, head.failed || ctf->packet.failed ? -ENOMEM : 0);
    if (!head.failed) {
        outfile_write(ctf->stream, head.bytes, head.used);
        outfile_write(ctf->stream, ctf->packet.bytes, ctf->packet.used);
    }
    free(head.bytes);
    ctf->packet.used = 0;
}

/* Packets count lost events: a loss begins a new packet, which counts it. */
static int add_to_packet(void *context, int64_t time_ns, const uint8_t *bytes, size_t length) {
    struct ctf *ctf = context;
    const bool gap = (bytes[0] | bytes[1] << 8) == EVENT_GAP;
    if (gap || ctf->packet.used + length > PACKET_BYTES) {
        end_packet(ctf);
    }
    if (gap) {
        const size_t at = 11 + strlen((const char *)bytes + 11) + 1;
        uint64_t lost = 0;
        for (size_t i = 8; i-- > 0;) {
            lost = lost << 8 | bytes[at + i];
        }
        ctf->lost += lost;
    }
    ctf->first_ns = ctf->packet.used == 0 ? time_ns : ctf->first_ns;
    ctf->last_ns = time_ns;
    put(&ctf->packet, bytes, length);
    return ctf->packet.failed ? -ENOMEM : 0;
}

/* ---- its description ---- */

static const char description[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double;\n"
    "typealias enum : uint8_t { trace, debug, info, warning, error, fatal, crash } := level_t;\n\n"
    "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
    "\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n\n";

static const char of_stream[] =
    "typealias integer { size = 64; align = 8; signed = false; map = clock.kymo.value; } := "
    "ns_t;\n\n"
    "stream {\n\tid = 0;\n"
    "\tpacket.context := struct {\n"
    "\t\tns_t timestamp_begin; ns_t timestamp_end;\n"
    "\t\tuint32_t content_size; uint32_t packet_size;\n"
    "\t\tuint64_t packet_seq_num; uint64_t events_discarded;\n\t};\n"
    "\tevent.header := struct { uint16_t id; ns_t timestamp; };\n"
    "\tevent.context := struct { uint8_t core; string context; };\n};\n";

/* A text in quotes; utf8_clean() has been there. */
static void write_quoted(struct outfile *out, const char *text) {
    outfile_write(out, "\"", 1);
    for (; *text != '\0'; text++) {
        outfile_write(out, "\\", strchr("\"\\", *text) ? 1 : 0);
        outfile_write(out, text, 1);
    }
    outfile_write(out, "\"", 1);
}

/* "zone_begin". */
static void write_class(struct outfile *out, uint32_t class) {
    const enum event_kind kind = (enum event_kind)(class & ~STACK_CLASS);
    char name[64];
    snprintf(name, sizeof name, "%s", event_word(kind));
    for (char *at = name; *at != '\0'; at++) {
        *at = *at == ' ' ? '_' : *at;
    }
    outfile_printf(out, "\nevent {\n\tid = %" PRIu32 ";\n\tname = \"%s\";\n\tstream_id = 0;\n",
                   class, name);
    outfile_printf(out, "\tfields := struct { %s%s };\n};\n", shapes[shape_of(kind)],
                   class & STACK_CLASS ? " uint8_t depth; address_t stack[depth];" : "");
}

static void write_description(const struct ctf *ctf, struct outfile *out) {
    const int64_t epoch_ns = ctf->epoch_ns > 0 ? ctf->epoch_ns : 0;
    outfile_write(out, description, sizeof description - 1);
    outfile_printf(out, "env {\n\tdomain = \"firmware\";\n\ttracer_name = \"kymo\";\n\timage = ");
    write_quoted(out, ctf->image);
    outfile_printf(out,
                   ";\n};\n\nclock {\n\tname = kymo;\n\tfreq = 1000000000;\n\toffset_s = %" PRId64
                   ";\n\toffset = %" PRId64 ";\n%s};\n\n",
                   epoch_ns / 1000000000, epoch_ns % 1000000000,
                   epoch_ns > 0 ? "\tabsolute = TRUE;\n" : "");
    outfile_write(out, of_stream, sizeof of_stream - 1);
    for (uint32_t class = 0; class < CLASSES; class ++) {
        if (ctf->used[class]) {
            write_class(out, class);
        }
    }
}

static int write_file(struct ctf *ctf, const char *name,
                      int (*write)(struct ctf *ctf, struct outfile *out)) {
    char *path = NULL;
    struct outfile *out = NULL;
    if (asprintf(&path, "%s/%s", ctf->path, name) < 0) {
        return -ENOMEM;
    }
    int error = outfile_open(&out, path);
    free(path);
    if (error == 0) {
        (void)outfile_fail(out, write(ctf, out));
        error = outfile_close(out);
    }
    return error;
}

static int write_stream(struct ctf *ctf, struct outfile *out) {
    ctf->stream = out;
    const int error = by_time_each(&ctf->order, ctf, add_to_packet);
    end_packet(ctf);
    return error;
}

static int write_metadata(struct ctf *ctf, struct outfile *out) {
    write_description(ctf, out);
    return 0;
}

static int ctf_end(void *state) {
    struct ctf *ctf = state;
    int error = ctf->error;
    error = error ? error : write_file(ctf, "stream", write_stream);
    error = error ? error : write_file(ctf, "metadata", write_metadata);
    by_time_free(&ctf->order);
    free(ctf->event.bytes);
    free(ctf->packet.bytes);
    return error;
}

/* An output of an earlier run is overwritten. */
static int make_folder(const char *path) {
    struct sys_status status;
    if (sys_make_folder(path) == 0) {
        return 0;
    }
    const int error = -errno;
    return error != -EEXIST || sys_status_of(path, &status) != 0 ? error
           : status.type == SYS_FOLDER                           ? 0
                                                                 : -ENOTDIR;
}

static int ctf_begin(void *state) {
    struct ctf *ctf = state;
    ctf->order.fd = -1;
    return make_folder(ctf->path);
}

const struct sink sink_ctf = {
    .name = "ctf",
    .suffixes = ".ctf",
    .help = "a folder for babeltrace 2 and Trace Compass",
    .size = sizeof(struct ctf),
    .begin = ctf_begin,
    .event = ctf_event,
    .end = ctf_end,
    .is_folder = true,
};
