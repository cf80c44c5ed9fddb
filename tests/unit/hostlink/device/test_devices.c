/* SPDX-License-Identifier: MIT */
/* Device blocks: from their writers, which are here, through kymo_drain() to hostlink's events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static uint32_t device_clock;
#define KYMO_DEVICE_CLOCK() (device_clock)
#include "kymo/devices.h"
#include "kymo_arch.h"
#include "send/link.h"
#include "trace.h"
#include "trace/pipeline.h"

#define STREAM_BYTES (1u << 22)
#define BLOCK_BYTES (64u + 256u)
#define SEEN_MAX 65536u
#define BLOCKS 320u
#define HZ 1000000u

KYMO_SITE_DEFINE_GLOBAL(transfer, KYMO_SITE_ZONE, "transfer", 0u, 0u, NULL);

static uint8_t stream[STREAM_BYTES];
static size_t stream_bytes;
static uint64_t memory[BLOCKS][BLOCK_BYTES / 8u];
static struct kymo_device_row devices[BLOCKS];
static const char *const names[] = {"load", "matmul", "store", "depth"};

static size_t take(void *context, const uint8_t *from, size_t length) {
    (void)context;
    assert_true(stream_bytes + length <= sizeof stream);
    memcpy(stream + stream_bytes, from, length);
    stream_bytes += length;
    return length;
}
static const struct kymo_transport transport = {.write = take};

FIXTURE(set_up) {
    stream_bytes = 0u;
    device_clock = 0u;
    memset(memory, 0, sizeof memory);
    memset(devices, 0, sizeof devices);
    fake_reset();
    fake.clock_hz = HZ;
    fake.clock_step = 0u;
    trace_power_up();
    kymo_init(&transport, "devices");
    return 0;
}

static struct kymo_device_block *block_of(uint32_t i) {
    return (struct kymo_device_block *)(void *)memory[i];
}

static struct kymo_device_row *announce(uint32_t i, const char *device, const char *core) {
    devices[i] = (struct kymo_device_row){.block = block_of(i),
                                          .bytes = BLOCK_BYTES,
                                          .device = device,
                                          .core = core,
                                          .sites = KYMO_DEVICE_NAMES_SENT,
                                          .names = names,
                                          .name_count = 4u};
    kymo_device_start(block_of(i), BLOCK_BYTES);
    kymo_device(&devices[i]);
    return &devices[i];
}

static void drain(void) {
    while (kymo_drain(0u)) {}
}

static void finish(void) {
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

/* Both clocks go on, the device's at its own rate. */
static void pass(uint32_t ticks, uint32_t device_ticks) {
    fake.clock += ticks;
    device_clock += device_ticks;
}

/* ---- hostlink's side ---- */

struct seen {
    enum event_kind kind;
    int64_t time_ns, start_ns;
    uint32_t track;
    const char *name;
    int64_t value;
    enum repair repair;
    uint64_t ticks, run;
};
static struct seen seen[SEEN_MAX];
static uint32_t seen_count;
static struct pipeline_totals totals;
static char rows[BLOCKS + 8u][64];

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->track == NULL || event->track->device == NULL) {
        return 0;
    }
    assert_true(event->track->id < BLOCKS + 8u);
    (void)snprintf(rows[event->track->id], 64u, "%s: %s", event->track->device->name,
                   event->track->name);
    if (event->kind == EVENT_TRACK) {
        return 0;
    }
    assert_true(seen_count < SEEN_MAX);
    struct seen *to = &seen[seen_count++];
    *to = (struct seen){.kind = event->kind,
                        .time_ns = event->time_ns,
                        .track = event->track->id,
                        .name = event->site != NULL ? event->site->name : "",
                        .ticks = event->track->device->ticks,
                        .run = event->track->device->run};
    to->start_ns = event->kind == EVENT_ZONE_END ? event->u.zone.start_ns : 0;
    to->value = event->kind == EVENT_PLOT_INT       ? event->u.plot.integer
                : event->kind == EVENT_GAP          ? (int64_t)event->u.gap.lost
                : event->kind == EVENT_ZONE_END     ? (int64_t)event->u.zone.repaired
                : event->kind == EVENT_FLOW_RECEIVE ? (int64_t)event_flow_ns(event)
                                                    : 0;
    to->repair = event->kind == EVENT_REPAIR ? event->u.repair : REPAIR_END_WITHOUT_ZONE;
    return 0;
}

