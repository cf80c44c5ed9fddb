/* Any events, also such as the timeline never sends, into every output: ends without a begin, names that are
 * not UTF-8, times that go back, the greatest numbers. The input is a row of events of eight bytes. */
#include <string.h>

#include "fuzz.h"
#include "sink/sink.h"

#define EVENT_BYTES 8
#define EVENTS_MAX 64
#define SITES 8
#define TRACKS 6

static struct site sites[SITES];
static struct track tracks[TRACKS];

static void make_sites(uint8_t salt) {
    static const char *const names[] = {"",    "plain", "\xff\xc3(", "\"\\\n\x1b", "\xe2\x82\xac",
                                        "a,b", "x\x7f", "%s%n"};
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
    for (uint32_t i = 0; i < TRACKS; i++) {
        tracks[i] = (struct track){.id = i * i + 1,
                                   .core = i == 5 ? UINT32_MAX : i % 3,
                                   .session = i / 4,
                                   .kind = i == 4 ? 255 : (uint8_t)(i % 4),
                                   .name = names[i]};
    }
}

static int64_t time_of(const uint8_t *data) {
    static const int64_t far[] = {INT64_MIN, -1, 0, INT64_MAX};
    return data[2] < 4 ? far[data[2]] : data[2] * 100 + data[3];
}

static struct event event_of(const uint8_t *data) {
    struct event event = {.kind = (enum event_kind)(data[0] % (EVENT_GAP + 1)),
                          .time_ns = time_of(data),
                          .track = &tracks[data[1] % TRACKS],
                          .site = &sites[data[4] % SITES]};
    switch (event.kind) {
    case EVENT_SESSION:
        event.u.session.image = sites[data[5] % SITES].name;
        event.u.session.session = data[5] % 4;
        event.u.session.epoch_ns = time_of(data);
        break;
    case EVENT_ZONE_END:
        event.u.zone.start_ns = time_of(data + 1);
        event.u.zone.self_ns = time_of(data + 2);
        event.u.zone.repaired = (enum zone_repair)(data[5] % (ZONE_REPAIRS + 1u));
        break;
    case EVENT_ZONE_VALUE:
    case EVENT_ZONE_COLOR:
        event.u.value = data[5] < 8 ? UINT64_MAX : data[5];
        break;
    case EVENT_PLOT:
        event.u.plot.type = data[5] % 3;
        memcpy(&event.u.plot.real, data, sizeof event.u.plot.real);
        event.u.plot.integer = time_of(data);
        break;
    case EVENT_ALLOC:
    case EVENT_FREE:
        memcpy(&event.u.memory.address, data, sizeof event.u.memory.address);
        event.u.memory.bytes = data[5] < 8 ? UINT64_MAX : data[5];
        break;
    case EVENT_GAP:
        event.u.gap.start_ns = time_of(data + 1);
        event.u.gap.lost = data[5];
        event.u.gap.cause = data[6] % 3;
        break;
    default:
        event.u.text.bytes = sites[data[5] % SITES].name;
        event.u.text.length = strlen(event.u.text.bytes);
    }
    return event;
}

static void must_be_0(int result, const char *call) {
    if (result != 0) {
        fuzz_wrong(call);
    }
}

static void feed(const struct sink *sink, const uint8_t *data, size_t size) {
    void *state;
    make_sites(data[0]);
    must_be_0(sink->open(&state, "/dev/null"), "open");
    for (size_t at = 0; size - at >= EVENT_BYTES; at += EVENT_BYTES) {
        struct event event = event_of(data + at);
        sites[data[at + 7] % SITES].known = true; /* a name has arrived */
        must_be_0(sink->event(state, &event), "event");
    }
    must_be_0(sink->close(state), "close");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; sinks[i] && size > 0; i++) {
        feed(sinks[i], data, size);
    }
    return 0;
}

/* Random, but for half of the events in the order of time and of few kinds, so that zones pile up. */
size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    uint32_t random = index * 2654435761u + 1;
    size_t events = 1 + index % EVENTS_MAX;
    for (size_t i = 0; i < events * EVENT_BYTES && i < size; i++) {
        random = random * 1664525u + 1013904223u;
        out[i] = (uint8_t)(random >> 24);
    }
    for (size_t i = 0; i < events && index % 2 == 0; i++) {
        out[i * EVENT_BYTES] = (uint8_t)(EVENT_ZONE_BEGIN + out[i * EVENT_BYTES] % 6);
        out[i * EVENT_BYTES + 2] = (uint8_t)(4 + i);
    }
    return events * EVENT_BYTES < size ? events * EVENT_BYTES : size;
}
