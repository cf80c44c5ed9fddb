/* SPDX-License-Identifier: MIT */
/* Any events, with any numbers, in an order that the timeline can send: the stream to the viewer stays one that it
 * takes.
 * The peer of tests/unit asserts what viewers assert. */
#include <math.h>
#include <stdio.h>

#include "fuzz.h"
#include "kymo/wire.h"
#include "legal_make.h"
#include "model/large.h"
#include "tracy_run.h"

#define TRACKS 4
#define SITES 8
#define OBJECTS 4
#define EVENT_BYTES 6

static const struct track tracks[TRACKS] = {
    {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0},
    {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0},
    {3, 1, 0, KYMO_CONTEXT_MAIN, "core 1", NULL, NULL, 0},
    {4, 63, 1, KYMO_CONTEXT_TASK, "task", NULL, NULL, 0}};
static const struct object objects[OBJECTS] = {
    {.id = 1, .of = KYMO_OBJECT_LOCK, .named = true, .name = "bus"},
    {.id = 2, .of = KYMO_OBJECT_LOCK, .name = "lock 0x20001000"},
    {.id = 3, .of = KYMO_OBJECT_QUEUE, .named = true, .name = ""},
    {.id = 4, .of = KYMO_OBJECT_LOCK, .session = 1, .named = true, .name = "bus"}};
static const char *const names[SITES] = {"a", "b", "Frame", "a", "", "c", "c", "d"};

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    size_t length = 1 + (size_t)EVENT_BYTES * 200;
    uint32_t random = index * 2654435761u + 1;
    for (size_t i = 0; i < length && i < size; i++) {
        random = random * 1664525u + 1013904223u;
        out[i] = (uint8_t)(random >> 24);
    }
    return length < size ? length : size;
}

/* Times mostly go on, sometimes jump; "step" bit 7 = back. */
static int64_t next_time(int64_t *now_ns, uint8_t step) {
    int64_t distance = (int64_t)1 << (step & 31);
    if ((step & 0xe0) == 0xe0) {
        return *now_ns - distance;
    }
    *now_ns += (step & 0x60) == 0x60 ? distance : step & 0x1f;
    return *now_ns;
}

static void fill(struct event *event, const uint8_t *bytes) {
    static const double values[] = {0.0, 1.5, -1e308, (double)INFINITY, (double)NAN};
    if (event->kind == EVENT_SESSION) {
        event->u.session.image = "fuzz";
        event->u.session.session = event->u.session.resets = bytes[3];
        return;
    }
    if (event->kind == EVENT_GAP) {
        event->u.gap.start_ns = event->time_ns - bytes[3] * 100;
        event->u.gap.lost = bytes[4];
        event->u.gap.cause = bytes[5] % 3;
        return;
    }
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_I64:
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        event->u.plot.type = bytes[3] % 3;
        event->u.plot.integer = (int64_t)bytes[4] << 40;
        event->u.plot.real = values[bytes[5] % 5];
        return;
    case KYMO_CARRIES_BLOCK:
    case KYMO_CARRIES_ADDRESS:
        event->u.memory.address = (uint64_t)(bytes[4] % 8) << (bytes[5] % 64);
        event->u.memory.bytes = (uint64_t)bytes[3] << (bytes[5] % 64);
        return;
    case KYMO_CARRIES_SAMPLE:
        event->u.sample.missed = bytes[3];
        event->u.sample.period_ns = (uint64_t)bytes[4] << (bytes[5] % 64);
        return;
    case KYMO_CARRIES_COUNT:
        event->u.count.of = event->site;
        event->u.count.times = bytes[3];
        return;
    case KYMO_CARRIES_LARGE:
        event->u.large.name = &"shot.png"[8 - bytes[3] % 9];
        event->u.large.bytes = (uint64_t)bytes[4] << (bytes[5] % 64);
        event->u.large.id = bytes[4] % 16;
        event->u.large.type = bytes[5] % 4;
        return;
    case KYMO_CARRIES_TEXT:
    case KYMO_CARRIES_ARGUMENTS:
    case KYMO_CARRIES_MESSAGE:
        event->u.text.bytes = &"text"[4 - bytes[3] % 5];
        event->u.text.length = bytes[3] % 5;
        event->u.text.color = bytes[4];
        return;
    case KYMO_CARRIES_MARK:
        event->u.mark = bytes[3] < 128 ? event->site : NULL;
        return;
    default:
        event->u.value = bytes[3];
    }
}

/* Addresses of all ranges, few enough for the peer's table; functions of some. */
static const struct code_place *find(void *state, uint64_t address) {
    static const struct code_line lines[] = {{"inner", "", 1}, {"", "file.c", 0}};
    static const struct code_place places[] = {
        {.start = UINT64_MAX, .bytes = UINT64_MAX, .count = 1, .lines = lines},
        {.start = 0x1000, .bytes = UINT64_C(1) << 40, .count = 2, .lines = lines}};
    (void)state;
    return address % 3 == 2 ? NULL : &places[address % 3];
}

