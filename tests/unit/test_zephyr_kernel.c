/* The hooks of the Zephyr module, called as the kernel calls them. */
#include "kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zephyr/kernel.h>
#include <zephyr/tracing/tracing.h>

#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "trace.h"

#define EVENTS_MAX 400u

struct zephyr_model model;

static struct k_thread first = {.name = "first"}, second = {.name = "second"}, nameless;
static struct trace trace;
static struct made {
    uint32_t lane, context;
    struct wire_event event;
} made[EVENTS_MAX];
static uint32_t made_count;

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    assert_true(made_count < EVENTS_MAX);
    made[made_count++] = (struct made){lane, context, *event};
}

static int set_up(void **state) {
    (void)state;
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    made_count = 0u;
    model = (struct zephyr_model){.cycles = model.cycles}; /* never back: its wraps are counted */
    kymo_init(&trace.transport, "zephyr");
    return 0;
}

static void switch_to(struct k_thread *thread) {
    model.current = thread;
    sys_trace_thread_switched_in_user();
}

static void arrive(void) { assert_int_equal(trace_finish(&trace), 0); }

/* The contexts in which the zones of a lane began, one after the other. */
static uint32_t zones_of(uint32_t lane, uint32_t *contexts, uint32_t max) {
    uint32_t count = 0u;
    for (uint32_t i = 0u; i < made_count; i++) {
        if (made[i].event.kind == KYMO_KIND_ZONE_BEGIN && made[i].lane == lane) {
            assert_true(count < max);
            contexts[count++] = made[i].context;
        }
    }
    return count;
}

static uint32_t switches(void) {
    uint32_t count = 0u;
    for (uint32_t i = 0u; i < made_count; i++) {
        count += made[i].event.kind == KYMO_KIND_CONTEXT ? 1u : 0u;
    }
    return count;
}

static void mark(void) { KYMO_ZONE("mark"); }

static void threads_are_contexts_of_their_own(void **state) {
    (void)state;
    uint32_t contexts[4];
    mark();
    switch_to(&first);
    mark();
    switch_to(&second);
    mark();
    switch_to(&first);
    mark();
    arrive();
    assert_int_equal(zones_of(0u, contexts, 4u), 4);
    assert_int_equal(contexts[0], 1); /* the CPU's main context: the start of the kernel */
    assert_int_not_equal(contexts[1], contexts[0]);
    assert_int_not_equal(contexts[2], contexts[1]);
    assert_int_not_equal(contexts[2], contexts[0]);
    assert_int_equal(contexts[3], contexts[1]);
}

/* Threads that stand next to each other, each aligned to 4 bytes only. */
static void each_thread_has_another_number(void **state) {
    (void)state;
    static struct k_thread row[8]; /* 44 bytes each */
    uint32_t contexts[8];
    for (uint32_t i = 0u; i < 8u; i++) {
        switch_to(&row[i]);
        mark();
    }
    arrive();
    assert_int_equal(zones_of(0u, contexts, 8u), 8);
    for (uint32_t i = 0u; i < 8u; i++) {
        for (uint32_t k = 0u; k < i; k++) {
            assert_int_not_equal(contexts[i], contexts[k]);
        }
    }
}

/* Deeper than there is room for: it comes back to where it was all the same. */
static void interrupts_return_to_what_they_interrupted(void **state) {
    (void)state;
    uint32_t contexts[8];
    switch_to(&first);
    mark();
    sys_trace_isr_enter_user();
    mark();
    for (uint32_t depth = 0u; depth < 40u; depth++) {
        sys_trace_isr_enter_user();
    }
    for (uint32_t depth = 0u; depth < 40u; depth++) {
        sys_trace_isr_exit_user();
    }
    mark();
    sys_trace_isr_exit_user();
    mark();
    sys_trace_isr_exit_user(); /* one too many, as of a handler that began before the hooks did */
    mark();
    arrive();
    assert_int_equal(zones_of(0u, contexts, 8u), 5);
    assert_int_equal(contexts[1] % 2u, 0); /* a site */
    assert_int_equal(contexts[2], contexts[1]);
    assert_int_not_equal(contexts[1], contexts[0]);
    assert_int_equal(contexts[3], contexts[0]);
    assert_int_equal(contexts[4], contexts[0]);
    assert_int_equal(switches() % 2u, 1u); /* to the thread, and each entry has its return */
    assert_in_range(switches(), 1u + 2u * 2u, 1u + 2u * 41u);
}

