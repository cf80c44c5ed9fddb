/* SPDX-License-Identifier: MIT */
/* pprof's profile.proto, not compressed, which its readers take as well: time by zones and functions, memory by pools
 * and functions, and samples by functions, as values of one profile. */
#include <string.h>

#include "sink/outfile.h"
#include "sink/profile.h"
#include "sink/protobuf.h"
#include "sink/sink.h"

/* Numbers of github.com/google/pprof/proto/profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME_NS = 9,
    PROFILE_DURATION_NS = 10,
    PROFILE_DEFAULT_TYPE = 14,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    LOCATION_ID = 1,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4
};

enum { ZONES, ALLOCATIONS, ALLOCATED, LIVE_ALLOCATIONS, LIVE, SAMPLES, CPU, TIME, VALUES };
static const char *const types[VALUES][2] = {
    [ZONES] = {"zones", "count"},         [ALLOCATIONS] = {"allocations", "count"},
    [ALLOCATED] = {"allocated", "bytes"}, [LIVE_ALLOCATIONS] = {"live_allocations", "count"},
    [LIVE] = {"live", "bytes"},           [SAMPLES] = {"samples", "count"},
    [CPU] = {"cpu", "nanoseconds"},       [TIME] = {"time", "nanoseconds"}};

struct pprof {
    struct outfile *out;
    struct profile profile;
    int64_t epoch_ns;
    struct protobuf message;
    struct keytable strings, functions, locations;
    uint64_t path[PROFILE_DEPTH_MAX * 2]; /* of the sample that is made, the outermost first */
    uint32_t depth;
    int error;
};

/* Adds a key to one of the tables: its number from "first", and whether it is new. */
static uint64_t number_of(struct pprof *p, struct keytable *table, const void *key, size_t length,
                          bool *fresh) {
    const uint32_t before = table->count;
    const int64_t number = keytable_add(table, key, length);
    *fresh = table->count > before;
    p->error = number < 0 ? (int)number : p->error;
    return number < 0 ? 0 : (uint64_t)number;
}

static void write_out(struct pprof *p, uint32_t field) {
    struct protobuf outer = {0};
    protobuf_message(&outer, field, &p->message);
    p->error = outer.error != 0 ? outer.error : p->error;
    outfile_write(p->out, outer.bytes, outer.length);
    protobuf_free(&outer);
    protobuf_clear(&p->message);
}

static void write_string(struct pprof *p, const char *text) {
    struct protobuf outer = {0};
    protobuf_string(&outer, PROFILE_STRING, text, strlen(text));
    p->error = outer.error != 0 ? outer.error : p->error;
    outfile_write(p->out, outer.bytes, outer.length);
    protobuf_free(&outer);
}

static uint64_t string(struct pprof *p, const char *text) {
    bool fresh;
    const uint64_t number = number_of(p, &p->strings, text, strlen(text), &fresh);
    if (fresh) {
        write_string(p, text);
    }
    return number;
}

/* Ids count from 1. */
static uint64_t function(struct pprof *p, const struct profile_step *step) {
    const uint64_t key[2] = {string(p, step->name), string(p, step->file)};
    bool fresh;
    const uint64_t id = number_of(p, &p->functions, key, sizeof key, &fresh) + 1;
    if (fresh) {
        protobuf_varint(&p->message, FUNCTION_ID, id);
        protobuf_varint(&p->message, FUNCTION_NAME, key[0]);
        protobuf_varint(&p->message, FUNCTION_SYSTEM_NAME, key[0]);
        protobuf_varint(&p->message, FUNCTION_FILE, key[1]);
        write_out(p, PROFILE_FUNCTION);
    }
    return id;
}