static struct pipeline *first_pass, *second_pass;

FIXTURE(tear_down) {
    pipeline_free(second_pass);
    pipeline_free(first_pass);
    first_pass = second_pass = NULL;
    return 0;
}

static struct pipeline *one_pass(const struct pipeline_callbacks *callbacks,
                                 const struct pipeline *from, const uint8_t *bytes, size_t length) {
    struct pipeline *pipeline = pipeline_new(callbacks, from);
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    return pipeline;
}

/* Reads like a conversion: names and clocks first. */
static void read_all(const uint8_t *bytes, size_t length) {
    const struct pipeline_callbacks none = {.names_only = true}, all = {.event = on_event};
    (void)tear_down(NULL);
    seen_count = 0u;
    first_pass = one_pass(&none, NULL, bytes, length);
    second_pass = one_pass(&all, first_pass, bytes, length);
}

static void is_seen(uint32_t at, enum event_kind kind, const char *name) {
    assert_true(at < seen_count);
    assert_int_equal(seen[at].kind, kind);
    assert_string_equal(seen[at].name, name);
}

/* ---- tests ---- */

/* A device that reads the board's clock. */
CASE(zones_events_and_values, set_up, tear_down) {
    struct kymo_device_block *block = block_of(0u);
    fake.clock = 5000u;
    announce(0u, "npu", "brisc")->x = 3u;
    devices[0].y = 4u;
    drain();
    device_clock = 6000u;
    const bool outer = kymo_device_begin(block, KYMO_DEVICE_NUMBER(1));
    device_clock = 6010u;
    const bool inner = kymo_device_begin(block, KYMO_DEVICE_NUMBER(2));
    device_clock = 6020u;
    kymo_device_value(block, KYMO_DEVICE_NUMBER(3), -7);
    device_clock = 6030u;
    kymo_device_end(block, inner);
    kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
    device_clock = 6100u;
    kymo_device_end(block, outer);
    assert_int_equal(block->at - block->self, 7u * 8u);
    fake.clock = 7000u;
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(seen_count, 6u);
    is_seen(0u, EVENT_ZONE_BEGIN, "matmul");
    is_seen(1u, EVENT_ZONE_BEGIN, "store");
    is_seen(2u, EVENT_PLOT_INT, "depth");
    assert_int_equal(seen[2].value, -7);
    is_seen(3u, EVENT_ZONE_END, "store");
    is_seen(4u, EVENT_MESSAGE, "load");
    is_seen(5u, EVENT_ZONE_END, "matmul");
    assert_int_equal(seen[5].time_ns - seen[5].start_ns, 100000);
    assert_int_equal(seen[2].time_ns - seen[0].time_ns, 20000);
    assert_int_equal(seen[0].ticks, 6000u);
    assert_string_equal(rows[seen[0].track], "npu: 3,4 brisc");
    assert_int_equal(totals.devices.records, 7u);
    assert_int_equal(totals.devices.blocks, 1u);
    assert_int_equal(totals.unknown_packets, 0u);
}

/* Accepted events arrive, in order, and nothing else: begins with their ends, however full the ring is. */
CASE(an_accepted_begin_has_its_end, set_up, tear_down) {
    struct kymo_device_block *block = block_of(0u);
    bool open[16];
    uint32_t depth = 0u, accepted = 0u, refused = 0u, most = 0u;
    (void)announce(0u, "npu", "brisc");
    srand(7);
    for (uint32_t i = 0u; i < 20000u; i++) {
        const int what = rand() % 16;
        pass(1u, 1u);
        if (what < 6 && depth < 16u) {
            open[depth] = kymo_device_begin(block, KYMO_DEVICE_NUMBER(1));
            accepted += open[depth] ? 2u : 0u;
            refused += open[depth++] ? 0u : 1u;
        } else if (what < 12 && depth > 0u) {
            kymo_device_end(block, open[--depth]);
        } else if (what < 14) {
            const uint32_t before = block->refused;
            kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
            accepted += block->refused == before ? 1u : 0u;
            refused += block->refused - before;
        } else if (what == 14) {
            drain();
        }
        const uint32_t at = block->at - block->self;
        assert_true(at <= block->capacity);
        most = at > most ? at : most;
    }
    while (depth > 0u) {
        kymo_device_end(block, open[--depth]);
    }
    assert_true(most > block->capacity / 2u && refused != 0u);
    assert_int_equal(block->refused, refused);
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.records, accepted);
    assert_int_equal(totals.devices.refused, refused);
    assert_int_equal(totals.devices.repairs, 0u);
    assert_int_equal(totals.devices.lost, 0u);
}

