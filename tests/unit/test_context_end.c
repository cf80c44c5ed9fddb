/* Tasks that are deleted with open zones, one after the other at the same address: their zones are closed, each in a
 * row of its own, and the room that was promised to their ends is free again. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "contexts.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring.h"
#include "trace.h"
#include "trace/pipeline.h"

#define TASKS 10000u
#define TASK ((kymo_context)0x20001000u)
#define OTHER_TASK ((kymo_context)0x20002000u)
#define STREAM_BYTES (4u * 1024u * 1024u)

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(heap, "heap");
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static uint8_t stream[STREAM_BYTES];
static size_t stream_bytes;
static uint64_t emitted;

static struct {
    uint64_t ended[ZONE_REPAIRS], frames, lost;
    uint32_t last_row;
    uint64_t rows; /* in which a task's end closed zones */
} seen;

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_true(stream_bytes + length <= STREAM_BYTES);
    memcpy(stream + stream_bytes, bytes, length);
    stream_bytes += length;
    return length;
}

static const struct kymo_transport transport = {.write = take};

static void drain(void) {
    while (kymo_drain(0) > 0) {}
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_END) {
        seen.ended[event->u.zone.repaired]++;
        if (event->u.zone.repaired == ZONE_END_TASK && event->track->id != seen.last_row) {
            seen.rows++;
            seen.last_row = event->track->id;
        }
    } else if (event->kind == EVENT_GAP) {
        seen.lost += event->u.gap.lost;
    }
    seen.frames += event->kind == EVENT_FRAME ? 1u : 0u;
    return 0;
}

static void read_back(void) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    struct pipeline *p = pipeline_new(&callbacks, NULL);
    assert_non_null(p);
    assert_int_equal(pipeline_feed(p, stream, stream_bytes), 0);
    assert_int_equal(pipeline_end(p), 0);
    struct pipeline_totals totals;
    pipeline_totals(p, &totals);
    assert_int_equal(totals.delivered + totals.lost_ring, emitted);
    seen.lost = totals.lost_ring;
    pipeline_free(p);
}

/* Of processor time, for a test that takes less than one: a call of kymo_drain() does not return. */
#define HANGS_SECONDS 60

static void hangs(int signal) {
    static const char text[] = "a call of kymo_drain() does not return\n";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1u);
    _exit(1);
}

static int limit_time(void **state) {
    const struct itimerval limit = {.it_value.tv_sec = HANGS_SECONDS};
    (void)state;
    return signal(SIGVTALRM, hangs) == SIG_ERR ? -1 : setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static int set_up(void **state) {
    (void)state;
    fake_reset();
    trace_power_up();
    memset(&seen, 0, sizeof seen);
    stream_bytes = 0;
    emitted = 0;
    kymo_init(&transport, "tasks");
    drain();
    return 0;
}

static void switch_to(uintptr_t lane, kymo_context context) {
    fake.lane = lane;
    (void)kymo_context_switch(context);
    emitted++;
}

static void begin(void) {
    assert_non_null(kymo_zone_begin(&work));
    emitted++;
}

static void end_context(uintptr_t lane, kymo_context context) {
    fake.lane = lane;
    kymo_context_end(context);
    emitted++;
}

static void many_tasks_at_one_address(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(0u, TASK);
        begin();
        switch_to(0u, 0u);
        end_context(0u, TASK);
        drain();
    }
    kymo_frame(&frame);
    emitted++;
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.frames, 1u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(seen.rows, TASKS);
}

