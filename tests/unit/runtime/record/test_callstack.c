/* SPDX-License-Identifier: MIT */
/* Call stacks with their events: the records of the macros in each tracing mode, by a walk that the test plays. */
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo/unwind.h"
#include "kymo_arch.h"
#include "ring/lane.h"
#include "trace.h"
#include "wire/compose.h"

#define VERSION (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT)
#define SEEN_MAX 4096u

KYMO_POOL(heap, "heap");

static struct trace trace;
static uint32_t lock;

/* ---- the walk ---- */

static uintptr_t first_address;
static uint32_t frames_there; /* on the stack, without kymo's own */
static uint32_t walks;

uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count, uint32_t skip,
                          uintptr_t stack_end) {
    assert_int_equal(skip, 2u);
    assert_int_equal(stack_end, 0u);
    assert_in_range(count, 1u, KYMO_CALLSTACKS);
    assert_false(fake.masked);
    walks++;
    uint32_t found = 0u;
    for (; found < count && found < frames_there; found++) {
        addresses[found] = first_address + found;
    }
    return found;
}

/* ---- arrived events: each with the frames before it ---- */

static struct {
    uint8_t kind;
    uint32_t frames;
} seen[SEEN_MAX];
static uint32_t seen_count, frames_of_next[KYMO_LANES];
static bool has_stack[KYMO_LANES];

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user, (void)context;
    if (event->kind == KYMO_KIND_CALLSTACK) {
        assert_false(has_stack[lane]);
        has_stack[lane] = true;
        const uint32_t frames = frames_of_next[lane] = event->word[0];
        assert_in_range(frames, 1u, KYMO_CALLSTACKS);
        for (uint32_t i = 0u; i < frames; i++) {
            const uint64_t high =
                1u + frames + i < event->words ? event->word[1u + frames + i] : 0u;
            assert_int_equal(event->word[1u + i] | high << 32, first_address + i);
        }
        return;
    }
    if (!KYMO_KIND_IS_COUNTED(event->kind)) {
        assert_false(has_stack[lane]);
        return;
    }
    assert_true(seen_count < SEEN_MAX);
    seen[seen_count].kind = event->kind;
    seen[seen_count++].frames = has_stack[lane] ? frames_of_next[lane] : 0u;
    if (has_stack[lane]) { /* a stack belongs to an event that can have one */
        assert_true(event->kind == KYMO_KIND_ZONE_BEGIN || event->kind == KYMO_KIND_MESSAGE ||
                    event->kind == KYMO_KIND_ALLOC || event->kind == KYMO_KIND_FREE ||
                    event->kind == KYMO_KIND_LOCK_WAIT || event->kind == KYMO_KIND_LOCK_OBTAIN ||
                    event->kind == KYMO_KIND_LOCK_WAIT_SHARED ||
                    event->kind == KYMO_KIND_LOCK_OBTAIN_SHARED);
    }
    has_stack[lane] = false;
}

FIXTURE(power_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    first_address = 0x80000100u;
    frames_there = 100u;
    walks = seen_count = 0u;
    memset(has_stack, 0, sizeof has_stack);
    return 0;
}

static void attach(void) {
    kymo_init(&trace.transport, "stacks");
    trace_drain(&trace);
}

/* The next event that arrived is of this kind, with so many frames. */
static uint32_t next;
static void check(enum kymo_event_kind kind, uint32_t frames) {
    assert_true(next < seen_count);
    assert_int_equal(seen[next].kind, kind);
    assert_int_equal(seen[next].frames, frames);
    next++;
}

#define OF_ALL (KYMO_TRACING_MODE >= 4 ? (uint32_t)KYMO_CALLSTACKS : 0u)
#define OF_ALLOC (KYMO_TRACING_MODE >= 3 ? (uint32_t)KYMO_CALLSTACKS : 0u)

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void by_mode(void) {
    KYMO_ZONE("zone");
    KYMO_BEGIN(hand, "by hand");
    KYMO_ZONE_VALUE(hand, 1u);
    KYMO_END(hand);
    KYMO_MESSAGE("message %d", 1);
    KYMO_PLOT("plot", 1);
    KYMO_FRAME();
    KYMO_ALLOC(heap, &lock, 4u);
    KYMO_FREE(heap, &lock);
    KYMO_LOCK_WAIT(&lock);
    KYMO_LOCK_OBTAIN(&lock);
    KYMO_LOCK_RELEASE(&lock);
    KYMO_LOCK_WAIT_SHARED(&lock);
    KYMO_LOCK_OBTAIN_SHARED(&lock);
    KYMO_LOCK_RELEASE_SHARED(&lock);
}

