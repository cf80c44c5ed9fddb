/* SPDX-License-Identifier: MIT */
/* One call that is preempted twice, at each pair of its instructions, by a handler that frees room
 * and takes it. And one that is preempted for more than half a wrap of the clock.
 *
 * Two preemptions, and a consumer that works in both, are what it takes to have the same room handed
 * out twice where that is collected in more than one step. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "ring/ring.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

/* The room of a lane is collected in fewer instructions than this. */
#define APART 16u

/* Of the call from the first preemption on; 0: none. */
static uint32_t second_step;

static void consume(uint32_t cells) {
    struct kymo_lane *lane = &kymo_lanes[0];
    for (uint32_t i = 0u; i < cells; i++) {
        uint32_t header = 0u;
        const uint32_t words = kymo_ring_peek(lane, &header);
        kymo_ring_consume(lane, words);
    }
}

static void check(void) {
    if (kymo_ring_used_bytes(&kymo_lanes[0]) > KYMO_RING_BYTES) {
        fake_broken("the ring holds more than its size");
    }
}

/* The second time more than there is. */
static void free_and_take(void) {
    consume(2u);
    for (uint32_t i = 0u; i < (preempts[0].step != 0u ? 2u : 4u); i++) {
        kymo_frame(&frame);
        check();
    }
}

static void take_much(void) {
    for (uint32_t i = 0u; i < 8u; i++) {
        kymo_frame(&frame);
        check();
    }
}

/* An atomic ring may be full to the last word. */
static void fill(void) {
    while (kymo_lanes[0].lost == 0u &&
           kymo_ring_used_bytes(&kymo_lanes[0]) < KYMO_RING_BYTES - (KYMO_ARCH_ATOMIC ? 0u : 8u)) {
        kymo_frame(&frame);
    }
}

static void preempt_once_more(void) {
    preempts[0].step = second_step;
    second_step = 0u;
    fake_interrupt();
}

static void prepare(void (*interrupt)(void)) {
    fake_reset();
    trace_power_up();
    memset(preempts, 0, sizeof preempts);
    fill();
    consume(1u);
    fake.interrupt = interrupt;
    preempt_level = 0u;
    preempt_hits = preempt_once_more;
}

/* At the chosen place, and so many instructions later. False: the call has fewer instructions. */
static bool preempt_twice(uint32_t step) {
    prepare(free_and_take);
    second_step = step;
    preempt_around(true);
    kymo_frame(&frame);
    preempt_around(false);
    const bool both = preempts[0].preempted && preempts[0].step == 0u;
    preempts[0].step = 0u;
    fake.interrupt = NULL;
    check();
    take_much();
    return both;
}

CASE(no_room_is_handed_out_twice) {
    uint64_t pairs = 0u;
    preempt_find(true);
    (void)preempt_twice(0u);
    preempt_find(false);
    for (uint32_t first = 0u; first < preempt_place_count(); first++) {
        (void)preempt_choose(first);
        for (uint32_t step = 1u; step <= APART && preempt_twice(step); step++) {
            pairs++;
        }
    }
    print_message("%llu pairs\n", (unsigned long long)pairs);
    assert_true(pairs > 500u);
}

/* ---- one preemption, in a ring of which each amount is free ---- */

/* The events of a ring that is emptied, and the refused ones. */
static struct tally { uint64_t emitted, read, lost; } tally;

static void read_down_to(uint32_t bytes) {
    struct kymo_lane *lane = &kymo_lanes[0];
    uint32_t header = 0u, words;
    while (kymo_ring_used_bytes(lane) > bytes && (words = kymo_ring_peek(lane, &header)) != 0u) {
        const uint32_t tag = header & KYMO_TAG_MASK;
        if (tag == KYMO_TAG_LONG && KYMO_LONG_KIND(header) == KYMO_KIND_LOSS) {
            tally.lost += kymo_ring_word(lane, 2u);
        } else if (tag != KYMO_TAG_CLOCK64 && tag != KYMO_TAG_RESTATED) {
            tally.read++;
        }
        kymo_ring_consume(lane, words);
    }
}

static void emit_packet(void) {
    kymo_frame(&frame);
    tally.emitted++;
    check();
}

static void start_over(void) {
    fake_reset();
    trace_power_up();
    memset(preempts, 0, sizeof preempts);
    tally = (struct tally){0};
    second_step = 0u;
    preempt_level = 0u;
    preempt_hits = fake_interrupt;
}

static void finish(void) {
    fake.interrupt = NULL;
    preempts[0].step = 0u;
    check();
    read_down_to(0u);
    assert_int_equal(tally.emitted, tally.read + tally.lost + kymo_lanes[0].lost);
}

static void emit_many(void) {
    for (uint32_t i = 0u; i < KYMO_RING_BYTES / 8u; i++) {
        emit_packet();
    }
}

