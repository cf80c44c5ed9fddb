/* SPDX-License-Identifier: MIT */
/* Calls in random and wrong orders: whatever the caller does, nothing outside the rings is
 * written, every event is delivered or counted, and the recorder goes on. In the tree of the
 * sanitizers ASan watches the bounds of all rings together. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/newest.h"
#include "trace.h"

#define HANDLES 64u

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(message, KYMO_SITE_MESSAGE, "%s", 0u, KYMO_ARG_STRING, NULL);

static struct trace trace;
static uint64_t random_state;
static uint64_t emitted;

static struct {
    kymo_zone zone[HANDLES]; /* ended ones stay */
    kymo_context before[HANDLES];
} held;

static uint32_t below(uint32_t limit) { return player_random(&random_state) % limit; }

static void set_up_board(void) {
    fake_reset();
    trace_power_up();
#if KYMO_KEEP_NEWEST
    memset(&kymo_run, 0, sizeof kymo_run);
    memset(kymo_sent, 0, sizeof kymo_sent);
#endif
    trace_init(&trace);
    memset(&held, 0, sizeof held);
    emitted = 0u;
    kymo_init(&trace.transport, "misuse");
}

FIXTURE(set_up) {
    random_state = 0x9e3779b97f4a7c15u;
    set_up_board();
    return 0;
}

/* Events refused while recording is stopped are not emitted. */
static void count(uint32_t events) { emitted += kymo_stopped ? 0u : events; }

/* One without a site is no event. */
static void begin(const struct kymo_site *site) {
    kymo_zone begun = kymo_zone_begin(site);
    held.zone[below(HANDLES)] = begun;
    count(site == NULL ? 0u : begun == NULL ? 2u : 1u);
}

/* Cells that are promised in the lane. */
static uint32_t promised(const struct kymo_lane *lane) {
#if KYMO_KEEP_NEWEST
    (void)lane;
    return 0u;
#elif KYMO_ARCH_ATOMIC
    return (uint32_t)(int32_t)lane->room;
#else
    return (uint32_t)(lane->reserved - (uintptr_t)lane->write) / KYMO_CELL_BYTES;
#endif
}

/* KYMO_CHECK says so with a message, and leaves out events of a zone that is not open. */
static uint32_t left_out;

#if KYMO_CHECK
void kymo_check_failed(enum kymo_usage what, const struct kymo_site *site) {
    (void)site;
    count(1u);
    left_out += what == KYMO_USAGE_UNPROMISED ? 1u : 0u;
}
#endif

static const struct kymo_lane *lane_of_zone(kymo_zone zone_) {
    return zone_ != NULL ? kymo_lane_of_zone(zone_) : NULL;
}

/* Also one that has ended, and on another lane than it began on. The end of an accepted zone is recorded
 * also while stopped, except in a ring that keeps the newest; one without a promise is an event like others. */
static void end(kymo_zone ended) {
    const struct kymo_lane *owner = lane_of_zone(ended);
    const bool is_here = owner == &kymo_lanes[fake.lane];
    const bool has_room = !KYMO_KEEP_NEWEST && ended != NULL &&
                          (promised(owner) != 0u || (!KYMO_ARCH_ATOMIC && !is_here));
    left_out = 0u;
    kymo_zone_end(ended);
    emitted += ended != NULL && left_out == 0u && (has_room || !kymo_stopped) ? 1u : 0u;
}

static kymo_context enter(kymo_context context) {
    const kymo_context before = kymo_interrupt_enter(context);
    if ((before & KYMO_RETURN_PROMISED) != 0u) {
        emitted++;
    } else {
        count(1u);
    }
    return before;
}

/* Without a promise it is a switch like others. */
static void leave(kymo_context before) {
    const bool has_room =
        (before & KYMO_RETURN_PROMISED) != 0u && promised(&kymo_lanes[fake.lane]) >= 2u;
    kymo_interrupt_leave(before);
    emitted += has_room || !kymo_stopped ? 1u : 0u;
}

/* Nothing of a lane points into another one's ring. */
static void check_lane(const struct kymo_lane *lane) {
#if KYMO_KEEP_NEWEST
    (void)lane;
#else
    assert_in_range(kymo_ring_used_bytes(lane), 0u, KYMO_RING_BYTES);
#endif
#if !KYMO_KEEP_NEWEST && !KYMO_ARCH_ATOMIC
    const uintptr_t base = (uintptr_t)kymo_ring_of(lane);
    if (lane->write != NULL) {
        assert_in_range((uintptr_t)lane->write, base, lane->reserved);
        assert_in_range(lane->reserved, (uintptr_t)lane->write, lane->room_end);
        assert_in_range(lane->room_end, base, base + KYMO_RING_BYTES);
    }
#endif
}

