/* SPDX-License-Identifier: MIT */
/* Call stacks under an operating system: those of threads are their own, and a signal handler's begins with it. */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"

#define THREADS 3u
#define STACKS_MAX 64u
/* Longer than each of the functions below. */
#define FUNCTION_BYTES 1024u
#define AS_WRITTEN __attribute__((noinline))

static volatile uint32_t after; /* work after a call prevents a tail call */

static struct trace trace;
static struct {
    uint32_t lane, frames;
    uintptr_t address[KYMO_CALLSTACKS];
} seen[STACKS_MAX];
static uint32_t seen_count;

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user, (void)context;
    if (event->kind != KYMO_KIND_CALLSTACK) {
        return;
    }
    assert_true(seen_count < STACKS_MAX);
    seen[seen_count].lane = lane;
    const uint32_t frames = seen[seen_count].frames = event->word[0];
    for (uint32_t i = 0u; i < frames; i++) {
        const uint64_t high = 1u + frames + i < event->words ? event->word[1u + frames + i] : 0u;
        seen[seen_count].address[i] = (uintptr_t)(event->word[1u + i] | high << 32);
    }
    seen_count++;
}

static AS_WRITTEN void inner(void) {
    KYMO_ZONE("inner");
    after++;
}
static AS_WRITTEN void outer(void) {
    inner();
    after++;
}
static AS_WRITTEN void *thread_main(void *unused) {
    outer();
    after++;
    return unused;
}
static AS_WRITTEN void on_signal(int number) { KYMO_MESSAGE("signal %d", number); }

static bool is_in(uintptr_t address, uintptr_t function) {
    return address > function && address - function < FUNCTION_BYTES;
}

FIXTURE(begin) {
    trace_init(&trace);
    trace.event = on_event;
    kymo_init(&trace.transport, "threads");
    return 0;
}

CASE(threads_have_their_own) {
    pthread_t thread[THREADS];
    uint32_t lanes = 0u;
    seen_count = 0u;
    for (uint32_t i = 0u; i < THREADS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, thread_main, NULL), 0);
    }
    for (uint32_t i = 0u; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    (void)thread_main(NULL);
    trace_drain(&trace);
    assert_int_equal(seen_count, THREADS + 1u);
    for (uint32_t i = 0u; i < seen_count; i++) {
        assert_true(seen[i].frames >= 3u);
        assert_true(is_in(seen[i].address[0], (uintptr_t)inner));
        assert_true(is_in(seen[i].address[1], (uintptr_t)outer));
        assert_true(is_in(seen[i].address[2], (uintptr_t)thread_main));
        lanes |= 1u << seen[i].lane;
    }
    assert_int_not_equal(lanes, 0u);
}

CASE(a_handler_begins_its_own) {
    struct sigaction action;
    seen_count = 0u;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(raise(SIGUSR1), 0);
    trace_drain(&trace);
    assert_int_equal(seen_count, 1u);
    assert_true(seen[0].frames >= 1u);
    assert_true(is_in(seen[0].address[0], (uintptr_t)on_signal));
}

CASES_BETWEEN(begin, NULL);
