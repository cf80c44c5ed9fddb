/* SPDX-License-Identifier: MIT */
/* Any events in an order that the timeline can send into every output: names that are not UTF-8, the greatest numbers.
 * The input is a row of events of eight bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "legal_make.h"
#include "short_memory.h"
#include "sink/sink.h"
#include "tables.h"
#include "wire/site_entry.h"

#define EVENT_BYTES 8
#define EVENTS_MAX 64
#define SITES 8
#define TRACKS 6
#define OBJECTS 4
#define ALWAYS 4 /* of the list of outputs; the later ones take turns, as they have one inside */

/* Long inputs are a row of events in the order of time: from one to the next up to 8 ms go by. */
static bool goes_on;
static int64_t now_ns;

static struct site sites[SITES];
static struct track tracks[TRACKS];
static struct object objects[OBJECTS];

static void make_sites(uint8_t salt, size_t size) {
    static const char *const names[] = {"",    "plain", "\xff\xc3(", "\"\\\n\x1b", "\xe2\x82\xac",
                                        "a,b", "x\x7f", "%s%n"};
    goes_on = size > EVENTS_MAX * EVENT_BYTES;
    now_ns = 0;
    for (uint32_t i = 0; i < SITES; i++) {
        sites[i] = (struct site){.id = i,
                                 .kind = (uint8_t)(salt >> i),
                                 .level = (uint8_t)(salt * i),
                                 .color = salt * i,
                                 .line = i == 3 ? UINT32_MAX : i,
                                 .detail = salt + i,
                                 .known = (salt >> i & 1) != 0,
                                 .name = names[(i + salt) % 8],
                                 .function = names[i],
                                 .file = names[(i * salt) % 8]};
    }
    for (uint32_t i = 0; i < OBJECTS; i++) {
        objects[i] = (struct object){.id = i + 1,
                                     .session = goes_on ? 0 : i / 3,
                                     .identity = UINT64_MAX - i,
                                     .of = i == 2 ? 255 : (uint8_t)(salt % 4),
                                     .name = names[(i * 3 + salt) % 8],
                                     .site = i == 0 ? NULL : &sites[i]};
    }
    for (uint32_t i = 0; i < TRACKS; i++) {
        tracks[i] = (struct track){.id = i * i + 1,
                                   .core = i == 5    ? WIRE_LANES - 1
                                           : goes_on ? i / 4
                                                     : i % 3,
                                   .session = goes_on ? 0 : i / 4,
                                   .kind = i == 4 ? 255 : (uint8_t)(i % 4),
                                   .name = names[i]};
    }
}

static int64_t next_time(const uint8_t *data) {
    now_ns += INT64_C(1) << data[2] % 24u;
    return now_ns;
}

static int64_t time_of(const uint8_t *data) {
    static const int64_t far[] = {INT64_MIN, -1, 0, INT64_MAX};
    return data[2] < 4 ? far[data[2]] : data[2] * 100 + data[3];
}

