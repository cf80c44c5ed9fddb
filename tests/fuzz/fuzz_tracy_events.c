/* Any events, in any order, with any numbers: the stream to the viewer stays one that it takes.
 * The peer of tests/unit asserts what viewers assert. */
#include <math.h>

#include "fuzz.h"
#include "kymo/wire.h"
#include "tracy_run.h"

#define TRACKS 4
#define SITES 8
#define EVENT_BYTES 6

static const struct track tracks[TRACKS] = {{1, 0, 0, KYMO_CONTEXT_MAIN, "core 0"},
                                            {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer"},
                                            {3, 1, 0, KYMO_CONTEXT_MAIN, "core 1"},
                                            {4, 70, 1, KYMO_CONTEXT_TASK, "task"}};
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
    switch (event->kind) {
    case EVENT_SESSION:
        event->u.session.image = "fuzz";
        event->u.session.session = bytes[3];
        return;
    case EVENT_PLOT:
        event->u.plot.type = bytes[3] % 3;
        event->u.plot.integer = (int64_t)bytes[4] << 40;
        event->u.plot.real = values[bytes[5] % 5];
        return;
    case EVENT_ALLOC:
    case EVENT_FREE:
        event->u.memory.address = (uint64_t)(bytes[4] % 8) << (bytes[5] % 64);
        event->u.memory.bytes = (uint64_t)bytes[3] << (bytes[5] % 64);
        return;
    case EVENT_GAP:
        event->u.gap.start_ns = event->time_ns - bytes[3] * 100;
        event->u.gap.lost = bytes[4];
        event->u.gap.cause = bytes[5] % 3;
        return;
    case EVENT_ZONE_TEXT:
    case EVENT_ZONE_NAME:
    case EVENT_MESSAGE:
    case EVENT_APP_INFO:
        event->u.text.bytes = "text";
        event->u.text.length = bytes[3] % 5;
        return;
    default:
        event->u.value = bytes[3];
    }
}

static void give(struct tracy_run *run, const struct site *sites, int64_t *now_ns,
                 const uint8_t *bytes) {
    struct event event = {.kind = bytes[0] % (EVENT_GAP + 1),
                          .time_ns = next_time(now_ns, bytes[1]),
                          .track = &tracks[bytes[2] % TRACKS],
                          .site = &sites[bytes[2] / TRACKS % SITES]};
    if (event.time_ns < 0 || *now_ns > TRACY_TIME_LIMIT_NS / 4) {
        *now_ns = 0;
    }
    fill(&event, bytes);
    int error = tracy_run_event(run, &event);
    if (error != 0) {
        fuzz_wrong("an event was refused");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t protocols[] = {63, 64, 66, 69, 74, 76, 82};
    struct site sites[SITES];
    struct tracy_run *run = tracy_run_new();
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
        }
        give(run, sites, &now_ns, data + at);
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
    return 0;
}
