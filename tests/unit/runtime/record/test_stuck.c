/* SPDX-License-Identifier: MIT */
/* A long record whose writer never returns, for example because of a fault while its words are
 * read: the end gets past it, counts it, and brings the records after it. Also two other
 * things that hold for ever: a stop, and the times of a lane that is silent. */
#include <signal.h>
#include <sys/mman.h>

#include "cases.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);

static struct trace trace;
static sigjmp_buf before_the_fault;
static uint64_t begun_at, ended_at;

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    (void)context;
    begun_at = event->kind == KYMO_KIND_ZONE_BEGIN ? event->ticks : begun_at;
    ended_at = event->kind == KYMO_KIND_ZONE_END ? event->ticks : ended_at;
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    kymo_init(&trace.transport, "stuck");
    return 0;
}

static void on_fault(int number) {
    (void)number;
    siglongjmp(before_the_fault, 1);
}

static void abandon_a_record(enum kymo_event_kind kind) {
    const struct sigaction action = {.sa_handler = on_fault};
    struct sigaction before;
    void *nowhere = mmap(NULL, 4096u, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(nowhere, MAP_FAILED);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    if (sigsetjmp(before_the_fault, 1) == 0) {
        (void)kymo_ring_long(kind, 0x1000u, nowhere, 4u);
        fail_msg("the words can be read");
    }
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    (void)munmap(nowhere, 4096u);
}

/* It could not be made a loss. */
CASE(no_long_record_has_one_cell, set_up) {
    struct kymo_lane *lane = &kymo_lanes[0];
    uint32_t header = 0u;
    const kymo_zone ended = kymo_zone_begin(&zone);
    kymo_zone_end(ended);
    kymo_zone_end(ended);
    while (kymo_ring_used_bytes(lane) != 0u) {
        const uint32_t words = kymo_ring_peek(lane, &header);
        assert_true((header & KYMO_TAG_MASK) != KYMO_TAG_LONG || words > KYMO_CELL_WORDS);
        kymo_ring_consume(lane, words);
    }
    assert_int_equal(header, KYMO_TAG_END32);
}

CASE(the_end_gets_past_it, set_up) {
    uint64_t emitted = 1u;
    kymo_plot_int(&plot, 1);
    emitted++;
    abandon_a_record(KYMO_KIND_ALLOC);
    for (uint32_t i = 0u; i < 5000u; i++) {
        kymo_zone_end(kymo_zone_begin(&zone));
        emitted += 2u;
        if (i % 16u == 0u) {
            (void)kymo_drain(0u);
        }
    }
    const uint64_t lost = trace_finish(&trace);
    assert_int_equal(trace_events(&trace) + lost, emitted);
    assert_true(trace_events(&trace) > 2u * 40u); /* the records after it */
}

/* One that does not count leaves nothing to count; and both lanes may be held up at once. */
CASE(on_every_lane_and_of_every_kind, set_up) {
    for (fake.lane = 0u; fake.lane < KYMO_LANES; fake.lane++) {
        abandon_a_record(KYMO_KIND_CONTEXT_NAME);
        kymo_plot_int(&plot, 1);
        abandon_a_record(KYMO_KIND_PLOT_INT);
        kymo_plot_int(&plot, 1);
    }
    fake.lane = 0u;
    assert_int_equal(trace_finish(&trace), KYMO_LANES);
    assert_int_equal(trace_events(&trace), 2u * KYMO_LANES);
}

/* Before the end it may still be written: nothing is passed over then. */
CASE(until_then_it_is_waited_for, set_up) {
    abandon_a_record(KYMO_KIND_ALLOC);
    kymo_plot_int(&plot, 1);
    for (uint32_t i = 0u; i < 100u; i++) {
        fake.clock += fake.clock_hz;
        trace_drain(&trace);
    }
    assert_int_equal(trace_events(&trace), 0u);
    assert_int_equal(trace_finish(&trace), 1u);
    assert_int_equal(trace_events(&trace), 1u);
}

/* A closed lane frees nothing any more: the context that began the record may still write to it. */
CASE(then_the_lane_is_closed, set_up) {
    abandon_a_record(KYMO_KIND_ALLOC);
    assert_int_equal(trace_finish(&trace), 1u);
    uint64_t accepted = 0u;
    uint64_t refused = 0u;
    for (uint32_t i = 0u; i < 1000u; i++) {
        const uint32_t lost = kymo_lanes[0].lost;
        kymo_plot_int(&plot, 1);
        refused += kymo_lanes[0].lost - lost;
        accepted += kymo_lanes[0].lost == lost ? 1u : 0u;
        trace_drain(&trace);
    }
    assert_in_range(accepted, 1u, KYMO_RING_BYTES / 16u);
    assert_int_equal(accepted + refused, 1000u);
    assert_int_equal(trace_finish(&trace), 1u + refused);
}

/* ---- a task or a thread that is over ---- */

#if KYMO_TASKS || KYMO_ARCH_ATOMIC
static void expect_all(uint32_t events, uint64_t lost) {
    for (uint32_t i = 0u; i < events; i++) {
        kymo_plot_int(&plot, 1);
        trace_drain(&trace);
    }
    assert_int_equal(kymo_lanes[0].lost, 0u);
    assert_int_equal(trace_finish(&trace), lost);
}

#endif

#if KYMO_TASKS
/* Without an end, and the lane stays open. */
CASE(that_of_a_task_that_is_over_is_passed, set_up) {
    (void)kymo_context_switch(0x1000u);
    abandon_a_record(KYMO_KIND_PLOT_INT);
    (void)kymo_context_switch(0x2000u);
    kymo_context_end(0x1000u);
    trace_drain(&trace);
    assert_int_equal(trace_events(&trace), 3u);
    expect_all(1000u, 1u);
}

CASE(that_of_the_next_task_is_waited_for, set_up) {
    (void)kymo_context_switch(0x1000u);
    (void)kymo_context_switch(0x2000u);
    kymo_context_end(0x1000u);
    (void)kymo_context_switch(0x1000u);
    abandon_a_record(KYMO_KIND_PLOT_INT);
    kymo_plot_int(&plot, 1);
    for (uint32_t i = 0u; i < 100u; i++) {
        fake.clock += fake.clock_hz;
        trace_drain(&trace);
    }
    assert_int_equal(trace_events(&trace), 4u);
    assert_int_equal(trace_finish(&trace), 1u);
}

#endif

#if KYMO_ARCH_ATOMIC
CASE(that_of_a_thread_that_is_over_is_passed, set_up) {
    kymo_plot_int(&plot, 1);
    abandon_a_record(KYMO_KIND_PLOT_INT);
    /* A place that was taken, and nothing is written there. */
    (void)__atomic_fetch_sub(&kymo_lanes[0].room, (kymo_room_t)1 << sizeof(kymo_room_t) * 4u,
                             __ATOMIC_RELAXED);
    kymo_lanes[0].head += KYMO_CELL_WORDS;
    kymo_lane_left();
    kymo_plot_int(&plot, 1);
    trace_drain(&trace);
    assert_int_equal(trace_events(&trace), 2u);
    trace_drain(&trace);
    expect_all(1000u, 2u);
}
#endif

/* ---- time ---- */

CASE(a_stop_holds_for_ever, set_up) {
    kymo_zone_end(kymo_zone_begin(&zone));
    kymo_stop();
    for (uint32_t i = 0u; i < 64u; i++) {
        fake.clock += 0x11111111u;
        (void)kymo_arch_clock64(); /* the port's own affair; nobody keeps the lanes alive */
        assert_null(kymo_zone_begin(&zone));
        kymo_plot_int(&plot, 1);
    }
    fake.clock += 0x90000000u;
    assert_null(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 2u);
}

/* Also on a lane of which the core that drains is not the one. */
CASE(draining_keeps_lanes_alive, set_up) {
    for (fake.lane = 0u; fake.lane < KYMO_LANES; fake.lane++) {
        const kymo_zone open = kymo_zone_begin(&zone);
        const uint64_t from = fake.clock;
        const uintptr_t lane = fake.lane;
        fake.lane = 0u;
        for (uint32_t i = 0u; i < 20u; i++) { /* 10 half wraps */
            fake.clock += 0x40000000u;
            trace_drain(&trace);
        }
        fake.lane = lane;
        const uint64_t to = fake.clock;
        kymo_zone_end(open);
        kymo_plot_int(&plot, 1);
        trace_drain(&trace);
        assert_in_range(begun_at, 1u, from);
        assert_in_range(ended_at, to, to + 10u);
        begun_at = ended_at = 0u;
    }
    fake.lane = 0u;
    assert_int_equal(trace_finish(&trace), 0u);
}