/* 64 devices of 5 cores: all comes, in the order of each, though no call looks at all of them. */
CASE(many_devices, set_up, tear_down) {
    static char device_names[64][8];
    static const char *const cores[] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
    uint64_t last[BLOCKS + 8u] = {0};
    uint32_t begins = 0u;
    for (uint32_t i = 0u; i < BLOCKS; i++) {
        (void)snprintf(device_names[i / 5u], sizeof device_names[0], "npu %u", i / 5u);
        (void)announce(i, device_names[i / 5u], cores[i % 5u]);
    }
    for (uint32_t round = 0u; round < 40u; round++) {
        for (uint32_t i = 0u; i < BLOCKS; i++) {
            pass(1u, 1u);
            const bool begun = kymo_device_begin(block_of(i), KYMO_DEVICE_NUMBER(1));
            assert_true(begun);
            pass(1u, 1u);
            kymo_device_end(block_of(i), begun);
        }
        if (round % 8u == 7u) {
            while (kymo_pending()) {
                (void)kymo_drain(0u);
            }
        }
    }
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.blocks, BLOCKS);
    assert_int_equal(totals.devices.records, 40u * 2u * BLOCKS);
    assert_int_equal(totals.devices.refused + totals.devices.lost + totals.devices.repairs, 0u);
    for (uint32_t i = 0u; i < seen_count; i++) {
        assert_true(seen[i].ticks > last[seen[i].track]);
        last[seen[i].track] = seen[i].ticks;
        assert_true(seen[i].kind == EVENT_ZONE_BEGIN || seen[i].time_ns - seen[i].start_ns == 1000);
        begins += seen[i].kind == EVENT_ZONE_BEGIN;
    }
    assert_int_equal(begins, 40u * BLOCKS);
}

/* A clock of its own, 150 ppm fast and 32 bits wide, which wraps between two drains: by pairs, each zone is within the
 * bound of where it was. */
CASE(a_clock_that_wraps, set_up, tear_down) {
    static int64_t truth[2000];
    uint32_t zones = 0u;
    double device = 4294967296.0 - 50000.0;
    (void)announce(0u, "npu", "brisc");
    devices[0].clock_hz = 100u * HZ;
    fake.clock = 1000000u;
    drain();
    for (uint32_t i = 0u; i < 2000u; i++) {
        fake.clock += 20000u;
        device += 20000.0 * 100.0 * 1.00015;
        device_clock = (uint32_t)(uint64_t)device;
        truth[zones++] = (int64_t)fake.clock * 1000;
        kymo_device_end(block_of(0u), kymo_device_begin(block_of(0u), KYMO_DEVICE_NUMBER(1)));
        if (i % 10u == 9u) {
            kymo_device_clock_pair(&devices[0], device_clock, fake.clock - 3u, fake.clock + 3u);
            drain();
        }
    }
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.unsure + totals.devices.back + totals.devices.restarts, 0u);
    assert_in_range(totals.devices.bound_ns, 1, 250000);
    const int64_t first = seen[0].time_ns - truth[0];
    uint32_t at = 0u;
    for (uint32_t i = 0u; i < seen_count; i++) {
        if (seen[i].kind == EVENT_ZONE_BEGIN) {
            const int64_t off = seen[i].time_ns - truth[at++] - first;
            assert_in_range(off + 2 * totals.devices.bound_ns, 0, 4 * totals.devices.bound_ns);
        }
    }
    assert_int_equal(at, zones);
}

/* A pair each millisecond, of 1 us between the two readings: with the ticks of 1 us of the board the error is no more
 * than three of these, though the run is shorter than ten seconds and the rate 150 ppm wrong. */