/* What others have promised stays: their zones end as ever. */
static void zones_of_others_stay(void **state) {
    kymo_zone open[8];
    (void)state;
    switch_to(0u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(&work);
        emitted++;
    }
    for (uint32_t i = 0u; i < 1000u; i++) {
        switch_to(0u, TASK);
        begin();
        begin();
        switch_to(0u, OTHER_TASK);
        end_context(0u, TASK);
        drain();
    }
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], 2000u);
    assert_int_equal(seen.ended[ZONE_ENDED], 8u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

#if KYMO_LANES > 1

/* Tasks that run on one core, each with an open zone, and are deleted by another; both lanes have unread events. The
 * number of each is "step" more than that of the one before. */
static void delete_by_another_core(kymo_context step) {
    for (uint32_t i = 0u; i < TASKS; i++) {
        const kymo_context task = TASK + i * step;
        switch_to(1u, task);
        begin();
        switch_to(1u, 0u);
        end_context(0u, task);
        if (i % 3u == 2u) {
            drain();
        }
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
}

static void deleted_by_another_core(void **state) {
    (void)state;
    delete_by_another_core(0u);
}

/* Each has a number of its own, so no later end makes good for one that is read before its task's zones are. */
static void deleted_before_its_zones_are_read(void **state) {
    (void)state;
    delete_by_another_core(64u);
    assert_false(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
}

/* Its zones have ended on their own core, and that is not read yet: none of the room is given back for them that is
 * promised to others. */
static void deleted_before_its_ends_are_read(void **state) {
    kymo_zone open[8];
    (void)state;
    switch_to(1u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(&work);
        emitted++;
    }
    for (uint32_t i = 0u; i < 1000u; i++) {
        switch_to(1u, TASK);
        const kymo_zone zone = kymo_zone_begin(&work);
        emitted++;
        drain();
        kymo_zone_end(zone);
        emitted++;
        switch_to(1u, OTHER_TASK);
        end_context(i % 2u * 2u, TASK);
        drain();
    }
    fake.lane = 1u;
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_ENDED], 1008u);
}

/* It moves in its zones: what it began on one core it ends on the other, but for one zone. */
static void deleted_after_it_moved(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(1u, TASK);
        begin();
        const kymo_zone moved = kymo_zone_begin(&work);
        emitted++;
        switch_to(1u, 0u);
        switch_to(2u, TASK);
        kymo_zone_end(moved);
        emitted++;
        switch_to(2u, 0u);
        end_context(2u, TASK);
        drain();
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(seen.ended[ZONE_ENDED], TASKS);
}

/* It moves and ends its zone on another core, whose lane is read last: the end has given that room back already. */
static void deleted_before_its_moved_end_is_read(void **state) {
    kymo_zone open[8];
    (void)state;
    switch_to(0u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(&work);
        emitted++;
    }
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(0u, TASK);
        const kymo_zone moved = kymo_zone_begin(&work);
        emitted++;
        switch_to(0u, OTHER_TASK);
        switch_to(1u, TASK);
        kymo_zone_end(moved);
        emitted++;
        switch_to(1u, 0u);
        end_context(0u, TASK);
        drain();
    }
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_ENDED], TASKS + 8u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

