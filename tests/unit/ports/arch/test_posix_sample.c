/* SPDX-License-Identifier: MIT */
/* Samples of threads by their timers' signals: each thread's are its own, of the functions that it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "kymo/unwind.h"
#include "kymo_arch.h"
#include "kymo_posix_sample.h"
#include "ring/lane.h"
#include "trace.h"

#define THREADS 3u
#define ENOUGH 40u /* samples of each thread */

#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noinline, noclone))
#endif

static struct trace trace;
static atomic_uint taken[KYMO_LANES], in_place[KYMO_LANES], with_caller[KYMO_LANES];
static atomic_bool enough;

/* ---- the functions of the threads ---- */

static volatile uint32_t after[THREADS + 1u];

AS_WRITTEN void turns(uint32_t number);
AS_WRITTEN void spin(uint32_t number);
AS_WRITTEN void caller_of_spin(uint32_t number);

AS_WRITTEN void turns(uint32_t number) {
    for (uint32_t turn = 0u; turn < 1000u; turn++) {
        after[number]++;
    }
}
AS_WRITTEN void spin(uint32_t number) {
    while (!atomic_load(&enough)) {
        turns(number);
    }
    after[number]++;
}
AS_WRITTEN void caller_of_spin(uint32_t number) {
    spin(number);
    after[number]++;
}
/* All are shorter than that. gcc for x86 gives no frame to a leaf function: its caller comes after a mark. */
#define IS_IN(address, function)                                                                   \
    ((address)-1u >= (uint64_t)(uintptr_t)(function) &&                                            \
     (address)-1u < (uint64_t)(uintptr_t)(function) + 256u)

static void *run(void *argument) {
    const uint32_t number = (uint32_t)(uintptr_t)argument;
    const bool is_sampled = kymo_posix_sample_start();
    errno = 4711;
    caller_of_spin(number);
    const bool kept = errno == 4711;
    /* A second start and a second stop do nothing. The last thread ends with its timer on. */
    const bool again = kymo_posix_sample_start();
    if (number < THREADS) {
        kymo_posix_sample_stop();
        kymo_posix_sample_stop();
    }
    return is_sampled && again && kept ? argument : NULL;
}

/* ---- arrived samples ---- */

#define FIRST_FRAMES 4u
static struct { uint64_t address[FIRST_FRAMES]; } stack_of[KYMO_LANES];

static bool has_caller(const uint64_t *address) {
    const bool is_marked = address[1] == KYMO_STACK_HELD;
    const uint64_t next = address[is_marked ? 3 : 1];
    return IS_IN(address[0], turns) ? IS_IN(next, spin) || (is_marked && IS_IN(address[2], spin))
                                    : IS_IN(next, caller_of_spin);
}

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user, (void)context;
    if (event->kind == KYMO_KIND_CALLSTACK) {
        const uint32_t frames = event->word[0];
        for (uint32_t i = 0u; i < FIRST_FRAMES; i++) {
            const uint64_t high =
                1u + frames + i < event->words ? event->word[1u + frames + i] : 0u;
            stack_of[lane].address[i] = i < frames ? event->word[1u + i] | high << 32 : 0u;
        }
        return;
    }
    if (event->kind == KYMO_KIND_SAMPLE) {
        const uint64_t *address = stack_of[lane].address;
        const bool is_in = IS_IN(address[0], turns) || IS_IN(address[0], spin);
        taken[lane]++;
        in_place[lane] += is_in;
        with_caller[lane] += is_in && has_caller(address);
    }
}

static bool all_have_enough(uint32_t lanes) {
    uint32_t count = 0u;
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        count += taken[lane] >= ENOUGH;
    }
    return count >= lanes;
}

static void each_thread_has_samples_of_its_own(void **state) {
    pthread_t threads[THREADS];
    (void)state;
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    kymo_init(&trace.transport, "samples");
    kymo_sample_rate(2000u);
    for (uint32_t i = 0u; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1u)), 0);
    }
    while (!all_have_enough(THREADS)) {
        (void)kymo_drain(0u);
    }
    atomic_store(&enough, true);
    for (uint32_t i = 0u; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    (void)trace_finish(&trace);
    uint32_t lanes = 0u;
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        if (taken[lane] != 0u) {
            lanes++;
            /* A few hit the start of the thread. */
            assert_true(in_place[lane] * 10u >= taken[lane] * 9u);
            assert_true(with_caller[lane] * 10u >= taken[lane] * 9u);
        }
    }
    assert_int_equal(lanes, THREADS);
}

/* More threads than lanes: the one without says so. */
static void *try(void *argument) {
    (void)kymo_arch_lane();
    pthread_barrier_wait(argument);
    errno = 0;
    void *result = (void *)(uintptr_t)(kymo_posix_sample_start() ? 1u : errno == EAGAIN ? 2u : 3u);
    pthread_barrier_wait(argument);
    return result;
}