CASE(pairs_of_each_millisecond, set_up, tear_down) {
    static int64_t truth[300];
    double device = 70000.0;
    uint32_t at = 0u;
    (void)announce(0u, "npu", "brisc");
    devices[0].clock_hz = 100u * HZ;
    fake.clock = 1000000u;
    for (uint32_t i = 0u; i < 300u; i++) {
        fake.clock += 1000u;
        device += 1000.0 * 100.0 * 1.00015;
        device_clock = (uint32_t)(uint64_t)device;
        truth[i] = (int64_t)fake.clock * 1000;
        kymo_device_end(block_of(0u), kymo_device_begin(block_of(0u), KYMO_DEVICE_NUMBER(1)));
        kymo_device_clock_pair(&devices[0], device_clock, fake.clock, fake.clock + 1u);
        drain();
    }
    finish();
    read_all(stream, stream_bytes);
    assert_in_range(totals.devices.bound_ns, 1000, 3000);
    const int64_t start = seen[0].time_ns - truth[0];
    for (uint32_t i = 0u; i < seen_count; i++) {
        if (seen[i].kind == EVENT_ZONE_BEGIN) {
            const int64_t off = seen[i].time_ns - truth[at++] - start;
            assert_in_range(off + 2 * totals.devices.bound_ns, 0, 4 * totals.devices.bound_ns);
        }
    }
    assert_int_equal(at, 300u);
}

/* Times that go back, and a clock that restarts when power comes back, are reported. */
CASE(times_that_go_back, set_up, tear_down) {
    struct kymo_device_block *block = block_of(0u);
    (void)announce(0u, "npu", "brisc");
    devices[0].clock_hz = HZ;
    fake.clock = 1000000u;
    device_clock = 900000000u;
    drain();
    pass(5000u, 5000u);
    kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
    device_clock -= 100u;
    kymo_device_event(block, KYMO_DEVICE_NUMBER(1));
    drain();
    pass(100000u, 100000u);
    device_clock = 7u;
    kymo_device_event(block, KYMO_DEVICE_NUMBER(2));
    pass(10u, 10u);
    drain();
    pass(500u, 500u);
    kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.back, 1u);
    assert_int_equal(totals.devices.restarts, 1u);
    assert_int_equal(seen_count, 6u);
    assert_int_equal(seen[1].repair, REPAIR_TIME_BACK);
    is_seen(2u, EVENT_MESSAGE, "matmul");
    assert_int_equal(seen[2].ticks, 900004900u);
    assert_int_equal(seen[3].repair, REPAIR_CLOCK_ANEW);
    assert_true(seen[4].time_ns > seen[2].time_ns + 90000000);
    assert_in_range(seen[5].time_ns - seen[4].time_ns, 100000, 1000000);
}

/* A device stands still between a look at its clock and the record of that, while the board drains: late is not set
 * back, and later records are where they were. */
CASE(a_writer_that_stalls, set_up, tear_down) {
    static const uint32_t rates[] = {0u, HZ};
    static int64_t truth[2u * 60u];
    fake.clock = device_clock = 1000000u;
    for (uint32_t i = 0u; i < 2u; i++) {
        announce(i, i == 0u ? "npu 0" : "npu 1", "brisc")->clock_hz = rates[i];
    }
    drain();
    for (uint32_t round = 0u; round < 60u; round++) {
        pass(1000u, 1000u);
        const uint32_t before = device_clock, stalls = round % 3u == 1u ? 500000u : 0u;
        pass(stalls / 2u, stalls / 2u);
        drain();
        pass(stalls / 2u, stalls / 2u);
        for (uint32_t i = 0u; i < 2u; i++) {
            const uint32_t now = device_clock;
            device_clock = before;
            truth[2u * round + i] = (int64_t)before * 1000;
            kymo_device_event(block_of(i), KYMO_DEVICE_NUMBER(i));
            device_clock = now;
        }
        if (round % 3u != 2u) {
            drain();
        }
    }
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.unsure + totals.devices.back + totals.devices.restarts, 0u);
    assert_int_equal(seen_count, 120u);
    uint32_t at[2] = {0u, 0u};
    const int64_t first = seen[0].time_ns - truth[0];
    for (uint32_t i = 0u; i < seen_count; i++) {
        const uint32_t row = strcmp(seen[i].name, names[1]) == 0 ? 1u : 0u;
        const int64_t off = seen[i].time_ns - truth[2u * at[row]++ + row] - first;
        const int64_t bound_ns = row == 0u ? 0 : totals.devices.bound_ns;
        assert_true(off >= -bound_ns && off <= bound_ns);
    }
    assert_true(totals.devices.bound_ns < 20000000);
}

