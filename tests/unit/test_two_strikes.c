/* One call that is preempted twice, at each pair of its instructions, by a handler that frees room
 * and takes it. And one that is preempted for more than half a wrap of the clock.
 *
 * Two preemptions, and a consumer that works in both, are what it takes to have the same room handed
 * out twice where that is collected in more than one step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kymo_arch.h"
#include "ring.h"
#include "strike.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

/* The room of a lane is collected in fewer instructions than this. */
#define APART 16u

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
    for (uint32_t i = 0u; i < (strikes[0].step != 0u ? 2u : 4u); i++) {
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

static void strike_once_more(void) {
    strikes[0].step = strikes[0].step < second_step ? second_step : 0u;
    fake_interrupt();
}

static void prepare(void (*interrupt)(void), uint32_t step) {
    fake_reset();
    trace_power_up();
    memset(strikes, 0, sizeof strikes);
    fill();
    consume(1u);
    fake.interrupt = interrupt;
    strike_level = 0u;
    strike_hits = strike_once_more;
    strikes[0].step = step;
}

/* False: the call has fewer instructions. */
static bool strike_twice(uint32_t first, uint32_t second) {
    prepare(free_and_take, first);
    second_step = second;
    strike_around(true);
    kymo_frame(&frame);
    strike_around(false);
    const bool both = strikes[0].struck && strikes[0].step == 0u;
    strikes[0].step = 0u;
    fake.interrupt = NULL;
    check();
    take_much();
    return both;
}

static void no_room_is_handed_out_twice(void **state) {
    uint64_t pairs = 0u;
    bool any = true;
    (void)state;
    for (uint32_t first = 1u; any; first++) {
        any = false;
        for (uint32_t second = first + 1u; second <= first + APART && strike_twice(first, second);
             second++) {
            pairs++;
            any = true;
        }
    }
    print_message("%llu pairs\n", (unsigned long long)pairs);
    assert_true(pairs > 500u);
}

/* ---- a long preemption ---- */

#if KYMO_ARCH_CLOCK_BITS == 32 && KYMO_ARCH_ATOMIC

#define FRAMES 3u /* of the handler */

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
    for (uint32_t i = 0u; i < FRAMES; i++) {
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
        kymo_ring_long(KYMO_KIND_ALLOC, 0x1000u, words, 3u);
    }
}

static bool strike_for_long(uint32_t what, uint32_t step) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    memset(strikes, 0, sizeof strikes);
    second_step = 0u;
    kymo_init(&trace.transport, "long");
    fake.clock = 0x7ffffff0u;
    kymo_clock_keepalive();
    from = fake.clock;
    kymo_frame(&frame);
    fake.interrupt = for_long;
    strike_hits = fake_interrupt;
    strike_level = 0u;
    strikes[0].step = step;
    strike_around(true);
    record(what);
    strike_around(false);
    const bool struck = strikes[0].struck;
    strikes[0].step = 0u;
    kymo_frame(&frame);
    last = fake.clock;
    const uint64_t lost = trace_finish(&trace);
    assert_int_equal(trace_events(&trace) + lost,
                     2u + (what == 1u ? 2u : 1u) + (struck ? FRAMES : 0u));
    return struck;
}

static void a_long_preemption_keeps_the_time(void **state) {
    (void)state;
    for (uint32_t what = 0u; what < 3u; what++) {
        uint32_t step = 1u;
        while (strike_for_long(what, step)) {
            step++;
        }
        assert_true(step > 20u);
    }
}

#endif

static int set_up(void **state) {
    (void)state;
    return strike_set_up();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_room_is_handed_out_twice),
#if KYMO_ARCH_CLOCK_BITS == 32 && KYMO_ARCH_ATOMIC
        cmocka_unit_test(a_long_preemption_keeps_the_time),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
