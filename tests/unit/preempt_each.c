/* SPDX-License-Identifier: MIT */
#include "preempt_each.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kymo_arch.h"
#include "preempt.h"
#include "ring/newest.h"
#include "ring/ring.h"
#include "trace.h"

#define RING_CELLS (KYMO_RING_BYTES / KYMO_CELL_BYTES)

KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static const struct preempted_call *running;
static uint32_t frames_inside;

static void interrupt(void) {
    running->interrupt();
    for (uint32_t i = 0u; i < frames_inside; i++) {
        kymo_frame(&frame);
    }
}

void preempt_count_read(struct kymo_lane *lane, uint32_t header) {
    const uint32_t tag = header & KYMO_TAG_MASK;
    if (tag == KYMO_TAG_LONG) {
        const enum kymo_event_kind kind = (enum kymo_event_kind)KYMO_LONG_KIND(header);
        lane->events += kymo_events_of(kind);
        lane->events += kind == KYMO_KIND_LOSS ? kymo_ring_word(lane, 2u) : 0u;
    } else if (tag == KYMO_TAG_BEGIN || tag == KYMO_TAG_END32 || tag == KYMO_TAG_END64 ||
               tag == KYMO_TAG_FRAME) {
        lane->events++;
    }
}

static void prepare(uint32_t before) {
    fake_reset();
    trace_power_up();
    memset(preempts, 0, sizeof preempts);
    kymo_init(NULL, "preempted");
    running->begin();
    for (uint32_t i = 0u; i < before; i++) {
        kymo_frame(&frame);
    }
    fake.interrupt = interrupt;
    preempt_level = 0u;
}

/* Not inline: its places are to be the same each time. */
static __attribute__((noinline)) void call_preempted(void) {
    preempt_around(true);
    running->call();
    preempt_around(false);
    fake.interrupt = NULL;
}

/* The places are those of a call that is not preempted. */
uint32_t preempt_each(const struct preempted_call *test, uint32_t before, uint32_t inside,
                      bool has_room) {
    uint32_t count = 0u;
    running = test;
    frames_inside = inside;
    prepare(before);
    preempt_find(true);
    call_preempted();
    preempt_find(false);
    test->check(has_room);
    assert_in_range(preempt_place_count(), 20u, PREEMPT_PLACES - 1u);
    for (uint32_t i = 0u; i < preempt_place_count(); i++) {
        if (preempt_choose(i) > 2u) {
            continue;
        }
        prepare(before);
        call_preempted();
        assert_true(preempts[0].preempted);
        test->check(has_room);
        count++;
    }
    return count;
}

void preempt_each_with_room(const struct preempted_call *test) {
    assert_true(preempt_each(test, 0u, 0u, true) > 20u);
    (void)preempt_each(test, 0u, 3u, true);
    (void)preempt_each(test, 3u, 1u, true);
}

#if KYMO_KEEP_NEWEST

void preempt_each_at_the_end(const struct preempted_call *test) {
    const uint32_t cells = RING_CELLS / KYMO_RING_BLOCKS;
    for (uint32_t before = cells - 14u; before < cells; before++) {
        (void)preempt_each(test, before, before % 3u, true);
    }
}

#else

void preempt_each_at_the_end(const struct preempted_call *test) {
    for (uint32_t before = RING_CELLS - 12u; before < RING_CELLS; before++) {
        (void)preempt_each(test, before, 8u, false);
    }
}

#endif