static void set_payload(struct event *event, const uint8_t *data) {
    static const char *const texts[] = {"", "plain", "\"\\\n\t", "\xe2\x82\xac", "a,b", "%s%n"};
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_U32:
    case KYMO_CARRIES_U64:
    case KYMO_CARRIES_COLOR:
        event->u.value = data[5] < 8 ? UINT64_MAX : data[5];
        break;
    case KYMO_CARRIES_I64:
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        event->u.plot.type = data[5] % 3;
        memcpy(&event->u.plot.real, data, sizeof event->u.plot.real);
        event->u.plot.integer = time_of(data);
        break;
    case KYMO_CARRIES_BLOCK:
    case KYMO_CARRIES_ADDRESS:
        memcpy(&event->u.memory.address, data, sizeof event->u.memory.address);
        event->u.memory.bytes = data[5] < 8 ? UINT64_MAX : data[5];
        break;
    case KYMO_CARRIES_SAMPLE:
        event->u.sample.missed = data[5] < 8 ? UINT64_MAX : data[5] % 4;
        event->u.sample.period_ns = data[6] < 8 ? UINT64_MAX : data[6] % 4;
        break;
    case KYMO_CARRIES_COUNT:
        event->u.count.of = &sites[data[5] % SITES];
        event->u.count.times = data[6] < 8 ? UINT32_MAX : data[6];
        break;
    case KYMO_CARRIES_LARGE:
        event->u.large.name = texts[data[5] % (sizeof texts / sizeof texts[0])];
        event->u.large.bytes = data[6] < 8 ? UINT64_MAX : data[6];
        break;
    case KYMO_CARRIES_FLOW:
        event->u.flow.id = data[5] < 8 ? UINT64_MAX : data[5] % 4;
        event->u.flow.number = data[6] % 4;
        event->u.flow.start_ns = time_of(data + 1);
        event->u.flow.row = data[7] % 4;
        event->u.flow.repaired = data[6] % (FLOW_TOO_MANY + 1u);
        break;
    case KYMO_CARRIES_MARK:
        event->u.mark = data[5] < 128 ? event->site : NULL;
        break;
    default:
        event->u.text.color = data[6];
        event->u.text.bytes = texts[data[5] % (sizeof texts / sizeof texts[0])];
        event->u.text.length = strlen(event->u.text.bytes);
    }
}

/* Functions of any names, none for some addresses, many for others; the same each time for an address, as symbols
 * are. */
static const struct code_place *find(void *state, uint64_t address) {
    static const struct code_line lines[] = {{"main", "", 0},
                                             {"", "\xff", 1},
                                             {"f;g h", "a\nb", UINT32_MAX},
                                             {"\xe2\x82\xac", "c:1", 2},
                                             {"\"\\\x1b", "d", 3}};
    static const struct code_place places[] = {
        {.count = 1, .lines = lines},
        {.start = 1, .bytes = UINT64_MAX, .count = 5, .lines = lines},
        {.start = UINT64_MAX, .bytes = 1, .count = 2, .lines = lines + 2}};
    (void)state;
    return address % 4 == 3 ? NULL : &places[address % 4];
}

/* A stack from a few addresses, so that stacks have outer calls in common; empty, the longest, or in between. */
static const struct callstack *stack_of(const uint8_t *data) {
    static const struct symbols symbols = {.find = find};
    static struct callstack stack;
    if (data[6] % 3 == 0) {
        return NULL;
    }
    stack.count = data[7] % 8 == 0 ? CALLSTACK_MAX : data[7] % 5;
    stack.symbols = data[6] % 3 == 1 ? &symbols : NULL;
    for (uint32_t i = 0; i < stack.count; i++) {
        const uint32_t outer = stack.count - 1 - i;
        stack.address[i] = outer < 2 ? 5 + outer : UINT64_MAX - data[outer % EVENT_BYTES];
    }
    return &stack;
}

static struct event event_of(const uint8_t *data) {
    struct event event = {.kind = legal_kinds[data[0] % legal_kind_count],
                          .time_ns = goes_on ? next_time(data) : time_of(data),
                          .track = &tracks[data[1] % TRACKS],
                          .site = &sites[data[4] % SITES],
                          .object = &objects[data[5] % OBJECTS],
                          .stack = stack_of(data)};
    switch (event.kind) {
    case EVENT_SESSION:
        event.u.session.image = sites[data[5] % SITES].name;
        event.u.session.session = event.u.session.resets = data[5] % 4;
        event.u.session.epoch_ns = time_of(data);
        break;
    case EVENT_ZONE_END:
        event.u.zone.start_ns = time_of(data + 1);
        event.u.zone.self_ns = time_of(data + 2);
        event.u.zone.repaired = (enum zone_repair)(data[5] % (ZONE_REPAIRS + 1u));
        break;
    case EVENT_TASK:
        memset(&event.u.task, 0, sizeof event.u.task);
        event.u.task.state = data[5];
        event.u.task.why = goes_on ? data[6] % 16u : data[6];
        event.u.task.woken = data[7] % 2;
        event.u.task.deadlock = data[7] / 2 % 2;
        event.u.task.guess = data[7] / 4 % 2;
        event.u.task.has_base = data[7] / 8 % 2;
        event.u.task.interrupt = data[7] / 16 % 2;
        event.u.task.base = (int8_t)data[3];
        event.u.task.priority = data[3] < 8 ? INT32_MIN : (int8_t)data[4];
        event.u.task.other = data[7] < 128 ? NULL : &tracks[(data[1] + 1) % TRACKS];
        break;
    case EVENT_GAP:
        event.u.gap.start_ns = time_of(data + 1);
        event.u.gap.lost = data[5];
        event.u.gap.cause = data[6] % 3;
        break;
    default:
        set_payload(&event, data);
    }
    return event;
}