static void check_by_mode(uint32_t of_all, uint32_t of_alloc) {
    check(KYMO_KIND_ZONE_BEGIN, of_all);
    check(KYMO_KIND_ZONE_BEGIN, of_all);
    check(KYMO_KIND_ZONE_VALUE, 0u);
    check(KYMO_KIND_ZONE_END, 0u);
    check(KYMO_KIND_MESSAGE, of_all);
    check(KYMO_KIND_PLOT_INT, 0u);
    check(KYMO_KIND_FRAME, 0u);
    if (KYMO_TRACING_MODE >= 2) {
        check(KYMO_KIND_ALLOC, of_alloc);
        check(KYMO_KIND_FREE, of_alloc);
    }
    check(KYMO_KIND_LOCK_WAIT, of_all);
    check(KYMO_KIND_LOCK_OBTAIN, of_all);
    check(KYMO_KIND_LOCK_RELEASE, 0u);
    check(KYMO_KIND_LOCK_WAIT_SHARED, of_all);
    check(KYMO_KIND_LOCK_OBTAIN_SHARED, of_all);
    check(KYMO_KIND_LOCK_RELEASE_SHARED, 0u);
    check(KYMO_KIND_ZONE_END, 0u);
}

static void by_depth(uint32_t depth) {
    KYMO_ZONE_STACK("zone", depth);
    KYMO_ZONE_NAMED_STACK(named, "named", depth);
    KYMO_ZONE_VALUE(named, 1u);
    KYMO_FUNCTION_STACK(depth);
    KYMO_BEGIN_STACK(hand, "by hand", depth);
    KYMO_END(hand);
    KYMO_MESSAGE_STACK(depth, "message");
    KYMO_MESSAGE_STACK(depth, "message %d %s", 1, "text");
    KYMO_ALLOC_STACK(heap, &lock, 4u, depth);
    KYMO_FREE_STACK(heap, &lock, depth);
    KYMO_LOCK_WAIT_STACK(&lock, depth);
    KYMO_LOCK_OBTAIN_STACK(&lock, depth);
}

static void check_by_depth(uint32_t frames) {
    check(KYMO_KIND_ZONE_BEGIN, frames);
    check(KYMO_KIND_ZONE_BEGIN, frames);
    check(KYMO_KIND_ZONE_VALUE, 0u);
    check(KYMO_KIND_ZONE_BEGIN, frames);
    check(KYMO_KIND_ZONE_BEGIN, frames);
    check(KYMO_KIND_ZONE_END, 0u);
    check(KYMO_KIND_MESSAGE, frames);
    check(KYMO_KIND_MESSAGE, frames);
    if (KYMO_TRACING_MODE >= 2) {
        check(KYMO_KIND_ALLOC, frames);
        check(KYMO_KIND_FREE, frames);
    }
    check(KYMO_KIND_LOCK_WAIT, frames);
    check(KYMO_KIND_LOCK_OBTAIN, frames);
    for (uint32_t i = 0u; i < 3u; i++) {
        check(KYMO_KIND_ZONE_END, 0u);
    }
}

/* All that was recorded has arrived and was checked. */
static void check_end(void) {
    trace_drain(&trace);
    assert_int_equal(next, seen_count);
    assert_int_equal(trace_finish(&trace), 0u);
    next = 0u;
}

CASE(the_mode_gives_stacks, power_up) {
    attach();
    by_mode();
    trace_drain(&trace);
    check_by_mode(OF_ALL, OF_ALLOC);
    check_end();
    assert_int_equal(walks, (OF_ALL != 0u ? 7u : 0u) + (OF_ALLOC != 0u ? 2u : 0u));
}

CASE(macros_give_stacks, power_up) {
    static const uint32_t depths[] = {1u, 3u, KYMO_CALLSTACKS, KYMO_CALLSTACKS + 1u, UINT32_MAX};
    attach();
    for (uint32_t i = 0u; i < sizeof depths / sizeof depths[0]; i++) {
        by_depth(depths[i]);
        trace_drain(&trace);
        check_by_depth(least(depths[i], KYMO_CALLSTACKS));
    }
    walks = 0u;
    by_depth(0u);
    trace_drain(&trace);
    check_by_depth(0u);
    assert_int_equal(walks, 0u);
    check_end();
}

