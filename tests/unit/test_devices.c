/* SPDX-License-Identifier: MIT */
/* Device blocks: from their writers, which are here, through kymo_drain() to hostlink's events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static int set_up(void **state) {
    (void)state;
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

/* ---- what hostlink makes of it ---- */

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
    to->value = event->kind == EVENT_PLOT_INT   ? event->u.plot.integer
                : event->kind == EVENT_GAP      ? (int64_t)event->u.gap.lost
                : event->kind == EVENT_ZONE_END ? (int64_t)event->u.zone.repaired
                                                : 0;
    to->repair = event->kind == EVENT_REPAIR ? event->u.repair : REPAIR_END_WITHOUT_ZONE;
    return 0;
}

static struct pipeline *first_pass, *second_pass;

static int tear_down(void **state) {
    (void)state;
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

/* As a conversion does: names and clocks first. */
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
static void zones_events_and_values(void **state) {
    struct kymo_device_block *block = block_of(0u);
    (void)state;
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

/* What was accepted comes, in order, and nothing else: begins with their ends, however full the ring is. */
static void an_accepted_begin_has_its_end(void **state) {
    struct kymo_device_block *block = block_of(0u);
    bool open[16];
    uint32_t depth = 0u, accepted = 0u, refused = 0u, most = 0u;
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(zones_events_and_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_accepted_begin_has_its_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