/* The kernel's way to end a thread, and to make the next one in the same object. */
static void end(struct k_thread *thread) { sys_port_trace_k_thread_sched_abort(thread); }

static void a_thread_object_used_again_is_another_thread(void **state) {
    (void)state;
    static struct k_thread object; /* no name, so no event of one */
    uint32_t contexts[8];
    switch_to(&first);
    mark();
    for (uint32_t i = 0u; i < 6u; i++) {
        sys_trace_thread_create_user(&object);
        switch_to(&object);
        mark();
        end(&object);
        switch_to(&first);
    }
    mark();
    arrive();
    assert_int_equal(zones_of(0u, contexts, 8u), 8);
    assert_int_equal(contexts[7], contexts[0]);
    for (uint32_t i = 0u; i < 7u; i++) {
        assert_int_equal(contexts[i] % 2u, 1u);
        for (uint32_t k = 0u; k < i; k++) {
            assert_int_not_equal(contexts[i], contexts[k]);
        }
    }
}

static uint32_t made_of(uint32_t kind) {
    uint32_t count = 0u;
    for (uint32_t i = 0u; i < made_count; i++) {
        count += made[i].event.kind == kind ? 1u : 0u;
    }
    return count;
}

/* They leave zones open, of more than a ring has room for. */
static void aborted_threads_leave_no_room_promised(void **state) {
    (void)state;
    uint32_t begins = 0u;
    static struct k_thread object;
    for (uint32_t i = 0u; i < 4000u; i++) {
        switch_to(&object);
        KYMO_BEGIN(left_open, "left open");
        (void)left_open;
        switch_to(&first);
        end(&object);
        trace_drain(&trace);
        begins += made_of(KYMO_KIND_ZONE_BEGIN);
        made_count = 0u;
    }
    arrive();
    assert_int_equal(begins, 4000);
}

/* More than there are places for share a row, and disturb no other. */
static void too_many_thread_objects_are_no_harm(void **state) {
    (void)state;
    static struct k_thread objects[CONFIG_KYMO_REUSED_THREADS + 8];
    uint32_t contexts[8];
    for (uint32_t i = 0u; i < ARRAY_SIZE(objects); i++) {
        end(&objects[i]);
    }
    switch_to(&first);
    mark();
    switch_to(&second);
    mark();
    switch_to(&objects[0]);
    mark();
    switch_to(&objects[1]);
    mark();
    arrive();
    assert_int_equal(zones_of(0u, contexts, 8u), 4);
    for (uint32_t i = 0u; i < 4u; i++) {
        for (uint32_t k = 0u; k < i; k++) {
            assert_int_not_equal(contexts[i], contexts[k]);
        }
    }
}

static uint32_t names_of(uint32_t *references, uint32_t max) {
    uint32_t count = 0u;
    for (uint32_t i = 0u; i < made_count; i++) {
        if (made[i].event.kind == KYMO_KIND_CONTEXT_NAME) {
            assert_true(count < max);
            assert_int_equal(made[i].event.word[0], KYMO_CONTEXT_TASK);
            references[count++] = made[i].event.reference;
        }
    }
    return count;
}