static void long_text(void) {
    char text[4u * KYMO_PAYLOAD_WORDS + 8u];
    const size_t length = below(sizeof text);
    memset(text, 'x', sizeof text);
    text[length < sizeof text ? length : 0u] = '\0';
    const uint64_t args[1] = {(uint64_t)(uintptr_t)text};
    kymo_message(&message, args);
    count(1u);
}

static void zone_text(kymo_zone named) {
    left_out = 0u;
    kymo_zone_text(named, "text", 4u);
    count(named != NULL && left_out == 0u ? 1u : 0u);
}

static void one_call(void) {
    static const kymo_context contexts[] = {0u, 0x1000u, 0x2004u, 0x3001u, UINTPTR_MAX, 0x4007u};
    const kymo_context context = contexts[below(sizeof contexts / sizeof contexts[0])];
    kymo_context *before = &held.before[below(HANDLES)];
    switch (below(24u)) {
    case 0u:
    case 1u:
    case 2u:
    case 3u:
    case 4u:
        begin(&zone);
        break;
    case 5u:
        begin(below(8u) == 0u ? NULL : &zone);
        break;
    case 6u:
    case 7u:
    case 8u:
    case 9u:
    case 10u:
        end(held.zone[below(HANDLES)]);
        break;
    case 11u:
        kymo_plot_int(&plot, (int64_t)below(1000u));
        count(1u);
        break;
    case 12u:
    case 13u:
        long_text();
        break;
    case 14u:
        (void)kymo_context_switch(context);
        count(1u);
        break;
    case 15u:
        *before = enter(below(2u) == 0u ? (kymo_context)&timer : context);
        break;
    case 16u:
        leave(*before);
        break;
    case 17u:
        leave(context);
        break;
    case 18u:
        zone_text(held.zone[below(HANDLES)]);
        break;
    case 19u:
        if (below(64u) == 0u) {
            kymo_stop();
        } else {
            kymo_start();
        }
        break;
    case 20u:
        fake.lane = below(KYMO_LANES);
        break;
    case 21u:
        fake.clock += below(4u) == 0u ? below(UINT32_MAX) : 100u;
        (void)kymo_drain(below(400u));
        break;
    default:
        trace.takes = below(300u) + 1u;
        (void)kymo_drain(0u);
        break;
    }
}

CASE(wrong_calls_stay_in_the_ring, set_up) {
    for (uint32_t turn = 0u; turn < 400u; turn++) {
        set_up_board();
        for (uint32_t i = 0u; i < 2000u; i++) {
            one_call();
            for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
                check_lane(&kymo_lanes[lane]);
            }
        }
        trace.takes = SIZE_MAX;
        const uint64_t lost = trace_finish(&trace);
        assert_int_equal(trace_events(&trace) + lost, emitted);
    }
}

/* Messages of KYMO_CHECK. */
#define MESSAGES(count) (KYMO_CHECK != 0 ? (count) : 0u)

#if !KYMO_KEEP_NEWEST

#if KYMO_CHECK == 0
CASE(an_end_without_a_promise_in_a_full_ring_is_counted, set_up) {
    kymo_zone open[KYMO_RING_BYTES / 16u];
    uint32_t zones = 0u;
    while ((open[zones] = kymo_zone_begin(&zone)) != NULL) {
        zones++;
    }
    kymo_zone_end(open[0]);
    for (uint32_t i = 0u; i < zones; i++) {
        kymo_zone_end(open[0]);
    }
    /* The zone that did not begin, and one end too many. */
    assert_int_equal(trace_finish(&trace), 3u);
    assert_int_equal(trace_events(&trace), 2u * zones);
    assert_int_equal(trace.usage, 1u << KYMO_USAGE_UNPROMISED);
}
#endif

CASE(a_return_without_an_entry_is_a_switch, set_up) {
    kymo_interrupt_leave(0u);
    kymo_interrupt_leave(0x1000u | KYMO_RETURN_PROMISED);
    kymo_interrupt_leave(UINTPTR_MAX);
    kymo_plot_int(&plot, 1);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 4u + MESSAGES(3u));
    assert_int_equal(trace.lane[0].context,
                     (uint32_t)(UINTPTR_MAX & ~KYMO_CONTEXT_BITS) / 8u * 2u + 1u);
    assert_int_equal(trace.usage, 1u << KYMO_USAGE_UNPROMISED);
}

