/* SPDX-License-Identifier: MIT */
/* Memory and frames whose ends are missing: the firmware's calls go through the runtime and
 * hostlink, in two passes as in a capture, and legal_events.h checks the events that outputs get. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "legal_events.h"
#include "trace.h"
#include "trace/pipeline.h"

KYMO_POOL(heap, "heap");
KYMO_POOL(same_heap, "heap");
KYMO_POOL(other, "other");

static char log_text[2048];
static struct legal legal;

static void say_memory(char *out, size_t size, const struct event *event) {
    (void)snprintf(out, size, "%s %s %lx %lu%s\n", event->kind == EVENT_ALLOC ? "alloc" : "free",
                   event->site->name, (unsigned long)event->u.memory.address,
                   (unsigned long)event->u.memory.bytes,
                   event->u.memory.repaired ? " repaired" : "");
}

static int on_event(void *context, const struct event *event) {
    static const char *const reasons[] = {"", ", again", ", open"};
    const size_t used = strlen(log_text);
    (void)context;
    assert_null(legal_event(&legal, event));
    if (event->kind == EVENT_ALLOC || event->kind == EVENT_FREE) {
        say_memory(log_text + used, sizeof log_text - used, event);
    } else if (event_is_frame(event->kind) || event->kind == EVENT_REPAIR) {
        (void)snprintf(log_text + used, sizeof log_text - used, "%s %s%s\n",
                       event_word(event->kind), event->site->name,
                       event->kind != EVENT_FRAME_END ? "" : reasons[event->u.frame.repaired]);
    }
    return 0;
}

static struct pipeline *pass(const struct pipeline_callbacks *callbacks,
                             const struct pipeline *names) {
    struct pipeline *p = pipeline_new(callbacks, names);
    assert_non_null(p);
    assert_int_equal(pipeline_feed(p, kept.bytes, kept.length), 0);
    assert_int_equal(pipeline_end(p), 0);
    return p;
}

/* Both passes over the firmware's stream. */
static void must_become(const char *text, uint64_t repairs) {
    static const struct pipeline_callbacks nobody;
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline_totals totals;
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    struct pipeline *names = pass(&nobody, NULL), *events = pass(&callbacks, names);
    assert_null(legal_end(&legal));
    assert_string_equal(log_text, text);
    pipeline_totals(events, &totals);
    assert_int_equal(totals.repairs, repairs);
    pipeline_free(events);
    pipeline_free(names);
    legal_free(&legal);
}

FIXTURE(set_up) {
    kept.length = 0;
    log_text[0] = '\0';
    fake_reset();
    trace_power_up();
    kymo_init(&kept_transport, "sets");
    return 0;
}

#define BLOCK(number) ((const void *)(uintptr_t)(number))

/* Also by another site of the pool; in another pool it is another block. */
CASE(a_block_that_is_allocated_again_is_freed_first, set_up) {
    KYMO_ALLOC(heap, BLOCK(0x10), 100);
    KYMO_ALLOC(other, BLOCK(0x10), 1);
    KYMO_ALLOC(same_heap, BLOCK(0x10), 60);
    KYMO_FREE(heap, BLOCK(0x10));
    KYMO_FREE(other, BLOCK(0x10));
    must_become("alloc heap 10 100\n"
                "alloc other 10 1\n"
                "free heap 10 100 repaired\n"
                "alloc heap 10 60\n"
                "free heap 10 60\n"
                "free other 10 1\n",
                1);
}

CASE(blocks_without_a_byte_and_unknown_ones, set_up) {
    KYMO_ALLOC(heap, BLOCK(0), 0);
    KYMO_ALLOC(heap, BLOCK(0), 0);
    KYMO_FREE(heap, BLOCK(0));
    KYMO_FREE(heap, BLOCK(0));
    must_become("alloc heap 0 0\nfree heap 0 0 repaired\nalloc heap 0 0\nfree heap 0 0\n"
                "free heap 0 0\n",
                1);
}

/* "turn" is two sites for each frame; a missing end of one set does not touch another set. */
CASE(a_start_ends_the_frame_before, set_up) {
    KYMO_FRAME_END("turn");
    KYMO_FRAME_START("turn");
    KYMO_FRAME_START("other");
    KYMO_FRAME_START("turn");
    KYMO_FRAME_END("turn");
    KYMO_FRAME_END("turn");
    KYMO_FRAME_START("turn");
    must_become("repair turn\nframe start turn\nframe start other\nframe end turn, again\n"
                "frame start turn\nframe end turn\nrepair turn\nframe start turn\n"
                "frame end turn, open\nframe end other, open\n",
                5);
}

/* On another row. */
CASE(a_frame_ends_where_it_is_seen_to, set_up) {
    static uint64_t task;
    KYMO_FRAME_START("turn");
    const kymo_context before = KYMO_CONTEXT_SWITCH(&task);
    KYMO_FRAME_END("turn");
    (void)KYMO_CONTEXT_SWITCH(before);
    must_become("frame start turn\nframe end turn\n", 0);
}