static void threads_are_named_when_they_are_made_and_again(void **state) {
    (void)state;
    uint32_t references[8], contexts[1];
    sys_trace_thread_create_user(&first);
    sys_trace_thread_create_user(&nameless);
    sys_trace_thread_name_set_user(&second);
    switch_to(&first);
    mark();
    model.threads[0] = &second;
    model.threads[1] = &nameless;
    model.threads[2] = &first;
    kymo_zephyr_name_threads();
    arrive();
    assert_int_equal(names_of(references, 8u), 4);
    assert_int_equal(zones_of(0u, contexts, 1u), 1);
    assert_int_equal(references[0], contexts[0]);
    assert_int_equal(references[3], contexts[0]);
    assert_int_equal(references[1], references[2]);
    assert_int_not_equal(references[0], references[1]);
}

#if KYMO_LANES > 1
/* More of them than a ring has room for. */
static void a_thread_may_move_within_a_zone(void **state) {
    (void)state;
    uint32_t begins = 0u, ends = 0u;
    for (uint32_t i = 0u; i < 4000u; i++) {
        model.cpu.id = (uint8_t)(i % 2u);
        switch_to(&first);
        KYMO_BEGIN(moving, "moving");
        switch_to(&second);
        model.cpu.id = (uint8_t)(1u - i % 2u);
        switch_to(&first);
        KYMO_END(moving);
        switch_to(&second);
        trace_drain(&trace);
        begins += made_of(KYMO_KIND_ZONE_BEGIN);
        ends += made_of(KYMO_KIND_ZONE_END) + made_of(KYMO_KIND_ZONE_END_ON);
        made_count = 0u;
    }
    arrive();
    assert_int_equal(begins, 4000);
    assert_int_equal(ends, 4000);
}

static void each_cpu_has_its_lane(void **state) {
    (void)state;
    uint32_t of_0[2], of_1[2];
    switch_to(&first);
    sys_trace_isr_enter_user();
    model.cpu.id = 1u;
    switch_to(&second);
    mark();
    sys_trace_isr_enter_user();
    mark();
    model.cpu.id = 0u;
    sys_trace_isr_exit_user();
    mark();
    model.cpu.id = 1u;
    sys_trace_isr_exit_user();
    model.cpu.id = 0u;
    arrive();
    assert_int_equal(zones_of(0u, of_0, 2u), 1);
    assert_int_equal(zones_of(1u, of_1, 2u), 2);
    assert_int_equal(of_0[0] % 2u, 1); /* no longer the interrupt */
    assert_int_equal(of_1[0] % 2u, 1);
    assert_int_not_equal(of_0[0], of_1[0]);
    assert_int_equal(of_1[1] % 2u, 0); /* still in it */
}
#else
/* The kernel's counter has 32 bits here. */
static void each_wrap_of_the_counter_is_seen(void **state) {
    (void)state;
    uint64_t expected = 0u;
    for (uint32_t i = 0u; i < 10u; i++) {
        const uint64_t now = kymo_arch_clock64();
        assert_int_equal(now, model.cycles);
        assert_true(now >= expected);
        model.cycles += 0x7fffffffu;
        kymo_clock_keepalive();
        expected = model.cycles;
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(threads_are_contexts_of_their_own, set_up),
        cmocka_unit_test_setup(each_thread_has_another_number, set_up),
        cmocka_unit_test_setup(interrupts_return_to_what_they_interrupted, set_up),
        cmocka_unit_test_setup(threads_are_named_when_they_are_made_and_again, set_up),
        cmocka_unit_test_setup(a_thread_object_used_again_is_another_thread, set_up),
        cmocka_unit_test_setup(aborted_threads_leave_no_room_promised, set_up),
        cmocka_unit_test_setup(too_many_thread_objects_are_no_harm, set_up),
#if KYMO_LANES > 1
        cmocka_unit_test_setup(a_thread_may_move_within_a_zone, set_up),
        cmocka_unit_test_setup(each_cpu_has_its_lane, set_up),
#else
        cmocka_unit_test_setup(each_wrap_of_the_counter_is_seen, set_up),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