static void without_a_lane_there_is_none(void **state) {
    pthread_t threads[KYMO_LANES];
    pthread_barrier_t barrier;
    uint32_t results[4] = {0u};
    (void)state;
    kymo_sample_rate(0u);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, KYMO_LANES), 0);
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, try, &barrier), 0);
    }
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        results[(uintptr_t)result]++;
    }
    assert_int_equal(results[3], 0u);
    assert_true(results[2] >= 1u);
    assert_int_equal(results[1] + results[2], KYMO_LANES);
}

/* Sampled where a coroutine begins: its stack pointer is the end of its stack, and no memory follows. */
static void nothing_behind_a_stack_is_read(void **state) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t addresses[4];
    (void)state;
    char *stack = mmap(NULL, 2u * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(stack != MAP_FAILED);
    assert_int_equal(mprotect(stack + page, page, PROT_NONE), 0);
    const uintptr_t end = (uintptr_t)(stack + page);
    for (uintptr_t frame = end; frame < end + 4u * sizeof(uintptr_t); frame += sizeof frame) {
        const struct kymo_interrupted at = {.pc = 1u, .frame = frame, .stack = end};
        assert_int_equal(kymo_unwind_interrupted(&at, addresses, 4u), 0u);
    }
    const struct kymo_interrupted inside = {.pc = 1u, .frame = end - 64u, .stack = end - 128u};
    memset(stack, 1, page);
    assert_int_equal(kymo_unwind_interrupted(&inside, addresses, 4u), 1u);
    assert_int_equal(munmap(stack, 2u * page), 0);
}

static char **arguments;

/* The kernel lays their number before them, and the main thread's frames below. */
static void the_main_stack_ends_at_the_number_of_arguments(void **state) {
    const uintptr_t end = (uintptr_t)arguments - sizeof(uintptr_t);
    (void)state;
    assert_int_equal(kymo_posix_stack_end((uintptr_t)__builtin_frame_address(0)), end);
}

/* Has none of its parent's timers: it may start one, and any that it stops is not the program's own. */
static int be_child(void) {
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    struct itimerspec left;
    timer_t own;
    if (timer_create(CLOCK_MONOTONIC, &none, &own) != 0) {
        return 1;
    }
    kymo_posix_sample_stop();
    if (timer_gettime(own, &left) != 0) {
        return 2;
    }
    if (!kymo_posix_sample_start()) {
        return 3;
    }
    kymo_posix_sample_stop();
    return timer_gettime(own, &left) != 0 ? 4 : 0;
}

static void a_child_has_timers_of_its_own(void **state) {
    int status = 0;
    (void)state;
    kymo_sample_rate(0u);
    assert_true(kymo_posix_sample_start());
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(be_child());
    }
    while (waitpid(child, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    kymo_posix_sample_stop();
    assert_int_equal(status, 0);
}

static volatile sig_atomic_t signals_of_others;

static void on_signal_of_others(int number) {
    (void)number;
    signals_of_others++;
}

static void a_signal_of_somebody_else_is_handed_on(void **state) {
    (void)state;
    assert_true(kymo_posix_sample_start());
    const sig_atomic_t before = signals_of_others;
    assert_int_equal(raise(KYMO_POSIX_SAMPLE_SIGNAL), 0);
    assert_int_equal(signals_of_others, before + 1);
    kymo_posix_sample_stop();
}

/* Like unloading a library whose threads sample: after its destructors no signal finds its
 * handler. The child's exit runs them, and this after all of them. */
static bool is_unloaded;

__attribute__((destructor(101))) static void look_at_handler(void) {
    struct sigaction now;
    if (is_unloaded) {
        _exit(sigaction(KYMO_POSIX_SAMPLE_SIGNAL, NULL, &now) == 0 &&
                      now.sa_handler == on_signal_of_others
                  ? 0
                  : 1);
    }
}

static void no_handler_stays_where_samples_were_taken(void **state) {
    int status = 0;
    (void)state;
    kymo_sample_rate(2000u);
    assert_true(kymo_posix_sample_start());
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        is_unloaded = true;
        exit(kymo_posix_sample_start() ? 2 : 3);
    }
    while (waitpid(child, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    kymo_posix_sample_stop();
    assert_int_equal(status, 0);
}

int main(int count, char **argument) {
    (void)count;
    arguments = argument;
    /* Before the first sample, as of a library that samples, too. */
    const struct sigaction others = {.sa_handler = on_signal_of_others};
    if (sigaction(KYMO_POSIX_SAMPLE_SIGNAL, &others, NULL) != 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_behind_a_stack_is_read),
        cmocka_unit_test(the_main_stack_ends_at_the_number_of_arguments),
        cmocka_unit_test(a_child_has_timers_of_its_own),
        cmocka_unit_test(each_thread_has_samples_of_its_own),
        cmocka_unit_test(a_signal_of_somebody_else_is_handed_on),
        cmocka_unit_test(no_handler_stays_where_samples_were_taken),
        cmocka_unit_test(without_a_lane_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