/* Less memory than a block needs: all is refused, and nothing is written beyond. */
CASE(a_block_that_is_too_small, set_up, tear_down) {
    struct kymo_device_block *block = block_of(0u);
    static const uint32_t sizes[] = {0u, 10u, 64u, 127u};
    for (uint32_t i = 0u; i < 4u; i++) {
        memset(memory[0], 0, sizeof memory[0]);
        kymo_device_start(block, sizes[i]);
        assert_false(kymo_device_begin(block, KYMO_DEVICE_NUMBER(1)));
        kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
        assert_int_equal(block->refused, 2u);
        assert_int_equal(block->at, block->self);
    }
    kymo_device_start(block, 128u);
    assert_true(kymo_device_begin(block, KYMO_DEVICE_NUMBER(1)));
}

/* A writer that starts again, with zones open; a block with impossible contents; memory that holds anything. */
CASE(starts_and_garbage, set_up, tear_down) {
    struct kymo_device_block *block = block_of(0u);
    (void)announce(0u, "npu", "brisc");
    (void)kymo_device_begin(block, KYMO_DEVICE_NUMBER(1));
    drain();
    kymo_device_start(block, BLOCK_BYTES);
    assert_int_equal(block->starts, 2u);
    pass(10u, 10u);
    kymo_device_end(block, kymo_device_begin(block, KYMO_DEVICE_NUMBER(2)));
    drain();
    assert_int_equal(block->read, 16u);
    block->at += 4u;
    drain();
    block->at -= 4u; /* nothing is believed any more */
    kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
    drain();
    assert_int_equal(block->read, 16u);
    kymo_device_start(block, BLOCK_BYTES);
    kymo_device_event(block, KYMO_DEVICE_NUMBER(0));
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.damaged, 1u);
    assert_int_equal(totals.devices.records, 4u);
    is_seen(0u, EVENT_ZONE_BEGIN, "matmul");
    is_seen(1u, EVENT_ZONE_END, "matmul");
    assert_int_equal(seen[1].value, ZONE_END_OPEN);
    is_seen(seen_count - 1u, EVENT_MESSAGE, "load");
    srand(11);
    for (uint32_t i = 0u; i < 5000u; i++) {
        uint32_t *words = (uint32_t *)(void *)memory[0];
        for (uint32_t k = 0u; k < 16u; k++) {
            words[k] = rand() % 3 != 0 ? words[k] : (uint32_t)rand() % 400u;
        }
        words[0] = KYMO_DEVICE_MAGIC;
        words[4] = rand() % 2 != 0 ? 0u : words[4];
        (void)kymo_drain(0u);
    }
    finish();
    read_all(stream, stream_bytes); /* and whatever that was is no harm here */
}

/* Packets that are lost or come twice: missing events are counted, and open intervals end there. */
CASE(packets_that_are_lost, set_up, tear_down) {
    struct kymo_device_block *block = block_of(0u);
    static uint8_t cut[STREAM_BYTES];
    size_t length = 0u;
    uint32_t packets = 0u;
    (void)announce(0u, "npu", "brisc");
    drain();
    for (uint32_t i = 0u; i < 6u; i++) {
        pass(100u, 100u);
        const bool begun = kymo_device_begin(block, KYMO_DEVICE_NUMBER(1));
        pass(100u, 100u);
        drain();
        kymo_device_end(block, begun);
        pass(100u, 100u);
        drain();
    }
    finish();
    for (const uint8_t *at = stream; at < stream + stream_bytes;) {
        const uint8_t *end = memchr(at, 0, (size_t)(stream + stream_bytes - at));
        const bool is_device = end - at > 2 && at[1] == (KYMO_WIRE_VERSION << 5 | 11u);
        const size_t bytes = (size_t)(end + 1 - at);
        packets += is_device ? 1u : 0u;
        for (uint32_t n = is_device && packets == 5u   ? 0u
                          : is_device && packets == 7u ? 2u
                                                       : 1u;
             n != 0u; n--) {
            memcpy(cut + length, at, bytes);
            length += bytes;
        }
        at = end + 1;
    }
    assert_int_equal(packets, 14u); /* description, names, a record each */
    read_all(cut, length);
    assert_int_equal(totals.devices.lost, 1u);
    assert_int_equal(totals.devices.records, 11u);
    uint32_t closed = 0u, gaps = 0u;
    for (uint32_t i = 0u; i < seen_count; i++) {
        closed += seen[i].kind == EVENT_ZONE_END && seen[i].value == ZONE_END_LOST;
        gaps += seen[i].kind == EVENT_GAP;
    }
    assert_int_equal(gaps, 1u);
    assert_true(closed + totals.devices.repairs >= 1u);
}

/* Work of an engine, reported by its completion interrupt, with sites of the board; places as
 * far as they go; and a run's number used twice. */
