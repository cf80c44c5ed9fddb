/* SPDX-License-Identifier: MIT */
/* Call stacks of the Zephyr module: they are those of threads and interrupts, and end where these do. The stacks that
 * the kernel would have are parts of the test's own. */
#include <zephyr/kernel.h>

#include "cases.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "trace.h"

#define FRAMES_MAX 8u
/* Longer than each of the functions below. */
#define FUNCTION_BYTES 1024u
#define BYTES 4096u
#define AS_WRITTEN __attribute__((noinline))
/* The end of the record that a function's frame begins with. */
#define RECORD_END ((uintptr_t)__builtin_frame_address(0) + 2u * sizeof(uintptr_t))

struct zephyr_model model;
struct z_kernel _kernel;

static volatile uint32_t after; /* work after a call prevents a tail call */

static struct trace trace;
static struct k_thread thread;
static uint32_t stacks, frames;
static uintptr_t address[FRAMES_MAX];

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user, (void)lane, (void)context;
    if (event->kind != KYMO_KIND_CALLSTACK) {
        return;
    }
    stacks++;
    frames = event->word[0];
    assert_in_range(frames, 1u, FRAMES_MAX);
    for (uint32_t i = 0u; i < frames; i++) {
        const uint64_t high = 1u + frames + i < event->words ? event->word[1u + frames + i] : 0u;
        address[i] = (uintptr_t)(event->word[1u + i] | high << 32);
    }
}

FIXTURE(set_up) {
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    stacks = frames = 0u;
    model = (struct zephyr_model){.cycles = model.cycles};
    thread = (struct k_thread){.name = "thread"};
    _kernel = (struct z_kernel){.cpus = {{.id = 0u}, {.id = 1u}}};
    kymo_init(&trace.transport, "zephyr");
    return 0;
}

static bool is_in(uintptr_t place, void (*function)(void)) {
    return place > (uintptr_t)function && place - (uintptr_t)function < FUNCTION_BYTES;
}

static AS_WRITTEN void record(void) {
    KYMO_MESSAGE_STACK(8, "stack");
    after++;
}
static AS_WRITTEN void work(void) {
    record();
    after++;
}

/* Like z_thread_entry(): the uppermost frame of the thread. The caller in its record must not be read. */
static AS_WRITTEN void enter_thread(void) {
    thread.stack_info.start = RECORD_END - BYTES;
    thread.stack_info.size = BYTES + thread.stack_info.delta;
    model.current = &thread;
    work();
    after++;
}

/* Like the kernel's entry of interrupts: the handler is the first function on their stack, and
 * its record says where in the entry it returns to. */
static AS_WRITTEN void handle(void) {
    _kernel.cpus[model.cpu.id].irq_stack = (char *)RECORD_END;
    work();
    after++;
}
static AS_WRITTEN void enter_interrupt(void) {
    handle();
    after++;
}

/* One call stack, innermost function first. */
static void check_stack(uint32_t count, void (*const *function)(void)) {
    trace_drain(&trace);
    assert_int_equal(stacks, 1u);
    assert_int_equal(frames, count);
    for (uint32_t i = 0u; i < count; i++) {
        assert_true(is_in(address[i], function[i]));
    }
}

static void check_thread(void) {
    static void (*const functions[])(void) = {record, work, enter_thread};
    enter_thread();
    check_stack(3u, functions);
}

CASE(a_thread_ends_with_its_entry, set_up) { check_thread(); }

/* The kernel keeps the thread's own variables there, of any length. */
CASE(what_is_above_a_threads_stack_is_left_out, set_up) {
    thread.stack_info.delta = 40u;
    check_thread();
}

CASE(an_interrupt_ends_with_its_entry, set_up) {
    static void (*const functions[])(void) = {record, work, handle, enter_interrupt};
    for (uint8_t cpu = 0u; cpu < 2u; cpu++) {
        (void)set_up(NULL);
        model.cpu.id = cpu;
        thread.stack_info.start = 0x1000u;
        thread.stack_info.size = BYTES;
        model.current = &thread;
        enter_interrupt();
        check_stack(4u, functions);
    }
}

/* Nobody knows how long it is: before the first thread, in one of user mode, on a stack of the application. */
CASE(an_unknown_stack_is_not_read, set_up) {
    work();
    thread.stack_info.start = 0x1000u;
    thread.stack_info.size = BYTES;
    model.current = &thread;
    _kernel.cpus[0].irq_stack = (char *)0x4000;
    work();
    trace_drain(&trace);
    assert_int_equal(stacks, 0u);
}

CASE(ends_are_those_of_the_kernel, set_up) {
    const uintptr_t words = 2u * sizeof(uintptr_t);
    thread.stack_info = (struct _thread_stack_info){.start = 0x20000, .size = 0x800, .delta = 0};
    _kernel.cpus[0].irq_stack = (char *)0x30000;
    assert_int_equal(kymo_arch_stack_end(0x20400u), 0x20400u); /* no thread yet */
    assert_int_equal(kymo_arch_stack_end(0x2ff00u), 0x30000u);
    model.current = &thread;
    assert_int_equal(kymo_arch_stack_end(0x20400u), 0x20800u - words);
    assert_int_equal(kymo_arch_stack_end(0x20000u), 0x20800u - words);
    assert_int_equal(kymo_arch_stack_end(0x1fff0u), 0x1fff0u);
    assert_int_equal(kymo_arch_stack_end(0x20810u), 0x20810u);
    assert_int_equal(kymo_arch_stack_end(0x30000u - CONFIG_ISR_STACK_SIZE), 0x30000u);
    assert_int_equal(kymo_arch_stack_end(0x2eff0u), 0x2eff0u);
    thread.stack_info.delta = 0x14;
    assert_int_equal(kymo_arch_stack_end(0x20400u), 0x207e0u - words);
}
