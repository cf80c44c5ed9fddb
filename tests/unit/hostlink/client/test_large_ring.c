/* SPDX-License-Identifier: MIT */
/* Zones fill a large ring twice, in one go each time: none is lost, and once they were read, the ring has
 * hardly any memory. */
#include "large_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include <sys/mman.h>

#include "kymo/kymo.h"
#include "ring/lane.h"
#include "trace/pipeline.h"

#define ZONE_BYTES 16u
/* A ring less the piece that may be read in part, and some records more. */
#define ZONES ((KYMO_RING_BYTES - KYMO_ARCH_RING_PIECE) / ZONE_BYTES - 100u)

KYMO_SITE_DEFINE_GLOBAL(large_ring_zone, KYMO_SITE_ZONE, "large ring", 0u, 0u, NULL);

static struct pipeline *pipeline;
static uint64_t begins, ends;

static size_t to_pipeline(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    return length;
}

static const struct kymo_transport transport = {.write = to_pipeline};

static int on_event(void *context, const struct event *event) {
    (void)context;
    begins += event->kind == EVENT_ZONE_BEGIN ? 1u : 0u;
    ends += event->kind == EVENT_ZONE_END ? 1u : 0u;
    return 0;
}

static void read_all(void) {
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

static size_t bytes_there(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = sizeof(*kymo_rings) * KYMO_LANES / page;
    unsigned char *is_there = malloc(pages);
    size_t bytes = 0u;
    assert_non_null(is_there);
    assert_int_equal(mincore(kymo_rings, pages * page, is_there), 0);
    for (size_t i = 0u; i < pages; i++) {
        bytes += (is_there[i] & 1u) != 0u ? page : 0u;
    }
    free(is_there);
    return bytes;
}

void a_large_ring_has_memory_only_where_events_wait(void **state) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline_totals totals;
    (void)state;
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    kymo_init(&transport, "large ring");
    read_all();
    const size_t before = bytes_there();
    for (uint32_t turn = 0u; turn < 2u; turn++) {
        for (uint32_t i = 0u; i < ZONES; i++) {
            kymo_zone_end(kymo_zone_begin(&large_ring_zone));
        }
        assert_true(bytes_there() > before + 2u * KYMO_ARCH_RING_PIECE);
        read_all();
        assert_true(bytes_there() <= before + 2u * KYMO_ARCH_RING_PIECE);
    }
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.lost, totals.lost_before); /* recorded by the other case */
    assert_int_equal(begins, 2u * ZONES);
    assert_int_equal(ends, 2u * ZONES);
    pipeline_free(pipeline);
}