static bool take_step(void *context, const struct profile_step *step) {
    struct pprof *p = context;
    const uint64_t key[3] = {function(p, step), step->line, step->address};
    bool fresh;
    const uint64_t id = number_of(p, &p->locations, key, sizeof key, &fresh) + 1;
    if (fresh) {
        protobuf_varint(&p->message, LOCATION_ID, id);
        protobuf_varint(&p->message, LOCATION_ADDRESS, step->address);
        const size_t line = protobuf_begin(&p->message, LOCATION_LINE);
        protobuf_varint(&p->message, LINE_FUNCTION, key[0]);
        protobuf_varint(&p->message, LINE_LINE, step->line);
        protobuf_end(&p->message, line);
        write_out(p, PROFILE_LOCATION);
    }
    if (p->depth < sizeof p->path / sizeof *p->path) {
        p->path[p->depth++] = id;
    }
    return true;
}

/* The innermost first. */
static void write_sample(struct pprof *p, uint32_t number) {
    const struct profile_node *node = &p->profile.nodes[number];
    const uint64_t values[VALUES] = {
        [ZONES] = node->zones,           [ALLOCATIONS] = node->allocs,
        [ALLOCATED] = node->alloc_bytes, [LIVE_ALLOCATIONS] = node->live,
        [LIVE] = node->live_bytes,       [SAMPLES] = node->samples,
        [CPU] = node->sampled_ns,        [TIME] = node->self_ns};
    bool any = false;
    for (size_t i = 0; i < VALUES; i++) {
        any = any || values[i] != 0;
    }
    if (!any) {
        return;
    }
    p->depth = 0;
    (void)profile_path(&p->profile, number, p, take_step);
    for (uint32_t i = p->depth; i > 0; i--) {
        protobuf_varint(&p->message, SAMPLE_LOCATION, p->path[i - 1]);
    }
    for (size_t i = 0; i < VALUES; i++) {
        protobuf_varint(&p->message, SAMPLE_VALUE, values[i]);
    }
    write_out(p, PROFILE_SAMPLE);
}

/* Samples, where no zone says more. */
static unsigned default_type(const struct pprof *p) {
    bool any_zone = false;
    for (uint32_t i = 0; i < p->profile.count; i++) {
        any_zone = any_zone || p->profile.nodes[i].zones != 0;
    }
    return p->profile.samples != 0 && !any_zone ? CPU : TIME;
}

static void write_head(struct pprof *p) {
    (void)string(p, ""); /* string_table[0] is "": profile.proto */
    for (size_t i = 0; i < VALUES; i++) {
        const uint64_t type = string(p, types[i][0]), unit = string(p, types[i][1]);
        protobuf_varint(&p->message, TYPE_TYPE, type);
        protobuf_varint(&p->message, TYPE_UNIT, unit);
        write_out(p, PROFILE_SAMPLE_TYPE);
    }
    struct protobuf numbers = {0};
    protobuf_varint(&numbers, PROFILE_TIME_NS, (uint64_t)(p->epoch_ns > 0 ? p->epoch_ns : 0));
    protobuf_varint(&numbers, PROFILE_DURATION_NS,
                    (uint64_t)(p->profile.last_ns > 0 ? p->profile.last_ns : 0));
    protobuf_varint(&numbers, PROFILE_DEFAULT_TYPE, string(p, types[default_type(p)][0]));
    outfile_write(p->out, numbers.bytes, numbers.length);
    p->error = numbers.error != 0 ? numbers.error : p->error;
    protobuf_free(&numbers);
}

static int on_event(void *state, const struct event *event) {
    struct pprof *p = state;
    if (event->kind == EVENT_SESSION && p->epoch_ns == 0) {
        p->epoch_ns = event->u.session.epoch_ns;
    }
    return outfile_fail(p->out, profile_event(&p->profile, event));
}

static int end(void *state) {
    struct pprof *p = state;
    write_head(p);
    for (uint32_t i = 0; i < p->profile.count; i++) {
        write_sample(p, i);
    }
    const int error = p->message.error != 0 ? p->message.error : p->error;
    profile_free(&p->profile);
    protobuf_free(&p->message);
    keytable_free(&p->strings);
    keytable_free(&p->functions);
    keytable_free(&p->locations);
    return error;
}

const struct sink sink_pprof = {
    .name = "pprof",
    .suffixes = ".pprof .pb",
    .help = "time, memory and samples by call stack, for pprof",
    .size = sizeof(struct pprof),
    .event = on_event,
    .end = end,
};