CASE(engines, set_up, tear_down) {
    (void)announce(0u, "dma", "channel 0");
    devices[0].sites = KYMO_DEVICE_NAMES_OWN;
    devices[0].name_count = 0u;
    devices[0].x = 65535u;
    devices[0].y = 65535u;
    (void)announce(1u, "npu", "brisc");
    fake.clock = 100000u;
    drain();
    fake.clock += 1000u;
    assert_true(kymo_device_zone_queued(&devices[0], &transfer, 100100u, 100400u, 100900u));
    assert_true(kymo_device_zone(&devices[0], &transfer, 100950u, 100990u));
    device_clock = 100500u;
    for (uint32_t i = 0u; i < 2u; i++) {
        kymo_device_run(block_of(1u), 77u);
        kymo_device_end(block_of(1u), kymo_device_begin(block_of(1u), KYMO_DEVICE_NUMBER(1)));
    }
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.repairs, 0u);
    is_seen(0u, EVENT_FLOW_SEND, "transfer");
    is_seen(1u, EVENT_ZONE_BEGIN, "transfer");
    is_seen(2u, EVENT_FLOW_RECEIVE, "transfer");
    is_seen(3u, EVENT_ZONE_TEXT, "transfer");
    is_seen(4u, EVENT_ZONE_END, "transfer");
    assert_int_equal(seen[1].time_ns - seen[0].time_ns, 300000);
    assert_int_equal(seen[2].value, 300000);
    assert_int_equal(seen[4].time_ns - seen[4].start_ns, 500000);
    is_seen(6u, EVENT_ZONE_END, "transfer");
    assert_string_equal(rows[seen[0].track], "dma: 65535,65535 channel 0 queue");
    assert_string_equal(rows[seen[1].track], "dma: 65535,65535 channel 0");
    assert_int_equal(seen[7].run, 77u);
}

/* A queue that is never empty, each transfer longer than the time between two drains, by an own clock that wraps and is
 * known by pairs alone: what waits was submitted long before the transfer that runs has ended. */
CASE(engines_that_are_late, set_up, tear_down) {
    static int64_t submitted[300], begun[300];
    const uint32_t length = 7000u, depth = 3u;
    double device = 4294967296.0 - 2000000.0;
    uint32_t transfers = 0u, starts = 0u, sends = 0u;
    (void)announce(0u, "dma", "channel 0");
    devices[0].sites = KYMO_DEVICE_NAMES_OWN;
    devices[0].name_count = 0u;
    devices[0].clock_hz = 10u * HZ;
    fake.clock = 1000000u;
    for (uint32_t i = 0u; i < 2000u; i++) {
        fake.clock += 1000u;
        device += 1000.0 * 10.0 * 1.0001;
        const uint32_t now = (uint32_t)(uint64_t)device;
        if (i % 100u == 0u) {
            kymo_device_clock_pair(&devices[0], now, fake.clock - 2u, fake.clock + 2u);
        }
        if (i % 7u == 6u && i > 30u) {
            submitted[transfers] = ((int64_t)fake.clock - depth * length) * 1000;
            begun[transfers++] = ((int64_t)fake.clock - length) * 1000;
            assert_true(kymo_device_zone_queued(&devices[0], &transfer, now - depth * length * 10u,
                                                now - length * 10u, now));
        }
        drain();
    }
    finish();
    read_all(stream, stream_bytes);
    assert_int_equal(totals.devices.back + totals.devices.restarts + totals.devices.unsure, 0u);
    assert_int_equal(totals.devices.repairs, 0u);
    assert_in_range(totals.devices.bound_ns, 1, 100000);
    const int64_t first = seen[1].time_ns - begun[0], error = 2 * totals.devices.bound_ns + 20000;
    for (uint32_t i = 0u; i < seen_count; i++) {
        if (seen[i].kind == EVENT_ZONE_BEGIN) {
            assert_in_range(seen[i].time_ns - begun[starts++] - first + error, 0, 2 * error);
        } else if (seen[i].kind == EVENT_FLOW_SEND) {
            assert_in_range(seen[i].time_ns - submitted[sends++] - first + error, 0, 2 * error);
        } else if (seen[i].kind == EVENT_ZONE_END) {
            assert_in_range(seen[i].time_ns - seen[i].start_ns, 6980000, 7020000);
        }
    }
    assert_int_equal(starts, transfers);
    assert_int_equal(sends, transfers);
}