/* At each instruction of what it does with the two amounts; returns how many. */
static uint32_t preempt_everywhere(void (*preempt)(uint32_t, uint32_t), uint32_t a, uint32_t b) {
    preempt_find(true);
    preempt(a, b);
    preempt_find(false);
    for (uint32_t i = 0u; i < preempt_place_count(); i++) {
        (void)preempt_choose(i);
        preempt(a, b);
        assert_true(preempts[0].preempted);
    }
    return preempt_place_count();
}

/* "unread" of "written" cells are not read yet: a long record goes on at the start of the ring, if there is room. */
static void preempt_long(uint32_t written, uint32_t unread) {
    static const uint32_t words[8];
    start_over();
    while (kymo_ring_used_bytes(&kymo_lanes[0]) < written * 8u) {
        emit_packet();
    }
    read_down_to(unread * 8u);
    fake.interrupt = emit_many;
    preempt_around(true);
    (void)kymo_ring_long(KYMO_KIND_ALLOC, 0x1000u, words, 8u);
    preempt_around(false);
    tally.emitted++;
    finish();
}

CASE(room_at_the_rings_end_is_not_taken_at_its_start) {
    const uint32_t cells = KYMO_RING_BYTES / 8u - 1u;
    for (uint32_t written = cells - 6u; written < cells; written += 2u) {
        for (uint32_t unread = 1u; unread < written; unread += 9u) {
            assert_true(preempt_everywhere(preempt_long, written, unread) > 20u);
        }
    }
}

static kymo_zone open_zone;

static void end_twice(void) {
    kymo_zone_end(open_zone);
    check();
    kymo_zone_end(open_zone);
    check();
    tally.emitted += 2u;
}

/* A ring with an open zone, in which "free" cells are free. */
static void leave_free(uint32_t free) {
    start_over();
    open_zone = kymo_zone_begin(&zone);
    tally.emitted++;
    const uint32_t cells = KYMO_RING_BYTES / 8u - 1u - (KYMO_ARCH_ATOMIC ? 0u : 1u) - free;
    while (kymo_ring_used_bytes(&kymo_lanes[0]) / 8u < cells) {
        emit_packet();
    }
}

static void preempt_begin_or_enter(uint32_t free, uint32_t enter) {
    leave_free(free);
    fake.interrupt = end_twice;
    if (enter == 0u) {
        preempt_around(true);
        kymo_zone begun = kymo_zone_begin(&zone);
        preempt_around(false);
        tally.emitted += begun != NULL ? 1u : 2u;
    } else {
        preempt_around(true);
        const kymo_context before = kymo_interrupt_enter((kymo_context)&frame);
        preempt_around(false);
        fake.interrupt = NULL;
        kymo_interrupt_leave(before);
        tally.emitted += 2u;
    }
    finish();
}

CASE(a_refused_promise_is_nobodys) {
    for (uint32_t free = 0u; free < 6u; free++) {
        assert_true(preempt_everywhere(preempt_begin_or_enter, free, 0u) > 10u);
        assert_true(preempt_everywhere(preempt_begin_or_enter, free, 1u) > 10u);
    }
}

/* ---- a long preemption ---- */

#if KYMO_ARCH_CLOCK_BITS == 32 && KYMO_ARCH_ATOMIC

#define PACKETS 3u /* of the handler */

static struct trace trace;
static uint64_t from, last;

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    (void)context;
    if (KYMO_KIND_IS_COUNTED(event->kind)) {
        assert_in_range(event->ticks, from, last);
    }
}

/* Others record meanwhile, and the clock is kept alive. */
static void for_long(void) {
    for (uint32_t i = 0u; i < PACKETS; i++) {
        fake.clock += 0x30000000u;
        kymo_clock_keepalive();
        kymo_frame(&frame);
    }
}

static void record(uint32_t what) {
    static const uint32_t words[3] = {1u, 2u, 3u};
    if (what == 0u) {
        kymo_frame(&frame);
    } else if (what == 1u) {
        kymo_zone_end(kymo_zone_begin(&zone));
    } else {
        (void)kymo_ring_long(KYMO_KIND_ALLOC, 0x1000u, words, 3u);
    }
}

static void preempt_for_long(uint32_t what, uint32_t unused) {
    (void)unused;
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    memset(preempts, 0, sizeof preempts);
    second_step = 0u;
    kymo_init(&trace.transport, "long");
    fake.clock = 0x7ffffff0u;
    kymo_clock_keepalive();
    from = fake.clock;
    kymo_frame(&frame);
    fake.interrupt = for_long;
    preempt_hits = fake_interrupt;
    preempt_level = 0u;
    preempt_around(true);
    record(what);
    preempt_around(false);
    fake.interrupt = NULL;
    kymo_frame(&frame);
    last = fake.clock;
    const uint64_t lost = trace_finish(&trace);
    assert_int_equal(trace_events(&trace) + lost,
                     2u + (what == 1u ? 2u : 1u) + (preempts[0].preempted ? PACKETS : 0u));
}

CASE(a_long_preemption_keeps_the_time) {
    for (uint32_t what = 0u; what < 3u; what++) {
        assert_true(preempt_everywhere(preempt_for_long, what, 0u) > 20u);
    }
}

#endif

CASES_BETWEEN(preempt_set_up, NULL);