/* Where no memory fails. */
static void must_be_0(int result, const char *call) {
    if (result != 0 && !short_memory_failed()) {
        fuzz_wrong(call);
    }
}

static bool describes; /* once of all outputs */

/* In little room as in much. */
static void describe(const struct event *event) {
    char text[EVENT_TEXT_BYTES], cut[16];
    const size_t whole = event_text(event, text, sizeof text);
    const size_t part = event_text(event, cut, sizeof cut);
    const size_t should_be = whole < sizeof cut ? whole : sizeof cut - 1;
    if (strlen(text) != whole || part != should_be || memcmp(text, cut, part) != 0 ||
        cut[part] != '\0') {
        fuzz_wrong("what is said of an event depends on the room");
    }
}

static void to_output(void *context, const struct event *event) {
    const struct consumer *output = context;
    if (!short_memory_failed()) {
        short_memory(true);
        must_be_0(output->event(output->state, event), "event");
        short_memory(false);
    }
    if (describes) {
        describe(event);
    }
}

static char folder_path[64];

static void remove_folder(void) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder_path);
    if (system(command) != 0) {
        (void)fprintf(stderr, "cannot remove %s\n", folder_path);
    }
}

/* This run's folder, for outputs that are one. */
static const char *folder(void) {
    if (folder_path[0] == '\0') {
        (void)strcpy(folder_path, "/tmp/kymo.fuzz.XXXXXX");
        if (mkdtemp(folder_path) == NULL || atexit(remove_folder) != 0) {
            fuzz_wrong("cannot make a folder");
        }
    }
    return folder_path;
}

/* Files take longest. */
static bool takes_turn(size_t number, uint8_t turn) {
    return number < ALWAYS ||
           (sinks[number]->is_folder ? turn % 8u == 1u : number % 2 == turn % 2u);
}

static void feed(const struct sink *sink, const uint8_t *data, size_t size) {
    const char *const path = sink->is_folder ? folder() : "/dev/null";
    struct consumer output;
    struct legal_maker maker = {.context = &output, .give = to_output};
    make_sites(data[0], size);
    /* In every fourth input one of the allocations fails. */
    short_memory_begin(data[size / 2] % 4u != 0 ? 0 : 1u + data[size / 3] % 64u);
    short_memory(true);
    const int error = sink_open(sink, &output, path);
    short_memory(false);
    must_be_0(error, "open");
    if (error != 0) {
        return;
    }
    for (size_t at = 0; size - at >= EVENT_BYTES; at += EVENT_BYTES) {
        sites[data[at + 7] % SITES].known = true; /* a name has arrived */
        legal_make(&maker, event_of(data + at));
    }
    if (size % 2 == 0) { /* else the output ends before the session */
        legal_make_end(&maker);
    }
    short_memory(true);
    must_be_0(output.close(output.state), "close");
    short_memory(false);
    legal_make_free(&maker);
}

static void find_in_table(void *context, const struct event *event) { tables_find(context, event); }

static void to_table(void *context, const struct event *event) { tables_event(context, event); }

/* Each pass has the same events. */
static void pass(struct tables *tables, void (*give)(void *context, const struct event *event),
                 const uint8_t *data, size_t size) {
    struct legal_maker maker = {.context = tables, .give = give};
    make_sites(data[0], size);
    for (size_t at = 0; size - at >= EVENT_BYTES; at += EVENT_BYTES) {
        sites[data[at + 7] % SITES].known = true;
        legal_make(&maker, event_of(data + at));
    }
    legal_make_end(&maker);
    legal_make_free(&maker);
}

