/* SPDX-License-Identifier: MIT */
/* Functions that are zones by themselves: the events that calls of known functions make. */
#include <string.h>
#include <ucontext.h>

#include "cases.h"
#include "functions_called.h"
#include "kymo/functions.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/lane.h"
#include "trace.h"

#define SEEN_MAX 4096u
#define TASK ((kymo_context)0x80)
#define OTHER_TASK ((kymo_context)0x100)

/* Arrived events: functions have their address, others 0. */
struct seen_event {
    uint32_t kind, lane, context;
    uint64_t address;
};

static struct trace trace;
static struct seen_event seen[SEEN_MAX];
static size_t seen_count;

KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    const uint64_t high = event->words != 0 ? event->word[0] : 0;
    assert_true(seen_count < SEEN_MAX);
    if (!KYMO_KIND_IS_COUNTED(event->kind)) {
        return;
    }
    seen[seen_count++] = (struct seen_event){
        .kind = event->kind,
        .lane = lane,
        .context = context,
        .address = (event->kind & KYMO_KIND_HAS_OBJECT) != 0 ? event->reference | high << 32 : 0};
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    seen_count = 0;
    kymo_init(&trace.transport, "functions");
    trace_drain(&trace);
    return 0;
}

static size_t count(uint32_t kind, void (*function)(void)) {
    size_t number = 0;
    for (size_t i = 0; i < seen_count; i++) {
        number += seen[i].kind == kind && seen[i].address == (uint64_t)(uintptr_t)function;
    }
    return number;
}

#define FUNCTION(name) ((void (*)(void))(name))
#define assert_calls(name, begun, ended, left)                                                     \
    do {                                                                                           \
        assert_int_equal(count(KYMO_KIND_FUNCTION_BEGIN, FUNCTION(name)), begun);                  \
        assert_int_equal(count(KYMO_KIND_FUNCTION_END, FUNCTION(name)), ended);                    \
        assert_int_equal(count(KYMO_KIND_FUNCTION_LEFT, FUNCTION(name)), left);                    \
    } while (0)

CASE(calls_nest, set_up) {
    static const uint32_t kinds[] = {KYMO_KIND_FUNCTION_BEGIN, KYMO_KIND_FUNCTION_BEGIN,
                                     KYMO_KIND_FUNCTION_END, KYMO_KIND_FUNCTION_END};
    called_work();
    assert_int_equal(trace_finish(&trace), 0);
    assert_int_equal(seen_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(seen[i].kind, kinds[i]);
        assert_int_equal(seen[i].address,
                         (uintptr_t)(i % 3 == 0 ? FUNCTION(called_work) : FUNCTION(called_leaf)));
    }
}

CASE(recursion_counts_as_deep_as_is_recorded, set_up) {
    called_deep(4, called_leaf);
    called_deep(20, called_leaf);
    called_work();
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_deep, 5 + KYMO_FUNCTIONS, 5 + KYMO_FUNCTIONS, 0);
    assert_calls(called_leaf, 2, 2, 0);
    assert_calls(called_work, 1, 1, 0);
}

static void grow(void) { called_grows(50, called_leaf); }

CASE(a_function_that_takes_more_of_the_stack_ends, set_up) {
    called_grows(100, called_leaf);
    called_grows(1000, grow);
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_grows, 3, 3, 0);
    assert_calls(called_leaf, 2, 2, 0);
}

/* Each landing is followed by the same call, in the same place: abandoned zones end there, and not all at the end. */
CASE(what_a_jump_leaves_is_marked, set_up) {
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(called_lands(3, 2), 3);
        trace_drain(&trace);
    }
    called_work();
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_lands, 50, 50, 0);
    assert_calls(called_deep, 50 * 3 * 3, 0, 50 * 2 * 3);
    assert_calls(called_work, 1, 1, 0);
}

#if KYMO_COMMANDS
static struct kymo_param *depth_limit(void) {
    const struct kymo_site *site = __start_kymo_sites;
    while (site->kind != KYMO_SITE_PARAM || strcmp(site->name, "kymo.function_depth") != 0) {
        assert_true(++site != __stop_kymo_sites);
    }
    return site->param;
}

static jmp_buf outside;

static void lower_and_jump(void) {
    depth_limit()->value = 2;
    longjmp(outside, 1);
}

/* More functions are open than the host allows from here on, and a jump leaves them: later calls are recorded. */
CASE(a_lower_limit_does_not_keep_what_was_left, set_up) {
    if (setjmp(outside) == 0) {
        called_deep(4, lower_and_jump);
    }
    called_work();
    depth_limit()->value = KYMO_FUNCTIONS;
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_work, 1, 1, 0);
}
#endif

/* However many were open or refused, later zones have all the room. */
CASE(no_promise_is_lost, set_up) {
    for (uint32_t i = 0; i < 300; i++) {
        (void)called_lands(2, i % 12);
        called_deep(i % 12, called_leaf);
        if (i % 7 == 0) {
            trace_drain(&trace);
        }
    }
    trace_drain(&trace);
    seen_count = 0;
    for (uint32_t i = 0; i < KYMO_RING_BYTES / 8 - 24; i++) {
        kymo_frame(&frame);
    }
    trace_drain(&trace);
    size_t frames = 0;
    for (size_t i = 0; i < seen_count; i++) {
        frames += seen[i].kind == KYMO_KIND_FRAME;
    }
    assert_int_equal(frames, KYMO_RING_BYTES / 8 - 24);
    (void)trace_finish(&trace);
}

