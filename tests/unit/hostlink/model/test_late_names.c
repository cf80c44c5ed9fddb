/* SPDX-License-Identifier: MIT */
/* Names that arrive after the events that use them, and sessions that have names and rows of their own. */
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"

#define SESSIONS 3u

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);

KYMO_SITE_DEFINE_GLOBAL(heap, KYMO_SITE_POOL, "heap", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(heap_too, KYMO_SITE_POOL, "heap", 0u, 0u, NULL);

static struct seen {
    uint32_t sessions, zones;
    uint32_t session[SESSIONS];
    const struct track *track[SESSIONS]; /* of the zones */
    const struct site *site[SESSIONS];
    char announced[64]; /* as the interrupt's row was announced last */
    uint64_t freed;     /* bytes */
} seen;

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_SESSION) {
        assert_true(seen.sessions < SESSIONS);
        seen.session[seen.sessions++] = event->u.session.session;
    } else if (event->kind == EVENT_ZONE_END) {
        assert_true(seen.zones < SESSIONS);
        seen.track[seen.zones] = event->track;
        seen.site[seen.zones++] = event->site;
    } else if (event->kind == EVENT_FREE) {
        seen.freed += event->u.memory.bytes;
    } else if (event->kind == EVENT_TRACK && event->track->kind != KYMO_CONTEXT_MAIN) {
        (void)strncpy(seen.announced, event->track->name, sizeof seen.announced - 1u);
    }
    return 0;
}

FIXTURE(set_up) {
    kept.length = 0u;
    memset(&seen, 0, sizeof seen);
    fake_reset();
    return 0;
}

static void drain_all(void) {
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

/* One board that was started: a zone in a handler. */
/* The session's number is that of the clock when it begins. */
static void run_board(uint32_t clock) {
    trace_power_up();
    fake.clock = clock;
    kymo_init(&kept_transport, "names");
    const kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    kymo_zone_end(kymo_zone_begin(&work));
    kymo_interrupt_leave(before);
    kymo_finish();
    drain_all();
}

/* The packets of the stream that have names, or all others. */
static void feed(struct pipeline *pipeline, bool names) {
    const uint8_t *at = kept.bytes;
    while (at < kept.bytes + kept.length) {
        const uint8_t *end = memchr(at, 0, (size_t)(kept.bytes + kept.length - at));
        assert_non_null(end);
        const size_t length = (size_t)(end + 1 - at);
        /* The first byte is COBS's, the second one the packet's. */
        const bool has_names =
            length > 2u &&
            at[1] == (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_SITES);
        if (has_names == names) {
            assert_int_equal(pipeline_feed(pipeline, at, length), 0);
        }
        at = end + 1;
    }
}

CASE(a_row_is_renamed_when_its_name_arrives, set_up) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    run_board(1000u);
    feed(pipeline, false);
    assert_int_equal(seen.zones, 1u);
    assert_string_not_equal(seen.announced, "timer");
    feed(pipeline, true);
    assert_string_equal(seen.announced, "timer");
    assert_string_equal(seen.track[0]->name, "timer");
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_free(pipeline);
}

/* Two macros name it, and one frees the other's allocations. */
CASE(a_pool_keeps_its_blocks_when_its_name_arrives, set_up) {
    static char blocks[2];
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    trace_power_up();
    kymo_init(&kept_transport, "names");
    kymo_alloc(&heap, &blocks[0], 100u);
    kymo_alloc(&heap_too, &blocks[1], 20u);
    drain_all();
    feed(pipeline, false);
    assert_int_equal(pipeline_quiet(pipeline), 0);
    feed(pipeline, true);
    kept.length = 0u;
    kymo_free(&heap, &blocks[1]);
    kymo_free(&heap_too, &blocks[0]);
    kymo_finish();
    drain_all();
    feed(pipeline, false);
    assert_int_equal(pipeline_end(pipeline), 0);
    assert_int_equal(seen.freed, 120u);
    pipeline_free(pipeline);
}

CASE(each_session_has_names_and_rows_of_its_own, set_up) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    for (uint32_t i = 0u; i < SESSIONS; i++) {
        kept.length = 0u;
        run_board(1000u + i);
        assert_int_equal(pipeline_feed(pipeline, kept.bytes, kept.length), 0);
    }
    assert_int_equal(pipeline_end(pipeline), 0);
    assert_int_equal(seen.sessions, SESSIONS);
    assert_int_equal(seen.zones, SESSIONS);
    for (uint32_t i = 0u; i < SESSIONS; i++) {
        assert_int_equal(seen.session[i], i);
        assert_int_equal(seen.track[i]->session, i);
        assert_string_equal(seen.track[i]->name, "timer");
        assert_string_equal(seen.site[i]->name, "work");
        assert_true(i == 0u || seen.site[i] != seen.site[i - 1u]);
    }
    pipeline_free(pipeline);
}