/* The suffix chooses, not the name before it. */
static void name_output(const uint8_t *data, size_t size) {
    static const char suffix[] = ".events.csv";
    char path[64] = "x";
    for (size_t i = 0; i < size && i < 40; i++) {
        path[i] = data[i] != 0 ? (char)data[i] : 'x';
    }
    (void)sink_for_path(path);
    if (sink_for_path(strcat(path, suffix)) == NULL) {
        fuzz_wrong("a suffix that is one names no output");
    }
}

static void feed_table(const uint8_t *data, size_t size) {
    struct tables tables;
    short_memory_begin(data[size / 2] % 4u != 0 ? 0 : 1u + data[size / 3] % 64u);
    tables_begin(&tables, data[size - 1], data[size / 2]);
    pass(&tables, find_in_table, data, size);
    pass(&tables, to_table, data, size);
    tables_end(&tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; sinks[i] && size > 0; i++) {
        describes = i == 0;
        if (takes_turn(i, data[size - 1])) {
            feed(sinks[i], data, size);
        }
    }
    if (size > 0) {
        feed_table(data, size);
        name_output(data, size);
    }
    return 0;
}

/* Input for some tables: a kernel, zones with interrupts and stops in them, and the rest. */
static size_t seed_long(uint32_t random, uint8_t *out, size_t size) {
    static const enum event_kind kernel[] = {EVENT_TASK,          EVENT_TASK,        EVENT_SWITCH,
                                             EVENT_TASK_PRIORITY, EVENT_LOCK_OBTAIN, EVENT_GAP},
                                 run[] = {EVENT_SWITCH,      EVENT_ZONE_BEGIN, EVENT_ZONE_END,
                                          EVENT_SWITCH,      EVENT_LOCK_WAIT,  EVENT_LOCK_OBTAIN,
                                          EVENT_LOCK_RELEASE},
                                 rest[] = {EVENT_FRAME_START, EVENT_FRAME_END, EVENT_PLOT_INT,
                                           EVENT_ALLOC,       EVENT_FREE,      EVENT_MESSAGE};
    const enum event_kind *const kinds = random % 3u == 0 ? kernel : random % 3u == 1 ? run : rest;
    const size_t count = kinds == kernel ? 6 : kinds == run ? 7 : 6;
    const size_t events = 2 * EVENTS_MAX + random / 3u % 400u;
    const uint32_t tracks_of = 1u + random / 7u % TRACKS, fast = 12u + random / 11u % 12u;
    for (size_t i = 0; i < events * EVENT_BYTES && i < size; i++) {
        out[i] = (uint8_t)fuzz_next(&random);
    }
    for (size_t i = 0; i < events && (i + 1) * EVENT_BYTES <= size; i++) {
        uint8_t *event = out + i * EVENT_BYTES;
        size_t kind = 0;
        while (legal_kinds[kind] != kinds[event[0] % count]) {
            kind++;
        }
        event[0] = (uint8_t)kind;
        event[1] = (uint8_t)(event[1] % tracks_of);
        event[2] = (uint8_t)(event[2] % fast);
    }
    return events * EVENT_BYTES < size ? events * EVENT_BYTES : size;
}

/* Random, with half of the events in the order of time and of few kinds, so that zones pile up. */
size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    uint32_t random = index * 2654435761u + 1;
    size_t events = 1 + index % EVENTS_MAX;
    if (index % 8u == 5) {
        return seed_long(random, out, size);
    }
    for (size_t i = 0; i < events * EVENT_BYTES && i < size; i++) {
        random = random * 1664525u + 1013904223u;
        out[i] = (uint8_t)(random >> 24);
    }
    for (size_t i = 0; i < events && index % 2 == 0; i++) {
        out[i * EVENT_BYTES] = (uint8_t)(out[i * EVENT_BYTES] % 12);
        out[i * EVENT_BYTES + 2] = (uint8_t)(4 + i);
    }
    return events * EVENT_BYTES < size ? events * EVENT_BYTES : size;
}
