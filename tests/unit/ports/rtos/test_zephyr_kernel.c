/* SPDX-License-Identifier: MIT */
/* The hooks of the Zephyr module, called as the kernel calls them. */
#include "kernel.h"

#include <stdio.h>
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/tracing/tracing.h>

#include "cases.h"
#include "identity.h"
#include "kymo/arch.h"
#include "kymo/tasks.h"
#include "trace.h"

#define EVENTS_MAX 400u

/* The kernel's wrapper of interrupts calls them. */
void sys_trace_isr_enter_user(void);
void sys_trace_isr_exit_user(void);
/* Functions in the place of hooks that kymo takes must not be called. */
void sys_trace_thread_create(struct k_thread *thread) { (void)thread, fail(); }
void sys_trace_k_thread_switched_in(void) { fail(); }

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

FIXTURE(set_up) {
    for (uint8_t cpu = 0u; cpu < KYMO_LANES; cpu++) { /* state of the last test */
        model.cpu.id = cpu;
        kymo_task_why_ends();
        kymo_task_in(0u);
    }
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
    sys_port_trace_k_thread_switched_in();
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

CASE(threads_are_contexts_of_their_own, set_up) {
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
CASE(each_thread_has_another_number, set_up) {
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
CASE(interrupts_return_to_what_they_interrupted, set_up) {
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

CASE(a_thread_object_used_again_is_another_thread, set_up) {
    static struct k_thread object; /* no name, so no event of one */
    uint32_t contexts[8];
    switch_to(&first);
    mark();
    for (uint32_t i = 0u; i < 6u; i++) {
        sys_port_trace_k_thread_create(&object);
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
CASE(aborted_threads_leave_no_room_promised, set_up) {
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

CASE(threads_are_named_when_they_are_made, set_up) {
    uint32_t references[8], contexts[1];
    sys_port_trace_k_thread_create(&first);
    sys_port_trace_k_thread_create(&nameless);
    sys_port_trace_k_thread_name_set(&second, 0);
    switch_to(&first);
    mark();
    arrive();
    assert_int_equal(names_of(references, 8u), 2);
    assert_int_equal(zones_of(0u, contexts, 1u), 1);
    assert_int_equal(references[0], contexts[0]);
    assert_int_not_equal(references[0], references[1]);
    end(&nameless);
}

/* ---- states and their waits ---- */

static uint32_t of_first, of_second; /* as they travel */

static const char *thread_of(uint32_t context) {
    return context == of_first    ? "first"
           : context == of_second ? "second"
           : context % 2u == 0u   ? "interrupt"
                                  : "?";
}

static struct k_mutex mutex;
static struct k_msgq msgq;

static const char *object_of(const struct wire_event *event, uint32_t high) {
    const uint64_t identity =
        event->reference | (uint64_t)(event->words > high ? event->word[high] : 0u) << 32;
    return identity == (uintptr_t)&mutex ? " mutex" : identity == (uintptr_t)&msgq ? " msgq" : "";
}

/* All that arrived, one after the other. */
static const char *told(void) {
    static char text[2048];
    size_t at = 0u;
    text[0] = '\0';
    trace_drain(&trace);
    for (uint32_t i = 0u; i < made_count && at + 64u < sizeof text; i++) {
        const struct wire_event *e = &made[i].event;
        const unsigned word = e->words != 0u ? e->word[0] : 0u;
        const size_t room = sizeof text - at;
        int length = 0;
        if (e->kind == KYMO_KIND_CONTEXT) {
            length = snprintf(text + at, room, "runs %s;", thread_of(e->reference));
        } else if (e->kind == KYMO_KIND_TASK_WAITS) {
            length = snprintf(text + at, room, "waits %u%s;", word, object_of(e, 1u));
        } else if (e->kind == KYMO_KIND_TASK_READY) {
            length =
                snprintf(text + at, room, "ready %s by %d;", thread_of(e->reference), (int)word);
        } else if (e->kind == KYMO_KIND_TASK_SUSPENDED) {
            length = snprintf(text + at, room, "suspends %s;", thread_of(e->reference));
        } else if (e->kind == KYMO_KIND_TASK_PRIORITY) {
            length = snprintf(text + at, room, "priority %s %d %u;", thread_of(e->reference),
                              (int)word, e->words > 1u ? (unsigned)e->word[1] : 0u);
        } else if (e->kind == KYMO_KIND_TASK_STACK) {
            length = snprintf(text + at, room, "stack %s %u %u;", thread_of(e->reference), word,
                              (unsigned)e->word[1]);
        } else if (e->kind >= KYMO_KIND_LOCK_WAIT && e->kind <= KYMO_KIND_OBJECT_GET) {
            const char *name = e->kind == KYMO_KIND_LOCK_WAIT      ? "lock waits"
                               : e->kind == KYMO_KIND_LOCK_OBTAIN  ? "locked"
                               : e->kind == KYMO_KIND_LOCK_RELEASE ? "released"
                               : e->kind == KYMO_KIND_OBJECT_PUT   ? "put"
                               : e->kind == KYMO_KIND_OBJECT_GET   ? "got"
                                                                   : "?";
            length = snprintf(text + at, room, "%s;", name);
        }
        at += (size_t)length;
    }
    made_count = 0u;
    return text;
}

static uint32_t learn(struct k_thread *thread) {
    switch_to(thread);
    trace_drain(&trace);
    assert_true(made_count != 0u && made[made_count - 1u].event.kind == KYMO_KIND_CONTEXT);
    return made[made_count - 1u].event.reference;
}

/* From here on the first one runs, and no event was reported. */
static void run_first(void) {
    of_second = learn(&second);
    of_first = learn(&first);
    (void)told();
}

static void leave(uint32_t thread_state, struct k_thread *next) {
    model.current->base.thread_state = thread_state;
    sys_port_trace_k_thread_switched_out();
    model.current->base.thread_state = 0u;
    switch_to(next);
}

CASE(states_are_the_bits_of_threads, set_up) {
    run_first();
    leave(_THREAD_QUEUED, &second);
    assert_string_equal(told(), "runs second;");
    leave(0u, &first);
    assert_string_equal(told(), "runs first;");
    leave(_THREAD_SUSPENDED, &second);
    assert_string_equal(told(), "waits 8;runs second;");
    second.base.timeout.node = 1u; /* how older releases sleep */
    leave(_THREAD_SUSPENDED, &first);
    second.base.timeout.node = 0u;
    assert_string_equal(told(), "waits 1;runs first;");
#ifdef _THREAD_SLEEPING
    leave(_THREAD_SLEEPING, &second);
    assert_string_equal(told(), "waits 1;runs second;");
    switch_to(&first);
    (void)told();
#endif
    leave(_THREAD_PENDING, &second); /* no hook said why */
    assert_string_equal(told(), "waits 0;runs second;");
}

/* The hook comes after the call. A thread that suspended itself goes on then, and so may another one. */
CASE(suspends_another, set_up) {
    run_first();
    sys_port_trace_k_thread_suspend_exit(&second);
    sys_port_trace_k_thread_suspend_exit(&first);
    second.base.thread_state = _THREAD_SUSPENDED | _THREAD_DEAD;
    sys_port_trace_k_thread_suspend_exit(&second);
    assert_string_equal(told(), "");
    second.base.thread_state = _THREAD_SUSPENDED | _THREAD_PENDING;
    sys_port_trace_k_thread_suspend_exit(&second);
    assert_string_equal(told(), "suspends second;");
    second.base.thread_state = 0u;
}

/* Each hook that reports a wait, with its reason on the wire. */
CASE(waits_have_their_reasons, set_up) {
    run_first();
#define WAITS(expected, ...)                                                                       \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        leave(_THREAD_PENDING, &second);                                                           \
        assert_string_equal(told(), "waits " expected ";runs second;");                            \
        switch_to(&first);                                                                         \
        (void)told();                                                                              \
    } while (0)
    WAITS("9", sys_port_trace_k_thread_join_blocking(&second, 0));
    WAITS("4", sys_port_trace_k_sem_take_blocking(&second, 0));
    WAITS("3 msgq", sys_port_trace_k_msgq_put_blocking(&msgq, 0));
    WAITS("2 msgq", sys_port_trace_k_msgq_get_blocking(&msgq, 0));
    WAITS("2", sys_port_trace_k_queue_get_blocking(&second, 0));
    WAITS("2", sys_port_trace_k_stack_pop_blocking(&second, 0));
    WAITS("3", sys_port_trace_k_mbox_message_put_blocking(&second, 0));
    WAITS("2", sys_port_trace_k_mbox_get_blocking(&second, 0));
    WAITS("3", sys_port_trace_k_pipe_put_blocking(&second, 0));
    WAITS("2", sys_port_trace_k_pipe_get_blocking(&second, 0));
    WAITS("3", sys_port_trace_k_pipe_write_blocking(&second, 0));
    WAITS("2", sys_port_trace_k_pipe_read_blocking(&second, 0));
    WAITS("7", sys_port_trace_k_event_wait_blocking(&second, 1, 0, 0));
    WAITS("10", sys_port_trace_k_heap_aligned_alloc_blocking(&second, 0));
    WAITS("10", sys_port_trace_k_mem_slab_alloc_blocking(&second, 0));
    WAITS("1", sys_port_trace_k_timer_status_sync_blocking(&second, 0));
    /* A condition and a poll wait by other calls, and may be preempted before. */
    sys_port_trace_k_condvar_wait_enter(&second);
    leave(_THREAD_QUEUED, &second);
    switch_to(&first);
    (void)told();
    WAITS("12", (void)0);
    WAITS("7", sys_port_trace_k_poll_api_poll_enter(&second));
    sys_port_trace_k_condvar_wait_enter(&second);
    sys_port_trace_k_condvar_wait_exit(&second, 0);
    sys_port_trace_k_poll_api_poll_enter(&second);
    sys_port_trace_k_poll_api_poll_exit(&second, 0);
    WAITS("0", (void)0);
    /* The second wait of an allocation has no hook. */
    first.base.pended_on = &model.heaps[1].wait_q;
    WAITS("10", (void)0);
    first.base.pended_on = NULL;
}

CASE(mutex_is_a_lock_that_raises_its_holder, set_up) {
    run_first();
    mutex = (struct k_mutex){.owner = &first, .lock_count = 1u};
    sys_port_trace_k_mutex_lock_exit(&mutex, 0, 0);
    mutex.lock_count = 2u; /* once more by its owner */
    sys_port_trace_k_mutex_lock_exit(&mutex, 0, 0);
    sys_port_trace_k_mutex_unlock_enter(&mutex);
    sys_port_trace_k_mutex_unlock_exit(&mutex, 0);
    mutex.lock_count = 1u;
    assert_string_equal(told(), "locked;");
    switch_to(&second);
    (void)told();
    sys_port_trace_k_mutex_unlock_enter(&mutex); /* not the owner's */
    sys_port_trace_k_mutex_unlock_exit(&mutex, -1);
    sys_port_trace_k_mutex_lock_blocking(&mutex, 0);
    sys_port_trace_k_thread_sched_priority_set(&first, 3);
    leave(_THREAD_PENDING, &first);
    assert_string_equal(told(), "lock waits;priority first 3 1;waits 5 mutex;runs first;");
    sys_port_trace_k_mutex_unlock_enter(&mutex);
    sys_port_trace_k_thread_sched_priority_set(&first, 9);
    sys_port_trace_k_thread_sched_ready(&second);
    leave(_THREAD_QUEUED, &second);
    mutex.owner = &second;
    sys_port_trace_k_mutex_lock_exit(&mutex, 0, 0);
    sys_port_trace_k_thread_sched_priority_set(&second, -2); /* its own */
    sys_port_trace_k_mutex_lock_exit(&mutex, 0, -1);         /* it was not free in time */
    assert_string_equal(told(), "released;priority first 9 2;ready second by 0;runs second;locked;"
                                "priority second -2 0;");
}

CASE(interrupts_wake, set_up) {
    run_first();
    model.in_isr = true;
    sys_port_trace_k_thread_sched_ready(&second); /* one that tells nothing of itself */
    sys_trace_isr_enter_user();
    sys_port_trace_k_thread_sched_ready(&second);
    sys_trace_isr_exit_user();
    assert_string_equal(told(), "ready second by -1;runs interrupt;ready second by 0;runs first;");
}

CASE(levels_are_those_of_queues, set_up) {
    run_first();
    msgq.used_msgs = 3u;
    sys_port_trace_k_msgq_put_exit(&msgq, 0, 0);
    sys_port_trace_k_msgq_put_exit(&msgq, 0, -1);
    sys_port_trace_k_msgq_get_exit(&msgq, 0, 0);
    assert_string_equal(told(), "put;got;");
}

#ifdef KYMO_ZEPHYR_STACKS
CASE(each_thread_s_stack_is_looked_at, set_up) {
    run_first();
    sys_port_trace_k_thread_create(&first);
    sys_port_trace_k_thread_create(&second);
    first.stack_info.size = 400u;
    second.stack_info.size = 800u;
    (void)told();
    for (uint32_t i = 0u; i < 4u; i++) {
        kymo_zephyr_look_at_a_stack();
    }
    assert_string_equal(told(), "stack first 100 400;stack second 200 800;stack first 100 400;");
    assert_false(model.scheduler_locked);
}
#endif

/* More than have places, each in the memory of the one before, with a name of any length or none. */
CASE(ten_thousand_threads, set_up) {
    static struct k_thread object;
    uint32_t before = 0u;
    switch_to(&first);
    for (uint32_t i = 0u; i < 10000u; i++) {
        memset(object.name, i % 2u == 0u ? 'x' : '\0', sizeof object.name - 1u);
        sys_port_trace_k_thread_create(&object);
        sys_port_trace_k_thread_sched_ready(&object);
        leave(_THREAD_QUEUED, &object);
        const uint32_t context = (uint32_t)kymo_zephyr_identity(&object);
        assert_int_not_equal(context, before);
        before = context;
        model.current->base.thread_state = _THREAD_DEAD;
        end(&object);
        leave(_THREAD_DEAD, &first);
        (void)told();
    }
    arrive();
}

/* More than there are places for share a row, and disturb no other. The last of these:
 * the places stay taken. */
CASE(too_many_thread_objects_are_no_harm, set_up) {
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

#if KYMO_LANES > 1
/* More of them than a ring has room for. */
CASE(a_thread_may_move_within_a_zone, set_up) {
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

CASE(each_cpu_has_its_lane, set_up) {
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
CASE(each_wrap_of_the_counter_is_seen, set_up) {
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