static const struct callstack *stack_of(const uint8_t *bytes) {
    static const struct symbols symbols = {.find = find};
    static struct callstack stack;
    stack.count = bytes[5] % 9 == 0 ? CALLSTACK_MAX : bytes[5] % 4;
    stack.symbols = bytes[4] % 2 == 0 ? &symbols : NULL;
    for (uint32_t i = 0; i < stack.count; i++) {
        stack.address[i] = ((uint64_t)(bytes[3] % 16) << 60) + (i + bytes[4]) % 64;
    }
    return bytes[5] % 2 == 0 ? NULL : &stack;
}

static void to_viewer(void *context, const struct event *event) {
    if (tracy_run_event(context, event) != 0) {
        fuzz_wrong("an event was refused");
    }
}

/* Sends a picture, or bytes that are no picture: one of the known heads, with any numbers. */
static void send_large(struct tracy_run *run, const uint8_t *bytes) {
    static const char *const heads[] = {"P5 %u %u 255\n", "P6 %u %u # frames back: 1\n9\n",
                                        "P7\nWIDTH %u\nHEIGHT %u\nDEPTH 2\nMAXVAL 3\nENDHDR\n",
                                        "%u%u"};
    static uint8_t file[4096];
    struct large large = {.id = bytes[1] % 16, .type = KYMO_LARGE_IMAGE};
    const int head =
        snprintf((char *)file, sizeof file, heads[bytes[2] % 4], bytes[3] % 80u, bytes[4] % 80u);
    for (size_t at = (size_t)head; at < sizeof file; at++) {
        file[at] = bytes[at % EVENT_BYTES];
    }
    const size_t sizes[] = {(size_t)head, 1, bytes[5], 2000, 1500};
    for (size_t i = 0, at = 0; i < sizeof sizes / sizeof sizes[0]; at += sizes[i++]) {
        large.received += sizes[i];
        if (tracy_encode_large(run->encode, &large, file + at, sizes[i]) != 0) {
            fuzz_wrong("a large thing was refused");
        }
    }
    large.end = bytes[5] % 8 == 0 ? LARGE_CUT : LARGE_WHOLE;
    if (tracy_encode_large(run->encode, &large, NULL, 0) != 0) {
        fuzz_wrong("the end of a large thing was refused");
    }
}

static void give(struct legal_maker *maker, const struct site *sites, int64_t *now_ns,
                 const uint8_t *bytes) {
    struct event event = {.kind = legal_kinds[bytes[0] % legal_kind_count],
                          .time_ns = next_time(now_ns, bytes[1]),
                          .track = &tracks[bytes[2] % TRACKS],
                          .site = &sites[bytes[2] / TRACKS % SITES],
                          .object = &objects[bytes[3] % OBJECTS],
                          .stack = stack_of(bytes)};
    if (event.time_ns < 0 || *now_ns > TRACY_TIME_LIMIT_NS / 4) {
        *now_ns = 0;
    }
    fill(&event, bytes);
    legal_make(maker, event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t protocols[] = {63, 64, 66, 69, 74, 76, 82};
    struct site sites[SITES];
    struct tracy_run *run = tracy_run_new();
    struct legal_maker maker = {.context = run, .give = to_viewer};
    int64_t now_ns = 0;
    uint8_t protocol = size > 0 ? protocols[data[0] % sizeof protocols] : 82;
    for (unsigned i = 0; i < SITES; i++) {
        sites[i] = (struct site){.id = i,
                                 .kind = (uint8_t)(i % 5),
                                 .level = (uint8_t)i,
                                 .detail = i * 3,
                                 .known = i != 7,
                                 .name = names[i],
                                 .function = "",
                                 .file = ""};
    }
    for (size_t at = 1; at + EVENT_BYTES <= size; at += EVENT_BYTES) {
        if (at == 1 || data[at] == 0xff) { /* a viewer comes, or the next one */
            tracy_run_connect(run, protocol);
            run->peer->any_symbols = true;
        }
        give(&maker, sites, &now_ns, data + at);
        if (data[at] % 32 == 1) {
            send_large(run, data + at);
        }
        if (data[at] % 16 == 0) {
            tracy_run_pump(run);
        }
    }
    if (run->peer != NULL) {
        tracy_run_end(run);
        (void)tracy_answer_waiting(run->answers, 0, true);
        tracy_run_pump(run);
        if (run->broken) {
            fuzz_wrong(run->failure);
        }
        if (run->terminates != 1) {
            fuzz_wrong("the viewer does not end");
        }
    }
    tracy_run_free(run);
    legal_make_free(&maker);
    return 0;
}