#endif

/* The place of a lane and that of a handle are no lane of each other. */
_Static_assert(_Generic((kymo_zone)0, struct kymo_lane * : 0, void * : 0, default : 1),
               "a handle is no lane");

CASE(a_zone_without_a_site_is_refused, set_up) {
    assert_null(kymo_zone_begin(NULL));
    kymo_plot_int(&plot, 1);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 1u + MESSAGES(1u));
    assert_int_equal(trace.usage, 1u << KYMO_USAGE_NO_SITE);
}

CASE(a_context_that_is_not_aligned_is_told, set_up) {
    (void)kymo_context_switch(0x1004u);
    kymo_plot_int(&plot, 1);
    assert_int_equal(kymo_context_switch(0u), 0x1000u);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 3u + MESSAGES(1u));
    assert_int_equal(trace.usage, 1u << KYMO_USAGE_CONTEXT);
}

/* Every pointer that a call of kymo.h takes. What has no site, or no class, is recorded all the same, but a zone. */
CASE(null_is_harmless, set_up) {
    const struct kymo_text no_text = {NULL, 8u};
    kymo_zone_end(NULL);
    kymo_zone_text(NULL, NULL, 8u);
    kymo_zone_name(NULL, NULL, 8u);
    kymo_zone_value(NULL, 1u);
    kymo_zone_color(NULL, 1u);
    const kymo_zone open = kymo_zone_begin(&zone);
    kymo_zone_text(open, NULL, 8u);
    kymo_zone_name(open, NULL, 8u);
    kymo_zone_end(open);
    assert_null(kymo_zone_begin_stack(NULL, 1u));
    kymo_frame(NULL);
    kymo_frame_start(NULL);
    kymo_frame_end(NULL);
    kymo_plot_int(NULL, 1);
    kymo_plot_float(NULL, 1u);
    kymo_plot_double(NULL, 1u);
    kymo_plot_config(NULL, 0u, 0u);
    kymo_message(NULL, NULL);
    kymo_message(&message, NULL);
    kymo_message_stack(NULL, KYMO_ARG_STRING, NULL, 1u);
    kymo_message_text(NULL, NULL, 0u, 1u);
    kymo_message_text(&message, &no_text, 0u, 0u);
    kymo_alloc(NULL, NULL, 0u);
    kymo_free(NULL, NULL);
    kymo_alloc_stack(NULL, NULL, 0u, 1u);
    kymo_free_stack(NULL, NULL, 1u);
    kymo_memory_discard(NULL);
    kymo_memory_discard_stack(NULL, 1u);
    kymo_app_info(NULL, 8u);
    kymo_context_name(0x1000u, KYMO_CONTEXT_TASK, NULL);
    kymo_object(1u, KYMO_OBJECT_LOCK, NULL, NULL);
    kymo_object_event_stack(KYMO_KIND_LOCK_WAIT, 1u, 1u);
    kymo_object_name(1u, NULL);
    kymo_object_name(1u, &no_text);
    kymo_lock_mark(1u, NULL);
    kymo_lane_name(NULL);
    (void)kymo_print(NULL, 8u);
    kymo_init(NULL, NULL);
    assert_false(kymo_drain(0u));
    kymo_init(&trace.transport, NULL);
    const uint64_t lost = trace_finish(&trace);
    assert_true(trace_events(&trace) + lost > 20u);
    assert_int_equal(trace.usage, 1u << KYMO_USAGE_NO_SITE);
}

/* It takes some bytes, and says that it took and gave more. */
static size_t write_wrong(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)trace.transport.write(&trace, bytes, length);
    return length + below(600u);
}

static size_t read_wrong(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    memset(bytes, 0, length);
    return SIZE_MAX - below(2u);
}

CASE(a_transport_that_returns_too_much_is_harmless, set_up) {
    const struct kymo_transport wrong = {.write = write_wrong, .read = read_wrong};
    kymo_init(&wrong, "misuse");
    for (uint32_t i = 0u; i < 100u; i++) {
        kymo_zone_end(kymo_zone_begin(&zone));
        (void)kymo_drain(below(64u));
    }
    kymo_finish();
    uint32_t calls = 0u;
    while (kymo_pending() && calls < 100000u) {
        (void)kymo_drain(0u);
        calls++;
    }
    assert_in_range(calls, 1u, 99999u);
    assert_in_range(trace_events(&trace), 1u, 200u);
}