/* One task of the number ends on a core whose lane is read after the zones of the next one. */
static void an_end_that_is_read_late(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        end_context(1u, TASK);
        switch_to(0u, TASK);
        const kymo_zone outer = kymo_zone_begin(&work);
        const kymo_zone inner = kymo_zone_begin(&work);
        emitted += 2u;
        drain();
        kymo_frame(&frame);
        emitted++;
        drain();
        kymo_ring_attention(&kymo_lanes[0]);
        kymo_frame(&frame);
        kymo_zone_end(inner);
        kymo_zone_end(outer);
        emitted += 3u;
        switch_to(0u, 0u);
        drain();
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

#endif

#if KYMO_LANES > 1

/* Its zone ends behind a switch that was refused, and it is deleted on another core, before an event tells the switch:
 * another zone's end on the first lane does not show that all is known up to there. */
static void deleted_before_a_lost_switch_is_told(void **state) {
    (void)state;
    switch_to(0u, TASK);
    const kymo_zone own = kymo_zone_begin(&work);
    switch_to(0u, OTHER_TASK);
    const kymo_zone first = kymo_zone_begin(&work);
    const kymo_zone other = kymo_zone_begin(&work);
    emitted += 3u;
    drain();
    kymo_stop();
    (void)kymo_context_switch(TASK);
    kymo_zone_end(own);
    (void)kymo_context_switch(OTHER_TASK);
    kymo_start();
    end_context(1u, TASK);
    fake.lane = 0u;
    kymo_zone_end(other);
    drain();
    kymo_frame(&frame); /* collects what was given back */
    kymo_ring_attention(&kymo_lanes[0]);
    kymo_frame(&frame);
    kymo_zone_end(first);
    emitted += 5u;
    read_back();
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
    assert_int_equal(seen.lost, 0u);
}

#endif

/* A switch that is refused: what ends until the next event that is accepted ends in the wrong context. */
static void zones_of_others_stay_where_a_switch_was_lost(void **state) {
    (void)state;
    const kymo_zone held = kymo_zone_begin(&work);
    emitted++;
    for (uint32_t i = 0u; i < 100u; i++) {
        switch_to(0u, TASK);
        const kymo_zone outer = kymo_zone_begin(&work);
        switch_to(0u, OTHER_TASK);
        const kymo_zone inner = kymo_zone_begin(&work);
        switch_to(0u, TASK);
        drain();
        emitted += 2u;
        kymo_stop();
        (void)kymo_context_switch(OTHER_TASK);
        kymo_zone_end(inner);
        emitted++;
        kymo_start();
        switch_to(0u, TASK);
        end_context(0u, OTHER_TASK);
        drain();
        kymo_zone_end(outer);
        emitted++;
        end_context(0u, TASK);
        switch_to(0u, 0u);
    }
    kymo_zone_end(held);
    emitted++;
    drain();
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

/* More contexts than are counted: what leaks is said. */
static void too_many_contexts(void **state) {
    (void)state;
    for (uint32_t i = 0u; i <= KYMO_CONTEXTS; i++) {
        switch_to(0u, TASK + i * 64u);
        begin();
        drain();
    }
    assert_false(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
    for (uint32_t i = 0u; i <= KYMO_CONTEXTS; i++) {
        end_context(0u, TASK + i * 64u);
        drain();
    }
    assert_true(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
    read_back();
    assert_int_equal(seen.ended[ZONE_END_TASK], KYMO_CONTEXTS + 1u);
}

/* ---- each call of kymo_drain() returns, whatever is left of its budget where an event begins ---- */

/* Zones that end in other contexts cost the ring room, so each turn has a fresh one. */
#define TURNS 400u
#define EVENTS 200u
static uint64_t random_state;

static uint32_t below(uint32_t limit) { return player_random(&random_state) % limit; }

/* As a varint it has 1 to 5 bytes, and the model never has them all. */
static kymo_context any_task(void) {
    return (kymo_context)(1u + below(15u)) << (3u + 6u * below(5u));
}

static void any_payload(void) {
    static const char text[] = "a text that is longer than one word, and than two";
    const size_t length = below(sizeof text);
    const uint64_t value = (uint64_t)player_random(&random_state) << below(33u);
    emitted++;
    switch (below(7u)) {
    case 0u:
        kymo_plot_int(&plot, (int64_t)value);
        break;
    case 1u:
        kymo_plot_double(&plot, value);
        break;
    case 2u:
        kymo_alloc(&heap, (const void *)(uintptr_t)value, below(1000000u));
        break;
    case 3u:
        kymo_free(&heap, (const void *)(uintptr_t)value);
        break;
    case 4u:
        kymo_app_info(text, length);
        break;
    case 5u:
        kymo_frame_start(&frame);
        break;
    default:
        emitted--;
        kymo_context_name(any_task(), KYMO_CONTEXT_TASK, text + length);
        break;
    }
}

static void any_event(kymo_zone open[8]) {
    kymo_zone *zone = &open[below(8u)];
    switch (below(8u)) {
    case 0u:
    case 1u:
        if (*zone == NULL) {
            *zone = kymo_zone_begin(&work);
            emitted += *zone == NULL ? 2u : 1u;
            break;
        }
        kymo_zone_end(*zone);
        *zone = NULL;
        emitted++;
        break;
    case 2u:
    case 3u:
        switch_to(below(KYMO_LANES), any_task());
        break;
    case 4u:
        end_context(below(KYMO_LANES), any_task());
        break;
    case 5u:
        kymo_interrupt_leave(kymo_interrupt_enter((kymo_context)&timer));
        emitted += 2u;
        break;
    case 6u:
        kymo_frame(&frame);
        emitted++;
        break;
    default:
        any_payload();
        break;
    }
}

static void every_drain_returns(void **state) {
    uint64_t delivered = 0u;
    random_state = 0x9e3779b97f4a7c15u;
    for (uint32_t turn = 0u; turn < TURNS; turn++) {
        kymo_zone open[8] = {NULL};
        (void)set_up(state);
        for (uint32_t i = 0u; i < EVENTS; i++) {
            any_event(open);
            fake.clock += (uint64_t)below(1000u) << below(20u);
            for (uint32_t calls = below(4u); calls > 0u; calls--) {
                (void)kymo_drain(below(40u) + 1u);
            }
        }
        read_back();
        delivered += emitted - seen.lost;
    }
    assert_true(delivered > TURNS * EVENTS / 4u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(many_tasks_at_one_address, set_up),
        cmocka_unit_test_setup(zones_of_others_stay, set_up),
#if KYMO_LANES > 1
        cmocka_unit_test_setup(deleted_by_another_core, set_up),
        cmocka_unit_test_setup(deleted_before_its_zones_are_read, set_up),
        cmocka_unit_test_setup(deleted_before_its_ends_are_read, set_up),
        cmocka_unit_test_setup(deleted_after_it_moved, set_up),
        cmocka_unit_test_setup(deleted_before_its_moved_end_is_read, set_up),
        cmocka_unit_test_setup(an_end_that_is_read_late, set_up),
        cmocka_unit_test_setup(deleted_before_a_lost_switch_is_told, set_up),
#endif
        cmocka_unit_test_setup(zones_of_others_stay_where_a_switch_was_lost, set_up),
        cmocka_unit_test_setup(too_many_contexts, set_up),
        cmocka_unit_test_setup(every_drain_returns, set_up),
    };
    return cmocka_run_group_tests(tests, limit_time, NULL);
}
