/* SPDX-License-Identifier: MIT */
/* Counts the instructions of the recording calls, called and returned from, on the emulator's
 * serial port: a line "NAME FAST SLOWEST" each. FAST is what most of the calls take, which is the
 * fast path. */
#include "../print.h"
#include "kymo/arch.h"
#include "kymo/functions.h"
#include "kymo/kymo.h"
#include "kymo/limits.h"
#include "kymo/sample.h"
#include "kymo/tasks.h"

#define CALLS 16u
#define UART ((volatile uint8_t *)0x10000000u)

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(flow, KYMO_SITE_FLOW, "flow", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(message, KYMO_SITE_MESSAGE, "%d", 0u, KYMO_ARG_I32, NULL);
KYMO_POOL(pool, "pool");
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

uint64_t measure(uintptr_t *result, void (*function)(void), uintptr_t a, uintptr_t b, uintptr_t c);
void nothing(void);
int main(void);

static uint64_t overhead; /* of the measurement itself */

struct counts {
    uint64_t count[CALLS];
};

static uintptr_t call(struct counts *counts, uint32_t index, void (*function)(void), uintptr_t a,
                      uintptr_t b, uintptr_t c) {
    uintptr_t result = 0u;
    counts->count[index] = measure(&result, function, a, b, c) - overhead;
    return result;
}

static void put_char(char character) { *UART = (uint8_t)character; }

/* The count that most of them have. */
static void print_counts(const char *name, const struct counts *counts) {
    uint64_t fast = 0u;
    uint64_t slowest = 0u;
    uint32_t most = 0u;
    for (uint32_t i = 0u; i < CALLS; i++) {
        uint32_t equal = 0u;
        for (uint32_t j = 0u; j < CALLS; j++) {
            equal += counts->count[j] == counts->count[i] ? 1u : 0u;
        }
        if (equal > most) {
            most = equal;
            fast = counts->count[i];
        }
        slowest = counts->count[i] > slowest ? counts->count[i] : slowest;
    }
    print_text(name);
    print_number(fast);
    print_number(slowest);
    print_text("\n");
}

#define FUNCTION(name) ((void (*)(void))(name))

static void count_pairs(const char *first, const char *second, void (*begin)(void),
                        void (*end)(void), uintptr_t argument) {
    struct counts begins, ends;
    for (uint32_t i = 0u; i < CALLS; i++) {
        uintptr_t open = call(&begins, i, begin, argument, 0u, 0u);
        (void)call(&ends, i, end, open, 0u, 0u);
    }
    print_counts(first, &begins);
    print_counts(second, &ends);
}

static void count_calls(const char *name, void (*function)(void), uintptr_t a, uintptr_t b,
                        uintptr_t c) {
    struct counts counts;
    for (uint32_t i = 0u; i < CALLS; i++) {
        (void)call(&counts, i, function, a, b, c);
    }
    print_counts(name, &counts);
}

#if KYMO_DYNAMIC_SITES
/* A site that is there, with a name of 18 bytes; function and file are constant. */
static void count_dynamic(const char *what, uint32_t constant) {
    static struct kymo_site_text text;
    text.name = "dispatch_12_matmul";
    text.function = "executable_run";
    text.file = "model.mlir";
    text.name_bytes = 18u;
    text.function_bytes = 14u;
    text.file_bytes = 10u;
    text.constant = (uint8_t)(KYMO_CONSTANT_FUNCTION | KYMO_CONSTANT_FILE | constant);
    text.line = 7u;
    count_calls(what, FUNCTION(kymo_site_dynamic), (uintptr_t)&text, 0u, 0u);
}
#endif

#if KYMO_CALLSTACKS

/* A zone's begin with a stack of so many frames: there are more. */
static void count_depth(const char *name, uint32_t depth) {
    struct counts begins;
    for (uint32_t i = 0u; i < CALLS; i++) {
        const uintptr_t open =
            call(&begins, i, FUNCTION(kymo_zone_begin_stack), (uintptr_t)&zone, depth, 0u);
        kymo_zone_end((kymo_zone)open);
    }
    print_counts(name, &begins);
}

#if KYMO_SAMPLE_HZ_MAX

/* Each when it is due. */
static void count_samples(const char *name, const struct kymo_interrupted *at) {
    struct counts samples;
    uint32_t ticks = kymo_sample(at);
    for (uint32_t i = 0u; i < CALLS; i++) {
        const kymo_clock_t start = kymo_arch_clock();
        while (kymo_arch_clock() - start < ticks) {}
        ticks = (uint32_t)call(&samples, i, FUNCTION(kymo_sample), (uintptr_t)at, 0u, 0u);
    }
    print_counts(name, &samples);
}

/* "back": return address of an outer function, which is taken for the preempted code's. */
static void count_both(const void *back) {
    const uintptr_t own = (uintptr_t)__builtin_frame_address(0);
    const struct kymo_interrupted known = {.pc = 4096u, .frame = own, .stack = own - 64u};
    const struct kymo_interrupted walked = {.pc = (uintptr_t)back - 1u};
    kymo_sample_rate(KYMO_SAMPLE_HZ_MAX);
    count_samples("sample_of_known_frame", &known);
    count_samples("sample_through_handler", &walked);
    kymo_sample_rate(0u);
}

#else
static void count_both(const void *back) { (void)back; }
#endif

static __attribute__((noinline)) void count_under(uint32_t frames) {
    if (frames != 0u) {
        count_under(frames - 1u);
    } else {
        count_both(__builtin_return_address(0));
        count_depth("zone_of_no_frame", 0u);
        count_depth("zone_of_1_frame", 1u);
        count_depth("zone_of_16_frames", 16u);
        count_depth("zone_of_62_frames", 62u);
    }
    __asm__ volatile("");
}

#endif

#if KYMO_FUNCTIONS
/* Calls them as compilers do, for a function that is the only open one. */
static void count_functions(void) {
    struct counts begins, ends;
    for (uint32_t i = 0u; i < CALLS; i++) {
        (void)call(&begins, i, FUNCTION(__cyg_profile_func_enter), (uintptr_t)nothing, 0u, 0u);
        (void)call(&ends, i, FUNCTION(__cyg_profile_func_exit), (uintptr_t)nothing, 0u, 0u);
    }
    print_counts("function_begin", &begins);
    print_counts("function_end", &ends);
}
#endif

#if KYMO_TASKS
/* Two tasks that take turns: the one that leaves is ready, or waits. */
static void count_tasks(const char *ready, const char *switches, const char *waits) {
    struct counts counts, wait_counts;
    for (uint32_t i = 0u; i < CALLS; i++) {
        kymo_task_out(true, 0u);
        (void)call(&counts, i, FUNCTION(kymo_task_in), kymo_task_numbered(i % 2u), 0u, 0u);
    }
    print_counts(switches, &counts);
    for (uint32_t i = 0u; i < CALLS; i++) {
        kymo_task_why(KYMO_WHY_DELAY, 0u);
        (void)call(&wait_counts, i, FUNCTION(kymo_task_waits), 10u, 0u, 0u);
        (void)call(&counts, i, FUNCTION(kymo_task_ready), kymo_task_numbered(1u - i % 2u),
                   KYMO_WAKER_RUNS, 0u);
        kymo_task_in(kymo_task_numbered(i % 2u));
    }
    print_counts(ready, &counts);
    print_counts(waits, &wait_counts);
}

/* The last two of those that have limits. */
static void count_limited(void) {
    static const struct kymo_task_limits limits = {.name = "", .ready_us = 1000000u};
    for (uint32_t number = KYMO_TASK_LIMITS; number-- != 0u;) {
        (void)kymo_task_limit(kymo_task_numbered(number), &limits);
    }
}
#endif

int main(void) {
    static const uint64_t args[1] = {42u};
    uintptr_t result = 0u;
#ifdef BENCH_LANE_START
    kymo_riscv_lane_start();
#endif
    overhead = measure(&result, nothing, 0u, 0u, 0u) - 2u; /* nothing: the jump and the return */

    count_pairs("zone_begin", "zone_end", FUNCTION(kymo_zone_begin), FUNCTION(kymo_zone_end),
                (uintptr_t)&zone);
    count_pairs("interrupt_enter", "interrupt_leave", FUNCTION(kymo_interrupt_enter),
                FUNCTION(kymo_interrupt_leave), (uintptr_t)&timer);
    count_calls("frame", FUNCTION(kymo_frame), (uintptr_t)&frame, 0u, 0u);
    count_calls("plot", FUNCTION(kymo_plot_int), (uintptr_t)&plot, 1000u, 0u);
    count_calls("flow", FUNCTION(kymo_flow), KYMO_KIND_FLOW_SEND, (uintptr_t)&flow, 7u);
    count_calls("message_of_one_number", FUNCTION(kymo_message), (uintptr_t)&message,
                (uintptr_t)args, 0u);
    count_calls("alloc", FUNCTION(kymo_alloc), (uintptr_t)&pool, 0x80001000u, 64u);
#if KYMO_TASKS
    count_tasks("task_ready", "task_switch", "task_waits");
    count_limited();
    count_tasks("limited_ready", "limited_switch", "limited_waits");
#endif
#if KYMO_FUNCTIONS
    count_functions();
#endif
#if KYMO_CALLSTACKS
    count_under(70u);
#endif
#if KYMO_DYNAMIC_SITES
    count_dynamic("site_copied_name", 0u);
    count_dynamic("site_constant_name", KYMO_CONSTANT_NAME);
#endif
    return 0;
}