/* Begins and ends come to the same number, and all that is missing is counted. */
CASE(a_full_ring_refuses_both, set_up) {
    uint64_t emitted = 0;
    for (uint32_t i = 0; i < 200; i++) {
        called_deep(3, called_leaf);
        emitted += 10;
    }
    const uint64_t lost = trace_finish(&trace);
    assert_true(lost != 0);
    assert_int_equal(trace_events(&trace) + lost, emitted);
    assert_int_equal(count(KYMO_KIND_FUNCTION_BEGIN, FUNCTION(called_deep)),
                     count(KYMO_KIND_FUNCTION_END, FUNCTION(called_deep)));
    assert_int_equal(count(KYMO_KIND_FUNCTION_BEGIN, FUNCTION(called_leaf)),
                     count(KYMO_KIND_FUNCTION_END, FUNCTION(called_leaf)));
}

static void in_interrupt(void) {
    KYMO_INTERRUPT(timer);
    called_handler();
}

CASE(an_interrupt_has_its_own_row, set_up) {
    called_deep(1, in_interrupt);
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_deep, 2, 2, 0);
    for (size_t i = 0; i < seen_count; i++) {
        const bool handled = seen[i].address == (uintptr_t)called_handler ||
                             seen[i].address == (uintptr_t)called_leaf;
        assert_int_equal(seen[i].address != 0 && seen[i].context != 1, handled);
    }
}

#define INTERRUPT_STACK_BYTES 65536u
/* The second one is the interrupt's: it lies above the interrupted function's. */
static uint8_t halves[2][INTERRUPT_STACK_BYTES] __attribute__((aligned(16)));
static ucontext_t test_stack, low_stack, high_stack;
static uint32_t interrupted_depth;

static void to_high_stack(void) { (void)swapcontext(&low_stack, &high_stack); }
static void run_low(void) { called_deep(interrupted_depth, to_high_stack); }

static void start_on(uint8_t *stack, ucontext_t *context, void (*entry)(void), ucontext_t *next) {
    (void)getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = INTERRUPT_STACK_BYTES;
    context->uc_link = next;
    makecontext(context, entry, 0);
}

/* However many are open: those of the interrupt are left out where there is no room for them. */
CASE(an_interrupt_with_a_stack_above_leaves_none, set_up) {
    for (interrupted_depth = 2; interrupted_depth < 20; interrupted_depth += 15) {
        start_on(halves[0], &low_stack, run_low, &test_stack);
        start_on(halves[1], &high_stack, in_interrupt, &low_stack);
        (void)swapcontext(&test_stack, &low_stack);
    }
    called_work();
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_deep, 3 + KYMO_FUNCTIONS, 3 + KYMO_FUNCTIONS, 0);
    assert_calls(called_handler, 1, 1, 0);
    assert_calls(called_work, 1, 1, 0);
    assert_calls(called_leaf, 2, 2, 0);
}

/* ---- tasks, each with a stack of its own ---- */

static ucontext_t scheduler, contexts[3];
static size_t running;
static char stacks[3][64 * 1024];

static void yield(void) { (void)swapcontext(&contexts[running], &scheduler); }

static void task(void) {
    called_deep(2, yield);
    called_work();
}

static void run_task(size_t number, kymo_context context) {
    running = number;
    (void)kymo_context_switch(context);
    (void)swapcontext(&scheduler, &contexts[number]);
    (void)kymo_context_switch(0);
}

static void make_task(size_t number) {
    (void)getcontext(&contexts[number]);
    contexts[number].uc_stack.ss_sp = stacks[number];
    contexts[number].uc_stack.ss_size = sizeof stacks[number];
    contexts[number].uc_link = &scheduler;
    makecontext(&contexts[number], task, 0);
}

/* They take turns inside their calls, and one of them goes on in another lane. */
CASE(tasks_have_their_own, set_up) {
    make_task(0);
    make_task(1);
    run_task(0, TASK);
    run_task(1, OTHER_TASK);
    trace_drain(&trace);
    called_work();
    fake.lane = 1;
    run_task(0, TASK);
    fake.lane = 0;
    run_task(1, OTHER_TASK);
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_deep, 6, 6, 0);
    assert_calls(called_work, 3, 3, 0);
    assert_calls(called_leaf, 3, 3, 0);
}

/* The third one at a time is left out; a task that is over gives its place to another. */
CASE(tasks_beyond_are_left_out, set_up) {
    static const kymo_context tasks[3] = {TASK, OTHER_TASK, (kymo_context)0x180};
    for (size_t i = 0; i < 3; i++) {
        make_task(i);
        run_task(i, tasks[i]);
    }
    kymo_context_end(TASK);
    kymo_context_end(OTHER_TASK);
    trace_drain(&trace);
    assert_calls(called_deep, 6, 0, 0);
    run_task(2, tasks[2]);
    assert_int_equal(trace_finish(&trace), 0);
    assert_calls(called_deep, 6, 0, 0);
    assert_calls(called_work, 1, 1, 0);
}