/* Where nothing is found, or only a part, the event stays. */
CASE(events_stay_without_frames, power_up) {
    attach();
    for (frames_there = 0u; frames_there < 3u; frames_there++) {
        by_depth(5u);
        trace_drain(&trace);
        check_by_depth(frames_there);
        by_mode();
        trace_drain(&trace);
        check_by_mode(least(frames_there, OF_ALL), least(frames_there, OF_ALLOC));
    }
    check_end();
}

CASE(addresses_have_64_bits, power_up) {
    attach();
    first_address = (uintptr_t)UINT64_C(0x7f12fffffffe);
    by_depth(4u);
    trace_drain(&trace);
    check_by_depth(4u);
    check_end();
}

CASE(before_init_they_wait, power_up) {
    by_depth(2u);
    attach();
    check_by_depth(2u);
    check_end();
}

CASE(stopped_nothing_is_recorded, power_up) {
    attach();
    kymo_stop();
    walks = 0u;
    by_depth(2u);
    by_mode();
    kymo_start();
    assert_int_equal(walks, 0u);
    trace_drain(&trace);
    assert_int_equal(seen_count, 0u);
    check_end();
}

CASE(no_site_is_no_zone, power_up) {
    attach();
    assert_null(kymo_zone_begin_stack(NULL, 4u));
    assert_null(kymo_zone_begin(NULL));
    trace_drain(&trace);
    assert_true((trace.usage >> KYMO_USAGE_NO_SITE & 1u) != 0u ||
                KYMO_LOAD(kymo_usage_seen[KYMO_USAGE_NO_SITE]));
}

/* Each event that a full ring refuses is counted once, a zone's begin with its end, and no event is cut. */
CASE(a_full_ring_refuses_both, power_up) {
    uint64_t emitted = 0u;
    attach();
    for (uint32_t i = 0u; i < 400u; i++) {
        by_depth(i % (KYMO_CALLSTACKS + 1u));
        emitted += KYMO_TRACING_MODE >= 2 ? 15u : 13u;
        if (i % 7u == 0u) {
            kymo_drain(0u);
        }
        seen_count = 0u;
    }
    const uint64_t lost = trace_finish(&trace);
    assert_true(lost > 100u);
    /* A value of a refused zone is not an event. */
    assert_in_range(trace_events(&trace) + lost, emitted - 400u, emitted);
}

/* ---- the host lowers the depth ---- */

static const struct kymo_site *depth_limit(void) {
    const struct kymo_site *site = __start_kymo_sites;
    while (site != __stop_kymo_sites &&
           (site->kind != KYMO_SITE_PARAM || strcmp(site->name, "kymo.callstacks") != 0)) {
        site++;
    }
    assert_true(site != __stop_kymo_sites);
    return site;
}

static void set_limit(int32_t value) {
    const uint32_t number = (uint32_t)(depth_limit() - __start_kymo_sites);
    uint8_t packet[10] = {VERSION | KYMO_PACKET_SET_PARAM, 0u};
    uint8_t stuffed[32];
    for (uint32_t i = 0u; i < 4u; i++) {
        packet[2u + i] = (uint8_t)(number >> (8u * i));
        packet[6u + i] = (uint8_t)((uint32_t)value >> (8u * i));
    }
    const size_t length = packet_encode(stuffed, sizeof stuffed, packet, sizeof packet);
    trace_command(&trace, stuffed, length);
    trace_drain(&trace);
}

CASE(the_host_lowers_the_depth, power_up) {
    static const int32_t values[][2] = {{3, 3}, {0, 0}, {-1, 0}, {100, KYMO_CALLSTACKS}};
    assert_int_equal(depth_limit()->param->value, KYMO_CALLSTACKS);
    attach();
    for (uint32_t i = 0u; i < sizeof values / sizeof values[0]; i++) {
        const uint32_t limit = (uint32_t)values[i][1];
        set_limit(values[i][0]);
        walks = 0u;
        by_depth(5u);
        trace_drain(&trace);
        check_by_depth(least(limit, 5u));
        by_mode();
        trace_drain(&trace);
        check_by_mode(least(limit, OF_ALL), least(limit, OF_ALLOC));
        assert_true(limit != 0u || walks == 0u);
    }
    check_end();
}
